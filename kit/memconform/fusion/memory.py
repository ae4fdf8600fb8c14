"""A memory as the fusion design sees it.

Source: signal-fusion, "Similar is not the same".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memconform.model import MemoryType
from memconform.retrieval.tokens import normalise

Kind = Literal[
    "constraint",  # must be kept to: an allergy, a rule
    "identity",
    "preference",
    "fact",
    "event",  # happened once, at a time
    "experience",  # a method that worked
    "taboo",  # a method that must not be used again
    "open-item",  # waits for an answer or a deed
    "situation",  # holds for the moment
]

# What a record's type says of its kind, where no tag says more.
_TYPES: dict[MemoryType, Kind] = {
    "fact": "fact",
    "preference": "preference",
    "decision": "fact",
    "episode": "event",
    "relationship": "fact",
    "insight": "experience",
}
# The tags that say a kind; the first kind in this order wins (own).
KIND_TAGS: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("constraint", frozenset(("constraint", "约束", "限制"))),
    ("taboo", frozenset(("taboo", "禁忌"))),
    ("open-item", frozenset(("open-item", "待办", "未决"))),
    ("situation", frozenset(("situation", "情境"))),
    ("identity", frozenset(("identity", "profile", "身份"))),
    ("experience", frozenset(("experience", "经验"))),
    ("preference", frozenset(("preference", "preferences", "偏好"))),
)


def kind_of(type: MemoryType, tags: Iterable[str]) -> Kind:
    """The kind of a record: what a tag says, else what its type says."""
    own = {normalise(tag) for tag in tags}
    for kind, names in KIND_TAGS:
        if not own.isdisjoint(names):
            return kind
    return _TYPES[type]


@dataclass(frozen=True, kw_only=True)
class Memory:
    """One memory.

    Attributes:
        content: byte for byte as it was written.
        confidence, importance: 0..1.
        written_at: when the memory was last written, seconds since 1970 UTC. A date in the content
            says when something happened and never ages the memory.
        superseded_by: the id of its correction; None while it holds.
    """

    id: str
    content: str
    kind: Kind = "fact"
    tags: tuple[str, ...] = ()
    confidence: float = 1.0
    importance: float = 0.5
    written_at: float = 0.0
    superseded_by: str | None = None
