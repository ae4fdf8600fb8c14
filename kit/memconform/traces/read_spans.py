"""Reads retriever spans by the OpenInference conventions, as Phoenix and others export them.

The same attributes come in several shapes: flat keys (``retrieval.documents.0.document.id``),
nested objects, or columns of a table whose cells are lists. All are made flat keys first. Spans of
other kinds are passed over and counted.

A span says which documents came back and how they scored, nothing of those that did not. So all
are selected, the gate feature is the score, and the candidates are complete from the lowest score
of the span on.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq

from memconform.model.trace_log import TRACE_LOG_SCHEMA, LoggedCandidate, LoggedRetrieval
from memconform.retrieval.times import parse_time
from memconform.traces.batch import Found, Refused, instant
from memconform.traces.documents import documents
from memconform.traces.errors import TraceError
from memconform.traces.from_lines import Line, PassedOver, portions
from memconform.traces.ids import query_id
from memconform.traces.lines import language_of

_DOCUMENT = re.compile(r"retrieval\.documents\.(\d{1,6})\.document\.(id|score|content)")
_KIND = ("openinference.span.kind", "span_kind", "spanKind")
_QUERY = "input.value"
_SPAN_ID = ("context.span_id", "span_id", "context.spanId")
_STORE = ("retriever.name", "name")
_START, _END = ("start_time", "startTime"), ("end_time", "endTime")
_ROWS = 500
Flat = dict[str, Any]


class SpanReader:
    """Reads one file of spans, JSON lines, a JSON list or Parquet.

    Args:
        path: the file.
        with_text: keep queries and contents.
    """

    def __init__(self, path: Path, *, with_text: bool) -> None:
        self._path = path
        self._with_text = with_text
        self._table = path.suffix == ".parquet"

    @property
    def size(self) -> int:
        """Rows of a table, bytes of another file."""
        if self._table:
            return int(_parquet(self._path).metadata.num_rows)
        return self._path.stat().st_size

    def read(self) -> Generator[Found]:
        """Every retriever span, in the order of the file."""
        return portions(str(self._path), self._lines())

    def _lines(self) -> Iterator[Line | Refused | PassedOver]:
        for number, position, value in self._spans():
            if isinstance(value, Refused):
                yield value
                continue
            span = flat(value)
            if not is_retriever(span):
                yield PassedOver(position)
                continue
            try:
                line = line_of_span(span, with_text=self._with_text)
            except ValueError as error:
                yield Refused(str(self._path), number, str(error))
            else:
                yield Line(number, position, _identity(span, line), line)

    def _spans(self) -> Iterator[tuple[int, int, Any]]:
        if not self._table:
            for document in documents(self._path):
                if isinstance(document, Refused):
                    yield document.line, 0, document
                else:
                    yield document.number, document.position, document.value
            return
        number = 0
        for rows in _parquet(self._path).iter_batches(_ROWS):
            for row in rows.to_pylist():
                number += 1
                yield number, number, row


def _parquet(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (OSError, ValueError) as error:
        raise TraceError(f"{path} can't be read as Parquet: {error}.") from error


def flat(value: Any) -> Flat:
    """A span with one key for each thing that it says, and without ``attributes.`` before it."""
    found: Flat = {}

    def visit(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                visit(f"{prefix}.{key}" if prefix else str(key), inner)
        elif isinstance(value, list):
            for place, inner in enumerate(value):
                visit(f"{prefix}.{place}", inner)
        elif value is not None:
            found[prefix.removeprefix("attributes.")] = value

    visit("", value)
    return found


def is_retriever(span: Flat) -> bool:
    """Whether a flat span tells of a retrieval."""
    kind = _first(span, _KIND)
    return isinstance(kind, str) and kind.upper() == "RETRIEVER"


def line_of_span(span: Flat, *, with_text: bool) -> LoggedRetrieval:
    """The line of a flat retriever span.

    Raises:
        ValueError: it has no query, or a document without id or score; the message says which.
    """
    query = span.get(_QUERY)
    own = _first(span, _SPAN_ID)
    if query is None and own is None:
        raise ValueError("the span has neither input.value nor a span id")
    start, end = _time(_first(span, _START)), _time(_first(span, _END))
    candidates = _candidates(span, with_text=with_text)
    text = query if isinstance(query, str) else None
    return LoggedRetrieval(
        schema=TRACE_LOG_SCHEMA,
        query_id=str(own) if text is None else query_id(text),
        query=text if with_text else None,
        language=None if text is None else language_of(text),
        store=_text(_first(span, _STORE)),
        timestamp=None if start is None else instant(start),
        latency_ms=None
        if start is None or end is None or end < start
        else (end - start).total_seconds() * 1000,
        swept_from=min((c.final_score for c in candidates), default=0.0),
        candidates=candidates,
    )


def _candidates(span: Flat, *, with_text: bool) -> tuple[LoggedCandidate, ...]:
    found: dict[int, dict[str, Any]] = {}
    for key, value in span.items():
        match = _DOCUMENT.fullmatch(key)
        if match:
            found.setdefault(int(match[1]), {})[match[2]] = value
    candidates = []
    for place, document in sorted(found.items()):
        content, score = _text(document.get("content")), document.get("score")
        if not isinstance(score, int | float) or isinstance(score, bool):
            raise ValueError(f"document {place} has no score")  # noqa: TRY004 - of the data, no bug
        id = document.get("id")
        if id is None and content is None:
            raise ValueError(f"document {place} has neither id nor content")
        candidates.append(
            LoggedCandidate(
                # Without an id the same text is the same memory.
                memory_id=f"content-{query_id(content)}" if id is None and content else str(id),
                final_score=float(score),
                passed=True,
                selected=True,
                characters=None if content is None else len(content),
                content=content if with_text else None,
            )
        )
    scores = [candidate.final_score for candidate in candidates]
    if len(set(scores)) > 1 and all(a <= b for a, b in pairwise(scores)):
        raise ValueError(
            "the scores rise from document to document: distances, where the best has the highest "
            "score; negate them"
        )
    return tuple(candidates)


def _identity(span: Flat, line: LoggedRetrieval) -> bytes:
    """What the id is made of: the same span in whichever shape, with text or without."""
    own = _first(span, _SPAN_ID)
    trace = _first(span, ("context.trace_id", "trace_id", "context.traceId"))
    said = [
        [str(own or ""), str(trace or ""), line.query_id, line.timestamp],
        [[c.memory_id, c.final_score] for c in line.candidates],
    ]
    return msgspec.json.encode(said)


def _first(span: Flat, names: tuple[str, ...]) -> Any:
    return next((span[name] for name in names if span.get(name) not in (None, "")), None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: Any) -> datetime | None:
    """A time as exports have it; without a zone it is UTC."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if not isinstance(value, str):
        return None
    spelled = value.replace(" ", "T", 1)
    for attempt in (spelled, f"{spelled}Z"):
        try:
            return parse_time(attempt)
        except ValueError:
            continue
    return None
