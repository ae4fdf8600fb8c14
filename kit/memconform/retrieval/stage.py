"""What every stage answers: what it kept, and what it dropped and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from memconform.model import Record

T = TypeVar("T")


@dataclass(frozen=True)
class Dropped:
    """A record that went no further, and one word why."""

    id: str
    reason: str


@dataclass(frozen=True)
class Stage(Generic[T]):
    """Everything that went into a stage is in exactly one of the two, in the order it came."""

    kept: tuple[T, ...]
    dropped: tuple[Dropped, ...]


def sift(records: Iterable[Record], reason: Callable[[Record], str | None]) -> Stage[Record]:
    """The stage that drops each record for which there is a reason to."""
    kept, dropped = [], []
    for record in records:
        why = reason(record)
        if why is None:
            kept.append(record)
        else:
            dropped.append(Dropped(record.id, why))
    return Stage(tuple(kept), tuple(dropped))
