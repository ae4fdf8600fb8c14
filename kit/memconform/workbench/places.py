"""From where a question can be asked: the places that records belong to."""

from __future__ import annotations

from collections.abc import Iterable

from memconform.model import Access, Record

NOBODY = "nobody's place"


def places_of(records: Iterable[Record]) -> dict[str, Access]:
    """Name -> access of every workspace and project that a record belongs to, and of none."""
    found: dict[str, Access] = {}
    for record in records:
        workspace = record.workspace or record.project
        if workspace and record.scope != "user":
            found.setdefault(workspace, Access(workspace=workspace))
        if record.scope == "project" and record.project and record.project != workspace:
            name = f"{record.project} in {workspace}"
            found.setdefault(name, Access(workspace=workspace, project=record.project))
    return {**dict(sorted(found.items())), NOBODY: Access()}
