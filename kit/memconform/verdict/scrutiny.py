"""One result of a report, read with suspicion: what certify would never have written of it.

A hand that turns a failure green leaves traces: a step that failed, the calls that are kept only of
what didn't pass, a capability that was needed and isn't there. None of them proves anything by
itself being absent.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from memconform.model.report import Outcome, Report, ScenarioResult
from memconform.spec.library import SuiteScenario
from memconform.verdict.words import listed, number, runs_words

# What a result says of its scenario: as the suite has it, not as the store answered.
OF_THE_SUITE = (
    "profile",
    "capability",
    "requirement",
    "rule",
    "title",
    "must",
    "level",
    "needs",
    "defects",
    "slow",
)


def doubts(result: ScenarioResult, report: Report) -> list[str]:
    """What can't be so, as ends of a sentence that begins with the result's id."""
    return [
        *_steps(result),
        *_needs(result, report.implementation.capabilities if report.implementation else []),
        *_runs(result, report.repeat),
        *_command(result, report.target),
    ]


def differences(result: ScenarioResult, scenario: SuiteScenario) -> list[str]:
    """What a result says otherwise than the suite, as ends of a sentence that begins with its id.

    Args:
        result: of the report.
        scenario: of the same id in the same suite.
    """
    found = []
    for name in OF_THE_SUITE:
        here, there = getattr(result, name), getattr(scenario, name)
        if isinstance(there, tuple):
            there = list(there)
        if here != there:
            found.append(_otherwise(name, here, there))
    return found


def _otherwise(name: str, here: object, there: object) -> str:
    if name == "must":
        keywords = ("MUST", "SHOULD") if here else ("SHOULD", "MUST")
        return f"is a {keywords[0]} here and a {keywords[1]} in the suite"
    return f"has another {name} than in the suite: {_said(here)} instead of {_said(there)}"


def _said(value: object) -> str:
    if isinstance(value, list):
        return listed([str(each) for each in value]) or "none"
    return repr(value) if isinstance(value, str) else str(value).lower()


def _steps(result: ScenarioResult) -> Iterator[str]:
    if result.outcome is not Outcome.PASSED:
        return
    for place, step in enumerate(result.steps, 1):
        if step.outcome != "passed":
            yield f"has passed and its step {place} has not: {step.keyword} {step.text}"
            return
    if result.calls:
        yield "has passed and keeps its calls, which are kept only of what has not"


def _needs(result: ScenarioResult, declared: Sequence[str]) -> Iterator[str]:
    absent = [name for name in result.needs if name not in declared]
    if result.outcome is Outcome.UNSUPPORTED:
        if result.missing != absent:
            yield (
                f"is unsupported for want of {listed(result.missing) or 'nothing'}, and what it "
                f"needs and isn't declared is {listed(absent) or 'nothing'}"
            )
    elif result.outcome.measured and absent:
        yield (
            f"is {result.outcome.value} and needs {listed(absent)}, which isn't declared: "
            "then it isn't asked"
        )


def _runs(result: ScenarioResult, repeat: int) -> Iterator[str]:
    runs = result.runs
    if repeat < 1 or (not runs and repeat == 1):  # a report of no run is a finding by itself
        return
    if len(runs) != repeat:
        yield f"tells of {number(len(runs), 'run')}, and the report of {repeat}"
    elif result.outcome is not (came := _folded(runs)):
        yield f"is {result.outcome.value} and by its runs {came.value}: {runs_words(runs)}"


def _folded(runs: Sequence[Outcome]) -> Outcome:
    """What several runs come to (verdict/repeat.py)."""
    if Outcome.NOT_RUN in runs:
        return Outcome.NOT_RUN
    first = next((outcome for outcome in runs if outcome.breaks), runs[0])
    return Outcome.UNSTABLE if first.breaks and Outcome.PASSED in runs else first


def _command(result: ScenarioResult, target: str) -> Iterator[str]:
    """The command is there to be copied into a shell: it must be certify's, and nothing beside."""
    try:
        words = shlex.split(result.reproduce)
    except ValueError:
        words = []
    ours = words[:3] == ["memconform", "certify", target]
    if not ours or shlex.join(words) != result.reproduce:
        yield f"is to be repeated by what certify would not write: {result.reproduce}"
