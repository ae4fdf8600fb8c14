"""Faults of keeping: what is written, corrected, forgotten, and read again after a restart."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, core, foundation
from memconform.faults.seams import store, swapped
from memconform.model import (
    Access,
    BatchResult,
    ContextResult,
    Done,
    GetResult,
    Hit,
    ListResult,
    RecallResult,
    Record,
    RecordDraft,
    Settings,
    WriteResult,
)
from memconform.protocol import NotFound
from memconform.reference.files import Stamp
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.retrieval import Retrieval, RetrievalRequest
from memconform.retrieval.lifecycle import still_active
from memconform.retrieval.tokens import normalise

FINDABLE = core("written-is-findable")
ACTED_ON = core("a-hit-can-be-acted-on")
GONE = core("forgotten-is-gone-at-once-and-everywhere")
CORRECTION = core("a-correction-wins")
APART = core("different-facts-stay-apart")
STABLE = core("results-are-stable")
BEST = core("the-best-match-is-first")
LIMITS = core("limits-hold")
BAD_INPUT = core("bad-input-is-refused-and-the-server-lives")
LASTING = core("nothing-acknowledged-is-lost")
UNRELATED = core("unrelated-means-nothing")
CJK_TEXT = core("cjk-text-is-found")
ANY_TEXT = core("any-text-is-a-query")


class Caching(FilesystemStore):
    """Keeps the answer to each question, and drops all answers when something is written."""

    noted: Mark

    def _begin(self) -> None:
        self._answers: dict[tuple[Any, ...], RecallResult] = {}

    def _key(self, query: str, access: Access, limit: int | None, options: Any) -> tuple[Any, ...]:
        return (query, str(access), limit, str(options))

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        """Out of what is kept, where it is."""
        key = self._key(query, access, limit, options)
        if key in self._answers:
            type(self).noted()
        else:
            self._answers[key] = super().recall(query, access, limit, **options)
        return self._answers[key]

    def _stored(self, record: Record, stamp: Stamp) -> None:
        self._answers.clear()

    def _removed(self, id: str) -> None:
        self._answers.clear()


def _caching(body: type[Caching]) -> Seed:
    """Seeds a kind of Caching."""
    return store(lambda mark: type("Store", (body,), {"noted": mark}))


class _ForgetsNot(Caching):
    def _stored(self, record: Record, stamp: Stamp) -> None:
        if record.deleted_at is None:
            self._answers.clear()


class _PurgesNot(Caching):
    def _removed(self, id: str) -> None:
        pass


class _KeepsThroughWrites(Caching):
    def _stored(self, record: Record, stamp: Stamp) -> None:
        pass


class _KeepsThroughTime(Caching):
    """The clock isn't part of what an answer depends on."""


class _WithoutLimit(Caching):
    def _key(self, query: str, access: Access, limit: int | None, options: Any) -> tuple[Any, ...]:
        return (query, str(access), str(options))


class _WithoutPlace(Caching):
    def _key(self, query: str, access: Access, limit: int | None, options: Any) -> tuple[Any, ...]:
        return (query, limit, str(options))


class _Empty(Caching):
    """Only answers that found nothing are kept, and kept for good."""

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        key = self._key(query, access, limit, options)
        if key in self._answers:
            type(self).noted()
            return self._answers[key]
        answer = FilesystemStore.recall(self, query, access, limit, **options)
        if not answer.hits:
            self._answers[key] = answer
        return answer

    def _stored(self, record: Record, stamp: Stamp) -> None:
        pass


# --- surfaces --------------------------------------------------------------------------------


class Remembering(FilesystemStore):
    """Keeps what was forgotten, for one of its surfaces."""

    noted: Mark

    def _begin(self) -> None:
        self._gone: list[Record] = []

    def forget(self, id: str, access: Access = Access()) -> Done:
        """As ever, but with a copy."""
        type(self).noted()
        self._gone.append(self._own(id, access))
        return super().forget(id, access)


def _remembering(body: type[Remembering]) -> Seed:
    return store(lambda mark: type("Store", (body,), {"noted": mark}))


class _ListRemembers(Remembering):
    def _listed(self, access: Access) -> list[Record]:
        scope = self._pipeline.scope(self._gone, access, self._policy)
        return [*super()._listed(access), *scope.kept]


class _ContextRemembers(Remembering):
    def context(
        self, query: str, access: Access = Access(), budget: int | None = None
    ) -> ContextResult:
        self._snapshot = True
        try:
            return super().context(query, access, budget)
        finally:
            self._snapshot = False

    _snapshot = False

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        if not self._snapshot:
            return super()._retrieve(request)
        self._cache.refresh()
        known = [r for r in self._cache.records.values() if r.deleted_at is None]
        return self._pipeline.retrieve(
            [*known, *self._gone], request, policy=self._policy, now=self._now
        )


class _GetRemembers(Remembering):
    def get(self, id: str, access: Access = Access()) -> GetResult:
        answer = super().get(id, access)
        for record in self._gone:
            if record.id == id:
                shown = msgspec.structs.replace(answer.record, content=record.content)
                return msgspec.structs.replace(answer, record=shown)
        return answer


class _UndoneByWrites(Remembering):
    """The next write brings back what was forgotten."""

    def _create(self, draft: RecordDraft) -> Record:
        for record in self._gone:
            self._files.replace(record)
        self._gone.clear()
        return super()._create(draft)


class _UndoneByRestarts(Remembering):
    """A restart brings back what was forgotten."""

    def reopen(self, settings: Settings | None = None) -> Any:
        for record in self._gone:
            self._files.replace(record)
        return super().reopen(settings)


class _FirstVersionBack(FilesystemStore):
    """Forgetting an updated memory brings back what it was before the update."""

    noted: Mark

    def _begin(self) -> None:
        self._before: dict[str, Record] = {}

    def update(self, id: str, access: Access = Access(), *args: Any, **more: Any) -> WriteResult:
        self._before.setdefault(id, self._own(id, access))
        return super().update(id, access, *args, **more)

    def forget(self, id: str, access: Access = Access()) -> Done:
        answer = super().forget(id, access)
        if id in self._before:
            type(self).noted()
            self._files.replace(self._before.pop(id))
        return answer


class _ForgetsAnother(FilesystemStore):
    """Forgets another memory than the one that is named, where there is another."""

    noted: Mark

    def forget(self, id: str, access: Access = Access()) -> Done:
        self._own(id, access)
        self._cache.refresh()
        alive = [r.id for r in self._cache.records.values() if r.deleted_at is None]
        others = [other for other in alive if other != id]
        type(self).noted()
        return super().forget(min(others, default=id), access)


class _ForgetsAfterARestart(FilesystemStore):
    """Forgetting takes effect at the next start."""

    noted: Mark

    def _begin(self) -> None:
        self._later: list[Record] = []

    def forget(self, id: str, access: Access = Access()) -> Done:
        type(self).noted()
        self._later.append(self._own(id, access))
        return Done(done=True, cause=None)


def _plain(body: type[ReferenceStore]) -> Seed:
    """Seeds a class with a mark of its own."""
    return store(lambda mark: type("Store", (body,), {"noted": mark}))


# --- connections and restarts ----------------------------------------------------------------


class _ReadOnce(FilesystemStore):
    """Reads the files when it is opened, and then goes by its own changes alone."""

    noted: Mark
    _settled = False

    def _begin(self) -> None:
        self._cache.refresh()
        self._own_changes = True
        right = self._cache.refresh

        def refresh() -> None:
            if self._own_changes:
                self._own_changes = False
                right()
            else:
                type(self).noted()

        self._cache.refresh = refresh  # type: ignore[method-assign] # the seam of this fault

    def _stored(self, record: Record, stamp: Stamp) -> None:
        self._own_changes = True

    def _removed(self, id: str) -> None:
        self._own_changes = True


class _LosesTheLast(FilesystemStore):
    """The last memory written before a restart isn't on the disk yet."""

    noted: Mark

    def _begin(self) -> None:
        self._newest: str | None = None

    def _add(self, record: Record) -> None:
        super()._add(record)
        self._newest = record.id

    def reopen(self, settings: Settings | None = None) -> Any:
        if self._newest is not None:
            type(self).noted()
            self._files.remove(self._newest)
        return super().reopen(settings)


class _LosesUpdates(FilesystemStore):
    """A restart brings back the text before the last update."""

    noted: Mark

    def _begin(self) -> None:
        self._before: dict[str, Record] = {}

    def update(self, id: str, access: Access = Access(), *args: Any, **more: Any) -> WriteResult:
        self._before[id] = self._own(id, access)
        return super().update(id, access, *args, **more)

    def reopen(self, settings: Settings | None = None) -> Any:
        for record in self._before.values():
            type(self).noted()
            self._files.replace(record)
        return super().reopen(settings)


class _LosesLabels(FilesystemStore):
    """A restart loses tags and confidence."""

    noted: Mark

    def reopen(self, settings: Settings | None = None) -> Any:
        self._cache.refresh()
        for record in list(self._cache.records.values()):
            if record.deleted_at is None and (record.tags or record.confidence != 1):
                type(self).noted()
                self._files.replace(msgspec.structs.replace(record, tags=[], confidence=1.0))
        return super().reopen(settings)


class _LosesWhatWasBefore(FilesystemStore):
    """The first write after a restart begins the store anew."""

    noted: Mark
    _restarted = False

    def reopen(self, settings: Settings | None = None) -> Any:
        fresh = super().reopen(settings)
        fresh._restarted = True
        return fresh

    def _add(self, record: Record) -> None:
        if self._restarted:
            self._restarted = False
            self._cache.refresh()
            for id in list(self._cache.records):
                type(self).noted()
                self._files.remove(id)
        super()._add(record)


class _LastWriterWins(FilesystemStore):
    """Each writer writes back all that it knew when it was opened, and what it wrote itself."""

    noted: Mark

    def _begin(self) -> None:
        self._cache.refresh()
        self._known = set(self._cache.records)

    def _add(self, record: Record) -> None:
        self._cache.refresh()
        for id in set(self._cache.records) - self._known:
            type(self).noted()
            self._files.remove(id)
        super()._add(record)
        self._known.add(record.id)


class _ThousandsAlone(FilesystemStore):
    """Only so many files of the folder are read."""

    noted: Mark
    most = 9_000

    def _begin(self) -> None:
        right = self._files.scan

        def scan() -> dict[str, Stamp | None]:
            found = right()
            if len(found) <= type(self).most:
                return found
            type(self).noted()
            oldest = sorted(found, key=lambda id: found[id] or Stamp(0, 0, 0))
            return {id: found[id] for id in oldest[: type(self).most]}

        self._files.scan = scan  # type: ignore[method-assign] # the seam of this fault


class _SaysSoOnly(FilesystemStore):
    """A write is acknowledged before it happens, and happens at the next one."""

    noted: Mark

    def _begin(self) -> None:
        self._waiting: list[Record] = []

    def _add(self, record: Record) -> None:
        type(self).noted()
        for waiting in self._waiting:
            super()._add(waiting)
        self._waiting = [record]

    def close(self) -> None:
        for waiting in self._waiting:
            if not self.closed:
                super()._add(waiting)
        self._waiting = []
        super().close()


# --- writing ---------------------------------------------------------------------------------


class _BatchKeepsTheFirst(FilesystemStore):
    """Of a batch only the first memory is stored; all are acknowledged."""

    noted: Mark

    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        type(self).noted()
        first = super().write_batch(records[:1])
        more = [
            WriteResult(
                id=draft.key or f"batch-{n}",
                outcome="created",
                other=None,
                cause=None,
                namespace=None,
            )
            for n, draft in enumerate(records[1:])
        ]
        return msgspec.structs.replace(first, outcomes=[*first.outcomes, *more])


class _BatchSharesLabels(FilesystemStore):
    """All memories of a batch get the tags and the confidence of the first."""

    noted: Mark

    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        if records:
            type(self).noted()
            first = records[0]
            records = tuple(
                msgspec.structs.replace(draft, tags=first.tags, confidence=first.confidence)
                for draft in records
            )
        return super().write_batch(records)


class _UpdatesTheTextAlone(FilesystemStore):
    """An update keeps the tokens of the old text."""

    noted: Mark

    def _begin(self) -> None:
        self._tokens: dict[str, frozenset[str]] = {}
        right = self._cache.tokens

        def tokens(record: Record) -> frozenset[str]:
            if record.version > 1 and record.id in self._tokens and record.supersedes is None:
                type(self).noted()
                return self._tokens[record.id]
            return self._tokens.setdefault(record.id, right(record))

        self._cache.tokens = tokens  # type: ignore[method-assign] # the seam of this fault

    def _add(self, record: Record) -> None:
        super()._add(record)
        self._tokens[record.id] = self._pipeline.token_set(record)


class _Trims(FilesystemStore):
    """Takes the space off both ends of a content."""

    noted: Mark

    def _create(self, draft: RecordDraft) -> Record:
        if draft.content.strip() not in ("", draft.content):
            type(self).noted()
            draft = msgspec.structs.replace(draft, content=draft.content.strip())
        return super()._create(draft)


class _FoldsSpace(FilesystemStore):
    """Keeps every run of white space as one blank."""

    noted: Mark

    def _create(self, draft: RecordDraft) -> Record:
        folded = re.sub(r"\s+", " ", draft.content)
        if folded != draft.content and folded.strip():
            type(self).noted()
            draft = msgspec.structs.replace(draft, content=folded)
        return super()._create(draft)


class _OneOfTwo(FilesystemStore):
    """A new memory takes the place of the one before it that has most of its words."""

    noted: Mark

    def _add(self, record: Record) -> None:
        super()._add(record)
        self._cache.refresh()
        for other in list(self._cache.records.values()):
            if other.id == record.id or other.deleted_at is not None or record.supersedes:
                continue
            if type(self).same(other, record):
                type(self).noted()
                self._files.remove(other.id)
                self._removed(other.id)

    @staticmethod
    def same(one: Record, other: Record) -> bool:
        a, b = _words(one.content), _words(other.content)
        return one.workspace == other.workspace and len(a & b) >= 0.6 * max(len(a), len(b))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", normalise(text)))


class _FiguresMakeNoDifference(_OneOfTwo):
    @staticmethod
    def same(one: Record, other: Record) -> bool:
        a, b = (re.sub(r"[0-9]+", "0", normalise(r.content)) for r in (one, other))
        return a == b and one.content != other.content


class _OrderMakesNoDifference(_OneOfTwo):
    @staticmethod
    def same(one: Record, other: Record) -> bool:
        return _words(one.content) == _words(other.content) and one.content != other.content


class _NegationMakesNoDifference(_OneOfTwo):
    @staticmethod
    def same(one: Record, other: Record) -> bool:
        small = {"not", "no", "never", "don", "t", "doesn", "does", "do", "isn", "is"}
        a, b = _words(one.content) - small, _words(other.content) - small
        return one.content != other.content and a == b


class _RepeatsDeleteBoth(_OneOfTwo):
    """Writing a text again leaves neither of the two."""

    def _add(self, record: Record) -> None:
        FilesystemStore._add(self, record)
        self._cache.refresh()
        for other in list(self._cache.records.values()):
            if other.id != record.id and other.content == record.content and not record.supersedes:
                type(self).noted()
                for id in (record.id, other.id):
                    self._files.remove(id)
                    self._removed(id)
                return


class _RepeatsMerge(FilesystemStore):
    """A text that is stored isn't stored again, though declared otherwise."""

    noted: Mark

    def write(self, record: RecordDraft) -> WriteResult:
        self._cache.refresh()
        for known in self._cache.records.values():
            if known.deleted_at is None and known.content == record.content:
                type(self).noted()
                return WriteResult(
                    id=known.id, outcome="merged", other=known.id, cause=None, namespace=None
                )
        return super().write(record)


# --- correcting ------------------------------------------------------------------------------


class _CorrectionBeside(FilesystemStore):
    """A correction leaves the old text as it is."""

    noted: Mark

    def correct(
        self, id: str, content: str, access: Access = Access(), key: str | None = None
    ) -> WriteResult:
        old = self._own(id, access)
        answer = super().correct(id, content, access, key)
        type(self).noted()
        self._files.replace(old)
        new = self._find(answer.id or "")
        assert new is not None
        self._files.replace(msgspec.structs.replace(new, supersedes=None))
        return answer


class _CorrectionMarksAlone(FilesystemStore):
    """A superseded memory is called so, and retrieved like any other."""

    noted: Mark

    def _begin(self) -> None:

        right = self._pipeline.lifecycle

        def lifecycle(records: Any, now: str) -> Any:
            type(self).noted()
            as_if = {
                r.id: msgspec.structs.replace(r, superseded_at=None, supersedes=None)
                for r in records
            }
            return right(as_if.values(), now)

        self._pipeline = dataclasses.replace(self._pipeline, lifecycle=lifecycle)


class _SupersedeIsLost(FilesystemStore):
    """Says that a memory is superseded, and leaves it as it is."""

    noted: Mark

    def supersede(self, id: str, by: str, access: Access = Access()) -> Done:
        self._alive(id, access)
        type(self).noted()
        return Done(done=True, cause=None)


class _NoNameOfASuccessor(FilesystemStore):
    """An old record doesn't say which one replaces it."""

    noted: Mark

    def get(self, id: str, access: Access = Access()) -> GetResult:
        answer = super().get(id, access)
        if answer.record.superseded_by is None:
            return answer
        type(self).noted()
        shown = msgspec.structs.replace(answer.record, superseded_by=None)
        return msgspec.structs.replace(answer, record=shown)


class _ContextOfTheOld(FilesystemStore):
    """The context still has the old text, before the correction."""

    noted: Mark

    def context(
        self, query: str, access: Access = Access(), budget: int | None = None
    ) -> ContextResult:

        def lifecycle(records: Any, now: str) -> Any:
            records = list(records)
            corrected = {r.supersedes for r in records}
            if any(r.superseded_at is not None for r in records):
                type(self).noted()
            return still_active(
                [
                    msgspec.structs.replace(
                        r, supersedes=None, superseded_at=None, confidence=1.0, importance=1.0
                    )
                    if r.id in corrected
                    else msgspec.structs.replace(r, supersedes=None)
                    for r in records
                ],
                now,
            )

        with swapped(self, lifecycle=lifecycle):
            return super().context(query, access, budget)


class _WritesUndoCorrections(FilesystemStore):
    """The next write takes the mark of a correction away again."""

    noted: Mark

    def _create(self, draft: RecordDraft) -> Record:
        self._cache.refresh()
        for record in list(self._cache.records.values()):
            if record.superseded_at is not None or record.supersedes is not None:
                type(self).noted()
                self._files.replace(
                    msgspec.structs.replace(record, superseded_at=None, supersedes=None)
                )
        return super()._create(draft)


class _RestartsUndoCorrections(FilesystemStore):
    """A restart takes the mark of a correction away again."""

    noted: Mark

    def reopen(self, settings: Settings | None = None) -> Any:
        self._cache.refresh()
        for record in list(self._cache.records.values()):
            if record.superseded_at is not None or record.supersedes is not None:
                type(self).noted()
                self._files.replace(
                    msgspec.structs.replace(record, superseded_at=None, supersedes=None)
                )
        return super().reopen(settings)


class _CorrectionWithoutText(FilesystemStore):
    """A correction to an empty text keeps the old one, as a new memory."""

    noted: Mark

    def correct(
        self, id: str, content: str, access: Access = Access(), key: str | None = None
    ) -> WriteResult:
        if not content.strip():
            type(self).noted()
            content = self._own(id, access).content + "."
        return super().correct(id, content, access, key)

    def update(
        self,
        id: str,
        access: Access = Access(),
        content: str | None = None,
        tags: tuple[str, ...] | None = None,
        confidence: float | None = None,
    ) -> WriteResult:
        if content is not None and not content.strip():
            type(self).noted()
            content = None
        return super().update(id, access, content, tags, confidence)


class _UnknownIdsAreFine(FilesystemStore):
    """An unknown id is answered as if all were well."""

    noted: Mark

    def forget(self, id: str, access: Access = Access()) -> Done:
        try:
            return super().forget(id, access)
        except NotFound:
            type(self).noted()
            return Done(done=True, cause=None)

    def update(self, id: str, access: Access = Access(), *args: Any, **more: Any) -> WriteResult:
        try:
            return super().update(id, access, *args, **more)
        except NotFound:
            type(self).noted()
            return WriteResult(id=id, outcome="merged", other=id, cause=None, namespace=None)

    def correct(
        self, id: str, content: str, access: Access = Access(), key: str | None = None
    ) -> WriteResult:
        try:
            return super().correct(id, content, access, key)
        except NotFound:
            type(self).noted()
            return self.write(RecordDraft(content=content, key=key))


# --- reading ---------------------------------------------------------------------------------


def _hits(change: Callable[[Hit], Hit]) -> Seed:
    """Seeds how the hits of a recall are shown."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Shows its hits otherwise."""

            def recall(self, *args: Any, **options: Any) -> RecallResult:
                answer = super().recall(*args, **options)
                hits = [change(hit) for hit in answer.hits]
                if hits != answer.hits:
                    mark()
                return msgspec.structs.replace(answer, hits=hits)

        return Store

    return store(make)


class _ListWithoutIds(FilesystemStore):
    """What is listed has numbers for ids."""

    noted: Mark

    def list_records(self, access: Access = Access()) -> ListResult:
        answer = super().list_records(access)
        type(self).noted()
        return msgspec.structs.replace(
            answer,
            records=[
                msgspec.structs.replace(hit, id=str(n)) for n, hit in enumerate(answer.records, 1)
            ],
        )


class _ListAsAtFirst(FilesystemStore):
    """Lists what was there when it was listed first."""

    noted: Mark

    def _begin(self) -> None:
        self._first: list[str] | None = None

    def _listed(self, access: Access) -> list[Record]:
        listed = super()._listed(access)
        if self._first is None:
            self._first = []
        type(self).noted()
        return [record for record in listed if record.id in self._first]


class _AskingMovesRanks(FilesystemStore):
    """A memory is the more important the oftener it is found."""

    noted: Mark

    def _begin(self) -> None:

        self._found: dict[str, int] = {}
        right = self._pipeline.order_key

        def key(ranked: Any) -> Any:
            times = self._found.get(ranked.record.id, 0)
            score, *rest = right(ranked)
            return (score - 0.5 * times, *rest)

        self._pipeline = dataclasses.replace(self._pipeline, order_key=key)

    def _count(self, ids: Any) -> None:
        for id in ids:
            type(self).noted()
            self._found[id] = self._found.get(id, 0) + 1

    def recall(self, *args: Any, **options: Any) -> RecallResult:
        answer = super().recall(*args, **options)
        self._count([hit.id for hit in answer.hits])
        return answer


class _ReadingMovesRanks(_AskingMovesRanks):
    def recall(self, *args: Any, **options: Any) -> RecallResult:
        return FilesystemStore.recall(self, *args, **options)

    def get(self, id: str, access: Access = Access()) -> GetResult:
        self._count([id])
        return super().get(id, access)


class _ContextMovesRanks(_ReadingMovesRanks):
    def get(self, id: str, access: Access = Access()) -> GetResult:
        return FilesystemStore.get(self, id, access)

    def context(self, *args: Any, **options: Any) -> ContextResult:
        answer = super().context(*args, **options)
        self._count(answer.ids)
        return answer


class _QuestionsRotate(FilesystemStore):
    """Every other question has its answer backwards."""

    noted: Mark
    _asked = 0

    def recall(self, *args: Any, **options: Any) -> RecallResult:
        answer = super().recall(*args, **options)
        self._asked += 1
        if self._asked % 2 == 0:
            type(self).noted()
            return msgspec.structs.replace(answer, hits=answer.hits[::-1])
        return answer


class _SmallerFromThenOn(FilesystemStore):
    """A limit holds for all later questions, too."""

    noted: Mark
    _least: int | None = None

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        if limit is not None and limit > 0:
            self._least = min(limit, self._least or limit)
        if self._least is not None:
            type(self).noted()
        kept = limit if limit is not None and limit <= 0 else self._least
        return super().recall(query, access, kept, **options)


class _LimitBeforeOrder(FilesystemStore):
    """The limit cuts before the order is made: by id."""

    noted: Mark

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        answer = super().recall(query, access, None, **options)
        if limit is None:
            return answer
        type(self).noted()
        first = sorted(answer.hits, key=lambda hit: hit.id, reverse=True)[: max(0, limit)]
        return msgspec.structs.replace(answer, hits=[hit for hit in answer.hits if hit in first])


class _OneShort(FilesystemStore):
    """The last hit is left out where there are several."""

    noted: Mark

    def recall(self, *args: Any, **options: Any) -> RecallResult:
        answer = super().recall(*args, **options)
        if len(answer.hits) < 2:
            return answer
        type(self).noted()
        return msgspec.structs.replace(answer, hits=answer.hits[:-1])


class _FillsTheLimit(FilesystemStore):
    """An answer with fewer hits than the limit is filled up with anything."""

    noted: Mark

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        answer = super().recall(query, access, limit, **options)
        if limit is None or len(answer.hits) >= limit or not answer.hits:
            return answer
        type(self).noted()
        known = {hit.id for hit in answer.hits}
        more = [hit for hit in self.list_records(access).records if hit.id not in known]
        return msgspec.structs.replace(answer, hits=[*answer.hits, *more][:limit])


class _QuestionsAreStored(FilesystemStore):
    """Each question is remembered."""

    noted: Mark

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        answer = super().recall(query, access, limit, **options)
        if query.strip() and "\ud800" not in query and len(query) < 1000:
            type(self).noted()
            self.write(RecordDraft(content=query, workspace=access.workspace))
        return answer


class _QuestionsAreRun(FilesystemStore):
    """What looks like a command in a question is run."""

    noted: Mark

    def recall(self, query: str, *args: Any, **options: Any) -> RecallResult:
        if re.search("DROP|DELETE|rm -rf|OR '1'='1", query):
            self._cache.refresh()
            for id in list(self._cache.records):
                type(self).noted()
                self._files.remove(id)
        return super().recall(query, *args, **options)


class _WarmMissesCjk(FilesystemStore):
    """What is written in CJK text after a question isn't found until a restart."""

    noted: Mark
    _warm = False

    def _begin(self) -> None:
        self._new: set[str] = set()

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        self._warm = True
        if not self._new:
            return super()._retrieve(request)
        type(self).noted()
        self._cache.refresh()
        known = [r for r in self._cache.records.values() if r.id not in self._new]
        return self._pipeline.retrieve(known, request, policy=self._policy, now=self._now)

    def _add(self, record: Record) -> None:
        super()._add(record)
        if self._warm and not record.content.isascii():
            self._new.add(record.id)


class _WarmMissesBatches(_WarmMissesCjk):
    """What is written in a batch after a question isn't found until a restart."""

    _batch = False

    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        self._batch = self._warm
        try:
            return super().write_batch(records)
        finally:
            self._batch = False

    def _add(self, record: Record) -> None:
        FilesystemStore._add(self, record)
        if self._batch:
            self._new.add(record.id)


class _WarmMissesUpdates(_WarmMissesCjk):
    """A memory that is updated after a question isn't found until a restart."""

    def update(self, id: str, access: Access = Access(), *args: Any, **more: Any) -> WriteResult:
        if self._warm:
            self._new.add(id)
        return super().update(id, access, *args, **more)

    def _add(self, record: Record) -> None:
        FilesystemStore._add(self, record)


class _WarmMissesMarks(_WarmMissesCjk):
    """What is written with marks in it after a question isn't found until a restart."""

    def _add(self, record: Record) -> None:
        FilesystemStore._add(self, record)
        if self._warm and re.search(r"[^\w\s]", record.content):
            self._new.add(record.id)


class _RestartMissesCjk(_WarmMissesCjk):
    """CJK text isn't found after a restart."""

    def _begin(self) -> None:
        self._cache.refresh()
        self._new = {
            r.id for r in self._cache.records.values() if any(ord(c) > 0x3000 for c in r.content)
        }

    def _add(self, record: Record) -> None:
        FilesystemStore._add(self, record)


def _fault(name: str, change: str, suffers: str, seed: Seed, breaks: Any, *killers: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=killers,
        base="filesystem",
        seed=seed,
    )


FAULTS = (
    _fault(
        "writes-leave-the-query-cache",
        "Answers are kept, and no write drops them.",
        "What was just written can't be found by whoever asked before.",
        _caching(_KeepsThroughWrites),
        FINDABLE,
        *core(
            "words-that-found-nothing-find-the-memory-written-since",
            "the-newer-of-two-is-found-beside-the-older",
        ),
    ),
    _fault(
        "nothing-found-is-kept",
        "That a question found nothing is kept for good.",
        "A question that came too early is never answered.",
        _caching(_Empty),
        FINDABLE,
        *core("words-that-found-nothing-find-the-memory-written-since"),
    ),
    _fault(
        "warm-stores-miss-batches",
        "What is written in a batch after a question isn't found until a restart.",
        "Memories of an import can't be recalled in a warm process.",
        _plain(_WarmMissesBatches),
        FINDABLE,
        *core(
            "every-memory-of-a-batch-written-after-a-question-is-found",
        ),
    ),
    _fault(
        "warm-stores-miss-updates",
        "A memory that is updated after a question isn't found until a restart.",
        "Correcting a typing error loses the memory.",
        _plain(_WarmMissesUpdates),
        FINDABLE,
        *core("the-new-words-of-an-update-find-the-memory-after-a-question"),
    ),
    _fault(
        "an-update-keeps-the-old-index",
        "An updated memory is looked for by its old text.",
        "The new words find nothing, the old ones find something else.",
        _plain(_UpdatesTheTextAlone),
        FINDABLE,
        *core(
            "the-new-words-of-an-update-find-the-memory", "the-old-words-of-an-update-find-nothing"
        ),
    ),
    _fault(
        "a-batch-keeps-its-first",
        "Of a batch only the first memory is stored, and all are acknowledged.",
        "An import says that all went well, and the rest is missing.",
        _plain(_BatchKeepsTheFirst),
        (*FINDABLE, *CJK_TEXT),
        *core("every-memory-of-a-batch-is-found", "a-cjk-memory-of-a-batch-is-found"),
    ),
    _fault(
        "contents-are-trimmed",
        "Space at both ends of a content is taken away.",
        "Code that was remembered comes back without its indentation.",
        _plain(_Trims),
        FINDABLE,
        *core("a-found-text-is-the-text-that-was-written"),
    ),
    _fault(
        "contents-on-one-line",
        "Every run of white space in a content becomes one blank.",
        "A remembered list comes back as one line.",
        _plain(_FoldsSpace),
        FINDABLE,
        *core("a-found-text-is-the-text-that-was-written"),
    ),
    # --- acting on hits --------------------------------------------------------------------------
    _fault(
        "hits-have-numbers-for-ids",
        "A hit carries a number instead of the id.",
        "What was found can be neither corrected nor forgotten.",
        _hits(lambda hit: msgspec.structs.replace(hit, id=f"hit-{hit.id}")),
        ACTED_ON,
        *core("a-hit-names-its-id-and-its-state"),
    ),
    _fault(
        "hits-have-no-tags",
        "Hits don't show their tags.",
        "A caller who sorts by tags sees none.",
        _hits(lambda hit: msgspec.structs.replace(hit, tags=[])),
        ACTED_ON,
        *core("a-hit-shows-its-tags", "a-hit-shows-the-tags-of-an-update"),
    ),
    _fault(
        "hits-are-always-sure",
        "Hits show a confidence of 1, whatever was written.",
        "A guess is told as a fact.",
        _hits(lambda hit: msgspec.structs.replace(hit, confidence=1.0)),
        ACTED_ON,
        *core("a-hit-shows-its-confidence", "each-memory-of-a-batch-shows-its-own-confidence"),
    ),
    _fault(
        "a-batch-shares-its-labels",
        "All memories of a batch get the tags and the confidence of the first.",
        "An import of many topics files everything under one.",
        _plain(_BatchSharesLabels),
        ACTED_ON,
        *core(
            "each-memory-of-a-batch-shows-its-own-tags",
            "each-memory-of-a-batch-shows-its-own-confidence",
        ),
    ),
    _fault(
        "forgets-another",
        "Forget takes another memory than the one that is named, where there is one.",
        "The user deletes one memory and loses another.",
        _plain(_ForgetsAnother),
        ACTED_ON,
        *core("the-id-of-a-hit-forgets-that-memory-alone"),
    ),
    _fault(
        "the-list-has-numbers-for-ids",
        "What is listed carries numbers instead of ids.",
        "The page of all memories can delete none.",
        _plain(_ListWithoutIds),
        ACTED_ON,
        *core("a-listed-memory-can-be-acted-on-too"),
    ),
    _fault(
        "the-list-is-of-old",
        "The list shows what it showed first.",
        "A new memory is found and not listed.",
        _plain(_ListAsAtFirst),
        ACTED_ON,
        *core("a-memory-shows-on-every-surface"),
    ),
    # --- forgetting ------------------------------------------------------------------------------
    _fault(
        "forget-leaves-the-query-cache",
        "Answers are kept until something is written; forgetting doesn't count as that.",
        "A forgotten memory is still answered to whoever asks the same question again.",
        _caching(_ForgetsNot),
        GONE,
        *core(
            "the-question-that-found-a-memory-finds-it-no-more",
            "a-memory-of-a-batch-is-forgotten-like-any-other",
        ),
    ),
    _fault(
        "purge-leaves-the-query-cache",
        "Answers are kept until a file is written; purging writes none.",
        "What was erased for good is still answered.",
        _caching(_PurgesNot),
        GONE,
        *core("a-purged-memory-shows-on-no-surface"),
    ),
    _fault(
        "time-leaves-the-query-cache",
        "Answers are kept until something is written; that time passes doesn't count.",
        "A memory that has expired is answered until the next write.",
        _caching(_KeepsThroughTime),
        GONE,
        *core("an-expired-memory-shows-on-no-surface"),
    ),
    _fault(
        "forget-waits-for-a-restart",
        "Forgetting takes effect at the next start.",
        "What the user has deleted is in every prompt until then.",
        _plain(_ForgetsAfterARestart),
        GONE,
        *core("a-forgotten-memory-is-not-found", "a-new-question-does-not-find-a-forgotten-memory"),
    ),
    _fault(
        "forget-leaves-the-list",
        "What is forgotten stays in the list, as it was.",
        "A text that its owner had forgotten is there for whoever lists everything.",
        _remembering(_ListRemembers),
        GONE,
        *core("a-forgotten-memory-shows-on-no-surface"),
    ),
    _fault(
        "forget-leaves-the-context",
        "The context is assembled out of a snapshot that still has what is forgotten.",
        "The search is clean, and the prompt quotes the deleted text.",
        _remembering(_ContextRemembers),
        GONE,
        *core(
            "a-forgotten-memory-shows-on-no-surface",
            "a-forgotten-chinese-memory-shows-on-no-surface",
        ),
    ),
    _fault(
        "forget-leaves-the-content",
        "A forgotten memory still shows its content to whoever has its id.",
        "The deleted text is one click away.",
        _remembering(_GetRemembers),
        GONE,
        *core("a-forgotten-memory-leaves-its-state-and-no-content"),
    ),
    _fault(
        "a-write-brings-back",
        "The next write brings back what was forgotten.",
        "A deleted memory is there again an hour later.",
        _remembering(_UndoneByWrites),
        GONE,
        *core("a-write-after-it-brings-no-forgotten-memory-back"),
    ),
    _fault(
        "a-restart-brings-back",
        "A restart brings back what was forgotten.",
        "A deleted memory is there again the next morning.",
        _remembering(_UndoneByRestarts),
        GONE,
        *core("a-restart-does-not-bring-a-forgotten-memory-back"),
    ),
    _fault(
        "the-first-version-comes-back",
        "Forgetting an updated memory brings back what it was before.",
        "Deleting the new address brings back the old one.",
        _plain(_FirstVersionBack),
        GONE,
        *core("a-forgotten-version-of-an-updated-memory-stays-gone"),
    ),
    # --- correcting ------------------------------------------------------------------------------
    _fault(
        "a-correction-stands-beside",
        "A correction leaves the old text as it is.",
        "The user corrects a fact and keeps hearing the old one.",
        _plain(_CorrectionBeside),
        CORRECTION,
        *core(
            "a-correction-comes-before-the-old-text",
            "the-exact-words-of-the-old-text-put-the-correction-first",
            "a-correction-written-in-chinese-comes-first",
            "the-last-of-two-corrections-comes-first",
        ),
    ),
    _fault(
        "superseded-and-retrieved",
        "A superseded memory is called so, and retrieved like any other.",
        "The old fact outranks its correction, because it fits the question better.",
        _plain(_CorrectionMarksAlone),
        CORRECTION,
        *core(
            "a-limit-of-one-keeps-the-correction",
            "a-correction-made-after-a-question-comes-first",
            "another-connection-puts-the-correction-first",
        ),
    ),
    _fault(
        "supersede-is-lost",
        "A memory is said to be superseded, and stays as it is.",
        "Two memories that exclude each other are both told.",
        _plain(_SupersedeIsLost),
        (*CORRECTION, *foundation("a-successor-silences-what-it-supersedes")),
        *core("a-superseded-memory-gives-way"),
        *foundation("a-superseded-record-names-its-successor"),
    ),
    _fault(
        "no-name-of-a-successor",
        "An old record doesn't say which one replaces it.",
        "Whoever holds an old id doesn't find the way to the new text.",
        _plain(_NoNameOfASuccessor),
        (*CORRECTION, *foundation("a-successor-silences-what-it-supersedes")),
        *core("the-old-record-names-its-correction"),
        *foundation("a-superseded-record-names-its-successor"),
    ),
    _fault(
        "the-context-has-the-old-text",
        "The context still has the old text, before its correction.",
        "The search knows the new fact, the prompt leads with the old one.",
        _plain(_ContextOfTheOld),
        CORRECTION,
        *core("a-correction-leads-the-context"),
    ),
    _fault(
        "a-write-undoes-a-correction",
        "The next write takes the mark of a correction away.",
        "The corrected fact is back after the next note.",
        _plain(_WritesUndoCorrections),
        CORRECTION,
        *core("a-write-after-it-leaves-a-correction-in-force"),
    ),
    _fault(
        "a-restart-undoes-a-correction",
        "A restart takes the mark of a correction away.",
        "The corrected fact is back the next morning.",
        _plain(_RestartsUndoCorrections),
        CORRECTION,
        *core("a-restart-keeps-the-correction-first"),
    ),
    # --- different facts -------------------------------------------------------------------------
    _fault(
        "alike-is-the-same",
        "A new memory takes the place of an older one that has most of its words.",
        "15 days of leave become 5, and nobody is told.",
        _plain(_OneOfTwo),
        APART,
        *core(
            "two-similar-facts-are-both-kept",
            "a-similar-fact-written-after-a-question-is-kept",
            "two-similar-facts-of-a-batch-are-both-kept",
        ),
    ),
    _fault(
        "figures-make-no-difference",
        "Two texts that differ in a figure alone are one memory.",
        "The second appointment deletes the first.",
        _plain(_FiguresMakeNoDifference),
        APART,
        *core("two-similar-facts-are-both-kept"),
    ),
    _fault(
        "order-makes-no-difference",
        "Two texts of the same words are one memory, whatever their order.",
        "The wrong person manages the other.",
        _plain(_OrderMakesNoDifference),
        APART,
        *core("two-similar-facts-are-both-kept"),
    ),
    _fault(
        "negation-makes-no-difference",
        "Two texts that differ in a negation alone are one memory.",
        "What the user doesn't eat is what the user eats.",
        _plain(_NegationMakesNoDifference),
        APART,
        *core("two-similar-facts-are-both-kept"),
    ),
    _fault(
        "a-repeat-deletes-both",
        "Writing a text again leaves neither of the two.",
        "What the user says twice is forgotten.",
        _plain(_RepeatsDeleteBoth),
        APART,
        *core(
            "a-text-written-twice-is-still-found",
            "a-text-written-twice-around-a-question-is-still-found",
        ),
    ),
    _fault(
        "a-repeat-is-merged",
        "A text that is stored isn't stored again, though declared otherwise.",
        "Forgetting one of two equal notes deletes both.",
        _plain(_RepeatsMerge),
        APART,
        *core("an-exact-repeat-is-treated-as-declared"),
    ),
    # --- stability -------------------------------------------------------------------------------
    _fault(
        "asking-moves-ranks",
        "A memory comes first the oftener it is found.",
        "What was asked for often hides what is asked for now.",
        _plain(_AskingMovesRanks),
        STABLE,
        *core("asking-for-one-memory-often-moves-no-rank"),
    ),
    _fault(
        "reading-moves-ranks",
        "A memory comes first the oftener it is read by its id.",
        "Looking at a memory changes what the model is told.",
        _plain(_ReadingMovesRanks),
        STABLE,
        *core("reading-a-memory-often-moves-no-rank"),
    ),
    _fault(
        "contexts-move-ranks",
        "A memory comes first the oftener it was in a context.",
        "What was injected once is injected for ever.",
        _plain(_ContextMovesRanks),
        STABLE,
        *core("assembling-a-context-moves-no-rank"),
    ),
    _fault(
        "every-other-answer-backwards",
        "Every other answer has its hits backwards.",
        "The same question has two answers.",
        _plain(_QuestionsRotate),
        (*STABLE, *BEST),
        *core(
            "the-same-question-has-the-same-answer",
            "a-question-in-between-changes-no-answer",
            "the-best-memory-is-first-after-twenty-eight-unrelated-questions",
        ),
    ),
    _fault(
        "a-limit-for-good",
        "A limit holds for all later questions, too.",
        "One short answer makes all that follow as short.",
        _plain(_SmallerFromThenOn),
        (*STABLE, *LIMITS),
        *core(
            "a-smaller-limit-in-between-changes-no-answer", "a-limit-does-not-outlive-its-question"
        ),
    ),
    _fault(
        "the-query-cache-knows-no-limit",
        "Answers are kept by their question, whatever the limit was.",
        "Whoever asks for two memories gets as many as somebody before.",
        _caching(_WithoutLimit),
        LIMITS,
        *core("a-limit-holds-in-a-warm-store", "a-limit-does-not-outlive-its-question"),
    ),
    _fault(
        "the-query-cache-knows-no-places",
        "Answers are kept by their question, whoever asked it.",
        "The second client gets the first one's answer.",
        _caching(_WithoutPlace),
        core("scope-is-a-wall"),
        *core(
            "a-question-in-another-workspace-comes-between",
            "a-question-in-another-project-comes-between",
        ),
    ),
    # --- limits ----------------------------------------------------------------------------------
    _fault(
        "the-limit-cuts-before-the-order",
        "The limit cuts by id, before the order is made.",
        "The best memory is thrown away.",
        _plain(_LimitBeforeOrder),
        LIMITS,
        *core("a-limit-of-one-keeps-the-best"),
    ),
    _fault(
        "the-last-hit-is-lost",
        "The last of several hits is left out.",
        "There is always one memory too few.",
        _plain(_OneShort),
        LIMITS,
        *core(
            "a-limit-of-the-number-of-memories-finds-all",
            "a-limit-above-the-number-of-memories-finds-all",
        ),
    ),
    _fault(
        "the-limit-is-filled",
        "An answer with fewer hits than the limit is filled up with anything.",
        "Five unrelated memories look like evidence.",
        _plain(_FillsTheLimit),
        LIMITS,
        *core("a-limit-above-the-number-of-memories-finds-all"),
    ),
    # --- any text --------------------------------------------------------------------------------
    _fault(
        "questions-are-stored",
        "Each question is remembered like a memory.",
        "The answer to a question is the question.",
        _plain(_QuestionsAreStored),
        UNRELATED,
        *core("an-unrelated-question-asked-again-finds-nothing"),
    ),
    _fault(
        "questions-are-run",
        "What looks like a command in a question is run.",
        "A question that quotes a command empties the store.",
        _plain(_QuestionsAreRun),
        ANY_TEXT,
        *core("a-question-changes-nothing-in-the-store"),
    ),
    _fault(
        "warm-stores-miss-marks",
        "What is written with marks in it after a question isn't found until a restart.",
        "A new file name can't be recalled in a warm process.",
        _plain(_WarmMissesMarks),
        ANY_TEXT,
        *core("its-literal-text-finds-a-memory-written-after-a-question"),
    ),
    _fault(
        "warm-stores-miss-cjk",
        "What is written in CJK text after a question isn't found until a restart.",
        "A new Chinese memory can't be recalled in a warm process.",
        _plain(_WarmMissesCjk),
        CJK_TEXT,
        *core("a-cjk-memory-written-after-a-question-is-found"),
    ),
    _fault(
        "restarts-miss-cjk",
        "CJK text isn't found after a restart.",
        "Every Chinese memory is lost overnight.",
        _plain(_RestartMissesCjk),
        CJK_TEXT,
        *core("a-restart-keeps-cjk-text-findable"),
    ),
    # --- bad input -------------------------------------------------------------------------------
    _fault(
        "no-text-changes-nothing",
        "A correction or update to an empty text leaves the old one, and says that it is done.",
        "The user deletes a text by emptying it, and is told that it is gone.",
        _plain(_CorrectionWithoutText),
        BAD_INPUT,
        *core("an-update-to-an-empty-text-is-refused", "a-correction-to-an-empty-text-is-refused"),
    ),
    _fault(
        "unknown-ids-are-fine",
        "An unknown id is answered as if all were well.",
        "The user deletes a memory by a mistyped id, and is told that it is gone.",
        _plain(_UnknownIdsAreFine),
        BAD_INPUT,
        *core(
            "an-unknown-id-is-refused",
            "an-update-of-an-unknown-id-is-refused",
            "a-correction-of-an-unknown-id-is-refused",
        ),
    ),
    # --- lasting ---------------------------------------------------------------------------------
    _fault(
        "a-restart-loses-the-last",
        "The last memory written before a restart isn't on the disk yet.",
        "The newest memory, the one that matters, is lost.",
        _plain(_LosesTheLast),
        LASTING,
        *core(
            "a-restart-keeps-a-memory",
            "a-restart-keeps-a-memory-written-after-a-question",
            "a-restart-keeps-every-memory-of-a-batch",
            "two-restarts-lose-nothing",
        ),
    ),
    _fault(
        "a-restart-loses-updates",
        "A restart brings back the text before the last update.",
        "The new address is the old one again.",
        _plain(_LosesUpdates),
        LASTING,
        *core("a-restart-keeps-an-update"),
    ),
    _fault(
        "a-restart-loses-labels",
        "A restart loses tags and confidence.",
        "After a restart every guess is a fact.",
        _plain(_LosesLabels),
        LASTING,
        *core("a-restart-keeps-tags-and-confidence"),
    ),
    _fault(
        "a-restart-begins-anew",
        "The first write after a restart begins the store anew.",
        "One note the next morning deletes all others.",
        _plain(_LosesWhatWasBefore),
        LASTING,
        *core("a-memory-written-after-a-restart-joins-the-old-ones", "two-restarts-lose-nothing"),
    ),
    _fault(
        "acknowledged-before-written",
        "A write is acknowledged first, and happens at the next one.",
        "The store said yes, and the memory isn't there.",
        _plain(_SaysSoOnly),
        (*LASTING, *FINDABLE),
        *core("another-connection-finds-a-memory", "a-memory-written-after-a-question-is-found"),
    ),
    _fault(
        "a-connection-reads-once",
        "A connection reads the files when it is opened, and then knows its own changes alone.",
        "What another process writes or forgets is noticed at the next start.",
        _plain(_ReadOnce),
        (*LASTING, *GONE),
        *core(
            "another-warm-connection-finds-a-memory",
            "another-connection-finds-a-forgotten-memory-no-more",
            "another-connection-shows-a-forgotten-memory-on-no-surface",
        ),
    ),
    _fault(
        "the-last-writer-wins",
        "Each writer writes back all that it knew when it was opened, and its own memories.",
        "Two agents at work delete each other's memories.",
        _plain(_LastWriterWins),
        LASTING,
        *core("two-writers-in-turn-lose-nothing", "two-writers-and-a-restart-lose-nothing"),
    ),
    _fault(
        "only-nine-thousand-files",
        "Only the first 9,000 files are read.",
        "The newest memories are the ones that are never found.",
        _plain(_ThousandsAlone),
        LASTING,
        *core("the-last-of-ten-thousand-memories-is-found"),
    ),
)
