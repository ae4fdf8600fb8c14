"""Trouble made to order: the capability ``faults`` of a store that has files and an index.

======================  ==========================================================================
``index-missing``       the index's file is removed, once
``index-corrupt``       the index's file is damaged, once
``index-locked``        another connection keeps the index to itself
``index-unreadable``    something that is no file stands in the index's place
``disk-full``           no space is left while a memory is written: half of it gets onto the disk
``record-unreadable``   the file of the memory written last can't be read
``writer-killed``       ``write`` is done by a process that gets SIGKILL in the middle of it
======================  ==========================================================================

The trouble with the index is real. A full disk and an unreadable sector can't be had without
harm; there the system's own errors (ENOSPC, EIO) are raised where it would raise them. What
happens only once needs no switching off; the rest lasts until then, or until the store is closed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
from itertools import cycle
from pathlib import Path
from typing import BinaryIO, NoReturn

from memconform.model import RecordDraft, Settings
from memconform.protocol import Conflict, Invalid, Unavailable
from memconform.reference.files import Disk, RecordFiles
from memconform.reference.killing import MOMENTS, write_killed

INDEX_FAULTS = ("index-missing", "index-corrupt", "index-locked", "index-unreadable")
DISK_FAULTS = ("disk-full", "record-unreadable", "writer-killed")
FAULTS = (*INDEX_FAULTS, *DISK_FAULTS)
_DAMAGE = b"\xff" * 4096


class IndexBreaker:
    """Breaks an index file and mends what it broke."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._blocked = False
        self._holder: sqlite3.Connection | None = None

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a fault on or off.

        Raises:
            Invalid: there is no such fault.
        """
        if name not in INDEX_FAULTS:
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


class DiskBreaker(Disk):
    """Puts itself in the place of a folder's disk; the caller holds the folder's lock.

    Attributes:
        kills: whether writers are to be killed.
    """

    def __init__(self, files: RecordFiles) -> None:
        self.kills = False
        self._files = files
        self._full = False
        self._unreadable: str | None = None
        self._moments = cycle(MOMENTS)
        files.disk = self

    def switch(self, name: str, *, on: bool) -> None:
        """Switch one of DISK_FAULTS on or off.

        Raises:
            Conflict: no memory has been written that could become unreadable.
        """
        if name == "disk-full":
            self._full = on
        elif name == "writer-killed":
            self.kills = on
        elif on:
            self._spoil()
        else:
            self._unreadable = None

    def write(self, stream: BinaryIO, data: bytes) -> None:
        """Write all of it, or half of it on a full disk."""
        if self._full:
            super().write(stream, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        super().write(stream, data)

    def read(self, stream: BinaryIO, id: str) -> bytes:
        """Read all that a file holds, if it can be read."""
        if id == self._unreadable:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(stream, id)

    def write_and_be_killed(
        self, record: RecordDraft, settings: Settings, workspace: str | None
    ) -> NoReturn:
        """Have a memory written by a process that is killed, each time at another moment.

        Raises:
            Unavailable: always; nobody can say whether the memory is there.
        """
        write_killed(self._files.root, record, settings, workspace, next(self._moments))
        raise Unavailable(
            "the process that wrote was killed before it could answer; ask whether the memory is "
            "there, or write it again"
        )

    def _spoil(self) -> None:
        id = self._files.last_written
        if id is None:
            raise Conflict("no memory was written whose file could become unreadable; write one")
        self._unreadable = id
        self._files.touch(id)  # what was read before doesn't hide it
