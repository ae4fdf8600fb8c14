"""The ways into the authority store: another figure, rule, part, table, or another method.

::

    seed=figure(candidate_limit=15)              # authority.Constants
    seed=threshold(use_belief=0.69)              # DecisionPolicy
    seed=part(merged=in_any_order)               # a field of authority.Design
    seed=store(takes_any_report)                 # a subclass of the store, made for a mark
    seed=tables(keeps_no_evidence)               # a subclass of its database
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Self

import msgspec

from memconform.authority import AUTHORITY, DESIGN, Constants, Design, decide, inject
from memconform.authority.decision import RULES, Case, Rule, Verdict
from memconform.authority.injection import Decided
from memconform.authority.ranking import Candidate, Ranked, order
from memconform.authority.secrets import PATTERNS, Patterns, redacted, secret_label
from memconform.authority.terms import WORDING, claim_terms, query_terms
from memconform.faults.fault import Arguments, Fault, Mark, Seed
from memconform.faults.seams import changed
from memconform.model import Hit, RecallResult
from memconform.model.authority import Belief, DecisionPolicy
from memconform.protocol import System
from memconform.reference.authority import AuthorityStore, factory
from memconform.reference.authority_tables import FILE, FOLDER, ClaimDatabase

# How long a faulty store waits for another writer: what is locked on purpose stays locked.
WAIT_MS = 20


@cache
def _empty() -> bytes:
    """The file of an empty database."""
    with tempfile.TemporaryDirectory() as root:
        ClaimDatabase(Path(root) / FOLDER, DESIGN, synced=False).close()
        return (Path(root) / FOLDER / FILE).read_bytes()


class Tables(ClaimDatabase):
    """The right tables, which wait for nobody and copy an empty file instead of making one.

    A kill run opens them ten thousand times, and four times as fast so.
    """

    def __init__(self, folder: Path | None, design: Design, *, synced: bool = True) -> None:
        if folder is not None and not folder.exists():
            folder.mkdir(mode=0o700, parents=True)
            (folder / FILE).write_bytes(_empty())
        super().__init__(folder, design, synced=synced)

    @contextmanager
    def changing(self, wait_ms: int = WAIT_MS) -> Iterator[Self]:
        """One transaction."""
        with super().changing(min(wait_ms, WAIT_MS)) as database:
            yield database


class Store(AuthorityStore):
    """The right store, which waits for nobody."""

    tables = Tables


def figure(**changes: Any) -> Seed:
    """Seeds other figures, by their names in ``Constants``."""
    return lambda mark: factory(
        replace(DESIGN, constants=changed(AUTHORITY, mark, **changes)), Store
    )


def threshold(**changes: Any) -> Seed:
    """Seeds other thresholds, by their names in ``DecisionPolicy``."""
    return figure(decision=msgspec.structs.replace(DecisionPolicy(), **changes))


def first_belief(origin: str, alpha: float, beta: float) -> Seed:
    """Seeds what a claim of one origin starts with."""
    return figure(first_belief=_exchanged(AUTHORITY.first_belief, (origin, alpha, beta)))


def report(outcome: str, alpha: float, beta: float, harm: int) -> Seed:
    """Seeds what one kind of report adds."""
    return figure(reports=_exchanged(AUTHORITY.reports, (outcome, alpha, beta, harm)))


def boost(scope: str, value: float) -> Seed:
    """Seeds the boost of one scope."""
    return figure(scope_boosts=_exchanged(AUTHORITY.scope_boosts, (scope, value)))


def _exchanged(rows: Any, new: tuple[Any, ...]) -> Any:
    assert new[0] in [row[0] for row in rows], f"there is no row {new[0]!r}"
    return tuple(new if row[0] == new[0] else row for row in rows)


def part(**changes: Callable[..., Any]) -> Seed:
    """Seeds other parts, by their names in ``Design``."""

    def seed(mark: Mark) -> System:
        noted: dict[str, Any] = {name: mark.on(change) for name, change in changes.items()}
        return factory(replace(DESIGN, **noted), Store)

    return seed


def store(make: Callable[[Mark], type[AuthorityStore]]) -> Seed:
    """Seeds a subclass of the store, which sets the mark where it differs."""
    return lambda mark: factory(DESIGN, make(mark))


def tables(make: Callable[[Mark], type[ClaimDatabase]]) -> Seed:
    """Seeds a subclass of the tables, which sets the mark where it differs."""

    def seed(mark: Mark) -> System:
        kind = type("Store", (Store,), {"tables": make(mark)})
        return factory(DESIGN, kind)

    return seed


def right(mark: Mark) -> System:
    """The right store, for faults of listening."""
    return factory(DESIGN, Store)


# --- parts of the parts ----------------------------------------------------------------------


def rules(*others: Rule) -> Seed:
    """Seeds other rules of the decision."""
    return part(decide=partial(decide, rules=others))


def without_rule(left_out: Rule) -> Seed:
    """Seeds that one rule is left out."""
    return rules(*(rule for rule in RULES if rule is not left_out))


def instead_of(old: Rule, new: Rule) -> Seed:
    """Seeds one rule in the place of another."""
    return rules(*(new if rule is old else rule for rule in RULES))


def later_wins(earlier: Rule, later: Rule) -> Seed:
    """Seeds that of two rules which both apply the later one decides."""

    def first(case: Case) -> Verdict | None:
        applying = [rule for rule in RULES if rule(case) is not None]
        if applying and applying[0] is earlier and later in applying:
            return later(case)
        return None

    return rules(first, *RULES)


def scored(change: Callable[..., dict[str, Any]]) -> Seed:
    """Seeds that a decision is made on other figures, given the right ones by name."""

    def decided(claim: Any, belief: Belief, **given: Any) -> Any:
        figures = {"claim": claim, "belief": belief, **given}
        figures |= change(**figures)
        return decide(figures.pop("claim"), figures.pop("belief"), **figures)

    return part(decide=decided)


def wording(*, of_claims: bool = True, of_questions: bool = True, **changes: Any) -> Seed:
    """Seeds another way to make terms, by the names in ``Wording``."""
    other = replace(WORDING, **changes)
    parts: dict[str, Callable[..., Any]] = {}
    if of_claims:
        parts["claim_terms"] = partial(claim_terms, wording=other)
    if of_questions:
        parts["query_terms"] = partial(query_terms, wording=other)
    return part(**parts)


def secrets(change: Callable[[Patterns], Patterns]) -> Seed:
    """Seeds other patterns of what must not be stored."""
    patterns = change(PATTERNS)
    return part(
        secret_label=partial(secret_label, patterns=patterns),
        redacted=partial(redacted, patterns=patterns),
    )


def ranking(change: Callable[[tuple[Ranked, ...]], Any]) -> Seed:
    """Seeds what becomes of the order."""
    return part(merged=lambda *args, **more: tuple(change(DESIGN.merged(*args, **more))))


def ranked_by(rank: Callable[[Candidate, str, Constants], Ranked]) -> Seed:
    """Seeds the rank of each candidate."""

    def merged(
        from_capsules: Any, from_triggers: Any, now: str, constants: Constants = AUTHORITY
    ) -> tuple[Ranked, ...]:
        by_id = {candidate.id: candidate for candidate in from_triggers}
        by_id |= {candidate.id: candidate for candidate in from_capsules}
        everything = sorted((rank(c, now, constants) for c in by_id.values()), key=order)
        return tuple(everything[: constants.candidate_limit])

    return part(merged=merged)


def found(change: Callable[[Candidate], Candidate]) -> Seed:
    """Seeds what is known of each candidate of the trigger channel."""

    def make(mark: Mark) -> type[ClaimDatabase]:
        class Changed(Tables):
            """Tells other things of what it found."""

            def triggered(self, *args: Any, **more: Any) -> list[Candidate]:
                candidates = super().triggered(*args, **more)
                if candidates:
                    mark()
                return [change(each) for each in candidates]

        return Changed

    return tables(make)


def capsules_of(condition: str, change: str) -> Any:
    """Seeds that claims of another state or time are taken for capsules, too."""

    def make(mark: Mark) -> type[ClaimDatabase]:
        class Changed(Tables):
            """Looks at more claims."""

            def global_capsules(self, terms: Any, now: str) -> list[Candidate]:
                sql = f"SELECT number FROM claims WHERE {condition}"  # noqa: S608 - own text
                rows = self._db.execute(sql).fetchall()
                if rows:
                    mark()
                kept = self._db.execute("SELECT number, state, valid_until FROM claims").fetchall()
                sql = f"UPDATE claims SET {change} WHERE number = ?"  # noqa: S608 - own text
                self._db.executemany(sql, rows)
                candidates = super().global_capsules(terms, now)
                self._db.executemany(
                    "UPDATE claims SET state = ?, valid_until = ? WHERE number = ?",
                    [(state, end, number) for number, state, end in kept],
                )
                return candidates

        return Changed

    return tables(make)


def lined(change: Callable[[Decided], str]) -> Seed:
    """Seeds the line of a claim in the message."""
    return part(inject=partial(inject, line=change))


def framed(change: Callable[[Sequence[str]], str]) -> Seed:
    """Seeds the frame of the message."""
    return part(inject=partial(inject, frame=change))


def hits(change: Callable[[Hit], Hit]) -> Seed:
    """Seeds how each hit of a recall is shown."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Shown(Store):
            """Shows its hits otherwise."""

            def recall(self, *args: Any, **more: Any) -> RecallResult:
                answer = super().recall(*args, **more)
                if answer.hits:
                    mark()
                return msgspec.structs.replace(answer, hits=[change(h) for h in answer.hits])

        return Shown

    return store(make)


def told(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Seed:
    """Seeds what ``explain`` tells, given the right fields."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Told(Store):
            """Explains otherwise."""

            def explain(self, *args: Any, **more: Any) -> Any:
                mark()
                answer = super().explain(*args, **more)
                return msgspec.structs.replace(answer, **change(msgspec.structs.asdict(answer)))

        return Told

    return store(make)


def drafts(change: Callable[[Arguments], Arguments]) -> Callable[[str, Arguments], Arguments]:
    """A change of each claim that is written, as the store hears it."""

    def heard(method: str, given: Arguments) -> Arguments:
        if method == "write" and isinstance(given.get("record"), dict):
            given["record"] = change(given["record"])
        return given

    return heard


def authority_fault(**fields: Any) -> Fault:
    """A fault of the authority store."""
    return Fault(base="authority", **fields)
