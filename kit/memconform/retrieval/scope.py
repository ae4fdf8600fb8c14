"""The first stage: whose memories may be looked at at all. Scope is a wall, not a preference.

Source: retrieval-foundation, "Scope comes before everything".
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache

from memconform.model import Access, Policy, Record
from memconform.retrieval.stage import Stage, sift

ON_WINDOWS = os.name == "nt"
_LEADING_SLASHES = re.compile(r"^/+")


@lru_cache(maxsize=4096)
def normalise_path(path: str, *, windows: bool = ON_WINDOWS) -> str:
    """One spelling of a path: no ``.``, ``..``, repeated or trailing separators.

    Nothing is looked up on disk: a relative path stays relative and a link stays a link. Letter
    case makes no difference on Windows and every difference elsewhere.
    """
    if windows:
        return ntpath.normpath(path).lower()
    # normpath keeps two leading slashes, which POSIX would allow to mean something else.
    return posixpath.normpath(_LEADING_SLASHES.sub("/", path))


def _same(one: str | None, other: str | None) -> bool:
    # A missing place equals nothing, not even another missing place: it is never a wildcard.
    return bool(one) and bool(other) and normalise_path(one or "") == normalise_path(other or "")


def in_scope(record: Record, access: Access, policy: Policy) -> bool:
    """Whether this caller may see this record, its state apart."""
    if record.scope not in policy.scopes:
        return False
    if record.scope == "user":
        return record.agent_visible
    if not access.workspace:
        return False
    if record.scope == "workspace":
        return _same(record.workspace, access.workspace)
    return _same(record.project or record.workspace, access.project or access.workspace)


def within_scope(records: Iterable[Record], access: Access, policy: Policy) -> Stage[Record]:
    """The records that this caller may see."""
    return sift(
        records, lambda record: None if in_scope(record, access, policy) else "out-of-scope"
    )
