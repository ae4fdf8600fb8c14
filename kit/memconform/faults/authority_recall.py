"""Faults of the authority store: terms, places, rank, capsules, candidates, and what is learned."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from memconform.authority import AUTHORITY, DESIGN, Constants, query_terms
from memconform.authority.design import Design
from memconform.authority.learning import Run, learned_terms
from memconform.authority.places import GLOBAL
from memconform.authority.ranking import Candidate, Ranked, capsules, ranked
from memconform.authority.script import simplified
from memconform.authority.synonyms import SYNONYMS
from memconform.authority.terms import ALIAS, STOP_WORDS, WORDING, groups_of, has_cjk
from memconform.faults.authority_seams import (
    Store,
    Tables,
    authority_fault,
    boost,
    capsules_of,
    figure,
    part,
    ranked_by,
    ranking,
    store,
    tables,
    wording,
)
from memconform.faults.fault import Fault, Mark, ids
from memconform.model import Access, RecordDraft
from memconform.model.authority import FeedbackResult
from memconform.protocol import System
from memconform.reference.authority import AuthorityStore, factory
from memconform.reference.authority_schema import index_claim
from memconform.reference.authority_tables import ClaimDatabase
from memconform.reference.system import DEFAULT_WORKSPACE
from memconform.retrieval.times import milliseconds

TERMS = ids("claim-recall", "claims-and-questions-have-the-same-terms")
SYNONYM = ids("claim-recall", "synonyms-meet-across-languages")
PLACE = ids("claim-recall", "a-place-is-a-key")
RANK = ids("claim-recall", "rank-adds-five-parts")
CAPSULE = ids("claim-recall", "trusted-capsules-need-no-shared-word")
CANDIDATE = ids("claim-recall", "every-candidate-gets-a-decision")
LEARNT = ids("claim-recall", "what-helped-is-found-by-a-paraphrase")

SHARE = "relevance-is-the-share-of-the-question-s-terms"
SCRIPTS = "traditional-and-simplified-characters-find-each-other"
BY_HAND = "the-rank-can-be-added-up-by-hand"


def _recall(*slugs: str) -> tuple[str, ...]:
    return ids("claim-recall", *slugs)


# --- terms -----------------------------------------------------------------------------------


def _no_nfkc(text: str) -> str:
    return simplified(text.lower())


def _no_case(text: str) -> str:
    return simplified(unicodedata.normalize("NFKC", text))


def _no_conversion(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _as_it_is(normalise: Callable[[str], str]) -> Any:
    """Seeds another spelling of questions. What takes their secrets out has its own, too."""
    made = partial(query_terms, wording=replace(WORDING, normalise=normalise))
    return part(query_terms=made, redacted=lambda text: text)


def _each_time(query: str, constants: Constants = AUTHORITY) -> tuple[str, ...]:
    words = re.findall(r"\w+", query.lower())
    terms = list(query_terms(query, constants))
    return tuple(t for t in terms for _ in range(max(1, words.count(t))))


def _with_punctuation(query: str, constants: Constants = AUTHORITY) -> tuple[str, ...]:
    marked = [word.lower() for word in query.split() if re.search(r"\w[,;:?!]", word)]
    return tuple(marked) or query_terms(query, constants)


def _single_characters(*texts: Any) -> tuple[str, ...]:
    joined = "\n".join([texts[0], *(texts[1] if len(texts) > 2 else ())])
    text = _no_conversion(simplified(joined))
    words = [w for w in re.findall(r"[a-z0-9_]{2,}", text) if w not in STOP_WORDS]
    return tuple(dict.fromkeys([*words, *(c for c in text if has_cjk(c))]))


def _share_of_the_claim(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Takes as relevance the share of the claim's terms that were asked."""

        def triggered(self, terms: Sequence[str], *more: Any) -> list[Candidate]:
            mark()
            candidates = []
            for each in super().triggered(terms, *more):
                claim = self.find(each.id)
                assert claim is not None
                matched = each.lexical * len(terms)
                candidates.append(replace(each, lexical=matched / len(claim[0].terms)))
            return candidates

    return Changed


def _no_tags(content: str, tags: Any = (), constants: Constants = AUTHORITY) -> tuple[str, ...]:
    return DESIGN.claim_terms(content, (), constants)


_TERMS = (
    authority_fault(
        name="questions-are-not-in-one-form",
        change="The terms of a question aren't brought into NFKC.",
        suffers="What was typed on a Japanese keyboard finds nothing.",
        breaks=TERMS,
        killed_by=_recall(SHARE, "a-word-in-capitals-is-found"),
        seed=_as_it_is(_no_nfkc),
    ),
    authority_fault(
        name="questions-keep-their-case",
        change="The terms of a question keep their capital letters.",
        suffers="A question that begins with the word finds nothing.",
        breaks=TERMS,
        killed_by=_recall("a-word-in-capitals-is-found"),
        seed=wording(of_claims=False, normalise=_no_case),
    ),
    authority_fault(
        name="claims-keep-their-case",
        change="The terms of a claim keep their capital letters.",
        suffers="The first word of each claim is lost.",
        breaks=TERMS,
        killed_by=_recall("a-word-in-capitals-is-found"),
        seed=wording(of_questions=False, normalise=_no_case),
    ),
    authority_fault(
        name="questions-are-not-simplified",
        change="Traditional characters of a question stay as they are.",
        suffers="Who writes in Taiwan doesn't find what was noted in Beijing.",
        breaks=TERMS,
        killed_by=_recall(SCRIPTS),
        seed=wording(of_claims=False, normalise=_no_conversion),
    ),
    authority_fault(
        name="claims-are-not-simplified",
        change="Traditional characters of a claim stay as they are.",
        suffers="Who writes in Beijing doesn't find what was noted in Taiwan.",
        breaks=TERMS,
        killed_by=_recall(SCRIPTS),
        seed=wording(of_questions=False, normalise=_no_conversion),
    ),
    authority_fault(
        name="stop-words-are-asked",
        change="Stop words of a question are terms.",
        suffers="A polite question is too vague for what it asks.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=wording(of_claims=False, stop_words=frozenset()),
    ),
    authority_fault(
        name="stop-words-find-claims",
        change="Stop words are terms of questions and claims.",
        suffers="'Where is the' brings whatever holds an article.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=wording(stop_words=frozenset()),
    ),
    authority_fault(
        name="stop-characters-are-asked",
        change="Pairs that hold a stop character are terms of a question.",
        suffers="A Chinese sentence in full is too vague for what it asks.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=wording(of_claims=False, stop_characters=frozenset()),
    ),
    authority_fault(
        name="single-letters-are-asked",
        change="A word of one letter is a term.",
        suffers="A stray letter halves the relevance of what is asked.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=figure(least_word=1),
    ),
    authority_fault(
        name="two-letters-are-no-word",
        change="A word of two letters is no term.",
        suffers="Nothing that was said of vi or Go is ever found.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=figure(least_word=3),
    ),
    authority_fault(
        name="a-word-asked-twice-counts-twice",
        change="Each time that a word stands in a question counts.",
        suffers="Who insists on a word drowns the others.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=part(query_terms=_each_time),
    ),
    authority_fault(
        name="punctuation-sticks-to-words",
        change="A word of a question keeps the comma that follows it.",
        suffers="What a claim learns is a word with a comma, which nobody asks again.",
        breaks=(*TERMS, *ids("claim-audit", "a-run-keeps-no-prompt")),
        killed_by=ids("claim-audit", "a-retrieval-is-kept-as-a-hash-and-terms"),
        seed=part(query_terms=_with_punctuation),
    ),
    authority_fault(
        name="relevance-is-the-share-of-the-claim",
        change="Relevance is the share of the claim's terms that were asked.",
        suffers="A long claim is never relevant, and a short one always.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=tables(_share_of_the_claim),
    ),
    authority_fault(
        name="characters-one-by-one",
        change="Chinese is taken character by character.",
        suffers="A question about an airport finds the harbour, since both have a mouth.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=part(claim_terms=_single_characters, query_terms=_single_characters),
    ),
    authority_fault(
        name="only-chinese-is-taken-in-pairs",
        change="Korean and Japanese syllables are taken as whole words.",
        suffers="A Korean word with its particle isn't found by the word.",
        breaks=TERMS,
        killed_by=_recall(SHARE),
        seed=wording(cjk_run=re.compile("[\u3400-\u9fff]+")),
    ),
    authority_fault(
        name="tags-are-no-terms",
        change="The tags of a claim aren't among its terms.",
        suffers="What was tagged can't be found by its tag.",
        breaks=TERMS,
        killed_by=_recall("a-claim-is-found-by-its-tags"),
        seed=part(claim_terms=_no_tags),
    ),
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=TERMS,
            killed_by=_recall(killer),
            seed=figure(**{field: value}),
        )
        for name, change, suffers, killer, field, value in (
            (
                "twenty-three-terms-are-asked",
                "A question has at most 23 terms.",
                "The last word of a long question is the one that counts, and is dropped.",
                "at-most-24-terms-are-asked",
                "query_term_limit",
                23,
            ),
            (
                "twenty-five-terms-are-asked",
                "A question has at most 25 terms.",
                "A long question is less relevant than elsewhere.",
                "at-most-24-terms-are-asked",
                "query_term_limit",
                25,
            ),
            (
                "a-claim-has-seventy-nine-terms",
                "A claim has at most 79 terms.",
                "The end of a long claim isn't found.",
                "a-claim-has-at-most-80-terms",
                "claim_term_limit",
                79,
            ),
            (
                "a-claim-has-eighty-one-terms",
                "A claim has at most 81 terms.",
                "An index is larger than the design says.",
                "a-claim-has-at-most-80-terms",
                "claim_term_limit",
                81,
            ),
        )
    ),
)


# --- synonyms --------------------------------------------------------------------------------

_LATIN = {name: [m for m in members if not has_cjk(m)] for name, members in SYNONYMS.items()}
_CJK = {name: [m for m in members if has_cjk(m)] for name, members in SYNONYMS.items()}


def _in_place_of_the_word(terms: Callable[..., tuple[str, ...]]) -> Callable[..., tuple[str, ...]]:
    """Terms without the words that a synonym stands for."""

    def instead(*args: Any) -> tuple[str, ...]:
        made = terms(*args)
        groups = {term.removeprefix(ALIAS) for term in made if term.startswith(ALIAS)}
        folded = {member for name in groups for member in SYNONYMS[name]}
        return tuple(term for term in made if term not in folded)

    return instead


_SYNONYMS = (
    authority_fault(
        name="no-synonym-is-known",
        change="No two words mean one thing.",
        suffers="Who notes in English and asks in Chinese finds nothing.",
        breaks=SYNONYM,
        killed_by=_recall("a-word-in-the-other-language-finds-the-claim"),
        seed=wording(groups=()),
    ),
    authority_fault(
        name="only-english-synonyms",
        change="The groups of synonyms hold their English members only.",
        suffers="A Chinese question finds nothing that was noted in English.",
        breaks=SYNONYM,
        killed_by=_recall("a-word-in-the-other-language-finds-the-claim"),
        seed=wording(groups=groups_of(_LATIN)),
    ),
    authority_fault(
        name="only-chinese-synonyms",
        change="The groups of synonyms hold their Chinese members only.",
        suffers="An English question finds nothing that was noted in Chinese.",
        breaks=SYNONYM,
        killed_by=_recall("a-word-in-the-other-language-finds-the-claim"),
        seed=wording(groups=groups_of(_CJK)),
    ),
    authority_fault(
        name="claims-know-no-synonym",
        change="Synonyms are looked up for questions and not for claims.",
        suffers="The bridge between two languages ends in the middle.",
        breaks=SYNONYM,
        killed_by=_recall("a-word-in-the-other-language-finds-the-claim"),
        seed=wording(of_questions=False, groups=()),
    ),
    authority_fault(
        name="a-synonym-replaces-its-word",
        change="The term of a group of synonyms stands in the place of the word.",
        suffers="The very word that was asked counts no more than any other of its group.",
        breaks=SYNONYM,
        killed_by=_recall("a-synonym-counts-beside-its-word"),
        seed=part(
            claim_terms=_in_place_of_the_word(DESIGN.claim_terms),
            query_terms=_in_place_of_the_word(DESIGN.query_terms),
        ),
    ),
)


# --- places ----------------------------------------------------------------------------------


def _keys(change: Callable[[AuthorityStore, list[str], Access], list[str]]) -> Any:
    """Seeds which places a caller sees."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Sees other places."""

            def _keys(self, access: Access) -> list[str]:
                right = super()._keys(access)
                changed = change(self, right, access)
                if changed != right:
                    mark()
                return changed

        return Changed

    return store(make)


def _every_session(asked: AuthorityStore, keys: list[str], access: Access) -> list[str]:
    rows = asked._open_database()._db.execute(
        "SELECT DISTINCT scope_key FROM claims WHERE scope = 'session' ORDER BY scope_key"
    )
    return [*keys, *(key for (key,) in rows if key not in keys)]


def _no_session(asked: AuthorityStore, keys: list[str], access: Access) -> list[str]:
    return [key for key in keys if not key.startswith("session:")]


def _global_at_home(asked: AuthorityStore, keys: list[str], access: Access) -> list[str]:
    home = access.workspace in (None, DEFAULT_WORKSPACE)
    return keys if home else [key for key in keys if key != GLOBAL]


def _paths(change: Callable[[str], str]) -> Any:
    """Seeds what is taken for the path of a workspace, in writing and asking alike."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Takes its paths otherwise."""

            def _placed(self, draft: RecordDraft) -> RecordDraft:
                placed = super()._placed(draft)
                if placed.workspace is None:
                    return placed
                mark()
                return msgspec.structs.replace(placed, workspace=change(placed.workspace))

            def _place(self, access: Access) -> Access:
                place = super()._place(access)
                if place.workspace is None:
                    return place
                mark()
                return msgspec.structs.replace(place, workspace=change(place.workspace))

        return Changed

    return store(make)


def _as_typed(path: str) -> str:
    return "/" + hashlib.sha256(path.encode()).hexdigest()


def _first_folder(path: str) -> str:
    return str(Path(*PurePosixPath(path).parts[:2]))


def _placing(change: Callable[[RecordDraft], RecordDraft]) -> Any:
    """Seeds where a claim is put."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Puts claims elsewhere."""

            def _placed(self, draft: RecordDraft) -> RecordDraft:
                changed = change(draft)
                if changed != draft:
                    mark()
                return super()._placed(changed)

        return Changed

    return store(make)


def _inferred(draft: RecordDraft) -> bool:
    return bool(draft.sources) and draft.sources[0].trust == "inferred"


def _global_unless_said(draft: RecordDraft) -> RecordDraft:
    if draft.scope is not None or _inferred(draft):
        return draft
    return msgspec.structs.replace(draft, scope="global")


def _guess_moves_home(draft: RecordDraft) -> RecordDraft:
    if draft.scope != "global" or not _inferred(draft):
        return draft
    return msgspec.structs.replace(draft, scope="workspace")


def _some_session(draft: RecordDraft) -> RecordDraft:
    if draft.scope != "session" or draft.session:
        return draft
    return msgspec.structs.replace(draft, session="unknown")


def _rekeyed(change: Callable[[str], str]) -> Any:
    """Seeds the spelling of the keys, in writing and asking alike."""

    def make(mark: Mark) -> type[AuthorityStore]:
        class Changed(Store):
            """Spells its keys otherwise."""

            def _add(self, database: ClaimDatabase, claim: Any) -> Any:
                mark()
                return super()._add(database, replace(claim, scope_key=change(claim.scope_key)))

            def _keys(self, access: Access) -> list[str]:
                return [change(key) for key in super()._keys(access)]

        return Changed

    return store(make)


def _hashed_session(key: str) -> str:
    if not key.startswith("session:"):
        return key
    return "session:" + hashlib.sha256(key.encode()).hexdigest()[:24]


def _paths_for_keys(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Takes the path itself for the key."""

        _path: str | None = None

        def _placed(self, draft: RecordDraft) -> RecordDraft:
            placed = super()._placed(draft)
            self._path = placed.workspace
            return placed

        def _add(self, database: ClaimDatabase, claim: Any) -> Any:
            mark()
            if claim.scope == "workspace":
                claim = replace(claim, scope_key=f"workspace:{self._path}")
            return super()._add(database, claim)

        def _keys(self, access: Access) -> list[str]:
            place = self._place(access)
            return [*super()._keys(access), f"workspace:{place.workspace}"]

    return Changed


def _paths_in_runs(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Keeps of a question the path that it was asked from."""

        def _audited(self, database: ClaimDatabase, *, access: Access, **more: Any) -> str | None:
            message = super()._audited(database, access=access, **more)
            mark()
            database._db.execute(
                "UPDATE retrieval_runs SET workspace_key = ?"
                " WHERE number = (SELECT max(number) FROM retrieval_runs)",
                (self._place(access).workspace,),
            )
            return message

    return Changed


_PLACES = (
    authority_fault(
        name="sessions-are-open",
        change="A claim of a session is found from every session, and from none.",
        suffers="What was said for one conversation turns up in the next one.",
        breaks=PLACE,
        killed_by=_recall("a-claim-of-a-session-stays-in-its-session"),
        seed=_keys(_every_session),
    ),
    authority_fault(
        name="sessions-are-write-only",
        change="A claim of a session is stored and never found.",
        suffers="What was agreed a minute ago is forgotten.",
        breaks=PLACE,
        killed_by=_recall("a-claim-of-a-session-stays-in-its-session"),
        seed=_keys(_no_session),
    ),
    authority_fault(
        name="global-is-the-default-place",
        change="A global claim is found from the default workspace only.",
        suffers="A preference that holds everywhere holds nowhere but at home.",
        breaks=PLACE,
        killed_by=_recall("a-global-claim-is-found-from-everywhere"),
        seed=_keys(_global_at_home),
    ),
    authority_fault(
        name="workspaces-by-their-spelling",
        change="The key of a workspace is made of its path as it was typed.",
        suffers="A trailing slash makes another workspace of it.",
        breaks=PLACE,
        killed_by=_recall("a-claim-of-a-workspace-stays-in-its-workspace"),
        seed=_paths(_as_typed),
    ),
    authority_fault(
        name="workspaces-by-their-first-folder",
        change="The key of a workspace is made of the first folder of its path.",
        suffers="Every client below one folder shares one memory.",
        breaks=PLACE,
        killed_by=_recall("a-claim-of-a-workspace-stays-in-its-workspace"),
        seed=_paths(_first_folder),
    ),
    authority_fault(
        name="claims-are-global-unless-said",
        change="A claim without a scope is global.",
        suffers="What was said in one project is known in all.",
        breaks=PLACE,
        killed_by=_recall("a-claim-without-a-scope-is-not-global"),
        seed=_placing(_global_unless_said),
    ),
    authority_fault(
        name="global-guesses-are-moved",
        change="A guess that is written as global is put into the workspace.",
        suffers="The caller believes in a global claim that nobody else finds.",
        breaks=PLACE,
        killed_by=_recall("a-guess-is-never-global"),
        seed=_placing(_guess_moves_home),
    ),
    authority_fault(
        name="nameless-sessions-are-one",
        change="Claims of a session without a name share one.",
        suffers="Two conversations that forgot to say who they are read each other.",
        breaks=PLACE,
        killed_by=_recall("a-claim-of-a-session-names-it"),
        seed=_placing(_some_session),
    ),
    authority_fault(
        name="keys-are-paths",
        change="The key of a workspace is its path.",
        suffers="A copy of the database shows the folders of its owner.",
        breaks=PLACE,
        killed_by=_recall("a-key-shows-no-path"),
        seed=store(_paths_for_keys),
    ),
    authority_fault(
        name="runs-keep-the-path",
        change="A run keeps the path that was asked from, instead of its key.",
        suffers="The audit shows the folders of its owner.",
        breaks=PLACE,
        killed_by=_recall("a-key-shows-no-path"),
        seed=store(_paths_in_runs),
    ),
    authority_fault(
        name="keys-of-sixteen-digits",
        change="The key of a workspace has 16 digits of its hash.",
        suffers="Another program that knows the design doesn't find the workspace.",
        breaks=PLACE,
        killed_by=_recall("a-key-shows-no-path"),
        seed=_rekeyed(lambda key: key[:26] if key.startswith("workspace:") else key),
    ),
    authority_fault(
        name="sessions-are-hashed",
        change="The key of a session holds a hash of its id.",
        suffers="Nobody can delete the claims of a session whose id is known.",
        breaks=PLACE,
        killed_by=_recall("a-key-names-its-session"),
        seed=_rekeyed(_hashed_session),
    ),
)


# --- rank ------------------------------------------------------------------------------------


def _age_from_the_creation(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Counts the age of a claim from its creation."""

        def triggered(self, *args: Any) -> list[Candidate]:
            mark()
            candidates = []
            for each in super().triggered(*args):
                claim = self.find(each.id)
                assert claim is not None
                candidates.append(replace(each, updated_at=claim[0].created_at))
            return candidates

    return Changed


def _with_freshness(of: Callable[[str, str, Constants], float]) -> Any:
    def rank(candidate: Candidate, now: str, constants: Constants) -> Ranked:
        known = ranked(candidate, now, constants)
        fresh = of(candidate.updated_at, now, constants)
        more = constants.freshness_weight * (fresh - known.freshness)
        return replace(known, freshness=fresh, rank=round(known.rank + more, 9))

    return ranked_by(rank)


def _from_the_future(updated: str, now: str, constants: Constants) -> float:
    age = (milliseconds(now) or 0) - (milliseconds(updated) or 0)
    return float(2 ** (-age / 86_400_000 / constants.half_life_days))


def _in_a_straight_line(updated: str, now: str, constants: Constants) -> float:
    age = max(0, (milliseconds(now) or 0) - (milliseconds(updated) or 0)) / 86_400_000
    return max(0.0, 1 - age / (2 * constants.half_life_days))


def _by_what_was_matched(candidate: Candidate, now: str, constants: Constants) -> Ranked:
    known = ranked(candidate, now, constants)
    less = constants.lexical_weight * (known.relevance - candidate.lexical)
    return replace(known, rank=round(known.rank - less, 9))


def _without_belief(candidate: Candidate, now: str, constants: Constants) -> Ranked:
    known = ranked(candidate, now, constants)
    less = constants.belief_weight * candidate.belief.score
    return replace(known, rank=round(known.rank - less, 9))


def _newest_first(everything: tuple[Ranked, ...]) -> list[Ranked]:
    return sorted(everything, key=lambda r: r.candidate.updated_at, reverse=True)


def _farthest_first(everything: tuple[Ranked, ...]) -> list[Ranked]:
    far = {"global": 0, "workspace": 1, "session": 2}
    return sorted(everything, key=lambda r: far[r.candidate.scope])


def _oldest_of_equals(everything: tuple[Ranked, ...]) -> list[Ranked]:
    return sorted(everything, key=lambda r: (-r.rank, r.candidate.updated_at, r.candidate.id))


def _last_id_of_equals(everything: tuple[Ranked, ...]) -> list[Ranked]:
    by_id = sorted(everything, key=lambda r: r.candidate.id, reverse=True)
    return sorted(by_id, key=lambda r: (-r.rank, -(milliseconds(r.candidate.updated_at) or 0)))


_FIGURES: tuple[tuple[str, str, str, str, Any], ...] = (
    (
        "words-weigh-a-little-less",
        "What was matched weighs 0.61 in the rank.",
        "Of two claims the newer one wins where the better match should.",
        BY_HAND,
        figure(lexical_weight=0.61),
    ),
    (
        "belief-weighs-a-little-more",
        "Belief weighs 0.24 in the rank.",
        "What is believed comes before what was asked.",
        BY_HAND,
        figure(belief_weight=0.24),
    ),
    (
        "freshness-weighs-a-little-less",
        "Freshness weighs 0.14 in the rank.",
        "Of two claims the older one comes first.",
        BY_HAND,
        figure(freshness_weight=0.14),
    ),
    (
        "session-boost-a-little-low",
        "A claim of the session is raised by 0.07.",
        "What was just agreed comes behind what held before.",
        BY_HAND,
        boost("session", 0.07),
    ),
    (
        "workspace-boost-a-little-high",
        "A claim of the workspace is raised by 0.06.",
        "A rule of the project comes before what was just agreed.",
        BY_HAND,
        boost("workspace", 0.06),
    ),
    (
        "global-claims-are-raised",
        "A global claim is raised by 0.01.",
        "What holds everywhere comes before what holds here.",
        BY_HAND,
        boost("global", 0.01),
    ),
    (
        "capsule-boost-a-little-low",
        "A capsule is raised by 0.11.",
        "A preference that holds for every question is crowded out by facts.",
        BY_HAND,
        figure(capsule_boost=0.11),
    ),
    (
        "a-half-life-of-179-days",
        "Freshness halves every 179 days.",
        "Claims are stale a day or two too soon.",
        "freshness-halves-every-180-days",
        figure(half_life_days=179.0),
    ),
    (
        "a-half-life-of-181-days",
        "Freshness halves every 181 days.",
        "Claims are used a day or two too long.",
        "freshness-halves-every-180-days",
        figure(half_life_days=181.0),
    ),
    (
        "the-future-is-fresher",
        "A claim that is dated in the future has a freshness above 1.",
        "A computer whose clock is wrong writes what nothing can outrank.",
        "freshness-halves-every-180-days",
        _with_freshness(_from_the_future),
    ),
    (
        "freshness-fades-in-a-straight-line",
        "Freshness falls in a straight line to nothing within 360 days.",
        "What was said a year ago is worth nothing overnight.",
        "freshness-halves-every-180-days",
        _with_freshness(_in_a_straight_line),
    ),
    (
        "age-counts-from-the-creation",
        "The age of a claim counts from its creation.",
        "What was confirmed last week is as stale as on its first day.",
        "freshness-counts-from-the-last-update",
        tables(_age_from_the_creation),
    ),
    (
        "capsules-rank-by-what-was-matched",
        "The relevance that a capsule is given doesn't count in its rank.",
        "A preference that holds for every question comes behind every fact.",
        BY_HAND,
        ranked_by(_by_what_was_matched),
    ),
    (
        "belief-is-no-part-of-the-rank",
        "The rank leaves out the belief.",
        "What was reported as stale comes before what has helped.",
        "what-helped-comes-first",
        ranked_by(_without_belief),
    ),
    (
        "the-newest-claim-comes-first",
        "Claims come by their date, the newest first.",
        "The answer to a question is whatever was said last.",
        "the-better-match-comes-first",
        ranking(_newest_first),
    ),
    (
        "the-farthest-place-comes-first",
        "Global claims come before those of the workspace, and these before the session's.",
        "What holds in general hides the exception that was made here.",
        "the-nearer-place-comes-first",
        ranking(_farthest_first),
    ),
    (
        "of-equal-rank-the-older-first",
        "Of two claims with one rank the older comes first.",
        "What was said again is shown behind what it repeats.",
        "of-equal-rank-the-newer-comes-first",
        ranking(_oldest_of_equals),
    ),
    (
        "of-equal-rank-the-last-id-first",
        "Of two claims with one rank and date the greater id comes first.",
        "Two stores of one design show the same claims in two orders.",
        "of-equal-rank-the-newer-comes-first",
        ranking(_last_id_of_equals),
    ),
)

_RANKS = tuple(
    authority_fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=RANK,
        killed_by=_recall(killer),
        seed=seed,
    )
    for name, change, suffers, killer, seed in _FIGURES
)


# --- capsules --------------------------------------------------------------------------------


def _capsules(change: Callable[[list[Candidate]], Sequence[Candidate]]) -> Any:
    """Seeds which of the trusted claims come, given all of them in the right order."""

    def chosen(candidates: Any, constants: Constants = AUTHORITY) -> tuple[Candidate, ...]:
        every = capsules(candidates, replace(constants, capsule_limit=100))
        return tuple(change(list(every))[: constants.capsule_limit])

    return part(capsules=chosen)


def _trusting(**changes: Any) -> Any:
    """Seeds other thresholds for capsules alone, in the database and in the choice."""
    policy = msgspec.structs.replace(AUTHORITY.decision, **changes)
    other = replace(AUTHORITY, decision=policy)

    class Changed(Tables):
        """Trusts otherwise."""

        def global_capsules(self, terms: Any, now: str) -> list[Candidate]:
            right, self._design = self._design, replace(self._design, constants=other)
            try:
                return super().global_capsules(terms, now)
            finally:
                self._design = right

    def seed(mark: Mark) -> System:
        chosen = mark.on(lambda candidates, constants: capsules(candidates, other))
        design = replace(DESIGN, capsules=chosen)
        return factory(design, type("Store", (Store,), {"tables": Changed}))

    return seed


def _of_any_kind(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Takes a fact for a preference."""

        def global_capsules(self, terms: Any, now: str) -> list[Candidate]:
            mark()
            self._db.execute("UPDATE claims SET kind = 'constraint_' WHERE kind = 'constraint'")
            self._db.execute("UPDATE claims SET kind = 'constraint' WHERE kind = 'fact'")
            facts = super().global_capsules(terms, now)
            self._db.execute("UPDATE claims SET kind = 'fact' WHERE kind = 'constraint'")
            self._db.execute("UPDATE claims SET kind = 'constraint' WHERE kind = 'constraint_'")
            right = super().global_capsules(terms, now)
            known = {each.id for each in right}
            return [*right, *(each for each in facts if each.id not in known)]

    return Changed


def _of_any_place(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Takes each preference of the caller's places for a global one."""

        def _candidates(
            self, database: ClaimDatabase, terms: Any, access: Access, now: str
        ) -> Sequence[Any]:
            mark()
            keys = json.dumps(self._keys(access))
            rows = database._db.execute(
                "SELECT number, scope, scope_key FROM claims"
                " WHERE scope_key IN (SELECT value FROM json_each(?)) AND kind = 'preference'",
                (keys,),
            ).fetchall()
            database._db.executemany(
                "UPDATE claims SET scope = 'global', scope_key = 'global' WHERE number = ?",
                [(number,) for number, *_ in rows],
            )
            found = super()._candidates(database, terms, access, now)
            database._db.executemany(
                "UPDATE claims SET scope = ?, scope_key = ? WHERE number = ?",
                [(scope, key, number) for number, scope, key in rows],
            )
            return found

    return Changed


def _trigger_wins(
    from_capsules: Any, from_triggers: Any, now: str, constants: Constants = AUTHORITY
) -> tuple[Ranked, ...]:
    triggers = list(from_triggers)
    known = {each.id for each in triggers}
    rest = [each for each in from_capsules if each.id not in known]
    return DESIGN.merged(rest, triggers, now, constants)


_CAPSULES = (
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=CAPSULE,
            killed_by=_recall(*killers),
            seed=seed,
        )
        for name, change, suffers, killers, seed in (
            (
                "one-capsule-comes",
                "At most one capsule comes.",
                "The second rule of the house is forgotten.",
                ("a-global-preference-comes-with-any-question", "at-most-two-capsules-come"),
                figure(capsule_limit=1),
            ),
            (
                "three-capsules-come",
                "At most three capsules come.",
                "Every answer is filled with preferences.",
                ("at-most-two-capsules-come",),
                figure(capsule_limit=3),
            ),
            (
                "capsule-relevance-a-little-low",
                "The least relevance of a capsule is 0.34.",
                "A preference comes behind a fact that it should precede.",
                ("a-capsule-has-a-relevance-of-its-own",),
                figure(capsule_relevance=0.34),
            ),
            (
                "capsules-have-one-relevance",
                "The relevance of a capsule is 0.35, whatever was matched.",
                "A preference that answers the question comes behind others.",
                ("a-capsule-has-a-relevance-of-its-own",),
                part(
                    capsules=lambda *args: tuple(
                        replace(each, lexical=min(0.35, each.lexical)) for each in capsules(*args)
                    )
                ),
            ),
            (
                "a-capsule-needs-a-shared-word",
                "A capsule comes only where it shares a term with the question.",
                "'Answer briefly' is heeded only by who asks about brevity.",
                ("a-global-preference-comes-with-any-question",),
                _capsules(lambda every: [each for each in every if each.lexical > 0]),
            ),
            (
                "constraints-are-no-capsules",
                "Only preferences come as capsules.",
                "'Never push on Friday' is heeded only by who mentions Friday.",
                ("a-global-preference-comes-with-any-question",),
                _capsules(lambda every: [each for each in every if each.kind == "preference"]),
            ),
            (
                "facts-are-capsules",
                "A global fact comes as a capsule, too.",
                "Every answer begins with a fact that nobody asked for.",
                ("a-global-preference-comes-with-any-question",),
                tables(_of_any_kind),
            ),
            (
                "preferences-of-a-workspace-are-capsules",
                "A preference of the workspace or the session comes as a capsule, too.",
                "A hundred small preferences of a project fight for two places.",
                ("a-preference-of-a-workspace-is-no-capsule",),
                store(_of_any_place),
            ),
            (
                "capsules-in-any-order-of-belief",
                "Of the trusted claims the least believed come.",
                "What has helped most is what is left out.",
                ("at-most-two-capsules-come",),
                _capsules(lambda every: sorted(every, key=lambda each: each.belief.score)),
            ),
            (
                "the-oldest-capsules-come",
                "Of equally believed capsules the oldest come.",
                "A preference that was said last is outweighed by two old ones.",
                ("of-equal-belief-the-newest-capsules-come",),
                _capsules(
                    lambda every: sorted(every, key=lambda e: (-e.belief.score, e.updated_at))
                ),
            ),
            (
                "the-last-ids-are-capsules",
                "Of capsules of one belief and date those with the greatest ids come.",
                "Two stores of one design follow different rules.",
                ("of-equal-belief-and-date-the-smallest-ids-come",),
                _capsules(
                    lambda every: sorted(
                        sorted(every, key=lambda e: e.id, reverse=True),
                        key=lambda e: (-e.belief.score, -(milliseconds(e.updated_at) or 0)),
                    )
                ),
            ),
            (
                "doubted-preferences-are-capsules",
                "A capsule needs a belief of 0.5.",
                "A preference that was contradicted rules every answer.",
                ("a-doubted-preference-is-no-capsule",),
                _trusting(use_belief=0.5),
            ),
            (
                "a-capsule-needs-less-than-the-threshold",
                "A capsule needs a belief of 0.66.",
                "A preference that is out of date rules every answer.",
                ("the-belief-of-a-capsule-begins-at-its-threshold",),
                _trusting(use_belief=0.66),
            ),
            (
                "a-capsule-needs-more-than-the-threshold",
                "A belief at the threshold of use is too little for a capsule.",
                "A preference with seven voices of ten is forgotten.",
                ("the-belief-of-a-capsule-begins-at-its-threshold",),
                _trusting(use_belief=0.7 + 1e-9),
            ),
            (
                "expired-preferences-are-capsules",
                "A capsule that has expired still comes.",
                "'Write in German this week' is heeded for months.",
                ("an-expired-preference-is-no-capsule",),
                capsules_of("valid_until IS NOT NULL", "valid_until = NULL"),
            ),
            (
                "corrected-preferences-are-capsules",
                "A preference that was corrected still comes as a capsule.",
                "'Answer briefly' and 'Answer at length' are both obeyed.",
                ("a-corrected-preference-comes-once",),
                capsules_of("state = 'superseded'", "state = 'active'"),
            ),
            (
                "quarantined-preferences-take-a-place",
                "A preference in quarantine takes the place of a capsule.",
                "Nobody sees it, and a good preference is missing.",
                ("a-preference-in-quarantine-takes-no-place",),
                _trusting(quarantine_count=3),
            ),
            (
                "the-trigger-wins",
                "A claim that comes by both channels counts as triggered.",
                "A preference loses its boost just when it is asked for.",
                ("a-capsule-has-a-relevance-of-its-own",),
                part(merged=_trigger_wins),
            ),
        )
    ),
)


# --- candidates ------------------------------------------------------------------------------


def _newest_500(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Looks at the newest 500 claims."""

        def triggered(self, *args: Any) -> list[Candidate]:
            candidates = super().triggered(*args)
            newest = self._db.execute(
                "SELECT id FROM claims ORDER BY updated_at DESC, number DESC LIMIT 500"
            ).fetchall()
            if len(newest) == 500:
                mark()
            known = {id for (id,) in newest}
            return [each for each in candidates if each.id in known]

    return Changed


def _first_sixteen(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Takes the sixteen claims that were written last, and ranks those."""

        def triggered(self, terms: Any, keys: Any, now: str) -> list[Candidate]:
            mark()
            right = self._design
            self._design = replace(
                right, constants=replace(right.constants, candidate_limit=10_000)
            )
            try:
                every = super().triggered(terms, keys, now)
            finally:
                self._design = right
            return every[-right.constants.candidate_limit :]

    return Changed


def _ignored_leave_no_trace(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Keeps only the decisions that let a claim pass."""

        def audit_run(self, *, decisions: Sequence[Any], **more: Any) -> int:
            passed = [each for each in decisions if each.decision.action != "ignore"]
            if len(passed) < len(decisions):
                mark()
            return super().audit_run(decisions=passed, **more)

    return Changed


_CANDIDATES = (
    authority_fault(
        name="fifteen-candidates",
        change="Fifteen claims are decided on.",
        suffers="The sixteenth is missing where another store shows it.",
        breaks=CANDIDATE,
        killed_by=_recall("sixteen-claims-are-decided-on"),
        seed=figure(candidate_limit=15),
    ),
    authority_fault(
        name="seventeen-candidates",
        change="Seventeen claims are decided on.",
        suffers="An answer is longer than the design says.",
        breaks=CANDIDATE,
        killed_by=_recall("sixteen-claims-are-decided-on"),
        seed=figure(candidate_limit=17),
    ),
    authority_fault(
        name="sixteen-are-taken-before-the-rank",
        change="The last sixteen claims that share a word are ranked, and no other.",
        suffers="The best answer is missing behind sixteen newer mentions of the word.",
        breaks=CANDIDATE,
        killed_by=_recall("sixteen-claims-are-decided-on"),
        seed=tables(_first_sixteen),
    ),
    authority_fault(
        name="the-newest-500-are-looked-at",
        change="Only the newest 500 claims are looked at.",
        suffers="What was said first is silently forgotten.",
        breaks=CANDIDATE,
        killed_by=_recall("an-old-claim-is-found-behind-six-hundred-newer-ones"),
        seed=tables(_newest_500),
    ),
    authority_fault(
        name="ignored-claims-leave-no-trace",
        change="A decision to ignore a claim isn't kept.",
        suffers="Nobody can find out why a claim was not used.",
        breaks=CANDIDATE,
        killed_by=_recall("an-ignored-claim-has-its-decision"),
        seed=tables(_ignored_leave_no_trace),
    ),
)


# --- learning --------------------------------------------------------------------------------


def _learned_and_not_found(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Keeps what was learned, and finds nothing by it."""

        def learn(self, claim: Any, learned: Sequence[str]) -> None:
            mark()
            super().learn(claim, learned)
            number = self._unindex(claim.id)
            assert number is not None
            index_claim(self._db, number, claim.terms)

    return Changed


def _learning_is_an_update(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Dates a claim by what it learned last."""

        def learn(self, claim: Any, learned: Sequence[str]) -> None:
            mark()
            super().learn(claim, learned)
            self._db.execute(
                "UPDATE claims SET updated_at = (SELECT max(at) FROM retrieval_runs) WHERE id = ?",
                (claim.id,),
            )

    return Changed


def _forgets_at_a_restart(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Holds in memory what was learned."""

        def __init__(self, folder: Path | None, design: Design, *, synced: bool = True) -> None:
            super().__init__(folder, design, synced=synced)
            for claim, _ in self._claims("c.learned_terms_json <> '[]'"):
                mark()
                self.learn(claim, ())

    return Changed


def _recalled_runs_teach(mark: Mark) -> type[ClaimDatabase]:
    class Changed(Tables):
        """Learns from every question that decided on the claim."""

        def injecting_runs(self, id: str, limit: int) -> list[Run]:
            mark()
            rows = self._db.execute(
                "SELECT r.at, r.terms_json FROM authority_decisions d JOIN retrieval_runs r"
                " ON r.number = d.run WHERE d.claim_id = ? ORDER BY r.number DESC LIMIT ?",
                (id, limit),
            )
            return [Run(at=at, terms=tuple(json.loads(terms))) for at, terms in rows]

    return Changed


def _every_report_teaches(mark: Mark) -> type[AuthorityStore]:
    class Changed(Store):
        """Learns whatever is reported."""

        def feedback(
            self, id: str, outcome: Any, access: Access = Access(), *args: Any, **more: Any
        ) -> FeedbackResult:
            answer = super().feedback(id, outcome, access, *args, **more)
            if outcome == "helped":
                return answer
            mark()
            with self._changing() as database:
                claim, _ = self._own(database, id, access)
                runs = database.injecting_runs(id, 20)
                learned = learned_terms(claim.terms, claim.learned_terms, runs, self._now)
                database.learn(claim, learned)
            return msgspec.structs.replace(answer, learned=list(learned))

    return Changed


def _with_the_question(query: str, constants: Constants = AUTHORITY) -> tuple[str, ...]:
    return (*query_terms(query, constants), query)


def _strictly_younger(
    own: Any, learned: Any, runs: Any, now: str, constants: Constants = AUTHORITY
) -> tuple[str, ...]:
    limit = constants.learning_days * 86_400_000
    at = milliseconds(now) or 0
    young = [run for run in runs if at - (milliseconds(run.at) or 0) < limit]
    return learned_terms(own, learned, young, now, constants)


def _only_the_newest(
    own: Any, learned: Any, runs: Any, now: str, constants: Constants = AUTHORITY
) -> tuple[str, ...]:
    return learned_terms(own, (), runs, now, constants)


_LEARNING = (
    *(
        authority_fault(
            name=name,
            change=change,
            suffers=suffers,
            breaks=LEARNT,
            killed_by=_recall(*killers),
            seed=seed,
        )
        for name, change, suffers, killers, seed in (
            (
                "nothing-is-learned",
                "A report of help teaches a claim nothing.",
                "People go on asking in their own words, and find nothing.",
                (
                    "a-claim-that-helped-is-found-by-the-words-of-the-question",
                    "what-was-learned-is-told-without-the-question",
                ),
                part(learned_terms=lambda own, learned, *_: tuple(learned)),
            ),
            (
                "learned-terms-find-nothing",
                "What a claim learned is kept and shown, and finds nothing.",
                "The store says that it has learned, and answers as before.",
                ("a-claim-that-helped-is-found-by-the-words-of-the-question",),
                tables(_learned_and_not_found),
            ),
            (
                "the-question-is-learned",
                "The question as it was asked is a term, too, and is learned.",
                "The audit becomes a record of everything that was ever asked.",
                ("what-was-learned-is-told-without-the-question",),
                part(query_terms=_with_the_question),
            ),
            (
                "every-report-teaches",
                "Any report teaches a claim the words of its questions.",
                "The more a claim is complained about the more often it comes.",
                ("only-help-teaches",),
                store(_every_report_teaches),
            ),
            (
                "found-is-as-good-as-injected",
                "A claim learns from the questions that found it, also where it wasn't injected.",
                "Words are learned from answers that nobody saw.",
                ("a-question-without-an-injection-teaches-nothing",),
                tables(_recalled_runs_teach),
            ),
            (
                "a-question-teaches-for-thirteen-days",
                "A question teaches for 13 days.",
                "A report after the holidays comes too late.",
                ("a-question-teaches-for-fourteen-days",),
                figure(learning_days=13),
            ),
            (
                "a-question-teaches-for-fifteen-days",
                "A question teaches for 15 days.",
                "A claim learns words that nobody meant.",
                ("a-question-teaches-for-fourteen-days",),
                figure(learning_days=15),
            ),
            (
                "exactly-fourteen-days-are-too-many",
                "A question of exactly 14 days ago teaches nothing.",
                "A report on the same weekday comes a moment too late.",
                ("a-question-teaches-for-fourteen-days",),
                part(learned_terms=_strictly_younger),
            ),
            (
                "thirty-nine-terms-are-learned",
                "A claim learns at most 39 terms.",
                "Another store of the design finds by a word what this one doesn't.",
                ("at-most-forty-terms-are-learned",),
                figure(learned_term_limit=39),
            ),
            (
                "forty-one-terms-are-learned",
                "A claim learns at most 41 terms.",
                "A claim that helps often grows without the limit of the design.",
                ("at-most-forty-terms-are-learned",),
                figure(learned_term_limit=41),
            ),
            (
                "nineteen-questions-teach",
                "A claim learns from the newest 19 questions.",
                "The words of the twentieth are never learned.",
                ("at-most-twenty-questions-teach",),
                figure(learning_runs=19),
            ),
            (
                "twenty-one-questions-teach",
                "A claim learns from the newest 21 questions.",
                "A claim learns more from one report than the design says.",
                ("at-most-twenty-questions-teach",),
                figure(learning_runs=21),
            ),
            (
                "a-restart-forgets-what-was-learned",
                "What was learned is held in memory.",
                "After an update of the program everything must be learned again.",
                ("what-was-learned-outlasts-a-restart",),
                tables(_forgets_at_a_restart),
            ),
            (
                "new-words-replace-old-ones",
                "What is learned stands in the place of what was learned before.",
                "A claim that helped in May isn't found by the words of May.",
                ("what-was-learned-stays-when-more-is-learned",),
                part(learned_terms=_only_the_newest),
            ),
            (
                "learning-is-an-update",
                "A claim that learns is dated anew.",
                "What is old looks fresh because it was asked about.",
                ("learning-leaves-the-date-alone",),
                tables(_learning_is_an_update),
            ),
        )
    ),
)

FAULTS: tuple[Fault, ...] = (
    *_TERMS,
    *_SYNONYMS,
    *_PLACES,
    *_RANKS,
    *_CAPSULES,
    *_CANDIDATES,
    *_LEARNING,
)
