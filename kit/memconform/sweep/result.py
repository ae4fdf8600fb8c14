"""What a sweep found: curves to look up, floors to choose, queries that flip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from memconform.evaluation.report import Floors
from memconform.sweep.curves import Curve, Sums, curve
from memconform.sweep.errors import MissingPackage, SweepError
from memconform.sweep.figures import COUNTS, LESS_IS_BETTER, METRICS, Figures, Metric
from memconform.sweep.flips import Flips, Names, PlainNames, flips_of
from memconform.sweep.rows import Floats, Rows
from memconform.sweep.sums import Partial, merge, partial

if TYPE_CHECKING:
    import polars

LANGUAGE = "language"
LATIN, CJK = "latin", "cjk"
# What two ways of adding up may differ by; a bound of 1 is met by 1 less this.
TOLERANCE = 1e-12
_SHOWN = 12  # thresholds in a notebook's table


@dataclass(frozen=True)
class Chosen:
    """A threshold that a rule chose.

    Attributes:
        threshold: the floor.
        above: every floor above this one and up to ``threshold`` gives the same figures.
        figures: at the threshold.
        rule: by which it was chosen, in words.
    """

    threshold: float
    above: float
    figures: Figures
    rule: str


@dataclass(frozen=True, eq=False)
class Plane:
    """One figure for every pair of a Latin and a CJK floor.

    Attributes:
        latin: (L,) floors of queries without a CJK character, ascending, infinity last.
        cjk: (C,) floors of the others.
        values: (L, C) the figure over all retrievals; NaN for a mean of none.
    """

    metric: Metric
    latin: Floats
    cjk: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class Sweep:
    """Every figure at every distinct value of a gate.

    Attributes:
        k: how many are selected at most.
        feature: whose values the thresholds are, such as lexical.
        sums: what the curves are made of; can be merged with others.
        rows: the candidates themselves, for ``flips`` and ``with_k``; none where not kept.
        names: what the rows are called.
        notes: sentences that a reader should know, such as what was left out.
    """

    k: int
    feature: str
    sums: Partial
    rows: tuple[Rows, ...] = ()
    names: Names = field(default_factory=PlainNames)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        rows: Rows | Sequence[Rows],
        k: int = 5,
        *,
        feature: str = "lexical",
        names: Names | None = None,
        notes: Sequence[str] = (),
        told: Callable[[int, int], None] | None = None,
    ) -> Sweep:
        """Sweep candidates that are in memory.

        Args:
            rows: the candidates, in one piece or several of disjoint retrievals.
            k: how many are selected at most, 1 to 1024.
            feature: what the gate values are called.
            names: what the rows are called; numbers if left out.
            notes: sentences to be shown with the result.
            told: is told after each piece how many of how many are done.

        Raises:
            SweepError: K is out of range, or there are no retrievals.
        """
        pieces = (rows,) if isinstance(rows, Rows) else tuple(rows)
        parts = []
        for done, piece in enumerate(pieces, 1):
            parts.append(partial(piece, k))
            if told is not None:
                told(done, len(pieces))
        return cls(k, feature, merge(parts), pieces, names or PlainNames(), tuple(notes))

    def with_k(self, k: int) -> Sweep:
        """The same candidates with another K: one pass over them, no file is read.

        Raises:
            SweepError: the rows weren't kept.
        """
        return Sweep.of(
            self._kept_rows(), k, feature=self.feature, names=self.names, notes=self.notes
        )

    # --- curves ----------------------------------------------------------------------------------

    @cached_property
    def overall(self) -> Curve:
        """The curve of all retrievals."""
        return curve(self.sums)

    @property
    def thresholds(self) -> Floats:
        """(S + 1,) the distinct gate values, ascending, and infinity."""
        return self.overall.thresholds

    @property
    def candidates(self) -> int:
        """How many candidates were swept."""
        return int(self.sums.candidates.sum())

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What retrievals are grouped by."""
        return self.sums.dimensions

    def metric(self, name: Metric) -> Floats:
        """(S + 1,) one figure at every threshold; see ``Curve.metric``."""
        return self.overall.metric(name)

    def by(self, dimension: str) -> Mapping[str, Curve]:
        """A curve for each group, on the group's own thresholds, groups in alphabetical order.

        Raises:
            SweepError: there is no such dimension.
        """
        return self._curves.setdefault(dimension, self._by(dimension))

    @cached_property
    def _curves(self) -> dict[str, Mapping[str, Curve]]:
        return {}

    def _by(self, dimension: str) -> Mapping[str, Curve]:
        if dimension in self._curves:
            return self._curves[dimension]
        if dimension not in self.dimensions:
            there = " and ".join(self.dimensions) or "no groups"
            raise SweepError(f"There is no grouping by {dimension!r}; there is {there}.")
        at = self.dimensions.index(dimension)
        groups: dict[str, list[int]] = {}
        for cell, name in enumerate(self.sums.names):
            if self.sums.retrievals[cell]:
                groups.setdefault(name[at], []).append(cell)
        return {group: curve(self.sums, cells) for group, cells in sorted(groups.items())}

    # --- one threshold ---------------------------------------------------------------------------

    def at(
        self,
        threshold: float | None = None,
        *,
        latin: float | None = None,
        cjk: float | None = None,
    ) -> Figures:
        """Every figure at one threshold, or at two floors; looked up, nothing is scanned.

        Args:
            threshold: one floor for all; or, in its place,
            latin: the floor of queries without a CJK character, and
            cjk: that of the others.

        Raises:
            SweepError: the trace can't say anything of so low a threshold, or two floors are asked
                of retrievals whose class isn't known.
        """
        if threshold is not None and latin is None and cjk is None:
            return self.overall.at(threshold)
        if threshold is None and latin is not None and cjk is not None:
            return self._sums_at(Floors(latin=latin, cjk=cjk)).figures
        raise SweepError("Give one threshold, or both latin= and cjk=.")

    def _sums_at(self, floors: Floors) -> Sums:
        latin, cjk = self._classes()
        both = [
            curve_of.sums_at(floor)
            for curve_of, floor in ((latin, floors.latin), (cjk, floors.cjk))
            if curve_of is not None
        ]
        return sum(both[1:], both[0])

    def _classes(self) -> tuple[Curve | None, Curve | None]:
        groups = self.by(LANGUAGE)
        others = {
            name: each.retrievals for name, each in groups.items() if name not in (LATIN, CJK)
        }
        if others:
            raise SweepError(
                f"{sum(others.values())} retrievals are neither latin nor cjk, so two floors can't "
                "be told apart; import traces or labels that say the language."
            )
        return groups.get(LATIN), groups.get(CJK)

    def plane(self, metric: Metric = "recall") -> Plane:
        """One figure at every pair of floors, from the two classes' own curves.

        Raises:
            SweepError: the classes aren't known, or the plane would have more than 4 million
                points; look at ``at(latin=..., cjk=...)`` then.
        """
        latin, cjk = self._classes()
        axes = [np.array([np.inf]) if each is None else each.thresholds for each in (latin, cjk)]
        if len(axes[0]) * len(axes[1]) > 1 << 22:
            raise SweepError(
                f"A plane of {len(axes[0])} by {len(axes[1])} floors is too large to be drawn; "
                "ask for single points with at(latin=..., cjk=...)."
            )
        total = np.zeros((len(axes[0]), len(axes[1])))
        count = 0
        for each, shape in ((latin, (-1, 1)), (cjk, (1, -1))):
            if each is not None:
                sums, of = each.numerator(metric)
                total = total + sums.reshape(shape)
                count += of
        if metric in COUNTS:
            count = 1
        values = total / count if count else np.full_like(total, np.nan)
        return Plane(metric, axes[0], axes[1], values)

    # --- choosing --------------------------------------------------------------------------------

    def smallest(self, *, group: str | None = None, **bounds: float) -> Chosen | None:
        """The smallest floor that keeps to bounds, such as ``abstention=1, forbidden=0``.

        Args:
            group: a class of query, latin or cjk, to choose for it alone.
            bounds: figure -> bound: the least it may be, or the most where less is better
                (false_positives, forbidden, selected, passed).

        Returns:
            What was chosen, or None where no floor among the gate values keeps to the bounds.
        """
        return self._first(group, bounds, None, f"the smallest floor with {self.rule_of(bounds)}")

    @staticmethod
    def rule_of(bounds: Mapping[str, float]) -> str:
        """Bounds in words.

        Raises:
            SweepError: there is no such figure.
        """
        told = []
        for name, bound in bounds.items():
            side = "at most" if _known(name) in LESS_IS_BETTER else "at least"
            told.append(f"{name.replace('_', ' ')} {side} {bound:g}")
        return " and ".join(told) or "no bound"

    def best(self, metric: Metric, *, group: str | None = None, **bounds: float) -> Chosen | None:
        """The floor with the best value of a figure among those that keep to bounds.

        The smallest of equals. Arguments and result are as ``smallest`` has them.
        """
        least = "lowest" if metric in LESS_IS_BETTER else "highest"
        rule = f"the smallest floor with the {least} {metric}"
        return self._first(
            group, bounds, metric, f"{rule} under {self.rule_of(bounds)}" if bounds else rule
        )

    def _first(
        self, group: str | None, bounds: Mapping[str, float], metric: Metric | None, rule: str
    ) -> Chosen | None:
        found = self.overall if group is None else self.by(LANGUAGE).get(group)
        if found is None:
            return None
        fits = np.isfinite(found.thresholds)
        for name, bound in bounds.items():
            values = found.metric(_known(name))
            fits &= (
                values <= bound + TOLERANCE
                if name in LESS_IS_BETTER
                else (values >= bound - TOLERANCE) | np.isnan(values)
            )
        steps = np.flatnonzero(fits)
        if metric is not None and len(steps):
            values = found.metric(_known(metric))[steps]
            values = -values if metric in LESS_IS_BETTER else values
            if np.isnan(values).all():
                return None
            steps = steps[values >= np.nanmax(values) - TOLERANCE]
        if not len(steps):
            return None
        step = int(steps[0])
        threshold = float(found.thresholds[step])
        above = float(found.thresholds[step - 1]) if step else found.complete_from
        return Chosen(threshold, above, found.at(threshold), rule)

    # --- what changes ----------------------------------------------------------------------------

    def flips(self, before: float | Floors, after: float | Floors, *, most: int = 1_000) -> Flips:
        """Which retrievals select something else at another floor, and why.

        Args:
            before: one floor, or two.
            after: likewise.
            most: how many are told in full; all are counted.

        Raises:
            SweepError: the rows weren't kept, or a floor can't be asked of the trace.
        """
        rows = self._kept_rows()
        for floors in (before, after):
            if isinstance(floors, Floors):
                self._sums_at(floors)
            else:
                self.overall.place(floors)
        return flips_of(
            rows,
            [floors_of_cells(each, before) for each in rows],
            [floors_of_cells(each, after) for each in rows],
            self.k,
            self.names,
            most=most,
        )

    def _kept_rows(self) -> tuple[Rows, ...]:
        if not self.rows:
            raise SweepError("This sweep was made of sums alone; sweep the traces themselves.")
        return self.rows

    # --- as tables -------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON-like values; infinity, NaN and the mean of nothing are null."""
        return {
            "k": self.k,
            "feature": self.feature,
            "retrievals": self.overall.retrievals,
            "answerable": self.overall.answerable,
            "silent": self.overall.silent,
            "notes": list(self.notes),
            "overall": _plain(self.overall),
            "by": {
                dimension: {group: _plain(each) for group, each in self.by(dimension).items()}
                for dimension in self.dimensions
            },
        }

    def pl(self, dimension: str | None = None) -> polars.DataFrame:
        """A Polars frame: one row a threshold, one column a figure.

        Args:
            dimension: adds a column of this name, with one run of rows for each group.

        Raises:
            MissingPackage: Polars is not installed.
        """
        try:
            import polars
        except ImportError as error:
            raise MissingPackage("polars") from error
        if dimension is None:
            return polars.DataFrame(self.overall.frame)
        return polars.concat(
            [
                polars.DataFrame(each.frame).select(
                    polars.lit(group).alias(dimension), polars.all()
                )
                for group, each in self.by(dimension).items()
            ]
        )

    to_polars = pl

    def _repr_html_(self) -> str:
        """A table for notebooks: some of the thresholds, from the lowest to the highest."""
        whole = self.overall
        steps = np.unique(np.linspace(0, len(whole) - 1, min(_SHOWN, len(whole))).astype(int))
        shown: list[Metric] = [m for m in METRICS if m not in ("passed", "hits")]
        head = "".join(f"<th>{escape(name)}</th>" for name in ("threshold", *shown))
        lines = []
        for step in steps:
            cells = [whole.thresholds[step], *(whole.metric(name)[step] for name in shown)]
            lines.append("<tr>" + "".join(f"<td>{_cell(float(c))}</td>" for c in cells) + "</tr>")
        title = escape(
            f"Sweep of {self.feature}: {whole.retrievals:,} retrievals, K {self.k}, "
            f"{len(whole) - 1:,} distinct thresholds"
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table>{notes}"
        )


def floors_of_cells(rows: Rows, floors: float | Floors) -> Floats:
    """(cells,) the floor that holds for each cell.

    Raises:
        SweepError: two floors are given, and there are retrievals of no known class.
    """
    if not isinstance(floors, Floors):
        return np.full(len(rows.names), floors)
    of_class = {LATIN: floors.latin, CJK: floors.cjk}
    at = rows.dimensions.index(LANGUAGE) if LANGUAGE in rows.dimensions else None
    classes = [None if at is None else name[at] for name in rows.names]
    occur = np.bincount(rows.cells, minlength=len(rows.names)) > 0
    unclear = [
        one for one, some in zip(classes, occur, strict=True) if some and one not in of_class
    ]
    if unclear:
        raise SweepError(
            "Some retrievals are neither latin nor cjk, so two floors can't be told apart; import "
            "traces or labels that say the language."
        )
    return np.array([of_class.get(one or "", np.nan) for one in classes])


def _known(name: str) -> Metric:
    for metric in METRICS:
        if metric == name:
            return metric
    raise SweepError(f"There is no figure {name!r}; there are {', '.join(METRICS)}.")


def _plain(each: Curve) -> dict[str, Any]:
    return {name: [_finite(v) for v in values.tolist()] for name, values in each.frame.items()}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _cell(value: float) -> str:
    if np.isnan(value):
        return "–"
    if np.isinf(value):
        return "above all" if value > 0 else "any"
    return f"{value:.4g}"
