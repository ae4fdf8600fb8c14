"""Faults of the fusion store: what is found, in which order, and how a hit is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, core, ids
from memconform.faults.fusion_seams import (
    Groups,
    every_row,
    hits,
    order,
    part,
    signal,
    store,
)
from memconform.fusion import Asked, Floor, Fused, Signals, reason_to_stay
from memconform.fusion.channels import recency
from memconform.fusion.constants import FIGURES
from memconform.model import Access, Hit, RecallResult, TargetsResult
from memconform.reference.fusion import FusionStore
from memconform.reference.fusion_tables import Row

EXPLAINED = ids("signal-fusion", "every-hit-explains-itself")
NORMALISED = ids("signal-fusion", "channels-are-normalised-before-they-are-weighed")
CONSTRAINT = ids("signal-fusion", "a-constraint-comes-before-an-event")
CONTENT_WORD = ids("signal-fusion", "a-shared-content-word-is-enough")
OTHER_WORDS = ids("signal-fusion", "other-words-for-one-thing-are-known")
MEANING = ids("signal-fusion", "meaning-reaches-other-words")
UNRELATED = ids("relevance-floor", "unrelated-is-empty-related-is-first")
RAW = ids("relevance-floor", "the-floor-stands-on-raw-signals")
TARGET = ids("relevance-floor", "a-target-is-found-without-a-floor")
COMPANY = ids("relevance-floor", "an-order-holds-in-company")
LATER = ids("memory-integrity", "no-answer-changes-later")
MEASURE = ids("memory-integrity", "a-score-is-no-measure-of-relevance")
SUBJECT = ids("memory-integrity", "statements-have-a-subject-and-a-source")
BEST = core("the-best-match-is-first")
DATE = ids("memory-integrity", "a-date-in-a-text-ages-nothing")

_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")


def _any_question(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Fills every answer, whatever was asked."""

        def _candidates(self, asked: Asked, place: int) -> list[tuple[Signals, Row]]:
            mark()
            return [
                (replace(signals, words=max(1, signals.words)), row)
                for signals, row in every_row(self, asked, place)
            ]

    return Store


def _newest_too(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Shows the newest memory with every answer, since it may be meant."""

        def _candidates(self, asked: Asked, place: int) -> list[tuple[Signals, Row]]:
            mark()
            found = super()._candidates(asked, place)
            newest = max(every_row(self, asked, place), key=lambda pair: pair[1].number)
            known = {row.number for _, row in found}
            more = [] if newest[1].number in known else [(replace(newest[0], words=1), newest[1])]
            return [*found, *more]

    return Store


def _family_shows_all(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Takes every memory for one of the family that is asked for."""

        def _candidates(self, asked: Asked, place: int) -> list[tuple[Signals, Row]]:
            if not asked.families:
                return super()._candidates(asked, place)
            mark()
            return [(replace(s, tags=True), row) for s, row in every_row(self, asked, place)]

    return Store


def _stop_words_count(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Takes a word that any sentence has for one that says something."""

        def _candidates(self, asked: Asked, place: int) -> list[tuple[Signals, Row]]:
            if asked.words:
                return super()._candidates(asked, place)
            mark()
            parts = set(asked.text.lower().split()) | set(asked.text)
            return [
                (replace(signals, words=1), row)
                for signals, row in every_row(self, asked, place)
                if any(p.strip() and p in row.record.content.lower() for p in parts)
            ]

    return Store


def _half_of_the_words(signals: Signals, floor: Floor) -> str | None:
    reason = reason_to_stay(signals, floor)
    return None if reason == "word" and signals.ngrams < 0.5 else reason


def _one_slice(signals: Signals, floor: Floor) -> str | None:
    return "n-grams" if signals.ngrams > 0 else reason_to_stay(signals, floor)


def _no_slices(signals: Signals, floor: Floor) -> str | None:
    return reason_to_stay(signals, floor, replace(FIGURES, ngram_floor=2.0))


def _by_text_date(signals: Signals) -> Signals:
    found = _YEAR.search(signals.memory.content)
    if found is None:
        return signals
    year, month, day = map(int, found.groups())
    then = datetime(year, month, day, tzinfo=UTC).timestamp()
    return replace(signals, time=recency(then, signals.memory.written_at, FIGURES.half_life_days))


def _raw_for_normalised(query: str, ranked: tuple[Fused, ...]) -> Sequence[Fused]:
    return [replace(fused, normalised=fused.raw) for fused in ranked]


def _by_score(query: str, ranked: tuple[Fused, ...]) -> Sequence[Fused]:
    return sorted(ranked, key=lambda fused: -fused.score)


def _constraints_always(query: str, ranked: tuple[Fused, ...]) -> Sequence[Fused]:
    return sorted(ranked, key=lambda fused: fused.signals.memory.kind != "constraint")


def _worst_first(query: str, ranked: tuple[Fused, ...]) -> Sequence[Fused]:
    return ranked[::-1]


def _shortest_first(query: str, ranked: tuple[Fused, ...]) -> Sequence[Fused]:
    return sorted(ranked, key=lambda fused: len(fused.signals.memory.content))


def _found_often(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Ranks what was shown often higher."""

        _shown: dict[str, int]

        def recall(self, *args: Any, **more: Any) -> RecallResult:
            shown = self.__dict__.setdefault("_shown", {})
            answer = super().recall(*args, **more)
            if any(shown.get(hit.id) for hit in answer.hits):
                mark()
            hits = sorted(
                answer.hits, key=lambda hit: -(hit.score or 0) - 0.2 * shown.get(hit.id, 0)
            )
            for hit in answer.hits[:1]:
                shown[hit.id] = shown.get(hit.id, 0) + 1
            return msgspec.structs.replace(answer, hits=hits)

    return Store


def _questions_turn_the_order(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Gives the second a turn: from the second question on the first one comes last."""

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None, **more: Any
        ) -> RecallResult:
            answer = super().recall(query, access, None, **more)
            found = answer.hits
            if self.__dict__.get("_asked") and found:
                mark()
                found = [*found[1:], found[0]]
            self.__dict__["_asked"] = True
            return msgspec.structs.replace(answer, hits=found if limit is None else found[:limit])

    return Store


def _band_on_shared_records(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Keeps the band of a hit on the record that all answers share."""

        def recall(
            self, query: str, access: Access = Access(), limit: int | None = None, **more: Any
        ) -> RecallResult:
            bands = self.__dict__.setdefault("_bands", {})
            answer = super().recall(query, access, limit, **more)
            if bands:
                mark()
            hits = [
                msgspec.structs.replace(hit, flags=[bands.get(hit.id, "high")])
                for hit in answer.hits
            ]
            found = {hit.id for hit in hits}
            rows = self._tables.every(self._tables.place("default") or 0)
            bands.update({r.record.id: "high" if r.record.id in found else "low" for r in rows})
            return msgspec.structs.replace(answer, hits=hits)

    return Store


def _targets_need_the_floor(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Applies the floor of answers to targets, too."""

        def find_targets(self, description: str, access: Access = Access()) -> TargetsResult:
            mark()
            found = {hit.id for hit in self.recall(description, access).hits}
            answer = super().find_targets(description, access)
            return TargetsResult(candidates=[t for t in answer.candidates if t.id in found])

    return Store


def _targets_are_touched(mark: Mark) -> type[FusionStore]:
    class Store(FusionStore):
        """Believes less in what somebody looked for in order to forget it."""

        def find_targets(self, description: str, access: Access = Access()) -> TargetsResult:
            mark()
            answer = super().find_targets(description, access)
            for target in answer.candidates[:1]:
                self.update(target.id, access, confidence=0.5)
            return answer

    return Store


def _without(channel: str) -> Any:
    def change(hit: Hit) -> Hit:
        kept = [c for c in hit.channels or [] if c.channel != channel]
        return msgspec.structs.replace(hit, channels=kept)

    return change


def _bare(hit: Hit) -> Hit:
    return msgspec.structs.replace(hit, type=None, times=None, sources=None)


FAULTS = (
    Fault(
        name="hits-hide-the-channel-of-words",
        change="A hit lists its channels without that of words.",
        suffers="Nobody can see that a memory was found for a shared word and nothing else.",
        breaks=EXPLAINED,
        killed_by=ids("signal-fusion", "a-hit-by-its-words-shows-the-channel-of-words"),
        base="fusion",
        seed=hits(_without("bm25")),
    ),
    Fault(
        name="every-candidate-carries-the-graph",
        change="Each candidate has the same score by its entities.",
        suffers="What the user has no longer comes before what is only mentioned.",
        breaks=(*EXPLAINED, *SUBJECT),
        killed_by=(
            *ids("signal-fusion", "a-hit-by-its-entity-shows-the-channel-of-entities"),
            *ids("memory-integrity", "not-all-candidates-carry-the-channel"),
        ),
        base="fusion",
        seed=signal(lambda signals: replace(signals, graph=1.0)),
    ),
    Fault(
        name="hits-drop-type-times-and-sources",
        change="A hit of a recall shows its text and neither type nor times nor sources.",
        suffers="An event can't be told from a rule, nor what was said from what was guessed.",
        breaks=EXPLAINED,
        killed_by=ids("signal-fusion", "a-hit-shows-type-times-and-sources"),
        base="fusion",
        seed=hits(_bare),
    ),
    Fault(
        name="channels-are-not-normalised",
        change="The raw score of a channel stands where the normalised one belongs.",
        suffers="The channel with the largest numbers decides the order alone.",
        breaks=NORMALISED,
        killed_by=ids(
            "signal-fusion",
            "the-best-of-a-channel-is-one",
            "a-single-hit-is-best-in-each-of-its-channels",
        ),
        base="fusion",
        seed=order(_raw_for_normalised),
    ),
    Fault(
        name="the-newest-is-always-shown",
        change="The newest memory is a candidate of every question and stays.",
        suffers="Whatever was written last turns up in every answer.",
        breaks=(*NORMALISED, *UNRELATED),
        killed_by=ids("signal-fusion", "a-neighbour-that-is-not-asked-about-changes-no-score"),
        base="fusion",
        seed=store(_newest_too),
    ),
    Fault(
        name="constraints-take-no-precedence",
        change="The order is that of the scores alone.",
        suffers="The meal after which nothing happened is read before the allergy.",
        breaks=CONSTRAINT,
        killed_by=ids(
            "signal-fusion",
            "an-allergy-comes-before-a-meal",
            "an-allergy-comes-before-a-meal-in-chinese",
        ),
        base="fusion",
        seed=order(_by_score),
    ),
    Fault(
        name="any-constraint-comes-first",
        change="A constraint comes first, whatever it is about.",
        suffers="Every answer begins with the same rules, and what was asked for comes last.",
        breaks=CONSTRAINT,
        killed_by=ids("signal-fusion", "a-constraint-about-something-else-does-not-come-first"),
        base="fusion",
        seed=order(_constraints_always),
    ),
    Fault(
        name="half-of-the-words-must-match",
        change="A shared word is enough only where half of the question's letters are shared.",
        suffers="Who asks in a long sentence finds nothing, and takes it for never written.",
        breaks=CONTENT_WORD,
        killed_by=ids("signal-fusion", "one-content-word-out-of-many-finds-a-memory"),
        base="fusion",
        seed=part(stays=_half_of_the_words),
    ),
    Fault(
        name="stop-words-count-as-content",
        change="A question of stop words finds every memory that has one of them.",
        suffers="'What is it' brings whatever holds an article.",
        breaks=CONTENT_WORD,
        killed_by=ids(
            "signal-fusion",
            "words-that-hold-a-sentence-together-find-nothing",
            "characters-that-hold-a-chinese-sentence-together-find-nothing",
        ),
        base="fusion",
        seed=store(_stop_words_count),
    ),
    Fault(
        name="synonyms-are-not-known",
        change="No two words mean one thing.",
        suffers="A laptop is not found by who asks for it in the other language.",
        breaks=OTHER_WORDS,
        killed_by=ids("signal-fusion", "a-question-in-the-other-language-finds-it"),
        base="fusion",
        seed=signal(lambda signals: replace(signals, synonym=False)),
    ),
    Fault(
        name="vectors-are-kept-and-never-compared",
        change="Every memory has a vector, and every cosine is nothing.",
        suffers="The embedder is paid for at each write, and a paraphrase still finds nothing.",
        breaks=MEANING,
        killed_by=ids("signal-fusion", "a-paraphrase-finds-a-memory"),
        base="fusion with word groups",
        seed=part(
            embedder=Groups(),
            stays=lambda signals, floor: reason_to_stay(replace(signals, semantic=0.0), floor),
        ),
    ),
    Fault(
        name="any-question-fills-k",
        change="Every memory is a candidate of every question and stays.",
        suffers="A question about baking brings a graphics card and the annual leave.",
        breaks=(*UNRELATED, *MEASURE, *ids("progressive-disclosure", "a-catalog-shows-no-content")),
        killed_by=(
            *ids(
                "relevance-floor",
                "an-unrelated-question-finds-nothing",
                "a-question-that-shares-only-its-form-finds-nothing",
            ),
            *ids("memory-integrity", "related-first-unrelated-nothing"),
            *ids("progressive-disclosure", "an-unrelated-question-has-an-empty-catalog"),
        ),
        base="fusion",
        seed=store(_any_question),
    ),
    Fault(
        name="the-worst-comes-first",
        change="What passes the floor is shown from its end.",
        suffers="The spare card in the cupboard is the answer to which card is in use.",
        breaks=(*UNRELATED, *COMPANY, *SUBJECT, *BEST),
        killed_by=(
            *core("the-best-memory-is-first-before-any-other-question"),
            *ids("relevance-floor", "a-related-question-finds-its-memory-first"),
            *ids("relevance-floor", "labelled-questions-find-their-memory-first-cold"),
            *ids("memory-integrity", "two-ways-of-asking-put-the-same-first"),
        ),
        base="fusion",
        seed=order(_worst_first),
    ),
    Fault(
        name="tags-say-nothing",
        change="No tag makes a memory one of the family that is asked for.",
        suffers="'What do I like' is answered with nothing, though it was written and tagged.",
        breaks=(*EXPLAINED, *RAW, *MEASURE),
        killed_by=(
            *ids("signal-fusion", "a-hit-by-its-tag-shows-the-channel-of-tags"),
            *ids("relevance-floor", "a-tag-of-the-family-is-enough"),
            *ids("memory-integrity", "a-preference-in-other-words-is-found-by-its-tag"),
        ),
        base="fusion",
        seed=signal(lambda signals: replace(signals, tags=False)),
    ),
    Fault(
        name="a-family-is-everything",
        change="A question about a family takes every memory for one of it.",
        suffers="'What do I like' brings the rules of annual leave.",
        breaks=RAW,
        killed_by=ids(
            "relevance-floor",
            "a-tag-of-the-family-is-enough",
            "without-its-tag-a-preference-in-other-words-is-not-found",
        ),
        base="fusion",
        seed=store(_family_shows_all),
    ),
    Fault(
        name="letters-are-never-enough",
        change="No share of the letters is a reason to stay.",
        suffers="An inflected word is not found by its stem.",
        breaks=RAW,
        killed_by=ids("relevance-floor", "enough-of-the-letters-are-enough"),
        base="fusion",
        seed=part(stays=_no_slices),
    ),
    Fault(
        name="one-slice-is-enough",
        change="A single shared slice of three letters is a reason to stay.",
        suffers="Who asks for crawfish is told of wooden crates.",
        breaks=RAW,
        killed_by=ids("relevance-floor", "too-few-of-the-letters-are-not-enough"),
        base="fusion",
        seed=part(stays=_one_slice),
    ),
    Fault(
        name="targets-need-the-floor",
        change="Looking for what to forget applies the floor of answers.",
        suffers="What is described vaguely can't be forgotten.",
        breaks=TARGET,
        killed_by=ids("relevance-floor", "a-vague-description-finds-its-target"),
        base="fusion",
        seed=store(_targets_need_the_floor),
    ),
    Fault(
        name="looking-for-a-target-changes-it",
        change="What was looked for as a target is believed less from then on.",
        suffers="A memory fades because somebody thought of forgetting it, and decided not to.",
        breaks=TARGET,
        killed_by=ids("relevance-floor", "looking-for-a-target-changes-nothing"),
        base="fusion",
        seed=store(_targets_are_touched),
    ),
    Fault(
        name="every-question-turns-the-order",
        change="From the second question on the best hit comes last.",
        suffers="The longer a conversation, the more other things come first.",
        breaks=(*COMPANY, *LATER),
        killed_by=(
            *ids(
                "relevance-floor", "labelled-questions-find-their-memory-first-after-unrelated-ones"
            ),
            *ids("memory-integrity", "the-order-is-the-same-after-unrelated-questions"),
        ),
        base="fusion",
        seed=store(_questions_turn_the_order),
    ),
    Fault(
        name="found-often-ranks-higher",
        change="Each time that a memory comes first adds a fifth of a point to its score.",
        suffers="A conversation drifts to whatever was found often; the answer drops behind it.",
        breaks=(*LATER, *BEST),
        killed_by=(
            *ids("memory-integrity", "the-order-is-the-same-after-its-own-last-hit-was-asked-for"),
            *core("the-best-memory-is-first-after-many-questions-for-its-rival"),
        ),
        base="fusion",
        seed=store(_found_often),
    ),
    Fault(
        name="bands-are-kept-on-shared-records",
        change="What a question makes of a memory is kept on it, for the next answer to show.",
        suffers="An answer is marked as unrelated because something unrelated was asked meanwhile.",
        breaks=LATER,
        killed_by=ids("memory-integrity", "a-later-question-changes-no-earlier-answer"),
        base="fusion",
        seed=store(_band_on_shared_records),
    ),
    Fault(
        name="short-memories-rank-higher",
        change="What passes the floor is shown by length, the shortest first.",
        suffers="The answer depends on how briefly something was put, not on what was asked.",
        breaks=SUBJECT,
        killed_by=ids("memory-integrity", "two-ways-of-asking-put-the-same-first"),
        base="fusion",
        seed=order(_shortest_first),
    ),
    Fault(
        name="a-date-in-the-text-ages-the-memory",
        change="The date that a text mentions is taken for the memory's own time.",
        suffers="'Bought on 15 January' loses to a vague memory without a date.",
        breaks=DATE,
        killed_by=ids("memory-integrity", "a-memory-that-mentions-an-old-date-is-as-fresh"),
        base="fusion",
        seed=signal(_by_text_date),
    ),
)
