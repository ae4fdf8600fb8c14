"""Words for people: counted things, lists, shortened texts, and hostile text made harmless.

A memory's text, an implementation's name and its error messages are all other people's text.
Whatever a renderer shows of them goes through ``harmless`` first, then through the escaping of
its own format.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

from memconform.model.report import CallRecord, Outcome

# Categories that act on a terminal or a page instead of standing on it: control characters
# (ANSI escapes start with one), format characters (bidi controls, tags, zero-width spaces),
# halves of surrogate pairs, line and paragraph separators.
_ACTIVE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Joiners shape the letters of several scripts and emoji; they move nothing.
_KEPT = frozenset("\u200c\u200d")
# What an object is about, ahead of what else it says: a long one is cut.
_FIRST = ("id", "query", "content", "text", "outcome", "state", "form", "hits", "record", "records")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def harmless(text: str, *, keep: str = "") -> str:
    r"""The text with every active character written out, such as ``\x1b`` or ``\u202e``.

    Args:
        text: any text.
        keep: active characters to leave as they are, such as a line feed.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in keep or not _active(character) else _written_out(character)
        for character in text
    )


def _active(character: str) -> bool:
    return character not in _KEPT and unicodedata.category(character) in _ACTIVE


def _written_out(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def without_lone_surrogates(value: Any) -> Any:
    r"""A JSON-like value whose lone surrogates are written out as ``\ud800``.

    No codec can carry them, and a report must be written whatever a store has answered.
    """
    if isinstance(value, str):
        if value.isascii():
            return value
        return "".join(_written_out(c) if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, dict):
        return {without_lone_surrogates(k): without_lone_surrogates(v) for k, v in value.items()}
    if isinstance(value, list):
        return [without_lone_surrogates(item) for item in value]
    return value


def number(count: int, thing: str, many: str | None = None) -> str:
    """``1 scenario``, ``3 scenarios``, ``1,204 characters``."""
    return f"{count:,} {thing if count == 1 else many or thing + 's'}"


def runs_words(runs: Sequence[Outcome]) -> str:
    """``passed in 2 of 3 runs, failed in run 2``: how a scenario came out, run by run."""
    told = [f"passed in {runs.count(Outcome.PASSED)} of {number(len(runs), 'run')}"]
    for outcome in dict.fromkeys(runs):
        if outcome is not Outcome.PASSED:
            places = [str(place) for place, each in enumerate(runs, 1) if each is outcome]
            words = f"run{'s' if len(places) > 1 else ''} {listed(places)}"
            told.append(f"{outcome.value} in {words}")
    return ", ".join(told)


def listed(items: Sequence[str], *, most: int = 5) -> str:
    """``a``, ``a and b``, ``a, b and c``; past ``most`` of them ``a, b and 3 more``."""
    shown = list(items)
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters of the text, then how long it really is."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({number(len(text), 'character')} in all)"


def call_words(call: CallRecord, *, limit: int = 160) -> tuple[str, str]:
    """A call to a store and what came of it, each harmless and on one line.

    Nulls and empty objects are left out: they say nothing.
    """
    asked = ", ".join(
        f"{name}={_value(value, limit)}" for name, value in without_nulls(call.arguments).items()
    )
    if call.fault is not None:
        came = f"fault: {call.fault}"
    elif call.error is not None:
        came = f"refused as {call.error.get('code')}: {call.error.get('message')}"
    else:
        came = _value(without_nulls(call.answer), 2 * limit)
    return (
        harmless(f"{call.operation}({shortened(asked, 2 * limit)})"),
        harmless(shortened(came, 2 * limit)),
    )


def _value(value: Any, limit: int) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), limit)


def _place(name: str) -> tuple[int, str]:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST), name


def without_nulls(value: Any) -> Any:
    """A JSON-like value without the nulls and the empty objects in its objects.

    The names of an object come in one order, so that a report that is read back, whose names are
    sorted, is told in the same words as at the end of its run.
    """
    if isinstance(value, dict):
        said = {name: without_nulls(value[name]) for name in sorted(value, key=_place)}
        return {name: inner for name, inner in said.items() if inner is not None and inner != {}}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return value
