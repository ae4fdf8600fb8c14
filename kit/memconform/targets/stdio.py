"""``stdio:COMMAND``: any program that speaks the protocol on standard input and output."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from memconform.targets.base import Progress, silent, slug
from memconform.targets.errors import UsageError
from memconform.wire.client import Connection
from memconform.wire.transport import TIME_LIMIT_S, ProcessTransport, Way


@dataclass(frozen=True)
class StdioTarget:
    """A command, run in the working folder without a shell."""

    name: str
    argv: tuple[str, ...]
    time_limit_s: float = TIME_LIMIT_S
    way: Way = "wire"

    @property
    def slug(self) -> str:
        """A safe folder name."""
        return slug(self.name)

    @property
    def has_system(self) -> bool:
        """It may have one."""
        return True

    @property
    def cut_off(self) -> Mapping[str, str]:
        """Nothing is known of it."""
        return {}

    def prepare(self, progress: Progress = silent) -> None:
        """Nothing takes long."""

    def connect(self) -> Connection:
        """A connection that starts the command with its first message."""
        return Connection(ProcessTransport(self.argv, time_limit_s=self.time_limit_s))

    def apart(self, variables: Mapping[str, str], *, bare: bool = False) -> Connection | None:
        """The same command with more variables; what packages it uses isn't known."""
        if bare:
            return None
        env = {**os.environ, **variables}
        return Connection(ProcessTransport(self.argv, env=env, time_limit_s=self.time_limit_s))


def stdio(command: str) -> StdioTarget:
    """The command, cut into words as a POSIX shell does."""
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"stdio:{command} can't be cut into words: {error}.") from error
    if not argv:
        raise UsageError("stdio: names no command; write stdio:COMMAND, such as 'stdio:node a.js'.")
    return StdioTarget(f"stdio:{command.strip()}", argv)
