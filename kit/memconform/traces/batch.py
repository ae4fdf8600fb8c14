"""Some retrievals with their candidates as Arrow columns: checked, put in order, and coded.

Whatever a source looks like, its reader makes ``Batch``es, and everything after that is here, once:
which retrievals are refused and why, in which order the candidates lie, and what the columns of the
store are made of. A retrieval is refused whole: one with a candidate missing would be measured as
if it had never had it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from memconform.retrieval.times import milliseconds
from memconform.traces.ids import wire_name
from memconform.traces.schema import REASONS

FEATURES = (
    "lexical",
    "scope_affinity",
    "type_affinity",
    "freshness",
    "importance",
    "confidence",
)
COUNTS = (
    "query_token_count",
    "candidate_count",
    "filtered_scope",
    "filtered_lifecycle",
    "filtered_irrelevant",
    "record_limit",
    "prompt_character_budget",
    "selected_characters",
)
LANGUAGES = ("latin", "cjk")
NO_DAY = "1970-01-01"  # the partition of what has no time
_INT32_MAX = 2**31 - 1


@dataclass(frozen=True)
class Refused:
    """A retrieval that is not in the store: where it was, and what is wrong with it.

    Attributes:
        source: the file.
        line: of the file, from 1; of a table the row.
        reason: a sentence without its full stop.
    """

    source: str
    line: int
    reason: str


@dataclass(frozen=True)
class Found:
    """What a reader has found since the last time.

    Attributes:
        batches: what could be read; still to be checked.
        refused: what could not.
        position: how far it is: bytes of the file, rows of a table.
        passed_over: how many things were no retrievals and are nobody's fault, such as other spans.
    """

    batches: tuple[Batch, ...]
    refused: tuple[Refused, ...]
    position: int
    passed_over: int = 0


@dataclass(frozen=True)
class Batch:
    """Retrievals and their candidates, as a reader found them.

    Attributes:
        source: the file that they come from.
        lines: int64, the line of each retrieval.
        counts: int64, how many candidates each has.
        retrievals: one row each; columns of ``retrieval_input``.
        candidates: one row each, those of a retrieval together, in the retrievals' order; columns
            of ``candidate_input``. Once checked, the ids are a dictionary.
    """

    source: str
    lines: NDArray[np.int64]
    counts: NDArray[np.int64]
    retrievals: pa.Table
    candidates: pa.Table

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def owners(self) -> NDArray[np.int64]:
        """Of each candidate the place of its retrieval."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def only(self, kept: NDArray[np.bool_]) -> Batch:
        """The batch without some of its retrievals."""
        if kept.all():
            return self
        return replace(
            self,
            lines=self.lines[kept],
            counts=self.counts[kept],
            retrievals=self.retrievals.filter(_arrow(kept)),
            candidates=self.candidates.filter(_arrow(np.repeat(kept, self.counts))),
        )

    @property
    def ids(self) -> list[str]:
        """The ids of the retrievals."""
        ids: list[str] = self.retrievals["retrieval_id"].to_pylist()
        return ids


def retrieval_input() -> pa.Schema:
    """The columns of ``Batch.retrievals``."""
    text, number = pa.string(), pa.float64()
    return pa.schema(
        [
            ("retrieval_id", text),
            ("query_id", text),
            ("timestamp", text),
            ("store", text),
            ("mode", text),
            ("gate", text),
            ("language", text),
            # Read as floats, so that 1.7 is seen to be no count instead of becoming 2.
            *((name, number) for name in COUNTS),
            ("query_tokens_truncated", pa.bool_()),
            ("latency_ms", number),
            ("swept_from", number),
            *((f"weight_{name}", number) for name in FEATURES),
            ("query_text", text),
        ]
    )


def candidate_input() -> pa.Schema:
    """The columns of ``Batch.candidates``."""
    text, number, flag = pa.string(), pa.float64(), pa.bool_()
    return pa.schema(
        [
            ("memory_id", text),
            ("channel", text),
            *((name, number) for name in FEATURES),
            ("final_score", number),
            ("passed", flag),
            ("selected", flag),
            ("truncated", flag),
            ("reason", text),
            ("characters", number),
            ("content", text),
        ]
    )


# --- what is refused ---------------------------------------------------------------------------


def checked(batch: Batch) -> tuple[Batch, list[Refused]]:
    """The batch without what can't be, and what was refused with the first reason of each."""
    reasons: dict[int, str] = {}

    def refuse(wrong: NDArray[np.bool_], reason: str) -> None:
        for place in np.flatnonzero(wrong):
            reasons.setdefault(int(place), reason)

    owners = batch.owners

    def refuse_by_candidate(wrong: NDArray[np.bool_], reason: str) -> None:
        if wrong.any():
            refuse(np.bincount(owners[wrong], minlength=len(batch)) > 0, reason)

    _check_retrievals(batch.retrievals, batch.counts, refuse)
    _check_candidates(batch.candidates, refuse_by_candidate)
    batch = _encoded(batch)
    refuse(_repeated(batch, owners), "a memoryId stands in it twice")
    if not reasons:
        return batch, []
    kept = np.ones(len(batch), dtype=np.bool_)
    kept[list(reasons)] = False
    refused = [
        Refused(batch.source, int(batch.lines[place]), reason)
        for place, reason in sorted(reasons.items())
    ]
    return batch.only(kept), refused


def _check_retrievals(
    table: pa.Table,
    counts: NDArray[np.int64],
    refuse: Callable[[NDArray[np.bool_], str], None],
) -> None:

    refuse(_empty(table["query_id"]), "queryId is missing or empty")
    refuse(_wrong_ids(table["retrieval_id"]), "retrievalId is not 32 hexadecimal digits")
    refuse(_wrong_times(table["timestamp"]), "timestamp is no ISO 8601 time with a zone")
    refuse(_no_member(table["language"], LANGUAGES), "language is neither latin nor cjk")
    for name in COUNTS:
        refuse(_no_count(table[name]), f"{wire_name(name)} is not a whole number from 0 on")
    refuse(_outside(table["latency_ms"], 0, np.inf), "latencyMs is negative or no number")
    refuse(~_finite_or_null(table["swept_from"]), "sweptFrom is no finite number")
    for name in FEATURES:
        refuse(~_finite_or_null(table[f"weight_{name}"]), f"the weight of {name} is no number")
    logged = _floats(table["candidate_count"], null=np.inf)
    refuse(logged < counts, "candidateCount is less than the number of candidates in the line")


def _check_candidates(table: pa.Table, refuse: Callable[[NDArray[np.bool_], str], None]) -> None:

    refuse(_empty(table["memory_id"]), "a memoryId is missing or empty")
    scores = _floats(table["final_score"], null=np.nan)
    refuse(~np.isfinite(scores), "a finalScore is missing, NaN or infinite")
    for name in FEATURES:
        refuse(
            _outside(table[name], 0, 1), f"{wire_name(name)} of a candidate is NaN or not in 0..1"
        )
    refuse(_no_count(table["characters"]), "characters is not a whole number from 0 on")
    refuse(_no_member(table["reason"], REASONS), f"a reason is none of {', '.join(REASONS)}")
    selected, passed = _flags(table["selected"]), _flags(table["passed"], null=True)
    refuse(selected & ~passed, "a candidate is selected that did not pass")
    refuse(_flags(table["truncated"]) & ~selected, "a candidate is truncated and not selected")
    if table["reason"].null_count < len(table):
        given = _valid(table["reason"])
        refuse(selected & given, "a selected candidate has a reason for being left out")


def _encoded(batch: Batch) -> Batch:
    """With the ids of memories as a dictionary: they are compared here and written so."""
    table = batch.candidates
    place = table.schema.get_field_index("memory_id")
    ids = _combined(table["memory_id"].dictionary_encode())
    return replace(batch, candidates=table.set_column(place, "memory_id", ids))


def _repeated(batch: Batch, owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The retrievals that name a memory twice."""
    ids = _combined(batch.candidates["memory_id"])
    # A null is refused already and may be taken for any other.
    codes = ids.indices.fill_null(0).to_numpy()
    many = len(ids.dictionary) + 1
    keys = np.sort(owners * many + codes)
    wrong = np.zeros(len(batch), dtype=np.bool_)
    wrong[keys[1:][keys[1:] == keys[:-1]] // many] = True
    return wrong


# --- what is stored ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """A part as it is stored: the three tables without the column ``day``."""

    day: str
    retrievals: pa.Table
    candidates: pa.Table
    gate_values: pa.Table


def by_day(batch: Batch) -> Iterator[Columns]:
    """A checked batch as the columns of the store, a day at a time."""
    batch = _ordered(batch)
    times = _times(batch.retrievals["timestamp"])
    days = times.astype("datetime64[D]")
    for day in np.unique(days):
        # NaT is unlike itself; those without a time have a partition of their own.
        mine = np.isnat(days) if np.isnat(day) else days == day
        name = NO_DAY if np.isnat(day) else str(day)
        yield _stored(name, batch.only(mine), times[mine])


def _ordered(batch: Batch) -> Batch:
    """With the candidates in descending order of the score; those that tie stay as they were."""
    owners, scores = batch.owners, _floats(batch.candidates["final_score"])
    if len(scores) < 2 or not ((scores[1:] > scores[:-1]) & (owners[1:] == owners[:-1])).any():
        return batch
    order = np.lexsort((-scores, owners))
    return replace(batch, candidates=batch.candidates.take(_arrow(order)))


def _stored(day: str, batch: Batch, times: NDArray[np.datetime64]) -> Columns:

    table, retrievals = batch.candidates, batch.retrievals
    owners = batch.owners
    starts = np.cumsum(batch.counts) - batch.counts
    selected = _flags(table["selected"])
    passes_always = _floats(table["type_affinity"], null=0.0) > 0
    gate_value = _gate_value(table)
    gate_code, values = _gate_codes(gate_value, passes_always)
    ids = _combined(retrievals["retrieval_id"])
    queries = _combined(retrievals["query_id"])
    owned = pa.array(owners.astype(np.int32))
    candidates = {
        # Dictionaries: a million rows share a few thousand ids, and are written as such.
        "retrieval_id": pa.DictionaryArray.from_arrays(owned, ids),
        "query_id": pa.DictionaryArray.from_arrays(owned, queries),
        "rank": (np.arange(len(owners)) - starts[owners] + 1).astype(np.int32),
        "memory_id": _combined(table["memory_id"]),
        "channel": table["channel"],
        **{name: table[name] for name in FEATURES},
        "final_score": table["final_score"],
        "gate_value": gate_value,
        "passes_always": passes_always,
        "gate_code": gate_code,
        "passed": table["passed"],
        "selected": selected,
        "truncated": _flags(table["truncated"]),
        "reason": _reasons(table, selected),
        "characters": table["characters"].cast(pa.int32()),
        "content": table["content"],
    }
    stored = {
        "retrieval_id": ids,
        "query_id": queries,
        "timestamp": pa.array(times.astype("datetime64[us]")),
        **{name: retrievals[name] for name in ("store", "mode", "gate", "language")},
        "query_token_count": retrievals["query_token_count"].cast(pa.int32()),
        "query_tokens_truncated": retrievals["query_tokens_truncated"],
        **{name: retrievals[name].cast(pa.int32()) for name in COUNTS[1:]},
        "selected_count": np.bincount(owners[selected], minlength=len(batch)).astype(np.int32),
        "latency_ms": retrievals["latency_ms"],
        "swept_from": retrievals["swept_from"],
        **{f"weight_{name}": retrievals[f"weight_{name}"] for name in FEATURES},
        "query_text": retrievals["query_text"],
    }
    meaning = {"gate_code": np.arange(len(values), dtype=np.int32), "gate_value": values}
    return Columns(day, pa.table(stored), pa.table(candidates), pa.table(meaning))


def _gate_value(table: pa.Table) -> NDArray[np.float64]:

    lexical = _floats(table["lexical"], null=np.nan)
    score = _floats(table["final_score"])
    # Adding zero makes one of the two zeros of floating point, which would have two codes.
    return np.where(np.isnan(lexical), score, lexical) + 0.0


def _gate_codes(
    values: NDArray[np.float64], passes_always: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The code of each row, and what the codes mean: see ``traces.schema``."""
    # Hashing finds the few distinct values much faster than sorting all rows.
    encoded = pa.array(values).dictionary_encode()
    distinct = encoded.dictionary.to_numpy()
    indices = encoded.indices.to_numpy()
    asked = np.zeros(len(distinct), dtype=np.bool_)
    asked[indices[~passes_always]] = True
    meaning = np.sort(distinct[asked])
    code_of = np.searchsorted(meaning, distinct).astype(np.int32)
    codes = np.where(passes_always, np.int32(len(meaning)), code_of[indices])
    return codes.astype(np.int32, copy=False), meaning


def _reasons(table: pa.Table, selected: NDArray[np.bool_]) -> pa.ChunkedArray | pa.Array:
    """The reasons as given; where none is, the gate's refusal is one."""
    given = table["reason"]
    left_out = ~selected & ~_valid(given)
    if not left_out.any():
        return given
    refused = ~_flags(table["passed"], null=True)
    words = pa.array(["below-floor", "unknown"])
    inferred = words.take(pa.array(np.where(refused, 0, 1)))
    return pc.if_else(_arrow(left_out), inferred, given)


# --- columns as numpy --------------------------------------------------------------------------


def _arrow(values: NDArray[Any]) -> pa.Array:

    return pa.array(values)


def _combined(column: pa.ChunkedArray) -> pa.Array:

    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _floats(column: pa.ChunkedArray, null: float = 0.0) -> NDArray[np.float64]:

    whole = column.fill_null(null) if column.null_count else column
    values: NDArray[np.float64] = whole.to_numpy()
    return values


def _flags(column: pa.ChunkedArray, *, null: bool = False) -> NDArray[np.bool_]:

    whole = column.fill_null(null) if column.null_count else column
    return np.asarray(whole.to_numpy(), dtype=np.bool_)


def _valid(column: pa.ChunkedArray) -> NDArray[np.bool_]:

    return np.asarray(column.is_valid().to_numpy(), dtype=np.bool_)


def _empty(column: pa.ChunkedArray) -> NDArray[np.bool_]:

    length = pc.utf8_length(column).fill_null(0)
    return np.asarray(length.to_numpy() == 0, dtype=np.bool_)


def _wrong_ids(column: pa.ChunkedArray) -> NDArray[np.bool_]:

    return ~_flags(pc.match_substring_regex(column, "^[0-9a-f]{32}$"))


def _no_member(column: pa.ChunkedArray, known: tuple[str, ...]) -> NDArray[np.bool_]:

    if column.null_count == len(column):
        return np.zeros(len(column), dtype=np.bool_)
    return ~(_flags(pc.is_in(column, pa.array(known))) | ~_valid(column))


def _no_count(column: pa.ChunkedArray) -> NDArray[np.bool_]:

    values = _floats(column)
    with np.errstate(invalid="ignore"):  # what is no number is no whole one
        right = (values >= 0) & (values <= _INT32_MAX) & (values == np.floor(values))
        return np.asarray(~right, dtype=np.bool_)


def _outside(column: pa.ChunkedArray, least: float, most: float) -> NDArray[np.bool_]:
    values = _floats(column, null=least)
    return np.asarray(~((values >= least) & (values <= most)), dtype=np.bool_)


def _finite_or_null(column: pa.ChunkedArray) -> NDArray[np.bool_]:

    return np.asarray(np.isfinite(_floats(column)), dtype=np.bool_)


def _wrong_times(column: pa.ChunkedArray) -> NDArray[np.bool_]:

    return np.isnat(_times(column)) & _valid(column)


def _times(column: pa.ChunkedArray) -> NDArray[np.datetime64]:
    """In milliseconds; NaT for what is null or no time."""
    read = [None if text is None else milliseconds(text) for text in column.to_pylist()]
    values = [np.datetime64("NaT", "ms") if ms is None else np.datetime64(ms, "ms") for ms in read]
    return np.array(values, dtype="datetime64[ms]")


def instant(time: datetime) -> str:
    """A time as the log has it, with a zone and microseconds where it has any."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")
