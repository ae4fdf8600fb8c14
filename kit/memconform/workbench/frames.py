"""A trace store as Polars frames, aggregated as far as a chart needs: a few hundred rows.

Everything is lazy: Polars reads only the columns that are asked for, in pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from memconform.traces import TraceStore, open_store

FEATURES = (
    "lexical",
    "scope_affinity",
    "type_affinity",
    "freshness",
    "importance",
    "confidence",
    "final_score",
)
LABEL, LANGUAGE, CHANNEL, DAY, MODE = "label", "language", "channel", "day", "mode"
BY = (LABEL, LANGUAGE, CHANNEL, DAY)
UNKNOWN = "unknown"
ECDF_POINTS = 201


class FrameError(ValueError):
    """What was asked for isn't in these traces; the message says what is."""


@dataclass(frozen=True)
class Frames:
    """The tables of one trace store, each with its day.

    Attributes:
        retrievals: one row a retrieval.
        candidates: one row a candidate, with the language of its retrieval and, in ``label``,
            relevant, forbidden, unrelated, or unjudged where its query isn't.
    """

    store: TraceStore
    retrievals: pl.LazyFrame
    candidates: pl.LazyFrame

    def only(self, condition: pl.Expr) -> Frames:
        """The same, of the retrievals and candidates that a condition on both leaves.

        Args:
            condition: on columns that both have: ``day``, ``language``, ``query_id``.
        """
        return Frames(
            self.store, self.retrievals.filter(condition), self.candidates.filter(condition)
        )


def frames(traces: TraceStore | Path | str) -> Frames:
    """The frames of a trace store.

    Raises:
        TraceError: there is none.
        FrameError: it is empty.
    """
    store = traces if isinstance(traces, TraceStore) else open_store(traces)
    if not store.parts:
        raise FrameError(f"{store.folder} holds no retrievals yet; import some.")
    retrievals = _table(store, "retrievals")
    language = retrievals.select("retrieval_id", pl.col(LANGUAGE).fill_null(UNKNOWN))
    candidates = _table(store, "candidates").join(language, on="retrieval_id", how="left")
    return Frames(store, retrievals, _labelled(store, candidates))


def _table(store: TraceStore, name: str) -> pl.LazyFrame:
    return pl.concat(
        [
            pl.scan_parquet(store.path(name, part)).with_columns(
                pl.lit(part.day).str.to_date().alias(DAY)
            )
            for part in store.parts
        ],
        how="vertical_relaxed",
    )


def _labelled(store: TraceStore, candidates: pl.LazyFrame) -> pl.LazyFrame:
    if store.labels is None:
        return candidates.with_columns(pl.lit("unjudged").alias(LABEL))
    labels = pl.scan_parquet(store.labels).select("query_id", "memory_id", "grade")
    judged = labels.select("query_id")
    if store.query_labels is not None:
        judged = pl.concat([judged, pl.scan_parquet(store.query_labels).select("query_id")])
    judged = judged.unique().with_columns(pl.lit(True).alias("judged"))
    grade = pl.col("grade")
    return (
        candidates.join(labels, on=["query_id", "memory_id"], how="left")
        .join(judged, on="query_id", how="left")
        .with_columns(
            pl.when(grade > 0)
            .then(pl.lit("relevant"))
            .when(grade < 0)
            .then(pl.lit("forbidden"))
            .when(pl.col("judged"))
            .then(pl.lit("unrelated"))
            .otherwise(pl.lit("unjudged"))
            .alias(LABEL)
        )
    )


def _known(name: str, known: Sequence[str]) -> str:
    if name not in known:
        raise FrameError(f"There is no {name!r} here; there are {', '.join(known)}.")
    return name


def _grouped(told: Frames, feature: str, by: str) -> pl.LazyFrame:
    group = pl.col(_known(by, BY)).cast(pl.String).fill_null(UNKNOWN).alias("group")
    value = pl.col(_known(feature, FEATURES)).alias("value")
    return told.candidates.select(group, value).drop_nulls("value")


def histogram(told: Frames, feature: str, by: str = LABEL, *, bins: int = 25) -> pl.DataFrame:
    """Candidates a bin and group: columns group, low, high, count, share (of its group).

    The bins are equally wide over 0..1; 1 belongs to the last.

    Raises:
        FrameError: there is no such feature or grouping.
    """
    place = (pl.col("value") * bins).floor().clip(0, bins - 1).cast(pl.Int32).alias("bin")
    counted = (
        _grouped(told, feature, by)
        .select("group", place)
        .group_by("group", "bin")
        .len("count")
        .collect(engine="streaming")
    )
    return counted.select(
        "group",
        (pl.col("bin") / bins).alias("low"),
        ((pl.col("bin") + 1) / bins).alias("high"),
        pl.col("count").cast(pl.Int64),
        (pl.col("count") / pl.col("count").sum().over("group")).alias("share"),
    ).sort("group", "low")


def ecdf(told: Frames, feature: str, by: str = LABEL) -> pl.DataFrame:
    """The share of a group's candidates at or below each of 201 values: group, value, share.

    Raises:
        FrameError: there is no such feature or grouping.
    """
    # A value belongs to the first point that is not below it, but for the last digit of a float.
    last = ECDF_POINTS - 1
    place = (pl.col("value") * last - 1e-9).ceil().clip(0, last).cast(pl.Int32).alias("at")
    counted = (
        _grouped(told, feature, by)
        .select("group", place)
        .group_by("group", "at")
        .len("count")
        .collect(engine="streaming")
    )
    grid = pl.DataFrame({"at": pl.Series(range(ECDF_POINTS), dtype=pl.Int32)})
    whole = counted.select("group").unique().join(grid, how="cross")
    return (
        whole.join(counted, on=["group", "at"], how="left")
        .sort("group", "at")
        .with_columns(pl.col("count").fill_null(0))
        .select(
            "group",
            (pl.col("at") / last).alias("value"),
            (pl.col("count").cum_sum().over("group") / pl.col("count").sum().over("group")).alias(
                "share"
            ),
        )
    )


def days(told: Frames) -> pl.DataFrame:
    """One row a day: how many retrievals, candidates a retrieval, selected, silent, coverage.

    ``best`` is the mean over retrievals of the highest coverage among their candidates,
    ``p50_ms`` and ``p95_ms`` are of the latency, null where it isn't known.
    """
    best = (
        told.candidates.group_by(DAY, "retrieval_id")
        .agg(pl.col("lexical").max().alias("best"))
        .group_by(DAY)
        .agg(pl.col("best").mean())
    )
    return (
        told.retrievals.group_by(DAY)
        .agg(
            pl.len().cast(pl.Int64).alias("retrievals"),
            pl.col("candidate_count").mean().alias("candidates"),
            pl.col("selected_count").mean().alias("selected"),
            (pl.col("selected_count") == 0).mean().alias("silent"),
            pl.col("latency_ms").quantile(0.5, "nearest").alias("p50_ms"),
            pl.col("latency_ms").quantile(0.95, "nearest").alias("p95_ms"),
        )
        .join(best, on=DAY, how="left")
        .sort(DAY)
        .collect(engine="streaming")
    )


def distance(told: Frames, feature: str, first: str, second: str, by: str = DAY) -> float:
    """The largest vertical distance between two groups' ECDFs (Kolmogorov and Smirnov), 0..1.

    Looked for at the points of ``ecdf``.

    Raises:
        FrameError: there is no such feature, grouping or group.
    """
    table = ecdf(told, feature, by)
    groups = table["group"].unique().sort().to_list()
    one, two = (
        np.asarray(table.filter(pl.col("group") == _known(group, groups))["share"])
        for group in (first, second)
    )
    return float(np.abs(one - two).max())


def latencies(told: Frames, *, points: int = 100) -> pl.DataFrame:
    """Quantiles of the latency a mode: group, share (0..1), ms; empty where it isn't known."""
    shares = [place / points for place in range(1, points)]
    known = told.retrievals.drop_nulls("latency_ms").select(
        pl.col(MODE).fill_null(UNKNOWN).alias("group"), "latency_ms"
    )
    return (
        known.group_by("group")
        .agg(pl.col("latency_ms").quantile(share, "nearest").alias(str(share)) for share in shares)
        .collect(engine="streaming")
        .unpivot(index="group", variable_name="share", value_name="ms")
        .with_columns(pl.col("share").cast(pl.Float64))
        .sort("group", "share")
    )


def budgets(told: Frames, *, bins: int = 20) -> pl.DataFrame:
    """How much of its budget each block takes: columns low, high (0..1), count."""
    share = pl.col("selected_characters") / pl.col("prompt_character_budget")
    place = (share * bins).floor().clip(0, bins - 1).cast(pl.Int32).alias("bin")
    return (
        told.retrievals.filter(pl.col("prompt_character_budget") > 0)
        .select(place)
        .drop_nulls()
        .group_by("bin")
        .len("count")
        .sort("bin")
        .select(
            (pl.col("bin") / bins).alias("low"),
            ((pl.col("bin") + 1) / bins).alias("high"),
            pl.col("count").cast(pl.Int64),
        )
        .collect(engine="streaming")
    )
