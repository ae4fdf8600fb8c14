"""Faults of the relevance gate: floors, which floor a query gets, hints, the old gate, silence."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, abstention, core, foundation
from memconform.faults.seams import figure, layout, stage, store, swapped
from memconform.model import Access, ContextResult, Record, RelevanceMode
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.store import ReferenceStore
from memconform.retrieval import (
    FOUNDATION,
    Constants,
    Dropped,
    Gate,
    Hints,
    Match,
    Ranked,
    Retrieval,
    RetrievalRequest,
    Stage,
)
from memconform.retrieval.context import frame
from memconform.retrieval.ranking import features_of, matching, type_hints
from memconform.retrieval.relevance import floor_for, gate_for, relevant
from memconform.retrieval.tokens import Tokens, has_cjk, normalise

WEAK = abstention("weak-lexical-matches-are-refused")
LATIN_FLOOR = abstention("the-floor-of-a-latin-query-is-0-40")
CJK_FLOOR = abstention("the-floor-of-a-query-with-cjk-text-is-one-third")
HINTS = abstention("a-hinted-type-passes-without-shared-words")
USERS = abstention("no-record-is-found-for-being-the-user-s")
SILENCE = abstention("silence-reaches-the-prompt")
OLD_GATE = foundation("the-old-gate-is-for-evaluation-only")
UNRELATED = core("unrelated-means-nothing")


def _old_gate(query: str, mode: RelevanceMode, constants: Constants) -> Gate:
    return gate_for(query, "historical-v1", constants)


def _never_old(query: str, mode: RelevanceMode, constants: Constants) -> Gate:
    return gate_for(query, "foundation-v1", constants)


def _floor(of: Callable[[str, Constants], float]) -> Seed:
    """Seeds another choice of the floor."""

    def gate(query: str, mode: RelevanceMode, constants: Constants) -> Gate:
        return Gate(None if mode == "historical-v1" else of(query, constants))

    return stage(gate_for=gate)


def _mostly_cjk(query: str, constants: Constants) -> float:
    count = sum(has_cjk(character) for character in query)
    return constants.cjk_floor if 2 * count > len(query.replace(" ", "")) else constants.floor


def _and_means_all(query: str, constants: Constants) -> float:
    """An operator in capitals asks for every word."""
    operators = {"AND", "OR", "NOT", "NEAR"} & set(query.replace("(", " ").split())
    return 1.0 if operators else floor_for(query, constants)


def _raw_cjk(query: str, constants: Constants) -> float:
    """Looks for CJK characters before NFKC, so that half-width katakana are none."""
    cjk = any(first <= ord(c) <= last for c in query for first, last in constants.cjk_ranges)
    return constants.cjk_floor if cjk else constants.floor


def _not_ascii(query: str, constants: Constants) -> float:
    return constants.floor if query.isascii() else constants.cjk_floor


def _passing(test: Callable[[Ranked, Gate], bool]) -> Seed:
    """Seeds another test of what passes."""

    def gate(ranked: Iterable[Ranked], gate: Gate) -> Stage[Ranked]:
        kept, dropped = [], []
        for candidate in ranked:
            if test(candidate, gate):
                kept.append(candidate)
            else:
                dropped.append(Dropped(candidate.record.id, "irrelevant"))
        return Stage(tuple(kept), tuple(dropped))

    return stage(gate=gate)


def _more_than_the_floor(candidate: Ranked, gate: Gate) -> bool:
    lexical = candidate.features.lexical
    equal = lexical == gate.floor and candidate.features.type_affinity == 0
    return not equal and gate.passes(candidate.features)


def _floor_for_all(candidate: Ranked, gate: Gate) -> bool:
    return candidate.features.lexical >= (gate.floor or 0.0)


def _users_pass(candidate: Ranked, gate: Gate) -> bool:
    return candidate.record.scope == "user" or gate.passes(candidate.features)


def _by_score(candidate: Ranked, gate: Gate) -> bool:
    return candidate.score >= (gate.floor or 0.0)


def _by_record_text(candidate: Ranked, gate: Gate) -> bool:
    cjk = has_cjk(candidate.record.content)
    return gate.passes(candidate.features) or (
        cjk and candidate.features.lexical >= FOUNDATION.cjk_floor
    )


def _weak_add_up(ranked: Iterable[Ranked], gate: Gate) -> Stage[Ranked]:
    """Several weak matches are taken together."""
    ranked = tuple(ranked)
    if gate.floor is not None and sum(r.features.lexical for r in ranked) >= 2 * gate.floor:
        return Stage(ranked, ())
    return relevant(ranked, gate)


def _best_always(ranked: Iterable[Ranked], gate: Gate) -> Stage[Ranked]:
    """The best candidate is let in, however bad it is."""
    ranked = tuple(ranked)
    passed = relevant(ranked, gate)
    return passed if passed.kept else Stage(ranked[:1], passed.dropped[1:])


def _without(words: tuple[str, ...], left_out: str) -> tuple[str, ...]:
    assert left_out in words
    return tuple(word for word in words if word != left_out)


def _part_of_a_word(query: str, constants: Constants) -> Hints:
    """A hint is found inside a longer word, too."""
    text = normalise(query)
    spaced = [
        phrase
        for phrases in (
            constants.preference_hints,
            constants.decision_hints,
            constants.identity_hints,
        )
        for phrase in phrases
        if phrase in text
    ]
    return type_hints(" ".join([query, *spaced]), constants)


def _as_typed(query: str, constants: Constants) -> Hints:
    """Hints are looked for without NFKC and lower case."""
    return type_hints("".join(c for c in query if c == normalise(c)), constants)


def _one_hint(query: str, constants: Constants) -> Hints:
    hints = type_hints(query, constants)
    if len(hints.types & {"preference", "decision"}) < 2:
        return hints
    return dataclasses.replace(hints, types=frozenset({"preference"}))


def _all_tags(query: str, constants: Constants) -> Hints:
    """Any hint is answered by the tags of all hints."""
    hints = type_hints(query, constants)
    tags = frozenset((*constants.identity_tags, *constants.preference_tags))
    return dataclasses.replace(hints, tags=tags) if hints.types else hints


def _no_tags(query: str, constants: Constants) -> Hints:
    return dataclasses.replace(type_hints(query, constants), tags=frozenset())


def _facts_alone(query: str, constants: Constants) -> Hints:
    hints = type_hints(query, constants)
    return dataclasses.replace(hints, types=hints.types - {"relationship"})


def _half_affinity(match: Match, query: Tokens, hints: Hints, now: str, c: Constants) -> Any:

    features = features_of(match, query, hints, now, c)
    return msgspec.structs.replace(features, type_affinity=features.type_affinity / 2)


def _empty_frame(lines: Any) -> str:
    return frame(lines) if lines else frame(["- (no memory)"])


def _context_of_any(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Recall goes through the gate; the context takes whatever shares a token."""

        def context(
            self, query: str, access: Access = Access(), budget: int | None = None
        ) -> ContextResult:
            mark()
            right, self._pipeline = (
                self._pipeline,
                dataclasses.replace(self._pipeline, gate_for=_old_gate),
            )
            try:
                return super().context(query, access, budget)
            finally:
                self._pipeline = right

    return Store


def _fills_up(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A question without an answer is answered with whatever was updated last."""

        def _retrieve(self, request: RetrievalRequest) -> Retrieval:
            found = super()._retrieve(request)
            if found.selected or not request.query.strip():
                return found
            mark()
            anything = dataclasses.replace(
                self._pipeline,
                match=lambda records, *_: Stage(tuple(Match(r, 0) for r in records), ()),
                gate=lambda ranked, _: Stage(tuple(ranked), ()),
            )
            return anything.retrieve(
                self._cache.records.values(), request, policy=self._policy, now=self._now
            )

    return Store


def _introduces_the_user(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Each answer and each context has the user's records, whatever the question is."""

        def _retrieve(self, request: RetrievalRequest) -> Retrieval:
            def match(records: Iterable[Record], *rest: Any) -> Stage[Match]:
                records = tuple(records)
                found = matching(records, *rest)
                known = {m.record.id for m in found.kept}
                more = [Match(r, 0) for r in records if r.scope == "user" and r.id not in known]
                return Stage((*found.kept, *more), found.dropped)

            def gate(ranked: Iterable[Ranked], gate: Gate) -> Stage[Ranked]:
                ranked = tuple(ranked)
                passed = {r.record.id for r in relevant(ranked, gate).kept}
                kept = [r for r in ranked if r.record.id in passed or r.record.scope == "user"]
                if len(kept) > len(passed):
                    mark()
                return Stage(tuple(kept), ())

            with swapped(self, match=match, gate=gate):
                return super()._retrieve(request)

    return Store


def _refuses_no_gate(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """The historical gate may be asked for at any time."""

        def _begin(self) -> None:

            mark()
            self._settings = msgspec.structs.replace(self._settings, evaluation=True)

    return Store


def _old_unless_named(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """A store for evaluation uses the historical gate unless another one is named."""

        def recall(self, *args: Any, **options: Any) -> Any:
            if self._settings.evaluation and options.get("mode") is None:
                mark()
                options["mode"] = "historical-v1"
            return super().recall(*args, **options)

    return Store


def _refuses_the_current(mark: Mark) -> type[ReferenceStore]:
    class Store(FilesystemStore):
        """Naming the current gate finds nothing: only its absence is understood."""

        def recall(self, *args: Any, **options: Any) -> Any:
            if options.get("mode") == "foundation-v1":
                mark()
                options["limit"] = 0
                args = args[:2]
            return super().recall(*args, **options)

    return Store


def _hint_word(name: str, field: str, word: str, reach: str) -> Fault:
    """A hint word that is missing."""
    return Fault(
        name=name,
        change=f"The word {word!r} in a query is no hint.",
        suffers=f"A question with {word!r} in it doesn't reach {reach} in other words.",
        breaks=HINTS,
        killed_by=abstention(
            {
                "preference_hints": "every-word-for-a-preference-is-a-hint",
                "decision_hints": "every-word-for-a-decision-is-a-hint",
                "identity_hints": "every-word-for-an-identity-is-a-hint",
            }[field]
        ),
        base="filesystem",
        seed=figure(**{field: _without(getattr(FOUNDATION, field), word)}),
    )


FAULTS = (
    Fault(
        name="latin-floor-a-little-low",
        change="The floor of a Latin query is 0.398 instead of 0.40.",
        suffers="A chance match is put into the prompt now and then.",
        breaks=LATIN_FLOOR,
        killed_by=abstention("fifty-one-of-a-hundred-and-twenty-eight-tokens-are-too-few"),
        base="filesystem",
        seed=figure(floor=FOUNDATION.floor - 0.002),
    ),
    Fault(
        name="latin-floor-a-little-high",
        change="The floor of a Latin query is 0.402 instead of 0.40.",
        suffers="A memory that holds two of five words is no longer found.",
        breaks=LATIN_FLOOR,
        killed_by=abstention("two-of-five-words-are-enough"),
        base="filesystem",
        seed=figure(floor=FOUNDATION.floor + 0.002),
    ),
    Fault(
        name="latin-floor-of-three-eighths",
        change="The floor of a Latin query is 0.375.",
        suffers="A question is answered by what shares three words of eight with it.",
        breaks=LATIN_FLOOR,
        killed_by=abstention("nine-of-twenty-four-tokens-are-too-few"),
        base="filesystem",
        seed=figure(floor=0.375),
    ),
    Fault(
        name="latin-floor-of-a-half",
        change="The floor of a Latin query is 0.5.",
        suffers="A long question finds nothing although it holds every word of the answer.",
        breaks=LATIN_FLOOR,
        killed_by=abstention("fifty-two-of-a-hundred-and-twenty-eight-tokens-are-enough"),
        base="filesystem",
        seed=figure(floor=0.5),
    ),
    Fault(
        name="cjk-floor-a-little-low",
        change="The floor of a query with CJK text is 1/3 - 0.003.",
        suffers="A chance match is put into the prompt of a Chinese question now and then.",
        breaks=CJK_FLOOR,
        killed_by=abstention("forty-two-of-a-hundred-and-twenty-seven-tokens-are-too-few"),
        base="filesystem",
        # 42/127 is 1/3 - 0.0026, the nearest share that is too few: 0.002 less changes nothing.
        seed=figure(cjk_floor=FOUNDATION.cjk_floor - 0.003),
    ),
    Fault(
        name="cjk-floor-a-little-high",
        change="The floor of a query with CJK text is 1/3 + 0.002.",
        suffers="A Chinese question in other words loses a memory that answers it.",
        breaks=CJK_FLOOR,
        killed_by=abstention("two-of-six-pairs-are-enough"),
        base="filesystem",
        seed=figure(cjk_floor=FOUNDATION.cjk_floor + 0.002),
    ),
    Fault(
        name="one-floor-for-all",
        change="The floor of a query with CJK text is 0.40, like that of any other.",
        suffers="Chinese questions find less than English ones.",
        breaks=CJK_FLOOR,
        killed_by=abstention("three-of-eight-pairs-are-enough-in-chinese"),
        base="filesystem",
        seed=_floor(lambda query, constants: constants.floor),
    ),
    Fault(
        name="cjk-floor-of-two-sevenths",
        change="The floor of a query with CJK text is 2/7.",
        suffers="A Chinese question is answered by what shares two pairs of seven with it.",
        breaks=CJK_FLOOR,
        killed_by=abstention(
            "two-of-seven-pairs-are-too-few", "a-weak-japanese-or-korean-match-is-refused"
        ),
        base="filesystem",
        seed=figure(cjk_floor=2 / 7),
    ),
    Fault(
        name="cjk-floor-for-most-alone",
        change="A query is a CJK one where most of its characters are.",
        suffers="A Chinese word amid a long English question makes it miss its answer.",
        breaks=CJK_FLOOR,
        killed_by=abstention(
            "one-cjk-character-is-enough-to-be-a-cjk-query",
            "forty-three-of-a-hundred-and-twenty-eight-tokens-are-enough",
        ),
        base="filesystem",
        seed=_floor(_mostly_cjk),
    ),
    Fault(
        name="cjk-looked-for-before-nfkc",
        change="CJK characters are looked for in the query as it was typed.",
        suffers="The same question in half-width katakana finds less.",
        breaks=CJK_FLOOR,
        killed_by=abstention("a-cjk-character-in-any-form-makes-a-cjk-query"),
        base="filesystem",
        seed=_floor(_raw_cjk),
    ),
    Fault(
        name="whatever-is-not-ascii-is-cjk",
        change="A query with any character beyond ASCII gets the floor of CJK text.",
        suffers="An emoji or an accent lets unrelated memories in.",
        breaks=CJK_FLOOR,
        killed_by=abstention("what-only-looks-like-cjk-text-leaves-a-latin-query"),
        base="filesystem",
        seed=_floor(_not_ascii),
    ),
    Fault(
        name="floor-by-the-record",
        change="A record with CJK text gets the floor of CJK text, whatever the query is.",
        suffers="An English question is answered by weakly related Chinese memories.",
        breaks=CJK_FLOOR,
        killed_by=abstention("the-text-of-the-record-makes-no-cjk-query"),
        base="filesystem",
        seed=_passing(_by_record_text),
    ),
    Fault(
        name="floor-itself-is-too-little",
        change="Coverage must be more than the floor instead of as much.",
        suffers="The memory that just answers is dropped.",
        breaks=(*LATIN_FLOOR, *CJK_FLOOR),
        killed_by=abstention("two-of-five-words-are-enough", "two-of-six-pairs-are-enough"),
        base="filesystem",
        seed=_passing(_more_than_the_floor),
    ),
    Fault(
        name="floor-on-the-final-score",
        change="The floor is held against the final score instead of the coverage.",
        suffers="Whatever is recent and important is relevant to everything.",
        breaks=LATIN_FLOOR,
        killed_by=abstention("nine-of-twenty-four-tokens-are-too-few"),
        base="filesystem",
        seed=_passing(_by_score),
    ),
    Fault(
        name="old-gate-in-production",
        change="Every question is judged by the historical gate: any shared token passes.",
        suffers="Any question fills the prompt with memories that have nothing to do with it.",
        breaks=(*WEAK, *OLD_GATE, *UNRELATED),
        killed_by=(
            *abstention(
                "a-question-for-a-password-finds-no-release-notes",
                "a-question-for-a-login-finds-no-database-dumps",
            ),
            *foundation("an-evaluation-uses-the-current-gate-unless-it-says-otherwise"),
            *core("shared-english-function-words-are-no-answer"),
        ),
        base="filesystem",
        seed=stage(gate_for=_old_gate),
    ),
    Fault(
        name="weak-matches-add-up",
        change="Weak matches that together have twice the floor are all let in.",
        suffers="The more a store holds, the more of it is injected for any question.",
        breaks=WEAK,
        killed_by=abstention("two-weak-matches-make-no-strong-one"),
        base="filesystem",
        seed=stage(gate=_weak_add_up),
    ),
    Fault(
        name="the-best-always-passes",
        change="The best candidate is let in, even if it is under the floor.",
        suffers="There is always one memory in the prompt, and often a misleading one.",
        breaks=(*WEAK, *SILENCE),
        killed_by=abstention(
            "a-question-for-a-password-finds-no-release-notes",
            "the-context-keeps-silent-under-the-floor",
        ),
        base="filesystem",
        seed=stage(gate=_best_always),
    ),
    Fault(
        name="fills-up-with-the-latest",
        change="A question without an answer is answered with what was updated last.",
        suffers="Five unrelated memories look like evidence.",
        breaks=(*UNRELATED, *WEAK),
        killed_by=(
            *core("a-made-up-word-finds-nothing", "an-unrelated-chinese-question-finds-nothing"),
            *abstention(
                "a-question-that-shares-no-token-finds-nothing",
                "a-chinese-question-that-shares-no-pair-finds-nothing",
                "a-synonym-without-a-shared-token-is-a-miss",
            ),
        ),
        base="filesystem",
        seed=store(_fills_up),
    ),
    Fault(
        name="context-ignores-the-floor",
        change="Recall has the floor, the context takes whatever shares a token.",
        suffers="The search looks clean, and the prompt is full of chance matches.",
        breaks=SILENCE,
        killed_by=abstention("the-context-keeps-silent-under-the-floor"),
        base="filesystem",
        seed=store(_context_of_any),
    ),
    Fault(
        name="empty-block-is-a-frame",
        change="Where no memory is selected the block says that there is none.",
        suffers="Every prompt pays for a frame around nothing.",
        breaks=SILENCE,
        killed_by=abstention("no-record-leaves-no-block", "an-empty-store-leaves-no-block"),
        base="filesystem",
        seed=layout(frame=_empty_frame),
    ),
    Fault(
        name="user-records-always-pass",
        change="Records of the user pass the gate whatever the question is.",
        suffers="The user's coffee is in the prompt of every build failure.",
        breaks=USERS,
        killed_by=abstention("a-weakly-related-user-record-stays-out"),
        base="filesystem",
        seed=_passing(_users_pass),
    ),
    Fault(
        name="the-user-is-always-introduced",
        change="Each answer and each context has the user's records, related or not.",
        suffers="The user's coffee is in the prompt of every build failure.",
        breaks=USERS,
        killed_by=abstention(
            "an-unrelated-user-record-stays-out",
            "an-unrelated-user-record-stays-out-in-chinese",
            "a-question-for-identity-reaches-the-user-s-fact-alone",
            "the-context-holds-no-unrelated-user-record",
        ),
        base="filesystem",
        seed=store(_introduces_the_user),
    ),
    Fault(
        name="operators-ask-for-every-word",
        change="A query with AND, OR, NOT or NEAR in it asks for every word.",
        suffers="A question that shouts NOT finds nothing.",
        breaks=foundation("tokens-are-words-their-slices-and-cjk-pairs"),
        killed_by=foundation("an-operator-is-a-word-like-any-other"),
        base="filesystem",
        seed=_floor(_and_means_all),
    ),
    # --- hints -----------------------------------------------------------------------------------
    _hint_word("no-hint-favourite", "preference_hints", "favourite", "a preference"),
    _hint_word("no-hint-xiguan", "preference_hints", "习惯", "a preference"),
    _hint_word("no-hint-choice", "decision_hints", "choice", "a decision"),
    _hint_word("no-hint-juece", "decision_hints", "决策", "a decision"),
    _hint_word("no-hint-profile", "identity_hints", "profile", "a fact"),
    _hint_word("no-hint-who-am-i", "identity_hints", "who am i", "a fact"),
    Fault(
        name="hint-too-many",
        change="The word 'want' in a query hints at preferences, too.",
        suffers="Preferences turn up wherever somebody wants something.",
        breaks=HINTS,
        killed_by=abstention("what-only-resembles-a-hint-is-none"),
        base="filesystem",
        seed=figure(preference_hints=(*FOUNDATION.preference_hints, "want")),
    ),
    Fault(
        name="hint-inside-a-word",
        change="A hint is found inside a longer word, too.",
        suffers="'likely' brings every preference into the prompt.",
        breaks=HINTS,
        killed_by=abstention("a-hint-inside-a-longer-word-is-no-hint"),
        base="filesystem",
        seed=stage(hints=_part_of_a_word),
    ),
    Fault(
        name="hint-as-typed",
        change="Hints are looked for without NFKC and lower case.",
        suffers="'Prefer' at the beginning of a sentence is no hint.",
        breaks=HINTS,
        killed_by=abstention("every-word-for-a-preference-is-a-hint"),
        base="filesystem",
        seed=stage(hints=_as_typed),
    ),
    Fault(
        name="only-one-hint",
        change="Of two hints in a query only the first counts.",
        suffers="Asking for preferences and decisions at once finds the preferences.",
        breaks=HINTS,
        killed_by=abstention("two-hints-reach-both-types"),
        base="filesystem",
        seed=stage(hints=_one_hint),
    ),
    Fault(
        name="hinted-tags-are-ignored",
        change="Only the type of a record answers a hint, not its tags.",
        suffers="A preference that was stored as a fact is never found by asking for it.",
        breaks=HINTS,
        killed_by=abstention("a-preference-tag-is-enough", "every-tag-for-a-hint-is-enough"),
        base="filesystem",
        seed=stage(hints=_no_tags),
    ),
    Fault(
        name="any-hint-takes-any-tag",
        change="A hint is answered by the tags of every other hint, too.",
        suffers="A question for a decision brings in the user's identity.",
        breaks=HINTS,
        killed_by=abstention("a-tag-for-another-hint-is-not-enough"),
        base="filesystem",
        seed=stage(hints=_all_tags),
    ),
    Fault(
        name="identity-without-relationships",
        change="A question for identity hints at facts, not at relationships.",
        suffers="'Who am I?' doesn't reach whom the user is related to.",
        breaks=HINTS,
        killed_by=abstention("a-chinese-question-for-identity-reaches-a-relationship"),
        base="filesystem",
        seed=stage(hints=_facts_alone),
    ),
    Fault(
        name="hint-does-not-pass",
        change="The gate asks for coverage of a record of the hinted type, too.",
        suffers="'What is my name?' finds nothing, since the memory doesn't say 'name'.",
        breaks=HINTS,
        killed_by=abstention(
            "a-question-for-my-name-reaches-a-fact-in-other-words",
            "a-question-for-a-preference-reaches-the-preference-alone",
        ),
        base="filesystem",
        seed=_passing(_floor_for_all),
    ),
    Fault(
        name="half-an-affinity",
        change="The type affinity of a hinted record is 0.5 instead of 1.",
        suffers="What was asked for by its type comes after what wasn't.",
        breaks=HINTS,
        killed_by=abstention("a-hinted-record-is-ranked-like-any-other"),
        base="filesystem",
        seed=stage(features=_half_affinity),
    ),
    # --- the old gate ----------------------------------------------------------------------------
    Fault(
        name="old-gate-for-anyone",
        change="The historical gate may be asked for in production.",
        suffers="A caller can switch the relevance floor off.",
        breaks=OLD_GATE,
        killed_by=foundation("the-historical-gate-is-refused-in-production"),
        base="filesystem",
        seed=store(_refuses_no_gate),
    ),
    Fault(
        name="evaluation-means-the-old-gate",
        change="A store for evaluation uses the historical gate unless another one is named.",
        suffers="An evaluation measures another gate than production has.",
        breaks=OLD_GATE,
        killed_by=foundation("an-evaluation-uses-the-current-gate-unless-it-says-otherwise"),
        base="filesystem",
        seed=store(_old_unless_named),
    ),
    Fault(
        name="old-gate-is-the-new-one",
        change="The historical gate has the floors of the current one.",
        suffers="Old evidence can't be reproduced.",
        breaks=OLD_GATE,
        killed_by=(
            *foundation("an-evaluation-uses-the-current-gate-unless-it-says-otherwise"),
            *abstention(
                "the-weak-match-of-the-password-question-is-what-the-old-gate-let-in",
                "the-weak-match-of-the-login-question-is-what-the-old-gate-let-in",
            ),
        ),
        base="filesystem",
        seed=stage(gate_for=_never_old),
    ),
    Fault(
        name="naming-the-current-gate-finds-nothing",
        change="A recall that names the current gate is answered with nothing.",
        suffers="Whoever says what is meant anyway gets no answer.",
        breaks=OLD_GATE,
        killed_by=foundation("the-current-gate-may-be-named-anywhere"),
        base="filesystem",
        seed=store(_refuses_the_current),
    ),
)
