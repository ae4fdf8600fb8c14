"""The kill matrix: what the suite makes of every seeded fault, and what that says of the suite.

A fault is killed when each scenario that is named for it fails on it by an assertion of its own. A
scenario is idle when it kills no fault at all: then nobody knows what it is there for. A
requirement is covered when one of its own scenarios kills a fault that breaks it; a tag covers
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from memconform.faults import Fault
from memconform.model.base import Response
from memconform.spec.library import Library
from memconform.suite.attack import KILLED, NOT_RUN, UNSUPPORTED, Cell

KILLS_SCHEMA = "memconform-kills-1"


class Standing(Enum):
    """What became of a fault, the best first."""

    KILLED = "killed"
    ELSEWHERE = "killed elsewhere only"
    CRASHED = "crashed"
    UNREACHED = "never reached"
    SURVIVED = "survived"


class Killer(Response, frozen=True, kw_only=True):
    """A scenario that kills a fault.

    Attributes:
        rows: the numbers of the rows that do, from 1; empty where it has none.
        named: whether it is there for this fault.
    """

    scenario: str
    rows: list[int]
    named: bool


class FaultVerdict(Response, frozen=True, kw_only=True):
    """One fault.

    Attributes:
        missed: the scenarios that are named for it and don't kill it.
        broken: those that fail on it without an assertion of theirs.
        told: what the first scenario named for it expected and saw, or the first that failed.
    """

    name: str
    base: str
    change: str
    suffers: str
    breaks: list[str]
    named: list[str]
    standing: Standing
    killers: list[Killer]
    missed: list[str]
    broken: list[str]
    told: str


class RequirementVerdict(Response, frozen=True, kw_only=True):
    """One requirement, and the faults that break it and are killed by a scenario of its own."""

    requirement: str
    kills: list[str]


class Kills(Response, frozen=True, kw_only=True):
    """The whole matrix.

    Attributes:
        scenarios: every scenario of the specs that faults are for, by its id, without rows.
        unproven: the specs of the suite that no fault is for; nothing is said of them.
        idle: those that kill nothing.
        idle_rows: example rows, of scenarios that do kill, that were run and kill nothing.
    """

    schema: str
    suite: str
    faults: list[FaultVerdict]
    requirements: list[RequirementVerdict]
    scenarios: list[str]
    idle: list[str]
    idle_rows: list[str]
    unproven: list[str]

    @property
    def uncovered(self) -> list[str]:
        """The requirements that no kill covers."""
        return [each.requirement for each in self.requirements if not each.kills]

    @property
    def sound(self) -> bool:
        """Whether every fault is killed, every scenario kills, every requirement is covered."""
        killed = all(fault.standing is Standing.KILLED for fault in self.faults)
        return killed and not self.idle and not self.uncovered


def judge(library: Library, faults: Sequence[Fault], cells: Mapping[str, Sequence[Cell]]) -> Kills:
    """The matrix out of its cells.

    Args:
        library: the suite.
        faults: every fault, in order.
        cells: for each fault by its name, what was run on it.
    """
    verdicts = [_fault(fault, cells[fault.name]) for fault in faults]
    specs = {id.partition("/")[0] for fault in faults for id in fault.breaks}
    scenarios = [id for id in library.feature_scenarios if id.partition("/")[0] in specs]
    requirements = [id for id in library.requirements if id.partition("/")[0] in specs]
    at_work = {killer.scenario for verdict in verdicts for killer in verdict.killers}
    return Kills(
        schema=KILLS_SCHEMA,
        suite=library.digest,
        faults=verdicts,
        requirements=[_requirement(id, library, verdicts) for id in requirements],
        scenarios=scenarios,
        idle=[id for id in scenarios if id not in at_work],
        idle_rows=_idle_rows(at_work, [cell for of_one in cells.values() for cell in of_one]),
        unproven=[spec.capability for spec in library.specs if spec.capability not in specs],
    )


def _fault(fault: Fault, cells: Sequence[Cell]) -> FaultVerdict:
    by_id = {cell.scenario: cell for cell in cells}
    killers = [
        Killer(scenario=cell.scenario, rows=_rows(cell), named=cell.scenario in fault.killed_by)
        for cell in cells
        if cell.kills
    ]
    missed = [id for id in fault.killed_by if id not in by_id or not by_id[id].kills]
    named = [by_id[id] for id in fault.killed_by if id in by_id]
    telling = next((cell for cell in [*named, *cells] if cell.told), None)
    return FaultVerdict(
        name=fault.name,
        base=fault.base,
        change=fault.change,
        suffers=fault.suffers,
        breaks=list(fault.breaks),
        named=list(fault.killed_by),
        standing=_standing(cells, missed, named),
        killers=killers,
        missed=missed,
        broken=[cell.scenario for cell in cells if cell.breaks_down],
        told=telling.told if telling else "",
    )


def _standing(cells: Sequence[Cell], missed: Sequence[str], named: Sequence[Cell]) -> Standing:
    if any(cell.breaks_down for cell in named):
        return Standing.CRASHED  # and no kill, though the scenario is red
    if any(cell.kills for cell in cells):
        return Standing.ELSEWHERE if missed or not named else Standing.KILLED
    if any(cell.breaks_down for cell in cells):
        return Standing.CRASHED
    if not any(cell.reached for cell in cells):
        return Standing.UNREACHED
    return Standing.SURVIVED


def _rows(cell: Cell) -> list[int]:
    if len(cell.rows) == 1:
        return []
    return [number for number, letter in enumerate(cell.rows, 1) if letter == KILLED]


def _requirement(id: str, library: Library, verdicts: Sequence[FaultVerdict]) -> RequirementVerdict:
    return RequirementVerdict(
        requirement=id,
        kills=[
            verdict.name
            for verdict in verdicts
            if id in verdict.breaks
            and any(library.requirement_of[killer.scenario] == id for killer in verdict.killers)
        ],
    )


def _idle_rows(at_work: set[str], cells: Sequence[Cell]) -> list[str]:
    ran: dict[str, bool] = {}
    for cell in cells:
        if cell.scenario in at_work and len(cell.rows) > 1:
            for number, letter in enumerate(cell.rows, 1):
                if letter not in (NOT_RUN, UNSUPPORTED):
                    id = f"{cell.scenario}[{number}]"
                    ran[id] = ran.get(id, False) or letter == KILLED
    return [id for id, kills in ran.items() if not kills]
