"""Hints, features, score and order, with figures worked out by hand."""

import dataclasses

import msgspec
import pytest

from memconform.model import Features, RecordDraft
from memconform.retrieval.constants import FOUNDATION
from memconform.retrieval.ranking import (
    Match,
    Ranked,
    clamp,
    features_of,
    final_score,
    freshness,
    matching,
    order_key,
    scope_affinity,
    type_affinity,
    type_hints,
)
from memconform.retrieval.records import record_from_draft
from memconform.retrieval.stage import Dropped
from memconform.retrieval.tokens import Tokens

NOW = "2026-06-30T00:00:00.000Z"
PREFERENCE = {"preference"}
DECISION = {"decision"}
IDENTITY = {"fact", "relationship"}


def make(id="one", content="The ferry runs daily", **fields):
    draft_fields = {k: fields.pop(k) for k in ("scope", "type", "tags") if k in fields}
    draft = RecordDraft(content=content, workspace="/w", **draft_fields)
    return msgspec.structs.replace(record_from_draft(draft, id=id, now=NOW), **fields)


@pytest.mark.parametrize(
    ("query", "types"),
    [
        ("What do I prefer for lunch?", PREFERENCE),
        ("my preference", PREFERENCE),
        ("favorite tea", PREFERENCE),
        ("favourite tea", PREFERENCE),
        ("what tea do I LIKE", PREFERENCE),
        ("他的偏好", PREFERENCE),
        ("我喜欢什么茶", PREFERENCE),
        ("早上的习惯", PREFERENCE),
        ("what did we decide", DECISION),
        ("the decision on tea", DECISION),
        ("which tea was chosen", DECISION),
        ("our choice", DECISION),
        ("上次的决定", DECISION),
        ("为什么选择茶", DECISION),
        ("上周的决策", DECISION),
        ("Who am I?", IDENTITY),
        ("What's my name?", IDENTITY),
        ("my identity", IDENTITY),
        ("a profile", IDENTITY),
        ("我是谁", IDENTITY),
        ("请说我的名字", IDENTITY),
        ("我的身份", IDENTITY),
        # More than one at once.
        ("do I like our choice", PREFERENCE | DECISION),
        # NFKC, and CJK beside a word is the end of the word.
        ("ｌｉｋｅ", PREFERENCE),
        ("我like茶", PREFERENCE),
        ("my,\nname", IDENTITY),
        # Whole words only.
        ("likely", set()),
        ("unlike", set()),
        ("like_this", set()),
        ("like2", set()),
        ("preferences", set()),
        ("preferred", set()),
        ("favorites", set()),
        ("decided", set()),
        ("decisions", set()),
        ("choices", set()),
        ("profiles", set()),
        ("identityless", set()),
        ("my names", set()),
        ("tommy name", set()),
        ("who am it", set()),
        ("name my tea", set()),
        ("偏 好", set()),
        ("名字", set()),
        ("", set()),
    ],
)
def test_the_types_that_a_query_hints_at(query, types):
    assert type_hints(query).types == types


@pytest.mark.parametrize(
    ("query", "kind", "tags", "affinity"),
    [
        ("what do I like", "preference", (), 1),
        ("what do I like", "fact", (), 0),
        ("what do I like", "fact", ("preference",), 1),
        ("what do I like", "fact", ("Preferences",), 1),
        ("what do I like", "fact", ("偏好",), 1),
        ("what do I like", "fact", ("identity",), 0),
        ("who am i", "fact", (), 1),
        ("who am i", "relationship", (), 1),
        ("who am i", "insight", (), 0),
        ("who am i", "insight", ("ＩＤＥＮＴＩＴＹ",), 1),
        ("who am i", "insight", ("profile",), 1),
        ("who am i", "insight", ("身份",), 1),
        ("who am i", "insight", ("preference",), 0),
        ("who am i", "insight", ("my identity",), 0),
        ("what did we decide", "decision", (), 1),
        # A decision tag makes the type of a record, but answers no hint by itself.
        ("what did we decide", "insight", ("decision",), 0),
        ("tea", "preference", ("preference",), 0),
    ],
)
def test_type_affinity(query, kind, tags, affinity):
    assert type_affinity(make(type=kind, tags=tags), type_hints(query)) == affinity


@pytest.mark.parametrize(("scope", "affinity"), [("project", 1), ("workspace", 0.9), ("user", 0.8)])
def test_scope_affinity(scope, affinity):
    assert scope_affinity(make(scope=scope)) == affinity


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        (NOW, 1.0),
        # 2026-01-01 is 180 days before 2026-06-30: 31 + 28 + 31 + 30 + 31 + 29.
        ("2026-01-01T00:00:00Z", 0.5),
        # 180 days earlier: 2025-07-05 (31 of July less 4 = 27, 31, 30, 31, 30, 31: 180).
        ("2025-07-05T00:00:00Z", 0.25),
        # The square root of a half, 90 days: 2026-04-01 (30 + 31 + 29).
        ("2026-04-01T00:00:00Z", 0.7071067811865476),
        # Nothing is fresher than now.
        ("2027-01-01T00:00:00Z", 1.0),
        ("long ago", 1.0),
    ],
)
def test_freshness(observed, expected):
    assert freshness(make(observed_at=observed), NOW) == pytest.approx(expected, abs=1e-15)


def test_freshness_falls_back_to_the_update():
    record = make(
        observed_at=None, updated_at="2026-01-01T00:00:00Z", created_at="2020-01-01T00:00Z"
    )
    assert freshness(record, NOW) == 0.5


@pytest.mark.parametrize(
    ("value", "clamped"),
    [
        (0.5, 0.5),
        (-0.1, 0.0),
        (1.1, 1.0),
        (float("nan"), 0.0),
        (float("inf"), 0.0),
        (float("-inf"), 0.0),
    ],
)
def test_clamping(value, clamped):
    assert clamp(value) == clamped


def test_features_of_a_match():
    record = make(
        type="decision",
        observed_at="2026-01-01T00:00:00Z",
        importance=float("nan"),
        confidence=3.0,
    )
    features = features_of(
        Match(record, 9), Tokens(("w",) * 24, truncated=False), type_hints("our choice"), NOW
    )
    assert features == Features(
        lexical=0.375,
        scope_affinity=0.9,
        type_affinity=1.0,
        freshness=0.5,
        importance=0.0,
        confidence=1.0,
    )


def score(*values):
    return final_score(Features(**dict(zip(Features.__struct_fields__, values, strict=True))))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # lexical, scope, type, freshness, importance, confidence
        ((1, 0.9, 0, 1, 0.5, 1), 0.8525),
        ((1, 0.9, 0, 0.5, 0.5, 1), 0.8025),
        # .55 x .4 + .1 x .8 + .1 + .1 x .25 + .075 x .8 + .075 x .6 = .22+.08+.1+.025+.06+.045
        ((0.4, 0.8, 1, 0.25, 0.8, 0.6), 0.53),
        ((1, 0, 0, 0, 0, 0), 0.55),
        ((0, 1, 0, 0, 0, 0), 0.10),
        ((0, 0, 1, 0, 0, 0), 0.10),
        ((0, 0, 0, 1, 0, 0), 0.10),
        ((0, 0, 0, 0, 1, 0), 0.075),
        ((0, 0, 0, 0, 0, 1), 0.075),
        ((0, 0, 0, 0, 0, 0), 0.0),
        ((1, 1, 1, 1, 1, 1), 1.0),
    ],
)
def test_the_final_score(values, expected):
    assert round(score(*values), 9) == expected
    assert score(*values) <= 1


def test_the_sum_is_made_in_the_order_of_the_features():
    # Whoever adds from the other end gets another last digit, and with it other ties.
    forward = ((((0.55 * 0.7 + 0.1 * 0.9) + 0.1 * 0.3) + 0.1 * 0.6) + 0.075 * 0.1) + 0.075 * 0.2
    backward = 0.55 * 0.7 + (0.1 * 0.9 + (0.1 * 0.3 + (0.1 * 0.6 + (0.075 * 0.1 + 0.075 * 0.2))))
    assert forward != backward
    assert score(0.7, 0.9, 0.3, 0.6, 0.1, 0.2) == forward


def ids_in_order(*ranked):
    return [r.record.id for r in sorted(ranked, key=order_key)]


def ranked(id, score=0.5, updated_at=NOW):
    features = Features(**dict.fromkeys(Features.__struct_fields__, 0.5))
    return Ranked(make(id, updated_at=updated_at), features, score)


def test_score_decides_before_the_update_and_the_update_before_the_id():
    earlier = "2026-06-29T23:59:59.999Z"
    assert ids_in_order(
        ranked("a", 0.5, earlier), ranked("b", 0.5), ranked("c", 0.6, earlier), ranked("d", 0.5)
    ) == ["c", "b", "d", "a"]


def test_updates_are_compared_as_times():
    # An hour later, though its text sorts first.
    later = "2026-06-29T23:00:00-02:00"
    assert ids_in_order(ranked("a"), ranked("b", updated_at=later)) == ["b", "a"]
    assert ids_in_order(ranked("a", updated_at="never"), ranked("b")) == ["b", "a"]


def test_ids_are_compared_by_code_point():
    # UTF-16 would put U+10000 (first unit D800) before U+FF5E.
    ids = ["\U00010000", "\uff5e", "ä", "z", "a", "Z", "10", "9"]
    assert ids_in_order(*map(ranked, ids)) == [
        "10",
        "9",
        "Z",
        "a",
        "z",
        "ä",
        "\uff5e",
        "\U00010000",
    ]


def test_candidates_share_a_token_or_are_hinted_at():
    near, liked, far = make("near"), make("liked", type="preference"), make("far")
    sets = {"near": {"wferry", "wtea"}, "liked": {"wsoup"}, "far": {"wsoup"}}
    stage = matching(
        [far, liked, near],
        ("wferry", "wtea", "wlike"),
        type_hints("like"),
        lambda record: sets[record.id],
    )
    assert stage.kept == (Match(liked, 0), Match(near, 2))
    assert stage.dropped == (Dropped("far", "no-match"),)


def test_a_replaced_weight_acts():
    flat = dataclasses.replace(FOUNDATION, lexical_weight=0.0)
    features = Features(**dict.fromkeys(Features.__struct_fields__, 1.0))
    assert round(final_score(features, flat), 9) == 0.45
    assert flat.weights.lexical == 0
