"""Reads tables, CSV or Parquet, one row a candidate, by a mapping of their columns.

DuckDB casts, sorts the rows of a retrieval together (on disk where there are many), and hands them
over in portions. A value that can't be cast refuses its retrieval; a row of a CSV file that can't
be split into columns is refused by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from memconform.traces.batch import (
    FEATURES,
    Batch,
    Found,
    Refused,
    candidate_input,
    retrieval_input,
)
from memconform.traces.errors import TraceError
from memconform.traces.ids import ID_DIGITS, query_id, wire_name
from memconform.traces.lines import language_of
from memconform.traces.mapping import KNOWN, Mapping
from memconform.traces.read_log import MEMORY_LIMIT
from memconform.traces.store import literal, quoted

ROWS = 200_000
_NEEDED = ("memory_id", "final_score")


class TableReader:
    """Reads one table.

    Args:
        path: a CSV file with a header, or Parquet.
        scratch: a folder for what doesn't fit into memory.
        mapping: which column is what; null takes those of our own names.
        with_text: keep queries and contents.

    Raises:
        TraceError: the file can't be read, or a column that is needed isn't there.
    """

    def __init__(
        self, path: Path, scratch: Path, *, mapping: Mapping | None, with_text: bool
    ) -> None:
        self._path = path
        self._mapping = mapping or Mapping()
        self._with_text = with_text
        self._connection = duckdb.connect()
        for setting in (
            f"memory_limit = '{MEMORY_LIMIT}'",
            f"temp_directory = {quoted(str(scratch / 'sorting'))}",
            "TimeZone = 'UTC'",
        ):
            self._connection.execute(f"SET {setting}")
        self._parquet = path.suffix == ".parquet"
        try:
            self._types = self._columns()
        except duckdb.Error as error:
            raise TraceError(f"{path} can't be read: {_first_line(error)}.") from error
        self._sources = self._found_columns()
        self._key = self._found_key()

    @property
    def size(self) -> int:
        """How many rows there are."""
        try:
            found = self._connection.execute(f"SELECT count(*) FROM {self._reading()}").fetchall()  # noqa: S608 - a quoted path
        except duckdb.Error as error:
            raise TraceError(f"{self._path} can't be read: {_first_line(error)}.") from error
        return int(found[0][0])

    def read(self) -> Generator[Found]:
        """Every retrieval, sorted by what tells one from another."""
        position, rest = 0, None
        try:
            for rows in self._sorted().to_arrow_reader(ROWS):
                table = pa.Table.from_batches([rows])
                position += len(table)
                table = table if rest is None else pa.concat_tables([rest, table])
                starts = _starts(table)
                # The last retrieval may go on in the next portion.
                end = int(starts[-1]) if len(starts) else 0
                rest = table.slice(end)
                if end:
                    yield self._found(table.slice(0, end).combine_chunks(), position)
            if rest is not None and len(rest):
                yield self._found(rest.combine_chunks(), position)
            yield Found((), tuple(self._unsplit()), position)
        except duckdb.Error as error:
            raise TraceError(f"{self._path} can't be read: {_first_line(error)}.") from error
        finally:
            self._connection.close()

    # --- what there is -----------------------------------------------------------------------

    def _reading(self, *, rejects: bool = False) -> str:
        if self._parquet:
            return f"read_parquet({literal(self._path)})"
        how = ", store_rejects = true" if rejects else ", ignore_errors = true"
        return f"read_csv({literal(self._path)}, all_varchar = true, header = true{how})"

    def _columns(self) -> dict[str, str]:
        described = self._connection.execute(f"DESCRIBE FROM {self._reading()}").fetchall()
        return {row[0]: row[1] for row in described}

    def _found_columns(self) -> dict[str, str]:
        """Our name of each column that there is, and its name in the table."""
        wanted = {name: name for name in KNOWN if name in self._types}
        wanted.update(self._mapping.columns)
        for name in self._mapping.values:
            wanted.pop(name, None)
        for ours, theirs in wanted.items():
            if theirs not in self._types:
                raise TraceError(
                    f"{self._path} has no column {theirs!r}, which the mapping gives for {ours}; "
                    f"it has {', '.join(self._types)}."
                )
        missing = [name for name in _NEEDED if name not in wanted]
        if not {"query_id", "query_text"} & {*wanted, *self._mapping.values}:
            missing.append("query_id")
        if missing:
            raise TraceError(
                f"{self._path} has no column {missing[0]}; say which one it is with "
                f"--mapping FILE.toml. It has {', '.join(self._types)}."
            )
        return wanted

    def _found_key(self) -> list[str]:
        """The columns of the table that tell one retrieval from another."""
        by = list(self._mapping.retrieval.by)
        for name in by:
            if name not in self._types:
                raise TraceError(
                    f"{self._path} has no column {name!r}, which the mapping has under by; "
                    f"it has {', '.join(self._types)}."
                )
        if by:
            return by
        if "retrieval_id" in self._sources:
            return [self._sources["retrieval_id"]]
        query = "query_id" if "query_id" in self._sources else "query_text"
        return [self._sources[name] for name in (query, "timestamp") if name in self._sources]

    def _sorted(self) -> duckdb.DuckDBPyRelation:
        key = ", ".join(f"{_name(name)}::VARCHAR" for name in self._key)
        fields = (*retrieval_input(), *candidate_input())
        chosen = [f"[{key}] AS key", "row", *map(self._value, fields)]
        order = (
            "TRY_CAST(" + _name(self._sources["rank"]) + " AS DOUBLE), "
            if ("rank" in self._sources)
            else ""
        )
        # Names are quoted, values are literals.
        return self._connection.sql(
            f"SELECT {', '.join(chosen)} FROM "  # noqa: S608
            f"(SELECT *, row_number() OVER () AS row FROM {self._reading(rejects=True)}) "
            f"ORDER BY key, {order}row"
        )

    def _value(self, field: pa.Field) -> str:
        """The expression of one of our columns, and whether its cast failed."""
        name = field.name
        if name in self._mapping.values:
            value = self._mapping.values[name]
            given = quoted(value if isinstance(value, str) else json.dumps(value))
        elif name in self._sources:
            given = _name(self._sources[name])
        else:
            return f"NULL::{_sql(field.type)} AS {name}"
        if name == "content" and not self._with_text:
            return f"NULL::VARCHAR AS {name}"
        if name == "timestamp":
            return (
                f"strftime(TRY_CAST({given} AS TIMESTAMPTZ) AT TIME ZONE 'UTC', "
                f"'%Y-%m-%dT%H:%M:%S.%gZ') AS {name}, {_failed(given, 'TIMESTAMPTZ', name)}"
            )
        if pa.types.is_string(field.type):
            return f"{given}::VARCHAR AS {name}"
        type = _sql(field.type)
        return f"TRY_CAST({given} AS {type}) AS {name}, {_failed(given, type, name)}"

    # --- what is made of it ------------------------------------------------------------------

    def _found(self, table: pa.Table, position: int) -> Found:
        starts = _starts(table)
        counts = np.diff(np.append(starts, len(table)))
        heads = table.take(pa.array(starts))
        # A retrieval that found nothing is one row without a memory.
        empty = _lacks(heads["memory_id"]) & (counts == 1)
        kept = np.repeat(~empty, counts)
        batch = Batch(
            str(self._path),
            np.asarray(heads["row"].to_numpy(), dtype=np.int64),
            np.where(empty, 0, counts),
            _chosen(heads, retrieval_input()),
            _chosen(table, candidate_input()).filter(pa.array(kept)),
        )
        batch = self._identified(batch, heads["key"].to_pylist())
        wrong, refused = self._uncast(table, starts, empty)
        return Found((batch.only(~wrong),), tuple(refused), position)

    def _identified(self, batch: Batch, keys: list[list[str]]) -> Batch:
        """With the ids that the table has not, made of what it has."""
        retrievals = batch.retrievals
        texts = retrievals["query_text"].to_pylist()
        queries = [
            id if id is not None or text is None else query_id(text)
            for id, text in zip(retrievals["query_id"].to_pylist(), texts, strict=True)
        ]
        languages = [
            known if known is not None or text is None else language_of(text)
            for known, text in zip(retrievals["language"].to_pylist(), texts, strict=True)
        ]
        columns = {
            "query_id": queries,
            "language": languages,
            "query_text": texts if self._with_text else [None] * len(texts),
        }
        if retrievals["retrieval_id"].null_count:
            columns["retrieval_id"] = _made_ids(batch, keys)
        for name, values in columns.items():
            place = retrievals.schema.get_field_index(name)
            retrievals = retrievals.set_column(place, name, pa.array(values, pa.string()))
        return Batch(batch.source, batch.lines, batch.counts, retrievals, batch.candidates)

    def _uncast(
        self, table: pa.Table, starts: NDArray[np.int64], empty: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], list[Refused]]:
        """The retrievals with a value that could not be cast, and the first of each."""
        wrong = np.zeros(len(starts), dtype=np.bool_)
        refused: dict[int, Refused] = {}
        for name in table.column_names:
            if not name.startswith("failed_"):
                continue
            failed = table[name]
            if failed.null_count == len(failed):
                continue
            for place in np.flatnonzero(failed.is_valid().to_numpy()):
                owner = int(np.searchsorted(starts, place, side="right")) - 1
                ours = name.removeprefix("failed_")
                if empty[owner] and ours in candidate_input().names:
                    continue
                wrong[owner] = True
                value = str(failed[int(place)].as_py())[:40]
                reason = f"{wire_name(ours)} can't be {value!r}"
                row = int(table["row"][int(place)].as_py())
                refused.setdefault(owner, Refused(str(self._path), row, reason))
        return wrong, [refused[owner] for owner in sorted(refused)]

    def _unsplit(self) -> Iterator[Refused]:
        """The rows of a CSV file that DuckDB could not make columns of."""
        if self._parquet:
            return
        found = self._connection.execute(
            "SELECT DISTINCT ON (line) line, error_message FROM reject_errors ORDER BY line"
        ).fetchall()
        for line, message in found:
            yield Refused(str(self._path), int(line), str(message).splitlines()[0].rstrip("."))


def _made_ids(batch: Batch, keys: list[list[str]]) -> list[str]:
    """An id of each retrieval, made of its key, its memories and all of its figures."""
    names = [str(name) for name in batch.candidates["memory_id"].to_pylist()]
    figures = np.column_stack(
        [
            np.asarray(batch.candidates[name].fill_null(np.nan).to_numpy(), dtype="<f8")
            for name in (*FEATURES, "final_score")
        ]
    )
    given = batch.retrievals["retrieval_id"].to_pylist()
    ids, start = [], 0
    for count, key, known in zip(batch.counts.tolist(), keys, given, strict=True):
        digest = hashlib.sha256(json.dumps([key, names[start : start + count]]).encode())
        digest.update(np.ascontiguousarray(figures[start : start + count]).tobytes())
        ids.append(digest.hexdigest()[:ID_DIGITS] if known is None else known)
        start += count
    return ids


def _starts(table: pa.Table) -> NDArray[np.int64]:
    """The rows at which a retrieval begins."""
    keys = pa.array([json.dumps(key) for key in table["key"].to_pylist()], pa.string())
    numbers = np.asarray(keys.dictionary_encode().indices.to_numpy(), dtype=np.int64)
    if not len(numbers):
        return numbers
    return np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]])).astype(np.int64)


def _lacks(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.asarray(pc.utf8_length(column).fill_null(0).to_numpy() == 0, dtype=np.bool_)


def _chosen(table: pa.Table, schema: pa.Schema) -> pa.Table:
    return pa.table([table[field.name].cast(field.type) for field in schema], schema=schema)


def _failed(given: str, type: str, name: str) -> str:
    empty = f"{given} IS NULL OR {given}::VARCHAR = ''"
    return (
        f"CASE WHEN {empty} OR TRY_CAST({given} AS {type}) IS NOT NULL THEN NULL "
        f"ELSE {given}::VARCHAR END AS failed_{name}"
    )


def _sql(type: Any) -> str:
    if pa.types.is_boolean(type):
        return "BOOLEAN"
    return "DOUBLE" if pa.types.is_floating(type) else "VARCHAR"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
