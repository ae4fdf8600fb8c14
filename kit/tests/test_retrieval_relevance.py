"""The gate: both floors at, just under, and as numbers of shared tokens."""

import dataclasses
from fractions import Fraction

import pytest

from memconform.model import Features
from memconform.retrieval.constants import FOUNDATION
from memconform.retrieval.relevance import Gate, floor_for, gate_for, minimum_overlap

LATIN, CJK = 0.40, 1 / 3


def features(lexical, type_affinity=0.0):
    return Features(
        lexical=lexical,
        scope_affinity=0.9,
        type_affinity=type_affinity,
        freshness=1.0,
        importance=0.5,
        confidence=1.0,
    )


@pytest.mark.parametrize(
    ("query", "floor"),
    [
        ("ferry times", LATIN),
        ("", LATIN),
        ("ｆｅｒｒｙ", LATIN),
        ("渡轮", CJK),
        ("ferry 渡", CJK),
        ("ferry ｶ", CJK),
    ],
)
def test_the_floor_depends_on_any_cjk_character(query, floor):
    assert floor_for(query) == floor


@pytest.mark.parametrize(
    ("floor", "lexical", "passes"),
    [
        (LATIN, 0.4, True),
        (LATIN, 2 / 5, True),
        (LATIN, 0.399, False),
        # The nearest that a coverage can come: 51 of 128.
        (LATIN, 51 / 128, False),
        (LATIN, 52 / 128, True),
        (LATIN, 11 / 28, False),
        (LATIN, 7 / 23, False),
        (CJK, 2 / 6, True),
        (CJK, 1 / 3, True),
        (CJK, 1 / 3 - 0.001, False),
        # Likewise: 42 of 127.
        (CJK, 42 / 127, False),
        (CJK, 43 / 127, True),
        (CJK, 0.375, True),
        (LATIN, 0.375, False),
    ],
)
def test_at_and_just_under_the_floor(floor, lexical, passes):
    assert Gate(floor).passes(features(lexical)) is passes


def test_these_are_the_nearest_coverages_under_the_floors():
    shares = {Fraction(k, n) for n in range(1, 129) for k in range(n + 1)}
    assert max(s for s in shares if s < Fraction(2, 5)) == Fraction(51, 128)
    assert max(s for s in shares if s < Fraction(1, 3)) == Fraction(42, 127)


def test_type_affinity_passes_without_a_shared_token():
    assert Gate(LATIN).passes(features(0.0, type_affinity=1.0))


def test_the_historical_gate_asks_for_more_than_nothing():
    gate = gate_for("ferry", "historical-v1")
    assert gate.passes(features(1 / 128))
    assert gate.passes(features(0.0, type_affinity=1.0))
    assert not gate.passes(features(0.0))
    assert gate.minimum_overlap(128) == 1


@pytest.mark.parametrize(
    # In whole numbers, so that no rounding is shared with the code: k/n >= 2/5 means 5k >= 2n.
    ("query", "least"),
    [("ferry", lambda n: -(-2 * n // 5)), ("渡轮", lambda n: -(-n // 3))],
)
def test_the_least_overlap_is_what_the_gate_lets_pass(query, least):
    gate = gate_for(query, "foundation-v1")
    for n in range(1, 129):
        minimum = gate.minimum_overlap(n)
        assert minimum == least(n)
        for k in range(n + 1):
            assert gate.passes(features(k / n)) is (k >= minimum)


@pytest.mark.parametrize("floor", [0.07, 0.1, 0.29, 0.3, 0.35, 0.398, 0.402, 0.57, 0.7, 1.0])
def test_the_least_overlap_of_any_other_floor(floor):
    # 0.07 x 100 is a little more than 7 in floating point, yet 7 / 100 is 0.07.
    for n in range(1, 129):
        minimum = minimum_overlap(n, floor)
        assert minimum / n >= floor
        assert (minimum - 1) / n < floor


def test_the_least_overlap_at_the_edges():
    assert minimum_overlap(0, 0.4) == 1
    assert minimum_overlap(7, 0.0) == 0


def test_a_replaced_floor_acts():
    lower = dataclasses.replace(FOUNDATION, floor=0.398)
    assert gate_for("ferry", "foundation-v1", lower).passes(features(51 / 128))
    assert not gate_for("渡轮", "foundation-v1", lower).passes(features(42 / 127))
