"""The few calls that every look is made of."""

from __future__ import annotations

from typing import Any

from memconform.model import Access, RecordDraft, Settings, WriteResult
from memconform.model.results import Hit, RecallResult
from memconform.protocol import Capability, Hello
from memconform.wire.client import Connection, RemoteStore

TEXT = "The lighthouse keeper of Amrum paints every door in blue."
OTHER = "The ferry to Amrum leaves at seven from the eastern pier."


class Lacking(Exception):
    """Something that a capability promises isn't there; the message ends a sentence about it."""


class Trial:
    """An open conversation with an implementation, in which a capability is tried.

    Args:
        connection: a live one.
        hello: what the implementation declares.
    """

    def __init__(self, connection: Connection, hello: Hello) -> None:
        self._connection = connection
        self.hello = hello

    def declares(self, capability: Capability) -> bool:
        """Whether a capability is declared."""
        return capability in self.hello.capabilities

    def open(self, settings: Settings | None = None) -> RemoteStore:
        """An empty store."""
        return self._connection.open(settings)

    def write(self, store: RemoteStore, content: str = TEXT, **fields: Any) -> str:
        """The id of a new memory."""
        written: WriteResult = store.call("write", record=RecordDraft(content=content, **fields))
        self.settle(store)
        if written.id is None:
            raise Lacking(f"writing a memory with it was {written.outcome}")
        return written.id

    def settle(self, store: RemoteStore) -> None:
        """Wait until a change can be seen, at a store that says it needs it."""
        if self.declares("eventual"):
            store.call("barrier")

    def recall(
        self, store: RemoteStore, query: str = TEXT, access: Access | None = None, **options: Any
    ) -> RecallResult:
        """An answer, with options of recall where given."""
        answer: RecallResult = store.call(
            "recall", query=query, access=access or Access(), **options
        )
        return answer

    def found(
        self, store: RemoteStore, id: str, access: Access | None = None, query: str = TEXT
    ) -> Hit | None:
        """The memory among the hits, or null."""
        hits = self.recall(store, query, access).hits
        return next((hit for hit in hits if hit.id == id), None)

    def hit(self, store: RemoteStore, id: str) -> Hit:
        """The memory among the hits.

        Raises:
            Lacking: it isn't there.
        """
        found = self.found(store, id)
        if found is None:
            raise Lacking("a memory written with it is not found by its own words")
        return found
