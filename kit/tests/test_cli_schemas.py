"""The published schemas of what commands print are current, closed, and kept to.

That certify, audit, sweep, calibrate and diagnose keep to theirs is asked where they are run.
"""

import copy
import json

import jsonschema
import msgspec
import pytest
from evaluation_data import Parts
from published import keeps_to

from memconform.cli import publish, run
from memconform.cli.names import library
from memconform.faults import FAULTS
from memconform.resources import find
from memconform.suite.attack import Cell
from memconform.verdict.kills import judge

NAMES = [
    "certify-1",
    "audit-1",
    "evaluate-1",
    "sweep-1",
    "calibrate-1",
    "diagnose-1",
    "verify-1",
    "diff-1",
    "matrix-1",
    "kills-1",
    "badge-1",
    "evaluation-1",
]


def test_the_files_are_current(tmp_path):
    assert publish.stale(find("schemas")) == []
    assert list(publish.files()) == [f"{name}.json" for name in NAMES]
    assert publish.stale(tmp_path) == list(publish.files())
    assert publish.main(["--check"]) == 0
    assert publish.main(["--chekc"]) == 2


@pytest.mark.parametrize("name", NAMES)
def test_they_are_schemas_and_every_object_is_closed(name):
    schema = json.loads((find("schemas") / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == "urn:memconform:" + name
    objects = [each for each in schema["$defs"].values() if "properties" in each]
    assert objects
    assert all(each["additionalProperties"] is False for each in objects)


@pytest.fixture
def evaluated(tmp_path, capfdbinary):
    """A document with everything in it: gates, a map, failures, records left out."""
    folder = Parts().write(tmp_path / "quay")
    gates, terms = tmp_path / "gates.toml", tmp_path / "terms.toml"
    gates.write_text(
        'schema = "memconform/gates/1"\n[[gates]]\nname = "all"\nmetric = "recall"\n'
        'comparison = ">="\nthreshold = 0.5\n',
        encoding="utf-8",
    )
    terms.write_text(
        'schema = "memconform/terminology/1"\nname = "quay"\n'
        'terms = [{ said = "crane", stored = "winch" }]\n',
        encoding="utf-8",
    )
    command = ["evaluate", "python:evaluation_stores:moody", "--dataset", str(folder), "--json"]
    out = ["--out", str(tmp_path / "out"), "--gates", str(gates), "--terminology", str(terms)]
    assert run([*command, *out]) == 1
    report = json.loads((tmp_path / "out" / "report.json").read_bytes())
    return json.loads(capfdbinary.readouterr().out), report


def test_evaluate_keeps_to_its_schemas(evaluated):
    document, report = evaluated
    assert all(report[part] for part in ("gates", "terminology", "failed", "leftOut"))
    keeps_to(document, "evaluate-1")
    keeps_to(report, "evaluation-1")
    assert document["report"] == report


@pytest.mark.parametrize("change", ["missing", "unknown", "wrong"])
def test_what_differs_is_refused(change, evaluated):
    report = copy.deepcopy(evaluated[1])
    if change == "missing":
        del report["gates"]
    elif change == "unknown":
        report["failed"][0]["text"] = "the query"
    else:
        report["baselines"][0]["groups"][0]["dimension"] = "colour"
    with pytest.raises(jsonschema.ValidationError):
        keeps_to(report, "evaluation-1")


def test_the_kill_matrix_keeps_to_its_schema():
    chosen = FAULTS["latin-floor-a-little-low"]
    cell = Cell(scenario=library().scenarios()[0].id, rows="K", reached=True, step="", told="")
    told = judge(library(), [chosen], {chosen.name: [cell]})
    assert told.faults
    assert told.faults[0].killers
    keeps_to(msgspec.to_builtins(told), "kills-1")
