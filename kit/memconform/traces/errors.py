"""What can go wrong with a trace store; every message is a sentence that says what to do."""

from __future__ import annotations

import importlib
from types import ModuleType

_LAB = ("duckdb", "numpy", "polars", "pyarrow")


class TraceError(Exception):
    """The traces can't be used as asked."""


class TraceStoreError(TraceError):
    """There is no such store, or it can't be read."""


class MissingPackage(TraceError):
    """A package of the lab extra isn't there."""

    def __init__(self, package: str) -> None:
        super().__init__(f"This needs {package}: install memconform[lab].")


def loaded(module: str) -> ModuleType:
    """A module of this room that may need the lab extra.

    Raises:
        MissingPackage: a package of it is not there.
    """
    try:
        return importlib.import_module(f"memconform.traces.{module}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _LAB:
            raise
        raise MissingPackage(package) from error
