"""A whole run: programs are tried until cases or time are used up, findings are made small."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from memconform.fuzz import texts
from memconform.fuzz.core import Core
from memconform.fuzz.expect import Broken
from memconform.fuzz.foundation import Foundation, learned
from memconform.fuzz.generate import NEEDED, Author
from memconform.fuzz.shrink import Shrinker
from memconform.fuzz.steps import Program
from memconform.fuzz.trial import Exchange, Found, Trial, Unusable
from memconform.protocol import Hello
from memconform.retrieval import Layout
from memconform.targets import Target
from memconform.wire.client import Connection

CASES = 1000
STEPS = 12
PART = 500  # programs that Hypothesis is asked for at once: it keeps them all until it is done
TRIES = 600  # programs that are run to make one finding small
# A hang costs a whole time limit each time, and a restart of the process.
TRIES_OF_A_HANG = 12
CLAIM = "foundation"

Clock = Callable[[], float]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a run is told.

    Attributes:
        cases: the most programs.
        seed: the same seed finds the same in the same store, byte for byte.
        steps: the most rules that a program follows.
        seconds: the most time, shrinking included; null for as long as it takes.
    """

    cases: int = CASES
    seed: int = 0
    steps: int = STEPS
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that a store does wrong.

    Attributes:
        broken: which requirement, what was expected and what was seen.
        program: the smallest one found that shows it.
        exchanges: what was said while it ran.
        case: the number of the program that showed it first, from 1.
        repeats: whether it shows again on a store of its own. If not, something outside the
            program has a part in it, such as what another store was told before.
    """

    broken: Broken
    program: Program
    exchanges: tuple[Exchange, ...]
    case: int
    repeats: bool


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run has come."""

    cases: int
    of: int
    findings: int
    doing: str


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A run that has come to its end.

    Attributes:
        model: whether the pure pipeline was the model, or the core requirements.
        cases: programs that were run.
        steps: what they did, all together.
        asked: how many of these were questions.
        in_time: whether all cases were run.
    """

    hello: Hello
    model: bool
    findings: tuple[Finding, ...]
    cases: int
    steps: int
    asked: int
    in_time: bool


def silent(progress: Progress) -> None:
    """Report no progress."""


@dataclass
class _Counts:
    cases: int = 0
    steps: int = 0
    asked: int = 0
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)


class Campaign:
    """One run against one target.

    Args:
        target: ready to be reached.
        options: how long and with which seed.
        progress: is told of each case.
        clock: gives seconds, for the time limit alone.
    """

    def __init__(
        self,
        target: Target,
        options: Options,
        *,
        progress: Callable[[Progress], None] = silent,
        clock: Clock = time.monotonic,
    ) -> None:
        self._target = target
        self._options = options
        self._progress = progress
        self._clock = clock
        self._ends = None if options.seconds is None else clock() + options.seconds
        self._counts = _Counts()
        self._connection: Connection | None = None
        self._hello: Hello | None = None
        self._layout: Layout | None = None
        self._trial: Trial | None = None

    def run(self) -> Ended:
        """Try programs until the end.

        Raises:
            WireError: the target doesn't answer ``hello``.
            UsageError: there is nothing to connect to.
        """
        from memconform.fuzz.machine import WEIGHTS, Enough, explore

        options = self._options
        try:
            self._hello = self._reached().hello()
            if self.claims:
                self._layout = learned(self._reached(), texts.START)
            for part in count():
                explore(
                    self._begin,
                    self._author,
                    self._found,
                    kinds=[kind for kind in WEIGHTS if self._may(kind)],
                    number=options.seed + (part << 32),
                    cases=PART,
                    steps=options.steps,
                )
        except Enough:
            pass
        finally:
            self._count()
            self._leave()
        counts = self._counts
        return Ended(
            hello=self.hello,
            model=self.claims,
            findings=tuple(counts.findings.values()),
            cases=counts.cases,
            steps=counts.steps,
            asked=counts.asked,
            in_time=self._in_time(),
        )

    @property
    def hello(self) -> Hello:
        """What the implementation declares."""
        assert self._hello is not None
        return self._hello

    @property
    def claims(self) -> bool:
        """Whether foundation is claimed, and with it a clock that stands still."""
        return CLAIM in self.hello.profiles and "clock" in self.hello.capabilities

    def _may(self, kind: str) -> bool:
        needed = NEEDED.get(kind)
        return needed is None or any(name in self.hello.capabilities for name in needed)

    # --- one program -------------------------------------------------------------------------

    def _reached(self) -> Connection:
        """A connection that is alive; a process that broke is followed by another one."""
        if self._connection is None or not self._connection.alive:
            self._leave()
            self._connection = self._target.connect()
        return self._connection

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _trial_of(self) -> tuple[Trial, Foundation | None]:
        model = Foundation(self.hello, self._layout) if self.claims else None
        judge = model or Core(self.hello)
        names = self._counts.findings.keys()
        return Trial(self._reached(), self.hello, [judge], names), model

    def _begin(self) -> Trial:
        from memconform.fuzz.machine import Enough

        self._count()
        if self._counts.cases >= self._options.cases or not self._in_time():
            raise Enough
        self._counts.cases += 1
        self._tell("")
        self._trial, self._model = self._trial_of()
        return self._trial

    def _author(self, trial: Trial) -> Author:
        return Author(trial, self._model)

    def _count(self) -> None:
        """Add up what the last program did."""
        trial, self._trial = self._trial, None
        if trial is not None:
            self._counts.steps += len(trial.program)
            self._counts.asked += sum(s.operation in ("recall", "context") for s in trial.program)

    def _in_time(self) -> bool:
        return self._ends is None or self._clock() < self._ends

    def _tell(self, doing: str) -> None:
        counts = self._counts
        self._progress(
            Progress(
                cases=counts.cases - 1,
                of=self._options.cases,
                findings=len(counts.findings),
                doing=doing,
            )
        )

    # --- findings ----------------------------------------------------------------------------

    def _found(self, trial: Trial, found: Found) -> None:
        """Make a finding small and keep it; from now on it is known."""
        broken = found.broken
        if broken.name in self._counts.findings:
            return  # a connection that breaks ends a program also when that is known
        self._tell(f"making {broken.requirement.partition('/')[2]} small")
        program = tuple(trial.program)
        again = self._attempt(program)
        repeats = again is not None and again.name == broken.name
        exchanges = tuple(trial.exchanges)
        if repeats:
            tries = TRIES_OF_A_HANG if broken.fault == "timeout" else TRIES
            shrinker = Shrinker(self._attempt, broken.name, tries, self._in_time)
            program, broken = shrinker.shrink(program, broken)
            self._leave()  # so that the transcript begins with the first store of a connection
            last, _ = self._trial_of()
            shown = last.run(program)
            exchanges, broken = tuple(last.exchanges), shown or broken
        self._counts.findings[found.broken.name] = Finding(
            broken=broken,
            program=program,
            exchanges=exchanges,
            case=self._counts.cases,
            repeats=repeats,
        )

    def _attempt(self, program: Program) -> Broken | None:
        """What a program shows on a store of its own; what is known already is passed over."""
        trial, _ = self._trial_of()
        try:
            return trial.run(program)
        except Unusable:
            return None


def fuzz(
    target: Target,
    options: Options = Options(),
    *,
    progress: Callable[[Progress], None] = silent,
    clock: Clock = time.monotonic,
) -> Ended:
    """Look for programs that a store gets wrong. See Campaign."""
    return Campaign(target, options, progress=progress, clock=clock).run()
