"""All seeded faults, by name, in the order in which a store does its work."""

from __future__ import annotations

import difflib
from pathlib import Path

from memconform.faults import (
    authority,
    authority_audit,
    authority_injection,
    authority_recall,
    feedback,
    fusion,
    fusion_prompt,
    fusion_writing,
    gate,
    index,
    lifecycle,
    memory,
    namespaces,
    places,
    prompt,
    ranking,
    records,
    requests,
    server,
    single,
    tokens,
    trouble,
)
from memconform.faults.fault import Fault

_PARTS = (
    records,
    places,
    lifecycle,
    requests,
    tokens,
    gate,
    ranking,
    prompt,
    memory,
    index,
    trouble,
    server,
    single,
    namespaces,
    fusion,
    fusion_writing,
    fusion_prompt,
    authority,
    authority_recall,
    authority_injection,
    authority_audit,
    feedback,
)

FAULTS: dict[str, Fault] = {fault.name: fault for part in _PARTS for fault in part.FAULTS}


SPECS: tuple[str, ...] = tuple(
    dict.fromkeys(id.partition("/")[0] for fault in FAULTS.values() for id in fault.breaks)
)
"""The specs that faults break requirements of. Only their scenarios can be told idle."""

_SOURCES = {fault.name: part for part in _PARTS for fault in part.FAULTS}


def written_in(fault: Fault) -> Path:
    """The module that a fault is written in: while it stays the same, so does the fault."""
    return Path(str(_SOURCES[fault.name].__file__))


class UnknownFault(LookupError):
    """There is no fault of this name."""


def fault(name: str) -> Fault:
    """The fault of this name.

    Raises:
        UnknownFault: there is none.
    """
    if name not in FAULTS:
        near = difflib.get_close_matches(name, FAULTS, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UnknownFault(f"There is no fault {name!r}.{hint} docs/kills.md lists all of them.")
    return FAULTS[name]
