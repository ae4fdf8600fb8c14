"""From retrieved to allowed: what may be done with a claim, by the first rule that applies.

Nothing here looks at a store or at a clock: the same claim, belief, scores, policy and time give
the same decision, always.

Source: claim-authority, "The first rule that applies decides" and "Risk follows from kind, doubt
and harm".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


@dataclass(frozen=True, kw_only=True)
class Case:
    """Everything that a rule may look at. ``now`` is ISO 8601 UTC."""

    claim: Subject
    belief: Belief
    scores: DecisionScores
    now: str
    policy: DecisionPolicy


Verdict = tuple[Action, list[Reason]]
Rule = Callable[[Case], Verdict | None]


def not_active(case: Case) -> Verdict | None:
    """Rule 1: superseded and forgotten claims are ignored."""
    return ("ignore", ["claim_not_active"]) if case.claim.state != "active" else None


def expired(case: Case) -> Verdict | None:
    """Rule 2: what has ended may still be true, if somebody confirms it."""
    ended = has_expired(case.claim.valid_until, case.now)
    return ("verify", ["claim_expired"]) if ended else None


def harmful(case: Case) -> Verdict | None:
    """Rule 3: what did harm twice isn't even offered."""
    shut = quarantined(case.belief, case.policy)
    return ("ignore", ["harmful_quarantine"]) if shut else None


def irrelevant(case: Case) -> Verdict | None:
    """Rule 4: what hardly answers the question is ignored."""
    weak = case.scores.relevance < compared(case.policy.least_relevance)
    return ("ignore", ["low_relevance"]) if weak else None


def stale(case: Case) -> Verdict | None:
    """Rule 5: what is old must be verified, however firmly it is believed."""
    old = case.scores.freshness < compared(case.policy.least_freshness)
    return ("verify", ["stale_memory"]) if old else None


def doubtful(case: Case) -> Verdict | None:
    """Rule 6: too little belief or too much risk, with every reason that holds."""
    doubts: list[Reason] = []
    if case.scores.belief < compared(case.policy.use_belief):
        doubts.append("belief_below_use_threshold")
    if case.scores.risk > compared(case.policy.most_risk):
        doubts.append("risk_above_use_threshold")
    return ("verify", doubts) if doubts else None


RULES: tuple[Rule, ...] = (not_active, expired, harmful, irrelevant, stale, doubtful)
"""In the order of the spec: the first that says something decides."""


def decide(
    claim: Subject,
    belief: Belief,
    *,
    relevance: float,
    freshness: float,
    now: str,
    policy: DecisionPolicy = POLICY,
    rules: Sequence[Rule] = RULES,
) -> Decision:
    """What may be done with a claim, and why.

    Args:
        claim: its kind, state and end of validity.
        belief: its belief, harm included.
        relevance: how far it answers the question, 0..1.
        freshness: how young it is, 0..1.
        now: ISO 8601 UTC.
        policy: the thresholds; all are compared after rounding to nine decimals.
        rules: in order; where none says anything the claim may be used.
    """
    scores = DecisionScores(
        relevance=compared(relevance),
        freshness=compared(freshness),
        belief=compared(belief.score),
        risk=compared(risk_of(claim.kind, belief, policy)),
    )
    case = Case(claim=claim, belief=belief, scores=scores, now=now, policy=policy)
    verdicts = (rule(case) for rule in rules)
    first = next((verdict for verdict in verdicts if verdict is not None), None)
    action, reasons = first or ("use", ["authority_thresholds_passed"])
    return Decision(action=action, reasons=reasons, scores=scores)
