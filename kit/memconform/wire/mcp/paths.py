"""Where a value stands in an answer: names, numbers and stars, and nothing that is evaluated.

    structuredContent.id            a value of an object by its name
    json["created at"]              the same, for a name that isn't a plain word
    content[0].text                 one of a list by its number, from the end with a minus
    structuredContent.items[*]      all of a list
    json.note?.tags                 null where there is no note
    @                               the whole of what is looked at

A name that isn't there is an error, so that an answer of another shape is never taken for an empty
one; ``?`` after a name or a number says that it may be missing, and the rest of the path with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_SEGMENT = re.compile(
    r"""(?: (?P<dot>\.)? (?P<name>[A-Za-z_][A-Za-z0-9_-]*)
        | \[ (?P<number>-?[0-9]{1,9}) \]
        | \[ "(?P<quoted>[^"\]\x00-\x1f]*)" \]
        | (?P<all>\[\*\]) ) (?P<optional>\?)?""",
    re.VERBOSE,
)
WHOLE = "@"


class PathError(ValueError):
    """It is no path; the message says where it stops being one."""


class Missing(Exception):
    """An answer has nothing at a path; the message says what is there instead."""


@dataclass(frozen=True)
class Segment:
    """One step of a path.

    Attributes:
        key: a name, a number, or null for all of a list.
        optional: whether it may be missing.
    """

    key: str | int | None
    optional: bool

    def __str__(self) -> str:
        shown = "[*]" if self.key is None else f"[{self.key}]"
        return f".{self.key}" if isinstance(self.key, str) else shown


@dataclass(frozen=True)
class Path:
    """A path, read.

    Attributes:
        text: as it was written.
        segments: its steps; none for the whole.
    """

    text: str
    segments: tuple[Segment, ...]

    @property
    def many(self) -> bool:
        """Whether it finds a list of values."""
        return any(segment.key is None for segment in self.segments)

    @property
    def start(self) -> str | int | None:
        """The first step, or null for the whole."""
        return self.segments[0].key if self.segments else None


def parse(text: str) -> Path:
    """Read a path.

    Raises:
        PathError: it is none.
    """
    if text == WHOLE:
        return Path(text, ())
    segments: list[Segment] = []
    place = 0
    while place < len(text):
        found = _SEGMENT.match(text, place)
        # Names are divided by dots; a bracket follows what it belongs to.
        if found is None or (found["name"] and bool(found["dot"]) != bool(segments)):
            raise PathError(
                f"{text!r} is no path from its character {place + 1} on; a path is like"
                ' structuredContent.items[*], content[0].text or json["a name"].id'
            )
        if found["all"] and any(segment.key is None for segment in segments):
            raise PathError(f"{text!r} has a second [*]; a list of lists can't be read")
        key: str | int | None
        if found["number"] is not None:
            key = int(found["number"])
        elif found["all"]:
            key = None
        else:
            key = found["name"] if found["name"] is not None else found["quoted"]
        segments.append(Segment(key, found["optional"] is not None))
        place = found.end()
    if not segments:
        raise PathError("a path is empty; the whole is written @")
    return Path(text, tuple(segments))


def find(path: Path, value: Any) -> Any:
    """The value at a path; a list where the path has a star.

    Raises:
        Missing: there is nothing.
    """
    return _find(path, 0, value)


def _find(path: Path, place: int, value: Any) -> Any:
    for number, segment in enumerate(path.segments[place:], place):
        if segment.key is None:
            if isinstance(value, list):
                return [_find(path, number + 1, item) for item in value]
            if value is None and segment.optional:
                return []
            raise _missing(path, number, f"is {kind(value)} and no list")
        if isinstance(segment.key, int):
            there = isinstance(value, list) and -len(value) <= segment.key < len(value)
        else:
            there = isinstance(value, dict) and segment.key in value
        if not there and not segment.optional:
            raise _missing(path, number, f"has nothing at {segment}: it is {kind(value)}")
        value = value[segment.key] if there else None
        if value is None and segment.optional:
            # The rest of the path is excused; no memories are an empty list, not nothing.
            rest = path.segments[number + 1 :]
            return [] if any(step.key is None for step in rest) else None
    return value


def _missing(path: Path, number: int, told: str) -> Missing:
    before = "".join(map(str, path.segments[:number])).removeprefix(".") or "the answer"
    return Missing(f"{before} {told}")


def kind(value: Any) -> str:
    """What a JSON-like value is, in words; of an object the names that it has."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        names = ", ".join(str(name)[:40] for name in list(value)[:8]) or "nothing"
        return f"an object with {names}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "a text" if isinstance(value, str) else f"the number {value}"
