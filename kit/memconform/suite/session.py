"""One run's connection to the target, restarted after each fault."""

from __future__ import annotations

from memconform.protocol import Hello
from memconform.targets import Target
from memconform.wire.client import Connection
from memconform.wire.errors import TimedOut, WireError
from memconform.wire.watch import CallWatch

HANGS = 3  # scenarios in a row that ended in a time-out, after which no other is tried


class TargetSession:
    """The connection that the scenarios of one pytest process share.

    A scenario whose connection broke takes it with it: the next one gets a fresh process, so that
    no scenario suffers from another's crash. How often is bounded by the connection; a store that
    hangs in one scenario after the other is given up sooner, since each of them costs the whole
    time limit.

    Args:
        target: what to connect to.
        watch: watches the calls where nothing else ends one that hangs.
    """

    def __init__(self, target: Target, watch: CallWatch | None = None) -> None:
        self.target = target
        self._watch = watch
        self._connection: Connection | None = None
        self._hello: Hello | None = None
        self._hangs = 0

    @property
    def hello(self) -> Hello:
        """What the implementation declares; asked for once."""
        if self._hello is None:
            self._hello = self.connection().hello()
        return self._hello

    def connection(self) -> Connection:
        """The connection, alive.

        Raises:
            WireError: it can't be brought to life, or the store has been given up.
        """
        if self._connection is None:
            self._connection = self.target.connect()
            if self._watch is not None:
                self._connection.watch(self._watch)
        if self._hangs >= HANGS:
            raise _given_up()
        if self._connection.alive:
            self._hangs = 0
            return self._connection
        self._hangs = self._hangs + 1 if isinstance(self._connection.fault, TimedOut) else 0
        if self._hangs >= HANGS:
            raise _given_up()
        self._connection.restart()
        return self._connection

    def close(self) -> WireError | None:
        """End the run; what was still found to be wrong is returned."""
        connection, self._connection = self._connection, None
        return None if connection is None else connection.close()


def _given_up() -> TimedOut:
    return TimedOut(
        f"{HANGS} scenarios in a row ended in a call that was not answered in time; "
        "no further one was tried.",
        hint="See what the first of them waits for.",
    )
