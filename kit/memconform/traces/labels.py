"""Judgements: which memories are relevant to a query, which forbidden, and that none is relevant.

Three kinds of files are read:

- TREC qrels: ``topic 0 document grade``, a grade above 0 being relevant, below 0 forbidden;
- a table (CSV or Parquet) with ``query_id``, ``memory_id``, ``grade`` and, where known,
  ``category``, ``split``, ``language``; an empty ``memory_id`` says only that the query was judged;
- JSON, lines or a list, of objects with ``queryId`` (or ``query``, whose hash is meant),
  ``relevant`` and ``forbidden`` (lists of ids, or ids with grades) and ``category``, ``split``,
  ``language``. The queries of an evaluation dataset are such objects, too.

A query that is judged and has no relevant memory expects that nothing is selected. Judgements are
few and are held in memory whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from memconform.traces.batch import Refused
from memconform.traces.blocks import TooLong, blocks
from memconform.traces.documents import Document, documents
from memconform.traces.errors import TraceError
from memconform.traces.ids import query_id
from memconform.traces.schema import FORBIDDEN
from memconform.traces.store import literal
from memconform.traces.write import write_table

QRELS_FIELDS = 4
_KINDS = ("category", "split", "language")
_INT32 = 2**31


@dataclass(frozen=True)
class Judgement:
    """One thing that a file says: about a query, and perhaps about a memory for it."""

    query: str
    memory: str | None = None
    grade: int = 0
    said: dict[str, str] = field(default_factory=dict)  # of category, split, language


@dataclass
class Labels:
    """All judgements of a store: grades by query and memory, and what is known of each query."""

    folder: Path
    grades: dict[tuple[str, str], int]
    queries: dict[str, dict[str, str]]

    @classmethod
    def of(cls, folder: Path) -> Labels:
        """Those that a store has already."""
        grades: dict[tuple[str, str], int] = {}
        queries: dict[str, dict[str, str]] = {}
        path = folder / "labels.parquet"
        if path.is_file():
            for row in pq.read_table(path).to_pylist():
                grades[row["query_id"], row["memory_id"]] = row["grade"]
        path = folder / "query_labels.parquet"
        if path.is_file():
            for row in pq.read_table(path).to_pylist():
                queries[row["query_id"]] = {
                    name: row[name] for name in _KINDS if row[name] is not None
                }
        return cls(folder, grades, queries)

    def merged(self, path: Path) -> tuple[int, int, list[Refused]]:
        """Take a file's judgements in: how many were new, known already, and refused.

        One that contradicts what is there, or what the file has said before, is refused.

        Raises:
            TraceError: the file isn't there or can't be read at all.
        """
        return self.taken(str(path), _judgements(path))

    def taken(
        self, source: str, judgements: Iterable[tuple[int, Judgement | str]]
    ) -> tuple[int, int, list[Refused]]:
        """The same of judgements that are read already.

        Args:
            source: the file that they come from.
            judgements: line or row, and what it says or why it says nothing.
        """
        added = known = 0
        refused: list[Refused] = []
        for number, told in judgements:
            reason = told if isinstance(told, str) else self._contradiction(told)
            if reason is not None:
                refused.append(Refused(source, number, reason))
            elif isinstance(told, Judgement):
                if self._take(told):
                    added += 1
                else:
                    known += 1
        return added, known, refused

    def write(self) -> None:
        """Put them into the store, in an order of their own."""
        relevant = {query for (query, _), grade in self.grades.items() if grade > 0}
        rows = sorted(self.grades.items())
        names = sorted(self.queries)
        write_table(
            self.folder / "labels.parquet",
            pa.table(
                {
                    "query_id": pa.array([query for (query, _), _ in rows], pa.string()),
                    "memory_id": pa.array([memory for (_, memory), _ in rows], pa.string()),
                    "grade": pa.array([grade for _, grade in rows], pa.int32()),
                }
            ),
        )
        write_table(
            self.folder / "query_labels.parquet",
            pa.table(
                {
                    "query_id": pa.array(names, pa.string()),
                    **{
                        kind: pa.array([self.queries[n].get(kind) for n in names], pa.string())
                        for kind in _KINDS
                    },
                    "expects_nothing": pa.array([n not in relevant for n in names], pa.bool_()),
                }
            ),
        )

    def _contradiction(self, told: Judgement) -> str | None:
        if not told.query:
            return "it names no query"
        if not -_INT32 <= told.grade < _INT32:
            return "the grade is too large"
        there = self.queries.get(told.query, {})
        for kind, value in told.said.items():
            if there.get(kind, value) != value:
                return f"the query has the {kind} {there[kind][:60]!r} already"
        if told.memory is not None:
            grade = self.grades.get((told.query, told.memory), told.grade)
            if grade != told.grade:
                return f"the memory has the grade {grade} for this query already"
        return None

    def _take(self, told: Judgement) -> bool:
        there = self.queries.setdefault(told.query, {})
        before = dict(there)
        there.update(told.said)
        if told.memory is None:
            return there != before
        new = (told.query, told.memory) not in self.grades
        self.grades[told.query, told.memory] = told.grade
        return new


def _judgements(path: Path) -> Iterator[tuple[int, Judgement | str]]:
    """Line or row, and what it says or why it says nothing."""
    if not path.is_file():
        raise TraceError(f"{path} isn't there; name a file of judgements.")
    if path.suffix in (".csv", ".tsv", ".parquet"):
        yield from _of_table(path)
    elif path.suffix in (".json", ".jsonl", ".ndjson"):
        for document in documents(path):
            if isinstance(document, Refused):
                yield document.line, document.reason
            else:
                yield from _of_document(document)
    else:
        yield from _of_qrels(path)


def _of_qrels(path: Path) -> Iterator[tuple[int, Judgement | str]]:
    for block in blocks(path, 1 << 22):
        if isinstance(block, TooLong):
            yield block.number, "it is too long"
            continue
        for number, data in block.lines():
            fields = data.decode("utf-8", "replace").split()
            grade = _whole(fields[3]) if len(fields) == QRELS_FIELDS else None
            if grade is None:
                yield number, "it is not topic, 0, document and a whole grade"
            else:
                yield number, Judgement(fields[0], fields[2], max(grade, FORBIDDEN))


def _of_table(path: Path) -> Iterator[tuple[int, Judgement | str]]:
    reading = (
        f"read_parquet({literal(path)})"
        if path.suffix == ".parquet"
        else f"read_csv({literal(path)}, all_varchar = true, header = true)"
    )
    try:
        with duckdb.connect() as connection:
            table = connection.sql(f"FROM {reading}").to_arrow_table()
    except duckdb.Error as error:
        raise TraceError(f"{path} can't be read: {str(error).splitlines()[0]}.") from error
    missing = [
        name for name in ("query_id", "memory_id", "grade") if name not in table.schema.names
    ]
    if missing:
        raise TraceError(
            f"{path} has no column {missing[0]}; see docs/traces.md for what it needs."
        )
    for number, row in enumerate(table.to_pylist(), start=1):
        memory, grade = row["memory_id"], _whole(row["grade"])
        if memory in (None, ""):
            memory, grade = None, 0
        if row["query_id"] in (None, ""):
            yield number, "query_id is empty"
        elif grade is None:
            yield number, "grade is no whole number"
        else:
            said = {kind: str(row[kind]) for kind in _KINDS if row.get(kind) not in (None, "")}
            memory = None if memory is None else str(memory)
            yield number, Judgement(str(row["query_id"]), memory, max(grade, FORBIDDEN), said)


class _Query(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    query_id: str | None = None
    query: str | None = None
    relevant: dict[str, int] | list[str] = []
    forbidden: list[str] = []
    expected_ids: list[str] = []  # as evaluation datasets call the two
    forbidden_ids: list[str] = []
    category: str | None = None
    split: str | None = None
    language: str | None = None


def _of_document(document: Document) -> Iterator[tuple[int, Judgement | str]]:
    try:
        told = msgspec.convert(document.value, _Query)
    except msgspec.ValidationError as error:
        yield document.number, f"it is no judgement: {error}"
        return
    if told.query_id is None and told.query is None:
        yield document.number, "it has neither queryId nor query"
        return
    name = told.query_id if told.query_id is not None else query_id(told.query or "")
    said: dict[str, Any] = {kind: getattr(told, kind) for kind in _KINDS}
    yield document.number, Judgement(name, said={k: v for k, v in said.items() if v is not None})
    relevant = told.relevant
    grades = relevant if isinstance(relevant, dict) else dict.fromkeys(relevant, 1)
    for memory, grade in {**grades, **dict.fromkeys(told.expected_ids, 1)}.items():
        yield document.number, Judgement(name, memory, max(grade, FORBIDDEN))
    for memory in (*told.forbidden, *told.forbidden_ids):
        yield document.number, Judgement(name, memory, FORBIDDEN)


def _whole(value: Any) -> int | None:
    try:
        number = float(value)
        return int(number) if number == int(number) else None
    except (TypeError, ValueError, OverflowError):
        return None
