"""Hand-made results, events and reports for the tests of verdict and cli."""

from __future__ import annotations

import json
from typing import Any

from memconform.model.base import to_plain
from memconform.model.report import (
    CallRecord,
    Failure,
    Implementation,
    Outcome,
    Report,
    ScenarioResult,
    StepResult,
)
from memconform.protocol.policies import policies
from memconform.suite.run import Run
from memconform.verdict.measure import assemble

STARTED = "2026-01-02T03:04:05Z"
SPECS = {
    "core": "memory-core",
    "foundation": "retrieval-foundation",
    "abstention": "lexical-abstention",
}


def result(name: str, outcome: str = "passed", **changes: Any) -> ScenarioResult:
    """A result with what its outcome requires."""
    profile = changes.pop("profile", "core")
    capability = SPECS.get(profile, profile)
    outcome_ = Outcome(outcome)
    missing = changes.get("missing", [])
    plain: dict[str, Any] = {
        "id": f"{capability}/{name}",
        "profile": profile,
        "capability": capability,
        "requirement": "forgotten-is-gone",
        "rule": "Forgotten is gone",
        "title": name.replace("-", " ").capitalize(),
        "must": True,
        "level": "behaviour",
        "needs": list(missing),
        "defects": [],
        "slow": False,
        "outcome": outcome_,
        "missing": [],
        "failure": failure() if outcome_.breaks else None,
        "steps": [],
        "calls": [],
        "reproduce": f"memconform certify reference:filesystem --scenario {capability}/{name}",
        "seconds": 0.5,
    }
    return ScenarioResult(**{**plain, **changes})


def failure(**changes: Any) -> Failure:
    plain: dict[str, Any] = {
        "step": "Then nothing is found",
        "expected": "nothing",
        "seen": "tea",
        "blame": "implementation",
        "kind": "assertion",
        "evidence": None,
    }
    return Failure(**{**plain, **changes})


def failed_in_full(name: str = "forget-then-ask", **changes: Any) -> ScenarioResult:
    """A failed scenario with steps and calls."""
    return result(
        name,
        "failed",
        failure=failure(
            expected="“tea” not to be found by the words “green tea”",
            seen="its id is hit 1",
        ),
        steps=[
            StepResult(keyword="Given", text="an empty store", outcome="passed"),
            StepResult(
                keyword="And",
                text="these memories:\n  | key | content |\n  | tea | Mia drinks green tea. |",
                outcome="passed",
            ),
            StepResult(keyword="When", text='"tea" is forgotten', outcome="passed"),
            StepResult(keyword="Then", text='"green tea" finds nothing', outcome="failed"),
            StepResult(keyword="And", text="the store still answers", outcome="skipped"),
        ],
        calls=[
            CallRecord(
                operation="write",
                arguments={"record": {"content": "Mia drinks green tea.", "key": "tea"}},
                answer={"id": "1", "outcome": "created", "other": None},
                error=None,
                fault=None,
            ),
            CallRecord(
                operation="forget",
                arguments={"id": "1", "access": {"workspace": None}},
                answer={"done": True, "cause": None},
                error=None,
                fault=None,
            ),
            CallRecord(
                operation="recall",
                arguments={"query": "green tea", "limit": None},
                answer={"hits": [{"id": "1", "content": "Mia drinks green tea."}]},
                error=None,
                fault=None,
            ),
        ],
        **changes,
    )


def implementation(**changes: Any) -> Implementation:
    plain: dict[str, Any] = {
        "name": "tiny-store",
        "version": "1.2.3",
        "language": "python",
        "homepage": None,
        "protocol": "1.0",
        "capabilities": ["namespaces", "tags"],
        "profiles": [],
        "policies": to_plain(policies()),
    }
    return Implementation(**{**plain, **changes})


COLLECTED_FIELDS = (
    "id", "profile", "capability", "requirement", "rule", "title", "must", "level", "needs",
    "defects", "slow",
)  # fmt: skip


def start(*results: ScenarioResult, **changes: Any) -> dict[str, Any]:
    return {
        "event": "start",
        "target": "reference:filesystem",
        "way": "in-process",
        "kit": "0.1.0",
        "suite": "d" * 64,
        "profiles": ["core"],
        "implementation": to_plain(implementation()),
        "collected": [
            {name: getattr(found, name) for name in COLLECTED_FIELDS} for found in results
        ],
        **changes,
    }


def found(one: ScenarioResult) -> dict[str, Any]:
    return {"event": "result", "result": to_plain(one)}


END = {"event": "end", "exitstatus": 0, "error": None}


def lines(*events: Any) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def whole(*results: ScenarioResult, **changes: Any) -> bytes:
    """The events of a run in which nothing went wrong."""
    return lines(start(*results, **changes), *map(found, results), END)


def ended(events: bytes, *, exitstatus: int = 0, output: str = "") -> Run:
    return Run(events=events, exitstatus=exitstatus, output=output, started=STARTED, seconds=1.5)


def report(*results: ScenarioResult, **changes: Any) -> Report:
    """The report of a run in which nothing went wrong."""
    target = changes.pop("target", "reference:filesystem")
    asked = changes.pop("profiles", ())
    changes |= {"profiles": list(asked)} if asked else {}
    scenario = changes.pop("scenario", None)
    return assemble(
        ended(whole(*results, target=target, **changes)),
        target=target,
        profiles=asked,
        way="in-process",
        scenario=scenario,
    )
