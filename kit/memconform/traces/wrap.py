"""Wrappers that log what stores retrieve, without a change in any store.

::

    from memconform.traces import logged
    Notes = logged(FilesystemStore, "traces.jsonl")      # a kind of reference store
    store = Notes("notes", workspace="/home/me/garden")

    store = logged(my_store, "traces.jsonl")             # any open store
    memconform.serve(logged(my_system, "traces.jsonl"))  # any system

Every target that runs in Python and every adapter that is served is wrapped when the environment
variable MEMCONFORM_TRACE_LOG names a file; with MEMCONFORM_TRACE_TEXT set to 1, too, the lines hold
queries and contents.

Of a reference store a line has all candidates with their features. Of another store it has what
its answer says: the trace where it declares the capability, else the hits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, overload

import msgspec

from memconform.model import (
    Access,
    Done,
    GetResult,
    RecallResult,
    RecordDraft,
    RelevanceMode,
    Settings,
    WriteResult,
    from_plain,
    to_plain,
)
from memconform.protocol import Hello, MemoryStore, System
from memconform.reference.store import ReferenceStore
from memconform.reference.system import ReferenceSystem
from memconform.retrieval import Constants, Gate, Pipeline, Retrieval, RetrievalRequest
from memconform.retrieval.times import format_time
from memconform.traces.lines import LastTrace, line_of_answer, line_of_retrieval, line_of_trace
from memconform.traces.log import TraceLog

LOG_VARIABLE = "MEMCONFORM_TRACE_LOG"
TEXT_VARIABLE = "MEMCONFORM_TRACE_TEXT"
Clock = Callable[[], datetime]


def now() -> datetime:
    """The time of the computer."""
    return datetime.now(UTC)


@overload
def logged(what: type[ReferenceStore], log: TraceLog | Path | str) -> type[ReferenceStore]: ...
@overload
def logged(
    what: MemoryStore, log: TraceLog | Path | str, *, name: str | None = None, clock: Clock = now
) -> LoggedStore: ...
@overload
def logged(what: System, log: TraceLog | Path | str, *, clock: Clock = now) -> System: ...
def logged(
    what: MemoryStore | System | type[ReferenceStore],
    log: TraceLog | Path | str,
    *,
    name: str | None = None,
    clock: Clock = now,
) -> LoggedStore | System | type[ReferenceStore]:
    """The same thing, and every retrieval by it is appended to a trace log.

    Args:
        what: a system, an open store, or a kind of reference store.
        log: the log, or its file.
        name: what the log calls the store; a system has its own name.
        clock: tells the time of an answer that says none itself.

    Raises:
        TraceError: the file can't be opened.
    """
    log = log if isinstance(log, TraceLog) else TraceLog(log)
    if isinstance(what, type):
        return _kind(what, log, name or what.__name__)
    if isinstance(what, ReferenceSystem):
        called = what.hello().name
        return what.with_store(lambda store: _kind(store, log, called))
    if isinstance(what, System):
        return _LoggedSystem(what, log, clock)
    return LoggedStore(what, log, name or type(what).__name__, traces=False, clock=clock)


def from_environment(system: System, environment: Mapping[str, str] = os.environ) -> System:
    """The system, logged if the environment says so."""
    path = environment.get(LOG_VARIABLE)
    if not path:
        return system
    return logged(system, TraceLog(path, with_text=environment.get(TEXT_VARIABLE) == "1"))


# --- reference stores --------------------------------------------------------------------------


class _EveryCandidate(Gate):
    """The same gate; an index hands over also what can't pass it."""

    def minimum_overlap(self, tokens: int) -> int:
        return 1


@dataclass(frozen=True)
class _OpenGate:
    gate_for: Callable[[str, RelevanceMode, Constants], Gate]

    def __call__(self, query: str, mode: RelevanceMode, constants: Constants) -> Gate:
        return _EveryCandidate(self.gate_for(query, mode, constants).floor)


class _Logging(ReferenceStore):
    """Stands before a kind of reference store and logs each answer of its pipeline."""

    log: ClassVar[TraceLog]
    called: ClassVar[str]

    def __init__(
        self,
        root: Path | str,
        settings: Settings = Settings(),
        *,
        pipeline: Pipeline = Pipeline(),
        **rest: Any,
    ) -> None:
        if not isinstance(pipeline.gate_for, _OpenGate):
            pipeline = replace(pipeline, gate_for=_OpenGate(pipeline.gate_for))
        super().__init__(root, settings, pipeline=pipeline, **rest)

    def _ask(self, request: RetrievalRequest) -> Retrieval:
        started = time.perf_counter()
        retrieval = super()._ask(request)
        took = (time.perf_counter() - started) * 1000
        try:
            line = line_of_retrieval(
                retrieval,
                request,
                store=self.called,
                latency_ms=took,
                with_text=self.log.with_text,
            )
        except Exception as error:
            self.log.lost(error)  # a log must never change an answer
        else:
            self.log.write(line)
        return retrieval


def _kind(kind: type[ReferenceStore], log: TraceLog, name: str) -> type[ReferenceStore]:
    """The same kind of store, logging; so are its second connections and its successors."""
    return type(kind.__name__, (_Logging, kind), {"log": log, "called": name})


# --- any other store ---------------------------------------------------------------------------


class _LoggedSystem:
    def __init__(self, system: System, log: TraceLog, clock: Clock) -> None:
        self._system = system
        self._log = log
        self._clock = clock

    def hello(self) -> Hello:
        return self._system.hello()

    def open(self, settings: Settings) -> MemoryStore:
        hello = self._system.hello()
        return LoggedStore(
            self._system.open(settings),
            self._log,
            hello.name,
            traces="trace" in hello.capabilities,
            clock=self._clock,
        )


class LoggedStore:
    """An open store whose recalls are logged; everything else goes straight through.

    Args:
        store: the store.
        log: where the lines go.
        name: what they call it.
        traces: whether it takes ``trace`` at recall; the answer has it only when asked for.
        clock: tells the time of an answer without a trace.
    """

    def __init__(
        self, store: MemoryStore, log: TraceLog, name: str, *, traces: bool, clock: Clock = now
    ) -> None:
        self._store = store
        self._log = log
        self._name = name
        self._traces = traces
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if name not in ("second", "reopen"):
            return found

        def again(*args: Any, **options: Any) -> LoggedStore:
            another = found(*args, **options)
            return LoggedStore(
                another, self._log, self._name, traces=self._traces, clock=self._clock
            )

        return again

    def close(self) -> None:
        """As the store does."""
        self._store.close()

    def write(self, record: RecordDraft) -> WriteResult:
        """As the store does."""
        return self._store.write(record)

    def forget(self, id: str, access: Access = Access()) -> Done:
        """As the store does."""
        return self._store.forget(id, access)

    def get(self, id: str, access: Access = Access()) -> GetResult:
        """As the store does."""
        return self._store.get(id, access)

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        """As the store does; the answer is the same, and logged."""
        asked = {**options, "trace": True} if self._traces else options
        started = time.perf_counter()
        answer = self._store.recall(query, access, limit, **asked)
        took = (time.perf_counter() - started) * 1000
        try:
            # An adapter may answer plain values; for the log they are made what they mean.
            read = from_plain(to_plain(answer), RecallResult)
            self._write(read, query, limit, took, options.get("mode"))
        except Exception as error:
            self._log.lost(error)  # a log must never change an answer
            read = None
        if not self._traces or options.get("trace"):
            return answer
        return answer if read is None else msgspec.structs.replace(read, trace=None)

    def _write(
        self, answer: RecallResult, query: str, limit: int | None, took: float, mode: str | None
    ) -> None:
        if answer.trace is None:
            line = line_of_answer(
                answer,
                query,
                store=self._name,
                timestamp=format_time(self._clock()),
                limit=limit,
                latency_ms=took,
                with_text=self._log.with_text,
            )
        else:
            trace = msgspec.convert(
                {
                    **to_plain(answer.trace),
                    "query": query,
                    "store": self._name,
                    "gate": mode or "foundation-v1",
                    "latencyMs": took,
                },
                LastTrace,
            )
            contents = {hit.id: hit.content for hit in answer.hits if hit.content is not None}
            line = line_of_trace(trace, own_id="", contents=contents, with_text=self._log.with_text)
        self._log.write(line)
