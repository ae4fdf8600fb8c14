"""What to implement: a System that opens Stores.

A store in Python is a class with a method for each operation that it offers; a store in another
language answers the same operations as JSON-RPC messages. ``MemoryStore`` names the required
operations; an optional one is a method of the name in ``operations.OPERATIONS`` and a capability
in ``hello``. A method that is missing answers ``unsupported``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from memconform.model import (
    Access,
    Done,
    GetResult,
    RecallResult,
    RecordDraft,
    Settings,
    WriteResult,
)
from memconform.protocol.capabilities import Capability
from memconform.protocol.operations import PROTOCOL_VERSION, Hello
from memconform.protocol.policies import Policies
from memconform.protocol.policies import policies as plain_policies


@runtime_checkable
class MemoryStore(Protocol):
    """The operations that every store must have. All of them may raise a ``StoreError``.

    ``reopen`` and ``second``, where offered, return a MemoryStore.
    """

    def close(self) -> None:
        """Give back what the store holds; called once, last."""
        ...

    def write(self, record: RecordDraft) -> WriteResult:
        """Store one memory and say what became of it."""
        ...

    def recall(self, query: str, access: Access, limit: int | None) -> RecallResult:
        """The memories that answer the query, best first.

        The options ``budget``, ``purpose``, ``filters``, ``mode`` and ``trace`` (see RecallRequest)
        arrive as further keyword arguments, each only at a store that declares its capability.
        """
        ...

    def forget(self, id: str, access: Access) -> Done:
        """Make a memory unfindable, at once and everywhere."""
        ...

    def get(self, id: str, access: Access) -> GetResult:
        """One memory; of a forgotten one its state, without content."""
        ...


@runtime_checkable
class System(Protocol):
    """What a target is: it says who it is, and opens stores that know nothing of each other."""

    def hello(self) -> Hello:
        """Name, version, capabilities, profiles and policies."""
        ...

    def open(self, settings: Settings) -> MemoryStore:
        """A new, empty, isolated store."""
        ...


class _PlainSystem:
    def __init__(self, hello: Hello, opener: Callable[[Settings], MemoryStore]) -> None:
        self._hello = hello
        self._opener = opener

    def hello(self) -> Hello:
        return self._hello

    def open(self, settings: Settings) -> MemoryStore:
        return self._opener(settings)


def system(
    opener: Callable[[Settings], MemoryStore],
    *,
    name: str,
    version: str,
    capabilities: list[Capability] | None = None,
    profiles: list[str] | None = None,
    policies: Policies | None = None,
    language: str = "python",
    homepage: str | None = None,
) -> System:
    """A System around a function that opens a store, for adapters that need no more.

    Args:
        opener: given the settings of ``open``, returns a new, empty, isolated store.
        name: the implementation's name, as reports show it.
        version: the implementation's own version.
        capabilities: what it offers beyond the required operations.
        profiles: the designs it claims to follow beside core.
        policies: what it declares about its choices.
        language: what it is written in.
        homepage: where to read about it.
    """
    hello = Hello(
        name=name,
        version=version,
        language=language,
        homepage=homepage,
        protocol=PROTOCOL_VERSION,
        capabilities=capabilities or [],
        profiles=profiles or [],
        policies=policies or plain_policies(),
    )
    return _PlainSystem(hello, opener)
