"""Why isn't this memory in the answer: not stored, no room, the floor, or no way to it?

The four look alike to whoever reads the answer, and each is mended elsewhere. More hits tell room
from order; a search without a floor tells the floor from a missing signal; the memory's own words
tell a missing signal from a missing memory.

Source: budgeted-recall, "Budget and order can be told apart"; relevance-floor, "A target is found
without a floor".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from memconform.model import Hit, RecordDraft, WriteResult
from memconform.protocol import StoreError
from memconform.wire.client import Connection, RemoteStore

MANY = 1_000  # hits that are asked for to see whether more room would do

Cause = Literal["found", "not-stored", "room", "smaller", "floor", "no-signal", "unreachable"]

HINTS: dict[Cause, str] = {
    "found": "Nothing is wrong here.",
    "not-stored": "Write it, or mend what refuses it.",
    "room": "It is found, further down: ask for more hits, or for a catalog and expand what is "
    "needed. If it should come before the others, it is the order: weigh the signals otherwise, "
    "or rerank.",
    "smaller": "It is found and doesn't fit whole: give a larger budget, or expand it by its id.",
    "floor": "It is a candidate that the relevance floor took out: lower the floor if candidates "
    "like it are wanted, tag it, or teach the store another word for it.",
    "no-signal": "The question has nothing in common with it that the store can see: an embedder "
    "that knows other words, a tag, or a synonym would have.",
    "unreachable": "Not even its own words find it: look at the index, then at the scope.",
}


class BadRecords(Exception):
    """The file of memories can't be read; the message is a sentence."""


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What was found out.

    Attributes:
        rank: the place among all hits, from 1; None where it is none of them.
        evidence: what was asked and seen, a sentence each, in order.
    """

    cause: Cause
    rank: int | None
    evidence: tuple[str, ...]

    @property
    def hint(self) -> str:
        """What to do."""
        return HINTS[self.cause]


def read_records(lines: Iterable[str]) -> list[RecordDraft]:
    """Memories, one JSON object a line, each with a key.

    Raises:
        BadRecords: a line is none; it is named.
    """
    decoder = msgspec.json.Decoder(RecordDraft)
    drafts: list[RecordDraft] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            draft = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeEncodeError) as error:
            raise BadRecords(f"line {number} is no memory: {error}") from error
        if not draft.key:
            raise BadRecords(f"line {number} has no key to call the memory by")
        drafts.append(draft)
    return drafts


def diagnose(
    connection: Connection,
    records: Iterable[RecordDraft],
    query: str,
    expected: str,
    *,
    k: int = 5,
    budget: int | None = None,
) -> Diagnosis:
    """Writes the memories into an empty store and finds out what becomes of one of them.

    Args:
        connection: to the store's system.
        records: the memories, each with a key.
        query: the question.
        expected: the key of the memory that should answer it.
        k: how many hits there is room for.
        budget: in the store's unit; None leaves it out.

    Raises:
        LookupError: no memory has this key.
        StoreError: the store refused a question.
    """
    store = connection.open()
    try:
        looking = _Looking(store, set(connection.hello().capabilities))
        return looking.diagnose(list(records), query, expected, k, budget)
    finally:
        store.close()


class _Looking:
    def __init__(self, store: RemoteStore, capabilities: set[str]) -> None:
        self._store = store
        self._capabilities = capabilities
        self._evidence: list[str] = []

    def _said(self, cause: Cause, rank: int | None = None) -> Diagnosis:
        return Diagnosis(cause=cause, rank=rank, evidence=tuple(self._evidence))

    def _hits(self, query: str, limit: int, budget: int | None = None) -> list[Hit]:
        more: dict[str, Any] = {}
        if budget is not None and "budget" in self._capabilities:
            more["budget"] = budget
        return self._store.recall(query, limit=limit, **more).hits

    def diagnose(
        self, records: list[RecordDraft], query: str, expected: str, k: int, budget: int | None
    ) -> Diagnosis:
        if expected not in {draft.key for draft in records}:
            raise LookupError(expected)
        written = self._written(records, expected)
        if written is None or written.id is None:
            return self._said("not-stored")
        id = written.id
        state = self._store.get(id).record.state
        self._evidence.append(f"It is stored and {state}.")
        if state != "active":
            return self._said("not-stored")
        hits = self._hits(query, k, budget)
        place = _place(hits, id)
        self._evidence.append(_seen(f"{k} hits", place, len(hits)))
        if place is not None:
            form = hits[place - 1].form
            if form == "content":
                return self._said("found", place)
            self._evidence.append(f"It is there as a {form}, and not whole.")
            return self._said("smaller", place)
        every = self._hits(query, MANY)
        rank = _place(every, id)
        self._evidence.append(_seen(f"{MANY:,} hits", rank, len(every)))
        if rank is not None:
            return self._said("room", rank)
        return self._said(self._why_not_at_all(query, id, records, expected))

    def _written(self, records: list[RecordDraft], expected: str) -> WriteResult | None:
        found = None
        for draft in records:
            try:
                result = self._store.write(draft)
            except StoreError as error:
                if draft.key == expected:
                    self._evidence.append(f"Writing it was refused: {error.message}.")
                continue
            if draft.key == expected:
                found = result
                if result.outcome not in ("created", "superseded"):
                    cause = f": {result.cause}" if result.cause else ""
                    self._evidence.append(f"Writing it gave {result.outcome}{cause}.")
        return found

    def _why_not_at_all(
        self, query: str, id: str, records: list[RecordDraft], expected: str
    ) -> Cause:
        if "targets" in self._capabilities:
            answer = self._store.call("find_targets", description=query)
            mine = next((c for c in answer.candidates if c.id == id), None)
            if mine is not None:
                similar = (
                    "" if mine.similarity is None else f", raw similarity {mine.similarity:.3f}"
                )
                self._evidence.append(f"Without the floor it is a candidate: {mine.band}{similar}.")
                return "floor"
            self._evidence.append("Without the floor it is no candidate either.")
        content = next(draft.content for draft in records if draft.key == expected)
        own = _place(self._hits(content, MANY), id)
        if own is None:
            self._evidence.append("Its own words don't find it.")
            return "unreachable"
        self._evidence.append(f"Its own words find it, in place {own}.")
        return "no-signal"


def _place(hits: list[Hit], id: str) -> int | None:
    return next((number for number, hit in enumerate(hits, 1) if hit.id == id), None)


def _seen(asked: str, place: int | None, number: int) -> str:
    if place is None:
        return f"Asked for {asked}, it is not among the {number} that came."
    return f"Asked for {asked}, it is number {place} of {number}."
