"""How a store says no: a code that a scenario can expect, a sentence, and what it is about."""

from __future__ import annotations

from typing import Any, Literal, get_args

from memconform.model import Response

ErrorCode = Literal["invalid", "not_found", "conflict", "unsupported", "unavailable", "internal"]
ERROR_CODES: frozenset[ErrorCode] = frozenset(get_args(ErrorCode))


class ErrorData(Response, frozen=True, kw_only=True):
    """A structured error as it travels."""

    code: ErrorCode
    message: str
    detail: dict[str, Any] | None


class StoreError(Exception):
    """A store's structured refusal or failure. Its subclasses are the six codes of the protocol."""

    code: ErrorCode = "internal"

    def __init__(self, message: str, detail: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail

    def data(self) -> ErrorData:
        """The error as a message."""
        return ErrorData(code=self.code, message=self.message, detail=self.detail)


class Invalid(StoreError):
    """The request can't be carried out: a field is missing, of a wrong type, out of range."""

    code = "invalid"


class NotFound(StoreError):
    """There is nothing with this id that the caller may see."""

    code = "not_found"


class Conflict(StoreError):
    """The request contradicts what is stored, such as an id taken by another text."""

    code = "conflict"


class Unsupported(StoreError):
    """The store doesn't offer this operation or option."""

    code = "unsupported"


class Unavailable(StoreError):
    """The store can't answer now: locked, full, unreadable."""

    code = "unavailable"


class Internal(StoreError):
    """The store failed in a way that it didn't foresee."""

    code = "internal"


_CLASSES: dict[str, type[StoreError]] = {
    c.code: c for c in (Invalid, NotFound, Conflict, Unsupported, Unavailable, Internal)
}


def error_from(data: ErrorData) -> StoreError:
    """The exception that a structured error stands for."""
    return _CLASSES[data.code](data.message, data.detail)
