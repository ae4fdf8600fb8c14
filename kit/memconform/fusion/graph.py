"""Who has what: the edges that a plain sentence states, and what a question shares with them.

``用户的显卡是 RTX 4090`` and ``the user's graphics card is an RTX 4090`` say one thing of one
subject: the subject is the user, never *the user's graphics card*. What it is about is kept as the
qualifier of the edge.

Source: signal-fusion, "The graph knows its subjects"; memory-integrity D1, D8, D9.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memconform.fusion.memory import Memory
from memconform.fusion.words import content_words
from memconform.retrieval.tokens import normalise

USER = "用户"
_USER_NAMES = frozenset(("用户", "我", "本人", "i", "my", "me", "user", "the user", "we", "our"))


@dataclass(frozen=True)
class Edge:
    """One statement. ``memory`` is the id of the memory that states it."""

    subject: str
    relation: str
    object: str
    qualifier: str | None
    memory: str


_END = r"[。．.!！?？;；,，\n]|$"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (relation, re.compile(pattern, re.IGNORECASE))
    for relation, pattern in (
        (
            "is_a",
            rf"(?P<s>[^\s，。,.的]+?)的(?P<q>[^\s，。,.是]+?)(?:是|为)\s*(?P<o>.+?)(?:{_END})",
        ),
        (
            "has",
            rf"(?P<s>用户|我|本人)(?:有|用的是|使用)(?:一[台个只辆部])?\s*(?P<o>.+?)(?:{_END})",
        ),
        (
            "is_a",
            r"(?P<s>\bmy|\bour|\b[\w ]+?(?='s))(?:'s)?\s+(?P<q>[\w][\w -]*?)\s+(?:is|are|was)\s+"
            rf"(?:an?\s+|the\s+)?(?P<o>.+?)(?:{_END})",
        ),
        (
            "has",
            r"(?P<s>\bi|\bthe user)\s+(?:have|has|own|owns|use|uses)\s+"
            rf"(?:an?\s+)?(?P<o>.+?)(?:{_END})",
        ),
        ("manages", rf"(?P<s>\b\w+)\s+manages\s+(?P<o>.+?)(?:{_END})"),
    )
)


def node(text: str) -> str:
    """The name of a node: trimmed, in NFKC lower case, every name of the user the same."""
    name = " ".join(normalise(text).split())
    return USER if name in _USER_NAMES else name


def edges(memory: Memory) -> tuple[Edge, ...]:
    """The statements of a memory, in their order, each once."""
    found: dict[tuple[str, str, str], Edge] = {}
    for relation, pattern in _PATTERNS:
        for match in pattern.finditer(memory.content):
            groups = match.groupdict()
            edge = Edge(
                subject=node(groups["s"]),
                relation=relation,
                object=" ".join(groups["o"].split()),
                qualifier=normalise(groups["q"]).strip() if groups.get("q") else None,
                memory=memory.id,
            )
            found.setdefault((edge.subject, relation, edge.object), edge)
    return tuple(found.values())


def nodes(edge: Edge) -> frozenset[str]:
    """What an edge can be found by: the words of its object, its qualifier and its subject.

    Not the user: nearly every memory is about them, and a channel that all candidates carry tells
    none of them apart.
    """
    subject = () if edge.subject == USER else content_words(edge.subject)
    return frozenset((*subject, *content_words(edge.object), *content_words(edge.qualifier or "")))


@dataclass(frozen=True)
class Graph:
    """The edges of some memories.

    Attributes:
        by_memory: the nodes that each memory can be found by.
        degree: how many memories have a node.
    """

    by_memory: Mapping[str, frozenset[str]]
    degree: Mapping[str, int]

    def score(self, words: Iterable[str], memory: str) -> float:
        """How much a memory's nodes answer a question; 0 for none in common.

        A node counts the less, the more memories have it. Whole words of the question are looked
        up, so that a word more or less in it changes nothing.
        """
        shared = self.by_memory.get(memory, frozenset()).intersection(words)
        return sum(1 / self.degree[name] for name in sorted(shared))


def graph_of(found: Iterable[Edge]) -> Graph:
    """The graph of these edges."""
    by_memory: dict[str, frozenset[str]] = {}
    for edge in found:
        by_memory[edge.memory] = by_memory.get(edge.memory, frozenset()) | nodes(edge)
    degree = Counter(name for names in by_memory.values() for name in names)
    return Graph(by_memory, degree)


def at_node(found: Iterable[Edge], entity: str) -> tuple[Edge, ...]:
    """The edges at a node, as subject or as object."""
    name = node(entity)
    return tuple(edge for edge in found if name in (edge.subject, node(edge.object)))
