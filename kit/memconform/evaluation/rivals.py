"""Who answers the same queries beside the evaluated store, and the paired differences to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from memconform.evaluation import bootstrap
from memconform.evaluation.contenders import Contender, LegacyContender, PipelineContender
from memconform.evaluation.dataset import Dataset, Query, Split
from memconform.evaluation.frozen import Frozen
from memconform.evaluation.measuring import run
from memconform.evaluation.report import Baseline, Comparison, GroupComparisons, TerminologyUsed
from memconform.evaluation.scorers import (
    Judged,
    Measure,
    Precision,
    Recall,
    ReciprocalRank,
    Silence,
    decision_scores,
    foundation_scores,
    three_decimals,
)
from memconform.evaluation.terminology import NAME as TERMINOLOGY
from memconform.evaluation.terminology import Terminology, TerminologyContender
from memconform.model import RelevanceMode

# What foundation is compared with: its own old gate, and the behaviour before it.
BASELINES: Mapping[str, Callable[[Dataset], Contender]] = {
    "historical-v1": lambda dataset: PipelineContender(dataset, "historical-v1"),
    "legacy": LegacyContender,
}
FROZEN = "frozen"  # how gates call the earlier result, whatever it calls itself
Dimension = Literal["language", "category"]
DIMENSIONS: Mapping[Dimension, Callable[[Query], str]] = {
    "language": lambda query: query.language,
    "category": lambda query: query.category,
}


@dataclass(frozen=True)
class Rival:
    """Another contender, asked.

    Attributes:
        name: in reports.
        called: by gates.
        characters: of all contents selected.
    """

    name: str
    called: str
    judged: tuple[Judged, ...]
    characters: int


def contenders(*, gate: RelevanceMode, frozen: bool, terminology: bool) -> list[str]:
    """The names by which gates can call whoever else has figures in a run."""
    lexical = [gate, TERMINOLOGY] if terminology else []
    return list(dict.fromkeys([*BASELINES, *lexical, *([FROZEN] if frozen else [])]))


def rivals_of(
    dataset: Dataset,
    split: Split,
    k: int,
    *,
    gate: RelevanceMode,
    frozen: Frozen | None,
    terminology: Terminology | None,
) -> list[Rival]:
    """All of them, having been asked: the baselines, the lexical candidates, the frozen result."""
    makers = dict(BASELINES)
    if terminology is not None:
        makers.setdefault(gate, lambda dataset: PipelineContender(dataset, gate))
        makers[TERMINOLOGY] = lambda dataset: TerminologyContender(dataset, terminology, gate)
    found = []
    for name, make in makers.items():
        done = run(make(dataset), dataset, split, k)
        found.append(Rival(name, name, done.judged, done.characters))
    if frozen is not None:
        found.append(Rival(frozen.name, FROZEN, frozen.judged, frozen.characters))
    return found


def against(rival: Rival, judged: Sequence[Judged], *, k: int, seed: int) -> Baseline:
    """What a contender gained on a rival, over all queries and over each group of them."""
    return Baseline(
        name=rival.name,
        foundation=foundation_scores(rival.judged, k, characters=rival.characters),
        decision=decision_scores(rival.judged, k),
        comparisons=_comparisons(judged, rival.judged, k, seed),
        groups=_groups(judged, rival.judged, k, seed),
    )


def terminology_used(
    terminology: Terminology, rivals: Sequence[Rival], *, k: int, seed: int
) -> TerminologyUsed:
    """What the second lexical candidate, one of the rivals, gained on the others."""
    candidate = next(rival for rival in rivals if rival.called == TERMINOLOGY)
    queries = [each.query for each in candidate.judged]
    said = {query.id: terminology.rewritten(query.query) for query in queries}
    return TerminologyUsed(
        name=terminology.name,
        digest=terminology.digest,
        terms=len(terminology.terms),
        rewritten={query.id: said[query.id] for query in queries if said[query.id] != query.query},
        against=[
            against(rival, candidate.judged, k=k, seed=seed)
            for rival in rivals
            if rival is not candidate
        ],
    )


def _groups(
    judged: Sequence[Judged], others: Sequence[Judged], k: int, seed: int
) -> list[GroupComparisons]:
    found = []
    for dimension, key in DIMENSIONS.items():
        for name in dict.fromkeys(key(each.query) for each in judged):
            these = [each for each in judged if key(each.query) == name]
            found.append(
                GroupComparisons(
                    dimension=dimension,
                    name=name,
                    comparisons=_comparisons(these, others, k, seed),
                )
            )
    return found


def _comparisons(
    judged: Sequence[Judged], others: Sequence[Judged], k: int, seed: int
) -> list[Comparison]:
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
    return comparisons


def _figures(measure: Measure, judged: Iterable[Judged]) -> dict[str, Fraction]:
    """Query id -> figure as the decision scorer rounds it."""
    found = {each.query.id: measure.of(each) for each in judged}
    return {id: three_decimals(value) for id, value in found.items() if value is not None}
