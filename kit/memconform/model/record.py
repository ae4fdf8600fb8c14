"""A memory: as a caller hands it in (RecordDraft) and as foundation keeps it (Record)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from memconform.model.base import Request, Response

MemoryType = Literal["fact", "preference", "decision", "episode", "relationship", "insight"]
MEMORY_TYPES: tuple[MemoryType, ...] = (
    "fact",
    "preference",
    "decision",
    "episode",
    "relationship",
    "insight",
)
Authority = Literal["reference", "directive"]
RecordScope = Literal["user", "workspace", "project"]
SourceKind = Literal["user", "tool", "inference", "file", "web", "imported", "legacy"]
SourceTrust = Literal["explicit-user", "observed", "inferred", "imported", "legacy"]
UnitInterval = Annotated[float, Meta(ge=0.0, le=1.0)]


class SourceDraft(Request, frozen=True, kw_only=True):
    """Where a memory comes from, as the caller knows it. Limits are the store's to check."""

    id: str | None = None
    kind: str = "legacy"
    locator: str | None = None
    excerpt: str | None = None
    trust: str = "legacy"
    thread_id: str | None = None
    turn_id: str | None = None
    item_id: str | None = None
    content_hash: str | None = None


class RecordDraft(Request, frozen=True, kw_only=True):
    """A memory on its way in: its content, and what the caller has beside it.

    ``key`` is the caller's own name for it; a store whose declared ids are ``given`` takes it as
    the id, any other ignores it. Ranges are not checked here, so that a store can be shown what
    it must refuse or clamp.
    """

    content: str
    key: str | None = None
    scope: str | None = None
    workspace: str | None = None
    project: str | None = None
    namespace: str | None = None
    session: str | None = None
    type: str | None = None
    authority: str | None = None
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    importance: float | None = None
    created_at: str | None = None
    updated_at: str | None = None
    observed_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    expires_at: str | None = None
    ttl_ms: int | None = None
    supersedes: str | None = None
    agent_visible: bool = True
    sources: tuple[SourceDraft, ...] = ()


class Source(Response, frozen=True, kw_only=True):
    """Where a memory comes from, as kept.

    Source of the limits: retrieval-foundation, "Contradictory drafts are refused".
    """

    id: Annotated[str, Meta(min_length=1, max_length=128)]
    kind: SourceKind
    locator: Annotated[str, Meta(max_length=1024)] | None
    excerpt: Annotated[str, Meta(max_length=512)] | None
    trust: SourceTrust
    thread_id: str | None
    turn_id: str | None
    item_id: str | None
    content_hash: str | None


class Record(Response, frozen=True, kw_only=True):
    """A memory as the foundation design keeps it: every field present, every value in range.

    Times are ISO 8601 UTC. ``confidence`` is the strength of the belief and never ages.
    Source: retrieval-foundation, "Records get typed defaults".
    """

    id: Annotated[str, Meta(min_length=1, max_length=128)]
    content: Annotated[str, Meta(min_length=1)]
    scope: RecordScope
    workspace: str | None
    project: str | None
    type: MemoryType
    authority: Authority
    tags: list[str]
    confidence: UnitInterval
    importance: UnitInterval
    created_at: str
    updated_at: str
    observed_at: str | None
    valid_from: str | None
    valid_to: str | None
    expires_at: str | None
    disabled_at: str | None
    deleted_at: str | None
    superseded_at: str | None
    supersedes: str | None
    agent_visible: bool
    sources: Annotated[list[Source], Meta(max_length=8)]
    version: int
