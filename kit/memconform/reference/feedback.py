"""Which memories went whole into which turn, kept beside a store and of no effect on it.

::

    ROOT/feedback.sqlite3   events by id, and how often each memory was shown

A store takes part by inheriting ``RemembersShown`` before its own base. Off by default; while it
is on, a context that is assembled in a named turn writes one event for each memory that is in it
whole, except in an evaluation. Whatever goes wrong with that is swallowed: the answer was made
before, and is given as it is.

Source: retrieval-feedback.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from memconform.authority.secrets import secret_label
from memconform.model import Access, ContextResult, Settings
from memconform.model.feedback import (
    EventResult,
    FeedbackEvent,
    FeedbackEventDraft,
    FeedbackState,
    RetrievalFeedbackResult,
    ShownCount,
)

if TYPE_CHECKING:
    from memconform.reference.store import ReferenceStore
else:
    ReferenceStore = object

FILE = "feedback.sqlite3"
BUSY_MS = 250
PREFIX = "feedback-retrieved-"
FAILED = "the feedback can't be kept now; bring the event again"
_DIGITS = 32
_TABLES = """
CREATE TABLE IF NOT EXISTS event (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  payload TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS shown (memory_id TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
"""


def event_id(thread_id: str, turn_id: str, memory_id: str) -> str:
    """The id of the event that a memory was retrieved in a turn: the same whoever makes it.

    The prefix and the first 32 hex digits of the SHA-256 of the compact JSON array of the three, in
    UTF-8.
    """
    text = msgspec.json.encode([thread_id, turn_id, memory_id])
    return PREFIX + hashlib.sha256(text).hexdigest()[:_DIGITS]


def event_of(draft: FeedbackEventDraft) -> FeedbackEvent:
    """The event that a draft becomes."""
    made = event_id(draft.thread_id, draft.turn_id, draft.memory_id)
    return FeedbackEvent(
        id=draft.id or made,
        kind=draft.kind,
        thread_id=draft.thread_id,
        turn_id=draft.turn_id,
        memory_id=draft.memory_id,
        version=draft.version,
    )


class EventLog:
    """The events of one store, in a file of its own. A connection is opened for each call.

    Every method raises sqlite3.Error or OSError where the file can't be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, events: Sequence[FeedbackEvent]) -> list[EventResult]:
        """Keep events, each for itself: one that fails doesn't stop the others."""
        results: list[EventResult] = []
        with self._open() as db:
            for event in events:
                db.execute("SAVEPOINT one")
                try:
                    results.append(self._keep(db, event))
                except Exception:
                    db.execute("ROLLBACK TO one")
                    results.append(_result(event, "failed", FAILED))
                db.execute("RELEASE one")
        return results

    def _keep(self, db: sqlite3.Connection, event: FeedbackEvent) -> EventResult:
        """Keep an event, once; the same id with another payload is rejected."""
        if event.id != event_id(event.thread_id, event.turn_id, event.memory_id):
            return _result(event, "rejected", "the id isn't that of these fields; leave it out")
        if secret_label([event.thread_id, event.turn_id]) is not None:
            return _result(event, "rejected", "a thread or turn holds a secret; give it a plain id")
        payload = msgspec.json.encode(event, order="sorted").decode()
        known = db.execute("SELECT payload FROM event WHERE id = ?", (event.id,)).fetchone()
        if known is None:
            db.execute("INSERT INTO event (id, payload) VALUES (?, ?)", (event.id, payload))
            db.execute(
                "INSERT INTO shown VALUES (?, 1)"
                " ON CONFLICT (memory_id) DO UPDATE SET count = count + 1",
                (event.memory_id,),
            )
            return _result(event, "recorded")
        if known[0] == payload:
            return _result(event, "known")
        return _result(event, "rejected", "the id is taken by an event with another payload")

    def events(self) -> list[FeedbackEvent]:
        """All events, in the order in which they came."""
        with self._open() as db:
            rows = db.execute("SELECT payload FROM event ORDER BY number").fetchall()
        return [msgspec.json.decode(payload, type=FeedbackEvent) for (payload,) in rows]

    def counts(self) -> list[ShownCount]:
        """How often each memory was shown, by id."""
        with self._open() as db:
            rows = db.execute("SELECT memory_id, count FROM shown ORDER BY memory_id").fetchall()
        return [ShownCount(memory_id=id, count=count) for id, count in rows]

    def rebuild(self) -> None:
        """Count anew what the events say."""
        counted = Counter(event.memory_id for event in self.events())
        with self._open() as db:
            db.execute("DELETE FROM shown")
            db.executemany("INSERT INTO shown VALUES (?, ?)", sorted(counted.items()))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._path, timeout=BUSY_MS / 1000, isolation_level=None)
        try:
            for statement in _TABLES.split(";\n"):
                db.execute(statement)
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
        finally:
            db.close()  # which rolls back what wasn't committed


class RemembersShown(ReferenceStore):
    """The capability ``retrieval-feedback`` for a store with a root folder and a context."""

    _feedback: FeedbackState = "off"
    _turn: tuple[str | None, str | None] = (None, None)

    def context(
        self, query: str, access: Access = Access(), budget: int | None = None
    ) -> ContextResult:
        """What the store's own context answers, and an event for each memory whole in it."""
        answer = super().context(query, access, budget)
        thread, turn = self._turn
        told = thread is not None and turn is not None
        if told and self._feedback != "off" and not self._settings.evaluation:
            self._remember(
                FeedbackEventDraft(thread_id=str(thread), turn_id=str(turn), memory_id=id)
                for id in dict.fromkeys(answer.ids)
            )
        return answer

    def retrieval_feedback(
        self,
        state: FeedbackState | None = None,
        thread_id: str | None = None,
        turn_id: str | None = None,
        events: tuple[FeedbackEventDraft, ...] = (),
    ) -> RetrievalFeedbackResult:
        """Switch it, say which turn it is, bring events; see RetrievalFeedbackRequest.

        ``broken`` leaves it on over a file that can't be opened. While it is off, events that are
        brought are kept all the same: somebody asks for that.
        """
        self._check_open()
        if state is not None:
            self._feedback = state
        if thread_id is not None or turn_id is not None:
            self._turn = (thread_id, turn_id)
        results = self._remember(events)
        kept: list[FeedbackEvent] = []
        counts: list[ShownCount] = []
        with contextlib.suppress(sqlite3.Error, OSError, msgspec.DecodeError):
            kept, counts = self._log.events(), self._log.counts()
        return RetrievalFeedbackResult(
            state=self._feedback, events=kept, counts=counts, results=results
        )

    @property
    def _log(self) -> EventLog:
        # A folder is no database: opening it fails as a file on a broken disk does.
        return EventLog(self.root if self._feedback == "broken" else self.root / FILE)

    def _remember(self, drafts: Iterable[FeedbackEventDraft]) -> list[EventResult]:
        """Keep each, or say that it failed; nothing is raised, whatever happens."""
        events = [event_of(draft) for draft in drafts]
        if not events:
            return []
        try:
            return self._log.add(events)
        except Exception:
            return [_result(event, "failed", FAILED) for event in events]

    def _another(self, settings: Settings) -> Self:
        other = super()._another(settings)
        other._feedback, other._turn = self._feedback, self._turn
        return other


def _result(event: FeedbackEvent, outcome: Any, cause: str | None = None) -> EventResult:
    return EventResult(id=event.id, outcome=outcome, cause=cause)
