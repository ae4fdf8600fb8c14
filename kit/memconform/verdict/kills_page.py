"""The kill matrix as a page: what the suite catches, fault by fault, and what covers what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memconform.faults import DROPPED
from memconform.spec.library import Library
from memconform.verdict.kills import FaultVerdict, Kills, Standing
from memconform.verdict.kills_picture import NAME as PICTURE
from memconform.verdict.words import number

NAME = "kills.md"

_INTRODUCTION = """\
# What the suite catches

Each line of the first table is a store that is right but for one small mistake. The suite is run
over all of them: a fault is *killed* when every scenario that is named for it fails on it in a Then
step, by its own assertion, while the code of the fault ran. A crash, a refused call or a
prerequisite that isn't met is no kill: it proves that something is wrong, not that anybody looks.

This page is written by `memconform audit --kills --write docs`. One fault is told in full by
`memconform explain FAULT`, and any command that takes a TARGET takes `fault:FAULT`.
"""


def page(kills: Kills, library: Library) -> str:
    """The whole page; the same for the same results."""
    return "\n".join(
        (
            _INTRODUCTION,
            f"![{_summary(kills)}]({PICTURE})",
            "",
            _summary(kills),
            "",
            *_wrong(kills),
            "## Faults",
            "",
            *_faults(kills),
            "",
            "## Requirements by kills",
            "",
            "The seeded faults that break a requirement and are killed by a scenario of its own.",
            "",
            *_requirements(kills, library),
            "",
            "## Scenarios by kills",
            "",
            *_scenarios(kills),
            "",
            "## Considered and dropped",
            "",
            "Changes that change nothing that anybody could see, or nothing that this design",
            "promises. They are no faults, and nothing is measured by them.",
            "",
            *(f"- **{name}**: {reason}" for name, reason in DROPPED.items()),
            "",
        )
    )


def _summary(kills: Kills) -> str:
    counted = Counter(fault.standing for fault in kills.faults)
    told = [f"{counted[each]} {each.value}" for each in Standing if counted[each]]
    return (
        f"{number(len(kills.faults), 'fault')}: {', '.join(told)}."
        f" {number(len(kills.scenarios), 'scenario')}, {len(kills.idle)} idle."
        f" {number(len(kills.requirements), 'requirement')}, {len(kills.uncovered)} uncovered."
    )


def _wrong(kills: Kills) -> Iterator[str]:
    if not kills.sound:
        yield "**The suite is not proven:** see the faults that are not killed and what is idle."
        yield ""
        yield from (f"- idle: `{id}`" for id in kills.idle)
        yield from (f"- uncovered: `{id}`" for id in kills.uncovered)
        yield ""


def _faults(kills: Kills) -> Iterator[str]:
    yield "| fault | what is different | what a user meets | killed by | kills in all |"
    yield "| --- | --- | --- | --- | ---: |"
    for fault in kills.faults:
        yield (
            f"| `{fault.name}` ({fault.base}) | {_cell(fault.change)} | {_cell(fault.suffers)}"
            f" | {_named(fault)} | {len(fault.killers)} |"
        )


def _named(fault: FaultVerdict) -> str:
    if fault.standing is not Standing.KILLED:
        return f"**{fault.standing.value}**"
    return "<br>".join(f"`{id}`" for id in fault.named)


def _requirements(kills: Kills, library: Library) -> Iterator[str]:
    yield "| requirement | faults killed |"
    yield "| --- | --- |"
    for each in kills.requirements:
        title = library.requirements[each.requirement].title
        capability = each.requirement.partition("/")[0]
        names = ", ".join(f"`{name}`" for name in each.kills) or "**none**"
        yield f"| {_cell(title)} ({capability}) | {names} |"


def _scenarios(kills: Kills) -> Iterator[str]:
    counted = Counter(killer.scenario for fault in kills.faults for killer in fault.killers)
    named = {killer.scenario for f in kills.faults for killer in f.killers if killer.named}
    yield (
        f"{number(len(named), 'scenario')} kill a fault that they are named for,"
        f" {len(counted) - len(named)} more kill faults that are named for others."
    )
    if kills.unproven:
        yield f" No fault is for {', '.join(kills.unproven)}: nothing is said of these specs yet."
    if kills.idle_rows:
        yield (
            f" Of the example rows, {len(kills.idle_rows)} killed nothing so far: rows that show a"
            " rule to hold in one more case, not a mistake of its own."
        )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
