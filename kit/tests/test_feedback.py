"""Which memories were shown: event ids, the log, and answers that don't change by it."""

import hashlib
import json
import random
import sqlite3

import msgspec
import pytest
from reference_stores import HERE, PLACE, STORES, comparable, draft, opened

from memconform.model import Access, from_plain, to_plain
from memconform.model.feedback import FeedbackEventDraft
from memconform.protocol.authority import RetrievalFeedbackRequest
from memconform.reference import feedback
from memconform.reference.feedback import FILE, EventLog, event_id, event_of
from memconform.reference.filesystem import FilesystemStore


def event(thread="t", turn="u", memory="m", **more):
    return event_of(FeedbackEventDraft(thread_id=thread, turn_id=turn, memory_id=memory, **more))


# --- ids -------------------------------------------------------------------------------------


def test_the_id_of_the_page():
    expected = "feedback-retrieved-7a3b9f4c825228f90c68154d8d9d2b5b"
    assert event_id("thread-1", "turn-1", "mem-1") == expected


@pytest.mark.parametrize(
    "names",
    [("a", "b", "c"), ("线程", "ターン", "é\u0301"), ('"', "\\", "/"), ("\n", "\x00", "\x7f")],
)
def test_ids_by_another_way(names):
    # The compact form of the standard library: without blanks and without ASCII escapes.
    text = json.dumps(list(names), ensure_ascii=False, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    assert event_id(*names) == f"feedback-retrieved-{digest}"


def test_ids_differ_where_names_are_put_together_alike():
    assert event_id("a", "b,c", "d") != event_id("a,b", "c", "d")
    assert len({event_id(*names) for names in ("abc", "bac", "cba", "acb")}) == 4


# --- the log ---------------------------------------------------------------------------------


def added(log, event):
    (result,) = log.add([event])
    return result


def test_an_event_is_kept_once(tmp_path):
    log = EventLog(tmp_path / FILE)
    assert added(log, event(version=1)).outcome == "recorded"
    assert added(log, event(version=1)).outcome == "known"
    rejected = added(log, event(version=2))
    assert (rejected.outcome, "another payload" in rejected.cause) == ("rejected", True)
    assert added(log, event(turn="v", id=event().id)).outcome == "rejected"
    assert log.events() == [event(version=1)]
    assert [(c.memory_id, c.count) for c in log.counts()] == [("m", 1)]


def test_counts_can_be_rebuilt(tmp_path):
    log = EventLog(tmp_path / FILE)
    for turn in range(5):
        added(log, event(turn=str(turn)))
        if turn % 2:
            added(log, event(turn=str(turn), memory="n"))
    before = log.counts()
    assert [(c.memory_id, c.count) for c in before] == [("m", 5), ("n", 2)]
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("DELETE FROM shown")
    db.execute("INSERT INTO shown VALUES ('wrong', 9)")
    db.commit()
    db.close()
    assert log.counts() != before
    log.rebuild()
    assert log.counts() == before


def test_events_come_in_the_order_in_which_they_were_kept(tmp_path):
    log = EventLog(tmp_path / FILE)
    turns = ["z", "a", "m", "b"]
    for turn in turns:
        added(log, event(turn=turn))
    assert [e.turn_id for e in log.events()] == turns


# --- beside a store --------------------------------------------------------------------------


def switched(store, state="on", turn="turn-1"):
    return store.retrieval_feedback(state, "thread-1", turn)


@pytest.mark.parametrize("kind", STORES)
def test_off_by_default_and_without_a_file(kind, tmp_path):
    store = opened(kind, tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    store.context("ferry", HERE)
    assert not (tmp_path / FILE).exists()
    store.close()


@pytest.mark.parametrize("kind", STORES)
def test_only_what_went_in_whole(kind, tmp_path):
    store = opened(kind, tmp_path)
    for key in "abc":
        store.write(draft(f"The ferry {key * 900} daily", key))
    switched(store)
    shown = store.context("ferry daily", HERE, budget=2200)
    # Each block line has about a thousand characters: one is whole, one is cut, one is left out.
    assert (len(shown.ids), len(shown.cut)) == (1, 1)
    told = store.retrieval_feedback()
    assert [e.memory_id for e in told.events] == shown.ids
    store.close()


@pytest.mark.parametrize("kind", STORES)
def test_a_damaged_log_changes_nothing(kind, tmp_path):
    store = opened(kind, tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    switched(store)
    before = store.context("ferry", HERE)
    (tmp_path / FILE).write_bytes(b"\xff" * 8192)
    assert store.context("ferry", HERE) == before
    told = store.retrieval_feedback(events=(FeedbackEventDraft(**NAMES),))
    assert (told.results[0].outcome, told.events) == ("failed", [])
    store.close()


NAMES = {"thread_id": "t", "turn_id": "u", "memory_id": "m"}


def test_a_log_that_raises_anything_changes_nothing(tmp_path, monkeypatch):
    store = opened(FilesystemStore, tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    before = store.context("ferry", HERE)

    def fails(*_):
        raise RuntimeError

    monkeypatch.setattr(feedback.EventLog, "add", fails)
    switched(store)
    assert store.context("ferry", HERE) == before
    store.close()


def test_one_event_that_fails_does_not_stop_the_others(tmp_path, monkeypatch):
    store = opened(FilesystemStore, tmp_path)
    for key in "abc":
        store.write(draft(f"The ferry {key}{key}{key} daily", key))
    real = feedback.EventLog._keep

    def fails_for_b(self, db, event):
        result = real(self, db, event)
        if event.memory_id == "b":
            raise sqlite3.OperationalError  # in the middle of it: what it wrote must go again
        return result

    monkeypatch.setattr(feedback.EventLog, "_keep", fails_for_b)
    switched(store)
    assert sorted(store.context("ferry daily", HERE).ids) == ["a", "b", "c"]
    told = store.retrieval_feedback()
    assert sorted(e.memory_id for e in told.events) == ["a", "c"]
    assert [c.memory_id for c in told.counts] == ["a", "c"]
    store.close()


@pytest.mark.parametrize("kind", STORES)
def test_events_hold_no_text_in_any_byte(kind, tmp_path):
    store = opened(kind, tmp_path)
    store.write(draft("The zebra crosses at Fridaynoon", "m1", workspace="/home/secretplace"))
    switched(store)
    there = Access(workspace="/home/secretplace")
    assert store.context("Which zebra crosses at Fridaynoon?", there).ids == ["m1"]
    kept = b"".join(p.read_bytes() for p in tmp_path.glob(f"{FILE}*"))
    assert b"m1" in kept
    for word in (b"zebra", b"Fridaynoon", b"secretplace", b"Which"):
        assert word not in kept
    store.close()


def test_states_and_turns_stay_with_a_restart(tmp_path):
    store = opened(FilesystemStore, tmp_path)
    store.write(draft("The ferry runs daily", "ferry"))
    switched(store)
    store = store.reopen()
    store.context("ferry", HERE)
    told = store.retrieval_feedback()
    assert (told.state, [e.turn_id for e in told.events]) == ("on", ["turn-1"])
    store.close()


# --- no answer changes -------------------------------------------------------------------------

WORDS = [
    "ferry",
    "crane",
    "tea",
    "harbour",
    "timetable",
    "baker",
    "港口",
    "起重机",
    "时刻表",
    "like",
]


def filled(kind, root, rng):
    store = opened(kind, root)
    for n in range(12):
        words = " ".join(rng.choices(WORDS, k=rng.randint(1, 7)))
        store.write(
            draft(
                words * rng.choice([1, 1, 1, 60]),
                f"m{n:02}",
                scope=rng.choice(["user", "workspace", "project"]),
                type=rng.choice(["fact", "preference", "decision", None]),
                confidence=rng.choice([None, 0.2, 0.9]),
                observed_at=rng.choice([None, "2025-03-01T00:00:00Z"]),
            )
        )
    return store


@pytest.mark.parametrize("kind", STORES)
def test_on_off_and_broken_give_the_same(kind, tmp_path):
    """Selected ids, order, features, scores and block, after a history of events.

    260 random cases a store, 520 in all.
    """
    rng = random.Random(20261130)
    written = 0
    for number in range(13):
        root = tmp_path / str(number)
        off = filled(kind, root, rng)
        on, broken = off.second(), off.second()
        broken.retrieval_feedback("broken", "thread-1", "turn-0")
        for case in range(20):
            on.retrieval_feedback("on", "thread-1", f"turn-{case}")
            query = " ".join(rng.choices(WORDS, k=rng.randint(1, 4)))
            access = rng.choice([HERE, Access(), Access(workspace=PLACE, project="/p")])
            budget = rng.choice([None, 600, 1500, 3000])
            seen = []
            for store in (off, on, broken):
                block = store.context(query, access, budget=budget)
                answer = store.recall(query, access, trace=True)
                assert answer.trace is not None
                seen.append((to_plain(block), to_plain(answer.hits), comparable(answer.trace)))
            assert seen[0] == seen[1] == seen[2], (number, case, query)
        written += len(on.retrieval_feedback().events)
        assert off.retrieval_feedback().state == "off"
        assert broken.retrieval_feedback().events == []
        for store in (off, on, broken):
            store.close()
    assert written > 150  # the feedback that was on had really something to write


def test_the_request_is_checked():
    plain = {"state": "on", "threadId": "t", "turnId": "u", "events": []}
    assert from_plain(plain, RetrievalFeedbackRequest).thread_id == "t"
    for wrong in ({"state": "loud"}, {"threadId": ""}, {"turnId": "x" * 129}, {"query": "x"}):
        with pytest.raises(msgspec.ValidationError):
            from_plain(plain | wrong, RetrievalFeedbackRequest)
