"""What a sweep can be asked: two floors, a rule, flips, tables."""

import json

import numpy as np
import polars as pl
import pytest
from sweep_data import drawn, refiltered, rows_of, selected
from test_sweep_sums import same

from memconform.sweep import METRICS, Floors, Rows, Sweep, SweepError, merge
from memconform.sweep.result import TOLERANCE


def swept(seed=21, k=5, retrievals=80):
    drawn_ones = drawn(seed, retrievals=retrievals)
    half = retrievals // 2
    return drawn_ones, Sweep.of([rows_of(drawn_ones[:half]), rows_of(drawn_ones[half:])], k)


def test_two_floors_equal_filtering_each_class_by_its_own():
    retrievals, found = swept()
    latin = [r for r in retrievals if r.language == "latin"]
    cjk = [r for r in retrievals if r.language == "cjk"]
    for low, high in ((0.2, 0.7), (0.7, 0.2), (0.5, 0.5)):
        figures = found.at(latin=low, cjk=high)
        both = [(latin, low), (cjk, high)]
        hits = sum(refiltered(some, floor, 5)["hits"] for some, floor in both)
        recall = sum(
            refiltered(some, floor, 5)["recall"] * sum(bool(r.relevant) for r in some)
            for some, floor in both
        ) / sum(bool(r.relevant) for r in retrievals)
        assert figures.hits == hits
        assert figures.recall == pytest.approx(recall, abs=1e-12)
        assert figures.retrievals == 80
    same(found.at(latin=0.5, cjk=0.5), refiltered(retrievals, 0.5, 5))
    assert found.at(0.5).hits == found.at(latin=0.5, cjk=0.5).hits


@pytest.mark.parametrize("metric", ["recall", "abstention", "selected", "forbidden"])
def test_the_plane_holds_every_pair(metric):
    _, found = swept()
    plane = found.plane(metric)
    assert plane.values.shape == (len(plane.latin), len(plane.cjk))
    for row in range(0, len(plane.latin), 4):
        for column in range(0, len(plane.cjk), 3):
            asked = found.at(latin=plane.latin[row], cjk=plane.cjk[column])
            assert plane.values[row, column] == pytest.approx(getattr(asked, metric), abs=1e-12)


def test_the_smallest_floor_is_the_first_that_keeps_to_the_bounds():
    _, found = swept()
    curve = found.overall
    bound = float(np.median(curve.metric("forbidden")))
    chosen = found.smallest(forbidden=bound)
    kept = [t for t in curve.thresholds[:-1] if curve.at(t).forbidden <= bound]
    assert chosen.threshold == kept[0]
    assert chosen.figures == curve.at(kept[0])
    step = list(curve.thresholds).index(kept[0])
    assert chosen.above == curve.thresholds[step - 1]
    assert chosen.rule == f"the smallest floor with forbidden at most {bound:g}"
    # What it says of its neighbours: the same just above the one before, another at it.
    assert found.at(np.nextafter(chosen.above, 1)) == chosen.figures
    assert found.at(chosen.above).forbidden > bound


def test_the_best_floor_has_the_best_figure_that_the_bounds_allow():
    _, found = swept()
    curve = found.overall
    chosen = found.best("recall", selected=2.5)
    allowed = [t for t in curve.thresholds[:-1] if curve.at(t).selected <= 2.5]
    best = max(curve.at(t).recall for t in allowed)
    assert chosen.figures.recall >= best - TOLERANCE
    assert chosen.threshold == next(t for t in allowed if curve.at(t).recall >= best - TOLERANCE)
    assert chosen.rule == ("the smallest floor with the highest recall under selected at most 2.5")
    fewest = found.best("forbidden")
    assert fewest.figures.forbidden == min(curve.metric("forbidden")[:-1])


def test_no_floor_may_keep_to_a_bound():
    rows = Rows.of([0.3, 0.6], [2], [-1, -1], always=[False, True], relevant=[1])
    found = Sweep.of(rows)
    # One of the two passes always, the other at the only gate value.
    assert found.smallest(forbidden=0) is None
    assert found.smallest(forbidden=1) is None
    assert found.best("recall", forbidden=1) is None
    assert found.smallest(forbidden=2).threshold == 0.3
    # Nothing here expects nothing, so there is no abstention to be bounded.
    assert found.smallest(abstention=1, forbidden=2).threshold == 0.3
    assert found.best("abstention") is None


def test_flips_are_the_retrievals_whose_selection_differs():
    retrievals, found = swept()
    before, after = 0.3, 0.6
    flips = found.flips(before, after)
    changed = [
        at for at, r in enumerate(retrievals) if selected(r, before, 5) != selected(r, after, 5)
    ]
    assert flips.total == len(changed) == len(flips.told) > 20
    names = {f"{at // 40}:{at % 40}": at for at in changed}
    for flip in flips.told:
        retrieval = retrievals[names.pop(flip.retrieval_id)]
        ranks = {id(c): rank for rank, c in enumerate(retrieval.candidates, 1)}
        was = {ranks[id(c)] for c in selected(retrieval, before, 5)}
        now = {ranks[id(c)] for c in selected(retrieval, after, 5)}
        assert {m.rank for m in flip.left} == was - now
        assert {m.rank for m in flip.came} == now - was
        for moved in (*flip.left, *flip.came):
            candidate = retrieval.candidates[moved.rank - 1]
            assert moved.gate == (np.inf if candidate.always else candidate.gate)
            assert moved.judged == {1: "relevant", 0: None, -1: "forbidden"}[candidate.grade]
        # Going up, one leaves for its own gate value only, and comes for want of another.
        assert {m.why for m in flip.left} <= {"below the floor"}
        assert {m.why for m in flip.came} <= {"a place became free"}
        hits = [sum(c.grade > 0 for c in selected(retrieval, t, 5)) for t in (before, after)]
        assert ("lost a relevant one" in flip.outcomes) == (hits[1] < hits[0])
        assert ("found a relevant one" in flip.outcomes) == (hits[1] > hits[0])
        silenced = retrieval.silent and bool(was) and not now
        assert ("falls silent, as it should" in flip.outcomes) == silenced
        assert flip.groups["language"] == retrieval.language
    assert names == {}
    back = found.flips(after, before)
    assert back.total == flips.total
    assert {m.why for f in back.told for m in f.left} == {"no place is left"}
    assert {m.why for f in back.told for m in f.came} == {"passes the floor"}
    assert back.counts["found a relevant one"] == flips.counts["lost a relevant one"]


def test_flips_tell_the_gravest_first_and_count_all():
    _, found = swept()
    whole, some = found.flips(0.3, 0.6), found.flips(0.3, 0.6, most=3)
    assert (some.total, some.counts) == (whole.total, whole.counts)
    assert some.told == whole.told[:3]
    assert some.told[0].outcomes[0] == "lost a relevant one"
    assert found.flips(0.3, 0.3).total == 0
    two = found.flips(Floors(latin=0.3, cjk=0.3), Floors(latin=0.3, cjk=0.6))
    assert {flip.groups["language"] for flip in two.told} == {"cjk"}


def test_the_first_relevant_one_can_move_and_nothing_else_be_lost():
    # The forbidden one before the relevant one falls out: forbidden spared, place 2 becomes 1.
    rows = Rows.of([0.2, 0.9], [2], [-1, 1])
    (flip,) = Sweep.of(rows, 2).flips(0.1, 0.5).told
    assert flip.outcomes == ("spares a forbidden one", "first relevant one stands elsewhere")


def test_another_k_needs_no_file():
    retrievals, found = swept()
    same(found.with_k(2).at(0.4), refiltered(retrievals, 0.4, 2))
    with pytest.raises(SweepError, match="made of sums alone"):
        Sweep(5, "lexical", merge([found.sums])).with_k(2)


def test_as_tables():
    _, found = swept()
    frame = found.pl()
    assert frame.columns == ["threshold", *METRICS]
    assert frame.height == len(found.thresholds)
    by = found.pl("language")
    assert by["language"].unique().sort().to_list() == ["cjk", "latin"]
    lone = by.filter(pl.col("language") == "cjk").drop("language")
    assert lone.equals(pl.DataFrame(found.by("language")["cjk"].frame))
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["overall"]["threshold"][-1] is None
    assert told["overall"]["recall"] == found.metric("recall").tolist()
    assert set(told["by"]) == {"language", "category"}


def test_hostile_names_are_shown_as_text():
    groups = {"language": ["<script>alert(1)</script>"]}
    rows = Rows.of([0.3, 0.6], [2], [1, 0], groups=groups)

    class Hostile:
        def retrievals(self, piece, places):
            return [("<b>r</b>", "<img src=x onerror=alert(1)>") for _ in places]

        def memories(self, piece, places):
            return ["<svg onload=alert(1)>" for _ in places]

    found = Sweep.of(rows, names=Hostile(), notes=["<i>note</i>"], feature="<u>lexical</u>")
    flips = found.flips(0.1, 0.5)
    for page in (found._repr_html_(), flips._repr_html_()):
        for tag in ("<script", "<img", "<svg", "<i>", "<u>", "<b>"):
            assert tag not in page
    assert "&lt;svg onload=alert(1)&gt;" in flips._repr_html_()
    assert "&lt;i&gt;note" in found._repr_html_()


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda s: s.at(), "Give one threshold, or both"),
        (lambda s: s.at(latin=0.4), "Give one threshold, or both"),
        (lambda s: s.at(0.4, latin=0.4, cjk=0.4), "Give one threshold, or both"),
        (lambda s: s.by("colour"), "no grouping by 'colour'; there is language and category"),
        (lambda s: s.smallest(colour=1), "no figure 'colour'"),
        (lambda s: s.best("colour"), "no figure 'colour'"),
        (lambda s: s.with_k(0), "K is 0"),
    ],
)
def test_what_can_not_be_asked_is_refused_with_a_sentence(ask, sentence):
    _, found = swept()
    with pytest.raises(SweepError, match=sentence):
        ask(found)


def test_two_floors_need_two_classes():
    rows = Rows.of([0.3, 0.6], [1, 1], [1, 0], groups={"language": ["latin", "unknown"]})
    found = Sweep.of(rows)
    for ask in (
        lambda: found.at(latin=0.4, cjk=0.4),
        found.plane,
        lambda: found.flips(Floors(latin=0.4, cjk=0.4), 0.5),
    ):
        with pytest.raises(SweepError, match="neither latin nor cjk"):
            ask()
    only_latin = Sweep.of(Rows.of([0.3], [1], [1], groups={"language": ["latin"]}))
    assert only_latin.at(latin=0.3, cjk=0.9).recall == 1.0
    assert only_latin.plane().values.tolist() == [[1.0], [0.0]]
