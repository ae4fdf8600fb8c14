"""A memory as the fusion design sees it.

Source: signal-fusion, "Similar is not the same".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

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
KINDS: tuple[Kind, ...] = get_args(Kind)

# How the types of the foundation design read here.
TYPES: dict[str, Kind] = {
    "decision": "fact",
    "episode": "event",
    "relationship": "fact",
    "insight": "experience",
}


def kind_of(type: str | None) -> Kind:
    """The kind that a caller's type means; ``fact`` where it says nothing.

    Raises:
        ValueError: nobody knows such a type.
    """
    if type is None:
        return "fact"
    if type in TYPES:
        return TYPES[type]
    for kind in KINDS:
        if kind == type:
            return kind
    raise ValueError(f"type {type!r} is unknown; there are: {', '.join((*KINDS, *TYPES))}")


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
