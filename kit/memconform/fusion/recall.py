"""Recall over memories that are all at hand: their signals, the floor, one order, and why.

A store looks up its candidates in an index first; what it does with them then is this.

Source: signal-fusion; relevance-floor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memconform.fusion.channels import Sight, Signals
from memconform.fusion.constants import FIGURES, Figures, Weights
from memconform.fusion.embedding import Embedder
from memconform.fusion.floor import (
    Diagnostics,
    Floor,
    diagnostics,
    lexical_fallback,
    reasons_to_stay,
)
from memconform.fusion.fuse import Fused, constraints_first, corrections_first, fuse
from memconform.fusion.graph import edges, graph_of
from memconform.fusion.memory import Memory

Gate = Literal[
    "any-signal",  # the design's: one raw signal is enough, whichever
    "cosine-alone",  # a search by meaning and nothing else, to see what it misses
]
LEXICAL = "lexical"  # the reason of what only the fallback has brought
CORRECTION = "correction"  # lets in what replaces a memory that stays


@dataclass(frozen=True)
class Recalled:
    """One answer with its reasons.

    Attributes:
        kept: best first; each with the reason ``lexical`` where the fallback has brought it.
        lets_in: by memory id, what lets it in, as ``reasons_to_stay`` names it; a memory that
            stays by the fallback or with what it corrects has that as its only one.
        removed: what the floor takes out, the nearest by cosine first.
        lexical: whether the main retrieval was empty and the fallback was not.
    """

    kept: tuple[Fused, ...]
    lets_in: Mapping[str, tuple[str, ...]]
    removed: tuple[Signals, ...]
    lexical: bool
    diagnostics: Diagnostics


def sight_of(memories: Sequence[Memory], embedder: Embedder, now: float) -> Sight:
    """What the channels look with, over these memories.

    Args:
        memories: each id once.
        embedder: encodes them all.
        now: seconds since 1970 UTC.
    """
    vectors = embedder.encode([memory.content for memory in memories], "passage")
    return Sight(
        memories,
        dict(zip((memory.id for memory in memories), vectors, strict=True)),
        graph_of(edge for memory in memories for edge in edges(memory)),
        embedder,
        now,
    )


def recall(
    query: str,
    sight: Sight,
    floor: Floor,
    *,
    weights: Weights | None = None,
    gate: Gate = "any-signal",
    figures: Figures = FIGURES,
) -> Recalled:
    """Answers one question.

    Args:
        query: any text.
        sight: all memories in scope that aren't forgotten.
        floor: of the embedder of the sight.
        weights: None means those of the embedder.
        gate: what lets a candidate in.
        figures: the figures in force.

    Raises:
        ValueError: the floor belongs to another embedder.
    """
    floor = floor.for_embedder(sight.embedder.name)
    every = sight.signals(query, figures)
    found = {s.memory.id: tuple(reasons_to_stay(s, floor, figures)) for s in every}
    if gate == "cosine-alone":
        found = {id: tuple(r for r in reasons if r == "cosine") for id, reasons in found.items()}
    lets_in = {id: reasons for id, reasons in found.items() if reasons}
    fallback = () if lets_in else lexical_fallback(every)
    lets_in |= {signals.memory.id: (LEXICAL,) for signals in fallback}
    for id in _corrections(every, lets_in):
        lets_in[id] = (CORRECTION,)
    kept = fuse(
        query,
        [signals for signals in every if signals.memory.id in lets_in],
        sight.embedder.weights if weights is None else weights,
        cosine_floor=floor.cosine,
        figures=figures,
    )
    if fallback:
        kept = _as_lexical(kept, fallback)
    removed = [signals for signals in every if signals.memory.id not in lets_in]
    removed.sort(key=lambda s: (-(s.semantic or 0.0), -s.memory.written_at, s.memory.id))
    return Recalled(
        kept=kept,
        lets_in=lets_in,
        removed=tuple(removed),
        lexical=bool(fallback),
        diagnostics=diagnostics([*(f.signals for f in kept), *removed], len(removed)),
    )


def _corrections(every: Iterable[Signals], staying: Mapping[str, object]) -> list[str]:
    """What corrects a memory that stays, and what corrects that, in whatever words it is put."""
    follows = {signals.memory.id: signals.memory.superseded_by for signals in every}
    found: list[str] = []
    for id in staying:
        successor = follows[id]
        while successor in follows and successor not in staying and successor not in found:
            found.append(successor)
            successor = follows[successor]
    return found


def _as_lexical(kept: Sequence[Fused], fallback: Sequence[Signals]) -> tuple[Fused, ...]:
    """In the order of the fallback and with its mark; constraints and corrections go first."""
    places = {signals.memory.id: place for place, signals in enumerate(fallback)}
    marked = [
        replace(fused, reason=LEXICAL) if fused.signals.memory.id in places else fused
        for fused in kept
    ]
    marked.sort(key=lambda f: places.get(f.signals.memory.id, len(places)))
    return corrections_first(constraints_first(marked))
