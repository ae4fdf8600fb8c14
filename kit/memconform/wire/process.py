"""A child process that is spoken to in lines, and that leaves nothing behind.

It runs in a session of its own, so that it can be ended together with every process that it has
started itself, and so that Ctrl-C at a terminal reaches the kit alone.
"""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memconform.wire.evidence import Tail

_CHUNK = 65_536
_UNREAD = 16  # lines kept that nobody asked for; one is a fault already, the rest only costs memory
_LOOK_S = 0.1  # how often a silent child is looked at
_LAST_WORDS_S = 0.5  # for what a child that has ended had still written, and for its exit status
_KILL_S = 5.0


@dataclass(frozen=True)
class Line:
    """One line, without its end."""

    data: bytes


@dataclass(frozen=True)
class TooLong:
    """A line that passed the limit; how it began. Nothing is read after it."""

    start: bytes


@dataclass(frozen=True)
class End:
    """No more lines will come; what stood after the last line's end."""

    rest: bytes


Item = Line | TooLong | End


class Child:
    """A running process with its three pipes.

    Args:
        argv: the command; no shell is involved.
        cwd: where it runs.
        env: its whole environment; null is the kit's own.
        line_limit: the most bytes that one line of it may have.

    Raises:
        OSError: it could not be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None,
        env: Mapping[str, str] | None,
        line_limit: int,
    ) -> None:
        self._process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        self._stdin: IO[bytes] = stdin
        os.set_blocking(self._stdin.fileno(), False)
        self._tail = Tail()
        self._reader = _Reader(stdout, line_limit)
        self._threads = [
            threading.Thread(target=self._reader.run, daemon=True),
            threading.Thread(target=_drain, args=(stderr, self._tail), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        # A kit that ends without closing its connections must not leave processes behind either.
        self._kill = weakref.finalize(self, _kill_group, self._process)

    @property
    def pid(self) -> int:
        """Id of the process, and of its group."""
        return self._process.pid

    def evidence(self) -> str:
        """The end of what it wrote to standard error."""
        return self._tail.text()

    def unread(self) -> Item | None:
        """What it has written that has not been taken yet."""
        return self._reader.take(0)

    def partial(self) -> bytes:
        """The line that it has begun and not ended."""
        return bytes(self._reader.buffer)

    def send(self, data: bytes, deadline: float) -> bool:
        """Write all of it; False when the deadline (monotonic, seconds) came first.

        A closed pipe counts as sent: what the child has to say about it is read next.
        """
        left = memoryview(data)
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            while left:
                wait = min(_LOOK_S, deadline - time.monotonic())
                if wait <= 0:
                    return False
                if not selector.select(wait):
                    if self._process.poll() is not None:
                        return True
                    continue
                try:
                    left = left[os.write(self._stdin.fileno(), left[:_CHUNK]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    return True
        return True

    def receive(self, deadline: float) -> Item | None:
        """The next line or the end; null when the deadline (monotonic, seconds) came first."""
        while True:
            wait = deadline - time.monotonic()
            item = self._reader.take(max(0.0, min(_LOOK_S, wait)))
            if item is not None:
                return item
            if self._process.poll() is not None:
                # A process that it forked may hold the pipe open: no end will be seen.
                return self._reader.take(_LAST_WORDS_S) or End(self.partial())
            if wait <= 0:
                return None

    def last_words(self) -> str:
        """How it ended, once the end of its output has been seen; ends it if it hasn't."""
        try:
            status = self._process.wait(timeout=_LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return "closed its standard output and went on running"
        self.kill()
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"was ended by {signal.Signals(-status).name}"
            return f"was ended by signal {-status}"
        return f"ended with exit status {status}"

    def end(self, grace_s: float) -> None:
        """Close its input, give it some time to end by itself, then end the whole group."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=grace_s)
        self.kill()

    def kill(self) -> None:
        """End it and all processes of its group, now."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        self._kill()
        for thread in self._threads:
            thread.join(timeout=_LAST_WORDS_S)


class _Reader:
    """Cuts what a pipe yields into lines, in a thread of its own."""

    def __init__(self, pipe: IO[bytes], limit: int) -> None:
        self._pipe = pipe
        self._limit = limit
        self._items: queue.Queue[Item] = queue.Queue()
        self.buffer = bytearray()

    def take(self, wait_s: float) -> Item | None:
        try:
            item = self._items.get(timeout=wait_s) if wait_s > 0 else self._items.get_nowait()
        except queue.Empty:
            return None
        if not isinstance(item, Line):
            self._items.put(item)  # the end stays the end, however often one asks
        return item

    def run(self) -> None:
        with self._pipe:
            while chunk := os.read(self._pipe.fileno(), _CHUNK):
                if not self._cut(chunk):
                    break
            else:
                self._items.put(End(bytes(self.buffer)))
                return
            while os.read(self._pipe.fileno(), _CHUNK):
                pass

    def _cut(self, chunk: bytes) -> bool:
        """Take one more chunk; False when a line has passed the limit."""
        parts = chunk.split(b"\n")
        for place, part in enumerate(parts):
            self.buffer += part
            if len(self.buffer) > self._limit:
                self._items.put(TooLong(bytes(self.buffer[:_CHUNK])))
                return False
            if place < len(parts) - 1:
                if self._items.qsize() < _UNREAD:
                    self._items.put(Line(bytes(self.buffer)))
                self.buffer.clear()
        return True


def _drain(pipe: IO[bytes], tail: Tail) -> None:
    with pipe:
        while chunk := os.read(pipe.fileno(), _CHUNK):
            tail.add(chunk)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # macOS answers EPERM for a group of which only the unreaped leader is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_KILL_S)
