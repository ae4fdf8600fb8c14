"""What a run writes while it goes: one JSON object a line, with an end, so that a cut run shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec


class EventLog:
    """Appends events to a file; each line is on disk before the next scenario starts."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        if path is not None:
            path.write_bytes(b"")

    def write(self, event: str, **fields: Any) -> None:
        """Append one event."""
        if self._path is None:
            return
        line = msgspec.json.encode({"event": event, **fields})
        with self._path.open("ab") as stream:
            stream.write(line + b"\n")
