"""Notices a call in this process that doesn't come back, since nothing can end it from outside.

Python can't stop a function that never returns. What can be done is to say which call it was and
where it stands, and to end the process: a run that hangs without a word helps nobody.
"""

from __future__ import annotations

import contextlib
import faulthandler
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memconform.wire import messages

_LOOKS = 10  # looks within the limit
_FRAMES = 6  # innermost frames that are told
# A loop in C may keep the interpreter's lock, and then no Python looks any more; this long after
# the limit the interpreter itself shows where it stands and ends the process.
_LOCKED_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Hang:
    """A call that has taken too long.

    Attributes:
        operation: what was asked for.
        limit_s: the seconds that it had.
        where: the innermost frames of the thread that it runs in.
    """

    operation: str
    limit_s: float
    where: str


@dataclass(frozen=True)
class _Call:
    begun: float
    line: bytes
    thread: int


class CallWatch:
    """Looks, in a thread of its own, how long the current call has been running.

    Args:
        limit_s: the most seconds that a call may take.
        hung: is told of the first call that takes longer, in the watching thread. It must end the
            process: the call can't be ended.
    """

    def __init__(self, limit_s: float, hung: Callable[[Hang], None]) -> None:
        self._limit_s = limit_s
        self._hung = hung
        self._call: _Call | None = None
        self._thread: threading.Thread | None = None
        self._calls = 0
        self._armed = False

    @contextlib.contextmanager
    def over(self, line: bytes) -> Iterator[None]:
        """Watch while a request is being answered."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, daemon=True)
            self._thread.start()
        self._calls += 1
        if not self._armed:
            self._arm()
        self._call = _Call(time.monotonic(), line, threading.get_ident())
        try:
            yield
        finally:
            self._call = None

    def _arm(self) -> None:
        faulthandler.dump_traceback_later(self._limit_s + _LOCKED_S, exit=True, file=2)
        self._armed = True

    def _disarm(self) -> None:
        # What others do in this process between two calls may take as long as it likes.
        faulthandler.cancel_dump_traceback_later()
        self._armed = False

    def _look(self) -> None:
        seen = 0
        while True:
            time.sleep(self._limit_s / _LOOKS)
            call = self._call
            if call is not None or self._calls != seen:
                self._arm()
            elif self._armed:
                self._disarm()
            seen = self._calls
            if call is not None and time.monotonic() - call.begun > self._limit_s:
                where = _stack(call.thread)
                if self._call is call:  # it hasn't come back in this very moment
                    self._hung(
                        Hang(operation=_operation(call.line), limit_s=self._limit_s, where=where)
                    )
                    return


def _stack(thread: int) -> str:
    frame: Any = sys._current_frames().get(thread)
    return "".join(traceback.format_stack(frame)[-_FRAMES:]) if frame is not None else ""


def _operation(line: bytes) -> str:
    plain = messages.decode(line)
    return str(plain.get("method")) if isinstance(plain, dict) else "a request"
