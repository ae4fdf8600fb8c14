"""Faults of what texts are compared by: tokens, their limits, queries that are read as syntax."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from memconform.faults.fault import Fault, Seed, abstention, core, foundation
from memconform.faults.seams import figure, stage
from memconform.model import Record
from memconform.retrieval import Constants
from memconform.retrieval.tokens import (
    Tokens,
    normalise,
    query_tokens,
    record_text,
    record_tokens,
)

TOKENS = foundation("tokens-are-words-their-slices-and-cjk-pairs")
ANY_TEXT = core("any-text-is-a-query")
CJK_TEXT = core("cjk-text-is-found")
UNRELATED = core("unrelated-means-nothing")

_CJK = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
_FUNCTION_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "for", "in", "is", "it")
)
_FUNCTION_WORDS |= {"of", "on", "or", "the", "to", "was", "with"}


def _no_nfkc(text: str) -> str:
    return text.lower()


def _no_lower(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _no_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", normalise(text))
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


def _pairs(run: str) -> Iterator[str]:
    return (run[i : i + 2] for i in range(len(run) - 1)) if len(run) > 1 else iter((run,))


def _whole(run: str) -> Iterator[str]:
    return iter((run,))


def _inside(run: str) -> Iterator[str]:
    yield from _pairs(run)
    if len(run) > 1:
        yield from run


@dataclass(frozen=True)
class Tokenizer:
    """A tokenizer like foundation's, of which one rule at a time can be another."""

    normal: Callable[[str], str] = normalise
    word: str = r"\w+"
    shortest_sliced: int = 4
    cjk: Callable[[str], Iterator[str]] = _pairs
    cjk_first: bool = False
    cjk_ends_word: bool = True

    def tokens(self, text: str, limit: int) -> Tokens:
        """The tokens of a text, at most so many."""
        text = self.normal(text)
        rest = _CJK.sub(" " if self.cjk_ends_word else "", text)
        words = [token for word in re.findall(self.word, rest) for token in self._of_word(word)]
        cjk = ["c" + part for run in _CJK.findall(text) for part in self.cjk(run)]
        unique = tuple(dict.fromkeys([*cjk, *words] if self.cjk_first else [*words, *cjk]))
        return Tokens(unique[:limit], len(unique) > limit)

    def _of_word(self, word: str) -> Iterator[str]:
        yield "w" + word
        if len(word) >= self.shortest_sliced:
            yield from ("g" + word[i : i + 3] for i in range(len(word) - 2))

    def seed(self) -> Seed:
        """Seeds it for records and queries alike."""

        def of_query(query: str, constants: Constants) -> Tokens:
            return self.tokens(query, constants.query_token_limit)

        def of_record(record: Record, constants: Constants) -> Tokens:
            return self.tokens(record_text(record), constants.record_token_limit)

        return stage(query_tokens=of_query, record_tokens=of_record)


def _searching(text: Callable[[Record], str]) -> Seed:
    """Seeds that another text of a record is searched."""

    def of_record(record: Record, constants: Constants) -> Tokens:
        return query_tokens(text(record), _record_limit(constants))

    return stage(record_tokens=of_record)


def _record_limit(constants: Constants) -> Constants:
    return dataclasses.replace(constants, query_token_limit=constants.record_token_limit)


def _without_tags(record: Record) -> str:
    return record_text(_replace(record, tags=[]))


def _without_sources(record: Record) -> str:
    return record_text(_replace(record, sources=[]))


def _without_type(record: Record) -> str:
    sources = (f"{source.kind} {source.locator or ''}" for source in record.sources)
    return "\n".join((record.content, " ".join(record.tags), *sources))


def _with_everything(record: Record) -> str:
    excerpts = (source.excerpt or "" for source in record.sources)
    places = (record.workspace or "", record.project or "")
    return "\n".join((record_text(record), record.id, *places, *excerpts))


def _replace(record: Record, **changes: object) -> Record:
    return msgspec.structs.replace(record, **changes)


def _reading(change: Callable[[str], str]) -> Seed:
    """Seeds that a query is changed before it is read."""

    def of_query(query: str, constants: Constants) -> Tokens:
        return query_tokens(change(query), constants)

    return stage(query_tokens=of_query)


def _without_operators(query: str) -> str:
    return " ".join(word for word in query.split() if word not in {"AND", "OR", "NOT", "NEAR"})


def _without_excluded(query: str) -> str:
    """A hyphen before a word excludes it, as in a web search; so does one inside a word."""
    return re.sub(r"-\S*", " ", query)


def _before_the_mark(query: str) -> str:
    """What follows a mark is thrown away with it."""
    return re.split(r"[^\w\s]", query, maxsplit=1)[0]


def _without_column(query: str) -> str:
    return re.sub(r"\b\w+:(?=\w)", "", query)


def _without_numbers(query: str) -> str:
    return re.sub(r"[0-9]+", " ", query)


def _without_function_words(query: str) -> str:
    return " ".join(word for word in query.split() if word.lower() not in _FUNCTION_WORDS)


def _first_line(query: str) -> str:
    return re.split("[\x00-\x1f]", query, maxsplit=1)[0]


def _star_query(query: str, constants: Constants) -> Tokens:
    """A star after a word asks for whatever begins with it."""
    found = query_tokens(query, constants)
    stems = {part.split()[-1] for part in normalise(query).split("*")[:-1] if part.split()}
    asked = tuple("p" + token[1:] if token[1:] in stems else token for token in found.tokens)
    return Tokens(tuple(t for t in asked if not stems or t[0] != "g"), found.truncated)


def _star_record(record: Record, constants: Constants) -> Tokens:
    """The beginnings of all words, for stars to meet."""
    found = record_tokens(record, constants)
    words = [token[1:] for token in found.tokens if token.startswith("w")]
    starts = [f"p{word[:length]}" for word in words for length in range(1, len(word) + 1)]
    return Tokens((*found.tokens, *dict.fromkeys(starts)), found.truncated)


def _never_cut(query: str, constants: Constants) -> Tokens:
    return Tokens(query_tokens(query, constants).tokens, truncated=False)


def _raw_when_empty(query: str, constants: Constants) -> Tokens:
    """A query without a token is looked for as the type word that every record has."""
    found = query_tokens(query, constants)
    return found if found.tokens else Tokens(("wfact",), truncated=False)


def _repeated(query: str, constants: Constants) -> Tokens:
    """Words that occur again are counted again."""
    found = query_tokens(query, constants)
    counted = Counter(re.findall(r"\w+", normalise(query)))
    again = [f"w{word}" for word, times in counted.items() for _ in range(times - 1)]
    return Tokens((*found.tokens, *again), found.truncated)


FAULTS = (
    Fault(
        name="slices-of-two",
        change="Words longer than two give slices of two characters instead of three.",
        suffers="Words that share two letters count as related, and strangers reach the prompt.",
        breaks=TOKENS,
        killed_by=foundation("a-text-has-the-tokens-of-the-page"),
        base="filesystem",
        seed=figure(gram_length=2),
    ),
    Fault(
        name="slices-of-four",
        change="Words longer than four give slices of four characters instead of three.",
        suffers="An inflected word no longer meets its neighbours.",
        breaks=TOKENS,
        killed_by=foundation("a-text-has-the-tokens-of-the-page"),
        base="filesystem",
        seed=figure(gram_length=4),
    ),
    Fault(
        name="short-words-are-sliced",
        change="A word of just three characters gives a slice, too.",
        suffers="A short word counts double, and a part of a longer one passes for it.",
        breaks=TOKENS,
        killed_by=foundation("a-short-word-is-found-whole-or-not-at-all"),
        base="filesystem",
        seed=Tokenizer(shortest_sliced=3).seed(),
    ),
    Fault(
        name="words-are-not-sliced",
        change="Words give no slices.",
        suffers="A plural finds nothing that was written in the singular.",
        breaks=TOKENS,
        killed_by=foundation("a-text-has-the-tokens-of-the-page"),
        base="filesystem",
        seed=Tokenizer(shortest_sliced=10_000).seed(),
    ),
    Fault(
        name="cjk-slices-of-three",
        change="CJK runs give slices of three characters instead of two.",
        suffers="A Chinese word of two characters is not found inside a sentence.",
        breaks=CJK_TEXT,
        killed_by=core("two-chinese-characters-find-their-sentence"),
        base="filesystem",
        seed=figure(cjk_gram_length=3),
    ),
    Fault(
        name="cjk-slices-of-one",
        change="CJK runs give their single characters instead of pairs.",
        suffers="Every Chinese sentence that shares a frequent character is an answer.",
        breaks=TOKENS,
        killed_by=foundation("a-lone-cjk-character-finds-a-lone-one"),
        base="filesystem",
        seed=figure(cjk_gram_length=1),
    ),
    Fault(
        name="cjk-sentence-is-one-word",
        change="A run of CJK characters is one token, as in the default tokenizer of FTS5.",
        suffers="A Chinese memory is found only by whoever types the whole of it.",
        breaks=CJK_TEXT,
        killed_by=core(
            "two-chinese-characters-find-their-sentence",
            "two-japanese-characters-find-their-sentence",
            "two-korean-syllables-find-their-sentence",
        ),
        base="filesystem",
        seed=Tokenizer(cjk=_whole).seed(),
    ),
    Fault(
        name="cjk-characters-beside-pairs",
        change="A CJK run gives its single characters beside its pairs.",
        suffers="A sentence with one character in common gets a share of the coverage.",
        breaks=TOKENS,
        killed_by=foundation("a-lone-cjk-character-finds-a-lone-one"),
        base="filesystem",
        seed=Tokenizer(cjk=_inside).seed(),
    ),
    Fault(
        name="cjk-does-not-end-a-word",
        change="Latin words on both sides of a CJK run are read as one word.",
        suffers="A product name inside a Chinese sentence can't be found.",
        breaks=TOKENS,
        killed_by=foundation("a-text-has-the-tokens-of-the-page"),
        base="filesystem",
        seed=Tokenizer(cjk_ends_word=False).seed(),
    ),
    Fault(
        name="no-hangul",
        change="Korean syllables are left out of the CJK class.",
        suffers="A Korean memory is found only by whole words as they were inflected.",
        breaks=CJK_TEXT,
        killed_by=core("two-korean-syllables-find-their-sentence"),
        base="filesystem",
        seed=figure(cjk_ranges=((0x3400, 0x9FFF), (0x3040, 0x30FF))),
    ),
    Fault(
        name="no-kana",
        change="Hiragana and katakana are left out of the CJK class.",
        suffers="A Japanese memory is found only by the whole of a phrase.",
        breaks=CJK_TEXT,
        killed_by=core("two-japanese-characters-find-their-sentence"),
        base="filesystem",
        seed=figure(cjk_ranges=((0x3400, 0x9FFF), (0xAC00, 0xD7AF))),
    ),
    Fault(
        name="ideographs-from-4e00",
        change="The CJK class begins at U+4E00, without extension A.",
        suffers="Names with a rare character are looked up as if they were Latin.",
        breaks=TOKENS,
        killed_by=foundation("a-text-has-the-tokens-of-the-page"),
        base="filesystem",
        seed=figure(cjk_ranges=((0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF))),
    ),
    Fault(
        name="ideographs-end-at-9fa5",
        change="The CJK class ends at U+9FA5, as in the first version of Unicode.",
        suffers="Characters that were added later are looked up as if they were Latin.",
        breaks=TOKENS,
        killed_by=foundation("a-text-has-the-tokens-of-the-page"),
        base="filesystem",
        seed=figure(cjk_ranges=((0x3400, 0x9FA5), (0x3040, 0x30FF), (0xAC00, 0xD7AF))),
    ),
    Fault(
        name="width-matters",
        change="Texts are compared without NFKC.",
        suffers="What was typed in full width is not found in ordinary letters.",
        breaks=(*TOKENS, *CJK_TEXT),
        killed_by=(
            *foundation("full-width-text-is-the-same-text"),
            *core("full-and-half-width-find-each-other"),
        ),
        base="filesystem",
        seed=Tokenizer(normal=_no_nfkc).seed(),
    ),
    Fault(
        name="capitals-matter",
        change="Texts are compared without lower-casing them.",
        suffers="A name typed in small letters finds nothing.",
        breaks=core("written-is-findable"),
        killed_by=core("capital-and-small-letters-find-the-same"),
        base="filesystem",
        seed=Tokenizer(normal=_no_lower).seed(),
    ),
    Fault(
        name="accents-do-not-matter",
        change="Accents are taken off before texts are compared.",
        suffers="Two words that differ in an accent are taken for one.",
        breaks=TOKENS,
        killed_by=foundation("an-accent-makes-another-word"),
        base="filesystem",
        seed=Tokenizer(normal=_no_accents).seed(),
    ),
    Fault(
        name="underscore-parts-words",
        change="An underscore ends a word.",
        suffers="An identifier finds every text that holds its parts.",
        breaks=TOKENS,
        killed_by=foundation("an-underscore-belongs-to-a-word"),
        base="filesystem",
        seed=Tokenizer(word=r"[^\W_]+").seed(),
    ),
    Fault(
        name="only-ascii-words",
        change="Only the letters of ASCII make words.",
        suffers="A memory in Greek, Russian or with umlauts can't be found.",
        breaks=TOKENS,
        killed_by=foundation("a-word-of-any-alphabet-is-found"),
        base="filesystem",
        seed=Tokenizer(word=r"[a-z0-9_]+").seed(),
    ),
    Fault(
        name="cjk-tokens-first",
        change="CJK tokens come before words, and so get the room where the limit binds.",
        suffers="Of a long mixed text the words are lost, and the index disagrees about it.",
        breaks=TOKENS,
        killed_by=foundation("words-come-before-cjk-text-in-the-limit"),
        base="filesystem",
        seed=Tokenizer(cjk_first=True).seed(),
    ),
    Fault(
        name="record-stops-at-511-tokens",
        change="A record has at most 511 tokens instead of 512.",
        suffers="The end of a long memory is lost a word earlier than declared.",
        breaks=TOKENS,
        killed_by=foundation("a-record-stops-at-512-tokens"),
        base="filesystem",
        seed=figure(record_token_limit=511),
    ),
    Fault(
        name="record-stops-at-513-tokens",
        change="A record has at most 513 tokens instead of 512.",
        suffers="Two stores of one design find different memories for one question.",
        breaks=TOKENS,
        killed_by=foundation("a-record-stops-at-512-tokens"),
        base="filesystem",
        seed=figure(record_token_limit=513),
    ),
    Fault(
        name="record-stops-at-64-tokens",
        change="A record has at most 64 tokens.",
        suffers="What stands at the end of a paragraph can't be found.",
        breaks=core("written-is-findable"),
        killed_by=core("the-last-words-of-a-longer-memory-find-it"),
        base="filesystem",
        seed=figure(record_token_limit=64),
    ),
    Fault(
        name="query-stops-at-127-tokens",
        change="A query has at most 127 tokens instead of 128.",
        suffers="A long question loses its last word.",
        breaks=TOKENS,
        killed_by=foundation("a-query-of-128-tokens-is-whole"),
        base="filesystem",
        seed=figure(query_token_limit=127),
    ),
    Fault(
        name="query-stops-at-129-tokens",
        change="A query has at most 129 tokens instead of 128.",
        suffers="The same long question has another coverage than in the design.",
        breaks=TOKENS,
        killed_by=foundation("a-query-of-129-tokens-is-cut"),
        base="filesystem",
        seed=figure(query_token_limit=129),
    ),
    Fault(
        name="cut-query-not-told",
        change="The trace never says that a query was cut.",
        suffers="Nobody learns why the end of a long question had no effect.",
        breaks=TOKENS,
        killed_by=foundation("a-query-stops-at-128-tokens"),
        base="filesystem",
        seed=stage(query_tokens=_never_cut),
    ),
    Fault(
        name="repeated-token-counts-twice",
        change="A token that occurs twice in a query is counted twice.",
        suffers="Repeating a word makes a memory more relevant.",
        breaks=TOKENS,
        killed_by=foundation("a-text-has-the-tokens-of-the-page"),
        base="filesystem",
        seed=stage(query_tokens=_repeated),
    ),
    Fault(
        name="tags-are-not-searched",
        change="The tags of a record are left out of its text.",
        suffers="A memory is not found by the very label that its owner gave it.",
        breaks=TOKENS,
        killed_by=foundation("every-part-of-a-record-s-text-is-found"),
        base="filesystem",
        seed=_searching(_without_tags),
    ),
    Fault(
        name="type-is-not-searched",
        change="The type of a record is left out of its text.",
        suffers="Asking for decisions by that word finds them worse than the design says.",
        breaks=TOKENS,
        killed_by=foundation("every-part-of-a-record-s-text-is-found"),
        base="filesystem",
        seed=_searching(_without_type),
    ),
    Fault(
        name="sources-are-not-searched",
        change="The sources of a record are left out of its text.",
        suffers="A memory is not found by the name of the file that it came from.",
        breaks=TOKENS,
        killed_by=foundation("a-source-s-file-name-is-found"),
        base="filesystem",
        seed=_searching(_without_sources),
    ),
    Fault(
        name="everything-is-searched",
        change="Id, place and excerpts of a record are searched, too.",
        suffers="A folder's name in the question brings in every memory of the folder.",
        breaks=TOKENS,
        killed_by=foundation("nothing-else-of-a-record-is-found"),
        base="filesystem",
        seed=_searching(_with_everything),
    ),
    Fault(
        name="hyphen-excludes",
        change="A hyphen in a query excludes what follows it.",
        suffers="multi-agent, POL-358 and every other name with a hyphen finds nothing.",
        breaks=ANY_TEXT,
        killed_by=core("its-literal-text-finds-a-memory"),
        base="filesystem",
        seed=_reading(_without_excluded),
    ),
    Fault(
        name="query-ends-at-a-mark",
        change="A mark that the index would stumble over ends the query.",
        suffers="A question that begins with a quotation finds nothing.",
        breaks=(*ANY_TEXT, *TOKENS),
        killed_by=(
            *core("its-literal-text-finds-a-memory"),
            *foundation("a-mark-in-a-query-changes-nothing"),
        ),
        base="filesystem",
        seed=_reading(_before_the_mark),
    ),
    Fault(
        name="operators-are-dropped",
        change="AND, OR, NOT and NEAR are taken out of a query.",
        suffers="A text with such a word in capitals can't be asked for by it.",
        breaks=TOKENS,
        killed_by=foundation("an-operator-alone-finds-its-word"),
        base="filesystem",
        seed=_reading(_without_operators),
    ),
    Fault(
        name="column-filter-works",
        change="A word before a colon names a column and isn't looked for.",
        suffers="A question about localhost:8080 is answered by anything with the number.",
        breaks=TOKENS,
        killed_by=foundation("no-query-reaches-a-column-or-a-pattern"),
        base="filesystem",
        seed=_reading(_without_column),
    ),
    Fault(
        name="star-is-a-pattern",
        change="A star after a word asks for everything that begins with it.",
        suffers="A stray star makes half of the memories an answer.",
        breaks=TOKENS,
        killed_by=foundation("no-query-reaches-a-column-or-a-pattern"),
        base="filesystem",
        seed=stage(query_tokens=_star_query, record_tokens=_star_record),
    ),
    Fault(
        name="numbers-are-not-searched",
        change="Figures are taken out of a query.",
        suffers="20.04 and 22.04 are the same question, and both find nothing.",
        breaks=ANY_TEXT,
        killed_by=core("its-literal-text-finds-a-memory"),
        base="filesystem",
        seed=_reading(_without_numbers),
    ),
    Fault(
        name="control-character-ends-the-query",
        change="A control character ends the query.",
        suffers="A question pasted over two lines loses the second.",
        breaks=ANY_TEXT,
        killed_by=core("control-characters-between-words-are-no-obstacle"),
        base="filesystem",
        seed=_reading(_first_line),
    ),
    Fault(
        name="no-token-finds-facts",
        change="A query without a token is answered by every fact.",
        suffers="An empty question fills the prompt.",
        breaks=(*ANY_TEXT, *TOKENS),
        killed_by=(
            *core("a-text-without-any-word-finds-nothing", "an-empty-or-blank-text-finds-nothing"),
            *foundation("a-query-without-a-token-finds-nothing"),
            *abstention("a-question-without-a-word-leaves-no-block"),
        ),
        base="filesystem",
        seed=stage(query_tokens=_raw_when_empty),
    ),
    Fault(
        name="stop-words-vanish",
        change="Function words are taken out of a query, though the store declares to keep them.",
        suffers="A memory that is found by what remains isn't the one that was asked for.",
        breaks=UNRELATED,
        killed_by=core("function-words-that-a-memory-holds-count-as-declared"),
        base="filesystem",
        seed=_reading(_without_function_words),
    ),
)
