"""From the results of a profile to its verdict: pure, and the only place where it is decided.

- not measured: the run can't be trusted as a whole, a MUST scenario was not run, in one of them the
  kit itself is at fault, or none of them came as far as its question;
- non-conformant: a MUST scenario failed, erred, was unstable or not testable;
- partial: nothing failed, but a MUST scenario needs a capability that is not declared and that the
  profile can't do without;
- conformant: everything else.

SHOULD scenarios are counted and never change it; disputed ones are not scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from memconform.model.report import Outcome, ProfileVerdict, ScenarioResult, Verdict
from memconform.suite.profiles import Profile
from memconform.verdict.blame import AT_FAULT, party
from memconform.verdict.words import harmless, listed, number, shortened

_DID = {
    Outcome.FAILED: "failed",
    Outcome.ERROR: "ended in an error",
    Outcome.UNSTABLE: "did not come out the same in every run",
    Outcome.NOT_TESTABLE: "could not be tested",
}


def judge(
    profile: Profile,
    results: Sequence[ScenarioResult],
    declared: Collection[str],
    *,
    broken: str | None = None,
) -> ProfileVerdict:
    """The verdict of one profile.

    Args:
        profile: what it may leave out.
        results: of any profiles; only those of this one are looked at.
        declared: the capabilities that the implementation declares.
        broken: a sentence why the run as a whole can't be trusted, where it can't.
    """
    own = [result for result in results if result.profile == profile.name]
    must = [result for result in own if result.must]
    verdict, reasons = _decide(profile, must, declared, broken)
    return ProfileVerdict(
        profile=profile.name,
        verdict=verdict,
        reasons=reasons,
        counts=counts(must),
        should_counts=counts(result for result in own if not result.must),
    )


def counts(results: Iterable[ScenarioResult]) -> dict[str, int]:
    """Number of results by outcome; every outcome is there, in the order of their definition."""
    count = {outcome.value: 0 for outcome in Outcome}
    for result in results:
        count[result.outcome.value] += 1
    return count


def at_fault_ourselves(result: ScenarioResult) -> bool:
    """Whether the kit itself is to blame, so that nothing was learnt of the store."""
    return result.failure is not None and result.failure.blame == "harness"


def _decide(
    profile: Profile,
    must: Sequence[ScenarioResult],
    declared: Collection[str],
    broken: str | None,
) -> tuple[Verdict, list[str]]:
    scored = [result for result in must if result.outcome is not Outcome.DISPUTED]
    if unmeasured := _unmeasured(profile, scored, broken):
        return Verdict.NOT_MEASURED, unmeasured
    if broken_requirements := _broken_requirements(scored):
        return Verdict.NON_CONFORMANT, broken_requirements
    if owed := _owed(profile, scored, declared):
        return Verdict.PARTIAL, owed
    return Verdict.CONFORMANT, []


def _unmeasured(
    profile: Profile, scored: Sequence[ScenarioResult], broken: str | None
) -> list[str]:
    if broken is not None:
        return [broken]
    reasons = []
    if not_run := [result for result in scored if result.outcome is Outcome.NOT_RUN]:
        reasons.append(
            f"{len(not_run):,} of {number(len(scored), 'MUST scenario')} "
            f"{_was(not_run)} not run: {_ids(not_run)}."
        )
    if ours := [result for result in scored if at_fault_ourselves(result)]:
        reasons.append(
            f"In {number(len(ours), 'MUST scenario')} the kit itself is at fault, "
            f"not the implementation: {_ids(ours)}."
        )
    if not reasons and not any(result.outcome.answered for result in scored):
        reasons.append(_nothing_answered(profile, scored))
    return reasons


def _nothing_answered(profile: Profile, scored: Sequence[ScenarioResult]) -> str:
    """Why no scenario can be judged; broken ones say whose fault it is, where all say the same."""
    if not scored:
        return f"No MUST scenario of {profile.name} was selected."
    broken = [result.failure for result in scored if result.failure is not None]
    if not broken:
        return (
            f"None of the {number(len(scored), 'MUST scenario')} of {profile.name} "
            "says anything about this implementation."
        )
    cause, times = Counter(failure.seen for failure in broken).most_common(1)[0]
    blamed = next(party(failure) for failure in broken if failure.seen == cause)
    return (
        f"None of the {number(len(broken), 'MUST scenario')} of {profile.name} that were tried "
        f"came as far as its question. {AT_FAULT[blamed]}; {times:,} of them broke in this way: "
        f"{shortened(harmless(cause), 200)}"
    )


def _broken_requirements(scored: Sequence[ScenarioResult]) -> list[str]:
    """One sentence a requirement, in the order of the suite."""
    by_rule: dict[str, list[ScenarioResult]] = {}
    for result in scored:
        if result.outcome.breaks:
            by_rule.setdefault(result.rule, []).append(result)
    return [
        f"“{rule}” does not hold: "
        + "; ".join(
            f"{number(len(group), 'scenario')} {did} ({_ids(group)})"
            for outcome, did in _DID.items()
            if (group := [result for result in results if result.outcome is outcome])
        )
        + "."
        for rule, results in by_rule.items()
    ]


def _owed(
    profile: Profile, scored: Sequence[ScenarioResult], declared: Collection[str]
) -> list[str]:
    """One sentence a combination of capabilities that the profile can't do without."""
    by_owed: dict[tuple[str, ...], list[ScenarioResult]] = {}
    for result in scored:
        if result.outcome is Outcome.UNSUPPORTED and (
            owed := profile.owed(result.missing, declared)
        ):
            by_owed.setdefault(tuple(owed), []).append(result)
    return [_owed_sentence(profile, owed, results) for owed, results in by_owed.items()]


def _owed_sentence(
    profile: Profile, owed: tuple[str, ...], results: Sequence[ScenarioResult]
) -> str:
    wanted = f"{number(len(results), 'MUST scenario')} {'needs' if len(results) == 1 else 'need'}"
    group = next((g for g in profile.one_of if set(owed) <= set(g)), None)
    if group is not None:
        return (
            f"{wanted} {listed(owed)}; {profile.name} asks for at least one of "
            f"{listed(group)}, and none is declared."
        )
    return (
        f"{wanted} {listed(owed)}, which {'is' if len(owed) == 1 else 'are'} not declared "
        f"and which {profile.name} can't do without."
    )


def _was(results: Sequence[ScenarioResult]) -> str:
    return "was" if len(results) == 1 else "were"


def _ids(results: Sequence[ScenarioResult]) -> str:
    return listed([result.id for result in results], most=4)
