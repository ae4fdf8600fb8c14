"""A dataset made of a trace store that keeps texts, so that its cases can be saved and played.

A trace holds content, importance, confidence and freshness of a memory, and the question; not its
type, tags and sources. What is made here has facts without tags, all in one workspace, observed as
long ago as their freshness says. Coverage is that of the content then, which is that of the trace
unless tags or sources had a part in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

from memconform.evaluation.dataset import (
    SCHEMA_VERSION,
    Category,
    Counts,
    Dataset,
    DatasetRecord,
    Manifest,
    Query,
)
from memconform.retrieval import FOUNDATION
from memconform.retrieval.times import format_time
from memconform.traces import TraceStore, open_store

WORKSPACE = "/traces"
OTHER: Category = "no-result-authority-safety"  # of queries that expect nothing
OTHERWISE: Category = "lexical-control"


class NoTextError(ValueError):
    """The traces were imported without texts; the message says what to do."""


@dataclass(frozen=True)
class FromTraces:
    """What came of it.

    Attributes:
        dataset: the judged queries and every memory that was ever a candidate.
        left_out: judged queries whose relevant memory was no candidate of any retrieval: there is
            no text of it.
    """

    dataset: Dataset
    left_out: tuple[str, ...]


def dataset_of(traces: TraceStore | Path | str, *, name: str = "traces") -> FromTraces:
    """The judged queries of a trace store as a dataset, holdout among them.

    Args:
        traces: imported with texts and with labels.
        name: of the dataset.

    Raises:
        NoTextError: there are no texts.
        TraceError: there is no such store.
    """
    store = traces if isinstance(traces, TraceStore) else open_store(traces)
    with store.connect() as connection:
        retrievals = connection.table("retrievals").order("timestamp, retrieval_id").pl().to_dicts()
        candidates = connection.table("candidates").order("day, retrieval_id, rank").pl().to_dicts()
        labels = connection.table("labels").order("query_id, memory_id").pl().to_dicts()
        judged = connection.table("query_labels").order("query_id").pl().to_dicts()
    asked = {row["query_id"]: row for row in retrievals if row["query_text"]}
    if not asked:
        raise NoTextError(
            f"{store.folder} holds no texts; import the traces again with --with-text."
        )
    now = max(row["timestamp"] for row in asked.values()).replace(tzinfo=UTC)
    times = {row["retrieval_id"]: row["timestamp"].replace(tzinfo=UTC) for row in retrievals}
    records: dict[str, DatasetRecord] = {}
    for row in candidates:
        if row["content"] and row["memory_id"] not in records:
            records[row["memory_id"]] = _record(row, times[row["retrieval_id"]])
    queries, left_out = [], []
    for label in judged:
        row = asked.get(label["query_id"])
        if row is None:
            continue
        mine = [each for each in labels if each["query_id"] == label["query_id"]]
        expected = [each["memory_id"] for each in mine if each["grade"] > 0]
        forbidden = [each["memory_id"] for each in mine if each["grade"] < 0]
        if not set(expected) <= set(records):
            left_out.append(label["query_id"])
            continue
        queries.append(_query(label, row, expected, [id for id in forbidden if id in records]))
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        name=name,
        description="Made of a trace store.",
        evaluation_time=format_time(now),
        counts=Counts(
            records=len(records),
            development=sum(query.split == "development" for query in queries),
            holdout=sum(query.split == "holdout" for query in queries),
        ),
        quotas={},
        files={},
    )
    given = tuple(records.values())
    stored = tuple(record.record(now=manifest.evaluation_time) for record in given)
    return FromTraces(Dataset(manifest, given, stored, tuple(queries), ""), tuple(left_out))


def _record(row: dict[str, Any], seen: datetime) -> DatasetRecord:
    freshness = row["freshness"] or 1.0
    age = timedelta(days=-FOUNDATION.half_life_days * math.log2(freshness))
    return DatasetRecord(
        id=row["memory_id"],
        content=row["content"],
        workspace=WORKSPACE,
        created_at=format_time(seen - age),
        importance=row["importance"],
        confidence=row["confidence"],
    )


def _query(
    label: dict[str, Any], row: dict[str, Any], expected: list[str], forbidden: list[str]
) -> Query:
    otherwise = OTHERWISE if expected else OTHER
    known = get_args(Category)
    return Query(
        id=label["query_id"],
        split=label["split"] if label["split"] == "holdout" else "development",
        language="zh" if row["language"] == "cjk" else "en",
        category=label["category"] if label["category"] in known else otherwise,
        query=row["query_text"],
        workspace=WORKSPACE,
        project=None,
        expected_ids=tuple(expected),
        forbidden_ids=tuple(forbidden),
        rationale=f"Judged in the trace log; asked on {row['day']}.",
    )
