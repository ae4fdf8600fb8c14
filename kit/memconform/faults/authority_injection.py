"""Faults of the authority store: modes, limits, the frame, what went in, and failing open."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from memconform.authority import AUTHORITY, Constants, inject
from memconform.authority.injection import (
    FIRST_LINE,
    LAST_LINE,
    NOTHING,
    STATEMENT,
    UNVERIFIED,
    Decided,
    Injection,
    frame,
    line,
    message_id,
)
from memconform.faults.authority_seams import (
    Store,
    Tables,
    authority_fault,
    figure,
    framed,
    lined,
    part,
    right,
    store,
    tables,
)
from memconform.faults.fault import Arguments, Fault, Mark, ids
from memconform.model import (
    Access,
    DiagnosticsResult,
    Done,
    RecallResult,
    RecordDraft,
    WriteResult,
    created,
    done,
    recalled,
)
from memconform.model.authority import InjectionMode
from memconform.protocol import Unavailable
from memconform.reference.authority import AuthorityStore, _Answer, _Failed
from memconform.reference.authority_tables import ClaimDatabase

MODES = ids("claim-injection", "three-modes")
LIMITS = ids("claim-injection", "three-claims-and-1-200-characters")
FRAME = ids("claim-injection", "the-message-has-no-authority")
AUDITED = ids("claim-injection", "what-went-in-is-audited-and-only-that")
FAILURE = ids("claim-injection", "failure-changes-nothing")


def _injection(*slugs: str) -> tuple[str, ...]:
    return ids("claim-injection", *slugs)


# --- modes -----------------------------------------------------------------------------------


def _begins_in(first: InjectionMode) -> Any:
    """Seeds another mode of a new store."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Begins in another mode."""

            def __init__(self, *args: Any, mode: InjectionMode = first, **more: Any) -> None:
                mark()
                super().__init__(*args, mode=mode, **more)

        return Changed

    return store(make)


def _as_mode(taken: dict[str, InjectionMode]) -> Any:
    """Seeds that some modes inject like others."""

    def changed(decisions: Iterable[Decided], mode: InjectionMode, **more: Any) -> Injection:
        return inject(decisions, taken.get(mode, mode), **more)

    return part(inject=changed)


def _shadow_rests(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Does nothing at all in the mode shadow."""

        def _ask(self, *args: Any, inject: bool, **more: Any) -> _Answer:
            if inject and self._mode == "shadow":
                mark()
                return _Answer((), NOTHING, None)
            return super()._ask(*args, inject=inject, **more)

    return Changed


def _shadow_stays(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Never leaves the mode shadow."""

        def set_mode(self, mode: InjectionMode) -> Done:
            if self._mode == "shadow":
                mark()
                return done()
            return super().set_mode(mode)

    return Changed


def _other_modes_assist(method: str, given: Arguments) -> Arguments:
    if method == "set_mode" and given.get("mode") not in ("shadow", "assist", "enforce"):
        given["mode"] = "assist"
    return given


def _never_marked(decided: Decided) -> str:
    return line(decided).replace(f" [{UNVERIFIED}]", "")


def _always_marked(decided: Decided) -> str:
    doubted = msgspec.structs.replace(decided.decision, action="verify")
    return line(replace(decided, decision=doubted))


_MODES = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=MODES,
        killed_by=_injection(*killers),
        seed=seed,
        mishears=mishears,
    )
    for name, change, suffers, killers, seed, mishears in (
        (
            "new-stores-enforce",
            "A new store is in the mode enforce.",
            "A guess is never offered to be confirmed, and never learns.",
            ("a-new-store-assists",),
            _begins_in("enforce"),
            None,
        ),
        (
            "new-stores-watch",
            "A new store is in the mode shadow.",
            "A new memory is as good as none, and nobody knows why.",
            ("a-new-store-assists",),
            _begins_in("shadow"),
            None,
        ),
        (
            "doubt-is-not-marked",
            "What must be verified is not marked in the message.",
            "The model acts on a guess as if the user had said it.",
            ("what-must-be-verified-is-marked",),
            lined(_never_marked),
            None,
        ),
        (
            "everything-is-marked-as-doubtful",
            "Each claim of the message is marked as unverified.",
            "The model asks the user to confirm what the user has said.",
            ("what-may-be-used-is-not-marked",),
            lined(_always_marked),
            None,
        ),
        (
            "enforce-lets-doubt-pass",
            "The mode enforce injects what must be verified, too.",
            "Who allowed nothing but certainties gets guesses.",
            ("enforce-injects-only-what-may-be-used",),
            _as_mode({"enforce": "assist"}),
            None,
        ),
        (
            "shadow-speaks",
            "The mode shadow injects like assist.",
            "A memory that was only to be watched steers the conversation.",
            ("shadow-injects-nothing-and-decides-all-the-same",),
            _as_mode({"shadow": "assist"}),
            None,
        ),
        (
            "shadow-sleeps",
            "In the mode shadow nothing is retrieved, decided or kept.",
            "After a month of watching there is nothing to look at.",
            ("shadow-injects-nothing-and-decides-all-the-same",),
            store(_shadow_rests),
            None,
        ),
        (
            "shadow-is-for-ever",
            "A store that was in the mode shadow stays in it.",
            "The memory can't be switched on without a restart.",
            ("a-mode-can-be-left-again",),
            store(_shadow_stays),
            None,
        ),
        (
            "unknown-modes-assist",
            "A mode that doesn't exist is taken for assist.",
            "A misspelt enforce lets every guess pass.",
            ("a-mode-that-doesn-t-exist-is-refused",),
            right,
            _other_modes_assist,
        ),
    )
)


# --- limits ----------------------------------------------------------------------------------


def _fitting(
    size: Callable[[Sequence[str]], int] = lambda lines: len(frame(lines)),
    *,
    stops: bool = False,
    cuts: bool = False,
) -> Any:
    """Seeds how the message is measured, and what becomes of a claim that doesn't fit."""

    def changed(
        decisions: Iterable[Decided],
        mode: InjectionMode,
        *,
        characters: int | None = None,
        constants: Constants = AUTHORITY,
    ) -> Injection:
        # In assist everything comes in the right order; one at a time tells what each line is.
        whole = replace(constants, injected_character_limit=10**9)
        lines: list[str] = []
        chosen: list[str] = []
        for decided in decisions:
            alone = inject([decided], mode, constants=whole)
            if not alone.ids or len(chosen) == constants.injected_claim_limit:
                continue
            shown = line(decided)
            if size([*lines, shown]) > constants.injected_character_limit:
                if stops:
                    break
                over = size([*lines, shown]) - constants.injected_character_limit
                if not cuts or over >= len(shown) - 40:
                    continue
                shown = f'{shown[: -over - 1]}"'
            lines.append(shown)
            chosen.extend(alone.ids)
        return Injection(text=frame(lines), ids=tuple(chosen)) if chosen else NOTHING

    return part(inject=changed)


def _lines_alone(lines: Sequence[str]) -> int:
    return sum(map(len, lines))


def _before_escaping(lines: Sequence[str]) -> int:
    return len(frame(lines).replace("\\u003c", "<").replace("\\u003e", ">"))


def _in_bytes(lines: Sequence[str]) -> int:
    return len(frame(lines).encode())


def _in_utf16(lines: Sequence[str]) -> int:
    return len(frame(lines).encode("utf-16-le")) // 2


def _worst_first(decisions: Iterable[Decided], *args: Any, **more: Any) -> Injection:
    return inject([*decisions][::-1], *args, **more)


def _used_first(decisions: Iterable[Decided], *args: Any, **more: Any) -> Injection:
    return inject(sorted(decisions, key=lambda d: d.decision.action != "use"), *args, **more)


def _an_empty_frame(*args: Any, **more: Any) -> Injection:
    made = inject(*args, **more)
    return made if made.ids else replace(made, text=f"{FIRST_LINE}\n{STATEMENT}\n{LAST_LINE}")


_LIMITS = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=LIMITS,
        killed_by=_injection(*killers),
        seed=seed,
    )
    for name, change, suffers, killers, seed in (
        (
            "two-claims-go-in",
            "At most two claims go into a message.",
            "The third rule that matters is missing.",
            ("three-claims-of-five-go-in", "the-best-three-go-in"),
            figure(injected_claim_limit=2),
        ),
        (
            "four-claims-go-in",
            "At most four claims go into a message.",
            "Memory takes more room than the design grants it.",
            ("three-claims-of-five-go-in", "the-best-three-go-in"),
            figure(injected_claim_limit=4),
        ),
        (
            "1199-characters-go-in",
            "A message has at most 1,199 characters.",
            "A claim that fits is left out.",
            ("1-200-characters-go-in-and-no-more",),
            figure(injected_character_limit=1199),
        ),
        (
            "1201-characters-go-in",
            "A message has at most 1,201 characters.",
            "A message is cut by whoever relies on the limit.",
            ("1-200-characters-go-in-and-no-more",),
            figure(injected_character_limit=1201),
        ),
        (
            "the-frame-is-not-counted",
            "The limit counts the lines of the claims, not the frame around them.",
            "A message is cut, and what is cut off is the line that ends the frame.",
            ("the-message-never-exceeds-its-limit",),
            _fitting(_lines_alone),
        ),
        (
            "escapes-are-not-counted",
            "The limit counts an escaped bracket as one character.",
            "A claim full of brackets takes six times its room.",
            ("escapes-count",),
            _fitting(_before_escaping),
        ),
        (
            "bytes-are-counted",
            "The limit counts bytes.",
            "Who writes Chinese has a third of the memory.",
            ("a-character-is-a-code-point",),
            _fitting(_in_bytes),
        ),
        (
            "utf-16-units-are-counted",
            "The limit counts units of UTF-16.",
            "A claim with many emoji is left out though it fits.",
            ("a-character-is-a-code-point",),
            _fitting(_in_utf16),
        ),
        (
            "a-long-claim-ends-the-message",
            "The first claim that doesn't fit ends the message.",
            "One long text shuts out everything behind it.",
            ("a-claim-that-is-too-long-is-left-out-whole", "two-long-claims-don-t-both-fit"),
            _fitting(stops=True),
        ),
        (
            "long-claims-are-cut",
            "A claim that doesn't fit is cut.",
            "'Never deploy on Friday without asking' becomes 'Never deploy'.",
            ("a-claim-that-is-too-long-is-left-out-whole", "two-long-claims-don-t-both-fit"),
            _fitting(cuts=True),
        ),
        (
            "the-worst-claims-go-in",
            "Claims go in from the end of the order.",
            "The message holds whatever hardly matched.",
            ("the-best-three-go-in",),
            part(inject=_worst_first),
        ),
        (
            "what-may-be-used-goes-first",
            "What may be used goes in before what must be verified, whatever their ranks.",
            "The claim that answers the question is shut out by three that don't.",
            ("what-must-be-verified-may-come-first",),
            part(inject=_used_first),
        ),
        (
            "an-empty-frame-goes-in",
            "Without a claim the message is an empty frame.",
            "Each turn pays for a memory that says nothing.",
            ("nothing-to-say-is-no-message",),
            part(inject=_an_empty_frame),
        ),
    )
)


# --- frame -----------------------------------------------------------------------------------


def _raw(characters: str) -> Callable[[Decided], str]:
    """The line of a claim with some characters as they stand in it."""

    def shown(decided: Decided) -> str:
        text = line(decided)
        for character in characters:
            escape = {"<": "\\u003c", ">": "\\u003e", "\n": "\\n"}[character]
            text = text.replace(escape, character)
        return text

    return shown


def _bare(lines: Sequence[str]) -> str:
    return "\n".join(("<CONTEXT>", *lines, "</CONTEXT>")) if lines else ""


def _unframed(lines: Sequence[str]) -> str:
    said = f"{FIRST_LINE} {STATEMENT}"
    return "\n".join((said, *lines)) if lines else ""


_FRAMES = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=FRAME,
        killed_by=_injection(*killers),
        seed=seed,
    )
    for name, change, suffers, killers, seed in (
        (
            "the-message-doesn-t-say-what-it-is",
            "The frame says neither whose memory it holds nor that it orders nothing.",
            "The model takes an old note for what it is told to do.",
            ("the-message-says-what-it-is",),
            framed(_bare),
        ),
        (
            "a-message-has-no-end",
            "The message has no last line.",
            "What follows it in the prompt is taken for memory, or memory for what follows.",
            ("a-claim-can-t-leave-the-frame",),
            framed(_unframed),
        ),
        (
            "claims-keep-their-brackets",
            "Angle brackets of a claim stand in the message as they are.",
            "A pasted tag opens a block of its own in the prompt.",
            ("angle-brackets-of-a-claim-are-escaped", "a-claim-can-t-leave-the-frame"),
            lined(_raw("<>")),
        ),
        (
            "closing-brackets-are-kept",
            "Of the angle brackets only the opening one is escaped.",
            "A claim ends the tag that somebody else has opened.",
            ("angle-brackets-of-a-claim-are-escaped",),
            lined(_raw(">")),
        ),
        (
            "claims-keep-their-line-breaks",
            "A line break of a claim stands in the message as it is.",
            "The second line of a note looks like a claim of its own.",
            ("a-claim-stays-on-its-line",),
            lined(_raw("\n")),
        ),
    )
)


# --- audit -----------------------------------------------------------------------------------


def _all_went_in(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Keeps an injection of everything that was decided on."""

        def _audited(
            self,
            database: ClaimDatabase,
            *,
            decided: Sequence[Decided],
            injection: Injection,
            **more: Any,
        ) -> str | None:
            if injection.ids:
                mark()
                every = tuple(each.ranked.candidate.id for each in decided)
                injection = replace(injection, ids=every)
            return super()._audited(database, decided=decided, injection=injection, **more)

    return Changed


def _recall_counts_as_injected(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Makes a message for each recall, and keeps that it went in."""

        def _ask(self, *args: Any, inject: bool, **more: Any) -> _Answer:
            if not inject:
                mark()
            return super()._ask(*args, inject=True, **more)

    return Changed


def _message_ids(change: Callable[[ClaimDatabase, int, Sequence[str], str], None]) -> Any:
    """Seeds how injections are kept."""

    def make(mark: Mark) -> type[ClaimDatabase]:
        class Changed(Tables):
            """Keeps its injections otherwise."""

            def audit_injection(self, run: int, ids: Sequence[str], message_id: str) -> None:
                mark()
                change(self, run, ids, message_id)

        return Changed

    return tables(make)


def _kept(database: ClaimDatabase, run: int, ids: Sequence[str], message: str) -> None:
    ClaimDatabase.audit_injection(database, run, ids, message)


def _one_each(database: ClaimDatabase, run: int, ids: Sequence[str], message: str) -> None:
    for number, id in enumerate(ids):
        _kept(database, run, [id], f"{message}-{number}")


def _by_text(database: ClaimDatabase, run: int, ids: Sequence[str], message: str) -> None:
    _kept(database, run, ids, message_id(0, " ".join(ids)))


def _remembers_the_last_full_one(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Tells of the last message that held anything."""

        def _injected(self, *args: Any) -> tuple[str, Injection]:
            before = self._last_injected
            answer = super()._injected(*args)
            if not self._last_injected and before:
                mark()
                self._last_injected = before
            return answer

    return Changed


_AUDITS = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=AUDITED,
        killed_by=_injection(*killers),
        seed=seed,
    )
    for name, change, suffers, killers, seed in (
        (
            "what-was-found-went-in",
            "An injection is kept of each claim that was decided on.",
            "The audit says that the model saw what it never saw.",
            ("what-was-left-out-has-none",),
            store(_all_went_in),
        ),
        (
            "no-injection-is-kept",
            "No injection is kept.",
            "Nobody can tell what the model saw, and nothing is ever learned.",
            ("each-claim-of-a-message-has-its-injection",),
            _message_ids(lambda *_: None),
        ),
        (
            "the-first-claim-alone-went-in",
            "Of a message only the first claim has an injection.",
            "The claim that did the harm wasn't in the message, says the audit.",
            ("each-claim-of-a-message-has-its-injection",),
            _message_ids(
                lambda database, run, ids, message: _kept(database, run, ids[:1], message)
            ),
        ),
        (
            "each-claim-has-its-own-message",
            "Each claim of a message has an injection into a message of its own.",
            "What stood together can't be found together.",
            ("each-claim-of-a-message-has-its-injection",),
            _message_ids(_one_each),
        ),
        (
            "messages-have-no-id",
            "The id of a message is empty.",
            "An injection can't be found in the conversation.",
            ("each-claim-of-a-message-has-its-injection",),
            _message_ids(lambda database, run, ids, _: _kept(database, run, ids, "")),
        ),
        (
            "equal-messages-have-one-id",
            "The id of a message is made of what it holds.",
            "Of two turns nobody can tell which one a report is about.",
            ("two-messages-have-two-ids",),
            _message_ids(_by_text),
        ),
        (
            "recalls-count-as-injected",
            "What is recalled has an injection, too.",
            "Words are learned from answers that no model saw.",
            ("a-recall-injects-nothing",),
            store(_recall_counts_as_injected),
        ),
        (
            "diagnostics-remember-the-last-full-message",
            "After an empty message diagnostics tell of the one before.",
            "Whoever looks is told that the model sees what it doesn't.",
            ("diagnostics-tell-what-went-in-last",),
            store(_remembers_the_last_full_one),
        ),
    )
)


# --- failing ---------------------------------------------------------------------------------


def _fails_closed(cause: str) -> Any:
    """Seeds that one kind of trouble is an error of the message."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Breaks the turn with the memory."""

            def _ask(self, *args: Any, **more: Any) -> _Answer:
                try:
                    return super()._ask(*args, **more)
                except _Failed as failed:
                    if failed.cause != cause:
                        raise
                    mark()
                    raise Unavailable(failed.told) from failed

        return Changed

    return store(make)


def _counting(change: Callable[[AuthorityStore, str], None]) -> Any:
    """Seeds how a failure is counted."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Counts otherwise."""

            def _count(self, cause: str) -> None:
                mark()
                change(self, cause)

        return Changed

    return store(make)


def _count_all_as_one(store: AuthorityStore, cause: str) -> None:
    AuthorityStore._count(store, "failed")


def _the_last_message_again(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Has a message at hand for when there is none."""

        _last: tuple[str, Injection] = ("", NOTHING)

        def _injected(self, *args: Any) -> tuple[str, Injection]:
            failed = sum(self._failures.values())
            answer = super()._injected(*args)
            if sum(self._failures.values()) == failed:
                self._last = answer
            elif self._last[1].ids:
                mark()
                self._last_injected = self._last[1].ids
                return self._last
            return answer

    return Changed


def _silent_diagnostics(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Has nothing to say of itself while it is in trouble."""

        def diagnostics(self) -> DiagnosticsResult:
            if self._failures:
                mark()
                raise Unavailable("the store is in trouble; ask again later")
            return super().diagnostics()

    return Changed


def _nothing_is_found(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Answers that nothing was found when it couldn't look."""

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None
        ) -> RecallResult:
            try:
                return super().recall(query, access, limit)
            except Unavailable:
                mark()
                return recalled([])

    return Changed


def _thanks_and_forgets(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Acknowledges what it couldn't write."""

        def write(self, record: RecordDraft) -> WriteResult:
            try:
                return super().write(record)
            except Unavailable:
                mark()
                return created(record.key or "claim-later")

    return Changed


def _writes_it_later(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Writes what was refused when there is room again."""

        _later: RecordDraft | None = None

        def write(self, record: RecordDraft) -> WriteResult:
            try:
                return super().write(record)
            except Unavailable:
                mark()
                self._later = record
                raise

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None
        ) -> RecallResult:
            if self._later is not None:
                with contextlib.suppress(Unavailable):
                    super().write(self._later)
                    self._later = None
            return super().recall(query, access, limit)

    return Changed


def _makes_room(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Gives up old claims where there is no room."""

        def write(self, record: RecordDraft) -> WriteResult:
            try:
                return super().write(record)
            except Unavailable:
                mark()
                with contextlib.suppress(Unavailable), self._changing() as database:
                    database._db.execute("UPDATE claims SET state = 'tombstoned'")
                raise

    return Changed


def _begins_anew(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Puts an empty database in the place of one that it can't read."""

        def connect(self) -> None:
            super().connect()
            if self._trouble is not None and self._trouble.cause == "corrupt":
                mark()
                assert self._folder is not None
                (self._folder / "claims.sqlite3").unlink()
                super().connect()

    return Changed


def _keeps_what_failed(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Keeps the decisions of a message that failed."""

        def _ask(self, *args: Any, inject: bool, **more: Any) -> _Answer:
            try:
                return super()._ask(*args, inject=inject, **more)
            except _Failed as failed:
                if failed.cause == "audit":
                    mark()
                    with self._audit_of_its_own():
                        super()._ask(*args, inject=False, **more)
                raise

        @contextlib.contextmanager
        def _audit_of_its_own(self) -> Any:
            given, self._audit = self._audit, self._audited
            try:
                yield
            finally:
                self._audit = given

    return Changed


_EMPTY = "a-failure-gives-an-empty-message"
_FAILURES = (
    *(
        authority_fault(
            name=f"the-message-fails-when-{when}",
            change=f"The message is refused as unavailable when {told}.",
            suffers="A memory that breaks costs the conversation.",
            breaks=FAILURE,
            killed_by=_injection(killer),
            seed=_fails_closed(cause),
        )
        for cause, when, told, killer in (
            ("closed", "closed", "the database is closed", _EMPTY),
            ("locked", "locked", "another program holds the database", _EMPTY),
            ("corrupt", "corrupt", "the database is corrupt", _EMPTY),
            ("unreadable", "unreadable", "the database can't be opened", _EMPTY),
            ("policy", "the-policy-raises", "the policy raises an error", _EMPTY),
            ("audit", "the-audit-raises", "the audit raises an error", _EMPTY),
            ("full", "full", "the disk is full", "a-full-disk-gives-an-empty-message"),
        )
    ),
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=FAILURE,
            killed_by=_injection(*killers),
            seed=seed,
        )
        for name, change, suffers, killers, seed in (
            (
                "failures-are-not-counted",
                "A message that failed is counted nowhere.",
                "The memory has been dead for a month, and nobody noticed.",
                ("a-failure-is-counted",),
                _counting(lambda *_: None),
            ),
            (
                "failures-are-counted-as-one",
                "All failures are counted under one name.",
                "Whoever looks can't tell a full disk from a broken policy.",
                ("a-failure-is-counted",),
                _counting(_count_all_as_one),
            ),
            (
                "the-last-message-stands-in",
                "When a message fails the last one goes in again.",
                "The model is told of the ferry whatever it is asked.",
                ("a-failure-is-counted",),
                store(_the_last_message_again),
            ),
            (
                "diagnostics-fail-with-the-rest",
                "Diagnostics are refused once something has failed.",
                "The one call that could tell what is wrong says nothing.",
                ("a-failure-is-counted",),
                store(_silent_diagnostics),
            ),
            (
                "trouble-finds-nothing",
                "A recall that failed answers that nothing was found.",
                "Trouble with the disk looks like amnesia.",
                ("a-failed-recall-says-so",),
                store(_nothing_is_found),
            ),
            (
                "trouble-is-acknowledged",
                "A claim that couldn't be written is acknowledged.",
                "What the user said during an update is lost without a word.",
                ("a-database-in-trouble-takes-no-claim", "a-full-disk-loses-nothing"),
                store(_thanks_and_forgets),
            ),
            (
                "refused-claims-are-written-later",
                "A claim that was refused for want of room is written once there is room.",
                "The caller writes it again, and it is there twice.",
                ("a-full-disk-loses-nothing",),
                store(_writes_it_later),
            ),
            (
                "old-claims-make-room",
                "Where there is no room the claims that are there are given up.",
                "One long text costs everything that was said before.",
                ("a-full-disk-loses-nothing",),
                store(_makes_room),
            ),
            (
                "a-corrupt-database-is-replaced",
                "An empty database takes the place of one that is corrupt.",
                "What could have been put right is gone, and the memory says nothing of it.",
                ("a-failed-recall-says-so", "a-database-in-trouble-takes-no-claim"),
                store(_begins_anew),
            ),
            (
                "failed-messages-leave-decisions",
                "The decisions of a message that failed are kept.",
                "The audit tells of an answer that nobody got.",
                ("a-message-that-failed-leaves-no-audit",),
                store(_keeps_what_failed),
            ),
        )
    ),
)

FAULTS: tuple[Fault, ...] = (*_MODES, *_LIMITS, *_FRAMES, *_AUDITS, *_FAILURES)
