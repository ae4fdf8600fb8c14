"""The prompt budget: the best records first, as long as the block holds them.

Source: retrieval-foundation, "The character budget holds".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.context import LAYOUT, Entry, Layout
from memconform.retrieval.ranking import Ranked
from memconform.retrieval.stage import Dropped
from memconform.retrieval.tokens import normalise

OVER_LIMIT = "over-limit"
DUPLICATE = "duplicate"
OVER_BUDGET = "over-budget"


@dataclass(frozen=True)
class Selected:
    """A record that is in the block.

    Attributes:
        content: as it is in the block: the stored content, or a prefix of it.
        truncated: whether it is a prefix.
    """

    ranked: Ranked
    content: str
    truncated: bool


@dataclass(frozen=True)
class Budgeted:
    """What fits, what does not and why, and the block itself."""

    kept: tuple[Selected, ...]
    dropped: tuple[Dropped, ...]
    block: str

    @property
    def excluded_ids(self) -> tuple[str, ...]:
        """Records left out as duplicates or for want of space; the limit excludes nothing."""
        return tuple(drop.id for drop in self.dropped if drop.reason != OVER_LIMIT)

    @property
    def truncated_ids(self) -> tuple[str, ...]:
        """Records of which only the beginning is in the block."""
        return tuple(chosen.ranked.record.id for chosen in self.kept if chosen.truncated)


def same_content_key(content: str) -> str:
    """Contents with the same key say the same: NFKC, trimmed, lower case."""
    return normalise(content).strip()


def longest_cut(content: str, fits: Callable[[str], bool], least: int, most: int) -> str | None:
    """The longest prefix that fits, trailing space trimmed; None if it has fewer than ``least``.

    Args:
        content: the text to be cut.
        fits: whether a text fits; what fits must fit when shortened, too.
        least: code points that a cut must have to be worth keeping.
        most: a bound of what can fit, which spares looking at more.
    """
    low, high = least, min(len(content), most)
    if high < low or not fits(content[:low].rstrip()):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        if fits(content[:middle].rstrip()):
            low = middle
        else:
            high = middle - 1
    cut = content[:low].rstrip()
    return cut if len(cut) >= least else None


def within_budget(
    ranked: Sequence[Ranked],
    *,
    limit: int,
    characters: int,
    layout: Layout = LAYOUT,
    constants: Constants = FOUNDATION,
) -> Budgeted:
    """Walks the ranked list and assembles the block.

    Args:
        ranked: the candidates that passed the gate, best first.
        limit: the most records.
        characters: the most code points of the whole block, markup included.
        layout: how the block is written.
        constants: the figures in force.
    """
    kept: list[Selected] = []
    dropped: list[Dropped] = []
    block = _Block(characters, layout, constants)
    seen: set[str] = set()
    for position, candidate in enumerate(ranked):
        if len(kept) >= limit:
            dropped += [Dropped(rest.record.id, OVER_LIMIT) for rest in ranked[position:]]
            break
        stored = candidate.record.content
        key = same_content_key(stored)
        if key in seen:
            dropped.append(Dropped(candidate.record.id, DUPLICATE))
            continue
        fits = partial(block.fits, candidate)
        content: str | None = stored
        if not fits(stored):
            content = longest_cut(stored, fits, least=constants.least_cut, most=characters)
        if content is None:
            dropped.append(Dropped(candidate.record.id, OVER_BUDGET))
            continue
        block.add(candidate, content)
        seen.add(key)
        kept.append(Selected(candidate, content, truncated=content != stored))
    return Budgeted(tuple(kept), tuple(dropped), block.text())


class _Block:
    """The block as it grows. Each line is written once; only the candidate's is tried out."""

    def __init__(self, characters: int, layout: Layout, constants: Constants) -> None:
        self._characters = characters
        self._layout = layout
        self._constants = constants
        self._lines: list[str] = []

    def _line(self, candidate: Ranked, content: str) -> str:
        entry = Entry(candidate.record, content, candidate.features.freshness)
        return self._layout.line(entry, self._constants)

    def fits(self, candidate: Ranked, content: str) -> bool:
        if len(content) > self._characters:
            return False
        line = self._line(candidate, content)
        return len(self._layout.frame([*self._lines, line])) <= self._characters

    def add(self, candidate: Ranked, content: str) -> None:
        self._lines.append(self._line(candidate, content))

    def text(self) -> str:
        return self._layout.frame(self._lines)
