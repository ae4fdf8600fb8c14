"""Faults that only one or two scenarios are there for."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, abstention, core, foundation
from memconform.faults.seams import everything, layout, stage, store, swapped
from memconform.model import (
    Access,
    ContextResult,
    Done,
    GetResult,
    ListResult,
    RecallResult,
    Record,
    RecordDraft,
    Settings,
    WriteResult,
)
from memconform.protocol import Hello, MemoryStore, System
from memconform.reference.filesystem import FilesystemStore
from memconform.reference.system import ReferenceSystem
from memconform.retrieval import (
    Constants,
    Gate,
    Match,
    Pipeline,
    Ranked,
    Retrieval,
    RetrievalRequest,
    Stage,
)
from memconform.retrieval.budget import Budgeted, within_budget
from memconform.retrieval.relevance import relevant
from memconform.retrieval.tokens import Tokens, has_cjk, query_tokens, record_tokens


class Noted(FilesystemStore):
    """A store whose fault notes when it runs."""

    noted: Mark


class _GetsAnother(Noted):
    """Shows another memory than the one that is asked for, where there is another."""

    def get(self, id: str, access: Access = Access()) -> GetResult:
        right = super().get(id, access)
        self._cache.refresh()
        others = [r.id for r in self._cache.records.values() if r.deleted_at is None and r.id != id]
        if not others or right.record.state != "active":
            return right
        type(self).noted()
        return super().get(min(others), access)


class _CorrectionIsLost(Noted):
    """Says that a memory is corrected, and leaves it as it is."""

    def correct(
        self, id: str, content: str, access: Access = Access(), key: str | None = None
    ) -> WriteResult:
        self._alive(id, access)
        type(self).noted()
        return WriteResult(
            id=key or "mem-unwritten", outcome="superseded", other=id, cause=None, namespace=None
        )


class _Jams(Noted):
    """A very long question leaves a store that finds nothing any more."""

    _jammed = False

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        if self._jammed or len(request.query) > 100_000:
            type(self).noted()
            self._jammed = True
            return self._pipeline.retrieve([], request, policy=self._policy, now=self._now)
        return super()._retrieve(request)


class _ColdMiss(Noted):
    """The first question after opening finds nothing."""

    _warm = False

    def recall(self, *args: Any, **options: Any) -> RecallResult:
        answer = super().recall(*args, **options)
        if self._warm:
            return answer
        self._warm = True
        type(self).noted()
        return msgspec.structs.replace(answer, hits=[])


class _ListLacksCorrections(Noted):
    def list_records(self, access: Access = Access()) -> ListResult:
        answer = super().list_records(access)
        type(self).noted()
        kept = [hit for hit in answer.records if not (hit.extra or {}).get("supersedes")]
        return msgspec.structs.replace(answer, records=kept)


class _ForgottenTakePlaces(Noted):
    """What is forgotten still takes its place in the limit."""

    def _begin(self) -> None:
        self._gone: list[Record] = []

    def forget(self, id: str, access: Access = Access()) -> Done:
        self._gone.append(self._own(id, access))
        return super().forget(id, access)

    def recall(
        self, query: str, access: Access = Access(), limit: int | None = None, **options: Any
    ) -> RecallResult:
        answer = super().recall(query, access, limit, **options)
        if limit is None or not self._gone:
            return answer
        type(self).noted()
        request = RetrievalRequest(query=query, access=self._place(access))
        ghosts = self._pipeline.retrieve(
            self._gone, request, policy=self._policy, now=self._now
        ).selected_ids
        return msgspec.structs.replace(answer, hits=answer.hits[: max(0, limit - len(ghosts))])


class _ForgottenTextsAreBarred(Noted):
    """A text that was forgotten once can't be found again, also when it is written anew."""

    def _begin(self) -> None:
        self._barred: set[str] = set()

    def forget(self, id: str, access: Access = Access()) -> Done:
        self._barred.add(self._own(id, access).content)
        return super().forget(id, access)

    def recall(self, *args: Any, **options: Any) -> RecallResult:
        answer = super().recall(*args, **options)
        kept = [hit for hit in answer.hits if hit.content not in self._barred]
        if len(kept) < len(answer.hits):
            type(self).noted()
        return msgspec.structs.replace(answer, hits=kept)


class _ReadsPending(Noted):
    """A memory that was just written reads as not yet valid."""

    def _begin(self) -> None:
        self._fresh: set[str] = set()

    def _add(self, record: Record) -> None:
        super()._add(record)
        self._fresh.add(record.id)

    def get(self, id: str, access: Access = Access()) -> GetResult:
        answer = super().get(id, access)
        if id not in self._fresh or answer.record.state != "active":
            return answer
        self._fresh.discard(id)
        type(self).noted()
        shown = msgspec.structs.replace(answer.record, state="not-yet-valid", content="")
        return msgspec.structs.replace(answer, record=shown)


class _NoCjkContext(Noted):
    def context(
        self, query: str, access: Access = Access(), budget: int | None = None
    ) -> ContextResult:
        answer = super().context(query, access, budget)
        if not has_cjk(query):
            return answer
        type(self).noted()
        return msgspec.structs.replace(answer, text="", ids=[], cut=[])


class _DisabledFirst(Noted):
    """A record that is disabled and then forgotten is called disabled."""

    def _begin(self) -> None:
        self._off: set[str] = set()

    def disable(self, id: str, access: Access = Access()) -> Done:
        self._off.add(id)
        return super().disable(id, access)

    def get(self, id: str, access: Access = Access()) -> GetResult:
        answer = super().get(id, access)
        if id not in self._off or answer.record.state != "forgotten":
            return answer
        type(self).noted()
        shown = msgspec.structs.replace(answer.record, state="disabled")
        return msgspec.structs.replace(answer, record=shown)


class _SaysRefused(Noted):
    """Says that it refuses a memory of certain times, without an error."""

    def write(self, record: RecordDraft) -> WriteResult:
        if not self._strange(record):
            return super().write(record)
        type(self).noted()
        return WriteResult(
            id=None, outcome="refused", other=None, cause="strange times", namespace=None
        )

    def _strange(self, draft: RecordDraft) -> bool:
        return draft.valid_from is not None and draft.valid_from == draft.valid_to


class _NoLifetimes(_SaysRefused):
    def _strange(self, draft: RecordDraft) -> bool:
        return (draft.ttl_ms is None) != (draft.expires_at is None)


class _NoInsights(Noted):
    """An insight is kept as a fact."""

    def _create(self, draft: RecordDraft) -> Record:
        if draft.type == "insight":
            type(self).noted()
            draft = msgspec.structs.replace(draft, type="fact")
        return super()._create(draft)


class _TracesOfAge(Noted):
    """Its traces count the restarts among the candidates."""

    _restarts = 0

    def reopen(self, settings: Settings | None = None) -> Any:
        fresh = super().reopen(settings)
        fresh._restarts = self._restarts + 1
        return fresh

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        found = super()._retrieve(request)
        if not self._restarts:
            return found
        type(self).noted()
        count = found.trace.candidate_count + self._restarts
        return dataclasses.replace(
            found, trace=msgspec.structs.replace(found.trace, candidate_count=count)
        )


class _OldGateOpensAll(Noted):
    """With the historical gate scope, lifecycle and purpose make no difference either."""

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        if request.relevance_mode != "historical-v1":
            return super()._retrieve(request)
        type(self).noted()
        with swapped(self, scope=everything, lifecycle=everything, purpose=everything):
            return super()._retrieve(request)


class _FilteredPass(Noted):
    """What a filter asks for passes the gate."""

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        if request.filters is None or not request.filters.types:
            return super()._retrieve(request)
        type(self).noted()

        def match(records: Iterable[Record], *rest: Any) -> Stage[Any]:
            return Stage(tuple(Match(record, 0) for record in records), ())

        with swapped(self, match=match, gate=everything):
            return super()._retrieve(request)


def _no_users(ranked: Iterable[Ranked], gate: Gate) -> Stage[Ranked]:
    passed = relevant(ranked, gate)
    return Stage(tuple(r for r in passed.kept if r.record.scope != "user"), passed.dropped)


def _one_under(*args: Any, characters: int, **options: Any) -> Budgeted:
    return within_budget(*args, characters=characters - 1, **options)


def _at_least_one(ranked: Sequence[Ranked], **options: Any) -> Budgeted:
    walked = within_budget(ranked, **options)
    if walked.kept or not ranked:
        return walked
    return within_budget(ranked[:1], **{**options, "characters": 10**6})


def _silent(lines: Sequence[str]) -> str:
    return ""


def _small_words_find_facts(query: str, constants: Constants) -> Tokens:
    """A query of small words alone is looked for as the type word that every record has."""
    found = query_tokens(query, constants)
    words = re.findall(r"\w+", query)
    if words and all(len(word) < 5 and word.isascii() for word in words):
        return Tokens(("wfact",), truncated=False)
    return found


def _long_runs_whole(query: str, constants: Constants) -> Tokens:
    """A CJK question of more than six characters is one token."""
    found = query_tokens(query, constants)
    runs = re.findall("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]{7,}", query)
    return Tokens(("c" + runs[0],), found.truncated) if runs else found


def _cjk_alone(record: Record, constants: Constants) -> Tokens:
    """Of a text with CJK characters the other words are lost."""
    found = record_tokens(record, constants)
    if not has_cjk(record.content):
        return found
    return Tokens(tuple(t for t in found.tokens if t.startswith("c")), found.truncated)


def _latin_alone(record: Record, constants: Constants) -> Tokens:
    """Of a text that begins with a Latin letter the CJK characters are lost."""
    found = record_tokens(record, constants)
    if not record.content[:1].isascii():
        return found
    return Tokens(tuple(t for t in found.tokens if not t.startswith("c")), found.truncated)


class _WithMask:
    """The filesystem store, which says that it can mask."""

    def __init__(self, mark: Mark) -> None:
        class Store(FilesystemStore):
            """Says that a memory is masked, and leaves it as it is."""

            def mask(self, id: str, access: Access = Access()) -> Done:
                mark()
                self._own(id, access)
                return Done(done=True, cause=None)

        self._system = ReferenceSystem("faulty", Store, Pipeline())

    def hello(self) -> Hello:
        """With one capability more."""
        hello = self._system.hello()
        return msgspec.structs.replace(hello, capabilities=[*hello.capabilities, "mask"])

    def open(self, settings: Settings) -> MemoryStore:
        """An empty store."""
        return self._system.open(settings)


def _masking(mark: Mark) -> System:
    return _WithMask(mark)


def _plain(body: type[Noted]) -> Seed:
    return store(lambda mark: type("Store", (body,), {"noted": mark}))


def _fault(
    name: str, change: str, suffers: str, seed: Seed, breaks: tuple[str, ...], *killers: str
) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=killers,
        base="filesystem",
        seed=seed,
    )


FAULTS = (
    _fault(
        "get-answers-another",
        "Whatever id is asked for, another memory is shown where there is one.",
        "A click on one memory opens another.",
        _plain(_GetsAnother),
        core("a-hit-can-be-acted-on"),
        *core("the-id-of-a-hit-leads-to-the-memory"),
    ),
    _fault(
        "a-correction-is-lost",
        "A memory is said to be corrected, and stays as it is.",
        "The user corrects a fact, is told that it is done, and keeps hearing the old one.",
        _plain(_CorrectionIsLost),
        core("a-hit-can-be-acted-on"),
        *core("the-id-of-a-hit-takes-a-correction"),
    ),
    _fault(
        "a-long-question-jams",
        "After a very long question nothing is found any more.",
        "A page pasted by mistake costs the memory until the next start.",
        _plain(_Jams),
        core("any-text-is-a-query"),
        *core("a-megabyte-of-text-is-answered"),
    ),
    _fault(
        "the-first-question-finds-nothing",
        "The first question after opening finds nothing.",
        "An agent that asks once never remembers.",
        _plain(_ColdMiss),
        core("written-is-findable", "the-best-match-is-first"),
        *core(
            "the-exact-words-find-a-memory",
            "a-few-words-find-a-memory",
            "the-best-memory-is-first-before-any-other-question",
        ),
    ),
    _fault(
        "the-list-lacks-corrections",
        "Listing shows no memory that is a correction.",
        "The page of all memories shows neither the old text nor the new one.",
        _plain(_ListLacksCorrections),
        core("a-correction-wins"),
        *core("a-correction-shows-on-every-surface"),
    ),
    _fault(
        "forgotten-takes-places",
        "What is forgotten still takes its place in the limit.",
        "The more is forgotten, the less is found.",
        _plain(_ForgottenTakePlaces),
        core("forgotten-is-gone-at-once-and-everywhere"),
        *core("a-forgotten-memory-takes-no-place-in-the-limit"),
    ),
    _fault(
        "forgotten-texts-are-barred",
        "A text that was forgotten once isn't found when it is written anew.",
        "What the user deletes by mistake can never be told again.",
        _plain(_ForgottenTextsAreBarred),
        core("forgotten-is-gone-at-once-and-everywhere"),
        *core("the-same-text-written-again-is-found"),
    ),
    _fault(
        "masking-is-lost",
        "A memory is said to be masked, and stays as it is.",
        "A number that was to be hidden is in the next prompt.",
        _masking,
        core("forgotten-is-gone-at-once-and-everywhere"),
        *core("a-masked-text-shows-on-no-surface"),
    ),
    _fault(
        "just-written-reads-as-pending",
        "A memory that was just written reads as not yet valid, without its text.",
        "An agent that checks what it wrote writes it again.",
        _plain(_ReadsPending),
        core("nothing-acknowledged-is-lost"),
        *core("an-acknowledged-memory-can-be-read-at-once"),
    ),
    _fault(
        "no-context-for-cjk",
        "A question with CJK text has no context.",
        "The search finds the Chinese memory, the prompt lacks it.",
        _plain(_NoCjkContext),
        core("unrelated-means-nothing"),
        *core("a-related-chinese-question-has-its-memory-in-the-context"),
    ),
    _fault(
        "small-words-find-facts",
        "A query of short words alone is answered by every fact.",
        "A stray operator fills the prompt.",
        stage(query_tokens=_small_words_find_facts),
        core("any-text-is-a-query"),
        *core("operators-and-single-letters-alone-find-nothing-unrelated"),
    ),
    _fault(
        "long-cjk-questions-are-one-word",
        "A CJK question of more than six characters is looked for as a whole.",
        "The longer a Chinese question is, the surer it finds nothing.",
        stage(query_tokens=_long_runs_whole),
        core("cjk-text-is-found"),
        *core("a-whole-cjk-sentence-finds-itself"),
    ),
    _fault(
        "latin-words-lost-in-cjk-texts",
        "Of a text with CJK characters the Latin words aren't searched.",
        "The product that a Chinese note is about can't be asked for.",
        stage(record_tokens=_cjk_alone),
        core("cjk-text-is-found"),
        *core(
            "a-latin-word-inside-cjk-text-is-found", "a-question-in-both-scripts-finds-mixed-text"
        ),
    ),
    _fault(
        "cjk-words-lost-in-latin-texts",
        "Of a text that begins with a Latin letter the CJK characters aren't searched.",
        "A Chinese name in an English note can't be asked for.",
        stage(record_tokens=_latin_alone),
        core("cjk-text-is-found"),
        *core("a-cjk-word-inside-latin-text-is-found"),
    ),
    _fault(
        "the-first-always-fits",
        "Where nothing fits the best record is taken whole.",
        "A small budget is exceeded by a whole memory.",
        stage(budget=_at_least_one),
        foundation("the-character-budget-holds"),
        *foundation("too-little-room-excludes-a-memory"),
    ),
    _fault(
        "budget-one-character-under",
        "The block has one character less than the budget at most.",
        "A memory that would just have fitted is cut.",
        stage(budget=_one_under),
        foundation("the-character-budget-holds"),
        *foundation("a-budget-of-just-the-block-leaves-it-whole"),
    ),
    _fault(
        "what-is-filtered-for-passes",
        "What a filter for types asks for passes the gate.",
        "Asking for decisions about the ferry finds all decisions.",
        _plain(_FilteredPass),
        foundation("a-caller-s-filters-narrow-what-is-ranked"),
        *foundation("a-filter-lets-nothing-unrelated-in"),
    ),
    _fault(
        "disabled-before-forgotten",
        "A record that is disabled and then forgotten is called disabled.",
        "The user is offered to switch on again what was deleted.",
        _plain(_DisabledFirst),
        foundation("lifecycle-comes-before-ranking"),
        *foundation("forgotten-comes-before-disabled"),
    ),
    _fault(
        "insights-are-facts",
        "An insight is kept as a fact.",
        "What was concluded is told as what was seen.",
        _plain(_NoInsights),
        foundation("records-get-typed-defaults"),
        *foundation("every-type-may-be-given"),
    ),
    _fault(
        "an-instant-is-no-validity",
        "A memory that is valid for an instant isn't stored.",
        "An event without a length is lost.",
        _plain(_SaysRefused),
        foundation("contradictory-drafts-are-refused"),
        *foundation("validity-of-one-instant-is-accepted"),
    ),
    _fault(
        "no-memory-ends",
        "A memory with a lifetime or an expiry isn't stored.",
        "What is meant for an hour isn't kept at all.",
        _plain(_NoLifetimes),
        foundation("contradictory-drafts-are-refused"),
        *foundation("a-lifetime-or-an-expiry-alone-is-accepted"),
    ),
    _fault(
        "traces-count-restarts",
        "The number of candidates in a trace grows with each restart.",
        "Two traces of the same question can't be compared.",
        _plain(_TracesOfAge),
        foundation("the-trace-explains-without-showing"),
        *foundation("a-question-of-the-same-things-has-the-same-trace"),
    ),
    _fault(
        "the-old-gate-opens-everything",
        "With the historical gate scope, lifecycle and purpose make no difference either.",
        "An evaluation reads the neighbour's memories.",
        _plain(_OldGateOpensAll),
        foundation("the-old-gate-is-for-evaluation-only"),
        *foundation("the-old-gate-lets-in-nothing-that-was-dropped-before"),
    ),
    _fault(
        "user-records-never-pass",
        "Records of the user don't pass the gate.",
        "The agent never knows whom it talks to.",
        stage(gate=_no_users),
        abstention("no-record-is-found-for-being-the-user-s"),
        *abstention("a-related-user-record-is-found"),
    ),
    _fault(
        "the-context-is-always-silent",
        "There is never a block.",
        "Memory is on, and no prompt has any of it.",
        layout(frame=_silent),
        abstention("silence-reaches-the-prompt"),
        *abstention("a-related-record-leaves-a-block", "the-context-speaks-from-the-floor-on"),
    ),
)
