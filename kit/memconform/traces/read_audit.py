"""Reads an authority store's audit: retrievals, decisions, injections, and what people said.

A run becomes a retrieval. Its gate is the relevance floor of the decision: what was ignored for too
little relevance did not pass it, what may be used or must be verified did, and what went into a
message is selected. A claim that was ignored for anything else, harm before all, enters under no
floor: it is no candidate here and is counted under ``filtered_lifecycle``.

A run of fewer decisions than a store makes at most holds all that matched, so it is complete from 0
on. Where the list is full, nobody can say.

What people said becomes judgements: of the claim, for the question that it was last injected for in
the fourteen days before. *Helped* is relevant, *harmful* forbidden, *stale* and *conflict* not
relevant; the last word counts. A question for which nothing helped is not judged: that something
did harm doesn't mean that nothing would have helped.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import msgspec

from memconform.authority import AUTHORITY
from memconform.authority.terms import has_cjk
from memconform.model.trace_log import (
    TRACE_LOG_SCHEMA,
    LoggedCandidate,
    LoggedFeatures,
    LoggedRetrieval,
)
from memconform.reference.authority_audit import (
    AuditDatabase,
    AuditedDecisionRow,
    AuditedRunRow,
    AuditTrouble,
    ConsumedRow,
    copied,
)
from memconform.retrieval.times import milliseconds
from memconform.traces.batch import Found, Refused
from memconform.traces.errors import TraceError
from memconform.traces.from_lines import Line, PassedOver, portions
from memconform.traces.ids import ID_DIGITS
from memconform.traces.labels import Judgement
from memconform.traces.schema import FORBIDDEN

GATE = "authority-v1"
MODE = "sqlite-fts5"
_TOO_LITTLE = "low_relevance"
_GRADES = {"helped": 1, "stale": 0, "conflict": 0, "harmful": FORBIDDEN}
_DAY_MS = 24 * 60 * 60 * 1000
_DIGEST = re.compile("[0-9a-f]{64}")


class AuditReader:
    """Reads one database, which is copied first.

    Args:
        path: an authority store's database.
        scratch: a folder for the copy.
        with_text: keep what the claims say; what was asked is in no such database.

    Raises:
        TraceError: it can't be copied, or is no database of this kind.
    """

    def __init__(self, path: Path, scratch: Path, *, with_text: bool) -> None:
        self._path = path
        self._copy = scratch / "audit.sqlite3"
        self._with_text = with_text
        try:
            copied(path, self._copy)
            with self._opened() as audit:
                self._runs = audit.count()
        except AuditTrouble as trouble:
            raise TraceError(f"{path} can't be imported: {trouble}.") from trouble

    @property
    def size(self) -> int:
        """How many runs there are."""
        return self._runs

    def read(self) -> Generator[Found]:
        """Every run, in the order of their numbers."""
        return portions(str(self._path), self._lines())

    def judgements(self) -> Iterator[tuple[int, Judgement | str]]:
        """What people said, by question and claim, and what can't be read with its number."""
        grades: dict[tuple[str, str], tuple[int, int]] = {}
        try:
            with self._opened() as audit:
                for row in audit.consumed():
                    if isinstance(row.found, str):
                        yield row.number, row.found
                    elif isinstance(row.found, ConsumedRow):
                        query = _asked_before(row.found)
                        grade = _GRADES.get(row.found.outcome)
                        if query is not None and grade is not None:
                            grades[query, row.found.claim_id] = row.number, grade
        except AuditTrouble as trouble:
            raise TraceError(f"{self._path} can't be imported: {trouble}.") from trouble
        helped = {query for (query, _), (_, grade) in grades.items() if grade > 0}
        for (query, claim), (number, grade) in grades.items():
            if query in helped:
                yield number, Judgement(query, claim, grade)

    def _opened(self) -> AuditDatabase:
        return AuditDatabase(self._copy, contents=self._with_text)

    def _lines(self) -> Iterator[Line | Refused | PassedOver]:
        try:
            with self._opened() as audit:
                for position, row in enumerate(audit.runs(), start=1):
                    if row.pruned:
                        yield PassedOver(position)
                    elif isinstance(row.found, AuditedRunRow):
                        yield self._line(row.number, min(position, self._runs), row.found)
                    else:
                        yield Refused(str(self._path), row.number, str(row.found))
        except AuditTrouble as trouble:
            raise TraceError(f"{self._path} can't be imported: {trouble}.") from trouble

    def _line(self, number: int, position: int, run: AuditedRunRow) -> Line:
        # What a claim says is no part of the run: forgotten, it is gone, and the run is the same.
        bare = [msgspec.structs.replace(each, content=None) for each in run.decisions]
        said = msgspec.json.encode([number, msgspec.structs.replace(run, decisions=tuple(bare))])
        ignored = [each for each in run.decisions if each.action == "ignore"]
        refused = [each for each in ignored if _TOO_LITTLE in each.reasons]
        left_out = len(ignored) - len(refused)
        injected = set(run.injected)
        retrieval = LoggedRetrieval(
            schema=TRACE_LOG_SCHEMA,
            query_id=_query_of(run.query_hash),
            timestamp=run.at,
            language=None if not run.terms else "cjk" if any(map(has_cjk, run.terms)) else "latin",
            mode=MODE,
            gate=GATE,
            query_token_count=None if run.terms is None else len(run.terms),
            candidate_count=run.candidates,
            swept_from=0.0 if run.candidates < AUTHORITY.candidate_limit else None,
            candidates=tuple(
                _candidate(each, selected=each.claim_id in injected)
                for each in run.decisions
                if each.action != "ignore" or _TOO_LITTLE in each.reasons
            ),
        )
        counts = {"filtered_irrelevant": len(refused), "filtered_lifecycle": left_out}
        return Line(number, position, said, retrieval, counts)


def _candidate(decided: AuditedDecisionRow, *, selected: bool) -> LoggedCandidate:
    passed = decided.action != "ignore"
    content = decided.content
    return LoggedCandidate(
        memory_id=decided.claim_id,
        final_score=_rank(decided) if decided.rank is None else decided.rank,
        passed=passed,
        selected=selected,
        channel=decided.channel,
        reason=None if selected else "unknown" if passed else "below-floor",
        features=LoggedFeatures(
            lexical=decided.relevance, freshness=decided.freshness, confidence=decided.belief
        ),
        characters=None if content is None else len(content),
        content=content,
    )


def _rank(decided: AuditedDecisionRow) -> float:
    """The rank of a decision that doesn't say it, without its boosts, which nobody kept either."""
    return (
        AUTHORITY.lexical_weight * decided.relevance
        + AUTHORITY.belief_weight * decided.belief
        + AUTHORITY.freshness_weight * decided.freshness
    )


def _query_of(digest: str) -> str:
    """The id that a log gives the same question: the beginning of the same hash."""
    return digest[:ID_DIGITS] if _DIGEST.fullmatch(digest) else digest


def _asked_before(row: ConsumedRow) -> str | None:
    if row.query_hash is None or row.shown_at is None:
        return None
    shown, said = milliseconds(row.shown_at), milliseconds(row.at)
    if shown is None or said is None or said - shown > AUTHORITY.learning_days * _DAY_MS:
        return None
    return _query_of(row.query_hash)
