"""Trace logs: what retrievals considered, chose and left out, kept so that they can be asked."""

from memconform.traces.errors import MissingPackage, TraceError, TraceStoreError
from memconform.traces.store import Part, TraceStore, connect, open_store

__all__ = [
    "MissingPackage",
    "Part",
    "TraceError",
    "TraceStore",
    "TraceStoreError",
    "connect",
    "open_store",
]
