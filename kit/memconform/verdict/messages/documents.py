"""The features that a report is about, as the official parser and compiler see them.

A pickle belongs to a result by identity: the capability of its ``@req`` tag, the slug of its
scenario's title, the number of its example row. What the features at hand don't hold, because a
feature was changed or can't be read, is told by ``as_reported`` instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gherkin.ast_builder import AstBuilder
from gherkin.errors import ParserError
from gherkin.parser import Parser
from gherkin.pickles.compiler import Compiler
from gherkin.stream.id_generator import IdGenerator

from memconform.model.report import ScenarioResult
from memconform.spec.findings import normalise, slugify
from memconform.spec.gherkin import REQUIREMENT_TAG

Message = dict[str, Any]
MEDIA_TYPE = "text/x.cucumber.gherkin+plain"


@dataclass(frozen=True, slots=True)
class Document:
    """One feature.

    Attributes:
        source, document: the bodies of its two messages.
        pickles: the bodies of theirs, by the id of the scenario, which is that of the pickle too.
    """

    source: Message
    document: Message
    pickles: dict[str, Message]


class Ids(IdGenerator):
    """Numbers within one feature, behind its name, so that no two features share one."""

    def __init__(self, feature: str) -> None:
        super().__init__()
        self._feature = feature

    def get_next_id(self) -> str:
        """The next one."""
        return f"{self._feature}:{super().get_next_id()}"


def documents(features: Path, profiles: Iterable[str]) -> Iterator[Document]:
    """The features of some profiles, by profile and file; those that can't be read are left out.

    Args:
        features: the folder that holds ``<profile>/*.feature``.
        profiles: names of its folders.
    """
    for profile in dict.fromkeys(profiles):
        for file in sorted(features.glob(f"{profile}/*.feature")):
            try:
                source = normalise(file.read_text(encoding="utf-8"))
                yield _read(source, f"features/{profile}/{file.name}", f"{profile}/{file.stem}")
            # A column's name goes into a pattern as it stands, hence the last one.
            except (OSError, UnicodeDecodeError, ParserError, re.error):
                continue


def _read(source: str, uri: str, name: str) -> Document:
    ids = Ids(name)
    parsed: Any = Parser(AstBuilder(ids)).parse(source)
    document: Message = {"uri": uri, **parsed}
    compiled: Any = Compiler(ids).compile(document)  # type: ignore[arg-type] # plain JSON here
    names, rows = {}, {}
    for scenario in _scenarios(document.get("feature")):
        names[scenario["id"]] = scenario["name"]
        tables = (table.get("tableBody", ()) for table in scenario["examples"])
        numbered = enumerate((row["id"] for table in tables for row in table), 1)
        rows.update({row: number for number, row in numbered})
    pickles: dict[str, Message] = {}
    for pickle in compiled:
        scenario, *row = pickle["astNodeIds"]
        id = _identity(pickle["tags"], names[scenario], rows[row[0]] if row else None)
        if id is not None:
            pickles.setdefault(id, {**pickle, "id": id})
    return Document({"uri": uri, "data": source, "mediaType": MEDIA_TYPE}, document, pickles)


def _scenarios(feature: Any) -> Iterator[Any]:
    for child in (feature or {}).get("children", ()):
        inner = child["rule"]["children"] if "rule" in child else (child,)
        for part in inner:
            if "scenario" in part:
                yield part["scenario"]


def _identity(tags: Sequence[Message], title: str, row: int | None) -> str | None:
    """The id of a scenario; null where its tags don't say which requirement it belongs to."""
    found = {t["name"] for t in tags if t["name"].startswith(REQUIREMENT_TAG)}
    capability, slash, _ = "".join(found).removeprefix(REQUIREMENT_TAG).partition("/")
    if len(found) != 1 or not slash or not slugify(title):
        return None
    id = f"{capability}/{slugify(title)}"
    return id if row is None else f"{id}[{row}]"


def tells_of(pickle: Message, result: ScenarioResult) -> bool:
    """Whether the steps of a pickle are those that were run; nothing speaks against it if none."""
    if not result.steps:
        return True
    return [_text(step) for step in pickle["steps"]] == [step.text for step in result.steps]


def _text(step: Message) -> str:
    """A step as a report has it: its table and its text below its words."""
    argument = step.get("argument", {})
    lines = [step["text"]]
    rows = argument.get("dataTable", {}).get("rows", ())
    lines += ["  | " + " | ".join(cell["value"] for cell in row["cells"]) + " |" for row in rows]
    if "docString" in argument:
        lines.append(f'  """{argument["docString"]["content"]}"""')
    return "\n".join(lines)
