"""Reads and writes TREC runs: ``topic Q0 document rank score tag``, one line a document."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memconform.model.trace_log import TRACE_LOG_SCHEMA, LoggedCandidate, LoggedRetrieval
from memconform.traces.batch import Found, Refused
from memconform.traces.blocks import TooLong, blocks
from memconform.traces.from_lines import Line, portions

RUN_FIELDS = 6
_BLOCK = 4 * 1024 * 1024


@dataclass
class _Topic:
    name: str
    tag: str
    number: int
    documents: list[LoggedCandidate] = field(default_factory=list)
    wrong: str | None = None


class RunReader:
    """Reads one run. What it holds was retrieved, so all of it is selected.

    The gate feature is the score; a topic is complete from its lowest score on. The lines of a
    topic must stand together; their order counts where scores tie, the rank column does not.

    Args:
        path: the file; it may be packed (.gz).
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._path.stat().st_size

    def read(self) -> Generator[Found]:
        """Every topic, in the order of the file."""
        return portions(str(self._path), self._lines())

    def _lines(self) -> Iterator[Line | Refused]:
        topic: _Topic | None = None
        done: set[str] = set()
        position = 0
        for block in blocks(self._path, _BLOCK):
            if isinstance(block, TooLong):
                yield Refused(str(self._path), block.number, "it is too long")
                continue
            for number, data in block.lines():
                fields = _fields(data)
                if fields is None:
                    yield Refused(
                        str(self._path), number, "it is not topic, Q0, document, rank, score, tag"
                    )
                    # A topic with a line missing would look as if it had never had it.
                    if topic is not None:
                        topic.wrong = topic.wrong or f"line {number} of it can't be read"
                    continue
                name, _, document, _, score, tag = fields
                if topic is None or name != topic.name:
                    if topic is not None:
                        yield self._ended(topic, position)
                        done.add(topic.name)
                    topic = _Topic(name, tag, number)
                    if name in done:
                        topic.wrong = "the topic stands in another place, too; sort the run"
                _add(topic, document, score)
                position = block.position
        if topic is not None:
            yield self._ended(topic, position)

    def _ended(self, topic: _Topic, position: int) -> Line | Refused:
        if topic.wrong:
            return Refused(str(self._path), topic.number, topic.wrong)
        documents = tuple(topic.documents)
        said = "\n".join(
            [topic.name, topic.tag, *(f"{d.memory_id} {d.final_score!r}" for d in documents)]
        )
        line = LoggedRetrieval(
            schema=TRACE_LOG_SCHEMA,
            query_id=topic.name,
            store=topic.tag,
            swept_from=min(d.final_score for d in documents),
            candidates=documents,
        )
        return Line(topic.number, position, hashlib.sha256(said.encode()).digest(), line)


def _fields(data: bytes) -> list[str] | None:
    try:
        fields = data.decode("utf-8").split()
    except UnicodeDecodeError:
        return None
    return fields if len(fields) == RUN_FIELDS else None


def _add(topic: _Topic, document: str, score: str) -> None:
    try:
        value = float(score)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        topic.wrong = topic.wrong or f"the score {score[:40]!r} of {document[:80]} is no number"
        return
    topic.documents.append(
        LoggedCandidate(memory_id=document, final_score=value, passed=True, selected=True)
    )
