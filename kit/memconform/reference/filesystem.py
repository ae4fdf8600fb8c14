"""The plain reference store: every question is answered out of the files, by the pure pipeline.

::

    from memconform.reference.filesystem import FilesystemStore
    store = FilesystemStore("notes", workspace="/home/me/garden")
    store.write(RecordDraft(content="The hose is in the shed."))
    store.recall("Where is the hose?").hits

What the files hold is read once and kept; each call looks at the stamps of all files and reads
those that have changed, so that another process's change is seen at once.
"""

from __future__ import annotations

from memconform.model import Access, IndexDiagnostics, Record
from memconform.protocol import System
from memconform.reference.feedback import RemembersShown
from memconform.reference.store import ReferenceStore
from memconform.reference.system import ReferenceSystem
from memconform.retrieval import Pipeline, Retrieval, RetrievalRequest


class FilesystemStore(RemembersShown, ReferenceStore):
    """Memories in files, without an index. See ReferenceStore for the arguments."""

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        self._cache.refresh()
        return self._pipeline.retrieve(
            self._cache.records.values(),
            request,
            policy=self._policy,
            now=self._now,
            mode="filesystem",
            token_set=self._cache.tokens,
            hopeless=False,
        )

    def _listed(self, access: Access) -> list[Record]:
        self._cache.refresh()
        eligible = self._pipeline.eligible(
            self._cache.records.values(), access, policy=self._policy, now=self._now
        )
        return list(eligible.lifecycle.kept)

    def _successors(self, id: str) -> list[Record]:
        self._cache.refresh()
        return self._cache.successors(id)

    def _counted(self) -> tuple[int, int, IndexDiagnostics, dict[str, int]]:
        self._cache.refresh()
        known = self._cache.records.values()
        index = IndexDiagnostics(
            state="disabled",
            schema=0,
            reason=None,
            canonical=len(known),
            indexed=0,
            stale=0,
            progress=None,
        )
        kept = sum(record.deleted_at is None for record in known)
        return kept, self._cache.malformed, index, {}


def factory(pipeline: Pipeline = Pipeline()) -> System:
    """The target ``reference:filesystem``."""
    return ReferenceSystem("memconform reference: filesystem", FilesystemStore, pipeline)
