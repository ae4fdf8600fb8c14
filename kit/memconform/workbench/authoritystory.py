"""What the authority design says of a claim, step by step: rules, regions, and a belief over time.

Every figure comes from ``memconform.authority``; here it is only asked for often and put in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from memconform.authority import AUTHORITY, POLICY, Constants, Subject, after, decide, risk_of
from memconform.authority import belief as belief_of
from memconform.authority.belief import compared
from memconform.model.authority import (
    Action,
    Belief,
    ClaimKind,
    Consumed,
    Decision,
    DecisionPolicy,
    Reason,
)
from memconform.reference.authority_audit import ClaimHistory, DecisionRow, EvidenceRow

# Nothing here expires, so that the time makes no difference.
_ANY_TIME = "2026-01-01T00:00:00Z"
REASONS: dict[Reason, str] = {
    "claim_not_active": "it is not active",
    "claim_expired": "it has expired",
    "harmful_quarantine": "it did harm too often",
    "low_relevance": "it hardly answers the question",
    "stale_memory": "it is old",
    "belief_below_use_threshold": "it is not believed enough",
    "risk_above_use_threshold": "it is too risky",
    "authority_thresholds_passed": "nothing speaks against it",
}
Mark = Literal["passed", "decides", "not reached"]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A claim in front of a question.

    Attributes:
        kind: of the claim.
        belief: how far it is believed, and how often it did harm.
        relevance: how far it answers the question, 0..1.
        freshness: how young it is, 0..1.
    """

    kind: ClaimKind
    belief: Belief
    relevance: float
    freshness: float

    def decision(self, policy: DecisionPolicy = POLICY) -> Decision:
        """What may be done with it."""
        return decide(
            Subject(kind=self.kind),
            self.belief,
            relevance=self.relevance,
            freshness=self.freshness,
            now=_ANY_TIME,
            policy=policy,
        )


def sentence(decision: Decision) -> str:
    """The decision and its reasons, as somebody would say it."""
    because = " and ".join(REASONS[reason] for reason in decision.reasons)
    scores = decision.scores
    return (
        f"{decision.action.capitalize()}: {because} "
        f"(belief {scores.belief:.3f}, risk {scores.risk:.3f})."
    )


# --- the rules ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Check:
    """One rule in front of one claim.

    Attributes:
        otherwise: what it says where it applies.
        wanted: what passes it.
        seen: the figure that it looks at.
        mark: whether it was passed, decides, or is not reached any more.
    """

    otherwise: Action
    wanted: str
    seen: str
    mark: Mark


def checks(standing: Standing, policy: DecisionPolicy = POLICY) -> tuple[Check, ...]:
    """The rules in their order, as far as the figures decide: a claim here is active and valid."""
    decision = standing.decision(policy)
    scores, reasons = decision.scores, set(decision.reasons)
    rows: tuple[tuple[Action, str, str, set[Reason]], ...] = (
        (
            "ignore",
            f"fewer than {policy.quarantine_count} harmful reports",
            str(standing.belief.harmful_count),
            {"harmful_quarantine"},
        ),
        (
            "ignore",
            f"relevance of at least {policy.least_relevance:g}",
            f"{scores.relevance:.3f}",
            {"low_relevance"},
        ),
        (
            "verify",
            f"freshness of at least {policy.least_freshness:g}",
            f"{scores.freshness:.3f}",
            {"stale_memory"},
        ),
        (
            "verify",
            f"belief of at least {policy.use_belief:g}",
            f"{scores.belief:.3f}",
            {"belief_below_use_threshold"},
        ),
        (
            "verify",
            f"risk of at most {policy.most_risk:g}",
            f"{scores.risk:.3f}",
            {"risk_above_use_threshold"},
        ),
    )
    found: list[Check] = []
    decided_by = 0
    for place, (otherwise, wanted, seen, own) in enumerate(rows, start=1):
        mark: Mark = "passed"
        if own & reasons:
            mark, decided_by = "decides", place
        elif decided_by and not _together(decided_by, place):
            mark = "not reached"
        found.append(Check(otherwise, wanted, seen, mark))
    return tuple(found)


def _together(first: int, second: int) -> bool:
    """Belief and risk are one rule, which tells every reason that holds."""
    return {first, second} == {4, 5}


# --- the map -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Region:
    """A rectangle of belief and relevance with one decision, whose lower edges belong to it."""

    belief: tuple[float, float]
    relevance: tuple[float, float]
    action: Action
    reasons: tuple[Reason, ...]


def least_belief_by_risk(
    kind: ClaimKind, harmful_count: int, policy: DecisionPolicy = POLICY
) -> float:
    """The belief from which on the risk is low enough; below 0 always, above 1 never."""
    trusted = belief_of(1, 0, harmful_count)
    room = policy.most_risk - risk_of(kind, trusted, policy)
    if not policy.doubt_weight:
        return -1.0 if compared(room) >= 0 else 2.0
    return compared(1 - room / policy.doubt_weight)


def regions(
    kind: ClaimKind, harmful_count: int, freshness: float, policy: DecisionPolicy = POLICY
) -> tuple[Region, ...]:
    """The whole square of belief and relevance, cut where a threshold is; exact at every point."""
    risk = least_belief_by_risk(kind, harmful_count, policy)
    across = _edges(policy.use_belief, risk)
    up = _edges(policy.least_relevance)
    found: list[Region] = []
    for low, high in pairwise(up):
        row: list[Region] = []
        for left, right in pairwise(across):
            middle = (left + right) / 2
            standing = Standing(
                kind=kind,
                belief=belief_of(middle, 1 - middle, harmful_count),
                relevance=(low + high) / 2,
                freshness=freshness,
            )
            decision = standing.decision(policy)
            here = Region((left, right), (low, high), decision.action, tuple(decision.reasons))
            if row and (row[-1].action, row[-1].reasons) == (here.action, here.reasons):
                row[-1] = replace(row[-1], belief=(row[-1].belief[0], right))
            else:
                row.append(here)
        found += row
    return _stacked(found)


def _edges(*inner: float) -> list[float]:
    return sorted({0.0, 1.0, *(each for each in inner if 0 < each < 1)})


def _stacked(found: list[Region]) -> tuple[Region, ...]:
    """Those above each other that say the same, as one."""
    merged: list[Region] = []
    for region in found:
        for place, below in enumerate(merged):
            same = (below.action, below.reasons, below.belief) == (
                region.action,
                region.reasons,
                region.belief,
            )
            if same and below.relevance[1] == region.relevance[0]:
                merged[place] = replace(below, relevance=(below.relevance[0], region.relevance[1]))
                break
        else:
            merged.append(region)
    return tuple(merged)


# --- a belief over time ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Point:
    """Where a belief stands after something has happened.

    Attributes:
        happened: ``new``, ``asked``, or what somebody reported.
        belief: from then on.
        risk: of a claim of this kind with this belief, 0..1.
        decision: what would be or was decided there; null where nothing was asked.
        at: ISO 8601 UTC; null in a story that has no times.
    """

    happened: str
    belief: Belief
    risk: float
    decision: Decision | None
    at: str | None = None


def told(
    start: Standing,
    reports: Iterable[Consumed],
    constants: Constants = AUTHORITY,
) -> tuple[Point, ...]:
    """A claim from how it stands on, one report after the other, asked the same each time."""
    policy = constants.decision
    standing = start
    points = [_point("new", standing, policy)]
    for outcome in reports:
        standing = replace(standing, belief=after(standing.belief, outcome, constants))
        points.append(_point(outcome, standing, policy))
    return tuple(points)


def _point(happened: str, standing: Standing, policy: DecisionPolicy) -> Point:
    return Point(
        happened=happened,
        belief=standing.belief,
        risk=compared(risk_of(standing.kind, standing.belief, policy)),
        decision=standing.decision(policy),
    )


def of_history(history: ClaimHistory, policy: DecisionPolicy = POLICY) -> tuple[Point, ...]:
    """A claim as a database tells it: how it began, every report, and every decision on it.

    The beginning is what its belief was before the reports that are kept. Decisions and reports of
    one time are put in the order in which each decision knows the belief that it says it knew.
    """
    reports, decisions = list(history.evidence), list(history.decisions)
    belief = _before(history)
    fixed: dict[str, Any] = {"kind": history.kind, "policy": policy}
    points = [_seen("new", **fixed, belief=belief, at=history.created_at)]
    while reports or decisions:
        if decisions and _is_next(decisions[0], reports, belief):
            row = decisions.pop(0)
            points.append(_seen("asked", **fixed, belief=belief, at=row.at, decision=row.decision))
        else:
            report = reports.pop(0)
            harm = belief.harmful_count + (report.outcome == "harmful")
            belief = belief_of(belief.alpha + report.alpha, belief.beta + report.beta, harm)
            points.append(_seen(report.outcome, **fixed, belief=belief, at=report.at))
    return tuple(points)


def _is_next(decision: DecisionRow, reports: Sequence[EvidenceRow], belief: Belief) -> bool:
    if not reports or decision.at != reports[0].at:
        return not reports or decision.at < reports[0].at
    return compared(belief.score) == compared(decision.decision.scores.belief)


def _before(history: ClaimHistory) -> Belief:
    now = history.belief
    return belief_of(
        now.alpha - sum(row.alpha for row in history.evidence),
        now.beta - sum(row.beta for row in history.evidence),
        now.harmful_count - sum(row.outcome == "harmful" for row in history.evidence),
    )


def _seen(
    happened: str,
    *,
    kind: ClaimKind,
    belief: Belief,
    at: str,
    policy: DecisionPolicy,
    decision: Decision | None = None,
) -> Point:
    risk = compared(risk_of(kind, belief, policy))
    return Point(happened=happened, belief=belief, risk=risk, decision=decision, at=at)
