"""Arguments of a tool with placeholders in them, and how they are filled.

``"{limit}"`` alone keeps the type of the value, and where there is no value the argument is left
out. Within a longer text a value that may be missing needs a word instead: ``{workspace|none}``.
``{id:int}`` makes a number of a text, ``{tags:commas}`` and ``{tags:json}`` a text of a list.
``{{`` and ``}}`` are the braces themselves.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memconform.protocol import Invalid, NotFound

_PART = re.compile(
    r"""\{\{ | \}\}
        | \{ (?P<name>[^{}:|]*) (?: :(?P<convert>[^{}|]*) )? (?: \|(?P<instead>[^{}]*) )? \}
        | (?P<stray>[{}])""",
    re.VERBOSE,
)
CONVERSIONS = ("int", "commas", "json")


class TemplateError(ValueError):
    """A text is no template: the message says what is wrong with its placeholder."""


@dataclass(frozen=True)
class Names:
    """The placeholders that there are at one place of a mapping.

    Attributes:
        always: those that always have a value, a text.
        sometimes: those that may have none.
        lists: those of both whose value is a list or an object.
    """

    always: frozenset[str]
    sometimes: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()

    @property
    def all(self) -> list[str]:
        """Every name, in order."""
        return sorted(self.always | self.sometimes)


@dataclass(frozen=True)
class Placeholder:
    """One placeholder, read."""

    name: str
    convert: str | None
    instead: str | None


Part = str | Placeholder
LEFT_OUT = object()


def parts(text: str) -> list[Part]:
    """A text taken apart into its plain pieces and its placeholders.

    Raises:
        TemplateError: a brace stands alone, or a conversion doesn't exist.
    """
    found: list[Part] = []
    place = 0
    for match in _PART.finditer(text):
        found.append(text[place : match.start()])
        place = match.end()
        if match["stray"]:
            raise TemplateError(f"{text!r} has a single {match['stray']!r}; write it twice")
        if match["name"] is None:
            found.append(match.group()[0])
            continue
        if match["convert"] is not None and match["convert"] not in CONVERSIONS:
            raise TemplateError(
                f"{match.group()} has no conversion {match['convert']!r}; there are"
                f" {', '.join(CONVERSIONS)}"
            )
        found.append(Placeholder(match["name"], match["convert"], match["instead"]))
    found.append(text[place:])
    return [part for part in found if part != ""]


def placeholders(value: Any) -> Iterator[Placeholder]:
    """Every placeholder in a JSON-like value."""
    if isinstance(value, str):
        for part in parts(value):
            if isinstance(part, Placeholder):
                yield part
    elif isinstance(value, dict):
        for inner in value.values():
            yield from placeholders(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from placeholders(inner)


def check(value: Any, names: Names) -> None:
    """Refuse a JSON-like value with placeholders that can't be filled.

    Raises:
        TemplateError: the message is the rest of a sentence that begins with the place.
    """
    if isinstance(value, dict):
        for inner in value.values():
            check(inner, names)
    elif isinstance(value, list):
        for inner in value:
            check(inner, names)
    elif isinstance(value, str):
        _check_text(value, names)


def near(word: str, words: Collection[str]) -> str:
    """`` Did you mean a or b?``, or nothing where nothing is near."""
    found = difflib.get_close_matches(word, list(words), n=2)
    return f" Did you mean {' or '.join(found)}?" if found else ""


def _check_text(text: str, names: Names) -> None:
    found = parts(text)
    for part in found:
        if not isinstance(part, Placeholder):
            continue
        shown = "{" + part.name + "}"
        if part.name not in names.always | names.sometimes:
            there = ", ".join("{" + name + "}" for name in names.all) or "none"
            raise TemplateError(
                f"there is no placeholder {shown}; there are {there}.{near(part.name, names.all)}"
            )
        if len(found) == 1:
            continue
        if part.name in names.lists and part.convert not in ("commas", "json"):
            raise TemplateError(
                f"{shown} is no text and stands within one; write it alone, or {{{part.name}:json}}"
            )
        if part.name in names.sometimes and part.instead is None:
            raise TemplateError(
                f"{shown} may have no value and stands within a longer text; say what stands there"
                f" then, such as {{{part.name}|none}}"
            )


def fill(value: Any, values: Mapping[str, Any]) -> Any:
    """The value with its placeholders filled; LEFT_OUT where nothing of it is left.

    Args:
        value: JSON-like, checked.
        values: by name; null and a missing one are the same.

    Raises:
        Invalid, NotFound: a conversion isn't possible.
    """
    if isinstance(value, str):
        found = parts(value)
        if len(found) == 1 and isinstance(found[0], Placeholder):
            return _value(found[0], values)
        return "".join(p if isinstance(p, str) else _as_text(_value(p, values)) for p in found)
    if isinstance(value, dict):
        filled = {name: fill(inner, values) for name, inner in value.items()}
        return {name: inner for name, inner in filled.items() if inner is not LEFT_OUT}
    if isinstance(value, list):
        return [inner for item in value if (inner := fill(item, values)) is not LEFT_OUT]
    return value


def _value(part: Placeholder, values: Mapping[str, Any]) -> Any:
    value = values.get(part.name)
    if value is None:
        return LEFT_OUT if part.instead is None else part.instead
    if part.convert == "int":
        return _number(part.name, value)
    if part.convert == "json":
        return json.dumps(value, ensure_ascii=False)
    if part.convert == "commas":
        return ",".join(map(_as_text, value)) if isinstance(value, list) else _as_text(value)
    return value


def _number(name: str, value: Any) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    # The server numbers its memories, so whatever is no number names none of them.
    if name in ("id", "by"):
        raise NotFound(f"there is no memory {value!r}: the server's ids are numbers")
    raise Invalid(f"{name} must be a whole number, not {value!r}")


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is LEFT_OUT else str(value)
