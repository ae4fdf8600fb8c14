"""The indexed reference store: the same answers as the plain one, out of an SQLite index.

::

    from memconform.reference.hybrid import HybridStore
    store = HybridStore("notes", workspace="/home/me/garden")

The files are the truth, and the index says of which state of the folder it is. A write reaches
its file; whoever asks next finds the folder in another state, and brings the index to it before
asking. A write of this connection, one of another process, a restored backup and what a crash left
are all one case, which costs a comparison and never an answer. Only forgotten and purged text
leaves the index in the same call. When the index can't be used at all the call is answered out of
the files, the store calls itself degraded, and a later call makes a new index.

What another program adds, renames, replaces or removes is seen by the very next question: the
folder's own stamp tells. Only a file rewritten in place, which the layout forbids, leaves that as
it is. It is noticed when it would be part of the answer and when everything is listed or counted;
otherwise by going round: each question also looks at the next few files, a second at the earliest
after the last time round.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import ClassVar, Literal, TypeVar

from memconform.model import Access, IndexDiagnostics, Record, RecordDraft, WriteResult
from memconform.protocol import System, Unavailable
from memconform.reference.breaking import DISK_FAULTS, DiskBreaker, IndexBreaker
from memconform.reference.feedback import RemembersShown
from memconform.reference.files import Malformed, Stamp, Unreadable
from memconform.reference.index import (
    BUSY_MS,
    FILE,
    REASONS,
    SCHEMA,
    Cause,
    Found,
    IndexTrouble,
    Mark,
    MemoryIndex,
    Row,
    fingerprint,
)
from memconform.reference.store import ReferenceStore
from memconform.reference.system import ReferenceSystem
from memconform.retrieval import Pipeline, Retrieval, RetrievalRequest

T = TypeVar("T")

# How many files a question looks at to find those rewritten in place, which the folder's stamp
# doesn't tell of, and how long a round through all of them is good for.
_SWEEP_FILES = 128
_SWEEP_SECONDS = 1.0
# Files read while the lock is held once, so that a rebuild doesn't keep writers waiting.
_AT_ONCE = 2000
# The stages that the index does in its own way; with another one in its place it can't stand in.
_INDEXED_STAGES = (
    "record_tokens",
    "scope",
    "lifecycle",
    "purpose",
    "filters",
    "match",
    "features",
    "gate",
)


class HybridStore(RemembersShown, ReferenceStore):
    """Memories in files, with an index beside them. See ReferenceStore for the arguments."""

    MORE = ("faults",)
    INDEX: ClassVar[type[MemoryIndex]] = MemoryIndex
    """The kind of index that it keeps."""

    def _begin(self) -> None:
        self._made_by = fingerprint(self._pipeline.constants)
        self._stands_in = _keeps_stages(self._pipeline)
        self._index: MemoryIndex | None = None
        self._discard = False
        self._trouble: Cause | None = None
        self._failures: Counter[str] = Counter()
        self._swept_to = ""
        self._swept_until = 0.0
        self._breaker = IndexBreaker(self.root / FILE)
        self._disk = DiskBreaker(self._files)

    def close(self) -> None:
        """Give back what the store holds."""
        self._breaker.mend()
        self._shut()
        super().close()

    def fault(self, name: str, on: bool) -> None:
        """Break something, or mend it: see ``reference.breaking`` for the names."""
        self._check_open()
        if name in DISK_FAULTS:
            with self._changing():
                self._disk.switch(name, on=on)
            return
        with contextlib.suppress(IndexTrouble):
            self._opened()  # so that there is something to break
        self._breaker.switch(name, on=on)

    def write(self, record: RecordDraft) -> WriteResult:
        """Store one memory; while ``writer-killed`` is on, by a process that is killed."""
        if self._disk.kills:
            self._check_open()
            self._disk.write_and_be_killed(record, self._current_settings(), self._workspace)
        return super().write(record)

    # --- answering ---------------------------------------------------------------------------

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        if self._stands_in:
            with contextlib.suppress(IndexTrouble):
                found, retrieval = self._by_index(request, sure=False)
                if not self._still_so(found, retrieval):
                    _, retrieval = self._by_index(request, sure=True)
                return retrieval
        self._cache.refresh()
        return self._pipeline.retrieve(
            self._cache.records.values(),
            request,
            policy=self._policy,
            now=self._now,
            mode="filesystem-fallback" if self._stands_in else "filesystem",
            token_set=self._cache.tokens,
            hopeless=False,
        )

    def _by_index(self, request: RetrievalRequest, *, sure: bool) -> tuple[Found, Retrieval]:
        question = self._pipeline.ask(request.query, request.relevance_mode)
        now = self._now
        found = self._with_index(
            lambda index: index.search(question, request, self._policy, now), sure=sure
        )
        return found, self._pipeline.finish(
            found.matches,
            found.counts,
            question,
            request,
            policy=self._policy,
            now=now,
            mode="sqlite-fts5",
        )

    def _still_so(self, found: Found, retrieval: Retrieval) -> bool:
        """Whether the files of what was selected are those that the index was made of."""
        ids = retrieval.selected_ids
        return self._files.stamps(ids) == [found.stamps[id] for id in ids]

    def _listed(self, access: Access) -> list[Record]:
        if self._stands_in:
            with contextlib.suppress(IndexTrouble):
                return self._with_index(
                    lambda index: index.eligible(access, self._policy, self._now), sure=True
                )
        self._cache.refresh()
        eligible = self._pipeline.eligible(
            self._cache.records.values(), access, policy=self._policy, now=self._now
        )
        return list(eligible.lifecycle.kept)

    def _successors(self, id: str) -> list[Record]:
        with contextlib.suppress(IndexTrouble):
            return self._with_index(lambda index: index.successors(id))
        self._cache.refresh()
        return self._cache.successors(id)

    # --- keeping the index -------------------------------------------------------------------

    def _with_index(self, ask: Callable[[MemoryIndex], T], *, sure: bool = False) -> T:
        """Ask an index that is as the files are.

        Args:
            ask: gets the index.
            sure: look at every file, even if the folder is as it was.

        Raises:
            IndexTrouble: the index can't be used now. It has been noted.
        """
        try:
            index = self._opened()
            answer = self._asked_as_it_is(index, ask) if not sure else None
            if answer is None:
                answer = self._asked_compared(index, ask)
        except IndexTrouble as trouble:
            self._note(trouble.cause)
            raise
        self._trouble = None
        return answer[0]

    def _asked_as_it_is(
        self, index: MemoryIndex, ask: Callable[[MemoryIndex], T]
    ) -> tuple[T] | None:
        """The answer, if the folder is as it was when index and files were compared last."""
        folder = self._files.folder_stamp()
        with index.reading():
            as_it_is = index.mark() == Mark(folder, settled=True) and self._sweep(index)
            return (ask(index),) if as_it_is else None

    def _sweep(self, index: MemoryIndex) -> bool:
        """Look at the next few files; whether they are those that the index was made of."""
        if time.monotonic() < self._swept_until:
            return True
        part = index.part(self._swept_to, _SWEEP_FILES)
        if len(part) == _SWEEP_FILES:
            self._swept_to = part[-1][0]
        else:
            self._swept_all()
        return self._files.stamps(id for id, _ in part) == [stamp for _, stamp in part]

    def _swept_all(self) -> None:
        self._swept_to = ""
        self._swept_until = time.monotonic() + _SWEEP_SECONDS

    def _asked_compared(self, index: MemoryIndex, ask: Callable[[MemoryIndex], T]) -> tuple[T]:
        """The answer after comparing, with every writer kept out meanwhile."""
        while True:
            with self._lock_soon():
                left = self._compare(index)
                if not left:
                    with index.reading():
                        return (ask(index),)
            # Other writers get their turn in between; what they change, comparing again will find.
            for start in range(0, len(left), _AT_ONCE):
                with self._lock_soon(), index.writing():
                    self._read_all(index, left[start : start + _AT_ONCE])
                    index.set_mark(None)

    @contextlib.contextmanager
    def _lock_soon(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self._files.locked(BUSY_MS / 1000))
            except Unavailable as error:
                raise IndexTrouble("locked") from error
            yield

    def _compare(self, index: MemoryIndex) -> list[tuple[str, Stamp]]:
        """Bring the index to the state of the files; what is left of them if they are too many."""
        seen_at = time.time_ns()
        folder = self._files.folder_stamp()
        scanned = {id: stamp for id, stamp in self._files.scan().items() if stamp is not None}
        with index.reading():
            known = {**index.malformed(), **index.memories()}
            marked = index.mark()
        gone = known.keys() - scanned.keys()
        unlike, unsure = _differences(scanned, known)
        whole = len(unlike) <= _AT_ONCE
        now_marked = Mark(folder, folder.settled(seen_at))
        if gone or unlike or unsure or marked != now_marked:
            with index.writing():
                for id in gone:
                    index.remove(id)
                reading = [*unlike, *unsure] if whole else unlike[:_AT_ONCE]
                if not self._read_all(index, [(id, scanned[id]) for id in reading]):
                    now_marked = Mark(folder, settled=False)
                index.set_mark(now_marked if whole else None)
        if not whole:
            return [(id, scanned[id]) for id in unlike[_AT_ONCE:]]
        self._swept_all()
        return []

    def _read_all(self, index: MemoryIndex, scanned: list[tuple[str, Stamp]]) -> bool:
        """Index files as they are; whether the stamps of all can be relied upon."""
        seen_at = time.time_ns()
        settled = [self._read_into(index, id, stamp, seen_at) for id, stamp in scanned]
        return all(settled)

    def _read_into(self, index: MemoryIndex, id: str, scanned: Stamp, seen_at: int) -> bool:
        """Index one file as it is; whether its stamp is old enough to be relied upon."""
        try:
            found = self._files.read(id)
        except Malformed:
            settled = scanned.settled(seen_at)
            index.put_malformed(id, Row(scanned, settled))
            return settled
        except Unreadable:
            index.put_malformed(id, Row(scanned, settled=False))
            return False  # the next time it may be read again
        if found is None:  # removed since the scan, by a program that heeds no lock
            index.remove(id)
            return False
        record, stamp = found
        settled = stamp.settled(seen_at)
        index.put(record, Row(stamp, settled), self._tokens(record))
        return settled

    def _tokens(self, record: Record) -> tuple[str, ...]:
        if record.deleted_at is not None:
            return ()
        return self._pipeline.record_tokens(record, self._pipeline.constants).tokens

    # --- changes of this connection ----------------------------------------------------------

    def _stored(self, record: Record, stamp: Stamp) -> None:
        # The next question compares and finds the file. Only forgotten text must go at once.
        if record.deleted_at is not None:
            self._removed(record.id)

    def _removed(self, id: str) -> None:
        if self._index is None and not os.path.lexists(self.root / FILE):
            return
        try:
            index = self._opened()
            with index.writing():
                index.remove(id)
        except IndexTrouble as trouble:  # the file is gone, so comparing will remove it
            self._note(trouble.cause)

    # --- opening and trouble -----------------------------------------------------------------

    def _opened(self) -> MemoryIndex:
        """The open index, the one that is in its place; a new one where it must be replaced."""
        if self._index is not None and not self._index.in_place():
            self._shut()  # another connection has replaced it
        if self._index is None:
            self._index = self._open()
            self._discard = False
        return self._index

    def _open(self) -> MemoryIndex:
        path, synced = self.root / FILE, self._home.lasting
        if not self._discard and os.path.lexists(path):
            try:
                return self.INDEX(path, self._made_by, synced=synced)
            except IndexTrouble as trouble:
                if trouble.cause == "locked":
                    raise
                self._failures[f"index-{trouble.cause}"] += 1
        with self._lock_soon():
            if not self._discard:  # another connection may have made one meanwhile
                with contextlib.suppress(IndexTrouble):
                    return self.INDEX(path, self._made_by, synced=synced)
            return self.INDEX.create(path, self._made_by, synced=synced)

    def _shut(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def _note(self, cause: Cause) -> None:
        """Keep in mind why the index can't be used, and what to do about it at the next call."""
        self._trouble = cause
        self._failures[f"index-{cause}"] += 1
        if cause != "locked":
            self._shut()
            # What is in the place of a missing index was put there by whoever replaced it.
            self._discard = cause != "missing"

    def _counted(self) -> tuple[int, int, IndexDiagnostics, dict[str, int]]:
        # A degraded index says so until a question has found it mended.
        if self._trouble is None:
            with contextlib.suppress(IndexTrouble):
                indexed, forgotten, malformed = self._with_index(_figures, sure=True)
                diagnostics = _index_diagnostics("ready", canonical=indexed, indexed=indexed)
                unfit = sum(stamp is None for stamp in self._files.scan().values())
                failures = dict(self._failures)
                return indexed - forgotten, malformed + unfit, diagnostics, failures
        self._cache.refresh()
        known = self._cache.records.values()
        kept = sum(record.deleted_at is None for record in known)
        diagnostics = self._backfilling(len(known)) or _index_diagnostics(
            "degraded",
            canonical=len(known),
            indexed=0,
            reason=REASONS[self._trouble] if self._trouble else None,
        )
        return kept, self._cache.malformed, diagnostics, dict(self._failures)

    def _backfilling(self, canonical: int) -> IndexDiagnostics | None:
        """How far another connection has come that is filling the index, if one is."""
        if self._trouble != "locked" or self._index is None:
            return None
        with contextlib.suppress(IndexTrouble), self._index.reading():
            if self._index.mark() is None:
                indexed = min(len(self._index.memories()), canonical)
                return _index_diagnostics(
                    "backfilling",
                    canonical=canonical,
                    indexed=indexed,
                    progress=indexed / max(canonical, 1),
                )
        return None


def _figures(index: MemoryIndex) -> tuple[int, int, int]:
    return len(index.memories()), len(index.forgotten()), len(index.malformed())


def _index_diagnostics(
    state: Literal["ready", "backfilling", "degraded"],
    *,
    canonical: int,
    indexed: int,
    reason: str | None = None,
    progress: float | None = None,
) -> IndexDiagnostics:
    return IndexDiagnostics(
        state=state,
        schema=SCHEMA,
        reason=reason,
        canonical=canonical,
        indexed=indexed,
        stale=canonical - indexed,
        progress=progress,
    )


def _differences(scanned: dict[str, Stamp], known: dict[str, Row]) -> tuple[list[str], list[str]]:
    """The ids of files that are new or changed, and of those too young to be sure of."""
    unlike, unsure = [], []
    for id, stamp in scanned.items():
        row = known.get(id)
        if row is None or row.stamp != stamp:
            unlike.append(id)
        elif not row.settled:
            unsure.append(id)
    return unlike, unsure


def _keeps_stages(pipeline: Pipeline) -> bool:
    defaults = {field.name: field.default for field in dataclasses.fields(Pipeline)}
    return all(getattr(pipeline, stage) is defaults[stage] for stage in _INDEXED_STAGES)


def factory(pipeline: Pipeline = Pipeline()) -> System:
    """The target ``reference:hybrid``."""
    return ReferenceSystem("memconform reference: hybrid", HybridStore, pipeline)
