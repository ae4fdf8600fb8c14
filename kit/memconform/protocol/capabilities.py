"""What a store may offer beyond what every store must: the whole list of capability names.

A scenario that needs one carries the tag ``@needs:NAME`` with a name of this list and no other.
A capability that is not declared makes such a scenario unsupported, never passed.
"""

from __future__ import annotations

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
