"""Writes a trace store as lines of the log, as a TREC run, or its judgements as TREC qrels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import pyarrow.parquet as pq

from memconform.model import Filtered, Weights
from memconform.model.trace_log import (
    TRACE_LOG_SCHEMA,
    LoggedCandidate,
    LoggedFeatures,
    LoggedRetrieval,
)
from memconform.retrieval.times import format_time
from memconform.traces.batch import FEATURES
from memconform.traces.errors import TraceError
from memconform.traces.lines import encoded
from memconform.traces.store import Part, TraceStore

Format = Literal["jsonl", "trec", "qrels"]
Which = Literal["selected", "passed", "all"]
FORMATS: tuple[str, ...] = get_args(Format)
WHICH: tuple[str, ...] = get_args(Which)
TAG = "memconform"
_FILTERED = ("scope", "lifecycle", "irrelevant")


def exported(store: TraceStore, format: str, *, which: str = "selected") -> Iterator[bytes]:
    """The lines of an export, a part in memory at a time.

    Args:
        store: what to write.
        format: one of ``FORMATS``. ``jsonl`` imports to the same store again, ids and all.
        which: of a run's candidates, those that were selected, that passed the gate, or all.

    Raises:
        TraceError: there is no such format or choice, or there are no judgements.
    """
    if format not in FORMATS:
        raise TraceError(f"There is no format {format!r}; there are {', '.join(FORMATS)}.")
    if which not in WHICH:
        raise TraceError(f"{which!r} chooses nothing; there are {', '.join(WHICH)}.")
    if format == "jsonl":
        return (encoded(line) for part in store.parts for line in lines_of(store, part))
    if format == "trec":
        return _run(store, which)
    if store.labels is None:
        raise TraceError(
            f"{store.folder} has no judgements; import some with memconform traces import "
            "--labels FILE."
        )
    return _qrels(store)


def repeated_queries(store: TraceStore) -> int:
    """How many retrievals a run leaves out, because their query was asked again later."""
    with store.connect() as connection:
        found = connection.execute("SELECT count(*) - count(DISTINCT query_id) FROM retrievals")
        row = found.fetchone()
    return int(row[0]) if row else 0


# --- lines of the log --------------------------------------------------------------------------


def lines_of(store: TraceStore, part: Part) -> Iterator[LoggedRetrieval]:
    """The retrievals of one part as they would have been logged."""
    rows = pq.read_table(store.path("candidates", part), partitioning=None).to_pylist()
    counts = Counter(row["retrieval_id"] for row in rows)
    candidates = iter(rows)
    for row in pq.read_table(store.path("retrievals", part), partitioning=None).to_pylist():
        mine = tuple(_candidate(next(candidates)) for _ in range(counts[row["retrieval_id"]]))
        yield _retrieval(row, mine)


def _retrieval(row: dict[str, Any], candidates: tuple[LoggedCandidate, ...]) -> LoggedRetrieval:
    filtered = {name: row[f"filtered_{name}"] for name in _FILTERED}
    weights = {name: row[f"weight_{name}"] for name in FEATURES}
    plain = {
        name: row[name]
        for name in LoggedRetrieval.__struct_fields__
        if name in row and name != "timestamp"
    }
    return LoggedRetrieval(
        schema=TRACE_LOG_SCHEMA,
        candidates=candidates,
        timestamp=None if row["timestamp"] is None else format_time_of(row["timestamp"]),
        query=row["query_text"],
        filtered=None if None in filtered.values() else Filtered(**filtered),
        ranking_weights=None if None in weights.values() else Weights(**weights),
        **plain,
    )


def _candidate(row: dict[str, Any]) -> LoggedCandidate:
    features = {name: row[name] for name in FEATURES}
    plain = {name: row[name] for name in LoggedCandidate.__struct_fields__ if name in row}
    known = any(value is not None for value in features.values())
    return LoggedCandidate(**plain, features=LoggedFeatures(**features) if known else None)


def format_time_of(time: datetime) -> str:
    """A stored time, which is UTC without saying so, as the log spells it."""
    return format_time(time.replace(tzinfo=UTC))


# --- TREC --------------------------------------------------------------------------------------

_WHERE = {"selected": "selected", "passed": "passed IS NOT FALSE", "all": "TRUE"}
_LATEST = """
SELECT query_id, memory_id, rank, final_score, store
FROM candidates JOIN (
    SELECT retrieval_id, store FROM retrievals
    QUALIFY row_number() OVER (
        PARTITION BY query_id ORDER BY timestamp DESC NULLS LAST, retrieval_id
    ) = 1
) USING (retrieval_id)
WHERE {where} ORDER BY query_id, rank
"""
_ROWS = 10_000


def _run(store: TraceStore, which: str) -> Iterator[bytes]:
    """Of each query its latest retrieval; ranks are counted anew over what is written."""
    with store.connect() as connection:
        found = connection.execute(_LATEST.format(where=_WHERE[which]))
        topic, rank = None, 0
        while rows := found.fetchmany(_ROWS):
            for query, memory, _, score, name in rows:
                topic, rank = query, rank + 1 if query == topic else 1
                tag = trec_name(name or TAG)
                line = f"{trec_name(query)} Q0 {trec_name(memory)} {rank} {score!r} {tag}\n"
                yield line.encode()


def _qrels(store: TraceStore) -> Iterator[bytes]:
    with store.connect() as connection:
        found = connection.execute("SELECT * FROM labels ORDER BY query_id, memory_id")
        while rows := found.fetchmany(_ROWS):
            for query, memory, grade in rows:
                yield f"{trec_name(query)} 0 {trec_name(memory)} {grade}\n".encode()


def trec_name(id: str) -> str:
    """An id as one word: blanks and control characters, and %, as % and their UTF-8 in hex."""
    if id.isascii() and id.isalnum():
        return id
    return "".join(
        "".join(f"%{byte:02X}" for byte in c.encode("utf-8", "surrogatepass"))
        if c == "%" or c.isspace() or not c.isprintable()
        else c
        for c in id
    )
