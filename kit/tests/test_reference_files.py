import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from reference_stores import (
    HERE,
    HOSE,
    NOW,
    PLACE,
    STORES,
    draft,
    finished,
    ids,
    let_settle,
    opened,
    put,
    started,
)

from memconform.model import Access, Settings, to_plain
from memconform.protocol import Conflict, Invalid, NotFound, Unavailable
from memconform.reference import filesystem, hybrid
from memconform.reference.files import (
    TEMPORARY,
    Malformed,
    RecordFiles,
    decode,
    encode,
    entomb,
)
from memconform.reference.filesystem import FilesystemStore
from memconform.retrieval import record_from_draft

both = pytest.mark.parametrize("store_class", STORES)


def record(id="hose", content=HOSE, **fields):
    return record_from_draft(draft(content, workspace=PLACE, **fields), id=id, now=NOW)


# --- the layout ----------------------------------------------------------------------------------


def test_a_memory_is_one_canonical_json_file(tmp_path):
    files = RecordFiles(tmp_path)
    with files.locked():
        files.create(record(tags=("été", "工具")))
    path = tmp_path / "memory" / "hose.json"
    text = path.read_text(encoding="utf-8")
    plain = json.loads(text)
    # Canonical: one line, keys sorted, no blanks, text as it is and not as escapes.
    assert (
        text == json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    )
    assert plain["content"] == HOSE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["memory", "memory.lock"]
    assert [p.name for p in (tmp_path / "memory").iterdir()] == ["hose.json"]


def test_what_is_read_is_what_was_written(tmp_path):
    files = RecordFiles(tmp_path)
    original = record(content="a\u0000b\u2028c\U0001f33b\\u0041\r\n", tags=('"', "<b>"))
    with files.locked():
        stamp = files.create(original)
    assert files.read("hose") == (original, stamp)


@pytest.mark.parametrize(
    "id",
    ["", ".", "..", ".hidden", "../outside", "a/b", "a\\b", "/etc/passwd", "a b", "a\n", "ä", "名",
     "a" * 129, "a\x00b", "%2e%2e", "a:b", "*"],
)  # fmt: skip
@both
def test_an_id_that_could_leave_the_folder_is_refused(store_class, tmp_path, id):
    store = opened(store_class, tmp_path / "root")
    for call in (
        lambda: store.write(draft(HOSE, id)),
        lambda: store.get(id),
        lambda: store.forget(id),
        lambda: store.purge(id),
        lambda: store.update(id, content="x"),
        lambda: store.correct(id, "x"),
        lambda: store.disable(id),
        lambda: store.enable(id),
        lambda: store.supersede("a", id),
    ):
        with pytest.raises((Invalid, NotFound)) as refusal:
            call()
        assert refusal.value.message
    with pytest.raises(Invalid, match="A-Z a-z 0-9"):
        store.write(draft(HOSE, id))
    assert [p.name for p in tmp_path.iterdir()] == ["root"]
    assert list((tmp_path / "root" / "memory").iterdir()) == []
    store.close()


@both
def test_the_longest_and_the_oddest_allowed_ids_work(store_class, tmp_path):
    store = opened(store_class, tmp_path)
    for id in ("a" * 128, "-", "_", "A.b-c_9", "con", "x.json", "-rf"):
        assert store.write(draft(f"{HOSE} {id}", id)).id == id
        assert store.get(id).record.content == f"{HOSE} {id}"
    store.close()


@both
def test_a_link_in_the_place_of_a_memory_is_not_followed(store_class, tmp_path):
    outside = tmp_path / "outside.json"
    outside.write_bytes(encode(record("spy", "The green hose is a secret of others.")))
    before = outside.read_bytes()
    root = tmp_path / "root"
    put(root, draft(HOSE, workspace=PLACE), "hose")
    (root / "memory" / "spy.json").symlink_to(outside)
    (root / "memory" / "dangling.json").symlink_to(tmp_path / "nowhere")
    (root / "memory" / "folder.json").mkdir()
    os.mkfifo(root / "memory" / "pipe.json")
    store = opened(store_class, root)
    assert ids(store) == ["hose"]
    assert store.diagnostics().malformed == 4
    for id in ("spy", "dangling", "folder", "pipe"):
        with pytest.raises(NotFound):
            store.get(id)
        with pytest.raises(NotFound):
            store.forget(id)
        with pytest.raises(Conflict):
            store.write(draft("Another text.", id))
    assert outside.read_bytes() == before
    assert not (tmp_path / "nowhere").exists()
    store.close()


@both
def test_a_link_in_the_place_of_the_folder_is_refused(store_class, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = tmp_path / "root"
    root.mkdir()
    (root / "memory").symlink_to(elsewhere)
    with pytest.raises(Unavailable) as refusal:
        opened(store_class, root)
    assert str(tmp_path) not in refusal.value.message
    assert list(elsewhere.iterdir()) == []


# --- malformed files -----------------------------------------------------------------------------


def _changed(**fields):
    return json.dumps({**to_plain(record("bad")), **fields}).encode()


BROKEN = {
    "empty": b"",
    "half": encode(record("bad"))[:100],
    "no object": b"[]",
    "not UTF-8": b"\xff\xfe{}",
    "nested too deeply": b"[" * 100_000,
    "an unknown field": _changed(colour="green"),
    "no content": _changed(content=""),
    "another id": _changed(id="good"),
    "confidence out of range": _changed(confidence=7),
    "an unknown type": _changed(type="rumour"),
    "validity the wrong way round": _changed(
        validFrom="2026-02-01T00:00:00Z", validTo="2026-01-01T00:00:00Z"
    ),
    "an unreadable expiry": _changed(expiresAt="soon"),
    "half a surrogate pair": _changed(content="\ud800").replace(b'"\\ud800"', b'"\\ud800"'),
    "a tombstone with content": json.dumps({"forgotten": True, "content": HOSE}).encode(),
}


@pytest.mark.parametrize("name", BROKEN)
@both
def test_a_malformed_file_is_counted_and_left_alone(store_class, tmp_path, name):
    put(tmp_path, draft(HOSE, workspace=PLACE), "hose")
    bad = tmp_path / "memory" / "bad.json"
    bad.write_bytes(BROKEN[name])
    (tmp_path / "memory" / "b d.json").write_bytes(encode(record("bad")))  # no id is such a name
    (tmp_path / "memory" / "README.txt").write_text("not one of ours")
    with pytest.raises(Malformed):
        decode("bad", BROKEN[name])
    store = opened(store_class, tmp_path)
    for _ in range(2):  # cold and warm
        assert ids(store) == ["hose"]
        assert [hit.id for hit in store.list_records().records] == ["hose"]
        diagnostics = store.diagnostics()
        assert (diagnostics.records, diagnostics.malformed) == (1, 2)
        assert diagnostics.index is not None
        assert diagnostics.index.canonical == 1
    for call in (store.get, store.forget, store.purge, store.disable):
        with pytest.raises(NotFound):
            call("bad")
    with pytest.raises(Conflict):
        store.write(draft("A new text.", "bad"))
    assert bad.read_bytes() == BROKEN[name]
    # Once mended it is a memory like any other.
    bad.write_bytes(encode(record("bad", "The green hose leaks.")))
    assert sorted(ids(store)) == ["bad", "hose"]
    assert store.diagnostics().malformed == 1
    store.close()


def test_a_record_of_another_program_with_unreadable_times_of_no_consequence_is_kept(tmp_path):
    put(tmp_path, draft(HOSE, workspace=PLACE), "hose")
    path = tmp_path / "memory" / "hose.json"
    plain = {**json.loads(path.read_bytes()), "updatedAt": "yesterday", "createdAt": "long ago"}
    path.write_text(json.dumps(plain))
    store = opened(FilesystemStore, tmp_path)
    assert ids(store) == ["hose"]
    store.close()


# --- forgetting ----------------------------------------------------------------------------------


def test_a_tombstone_says_who_and_when_and_nothing_else():
    tombstone = encode(entomb(record(tags=("secret",)), "2026-04-01T00:00:00.000Z"))
    assert json.loads(tombstone) == {
        "forgotten": True,
        "id": "hose",
        "scope": "workspace",
        "workspace": PLACE,
        "project": None,
        "agentVisible": True,
        "createdAt": "2026-03-01T00:00:00.000Z",
        "updatedAt": "2026-04-01T00:00:00.000Z",
        "deletedAt": "2026-04-01T00:00:00.000Z",
        "version": 2,
    }
    again = decode("hose", tombstone)
    assert again.deleted_at == "2026-04-01T00:00:00.000Z"
    assert encode(again) == tombstone


def _bytes_under(root: Path) -> bytes:
    return b"\n".join(p.read_bytes() for p in root.rglob("*") if p.is_file())


@pytest.mark.parametrize("how", ["forget", "purge"])
@both
def test_no_byte_of_forgotten_text_stays_on_the_disk(store_class, tmp_path, how):
    store = opened(store_class, tmp_path)
    for n in range(30):
        store.write(draft(f"Ordinary note {n} about beans and peas.", f"n{n}"))
    secret = {"tags": ("quixotry",), "sources": ({"id": "s", "locator": "zyzzyva.txt"},)}
    store.write_batch(tuple(_secret_draft(key, **secret) for key in ("secret", "another")))
    # Warm: whatever a store keeps beside the files knows the texts.
    assert sorted(ids(store, "xylophone banjaxed 鱷魚")) == ["another", "secret"]
    on_disk = _bytes_under(tmp_path)
    # grams of the content, of the tag and of the locator, as index and file have them
    for trace in (b"xylophone", b"banjaxed", b"quixotry", b"zyzzyva", "鱷魚".encode()):
        assert trace in on_disk
    for key in ("secret", "another"):
        assert getattr(store, how)(key).done
    on_disk = _bytes_under(tmp_path)
    for trace in (b"xylophone", b"banjaxed", b"gxyl", b"gjax", b"quixotry", b"zyzzyva"):
        assert trace not in on_disk
    assert "鱷魚".encode() not in on_disk
    assert ids(store, "Ordinary note 7 about beans")[0] == "n7"
    store.close()


def _secret_draft(key, *, tags, sources):
    from memconform.model import SourceDraft

    return draft(
        f"The xylophone is banjaxed, says {key}. 鱷魚",
        key,
        tags=tags,
        sources=tuple(SourceDraft(**source) for source in sources),
    )


# --- crashes -------------------------------------------------------------------------------------


def steps_of(store, monkeypatch, change):
    """What a change asks of the system, in order: syncs of files and folders, links, renames."""
    steps = []

    def noted(name, function):
        def call(*arguments, **options):
            folder = name == "sync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode)
            steps.append("sync of the folder" if folder else name)
            return function(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        for name, function in (("sync", "fsync"), ("link", "link"), ("rename", "replace")):
            patch.setattr(os, function, noted(name, getattr(os, function)))
        change(store)
    return steps


@pytest.mark.parametrize("store_class", STORES)
def test_what_is_acknowledged_is_synced_before_it_gets_its_name_and_the_name_after(
    store_class, tmp_path, monkeypatch
):
    store = opened(store_class, tmp_path)
    made = steps_of(store, monkeypatch, lambda s: s.write(draft(HOSE, "hose")))
    assert made == ["sync", "link", "sync of the folder"]
    changed = steps_of(store, monkeypatch, lambda s: s.update("hose", HERE, content="It is lost."))
    assert changed == ["sync", "rename", "sync of the folder"]
    assert steps_of(store, monkeypatch, lambda s: s.purge("hose", HERE)) == ["sync of the folder"]
    store.close()


@pytest.mark.parametrize("factory", [filesystem.factory, hybrid.factory])
def test_a_folder_that_goes_with_its_process_is_not_synced(factory, monkeypatch):
    store = factory().open(Settings())
    made = steps_of(store, monkeypatch, lambda s: s.write(draft(HOSE, "hose")))
    assert made == ["link"]
    again = store.reopen()  # the same folder, which still goes
    assert steps_of(again, monkeypatch, lambda s: s.update("hose", content="Lost.")) == ["rename"]
    again.close()


@both
def test_what_a_crash_left_under_the_temporary_name_harms_nothing(store_class, tmp_path):
    store = opened(store_class, tmp_path)
    store.write(draft(HOSE, "hose"))
    # A crash after the link and before the unlink: two names of one stored memory.
    os.link(tmp_path / "memory" / "hose.json", tmp_path / "memory" / TEMPORARY)
    assert ids(store) == ["hose"]
    store.write(draft("The red hose leaks.", "red"))
    assert store.get("hose").record.content == HOSE
    assert not (tmp_path / "memory" / TEMPORARY).exists()
    # A crash while writing: half a memory.
    (tmp_path / "memory" / TEMPORARY).write_bytes(b'{"conte')
    store.update("red", content="The red hose is mended.")
    assert store.get("red").record.content == "The red hose is mended."
    assert store.diagnostics().malformed == 0
    store.close()


WRITER = """
import sys
from reference_stores import *
store = opened({"FilesystemStore": FilesystemStore, "HybridStore": HybridStore}[sys.argv[1]],
               Path(sys.argv[2]))
n = 0
while True:
    n += 1
    print(store.write(draft(f"The green hose has {n} holes.")).id, flush=True)
    if n % 5 == 0:
        store.recall("green hose")
"""


@both
def test_what_was_acknowledged_survives_a_kill(store_class, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    process = started(WRITER, store_class.__name__, tmp_path)
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip() for _ in range(25)]
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    acknowledged += rest.split("\n")[:-1]  # the last piece is no whole line
    assert len(acknowledged) >= 25
    store = opened(store_class, tmp_path)
    stored = {hit.id for hit in store.list_records().records}
    # One more may have been stored without its acknowledgment having got out.
    assert set(acknowledged) <= stored
    assert len(stored) <= len(acknowledged) + 1
    assert store.diagnostics().malformed == 0
    assert len(ids(store)) == 8
    store.close()


# --- several writers -----------------------------------------------------------------------------

CONTENDER = """
import sys
from reference_stores import *
from memconform.protocol import Conflict
name = sys.argv[3]
store = opened({"FilesystemStore": FilesystemStore, "HybridStore": HybridStore}[sys.argv[1]],
               Path(sys.argv[2]))
sys.stdin.readline()
for n in range(25):
    print(store.write(draft(f"{name} saw the green hose {n} times.", f"{name}-{n}")).id)
    try:
        print(store.write(draft(f"{name} took number {n}.", f"contested-{n}")).id)
    except Conflict:
        pass
    store.update("shared", tags=(*store.get("shared").record.tags, f"{name}-{n}"))
    store.recall("green hose")
store.close()
"""


@pytest.mark.parametrize("classes", [STORES[:1] * 2, STORES[1:] * 2, STORES])
def test_two_processes_lose_nothing_of_each_other(classes, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    store = opened(classes[0], tmp_path)
    store.write(draft("Everybody changes this.", "shared"))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CONTENDER, kind.__name__, tmp_path, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for kind, name in zip(classes, ("ann", "ben"), strict=True)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = [finished(process).split() for process in processes]
    won = [{id for id in lines if id.startswith("contested")} for lines in printed]
    # Each contested id went to one of the two, and holds the text of the one that was told so.
    assert won[0] | won[1] == {f"contested-{n}" for n in range(25)}
    assert won[0] & won[1] == set()
    for name, mine in zip(("ann", "ben"), won, strict=True):
        for id in mine:
            assert store.get(id).record.content == f"{name} took number {id[10:]}."
    stored = {hit.id for hit in store.list_records().records}
    assert stored == {
        "shared",
        *(f"contested-{n}" for n in range(25)),
        *(f"{name}-{n}" for name in ("ann", "ben") for n in range(25)),
    }
    # Every update of the shared one was applied to the latest version: 1 + 2 * 25.
    assert store.get("shared").record.version == 51
    for kind in classes:
        fresh = opened(kind, tmp_path)
        assert {hit.id for hit in fresh.list_records().records} == stored
        assert fresh.diagnostics().records == len(stored)
        fresh.close()
    store.close()


def test_a_lock_that_is_kept_by_another_is_unavailable(tmp_path):
    mine, other = RecordFiles(tmp_path), RecordFiles(tmp_path)
    with other.locked():
        with pytest.raises(Unavailable, match="locked"), mine.locked(0.02):
            pytest.fail("two hold the lock")
        with other.locked(0.02):  # whoever has it has it
            pass
        with pytest.raises(Unavailable), mine.locked(0.02):
            pytest.fail("two hold the lock")
    with mine.locked(0.02):
        pass


def test_a_folder_that_is_gone_is_unavailable_and_named_by_no_path(tmp_path):
    store = opened(FilesystemStore, tmp_path / "root")
    (tmp_path / "root" / "memory").rename(tmp_path / "moved")
    for call in (lambda: store.recall("hose"), lambda: store.write(draft(HOSE))):
        with pytest.raises(Unavailable) as refusal:
            call()
        assert str(tmp_path) not in refusal.value.message
    (tmp_path / "moved").rename(tmp_path / "root" / "memory")
    store.write(draft(HOSE, "hose"))
    assert ids(store) == ["hose"]
    store.close()


# --- reading only what has changed ---------------------------------------------------------------


def test_a_warm_recall_reads_no_file_again(tmp_path, monkeypatch):
    for n in range(20):
        put(tmp_path, draft(f"{HOSE} {n}", workspace=PLACE), f"n{n}")
    let_settle(tmp_path)
    store = opened(FilesystemStore, tmp_path)
    first = store.recall("hose 7", HERE)
    reads = []
    read = RecordFiles.read
    monkeypatch.setattr(RecordFiles, "read", lambda self, id: reads.append(id) or read(self, id))
    assert store.recall("hose 7", HERE) == first
    assert reads == []
    put(tmp_path, draft("A hose of another colour.", workspace=PLACE), "n3")
    assert "n3" in ids(store, "hose of another colour")
    assert reads == ["n3"]
    store.close()


def test_a_state_too_young_to_be_told_from_the_next_is_read_again(tmp_path):
    path = put(tmp_path, draft("The hose is green.", workspace=PLACE), "hose")
    # Two states of one file with the same time, length and inode; a time to come is never old.
    ahead = (path.stat().st_mtime_ns + 3_600_000_000_000,) * 2
    os.utime(path, ns=ahead)
    store = opened(FilesystemStore, tmp_path)
    assert store.recall("hose", HERE).hits[0].content == "The hose is green."
    path.write_bytes(path.read_bytes().replace(b"green", b"brown"))
    os.utime(path, ns=ahead)
    assert store.recall("hose", HERE).hits[0].content == "The hose is brown."
    assert store.list_records(Access(workspace=PLACE)).records[0].content == "The hose is brown."
    store.close()
