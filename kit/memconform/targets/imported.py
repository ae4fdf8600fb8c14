"""Targets that Python can import: in process, or served by a process of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from memconform.targets.base import Progress, silent, slug
from memconform.targets.errors import UsageError
from memconform.wire.client import Connection
from memconform.wire.loading import LoadFailed, load, wrapped
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

    @property
    def has_system(self) -> bool:
        """It is the system itself."""
        return False

    @property
    def cut_off(self) -> Mapping[str, str]:
        """There is nothing to be cut off from."""
        return {}

    def prepare(self, progress: Progress = silent) -> None:
        """Nothing takes long."""

    def connect(self) -> Connection:
        """Load it here, or start a process that does."""
        if self.way == "wire":
            return self._served()
        try:
            return Connection(LocalTransport(wrapped(load(self.name))))
        except LoadFailed as error:
            raise UsageError(str(error)) from error

    def apart(self, variables: Mapping[str, str], *, bare: bool = False) -> Connection | None:
        """Start a process that loads it; there are no packages of its own to leave out."""
        return None if bare else self._served({**os.environ, **variables})

    def _served(self, env: Mapping[str, str] | None = None) -> Connection:
        argv = [sys.executable, "-m", "memconform.wire.serve", self.name]
        return Connection(ProcessTransport(argv, env=env, time_limit_s=self.time_limit_s))
