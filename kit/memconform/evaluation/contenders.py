"""What can be asked a dataset's queries: a store, foundation itself, and what it replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import msgspec

from memconform.evaluation.dataset import Dataset, DatasetRecord, Query
from memconform.model import (
    Record,
    RelevanceMode,
    Response,
    Settings,
    Trace,
    WriteResult,
)
from memconform.protocol import Capability, Hello, Invalid, StoreError
from memconform.retrieval import Pipeline, Retrieval, RetrievalRequest
from memconform.retrieval.times import milliseconds
from memconform.wire.client import Connection
from memconform.wire.errors import WireError

UNKNOWN = "unknown:"  # before the id of a selection that is no record of the dataset


# What the records and queries of a dataset may call for.
CALLED_FOR: tuple[Capability, ...] = (
    "workspaces",
    "projects",
    "purpose",
    "clock",
    "validity",
    "disable",
    "supersede",
    "mode",
    "trace",
)


class EvaluationError(Exception):
    """The evaluation can't be carried out; the message is a sentence that says why."""


class QueryFailed(EvaluationError):
    """One query came to no answer; the others can still be asked.

    Attributes:
        code: of the store's refusal, or the kind of fault: crash, timeout, bad-message.
        cause: what was said or seen.
    """

    def __init__(self, message: str, *, code: str, cause: str) -> None:
        super().__init__(message)
        self.code = code
        self.cause = cause


@dataclass(frozen=True)
class Answer:
    """What came back for one query.

    Attributes:
        selected: ids of the dataset in the order in which they came.
        characters: code points of their contents as they came.
        trace: where there is one.
        scores: one a selection, None where the store gives it none.
    """

    selected: tuple[str, ...]
    characters: int
    trace: Trace | None
    scores: tuple[float | None, ...] = ()


class LeftOut(Response, frozen=True, kw_only=True):
    """A record that could not be put into a store, or not into its state there, and why."""

    id: str
    cause: str


class Contender(Protocol):
    """Something that has a dataset's records and answers its queries."""

    @property
    def left_out(self) -> list[LeftOut]:
        """Records that it does not have."""
        ...

    @property
    def undeclared(self) -> list[Capability]:
        """What a dataset may call for and it does not declare."""
        ...

    def answer(self, query: Query, k: int) -> Answer:
        """The best k for a query.

        Raises:
            QueryFailed: it came to no answer.
            EvaluationError: nothing more can be asked.
        """
        ...


class PipelineContender:
    """Foundation as pure functions, over records in memory.

    Args:
        dataset: the records and the evaluation time.
        gate: which relevance gate.
        pipeline: how a question is answered; its constants also make the records.
    """

    def __init__(
        self,
        dataset: Dataset,
        gate: RelevanceMode = "foundation-v1",
        *,
        pipeline: Pipeline = Pipeline(),
    ) -> None:
        self.left_out: list[LeftOut] = []
        self.undeclared: list[Capability] = []
        self._gate = gate
        self._pipeline = pipeline
        self._now = dataset.now
        self._records = list(self._stored(dataset.records))
        self._tokens = {record.id: pipeline.token_set(record) for record in self._records}

    def _stored(self, records: Iterable[DatasetRecord]) -> Iterable[Record]:
        for record in records:
            try:
                yield record.record(now=self._now, constants=self._pipeline.constants)
            except Invalid as refusal:
                self.left_out.append(LeftOut(id=record.id, cause=str(refusal)))

    def answer(self, query: Query, k: int) -> Answer:
        """The best k for a query."""
        retrieval = self._retrieved(query, query.query, k)
        characters = sum(len(chosen.content) for chosen in retrieval.selected)
        scores = tuple(chosen.ranked.score for chosen in retrieval.selected)
        return Answer(retrieval.selected_ids, characters, retrieval.trace, scores)

    def _retrieved(self, query: Query, text: str, k: int) -> Retrieval:
        return self._pipeline.retrieve(
            self._records,
            self._request(query, text, k),
            now=self._now,
            token_set=lambda record: self._tokens[record.id],
        )

    def _request(self, query: Query, text: str, k: int) -> RetrievalRequest:
        return RetrievalRequest(query=text, access=query.access, limit=k, relevance_mode=self._gate)


class LegacyContender:
    """The behaviour that foundation replaced, as far as scope and state are concerned at its best.

    Every active user record comes first, whatever is asked; then the others in scope by how many
    words of the query, split at white space, are somewhere in their content. It knows no
    directives. Among equals the latest update comes first, then the id decides.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.left_out: list[LeftOut] = []
        self.undeclared: list[Capability] = []
        self._dataset = dataset

    def answer(self, query: Query, k: int) -> Answer:
        """The first k of what it would have put into the prompt."""
        standing = self._dataset.standing(query)
        visible = [r for r in self._dataset.stored if standing[r.id] in ("eligible", "directive")]
        words = query.query.lower().split()

        def score(record: Record) -> int:
            content = record.content.lower()
            return sum(word in content for word in words)

        def newest(record: Record) -> tuple[int, str]:
            return (-(milliseconds(record.updated_at) or 0), record.id)

        users = sorted((r for r in visible if r.scope == "user"), key=newest)
        others = [r for r in visible if r.scope != "user" and score(r)]
        others.sort(key=lambda record: (-score(record), newest(record)))
        chosen = [*users, *others][:k]
        return Answer(tuple(r.id for r in chosen), sum(len(r.content) for r in chosen), None)


class StoreContender:
    """A store behind a connection, filled with the records of a dataset.

    A record whose state the store can't be brought into, such as disabled where nothing can be
    disabled, is left out: what is not there can't be measured.

    Args:
        connection: to the implementation; it stays the caller's to close.
        dataset: the records and the evaluation time.
        gate: which relevance gate.

    Raises:
        EvaluationError: the store can't be asked for this gate, or refuses what it must do.
        WireError: the conversation broke.
    """

    def __init__(self, connection: Connection, dataset: Dataset, gate: RelevanceMode) -> None:
        self.hello: Hello = connection.hello()
        self.left_out: list[LeftOut] = []
        self.undeclared = [each for each in CALLED_FOR if not self._has(each)]
        self._connection = connection
        self._dataset = dataset
        self._gate = gate
        if gate != "foundation-v1" and not self._has("mode"):
            raise EvaluationError(
                f"{self.hello.name} can't be asked for the gate {gate}: "
                "it does not declare the capability mode."
            )
        self._begin()

    def _begin(self) -> None:
        """Open an empty store and fill it."""
        dataset = self._dataset
        self.left_out.clear()
        self._own_ids: dict[str, str] = {}  # of the dataset -> of the store
        self._known: dict[str, str] = {}  # the other way round
        settings = Settings(clock=dataset.now if self._has("clock") else None, evaluation=True)
        try:
            self._store = self._connection.open(settings)
            self._fill(dataset)
        except StoreError as error:
            raise EvaluationError(
                f"{self.hello.name} could not be filled with the dataset: {error.code}, "
                f"{error.message}"
            ) from error

    def answer(self, query: Query, k: int) -> Answer:
        """What the store recalls; all of it, should it be more than k.

        A store whose process died of an earlier query is started and filled anew.

        Raises:
            QueryFailed: it refuses this query, or breaks over it.
            WireError: it can't be started anew.
        """
        if not self._connection.alive:
            self._connection.restart()
            self._begin()
        options: dict[str, object] = {}
        if self._has("mode"):
            options["mode"] = self._gate
        if self._has("trace"):
            options["trace"] = True
        try:
            result = self._store.recall(query.query, query.access, k, **options)
        except StoreError as error:
            raise QueryFailed(
                f"{self.hello.name} refused the query {query.id}: {error.code}, {error.message}",
                code=error.code,
                cause=error.message,
            ) from error
        except WireError as error:
            if error.blame == "harness":
                raise
            raise QueryFailed(
                f"{self.hello.name} broke over the query {query.id}: {error.cause}",
                code=error.kind,
                cause=error.cause,
            ) from error
        return Answer(
            tuple(self._known.get(hit.id, UNKNOWN + hit.id) for hit in result.hits),
            sum(len(hit.content or "") for hit in result.hits),
            result.trace,
            tuple(hit.score for hit in result.hits),
        )

    def close(self) -> None:
        """Close the store; one whose process is gone is closed.

        Raises:
            EvaluationError: it refuses.
        """
        try:
            self._store.close()
        except StoreError as error:
            raise EvaluationError(
                f"{self.hello.name} could not be closed: {error.code}, {error.message}"
            ) from error

    def _has(self, capability: Capability) -> bool:
        return capability in self.hello.capabilities

    def _fill(self, dataset: Dataset) -> None:
        timeless = not (self._has("validity") and self._has("clock"))
        inactive = _out_of_time(dataset) if timeless else frozenset()
        for record in dataset.records:
            if record.disabled_at is not None and not self._has("disable"):
                self._leave_out(record, "the store can't disable a record")
            elif record.id in inactive:
                self._leave_out(record, "the store can't be told the time or the validity")
            else:
                self._write(record)
        for record in dataset.records:
            if record.id in self._own_ids:
                try:
                    self._bring_into_state(record, dataset.successors)
                except StoreError as refusal:
                    # In another state than it is judged by, it must not stay.
                    self._store.forget(self._own_ids[record.id], record.access)
                    self._leave_out(record, f"its state is refused: {refusal.message}")
        if self._has("eventual"):
            self._store.call("barrier")

    def _write(self, record: DatasetRecord) -> None:
        draft = record.draft()
        if record.supersedes is not None:
            # The store's own id of the old record; none where that was left out.
            old = self._own_ids.get(record.supersedes)
            draft = msgspec.structs.replace(draft, supersedes=old)
        try:
            result = self._store.write(draft)
        except Invalid as refusal:
            self._leave_out(record, f"refused as invalid: {refusal.message}")
            return
        cause = _not_stored(result, self._known)
        if cause is not None or result.id is None:
            self._leave_out(record, cause or "the store gave no id")
            return
        self._own_ids[record.id] = result.id
        self._known[result.id] = record.id

    def _bring_into_state(self, record: DatasetRecord, successors: Mapping[str, str]) -> None:
        id = self._own_ids[record.id]
        by = self._own_ids.get(successors.get(record.id, ""))
        if by is not None and self._has("supersede"):
            self._store.call("supersede", id=id, by=by, access=record.access)
        if record.disabled_at is not None:
            self._store.call("disable", id=id, access=record.access)
        if record.deleted_at is not None:
            self._store.forget(id, record.access)

    def _leave_out(self, record: DatasetRecord, cause: str) -> None:
        self.left_out.append(LeftOut(id=record.id, cause=cause))


def _out_of_time(dataset: Dataset) -> frozenset[str]:
    """Records that only their validity keeps inactive."""
    return frozenset(
        record.id
        for record in dataset.records
        if any((record.valid_from, record.valid_to, record.expires_at))
        and not _valid(record, dataset.now)
    )


def _valid(record: DatasetRecord, now: str) -> bool:
    at = milliseconds(now) or 0
    begin = milliseconds(record.valid_from) if record.valid_from else None
    ends = [milliseconds(end) for end in (record.valid_to, record.expires_at) if end]
    return (begin is None or begin <= at) and all(end is not None and end > at for end in ends)


def _not_stored(result: WriteResult, known: Mapping[str, str]) -> str | None:
    """Why a write did not make a record of its own; None where it did."""
    if result.outcome in ("created", "superseded"):
        return f"the store gave the id {result.id!r} twice" if result.id in known else None
    if result.outcome == "merged":
        into = known.get(result.other or result.id or "", "another record")
        return f"merged into {into}"
    return f"{result.outcome}: {result.cause or 'no cause given'}"
