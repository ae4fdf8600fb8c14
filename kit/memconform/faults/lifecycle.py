"""Faults of lifecycle: what is still true, and what a successor silences."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, core, foundation
from memconform.faults.seams import late, stage, store
from memconform.model import Access, Done, GetResult, Record, RecordDraft
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.retrieval import Dropped, RetrievalRequest, Stage
from memconform.retrieval.lifecycle import state_of, superseded_ids
from memconform.retrieval.stage import sift
from memconform.retrieval.times import format_time, milliseconds, parse_time

GONE = core("forgotten-is-gone-at-once-and-everywhere")
LIFECYCLE = foundation("lifecycle-comes-before-ranking")
SUCCESSOR = foundation("a-successor-silences-what-it-supersedes")
CORRECTION = core("a-correction-wins")


def _living(change: Callable[[Record, str], Record | None]) -> Seed:
    """Seeds another judgement of what is active: the record is judged as it is after a change.

    A change that gives null makes it inactive. It is the same for recall, list and context.
    """

    def lifecycle(records: Iterable[Record], now: str) -> Stage[Record]:
        kept, dropped = [], []
        judged = [(record, change(record, now)) for record in records]
        active = {
            record.id for record, as_if in judged if as_if and state_of(as_if, now) == "active"
        }
        replaced = superseded_ids(record for record, _ in judged if record.id in active)
        for record, _ in judged:
            if record.id in active and record.id not in replaced:
                kept.append(record)
            else:
                dropped.append(Dropped(record.id, "inactive"))
        return Stage(tuple(kept), tuple(dropped))

    return stage(lifecycle=lifecycle)


def _shifted(field: str, by_ms: int) -> Callable[[Record, str], Record | None]:
    """A record whose limit of validity is so many milliseconds later."""

    def change(record: Record, now: str) -> Record | None:
        text = getattr(record, field)
        if text is None:
            return record
        then = parse_time(text) + timedelta(milliseconds=by_ms)
        return msgspec.structs.replace(record, **{field: format_time(then)})

    return change


def _ignoring(*fields: str) -> Callable[[Record, str], Record | None]:
    def change(record: Record, now: str) -> Record | None:
        return msgspec.structs.replace(record, **dict.fromkeys(fields))

    return change


def _later_end(record: Record, now: str) -> Record | None:
    if record.valid_to is None or record.expires_at is None:
        return record
    return msgspec.structs.replace(
        record, **dict.fromkeys(("valid_to", "expires_at"), max(record.valid_to, record.expires_at))
    )


def _successors(silenced: Callable[[list[Record], str], frozenset[str]]) -> Seed:
    """Seeds another set of records that are silenced by a successor."""

    def lifecycle(records: Iterable[Record], now: str) -> Stage[Record]:
        records = list(records)
        gone = silenced(records, now)

        def reason(record: Record) -> str | None:
            state = state_of(record, now)
            return state if state != "active" else "superseded" if record.id in gone else None

        return sift(records, reason)

    return stage(lifecycle=lifecycle)


def _active(records: list[Record], now: str) -> list[Record]:
    return [record for record in records if state_of(record, now) == "active"]


def _all_successors(records: list[Record], now: str) -> frozenset[str]:
    return superseded_ids(record for record in records if record.deleted_at is None)


def _found_again(records: list[Record], now: str) -> frozenset[str]:
    """A link that is silenced itself silences nothing."""
    active = _active(records, now)
    once = superseded_ids(active)
    return superseded_ids(record for record in active if record.id not in once)


def _references_alone(records: list[Record], now: str) -> frozenset[str]:
    active = _active(records, now)
    return superseded_ids(record for record in active if record.authority == "reference")


def _no_successors(records: list[Record], now: str) -> frozenset[str]:
    return frozenset()


def _silencing_everywhere(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A successor silences what it supersedes also for those who can't see it."""

        def _begin(self) -> None:
            right = self._pipeline.lifecycle

            def lifecycle(records: Iterable[Record], now: str) -> Stage[Record]:
                mark()
                active = _active(list(self._cache.records.values()), now)
                gone = superseded_ids(active)
                kept = right(records, now)
                return Stage(tuple(r for r in kept.kept if r.id not in gone), kept.dropped)

            self._pipeline = dataclasses.replace(self._pipeline, lifecycle=lifecycle)

    return Store


def _as_at_opening(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """What has expired once is written down as such, and stays so."""

        def _begin(self) -> None:
            self._expired: set[str] = set()

        def _listed(self, access: Access) -> list[Record]:
            return [r for r in super()._listed(access) if r.id not in self._expired]

        def _retrieve(self, request: RetrievalRequest) -> Any:
            mark()
            self._cache.refresh()
            now = self._now
            self._expired |= {
                r.id for r in self._cache.records.values() if state_of(r, now) == "expired"
            }
            return self._pipeline.retrieve(
                [r for r in self._cache.records.values() if r.id not in self._expired],
                request,
                policy=self._policy,
                now=now,
                token_set=self._cache.tokens,
                hopeless=False,
            )

    return Store


def _ttl(change: Callable[[RecordDraft], RecordDraft]) -> Seed:
    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Reads a lifetime in its own way."""

            def _create(self, draft: RecordDraft) -> Record:
                if draft.ttl_ms is not None:
                    mark()
                    draft = change(draft)
                return super()._create(draft)

        return Store

    return store(make)


def _in_seconds(draft: RecordDraft) -> RecordDraft:
    return msgspec.structs.replace(draft, ttl_ms=(draft.ttl_ms or 0) * 1000)


def _disabled_last(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Of several states of a record the one that validity gives is named first."""

        def get(self, id: str, access: Access = Access()) -> GetResult:
            answer = super().get(id, access)
            record = self._find(id)
            if record is None or record.deleted_at is not None or answer.record.state == "active":
                return answer
            as_if = msgspec.structs.replace(record, disabled_at=None, superseded_at=None)
            state = state_of(as_if, self._now)
            if state in ("expired", "not-yet-valid"):
                mark()
                return _renamed(answer, state)
            return answer

    return Store


def _renamed(answer: GetResult, state: Any) -> GetResult:
    return msgspec.structs.replace(
        answer, record=msgspec.structs.replace(answer.record, state=state)
    )


def _state_instead(right: str, wrong: str, when: Callable[[Record, str], bool]) -> Seed:
    """Seeds that get names another state of those that a record has."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Names states in another order."""

            def get(self, id: str, access: Access = Access()) -> GetResult:
                answer = super().get(id, access)
                record = self._find(id)
                if record is not None and answer.record.state == right and when(record, self._now):
                    mark()
                    return _renamed(answer, wrong)
                return answer

        return Store

    return store(make)


def _both_invalid(record: Record, now: str) -> bool:
    at, ends = milliseconds(now) or 0, record.valid_to or record.expires_at
    return ends is not None and (milliseconds(ends) or 0) <= at


def _replaced(record: Record, now: str) -> bool:
    return record.superseded_at is not None


def _list_of_all(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Lists whatever is in scope and not forgotten."""

        def _listed(self, access: Access) -> list[Record]:
            mark()
            self._cache.refresh()
            known = [r for r in self._cache.records.values() if r.deleted_at is None]
            return list(self._pipeline.scope(known, access, self._policy).kept)

    return Store


def _no_directives_listed(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Leaves directives out of the list, too."""

        def _listed(self, access: Access) -> list[Record]:
            mark()
            return [r for r in super()._listed(access) if r.authority != "directive"]

    return Store


def _enable_is_lost(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Says that a record is enabled again, and leaves it as it is."""

        def enable(self, id: str, access: Access = Access()) -> Done:
            mark()
            self._own(id, access)
            return Done(done=True, cause=None)

    return Store


def _shown(store: ReferenceStore, record: Record, access: Access, options: Any) -> bool:
    return state_of(record, store._now) == "active"


def _fault(name: str, change: str, suffers: str, seed: Seed, breaks: Any, *killed_by: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=killed_by,
        base="filesystem",
        seed=seed,
    )


FAULTS: tuple[Fault, ...] = (
    _fault(
        "valid-to-is-inclusive",
        "A record is still valid at the instant that its validity ends.",
        "An offer that ended is quoted as running.",
        _living(_shifted("valid_to", 1)),
        LIFECYCLE,
        *foundation("a-record-is-expired-at-the-instant-that-ends-it"),
    ),
    _fault(
        "valid-to-ends-a-millisecond-early",
        "A record ends a millisecond before its validity does.",
        "Two stores disagree at midnight.",
        _living(_shifted("valid_to", -1)),
        LIFECYCLE,
        *foundation("a-record-is-found-up-to-the-last-millisecond-of-its-validity"),
    ),
    _fault(
        "expires-at-is-inclusive",
        "A record is still there at the instant that it expires.",
        "What should be gone at noon is still answered at noon.",
        _living(_shifted("expires_at", 1)),
        (*LIFECYCLE, *GONE),
        *foundation("an-expiry-ends-a-record-at-its-instant"),
        *core("an-expired-memory-shows-on-no-surface"),
    ),
    _fault(
        "expires-two-minutes-early",
        "A record expires two minutes before its expiry.",
        "A code that is still good can't be found.",
        _living(_shifted("expires_at", -120_000)),
        (*LIFECYCLE, *GONE),
        *core("a-memory-shows-until-it-expires"),
    ),
    _fault(
        "valid-from-is-exclusive",
        "A record is not yet valid at the instant that begins its validity.",
        "The new price is unknown at the moment it comes into force.",
        _living(_shifted("valid_from", 1)),
        LIFECYCLE,
        *foundation("a-record-is-valid-at-the-instant-that-begins-it"),
    ),
    _fault(
        "valid-from-a-millisecond-early",
        "A record is valid a millisecond before its validity begins.",
        "Two stores disagree at midnight.",
        _living(_shifted("valid_from", -1)),
        LIFECYCLE,
        *foundation("a-record-is-not-yet-valid-one-millisecond-earlier"),
    ),
    _fault(
        "expiry-is-ignored",
        "A record never expires.",
        "A memory that was to last an hour is answered for ever.",
        _living(_ignoring("expires_at")),
        (*LIFECYCLE, *GONE),
        *foundation("a-lifetime-ends-a-record"),
        *core("an-expired-memory-shows-on-no-surface"),
    ),
    _fault(
        "validity-is-ignored",
        "The limits of a record's validity make no difference.",
        "Last year's rules are quoted beside this year's.",
        _living(_ignoring("valid_from", "valid_to")),
        LIFECYCLE,
        *foundation(
            "validity-follows-the-clock-both-ways", "an-inactive-record-shows-on-no-surface"
        ),
    ),
    _fault(
        "disabling-is-ignored",
        "A disabled record is retrieved like any other.",
        "What the user switched off is still in every prompt.",
        _living(_ignoring("disabled_at")),
        (*LIFECYCLE, *GONE),
        *foundation(
            "a-disabled-record-is-counted-not-ranked",
            "every-inactive-state-is-counted",
            "a-disabled-record-shows-on-no-surface",
        ),
        *core("a-disabled-memory-shows-on-no-surface"),
    ),
    _fault(
        "enabling-is-lost",
        "A disabled record stays disabled when it is enabled again.",
        "What was switched off once never comes back.",
        store(_enable_is_lost),
        (*LIFECYCLE, *GONE),
        *foundation("an-enabled-record-is-found-again", "a-disabled-record-shows-on-no-surface"),
        *core("an-enabled-memory-shows-on-every-surface-again"),
    ),
    _fault(
        "the-later-of-two-ends",
        "Of validity and expiry the later one ends a record.",
        "A memory outlives its lifetime because its validity is longer.",
        _living(_later_end),
        LIFECYCLE,
        *foundation("the-earlier-of-two-ends-counts"),
    ),
    _fault(
        "expired-for-good",
        "A record that was seen expired once stays so, whatever the clock says.",
        "A clock that was wrong for a minute costs the memories of a year.",
        store(_as_at_opening),
        LIFECYCLE,
        *foundation("validity-follows-the-clock-both-ways"),
    ),
    _fault(
        "lifetime-in-seconds",
        "A lifetime in milliseconds is taken for one in seconds.",
        "A memory lasts a thousand times as long as it was meant to.",
        _ttl(_in_seconds),
        LIFECYCLE,
        *foundation("a-lifetime-ends-a-record"),
    ),
    _fault(
        "validity-names-the-state-first",
        "A record that is disabled or superseded and no longer valid is called expired.",
        "Whoever looks why a memory is missing is told the wrong reason.",
        store(_disabled_last),
        LIFECYCLE,
        *foundation(
            "the-first-state-that-applies-names-a-record", "superseded-comes-before-validity"
        ),
    ),
    _fault(
        "superseded-before-disabled",
        "A record that is superseded and disabled is called superseded.",
        "Whoever switched a memory off isn't told that it is off.",
        _state_instead("disabled", "superseded", _replaced),
        LIFECYCLE,
        *foundation("disabled-comes-before-superseded"),
    ),
    _fault(
        "expired-before-not-yet-valid",
        "A record that has expired before its validity begins is called expired.",
        "A typing error in a year is told as something else.",
        _state_instead("not-yet-valid", "expired", _both_invalid),
        LIFECYCLE,
        *foundation("not-yet-valid-comes-before-expired"),
    ),
    _fault(
        "the-list-shows-what-is-inactive",
        "Listing shows disabled, superseded and expired records as active ones.",
        "The page of all memories contradicts what is retrieved.",
        store(_list_of_all),
        (*LIFECYCLE, *GONE),
        *foundation("the-list-is-what-is-active", "an-inactive-record-shows-on-no-surface"),
    ),
    _fault(
        "the-list-leaves-directives-out",
        "Listing leaves directives out, as an injection does.",
        "A standing rule can't be found by whoever wants to take it back.",
        store(_no_directives_listed),
        LIFECYCLE,
        *foundation("the-list-is-what-is-active"),
    ),
    _fault(
        "lifecycle-after-the-limit",
        "Inactive records are taken out of the finished list.",
        "A disabled memory pushes the valid one out of the answer.",
        late("lifecycle", _shown),
        LIFECYCLE,
        *foundation("an-inactive-record-takes-no-place-in-the-limit"),
    ),
    # --- successors ------------------------------------------------------------------------------
    _fault(
        "nothing-is-silenced",
        "A successor that was written as such leaves what it supersedes active.",
        "The old fact and its correction stand side by side in the prompt.",
        _successors(_no_successors),
        (*SUCCESSOR, *CORRECTION),
        *foundation(
            "of-a-chain-only-the-newest-is-found", "a-superseded-record-shows-on-no-surface"
        ),
        *core("a-memory-written-as-a-successor-comes-first"),
    ),
    _fault(
        "inactive-successors-silence-too",
        "A successor silences what it supersedes also when it is disabled, early or expired.",
        "Neither the old fact nor the new one is found.",
        _successors(_all_successors),
        SUCCESSOR,
        *foundation(
            "a-successor-that-is-not-yet-valid-silences-nothing",
            "a-successor-that-has-expired-silences-nothing",
            "a-successor-that-is-disabled-silences-nothing",
            "a-link-that-is-disabled-holds-nothing",
        ),
    ),
    _fault(
        "a-chain-comes-back",
        "A link of a chain that is silenced itself silences nothing any more.",
        "The third correction brings the first text back.",
        _successors(_found_again),
        SUCCESSOR,
        *foundation("of-a-chain-only-the-newest-is-found"),
    ),
    _fault(
        "directives-silence-nothing",
        "Only a reference silences what it supersedes.",
        "The note that a rule replaced is still evidence against the rule.",
        _successors(_references_alone),
        SUCCESSOR,
        *foundation("a-successor-that-a-later-stage-leaves-out-silences-all-the-same"),
    ),
    _fault(
        "foreign-successors-silence-too",
        "A successor silences what it supersedes also for those who can't see it.",
        "A memory vanishes, and its correction is in a place that the caller has no part in.",
        store(_silencing_everywhere),
        SUCCESSOR,
        *foundation("a-successor-in-another-workspace-silences-nothing"),
    ),
)
