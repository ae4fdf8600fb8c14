"""my-memory: an agent memory as an MCP server, over one SQLite file.

``python server.py FILE`` answers on standard input and output. Replace it piece by piece: each tool
is a function, and ``mapping.toml`` says which of memconform's operations it is.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
import sys
import unicodedata
from dataclasses import dataclass

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

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

server = MCPServer("my-memory", version="0.1.0")
FILE = sys.argv[1] if len(sys.argv) > 1 else ":memory:"
# Tools run in threads of the package's own; SQLite sees to it that they don't meet.
database = sqlite3.connect(FILE, isolation_level=None, check_same_thread=False)
# A forgotten memory keeps its row, so that its id stays known, and loses its text.
database.execute("""
    create table if not exists memories (
        id integer primary key autoincrement,
        collection text not null,
        workspace text not null,
        text text
    )
""")
database.execute("pragma secure_delete = on")  # what is forgotten is overwritten in the file too


@dataclass
class Memory:
    """A memory as an agent sees it; of a forgotten one the text is null."""

    id: int
    text: str | None
    forgotten: bool


@server.tool()
def remember(text: str, collection: str = "main", workspace: str = "") -> Memory:
    """Keep a memory in a workspace, which is a path; collections know nothing of each other."""
    if not text.strip():
        raise ToolError("Refused: a memory needs a text.")
    place = (collection, place_of(workspace))
    row = database.execute(
        "insert into memories (collection, workspace, text) values (?, ?, ?) returning id",
        (*place, text),
    ).fetchone()
    return Memory(row[0], text, forgotten=False)


@server.tool()
def search(
    query: str, collection: str = "main", workspace: str = "", limit: int | None = None
) -> list[Memory]:
    """The memories that have at least half of the question's words, the best first."""
    asked = asked_words(query)
    found = []
    rows = database.execute(
        "select id, text from memories"
        " where collection = ? and workspace = ? and text is not null order by id",
        (collection, place_of(workspace)),
    )
    for id, text in rows:
        has = words(text)
        covered = len(asked & has) / len(asked) if asked else 0.0
        if covered >= FLOOR:
            found.append((-covered, len(has), Memory(id, text, forgotten=False)))
    # The order depends on the memories alone: equally good ones stay as they were written.
    found.sort(key=lambda item: item[:2])
    memories = [item[2] for item in found]
    return memories if limit is None else memories[: max(limit, 0)]


@server.tool()
def read(id: int, collection: str = "main", workspace: str = "") -> Memory:
    """One memory by its id, or that it was forgotten."""
    row = database.execute(
        "select text from memories where id = ? and collection = ? and workspace = ?",
        (id, collection, place_of(workspace)),
    ).fetchone()
    # Another workspace's memory isn't even admitted to exist.
    if row is None:
        raise ToolError(f"Not found: there is no memory {id} in this workspace.")
    return Memory(id, row[0], forgotten=row[0] is None)


@server.tool()
def forget(id: int, collection: str = "main", workspace: str = "") -> str:
    """Take a memory's text away, at once and everywhere."""
    read(id, collection, workspace)
    database.execute("update memories set text = null where id = ?", (id,))
    return f"Memory {id} is forgotten."


def place_of(workspace: str) -> str:
    """A workspace is a path: /srv//team/ and /srv/x/../team are the same place as /srv/team."""
    return posixpath.normpath(workspace) if workspace else ""


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


if __name__ == "__main__":
    server.run()
