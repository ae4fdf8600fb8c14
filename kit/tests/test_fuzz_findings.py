"""Ten faults, each found by few steps; what is written of it fails on it and not without it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memconform.fuzz import gherkin
from memconform.fuzz.campaign import Options, fuzz
from memconform.fuzz.script import script
from memconform.fuzz.suite import add, feature, title
from memconform.fuzz.transcript import transcript
from memconform.model import Settings
from memconform.spec.gherkin import parse
from memconform.suite import location, steps
from memconform.suite.guards import registered_steps
from memconform.suite.run import run
from memconform.suite.world import Disappointed, World
from memconform.targets import resolve
from memconform.wire.dispatcher import Dispatcher
from memconform.wire.loading import load_factory

HERE = Path(__file__).parent
FLOOR = "lexical-abstention/the-floor-of-a-latin-query-is-0-40"
CJK_FLOOR = "lexical-abstention/the-floor-of-a-query-with-cjk-text-is-one-third"
BUDGET = "retrieval-foundation/the-character-budget-holds"
LIFECYCLE = "retrieval-foundation/lifecycle-comes-before-ranking"
SCOPE = "retrieval-foundation/scope-comes-before-everything"
FORGOTTEN = "memory-core/forgotten-is-gone-at-once-and-everywhere"
BLOCK = "retrieval-foundation/the-block-gives-memory-no-authority"
ORDER = "retrieval-foundation/the-order-is-total"
FEATURES = "retrieval-foundation/six-features-make-one-score"

# A fault, the requirement that it breaks, and a seed and a number of cases that are enough for it.
FAULTS = {
    "floor_a_little_high": (FLOOR, 1, 6),
    "chinese_floor_a_little_low": (CJK_FLOOR, 4, 19),
    "budget_one_over": (BUDGET, 0, 21),
    "valid_through_its_end": (LIFECYCLE, 1, 18),
    "paths_as_they_are": (SCOPE, 0, 15),
    "answers_kept_too_long": (FORGOTTEN, 4, 5),
    "angle_brackets_stay": (BLOCK, 3, 19),
    "oldest_comes_first": (ORDER, 6, 15),
    "forgotten_is_listed": (FORGOTTEN, 0, 9),
    "half_life_a_day_short": (FEATURES, 0, 6),
}
STEPS = 6  # the most that a counterexample may have
KIT = location.installed().library()


def target(name):
    [found] = resolve(f"python:fuzz_stores:{name}")
    return found


@pytest.fixture(scope="module")
def findings():
    """What was found in each faulty store that breaks the requirement meant."""
    found = {}
    for name, (requirement, seed, cases) in FAULTS.items():
        ended = fuzz(target(name), Options(cases=cases, seed=seed))
        found[name] = [f for f in ended.findings if f.broken.requirement == requirement]
    return found


def play(text, name):
    """Run a scenario with the suite's own steps; which kind of step stops it, and why."""
    definitions = registered_steps(steps)
    connection = target(name).connect()
    world = World(connection=connection, hello=connection.hello())
    [scenario] = parse(text, "fuzz.feature").scenarios
    [pickle] = scenario.pickles
    assert set(scenario_needs(scenario)) <= set(world.hello.capabilities)
    try:
        for step in pickle.steps:
            [definition] = [each for each in definitions if each.serves(step)]
            arguments = definition.parser.parse_arguments(step.text)
            if step.table is not None:
                arguments["datatable"] = [list(row) for row in step.table]
            world.step_type = step.type
            definition.function(world, **arguments)
    except Disappointed as failure:
        return (step.type, failure)
    finally:
        connection.close()
    return None


def scenario_needs(scenario):
    return [tag.name.removeprefix("@needs:") for tag in scenario.own_tags]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_few_steps(findings, name):
    assert findings[name], f"nothing was found that breaks {FAULTS[name][0]}"
    for finding in findings[name]:
        assert finding.repeats
        assert gherkin.steps(finding.program) <= STEPS


@pytest.mark.parametrize("name", FAULTS)
def test_its_scenario_fails_on_the_fault_and_passes_without_it(findings, name):
    for finding in findings[name]:
        text = feature(finding, KIT)
        stopped = play(text, name)
        assert stopped is not None
        assert stopped[0] == "then"  # by a look, not by a step that couldn't be done
        assert play(text, "sound") is None


def test_certify_runs_what_was_added(findings, tmp_path):
    """By the suite's own runner: every scenario passes without its fault, and one fails on it."""
    every = {title(f): f for some in findings.values() for f in some}
    for finding in every.values():
        add(finding, KIT, tmp_path)
    library = location.at(tmp_path).library()
    assert library.findings() == []
    assert {scenario.title for scenario in library.scenarios()} == set(every)
    assert outcomes("sound", tmp_path) == dict.fromkeys(every, "passed")
    listed = outcomes("forgotten_is_listed", tmp_path)
    assert {name for name, outcome in listed.items() if outcome != "passed"} == {
        title(finding) for finding in findings["forgotten_is_listed"]
    }


def outcomes(name, suite):
    """The outcome of each scenario of a suite, by title."""
    before = Path.cwd()
    os.chdir(HERE)  # where the target is imported from
    try:
        events = run(f"python:fuzz_stores:{name}", suite=suite).events
    finally:
        os.chdir(before)
    told = [json.loads(line) for line in events.splitlines()]
    results = [event["result"] for event in told if event["event"] == "result"]
    return {result["title"]: result["outcome"] for result in results}


def test_a_finding_that_is_added_twice_stands_once(findings, tmp_path):
    [finding, *_] = findings["forgotten_is_listed"]
    file = add(finding, KIT, tmp_path)
    spec = tmp_path / "openspec" / "specs" / "memory-core" / "spec.md"
    before = file.read_bytes(), spec.read_bytes()
    assert add(finding, KIT, tmp_path) == file
    assert (file.read_bytes(), spec.read_bytes()) == before


@pytest.mark.parametrize("name", ["angle_brackets_stay", "answers_kept_too_long"])
def test_its_script_ends_with_an_error_while_the_fault_is_there(findings, name):
    [finding, *_] = findings[name]
    bad = script(target(name).name, finding.program, finding.broken)
    good = script(target("sound").name, finding.program, finding.broken)
    assert len(bad.splitlines()) <= 15
    for text, code in ((bad, 1), (good, 0)):
        done = subprocess.run(
            [sys.executable, "-c", text], cwd=HERE, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert ("AssertionError" in done.stderr) == (code == 1)


@pytest.mark.parametrize("name", FAULTS)
def test_its_script_says_the_same_without_a_process(findings, name):
    for finding in findings[name]:
        with pytest.raises(AssertionError):
            exec(script(target(name).name, finding.program, finding.broken), {})
        exec(script(target("sound").name, finding.program, finding.broken), {})


@pytest.mark.parametrize("name", FAULTS)
def test_its_transcript_can_be_played_to_a_store(findings, name):
    """The requests, sent as they stand to a store just started, are answered as it says."""
    for finding in findings[name]:
        lines = transcript(finding.exchanges).encode().splitlines()
        requests, answers = lines[::2], lines[1::2]
        dispatcher = Dispatcher(load_factory(f"fuzz_stores:{name}"))
        assert [json.loads(dispatcher.handle(line)) for line in requests] == [
            json.loads(line) for line in answers
        ]
        dispatcher.close()


def test_the_faulty_stores_are_stores():
    for name in FAULTS:
        store = load_factory(f"fuzz_stores:{name}").open(Settings())
        store.close()
