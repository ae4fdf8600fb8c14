"""The profile card: what is always said of somebody, in layers, never over its limit.

Source: budgeted-recall, "A card drops whole layers".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memconform.fusion.budget import Cost, plain_cost
from memconform.fusion.memory import Kind, Memory

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
        memories: those on it, each whole, in the order of the layers; none when nothing fits.
        dropped: the layers that were left out, first the one that was dropped first.
    """

    memories: tuple[Memory, ...]
    dropped: tuple[str, ...]

    @property
    def text(self) -> str:
        """One line a memory."""
        return "\n".join(memory.content for memory in self.memories)

    @property
    def ids(self) -> tuple[str, ...]:
        """Who is on it, in its order."""
        return tuple(memory.id for memory in self.memories)


def card(memories: Sequence[Memory], limit: int, cost: Cost = plain_cost) -> Card:
    """Drops whole layers until the card holds: the situation first, the constraints last.

    Args:
        memories: of one user; within a layer they keep their order.
        limit: the most that all lines together may cost, each with its line break.
        cost: what a memory costs as a line.
    """
    layers = [(name, [m for m in memories if m.kind in kinds]) for name, kinds in LAYERS]
    layers = [(name, own) for name, own in layers if own]
    dropped: list[str] = []
    while layers:
        held = tuple(memory for _, own in layers for memory in own)
        if sum(cost(memory, memory.content + "\n") for memory in held) <= limit:
            return Card(held, tuple(dropped))
        dropped.append(layers.pop()[0])
    return Card((), tuple(dropped))
