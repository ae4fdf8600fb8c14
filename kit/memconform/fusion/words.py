"""What a text says by its words: content words, synonyms, families of tags, n-grams, tokens.

A content word is what is left when the words are gone that any sentence may have. Chinese writes
no spaces, so its content words are pairs of neighbouring characters, those with a character that
only holds a sentence together left out.

Source: relevance-floor, "The floor stands on raw signals"; budgeted-recall, "Tokens are counted
without a tokenizer".
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

from memconform.retrieval.constants import FOUNDATION
from memconform.retrieval.tokens import has_cjk, normalise, words


def one_by_one(text: str) -> frozenset[str]:
    """A list of words as it is pleasant to read."""
    return frozenset(text.split())


STOP_WORDS = one_by_one(
    # articles, pronouns, prepositions, conjunctions, auxiliaries, question words
    "a an the this that these those it its i me my mine we us our you your he him his she her they "
    "them their who whom whose what which when where why how and or not no nor but if then than so "
    "as at by for from in into of off on onto out over to under up with about after before between "
    "during is are was were be been being am do does did done has have had having can could may "
    "might must shall should will would there here all any some such only own same too very just "
    "also again once more most other each both few s t don didn isn wasn aren user"
)
STOP_CHARACTERS = frozenset(
    "的了是在有和与或及就都而也很到说要去会着没看好这那哪我你他她它们您谁什么怎样吗呢吧啊呀把被让"
    "给对从向用为以之其个一不多少几"
)

# Groups of words for one thing. A word belongs to one group at most.
SYNONYMS: tuple[frozenset[str], ...] = tuple(
    one_by_one(group)
    for group in (
        "laptop notebook 笔记本 笔记本电脑 手提电脑",
        "phone smartphone mobile cellphone 手机",
        "gpu graphics 显卡",
        "car automobile 汽车 轿车",
        "doctor physician 医生 大夫",
        "home house residence lives live 住址 住处 居住 住在",
        "job work occupation profession 工作 职业",
        "allergic allergy allergies 过敏",
        "birthday born 生日 出生",
        "holiday holidays vacation 假期 休假 年假",
        "email mail 邮箱 邮件",
        "supplier vendor 供应商 供货商",
        "price cost pricing 价格 费用",
        "meeting appointment 会议 约见",
    )
)

# What a question about a family of memories says, and the tags that answer it.
FAMILIES: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (
        one_by_one(
            "prefer preference preferences favorite favourite like likes love loves habit habits "
            "hate hates 偏好 喜欢 爱好 习惯 讨厌"
        ),
        one_by_one("preference preferences 偏好 喜好 习惯"),
    ),
    (
        one_by_one("identity profile 身份 名字"),
        one_by_one("identity profile 身份"),
    ),
)


_CJK = re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in FOUNDATION.cjk_ranges) + "]+")


def terms(text: str) -> Iterator[str]:
    """The content words of a text as often as they stand there: Latin ones first, then Chinese."""
    text = normalise(text)
    yield from (word for word in words(text) if word not in STOP_WORDS)
    for match in _CJK.finditer(text):
        run = match.group()
        pairs = pairwise(run) if len(run) > 1 else ((run, ""),)
        yield from (
            first + second
            for first, second in pairs
            if first not in STOP_CHARACTERS and second not in STOP_CHARACTERS
        )


def content_words(text: str) -> tuple[str, ...]:
    """The content words of a text, each once, in the order of ``terms``."""
    return tuple(dict.fromkeys(terms(text)))


_LATIN_SYNONYMS = {
    word: number for number, group in enumerate(SYNONYMS) for word in group if not has_cjk(word)
}
_CJK_SYNONYMS = tuple(
    (word, number) for number, group in enumerate(SYNONYMS) for word in group if has_cjk(word)
)


def synonym_groups(text: str) -> dict[int, frozenset[str]]:
    """The groups of SYNONYMS that a text speaks of, by number, and by which of their words."""
    text = normalise(text)
    said = [(word, _LATIN_SYNONYMS[word]) for word in words(text) if word in _LATIN_SYNONYMS]
    if _CJK.search(text):
        said += [(word, number) for word, number in _CJK_SYNONYMS if word in text]
    found: dict[int, frozenset[str]] = {}
    for word, number in said:
        found[number] = found.get(number, frozenset()) | {word}
    return found


def other_words_for_one_thing(
    asked: dict[int, frozenset[str]], told: dict[int, frozenset[str]]
) -> bool:
    """Whether two texts speak of one thing, each by a word that the other doesn't have.

    Args:
        asked: the synonym groups of one.
        told: those of the other.
    """
    return any(asked[group].isdisjoint(told[group]) for group in asked.keys() & told.keys())


def says_any(text: str, phrases: Iterable[str]) -> bool:
    """Whether a text has one of these: a Latin one as a whole word, a Chinese one anywhere."""
    normal = normalise(text)
    spoken = set(words(normal))
    return any(phrase in (normal if has_cjk(phrase) else spoken) for phrase in phrases)


def families_of(query: str) -> frozenset[str]:
    """The tags, normalised, that answer the families of memories that a question belongs to."""
    return frozenset(tag for asks, answers in FAMILIES if says_any(query, asks) for tag in answers)


def family_hit(families: frozenset[str], tags: Iterable[str]) -> bool:
    """Whether a tag says that a memory belongs to one of these families."""
    return bool(families) and not families.isdisjoint(map(normalise, tags))


def synonyms_of(groups: Iterable[int]) -> tuple[str, ...]:
    """The content words of all words of these groups."""
    return tuple(
        dict.fromkeys(
            w for g in groups for word in sorted(SYNONYMS[g]) for w in content_words(word)
        )
    )


def ngrams(content_words: Iterable[str]) -> frozenset[str]:
    """Slices of three characters of Latin content words, and Chinese content words themselves.

    A Latin word of three characters or fewer is its own slice.
    """
    found: set[str] = set()
    for word in content_words:
        if len(word) <= 3:
            found.add(word)
        else:
            found.update(word[i : i + 3] for i in range(len(word) - 2))
    return frozenset(found)


def tokens(text: str) -> int:
    """What a text costs of a token budget: wide characters, plus a quarter of all others.

    A wide character (Chinese, Japanese, Korean, their punctuation, full-width forms) is about one
    token in every tokenizer, four Latin letters are. Counting four of either to a token lets a
    Chinese text cost a quarter of what it does.
    """
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return wide + math.ceil((len(text) - wide) / 4)
