"""Where a part of a trace store's retrievals begin, and which candidates its labels name.

Labels are joined by query and memory id, which are texts: this reads two columns of texts and takes
longer than the sweep itself. What it finds is a few numbers, which are kept beside the store under
``.sweep``, by the digest of the labels; it may be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memconform.sweep.errors import SweepError
from memconform.sweep.rows import Bools, Floats, Ints
from memconform.traces.store import Part, TraceStore

if TYPE_CHECKING:
    import duckdb

FOLDER = ".sweep"
DIMENSIONS = ("language", "category", "split")
UNKNOWN = "unknown"
_FORMAT = 1  # of the kept file; another one is made anew


@dataclass(frozen=True)
class LabelFiles:
    """Two Parquet files as the trace store has them.

    Attributes:
        judgements: query_id, memory_id, grade.
        queries: query_id, category, split, language, expects_nothing; null where there is none.
    """

    judgements: Path
    queries: Path | None

    @property
    def digest(self) -> str:
        """SHA-256 over both files."""
        found = hashlib.sha256()
        for path in (self.judgements, self.queries):
            data = b"" if path is None else path.read_bytes()
            found.update(len(data).to_bytes(8, "big") + data)
        return found.hexdigest()


@dataclass(frozen=True, eq=False)
class Labelled:
    """The retrievals of a part, in the order of their candidates, those without any last.

    Attributes:
        lengths: (n,) how many candidates each has.
        judged: (J,) rows of candidates that a label names, ascending.
        owners: (J,) the retrieval of each.
        relevances: (J,) whether it is relevant; else forbidden.
        relevant: (n,) how many memories are relevant.
        silent: (n,) whether nothing is expected.
        cells: (n,) the place of its groups in ``names``.
        names: (cells, 3) language, category and split.
        swept_from: (n,) lowest threshold from which its candidates are complete; NaN: unknown.
    """

    lengths: Ints
    judged: Ints
    owners: Ints
    relevances: Bools
    relevant: Ints
    silent: Bools
    cells: Ints
    names: Any
    swept_from: Floats


def files_of(paths: Sequence[Path], folder: Path) -> LabelFiles:
    """Judgements of any kind that ``traces.labels`` reads, written to a folder as the store's are.

    Args:
        paths: TREC qrels, tables or JSON.
        folder: an empty one.

    Raises:
        SweepError: a line can't be understood or contradicts another.
        TraceError: a file isn't there.
    """
    from memconform.traces.labels import Labels

    known = Labels(folder, {}, {})
    for path in paths:
        _, _, refused = known.merged(path)
        if refused:
            first = refused[0]
            raise SweepError(
                f"{len(refused)} judgements of {path} can't be taken, the first in line "
                f"{first.line}: {first.reason}; mend them, so that no figure is without them."
            )
    known.write()
    return LabelFiles(folder / "labels.parquet", folder / "query_labels.parquet")


def labelled(store: TraceStore, part: Part, labels: LabelFiles, digest: str) -> Labelled:
    """What the labels say of a part; read where it has been kept, else found and kept.

    Raises:
        SweepError: the labels contradict themselves, or the part is not in order.
    """
    candidates = store.path("candidates", part)
    size = candidates.stat().st_size
    key = hashlib.sha256(f"{_FORMAT} {digest} {part.day} {size}".encode()).hexdigest()[:16]
    path = store.folder / FOLDER / f"{part.name}.{key}.npz"
    kept = _kept(path)
    if kept is not None and int(kept.lengths.sum()) == part.candidates:
        return kept
    found = _joined(store, part, labels)
    _keep(path, found)
    return found


def _kept(path: Path) -> Labelled | None:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Labelled(**{each.name: arrays[each.name] for each in fields(Labelled)})
    except (OSError, ValueError, KeyError, EOFError):
        return None  # not there, or damaged: found anew


def _keep(path: Path, found: Labelled) -> None:
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(exist_ok=True)
        with draft.open("wb") as file:
            np.savez(file, **{each.name: getattr(found, each.name) for each in fields(Labelled)})
        draft.replace(path)
    except OSError:  # a store that can't be written to is swept all the same
        with contextlib.suppress(OSError):
            draft.unlink()


def _joined(store: TraceStore, part: Part, labels: LabelFiles) -> Labelled:
    connection = store.connect()
    try:
        return _Join(connection, store, part, labels).found()
    finally:
        connection.close()


class _Join:
    """The questions that are asked of the files of one part."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        store: TraceStore,
        part: Part,
        labels: LabelFiles,
    ) -> None:
        self._ask = connection
        self._part = part
        self._view("rows", store.path("candidates", part))
        self._view("part", store.path("retrievals", part))
        self._view("judgement", labels.judgements)
        if labels.queries is not None:
            self._view("query", labels.queries)
        else:
            connection.execute(
                "CREATE TEMP TABLE query (query_id VARCHAR, category VARCHAR, split VARCHAR, "
                "language VARCHAR, expects_nothing BOOLEAN)"
            )

    def _view(self, name: str, path: Path) -> None:
        self._ask.read_parquet(_pattern(path), file_row_number=name == "rows").create_view(name)

    def found(self) -> Labelled:
        self._check_labels()
        retrievals = self._retrievals()
        lengths = retrievals["lengths"].astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        first = np.asarray(retrievals["first_row"], np.float64)
        some = lengths > 0
        if (first[some] != starts[:-1][some]).any():
            raise SweepError(
                f"The part {self._part.name} of the traces is not in the order of its retrievals; "
                "import its source anew."
            )
        judged, relevances = self._judged()
        groups = list(zip(*(retrievals[name].tolist() for name in DIMENSIONS), strict=True))
        names = sorted(set(groups)) or [(UNKNOWN,) * len(DIMENSIONS)]
        place = {name: at for at, name in enumerate(names)}
        return Labelled(
            lengths=lengths,
            judged=judged,
            owners=np.searchsorted(starts, judged, "right") - 1,
            relevances=relevances,
            relevant=retrievals["relevant"].astype(np.int64),
            silent=retrievals["silent"].astype(np.bool_),
            cells=np.array([place[group] for group in groups], np.int64),
            names=np.array(names, np.str_),
            swept_from=np.asarray(retrievals["swept_from"], np.float64),
        )

    def _check_labels(self) -> None:
        twice = self._ask.execute(
            "SELECT query_id, memory_id FROM judgement GROUP BY ALL HAVING count(*) > 1 "
            "ORDER BY ALL LIMIT 1"
        ).fetchone()
        if twice is not None:
            raise SweepError(
                f"The labels judge memory {twice[1]!r} twice for query {twice[0]!r}; "
                "keep one of the two."
            )
        both = self._ask.execute(
            "SELECT query_id FROM query JOIN judgement USING (query_id) "
            "WHERE expects_nothing AND grade > 0 ORDER BY ALL LIMIT 1"
        ).fetchone()
        if both is not None:
            raise SweepError(
                f"The labels say of query {both[0]!r} that nothing is expected and that a memory "
                "is relevant; take one of the two back."
            )

    def _retrievals(self) -> dict[str, Any]:
        # The class of the query decides which floor holds; where the trace doesn't say it, the
        # language of the label does.
        frame = self._ask.execute(
            f"""
            WITH run AS (
                SELECT retrieval_id, min(file_row_number) AS first_row, count(*) AS lengths
                FROM rows GROUP BY retrieval_id
            ), wanted AS (
                SELECT query_id, count(*) FILTER (grade > 0) AS relevant
                FROM judgement GROUP BY query_id
            )
            SELECT
                coalesce(run.first_row, -1) AS first_row,
                coalesce(run.lengths, 0) AS lengths,
                coalesce(wanted.relevant, 0) AS relevant,
                coalesce(query.expects_nothing, false) AS silent,
                coalesce(
                    part.language,
                    CASE WHEN query.language IN ('zh', 'ja', 'ko', 'cjk') THEN 'cjk'
                         WHEN query.language IS NOT NULL THEN 'latin' END,
                    '{UNKNOWN}'
                ) AS language,
                coalesce(query.category, '{UNKNOWN}') AS category,
                coalesce(query.split, '{UNKNOWN}') AS split,
                coalesce(part.swept_from, 'NaN'::DOUBLE) AS swept_from
            FROM part
            LEFT JOIN run USING (retrieval_id)
            LEFT JOIN wanted USING (query_id)
            LEFT JOIN query USING (query_id)
            ORDER BY run.first_row NULLS LAST, part.retrieval_id
            """  # noqa: S608 - the only text put in is a constant of this module
        )
        found: dict[str, Any] = frame.fetchnumpy()
        return found

    def _judged(self) -> tuple[Ints, Bools]:
        found = self._ask.execute(
            "SELECT rows.file_row_number AS row, grade > 0 AS relevant FROM rows "
            "JOIN judgement USING (query_id, memory_id) WHERE grade <> 0 ORDER BY row"
        ).fetchnumpy()
        return np.asarray(found["row"], np.int64), np.asarray(found["relevant"], np.bool_)


def _pattern(path: Path) -> str:
    # A path is a pattern to DuckDB; brackets keep its own special characters to themselves.
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


def rows_named(
    store: TraceStore, part: Part, columns: Sequence[str], rows: Ints
) -> list[tuple[Any, ...]]:
    """Some columns of some candidates of a part, in the order of their rows.

    Args:
        store: where they are.
        part: of the store.
        columns: names of the candidates' columns.
        rows: ascending rows of the part's candidates; may repeat.
    """
    connection = store.connect()
    try:
        unique, back = np.unique(rows, return_inverse=True)
        connection.execute("CREATE TEMP TABLE wanted (file_row_number BIGINT)")
        connection.execute("INSERT INTO wanted SELECT unnest(?::BIGINT[])", [unique.tolist()])
        path = _pattern(store.path("candidates", part))
        connection.read_parquet(path, file_row_number=True).create_view("rows")
        found = connection.execute(
            f"SELECT {', '.join(columns)} FROM rows JOIN wanted USING (file_row_number) "  # noqa: S608 - names of columns
            "ORDER BY file_row_number"
        ).fetchall()
        return [found[at] for at in back.tolist()]
    finally:
        connection.close()
