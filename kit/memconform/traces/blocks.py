"""A file of lines, a block of whole lines at a time, with their numbers."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

BLOCK_BYTES = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Block:
    """Some whole lines. It holds what it says only until the next one is asked for.

    Attributes:
        data: UTF-8, as in the file, in a buffer that is used again.
        size: how many bytes of it are the block; the last one is a line feed.
        first: the number of the first line, from 1.
        position: bytes of the file that are read, for a progress bar.
    """

    data: bytearray
    size: int
    first: int
    position: int

    @cached_property
    def ends(self) -> list[int]:
        """Where the line feed of each line is."""
        found = []
        end = -1
        while end + 1 < self.size:
            end = self.data.index(b"\n", end + 1)
            found.append(end)
        return found

    def bounds(self) -> Iterator[tuple[int, int, int]]:
        """Of each line its number, where it begins, and where its line feed is."""
        start = 0
        for number, end in enumerate(self.ends, start=self.first):
            yield number, start, end
            start = end + 1

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and text of each line that isn't blank, without the space around it."""
        for number, start, end in self.bounds():
            line = bytes(self.data[start:end]).strip()
            if line:
                yield number, line


@dataclass(frozen=True)
class TooLong:
    """A line that is longer than a block may be, passed over."""

    number: int
    position: int


def blocks(path: Path, size: int = BLOCK_BYTES) -> Iterator[Block | TooLong]:
    """The blocks of a file, at most ``size`` bytes each; a name that ends with .gz is unpacked."""
    with path.open("rb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=raw) as file:
                yield from _blocks(file, raw, size)
        else:
            # One byte more than there is shows that it is the end.
            yield from _blocks(raw, raw, min(size, path.stat().st_size + 1))


def _blocks(
    file: gzip.GzipFile | IO[bytes], raw: IO[bytes], size: int
) -> Iterator[Block | TooLong]:
    # One buffer for all: touching new memory for each block costs more than reading it. The last
    # byte is kept free for a line feed where the file ends without one.
    buffer = bytearray(size + 1)
    number, rest, passing = 1, 0, False
    ended = False
    while not ended:
        filled = _fill(file, buffer, rest, size)
        ended = filled < size
        if number == 1 and buffer.startswith(_BOM):
            filled -= len(_BOM)
            buffer[:filled] = buffer[len(_BOM) : len(_BOM) + filled]
        if ended and filled and buffer[filled - 1] != 0x0A:
            buffer[filled] = 0x0A
            filled += 1
        start = 0
        if passing:
            start = buffer.find(b"\n", 0, filled) + 1
            if not start:
                rest = 0
                continue
            buffer[: filled - start] = buffer[start:filled]
            filled -= start
            passing = False
            number += 1
        end = buffer.rfind(b"\n", 0, filled) + 1
        if end:
            block = Block(buffer, end, number, raw.tell())
            number += len(block.ends)
            yield block
            rest = filled - end
            buffer[:rest] = buffer[end:filled]
        elif filled >= size:
            yield TooLong(number, raw.tell())
            rest, passing = 0, True
        else:
            rest = filled


def _fill(file: gzip.GzipFile | IO[bytes], buffer: bytearray, start: int, size: int) -> int:
    """Read until the buffer is full or the file ends; up to where the buffer is filled then."""
    with memoryview(buffer) as view:
        while start < size:
            read = file.readinto(view[start:size])  # type: ignore[union-attr]  # both have it
            if not read:
                break
            start += read
    return start
