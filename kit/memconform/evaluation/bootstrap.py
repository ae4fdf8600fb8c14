"""Paired differences between two contenders, with a bootstrap interval that a seed fixes.

Both answered the same queries, so a query's difference says more than two means do: what is hard
for both drops out. Queries are drawn with replacement; the interval holds the middle 95 % of the
means of the draws.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

RESAMPLES = 10_000
LEVEL = Fraction(95, 100)


@dataclass(frozen=True)
class Difference:
    """What one contender gained on another, query by query.

    Attributes:
        queries: how many both have a figure for.
        mean: of the differences, this minus the other.
        low: lower end of the interval, as high is its upper end.
        better: queries on which this one has the higher figure.
        worse: queries on which it has the lower one.
    """

    queries: int
    mean: Fraction
    low: Fraction
    high: Fraction
    better: int
    worse: int


def paired(
    these: Mapping[str, Fraction],
    others: Mapping[str, Fraction],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Difference | None:
    """Compare the figures of the queries that both have; None where there is none.

    Args:
        these: query id -> figure of the contender.
        others: query id -> figure of the baseline.
        seed: fixes the draws; the same for every measure, so the same queries are drawn.
        resamples: number of draws.
    """
    ids = sorted(these.keys() & others.keys())
    if not ids:
        return None
    deltas = [these[id] - others[id] for id in ids]
    # Whole numbers: their sums are exact, and fast.
    unit = math.lcm(*(delta.denominator for delta in deltas))
    counts = [int(delta * unit) for delta in deltas]
    # Reproducible is what is wanted here, not unpredictable.
    draw = random.Random(seed)  # noqa: S311 - a repeatable sample, no secret
    sums = sorted(sum(draw.choices(counts, k=len(counts))) for _ in range(resamples))
    tail = (1 - LEVEL) / 2
    lowest = math.floor(tail * resamples)
    highest = math.ceil((1 - tail) * resamples) - 1
    scale = unit * len(ids)
    return Difference(
        queries=len(ids),
        mean=Fraction(sum(counts), scale),
        low=Fraction(sums[lowest], scale),
        high=Fraction(sums[highest], scale),
        better=sum(count > 0 for count in counts),
        worse=sum(count < 0 for count in counts),
    )
