"""The protocol as messages: server, client, and what carries the lines between them."""

from memconform.wire.client import RESTARTS, Connection, RemoteStore
from memconform.wire.dispatcher import Dispatcher
from memconform.wire.errors import (
    BadMessage,
    Crashed,
    HarnessFault,
    StartFailed,
    TimedOut,
    WireError,
)
from memconform.wire.transport import LocalTransport, ProcessTransport, Transport

__all__ = [
    "RESTARTS",
    "BadMessage",
    "Connection",
    "Crashed",
    "Dispatcher",
    "HarnessFault",
    "LocalTransport",
    "ProcessTransport",
    "RemoteStore",
    "StartFailed",
    "TimedOut",
    "Transport",
    "WireError",
]
