"""Writing to a trace store: parts become visible all at once, or not at all.

A part's files are written under a name that nothing reads, flushed, renamed, and then named in the
list of parts, which is replaced whole. Whatever moment the power fails at, the list names only
files that are complete; what it doesn't name is swept away by the next import.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from memconform.traces.batch import Columns
from memconform.traces.errors import TraceStoreError
from memconform.traces.known import KnownIds
from memconform.traces.schema import MANIFEST, STORE_SCHEMA
from memconform.traces.store import Manifest, Part, TraceStore, open_store

PART_TABLES = ("retrievals", "candidates", "gate_values")
INCOMING = ".incoming"
_LOCK = ".lock"


class StoreWriter:
    """Adds parts to the store of one folder; nobody else may at the same time.

    Args:
        folder: where the store is or will be.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts = list(_opened(folder).parts)
        self.known = KnownIds()
        for part in self._parts:
            path = TraceStore(folder, ()).path("retrievals", part)
            self.known.add(pq.read_table(path, columns=["retrieval_id"])[0].to_pylist())
        self._sweep()

    @property
    def incoming(self) -> Path:
        """A folder for what is not yet in the store; it goes with the import."""
        return self._folder / INCOMING

    def add(self, parts: list[Columns]) -> None:
        """Put parts into the store, all of them or, if interrupted, none."""
        added = [self._written(columns) for columns in parts if columns.retrievals.num_rows]
        if added:
            self._parts += added
            replace_file(self._folder / MANIFEST, _encoded(self._parts))

    def _written(self, columns: Columns) -> Part:
        name = self._name(columns)
        part = Part(
            name=name,
            day=columns.day,
            retrievals=columns.retrievals.num_rows,
            candidates=columns.candidates.num_rows,
        )
        for table, data in zip(
            PART_TABLES,
            (columns.retrievals, columns.candidates, columns.gate_values),
            strict=True,
        ):
            path = TraceStore(self._folder, ()).path(table, part)
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_parquet(self.incoming / f"{table}-{name}", data)
            (self.incoming / f"{table}-{name}").replace(path)
        return part

    def _name(self, columns: Columns) -> str:
        """Made of the ids in it, so that the same import makes the same files anywhere."""
        digest = hashlib.sha256(columns.day.encode())
        for id in columns.retrievals["retrieval_id"].to_pylist():
            digest.update(id.encode())
        return digest.hexdigest()[:16]

    def _sweep(self) -> None:
        """Remove what an interrupted import has left, and begin with an empty incoming folder."""
        shutil.rmtree(self.incoming, ignore_errors=True)
        self.incoming.mkdir()
        store = TraceStore(self._folder, ())
        for table in PART_TABLES:
            wanted = {store.path(table, part) for part in self._parts}
            for path in (self._folder / table).glob("day=*/*.parquet"):
                if path not in wanted:
                    path.unlink()


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[StoreWriter]:
    """A writer of the store in a folder, which is made if need be, with all others kept out.

    Raises:
        TraceStoreError: the folder can't be written to, is no store, or another import is at work.
    """
    folder = folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise TraceStoreError(f"{folder} can't be written to: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TraceStoreError(
                f"Another import is writing to {folder}; try again when it is done."
            ) from None
        writer = StoreWriter(folder)
        try:
            yield writer
        finally:
            shutil.rmtree(writer.incoming, ignore_errors=True)
    finally:
        os.close(lock)


def replace_file(path: Path, data: bytes) -> None:
    """Write a whole file so that a reader sees the old one or the new one."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def write_table(path: Path, table: pa.Table) -> None:
    """Write a small table so that a reader sees the old one or the new one."""
    fresh = path.with_name(f".{path.name}.new")
    _write_parquet(fresh, table)
    fresh.replace(path)


def _write_parquet(path: Path, table: pa.Table) -> None:
    # The Arrow schema is left out: with it some readers show dictionaries instead of texts.
    with path.open("wb") as file:
        # Statistics are left out, too: they cost a fifth of the writing, and days are in the path.
        pq.write_table(table, file, compression="zstd", store_schema=False, write_statistics=False)
        file.flush()
        os.fsync(file.fileno())


def _opened(folder: Path) -> TraceStore:
    if (folder / MANIFEST).exists():
        return open_store(folder)
    # The list is there before the first part: folders of these names are somebody else's.
    strange = [table for table in PART_TABLES if (folder / table).exists()]
    if strange:
        raise TraceStoreError(
            f"{folder} is no trace store and has a {strange[0]} in it; name another folder."
        )
    replace_file(folder / MANIFEST, _encoded([]))
    return open_store(folder)


def _encoded(parts: list[Part]) -> bytes:
    manifest = Manifest(schema=STORE_SCHEMA, parts=sorted(parts, key=lambda p: (p.day, p.name)))
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
