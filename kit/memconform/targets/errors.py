"""What can be wrong with a target before anything is measured. Each means exit code 2."""

from __future__ import annotations


class UsageError(Exception):
    """The caller asked for something that doesn't exist; the message says what does."""

    exit_code = 2


class EnvironmentFailed(UsageError):
    """An implementation's own environment could not be made.

    Attributes:
        evidence: the last lines that the failing command printed.
    """

    def __init__(self, cause: str, *, evidence: str) -> None:
        super().__init__(f"{cause}\n{evidence}" if evidence else cause)
        self.evidence = evidence
