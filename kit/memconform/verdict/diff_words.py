"""The differences between two reports in words: groups with a heading, what asks for work first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memconform.model.report import Outcome
from memconform.verdict.diff import Differences, Origin, Shift
from memconform.verdict.words import harmless, listed, number, shortened

_ORIGINS: dict[Origin, str] = {
    "suite": "came with the suite",
    "wording": "the suite asks otherwise now",
    "profiles": "its profile was measured in one of the two only",
    "declaration": "",  # the heading says so
    "not the suite": "",
    "open": "",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Differences of one kind.

    Attributes:
        heading: what to do, and how many.
        lines: one a difference; every text in it harmless.
        work: whether somebody has to do something about it.
    """

    heading: str
    lines: list[str]
    work: bool


def groups(told: Differences, *, most: int | None = None) -> list[Group]:
    """Everything that differs; empty groups are left out.

    Args:
        told: the differences.
        most: lines of each group; null has all.
    """
    return [_cut(group, most) for group in _all(told) if group is not None]


def _all(told: Differences) -> Iterator[Group | None]:
    yield _scenarios("Mend", told.regressions, "passed before and doesn't hold any more")
    yield _scenarios("Mend", told.newly_required, "newly required and doesn't hold")
    yield _scenarios("Mend", told.newly_asked, "asked since it is declared, and doesn't hold")
    yield _capabilities("Decide: withdrawn", told.withdrawn, told.unsupported, work=True)
    if not told.withdrawn:
        yield _scenarios("Look at", told.unsupported, "not asked any more")
    yield _scenarios("Look at", told.changed, "came out otherwise")
    yield _scenarios("Look at", told.gone, "not in the new report")
    yield _scenarios("Read again", told.keywords, "another keyword")
    yield _lines(
        "Read again: declared otherwise",
        [f"{harmless(p.name)}: {_value(p.old)}, now {_value(p.new)}" for p in told.policies],
        work=True,
    )
    yield _lines(
        "Look at: what it says of itself",
        [
            f"{harmless(p.subject)}: {p.old or 'nothing to say'}, now {p.new or 'nothing to say'}"
            for p in told.probes
        ],
        work=True,
    )
    yield _scenarios("Fixed", told.fixed, "broken before and holds now", work=False)
    yield _capabilities("Newly supported", told.supported, told.newly_supported, work=False)
    if not told.supported:
        yield _scenarios("Newly asked", told.newly_supported, "and holds", work=False)
    yield _scenarios("New, and nothing to do", told.added, "not in the old report", work=False)
    yield _lines(
        "Verdicts",
        [
            f"{harmless(v.profile)}: {v.old.value if v.old else 'not asked for'}, "
            f"now {v.new.value if v.new else 'not asked for'}"
            for v in told.verdicts
        ],
        work=False,
    )


def _scenarios(what: str, shifts: Sequence[Shift], how: str, *, work: bool = True) -> Group | None:
    if not shifts:
        return None
    heading = f"{what}: {number(len(shifts), 'scenario')}, {how}"
    return Group(heading, [_line(shift) for shift in shifts], work)


def _capabilities(
    what: str, names: Sequence[str], shifts: Sequence[Shift], *, work: bool
) -> Group | None:
    """Capabilities that are declared in one of the two, with the scenarios that it shows in."""
    if not names:
        return None
    lines = [_line(shift) for shift in shifts] or ["No scenario came out otherwise by it."]
    return Group(f"{what}: {', '.join(map(harmless, names))}", lines, work)


def _lines(heading: str, lines: list[str], *, work: bool) -> Group | None:
    return Group(heading, lines, work) if lines else None


def _line(shift: Shift) -> str:
    outcomes = [each for each in (shift.old, shift.new) if each is not None]
    told = f"{harmless(shift.id)}: {', now '.join(map(_word, outcomes))}"
    remarks = [] if shift.must else ["a SHOULD"]
    remarks += [words] if (words := _ORIGINS[shift.origin]) else []
    return f"{told} ({'; '.join(remarks)})" if remarks else told


def _word(outcome: Outcome) -> str:
    return outcome.value


def _value(value: object) -> str:
    if isinstance(value, list):
        return listed([harmless(str(each)) for each in value], most=12) or "none"
    if isinstance(value, str):
        return harmless(shortened(value, 80))
    return "not declared" if value is None else harmless(shortened(json.dumps(value), 80))


def _cut(group: Group, most: int | None) -> Group:
    left = 0 if most is None else len(group.lines) - most
    if left <= 0:
        return group
    return Group(group.heading, [*group.lines[:most], f"{left:,} more"], group.work)
