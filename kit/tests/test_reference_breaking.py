"""The faults of reference:hybrid: the index is really broken, the answer is the same."""

import pytest

from memconform.model import Access, RecordDraft, Settings
from memconform.protocol import Invalid
from memconform.reference.hybrid import factory

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


def test_what_is_written_meanwhile_is_found_then_and_later(store):
    store.fault("index-unreadable", True)
    store.write(RecordDraft(key="late", content="A late ferry leaves at ten"))
    assert "late" in [hit.id for hit in ask(store).hits]
    store.fault("index-unreadable", False)
    found = ask(store)
    assert found.trace.mode == "sqlite-fts5"
    assert "late" in [hit.id for hit in found.hits]


def test_an_unknown_fault_is_refused(store):
    with pytest.raises(Invalid, match="index-missing"):
        store.fault("index-on-fire", True)
