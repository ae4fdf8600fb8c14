"""The systems side by side: each in a process of its own, filled and asked over the wire.

The same messages, the same checks and the same client for all of them, so that what differs is
what the system does between a request and its answer.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from memconform.model import Hit, RecordDraft
from memconform.targets import Target, resolve
from memconform.targets.folder import FolderTarget
from memconform.targets.imported import ImportedTarget
from memconform.wire.client import Connection, RemoteStore

LIMIT = 8  # hits wanted; what the reference stores give unasked
BATCH = 500
# Long enough for whatever builds an index at the first question.
TIME_LIMIT_S = 1800.0


@dataclass(frozen=True)
class Filled:
    """A store with so many memories, ready to be asked.

    Attributes:
        seconds: that filling took.
    """

    target: str
    version: str
    records: int
    way: str
    seconds: float
    connection: Connection
    store: RemoteStore

    def ask(self, query: str) -> tuple[float, list[Hit]]:
        """How long an answer took, in milliseconds, and its hits."""
        started = time.perf_counter()
        answer = self.store.recall(query, limit=LIMIT)
        return (time.perf_counter() - started) * 1000, answer.hits


def filled(target: str, memories: Sequence[str], progress: Callable[[str], None]) -> Filled:
    """A new process of a target, with these memories in it.

    Raises:
        UsageError, WireError: it can't be reached.
        RuntimeError: it didn't take every memory.
    """
    (found,) = resolve(target, wire=True)
    patient = _patient(found)
    patient.prepare(progress)
    connection = patient.connect()
    hello = connection.hello()
    store = connection.open()
    progress(f"filling {target} with {len(memories):,} memories")
    batches = "batch" in hello.capabilities
    started = time.perf_counter()
    taken = sum(_written(store, part, batches=batches) for part in _parts(memories))
    seconds = time.perf_counter() - started
    if taken != len(memories):
        connection.close()
        raise RuntimeError(f"{target} took {taken:,} of {len(memories):,} memories")
    return Filled(
        target=target,
        version=hello.version,
        records=len(memories),
        way="write_batch" if batches else "write",
        seconds=seconds,
        connection=connection,
        store=store,
    )


def _patient(target: Target) -> Target:
    if isinstance(target, FolderTarget):
        manifest = structs.replace(target.manifest, time_limit_s=TIME_LIMIT_S)
        return dataclasses.replace(target, manifest=manifest)
    if isinstance(target, ImportedTarget):
        return dataclasses.replace(target, time_limit_s=TIME_LIMIT_S)
    return target


def _parts(memories: Sequence[str]) -> Iterator[tuple[RecordDraft, ...]]:
    for start in range(0, len(memories), BATCH):
        yield tuple(RecordDraft(content=text) for text in memories[start : start + BATCH])


def _written(store: RemoteStore, drafts: tuple[RecordDraft, ...], *, batches: bool) -> int:
    if batches:
        outcomes = store.call("write_batch", records=drafts).outcomes
    else:
        outcomes = [store.write(draft) for draft in drafts]
    return sum(outcome.outcome == "created" for outcome in outcomes)
