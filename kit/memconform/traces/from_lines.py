"""Batches out of lines that Python has read, for sources that are small or have no columns."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from memconform.model.trace_log import LoggedCandidate, LoggedRetrieval
from memconform.traces.batch import (
    FEATURES,
    Batch,
    Found,
    Refused,
    candidate_input,
    retrieval_input,
)
from memconform.traces.ids import retrieval_id

PORTION = 100_000  # candidates that are kept as Python objects at a time


@dataclass(frozen=True)
class Line:
    """One retrieval as a reader found it.

    Attributes:
        number: of its line or row, from 1.
        position: how far the source is read.
        id: what its id is made of, where it has none.
        counts: columns of the retrieval of which a log line says all or none.
    """

    number: int
    position: int
    id: bytes
    retrieval: LoggedRetrieval
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PassedOver:
    """Something that is no retrieval and no fault; ``position`` is how far the source is read."""

    position: int


def portions(source: str, lines: Iterable[Line | Refused | PassedOver]) -> Generator[Found]:
    """Batches of about ``PORTION`` candidates at most, with what was refused on the way."""
    kept: list[Line] = []
    refused: list[Refused] = []
    passed_over = size = position = 0

    def found() -> Found:
        batches = (batch_of(source, kept),) if kept else ()
        return Found(batches, tuple(refused), position, passed_over)

    for line in lines:
        if isinstance(line, Refused):
            refused.append(line)
            size += 1
        elif isinstance(line, PassedOver):
            position = line.position
            passed_over += 1
        else:
            kept.append(line)
            position = line.position
            size += 1 + len(line.retrieval.candidates)
        if size >= PORTION:
            yield found()
            kept, refused, passed_over, size = [], [], 0, 0
    yield found()


def batch_of(source: str, lines: list[Line]) -> Batch:
    """Lines as columns."""
    candidates = [c for line in lines for c in line.retrieval.candidates]
    return Batch(
        source,
        np.array([line.number for line in lines], dtype=np.int64),
        np.array([len(line.retrieval.candidates) for line in lines], dtype=np.int64),
        pa.Table.from_pylist([_retrieval(line) for line in lines], schema=retrieval_input()),
        pa.Table.from_pylist([_candidate(c) for c in candidates], schema=candidate_input()),
    )


def _retrieval(line: Line) -> dict[str, Any]:
    found = line.retrieval
    filtered, weights = found.filtered, found.ranking_weights
    return {
        **{name: getattr(found, name, None) for name in retrieval_input().names},
        "retrieval_id": found.retrieval_id or retrieval_id(line.id),
        "query_text": found.query,
        "filtered_scope": filtered and filtered.scope,
        "filtered_lifecycle": filtered and filtered.lifecycle,
        "filtered_irrelevant": filtered and filtered.irrelevant,
        **{f"weight_{name}": weights and getattr(weights, name) for name in FEATURES},
        **line.counts,
    }


def _candidate(candidate: LoggedCandidate) -> dict[str, Any]:
    return {
        **{name: getattr(candidate, name, None) for name in candidate_input().names},
        **{name: candidate.features and getattr(candidate.features, name) for name in FEATURES},
    }
