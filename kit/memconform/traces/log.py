"""The file that a trace log is: lines are appended, whole, also by several processes at once."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

from memconform.model.trace_log import LoggedRetrieval
from memconform.traces.errors import TraceError
from memconform.traces.lines import encoded

_LOGGER = logging.getLogger(__name__)


class TraceLog:
    """Appends lines to a file. A line that can't be written is counted and changes nothing else.

    Args:
        path: the file; it is made if need be, and readable for its owner only.
        with_text: whether lines hold queries and contents.

    Attributes:
        failures: how many lines were lost.

    Raises:
        TraceError: the file can't be opened.
    """

    def __init__(self, path: Path | str, *, with_text: bool = False) -> None:
        self.path = Path(path)
        self.with_text = with_text
        self.failures = 0
        self._lock = threading.Lock()
        self._append(b"")

    def write(self, line: LoggedRetrieval) -> None:
        """Append one line."""
        try:
            self._append(encoded(line))
        except (TraceError, UnicodeEncodeError) as error:
            self.lost(error)

    def lost(self, error: Exception) -> None:
        """Count a line that could not be made or written; the first one is told."""
        self.failures += 1
        if self.failures == 1:
            _LOGGER.warning("a retrieval could not be logged: %s", error)

    def _append(self, data: bytes) -> None:
        # Opened for each line: the file may be rotated away, and forks share no position. One
        # write to a file opened for appending lands in one piece.
        try:
            with self._lock:
                file = os.open(
                    self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600
                )
                try:
                    if data and os.write(file, data) != len(data):
                        raise OSError(0, "only a part of it was written")
                finally:
                    os.close(file)
        except OSError as error:
            raise TraceError(
                f"The trace log {self.path} can't be written to: {error.strerror}."
            ) from error
