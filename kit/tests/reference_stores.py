"""What the tests of the reference stores share: stores over a folder, and memories in it."""

import subprocess
import sys
import time
from pathlib import Path

from memconform.model import Access, RecordDraft, Settings, Trace, to_plain
from memconform.reference.files import encode
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.hybrid import HybridStore
from memconform.reference.store import ReferenceStore
from memconform.retrieval import record_from_draft

NOW = "2026-03-01T00:00:00Z"
PLACE = "/home/garden"
HERE = Access(workspace=PLACE)
ELSEWHERE = Access(workspace="/home/kitchen")
STORES = [FilesystemStore, HybridStore]
HOSE = "The green hose hangs in the tool shed."
ASK_HOSE = "Where does the green hose hang?"


def opened(
    store: type[ReferenceStore], root: Path, clock: str = NOW, **settings: object
) -> ReferenceStore:
    return store(root, Settings(clock=clock, **settings), workspace=PLACE)  # type: ignore[arg-type]


def draft(content: str, key: str | None = None, **fields: object) -> RecordDraft:
    return RecordDraft(content=content, key=key, **fields)  # type: ignore[arg-type]


def ids(store: ReferenceStore, query: str = ASK_HOSE, access: Access = HERE) -> list[str]:
    return [hit.id for hit in store.recall(query, access).hits]


def mode(store: ReferenceStore, query: str = ASK_HOSE) -> str:
    trace = store.recall(query, HERE, trace=True).trace
    assert trace is not None
    return trace.mode


def comparable(trace: Trace | None) -> dict:
    """A trace without what may differ between the two stores: mode and channel."""
    plain = to_plain(trace)
    del plain["mode"]
    for ranking in plain["rankings"]:
        del ranking["channel"]
    return plain


def put(root: Path, record_draft: RecordDraft, id: str) -> Path:
    """A memory's file as another program puts it there: moved in whole, unsynced, unlocked."""
    memory = root / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    path = memory / f"{id}.json"
    temporary = memory / f".{id}"
    temporary.write_bytes(encode(record_from_draft(record_draft, id=id, now=NOW)))
    return temporary.rename(path)


def started(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Another Python process."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> str:
    """What it printed, once it has ended well."""
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    return out


def let_settle(root: Path) -> None:
    """Wait until the time stamps of the folder are old enough to be relied upon."""
    youngest = max(p.stat().st_mtime_ns for p in [root / "memory", *(root / "memory").iterdir()])
    while time.time_ns() - youngest < 60_000_000:
        time.sleep(0.01)
