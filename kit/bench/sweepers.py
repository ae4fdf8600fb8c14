"""Who sweeps: the loop that filters anew, one DuckDB query, and ours, each in its own process.

Each has a class that is made once and swept several times. ``figures`` are recall, precision, MRR
and abstention accuracy as means and forbidden selections as a count, K 5, at some thresholds.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
from candidates import Files

K = 5
GRID = 101
Figures = list[tuple[float, float, float, float, float]]


class Sweeper(Protocol):
    """One way to sweep."""

    def sweep(self) -> None:
        """The work that is timed: everything but what ``__init__`` did."""
        ...

    def figures(self, thresholds: Sequence[float]) -> Figures:
        """What came of it."""
        ...


class Refiltering:
    """Filter, take the first K of each query, count: once a threshold, over rows in memory.

    The rows are in the order of query and score, so nothing has to be sorted. Of a large file only
    some thresholds of the grid are done; the caller multiplies.
    """

    def __init__(self, files: Files, thresholds: Sequence[float]) -> None:
        self._rows = pl.read_parquet(files.ranked)
        self._thresholds = thresholds
        queries = self._rows.group_by("query").agg(pl.col("relevant", "silent").first())
        self._answerable = int((queries["relevant"] > 0).sum())
        self._silent = int(queries["silent"].sum())
        self._found: dict[float, tuple[float, float, float, float, float]] = {}

    def sweep(self) -> None:
        """One pass a threshold."""
        self._found = {threshold: self._at(threshold) for threshold in self._thresholds}

    def figures(self, thresholds: Sequence[float]) -> Figures:
        """Of the thresholds that were done."""
        return [self._found[threshold] for threshold in thresholds]

    def _at(self, threshold: float) -> tuple[float, float, float, float, float]:
        place, hit = pl.col("place"), pl.col("grade") > 0
        per_query = (
            self._rows.lazy()
            .filter(pl.col("always") | (pl.col("gate") >= threshold))
            .with_columns(place=pl.int_range(pl.len()).over("query"))
            .filter(place < K)
            .group_by("query")
            .agg(
                hits=hit.sum(),
                selected=pl.len(),
                first=place.filter(hit).min(),
                forbidden=(pl.col("grade") < 0).sum(),
                relevant=pl.col("relevant").first(),
                silent=pl.col("silent").first(),
            )
        )
        answerable = pl.col("relevant") > 0
        sums = per_query.select(
            recall=(pl.col("hits") / pl.col("relevant")).filter(answerable).sum(),
            precision=(pl.col("hits") / pl.col("selected")).filter(answerable).sum(),
            reciprocal=(1 / (pl.col("first") + 1)).filter(answerable).sum(),
            loud=pl.col("silent").sum(),
            forbidden=pl.col("forbidden").sum(),
        ).collect()
        recall, precision, reciprocal, loud, forbidden = sums.row(0)
        return (
            recall / self._answerable,
            precision / self._answerable,
            reciprocal / self._answerable,
            1 - loud / self._silent,
            float(forbidden),
        )


# up5: the five largest gate values above a candidate, best: of its query, rival: the largest of a
# relevant one above it. Each figure is then a sum of intervals, added up over the gate values.
_QUERY = """
WITH ranked AS (
    SELECT query, relevant, silent, grade,
        CASE WHEN always THEN 'inf'::DOUBLE ELSE gate END AS own,
        row_number() OVER () AS place
    FROM read_parquet('{path}')
), above AS (
    SELECT query, relevant, grade, own,
        max(own, 5) OVER up AS up5, max(CASE WHEN grade > 0 THEN own END) OVER up AS rival
    FROM ranked
    WINDOW up AS (
        PARTITION BY query ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
), tops AS (
    SELECT query, max(own, 5) AS best, any_value(silent) AS silent, any_value(relevant) AS relevant
    FROM ranked GROUP BY query
), judged AS (
    SELECT above.*, tops.best FROM above JOIN tops USING (query)
    WHERE grade <> 0 AND coalesce(up5[5], '-inf'::DOUBLE) < own
), pieces AS (
    SELECT 'recall' AS figure, coalesce(up5[5], '-inf'::DOUBLE) AS low, own AS high,
        1 / relevant AS share FROM judged WHERE grade > 0
    UNION ALL
    SELECT 'forbidden', coalesce(up5[5], '-inf'::DOUBLE), own, 1 FROM judged WHERE grade < 0
    UNION ALL
    SELECT 'precision',
        greatest(
            coalesce(up5[5], '-inf'::DOUBLE),
            CASE WHEN m < 5 THEN coalesce(best[m + 1], '-inf'::DOUBLE) ELSE '-inf'::DOUBLE END
        ),
        least(own, coalesce(best[m], '-inf'::DOUBLE)), 1 / m
    FROM judged, range(1, 6) AS each(m) WHERE grade > 0
    UNION ALL
    SELECT 'reciprocal',
        greatest(coalesce(rival, '-inf'::DOUBLE), coalesce(up5[p], '-inf'::DOUBLE)),
        CASE WHEN p = 1 THEN own ELSE least(own, coalesce(up5[p - 1], '-inf'::DOUBLE)) END, 1 / p
    FROM judged, range(1, 6) AS each(p) WHERE grade > 0
    UNION ALL
    SELECT 'loud', '-inf'::DOUBLE, best[1], 1 FROM tops WHERE silent
), ends AS (
    SELECT figure, low AS value, share FROM pieces WHERE low < high
    UNION ALL
    SELECT figure, high, -share FROM pieces WHERE low < high
), steps AS (
    SELECT figure, value, sum(share) AS share FROM ends GROUP BY figure, value
)
SELECT figure, value, sum(share) OVER (PARTITION BY figure ORDER BY value) AS total,
    (SELECT count(*) FROM tops WHERE relevant > 0) AS answerable,
    (SELECT count(*) FROM tops WHERE silent) AS silent
FROM steps ORDER BY figure, value
"""


class OneQuery:
    """Every threshold in one DuckDB query over the ranked file, by its window of the K largest."""

    def __init__(self, files: Files, thresholds: Sequence[float]) -> None:
        import duckdb

        self._ask = duckdb.connect()
        self._ask.execute("SET preserve_insertion_order = true")
        self._query = _QUERY.format(path=files.ranked)
        self._found: dict[str, Any] = {}

    def sweep(self) -> None:
        """The query."""
        self._found = self._ask.execute(self._query).fetchnumpy()

    def figures(self, thresholds: Sequence[float]) -> Figures:
        """Looked up in its steps."""
        found = self._found
        answerable, silent = int(found["answerable"][0]), int(found["silent"][0])
        return [
            (
                self._total("recall", t) / answerable,
                self._total("precision", t) / answerable,
                self._total("reciprocal", t) / answerable,
                1 - self._total("loud", t) / silent,
                self._total("forbidden", t),
            )
            for t in thresholds
        ]

    def _total(self, figure: str, threshold: float) -> float:
        mine = np.asarray(self._found["figure"] == figure)
        values, totals = self._found["value"][mine], self._found["total"][mine]
        # What begins or ends at a value counts from just above it.
        at = int(np.searchsorted(values, threshold, "left")) - 1
        return float(totals[at]) if at >= 0 else 0.0


class _Ours:
    """Looks figures up in a sweep; keeps what is handed in as ``self.found``."""

    found: Any

    def figures(self, thresholds: Sequence[float]) -> Figures:
        """Looked up."""
        at = [self.found.at(threshold) for threshold in thresholds]
        return [(f.recall, f.precision, f.mrr, f.abstention, float(f.forbidden)) for f in at]


class Store(_Ours):
    """Ours from a trace store whose labels were joined before."""

    def __init__(self, files: Files, thresholds: Sequence[float]) -> None:
        import memconform.sweep as package

        self._sweep, self._store = package.sweep, files.store
        self.found = self._sweep(self._store, K)

    def sweep(self) -> None:
        """From the files to every curve."""
        self.found = self._sweep(self._store, K)
        _ = self.found.overall


class FirstTime(Store):
    """Ours from a trace store whose labels have not been joined yet."""

    def sweep(self) -> None:
        """From the files to every curve, joining the labels on the way."""
        for kept in (self._store / ".sweep").glob("*"):
            kept.unlink()
        super().sweep()


class Foreign(_Ours):
    """Ours from a file of shuffled candidates."""

    def __init__(self, files: Files, thresholds: Sequence[float]) -> None:
        import memconform.sweep as package

        self._sweep, self._path = package.sweep_parquet, files.foreign
        self._columns = package.Columns(
            query="query", score="score", gate="gate", always="always", relevant="relevant"
        )

    def sweep(self) -> None:
        """From the file to every curve."""
        self.found = self._sweep(self._path, K, columns=self._columns)
        _ = self.found.overall


SWEEPERS: dict[str, type[Sweeper]] = {
    "filtering anew": Refiltering,
    "one DuckDB query": OneQuery,
    "ours, trace store": Store,
    "ours, trace store, labels joined anew": FirstTime,
    "ours, foreign file": Foreign,
}


@dataclass
class Worker:
    """A sweeper in a process of its own, so that memory is its own and caches are, too."""

    name: str
    process: multiprocessing.process.BaseProcess
    pipe: Connection

    def sweep(self) -> tuple[float, float]:
        """Seconds of one sweep, by the clock and of processor time."""
        found: tuple[float, float] = self._ask("sweep", None)
        return found

    def figures(self, thresholds: Sequence[float]) -> Figures:
        """What came of the last one."""
        found: Figures = self._ask("figures", list(thresholds))
        return found

    def timed(self, what: str, arguments: dict[str, Any]) -> float:
        """Seconds of a call of the sweep that was made."""
        return float(self._ask(what, arguments))

    def size(self) -> float:
        """How many distinct thresholds the sweep has, infinity left out."""
        return float(self._ask("size", None))

    def close(self) -> float:
        """End it; peak memory in GiB."""
        peak = float(self._ask("close", None))
        self.process.join()
        return peak

    def _ask(self, what: str, arguments: Any) -> Any:
        self.pipe.send((what, arguments))
        return received(self.name, self.pipe)


def started(name: str, files: Files, thresholds: Sequence[float]) -> Worker:
    """Start one and wait until it is ready."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, name, files, list(thresholds)))
    process.start()
    received(name, here)
    return Worker(name, process, here)


def received(name: str, pipe: Connection) -> Any:
    """The next answer of a worker; a sentence means that it has failed."""
    answer = pipe.recv()
    failed = isinstance(answer, str)
    if failed:
        raise RuntimeError(f"{name}: {answer}")
    return answer


def _work(pipe: Connection, name: str, files: Files, thresholds: list[float]) -> None:
    try:
        sweeper: Any = SWEEPERS[name](files, thresholds)
        pipe.send(0.0)
        while True:
            what, arguments = pipe.recv()
            begin, used = time.perf_counter(), time.process_time()
            if what == "sweep":
                sweeper.sweep()
                pipe.send((time.perf_counter() - begin, time.process_time() - used))
            elif what == "figures":
                pipe.send(sweeper.figures(arguments))
            elif what == "size":
                pipe.send(float(len(sweeper.found.thresholds) - 1))
            elif what == "close":
                pipe.send(_peak_gib())
                return
            else:
                getattr(sweeper.found, what)(**arguments)
                pipe.send(time.perf_counter() - begin)
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")


def _peak_gib() -> float:
    """Peak memory of this process; getrusage would count what its parent had before the start."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**20
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
