"""What the two reference stores have in common: every operation, over canonical files.

A subclass says how a question is answered (``_retrieve``), what is listed (``_listed``), who
replaces a memory (``_successors``), and is told of each change of a file (``_stored``,
``_removed``). The rules of the operations are here, once.

Which memories a caller may act on by id is decided by scope alone: an id of another place is not
found, just like one that doesn't exist. The policy narrows what is retrieved and listed, never
what may be forgotten.
"""

from __future__ import annotations

import contextlib
import hashlib
from abc import abstractmethod
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import ClassVar, Self

import msgspec

from memconform.model import (
    Access,
    BatchCounts,
    BatchResult,
    ContextResult,
    DiagnosticsResult,
    Done,
    Filters,
    GetResult,
    IndexDiagnostics,
    ListResult,
    Policy,
    Purpose,
    RecallResult,
    Record,
    RecordDraft,
    RelevanceMode,
    Settings,
    Trace,
    WriteResult,
    created,
    done,
    has_lone_surrogate,
    to_plain,
)
from memconform.protocol import Capability, Conflict, Invalid, NotFound, Unavailable
from memconform.reference.cache import RecordCache
from memconform.reference.connection import Clock, Connection, refused, system_clock
from memconform.reference.files import (
    Malformed,
    RecordFiles,
    Stamp,
    canonical,
    check_id,
    entomb,
)
from memconform.reference.hits import recalled_hit, stored_hit
from memconform.reference.home import Home
from memconform.retrieval import (
    Pipeline,
    Retrieval,
    RetrievalRequest,
    record_from_draft,
    revised,
)
from memconform.retrieval.lifecycle import LifecycleState, state_of
from memconform.retrieval.scope import in_scope, normalise_path

# Who may act on a memory by its id doesn't depend on the policy in force.
_EVERY_SCOPE = Policy()
_ID_DIGITS = 32


class ReferenceStore(Connection):
    """An open connection to the memories under a root folder. One thread at a time may use it.

    Args:
        root: the folder; it is made if need be, and nothing outside it is touched.
        settings: clock, policy, and whether this is an evaluation. A store without a clock in its
            settings goes by ``clock``.
        pipeline: how a question is answered.
        clock: gives the time, ISO 8601 UTC.
        workspace: the default place: what a memory or a caller without workspace and project
            means. With null such a caller sees user memories only, and such a memory is refused
            unless its scope is user.
        home: shared by the stores of one temporary folder; null for a folder that stays.
    """

    MORE: ClassVar[tuple[Capability, ...]] = ()
    """What this kind of store offers beyond the others."""

    def __init__(
        self,
        root: Path | str,
        settings: Settings = Settings(),
        *,
        pipeline: Pipeline = Pipeline(),
        clock: Clock = system_clock,
        workspace: str | None = None,
        home: Home | None = None,
    ) -> None:
        super().__init__(settings, clock)
        self._policy = settings.policy or Policy()
        self._pipeline = pipeline
        self._workspace = workspace
        self._last_trace: Trace | None = None
        self._home = home or Home(Path(root).absolute())
        self._files = RecordFiles(Path(root).absolute(), synced=self._home.lasting)
        self._cache = RecordCache(self._files, pipeline.token_set)
        self._home.enter()
        self._begin()

    # --- what differs ------------------------------------------------------------------------

    def _begin(self) -> None:
        """Set up what this kind of store has beside the files."""

    @abstractmethod
    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        """Answer a question over everything that is stored."""

    @abstractmethod
    def _listed(self, access: Access) -> list[Record]:
        """Everything that the caller may see and that is active."""

    @abstractmethod
    def _successors(self, id: str) -> list[Record]:
        """The memories that say that they supersede this one, whoever may see them."""

    @abstractmethod
    def _counted(self) -> tuple[int, int, IndexDiagnostics, dict[str, int]]:
        """Memories that are not forgotten, malformed files, the index, failures by cause."""

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Every change of files happens inside, with all other writers kept out."""
        with self._files.locked():
            yield

    # Nothing to do for a store that keeps nothing beside the files.
    def _stored(self, record: Record, stamp: Stamp) -> None:
        """A file was written; the lock is still held."""

    def _removed(self, id: str) -> None:
        """A file was removed; the lock is still held."""

    # --- life --------------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        """The folder that everything is in."""
        return self._files.root

    def _end(self) -> None:
        self._home.leave()

    def _another(self, settings: Settings) -> Self:
        self._check_open()
        return type(self)(
            self.root,
            settings,
            pipeline=self._pipeline,
            clock=self._clock,
            workspace=self._workspace,
            home=self._home,
        )

    # --- writing -----------------------------------------------------------------------------

    def write(self, record: RecordDraft) -> WriteResult:
        """Store one memory.

        A key becomes the id. Without one the id is made of the SHA-256 of the record and of a
        number that is counted up while the id is taken, so that the same text may be stored twice.

        Raises:
            Invalid: the memory or its key breaks a rule.
            Conflict: the key is taken, also by a forgotten memory or by the very same text: only
                corrections may be replayed.
        """
        self._check_open()
        with self._changing():
            return created(self._create(record).id)

    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        """Store several memories. One that is refused says why, the others are stored.

        So does one for which the disk has no space left: whoever asks must know which are in.
        """
        self._check_open()
        outcomes: list[WriteResult] = []
        stored: list[RecordDraft] = []
        with self._changing():
            for draft in records:
                try:
                    outcomes.append(created(self._create(draft).id))
                    stored.append(draft)
                except (Invalid, Conflict, Unavailable) as refusal:
                    outcomes.append(refused(refusal))
        return BatchResult(
            outcomes=outcomes,
            passed_on=BatchCounts(
                tags=sum(bool(draft.tags) for draft in stored),
                confidence=sum(draft.confidence is not None for draft in stored),
                importance=sum(draft.importance is not None for draft in stored),
            ),
        )

    def _create(self, draft: RecordDraft) -> Record:
        draft = self._placed(draft)
        if draft.key is not None:
            record = record_from_draft(
                draft, id=check_id(draft.key), now=self._now, constants=self._pipeline.constants
            )
            self._add(record)
            return record
        # An id that no memory can name as superseded by itself.
        nameless = record_from_draft(
            draft, id="?", now=self._now, constants=self._pipeline.constants
        )
        for number in count():
            id = _made_id(to_plain(nameless), number)
            record = msgspec.structs.replace(nameless, id=id)
            try:
                self._add(record)
            except Conflict:
                continue
            return record
        raise AssertionError("numbers don't end")

    def _placed(self, draft: RecordDraft) -> RecordDraft:
        """The draft, with the default place where it means that."""
        if draft.scope == "user" or draft.workspace is not None or draft.project is not None:
            return draft
        return msgspec.structs.replace(draft, workspace=self._workspace)

    def _place(self, access: Access) -> Access:
        if access.workspace is not None or access.project is not None:
            return access
        return msgspec.structs.replace(access, workspace=self._workspace)

    # --- asking ------------------------------------------------------------------------------

    def recall(
        self,
        query: str,
        access: Access = Access(),
        limit: int | None = None,
        *,
        purpose: Purpose | None = None,
        filters: Filters | None = None,
        mode: RelevanceMode | None = None,
        trace: bool = False,
    ) -> RecallResult:
        """The memories that answer a question, best first.

        They are those that the context block of this question would hold, within the usual
        character budget; one that was cut for it is flagged ``cut``.

        Args:
            query: any text; one without a token finds nothing.
            access: the caller's place.
            limit: the most hits, see retrieval-foundation "Record limit".
            purpose: ``injection`` when null; only ``tool`` shows directives.
            filters: what to narrow it to.
            mode: the relevance gate; ``historical-v1`` in an evaluation only.
            trace: whether the answer carries the trace.

        Raises:
            Invalid: an argument has a value that can't be.
        """
        retrieval = self._ask(
            RetrievalRequest(
                query=query,
                access=self._place(access),
                limit=limit,
                purpose=purpose or "injection",
                filters=filters,
                relevance_mode=mode or "foundation-v1",
            )
        )
        return RecallResult(
            hits=[recalled_hit(chosen) for chosen in retrieval.selected],
            namespace=None,
            ledger=None,
            trace=retrieval.trace if trace else None,
        )

    def context(
        self,
        query: str,
        access: Access = Access(),
        budget: int | None = None,
    ) -> ContextResult:
        """The text that would be put into a prompt for this question.

        Args:
            query: any text.
            access: the caller's place.
            budget: the most characters (code points) of the whole block; null means 6,000.
        """
        retrieval = self._ask(
            RetrievalRequest(query=query, access=self._place(access), budget=budget)
        )
        self._last_injected = retrieval.selected_ids
        return ContextResult(
            text=retrieval.block,
            ids=[c.ranked.record.id for c in retrieval.selected if not c.truncated],
            cut=list(retrieval.budget.truncated_ids),
            namespace=None,
        )

    def _ask(self, request: RetrievalRequest) -> Retrieval:
        self._check_open()
        if request.relevance_mode == "historical-v1" and not self._settings.evaluation:
            raise Invalid(
                "the historical gate is for evaluations; open the store with evaluation set, or "
                "leave mode out",
                {"field": "mode"},
            )
        if has_lone_surrogate([request.query, to_plain(request.access)]):
            raise Invalid("the query holds half of a surrogate pair; send Unicode text")
        retrieval = self._retrieve(request)
        self._last_trace = retrieval.trace
        return retrieval

    def list_records(self, access: Access = Access()) -> ListResult:
        """Everything that the caller may see and that is active, by id."""
        self._check_open()
        records = sorted(self._listed(self._place(access)), key=lambda record: record.id)
        return ListResult(records=[stored_hit(record) for record in records], namespace=None)

    def get(self, id: str, access: Access = Access()) -> GetResult:
        """One memory in whatever state; of a forgotten one the state, without content.

        Raises:
            NotFound: the caller may see no memory with this id.
        """
        self._check_open()
        record = self._own(id, access)
        state, successor = self._state(record, access)
        return GetResult(record=stored_hit(record, state, successor), namespace=None)

    # --- changing ----------------------------------------------------------------------------

    def forget(self, id: str, access: Access = Access()) -> Done:
        """Make a memory unfindable at once; a tombstone without its content stays."""
        self._check_open()
        with self._changing():
            record = self._own(id, access)
            if record.deleted_at is not None:
                return Done(done=False, cause="it is forgotten already")
            self._replace(entomb(record, self._now))
        return done()

    def purge(self, id: str, access: Access = Access()) -> Done:
        """Leave nothing of a memory, nor of its tombstone; its id is free again."""
        self._check_open()
        with self._changing():
            self._own(id, access)
            self._files.remove(id)
            self._removed(id)
        return done()

    def update(
        self,
        id: str,
        access: Access = Access(),
        content: str | None = None,
        tags: tuple[str, ...] | None = None,
        confidence: float | None = None,
    ) -> WriteResult:
        """Give some fields new values; null leaves a field as it is. The outcome is ``merged``.

        Raises:
            NotFound: the caller may see no memory with this id.
            Conflict: it is forgotten.
            Invalid: a value breaks a rule of the record.
        """
        self._check_open()
        with self._changing():
            record = self._alive(id, access)
            self._replace(
                revised(record, now=self._now, content=content, tags=tags, confidence=confidence)
            )
        return WriteResult(id=id, outcome="merged", other=id, cause=None, namespace=None)

    # The operations below leave updatedAt as it is: it dates the belief (freshness, ties), and
    # hiding a belief or showing it again makes it no fresher.

    def disable(self, id: str, access: Access = Access()) -> Done:
        """Keep a memory out of retrieval until it is enabled again."""
        self._check_open()
        with self._changing():
            record = self._alive(id, access)
            if record.disabled_at is not None:
                return Done(done=False, cause="it is disabled already")
            self._replace(msgspec.structs.replace(record, disabled_at=self._now))
        return done()

    def enable(self, id: str, access: Access = Access()) -> Done:
        """Let a disabled memory be retrieved again."""
        self._check_open()
        with self._changing():
            record = self._alive(id, access)
            if record.disabled_at is None:
                return Done(done=False, cause="it is not disabled")
            self._replace(msgspec.structs.replace(record, disabled_at=None))
        return done()

    def supersede(self, id: str, by: str, access: Access = Access()) -> Done:
        """Say that one stored memory replaces another one of the same place.

        Raises:
            NotFound: the caller may not see both.
            Invalid: they are one, or of different places.
            Conflict: one of them is forgotten, the new one is replaced itself or replaces another
                one, or the old one is replaced by another one.
        """
        self._check_open()
        if id == by:
            raise Invalid("a memory can't supersede itself; name another one", {"field": "by"})
        with self._changing():
            old, new = self._alive(id, access), self._alive(by, access)
            if _place_of(old) != _place_of(new):
                raise Invalid(
                    "a memory is superseded only by one of the same scope and place; write one "
                    "there",
                    {"field": "by"},
                )
            if new.supersedes == id and old.superseded_at is not None:
                return Done(done=False, cause="it is superseded by that memory already")
            self._check_current(new, access)
            if new.supersedes != id:
                self._check_current(old, access)
                if new.supersedes is not None:
                    raise Conflict(
                        "the new memory supersedes another one already, and names only one; "
                        "correct the old one instead",
                        {"id": by},
                    )
                # The new one first: from then on the old one is out, whatever happens next.
                self._replace(msgspec.structs.replace(new, supersedes=id))
            self._replace(msgspec.structs.replace(old, superseded_at=self._now))
        return done()

    def correct(
        self,
        id: str,
        content: str,
        access: Access = Access(),
        key: str | None = None,
    ) -> WriteResult:
        """Store a new text that supersedes the old one in the same place, all else being kept.

        Replayed, it happens once: the same id and text (and key, if there was one) answer with
        the correction that exists. It takes effect at once and for good: the old text doesn't come
        back when the correction is forgotten or purged. The outcome is ``superseded``.

        Raises:
            NotFound: the caller may see no memory with this id, as in another place.
            Conflict: it is forgotten or corrected by another text already, or the key is taken.
            Invalid: the text is empty, or the key can't be an id.
        """
        self._check_open()
        with self._changing():
            old = self._own(id, access)
            made = key is None
            new_id = check_id(_made_id(["correct", id, content], 0) if key is None else key)
            found = self._find(new_id)
            replayed = (
                found is not None
                and found.supersedes == id
                and (made or found.content == content)
                and _place_of(found) == _place_of(old)
            )
            if not replayed:
                if old.deleted_at is not None:
                    raise _forgotten(id)
                self._check_current(old, access)
                revision = revised(old, now=self._now, content=content)
                self._add(
                    msgspec.structs.replace(
                        revision,
                        id=new_id,
                        supersedes=id,
                        created_at=revision.updated_at,
                        observed_at=None,
                    )
                )
            # Also in a replay: the first time may have been interrupted here.
            if old.deleted_at is None and old.superseded_at is None:
                self._replace(msgspec.structs.replace(old, superseded_at=self._now))
        return WriteResult(id=new_id, outcome="superseded", other=id, cause=None, namespace=None)

    # --- looking inside ----------------------------------------------------------------------

    def diagnostics(self) -> DiagnosticsResult:
        """Bounded figures, without contents and paths.

        ``records`` counts memories that are not forgotten; the index's ``canonical`` counts
        tombstones, too. The last injected ids are those of the last ``context``.
        """
        self._check_open()
        records, malformed, index, failures = self._counted()
        return DiagnosticsResult(
            records=records,
            malformed=malformed,
            index=index,
            last_injected_ids=list(self._last_injected),
            last_trace=self._last_trace,
            failures={**self._files.failures, **failures},
        )

    # --- one memory --------------------------------------------------------------------------

    def _find(self, id: str) -> Record | None:
        """A memory by its id out of its file; a malformed one is none."""
        try:
            found = self._files.read(check_id(id))
        except Malformed:
            return None
        return None if found is None else found[0]

    def _own(self, id: str, access: Access) -> Record:
        """A memory that the caller may see, in whatever state."""
        record = self._find(id)
        if record is None or not in_scope(record, self._place(access), _EVERY_SCOPE):
            raise NotFound(f"there is no memory {id!r} in this place", {"id": id})
        return record

    def _alive(self, id: str, access: Access) -> Record:
        """A memory that the caller may see and that is not forgotten."""
        record = self._own(id, access)
        if record.deleted_at is not None:
            raise _forgotten(id)
        return record

    def _state(self, record: Record, access: Access) -> tuple[LifecycleState, str | None]:
        """A memory's state for this caller, and which memory replaces it, if any does.

        The one that replaces it may be replaced itself; an active one is preferred.
        """
        place, now = self._place(access), self._now
        state = state_of(record, now)
        if state == "deleted":
            return state, None
        successors = [
            successor
            for successor in self._successors(record.id)
            if successor.deleted_at is None and in_scope(successor, place, _EVERY_SCOPE)
        ]
        active = [s for s in successors if state_of(s, now) == "active"]
        if state == "active" and active:
            state = "superseded"
        return state, min((s.id for s in active or successors), default=None)

    def _check_current(self, record: Record, access: Access) -> None:
        """Refuse to build on a memory that is replaced."""
        state, successor = self._state(record, access)
        if record.superseded_at is not None or state == "superseded":
            change = f"change {successor!r}" if successor else "write a new one"
            raise Conflict(
                f"the memory {record.id!r} is superseded; {change} instead",
                {"id": record.id, "supersededBy": successor},
            )

    def _add(self, record: Record) -> None:
        self._stored(record, self._files.create(record))

    def _replace(self, record: Record) -> None:
        self._stored(record, self._files.replace(record))


def _made_id(of: object, number: int) -> str:
    digest = hashlib.sha256(canonical([of, number])).hexdigest()
    return f"mem-{digest[:_ID_DIGITS]}"


def _place_of(record: Record) -> tuple[str, str | None]:
    """What two memories of the same place have in common."""
    if record.scope == "user":
        return record.scope, None
    own = record.workspace if record.scope == "workspace" else record.project or record.workspace
    return record.scope, normalise_path(own or "")


def _forgotten(id: str) -> Conflict:
    return Conflict(f"the memory {id!r} is forgotten; write a new one", {"id": id})
