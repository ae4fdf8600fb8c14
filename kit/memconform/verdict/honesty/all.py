"""All looks at one target, each in processes of its own, so that none disturbs a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from memconform.model.report import Probe, Report
from memconform.suite.profiles import PROFILES
from memconform.targets import Target, UsageError
from memconform.verdict.honesty.borrowed import borrowed
from memconform.verdict.honesty.claims import claims
from memconform.verdict.honesty.cut_off import cut_off
from memconform.verdict.judge import judge
from memconform.wire.client import Connection


def look(target: Target, variables: Mapping[str, str] | None = None) -> list[Probe]:
    """What is found about a target's word, in always the same order.

    It runs in processes of its own whatever way the scenarios are run, so that both ways give the
    same report, and a store that hangs or exits here ends nothing.

    Args:
        target: prepared, and known to answer.
        variables: environment variables under which its system can't be reached.
    """

    def connect() -> Connection:
        connection = target.apart({})
        assert connection is not None, "only a bare process may be impossible"
        return connection

    try:
        return [
            borrowed(target.name, connect),
            cut_off(target, variables or {}),
            *claims(connect),
        ]
    except UsageError as error:
        told = f"What it says of itself could not be looked at: {error}"
        return [Probe(subject="probes", finding="broke off", told=told, evidence=None)]


def with_probes(report: Report, probes: Sequence[Probe]) -> Report:
    """The report with what was found beside its scenarios, and what that makes of its verdicts.

    An adapter that doesn't speak for its system leaves every profile not measured. Of the others,
    those are left out of which there is nothing to say; that it was looked comes by the first two.
    """
    kept = [probe for probe in probes if probe.told or probe.subject in ("reference", "cut-off")]
    caught = next((probe.told for probe in kept if probe.disqualifies), None)
    report = structs.replace(report, probes=kept)
    if caught is None or report.error is not None:
        return report
    declared = report.implementation.capabilities if report.implementation else []
    verdicts = [
        judge(PROFILES[told.profile], report.results, declared, broken=caught)
        for told in report.profiles
    ]
    return structs.replace(report, profiles=verdicts)
