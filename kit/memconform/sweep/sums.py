"""Every figure as a sum of intervals: ``partial(rows)`` -> ``merge`` -> curves.

Between two neighbouring distinct gate values nothing changes, so each figure is a step function
of the threshold: a sum over candidates, or retrievals, of a share on an interval ``(low, high]``:

    selected          1    (0, k-th largest gate value], for each k of K
    recall            1/r  (L_K, g]                       of a relevant candidate, one of r
    precision         1/m  (max(L_K, G_m+1), min(g, G_m)] while m are selected; m = K: (L_K, ...]
    reciprocal rank   1/p  (max(R, L_p), min(g, L_p-1)]   while p - 1 above it are selected
    forbidden         1    (L_K, g]                       of a forbidden candidate
    silenced          1    (G_1, ...)                     of a retrieval that expects nothing

with g the gate value, L_k the k-th largest above it, G_k the k-th largest of its retrieval, R the
largest of a relevant one above it. What is kept are the ends of the intervals, +1 and -1, counted
apart for each share: whole numbers, so sums over shards add up to the same in any order, on one
machine or on many, and are divided only once, at the end.

Source of the measures: retrieval-evaluation as ``memconform.evaluation.scorers`` has it: precision
divides by what was selected, quality is of retrievals that have something relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, get_args

import numpy as np

from memconform.sweep.errors import SweepError
from memconform.sweep.places import Places, places
from memconform.sweep.rows import EVERYTHING, Bools, Codes, Floats, Ints, Rows

Kind = Literal[
    "passed", "selected", "found", "exact", "first", "forbidden", "false_positives", "silenced"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_K = 1_024  # beyond this a sweep of K columns has nothing on plain re-filtering
SHARD = 1_000_000  # candidates worked on at a time
# Up to so many counters an array with a place for each is faster than sorting what is counted.
DENSE = 1 << 22
# And up to so many a number that is counted: most of a sparser one would be looked at for nothing.
SPARSE = 16


@dataclass(frozen=True, eq=False)
class Ends:
    """Ends of intervals: (E,) each, sorted by cell, share and level, none twice.

    Attributes:
        cell: whose they are.
        share: the denominator: of a third it is 3.
        level: the place in the distinct values, plus one; 0 is below all, T + 1 above all.
        count: how many intervals begin just above this level, less those that end at it.
    """

    cell: Ints
    share: Ints
    level: Ints
    count: Ints


@dataclass(frozen=True, eq=False)
class Partial:
    """The sums of some retrievals. Partials of disjoint retrievals merge into that of all.

    Attributes:
        k: how many are selected at most.
        values: (T,) the distinct gate values, ascending.
        dimensions: what retrievals are grouped by.
        names: of each cell its group in each dimension.
        retrievals: (cells,) how many there are, as the three below.
        answerable: (cells,) those that have something relevant.
        silent: (cells,) those that expect nothing.
        candidates: (cells,) how many candidates they have together.
        complete_from: (cells,) the lowest threshold at which no candidate is missing.
        ends: of each kind of sum.
    """

    k: int
    values: Floats
    dimensions: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    retrievals: Ints
    answerable: Ints
    silent: Ints
    candidates: Ints
    complete_from: Floats
    ends: Mapping[Kind, Ends]


def partial(rows: Rows, k: int) -> Partial:
    """The sums of these retrievals.

    Args:
        rows: the candidates.
        k: how many are selected at most, 1 or more.

    Raises:
        SweepError: K is out of range.
    """
    if not 1 <= k <= MOST_K:
        raise SweepError(f"K is {k}; give a whole number from 1 to {MOST_K}.")
    parts = [_of_shard(shard, k) for shard in rows.shards(SHARD)] or [_of_shard(rows, k)]
    return merge(parts)


def merge(parts: Iterable[Partial]) -> Partial:
    """The sums of all retrievals of several partials, in any order.

    Raises:
        SweepError: there is none, or they were made with another K or other dimensions.
    """
    all_parts = list(parts)
    if not all_parts:
        raise SweepError("There is nothing to sweep: no retrievals were given.")
    first = all_parts[0]
    for part in all_parts:
        if (part.k, part.dimensions) != (first.k, first.dimensions):
            raise SweepError(
                f"Sums with K {first.k} by {first.dimensions} and with K {part.k} by "
                f"{part.dimensions} can't be added up; make both alike."
            )
    if len(all_parts) == 1:
        return first
    values = reduce(_union, (part.values for part in all_parts))
    names = tuple(sorted({name for part in all_parts for name in part.names}))
    moves = [_Move(part, values, names) for part in all_parts]
    width = len(values) + 2

    def total(figures: Callable[[Partial], Ints]) -> Ints:
        summed = np.zeros(len(names), np.int64)
        for move in moves:
            np.add.at(summed, move.cells, figures(move.part))
        return summed

    bounds = np.full(len(names), EVERYTHING)
    for move in moves:
        np.maximum.at(bounds, move.cells, move.part.complete_from)
    return Partial(
        k=first.k,
        values=values,
        dimensions=first.dimensions,
        names=names,
        retrievals=total(lambda part: part.retrievals),
        answerable=total(lambda part: part.answerable),
        silent=total(lambda part: part.silent),
        candidates=total(lambda part: part.candidates),
        complete_from=bounds,
        ends={kind: _added([move.moved(kind) for move in moves], width) for kind in KINDS},
    )


class _Move:
    """How a partial's levels and cells are numbered in a larger one."""

    def __init__(self, part: Partial, values: Floats, names: Sequence[tuple[str, ...]]) -> None:
        self.part = part
        place = {name: at for at, name in enumerate(names)}
        self.cells = np.array([place[name] for name in part.names], np.int64)
        self._levels: Ints | None = None
        if len(part.values) != len(values):  # a subset of them, so else it is the same
            levels = np.searchsorted(values, part.values) + 1
            self._levels = np.concatenate([[0], levels, [len(values) + 1]])

    def moved(self, kind: Kind) -> Ends:
        ends = self.part.ends[kind]
        level = ends.level if self._levels is None else self._levels[ends.level]
        return Ends(self.cells[ends.cell], ends.share, level, ends.count)


def _union(these: Floats, those: Floats) -> Floats:
    if these is those or np.array_equal(these, those):
        return these
    return np.union1d(these, those)


def _added(ends: Sequence[Ends], width: int) -> Ends:
    cell = np.concatenate([each.cell for each in ends])
    share = np.concatenate([each.share for each in ends])
    level = np.concatenate([each.level for each in ends])
    count = np.concatenate([each.count for each in ends])
    return _summed(cell, share, level, count, width)


def _summed(cell: Ints, share: Ints, level: Ints, count: Ints, width: int) -> Ends:
    """Ends with those of one place added up and those that cancel left out."""
    shares = int(share.max(initial=0)) + 1
    key = (cell * shares + share) * width + level
    order = np.argsort(key, kind="stable")
    key = key[order]
    fresh = np.flatnonzero(np.diff(key, prepend=-1))
    summed = np.add.reduceat(count[order], fresh) if len(fresh) else count[:0]
    some = np.flatnonzero(summed)
    key, summed = key[fresh[some]], summed[some]
    group, level = np.divmod(key, width)
    cell, share = np.divmod(group, shares)
    return Ends(cell, share, level, summed)


def _of_shard(rows: Rows, k: int) -> Partial:
    cells = len(rows.names)
    found = places(rows, k)
    answerable = rows.relevant > 0
    width = len(rows.values) + 2
    ends = {kind: _intervals(pieces, width) for kind, pieces in _pieces(rows, found).items()}
    ends["passed"] = _passing(rows, width)

    def count(which: Bools) -> Ints:
        return np.bincount(rows.cells[which], minlength=cells)

    candidates = np.bincount(rows.cells, rows.lengths, cells).astype(np.int64)
    return Partial(
        k=k,
        values=rows.values,
        dimensions=rows.dimensions,
        names=rows.names,
        retrievals=np.bincount(rows.cells, minlength=cells),
        answerable=count(answerable),
        silent=count(rows.silent),
        candidates=candidates,
        complete_from=rows.complete_from,
        ends=ends,
    )


@dataclass(frozen=True, eq=False)
class _Piece:
    """Intervals ``(low, high]`` with their cells and shares; those that are empty count nothing."""

    cell: Ints
    share: Ints | int
    low: Codes | int
    high: Codes | int


def _pieces(rows: Rows, found: Places) -> dict[Kind, list[_Piece]]:
    k, top = len(found.tops), len(rows.values) + 1
    kind = found.own.dtype.type
    quiet = np.flatnonzero(rows.silent)
    everyone = [_Piece(rows.cells, 1, 0, best) for best in found.tops]
    silent = [_Piece(rows.cells[quiet], 1, 0, best[quiet]) for best in found.tops]
    silenced = [_Piece(rows.cells[quiet], 1, found.tops[0][quiet], top)]
    hope = found.above[-1] < found.own  # selected at any threshold
    bad = np.flatnonzero(hope & ~rows.relevances)
    cells = rows.cells[rows.owners]
    forbidden = [_Piece(cells[bad], 1, found.above[-1][bad], found.own[bad])]

    good = np.flatnonzero(hope & rows.relevances)
    cell, owner, own = cells[good], rows.owners[good], found.own[good]
    above = found.above[:, good]
    rival, last = found.rival[good], above[-1]
    best = found.tops[:, owner]
    fewer = [np.maximum(last, best[m]) for m in range(1, k)]
    exact = [
        _Piece(cell, m, low, np.minimum(own, best[m - 1]))
        for m, low in enumerate([*fewer, last], 1)
    ]
    ceiling = [np.full(len(good), top, kind), *above]
    first = [
        _Piece(cell, p, np.maximum(rival, above[p - 1]), np.minimum(own, ceiling[p - 1]))
        for p in range(1, k + 1)
    ]
    return {
        "selected": everyone,
        "found": [_Piece(cell, rows.relevant[owner], last, own)],
        "exact": exact,
        "first": first,
        "forbidden": forbidden,
        "false_positives": silent,
        "silenced": silenced,
    }


def _intervals(pieces: Iterable[_Piece], width: int) -> Ends:
    return _added([ends for piece in pieces for ends in _ends_of(piece, width)], width)


def _ends_of(piece: _Piece, width: int) -> Iterator[Ends]:
    some = np.flatnonzero(piece.low < piece.high)
    share = piece.share if isinstance(piece.share, int) else piece.share[some]
    shares = int(np.max(share, initial=0)) + 1
    place = (piece.cell[some] * shares + share) * width
    for end, sign in ((piece.low, 1), (piece.high, -1)):
        yield _counted(place + (end if isinstance(end, int) else end[some]), shares, width, sign)


def _counted(key: Ints, shares: int, width: int, sign: int) -> Ends:
    """How often each place occurs."""
    if int(key.max(initial=0)) < min(DENSE, SPARSE * len(key)):
        counts = np.bincount(key)
        found = np.flatnonzero(counts)
        counts = counts[found]
    else:
        found, counts = np.unique(key, return_counts=True)
    group, level = np.divmod(found, width)
    cell, share = np.divmod(group, shares)
    return Ends(cell, share, level, sign * counts)


def _passing(rows: Rows, width: int) -> Ends:
    """Of all candidates: each passes from below all levels up to its own."""
    place = (rows.cells * 2 + 1) * width  # two shares, 0 and 1, of which all are 1
    # A code is one less than its level.
    up = _counted(np.repeat(place + 1, rows.lengths) + rows.codes, 2, width, -1)
    candidates = np.bincount(rows.cells, rows.lengths, len(rows.names)).astype(np.int64)
    some = np.flatnonzero(candidates)
    return _summed(
        np.concatenate([up.cell, some]),
        np.concatenate([up.share, np.ones_like(some)]),
        np.concatenate([up.level, np.zeros_like(some)]),
        np.concatenate([up.count, candidates[some]]),
        width,
    )
