"""What happened in one scenario, step by step, and what that makes it."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from memconform.model.report import CallRecord, Failure, Outcome, ScenarioResult, StepResult
from memconform.protocol import StoreError
from memconform.suite.world import Disappointed, Unexpected, World
from memconform.wire.client import Connection
from memconform.wire.errors import WireError

KEPT = 2000  # characters of a single text in a report
ITEMS = 10  # of a single list
ENDS = 8  # calls at the beginning and at the end

if TYPE_CHECKING:
    from memconform.spec.library import SuiteScenario
    from memconform.targets import Target

StepOutcome = Literal["passed", "failed", "error", "skipped"]


class Recorder:
    """Collects the steps and the first failure of one scenario; later ones are its echo."""

    def __init__(
        self, scenario: SuiteScenario, target: Target, by_default: Collection[str]
    ) -> None:
        """Record one scenario.

        Args:
            scenario: which one.
            target: what it runs against, for the command that repeats it.
            by_default: the profiles that are run where the command names none.
        """
        self.scenario = scenario
        self.target = target
        self.by_default = by_default
        self.connection: Connection | None = None
        self.seconds = 0.0
        self._steps: list[tuple[str, str]] = []
        self._passed = 0
        self._outcome = Outcome.PASSED
        self._missing: list[str] = []
        self._failure: Failure | None = None

    def begin(self, steps: list[Any]) -> None:
        """The scenario's steps, before the first one runs."""
        self._steps = [(step.keyword.strip(), _step_text(step)) for step in steps]

    def step_passed(self) -> None:
        """One more step came to its end."""
        self._passed += 1

    def unsupported(self, missing: list[str]) -> None:
        """The scenario needs what isn't declared."""
        self._outcome = Outcome.UNSUPPORTED
        self._missing = missing

    @property
    def is_unsupported(self) -> bool:
        """Whether it isn't asked, because a capability isn't declared."""
        return self._outcome is Outcome.UNSUPPORTED

    def fail(self, error: BaseException, *, step: str, prerequisite: bool) -> None:
        """Keep the first failure, and what it makes of the scenario.

        A disappointed expectation or an unexpected refusal is a failure; in a Given it leaves the
        scenario not testable. A broken connection is an error, and so is anything else: then the
        harness is to blame.
        """
        if self._failure is not None:
            return
        if isinstance(error, WireError):
            self._outcome = Outcome.ERROR
            self._failure = Failure(
                step=step,
                expected="an answer that keeps to the protocol",
                seen=_text(str(error)),
                blame=error.blame,
                kind=error.kind,
                evidence=error.evidence,
            )
            return
        if isinstance(error, (Disappointed, Unexpected)):
            kind: Literal["assertion", "refused", "prerequisite"]
            kind = "assertion" if isinstance(error, Disappointed) else "refused"
            self._outcome = Outcome.FAILED
            if prerequisite:
                kind, self._outcome = "prerequisite", Outcome.NOT_TESTABLE
            self._failure = Failure(
                step=step,
                expected=_text(error.expected),
                seen=_text(error.seen),
                blame="implementation",
                kind=kind,
                evidence=None,
            )
            return
        self._outcome = Outcome.ERROR
        self._failure = Failure(
            step=step,
            expected="the step to run",
            seen=_text(f"{type(error).__name__}: {error}"),
            blame="harness",
            kind="exception",
            evidence=None,
        )

    def finish(self, world: World) -> None:
        """Close what the scenario opened; a store that can't be closed fails the scenario.

        Also after an error: a handle left open would be in the way of the next scenario.
        """
        for store in dict.fromkeys(world.stores.values()):
            try:
                store.close()  # which does nothing where the connection is dead
            except StoreError as error:
                self.fail(Unexpected("close", error), step="closing the store", prerequisite=False)
            except WireError as error:
                self.fail(error, step="closing the store", prerequisite=False)

    def result(self) -> ScenarioResult:
        """The scenario's result, as the report keeps it."""
        s = self.scenario
        calls = []
        if self._failure is not None and self.connection is not None:
            calls = _bounded(self.connection.transcript)
        return ScenarioResult(
            id=s.id,
            profile=s.profile,
            capability=s.capability,
            requirement=s.requirement,
            rule=s.rule,
            title=s.title,
            must=s.must,
            level=s.level,
            needs=list(s.needs),
            defects=list(s.defects),
            slow=s.slow,
            outcome=self._outcome,
            missing=self._missing,
            failure=self._failure,
            steps=self._step_results(),
            calls=calls,
            reproduce=self._reproduce(),
            seconds=round(self.seconds, 6),  # what lies below is noise, and fills a report
        )

    def _step_results(self) -> list[StepResult]:
        results = []
        for place, (keyword, text) in enumerate(self._steps):
            outcome: StepOutcome = "skipped"
            if place < self._passed:
                outcome = "passed"
            elif place == self._passed and self._failure is not None:
                outcome = "error" if self._outcome is Outcome.ERROR else "failed"
            results.append(StepResult(keyword=keyword, text=text, outcome=outcome))
        return results

    def _reproduce(self) -> str:
        target = self.target
        words = ["memconform", "certify", target.name, "--scenario", self.scenario.id]
        if self.scenario.profile not in self.by_default:
            words += ["--profile", self.scenario.profile]
        if target.way == "wire" and target.name.startswith(("reference:", "fault:", "python:")):
            words.append("--wire")
        return shlex.join(words)


def _text(text: str) -> str:
    """A text for the report: bounded, and half of a surrogate pair as its escape."""
    kept: str = _shortened(text)
    return kept.encode("utf-8", "backslashreplace").decode()


def _bounded(calls: list[CallRecord]) -> list[CallRecord]:
    """The calls as a report keeps them: long texts and lists cut, of many calls the two ends."""
    kept = [
        structs.replace(
            call,
            arguments=_shortened(call.arguments),
            answer=_shortened(call.answer),
            error=_shortened(call.error),
        )
        for call in (calls if len(calls) <= 2 * ENDS else [*calls[:ENDS], *calls[-ENDS:]])
    ]
    if len(calls) > 2 * ENDS:
        more = f"({len(calls) - 2 * ENDS} calls more)"
        gap = CallRecord(operation=more, arguments={}, answer=None, error=None, fault=None)
        kept.insert(ENDS, gap)
    return kept


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > KEPT:
        return f"{value[:KEPT]}... ({len(value)} characters)"
    if isinstance(value, list):
        more = [f"({len(value) - ITEMS} more)"] if len(value) > ITEMS else []
        return [*(_shortened(item) for item in value[:ITEMS]), *more]
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in value.items()}
    return value


def _step_text(step: Any) -> str:
    lines = [step.name]
    if step.datatable is not None:
        lines += ["  | " + " | ".join(row) + " |" for row in step.datatable.raw()]
    if step.docstring is not None:
        lines.append(f'  """{step.docstring}"""')
    return "\n".join(lines)
