"""What ``traces import --json`` and ``traces info --json`` print."""

from __future__ import annotations

from memconform.model.base import Response

IMPORT_SCHEMA = "memconform-traces-import-1"
INFO_SCHEMA = "memconform-traces-info-1"


class Refusal(Response, frozen=True, kw_only=True):
    """Something that is not in the store; ``line`` is the row of a table."""

    source: str
    line: int
    reason: str


class Imported(Response, frozen=True, kw_only=True):
    """What ``traces import --json`` prints; see ``Summary``.

    Attributes:
        refused: how many were refused.
        refusals: the first 1,000 of them; ``refused.jsonl`` in the store has all.
    """

    schema: str
    added: int
    candidates: int
    known: int
    passed_over: int
    labels: int
    labels_known: int
    refused: int
    refusals: list[Refusal]


class Slice(Response, frozen=True, kw_only=True):
    """The retrievals of one day, store, gate and language class.

    Attributes:
        none_selected: retrievals that selected nothing.
        p50_ms: median of the known latencies, in milliseconds.
        p95_ms: 95th percentile of them.
        swept_from: the lowest floor that all of them can be asked for; null where one of them
            doesn't say.
    """

    day: str
    store: str | None
    gate: str | None
    language: str | None
    retrievals: int
    candidates: int
    selected: int
    none_selected: int
    p50_ms: float | None
    p95_ms: float | None
    swept_from: float | None


class Info(Response, frozen=True, kw_only=True):
    """The whole store.

    Attributes:
        store_schema: the version of its tables.
        bytes: of its Parquet files.
        with_text: whether it holds any query or content.
        labels: judgements of a memory for a query.
        judged_queries: queries with a judgement.
        judged_retrievals: retrievals of those queries.
        expecting_nothing: judged queries without a relevant memory.
    """

    schema: str
    store_schema: str
    retrievals: int
    candidates: int
    queries: int
    parts: int
    bytes: int
    with_text: bool
    labels: int
    judged_queries: int
    judged_retrievals: int
    expecting_nothing: int
    slices: list[Slice]
