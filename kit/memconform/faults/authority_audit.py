"""Faults of the authority store: its audit, tombstones, secrets, versions, and its folder."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from memconform.authority import DESIGN, redacted, risk_of, secret_label
from memconform.authority.belief import belief
from memconform.authority.claims import texts_of
from memconform.authority.design import Design
from memconform.authority.ranking import Candidate
from memconform.authority.secrets import PATTERNS, Patterns
from memconform.faults.authority_seams import (
    Store,
    Tables,
    authority_fault,
    capsules_of,
    figure,
    part,
    secrets,
    store,
    tables,
    told,
)
from memconform.faults.fault import Fault, Mark, ids
from memconform.model import (
    Access,
    BatchResult,
    Done,
    Hit,
    RecordDraft,
    WriteResult,
    created,
    done,
)
from memconform.model.authority import Belief, ClaimState, ExplainResult, FeedbackResult
from memconform.protocol import Invalid
from memconform.reference.authority import AuthorityStore
from memconform.reference.authority_schema import SCHEMA, index_claim, version_of
from memconform.reference.authority_tables import ClaimDatabase

RUN = ids("claim-audit", "a-run-keeps-no-prompt")
READ = ids("claim-audit", "what-was-decided-can-be-read-afterwards")
TOMB = ids("claim-audit", "a-tombstone-stays")
SECRET = ids("claim-audit", "secrets-are-refused-before-anything-is-stored")
KEPT = ids("claim-audit", "the-newest-5-000-runs-are-kept")
VERSION = ids("claim-audit", "an-older-database-is-brought-up-to-date")
DISK = ids("claim-audit", "the-disk-holds-no-more-than-the-audit")

HASHED = "a-retrieval-is-kept-as-a-hash-and-terms"


def _audit(*slugs: str) -> tuple[str, ...]:
    return ids("claim-audit", *slugs)


# --- runs ------------------------------------------------------------------------------------


def _run(column: str, value: Callable[[AuthorityStore, dict[str, Any]], Any]) -> Any:
    """Seeds what a run keeps in one column, given the store and what is known of the run."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Keeps its runs otherwise."""

            def _audited(self, database: ClaimDatabase, **known: Any) -> str | None:
                message = super()._audited(database, **known)
                mark()
                sql = (
                    f"UPDATE retrieval_runs SET {column} = ?"  # noqa: S608 - own names alone
                    " WHERE number = (SELECT max(number) FROM retrieval_runs)"
                )
                database._db.execute(sql, (value(self, known),))
                return message

        return Changed

    return store(make)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _session_sticks(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Takes the last session for the current one."""

        _session: str | None = None

        def _audited(self, database: ClaimDatabase, *, access: Access, **known: Any) -> str | None:
            if access.session is None and self._session is not None:
                mark()
                access = msgspec.structs.replace(access, session=self._session)
            self._session = access.session
            return super()._audited(database, access=access, **known)

    return Changed


_RUNS = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=RUN,
        killed_by=_audit(*killers),
        seed=seed,
    )
    for name, change, suffers, killers, seed in (
        (
            "runs-keep-the-question",
            "A run keeps the question as it was asked, in the place of the session.",
            "The audit is a record of everything that was ever asked.",
            (HASHED, "a-run-says-where-it-was-asked-from"),
            _run("session", lambda _, known: known["query"]),
        ),
        (
            "hashes-of-small-letters",
            "A run keeps the hash of the question in small letters.",
            "Whoever has the question can't find its run.",
            (HASHED,),
            _run("query_hash", lambda _, known: _hash(known["query"].lower())),
        ),
        (
            "hashes-are-cut",
            "A run keeps half of the digits of the question's hash.",
            "Whoever has the question can't find its run.",
            (HASHED,),
            _run("query_hash", lambda _, known: _hash(known["query"])[:32]),
        ),
        (
            "runs-keep-no-terms",
            "A run keeps no terms of the question.",
            "Nothing can be learned from it.",
            (HASHED,),
            _run("terms_json", lambda *_: "[]"),
        ),
        (
            "runs-know-no-session",
            "A run doesn't keep the session that it was asked in.",
            "Nobody finds the question that went wrong in a conversation.",
            ("a-run-says-where-it-was-asked-from",),
            _run("session", lambda *_: None),
        ),
        (
            "sessions-stick-to-runs",
            "A question without a session is kept with the last one.",
            "What was asked at home is told of a conversation.",
            ("a-run-says-where-it-was-asked-from",),
            store(_session_sticks),
        ),
        (
            "a-run-counts-what-was-injected",
            "A run counts the claims that went into a message as its candidates.",
            "A question that found much seems to have found nothing.",
            ("a-run-counts-its-candidates",),
            _run("candidates", lambda _, known: len(known["injection"].ids)),
        ),
        (
            "a-run-counts-every-claim",
            "A run counts all claims of the store as its candidates.",
            "Every question seems to have found everything.",
            ("a-run-counts-its-candidates",),
            _run("candidates", lambda store, _: store._open_database().count()),
        ),
    )
)


# --- reading ---------------------------------------------------------------------------------


def _rows(change: Callable[[list[Any]], list[Any]]) -> Any:
    """Seeds which rows of an audit are told, given the right ones, the newest first."""

    def make(mark: Mark) -> type[ClaimDatabase]:
        class Changed(Tables):
            """Tells other rows."""

            def _newest(self, *args: Any) -> list[Any]:
                rows = super()._newest(*args)
                if rows:
                    mark()
                return change(rows)

        return Changed

    return tables(make)


def _dated_by_the_latest(fields: dict[str, Any]) -> dict[str, Any]:
    decisions = fields["decisions"]
    at = decisions[0].at if decisions else ""
    return {"decisions": [msgspec.structs.replace(each, at=at) for each in decisions]}


def _risk_of_the_first_day(fields: dict[str, Any]) -> dict[str, Any]:
    return {"risk": risk_of(fields["kind"], belief(6, 1))}


def _amounts_are_totals(fields: dict[str, Any]) -> dict[str, Any]:
    now: Belief = fields["belief"]
    return {
        "evidence": [
            msgspec.structs.replace(each, alpha=now.alpha, beta=now.beta)
            for each in fields["evidence"]
        ]
    }


def _notes(change: Callable[[str], str | None]) -> Any:
    def changed(fields: dict[str, Any]) -> dict[str, Any]:
        return {
            "consumption": [
                msgspec.structs.replace(each, note=None if each.note is None else change(each.note))
                for each in fields["consumption"]
            ]
        }

    return told(changed)


def _audit_in_memory(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Begins with an empty audit whenever it is opened."""

        def __init__(self, folder: Path | None, design: Design, *, synced: bool = True) -> None:
            super().__init__(folder, design, synced=synced)
            mark()
            for table in ("authority_decisions", "injections", "retrieval_runs", "consumption"):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - own names alone

    return Changed


def _tells_of_itself(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Tells of the runs of its own connection."""

        _own_runs = 0

        def _audited(self, *args: Any, **known: Any) -> str | None:
            self._own_runs += 1
            return super()._audited(*args, **known)

        def explain(self, id: str, access: Access = Access()) -> ExplainResult:
            answer = super().explain(id, access)
            if self._own_runs:
                return answer
            mark()
            return msgspec.structs.replace(answer, decisions=[], injections=[], runs=[])

    return Changed


def _explains_any_claim(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Explains a claim to whoever knows its id."""

        def explain(self, id: str, access: Access = Access()) -> ExplainResult:
            mark()
            keys = self._keys
            every = self._open_database()._db.execute("SELECT DISTINCT scope_key FROM claims")
            shown = [key for (key,) in every]
            vars(self)["_keys"] = lambda _: shown
            try:
                return super().explain(id, access)
            finally:
                vars(self)["_keys"] = keys

    return Changed


def _explaining_is_consumption(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Takes a look at a claim for a report on it."""

        def explain(self, id: str, access: Access = Access()) -> ExplainResult:
            answer = super().explain(id, access)
            mark()
            with self._changing() as database:
                database.consumed(id, "unknown", None, self._now)
            return answer

    return Changed


_READING = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=READ,
        killed_by=_audit(*killers),
        seed=seed,
    )
    for name, change, suffers, killers, seed in (
        (
            "the-oldest-audit-comes-first",
            "What is told of a claim comes in the order in which it happened.",
            "The answer to 'why did it say that?' is the reason of last year.",
            ("decisions-are-told-the-newest-first", "evidence-says-what-it-added"),
            _rows(lambda rows: rows[::-1]),
        ),
        (
            "one-row-of-each-is-told",
            "Of decisions, evidence and the rest only the newest is told.",
            "Nobody sees how a belief came about.",
            ("decisions-are-told-the-newest-first", "evidence-says-what-it-added"),
            _rows(lambda rows: rows[:1]),
        ),
        (
            "decisions-are-dated-by-the-latest",
            "All decisions on a claim are told with the time of the latest.",
            "A decision of yesterday seems to have been made on today's belief.",
            ("decisions-are-told-the-newest-first",),
            told(_dated_by_the_latest),
        ),
        (
            "the-risk-of-the-first-day-is-told",
            "The risk that is told is that of a claim on which nobody has reported.",
            "A claim is asked about for its risk, which is told to be low.",
            ("decisions-are-told-the-newest-first",),
            told(_risk_of_the_first_day),
        ),
        (
            "evidence-tells-totals",
            "Evidence is told with the weights as they are now, not with what it added.",
            "Nobody can work out how a belief came about.",
            ("evidence-says-what-it-added",),
            told(_amounts_are_totals),
        ),
        (
            "notes-lose-their-brackets",
            "Whatever stands in angle brackets is taken out of a note.",
            "The one word that mattered is missing.",
            ("a-note-is-kept-in-the-words-of-its-writer",),
            _notes(lambda note: re.sub("<[^>]*>", "", note)),
        ),
        (
            "notes-are-ascii",
            "A note is kept without the characters that aren't ASCII.",
            "A note in Chinese is a row of question marks.",
            ("a-note-is-kept-in-the-words-of-its-writer",),
            _notes(lambda note: note.encode("ascii", "replace").decode()),
        ),
        (
            "notes-are-not-kept",
            "A note beside a report isn't kept.",
            "Nobody knows what the person meant who reported.",
            ("a-note-is-kept-in-the-words-of-its-writer",),
            _notes(lambda _: None),
        ),
        (
            "the-audit-lives-in-memory",
            "Decisions, injections and reports are gone when the store is opened again.",
            "'Why did it say that?' is asked the day after, and nobody knows.",
            ("the-audit-outlasts-a-restart", "another-connection-reads-the-audit"),
            tables(_audit_in_memory),
        ),
        (
            "a-connection-tells-of-itself",
            "A connection tells of decisions only where it has made some itself.",
            "The page that explains a claim is another program, and shows nothing.",
            ("another-connection-reads-the-audit",),
            store(_tells_of_itself),
        ),
        (
            "any-claim-is-explained",
            "A claim is explained to whoever knows its id, from any place.",
            "An id in a log opens another client's memory.",
            ("a-claim-of-another-place-is-not-explained",),
            store(_explains_any_claim),
        ),
        (
            "explaining-is-consumption",
            "To explain a claim counts as a report whose outcome is unknown.",
            "Whoever looks fills the audit with their own looking.",
            ("explaining-changes-nothing",),
            store(_explaining_is_consumption),
        ),
    )
)


# --- tombstones ------------------------------------------------------------------------------


def _tombstones_keep_their_text(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Shows the text of a tombstone to who asks by its id."""

        def _stored(self, claim: Any, held: Belief) -> Hit:
            shown = super()._stored(claim, held)
            if claim.state != "tombstoned":
                return shown
            mark()
            return msgspec.structs.replace(shown, content=claim.content)

    return Changed


def _retiring(change: Callable[[ClaimDatabase, str], None]) -> Any:
    """Seeds what becomes of a claim that is forgotten."""

    def make(mark: Mark) -> type[ClaimDatabase]:
        class Changed(Tables):
            """Does more than to bury it."""

            def retire(self, id: str, state: ClaimState, by: str | None = None) -> None:
                super().retire(id, state, by)
                if state == "tombstoned":
                    mark()
                    change(self, id)

        return Changed

    return tables(make)


def _evidence_goes(database: ClaimDatabase, id: str) -> None:
    for table in ("evidence", "consumption"):
        database._db.execute(
            f"DELETE FROM {table} WHERE claim_id = ?",  # noqa: S608 - own names alone
            (id,),
        )


def _belief_begins_anew(database: ClaimDatabase, id: str) -> None:
    database._db.execute(
        "UPDATE beliefs SET alpha = 6, beta = 1, harmful_count = 0 WHERE claim_id = ?", (id,)
    )


def _decisions_go(database: ClaimDatabase, id: str) -> None:
    database._db.execute("DELETE FROM authority_decisions WHERE claim_id = ?", (id,))


def _everything_goes(database: ClaimDatabase, id: str) -> None:
    _evidence_goes(database, id)
    database._db.execute("DELETE FROM beliefs WHERE claim_id = ?", (id,))
    database._db.execute("DELETE FROM claims WHERE id = ?", (id,))


def _terms_of_tombstones(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Tells the terms of a tombstone."""

        def explain(self, id: str, access: Access = Access()) -> ExplainResult:
            answer = super().explain(id, access)
            if answer.state != "tombstoned":
                return answer
            mark()
            found = self._open_database().find(id)
            assert found is not None
            return msgspec.structs.replace(answer, terms=list(found[0].terms))

    return Changed


def _forgets_again(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Says each time that it has forgotten the claim."""

        def forget(self, id: str, access: Access = Access()) -> Done:
            if not (answer := super().forget(id, access)).done:
                mark()
                return done()
            return answer

    return Changed


def _ids_are_given_again(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Puts a new claim into the grave of an old one."""

        def _add(self, database: ClaimDatabase, claim: Any) -> Any:
            found = database.find(claim.id)
            if found is not None and found[0].state == "tombstoned":
                mark()
                _everything_goes(database, claim.id)
            return super()._add(database, claim)

    return Changed


def _words_are_remembered(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Believes in a text what it believed in it before it was forgotten."""

        def _add(self, database: ClaimDatabase, claim: Any) -> Any:
            added = super()._add(database, claim)
            row = database._db.execute(
                "SELECT b.alpha, b.beta, b.harmful_count FROM claims c JOIN beliefs b"
                " ON b.claim_id = c.id WHERE c.content_hash = ? AND c.state = 'tombstoned'",
                (claim.content_hash,),
            ).fetchone()
            if row is not None:
                mark()
                database._db.execute(
                    "UPDATE beliefs SET alpha = ?, beta = ?, harmful_count = ? WHERE claim_id = ?",
                    (*row, claim.id),
                )
            return added

    return Changed


def _words_stay_buried(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Finds nothing that was ever forgotten, whoever says it again."""

        def triggered(self, *args: Any) -> list[Candidate]:
            candidates = super().triggered(*args)
            rows = self._db.execute("SELECT content FROM claims WHERE state = 'tombstoned'")
            buried = {content for (content,) in rows}
            if buried:
                mark()
            return [each for each in candidates if each.content not in buried]

    return Changed


_TOMBS = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=TOMB,
        killed_by=_audit(*killers),
        seed=seed,
    )
    for name, change, suffers, killers, seed in (
        (
            "forgotten-preferences-still-come",
            "A preference that was forgotten still comes as a capsule.",
            "The user takes a preference back, and every answer still follows it.",
            ("a-forgotten-claim-is-nowhere-to-be-read",),
            capsules_of("state = 'tombstoned'", "state = 'active'"),
        ),
        (
            "tombstones-keep-their-text",
            "A forgotten claim that is read by its id shows its text.",
            "What was to be forgotten is there for whoever has a link.",
            ("a-forgotten-claim-is-nowhere-to-be-read", "the-evidence-of-a-forgotten-claim-stays"),
            store(_tombstones_keep_their_text),
        ),
        (
            "evidence-is-buried-with-its-claim",
            "The evidence and the reports of a forgotten claim are deleted.",
            "Nobody can tell any more that it did harm.",
            ("the-evidence-of-a-forgotten-claim-stays",),
            _retiring(_evidence_goes),
        ),
        (
            "decisions-are-buried-with-their-claim",
            "The decisions on a forgotten claim are deleted.",
            "Nobody can tell any more in which answers it was used.",
            ("the-evidence-of-a-forgotten-claim-stays",),
            _retiring(_decisions_go),
        ),
        (
            "tombstones-are-believed-anew",
            "The belief of a forgotten claim is that of a new one.",
            "It seems as if a good claim had been forgotten.",
            ("the-evidence-of-a-forgotten-claim-stays",),
            _retiring(_belief_begins_anew),
        ),
        (
            "forgotten-claims-leave-no-stone",
            "The row of a forgotten claim is deleted.",
            "Its id is free for a stranger, and its harm was never done.",
            ("the-evidence-of-a-forgotten-claim-stays",),
            _retiring(_everything_goes),
        ),
        (
            "tombstones-tell-their-terms",
            "The terms of a forgotten claim are still told.",
            "What was to be forgotten can be read word by word.",
            ("the-evidence-of-a-forgotten-claim-stays",),
            store(_terms_of_tombstones),
        ),
        (
            "forgetting-again-is-acknowledged",
            "To forget a forgotten claim is acknowledged like the first time.",
            "Two people believe that each of them has forgotten something.",
            ("a-forgotten-claim-is-forgotten-once",),
            store(_forgets_again),
        ),
        (
            "ids-of-tombstones-are-given-again",
            "A new claim may have the id of a forgotten one.",
            "An old link leads to something else, and the stone is gone.",
            ("the-id-of-a-forgotten-claim-stays-taken",),
            store(_ids_are_given_again),
        ),
        (
            "words-inherit-the-harm",
            "A text that was forgotten is believed as before when it is said anew.",
            "What was wrong in May is doubted in June, when it is right.",
            ("the-same-words-may-be-said-anew",),
            store(_words_are_remembered),
        ),
        (
            "words-stay-buried",
            "A text that was forgotten is never found again, whoever says it anew.",
            "The user changes their mind, and the memory doesn't.",
            ("the-same-words-may-be-said-anew",),
            tables(_words_stay_buried),
        ),
    )
)


# --- secrets ---------------------------------------------------------------------------------

_REFUSED = "a-claim-with-a-secret-is-refused"


def _without(fragment: str) -> Callable[[Patterns], Patterns]:
    """The patterns without an alternative, which has to stand in one of them as it is written."""

    def changed(patterns: Patterns) -> Patterns:
        left = []
        for label, pattern in patterns:
            text = pattern.pattern.replace(fragment, r"\b\B")
            left.append((label, re.compile(text, pattern.flags & re.IGNORECASE)))
        assert tuple(left) != patterns, f"{fragment} is no part of a pattern"
        return tuple(left)

    return changed


def _without_kind(kind: str) -> Callable[[Patterns], Patterns]:
    def changed(patterns: Patterns) -> Patterns:
        left = tuple((label, pattern) for label, pattern in patterns if label != kind)
        assert left != patterns, f"there is no kind {kind}"
        return left

    return changed


def _also(pattern: str) -> Callable[[Patterns], Patterns]:
    return lambda patterns: (*patterns, ("secret", re.compile(pattern)))


def _only_as_it_stands(texts: Iterable[str]) -> str | None:
    return next(
        (label for text in texts for label, pattern in PATTERNS if pattern.search(text)), None
    )


def _parts(*, unseen: str) -> Any:
    """Seeds that one part of a claim isn't looked at."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Looks at all parts but one."""

            _draft: RecordDraft | None = None

            def _placed(self, draft: RecordDraft) -> RecordDraft:
                self._draft = super()._placed(draft)
                return self._draft

            def _check_secrets(self, texts: Iterable[str]) -> None:
                draft, self._draft = self._draft, None
                if draft is None:
                    return super()._check_secrets([*texts])
                empty = {"tags": (), "sources": (), "key": None}[unseen]
                if getattr(draft, unseen) != empty:
                    mark()
                return super()._check_secrets(
                    texts_of(msgspec.structs.replace(draft, **{unseen: empty}))
                )

        return Changed

    return store(make)


def _refusal(change: Callable[[str, Sequence[str]], str]) -> Any:
    """Seeds what a refusal says, given the right sentence and the texts that were looked at."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Refuses in other words."""

            def _check_secrets(self, texts: Iterable[str]) -> None:
                looked_at = [*texts]
                try:
                    super()._check_secrets(looked_at)
                except Invalid as refusal:
                    mark()
                    raise Invalid(change(refusal.message, looked_at)) from refusal

        return Changed

    return store(make)


def _one_bad_apple(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Refuses a batch for one of its items."""

        def write_batch(self, records: tuple[RecordDraft, ...]) -> BatchResult:
            answer = super().write_batch(records)
            refused = [each for each in answer.outcomes if each.outcome == "refused"]
            if not refused:
                return answer
            mark()
            return msgspec.structs.replace(answer, outcomes=[refused[0]] * len(records))

    return Changed


def _corrections_are_trusted(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Looks for secrets in what is written, not in what is corrected."""

        def correct(self, *args: Any, **more: Any) -> WriteResult:
            mark()
            vars(self)["_check_secrets"] = lambda _: None
            try:
                return super().correct(*args, **more)
            finally:
                del vars(self)["_check_secrets"]

    return Changed


def _notes_are_trusted(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Looks for secrets in claims, not in notes."""

        def feedback(self, *args: Any, **more: Any) -> FeedbackResult:
            mark()
            vars(self)["_check_secrets"] = lambda _: None
            try:
                return super().feedback(*args, **more)
            finally:
                del vars(self)["_check_secrets"]

    return Changed


def _secret_questions_are_dropped(text: str) -> str:
    return "" if secret_label([text]) is not None else text


def _labels_for_secrets(text: str) -> str:
    return redacted(text) + " redacted" * (secret_label([text]) is not None)


def _swallowed(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Acknowledges a claim that speaks of a secret, and doesn't keep it."""

        def write(self, record: RecordDraft) -> WriteResult:
            if re.search("(?i)key|token|password|密码", record.content) and not secret_label(
                [record.content]
            ):
                mark()
                return created(record.key or "claim-safe")
            return super().write(record)

    return Changed


def _sessions_are_kept(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Keeps the name of a session as it is."""

        def _audited(self, database: ClaimDatabase, *, access: Access, **known: Any) -> str | None:
            message = super()._audited(database, access=access, **known)
            if access.session is not None:
                mark()
                database._db.execute(
                    "UPDATE retrieval_runs SET session = ?"
                    " WHERE number = (SELECT max(number) FROM retrieval_runs)",
                    (access.session,),
                )
            return message

    return Changed


_PATTERNS: tuple[tuple[str, str, Callable[[Patterns], Patterns]], ...] = (
    ("private-keys", "The header of a private key", _without_kind("private key")),
    ("kinds-of-private-keys", "The header of an RSA or OpenSSH key", _without("(?:[A-Z0-9]+ )*")),
    ("github-tokens", "A token of GitHub", _without_kind("GitHub token")),
    ("old-github-tokens", "A token of GitHub that begins with gh", _without("gh[pousr]_")),
    ("new-github-tokens", "A token of GitHub that begins with github", _without("github_pat_")),
    ("aws-ids", "The id of an AWS key", _without_kind("AWS access key")),
    ("lasting-aws-ids", "The id of a lasting AWS key", _without("AKIA")),
    ("passing-aws-ids", "The id of a passing AWS key", _without("ASIA")),
    ("openai-keys", "A key that begins with sk", _without("sk-[")),
    ("google-keys", "A key that begins with AIza", _without("AIza")),
    ("assigned-keys", "A key behind the words API key", _without("(?:api|access|secret|auth)")),
    ("bearer-tokens", "A bearer token", _without_kind("Bearer token")),
    ("passwords", "A password behind its name", _without_kind("password")),
    ("english-passwords", "A password behind the English word", _without("password|passwd|")),
    ("chinese-passwords", "A password behind the Chinese word", _without("|密码|密碼|口令")),
)

_SECRETS = (
    *(
        authority_fault(
            name=f"{name}-are-stored",
            change=f"{what} is not taken for a secret.",
            suffers="A secret stands in every prompt, every backup and every log.",
            breaks=SECRET,
            killed_by=_audit(_REFUSED),
            seed=secrets(change),
        )
        for name, what, change in _PATTERNS
    ),
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=SECRET,
            killed_by=_audit(*killers),
            seed=seed,
        )
        for name, change, suffers, killers, seed in (
            (
                "slack-tokens-are-stored",
                "A token of Slack is not taken for a secret.",
                "A secret stands in every prompt, every backup and every log.",
                (_REFUSED,),
                secrets(_without("xox[abprs]-")),
            ),
            (
                "aws-secrets-are-stored",
                "The secret of an AWS key, behind its name, is not taken for one.",
                "A secret stands in every prompt, every backup and every log.",
                (_REFUSED,),
                secrets(_without_kind("AWS secret key")),
            ),
            (
                "wide-secrets-are-stored",
                "A secret in wide characters is not taken for one.",
                "What was typed on a Japanese keyboard is stored, and its terms are the secret.",
                (_REFUSED,),
                part(secret_label=_only_as_it_stands),
            ),
            (
                "whatever-speaks-of-passwords-is-refused",
                "Each text that holds the word password is taken for a secret.",
                "'The password is in the vault' can't be remembered.",
                ("the-same-claim-without-the-secret-is-stored",),
                secrets(_also("(?i)password|密码")),
            ),
            (
                "whatever-begins-a-token-is-refused",
                "The beginning of a token is taken for one.",
                "Nobody can write down what a token looks like.",
                ("the-same-claim-without-the-secret-is-stored",),
                secrets(_also("ghp_|AKIA|(?i:bearer)|KEY")),
            ),
            (
                "whatever-speaks-of-secrets-is-swallowed",
                "A claim that speaks of a secret is acknowledged and not stored.",
                "'The password is in the vault' is forgotten at once.",
                ("the-same-claim-without-the-secret-is-stored",),
                store(_swallowed),
            ),
            (
                "refusals-quote-the-secret",
                "The refusal of a secret quotes the text.",
                "The secret that isn't stored stands in the log of errors.",
                ("a-refusal-names-the-kind-and-not-the-secret",),
                _refusal(lambda told, texts: f"{told}: {' '.join(texts)}"),
            ),
            (
                "refusals-name-no-kind",
                "The refusal of a secret doesn't say what kind it is.",
                "Nobody knows which of the words was meant.",
                ("a-refusal-names-the-kind-and-not-the-secret",),
                _refusal(lambda *_: "the text is not stored"),
            ),
            (
                "a-secret-refuses-its-batch",
                "A batch with a secret in it is refused as a whole, and half of it is stored.",
                "An import is repeated, and half of it is there twice.",
                ("a-refusal-names-the-kind-and-not-the-secret",),
                store(_one_bad_apple),
            ),
            *(
                (
                    f"{words}-may-hold-secrets",
                    f"The {words} of a claim may hold a secret.",
                    "The secret is stored beside the text instead of in it.",
                    ("no-part-of-a-claim-may-hold-a-secret",),
                    _parts(unseen=field),
                )
                for field, words in (("tags", "tags"), ("sources", "sources"), ("key", "key"))
            ),
            (
                "corrections-may-hold-secrets",
                "A correction isn't looked at for secrets.",
                "The secret is stored with the second sentence instead of the first.",
                ("a-correction-with-a-secret-is-refused",),
                store(_corrections_are_trusted),
            ),
            (
                "notes-may-hold-secrets",
                "A note isn't looked at for secrets.",
                "Somebody reports that a password has changed, and stores the new one.",
                ("a-note-with-a-secret-is-refused",),
                store(_notes_are_trusted),
            ),
            (
                "questions-keep-their-secrets",
                "The terms of a secret in a question are kept with the others.",
                "A claim that helps learns the password that stood beside the question.",
                ("a-question-with-a-secret-leaves-nothing-of-it",),
                part(redacted=lambda text: text),
            ),
            (
                "questions-with-secrets-find-nothing",
                "A question with a secret in it is answered with nothing.",
                "Who pastes a log with a token in it is told that nothing is known.",
                ("a-question-with-a-secret-leaves-nothing-of-it",),
                part(redacted=_secret_questions_are_dropped),
            ),
            (
                "secrets-are-asked-as-redacted",
                "In the place of a secret the word redacted is asked.",
                "A question is less relevant for a word that nobody said.",
                ("a-question-with-a-secret-leaves-nothing-of-it",),
                part(redacted=_labels_for_secrets),
            ),
            (
                "sessions-may-be-secrets",
                "A run keeps the session whatever it is called.",
                "A token that names a session is stored with each question.",
                ("a-session-that-is-a-secret-is-not-kept",),
                store(_sessions_are_kept),
            ),
        )
    ),
)


# --- pruning, versions, disk -----------------------------------------------------------------


def _prunes_everything(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Gives up evidence and reports with the runs."""

        def _prune(self, newest: int) -> None:
            super()._prune(newest)
            if newest > self._design.constants.kept_runs:
                mark()
                self._db.execute("DELETE FROM evidence")
                self._db.execute("DELETE FROM consumption")

    return Changed


def _after_migration(change: Callable[[ClaimDatabase], None]) -> Any:
    """Seeds what a migration leaves."""

    def make(mark: Mark) -> type[ClaimDatabase]:
        class Changed(Tables):
            """Migrates otherwise."""

            def _prepare(self) -> None:
                older = 0 < version_of(self._db) < SCHEMA
                super()._prepare()
                if older:
                    mark()
                    change(self)

        return Changed

    return tables(make)


def _no_terms(database: ClaimDatabase) -> None:
    database._db.execute("UPDATE claims SET terms_json = '[]'")


def _no_index(database: ClaimDatabase) -> None:
    database._db.execute("DELETE FROM claims_fts")


def _no_tags_in_terms(database: ClaimDatabase) -> None:
    _no_index(database)
    for claim, _ in database._claims("c.state = 'active'"):
        (number,) = database._db.execute(
            "SELECT number FROM claims WHERE id = ?", (claim.id,)
        ).fetchone()
        index_claim(database._db, number, DESIGN.claim_terms(claim.content))


def _stones_are_cleared(database: ClaimDatabase) -> None:
    rows = database._db.execute("SELECT id FROM claims WHERE state = 'tombstoned'").fetchall()
    for (id,) in rows:
        _everything_goes(database, id)


def _evidence_is_left_behind(database: ClaimDatabase) -> None:
    database._db.execute("DELETE FROM evidence")


def _beliefs_begin_anew(database: ClaimDatabase) -> None:
    database._db.execute("UPDATE beliefs SET alpha = 6, beta = 1, harmful_count = 0")


def _audit_is_left_behind(database: ClaimDatabase) -> None:
    for table in ("authority_decisions", "injections", "retrieval_runs"):
        database._db.execute(f"DELETE FROM {table}")  # noqa: S608 - own names alone


def _any_version(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Opens whatever version there is as if it were its own."""

        def _prepare(self) -> None:
            if version_of(self._db) > SCHEMA:
                mark()
                self._db.execute(f"PRAGMA user_version = {SCHEMA}")
            super()._prepare()

    return Changed


def _open_folder(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Makes its folder as folders are made."""

        def __init__(self, folder: Path | None, design: Design, *, synced: bool = True) -> None:
            super().__init__(folder, design, synced=synced)
            if folder is not None:
                mark()
                folder.chmod(0o755)

    return Changed


def _logged(name: str, log: Callable[[Any, dict[str, Any]], str]) -> Any:
    """Seeds a file beside the database, and what is written into it at each retrieval."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Writes a log for whoever looks for errors."""

            def _audited(self, database: ClaimDatabase, **known: Any) -> str | None:
                mark()
                assert self._folder is not None
                with (self._folder / name).open("a", encoding="utf-8") as file:
                    file.write(log(self, known) + "\n")
                return super()._audited(database, **known)

        return Changed

    return store(make)


def _refused_are_kept_for_review(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Puts what it refuses into a file for review."""

        def _check_secrets(self, texts: Iterable[str]) -> None:
            looked_at = [*texts]
            with contextlib.suppress(OSError):
                try:
                    super()._check_secrets(looked_at)
                except Invalid:
                    mark()
                    assert self._folder is not None
                    with (self._folder / "refused.log").open("a", encoding="utf-8") as file:
                        file.write(" ".join(looked_at))
                    raise

    return Changed


_MIGRATED = "a-database-of-version-1-is-brought-up-to-date"
_DISK = (
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=KEPT,
            killed_by=_audit("the-newest-5-000-runs-are-told"),
            seed=seed,
        )
        for name, change, suffers, seed in (
            (
                "4999-runs-are-kept",
                "The newest 4,999 runs are kept.",
                "The decision that somebody asks about was given up one too early.",
                figure(kept_runs=4999),
            ),
            (
                "runs-are-kept-for-ever",
                "Runs and their decisions are never given up.",
                "The audit outgrows the memory, and with it the disk.",
                figure(kept_runs=10**9),
            ),
            (
                "evidence-is-pruned-with-its-runs",
                "Evidence and reports are given up with the runs of their time.",
                "After a busy week nobody can tell what did harm.",
                tables(_prunes_everything),
            ),
        )
    ),
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=VERSION,
            killed_by=_audit(killer),
            seed=seed,
        )
        for name, change, suffers, killer, seed in (
            (
                "a-migration-makes-no-terms",
                "A migration gives old claims no terms to tell.",
                "Nobody can see what an old claim is found by.",
                _MIGRATED,
                _after_migration(_no_terms),
            ),
            (
                "a-migration-makes-no-index",
                "A migration doesn't index old claims anew.",
                "After an update of the program everything is forgotten.",
                _MIGRATED,
                _after_migration(_no_index),
            ),
            (
                "a-migration-loses-tags",
                "A migration makes terms of contents and not of tags.",
                "After an update of the program nothing is found by its tag.",
                _MIGRATED,
                _after_migration(_no_tags_in_terms),
            ),
            (
                "a-migration-clears-tombstones",
                "A migration deletes forgotten claims.",
                "After an update of the program the harm was never done.",
                _MIGRATED,
                _after_migration(_stones_are_cleared),
            ),
            (
                "a-migration-leaves-evidence-behind",
                "A migration takes claims and beliefs along, and no evidence.",
                "After an update of the program nobody knows why a claim is doubted.",
                _MIGRATED,
                _after_migration(_evidence_is_left_behind),
            ),
            (
                "a-migration-believes-anew",
                "A migration gives each claim the belief of a new one.",
                "After an update of the program what did harm is used again.",
                _MIGRATED,
                _after_migration(_beliefs_begin_anew),
            ),
            (
                "a-migration-leaves-the-audit-behind",
                "A migration takes no run and no decision along.",
                "After an update of the program 'why did it say that?' has no answer.",
                _MIGRATED,
                _after_migration(_audit_is_left_behind),
            ),
            (
                "newer-versions-are-opened",
                "A database of a newer version is opened as if it were known.",
                "Going back to an older program ruins what the newer one has written.",
                "a-database-of-a-newer-version-is-left-alone",
                tables(_any_version),
            ),
        )
    ),
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=DISK,
            killed_by=_audit(*killers),
            seed=seed,
        )
        for name, change, suffers, killers, seed in (
            (
                "the-folder-is-open",
                "The folder of the database has the mode 0755.",
                "Everybody with an account on the computer reads the memory.",
                ("the-folder-is-its-owner-s-alone",),
                tables(_open_folder),
            ),
            (
                "questions-are-logged",
                "Each question is written into a log beside the database.",
                "The folder is a record of everything that was ever asked.",
                ("no-question-reaches-the-disk", "no-secret-reaches-the-disk"),
                _logged("questions.log", lambda _, known: str(known["query"])),
            ),
            (
                "paths-are-logged",
                "The path of each question's workspace is written into a log.",
                "A copy of the folder shows the folders of its owner.",
                ("no-path-reaches-the-disk",),
                _logged("places.log", lambda store, k: str(store._place(k["access"]).workspace)),
            ),
            (
                "refused-claims-are-kept-for-review",
                "What is refused for a secret is written into a file for review.",
                "The secret is refused and stored.",
                ("no-secret-reaches-the-disk",),
                store(_refused_are_kept_for_review),
            ),
        )
    ),
)

FAULTS: tuple[Fault, ...] = (*_RUNS, *_READING, *_TOMBS, *_SECRETS, *_DISK)
