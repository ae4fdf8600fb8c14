"""A store of a few lines that keeps to the protocol: dictionaries, and recall by substring."""

from __future__ import annotations

from dataclasses import dataclass, field

from memconform.model import (
    Access,
    Done,
    Filters,
    GetResult,
    Hit,
    RecallResult,
    RecordDraft,
    Settings,
    WriteResult,
    created,
    done,
    hit,
    recalled,
)
from memconform.protocol import (
    Conflict,
    Hello,
    Invalid,
    MemoryStore,
    NotFound,
    System,
    Unavailable,
    system,
)


@dataclass
class Shelf:
    """What two connections to the same data share."""

    texts: dict[str, RecordDraft] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    clock: str | None = None


class TinyStore:
    def __init__(self, settings: Settings, shelf: Shelf | None = None) -> None:
        self.namespace = settings.namespace
        self.shelf = shelf or Shelf(clock=settings.clock)
        self.closed = 0
        self.seen_options: set[str] = set()

    def close(self) -> None:
        self.closed += 1

    def write(self, record: RecordDraft) -> WriteResult:
        if not record.content:
            raise Invalid("content is empty; send a text", {"field": "content"})
        if record.key is not None and record.key in self.shelf.texts:
            raise Conflict("the key is taken", {"key": record.key})
        id = record.key or f"m{len(self.shelf.texts) + 1}"
        self.shelf.texts[id] = record
        return created(id, self.namespace)

    def recall(
        self, query: str, access: Access, limit: int | None, *, filters: Filters | None = None
    ) -> RecallResult:
        kept = set(filters.types) if filters else set()
        hits = [
            self._hit(id)
            for id, record in self.shelf.texts.items()
            if id not in self.shelf.forgotten
            and query in record.content
            and (not kept or record.type in kept)
        ]
        return recalled(hits if limit is None else hits[: max(limit, 0)], self.namespace)

    def forget(self, id: str, access: Access) -> Done:
        if id not in self.shelf.texts:
            raise NotFound("there is no such memory", {"id": id})
        self.shelf.forgotten.add(id)
        return done()

    def get(self, id: str, access: Access) -> GetResult:
        if id not in self.shelf.texts:
            raise NotFound("there is no such memory", {"id": id})
        if id in self.shelf.forgotten:
            return GetResult(record=hit(id, None, "forgotten"), namespace=self.namespace)
        return GetResult(record=self._hit(id), namespace=self.namespace)

    def second(self) -> MemoryStore:
        return TinyStore(Settings(namespace=self.namespace), self.shelf)

    def reopen(self, settings: Settings | None) -> MemoryStore:
        return TinyStore(settings or Settings(namespace=self.namespace), self.shelf)

    def set_clock(self, time: str) -> None:  # no answer: done
        self.shelf.clock = time

    def fault(self, name: str, on: bool) -> Done:
        if name == "locked" and on:
            raise Unavailable("the store is locked", {"name": name})
        if name == "surprise":
            raise ZeroDivisionError("division of \ud800 by zero")
        if name == "print":
            print("the store prints this")
        if name == "exit":
            raise SystemExit(3)
        return done()

    def mask(self, id: str, access: Access) -> Done:  # offered, and not declared
        return done()

    def _hit(self, id: str) -> Hit:
        record = self.shelf.texts[id]
        return hit(id, record.content, tags=list(record.tags), type=record.type)


def factory() -> System:
    return system(
        TinyStore,
        name="tiny",
        version="1",
        # update is declared and has no method
        capabilities=["clock", "durable", "faults", "filters", "namespaces", "shared", "update"],
    )


ready = factory()

NUMBER = 5


class TinySystem:
    """A class is called, though it has the methods of a System itself."""

    def hello(self) -> Hello:
        return ready.hello()

    def open(self, settings: Settings) -> MemoryStore:
        return TinyStore(settings)


def gives_a_class() -> type[TinySystem]:
    return TinySystem


def raises() -> System:
    raise ValueError("no model")
