"""The third reference store: claims in SQLite, and a decision before anything enters a prompt.

::

    from memconform.reference.authority import AuthorityStore
    store = AuthorityStore("memory", workspace="/home/me/garden")
    store.write(RecordDraft(content="Answer briefly", type="preference", scope="global"))
    store.context("Where is the hose?").text

What stands in a prompt comes from ``context`` (or ``join``), which fails open: whatever goes wrong
in it, there is no text and no error. Every other call says what is wrong; where the database can't
be opened each says ``unavailable``.

A question considers every claim of the caller's places that shares a term with it. The design also
names a window of the newest 500 claims for what a full-text search may miss; the index here holds
exactly the terms that relevance counts, so that a claim beyond its hits has a relevance of 0.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec

from memconform import __version__
from memconform.authority.belief import first_belief, increments
from memconform.authority.claims import (
    Claim,
    claim_from_draft,
    content_hash,
    corrected,
    texts_of,
)
from memconform.authority.decision import Subject, has_expired, risk_of
from memconform.authority.design import DESIGN, Design
from memconform.authority.extraction import Message, TurnEnd, extract, learnable
from memconform.authority.injection import NOTHING, Decided, Injection, message_id
from memconform.authority.places import GLOBAL, session_key, workspace_key
from memconform.authority.turn import Step, with_recall
from memconform.model import (
    Access,
    BatchCounts,
    BatchResult,
    ContextResult,
    DiagnosticsResult,
    Done,
    GetResult,
    Hit,
    ListResult,
    Policy,
    RecallResult,
    RecordDraft,
    Settings,
    SourceDraft,
    State,
    StorageResult,
    Times,
    WriteResult,
    created,
    done,
    has_lone_surrogate,
    hit,
    recalled,
    to_plain,
)
from memconform.model.authority import (
    Belief,
    ClaimKind,
    ClaimState,
    Consumed,
    Decision,
    DecisionPolicy,
    ExplainResult,
    FeedbackResult,
    InjectionMode,
    Speaker,
)
from memconform.protocol import (
    Capability,
    Conflict,
    Invalid,
    NotFound,
    System,
    Unavailable,
    policies,
)
from memconform.protocol import system as plain_system
from memconform.reference.authority_breaking import StoreBreaker
from memconform.reference.authority_tables import FOLDER, TURN_MS, ClaimDatabase, DatabaseTrouble
from memconform.reference.connection import Clock, Connection, checked_time, refused, system_clock
from memconform.reference.files import check_id
from memconform.reference.home import Home
from memconform.reference.system import DEFAULT_WORKSPACE

CAPABILITIES: list[Capability] = [
    "workspaces",
    "batch",
    "correct",
    "listing",
    "context",
    "authority",
    "scores",
    "tags",
    "validity",
    "clock",
    "durable",
    "shared",
    "faults",
    "diagnostics",
    "storage",
]
VERIFY = "verify"  # the flag of a hit that must be confirmed before anybody relies on it
_ID_DIGITS = 24


@dataclass(frozen=True)
class _Answer:
    """What a question came to: decisions in the order of rank, and what went into a message."""

    decided: tuple[Decided, ...]
    injection: Injection
    message: str | None


class AuthorityStore(Connection):
    """An open connection to the claims under a root folder. One thread at a time may use it.

    Args:
        root: the folder; a folder of mode 0700 is made in it. Null keeps everything in memory.
        settings: clock and policy; of the policy, ``enabled`` counts.
        design: the parts that answer a question; its thresholds are its constants.
        clock: gives the time, ISO 8601 UTC, of a store without a clock in its settings.
        workspace: the default place of whoever names none.
        mode: which decisions go into a prompt.
        home: shared by the stores of one temporary folder; null for a folder that stays.

    Attributes:
        tables: the class of its database.
    """

    tables: ClassVar[type[ClaimDatabase]] = ClaimDatabase

    def __init__(
        self,
        root: Path | str | None,
        settings: Settings = Settings(),
        *,
        design: Design = DESIGN,
        clock: Clock = system_clock,
        workspace: str | None = None,
        mode: InjectionMode = "assist",
        home: Home | None = None,
    ) -> None:
        super().__init__(settings, clock)
        self._policy = settings.policy or Policy()
        self._design = design
        self._workspace = workspace
        self._mode: InjectionMode = mode
        self._home = home
        self._folder = None if root is None else Path(root).absolute() / FOLDER
        self._root = None if root is None else Path(root).absolute()
        self._failures: dict[str, int] = {}
        self._audit: Callable[..., str | None] = self._audited
        self._trouble: DatabaseTrouble | None = None
        self.database: ClaimDatabase | None = None
        if home is not None:
            home.enter()
        self.connect()
        self._breaker = None if self._folder is None else StoreBreaker(self, self._folder)

    # --- life --------------------------------------------------------------------------------

    def connect(self) -> None:
        """Open the database; where that fails, every call but ``context`` says why."""
        self.disconnect()
        try:
            self.database = self.tables(self._folder, self._design, synced=self._home is None)
            self._trouble = None
        except DatabaseTrouble as trouble:
            self._trouble = trouble

    def disconnect(self) -> None:
        """Give back the database."""
        if self.database is not None:
            self.database.close()
            self.database = None

    def with_parts(
        self,
        *,
        decide: Callable[..., Any] | None = None,
        audit: Callable[..., Any] | None = None,
    ) -> Callable[[], None]:
        """Put another policy or audit in place; what comes back puts the former ones back."""
        former = self._design, self._audit
        if decide is not None:
            self._design = replace(self._design, decide=decide)
        if audit is not None:
            self._audit = audit

        def back() -> None:
            if decide is not None:
                self._design = replace(self._design, decide=former[0].decide)
            if audit is not None:
                self._audit = former[1]

        return back

    def _end(self) -> None:
        if self._breaker is not None:
            self._breaker.mend()
        self.disconnect()
        if self._home is not None:
            self._home.leave()

    def set_mode(self, mode: InjectionMode) -> Done:
        """Which decisions go into a prompt: none in shadow, ``use`` in enforce, both in assist."""
        self._check_open()
        self._mode = mode
        return done()

    def _another(self, settings: Settings) -> Self:
        self._check_open()
        if self._root is None:
            raise Invalid("a store in memory has one connection; open it over a folder")
        return type(self)(
            self._root,
            settings,
            design=self._design,
            clock=self._clock,
            workspace=self._workspace,
            mode=self._mode,
            home=self._home,
        )

    # --- writing -----------------------------------------------------------------------------

    def write(self, record: RecordDraft) -> WriteResult:
        """Store one claim. A key becomes the id; without one the id is made of the claim.

        Raises:
            Invalid: the claim breaks a rule or holds a secret.
            Conflict: the key is taken, also by a tombstone.
        """
        with self._changing() as database:
            return created(self._create(database, record).id)

    def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
        """Store several claims. One that is refused says why, the others are stored."""
        outcomes: list[WriteResult] = []
        stored: list[RecordDraft] = []
        with self._changing() as database:
            for draft in records:
                try:
                    outcomes.append(created(self._create(database, draft).id))
                    stored.append(draft)
                except (Invalid, Conflict) as refusal:
                    outcomes.append(refused(refusal))
        return BatchResult(
            outcomes=outcomes,
            passed_on=BatchCounts(
                tags=sum(bool(draft.tags) for draft in stored), confidence=0, importance=0
            ),
        )

    def learn(
        self, events: Sequence[Message | TurnEnd], access: Access = Access()
    ) -> list[WriteResult]:
        """Store what people said plainly in turns that have ended; a replay stores nothing.

        Args:
            events: the session's, in order.
            access: where it was said; the claims are of its workspace.
        """
        written: list[WriteResult] = []
        with self._changing() as database:
            for message in learnable(events, frozenset()):
                if not database.learned_from(message.event):
                    written += self._learn_message(database, message, access)
        return written

    def _learn_message(
        self, database: ClaimDatabase, message: Message, access: Access
    ) -> Iterator[WriteResult]:
        place = self._place(access)
        for found in extract(message.text):
            trust = "inferred" if found.origin == "heuristic" else "explicit-user"
            draft = RecordDraft(
                content=found.content,
                type=found.kind,
                workspace=place.workspace,
                sources=(
                    SourceDraft(
                        kind="user", trust=trust, thread_id=access.session, item_id=message.event
                    ),
                ),
            )
            key = workspace_key(place.workspace or "")
            if not database.repeats(key, found.kind, content_hash(found.content)):
                yield created(self._create(database, draft).id)

    def _create(self, database: ClaimDatabase, draft: RecordDraft) -> Claim:
        draft = self._placed(draft)
        self._check_secrets(texts_of(draft))
        id = "?" if draft.key is None else check_id(draft.key)
        claim = claim_from_draft(draft, id=id, now=self._now, terms_of=self._terms_of)
        if draft.key is None:
            parts = (claim.scope_key, claim.kind, claim.content_hash)
            numbered = (_made_id(*parts, str(number)) for number in count())
            claim = replace(claim, id=next(id for id in numbered if not database.taken(id)))
        return self._add(database, claim)

    def _add(self, database: ClaimDatabase, claim: Claim) -> Claim:
        if database.taken(claim.id):
            raise Conflict(f"the id {claim.id!r} is taken; give another key", {"id": claim.id})
        database.add(claim, first_belief(claim.origin, self._design.constants))
        return claim

    def _terms_of(self, content: str, tags: Sequence[str]) -> tuple[str, ...]:
        return self._design.claim_terms(content, tags, self._design.constants)

    def _check_secrets(self, texts: Iterator[str] | Sequence[str]) -> None:
        label = self._design.secret_label(texts)
        if label is not None:
            raise Invalid(
                f"the text holds a secret ({label}) and is not stored; leave the secret out",
                {"secret": label},
            )

    def _placed(self, draft: RecordDraft) -> RecordDraft:
        if draft.scope in ("global", "session") or draft.workspace is not None:
            return draft
        return msgspec.structs.replace(draft, workspace=self._workspace)

    def _place(self, access: Access) -> Access:
        if access.workspace is not None:
            return access
        return msgspec.structs.replace(access, workspace=self._workspace)

    def _keys(self, access: Access) -> list[str]:
        """The places that this caller may see."""
        place = self._place(access)
        keys = [GLOBAL]
        if place.workspace:
            keys.append(workspace_key(place.workspace))
        if place.session:
            keys.append(session_key(place.session))
        return keys

    # --- asking ------------------------------------------------------------------------------

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None
    ) -> RecallResult:
        """The claims that may be used or must be verified, best first; the latter are flagged.

        The retrieval and its decisions are audited, injected is nothing.

        Args:
            query: any text; one without a term finds capsules only.
            access: the caller's place: workspace and session.
            limit: the most hits; at most 16 have got a decision.
        """
        self._check_open()
        _check_text([query, to_plain(access)])
        try:
            answer = self._ask(query, access, inject=False)
        except _Failed as failed:
            self._count(failed.cause)
            raise Unavailable(failed.told) from failed
        hits = [_recalled(d) for d in answer.decided if d.decision.action != "ignore"]
        return recalled(hits if limit is None else hits[: max(0, limit)])

    def context(
        self, query: str, access: Access = Access(), budget: int | None = None
    ) -> ContextResult:
        """The message that goes into a conversation for this question, and is audited as such.

        Whatever fails on the way, the message is empty and no error is raised; ``diagnostics``
        counts it.

        Args:
            query: any text.
            access: the caller's place: workspace and session.
            budget: the most characters (code points) of the whole message; never more than 1,200.
        """
        self._check_open()
        _check_text([query, to_plain(access)])
        injection = self._injected(query, access, budget)[1]
        return ContextResult(text=injection.text, ids=list(injection.ids), cut=[], namespace=None)

    def join(self, step: Step, access: Access = Access()) -> Sequence[Message]:
        """The messages of a step of a turn, with the recall after them where it has a place."""
        return with_recall(step, lambda query: self._injected(query, access, None))

    def _injected(self, query: str, access: Access, budget: int | None) -> tuple[str, Injection]:
        self._last_injected = ()
        try:
            answer = self._ask(query, access, inject=True, budget=budget)
        except _Failed as failed:
            self._count(failed.cause)
            return "", NOTHING
        self._last_injected = answer.injection.ids
        return answer.message or "", answer.injection

    def _ask(
        self, query: str, access: Access, *, inject: bool, budget: int | None = None
    ) -> _Answer:
        """One retrieval, from the question to the audit, in one transaction.

        Raises:
            _Failed: a part failed; nothing of the retrieval is left.
        """
        design, now = self._design, self._now
        with _stage("database"), self._open_database().changing(TURN_MS) as database:
            with _stage("retrieval"):
                # Terms may be stored, so those of a secret are not even made.
                terms = design.query_terms(design.redacted(query), design.constants)
                candidates = self._candidates(database, terms, access, now)
            with _stage("policy"):
                decided = tuple(
                    Decided(ranked=ranked, decision=self._decide(ranked, now))
                    for ranked in candidates
                )
                injection = NOTHING
                if inject:
                    injection = design.inject(
                        decided, self._mode, characters=budget, constants=design.constants
                    )
            with _stage("audit"):
                message = self._audit(
                    database,
                    query=query,
                    terms=terms,
                    access=access,
                    now=now,
                    decided=decided,
                    injection=injection,
                )
        return _Answer(decided, injection, message)

    def _candidates(
        self, database: ClaimDatabase, terms: Sequence[str], access: Access, now: str
    ) -> Sequence[Any]:
        design = self._design
        if not self._policy.enabled:
            return ()
        triggers = database.triggered(terms, self._keys(access), now)
        capsules = design.capsules(database.global_capsules(terms, now), design.constants)
        return design.merged(capsules, triggers, now, design.constants)

    def _decide(self, ranked: Any, now: str) -> Decision:
        candidate = ranked.candidate
        return self._design.decide(
            Subject(kind=candidate.kind, valid_until=candidate.valid_until),
            candidate.belief,
            relevance=ranked.relevance,
            freshness=ranked.freshness,
            now=now,
            policy=self._design.constants.decision,
        )

    def _audited(
        self,
        database: ClaimDatabase,
        *,
        query: str,
        terms: Sequence[str],
        access: Access,
        now: str,
        decided: Sequence[Decided],
        injection: Injection,
    ) -> str | None:
        place = self._place(access)
        session = place.session
        if session is not None and self._design.secret_label([session]) is not None:
            session = None
        run = database.audit_run(
            at=now,
            query_hash=hashlib.sha256(query.encode()).hexdigest(),
            terms=terms,
            session=session,
            workspace_key=workspace_key(place.workspace) if place.workspace else None,
            decisions=decided,
        )
        if not injection.ids:
            return None
        message = message_id(run, injection.text)
        database.audit_injection(run, injection.ids, message)
        return message

    def list_records(self, access: Access = Access()) -> ListResult:
        """Everything that the caller may see, active and valid now, by id."""
        with self._reading() as database:
            found = database.active(self._keys(access), self._now)
        return ListResult(
            records=[self._stored(claim, belief) for claim, belief in found], namespace=None
        )

    def get(self, id: str, access: Access = Access()) -> GetResult:
        """One claim in whatever state; of a tombstoned one the state, without content.

        Raises:
            NotFound: the caller may see no claim with this id.
        """
        with self._reading() as database:
            return GetResult(record=self._stored(*self._own(database, id, access)), namespace=None)

    # --- deciding ----------------------------------------------------------------------------

    def decide(
        self,
        *,
        kind: ClaimKind,
        alpha: float,
        beta: float,
        relevance: float,
        freshness: float,
        time: str,
        state: ClaimState = "active",
        valid_until: str | None = None,
        harmful_count: int = 0,
        policy: DecisionPolicy | None = None,
    ) -> Decision:
        """What may be done with a claim of these figures; see DecideRequest. Nothing is stored."""
        self._check_open()
        end = None if valid_until is None else checked_time("validUntil", valid_until)
        total = alpha + beta
        return self._design.decide(
            Subject(kind=kind, state=state, valid_until=end),
            Belief(alpha=alpha, beta=beta, harmful_count=harmful_count, score=alpha / total),
            relevance=relevance,
            freshness=freshness,
            now=checked_time("time", time),
            policy=policy or self._design.constants.decision,
        )

    def feedback(
        self,
        id: str,
        outcome: Consumed,
        access: Access = Access(),
        note: str | None = None,
        source: Speaker = "user",
    ) -> FeedbackResult:
        """What a person says of a claim that was used: it moves the belief, and may teach terms.

        Raises:
            NotFound: the caller may see no claim with this id.
            Conflict: the claim is not active.
            Invalid: it isn't a person who says it, or the note holds a secret.
        """
        if source != "user":
            raise Invalid("feedback comes from people only; ask the user", {"field": "source"})
        _check_text([note])
        self._check_secrets([note or ""])
        design, now = self._design, self._now
        with self._changing() as database:
            claim, belief = self._own(database, id, access)
            if claim.state != "active":
                raise Conflict(
                    f"the claim {id!r} is {claim.state}; only an active one takes feedback",
                    {"id": id, "state": claim.state},
                )
            database.consumed(id, outcome, note, now)
            learned: tuple[str, ...] = ()
            if outcome != "unknown":
                belief = design.after(belief, outcome, design.constants)
                alpha, beta, _ = increments(outcome, design.constants)
                database.believe(id, belief, outcome, (alpha, beta), now)
            if outcome == "helped":
                runs = database.injecting_runs(id, design.constants.learning_runs)
                learned = design.learned_terms(
                    claim.terms, claim.learned_terms, runs, now, design.constants
                )
                if learned != claim.learned_terms:
                    database.learn(claim, learned)
        new = [term for term in learned if term not in claim.learned_terms]
        return FeedbackResult(belief=belief, learned=new)

    def explain(self, id: str, access: Access = Access()) -> ExplainResult:
        """Everything that is known of a claim; see ExplainResult.

        Raises:
            NotFound: the caller may see no claim with this id.
        """
        with self._reading() as database:
            claim, belief = self._own(database, id, access)
            shown = claim.state != "tombstoned"
            return ExplainResult(
                id=id,
                state=claim.state,
                kind=claim.kind,
                scope=claim.scope,
                scope_key=claim.scope_key,
                origin=claim.origin,
                belief=belief,
                risk=risk_of(claim.kind, belief, self._design.constants.decision),
                terms=list(claim.terms) if shown else [],
                learned_terms=list(claim.learned_terms) if shown else [],
                evidence=database.evidence(id),
                consumption=database.consumption(id),
                decisions=database.decisions(id),
                injections=database.injections(id),
                runs=database.runs(id),
            )

    # --- changing ----------------------------------------------------------------------------

    def forget(self, id: str, access: Access = Access()) -> Done:
        """Make a claim a tombstone: never retrieved again; its row and its evidence stay."""
        with self._changing() as database:
            claim, _ = self._own(database, id, access)
            if claim.state == "tombstoned":
                return Done(done=False, cause="it is forgotten already")
            database.retire(id, "tombstoned")
        return done()

    def correct(
        self, id: str, content: str, access: Access = Access(), key: str | None = None
    ) -> WriteResult:
        """Store a new text that supersedes the old claim in its place; replayed, it happens once.

        Raises:
            NotFound: the caller may see no claim with this id.
            Conflict: it is forgotten or superseded by another text, or the key is taken.
            Invalid: the text is empty or holds a secret, or the key can't be an id.
        """
        _check_text([content])
        self._check_secrets([content, key or ""])
        with self._changing() as database:
            old, _ = self._own(database, id, access)
            new_id = check_id(_made_id("correct", id, content) if key is None else key)
            if old.superseded_by == new_id:
                found = database.find(new_id)
                if found is not None and found[0].content == content:
                    return _superseding(new_id, id)
            if old.state != "active":
                raise Conflict(
                    f"the claim {id!r} is {old.state}; write a new one instead",
                    {"id": id, "supersededBy": old.superseded_by},
                )
            self._add(
                database,
                corrected(old, id=new_id, content=content, now=self._now, terms_of=self._terms_of),
            )
            database.retire(id, "superseded", new_id)
        return _superseding(new_id, id)

    def fault(self, name: str, on: bool = True) -> Done:
        """Switch a failure of the environment on or off; see authority_breaking.

        Raises:
            Invalid: there is no such fault, or the store is in memory.
        """
        self._check_open()
        if self._breaker is None:
            raise Invalid("a store in memory has no file to break; open it over a folder")
        self._breaker.switch(name, on=on)
        return done()

    def diagnostics(self) -> DiagnosticsResult:
        """Bounded figures, without contents and paths; ``failures`` counts what failed open.

        Also answered where the database can't be used: then ``records`` is 0.
        """
        self._check_open()
        records = 0
        if self.database is not None:
            with contextlib.suppress(DatabaseTrouble):
                records = self.database.count()
        return DiagnosticsResult(
            records=records,
            malformed=0,
            index=None,
            last_injected_ids=list(self._last_injected),
            last_trace=None,
            failures=dict(self._failures),
        )

    def storage(self, texts: Sequence[str] = ()) -> StorageResult:
        """What of these texts is on the disk, and whether the folder is its owner's alone.

        Args:
            texts: looked for in UTF-8, as they are, in the bytes and names of all files.
        """
        self._check_open()
        _check_text(list(texts))
        if self._folder is None:
            return StorageResult(owner_only=True, found=[])
        files = [path for path in self._folder.rglob("*") if path.is_file()]
        kept = [str(path.name).encode() + b"\n" + path.read_bytes() for path in files]
        return StorageResult(
            owner_only=self._folder.stat().st_mode & 0o077 == 0,
            found=[text for text in texts if any(text.encode() in data for data in kept)],
        )

    # --- one claim ---------------------------------------------------------------------------

    def _own(self, database: ClaimDatabase, id: str, access: Access) -> tuple[Claim, Belief]:
        """A claim that the caller may see, in whatever state, and its belief."""
        found = database.find(id) if not has_lone_surrogate(id) else None
        if found is None or found[0].scope_key not in self._keys(access):
            raise NotFound(f"there is no claim {id!r} in this place", {"id": id})
        return found

    def _stored(self, claim: Claim, belief: Belief) -> Hit:
        state = _state_of(claim, self._now)
        times = Times(
            created_at=claim.created_at,
            updated_at=claim.updated_at,
            observed_at=None,
            valid_from=claim.valid_from,
            valid_to=claim.valid_until,
            expires_at=None,
        )
        if state == "forgotten":
            return hit(claim.id, None, state, form="reference", times=times, flags=[])
        return hit(
            claim.id,
            claim.content,
            state,
            superseded_by=claim.superseded_by,
            type=claim.kind,
            tags=list(claim.tags),
            flags=[],
            times=times,
            extra={
                "scope": claim.scope,
                "scopeKey": claim.scope_key,
                "origin": claim.origin,
                "belief": belief.score,
            },
        )

    # --- the database ------------------------------------------------------------------------

    def _open_database(self) -> ClaimDatabase:
        self._check_open()
        if self.database is None:
            # It may have been put right meanwhile.
            self.connect()
        if self.database is None:
            assert self._trouble is not None
            raise self._trouble
        return self.database

    @contextlib.contextmanager
    def _reading(self) -> Iterator[ClaimDatabase]:
        with _told():
            yield self._open_database()

    @contextlib.contextmanager
    def _changing(self) -> Iterator[ClaimDatabase]:
        with _told(), self._open_database().changing() as database:
            yield database

    def _count(self, cause: str) -> None:
        self._failures[cause] = self._failures.get(cause, 0) + 1


class _Failed(Exception):
    """A part of a retrieval failed. ``cause`` is one word, ``told`` a sentence without contents."""

    def __init__(self, cause: str, told: str) -> None:
        super().__init__(told)
        self.cause = cause
        self.told = told


@contextlib.contextmanager
def _stage(name: str) -> Iterator[None]:
    try:
        yield
    except _Failed:
        raise
    except DatabaseTrouble as trouble:
        raise _Failed(trouble.cause, str(trouble)) from trouble
    except Exception as error:
        raise _Failed(name, f"the {name} failed; nothing was recalled") from error


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except DatabaseTrouble as trouble:
        raise Unavailable(str(trouble), {"cause": trouble.cause}) from trouble


def _state_of(claim: Claim, now: str) -> State:
    if claim.state == "tombstoned":
        return "forgotten"
    if claim.state == "superseded":
        return "superseded"
    if claim.valid_from is not None and claim.valid_from > now:
        return "not-yet-valid"
    return "expired" if has_expired(claim.valid_until, now) else "active"


def _recalled(decided: Decided) -> Hit:
    candidate, decision = decided.ranked.candidate, decided.decision
    return hit(
        candidate.id,
        candidate.content,
        type=candidate.kind,
        tags=list(candidate.tags),
        flags=[] if decision.action == "use" else [VERIFY],
        score=decided.ranked.rank,
        extra={
            "scope": candidate.scope,
            "origin": candidate.origin,
            "channel": candidate.channel,
            "action": decision.action,
            "reasons": list(decision.reasons),
            **to_plain(decision.scores),
        },
    )


def _made_id(*parts: str) -> str:
    digest = hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
    return f"claim-{digest[:_ID_DIGITS]}"


def _check_text(values: object) -> None:
    if has_lone_surrogate(values):
        raise Invalid("a text holds half of a surrogate pair; send Unicode text")


def _superseding(new: str, old: str) -> WriteResult:
    return WriteResult(id=new, outcome="superseded", other=old, cause=None, namespace=None)


def opened(
    settings: Settings, design: Design = DESIGN, store: type[AuthorityStore] = AuthorityStore
) -> AuthorityStore:
    """An empty store in a fresh temporary folder, which goes with its last connection."""
    home = Home.temporary()
    return store(home.root, settings, design=design, workspace=DEFAULT_WORKSPACE, home=home)


def factory(design: Design = DESIGN, store: type[AuthorityStore] = AuthorityStore) -> System:
    """The target ``reference:authority``, or one of another design or class of stores."""
    return plain_system(
        lambda settings: opened(settings, design, store),
        name="memconform reference: authority",
        version=__version__,
        capabilities=list(CAPABILITIES),
        profiles=["authority"],
        policies=policies(
            scope_levels=["session", "workspace", "global"],
            overflow="leave-out",
            budget_unit="codepoint",
            stop_words="filtered",
            token_classes=["word", "number", "underscore", "cjk-bigram"],
            ids="given",
            surfaces=["recall", "list", "context", "get"],
        ),
    )
