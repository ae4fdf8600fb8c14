"""The memories of a folder, read once: a file is read again only when its stamp has changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from memconform.model import Record
from memconform.reference.files import Malformed, RecordFiles, Stamp, Unreadable


class _Known(NamedTuple):
    record: Record | None  # null for a file that is malformed or can't be read
    stamp: Stamp
    settled: bool


class RecordCache:
    """What the files hold, as of the last ``refresh``.

    Args:
        files: where they are.
        token_set: gives the tokens of a memory; kept as long as its file doesn't change.

    Attributes:
        records: the well-formed memories and tombstones, by id.
        malformed: how many files are no memory, or can't be read.
    """

    def __init__(self, files: RecordFiles, token_set: Callable[[Record], frozenset[str]]) -> None:
        self.records: dict[str, Record] = {}
        self.malformed = 0
        self._files = files
        self._token_set = token_set
        self._tokens: dict[str, tuple[Record, frozenset[str]]] = {}
        self._superseding: dict[str, list[Record]] | None = None
        self._known: dict[str, _Known] = {}
        self._scanned: dict[str, Stamp | None] | None = None
        self._unsettled = False

    def refresh(self) -> None:
        """Look at the stamp of every file; read what is new, changed, or too young to be sure of.

        Raises:
            Unavailable: the folder can't be read.
        """
        now = time.time_ns()
        scanned = self._files.scan()
        if scanned == self._scanned and not self._unsettled:
            return
        known: dict[str, _Known] = {}
        broken = 0
        for id, stamp in scanned.items():
            if stamp is None:
                broken += 1
                continue
            before = self._known.get(id)
            if before is not None and before.settled and before.stamp == stamp:
                known[id] = before
            elif (looked_at := self._look(id, stamp, now)) is not None:
                known[id] = looked_at
        records = {id: k.record for id, k in known.items() if k.record is not None}
        malformed = broken + len(known) - len(records)
        # Only now, so that a refresh that is interrupted leaves the former state whole.
        self._scanned, self._known = scanned, known
        self.records, self.malformed = records, malformed
        if len(self._tokens) > 2 * len(records) + 64:  # mostly of memories that are gone
            self._tokens = {id: kept for id, kept in self._tokens.items() if id in records}
        self._superseding = None
        self._unsettled = any(not k.settled for k in known.values())

    def tokens(self, record: Record) -> frozenset[str]:
        """The tokens of a memory of this cache."""
        kept = self._tokens.get(record.id)
        if kept is None or kept[0] is not record:
            kept = self._tokens[record.id] = (record, self._token_set(record))
        return kept[1]

    def successors(self, id: str) -> list[Record]:
        """The memories that say that they supersede this one."""
        if self._superseding is None:
            self._superseding = {}
            for record in self.records.values():
                if record.supersedes is not None:
                    self._superseding.setdefault(record.supersedes, []).append(record)
        return self._superseding.get(id, [])

    def _look(self, id: str, scanned: Stamp, now: int) -> _Known | None:
        try:
            found = self._files.read(id)
        except Malformed:
            return _Known(None, scanned, scanned.settled(now))
        except Unreadable:
            return _Known(None, scanned, settled=False)  # the next time it may be read again
        if found is None:  # removed since the scan
            return None
        record, stamp = found
        return _Known(record, stamp, stamp.settled(now))
