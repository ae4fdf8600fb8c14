"""Brings traces of many kinds into a trace store, a portion at a time.

    source -> reader -> checked -> new ones -> columns by day -> parts

A portion is in the store as a whole before the next one is read, so an interrupted import keeps
what it has done and, run again, goes on from there.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from memconform.traces import formats
from memconform.traces.answers import IMPORT_SCHEMA, Imported, Refusal
from memconform.traces.batch import Batch, Found, Refused, by_day, checked
from memconform.traces.labels import Judgement, Labels
from memconform.traces.mapping import Mapping
from memconform.traces.read_audit import AuditReader
from memconform.traces.write import StoreWriter, writing

REFUSED = "refused.jsonl"


@dataclass(frozen=True)
class Progress:
    """How far an import is.

    Attributes:
        source: the file that is being read.
        position: how much of it is read, in the unit of ``size``.
        size: bytes of a file, rows of a table.
        retrievals: those added so far.
        refused: the refusals so far.
    """

    source: Path
    position: int
    size: int
    retrievals: int
    refused: int


@dataclass
class Summary:
    """What became of everything that was found: added + known + refused.

    Attributes:
        added: retrievals that were new.
        candidates: candidates of those.
        known: retrievals that the store had already, or that came twice.
        refused: what is not in the store, and why; the first ones of ``refused_count``.
        passed_over: what is no retrieval and no fault, such as spans of other kinds
            and runs of which an audit keeps no decisions any more.
        labels: judgements that were new.
        labels_known: judgements that the store had already.
    """

    added: int = 0
    candidates: int = 0
    known: int = 0
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)
    passed_over: int = 0
    labels: int = 0
    labels_known: int = 0

    @property
    def anything(self) -> bool:
        """Whether something of what was named is in the store now."""
        return bool(self.added or self.known or self.labels or self.labels_known)

    def document(self) -> Imported:
        """What ``traces import --json`` prints."""
        return Imported(
            schema=IMPORT_SCHEMA,
            added=self.added,
            candidates=self.candidates,
            known=self.known,
            passed_over=self.passed_over,
            labels=self.labels,
            labels_known=self.labels_known,
            refused=self.refused_count,
            refusals=[
                Refusal(source=each.source, line=each.line, reason=each.reason)
                for each in self.refused
            ],
        )


_SHOWN = 1000  # refusals kept in memory; the file has them all


def ingest(
    sources: list[Path],
    out: Path,
    *,
    labels: list[Path] | None = None,
    format: str | None = None,
    mapping: Mapping | None = None,
    with_text: bool = False,
    told: Callable[[Progress], None] = lambda progress: None,
) -> Summary:
    """Import traces, judgements or both.

    Args:
        sources: files; a folder stands for the files in it, by name.
        out: the folder of the store.
        labels: files of judgements; see ``traces.labels``.
        format: of all sources, see ``formats.FORMATS``; null looks at each.
        mapping: which column of a table is what.
        with_text: keep queries and contents, where the sources have them.
        told: is called after each portion.

    Returns:
        What was added, what was there already, and what was refused; all refusals stand in
        ``refused.jsonl`` of the store, which each import writes anew.

    Raises:
        TraceError: a source isn't there or of no known kind, the mapping doesn't fit, or the store
            can't be written to. What was added before stays.
    """
    files, strange = formats.files(sources, format)
    summary = Summary()
    with writing(out) as writer:
        refusals = _Refusals(writer.incoming / REFUSED, summary)
        with refusals:
            refusals.add(
                [Refused(str(path), 0, "it is of no kind that is known") for path in strange]
            )
            for path, kind in files:
                if kind == formats.QRELS:
                    _label(path, out, summary, refusals)
                    continue
                reader = formats.reader(
                    kind, path, writer.incoming, mapping=mapping, with_text=with_text
                )
                size = reader.size  # asked for before the reader goes to work in its thread
                for found in ahead(reader.read()):
                    refused = list(found.refused)
                    for batch in found.batches:
                        refused += _add(batch, writer, summary)
                    refusals.add(sorted(refused, key=lambda refusal: refusal.line))
                    summary.passed_over += found.passed_over
                    told(Progress(path, found.position, size, summary.added, summary.refused_count))
                if isinstance(reader, AuditReader):
                    _label(path, out, summary, refusals, reader.judgements())
            for path in labels or []:
                _label(path, out, summary, refusals)
        refusals.path.replace(out / REFUSED)
    return summary


def _add(batch: Batch, writer: StoreWriter, summary: Summary) -> list[Refused]:
    batch, refused = checked(batch)
    new = np.array(writer.known.add(batch.ids), dtype=np.bool_)
    batch = batch.only(new)
    writer.add(list(by_day(batch)))
    summary.added += len(batch)
    summary.candidates += len(batch.candidates)
    summary.known += int((~new).sum())
    return refused


def _label(
    path: Path,
    out: Path,
    summary: Summary,
    refusals: _Refusals,
    judgements: Iterable[tuple[int, Judgement | str]] | None = None,
) -> None:
    store = Labels.of(out)
    merged = store.merged(path) if judgements is None else store.taken(str(path), judgements)
    added, known, refused = merged
    refusals.add(refused)
    store.write()
    summary.labels += added
    summary.labels_known += known


class _Refusals:
    """Writes every refusal to a file, one JSON object a line, and keeps the first ones."""

    def __init__(self, path: Path, summary: Summary) -> None:
        self.path = path
        self._summary = summary

    def __enter__(self) -> None:
        self._file = self.path.open("wb")

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def add(self, refused: list[Refused]) -> None:
        for refusal in refused:
            self._file.write(msgspec.json.encode(refusal) + b"\n")
        self._summary.refused_count += len(refused)
        room = _SHOWN - len(self._summary.refused)
        self._summary.refused += refused[: max(0, room)]


@dataclass(frozen=True)
class _End:
    """The last thing that a reader's thread hands over; with what it raised, if anything."""

    error: BaseException | None = None


def ahead(items: Generator[Found]) -> Iterator[Found]:
    """The same items, the next one being made in a thread of its own while one is used."""
    ready: queue.Queue[Found | _End] = queue.Queue(maxsize=1)
    stopped = threading.Event()

    def put(item: Found | _End) -> bool:
        while not stopped.is_set():
            try:
                ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def work() -> None:
        end = _End()
        try:
            for item in items:
                if not put(item):
                    break
        except BaseException as error:
            end = _End(error)
        finally:
            items.close()
        put(end)

    thread = threading.Thread(target=work, name="traces-reader", daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        stopped.set()
        thread.join()
