"""From a target to its report: the suite is run, its events are read, every profile is judged."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import structs

from memconform import __version__
from memconform.model.report import (
    REPORT_SCHEMA,
    Implementation,
    Outcome,
    ProfileVerdict,
    Report,
    ScenarioResult,
)
from memconform.suite.profiles import PROFILES
from memconform.suite.run import CALL_LIMIT_S, Clock, Progress, Run, now, run, silent
from memconform.verdict.blame import AT_FAULT
from memconform.verdict.events import Collected, Events, Hung, Start, ids, parse
from memconform.verdict.judge import judge
from memconform.verdict.repeat import folded, order_of
from memconform.verdict.words import harmless, listed, number

Way = Literal["in-process", "wire"]

# What pytest's exit statuses mean beside 0 (all passed) and 1 (some failed).
_STATUS = {
    2: "was interrupted",
    3: "failed inside itself",
    4: "was called wrongly",
    5: "collected no scenario",
}
_OUTPUT_LINES = 12


def measure(
    target: str,
    profiles: Sequence[str] = (),
    *,
    way: Way,
    scenario: str | None = None,
    repeat: int = 1,
    shuffle: int | None = None,
    call_limit_s: float = CALL_LIMIT_S,
    suite: Path | None = None,
    progress: Callable[[Progress], None] = silent,
    clock: Clock = now,
) -> Report:
    """Run the suite against a target that is ready to be reached, and report.

    Args:
        target: the TARGET string.
        profiles: exactly these; none means core and what the implementation claims.
        way: how the target is reached.
        scenario: run this one alone; the verdict is then not measured, whatever it shows.
        repeat: how often; what doesn't come out the same is unstable.
        shuffle: the seed of the orders in which the scenarios are run; null is the suite's own.
        call_limit_s: in process, a call that takes longer ends its run.
        suite: specs and features of one's own; null is the kit's suite.
        progress: told of each scenario.
        clock: the time of day.
    """
    reports = []
    for place in range(repeat):
        ended = run(
            target,
            profiles,
            scenario=scenario,
            wire=way == "wire",
            order=order_of(shuffle, place + 1),
            call_limit_s=call_limit_s,
            suite=suite,
            progress=_of_all(progress, place, repeat),
            clock=clock,
        )
        report = assemble(ended, target=target, profiles=profiles, way=way, scenario=scenario)
        reports.append(report if suite is None else _of_own_suite(report, suite))
        if not reports[-1].results:
            break  # it can't be reached, or the suite is unsound: once more says nothing new
    return folded(reports, shuffle=shuffle, alone=alone(scenario))


def _of_own_suite(report: Report, suite: Path) -> Report:
    """A report whose commands repeat its scenarios out of the suite that they are in."""
    option = f" --features {shlex.quote(str(suite))}"
    results = [
        structs.replace(result, reproduce=result.reproduce + option) for result in report.results
    ]
    return structs.replace(report, results=results)


def _of_all(
    progress: Callable[[Progress], None], place: int, repeat: int
) -> Callable[[Progress], None]:
    """The progress of one of several runs as a part of all of them."""

    def report(told: Progress) -> None:
        done = told.done + place * told.total
        progress(Progress(done=done, total=told.total * repeat, title=told.title))

    return report


def assemble(
    ended: Run,
    *,
    target: str,
    profiles: Sequence[str],
    way: Way,
    scenario: str | None = None,
) -> Report:
    """The report of a run that has ended, however it ended."""
    events = parse(ended.events)
    start = events.start
    collected = [scenario for scenario in _collected(events) if scenario.profile in PROFILES]
    implementation = start.implementation if start else None
    results = [
        events.results.get(id) or _not_run(scenario_, target, way)
        for id, scenario_ in {s.id: s for s in collected}.items()
    ]
    error = _error(events, ended, way)
    return Report(
        schema=REPORT_SCHEMA,
        target=target,
        way=start.way if start else way,
        kit=start.kit if start else __version__,
        suite=start.suite if start else "",
        implementation=implementation,
        profiles=_verdicts(
            _profiles(profiles, start),
            results,
            implementation,
            broken=error.split("\n", 1)[0] if error else alone(scenario),
        ),
        collected=ids(collected),
        results=results,
        error=error,
        started=ended.started,
        seconds=ended.seconds,
    )


def unprepared(
    target: str, profiles: Sequence[str], *, way: Way, error: str, clock: Clock = now
) -> Report:
    """The report of a target that could not even be made ready: nothing was measured."""
    line = msgspec.json.encode({"event": "unreachable", "error": error, "blame": "harness"})
    started = clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ended = Run(events=line + b"\n", exitstatus=2, output="", started=started, seconds=0.0)
    return assemble(ended, target=target, profiles=profiles, way=way)


def reproduce(id: str, target: str, way: Way) -> str:
    """The command that runs one scenario alone; other targets know no other way than the wire."""
    choice = target.startswith(("reference:", "fault:", "python:"))
    wire = " --wire" if choice and way == "wire" else ""
    return f"memconform certify {shlex.quote(target)} --scenario {shlex.quote(id)}{wire}"


def _profiles(asked: Sequence[str], start: Start | None) -> list[str]:
    """The profiles to judge, in the order of PROFILES: those asked for, else what the run chose."""
    wanted = set(asked)
    if start is not None:
        wanted |= set(start.profiles) | {scenario.profile for scenario in start.collected}
    return [name for name in PROFILES if name in (wanted or {"core"})]


def _verdicts(
    profiles: Sequence[str],
    results: Sequence[ScenarioResult],
    implementation: Implementation | None,
    broken: str | None,
) -> list[ProfileVerdict]:
    declared = implementation.capabilities if implementation else []
    return [judge(PROFILES[name], results, declared, broken=broken) for name in profiles]


def alone(scenario: str | None) -> str | None:
    """Why a run of one scenario comes to no verdict; null for a run of all."""
    if scenario is None:
        return None
    return f"Only {scenario} was run; a verdict needs every scenario of the profile."


def _error(events: Events, ended: Run, way: Way) -> str | None:
    """Why the run can't be trusted as a whole: one sentence a line, then evidence; else null."""
    if events.abort is not None:
        findings = events.abort.findings
        return "\n".join(
            [f"The suite is unsound, {number(len(findings), 'finding')}; nothing was run."]
            + [f"- {finding}" for finding in findings]
        )
    if events.unreachable is not None:
        told = events.unreachable.error
        if events.unreachable.blame == "harness":
            return f"The target could not be reached, and nothing was asked of it: {told}"
        return f"The target could not be reached. {AT_FAULT['adapter']}: {told}"
    problems = list(events.problems)
    if strangers := sorted({s.profile for s in _collected(events)} - set(PROFILES)):
        problems.append(f"Scenarios were collected for no known profile: {listed(strangers)}.")
    if events.hang is not None:
        problems += _where_it_hung(events.hang)
    elif events.end is None:
        problems += _evidence(ended, way, started=events.start is not None)
    elif events.end.exitstatus in _STATUS:
        problems.append(_of_pytest(events.end.exitstatus))
    return "\n".join(problems) or None


def _of_pytest(status: int) -> str:
    return f"pytest {_STATUS[status]} (exit status {status})."


def _collected(events: Events) -> list[Collected]:
    return events.start.collected if events.start else []


def _evidence(ended: Run, way: Way, *, started: bool) -> list[str]:
    """What is known of a process that went without a word."""
    told = []
    # Once the suite has started, pytest ends with an event; what ends without one wasn't pytest.
    by_pytest = not started and ended.exitstatus in _STATUS
    if by_pytest:
        told.append(_of_pytest(ended.exitstatus))
    elif ended.exitstatus < 0:
        told.append(f"The process was ended by signal {-ended.exitstatus}.")
    else:
        told.append(f"The process ended with exit status {ended.exitstatus}.")
    if way == "in-process" and not by_pytest:
        told.append(
            "In process a crash or an exit of the implementation ends the run; "
            "try --wire to measure the other scenarios."
        )
    lines = [line for line in ended.output.splitlines() if line.strip()]
    return told + [f"| {harmless(line)}" for line in lines[-_OUTPUT_LINES:]]


def _where_it_hung(hang: Hung) -> list[str]:
    told = ["Try --wire: there a call that hangs is an error of its scenario, and the run goes on."]
    return told + [f"| {harmless(line)}" for line in hang.evidence.splitlines()]


def _not_run(scenario: Collected, target: str, way: Way) -> ScenarioResult:
    return ScenarioResult(
        **{name: getattr(scenario, name) for name in scenario.__struct_fields__},
        outcome=Outcome.NOT_RUN,
        missing=[],
        failure=None,
        steps=[],
        calls=[],
        reproduce=reproduce(scenario.id, target, way),
        seconds=0.0,
    )
