"""The one database of a fusion store: memories, words, vectors, statements and tags.

Each place (namespace) has a table of words of its own, so that BM25 counts nothing of a neighbour
and a full neighbour takes no candidate's place. It is made by the first write or by ``warmup``; a
question never makes one.

A vector that couldn't be made is missing, and what is missing can be counted and made up for: the
database itself is the list of what is owed.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from memconform.fusion import Edge, Kind, Memory, edges, in_a_row, kind_of
from memconform.fusion.channels import Corpus
from memconform.fusion.embedding import Vector
from memconform.fusion.graph import nodes
from memconform.fusion.words import ngrams
from memconform.model import Record
from memconform.protocol import Unavailable
from memconform.retrieval.times import milliseconds
from memconform.retrieval.tokens import normalise

VERSION = 1
FILE = "memories.sqlite"
_BUSY_S = 10.0
# A letter before each: no word can be taken for a slice, nor for one that FTS5 gives a meaning.
_WORD, _GRAM = "w", "g"
# At most so many postings are scored, but these many words are always looked for.
_MOST_POSTINGS, _LEAST_WORDS = 2_000, 3
_SCHEMA = """
CREATE TABLE places (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  documents INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE memories (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL,
  kind TEXT NOT NULL,
  record BLOB NOT NULL, told TEXT NOT NULL, superseded_by TEXT, sameness TEXT NOT NULL,
  gone INTEGER NOT NULL,
  vector BLOB, embedder TEXT
);
CREATE INDEX same ON memories (place, sameness) WHERE NOT gone;
CREATE INDEX kinds ON memories (place, kind) WHERE NOT gone;
CREATE INDEX owed ON memories (place) WHERE vector IS NULL AND NOT gone;
CREATE TABLE edges (
  memory INTEGER NOT NULL, subject TEXT NOT NULL, relation TEXT NOT NULL, object TEXT NOT NULL,
  qualifier TEXT
);
CREATE INDEX edges_of ON edges (memory);
CREATE TABLE nodes (
  place INTEGER NOT NULL, node TEXT NOT NULL, memory INTEGER NOT NULL,
  PRIMARY KEY (place, node, memory)
) WITHOUT ROWID;
CREATE INDEX nodes_of ON nodes (memory);
CREATE TABLE tags (
  place INTEGER NOT NULL, tag TEXT NOT NULL, memory INTEGER NOT NULL,
  PRIMARY KEY (place, tag, memory)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Row:
    """A stored memory.

    Attributes:
        number: its row.
        record: as it was written.
        told: the content words of its content, in a row.
        superseded_by: the id of its correction.
        vector: None where it is owed, or was made by another embedder.
    """

    number: int
    record: Record
    told: str
    superseded_by: str | None
    vector: Vector | None

    @property
    def memory(self) -> Memory:
        """The same as the pure functions see it."""
        record = self.record
        written = milliseconds(record.updated_at)
        return Memory(
            id=record.id,
            content=record.content,
            kind=kind_of(record.type, record.tags),
            tags=tuple(record.tags),
            confidence=record.confidence,
            importance=record.importance,
            written_at=0.0 if written is None else written / 1000,
            superseded_by=self.superseded_by,
        )


class Tables:
    """A connection to the database in a folder. One thread at a time may use it."""

    def __init__(self, root: Path, embedder: str) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        try:
            self._db = sqlite3.connect(root / FILE, timeout=_BUSY_S, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise
        except sqlite3.Error as error:
            raise Unavailable(f"the database can't be opened: {error}") from error

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        with self.changing():
            [(version,)] = self._db.execute("PRAGMA user_version")
            if version == 0:
                for statement in _SCHEMA.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {VERSION}")
        if version > VERSION:
            raise Unavailable("the database was written by a newer version; use that one")

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """All changes inside are made together or not at all, with other writers kept out."""
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Everything inside sees the same state, whatever another connection writes meanwhile."""
        with self._told():
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("ROLLBACK")

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise Unavailable(f"the database can't be used now: {error}") from error

    # --- places ------------------------------------------------------------------------------

    def place(self, name: str) -> int | None:
        """The number of a place; None for one that nothing was ever written to."""
        found = self._db.execute("SELECT id FROM places WHERE name = ?", (name,)).fetchone()
        return None if found is None else int(found[0])

    def made_place(self, name: str) -> int:
        """The number of a place, made with its table of words if need be."""
        place = self.place(name)
        if place is None:
            made = self._db.execute("INSERT INTO places (name) VALUES (?)", (name,))
            place = int(made.lastrowid or 0)
            self._db.execute(
                f"CREATE VIRTUAL TABLE words_{place} USING fts5(words, grams, content='', "
                "tokenize=\"ascii tokenchars '_'\")"
            )
            self._db.execute(
                f"CREATE VIRTUAL TABLE having_{place} USING fts5vocab(words_{place}, row)"
            )
        return place

    # --- one memory --------------------------------------------------------------------------

    def find(self, id: str) -> tuple[int, Row] | None:
        """A memory by its id, and the number of its place."""
        found = self._db.execute(f"SELECT place, {_ROW} FROM memories WHERE id = ?", (id,))
        row = found.fetchone()
        return None if row is None else (int(row[0]), self._row(row[1:]))

    def same(self, place: int, sameness: str) -> Row | None:
        """A memory of this place that says the very same, if there is one that holds."""
        found = self._db.execute(
            f"SELECT {_ROW} FROM memories WHERE place = ? AND sameness = ? AND NOT gone "
            "AND superseded_by IS NULL ORDER BY number LIMIT 1",
            (place, sameness),
        ).fetchone()
        return None if found is None else self._row(found)

    def add(self, place: int, record: Record, sameness: str, vector: Vector | None) -> None:
        """A new memory with everything that it can be found by."""
        made = self._db.execute(
            "INSERT INTO memories (id, place, kind, record, told, sameness, gone, vector, "
            "embedder) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)",
            (
                record.id,
                place,
                kind_of(record.type, record.tags),
                _packed(record),
                in_a_row(record.content),
                sameness,
                _blob(vector),
                self._embedder,
            ),
        )
        self._index(place, int(made.lastrowid or 0), record)

    def revise(
        self, place: int, row: Row, record: Record, sameness: str, vector: Vector | None
    ) -> None:
        """Other contents for a memory that stays the same one."""
        self._unindex(place, row)
        self._db.execute(
            "UPDATE memories SET kind = ?, record = ?, told = ?, sameness = ?, vector = ?, "
            "embedder = ? WHERE number = ?",
            (
                kind_of(record.type, record.tags),
                _packed(record),
                in_a_row(record.content),
                sameness,
                _blob(vector),
                self._embedder,
                row.number,
            ),
        )
        self._index(place, row.number, record)

    def supersede(self, number: int, by: str) -> None:
        """Say that a memory is replaced. It stays to be found, and is marked."""
        self._db.execute("UPDATE memories SET superseded_by = ? WHERE number = ?", (by, number))

    def entomb(self, place: int, row: Row, tombstone: Record) -> None:
        """Leave of a memory what says that it was there, and nothing that it could be found by."""
        self._unindex(place, row)
        self._db.execute(
            "UPDATE memories SET record = ?, told = '', sameness = '', gone = 1, vector = NULL "
            "WHERE number = ?",
            (_packed(tombstone), row.number),
        )

    def _index(self, place: int, number: int, record: Record) -> None:
        self._db.execute(
            f"INSERT INTO words_{place} (rowid, words, grams) VALUES (?, ?, ?)",
            (number, *_indexed(in_a_row(record.content))),
        )
        self._count(place, 1, in_a_row(record.content))
        self._db.executemany(
            "INSERT OR IGNORE INTO tags VALUES (?, ?, ?)",
            [(place, normalise(tag), number) for tag in record.tags],
        )
        stated = self._statements(Memory(id=record.id, content=record.content))
        self._db.executemany(
            "INSERT INTO edges VALUES (?, ?, ?, ?, ?)",
            [(number, e.subject, e.relation, e.object, e.qualifier) for e in stated],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO nodes VALUES (?, ?, ?)",
            [(place, node, number) for edge in stated for node in sorted(nodes(edge))],
        )

    def _statements(self, memory: Memory) -> Sequence[Edge]:
        return edges(memory)

    def _count(self, place: int, sign: int, told: str) -> None:
        self._db.execute(
            "UPDATE places SET documents = documents + ?, length = length + ? WHERE id = ?",
            (sign, sign * len(told.split()), place),
        )

    def _unindex(self, place: int, row: Row) -> None:
        # A table of words without contents must be told what it is to take out.
        self._db.execute(
            f"INSERT INTO words_{place} (words_{place}, rowid, words, grams) "
            "VALUES ('delete', ?, ?, ?)",
            (row.number, *_indexed(row.told)),
        )
        self._count(place, -1, row.told)
        for table in ("tags", "nodes"):
            self._db.execute(
                f"DELETE FROM {table} WHERE place = ? AND memory = ?", (place, row.number)
            )
        self._db.execute("DELETE FROM edges WHERE memory = ?", (row.number,))

    # --- looking for memories ----------------------------------------------------------------

    def corpus(self, place: int, words: Iterable[str]) -> Corpus:
        """What BM25 must know of a place to score these words."""
        [(documents, length)] = self._db.execute(
            "SELECT documents, length FROM places WHERE id = ?", (place,)
        )
        having = Counter[str]()
        for word in words:
            found = self._db.execute(
                f"SELECT doc FROM having_{place} WHERE term = ?", (_WORD + word,)
            ).fetchone()
            if found is not None:
                having[word] = int(found[0])
        return Corpus(int(documents), length / documents if documents else 0.0, having)

    def by_words(self, place: int, corpus: Corpus, window: int) -> list[Row]:
        """The best by BM25 of the rarer words, at most ``window``.

        Rare words choose; one that half of all memories have chooses nobody and costs the most.
        So words are taken from the rarest on, as long as their memories together are few.
        """
        chosen: list[str] = []
        looked_at = 0
        for word, count in sorted(corpus.having.items(), key=lambda pair: (pair[1], pair[0])):
            looked_at += count
            if len(chosen) >= _LEAST_WORDS and looked_at > _MOST_POSTINGS:
                break
            chosen.append(_quoted(_WORD + word))
        return self._matching(place, chosen, "bm25(words_{place}, 1, 0)", window)

    def by_ngrams(self, place: int, ngrams: Iterable[str], window: int) -> list[Row]:
        """Those that have any of these slices, the most similar first."""
        asked = [_quoted(_GRAM + ngram) for ngram in sorted(ngrams)]
        return self._matching(place, asked, "bm25(words_{place}, 0, 1)", window)

    def _matching(self, place: int, asked: list[str], order: str, window: int) -> list[Row]:
        if not asked:
            return []
        found = self._db.execute(
            f"SELECT {_ROW} FROM (SELECT rowid AS hit FROM words_{place} WHERE words_{place} "
            f"MATCH ? ORDER BY {order.format(place=place)}, rowid LIMIT ?) "
            "JOIN memories ON number = hit",
            (" OR ".join(asked), window),
        )
        return [self._row(row) for row in found]

    def by_tags(self, place: int, tags: Iterable[str], window: int) -> list[Row]:
        """The newest with one of these tags."""
        names = sorted(tags)
        found = self._db.execute(
            f"SELECT DISTINCT {_ROW} FROM tags JOIN memories ON number = memory "
            f"WHERE tags.place = ? AND tag IN ({_marks(names)}) ORDER BY number DESC LIMIT ?",
            (place, *names, window),
        )
        return [self._row(row) for row in found]

    def by_kinds(self, place: int, kinds: Iterable[Kind], window: int) -> list[Row]:
        """The newest of these kinds."""
        names = sorted(kinds)
        found = self._db.execute(
            f"SELECT {_ROW} FROM memories WHERE place = ? AND NOT gone AND superseded_by IS NULL "
            f"AND kind IN ({_marks(names)}) ORDER BY number DESC LIMIT ?",
            (place, *names, window),
        )
        return [self._row(row) for row in found]

    def having(self, place: int, node: str) -> int:
        """How many memories of a place have a node."""
        [(count,)] = self._db.execute(
            "SELECT count(*) FROM nodes WHERE place = ? AND node = ?", (place, node)
        )
        return int(count)

    def nodes_of(self, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
        """The nodes that each of these rows has."""
        found: dict[int, frozenset[str]] = {}
        for number, node in self._db.execute(
            f"SELECT memory, node FROM nodes WHERE memory IN ({_marks(numbers)})", numbers
        ):
            found[number] = found.get(number, frozenset()) | {node}
        return found

    def every(self, place: int) -> list[Row]:
        """Every memory of a place that isn't forgotten, as they were written."""
        found = self._db.execute(
            f"SELECT {_ROW} FROM memories WHERE place = ? AND NOT gone ORDER BY number", (place,)
        )
        return [self._row(row) for row in found]

    def edges(self, place: int) -> list[Edge]:
        """Every statement in a place."""
        found = self._db.execute(
            "SELECT subject, relation, object, qualifier, id FROM edges "
            "JOIN memories ON number = memory WHERE place = ? ORDER BY number",
            (place,),
        )
        return [
            Edge(subject=s, relation=r, object=o, qualifier=q, memory=id)
            for s, r, o, q, id in found
        ]

    def edges_of(self, row: Row) -> list[Edge]:
        """The statements of one memory."""
        found = self._db.execute(
            "SELECT subject, relation, object, qualifier FROM edges WHERE memory = ?",
            (row.number,),
        )
        return [
            Edge(subject=s, relation=r, object=o, qualifier=q, memory=row.record.id)
            for s, r, o, q in found
        ]

    # --- vectors -----------------------------------------------------------------------------

    def owed(self, limit: int) -> list[Row]:
        """Memories whose vector is missing or another embedder's, at most so many."""
        found = self._db.execute(
            f"SELECT {_ROW} FROM memories WHERE NOT gone AND (vector IS NULL OR embedder != ?) "
            "ORDER BY number LIMIT ?",
            (self._embedder, limit),
        )
        return [self._row(row) for row in found]

    def pay(self, made: Iterable[tuple[int, Vector]]) -> None:
        """Vectors for memories that lacked them."""
        self._db.executemany(
            "UPDATE memories SET vector = ?, embedder = ? WHERE number = ?",
            [(_blob(vector), self._embedder, number) for number, vector in made],
        )

    def drop_vectors(self) -> None:
        """Forget every vector, as after a change of model."""
        self._db.execute("UPDATE memories SET vector = NULL")

    def counts(self) -> tuple[int, int]:
        """Memories that are not forgotten, and how many of them have a vector."""
        [(all_, with_vector)] = self._db.execute(
            "SELECT count(*), count(CASE WHEN embedder = ? THEN vector END) FROM memories "
            "WHERE NOT gone",
            (self._embedder,),
        )
        return int(all_), int(with_vector)

    def _row(self, row: Sequence[object]) -> Row:
        number, record, told, superseded_by, vector, embedder = row[:6]
        assert isinstance(number, int)
        assert isinstance(record, bytes)
        assert isinstance(told, str)
        assert superseded_by is None or isinstance(superseded_by, str)
        made: Vector | None = None
        if isinstance(vector, bytes) and embedder == self._embedder:
            made = array("d", vector)
        return Row(number, _unpack(record), told, superseded_by, made)


_ROW = "number, record, told, superseded_by, vector, embedder"
_unpack = msgspec.json.Decoder(Record).decode


def _packed(record: Record) -> bytes:
    return msgspec.json.encode(record)


def _blob(vector: Vector | None) -> bytes | None:
    return None if vector is None else array("d", vector).tobytes()


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _indexed(told: str) -> tuple[str, str]:
    """The words and their slices as the table of words holds them."""
    words = told.split()
    slices = sorted(ngrams(words))
    return " ".join(_WORD + word for word in words), " ".join(_GRAM + slice for slice in slices)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def sameness(content: str, tags: Sequence[str]) -> str:
    """Two memories with the same one say the very same: NFKC, case, ends and spaces apart."""
    text = " ".join(normalise(content).split()).rstrip(" .。")
    return json.dumps([text, sorted(map(normalise, tags))], ensure_ascii=False)
