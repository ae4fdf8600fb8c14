"""JSON for other tools to read: one line a value, and nothing in it that acts on a screen."""

from __future__ import annotations

import functools
import re
from typing import Any

import msgspec

from memconform.verdict.words import harmless

_UNUSUAL = re.compile(r"[^\x20-\x7e]")


def compact(value: Any) -> str:
    """A JSON-like value on one line, keys in their order, active characters as JSON escapes."""
    return inert(msgspec.json.encode(value).decode())


def inert(text: str) -> str:
    r"""JSON of the same value, in which active characters stand as escapes, such as ``\u202e``.

    Outside of strings JSON has no such character but white space, so line feeds and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNUSUAL.sub(lambda match: _escaped(match[0]), text)


@functools.lru_cache(maxsize=4096)
def _escaped(character: str) -> str:
    if harmless(character, keep="\n\t") == character:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))
