"""All seeded faults, by name, in the order in which a store does its work."""

from __future__ import annotations

from memconform.faults import gate, memory, prompt, ranking, tokens
from memconform.faults.fault import Fault

_PARTS = (tokens, gate, ranking, prompt, memory)

FAULTS: dict[str, Fault] = {fault.name: fault for part in _PARTS for fault in part.FAULTS}


class UnknownFault(LookupError):
    """There is no fault of this name."""


def fault(name: str) -> Fault:
    """The fault of this name.

    Raises:
        UnknownFault: there is none.
    """
    if name not in FAULTS:
        raise UnknownFault(f"There is no fault {name!r}; memconform audit --kills lists all.")
    return FAULTS[name]
