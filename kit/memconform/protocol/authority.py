"""The requests of the capabilities ``authority`` and ``retrieval-feedback``."""

from __future__ import annotations

from memconform.model.access import Access
from memconform.model.authority import (
    ClaimKind,
    ClaimState,
    Consumed,
    Count,
    DecisionPolicy,
    Evidence,
    InjectionMode,
    Score,
    Speaker,
)
from memconform.model.base import Request
from memconform.model.feedback import FeedbackEventDraft, FeedbackState, Name


class DecideRequest(Request, frozen=True, kw_only=True):
    """What may be done with a claim that is known only by these figures? Nothing is stored.

    Attributes:
        alpha: the belief's weight for the claim.
        beta: the belief's weight against it.
        time: what the decision takes for now, ISO 8601 UTC.
        policy: other thresholds; null means the store's own.
    """

    kind: ClaimKind
    alpha: Evidence
    beta: Evidence
    relevance: Score
    freshness: Score
    time: str
    state: ClaimState = "active"
    valid_until: str | None = None
    harmful_count: Count = 0
    policy: DecisionPolicy | None = None


class FeedbackRequest(Request, frozen=True, kw_only=True):
    """What somebody says of a claim that was used.

    Attributes:
        source: who says it; only what a user says is taken.
        note: in their words, if they like.
    """

    id: str
    outcome: Consumed
    access: Access = Access()
    note: str | None = None
    source: Speaker = "user"


class ModeRequest(Request, frozen=True, kw_only=True):
    """Which decisions go into a prompt from here on."""

    mode: InjectionMode


class RetrievalFeedbackRequest(Request, frozen=True, kw_only=True):
    """Switches the feedback, says which turn it is, brings events; all of it may be left out.

    Attributes:
        state: null leaves it as it is; a new store has it off.
        thread_id: the thread of the contexts that are asked for from here on.
        turn_id: likewise their turn; without both, no event is written.
        events: to be kept, each for itself.
    """

    state: FeedbackState | None = None
    thread_id: Name | None = None
    turn_id: Name | None = None
    events: tuple[FeedbackEventDraft, ...] = ()
