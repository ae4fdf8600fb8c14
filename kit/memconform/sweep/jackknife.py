"""How sure a curve is: delete-a-group jackknife bands over the queries of a sweep.

The retrievals are dealt into groups, and every figure is worked out again without each of them.
Since the sums of disjoint retrievals add up, "without a group" is a subtraction, so bands for all
thresholds cost one more pass over the candidates and not one a group. The variance is
``(g - 1) / g * sum((figure without group - mean of these) ** 2)`` over g groups (Efron and
Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 11); a band is 1.96 of its root to
both sides, kept within what the figure can be.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from memconform.sweep.curves import Curve, curve
from memconform.sweep.figures import COUNTS, Metric
from memconform.sweep.result import Sweep
from memconform.sweep.rows import Floats, Rows
from memconform.sweep.sums import merge, partial

GROUPS = 20
Z95 = 1.959963984540054  # of the normal distribution, two-sided 95 %


@dataclass(frozen=True, eq=False)
class Band:
    """A figure at every threshold with its 95 % band; all of one length, ascending thresholds."""

    thresholds: Floats
    values: Floats
    low: Floats
    high: Floats


def bands(
    sweep: Sweep,
    metrics: tuple[Metric, ...],
    *,
    group: tuple[str, str] | None = None,
    groups: int = GROUPS,
    seed: int = 1,
) -> dict[Metric, Band]:
    """Bands of some figures.

    Args:
        sweep: with its rows kept.
        metrics: means only; a count has no band.
        group: dimension and group, such as ``("language", "cjk")``; None is everything.
        groups: into how many the retrievals are dealt.
        seed: of the dealing.

    Raises:
        SweepError: the rows weren't kept, or there is no such dimension.
        ValueError: a count was asked for.
    """
    if counts := [name for name in metrics if name in COUNTS]:
        raise ValueError(f"{counts[0]} is a count; a band belongs to a mean")
    whole = sweep.overall if group is None else sweep.by(group[0])[group[1]]
    curves = list(_of_groups(sweep, group, groups, seed))
    found: dict[Metric, Band] = {}
    for name in metrics:
        total, count = whole.numerator(name)
        without = []
        for each in curves:
            sums, of = (np.zeros(1), 0) if each is None else each.numerator(name)
            if count - of > 0:
                steps = np.array([np.inf]) if each is None else each.thresholds
                at = np.searchsorted(steps, whole.thresholds, side="left")
                without.append((total - sums[at]) / (count - of))
        found[name] = _band(whole, name, without)
    return found


def _of_groups(
    sweep: Sweep, group: tuple[str, str] | None, groups: int, seed: int
) -> Iterator[Curve | None]:
    """The curve of each group of retrievals, by one pass with the groups as a dimension.

    None is a group that got nothing: without it everything is as it is.
    """
    random = np.random.default_rng(seed)
    part = merge([partial(_dealt(rows, groups, random), sweep.k) for rows in sweep.rows])
    wanted = None if group is None else part.dimensions.index(group[0])
    for dealt in range(groups):
        cells = [
            cell
            for cell, name in enumerate(part.names)
            if name[-1] == str(dealt)
            and (wanted is None or group is None or name[wanted] == group[1])
            and part.retrievals[cell]
        ]
        yield curve(part, cells) if cells else None


def _dealt(rows: Rows, groups: int, random: np.random.Generator) -> Rows:
    hand = random.integers(0, groups, size=len(rows))
    return dataclasses.replace(
        rows,
        cells=rows.cells * groups + hand,
        dimensions=(*rows.dimensions, "jackknife"),
        names=tuple((*name, str(dealt)) for name in rows.names for dealt in range(groups)),
        complete_from=np.repeat(rows.complete_from, groups),
    )


def _band(whole: Curve, name: Metric, without: Sequence[Floats]) -> Band:
    values = whole.metric(name)
    g = len(without)
    if g < 2:
        return Band(whole.thresholds, values, values, values)
    others = np.array(without)
    spread = np.sqrt((g - 1) / g * ((others - others.mean(axis=0)) ** 2).sum(axis=0))
    top = np.inf if name in ("selected", "passed") else 1.0
    low = np.clip(values - Z95 * spread, 0.0, top)
    return Band(whole.thresholds, values, low, np.clip(values + Z95 * spread, 0.0, top))
