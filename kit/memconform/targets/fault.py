"""``fault:NAME``: a store with one seeded fault, for whoever wants to see it fail."""

from __future__ import annotations

from memconform.targets.errors import UsageError
from memconform.targets.imported import ImportedTarget
from memconform.wire.transport import Way


def faulty(name: str, way: Way) -> ImportedTarget:
    """The store with the fault of this name.

    Raises:
        UsageError: there is no such fault.
    """
    # Not needed by whoever certifies a store of their own.
    from memconform.faults import UnknownFault, fault

    try:
        fault(name)
    except UnknownFault as error:
        raise UsageError(str(error)) from error
    return ImportedTarget(f"fault:{name}", way)
