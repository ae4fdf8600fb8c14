"""Trace logs: what retrievals considered, chose and left out, kept so that they can be asked.

``logged`` makes a store write them, ``ingest`` brings them into a trace store, ``connect`` opens
one for SQL. What needs the lab extra is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memconform.traces.errors import MissingPackage, TraceError, TraceStoreError, loaded
from memconform.traces.store import Part, TraceStore, connect, open_store

if TYPE_CHECKING:
    from memconform.traces.ids import query_id
    from memconform.traces.intake import ingest
    from memconform.traces.log import TraceLog
    from memconform.traces.wrap import logged

__all__ = [
    "MissingPackage",
    "Part",
    "TraceError",
    "TraceLog",
    "TraceStore",
    "TraceStoreError",
    "connect",
    "ingest",
    "logged",
    "open_store",
    "query_id",
]

_LIVES_IN = {"TraceLog": "log", "logged": "wrap", "query_id": "ids", "ingest": "intake"}


def __getattr__(name: str) -> Any:
    if name not in _LIVES_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(loaded(_LIVES_IN[name]), name)
