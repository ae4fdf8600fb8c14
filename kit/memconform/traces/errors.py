"""What can go wrong with a trace store; every message is a sentence that says what to do."""

from __future__ import annotations


class TraceError(Exception):
    """The traces can't be used as asked."""


class TraceStoreError(TraceError):
    """There is no such store, or it can't be read."""


class MissingPackage(TraceError):
    """A package of the lab extra isn't there."""

    def __init__(self, package: str) -> None:
        super().__init__(f"This needs {package}: install memconform[lab].")
