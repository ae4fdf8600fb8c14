"""What a seeded fault is: one small mistake in a store that is otherwise right.

A fault is put into a store from outside, through the store's own seams, and never by a condition in
the store's code: a stage or a figure of ``Pipeline`` is replaced, or a method of a store's class is
overridden. Each notes when its code runs, so that a fault nobody has met isn't taken for one that
nobody minds.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, ParamSpec, TypeVar

import msgspec

from memconform.model import Settings
from memconform.protocol import Hello, MemoryStore, System

P = ParamSpec("P")
R = TypeVar("R")

Seed = Callable[["Mark"], System]
Arguments = dict[str, Any]
Base = Literal["filesystem", "hybrid", "shelves", "fusion", "fusion with word groups", "authority"]


class Mark:
    """Counts how often the code of a fault has run."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        """It runs now."""
        self.times += 1

    def on(self, function: Callable[P, R]) -> Callable[P, R]:
        """The same function, which is noted each time it is called."""

        @functools.wraps(function)
        def noted(*args: P.args, **kwargs: P.kwargs) -> R:
            self.times += 1
            return function(*args, **kwargs)

        return noted


def core(*slugs: str) -> tuple[str, ...]:
    """Ids of requirements or scenarios of memory-core."""
    return tuple(f"memory-core/{slug}" for slug in slugs)


def ids(spec: str, *slugs: str) -> tuple[str, ...]:
    """Ids of requirements or scenarios of a spec."""
    return tuple(f"{spec}/{slug}" for slug in slugs)


def foundation(*slugs: str) -> tuple[str, ...]:
    """Ids of requirements or scenarios of retrieval-foundation."""
    return tuple(f"retrieval-foundation/{slug}" for slug in slugs)


def abstention(*slugs: str) -> tuple[str, ...]:
    """Ids of requirements or scenarios of lexical-abstention."""
    return tuple(f"lexical-abstention/{slug}" for slug in slugs)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One mistake.

    Attributes:
        name: the mistake in a few words, joined by hyphens.
        change: what is different from the right store, in one sentence.
        suffers: what a user of such a store would meet, in one sentence.
        breaks: the requirements that no longer hold, as ``capability/slug``.
        killed_by: the scenarios that are there for it, as ``capability/slug``; each of them fails
            on it, in a Then step.
        base: the store that it is seeded into.
        seed: makes the faulty store, given the mark that its code is to set.
        mishears: changes a call before the store gets it, given its name and arguments as they
            came; null where all calls are heard as they are.
    """

    name: str
    change: str
    suffers: str
    breaks: tuple[str, ...]
    killed_by: tuple[str, ...]
    base: Base
    seed: Seed
    mishears: Callable[[str, Arguments], Arguments] | None = None

    def system(self) -> FaultySystem:
        """The faulty store, ready to be opened."""
        mark = Mark()
        return FaultySystem(self, mark, self.seed(mark))


@dataclass(frozen=True)
class FaultySystem:
    """A store with one fault. It declares what the right one declares, under another name.

    Attributes:
        mark: whether the fault's code has run, over all stores opened here.
    """

    fault: Fault
    mark: Mark
    right: System

    def hello(self) -> Hello:
        """What the right store declares."""
        name = f"memconform {self.fault.base} with the fault {self.fault.name}"
        return msgspec.structs.replace(self.right.hello(), name=name)

    def open(self, settings: Settings) -> MemoryStore:
        """An empty faulty store."""
        return self.right.open(settings)

    def heard(self, line: bytes) -> bytes:
        """A message as the fault hears it; most faults hear every message as it is."""
        if self.fault.mishears is None:
            return line
        message = json.loads(line)
        given = message.get("params", {})
        heard = self.fault.mishears(message.get("method", ""), copy.deepcopy(given))
        if heard == given:
            return line
        self.mark()
        return json.dumps({**message, "params": heard}).encode()
