"""Faults of features, score and order."""

from __future__ import annotations

from typing import Any

from memconform.faults.fault import Fault, foundation
from memconform.faults.seams import figure, stage
from memconform.retrieval import Ranked
from memconform.retrieval.ranking import order_key

SCORE = foundation("six-features-make-one-score")
ORDER = foundation("the-order-is-total")


def _older_update_first(ranked: Ranked) -> tuple[Any, ...]:
    score, updated, id = order_key(ranked)
    return score, -updated, id


FAULTS = (
    Fault(
        name="half-life-a-little-short",
        change="A memory is half as fresh after 179 days instead of 180.",
        suffers="Memories fade faster than the design says, and their order changes.",
        breaks=SCORE,
        killed_by=foundation("freshness-halves-every-180-days"),
        base="filesystem",
        seed=figure(half_life_days=179.0),
    ),
    Fault(
        name="older-update-first",
        change="Of two memories with the same score the one updated earlier comes first.",
        suffers="The limit cuts off what was written last.",
        breaks=ORDER,
        killed_by=foundation("the-later-update-comes-first"),
        base="filesystem",
        seed=stage(order_key=_older_update_first),
    ),
)
