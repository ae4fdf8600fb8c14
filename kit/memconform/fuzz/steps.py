"""A program: what is done to a store, one step after the other, as plain values.

A step is an operation of the protocol and its parameters, JSON-like, so that one value can be
called, shrunk, and written out as Gherkin, as messages and as Python. A text ``key:NAME`` in the
place of an id is the id that the store gave to the memory which the program calls NAME, as in the
suite's tables. Five steps are no operations of their own:

===========  ====================================================================================
``open``     the empty store that the program is about; always first
``use``      the ``connection`` (first or second) for what follows; the second is made when needed
``many``     ``count`` memories like ``pattern``, called n1, n2 ...; in batches where there are any
``keep``     the last answer is kept, as a deep copy
``same``     looks: the last answer equals the kept one
===========  ====================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

REFERENCE = "key:"
ASKING = ("recall", "context", "list_records", "get")
CHANGING = (
    "write", "write_batch", "many", "update", "disable", "enable", "supersede", "correct",
    "forget", "purge", "mask",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One step. ``params`` are never changed in place."""

    operation: str
    params: Mapping[str, Any]

    @property
    def access(self) -> Mapping[str, Any]:
        """The caller's place; empty is the default place."""
        access: Mapping[str, Any] = self.params.get("access", {})
        return access

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The memories that are handed in by ``write`` and ``write_batch``."""
        if self.operation == "write":
            return (self.params["record"],)
        records: Sequence[Mapping[str, Any]] = self.params.get("records", ())
        return records

    def size(self) -> int:
        """How much there is to read, in characters of JSON."""
        return len(json.dumps(self.params, ensure_ascii=False)) + len(self.operation)


Program = tuple[Step, ...]


def reference(key: str) -> str:
    """The place holder of a memory's id."""
    return REFERENCE + key


def referred(value: Any) -> str | None:
    """The key that a value refers to, if it refers to one."""
    if isinstance(value, str) and value.startswith(REFERENCE):
        return value.removeprefix(REFERENCE)
    return None


def references(value: Any) -> Iterator[str]:
    """Every key that a JSON-like value refers to."""
    key = referred(value)
    if key is not None:
        yield key
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from references(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from references(item)


def made(step: Step) -> Iterator[str]:
    """The keys of the memories that a step would make."""
    if step.operation == "many":
        yield from (f"n{number}" for number in range(1, step.params["count"] + 1))
    elif step.operation == "correct":
        yield step.params["key"]
    else:
        yield from (record["key"] for record in step.records)


def numbered(pattern: str, number: int) -> str:
    """The content of a memory out of ``many``."""
    return pattern.replace("(n)", str(number))


def usable(program: Program) -> bool:
    """Whether every memory that a program refers to is made before, as far as it shows."""
    there: set[str] = set()
    for step in program:
        if not set(references(step.params)) <= there:
            return False
        there.update(made(step))
    return True
