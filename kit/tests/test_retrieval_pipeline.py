"""The stages in their order, the two ways in, and the trace."""

import dataclasses
import hashlib
import json

import msgspec
import pytest

from memconform.model import Access, Filters, Policy, RecordDraft, to_plain
from memconform.retrieval import (
    Counts,
    Dropped,
    Match,
    Pipeline,
    RetrievalRequest,
    Stage,
    record_from_draft,
    trace_hash,
)

NOW = "2026-06-30T00:00:00.000Z"
RED = Access(workspace="/w/red")
FOUNDATION = Pipeline()
POLICY = Policy()
DRAFT_FIELDS = set(RecordDraft.__struct_fields__)


def make(id, content="The ferry runs daily", *, workspace="/w/red", **fields):
    given = {name: fields.pop(name) for name in list(fields) if name in DRAFT_FIELDS}
    draft = RecordDraft(content=content, workspace=workspace, **given)
    return msgspec.structs.replace(record_from_draft(draft, id=id, now=NOW), **fields)


def ask(records, query="ferry runs daily", *, pipeline=FOUNDATION, policy=POLICY, **request):
    return pipeline.retrieve(
        records,
        RetrievalRequest(query=query, access=request.pop("access", RED), **request),
        policy=policy,
        now=NOW,
    )


RECORDS = [
    make("far", workspace="/w/blue"),
    make("off", disabled_at=NOW),
    make("old"),
    make("new", "The ferry runs daily, also at night", supersedes="old"),
    make("rule", "The ferry rule runs daily", authority="directive"),
    make("choice", "We take the ferry that runs daily", type="decision"),
    make("weak", "A ferry and many other things"),
    make("soup", "Soup on Mondays"),
    make("mine", "My ferry runs daily", scope="user", workspace=None),
]


def ids(stage):
    return [record.id for record in stage.kept]


def test_every_stage_sees_what_the_one_before_it_kept():
    found = ask(RECORDS, filters=Filters(types=("fact",)))
    early = found.early
    assert ids(early.scope) == ["off", "old", "new", "rule", "choice", "weak", "soup", "mine"]
    assert early.scope.dropped == (Dropped("far", "out-of-scope"),)
    assert ids(early.lifecycle) == ["new", "rule", "choice", "weak", "soup", "mine"]
    assert early.lifecycle.dropped == (Dropped("off", "disabled"), Dropped("old", "superseded"))
    assert ids(early.purpose) == ["new", "choice", "weak", "soup", "mine"]
    assert early.purpose.dropped == (Dropped("rule", "directive"),)
    assert ids(early.filters) == ["new", "weak", "soup", "mine"]
    assert early.filters.dropped == (Dropped("choice", "type-filter"),)
    # ferry runs daily: wferry gfer gerr grry, wruns grun guns, wdaily gdai gail gily: 11 tokens,
    # of which "weak" has the four of ferry: .3636, under the floor.
    assert [(m.record.id, m.overlap) for m in early.match.kept] == [
        ("new", 11),
        ("weak", 4),
        ("mine", 11),
    ]
    assert early.match.dropped == (Dropped("soup", "no-match"),)
    # All else being equal, a workspace record (.9) goes before a user record (.8).
    assert [r.record.id for r in found.ranked] == ["new", "mine", "weak"]
    assert [r.record.id for r in found.passed] == ["new", "mine"]
    assert found.gate.dropped == (Dropped("weak", "irrelevant"),)
    assert found.selected_ids == ("new", "mine")
    assert [s.content for s in found.selected] == [
        "The ferry runs daily, also at night",
        "My ferry runs daily",
    ]
    assert found.excluded_ids == ()
    trace = found.trace
    assert trace.candidate_count == 3
    assert to_plain(trace.filtered) == {"scope": 1, "lifecycle": 2, "irrelevant": 1}
    assert (trace.query_token_count, trace.query_tokens_truncated) == (11, False)
    assert trace.selected_ids == ["new", "mine"]
    assert [(r.memory_id, r.channel, r.selected) for r in trace.rankings] == [
        ("new", "filesystem", True),
        ("mine", "filesystem", True),
    ]
    # .55 + .09 + 0 + .1 + .0375 + .075, and .01 less for the scope.
    assert [round(r.final_score, 9) for r in trace.rankings] == [0.8525, 0.8425]
    assert trace.selected_characters == len(found.block)
    assert (trace.record_limit, trace.prompt_character_budget) == (8, 6000)


def test_a_successor_in_another_place_silences_nothing():
    records = [make("mine"), make("theirs", workspace="/w/blue", supersedes="mine")]
    assert ask(records).selected_ids == ("mine",)


def test_a_filtered_out_successor_still_silences():
    # It is in scope and active; that the caller doesn't want its type changes nothing.
    records = [make("fact"), make("chose", type="decision", supersedes="fact")]
    assert ask(records, filters=Filters(types=("fact",))).selected_ids == ()


def test_list_and_retrieval_share_the_ground():
    eligible = FOUNDATION.eligible(RECORDS, RED, now=NOW)
    assert eligible.scope == ask(RECORDS).early.scope
    assert eligible.lifecycle == ask(RECORDS).early.lifecycle


def test_a_tool_sees_directives():
    assert "rule" in ask(RECORDS, purpose="tool").selected_ids


def test_the_warehouse_question_stays_unanswered():
    record = make("hours", "The harbour warehouse closes at 18:30 in winter.")
    found = ask([record], "What is the warehouse alarm passcode?")
    assert [(r.record.id, r.features.lexical) for r in found.ranked] == [("hours", 0.375)]
    assert found.block == ""
    assert found.trace.rankings == []
    assert found.trace.filtered.irrelevant == 1
    # The old gate is what let it in.
    old = ask([record], "What is the warehouse alarm passcode?", relevance_mode="historical-v1")
    assert old.selected_ids == ("hours",)


def test_two_of_six_pairs_pass():
    found = ask([make("name", "用户的名字很短")], "用户叫什么名字")
    assert [r.features.lexical for r in found.passed] == [2 / 6]
    assert found.selected_ids == ("name",)


def test_a_query_without_tokens_finds_nothing():
    found = ask(RECORDS, " ?! ")
    assert found.selected_ids == ()
    assert found.trace.candidate_count == 0
    assert found.trace.query_token_count == 0


def test_a_hint_needs_no_shared_token():
    records = [make("tea", "Green, no sugar", type="preference"), make("soup", "Mondays")]
    found = ask(records, "what would I like")
    assert found.selected_ids == ("tea",)
    assert found.passed[0].features.lexical == 0
    assert found.passed[0].features.type_affinity == 1


@pytest.mark.parametrize(
    ("policy", "limit", "count"),
    [
        (Policy(), None, 8),
        (Policy(max_injected_records=3), None, 3),
        (Policy(), 2, 2),
        (Policy(), 0, 0),
        (Policy(enabled=False), None, 0),
        (Policy(max_injected_records=1000), 1000, 64),
    ],
)
def test_limits(policy, limit, count):
    records = [make(f"m{n:02}", f"Ferry {n} runs daily") for n in range(70)]
    found = ask(records, policy=policy, limit=limit, budget=10**6)
    assert len(found.selected) == len(found.trace.selected_ids) == count
    assert found.trace.record_limit == count
    assert found.trace.candidate_count == 70
    assert len(found.trace.rankings) == 64
    assert [r.selected for r in found.trace.rankings] == [n < count for n in range(64)]


def test_excluded_and_truncated_are_bounded_and_named():
    records = [make(f"m{n:02}") for n in range(70)]
    found = ask(records)
    # One is chosen, 69 repeat it.
    assert found.selected_ids == ("m00",)
    assert len(found.excluded_ids) == 69
    assert found.trace.excluded_by_prompt_budget == [f"m{n:02}" for n in range(1, 65)]
    long = ask([make("long", "ferry runs daily " * 100)], budget=1000)
    assert long.trace.truncated_ids == ["long"]
    assert long.trace.selected_ids == ["long"]
    assert long.selected[0].truncated
    assert ("ferry runs daily " * 100).startswith(long.selected[0].content)
    assert len(long.block) <= 1000


def through_an_index(pipeline, records, request):
    """What a store with an index does: it hands over only what can pass."""
    question = pipeline.ask(request.query, request.relevance_mode)
    seen = pipeline.retrieve(records, request, now=NOW).early
    handed_over = [
        match
        for match in reversed(seen.match.kept)
        if match.overlap >= question.minimum_overlap
        or match.record.type in question.hints.types
        or question.hints.tags.intersection(match.record.tags)
    ]
    return handed_over, pipeline.finish(handed_over, seen.counts, question, request, now=NOW)


@pytest.mark.parametrize(
    "query", ["ferry runs daily", "our choice of ferry", "what do I like", "渡"]
)
def test_an_index_gives_the_same_answer(query):
    records = [*RECORDS, make("tea", "Green", tags=("preference",), type="insight")]
    request = RetrievalRequest(query=query, access=RED)
    whole = FOUNDATION.retrieve(records, request, now=NOW)
    handed_over, found = through_an_index(FOUNDATION, records, request)
    assert len(handed_over) <= len(whole.ranked)
    assert found.early is None
    assert found.selected == whole.selected
    assert found.passed == whole.passed
    assert found.block == whole.block
    assert found.trace.mode == "sqlite-fts5"
    channels = {r.memory_id: r.channel for r in found.trace.rankings}
    assert channels == {
        r.record.id: "fts5" if r.features.lexical > 0 else "type-affinity" for r in whole.passed
    }
    # Mode and channel apart, the traces are the same too, counts and all.
    as_file = msgspec.structs.replace(
        found.trace,
        mode="filesystem",
        rankings=[msgspec.structs.replace(r, channel="filesystem") for r in found.trace.rankings],
    )
    assert as_file == whole.trace


def test_an_index_query_that_only_hints_comes_by_type_affinity():
    request = RetrievalRequest(query="what would I like", access=RED)
    _, found = through_an_index(FOUNDATION, [make("tea", "Green", type="preference")], request)
    assert [r.channel for r in found.trace.rankings] == ["type-affinity"]


def test_a_fallback_says_so():
    found = FOUNDATION.retrieve(
        RECORDS,
        RetrievalRequest(query="ferry", access=RED),
        now=NOW,
        mode="filesystem-fallback",
    )
    assert found.trace.mode == "filesystem-fallback"
    assert {r.channel for r in found.trace.rankings} == {"filesystem"}


def test_kept_token_sets_are_used():
    asked = []

    def kept(record):
        asked.append(record.id)
        return {"wferry"} if record.id == "soup" else set()

    found = FOUNDATION.retrieve(
        RECORDS, RetrievalRequest(query="the ferry", access=RED), now=NOW, token_set=kept
    )
    # Nothing that is out of scope, inactive or a directive is looked at.
    assert asked == ["new", "choice", "weak", "soup", "mine"]
    # the, ferry and its slices fer err rry: five tokens, one of which is said to be there.
    assert [(r.record.id, r.features.lexical) for r in found.ranked] == [("soup", 0.2)]


def test_one_stage_can_be_replaced():
    no_gate = dataclasses.replace(FOUNDATION, gate=lambda ranked, gate: Stage(tuple(ranked), ()))
    assert "weak" in ask(RECORDS, pipeline=no_gate).selected_ids
    no_wall = dataclasses.replace(
        FOUNDATION, scope=lambda records, access, policy: Stage(tuple(records), ())
    )
    assert "far" in ask([make("far", workspace="/w/blue")], pipeline=no_wall).selected_ids
    by_id = dataclasses.replace(FOUNDATION, order_key=lambda ranked: ranked.record.id)
    assert ask(RECORDS, pipeline=by_id).selected_ids == ("choice", "mine", "new")
    lower = dataclasses.replace(
        FOUNDATION, constants=dataclasses.replace(FOUNDATION.constants, floor=4 / 11)
    )
    assert "weak" in ask(RECORDS, pipeline=lower).selected_ids


def test_a_trace_shows_no_text_and_no_foreign_id():
    records = [
        make("mine", "The ferry secret-content", tags=("secret-tag",)),
        make("secret-foreign", "The ferry", workspace="/secret/blue"),
    ]
    found = ask(records, "ferry secret-query", access=RED)
    assert found.trace.filtered.scope == 1
    text = json.dumps(to_plain(found.trace))
    assert "mine" in text
    assert "secret" not in text
    assert "/w/red" not in text
    assert "ferry" not in text


def test_the_hash_of_a_trace():
    empty = FOUNDATION.finish(
        [],
        Counts(scope=2, lifecycle=1, candidates=0),
        FOUNDATION.ask(""),
        RetrievalRequest(query="", access=RED),
        now=NOW,
    ).trace
    # Written by hand: sorted keys, no white space, no timestamp.
    text = (
        '{"candidateCount":0,"excludedByPromptBudget":[],'
        '"filtered":{"irrelevant":0,"lifecycle":1,"scope":2},"mode":"sqlite-fts5",'
        '"promptCharacterBudget":6000,"queryTokenCount":0,"queryTokensTruncated":false,'
        '"rankingWeights":{"confidence":0.075,"freshness":0.1,"importance":0.075,'
        '"lexical":0.55,"scopeAffinity":0.1,"typeAffinity":0.1},"rankings":[],"recordLimit":8,'
        '"selectedCharacters":0,"selectedIds":[],"truncatedIds":[]}'
    )
    assert trace_hash(empty) == hashlib.sha256(text.encode()).hexdigest()
    later = msgspec.structs.replace(empty, timestamp="2026-07-01T00:00:00.000Z")
    assert trace_hash(later) == trace_hash(empty)
    other = msgspec.structs.replace(empty, record_limit=7)
    assert trace_hash(other) != trace_hash(empty)


def test_the_timestamp_is_now_in_one_spelling():
    found = FOUNDATION.retrieve(
        [], RetrievalRequest(query="q", access=RED), now="2026-06-30T02:00+02:00"
    )
    assert found.trace.timestamp == NOW


def test_a_clock_that_shows_no_time_is_refused():
    with pytest.raises(ValueError, match="ISO 8601"):
        FOUNDATION.retrieve([], RetrievalRequest(query="q", access=RED), now="noon")


def test_a_match_handed_over_without_any_overlap_does_not_pass():
    question = FOUNDATION.ask("ferry")
    found = FOUNDATION.finish(
        [Match(make("one"), 0)],
        Counts(scope=0, lifecycle=0, candidates=1),
        question,
        RetrievalRequest(query="ferry", access=RED),
        now=NOW,
    )
    assert found.selected_ids == ()
    assert found.trace.filtered.irrelevant == 1
