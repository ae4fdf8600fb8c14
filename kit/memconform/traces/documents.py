"""JSON values out of a file: one a line, or the whole file being one value or a list of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from memconform.model import has_lone_surrogate
from memconform.traces.batch import Refused
from memconform.traces.blocks import Block, TooLong, blocks

# The most of a file that is taken for one JSON value; a longer one has to be lines.
WHOLE_LIMIT = 64 * 1024 * 1024
_BLOCK = 4 * 1024 * 1024


@dataclass(frozen=True)
class Document:
    """One JSON value.

    Attributes:
        number: of its line, or of its place in the list, from 1.
        position: bytes of the file that are read.
        data: the JSON text.
    """

    number: int
    position: int
    data: bytes
    value: Any


def documents(path: Path) -> Iterator[Document | Refused]:
    """The values in a file; what is no JSON is refused with its line."""
    whole = _whole(path)
    if whole is not None:
        values = whole if isinstance(whole, list) else [whole]
        size = path.stat().st_size
        for number, value in enumerate(values, start=1):
            yield Document(number, size, msgspec.json.encode(value), value)
        return
    for block in blocks(path, _BLOCK):
        if isinstance(block, TooLong):
            yield Refused(str(path), block.number, f"it is longer than {_BLOCK // 2**20} MiB")
            continue
        for number, line in block.lines():
            try:
                value = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                yield Refused(str(path), number, f"it is no JSON: {error}")
            else:
                if has_lone_surrogate(value):
                    yield Refused(str(path), number, "a text holds half of a surrogate pair")
                else:
                    yield Document(number, block.position, line, value)


def _whole(path: Path) -> Any:
    """The value that the file is as a whole; null where it is lines or too long to tell."""
    if path.suffix == ".gz" or path.stat().st_size > WHOLE_LIMIT:
        return None
    try:
        data = path.read_bytes().strip()
        # A single line is read as a line, so that it has the same id among other lines.
        if b"\n" not in data and not data.startswith(b"["):
            return None
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return None if has_lone_surrogate(value) else value


def first_value(path: Path) -> Any:
    """The first JSON value of a file; null where it has none. For telling what the file is."""
    whole = _whole(path)
    if whole is not None:
        return whole[0] if isinstance(whole, list) and whole else whole
    for block in blocks(path, 1 << 20):
        for _, line in block.lines() if isinstance(block, Block) else ():
            try:
                return msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
        break
    return None
