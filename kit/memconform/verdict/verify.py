"""A report recomputed without running anything: does what stands there follow from itself?

What is looked at: the digest; that each collected scenario has one result and the reverse; that the
scenarios are those of the suite, where it is the installed one; counts, verdicts and reasons, by
the rules that made them; the traces that a changed outcome leaves. What can't be looked at is said,
and so is what a digest doesn't prove.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memconform import __version__
from memconform.model.base import Response
from memconform.model.report import Implementation, ProfileVerdict, Report, Verdict
from memconform.spec.library import Library, SuiteScenario
from memconform.suite.profiles import PROFILES
from memconform.verdict import report_json, seal
from memconform.verdict.judge import judge
from memconform.verdict.measure import alone
from memconform.verdict.scrutiny import differences, doubts
from memconform.verdict.words import listed, number, shortened

NO_SIGNATURE = (
    "A digest is no signature: it shows a change that nobody covered up. Whoever changes a report "
    "can make a new digest, and nothing in a report shows that the target was really run. "
    "A run of your own does: memconform certify TARGET --baseline REPORT."
)
NO_DIGEST = (
    "No digest: written by an older kit. What was changed without a contradiction doesn't show."
)


class Finding(Response, frozen=True, kw_only=True):
    """One thing that doesn't follow.

    Attributes:
        code: digest, twice, contradiction, scenario, missing-scenario, verdict, reasons or probe.
        where: id of a scenario or name of a profile; null where it is about the whole.
        told: one sentence.
    """

    code: str
    where: str | None
    told: str


class Verification(Response, frozen=True, kw_only=True):
    """What came of recomputing a report.

    Attributes:
        suite_installed: whether it was run with the suite that is installed here.
        digest: as it stands in the report.
        findings: what doesn't follow; empty for a sound report.
        notes: what could not be looked at, or only by halves, a sentence each.
        profiles: the verdicts as they come out here, of the profiles that this version knows.
    """

    target: str
    implementation: Implementation | None
    kit: str
    suite: str
    suite_installed: bool
    results: int
    digest: str | None
    findings: list[Finding]
    notes: list[str]
    profiles: list[ProfileVerdict]

    @property
    def sound(self) -> bool:
        """Whether what stands there follows from itself."""
        return not self.findings


def verify(data: bytes, suite: Library) -> Verification:
    """Recompute a report.

    Args:
        data: the file's bytes.
        suite: the installed one.

    Raises:
        ReportError: it is cut off, or no report.
    """
    report = report_json.decode(data)
    rejudged = _rejudged(report)
    findings = [
        *_digest(data, report),
        *_contradictions(report),
        *(_of_the_suite(report, suite) if report.suite == suite.digest else ()),
        *_verdicts(report, rejudged),
        *_probes(report),
    ]
    return Verification(
        target=report.target,
        implementation=report.implementation,
        kit=report.kit,
        suite=report.suite,
        suite_installed=report.suite == suite.digest,
        results=len(report.results),
        digest=report.digest,
        findings=findings,
        notes=list(_notes(report, suite)),
        profiles=list(rejudged.values()),
    )


def _finding(code: str, told: str, where: str | None = None) -> Finding:
    return Finding(code=code, where=where, told=shortened(told, report_json.LONGEST))


def _digest(data: bytes, report: Report) -> Iterator[Finding]:
    try:
        document = seal.document(data)
    except seal.Ambiguous as error:
        yield _finding("twice", f"It can be read in two ways: {error}.")
        return
    if report.digest is not None and seal.digest(document) != report.digest:
        yield _finding(
            "digest",
            "The digest isn't that of the contents: something was changed after it was written.",
        )


def _contradictions(report: Report) -> Iterator[Finding]:
    for told in report_json.findings(report):
        # Most begin with the id of a scenario, which stays as it is.
        sentence = re.sub("^(the|it) ", lambda found: found[0].capitalize(), told)
        yield _finding("contradiction", f"{sentence}.")
    for result in report.results:
        for told in doubts(result, report):
            yield _finding("contradiction", f"{result.id} {told}.", result.id)


def _of_the_suite(report: Report, suite: Library) -> Iterator[Finding]:
    """What isn't as the suite has it; the report names the same suite."""
    known = {each.id: each for each in suite.scenarios()}
    for result in report.results:
        scenario = known.get(result.id)
        if scenario is None:
            told = f"{result.id} has a result and is no scenario of this suite."
            yield _finding("scenario", told, result.id)
            continue
        for told in differences(result, scenario):
            yield _finding("scenario", f"{result.id} {told}.", result.id)
    judged = [each for each in report.profiles if each.profile in suite.profiles]
    for profile in judged:
        # A run that came to no verdict may have been of one scenario, or have broken off.
        if profile.verdict is not Verdict.NOT_MEASURED:
            owed = suite.scenarios([profile.profile])
            yield from _left_out(profile.profile, owed, set(report.collected))
    expected = [each.id for each in suite.scenarios([profile.profile for profile in judged])]
    if set(report.collected) == set(expected) and report.collected != expected:
        told = "The scenarios were collected in another order than that of the suite."
        yield _finding("scenario", told)


def _left_out(profile: str, owed: list[SuiteScenario], collected: set[str]) -> Iterator[Finding]:
    for must, keyword in ((True, "MUST"), (False, "SHOULD")):
        lost = [each.id for each in owed if each.must is must and each.id not in collected]
        if lost:
            yield _finding(
                "missing-scenario",
                f"{profile} is judged without {number(len(lost), f'{keyword} scenario')} "
                f"of the suite: {listed(lost)}.",
                profile,
            )


def _rejudged(report: Report) -> dict[str, ProfileVerdict]:
    declared = report.implementation.capabilities if report.implementation else []
    broken = _broken(report)
    return {
        told.profile: judge(PROFILES[told.profile], report.results, declared, broken=broken)
        for told in report.profiles
        if told.profile in PROFILES
    }


def _broken(report: Report) -> str | None:
    """The sentence why the run as a whole comes to no verdict, as certify puts it; else null."""
    if report.error is not None:
        return report.error.split("\n", 1)[0]
    if (caught := next((p.told for p in report.probes if p.disqualifies), None)) is not None:
        return caught
    # One scenario may have been asked for alone, by its id or for all its rows.
    for id in report.collected[:1]:
        for asked in (id, id.partition("[")[0]):
            sentence = alone(asked)
            same = all(asked in (each, each.partition("[")[0]) for each in report.collected)
            if same and any(told.reasons == [sentence] for told in report.profiles):
                return sentence
    return None


def _verdicts(report: Report, rejudged: dict[str, ProfileVerdict]) -> Iterator[Finding]:
    for told in report.profiles:
        again = rejudged.get(told.profile)
        if again is None:
            yield _finding(
                "verdict",
                f"{told.profile} is no profile that this version knows, so its verdict "
                "can't be recomputed.",
                told.profile,
            )
        elif told.verdict is not again.verdict:
            because = f": {again.reasons[0]}" if again.reasons else "."
            yield _finding(
                "verdict",
                f"{told.profile} is said to be {told.verdict.value} and comes out "
                f"{again.verdict.value}{because}",
                told.profile,
            )
        elif told.reasons != again.reasons and report.kit == __version__:
            yield _finding("reasons", _reasons(told, again), told.profile)


def _reasons(told: ProfileVerdict, again: ProfileVerdict) -> str:
    if lost := [each for each in again.reasons if each not in told.reasons]:
        return f"The reasons of {told.profile} leave out what its results say: {lost[0]}"
    if more := [each for each in told.reasons if each not in again.reasons]:
        return f"The reasons of {told.profile} say what its results don't: {more[0]}"
    return f"The reasons of {told.profile} stand in another order, or more than once."


def _probes(report: Report) -> Iterator[Finding]:
    for probe in report.probes:
        if probe.finding == "kept" and probe.told:
            told = f"The probe of {probe.subject} found all kept and says what isn't: {probe.told}"
            yield _finding("probe", told)
        elif probe.disqualifies and not probe.told:
            yield _finding("probe", f"The probe of {probe.subject} caught it and doesn't say how.")


def _notes(report: Report, suite: Library) -> Iterator[str]:
    if report.digest is None:
        yield NO_DIGEST
    if not report.suite:
        yield "The suite was never started, so there is nothing to hold against it."
    elif report.suite != suite.digest:
        yield (
            f"It was run with the suite {report.suite[:12]}, and {suite.digest[:12]} is installed: "
            "whether these are all its scenarios, with their titles and MUSTs, isn't known here."
        )
    if report.kit != __version__:
        yield (
            f"It was written by version {report.kit} of the kit and is judged here by the rules "
            f"of {__version__}; reasons aren't compared word by word."
        )
    by_itself = ["core", *(report.implementation.profiles if report.implementation else [])]
    judged = {told.profile for told in report.profiles}
    if unasked := [n for n in PROFILES if n in by_itself and n not in judged and report.profiles]:
        yield (
            f"It doesn't speak of {listed(unasked)}, which certify measures where --profile "
            "doesn't choose others."
        )
