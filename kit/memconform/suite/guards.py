"""The nine guards: what pytest-bdd would let pass in silence ends the run here, with a sentence.

| guard | what goes unseen without it | codes |
|---|---|---|
| 1 | of two scenarios with one title only the last runs | duplicate-scenario, duplicate-rule,
      duplicate-requirement, same-slug, bad-title |
| 2 | an outline without rows runs once, with ``<name>`` in its texts | no-examples, no-rows |
| 3 | a scenario that does or expects nothing passes | no-steps, no-when, no-then |
| 4 | of two matching definitions one is taken by its name; a missing one is noticed only when it is
      reached | undefined-step, ambiguous-step, untyped-step |
| 5 | an ``async def`` step passes without having run | async-step |
| 6 | a misspelt tag makes a scenario count for less | unknown-tag, unknown-capability,
      tag-on-examples, misplaced-tag, no-strength, two-strengths, two-levels |
| 7 | a scenario isn't collected, another one is in its stead: the count agrees | not-collected,
      not-in-suite, collected-twice |
| 8 | nothing was selected and nothing failed | nothing-selected |
| 9 | a requirement that no scenario tests, a scenario that tests no requirement | missing-rule,
      missing-scenario, unknown-requirement, orphan-scenario and all else about the join |

Guards 1, 6 and 9 are about documents alone and live in ``memconform.spec.library``. All but 7 and
8 read the Gherkin documents and not pytest's collection, which has already lost what they look for.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from pytest_bdd.steps import step_function_context_registry

from memconform.spec.findings import Finding, in_order
from memconform.spec.gherkin import FeatureScenario, Pickle, Step, StepType, placeholders
from memconform.spec.library import Feature, Library

STEP_TEXTS = 30  # a vocabulary that a reader can hold in mind, and pytest-bdd scans for each step


class Pattern(Protocol):
    """What a step definition says it matches; a pytest-bdd parser is one."""

    name: str

    def is_matching(self, name: str) -> bool:
        """Whether the whole text of a step matches."""
        ...

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        """The values of its placeholders in the text of a step; None where it doesn't match."""
        ...


@dataclass(frozen=True, slots=True)
class StepDefinition:
    """One registered step.

    Attributes:
        parser: its pattern; ``parser.name`` is the text that was registered.
        type: the keyword it stands under, None for any.
    """

    parser: Pattern
    type: StepType | None
    function: Callable[..., Any]

    @property
    def text(self) -> str:
        """The text or pattern, as registered."""
        return self.parser.name

    def serves(self, step: Step) -> bool:
        """Whether pytest-bdd would consider this definition for the step."""
        return self.type in (None, step.type) and self.parser.is_matching(step.text)

    def arguments(self, step: Step) -> dict[str, Any]:
        """The values of the placeholders in a step that this definition serves."""
        return self.parser.parse_arguments(step.text) or {}


def registered_steps(*modules: ModuleType) -> list[StepDefinition]:
    """The step definitions that pytest-bdd's decorators have left in some modules, in their order.

    A decorator leaves a fixture in the module; the function under the fixture is the key of
    pytest-bdd's registry. A definition imported into a second module counts once.
    """
    found: dict[int, StepDefinition] = {}
    for module in modules:
        for value in vars(module).values():
            marker = getattr(value, "__wrapped__", None)
            if not inspect.isfunction(marker):
                continue
            context = step_function_context_registry.get(marker)
            if context is not None:
                found[id(context)] = StepDefinition(context.parser, context.type, context.step_func)
    return list(found.values())


def check(library: Library, step_definitions: Sequence[StepDefinition]) -> list[Finding]:
    """Guards 1 to 6 and 9, and the size of the vocabulary. Empty when the suite can be trusted."""
    return in_order(
        (
            *library.findings(),
            *(each for f in library.features for s in f.doc.scenarios for each in _scenario(f, s)),
            *_matches(library, step_definitions),
            *_definitions(library, step_definitions),
        )
    )


def compare(expected: Iterable[str], collected: Iterable[str]) -> list[Finding]:
    """Guard 7: the pickles' ids against those of the collected items, by identity.

    Counts prove nothing: one scenario may be lost and another, empty one be there in its stead.
    """
    wanted, seen = Counter(expected), Counter(collected)
    findings = [
        Finding(
            "not-collected",
            id,
            "This scenario is in a feature and pytest didn't collect it: "
            "look for a filter, a plugin or a second scenario of the same title.",
        )
        for id in wanted
        if id not in seen
    ]
    for id, count in seen.items():
        if id not in wanted:
            message = "pytest collected this and no feature holds it: run the features of the kit."
            findings.append(Finding("not-in-suite", id, message))
        elif count > 1:
            message = f"pytest collected this scenario {count} times: name the features once."
            findings.append(Finding("collected-twice", id, message))
    return in_order(findings)


def selected(ids: Iterable[str], asked: str) -> list[Finding]:
    """Guard 8: a run that selects nothing has measured nothing.

    Args:
        ids: of the selected scenarios.
        asked: what the selection was made by, in words, such as ``--scenario x/y``.
    """
    if any(True for _ in ids):
        return []
    return [
        Finding(
            "nothing-selected",
            asked,
            "No scenario is selected, so nothing would be measured: correct the selection.",
        )
    ]


# --- guards 2 and 3: one scenario ----------------------------------------------------------------


def _scenario(feature: Feature, scenario: FeatureScenario) -> Iterator[Finding]:
    def finding(code: str, line: int, message: str) -> Finding:
        where = f"{feature.doc.path}:{line}"
        return Finding(code, where, f"Scenario {scenario.title!r} {message}")

    if scenario.outline and not scenario.examples:
        message = "is an outline without Examples: add them, or make it a Scenario."
        yield finding("no-examples", scenario.line, message)
    for examples in scenario.examples:
        if not examples.rows:
            message = "has Examples without a row: add rows, or take the table away."
            yield finding("no-rows", examples.line, message)
    yield from _values(scenario, finding)
    if not scenario.steps:
        yield finding("no-steps", scenario.line, "has no steps: write them.")
        return
    types = {step.type for step in scenario.steps}
    for type in ("when", "then"):
        if type not in types:
            message = f"has no {type.capitalize()} of its own: add one."
            yield finding(f"no-{type}", scenario.line, message)


def _values(
    scenario: FeatureScenario, finding: Callable[[str, int, str], Finding]
) -> Iterator[Finding]:
    """Example values that don't reach the steps, or not the way they read."""
    columns = {column for examples in scenario.examples for column in examples.columns}
    for step in scenario.steps if columns else ():
        for name in sorted(placeholders(step.texts()) - columns):
            message = (
                f"has no column for <{name}>, which would stay as it stands: "
                "add the column, or put this text into one."
            )
            yield finding("no-column", step.line, message)
    before: dict[tuple[Step, ...], int] = {}
    for pickle in scenario.pickles:
        if pickle.row is None:
            continue
        if not pickle.agrees:
            message = (
                "has a row that Gherkin and pytest-bdd read differently: name each column once, "
                "use none in a Background, and put no <column> into a value."
            )
            yield finding("ambiguous-row", pickle.row.line, message)
        first = before.setdefault(pickle.steps, pickle.row.line)
        if first != pickle.row.line:
            message = f"has a row with the same steps as line {first}: take one away."
            yield finding("repeated-row", pickle.row.line, message)


# --- guards 4 and 5: steps and their definitions -------------------------------------------------


def _matches(library: Library, definitions: Sequence[StepDefinition]) -> Iterator[Finding]:
    for feature, pickle in _pickles(library):
        for step in pickle.steps:
            where = f"{feature.doc.path}:{step.line}"
            if step.type is None:
                message = (
                    f"The step '{step.keyword} {step.text}' has no Given, When or Then "
                    "before it: write one."
                )
                yield Finding("untyped-step", where, message)
                continue
            keyword = step.type.capitalize()
            serving = [definition for definition in definitions if definition.serves(step)]
            if not serving:
                others = {d.type for d in definitions if d.parser.is_matching(step.text) and d.type}
                under = " and ".join(type.capitalize() for type in sorted(others))
                message = (
                    f"No step definition matches {keyword} {step.text!r}"
                    f"{f' (it is defined under {under})' if under else ''}: "
                    "use a text of the vocabulary."
                )
                yield Finding("undefined-step", where, message)
            elif len(serving) > 1:
                texts = " and ".join(sorted(repr(definition.text) for definition in serving))
                message = (
                    f"{len(serving)} step definitions match {keyword} {step.text!r}: {texts}; "
                    "make one of them narrower."
                )
                yield Finding("ambiguous-step", where, message)


def _definitions(library: Library, definitions: Sequence[StepDefinition]) -> Iterator[Finding]:
    for definition in definitions:
        if _is_async(definition.function):
            message = (
                f"The step {definition.text!r} is asynchronous and would pass without having run: "
                "make it a plain function."
            )
            yield Finding("async-step", _place(definition.function), message)
    texts = {definition.text for definition in definitions}
    if len(texts) > STEP_TEXTS:
        yield Finding(
            "too-many-steps",
            "step definitions",
            f"There are {len(texts)} step texts and at most {STEP_TEXTS} may be: "
            "put the difference between some into a table.",
        )
    steps = {(s.type, s.text): s for _, pickle in _pickles(library) for s in pickle.steps}
    # One function under Given and When is one step text: it is used where either of them is.
    used = {
        (definition.text, definition.function)
        for definition in definitions
        if any(definition.serves(step) for step in steps.values())
    }
    for text, function in dict.fromkeys((d.text, d.function) for d in definitions):
        if (text, function) not in used:
            message = f"No scenario uses the step {text!r}: take it away."
            yield Finding("unused-step", _place(function), message)


def _pickles(library: Library) -> Iterator[tuple[Feature, Pickle]]:
    for feature in library.features:
        for scenario in feature.doc.scenarios:
            for pickle in scenario.pickles:
                yield feature, pickle


def _is_async(function: Callable[..., Any]) -> bool:
    """Also beneath a decorator, since most of those hand the coroutine on instead of running it."""
    candidates = (function, inspect.unwrap(function), type(function).__call__)
    return any(
        inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in candidates
    )


def _place(function: Callable[..., Any]) -> str:
    """Module and line of a step's function; its file would be a path of this machine."""
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    module = getattr(inner, "__module__", "step definitions")
    return f"{module}:{code.co_firstlineno}" if code else str(module)
