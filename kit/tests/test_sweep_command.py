"""``memconform sweep``: from a log file to a chosen floor, saved and used by ``evaluate``."""

import json
import subprocess
import sys

import pytest
from published import keeps_to
from sweep_data import drawn, refiltered
from sweep_stores import write_store

from memconform.cli import run
from memconform.evaluation import configuration as configurations
from memconform.evaluation.report import Floors
from memconform.resources import find
from memconform.retrieval import FOUNDATION
from memconform.sweep import sweep


@pytest.fixture(scope="module")
def retrievals():
    return drawn(61, retrievals=120, infinities=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory, retrievals):
    folder = tmp_path_factory.mktemp("traces")
    write_store(folder, [retrievals[:60], retrievals[60:]])
    return folder


def refused(capsys, *arguments):
    capsys.readouterr()
    assert run(["sweep", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("memconform: ")
    assert "Traceback" not in captured.err
    return captured.err


def document(capsys, *arguments):
    capsys.readouterr()
    assert run(["sweep", *map(str, arguments), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    keeps_to(told, "sweep-1")
    return told


# --- the whole way -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    """A maintainer's log file: what the reference store retrieved for the shipped questions."""
    folder = tmp_path_factory.mktemp("garden")
    patch = pytest.MonkeyPatch()
    patch.setenv("MEMCONFORM_TRACE_LOG", str(folder / "log.jsonl"))
    assert run(["evaluate", "reference:filesystem", "--dataset", "anonymous-v1"]) == 0
    patch.undo()
    return folder


def test_from_a_log_to_a_floor_that_evaluate_uses(garden, capsys):
    log, traces, gate = garden / "log.jsonl", garden / "traces", garden / "gate.json"
    labels = find("fixtures") / "anonymous-v1" / "queries.json"
    assert run(["traces", "import", str(log), "--out", str(traces)]) == 0
    assert run(["sweep", str(traces), "--labels", str(labels), "--save", str(gate)]) == 0
    told = capsys.readouterr().out
    # The floor of Latin queries is above 0.392857, at which one of the four questions that nothing
    # should be found for finds something (lexical-abstention, "The floor of a Latin query").
    assert "for latin queries with abstention at least 1 and forbidden at most 0: " in told
    assert "(any above 0.392857 and up to it does the same)" in told
    chosen = configurations.load(gate)
    assert 0.392857 < chosen.floors.latin < 0.5
    assert chosen.k == 5
    assert chosen.origin.retrievals == 40

    command = ["evaluate", "reference:filesystem", "--dataset", "anonymous-v1", "--json"]
    assert run([*command, "--configuration", str(gate)]) == 0
    report = json.loads(capsys.readouterr().out)["report"]
    assert report["floors"] == {"latin": chosen.floors.latin, "cjk": chosen.floors.cjk}
    assert run(command) == 0
    usual = json.loads(capsys.readouterr().out)["report"]
    assert usual["floors"] != report["floors"]

    # What the sweep foretold of both is what the store then does.
    found = sweep(traces, 5, labels=labels)
    floors = Floors(latin=FOUNDATION.floor, cjk=FOUNDATION.cjk_floor)
    for measured, given in ((report, chosen.floors), (usual, floors)):
        foretold = found.at(latin=given.latin, cjk=given.cjk)
        decision = measured["decision"]
        # The scorer rounds each query's figure to three decimals before it takes the mean.
        assert decision["recallAtK"] == pytest.approx(foretold.recall, abs=5e-4)
        assert decision["precisionAtK"] == pytest.approx(foretold.precision, abs=5e-4)
        assert decision["mrr"] == pytest.approx(foretold.mrr, abs=5e-4)
        assert decision["abstentionAccuracy"] == pytest.approx(foretold.abstention, abs=5e-4)
        assert decision["falsePositiveSelections"] == foretold.false_positives
        assert decision["explicitForbiddenSelections"] == foretold.forbidden
    assert report["decision"]["recallAtK"] > usual["decision"]["recallAtK"]
    assert report["decision"]["abstentionAccuracy"] == 1


def test_a_lock_tells_one_configuration_from_another(garden, tmp_path, capsys):
    files = {}
    for name, latin in (("one", 0.41), ("other", 0.42)):
        files[name] = tmp_path / f"{name}.json"
        made = configurations.configuration(Floors(latin=latin, cjk=0.3), 5, rule="by hand")
        configurations.save(made, files[name])
    command = ["evaluate", "reference:filesystem", "--dataset", "anonymous-v1"]
    lock = tmp_path / "lock.json"
    chosen = ["--configuration", str(files["one"])]
    assert run([*command, *chosen, "--write-lock", str(lock)]) == 0
    holdout = ["--split", "holdout", "--lock", str(lock)]
    assert run([*command, *holdout, "--configuration", str(files["other"])]) == 2
    assert "The lock names the target" in capsys.readouterr().err
    assert run([*command, *holdout]) == 2
    assert run([*command, *holdout, *chosen]) == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "can't be read"),
        ("{", "is no configuration of a gate"),
        ('{"schema": "x"}', "is no configuration of a gate"),
        (
            '{"schema": "other", "floors": {"latin": 0.4, "cjk": 0.3}, "k": 5, "rule": "",'
            ' "origin": null}',
            "is 'other'; this kit reads memconform/configuration/1",
        ),
        (
            '{"schema": "memconform/configuration/1", "floors": {"latin": 1.4, "cjk": 0.3},'
            ' "k": 5, "rule": "", "origin": null}',
            "has the Latin floor 1.4; coverage is a figure from 0 to 1",
        ),
        (
            '{"schema": "memconform/configuration/1", "floors": {"latin": 0.4, "cjk": 0.3},'
            ' "k": 0, "rule": "", "origin": null}',
            "is no configuration of a gate",
        ),
    ],
)
def test_a_configuration_that_is_none_is_refused(tmp_path, capsys, text, sentence):
    path = tmp_path / "gate.json"
    if text is not None:
        path.write_text(text)
    command = ["evaluate", "reference:filesystem", "--dataset", "anonymous-v1"]
    assert run([*command, "--configuration", str(path)]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["-k", "4"], "was chosen with K 5, not 4; leave -k out"),
        (["--gate", "historical-v1"], "A configuration has floors, and the gate historical-v1"),
        (["--wire"], "Floors are set in process only; leave --wire out"),
    ],
)
def test_a_configuration_and_what_contradicts_it(tmp_path, capsys, more, sentence):
    path = tmp_path / "gate.json"
    made = configurations.configuration(Floors(latin=0.4, cjk=0.3), 5, rule="by hand")
    configurations.save(made, path)
    command = ["evaluate", "reference:filesystem", "--dataset", "anonymous-v1"]
    assert run([*command, "--configuration", str(path), *more]) == 2
    assert sentence in capsys.readouterr().err


def test_a_store_that_can_not_be_told_floors(tmp_path, capsys):
    path = tmp_path / "gate.json"
    made = configurations.configuration(Floors(latin=0.4, cjk=0.3), 5, rule="by hand")
    configurations.save(made, path)
    command = ["evaluate", "python:cli_stores:finds_everything", "--dataset", "anonymous-v1"]
    assert run([*command, "--configuration", str(path)]) == 2
    assert "can't be told floors" in capsys.readouterr().err


# --- table and document --------------------------------------------------------------------------


def test_the_table_on_the_terminal(store, retrievals, capsys):
    command = ["sweep", str(store), "--by", "language", "--keep", "forbidden=30"]
    assert run([*command, "--floor-latin", "0.5", "--floor-cjk", "0.5"]) == 0
    told = capsys.readouterr().out
    assert "120 retrievals" in told
    assert "language: cjk" in told
    assert "Smallest floor for latin queries with forbidden at most 30: " in told
    assert "With floors 0.5 for latin, 0.5 for cjk" in told
    assert "Against floors 0.4 and 0.333333, " in told
    figures = refiltered(retrievals, 0.5, 5)
    assert f"{figures['recall']:.3f}" in told
    assert all(len(line.rstrip()) <= 80 for line in told.splitlines() if "0.5" in line[:12])


def test_the_document(store, retrievals, capsys):
    told = document(capsys, store, "--by", "category", "-k", 3, "--keep", "forbidden=20")
    found = sweep(store, 3)
    assert [(c["dimension"], c["group"]) for c in told["curves"]] == [
        (None, None),
        *(("category", name) for name in ("a", "b", "c", "unknown")),
    ]
    whole = told["curves"][0]
    assert whole["threshold"] == [*found.thresholds[:-1].tolist(), None]
    for place in (0, 5, -2):
        threshold = whole["threshold"][place]
        expected = refiltered(retrievals, threshold, 3)
        for name in ("recall", "precision", "mrr", "abstention", "selected"):
            assert whole[name][place] == pytest.approx(expected[name], abs=1e-12)
    assert {choice["group"] for choice in told["choices"]} == {"latin", "cjk"}
    for choice in told["choices"]:
        chosen = found.smallest(group=choice["group"], forbidden=20)
        assert choice["threshold"] == chosen.threshold
        assert choice["rule"] == "the smallest floor with forbidden at most 20"
    assert told["origin"]["retrievals"] == 120


def test_a_rule_that_no_floor_keeps_saves_nothing(store, tmp_path, capsys):
    path = tmp_path / "gate.json"
    # Some candidates pass always, and some of these where nothing is expected.
    assert run(["sweep", str(store)]) == 0
    assert "No floor among the gate values for latin queries has abstention" in (
        capsys.readouterr().out
    )
    assert "no floor for each class has abstention at least 1" in refused(
        capsys, store, "--save", path
    )
    assert not path.exists()
    assert run(["sweep", str(store), "--save", str(path), *floors_of("0.5", "0.6")]) == 0
    saved = configurations.load(path)
    assert (saved.floors, saved.rule) == (Floors(latin=0.5, cjk=0.6), "given by hand")


def test_where_no_class_is_known_one_floor_holds_for_both(tmp_path, retrievals, capsys):
    path = tmp_path / "gate.json"
    write_store(tmp_path, [retrievals], language=False)
    labels = tmp_path / "labels.qrels"
    labels.write_text("q000000 0 m0-1 1\n")
    command = ["sweep", str(tmp_path), "--labels", str(labels)]
    assert run([*command, "--keep", "selected=3", "--save", str(path)]) == 0
    assert "Smallest floor with selected at most 3: " in capsys.readouterr().out
    saved = configurations.load(path)
    (expected,) = {saved.floors.latin, saved.floors.cjk}
    found = sweep(tmp_path, labels=labels)
    assert found.at(expected).selected <= 3 < found.at(expected - 0.05).selected


def floors_of(latin, cjk):
    return ["--floor-latin", latin, "--floor-cjk", cjk]


def test_hostile_ids_are_shown_as_text(tmp_path, capsys):
    retrievals = drawn(62, retrievals=30, infinities=False)
    write_store(tmp_path, [retrievals], memory="\x1b[31m[bold]{}-{}\u202e")
    assert run(["sweep", str(tmp_path), *floors_of("0.9", "0.9")]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "[bold]" in told


# --- bad use -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["-k", "0"], "K is 0; give a whole number from 1 to 1024"),
        (["--by", "colour"], "no grouping by 'colour'"),
        (["--keep", "recal=1"], "no figure 'recal' to keep to"),
        (["--keep", "recal=1"], "Did you mean recall?"),
        (["--keep", "recall"], "--keep 'recall' needs a number"),
        (["--keep", "recall=nan"], "needs a number"),
        (["--floor-latin", "0.4"], "Give both --floor-latin and --floor-cjk, or neither"),
        (["--feature", "colour"], "no feature 'colour'"),
        (["--feature", "importance", *floors_of("0.4", "0.4")], "are of the lexical gate"),
        (["--feature", "importance", "--save", "x.json"], "Only floors of the lexical gate"),
        (["--split", "test"], "no retrievals of the split 'test'"),
        (["--labels", "none.qrels"], "none.qrels isn't there"),
        (floors_of("nan", "0.4"), "NaN is none"),
        (["--save", "none/gate.json", *floors_of("0.4", "0.4")], "can't be written"),
    ],
)
def test_bad_use_is_one_sentence(store, capsys, more, sentence):
    assert sentence in refused(capsys, store, *more)


def test_no_store(tmp_path, capsys):
    assert "holds no traces" in refused(capsys, tmp_path)


def test_without_the_lab_extra_it_says_what_to_install(store, tmp_path):
    hidden = (
        "import sys\n"
        "for name in ('numpy', 'polars', 'duckdb', 'pyarrow'): sys.modules[name] = None\n"
        "from memconform.cli import run\n"
        "import memconform.sweep\n"
        f"sys.exit(run(['sweep', {str(store)!r}]))\n"
    )
    command = [sys.executable, "-c", hidden]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "install memconform[lab]" in done.stderr
    assert "Traceback" not in done.stderr
