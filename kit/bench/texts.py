"""Made-up memories and questions: seeded, the same on every machine, about as long as real ones.

Words are built of syllables and drawn as natural words are, a few of them often and most of them
rarely. Lengths are counted in tokens of the foundation design: a word, and each three characters of
a long one.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memconform.retrieval.tokens import query_tokens

RECORD_TOKENS = (85, 125)  # 105 in the middle
SHORT_WORDS = (2, 4)
LONG_TOKENS = (30, 60)
OWN_SHARE = 0.6  # of a long question's words are the memory's own

_VOCABULARY = 20_000
_OFTEN = 10  # the larger, the less do the commonest words stand out
_ONSETS = ("", *"bcdfghjklmnprstvwz", "br", "ch", "cl", "dr", "fl", "gr", "pl", "pr", "sh", "st")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "", "l", "n", "r", "s", "t", "nd", "st", "ck", "m")


@dataclass(frozen=True)
class Question:
    """A question, and the place in the row of memories of the one that it is about."""

    text: str
    about: int


class Texts:
    """Memories and questions out of one seed.

    Args:
        seed: another seed is another language.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - texts, no secrets
        self._words = self._vocabulary()
        weights = [1 / (place + _OFTEN) for place in range(len(self._words))]
        self._weights = list(itertools.accumulate(weights))

    def memories(self, number: int) -> list[str]:
        """So many texts; a longer row of the same seed begins with the shorter one."""
        return [self._text(self._random.randint(*RECORD_TOKENS)) for _ in range(number)]

    def short(self, memories: list[str]) -> Iterator[Question]:
        """Questions of two to four words of one memory, without end."""
        while True:
            about, words = self._pick(memories)
            asked = self._random.sample(words, min(len(words), self._random.randint(*SHORT_WORDS)))
            yield Question(" ".join(asked), about)

    def long(self, memories: list[str]) -> Iterator[Question]:
        """Questions of 30 to 60 tokens, a good part of them of one memory, without end."""
        while True:
            about, own = self._pick(memories)
            self._random.shuffle(own)
            shortest, longest = LONG_TOKENS
            wanted = self._random.randint(shortest, longest)
            asked: list[str] = []
            known: set[str] = set()
            while len(known) < wanted:
                mine = own and self._random.random() < OWN_SHARE
                word = own.pop() if mine else self._word()
                if len(known | tokens(word)) <= longest:
                    asked.append(word)
                    known |= tokens(word)
            yield Question(" ".join(asked), about)

    def _pick(self, memories: list[str]) -> tuple[int, list[str]]:
        about = self._random.randrange(len(memories))
        return about, list(dict.fromkeys(memories[about].split()))

    def _text(self, length: int) -> str:
        words: list[str] = []
        known: set[str] = set()
        while len(known) < length:
            words.append(self._word())
            known |= tokens(words[-1])
        return " ".join(words)

    def _word(self) -> str:
        (word,) = self._random.choices(self._words, cum_weights=self._weights)
        return word

    def _vocabulary(self) -> list[str]:
        words: dict[str, None] = {}
        while len(words) < _VOCABULARY:
            syllables = self._random.choices((1, 2, 3), (2, 4, 2))[0]
            parts = (_ONSETS, _VOWELS, _CODAS)
            word = "".join(self._random.choice(part) for part in parts * syllables)
            words[word] = None
        # Short words are the common ones, as in any language.
        return sorted(words, key=lambda word: (len(word) + self._random.random() * 4, word))


@cache
def tokens(word: str) -> frozenset[str]:
    """The tokens of a word; those of a text are those of its words together."""
    return frozenset(query_tokens(word).tokens)
