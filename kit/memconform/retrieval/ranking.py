"""Six features, one score, one order. No feature looks at another record: ranks never wobble.

Source: retrieval-foundation, "Six features make one score" and "The order is total";
lexical-abstention, "A hinted type passes without shared words".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from memconform.model import Features, MemoryType, Record
from memconform.retrieval.constants import FOUNDATION, Constants
from memconform.retrieval.stage import Dropped, Stage
from memconform.retrieval.times import milliseconds
from memconform.retrieval.tokens import Tokens, has_cjk, normalise, overlap, share, words

_DAY = 24 * 60 * 60 * 1000


@dataclass(frozen=True)
class Hints:
    """What a query asks for by its words: records of these types, or with one of these tags."""

    types: frozenset[MemoryType]
    tags: frozenset[str]


@dataclass(frozen=True)
class Match:
    """A record and how many of the query's tokens it has."""

    record: Record
    overlap: int


@dataclass(frozen=True)
class Ranked:
    """A candidate with its features and its final score."""

    record: Record
    features: Features
    score: float


def type_hints(query: str, constants: Constants = FOUNDATION) -> Hints:
    """The types that a query hints at."""
    text = normalise(query)
    # Spaces around the words and around a phrase make the substring a match of whole words.
    spaced = f" {' '.join(words(text, constants))} "

    def said(phrases: Iterable[str]) -> bool:
        return any(
            phrase in text if has_cjk(phrase, constants) else f" {phrase} " in spaced
            for phrase in phrases
        )

    types: set[MemoryType] = set()
    tags: set[str] = set()
    if said(constants.preference_hints):
        types.add("preference")
        tags.update(constants.preference_tags)
    if said(constants.decision_hints):
        types.add("decision")
    if said(constants.identity_hints):
        types.update(("fact", "relationship"))
        tags.update(constants.identity_tags)
    return Hints(frozenset(types), frozenset(tags))


def type_affinity(record: Record, hints: Hints) -> float:
    """1 for a record of a hinted type or with a tag that answers a hint, else 0."""
    if record.type in hints.types:
        return 1.0
    if hints.tags and any(normalise(tag) in hints.tags for tag in record.tags):
        return 1.0
    return 0.0


def matching(
    records: Iterable[Record],
    query: Sequence[str],
    hints: Hints,
    token_set: Callable[[Record], Set[str]],
) -> Stage[Match]:
    """The candidates: records that share a token with the query or that it hints at."""
    kept, dropped = [], []
    asked = frozenset(query)
    once = len(asked) == len(
        query
    )  # then an intersection counts the same, and several times faster
    for record in records:
        tokens = token_set(record)
        shared = len(asked & tokens) if once else overlap(query, tokens)
        if shared or type_affinity(record, hints) > 0:
            kept.append(Match(record, shared))
        else:
            dropped.append(Dropped(record.id, "no-match"))
    return Stage(tuple(kept), tuple(dropped))


def clamp(value: float) -> float:
    """A figure in 0..1; what is no finite number counts as 0."""
    if 0.0 < value < 1.0:  # nearly always, and this is asked seven times a candidate
        return value
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0


def scope_affinity(record: Record, constants: Constants = FOUNDATION) -> float:
    """The nearer the scope, the likelier it is meant."""
    if record.scope == "project":
        return constants.project_affinity
    if record.scope == "workspace":
        return constants.workspace_affinity
    return constants.user_affinity


def freshness(record: Record, now: str, constants: Constants = FOUNDATION) -> float:
    """Halves with every half-life since the observation; 1 for a time that cannot be read."""
    observed = milliseconds(record.observed_at or record.updated_at or record.created_at)
    at = milliseconds(now)
    if observed is None or at is None:
        return 1.0
    age_in_days = max(0, at - observed) / _DAY
    return float(0.5 ** (age_in_days / constants.half_life_days))


def features_of(
    match: Match, query: Tokens, hints: Hints, now: str, constants: Constants = FOUNDATION
) -> Features:
    """The six features of one candidate, each in 0..1."""
    record = match.record
    return Features(
        lexical=clamp(share(match.overlap, len(query.tokens))),
        scope_affinity=clamp(scope_affinity(record, constants)),
        type_affinity=clamp(type_affinity(record, hints)),
        freshness=clamp(freshness(record, now, constants)),
        importance=clamp(record.importance),
        confidence=clamp(record.confidence),
    )


def final_score(features: Features, constants: Constants = FOUNDATION) -> float:
    """The weighted sum, 0..1, added up in this order: another order differs in its last digit."""
    return clamp(
        constants.lexical_weight * features.lexical
        + constants.scope_weight * features.scope_affinity
        + constants.type_weight * features.type_affinity
        + constants.freshness_weight * features.freshness
        + constants.importance_weight * features.importance
        + constants.confidence_weight * features.confidence
    )


def order_key(ranked: Ranked) -> tuple[float, float, str]:
    """Sorts by score, then the newest update, then id by code point: never two alike."""
    updated = milliseconds(ranked.record.updated_at)
    return (-ranked.score, math.inf if updated is None else -updated, ranked.record.id)
