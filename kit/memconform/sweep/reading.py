"""From a trace store, or any Parquet file, to a sweep."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from memconform.evaluation.configuration import Origin
from memconform.sweep.errors import MissingPackage, SweepError
from memconform.sweep.flips import Names
from memconform.sweep.foreign import STANDARD, Columns, rows_of_parquet
from memconform.sweep.labelled import (
    DIMENSIONS,
    LabelFiles,
    Labelled,
    files_of,
    labelled,
    rows_named,
)
from memconform.sweep.result import Sweep
from memconform.sweep.rows import EVERYTHING, Bools, Codes, Floats, Ints, Rows, coded, width_for
from memconform.traces.schema import MANIFEST
from memconform.traces.store import Part, TraceStore, open_store

GATE = "lexical"
# Features whose floor can be swept besides the gate's own.
FEATURES = (
    "final_score",
    "scope_affinity",
    "type_affinity",
    "freshness",
    "importance",
    "confidence",
)
HOLDOUT = "holdout"
_Told = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Traces:
    """A trace store with its labels, read: the ground of every sweep of it.

    Attributes:
        store: the folder.
        digest: SHA-256 of the labels.
        pieces: of each part what its labels say, and which of its retrievals are taken.
        notes: sentences that a reader of the figures should know.
    """

    store: TraceStore
    digest: str
    pieces: tuple[Piece, ...]
    notes: tuple[str, ...]

    @property
    def origin(self) -> Origin:
        """Where a configuration that is chosen on these came from."""
        listed = (self.store.folder / MANIFEST).read_bytes()
        return Origin(
            traces=hashlib.sha256(listed).hexdigest(),
            labels=self.digest,
            retrievals=sum(int(piece.taken.sum()) for piece in self.pieces),
        )


@dataclass(frozen=True, eq=False)
class Piece:
    """One part of a store.

    Attributes:
        part: which one.
        labelled: what the labels say of it.
        taken: (n,) which of its retrievals are swept.
        rows: (rows,) which of its candidates belong to these; null for all.
    """

    part: Part
    labelled: Labelled
    taken: Bools
    rows: Bools | None


def read(
    traces: TraceStore | Path | str,
    labels: Path | str | Sequence[Path | str] | LabelFiles | None = None,
    *,
    split: str | None = None,
) -> Traces:
    """Open a trace store and join its labels.

    Args:
        traces: the store or its folder.
        labels: files of judgements (TREC qrels, tables, JSON; see ``traces.labels``); the store's
            own if left out.
        split: only retrievals of queries with this split; if left out all but the holdout, on
            which nothing must be chosen.

    Raises:
        SweepError: there are no labels or no retrievals, or they contradict themselves.
        TraceError: the store can't be read.
    """
    _need("duckdb")
    store = traces if isinstance(traces, TraceStore) else open_store(traces)
    with TemporaryDirectory(prefix="memconform-labels-") as folder:
        files = _label_files(store, labels, Path(folder))
        digest = files.digest
        pieces = tuple(_piece(store, part, files, digest, split) for part in store.parts)
    if not any(piece.taken.any() for piece in pieces):
        of = "" if split is None else f" of the split {split!r}"
        raise SweepError(f"{store.folder} has no retrievals{of} to sweep.")
    return Traces(store, digest, pieces, tuple(_notes(pieces, split)))


def _label_files(
    store: TraceStore, labels: Path | str | Sequence[Path | str] | LabelFiles | None, folder: Path
) -> LabelFiles:
    if isinstance(labels, LabelFiles):
        return labels
    if labels is not None:
        paths = [labels] if isinstance(labels, (Path, str)) else labels
        return files_of([Path(path) for path in paths], folder)
    if store.labels is None:
        raise SweepError(
            f"{store.folder} has no labels; name a file of judgements with --labels, or import one "
            "with the traces."
        )
    return LabelFiles(store.labels, store.query_labels)


def sweep(
    traces: Traces | TraceStore | Path | str,
    k: int = 5,
    *,
    labels: Path | str | Sequence[Path | str] | LabelFiles | None = None,
    split: str | None = None,
    feature: str = GATE,
    told: _Told | None = None,
) -> Sweep:
    """Sweep a trace store: every figure at every distinct value of the gate feature.

    Args:
        traces: what ``read`` gave, or a store or its folder.
        k: how many are selected at most.
        labels: as ``read`` has them, as is ``split``.
        split: see there.
        feature: the gate's own (lexical), which type affinity passes whatever the floor; or one of
            ``FEATURES``, whose floor is then the only gate and holds for all candidates logged.
        told: is told after each part how many of how many are done.

    Raises:
        SweepError: as ``read``; or there is no such feature, or not in these traces.
        TraceError: the store can't be read.
    """
    read_traces = traces if isinstance(traces, Traces) else read(traces, labels, split=split)
    rows = [_rows(read_traces, piece, feature) for piece in read_traces.pieces]
    names = StoreNames(read_traces)
    return Sweep.of(rows, k, feature=feature, names=names, notes=read_traces.notes, told=told)


def sweep_parquet(
    path: Path | str,
    k: int = 5,
    *,
    columns: Columns = STANDARD,
    at_a_time: int | None = None,
) -> Sweep:
    """Sweep any Parquet file with one row a candidate, in whatever order.

    Args:
        path: the file.
        k: how many are selected at most.
        columns: what its columns are called.
        at_a_time: about how many rows are sorted together; bounds the memory.

    Raises:
        SweepError: the file can't be read so, or has no rows.
        MissingPackage: Polars is not installed.
    """
    if at_a_time is None:
        rows = rows_of_parquet(path, columns)
    else:
        rows = rows_of_parquet(path, columns, at_a_time=at_a_time)
    return Sweep.of(rows, k, feature=columns.gate)


def _need(package: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingPackage(package)


def _piece(
    store: TraceStore, part: Part, labels: LabelFiles, digest: str, split: str | None
) -> Piece:
    found = labelled(store, part, labels, digest)
    of_cell = found.names[:, DIMENSIONS.index("split")]
    wanted = of_cell != HOLDOUT if split is None else of_cell == split
    taken = np.asarray(wanted[found.cells], np.bool_)
    return Piece(part, found, taken, None if taken.all() else np.repeat(taken, found.lengths))


def _notes(pieces: Sequence[Piece], split: str | None) -> list[str]:
    notes = []
    left = sum(int((~piece.taken).sum()) for piece in pieces)
    if left and split is None:
        notes.append(
            f"{left:,} retrievals of holdout queries are left out: nothing is chosen on them."
        )
    vague = sum(int(np.isnan(p.labelled.swept_from[p.taken]).sum()) for p in pieces)
    if vague:
        notes.append(
            f"Of {vague:,} retrievals it is unknown from which threshold on every candidate was "
            "logged; figures below the floor in force then may be too low."
        )
    unjudged = sum(
        int((p.taken & (p.labelled.relevant == 0) & ~p.labelled.silent).sum()) for p in pieces
    )
    if unjudged:
        notes.append(f"{unjudged:,} retrievals have no judgement and count as selections only.")
    return notes


def gate_rows(traces: Traces, piece: Piece) -> Rows:
    """The candidates of a part with the values of the gate."""
    return _rows(traces, piece, GATE)


def _rows(traces: Traces, piece: Piece, feature: str) -> Rows:
    found, part, store = piece.labelled, piece.part, traces.store
    if feature == GATE:
        values, codes = _gate(store, part)
        # A retrieval whose reach isn't known is taken as it is; a note says so.
        reach = np.where(found.swept_from > 0, found.swept_from, EVERYTHING)
    else:
        values, codes = _feature(store, part, feature)
        reach = np.full(len(found.lengths), EVERYTHING)
    if len(codes) != int(found.lengths.sum()):
        raise SweepError(
            f"The part {part.name} has {len(codes)} candidates and {int(found.lengths.sum())} were "
            "counted; import its source anew."
        )
    bounds = np.full(len(found.names), EVERYTHING)
    np.maximum.at(bounds, found.cells[piece.taken], reach[piece.taken])
    rows = Rows(
        values=values,
        codes=codes,
        starts=np.concatenate([[0], np.cumsum(found.lengths)]).astype(np.int64),
        judged=found.judged,
        owners=found.owners,
        relevances=found.relevances,
        relevant=found.relevant,
        silent=found.silent,
        cells=found.cells,
        dimensions=DIMENSIONS,
        names=tuple(tuple(name) for name in found.names.tolist()),
        complete_from=bounds,
    )
    rows.check()
    return rows if piece.rows is None else _without(rows, piece.taken, piece.rows)


def _without(rows: Rows, taken: Bools, candidates: Bools) -> Rows:
    """Only some retrievals."""
    fewer = rows.only(candidates)
    number = np.cumsum(taken) - 1
    return replace(
        fewer,
        starts=np.append(fewer.starts[:-1][taken], fewer.starts[-1]),
        owners=number[fewer.owners],
        relevant=rows.relevant[taken],
        silent=rows.silent[taken],
        cells=rows.cells[taken],
    )


def _gate(store: TraceStore, part: Part) -> tuple[Floats, Codes]:
    """The distinct gate values of a part, and the code of each candidate, as import left them."""
    values = column(store.path("gate_values", part), "gate_value").astype(np.float64)
    codes = column(store.path("candidates", part), "gate_code")
    return values, codes.astype(width_for(len(values)))


def _feature(store: TraceStore, part: Part, feature: str) -> tuple[Floats, Codes]:
    if feature not in FEATURES:
        raise SweepError(
            f"There is no feature {feature!r} to sweep; there are {GATE}, {', '.join(FEATURES)}."
        )
    values = column(store.path("candidates", part), feature).astype(np.float64)
    if np.isnan(values).any():
        raise SweepError(f"These traces don't say the {feature} of every candidate.")
    return coded(values)


def column(path: Path, name: str) -> Codes:
    """One column of a Parquet file; a null among numbers is NaN."""
    _need("polars")
    import polars as pl

    return pl.read_parquet(path, columns=[name], glob=False)[name].to_numpy()


class StoreNames(Names):
    """The ids of a store's retrievals and candidates, read when asked for."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces

    def retrievals(self, piece: int, places: Ints) -> list[tuple[str, str]]:
        """See ``Names``. Only retrievals with candidates have names here; only these can flip."""
        of_part = self._traces.pieces[piece]
        starts = np.concatenate([[0], np.cumsum(of_part.labelled.lengths)])[:-1]
        first = starts[of_part.taken][places]
        columns = ("retrieval_id", "query_id")
        found = rows_named(self._traces.store, of_part.part, columns, first)
        return [(str(retrieval), str(query)) for retrieval, query in found]

    def memories(self, piece: int, places: Ints) -> list[str]:
        """See ``Names``."""
        of_part = self._traces.pieces[piece]
        rows = places if of_part.rows is None else np.flatnonzero(of_part.rows)[places]
        found = rows_named(self._traces.store, of_part.part, ("memory_id",), rows)
        return [str(memory) for (memory,) in found]
