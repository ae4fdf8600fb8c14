"""2,000 questions over 20 folders of 400 memories: stores and pure pipeline are of one mind.

A folder and each of its questions have their own seeds. A failure names them, and the question
itself; ``pytest -k`` with the name of the test repeats the folder, up to that question.
"""

import contextlib
import random
from collections import Counter

import pytest
from msgspec.structs import replace
from reference_stores import NOW, comparable

from memconform.model import (
    MEMORY_TYPES,
    Access,
    Filters,
    Policy,
    RecordDraft,
    Settings,
    SourceDraft,
)
from memconform.protocol import Conflict, Invalid, NotFound
from memconform.reference.files import FOLDER, SUFFIX, RecordFiles, encode
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.hybrid import HybridStore
from memconform.retrieval import Pipeline, RetrievalRequest, record_from_draft

FOLDERS = 20
RECORDS = 400
QUESTIONS = 100
AT_ONCE = 25  # questions between two changes of the policy and of the memories
CROWD = 300
CROWDED_QUESTIONS = 20  # at least, of a crowded folder, with more than CROWD matches each

LATIN = [
    "hose", "hoses", "green", "garden", "water", "waters", "the", "of", "a", "like", "prefer",
    "decision", "identity", "profile", "my name", "who am i", "snake_case", "POL-358", "20.04",
    "don't", "50%", "@nasa", "a/b", "façade", "facade", "ÉCOLE", "école", "ﬁne", "fine", "ß",
    "ＦＵＬＬ", "full", "İstanbul", "naïve", "naïve", "Ⅷ", "x²",
]  # fmt: skip
CJK = [
    "用户", "用户喜欢", "喜欢", "名字", "我的名字", "我是谁", "决定", "偏好", "身份", "水", "水管",
    "花园里的水管", "ホース", "ガーデン", "庭の", "カﾞ", "정원", "물", "정원에물",
    "𠮷野家", "〇", "々",
]  # fmt: skip
HOSTILE = [
    "NEAR", "NEAR(a b, 3)", "AND", "OR", "NOT", "*", "hos*", "^hose", "tokens:hose", "{tokens}:a",
    '"', '""', '"green hose"', "'", "'; DROP TABLE memory; --", "-hose", "+", "(", ")", "(((", ",",
    "\\", "%", "_", "__", "?1", ":now", "@now", "$now", "{m}", "{", "\x00", "a\x00b", "\x00hose",
    "\x1b[31m", "\u202e", "\ufeff", "\u200b", "e\u0301\u0323", "\u0301", "Z\u0351\u036b\u0343a",
    "🌻", "👩‍🌾", "𝔤𝔯𝔢𝔢𝔫", "𐐀𐐨", "\U0010ffff", "\n", "\r\n", "\t", "</memory>", "<b>&amp;",
    "${jndi:x}", "x" * 300, "wx" * 150 + "y", "ghos", "wgreen", "c用户", "h" + "0" * 64,
]  # fmt: skip
PLACES = [None, "/a", "/a/", "/b/../a", "//b", "b", "/用户", "/a\x00", "/A", "/a b"]
TIMES = [
    "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "2025-01-01T00:00:00Z",
    "2026-02-28T23:59:59.999Z", NOW, "2026-03-01T01:00:00+01:00", "2026-03-01T00:00:00.001Z",
    "2027-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
]  # fmt: skip
TAGS = [
    "偏好",
    "Preference",
    "decision",
    "identity",
    "身份",
    "profile",
    "ＰＲＯＦＩＬＥ",
    "garden",
    "\x00",
]
UNITS = [None, 0.0, 0.1, 0.3, 0.5, 0.7, 1.0]
SCOPES = ["user", "workspace", "project"]
AUTHORITIES = ["reference", "directive"]
# Another program may have put these there: kept, and taken for fresh.
NO_TIMES = ["", "yesterday", "2026-13-01T00:00:00Z"]


# --- what is stored and asked --------------------------------------------------------------------


def some(rng, choices, most):
    return tuple(rng.choice(choices) for _ in range(rng.randint(0, most)))


def any_text(rng, most=9):
    """Words of all kinds, mostly apart, sometimes run together, sometimes any code points."""
    if rng.random() < 0.05:
        points = (
            rng.choice([0x20, 0x3000, 0xAC00, 0x1F300]) + rng.randrange(256) for _ in range(9)
        )
        return "".join(map(chr, points))
    words = [
        rng.choice(rng.choices([LATIN, CJK, HOSTILE], [6, 3, 2])[0])
        for _ in range(rng.randint(1, most))
    ]
    return ("" if rng.random() < 0.15 else " ").join(words)


def any_time(rng, share):
    """A time in so many of all cases: a special one, or any of the years around the clock."""
    if rng.random() >= share:
        return None
    if rng.random() < 0.4:
        return rng.choice(TIMES)
    day = f"{rng.randint(2024, 2028)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return f"{day}T{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:00.{rng.randint(0, 999):03}Z"


def any_access(rng):
    return Access(workspace=rng.choice(PLACES), project=rng.choice([None, *PLACES]))


def any_draft(rng, number, crowded):
    """A memory; in a crowded folder nearly all of them match, and may be seen by everybody."""
    content = any_text(rng, 20)
    if rng.random() < 0.02:
        content = " ".join([content, *(f"{content} {n}" for n in range(150))])  # cut to fit, or not
    common = crowded and rng.random() < 0.95
    if common:
        content = f"{content} seen {rng.choice(['near', 'beside', 'behind'])} the shed 花园"
    rare = 0.02 if common else 0.15
    return RecordDraft(
        content=content,
        scope="user" if common else rng.choice(SCOPES),
        workspace=rng.choice(PLACES),
        project=rng.choice(PLACES),
        type=rng.choice([None, *MEMORY_TYPES]),
        authority="directive" if rng.random() < rare else None,
        tags=some(rng, TAGS, 2) if rng.random() < 0.5 else (),
        confidence=rng.choice(UNITS),
        importance=rng.choice(UNITS),
        created_at=any_time(rng, 0.5),
        updated_at=any_time(rng, 0.5),
        observed_at=any_time(rng, 0.3),
        valid_from=any_time(rng, rare),
        valid_to=any_time(rng, rare),
        expires_at=any_time(rng, rare),
        supersedes=f"m{rng.randrange(number + 3):03}" if rng.random() < rare else None,
        agent_visible=rng.random() >= rare,
        sources=(SourceDraft(kind="file", locator=any_text(rng, 2)),) if rng.random() < 0.2 else (),
    )


def any_record(rng, number, crowded):
    """A memory as its file holds it, in whatever state; null for a draft that nobody may store."""
    try:
        record = record_from_draft(any_draft(rng, number, crowded), id=f"m{number:03}", now=NOW)
    except Invalid:
        return None
    fate = rng.random() * (5 if crowded else 1)
    if fate < 0.15:
        mark = rng.choice(["deleted_at", "disabled_at", "superseded_at"])
        record = replace(record, **{mark: "2026-02-01T00:00:00.000Z"})
    elif fate < 0.2:
        mark = rng.choice(["created_at", "updated_at", "observed_at"])
        record = replace(record, **{mark: rng.choice(NO_TIMES)})
    return record


def fill(root, rng, crowded):
    memory = root / FOLDER
    memory.mkdir()
    number = stored = 0
    while stored < RECORDS:
        record = any_record(rng, number, crowded)
        number += 1
        if record is not None:
            (memory / f"{record.id}{SUFFIX}").write_bytes(encode(record))
            stored += 1
    (memory / f"half{SUFFIX}").write_bytes(encode(record)[:40])
    (memory / f"other{SUFFIX}").write_bytes(encode(record))  # not the id that it is named


def any_question(rng, crowded):
    """The arguments of a recall, and the budget of a context."""
    query = any_text(rng, rng.choice([2, 4, 9]))
    if crowded:
        # Few words beside the common ones, so that hundreds pass the gate, too.
        query = f"seen near the shed {any_text(rng, 2)}" if rng.random() < 0.7 else "花园 shed"
    filters = Filters(scopes=some(rng, SCOPES, 2), types=some(rng, MEMORY_TYPES, 3), authorities=())
    if rng.random() < 0.3:
        filters = replace(filters, authorities=some(rng, AUTHORITIES, 1))
    return {
        "query": query,
        "access": any_access(rng),
        "limit": rng.choice([None, None, None, None, -1, 0, 1, 3, 7.9, 64, 100]),
        "purpose": rng.choice([None, "injection", "tool"]),
        "mode": rng.choice([None, "foundation-v1", "historical-v1"]),
        "filters": filters if rng.random() < 0.3 else None,
    }, rng.choice([-1, 0, 100, 700, 2000, 6000, 50_000])


def any_policy(rng, part):
    """The policy of a part of a folder's questions; in the first two parts all may be found."""
    if part < 2:
        return Policy(max_injected_records=(8, 64)[part])
    return Policy(
        enabled=rng.random() < 0.8,
        scopes=rng.choice([tuple(SCOPES), ("user",), ("user", "project"), ("workspace",), ()]),
        max_injected_records=rng.choice([8, 2, 0, 1000]),
    )


def change(rng, stores, crowded):
    """Some operations, each through one of the two stores; what it refuses, it refuses."""
    for _ in range(4):
        store, id, access = rng.choice(stores), f"m{rng.randrange(RECORDS):03}", any_access(rng)
        name = rng.choice(["forget", "purge", "disable", "enable", "update", "correct", "write"])
        with contextlib.suppress(NotFound, Conflict, Invalid):
            if name == "write":
                store.write(any_draft(rng, 0, crowded))
            elif name in ("update", "correct"):
                getattr(store, name)(id, access=access, content=any_text(rng))
            else:
                getattr(store, name)(id, access)


# --- three opinions ------------------------------------------------------------------------------


def of_the_pipeline(root, question, policy, now, rng):
    """What the pure pipeline says of the files, read in any order."""
    files = RecordFiles(root)
    names = [id for id, stamp in files.scan().items() if stamp and id not in ("half", "other")]
    records = [files.read(id)[0] for id in rng.sample(names, len(names))]
    request = RetrievalRequest(
        query=question["query"],
        access=question["access"],
        limit=question["limit"],
        purpose=question["purpose"] or "injection",
        filters=question["filters"],
        relevance_mode=question["mode"] or "foundation-v1",
    )
    return Pipeline().retrieve(records, request, policy=policy, now=now)


def check_recall(plain, indexed, question):
    """Both answer alike; the answer."""
    expected, answer = plain.recall(trace=True, **question), indexed.recall(trace=True, **question)
    assert expected.trace.mode == "filesystem"
    assert answer.trace.mode == "sqlite-fts5"
    assert [(hit.id, hit.score) for hit in answer.hits] == [
        (hit.id, hit.score) for hit in expected.hits
    ]
    assert answer.hits == expected.hits
    assert comparable(answer.trace) == comparable(expected.trace)
    return answer


def check_context(plain, indexed, question, budget):
    asked = question["query"], question["access"], budget
    assert plain.context(*asked) == indexed.context(*asked)
    one, other = plain.diagnostics(), indexed.diagnostics()
    assert comparable(one.last_trace) == comparable(other.last_trace)
    assert one.last_trace.prompt_character_budget == budget
    assert (one.records, one.malformed) == (other.records, other.malformed)
    assert one.malformed == 2


def check_list(plain, indexed, access):
    assert plain.list_records(access) == indexed.list_records(access)


@pytest.mark.parametrize("folder", range(FOLDERS))
def test_the_stores_and_the_pipeline_are_of_one_mind(folder, tmp_path):
    crowded = folder % 2 == 0
    rng = random.Random(f"folder {folder}")
    fill(tmp_path, rng, crowded)
    seen = Counter()
    for number in range(QUESTIONS):
        if number % AT_ONCE == 0:
            policy = any_policy(rng, number // AT_ONCE)
            settings = Settings(clock=NOW, policy=policy, evaluation=True)
            stores = FilesystemStore(tmp_path, settings), HybridStore(tmp_path, settings)
            change(rng, stores, crowded)
        own = random.Random(f"folder {folder}, question {number}")
        question, budget = any_question(own, crowded)
        now = any_time(own, 1)
        try:
            for store in stores:
                store.set_clock(now)
            answer = check_recall(*stores, question)
            if number % 4 == 0:
                check_context(*stores, question, budget)
                check_list(*stores, question["access"])
            if number % 20 == 0:
                third = of_the_pipeline(tmp_path, question, policy, now, own)
                assert comparable(third.trace) == comparable(answer.trace)
                assert [
                    (c.ranked.record.id, c.ranked.score, c.content) for c in third.selected
                ] == [(hit.id, hit.score, hit.content) for hit in answer.hits]
        except AssertionError:
            print(f"folder {folder}, question {number}: {policy} {now} {budget} {question}")
            raise
        trace = answer.trace
        seen["hits"] += bool(answer.hits)
        seen["crowd"] += trace.candidate_count > CROWD
        seen["crowd passed"] += trace.candidate_count - trace.filtered.irrelevant > CROWD
        if number % AT_ONCE == AT_ONCE - 1:
            for store in stores:
                store.close()
    print(f"folder {folder}: {dict(seen)}")
    assert seen["hits"] >= QUESTIONS / 10
    # Half of the 20 folders are crowded: 10 * 20 are the 200 that there must be.
    if crowded:
        assert seen["crowd"] >= CROWDED_QUESTIONS
