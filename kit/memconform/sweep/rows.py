"""Candidates as arrays: what a sweep reads, whatever file they came from.

A *retrieval* is one question asked once, with its *candidates* in the order of their final score.
Everything a sweep needs of a candidate is its gate value; only of the few that a label names, more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memconform.sweep.errors import SweepError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
# Whole numbers of whatever width holds them.
Codes = NDArray[Any]

EVERYTHING = -np.inf  # complete from here: no candidate is missing


@dataclass(frozen=True, eq=False)
class Rows:
    """Retrievals with all their candidates, best final score first.

    Attributes:
        values: (T,) the distinct gate values, ascending, without NaN and without infinity.
        codes: (rows,) of each candidate the place of its gate value in ``values``; T where it
            passes whatever the threshold (type affinity, or a gate value of infinity).
        starts: (n + 1,) where each retrieval's candidates begin; it may have none.
        judged: (J,) the candidates that a label names as relevant or forbidden: places in
            ``codes``, ascending.
        owners: (J,) the retrieval of each of them.
        relevances: (J,) whether it is relevant; else it is forbidden.
        relevant: (n,) how many memories are relevant to each retrieval, found or not.
        silent: (n,) whether nothing is relevant to it and nothing should be selected. A retrieval
            that has neither is not judged.
        cells: (n,) the place in ``names`` of each retrieval's groups.
        dimensions: what retrievals are grouped by, such as language and category.
        names: of each cell its group in each dimension.
        complete_from: (cells,) the lowest threshold at which no candidate of the cell is missing.
    """

    values: Floats
    codes: Codes
    starts: Ints
    judged: Ints
    owners: Ints
    relevances: Bools
    relevant: Ints
    silent: Bools
    cells: Ints
    dimensions: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    complete_from: Floats

    def __len__(self) -> int:
        """The number of retrievals."""
        return len(self.starts) - 1

    @property
    def candidates(self) -> int:
        """The number of candidates."""
        return len(self.codes)

    @cached_property
    def lengths(self) -> Ints:
        """(n,) how many candidates each retrieval has."""
        return np.diff(self.starts)

    @classmethod
    def of(
        cls,
        gate: ArrayLike,
        lengths: ArrayLike,
        grades: ArrayLike,
        *,
        always: ArrayLike | None = None,
        relevant: ArrayLike | None = None,
        silent: ArrayLike | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        complete_from: ArrayLike | None = None,
    ) -> Rows:
        """Rows from plain arrays.

        Args:
            gate: (rows,) gate values, retrieval after retrieval, best final score first.
            lengths: (n,) how many candidates each retrieval has.
            grades: (rows,) above 0 relevant, 0 neither, below 0 forbidden.
            always: (rows,) whether a candidate passes whatever the threshold; none does if left
                out.
            relevant: (n,) how many memories are relevant, found or not; the relevant candidates
                are counted if left out.
            silent: (n,) whether nothing should be selected; so it is where nothing is relevant if
                left out.
            groups: dimension -> (n,) the group of each retrieval.
            complete_from: (n,) lowest threshold at which no candidate of it is missing.

        Raises:
            SweepError: the arrays don't fit each other, or a gate value is NaN.
        """
        value, size = np.asarray(gate, np.float64), np.asarray(lengths, np.int64)
        grade = np.asarray(grades)
        starts = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        if (size < 0).any() or starts[-1] != len(value) or len(grade) != len(value):
            raise SweepError(
                f"{len(value)} gate values and {len(grade)} grades are not the "
                f"{int(starts[-1])} candidates that the lengths add up to."
            )
        if always is not None:
            value = np.where(np.asarray(always, np.bool_), np.inf, value)
        values, codes = coded(value)
        judged = np.flatnonzero(grade)
        owners = np.repeat(np.arange(len(size)), size)[judged]
        relevances = grade[judged] > 0
        found = np.bincount(owners[relevances], minlength=len(size))
        count = found if relevant is None else np.asarray(relevant, np.int64)
        cells, names = _celled(groups or {}, len(size))
        bounds = np.full(len(names), EVERYTHING)
        if complete_from is not None:
            np.maximum.at(bounds, cells, np.asarray(complete_from, np.float64))
        rows = cls(
            values=values,
            codes=codes,
            starts=starts,
            judged=judged,
            owners=owners,
            relevances=relevances,
            relevant=count,
            silent=count == 0 if silent is None else np.asarray(silent, np.bool_),
            cells=cells,
            dimensions=tuple(groups or ()),
            names=names,
            complete_from=bounds,
        )
        rows.check()
        return rows

    def check(self) -> None:
        """See that no label is impossible.

        Raises:
            SweepError: more relevant candidates than relevant memories, or relevant memories where
                nothing is expected.
        """
        found = np.bincount(self.owners[self.relevances], minlength=len(self))
        if (found > self.relevant).any():
            at = int(np.argmax(found > self.relevant))
            raise SweepError(
                f"Retrieval {at} has {int(found[at])} relevant candidates and "
                f"{int(self.relevant[at])} relevant memories; a memory may be a candidate once."
            )
        if (self.silent & (self.relevant > 0)).any():
            at = int(np.argmax(self.silent & (self.relevant > 0)))
            raise SweepError(f"Retrieval {at} expects nothing, and has relevant memories.")

    def shards(self, rows: int) -> Iterator[Rows]:
        """Consecutive retrievals with about so many candidates together, at least one each."""
        begin = 0
        while begin < len(self):
            end = int(np.searchsorted(self.starts, self.starts[begin] + rows, "right")) - 1
            end = min(max(end, begin + 1), len(self))
            yield self.between(begin, end)
            begin = end

    def between(self, begin: int, end: int) -> Rows:
        """The retrievals from ``begin`` up to ``end``, as views of the same arrays."""
        first, last = int(self.starts[begin]), int(self.starts[end])
        low, high = np.searchsorted(self.judged, (first, last))
        return replace(
            self,
            codes=self.codes[first:last],
            starts=self.starts[begin : end + 1] - first,
            judged=self.judged[low:high] - first,
            owners=self.owners[low:high] - begin,
            relevances=self.relevances[low:high],
            relevant=self.relevant[begin:end],
            silent=self.silent[begin:end],
            cells=self.cells[begin:end],
        )

    def only(self, wanted: Bools) -> Rows:
        """The candidates for which ``wanted`` (rows,) holds; every retrieval stays."""
        kept = np.concatenate([[0], np.cumsum(wanted)]).astype(np.int64)
        stays = wanted[self.judged]
        return replace(
            self,
            codes=self.codes[wanted],
            starts=kept[self.starts],
            judged=kept[self.judged[stays]],
            owners=self.owners[stays],
            relevances=self.relevances[stays],
        )


def coded(gate: Floats) -> tuple[Floats, Codes]:
    """Distinct values without infinity, and each value's place among them; theirs is one above.

    Raises:
        SweepError: a value is NaN.
    """
    if np.isnan(gate).any():
        raise SweepError(
            f"Candidate {int(np.argmax(np.isnan(gate)))} has a gate value that is no number (NaN); "
            "a threshold can't be compared with it."
        )
    values = np.unique(gate + 0.0)  # minus zero is zero
    values = values[values != np.inf]
    return values, np.searchsorted(values, gate).astype(width_for(len(values)))


def width_for(values: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest type that holds every level: narrow numbers are several at a time."""
    return np.uint16 if values + 2 <= np.iinfo(np.uint16).max else np.uint32


def _celled(
    groups: Mapping[str, Sequence[str]], n: int
) -> tuple[Ints, tuple[tuple[str, ...], ...]]:
    if not groups:
        return np.zeros(n, np.int64), ((),)
    labels = list(zip(*groups.values(), strict=True))
    if len(labels) != n:
        raise SweepError(f"{len(labels)} groups are given for {n} retrievals.")
    names = tuple(sorted(set(labels))) or (("",) * len(groups),)
    places = {name: place for place, name in enumerate(names)}
    return np.array([places[label] for label in labels], np.int64), names
