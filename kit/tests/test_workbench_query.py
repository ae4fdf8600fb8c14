"""What a query becomes in the workbench: stages, candidates, charts of them, the stepper."""

import asyncio
import threading

import pytest

pytest.importorskip("ipywidgets", reason="the lab extra isn't installed")

from memconform.model import Access, RecordDraft, SourceDraft
from memconform.retrieval import Pipeline, RetrievalRequest, record_from_draft
from memconform.workbench import PipelineStepper, charts, story
from memconform.workbench.latest import Latest

NOW = "2026-01-01T00:00:00.000Z"
HERE = Access(workspace="/w")
# Words of three letters are one token each, so coverage is counted on fingers.
QUERY = "red tin cup jar mug"


def record(id, content, **fields):
    draft = RecordDraft(content=content, workspace="/w", created_at=NOW, **fields)
    return record_from_draft(draft, id=id, now=NOW)


def kitchen():
    return [
        record("two", "red tin"),
        record("one", "red", importance=1.0),
        record("all", QUERY),
        record("none", "nothing of it"),
        record("order", QUERY, authority="directive"),
        record("same", "RED TIN"),
        record_from_draft(
            RecordDraft(content=QUERY, workspace="/elsewhere"), id="foreign", now=NOW
        ),
    ]


def retrieve(limit=8, budget=None, query=QUERY, records=None):
    request = RetrievalRequest(query=query, access=HERE, limit=limit, budget=budget)
    return Pipeline().retrieve(records or kitchen(), request, now=NOW)


@pytest.fixture(autouse=True)
def _unbundled(monkeypatch):
    """Without the seconds that bundling Vega takes; the browser tests look at what it draws."""
    monkeypatch.setattr("altair.JupyterChart.enable_offline", lambda: None)


# --- the story -------------------------------------------------------------------------------


def test_every_record_is_dropped_once_or_in_the_block():
    told = retrieve()
    steps = story.steps(told)
    assert [(s.name, s.met, s.kept) for s in steps] == [
        ("scope", 7, 6),
        ("lifecycle", 6, 6),
        ("purpose", 6, 5),
        ("filters", 5, 5),
        ("match", 5, 4),
        ("gate", 4, 3),
        ("budget", 3, 2),
    ]
    dropped = {drop.id: s.name for s in steps for drop in s.dropped}
    assert dropped == {
        "foreign": "scope",
        "order": "purpose",
        "none": "match",
        "one": "gate",
        "two": "budget",  # says the same as "same", which comes first by id
    }


def test_candidates_have_their_fate_and_place():
    found = {each.id: each for each in story.candidates(retrieve())}
    assert {id: each.fate for id, each in found.items()} == {
        "all": "in the block",
        "same": "in the block",
        "two": "duplicate",
        "one": "below the floor",
    }
    assert [found["all"].place, found["same"].place, found["two"].place] == [1, 2, None]
    assert [each.rank for each in story.candidates(retrieve())] == [1, 2, 3, 4]


def test_a_limit_and_a_budget_leave_out_with_their_own_words():
    assert {e.id: e.fate for e in story.candidates(retrieve(limit=1))}["same"] == "over the limit"
    small = {e.id: e.fate for e in story.candidates(retrieve(budget=10))}
    assert small["all"] == "no room"


def test_contributions_are_weight_times_feature():
    (two,) = (e for e in story.candidates(retrieve()) if e.id == "two")
    # .55 * 2/5, .10 * .9, .10 * 0, .10 * 1, .075 * .5, .075 * 1
    assert two.contributions == pytest.approx((0.22, 0.09, 0.0, 0.1, 0.0375, 0.075))
    assert sum(two.contributions) == pytest.approx(two.score)


@pytest.mark.parametrize(
    ("token", "kind"),
    [("wdepot", "word"), ("gdep", "slice"), ("c仓库", "CJK pair"), ("c仓", "CJK character")],
)
def test_kinds_of_tokens(token, kind):
    assert story.token_kind(token) == kind


# --- charts of one query ---------------------------------------------------------------------


def values(chart):
    """All rows of data in a chart, wherever Altair has put them."""
    spec = chart.to_dict()
    found = list(spec.get("datasets", {}).values())

    def look(node):
        if isinstance(node, dict):
            if "values" in node.get("data", {}):
                found.append(node["data"]["values"])
            for inner in node.values():
                look(inner)
        elif isinstance(node, list):
            for inner in node:
                look(inner)

    look(spec)
    return [row for rows in found for row in rows if row]


def test_the_gate_chart_has_coverage_floor_and_words():
    spec = charts.gate(retrieve()).to_dict()
    rows = {r["memory"]: r for r in values(charts.gate(retrieve()))}
    assert {name: r["coverage"] for name, r in rows.items()} == {
        "all": 1.0,
        "same": 0.4,
        "two": 0.4,
        "one": 0.2,
    }
    assert next(p for p in spec["params"] if p["name"] == "floor")["value"] == 0.4
    assert "all 1.000" in spec["description"]
    assert "0 to 1" in str(spec)


def test_scores_are_stacked_of_all_features():
    rows = [r for r in values(charts.score_composition(retrieve())) if r["memory"] == "two"]
    assert [r["feature"] for r in rows] == [label for _, label in story.FEATURES]
    assert sum(r["adds"] for r in rows) == pytest.approx(0.5225)


def test_rank_flow_shows_who_is_left_out():
    before, after = retrieve(), retrieve(limit=1)
    rows = {(r["memory"], r["side"]): r for r in values(charts.rank_flow(before, after))}
    assert rows["same", "before"]["place"] == 2
    assert rows["same", "after"]["place"] == 3  # one below the longer block: left out
    assert rows["all", "after"]["fate"] == "in the block both times"


def test_the_budget_is_spent_to_the_last_character():
    told = retrieve()
    sizes = {r["part"]: r["characters"] for r in values(charts.budget_use(told))}
    assert sum(sizes.values()) == 6000
    assert sum(sizes.values()) - sizes["free"] == len(told.block)
    assert values(charts.budget_use(retrieve(query="zzz")))[0] == {
        "part": "frame",
        "kind": "frame",
        "order": 0,
        "characters": 0,
    }


def test_names_that_look_alike_are_told_apart():
    long = "x" * 60
    told = retrieve(records=[record(long + "1", "red tin"), record(long + "2", "red cup")])
    names = {r["memory"] for r in values(charts.gate(told))}
    assert len(names) == 2
    assert all(len(name) < 50 for name in names)


def test_more_rows_than_a_chart_is_for_are_refused():
    assert charts.data([{"a": 1}] * charts.MOST)
    with pytest.raises(charts.TooManyRows, match="aggregate them first"):
        charts.data([{"a": 1}] * (charts.MOST + 1))


# --- the stepper -----------------------------------------------------------------------------


@pytest.fixture
def stepper():
    return PipelineStepper(kitchen(), now=NOW, query=QUERY, place="/w")


def test_the_stepper_shows_every_part(stepper):
    assert stepper.retrieval.selected_ids == ("all", "same")
    assert "3 of 4 candidates passed the gate (coverage of at least 0.4)" in stepper._told.value
    assert "5 tokens" in stepper._before.value
    assert "out-of-scope 1" in stepper._before.value
    assert "MEMORY_REFERENCE_DATA" in stepper._after.value


def test_a_moved_floor_moves_the_line_and_the_answer(stepper):
    chart = stepper._gate_chart.chart
    stepper.floor.value = 0.2
    # .55 * 1/5, .10 * .9, .10 * 1, .075 * 1, .075 * 1 are .45, below the .5225 of "same".
    assert stepper.retrieval.selected_ids == ("all", "same", "one")
    assert stepper._gate_chart.params.floor == 0.2
    assert stepper._gate_chart.chart is chart  # not drawn anew
    assert "4 of 4 candidates" in stepper._told.value


def test_a_variable_set_before_the_page_has_drawn_is_not_lost():
    shown = charts.shown(charts.gate(retrieve()))
    charts.set_variables(shown, floor=0.7)
    shown._params = {"floor": 0.4}  # what a page says when it has drawn the chart as it was sent
    assert shown.params.floor == 0.7
    assert shown._params == {"floor": 0.7}
    charts.replace(shown, charts.gate(retrieve(), floor=0.1))
    shown._params = {"floor": 0.1}
    assert shown.params.floor == 0.1
    with pytest.raises(KeyError):
        charts.set_variables(shown, flor=0.7)


def test_another_query_draws_other_bars(stepper):
    chart = stepper._gate_chart.chart
    stepper.query.value = "red"
    assert stepper._gate_chart.chart is not chart
    assert stepper.retrieval.ranked[0].features.lexical == 1.0


def test_only_the_floor_in_force_can_be_moved(stepper):
    assert (stepper.floor.disabled, stepper.cjk_floor.disabled) == (False, True)
    stepper.ask("红色的罐子")
    assert (stepper.floor.disabled, stepper.cjk_floor.disabled) == (True, False)
    stepper.ask(mode="historical-v1")
    assert (stepper.floor.disabled, stepper.cjk_floor.disabled) == (True, True)


def test_a_slider_at_a_third_is_a_third():
    stepper = PipelineStepper(
        [record("zh", "用户名字在表上")], now=NOW, query="用户叫什么名字", place="/w"
    )
    assert stepper.retrieval.selected_ids == ("zh",)  # 2 of 6
    stepper.cjk_floor.value = 0.3333333  # what a browser may make of it
    assert stepper.retrieval.selected_ids == ("zh",)
    stepper.cjk_floor.value = 0.34
    assert stepper.retrieval.selected_ids == ()


def test_a_query_without_candidates_hides_the_charts(stepper):
    stepper.ask("zzz")
    assert stepper._charts.layout.display == "none"
    assert "nothing enters the prompt" in stepper._told.value
    stepper.ask(QUERY)
    assert stepper._charts.layout.display == ""


def test_nobody_sees_no_workspace(stepper):
    assert stepper.ask(place="nobody's place").selected_ids == ()


def test_an_unknown_control_is_told(stepper):
    with pytest.raises(TypeError, match="no control 'flor'; there are query, place"):
        stepper.ask(flor=0.3)


def test_a_failure_stands_in_the_widget(stepper):
    stepper._now = "never"
    stepper.floor.value = 0.3
    assert "That did not work" in stepper._told.value


def test_every_control_has_a_name_and_an_explanation(stepper):
    for control in stepper._controls:
        assert control.description
        assert control.tooltip


def test_a_widget_shows_itself(stepper):
    assert "application/vnd.jupyter.widget-view+json" in stepper._repr_mimebundle_()


def test_sources_count_as_text_of_a_record():
    source = SourceDraft(kind="web", locator="tin")
    told = retrieve(records=[record("s", "red", sources=(source,))])
    assert story.candidates(told)[0].features.lexical == 0.4


# --- the latest value wins -------------------------------------------------------------------


def test_values_that_come_meanwhile_replace_each_other():
    may_go, shown, worked = threading.Event(), [], []

    def work(value):
        worked.append(value)
        if value == 1:
            may_go.wait(10)
        return value

    async def main():
        latest = Latest(work, shown.append, pytest.fail)
        latest.ask(1)
        await asyncio.sleep(0)  # it begins
        for value in (2, 3, 4):
            latest.ask(value)
        may_go.set()
        await latest.settled()

    asyncio.run(main())
    assert worked == [1, 4]
    assert shown == [1, 4]


def test_the_event_loop_goes_on_meanwhile():
    may_go, shown = threading.Event(), []

    async def main():
        latest = Latest(lambda value: may_go.wait(10) and value, shown.append, pytest.fail)
        latest.ask("done")
        for _ in range(3):
            await asyncio.sleep(0)
        may_go.set()  # the loop came here while the work waited for it
        await latest.settled()

    asyncio.run(main())
    assert shown == ["done"]


def test_what_was_forgotten_is_not_shown():
    may_go, shown = threading.Event(), []

    async def main():
        latest = Latest(lambda value: may_go.wait(10) and value, shown.append, pytest.fail)
        latest.ask("old")
        await asyncio.sleep(0)
        latest.forget()
        may_go.set()
        await latest.settled()

    asyncio.run(main())
    assert shown == []


def test_a_failure_is_told_and_the_next_value_is_worked_on():
    shown, failed = [], []

    async def main():
        latest = Latest(lambda value: 1 / value, shown.append, failed.append)
        latest.ask(0)
        await latest.settled()
        latest.ask(2)
        await latest.settled()

    asyncio.run(main())
    assert [type(error) for error in failed] == [ZeroDivisionError]
    assert shown == [0.5]


def test_without_a_loop_it_is_done_at_once():
    shown = []
    Latest(lambda value: value + 1, shown.append, pytest.fail).ask(1)
    assert shown == [2]
