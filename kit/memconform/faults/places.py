"""Faults of scope: whose memories a caller sees, and may act on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, core, foundation, ids
from memconform.faults.seams import everything, late, stage, store, swapped
from memconform.model import (
    Access,
    BatchResult,
    ContextResult,
    Done,
    GetResult,
    ListResult,
    Policy,
    RecallResult,
    Record,
    RecordDraft,
    WriteResult,
)
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.reference.system import DEFAULT_WORKSPACE
from memconform.retrieval import Stage
from memconform.retrieval.scope import in_scope, normalise_path
from memconform.retrieval.stage import sift

ONCE = ids("retrieval-feedback", "a-correction-happens-once")
WALL = core("scope-is-a-wall")
SCOPE = foundation("scope-comes-before-everything")


def _seeing(test: Callable[[Record, Access, Policy], bool]) -> Seed:
    """Seeds another test of what a caller sees; what it may act on by id stays as it is."""

    def scope(records: Iterable[Record], access: Access, policy: Policy) -> Stage[Record]:
        return sift(records, lambda r: None if test(r, access, policy) else "out-of-scope")

    return stage(scope=scope)


def _comparing(spell: Callable[[str], str]) -> Seed:
    """Seeds another comparison of paths."""

    def spelled(path: str | None) -> str | None:
        return None if path is None else spell(path)

    def test(record: Record, access: Access, policy: Policy) -> bool:
        return in_scope(
            msgspec.structs.replace(
                record, workspace=spelled(record.workspace), project=spelled(record.project)
            ),
            msgspec.structs.replace(
                access, workspace=spelled(access.workspace), project=spelled(access.project)
            ),
            policy,
        )

    return _seeing(test)


def _as_typed(path: str) -> str:
    # A root of its own, so that what is compared is the text and nothing of it is normalised.
    return "/" + path.replace("/", "|").replace(".", "·")


def _first_folders(path: str) -> str:
    return "/".join(normalise_path(path).split("/")[:3])


def _inside(record: Record, access: Access, policy: Policy) -> bool:
    """A folder sees what belongs to the folders above it."""
    if record.scope != "workspace" or not access.workspace or not record.workspace:
        return in_scope(record, access, policy)
    return normalise_path(access.workspace).startswith(normalise_path(record.workspace))


def _projects_by_workspace(record: Record, access: Access, policy: Policy) -> bool:
    if record.scope != "project":
        return in_scope(record, access, policy)
    return in_scope(
        msgspec.structs.replace(record, project=None),
        msgspec.structs.replace(access, project=None),
        policy,
    )


def _project_alone(record: Record, access: Access, policy: Policy) -> bool:
    """A caller with a project needs no workspace."""
    if record.scope == "project" and access.project and not access.workspace:
        access = msgspec.structs.replace(access, workspace=access.project)
    return in_scope(record, access, policy)


def _any_policy(record: Record, access: Access, policy: Policy) -> bool:
    return in_scope(record, access, Policy())


def _visible(record: Record, access: Access, policy: Policy) -> bool:
    return in_scope(msgspec.structs.replace(record, agent_visible=True), access, policy)


def _users_at_home(record: Record, access: Access, policy: Policy) -> bool:
    """A user record is seen only where it was written."""
    if record.scope != "user" or not record.workspace:
        return in_scope(record, access, policy) and record.scope != "user"
    return in_scope(record, access, policy)


def _not_counted(records: Iterable[Record], access: Access, policy: Policy) -> Stage[Record]:
    kept = tuple(record for record in records if in_scope(record, access, policy))
    return Stage(kept, ())


def _no_place_is_every_place(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A caller without a place sees the memories of all."""

        def _place(self, access: Access) -> Access:
            if access.workspace is None and access.project is None:
                mark()
            return super()._place(access)

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
        ) -> RecallResult:
            if access.workspace is not None or access.project is not None:
                return super().recall(query, access, limit, **options)
            mark()
            self._cache.refresh()
            places = {r.workspace for r in self._cache.records.values() if r.workspace}
            answers = [
                super(Store, self).recall(query, Access(workspace=place), limit, **options)
                for place in sorted(places)
            ] or [super().recall(query, access, limit, **options)]
            hits = {hit.id: hit for answer in answers for hit in answer.hits}
            return msgspec.structs.replace(answers[0], hits=list(hits.values())[:limit])

    return Store


def _default_place_is_shared(record: Record, access: Access, policy: Policy) -> bool:
    if record.scope == "workspace" and record.workspace == DEFAULT_WORKSPACE:
        return True
    return in_scope(record, access, policy)


def _no_wall_in_the_list(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Its list knows no places."""

        def list_records(self, access: Access = Access()) -> ListResult:
            mark()
            with swapped(self, scope=everything):
                return super().list_records(access)

    return Store


def _no_wall_in_the_context(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Its context knows no places."""

        def context(
            self, query: str, access: Access = Access(), budget: int | None = None
        ) -> ContextResult:
            mark()
            with swapped(self, scope=everything):
                return super().context(query, access, budget)

    return Store


def _no_wall_by_id(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Whoever knows an id may read it."""

        def get(self, id: str, access: Access = Access()) -> GetResult:
            mark()
            record = self._find(id)
            return super().get(id, access if record is None else _own_place(record))

    return Store


def _own_place(record: Record) -> Access:
    return Access(workspace=record.workspace or record.project, project=record.project)


def _acts_anywhere(*operations: str) -> Seed:
    """Seeds that some operations find a memory by its id wherever it is."""

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Its ids reach into other places."""

            _anywhere = False

            def _own(self, id: str, access: Access) -> Record:
                record = self._find(id)
                if self._anywhere and record is not None:
                    mark()
                    return record
                return super()._own(id, access)

            def forget(self, id: str, access: Access = Access()) -> Done:
                self._anywhere = "forget" in operations
                try:
                    return super().forget(id, access)
                finally:
                    self._anywhere = False

            def correct(
                self, id: str, content: str, access: Access = Access(), key: str | None = None
            ) -> WriteResult:
                self._anywhere = "correct" in operations
                try:
                    return super().correct(id, content, access, key)
                finally:
                    self._anywhere = False

        return Store

    return store(make)


def _correction_at_home(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A correction is written into the default place."""

        def _add(self, record: Record) -> None:
            if record.supersedes is not None and record.scope != "user":
                mark()
                record = msgspec.structs.replace(
                    record, scope="workspace", workspace=self._workspace, project=None
                )
            super()._add(record)

    return Store


def _batch_at_home(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A batch is written into the place of its first memory."""

        def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
            mark()
            first = records[0] if records else None
            return super().write_batch(
                tuple(
                    msgspec.structs.replace(
                        draft,
                        workspace=first.workspace if first else None,
                        project=first.project if first else None,
                    )
                    for draft in records
                )
            )

    return Store


def _same_text_is_one(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A text that is stored anywhere isn't stored again."""

        def _create(self, draft: RecordDraft) -> Record:
            self._cache.refresh()
            for record in self._cache.records.values():
                if record.deleted_at is None and record.content == draft.content:
                    mark()
                    return record
            return super()._create(draft)

    return Store


def _shown(store: ReferenceStore, record: Record, access: Access, options: Any) -> bool:
    return in_scope(record, access, Policy())


def _fault(name: str, change: str, suffers: str, seed: Seed, breaks: Any, *killed_by: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=killed_by,
        base="filesystem",
        seed=seed,
    )


FAULTS: tuple[Fault, ...] = (
    _fault(
        "paths-compared-as-texts",
        "Paths are compared as they were typed.",
        "A trailing slash makes a folder another place, and its memories are gone.",
        _comparing(_as_typed),
        (*SCOPE, *WALL),
        *foundation(
            "a-path-in-another-spelling-is-the-same-workspace",
            "every-spelling-of-a-path-is-the-same-place",
        ),
        *core("another-spelling-of-a-path-is-the-same-workspace"),
    ),
    _fault(
        "only-the-first-folders-of-a-path",
        "Two paths are the same place where their first two folders are.",
        "Every client below one folder shares one memory.",
        _comparing(_first_folders),
        (*SCOPE, *WALL),
        *foundation("a-path-that-only-resembles-it-is-another-place"),
        *core("a-neighbouring-workspace-stays-out"),
    ),
    _fault(
        "a-path-that-begins-alike-is-inside",
        "A workspace sees the memories of every path that its own begins with.",
        "/w/red2 reads the memories of /w/red.",
        _seeing(_inside),
        (*SCOPE, *WALL),
        *foundation("a-path-that-only-resembles-it-is-another-place"),
        *core("a-similar-path-is-another-workspace"),
    ),
    _fault(
        "projects-by-their-workspace",
        "Project records are told apart by their workspace, not by their project.",
        "Two projects in one workspace read each other's memories.",
        _seeing(_projects_by_workspace),
        (*SCOPE, *WALL),
        *foundation("a-project-record-is-out-of-scope-for-any-other-path"),
        *core("a-neighbouring-project-stays-out"),
    ),
    _fault(
        "a-project-needs-no-workspace",
        "A caller who names a project and no workspace sees that project.",
        "A caller that nobody has placed reads what belongs to a place.",
        _seeing(_project_alone),
        SCOPE,
        *foundation("a-project-without-a-workspace-opens-nothing"),
    ),
    _fault(
        "the-policy-hides-no-scope",
        "The scopes that the policy allows make no difference.",
        "An administrator forbids user memories, and they are injected all the same.",
        _seeing(_any_policy),
        SCOPE,
        *foundation(
            "a-policy-without-user-scope-hides-user-records",
            "a-policy-hides-each-scope-that-it-doesn-t-allow",
            "a-policy-acts-at-the-next-retrieval",
        ),
    ),
    _fault(
        "agents-see-what-is-hidden-from-them",
        "User records that agents may not see are seen.",
        "What the user kept from agents is in their prompts.",
        _seeing(_visible),
        SCOPE,
        *foundation("a-record-hidden-from-agents-is-out-of-scope"),
    ),
    _fault(
        "user-records-have-a-place",
        "A user record is seen only where it was written.",
        "The agent forgets who the user is when another folder is opened.",
        _seeing(_users_at_home),
        SCOPE,
        *foundation(
            "a-user-record-is-found-in-every-workspace", "a-record-visible-to-agents-is-found"
        ),
    ),
    _fault(
        "foreign-records-are-not-counted",
        "The trace counts no record as out of scope.",
        "Whoever looks for a missing memory isn't told that it belongs to another place.",
        stage(scope=_not_counted),
        SCOPE,
        *foundation("another-workspace-is-only-counted", "every-foreign-record-is-counted"),
    ),
    _fault(
        "no-place-is-every-place",
        "A recall without a place is answered out of all places.",
        "A forgotten argument shows the memories of every client.",
        store(_no_place_is_every_place),
        (*SCOPE, *WALL),
        *core(
            "a-question-without-a-workspace-stays-in-the-default-one",
        ),
        *foundation("a-memory-of-a-workspace-is-not-in-the-default-place"),
    ),
    _fault(
        "the-default-place-is-everywhere",
        "What was written without a place is seen from every place.",
        "A note that was meant for here turns up everywhere.",
        _seeing(_default_place_is_shared),
        (*SCOPE, *WALL),
        *foundation("a-memory-of-the-default-place-is-not-global"),
        *core("a-memory-without-a-workspace-stays-in-the-default-one"),
    ),
    _fault(
        "the-list-knows-no-places",
        "Listing shows the memories of every place.",
        "The page that shows all memories shows the neighbour's, too.",
        store(_no_wall_in_the_list),
        (*SCOPE, *WALL),
        *foundation("the-list-stays-within-the-scope"),
        *core("no-surface-shows-a-neighbouring-workspace"),
    ),
    _fault(
        "the-context-knows-no-places",
        "The context is assembled out of every place.",
        "The search is clean, and the prompt quotes the neighbour.",
        store(_no_wall_in_the_context),
        (*SCOPE, *WALL),
        *foundation("the-context-stays-within-the-scope"),
        *core("no-surface-shows-a-neighbouring-workspace"),
    ),
    _fault(
        "ids-know-no-places",
        "Whoever knows the id of a memory may read it.",
        "An id in a log opens another client's memory.",
        store(_no_wall_by_id),
        WALL,
        *core("no-surface-shows-a-neighbouring-workspace"),
    ),
    _fault(
        "scope-after-the-limit",
        "Memories of other places are taken out of the finished list.",
        "A busy neighbour empties the answer: it looks like amnesia.",
        late("scope", _shown),
        SCOPE,
        *foundation("foreign-records-take-no-place-in-the-limit"),
    ),
    _fault(
        "forgets-across-places",
        "A memory is forgotten by its id from any place.",
        "One client deletes what another relies on.",
        _acts_anywhere("forget"),
        WALL,
        *core("a-neighbouring-workspace-forgets-nothing", "a-neighbouring-project-forgets-nothing"),
    ),
    _fault(
        "corrects-across-places",
        "A memory is corrected by its id from any place.",
        "One client rewrites what another relies on.",
        _acts_anywhere("correct"),
        (*WALL, *ONCE),
        *core("a-neighbouring-workspace-corrects-nothing"),
        *ids("retrieval-feedback", "a-correction-from-another-place-is-refused"),
    ),
    _fault(
        "a-correction-goes-home",
        "A correction is written into the default place instead of that of the old text.",
        "The corrected fact vanishes from where it is needed.",
        store(_correction_at_home),
        (*WALL, *ONCE),
        *core("a-correction-stays-in-its-workspace", "a-correction-stays-in-its-project"),
        *ids("retrieval-feedback", "a-correction-stays-in-the-place-of-the-old-memory"),
    ),
    _fault(
        "a-batch-has-one-place",
        "All memories of a batch are written into the place of the first.",
        "An import of several projects puts everything into one.",
        store(_batch_at_home),
        WALL,
        *core("a-batch-keeps-each-memory-in-its-workspace"),
    ),
    _fault(
        "one-text-is-one-memory-everywhere",
        "A text that is stored in any place isn't stored again.",
        "The second client's memory is the first one's, and can't be found by the second.",
        store(_same_text_is_one),
        WALL,
        *core("the-same-text-in-two-projects-is-two-memories"),
    ),
)
