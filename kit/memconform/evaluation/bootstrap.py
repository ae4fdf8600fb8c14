"""Paired differences between two contenders, with a bootstrap interval that a seed fixes.

Both answered the same queries, so a query's difference says more than two means do: what is hard
for both drops out. Queries are drawn with replacement; the interval holds the middle 95 % of the
means of the draws.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

RESAMPLES = 10_000
LEVEL = Fraction(95, 100)
KEPT = 1 << 19  # queries drawn at a call, and kept where they are no more


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
    low, high = _ends(tuple(counts), seed, resamples)
    scale = unit * len(ids)
    return Difference(
        queries=len(ids),
        mean=Fraction(sum(counts), scale),
        low=Fraction(low, scale),
        high=Fraction(high, scale),
        better=sum(count > 0 for count in counts),
        worse=sum(count < 0 for count in counts),
    )


@lru_cache(maxsize=1024)  # the same differences come up in several tables of a report
def _ends(counts: tuple[int, ...], seed: int, resamples: int) -> tuple[int, int]:
    """The ends of the middle of the sums of the draws."""
    if min(counts) == max(counts):  # every draw is the same
        return sum(counts), sum(counts)
    size = len(counts)
    sums: list[int] = []
    for drawn in _drawn(counts, seed, resamples):
        sums += map(sum, zip(*[iter(drawn)] * size, strict=True))
    sums.sort()
    tail = (1 - LEVEL) / 2
    lowest = math.floor(tail * resamples)
    highest = math.ceil((1 - tail) * resamples) - 1
    return sums[lowest], sums[highest]


def _drawn(counts: Sequence[int], seed: int, resamples: int) -> Iterator[Iterable[int]]:
    """What is drawn, draw after draw, in several pieces."""
    size = len(counts)
    if size * resamples <= KEPT:
        yield map(counts.__getitem__, _places(size, seed, resamples))
        return
    draw = _random(seed)
    most = max(1, KEPT // size)
    for done in range(0, resamples, most):
        yield draw.choices(counts, k=size * min(most, resamples - done))


@lru_cache(maxsize=16)  # every measure of as many queries is drawn alike
def _places(size: int, seed: int, resamples: int) -> Sequence[int]:
    return array("I", _random(seed).choices(range(size), k=size * resamples))


def _random(seed: int) -> random.Random:
    # Reproducible is what is wanted here, not unpredictable.
    return random.Random(seed)  # noqa: S311 - a repeatable sample, no secret
