"""The two stores give the same answers, whatever is stored, whoever asks, and whatever happened."""

import shutil
from pathlib import Path
from tempfile import mkdtemp

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from reference_stores import NOW, comparable

from memconform.model import Access, Filters, Policy, RecordDraft, Settings
from memconform.protocol import StoreError
from memconform.reference import filesystem, hybrid
from memconform.reference.files import encode
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.hybrid import HybridStore
from memconform.retrieval import record_from_draft

WORDS = [
    "hose", "hoses", "green", "garden", "water", "the", "of", "a", "like", "prefer", "decision",
    "identity", "my name", "snake_case", "POL-358", "20.04", "don't", "50%", "@nasa", "a/b", "_",
    "NEAR", "AND", "OR", '"', "*", "'; --", "tokens:", "\x00", "<b>", "🌻", "ＦＵＬＬ", "ﬁne", "İ",
    "ß", "ŞIÌ", "用户", "喜欢", "名字", "我是谁", "ホース", "ガーデン", "정원", "물", "偏好",
    "x" * 300,
]  # fmt: skip
PLACES = [None, "/a", "/a/", "/b/../a", "//b", "b", ""]
TIMES = [
    "2025-01-01T00:00:00Z", "2026-02-28T23:59:59.999Z", NOW, "2026-03-01T01:00:00+01:00",
    "2026-03-01T00:00:00.001Z", "2027-01-01T00:00:00Z",
]  # fmt: skip
TAGS = ["偏好", "Preference", "decision", "identity", "身份", "profile", "ＰＲＯＦＩＬＥ", "garden"]
TYPES = ["fact", "preference", "decision", "episode", "relationship", "insight"]
KEYS = [f"m{n}" for n in range(14)]

texts = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map("".join),
    st.text(max_size=20),
)
places = st.sampled_from(PLACES)
drafts = st.builds(
    RecordDraft,
    content=texts,
    scope=st.sampled_from(["user", "workspace", "project", None]),
    workspace=places,
    project=places,
    type=st.one_of(st.none(), st.sampled_from(TYPES)),
    authority=st.sampled_from([None, "reference", "directive"]),
    tags=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
    confidence=st.sampled_from([None, 0.0, 0.5, 1.0]),
    importance=st.sampled_from([None, 0.0, 0.5, 1.0]),
    created_at=st.one_of(st.none(), st.sampled_from(TIMES)),
    updated_at=st.one_of(st.none(), st.sampled_from(TIMES)),
    observed_at=st.one_of(st.none(), st.sampled_from(TIMES)),
    valid_from=st.one_of(st.none(), st.none(), st.sampled_from(TIMES)),
    valid_to=st.one_of(st.none(), st.none(), st.sampled_from(TIMES)),
    expires_at=st.one_of(st.none(), st.none(), st.sampled_from(TIMES)),
    supersedes=st.one_of(st.none(), st.none(), st.sampled_from(KEYS)),
    agent_visible=st.sampled_from([True, True, True, False]),
)
accesses = st.builds(Access, workspace=places, project=places)
questions = st.fixed_dictionaries(
    {
        "query": texts,
        "access": accesses,
        "limit": st.sampled_from([None, 0, 1, 3, 100]),
        "purpose": st.sampled_from([None, "tool"]),
        "mode": st.sampled_from([None, "historical-v1"]),
        "filters": st.one_of(
            st.none(),
            st.builds(
                Filters,
                scopes=st.sampled_from([(), ("user", "project")]),
                types=st.sampled_from([(), ("fact", "preference")]),
                authorities=st.sampled_from([(), ("directive",)]),
            ),
        ),
    }
)
policies = st.builds(
    Policy,
    enabled=st.sampled_from([True, True, True, False]),
    scopes=st.sampled_from([("user", "workspace", "project"), ("project",), ("user",), ()]),
    max_injected_records=st.sampled_from([8, 2]),
)


def check_same(plain, indexed, question):
    expected, answer = plain.recall(trace=True, **question), indexed.recall(trace=True, **question)
    assert answer.trace is not None
    assert answer.trace.mode == "sqlite-fts5"
    assert answer.hits == expected.hits
    assert comparable(answer.trace) == comparable(expected.trace)
    listed = plain.list_records(question["access"]), indexed.list_records(question["access"])
    assert listed[0] == listed[1]
    assert plain.context(question["query"], question["access"]) == indexed.context(
        question["query"], question["access"]
    )


def tombstone_or(record, fate):
    marks = {"deleted": "deleted_at", "disabled": "disabled_at", "superseded": "superseded_at"}
    if fate not in marks:
        return record
    return replace(record, **{marks[fate]: "2026-02-01T00:00:00.000Z"})


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    stored=st.lists(
        st.tuples(drafts, st.sampled_from([None] * 5 + ["deleted", "disabled", "superseded"])),
        max_size=len(KEYS),
    ),
    asked=st.lists(questions, min_size=1, max_size=4),
    policy=policies,
    clock=st.sampled_from(TIMES),
)
def test_the_same_files_give_the_same_answers(stored, asked, policy, clock):
    root = Path(mkdtemp(prefix="memconform-"))
    try:
        (root / "memory").mkdir()
        for key, (each, fate) in zip(KEYS, stored, strict=False):
            try:
                record = record_from_draft(each, id=key, now=NOW)
            except StoreError:
                continue  # no such memory can be stored by either
            data = encode(tombstone_or(record, fate))
            (root / "memory" / f"{key}.json").write_bytes(data)
        how = Settings(clock=clock, policy=policy, evaluation=True)
        plain, indexed = FilesystemStore(root, how), HybridStore(root, how)
        for question in asked:
            check_same(plain, indexed, question)
        plain.close()
        indexed.close()
    finally:
        shutil.rmtree(root)


keys = st.sampled_from(KEYS[:6])
no_place = st.builds(Access, workspace=st.sampled_from([None, "/a"]), project=st.none())
steps = st.one_of(
    st.tuples(st.just("write"), drafts, keys),
    st.tuples(st.sampled_from(["forget", "purge", "disable", "enable", "get"]), keys, no_place),
    st.tuples(st.just("update"), keys, no_place, texts),
    st.tuples(st.just("correct"), keys, texts, no_place, st.one_of(st.none(), keys)),
    st.tuples(st.just("supersede"), keys, keys, no_place),
    st.tuples(st.just("set_clock"), st.sampled_from(TIMES)),
    st.tuples(st.sampled_from(["reopen", "second"])),
)


def done_by(store, step):
    """What a step answers, and the store to go on with."""
    name, *arguments = step
    try:
        if name == "write":
            draft, key = arguments  # taken keys are refused by both
            return store.write(replace(draft, key=key)), store
        if name == "reopen":
            return None, store.reopen()
        if name == "second":  # the first one stays open, warm and outdated
            return None, store.second()
        return getattr(store, name)(*arguments), store
    except StoreError as refusal:
        return (refusal.code, refusal.message, refusal.detail), store


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(history=st.lists(st.tuples(steps, questions), min_size=1, max_size=12))
def test_the_same_history_gives_the_same_answers(history):
    how = Settings(clock=NOW, evaluation=True)
    first = filesystem.factory().open(how), hybrid.factory().open(how)
    opened = [first]
    for step, question in history:
        (one, plain), (other, indexed) = (done_by(store, step) for store in opened[-1])
        assert one == other
        if (plain, indexed) != opened[-1]:
            opened.append((plain, indexed))
        check_same(plain, indexed, question)
        # The first connection that is still open knows all that the last one has done.
        earlier = next(pair for pair in opened if not pair[0].closed)
        for store in earlier:
            store.set_clock(NOW)
        check_same(*earlier, question)
    for pair in opened:
        for store in pair:
            store.close()
