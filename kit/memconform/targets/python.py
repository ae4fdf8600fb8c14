"""``python:package.module:factory``: a store that shares the kit's environment."""

from __future__ import annotations

from memconform.targets.errors import UsageError
from memconform.targets.imported import ImportedTarget
from memconform.wire.transport import Way


def python(path: str, way: Way) -> ImportedTarget:
    """The System that the named factory is or returns. It is imported when connected to."""
    module, colon, factory = path.partition(":")
    if not colon or not factory.isidentifier() or not all(map(str.isidentifier, module.split("."))):
        raise UsageError(f"{path!r} names no factory; write python:package.module:factory.")
    return ImportedTarget(f"python:{path}", way)
