"""What one scenario knows: its stores, its names for memories, the last answer or refusal.

Steps say what is expected in words and raise ``Disappointed``; a call that was refused without a
step expecting it surfaces at the next step that calls or looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memconform.model import (
    Access,
    CatalogResult,
    ContextResult,
    ExpandResult,
    GetResult,
    Hit,
    ListResult,
    RecallResult,
    RecordDraft,
    Response,
    Settings,
    WriteResult,
    from_plain,
    to_plain,
)
from memconform.model.report import NOTHING_FOUND
from memconform.protocol import Hello, StoreError
from memconform.suite import cells
from memconform.wire.client import Connection, RemoteStore

ACCESS_FIELDS = ("workspace", "project", "namespace", "session", "agent")
CHANGES = {
    "write", "write_batch", "update", "disable", "enable", "supersede", "correct", "forget",
    "purge", "mask",
}  # fmt: skip
FILTER_FIELDS = {"scopes", "types", "authorities"}
TEXT_FIELDS = {
    "content", "key", "scope", "workspace", "project", "namespace", "session", "type", "authority",
    "createdAt", "updatedAt", "observedAt", "validFrom", "validTo", "expiresAt",
}  # fmt: skip


class Disappointed(AssertionError):
    """An expectation of a scenario that did not come true, in words."""

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen


class Unexpected(Exception):
    """The store refused a call that the scenario needed."""

    def __init__(self, operation: str, error: StoreError) -> None:
        super().__init__(f"{operation} was refused as {error.code}: {error.message}")
        self.expected = f"{operation} to succeed"
        self.seen = f"it was refused as {error.code}: {error.message}"


@dataclass
class World:
    """The state of one scenario."""

    connection: Connection
    hello: Hello
    stores: dict[str, RemoteStore] = field(default_factory=dict)
    current: str = "first"
    ids: dict[str, str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, WriteResult] = field(default_factory=dict)
    answer: Response | None = None
    refusal: StoreError | None = None
    kept: Response | None = None
    last_operation: str = ""
    step_type: str = "given"

    # --- calling -----------------------------------------------------------------------------

    def open(self, settings: Settings | None = None) -> None:
        """Open the scenario's store; a refusal surfaces at once."""
        try:
            self.stores["first"] = self.connection.open(settings or Settings())
        except StoreError as error:
            raise Unexpected("open", error) from error

    @property
    def store(self) -> RemoteStore:
        """The store behind the connection in use."""
        if self.current not in self.stores:
            raise cells.CellError("the scenario uses a store before it opens one")
        return self.stores[self.current]

    def call(self, operation: str, **params: Any) -> Response | None:
        """Call an operation; keep its answer, or its refusal for a later step to expect."""
        self.settle()
        self.last_operation = operation
        self.answer = None
        try:
            self.answer = self.store.call(operation, **params)
            self.await_consistency(operation)
        except StoreError as error:
            self.refuse(error)
        return self.answer

    def await_consistency(self, operation: str) -> None:
        """After a change, wait as long as the store says it needs until the change can be seen."""
        if "eventual" in self.hello.capabilities and operation in CHANGES:
            self.store.call("barrier")

    def call_raw(self, operation: str, params: dict[str, Any]) -> Response | None:
        """The same with parameters as they stand, however wrong they are."""
        self.settle()
        self.last_operation = operation
        self.answer = None
        try:
            self.answer = self.store.raw(operation, params)
            self.await_consistency(operation)
        except StoreError as error:
            self.refuse(error)
        return self.answer

    def refuse(self, error: StoreError) -> None:
        """Keep a refusal; in a Given it is a prerequisite that failed."""
        self.refusal = error
        if self.step_type == "given":
            self.settle()

    def settle(self) -> None:
        """Raise a refusal that no step has expected."""
        if self.refusal is not None:
            error, self.refusal = self.refusal, None
            raise Unexpected(self.last_operation, error)

    def replace_store(self, operation: str, **params: Any) -> None:
        """Run an operation that answers with a store: ``reopen`` or ``second``."""
        self.settle()
        self.last_operation = operation
        try:
            store = self.store.reopen(**params) if operation == "reopen" else self.store.second()
        except StoreError as error:
            raise Unexpected(operation, error) from error
        self.stores["first" if operation == "reopen" else "second"] = store

    # --- names -------------------------------------------------------------------------------

    def id_of(self, key: str) -> str:
        """The id that the store gave to the memory that the scenario calls by this key."""
        if key not in self.ids:
            raise cells.CellError(f"no memory of this scenario is called {key!r}")
        return self.ids[key]

    def key_of(self, id: str) -> str:
        """The scenario's name of an id, for sentences."""
        for key, known in self.ids.items():
            if known == id:
                return key
        return f"an unknown id {id!r}"

    def note_write(self, key: str, content: str, result: WriteResult) -> None:
        """Remember what a write has given."""
        self.outcomes[key] = result
        if result.id is not None:
            self.ids[key] = result.id
            self.contents[key] = content
        elif self.step_type == "given":
            raise Disappointed(f"{key!r} to be stored", f"{result.outcome}: {result.cause}")

    def fill(self, cell: str) -> str:
        """A cell with values of the kept answer and repetitions put in."""
        kept = None if self.kept is None else to_plain(self.kept)
        return cells.fill(cell, kept, self.ids)

    def draft(self, row: Mapping[str, str]) -> RecordDraft:
        """A memory out of a table row."""
        plain: dict[str, Any] = {}
        for name, written in row.items():
            cell = self.fill(written)
            if name in TEXT_FIELDS:
                plain[name] = cells.text(cell)
            elif name == "tags":
                plain[name] = [tag.strip() for tag in cell.split(",")]
            else:
                plain[name] = cells.resolve(cells.literal(cell), self.ids)
        if "supersedes" in row:
            plain["supersedes"] = self.id_of(row["supersedes"])
        return from_plain(plain, RecordDraft)

    def parameters(self, table: cells.Table) -> dict[str, Any]:
        """The parameters of a call out of a table of names and cells.

        Places go into ``access``, filters into ``filters``; ``id`` and ``by`` are keys of this
        scenario where they name one, else ids as they stand.
        """
        params: dict[str, Any] = {}
        for name, written in cells.pairs(table).items():
            cell = self.fill(written)
            if name in ACCESS_FIELDS:
                cells.put(params, f"access.{name}", cells.text(cell))
            elif name in FILTER_FIELDS:
                cells.put(params, f"filters.{name}", [item.strip() for item in cell.split(",")])
            elif name in ("id", "by"):
                params[name] = self.ids.get(cell, cells.literal(cell))
            elif name in ("query", "content", "key", "time", "description"):
                params[name] = cells.text(cell) if cell.startswith('"') else _text_or_json(cell)
            elif name == "namespaceSetting":
                cells.put(params, "settings.namespace", cell)
            else:
                cells.put(params, name, cells.resolve(cells.literal(cell), self.ids))
        return params

    # --- looking -----------------------------------------------------------------------------

    @property
    def hits(self) -> list[Hit]:
        """The hits (or listed records) of the last answer."""
        self.settle()
        if isinstance(self.answer, RecallResult):
            return self.answer.hits
        if isinstance(self.answer, ListResult):
            return self.answer.records
        raise cells.CellError("the last answer has no hits; recall or list before looking")

    def found(self) -> list[str]:
        """The ids of the last answer's hits, in order."""
        return [hit.id for hit in self.hits]

    def names(self, ids: list[str]) -> str:
        """Ids as the scenario's names, for sentences."""
        return ", ".join(self.key_of(id) for id in ids) if ids else NOTHING_FOUND

    def part(self, name: str) -> Any:  # noqa: PLR0911 - one return a kind of part
        """A part of what is known, as JSON-like values, for the step ``the "..." says:``.

        ``answer``, ``trace``, ``diagnostics`` (asked for now), ``hit KEY`` of the last answer,
        ``record KEY`` (asked for now, by id), ``outcome KEY`` of a write, ``store`` (what hello
        declares).
        """
        self.settle()
        kind, _, key = name.partition(" ")
        if kind == "answer" and self.answer is not None:
            return to_plain(self.answer)
        if kind == "trace":
            if not isinstance(self.answer, RecallResult) or self.answer.trace is None:
                raise Disappointed("an answer with a trace", "an answer without one")
            return to_plain(self.answer.trace)
        if kind == "diagnostics":
            return to_plain(self.ask("diagnostics"))
        if kind == "hit":
            for hit in self.hits:
                if hit.id == self.id_of(key):
                    return to_plain(hit)
            raise Disappointed(f"{key!r} among the hits", self.names(self.found()))
        if kind == "record":
            return to_plain(self.ask("get", id=self.id_of(key), access=Access()))["record"]
        if kind == "outcome" and key in self.outcomes:
            return to_plain(self.outcomes[key])
        if kind == "store":
            return to_plain(self.hello)
        raise cells.CellError(f"there is no part {name!r} to look at")

    def ask(self, operation: str, **params: Any) -> Response:
        """A call that a Then step makes in order to look; a refusal surfaces at once."""
        try:
            answer: Response = self.store.call(operation, **params)
        except StoreError as error:
            raise Unexpected(operation, error) from error
        return answer

    def surfaces(self) -> list[str]:
        """The declared read surfaces on which any memory must show.

        Not the graph: it shows statements, and not every memory makes one.
        """
        return [s for s in self.hello.policies.surfaces if s != "graph"]

    def sightings(self, key: str, query: str, access: Access) -> dict[str, str | None]:
        """Where a memory shows: for each declared surface, null or how it shows there."""
        seen: dict[str, str | None] = {}
        for surface in self.surfaces():
            look = getattr(self, f"_sighting_{surface}")
            seen[surface] = look(self.id_of(key), self.contents[key], query, access)
        return seen

    def _sighting_recall(self, id: str, content: str, query: str, access: Access) -> str | None:
        answer = self.ask("recall", query=query, access=access)
        assert isinstance(answer, RecallResult)
        return _among(answer.hits, id, content)

    def _sighting_list(self, id: str, content: str, query: str, access: Access) -> str | None:
        answer = self.ask("list_records", access=access)
        assert isinstance(answer, ListResult)
        return _among(answer.records, id, content)

    def _sighting_context(self, id: str, content: str, query: str, access: Access) -> str | None:
        answer = self.ask("context", query=query, access=access)
        assert isinstance(answer, ContextResult)
        if content in answer.text:
            return "its text is in the block"
        return "its id is among the assembled ones" if id in (*answer.ids, *answer.cut) else None

    def _sighting_catalog(self, id: str, content: str, query: str, access: Access) -> str | None:
        answer = self.ask("catalog", query=query, access=access)
        assert isinstance(answer, CatalogResult)
        return "it has an entry" if id in (entry.id for entry in answer.entries) else None

    def _sighting_expand(self, id: str, content: str, query: str, access: Access) -> str | None:
        return self._sighting_by_id("expand", id, content, access)

    def _sighting_get(self, id: str, content: str, query: str, access: Access) -> str | None:
        return self._sighting_by_id("get", id, content, access)

    def _sighting_by_id(self, operation: str, id: str, content: str, access: Access) -> str | None:
        try:
            answer = self.store.call(operation, id=id, access=access)
        except StoreError as error:
            if error.code == "not_found":
                return None
            raise Unexpected(operation, error) from error
        assert isinstance(answer, (GetResult, ExpandResult))
        record = answer.record
        if record.state == "active":
            return "it is active"
        if record.state == "forgotten" and record.content is not None:
            return "it is forgotten and still shows a content"
        if record.state == "masked" and content in (record.content or ""):
            return "it is masked and still shows its text"
        return None


def _among(hits: list[Hit], id: str, content: str) -> str | None:
    for place, hit in enumerate(hits, 1):
        # What is masked may keep its place, as long as nothing of its text is left.
        if hit.id == id and hit.state != "masked":
            return f"its id is hit {place}"
        if hit.content is not None and content in hit.content:
            return f"its text is in hit {place}, {hit.id!r}"
    return None


def _text_or_json(cell: str) -> Any:
    """A text cell of a call by hand: numbers and the like stay what they are, to be refused."""
    value = cells.literal(cell)
    return cell if isinstance(value, str) else value
