"""Memories as the answers of a reference store show them."""

from __future__ import annotations

from memconform.model import Hit, Record, State, Times, hit
from memconform.retrieval.budget import Selected
from memconform.retrieval.lifecycle import LifecycleState

STATES: dict[LifecycleState, State] = {
    "deleted": "forgotten",
    "disabled": "disabled",
    "superseded": "superseded",
    "not-yet-valid": "not-yet-valid",
    "expired": "expired",
    "active": "active",
}
CUT = "cut"  # the flag of a hit whose content is a prefix of what is stored


def times_of(record: Record) -> Times:
    """The times of a memory."""
    return Times(
        created_at=record.created_at,
        updated_at=record.updated_at,
        observed_at=record.observed_at,
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        expires_at=record.expires_at,
    )


def stored_hit(
    record: Record, state: LifecycleState = "active", superseded_by: str | None = None
) -> Hit:
    """A memory as list and get show it; of a forgotten one its id, state, times and version."""
    if state == "deleted":
        return hit(
            record.id,
            None,
            "forgotten",
            form="reference",
            version=record.version,
            flags=[],
            times=times_of(record),
        )
    return hit(
        record.id,
        record.content,
        STATES[state],
        superseded_by=superseded_by,
        type=record.type,
        tags=list(record.tags),
        confidence=record.confidence,
        version=record.version,
        flags=[],
        times=times_of(record),
        sources=list(record.sources),
        extra=_extra(record),
    )


def recalled_hit(chosen: Selected) -> Hit:
    """A memory as recall shows it: with its score, and cut where it was cut for the block."""
    record = chosen.ranked.record
    return hit(
        record.id,
        chosen.content,
        type=record.type,
        tags=list(record.tags),
        confidence=record.confidence,
        version=record.version,
        flags=[CUT] if chosen.truncated else [],
        score=chosen.ranked.score,
        times=times_of(record),
        sources=list(record.sources),
        extra=_extra(record),
    )


def _extra(record: Record) -> dict[str, str | float | None]:
    """What the protocol's hit has no key for."""
    return {
        "scope": record.scope,
        "workspace": record.workspace,
        "project": record.project,
        "authority": record.authority,
        "importance": record.importance,
        "supersedes": record.supersedes,
    }
