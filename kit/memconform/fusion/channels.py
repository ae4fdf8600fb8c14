"""Five channels, each with its own question and its own scale.

semantic: what is this about; bm25: which words; graph: which things; time: how new; tags: which
family of memories. Beside them stand three structural signals, which mean "almost certainly".

Source: signal-fusion, "Five channels"; memory-integrity D10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memconform.fusion.constants import FIGURES, Figures
from memconform.fusion.embedding import Embedder, Vector
from memconform.fusion.graph import Graph
from memconform.fusion.memory import Memory
from memconform.fusion.words import (
    content_words,
    families_of,
    family_hit,
    ngrams,
    other_words_for_one_thing,
    synonym_groups,
    terms,
)

_DAY = 24 * 60 * 60
_K1, _B = 1.2, 0.75  # the usual figures of BM25


@dataclass(frozen=True, kw_only=True)
class Signals:
    """Everything that is known of one candidate and one question, on its own scale.

    Attributes:
        semantic: the raw cosine, -1..1; None for a memory that has no vector.
        bm25: 0 and more, without an upper bound.
        graph: 0 and more.
        time: 0..1, halving with every half-life since the memory was written.
        tags: whether a tag says that this belongs to the family that is asked for.
        ngrams: the share of the question's n-grams, 0..1.
        synonym: whether both speak of one thing in different words.
        words: how many content words they share.
    """

    memory: Memory
    semantic: float | None
    bm25: float
    graph: float
    time: float
    tags: bool
    ngrams: float
    synonym: bool
    words: int


def recency(written_at: float, now: float, half_life_days: float) -> float:
    """Halves with every half-life; 1 for a memory that says it was written later than now."""
    return float(0.5 ** (max(0.0, now - written_at) / _DAY / half_life_days))


@dataclass(frozen=True)
class Corpus:
    """What BM25 must know of all memories: how many, how long, and how many have a word."""

    documents: int
    mean_length: float
    having: Counter[str]


def corpus_of(memories: Sequence[Memory]) -> Corpus:
    """The figures of these memories."""
    texts = [list(terms(memory.content)) for memory in memories]
    having = Counter(word for words in texts for word in set(words))
    return Corpus(len(texts), sum(map(len, texts)) / len(texts) if texts else 0.0, having)


def bm25(query: Sequence[str], content: Sequence[str], corpus: Corpus) -> float:
    """Okapi BM25 of content words; 0 without a shared one, never below."""
    counts = Counter(content)
    length = len(content) / corpus.mean_length if corpus.mean_length else 0.0
    total = 0.0
    for word in query:
        count = counts[word]
        if count:
            having = corpus.having[word]
            rarity = math.log(1 + (corpus.documents - having + 0.5) / (having + 0.5))
            total += rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length))
    return total


@dataclass(frozen=True)
class Asked:
    """A question, read once."""

    text: str
    words: tuple[str, ...]
    ngrams: frozenset[str]
    synonyms: dict[int, frozenset[str]]
    families: frozenset[str]
    vector: Vector


def ask(query: str, embedder: Embedder) -> Asked:
    """Reads a question. An index builds its own query from the answer."""
    words = content_words(query)
    [vector] = embedder.encode([query], "query")
    return Asked(query, words, ngrams(words), synonym_groups(query), families_of(query), vector)


def in_a_row(content: str) -> str:
    """The content words of a text with spaces between; it depends on the text alone."""
    return " ".join(terms(content))


def signals_of(
    asked: Asked,
    memory: Memory,
    *,
    told: str,
    semantic: float | None,
    bm25: float,
    graph: float,
    now: float,
    figures: Figures = FIGURES,
) -> Signals:
    """Everything about one candidate.

    Args:
        asked: the question.
        memory: the candidate.
        told: its content, as ``in_a_row`` gives it; a store may keep that.
        semantic: the raw cosine of its vector; None without a vector.
        bm25: its raw score over the corpus that it belongs to.
        graph: the score of its nodes.
        now: seconds since 1970 UTC.
        figures: the figures in force.
    """
    words = set(told.split())
    # A slice never spans two words, so whether any word has it shows in the row of them.
    shared = sum((n in told) if len(n) > 2 else (n in words) for n in asked.ngrams)
    return Signals(
        memory=memory,
        semantic=semantic,
        bm25=bm25,
        graph=graph,
        time=recency(memory.written_at, now, figures.half_life_days),
        tags=family_hit(asked.families, memory.tags),
        ngrams=shared / len(asked.ngrams) if asked.ngrams else 0.0,
        synonym=bool(asked.synonyms)
        and other_words_for_one_thing(asked.synonyms, synonym_groups(memory.content)),
        words=len(words.intersection(asked.words)),
    )


@dataclass(frozen=True)
class Sight:
    """What the channels look with, where all memories are at hand.

    Attributes:
        memories: all that are in scope.
        vectors: by memory id; a memory whose vector is missing has no semantic signal.
        now: seconds since 1970 UTC.
    """

    memories: Sequence[Memory]
    vectors: dict[str, Vector]
    graph: Graph
    embedder: Embedder
    now: float

    def signals(self, query: str, figures: Figures = FIGURES) -> tuple[Signals, ...]:
        """The signals of every memory, in the order that they came in."""
        asked, corpus = ask(query, self.embedder), corpus_of(self.memories)
        return tuple(
            signals_of(
                asked,
                memory,
                told=in_a_row(memory.content),
                semantic=self._cosine(asked.vector, memory.id),
                bm25=bm25(asked.words, list(terms(memory.content)), corpus),
                graph=self.graph.score(asked.words, memory.id),
                now=self.now,
                figures=figures,
            )
            for memory in self.memories
        )

    def _cosine(self, vector: Vector, id: str) -> float | None:
        own = self.vectors.get(id)
        return None if own is None else self.embedder.similarity(vector, own)
