"""``fault:NAME``: a store with one seeded fault, for whoever wants to see it fail."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memconform.targets.errors import UsageError
from memconform.targets.imported import ImportedTarget
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport, ProcessTransport, Way

if TYPE_CHECKING:
    from memconform.faults import FaultySystem


class LocalFault(LocalTransport):
    """A faulty store in this process, which may mishear what it is told."""

    def __init__(self, system: FaultySystem) -> None:
        super().__init__(system)
        self._faulty = system

    def exchange(self, line: bytes) -> bytes:
        """One request, as the fault hears it."""
        return super().exchange(self._faulty.heard(line))


class RemoteFault(ProcessTransport):
    """The same in a process of its own."""

    def __init__(
        self, system: FaultySystem, env: Mapping[str, str] | None, time_limit_s: float
    ) -> None:
        target = f"fault:{system.fault.name}"
        argv = [sys.executable, "-m", "memconform.wire.serve", target]
        super().__init__(argv, env=env, time_limit_s=time_limit_s)
        self._faulty = system

    def exchange(self, line: bytes) -> bytes:
        """One request, as the fault hears it."""
        return super().exchange(self._faulty.heard(line))


@dataclass(frozen=True)
class FaultTarget(ImportedTarget):
    """``fault:NAME``."""

    def connect(self) -> Connection:
        """Make the store here, or start a process that does."""
        if self.way == "wire":
            return self._served()
        return Connection(LocalFault(self._system()))

    def _served(self, env: Mapping[str, str] | None = None) -> Connection:
        return Connection(RemoteFault(self._system(), env, self.time_limit_s))

    def _system(self) -> FaultySystem:
        from memconform.faults import fault

        return fault(self.name.partition(":")[2]).system()


def faulty(name: str, way: Way) -> FaultTarget:
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
    return FaultTarget(f"fault:{name}", way)
