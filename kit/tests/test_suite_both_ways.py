"""A store gives the same report in process and over the wire, times apart.

Every reference store, with all the profiles that it claims. Of each feature every fortieth
scenario, its first at least: what the two ways could differ in is the wire, and no scenario has
that to itself. The scenarios of one profile are compared in full elsewhere (test_suite_pyargs).
"""

import json
import os
from pathlib import Path

import pytest

from memconform.suite.profiles import PROFILES
from memconform.suite.run import follow, pytest_command
from memconform.wire.loading import REFERENCES

HERE = Path(__file__).parent
NTH = 40


def events(folder, target, *, wire):
    folder.mkdir()
    file, config = folder / "events.ndjson", folder / "pytest.ini"
    config.write_text("[pytest]\n", encoding="utf-8")
    command = pytest_command(target, [], events=file, config=config, wire=wire)
    command[3:3] = ["-p", "every_nth"]
    return [json.loads(line) for line in follow(command, file).events.splitlines()]


def timeless(event):
    """An event without what two runs, or the two ways, may differ in."""
    if event["event"] == "start":
        return {**event, "way": None}
    if event["event"] != "result":
        return event
    result = {**event["result"], "seconds": None}
    result["reproduce"] = result["reproduce"].removesuffix(" --wire")
    return result


@pytest.mark.parametrize("name", REFERENCES)
def test_both_ways_give_the_same_report(name, tmp_path, monkeypatch):
    path = [str(HERE / "drivers"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.setenv("EVERY_NTH", str(NTH))
    target = f"reference:{name}"
    here = events(tmp_path / "here", target, wire=False)
    there = events(tmp_path / "there", target, wire=True)
    assert (here[0]["way"], there[0]["way"]) == ("in-process", "wire")
    assert [timeless(event) for event in here] == [timeless(event) for event in there]
    results = [event["result"] for event in here if event["event"] == "result"]
    claimed = here[0]["implementation"]["profiles"]
    assert {result["profile"] for result in results} == {"core", *claimed}
    assert {"core", *claimed} <= set(PROFILES)
    assert {result["outcome"] for result in results} <= {"passed", "unsupported"}
    assert len(results) >= len(here[0]["collected"]) // NTH


def test_the_reports_of_a_store_with_failures_are_the_same_too(tmp_path, monkeypatch):
    """What was expected and seen, and the calls that led to it."""
    path = [str(HERE), str(HERE / "drivers"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.setenv("EVERY_NTH", "20")
    target = "python:cli_stores:never_forgets"
    here = events(tmp_path / "here", target, wire=False)
    there = events(tmp_path / "there", target, wire=True)
    assert [timeless(event) for event in here] == [timeless(event) for event in there]
    failed = [e["result"] for e in here if e["event"] == "result" and e["result"]["failure"]]
    assert failed
    assert all(result["calls"] for result in failed)
