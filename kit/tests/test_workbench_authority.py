"""The authority design in the workbench: rules, map, stories, and a database that is in use."""

import random

import pytest

pytest.importorskip("ipywidgets", reason="the lab extra isn't installed")

from memconform.authority import DESIGN, after, belief, first_belief
from memconform.authority.constants import Constants
from memconform.model import RecordDraft, Settings
from memconform.model.authority import CLAIM_KINDS, DecisionPolicy
from memconform.reference.authority import AuthorityStore
from memconform.reference.authority_audit import AuditTrouble
from memconform.reference.authority_tables import FILE, FOLDER
from memconform.workbench import AuthorityExplorer, ClaimHistories, authorityview, charts
from memconform.workbench.authoritystory import (
    Standing,
    checks,
    least_belief_by_risk,
    regions,
    sentence,
    told,
)
from memconform.workbench.charts.authority import belief_line, decision_map

NOW = "2026-06-30T00:00:00Z"
NEW = first_belief("explicit")


@pytest.fixture(autouse=True)
def _unbundled(monkeypatch):
    """Without the seconds that bundling Vega takes; the browser tests look at what it draws."""
    monkeypatch.setattr("altair.JupyterChart.enable_offline", lambda: None)


@pytest.fixture
def _undrawn(monkeypatch):
    """Without the pictures, where only figures are looked at."""
    for name in ("belief_line", "decision_map"):
        monkeypatch.setattr(authorityview, name, lambda *args, **fields: charts.nothing())
    monkeypatch.setattr(authorityview.charts, "set_variables", lambda *args, **fields: None)


def standing(kind="fact", trust=NEW, relevance=0.5, freshness=1.0):
    return Standing(kind=kind, belief=trust, relevance=relevance, freshness=freshness)


# --- rules and map -----------------------------------------------------------------------------


def marks(*args, **fields):
    return [check.mark for check in checks(standing(*args, **fields))]


def test_the_rules_as_far_as_they_are_reached():
    assert marks() == ["passed"] * 5
    after_harm = ["decides"] + ["not reached"] * 4
    assert marks(trust=belief(6, 11, 2)) == after_harm
    assert marks(relevance=0.11) == ["passed", "decides", *["not reached"] * 3]
    assert marks(freshness=0.19) == ["passed", "passed", "decides", *["not reached"] * 2]
    # Belief and risk are one rule: 2/3 is below .7, and .40 + .3/3 above .45.
    assert marks("warning", belief(4, 2)) == ["passed"] * 3 + ["decides"] * 2
    assert marks("fact", belief(4, 2)) == ["passed"] * 3 + ["decides", "passed"]
    # 4/5 is enough of belief, .40 + .06 too much of risk.
    assert marks("warning", belief(4, 1)) == ["passed"] * 4 + ["decides"]


def test_a_decision_in_words():
    assert sentence(standing().decision()) == (
        # .20 + .3 x 1/7
        "Use: nothing speaks against it (belief 0.857, risk 0.243)."
    )
    assert sentence(standing("warning", belief(4, 2)).decision()) == (
        "Verify: it is not believed enough and it is too risky (belief 0.667, risk 0.500)."
    )


@pytest.mark.parametrize(
    ("kind", "harmful", "least"),
    [
        # 1 - (.45 - base - .15 x harm) / .3
        ("preference", 0, 1 - 0.33 / 0.3),  # below 0: never too risky
        ("warning", 0, 1 - 0.05 / 0.3),
        ("procedure", 1, 1 - 0.02 / 0.3),
        ("constraint", 1, 1 + 0.04 / 0.3),  # above 1: always
    ],
)
def test_from_which_belief_on_the_risk_is_low_enough(kind, harmful, least):
    assert least_belief_by_risk(kind, harmful) == pytest.approx(least, abs=1e-9)


def test_without_a_weight_of_doubt_it_is_always_or_never():
    mild, stern = DecisionPolicy(doubt_weight=0), DecisionPolicy(doubt_weight=0, most_risk=0.1)
    assert least_belief_by_risk("fact", 0, mild) < 0
    assert least_belief_by_risk("fact", 0, stern) > 1


def told_by_regions(kind, harmful=0, freshness=1.0):
    return [
        (region.action, len(region.reasons), region.belief, region.relevance)
        for region in regions(kind, harmful, freshness)
    ]


def test_the_map_is_cut_at_its_thresholds():
    everything = (0, 1)
    assert told_by_regions("preference") == [
        ("ignore", 1, everything, (0, 0.12)),
        ("verify", 1, (0, 0.7), (0.12, 1)),
        ("use", 1, (0.7, 1), (0.12, 1)),
    ]
    assert told_by_regions("warning")[1:] == [
        ("verify", 2, (0, 0.7), (0.12, 1)),
        ("verify", 1, (0.7, 0.833333333), (0.12, 1)),
        ("use", 1, (0.833333333, 1), (0.12, 1)),
    ]
    assert told_by_regions("warning", harmful=2) == [("ignore", 1, everything, everything)]
    assert told_by_regions("fact", freshness=0.1) == [
        ("ignore", 1, everything, (0, 0.12)),
        ("verify", 1, everything, (0.12, 1)),
    ]


def test_every_point_of_the_map_is_what_is_decided_there():
    draw = random.Random(10)
    for kind in CLAIM_KINDS:
        for harmful in (0, 1, 2):
            fresh = draw.choice((0.1, 0.2, 1.0))
            found = regions(kind, harmful, fresh)
            area = sum(
                (r.belief[1] - r.belief[0]) * (r.relevance[1] - r.relevance[0]) for r in found
            )
            assert area == pytest.approx(1)
            for _ in range(40):
                trust, relevant = draw.random(), draw.random()
                (here,) = [
                    r
                    for r in found
                    if r.belief[0] <= trust < r.belief[1]
                    and r.relevance[0] <= relevant < r.relevance[1]
                ]
                decision = standing(
                    kind, belief(trust, 1 - trust, harmful), relevant, fresh
                ).decision()
                assert (here.action, list(here.reasons)) == (decision.action, decision.reasons)


# --- a story -----------------------------------------------------------------------------------


def test_a_story_of_reports():
    points = told(standing(), ["helped", "harmful", "stale", "harmful"])
    assert [(p.happened, p.decision.action) for p in points] == [
        ("new", "use"),
        ("helped", "use"),
        ("harmful", "verify"),
        ("stale", "verify"),
        ("harmful", "ignore"),
    ]
    # 6/7, 7/8, 7/13, 7/15, 7/20
    assert [p.belief.score for p in points] == pytest.approx([6 / 7, 0.875, 7 / 13, 7 / 15, 0.35])
    # .20 + .3 x doubt + .15 x harm, of which at most .3
    assert points[4].risk == pytest.approx(0.2 + 0.3 * 0.65 + 0.3)
    assert [p.at for p in points] == [None] * 5


# --- the explorer ------------------------------------------------------------------------------


@pytest.mark.usefixtures("_undrawn")
def test_reports_move_the_sliders_and_can_be_taken_back():
    explorer = AuthorityExplorer("procedure")
    assert explorer.decision.action == "use"
    explorer.reports["harmful"].click()
    assert (explorer.alpha.value, explorer.beta.value, explorer.harmful.value) == (6, 6, 1)
    assert explorer.decision.action == "verify"
    explorer.report("helped", "harmful")
    assert [p.happened for p in explorer.story] == ["new", "harmful", "helped", "harmful"]
    assert explorer.decision.reasons == ["harmful_quarantine"]
    explorer.again.click()
    assert (explorer.alpha.value, explorer.beta.value, explorer.harmful.value) == (6, 1, 0)
    assert len(explorer.story) == 1


@pytest.mark.usefixtures("_undrawn")
def test_a_belief_set_by_hand_begins_another_story():
    explorer = AuthorityExplorer()
    explorer.report("helped")
    explorer.beta.value = 4
    assert [(p.happened, p.belief.alpha, p.belief.beta) for p in explorer.story] == [("new", 7, 4)]
    explorer.start_over()
    assert (explorer.alpha.value, explorer.beta.value) == (7, 4)


@pytest.mark.usefixtures("_undrawn")
def test_what_a_slider_says_is_decided_at_once():
    explorer = AuthorityExplorer("warning", alpha=15, beta=3)
    assert "Use: nothing speaks against it (belief 0.833, risk 0.450)" in explorer._told.value
    explorer.relevance.value = 0.11
    assert "Ignore: it hardly answers the question" in explorer._told.value
    assert explorer.set(relevance=0.12).action == "use"
    assert explorer.set(freshness=0.19).reasons == ["stale_memory"]
    assert explorer.set(freshness=1, kind="preference", alpha=4, beta=2).reasons == [
        "belief_below_use_threshold"
    ]
    with pytest.raises(TypeError, match="no control 'gamma'"):
        explorer.set(gamma=1)


@pytest.mark.usefixtures("_undrawn")
def test_a_slider_grows_with_what_it_must_hold():
    explorer = AuthorityExplorer(alpha=29, beta=0.25)
    assert explorer.beta.value == 0.25
    explorer.report("helped", "helped", "harmful", *["stale"] * 20, *["harmful"] * 5)
    assert (explorer.alpha.value, explorer.beta.value, explorer.harmful.value) == (31, 70.25, 6)


def test_the_picture_is_drawn_anew_only_when_the_map_is_another():
    explorer = AuthorityExplorer()
    drawn, line = explorer._map.chart, explorer._line.chart
    explorer.relevance.value = 0.9
    assert explorer._map.chart is drawn
    assert explorer._line.chart is line
    assert explorer._map.params.relevance == 0.9
    explorer.freshness.value = 0.5
    assert explorer._map.chart is drawn
    explorer.freshness.value = 0.1
    assert explorer._map.chart is not drawn
    assert explorer._line.chart is not line  # another decision, another shape


@pytest.mark.usefixtures("_undrawn")
def test_other_constants_are_used_throughout():
    constants = Constants(
        decision=DecisionPolicy(use_belief=0.9), reports=(("helped", 9.0, 0.0, 0),)
    )
    explorer = AuthorityExplorer(constants=constants)
    assert explorer.decision.reasons == ["belief_below_use_threshold"]
    # 15 / 16
    assert explorer.report("helped").action == "use"
    assert "belief of at least 0.9" in explorer._tables.value


# --- charts ------------------------------------------------------------------------------------


def values(chart):
    """The rows of every dataset of a chart."""
    found = [row for rows in chart.get("datasets", {}).values() for row in rows]
    return found + [
        row
        for part in (chart, *chart.get("layer", []))
        for row in part.get("data", {}).get("values", [])
    ]


def test_the_map_says_in_words_what_it_shows():
    chart = decision_map(
        regions("warning", 0, 1.0), kind="warning", harmful_count=0, belief=0.5, relevance=0.3
    ).to_dict()
    assert "verify risk at belief 0.7 to 0.833 and relevance 0.12 to 1" in chart["description"]
    assert chart["description"].endswith("A cross at belief 0.500 and relevance 0.300.")
    rows = values(chart)
    words = {row["words"] for row in rows if "words" in row}
    assert words == {"use", "verify\nrisk", "verify\nbelief\nrisk", "ignore\nrelevance"}
    assert {row["name"] for row in rows if "name" in row} == {"belief 0.7", "risk 0.45", "0.12"}


def test_the_line_has_its_decisions_as_shapes():
    points = told(standing(), ["helped", "harmful"])
    chart = belief_line(points).to_dict()
    assert chart["description"].endswith("new 0.857 use, helped 0.875 use, harmful 0.538 verify")
    shapes = [
        layer["encoding"]["shape"] for layer in chart["layer"] if "shape" in layer["encoding"]
    ]
    assert shapes[0]["scale"] == {"domain": ["use", "verify"], "range": ["circle", "triangle-up"]}


# --- a database that is in use -----------------------------------------------------------------

HOSTILE = "<img src=x onerror=alert(1)> hose in the shed"


@pytest.fixture
def store(tmp_path):
    store = AuthorityStore(tmp_path, Settings(clock=NOW), workspace="/home/garden")
    store.write(RecordDraft(key="hose", content=HOSTILE, type="procedure"))
    store.write(RecordDraft(key="quiet", content="Nobody asks about this"))
    yield store
    store.close()


def test_a_claim_as_its_database_tells_it(tmp_path, store):
    store.context("hose")
    store.feedback("hose", "harmful")
    store.set_clock("2026-07-01T00:00:00Z")
    store.recall("hose shed")
    store.set_clock("2026-07-02T00:00:00Z")
    store.feedback("hose", "helped")
    store.context("hose")
    histories = ClaimHistories(tmp_path / FOLDER / FILE)
    # Only what was decided on is told.
    assert histories.claim.options == (("hose", "hose"),)
    found = [(p.at[:10], p.happened, p.belief.alpha, p.belief.beta) for p in histories.points]
    assert found == [
        ("2026-06-30", "new", 6, 1),
        ("2026-06-30", "asked", 6, 1),
        ("2026-06-30", "harmful", 6, 6),
        ("2026-07-01", "asked", 6, 6),
        ("2026-07-02", "helped", 7, 6),
        ("2026-07-02", "asked", 7, 6),
    ]
    # Of one time, as the first two are, and this time the report came first: it knew 7/13.
    assert histories.points[5].decision.scores.belief == pytest.approx(7 / 13, abs=1e-9)
    assert [d.injected for d in histories.history.decisions] == [True, False, True]
    assert "3 decisions, 2 reports; the belief is 0.538 now, 1 harmful." in histories._told.value
    assert "&lt;img src=x" in histories._told.value
    assert "<img" not in histories._told.value


@pytest.mark.usefixtures("_undrawn")
def test_a_forgotten_claim_is_told_without_its_text(tmp_path, store):
    store.context("hose")
    store.forget("hose")
    histories = ClaimHistories(tmp_path / FOLDER / FILE)
    assert (histories.history.state, histories.history.content) == ("tombstoned", None)
    assert "its text is forgotten" in histories._told.value


@pytest.mark.usefixtures("_undrawn")
def test_what_isnt_there_is_said(tmp_path, store):
    with pytest.raises(AuditTrouble, match="holds no decision"):
        ClaimHistories(tmp_path / FOLDER / FILE)
    store.context("hose")
    histories = ClaimHistories(tmp_path / FOLDER / FILE)
    with pytest.raises(AuditTrouble, match="no claim 'gone'"):
        histories.show("gone")
    copy = histories._copy
    assert copy.exists()
    histories.close()
    assert not copy.parent.exists()
    with pytest.raises(AuditTrouble, match="isn't there"):
        ClaimHistories(tmp_path / "nowhere.sqlite3")


@pytest.mark.usefixtures("_undrawn")
def test_belief_moves_here_as_in_the_store(tmp_path, store):
    store.context("hose")
    for outcome in ("helped", "stale", "conflict", "harmful"):
        store.feedback("hose", outcome)
    histories = ClaimHistories(tmp_path / FOLDER / FILE)
    reports = [p for p in histories.points if p.happened not in ("new", "asked")]
    expected, trust = [], NEW
    for report in reports:
        trust = after(trust, report.happened, DESIGN.constants)
        expected.append(trust)
    assert [p.belief for p in reports] == expected
    assert len(expected) == 4
