"""The second stage: what is still true, and not yet replaced. Recall and list share it.

Source: retrieval-foundation, "Lifecycle comes before ranking" and "A successor silences what it
supersedes".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from memconform.model import Record
from memconform.retrieval.stage import Dropped, Stage
from memconform.retrieval.times import milliseconds

LifecycleState = Literal["deleted", "disabled", "superseded", "not-yet-valid", "expired", "active"]


def _reached(limit: str, now: str) -> bool | None:
    """Whether a time has come; None when it cannot be read."""
    then, at = milliseconds(limit), milliseconds(now)
    return None if then is None or at is None else then <= at


def state_of(record: Record, now: str) -> LifecycleState:
    """The state that a record's own fields give it; the first that applies.

    A limit of validity is inclusive at its start and exclusive at its end. One that cannot be
    read keeps the record out: nobody knows whether it still holds.
    """
    if record.deleted_at is not None:
        return "deleted"
    if record.disabled_at is not None:
        return "disabled"
    if record.superseded_at is not None:
        return "superseded"
    if record.valid_from is not None and not _reached(record.valid_from, now):
        return "not-yet-valid"
    for end in (record.valid_to, record.expires_at):
        if end is not None and _reached(end, now) is not False:
            return "expired"
    return "active"


def superseded_ids(active: Iterable[Record]) -> frozenset[str]:
    """The ids that active records in scope replace.

    It is found once and not again after dropping: in a chain of corrections every older link is
    named by an active record, so none comes back when its own successor is dropped.
    """
    return frozenset(record.supersedes for record in active if record.supersedes is not None)


def still_active(records: Iterable[Record], now: str) -> Stage[Record]:
    """The records that are active at a time, without those that another of them replaces."""
    records = tuple(records)
    states = [state_of(record, now) for record in records]
    active = (r for r, state in zip(records, states, strict=True) if state == "active")
    replaced = superseded_ids(active)
    kept, dropped = [], []
    for record, state in zip(records, states, strict=True):
        if state != "active":
            dropped.append(Dropped(record.id, state))
        elif record.id in replaced:
            dropped.append(Dropped(record.id, "superseded"))
        else:
            kept.append(record)
    return Stage(tuple(kept), tuple(dropped))
