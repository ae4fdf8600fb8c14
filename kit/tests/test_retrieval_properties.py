"""What holds whatever is stored and asked. Cases are derived from the code alone: no seed."""

import json
import random
from collections import Counter

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from memconform.model import MEMORY_TYPES, Access, Policy, RecordDraft
from memconform.retrieval import Pipeline, RetrievalRequest, record_from_draft
from memconform.retrieval.context import FIRST_LINE, LAST_LINE
from memconform.retrieval.tokens import coverage, query_tokens

settings.register_profile(
    "memconform", derandomize=True, database=None, deadline=None, max_examples=100
)
PROFILE = settings.get_profile("memconform")

NOW = "2026-06-30T00:00:00.000Z"
PIPELINE = Pipeline()
# Few words, so that records meet queries; and what could break a line, a block or a comparison.
WORDS = [
    "ferry",
    "runs",
    "daily",
    "like",
    "my name",
    "渡轮",
    "用户叫什么",
    "𠮷",
    "<",
    ">",
    "\u2028",
]
texts = st.lists(
    st.one_of(st.sampled_from(WORDS), st.text(max_size=5)), min_size=1, max_size=40
).map(" ".join)
places = st.sampled_from(["/w/red", "/w/blue", "/w//red/"])
times = st.sampled_from(
    ["2020-01-01T00:00:00Z", "2026-06-29T23:59:59.999Z", NOW, "2027-01-01T00:00:00Z"]
)
maybe_times = st.one_of(st.none(), times)
figures = st.floats(min_value=0, max_value=1)
drafts = st.builds(
    RecordDraft,
    content=texts.filter(lambda text: text.strip() != ""),
    scope=st.sampled_from(["user", "workspace", "project"]),
    workspace=places,
    type=st.one_of(st.none(), st.sampled_from(MEMORY_TYPES)),
    authority=st.sampled_from(["reference", "directive"]),
    confidence=figures,
    importance=figures,
    updated_at=times,
    valid_from=st.sampled_from([None, "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"]),
    valid_to=maybe_times.filter(lambda t: t is None or t > "2026"),
    supersedes=st.sampled_from([None, None, "m0", "m1"]),
    tags=st.lists(st.sampled_from(["preference", "identity", "tea"]), max_size=2).map(tuple),
)


@st.composite
def stores(draw):
    records = []
    for n, draft in enumerate(draw(st.lists(drafts, max_size=12))):
        older = None if draft.supersedes == f"m{n}" else draft.supersedes
        sound = msgspec.structs.replace(draft, supersedes=older)
        records.append(record_from_draft(sound, id=f"m{n}", now=NOW))
    return records


requests = st.builds(
    RetrievalRequest,
    query=texts,
    access=st.builds(Access, workspace=places),
    limit=st.one_of(st.none(), st.integers(-1, 10)),
    budget=st.one_of(st.none(), st.integers(0, 2500)),
    purpose=st.sampled_from(["injection", "tool"]),
    relevance_mode=st.sampled_from(["foundation-v1", "historical-v1"]),
)


def names(stage, kept_id=lambda record: record.id):
    return sorted([*map(kept_id, stage.kept), *(d.id for d in stage.dropped)])


@PROFILE
@given(stores(), requests)
def test_a_stage_loses_nothing_and_adds_nothing(records, request):
    found = PIPELINE.retrieve(records, request, now=NOW)
    early, of = found.early, lambda item: item.record.id
    assert names(early.scope) == sorted(r.id for r in records)
    assert names(early.lifecycle) == sorted(r.id for r in early.scope.kept)
    assert names(early.purpose) == sorted(r.id for r in early.lifecycle.kept)
    assert names(early.filters) == sorted(r.id for r in early.purpose.kept)
    assert names(early.match, of) == sorted(r.id for r in early.filters.kept)
    assert sorted(map(of, found.ranked)) == sorted(map(of, early.match.kept))
    assert names(found.gate, of) == sorted(map(of, found.ranked))
    assert names(found.budget, lambda s: s.ranked.record.id) == sorted(map(of, found.passed))


@PROFILE
@given(stores(), requests)
def test_features_and_scores_are_within_bounds(records, request):
    for ranked in PIPELINE.retrieve(records, request, now=NOW).ranked:
        for figure in (*msgspec.structs.astuple(ranked.features), ranked.score):
            assert 0 <= figure <= 1


# Long contents that all match, and budgets that hold some of them: here cutting is the rule.
long_texts = st.tuples(texts, st.integers(3, 20)).map(lambda pair: f"ferry {pair[0] * pair[1]}")


@st.composite
def crowded_retrievals(draw):
    records = [
        record_from_draft(RecordDraft(content=content, scope="user"), id=f"m{n}", now=NOW)
        for n, content in enumerate(draw(st.lists(long_texts, min_size=1, max_size=6)))
    ]
    request = RetrievalRequest(
        query="ferry",
        access=Access(),
        budget=draw(st.integers(550, 1500)),
        relevance_mode="historical-v1",
    )
    return request.budget, PIPELINE.retrieve(records, request, now=NOW)


def as_written(content):
    """A content as the block writes it, by another way than the block's own."""
    written = json.dumps(content, ensure_ascii=False)
    for c in "<>\u0085\u2028\u2029":
        written = written.replace(c, f"\\u{ord(c):04x}")
    return written


def check_the_block(budget, found):
    assert len(found.block) <= budget
    if not found.selected:
        assert found.block == ""
        return
    lines = found.block.splitlines()
    assert (lines[0], lines[-1]) == (FIRST_LINE, LAST_LINE)
    assert len(lines) == len(found.selected) + 4
    for line, chosen in zip(lines[3:-1], found.selected, strict=True):
        assert json.loads(line.split(" content=", 1)[1]) == chosen.content
        stored = chosen.ranked.record.content
        assert stored.startswith(chosen.content)
        assert chosen.truncated is (chosen.content != stored)


def check_the_cuts(budget, found):
    lines = found.block.split("\n")
    for position, chosen in enumerate(found.selected):
        if not chosen.truncated:
            continue
        stored, cut = chosen.ranked.record.content, chosen.content
        assert len(cut) >= 96
        # The next prefix that shows one more character: trailing space is not shown.
        space = len(stored) - len(cut) - len(stored[len(cut) :].lstrip())
        more = stored[: len(cut) + space + 1]
        if more.rstrip() == cut:
            continue
        # The block as it was when this record was the last one in it.
        line = lines[3 + position]
        longer = line.removesuffix(as_written(cut)) + as_written(more)
        assert len("\n".join([*lines[: 3 + position], longer, LAST_LINE])) > budget


@PROFILE
@given(stores(), requests)
def test_the_block_holds_its_budget_and_its_grammar(records, request):
    found = PIPELINE.retrieve(records, request, now=NOW)
    check_the_block(6000 if request.budget is None else request.budget, found)


def test_a_crowded_block_holds_them_too_and_no_cut_could_have_been_longer():
    seen = Counter()

    @PROFILE
    @given(crowded_retrievals())
    def check(retrieval):
        budget, found = retrieval
        check_the_block(budget, found)
        check_the_cuts(budget, found)
        seen["cut"] += bool(found.trace.truncated_ids)
        seen["excluded"] += bool(found.excluded_ids)
        seen["several"] += len(found.selected) > 1

    check()
    # Otherwise this would prove nothing.
    assert min(seen["cut"], seen["excluded"], seen["several"]) >= 5


@PROFILE
@given(stores(), requests, st.integers(0, 2**32))
def test_the_order_of_storing_changes_nothing(records, request, seed):
    shuffled = list(records)
    random.Random(seed).shuffle(shuffled)
    first = PIPELINE.retrieve(records, request, now=NOW)
    second = PIPELINE.retrieve(shuffled, request, now=NOW)
    assert first.ranked == second.ranked
    assert first.block == second.block
    assert first.trace == second.trace
    keys = [PIPELINE.order_key(ranked) for ranked in first.ranked]
    assert len(set(keys)) == len(keys)


@PROFILE
@given(stores(), requests)
def test_handing_over_only_what_can_pass_changes_nothing(records, request):
    whole = PIPELINE.retrieve(records, request, now=NOW)
    question = PIPELINE.ask(request.query, request.relevance_mode)
    matches = [
        m
        for m in whole.early.match.kept
        if m.overlap >= question.minimum_overlap
        or m.record.type in question.hints.types
        or question.hints.tags.intersection(m.record.tags)
    ]
    found = PIPELINE.finish(
        matches, whole.early.counts, question, request, now=NOW, mode="filesystem"
    )
    assert found.passed == whole.passed
    assert found.trace == whole.trace


@PROFILE
@given(stores(), requests)
def test_nothing_passes_the_wall(records, request):
    found = PIPELINE.retrieve(records, request, now=NOW, policy=Policy(scopes=("workspace",)))
    place = request.access.workspace.replace("//", "/").rstrip("/")
    for ranked in found.ranked:
        assert ranked.record.scope == "workspace"
        assert ranked.record.workspace.replace("//", "/").rstrip("/") == place


@PROFILE
@given(texts)
def test_a_text_covers_itself_and_tokens_are_unique(text):
    tokens = query_tokens(text)
    assert len(set(tokens.tokens)) == len(tokens.tokens) <= 128
    assert coverage(tokens.tokens, set(tokens.tokens)) == (1 if tokens.tokens else 0)
