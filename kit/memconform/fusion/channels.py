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
    family_hit,
    ngram_overlap,
    same_thing_in_other_words,
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
class Sight:
    """What the channels look with: all memories in scope, their vectors and their graph.

    Attributes:
        vectors: by memory id; a memory whose vector is missing has no semantic signal.
    """

    memories: Sequence[Memory]
    vectors: dict[str, Vector]
    graph: Graph
    embedder: Embedder
    now: float

    def signals(self, query: str, figures: Figures = FIGURES) -> tuple[Signals, ...]:
        """The signals of every memory, in the order that they came in."""
        asked, corpus = content_words(query), corpus_of(self.memories)
        [vector] = self.embedder.encode([query], "query")
        return tuple(
            Signals(
                memory=memory,
                semantic=self._cosine(vector, memory.id),
                bm25=bm25(asked, told, corpus),
                graph=self.graph.score(query, memory.id),
                time=recency(memory.written_at, self.now, figures.half_life_days),
                tags=family_hit(query, memory.tags),
                ngrams=ngram_overlap(query, memory.content),
                synonym=same_thing_in_other_words(query, memory.content),
                words=len(set(asked) & set(told)),
            )
            for memory in self.memories
            for told in (list(terms(memory.content)),)
        )

    def _cosine(self, vector: Vector, id: str) -> float | None:
        own = self.vectors.get(id)
        return None if own is None else self.embedder.similarity(vector, own)
