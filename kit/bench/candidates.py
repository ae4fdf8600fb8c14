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

import hashlib
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
    within = np.argsort(-score.reshape(retrievals, CANDIDATES), axis=1, kind="stable")
    order = (within + np.arange(retrievals)[:, None] * CANDIDATES).ravel()
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
    places = np.searchsorted(values.to_numpy(), part["gate"].to_numpy())
    first = int(part["query"][0])
    query = part["query"].to_numpy()
    numbers = np.arange(first, first + len(part) // CANDIDATES)
    retrieval, asked = _ids("r", numbers), _ids("q", numbers)
    rank = np.tile(np.arange(1, CANDIDATES + 1), len(numbers))
    candidates = part.select(
        retrieval_id=retrieval.gather(query - first),
        query_id=asked.gather(query - first),
        rank=pl.Series(rank),
        memory_id=_memories(query, rank),
        lexical=pl.col("gate"),
        final_score=pl.col("score"),
        gate_value=pl.col("gate"),
        passes_always=pl.col("always"),
        gate_code=pl.Series(np.where(part["always"].to_numpy(), len(values), places)),
        selected=pl.lit(value=False),
    )
    retrievals = pl.DataFrame({"query": numbers}).select(
        retrieval_id=retrieval,
        query_id=asked,
        language=_language(pl.col("query")),
        candidate_count=pl.lit(CANDIDATES),
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
    numbers = np.arange(len(frame) // CANDIDATES)
    asked = _ids("q", numbers)
    grade = frame["grade"].to_numpy()
    judged = np.flatnonzero(grade)
    found = pl.DataFrame(
        {
            "query_id": asked.gather(judged // CANDIDATES),
            "memory_id": _memories(judged // CANDIDATES, judged % CANDIDATES + 1),
            "grade": grade[judged],
        }
    )
    hits = (grade.reshape(-1, CANDIDATES) > 0).sum(axis=1)
    missed = np.flatnonzero(frame["relevant"].to_numpy()[::CANDIDATES] > hits)
    never = pl.DataFrame(
        {
            "query_id": asked.gather(missed),
            "memory_id": [f"missed-{at}" for at in missed],
            "grade": np.ones(len(missed)),
        }
    )
    both = [_as(schema.LABELS, each) for each in (found, never)]
    pl.concat(both).write_parquet(folder / "labels.parquet")
    labels = pl.DataFrame({"query": numbers}).select(
        query_id=asked,
        language=_language(pl.col("query")),
        expects_nothing=pl.Series(frame["silent"].to_numpy()[::CANDIDATES]),
    )
    _as(schema.QUERY_LABELS, labels).write_parquet(folder / "query_labels.parquet")


def _ids(kind: str, numbers: NDArray[np.int64]) -> pl.Series:
    """32 hexadecimal digits each, as import makes them."""
    made = (hashlib.sha256(f"{kind}{at}".encode()).hexdigest()[:32] for at in numbers)
    return pl.Series(made, dtype=pl.String)


def _memories(query: NDArray[np.int64], rank: NDArray[np.int64]) -> pl.Series:
    """Some ten thousand memories, none twice in a retrieval."""
    names = pl.Series([f"memory-{at}" for at in range(9_973)])
    return names.gather((query * 7919 + rank * 31) % 9_973)


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
