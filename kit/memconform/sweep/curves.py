"""From sums to figures: a curve has every figure at every distinct gate value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from memconform.sweep.errors import SweepError
from memconform.sweep.figures import COUNTS, METRICS, Figures, Metric
from memconform.sweep.rows import Bools, Floats, Ints
from memconform.sweep.sums import Ends, Kind, Partial

# Shares such as 1/3 are added up in units of 2**-60, in two whole numbers of 30 bits each: exact to
# the last digit of a float, however many there are.
_LIMB = 30


@dataclass(frozen=True)
class Sums:
    """The numerators and denominators of figures; those of disjoint retrievals add up."""

    recall: float
    precision: float
    reciprocal: float
    succeeded: int
    silenced: int
    false_positives: int
    forbidden: int
    selected: int
    passed: int
    hits: int
    retrievals: int
    answerable: int
    silent: int

    def __add__(self, other: Sums) -> Sums:
        """The sums of both."""
        mine, theirs = vars(self), vars(other)
        return Sums(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def figures(self) -> Figures:
        """What they come to."""
        return Figures(
            recall=_mean(self.recall, self.answerable),
            precision=_mean(self.precision, self.answerable),
            mrr=_mean(self.reciprocal, self.answerable),
            success=_mean(self.succeeded, self.answerable),
            abstention=_mean(self.silenced, self.silent),
            false_positives=self.false_positives,
            forbidden=self.forbidden,
            selected=_mean(self.selected, self.retrievals),
            passed=_mean(self.passed, self.retrievals),
            hits=self.hits,
            retrievals=self.retrievals,
        )


def _mean(total: float, count: int) -> float | None:
    return float(total / count) if count else None


@dataclass(frozen=True, eq=False)
class Curve:
    """Every figure as a step function of the threshold.

    Attributes:
        thresholds: (S + 1,) the distinct gate values at which something passes that did not just
            above, ascending; the last is infinity, where only what passes always is left. The
            figures at one of them hold from just above the one before up to it.
        complete_from: the lowest threshold that can be asked; minus infinity for any.
        retrievals: how many there are, as the two below.
        answerable: those that have something relevant.
        silent: those that expect nothing.
        recall_sum: (S + 1,) sum over retrievals, as the next two.
    """

    thresholds: Floats
    complete_from: float
    retrievals: int
    answerable: int
    silent: int
    recall_sum: Floats
    precision_sum: Floats
    reciprocal_sum: Floats
    succeeded: Ints
    silenced: Ints
    false_positives: Ints
    forbidden: Ints
    selected_sum: Ints
    passed_sum: Ints
    hits: Ints

    def __len__(self) -> int:
        """The number of thresholds, infinity among them."""
        return len(self.thresholds)

    def numerator(self, name: Metric) -> tuple[Floats, int]:
        """(S + 1,) the sums that a figure is the mean of, and of how many; 1 for what is no mean.

        Raises:
            SweepError: there is no such figure.
        """
        sums: dict[str, tuple[Ints | Floats, int]] = {
            "recall": (self.recall_sum, self.answerable),
            "precision": (self.precision_sum, self.answerable),
            "mrr": (self.reciprocal_sum, self.answerable),
            "success": (self.succeeded, self.answerable),
            "abstention": (self.silenced, self.silent),
            "selected": (self.selected_sum, self.retrievals),
            "passed": (self.passed_sum, self.retrievals),
        }
        if name in sums:
            total, count = sums[name]
            return np.asarray(total, np.float64), count
        if name in COUNTS:
            return np.asarray(getattr(self, name), np.float64), 1
        raise SweepError(f"There is no figure {name!r}; there are {', '.join(METRICS)}.")

    def metric(self, name: Metric) -> Floats:
        """(S + 1,) one figure at every threshold, as ``Figures`` has it; NaN for a mean of none.

        Raises:
            SweepError: there is no such figure.
        """
        total, count = self.numerator(name)
        return total / count if count else np.full(len(self), np.nan)

    @cached_property
    def frame(self) -> dict[str, Floats]:
        """The thresholds and every figure, by name."""
        return {"threshold": self.thresholds, **{name: self.metric(name) for name in METRICS}}

    def place(self, threshold: float) -> int:
        """Which step a threshold is on.

        Raises:
            SweepError: it is NaN, or below what the trace has all candidates of.
        """
        if np.isnan(threshold):
            raise SweepError("A threshold is a number; NaN is none.")
        if threshold < self.complete_from:
            raise SweepError(
                f"The trace has every candidate only from {self.complete_from:g} on, so nothing "
                f"can be said of the threshold {threshold:g}; log with a lower floor to see below."
            )
        return int(np.searchsorted(self.thresholds, threshold, "left"))

    def sums_at(self, threshold: float) -> Sums:
        """Numerators and denominators at a threshold; found by bisection.

        Raises:
            SweepError: as ``place``.
        """
        at = self.place(threshold)
        return Sums(
            recall=float(self.recall_sum[at]),
            precision=float(self.precision_sum[at]),
            reciprocal=float(self.reciprocal_sum[at]),
            succeeded=int(self.succeeded[at]),
            silenced=int(self.silenced[at]),
            false_positives=int(self.false_positives[at]),
            forbidden=int(self.forbidden[at]),
            selected=int(self.selected_sum[at]),
            passed=int(self.passed_sum[at]),
            hits=int(self.hits[at]),
            retrievals=self.retrievals,
            answerable=self.answerable,
            silent=self.silent,
        )

    def at(self, threshold: float) -> Figures:
        """Every figure at a threshold; nothing is scanned.

        Raises:
            SweepError: as ``place``.
        """
        return self.sums_at(threshold).figures


def curve(part: Partial, cells: Sequence[int] | None = None) -> Curve:
    """The curve of these cells together, of all if left out."""
    wanted = np.ones(len(part.names), np.bool_)
    if cells is not None:
        wanted[:] = False
        wanted[list(cells)] = True
    return _Finish(part, wanted).curve()


class _Finish:
    """Adds the ends of intervals up along the thresholds."""

    def __init__(self, part: Partial, wanted: Bools) -> None:
        self._part = part
        self._wanted = wanted
        top = len(part.values) + 1
        passing = part.ends["passed"]
        mine = self._wanted[passing.cell]
        seen = np.zeros(top + 1, np.bool_)
        seen[passing.level[mine]] = True
        seen[0], seen[top] = False, True  # infinity is a step of its own
        self._levels = np.flatnonzero(seen)
        self._steps = len(self._levels)
        # What ends at a level counts no more from the step after it.
        self._step_after = np.cumsum(seen, dtype=np.int64)

    def curve(self) -> Curve:
        part, wanted = self._part, self._wanted
        bound = float(part.complete_from[wanted].max(initial=-np.inf))
        thresholds = np.append(part.values[self._levels[:-1] - 1], np.inf)
        begin = int(np.searchsorted(thresholds, bound, "left"))
        return Curve(
            thresholds=thresholds[begin:],
            complete_from=bound,
            retrievals=int(part.retrievals[wanted].sum()),
            answerable=int(part.answerable[wanted].sum()),
            silent=int(part.silent[wanted].sum()),
            recall_sum=self._shares("found")[begin:],
            precision_sum=self._shares("exact")[begin:],
            reciprocal_sum=self._shares("first")[begin:],
            succeeded=self._whole("first")[begin:],
            silenced=self._whole("silenced")[begin:],
            false_positives=self._whole("false_positives")[begin:],
            forbidden=self._whole("forbidden")[begin:],
            selected_sum=self._whole("selected")[begin:],
            passed_sum=self._whole("passed")[begin:],
            hits=self._whole("found")[begin:],
        )

    def _ends(self, kind: Kind) -> tuple[Ends, Ints, Bools]:
        """The ends of a kind, the step from which each counts, and which are wanted."""
        ends = self._part.ends[kind]
        mine = self._wanted[ends.cell]
        step = self._step_after[ends.level[mine]]
        return ends, step, mine

    def _cumulated(self, step: Ints, count: Ints) -> Ints:
        delta = np.zeros(self._steps + 1, np.int64)
        np.add.at(delta, step, count)
        return np.cumsum(delta)[: self._steps]

    def _whole(self, kind: Kind) -> Ints:
        ends, step, mine = self._ends(kind)
        return self._cumulated(step, ends.count[mine])

    def _shares(self, kind: Kind) -> Floats:
        ends, step, mine = self._ends(kind)
        denominators, which = np.unique(ends.share[mine], return_inverse=True)
        units = [((2 << 2 * _LIMB) // int(d) + 1) // 2 for d in denominators]  # rounded
        high = np.array([unit >> _LIMB for unit in units], np.int64)
        low = np.array([unit & ((1 << _LIMB) - 1) for unit in units], np.int64)
        count = ends.count[mine]
        upper = self._cumulated(step, count * high[which])
        lower = self._cumulated(step, count * low[which])
        return upper / 2.0**_LIMB + lower / 2.0 ** (2 * _LIMB)
