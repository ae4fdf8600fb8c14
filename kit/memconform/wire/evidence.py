"""What is kept of an implementation's standard error: its end, and no more than that."""

from __future__ import annotations

KEPT = 16_384  # bytes


class Tail:
    """The last bytes of what was written, however much that was."""

    def __init__(self) -> None:
        self._bytes = b""

    def add(self, data: bytes | str) -> None:
        """Append, and forget what is older than the last KEPT bytes."""
        if isinstance(data, str):
            data = data.encode("utf-8", "backslashreplace")
        self._bytes = (self._bytes + data)[-KEPT:]

    def text(self) -> str:
        """What is kept, readable whatever it was."""
        return self._bytes.decode("utf-8", "backslashreplace")
