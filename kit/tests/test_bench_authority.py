"""The benchmark of the authority store: its slopes are right, and a small run works.

How fast anything is, is for ``make bench`` to say, on a quiet machine, and for no test.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
sys.path.insert(0, str(BENCH))

from authority import exponent  # noqa: E402 - needs the path


def test_the_exponent_of_a_power_over_what_was_considered():
    counts = (10, 200, 3_000)
    assert exponent([(n, 5.0 * n) for n in counts]) == pytest.approx(1)
    assert exponent([(n, 0.1 * n**0.5) for n in counts]) == pytest.approx(0.5)
    # A question that considers nothing has no logarithm, and one place no slope.
    assert exponent([(0, 1.0), (7, 2.0), (7, 3.0)]) is None


def test_a_small_run_says_what_it_measured(tmp_path):
    done = subprocess.run(
        [sys.executable, str(BENCH / "authority.py"), "--quick", "--out", str(tmp_path / "out")],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out/authority.json").read_text(encoding="utf-8"))
    assert done.stdout == (tmp_path / "out/authority.md").read_text(encoding="utf-8")
    beside = {row["target"]: row for row in results["beside"]}
    assert list(beside) == ["reference:authority", "reference:hybrid", "reference:filesystem"]
    for target, row in beside.items():
        assert 0 < row["p50_ms"] <= row["p95_ms"]
        assert (row["times"] is None) == (target == "reference:authority")
    assert [(row["claims"], row["kind"]) for row in results["sizes"]] == [
        (200, "short"),
        (200, "long"),
        (400, "short"),
        (400, "long"),
    ]
    for row in results["sizes"]:
        # The claim that a question is about shares a term with it; more than all can't.
        assert 1 <= row["candidates"] <= row["candidates_p95"] <= row["claims"]
    assert set(results["slopes"]) == {"short", "long"}
    assert str(tmp_path) not in done.stdout
