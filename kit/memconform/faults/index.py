"""Faults of the index: windows that lose, answers of old, and what becomes of it in trouble."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from memconform.faults.fault import Fault, Mark, Seed, abstention, core, foundation
from memconform.faults.seams import store, swapped
from memconform.model import IndexDiagnostics, Policy, RelevanceMode
from memconform.reference.hybrid import HybridStore
from memconform.reference.index import Found, IndexTrouble, MemoryIndex
from memconform.reference.store import ReferenceStore
from memconform.retrieval import Constants, Gate, Match, Question, Retrieval, RetrievalRequest
from memconform.retrieval.relevance import gate_for
from memconform.retrieval.tokens import record_tokens

LOSES_NOTHING = foundation("an-index-loses-nothing")
DECIDES_NOTHING = abstention("the-index-decides-nothing")
WINDOW = 128


def _indexed(make: Callable[[Mark], type[MemoryIndex]]) -> Seed:
    """Seeds another kind of index under the hybrid store."""

    def hybrid(mark: Mark) -> type[ReferenceStore]:
        return type("Store", (HybridStore,), {"INDEX": make(mark)})

    return store(hybrid)


def _by_bm25(matches: Iterable[Match], question: Question) -> list[Match]:
    """The matches in the order of BM25 (k1 1.2, b 0.75), the best first."""
    matches = list(matches)
    texts = {m.record.id: record_tokens(m.record).tokens for m in matches}
    mean = sum(map(len, texts.values())) / max(1, len(texts))
    holders = Counter(token for tokens in texts.values() for token in set(tokens))

    def score(match: Match) -> float:
        tokens = texts[match.record.id]
        damping = 1.2 * (0.25 + 0.75 * len(tokens) / mean)
        return sum(
            math.log(1 + (len(texts) - holders[t] + 0.5) / (holders[t] + 0.5)) * 2.2 / (1 + damping)
            for t in question.tokens.tokens
            if t in tokens
        )

    return sorted(matches, key=lambda match: (-score(match), match.record.id))


def _bm25_window(mark: Mark) -> type[MemoryIndex]:
    class Index(MemoryIndex):
        """Hands over the best 128 by BM25."""

        def search(
            self, question: Question, request: RetrievalRequest, policy: Policy, now: str
        ) -> Found:
            found = super().search(question, request, policy, now)
            if len(found.matches) <= WINDOW:
                return found
            mark()
            return Found(found.counts, _by_bm25(found.matches, question)[:WINDOW], found.stamps)

    return Index


def _first_window(mark: Mark) -> type[MemoryIndex]:
    class Index(MemoryIndex):
        """Looks at the best 128 memories by BM25, whoever may see them."""

        _window: frozenset[int] | None = None

        def search(
            self, question: Question, request: RetrievalRequest, policy: Policy, now: str
        ) -> Found:
            self._window = None
            shared = self._shared(question.tokens.tokens)
            if len(shared) > WINDOW:
                mark()
                rows = {record.id: (record, number) for record, _, number in self._bodies(shared)}
                every = [Match(record, shared[number]) for record, number in rows.values()]
                best = _by_bm25(every, question)[:WINDOW]
                self._window = frozenset(rows[match.record.id][1] for match in best)
            return super().search(question, request, policy, now)

        def _shared(self, tokens: Iterable[str]) -> Counter[int]:
            shared = super()._shared(tokens)
            if self._window is None:
                return shared
            return Counter({n: count for n, count in shared.items() if n in self._window})

    return Index


def _hint_window(mark: Mark) -> type[MemoryIndex]:
    class Index(MemoryIndex):
        """Looks at the first 128 memories of a hinted type."""

        def _hinted(self, question: Question) -> frozenset[int]:
            hinted = super()._hinted(question)
            if len(hinted) <= WINDOW:
                return hinted
            mark()
            return frozenset(sorted(hinted)[:WINDOW])

    return Index


def _coverage_window(mark: Mark) -> type[MemoryIndex]:
    class Index(MemoryIndex):
        """Hands over the 128 shortest memories that share a token, whatever they cover."""

        def search(
            self, question: Question, request: RetrievalRequest, policy: Policy, now: str
        ) -> Found:
            found = super().search(question, request, policy, now)
            if found.counts.candidates <= WINDOW:
                return found
            mark()
            short = sorted(found.matches, key=lambda match: len(match.record.content))
            # The window is full of what can't pass, and which is shorter.
            room = max(0, WINDOW - (found.counts.candidates - len(found.matches)))
            return Found(found.counts, short[:room], found.stamps)

    return Index


class Troubled(HybridStore):
    """A store that knows another way out when its index is in trouble."""

    noted: Mark

    def _without_index(self, request: RetrievalRequest) -> Retrieval:
        return super()._retrieve(request)

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        try:
            self._with_index(lambda index: None)
        except IndexTrouble:
            type(self).noted()
            return self._without_index(request)
        return super()._retrieve(request)


def _troubled(body: type[HybridStore]) -> Seed:
    return store(lambda mark: type("Store", (body,), {"noted": mark}))


class _FindsNothing(Troubled):
    def _without_index(self, request: RetrievalRequest) -> Retrieval:
        return self._pipeline.retrieve([], request, policy=self._policy, now=self._now)


def _old_gate(query: str, mode: RelevanceMode, constants: Constants) -> Gate:
    return gate_for(query, "historical-v1", constants)


class _LetsAllIn(Troubled):
    def _without_index(self, request: RetrievalRequest) -> Retrieval:
        with swapped(self, gate_for=_old_gate):
            return HybridStore._retrieve(self, request)


class _Snapshot(Troubled):
    """In trouble it answers out of what the files held when all was well."""

    def _begin(self) -> None:
        super()._begin()
        self._snapshot: list[Any] = []

    def _retrieve(self, request: RetrievalRequest) -> Retrieval:
        with contextlib.suppress(IndexTrouble):
            self._with_index(lambda index: None)
            self._cache.refresh()
            self._snapshot = list(self._cache.records.values())
        return super()._retrieve(request)

    def _without_index(self, request: RetrievalRequest) -> Retrieval:
        return self._pipeline.retrieve(self._snapshot, request, policy=self._policy, now=self._now)


class _StaleWhenWarm(HybridStore):
    """Compares index and files at its first question only."""

    noted: Mark
    _compared = False

    def _asked_as_it_is(self, index: MemoryIndex, ask: Callable[[MemoryIndex], Any]) -> Any:
        if not self._compared:
            self._compared = True
            return super()._asked_as_it_is(index, ask)
        type(self).noted()
        with index.reading():
            return (ask(index),)

    def _still_so(self, found: Found, retrieval: Retrieval) -> bool:
        return True


class _NamesThePath(HybridStore):
    """Says which file is in trouble."""

    noted: Mark

    def _counted(self) -> tuple[int, int, IndexDiagnostics, dict[str, int]]:
        kept, malformed, index, failures = super()._counted()
        if index.reason is not None:
            type(self).noted()
            index = msgspec.structs.replace(index, reason=f"{index.reason}: {self.root}/index")
        return kept, malformed, index, failures


class _AlwaysReady(HybridStore):
    """Calls its index ready, whatever has become of it."""

    noted: Mark

    def _counted(self) -> tuple[int, int, IndexDiagnostics, dict[str, int]]:
        kept, malformed, index, failures = super()._counted()
        if index.state != "ready":
            type(self).noted()
            index = msgspec.structs.replace(index, state="ready", reason=None)
        return kept, malformed, index, failures


def _fault(name: str, change: str, suffers: str, seed: Seed, breaks: Any, *killers: str) -> Fault:
    return Fault(
        name=name,
        change=change,
        suffers=suffers,
        breaks=breaks,
        killed_by=killers,
        base="hybrid",
        seed=seed,
    )


FAULTS = (
    _fault(
        "bm25-window-of-128",
        "The index hands over the best 128 candidates by BM25.",
        "On a larger store the most important memory is never seen.",
        _indexed(_bm25_window),
        LOSES_NOTHING,
        *foundation(
            "the-most-important-of-301-memories-is-found",
            "the-right-eight-of-301-are-found-in-order",
            "the-most-important-of-301-chinese-memories-is-found",
        ),
    ),
    _fault(
        "window-before-the-scope",
        "The index looks at the best 128 memories by BM25, whoever may see them.",
        "A neighbour with many memories empties the answer.",
        _indexed(_first_window),
        LOSES_NOTHING,
        *foundation(
            "foreign-memories-fill-no-window",
            "filtered-memories-fill-no-window",
            "repeats-fill-no-window",
        ),
    ),
    _fault(
        "window-of-hinted-types",
        "The index looks at the first 128 memories of a hinted type.",
        "Who the user is is lost among what is merely a fact.",
        _indexed(_hint_window),
        LOSES_NOTHING,
        *foundation("the-most-important-of-301-facts-is-found-by-its-type"),
    ),
    _fault(
        "window-of-the-shortest",
        "The index hands over the shortest 128 memories that share a word.",
        "A long memory that answers is lost among short ones that don't.",
        _indexed(_coverage_window),
        LOSES_NOTHING,
        *foundation("the-memory-that-covers-enough-is-found-among-900-that-don-t"),
    ),
    _fault(
        "stale-when-warm",
        "Index and files are compared at the first question only.",
        "What is written in a warm process isn't found until the next start.",
        _troubled(_StaleWhenWarm),
        core("written-is-findable"),
        *core(
            "a-memory-written-after-a-question-is-found",
            "the-newer-of-two-is-found-beside-the-older",
        ),
    ),
    _fault(
        "in-trouble-nothing-is-found",
        "While the index can't be used nothing is found.",
        "A full disk makes the agent forget everything.",
        _troubled(_FindsNothing),
        DECIDES_NOTHING,
        *abstention(
            "a-broken-index-changes-no-selection", "no-trouble-with-the-index-changes-an-answer"
        ),
    ),
    _fault(
        "in-trouble-everything-passes",
        "While the index can't be used the gate lets any match in.",
        "A locked file fills the prompt with chance matches.",
        _troubled(_LetsAllIn),
        DECIDES_NOTHING,
        *abstention("a-broken-index-lets-no-weak-match-in"),
    ),
    _fault(
        "in-trouble-as-before",
        "While the index can't be used the answer is that of before.",
        "What is written or forgotten meanwhile makes no difference.",
        _troubled(_Snapshot),
        DECIDES_NOTHING,
        *abstention(
            "a-memory-written-while-the-index-is-broken-is-found-at-once-and-later",
            "a-memory-forgotten-while-the-index-is-broken-stays-forgotten",
        ),
    ),
    _fault(
        "trouble-names-the-path",
        "The reason that the index is in trouble names its file.",
        "A bug report tells where the user's folders are.",
        _troubled(_NamesThePath),
        DECIDES_NOTHING,
        *abstention("a-broken-index-is-named-without-a-path"),
    ),
    _fault(
        "trouble-is-not-told",
        "The index is called ready, whatever has become of it.",
        "Nobody learns why every answer takes a hundred times as long.",
        _troubled(_AlwaysReady),
        DECIDES_NOTHING,
        *abstention("a-broken-index-is-named-without-a-path"),
    ),
)
