"""reference:authority: its files, its audit, and the answers of a plain count over all claims."""

import contextlib
import dataclasses
import random
import sqlite3
import stat
import threading

import pytest
from test_authority_injection import SECRETS

from memconform.authority import (
    AUTHORITY,
    DESIGN,
    Candidate,
    Message,
    Step,
    Subject,
    TurnEnd,
    capsules,
    claim_terms,
    decide,
    lexical,
    merged,
    query_terms,
)
from memconform.authority.places import GLOBAL, session_key, workspace_key
from memconform.model import Access, Policy, RecordDraft, Settings, SourceDraft
from memconform.protocol import Conflict, Invalid, NotFound, Unavailable
from memconform.reference.authority import AuthorityStore, factory
from memconform.reference.authority_breaking import FAULTS
from memconform.reference.authority_schema import SCHEMA, VERSION_1, as_version_1, run
from memconform.reference.authority_tables import FILE, FOLDER

NOW = "2026-06-30T00:00:00Z"
PLACE = "/home/garden"
GUESS = (SourceDraft(kind="user", trust="inferred"),)


def opened(root, **more):
    return AuthorityStore(root, Settings(clock=NOW), workspace=PLACE, **more)


def draft(content, key=None, **fields):
    return RecordDraft(content=content, key=key, **fields)


def ids(store, query, access=Access()):
    return [hit.id for hit in store.recall(query, access).hits]


@pytest.fixture
def store(tmp_path):
    store = opened(tmp_path)
    yield store
    store.close()


def rows(root, sql, *values):
    db = sqlite3.connect(root / FOLDER / FILE)
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


# --- the files -------------------------------------------------------------------------------


def test_the_folder_is_for_its_owner_alone(tmp_path, store):
    assert stat.S_IMODE((tmp_path / FOLDER).stat().st_mode) == 0o700
    store.close()
    (tmp_path / FOLDER).chmod(0o755)
    opened(tmp_path).close()
    assert stat.S_IMODE((tmp_path / FOLDER).stat().st_mode) == 0o700


def test_wal_is_for_files_only(tmp_path, store):
    assert rows(tmp_path, "PRAGMA journal_mode") == [("wal",)]
    assert rows(tmp_path, "PRAGMA user_version") == [(SCHEMA,)]
    memory = opened(None)
    memory.write(draft("The ferry runs daily", "ferry"))
    assert ids(memory, "ferry") == ["ferry"]
    for refused in (memory.second, memory.reopen, lambda: memory.fault("database-full")):
        with pytest.raises(Invalid, match="in memory"):
            refused()


def test_no_path_is_kept(tmp_path, store):
    store.write(draft("The ferry runs daily", "ferry"))
    store.context("ferry", Access(session="s-1"))
    store.close()
    everything = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"garden" not in everything
    assert workspace_key(PLACE).encode() in everything


def test_no_question_is_kept(tmp_path, store):
    store.write(draft("The ferry runs daily", "ferry"))
    question = "Does the Ferry run at all on Sundays?"
    store.context(question)
    assert len(rows(tmp_path, "SELECT * FROM retrieval_runs")) == 1
    store.close()
    everything = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert question.encode() not in everything
    assert b"at all" not in everything


@pytest.mark.parametrize(("label", "secret"), SECRETS)
def test_no_secret_reaches_the_disk(tmp_path, label, secret):
    """Every way in, and then every byte of every file while the database is still open."""
    store = opened(tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    refusals = [
        lambda: store.write(draft(f"Note {secret}")),
        lambda: store.write(draft("Note", tags=(secret,))),
        lambda: store.write(draft("Note", sources=(SourceDraft(kind="web", excerpt=secret),))),
        lambda: store.write(draft("Note", scope="session", session=secret)),
        lambda: store.correct("ferry", f"Ferry {secret}"),
        lambda: store.feedback("ferry", "helped", note=secret),
    ]
    for refusal in refusals:
        with pytest.raises(Invalid) as refused:
            refusal()
        assert label in refused.value.message
        assert secret not in refused.value.message
        assert refused.value.detail == {"secret": label}
    (outcome,) = store.write_batch((draft(f"Note {secret}"),)).outcomes
    assert (outcome.outcome, secret in str(outcome.cause)) == ("refused", False)
    assert store.learn([message(f"Remember that {secret}"), TurnEnd(turn="t1")]) == []
    store.recall(f"ferry {secret}", Access(session=secret))
    assert store.context(f"ferry runs daily {secret}").ids == ["ferry"]
    store.feedback("ferry", "helped")
    told = store.explain("ferry")
    assert len(told.runs) == 2
    everything = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"The ferry runs daily" in everything  # the bytes are really there to be read
    for form in {secret, secret.lower(), secret.upper()}:
        assert form.encode() not in everything
    # Nor in pieces: the parts of it that are words of their own.
    for part in secret.replace("-", " ").replace("=", " ").replace(":", " ").split():
        if len(part) > 9 and part.lower() not in ("authorization", "aws_secret_access_key"):
            assert part.lower().encode() not in everything.lower(), part
    store.close()


# --- versions --------------------------------------------------------------------------------


def version_1(root):
    """A database as the first version left it: two claims, a tombstone, evidence, an audit."""
    (root / FOLDER).mkdir()
    db = sqlite3.connect(root / FOLDER / FILE, isolation_level=None)
    run(db, VERSION_1)
    key = workspace_key(PLACE)
    for id, content, state in (
        ("ferry", "The ferry runs daily", "active"),
        ("crane", "港口起重机检修", "active"),
        ("gone", "The barge sank", "tombstoned"),
    ):
        number = db.execute(
            "INSERT INTO claims (id, scope, scope_key, kind, content, tags_json, state, origin,"
            " sensitivity, content_hash, created_at, updated_at) VALUES (?, 'workspace', ?, 'fact',"
            " ?, '[\"harbour\"]', ?, 'explicit', 'normal', 'x', ?, ?)",
            (id, key, content, state, "2026-06-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z"),
        ).lastrowid
        db.execute("INSERT INTO beliefs VALUES (?, 7, 1, 0)", (id,))
        db.execute("INSERT INTO claims_fts (rowid, content) VALUES (?, ?)", (number, content))
    for id in ("ferry", "gone"):
        db.execute(
            "INSERT INTO evidence (claim_id, outcome, alpha, beta, at)"
            " VALUES (?, 'helped', 1, 0, ?)",
            (id, "2026-06-02T00:00:00.000Z"),
        )
    db.execute(
        "INSERT INTO retrieval_runs VALUES (1, '2026-06-02T00:00:00.000Z', 'h', NULL, ?, 1)", (key,)
    )
    db.execute("INSERT INTO injections VALUES (1, 'ferry', 'm-1')")
    db.execute("PRAGMA user_version = 1")
    db.close()


KEPT = (
    "SELECT id, scope_key, content, state, created_at, updated_at FROM claims ORDER BY number",
    "SELECT * FROM beliefs ORDER BY claim_id",
    "SELECT * FROM evidence ORDER BY number",
    "SELECT number, at, query_hash, workspace_key, candidates FROM retrieval_runs",
    "SELECT * FROM injections",
)


def test_a_database_of_version_1_is_brought_to_version_2_in_place(tmp_path):
    version_1(tmp_path)
    before = [rows(tmp_path, sql) for sql in KEPT]
    store = opened(tmp_path)
    assert [rows(tmp_path, sql) for sql in KEPT] == before
    assert rows(tmp_path, "PRAGMA user_version") == [(2,)]
    # Terms were filled in, also of the tombstone, and the index was made anew without it.
    assert store.explain("ferry").terms == list(claim_terms("The ferry runs daily", ["harbour"]))
    assert rows(tmp_path, "SELECT terms_json FROM claims WHERE id = 'gone'") != [("[]",)]
    assert ids(store, "ferry") == ["ferry"]
    assert ids(store, "起重机") == ["crane"]
    assert sorted(ids(store, "harbour")) == ["crane", "ferry"]
    assert ids(store, "barge sank") == []
    told = store.explain("gone")
    assert (told.state, told.belief.alpha, len(told.evidence)) == ("tombstoned", 7, 1)
    # An old run has no terms to learn from, and learning goes on with new ones.
    assert store.feedback("ferry", "helped").learned == []
    store.context("ferry harbour visitors")
    assert store.feedback("ferry", "helped").learned == ["visitors"]
    store.close()
    again = opened(tmp_path)
    assert ids(again, "visitors") == ["ferry"]
    again.close()


def test_a_migration_that_fails_leaves_version_1(tmp_path):
    version_1(tmp_path)

    def fails(*_):
        raise sqlite3.OperationalError("on the way")

    store = opened(tmp_path, design=dataclasses.replace(DESIGN, claim_terms=fails))
    with pytest.raises(Unavailable):
        store.list_records()
    store.close()
    assert rows(tmp_path, "PRAGMA user_version") == [(1,)]
    assert "terms_json" not in str(rows(tmp_path, "SELECT sql FROM sqlite_master"))
    store = opened(tmp_path)
    assert ids(store, "ferry") == ["ferry"]
    store.close()


def test_a_newer_version_is_refused_and_left_alone(tmp_path):
    opened(tmp_path).close()
    db = sqlite3.connect(tmp_path / FOLDER / FILE)
    db.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    db.close()
    store = opened(tmp_path)
    with pytest.raises(Unavailable, match="newer version"):
        store.write(draft("The ferry runs daily"))
    assert store.context("ferry").text == ""
    assert rows(tmp_path, "PRAGMA user_version") == [(SCHEMA + 1,)]
    store.close()


# --- pruning ---------------------------------------------------------------------------------


def counts(root):
    tables = ("retrieval_runs", "authority_decisions", "injections", "evidence", "consumption")
    return {table: rows(root, f"SELECT count(*) FROM {table}")[0][0] for table in tables}


def test_the_newest_5000_runs_are_kept(tmp_path, store):
    store.write(draft("The ferry runs daily", "ferry"))
    store.context("ferry")
    store.feedback("ferry", "helped")
    db = sqlite3.connect(tmp_path / FOLDER / FILE)
    numbers = (
        "(WITH RECURSIVE c (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM c WHERE n < 5000)"
        " SELECT n FROM c)"
    )
    for sql in (
        "INSERT INTO retrieval_runs (number, at, query_hash, candidates)"
        " SELECT n, 'x', 'x', 1 FROM ",
        "INSERT INTO authority_decisions"
        " SELECT n, 'ferry', 'trigger', 1, 'use', '[]', 1, 1, 1, 0 FROM ",
        "INSERT INTO injections SELECT n, 'ferry', 'm' FROM ",
    ):
        db.execute(sql + numbers)
    db.commit()
    db.close()
    full = counts(tmp_path)
    assert (full["retrieval_runs"], full["injections"]) == (5000, 5000)
    store.context("ferry")
    after = counts(tmp_path)
    assert after == full  # one more, one less
    assert rows(tmp_path, "SELECT min(number), max(number) FROM retrieval_runs") == [(2, 5001)]
    assert rows(tmp_path, "SELECT min(run), max(run) FROM authority_decisions") == [(2, 5001)]
    assert (after["evidence"], after["consumption"]) == (1, 1)
    assert store.explain("ferry").belief.alpha == 7


def test_how_many_runs_are_kept_is_configuration(tmp_path):
    few = dataclasses.replace(DESIGN, constants=dataclasses.replace(AUTHORITY, kept_runs=3))
    store = opened(tmp_path, design=few)
    store.write(draft("The ferry runs daily", "ferry"))
    for _ in range(5):
        store.context("ferry")
    assert [r.run for r in store.explain("ferry").runs] == [5, 4, 3]
    assert [i.run for i in store.explain("ferry").injections] == [5, 4, 3]
    store.close()


# --- failing open ----------------------------------------------------------------------------


# An older database is no failure: it is brought up to date.
FAILURES = [fault for fault in FAULTS if fault != "database-older"]


@pytest.mark.parametrize("fault", FAILURES)
def test_whatever_fails_the_conversation_goes_on(tmp_path, fault):
    store = opened(tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    step = Step(number=1, cancelled=False, messages=(message("ferry " + "x" * 50_000),))
    assert len(store.join(step)) == 2
    store.fault(fault)
    assert store.join(step) == step.messages
    assert store.context("ferry " + "x" * 50_000).ids == []
    assert sum(store.diagnostics().failures.values()) == 2
    assert store.diagnostics().last_injected_ids == []
    with pytest.raises(Unavailable) as refused:
        store.recall("ferry " + "x" * 50_000)
    assert str(tmp_path) not in refused.value.message
    assert "ferry" not in refused.value.message
    store.fault(fault, on=False)
    assert len(store.join(step)) == 2
    assert len(store.explain("ferry").injections) == 2
    store.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_is_still_on_is_mended_by_closing(tmp_path, fault):
    store = opened(tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    store.fault(fault)
    store.close()
    store = opened(tmp_path)
    assert ids(store, "ferry") == ["ferry"]
    store.close()


def test_an_unknown_fault_is_refused(store):
    with pytest.raises(Invalid, match="database-full"):
        store.fault("database-on-fire")


def test_a_database_that_fills_up_over_time_never_breaks_a_turn(tmp_path):
    """Without a long question: the pages there are are used up by the audit itself."""
    store = opened(tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    store.fault("database-full")
    texts = [store.context(f"ferry n{n}").text for n in range(400)]
    full = texts.index("")
    assert all(texts[:full])
    assert not any(texts[full:])
    assert store.diagnostics().failures == {"full": 400 - full}
    assert len(rows(tmp_path, "SELECT * FROM injections")) == full
    store.close()


@pytest.mark.parametrize("where", ["query_terms", "capsules", "merged", "decide", "inject"])
def test_each_part_may_fail(tmp_path, where):
    def fails(*_, **__):
        raise ZeroDivisionError

    store = opened(tmp_path, design=dataclasses.replace(DESIGN, **{where: fails}))
    store.write(draft("The ferry runs daily", "ferry"))
    assert store.context("ferry").text == ""
    assert sum(store.diagnostics().failures.values()) == 1
    assert store.explain("ferry").runs == []
    store.close()


def test_a_folder_that_cannot_be_made_leaves_one_answer(tmp_path):
    (tmp_path / FOLDER).write_text("in the way")
    store = opened(tmp_path)
    assert store.context("ferry").text == ""
    assert store.diagnostics().failures == {"unreadable": 1}
    calls = [
        lambda: store.write(draft("x")),
        lambda: store.recall("x"),
        lambda: store.forget("x"),
        lambda: store.get("x"),
        lambda: store.explain("x"),
        lambda: store.feedback("x", "helped"),
        store.list_records,
        lambda: store.learn([]),
    ]
    for call in calls:
        with pytest.raises(Unavailable, match="look at its folder"):
            call()
    # The pure decision needs no database, and the store heals when the way is free.
    assert (
        store.decide(kind="fact", alpha=6, beta=1, relevance=1, freshness=1, time=NOW).action
        == "use"
    )
    (tmp_path / FOLDER).unlink()
    store.write(draft("The ferry runs daily", "ferry"))
    assert ids(store, "ferry") == ["ferry"]
    store.close()


def test_a_closed_store_says_so(store):
    store.close()
    store.close()
    for call in (lambda: store.context("x"), lambda: store.recall("x"), store.diagnostics):
        with pytest.raises(Unavailable, match="closed"):
            call()


# --- the conversation ------------------------------------------------------------------------


def message(text, speaker="user", event="e1", turn="t1"):
    return Message(event=event, turn=turn, speaker=speaker, text=text)


def test_learning_from_a_conversation(store):
    events = [
        message("I prefer tea. Where is the ferry? Remember that the gate is green."),
        message("I prefer gin.", "assistant", "e2"),
        TurnEnd(turn="t1"),
    ]
    access = Access(session="s-1")
    assert [w.outcome for w in store.learn(events, access)] == ["created", "created"]
    told = {hit.content: hit for hit in store.list_records().records}
    assert set(told) == {"I prefer tea.", "the gate is green."}
    assert told["I prefer tea."].extra["origin"] == "heuristic"
    assert told["the gate is green."].extra["origin"] == "explicit"
    assert {hit.extra["scope"] for hit in told.values()} == {"workspace"}
    # Neither a replay nor a repetition says anything new.
    assert store.learn(events, access) == []
    again = [message("I prefer tea.", event="e9", turn="t9"), TurnEnd(turn="t9")]
    assert store.learn(again, access) == []


def test_a_replay_brings_nothing_forgotten_back(store):
    events = [message("I prefer tea."), TurnEnd(turn="t1")]
    (written,) = store.learn(events)
    store.forget(written.id)
    assert store.learn(events) == []
    assert store.list_records().records == []


def test_a_recall_joins_the_first_step_of_a_turn(store):
    store.write(draft("The ferry runs daily", "ferry"))
    step = Step(number=1, cancelled=False, messages=(message("When does the ferry run?"),))
    *before, recall = store.join(step)
    assert tuple(before) == step.messages
    assert (recall.speaker, "The ferry runs daily" in recall.text) == ("plugin", True)
    assert [i.message_id for i in store.explain("ferry").injections] == [recall.event]
    # What a plugin wrote is neither asked nor learned from.
    assert store.learn([recall, TurnEnd(turn="t1")]) == []
    later = dataclasses.replace(step, number=2)
    assert store.join(later) == later.messages
    assert len(store.explain("ferry").runs) == 1


# --- the same answers as a plain count ---------------------------------------------------------

WORDS = ["ferry", "crane", "tea", "pot", "barge", "gate", "tide"]
WORDS += ["起重机", "时刻", "茉莉", "rope", "sail", "dock", "kelp"]


VALIDITIES = [
    {},
    {},
    {},
    {"valid_to": "2026-06-29T00:00:00Z"},
    {"valid_to": NOW},
    {"valid_from": NOW, "valid_to": "2027-01-01T00:00:00Z"},
    {"valid_from": "2026-06-30T00:00:01Z"},
]


def some_drafts(rng, number):
    kinds = ["preference", "constraint", "fact", "procedure", "warning"]
    for n in range(number):
        scope = rng.choice(["workspace", "workspace", "global", "session"])
        yield draft(
            " ".join(rng.sample(WORDS, rng.randint(1, 6))),
            f"c{n:03}",
            scope=scope,
            session=rng.choice(["s-1", "s-2"]) if scope == "session" else None,
            workspace=rng.choice([PLACE, "/home/kitchen"]) if scope == "workspace" else None,
            type=rng.choice(kinds),
            sources=GUESS if scope != "global" and rng.random() < 0.3 else (),
            updated_at=f"20{rng.randint(23, 26)}-0{rng.randint(1, 6)}-10T00:00:00Z",
            **rng.choice(VALIDITIES),
        )


def plainly(known, beliefs, learned, query, access):
    """Every claim looked at, one by one: (id, action, rank) of what isn't ignored, best first."""
    here = {GLOBAL, workspace_key(access.workspace or PLACE)}
    if access.session:
        here.add(session_key(access.session))
    asked = query_terms(query)
    seen = []
    for d in known:
        key = {
            "global": GLOBAL,
            "session": session_key(d.session or "-"),
            "workspace": workspace_key(d.workspace or PLACE),
        }[d.scope]
        if key not in here or (d.valid_to or "9") <= NOW or (d.valid_from or "0") > NOW:
            continue
        seen.append(
            Candidate(
                id=d.key,
                kind=d.type,
                scope=d.scope,
                origin="heuristic" if d.sources else "explicit",
                content=d.content,
                belief=beliefs[d.key],
                updated_at=d.updated_at,
                valid_until=None,
                lexical=lexical(asked, {*claim_terms(d.content), *learned[d.key]}),
            )
        )
    best = merged(capsules(seen), [c for c in seen if c.lexical > 0], NOW)
    found = []
    for ranked in best:
        candidate = ranked.candidate
        decision = decide(
            Subject(kind=candidate.kind),
            candidate.belief,
            relevance=ranked.relevance,
            freshness=ranked.freshness,
            now=NOW,
        )
        if decision.action != "ignore":
            found.append((candidate.id, decision.action, ranked.rank))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_same_answers_as_a_plain_count(tmp_path, seed):
    rng = random.Random(seed)
    store = opened(tmp_path)
    known = list(some_drafts(rng, 120))
    store.write_batch(tuple(known))
    everywhere = {"session": Access(session="s-1"), "s-2": Access(session="s-2")}
    for _ in range(60):
        d = rng.choice(known)
        access = Access(session=d.session, workspace=d.workspace)
        store.context(" ".join(rng.sample(WORDS, 3)), access)
        store.feedback(d.key, rng.choice(["helped", "helped", "harmful", "stale"]), access)
    beliefs, learned = {}, {}
    for d in known:
        told = store.explain(d.key, Access(session=d.session, workspace=d.workspace))
        beliefs[d.key], learned[d.key] = told.belief, told.learned_terms
    assert any(learned.values())
    for _ in range(40):
        query = " ".join(rng.sample(WORDS, rng.randint(1, 12)))
        access = rng.choice([*everywhere.values(), Access(), Access(workspace="/home/kitchen")])
        seen = [
            (hit.id, hit.extra["action"], hit.score) for hit in store.recall(query, access).hits
        ]
        assert seen == plainly(known, beliefs, learned, query, access), (query, access)
    store.close()


def test_of_many_that_differ_in_nothing_the_first_ids_come(store):
    drafts = [draft(f"ferry tide {'x' * n}", f"c{n:02}") for n in range(40)]
    store.write_batch(tuple(reversed(drafts)))
    assert ids(store, "ferry tide") == [f"c{n:02}" for n in range(16)]
    # One of the others is believed more, and comes first.
    store.feedback("c30", "helped")
    assert ids(store, "ferry tide") == ["c30", *(f"c{n:02}" for n in range(15))]


def test_fewer_words_come_first_where_everything_else_is_better(tmp_path, store):
    years = ("2021", "2022", "2023")
    for n in range(16):
        at = f"{years[n % 3]}-01-01T00:00:00Z"
        store.write(draft("ferry tide dock", f"old{n:02}", updated_at=at, sources=GUESS))
        store.feedback(f"old{n:02}", "conflict")
    # .62 x 2/3 + .23 x 6/7 + .15 beats .62 + .23 x 4/10, both in the same workspace.
    store.write(draft("ferry tide", "new"))
    assert ids(store, "ferry tide dock")[0] == "new"


# --- the rest --------------------------------------------------------------------------------


def test_ids_of_their_own(store):
    one, two = (store.write(draft("The ferry runs daily")).id for _ in range(2))
    assert one != two
    assert {one, two} == set(ids(store, "ferry"))
    with pytest.raises(Conflict):
        store.write(draft("Something else", one))
    store.forget(one)
    with pytest.raises(Conflict):
        store.write(draft("Something else", one))


def test_a_correction_happens_once(store):
    store.write(draft("The ferry runs daily", "old", tags=("harbour",), type="constraint"))
    first = store.correct("old", "The ferry runs hourly")
    assert store.correct("old", "The ferry runs hourly") == first
    with pytest.raises(Conflict):
        store.correct("old", "The ferry sank")
    new = store.get(first.id).record
    assert (new.type, new.tags, new.state) == ("constraint", ["harbour"], "active")
    old = store.get("old").record
    assert (old.state, old.superseded_by) == ("superseded", first.id)
    assert ids(store, "ferry runs") == [first.id]


def test_a_disabled_store_finds_nothing(tmp_path):
    off = Settings(clock=NOW, policy=Policy(enabled=False))
    store = AuthorityStore(tmp_path, off, workspace=PLACE)
    store.write(draft("The ferry runs daily", "ferry", scope="global", type="preference"))
    assert ids(store, "ferry") == []
    assert store.context("ferry").text == ""
    store.close()


def test_what_another_caller_may_not_touch(store):
    store.write(draft("The ferry runs daily", "ferry", workspace="/home/kitchen"))
    for call in (
        lambda: store.get("ferry"),
        lambda: store.forget("ferry"),
        lambda: store.correct("ferry", "x"),
        lambda: store.feedback("ferry", "harmful"),
        lambda: store.explain("ferry"),
    ):
        with pytest.raises(NotFound):
            call()


@pytest.mark.parametrize(
    "fields",
    [
        {"scope": "user"},
        {"type": "rumor"},
        {"valid_from": "2026-07-01T00:00:00Z", "valid_to": "2026-06-30T00:00:00Z"},
        {"valid_to": "tomorrow"},
        {"ttl_ms": 0},
        {"ttl_ms": 10**18},
        {"ttl_ms": 5, "expires_at": NOW},
        {"confidence": 7.0},
        {"importance": -1.0},
        {"supersedes": "other"},
        {"key": "../x"},
        {"content": " \n"},
        {"content": "\ud800"},
    ],
)
def test_bad_claims_are_refused(store, fields):
    plain = {"content": "The ferry runs daily"} | fields
    with pytest.raises(Invalid):
        store.write(RecordDraft(**plain))
    assert store.list_records().records == []


def test_the_earliest_end_counts(store):
    store.write(
        draft("The ferry", "a", valid_to="2026-07-02T00:00:00Z", expires_at="2026-07-01T00:00:00Z")
    )
    store.write(draft("The ferry", "b", ttl_ms=86_400_000))
    assert {store.get(id).record.times.valid_to for id in "ab"} == {"2026-07-01T00:00:00.000Z"}


def test_the_system_declares_what_works():
    hello = factory().hello()
    store = factory().open(Settings(clock=NOW))
    store.write(draft("The ferry runs daily", "ferry"))
    assert ids(store, "ferry") == ["ferry"]
    assert hello.profiles == ["authority"]
    root = store._root
    assert root.exists()
    other = store.second()
    store.close()
    assert ids(other, "ferry") == ["ferry"]
    other.close()
    assert not root.exists()


def test_a_claim_waits_for_another_writer(tmp_path, store):
    """Longer than a turn of a conversation would."""
    holder = sqlite3.connect(
        tmp_path / FOLDER / FILE, isolation_level=None, check_same_thread=False
    )
    holder.execute("BEGIN IMMEDIATE")
    assert store.context("ferry").text == ""
    assert store.diagnostics().failures == {"locked": 1}
    release = threading.Timer(0.4, holder.close)
    release.start()
    store.write(draft("The ferry runs daily", "ferry"))
    release.join()
    assert ids(store, "ferry") == ["ferry"]


# --- what is on the disk, and how old it is --------------------------------------------------


def test_storage_tells_what_is_in_bytes_and_names_and_nothing_else(tmp_path):
    store = opened(tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    store.recall("Where does the Ferry stop?")
    (tmp_path / FOLDER / "harbour.log").write_text("每周二")
    texts = ["每周二", "harbour.log", "The ferry runs daily", "the Ferry stop", "每周三"]
    answer = store.storage(texts)
    assert answer.found == ["每周二", "harbour.log", "The ferry runs daily"]
    assert answer.owner_only
    (tmp_path / FOLDER).chmod(0o750)
    assert not store.storage().owner_only
    store.close()


def test_a_store_in_memory_keeps_nothing_on_the_disk():
    store = AuthorityStore(None, workspace="/w")
    store.write(draft("The ferry runs daily", "ferry"))
    assert store.storage(["The ferry runs daily"]).found == []
    store.close()


def test_an_older_database_is_of_version_1_and_is_migrated(tmp_path):
    """Learned terms are what version 1 had no column for: they are what goes."""
    store = opened(tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    store.context("ferry timetable")
    store.feedback("ferry", "helped")
    before = store.explain("ferry")
    assert before.learned_terms == ["timetable"]
    store.disconnect()
    as_version_1(tmp_path / FOLDER / FILE)
    with contextlib.closing(sqlite3.connect(tmp_path / FOLDER / FILE)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert "terms_json" not in [row[1] for row in db.execute("PRAGMA table_info(claims)")]
    store.connect()
    after = store.explain("ferry")
    assert after.learned_terms == []
    for part in ("belief", "terms", "evidence", "consumption", "decisions", "injections"):
        assert getattr(after, part) == getattr(before, part)
    store.close()
