"""Invented retrievals for the bench of the sweep, the same for the same seed.

Each retrieval has 32 candidates. Their gate value is a coverage: so many of the query's 4 to 29
words are in the record, which makes about 260 distinct values; or, *continuous*, any number, so
that every candidate is its own threshold. One candidate in fifty passes always. In six of seven
retrievals some memories are relevant, likelier where coverage is high, and some of them are never
found; the seventh expects nothing. One candidate in fifty is forbidden.

Three files are made of the same candidates: ``ranked.parquet`` in the order of the final score with
everything that a query needs in its row; ``foreign.parquet``, shuffled; and a trace store with
labels apart, as ``memconform traces import`` leaves them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memconform.traces import schema

CANDIDATES = 32
PART = 2_000_000  # candidates of a part of the store
_TYPES = {
    "VARCHAR": pl.String,
    "DATE": pl.Date,
    "TIMESTAMP": pl.Datetime,
    "DOUBLE": pl.Float64,
    "INTEGER": pl.Int32,
    "BOOLEAN": pl.Boolean,
}


@dataclass(frozen=True)
class Files:
    """Where the candidates of one size are."""

    rows: int
    ranked: Path
    foreign: Path
    store: Path


def write(folder: Path, rows: int, *, seed: int, continuous: bool = False) -> Files:
    """Make the files; the store is left out where candidates are continuous."""
    folder.mkdir(parents=True, exist_ok=True)
    files = Files(rows, folder / "ranked.parquet", folder / "foreign.parquet", folder / "store")
    frame = _ranked(rows // CANDIDATES, seed, continuous=continuous)
    frame.write_parquet(files.ranked)
    order = np.random.default_rng(seed + 1).permutation(len(frame))
    foreign = frame.drop("silent")
    foreign[order].write_parquet(files.foreign)
    if not continuous:
        _write_store(files.store, frame)
    return files


def _ranked(retrievals: int, seed: int, *, continuous: bool) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    size = retrievals * CANDIDATES
    words = np.repeat(rng.integers(4, 30, retrievals), CANDIDATES)
    share = rng.beta(1.5, 3.5, size)
    gate: NDArray[np.float64] = share if continuous else np.floor(share * (words + 1)) / words
    score = 0.55 * gate + 0.45 * rng.random(size)
    query = np.repeat(np.arange(retrievals), CANDIDATES)
    order = np.lexsort((-score, query)) if retrievals else np.zeros(0, np.int64)
    silent = np.repeat(rng.random(retrievals) < 1 / 7, CANDIDATES)
    chance = np.where(silent, 0, 0.015 + 0.15 * gate)
    luck = rng.random(size)
    grade = np.where(luck < chance, 1, np.where(luck > 0.98, -1, 0)).astype(np.int8)
    found = np.bincount(query[grade > 0], minlength=retrievals)
    answerable = ~silent[::CANDIDATES]
    # Where nothing is found something is missed, and now and then besides.
    missed = answerable * np.maximum(found == 0, rng.random(retrievals) < 0.2)
    relevant = np.repeat(found + missed, CANDIDATES)
    return pl.DataFrame(
        {
            "query": query,
            "score": score[order],
            "gate": gate[order],
            "always": rng.random(size) < 0.02,
            "grade": grade[order],
            "relevant": relevant.astype(np.int32),
            "silent": silent,
        }
    )


def _write_store(folder: Path, frame: pl.DataFrame) -> None:
    """The same as a trace store; see ``memconform.traces.schema``."""
    listed = []
    for number, begin in enumerate(range(0, len(frame), PART), 1):
        part = frame[begin : begin + PART]
        name, day = f"part{number}", f"2026-01-{number:02d}"
        tables = _part(part)
        for table, data in tables.items():
            path = folder / table / f"day={day}" / f"{name}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            data.write_parquet(path)
        listed.append(
            {
                "name": name,
                "day": day,
                "retrievals": len(tables["retrievals"]),
                "candidates": len(part),
            }
        )
    (folder / schema.MANIFEST).write_text(
        json.dumps({"schema": schema.STORE_SCHEMA, "parts": listed})
    )
    _write_labels(folder, frame)


def _part(part: pl.DataFrame) -> dict[str, pl.DataFrame]:
    values = part["gate"].unique().sort()
    always = part["always"].to_numpy()
    codes = np.where(
        always, len(values), np.searchsorted(values.to_numpy(), part["gate"].to_numpy())
    )
    rank = part.select(pl.int_range(1, pl.len() + 1).over("query"))[:, 0]
    candidates = part.select(
        retrieval_id=_id("r", pl.col("query")),
        query_id=_id("q", pl.col("query")),
        rank=rank,
        memory_id=_memory(pl.col("query"), rank),
        lexical=pl.col("gate"),
        final_score=pl.col("score"),
        gate_value=pl.col("gate"),
        passes_always=pl.col("always"),
        gate_code=pl.Series(codes),
        selected=pl.lit(value=False),
    )
    retrievals = part.group_by("query", maintain_order=True).agg(
        retrieval_id=_id("r", pl.col("query").first()),
        query_id=_id("q", pl.col("query").first()),
        language=_language(pl.col("query").first()),
        candidate_count=pl.len(),
        swept_from=pl.lit(0.0),
    )
    return {
        "retrievals": _as(schema.RETRIEVALS, retrievals),
        "candidates": _as(schema.CANDIDATES, candidates),
        "gate_values": _as(
            schema.GATE_VALUES,
            pl.DataFrame({"gate_code": np.arange(len(values)), "gate_value": values}),
        ),
    }


def _write_labels(folder: Path, frame: pl.DataFrame) -> None:
    rank = frame.select(pl.int_range(1, pl.len() + 1).over("query"))[:, 0]
    query = _id("q", pl.col("query"))
    judged = frame.with_columns(rank=rank).filter(pl.col("grade") != 0)
    found = judged.select(
        query_id=query, memory_id=_memory(pl.col("query"), pl.col("rank")), grade=pl.col("grade")
    )
    queries = frame.group_by("query", maintain_order=True).agg(
        pl.col("relevant").first(), pl.col("silent").first(), found=(pl.col("grade") > 0).sum()
    )
    missed = queries.filter(pl.col("relevant") > pl.col("found")).select(
        query_id=query,
        memory_id=pl.format("missed-{}", pl.col("query")),
        grade=pl.lit(1),
    )
    both = [_as(schema.LABELS, each) for each in (found, missed)]
    pl.concat(both).write_parquet(folder / "labels.parquet")
    labels = queries.select(
        query_id=query,
        language=_language(pl.col("query")),
        expects_nothing=pl.col("silent"),
    )
    _as(schema.QUERY_LABELS, labels).write_parquet(folder / "query_labels.parquet")


def _id(kind: str, query: pl.Expr) -> pl.Expr:
    """32 hexadecimal digits, as import makes them."""
    seed = ord(kind)
    halves = (query.hash(seed=seed + at).cast(pl.UInt64) for at in (0, 1))
    return pl.concat_str([half.cast(pl.String).str.zfill(20).str.tail(16) for half in halves])


def _memory(query: pl.Expr, rank: pl.Expr | pl.Series) -> pl.Expr:
    """One of some ten thousand memories, none twice in a retrieval."""
    return pl.format("memory-{}", (query * 7919 + rank * 31) % 9_973)


def _language(query: pl.Expr) -> pl.Expr:
    return pl.when(query % 2 == 0).then(pl.lit("latin")).otherwise(pl.lit("cjk"))


def _as(table: schema.Table, frame: pl.DataFrame) -> pl.DataFrame:
    """With every column of a table, null where nothing is given."""
    return frame.select(
        (pl.col(c.name) if c.name in frame.columns else pl.lit(None))
        .cast(_TYPES[c.type])
        .alias(c.name)
        for c in table.columns
        if c.name != "day"
    )
