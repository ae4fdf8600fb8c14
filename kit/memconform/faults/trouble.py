"""Faults of a store whose disk is in trouble."""

from __future__ import annotations

from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, foundation
from memconform.faults.seams import store
from memconform.model import (
    Access,
    Done,
    GetResult,
    IndexDiagnostics,
    RecallResult,
    Record,
    RecordDraft,
    WriteResult,
    created,
)
from memconform.protocol import NotFound, Unavailable
from memconform.reference.hybrid import HybridStore
from memconform.retrieval import Retrieval, RetrievalRequest

DISK = foundation("a-disk-in-trouble-costs-no-other-memory")


class Noted(HybridStore):
    """A store whose fault notes when it runs."""

    noted: Mark


class _SaysYes(Noted):
    """What can't be written is acknowledged all the same."""

    def write(self, record: RecordDraft) -> WriteResult:
        try:
            return super().write(record)
        except Unavailable:
            type(self).noted()
            return created(record.key or "unwritten")

    def forget(self, id: str, access: Access = Access()) -> Done:
        try:
            return super().forget(id, access)
        except Unavailable:
            type(self).noted()
            return Done(done=True, cause=None)


class _LeavesHalf(Noted):
    """Half of what couldn't be written stays in the folder."""

    def write(self, record: RecordDraft) -> WriteResult:
        try:
            return super().write(record)
        except Unavailable:
            type(self).noted()
            (self.root / "memory" / "half.json").write_text('{"id": "half", "content": "')
            raise


class _Sick(Noted):
    """While something is wrong with the disk nothing is found."""

    _sick = False

    def fault(self, name: str, on: bool) -> None:
        super().fault(name, on)
        self._sick = on and name in ("disk-full", "record-unreadable")

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        if not self._sick:
            return super()._retrieve(request)
        type(self).noted()
        return self._pipeline.retrieve([], request, policy=self._policy, now=self._now)


class _RefusedForGood(Noted):
    """What was refused once counts as written from then on."""

    def _begin(self) -> None:
        super()._begin()
        self._refused: set[str] = set()

    def write(self, record: RecordDraft) -> WriteResult:
        if record.content in self._refused:
            type(self).noted()
            return created(record.key or "unwritten")
        try:
            return super().write(record)
        except Unavailable:
            self._refused.add(record.content)
            raise


class _ChangedInMemory(Noted):
    """An update that couldn't be written shows until the next start."""

    def _begin(self) -> None:
        super()._begin()
        self._texts: dict[str, str] = {}

    def update(
        self, id: str, access: Access = Access(), content: str | None = None, *args: Any, **m: Any
    ) -> WriteResult:
        try:
            return super().update(id, access, content, *args, **m)
        except Unavailable:
            self._texts[id] = content or ""
            raise

    def recall(self, *args: Any, **options: Any) -> RecallResult:
        answer = super().recall(*args, **options)
        if not self._texts:
            return answer
        type(self).noted()
        return msgspec.structs.replace(
            answer,
            hits=[
                msgspec.structs.replace(hit, content=self._texts.get(hit.id, hit.content))
                for hit in answer.hits
            ],
        )


class _NotCounted(Noted):
    """What can't be read isn't counted as malformed."""

    def _counted(self) -> tuple[int, int, IndexDiagnostics, dict[str, int]]:
        kept, malformed, index, failures = super()._counted()
        if malformed:
            type(self).noted()
        return kept, 0, index, failures


class _GoneById(Noted):
    """What can't be read is said not to exist."""

    def get(self, id: str, access: Access = Access()) -> GetResult:
        try:
            return super().get(id, access)
        except Unavailable as error:
            type(self).noted()
            raise NotFound(f"there is no memory {id!r}") from error


class _LostForGood(Noted):
    """What couldn't be read once is never looked at again."""

    def _begin(self) -> None:
        super()._begin()
        self._known: set[str] = set()
        self._lost: set[str] = set()
        self._unreadable = False

    def _add(self, record: Record) -> None:
        super()._add(record)
        self._known.add(record.id)

    def fault(self, name: str, on: bool) -> None:
        super().fault(name, on)
        self._unreadable = on and name == "record-unreadable"

    def recall(self, *args: Any, **options: Any) -> RecallResult:
        answer = super().recall(*args, **options)
        found = {hit.id for hit in answer.hits}
        if self._unreadable:
            self._lost |= self._known - found
        if self._lost & found:
            type(self).noted()
        kept = [hit for hit in answer.hits if hit.id not in self._lost]
        return msgspec.structs.replace(answer, hits=kept)


def _plain(body: type[Noted]) -> Seed:
    return store(lambda mark: type("Store", (body,), {"noted": mark}))


def _fault(name: str, change: str, suffers: str, body: type[Noted], *slugs: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=DISK,
        killed_by=foundation(*slugs),
        base="hybrid",
        seed=_plain(body),
    )


FAULTS = (
    _fault(
        "a-full-disk-is-acknowledged",
        "What can't be written or forgotten for want of space is acknowledged all the same.",
        "The store said yes, and nothing happened.",
        _SaysYes,
        "a-memory-for-which-there-is-no-space-is-refused",
        "forgetting-for-which-there-is-no-space-is-no-success",
    ),
    _fault(
        "half-a-memory-stays",
        "Half of what couldn't be written stays in the folder.",
        "Each refused write leaves a broken file that somebody has to look for.",
        _LeavesHalf,
        "a-full-disk-leaves-nothing-half-written",
        "a-writer-killed-in-mid-write-loses-nothing-acknowledged",
    ),
    _fault(
        "a-sick-disk-finds-nothing",
        "While the disk is full or a file can't be read nothing is found.",
        "One bad sector makes the agent forget everything.",
        _Sick,
        "a-full-disk-keeps-no-memory-from-being-found",
        "a-memory-that-can-t-be-read-keeps-no-other-one-from-being-found",
    ),
    _fault(
        "refused-for-good",
        "What was refused once counts as written from then on.",
        "Trying again when there is space is answered with yes, and writes nothing.",
        _RefusedForGood,
        "a-refused-memory-can-be-written-when-there-is-space",
    ),
    _fault(
        "an-update-that-never-was",
        "An update that couldn't be written shows until the next start.",
        "The new text is there today and gone tomorrow.",
        _ChangedInMemory,
        "an-update-for-which-there-is-no-space-leaves-the-old-text",
    ),
    _fault(
        "unreadable-is-not-counted",
        "What can't be read isn't counted as malformed.",
        "Nobody learns that a memory is missing.",
        _NotCounted,
        "a-memory-that-can-t-be-read-is-counted",
    ),
    _fault(
        "unreadable-is-not-found",
        "A memory that can't be read is said not to exist.",
        "The caller writes it anew, and there are two when the disk is back.",
        _GoneById,
        "a-memory-that-can-t-be-read-is-unavailable-by-its-id",
    ),
    _fault(
        "unreadable-for-good",
        "What couldn't be read once is never shown again.",
        "A disk that was away for a minute costs memories for good.",
        _LostForGood,
        "a-memory-that-can-be-read-again-is-found-again",
    ),
)
