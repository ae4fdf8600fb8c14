"""Several runs of the suite folded into one report: what doesn't come out the same is unstable.

A scenario that passed in some runs and broke in others is ``unstable``: neither passed nor a plain
failure, since running it alone may show nothing. One that broke in every run, in whatever way, has
its first way; one that passed in all has passed.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from msgspec import structs

from memconform.model.report import Failure, Outcome, ProfileVerdict, Report, ScenarioResult
from memconform.suite.profiles import PROFILES
from memconform.verdict.judge import judge
from memconform.verdict.words import number, runs_words


def order_of(shuffle: int | None, run: int) -> str | None:
    """The seed of one run's order: each run has an order of its own, the same on every machine.

    Args:
        shuffle: as it was asked for; null leaves the suite's own order.
        run: from 1.
    """
    return None if shuffle is None else f"{shuffle}:{run}"


def folded(reports: Sequence[Report], *, shuffle: int | None, alone: str | None = None) -> Report:
    """One report of several runs against one target; a single run stays as it is.

    Args:
        reports: of the runs, in their order; at least one.
        shuffle: the seed of their orders.
        alone: the sentence why there is no verdict, where only a part of the suite was run.
    """
    first = reports[0]
    if len(reports) == 1:
        return structs.replace(first, shuffle=shuffle)
    error = "\n".join(_errors(reports)) or None
    by_id = [{result.id: result for result in report.results} for report in reports]
    command = _command(first, len(reports), shuffle)
    results = [
        _one([results[id] for results in by_id if id in results], len(reports), command)
        for id in first.collected
    ]
    declared = first.implementation.capabilities if first.implementation else []
    broken = error.split("\n", 1)[0] if error else alone
    return structs.replace(
        first,
        results=results,
        profiles=[_judged(told, results, declared, broken) for told in first.profiles],
        error=error,
        seconds=round(sum(report.seconds for report in reports), 3),
        repeat=len(reports),
        shuffle=shuffle,
    )


def _judged(
    told: ProfileVerdict,
    results: Sequence[ScenarioResult],
    declared: Sequence[str],
    broken: str | None,
) -> ProfileVerdict:
    return judge(PROFILES[told.profile], results, declared, broken=broken)


def _errors(reports: Sequence[Report]) -> list[str]:
    told = []
    for run, report in enumerate(reports, 1):
        if report.error is not None:
            told.append(f"Run {run} of {len(reports)}: {report.error}")
        elif report.collected != reports[0].collected:
            told.append(f"Run {run} of {len(reports)} collected other scenarios than the first.")
        elif report.implementation != reports[0].implementation:
            told.append(
                f"Run {run} of {len(reports)} met another implementation than the first: "
                "what hello says has changed."
            )
    return told


def _one(runs: Sequence[ScenarioResult], of: int, command: str) -> ScenarioResult:
    outcomes = [result.outcome for result in runs]
    lost = [Outcome.NOT_RUN] * (of - len(runs))
    shown = next((result for result in runs if result.outcome.breaks), runs[0])
    seconds = sum(result.seconds for result in runs)
    if lost or Outcome.NOT_RUN in outcomes:
        worst = next((result for result in runs if result.outcome is Outcome.NOT_RUN), shown)
        return structs.replace(worst, runs=outcomes + lost, seconds=seconds)
    if not shown.outcome.breaks or Outcome.PASSED not in outcomes:
        return structs.replace(shown, runs=outcomes, seconds=seconds)
    assert shown.failure is not None
    return structs.replace(
        shown,
        outcome=Outcome.UNSTABLE,
        failure=_unstable(shown.failure, outcomes),
        reproduce=command.format(profile=shlex.quote(shown.profile)),
        runs=outcomes,
        seconds=seconds,
    )


def _unstable(failure: Failure, outcomes: Sequence[Outcome]) -> Failure:
    run = next(place for place, each in enumerate(outcomes, 1) if each.breaks)
    told = f"{runs_words(outcomes)}; in run {run}: {failure.seen}"
    return structs.replace(failure, expected=f"{failure.expected}, in every run", seen=told)


def _command(report: Report, repeat: int, shuffle: int | None) -> str:
    """The command that runs a profile as often, in the same orders; ``{profile}`` is left open."""
    target = shlex.quote(report.target).replace("{", "{{").replace("}", "}}")
    wire = ""
    if report.way == "wire" and report.target.startswith(("reference:", "fault:", "python:")):
        wire = " --wire"
    order = "" if shuffle is None else f" --shuffle {shuffle}"
    return f"memconform certify {target} --profile {{profile}} --repeat {repeat}{order}{wire}"


def sentence(report: Report) -> str | None:
    """How often and in which order the suite was run; null where it was run once, as it stands."""
    if report.repeat == 1 and report.shuffle is None:
        return None
    order = "in the suite's own order"
    if report.shuffle is not None:
        order = f"in orders drawn from the seed {report.shuffle}"
    if report.repeat == 1:
        return f"Run once, {order.replace('orders', 'an order')}."
    unstable = sum(result.outcome is Outcome.UNSTABLE for result in report.results)
    found = (
        f"{number(unstable, 'scenario')} came out unstable" if unstable else "all came out alike"
    )
    return f"Run {report.repeat} times, {order}; {found}."
