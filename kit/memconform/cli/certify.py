"""``certify``: measure targets, show what came of it, keep it, and say so by the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from memconform.cli import files
from memconform.cli.documents import CERTIFY_SCHEMA, Certified, print_document
from memconform.cli.errors import Refusal
from memconform.cli.names import known_profiles, known_scenario, known_targets, library
from memconform.cli.progress import watching
from memconform.model.report import Outcome, Report, ScenarioResult
from memconform.targets import Target, UsageError
from memconform.verdict import terminal
from memconform.verdict.compare import Changes, compare
from memconform.verdict.honesty import look, with_probes
from memconform.verdict.layout import console
from memconform.verdict.measure import measure, unprepared
from memconform.verdict.seal import sealed

NOT_MEASURED = 2


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    targets: Sequence[str]
    profiles: Sequence[str] = ()
    out: Path | None = None
    baseline: Path | None = None
    wire: bool = False
    scenario: str | None = None
    repeat: int = 1
    shuffle: int | None = None
    cut_off: Sequence[str] = ()
    features: Path | None = None
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """The options, looked up: everything that can be wrong with them has been found."""

    targets: list[Target]
    profiles: list[str]
    scenario: str | None
    repeat: int
    shuffle: int | None
    cut_off: dict[str, str]
    features: Path | None
    out: Path | None
    baselines: dict[str, Report] | None

    def chosen(self, result: ScenarioResult) -> bool:
        """Whether a scenario of a baseline is one that this run was asked for."""
        if self.scenario is not None:
            return self.scenario in (result.id, result.id.partition("[")[0])
        return not self.profiles or result.profile in self.profiles


@dataclass(frozen=True, kw_only=True)
class _Measured:
    report: Report
    changes: Changes | None
    exit_code: int
    files: list[Path]


def certify_all(request: Request) -> int:
    """Measure every target; the exit code is the worst of all, 2 over 1 over 0."""
    plan = _plan(request)
    measured = [_measure(target, plan) for target in plan.targets]
    code = max(each.exit_code for each in measured)
    written = [path for each in measured for path in each.files]
    if plan.out is not None and len(measured) > 1:
        folders = [target.slug for target in plan.targets]
        reports = [each.report for each in measured]
        table = files.write_all(list(zip(folders, reports, strict=True)), plan.out)
        written = [*table, *written]
    if request.json:
        print_document(
            Certified(
                schema=CERTIFY_SCHEMA,
                exit_code=code,
                reports=[each.report for each in measured],
                changes=[each.changes for each in measured if each.changes is not None],
            )
        )
    else:
        _show(measured, plan, console(), written)
    return code


def _plan(request: Request) -> _Plan:
    profiles, scenario = known_profiles(request.profiles), request.scenario
    if request.features is not None:
        library(request.features)  # says so before anything runs where there is none
    if scenario is not None:
        suite = library(request.features)
        scenario = known_scenario(scenario, suite)
        if not profiles:
            own = (scenario, scenario.partition("[")[0])
            profiles = [next(s.profile for s in suite.scenarios() if {s.id, s.base} & {*own})]
    targets = known_targets(request.targets, wire=request.wire)
    return _Plan(
        targets=targets,
        profiles=profiles,
        scenario=scenario,
        repeat=request.repeat,
        shuffle=request.shuffle,
        cut_off=_variables(request.cut_off),
        features=request.features,
        baselines=files.baselines(request.baseline, targets) if request.baseline else None,
        out=files.writable(request.out) if request.out else None,
    )


def _variables(texts: Sequence[str]) -> dict[str, str]:
    """The environment variables of ``NAME=VALUE`` texts."""
    variables = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or "\0" in text:
            raise Refusal(
                f"--cut-off {text!r} sets no variable; write NAME=VALUE, such as "
                "MEMORY_URL=http://127.0.0.1:9."
            )
        variables[name] = value
    return variables


def _measure(target: Target, plan: _Plan) -> _Measured:
    with watching(target.name) as watch:
        try:
            target.prepare(watch.sentence)
        except UsageError as error:
            report = unprepared(target.name, plan.profiles, way=target.way, error=str(error))
        else:
            report = measure(
                target.name,
                plan.profiles,
                way=target.way,
                scenario=plan.scenario,
                repeat=plan.repeat,
                shuffle=plan.shuffle,
                suite=plan.features,
                progress=watch.scenario,
            )
            if (
                plan.scenario is None
                and plan.features is None
                and report.results
                and report.error is None
            ):
                watch.sentence("looking at what it says of itself")
                report = with_probes(report, look(target, plan.cut_off))
    report = sealed(report)
    baseline = (plan.baselines or {}).get(target.name)
    changes = compare(baseline, report, chosen=plan.chosen) if baseline else None
    folder = plan.out
    if folder is not None and len(plan.targets) > 1:
        folder = folder / target.slug
    return _Measured(
        report=report,
        changes=changes,
        exit_code=exit_code(report, changes, alone=plan.scenario is not None),
        files=files.write(report, folder, plan.features) if folder is not None else [],
    )


def exit_code(report: Report, changes: Changes | None, *, alone: bool) -> int:
    """0, 1 or 2 for one report.

    Args:
        report: of the run.
        changes: against the baseline, where there is one; then only they decide.
        alone: one scenario was asked for; then its outcome decides, not a verdict.
    """
    if report.error is not None or not report.results:
        return NOT_MEASURED
    if any(probe.disqualifies for probe in report.probes):
        return NOT_MEASURED  # whatever it agrees with, it isn't the system that was measured
    if changes is not None:
        return 0 if changes.none else 1
    if alone:
        return max(_exit_code_alone(result) for result in report.results)
    return max((told.verdict.exit_code for told in report.profiles), default=NOT_MEASURED)


def _exit_code_alone(result: ScenarioResult) -> int:
    if result.outcome is Outcome.PASSED:
        return 0
    ours = result.failure is not None and result.failure.blame == "harness"
    return 1 if result.outcome.breaks and not ours else NOT_MEASURED


def _show(
    measured: Sequence[_Measured], plan: _Plan, out: Console, written: Sequence[Path]
) -> None:
    reports = [each.report for each in measured]
    if len(reports) == 1:
        changes = measured[0].changes
        known = changes is not None and changes.none
        terminal.show(reports[0], out, alone=plan.scenario is not None, known=known)
    else:
        for report in reports:
            terminal.show_in_short(report, out)
    for each in measured:
        if each.changes is not None:
            terminal.show_changes(each.changes, out)
        elif plan.baselines is not None:
            terminal.show_note(f"{each.report.target} has no baseline: its verdict counts.", out)
    if len(reports) > 1:
        terminal.show_table(reports, out)
    terminal.show_written(written, out)
