"""What was really shown, told afterwards (capability ``retrieval-feedback``).

An event says that a memory went into a turn, whole. It holds no question, text, path or place.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from memconform.model.base import Request, Response

FeedbackState = Literal["on", "off", "broken"]
EventKind = Literal["retrieved"]
EventOutcome = Literal["recorded", "known", "rejected", "failed"]
Name = Annotated[str, Meta(min_length=1, max_length=128)]


class FeedbackEventDraft(Request, frozen=True, kw_only=True):
    """An event on its way in, such as a replayed one. The id is made of the other fields if null.

    Attributes:
        version: which version of the memory was shown.
    """

    thread_id: Name
    turn_id: Name
    memory_id: Name
    version: int | None = None
    id: Name | None = None
    kind: EventKind = "retrieved"


class FeedbackEvent(Response, frozen=True, kw_only=True):
    """An event as it is kept."""

    id: str
    kind: EventKind
    thread_id: str
    turn_id: str
    memory_id: str
    version: int | None


class EventResult(Response, frozen=True, kw_only=True):
    """What became of one event.

    Attributes:
        outcome: ``known`` when it was there already, ``rejected`` when its id is taken by another
            payload or isn't the one of its fields, ``failed`` when it can't be kept now.
        cause: why it was rejected or failed.
    """

    id: str
    outcome: EventOutcome
    cause: str | None


class ShownCount(Response, frozen=True, kw_only=True):
    """How often a memory was shown."""

    memory_id: str
    count: int


class RetrievalFeedbackResult(Response, frozen=True, kw_only=True):
    """The state of the feedback and what it holds.

    Attributes:
        events: all of them, in the order in which they came; empty while it is broken.
        counts: of the memories that were shown, by id: a projection of the events.
        results: what became of each event that this call brought.
    """

    state: FeedbackState
    events: list[FeedbackEvent]
    counts: list[ShownCount]
    results: list[EventResult]
