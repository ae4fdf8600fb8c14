"""The store over plain files: a warm answer against one for which every file is read anew.

Both in this process and over the same folder: the warm store keeps what it has read and looks at
the stamps of the files, a second connection has read nothing yet. That the warm one misses nothing
is shown by a change that another process makes.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

from msgspec import Struct
from systems import BATCH, LIMIT

from memconform.model import Access, RecordDraft
from memconform.reference.files import UNSETTLED_NS
from memconform.reference.filesystem import FilesystemStore

WORKSPACE = "/bench"
NEWS = "quokka"  # no made-up word has a q
_CHANGE = """
import sys
from memconform.model import Access
from memconform.reference.filesystem import FilesystemStore
root, workspace, id, content = sys.argv[1:]
store = FilesystemStore(root, workspace=workspace)
store.update(id, Access(), content=content)
store.close()
"""


class Rereading(Struct, frozen=True, kw_only=True):
    """What keeping the files' contents is worth.

    Attributes:
        warm_ms: median of an answer of a store that has read everything before.
        reread_ms: median of the first answer of a new connection.
        share: median over the questions of warm divided by reread.
        change_seen: whether the warm store's next answer showed what another process had changed.
    """

    records: int
    questions: int
    warm_ms: float
    reread_ms: float
    share: float
    change_seen: bool


def rereading(
    memories: Sequence[str], questions: Sequence[str], progress: Callable[[str], None]
) -> Rereading:
    """Measure it with these memories; each question is asked both ways, one after the other."""
    with tempfile.TemporaryDirectory(prefix="memconform-bench-") as root:
        store = FilesystemStore(root, workspace=WORKSPACE)
        progress(f"filling a folder with {len(memories):,} files")
        for start in range(0, len(memories), BATCH):
            part = memories[start : start + BATCH]
            store.write_batch(tuple(RecordDraft(content=text) for text in part))
        time.sleep(2 * UNSETTLED_NS / 1e9)  # files this young are read again at each question
        _asked(store, "warm up")
        warm, reread = [], []
        progress("asking with and without what has been read")
        for question in questions:
            warm.append(_asked(store, question))
            another = store.second()
            reread.append(_asked(another, question))
            another.close()
        seen = _sees_a_change(store, root, memories[0])
        store.close()
    return Rereading(
        records=len(memories),
        questions=len(questions),
        warm_ms=statistics.median(warm),
        reread_ms=statistics.median(reread),
        share=statistics.median(w / r for w, r in zip(warm, reread, strict=True)),
        change_seen=seen,
    )


def _asked(store: FilesystemStore, question: str) -> float:
    started = time.perf_counter()
    store.recall(question, Access(), LIMIT)
    return (time.perf_counter() - started) * 1000


def _sees_a_change(store: FilesystemStore, root: str, content: str) -> bool:
    before = store.recall(NEWS)
    (id,) = [hit.id for hit in store.list_records(Access()).records if hit.content == content]
    changed = f"{NEWS} {content}"
    subprocess.run([sys.executable, "-c", _CHANGE, root, WORKSPACE, id, changed], check=True)
    after = store.recall(NEWS)
    return not before.hits and [(hit.id, hit.content) for hit in after.hits] == [(id, changed)]
