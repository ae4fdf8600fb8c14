"""my-memory: an agent memory that keeps everything in a dictionary and finds it by words.

Replace it piece by piece: ``Store`` is what memconform talks to, one method an operation.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from dataclasses import dataclass

from memconform.model import (
    Access,
    Done,
    GetResult,
    RecallResult,
    RecordDraft,
    Settings,
    WriteResult,
    created,
    done,
    hit,
    recalled,
)
from memconform.protocol import Invalid, NotFound, System, policies, system

# A memory answers a question when it has at least this part of the question's words. Without such
# a floor, any one common word would bring back memories that have nothing to do with it.
FLOOR = 0.5

# Words that say nothing about what a text is about. Single letters (the t of "don't") are left
# out of questions as well, see asked_words.
_SAY_NOTHING = """
about am an and are as at be been but by can could did do does for from had has have he her his how
if in into is it its me my no not of on or our she should so than that the their them then there
these they this those to us was we were what when where which who whose why will with would you your
"""
STOP_WORDS = frozenset(_SAY_NOTHING.split())

# Chinese, Japanese and Korean: kana with the long-vowel mark, ideographs, syllables.
_CJK = (
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
# A run of one kind or the other: in "我们用Redis缓存", Redis is a word of its own.
_RUNS = re.compile(f"(?P<cjk>[{_CJK}]+)|[^ {_CJK}]+")


def words(text: str) -> set[str]:
    """The words of a text, in one spelling for all ways to write them.

    NFKC turns full-width ＡＢＣ into ABC; punctuation, emoji and operators are between words.
    Chinese, Japanese and Korean put no spaces between words, so each two neighbouring characters
    count as one: 起重机 gives 起重 and 重机.
    """
    text = unicodedata.normalize("NFKC", text).lower()
    # Letters, the marks that belong to them, and numbers; anything else is as good as a space.
    text = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in text)
    found: set[str] = set()
    for run in _RUNS.finditer(text):
        word = run.group()
        if run["cjk"] and len(word) > 1:
            found.update(word[i : i + 2] for i in range(len(word) - 1))
        else:
            found.add(word)
    return found


def asked_words(query: str) -> set[str]:
    """The words of a question that a memory has to answer."""
    return {
        word
        for word in words(query) - STOP_WORDS
        if len(word) > 1 or word.isdigit() or not word.isascii()
    }


def place_of(workspace: str | None) -> str | None:
    """A workspace is a path: /srv//team/ and /srv/x/../team are the same place as /srv/team."""
    return None if workspace is None else posixpath.normpath(workspace)


@dataclass
class Memory:
    """One memory. A forgotten one keeps its id and its place, not its text."""

    place: str | None
    content: str | None
    words: set[str]


class Store:
    """What was written since it was opened; two stores know nothing of each other."""

    def __init__(self, settings: Settings) -> None:
        self.memories: dict[str, Memory] = {}

    def write(self, record: RecordDraft) -> WriteResult:
        """Keep one memory; the same text twice is two memories."""
        if not record.content.strip():
            raise Invalid("a memory needs a text", {"field": "content"})
        if record.scope not in (None, "workspace"):
            raise Invalid("the only scope here is workspace", {"field": "scope"})
        id = f"memory-{len(self.memories) + 1}"
        self.memories[id] = Memory(
            place_of(record.workspace), record.content, words(record.content)
        )
        return created(id)

    def recall(self, query: str, access: Access, limit: int | None = None) -> RecallResult:
        """The memories of the caller's workspace that have enough of the words, most first."""
        asked, place = asked_words(query), place_of(access.workspace)
        found = []
        for id, memory in self.memories.items():
            if memory.content is None or memory.place != place or not asked:
                continue
            covered = len(asked & memory.words) / len(asked)
            if covered >= FLOOR:
                found.append((-covered, len(memory.words), hit(id, memory.content)))
        # The order depends on the memories alone: equally good ones stay as they were written.
        found.sort(key=lambda item: item[:2])
        hits = [item[2] for item in found]
        return recalled(hits if limit is None else hits[: max(limit, 0)])

    def forget(self, id: str, access: Access) -> Done:
        """Take the text away; there is no copy of it that could come back."""
        memory = self._find(id, access)
        memory.content, memory.words = None, set()
        return done()

    def get(self, id: str, access: Access) -> GetResult:
        """One memory, or that it was forgotten."""
        content = self._find(id, access).content
        record = hit(id, content, "forgotten" if content is None else "active")
        return GetResult(record=record, namespace=None)

    def close(self) -> None:
        """Give back what the store holds."""
        self.memories.clear()

    def _find(self, id: str, access: Access) -> Memory:
        memory = self.memories.get(id)
        # Another workspace's memory isn't even admitted to exist.
        if memory is None or memory.place != place_of(access.workspace):
            raise NotFound(f"there is no memory {id!r} in this workspace", {"id": id})
        return memory


def factory() -> System:
    """Who this is, what it can do beyond the required operations, and what it chooses."""
    return system(
        Store,
        name="my-memory",
        version="0.1.0",
        capabilities=["workspaces"],
        policies=policies(
            scope_levels=["workspace"],
            stop_words="filtered",
            token_classes=["word", "number", "cjk-bigram"],
        ),
    )
