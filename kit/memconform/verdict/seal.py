"""The digest of a report: does it still say what was written?

SHA-256 over the canonical JSON of everything but the digest: keys sorted by code point, no spaces,
text as it is, UTF-8. Anybody can make it without this kit, in Python:

    del document["digest"]
    json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

It is made from the document as it stands, not from this version's types, so a report with fields
that are younger or older than this kit keeps its digest. It is no signature: whoever changes a
report can make a new one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import structs

from memconform.model.report import Report
from memconform.verdict.consistency import repeated
from memconform.verdict.words import listed

FIELD = "digest"


class Ambiguous(ValueError):
    """A JSON document that readers may understand differently; the message says where."""


def sealed(report: Report) -> Report:
    """The report with the digest of what it says."""
    bare = structs.replace(report, digest=None)
    return structs.replace(bare, digest=digest(json.loads(msgspec.json.encode(bare))))


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 over a report as a JSON-like value, in hexadecimal; its own digest apart."""
    return hashlib.sha256(
        canonical({name: value for name, value in document.items() if name != FIELD})
    ).hexdigest()


def canonical(document: Mapping[str, Any]) -> bytes:
    """The one way to write a JSON-like value."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def document(data: bytes) -> dict[str, Any]:
    """A JSON object as it stands in a file.

    Raises:
        Ambiguous: an object has a name twice, of which readers take the one or the other; or it
            holds what no JSON-like value of this language can.
    """
    try:
        plain: dict[str, Any] = json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, Ambiguous):
            raise
        raise Ambiguous("it holds a value that isn't read everywhere") from error
    return plain


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = listed(repeated(name for name, _ in pairs))
        raise Ambiguous(f"an object in it has {twice} twice, of which a reader takes either")
    return found
