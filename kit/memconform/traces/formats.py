"""What kinds of files can be imported, how one is told from another, and who reads it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Protocol

import msgspec
import pyarrow.parquet as pq

from memconform.reference.authority_audit import BESIDE, is_database
from memconform.traces.batch import Found
from memconform.traces.blocks import Block, blocks
from memconform.traces.documents import first_value
from memconform.traces.errors import TraceError
from memconform.traces.labels import QRELS_FIELDS
from memconform.traces.mapping import Mapping
from memconform.traces.read_audit import AuditReader
from memconform.traces.read_last import LastTraceReader, found_in
from memconform.traces.read_log import LogReader
from memconform.traces.read_run import RUN_FIELDS, RunReader
from memconform.traces.read_spans import SpanReader, flat, is_retriever
from memconform.traces.read_table import TableReader

LOG, LAST_TRACE, SPANS, TABLE, RUN, QRELS = "log", "last-trace", "spans", "table", "run", "qrels"
AUDIT = "audit"
FORMATS = {
    LOG: "the kit's own trace log, JSON Lines",
    LAST_TRACE: "traces of last retrievals, JSON or JSON Lines",
    SPANS: "OpenInference retriever spans, JSON, JSON Lines or Parquet",
    TABLE: "CSV or Parquet, one row a candidate, with --mapping where names differ",
    RUN: "a TREC run",
    QRELS: "judgements, TREC qrels or JSON",
    AUDIT: "the database of an authority store, SQLite",
}
_JSON = (".json", ".jsonl", ".ndjson")
_DELIMITED = (".csv", ".tsv")
# What only objects with judgements have.
_JUDGED = {"relevant", "forbidden", "expectedIds", "forbiddenIds"}


class Reader(Protocol):
    """Reads one source."""

    @property
    def size(self) -> int:
        """How much there is to read, in the unit of ``Found.position``."""
        ...

    def read(self) -> Generator[Found]:
        """Everything in it, a portion at a time."""
        ...


def files(
    sources: list[Path], format: str | None = None
) -> tuple[list[tuple[Path, str]], list[Path]]:
    """The files that sources stand for with their kinds, and those of folders that have none.

    Raises:
        TraceError: a source isn't there, is of no known kind, or a folder without any.
    """
    if format is not None and format not in FORMATS:
        raise TraceError(f"There is no format {format!r}; there are {', '.join(FORMATS)}.")
    found: list[tuple[Path, str]] = []
    strange: list[Path] = []
    for source in sources:
        if source.is_file():
            found.append((source, format or kind_of(source)))
        elif source.is_dir():
            inside = [p for p in sorted(source.iterdir()) if p.is_file() and p.name[:1] != "."]
            inside = [path for path in inside if not _beside_a_database(path)]
            kinds = [(path, format or _known_kind(path)) for path in inside]
            known = [(path, kind) for path, kind in kinds if kind is not None]
            if not known:
                raise TraceError(f"{source} is a folder without traces; name the files.")
            found += known
            strange += [path for path, kind in kinds if kind is None]
        else:
            raise TraceError(f"{source} isn't there; name a file of traces, or a folder of them.")
    return found, strange


def kind_of(path: Path) -> str:
    """The kind of a file, by its name and by how it begins.

    Raises:
        TraceError: it is none that is known.
    """
    kind = _known_kind(path)
    if kind is None:
        there = "; ".join(f"{name}: {what}" for name, what in FORMATS.items())
        raise TraceError(f"{path} is of no kind that is known; say --format NAME ({there}).")
    return kind


def _beside_a_database(path: Path) -> bool:
    """Whether a file belongs to a database that is in use, and is read with it."""
    name, dash, end = path.name.rpartition("-")
    return dash + end in (*BESIDE, "-shm") and is_database(path.with_name(name))


def _known_kind(path: Path) -> str | None:
    if is_database(path):
        return AUDIT
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix in _DELIMITED:
        return TABLE
    if suffix == ".parquet":
        return _kind_of_parquet(path)
    return _kind_of_json(path) if suffix in _JSON else _kind_of_lines(path)


def _kind_of_parquet(path: Path) -> str:
    try:
        names = pq.read_schema(path).names
    except (OSError, ValueError) as error:
        raise TraceError(f"{path} can't be read as Parquet: {error}.") from error
    spans = any(n.startswith("attributes") or n in ("span_kind", "context.span_id") for n in names)
    return SPANS if spans else TABLE


def _kind_of_json(path: Path) -> str | None:
    value = first_value(path)
    if not isinstance(value, dict):
        return LOG if path.suffix != ".json" else None
    if _JUDGED & set(value):
        return QRELS
    inner = found_in(value)
    if "rankings" in inner:
        return LAST_TRACE
    if str(value.get("schema", "")).startswith("memconform/trace-log/") or "candidates" in value:
        return LOG
    if is_retriever(flat(value)) or {"span_kind", "attributes", "context"} & set(value):
        return SPANS
    return None


def _kind_of_lines(path: Path) -> str | None:
    for block in blocks(path, 1 << 16):
        for _, line in block.lines() if isinstance(block, Block) else ():
            if line[:1] == b"{":
                try:
                    msgspec.json.decode(line)
                except msgspec.DecodeError:
                    return None
                return _kind_of_json(path)
            return {RUN_FIELDS: RUN, QRELS_FIELDS: QRELS}.get(len(line.split()))
        break
    return None


def reader(
    kind: str, path: Path, scratch: Path, *, mapping: Mapping | None, with_text: bool
) -> Reader:
    """Who reads a file of a kind that isn't judgements.

    Raises:
        TraceError: the file can't be read at all, or the kind is unknown.
    """
    if kind == LOG:
        return LogReader(path, scratch, with_text=with_text)
    if kind == LAST_TRACE:
        return LastTraceReader(path, with_text=with_text)
    if kind == SPANS:
        return SpanReader(path, with_text=with_text)
    if kind == TABLE:
        return TableReader(path, scratch, mapping=mapping, with_text=with_text)
    if kind == RUN:
        return RunReader(path)
    if kind == AUDIT:
        return AuditReader(path, scratch, with_text=with_text)
    raise TraceError(f"There is no format {kind!r}; there are {', '.join(FORMATS)}.")
