"""Ask every query of a split, judge what comes back, and put the report together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from memconform.evaluation import bootstrap
from memconform.evaluation import gates as gating
from memconform.evaluation.contenders import (
    Answer,
    Contender,
    EvaluationError,
    LegacyContender,
    PipelineContender,
    QueryFailed,
)
from memconform.evaluation.dataset import Dataset, Query, Split
from memconform.evaluation.frozen import Frozen
from memconform.evaluation.gates import Gates, Side
from memconform.evaluation.report import (
    SCHEMA,
    Baseline,
    Bootstrap,
    Candidate,
    Comparison,
    DatasetUsed,
    Evaluated,
    EvaluationReport,
    FailedQuery,
    Floors,
    Group,
    Marker,
    QueryResult,
    Times,
)
from memconform.evaluation.scorers import (
    Judged,
    Measure,
    Precision,
    Recall,
    ReciprocalRank,
    Silence,
    decision_scores,
    foundation_scores,
    nearest_rank,
    three_decimals,
)
from memconform.model import RelevanceMode, Trace
from memconform.retrieval import FOUNDATION, trace_hash

DEFAULT_K = 5
CAUSE = 500  # characters of what a store says of a query that failed
DEFAULT_SEED = 1
# What foundation is compared with: its own old gate, and the behaviour before it.
BASELINES: Mapping[str, Callable[[Dataset], Contender]] = {
    "historical-v1": lambda dataset: PipelineContender(dataset, "historical-v1"),
    "legacy": LegacyContender,
}
FROZEN = "frozen"  # how gates call the earlier result, whatever it calls itself
_Told = Callable[[int, int], None]


def contenders(*, frozen: bool) -> list[str]:
    """The names by which gates can call whoever else has figures in a run."""
    return [*BASELINES, *([FROZEN] if frozen else [])]


def _tell_nobody(done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class Run:
    """What came back for the queries of a split, in their order.

    Attributes:
        judged: one a query that was answered, as the next two.
        failed: the others.
    """

    judged: tuple[Judged, ...]
    answers: tuple[Answer, ...]
    milliseconds: tuple[float, ...]
    failed: tuple[FailedQuery, ...] = ()

    @property
    def characters(self) -> int:
        """Code points of all contents selected."""
        return sum(answer.characters for answer in self.answers)


def run(
    contender: Contender,
    dataset: Dataset,
    split: Split,
    k: int,
    *,
    timer: Callable[[], float] = time.perf_counter,
    told: _Told = _tell_nobody,
) -> Run:
    """Ask every query of a split once. One that fails is kept apart and not asked again.

    Args:
        contender: who is asked.
        dataset: whose queries are asked and judged by.
        split: which of them.
        k: how many records are asked for.
        timer: gives seconds from any start.
        told: is told after each query how many of how many are done.

    Raises:
        EvaluationError: there is no query, or none was answered.
    """
    queries = dataset.split(split)
    if not queries:
        raise EvaluationError(f"The dataset {dataset.name} has no {split} queries.")
    judged: list[Judged] = []
    answers: list[Answer] = []
    milliseconds: list[float] = []
    failures: list[tuple[Query, QueryFailed]] = []
    for done, query in enumerate(queries, 1):
        begin = timer()
        try:
            answer = contender.answer(query, k)
        except QueryFailed as failure:
            failures.append((query, failure))
        else:
            milliseconds.append((timer() - begin) * 1000)
            answers.append(answer)
            judged.append(Judged(query, answer.selected, dataset.standing(query)))
        told(done, len(queries))
    if not answers:
        raise EvaluationError(f"No query was answered. {failures[0][1]}")
    failed = tuple(_failed(query, failure) for query, failure in failures)
    return Run(tuple(judged), tuple(answers), tuple(milliseconds), failed)


def _failed(query: Query, failure: QueryFailed) -> FailedQuery:
    return FailedQuery(
        id=query.id,
        language=query.language,
        category=query.category,
        code=failure.code,
        cause=failure.cause[:CAUSE],
    )


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
    """
    judged = measured.judged
    decision = decision_scores(judged, k)
    traces = [answer.trace for answer in measured.answers if answer.trace is not None]
    others = {name: run(make(dataset), dataset, split, k) for name, make in BASELINES.items()}
    rivals: list[tuple[str, tuple[Judged, ...], int]] = [
        (name, other.judged, other.characters) for name, other in others.items()
    ]
    sides = {name: Side(other.judged) for name, other in others.items()}
    sides[gating.THIS] = Side(judged, measured.failed, len(contender.left_out))
    if frozen is not None:
        rivals.append((frozen.name, frozen.judged, frozen.characters))
        sides[FROZEN] = Side(frozen.judged)
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
        categories=_groups(judged, k, lambda query: query.category),
        languages=_groups(judged, k, lambda query: query.language),
        undeclared=list(contender.undeclared),
        left_out=list(contender.left_out),
        bootstrap=Bootstrap(seed=seed, resamples=bootstrap.RESAMPLES, level=float(bootstrap.LEVEL)),
        baselines=[
            _baseline(name, theirs, judged, characters=characters, k=k, seed=seed)
            for name, theirs, characters in rivals
        ],
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


def _baseline(
    name: str,
    others: Sequence[Judged],
    judged: Sequence[Judged],
    *,
    characters: int,
    k: int,
    seed: int,
) -> Baseline:
    comparisons = []
    for measure in (Recall(k), Precision(k), ReciprocalRank(k), Silence()):
        found = bootstrap.paired(_figures(measure, judged), _figures(measure, others), seed=seed)
        if found is not None:
            comparisons.append(
                Comparison(
                    measure=str(measure),
                    queries=found.queries,
                    difference=float(found.mean),
                    low=float(found.low),
                    high=float(found.high),
                    better=found.better,
                    worse=found.worse,
                )
            )
    return Baseline(
        name=name,
        foundation=foundation_scores(others, k, characters=characters),
        decision=decision_scores(others, k),
        comparisons=comparisons,
    )


def _figures(measure: Measure, judged: Iterable[Judged]) -> dict[str, Fraction]:
    """Query id -> figure as the decision scorer rounds it."""
    found = {each.query.id: measure.of(each) for each in judged}
    return {id: three_decimals(value) for id, value in found.items() if value is not None}


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
