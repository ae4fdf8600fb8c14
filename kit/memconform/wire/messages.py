"""The envelope: JSON-RPC 2.0, one message a line, UTF-8.

A request is ``{"jsonrpc": "2.0", "id": 7, "method": "recall", "params": {...}}``; the params of a
store's operation hold ``store``, the handle that ``open`` gave, beside the request's own fields.
An answer repeats the id and has either ``result`` or ``error``, never both. An error has JSON-RPC's
number, a sentence, and as ``data`` the structured error, whose ``code`` is the one that counts.
"""

from __future__ import annotations

import json
import math
from typing import Any, Literal

import msgspec

from memconform.model import Request, Response, has_lone_surrogate
from memconform.protocol import ErrorCode, ErrorData

VERSION = "2.0"
SHOWN = 400  # characters of an offending message that evidence keeps

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
# JSON-RPC's own numbers where it has one for the case, else one of its range for servers.
NUMBERS: dict[ErrorCode, int] = {
    "invalid": -32602,
    "unsupported": -32601,
    "internal": -32603,
    "not_found": -32001,
    "conflict": -32002,
    "unavailable": -32003,
}

MessageId = int | str | None


class RpcError(Response, frozen=True, kw_only=True):
    """JSON-RPC's error object.

    Attributes:
        code: JSON-RPC's number of the error.
        data: the store's structured error.
    """

    code: int
    message: str
    data: ErrorData


class RpcAnswer(Response, frozen=True, kw_only=True):
    """An answer: a result or an error. The one that is not there is left out, as JSON-RPC wants."""

    jsonrpc: Literal["2.0"]
    id: int | str | None
    result: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    error: RpcError | msgspec.UnsetType = msgspec.UNSET


ABOUT = "memconform/about"


class About(Response, frozen=True, kw_only=True):
    """What the kit's own server says of what it serves, beyond the protocol (method ABOUT).

    A server of anyone else's refuses the method as unsupported, as any other that it doesn't know.

    Attributes:
        reference: whether its process has loaded the kit's reference stores.
        methods: operations, beyond the required ones, that the last store opened has a method for,
            declared or not.
    """

    reference: bool
    methods: list[str]


class RpcRequest(Request, frozen=True, kw_only=True):
    """A request. ``params`` is checked against the operation's own type."""

    jsonrpc: Literal["2.0"]
    id: int | str
    method: str
    params: dict[str, Any] = msgspec.field(default_factory=dict)


def encode(message: Any) -> bytes:
    """A message as one line, without the line's end.

    Half a surrogate pair can't be UTF-8 but can be a JSON escape, and is sent as one: so a store
    is shown what it must refuse.

    Raises:
        TypeError, ValueError, OverflowError, RecursionError: the message is no JSON value.
    """
    plain = msgspec.to_builtins(message)
    require_finite(plain)
    if has_lone_surrogate(plain):
        return json.dumps(plain, allow_nan=False, separators=(",", ":")).encode()
    return msgspec.json.encode(plain)


def decode(line: bytes) -> Any:
    """The JSON value of a line, halves of surrogate pairs included.

    Raises:
        ValueError: the line is not UTF-8, or not one JSON value.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no UTF-8: {error.reason} at byte {error.start}") from error
    try:
        return msgspec.json.decode(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except msgspec.DecodeError as error:
        # The fast codec knows no lone surrogates; the patient one does, and also knows words that
        # are no JSON, which is why it isn't asked first.
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise ValueError(f"it is no JSON: {error}") from error
        if not has_lone_surrogate(value):
            raise ValueError(f"it is no JSON: {error}") from error
        return value


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def require_finite(value: Any) -> None:
    """Refuse numbers that JSON can't carry; the codec would turn them into null without a word.

    Raises:
        ValueError: there is a NaN or an infinity in a JSON-like value.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("JSON has no NaN and no infinity")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            require_finite(item)


def printable(value: Any) -> Any:
    """The value with every half of a surrogate pair written out as an escape, for keeping."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {printable(k): printable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [printable(v) for v in value]
    return value


def shortened(line: bytes) -> str:
    """A message for evidence: its beginning, and how long it was."""
    text = line[: SHOWN * 4].decode("utf-8", "backslashreplace")
    if len(text) <= SHOWN and len(line) <= SHOWN * 4:
        return text
    return f"{text[:SHOWN]}... ({len(line)} bytes)"


def result_message(id: MessageId, result: Response) -> bytes:
    """An answer that carries a result."""
    return encode(RpcAnswer(jsonrpc="2.0", id=id, result=msgspec.to_builtins(result)))


def error_message(id: MessageId, data: ErrorData, number: int | None = None) -> bytes:
    """An answer that carries an error."""
    code = NUMBERS[data.code] if number is None else number
    error = RpcError(code=code, message=data.message, data=data)
    return encode(RpcAnswer(jsonrpc="2.0", id=id, error=error))
