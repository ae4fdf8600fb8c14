"""Candidates from any Parquet file, in any order: sorted here, a part of the queries at a time.

Sorting is what costs time. A candidate's query, its score rounded down to steps, and its row are
packed into one whole number, and these are sorted: several times faster than sorting rows by two
columns. Where a step holds different scores of one query, their order is put right afterwards, so
the order is exact: by score, the first row of equals first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memconform.sweep.errors import MissingPackage, SweepError
from memconform.sweep.rows import EVERYTHING, Codes, Floats, Ints, Rows, width_for

if TYPE_CHECKING:
    import polars

# Bits of a packed query; at most as many for the steps of a score.
_FAR = 32
_FEW = 4_096
# Rows that are sorted at a time; a larger file is read in several passes, each for some queries.
PASS = 12_000_000


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What the columns of a file are called; one row is one candidate.

    Attributes:
        query: whose candidate it is; whole numbers or texts.
        score: the final score, more is better, finite. Of equal ones the first row is better.
        gate: the gate value; infinity passes always.
        grade: above 0 relevant, 0 neither, below 0 forbidden.
        always: whether it passes whatever the threshold; null for none.
        language: latin or cjk, the same in all rows of a query; null for none.
        category: of the query, likewise.
        relevant: how many memories are relevant to the query, found or not, likewise; null to
            count the relevant candidates. Where it is 0 nothing is expected.
    """

    query: str = "query_id"
    score: str = "final_score"
    gate: str = "gate_value"
    grade: str = "grade"
    always: str | None = None
    language: str | None = None
    category: str | None = None
    relevant: str | None = None

    @property
    def groups(self) -> dict[str, str]:
        """Dimension -> column."""
        named = {"language": self.language, "category": self.category}
        return {dimension: column for dimension, column in named.items() if column is not None}

    @property
    def all(self) -> list[str]:
        """Every column that is read."""
        needed = [self.query, self.score, self.gate, self.grade]
        optional = [self.always, self.relevant, *self.groups.values()]
        return [*needed, *(name for name in optional if name is not None)]


STANDARD = Columns()


def rows_of_parquet(path: Path | str, columns: Columns, *, at_a_time: int = PASS) -> list[Rows]:
    """Read candidates from a Parquet file in whatever order.

    A query that has no candidate isn't in such a file. A query without a relevant candidate counts
    as one that expects nothing, unless a column says how many memories are relevant to it.

    Args:
        path: the file.
        columns: what its columns are called.
        at_a_time: about how many rows are held and sorted together.

    Raises:
        SweepError: a column is missing or of a wrong type, or a value is null or NaN.
        MissingPackage: Polars is not installed.
    """
    try:
        import polars as pl
    except ImportError as error:
        raise MissingPackage("polars") from error
    path = Path(path)
    if not path.is_file():
        raise SweepError(f"There is no file {path}; name a Parquet file with one row a candidate.")
    scan = pl.scan_parquet(path, glob=False)
    try:
        schema = scan.collect_schema()
        missing = [name for name in columns.all if name not in schema]
        if missing:
            raise SweepError(
                f"{path} has no column {missing[0]!r}; it has {', '.join(schema.names())}."
            )
        frame = scan.select(columns.all)
        total = int(frame.select(pl.len()).collect().item())
        if not total:
            raise SweepError(f"{path} has no rows: there is nothing to sweep.")
        passes = -(-total // at_a_time)
        if passes == 1:
            return [_rows(frame.collect(), columns)]
        part_of = pl.col(columns.query).hash(seed=0) % passes
        parts = (frame.filter(part_of == part).collect() for part in range(passes))
        return [_rows(part, columns) for part in parts if len(part)]
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise SweepError(f"{path} can't be read as a table of candidates: {reason}.") from error


def _rows(frame: polars.DataFrame, columns: Columns) -> Rows:
    import polars as pl

    for name in columns.all:
        if frame[name].null_count():
            raise SweepError(
                f"The column {name!r} has empty cells; fill them in or leave them out."
            )
    query = frame[columns.query]
    if query.dtype == pl.String:
        query = query.cast(pl.Categorical).to_physical()
    elif not query.dtype.is_integer():
        raise SweepError(f"The column {columns.query!r} holds neither texts nor whole numbers.")
    numbers = query.to_numpy().astype(np.int64)
    score = frame[columns.score].cast(pl.Float64).to_numpy()
    if not np.isfinite(score).all():
        raise SweepError(f"The column {columns.score!r} holds what is no finite number.")
    gate = frame[columns.gate].cast(pl.Float64)
    if gate.is_nan().any():
        raise SweepError(f"The column {columns.gate!r} holds what is no number (NaN).")
    order, begins = ranked(numbers, score)
    always = None if columns.always is None else frame[columns.always].cast(pl.Boolean).to_numpy()
    values, codes = _coded(gate, always)
    starts = np.append(begins, len(order)).astype(np.int64)
    given = frame[columns.grade].cast(pl.Float64).to_numpy()
    grade = ((given > 0).astype(np.int8) - (given < 0)).take(order)  # narrow, since it is moved
    judged = np.flatnonzero(grade)
    owners = np.searchsorted(starts, judged, "right") - 1
    relevances = grade[judged] > 0
    if columns.relevant is None:
        relevant = np.bincount(owners[relevances], minlength=len(begins))
    else:
        relevant = frame[columns.relevant].cast(pl.Int64).gather(order[begins]).to_numpy()
    groups = [frame[name].cast(pl.String).gather(order[begins]) for name in columns.groups.values()]
    cells, names = celled(groups, len(begins))
    rows = Rows(
        values=values,
        codes=codes.take(order),
        starts=starts,
        judged=judged,
        owners=owners,
        relevances=relevances,
        relevant=relevant,
        silent=relevant == 0,
        cells=cells,
        dimensions=tuple(columns.groups),
        names=names,
        complete_from=np.full(len(names), EVERYTHING),
    )
    rows.check()
    return rows


def celled(groups: Sequence[polars.Series], n: int) -> tuple[Ints, tuple[tuple[str, ...], ...]]:
    """(n,) the cell of each retrieval, and the groups of each cell."""
    import polars as pl

    if not groups:
        return np.zeros(n, np.int64), ((),)
    frame = pl.DataFrame({str(at): group for at, group in enumerate(groups)})
    names = frame.unique().sort(frame.columns)
    places = frame.join(
        names.with_row_index("cell"), on=frame.columns, how="left", maintain_order="left"
    )
    return places["cell"].to_numpy().astype(np.int64), tuple(names.iter_rows())


def _coded(gate: polars.Series, always: NDArray[np.bool_] | None) -> tuple[Floats, Codes]:
    """Distinct values, and each candidate's place among them."""
    import polars as pl

    # Where a beginning has many values there is no need to count those of all.
    distinct = gate.unique() if gate.head(16 * _FEW).n_unique() <= _FEW else None
    if distinct is not None and len(distinct) <= _FEW:
        # A small table that is looked up is faster than sorting the candidates.
        values = np.unique(distinct.to_numpy() + 0.0)  # minus zero is zero
        values = values[values != np.inf]
        kind = width_for(len(values))
        table = dict(zip([*values.tolist(), np.inf], range(len(values) + 1), strict=True))
        places = gate.replace_strict(table, return_dtype=pl.UInt32).to_numpy().astype(kind)
    else:
        # Not a search for each: in a long list of values every one of its steps waits for memory.
        given = gate.to_numpy() + 0.0
        order = np.argsort(given)
        ascending = given[order]
        fresh = np.append(True, ascending[1:] != ascending[:-1])
        values = ascending[fresh]
        values = values[values != np.inf]  # infinity is the last, so its place is one after these
        kind = width_for(len(values))
        places = np.empty(len(given), kind)
        places[order] = np.cumsum(fresh) - 1
    if always is not None:
        places[always] = len(values)
    return values, places


def ranked(query: Ints, score: Floats) -> tuple[Ints, Ints]:
    """The order by query, then score from high to low, then row.

    Args:
        query: (rows,) whole numbers.
        score: (rows,) finite.

    Returns:
        (rows,) the rows in that order, and (queries,) where in it each query begins.
    """
    if not len(query):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = (len(query) - 1).bit_length()
    least, most = int(query.min()), int(query.max())
    if most - least >= 1 << _FAR:  # too far apart to be packed as they are: numbered anew
        packed = np.unique(query, return_inverse=True)[1].astype(np.int64)
    else:
        packed = query - least
    steps = min(_FAR, 63 - rows - int(packed.max()).bit_length())
    # In place: these arrays are large, and each new one costs as much as what is done to it.
    packed <<= steps
    packed |= _steps(score, (1 << steps) - 1)
    packed <<= rows
    packed |= np.arange(len(query))
    packed.sort()
    order = packed & ((1 << rows) - 1)
    packed >>= rows
    _put_right(order, packed, score)
    packed >>= steps
    return order, np.append(0, np.flatnonzero(packed[1:] != packed[:-1]) + 1)


def _steps(score: Floats, most: int) -> Ints:
    """Scores as whole numbers from 0 for the highest to ``most``; no two change places."""
    # Halved first: the difference of two finite numbers needn't be finite.
    high, low = float(score.max()) / 2, float(score.min()) / 2
    if not high > low:
        return np.zeros(len(score), np.int64)
    down = score * -0.5
    down += high
    down /= high - low
    down *= most
    return np.minimum(down, most, out=down).astype(np.int64)


def _put_right(order: Ints, steps: Ints, score: Floats) -> None:
    """Sort the rows of each step of a query that are not in the order of their scores."""
    pairs = np.flatnonzero(steps[1:] == steps[:-1])
    wrong = pairs[score[order[pairs + 1]] > score[order[pairs]]]
    bad = np.unique(steps[wrong])
    firsts, lasts = np.searchsorted(steps, bad, "left"), np.searchsorted(steps, bad, "right")
    sizes = lasts - firsts
    inside = np.repeat(firsts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    again = np.lexsort((order[inside], -score[order[inside]], steps[inside]))
    order[inside] = order[inside][again]
