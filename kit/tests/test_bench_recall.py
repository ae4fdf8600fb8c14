"""The benchmark: its texts are as long as it says, its figures are right, and a small run works.

How fast anything is, is for ``make bench`` to say, on a quiet machine, and for no test.
"""

import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memconform.retrieval.tokens import query_tokens

BENCH = Path(__file__).parents[1] / "bench"
sys.path.insert(0, str(BENCH))

from figures import percentile, ratio, slope  # noqa: E402 - needs the path
from texts import Texts  # noqa: E402 - needs the path


def count(text):
    return len(query_tokens(text).tokens)


@pytest.fixture(scope="module")
def texts():
    return Texts(7)


@pytest.fixture(scope="module")
def memories(texts):
    return texts.memories(400)


def test_memories_have_about_105_tokens(memories):
    lengths = [count(text) for text in memories]
    # The last word may go over the longest by the tokens of one word.
    assert min(lengths) >= 85
    assert max(lengths) < 125 + 15
    assert 100 < sum(lengths) / len(lengths) < 112
    assert len(set(memories)) == len(memories)


def test_short_questions_are_two_to_four_words_of_the_memory(texts, memories):
    for question in itertools.islice(texts.short(memories), 200):
        words = question.text.split()
        assert 2 <= len(words) <= 4
        assert set(words) <= set(memories[question.about].split())


def test_long_questions_have_30_to_60_tokens_and_words_of_the_memory(texts, memories):
    questions = list(itertools.islice(texts.long(memories), 200))
    assert all(30 <= count(question.text) <= 60 for question in questions)
    for question in questions:
        assert set(question.text.split()) & set(memories[question.about].split())


def test_the_same_seed_says_the_same():
    first, again, other = Texts(1), Texts(1), Texts(2)
    assert first.memories(20) == again.memories(20) != other.memories(20)
    assert Texts(1).memories(5) == Texts(1).memories(20)[:5]


def test_percentiles_are_interpolated():
    assert percentile([3.0], 95) == 3.0
    # 0, 1 ... 100: the p-th percentile is p itself.
    assert percentile([float(n) for n in range(101)], 95) == pytest.approx(95)


def test_a_ratio_compares_what_was_measured_in_the_same_round():
    # The machine was ten times slower in the second round, for both: 4, 4 and 6 times longer.
    ours = [[1.0, 1.0, 2.0], [10.0], [1.0]]
    theirs = [[4.0, 4.0], [40.0], [6.0]]
    assert ratio(theirs, ours) == 4.0


def test_the_slope_of_a_power_is_its_exponent():
    sizes = (1_000, 10_000, 100_000)
    assert slope({n: 3.0 * n for n in sizes}) == pytest.approx(1)
    assert slope({n: 0.5 * math.sqrt(n) for n in sizes}) == pytest.approx(0.5)
    assert slope({1_000: 2.0}) is None


def test_a_small_run_says_what_it_measured(tmp_path):
    done = subprocess.run(
        [sys.executable, str(BENCH / "recall.py"), "--quick", "--out", str(tmp_path / "out")],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out/recall.json").read_text(encoding="utf-8"))
    page = (tmp_path / "out/recall.md").read_text(encoding="utf-8")
    assert done.stdout == page
    ours = {"reference:hybrid", "reference:filesystem", "reference:fusion"}
    stores = {*ours, "mnemosyne-os#namespaces"}
    measured = {(row["target"], row["records"], row["kind"]) for row in results["rows"]}
    assert measured == {
        *itertools.product(stores, [200], ["short", "long"]),
        ("reference:hybrid", 1_000, "short"),
        ("reference:hybrid", 1_000, "long"),
    }
    for row in results["rows"]:
        assert 0 < row["p50_ms"] <= row["p95_ms"]
        assert (row["times"] is None) == (row["target"] == "reference:hybrid")
        # Eight in a row in each of two rounds, and one after a pause in the round of its kind.
        assert row["asked"] == 2 * 8 + 1
        assert 0 <= row["found"] <= 1
    assert {system["filled_by"] for system in results["systems"]} == {"write_batch"}
    assert set(results["slopes"]) == {"short", "long"}
    assert results["reread"]["change_seen"] is True
    assert len(results["goals"]) == 2 + 2 + 2 + 2
    assert len(re.findall(r"^\| .* \| (?:yes|\*\*no\*\*) \|$", page, re.MULTILINE)) == 8
    assert str(tmp_path) not in json.dumps(results) + page
