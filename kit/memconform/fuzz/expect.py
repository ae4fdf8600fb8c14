"""What should have been seen: one expectation, to be told in words, in Gherkin and in Python.

An expectation is about the answer to the last step of a program. Memories are named by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Bound = Literal["", "at most", "at least", "other than", "without", "containing"]


@dataclass(frozen=True)
class Answered:
    """An answer, whatever it says, and no refusal."""

    def __str__(self) -> str:
        return "an answer"


@dataclass(frozen=True)
class Refused:
    """A refusal with this code."""

    code: str

    def __str__(self) -> str:
        return f"a refusal as {self.code}"


@dataclass(frozen=True)
class Found:
    """Exactly these hits, in this order where ``ordered``."""

    keys: tuple[str, ...]
    ordered: bool = True

    def __str__(self) -> str:
        if not self.keys:
            return "nothing found"
        return f"{', '.join(self.keys)} found{', in this order' if self.ordered else ''}"


@dataclass(frozen=True)
class Among:
    """This memory among the hits, or not among them."""

    key: str
    there: bool

    def __str__(self) -> str:
        return f"{self.key} {'' if self.there else 'not '}among the hits"


@dataclass(frozen=True)
class GivesWay:
    """The correction above the old text, which is hidden or marked as declared."""

    old: str
    new: str
    hidden: bool

    def __str__(self) -> str:
        how = "hidden" if self.hidden else "below it, marked as superseded"
        return f"{self.new} found and {self.old} {how}"


@dataclass(frozen=True)
class Says:
    """A value at a path of a part: ``answer``, ``trace``, ``hit KEY`` or ``outcome KEY``.

    Attributes:
        value: JSON-like; ids stand as ``key:NAME``.
        bound: how it is compared; empty means equal.
    """

    part: str
    path: str
    value: Any
    bound: Bound = ""

    def __str__(self) -> str:
        return f"{self.path} of the {self.part} {self.bound or 'to be'} {_short(self.value)}"


@dataclass(frozen=True)
class Unseen:
    """A memory on none of the declared surfaces, for this question and caller.

    Attributes:
        content: its text.
        masked: whether its place may stay, without the text.
    """

    key: str
    content: str
    query: str
    access: Mapping[str, Any]
    masked: bool = False

    def __str__(self) -> str:
        return f"{self.key} nowhere in the block"


@dataclass(frozen=True)
class Kept:
    """The answer equal to the kept one."""

    def __str__(self) -> str:
        return "the same answer as before"


Expectation = Answered | Refused | Found | Among | GivesWay | Says | Unseen | Kept


def _short(value: Any) -> str:
    from memconform.suite.cells import show

    shown = show(value)
    return shown if len(shown) <= 160 else f"{shown[:160]}..."


@dataclass(frozen=True, kw_only=True)
class Broken:
    """An expectation that did not come true.

    Attributes:
        requirement: id of the requirement that is broken, ``capability/slug``.
        aspect: which side of it; findings that share both are one.
        expected: what should have been seen.
        seen: what was seen instead, in words.
        fault: the kind of fault of the wire, where there was no answer at all.
    """

    requirement: str
    aspect: str
    expected: Expectation
    seen: str
    fault: str | None = None

    @property
    def name(self) -> tuple[str, str]:
        """What makes it the same finding in another program."""
        return self.requirement, self.aspect

    @property
    def plain_name(self) -> tuple[str, str]:
        """The same without what may have had a part in it, which an aspect says after a comma."""
        return self.requirement, self.aspect.partition(",")[0]
