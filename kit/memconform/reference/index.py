"""An SQLite index of the memories: which may be seen, and how many tokens each shares with a query.

It can be rebuilt from the files at any time and is never the truth. What it answers is exact: the
tokens of a question are looked up one by one and counted for every memory that may be seen, so
that no window of candidates can lose one (foundation, "Two modes, one answer"). SQL does scope,
lifecycle, purpose, filters and counting; features, order, gate and budget stay with the pipeline.

Beside each row stands the stamp of the file that it was made of, and in ``meta`` the stamp of the
folder when everything was compared last. Whoever finds another folder than that compares again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import os
import sqlite3
import stat
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from memconform.model import Access, Policy, Record
from memconform.reference.files import Stamp
from memconform.retrieval import Constants, Counts, Match, Question, RetrievalRequest
from memconform.retrieval.scope import normalise_path
from memconform.retrieval.times import milliseconds
from memconform.retrieval.tokens import normalise

SCHEMA = 1
FILE = "memory-index.sqlite3"
BUSY_MS = 250  # how long an answer waits for another connection's change before it reads files
# FTS5 shortens tokens beyond 32 KB, so that two could be taken for one; a hash keeps them apart.
_LONGEST_TOKEN = 256
_NUMBERS_KEPT = 4_000_000  # of rows, eight bytes each
_GROUNDS_KEPT = 8  # callers mostly ask from one place

Cause = Literal["missing", "corrupt", "older-schema", "locked", "unreadable"]
REASONS: dict[Cause, str] = {
    "missing": "the index is missing",
    "corrupt": "the index is corrupt",
    "older-schema": "the index was made by another version",
    "locked": "the index is locked by another program",
    "unreadable": "the index can't be read or written",
}

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE memory (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  stamp TEXT NOT NULL,
  settled INTEGER NOT NULL,
  scope TEXT NOT NULL,
  place TEXT,
  visible INTEGER NOT NULL,
  gone INTEGER NOT NULL,
  valid_from INTEGER,
  ends INTEGER,
  type TEXT NOT NULL,
  authority TEXT NOT NULL,
  forgotten INTEGER NOT NULL,
  supersedes TEXT
);
CREATE INDEX memory_supersedes ON memory (supersedes) WHERE supersedes IS NOT NULL;
CREATE TABLE body (number INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE tag (name TEXT, number INTEGER, PRIMARY KEY (name, number)) WITHOUT ROWID;
CREATE INDEX tag_number ON tag (number);
CREATE TABLE malformed (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, settled INTEGER) WITHOUT ROWID;
CREATE VIRTUAL TABLE posting USING fts5 (tokens, detail=none, tokenize="ascii tokenchars '_'");
"""


class IndexTrouble(Exception):
    """The index can't be used; ``cause`` says why, and no text of it names a path or a memory."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(REASONS[cause])
        self.cause = cause


class Row(NamedTuple):
    """What the index knows of a file: the stamp it had, and whether that can be relied upon."""

    stamp: Stamp
    settled: bool


class Mark(NamedTuple):
    """The folder's stamp when index and files were compared last, and whether to rely on it."""

    folder: Stamp
    settled: bool


@dataclass(frozen=True)
class Found:
    """What a question comes to before ranking.

    Attributes:
        matches: the memories that can pass the gate, with their numbers of shared tokens.
        stamps: of their files, by id.
    """

    counts: Counts
    matches: list[Match]
    stamps: dict[str, Stamp]


def fingerprint(constants: Constants) -> str:
    """What the rows depend on beside the files: how texts become tokens, and the tables."""
    parts = (
        SCHEMA,
        unicodedata.unidata_version,
        os.name,
        constants.cjk_ranges,
        constants.gram_length,
        constants.cjk_gram_length,
        constants.record_token_limit,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@functools.cache
def _empty(made_by: str) -> bytes:
    """An index without memories, as its file holds it. Making the tables takes longest: once."""
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.executescript(_TABLES)
        database.execute("INSERT INTO meta VALUES ('made-by', ?)", (made_by,))
        database.commit()
        return database.serialize()


def index_token(token: str) -> str:
    """A token as the index holds it."""
    if len(token) <= _LONGEST_TOKEN:
        return token
    return "h" + hashlib.sha256(token.encode()).hexdigest()


class MemoryIndex:
    """An open index. Every method raises IndexTrouble when the index can't be used.

    Args:
        path: of the database; it must exist, see ``create``.
        made_by: the fingerprint that it must have been made with.
        synced: whether a power failure must leave a whole index, too.
    """

    def __init__(self, path: Path, made_by: str, *, synced: bool = True) -> None:
        self._path = path
        self._inode = _inode(path)
        self._remains = False
        self._memory = _Kept((0, 0))
        with _troubled():
            self._database = sqlite3.connect(
                path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
            )
        try:
            with _troubled():
                # What is deleted is overwritten: forgotten text must not linger in free pages.
                self._database.execute("PRAGMA secure_delete = ON")
                # Everything in one file: another process may remove or replace it at any time.
                self._database.execute("PRAGMA journal_mode = TRUNCATE")
                self._database.execute(f"PRAGMA synchronous = {'NORMAL' if synced else 'OFF'}")
                self._database.execute("PRAGMA cache_size = -32000")
            self._check(made_by)
        except BaseException:
            self._database.close()
            raise

    def _check(self, made_by: str) -> None:
        if self._execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise IndexTrouble("corrupt")
        if self._meta("made-by") != made_by:
            raise IndexTrouble("older-schema")

    @classmethod
    def create(cls, path: Path, made_by: str, *, synced: bool = True) -> MemoryIndex:
        """A new, empty index in the place of whatever there is (the caller holds the lock)."""
        with _troubled():
            for remains in (path, path.with_name(path.name + "-journal")):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(remains)
            # O_EXCL: never through a link that somebody put there in between. Not synced: what a
            # power failure leaves of it is found out when it is opened, and made anew.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(path, flags, 0o600), "wb") as file:
                file.write(_empty(made_by))
        return cls(path, made_by, synced=synced)

    def close(self) -> None:
        """Give the database back."""
        with contextlib.suppress(sqlite3.Error):
            self._database.close()

    def in_place(self) -> bool:
        """Whether the open database is still the one in its place; if there is none, trouble."""
        return _inode(self._path) == self._inode

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Everything asked inside sees one state."""
        with _troubled():
            self._database.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Everything changed inside takes effect together, or not at all."""
        with _troubled():
            self._database.execute("BEGIN IMMEDIATE")
            self._remains = False
            try:
                yield
                if self._remains:
                    # Tokens of what is gone stay in the postings until FTS5 merges them: do it now.
                    self._database.execute("INSERT INTO posting (posting) VALUES ('optimize')")
                self._database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise

    # --- what is indexed ---------------------------------------------------------------------

    def mark(self) -> Mark | None:
        """When everything was compared last; null before the first time."""
        value = self._meta("folder")
        if value is None:
            return None
        stamp, _, settled = value.rpartition(" ")
        return Mark(_stamp_of(stamp), settled == "1")

    def set_mark(self, mark: Mark | None) -> None:
        """Say that everything is as in the folder of this stamp, or that it isn't."""
        value = None if mark is None else f"{_text_of(mark.folder)} {int(mark.settled)}"
        self._execute("INSERT OR REPLACE INTO meta VALUES ('folder', ?)", value)

    def memories(self) -> dict[str, Row]:
        """The files of all indexed memories, by id."""
        return self._rows("memory")

    def malformed(self) -> dict[str, Row]:
        """The files that are known to be no memory, by id."""
        return self._rows("malformed")

    def part(self, after: str, length: int) -> list[tuple[str, Stamp]]:
        """The next files in the order of their ids, be they memories or not."""
        sql = " UNION ALL ".join(
            f"SELECT id, stamp FROM {table} WHERE id > :after"  # noqa: S608 - names of our own tables
            for table in ("memory", "malformed")
        )
        found = self._all(f"{sql} ORDER BY id LIMIT :length", {"after": after, "length": length})
        return [(id, _stamp_of(stamp)) for id, stamp in found]

    def put(self, record: Record, row: Row, tokens: Iterable[str]) -> None:
        """Index a memory as its file now is."""
        self._execute("DELETE FROM malformed WHERE id = ?", record.id)
        values = (record.id, _text_of(row.stamp), row.settled, *_columns(record))
        (number,) = self._execute(
            "INSERT INTO memory (id, stamp, settled, scope, place, visible, gone, valid_from, ends,"
            " type, authority, forgotten, supersedes)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp, settled = excluded.settled,"
            " scope = excluded.scope, place = excluded.place, visible = excluded.visible,"
            " gone = excluded.gone, valid_from = excluded.valid_from, ends = excluded.ends,"
            " type = excluded.type, authority = excluded.authority,"
            " forgotten = excluded.forgotten, supersedes = excluded.supersedes"
            " RETURNING number",
            *values,
        ).fetchone()
        self._execute(
            "INSERT OR REPLACE INTO body VALUES (?, ?)", number, msgspec.json.encode(record)
        )
        self._execute("DELETE FROM tag WHERE number = ?", number)
        for tag in {normalise(tag) for tag in record.tags}:
            self._execute("INSERT INTO tag VALUES (?, ?)", tag, number)
        text = " ".join(map(index_token, tokens))
        before = self._execute("SELECT tokens FROM posting WHERE rowid = ?", number).fetchone()
        if before != (text,):
            self._remains |= before is not None and record.deleted_at is not None
            self._execute("DELETE FROM posting WHERE rowid = ?", number)
            self._execute("INSERT INTO posting (rowid, tokens) VALUES (?, ?)", number, text)

    def put_malformed(self, id: str, row: Row) -> None:
        """Note a file that is no memory."""
        self.remove(id)
        values = (id, _text_of(row.stamp), row.settled)
        self._execute("INSERT OR REPLACE INTO malformed VALUES (?, ?, ?)", *values)

    def remove(self, id: str) -> None:
        """Leave nothing of a file."""
        self._execute("DELETE FROM malformed WHERE id = ?", id)
        found = self._execute("SELECT number FROM memory WHERE id = ?", id).fetchone()
        if found is not None:
            self._remains = True
            for table, column in (
                ("posting", "rowid"),
                ("tag", "number"),
                ("body", "number"),
                ("memory", "number"),
            ):
                self._execute(f"DELETE FROM {table} WHERE {column} = ?", *found)  # noqa: S608 - names of our own tables

    # --- asking ------------------------------------------------------------------------------

    def search(
        self, question: Question, request: RetrievalRequest, policy: Policy, now: str
    ) -> Found:
        """The stages up to the gate: counts of all memories, and those that can pass it."""
        ground = self._ground(_Where(request.access, policy, now), _wanted(request))
        shared = self._shared(question.tokens.tokens)
        by_hint = self._hinted(question) & ground.eligible
        candidates = (shared.keys() & ground.eligible) | by_hint
        least = question.minimum_overlap
        able = [n for n in candidates if shared[n] >= least or n in by_hint]
        counts = Counts(
            scope=ground.out_of_scope, lifecycle=ground.inactive, candidates=len(candidates)
        )
        matches, stamps = [], {}
        for record, stamp, number in self._bodies(able):
            matches.append(Match(record, shared[number]))
            stamps[record.id] = stamp
        return Found(counts, matches, stamps)

    def _ground(self, where: _Where, wanted: _Condition) -> _Ground:
        """What there is to ask, before any question: looked up once, until something changes."""
        key: tuple[object, ...] = (
            *(where.active("m"), *where.place.items()),
            *(wanted.sql, *wanted.values.items()),
        )
        grounds = self._kept().grounds
        found = grounds.get(key)
        if found is None or not found.since <= where.now < found.until:
            if len(grounds) >= _GROUNDS_KEPT:
                grounds.clear()
            found = grounds[key] = self._look_around(where, wanted)
        return found

    def _look_around(self, where: _Where, wanted: _Condition) -> _Ground:
        # Nothing of a place or a filter is in the text of the query.
        total, in_scope, active, eligible = self._execute(
            f"SELECT count(*), count(*) FILTER (WHERE {where.scope('m')}),"  # noqa: S608 - values are bound
            f" count(*) FILTER (WHERE {where.active('m')}),"
            f" group_concat(m.number) FILTER (WHERE {where.active('m')} AND {wanted.sql})"
            " FROM memory m",
            {**where.values, **wanted.values},
        ).fetchone()
        since, until = self._execute(
            "SELECT max(at) FILTER (WHERE at <= :now), min(at) FILTER (WHERE at > :now) FROM"
            " (SELECT valid_from AS at FROM memory UNION ALL SELECT ends FROM memory)",
            {"now": where.now},
        ).fetchone()
        return _Ground(
            out_of_scope=total - in_scope,
            inactive=in_scope - active,
            eligible=frozenset(_numbers(eligible)),
            since=-math.inf if since is None else since,
            until=math.inf if until is None else until,
        )

    def _hinted(self, question: Question) -> frozenset[int]:
        """The memories with type affinity, whoever may see them."""
        hinted = _hinted(question)
        if hinted is None:
            return frozenset()
        found = self._execute(
            f"SELECT group_concat(m.number) FROM memory m WHERE {hinted.sql}",  # noqa: S608 - values are bound
            hinted.values,
        ).fetchone()[0]
        return frozenset(_numbers(found))

    def _kept(self) -> _Kept:
        """What was found out before and still holds: nothing has been changed since, by anybody.

        Asked inside ``reading``, where the answer can't change.
        """
        # The changes of others, and our own.
        version = (self._execute("PRAGMA data_version").fetchone()[0], self._database.total_changes)
        if version != self._memory.version:
            self._memory = _Kept(version)
        return self._memory

    def _shared(self, tokens: Iterable[str]) -> Counter[int]:
        """How many of these tokens each memory has, by row: the postings of all, counted."""
        kept = self._kept()
        if kept.numbers > _NUMBERS_KEPT:
            kept.postings.clear()
            kept.numbers = 0
        wanted = [index_token(token) for token in tokens]
        missing = [token for token in wanted if token not in kept.postings]
        for place, text in self._all(
            # One text of numbers is several times faster than as many rows, and than GROUP BY.
            "SELECT token.key, group_concat(posting.rowid) FROM json_each(?) AS token"
            " CROSS JOIN posting WHERE posting MATCH token.value GROUP BY token.key",
            json.dumps([_quoted(token) for token in missing]),
        ):
            numbers = array("Q", _numbers(text))
            kept.postings[missing[place]] = numbers
            kept.numbers += len(numbers)
        shared: Counter[int] = Counter()
        for token in wanted:
            shared.update(kept.postings.get(token, ()))
        return shared

    def eligible(self, access: Access, policy: Policy, now: str) -> list[Record]:
        """What a caller may see and what is active of it."""
        where = _Where(access, policy, now)
        found = self._all(
            f"SELECT m.number FROM memory m WHERE {where.active('m')}",  # noqa: S608 - values are bound
            where.values,
        )
        return [record for record, _, _ in self._bodies([number for (number,) in found])]

    def successors(self, id: str) -> list[Record]:
        """The memories that say that they supersede this one."""
        found = self._all("SELECT number FROM memory WHERE supersedes = ?", id)
        return [record for record, _, _ in self._bodies([number for (number,) in found])]

    def forgotten(self) -> set[str]:
        """The ids of the tombstones."""
        return {id for (id,) in self._all("SELECT id FROM memory WHERE forgotten")}

    # --- SQL ---------------------------------------------------------------------------------

    def _bodies(self, numbers: Iterable[int]) -> Iterator[tuple[Record, Stamp, int]]:
        rows = self._all(
            "SELECT m.number, m.id, m.stamp, b.record FROM json_each(?) wanted"
            " CROSS JOIN memory m ON m.number = wanted.value"
            " CROSS JOIN body b ON b.number = wanted.value",
            json.dumps(list(numbers)),
        )
        for number, id, stamp, body in rows:
            try:
                record = _RECORDS.decode(body)
            except (msgspec.DecodeError, TypeError) as error:
                raise IndexTrouble("corrupt") from error
            if record.id != id:
                raise IndexTrouble("corrupt")
            yield record, _stamp_of(stamp), number

    def _rows(self, table: Literal["memory", "malformed"]) -> dict[str, Row]:
        rows = self._kept().rows
        if table not in rows:
            found = self._all(f"SELECT id, stamp, settled FROM {table}")  # noqa: S608 - a name of our own tables
            rows[table] = {id: Row(_stamp_of(stamp), bool(settled)) for id, stamp, settled in found}
        return rows[table]

    def _meta(self, key: str) -> str | None:
        found = self._execute("SELECT value FROM meta WHERE key = ?", key).fetchone()
        return None if found is None or found[0] is None else str(found[0])

    def _all(self, sql: str, *values: Any) -> list[Any]:
        """Every row of a query; what is wrong with the index may show at any of them."""
        with _troubled():
            return self._execute(sql, *values).fetchall()

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        named = values[0] if values and isinstance(values[0], dict) else values
        with _troubled():
            return self._database.execute(sql, named)


_RECORDS = msgspec.json.Decoder(Record)


@dataclass
class _Kept:
    """What an unchanged index needs to be asked once only.

    Attributes:
        version: of the index, as this connection counts.
        rows: the files of a table, by id.
        grounds: by the conditions that they were looked up with.
        postings: the rows of each token that was asked for.
        numbers: how many there are in all postings together.
    """

    version: tuple[int, int]
    rows: dict[str, dict[str, Row]] = field(default_factory=dict)
    grounds: dict[tuple[object, ...], _Ground] = field(default_factory=dict)
    postings: dict[str, array[int]] = field(default_factory=dict)
    numbers: int = 0


class _Ground(NamedTuple):
    """What a caller can ask at all, in one place and with one set of filters.

    Attributes:
        eligible: the rows that pass scope, lifecycle, purpose and filters.
        since: milliseconds; from here on, and until ``until``, no limit of validity is reached.
    """

    out_of_scope: int
    inactive: int
    eligible: frozenset[int]
    since: float
    until: float


class _Condition(NamedTuple):
    """A condition on the memory of alias m, with the values that it names."""

    sql: str
    values: dict[str, Any]


class _Where:
    """The conditions of scope and lifecycle, as ``retrieval.scope`` and ``lifecycle`` have them.

    They are written for speed: plain comparisons, true or not; null counts as not.
    """

    def __init__(self, access: Access, policy: Policy, now: str) -> None:
        kinds = []
        at = milliseconds(now)
        if at is None:
            raise ValueError("now is no time")
        self.now = at
        self.place: dict[str, str] = {}
        if "user" in policy.scopes:
            kinds.append("({m}.scope = 'user' AND {m}.visible)")
        if access.workspace:
            self.place["workspace"] = normalise_path(access.workspace)
            self.place["project"] = normalise_path(access.project or access.workspace)
            if "workspace" in policy.scopes:
                kinds.append("({m}.scope = 'workspace' AND {m}.place = :workspace)")
            if "project" in policy.scopes:
                kinds.append("({m}.scope = 'project' AND {m}.place = :project)")
        self._scope = f"({' OR '.join(kinds) or '0'})"

    @property
    def values(self) -> dict[str, Any]:
        """What the conditions name."""
        return {"now": self.now, **self.place}

    def scope(self, m: str) -> str:
        """Whether the caller may see the memory of this alias."""
        return self._scope.format(m=m)

    def _own_state(self, m: str) -> str:
        return (
            f"({self.scope(m)} AND NOT {m}.gone"
            f" AND ({m}.valid_from IS NULL OR {m}.valid_from <= :now)"
            f" AND ({m}.ends IS NULL OR {m}.ends > :now))"
        )

    def active(self, m: str) -> str:
        """Whether it is also active, and no other such memory replaces it."""
        return (
            f"({self._own_state(m)} AND {m}.id NOT IN (SELECT r.supersedes FROM memory r"  # noqa: S608 - values are bound
            f" WHERE r.supersedes IS NOT NULL AND {self._own_state('r')}))"
        )


def _wanted(request: RetrievalRequest) -> _Condition:
    """Purpose and filters, as ``retrieval.request`` has them."""
    parts, values = ["1"], {}
    if request.purpose == "injection":
        parts.append("m.authority <> 'directive'")
    if (filters := request.filters) is not None:
        for column, wanted in (
            ("scope", filters.scopes),
            ("type", filters.types),
            ("authority", filters.authorities),
        ):
            if wanted:
                parts.append(f"m.{column} IN (SELECT value FROM json_each(:f_{column}))")  # noqa: S608 - a name of our own columns
                values[f"f_{column}"] = json.dumps(wanted)
    return _Condition(" AND ".join(parts), values)


def _hinted(question: Question) -> _Condition | None:
    """Type affinity, as ``retrieval.ranking`` has it; null where a question hints at nothing."""
    hints = question.hints
    if not hints.types and not hints.tags:
        return None
    return _Condition(
        "(m.type IN (SELECT value FROM json_each(:types)) OR m.number IN"
        " (SELECT number FROM tag WHERE name IN (SELECT value FROM json_each(:tags))))",
        {"types": json.dumps(sorted(hints.types)), "tags": json.dumps(sorted(hints.tags))},
    )


def _columns(record: Record) -> tuple[Any, ...]:
    """What SQL looks at of a memory."""
    own = record.workspace if record.scope == "workspace" else record.project or record.workspace
    ends = [milliseconds(time) for time in (record.valid_to, record.expires_at) if time is not None]
    return (
        record.scope,
        None if record.scope == "user" or not own else normalise_path(own),
        record.agent_visible,
        any(at is not None for at in (record.deleted_at, record.disabled_at, record.superseded_at)),
        None if record.valid_from is None else milliseconds(record.valid_from),
        min((end for end in ends if end is not None), default=None),
        record.type,
        record.authority,
        record.deleted_at is not None,
        record.supersedes,
    )


_NUMBERS = msgspec.json.Decoder(list[int])


def _numbers(text: str | None) -> list[int]:
    """The numbers of a group_concat."""
    return _NUMBERS.decode(f"[{text or ''}]")


def _quoted(token: str) -> str:
    """A token as a query of FTS5: a string in quotes, whatever is in it."""
    return '"' + token.replace('"', '""') + '"'


def _text_of(stamp: Stamp) -> str:
    # As text: a file system may count its inodes beyond SQLite's integers.
    return f"{stamp.mtime_ns} {stamp.size} {stamp.inode}"


def _stamp_of(text: str) -> Stamp:
    try:
        mtime_ns, size, inode = map(int, text.split(" "))
    except ValueError as error:
        raise IndexTrouble("corrupt") from error
    return Stamp(mtime_ns, size, inode)


def _inode(path: Path) -> int:
    with _troubled():
        state = os.lstat(path)
    if not stat.S_ISREG(state.st_mode):
        raise IndexTrouble("unreadable")
    return state.st_ino


@contextlib.contextmanager
def _troubled() -> Iterator[None]:
    """Turn what SQLite and the file system say into a cause."""
    try:
        yield
    except FileNotFoundError as error:
        raise IndexTrouble("missing") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise IndexTrouble("locked") from error
        if code in _ENVIRONMENT:
            raise IndexTrouble("unreadable") from error
        # Also a missing table or column: whatever this file is, it is no index of ours.
        raise IndexTrouble("corrupt") from error
    except OSError as error:
        raise IndexTrouble("unreadable") from error


_ENVIRONMENT = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)
