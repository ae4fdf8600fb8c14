"""One run's connection to the target, restarted after each fault."""

from __future__ import annotations

from memconform.protocol import Hello
from memconform.targets import Target
from memconform.wire.client import Connection
from memconform.wire.errors import WireError


class TargetSession:
    """The connection that the scenarios of one pytest process share.

    A scenario whose connection broke takes it with it: the next one gets a fresh process, so that
    no scenario suffers from another's crash. How often is bounded by the connection.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self._connection: Connection | None = None
        self._hello: Hello | None = None

    @property
    def hello(self) -> Hello:
        """What the implementation declares; asked for once."""
        if self._hello is None:
            self._hello = self.connection().hello()
        return self._hello

    def connection(self) -> Connection:
        """The connection, alive."""
        if self._connection is None:
            self._connection = self.target.connect()
        if not self._connection.alive:
            self._connection.restart()
        return self._connection

    def close(self) -> WireError | None:
        """End the run; what was still found to be wrong is returned."""
        connection, self._connection = self._connection, None
        return None if connection is None else connection.close()
