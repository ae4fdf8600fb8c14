"""What carries one line to an implementation and one line back."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Literal, Protocol

from memconform.protocol import System
from memconform.wire.dispatcher import Dispatcher
from memconform.wire.errors import Crashed, WireError

EVIDENCE_KEPT = 16_384  # characters of standard error, counted from its end

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

    A hang can't be ended here and takes the run with it; for a time limit there is the wire. What
    the implementation prints goes to standard error, as it does on the wire.
    """

    way: Way = "in-process"

    def __init__(self, system: System) -> None:
        self._system = system
        self._log = _Tail()
        self._dispatcher = Dispatcher(system, log=self._log)

    def exchange(self, line: bytes) -> bytes:
        """One request to the dispatcher; an exit is the crash that it would be on the wire."""
        try:
            with contextlib.redirect_stdout(sys.stderr):
                return self._dispatcher.handle(line)
        except SystemExit as error:
            raise Crashed(
                f"The implementation ended the process with exit status {error.code}.",
                hint="Raise an error instead of exiting.",
                evidence=self.evidence(),
            ) from error

    def evidence(self) -> str:
        """The tracebacks of what the implementation raised, the last of them."""
        return self._log.getvalue()

    def restart(self) -> None:
        """Close all stores and begin with none; the System stays the same."""
        self.close()
        self._dispatcher = Dispatcher(self._system, log=self._log)

    def abandon(self) -> None:
        """Close all stores."""
        self.close()

    def close(self) -> WireError | None:
        """Close all stores."""
        with contextlib.redirect_stdout(sys.stderr):
            self._dispatcher.close()
        return None


class _Tail(io.StringIO):
    """A text file that keeps only its end."""

    def write(self, text: str) -> int:
        super().write(text)
        if self.tell() > 2 * EVIDENCE_KEPT:
            kept = self.getvalue()[-EVIDENCE_KEPT:]
            self.seek(0)
            self.truncate()
            super().write(kept)
        return len(text)
