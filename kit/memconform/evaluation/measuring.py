"""Ask every query of a split and judge what comes back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from memconform.evaluation.contenders import Answer, Contender, EvaluationError, QueryFailed
from memconform.evaluation.dataset import Dataset, Query, Split
from memconform.evaluation.report import FailedQuery
from memconform.evaluation.scorers import Judged

CAUSE = 500  # characters of what a store says of a query that failed
_Told = Callable[[int, int], None]


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
