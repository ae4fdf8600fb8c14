"""Ids of queries and of retrievals."""

from __future__ import annotations

import hashlib

ID_DIGITS = 32  # of SHA-256, in hexadecimal


def query_id(query: str) -> str:
    """The id of a query: the first 32 hexadecimal digits of the SHA-256 of its UTF-8.

    It keeps the text out of the log and is the same wherever the query is asked. It hides a query
    from readers, not from somebody who guesses it.
    """
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:ID_DIGITS]


def retrieval_id(line: bytes | memoryview) -> str:
    """The id of a retrieval: the first 32 hexadecimal digits of the SHA-256 of its line."""
    return hashlib.sha256(line).hexdigest()[:ID_DIGITS]


def wire_name(name: str) -> str:
    """A column's name as messages and log lines spell it: ``query_id`` is ``queryId``."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
