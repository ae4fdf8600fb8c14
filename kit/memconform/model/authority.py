"""Claims, beliefs and decisions as messages (capability ``authority``).

The thresholds travel, too: a decision is a pure function of what is known of a claim, of two
scores, of a policy and of a time, so that it can be asked for without a store of any size.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from memconform.model.base import Request, Response

ClaimKind = Literal["preference", "constraint", "fact", "procedure", "warning"]
CLAIM_KINDS: tuple[ClaimKind, ...] = ("preference", "constraint", "fact", "procedure", "warning")
ClaimState = Literal["active", "superseded", "tombstoned"]
ClaimScope = Literal["session", "workspace", "global"]
Origin = Literal["explicit", "heuristic"]
Action = Literal["use", "verify", "ignore"]
Reason = Literal[
    "claim_not_active",
    "claim_expired",
    "harmful_quarantine",
    "low_relevance",
    "stale_memory",
    "belief_below_use_threshold",
    "risk_above_use_threshold",
    "authority_thresholds_passed",
]
Consumed = Literal["helped", "harmful", "stale", "conflict", "unknown"]
Speaker = Literal["user", "assistant", "tool", "plugin"]
InjectionMode = Literal["shadow", "assist", "enforce"]
RecallChannel = Literal["capsule", "trigger"]

Score = Annotated[float, Meta(ge=0.0, le=1.0)]
Evidence = Annotated[float, Meta(gt=0.0)]
Count = Annotated[int, Meta(ge=0)]


class DecisionPolicy(Request, frozen=True, kw_only=True):
    """Every threshold of the decision and every figure of the risk.

    Source: claim-authority, "The first rule that applies decides" and "Risk follows from kind,
    doubt and harm".
    """

    quarantine_count: Count = 2
    least_relevance: Score = 0.12
    least_freshness: Score = 0.2
    use_belief: Score = 0.7
    most_risk: Score = 0.45
    preference_risk: Score = 0.12
    fact_risk: Score = 0.20
    procedure_risk: Score = 0.28
    constraint_risk: Score = 0.34
    warning_risk: Score = 0.40
    doubt_weight: Score = 0.3
    harm_weight: Score = 0.15
    harm_limit: Score = 0.3

    def base_risk(self, kind: ClaimKind) -> float:
        """What a claim of this kind risks before anything is known of it."""
        risk: float = getattr(self, f"{kind}_risk")
        return risk


class DecisionScores(Response, frozen=True, kw_only=True):
    """What a decision looks at, each in 0..1 and rounded to nine decimals."""

    relevance: float
    freshness: float
    belief: float
    risk: float


class Decision(Response, frozen=True, kw_only=True):
    """What may be done with a claim, the reasons by name, and the four scores behind them."""

    action: Action
    reasons: list[Reason]
    scores: DecisionScores


class Belief(Response, frozen=True, kw_only=True):
    """How far a claim is believed.

    Attributes:
        alpha: the weight of what speaks for it.
        beta: the weight of what speaks against it.
        harmful_count: how often somebody said that it did harm.
        score: alpha / (alpha + beta).
    """

    alpha: float
    beta: float
    harmful_count: int
    score: float


class FeedbackResult(Response, frozen=True, kw_only=True):
    """The belief after a report, and the query terms that the claim has learned by it."""

    belief: Belief
    learned: list[str]


class AuditedRun(Response, frozen=True, kw_only=True):
    """One retrieval as the audit keeps it: never its prompt.

    Attributes:
        query_hash: SHA-256 of the query, in hex.
        terms: the query's normalised terms, at most 24; learning needs them.
        workspace_key: the scope key of the caller's workspace, which is a hash.
        candidates: how many claims got a decision.
    """

    run: int
    at: str
    query_hash: str
    terms: list[str]
    session: str | None
    workspace_key: str | None
    candidates: int


class AuditedDecision(Response, frozen=True, kw_only=True):
    """What one retrieval decided on a claim."""

    run: int
    at: str
    channel: RecallChannel
    rank: float
    action: Action
    reasons: list[Reason]
    scores: DecisionScores


class AuditedInjection(Response, frozen=True, kw_only=True):
    """The message that a claim really went into."""

    run: int
    at: str
    message_id: str


class AuditedEvidence(Response, frozen=True, kw_only=True):
    """One change of a belief, and what it added."""

    at: str
    outcome: Consumed
    alpha: float
    beta: float


class AuditedConsumption(Response, frozen=True, kw_only=True):
    """What somebody said of a claim after it was used."""

    at: str
    outcome: Consumed
    note: str | None


class ExplainResult(Response, frozen=True, kw_only=True):
    """Everything that is known of one claim, newest first, at most 20 of each.

    Of a tombstoned claim terms and learned terms are empty, since they would tell its content.

    Attributes:
        risk: the risk of this kind at this belief.
        runs: the retrievals that decided on the claim.
    """

    id: str
    state: ClaimState
    kind: ClaimKind
    scope: ClaimScope
    scope_key: str
    origin: Origin
    belief: Belief
    risk: float
    terms: list[str]
    learned_terms: list[str]
    evidence: list[AuditedEvidence]
    consumption: list[AuditedConsumption]
    decisions: list[AuditedDecision]
    injections: list[AuditedInjection]
    runs: list[AuditedRun]
