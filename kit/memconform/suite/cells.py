"""The literal values of the features: how a table cell becomes a value, and how two compare.

A cell is JSON where it reads as JSON (``8``, ``0.4``, ``true``, ``null``, ``["a"]``, ``"a b"``),
else it is the text that stands there. ``key:NAME`` is the id that the store gave to the memory
which the scenario calls NAME. An expected cell may also say ``at most N``, ``at least N``,
``other than VALUE`` or ``without TEXT``; and ``by POLICY: A x, B y`` is x for a store that declares
A for this policy, y for one that declares B, and anything for the rest. Of a text it may say
``containing TEXT``, or ``a start of TEXT`` for a text that goes on where this one was cut.

Inside any cell ``{kept:PATH}`` is a value of the kept answer, ``{kept:PATH - 1}`` and
``{kept:PATH + 1}`` one less and one more than it, and ``{3 times "ab"}`` is ``ababab``; so is
``{5 - kept:PATH times "ab"}`` where the value is 2.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

Table = list[list[str]]

_BY_POLICY = re.compile(r"by (\w+): (.+)")
_FILLED = re.compile(
    r"\{(?:kept:([^{}]+?)(?: ([+-]) (\d+))?|(\d+)(?: - kept:([^{}]+?))?"
    r" times \"([^\"{}]*)\")\}"
)
_POSITION = re.compile(r"-?[0-9]+")


class CellError(ValueError):
    """A feature's table says something that the vocabulary doesn't know: the suite's own fault."""


def literal(cell: str) -> Any:
    """The value of a cell: JSON, else its text."""
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def text(cell: str) -> str:
    """The value of a cell in a column of texts: quoted as JSON where it needs escapes."""
    if len(cell) > 1 and cell.startswith('"') and cell.endswith('"'):
        value = literal(cell)
        if isinstance(value, str):
            return value
    return cell


def fill(cell: str, kept: Any, ids: Mapping[str, str]) -> str:
    """A cell with its ``{...}`` put in, ``kept`` being the kept answer as JSON-like values."""

    def value(match: re.Match[str]) -> str:
        path, sign, by, times, less, repeated = match.groups()
        if times is not None and less is None:
            return str(repeated) * int(times)
        if kept is None:
            raise CellError(f"{match[0]} is asked for, and no answer was kept")
        found = look(kept, path or less, ids)
        if (sign or less) is not None and not _is_number(found):
            raise CellError(f"{match[0]} is asked of a value that is no number")
        if times is not None:
            return str(repeated) * int(int(times) - found)
        found = found if sign is None else found + int(sign + by)
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    return _FILLED.sub(value, cell)


def by_policy(cell: str, declared: Mapping[str, Any]) -> str | None:
    """The expected cell for what a store declares; None where anything will do."""
    match = _BY_POLICY.fullmatch(cell)
    if match is None:
        return cell
    if match[1] not in declared:
        raise CellError(f"there is no policy {match[1]!r}; there is: {', '.join(sorted(declared))}")
    return dict(item.split(" ", 1) for item in match[2].split(", ")).get(str(declared[match[1]]))


def field_name(header: str) -> str:
    """A table's words as a field: ``valid from`` is ``validFrom``."""
    first, *rest = header.split(" ")
    return first + "".join(word.capitalize() for word in rest)


def pairs(table: Table) -> dict[str, str]:
    """A table of two columns without a header, as names and cells."""
    if any(len(row) != 2 for row in table):
        raise CellError("this table needs two columns, a name and a value")
    named = {field_name(name): cell for name, cell in table}
    if len(named) != len(table):
        raise CellError("a name stands twice in this table")
    return named


def rows(table: Table) -> list[dict[str, str]]:
    """A table with a header; empty cells are left out."""
    header = [field_name(name) for name in table[0]]
    return [
        {name: cell for name, cell in zip(header, row, strict=True) if cell != ""}
        for row in table[1:]
    ]


def put(target: dict[str, Any], path: str, value: Any) -> None:
    """Set a dotted path in nested dictionaries."""
    *parents, last = path.split(".")
    for name in parents:
        target = target.setdefault(name, {})
    target[last] = value


def look(value: Any, path: str, ids: Mapping[str, str]) -> Any:
    """The value at a path such as ``rankings[tea].features.lexical`` or ``hits[0].id``.

    A number in brackets is a position, [-1] that of the last one; a name is the memory that the
    scenario calls so, found by ``id`` or ``memoryId``, or in a list of channels the channel of
    that name. What isn't there is null. ``length`` is
    that of a text (in code points) or a list, ``lines`` are those of a text, ``*`` is the whole.
    """
    if path == "*":
        return value
    for part in re.findall(r"[^.\[\]]+|\[[^\]]*\]", path):
        if value is None:
            return None
        if part == "length" and isinstance(value, (str, list)):
            value = len(value)
        elif part == "lines" and isinstance(value, str):
            value = value.strip().split("\n")
        elif part.startswith("["):
            value = _item(value, part[1:-1], ids)
        elif isinstance(value, dict):
            if part not in value:
                known = ", ".join(sorted(value)) or "nothing"
                raise CellError(f"there is no {part!r} in {path!r}; there is: {known}")
            value = value[part]
        else:
            raise CellError(f"{part!r} in {path!r} is asked of a value that has no fields")
    return value


def _item(value: Any, index: str, ids: Mapping[str, str]) -> Any:
    if not isinstance(value, list):
        raise CellError(f"[{index}] is asked of a value that is no list")
    if _POSITION.fullmatch(index):
        return value[int(index)] if -len(value) <= int(index) < len(value) else None
    items = [item for item in value if isinstance(item, dict)]
    if any("channel" in item and "raw" in item for item in items):
        return next((item for item in items if item["channel"] == index), None)
    if index not in ids:
        raise CellError(f"no memory of this scenario is called {index!r}")
    id = ids[index]
    return next((item for item in items if id in (item.get("id"), item.get("memoryId"))), None)


def resolve(value: Any, ids: Mapping[str, str]) -> Any:
    """A value with each ``key:NAME`` replaced by the id that the store gave."""
    if isinstance(value, str) and value.startswith("key:"):
        name = value.removeprefix("key:")
        if name not in ids:
            raise CellError(f"no memory of this scenario is called {name!r}")
        return ids[name]
    if isinstance(value, list):
        return [resolve(item, ids) for item in value]
    if isinstance(value, dict):
        return {name: resolve(item, ids) for name, item in value.items()}
    return value


def expectation(cell: str, ids: Mapping[str, str]) -> tuple[str, Callable[[Any], bool]]:
    """What an expected cell says in words, and the test of it."""
    bound = _BOUND.fullmatch(cell)
    if bound is None:
        value = resolve(literal(cell), ids)
        return show(value), lambda seen: same(seen, value)
    value = resolve(literal(bound[2]), ids)
    words = f"{bound[1]} {show(value)}"
    return words, partial(_BOUNDS[bound[1]], value)


def _starts(whole: str, seen: str) -> bool:
    """Whether something is left of a text, and something was cut off its end."""
    return 0 < len(seen) < len(whole) and whole.startswith(seen)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(seen: Any, wanted: Any) -> bool:
    """Equal; numbers after rounding to nine decimals, and never equal to a truth value."""
    if _is_number(seen) and _is_number(wanted):
        if not (math.isfinite(seen) and math.isfinite(wanted)):
            return bool(seen == wanted)
        return round(float(seen), 9) == round(float(wanted), 9)
    if isinstance(seen, list) and isinstance(wanted, list):
        return len(seen) == len(wanted) and all(map(same, seen, wanted))
    if isinstance(seen, dict) and isinstance(wanted, dict):
        return seen.keys() == wanted.keys() and all(same(seen[k], wanted[k]) for k in seen)
    return type(seen) is type(wanted) and bool(seen == wanted)


# What an expected cell may say of a value, in words: the test of the value and what is seen.
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "at most": lambda value, seen: _is_number(seen) and seen <= value,
    "at least": lambda value, seen: _is_number(seen) and seen >= value,
    "other than": lambda value, seen: not same(seen, value),
    "without": lambda value, seen: str(value) not in json.dumps(seen, ensure_ascii=False),
    "containing": lambda value, seen: isinstance(seen, str) and str(value) in seen,
    "a start of": lambda value, seen: isinstance(seen, str) and _starts(str(value), seen),
}
_BOUND = re.compile(rf"({'|'.join(_BOUNDS)}) (.+)", re.DOTALL)


def show(value: Any) -> str:
    """A value for a sentence: JSON on one line, long ones shortened."""
    shown = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return shown if len(shown) <= 400 else f"{shown[:400]}... ({len(shown)} characters)"
