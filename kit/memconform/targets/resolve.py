"""From a TARGET string to what it means."""

from __future__ import annotations

from memconform.targets.base import Target
from memconform.targets.errors import UsageError
from memconform.targets.fault import faulty
from memconform.targets.folder import folders, implementations
from memconform.targets.mcp import mcp
from memconform.targets.python import python
from memconform.targets.reference import NAMES, reference
from memconform.targets.stdio import stdio
from memconform.wire.transport import Way


def resolve(text: str, *, wire: bool = False) -> list[Target]:
    """The targets that a TARGET string names: one, or all configurations of a folder.

    Args:
        text: ``reference:NAME``, ``fault:NAME``, ``python:MODULE:FACTORY``, ``stdio:COMMAND``,
            ``mcp:FILE.toml``, or the name of a folder in conformance/implementations,
            ``NAME#CONFIGURATION`` for one of its several.
        wire: run what could run in process in a process of its own; the others always do.

    Raises:
        UsageError: there is no such target; the message says what there is.
    """
    way: Way = "wire" if wire else "in-process"
    kind, colon, rest = text.partition(":")
    if colon and kind == "reference":
        return [reference(rest, way)]
    if colon and kind == "fault":
        return [faulty(rest, way)]
    if colon and kind == "python":
        return [python(rest, way)]
    if colon and kind == "stdio":
        return [stdio(rest)]
    if colon and kind == "mcp":
        return [mcp(rest)]
    if text.partition("#")[0] in implementations():
        return [*folders(text)]
    kinds = ["fault:NAME", "python:MODULE:FACTORY", "stdio:COMMAND", "mcp:FILE.toml"]
    there = [*NAMES, *kinds, *implementations()]
    raise UsageError(f"There is no target {text!r}; there are {', '.join(there)}.")
