"""The profile card: what is always said of somebody, in layers, never over its limit.

Source: budgeted-recall, "A card drops whole layers".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memconform.fusion.memory import Kind, Memory
from memconform.fusion.words import tokens

# In the order in which they are said; they are dropped from the end.
LAYERS: tuple[tuple[str, frozenset[Kind]], ...] = (
    ("constraints", frozenset(("constraint", "identity"))),
    ("preferences", frozenset(("preference",))),
    ("open items", frozenset(("open-item",))),
    ("situation", frozenset(("situation",))),
)


@dataclass(frozen=True)
class Card:
    """The card as it is said.

    Attributes:
        text: one line a memory, each whole; empty when nothing fits.
        dropped: the layers that were left out, first the one that was dropped first.
    """

    text: str
    ids: tuple[str, ...]
    dropped: tuple[str, ...]


def card(memories: Sequence[Memory], limit: int, count: Callable[[str], int] = tokens) -> Card:
    """Drops whole layers until the card holds: the situation first, the constraints last.

    Args:
        memories: of one user; within a layer they keep their order.
        limit: the most that the whole text may cost, in what ``count`` counts.
        count: what a text costs.
    """
    layers = [(name, [m for m in memories if m.kind in kinds]) for name, kinds in LAYERS]
    layers = [(name, own) for name, own in layers if own]
    dropped: list[str] = []
    while layers:
        text = "\n".join(memory.content for _, own in layers for memory in own)
        if count(text) <= limit:
            ids = tuple(memory.id for _, own in layers for memory in own)
            return Card(text, ids, tuple(dropped))
        dropped.append(layers.pop()[0])
    return Card("", (), tuple(dropped))
