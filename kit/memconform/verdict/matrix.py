"""Several reports side by side: implementations as columns, requirements as rows.

Everything comes from the outcomes that stand in the reports. A requirement's cell is the worst
outcome of its scenarios and how many came to each; there is no percentage, and what wasn't asked
isn't shown as if it had been.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memconform.model.base import Response
from memconform.model.report import Outcome, ProfileVerdict, Report, ScenarioResult, Verdict
from memconform.suite.profiles import PROFILES
from memconform.verdict.words import listed, number

# The worst first. What is broken comes before what is unknown, and that before what wasn't asked.
BY_WEIGHT = (
    Outcome.FAILED,
    Outcome.ERROR,
    Outcome.NOT_TESTABLE,
    Outcome.UNSTABLE,
    Outcome.NOT_RUN,
    Outcome.UNSUPPORTED,
    Outcome.DISPUTED,
    Outcome.PASSED,
)
_NAMED = 3  # requirements named in the sentence of how near a profile is


class Gap(Response, frozen=True, kw_only=True):
    """A requirement that doesn't hold: so many of its MUST scenarios are broken."""

    requirement: str
    rule: str
    broken: int


class Owed(Response, frozen=True, kw_only=True):
    """What a profile can't do without and isn't declared, and how many MUST scenarios need it.

    Attributes:
        one_of: a single capability, or several of which one is enough.
    """

    one_of: list[str]
    scenarios: int


class Nearness(Response, frozen=True, kw_only=True):
    """What keeps one profile of one implementation from being conformant, most first."""

    profile: str
    gaps: list[Gap]
    owed: list[Owed]

    @property
    def short(self) -> int:
        """How many things have to be mended or declared."""
        return len(self.gaps) + len(self.owed)


class Column(Response, frozen=True, kw_only=True):
    """One report.

    Attributes:
        reliable: whether its outcomes may be shown: the run came to its end, and it was the system
            that answered.
        near: the profiles that are non-conformant or partial, the nearest first.
    """

    target: str
    implementation: str | None
    way: str
    kit: str
    suite: str
    reliable: bool
    verdicts: list[ProfileVerdict]
    near: list[Nearness]

    def verdict(self, profile: str) -> ProfileVerdict | None:
        """What was judged of a profile; null where it wasn't asked for."""
        return next((told for told in self.verdicts if told.profile == profile), None)


class Cell(Response, frozen=True, kw_only=True):
    """One requirement in one report.

    Attributes:
        worst: null where the report doesn't ask for the requirement, or can't be relied on.
        counts: scenarios by outcome, the worst first; only those that there are.
    """

    worst: Outcome | None
    counts: dict[str, int]


class Row(Response, frozen=True, kw_only=True):
    """One requirement in all reports; scenarios of its other keyword are a row of their own."""

    profile: str
    requirement: str
    rule: str
    must: bool
    cells: list[Cell]


class Matrix(Response, frozen=True, kw_only=True):
    """Reports side by side.

    Attributes:
        profiles: those that any report judges, in the order of the kit.
        suites: the digests of the suites that were run, each once; where none was started, none.
    """

    columns: list[Column]
    profiles: list[str]
    rows: list[Row]
    suites: list[str]

    def rows_of(self, profile: str) -> list[Row]:
        """The rows of one profile."""
        return [row for row in self.rows if row.profile == profile]


def matrix(reports: Sequence[Report]) -> Matrix:
    """The matrix of reports that have been verified, each about another target."""
    columns = [_column(report) for report in reports]
    judged = {told.profile for column in columns for told in column.verdicts}
    return Matrix(
        columns=columns,
        profiles=[name for name in PROFILES if name in judged],
        rows=list(_rows(reports, columns)),
        suites=list(dict.fromkeys(report.suite for report in reports if report.suite)),
    )


def _column(report: Report) -> Column:
    who = report.implementation
    caught = any(probe.disqualifies for probe in report.probes)
    near = [_near(report, told) for told in report.profiles if told.verdict in _JUDGED]
    return Column(
        target=report.target,
        implementation=f"{who.name} {who.version}" if who else None,
        way=report.way,
        kit=report.kit,
        suite=report.suite,
        reliable=report.error is None and not caught,
        verdicts=report.profiles,
        near=sorted(near, key=lambda each: each.short),
    )


_JUDGED = (Verdict.NON_CONFORMANT, Verdict.PARTIAL)


def _near(report: Report, told: ProfileVerdict) -> Nearness:
    must = [r for r in report.results if r.profile == told.profile and r.must]
    gaps: dict[str, Gap] = {}
    for result in must:
        if result.outcome.breaks:
            id = f"{result.capability}/{result.requirement}"
            known = gaps.get(id)
            broken = 1 + (known.broken if known else 0)
            gaps[id] = Gap(requirement=id, rule=result.rule, broken=broken)
    return Nearness(
        profile=told.profile,
        gaps=sorted(gaps.values(), key=lambda gap: -gap.broken),
        owed=sorted(
            _owed(report, told.profile, must), key=lambda each: (-each.scenarios, each.one_of)
        ),
    )


def _owed(report: Report, name: str, must: Sequence[ScenarioResult]) -> Iterator[Owed]:
    profile = PROFILES[name]
    declared = report.implementation.capabilities if report.implementation else []
    needing: Counter[tuple[str, ...]] = Counter()
    for result in must:
        if result.outcome is Outcome.UNSUPPORTED:
            owed = profile.owed(result.missing, declared)
            # A group of which one is enough is owed once, whichever of it a scenario needs.
            needing.update(
                {next((g for g in profile.one_of if name in g), (name,)) for name in owed}
            )
    for group, scenarios in needing.items():
        yield Owed(one_of=list(group), scenarios=scenarios)


def _rows(reports: Sequence[Report], columns: Sequence[Column]) -> Iterator[Row]:
    """A row a requirement: by profile, then in the order in which the reports have them."""
    found: dict[tuple[str, str, bool], list[list[ScenarioResult]]] = {}
    rules: dict[tuple[str, str, bool], str] = {}
    for place, report in enumerate(reports):
        for result in report.results:
            key = (result.profile, f"{result.capability}/{result.requirement}", result.must)
            found.setdefault(key, [[] for _ in reports])[place].append(result)
            rules.setdefault(key, result.rule)
    order = list(PROFILES)
    for key in sorted(found, key=lambda key: order.index(key[0])):
        profile, requirement, must = key
        yield Row(
            profile=profile,
            requirement=requirement,
            rule=rules[key],
            must=must,
            cells=[
                _cell(results if column.reliable else ())
                for results, column in zip(found[key], columns, strict=True)
            ],
        )


def _cell(results: Iterable[ScenarioResult]) -> Cell:
    outcomes = [result.outcome for result in results]
    counts = {each.value: outcomes.count(each) for each in BY_WEIGHT if each in outcomes}
    return Cell(worst=next((o for o in BY_WEIGHT if o in outcomes), None), counts=counts)


# --- words that every renderer says alike --------------------------------------------------------

SIGNS = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✗",
    Outcome.ERROR: "!",
    Outcome.NOT_TESTABLE: "⊘",
    Outcome.UNSTABLE: "≈",
    Outcome.NOT_RUN: "·",
    Outcome.UNSUPPORTED: "–",
    Outcome.DISPUTED: "~",
}
VERDICT_SIGNS = {
    Verdict.CONFORMANT: "✓",
    Verdict.PARTIAL: "◐",
    Verdict.NON_CONFORMANT: "✗",
    Verdict.NOT_MEASURED: "?",
}
MEANINGS = {
    Outcome.PASSED: "all that was asked holds",
    Outcome.FAILED: "something doesn't hold",
    Outcome.ERROR: "a crash, a time-out or a message that breaks the protocol",
    Outcome.NOT_TESTABLE: "a prerequisite failed, which counts as failed",
    Outcome.UNSTABLE: "passed in some runs and broke in others",
    Outcome.NOT_RUN: "collected and not run",
    Outcome.UNSUPPORTED: "a capability that it needs isn't declared, so it wasn't asked",
    Outcome.DISPUTED: "shown, and not scored",
}
INTRODUCTION = (
    "Made by memconform matrix from reports that verify. A cell is the worst outcome of a "
    "requirement's scenarios, then how many came to each. A requirement that is a SHOULD is marked "
    "as one and changes no verdict."
)
LEGEND = [f"{SIGNS[each]} {each.value}: {meaning}" for each, meaning in MEANINGS.items()]
UNASKED = "not asked"
UNRELIABLE = "? not measured"


def cell_words(cell: Cell, column: Column, profile: str) -> str:
    """``✗ 2 failed, 7 passed``; what wasn't asked says so."""
    if not column.reliable and column.verdict(profile) is not None:
        return UNRELIABLE
    if cell.worst is None:
        return UNASKED
    return f"{SIGNS[cell.worst]} {counts_words(cell.counts)}"


def verdict_words(told: ProfileVerdict | None) -> str:
    """``✗ non-conformant``."""
    return UNASKED if told is None else f"{VERDICT_SIGNS[told.verdict]} {told.verdict.value}"


def counts_words(counts: dict[str, int]) -> str:
    """``2 failed, 7 passed``: the worst first, those that there are."""
    there = [(each.value, counts.get(each.value, 0)) for each in BY_WEIGHT]
    return ", ".join(f"{count:,} {name}" for name, count in there if count) or "none"


def suites_words(told: Matrix) -> str | None:
    """The sentence that cells may answer different questions; null where all suites are one."""
    if len(told.suites) < 2:
        return None
    return (
        f"{number(len(told.suites), 'suite')} were run, see the row “suite”: "
        "cells of one row may answer different questions."
    )


def near_words(near: Nearness) -> str:
    """How far a profile is from conformant, and what would help most."""
    told = []
    if near.gaps:
        broken = sum(gap.broken for gap in near.gaps)
        first, *others = near.gaps
        told.append(
            f"{number(len(near.gaps), 'requirement')} short of conformant on {near.profile}. "
            f"Most would be won by “{first.rule}”: {first.broken:,} of "
            f"{number(broken, 'broken MUST scenario')}"
        )
        if others:
            shown = [f"“{gap.rule}” ({gap.broken:,})" for gap in others[: _NAMED - 1]]
            left = len(others) - len(shown)
            told.append(f"; then {listed(shown + ([f'{left:,} more'] if left > 0 else []))}")
        told.append(".")
    else:
        told.append(f"No requirement of {near.profile} is broken.")
    if near.owed:
        told.append(f" It {'also ' if near.gaps else ''}lacks {_owed_words(near.owed)}")
    return "".join(told)


def _owed_words(owed: Sequence[Owed]) -> str:
    first, *others = owed
    told = [f"{_one_of(first)} ({number(first.scenarios, 'MUST scenario')})"]
    told += [f"{_one_of(each)} ({each.scenarios:,})" for each in others]
    isnt, it = ("isn't", "it") if len(owed) == 1 else ("aren't", "them")
    return (
        f"{listed(told)}, which {isnt} declared; whether the scenarios that need {it} hold "
        "isn't known."
    )


def _one_of(owed: Owed) -> str:
    return owed.one_of[0] if len(owed.one_of) == 1 else f"one of {', '.join(owed.one_of)}"
