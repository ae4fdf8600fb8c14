"""Faults of the authority store: belief, risk, the rules of the decision, and what recall asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from memconform.authority import AUTHORITY, DESIGN, decide
from memconform.authority.belief import after, belief, compared
from memconform.authority.decision import (
    RULES,
    Case,
    Rule,
    Subject,
    Verdict,
    doubtful,
    expired,
    harmful,
    irrelevant,
    not_active,
    stale,
)
from memconform.authority.injection import Decided
from memconform.authority.ranking import Candidate
from memconform.faults.authority_seams import (
    Store,
    Tables,
    authority_fault,
    first_belief,
    found,
    instead_of,
    later_wins,
    part,
    report,
    right,
    scored,
    store,
    tables,
    threshold,
    without_rule,
)
from memconform.faults.fault import Arguments, Fault, Mark, ids
from memconform.model import Access, RecallResult
from memconform.model.authority import Belief, ClaimKind, DecisionPolicy, FeedbackResult
from memconform.protocol import NotFound
from memconform.reference.authority import AuthorityStore, _recalled
from memconform.reference.authority_tables import ClaimDatabase
from memconform.retrieval.times import milliseconds

BELIEF = ids("claim-authority", "belief-starts-by-origin-and-moves-by-feedback")
RISK = ids("claim-authority", "risk-follows-from-kind-doubt-and-harm")
RULE = ids("claim-authority", "the-first-rule-that-applies-decides")
DECIDES = ids("claim-authority", "recall-decides-before-it-answers")

NINTH = 1e-9  # the least that a threshold can be off by
POLICY = DecisionPolicy()


def _authority(*slugs: str) -> tuple[str, ...]:
    return ids("claim-authority", *slugs)


# --- belief ----------------------------------------------------------------------------------


def _counted_once(current: Belief, outcome: Any, *more: Any) -> Belief:
    moved = after(current, outcome, *more)
    return belief(moved.alpha, moved.beta, min(1, moved.harmful_count))


def _harm_is_one_step(current: Belief, outcome: Any, *more: Any) -> Belief:
    if outcome == "harmful" and current.harmful_count:
        return belief(current.alpha, current.beta, current.harmful_count + 1)
    return after(current, outcome, *more)


def _help_forgives(current: Belief, outcome: Any, *more: Any) -> Belief:
    moved = after(current, outcome, *more)
    if outcome == "helped" and moved.beta > 1:
        return belief(moved.alpha, moved.beta - 1, moved.harmful_count)
    return moved


def _unlearns_slowly(current: Belief, outcome: Any, *more: Any) -> Belief:
    moved = after(current, outcome, *more)
    if outcome == "helped" and current.harmful_count:
        return belief(moved.alpha + 1, moved.beta, moved.harmful_count)
    return moved


def _smoothed(current: Belief, outcome: Any, *more: Any) -> Belief:
    moved = after(current, outcome, *more)
    return msgspec.structs.replace(moved, score=(moved.alpha + 1) / (moved.alpha + moved.beta + 2))


def _anybody_reports(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Takes a report from whoever makes it."""

        def feedback(self, *args: Any, source: str = "user", **more: Any) -> FeedbackResult:
            if source != "user":
                mark()
            return super().feedback(*args, **more)

    return Changed


def _takes_reports_on(state: str) -> Callable[[Mark], type[AuthorityStore]]:
    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Takes a report on a claim that isn't active, as if it were."""

            _reporting = False

            def _own(self, *args: Any) -> Any:
                claim, held = super()._own(*args)
                if self._reporting and claim.state == state:
                    mark()
                    claim = replace(claim, state="active")
                return claim, held

            def feedback(self, *args: Any, **more: Any) -> FeedbackResult:
                self._reporting = True
                try:
                    return super().feedback(*args, **more)
                finally:
                    self._reporting = False

        return Changed

    return make


def _reports_know_no_places(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Takes a report on any id, wherever the claim is."""

        def feedback(
            self, id: str, outcome: Any, access: Access = Access(), *args: Any, **more: Any
        ) -> FeedbackResult:
            try:
                return super().feedback(id, outcome, access, *args, **more)
            except NotFound:
                mark()
                return FeedbackResult(belief=belief(6, 1), learned=[])

    return Changed


def _other_words_are_unknown(method: str, given: Arguments) -> Arguments:
    known = [outcome for outcome, *_ in AUTHORITY.reports]
    if method == "feedback" and given.get("outcome") not in known:
        given["outcome"] = "unknown"
    return given


def _reports_are_updates(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Takes a report for a new version of the claim."""

        def feedback(self, id: str, *args: Any, **more: Any) -> FeedbackResult:
            answer = super().feedback(id, *args, **more)
            mark()
            with self._changing() as database:
                database._db.execute(
                    "UPDATE claims SET updated_at = ? WHERE id = ?", (self._now, id)
                )
            return answer

    return Changed


def _belief_is_told_and_not_kept(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Keeps the evidence and not the belief."""

        def believe(self, id: str, new: Belief, *args: Any) -> None:
            mark()
            found = self.find(id)
            assert found is not None
            super().believe(id, found[1], *args)

    return Changed


def _no_evidence(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Moves the belief, and keeps nothing of what moved it."""

        def believe(self, id: str, *args: Any) -> None:
            mark()
            super().believe(id, *args)
            self._db.execute("DELETE FROM evidence WHERE claim_id = ?", (id,))

    return Changed


def _unknown_is_evidence(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Keeps an unknown outcome as evidence of nothing."""

        def consumed(self, id: str, outcome: Any, note: str | None, at: str) -> None:
            super().consumed(id, outcome, note, at)
            if outcome == "unknown":
                mark()
                held = self.find(id)
                assert held is not None
                self.believe(id, held[1], outcome, (0.0, 0.0), at)

    return Changed


def _unknown_is_dropped(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Keeps no report that moves nothing."""

        def consumed(self, id: str, outcome: Any, *args: Any) -> None:
            if outcome == "unknown":
                mark()
                return
            super().consumed(id, outcome, *args)

    return Changed


def _unknown_is_doubt(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Doubts a little whenever nothing is known."""

        def feedback(self, id: str, outcome: Any, *args: Any, **more: Any) -> FeedbackResult:
            answer = super().feedback(id, outcome, *args, **more)
            if outcome == "unknown":
                mark()
                with self._changing() as database:
                    database._db.execute(
                        "UPDATE beliefs SET beta = beta + 0.5 WHERE claim_id = ?", (id,)
                    )
            return answer

    return Changed


_BELIEFS = (
    authority_fault(
        name="said-begins-at-five",
        change="What somebody said starts with an alpha of 5.",
        suffers="What the user stated is doubted after the first report that it is stale.",
        breaks=BELIEF,
        killed_by=_authority("what-somebody-said-is-believed-at-first"),
        seed=first_belief("explicit", 5.0, 1.0),
    ),
    authority_fault(
        name="said-begins-with-doubt",
        change="What somebody said starts with a beta of 2.",
        suffers="What the user stated is hardly more than a guess.",
        breaks=BELIEF,
        killed_by=_authority("what-somebody-said-is-believed-at-first"),
        seed=first_belief("explicit", 6.0, 2.0),
    ),
    authority_fault(
        name="guesses-are-believed-like-statements",
        change="What was guessed starts with 6 and 1, as if somebody had said it.",
        suffers="The agent acts on what it made up.",
        breaks=(*BELIEF, *DECIDES),
        killed_by=_authority("what-was-guessed-is-believed-less", "a-guess-is-to-be-verified"),
        seed=first_belief("heuristic", 6.0, 1.0),
    ),
    authority_fault(
        name="guesses-begin-at-five",
        change="What was guessed starts with an alpha of 5.",
        suffers="A guess is used before it has ever helped.",
        breaks=BELIEF,
        killed_by=_authority("what-was-guessed-is-believed-less"),
        seed=first_belief("heuristic", 5.0, 2.0),
    ),
    authority_fault(
        name="guesses-begin-with-more-doubt",
        change="What was guessed starts with a beta of 3.",
        suffers="A guess that has helped must still be confirmed each time.",
        breaks=BELIEF,
        killed_by=_authority("what-was-guessed-is-believed-less"),
        seed=first_belief("heuristic", 4.0, 3.0),
    ),
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=BELIEF,
            killed_by=_authority("each-report-moves-the-belief"),
            seed=report(*added),
        )
        for name, change, suffers, added in (
            (
                "help-counts-twice",
                "A report of help adds 2 to alpha.",
                "Three friendly clicks make a wrong claim certain.",
                ("helped", 2.0, 0.0, 0),
            ),
            (
                "help-also-doubts",
                "A report of help adds 1 to beta as well.",
                "The more a claim helps the less it is believed.",
                ("helped", 1.0, 1.0, 0),
            ),
            (
                "harm-weighs-four",
                "A report of harm adds 4 to beta.",
                "What did harm is used again sooner than it should be.",
                ("harmful", 0.0, 4.0, 1),
            ),
            (
                "harm-weighs-six",
                "A report of harm adds 6 to beta.",
                "One angry click outweighs everything that was said before.",
                ("harmful", 0.0, 6.0, 1),
            ),
            (
                "harm-is-not-counted",
                "A report of harm moves the belief and counts no harm.",
                "What did harm twice is offered a third time.",
                ("harmful", 0.0, 5.0, 0),
            ),
            (
                "stale-weighs-one",
                "A report that a claim is stale adds 1 to beta.",
                "What was reported as out of date is used as before.",
                ("stale", 0.0, 1.0, 0),
            ),
            (
                "stale-weighs-like-a-conflict",
                "A report that a claim is stale adds 4 to beta.",
                "What only needs a new date is taken for wrong.",
                ("stale", 0.0, 4.0, 0),
            ),
            (
                "conflict-weighs-three",
                "A report of a conflict adds 3 to beta.",
                "Two claims that contradict each other are both believed.",
                ("conflict", 0.0, 3.0, 0),
            ),
            (
                "conflict-counts-as-harm",
                "A report of a conflict adds what a report of harm adds.",
                "Two claims that contradict each other silence one another for good.",
                ("conflict", 0.0, 5.0, 1),
            ),
        )
    ),
    authority_fault(
        name="unknown-is-a-little-doubt",
        change="A report that the outcome is unknown adds 0.5 to beta.",
        suffers="A claim fades because nobody looked.",
        breaks=BELIEF,
        killed_by=_authority("an-unknown-outcome-moves-nothing"),
        seed=store(_unknown_is_doubt),
    ),
    authority_fault(
        name="unknown-is-evidence",
        change="A report that the outcome is unknown is kept as evidence, too.",
        suffers="Whoever asks why a claim is believed is shown what said nothing.",
        breaks=BELIEF,
        killed_by=_authority("an-unknown-outcome-moves-nothing"),
        seed=tables(_unknown_is_evidence),
    ),
    authority_fault(
        name="unknown-is-dropped",
        change="A report that the outcome is unknown isn't kept.",
        suffers="The note that somebody wrote beside it is lost.",
        breaks=BELIEF,
        killed_by=_authority("an-unknown-outcome-moves-nothing"),
        seed=tables(_unknown_is_dropped),
    ),
    authority_fault(
        name="harm-is-counted-once",
        change="The count of harm never exceeds 1.",
        suffers="Nothing is ever quarantined.",
        breaks=(*BELIEF, *DECIDES),
        killed_by=_authority("two-reports-of-harm-add-up", "two-reports-of-harm-silence-a-claim"),
        seed=part(after=_counted_once),
    ),
    authority_fault(
        name="the-second-harm-weighs-nothing",
        change="Only the first report of harm adds to beta.",
        suffers="A claim that does harm again and again is believed as after the first time.",
        breaks=BELIEF,
        killed_by=_authority("two-reports-of-harm-add-up"),
        seed=part(after=_harm_is_one_step),
    ),
    authority_fault(
        name="help-forgives-harm",
        change="Each report of help takes 1 from beta beside what it adds to alpha.",
        suffers="A claim that did harm is used again after a few friendly clicks.",
        breaks=BELIEF,
        killed_by=_authority("five-reports-of-help-do-not-outweigh-one-of-harm"),
        seed=part(after=_help_forgives),
    ),
    authority_fault(
        name="help-after-harm-counts-twice",
        change="After a report of harm each report of help adds 2 to alpha.",
        suffers="Who wants a wrong claim back only has to praise it.",
        breaks=BELIEF,
        killed_by=_authority("five-reports-of-help-do-not-outweigh-one-of-harm"),
        seed=part(after=_unlearns_slowly),
    ),
    authority_fault(
        name="belief-is-smoothed",
        change="After a report the belief is (alpha + 1) / (alpha + beta + 2).",
        suffers="The same weights give two beliefs, one told and one kept.",
        breaks=BELIEF,
        killed_by=_authority("each-report-moves-the-belief"),
        seed=part(after=_smoothed),
    ),
    authority_fault(
        name="belief-is-told-and-not-kept",
        change="A report answers with the new belief, and the old one is kept.",
        suffers="A person reports the same harm every day, and nothing comes of it.",
        breaks=BELIEF,
        killed_by=_authority("each-report-moves-the-belief"),
        seed=tables(_belief_is_told_and_not_kept),
    ),
    authority_fault(
        name="reports-leave-no-evidence",
        change="A report moves the belief and leaves no evidence.",
        suffers="Nobody can find out why a claim is no longer believed.",
        breaks=(
            *BELIEF,
            *ids("claim-audit", "what-was-decided-can-be-read-afterwards"),
        ),
        killed_by=(
            *_authority("each-report-moves-the-belief"),
            *ids("claim-audit", "evidence-says-what-it-added"),
        ),
        seed=tables(_no_evidence),
    ),
    authority_fault(
        name="anybody-reports",
        change="A report is taken whoever makes it.",
        suffers="The model praises its own memories until they are certain.",
        breaks=BELIEF,
        killed_by=_authority("only-a-person-s-report-counts"),
        seed=store(_anybody_reports),
    ),
    authority_fault(
        name="tombstones-take-reports",
        change="A report on a forgotten claim is taken like any other.",
        suffers="What was forgotten goes on learning from whoever still holds its id.",
        breaks=(*BELIEF, *ids("claim-audit", "a-tombstone-stays")),
        killed_by=(
            *_authority("a-report-on-a-forgotten-claim-is-refused"),
            *ids("claim-audit", "a-tombstone-learns-nothing"),
        ),
        seed=store(_takes_reports_on("tombstoned")),
    ),
    authority_fault(
        name="superseded-claims-take-reports",
        change="A report on a superseded claim is taken like any other.",
        suffers="The report is meant for the correction, and the corrected text gets it.",
        breaks=BELIEF,
        killed_by=_authority("a-report-on-a-superseded-claim-is-refused"),
        seed=store(_takes_reports_on("superseded")),
    ),
    authority_fault(
        name="reports-on-foreign-claims-are-swallowed",
        change="A report on a claim of another place is answered as if it had been taken.",
        suffers="Somebody reports harm in the wrong folder, and the harm goes on.",
        breaks=BELIEF,
        killed_by=_authority("a-report-from-another-place-finds-no-claim"),
        seed=store(_reports_know_no_places),
    ),
    authority_fault(
        name="other-words-are-unknown",
        change="A report with a word that the design doesn't know counts as unknown.",
        suffers="A misspelt report of harm is thanked for and does nothing.",
        breaks=BELIEF,
        killed_by=_authority("a-report-with-an-unknown-word-is-refused"),
        seed=right,
        mishears=_other_words_are_unknown,
    ),
    authority_fault(
        name="reports-are-updates",
        change="A report sets the date of the claim's last update.",
        suffers="What is old stays fresh for ever, as long as people click on it.",
        breaks=(*BELIEF, *ids("claim-recall", "what-helped-is-found-by-a-paraphrase")),
        killed_by=(
            *_authority("a-report-leaves-the-dates-alone"),
            *ids("claim-recall", "learning-leaves-the-date-alone"),
        ),
        seed=store(_reports_are_updates),
    ),
)


# --- risk ------------------------------------------------------------------------------------


def _risk(change: Callable[[Subject, Belief, DecisionPolicy], float]) -> Any:
    """Seeds another risk, rounded and told as the right one is."""

    def decided(claim: Subject, held: Belief, **given: Any) -> Any:
        policy: DecisionPolicy = given.get("policy", POLICY)
        answer = decide(claim, held, **given)
        scores = msgspec.structs.replace(answer.scores, risk=compared(change(claim, held, policy)))
        case = Case(claim=claim, belief=held, scores=scores, now=given["now"], policy=policy)
        verdict = next((v for rule in RULES if (v := rule(case)) is not None), None)
        action, reasons = verdict or ("use", ["authority_thresholds_passed"])
        return msgspec.structs.replace(answer, action=action, reasons=reasons, scores=scores)

    return part(decide=decided)


def _belief_for_doubt(claim: Subject, held: Belief, policy: DecisionPolicy) -> float:
    harm = min(policy.harm_limit, policy.harm_weight * held.harmful_count)
    return min(1.0, policy.base_risk(claim.kind) + policy.doubt_weight * held.score + harm)


def _open_ended(claim: Subject, held: Belief, policy: DecisionPolicy) -> float:
    harm = min(policy.harm_limit, policy.harm_weight * held.harmful_count)
    return policy.base_risk(claim.kind) + policy.doubt_weight * (1 - held.score) + harm


def _no_harm(claim: Subject, held: Belief, policy: DecisionPolicy) -> float:
    return min(1.0, policy.base_risk(claim.kind) + policy.doubt_weight * (1 - held.score))


_BASES: tuple[tuple[ClaimKind, str, float, str], ...] = (
    ("preference", "high", 0.01, "A taste is confirmed more often than it deserves."),
    ("preference", "low", -0.01, "A taste that is hardly believed is acted on."),
    ("fact", "high", 0.01, "A fact that would do is confirmed all the same."),
    ("fact", "low", -0.01, "A doubtful fact is told as certain."),
    ("procedure", "high", 0.01, "Steps that have helped are asked for again."),
    ("procedure", "low", -0.01, "Steps that did harm are followed once more."),
    ("constraint", "high", 0.01, "A rule of the house is questioned each time."),
    ("constraint", "low", -0.01, "A rule that nobody is sure of binds everybody."),
    ("warning", "high", 0.01, "A warning that holds comes with a question mark."),
    ("warning", "low", -0.01, "A wrong warning is believed at once."),
)

_RISKS = (
    *(
        authority_fault(
            name=f"the-base-of-a-{kind}-is-a-little-{word}",
            change=f"The risk of a {kind} begins at {POLICY.base_risk(kind) + by:.2f}.",
            suffers=suffers,
            breaks=RISK,
            killed_by=_authority("each-kind-has-its-own-base"),
            seed=threshold(**{f"{kind}_risk": POLICY.base_risk(kind) + by}),
        )
        for kind, word, by, suffers in _BASES
    ),
    authority_fault(
        name="doubt-weighs-a-little-less",
        change="The doubt about a claim weighs 0.29.",
        suffers="A claim on the edge is used where another store of the same design asks.",
        breaks=RISK,
        killed_by=_authority("doubt-adds-to-the-risk"),
        seed=threshold(doubt_weight=0.29),
    ),
    authority_fault(
        name="doubt-weighs-a-little-more",
        change="The doubt about a claim weighs 0.31.",
        suffers="A claim on the edge is asked about where another store of the design uses it.",
        breaks=RISK,
        killed_by=_authority("doubt-adds-to-the-risk"),
        seed=threshold(doubt_weight=0.31),
    ),
    authority_fault(
        name="belief-adds-to-the-risk",
        change="The risk grows with the belief instead of the doubt.",
        suffers="What is certain is asked about, and what is doubtful is used.",
        breaks=RISK,
        killed_by=_authority("doubt-adds-to-the-risk"),
        seed=_risk(_belief_for_doubt),
    ),
    authority_fault(
        name="harm-adds-a-little-less",
        change="Each report of harm adds 0.14 to the risk.",
        suffers="Steps that did harm once are followed again.",
        breaks=RISK,
        killed_by=_authority("harm-adds-to-the-risk-up-to-a-limit"),
        seed=threshold(harm_weight=0.14),
    ),
    authority_fault(
        name="harm-adds-a-little-more",
        change="Each report of harm adds 0.16 to the risk.",
        suffers="A single complaint weighs more than the design says.",
        breaks=RISK,
        killed_by=_authority("harm-adds-to-the-risk-up-to-a-limit"),
        seed=threshold(harm_weight=0.16),
    ),
    authority_fault(
        name="harm-adds-without-a-limit",
        change="The reports of harm add to the risk without any limit.",
        suffers="The risk of an old quarrel hides every other reason.",
        breaks=RISK,
        killed_by=_authority("harm-adds-to-the-risk-up-to-a-limit"),
        seed=threshold(harm_limit=1.0),
    ),
    authority_fault(
        name="harm-adds-at-most-a-little-less",
        change="All reports of harm together add 0.29 at most.",
        suffers="The second report of harm weighs less than the first.",
        breaks=RISK,
        killed_by=_authority("harm-adds-to-the-risk-up-to-a-limit"),
        seed=threshold(harm_limit=0.29),
    ),
    authority_fault(
        name="harm-is-no-risk",
        change="Reports of harm don't add to the risk.",
        suffers="A warning that misled somebody misleads the next one.",
        breaks=(*RISK, *RULE),
        killed_by=_authority(
            "harm-adds-to-the-risk-up-to-a-limit",
            "a-constraint-or-a-warning-that-did-harm-once-is-never-used",
        ),
        seed=_risk(_no_harm),
    ),
    authority_fault(
        name="the-risk-has-no-upper-end",
        change="The risk isn't held within 1.",
        suffers="A chart of risks shows 147 percent.",
        breaks=RISK,
        killed_by=_authority("the-risk-stays-within-one"),
        seed=_risk(_open_ended),
    ),
)


# --- the rules -------------------------------------------------------------------------------


def _only_tombstones(case: Case) -> Verdict | None:
    return not_active(case) if case.claim.state == "tombstoned" else None


def _up_to_and_with_its_end(case: Case) -> Verdict | None:
    end, now = milliseconds(case.claim.valid_until or case.now), milliseconds(case.now)
    return expired(case) if end != now else None


def _a_second_early(case: Case) -> Verdict | None:
    end, now = milliseconds(case.claim.valid_until or ""), milliseconds(case.now)
    soon = end is not None and now is not None and end - now < 1000
    return ("verify", ["claim_expired"]) if soon else expired(case)


def _expired_is_ignored(case: Case) -> Verdict | None:
    return ("ignore", ["claim_expired"]) if expired(case) else None


def _harmful_is_verified(case: Case) -> Verdict | None:
    return ("verify", ["harmful_quarantine"]) if harmful(case) else None


def _weak_is_verified(case: Case) -> Verdict | None:
    return ("verify", ["low_relevance"]) if irrelevant(case) else None


def _stale_is_ignored(case: Case) -> Verdict | None:
    return ("ignore", ["stale_memory"]) if stale(case) else None


def _one_reason(case: Case) -> Verdict | None:
    found = doubtful(case)
    return None if found is None else (found[0], found[1][:1])


def _both_or_nothing(case: Case) -> Verdict | None:
    found = doubtful(case)
    return found if found is not None and len(found[1]) == 2 else None


def _only(reason: str) -> Rule:
    def rule(case: Case) -> Verdict | None:
        found = doubtful(case)
        kept: Any = [] if found is None else [each for each in found[1] if each == reason]
        return ("verify", kept) if kept else None

    return rule


def _doubted_is_ignored(case: Case) -> Verdict | None:
    found = doubtful(case)
    return None if found is None else ("ignore", found[1])


def _certainty_has_no_risk(case: Case) -> Verdict | None:
    return None if case.scores.belief >= 0.99 else doubtful(case)


def _unrounded(claim: Subject, held: Belief, **given: Any) -> Any:
    policy: DecisionPolicy = given.get("policy", POLICY)
    answer = decide(claim, held, **given)
    if given["relevance"] < policy.least_relevance and answer.action == "use":
        return msgspec.structs.replace(answer, action="ignore", reasons=["low_relevance"])
    if given["freshness"] < policy.least_freshness and answer.action == "use":
        return msgspec.structs.replace(answer, action="verify", reasons=["stale_memory"])
    return answer


def _sums_as_they_come(claim: Subject, held: Belief, **given: Any) -> Any:
    policy: DecisionPolicy = given.get("policy", POLICY)
    answer = decide(claim, held, **given)
    harm = min(policy.harm_limit, policy.harm_weight * held.harmful_count)
    risk = policy.base_risk(claim.kind) + policy.doubt_weight * (1 - held.score) + harm
    if answer.action == "use" and risk > policy.most_risk:
        return msgspec.structs.replace(
            answer, action="verify", reasons=["risk_above_use_threshold"]
        )
    return answer


def _without_reasons(claim: Subject, held: Belief, **given: Any) -> Any:
    answer = decide(claim, held, **given)
    return msgspec.structs.replace(answer, reasons=[]) if answer.action == "use" else answer


def _scores_in_tenths(claim: Subject, held: Belief, **given: Any) -> Any:
    answer = decide(claim, held, **given)
    shown = {name: round(value, 1) for name, value in msgspec.structs.asdict(answer.scores).items()}
    return msgspec.structs.replace(answer, scores=msgspec.convert(shown, type(answer.scores)))


def _fixed(field: str) -> Any:
    """A threshold of a policy that is given is read from the store's own."""

    def same(policy: DecisionPolicy = POLICY, **_: Any) -> dict[str, Any]:
        own = {field: getattr(POLICY, field)}
        return {"policy": msgspec.structs.replace(policy, **own)}

    return scored(same)


def _by_the_stores_clock(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Decides by its own clock, whatever time is given."""

        def decide(self, *, time: str, **given: Any) -> Any:
            mark()
            return super().decide(time=self._now, **given)

    return Changed


def _deciding_wears_out(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Trusts the figures less with every claim that it holds."""

        def decide(self, *, beta: float, **given: Any) -> Any:
            mark()
            return super().decide(beta=beta + self._open_database().count(), **given)

    return Changed


def _figures_are_put_right(method: str, given: Arguments) -> Arguments:
    if method != "decide":
        return given
    for name, least, most in (
        ("alpha", 0.001, None),
        ("beta", 0.001, None),
        ("harmfulCount", 0, None),
        ("relevance", 0, 1),
        ("freshness", 0, 1),
    ):
        value = given.get(name)
        if isinstance(value, (int, float)):
            value = max(least, value)
            given[name] = value if most is None else min(most, value)
    return given


def _any_kind_is_a_fact(method: str, given: Arguments) -> Arguments:
    if method == "decide" and given.get("kind") not in ("preference", "constraint", "fact"):
        given["kind"] = {"procedure": "procedure", "warning": "warning"}.get(
            str(given.get("kind")), "fact"
        )
    return given


def _any_time_is_now(method: str, given: Arguments) -> Arguments:
    if method == "decide" and not str(given.get("time", "")).startswith("20"):
        given["time"] = "2026-06-30T00:00:00Z"
    return given


_NAMES: dict[Rule, str] = {
    not_active: "inactivity",
    expired: "expiry",
    harmful: "quarantine",
    irrelevant: "irrelevance",
    stale: "staleness",
    doubtful: "doubt",
}
_THRESHOLDS = (
    (
        "quarantine_count",
        1,
        "quarantine-after-one",
        "A claim is quarantined after 1 report of harm.",
        "One angry click silences a claim for good.",
        "two-reports-of-harm-are-quarantine",
    ),
    (
        "quarantine_count",
        3,
        "quarantine-after-three",
        "A claim is quarantined after 3 reports of harm.",
        "What did harm twice gets a third chance to.",
        "two-reports-of-harm-are-quarantine",
    ),
    (
        "least_relevance",
        0.12 - NINTH,
        "relevance-a-little-low",
        "The least relevance is a billionth lower.",
        "Two stores of one design disagree at the edge.",
        "relevance-begins-at-its-threshold",
    ),
    (
        "least_relevance",
        0.12 + NINTH,
        "relevance-above-its-threshold-only",
        "A relevance of exactly 0.12 is too little.",
        "Three words of twenty-five are not enough here, and enough elsewhere.",
        "relevance-begins-at-its-threshold",
    ),
    (
        "least_freshness",
        0.2 - NINTH,
        "freshness-a-little-low",
        "The least freshness is a billionth lower.",
        "Two stores of one design disagree at the edge.",
        "freshness-begins-at-its-threshold",
    ),
    (
        "least_freshness",
        0.2 + NINTH,
        "freshness-above-its-threshold-only",
        "A freshness of exactly 0.2 is stale.",
        "A claim is asked about a moment too soon.",
        "freshness-begins-at-its-threshold",
    ),
    (
        "use_belief",
        0.7 - NINTH,
        "belief-a-little-low",
        "The least belief of use is a billionth lower.",
        "Two stores of one design disagree at the edge.",
        "belief-begins-at-its-threshold",
    ),
    (
        "use_belief",
        0.7 + NINTH,
        "belief-above-its-threshold-only",
        "A belief of exactly 0.7 is too little.",
        "A claim with seven voices of ten is asked about.",
        "belief-begins-at-its-threshold",
    ),
    (
        "most_risk",
        0.45 - NINTH,
        "risk-below-its-threshold-only",
        "A risk of exactly 0.45 is too much.",
        "A warning that fifteen people confirmed is asked about.",
        "risk-ends-at-its-threshold",
    ),
    (
        "most_risk",
        0.450000002,
        "risk-a-little-high",
        "The most risk of use is two billionths higher.",
        "Two stores of one design disagree at the edge.",
        "risk-ends-at-its-threshold",
    ),
    (
        "use_belief",
        0.72,
        "a-guess-needs-more-than-one-help",
        "The least belief of use is 0.72.",
        "What helped is asked about again, and people stop reporting.",
        "a-guess-may-be-used-once-it-has-helped",
    ),
)

_RULE_FAULTS = (
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=RULE,
            killed_by=_authority(killer),
            seed=threshold(**{field: value}),
        )
        for field, value, name, change, suffers, killer in _THRESHOLDS
    ),
    *(
        authority_fault(
            name=f"no-rule-of-{_NAMES[rule]}",
            change=f"The rule of {_NAMES[rule]} is left out.",
            suffers=suffers,
            breaks=RULE,
            killed_by=_authority(killer),
            seed=without_rule(rule),
        )
        for rule, suffers, killer in (
            (
                not_active,
                "What was corrected is acted on.",
                "a-claim-that-is-not-active-is-ignored",
            ),
            (expired, "An offer that ended is acted on.", "validity-ends-with-its-last-instant"),
            (harmful, "What did harm goes on doing it.", "two-reports-of-harm-are-quarantine"),
            (irrelevant, "One word in twenty is an answer.", "relevance-begins-at-its-threshold"),
            (stale, "What was true years ago is acted on.", "freshness-begins-at-its-threshold"),
            (doubtful, "A guess is acted on like a fact.", "belief-begins-at-its-threshold"),
        )
    ),
    *(
        authority_fault(
            name=f"{_NAMES[later]}-before-{_NAMES[earlier]}",
            change=(
                f"Where the rules of {_NAMES[earlier]} and of {_NAMES[later]} both apply, that of "
                f"{_NAMES[later]} decides."
            ),
            suffers="The reason that a person is shown isn't the one that counts.",
            breaks=RULE,
            killed_by=_authority("of-two-rules-the-earlier-decides"),
            seed=later_wins(earlier, later),
        )
        for place, earlier in enumerate(RULES)
        for later in RULES[place + 1 :]
    ),
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=RULE,
            killed_by=_authority(*killers),
            seed=instead_of(old, new),
        )
        for name, change, suffers, old, new, killers in (
            (
                "superseded-claims-are-decided-on",
                "Only a forgotten claim is ignored for its state.",
                "The text that was corrected is acted on beside its correction.",
                not_active,
                _only_tombstones,
                ("a-claim-that-is-not-active-is-ignored",),
            ),
            (
                "claims-hold-at-their-end",
                "A claim still holds at the instant at which its validity ends.",
                "An offer that ended is quoted as running.",
                expired,
                _up_to_and_with_its_end,
                ("validity-ends-with-its-last-instant",),
            ),
            (
                "claims-end-a-second-early",
                "A claim is expired during the last second of its validity.",
                "Two stores disagree at midnight.",
                expired,
                _a_second_early,
                ("validity-ends-with-its-last-instant",),
            ),
            (
                "expired-claims-are-ignored",
                "An expired claim is ignored instead of verified.",
                "Nobody is asked whether the offer was prolonged.",
                expired,
                _expired_is_ignored,
                ("validity-ends-with-its-last-instant",),
            ),
            (
                "quarantine-only-marks",
                "A claim that did harm twice is to be verified.",
                "What did harm comes up again in every conversation.",
                harmful,
                _harmful_is_verified,
                ("two-reports-of-harm-are-quarantine",),
            ),
            (
                "weak-matches-are-verified",
                "A weak match is to be verified instead of ignored.",
                "Every answer is followed by questions about something else.",
                irrelevant,
                _weak_is_verified,
                ("relevance-begins-at-its-threshold",),
            ),
            (
                "stale-claims-are-ignored",
                "A claim that is stale is ignored instead of verified.",
                "What was said a year and a half ago is lost without a word.",
                stale,
                _stale_is_ignored,
                ("freshness-begins-at-its-threshold",),
            ),
            (
                "one-doubt-is-named",
                "Of two doubts only the first is named.",
                "A person settles the one, and the claim is doubted for the other.",
                doubtful,
                _one_reason,
                ("every-doubt-is-named",),
            ),
            (
                "doubts-only-count-together",
                "A claim is verified only where belief and risk are both at fault.",
                "A guess about a taste is acted on as if it were known.",
                doubtful,
                _both_or_nothing,
                ("belief-begins-at-its-threshold", "risk-ends-at-its-threshold"),
            ),
            (
                "belief-decides-nothing",
                "A belief below the threshold is no reason to verify.",
                "A guess about a taste is acted on as if it were known.",
                doubtful,
                _only("risk_above_use_threshold"),
                ("belief-begins-at-its-threshold",),
            ),
            (
                "risk-decides-nothing",
                "A risk above the threshold is no reason to verify.",
                "A warning that misled somebody is acted on.",
                doubtful,
                _only("belief_below_use_threshold"),
                (
                    "risk-ends-at-its-threshold",
                    "a-constraint-or-a-warning-that-did-harm-once-is-never-used",
                ),
            ),
            (
                "doubted-claims-are-ignored",
                "A claim that is doubted is ignored instead of verified.",
                "The agent never asks, and forgets whatever it isn't sure of.",
                doubtful,
                _doubted_is_ignored,
                ("belief-begins-at-its-threshold", "risk-ends-at-its-threshold"),
            ),
            (
                "certainty-has-no-risk",
                "A claim with a belief of 0.99 or more may be used whatever its risk.",
                "A constraint that did harm is enforced because many had praised it.",
                doubtful,
                _certainty_has_no_risk,
                ("a-constraint-or-a-warning-that-did-harm-once-is-never-used",),
            ),
        )
    ),
    authority_fault(
        name="scores-are-compared-as-they-are",
        change="Relevance and freshness are compared without rounding.",
        suffers="A freshness that is 0.2 on paper is stale in binary.",
        breaks=RULE,
        killed_by=_authority("what-differs-beyond-nine-decimals-is-equal"),
        seed=part(decide=_unrounded),
    ),
    authority_fault(
        name="risks-are-compared-as-they-add-up",
        change="A risk is compared without rounding.",
        suffers="A procedure whose risk is 0.45 on paper is asked about.",
        breaks=RULE,
        killed_by=_authority("risk-ends-at-its-threshold"),
        seed=part(decide=_sums_as_they_come),
    ),
    authority_fault(
        name="use-needs-no-reason",
        change="A decision to use a claim names no reason.",
        suffers="Who looks for a reason finds none where the agent acted.",
        breaks=RULE,
        killed_by=_authority("what-passes-every-threshold-may-be-used"),
        seed=part(decide=_without_reasons),
    ),
    authority_fault(
        name="scores-are-told-in-tenths",
        change="The scores of a decision are told in tenths.",
        suffers="A belief of 0.66 reads as 0.7, and nobody sees why it wasn't enough.",
        breaks=RULE,
        killed_by=_authority("what-passes-every-threshold-may-be-used"),
        seed=part(decide=_scores_in_tenths),
    ),
    *(
        authority_fault(
            name=f"the-policys-{field.replace('_', '-')}-is-not-read",
            change=f"The {field.replace('_', ' ')} of a policy that is given makes no difference.",
            suffers="Somebody makes the store more careful, and it is as careless as before.",
            breaks=RULE,
            killed_by=_authority("each-threshold-is-configuration"),
            seed=_fixed(field),
        )
        for field in DecisionPolicy.__struct_fields__
    ),
    authority_fault(
        name="decisions-hang-on-the-clock",
        change="A decision is made at the time of the store's clock, not at the given one.",
        suffers="What was decided yesterday can't be worked out again today.",
        breaks=RULE,
        killed_by=_authority("the-same-figures-give-the-same-decision"),
        seed=store(_by_the_stores_clock),
    ),
    authority_fault(
        name="decisions-hang-on-the-store",
        change="A decision counts the claims of the store as doubt.",
        suffers="The same claim is used in an empty store and asked about in a full one.",
        breaks=RULE,
        killed_by=_authority("the-same-figures-give-the-same-decision"),
        seed=store(_deciding_wears_out),
    ),
    authority_fault(
        name="impossible-figures-are-put-right",
        change="Figures that are out of range are taken as the nearest that isn't.",
        suffers="A relevance of 70, meant as a percentage, becomes certainty.",
        breaks=RULE,
        killed_by=_authority("figures-that-can-t-be-are-refused"),
        seed=right,
        mishears=_figures_are_put_right,
    ),
    authority_fault(
        name="unknown-kinds-are-facts",
        change="A claim of an unknown kind is decided on as a fact.",
        suffers="A misspelt warning has half of its risk.",
        breaks=RULE,
        killed_by=_authority("figures-that-can-t-be-are-refused"),
        seed=right,
        mishears=_any_kind_is_a_fact,
    ),
    authority_fault(
        name="unreadable-times-are-now",
        change="A time that can't be read is taken for now.",
        suffers="A decision that is to be worked out again comes out otherwise.",
        breaks=RULE,
        killed_by=_authority("figures-that-can-t-be-are-refused"),
        seed=right,
        mishears=_any_time_is_now,
    ),
)


# --- recall ----------------------------------------------------------------------------------


def _belief_of_the_first_day(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Finds claims with the belief that they were written with."""

        def triggered(self, *args: Any, **more: Any) -> list[Candidate]:
            mark()
            return [
                replace(each, belief=belief(*((6, 1) if each.origin == "explicit" else (4, 2))))
                for each in super().triggered(*args, **more)
            ]

    return Changed


def _everything_is_shown(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Shows what was decided to be ignored, too."""

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None
        ) -> RecallResult:
            shown = super().recall(query, access, limit)
            terms = DESIGN.query_terms(query, AUTHORITY)
            with self._reading() as database:
                every = database.triggered(terms, self._keys(access), self._now)
            ranked = DESIGN.merged((), every, self._now, AUTHORITY)
            known = {hit.id for hit in shown.hits}
            more = [
                _recalled(Decided(ranked=each, decision=self._decide(each, self._now)))
                for each in ranked
                if each.candidate.id not in known
            ]
            if more:
                mark()
            return msgspec.structs.replace(shown, hits=[*shown.hits, *more])

    return Changed


def _any_time(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Looks for claims of any time."""

        def triggered(self, terms: Any, keys: Any, now: str) -> list[Candidate]:
            rows = self._db.execute(
                "SELECT id, valid_from, valid_until FROM claims"
                " WHERE valid_from IS NOT NULL OR valid_until IS NOT NULL"
            ).fetchall()
            if rows:
                mark()
            self._db.execute("UPDATE claims SET valid_from = NULL, valid_until = NULL")
            candidates = super().triggered(terms, keys, now)
            for id, start, end in rows:
                self._db.execute(
                    "UPDATE claims SET valid_from = ?, valid_until = ? WHERE id = ?",
                    (start, end, id),
                )
            return candidates

    return Changed


_RECALLS = (
    authority_fault(
        name="nothing-may-be-used",
        change="Recall decides as if every claim were a guess.",
        suffers="The agent asks about everything that it was told.",
        breaks=DECIDES,
        killed_by=_authority("a-plain-claim-may-be-used"),
        seed=found(lambda each: replace(each, belief=belief(4, 2))),
    ),
    authority_fault(
        name="relevance-is-one-in-decisions",
        change="Recall decides with a relevance of 1, whatever was matched.",
        suffers="One word in twenty brings a claim into the prompt.",
        breaks=DECIDES,
        killed_by=_authority("a-weak-match-is-ignored"),
        seed=scored(lambda **_: {"relevance": 1.0}),
    ),
    authority_fault(
        name="freshness-is-one-in-decisions",
        change="Recall decides with a freshness of 1, however old the claim is.",
        suffers="The address of three years ago is acted on.",
        breaks=DECIDES,
        killed_by=_authority("an-old-claim-is-to-be-verified"),
        seed=scored(lambda **_: {"freshness": 1.0}),
    ),
    authority_fault(
        name="belief-of-the-first-day",
        change="Recall decides on the belief that a claim was written with.",
        suffers="People report harm for weeks, and the claim is used as on its first day.",
        breaks=DECIDES,
        killed_by=_authority(
            "help-turns-a-guess-into-something-to-use",
            "one-report-of-harm-makes-a-claim-doubtful",
            "two-reports-of-harm-silence-a-claim",
        ),
        seed=tables(_belief_of_the_first_day),
    ),
    authority_fault(
        name="ignored-claims-are-shown",
        change="Recall answers with the claims that are to be ignored, too.",
        suffers="What did harm twice is found like anything else.",
        breaks=DECIDES,
        killed_by=_authority("two-reports-of-harm-silence-a-claim", "a-weak-match-is-ignored"),
        seed=store(_everything_is_shown),
    ),
    authority_fault(
        name="guesses-count-as-said-in-recall",
        change="Recall takes each guess for something that somebody said.",
        suffers="The agent acts on what it made up.",
        breaks=DECIDES,
        killed_by=_authority("a-guess-is-to-be-verified"),
        seed=found(
            lambda each: each if each.origin == "explicit" else replace(each, belief=belief(6, 1))
        ),
    ),
    authority_fault(
        name="claims-of-any-time-are-found",
        change="Recall looks neither at the beginning nor at the end of a validity.",
        suffers="Next year's prices are quoted today, and last year's, too.",
        breaks=DECIDES,
        killed_by=_authority(
            "an-expired-claim-is-never-used", "a-claim-that-doesn-t-hold-yet-is-never-used"
        ),
        seed=tables(_any_time),
    ),
)

FAULTS: tuple[Fault, ...] = (*_BELIEFS, *_RISKS, *_RULE_FAULTS, *_RECALLS)
