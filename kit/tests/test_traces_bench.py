"""The bench of the import measures the same work on both sides; how fast it is, it shows itself."""

import importlib.util
from pathlib import Path

import duckdb
import pytest
from traces_lines import rows

from memconform.traces import connect

SCRIPT = Path(__file__).parents[1] / "bench" / "traces.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_traces", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_sides_find_the_same_candidates(tmp_path, bench):
    log = tmp_path / "log.jsonl"
    bench.write_log(log, 3200, seed=2)
    for way in ("import", "flat"):
        found = bench.measured(way, log, tmp_path / way)
        assert min(found.values()) > 0
    query = (
        "SELECT {query} AS query, {memory} AS memory, lexical, {score} AS score, selected "
        "FROM {table} ORDER BY ALL"
    )
    ours = connect(tmp_path / "import").execute(
        query.format(query="query_id", memory="memory_id", score="final_score", table="candidates")
    )
    theirs = duckdb.connect().execute(
        query.format(
            query='"queryId"',
            memory='"memoryId"',
            score='"finalScore"',
            table=f"(SELECT * REPLACE (coalesce(selected, false) AS selected) "
            f"FROM '{tmp_path / 'flat.parquet'}')",
        )
    )
    found = ours.fetchall()
    assert found == theirs.fetchall()
    assert len(found) == 3200


def test_the_log_is_sound_and_the_same_for_a_seed(tmp_path, bench):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        bench.write_log(tmp_path / name, 640, seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()
    (tmp_path / "a").rename(tmp_path / "a.jsonl")
    bench.measured("import", tmp_path / "a.jsonl", tmp_path / "store")
    assert rows(
        connect(tmp_path / "store"), "SELECT count(DISTINCT day) AS days FROM retrievals"
    ) == [{"days": 2}]
    assert (tmp_path / "store" / "refused.jsonl").read_bytes() == b""
