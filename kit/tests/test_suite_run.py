"""The suite run as pytest runs it: each planted sin ends the run, with the sentence that names it.

A small suite of its own is written to a folder, once sound and once with a single sin, and run
against the README's store in a process, so that what is seen is what a user would see.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_runs import LIGHT
from readme import notes_source

from memconform.model import from_plain
from memconform.model.report import Outcome, ScenarioResult

SPEC = """# memory-core

## Purpose

A suite of one requirement, small enough to see what a single sin in it does to a run.

## Requirements

### Requirement: Written is findable

A store SHALL find what was written.

Why: a memory that can't be found was never kept.

#### Scenario: A note is found

- **GIVEN** a note
- **WHEN** its words are recalled
- **THEN** it is found
"""

FEATURE = """Feature: Findable

  @req:memory-core/written-is-findable @must
  Rule: Written is findable

    Scenario: A note is found
      Given an empty store
      And these memories are written:
        | key | content     |
        | tea | green tea   |
      When "green" is recalled
      Then "tea" is found
"""


@dataclass
class Run:
    """A run that has ended."""

    status: int
    output: str
    events: list[dict]

    @property
    def results(self) -> list[ScenarioResult]:
        return [from_plain(e["result"], ScenarioResult) for e in self.events if "result" in e]

    @property
    def kinds(self) -> list[str]:
        return [e["event"] for e in self.events]


def run(
    folder: Path,
    feature: str = FEATURE,
    spec: str = SPEC,
    store: str | None = None,
    extra: tuple[str, ...] = (),
) -> Run:
    """Write the suite and the store to a folder and run them there."""
    (folder / "features/core").mkdir(parents=True)
    (folder / "features/core/notes.feature").write_text(feature, encoding="utf-8")
    (folder / "openspec/specs/memory-core").mkdir(parents=True)
    (folder / "openspec/specs/memory-core/spec.md").write_text(spec, encoding="utf-8")
    (folder / "notes.py").write_text(store or notes_source(), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    events = folder / "events.ndjson"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--memory-store", "python:notes:factory", "--memory-suite", str(folder)),
            *("--memory-events", str(events), *extra, "--pyargs", "memconform.suite"),
        ],
        cwd=folder,
        env={**os.environ, **LIGHT, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
    return Run(done.returncode, done.stdout + done.stderr, [json.loads(line) for line in lines])


def test_a_sound_suite_runs_to_its_end(tmp_path):
    seen = run(tmp_path)
    assert seen.kinds == ["start", "result", "end"], seen.output
    (result,) = seen.results
    assert result.id == "memory-core/a-note-is-found"
    assert result.outcome is Outcome.PASSED
    assert seen.status == 0


def test_the_result_is_the_same_under_xdist(tmp_path):
    (alone,) = run(tmp_path / "alone").results
    parallel = run(tmp_path / "parallel", extra=("-n", "2"))
    assert parallel.kinds == ["start", "result", "end"], parallel.output
    (result,) = parallel.results
    assert (result.id, result.outcome, result.steps) == (alone.id, alone.outcome, alone.steps)


SKIPPING = """
import pytest
from memconform.protocol import system
from {module} import Notes

class Skipping(Notes):
    def recall(self, query, access, limit=None):
        pytest.{way}("not today")

def factory():
    return system(Skipping, name="skipping", version="1")
"""


@pytest.mark.parametrize("way", ["skip", "xfail", "exit"])
def test_a_store_can_not_have_a_scenario_skipped(tmp_path, way):
    (tmp_path / "honest.py").write_text(notes_source(), encoding="utf-8")
    seen = run(tmp_path, store=SKIPPING.format(module="honest", way=way))
    assert seen.kinds == ["start", "result", "end"], seen.output
    (result,) = seen.results
    assert result.outcome is Outcome.FAILED
    assert result.failure is not None
    assert result.failure.blame == "implementation"
    assert "not today" in result.failure.seen
    assert seen.status == 1


def test_nor_can_another_plugin(tmp_path):
    """What pytest counts as skipped is green to it, and to the report it must not be."""
    (tmp_path / "tired.py").write_text(
        "import pytest\ndef pytest_runtest_call(item):\n    pytest.skip('not today')\n"
    )
    (result,) = run(tmp_path, extra=("-p", "tired")).results
    assert result.outcome is Outcome.ERROR
    assert result.failure is not None
    assert (result.failure.blame, result.failure.seen) == ("harness", "Skipped: not today")


SINS = {
    "a step that matches nothing": (
        FEATURE.replace('Then "tea" is found', 'Then "tea" smells nice'),
        "No step definition matches",
    ),
    "a scenario without Then": (
        FEATURE.replace('      Then "tea" is found\n', ""),
        "has no Then",
    ),
    "two equal titles": (
        FEATURE + FEATURE[FEATURE.index("    Scenario:") :],
        "A note is found",
    ),
    "Examples without rows": (
        FEATURE.replace("    Scenario:", "    Scenario Outline:").replace(
            'When "green" is', 'When "<query>" is'
        )
        + "\n      Examples:\n        | query |\n",
        "Examples without a row",
    ),
    "tags on Examples": (
        FEATURE.replace("    Scenario:", "    Scenario Outline:").replace(
            'When "green" is', 'When "<query>" is'
        )
        + "\n      @slow\n      Examples:\n        | query |\n        | green |\n",
        "Examples",
    ),
    "an unknown tag": (
        FEATURE.replace("    Scenario:", "    @fast\n    Scenario:"),
        "@fast",
    ),
    "a requirement that isn't there": (
        FEATURE.replace("written-is-findable", "written-is-lost"),
        "written-is-lost",
    ),
}


@pytest.mark.parametrize("sin", SINS)
def test_a_sin_in_a_feature_ends_the_run(tmp_path, sin):
    feature, words = SINS[sin]
    assert feature != FEATURE, "the sin was not planted"
    seen = run(tmp_path, feature)
    assert seen.status not in (0, 1), seen.output
    assert seen.kinds[0] == "abort"
    assert any(words in finding for finding in seen.events[0]["findings"]), seen.events[0]
    assert not seen.results
    assert words in seen.output


def test_an_async_step_ends_the_run(tmp_path):
    steps = """
from pytest_bdd import then

@then("it tastes nice")
async def nice(world):
    raise AssertionError("this would never be seen")
"""
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "more_steps.py").write_text(steps, encoding="utf-8")
    feature = FEATURE + "      And it tastes nice\n"
    seen = run(tmp_path, feature, extra=("-p", "more_steps"))
    assert seen.kinds[0] == "abort", seen.output
    assert any("asynchronous" in finding for finding in seen.events[0]["findings"])


def test_nothing_selected_ends_the_run(tmp_path):
    seen = run(tmp_path, extra=("--memory-scenario", "memory-core/no-such-scenario"))
    assert seen.status not in (0, 1, 5)
    assert seen.kinds[0] == "abort"
    assert "No scenario is selected" in seen.output


def test_a_disappointed_expectation_says_what_was_expected_and_seen(tmp_path):
    broken = notes_source().replace("in kept if asked &", "in kept if False and asked &")
    seen = run(tmp_path, store=broken)
    (result,) = seen.results
    assert result.outcome is Outcome.FAILED
    assert result.failure.kind == "assertion"
    assert result.failure.expected == "'tea' among the hits"
    assert result.failure.seen == "nothing"
    assert [step.outcome for step in result.steps] == ["passed", "passed", "passed", "failed"]
    assert [call.operation for call in result.calls] == ["open", "write", "recall", "close"]
    assert result.reproduce == (
        "memconform certify python:notes:factory --scenario memory-core/a-note-is-found"
    )


def test_a_refused_prerequisite_is_not_testable(tmp_path):
    broken = notes_source().replace("if not record.content.strip()", "if True")
    (result,) = run(tmp_path, store=broken).results
    assert result.outcome is Outcome.NOT_TESTABLE
    assert result.failure.kind == "prerequisite"
    assert "a note needs a text" in result.failure.seen


def test_a_refusal_that_no_step_expects_fails_the_scenario(tmp_path):
    broken = notes_source().replace("asked = set(", "raise Invalid('not today'); asked = set(")
    (result,) = run(tmp_path, store=broken).results
    assert result.outcome is Outcome.FAILED
    assert result.failure.kind == "refused"
    assert "not today" in result.failure.seen


def test_an_answer_that_breaks_the_protocol_is_an_error(tmp_path):
    broken = notes_source().replace("return created(id)", "return {'id': id}")
    (result,) = run(tmp_path, store=broken).results
    assert result.outcome in (Outcome.ERROR, Outcome.NOT_TESTABLE)
    assert result.failure.blame == "implementation"


def test_an_undeclared_capability_is_unsupported(tmp_path):
    feature = FEATURE.replace("    Scenario:", "    @needs:durable\n    Scenario:")
    (result,) = run(tmp_path, feature).results
    assert result.outcome is Outcome.UNSUPPORTED
    assert result.missing == ["durable"]
    assert result.calls == []
