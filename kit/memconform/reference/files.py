"""The canonical memories of a store: one JSON file each, under one folder of one root.

::

    ROOT/memory/ID.json   one memory, or the tombstone of a forgotten one; canonical JSON
    ROOT/memory.lock      held (flock) by whoever changes something

What holds of these files, whoever reads or writes them (sources: core "Nothing acknowledged is
lost", foundation "Two modes, one answer"):

- A file is whole or absent. It is written under another name, synced, then linked (a new memory,
  which never replaces one) or renamed (a changed one), then the folder is synced; only after that
  is a write acknowledged. In a folder that is thrown away with its process the syncs, which only a
  power failure could miss, are left out.
- Nothing outside the root is read or written. An id is a plain file name; a link, a folder or a
  pipe in the place of a file is not followed, and counts as malformed.
- A malformed file is left as it is, kept out of retrieval, and counted; so is one that can't be
  read, until it can. Whoever asks for such a memory by its id is told.
- Forgetting leaves a tombstone: id, place, times and version, but nothing of the content, tags or
  sources stays on the disk. Purging leaves nothing.

Works where POSIX file locks do (Linux, macOS). A file system error is an ``Unavailable`` whose
sentence names the trouble but no path.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec

from memconform.model import Record, Response, from_plain, to_plain
from memconform.model.record import RecordScope
from memconform.protocol import Conflict, Invalid, Unavailable
from memconform.retrieval.records import stored_record

FOLDER = "memory"
LOCK = "memory.lock"
SUFFIX = ".json"
# No id starts with a dot, so no id is ever this name. One is enough: writers hold the lock.
TEMPORARY = ".writing"
ID_PATTERN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
LOCK_SECONDS = 10.0
# A time stamp younger than this may stand for two states of a file, because clocks of file
# systems tick in steps (up to 10 ms in Linux): what was read then is looked at again.
UNSETTLED_NS = 50_000_000
_SCANS = 3
# How opening says that there is a link, a socket, or something that we may not read.
_NO_PLAIN_FILE = (errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM)

# A forgotten memory must have some content in memory for the type's sake. No surface shows it.
NO_CONTENT = "(forgotten)"


class Tombstone(Response, frozen=True, kw_only=True):
    """What the disk keeps of a forgotten memory: enough to say so, and to whom."""

    forgotten: Literal[True]
    id: str
    scope: RecordScope
    workspace: str | None
    project: str | None
    agent_visible: bool
    created_at: str
    updated_at: str
    deleted_at: str
    version: int


class Stamp(NamedTuple):
    """What tells one state of a file from another without reading it."""

    mtime_ns: int
    size: int
    inode: int

    def settled(self, now_ns: int) -> bool:
        """Whether a state seen at this time (of the wall clock) can't change unnoticed."""
        return now_ns - self.mtime_ns >= UNSETTLED_NS


class Unreadable(Unavailable):
    """There is a file, and reading it fails: the disk's fault, not that of what it holds."""


class Disk:
    """How a file's content is written and read: the seam for trouble made to order."""

    def write(self, stream: BinaryIO, data: bytes) -> None:
        """Write all of it. Raises: OSError."""
        stream.write(data)
        stream.flush()

    def read(self, stream: BinaryIO, id: str) -> bytes:
        """Read all that the file of this memory holds. Raises: OSError."""
        return stream.read()


class Malformed(Exception):
    """A stored file is no memory: broken JSON, an unknown field, a wrong id, no plain file."""


def check_id(id: str) -> str:
    """The id itself, if it may be one.

    Raises:
        Invalid: it isn't 1 to 128 characters out of ``A-Z a-z 0-9 . _ -``, or starts with a dot.
    """
    if ID_PATTERN.fullmatch(id) is None:
        raise Invalid(
            "an id has 1 to 128 characters out of A-Z a-z 0-9 . _ - and doesn't start with a dot; "
            "give another one",
            {"field": "id"},
        )
    return id


def canonical(value: Any) -> bytes:
    """A value as canonical JSON: UTF-8, keys sorted, no blanks."""
    return msgspec.json.encode(value, order="sorted")


_BLANK = Record(
    id="none",
    content=NO_CONTENT,
    scope="user",
    workspace=None,
    project=None,
    type="fact",
    authority="reference",
    tags=[],
    confidence=1.0,
    importance=0.5,
    created_at="",
    updated_at="",
    observed_at=None,
    valid_from=None,
    valid_to=None,
    expires_at=None,
    disabled_at=None,
    deleted_at=None,
    superseded_at=None,
    supersedes=None,
    agent_visible=True,
    sources=[],
    version=1,
)


def entomb(record: Record, at: str) -> Record:
    """A memory forgotten at this time: id, place, times and version stay, all else is dropped."""
    return msgspec.structs.replace(
        _BLANK,
        id=record.id,
        scope=record.scope,
        workspace=record.workspace,
        project=record.project,
        agent_visible=record.agent_visible,
        created_at=record.created_at,
        updated_at=at,
        deleted_at=at,
        version=record.version + 1,
    )


def encode(record: Record) -> bytes:
    """What the file of a memory holds; of a deleted one only its tombstone."""
    if record.deleted_at is None:
        return canonical(record) + b"\n"
    return (
        canonical(
            Tombstone(
                forgotten=True,
                id=record.id,
                scope=record.scope,
                workspace=record.workspace,
                project=record.project,
                agent_visible=record.agent_visible,
                created_at=record.created_at,
                updated_at=record.updated_at,
                deleted_at=record.deleted_at,
                version=record.version,
            )
        )
        + b"\n"
    )


def decode(id: str, data: bytes) -> Record:
    """The memory that a file of this id holds; a tombstone is a deleted one without content.

    Raises:
        Malformed: the bytes are no record and no tombstone, or one of another id.
    """
    try:
        plain = msgspec.json.decode(data)
        record = stored_record(_untombed(plain) if _is_tombstone(plain) else plain)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, Invalid) as error:
        raise Malformed from error
    if record.id != id:
        raise Malformed
    return record


def _is_tombstone(plain: Any) -> bool:
    return isinstance(plain, dict) and "forgotten" in plain


def _untombed(plain: Any) -> dict[str, Any]:
    """A tombstone in the shape of a record, which is what retrieval counts."""
    known = to_plain(from_plain(plain, Tombstone))
    del known["forgotten"]
    return {**to_plain(_BLANK), **known}


class RecordFiles:
    """The memories under one root, as files. Knows nothing of them but where they are.

    Args:
        root: an existing folder, or one to make; everything stays inside it.
        synced: whether what is acknowledged must outlast a power failure, too.

    Attributes:
        disk: how contents are written and read.
        last_written: the id of the memory that was stored last, here; null before.
        failures: how often reading a file has failed, by cause.
    """

    def __init__(self, root: Path, *, synced: bool = True) -> None:
        self.root = root
        self.disk = Disk()
        self.last_written: str | None = None
        self.failures: Counter[str] = Counter()
        self._synced = synced
        self._locked = False
        with _reported():
            root.mkdir(parents=True, exist_ok=True)
            (root / FOLDER).mkdir(exist_ok=True)
            with self._folder():  # refuses a link in the place of the folder
                pass

    # --- looking -----------------------------------------------------------------------------

    def folder_stamp(self) -> Stamp:
        """The state of the folder: changes when a file is added, replaced or removed.

        A file rewritten in place, which the layout forbids, doesn't change it.
        """
        with _reported(), self._folder() as folder:
            return _stamp(os.fstat(folder))

    def stamps(self, ids: Iterable[str]) -> list[Stamp | None]:
        """The states of some files; null for none, or for what can be no memory."""
        with _reported(), self._folder() as folder:
            return [_stamp_at(folder, id + SUFFIX) for id in ids]

    def scan(self) -> dict[str, Stamp | None]:
        """The stamp of each file that calls itself a memory, by id; null for no plain file.

        A name that no id may have shows under the name itself, with null. Other names are nobody's
        business.
        """
        with _reported(), self._folder() as folder:
            for _ in range(_SCANS):
                before = _stamp(os.fstat(folder))
                found = _scan(folder)
                if _stamp(os.fstat(folder)) == before:
                    return found
            # A name may be missed while others are renamed; with the lock it is quiet.
            with self.locked():
                return _scan(folder)

    def read(self, id: str) -> tuple[Record, Stamp] | None:
        """One memory and the stamp of the state that was read; null if there is none.

        Raises:
            Malformed: there is something, but no memory.
            Unreadable: there is a file, but reading it fails.
        """
        with _reported(), self._folder() as folder:
            try:
                # O_NONBLOCK: opening a pipe must not wait for a writer.
                file = os.open(
                    id + SUFFIX, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder
                )
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno in _NO_PLAIN_FILE:
                    raise Malformed from error
                raise
            try:
                state = os.fstat(file)
                if not stat.S_ISREG(state.st_mode):
                    raise Malformed
                with open(file, "rb", closefd=False) as stream:
                    return decode(id, self._content(stream, id)), _stamp(state)
            finally:
                os.close(file)

    def _content(self, stream: BinaryIO, id: str) -> bytes:
        try:
            return self.disk.read(stream, id)
        except OSError as error:
            self.failures["record-unreadable"] += 1
            raise Unreadable(
                f"the file of the memory {id!r} can't be read now: {_trouble(error)}; look after "
                "the disk, or put the file back from a copy",
                {"id": id},
            ) from error

    # --- changing (the caller holds the lock) ------------------------------------------------

    @contextlib.contextmanager
    def locked(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Keep every other writer of this root out, in this process and in others.

        Args:
            seconds: how long to wait for another writer.

        Raises:
            Unavailable: another writer keeps the lock longer.
        """
        if self._locked:
            yield
            return
        with _reported():
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            lock = os.open(self.root / LOCK, flags, 0o600)
        try:
            _wait_for(lock, seconds)
            self._locked = True
            yield
        finally:
            self._locked = False
            os.close(lock)

    def create(self, record: Record) -> Stamp:
        """Store a new memory.

        Raises:
            Conflict: there is a file with this id, whatever it holds.
        """
        with _reported(), self._folder() as folder:
            name = record.id + SUFFIX
            self._write_temporary(folder, encode(record))
            try:
                os.link(TEMPORARY, name, src_dir_fd=folder, dst_dir_fd=folder)
            except FileExistsError:
                raise Conflict(
                    f"the id {record.id!r} is taken; ids are never used twice: give another key, "
                    "or update or correct the memory that has it",
                    {"id": record.id},
                ) from None
            finally:
                os.unlink(TEMPORARY, dir_fd=folder)
            self._sync(folder)
            self.last_written = record.id
            return _stamp(os.stat(name, dir_fd=folder, follow_symlinks=False))

    def replace(self, record: Record) -> Stamp:
        """Store a changed memory in the place of its former state."""
        with _reported(), self._folder() as folder:
            name = record.id + SUFFIX
            self._write_temporary(folder, encode(record))
            os.replace(TEMPORARY, name, src_dir_fd=folder, dst_dir_fd=folder)
            self._sync(folder)
            self.last_written = record.id
            return _stamp(os.stat(name, dir_fd=folder, follow_symlinks=False))

    def remove(self, id: str) -> None:
        """Leave nothing of a memory."""
        with _reported(), self._folder() as folder:
            os.unlink(id + SUFFIX, dir_fd=folder)
            self._sync(folder)

    def touch(self, id: str) -> None:
        """Give a file the time of now, so that nobody relies on what was read of it before."""
        with _reported(), self._folder() as folder:
            os.utime(id + SUFFIX, dir_fd=folder, follow_symlinks=False)

    def _write_temporary(self, folder: int, data: bytes) -> None:
        """Write and sync the temporary file; what a crash left under its name goes first.

        It must be unlinked, not truncated: after a crash it may be a second name of a stored
        memory.
        """
        with contextlib.suppress(FileNotFoundError):
            os.unlink(TEMPORARY, dir_fd=folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with open(os.open(TEMPORARY, flags, 0o600, dir_fd=folder), "wb") as stream:
                self.disk.write(stream, data)
                self._sync(stream.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(TEMPORARY, dir_fd=folder)
            raise

    def _sync(self, file: int) -> None:
        if self._synced:
            os.fsync(file)

    @contextlib.contextmanager
    def _folder(self) -> Iterator[int]:
        """The memory folder, opened; never through a link in its place."""
        folder = os.open(self.root / FOLDER, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield folder
        finally:
            os.close(folder)


def _wait_for(lock: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise Unavailable(
                    "another process keeps the memory locked; try again later"
                ) from None
            time.sleep(0.001)


def _stamp(state: os.stat_result) -> Stamp:
    return Stamp(state.st_mtime_ns, state.st_size, state.st_ino)


def _stamp_at(folder: int, name: str) -> Stamp | None:
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return _stamp(state) if stat.S_ISREG(state.st_mode) else None


def _scan(folder: int) -> dict[str, Stamp | None]:
    found: dict[str, Stamp | None] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if not name.endswith(SUFFIX):
                continue
            id = name[: -len(SUFFIX)]
            try:
                state = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            plain = stat.S_ISREG(state.st_mode) and ID_PATTERN.fullmatch(id) is not None
            found[id] = _stamp(state) if plain else None
    return found


@contextlib.contextmanager
def _reported() -> Iterator[None]:
    """Turn a file system error into a structured one that names no path."""
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"the memory folder can't be used now: {_trouble(error)}; "
            "make sure that it exists, is writable and has space left"
        ) from error


def _trouble(error: OSError) -> str:
    """What the system says of it, which names no path."""
    return error.strerror or "input or output failed"
