import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import msgspec
import pytest
from published import keeps_to
from verdict_fakes import failure, report, result

from memconform.cli import run
from memconform.cli.certify import exit_code
from memconform.cli.errors import Refusal
from memconform.cli.files import write, written
from memconform.cli.names import library
from memconform.model.report import Report
from memconform.verdict import report_json
from memconform.verdict.compare import compare
from memconform.verdict.measure import unprepared

HERE = Path(__file__).parent
GOOD, BAD = "python:cli_stores:good", "python:cli_stores:finds_everything"


@pytest.fixture(autouse=True)
def _beside_the_stores(monkeypatch):
    monkeypatch.chdir(HERE)


@pytest.fixture(scope="module")
def unrelated():
    """A scenario of abstention that needs no capability; a store that finds everything fails it."""
    return "lexical-abstention/an-unrelated-user-record-stays-out"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The reference store's abstention, certified once; folder and exit code."""
    folder = tmp_path_factory.mktemp("reference")
    arguments = ["certify", "reference:filesystem", "--profile", "abstention", "--out", str(folder)]
    return folder, run(arguments)


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """A store that finds everything, certified once; folder and exit code."""
    folder = tmp_path_factory.mktemp("broken")
    before = Path.cwd()
    os.chdir(HERE)
    try:
        return folder, run(["certify", BAD, "--profile", "abstention", "--out", str(folder)])
    finally:
        os.chdir(before)


# --- exit codes, pure ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (report(result("a")), 0),
        (report(result("a", "failed")), 1),
        (
            report(
                result("a", profile="foundation"),
                result("b", "unsupported", profile="foundation", missing=["trace"]),
                profiles=["foundation"],
            ),
            1,  # partial is not conformant
        ),
        (report(result("a", "error", failure=failure(blame="harness"))), 2),
        (report(result("a"), profiles=["core", "foundation"]), 2),  # the worst of both
        (report(), 2),
        (unprepared("x", [], way="wire", error="no such package"), 2),
    ],
)
def test_exit_code_of_verdicts(told, code):
    assert exit_code(told, None, alone=False) == code


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (result("a"), 0),
        (result("a", "failed"), 1),
        (result("a", "not-testable"), 1),
        (result("a", "failed", must=False), 1),
        (result("a", "unsupported", missing=["batch"]), 2),
        (result("a", "error", failure=failure(blame="harness")), 2),
    ],
)
def test_exit_code_of_one_scenario_alone(one, code):
    assert exit_code(report(one, scenario=one.id), None, alone=True) == code


def test_a_baseline_decides_alone():
    old, same = report(result("a", "failed")), report(result("a", "failed"))
    assert exit_code(same, compare(old, same), alone=False) == 0
    better = report(result("a"))
    assert exit_code(better, compare(old, better), alone=False) == 1


def test_a_run_that_measured_nothing_agrees_with_no_baseline():
    nothing = unprepared("x", [], way="wire", error="no such package")
    assert exit_code(nothing, compare(nothing, nothing), alone=False) == 2


# --- bad use ---------------------------------------------------------------------------------


def refused(capsys, *arguments):
    assert run(["certify", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(r"memconform: [^\n]*\n", captured.err)
    return captured.err


def test_an_unknown_target(capsys):
    told = refused(capsys, "reference:filesytem")
    assert "Did you mean reference:filesystem" in told


def test_an_unknown_profile(capsys):
    told = refused(capsys, GOOD, "--profile", "fundation")
    assert "there are core, foundation, abstention" in told
    assert "Did you mean foundation" in told


def test_an_unknown_scenario(capsys, unrelated):
    told = refused(capsys, GOOD, "--scenario", unrelated.removesuffix("-out"))
    assert f"Did you mean {unrelated}" in told
    assert "memconform explain lists" in refused(capsys, GOOD, "--scenario", "zzz")


def test_a_requirement_in_the_place_of_a_scenario(capsys):
    told = refused(capsys, GOOD, "--scenario", "memory-core/cjk-text-is-found")
    assert "is a requirement; memconform explain memory-core/cjk-text-is-found" in told


def test_a_place_that_cannot_be_written_to(capsys, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert "can't be written to" in refused(capsys, GOOD, "--out", str(tmp_path / "file"))
    assert "can't be written to" in refused(capsys, GOOD, "--out", str(tmp_path / "file" / "sub"))


def test_a_baseline_that_is_not_there_or_broken(capsys, tmp_path):
    assert "isn't there" in refused(capsys, GOOD, "--baseline", str(tmp_path / "no.json"))
    (tmp_path / "half.json").write_bytes(report_json.write(report(result("a")))[:300])
    told = refused(capsys, GOOD, "--baseline", str(tmp_path / "half.json"))
    assert "isn't a report to rely on" in told


def test_one_baseline_for_several_targets(capsys, tmp_path):
    (tmp_path / "report.json").write_bytes(report_json.write(report(result("a"))))
    told = refused(capsys, GOOD, BAD, "--baseline", str(tmp_path / "report.json"))
    assert "SLUG/report.json" in told


# --- for real --------------------------------------------------------------------------------


def test_a_conformant_store_exits_with_0_and_leaves_sound_files(reference):
    folder, code = reference
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "badge.json", "earl.jsonld", "junit.xml", "messages.ndjson", "report.html", "report.json",
        "summary.md",
    ]  # fmt: skip
    told = report_json.load(folder / "report.json")
    jsonschema.validate(
        json.loads((folder / "report.json").read_bytes()), msgspec.json.schema(Report)
    )
    assert [v.profile for v in told.profiles] == ["abstention"]
    assert told.collected == [s.id for s in library().scenarios(["abstention"])]
    assert told.target == "reference:filesystem"
    assert told.way == "in-process"
    root = ET.parse(folder / "junit.xml").getroot()
    assert root.get("tests") == str(len(told.collected))
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert "✅ **conformant**" in (folder / "summary.md").read_text(encoding="utf-8")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Conformant in abstention." in page
    assert page.endswith("</html>\n")


def test_what_other_tools_read_tells_of_every_scenario_by_its_own_pickle(reference):
    folder, _ = reference
    told = report_json.load(folder / "report.json")
    lines = (folder / "messages.ndjson").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    envelopes = [json.loads(line) for line in lines]
    pickles = [each["pickle"] for each in envelopes if "pickle" in each]
    assert sorted(pickle["id"] for pickle in pickles) == sorted(told.collected)
    assert {pickle["uri"].rpartition("/")[0] for pickle in pickles} == {"features/abstention"}
    finished = [each["testStepFinished"] for each in envelopes if "testStepFinished" in each]
    statuses = [each["testStepResult"]["status"] for each in finished]
    # What isn't supported has no steps in the report, and skipped ones here.
    assert statuses.count("PASSED") == sum(len(result.steps) for result in told.results)
    assert set(statuses) == {"PASSED", "SKIPPED"}
    assert envelopes[-1]["testRunFinished"]["success"] is True
    earl = json.loads((folder / "earl.jsonld").read_bytes())
    outcomes = [n["result"]["outcome"] for n in earl["@graph"] if n["@type"] == "earl:Assertion"]
    passed = sum(result.outcome.value == "passed" for result in told.results)
    assert outcomes.count("earl:passed") == passed
    assert outcomes.count("earl:inapplicable") == len(told.collected) - passed > 0


def test_what_is_made_of_the_kept_report_is_the_same(broken, tmp_path):
    folder, _ = broken
    write(report_json.load(folder / "report.json"), tmp_path)
    for name in ("report.html", "messages.ndjson", "earl.jsonld"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def timeless(path):
    """A report's bytes without its times, whatever they are, and without the digest over them."""
    times = rb'"(seconds|started|digest)": ?("[^"]*"|[0-9.e+-]+)'
    return re.sub(times, rb'"\1"', path.read_bytes())


def test_two_runs_differ_in_nothing_but_their_times(reference, tmp_path):
    folder, _ = reference
    code = run(
        ["certify", "reference:filesystem", "--profile", "abstention", "--out", str(tmp_path)]
    )
    assert code == 0
    assert timeless(folder / "report.json") == timeless(tmp_path / "report.json")
    assert (folder / "summary.md").read_bytes() == (tmp_path / "summary.md").read_bytes()
    for name, times in (
        ("report.html", rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC(, took [0-9a-z. ]+)?"),
        ("messages.ndjson", rb'"(seconds|nanos)":\d+'),
        ("earl.jsonld", rb"\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\d(:|%3A)\d\dZ"),
    ):
        first, second = ((each / name).read_bytes() for each in (folder, tmp_path))
        assert re.sub(times, b"", first) == re.sub(times, b"", second), name


def test_a_broken_store_exits_with_1_and_says_why(broken):
    folder, code = broken
    assert code == 1
    told = report_json.load(folder / "report.json")
    failed = [r for r in told.results if r.outcome.breaks]
    assert failed
    assert all(r.failure and r.failure.blame == "implementation" for r in failed)
    assert all(r.calls for r in failed)
    assert all(BAD in r.reproduce and r.id in r.reproduce for r in failed)


def test_known_failures_agree_with_their_baseline(broken, capsys):
    folder, _ = broken
    arguments = ["certify", BAD, "--profile", "abstention", "--baseline"]
    assert run([*arguments, str(folder)]) == 0
    assert "Every outcome equals the baseline." in capsys.readouterr().out


def test_a_difference_from_the_baseline_is_told(reference, broken, tmp_path, capsys):
    # The reference store's report as the baseline of the broken one: regressions.
    baseline = reference[0] / "report.json"
    code = run(["certify", BAD, "--profile", "abstention", "--baseline", str(baseline), "--json"])
    assert code == 1
    told = json.loads(capsys.readouterr().out)
    broken_now = {
        r.id for r in report_json.load(broken[0] / "report.json").results if r.outcome.breaks
    }
    passed_then = {r.id for r in report_json.load(baseline).results if r.outcome.value == "passed"}
    regressions = {change["id"] for change in told["changes"][0]["regressions"]}
    assert regressions == broken_now & passed_then
    assert regressions


def test_one_scenario_alone_decides_the_exit_code_and_is_no_certificate(
    capsys, tmp_path, unrelated
):
    assert run(["certify", GOOD, "--scenario", unrelated, "--out", str(tmp_path)]) == 0
    assert "✓ passed" in capsys.readouterr().out
    told = report_json.load(tmp_path / "report.json")
    assert [v.verdict.value for v in told.profiles] == ["not measured"]


def test_several_targets_make_one_table_and_a_folder_each(tmp_path, capsys, unrelated):
    arguments = ["certify", GOOD, BAD, "--scenario", unrelated]
    assert run([*arguments, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().out.count("Target") == 1
    folders = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert len(folders) == 2
    for folder in folders:
        assert report_json.load(tmp_path / folder / "report.json").results
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for target in (GOOD, BAD):
        assert target in summary
        assert target in page
    for folder in folders:
        assert f'href="./{folder}/report.html"' in page
    # The folder is a baseline for the same targets.
    assert run([*arguments, "--baseline", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("Every outcome equals the baseline.") == 2


def test_the_worst_of_several_counts(capsys, unrelated):
    assert run(["certify", BAD, "stdio:false", "--scenario", unrelated]) == 2
    assert "could not be reached" in " ".join(capsys.readouterr().out.split())


def test_json_prints_one_document_and_nothing_else(capsys, unrelated):
    code = run(["certify", BAD, "--scenario", unrelated, "--json"])
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    keeps_to(told, "certify-1")
    assert captured.err == ""
    assert told["exitCode"] == code == 1
    assert told["reports"][0]["results"][0]["id"] == unrelated


def test_a_target_that_cannot_be_reached_is_not_measured(capsys):
    assert run(["certify", "stdio:false"]) == 2
    told = capsys.readouterr().out
    assert "could not be reached" in told
    assert "memconform smoke stdio:false" in told


def test_an_implementation_that_exits_takes_its_run_with_it_in_process_only(capsys, unrelated):
    arguments = ["certify", "python:cli_stores:exits", "--scenario", unrelated]
    assert run(arguments) == 2
    told = capsys.readouterr().out
    assert "The run broke off" in told
    assert "--wire" in told
    assert run([*arguments, "--wire"]) == 1
    assert "! in error" in capsys.readouterr().out


def test_a_hostile_name_is_shown_not_obeyed(capsys, tmp_path, unrelated):
    target = "python:cli_stores:hostile"
    run(["certify", target, "--scenario", unrelated, "--out", str(tmp_path)])
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "\\x1b[2J\\u202eevil [red]|`\\n# x" in told
    ET.parse(tmp_path / "junit.xml")
    assert not re.search(r"^# x", (tmp_path / "summary.md").read_text(encoding="utf-8"), re.M)


def test_a_folder_without_a_baseline_for_a_target_leaves_it_its_verdict(
    capsys, tmp_path, unrelated
):
    assert run(["certify", BAD, "--scenario", unrelated, "--baseline", str(tmp_path)]) == 1
    assert f"{BAD} has no baseline: its verdict counts." in capsys.readouterr().out


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_the_run_with_one_sentence(tmp_path, unrelated, sent):
    mark = tmp_path / "pid"
    command = [sys.executable, "-m", "memconform.cli", "certify", "python:cli_stores:sleeps"]
    process = subprocess.Popen(
        [*command, "--scenario", unrelated],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=HERE,
        env={**os.environ, "CLI_STORES_MARK": str(mark)},
    )
    for _ in range(1200):
        if mark.exists():
            break
        time.sleep(0.05)
    pid = int(mark.read_text())
    process.send_signal(sent)
    out, err = process.communicate()
    assert process.returncode == 2
    assert out == ""
    assert err == "memconform: Interrupted; nothing was judged.\n"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_file_that_can_not_be_written_whole_leaves_what_was_there(tmp_path):
    """With the limit that a process has for its files, which is what a full disk does to it."""
    known, link = tmp_path / "known.json", tmp_path / "link.json"
    known.write_bytes(b"before")
    known.chmod(0o640)
    link.symlink_to(known)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(Refusal, match=r"known\.json can't be written: File too large\."):
            written(known, b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert known.read_bytes() == b"before"
    written(link, b"after")
    assert known.read_bytes() == b"after"
    assert known.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    assert written(Path("/dev/null"), b"gone").is_char_device()
    assert {each.name for each in tmp_path.iterdir()} == {"known.json", "link.json"}


def test_a_place_that_can_not_be_written_to_is_told_with_its_option(capsys, tmp_path):
    (tmp_path / "file").touch()
    assert run(["fuzz", GOOD, "--cases", "1", "--add", str(tmp_path / "file")]) == 2
    told = capsys.readouterr().err
    assert told == f"memconform: --add {tmp_path}/file can't be written to: File exists.\n"


def test_a_seed_may_be_negative(capsys, unrelated):
    assert run(["certify", GOOD, "--scenario", unrelated, "--shuffle", "-5"]) == 0
    assert "drawn from the seed -5." in capsys.readouterr().out


def test_a_pipe_gets_no_progress_bar(unrelated):
    command = [sys.executable, "-m", "memconform.cli", "certify", BAD, "--scenario", unrelated]
    done = subprocess.run(command, capture_output=True, check=False, cwd=HERE)
    assert done.returncode == 1
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
    told = done.stdout.decode()
    assert "✗ failed" in told
    assert "What the store was asked" in told
    assert f"--scenario {unrelated}" in told


def test_a_terminal_gets_one(unrelated):
    command = [sys.executable, "-m", "memconform.cli", "certify", GOOD, "--scenario", unrelated]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, cwd=HERE, env=environment
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    process.communicate()
    assert process.returncode == 0
    assert GOOD.encode() in shown
    assert b"1/1" in shown
