"""Every rule of the decision at, just under and just over its threshold, and every order of two.

The figures are worked out by hand: belief = alpha / (alpha + beta), risk
= base + .3 (1 - belief) + min(.3, .15 harm).
"""

import itertools

import pytest

from memconform.authority import AUTHORITY, Subject, after, belief, decide, first_belief, risk_of
from memconform.authority.belief import increments
from memconform.model import from_plain
from memconform.model.authority import CLAIM_KINDS, DecisionPolicy

NOW = "2026-06-30T00:00:00Z"
PAST = "2026-06-29T00:00:00Z"


def decided(kind="preference", alpha=6, beta=1, harm=0, relevance=1.0, freshness=1.0, **more):
    subject = Subject(
        kind=kind,
        state=more.pop("state", "active"),
        valid_until=more.pop("valid_until", None),
    )
    return decide(
        subject,
        belief(alpha, beta, harm),
        relevance=relevance,
        freshness=freshness,
        now=NOW,
        **more,
    )


def told(**given):
    decision = decided(**given)
    return decision.action, decision.reasons


USE = ("use", ["authority_thresholds_passed"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # 1. state
        ({"state": "active"}, USE),
        ({"state": "superseded"}, ("ignore", ["claim_not_active"])),
        ({"state": "tombstoned"}, ("ignore", ["claim_not_active"])),
        # 2. validity: the end itself is no longer valid
        ({"valid_until": "2026-06-30T00:00:00.001Z"}, USE),
        ({"valid_until": NOW}, ("verify", ["claim_expired"])),
        ({"valid_until": "2026-06-29T23:59:59.999Z"}, ("verify", ["claim_expired"])),
        # 3. harm; 84, 6 with one report is used (edge of the risk, below)
        ({"kind": "preference", "alpha": 98, "beta": 2, "harm": 1}, USE),
        (
            {"kind": "preference", "alpha": 98, "beta": 2, "harm": 2},
            ("ignore", ["harmful_quarantine"]),
        ),
        (
            {"kind": "preference", "alpha": 98, "beta": 2, "harm": 3},
            ("ignore", ["harmful_quarantine"]),
        ),
        # 4. relevance
        ({"relevance": 0.119999999}, ("ignore", ["low_relevance"])),
        ({"relevance": 0.12}, USE),
        ({"relevance": 0.120000001}, USE),
        ({"relevance": 0.0}, ("ignore", ["low_relevance"])),
        # 5. freshness
        ({"freshness": 0.199999999}, ("verify", ["stale_memory"])),
        ({"freshness": 0.2}, USE),
        ({"freshness": 0.200000001}, USE),
        # 6a. belief: 7 / 10 is .7; the risk of a preference is then .12 + .09 = .21
        ({"alpha": 7, "beta": 3}, USE),
        ({"alpha": 6.99999999, "beta": 3.00000001}, ("verify", ["belief_below_use_threshold"])),
        ({"alpha": 7.00000001, "beta": 2.99999999}, USE),
        # 6b. risk: .40 + .3 x 3/18 = .45, and .28 + .3 x 6/90 + .15 = .45
        ({"kind": "warning", "alpha": 15, "beta": 3}, USE),
        ({"kind": "procedure", "alpha": 84, "beta": 6, "harm": 1}, USE),
        (
            {"kind": "warning", "alpha": 14.999999, "beta": 3.000001},
            ("verify", ["risk_above_use_threshold"]),
        ),
        ({"kind": "warning", "alpha": 15.000001, "beta": 2.999999}, USE),
        (
            {"kind": "procedure", "alpha": 83, "beta": 7, "harm": 1},
            ("verify", ["risk_above_use_threshold"]),
        ),
        # 6. both: .40 + .3 x .5 = .55
        (
            {"kind": "warning", "alpha": 5, "beta": 5},
            ("verify", ["belief_below_use_threshold", "risk_above_use_threshold"]),
        ),
    ],
)
def test_each_rule_at_its_threshold(given, expected):
    assert told(**given) == expected


def test_a_difference_below_nine_decimals_is_none():
    assert told(relevance=0.12 - 4e-10) == USE
    assert told(relevance=0.12 - 6e-10) == ("ignore", ["low_relevance"])
    assert told(freshness=0.2 - 4e-10) == USE
    # In binary .28 + .3 x 6/90 + .15 is a little more than .45; compared it isn't.
    assert 0.28 + 0.3 * (1 - 84 / 90) + 0.15 > 0.45
    assert told(kind="procedure", alpha=84, beta=6, harm=1) == USE


# Each rule with what makes it apply and nothing before it.
RULES = [
    ("claim_not_active", "ignore", {"state": "superseded"}),
    ("claim_expired", "verify", {"valid_until": PAST}),
    ("harmful_quarantine", "ignore", {"harm": 2}),
    ("low_relevance", "ignore", {"relevance": 0.1}),
    ("stale_memory", "verify", {"freshness": 0.1}),
    ("belief_below_use_threshold", "verify", {"alpha": 6, "beta": 4}),
]


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(RULES, 2)))
def test_of_two_rules_the_earlier_decides(first, second):
    reason, action, given = first
    assert told(**given) == (action, [reason])
    assert told(**second[2]) == (second[1], [second[0]])
    assert told(**given, **second[2]) == (action, [reason])


def test_all_rules_at_once_give_way_one_by_one():
    """Taking the reasons away from the first on shows the whole order."""
    seen = []
    for start in range(len(RULES)):
        given = {}
        for _, _, part in RULES[start:]:
            given |= part
        seen.append(told(**given))
    assert seen == [(action, [reason]) for reason, action, _ in RULES]


def test_the_scores_of_a_decision():
    scores = decided(relevance=1 / 3, freshness=2 / 3).scores
    # .12 + .3 / 7 = .162857142857...
    assert (scores.relevance, scores.freshness) == (0.333333333, 0.666666667)
    assert (scores.belief, scores.risk) == (0.857142857, 0.162857143)


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        ("preference", 0.12),
        ("fact", 0.20),
        ("procedure", 0.28),
        ("constraint", 0.34),
        ("warning", 0.40),
    ],
)
def test_risk_by_kind(kind, base):
    half = belief(1, 1)
    assert risk_of(kind, half) == pytest.approx(base + 0.15, abs=1e-12)
    assert risk_of(kind, belief(1, 1, 1)) == pytest.approx(base + 0.30, abs=1e-12)
    # Two reports reach the most that harm adds, three add no more; never above 1.
    assert risk_of(kind, belief(1, 1, 2)) == pytest.approx(base + 0.45, abs=1e-12)
    assert risk_of(kind, belief(1, 1, 3)) == pytest.approx(base + 0.45, abs=1e-12)


def test_risk_is_clamped():
    hard = DecisionPolicy(warning_risk=0.9)
    assert risk_of("warning", belief(1, 9, 2), hard) == 1.0


@pytest.mark.parametrize("kind", ["constraint", "warning"])
def test_a_constraint_or_warning_with_one_report_of_harm_is_never_used(kind):
    # Even a belief of nearly 1 leaves .34 + .15 = .49.
    for alpha in (6, 100, 10**9):
        assert told(kind=kind, alpha=alpha, beta=1, harm=1) == (
            "verify",
            ["risk_above_use_threshold"],
        )


@pytest.mark.parametrize("kind", ["preference", "fact", "procedure"])
def test_the_other_kinds_come_back_from_one_report_of_harm(kind):
    assert told(kind=kind, alpha=96, beta=4, harm=1) == USE


# --- belief ----------------------------------------------------------------------------------


def test_first_beliefs():
    explicit, heuristic = first_belief("explicit"), first_belief("heuristic")
    assert (explicit.alpha, explicit.beta, explicit.harmful_count) == (6, 1, 0)
    assert (heuristic.alpha, heuristic.beta, heuristic.harmful_count) == (4, 2, 0)
    assert explicit.score == pytest.approx(0.857, abs=0.0005)
    assert heuristic.score == pytest.approx(0.667, abs=0.0005)


def test_a_guess_is_not_used_before_somebody_has_confirmed_it():
    assert told(alpha=4, beta=2) == ("verify", ["belief_below_use_threshold"])
    helped = after(first_belief("heuristic"), "helped")
    # 5 / 7 = .714, and .12 + .3 x 2/7 = .206
    decision = decided(alpha=helped.alpha, beta=helped.beta)
    assert decision.action == "use"
    assert decision.scores.belief == pytest.approx(0.714, abs=0.0005)
    assert decision.scores.risk == pytest.approx(0.206, abs=0.0005)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("helped", (7, 1, 0)),
        ("harmful", (6, 6, 1)),
        ("stale", (6, 3, 0)),
        ("conflict", (6, 5, 0)),
        ("unknown", (6, 1, 0)),
    ],
)
def test_each_report_moves_the_belief(outcome, expected):
    moved = after(first_belief("explicit"), outcome)
    assert (moved.alpha, moved.beta, moved.harmful_count) == expected
    assert moved.score == expected[0] / (expected[0] + expected[1])
    alpha, beta, harm = increments(outcome)
    assert (6 + alpha, 1 + beta, harm) == expected


def test_two_reports_of_harm():
    moved = first_belief("explicit")
    for _ in range(2):
        moved = after(moved, "harmful")
    assert moved.score == pytest.approx(6 / (6 + 1 + 10))
    assert moved.score == pytest.approx(0.353, abs=0.0005)
    assert told(alpha=moved.alpha, beta=moved.beta, harm=moved.harmful_count)[1] == [
        "harmful_quarantine"
    ]


def test_five_reports_of_help_do_not_mend_one_of_harm():
    moved = after(first_belief("explicit"), "harmful")
    for _ in range(5):
        moved = after(moved, "helped")
    assert (moved.alpha, moved.beta) == (11, 6)
    assert moved.score == pytest.approx(0.647, abs=0.0005)
    assert told(alpha=11, beta=6, harm=1) == ("verify", ["belief_below_use_threshold"])
    # Three more do: 14 / 20 = .7, risk .12 + .09 + .15 = .36.
    assert told(alpha=14, beta=6, harm=1) == USE


def test_every_threshold_is_configuration():
    given = {"relevance": 0.5, "freshness": 0.5, "alpha": 6, "beta": 4, "harm": 1}
    for policy, expected in [
        ({"useBelief": 0.6}, USE),
        ({"useBelief": 0.6, "quarantineCount": 1}, ("ignore", ["harmful_quarantine"])),
        ({"useBelief": 0.6, "leastRelevance": 0.6}, ("ignore", ["low_relevance"])),
        ({"useBelief": 0.6, "leastFreshness": 0.6}, ("verify", ["stale_memory"])),
        # .12 + .3 x .4 + .15 = .39
        ({"useBelief": 0.6, "mostRisk": 0.39}, USE),
        ({"useBelief": 0.6, "mostRisk": 0.38}, ("verify", ["risk_above_use_threshold"])),
        ({"useBelief": 0.6, "preferenceRisk": 0.19}, ("verify", ["risk_above_use_threshold"])),
        ({"useBelief": 0.6, "doubtWeight": 0.5}, ("verify", ["risk_above_use_threshold"])),
        ({"useBelief": 0.6, "harmWeight": 0.3}, ("verify", ["risk_above_use_threshold"])),
        ({"useBelief": 0.6, "harmWeight": 0.3, "harmLimit": 0.2}, USE),
    ]:
        assert told(**given, policy=from_plain(policy, DecisionPolicy)) == expected, policy


def test_every_kind_has_a_base_risk():
    policy = AUTHORITY.decision
    assert [policy.base_risk(kind) for kind in CLAIM_KINDS] == [0.12, 0.34, 0.20, 0.28, 0.40]
