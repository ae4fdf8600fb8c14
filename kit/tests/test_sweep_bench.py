"""The bench of the sweep compares like with like: speed is not tested, equality is."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

BENCH = Path(__file__).parent.parent / "bench"


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(BENCH))
    import candidates
    import sweepers

    yield candidates, sweepers
    sys.path.remove(str(BENCH))


THRESHOLDS = (0.0, 0.1, 0.25, 1 / 3, 0.5, 0.75, 1.0)


@pytest.mark.parametrize("continuous", [False, True])
def test_every_way_finds_the_same(bench, tmp_path, continuous):
    candidates, sweepers = bench
    files = candidates.write(tmp_path, 6_400, seed=3, continuous=continuous)
    names = [n for n in sweepers.SWEEPERS if not (continuous and "store" in n)]
    found = {}
    for name in names:
        sweeper = sweepers.SWEEPERS[name](files, THRESHOLDS)
        sweeper.sweep()
        found[name] = np.array(sweeper.figures(THRESHOLDS))
    assert len(found) == (3 if continuous else 5)
    anew = found["filtering anew"]
    assert len({tuple(row) for row in anew}) > 4
    for name, figures in found.items():
        assert np.abs(figures - anew).max() < 1e-12, name


def test_the_candidates_are_what_they_are_said_to_be(bench, tmp_path):
    candidates, _ = bench
    files = candidates.write(tmp_path / "one", 64_000, seed=1)
    again = candidates.write(tmp_path / "two", 64_000, seed=1)
    rows = pl.read_parquet(files.ranked)
    assert rows.equals(pl.read_parquet(again.ranked))
    assert not rows.equals(
        pl.read_parquet(candidates.write(tmp_path / "three", 64_000, seed=2).ranked)
    )
    assert set(rows.group_by("query").len()["len"]) == {candidates.CANDIDATES}
    assert 230 < rows["gate"].n_unique() < 290
    assert rows.sort(["query", "score"], descending=[False, True])["gate"].equals(rows["gate"])
    hits = (pl.col("grade") > 0).sum()
    queries = rows.group_by("query").agg(hits.alias("hits"), pl.col("relevant", "silent").first())
    assert queries.filter(pl.col("hits") > pl.col("relevant")).is_empty()
    assert queries.filter(pl.col("silent") & (pl.col("relevant") > 0)).is_empty()
    assert queries.filter(~pl.col("silent") & (pl.col("relevant") == 0)).is_empty()
    foreign = pl.read_parquet(files.foreign)
    assert not foreign["query"].is_sorted()
    assert foreign.sort(["query", "score"]).equals(rows.drop("silent").sort(["query", "score"]))
