"""Two reports compared, scenario by scenario: what got worse, what got better, what came and went.

A baseline is a report of the past. A run agrees with it when every outcome is the same, failures
among them: a known failure is no news, and a fixed one is a reason to renew the baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memconform.model.base import Response
from memconform.model.report import Implementation, Outcome, Report, ScenarioResult, Verdict
from memconform.verdict.words import harmless, number


class Change(Response, frozen=True, kw_only=True):
    """One scenario whose outcome differs; null where the scenario isn't in that report."""

    id: str
    title: str
    must: bool
    old: Outcome | None
    new: Outcome | None


class VerdictChange(Response, frozen=True, kw_only=True):
    """One profile whose verdict differs; null where the report has none."""

    profile: str
    old: Verdict | None
    new: Verdict | None


class Changes(Response, frozen=True, kw_only=True):
    """Everything that differs between an old and a new report.

    Attributes:
        suite_differs: whether another text of the suite was run, so that a difference may come
            from it instead of from the implementation.
        old_implementation: name and version, as far as known.
        regressions: passed before, broken now.
        changed: another outcome, neither broken nor mended by it.
        gone: not in the new report.
        new: not in the old one.
        fixed: broken before, passed now.
        verdicts: profiles with another verdict.
    """

    target: str
    suite_differs: bool
    old_implementation: str | None
    new_implementation: str | None
    regressions: list[Change]
    changed: list[Change]
    gone: list[Change]
    new: list[Change]
    fixed: list[Change]
    verdicts: list[VerdictChange]

    @property
    def none(self) -> bool:
        """Whether every outcome equals that of the old report."""
        return not (self.regressions or self.changed or self.gone or self.new or self.fixed)


Chosen = Callable[[ScenarioResult], bool]


def everything(result: ScenarioResult) -> bool:
    """Compare all scenarios."""
    return True


def compare(old: Report, new: Report, *, chosen: Chosen = everything) -> Changes:
    """What differs between two reports.

    Args:
        old: the report of the past.
        new: the report to hold against it.
        chosen: which scenarios to compare, where the new run was asked for only some.
    """
    before = {result.id: result for result in old.results if chosen(result)}
    after = {result.id: result for result in new.results if chosen(result)}
    worse: list[Change] = []
    better: list[Change] = []
    other: list[Change] = []
    for id, result in after.items():
        if id not in before or _agree(before[id], result):
            continue
        was, now = before[id].outcome, result.outcome
        if was is Outcome.PASSED and now.breaks:
            group = worse
        else:
            group = better if was.breaks and now is Outcome.PASSED else other
        group.append(_change(before[id], result))
    return Changes(
        target=new.target,
        suite_differs=old.suite != new.suite,
        old_implementation=_who(old.implementation),
        new_implementation=_who(new.implementation),
        regressions=worse,
        changed=other,
        gone=[_change(before[id], None) for id in before if id not in after],
        new=[_change(None, after[id]) for id in after if id not in before],
        fixed=better,
        verdicts=_verdicts(old, new, {result.profile for result in after.values()}),
    )


def sentences(changes: Changes, *, most: int | None = None) -> list[str]:
    """The changes in words, what asks for work first; a line that lists a scenario starts ``- ``.

    Args:
        changes: what to tell.
        most: scenarios listed of each kind; null lists all.
    """
    told = [
        line
        for group, one, many in (
            (changes.regressions, "1 regression:", "{} regressions:"),
            (changes.changed, "1 scenario came out otherwise:", "{} scenarios came out otherwise:"),
            (
                changes.gone,
                "1 scenario was not run any more:",
                "{} scenarios were not run any more:",
            ),
            (
                changes.new,
                "1 scenario is not in the baseline:",
                "{} scenarios are not in the baseline:",
            ),
            (
                changes.fixed,
                "1 scenario is fixed; renew the baseline to keep it so:",
                "{} scenarios are fixed; renew the baseline to keep them so:",
            ),
        )
        for line in _group(group, one if len(group) == 1 else many.format(len(group)), most)
    ] or ["Every outcome equals the baseline."]
    told += [
        f"The verdict of {harmless(v.profile)} was {v.old.value if v.old else 'not asked for'} "
        f"and is {v.new.value if v.new else 'not asked for'} now."
        for v in changes.verdicts
    ]
    if changes.old_implementation != changes.new_implementation:
        told.append(
            f"The baseline is about {harmless(changes.old_implementation or 'nobody known')}, "
            f"this run about {harmless(changes.new_implementation or 'nobody known')}."
        )
    if changes.suite_differs:
        told.append(
            "The suite is another one than that of the baseline; a difference may come from it."
        )
    return told


def _agree(old: ScenarioResult, new: ScenarioResult) -> bool:
    """Whether a result is no news: the same outcome, or one that an unstable scenario had before.

    A single run of a scenario that is known to come out in either way says nothing new.
    """
    if old.outcome is new.outcome:
        return True
    return old.outcome is Outcome.UNSTABLE and not new.runs and new.outcome in old.runs


def _group(group: Sequence[Change], heading: str, most: int | None) -> list[str]:
    if not group:
        return []
    shown = group if most is None or len(group) <= most else group[:most]
    lines = [f"- {harmless(change.id)}: {_outcomes(change)}" for change in shown]
    if left := len(group) - len(shown):
        lines.append(f"- {number(left, 'scenario')} more")
    return [heading, *lines]


def _outcomes(change: Change) -> str:
    told = ", now ".join(
        outcome.value for outcome in (change.old, change.new) if outcome is not None
    )
    return told if change.must else f"{told} (a SHOULD)"


def _change(old: ScenarioResult | None, new: ScenarioResult | None) -> Change:
    known = new or old
    assert known is not None
    return Change(
        id=known.id,
        title=known.title,
        must=known.must,
        old=old.outcome if old else None,
        new=new.outcome if new else None,
    )


def _verdicts(old: Report, new: Report, profiles: set[str]) -> list[VerdictChange]:
    before = {told.profile: told.verdict for told in old.profiles}
    after = {told.profile: told.verdict for told in new.profiles}
    return [
        VerdictChange(profile=name, old=before.get(name), new=after.get(name))
        for name in dict.fromkeys((*before, *after))
        if name in profiles and before.get(name) is not after.get(name)
    ]


def _who(implementation: Implementation | None) -> str | None:
    return f"{implementation.name} {implementation.version}" if implementation else None
