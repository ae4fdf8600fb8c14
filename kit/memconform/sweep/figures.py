"""The figures of a sweep and their names. Needs no package of the lab extra."""

from __future__ import annotations

from typing import Literal, get_args

from memconform.model.base import Response

Metric = Literal[
    "recall",
    "precision",
    "mrr",
    "success",
    "abstention",
    "false_positives",
    "forbidden",
    "selected",
    "passed",
    "hits",
]
METRICS: tuple[Metric, ...] = get_args(Metric)
# Those that are counted; the others are means.
COUNTS: frozenset[Metric] = frozenset(("false_positives", "forbidden", "hits"))
# Of these less is better: a bound on one is the most it may be.
LESS_IS_BETTER: frozenset[Metric] = frozenset(
    ("false_positives", "forbidden", "selected", "passed")
)


class Figures(Response, frozen=True, kw_only=True):
    """Every figure at one threshold. A mean of nothing is null.

    Attributes:
        recall: mean share of the relevant that is selected, over answerable retrievals.
        precision: mean share of the selected that is relevant, over the same; 0 where nothing is.
        mrr: mean of one over the place of the first relevant one; 0 where none is selected.
        success: share of answerable retrievals with a relevant one selected.
        abstention: share of the retrievals that expect nothing and get nothing.
        false_positives: what is selected where nothing is expected.
        forbidden: selections that a label forbids.
        selected: mean number of selected candidates, over all retrievals.
        passed: mean number of candidates that pass the gate, selected or not.
        hits: relevant candidates that are selected.
        retrievals: of how many retrievals these figures are.
    """

    recall: float | None
    precision: float | None
    mrr: float | None
    success: float | None
    abstention: float | None
    false_positives: int
    forbidden: int
    selected: float | None
    passed: float | None
    hits: int
    retrievals: int
