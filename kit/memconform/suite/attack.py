"""Runs scenarios on a store with a seeded fault, and tells which of them notice, and by what.

A kill is a Then step that saw something else than it says, while the code of the fault ran. An
exception, a refused call or a prerequisite that isn't met proves that something is wrong, but not
that anybody looks at the property in question; and a failure without the fault having run would be
the suite's own.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

import msgspec

from memconform.faults import Fault, FaultySystem
from memconform.protocol import Hello
from memconform.suite.play import Played, Script
from memconform.targets.fault import LocalFault
from memconform.wire.client import Connection

TIME_LIMIT_S = 60.0  # of one row; a fault may make a store wait for itself
TOLD = 300  # characters of a sentence that are kept

KILLED = "K"
PASSED = "."
FAILED = "f"
CRASHED = "c"
UNSUPPORTED = "u"
NOT_RUN = "-"
_LETTERS = {
    "passed": PASSED,
    "asserted": KILLED,
    "failed": FAILED,
    "crashed": CRASHED,
    "unsupported": UNSUPPORTED,
}


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What one scenario makes of one fault.

    Attributes:
        scenario: its id, without a row.
        rows: a letter for each row of it in order: ``K`` killed by its own assertion, ``.`` passed,
            ``f`` failed otherwise (a prerequisite, a refused call), ``c`` crashed,
            ``u`` unsupported, ``-`` not run.
        reached: whether the code of the fault ran in any row.
        step: the Then step that killed first; where none did, the step that failed first.
        told: what that step expected and saw.
    """

    scenario: str
    rows: str
    reached: bool
    step: str
    told: str

    @property
    def kills(self) -> bool:
        """Whether any row killed the fault."""
        return KILLED in self.rows

    @property
    def breaks_down(self) -> bool:
        """Whether it failed, but never by an assertion of its own."""
        return not self.kills and (FAILED in self.rows or CRASHED in self.rows)


class TooLong(KeyboardInterrupt):
    """A scenario took longer than it may; on the way it is taken for what it is, an interrupt."""


@dataclass
class Attack:
    """One fault, and a connection to the store that has it."""

    system: FaultySystem
    _connection: Connection | None = None
    _hello: Hello | None = None

    def run(self, scripts: Sequence[Script], *, whole: bool) -> Cell:
        """Run one scenario.

        Args:
            scripts: its rows.
            whole: every row; else the first alone, and the rest only where that is unsupported.
        """
        letters: list[str] = []
        reached = False
        first: dict[str, Played] = {}
        for script in scripts:
            if not whole and any(letter != UNSUPPORTED for letter in letters):
                letters.append(NOT_RUN)
                continue
            before = self.system.mark.times
            played = self._play(script)
            ran = self.system.mark.times > before
            if played.how == "asserted" and not ran:
                played = Played("crashed", played.step, f"without the fault: {played.told}")
            reached |= ran
            letters.append(_LETTERS[played.how])
            if played.step or played.told:
                first.setdefault("killed" if played.how == "asserted" else "other", played)
        told = first.get("killed") or first.get("other") or Played("passed")
        return Cell(
            scenario=scripts[0].scenario.base,
            rows="".join(letters),
            reached=reached,
            step=told.step,
            told=told.told[:TOLD],
        )

    def _play(self, script: Script) -> Played:
        connection, hello = self._ready()
        try:
            with _limited(TIME_LIMIT_S):
                return script.play(connection, hello)
        except TooLong:
            return Played("crashed", told=f"it took longer than {TIME_LIMIT_S:g} seconds")

    def _ready(self) -> tuple[Connection, Hello]:
        if self._connection is None or not self._connection.alive:
            self.close()
            self._connection = Connection(LocalFault(self.system))
            self._hello = self._connection.hello()
        assert self._hello is not None
        return self._connection, self._hello

    def close(self) -> None:
        """Close what is open."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def attack(fault: Fault, scripts: Mapping[str, Sequence[Script]], plan: Plan) -> list[Cell]:
    """Run the scenarios of a plan on one fault."""
    running = Attack(fault.system())
    try:
        return [running.run(scripts[id], whole=whole) for id, whole in plan.items()]
    finally:
        running.close()


Plan = Mapping[str, bool]
"""The scenarios to run on a fault, by id without a row, and whether every row of them."""


def plan_for(
    fault: Fault, scripts: Mapping[str, Sequence[Script]], *, wide: bool = False
) -> dict[str, bool]:
    """What is run on a fault, the scenarios that are named for it first.

    Every row of those and of the requirements that it breaks. The slow ones are run only where they
    are named: each takes seconds.

    Args:
        fault: which.
        scripts: the suite.
        wide: one row of every other scenario of the specs that it breaks, too.
    """
    plan = {id: True for id in fault.killed_by if id in scripts}
    specs = {id.partition("/")[0] for id in fault.breaks}
    for id, rows in scripts.items():
        one = rows[0].scenario
        if one.slow:
            continue
        if f"{one.capability}/{one.requirement}" in fault.breaks:
            plan.setdefault(id, True)
        elif wide and one.capability in specs:
            plan.setdefault(id, False)
    return plan


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TooLong in the block after so many seconds; in the main thread of a POSIX system."""

    def late(signal_number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
