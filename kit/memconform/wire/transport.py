"""What carries one line to an implementation and one line back."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from memconform.protocol import System
from memconform.wire import messages
from memconform.wire.dispatcher import Dispatcher
from memconform.wire.errors import BadMessage, Crashed, StartFailed, TimedOut, WireError
from memconform.wire.evidence import Tail
from memconform.wire.process import Child, End, Item, Line, TooLong
from memconform.wire.watch import CallWatch

TIME_LIMIT_S = 10.0
START_LIMIT_S = 60.0  # an implementation may have to load a model
GRACE_S = 2.0
LINE_LIMIT = 16 * 1024 * 1024

Way = Literal["in-process", "wire"]


class Transport(Protocol):
    """Carries lines. It starts by itself when the first line is sent."""

    way: Way

    def exchange(self, line: bytes) -> bytes:
        """Send one line and wait for one; neither has its end.

        Raises:
            StartFailed, Crashed, TimedOut, BadMessage: see memconform.wire.errors.
        """
        ...

    def evidence(self) -> str:
        """The end of what the other side wrote to standard error."""
        ...

    def watch(self, watch: CallWatch) -> None:
        """Have the calls watched, where no time limit of its own ends them."""
        ...

    def restart(self) -> None:
        """Forget what there was and begin anew."""
        ...

    def abandon(self) -> None:
        """End it at once: what comes next can't be understood."""
        ...

    def close(self) -> WireError | None:
        """End it in good order; returns what was still found to be wrong."""
        ...


class LocalTransport:
    """An implementation in this process, spoken to in the very messages of the wire.

    A hang can't be ended here, only be noticed (``watch``); for a time limit there is the wire.
    What the implementation prints goes to standard error, as it does on the wire.
    """

    way: Way = "in-process"

    def __init__(self, system: System) -> None:
        self._system = system
        self._log = Tail()
        self._dispatcher = Dispatcher(system, log=self._log.add)
        self._watch: CallWatch | None = None

    def exchange(self, line: bytes) -> bytes:
        """One request to the dispatcher; an exit is the crash that it would be on the wire."""
        watched = contextlib.nullcontext() if self._watch is None else self._watch.over(line)
        try:
            with watched, contextlib.redirect_stdout(sys.stderr):
                return self._dispatcher.handle(line)
        except SystemExit as error:
            raise Crashed(
                f"The implementation ended the process with exit status {error.code}.",
                hint="Raise an error instead of exiting.",
                evidence=self.evidence(),
            ) from error

    def evidence(self) -> str:
        """The tracebacks of what the implementation raised, the last of them."""
        return self._log.text()

    def watch(self, watch: CallWatch) -> None:
        """Have every call from now on watched."""
        self._watch = watch

    def restart(self) -> None:
        """Close all stores and begin with none; the System stays the same."""
        self.close()
        self._dispatcher = Dispatcher(self._system, log=self._log.add)

    def abandon(self) -> None:
        """Close all stores."""
        self.close()

    def close(self) -> WireError | None:
        """Close all stores."""
        with contextlib.redirect_stdout(sys.stderr):
            self._dispatcher.close()
        return None


class ProcessTransport:
    """An implementation in a process of its own, spoken to over its standard input and output.

    Attributes:
        time_limit_s: for each call but the first, in seconds; it may be changed between two.

    Args:
        argv: the command, without a shell.
        cwd: where it runs; null is here.
        env: its whole environment; null is the kit's own.
        time_limit_s: see the attribute.
        start_limit_s: for the first call, which the start belongs to.
        grace_s: how long a process may take to end by itself when its input is closed.
        line_limit: the most bytes of one line of its.
    """

    way: Way = "wire"

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        time_limit_s: float = TIME_LIMIT_S,
        start_limit_s: float = START_LIMIT_S,
        grace_s: float = GRACE_S,
        line_limit: int = LINE_LIMIT,
    ) -> None:
        self._argv = list(argv)
        self._cwd = cwd
        self._env = env
        self.time_limit_s = time_limit_s
        self._start_limit_s = start_limit_s
        self._grace_s = grace_s
        self._line_limit = line_limit
        self._child: Child | None = None
        self._answered = False

    @property
    def pid(self) -> int | None:
        """Id of the process and of its group; null before it runs."""
        return None if self._child is None else self._child.pid

    def exchange(self, line: bytes) -> bytes:
        """Send one line and wait for one, within the time limit; a fault ends the process."""
        child = self._child
        if child is None:
            child = self._start()
        elif (unasked := child.unread()) is not None:
            raise self._unasked(child, unasked)
        limit = self.time_limit_s if self._answered else self._start_limit_s
        deadline = time.monotonic() + limit
        if not child.send(line + b"\n", deadline):
            raise self._late(child, limit, "It did not read the request.")
        item = child.receive(deadline)
        if item is None:
            begun = "It had sent half a line." if child.partial() else "It had sent nothing."
            raise self._late(child, limit, begun)
        if not isinstance(item, Line):
            raise self._over(child, item)
        self._answered = True
        return item.data

    def evidence(self) -> str:
        """The end of what the process wrote to standard error."""
        return "" if self._child is None else self._child.evidence()

    def watch(self, watch: CallWatch) -> None:
        """Nothing to watch: each call has a time limit here, and its process can be ended."""

    def restart(self) -> None:
        """End the process; the next line starts another."""
        self.abandon()
        self._child = None
        self._answered = False

    def abandon(self) -> None:
        """End the process and all of its group at once."""
        if self._child is not None:
            self._child.kill()

    def close(self) -> WireError | None:
        """Close the process's input, wait a moment, end what is left; say what it still wrote."""
        if self._child is None:
            return None
        self._child.end(self._grace_s)
        item = self._child.unread()
        nothing = item is None or item == End(b"")
        return None if nothing or item is None else self._unasked(self._child, item)

    # --- what can go wrong -------------------------------------------------------------------

    def _start(self) -> Child:
        try:
            self._child = Child(
                self._argv, cwd=self._cwd, env=self._env, line_limit=self._line_limit
            )
        except (OSError, ValueError) as error:
            raise StartFailed(
                f"{shlex.join(self._argv)} could not be started: {error}.",
                hint="See that the command exists and may be run from here.",
            ) from error
        return self._child

    def _late(self, child: Child, limit: float, begun: str) -> TimedOut:
        partial = child.partial()
        child.kill()
        return TimedOut(
            f"No answer came within {limit:g} seconds. {begun}",
            hint="See whether it waits for something, or whether its output is buffered.",
            evidence=child.evidence() or messages.shortened(partial),
        )

    def _unasked(self, child: Child, item: Item) -> WireError:
        if not isinstance(item, Line):
            return self._over(child, item)
        child.kill()
        return BadMessage(
            "A line came that nobody had asked for.",
            hint="Answer each request once, and write nothing else to standard output.",
            evidence=messages.shortened(item.data),
        )

    def _over(self, child: Child, item: End | TooLong) -> WireError:
        if isinstance(item, TooLong):
            child.kill()
            return BadMessage(
                f"A line is longer than {self._line_limit} bytes.",
                hint="End each message with a line feed, and keep answers to what was asked for.",
                evidence=messages.shortened(item.start),
            )
        how = child.last_words()
        if item.rest:
            return BadMessage(
                f"Half a line came; then the process {how}.",
                hint="Write each message whole, with a line feed, and flush it.",
                evidence=f"{messages.shortened(item.rest)}\n{child.evidence()}".rstrip(),
            )
        if not self._answered:
            return StartFailed(
                f"{shlex.join(self._argv)} {how} before its first answer.",
                hint="Run the command by hand and see what it says.",
                evidence=child.evidence(),
            )
        return Crashed(
            f"The process {how}.",
            hint="Its standard error may say why.",
            evidence=child.evidence(),
        )
