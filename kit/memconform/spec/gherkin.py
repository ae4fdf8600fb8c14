"""Gherkin features, read with the official parser and compiled with the official compiler.

What is read here is what is written, not what a runner makes of it: pytest-bdd keeps scenarios in
a dictionary by title and runs an outline without rows once, so the suite is audited from these
documents and not from pytest's collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gherkin.dialect import Dialect
from gherkin.errors import CompositeParserException, ParserException
from gherkin.parser import Parser
from gherkin.pickles.compiler import Compiler

from memconform.spec.findings import normalise, slugify

StepType = Literal["given", "when", "then"]

REQUIREMENT_TAG = "@req:"

_STEP_TYPES: dict[str, StepType] = {"Context": "given", "Action": "when", "Outcome": "then"}
_PLACEHOLDER = re.compile(r"<(.+?)>")
_COLUMN = re.compile(r"[A-Za-z][A-Za-z0-9_ -]*")


class GherkinError(ValueError):
    """A feature file that can't be read.

    Attributes:
        line: where, counted from 1.
    """

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag as written, ``@`` included."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """One step, as written or (in a pickle) with the example values put in.

    Attributes:
        keyword: as written, without the space after it: ``Given``, ``And``, ``*`` ...
        type: what And, But and ``*`` stand for, by the step before them in the same list; None
            where there is none before.
        table: rows of cells.
    """

    keyword: str
    type: StepType | None
    text: str
    table: tuple[tuple[str, ...], ...] | None
    docstring: str | None
    line: int

    def texts(self) -> Iterator[str]:
        """Every text of the step that an example value can be put into."""
        yield self.text
        for row in self.table or ():
            yield from row
        if self.docstring is not None:
            yield self.docstring


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """One row of an outline's tables.

    Attributes:
        number: from 1, counted through all tables of the outline.
        values: column and value, in order.
    """

    number: int
    values: tuple[tuple[str, str], ...]
    line: int


@dataclass(frozen=True, slots=True)
class Examples:
    """One table of an outline; no columns where there is no table at all."""

    tags: tuple[Tag, ...]
    columns: tuple[str, ...]
    rows: tuple[ExampleRow, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Pickle:
    """One run of a scenario, as the official compiler makes it.

    Attributes:
        row: the example row that it takes its values from, None without Examples.
        steps: background included, values put in.
        agrees: whether putting each value in once and only once, background included, as
            pytest-bdd does it, gives the same steps.
    """

    row: ExampleRow | None
    steps: tuple[Step, ...]
    agrees: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule's heading; its scenarios point to it."""

    title: str
    tags: tuple[Tag, ...]
    description: tuple[tuple[int, str], ...]
    line: int


@dataclass(frozen=True, slots=True)
class FeatureScenario:
    """A Scenario or Scenario Outline.

    Attributes:
        outline: whether its keyword says outline, whatever follows.
        own_tags: those written on itself.
        tags: the effective ones: of the feature, the rule and itself, each once, sorted.
        steps: its own, as written.
        background: steps of the feature's and the rule's background, as written.
        description: number and text of the lines between title and steps.
    """

    title: str
    rule: Rule | None
    outline: bool
    own_tags: tuple[Tag, ...]
    tags: tuple[str, ...]
    steps: tuple[Step, ...]
    background: tuple[Step, ...]
    examples: tuple[Examples, ...]
    pickles: tuple[Pickle, ...]
    description: tuple[tuple[int, str], ...]
    line: int

    @property
    def requirement(self) -> str | None:
        """``capability/slug`` of the only ``@req`` tag; None where there is none, or several."""
        found = [tag.removeprefix(REQUIREMENT_TAG) for tag in self.tags if is_requirement(tag)]
        return found[0] if len(found) == 1 and "/" in found[0] else None

    @property
    def id(self) -> str | None:
        """``capability/slug of the title``; None where the capability isn't known."""
        if self.requirement is None or not slugify(self.title):
            return None
        return f"{self.requirement.split('/')[0]}/{slugify(self.title)}"

    def ids(self) -> list[str]:
        """One id a pickle: the scenario's, with ``[n]`` for an example row."""
        if self.id is None:
            return []
        return [self.id if p.row is None else f"{self.id}[{p.row.number}]" for p in self.pickles]


@dataclass(frozen=True, slots=True)
class FeatureDoc:
    """One feature file.

    Attributes:
        path: how findings name the file.
        description: number and text of the lines under the feature's title and under those of its
            backgrounds.
        rules, scenarios: in their order in the file.
        source: the whole file, normalised.
    """

    path: str
    title: str
    tags: tuple[Tag, ...]
    rules: tuple[Rule, ...]
    scenarios: tuple[FeatureScenario, ...]
    description: tuple[tuple[int, str], ...]
    source: str
    line: int


def is_requirement(tag: str) -> bool:
    """Whether a tag names a requirement."""
    return tag.startswith(REQUIREMENT_TAG)


def parse(source: str, path: str) -> FeatureDoc:
    """Read one feature file.

    Raises:
        GherkinError: the text is no Gherkin, holds no Feature, or has an Examples column whose
            name can't be told from a pattern (the official compiler takes it for one).
    """
    source = normalise(source)
    try:
        document: Any = Parser().parse(source)
    except CompositeParserException as error:
        raise _unreadable(error.errors[0]) from error
    except ParserException as error:
        raise _unreadable(error) from error
    feature = document.get("feature")
    if feature is None:
        raise GherkinError("the file holds no Feature", 1)
    return _Reader(source, path, document).read()


def _unreadable(error: ParserException) -> GherkinError:
    words = re.sub(r"^\(\d+:\d+\): ", "", str(error))
    return GherkinError(words, error.location["line"])


class _Reader:
    """Turns one parsed document into our types."""

    def __init__(self, source: str, path: str, document: Any) -> None:
        self._source = source
        self._lines = source.split("\n")
        self._path = path
        self._feature = document["feature"]
        self._document = {**document, "uri": path}
        dialect = Dialect.for_name(self._feature["language"])
        self._outline_words = dialect.scenario_outline_keywords if dialect else []
        self._types: dict[str, StepType | None] = {}
        self._written: dict[str, Step] = {}
        self._rows: dict[str, ExampleRow] = {}
        self._pickles: dict[str, list[Any]] = {}

    def read(self) -> FeatureDoc:
        feature = self._feature
        self._check_columns()
        for pickle in Compiler().compile(self._document):  # type: ignore[arg-type] # plain JSON here
            self._pickles.setdefault(pickle["astNodeIds"][0], []).append(pickle)
        tags = _tags(feature)
        rules: list[Rule] = []
        scenarios: list[FeatureScenario] = []
        description = list(self._description(feature))
        background: tuple[Step, ...] = ()
        for child in feature["children"]:
            if "background" in child:
                background = self._steps(child["background"]["steps"])
                description += self._description(child["background"])
            elif "scenario" in child:
                scenarios.append(self._scenario(child["scenario"], tags, None, background))
            else:
                rule = self._rule(child["rule"])
                rules.append(rule)
                inner = background
                for part in child["rule"]["children"]:
                    if "background" in part:
                        inner = background + self._steps(part["background"]["steps"])
                        description += self._description(part["background"])
                    else:
                        scenarios.append(self._scenario(part["scenario"], tags, rule, inner))
        return FeatureDoc(
            path=self._path,
            title=feature["name"],
            tags=tags,
            rules=tuple(rules),
            scenarios=tuple(scenarios),
            description=tuple(description),
            source=self._source,
            line=feature["location"]["line"],
        )

    def _check_columns(self) -> None:
        """The compiler puts a column's name into a pattern as it stands, so it must be a word."""
        for scenario in _all_scenarios(self._feature):
            for examples in scenario["examples"]:
                header = examples.get("tableHeader")
                for cell in header["cells"] if header else ():
                    if not _COLUMN.fullmatch(cell["value"]):
                        raise GherkinError(
                            f"the Examples column {cell['value']!r} needs a name of ASCII letters, "
                            "digits, spaces, '_' and '-' that begins with a letter",
                            cell["location"]["line"],
                        )

    def _rule(self, rule: Any) -> Rule:
        return Rule(
            title=rule["name"],
            tags=_tags(rule),
            description=tuple(self._description(rule)),
            line=rule["location"]["line"],
        )

    def _scenario(
        self, scenario: Any, inherited: tuple[Tag, ...], rule: Rule | None, before: tuple[Step, ...]
    ) -> FeatureScenario:
        own = _tags(scenario)
        everything = (*inherited, *(rule.tags if rule else ()), *own)
        steps = self._steps(scenario["steps"])
        examples = self._examples(scenario["examples"])
        return FeatureScenario(
            title=scenario["name"],
            rule=rule,
            outline=scenario["keyword"] in self._outline_words,
            own_tags=own,
            tags=tuple(sorted({tag.name for tag in everything})),
            steps=steps,
            background=before,
            examples=examples,
            pickles=tuple(
                self._pickle(pickle, (*before, *steps) if steps else ())
                for pickle in self._pickles.get(scenario["id"], ())
            ),
            description=tuple(self._description(scenario)),
            line=scenario["location"]["line"],
        )

    def _steps(self, steps: Sequence[Any]) -> tuple[Step, ...]:
        found: list[Step] = []
        current: StepType | None = None
        for step in steps:
            current = _STEP_TYPES.get(step["keywordType"], current)
            table, docstring = step.get("dataTable"), step.get("docString")
            read = Step(
                keyword=step["keyword"].strip(),
                type=current,
                text=step["text"],
                table=_cells(table["rows"]) if table else None,
                docstring=docstring["content"] if docstring else None,
                line=step["location"]["line"],
            )
            self._written[step["id"]] = read
            found.append(read)
        return tuple(found)

    def _examples(self, tables: Sequence[Any]) -> tuple[Examples, ...]:
        found: list[Examples] = []
        number = 0
        for table in tables:
            header = table.get("tableHeader")
            columns = tuple(cell["value"] for cell in header["cells"]) if header else ()
            rows: list[ExampleRow] = []
            for row in table.get("tableBody") or ():
                number += 1
                values = zip(columns, (cell["value"] for cell in row["cells"]), strict=True)
                rows.append(ExampleRow(number, tuple(values), row["location"]["line"]))
                self._rows[row["id"]] = rows[-1]
            line = table["location"]["line"]
            found.append(Examples(_tags(table), columns, tuple(rows), line))
        return tuple(found)

    def _pickle(self, pickle: Any, written: tuple[Step, ...]) -> Pickle:
        ids = pickle["astNodeIds"]
        row = self._rows[ids[1]] if len(ids) > 1 else None
        steps = tuple(self._pickled(step) for step in pickle["steps"])
        return Pickle(row, steps, steps == tuple(fill(step, row) for step in written))

    def _pickled(self, step: Any) -> Step:
        written = self._written[step["astNodeIds"][0]]
        argument = step.get("argument", {})
        table, docstring = argument.get("dataTable"), argument.get("docString")
        return Step(
            keyword=written.keyword,
            type=written.type,
            text=step["text"],
            table=_cells(table["rows"]) if table else None,
            docstring=docstring["content"] if docstring else None,
            line=written.line,
        )

    def _description(self, node: Any) -> Iterator[tuple[int, str]]:
        """Number and text of the lines of a description.

        The parser gives the text alone. Comments are left out of it, so its lines are looked for
        one after the other from the title on.
        """
        number = node["location"]["line"]
        for text in (node.get("description") or "").split("\n"):
            if not text.strip():
                continue
            while self._lines[number].strip() != text.strip():
                number += 1
            number += 1
            yield number, text.strip()


def fill(step: Step, row: ExampleRow | None) -> Step:
    """A step with the values of a row, each ``<column>`` replaced once, unknown ones left."""
    values = dict(row.values) if row else {}

    def put(text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)

    return Step(
        keyword=step.keyword,
        type=step.type,
        text=put(step.text),
        table=tuple(tuple(put(cell) for cell in cells) for cells in step.table)
        if step.table is not None
        else None,
        docstring=put(step.docstring) if step.docstring is not None else None,
        line=step.line,
    )


def placeholders(texts: Iterable[str]) -> set[str]:
    """What stands in pointed brackets and could be a column's name."""
    found = {name for text in texts for name in _PLACEHOLDER.findall(text)}
    return {name for name in found if _COLUMN.fullmatch(name)}


def _all_scenarios(feature: Any) -> Iterator[Any]:
    for child in feature["children"]:
        if "scenario" in child:
            yield child["scenario"]
        for part in child["rule"]["children"] if "rule" in child else ():
            if "scenario" in part:
                yield part["scenario"]


def _tags(node: Any) -> tuple[Tag, ...]:
    return tuple(Tag(tag["name"], tag["location"]["line"]) for tag in node["tags"])


def _cells(rows: Sequence[Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(cell["value"] for cell in row["cells"]) for row in rows)
