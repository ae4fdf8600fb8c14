"""``reference:NAME``: the stores that come with the kit."""

from __future__ import annotations

from memconform.targets.errors import UsageError
from memconform.targets.imported import ImportedTarget
from memconform.wire.loading import REFERENCES
from memconform.wire.transport import Way

NAMES = tuple(f"reference:{name}" for name in REFERENCES)


def reference(name: str, way: Way) -> ImportedTarget:
    """The reference store of this name."""
    if name not in REFERENCES:
        raise UsageError(f"There is no reference store {name!r}; there are {', '.join(NAMES)}.")
    return ImportedTarget(f"reference:{name}", way)
