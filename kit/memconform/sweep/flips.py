"""Which retrievals select something else at another floor, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, Protocol, get_args

import numpy as np

from memconform.sweep.rows import Bools, Floats, Ints, Rows
from memconform.sweep.sums import SHARD

# What became of a retrieval; of several the first in this order is told first.
Outcome = Literal[
    "lost a relevant one",
    "found a relevant one",
    "falls silent, as it should",
    "speaks where nothing is expected",
    "selects a forbidden one",
    "spares a forbidden one",
    "first relevant one stands elsewhere",
    "selects other records",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
# Why a candidate came or went.
Why = Literal["below the floor", "passes the floor", "a place became free", "no place is left"]


@dataclass(frozen=True)
class Moved:
    """A candidate that is selected at one of the floors only.

    Attributes:
        memory_id: its memory.
        rank: its place by final score among all candidates of the retrieval, from 1.
        gate: its gate value; infinity where it passes always.
        judged: relevant, forbidden, or null.
        why: what brought it in or out.
    """

    memory_id: str
    rank: int
    gate: float
    judged: Literal["relevant", "forbidden"] | None
    why: Why


@dataclass(frozen=True)
class Flip:
    """A retrieval that selects something else.

    Attributes:
        retrieval_id: which one.
        query_id: what was asked.
        groups: dimension -> group.
        outcomes: what became of it, the gravest first.
        left: candidates that are selected before and not after.
        came: candidates that are selected after and not before.
    """

    retrieval_id: str
    query_id: str
    groups: Mapping[str, str]
    outcomes: tuple[Outcome, ...]
    left: tuple[Moved, ...]
    came: tuple[Moved, ...]


@dataclass(frozen=True)
class Flips:
    """Everything that changes between two floors.

    Attributes:
        total: how many retrievals select something else.
        counts: of each outcome; a retrieval can have several.
        told: the first of them in full, the gravest outcomes first.
    """

    total: int
    counts: Mapping[Outcome, int]
    told: tuple[Flip, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON-like values; a gate value of infinity is null."""
        return {
            "total": self.total,
            "counts": dict(self.counts),
            "told": [
                {
                    "retrieval_id": flip.retrieval_id,
                    "query_id": flip.query_id,
                    "groups": dict(flip.groups),
                    "outcomes": list(flip.outcomes),
                    "left": [_plain(each) for each in flip.left],
                    "came": [_plain(each) for each in flip.came],
                }
                for flip in self.told
            ],
        }

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        lines = [
            f"<tr><td>{escape(flip.query_id)}</td><td>{escape('; '.join(flip.outcomes))}</td>"
            f"<td>{_moves(flip.left)}</td><td>{_moves(flip.came)}</td></tr>"
            for flip in self.told[:50]
        ]
        return (
            f"<table><caption>{self.total:,} retrievals select something else</caption><thead><tr>"
            "<th>query</th><th>what became of it</th><th>left</th><th>came</th></tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table>"
        )


def _plain(moved: Moved) -> dict[str, Any]:
    return {**vars(moved), "gate": moved.gate if np.isfinite(moved.gate) else None}


def _moves(moves: Sequence[Moved]) -> str:
    return "<br>".join(
        escape(
            f"{each.memory_id} ({each.judged + ', ' if each.judged else ''}"
            f"{each.gate:.3g}: {each.why})"
        )
        for each in moves
    )


class Names(Protocol):
    """What rows are called; asked only for what is shown."""

    def retrievals(self, piece: int, places: Ints) -> list[tuple[str, str]]:
        """The retrieval id and the query id of some retrievals of a piece."""
        ...

    def memories(self, piece: int, places: Ints) -> list[str]:
        """The memory ids of some candidates of a piece."""
        ...


class PlainNames:
    """Numbers, for rows that have no names: of the piece, and within it."""

    def retrievals(self, piece: int, places: Ints) -> list[tuple[str, str]]:
        """See ``Names``."""
        return [(f"{piece}:{at}", f"{piece}:{at}") for at in places.tolist()]

    def memories(self, piece: int, places: Ints) -> list[str]:
        """See ``Names``."""
        return [f"{piece}:{at}" for at in places.tolist()]


def selection(rows: Rows, floors: Floats, k: int) -> tuple[Bools, Bools]:
    """Which candidates pass, and which are selected.

    Args:
        rows: the candidates.
        floors: (cells,) the floor of each cell.
        k: how many are selected at most.

    Returns:
        (rows,) each.
    """
    least = np.searchsorted(rows.values, floors, "left").astype(rows.codes.dtype)
    of_row = least[0] if len(least) == 1 else np.repeat(least[rows.cells], rows.lengths)
    passes = np.asarray(rows.codes >= of_row)
    counted = np.concatenate([[0], np.cumsum(passes, dtype=np.int64)])
    before = np.repeat(counted[rows.starts[:-1]], rows.lengths)
    return passes, passes & (counted[1:] - before <= k)


def flips_of(
    pieces: Sequence[Rows],
    before: Sequence[Floats],
    after: Sequence[Floats],
    k: int,
    names: Names,
    *,
    most: int,
) -> Flips:
    """What changes between two floors.

    Args:
        pieces: the candidates.
        before: of each piece the floors of its cells.
        after: likewise.
        k: how many are selected at most.
        names: what the rows are called.
        most: how many are told in full.
    """
    total, counts = 0, Counter[Outcome]()
    found: list[tuple[int, int, int, _Shard]] = []
    for piece, (rows, these, those) in enumerate(zip(pieces, before, after, strict=True)):
        begin = 0
        for shard in rows.shards(SHARD):
            seen = _Shard(
                shard,
                these,
                those,
                k,
                piece=piece,
                begin=begin,
                first_row=int(rows.starts[begin]),
            )
            total += len(seen.changed)
            counts.update(seen.counts())
            found += [
                (int(gravest), piece, int(at), seen)
                for at, gravest in zip(seen.changed, seen.gravest(), strict=True)
            ]
            found = sorted(found, key=lambda each: each[:3])[:most]
            begin += len(shard)
    told = [seen.told(at) for _, _, at, seen in found]
    return Flips(
        total,
        {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]},
        _named(told, names),
    )


class _Side:
    """What one floor selects of a shard, added up a retrieval."""

    def __init__(self, rows: Rows, floors: Floats, k: int) -> None:
        self.passes, self.selected = selection(rows, floors, k)
        running = np.concatenate([[0], np.cumsum(self.selected, dtype=np.int64)])
        self.count = running[rows.starts[1:]] - running[rows.starts[:-1]]
        chosen = self.selected[rows.judged]
        good, bad = chosen & rows.relevances, chosen & ~rows.relevances
        self.hits = np.bincount(rows.owners[good], minlength=len(rows))
        self.forbidden = np.bincount(rows.owners[bad], minlength=len(rows))
        place = running[rows.judged[good] + 1] - running[rows.starts[rows.owners[good]]]
        self.first = np.zeros(len(rows), np.int64)  # 0 where no relevant one is selected
        # Backwards, so that the first of a retrieval is written last and stays.
        self.first[rows.owners[good][::-1]] = place[::-1]


class _Shard:
    """A shard at both floors."""

    def __init__(
        self,
        rows: Rows,
        these: Floats,
        those: Floats,
        k: int,
        *,
        piece: int,
        begin: int,
        first_row: int,
    ) -> None:
        self._rows, self.piece = rows, piece
        self._begin, self._first_row = begin, first_row
        self._old, self._new = _Side(rows, these, k), _Side(rows, those, k)
        moved = np.flatnonzero(self._old.selected != self._new.selected)
        self.changed: Ints = np.unique(np.searchsorted(rows.starts, moved, "right") - 1)
        self._outcomes = self._became()

    def _became(self) -> Bools:
        """(outcomes, changed) what became of each changed retrieval."""
        old, new, at = self._old, self._new, self.changed
        silent = self._rows.silent[at]
        lost, gained = new.hits[at] < old.hits[at], new.hits[at] > old.hits[at]
        became = np.array(
            [
                lost,
                gained,
                silent & (old.count[at] > 0) & (new.count[at] == 0),
                silent & (old.count[at] == 0) & (new.count[at] > 0),
                new.forbidden[at] > old.forbidden[at],
                new.forbidden[at] < old.forbidden[at],
                ~lost & ~gained & (old.first[at] != new.first[at]),
                np.zeros(len(at), np.bool_),
            ]
        )
        became[-1] = ~became.any(axis=0)
        return became

    def counts(self) -> dict[Outcome, int]:
        """How often each outcome occurs."""
        return dict(zip(OUTCOMES, self._outcomes.sum(axis=1).tolist(), strict=True))

    def gravest(self) -> Ints:
        """(changed,) the first outcome of each."""
        return np.asarray(self._outcomes.argmax(axis=0), np.int64)

    def told(self, at: int) -> _Told:
        """One of the changed retrievals in full."""
        rows, old, new = self._rows, self._old, self._new
        column = int(np.searchsorted(self.changed, at))
        span = slice(int(rows.starts[at]), int(rows.starts[at + 1]))
        was, now = old.selected[span], new.selected[span]
        judged = {
            int(place): bool(relevance)
            for place, relevance in zip(
                rows.judged[rows.owners == at] - span.start,
                rows.relevances[rows.owners == at],
                strict=True,
            )
        }
        levels = rows.codes[span]

        def move(place: int, why: Why) -> _ToldMove:
            code = int(levels[place])
            return _ToldMove(
                row=self._first_row + span.start + place,
                rank=place + 1,
                gate=float(rows.values[code]) if code < len(rows.values) else np.inf,
                judged=None
                if place not in judged
                else ("relevant" if judged[place] else "forbidden"),
                why=why,
            )

        return _Told(
            piece=self.piece,
            retrieval=self._begin + at,
            groups=dict(zip(rows.dimensions, rows.names[int(rows.cells[at])], strict=True)),
            outcomes=tuple(
                o for o, is_so in zip(OUTCOMES, self._outcomes[:, column], strict=True) if is_so
            ),
            left=tuple(
                move(p, "no place is left" if new.passes[span][p] else "below the floor")
                for p in np.flatnonzero(was & ~now).tolist()
            ),
            came=tuple(
                move(p, "a place became free" if old.passes[span][p] else "passes the floor")
                for p in np.flatnonzero(now & ~was).tolist()
            ),
        )


@dataclass(frozen=True)
class _ToldMove:
    """A candidate that moved, by its row in the piece."""

    row: int
    rank: int
    gate: float
    judged: Literal["relevant", "forbidden"] | None
    why: Why


@dataclass(frozen=True)
class _Told:
    """A flip, by numbers."""

    piece: int
    retrieval: int
    groups: Mapping[str, str]
    outcomes: tuple[Outcome, ...]
    left: tuple[_ToldMove, ...]
    came: tuple[_ToldMove, ...]


def _named(told: Sequence[_Told], names: Names) -> tuple[Flip, ...]:
    """With names, asked for once a piece."""
    ids: dict[tuple[int, int], tuple[str, str]] = {}
    memories: dict[tuple[int, int], str] = {}
    for piece in sorted({each.piece for each in told}):
        mine = [each for each in told if each.piece == piece]
        places = np.array(sorted(each.retrieval for each in mine), np.int64)
        rows = np.array(
            sorted(moved.row for each in mine for moved in (*each.left, *each.came)), np.int64
        )
        for at, pair in zip(places.tolist(), names.retrievals(piece, places), strict=True):
            ids[piece, at] = pair
        for at, memory in zip(rows.tolist(), names.memories(piece, rows), strict=True):
            memories[piece, at] = memory

    def moved(piece: int, moves: Sequence[_ToldMove]) -> tuple[Moved, ...]:
        return tuple(
            Moved(memories[piece, each.row], each.rank, each.gate, each.judged, each.why)
            for each in moves
        )

    return tuple(
        Flip(
            *ids[each.piece, each.retrieval],
            each.groups,
            each.outcomes,
            moved(each.piece, each.left),
            moved(each.piece, each.came),
        )
        for each in told
    )
