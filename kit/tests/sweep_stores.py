"""Trace stores for the tests of the sweep, written after the tables that traces.schema declares."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from sweep_data import Retrieval

from memconform.traces import schema

TYPES = {
    "VARCHAR": pl.String,
    "DATE": pl.Date,
    "TIMESTAMP": pl.Datetime,
    "DOUBLE": pl.Float64,
    "INTEGER": pl.Int32,
    "BOOLEAN": pl.Boolean,
}


def table(of: schema.Table, rows: Sequence[dict]) -> pl.DataFrame:
    types = {c.name: TYPES[c.type] for c in of.columns if c.name != "day"}
    blank = dict.fromkeys(types)
    return pl.DataFrame([{**blank, **row} for row in rows], schema=types)


def query_id(number: int) -> str:
    return f"q{number:06d}"


def write_store(
    folder: Path,
    parts: Sequence[Sequence[Retrieval]],
    *,
    split: Sequence[str | None] | None = None,
    swept_from: float | None = 0.0,
    language: bool = True,
    memory: str = "m{}-{}",
) -> None:
    """Write retrievals as a store, one part a day, with labels for all judged ones."""
    folder.mkdir(parents=True, exist_ok=True)
    listed, judgements, queries, number = [], [], [], 0
    for day, part in enumerate(parts, 1):
        retrievals, candidates = [], []
        gates = sorted({c.gate for r in part for c in r.candidates if np.isfinite(c.gate)})
        code = {gate: at for at, gate in enumerate(gates)}
        # The order of retrievals in the two files needn't be the same.
        for retrieval in part:
            query = query_id(number)
            retrievals.insert(
                0,
                {
                    "retrieval_id": f"r{number:06d}",
                    "query_id": query,
                    "language": retrieval.language if language else None,
                    "candidate_count": len(retrieval.candidates),
                    "swept_from": swept_from,
                },
            )
            for rank, candidate in enumerate(retrieval.candidates, 1):
                name = memory.format(number, rank)
                always = candidate.always or candidate.gate == np.inf
                candidates.append(
                    {
                        "retrieval_id": f"r{number:06d}",
                        "query_id": query,
                        "rank": rank,
                        "memory_id": name,
                        "lexical": candidate.gate,
                        "importance": candidate.importance,
                        "final_score": 1 / rank,
                        "gate_value": candidate.gate,
                        "passes_always": always,
                        "gate_code": len(gates) if always else code[candidate.gate],
                        "characters": candidate.characters,
                    }
                )
                # Of every third neither one the label says that it is neither.
                if candidate.grade or rank % 3 == 0:
                    judgements.append((query, name, candidate.grade))
            found = sum(c.grade > 0 for c in retrieval.candidates)
            judgements += [
                (query, f"never found {at}", 2) for at in range(retrieval.relevant - found)
            ]
            if retrieval.relevant or retrieval.silent:
                queries.append(
                    {
                        "query_id": query,
                        "category": retrieval.category,
                        "split": None if split is None else split[number],
                        "language": "zh" if retrieval.language == "cjk" else "en",
                        "expects_nothing": retrieval.silent,
                    }
                )
            number += 1
        name = f"part{day}"
        place = f"day=2026-01-{day:02d}"
        for of, rows in (
            (schema.RETRIEVALS, retrievals),
            (schema.CANDIDATES, candidates),
            (
                schema.GATE_VALUES,
                [{"gate_code": at, "gate_value": gate} for gate, at in code.items()],
            ),
        ):
            path = folder / of.name / place / f"{name}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            table(of, rows).write_parquet(path)
        listed.append(
            {
                "name": name,
                "day": place[4:],
                "retrievals": len(retrievals),
                "candidates": len(candidates),
            }
        )
    (folder / schema.MANIFEST).write_text(
        json.dumps({"schema": schema.STORE_SCHEMA, "parts": listed})
    )
    rows = [dict(zip(("query_id", "memory_id", "grade"), each, strict=True)) for each in judgements]
    table(schema.LABELS, rows).write_parquet(folder / "labels.parquet")
    table(schema.QUERY_LABELS, queries).write_parquet(folder / "query_labels.parquet")
