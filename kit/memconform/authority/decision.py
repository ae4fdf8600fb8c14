"""From retrieved to allowed: what may be done with a claim, by the first rule that applies.

Nothing here looks at a store or at a clock: the same claim, belief, scores, policy and time give
the same decision, always.

Source: claim-authority, "The first rule that applies decides" and "Risk follows from kind, doubt
and harm".
"""

from __future__ import annotations

from dataclasses import dataclass

from memconform.authority.belief import compared
from memconform.model.authority import (
    Action,
    Belief,
    ClaimKind,
    ClaimState,
    Decision,
    DecisionPolicy,
    DecisionScores,
    Reason,
)
from memconform.retrieval.times import milliseconds

POLICY = DecisionPolicy()


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a decision needs to know of a claim. ``valid_until`` is ISO 8601 UTC."""

    kind: ClaimKind
    state: ClaimState = "active"
    valid_until: str | None = None


def risk_of(kind: ClaimKind, belief: Belief, policy: DecisionPolicy = POLICY) -> float:
    """The risk of relying on a claim, 0..1: its kind, the doubt about it, the harm that it did."""
    doubt = policy.doubt_weight * (1 - belief.score)
    harm = min(policy.harm_limit, policy.harm_weight * belief.harmful_count)
    return min(1.0, max(0.0, policy.base_risk(kind) + doubt + harm))


def has_expired(valid_until: str | None, now: str) -> bool:
    """Whether a validity has ended: at its last instant it has. One that can't be read has, too."""
    if valid_until is None:
        return False
    end, at = milliseconds(valid_until), milliseconds(now)
    return end is None or at is None or end <= at


def quarantined(belief: Belief, policy: DecisionPolicy = POLICY) -> bool:
    """Whether a claim has done harm too often to be looked at again."""
    return belief.harmful_count >= policy.quarantine_count


def decide(
    claim: Subject,
    belief: Belief,
    *,
    relevance: float,
    freshness: float,
    now: str,
    policy: DecisionPolicy = POLICY,
) -> Decision:
    """What may be done with a claim, and why.

    Args:
        claim: its kind, state and end of validity.
        belief: its belief, harm included.
        relevance: how far it answers the question, 0..1.
        freshness: how young it is, 0..1.
        now: ISO 8601 UTC.
        policy: the thresholds; all are compared after rounding to nine decimals.
    """
    scores = DecisionScores(
        relevance=compared(relevance),
        freshness=compared(freshness),
        belief=compared(belief.score),
        risk=compared(risk_of(claim.kind, belief, policy)),
    )
    action, reasons = _first_rule(claim, belief, scores, now, policy)
    return Decision(action=action, reasons=reasons, scores=scores)


def _first_rule(  # noqa: PLR0911 - one return a rule, in the order that the spec gives
    claim: Subject, belief: Belief, scores: DecisionScores, now: str, policy: DecisionPolicy
) -> tuple[Action, list[Reason]]:
    if claim.state != "active":
        return "ignore", ["claim_not_active"]
    if has_expired(claim.valid_until, now):
        return "verify", ["claim_expired"]
    if quarantined(belief, policy):
        return "ignore", ["harmful_quarantine"]
    if scores.relevance < compared(policy.least_relevance):
        return "ignore", ["low_relevance"]
    if scores.freshness < compared(policy.least_freshness):
        return "verify", ["stale_memory"]
    doubts: list[Reason] = []
    if scores.belief < compared(policy.use_belief):
        doubts.append("belief_below_use_threshold")
    if scores.risk > compared(policy.most_risk):
        doubts.append("risk_above_use_threshold")
    if doubts:
        return "verify", doubts
    return "use", ["authority_thresholds_passed"]
