"""The parts of a text that make another fact of it when one character changes.

Numbers with their units, dates, amounts, models, addresses, quoted words. Two texts that differ
in one of them say different things, however similar they are; and a text that must be shortened
keeps them.

Source: budgeted-recall, "Too long becomes a capsule"; memory-integrity D6.
"""

from __future__ import annotations

import re

from memconform.retrieval.tokens import normalise

_ATOM = re.compile(
    "|".join(
        (
            r"https?://[^\s，。；]+",
            r"[\w.+-]+@[\w-]+\.[\w.-]*\w",
            r"“[^”]+”|「[^」]+」|『[^』]+』|\"[^\"]+\"",
            r"\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2})?",
            r"\d{1,4}\s*年(?:\s*\d{1,2}\s*月)?(?:\s*\d{1,2}\s*[日号])?",
            r"[$€£¥]\s?\d[\d.,]*\d|[$€£¥]\s?\d",
            # A model: capitals and digits in one word, such as POL-358, or RTX 4090.
            r"\b[A-Z]{2,}[\w-]*(?:\s\d[\w-]*)?\b|\b[A-Za-z]+-?\d[\w-]*\b",
            r"\d+(?:[.,:]\d+)*\s*(?:%|[a-z]{1,3}\b|days?\b|hours?\b|weeks?\b|months?\b|years?\b"
            r"|[天日周月年岁元块度个次号楼米克斤]|小时|分钟|公里)?",
        )
    )
)


def atoms(text: str) -> tuple[str, ...]:
    """The atoms of a text, as they are written, each once, in order."""
    return tuple(dict.fromkeys(match.group().strip() for match in _ATOM.finditer(text)))


def same_atoms(first: str, second: str) -> bool:
    """Whether two texts have the same atoms; those that don't are never merged."""
    return {normalise(a) for a in atoms(first)} == {normalise(a) for a in atoms(second)}
