"""Which claims are looked at first, and which come without being asked for.

Source: claim-recall, "Rank adds five parts" and "Trusted capsules need no shared word".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memconform.authority.belief import compared
from memconform.authority.constants import AUTHORITY, Constants
from memconform.authority.decision import quarantined
from memconform.model.authority import Belief, ClaimKind, ClaimScope, Origin, RecallChannel
from memconform.retrieval.times import milliseconds

_DAY = 24 * 60 * 60 * 1000
_CAPSULE_KINDS = ("preference", "constraint")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A claim that may answer a question, with what its rank is made of.

    Attributes:
        updated_at: ISO 8601 UTC; feedback doesn't touch it.
        lexical: matched query terms / query terms.
        channel: how it came here.
    """

    id: str
    kind: ClaimKind
    scope: ClaimScope
    origin: Origin
    content: str
    belief: Belief
    updated_at: str
    valid_until: str | None
    lexical: float
    tags: tuple[str, ...] = ()
    channel: RecallChannel = "trigger"


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A candidate with its relevance, its freshness and its rank, rounded to nine decimals."""

    candidate: Candidate
    relevance: float
    freshness: float
    rank: float


def freshness(updated_at: str, now: str, constants: Constants = AUTHORITY) -> float:
    """2 to the power of (-age in days / 180); 1 for what is of the future or can't be read."""
    updated, at = milliseconds(updated_at), milliseconds(now)
    if updated is None or at is None:
        return 1.0
    return faded((at - updated) / _DAY, constants)


def faded(days: float, constants: Constants = AUTHORITY) -> float:
    """The freshness after so many days; before there were any it is 1."""
    return float(2 ** (-max(0.0, days) / constants.half_life_days))


def relevance(candidate: Candidate, constants: Constants = AUTHORITY) -> float:
    """Lexical relevance; that of a capsule is at least .35, since it needs no shared word."""
    if candidate.channel == "capsule":
        return max(constants.capsule_relevance, candidate.lexical)
    return candidate.lexical


def ranked(candidate: Candidate, now: str, constants: Constants = AUTHORITY) -> Ranked:
    """A candidate with its rank."""
    relevant, fresh = (
        relevance(candidate, constants),
        freshness(candidate.updated_at, now, constants),
    )
    boosts = dict(constants.scope_boosts)[candidate.scope]
    if candidate.channel == "capsule":
        boosts += constants.capsule_boost
    rank = (
        constants.lexical_weight * relevant
        + constants.belief_weight * candidate.belief.score
        + constants.freshness_weight * fresh
        + boosts
    )
    return Ranked(candidate=candidate, relevance=relevant, freshness=fresh, rank=compared(rank))


def order(candidate: Ranked) -> tuple[float, int, str]:
    """Sorts by rank, then the newest update, then id by code point."""
    updated = milliseconds(candidate.candidate.updated_at)
    return (-candidate.rank, -(updated or 0), candidate.candidate.id)


def trusted(candidate: Candidate, constants: Constants = AUTHORITY) -> bool:
    """Whether a claim may come as a capsule: global, said by somebody, believed, harmless.

    Only preferences and constraints do: they hold whatever the question is.
    """
    policy = constants.decision
    return (
        candidate.scope == "global"
        and candidate.origin == "explicit"
        and candidate.kind in _CAPSULE_KINDS
        and compared(candidate.belief.score) >= compared(policy.use_belief)
        and not quarantined(candidate.belief, policy)
    )


def capsules(
    candidates: Iterable[Candidate], constants: Constants = AUTHORITY
) -> tuple[Candidate, ...]:
    """At most two trusted claims, by belief, then the newest update, then id."""
    fit = [candidate for candidate in candidates if trusted(candidate, constants)]
    fit.sort(key=lambda c: (-compared(c.belief.score), -(milliseconds(c.updated_at) or 0), c.id))
    return tuple(replace(c, channel="capsule") for c in fit[: constants.capsule_limit])


def merged(
    from_capsules: Iterable[Candidate],
    from_triggers: Iterable[Candidate],
    now: str,
    constants: Constants = AUTHORITY,
) -> tuple[Ranked, ...]:
    """Both channels by claim, the capsule channel winning; the best 16, best first."""
    by_id = {candidate.id: candidate for candidate in from_triggers}
    by_id |= {candidate.id: candidate for candidate in from_capsules}
    everything = sorted((ranked(c, now, constants) for c in by_id.values()), key=order)
    return tuple(everything[: constants.candidate_limit])
