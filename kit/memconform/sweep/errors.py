"""What can go wrong with a sweep; every message is a sentence that says what to do."""

from __future__ import annotations


class SweepError(Exception):
    """The candidates, the labels or the threshold can't be used as asked."""


class MissingPackage(SweepError):
    """A package of the lab extra isn't there."""

    def __init__(self, package: str) -> None:
        super().__init__(f"A sweep needs {package}: install memconform[lab].")
