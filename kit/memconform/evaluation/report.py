"""What an evaluation found, as types: written as JSON, the same bytes whenever it is run again.

Times are the one thing that differs between two runs, so they are a document of their own.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from memconform.evaluation.contenders import LeftOut
from memconform.evaluation.dataset import Category, Language, Split
from memconform.evaluation.scorers import DecisionScores, FoundationScores
from memconform.model import Features, Filtered, RelevanceMode, Response, Weights
from memconform.model.trace import TraceMode
from memconform.protocol import Capability

SCHEMA = "memconform-evaluation-1"
EVIDENCE_SCHEMA = "memconform-evidence-1"
GATES_SCHEMA = "memconform/gates/1"
TERMINOLOGY_SCHEMA = "memconform/terminology/1"
# Where the data came from: the marker of the kit's own invented data, or a folder that was named.
Marker = Literal["checked-in-anonymous-fixtures", "given-folder"]
MetricName = Literal[
    "recall",
    "precision",
    "mrr",
    "abstention",
    "false-positive-selections",
    "explicit-forbidden-selections",
    "forbidden-selections",
    "scope-leaks",
    "lifecycle-leaks",
    "authority-violations",
    "unknown-selections",
    "left-out-records",
]
Relation = Literal["==", "<=", ">=", "<", ">"]
Bound = Literal["value", "low", "high"]
GateOutcome = Literal["go", "no-go", "not-measured", "other-split"]


class Floors(Response, frozen=True, kw_only=True):
    """Least lexical coverage of a query without and with a CJK character."""

    latin: float
    cjk: float


class DatasetUsed(Response, frozen=True, kw_only=True):
    """Which queries over which records, those that failed counted.

    Attributes:
        digest: SHA-256 of the manifest.
    """

    name: str
    digest: str
    evaluation_time: str
    split: Split
    records: int
    queries: int


class Evaluated(Response, frozen=True, kw_only=True):
    """Who answered: as it says itself."""

    target: str
    name: str
    version: str


class Candidate(Response, frozen=True, kw_only=True):
    """A record that passed the relevance gate, as the trace tells it."""

    memory_id: str
    features: Features
    final_score: float
    selected: bool


class FailedQuery(Response, frozen=True, kw_only=True):
    """A query that came to no answer. It is in no figure, and no figure stands in for it.

    Attributes:
        code: of the store's refusal, or the kind of fault: crash, timeout, bad-message.
        cause: what was said or seen, at most 500 characters.
    """

    id: str
    language: Language
    category: Category
    code: str
    cause: str


class QueryResult(Response, frozen=True, kw_only=True):
    """One query.

    Attributes:
        recall_at_k: rounded to three decimals, half up, as the next two; null where nothing is
            expected.
        abstained: whether nothing was selected; null where something is expected.
        forbidden: selections that the label forbids by name.
        unsafe: selections that are out of scope, inactive, a directive or no record.
        candidates: what passed the gate; null without a trace, as the next two.
        trace_hash: SHA-256 of the trace without its time.
    """

    id: str
    language: Language
    category: Category
    expected_ids: list[str]
    selected_ids: list[str]
    recall_at_k: float | None
    precision_at_k: float | None
    reciprocal_rank: float | None
    abstained: bool | None
    forbidden: list[str]
    unsafe: list[str]
    candidates: list[Candidate] | None
    filtered: Filtered | None
    trace_hash: str | None


class Group(Response, frozen=True, kw_only=True):
    """The decision scorer over a part of the queries: a category or a language."""

    name: str
    decision: DecisionScores


class Comparison(Response, frozen=True, kw_only=True):
    """A paired difference, this minus the baseline, with its bootstrap interval.

    Attributes:
        measure: R@k, P@k, RR@k or Silence.
        queries: how many both have a figure for.
    """

    measure: str
    queries: int
    difference: float
    low: float
    high: float
    better: int
    worse: int


class GroupComparisons(Response, frozen=True, kw_only=True):
    """The paired differences over a part of the queries; few queries make wide intervals."""

    dimension: Literal["language", "category"]
    name: str
    comparisons: list[Comparison]


class Baseline(Response, frozen=True, kw_only=True):
    """Another contender on the same queries, and what this one gained on it.

    Attributes:
        name: ``historical-v1``, ``legacy``, with a terminology map the gate without it and
            ``terminology-map``, or what a frozen result says of itself.
        comparisons: over all queries that both answered.
        groups: over those of each language and category.
    """

    name: str
    foundation: FoundationScores
    decision: DecisionScores
    comparisons: list[Comparison]
    groups: list[GroupComparisons]


class TerminologyUsed(Response, frozen=True, kw_only=True):
    """The second lexical candidate: its map, and what it gained on the others.

    Attributes:
        name: as the map says itself.
        digest: SHA-256 of the file.
        terms: how many it has.
        rewritten: query id -> what was asked besides, of the queries that the map changes.
        against: the other contenders, with the differences, terminology-map minus each.
    """

    name: str
    digest: str
    terms: int
    rewritten: dict[str, str]
    against: list[Baseline]


class Bootstrap(Response, frozen=True, kw_only=True):
    """How the intervals were drawn."""

    seed: int
    resamples: int
    level: float


class GateResult(Response, frozen=True, kw_only=True):
    """One gate as it was declared, and what became of it.

    Attributes:
        on: the figure itself, or the lower or upper end of its bootstrap interval.
        against: the contender that the difference is taken to; null for the figure itself.
        figure: what was held against the threshold; null where nothing was measured.
        queries: how many the figure is of.
        outcome: not-measured counts as no-go; other-split was not to be decided here.
        why: nothing was measured; null where something was.
    """

    name: str
    metric: MetricName
    on: Bound
    of: str
    against: str | None
    split: Split | None
    language: Language | None
    category: Category | None
    comparison: Relation
    threshold: float
    figure: float | None
    queries: int
    outcome: GateOutcome
    why: str | None


class GatesDecided(Response, frozen=True, kw_only=True):
    """What the gates that were declared beforehand say.

    Attributes:
        digest: SHA-256 of their file.
        go: every gate of this split holds, nothing unsafe was selected and no query failed.
    """

    digest: str
    go: bool
    results: list[GateResult]


class EvaluationReport(Response, frozen=True, kw_only=True):
    """One evaluation.

    Attributes:
        modes: how the store answered, as its traces say; empty without traces.
        weights: as its traces say; null without traces.
        floors: of the gate; null of the historical one, where any coverage passes, and where the
            store does not declare ``mode`` and so has a gate of its own, or none.
        undeclared: capabilities that the dataset may call for and the store does not declare. A
            store without ``workspaces`` has no wall there; its scope leaks say just that.
        left_out: records that the store does not have.
        lock: SHA-256 of the lock file; null on development.
        terminology: of the second lexical candidate; null where no map was given.
        gates: what they decided; null where none were given.
        failed: queries that came to no answer; ``queries`` and all figures are of the others.
        scores: query id -> the store's score of each selection, in their order; null where it
            gives none to any.
    """

    schema: str
    marker: Marker
    evaluated: Evaluated
    dataset: DatasetUsed
    gate: RelevanceMode
    k: int
    modes: list[TraceMode]
    weights: Weights | None
    floors: Floors | None
    lock: str | None
    foundation: FoundationScores
    decision: DecisionScores
    safe: bool
    categories: list[Group]
    languages: list[Group]
    undeclared: list[Capability]
    left_out: list[LeftOut]
    bootstrap: Bootstrap
    baselines: list[Baseline]
    terminology: TerminologyUsed | None
    gates: GatesDecided | None
    failed: list[FailedQuery]
    queries: list[QueryResult]
    scores: dict[str, list[float | None]] | None


class Evidence(Response, frozen=True, kw_only=True):
    """The part of a report that must stay, byte for byte, while the design stays.

    It names no target and no version: every store of the design gives the same, apart from the
    mode, and from the hash of the trace that the mode is a part of.
    """

    schema: str
    dataset: DatasetUsed
    gate: RelevanceMode
    k: int
    modes: list[TraceMode]
    weights: Weights | None
    floors: Floors | None
    foundation: FoundationScores
    decision: DecisionScores
    queries: list[QueryResult]


def evidence_of(report: EvaluationReport) -> Evidence:
    """The evidence in a report.

    Raises:
        ValueError: some queries failed; what is left is evidence of nothing.
    """
    if report.failed:
        raise ValueError(f"{len(report.failed)} queries failed.")
    return Evidence(
        schema=EVIDENCE_SCHEMA,
        dataset=report.dataset,
        gate=report.gate,
        k=report.k,
        modes=report.modes,
        weights=report.weights,
        floors=report.floors,
        foundation=report.foundation,
        decision=report.decision,
        queries=report.queries,
    )


class Times(Response, frozen=True, kw_only=True):
    """What differs from run to run, in milliseconds.

    Attributes:
        latency_ms: of all queries together.
        p50_ms: nearest-rank percentiles over the queries, as the next.
        queries: one a query, in the order of the report.
    """

    latency_ms: float
    p50_ms: float
    p95_ms: float
    queries: list[float]


def encoded(document: Response) -> bytes:
    """A document as JSON, the same bytes for the same document."""
    return msgspec.json.format(msgspec.json.encode(document, order="deterministic"), indent=2) + (
        b"\n"
    )


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
