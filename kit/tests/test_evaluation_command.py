"""``memconform evaluate``: files, table, JSON document, lock, and one sentence for bad use."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from evaluation_data import Parts
from published import keeps_to

from memconform.cli import run
from memconform.cli.documents import EvaluateDocument
from memconform.evaluation.report import Times
from memconform.resources import find

PLAIN = "python:evaluation_stores:plain"
FILES = ["evidence.json", "report.html", "report.json", "report.md", "times.json"]


@pytest.fixture
def quay(tmp_path):
    return str(Parts().write(tmp_path / "quay"))


@pytest.fixture
def lock(quay, tmp_path):
    path = tmp_path / "lock.json"
    assert run(evaluate(quay, "--write-lock", str(path))) == 0
    return str(path)


def evaluate(dataset, *more, target="reference:filesystem"):
    return ["evaluate", target, "--dataset", dataset, *more]


def refused(capsys, arguments):
    capsys.readouterr()
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("memconform: ")
    assert "Traceback" not in captured.err
    return captured.err


def contents(folder, names):
    return {name: (folder / name).read_bytes() for name in names}


# --- what it gives -------------------------------------------------------------------------------


def test_the_table_on_the_terminal(capsys):
    assert run(evaluate("anonymous-v1")) == 0
    told = capsys.readouterr().out
    for line in (
        "checked-in-anonymous-fixtures",
        "lexical 0.55",
        "Decision scorer: 31 queries that expect something, 9 that expect nothing",
        "Paired with historical-v1",
        "scope-lifecycle-negative",
        "Safe: no scope leak",
    ):
        assert line in told


def test_the_files_are_the_same_bytes_again_and_on_the_wire(tmp_path, quay):
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder, more in zip(folders, ([], [], ["--wire"]), strict=True):
        assert run(evaluate(quay, "--out", str(folder), *more)) == 0
        assert sorted(path.name for path in folder.iterdir()) == FILES
    first, *others = [contents(folder, FILES[:-1]) for folder in folders]
    assert all(other == first for other in others)
    msgspec.json.decode((folders[0] / "times.json").read_bytes(), type=Times)


def test_the_evidence_is_the_frozen_one(tmp_path):
    assert run(evaluate("anonymous-v1", "--out", str(tmp_path))) == 0
    frozen = find("fixtures") / "evidence" / "anonymous-v1.development.foundation-v1.json"
    assert (tmp_path / "evidence.json").read_bytes() == frozen.read_bytes()


def test_the_json_document_has_a_schema_and_the_report_in_it(quay, tmp_path, capfdbinary):
    assert run(evaluate(quay, "--json", "--out", str(tmp_path))) == 0
    out = capfdbinary.readouterr().out
    keeps_to(json.loads(out), "evaluate-1")
    document = msgspec.json.decode(out, type=EvaluateDocument)
    assert document.schema == "memconform-evaluate-1"
    assert document.report.marker == "given-folder"
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert msgspec.to_builtins(document.report) == report


def test_gate_k_and_baseline(quay, tmp_path, capsys):
    old, new = tmp_path / "old", tmp_path / "new"
    assert run(evaluate(quay, "--gate", "historical-v1", "-k", "2", "--out", str(old))) == 0
    path = str(old / "report.json")
    assert run(evaluate(quay, "-k", "2", "--baseline", path, "--out", str(new))) == 0
    report = json.loads((new / "report.json").read_bytes())
    assert report["k"] == 2
    assert report["baselines"][-1]["name"] == "reference:filesystem (historical-v1)"
    assert "Paired with reference:filesystem (historical-v1)" in capsys.readouterr().out


def test_another_seed_draws_other_intervals_and_nothing_else(tmp_path):
    reports = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        assert run(evaluate("anonymous-v1", "--seed", seed, "--out", str(folder))) == 0
        reports.append(json.loads((folder / "report.json").read_bytes()))
    one, two = reports
    assert one.pop("bootstrap")["seed"] == 1
    assert two.pop("bootstrap")["seed"] == 2
    one.pop("baselines")
    two.pop("baselines")
    assert one == two


def test_a_store_of_any_kind_can_be_evaluated(capsys):
    assert run(evaluate("anonymous-v1", target=PLAIN)) == 0
    told = capsys.readouterr().out
    assert "No-go, whatever the quality" in told
    assert "could not be stored" in told
    assert "Not declared: workspaces, projects" in told


def test_a_fault_can_be_evaluated(quay, capfdbinary):
    # Of "How much does the crane lift?" the crane has 7 of 15 tokens: enough for 0.4 and not for a
    # half. So only one of the two ids of "buoy and high tide" is found: (0 + 1/2) / 2.
    assert run(evaluate(quay, "--json", target="fault:latin-floor-of-a-half")) == 0
    report = json.loads(capfdbinary.readouterr().out)["report"]
    assert report["evaluated"]["target"] == "fault:latin-floor-of-a-half"
    assert report["decision"]["recallAtK"] == 0.25


def test_a_command_can_be_evaluated(quay, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    serve = f"{sys.executable} -m memconform.wire.serve python:evaluation_stores:plain"
    folders = [tmp_path / "stdio", tmp_path / "python"]
    for folder, target in zip(folders, (f"stdio:{serve}", PLAIN), strict=True):
        assert run(evaluate(quay, "--out", str(folder), target=target)) == 0
    # The same store by another way: the same evidence, which names no target.
    assert contents(folders[0], ["evidence.json"]) == contents(folders[1], ["evidence.json"])


def test_a_hostile_store_does_not_reach_the_terminal(quay, tmp_path, capsys):
    arguments = evaluate(quay, "--out", str(tmp_path), target="python:evaluation_stores:ghostly")
    assert run(arguments) == 0
    assert "\x1b[2J" not in capsys.readouterr().out
    assert "\x1b" not in (tmp_path / "report.md").read_text(encoding="utf-8")


# --- the holdout ---------------------------------------------------------------------------------


def test_the_holdout_is_scored_with_the_lock(quay, lock, tmp_path, capsys):
    capsys.readouterr()
    arguments = evaluate(quay, "--split", "holdout", "--lock", lock, "--out", str(tmp_path))
    assert run(arguments) == 0
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["dataset"]["split"] == "holdout"
    assert len(report["lock"]) == 64


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (["-k", "3"], "names the K 5, not 3"),
        (["--gate", "historical-v1"], "names the gate 'foundation-v1', not 'historical-v1'"),
    ],
)
def test_the_holdout_stays_closed_to_another_configuration(change, told, quay, lock, capsys):
    arguments = evaluate(quay, "--split", "holdout", "--lock", lock, *change)
    assert told in refused(capsys, arguments)


def test_the_holdout_stays_closed_to_another_target(quay, lock, capsys):
    arguments = evaluate(quay, "--split", "holdout", "--lock", lock, target="reference:hybrid")
    assert "names the target 'reference:filesystem', not 'reference:hybrid'" in refused(
        capsys, arguments
    )


def test_a_choice_is_not_overwritten(quay, lock, capsys):
    assert "there already" in refused(capsys, evaluate(quay, "--write-lock", lock))


# --- bad use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--split", "train"], "no split 'train'; there are development and holdout"),
        (["--gate", "foundation-1"], "Did you mean foundation-v1?"),
        (["-k", "0"], "-k 0 asks for nothing"),
        (["-k", "many"], "-k"),
        (["--split", "holdout"], "with --lock FILE"),
        (["--lock", "lock.json"], "--lock is for the holdout"),
        (["--split", "holdout", "--lock", "gone.json"], "gone.json can't be read"),
        (["--split", "holdout", "--lock", "l", "--write-lock", "m"], "is for development"),
        (["--baseline", "gone.json"], "gone.json can't be read"),
        (["--out", "/dev/null/x"], "--out /dev/null/x can't be written to"),
    ],
)
def test_bad_use_is_one_sentence(more, told, quay, capsys):
    sentence = refused(capsys, evaluate(quay, *more))
    assert told in sentence
    assert sentence.count("\n") == 1


@pytest.mark.parametrize(
    ("dataset", "target", "told"),
    [
        ("anonymous-v9", "reference:filesystem", "one of anonymous-v1, constants-v1"),
        ("anonymous-v1", "reference:filesistem", "There is no reference store"),
        ("anonymous-v1", "python:nowhere:factory", "nowhere can't be imported"),
        ("anonymous-v1", "stdio:/no/such/program", "could not be evaluated"),
        (
            "anonymous-v1",
            "python:evaluation_stores:sulky",
            "No query was answered. tiny refused the query d01",
        ),
        ("anonymous-v1", "python:evaluation_stores:full", "could not be filled"),
        ("anonymous-v1", "python:evaluation_stores:haughty", "took none of the records"),
    ],
)
def test_what_can_not_be_evaluated_is_one_sentence(dataset, target, told, capsys):
    assert told in refused(capsys, evaluate(dataset, target=target))


def test_a_damaged_dataset_is_refused_before_the_target_is_asked(tmp_path, capsys):
    parts = Parts()
    parts.query("q1")["rationale"] = ""
    folder = str(parts.write(tmp_path))
    assert "'q1' has no rationale" in refused(
        capsys, evaluate(folder, target="python:evaluation_stores:full")
    )


def test_the_dataset_must_be_named(capsys):
    assert "--dataset" in refused(capsys, ["evaluate", "reference:filesystem"])


def test_help_is_short_and_shows_an_example(capsys):
    assert run(["evaluate", "--help"]) == 0
    told = capsys.readouterr().out
    assert "Example: memconform evaluate" in told
    assert len(told.splitlines()) < 40


def test_the_installed_command(tmp_path):
    command = [sys.executable, "-m", "memconform.cli", *evaluate("constants-v1", "--json")]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert done.stderr == b""
    assert json.loads(done.stdout)["report"]["dataset"]["queries"] == 72
