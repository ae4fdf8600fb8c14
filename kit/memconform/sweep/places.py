"""Where candidates stand: what is the k-th best gate value above each of them, and of all.

A candidate is among the first K that pass a threshold t exactly when it passes itself and fewer
than K of those above it do: for ``L_K < t <= g``, where g is its gate value and L_k the k-th
largest gate value above it in its retrieval.

Gate values are *levels* here: 0 is nobody's, c + 1 is that of the code c. The highest, T + 1, is
that of a candidate that passes always.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from memconform.sweep.rows import Codes, Ints, Rows, width_for

# So many retrievals are looked at side by side: few enough for their figures to stay in the cache.
BLOCK = 32_768
# A longer retrieval is looked at alone: side by side it would be one loop turn a candidate.
LONG = 2_048


@dataclass(frozen=True, eq=False)
class Places:
    """The levels that a sweep with this K is made of.

    Attributes:
        tops: (K, n) of each retrieval its K largest levels, the largest first; 0 where there are
            fewer candidates.
        own: (J,) the level of each judged candidate.
        above: (K, J) the K largest levels above each of them.
        rival: (J,) the largest level of a relevant candidate above it; 0 where there is none.
    """

    tops: Codes
    own: Codes
    above: Codes
    rival: Codes


def places(rows: Rows, k: int) -> Places:
    """The places of all retrievals and judged candidates."""
    kind = width_for(len(rows.values))
    count = len(rows.judged)
    found = Places(
        tops=np.zeros((k, len(rows)), kind),
        own=rows.codes[rows.judged].astype(kind) + kind(1),
        above=np.zeros((k, count), kind),
        rival=np.zeros(count, kind),
    )
    longest_first = _longest_first(rows.lengths)
    many = int((rows.lengths > LONG).sum())
    for retrieval in longest_first[:many]:
        _alone(rows, int(retrieval), found)
    ranks = rows.judged - rows.starts[rows.owners]
    for begin in range(many, len(rows), BLOCK):
        _side_by_side(rows, longest_first[begin : begin + BLOCK], ranks, found)
    return found


def _longest_first(lengths: Ints) -> Ints:
    if len(lengths) and (lengths == lengths[0]).all():
        return np.arange(len(lengths))
    return np.argsort(-lengths, kind="stable")


def _alone(rows: Rows, retrieval: int, found: Places) -> None:
    """One retrieval by K cascaded running maxima: what one of them holds back is the next one's."""
    first, last = rows.starts[retrieval], rows.starts[retrieval + 1]
    kind = found.own.dtype
    rest = rows.codes[first:last].astype(kind) + kind.type(1)
    low, high = np.searchsorted(rows.judged, (first, last))
    at = rows.judged[low:high] - first
    for k in range(len(found.tops)):
        running = np.maximum.accumulate(rest)
        found.tops[k, retrieval] = running[-1]
        above = np.concatenate([np.zeros(1, kind), running[:-1]])
        found.above[k, low:high] = above[at]
        rest = np.minimum(rest, above)
    own = np.where(rows.relevances[low:high], found.own[low:high], 0).astype(kind)
    if len(own):
        found.rival[low + 1 : high] = np.maximum.accumulate(own)[:-1]


def _side_by_side(rows: Rows, retrievals: Ints, ranks: Ints, found: Places) -> None:
    """Rank after rank, a candidate of each retrieval at a time, sorted into the K best so far.

    Args:
        rows: the candidates.
        retrievals: (b,) which of them, the longest first.
        ranks: (J,) the places of the judged candidates in their retrievals, from 0.
        found: what is filled in.
    """
    lengths, begin = rows.lengths[retrievals], rows.starts[retrievals]
    longest = int(lengths[0])
    # How many retrievals are longer than each rank.
    reach = np.searchsorted(-lengths, -np.arange(longest), "left")
    kind = found.own.dtype
    size = len(retrievals)
    best = np.zeros((len(found.tops), size), kind)
    relevant = np.zeros(size, kind)
    spare = np.empty((2, size), kind)
    judged = _by_rank(rows, retrievals, ranks, longest)
    for rank, (which, column) in enumerate(judged):
        here = int(reach[rank])
        if len(which):
            found.above[:, which] = best[:, column]
            found.rival[which] = relevant[column]
            own = np.where(rows.relevances[which], found.own[which], 0).astype(kind)
            relevant[column] = np.maximum(relevant[column], own)
        passed_on = rows.codes.take(begin[:here] + rank).astype(kind, copy=False) + kind.type(1)
        for k in range(min(len(best), rank + 1)):
            held, lesser = best[k, :here], spare[k % 2, :here]
            np.minimum(held, passed_on, out=lesser)
            np.maximum(held, passed_on, out=held)
            passed_on = lesser
    found.tops[:, retrievals] = best


def _by_rank(
    rows: Rows, retrievals: Ints, ranks: Ints, longest: int
) -> Iterator[tuple[Ints, Ints]]:
    """Of each rank, the judged candidates of these retrievals, and the columns they stand in."""
    if len(retrievals) == len(rows) and (retrievals == np.arange(len(rows))).all():
        which, columns = np.arange(len(rows.judged)), rows.owners
    else:
        column_of = np.full(len(rows), -1)
        column_of[retrievals] = np.arange(len(retrievals))
        which = np.flatnonzero(column_of[rows.owners] >= 0)
        columns = column_of[rows.owners[which]]
    # Ranks are small here, and small whole numbers are sorted in one go.
    order = np.argsort(ranks[which].astype(np.uint16), kind="stable")
    which, columns = which[order], columns[order]
    bounds = np.searchsorted(ranks[which], np.arange(longest + 1))
    for low, high in pairwise(bounds.tolist()):
        yield which[low:high], columns[low:high]
