"""Faults of features, score and order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Seed, core, foundation
from memconform.faults.seams import figure, stage
from memconform.model import Features
from memconform.retrieval import FOUNDATION, Constants, Hints, Match, Ranked
from memconform.retrieval.ranking import features_of, final_score, freshness, order_key
from memconform.retrieval.times import milliseconds
from memconform.retrieval.tokens import Tokens, record_tokens

SCORE = foundation("six-features-make-one-score")
ORDER = foundation("the-order-is-total")
STABLE = core("results-are-stable")
_SLIP = 0.005  # of a weight: too little to see in most orders


def _scoring(score: Callable[[Features], float]) -> Seed:
    return stage(score=lambda features, constants: score(features))


def _weight(feature: str, name: str) -> Fault:
    """A weight that is off by a little where the score is made, and told right."""
    words = feature.replace("_", "-")
    return Fault(
        name=f"{words}-weighs-too-little",
        change=f"The weight of {words} is {_SLIP} too small in the sum, and told right.",
        suffers="The order of two memories that are nearly equal is the wrong one.",
        breaks=SCORE,
        killed_by=foundation(name),
        base="filesystem",
        seed=_scoring(lambda f: final_score(f) - _SLIP * float(getattr(f, feature))),
    )


def _featuring(**changes: Callable[[Match, Tokens, str, Constants], float]) -> Seed:
    """Seeds other features, by their names."""

    def features(match: Match, query: Tokens, hints: Hints, now: str, c: Constants) -> Features:
        right = features_of(match, query, hints, now, c)
        return msgspec.structs.replace(
            right, **{name: change(match, query, now, c) for name, change in changes.items()}
        )

    return stage(features=features)


def _bm25(match: Match, query: Tokens, now: str, constants: Constants) -> float:
    """The share of shared tokens, damped by the length of the record as in BM25."""
    length = len(record_tokens(match.record, constants).tokens)
    asked = len(query.tokens)
    return match.overlap * 2.2 / (match.overlap + 1.2 * (0.25 + 0.75 * length / 40)) / asked


def _of_the_record(match: Match, query: Tokens, now: str, constants: Constants) -> float:
    return match.overlap / len(record_tokens(match.record, constants).tokens)


def _unbounded_freshness(match: Match, query: Tokens, now: str, c: Constants) -> float:

    record = match.record
    observed = milliseconds(record.observed_at or record.updated_at) or 0
    days = ((milliseconds(now) or 0) - observed) / 86_400_000
    return float(min(1.5, 0.5 ** (days / c.half_life_days)))


def _since_update(match: Match, query: Tokens, now: str, c: Constants) -> float:
    return freshness(msgspec.structs.replace(match.record, observed_at=None), now, c)


def _since_creation(match: Match, query: Tokens, now: str, c: Constants) -> float:
    record = match.record
    if record.observed_at is not None:
        return freshness(record, now, c)
    return freshness(msgspec.structs.replace(record, observed_at=record.created_at), now, c)


def _fading_confidence(match: Match, query: Tokens, now: str, c: Constants) -> float:
    return match.record.confidence * freshness(match.record, now, c)


def _older_update_first(ranked: Ranked) -> tuple[Any, ...]:
    score, updated, id = order_key(ranked)
    return score, -updated, id


def _by_the_minute(ranked: Ranked) -> tuple[Any, ...]:
    score, updated, id = order_key(ranked)
    return score, -(-updated // 60_000), id


def _update_first(ranked: Ranked) -> tuple[Any, ...]:
    score, updated, id = order_key(ranked)
    return round(score, 2), updated, score, id


def _ids_backwards(ranked: Ranked) -> tuple[Any, ...]:
    score, updated, id = order_key(ranked)
    return score, updated, tuple(-ord(character) for character in id)


def _ids_without_case(ranked: Ranked) -> tuple[Any, ...]:
    score, updated, id = order_key(ranked)
    return score, updated, id.lower()


def _as_they_come(ranked: Ranked) -> tuple[Any, ...]:
    score, updated, _ = order_key(ranked)
    return score, updated


FAULTS = (
    _weight("lexical", "a-fresh-workspace-fact-has-the-score-of-the-page"),
    _weight("scope_affinity", "a-fresh-workspace-fact-has-the-score-of-the-page"),
    _weight("type_affinity", "the-best-memory-of-all-scores-1"),
    _weight("freshness", "a-fresh-workspace-fact-has-the-score-of-the-page"),
    _weight("importance", "a-fresh-workspace-fact-has-the-score-of-the-page"),
    _weight("confidence", "a-fresh-workspace-fact-has-the-score-of-the-page"),
    Fault(
        name="a-weight-is-told-wrong",
        change="The trace tells a weight of importance of 0.08, and the score goes by it.",
        suffers="Whoever works a score out by the published weights gets another one.",
        breaks=SCORE,
        killed_by=foundation("the-weights-are-recorded"),
        base="filesystem",
        seed=figure(importance_weight=0.08),
    ),
    *(
        Fault(
            name=f"{feature.replace('_', '-')}-counts-for-nothing",
            change=f"The {feature.replace('_', ' ')} of a candidate is left out of its score.",
            suffers=suffers,
            breaks=SCORE,
            killed_by=foundation(*killers),
            base="filesystem",
            seed=_scoring(
                lambda f, feature=feature: final_score(  # type: ignore[misc] # a default binds it
                    msgspec.structs.replace(f, **{feature: 0.0})
                )
            ),
        )
        for feature, suffers, killers in (
            (
                "lexical",
                "What just passes comes before what answers the whole question.",
                (
                    "coverage-alone-decides-an-order",
                    "coverage-is-weighed-against-importance-and-confidence",
                ),
            ),
            (
                "scope_affinity",
                "A rule of the project comes after the same rule of somewhere else.",
                (
                    "the-nearer-scope-alone-decides-an-order",
                    "scope-is-weighed-against-confidence",
                ),
            ),
            (
                "type_affinity",
                "A preference that was asked for comes after a fact of the same words.",
                (
                    "the-hinted-type-alone-decides-an-order",
                    "type-is-weighed-against-importance-and-confidence",
                ),
            ),
            (
                "freshness",
                "What was seen last year comes before what was seen today.",
                ("freshness-alone-decides-an-order", "freshness-is-weighed-against-confidence"),
            ),
            (
                "importance",
                "A remark comes before what the user called important.",
                ("importance-alone-decides-an-order", "importance-is-weighed-against-confidence"),
            ),
            (
                "confidence",
                "A guess comes before what is known.",
                ("confidence-alone-decides-an-order",),
            ),
        )
    ),
    Fault(
        name="half-life-a-little-short",
        change="A memory is half as fresh after 179 days instead of 180.",
        suffers="Memories fade faster than the design says, and their order changes.",
        breaks=SCORE,
        killed_by=foundation("freshness-halves-every-180-days"),
        base="filesystem",
        seed=figure(half_life_days=179.0),
    ),
    *(
        Fault(
            name=f"{scope}-affinity-a-little-off",
            change=f"The scope affinity of a {scope} record is {wrong} instead of {right}.",
            suffers="Memories of two places come in the wrong order.",
            breaks=SCORE,
            killed_by=foundation(killer),
            base="filesystem",
            seed=figure(**{f"{scope}_affinity": wrong}),
        )
        for scope, right, wrong, killer in (
            ("project", FOUNDATION.project_affinity, 0.99, "the-best-memory-of-all-scores-1"),
            (
                "workspace",
                FOUNDATION.workspace_affinity,
                0.91,
                "a-fresh-workspace-fact-has-the-score-of-the-page",
            ),
            (
                "user",
                FOUNDATION.user_affinity,
                0.81,
                "the-weakest-memory-that-passes-has-little-but-its-type",
            ),
        )
    ),
    Fault(
        name="bm25-in-the-lexical-feature",
        change="The lexical feature is a rank in the manner of BM25 instead of the coverage.",
        suffers="A short memory that repeats a word is relevant, a long one that answers isn't.",
        breaks=(*SCORE, *foundation("tokens-are-words-their-slices-and-cjk-pairs")),
        killed_by=foundation(
            "a-fresh-workspace-fact-has-the-score-of-the-page",
            "every-part-of-a-record-s-text-is-found",
        ),
        base="filesystem",
        seed=_featuring(lexical=_bm25),
    ),
    Fault(
        name="coverage-of-the-record",
        change="The lexical feature is the share of the record's tokens that the query has.",
        suffers="Long memories are never found.",
        breaks=(*SCORE, *foundation("tokens-are-words-their-slices-and-cjk-pairs")),
        killed_by=foundation(
            "a-fresh-workspace-fact-has-the-score-of-the-page",
            "every-part-of-a-record-s-text-is-found",
        ),
        base="filesystem",
        seed=_featuring(lexical=_of_the_record),
    ),
    Fault(
        name="the-future-is-fresher-than-now",
        change="What is observed in the future is fresher than 1.",
        suffers="A wrong clock on one machine puts its memories first for good.",
        breaks=SCORE,
        killed_by=foundation(
            "what-is-observed-in-the-future-is-no-fresher-than-what-is-observed-now"
        ),
        base="filesystem",
        seed=_featuring(freshness=_unbounded_freshness),
    ),
    Fault(
        name="fresh-since-the-update",
        change="Freshness counts from the update instead of the observation.",
        suffers="Correcting a typing error makes an old observation new.",
        breaks=(*SCORE, *foundation("records-get-typed-defaults")),
        killed_by=foundation(
            "freshness-alone-decides-an-order", "the-age-counts-from-what-is-known"
        ),
        base="filesystem",
        seed=_featuring(freshness=_since_update),
    ),
    Fault(
        name="fresh-since-the-creation",
        change="Without an observation freshness counts from the creation, not the update.",
        suffers="What was confirmed yesterday counts as old.",
        breaks=foundation("records-get-typed-defaults"),
        killed_by=foundation("the-age-counts-from-what-is-known"),
        base="filesystem",
        seed=_featuring(freshness=_since_creation),
    ),
    Fault(
        name="confidence-fades",
        change="Confidence is multiplied by freshness.",
        suffers="What is as sure as ever is doubted because it is old, and age counts twice.",
        breaks=SCORE,
        killed_by=foundation("a-fresh-workspace-fact-has-the-score-of-the-page"),
        base="filesystem",
        seed=_featuring(confidence=_fading_confidence),
    ),
    # --- order -----------------------------------------------------------------------------------
    Fault(
        name="older-update-first",
        change="Of two memories with the same score the one updated earlier comes first.",
        suffers="The limit cuts off what was written last.",
        breaks=ORDER,
        killed_by=foundation("the-later-update-comes-first"),
        base="filesystem",
        seed=stage(order_key=_older_update_first),
    ),
    Fault(
        name="updates-by-the-minute",
        change="Updates in the same minute count as one time.",
        suffers="Of two notes in one conversation the older may come first.",
        breaks=ORDER,
        killed_by=foundation("updates-are-compared-as-instants"),
        base="filesystem",
        seed=stage(order_key=_by_the_minute),
    ),
    Fault(
        name="update-before-score",
        change="Memories with about the same score are ordered by their update.",
        suffers="What is a little more important is cut off, because it is older.",
        breaks=ORDER,
        killed_by=foundation("a-better-score-comes-before-a-later-update"),
        base="filesystem",
        seed=stage(order_key=_update_first),
    ),
    Fault(
        name="ids-backwards",
        change="Of two equal memories the one with the greater id comes first.",
        suffers="Two stores cut off different memories.",
        breaks=ORDER,
        killed_by=foundation("equal-memories-come-by-id"),
        base="filesystem",
        seed=stage(order_key=_ids_backwards),
    ),
    Fault(
        name="ids-without-case",
        change="Ids are compared without regard to case, as in the rules of a language.",
        suffers="The same store orders differently on two computers.",
        breaks=ORDER,
        killed_by=foundation("ids-are-compared-by-code-point"),
        base="filesystem",
        seed=stage(order_key=_ids_without_case),
    ),
    Fault(
        name="equal-memories-as-they-come",
        change="Equal memories come in the order in which the folder names them.",
        suffers="A copied folder answers in another order.",
        breaks=ORDER,
        killed_by=foundation("equal-memories-come-by-id"),
        base="filesystem",
        seed=stage(order_key=_as_they_come),
    ),
)
