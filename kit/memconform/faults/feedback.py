"""Faults of the retrieval feedback: what it writes, what it keeps, and what it must not change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from memconform.faults.fault import Arguments, Fault, Mark, ids
from memconform.faults.seams import store
from memconform.model import (
    Access,
    ContextResult,
    DiagnosticsResult,
    Done,
    GetResult,
    ListResult,
    RecallResult,
    Settings,
    WriteResult,
)
from memconform.model.feedback import (
    EventResult,
    FeedbackEvent,
    FeedbackEventDraft,
    RetrievalFeedbackResult,
    ShownCount,
)
from memconform.protocol import Conflict, Unavailable
from memconform.reference.feedback import PREFIX, EventLog
from memconform.reference.filesystem import FilesystemStore, factory
from memconform.reference.hybrid import HybridStore
from memconform.reference.store import ReferenceStore

OFF = ids("retrieval-feedback", "off-until-it-is-switched-on")
WHOLE = ids("retrieval-feedback", "one-event-for-each-memory-that-went-in-whole")
ONCE = ids("retrieval-feedback", "an-event-is-kept-once")
TEXT = ids("retrieval-feedback", "an-event-holds-no-text")
SAME = ids("retrieval-feedback", "feedback-changes-no-answer")
CONFIRMS = ids("retrieval-feedback", "being-shown-confirms-nothing")
CORRECTED = ids("retrieval-feedback", "a-correction-happens-once")

Rows = tuple[tuple[Any, ...], ...]


def _feedback(*slugs: str) -> tuple[str, ...]:
    return ids("retrieval-feedback", *slugs)


def _faults(breaks: tuple[str, ...], rows: Rows) -> tuple[Fault, ...]:
    """Faults of one requirement: name, change, suffers, seed, slugs of the scenarios, mishears."""
    return tuple(
        Fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=breaks,
            killed_by=_feedback(*killers),
            base="filesystem",
            seed=seed,
            mishears=more[0] if more else None,
        )
        for name, change, suffers, seed, killers, *more in rows
    )


def _log(make: Callable[[Mark], type[EventLog]]) -> Any:
    """Seeds another log of events."""

    def changed(mark: Mark) -> type[ReferenceStore]:
        kind = make(mark)

        class Store(FilesystemStore):
            """Keeps its events in another log."""

            @property
            def _log(self) -> EventLog:
                return kind(super()._log._path)

        return Store

    return store(changed)


def _drafts(thread: str, turn: str, memories: Sequence[str]) -> list[FeedbackEventDraft]:
    return [
        FeedbackEventDraft(thread_id=thread, turn_id=turn, memory_id=id)
        for id in dict.fromkeys(memories)
    ]


# --- on and off ------------------------------------------------------------------------------


def _on_from_the_first(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Watches from the first turn, and says that it doesn't."""

        def context(self, *args: Any, **more: Any) -> ContextResult:
            before = self._feedback
            if before == "off":
                mark()
                self._feedback = "on"
            try:
                return super().context(*args, **more)
            finally:
                self._feedback = before

    return Store


def _once_on_always_on(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Goes on watching when it is switched off."""

        _was_on = False

        def context(self, *args: Any, **more: Any) -> ContextResult:
            before = self._feedback
            self._was_on |= before == "on"
            if before == "off" and self._was_on:
                mark()
                self._feedback = "on"
            try:
                return super().context(*args, **more)
            finally:
                self._feedback = before

    return Store


def _other_states_are_off(method: str, given: Arguments) -> Arguments:
    state = given.get("state")
    if method == "retrieval_feedback" and state not in (None, "on", "off", "broken"):
        given["state"] = "off"
    return given


_SWITCH = _faults(
    OFF,
    (
        (
            "feedback-is-on-from-the-first",
            "A new store writes events, and says that its feedback is off.",
            "Everybody is watched who hasn't forbidden it.",
            store(_on_from_the_first),
            ("a-new-store-writes-no-event",),
        ),
        (
            "feedback-can-t-be-switched-off",
            "A store whose feedback was on once writes events for ever.",
            "Who takes their consent back is watched all the same.",
            store(_once_on_always_on),
            ("switched-off-again-no-event-is-written",),
        ),
        (
            "unknown-states-are-off",
            "A state that doesn't exist is taken for off.",
            "A misspelt state ends a study, and nobody notices.",
            lambda mark: factory(),
            ("an-unknown-state-is-refused",),
            _other_states_are_off,
        ),
    ),
)


# --- events ----------------------------------------------------------------------------------


def _looking(operation: str) -> Any:
    """Seeds that an operation which only looks writes events, too."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Takes a look for a turn."""

            def _seen(self, memories: Sequence[str]) -> None:
                thread, turn = self._turn
                if thread and turn and self._feedback == "on":
                    mark()
                    self._remember(_drafts(thread, turn, memories))

            def recall(self, *args: Any, **more: Any) -> RecallResult:
                answer = super().recall(*args, **more)
                if operation == "recall":
                    self._seen([hit.id for hit in answer.hits])
                return answer

            def get(self, id: str, access: Access = Access()) -> GetResult:
                answer = super().get(id, access)
                if operation == "get":
                    self._seen([id])
                return answer

            def list_records(self, access: Access = Access()) -> ListResult:
                answer = super().list_records(access)
                if operation == "list":
                    self._seen([record.id for record in answer.records])
                return answer

            def diagnostics(self) -> DiagnosticsResult:
                answer = super().diagnostics()
                if operation == "diagnostics":
                    self._seen([record.id for record in super().list_records().records])
                return answer

        return Store

    return store(make)


def _shown(change: Callable[[ReferenceStore, ContextResult], Sequence[str]]) -> Any:
    """Seeds which memories of a context get an event."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Writes other events."""

            def context(self, *args: Any, **more: Any) -> ContextResult:
                turn, self._turn = self._turn, (None, None)
                try:
                    answer = super().context(*args, **more)
                finally:
                    self._turn = turn
                if turn[0] and turn[1] and self._feedback == "on":
                    mark()
                    self._remember(_drafts(turn[0], turn[1], change(self, answer)))
                return answer

        return Store

    return store(make)


def _everything_there_is(store: ReferenceStore, answer: ContextResult) -> list[str]:
    return [record.id for record in store.list_records().records]


def _drafted(change: Callable[[FeedbackEventDraft], FeedbackEventDraft]) -> Any:
    """Seeds what is written into the event of a context."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Writes other things into its events."""

            def _remember(self, drafts: Any) -> list[EventResult]:
                changed = [change(draft) for draft in drafts]
                if changed:
                    mark()
                return super()._remember(changed)

        return Store

    return store(make)


def _exchanged(draft: FeedbackEventDraft) -> FeedbackEventDraft:
    return msgspec.structs.replace(draft, thread_id=draft.turn_id, turn_id=draft.thread_id)


def _named(name: Callable[[str, str, str], str]) -> Any:
    """Seeds the ids of events, as they are told."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Names its events otherwise."""

            def retrieval_feedback(self, *args: Any, **more: Any) -> RetrievalFeedbackResult:
                answer = super().retrieval_feedback(*args, **more)
                mark()
                names = {e.id: name(e.thread_id, e.turn_id, e.memory_id) for e in answer.events}
                return msgspec.structs.replace(
                    answer,
                    events=[msgspec.structs.replace(e, id=names[e.id]) for e in answer.events],
                    results=[
                        msgspec.structs.replace(r, id=names.get(r.id, r.id)) for r in answer.results
                    ],
                )

        return Store

    return store(make)


def _spaced(*fields: str) -> str:
    text = json.dumps(fields, ensure_ascii=False)
    return PREFIX + hashlib.sha256(text.encode()).hexdigest()[:32]


def _escaped(*fields: str) -> str:
    text = json.dumps(fields, separators=(",", ":"))
    return PREFIX + hashlib.sha256(text.encode()).hexdigest()[:32]


def _joined(*fields: str) -> str:
    return PREFIX + hashlib.sha256("-".join(fields).encode()).hexdigest()[:32]


def _short(*fields: str) -> str:
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return PREFIX + hashlib.sha256(text.encode()).hexdigest()[:24]


def _every_time_anew(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Writes an event each time."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            result = super()._keep(db, event)
            if result.outcome != "known":
                return result
            mark()
            (number,) = db.execute("SELECT count(*) FROM event").fetchone()
            payload = msgspec.json.encode(event, order="sorted").decode()
            db.execute("INSERT INTO event (id, payload) VALUES (?, ?)", (f"{number}", payload))
            db.execute("UPDATE shown SET count = count + 1 WHERE memory_id = ?", (event.memory_id,))
            return msgspec.structs.replace(result, outcome="recorded")

    return Log


def _once_for_ever(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Writes one event of each memory, in whatever turn."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            sql = "SELECT 1 FROM shown WHERE memory_id = ?"
            if db.execute(sql, (event.memory_id,)).fetchone() is None:
                return super()._keep(db, event)
            mark()
            return EventResult(id=event.id, outcome="known", cause=None)

    return Log


def _by_turn(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Tells its events by their turns."""

        def events(self) -> list[FeedbackEvent]:
            events = super().events()
            if len(events) > 1:
                mark()
            return sorted(events, key=lambda event: event.turn_id)

    return Log


def _some_turn(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Makes up a turn where none is named."""

        def context(self, *args: Any, **more: Any) -> ContextResult:
            before = self._turn
            if before == (None, None):
                mark()
                self._turn = ("thread", "turn")
            try:
                return super().context(*args, **more)
            finally:
                self._turn = before

    return Store


def _evaluations_count(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Takes an evaluation for a conversation."""

        def context(self, *args: Any, **more: Any) -> ContextResult:
            before = self._settings
            if before.evaluation:
                mark()
            self._settings = msgspec.structs.replace(before, evaluation=False)
            try:
                return super().context(*args, **more)
            finally:
                self._settings = before

    return Store


_DIGEST = ("the-id-of-an-event-can-be-worked-out-by-hand",)
_EVENTS = _faults(
    WHOLE,
    (
        (
            "a-recall-is-a-turn",
            "What is recalled gets an event, too.",
            "A search by hand counts as what the model was shown.",
            _looking("recall"),
            ("looking-is-no-event",),
        ),
        (
            "reading-is-a-turn",
            "What is read by its id gets an event.",
            "Whoever looks through their memories makes them seem used.",
            _looking("get"),
            ("looking-is-no-event",),
        ),
        (
            "diagnostics-are-a-turn",
            "Diagnostics write an event of each memory.",
            "A health check every minute makes everything seem used.",
            _looking("diagnostics"),
            ("looking-is-no-event",),
        ),
        (
            "listing-is-a-turn",
            "What is listed gets an event.",
            "Opening the page of all memories makes everything seem used.",
            _looking("list"),
            ("listing-is-no-event",),
        ),
        (
            "only-the-first-memory-has-an-event",
            "Of a context only the first memory gets an event.",
            "What was shown below it seems never to be used.",
            _shown(lambda _, answer: answer.ids[:1]),
            ("each-memory-of-a-context-has-its-event",),
        ),
        (
            "what-was-left-out-has-an-event",
            "Each memory of the place gets an event, whether it is in the context or not.",
            "What the model never saw counts as shown.",
            _shown(_everything_there_is),
            ("each-memory-of-a-context-has-its-event",),
        ),
        (
            "what-was-cut-has-an-event",
            "A memory that was cut gets an event, too.",
            "A text counts as shown whose end nobody has seen.",
            _shown(lambda _, answer: [*answer.ids, *answer.cut]),
            ("a-memory-that-was-cut-has-no-event",),
        ),
        (
            "thread-and-turn-are-exchanged",
            "Thread and turn of an event are exchanged.",
            "What was shown in a conversation can't be found by it.",
            _drafted(_exchanged),
            ("each-memory-of-a-context-has-its-event",),
        ),
        (
            "event-ids-have-spaces",
            "The id of an event is the digest of an array with spaces in it.",
            "An event that another program makes of the same turn counts twice.",
            _named(_spaced),
            _DIGEST,
        ),
        (
            "event-ids-are-ascii",
            "The id of an event is the digest of an array with escapes for other letters.",
            "An event of a Chinese thread counts twice where two programs make it.",
            _named(_escaped),
            _DIGEST,
        ),
        (
            "event-ids-are-joined",
            "The id of an event is the digest of its three names with hyphens between.",
            "Thread a-b with turn c and thread a with turn b-c are one.",
            _named(_joined),
            _DIGEST,
        ),
        (
            "event-ids-are-short",
            "The id of an event has 24 digits.",
            "An event that another program makes of the same turn counts twice.",
            _named(_short),
            _DIGEST,
        ),
        (
            "each-context-writes-events",
            "A context that is assembled again in its turn writes its events again.",
            "A turn that is repeated for a network error counts twice.",
            _log(_every_time_anew),
            ("the-same-turn-again-writes-nothing-new",),
        ),
        (
            "a-memory-has-one-event",
            "A memory gets an event in the first turn that it is shown in, and no other.",
            "What is shown every day seems to have been used once.",
            _log(_once_for_ever),
            ("the-next-turn-writes-an-event-of-its-own",),
        ),
        (
            "events-come-by-their-turns",
            "Events are told by the names of their turns.",
            "Turn 10 seems to come before turn 9.",
            _log(_by_turn),
            ("the-next-turn-writes-an-event-of-its-own",),
        ),
        (
            "a-turn-is-made-up",
            "Where no turn is named one is made up.",
            "All that happens outside of a conversation counts as one turn of it.",
            store(_some_turn),
            ("without-a-turn-no-event-is-written",),
        ),
        (
            "evaluations-are-turns",
            "An evaluation writes events like a conversation.",
            "A thousand test questions drown what people were shown.",
            store(_evaluations_count),
            ("an-evaluation-writes-no-event",),
        ),
    ),
)


# --- kept once -------------------------------------------------------------------------------


def _known_count(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Counts an event each time that it is brought."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            result = super()._keep(db, event)
            if result.outcome == "known":
                mark()
                sql = "UPDATE shown SET count = count + 1 WHERE memory_id = ?"
                db.execute(sql, (event.memory_id,))
            return result

    return Log


def _the_last_one_stays(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Puts another payload in the place of the first one."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            result = super()._keep(db, event)
            if result.outcome != "rejected":
                return result
            mark()
            payload = msgspec.json.encode(event, order="sorted").decode()
            db.execute("UPDATE event SET payload = ? WHERE id = ?", (payload, event.id))
            return msgspec.structs.replace(result, outcome="recorded", cause=None)

    return Log


def _rejected_silently(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Says of another payload that it is known."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            result = super()._keep(db, event)
            if result.outcome != "rejected":
                return result
            mark()
            return msgspec.structs.replace(result, outcome="known", cause=None)

    return Log


def _any_id(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Takes an event under whatever id it comes."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            result = super()._keep(db, event)
            if result.outcome != "rejected":
                return result
            mark()
            payload = msgspec.json.encode(event, order="sorted").decode()
            db.execute(
                "INSERT OR REPLACE INTO event (id, payload) VALUES (?, ?)", (event.id, payload)
            )
            return msgspec.structs.replace(result, outcome="recorded", cause=None)

    return Log


def _all_or_nothing(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Keeps all events of a call or none."""

        def add(self, events: Sequence[FeedbackEvent]) -> list[EventResult]:
            known = {event.id for event in self.events()}
            results = super().add(events)
            if all(result.outcome != "rejected" for result in results):
                return results
            mark()
            with self._open() as db:
                for event in events:
                    if event.id not in known:
                        db.execute("DELETE FROM event WHERE id = ?", (event.id,))
            return [msgspec.structs.replace(r, outcome="failed", cause="failed") for r in results]

    return Log


def _stops_at_the_first(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Keeps the events before the first that can't be kept."""

        def add(self, events: Sequence[FeedbackEvent]) -> list[EventResult]:
            results: list[EventResult] = []
            for event in events:
                if any(result.outcome == "rejected" for result in results):
                    mark()
                    results.append(EventResult(id=event.id, outcome="failed", cause="failed"))
                else:
                    results += super().add([event])
            return results

    return Log


def _log_of_its_own(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Has a log for each connection."""

        @property
        def _log(self) -> EventLog:
            mark()
            path = super()._log._path
            return EventLog(path if path == self.root else path.with_suffix(f".{id(self)}"))

    return Store


def _counts_of_itself(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Counts in memory."""

        def _remember(self, drafts: Any) -> list[EventResult]:
            events = [*drafts]
            results = super()._remember(events)
            mine = self.__dict__.setdefault("_mine", {})
            for draft, result in zip(events, results, strict=True):
                if result.outcome == "recorded":
                    mine[draft.memory_id] = mine.get(draft.memory_id, 0) + 1
            return results

        def retrieval_feedback(self, *args: Any, **more: Any) -> RetrievalFeedbackResult:
            answer = super().retrieval_feedback(*args, **more)
            mark()
            mine: dict[str, int] = self.__dict__.get("_mine", {})
            counts = [ShownCount(memory_id=id, count=mine[id]) for id in sorted(mine)]
            return msgspec.structs.replace(answer, counts=counts)

    return Store


def _a_restart_switches_off(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Is off after a restart."""

        def reopen(self, settings: Settings | None = None) -> Any:
            other = super().reopen(settings)
            mark()
            other._feedback = "off"
            return other

    return Store


_KEEPING = _faults(
    ONCE,
    (
        (
            "known-events-count",
            "An event that is brought again counts again.",
            "What a queue delivers twice seems to have been shown twice.",
            _log(_known_count),
            ("the-same-event-again-is-known",),
        ),
        (
            "the-last-payload-stays",
            "Another payload takes the place of the first one of its id.",
            "What was shown is rewritten afterwards.",
            _log(_the_last_one_stays),
            ("another-payload-under-the-same-id-is-rejected",),
        ),
        (
            "another-payload-is-known",
            "Another payload under an id that is taken is told to be known.",
            "Two programs disagree for ever, and both believe that all is well.",
            _log(_rejected_silently),
            ("another-payload-under-the-same-id-is-rejected",),
        ),
        (
            "any-id-will-do",
            "An event is kept under whatever id it comes.",
            "An event of one turn hides that of another.",
            _log(_any_id),
            ("an-id-of-other-fields-is-rejected",),
        ),
        (
            "all-events-or-none",
            "One event that can't be kept takes the others with it.",
            "A single bad event keeps a whole day from being stored.",
            _log(_all_or_nothing),
            ("one-event-that-fails-doesn-t-stop-the-others",),
        ),
        (
            "the-first-failure-ends-it",
            "What comes behind an event that can't be kept isn't kept.",
            "A single bad event keeps the rest of the day from being stored.",
            _log(_stops_at_the_first),
            ("one-event-that-fails-doesn-t-stop-the-others",),
        ),
        (
            "each-connection-has-its-log",
            "Each connection has a log of its own.",
            "Two windows tell two stories, and a restart none.",
            store(_log_of_its_own),
            ("events-and-counts-outlast-a-restart", "another-connection-sees-the-events"),
        ),
        (
            "counts-live-in-memory",
            "Counts are held in memory and not made of the events.",
            "After a restart everything seems never to have been shown.",
            store(_counts_of_itself),
            ("events-and-counts-outlast-a-restart", "another-connection-sees-the-events"),
        ),
        (
            "a-restart-switches-feedback-off",
            "After a restart the feedback is off.",
            "A study ends with the first update, and nobody notices.",
            store(_a_restart_switches_off),
            ("events-and-counts-outlast-a-restart",),
        ),
    ),
)


# --- no text ---------------------------------------------------------------------------------


def _noting(note: Callable[[ReferenceStore, str, Access, str], str]) -> Any:
    """Seeds that the turn of an event is followed by something, given query, place and memory."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Says more in its events than it should."""

            def context(
                self, query: str, access: Access = Access(), budget: int | None = None
            ) -> ContextResult:
                (thread, turn), self._turn = self._turn, (None, None)
                try:
                    answer = super().context(query, access, budget)
                finally:
                    self._turn = (thread, turn)
                if thread and turn and self._feedback == "on":
                    mark()
                    for id in answer.ids:
                        told = f"{turn} {note(self, query, access, id)}"
                        self._remember(_drafts(thread, told, [id]))
                return answer

        return Store

    return store(make)


def _credentials_are_kept(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Takes any name for a thread."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            result = super()._keep(db, event)
            if result.outcome != "rejected":
                return result
            mark()
            payload = msgspec.json.encode(event, order="sorted").decode()
            db.execute("INSERT INTO event (id, payload) VALUES (?, ?)", (event.id, payload))
            return msgspec.structs.replace(result, outcome="recorded", cause=None)

    return Log


def _rejections_quote(mark: Mark) -> type[EventLog]:
    class Log(EventLog):
        """Says which name it has rejected."""

        def _keep(self, db: Any, event: FeedbackEvent) -> EventResult:
            result = super()._keep(db, event)
            if result.outcome != "rejected":
                return result
            mark()
            return msgspec.structs.replace(result, cause=f"{event.thread_id} is a secret")

    return Log


_NO_TEXT = ("neither-question-nor-content-nor-path-is-in-an-event",)
_TEXTS = _faults(
    TEXT,
    (
        (
            "events-hold-the-question",
            "The turn of an event is followed by the question.",
            "The log of what was shown is a record of everything that was asked.",
            _noting(lambda _, query, __, ___: query),
            _NO_TEXT,
        ),
        (
            "events-hold-the-content",
            "The turn of an event is followed by the content of the memory.",
            "What is forgotten in the store can be read in its log.",
            _noting(lambda store, _, place, id: str(store.get(id, place).record.content)),
            _NO_TEXT,
        ),
        (
            "events-hold-the-path",
            "The turn of an event is followed by the path of the workspace.",
            "A log that is sent in for help shows the folders of its owner.",
            _noting(lambda _, __, place, ___: str(place.workspace)),
            _NO_TEXT,
        ),
        (
            "threads-may-be-credentials",
            "An event is kept whatever its thread is called.",
            "A token that names a thread is stored with each memory that was shown.",
            _log(_credentials_are_kept),
            ("a-thread-that-is-a-credential-is-rejected",),
        ),
        (
            "rejections-quote-the-thread",
            "An event that is rejected for its thread is told with it.",
            "The token that isn't stored stands in the log of errors.",
            _log(_rejections_quote),
            ("a-thread-that-is-a-credential-is-rejected",),
        ),
    ),
)


# --- no effect -------------------------------------------------------------------------------


def _by_count(base: type[ReferenceStore], change: Callable[[int], float]) -> Any:
    """Seeds that what was shown ranks otherwise, given how often it was."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(base):  # type: ignore[valid-type,misc] # the class is a value
            """Ranks by what was shown."""

            def _counted_events(self) -> dict[str, int]:
                if self._feedback == "broken":
                    return {}
                return {count.memory_id: count.count for count in self._log.counts()}

            def recall(self, *args: Any, **more: Any) -> RecallResult:
                answer: RecallResult = super().recall(*args, **more)
                shown = self._counted_events()
                if any(hit.id in shown for hit in answer.hits):
                    mark()
                hits = [
                    msgspec.structs.replace(
                        hit, score=(hit.score or 0) + change(shown.get(hit.id, 0))
                    )
                    for hit in answer.hits
                ]
                hits.sort(key=lambda hit: -(hit.score or 0))
                return msgspec.structs.replace(answer, hits=hits)

            def context(self, *args: Any, **more: Any) -> ContextResult:
                answer: ContextResult = super().context(*args, **more)
                shown = self._counted_events()
                order = sorted(answer.ids, key=lambda id: -change(shown.get(id, 0)))
                if order == answer.ids:
                    return answer
                mark()
                return msgspec.structs.replace(answer, ids=order)

        return Store

    return store(make)


def _once_is_enough(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Doesn't show again what was shown."""

        def context(
            self, query: str, access: Access = Access(), budget: int | None = None
        ) -> ContextResult:
            answer = super().context(query, access, budget)
            if self._feedback != "on":
                return answer
            often = {count.memory_id for count in self._log.counts() if count.count > 1}
            left = [id for id in answer.ids if id not in often]
            if left == answer.ids:
                return answer
            mark()
            return msgspec.structs.replace(answer, ids=left)

    return Store


def _while(state: str, change: Callable[[ContextResult], ContextResult]) -> Any:
    """Seeds that a state of the feedback changes the context."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Answers by the state of its feedback."""

            def context(self, *args: Any, **more: Any) -> ContextResult:
                answer = super().context(*args, **more)
                if self._feedback != state or self._turn == (None, None):
                    return answer
                mark()
                return change(answer)

        return Store

    return store(make)


def _nothing(answer: ContextResult) -> ContextResult:
    return msgspec.structs.replace(answer, text="", ids=[])


def _breaks(answer: ContextResult) -> ContextResult:
    raise Unavailable("the feedback can't be kept")


def _one_less(answer: ContextResult) -> ContextResult:
    return msgspec.structs.replace(answer, ids=answer.ids[:-1])


def _broken_says_recorded(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Says of what it can't keep that it is kept."""

        def _remember(self, drafts: Any) -> list[EventResult]:
            results = super()._remember(drafts)
            if any(result.outcome == "failed" for result in results):
                mark()
            return [
                EventResult(id=r.id, outcome="recorded", cause=None) if r.outcome == "failed" else r
                for r in results
            ]

    return Store


def _failed_for_ever(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Doesn't try again what has failed once."""

        def _remember(self, drafts: Any) -> list[EventResult]:
            failed = self.__dict__.setdefault("_failed", set())
            results = super()._remember(drafts)
            if any(result.id in failed for result in results):
                mark()
            told = [
                EventResult(id=r.id, outcome="failed", cause="failed") if r.id in failed else r
                for r in results
            ]
            failed |= {result.id for result in results if result.outcome == "failed"}
            return told

    return Store


def _caught_up(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Writes later what it couldn't write."""

        def _remember(self, drafts: Any) -> list[EventResult]:
            events = [*drafts]
            waiting = self.__dict__.setdefault("_waiting", [])
            if waiting and self._feedback == "on":
                mark()
                super()._remember(waiting)
                waiting.clear()
            results = super()._remember(events)
            waiting += [e for e, r in zip(events, results, strict=True) if r.outcome == "failed"]
            return results

    return Store


_EACH = "the-context-is-the-same-in-each-state"
_HITS = "hits-and-features-are-the-same-in-each-state"
_COMPLETE = "a-turn-with-a-broken-feedback-is-complete"
_EFFECTS = (
    *_faults(
        SAME,
        (
            (
                "what-was-shown-ranks-higher",
                "Each time that a memory was shown adds a tenth to its score.",
                "What was shown once is shown for ever.",
                _by_count(FilesystemStore, lambda times: 0.1 * times),
                (_EACH, _HITS),
            ),
            (
                "what-was-shown-scores-a-little-higher",
                "Each time that a memory was shown adds a ten-thousandth to its score.",
                "Two runs of one evaluation differ in the fourth decimal, and nobody knows why.",
                _by_count(FilesystemStore, lambda times: 0.0001 * times),
                (_HITS,),
            ),
            (
                "once-is-enough",
                "What was shown twice isn't shown again while the feedback is on.",
                "The third question about the ferry is answered without it.",
                store(_once_is_enough),
                (_EACH,),
            ),
            (
                "feedback-takes-room",
                "While the feedback is on one memory less is shown.",
                "Who measures what is shown changes it.",
                _while("on", _one_less),
                (_EACH,),
            ),
            (
                "no-feedback-takes-room",
                "While the feedback is off one memory less is shown.",
                "Who doesn't want to be watched gets worse answers.",
                _while("off", _one_less),
                (_EACH,),
            ),
            (
                "a-broken-feedback-shows-nothing",
                "While the feedback is broken the context is empty.",
                "A full disk beside the memory costs the memory.",
                _while("broken", _nothing),
                (_EACH, _COMPLETE),
            ),
            (
                "a-broken-feedback-breaks-the-turn",
                "While the feedback is broken the context is refused as unavailable.",
                "A full disk beside the memory costs the conversation.",
                _while("broken", _breaks),
                (_COMPLETE,),
            ),
            (
                "a-broken-feedback-says-recorded",
                "An event that can't be kept is told to be recorded.",
                "Whoever brings it throws it away.",
                store(_broken_says_recorded),
                ("a-broken-feedback-keeps-no-event-and-says-so",),
            ),
            (
                "failed-once-is-failed-for-ever",
                "An event that has failed once is told to have failed when it is brought again.",
                "Whoever brings it tries for ever.",
                store(_failed_for_ever),
                ("a-broken-feedback-keeps-no-event-and-says-so",),
            ),
            (
                "a-broken-feedback-catches-up",
                "What couldn't be written is written with the next event.",
                "An event is told to have failed, and is there.",
                store(_caught_up),
                (_COMPLETE,),
            ),
        ),
    ),
    Fault(
        name="what-was-shown-ranks-higher-by-index",
        change="Each time that a memory was shown adds a tenth to its score, in the indexed store.",
        suffers="What was shown once is shown for ever.",
        breaks=SAME,
        killed_by=_feedback(_EACH, _HITS),
        base="hybrid",
        seed=_by_count(HybridStore, lambda times: 0.1 * times),
    ),
)


# --- confirms nothing ------------------------------------------------------------------------


def _shown_is_confirmed(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Takes what was shown for confirmed."""

        def context(
            self, query: str, access: Access = Access(), budget: int | None = None
        ) -> ContextResult:
            answer = super().context(query, access, budget)
            if self._feedback == "on":
                for id in answer.ids:
                    mark()
                    self.update(id, access)
            return answer

    return Store


def _shown_is_worn_out(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Believes less in what is shown often."""

        def get(self, id: str, access: Access = Access()) -> GetResult:
            answer = super().get(id, access)
            shown = {count.memory_id: count.count for count in self._log.counts()}.get(id, 0)
            if not shown:
                return answer
            mark()
            record = msgspec.structs.replace(answer.record, confidence=1 - 0.1 * shown)
            return msgspec.structs.replace(answer, record=record)

    return Store


def _events_revive(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Takes an event for a sign that a memory is still needed."""

        def forget(self, id: str, access: Access = Access()) -> Done:
            self.__dict__.setdefault("_buried", {})[id] = self._own(id, access)
            return super().forget(id, access)

        def _remember(self, drafts: Any) -> list[EventResult]:
            events = [*drafts]
            buried = self.__dict__.get("_buried", {})
            for event in events:
                if event.memory_id in buried:
                    mark()
                    with self._changing():
                        self._replace(buried[event.memory_id])
            return super()._remember(events)

    return Store


def _events_enable(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Takes an event for a sign that a memory is wanted again."""

        def _remember(self, drafts: Any) -> list[EventResult]:
            events = [*drafts]
            for event in events:
                found = self._find(event.memory_id)
                if found is not None and found.disabled_at is not None:
                    mark()
                    self.enable(event.memory_id)
            return super()._remember(events)

    return Store


_CONFIRMATIONS = _faults(
    CONFIRMS,
    (
        (
            "what-was-shown-is-updated",
            "A memory that is shown is dated anew, as if somebody had confirmed it.",
            "Nothing that is shown ever grows old.",
            store(_shown_is_confirmed),
            ("a-memory-that-was-shown-is-as-it-was",),
        ),
        (
            "what-was-shown-wears-out",
            "Each time that a memory is shown takes a tenth from its confidence.",
            "What is needed most is believed least.",
            store(_shown_is_worn_out),
            ("a-memory-that-was-shown-is-as-it-was",),
        ),
        (
            "events-revive-the-forgotten",
            "An event of a forgotten memory brings it back.",
            "What was to be forgotten returns with the next delivery of a queue.",
            store(_events_revive),
            ("an-event-doesn-t-revive-a-forgotten-memory",),
        ),
        (
            "events-enable-the-disabled",
            "An event of a disabled memory enables it.",
            "What was switched off returns with the next delivery of a queue.",
            store(_events_enable),
            ("a-disabled-memory-stays-disabled",),
        ),
    ),
)


# --- corrections -----------------------------------------------------------------------------


def _each_replay_is_new(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Makes a memory of each delivery of a correction."""

        def correct(
            self, id: str, content: str, access: Access = Access(), key: str | None = None
        ) -> WriteResult:
            old = self._find(id)
            if old is None or old.superseded_at is None or key is None:
                return super().correct(id, content, access, key)
            mark()
            number = len(self._successors(id)) + 1
            self._replace(msgspec.structs.replace(old, superseded_at=None))
            for successor in self._successors(id):
                self._replace(msgspec.structs.replace(successor, supersedes=None))
            return super().correct(id, content, access, f"{key}-{number}")

    return Store


def _a_replay_is_refused(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Refuses a correction that it has."""

        def correct(
            self, id: str, content: str, access: Access = Access(), key: str | None = None
        ) -> WriteResult:
            old = self._find(id)
            if old is not None and old.superseded_at is not None:
                mark()
                raise Conflict("it is corrected already", {"id": id})
            return super().correct(id, content, access, key)

    return Store


_CORRECTIONS = _faults(
    CORRECTED,
    (
        (
            "each-replay-is-a-correction",
            "A correction that is replayed makes another memory.",
            "A queue that delivers twice fills the memory with copies.",
            store(_each_replay_is_new),
            ("a-replayed-correction-makes-one-memory",),
        ),
        (
            "replays-are-refused",
            "A correction that is replayed is refused as a conflict.",
            "A queue tries for ever what has long been done.",
            store(_a_replay_is_refused),
            ("a-replayed-correction-makes-one-memory",),
        ),
    ),
)

FAULTS: tuple[Fault, ...] = (
    *_SWITCH,
    *_EVENTS,
    *_KEEPING,
    *_TEXTS,
    *_EFFECTS,
    *_CONFIRMATIONS,
    *_CORRECTIONS,
)
