"""Metric packages at one threshold, from the same frame of ranked candidates as the sweep.

Each is given the candidates that pass the gate and are among the first K, as a frame; bringing them
into the package's own shape is part of its time. Ours starts from the frame before the gate and
does every threshold there is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import polars as pl
from candidates import Files
from sweepers import K

THRESHOLD = 0.25


class Peers(msgspec.Struct, frozen=True, kw_only=True):
    """What they took.

    Attributes:
        ours: seconds for recall, precision and MRR at every threshold, the fastest of some turns.
        seconds: of each package at one threshold, likewise; it has been warmed up before.
        apart: the largest difference of recall and MRR between ours and ranx.
    """

    ours: float
    seconds: dict[str, float]
    apart: float


def peers(files: Files, rounds: int) -> Peers:
    """Ask ours and the packages in turns."""
    rows = pl.read_parquet(files.ranked)
    answerable = rows.filter(pl.col("relevant") > 0)
    labels = _labels(answerable)
    found: dict[str, tuple[float, float]] = {}
    times: dict[str, list[float]] = {}
    ways: dict[str, Callable[[], tuple[float, float]]] = {
        "ours": lambda: _ours(rows),
        "pytrec_eval": lambda: _pytrec_eval(answerable, labels),
        "ir_measures": lambda: _ir_measures(answerable, labels),
        "ranx": lambda: _ranx(answerable, labels),
    }
    for turn in range(rounds + 1):
        for name, way in ways.items():
            begin = time.perf_counter()
            found[name] = way()
            if turn:  # the first turn loads and compiles
                times.setdefault(name, []).append(time.perf_counter() - begin)
    fastest = {name: min(each) for name, each in times.items()}
    ours = fastest.pop("ours")
    pairs = zip(found["ours"], found["ranx"], strict=True)
    return Peers(ours=ours, seconds=fastest, apart=max(abs(a - b) for a, b in pairs))


def _labels(rows: pl.DataFrame) -> pl.DataFrame:
    """One row a relevant memory; those that are never found have names of their own."""
    numbered = rows.with_columns(document=_document())
    found = numbered.filter(pl.col("grade") > 0).select("query", "document")
    queries = rows.group_by("query").agg(
        pl.col("relevant").first(), found=(pl.col("grade") > 0).sum()
    )
    missed = queries.filter(pl.col("relevant") > pl.col("found")).select(
        "query", document=pl.lit("missed")
    )
    return pl.concat([found, missed]).select(pl.col("query").cast(pl.String), "document")


def _document() -> pl.Expr:
    place = pl.int_range(1, pl.len() + 1).over("query")
    return pl.format("d{}", place)


def _run(rows: pl.DataFrame) -> pl.DataFrame:
    """What a threshold selects, as a package wants it: query, document, score."""
    return (
        rows.with_columns(document=_document())
        .filter(pl.col("always") | (pl.col("gate") >= THRESHOLD))
        .filter(pl.int_range(pl.len()).over("query") < K)
        .select(pl.col("query").cast(pl.String), "document", "score")
    )


def _ours(rows: pl.DataFrame) -> tuple[float, float]:
    from memconform.sweep import Rows, Sweep

    query = rows["query"].to_numpy()
    begins = np.flatnonzero(np.diff(query, prepend=-1))
    found = Sweep.of(
        Rows.of(
            rows["gate"].to_numpy(),
            np.diff(begins, append=len(query)),
            rows["grade"].to_numpy(),
            always=rows["always"].to_numpy(),
            relevant=rows["relevant"].gather(begins).to_numpy(),
        ),
        K,
    )
    figures = found.at(THRESHOLD)
    return float(figures.recall or 0), float(figures.mrr or 0)


def _grouped(frame: pl.DataFrame, value: Any) -> dict[str, dict[str, Any]]:
    groups: dict[str, dict[str, Any]] = {}
    for query, document, score in zip(
        frame["query"].to_list(), frame["document"].to_list(), value, strict=True
    ):
        groups.setdefault(query, {})[document] = score
    return groups


def _pytrec_eval(rows: pl.DataFrame, labels: pl.DataFrame) -> tuple[float, float]:
    import pytrec_eval

    run = _run(rows)
    qrels = _grouped(labels, [1] * len(labels))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"recall.5", "P.5", "recip_rank"})
    found = evaluator.evaluate(_grouped(run, run["score"].to_list()))
    # What selects nothing isn't in a run, and is a failure all the same.
    return tuple(
        sum(each[name] for each in found.values()) / len(qrels)
        for name in ("recall_5", "recip_rank")
    )


def _ir_measures(rows: pl.DataFrame, labels: pl.DataFrame) -> tuple[float, float]:
    import ir_measures
    from ir_measures import RR, P, R

    run = _run(rows).rename({"query": "query_id", "document": "doc_id"}).to_pandas()
    qrels = labels.rename({"query": "query_id", "document": "doc_id"}).to_pandas()
    qrels["relevance"] = 1
    found = ir_measures.calc_aggregate([R @ 5, P @ 5, RR], qrels, run)
    return float(found[R @ 5]), float(found[RR])


def _ranx(rows: pl.DataFrame, labels: pl.DataFrame) -> tuple[float, float]:
    from ranx import Qrels, Run, evaluate

    run = _run(rows)
    qrels = Qrels(_grouped(labels, [1] * len(labels)))
    found = evaluate(
        qrels,
        Run(_grouped(run, run["score"].to_list())),
        ["recall@5", "precision@5", "mrr"],
        make_comparable=True,
    )
    return float(found["recall@5"]), float(found["mrr"])
