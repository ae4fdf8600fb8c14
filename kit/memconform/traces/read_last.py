"""Reads traces that a store or its host kept of its last retrieval, one JSON object each."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec

from memconform.traces.batch import Found, Refused
from memconform.traces.documents import Document, documents
from memconform.traces.from_lines import Line, portions
from memconform.traces.ids import retrieval_id
from memconform.traces.lines import LastTrace, line_of_trace

# Where a trace may stand in what a host writes around it: diagnostics, an answer, an event.
_INSIDE = ("lastTrace", "trace", "retrievalTrace")
_BESIDE = ("queryId", "query", "language", "store", "gate", "latencyMs", "timestamp")


class LastTraceReader:
    """Reads one file: an object a line, or a JSON document that is an object or a list.

    Args:
        path: the file; it may be packed (.gz).
        with_text: keep the query, where somebody has put it beside the trace.
    """

    def __init__(self, path: Path, *, with_text: bool) -> None:
        self._path = path
        self._with_text = with_text

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._path.stat().st_size

    def read(self) -> Generator[Found]:
        """Everything in the file, in its order."""
        return portions(str(self._path), self._lines())

    def _lines(self) -> Iterator[Line | Refused]:
        for document in documents(self._path):
            if isinstance(document, Refused):
                yield document
                continue
            try:
                trace = msgspec.convert(found_in(document.value), LastTrace)
            except msgspec.ValidationError as error:
                yield Refused(str(self._path), document.number, f"it is no trace: {error}")
                continue
            yield self._line(document, trace)

    def _line(self, document: Document, trace: LastTrace) -> Line:
        line = line_of_trace(trace, own_id=retrieval_id(document.data), with_text=self._with_text)
        return Line(document.number, document.position, document.data, line)


def found_in(value: Any) -> Any:
    """The trace in what a host wrote, with what stands beside it."""
    if not isinstance(value, dict) or "rankings" in value:
        return value
    for name in _INSIDE:
        inner = value.get(name)
        if isinstance(inner, dict):
            beside = {key: value[key] for key in _BESIDE if value.get(key) is not None}
            return {**beside, **found_in(inner)}
    return value
