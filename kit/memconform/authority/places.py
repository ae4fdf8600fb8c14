"""Where a claim belongs: a key that tells places apart and no path to anybody who reads it.

Source: claim-recall, "A place is a key".
"""

from __future__ import annotations

import hashlib

from memconform.retrieval.scope import normalise_path

GLOBAL = "global"
_DIGITS = 24


def session_key(session: str) -> str:
    """``session:<id>``."""
    return f"session:{session}"


def workspace_key(path: str) -> str:
    """``workspace:`` and 24 hex digits of the SHA-256 of the path in its one spelling."""
    digest = hashlib.sha256(normalise_path(path).encode()).hexdigest()
    return f"workspace:{digest[:_DIGITS]}"
