"""One run's connection to the target, fresh after each fault."""

from __future__ import annotations

from memconform.protocol import Hello
from memconform.targets import Target
from memconform.wire.client import Connection


class TargetSession:
    """The connection that the scenarios of one pytest process share.

    A scenario whose connection broke takes it with it: the next one asks for a connection and gets
    a new process, so that no scenario suffers from another's crash.
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
        """The open connection, or a new one where there is none."""
        if self._connection is None:
            self._connection = self.target.connect()
        return self._connection

    def discard(self) -> None:
        """Drop a connection that broke."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """End the run."""
        self.discard()
