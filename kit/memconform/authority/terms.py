"""From text to terms, the same for claim and question, and how many of a question's a claim has.

NFKC and lower case; traditional Chinese as simplified; then, in this order and each once: a token
``recall_alias_<group>`` for each synonym group that the text speaks of, the words of two or more
letters, figures and underscores that are no stop words, and the pairs of neighbouring CJK
characters in which none is a stop character.

The tokens of synonyms come first: a limit then cuts the tail of a long text and not the bridge
between two languages.

Source: claim-recall, "Claims and questions have the same terms".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from memconform.authority.constants import AUTHORITY, Constants
from memconform.authority.script import simplified
from memconform.authority.synonyms import SYNONYMS

ALIAS = "recall_alias_"
_STOP_WORDS = """
a about all am an and any are aren as at be been but by can could did do does doesn don for from had
has have he her him his how if in into is isn it its just let ll me my no not of on or our out
please re shall she should so some than that the their them then there these they this those to too
us ve was wasn we were what when where which who whom whose why will with would you your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
STOP_CHARACTERS = frozenset("的了吗呢吧啊呀嘛么是在和与或我你您他她它这那哪谁")
_CJK_RUN = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
_WORD = re.compile(r"\w+")


def normalise(text: str) -> str:
    """NFKC, lower case, simplified: what makes no difference to a reader makes none here."""
    return simplified(unicodedata.normalize("NFKC", text).lower())


def has_cjk(text: str) -> bool:
    """Whether a text holds a CJK character."""
    return _CJK_RUN.search(text) is not None


Group = tuple[str, tuple[str, ...], tuple[str, ...]]


def groups_of(synonyms: Mapping[str, Iterable[str]]) -> tuple[Group, ...]:
    """Of each group its token, its Latin members with spaces around them, and its CJK members."""
    return tuple(
        (
            ALIAS + name,
            tuple(f" {member} " for member in members if not has_cjk(member)),
            tuple(member for member in members if has_cjk(member)),
        )
        for name, members in sorted((name, tuple(of)) for name, of in synonyms.items())
    )


@cache
def _groups() -> tuple[Group, ...]:
    return groups_of(SYNONYMS)


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What makes terms of a text, as replaceable parts.

    Attributes:
        normalise: the text in the one spelling that is compared.
        stop_words: words that are no terms.
        stop_characters: no pair that holds one is a term.
        groups: the groups of synonyms.
        cjk_run: finds the runs that are taken in pairs.
    """

    normalise: Callable[[str], str] = normalise
    stop_words: Set[str] = STOP_WORDS
    stop_characters: Set[str] = STOP_CHARACTERS
    groups: tuple[Group, ...] = field(default_factory=_groups)
    cjk_run: re.Pattern[str] = _CJK_RUN

    def terms(self, text: str, constants: Constants = AUTHORITY) -> Iterator[str]:
        """The terms of a text in order, also those that have been before."""
        text = self.normalise(text)
        words = _WORD.findall(self.cjk_run.sub(" ", text))
        spaced = f" {' '.join(words)} "
        for token, latin, cjk in self.groups:
            if any(member in spaced for member in latin) or any(member in text for member in cjk):
                yield token
        for word in words:
            if len(word) >= constants.least_word and word not in self.stop_words:
                yield word
        for run in self.cjk_run.findall(text):
            for first, second in pairwise(run):
                if first not in self.stop_characters and second not in self.stop_characters:
                    yield first + second


WORDING = Wording()


def _first(terms: Iterable[str], limit: int) -> tuple[str, ...]:
    # A dict keeps the order in which terms first appear.
    seen: dict[str, None] = {}
    for term in terms:
        if len(seen) >= limit:
            break
        seen[term] = None
    return tuple(seen)


def claim_terms(
    content: str,
    tags: Iterable[str] = (),
    constants: Constants = AUTHORITY,
    wording: Wording = WORDING,
) -> tuple[str, ...]:
    """The terms of a claim's content and tags, at most 80."""
    text = "\n".join((content, *tags))
    return _first(wording.terms(text, constants), constants.claim_term_limit)


def query_terms(
    query: str, constants: Constants = AUTHORITY, wording: Wording = WORDING
) -> tuple[str, ...]:
    """The terms of a question, at most 24."""
    return _first(wording.terms(query, constants), constants.query_term_limit)


def lexical(query: Collection[str], claim: Set[str]) -> float:
    """Matched query terms / query terms, 0..1; 0 for a question without terms.

    Args:
        query: the terms of the question.
        claim: the terms and the learned terms of the claim.
    """
    return sum(map(claim.__contains__, query)) / len(query) if query else 0.0
