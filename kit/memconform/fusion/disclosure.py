"""First a catalog, then what was picked out of it.

Source: progressive-disclosure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memconform.fusion.atoms import atoms
from memconform.fusion.constants import FIGURES, Figures
from memconform.fusion.memory import Memory
from memconform.fusion.words import content_words, tokens
from memconform.retrieval.tokens import normalise

_BREAK = re.compile(r"(?<=[。！？!?；;\n])|(?<=\.)\s")


@dataclass(frozen=True)
class Entry:
    """One line of a catalog.

    Attributes:
        expand_cost: what the whole content would cost, in tokens.
    """

    memory: Memory
    title: str
    summary: str
    expand_cost: int


@dataclass(frozen=True)
class Catalog:
    """The lines, and what they cost together: the more lines, the more."""

    entries: tuple[Entry, ...]
    cost: int


def _start(text: str, length: int) -> str:
    """The first sentence on one line; of a longer one as much as fits, and a mark that says so."""
    line = " ".join(_BREAK.split(text.strip(), maxsplit=1)[0].split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def catalog(memories: Sequence[Memory], figures: Figures = FIGURES) -> Catalog:
    """Titles and one-line summaries by which memories can be told apart, and never a content.

    A title begins like its memory. A summary names what this memory has and the others don't:
    first its atoms, then its own words; a short memory of which that is everything still has no
    sentence of it shown.
    """
    spoken = [set(content_words(memory.content)) for memory in memories]
    entries = []
    for place, memory in enumerate(memories):
        others = set().union(*(s for at, s in enumerate(spoken) if at != place))
        exact = atoms(memory.content)
        said = normalise(" ".join(exact))
        own = [w for w in content_words(memory.content) if w not in others and w not in said]
        parts = (*exact, *own) or content_words(memory.content)
        summary = _joined((memory.kind, *parts), figures.summary_length, memory.content.strip())
        title = _title(memory, figures)
        entries.append(Entry(memory, title, summary, tokens(memory.content)))
    cost = sum(tokens(entry.title) + tokens(entry.summary) for entry in entries)
    return Catalog(tuple(entries), cost)


def _title(memory: Memory, figures: Figures) -> str:
    title = _start(memory.content, figures.title_length)
    # A content that is as short as a title would be shown whole by it.
    return title if title != memory.content.strip() else title[: len(title) // 2] + "…"


def _joined(parts: Sequence[str], length: int, never: str) -> str:
    """As many parts as fit, without those that would let the whole of a content show."""
    line = parts[0]
    for part in parts[1:]:
        longer = f"{line}, {part}"
        if len(longer) > length:
            break
        if never not in longer:
            line = longer
    return line
