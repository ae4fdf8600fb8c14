"""The database of the authority store: claims, beliefs, and the audit of what was decided on them.

Source: claim-audit, "What was decided can be read afterwards" and "The newest 5,000 runs are kept".
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from memconform.authority.belief import belief
from memconform.authority.claims import Claim
from memconform.authority.design import Design
from memconform.authority.injection import Decided
from memconform.authority.learning import Run
from memconform.authority.ranking import Candidate, faded
from memconform.authority.terms import lexical
from memconform.model.authority import (
    AuditedConsumption,
    AuditedDecision,
    AuditedEvidence,
    AuditedInjection,
    AuditedRun,
    Belief,
    ClaimState,
    Consumed,
    DecisionScores,
)
from memconform.reference.authority_schema import SCHEMA, index_claim, migrate, version_of
from memconform.reference.index import index_token

FOLDER = "authority"
FILE = "claims.sqlite3"
# How long another connection's change is waited for: a turn of a conversation can't wait, and what
# somebody wants to be kept can.
TURN_MS = 250
CHANGE_MS = 2000
MARGIN = 1e-6  # of a rank
SHOWN = 20  # rows of each kind that explain tells

Cause = Literal["locked", "full", "corrupt", "closed", "newer", "unreadable"]
REASONS: dict[Cause, str] = {
    "locked": "the database is locked by another program; try again",
    "full": "the database or the disk is full; make room and try again",
    "corrupt": "the database is corrupt; put back a copy of it",
    "closed": "the database is closed; open the store again",
    "newer": "the database was made by a newer version; use that one",
    "unreadable": "the database can't be opened, read or written; look at its folder",
}

_BY_CODE: dict[int, Cause] = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_NOTADB: "corrupt",
}


class DatabaseTrouble(Exception):
    """The database can't be used; ``cause`` says why, and no text of it names a path or a claim."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(REASONS[cause])
        self.cause = cause


_COLUMNS = tuple(Claim.__dataclass_fields__)
_LISTS = {"tags": "tags_json", "terms": "terms_json", "learned_terms": "learned_terms_json"}
_SELECTED = ", ".join(f"c.{_LISTS.get(name, name)}" for name in _COLUMNS)
_CANDIDATE = "c.id, c.kind, c.scope, c.origin, c.content, c.updated_at, c.valid_until, c.tags_json"
_VALID = (
    "c.state = 'active' AND (c.valid_from IS NULL OR c.valid_from <= :now)"
    " AND (c.valid_until IS NULL OR c.valid_until > :now)"
)


@dataclass(frozen=True)
class _Ranked:
    """A claim with its rank as the database adds it up, and what a candidate is made of."""

    rank: float
    matched: int
    values: Sequence[Any]


class ClaimDatabase:
    """An open database. Every method raises DatabaseTrouble when it can't be used.

    Args:
        folder: made with mode 0700 if need be; None keeps everything in memory.
        design: how terms are made, and how many runs are kept.
        synced: whether what is acknowledged must outlast a power failure, too.

    Raises:
        DatabaseTrouble: it can't be opened, or is of a version that isn't known here.
    """

    def __init__(self, folder: Path | None, design: Design, *, synced: bool = True) -> None:
        self._design = design
        self._synced = synced
        self._path = None if folder is None else folder / FILE
        with _troubles():
            if folder is not None:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.chmod(0o700)
            self._db = sqlite3.connect(
                self._path or ":memory:",
                timeout=CHANGE_MS / 1000,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        self._db.create_function(
            "faded",
            1,
            lambda days: None if days is None else faded(days, self._design.constants),
            deterministic=True,
        )
        self._db.execute("PRAGMA foreign_keys = ON")
        if self._path is not None:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(f"PRAGMA synchronous = {'FULL' if self._synced else 'OFF'}")
        if version_of(self._db) > SCHEMA:
            raise DatabaseTrouble("newer")
        if version_of(self._db) < SCHEMA:
            with self.changing():
                migrate(self._db, self._terms_of)

    def _terms_of(self, content: str, tags: Sequence[str]) -> tuple[str, ...]:
        return self._design.claim_terms(content, tags, self._design.constants)

    def close(self) -> None:
        """Give back the file."""
        self._db.close()

    def limit_pages(self) -> None:
        """From here on, this connection may need no further page: the disk is full."""
        with _troubles():
            self._db.execute("PRAGMA max_page_count = 1")  # which means as many as there are

    @contextlib.contextmanager
    def changing(self, wait_ms: int = CHANGE_MS) -> Iterator[Self]:
        """One transaction: all of it or nothing, with all other writers kept out.

        Args:
            wait_ms: how long to wait for another writer, in milliseconds.
        """
        with _troubles():
            self._db.execute(f"PRAGMA busy_timeout = {wait_ms}")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    # --- claims ------------------------------------------------------------------------------

    def add(self, claim: Claim, first: Belief) -> None:
        """Store a new claim and what it is believed at first."""
        values = {
            _LISTS.get(name, name): _json(getattr(claim, name))
            if name in _LISTS
            else getattr(claim, name)
            for name in _COLUMNS
        }
        names = ", ".join(values)
        marks = ", ".join(f":{name}" for name in values)
        with _troubles():
            number = self._db.execute(
                f"INSERT INTO claims ({names}) VALUES ({marks})",  # noqa: S608 - own names alone
                values,
            ).lastrowid
            assert number is not None
            self._db.execute(
                "INSERT INTO beliefs VALUES (?, ?, ?, ?)",
                (claim.id, first.alpha, first.beta, first.harmful_count),
            )
            index_claim(self._db, number, claim.terms)

    def find(self, id: str) -> tuple[Claim, Belief] | None:
        """A claim in whatever state, and its belief."""
        rows = self._claims("c.id = :id", id=id)
        return rows[0] if rows else None

    def taken(self, id: str) -> bool:
        """Whether a claim has this id."""
        with _troubles():
            return bool(self._db.execute("SELECT 1 FROM claims WHERE id = ?", (id,)).fetchone())

    def active(self, keys: Sequence[str], now: str) -> list[tuple[Claim, Belief]]:
        """The claims of these places that are active and valid now, by id."""
        here = "c.scope_key IN (SELECT value FROM json_each(:keys))"
        return self._claims(f"{_VALID} AND {here} ORDER BY c.id", keys=_json(keys), now=now)

    def count(self) -> int:
        """How many claims are not tombstoned."""
        with _troubles():
            (number,) = self._db.execute(
                "SELECT count(*) FROM claims WHERE state <> 'tombstoned'"
            ).fetchone()
            return int(number)

    def learned_from(self, event: str) -> bool:
        """Whether any claim, a tombstoned one too, came from this event."""
        with _troubles():
            sql = "SELECT 1 FROM claims WHERE source_event = ?"
            return self._db.execute(sql, (event,)).fetchone() is not None

    def repeats(self, scope_key: str, kind: str, content_hash: str) -> bool:
        """Whether an active claim says the same in the same place."""
        with _troubles():
            sql = (
                "SELECT 1 FROM claims WHERE scope_key = ? AND state = 'active' AND kind = ?"
                " AND content_hash = ?"
            )
            return self._db.execute(sql, (scope_key, kind, content_hash)).fetchone() is not None

    def retire(self, id: str, state: ClaimState, superseded_by: str | None = None) -> None:
        """Take a claim out of retrieval; its row, its evidence and its terms stay."""
        with _troubles():
            self._unindex(id)
            self._db.execute(
                "UPDATE claims SET state = ?, superseded_by = coalesce(?, superseded_by)"
                " WHERE id = ?",
                (state, superseded_by, id),
            )

    # --- belief ------------------------------------------------------------------------------

    def believe(
        self, id: str, new: Belief, outcome: Consumed, added: tuple[float, float], at: str
    ) -> None:
        """Keep a belief that has moved, and the evidence that moved it."""
        with _troubles():
            self._db.execute(
                "UPDATE beliefs SET alpha = ?, beta = ?, harmful_count = ? WHERE claim_id = ?",
                (new.alpha, new.beta, new.harmful_count, id),
            )
            self._db.execute(
                "INSERT INTO evidence (claim_id, outcome, alpha, beta, at) VALUES (?, ?, ?, ?, ?)",
                (id, outcome, *added, at),
            )

    def consumed(self, id: str, outcome: Consumed, note: str | None, at: str) -> None:
        """Keep what somebody said of a claim."""
        with _troubles():
            self._db.execute(
                "INSERT INTO consumption (claim_id, outcome, note, at) VALUES (?, ?, ?, ?)",
                (id, outcome, note, at),
            )

    def injecting_runs(self, id: str, limit: int) -> list[Run]:
        """The newest retrievals that injected a claim, the newest first."""
        with _troubles():
            rows = self._db.execute(
                "SELECT r.at, r.terms_json FROM injections i JOIN retrieval_runs r"
                " ON r.number = i.run WHERE i.claim_id = ? ORDER BY r.number DESC LIMIT ?",
                (id, limit),
            )
            return [Run(at=at, terms=tuple(json.loads(terms))) for at, terms in rows]

    def learn(self, claim: Claim, learned: Sequence[str]) -> None:
        """Keep what a claim has learned, and find it by that from now on."""
        with _troubles():
            self._db.execute(
                "UPDATE claims SET learned_terms_json = ? WHERE id = ?", (_json(learned), claim.id)
            )
            number = self._unindex(claim.id)
            if number is not None:
                index_claim(self._db, number, (*claim.terms, *learned))

    # --- retrieval ---------------------------------------------------------------------------

    def triggered(self, terms: Sequence[str], keys: Sequence[str], now: str) -> list[Candidate]:
        """The active claims of these places that share a term, of which any may be among the best.

        The terms of a question are looked up one by one in the full-text index, which holds what
        relevance counts, so that every hit is counted, however old it is and however many there
        are. Those with the most terms are looked at first, until no other can be among the best.
        Ranks are added up here only to leave out what can't be; the margin is far wider than what
        two ways to add can differ by.
        """
        if not terms:
            return []
        constants = self._design.constants
        limit, each = constants.candidate_limit, constants.lexical_weight / len(terms)
        # A key begins with its scope.
        near = {key.partition(":")[0] for key in keys}
        boost = max(boost for scope, boost in constants.scope_boosts if scope in near)
        most = constants.belief_weight + constants.freshness_weight + boost
        found: list[_Ranked] = []
        with _troubles():
            for matched, numbers in self._hits(terms):
                if len(found) >= limit and each * matched + most < found[limit - 1].rank - MARGIN:
                    break
                found += self._best(matched, numbers, each * matched, keys, now)
                found.sort(key=lambda row: -row.rank)
                if len(found) > limit:
                    least = found[limit - 1].rank - MARGIN
                    found = [row for row in found if row.rank >= least]
        return [_candidate(row.values, row.matched / len(terms)) for row in found]

    def _hits(self, terms: Sequence[str]) -> Iterator[tuple[int, str]]:
        """How many terms some claims share and their numbers as JSON, those with most first."""
        lookups = " UNION ALL ".join(
            "SELECT rowid FROM claims_fts WHERE claims_fts MATCH ?" for _ in terms
        )
        sql = f"""
            SELECT matched, json_group_array(number) FROM (
              SELECT rowid AS number, count(*) AS matched FROM ({lookups}) GROUP BY rowid
            ) GROUP BY matched ORDER BY matched DESC
        """  # noqa: S608 - the text is made of own constants; every value is bound
        return self._db.execute(sql, [f'"{index_token(term)}"' for term in terms])

    def _best(
        self, matched: int, numbers: str, lexical: float, keys: Sequence[str], now: str
    ) -> list[_Ranked]:
        """Of claims those that may be among the best, seen from the places ``keys``.

        Of claims that differ in their ids alone the first are enough: they come in this order.
        """
        constants = self._design.constants
        boosts = dict(constants.scope_boosts)
        sql = f"""
            WITH found AS MATERIALIZED (
              SELECT c.number, c.id, c.scope, c.updated_at, b.alpha, b.beta, b.harmful_count,
                ? + ? * b.alpha / (b.alpha + b.beta)
                + ? * coalesce(faded(julianday(?) - julianday(c.updated_at)), 1)
                + CASE c.scope WHEN 'session' THEN ? WHEN 'workspace' THEN ? ELSE ? END AS rank
              FROM json_each(?) h JOIN claims c ON c.number = h.value
                JOIN beliefs b ON b.claim_id = c.id
              WHERE c.state = 'active' AND (c.valid_from IS NULL OR c.valid_from <= ?)
                AND (c.valid_until IS NULL OR c.valid_until > ?)
                AND (c.scope <> 'global' OR c.origin = 'explicit')
                AND c.scope_key IN (SELECT value FROM json_each(?))
            ),
            near AS (
              SELECT *, row_number() OVER (
                PARTITION BY alpha, beta, updated_at, scope ORDER BY id
              ) AS place
              FROM found WHERE rank >= coalesce(
                (SELECT rank FROM found ORDER BY rank DESC LIMIT 1 OFFSET ?) - {MARGIN}, -1)
            )
            SELECT n.rank, {_CANDIDATE}, n.alpha, n.beta, n.harmful_count
            FROM near n JOIN claims c ON c.number = n.number WHERE n.place <= ?
        """  # noqa: S608 - the text is made of own constants; every value is bound
        values = (
            *(lexical, constants.belief_weight, constants.freshness_weight, now),
            *(boosts[scope] for scope in ("session", "workspace", "global")),
            *(numbers, now, now, _json(keys)),
            *(constants.candidate_limit - 1, constants.candidate_limit),
        )
        rows = self._db.execute(sql, values)
        return [_Ranked(rank, matched, row) for rank, *row in rows]

    def global_capsules(self, terms: Sequence[str], now: str) -> list[Candidate]:
        """The explicit global preferences and constraints that are active and believed enough."""
        policy = self._design.constants.decision
        sql = f"""
            SELECT {_CANDIDATE},
              b.alpha, b.beta, b.harmful_count, c.terms_json, c.learned_terms_json
            FROM claims c JOIN beliefs b ON b.claim_id = c.id
            WHERE {_VALID} AND c.scope_key = 'global' AND c.origin = 'explicit'
              AND c.kind IN ('preference', 'constraint')
              AND b.alpha / (b.alpha + b.beta) >= :belief - 1e-6
        """  # noqa: S608 - the text is made of own constants; every value is bound
        with _troubles():
            rows = self._db.execute(sql, {"now": now, "belief": policy.use_belief}).fetchall()
        return [
            _candidate(
                row[:-2],
                lexical(terms, frozenset((*json.loads(row[-2]), *json.loads(row[-1])))),
            )
            for row in rows
        ]

    # --- audit -------------------------------------------------------------------------------

    def audit_run(
        self,
        *,
        at: str,
        query_hash: str,
        terms: Sequence[str],
        session: str | None,
        workspace_key: str | None,
        decisions: Sequence[Decided],
    ) -> int:
        """Keep a retrieval and its decisions; the oldest go. Returns the number of the run."""
        with _troubles():
            run = self._db.execute(
                "INSERT INTO retrieval_runs"
                " (at, query_hash, terms_json, session, workspace_key, candidates)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (at, query_hash, _json(terms), session, workspace_key, len(decisions)),
            ).lastrowid
            assert run is not None
            self._db.executemany(
                "INSERT INTO authority_decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_decision_row(run, decided) for decided in decisions],
            )
            self._prune(run)
        return run

    def audit_injection(self, run: int, ids: Sequence[str], message_id: str) -> None:
        """Keep which claims went into which message."""
        with _troubles():
            self._db.executemany(
                "INSERT INTO injections VALUES (?, ?, ?)", [(run, id, message_id) for id in ids]
            )

    def _prune(self, newest: int) -> None:
        last = newest - self._design.constants.kept_runs
        for table, column in (
            ("authority_decisions", "run"),
            ("injections", "run"),
            ("retrieval_runs", "number"),
        ):
            self._db.execute(
                f"DELETE FROM {table} WHERE {column} <= ?",  # noqa: S608 - own names alone
                (last,),
            )

    def evidence(self, id: str) -> list[AuditedEvidence]:
        """What moved a belief, the newest first."""
        rows = self._newest("SELECT at, outcome, alpha, beta FROM evidence", "number", id)
        return [AuditedEvidence(at=a, outcome=o, alpha=x, beta=y) for a, o, x, y in rows]

    def consumption(self, id: str) -> list[AuditedConsumption]:
        """What people said of a claim, the newest first."""
        rows = self._newest("SELECT at, outcome, note FROM consumption", "number", id)
        return [AuditedConsumption(at=at, outcome=outcome, note=note) for at, outcome, note in rows]

    def decisions(self, id: str) -> list[AuditedDecision]:
        """What was decided on a claim, the newest first."""
        rows = self._newest(
            "SELECT d.run, r.at, d.channel, d.rank, d.action, d.reasons_json, d.relevance,"
            " d.freshness, d.belief, d.risk"
            " FROM authority_decisions d JOIN retrieval_runs r ON r.number = d.run",
            "run",
            id,
        )
        return [
            AuditedDecision(
                run=run,
                at=at,
                channel=channel,
                rank=rank,
                action=action,
                reasons=json.loads(reasons),
                scores=DecisionScores(relevance=rel, freshness=fresh, belief=bel, risk=risk),
            )
            for run, at, channel, rank, action, reasons, rel, fresh, bel, risk in rows
        ]

    def injections(self, id: str) -> list[AuditedInjection]:
        """The messages that a claim went into, the newest first."""
        rows = self._newest(
            "SELECT i.run, r.at, i.message_id"
            " FROM injections i JOIN retrieval_runs r ON r.number = i.run",
            "run",
            id,
        )
        return [AuditedInjection(run=run, at=at, message_id=message) for run, at, message in rows]

    def runs(self, id: str) -> list[AuditedRun]:
        """The retrievals that decided on a claim, the newest first."""
        rows = self._newest(
            "SELECT r.number, r.at, r.query_hash, r.terms_json, r.session, r.workspace_key,"
            " r.candidates FROM authority_decisions d JOIN retrieval_runs r ON r.number = d.run",
            "run",
            id,
        )
        return [
            AuditedRun(
                run=run,
                at=at,
                query_hash=digest,
                terms=json.loads(terms),
                session=session,
                workspace_key=key,
                candidates=candidates,
            )
            for run, at, digest, terms, session, key, candidates in rows
        ]

    # --- inside ------------------------------------------------------------------------------

    def _newest(self, select: str, order: str, id: str) -> list[Any]:
        sql = f"{select} WHERE claim_id = ? ORDER BY {order} DESC LIMIT {SHOWN}"
        with _troubles():
            return self._db.execute(sql, (id,)).fetchall()

    def _claims(self, where: str, **values: object) -> list[tuple[Claim, Belief]]:
        sql = (
            f"SELECT {_SELECTED}, b.alpha, b.beta, b.harmful_count"  # noqa: S608 - own text alone
            f" FROM claims c JOIN beliefs b ON b.claim_id = c.id WHERE {where}"
        )
        with _troubles():
            return [_stored(row) for row in self._db.execute(sql, values)]

    def _unindex(self, id: str) -> int | None:
        row = self._db.execute("SELECT number FROM claims WHERE id = ?", (id,)).fetchone()
        if row is None:
            return None
        self._db.execute("DELETE FROM claims_fts WHERE rowid = ?", row)
        return int(row[0])


@contextlib.contextmanager
def _troubles() -> Iterator[None]:
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise DatabaseTrouble("closed") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        # The lower byte is the kind of the error, the others say more of it.
        cause = "unreadable" if code is None else _BY_CODE.get(code & 0xFF, "unreadable")
        raise DatabaseTrouble(cause) from error
    except OSError as error:
        raise DatabaseTrouble("unreadable") from error


def _json(value: Sequence[str]) -> str:
    return json.dumps(list(value), ensure_ascii=False)


def _stored(row: Sequence[Any]) -> tuple[Claim, Belief]:
    *values, alpha, beta, harmful = row
    fields: dict[str, Any] = {
        name: tuple(json.loads(value)) if name in _LISTS else value
        for name, value in zip(_COLUMNS, values, strict=True)
    }
    return Claim(**fields), belief(alpha, beta, harmful)


def _candidate(row: Sequence[Any], covered: float) -> Candidate:
    id, kind, scope, origin, content, updated_at, valid_until, tags, alpha, beta, harmful = row
    return Candidate(
        id=id,
        kind=kind,
        scope=scope,
        origin=origin,
        content=content,
        belief=belief(alpha, beta, harmful),
        updated_at=updated_at,
        valid_until=valid_until,
        tags=tuple(json.loads(tags)),
        lexical=covered,
    )


def _decision_row(run: int, decided: Decided) -> tuple[object, ...]:
    ranked, decision = decided.ranked, decided.decision
    scores = decision.scores
    return (
        run,
        ranked.candidate.id,
        ranked.candidate.channel,
        ranked.rank,
        decision.action,
        _json(decision.reasons),
        scores.relevance,
        scores.freshness,
        scores.belief,
        scores.risk,
    )
