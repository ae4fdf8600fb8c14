"""Gherkin written in a notebook, played against a store, each step with what was seen.

The step texts are the suite's own (``memconform.suite.steps``), so what is tried out here can be
put into a feature as it stands. The store runs in a process of its own: a cell that changes its
file and plays again meets the new code, and a crash ends a scenario and not the notebook.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memconform.model.report import CallRecord, Outcome
from memconform.protocol import Hello
from memconform.spec import gherkin
from memconform.suite import steps as vocabulary
from memconform.suite.guards import StepDefinition, registered_steps
from memconform.suite.play import Action, NoTable, bound, closed, walk
from memconform.suite.world import Disappointed, Unexpected, World
from memconform.targets import Target, UsageError, resolve
from memconform.wire.client import Connection
from memconform.wire.errors import WireError

NEEDS = "@needs:"
_HEADED = re.compile(r"^\s*(Feature|Rule)\s*:", re.MULTILINE)
_SCENARIO = re.compile(r"^\s*(Scenario|Scenario Outline|Example)\s*:", re.MULTILINE)
StepOutcome = Literal["passed", "failed", "error", "skipped"]


class ScenarioError(ValueError):
    """The cell holds no scenario that can be played; the message says what to write."""


@dataclass(frozen=True, kw_only=True)
class PlayedStep:
    """One step, with the calls that it made to the store.

    Attributes:
        table: rows of cells, none where the step has no table.
        expected: what did not come true; None where the step passed or was not reached.
        seen: what was there instead.
    """

    keyword: str
    text: str
    table: tuple[tuple[str, ...], ...]
    outcome: StepOutcome
    calls: tuple[CallRecord, ...] = ()
    expected: str | None = None
    seen: str | None = None


@dataclass(frozen=True, kw_only=True)
class PlayedScenario:
    """One scenario, or one row of an outline, as it went.

    Attributes:
        missing: capabilities that it needs and the store does not declare.
    """

    title: str
    outcome: Outcome
    steps: tuple[PlayedStep, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Played:
    """Everything in a cell, played against one store."""

    target: str
    store: str
    scenarios: tuple[PlayedScenario, ...]

    @property
    def passed(self) -> bool:
        """Whether every scenario passed; one that is unsupported did not."""
        return all(each.outcome is Outcome.PASSED for each in self.scenarios)

    def _repr_html_(self) -> str:
        from memconform.workbench import html

        return str(html.played(self))


def play(source: str, target: str) -> Played:
    """Play the scenarios of a text.

    Args:
        source: Gherkin: a whole feature, scenarios without one, or steps alone.
        target: the TARGET string.

    Raises:
        ScenarioError: there is nothing to play, or a step that the suite doesn't know.
        UsageError: there is no such target, or several.
        WireError: the store can't be reached at all.
    """
    document = read(source)
    definitions = registered_steps(vocabulary)
    for scenario in document.scenarios:
        for pickle in scenario.pickles:
            for step in pickle.steps:
                definition(step, definitions)
    chosen = one_target(target, wire=True)
    chosen.prepare()
    connection = chosen.connect()
    try:
        hello = connection.hello()
        played = []
        for scenario in document.scenarios:
            needs = [tag.removeprefix(NEEDS) for tag in scenario.tags if tag.startswith(NEEDS)]
            missing = tuple(need for need in needs if need not in hello.capabilities)
            for place, pickle in enumerate(scenario.pickles, 1):
                row = f" [{place}]" if scenario.outline else ""
                title = scenario.title + row
                if not connection.alive:
                    connection.restart()
                played.append(
                    PlayedScenario(
                        title=title,
                        outcome=Outcome.UNSUPPORTED,
                        steps=tuple(_unplayed(step) for step in pickle.steps),
                        missing=missing,
                    )
                    if missing
                    else _scenario(title, pickle.steps, definitions, connection, hello)
                )
    finally:
        connection.close()
    return Played(
        target=chosen.name, store=f"{hello.name} {hello.version}", scenarios=tuple(played)
    )


def read(source: str) -> gherkin.FeatureDoc:
    """The scenarios of a text; what stands around them in a feature may be missing.

    Raises:
        ScenarioError: it is no Gherkin, or there is no step in it.
    """
    if not source.strip():
        raise ScenarioError("The cell is empty: write a scenario, such as “Given an empty store”.")
    before = 0
    if not _HEADED.search(source):
        if not _SCENARIO.search(source):
            source, before = f"Scenario: This cell\n{source}", 1
        source, before = f"Feature: This cell\n{source}", before + 1
    try:
        document = gherkin.parse(source, "cell")
    except gherkin.GherkinError as error:
        line = max(1, error.line - before)
        raise ScenarioError(f"Line {line} of the cell is no Gherkin: {error.message}") from error
    if not any(pickle.steps for scenario in document.scenarios for pickle in scenario.pickles):
        raise ScenarioError("There is no step in the cell: begin with “Given an empty store”.")
    return document


def one_target(text: str, *, wire: bool) -> Target:
    """The one target that a text names.

    Args:
        text: the TARGET string.
        wire: run what could run in process in a process of its own.

    Raises:
        UsageError: there is no such target, or several.
    """
    targets = resolve(text, wire=wire)
    if len(targets) != 1:
        names = ", ".join(target.name for target in targets)
        raise UsageError(f"{text!r} names several targets; choose among {names}.")
    return targets[0]


def definition(step: gherkin.Step, definitions: Sequence[StepDefinition]) -> StepDefinition:
    """The definition that serves a step.

    Raises:
        ScenarioError: there is none; the message names the nearest texts.
    """
    found = next((each for each in definitions if each.serves(step)), None)
    if found is not None:
        return found
    near = difflib.get_close_matches(step.text, vocabulary.VOCABULARY, n=3, cutoff=0.4)
    texts = "; ".join(f"“{text}”" for text in near or vocabulary.VOCABULARY[:3])
    raise ScenarioError(
        f"There is no step “{step.keyword} {step.text}”. Near it: {texts}. "
        "All of them: memconform.suite.steps.VOCABULARY."
    )


def _unplayed(step: gherkin.Step) -> PlayedStep:
    return PlayedStep(
        keyword=step.keyword, text=step.text, table=step.table or (), outcome="skipped"
    )


def _scenario(
    title: str,
    steps: Sequence[gherkin.Step],
    definitions: Sequence[StepDefinition],
    connection: Connection,
    hello: Hello,
) -> PlayedScenario:
    world = World(connection=connection, hello=hello)
    actions = [bound(step, definition(step, definitions), otherwise="given") for step in steps]
    begins: list[int] = []  # of each step that was reached, in the transcript
    broken = walk(actions, world, reached=lambda _: begins.append(len(connection.transcript)))
    ends = [*begins[1:], len(connection.transcript)]
    played: list[PlayedStep] = []
    outcome = Outcome.PASSED
    for place, (step, action) in enumerate(zip(steps, actions, strict=True)):
        if place >= len(begins):
            played.append(_unplayed(step))
            continue
        told: dict[str, Any] = {"outcome": "passed"}
        if broken is not None and broken.place == place:
            told, outcome = _failure(broken.error, action)
        played.append(
            PlayedStep(
                keyword=step.keyword,
                text=step.text,
                table=step.table or (),
                calls=tuple(connection.transcript[begins[place] : ends[place]]),
                **told,
            )
        )
    closing = _closing(world)
    if closing is not None and outcome is Outcome.PASSED:
        played.append(closing)
        outcome = Outcome.FAILED if closing.outcome == "failed" else Outcome.ERROR
    return PlayedScenario(title=title, outcome=outcome, steps=tuple(played))


def _failure(error: Exception, action: Action) -> tuple[dict[str, Any], Outcome]:
    """What a step that failed shows, and what becomes of its scenario."""
    if isinstance(error, (Disappointed, Unexpected)):
        outcome = Outcome.NOT_TESTABLE if action.type == "given" else Outcome.FAILED
        return {"outcome": "failed", "expected": error.expected, "seen": error.seen}, outcome
    if isinstance(error, NoTable):
        told = {"expected": "a table below the step", "seen": "there is none"}
    elif isinstance(error, WireError):
        told = {"expected": "an answer that keeps to the protocol", "seen": str(error)}
    else:
        told = {"expected": "the step to run", "seen": f"{type(error).__name__}: {error}"}
    return {"outcome": "error", **told}, Outcome.ERROR


def _closing(world: World) -> PlayedStep | None:
    """Close what was opened; a step of its own where that failed."""
    outcome: StepOutcome = "failed"
    try:
        told = closed(world)
    except WireError as error:
        outcome, told = "error", str(error)
    if not told:
        return None
    return PlayedStep(
        keyword="",
        text="closing the store",
        table=(),
        outcome=outcome,
        expected="the store to close",
        seen=told,
    )
