"""Whose fault it is, in the same words wherever it is told: smoke, certify and every report.

A result keeps what was seen, and whether the kit itself made the mistake (``blame``). A reader
wants to know where to look, which also depends on the kind of fault: a process that hangs or writes
nonsense is for whoever wrote the adapter, a wrong answer for whoever wrote the system behind it.
"""

from __future__ import annotations

from typing import Literal

from memconform.model.report import Failure
from memconform.wire.errors import WireError

Party = Literal["adapter", "implementation", "kit"]

AT_FAULT: dict[Party, str] = {
    "adapter": "The adapter is at fault, or the process that it runs in",
    "implementation": "The implementation is at fault, the adapter speaks the protocol",
    "kit": "The kit itself is at fault",
}
_OF_THE_ADAPTER = ("crash", "timeout", "bad-message")


def party(failure: Failure) -> Party:
    """Who is to blame for a scenario that did not pass."""
    if failure.blame == "harness":
        return "kit"
    return "adapter" if failure.kind in _OF_THE_ADAPTER else "implementation"


def party_of(error: WireError) -> Party:
    """Who is to blame for a call that came to no answer."""
    return "kit" if error.blame == "harness" else "adapter"
