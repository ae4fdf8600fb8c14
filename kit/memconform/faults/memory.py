"""Faults of a store that keeps answers or leaves its indexes behind."""

from __future__ import annotations

from typing import Any

from memconform.faults.fault import Fault, Mark, core
from memconform.faults.seams import store
from memconform.model import Access, Done, RecallResult, Record
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore

GONE = core("forgotten-is-gone-at-once-and-everywhere")


def _kept_answers(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Keeps the answer to each question, and drops them all when something is written."""

        def _begin(self) -> None:
            self._answers: dict[tuple[Any, ...], RecallResult] = {}

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
        ) -> RecallResult:
            key = (query, str(access), limit, str(options))
            if key in self._answers:
                mark()
            else:
                self._answers[key] = super().recall(query, access, limit, **options)
            return self._answers[key]

        def _stored(self, record: Record, stamp: Any) -> None:
            if record.deleted_at is None:
                self._answers.clear()

    return Store


def _list_of_forgotten(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Lists what was there when it was first listed or asked."""

        def _begin(self) -> None:
            self._forgotten: list[Record] = []

        def forget(self, id: str, access: Access = Access()) -> Done:
            mark()
            self._forgotten.append(self._own(id, access))
            return super().forget(id, access)

        def _listed(self, access: Access) -> list[Record]:
            shown = super()._listed(access)
            scope = self._pipeline.scope(self._forgotten, access, self._policy)
            return [*shown, *scope.kept]

    return Store


FAULTS = (
    Fault(
        name="forget-leaves-the-query-cache",
        change="Answers are kept until something is written; forgetting doesn't count as that.",
        suffers="A forgotten memory is still answered to whoever asks the same question again.",
        breaks=GONE,
        killed_by=core("the-question-that-found-a-memory-finds-it-no-more"),
        base="filesystem",
        seed=store(_kept_answers),
    ),
    Fault(
        name="forget-leaves-the-list",
        change="What is forgotten stays in the list, as it was.",
        suffers="A text that its owner had forgotten is still there for whoever lists everything.",
        breaks=GONE,
        killed_by=core("a-forgotten-memory-shows-on-no-surface"),
        base="filesystem",
        seed=store(_list_of_forgotten),
    ),
)
