"""Trouble made to order: the capability ``faults`` of the authority store.

The troubles of the database are real: it is closed under the store, locked by another connection,
allowed no further page, overwritten, replaced by a folder, or made anew as an older version would
have made it. A policy and an audit that raise are put in the place of those in use. All of it but
the older version, which happens once, lasts until it is switched off.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memconform.protocol import Invalid
from memconform.reference.authority_schema import SCHEMA, as_version_1
from memconform.reference.authority_tables import FILE

if TYPE_CHECKING:
    from memconform.reference.authority import AuthorityStore

FAULTS = (
    "database-closed",
    "database-locked",
    "database-full",
    "database-corrupt",
    "database-unreadable",
    "database-newer",
    "database-older",
    "policy-raises",
    "audit-raises",
)
_DAMAGE = b"\xff" * 4096
_KEPT = ".kept"  # what is overwritten or moved away meanwhile


class StoreBreaker:
    """Breaks one open store and mends what it broke."""

    def __init__(self, store: AuthorityStore, folder: Path) -> None:
        self._store = store
        self._path = folder / FILE
        self._kept = folder / (FILE + _KEPT)
        self._on: dict[str, Callable[[], None]] = {}

    def switch(self, name: str, *, on: bool) -> None:
        """Switch a fault on or off.

        Raises:
            Invalid: there is no such fault.
        """
        if name not in FAULTS:
            raise Invalid(f"there is no fault {name!r}; there are {', '.join(FAULTS)}")
        if on and name not in self._on:
            self._on[name] = getattr(self, "_" + name.replace("-", "_"))()
        elif not on and name in self._on:
            self._on.pop(name)()

    def mend(self) -> None:
        """Switch everything off."""
        for name in list(self._on):
            self.switch(name, on=False)

    def _database_closed(self) -> Callable[[], None]:
        database = self._store.database
        if database is not None:
            database.close()
        return self._store.connect

    def _database_locked(self) -> Callable[[], None]:
        holder = sqlite3.connect(self._path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        return holder.close

    def _database_full(self) -> Callable[[], None]:
        database = self._store.database
        if database is not None:
            database.limit_pages()
        return self._store.connect

    def _database_corrupt(self) -> Callable[[], None]:
        return self._replaced(lambda: self._path.write_bytes(_DAMAGE))

    def _database_unreadable(self) -> Callable[[], None]:
        return self._replaced(self._path.mkdir)

    def _replaced(self, put: Callable[[], object]) -> Callable[[], None]:
        self._store.disconnect()
        # Closing the last connection has put everything into this one file.
        with contextlib.suppress(FileNotFoundError):
            self._path.rename(self._kept)
        put()
        self._store.connect()

        def back() -> None:
            self._store.disconnect()
            if self._path.is_dir():
                shutil.rmtree(self._path)
            with contextlib.suppress(FileNotFoundError):
                self._kept.replace(self._path)
            self._store.connect()

        return back

    def _database_newer(self) -> Callable[[], None]:
        self._mark(SCHEMA + 1)
        return lambda: self._mark(SCHEMA)

    def _mark(self, version: int) -> None:
        self._store.disconnect()
        with contextlib.closing(sqlite3.connect(self._path)) as db:
            db.execute(f"PRAGMA user_version = {version}")
        self._store.connect()

    def _database_older(self) -> Callable[[], None]:
        self._store.disconnect()
        as_version_1(self._path)
        self._store.connect()
        return lambda: None  # it has happened

    def _policy_raises(self) -> Callable[[], None]:
        return self._store.with_parts(decide=_raise)

    def _audit_raises(self) -> Callable[[], None]:
        return self._store.with_parts(audit=_raise)


def _raise(*_: object, **__: object) -> object:
    raise RuntimeError("a fault that was switched on")
