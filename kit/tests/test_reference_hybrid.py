import dataclasses
import os
import sqlite3

import pytest
from reference_stores import (
    ASK_HOSE,
    HERE,
    HOSE,
    PLACE,
    comparable,
    draft,
    ids,
    let_settle,
    mode,
    opened,
    put,
)

from memconform.protocol import Unavailable
from memconform.reference import hybrid
from memconform.reference.files import RecordFiles
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.hybrid import HybridStore
from memconform.reference.index import FILE
from memconform.retrieval import FOUNDATION, Pipeline

FTS, FALLBACK = "sqlite-fts5", "filesystem-fallback"


@pytest.fixture
def store(tmp_path):
    store = opened(HybridStore, tmp_path)
    store.write(draft(HOSE, "hose"))
    store.write(draft("The beans need water every evening.", "beans"))
    assert mode(store) == FTS  # the first question makes the index
    yield store
    store.close()


def settled(store):
    """A store that may rely on its index: everything compared, and no time stamp is young."""
    let_settle(store.root)
    store.diagnostics()  # looks at every file, however long ago the last time was
    return store


def index_of(store):
    return store.diagnostics().index


def same_as_files(store, query=ASK_HOSE, access=HERE):
    """The indexed answer, after making sure that the plain store gives the same."""
    plain = opened(FilesystemStore, store.root)
    expected = plain.recall(query, access, trace=True)
    answer = store.recall(query, access, trace=True)
    assert answer.hits == expected.hits
    assert comparable(answer.trace) == comparable(expected.trace)
    assert [hit.id for hit in store.list_records(access).records] == [
        hit.id for hit in plain.list_records(access).records
    ]
    plain.close()
    return [hit.id for hit in answer.hits]


# --- trouble with the index ----------------------------------------------------------------------


def delete(path):
    path.unlink()


def fill_with_garbage(path):
    path.write_bytes(b"\xa5garbage\x00" * (path.stat().st_size // 9))


def cut_in_half(path):
    os.truncate(path, path.stat().st_size // 2)


def empty(path):
    path.write_bytes(b"")


def make_a_folder_of(path):
    path.unlink()
    path.mkdir()


def another_database(path):
    path.unlink()
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE memory (id TEXT)")
    database.commit()
    database.close()


def older_schema(path):
    database = sqlite3.connect(path)
    database.execute("UPDATE meta SET value = 'an older version' WHERE key = 'made-by'")
    database.commit()
    database.close()


def without_postings(path):
    database = sqlite3.connect(path)
    database.execute("DROP TABLE posting")
    database.commit()
    database.close()


def no_record_in_a_body(path):
    database = sqlite3.connect(path)
    database.execute("UPDATE body SET record = '{}'")
    database.commit()
    database.close()


HARM = [
    delete,
    fill_with_garbage,
    cut_in_half,
    empty,
    another_database,
    older_schema,
    without_postings,
    no_record_in_a_body,
]
# Harm that an open store finds out about by asking. The others it finds at the latest when it is
# opened again: an older version is never made of an open index, and a foreign database in its
# place is opened, recognised and replaced.
AT_ONCE = [delete, fill_with_garbage, cut_in_half, empty, without_postings, no_record_in_a_body]


@pytest.mark.parametrize("harm", AT_ONCE)
def test_trouble_with_an_open_index_costs_no_answer_and_is_mended_at_the_next_call(store, harm):
    settled(store)
    harm(store.root / FILE)
    answer = store.recall(ASK_HOSE, HERE, trace=True)
    assert [hit.id for hit in answer.hits] == ["hose"]
    assert answer.trace is not None
    assert answer.trace.mode == FALLBACK
    assert {r.channel for r in answer.trace.rankings} == {"filesystem"}
    diagnostics = store.diagnostics()
    assert diagnostics.index is not None
    assert diagnostics.index.state == "degraded"
    assert (diagnostics.index.indexed, diagnostics.index.canonical) == (0, 2)
    assert diagnostics.index.stale == 2
    assert diagnostics.index.reason
    assert str(store.root) not in repr(diagnostics)
    (cause,) = diagnostics.failures
    assert (cause.startswith("index-"), diagnostics.failures[cause]) == (True, 1)
    assert mode(store) == FTS
    assert same_as_files(store) == ["hose"]
    index = index_of(store)
    assert (index.state, index.indexed, index.stale, index.reason) == ("ready", 2, 0, None)


@pytest.mark.parametrize("harm", HARM)
def test_a_harmed_index_is_replaced_when_a_store_is_opened(store, harm):
    settled(store).close()
    harm(store.root / FILE)
    again = opened(HybridStore, store.root)
    # What only asking can show, the first question finds out.
    only_asking = harm in (without_postings, no_record_in_a_body)
    assert mode(again) == (FALLBACK if only_asking else FTS)
    assert ids(again) == ["hose"]
    assert mode(again) == FTS
    assert same_as_files(again) == ["hose"]
    again.close()


def test_an_index_that_cannot_be_made_is_done_without(store):
    make_a_folder_of(store.root / FILE)
    for _ in range(2):
        assert mode(store) == FALLBACK
        assert ids(store) == ["hose"]
    assert index_of(store).state == "degraded"
    store.write(draft("The green hose hangs on the fence, too.", "fence"))
    assert ids(store) == ["fence", "hose"]
    store.forget("fence")
    assert ids(store) == ["hose"]
    assert [hit.id for hit in store.list_records(HERE).records] == ["beans", "hose"]
    assert store.correct("hose", "The green hose is lost.", HERE).other == "hose"
    again = opened(HybridStore, store.root)
    assert mode(again) == FALLBACK
    (store.root / FILE).rmdir()
    assert mode(again) == FTS
    assert same_as_files(again) == same_as_files(store)
    again.close()


def test_a_link_in_the_place_of_the_index_is_not_followed(store, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "precious.sqlite3"
    (store.root / FILE).rename(outside)
    before = outside.read_bytes()
    (store.root / FILE).symlink_to(outside)
    assert mode(store) == FALLBACK
    assert mode(store) == FTS
    assert not (store.root / FILE).is_symlink()
    assert outside.read_bytes() == before


def test_a_locked_index_costs_no_answer(store):
    assert ids(store) == ["hose"]
    blocker = sqlite3.connect(store.root / FILE, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    assert mode(store) == FALLBACK
    index = index_of(store)
    assert (index.state, index.reason) == ("degraded", "the index is locked by another program")
    store.write(draft("The green hose hangs on the fence, too.", "fence"))
    assert ids(store) == ["fence", "hose"]
    store.forget("hose")
    assert ids(store) == ["fence"]
    blocker.execute("ROLLBACK")
    blocker.close()
    assert mode(store) == FTS
    assert same_as_files(store) == ["fence"]
    # It was only locked: it is the same index, brought to the state of the files.
    assert index_of(store).indexed == 3


def test_while_another_writer_keeps_the_folder_locked_questions_are_answered(store):
    assert ids(store) == ["hose"]
    other = RecordFiles(store.root)
    with other.locked():
        put(store.root, draft("The green hose hangs on the fence.", workspace=PLACE), "fence")
        assert mode(store) == FALLBACK
        assert ids(store) == ["fence", "hose"]
    assert mode(store) == FTS


def test_an_index_that_another_connection_fills_says_how_far_it_is(store, monkeypatch):
    assert ids(store) == ["hose"]
    for n in range(6):
        put(store.root, draft(f"Pea number {n}.", workspace=PLACE), f"pea{n}")
    monkeypatch.setattr(hybrid, "_AT_ONCE", 2)
    other = opened(HybridStore, store.root)  # compares in steps of two
    assert index_of(other).indexed == 8
    for n in range(6, 10):
        put(store.root, draft(f"Pea number {n}.", workspace=PLACE), f"pea{n}")
    # The order of a folder is any one; here it is that of the names.
    scan = RecordFiles.scan
    monkeypatch.setattr(RecordFiles, "scan", lambda self: dict(sorted(scan(self).items())))
    # Two of four are in and the other connection is at it:
    assert [id for id, _ in other._compare(other._index)] == ["pea8", "pea9"]
    with RecordFiles(store.root).locked():
        assert mode(store) == FALLBACK
        index = index_of(store)
    assert (index.state, index.canonical, index.indexed, index.stale) == ("backfilling", 12, 10, 2)
    assert index.progress == pytest.approx(10 / 12)
    assert same_as_files(store) == ["hose"]
    assert index_of(store).state == "ready"
    other.close()


def test_an_index_of_another_tokenizer_is_made_anew(tmp_path):
    store = opened(HybridStore, tmp_path)
    store.write(draft("Hosepipes drip.", "hose"))
    # hosepipe has the grams hos ose sep epi pip ipe: 6 of 7 tokens.
    assert ids(store, "hosepipe") == ["hose"]
    store.close()
    # Grams of five: hosep osepi sepip epipe, 4 of 5 tokens; of twelve: none, and no word in common.
    for length, found in ((5, ["hose"]), (12, []), (3, ["hose"])):
        pipeline = Pipeline(constants=dataclasses.replace(FOUNDATION, gram_length=length))
        other = HybridStore(tmp_path, pipeline=pipeline, workspace=PLACE)
        assert mode(other, "hosepipe") == FTS
        assert ids(other, "hosepipe") == found
        other.close()


def test_a_stage_of_ones_own_is_not_passed_over(tmp_path):
    def none(records, access, policy):
        return Pipeline().scope((), access, policy)

    store = HybridStore(tmp_path, pipeline=Pipeline(scope=none), workspace=PLACE)
    store.write(draft(HOSE, "hose"))
    assert ids(store) == []
    assert mode(store) == "filesystem"
    assert store.list_records().records == []
    store.close()


# --- keeping step with the files -----------------------------------------------------------------


def test_a_crash_between_file_and_index_is_repaired(store):
    assert ids(store) == ["hose"]
    store.close()
    # What a crash leaves: files that the index knows nothing of, or has in an older state.
    files = RecordFiles(store.root)
    put(store.root, draft("The green hose hangs in the well house.", workspace=PLACE), "new")
    put(store.root, draft("The beans want the green hose.", workspace=PLACE), "beans")
    files.remove("hose")
    again = opened(HybridStore, store.root)
    assert mode(again) == FTS
    assert same_as_files(again) == ["new", "beans"]
    index = index_of(again)
    assert (index.canonical, index.indexed, index.stale) == (2, 2, 0)
    again.close()


def test_an_open_store_sees_what_other_programs_do_to_the_files(store):
    assert ids(store) == ["hose"]
    put(store.root, draft("A green hose for the well.", workspace=PLACE), "new")
    assert set(ids(store)) == {"hose", "new"}
    (store.root / "memory" / "hose.json").unlink()
    assert ids(store) == ["new"]
    (store.root / "memory" / "new.json").rename(store.root / "memory" / "old.txt")
    assert ids(store) == []
    (store.root / "memory" / "old.txt").rename(store.root / "memory" / "new.json")
    assert ids(store) == ["new"]
    assert mode(store) == FTS
    assert store.diagnostics().failures == {}


def test_a_warm_recall_looks_at_no_file_but_those_it_selects(store, monkeypatch):
    settled(store)
    looked = []
    stamps = RecordFiles.stamps
    monkeypatch.setattr(RecordFiles, "scan", lambda self: pytest.fail("all files were looked at"))
    monkeypatch.setattr(RecordFiles, "read", lambda self, id: pytest.fail("a file was read"))
    monkeypatch.setattr(
        RecordFiles,
        "stamps",
        lambda self, ids: looked.append(list(ids)) or stamps(self, looked[-1]),
    )
    assert mode(store) == FTS
    assert ids(store) == ["hose"]
    assert looked == [["hose"], ["hose"]]


def test_a_file_rewritten_in_place_is_noticed_when_it_would_be_the_answer(store, monkeypatch):
    monkeypatch.setattr(HybridStore, "_sweep", lambda self, index: True)
    settled(store)
    path = store.root / "memory" / "hose.json"
    path.write_bytes(path.read_bytes().replace(b"tool shed", b"greenhouse"))
    (hit,) = store.recall(ASK_HOSE, HERE).hits
    assert hit.content == "The green hose hangs in the greenhouse."
    settled(store)
    path.write_bytes(b"{}")
    assert ids(store) == []
    assert store.diagnostics().malformed == 1


def test_a_file_rewritten_in_place_is_noticed_in_time_wherever_it_would_rank(store, monkeypatch):
    monkeypatch.setattr(hybrid, "_SWEEP_SECONDS", 0)
    settled(store)
    path = store.root / "memory" / "beans.json"
    path.write_bytes(path.read_bytes().replace(b"The beans need", b"A green hose hangs for"))
    assert set(ids(store)) == {"hose", "beans"}


def test_going_round_reaches_every_file_also_those_that_are_no_memory(store, monkeypatch):
    monkeypatch.setattr(hybrid, "_SWEEP_SECONDS", 0)
    monkeypatch.setattr(hybrid, "_SWEEP_FILES", 2)
    for n in range(5):
        put(store.root, draft(f"Pea number {n}.", workspace=PLACE), f"pea{n}")
    last = store.root / "memory" / "zz.json"
    last.write_bytes(b"{}")
    settled(store)
    ask = "What does the zebra eat?"
    assert ids(store, ask) == []
    record = put(store.root, draft("The zebra eats grass.", workspace=PLACE), "other").read_bytes()
    (store.root / "memory" / "other.json").unlink()
    settled(store)
    last.write_bytes(record.replace(b'"id":"other"', b'"id":"zz"'))
    # beans hose | pea0 pea1 | pea2 pea3 | pea4 zz: at the latest the fourth question is right.
    assert [ids(store, ask) for _ in range(4)][-1] == ["zz"]
    assert mode(store, ask) == FTS


def test_a_list_is_never_of_files_rewritten_in_place(store, monkeypatch):
    monkeypatch.setattr(HybridStore, "_sweep", lambda self, index: True)
    settled(store)
    path = store.root / "memory" / "beans.json"
    path.write_bytes(path.read_bytes().replace(b"every evening", b"at noon"))
    contents = [hit.content for hit in store.list_records(HERE).records]
    assert contents == ["The beans need water at noon.", HOSE]


def test_a_state_too_young_to_be_told_from_the_next_is_read_again(store):
    # As two states within one tick of a file system's clock: same time, length and inode, and the
    # folder as it was. A time to come is never old enough to be relied upon.
    path = store.root / "memory" / "hose.json"
    ahead = (path.stat().st_mtime_ns + 3_600_000_000_000,) * 2
    os.utime(path, ns=ahead)
    again = opened(HybridStore, store.root)
    assert again.recall(ASK_HOSE, HERE).hits[0].content == HOSE
    path.write_bytes(path.read_bytes().replace(b"tool shed", b"wood shed"))
    os.utime(path, ns=ahead)
    assert again.recall(ASK_HOSE, HERE).hits[0].content == "The green hose hangs in the wood shed."
    again.close()


def test_a_rebuild_in_steps_is_complete_and_looks_at_the_folder_twice(store, monkeypatch):
    monkeypatch.setattr(hybrid, "_AT_ONCE", 7)
    scans = []
    scan = RecordFiles.scan
    monkeypatch.setattr(RecordFiles, "scan", lambda self: scans.append(self) or scan(self))
    for n in range(50):
        put(store.root, draft(f"Pea number {n} climbs.", workspace=PLACE), f"pea{n:02}")
    (store.root / FILE).unlink()
    let_settle(store.root)
    again = opened(HybridStore, store.root)
    assert mode(again) == FTS
    assert len(scans) == 2  # before filling it and after, not at each of the eight steps
    assert index_of(again).indexed == 52
    assert same_as_files(again, "Where does pea number 49 climb?")[0] == "pea49"
    again.close()


def test_files_from_the_future_end_in_no_loop(store, monkeypatch):
    monkeypatch.setattr(hybrid, "_AT_ONCE", 2)
    for n in range(7):
        path = put(store.root, draft(f"Pea number {n} climbs.", workspace=PLACE), f"pea{n}")
        ahead = path.stat().st_mtime_ns + 3_600_000_000_000
        os.utime(path, ns=(ahead, ahead))
    again = opened(HybridStore, store.root)
    assert same_as_files(again, "Where does pea number 6 climb?")[0] == "pea6"
    assert mode(again) == FTS
    again.close()


def test_two_connections_replace_a_lost_index_once(store):
    other = store.second()
    assert ids(other) == ["hose"]
    (store.root / FILE).unlink()
    assert mode(store) == FALLBACK
    assert mode(store) == FTS
    assert mode(other) == FTS  # it takes what it finds in the place of its own
    other.write(draft("A green hose for the well.", "new"))
    assert set(ids(store)) == {"hose", "new"}
    assert mode(store) == FTS
    store.forget("new")
    assert ids(other) == ["hose"]
    other.close()


def test_a_change_is_acknowledged_even_if_the_index_cannot_be_changed(store, monkeypatch):
    assert ids(store) == ["hose"]
    monkeypatch.setattr(hybrid, "BUSY_MS", 1)
    blocker = sqlite3.connect(store.root / FILE, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    assert store.forget("hose").done
    assert store.purge("beans").done
    assert ids(store) == []
    blocker.execute("ROLLBACK")
    blocker.close()
    assert ids(store) == []
    assert mode(store) == FTS
    raw = (store.root / FILE).read_bytes()
    assert b"green" not in raw
    assert b"beans" not in raw


def test_a_folder_that_is_gone_is_unavailable(store):
    (store.root / "memory").rename(store.root / "moved")
    with pytest.raises(Unavailable) as refusal:
        store.recall(ASK_HOSE, HERE)
    assert str(store.root) not in refusal.value.message
    (store.root / "moved").rename(store.root / "memory")
    assert ids(store) == ["hose"]


# --- exact, however many match -------------------------------------------------------------------


def test_the_right_memory_is_found_among_hundreds_that_match(tmp_path):
    # 400 memories have a rare word of the question (a window ordered by BM25 would prefer them);
    # each has 1 of its words. One memory has all the common words, and is the last by id.
    for n in range(400):
        put(tmp_path, draft(f"zyzzyva {n}", workspace=PLACE), f"a{n:03}")
    put(
        tmp_path,
        draft("We water the old garden of the house at noon.", workspace=PLACE),
        "zz",
    )
    for n in range(300):
        text = f"We saw the old house of number {n} at noon."
        put(tmp_path, draft(text, workspace="/other"), f"o{n}")
    store = opened(HybridStore, tmp_path)
    query = "zyzzyva: we water the old garden of the house at noon"
    answer = store.recall(query, HERE, trace=True)
    assert [hit.id for hit in answer.hits] == ["zz"]
    assert answer.trace is not None
    assert answer.trace.candidate_count == 401
    assert answer.trace.filtered.scope == 300
    # zyzzyva: itself and zyz yzz zzy zyv yva; then we, water wat ate ter, the, old, garden gar ard
    # rde den, of, house hou ous use, at, noon noo oon: 6 of 28 is below the floor.
    assert answer.trace.filtered.irrelevant == 400
    assert same_as_files(store, query) == ["zz"]
    # Alone, the rare word is all that is asked: everything matches, eight are shown.
    assert len(same_as_files(store, "zyzzyva")) == 8
    store.close()


def test_words_beyond_what_fts5_can_hold_are_told_apart(tmp_path):
    # FTS5 cuts a token at 32,768 bytes; these differ only after that.
    long = "q" * 40_000
    store = opened(HybridStore, tmp_path)
    store.write(draft(f"{long}a", "a"))
    store.write(draft(f"{long}b", "b"))
    answer = store.recall(f"{long}b", HERE, trace=True)
    assert answer.trace is not None
    lexical = {r.memory_id: r.features.lexical for r in answer.trace.rankings}
    # Tokens of the query: the word, the grams qqq and qqb. a has qqq of them.
    # One of three is below the floor.
    assert lexical == {"b": 1.0}
    assert ids(store, f"{long}b") == ["b"]
    assert same_as_files(store, f"{long}b") == ["b"]
    store.close()


@pytest.mark.parametrize(
    "query",
    ['"', "*", "hose*", "hose OR beans", "NEAR(hose, beans)", "tokens: hose", "^hose", "hose)",
     "'; DROP TABLE memory; --", "hose -green", "{hose}", "\x00hose", "w\"hose", "🌻", "", "  ",
     "ＨＯＳＥ", "hose\u200bgreen", "şíìî", "snake_case", "_", "名前", "ホース", "1", "-" * 999],
)  # fmt: skip
def test_no_text_of_a_question_is_syntax(store, query):
    store.write(draft("A snake_case name, 50% of şíìî, 名前 and ホース; 1 -- DROP TABLE.", "odd"))
    same_as_files(store, query)
    assert mode(store, query) == FTS
    assert store.diagnostics().failures == {}
    assert index_of(store).indexed == 3
