"""The ways in: another figure, another stage, another method.

::

    seed=figure(floor=0.398)                     # retrieval.Constants
    seed=stage(order_key=by_age)                 # a field of retrieval.Pipeline
    seed=store(HybridStore, never_compares)      # a subclass, made for a mark

``figure``, ``stage`` and ``layout`` go into the filesystem store: the index of the hybrid one does
the early stages in its own way, and steps aside where one of them is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, TypeVar

import msgspec

from memconform.faults.fault import Mark, Seed
from memconform.model import Access, RecallResult, Record
from memconform.protocol import System
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.reference.system import ReferenceSystem
from memconform.retrieval import FOUNDATION, Constants, Layout, Pipeline, Stage

Figures = TypeVar("Figures")
_STAGES = {field.name for field in fields(Pipeline)}


def changed(right: Figures, mark: Mark, **changes: Any) -> Figures:
    """A design's figures with some changed; reading a changed one sets the mark.

    Only those are properties, so that all others are read as fast as ever.

    Raises:
        AttributeError: there is no such figure.
    """

    def reader(value: Any) -> property:
        def read(constants: Figures) -> Any:
            mark()
            return value

        return property(read)

    for name in changes:
        getattr(right, name)
    base = type(right)
    kind = type(f"Changed{base.__name__}", (base,), {n: reader(v) for n, v in changes.items()})
    figures: Figures = object.__new__(kind)
    vars(figures).update(vars(right))
    return figures


def figures(mark: Mark, **changes: Any) -> Constants:
    """Foundation's figures with some changed, by their names in ``Constants``."""
    return changed(FOUNDATION, mark, **changes)


def figure(**changes: Any) -> Seed:
    """Seeds other figures, by their names in ``Constants``."""

    def seed(mark: Mark) -> System:
        return _system(FilesystemStore, Pipeline(constants=figures(mark, **changes)))

    return seed


def stage(**changes: Callable[..., Any]) -> Seed:
    """Seeds other stages, by their names in ``Pipeline``."""
    assert changes.keys() <= _STAGES, f"there is no such stage among {changes.keys()}"

    def seed(mark: Mark) -> System:
        noted: dict[str, Any] = {name: mark.on(function) for name, function in changes.items()}
        return _system(FilesystemStore, Pipeline(**noted))

    return seed


def layout(**changes: Callable[..., Any]) -> Seed:
    """Seeds another line or frame of the context block."""

    def seed(mark: Mark) -> System:
        noted: dict[str, Any] = {name: mark.on(function) for name, function in changes.items()}
        return _system(FilesystemStore, Pipeline(layout=Layout(**noted)))

    return seed


def store(make: Callable[[Mark], type[ReferenceStore]]) -> Seed:
    """Seeds a subclass of a store, which sets the mark where it differs."""

    def seed(mark: Mark) -> System:
        return _system(make(mark), Pipeline())

    return seed


@contextmanager
def swapped(store: ReferenceStore, **stages: Any) -> Iterator[None]:
    """Let a store do one call with other stages."""
    right = store._pipeline
    store._pipeline = replace(right, **stages)
    try:
        yield
    finally:
        store._pipeline = right


def everything(records: Iterable[Any], *_: Any) -> Stage[Any]:
    """A stage that drops nothing."""
    return Stage(tuple(records), ())


def late(name: str, keeps: Callable[[ReferenceStore, Record, Access, Any], bool]) -> Seed:
    """Seeds that a stage's work is done on the finished list of hits, after the limit.

    Args:
        name: of the stage.
        keeps: whether a record may be shown, given the store, the caller's place and the options.
    """

    def make(mark: Mark) -> type[ReferenceStore]:
        class Store(FilesystemStore):
            """Cuts to the limit first, and filters then."""

            def recall(
                self,
                query: str,
                access: Access = Access(),
                limit: int | None = None,
                **options: Any,
            ) -> RecallResult:
                mark()
                with swapped(self, **{name: everything}):
                    found = super().recall(query, access, limit, **options)
                records = {hit.id: self._find(hit.id) for hit in found.hits}
                place = self._place(access)
                return msgspec.structs.replace(
                    found,
                    hits=[
                        hit
                        for hit in found.hits
                        if (record := records[hit.id]) and keeps(self, record, place, options)
                    ],
                )

        return Store

    return store(make)


def _system(kind: type[ReferenceStore], pipeline: Pipeline) -> System:
    return ReferenceSystem("faulty", kind, pipeline)
