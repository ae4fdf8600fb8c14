"""What holds for every command: usage errors, help, versions; and explain and audit."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest
from published import keeps_to
from readme import notes_source

from memconform import __version__
from memconform.cli import run
from memconform.cli.audit import audit
from memconform.cli.documents import DOCUMENTS
from memconform.cli.errors import did_you_mean
from memconform.cli.names import library
from memconform.spec.library import load


def refused(capsys, *arguments):
    """The sentence with which a command says no; nothing else may be printed."""
    assert run(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("memconform: ")
    assert captured.err.count("\n") == 1
    return captured.err


# --- every command ---------------------------------------------------------------------------


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"memconform {__version__}\n"


@pytest.mark.parametrize("command", ["certify", "smoke", "explain", "audit"])
def test_help_is_short_and_shows_an_example(command, capsys):
    assert run([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert f"Example: memconform {command}" in told
    assert len(told.splitlines()) < 30


def test_help_lists_the_commands_and_cuts_none_of_their_sentences(capsys):
    assert run(["--help"]) == 0
    told = capsys.readouterr().out
    assert "certify" in told
    assert "..." not in told.partition("Commands:")[2]


def test_no_command_shows_the_help_and_measures_nothing(capsys):
    assert run([]) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["certify"], "Missing argument"),
        (["certify", "--profil", "core", "x"], "--profile"),
        (["certify", "reference:filesystem", "--profile"], "--profile"),
        (["certifi", "x"], "certifi"),
        (["smoke", "a", "b"], "unexpected extra argument"),
        (["--loud"], "--loud"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(arguments, told, capsys):
    assert told in refused(capsys, *arguments)


def test_the_installed_command_exits_with_the_code(tmp_path):
    command = [sys.executable, "-m", "memconform.cli", "certify", "reference:nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("memconform: There is no")
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    name = next(iter(library().requirements))
    command = [sys.executable, "-m", "memconform.cli", "explain", name]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert process.wait() in (0, 2)  # 0 where all of it fitted into the pipe
    assert told == ""


def test_output_that_can_not_be_written_is_one_sentence(tmp_path):
    command = [
        sys.executable,
        "-m",
        "memconform.cli",
        "explain",
        next(iter(library().requirements)),
    ]
    with open("/dev/full", "w") as full:
        for output in ({}, {"COLUMNS": "20"}):
            done = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False,
                env=os.environ | output,
            )  # fmt: skip
            assert done.returncode == 2
            assert re.fullmatch(r"memconform: [^\n]*No space left on device\.\n", done.stderr)
        lost = subprocess.run(
            [*command[:-1], "no-such"], stdout=full, stderr=full, cwd=tmp_path, check=False
        )
        assert lost.returncode == 2  # nobody can be told why, and 1 would be a verdict


def test_streams_that_were_closed_before_it_started_change_no_exit_code(tmp_path):
    name = next(iter(library().requirements))
    for asked, code in ((name, 0), ("no-such", 2)):
        command = shlex.join([sys.executable, "-m", "memconform.cli", "explain", asked])
        shell = ["sh", "-c", f"{command} <&- >&- 2>&-"]
        assert subprocess.run(shell, cwd=tmp_path, check=False).returncode == code


def test_a_thread_that_a_store_leaves_running_does_not_keep_the_command(tmp_path):
    told = (
        "import atexit, sys, threading, time; from memconform.cli import app\n"
        "app._GRACE_S = 0.1; sys.argv[1:] = ['explain', 'no-such']\n"
        "atexit.register(print, 'tidied up')\n"
        "threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "app.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, cwd=tmp_path, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.decode()) == (2, "tidied up\n")


@pytest.mark.parametrize(
    "command",
    [
        ["fuzz", "python:leaving:factory", "--cases", "5"],
        ["evaluate", "python:leaving:factory", "--dataset", "anonymous-v1"],
    ],
    ids=lambda command: command[0],
)
def test_a_store_that_ends_the_process_is_no_success(command, tmp_path):
    source = "import os\n" + notes_source().replace(
        "self.texts[id] = record", "os._exit(0); record"
    )
    (tmp_path / "leaving.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "memconform.cli", *command],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2, done.stdout
    assert "The store has ended the process that it runs in (os._exit)" in done.stderr


def test_near_misses():
    names = ["memory-core/forget-then-ask", "memory-core/write", "core"]
    assert did_you_mean("cor", names) == " Did you mean core or memory-core/forget-then-ask or " \
        "memory-core/write?"  # fmt: skip
    assert did_you_mean("then-ask", names) == " Did you mean memory-core/forget-then-ask?"
    assert did_you_mean("xyz", names) == ""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_has_a_schema(name):
    jsonschema.Draft202012Validator.check_schema(msgspec.json.schema(DOCUMENTS[name]))


# --- explain ---------------------------------------------------------------------------------


def test_a_requirement_is_explained_with_all_its_scenarios(capsys):
    suite = library()
    id, requirement = next(iter(suite.requirements.items()))
    assert run(["explain", id]) == 0
    told = capsys.readouterr().out
    flat = " ".join(told.split())
    assert requirement.title in told
    assert "Why:" in told
    assert " ".join(requirement.why.split())[:60] in flat
    for scenario in requirement.scenarios:
        assert scenario.title in flat
    assert "memconform certify TARGET --scenario" in told


def test_a_scenario_is_explained_by_id_row_or_slug(capsys):
    suite = library()
    scenario = next(s for s in suite.scenarios() if s.row is not None)
    told = []
    for name in (scenario.base, scenario.id, scenario.base.partition("/")[2]):
        assert run(["explain", name]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] == told[2]
    assert "Examples" in told[0]
    assert "example rows" in told[0]


def test_names_of_the_suite_can_be_explained(capsys):
    suite = library()
    # Some of each spec: reading the suite anew each time costs.
    for name in [*list(suite.requirements)[::3], *list(suite.feature_scenarios)[::25]]:
        assert run(["explain", name]) == 0, name
    assert "Traceback" not in capsys.readouterr().err


def test_an_unknown_name_is_answered_with_near_ones(capsys):
    id = next(iter(library().requirements))
    told = refused(capsys, "explain", id[:-1] + "x")
    assert "There is no scenario or requirement" in told
    assert f"Did you mean {id}" in told


# --- audit -----------------------------------------------------------------------------------

SPEC = """\
# tiny

## Purpose

A spec of one requirement, so that a test can break its features in one way at a time.

## Requirements

### Requirement: Written is found

A store SHALL find what was written.

Why: nothing else matters without it.

#### Scenario: A word finds it

- **WHEN** a memory is written and asked for
- **THEN** it is found
"""
FEATURE = """\
Feature: tiny

  @req:tiny/written-is-found @must
  Rule: Written is found

    Scenario: A word finds it
      Given an empty store
      When "tea" is recalled
      Then nothing is found
"""


def suite(tmp_path, *, spec=SPEC, feature=FEATURE):
    (tmp_path / "openspec" / "specs" / "tiny").mkdir(parents=True)
    (tmp_path / "openspec" / "specs" / "tiny" / "spec.md").write_text(spec, encoding="utf-8")
    (tmp_path / "features" / "core").mkdir(parents=True)
    (tmp_path / "features" / "core" / "tiny.feature").write_text(feature, encoding="utf-8")
    return load(tmp_path / "openspec", tmp_path / "features")


def codes(told):
    return {finding.code for finding in told.findings}


def test_the_vocabulary_is_counted_and_what_nobody_uses_is_a_finding(tmp_path):
    told = audit(suite(tmp_path))
    uses = {use.text: use.uses for use in told.vocabulary}
    assert uses["an empty store"] == 1
    assert uses['"{query}" is recalled'] == 1
    assert uses["nothing is found"] == 1
    assert uses["the store is restarted"] == 0
    unused = [finding for finding in told.findings if finding.code == "unused-step"]
    assert len(unused) == len(uses) - 3
    assert (told.specs, told.requirements, told.features, told.scenarios) == (1, 1, 1, 1)


def test_an_unconfirmed_or_stale_link_is_a_finding(tmp_path):
    from memconform.spec import links

    one = suite(tmp_path)
    assert "unconfirmed" in codes(audit(one))
    links.confirm(one)
    assert codes(audit(one)) == {"unused-step"}


def test_a_step_that_nobody_defined_is_a_finding(tmp_path):
    told = audit(suite(tmp_path, feature=FEATURE.replace("nothing is found", "all is well")))
    assert "undefined-step" in codes(told)


def test_a_scenario_that_the_spec_does_not_know_is_a_finding(tmp_path):
    told = audit(suite(tmp_path, feature=FEATURE.replace("A word finds it", "A word loses it")))
    assert {"orphan-scenario", "missing-scenario"} <= codes(told)


def test_the_command_says_what_it_found_and_exits_by_it(capsys):
    code = run(["audit", "--json"])
    told = json.loads(capsys.readouterr().out)
    keeps_to(told, "audit-1")
    assert code == (1 if told["findings"] else 0)
    assert told["scenarios"] == len(library().scenarios())
    assert run(["audit"]) == code
    shown = capsys.readouterr().out
    assert f"{told['requirements']} requirements" in shown
    assert ("✗" in shown) == bool(told["findings"])


@pytest.mark.parametrize(
    "command",
    [
        ("certify", "--profile", "feedback"),
        ("smoke",),
        ("evaluate", "--dataset", "anonymous-v1"),
    ],
    ids=["certify", "smoke", "evaluate"],
)
def test_a_folder_that_can_not_be_used_is_told_in_words(capsys, monkeypatch, command):
    """A root below a file: nothing can be read there or written, whoever runs it."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    name, *options = command
    assert run([name, "python:cli_rootless:factory", *options]) == 2
    captured = capsys.readouterr()
    told = " ".join((captured.out + captured.err).split())
    assert "the memory folder can't be used now" in told
    assert "Traceback" not in told
