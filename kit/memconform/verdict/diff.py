"""Two reports side by side, sorted by what somebody has to do about the difference.

What differs is one thing, where it comes from another. A report keeps its suite, its kit and what
the implementation calls itself, so some origins are known and the others stay open: an outcome that
changed together with the suite *and* the implementation may come from either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import structs

from memconform.model.base import Response
from memconform.model.report import Outcome, Probe, Report, ScenarioResult
from memconform.verdict.compare import Change, VerdictChange, compare
from memconform.verdict.scrutiny import OF_THE_SUITE
from memconform.verdict.words import listed, number

Origin = Literal[
    "suite",  # only one of the two suites has the scenario
    "wording",  # both have it, and ask it otherwise
    "profiles",  # only one of the two runs was about its profile
    "declaration",  # a capability that it needs is declared in only one of the two
    "not the suite",  # the same words, asked by the same version of the kit
    "open",  # suite or kit differ, and nothing shows whether that is why
]


class Shift(Change, frozen=True, kw_only=True):
    """One scenario whose outcome or keyword differs, and what is known of why."""

    origin: Origin


class Declared(Response, frozen=True, kw_only=True):
    """One policy that is declared otherwise; null where it isn't declared."""

    name: str
    old: Any
    new: Any


class ProbeChange(Response, frozen=True, kw_only=True):
    """A look beside the scenarios that found something else; null where it has nothing to say."""

    subject: str
    old: str | None
    new: str | None


class Side(Response, frozen=True, kw_only=True):
    """Which run one of the two reports is about.

    Attributes:
        error: the sentence why the run can't be relied on; null where it can.
    """

    target: str
    implementation: str | None
    kit: str
    suite: str
    way: str
    repeat: int
    shuffle: int | None
    error: str | None


class Differences(Response, frozen=True, kw_only=True):
    """What differs between two reports, by what there is to do.

    Attributes:
        regressions: passed before, broken now.
        newly_required: MUST scenarios that the old report doesn't have, and that are broken.
        newly_asked: unsupported before, broken now: declared since, and not kept.
        withdrawn: capabilities that are declared no more.
        unsupported: scenarios that were asked before and aren't any more.
        changed: another outcome, neither broken nor mended by it.
        gone: not in the new report.
        keywords: scenarios that were a SHOULD and are a MUST, or the reverse.
        fixed: broken before, passed now.
        supported: capabilities that are declared since.
        newly_supported: unsupported before, passed now.
        new: not in the old report, and nothing to do about.
        circumstances: what else isn't the same, and what is known of where differences come from.
    """

    old: Side
    new: Side
    regressions: list[Shift]
    newly_required: list[Shift]
    newly_asked: list[Shift]
    withdrawn: list[str]
    unsupported: list[Shift]
    changed: list[Shift]
    gone: list[Shift]
    keywords: list[Shift]
    fixed: list[Shift]
    supported: list[str]
    newly_supported: list[Shift]
    added: list[Shift]
    verdicts: list[VerdictChange]
    policies: list[Declared]
    probes: list[ProbeChange]
    circumstances: list[str]

    @property
    def shifts(self) -> list[Shift]:
        """Every scenario that differs, in the order of the groups."""
        return [
            *(*self.regressions, *self.newly_required, *self.newly_asked, *self.unsupported),
            *(*self.changed, *self.gone, *self.fixed, *self.newly_supported, *self.added),
        ]

    @property
    def none(self) -> bool:
        """Whether what was found and what was declared is the same in both."""
        return not (
            *self.shifts,
            *self.keywords,
            *(*self.withdrawn, *self.supported, *self.verdicts, *self.policies, *self.probes),
        )


def differences(old: Report, new: Report) -> Differences:
    """What differs between two reports that are sound."""
    changes = compare(old, new)
    origins = _Origins(old, new)
    declared = _capabilities(old), _capabilities(new)
    changed = origins.of(changes.changed)
    added = origins.of(changes.new)
    told = Differences(
        old=_side(old),
        new=_side(new),
        regressions=origins.of(changes.regressions),
        newly_required=[each for each in added if _broken_must(each)],
        newly_asked=[each for each in changed if _was_unsupported(each) and _breaks(each)],
        withdrawn=[name for name in declared[0] if name not in declared[1]],
        unsupported=[each for each in changed if each.new is Outcome.UNSUPPORTED],
        changed=[each for each in changed if not _about_support(each)],
        gone=origins.of(changes.gone),
        keywords=origins.keywords(),
        fixed=origins.of(changes.fixed),
        supported=[name for name in declared[1] if name not in declared[0]],
        newly_supported=[
            each for each in changed if _was_unsupported(each) and each.new is Outcome.PASSED
        ],
        added=[each for each in added if not _broken_must(each)],
        verdicts=_verdicts(old, new),
        policies=_policies(old, new),
        probes=_probes(old.probes, new.probes),
        circumstances=[],
    )
    return structs.replace(told, circumstances=list(_circumstances(told)))


def _breaks(shift: Shift) -> bool:
    return shift.new is not None and shift.new.breaks


def _broken_must(shift: Shift) -> bool:
    return shift.must and _breaks(shift)


def _was_unsupported(shift: Shift) -> bool:
    return shift.old is Outcome.UNSUPPORTED


def _about_support(shift: Shift) -> bool:
    """Whether a change has a group of its own because it is about what is declared."""
    came = _was_unsupported(shift) and (_breaks(shift) or shift.new is Outcome.PASSED)
    return came or shift.new is Outcome.UNSUPPORTED


class _Origins:
    """What two reports tell of why a scenario differs."""

    def __init__(self, old: Report, new: Report) -> None:
        self._before = {result.id: result for result in old.results}
        self._after = {result.id: result for result in new.results}
        self._profiles = [{told.profile for told in each.profiles} for each in (old, new)]
        self._same_suite = old.suite == new.suite
        self._same_kit = old.kit == new.kit

    def of(self, changes: Sequence[Change]) -> list[Shift]:
        return [self._shift(change) for change in changes]

    def keywords(self) -> list[Shift]:
        """Scenarios that are in both, as a MUST in the one and a SHOULD in the other."""
        return [
            Shift(
                id=id,
                title=now.title,
                must=now.must,
                old=was.outcome,
                new=now.outcome,
                origin="wording",
            )
            for id, now in self._after.items()
            if (was := self._before.get(id)) is not None and was.must is not now.must
        ]

    def _shift(self, change: Change) -> Shift:
        was, now = self._before.get(change.id), self._after.get(change.id)
        origin = self._alone(was or now) if was is None or now is None else self._both(was, now)
        return Shift(**structs.asdict(change), origin=origin)

    def _alone(self, result: ScenarioResult | None) -> Origin:
        assert result is not None
        if not all(result.profile in judged for judged in self._profiles):
            return "profiles"
        # With the same suite a part of it was run: which one, no report says.
        return "open" if self._same_suite else "suite"

    def _both(self, was: ScenarioResult, now: ScenarioResult) -> Origin:
        if any(getattr(was, name) != getattr(now, name) for name in OF_THE_SUITE):
            return "wording"
        if was.missing != now.missing:
            return "declaration"
        words = [[(step.keyword, step.text) for step in each.steps] for each in (was, now)]
        if all(words) and words[0] != words[1]:
            return "wording"
        same = self._same_suite or (all(words) and words[0] == words[1])
        return "not the suite" if same and self._same_kit else "open"


def _side(report: Report) -> Side:
    who = report.implementation
    return Side(
        target=report.target,
        implementation=f"{who.name} {who.version}" if who else None,
        kit=report.kit,
        suite=report.suite,
        way=report.way,
        repeat=report.repeat,
        shuffle=report.shuffle,
        error=report.error.split("\n", 1)[0] if report.error is not None else None,
    )


def _capabilities(report: Report) -> list[str]:
    return report.implementation.capabilities if report.implementation else []


def _verdicts(old: Report, new: Report) -> list[VerdictChange]:
    before, after = ({p.profile: p.verdict for p in each.profiles} for each in (old, new))
    return [
        VerdictChange(profile=name, old=before.get(name), new=after.get(name))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) is not after.get(name)
    ]


def _policies(old: Report, new: Report) -> list[Declared]:
    if old.implementation is None or new.implementation is None:
        return []
    before, after = old.implementation.policies, new.implementation.policies
    return [
        Declared(name=name, old=before.get(name), new=after.get(name))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]


def _probes(old: Sequence[Probe], new: Sequence[Probe]) -> list[ProbeChange]:
    if not old or not new:  # in one of the two nobody looked
        return []
    before, after = ({p.subject: p.finding for p in each} for each in (old, new))
    return [
        ProbeChange(subject=subject, old=before.get(subject), new=after.get(subject))
        for subject in dict.fromkeys((*before, *after))
        if before.get(subject) != after.get(subject)
    ]


# --- what is known of why ----------------------------------------------------------------------


def _circumstances(told: Differences) -> Iterator[str]:
    old, new = told.old, told.new
    for side, which in ((old, "old"), (new, "new")):
        if side.error is not None:
            yield f"The {which} run can't be relied on: {side.error}"
    if old.target != new.target:
        yield f"The targets are two: {old.target} and {new.target}."
    if old.implementation != new.implementation:
        yield (
            f"The old report is about {old.implementation or 'nobody known'}, "
            f"the new one about {new.implementation or 'nobody known'}."
        )
    if old.suite != new.suite:
        yield f"The suites are two: {_short(old.suite)} and {_short(new.suite)}."
    if old.kit != new.kit:
        yield f"The old report was written by kit {old.kit}, the new one by {new.kit}."
    if _how(old) != _how(new):
        yield f"The old run was made {_how(old)}, the new one {_how(new)}."
    if not told.none:
        yield from _where_from(told)


def _where_from(told: Differences) -> Iterator[str]:
    old, new = told.old, told.new
    if old.suite == new.suite and old.kit == new.kit:
        if old == new:
            yield (
                "Suite, kit, target and version are the same in both: what differs comes from "
                "something that a report doesn't record, such as code that changed under an "
                "unchanged version, another machine, or chance."
            )
        else:
            yield (
                "Suite and kit are the same in both, so what differs came with what is named here, "
                "or with something that a report doesn't record."
            )
        return
    shifts = told.shifts
    known = [each for each in shifts if each.origin in ("suite", "wording")]
    if known:
        yield f"With the suite came {number(len(known), 'difference')}, marked in the list."
    if apart := [each for each in shifts if each.origin == "not the suite"]:
        yield (
            f"{number(len(apart), 'scenario')} differ{'s' if len(apart) == 1 else ''} though asked "
            "in the same words by the same kit: there the suite is not why."
        )
    if left := [each for each in shifts if each.origin == "open"]:
        causes = ["the suite"] * (old.suite != new.suite) + ["the kit"] * (old.kit != new.kit)
        yield (
            f"Of {number(len(left), 'scenario')} it isn't known whether "
            f"{listed(causes).replace(' and ', ', ')} or the implementation made the difference; "
            "the new suite run over the old version would tell."
        )


def _short(suite: str) -> str:
    return suite[:12] or "none"


def _how(side: Side) -> str:
    how = "in process" if side.way == "in-process" else "over the wire"
    if side.repeat > 1:
        how += f", {side.repeat} times"
    return how if side.shuffle is None else f"{how}, in orders of the seed {side.shuffle}"
