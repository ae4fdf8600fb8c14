"""Targets that Python can import: in process, or served by a process of their own."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from memconform.targets.base import Progress, silent, slug
from memconform.targets.errors import UsageError
from memconform.wire.client import Connection
from memconform.wire.loading import LoadFailed, load
from memconform.wire.transport import TIME_LIMIT_S, LocalTransport, ProcessTransport, Way


@dataclass(frozen=True)
class ImportedTarget:
    """``reference:NAME``, ``fault:NAME`` or ``python:MODULE:FACTORY``."""

    name: str
    way: Way
    time_limit_s: float = TIME_LIMIT_S

    @property
    def slug(self) -> str:
        """A safe folder name."""
        return slug(self.name)

    def prepare(self, progress: Progress = silent) -> None:
        """Nothing takes long."""

    def connect(self) -> Connection:
        """Load it here, or start a process that does."""
        if self.way == "wire":
            argv = [sys.executable, "-m", "memconform.wire.serve", self.name]
            return Connection(ProcessTransport(argv, time_limit_s=self.time_limit_s))
        try:
            return Connection(LocalTransport(load(self.name)))
        except LoadFailed as error:
            raise UsageError(str(error)) from error
