"""Queries that a store fails: told and counted, and in no figure; scores where there are any."""

import json
from pathlib import Path

import msgspec
import pytest
from evaluation_data import Parts
from evaluation_stores import Garbled, Moody, Picky, Scoring, Store, Workshop

from memconform.cli import run as command
from memconform.evaluation import lock
from memconform.evaluation.contenders import StoreContender
from memconform.evaluation.dataset import load
from memconform.evaluation.lock import LockError
from memconform.evaluation.markdown import markdown
from memconform.evaluation.report import Evaluated, EvaluationReport, encoded, evidence_of
from memconform.evaluation.run import report_of, run
from memconform.evaluation.tables import blind, failed
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport


@pytest.fixture
def quay(tmp_path):
    return load(Parts().write(tmp_path / "quay"))


def report(dataset, kind, k=5):
    contender = StoreContender(
        Connection(LocalTransport(Workshop(kind).system)), dataset, "foundation-v1"
    )
    return report_of(
        run(contender, dataset, "development", k),
        dataset,
        contender,
        Evaluated(target="tiny", name="tiny", version="1"),
        marker="given-folder",
        split="development",
        gate="foundation-v1",
        k=k,
    )


def test_a_query_that_fails_is_in_no_figure(quay):
    whole, made = report(quay, Store), report(quay, Moody)
    assert [(each.id, each.code) for each in made.failed] == [("q2", "unavailable")]
    assert [each.id for each in made.queries] == ["q1", "q3"]
    assert made.dataset.queries == whole.dataset.queries == 3
    # q1 finds the crane first, by "the"; q2 would have found both of its two. It is left out, not
    # scored 0: of one query the mean is 1, of two it would have been 1/2.
    assert (made.decision.answerable, whole.decision.answerable) == (1, 2)
    assert made.decision.recall_at_k == 1
    # Paired with the baselines over q1 alone; these are judged on both.
    assert {c.queries for c in made.baselines[0].comparisons if c.measure != "Silence"} == {1}
    assert made.baselines[0].decision.answerable == 2
    assert [group.name for group in made.categories] == ["lexical-control", "cross-lingual"]


def test_an_answer_that_breaks_its_schema_fails_its_query_alone(quay):
    made = report(quay, Garbled)
    assert [(each.id, each.code) for each in made.failed] == [("q2", "internal")]
    assert made.decision.answerable == 1


def test_a_report_with_failures_can_be_read_back_and_tells_them(quay):
    made = report(quay, Moody)
    assert msgspec.json.decode(encoded(made), type=EvaluationReport) == made
    assert failed(made).startswith("1 of 3 queries failed and is in no figure")
    page = markdown(made)
    assert "## Queries that failed" in page
    assert "- `q2`: `unavailable`, not &lt;b&gt;today" in page
    assert "\x1b" not in page
    assert "Queries that failed" not in markdown(report(quay, Store))


def test_nothing_is_frozen_or_chosen_on_a_part_of_the_queries(quay):
    made = report(quay, Moody)
    with pytest.raises(LockError, match="1 query failed"):
        lock.lock_of(made)
    with pytest.raises(ValueError, match="1 queries failed"):
        evidence_of(made)


def test_scores_stand_where_the_store_gives_some(quay):
    assert report(quay, Store).scores is None
    # q1 has "the" in common with crane, buoy, pilot and lamp.
    assert report(quay, Scoring).scores == {
        "q1": [2.5, None, None, None],
        "q2": [2.5, None, None],
        "q3": [],
    }


def test_what_is_expected_and_not_there_is_told(quay):
    # Picky merges the tide into the old one; q2 expects it.
    assert blind(report(quay, Picky)).startswith("1 query expects one of the records")
    assert blind(report(quay, Store)) == ""


def test_the_command_tells_failures_and_gives_1(tmp_path, capsys):
    folder = str(Parts().write(tmp_path / "quay"))
    out = tmp_path / "out"
    arguments = ["evaluate", "python:evaluation_stores:moody", "--dataset", folder]
    assert command([*arguments, "--out", str(out)]) == 1
    told = capsys.readouterr().out
    assert "1 of 3 queries failed" in told
    assert "q2: unavailable, not <b>today</b>\\x1b[2J" in told
    assert sorted(path.name for path in out.iterdir()) == [
        "report.html",
        "report.json",
        "report.md",
        "times.json",
    ]
    assert command([*arguments, "--write-lock", str(tmp_path / "lock")]) == 2
    assert not (tmp_path / "lock").exists()


def test_a_process_that_dies_of_a_query_is_started_and_filled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    folder = str(Parts().write(tmp_path / "quay"))
    target = "python:evaluation_stores:mortal"
    out = tmp_path / "out"
    assert command(["evaluate", target, "--dataset", folder, "--wire", "--out", str(out)]) == 1
    report = json.loads((out / "report.json").read_bytes())
    assert [(each["id"], each["code"]) for each in report["failed"]] == [("q2", "crash")]
    # Asked after the crash, in a new process: the Chinese query shares no word and finds nothing.
    assert [each["id"] for each in report["queries"]] == ["q1", "q3"]
    assert [each["id"] for each in report["leftOut"]] == ["buoy-red"]
