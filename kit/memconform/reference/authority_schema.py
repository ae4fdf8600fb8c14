"""The tables of the authority store, version by version.

``PRAGMA user_version`` says which tables a file has. A migration only adds: columns with what they
hold of older rows, and an index that is made anew. It rewrites no evidence and removes no
tombstone.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from memconform.reference.index import index_token

SCHEMA = 2

VERSION_1 = """
CREATE TABLE claims (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  scope_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  content TEXT NOT NULL,
  tags_json TEXT NOT NULL,
  state TEXT NOT NULL,
  superseded_by TEXT,
  origin TEXT NOT NULL,
  sensitivity TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  source_session TEXT,
  source_event TEXT,
  valid_from TEXT,
  valid_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX claims_place ON claims (scope_key, state);
CREATE INDEX claims_event ON claims (source_event) WHERE source_event IS NOT NULL;
CREATE TABLE beliefs (
  claim_id TEXT PRIMARY KEY REFERENCES claims (id),
  alpha REAL NOT NULL,
  beta REAL NOT NULL,
  harmful_count INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE evidence (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  claim_id TEXT NOT NULL REFERENCES claims (id),
  outcome TEXT NOT NULL,
  alpha REAL NOT NULL,
  beta REAL NOT NULL,
  at TEXT NOT NULL
);
CREATE INDEX evidence_claim ON evidence (claim_id);
CREATE TABLE consumption (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  claim_id TEXT NOT NULL REFERENCES claims (id),
  outcome TEXT NOT NULL,
  note TEXT,
  at TEXT NOT NULL
);
CREATE INDEX consumption_claim ON consumption (claim_id);
CREATE TABLE retrieval_runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  query_hash TEXT NOT NULL,
  session TEXT,
  workspace_key TEXT,
  candidates INTEGER NOT NULL
);
CREATE TABLE authority_decisions (
  run INTEGER NOT NULL,
  claim_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  rank REAL NOT NULL,
  action TEXT NOT NULL,
  reasons_json TEXT NOT NULL,
  relevance REAL NOT NULL,
  freshness REAL NOT NULL,
  belief REAL NOT NULL,
  risk REAL NOT NULL,
  PRIMARY KEY (run, claim_id)
) WITHOUT ROWID;
CREATE INDEX decisions_claim ON authority_decisions (claim_id, run);
CREATE TABLE injections (
  run INTEGER NOT NULL,
  claim_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  PRIMARY KEY (run, claim_id)
) WITHOUT ROWID;
CREATE INDEX injections_claim ON injections (claim_id, run);
CREATE VIRTUAL TABLE claims_fts USING fts5 (content);
"""
VERSION_2 = """
ALTER TABLE claims ADD COLUMN terms_json TEXT NOT NULL DEFAULT '[]';
ALTER TABLE claims ADD COLUMN learned_terms_json TEXT NOT NULL DEFAULT '[]';
ALTER TABLE retrieval_runs ADD COLUMN terms_json TEXT NOT NULL DEFAULT '[]';
DROP TABLE claims_fts;
CREATE VIRTUAL TABLE claims_fts USING fts5 (
  terms, detail=none, columnsize=0, tokenize="ascii tokenchars '_'"
);
"""


TermsOf = Callable[[str, Sequence[str]], Sequence[str]]


def version_of(db: sqlite3.Connection) -> int:
    """Which version a file has; 0 is an empty one."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def migrate(db: sqlite3.Connection, terms_of: TermsOf) -> None:
    """Bring a file of any known version to the newest, inside the caller's transaction.

    Args:
        db: the open file; nobody else may write to it meanwhile.
        terms_of: the terms of a content and its tags.
    """
    version = version_of(db)
    if version < 1:
        run(db, VERSION_1)
    if version < 2:
        run(db, VERSION_2)
        _fill_terms(db, terms_of)
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def run(db: sqlite3.Connection, script: str) -> None:
    """Several statements; executescript would commit the transaction that a migration is."""
    for statement in script.split(";\n"):
        if statement.strip():
            db.execute(statement)


def index_claim(db: sqlite3.Connection, number: int, terms: Sequence[str]) -> None:
    """Make a claim findable by these terms."""
    text = " ".join(index_token(term) for term in terms)
    db.execute("INSERT INTO claims_fts (rowid, terms) VALUES (?, ?)", (number, text))


_TABLES_1 = (
    *("claims", "beliefs", "evidence", "consumption"),
    *("retrieval_runs", "authority_decisions", "injections"),
)


def as_version_1(path: Path) -> None:
    """Put a file of version 1 with the same rows in the place of one that nobody has open."""
    older = path.with_name(path.name + ".older")
    with contextlib.closing(sqlite3.connect(older, isolation_level=None)) as db:
        run(db, VERSION_1)
        db.execute("ATTACH ? AS newer", (str(path),))
        for table in _TABLES_1:
            names = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
            db.execute(
                f"INSERT INTO {table} ({names})"  # noqa: S608 - own names alone
                f" SELECT {names} FROM newer.{table}"
            )
        db.execute(
            "INSERT INTO claims_fts (rowid, content)"
            " SELECT number, content FROM claims WHERE state = 'active'"
        )
        db.execute("PRAGMA user_version = 1")
    older.replace(path)


def _fill_terms(db: sqlite3.Connection, terms_of: TermsOf) -> None:
    """Terms of the claims that were written before there were any."""
    rows = db.execute("SELECT number, content, tags_json, state FROM claims").fetchall()
    for number, content, tags, state in rows:
        terms = terms_of(content, json.loads(tags))
        stored = json.dumps(list(terms), ensure_ascii=False)
        db.execute("UPDATE claims SET terms_json = ? WHERE number = ?", (stored, number))
        if state == "active":
            index_claim(db, number, terms)
