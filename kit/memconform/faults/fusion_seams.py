"""The ways into the fusion store, and a model of meaning to seed faults beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from memconform.faults.fault import Mark, Seed
from memconform.fusion import (
    Asked,
    Embedder,
    Floor,
    Fused,
    HashedProjection,
    Portions,
    Signals,
    Weights,
    fuse,
    signals_of,
    within_budget,
)
from memconform.fusion.constants import REAL_EMBEDDER
from memconform.fusion.embedding import Role, Vector
from memconform.model import Hit, RecallResult
from memconform.protocol import System
from memconform.reference.fusion import FusionStore, FusionSystem, Parts
from memconform.reference.fusion_tables import Row, Tables


@dataclass(frozen=True)
class Groups(HashedProjection):
    """Stands in for a model of meaning: a handful of words for one thing have one direction."""

    @property
    def name(self) -> str:
        """Not the name of the projection that it is made of."""
        return "word-groups/1"

    @property
    def weights(self) -> Weights:
        """Meaning leads."""
        return REAL_EMBEDDER

    @property
    def generalises(self) -> bool:
        """For the words of its groups."""
        return True

    def encode(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """The projection of the groups' names."""
        return super().encode([" ".join(self._named(text)) for text in texts], role)

    def _named(self, text: str) -> list[str]:
        return [_GROUP.get(word.lower(), word) for word in text.split()]


_GROUP = {
    "physician": "doctor",
    "gp": "doctor",
    "practice": "doctor",
    "moved": "place",
    "address": "place",
    "street": "place",
    "new": "place",
    "elm": "place",
}


def part(embedder: Embedder | None = None, **changes: Callable[..., Any]) -> Seed:
    """Seeds another part of the store, by its name in ``Parts``."""

    def seed(mark: Mark) -> System:
        noted: dict[str, Any] = {name: mark.on(change) for name, change in changes.items()}
        if embedder is not None:
            noted["embedder"] = embedder
        return FusionSystem(replace(Parts(), **noted))

    return seed


def store(make: Callable[[Mark], type[FusionStore]]) -> Seed:
    """Seeds a subclass of the store, which sets the mark where it differs."""
    return lambda mark: FusionSystem(Parts(), make(mark))


def tables(make: Callable[[Mark], type[Tables]]) -> Seed:
    """Seeds a subclass of the tables, which sets the mark where it differs."""
    return lambda mark: FusionSystem(replace(Parts(), tables=make(mark)))


def signal(change: Callable[[Signals], Signals]) -> Seed:
    """Seeds what is known of each candidate."""

    def signals(asked: Asked, *args: Any, **more: Any) -> Signals:
        return change(signals_of(asked, *args, **more))

    return part(signals=signals)


def order(change: Callable[[str, tuple[Fused, ...]], Sequence[Fused]]) -> Seed:
    """Seeds what becomes of the order."""

    def fused(query: str, *args: Any, **more: Any) -> tuple[Fused, ...]:
        return tuple(change(query, fuse(query, *args, **more)))

    return part(fuse=fused)


def hits(change: Callable[[Hit], Hit]) -> Seed:
    """Seeds how each hit of a recall is shown."""

    def make(mark: Mark) -> type[FusionStore]:
        class Store(FusionStore):
            """Shows its hits otherwise."""

            def recall(self, *args: Any, **more: Any) -> RecallResult:
                answer = super().recall(*args, **more)
                if answer.hits:
                    mark()
                return msgspec.structs.replace(answer, hits=[change(h) for h in answer.hits])

        return Store

    return store(make)


def portions(change: Callable[[Portions], Portions]) -> Seed:
    """Seeds what becomes of the answer within its budget."""
    return part(fit=lambda *args, **more: change(within_budget(*args, **more)))


def every_row(store: FusionStore, asked: Asked, place: int) -> list[tuple[Signals, Row]]:
    """All memories of a place as candidates."""
    corpus = store._tables.corpus(place, asked.words)
    return store._seen(asked, place, store._tables.every(place), corpus)


NO_FLOOR = -2.0
"""A cosine that everything reaches."""


def no_floor(floor: Floor) -> Floor:
    """The floor of the same embedder that keeps nothing out."""
    return Floor(NO_FLOOR, floor.embedder)
