"""What goes wrong between the adapter and the server, as it travels to the kit.

The adapter answers ``internal``, as for anything that nobody foresaw, and puts into the error's
detail what the kit's side makes a fault of the wire again: whoever else talks to the adapter sees
an ordinary structured error.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from memconform.protocol import Internal
from memconform.wire import messages
from memconform.wire.errors import (
    BadAnswer,
    BadMessage,
    Crashed,
    StartFailed,
    TimedOut,
    WireError,
)

KEY = "memconform/mcp-fault"
Kind = Literal["start", "crash", "timeout", "bad-message", "bad-answer"]
_CLASSES: dict[Kind, type[WireError]] = {
    "start": StartFailed,
    "crash": Crashed,
    "timeout": TimedOut,
    "bad-message": BadMessage,
    "bad-answer": BadAnswer,
}


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    kind: Kind
    cause: str
    hint: str
    evidence: str | None


class ServerFault(Internal):
    """The server came to no answer, or to one that the mapping can't read.

    Attributes:
        kind: what happened; only after ``bad-answer`` the conversation goes on.
    """

    def __init__(self, kind: Kind, cause: str, *, hint: str, evidence: str | None = None) -> None:
        told = _Told(kind=kind, cause=cause, hint=hint, evidence=evidence)
        super().__init__(cause, {KEY: messages.printable(msgspec.to_builtins(told))})
        self.kind = kind


def fault_in(line: bytes) -> WireError | None:
    """The fault that an answer of the adapter stands for; null for any other answer."""
    if KEY.encode() not in line:
        return None
    try:
        plain: Any = messages.decode(line)
        told = msgspec.convert(plain["error"]["data"]["detail"][KEY], _Told)
    except (ValueError, KeyError, TypeError):
        return None  # the words stand in a memory
    return _CLASSES[told.kind](told.cause, hint=told.hint, evidence=told.evidence)
