"""Where a store lives: a folder, shared by its connections, removed with the last if temporary."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path


class Home:
    """A root folder and how many open stores use it.

    Args:
        root: the folder.
        temporary: whether it goes when its last user leaves, or at the latest when the process
            ends.

    Attributes:
        lasting: whether it stays, so that what is in it must outlast a power failure.
    """

    def __init__(self, root: Path, *, temporary: bool = False) -> None:
        self.root = root
        self.lasting = not temporary
        self._users = 0
        self._remove = weakref.finalize(self, _remove, root, os.getpid()) if temporary else None

    @classmethod
    def temporary(cls) -> Home:
        """A fresh, empty folder."""
        return cls(Path(tempfile.mkdtemp(prefix="memconform-")), temporary=True)

    def enter(self) -> None:
        """One more store uses the folder."""
        self._users += 1

    def leave(self) -> None:
        """One store less uses the folder."""
        self._users -= 1
        if self._users == 0 and self._remove is not None:
            self._remove()


def _remove(root: Path, owner: int) -> None:
    # A forked child ends, too, but the folder is its parent's.
    if os.getpid() == owner:
        shutil.rmtree(root, ignore_errors=True)
