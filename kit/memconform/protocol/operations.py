"""Every operation of the protocol: its name, what goes in, what comes out, what it needs.

One table serves the dispatcher, the client, the published JSON Schemas and the docs. A request's
fields are the keyword arguments of the method of the same name.
"""

from __future__ import annotations

from typing import Literal

from memconform.model import (
    Access,
    BatchResult,
    CatalogResult,
    ContextResult,
    DiagnosticsResult,
    Done,
    ExpandResult,
    Filters,
    GetResult,
    GraphResult,
    ListResult,
    Purpose,
    RecallResult,
    RecordDraft,
    RelevanceMode,
    Request,
    Response,
    Settings,
    StorageResult,
    TargetsResult,
    WriteResult,
)
from memconform.model.authority import Decision, ExplainResult, FeedbackResult
from memconform.model.feedback import RetrievalFeedbackResult
from memconform.protocol.authority import (
    DecideRequest,
    FeedbackRequest,
    ModeRequest,
    RetrievalFeedbackRequest,
)
from memconform.protocol.capabilities import Capability
from memconform.protocol.policies import Policies

PROTOCOL_VERSION = "1.0"
PROTOCOL_VERSIONS = (PROTOCOL_VERSION,)


class Hello(Response, frozen=True, kw_only=True):
    """Who an implementation is and what it declares.

    Attributes:
        protocol: the protocol version it speaks, one of those offered.
        profiles: the designs that it claims to follow beside core, such as foundation.
    """

    name: str
    version: str
    language: str
    homepage: str | None
    protocol: str
    capabilities: list[Capability]
    profiles: list[str]
    policies: Policies


class HelloRequest(Request, frozen=True, kw_only=True):
    """The kit's own version, and the protocol versions that it speaks."""

    kit: str
    protocols: tuple[str, ...]


class OpenRequest(Request, frozen=True, kw_only=True):
    """Asks for an empty store of its own."""

    settings: Settings = Settings()


class Opened(Response, frozen=True, kw_only=True):
    """A handle for the store, and the namespace in effect."""

    store: str
    namespace: str | None


class WriteRequest(Request, frozen=True, kw_only=True):
    """One memory."""

    record: RecordDraft


class WriteBatchRequest(Request, frozen=True, kw_only=True):
    """Several memories."""

    records: tuple[RecordDraft, ...]


class RecallRequest(Request, frozen=True, kw_only=True):
    """A question.

    Attributes:
        limit: the most hits wanted; null leaves it to the store, 0 or less wants none.
        budget: in the store's declared unit (capability ``budget``).
        purpose: ``injection`` when null (capability ``purpose``).
        mode: which relevance gate, in an evaluation only (capability ``mode``).
        trace: whether the answer carries a trace (capability ``trace``).
    """

    query: str
    access: Access = Access()
    limit: int | None = None
    budget: int | None = None
    purpose: Purpose | None = None
    filters: Filters | None = None
    mode: RelevanceMode | None = None
    trace: bool = False


class IdRequest(Request, frozen=True, kw_only=True):
    """One memory, as seen by a caller."""

    id: str
    access: Access = Access()


class UpdateRequest(Request, frozen=True, kw_only=True):
    """New values for some fields; null leaves a field as it is."""

    id: str
    access: Access = Access()
    content: str | None = None
    tags: tuple[str, ...] | None = None
    confidence: float | None = None


class CorrectRequest(Request, frozen=True, kw_only=True):
    """A correction: a new text that supersedes the old one in the same scope."""

    id: str
    content: str
    access: Access = Access()
    key: str | None = None


class SupersedeRequest(Request, frozen=True, kw_only=True):
    """Says that one stored memory replaces another."""

    id: str
    by: str
    access: Access = Access()


class TargetsRequest(Request, frozen=True, kw_only=True):
    """Which memory may this description mean? Nothing is changed, no relevance floor applies."""

    description: str
    access: Access = Access()


class ListRequest(Request, frozen=True, kw_only=True):
    """Everything the caller may see."""

    access: Access = Access()


class ContextRequest(Request, frozen=True, kw_only=True):
    """The text that would be put into a prompt for this question."""

    query: str
    access: Access = Access()
    budget: int | None = None


class CatalogRequest(Request, frozen=True, kw_only=True):
    """What could be expanded for this question? Null leaves the number of entries to the store."""

    query: str
    access: Access = Access()
    k: int | None = None


class GraphRequest(Request, frozen=True, kw_only=True):
    """What is stated of this entity?"""

    entity: str
    access: Access = Access()


class ClockRequest(Request, frozen=True, kw_only=True):
    """The time that the store takes for now from here on, ISO 8601 UTC."""

    time: str


class ReopenRequest(Request, frozen=True, kw_only=True):
    """A restart over the same data; null settings keep the old ones."""

    settings: Settings | None = None


class FaultRequest(Request, frozen=True, kw_only=True):
    """Switches a simulated failure of the environment on or off."""

    name: str
    on: bool = True


class StorageRequest(Request, frozen=True, kw_only=True):
    """Which of these texts stand anywhere in what the store keeps, as they are, byte for byte?"""

    texts: tuple[str, ...] = ()


class NoArguments(Request, frozen=True, kw_only=True):
    """Nothing goes in."""


class Operation(Response, frozen=True, kw_only=True):
    """One row of the table.

    Attributes:
        capability: without it declared, the operation answers ``unsupported``; null is required.
        on: whether it is asked of the system or of an open store.
    """

    name: str
    request: type[Request]
    response: type[Response]
    capability: Capability | None
    on: Literal["system", "store"]


def _row(
    name: str,
    request: type[Request],
    response: type[Response],
    capability: Capability | None = None,
    on: Literal["system", "store"] = "store",
) -> Operation:
    return Operation(name=name, request=request, response=response, capability=capability, on=on)


OPERATIONS: dict[str, Operation] = {
    row.name: row
    for row in (
        _row("hello", HelloRequest, Hello, on="system"),
        _row("open", OpenRequest, Opened, on="system"),
        _row("close", NoArguments, Done),
        _row("write", WriteRequest, WriteResult),
        _row("recall", RecallRequest, RecallResult),
        _row("forget", IdRequest, Done),
        _row("get", IdRequest, GetResult),
        _row("write_batch", WriteBatchRequest, BatchResult, "batch"),
        _row("update", UpdateRequest, WriteResult, "update"),
        _row("disable", IdRequest, Done, "disable"),
        _row("enable", IdRequest, Done, "disable"),
        _row("supersede", SupersedeRequest, Done, "supersede"),
        _row("correct", CorrectRequest, WriteResult, "correct"),
        _row("purge", IdRequest, Done, "purge"),
        _row("mask", IdRequest, Done, "mask"),
        _row("find_targets", TargetsRequest, TargetsResult, "targets"),
        _row("list_records", ListRequest, ListResult, "listing"),
        _row("context", ContextRequest, ContextResult, "context"),
        _row("catalog", CatalogRequest, CatalogResult, "disclosure"),
        _row("expand", IdRequest, ExpandResult, "disclosure"),
        _row("graph", GraphRequest, GraphResult, "graph"),
        _row("decide", DecideRequest, Decision, "authority"),
        _row("feedback", FeedbackRequest, FeedbackResult, "authority"),
        _row("explain", IdRequest, ExplainResult, "authority"),
        _row("set_mode", ModeRequest, Done, "authority"),
        _row(
            "retrieval_feedback",
            RetrievalFeedbackRequest,
            RetrievalFeedbackResult,
            "retrieval-feedback",
        ),
        _row("set_clock", ClockRequest, Done, "clock"),
        _row("reopen", ReopenRequest, Opened, "durable"),
        _row("second", NoArguments, Opened, "shared"),
        _row("warmup", NoArguments, Done, "warmup"),
        _row("reindex", NoArguments, Done, "reindex"),
        _row("drop_embeddings", NoArguments, Done, "drop-embeddings"),
        _row("barrier", NoArguments, Done, "eventual"),
        _row("fault", FaultRequest, Done, "faults"),
        _row("diagnostics", NoArguments, DiagnosticsResult, "diagnostics"),
        _row("storage", StorageRequest, StorageResult, "storage"),
    )
}

# Options of recall that need a capability of their own: field of RecallRequest -> capability.
RECALL_OPTIONS: dict[str, Capability] = {
    "budget": "budget",
    "purpose": "purpose",
    "filters": "filters",
    "mode": "mode",
    "trace": "trace",
}
