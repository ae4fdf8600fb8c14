"""From single times to figures: percentiles, ratios between systems, growth with size."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence


def percentile(values: Sequence[float], percent: int) -> float:
    """A percentile of at least one value, interpolated between neighbours."""
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def ratio(theirs: Sequence[Sequence[float]], ours: Sequence[Sequence[float]]) -> float:
    """How many times longer they take than we do.

    A quotient of medians for each round, and the median of these: both were measured within
    seconds of each other, so that a machine which is busy for a while slows down both.

    Args:
        theirs: times, a row for each round.
        ours: the same.
    """
    return statistics.median(
        statistics.median(their) / statistics.median(our)
        for their, our in zip(theirs, ours, strict=True)
    )


def slope(medians: Mapping[int, float]) -> float | None:
    """Exponent of the growth with the number of records: 1 is proportional, 0 is none.

    The slope of the straight line through the logarithms. Null for fewer than two sizes.
    """
    if len(medians) < 2:
        return None
    sizes = [math.log(size) for size in medians]
    return statistics.linear_regression(sizes, [math.log(m) for m in medians.values()]).slope
