"""What was found in the workbench as files that the command line takes.

A configuration is a TARGET, a fixture is a dataset, a scenario is Gherkin::

    memconform evaluate python:chosen:factory --dataset cases
    memconform certify python:chosen:factory

Traces hold no text, so fixtures and scenarios take theirs from the dataset whose queries were
asked: a trace's query id is the hash of the query, or the id that the dataset gives it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memconform.evaluation.dataset import (
    MANIFEST,
    QUERIES,
    RECORDS,
    SCHEMA_VERSION,
    Category,
    Counts,
    Dataset,
    DatasetRecord,
    Language,
    Manifest,
    Query,
    Split,
)
from memconform.model import to_plain
from memconform.sweep import Flip, Floors
from memconform.traces import query_id
from memconform.verdict.words import number


class SaveError(ValueError):
    """The files can't be written; the message says what is missing."""


@dataclass(frozen=True)
class Saved:
    """What was written, and the command that takes it."""

    paths: tuple[Path, ...]
    command: str


# --- a configuration -------------------------------------------------------------------------


def configuration(path: Path, floors: Floors, *, told: str) -> Saved:
    """A Python file whose factory is the kit's file store with these floors.

    Args:
        path: the file, a Python name with ``.py``; it may exist.
        floors: the two floors.
        told: how they were chosen, in a sentence; stands in the file.

    Raises:
        SaveError: the path is no name of a module, or can't be written.
    """
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise SaveError(f"{path.name} can't be imported; name it like chosen_floors.py.")
    # The words become a comment: one line each, whatever is in them.
    comment = "\n".join(f"# {line}".rstrip() for line in told.splitlines() or [""])
    source = f'''"""A memory store with floors that were chosen in the workbench."""

from dataclasses import replace

from memconform.reference.filesystem import factory as filesystem
from memconform.retrieval import FOUNDATION, Pipeline

{comment}
CHOSEN = replace(FOUNDATION, floor={floors.latin!r}, cjk_floor={floors.cjk!r})


def factory():
    return filesystem(Pipeline(constants=CHOSEN))
'''
    _write(path, source)
    return Saved((path,), f"memconform evaluate python:{path.stem}:factory --dataset anonymous-v1")


# --- a fixture -------------------------------------------------------------------------------


def cases_of(flips: Iterable[Flip], dataset: Dataset) -> list[tuple[Query, list[str]]]:
    """The dataset's queries that were asked in these retrievals, each once, and who moved there.

    A retrieval whose query isn't the dataset's, such as one that nobody has judged, is no case.

    Raises:
        SaveError: none of them is.
    """
    known = {query.id: query for query in dataset.queries}
    known |= {query_id(query.query): query for query in dataset.queries}
    found: dict[str, tuple[Query, list[str]]] = {}
    total = 0
    for flip in flips:
        total += 1
        query = known.get(flip.query_id)
        if query is not None:
            ids = [each.memory_id for each in (*flip.left, *flip.came)]
            found.setdefault(query.id, (query, []))[1].extend(ids)
    if not total:
        raise SaveError("There is no case to save: at these floors nothing flips.")
    if not found:
        raise SaveError(
            f"None of the {number(total, 'query', 'queries')} that flip is one of {dataset.name}, "
            "and traces without texts hold none; give the dataset whose queries were asked."
        )
    return list(found.values())


def fixture(folder: Path, flips: Sequence[Flip], dataset: Dataset, *, name: str) -> Saved:
    """A dataset of the cases alone, over all memories of the dataset that they come from.

    Args:
        folder: made if need be; files of these names in it are replaced.
        flips: the cases.
        dataset: whose queries they are.
        name: of the new dataset.

    Raises:
        SaveError: there are no cases, none is the dataset's, or the folder can't be written.
    """
    queries = [query for query, _ in cases_of(flips, dataset)]
    contents = {
        RECORDS: _json(dataset.records),
        QUERIES: _json(queries),
    }
    splits = Counter(query.split for query in queries)
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        name=name,
        description=f"{number(len(queries), 'case')} of {dataset.name}, saved in the workbench.",
        evaluation_time=dataset.now,
        counts=Counts(
            records=len(dataset.records),
            development=splits["development"],
            holdout=splits["holdout"],
        ),
        quotas=_quotas(queries),
        files={file: hashlib.sha256(text.encode()).hexdigest() for file, text in contents.items()},
    )
    contents[MANIFEST] = json.dumps(to_plain(manifest), indent=2, ensure_ascii=False) + "\n"
    paths = tuple(folder / file for file in contents)
    for path, text in zip(paths, contents.values(), strict=True):
        _write(path, text)
    return Saved(paths, f"memconform evaluate reference:filesystem --dataset {folder}")


def _quotas(queries: Sequence[Query]) -> dict[Split, dict[Category, dict[Language, int]]]:
    found: dict[Split, dict[Category, dict[Language, int]]] = {}
    for query in queries:
        of_category = found.setdefault(query.split, {}).setdefault(query.category, {})
        of_category[query.language] = of_category.get(query.language, 0) + 1
    return found


def _json(items: Sequence[DatasetRecord] | Sequence[Query]) -> str:
    lines = [json.dumps(to_plain(item), ensure_ascii=False) for item in items]
    return "[\n" + ",\n".join(lines) + "\n]\n"


# --- a scenario ------------------------------------------------------------------------------


def scenarios(flips: Sequence[Flip], dataset: Dataset) -> str:
    """The cases as Gherkin, in the suite's own steps.

    Each has the memories that moved or that the query is labelled with, so it says what it is
    about and nothing else; coverage looks at no other memory, so the answer is the same. What is
    expected is what the labels say, not what a floor gave.

    Raises:
        SaveError: there are no cases, or none is the dataset's.
    """
    records = {record.id: record for record in dataset.records}
    parts = ["Feature: Cases saved in the workbench"]
    for query, moved in cases_of(flips, dataset):
        named = [*query.expected_ids, *query.forbidden_ids, *moved]
        chosen = [records[id] for id in dict.fromkeys(named) if id in records]
        parts.append("\n".join(_scenario(query, chosen, dataset.now)))
    return "\n\n".join(parts) + "\n"


def save_scenarios(path: Path, flips: Sequence[Flip], dataset: Dataset) -> Saved:
    """The cases as a feature file.

    Raises:
        SaveError: as ``scenarios``, or the file can't be written.
    """
    _write(path, scenarios(flips, dataset))
    return Saved((path,), "%%scenario TARGET, with the file's text in the cell")


_FIELDS = ("scope", "workspace", "project", "type", "tags", "updatedAt")


def _scenario(query: Query, records: Sequence[DatasetRecord], now: str) -> list[str]:
    rows = [["key", "content", *_FIELDS]]
    for record in records:
        plain = to_plain(record.draft())
        rows.append([record.id, _text(record.content), *(_value(plain.get(f)) for f in _FIELDS)])
    lines = [
        "  @needs:clock @needs:workspaces",
        f"  Scenario: {_line(query.id)}: {_line(query.rationale)}",
        "    Given an empty store with:",
        f"      | clock | {now} |",
        "    And these memories are written:",
        *_table(rows),
    ]
    asked = f'    When "{_line(query.query)}" is recalled'
    place = [[f, _value(v)] for f, v in to_plain(query.access).items() if v is not None]
    lines += [f"{asked} with:", *_table(place)] if place else [asked]
    if not query.expected_ids:
        return [*lines, "    Then nothing is found"]
    return [*lines, "    Then these are found:", *_table([[id] for id in query.expected_ids])]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"      | {' | '.join(_cell(cell) for cell in row)} |" for row in rows]


def _cell(text: str) -> str:
    # As Gherkin spells them within a table.
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", "\\n")


def _text(text: str) -> str:
    """A text as a cell of texts: quoted where white space or quotes would be lost."""
    plain = text == text.strip() and not text.startswith('"') and "{" not in text
    return text if plain else json.dumps(text, ensure_ascii=False).replace("{", "\\u007b")


def _value(value: object) -> str:
    if value is None or value in ([], ()):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _line(text: str) -> str:
    return " ".join(text.split())


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SaveError(f"{path} can't be written: {error.strerror}.") from error
