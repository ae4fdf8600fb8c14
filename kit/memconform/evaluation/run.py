"""From what came back for the queries of a split to the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from memconform.evaluation import bootstrap
from memconform.evaluation import gates as gating
from memconform.evaluation.contenders import Answer, Contender
from memconform.evaluation.dataset import Dataset, Query, Split
from memconform.evaluation.frozen import Frozen
from memconform.evaluation.gates import Gates, Side
from memconform.evaluation.measuring import Run, run
from memconform.evaluation.report import (
    SCHEMA,
    Bootstrap,
    Candidate,
    DatasetUsed,
    Evaluated,
    EvaluationReport,
    Floors,
    Group,
    Marker,
    QueryResult,
    Times,
)
from memconform.evaluation.rivals import DIMENSIONS, against, rivals_of, terminology_used
from memconform.evaluation.scorers import (
    Judged,
    Measure,
    Precision,
    Recall,
    ReciprocalRank,
    decision_scores,
    foundation_scores,
    nearest_rank,
    three_decimals,
)
from memconform.evaluation.terminology import Terminology
from memconform.model import RelevanceMode, Trace
from memconform.retrieval import FOUNDATION, trace_hash

__all__ = ["DEFAULT_K", "DEFAULT_SEED", "Run", "report_of", "run", "times_of"]

DEFAULT_K = 5
DEFAULT_SEED = 1


def report_of(
    measured: Run,
    dataset: Dataset,
    contender: Contender,
    evaluated: Evaluated,
    *,
    marker: Marker,
    split: Split,
    gate: RelevanceMode,
    k: int,
    frozen: Frozen | None = None,
    floors: Floors | None = None,
    lock: str | None = None,
    seed: int = DEFAULT_SEED,
    gates: Gates | None = None,
    terminology: Terminology | None = None,
) -> EvaluationReport:
    """The report of a run, with the baselines on the same queries.

    Args:
        measured: what came back.
        dataset: whose queries were asked.
        contender: who was asked.
        evaluated: what it is called.
        marker: where the dataset came from.
        split: which queries were asked.
        gate: the relevance gate that was asked for.
        k: how many records were asked for.
        frozen: an earlier result to compare with.
        floors: those of a configuration, in place of foundation's.
        lock: SHA-256 of the lock file, for the holdout.
        seed: of the bootstrap.
        gates: what decides, declared beforehand; they fit the run.
        terminology: the map of the second lexical candidate, to be measured beside.
    """
    judged = measured.judged
    decision = decision_scores(judged, k)
    traces = [answer.trace for answer in measured.answers if answer.trace is not None]
    rivals = rivals_of(dataset, split, k, gate=gate, frozen=frozen, terminology=terminology)
    sides = {rival.called: Side(rival.judged) for rival in rivals}
    sides[gating.THIS] = Side(judged, measured.failed, len(contender.left_out))
    return EvaluationReport(
        schema=SCHEMA,
        marker=marker,
        evaluated=evaluated,
        dataset=DatasetUsed(
            name=dataset.name,
            digest=dataset.digest,
            evaluation_time=dataset.now,
            split=split,
            records=len(dataset.records),
            queries=len(judged) + len(measured.failed),
        ),
        gate=gate,
        k=k,
        modes=sorted({trace.mode for trace in traces}),
        weights=traces[0].ranking_weights if traces else None,
        floors=floors or (None if "mode" in contender.undeclared else _floors(gate)),
        lock=lock,
        foundation=foundation_scores(judged, k, characters=measured.characters),
        decision=decision,
        safe=decision.safe,
        categories=_groups(judged, k, DIMENSIONS["category"]),
        languages=_groups(judged, k, DIMENSIONS["language"]),
        undeclared=list(contender.undeclared),
        left_out=list(contender.left_out),
        bootstrap=Bootstrap(seed=seed, resamples=bootstrap.RESAMPLES, level=float(bootstrap.LEVEL)),
        baselines=[against(rival, judged, k=k, seed=seed) for rival in rivals],
        terminology=None
        if terminology is None
        else terminology_used(terminology, rivals, k=k, seed=seed),
        gates=None
        if gates is None
        else gating.decide(gates, sides, split=split, k=k, seed=seed, safe=decision.safe),
        failed=list(measured.failed),
        queries=[
            _query_result(each, answer, k)
            for each, answer in zip(judged, measured.answers, strict=True)
        ],
        scores=_scores(measured),
    )


def _scores(measured: Run) -> dict[str, list[float | None]] | None:
    """Those of each query, where the store gives any."""
    if not any(score is not None for answer in measured.answers for score in answer.scores):
        return None
    return {
        each.query.id: list(answer.scores)
        for each, answer in zip(measured.judged, measured.answers, strict=True)
    }


def times_of(measured: Run) -> Times:
    """The times of a run, rounded to microseconds."""
    figures = measured.milliseconds
    return Times(
        latency_ms=round(sum(figures), 3),
        p50_ms=round(nearest_rank(figures, Fraction(50, 100)), 3),
        p95_ms=round(nearest_rank(figures, Fraction(95, 100)), 3),
        queries=[round(each, 3) for each in figures],
    )


def _floors(gate: RelevanceMode) -> Floors | None:
    if gate == "historical-v1":
        return None
    return Floors(latin=FOUNDATION.floor, cjk=FOUNDATION.cjk_floor)


def _groups(judged: Sequence[Judged], k: int, key: Callable[[Query], str]) -> list[Group]:
    names = dict.fromkeys(key(each.query) for each in judged)
    return [
        Group(
            name=name,
            decision=decision_scores([each for each in judged if key(each.query) == name], k),
        )
        for name in names
    ]


def _query_result(judged: Judged, answer: Answer, k: int) -> QueryResult:
    trace = answer.trace
    query = judged.query
    return QueryResult(
        id=query.id,
        language=query.language,
        category=query.category,
        expected_ids=list(query.expected_ids),
        selected_ids=list(judged.selected),
        recall_at_k=_rounded(Recall(k), judged),
        precision_at_k=_rounded(Precision(k), judged),
        reciprocal_rank=_rounded(ReciprocalRank(k), judged),
        abstained=None if judged.answerable else not judged.selected,
        forbidden=judged.listed(),
        unsafe=[id for id in judged.selected if judged.standing.get(id) != "eligible"],
        candidates=None if trace is None else _candidates(trace),
        filtered=None if trace is None else trace.filtered,
        trace_hash=None if trace is None else trace_hash(trace),
    )


def _rounded(measure: Measure, judged: Judged) -> float | None:
    value = measure.of(judged)
    return None if value is None else float(three_decimals(value))


def _candidates(trace: Trace) -> list[Candidate]:
    return [
        Candidate(
            memory_id=ranking.memory_id,
            features=ranking.features,
            final_score=ranking.final_score,
            selected=ranking.selected,
        )
        for ranking in trace.rankings
    ]
