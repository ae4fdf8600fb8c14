"""From text to tokens, and how much of a query a record covers.

Two passes over a text in NFKC and lower case. Words (letters, numbers, underscore) become
``w<word>`` and, when long, a ``g<slice>`` for each three characters, so that an inflected or
misspelt word still meets its neighbours. Chinese, Japanese and Korean write no spaces between
words, so their runs become pairs of neighbouring characters, ``c<pair>``.

Source: retrieval-foundation, "Tokens are words, their slices and CJK pairs".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache

from memconform.model import Record
from memconform.retrieval.constants import FOUNDATION, Constants

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Tokens:
    """Unique tokens in order; ``truncated`` when the text had more than the limit allows."""

    tokens: tuple[str, ...]
    truncated: bool


def normalise(text: str) -> str:
    """NFKC, then lower case: full width, ligatures and capitals make no difference."""
    return unicodedata.normalize("NFKC", text).lower()


@cache
def _cjk_run(ranges: tuple[tuple[int, int], ...]) -> re.Pattern[str]:
    return re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges) + "]+")


def has_cjk(text: str, constants: Constants = FOUNDATION) -> bool:
    """Whether a text, after NFKC, holds any character of the CJK class."""
    return _cjk_run(constants.cjk_ranges).search(unicodedata.normalize("NFKC", text)) is not None


def words(text: str, constants: Constants = FOUNDATION) -> Iterator[str]:
    """The words of a normalised text, in order; CJK runs count as spaces between them."""
    rest = _cjk_run(constants.cjk_ranges).sub(" ", text)
    return (match.group() for match in _WORD.finditer(rest))


def _slices(text: str, length: int) -> Iterator[str]:
    return (text[i : i + length] for i in range(len(text) - length + 1))


def _all_tokens(text: str, constants: Constants) -> Iterator[str]:
    text = normalise(text)
    known: set[str] = set()
    for word in words(text, constants):
        if word in known:  # with all its slices; a long text mostly repeats itself
            continue
        known.add(word)
        yield "w" + word
        if len(word) > constants.gram_length:
            for gram in _slices(word, constants.gram_length):
                yield "g" + gram
    for match in _cjk_run(constants.cjk_ranges).finditer(text):
        run = match.group()
        if len(run) < constants.cjk_gram_length:
            yield "c" + run
        else:
            for pair in _slices(run, constants.cjk_gram_length):
                yield "c" + pair


def _limited(text: str, limit: int, constants: Constants) -> Tokens:
    # A dict keeps the order in which tokens first appear.
    seen: dict[str, None] = {}
    for token in _all_tokens(text, constants):
        if token in seen:
            continue
        if len(seen) >= limit:
            return Tokens(tuple(seen), truncated=True)
        seen[token] = None
    return Tokens(tuple(seen), truncated=False)


def query_tokens(query: str, constants: Constants = FOUNDATION) -> Tokens:
    """The tokens of a query, at most 128."""
    return _limited(query, constants.query_token_limit, constants)


def record_text(record: Record) -> str:
    """What of a record can be found: content, tags, type, kind and locator of each source."""
    sources = (f"{source.kind} {source.locator or ''}" for source in record.sources)
    return "\n".join((record.content, " ".join(record.tags), record.type, *sources))


def record_tokens(record: Record, constants: Constants = FOUNDATION) -> Tokens:
    """The tokens of a record, at most 512."""
    return _limited(record_text(record), constants.record_token_limit, constants)


def overlap(query: Collection[str], record: Set[str]) -> int:
    """How many of a query's tokens a record has."""
    return sum(map(record.__contains__, query))


def share(found: int, asked: int) -> float:
    """Coverage from two counts: found / asked, and 0 when nothing was asked."""
    return found / asked if asked else 0.0


def coverage(query: Collection[str], record: Set[str]) -> float:
    """The share of a query's tokens that a record has, 0..1; 0 for a query without tokens."""
    return share(overlap(query, record), len(query))


def fts_query(tokens: Sequence[str]) -> str:
    """An FTS5 query for any of these tokens; empty without tokens, which FTS5 would refuse.

    It is made of generated tokens alone, quoted one by one: nothing that a user typed reaches
    the index as syntax.
    """
    return " OR ".join('"' + token.replace('"', '""') + '"' for token in tokens)
