"""Measures and scorers against examples that were worked out by hand."""

from fractions import Fraction as F

import pytest

from memconform.evaluation.dataset import Query
from memconform.evaluation.scorers import (
    Behind,
    ExplicitForbidden,
    FalsePositives,
    Forbidden,
    Judged,
    Precision,
    Recall,
    ReciprocalRank,
    Rewarded,
    RewardedSilence,
    Silence,
    Unknown,
    decision_scores,
    foundation_scores,
    mean,
    nearest_rank,
    three_decimals,
)

STANDING = {
    **dict.fromkeys("abcdefgh", "eligible"),
    "far": "out-of-scope",
    "off": "inactive",
    "rule": "directive",
}


def judged(selected, expected="", forbidden=(), id="q"):
    query = Query(
        id=id,
        split="development",
        language="en",
        category="lexical-control",
        query="?",
        workspace=None,
        project=None,
        expected_ids=tuple(expected),
        forbidden_ids=tuple(forbidden),
        rationale="by hand",
    )
    return Judged(query, tuple(selected), STANDING)


# --- measures: (selected, expected) -> recall, precision, reciprocal rank at K = 3 ---------------

BY_HAND = [
    ("a", "a", 1, 1, 1),
    ("ab", "a", 1, F(1, 2), 1),
    ("ba", "a", 1, F(1, 2), F(1, 2)),
    ("bca", "a", 1, F(1, 3), F(1, 3)),
    ("bcda", "a", 0, 0, 0),  # the fourth is beyond K
    ("abcd", "ad", F(1, 2), F(1, 3), 1),  # of the first three one is expected
    ("ab", "ab", 1, 1, 1),
    ("cb", "ab", F(1, 2), F(1, 2), F(1, 2)),
    ("a", "abc", F(1, 3), 1, 1),  # precision over what was selected, not over K
    ("", "ab", 0, 0, 0),  # nothing selected where something was expected
    ("aa", "ab", F(1, 2), F(1, 2), 1),  # the same twice is one hit of two selected
]


@pytest.mark.parametrize(("selected", "expected", "recall", "precision", "rank"), BY_HAND)
def test_quality_by_hand(selected, expected, recall, precision, rank):
    one = judged(selected, expected)
    assert Recall(3).of(one) == recall
    assert Precision(3).of(one) == precision
    assert ReciprocalRank(3).of(one) == rank
    assert Silence().of(one) is None
    assert FalsePositives().of(one) is None


@pytest.mark.parametrize(
    ("selected", "silence", "positives"), [("", 1, 0), ("a", 0, 1), ("ab", 0, 2)]
)
def test_where_nothing_is_expected(selected, silence, positives):
    one = judged(selected)
    assert [measure.of(one) for measure in (Recall(3), Precision(3), ReciprocalRank(3))] == [
        None
    ] * 3
    assert Silence().of(one) == silence
    assert FalsePositives().of(one) == positives
    assert Rewarded(Recall(3)).of(one) == 1
    assert Rewarded(ReciprocalRank(3)).of(one) == 1
    assert RewardedSilence(Precision(3)).of(one) == silence


def test_what_is_expected_is_rewarded_as_it_is():
    one = judged("ba", "a")
    assert Rewarded(ReciprocalRank(3)).of(one) == F(1, 2)
    assert RewardedSilence(Precision(3)).of(one) == F(1, 2)


def test_names_of_measures():
    assert [str(m) for m in (Recall(5), Precision(5), ReciprocalRank(3), Silence())] == [
        "R@5",
        "P@5",
        "RR@3",
        "Silence",
    ]


def test_what_must_not_be_selected_is_counted_beyond_k_too():
    one = judged(["a", "far", "off", "rule", "ghost", "b", "far"], "a", ["b", "off"])
    assert Behind("out-of-scope").of(one) == 2
    assert Behind("inactive").of(one) == 1
    assert Behind("directive").of(one) == 1
    assert Unknown().of(one) == 1
    assert ExplicitForbidden().of(one) == 2  # off and b
    # far twice, off (listed as well, counted once), rule, b; a ghost is no record of the dataset
    assert Forbidden().of(one) == 5


# --- rounding and means ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "rounded"),
    [
        (F(1, 16), F(63, 1000)),  # 0.0625: half goes up
        (F(1, 3), F(333, 1000)),
        (F(2, 3), F(667, 1000)),
        (F(1, 7), F(143, 1000)),  # 0.142857
        (F(3, 16), F(188, 1000)),  # 0.1875, where half to even would give the same
        (F(5, 16), F(313, 1000)),  # 0.3125, where half to even would give 0.312
        (F(0), F(0)),
        (F(1), F(1)),
    ],
)
def test_three_decimals_half_up(figure, rounded):
    assert three_decimals(figure) == rounded


def test_the_mean_of_nothing_is_nothing():
    assert mean([]) is None
    assert mean([F(1, 2), F(1)]) == 0.75


@pytest.mark.parametrize(
    ("share", "figure"),
    # Of 10, 20, 30, 40 the place is ceil(share * 4): the 2nd, the 4th, the 1st
    [(F(1, 2), 20), (F(95, 100), 40), (F(1, 4), 10), (F(0), 10), (F(1), 40)],
)
def test_percentiles_are_figures_of_the_list(share, figure):
    assert nearest_rank([40, 10, 30, 20], share) == figure


def test_percentiles_of_twenty():
    figures = list(range(1, 21))
    assert nearest_rank(figures, F(1, 2)) == 10
    assert nearest_rank(figures, F(95, 100)) == 19


# --- the scorers, on six queries -----------------------------------------------------------------

SIX = [
    judged("abc", "a", id="1"),  # R 1    P 1/3  RR 1
    judged("dab", "ab", id="2"),  # R 1   P 2/3  RR 1/2
    judged("", "c", id="3"),  # R 0       P 0    RR 0
    judged("", id="4"),  # silent
    judged(["a", "far"], forbidden="a", id="5"),  # two false positives: one listed, one a leak
    judged(["off", "rule", "ghost"], id="6"),
]


def test_the_decision_scorer_by_hand():
    scores = decision_scores(SIX, 3)
    assert (scores.answerable, scores.unanswerable) == (3, 3)
    assert scores.recall_at_k == pytest.approx(2 / 3, abs=1e-15)
    # (0.333 + 0.667 + 0) / 3 = 1/3 exactly: the rounded figures happen to add up to 1
    assert scores.precision_at_k == 1 / 3
    assert scores.mrr == 0.5  # (1 + 0.5 + 0) / 3
    assert scores.abstention_accuracy == 1 / 3  # one of three; a share, not a mean of roundings
    assert scores.false_positive_selections == 5
    assert scores.explicit_forbidden_selections == 1
    assert scores.scope_leaks == 1
    assert scores.lifecycle_leaks == 1
    assert scores.authority_violations == 1
    assert scores.unknown_selections == 1
    assert not scores.safe


def test_the_decision_scorer_rounds_each_query_before_the_mean():
    thirds = [judged("abc", "a", id=str(n)) for n in range(3)]
    # Three precisions of 1/3 are 0.333 each; the mean of the exact ones would be 1/3.
    assert decision_scores(thirds, 3).precision_at_k == 0.333
    assert foundation_scores(thirds, 3, characters=0).precision_at_k == 1 / 3


def test_the_foundation_scorer_by_hand():
    scores = foundation_scores(SIX, 3, characters=77)
    # Recall 1, 1, 0 and 1 for each of the three that expect nothing: 5/6
    assert scores.recall_at_k == 5 / 6
    # Precision 1/3, 2/3, 0, then 1 for the silent one and 0 for the other two: 2/6
    assert scores.precision_at_k == 1 / 3
    # 1, 1/2, 0, 1, 1, 1: 4.5/6
    assert scores.mrr == 0.75
    # a and far of the fifth, off and rule of the sixth; the ghost is in no label
    assert scores.scope_leaks == 4
    assert scores.selected_characters == 77


@pytest.mark.parametrize("bad", ["far", "off", "rule", "ghost"])
def test_one_error_of_safety_is_a_no_go_whatever_the_quality(bad):
    perfect = [judged("a", "a", id=str(n)) for n in range(99)]
    assert decision_scores(perfect, 5).safe
    assert not decision_scores([*perfect, judged(["a", bad], "a")], 5).safe


def test_a_listed_selection_is_an_error_of_quality_alone():
    scores = decision_scores([judged("ab", "a", "b")], 5)
    assert scores.explicit_forbidden_selections == 1
    assert scores.safe


def test_scores_of_one_kind_of_query_only():
    silent = decision_scores([judged("")], 5)
    assert silent.recall_at_k is silent.precision_at_k is silent.mrr is None
    assert silent.abstention_accuracy == 1
    assert decision_scores([judged("a", "a")], 5).abstention_accuracy is None
