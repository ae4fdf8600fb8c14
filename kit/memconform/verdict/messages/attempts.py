"""What came of a scenario, step by step, in the statuses that Cucumber knows.

======================================  ==========================================================
outcome                                 its steps
======================================  ==========================================================
passed                                  PASSED
failed, error, unstable, not-testable   PASSED up to the one that is FAILED, then SKIPPED
unsupported                             SKIPPED; the first says which capability isn't declared
disputed                                SKIPPED; the first says what was seen
not-run                                 UNKNOWN, because a skipped scenario reads as a green one
======================================  ==========================================================

What broke outside of the steps, such as a store that can't be closed, is the FAILED step of a hook.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from memconform.model.report import Failure, Outcome, ScenarioResult
from memconform.verdict.blame import AT_FAULT, party
from memconform.verdict.json_text import inert
from memconform.verdict.messages.documents import Message
from memconform.verdict.messages.vocabulary import matched
from memconform.verdict.words import harmless, listed

HOOK = "outside-of-the-steps"
RUN = "run"
NANOS = 1_000_000_000

Status = Literal["PASSED", "FAILED", "SKIPPED", "UNKNOWN"]


def nanos(seconds: float) -> int:
    """Seconds in nanoseconds; less than none is none."""
    return max(0, round(seconds * NANOS))


def instant(started: str) -> int:
    """Nanoseconds from 1970 to an ISO 8601 time; what isn't one counts as 1970."""
    try:
        when = datetime.fromisoformat(started)
    except ValueError:
        return 0
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
    return round(when.timestamp() * 1_000_000) * 1000


def timestamp(at: int) -> Message:
    """A moment or a duration in the form that the messages have."""
    return {"seconds": at // NANOS, "nanos": at % NANOS}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a test case: of the pickle, or of the hook.

    Attributes:
        message: what there is to say of its status; empty where there is nothing.
        ends: whether the scenario came to its end in it, so that its whole time stands there.
    """

    id: str
    body: Message
    status: Status
    message: str = ""
    ends: bool = False


class Attempt:
    """The test case of one result, and its only attempt."""

    def __init__(self, result: ScenarioResult, pickle: Message) -> None:
        """Take the steps of the pickle, the outcomes of the result.

        Args:
            result: what came of it.
            pickle: what was run; its steps are the result's where that has any.
        """
        self.result = result
        self.pickle_id: str = pickle["id"]
        self.case, self.id = f"{result.id}#case", f"{result.id}#attempt"
        self.steps = self._told(pickle["steps"])

    @property
    def green(self) -> bool:
        """Whether every step is passed or skipped, which is what the messages call success."""
        return all(step.status in ("PASSED", "SKIPPED") for step in self.steps)

    def test_case(self) -> Message:
        """Its test case."""
        return {
            "testCase": {
                "id": self.case,
                "pickleId": self.pickle_id,
                "testSteps": [{"id": step.id, **step.body} for step in self.steps],
                "testRunStartedId": RUN,
            }
        }

    def envelopes(self, start: int) -> Iterator[Message]:
        """What happened, from its start to its end ``seconds`` later; both in nanoseconds."""
        now, took = start, nanos(self.result.seconds)
        yield {
            "testCaseStarted": {
                "id": self.id,
                "testCaseId": self.case,
                "attempt": 0,
                "timestamp": timestamp(now),
            }
        }
        for step in self.steps:
            whose = {"testCaseStartedId": self.id, "testStepId": step.id}
            yield {"testStepStarted": {**whose, "timestamp": timestamp(now)}}
            duration = took if step.ends else 0
            now += duration
            if step.status == "FAILED":
                for body in _attachments(self.result):
                    told = {**body, "contentEncoding": "IDENTITY", "timestamp": timestamp(now)}
                    yield {"attachment": {**told, **whose}}
            yield {
                "testStepFinished": {
                    **whose,
                    "testStepResult": self._result(step, duration),
                    "timestamp": timestamp(now),
                }
            }
        yield {
            "testCaseFinished": {
                "testCaseStartedId": self.id,
                "timestamp": timestamp(start + took),
                "willBeRetried": False,
            }
        }

    def _told(self, pickled: list[Message]) -> list[Step]:
        statuses = self._statuses(len(pickled))
        ends = max((n for n, s in enumerate(statuses) if s in ("PASSED", "FAILED")), default=0)
        steps = [
            self._of_pickle(n, step, status, ends=n == ends)
            for n, (step, status) in enumerate(zip(pickled, statuses, strict=True))
        ]
        if (self.result.outcome.breaks and "FAILED" not in statuses) or not steps:
            steps = self._with_hook(steps)
        return steps

    def _statuses(self, many: int) -> list[Status]:
        """One a step of the pickle."""
        outcome, told = self.result.outcome, self.result.steps
        if outcome is Outcome.PASSED:
            return ["PASSED"] * many
        if outcome is Outcome.NOT_RUN:
            return ["UNKNOWN"] * many
        if not outcome.breaks or len(told) != many:
            return ["SKIPPED"] * many
        known: dict[str, Status] = {"passed": "PASSED", "failed": "FAILED", "error": "FAILED"}
        return [known.get(step.outcome, "SKIPPED") for step in told]

    def _of_pickle(self, place: int, step: Message, status: Status, *, ends: bool) -> Step:
        ids, arguments = matched(step["text"])
        body = {
            "pickleStepId": step["id"],
            "stepDefinitionIds": ids,
            "stepMatchArgumentsLists": arguments,
        }
        told = status == "FAILED" or (place == 0 and status != "PASSED")
        message = self._message() if told else ""
        return Step(f"{self.result.id}#{place + 1}", body, status, message, ends)

    def _with_hook(self, steps: list[Step]) -> list[Step]:
        """The same, with a step for what isn't in the steps: before them, or after the last."""
        statuses: dict[Outcome, Status] = {
            Outcome.PASSED: "PASSED",
            Outcome.NOT_RUN: "UNKNOWN",
            Outcome.UNSUPPORTED: "SKIPPED",
            Outcome.DISPUTED: "SKIPPED",
        }
        status = statuses.get(self.result.outcome, "FAILED")
        message = "" if status == "PASSED" else self._message()
        hook = Step(f"{self.result.id}#hook", {"hookId": HOOK}, status, message, ends=True)
        others = [Step(s.id, s.body, s.status) for s in steps]
        begun = any(step.status == "PASSED" for step in steps)
        return [*others, hook] if begun else [hook, *others]

    def _message(self) -> str:
        """Why it isn't passed, in words."""
        result, failure = self.result, self.result.failure
        if result.outcome is Outcome.UNSUPPORTED:
            return harmless(f"unsupported: {listed(result.missing)} not declared")
        if failure is None:
            return str(result.outcome.value).replace("-", " ")
        words = "disputed, not scored\n" if result.outcome is Outcome.DISPUTED else ""
        words += f"expected {failure.expected}\nseen {failure.seen}\n{AT_FAULT[party(failure)]}."
        return harmless(words, keep="\n")

    def _result(self, step: Step, duration: int) -> Message:
        told: Message = {"duration": timestamp(duration), "status": step.status}
        if step.message:
            told["message"] = step.message
        if step.status == "FAILED" and self.result.failure is not None:
            told["exception"] = _exception(self.result.failure)
        return told


def _exception(failure: Failure) -> Message:
    words = f"expected {failure.expected}\nseen {failure.seen}"
    return {"type": failure.kind, "message": harmless(words, keep="\n")}


def _attachments(result: ScenarioResult) -> Iterator[Message]:
    """What there is to look at of a scenario that broke."""
    log = "text/x.cucumber.log+plain"
    yield {"mediaType": log, "body": harmless(f"Repeat it: {result.reproduce}", keep="\n")}
    if result.failure is not None and result.failure.evidence:
        yield {"mediaType": log, "body": harmless(result.failure.evidence, keep="\n")}
    if result.calls:
        calls = [
            {name: getattr(call, name) for name in call.__struct_fields__} for call in result.calls
        ]
        body = inert(json.dumps(calls, ensure_ascii=False, sort_keys=True, indent=1))
        yield {"mediaType": "application/json", "fileName": "calls.json", "body": body}
