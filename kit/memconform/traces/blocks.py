"""A file of lines, a block of whole lines at a time, with their numbers."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 64 * 1024 * 1024
LINE_LIMIT = 16 * 1024 * 1024  # as on the wire
_NEWLINE = 10
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Block:
    """Some whole lines.

    Attributes:
        data: UTF-8, as in the file; the last line ends with a line feed.
        first: the number of the first line, from 1.
        position: bytes of the file that are read, for a progress bar.
    """

    data: bytes
    first: int
    position: int

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Where each line begins, and the end of the last; shape (lines + 1,)."""
        ends = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == _NEWLINE)
        return np.concatenate([[0], ends + 1]).astype(np.int64)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and text of each line that isn't blank, without the space around it."""
        bounds = self.bounds.tolist()
        for place, (start, end) in enumerate(pairwise(bounds)):
            line = self.data[start:end].strip()
            if line:
                yield self.first + place, line


@dataclass(frozen=True)
class TooLong:
    """A line that is longer than any block, passed over."""

    number: int
    position: int


def blocks(path: Path, size: int = BLOCK_BYTES) -> Iterator[Block | TooLong]:
    """The blocks of a file, about ``size`` bytes each; a name that ends with .gz is unpacked."""
    with path.open("rb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=raw) as file:
                yield from _blocks(file, raw, size)
        else:
            yield from _blocks(raw, raw, size)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _blocks(file: _Readable, raw: IO[bytes], size: int) -> Iterator[Block | TooLong]:
    number, rest, passing = 1, b"", False
    while chunk := file.read(size):
        if number == 1 and not rest:
            chunk = chunk.removeprefix(_BOM)
        if passing:
            _, newline, chunk = chunk.partition(b"\n")
            if not newline:
                continue
            passing = False
            number += 1
        whole, newline, tail = chunk.rpartition(b"\n")
        if newline:
            block = Block(b"".join((rest, whole, newline)), number, raw.tell())
            yield block
            number += len(block.bounds) - 1
            rest = tail
        elif len(rest) + len(chunk) > size:
            yield TooLong(number, raw.tell())
            rest, passing = b"", True
        else:
            rest += chunk
    if rest:
        yield Block(rest + b"\n", number, raw.tell())
