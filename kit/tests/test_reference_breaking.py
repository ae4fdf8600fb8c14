"""The faults of reference:hybrid: the index is really broken, and the answer is the same.

What a disk in trouble does to the files concerns both stores; the plain one gets the same breaker.
"""

import errno
import os

import pytest
from reference_stores import HERE, PLACE, STORES, ids, let_settle, opened

from memconform.model import Access, RecordDraft, Settings
from memconform.protocol import Conflict, Invalid, Unavailable
from memconform.reference.breaking import FAULTS, DiskBreaker
from memconform.reference.files import FOLDER, TEMPORARY
from memconform.reference.hybrid import HybridStore, factory
from memconform.reference.killing import MOMENTS, write_killed

TEXTS = ["The ferry runs daily", "The ferry rests at night", "Soup on Mondays"]


@pytest.fixture
def store():
    store = factory().open(Settings(clock="2026-06-01T00:00:00Z"))
    for number, text in enumerate(TEXTS):
        store.write(RecordDraft(key=f"n{number}", content=text))
    yield store
    store.close()


def ask(store):
    return store.recall("the ferry", Access(), None, trace=True)


@pytest.mark.parametrize("name", ["index-unreadable", "index-locked"])
def test_while_the_index_cant_be_used_the_files_answer(store, name, monkeypatch):
    monkeypatch.setattr("memconform.reference.hybrid.BUSY_MS", 50)
    before = ask(store)
    assert before.trace.mode == "sqlite-fts5"
    store.fault(name, True)
    broken = ask(store)
    assert broken.trace.mode == "filesystem-fallback"
    assert broken.hits == before.hits
    assert store.diagnostics().index.state == "degraded"
    store.fault(name, False)
    assert ask(store).trace.mode == "sqlite-fts5"
    assert ask(store).hits == before.hits
    assert store.diagnostics().index.state == "ready"


@pytest.mark.parametrize("name", ["index-missing", "index-corrupt"])
def test_an_index_that_is_lost_is_made_again(store, name):
    before = ask(store)
    store.fault(name, True)
    after = ask(store)
    assert after.hits == before.hits
    assert ask(store).trace.mode == "sqlite-fts5"
    assert store.diagnostics().index.state == "ready"


@pytest.mark.parametrize("name", ["index-unreadable", "index-locked"])
def test_an_index_can_be_broken_before_the_first_question(store, name):
    store.fault(name, True)
    assert ask(store).trace.mode == "filesystem-fallback"
    store.fault(name, False)
    assert ask(store).trace.mode == "sqlite-fts5"


def test_what_is_written_meanwhile_is_found_then_and_later(store):
    store.fault("index-unreadable", True)
    store.write(RecordDraft(key="late", content="A late ferry leaves at ten"))
    assert "late" in [hit.id for hit in ask(store).hits]
    store.fault("index-unreadable", False)
    found = ask(store)
    assert found.trace.mode == "sqlite-fts5"
    assert "late" in [hit.id for hit in found.hits]


def test_an_unknown_fault_is_refused_and_the_known_ones_are_named(store):
    with pytest.raises(Invalid) as refusal:
        store.fault("index-on-fire", True)
    assert all(name in refusal.value.message for name in FAULTS)


# --- the disk ------------------------------------------------------------------------------------


@pytest.fixture(params=STORES)
def broken(request, tmp_path):
    """A store over a folder with two memories, and the breaker of its disk."""
    store = opened(request.param, tmp_path)
    breaker = DiskBreaker(store._files)
    for number, text in enumerate(TEXTS[:2]):
        store.write(RecordDraft(key=f"n{number}", content=text))
    yield store, breaker
    store.close()


def snapshot(store):
    return {path.name: path.read_bytes() for path in (store.root / FOLDER).iterdir()}


CHANGES = {
    "write": lambda s: s.write(RecordDraft(key="new", content="The ferry sank")),
    "update": lambda s: s.update("n0", HERE, content="The ferry sank"),
    "disable": lambda s: s.disable("n0", HERE),
    "forget": lambda s: s.forget("n0", HERE),
    "correct": lambda s: s.correct("n0", "The ferry sank", HERE),
}


@pytest.mark.parametrize("change", CHANGES)
def test_on_a_full_disk_a_change_is_refused_and_every_file_is_as_it_was(broken, change):
    store, breaker = broken
    before = snapshot(store)
    breaker.switch("disk-full", on=True)
    with pytest.raises(Unavailable) as refusal:
        CHANGES[change](store)
    assert os.strerror(errno.ENOSPC) in refusal.value.message
    assert str(store.root) not in refusal.value.message
    assert snapshot(store) == before
    assert set(ids(store, "the ferry")) == {"n0", "n1"}
    breaker.switch("disk-full", on=False)
    CHANGES[change](store)
    assert snapshot(store) != before


def test_of_a_batch_on_a_disk_that_gets_full_it_is_said_which_are_in(broken, monkeypatch):
    store, breaker = broken
    write, written = DiskBreaker.write, []

    def until_full(disk, stream, data):
        breaker.switch("disk-full", on=len(written) >= 1)
        write(disk, stream, data)
        written.append(data)

    monkeypatch.setattr(DiskBreaker, "write", until_full)
    drafts = tuple(RecordDraft(key=f"b{n}", content=f"Ferry number {n}") for n in range(3))
    outcomes = store.write_batch(drafts).outcomes
    assert [outcome.outcome for outcome in outcomes] == ["created", "refused", "refused"]
    assert os.strerror(errno.ENOSPC) in outcomes[1].cause
    assert set(ids(store, "ferry")) == {"n0", "n1", "b0"}


@pytest.mark.parametrize("warm", [False, True])
def test_a_file_that_cant_be_read_is_counted_and_the_others_answer(broken, warm):
    store, breaker = broken
    if warm:
        let_settle(store.root)
        assert set(ids(store, "the ferry")) == {"n0", "n1"}
    breaker.switch("record-unreadable", on=True)
    for _ in range(2):
        assert ids(store, "the ferry") == ["n0"]
        assert [hit.id for hit in store.list_records(HERE).records] == ["n0"]
    diagnostics = store.diagnostics()
    assert (diagnostics.records, diagnostics.malformed) == (1, 1)
    assert diagnostics.failures["record-unreadable"] >= 1
    for call in (store.get, store.forget, store.purge):
        with pytest.raises(Unavailable, match="n1"):
            call("n1", HERE)
    breaker.switch("record-unreadable", on=False)
    assert set(ids(store, "the ferry")) == {"n0", "n1"}
    diagnostics = store.diagnostics()
    assert (diagnostics.records, diagnostics.malformed) == (2, 0)


def test_without_a_memory_there_is_none_to_become_unreadable(tmp_path):
    store = opened(HybridStore, tmp_path)
    with pytest.raises(Conflict):
        store.fault("record-unreadable", True)
    store.close()


# --- killed writers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "there"), [*zip(MOMENTS, (False, False, True, True), strict=True)]
)
@pytest.mark.parametrize("kind", STORES)
def test_a_killed_writer_leaves_a_memory_whole_or_none(kind, moment, there, tmp_path):
    store = opened(kind, tmp_path)
    store.write(RecordDraft(key="old", content="The ferry runs daily"))
    draft = RecordDraft(key="new", content="The ferry rests at night")
    write_killed(tmp_path, draft, Settings(), PLACE, moment)
    # Only the kill that comes after everything leaves no temporary file behind.
    assert (tmp_path / FOLDER / TEMPORARY).exists() == (moment != "done")
    assert set(ids(store, "the ferry")) == ({"old", "new"} if there else {"old"})
    assert store.diagnostics().malformed == 0
    # Its lock is free, and what it left goes with the next write.
    store.write(RecordDraft(key="next", content="The ferry carries bicycles"))
    assert not (tmp_path / FOLDER / TEMPORARY).exists()
    assert set(ids(store, "the ferry")) == ({"old", "new", "next"} if there else {"old", "next"})
    store.close()


def test_while_writers_are_killed_no_write_is_acknowledged_and_each_dies_elsewhere(
    store, monkeypatch
):
    moments = []
    monkeypatch.setattr(
        "memconform.reference.breaking.write_killed", lambda *order: moments.append(order[-1])
    )
    store.fault("writer-killed", True)
    for number in range(len(MOMENTS)):
        with pytest.raises(Unavailable):
            store.write(RecordDraft(key=f"k{number}", content="The ferry sank"))
    assert sorted(moments) == sorted(MOMENTS)
    store.fault("writer-killed", False)
    assert store.write(RecordDraft(key="k", content="The ferry sank")).outcome == "created"


def test_a_writer_that_is_not_killed_is_no_proof(tmp_path):
    with pytest.raises(RuntimeError, match="instead of being killed"):
        write_killed(tmp_path, RecordDraft(content=" "), Settings(), PLACE, "linked")
