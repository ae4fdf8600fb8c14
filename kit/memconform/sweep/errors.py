"""What can go wrong with a sweep; every message is a sentence that says what to do."""

from __future__ import annotations

import importlib
from types import ModuleType

_LAB = ("duckdb", "numpy", "polars", "pyarrow")


class SweepError(Exception):
    """The candidates, the labels or the threshold can't be used as asked."""


class MissingPackage(SweepError):
    """A package of the lab extra isn't there."""

    def __init__(self, package: str) -> None:
        super().__init__(f"A sweep needs {package}: install memconform[lab].")


def loaded(module: str) -> ModuleType:
    """A module of this room; all of them but this one and figures need NumPy.

    Raises:
        MissingPackage: a package of the lab extra is not there.
    """
    try:
        return importlib.import_module(f"memconform.sweep.{module}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _LAB:
            raise
        raise MissingPackage(package) from error
