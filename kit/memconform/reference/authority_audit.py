"""Reads what an authority store decided, out of a copy of its database.

The database may be in use and may be anybody's: it is opened for reading alone and copied, the copy
is what is asked, and nothing of it is taken on trust. A row that can't be is told with its number
and the reason.

Four tables are read, by these columns; those after the bar may be missing::

    retrieval_runs       number at query_hash candidates | terms_json
    authority_decisions  run claim_id action reasons_json relevance freshness belief risk
                         | rank channel
    injections           run claim_id
    consumption          claim_id outcome at
    claims               | id content state
    evidence             | claim_id outcome alpha beta at
    beliefs              | claim_id alpha beta harmful_count

The last two, and ``kind`` and ``created_at`` of the claims, are needed for what became of a claim.

Files of version 1 have no ``terms_json``; a store that follows the design alone keeps neither rank
nor channel of a decision.

Source: claim-audit, "What was decided can be read afterwards".
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import msgspec

from memconform.model import has_lone_surrogate
from memconform.model.authority import (
    Action,
    Belief,
    ClaimKind,
    ClaimState,
    Consumed,
    Decision,
    DecisionScores,
)

MAGIC = b"SQLite format 3\x00"
BESIDE = ("-wal", "-journal")  # what belongs to a database that is in use; -shm can be made anew
MOST_DECISIONS = 10_000  # of one run; a store decides on 16
MOST_BYTES = 16 * 1024 * 1024  # of one row
_ATTEMPTS, _PAUSE_S = 20, 0.05
_NEEDED = {
    "retrieval_runs": ("number", "at", "query_hash", "candidates"),
    "authority_decisions": (
        *("run", "claim_id", "action", "reasons_json"),
        *("relevance", "freshness", "belief", "risk"),
    ),
    "injections": ("run", "claim_id"),
    "consumption": ("claim_id", "outcome", "at"),
}
_OF_A_CLAIM = {
    "claims": ("id", "kind", "content", "state", "created_at"),
    "evidence": ("claim_id", "outcome", "alpha", "beta", "at"),
    "beliefs": ("claim_id", "alpha", "beta", "harmful_count"),
}
_OPTIONAL = {
    "retrieval_runs": ("terms_json",),
    "authority_decisions": ("rank", "channel"),
    "claims": ("id", "content", "state"),
}


_NO_SCORES = DecisionScores(relevance=0, freshness=0, belief=0, risk=0)


class AuditTrouble(Exception):
    """The database can't be read; the message is a sentence that says why."""


class AuditedDecisionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided on one claim.

    Attributes:
        rank, channel: null where the database doesn't keep them.
        content: null where it isn't asked for or isn't kept, and of a tombstoned claim.
    """

    claim_id: str
    action: Action
    reasons: tuple[str, ...]
    relevance: float
    freshness: float
    belief: float
    risk: float
    rank: float | None = None
    channel: str | None = None
    content: str | None = None


class AuditedRunRow(msgspec.Struct, frozen=True, kw_only=True):
    """One retrieval.

    Attributes:
        at: ISO 8601.
        terms: null in a file of version 1, which has none.
        decisions: best first where ranks are kept.
        injected: the claims that went into a message.
    """

    at: str
    query_hash: str
    candidates: int
    terms: tuple[str, ...] | None
    decisions: tuple[AuditedDecisionRow, ...]
    injected: tuple[str, ...]


class ConsumedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said of a claim, and the retrieval that had shown it last.

    Attributes:
        query_hash: of that retrieval; null where none that is kept had shown it before.
        shown_at: when that was, ISO 8601.
    """

    claim_id: str
    outcome: Consumed
    at: str
    query_hash: str | None = None
    shown_at: str | None = None


class EvidenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A report that moved a belief, and what it added to alpha and beta."""

    at: str
    outcome: Consumed
    alpha: float
    beta: float


class DecisionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one run decided on a claim, and whether the claim went into its message."""

    at: str
    decision: Decision
    injected: bool


class ClaimHistory(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a claim.

    Attributes:
        content: null of a tombstoned claim.
        belief: the present one.
        evidence: from the first on.
        decisions: from the first of the kept runs on.
    """

    id: str
    kind: ClaimKind
    state: ClaimState
    content: str | None
    created_at: str
    belief: Belief
    evidence: tuple[EvidenceRow, ...]
    decisions: tuple[DecisionRow, ...]


@dataclass(frozen=True)
class Row:
    """Something that was read.

    Attributes:
        number: of the run, or of the row in its order where runs have no whole numbers.
        found: what it says; a text is the reason why it can't be.
        pruned: only the run itself is left of it: its decisions are no longer kept.
    """

    number: int
    found: AuditedRunRow | ConsumedRow | str
    pruned: bool = False


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def copied(path: Path, to: Path) -> None:
    """Copy a database that somebody may be writing to; beside it nothing is made or changed.

    Args:
        path: the database, opened for reading alone.
        to: the copy's main file.

    Raises:
        AuditTrouble: it can't be read, or is being written to all the time.
    """
    parts = {path.with_name(path.name + end): to.with_name(to.name + end) for end in ("", *BESIDE)}
    try:
        for _ in range(_ATTEMPTS):
            before = _stamps(list(parts))
            for source, target in parts.items():
                target.unlink(missing_ok=True)
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(source, target)
            if before[0] is None:
                raise AuditTrouble(f"{path} isn't there")
            # What was written to meanwhile may be half of the old and half of the new.
            if _stamps(list(parts)) == before:
                return
            time.sleep(_PAUSE_S)
    except OSError as error:
        raise AuditTrouble(f"{path} can't be copied: {error.strerror}") from error
    raise AuditTrouble(f"{path} is being written to all the time; close the store, or copy it")


def _stamps(paths: Sequence[Path]) -> list[tuple[int, int, int] | None]:
    found: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            stat = path.stat()
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return found


class AuditDatabase:
    """A copy of a database, asked a run at a time. It is used by the thread that made it.

    Args:
        copy: one that ``copied`` has made; indexes are added to it.
        contents: whether what claims say is read, too.

    Raises:
        AuditTrouble: it is no database of this kind, or damaged.
    """

    def __init__(self, copy: Path, *, contents: bool = False) -> None:
        with _told():
            self._db = sqlite3.connect(copy, isolation_level=None)
            try:
                self._prepare(contents=contents)
            except BaseException:
                self._db.close()
                raise

    def _prepare(self, *, contents: bool) -> None:
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
        self._db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        # Views, triggers and functions of a stranger's file do nothing here.
        self._db.execute("PRAGMA trusted_schema = OFF")
        self._db.execute("PRAGMA temp_store = FILE")
        self._check(_NEEDED)
        there = {table: self._columns(table) for table in _OPTIONAL}
        self._optional = {
            table: tuple(name for name in names if name in there[table])
            for table, names in _OPTIONAL.items()
        }
        self._contents = contents and self._optional["claims"] == _OPTIONAL["claims"]
        for table, column in (
            ("retrieval_runs", "number"),
            ("authority_decisions", "run"),
            ("injections", "run"),
            ("injections", "claim_id"),
        ):
            name = f"memconform_{table}_{column}"
            self._db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({column})")

    def _check(self, wanted: Mapping[str, Sequence[str]]) -> None:
        for table, columns in wanted.items():
            there = self._columns(table)
            if not there:
                raise AuditTrouble(f"it has no table {table}; name the file of an authority store")
            for column in columns:
                if column not in there:
                    raise AuditTrouble(
                        f"its table {table} has no column {column}; "
                        f"there are {', '.join(sorted(there))}"
                    )

    def _columns(self, table: str) -> set[str]:
        kept = self._db.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
        ).fetchone()
        if kept is None or str(kept[0]).upper().startswith("CREATE VIRTUAL"):
            return set()
        return {row[1] for row in self._db.execute(f"PRAGMA table_info({table})")}

    def close(self) -> None:
        """Give back the copy."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def count(self) -> int:
        """How many runs there are."""
        with _told():
            (number,) = self._db.execute("SELECT count(*) FROM retrieval_runs").fetchone()
            return int(number)

    def runs(self) -> Iterator[Row]:
        """Every run by its number, then what belongs to no run."""
        with _told():
            oldest = self._db.execute("SELECT min(run) FROM authority_decisions").fetchone()[0]
            keys = self._db.execute("SELECT number FROM retrieval_runs ORDER BY number")
            for place, (key,) in enumerate(keys, start=1):
                number = key if isinstance(key, int) else place
                found = self._run(key)
                if isinstance(found, str):
                    yield Row(number, found)
                elif _bare(found) and _below(key, oldest):
                    yield Row(number, found, pruned=True)
                else:
                    yield Row(number, _incomplete(found) or found)
            yield from self._orphans()

    def _run(self, key: object) -> AuditedRunRow | str:
        try:
            runs = self._rows(
                "retrieval_runs", ("at", "query_hash", "candidates"), "number IS ?", key, limit=2
            )
            decisions = self._decisions(key)
            injected = self._rows("injections", ("claim_id",), "run IS ?", key)
        except sqlite3.DataError:
            return f"a text of it is longer than {MOST_BYTES // 2**20} MiB"
        if len(runs) > 1:
            return "there are two runs of this number"
        if max(len(decisions), len(injected)) > MOST_DECISIONS:
            return f"it has more than {MOST_DECISIONS:,} decisions"
        if has_lone_surrogate([runs, decisions, injected]):
            return "a text of it is not UTF-8"
        try:
            return msgspec.convert(
                {
                    **runs[0],
                    "terms": _list_of(runs[0].get("terms_json"), "terms_json"),
                    "decisions": [
                        {**each, "reasons": _list_of(each["reasons_json"], "reasons_json")}
                        for each in decisions
                    ],
                    "injected": [each["claim_id"] for each in injected],
                },
                AuditedRunRow,
            )
        except (msgspec.ValidationError, ValueError) as error:
            return str(error)

    def _decisions(self, key: object) -> list[dict[str, Any]]:
        columns = ", ".join(
            f"d.{name}"
            for name in (
                *_NEEDED["authority_decisions"][1:],
                *self._optional["authority_decisions"],
            )
        )
        ranked = "d.rank DESC, " if "rank" in self._optional["authority_decisions"] else ""
        content, join = "", ""
        if self._contents:
            content = ", CASE WHEN c.state <> 'tombstoned' THEN c.content END AS content"
            join = "LEFT JOIN claims c ON c.id = d.claim_id"
        found = self._db.execute(
            f"SELECT {columns}{content} FROM authority_decisions d {join}"  # noqa: S608 - own names
            f" WHERE d.run IS ? ORDER BY {ranked}d.claim_id LIMIT {MOST_DECISIONS + 1}",
            (key,),
        )
        return _named(found)

    def _rows(
        self,
        table: str,
        columns: Sequence[str],
        where: str,
        value: object,
        limit: int = MOST_DECISIONS + 1,
    ) -> list[dict[str, Any]]:
        names = ", ".join((*columns, *self._optional.get(table, ())))
        return _named(
            self._db.execute(
                f"SELECT {names} FROM {table} WHERE {where} LIMIT {limit}",  # noqa: S608 - own names
                (value,),
            )
        )

    def _orphans(self) -> Iterator[Row]:
        for table in ("authority_decisions", "injections"):
            found = self._db.execute(
                f"SELECT run, count(*) FROM {table} o WHERE NOT EXISTS"  # noqa: S608 - own names
                " (SELECT 1 FROM retrieval_runs r WHERE r.number IS o.run) GROUP BY run"
            )
            for key, count in found:
                number = key if isinstance(key, int) else 0
                yield Row(number, f"{table} has {count} of this run, which isn't there")

    def consumed(self) -> Iterator[Row]:
        """What people said, in its order."""
        with _told():
            rows = self._db.execute("SELECT claim_id, outcome, at FROM consumption")
            for number, (claim, outcome, at) in enumerate(rows, start=1):
                # ISO times of one program compare as texts do.
                shown = self._db.execute(
                    "SELECT r.query_hash, r.at FROM injections i"
                    " JOIN retrieval_runs r ON r.number = i.run"
                    " WHERE i.claim_id = ? AND r.at <= ? ORDER BY r.number DESC LIMIT 1",
                    (claim, at),
                ).fetchone()
                query, shown_at = shown or (None, None)
                said = {
                    "claim_id": claim,
                    "outcome": outcome,
                    "at": at,
                    "query_hash": query,
                    "shown_at": shown_at,
                }
                try:
                    found: ConsumedRow | str = msgspec.convert(said, ConsumedRow)
                except msgspec.ValidationError as error:
                    found = str(error)
                if has_lone_surrogate(said):
                    found = "a text of it is not UTF-8"
                yield Row(number, found)

    # --- one claim ---------------------------------------------------------------------------

    def claims(self, most: int = 500) -> list[str]:
        """The ids of claims on which something was decided, those with the most reports first.

        Raises:
            AuditTrouble: the file doesn't keep what became of a claim.
        """
        with _told():
            self._check(_OF_A_CLAIM)
            found = self._db.execute(
                "SELECT c.id FROM claims c WHERE EXISTS"
                " (SELECT 1 FROM authority_decisions d WHERE d.claim_id = c.id)"
                " ORDER BY (SELECT count(*) FROM evidence e WHERE e.claim_id = c.id) DESC, c.id"
                " LIMIT ?",
                (most,),
            )
            return [str(id) for (id,) in found]

    def history(self, claim_id: str) -> ClaimHistory:
        """What became of a claim.

        Raises:
            AuditTrouble: it isn't there, or can't be read.
        """
        with _told():
            self._check(_OF_A_CLAIM)
            one = (claim_id,)
            claims = _named(
                self._db.execute(
                    "SELECT c.id, c.kind, c.state, c.created_at, b.alpha, b.beta, b.harmful_count,"
                    " CASE WHEN c.state <> 'tombstoned' THEN c.content END AS content"
                    " FROM claims c JOIN beliefs b ON b.claim_id = c.id WHERE c.id = ? LIMIT 1",
                    one,
                )
            )
            evidence = _named(
                self._db.execute(
                    "SELECT at, outcome, alpha, beta FROM evidence WHERE claim_id = ? ORDER BY at",
                    one,
                )
            )
            decisions = _named(
                self._db.execute(
                    "SELECT r.at, d.action, d.reasons_json, d.relevance, d.freshness, d.belief,"
                    " d.risk, EXISTS (SELECT 1 FROM injections i WHERE i.run IS d.run"
                    " AND i.claim_id = d.claim_id) AS injected"
                    " FROM authority_decisions d JOIN retrieval_runs r ON r.number = d.run"
                    " WHERE d.claim_id = ? ORDER BY r.number",
                    one,
                )
            )
        if not claims:
            raise AuditTrouble(f"it has no claim {claim_id[:60]!r}")
        try:
            return msgspec.convert(
                {
                    **claims[0],
                    "belief": _belief_of(claims[0]),
                    "evidence": evidence,
                    "decisions": [_decision_of(row) for row in decisions],
                },
                ClaimHistory,
            )
        except (msgspec.ValidationError, ValueError) as error:
            raise AuditTrouble(f"the claim {claim_id[:60]!r} can't be read: {error}") from error


def _belief_of(row: Mapping[str, Any]) -> dict[str, Any]:
    weights = {name: row[name] for name in ("alpha", "beta")}
    for name, value in weights.items():
        if not isinstance(value, (int, float)) or value < 0:
            raise ValueError(f"{name} is no weight")
    total = sum(weights.values())
    if not total:
        raise ValueError("alpha and beta are 0")
    harm = row["harmful_count"]
    return {**weights, "harmfulCount": harm, "score": weights["alpha"] / total}


def _decision_of(row: Mapping[str, Any]) -> dict[str, Any]:
    scores = {name: row[name] for name in msgspec.structs.asdict(_NO_SCORES)}
    reasons = _list_of(row["reasons_json"], "reasons_json")
    decision = {"action": row["action"], "reasons": reasons, "scores": scores}
    return {"at": row["at"], "decision": decision, "injected": bool(row["injected"])}


def _bare(run: AuditedRunRow) -> bool:
    """Whether a run has candidates by its own figures, and nothing else is left of them."""
    return run.candidates > 0 and not run.decisions and not run.injected


def _incomplete(run: AuditedRunRow) -> str | None:
    """What is missing of a run: one decision less would look as if it had never been made."""
    if run.candidates != len(run.decisions):
        return f"it names {run.candidates} candidates, and its decisions are {len(run.decisions)}"
    actions = {each.claim_id: each.action for each in run.decisions}
    for claim in run.injected:
        if claim not in actions:
            return f"the claim {claim[:60]!r} was injected without a decision"
        if actions[claim] == "ignore":
            return f"the claim {claim[:60]!r} was injected and should have been ignored"
    return None


def _below(key: object, oldest: object) -> bool:
    """Whether a run is older than all of which decisions are kept."""
    if oldest is None:
        return True
    if isinstance(key, int) and isinstance(oldest, int):
        return key < oldest
    return isinstance(key, str) and isinstance(oldest, str) and key < oldest


def _named(found: sqlite3.Cursor) -> list[dict[str, Any]]:
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]


def _list_of(text: object, column: str) -> list[Any] | None:
    if text is None:
        return None
    try:
        value = msgspec.json.decode(text) if isinstance(text, str) else None
    except (msgspec.DecodeError, RecursionError):
        value = None
    if not isinstance(value, list):
        raise ValueError(f"{column} is no list in JSON")  # noqa: TRY004 - of the row, not of a call
    return value


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise AuditTrouble(f"it can't be read: {error}") from error
