"""Hypothesis's part: it chooses, rule by rule, what is done to a store.

The state machine decides nothing itself. A rule is chosen with a number, out of which the author
writes the next steps for the trial; so that Hypothesis's own choices never depend on what a store
answers, which may differ from one time to the next. A finding ends its program and not the run: it
is handed over, and the next program begins.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from memconform.fuzz.generate import Author
from memconform.fuzz.steps import Step
from memconform.fuzz.trial import Found, Trial

T = TypeVar("T")


class Enough(KeyboardInterrupt):
    """The run is over: cases or time are used up. An interrupt is what Hypothesis lets through."""


class Plain(HypothesisProvider):
    """Hypothesis's own choices, without the constants that it collects from the modules at hand.

    With them the programs of a seed would change with whatever has been imported, and with every
    change of the store that is being mended.
    """

    def _maybe_draw_constant(self, *args: Any, **options: Any) -> None:
        return None


BACKEND = "memconform"
AVAILABLE_PROVIDERS[BACKEND] = f"{__name__}.{Plain.__name__}"


class Drawn:
    """Choices out of one number."""

    def __init__(self, number: int) -> None:
        self._random = random.Random(number)  # noqa: S311 - repeatable, and no secret

    def pick(self, options: Sequence[T]) -> T:
        """One of some."""
        return options[self.below(len(options))]

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count - 1``."""
        return self._random.randrange(count)


# How often each kind of step is chosen, in comparison; Hypothesis leaves out some of them in each
# program, so that what only shows without, say, a restart has its turn.
WEIGHTS = {
    "write": 3, "batch": 1, "many": 1, "recall": 4, "again": 1, "context": 2, "read": 2,
    "forget": 2, "correct": 1, "change": 2, "clock": 1, "restart": 1, "other_connection": 1,
}  # fmt: skip

NUMBERS = st.integers(0, 2**32 - 1)


def explore(
    begin: Callable[[], Trial],
    write: Callable[[Trial], Author],
    found: Callable[[Trial, Found], None],
    *,
    kinds: Collection[str],
    number: int,
    cases: int,
    steps: int,
) -> None:
    """Let Hypothesis run programs until there are no more cases.

    Args:
        begin: makes the trial of the next program; may raise Enough.
        write: makes its author.
        found: is told of each finding, with the trial that showed it.
        kinds: of the steps that there may be, see WEIGHTS.
        number: the seed.
        cases: the most programs.
        steps: the most rules that each of them follows.
    """

    class Machine(RuleBasedStateMachine):
        """One program."""

        def __init__(self) -> None:
            super().__init__()
            self.trial = begin()
            self.author = write(self.trial)
            self.over = False

        def teardown(self) -> None:
            self.trial.close()

        def follow(self, kind: str, number: int) -> None:
            if self.over:
                return
            self.author.choices = Drawn(number)
            steps_to_do: Iterator[Step] = getattr(self.author, kind)()
            try:
                for step in steps_to_do:
                    self.trial.step(step)
            except Found as finding:
                self.over = True
                self.trial.close()
                found(self.trial, finding)

    for name, kind, decorate in _rules(kinds):
        setattr(Machine, name, decorate(_following(name, kind)))
    run_state_machine_as_test(
        seed(number)(Machine),
        settings=settings(
            max_examples=cases,
            stateful_step_count=steps,
            # The programs that fail are made small by fuzz.shrink, one finding at a time.
            phases=[Phase.generate],
            backend=BACKEND,
            database=None,
            deadline=None,
            derandomize=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
        ),
    )


def _rules(kinds: Collection[str]) -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    """Names, what the author writes, and Hypothesis's decorator."""
    yield "opening", "opening", initialize(number=NUMBERS)
    for kind, weight in WEIGHTS.items():
        for number in range(weight if kind in kinds else 0):
            yield f"{kind}_{number}", kind, rule(number=NUMBERS)


def _following(name: str, kind: str) -> Callable[[Any, int], None]:
    def follow(machine: Any, number: int) -> None:
        machine.follow(kind, number)

    follow.__name__ = follow.__qualname__ = name
    return follow
