"""Any Parquet file, in any order, equals the same candidates in order."""

import numpy as np
import polars as pl
import pytest
from sweep_data import drawn, refiltered
from test_sweep_sums import same

from memconform.sweep import (
    Columns,
    SweepError,
    curve,
    merge,
    partial,
    rows_of_parquet,
    sweep_parquet,
)
from memconform.sweep.foreign import ranked


@pytest.mark.parametrize("size", [1, 2, 50, 2_000])
@pytest.mark.parametrize(
    "queries", [[5], range(7), [-(2**63), 2**63 - 1, 0], [1, 2**35], range(2**33, 2**33 + 300)]
)
def test_the_order_is_exact(size, queries):
    rng = np.random.default_rng(size)
    query = rng.choice(np.array(list(queries), np.int64), size)
    for score in (
        rng.random(size),
        np.round(rng.random(size), 1),  # many equal ones
        np.zeros(size),
        # Nearly equal ones far from one that stretches the scale: all in one step.
        np.where(np.arange(size) == 0, 1e12, 1 + rng.random(size) * 1e-12),
        rng.choice([-1.7e308, 1.7e308, 0.0, -0.0, 1e-300, 5e-324], size),
    ):
        expected = np.lexsort((np.arange(size), -score, query))
        order, begins = ranked(query, score)
        assert (order == expected).all()
        inside = query[expected]
        assert begins.tolist() == [
            at for at in range(size) if not at or inside[at] != inside[at - 1]
        ]


def foreign(retrievals, *, names=False):
    """The candidates of retrievals, shuffled; and these without those that have none."""
    rows = [
        {
            "query_id": f"q{at}" if names else at * 17,
            "final_score": 1 / rank,
            "gate_value": c.gate,
            "always": c.always,
            "grade": c.grade,
            "lang": r.language,
        }
        for at, r in enumerate(retrievals)
        for rank, c in enumerate(r.candidates, 1)
    ]
    order = np.random.default_rng(1).permutation(len(rows))
    return pl.DataFrame([rows[at] for at in order])


def as_read(retrievals):
    """What such a file can say: no retrieval without candidates, nothing relevant is silence."""
    from dataclasses import replace

    found = []
    for r in retrievals:
        hits = sum(c.grade > 0 for c in r.candidates)
        if r.candidates:
            found.append(replace(r, relevant=hits, silent=hits == 0))
    return found


COLUMNS = Columns(always="always", language="lang")


@pytest.mark.parametrize("at_a_time", [None, 100])
@pytest.mark.parametrize("names", [False, True])
def test_equals_the_plain_loop(tmp_path, names, at_a_time):
    retrievals = drawn(31, retrievals=120)
    path = tmp_path / "foreign [1].parquet"  # a pattern, if it were taken for one
    foreign(retrievals, names=names).write_parquet(path)
    found = sweep_parquet(path, 5, columns=COLUMNS, at_a_time=at_a_time)
    assert (len(found.rows) > 3) == (at_a_time is not None)
    expected = as_read(retrievals)
    for threshold in found.thresholds:
        same(found.at(threshold), refiltered(expected, threshold, 5))
    cjk = [r for r in expected if r.language == "cjk"]
    same(found.by("language")["cjk"].at(0.5), refiltered(cjk, 0.5, 5))


def test_reads_the_types_that_files_have(tmp_path):
    retrievals = drawn(32, retrievals=30)
    frame = foreign(retrievals)
    whole = {}
    for number, (query, gate, grade) in enumerate(
        [
            (pl.Int64, pl.Float64, pl.Int64),
            (pl.UInt16, pl.Float64, pl.Int8),
            (pl.String, pl.Float64, pl.Float32),
        ]
    ):
        path = tmp_path / f"{number}.parquet"
        frame.with_columns(
            pl.col("query_id").cast(query),
            pl.col("gate_value").cast(gate),
            pl.col("grade").cast(grade),
        ).write_parquet(path)
        rows = rows_of_parquet(path, COLUMNS)
        whole[number] = curve(merge(partial(each, 5) for each in rows)).frame
    for name, values in whole[0].items():
        assert np.array_equal(values, whole[1][name], equal_nan=True)
        assert np.array_equal(values, whole[2][name], equal_nan=True)


@pytest.mark.parametrize(("few", "many"), [(70_000, 5_000), (0, 5_000), (70_000, 0)])
def test_values_are_found_however_many_and_wherever_they_begin(tmp_path, few, many):
    """A table begins with one value, goes on with thousands, or the other way round."""
    gate = [0.5] * few + [(at % 5_000) / 5_000 for at in range(3 * many)]
    frame = pl.DataFrame({"final_score": range(len(gate), 0, -1), "gate_value": gate})
    path = tmp_path / "many.parquet"
    frame.with_columns(query_id=pl.int_range(pl.len()) // 100, grade=pl.lit(1)).write_parquet(path)
    found = sweep_parquet(path)
    distinct = sorted(set(gate))
    assert found.thresholds.tolist() == [*distinct, np.inf]
    for threshold in distinct[:: max(1, len(distinct) // 7)]:
        passing = sum(value >= threshold for value in gate)
        assert found.at(threshold).passed == pytest.approx(
            passing / -(-len(gate) // 100), rel=1e-12
        )


@pytest.mark.parametrize("values", [3, 10_000])
def test_minus_zero_is_zero(tmp_path, values):
    gate = [-0.0, 0.0, *(at / values for at in range(1, values)), np.inf]
    frame = pl.DataFrame({"final_score": range(len(gate), 0, -1), "gate_value": gate})
    path = tmp_path / "zero.parquet"
    frame.with_columns(query_id=pl.lit(1), grade=pl.lit(1)).write_parquet(path)
    found = sweep_parquet(path)
    assert len(found.thresholds) == values + 1
    assert found.at(0.0).passed == found.at(-0.0).passed == values + 2
    assert found.at(np.nextafter(0, 1)).passed == values


def broken(**columns):
    return foreign(drawn(33, retrievals=10)).with_columns(**columns)


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (lambda: broken().drop("grade"), "has no column 'grade'; it has query_id"),
        (lambda: broken(gate_value=pl.lit(float("nan"))), "'gate_value' holds what is no number"),
        (lambda: broken(final_score=pl.lit(float("nan"))), "'final_score' holds what is no finite"),
        (lambda: broken(final_score=pl.lit(float("inf"))), "'final_score' holds what is no finite"),
        (lambda: broken(grade=pl.lit(None, pl.Int8)), "'grade' has empty cells"),
        (lambda: broken(query_id=pl.lit(0.5)), "'query_id' holds neither texts nor whole numbers"),
        (lambda: broken(gate_value=pl.lit("high")), "can't be read as a table of candidates"),
        (lambda: broken().head(0), "nothing to sweep"),
    ],
)
def test_what_is_no_table_of_candidates_is_refused(tmp_path, frame, sentence):
    path = tmp_path / "foreign.parquet"
    frame().write_parquet(path)
    with pytest.raises(SweepError, match=sentence):
        sweep_parquet(path, columns=COLUMNS)


def test_what_is_no_parquet_file_is_refused(tmp_path):
    with pytest.raises(SweepError, match="There is no file"):
        sweep_parquet(tmp_path / "none.parquet")
    path = tmp_path / "text.parquet"
    path.write_text("query_id,final_score\n1,0.5\n")
    with pytest.raises(SweepError, match="can't be read as a table of candidates"):
        sweep_parquet(path)
