"""``pytest --pyargs memconform.suite`` in a project's own CI: the same outcomes, however it is run.

Each run is a process in a folder outside the checkout, with pytest's configuration as a project
may have it. The profile abstention is small enough to be run often.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_runs import LIGHT
from readme import notes_source

from memconform.model import from_plain
from memconform.model.report import Outcome, ScenarioResult, Verdict
from memconform.resources import find
from memconform.suite import run as suite_run
from memconform.verdict.measure import assemble

REFERENCE = "reference:filesystem"
NOTES = "python:notes:factory"

STRICT = """[pytest]
addopts = --strict-markers --strict-config -ra
filterwarnings = error
xfail_strict = true
"""
# What a project calls its own tests must not decide which scenarios are run.
OTHER_NAMES = """[pytest]
python_files = check_*.py
python_functions = check_*
python_classes = Check*
bdd_features_base_dir = nowhere
addopts = --doctest-modules --import-mode=importlib
"""
PARALLEL = ("-n", "2")
WAYS = {
    "alone": ("", ()),
    "strict, in two processes": (STRICT, PARALLEL),
    "with other names for tests, in two processes": (OTHER_NAMES, PARALLEL),
    "over the wire, strict, in two processes": (STRICT, (*PARALLEL, "--memory-wire")),
}


@dataclass(frozen=True)
class Run:
    """A run that has ended."""

    status: int
    output: str
    events: list[dict]

    @property
    def kinds(self) -> list[str]:
        return [event["event"] for event in self.events]

    @property
    def results(self) -> dict[str, ScenarioResult]:
        told = [from_plain(e["result"], ScenarioResult) for e in self.events if "result" in e]
        assert len({result.id for result in told}) == len(told), "a scenario was told twice"
        return {result.id: result for result in told}

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {id: result.outcome for id, result in self.results.items()}

    @property
    def collected(self) -> set[str]:
        (start,) = [event for event in self.events if event["event"] == "start"]
        return {row["id"] for row in start["collected"]}


def environment(folder: Path, *, light: bool) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return {**kept, **(LIGHT if light else {}), "PYTHONPATH": str(folder)}


def run(
    folder: Path,
    *extra: str,
    target: str | None = REFERENCE,
    ini: str = "",
    light: bool = True,
) -> Run:
    """Run the suite from a folder as its user would; light is without unrelated plugins."""
    folder.mkdir(exist_ok=True)
    (folder / "notes.py").write_text(notes_source(), encoding="utf-8")
    if ini:
        (folder / "pytest.ini").write_text(ini, encoding="utf-8")
    events = folder.with_suffix(".ndjson")
    store = () if target is None else ("--memory-store", target, "--memory-events", str(events))
    command = [sys.executable, "-m", "pytest", "--pyargs", "memconform.suite", *store]
    done = subprocess.run(
        [*command, "--memory-profile", "abstention", *extra],
        cwd=folder,
        env=environment(folder, light=light),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
    return Run(done.returncode, done.stdout + done.stderr, [json.loads(line) for line in lines])


def certified(folder: Path, target: str) -> Run:
    """The same suite as ``memconform certify`` runs it, in a configuration of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "notes.py").write_text(notes_source(), encoding="utf-8")
    ended = suite_run.run(target, ["abstention"])
    events = [json.loads(line) for line in ended.events.splitlines()]
    return Run(ended.exitstatus, ended.output, events)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return certified(tmp_path_factory.mktemp("reference") / "folder", REFERENCE)


def test_certify_runs_every_scenario_of_the_feature(reference):
    """Counted by their keyword in the files; the rows of an outline are one scenario here."""
    files = sorted((find("features") / "abstention").glob("*.feature"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    written = re.findall(r"^ *Scenario(?: Outline)?: ", text, re.MULTILINE)
    run_ones = {id.partition("[")[0] for id in reference.outcomes}
    assert len(run_ones) == len(written) > 20
    assert len(reference.outcomes) > len(run_ones)
    assert reference.collected == reference.outcomes.keys()
    assert reference.status == 0


@pytest.mark.parametrize("way", WAYS)
def test_the_outcomes_of_a_sound_store_are_the_same(tmp_path, reference, way):
    ini, extra = WAYS[way]
    seen = run(tmp_path / "folder", *extra, ini=ini, light=way != "alone")
    assert seen.status == 0, seen.output
    assert seen.outcomes == reference.outcomes
    assert seen.collected == reference.collected
    assert (seen.kinds[0], seen.kinds[-1]) == ("start", "end")
    assert seen.events[-1]["exitstatus"] == 0
    # pytest's own summary says the same: a scenario is an item, one that isn't declared a skip.
    passed = sum(outcome is Outcome.PASSED for outcome in seen.outcomes.values())
    assert re.search(rf"\b{passed} passed\b", seen.output), seen.output


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes") / "folder"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        return certified(folder, NOTES)


@pytest.mark.parametrize("way", ["strict, in two processes"])
def test_the_failures_of_a_store_are_the_same(tmp_path, notes, way):
    ini, extra = WAYS[way]
    seen = run(tmp_path / "folder", *extra, target=NOTES, ini=ini)
    assert seen.status == notes.status == 1
    assert seen.outcomes == notes.outcomes
    # The README's store finds every stop word, so some fail; it declares nothing, so some can't be
    # asked of it.
    assert {Outcome.FAILED, Outcome.UNSUPPORTED} <= set(seen.outcomes.values())
    for id, result in seen.results.items():
        told = notes.results[id]
        assert (result.failure, result.missing) == (told.failure, told.missing)
        assert result.steps == told.steps
        assert [call.operation for call in result.calls] == [c.operation for c in told.calls]


def test_a_projects_own_tests_run_beside_it(tmp_path, reference):
    folder = tmp_path / "folder"
    folder.mkdir()
    own = folder / "test_own.py"
    own.write_text("def test_own():\n    assert 1 + 1 == 3\n", encoding="utf-8")
    seen = run(folder, str(own), *PARALLEL, ini=STRICT)
    assert seen.status == 1
    assert "test_own.py::test_own" in seen.output
    assert "1 failed" in seen.output
    assert seen.outcomes == reference.outcomes


@pytest.mark.parametrize("extra", [PARALLEL], ids=["in two processes"])
def test_a_scenario_that_another_plugin_takes_away_ends_the_run(tmp_path, reference, extra):
    folder = tmp_path / "folder"
    folder.mkdir()
    taken = sorted(reference.outcomes)[0]
    name = taken.partition("/")[2].replace("-", "_")
    (folder / "taker.py").write_text(
        "def pytest_collection_modifyitems(items):\n"
        f"    items[:] = [item for item in items if item.name != 'test_{name}']\n",
        encoding="utf-8",
    )
    seen = run(folder, "-p", "taker", *extra)
    assert seen.status == pytest.ExitCode.USAGE_ERROR, seen.output
    assert seen.kinds == ["start", "abort", "end"]
    (finding,) = seen.events[1]["findings"]
    assert finding.startswith(f"{taken}: ")
    assert finding in seen.output
    assert "INTERNALERROR" not in seen.output


ENDING = "import os\n" + notes_source().replace("self.texts[id] = record", "os._exit(0); record")


def ending(tmp_path: Path, *extra: str) -> Run:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "ending.py").write_text(ENDING, encoding="utf-8")
    return run(folder, *extra, target="python:ending:factory")


def test_a_store_that_ends_the_process_leaves_a_run_without_its_last_event(tmp_path):
    """In one process nothing can say so but what is missing; certify reads it as not measured."""
    seen = ending(tmp_path)
    assert seen.kinds[0] == "start"
    assert "end" not in seen.kinds
    assert seen.collected - seen.outcomes.keys()


def test_a_store_that_ends_a_worker_is_a_failure(tmp_path):
    """A run that is busy was seen to end with an internal error instead; whose wasn't kept.

    That is no success either. Should it come again, it has to be pytest-xdist's own.
    """
    seen = ending(tmp_path, *PARALLEL, "--max-worker-restart=1")
    if seen.status == pytest.ExitCode.INTERNAL_ERROR:
        told = [line for line in seen.output.splitlines() if line.startswith("INTERNALERROR>")]
        assert any("xdist" in line for line in told), seen.output
        assert not any("memconform" in line for line in told), seen.output
    else:
        assert seen.status == pytest.ExitCode.TESTS_FAILED, seen.output


def test_over_the_wire_a_store_that_ends_its_process_is_an_error_of_each_scenario(tmp_path):
    seen = ending(tmp_path, "--memory-wire")
    assert seen.status == pytest.ExitCode.TESTS_FAILED
    assert seen.collected == seen.outcomes.keys()
    assert set(seen.outcomes.values()) == {Outcome.ERROR, Outcome.UNSUPPORTED}


def test_a_store_that_can_not_be_reached_is_one_sentence(tmp_path):
    seen = run(tmp_path / "folder", *PARALLEL, target="python:notes:nothing")
    assert seen.status == pytest.ExitCode.USAGE_ERROR
    assert "notes" in seen.output
    assert "Traceback" not in seen.output
    assert not seen.results


def test_without_a_store_nothing_is_run_and_the_option_is_named(tmp_path):
    seen = run(tmp_path / "folder", target=None)
    assert seen.status == pytest.ExitCode.INTERRUPTED
    assert "add --memory-store TARGET" in seen.output
    assert "1 error" in seen.output
    assert "Traceback" not in seen.output


@pytest.mark.parametrize(
    ("option", "expression", "extra"),
    [("-k", "unrelated and not session", ()), ("-m", "not slow and needs", PARALLEL)],
    ids=["-k alone", "-m in two processes"],
)
def test_a_selection_of_pytests_is_run_and_said_to_be_no_measurement(
    tmp_path, reference, option, expression, extra
):
    seen = run(tmp_path / "folder", option, expression, *extra, ini=STRICT)
    assert seen.status == 0, seen.output
    assert 0 < len(seen.outcomes) < len(reference.outcomes)
    assert seen.outcomes == {id: reference.outcomes[id] for id in seen.outcomes}
    if option == "-k":  # names of functions have underscores for hyphens
        names = {id: id.partition("/")[2].partition("[")[0] for id in reference.outcomes}
        wanted = {id for id, n in names.items() if "unrelated" in n and "session" not in n}
        assert seen.outcomes.keys() == wanted
    left = len(reference.outcomes) - len(seen.outcomes)
    assert (
        f"not measured: {left} of {len(reference.outcomes)} scenarios were left out "
        f"({option} {expression!r})"
    ) in seen.output
    # Whoever judges the events finds the scenarios that have no result, and no gap beside them.
    assert seen.kinds.count("selection") == 1
    events = (tmp_path / "folder.ndjson").read_bytes()
    ended = suite_run.Run(
        events=events, exitstatus=0, output="", started="2026-01-02T03:04:05Z", seconds=1.0
    )
    judged = assemble(ended, target=REFERENCE, profiles=["abstention"], way="in-process")
    assert judged.error is None
    assert [told.verdict for told in judged.profiles] == [Verdict.NOT_MEASURED]
    assert "were not run" in judged.profiles[0].reasons[0]
