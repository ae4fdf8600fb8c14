"""Trouble with an index, made to order: the capability ``faults`` of a store that has an index.

Nothing is pretended. The file is removed, damaged, locked by another connection or replaced by
something that is no file, and the store meets what it would meet on a bad day.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

from memconform.protocol import Invalid

FAULTS = ("index-missing", "index-corrupt", "index-locked", "index-unreadable")
_DAMAGE = b"\xff" * 4096


class IndexBreaker:
    """Breaks an index file and mends what it broke.

    ``index-missing`` and ``index-corrupt`` happen once; there is nothing to switch off. The other
    two last until they are switched off, or the store is closed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._blocked = False
        self._holder: sqlite3.Connection | None = None

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a fault on or off.

        Raises:
            Invalid: there is no such fault.
        """
        if name not in FAULTS:
            raise Invalid(f"there is no fault {name!r}; there are {', '.join(FAULTS)}")
        if name == "index-locked":
            self._lock() if on else self._unlock()
        elif name == "index-unreadable":
            self._block() if on else self._unblock()
        elif on:
            self._remove() if name == "index-missing" else self._damage()

    def mend(self) -> None:
        """Switch everything off."""
        self._unlock()
        self._unblock()

    def _remove(self) -> None:
        self._path.unlink(missing_ok=True)

    def _damage(self) -> None:
        with contextlib.suppress(FileNotFoundError), self._path.open("r+b") as file:
            file.write(_DAMAGE)

    def _lock(self) -> None:
        if self._holder is None:
            self._holder = sqlite3.connect(self._path, isolation_level=None)
            self._holder.execute("BEGIN EXCLUSIVE")

    def _unlock(self) -> None:
        if self._holder is not None:
            self._holder.close()
            self._holder = None

    def _block(self) -> None:
        # A folder that isn't empty can be neither opened nor replaced as a file could.
        if not self._blocked:
            self._path.unlink(missing_ok=True)
            self._path.mkdir()
            (self._path / "in the way").touch()
            self._blocked = True

    def _unblock(self) -> None:
        if self._blocked:
            shutil.rmtree(self._path)
            self._blocked = False
