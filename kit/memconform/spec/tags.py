"""The tags of the suite: what they may be, where they may stand, what they say together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from memconform.protocol import CAPABILITIES

Level = Literal["behaviour", "explain", "exact"]
LEVELS: tuple[Level, ...] = get_args(Level)

_REQ = re.compile(r"@req:[a-z0-9]+(?:-[a-z0-9]+)*/[a-z0-9]+(?:-[a-z0-9]+)*")
_DEFECT = re.compile(r"@defect:[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
VOCABULARY = "@req:CAPABILITY/SLUG, @must, @should, @needs:NAME, @level:NAME, @defect:ID, @slow"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the effective tags of a scenario say.

    Attributes:
        must: None where neither or both of @must and @should are there.
        level: ``behaviour`` where none is given.
    """

    must: bool | None
    level: Level
    needs: tuple[str, ...]
    defects: tuple[str, ...]
    slow: bool


def read(tags: Iterable[str]) -> Meaning:
    """The meaning of a scenario's effective tags; whatever is wrong with them is left out."""
    known = {tag for tag in tags if wrong(tag) is None}
    strength = known & {"@must", "@should"}
    levels = [level for level in LEVELS if f"@level:{level}" in known]
    return Meaning(
        must="@must" in strength if len(strength) == 1 else None,
        level=levels[0] if levels else "behaviour",
        needs=_values(known, "@needs:"),
        defects=_values(known, "@defect:"),
        slow="@slow" in known,
    )


def _values(tags: Iterable[str], prefix: str) -> tuple[str, ...]:
    return tuple(sorted(tag.removeprefix(prefix) for tag in tags if tag.startswith(prefix)))


def wrong(tag: str) -> tuple[str, str] | None:
    """Code and sentence of what is wrong with a tag as such, None for a good one."""
    if tag in ("@must", "@should", "@slow") or _REQ.fullmatch(tag) or _DEFECT.fullmatch(tag):
        return None
    name, colon, value = tag.partition(":")
    if name == "@needs" and colon:
        if value in CAPABILITIES:
            return None
        return "unknown-capability", f"{tag} names no capability of the protocol: correct the name."
    if name == "@level" and colon:
        if value in LEVELS:
            return None
        return "unknown-tag", f"{tag} is no level: write one of {', '.join(LEVELS)}."
    return "unknown-tag", f"{tag} isn't a tag of the suite: only {VOCABULARY} are."


def contradictions(tags: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Code and end of a sentence for what the effective tags of a scenario can't say together."""
    known = set(tags)
    strength = sorted(known & {"@must", "@should"})
    if not strength:
        yield "no-strength", "has neither @must nor @should: add one, on it or on its rule."
    elif len(strength) == 2:
        yield "two-strengths", "has @must and @should: leave one, on it or on its rule."
    if len({tag for tag in known if tag.startswith("@level:")}) > 1:
        yield "two-levels", "has more than one @level: leave one."
