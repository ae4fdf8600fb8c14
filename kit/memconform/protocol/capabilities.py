"""What a store may offer beyond what every store must: the whole list of capability names.

A scenario that needs one carries the tag ``@needs:NAME`` with a name of this list and no other.
A capability that is not declared makes such a scenario unsupported, never passed.
"""

from __future__ import annotations

import difflib
from typing import Literal, get_args

Capability = Literal[
    "workspaces",
    "projects",
    "namespaces",
    "batch",
    "update",
    "disable",
    "supersede",
    "correct",
    "purge",
    "mask",
    "targets",
    "listing",
    "budget",
    "purpose",
    "filters",
    "mode",
    "trace",
    "context",
    "disclosure",
    "authority",
    "retrieval-feedback",
    "graph",
    "channels",
    "semantic",
    "scores",
    "confidence",
    "tags",
    "versions",
    "validity",
    "clock",
    "durable",
    "shared",
    "warmup",
    "reindex",
    "drop-embeddings",
    "eventual",
    "faults",
    "diagnostics",
    "storage",
]
CAPABILITIES: frozenset[Capability] = frozenset(get_args(Capability))


def misnamed(hello: object) -> str | None:
    """Which declared capabilities there are none of, in words; null where that isn't what is wrong.

    Args:
        hello: an answer to hello as it came, which may be anything.
    """
    declared = hello.get("capabilities") if isinstance(hello, dict) else None
    if not isinstance(declared, list) or not all(isinstance(name, str) for name in declared):
        return None
    wrong = [name for name in declared if name not in CAPABILITIES]
    if not wrong:
        return None
    told = []
    for name in wrong[:3]:
        near = difflib.get_close_matches(name, sorted(CAPABILITIES), n=1, cutoff=0.75)
        told.append(f"{name[:40]!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return (
        f"it declares {', '.join(told)}{more}, which is no capability; docs/protocol.md lists them"
    )
