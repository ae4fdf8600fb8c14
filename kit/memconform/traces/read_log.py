"""Reads trace logs: DuckDB decodes a block of lines at a time, in parallel and typed.

What DuckDB takes is read; a block that it refuses is halved until the lines at fault are alone, and
each of those is refused with the reason. So one broken line costs little, and what is read does not
depend on a line's neighbours.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from memconform.model.trace_log import TRACE_LOG_SCHEMA, LoggedRetrieval
from memconform.traces.batch import (
    FEATURES,
    Batch,
    Found,
    Refused,
    candidate_input,
    retrieval_input,
)
from memconform.traces.blocks import BLOCK_BYTES, Block, TooLong, blocks
from memconform.traces.ids import retrieval_id, wire_name
from memconform.traces.store import quoted

MEMORY_LIMIT = "1GB"
LINE_LIMIT = 8 * 1024 * 1024  # DuckDB reads twice as much at a time, and several such in parallel
TOO_LONG = f"it is longer than {LINE_LIMIT // 2**20} MiB"
_FEATURES = ", ".join(f'"{wire_name(name)}" DOUBLE' for name in FEATURES)
_PLAIN = {
    "retrieval_id": "VARCHAR",
    "query_id": "VARCHAR",
    "timestamp": "VARCHAR",
    "store": "VARCHAR",
    "mode": "VARCHAR",
    "gate": "VARCHAR",
    "language": "VARCHAR",
    "query_token_count": "DOUBLE",
    "query_tokens_truncated": "BOOLEAN",
    "candidate_count": "DOUBLE",
    "record_limit": "DOUBLE",
    "prompt_character_budget": "DOUBLE",
    "selected_characters": "DOUBLE",
    "latency_ms": "DOUBLE",
    "swept_from": "DOUBLE",
}
_OPEN, _CLOSE = b"{}"
_NO_NUMBER = re.compile(rb"NaN|Infinity")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_FILTERED = ("scope", "lifecycle", "irrelevant")


class LogReader:
    """Reads one file of trace log lines.

    Args:
        path: the file; it may be packed (.gz).
        scratch: a folder for a block at a time.
        with_text: keep queries and contents, where the lines have them.
        block_bytes: how much is read at once.
    """

    def __init__(
        self, path: Path, scratch: Path, *, with_text: bool, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self._path = path
        self._scratch = scratch / "block.jsonl"
        self._with_text = with_text
        self._block_bytes = block_bytes
        self._connection = duckdb.connect()
        self._connection.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
        # One file holds one block after the other; what DuckDB has cached of it would be wrong.
        self._connection.execute("SET enable_external_file_cache = false")
        self._query = _query(self._scratch, with_text=with_text)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._path.stat().st_size

    def read(self) -> Generator[Found]:
        """Everything in the file, in its order."""
        try:
            for block in blocks(self._path, self._block_bytes):
                if isinstance(block, TooLong):
                    refused = Refused(str(self._path), block.number, TOO_LONG)
                    yield Found((), (refused,), block.position)
                else:
                    yield self._block(block)
        finally:
            self._connection.close()
            self._scratch.unlink(missing_ok=True)

    def _block(self, block: Block) -> Found:
        numbers, ids = _numbered(block)
        refused: list[Refused] = []
        try:
            with memoryview(block.data) as view:
                batches = [self._decoded(view[: block.size], numbers, ids)]
        except (duckdb.Error, _Misread):
            batches, refused = self._one_by_one(list(block.lines()))
        kept: list[Batch] = []
        for batch, versions in batches:
            fit, unfit = _of_this_version(batch, versions)
            kept.append(fit)
            refused += unfit
        refused.sort(key=lambda refusal: refusal.line)
        return Found(tuple(kept), tuple(refused), block.position)

    def _one_by_one(
        self, lines: list[tuple[int, bytes]]
    ) -> tuple[list[tuple[Batch, pa.ChunkedArray]], list[Refused]]:
        """The batches of what can be read, by halves, and what can't be."""
        if not lines:
            return [], []
        numbers = np.array([number for number, _ in lines], dtype=np.int64)
        texts = [text for _, text in lines]
        ids = [retrieval_id(text) for text in texts]
        try:
            return [self._decoded(b"\n".join(texts) + b"\n", numbers, ids)], []
        except (duckdb.Error, _Misread) as error:
            if len(lines) == 1:
                return [], [Refused(str(self._path), lines[0][0], _reason(texts[0], error))]
        # What is no JSON at all is known at once, and may be all there is.
        broken = [_malformed(text) for text in texts]
        refused = [
            Refused(str(self._path), number, reason)
            for (number, _), reason in zip(lines, broken, strict=True)
            if reason
        ]
        sound = [line for line, reason in zip(lines, broken, strict=True) if not reason]
        middle = len(sound) // 2 if len(sound) == len(lines) else len(sound)
        batches: list[tuple[Batch, pa.ChunkedArray]] = []
        for half in (sound[:middle], sound[middle:]):
            more, unread = self._one_by_one(half)
            batches += more
            refused += unread
        return batches, refused

    def _decoded(
        self, data: bytes | memoryview, numbers: NDArray[np.int64], ids: list[str]
    ) -> tuple[Batch, pa.ChunkedArray]:
        self._refill(data)
        table = self._connection.sql(self._query).to_arrow_table()
        if table.num_rows != len(numbers):
            raise _Misread
        return _batch(str(self._path), table, numbers, ids)

    def _refill(self, data: bytes | memoryview) -> None:
        """Put a block where DuckDB reads it, into the place of the one before."""
        # Written over instead of anew: the file's pages are there already.
        file = os.open(self._scratch, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(file, data[written:], written)
            os.ftruncate(file, written)
        finally:
            os.close(file)


class _Misread(Exception):
    """DuckDB found another number of lines than there are, as where one line holds two objects."""


def _numbered(block: Block) -> tuple[NDArray[np.int64], list[str]]:
    """The numbers of the lines that aren't blank, and the ids made of them."""
    numbers: list[int] = []
    ids: list[str] = []
    with memoryview(block.data) as view:
        for number, start, end in block.bounds():
            line: memoryview | bytes = view[start:end]
            # Nearly every line begins and ends with a brace; only the others are looked at.
            if not (start < end and line[0] == _OPEN and line[-1] == _CLOSE):
                line = bytes(line).strip()
                if not line:
                    continue
            numbers.append(number)
            ids.append(retrieval_id(line))
    return np.array(numbers, dtype=np.int64), ids


def _query(path: Path, *, with_text: bool) -> str:
    candidate = {
        "memoryId": "VARCHAR",
        "finalScore": "DOUBLE",
        "passed": "BOOLEAN",
        "selected": "BOOLEAN",
        "channel": "VARCHAR",
        "features": f"STRUCT({_FEATURES})",
        "truncated": "BOOLEAN",
        "reason": "VARCHAR",
        "characters": "DOUBLE",
    }
    columns = {
        "schema": "VARCHAR",
        **{wire_name(name): type for name, type in _PLAIN.items()},
        "filtered": "STRUCT(" + ", ".join(f"{name} DOUBLE" for name in _FILTERED) + ")",
        "rankingWeights": f"STRUCT({_FEATURES})",
    }
    if with_text:
        candidate["content"] = columns["query"] = "VARCHAR"
    inner = ", ".join(f'"{name}" {type}' for name, type in candidate.items())
    columns["candidates"] = f"STRUCT({inner})[]"
    types = ", ".join(f"{quoted(name)}: {quoted(type)}" for name, type in columns.items())
    chosen = [
        *(f'"{wire_name(name)}" AS {name}' for name in _PLAIN),
        *(f"filtered.{name} AS filtered_{name}" for name in _FILTERED),
        *(f'"rankingWeights"."{wire_name(name)}" AS weight_{name}' for name in FEATURES),
        "query AS query_text" if with_text else "NULL::VARCHAR AS query_text",
        '"schema"',
        "candidates",
    ]
    # The names are this module's, the path is quoted.
    return (
        f"SELECT {', '.join(chosen)} FROM read_json({quoted(str(path))}, columns = {{{types}}}, "  # noqa: S608
        f"format = 'newline_delimited', maximum_object_size = {LINE_LIMIT}, compression = 'none')"
    )


def _batch(
    source: str, table: pa.Table, numbers: NDArray[np.int64], ids: list[str]
) -> tuple[Batch, pa.ChunkedArray]:
    lists = table["candidates"]
    counts = np.asarray(pc.list_value_length(lists).fill_null(0).to_numpy(), dtype=np.int64)
    # By chunks, as DuckDB made them: nothing is copied.
    entries = [_columns(chunk.flatten()) for chunk in lists.chunks]
    named = {
        _snake(name): pa.chunked_array([entry[name] for entry in entries])
        for name in (entries[0] if entries else ())
    }
    given = table["retrieval_id"]
    made = pa.chunked_array([pa.array(ids, pa.string())])
    retrievals = table.set_column(
        table.schema.get_field_index("retrieval_id"),
        "retrieval_id",
        made if given.null_count == len(given) else pc.coalesce(given, made),
    )
    # Without its list a line says nothing: it is told like a version that isn't known.
    known = pc.or_(lists.is_valid(), table["schema"].is_null())
    versions = pc.if_else(known, table["schema"], _NO_LIST)
    return (
        Batch(
            source,
            numbers,
            counts,
            _as(retrieval_input(), {name: retrievals[name] for name in retrievals.column_names}),
            _as(candidate_input(), named),
        ),
        versions,
    )


_NO_LIST = "\x00no list of candidates"


def _of_this_version(batch: Batch, versions: pa.ChunkedArray) -> tuple[Batch, list[Refused]]:
    fits = np.asarray(
        pc.equal(versions, TRACE_LOG_SCHEMA).fill_null(False).to_numpy(zero_copy_only=False)
    )
    refused = []
    for place in np.flatnonzero(~fits):
        version = versions[int(place)].as_py()
        if version is None:
            reason = "it is no line of a trace log: schema is missing"
        elif version == _NO_LIST:
            reason = "candidates is missing; write an empty list where there were none"
        else:
            reason = f"schema is {version[:60]!r}, and {TRACE_LOG_SCHEMA} is known"
        refused.append(Refused(batch.source, int(batch.lines[place]), reason))
    return batch.only(fits), refused


def _reason(line: bytes, error: Exception) -> str:
    """Why a single line can't be read, in the words of whoever says it best."""
    if len(line) > LINE_LIMIT:
        return TOO_LONG
    try:
        msgspec.json.decode(line, type=LoggedRetrieval)
    except msgspec.ValidationError as told:
        return str(told)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as told:
        return _no_json(line, told)
    if isinstance(error, _Misread):
        return "it holds more than one object"
    return str(error).splitlines()[0].rpartition(": ")[2] or "it can't be read"


def _malformed(line: bytes) -> str | None:
    """Why a line is no JSON; null where it is, or where DuckDB may know better."""
    if _NO_NUMBER.search(line):  # DuckDB reads these, and then the field is told
        return None
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as told:
        return _no_json(line, told)
    return None


def _no_json(line: bytes, told: Exception) -> str:
    if _NO_NUMBER.search(line) and "malformed" in str(told):
        return "a number is NaN or infinite, which JSON can't say"
    if "trailing characters" in str(told):
        return "it holds more than one object"
    if _SURROGATE.search(line):
        return "a text holds half of a surrogate pair, which is no Unicode"
    if isinstance(told, UnicodeDecodeError):
        return "it is not UTF-8"
    return f"it is no JSON: {str(told).rstrip('.')}"


# --- Arrow -------------------------------------------------------------------------------------


def _columns(structs: pa.StructArray) -> dict[str, pa.Array]:
    """The fields of structs, those of inner structs too; those of a null are null."""
    columns: dict[str, pa.Array] = {}
    for field, column in zip(structs.type, structs.flatten(), strict=True):
        if pa.types.is_struct(field.type):
            columns.update(_columns(column))
        else:
            columns[field.name] = column
    return columns


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)


def _as(schema: pa.Schema, columns: dict[str, Any]) -> pa.Table:
    """A table of these columns; those that aren't there are null."""
    length = max((len(column) for column in columns.values()), default=0)
    return pa.table(
        [
            columns[field.name].cast(field.type)
            if field.name in columns
            else pa.nulls(length, field.type)
            for field in schema
        ],
        schema=schema,
    )
