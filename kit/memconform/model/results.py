"""What a store answers. No key is ever left out; what a store does not know is null."""

from __future__ import annotations

from typing import Any, Literal

from memconform.model.base import Response
from memconform.model.record import Source
from memconform.model.trace import Trace

Outcome = Literal["created", "merged", "superseded", "refused", "deferred"]
State = Literal[
    "active", "disabled", "superseded", "not-yet-valid", "expired", "forgotten", "masked"
]
Form = Literal["content", "capsule", "reference"]


class Times(Response, frozen=True, kw_only=True):
    """A memory's times, ISO 8601 UTC."""

    created_at: str | None
    updated_at: str | None
    observed_at: str | None
    valid_from: str | None
    valid_to: str | None
    expires_at: str | None


class ChannelScore(Response, frozen=True, kw_only=True):
    """What one retrieval channel said of a hit (capability ``channels``)."""

    channel: str
    raw: float
    normalised: float


class Hit(Response, frozen=True, kw_only=True):
    """One memory as a caller sees it, in recall, list and get alike.

    Attributes:
        content: null only where the state forbids showing it (forgotten) or ``form`` is reference.
        form: ``content`` is the stored text, or a prefix of it where overflow is declared as cut.
        superseded_by: the id of the correction, where this memory was corrected.
        score: compared within one system only.
        extra: what only this system knows.
    """

    id: str
    content: str | None
    state: State
    form: Form
    superseded_by: str | None
    type: str | None
    tags: list[str] | None
    confidence: float | None
    version: int | None
    flags: list[str] | None
    score: float | None
    times: Times | None
    sources: list[Source] | None
    channels: list[ChannelScore] | None
    extra: dict[str, Any]


def hit(
    id: str,
    content: str | None,
    state: State = "active",
    *,
    form: Form = "content",
    superseded_by: str | None = None,
    type: str | None = None,
    tags: list[str] | None = None,
    confidence: float | None = None,
    version: int | None = None,
    flags: list[str] | None = None,
    score: float | None = None,
    times: Times | None = None,
    sources: list[Source] | None = None,
    channels: list[ChannelScore] | None = None,
    extra: dict[str, Any] | None = None,
) -> Hit:
    """A Hit of what a small store has; everything else is null."""
    return Hit(
        id=id,
        content=content,
        state=state,
        form=form,
        superseded_by=superseded_by,
        type=type,
        tags=tags,
        confidence=confidence,
        version=version,
        flags=flags,
        score=score,
        times=times,
        sources=sources,
        channels=channels,
        extra=extra or {},
    )


class WriteResult(Response, frozen=True, kw_only=True):
    """What became of a write.

    Attributes:
        id: the id by which the text is now known; null when refused or deferred without one.
        other: the id merged into, or the id superseded.
        cause: why it was refused or deferred.
        namespace: the namespace in effect.
    """

    id: str | None
    outcome: Outcome
    other: str | None
    cause: str | None
    namespace: str | None


def created(id: str, namespace: str | None = None) -> WriteResult:
    """The plain outcome: a new memory with this id."""
    return WriteResult(id=id, outcome="created", other=None, cause=None, namespace=namespace)


class BatchCounts(Response, frozen=True, kw_only=True):
    """How many items of a batch had these passed on."""

    tags: int
    confidence: int
    importance: int


class BatchResult(Response, frozen=True, kw_only=True):
    """One outcome an item, in the order of the items."""

    outcomes: list[WriteResult]
    passed_on: BatchCounts


class Ledger(Response, frozen=True, kw_only=True):
    """What a budget was spent on (capability ``budget``), in the store's declared unit."""

    budget: int
    used: int
    dropped_count: int
    truncated: bool


class RecallResult(Response, frozen=True, kw_only=True):
    """Hits in the store's order, and the namespace in effect."""

    hits: list[Hit]
    namespace: str | None
    ledger: Ledger | None
    trace: Trace | None


def recalled(hits: list[Hit], namespace: str | None = None) -> RecallResult:
    """A plain answer: hits, without ledger and trace."""
    return RecallResult(hits=hits, namespace=namespace, ledger=None, trace=None)


class ListResult(Response, frozen=True, kw_only=True):
    """Every memory that the caller may see, in any order."""

    records: list[Hit]
    namespace: str | None


class GetResult(Response, frozen=True, kw_only=True):
    """One memory by its id; of a forgotten one the state and a null content."""

    record: Hit
    namespace: str | None


class Done(Response, frozen=True, kw_only=True):
    """Whether the change was made; ``cause`` says why not."""

    done: bool
    cause: str | None


def done() -> Done:
    """The change was made."""
    return Done(done=True, cause=None)


class Target(Response, frozen=True, kw_only=True):
    """A memory that a description may mean (capability ``targets``)."""

    id: str
    score: float
    band: str
    similarity: float | None


class TargetsResult(Response, frozen=True, kw_only=True):
    """Candidates for a change; nothing was changed."""

    candidates: list[Target]


class CatalogEntry(Response, frozen=True, kw_only=True):
    """One memory in a catalog (capability ``disclosure``), without its content.

    Attributes:
        title: a few words by which it can be told from its neighbours.
        summary: one line.
        expand_cost: what its whole content costs, in the store's declared budget unit.
    """

    id: str
    title: str
    summary: str
    expand_cost: int


class CatalogResult(Response, frozen=True, kw_only=True):
    """What could be expanded, best first; ``cost`` is that of the entries together."""

    entries: list[CatalogEntry]
    cost: int
    namespace: str | None


class GraphEdge(Response, frozen=True, kw_only=True):
    """One statement that a memory makes (capability ``graph``).

    Attributes:
        record: the id of the memory.
        qualifier: what of the subject the statement is about; null without one.
    """

    record: str
    subject: str
    relation: str
    object: str
    qualifier: str | None


class GraphResult(Response, frozen=True, kw_only=True):
    """The neighbours of an entity, and the statements that make them so."""

    nodes: list[str]
    edges: list[GraphEdge]


class ExpandResult(Response, frozen=True, kw_only=True):
    """One memory out of a catalog: the whole of it, its statements, and what it comes from.

    Attributes:
        neighbours: the statements that it makes.
        evidence: ids of the memories that it replaces or is replaced by, the oldest first.
    """

    record: Hit
    neighbours: list[GraphEdge]
    evidence: list[str]
    namespace: str | None


class ContextResult(Response, frozen=True, kw_only=True):
    """The text that would be put into a prompt.

    Attributes:
        text: the whole block, markup included; empty when there is nothing to say.
        ids: memories whose content is in it whole.
        cut: memories whose content is in it in part.
    """

    text: str
    ids: list[str]
    cut: list[str]
    namespace: str | None


class IndexDiagnostics(Response, frozen=True, kw_only=True):
    """The state of a rebuildable index."""

    state: Literal["disabled", "ready", "backfilling", "degraded"]
    schema: int
    reason: str | None
    canonical: int
    indexed: int
    stale: int
    progress: float | None


class DiagnosticsResult(Response, frozen=True, kw_only=True):
    """Bounded figures about a store, without any content (capability ``diagnostics``)."""

    records: int
    malformed: int
    index: IndexDiagnostics | None
    last_injected_ids: list[str]
    last_trace: Trace | None
    failures: dict[str, int]


class StorageResult(Response, frozen=True, kw_only=True):
    """What can be read where a store keeps its data (capability ``storage``).

    Attributes:
        owner_only: whether nobody but the owner may open, list or read it.
        found: those of the texts asked for that stand anywhere in it, in the order asked for.
    """

    owner_only: bool
    found: list[str]
