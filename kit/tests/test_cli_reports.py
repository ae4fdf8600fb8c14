"""verify, diff, matrix and badge as they are called, on reports that certify really wrote."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs
from published import keeps_to
from verdict_fakes import report, result

from memconform.cli import run
from memconform.resources import find
from memconform.verdict import report_json, seal
from memconform.verdict.verify import NO_SIGNATURE

HERE = Path(__file__).parent
GOOD, BAD = "python:cli_stores:good", "python:cli_stores:finds_everything"
SCENARIO = "lexical-abstention/an-unrelated-user-record-stays-out"
GOLDEN = find("conformance") / "reports"


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """One scenario of two stores, certified for real: a folder with SLUG/report.json."""
    folder = tmp_path_factory.mktemp("certified")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HERE)
        run(["certify", GOOD, BAD, "--scenario", SCENARIO, "--out", str(folder)])
    good, bad = sorted(folder.glob("*/report.json"), key=lambda p: GOOD in p.read_text())[::-1]
    return folder, good, bad


def written(folder, told, name="report.json"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(report_json.write(told))
    return path


def test_json_on_a_terminal_holds_nothing_that_acts_on_it(tmp_path, capsysbinary):
    """U+009B begins an escape sequence without ESC, and JSON needs not escape it."""
    hostile = "python:a\x9b2J\u202e\u2028\x85b"
    path = written(tmp_path, seal.sealed(structs.replace(report(result("a")), target=hostile)))
    for command in (["verify", path], ["diff", path, path]):
        run([*map(str, command), "--json"])
        told = capsysbinary.readouterr().out.decode()
        assert json.dumps(hostile)[1:-1] in told
        assert not {"\x9b", "\u202e", "\u2028", "\x85"} & set(told)
        assert hostile in json.dumps(json.loads(told), ensure_ascii=False)


def refused(capsys, *arguments):
    """The one sentence on standard error."""
    assert run([str(each) for each in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(r"memconform: [^\n]*\n", captured.err)
    return captured.err


def lost(capsys, *arguments):
    """The same, where a report doesn't follow from itself."""
    assert run([str(each) for each in arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(r"memconform: [^\n]*\n", captured.err)
    return captured.err


def words(capsys):
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("command", ["verify", "diff", "matrix", "badge"])
def test_help_is_short_and_shows_an_example(command, capsys):
    assert run([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert f"Example: memconform {command}" in told
    assert "Exit codes: 0" in told
    assert len(told.splitlines()) < 25


# --- verify --------------------------------------------------------------------------------------


def test_certify_seals_what_it_writes_and_verify_takes_a_file_or_its_folder(certified, capsys):
    for path in (certified[1], certified[1].parent):
        assert run(["verify", str(path)]) == 0
        told = words(capsys)
        assert "follows from itself" in told
        assert "The digest is that of the contents." in told
        assert "The scenarios are those of the installed suite" in told
        assert NO_SIGNATURE in told


def test_anybody_can_recompute_the_digest_without_this_kit(certified):
    """As docs/certify.md says, in a Python that can't import the kit."""
    page = (find("schemas").parent / "certify.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"python3 -c '(import hashlib[^']+)' report.json", page)
    command = [sys.executable, "-S", "-c", recipe, str(certified[2])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == report_json.load(certified[2]).digest


def test_a_changed_file_is_told_and_exits_with_1(certified, tmp_path, capsys):
    plain = json.loads(certified[2].read_bytes())
    plain["results"][0].update(outcome="passed", failure=None)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    assert run(["verify", str(path)]) == 1
    told = words(capsys)
    assert "does not follow from itself" in told
    assert "something was changed after it was written" in told
    assert f"{SCENARIO} has passed and" in told
    assert run(["verify", str(path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    keeps_to(document, "verify-1")
    assert document["exitCode"] == 1
    assert document["unproven"] == NO_SIGNATURE
    assert {"digest", "contradiction"} <= {f["code"] for f in document["verification"]["findings"]}


def test_what_is_no_report_exits_with_2(certified, tmp_path, capsys):
    (tmp_path / "half.json").write_bytes(certified[1].read_bytes()[:900])
    assert "it is no whole JSON document" in refused(capsys, "verify", tmp_path / "half.json")
    (tmp_path / "list.json").write_text("[]")
    assert "another shape" in refused(capsys, "verify", tmp_path / "list.json")
    assert "isn't there" in refused(capsys, "verify", tmp_path / "no\x1b[2J.json")
    assert "can't be read: File name too long" in refused(capsys, "verify", "x" * 5000)
    told = refused(capsys, "verify", certified[0])
    assert "holds no report.json; name one of its 2 folders" in told


def test_a_hostile_report_is_shown_not_obeyed(tmp_path, capsys):
    told = report(result("a"), result("b\x1b[2J\u202e"), target="x\x1b]0;y\x07")
    path = written(tmp_path, structs.replace(told, digest="0"))
    assert run(["verify", str(path)]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b" in out


# --- diff ----------------------------------------------------------------------------------------


def test_a_report_differs_from_itself_in_nothing(certified, capsys):
    assert run(["diff", str(certified[1]), str(certified[1].parent)]) == 0
    assert "nothing differs" in words(capsys)
    assert run(["diff", str(certified[0]), str(certified[0])]) == 0


def test_two_stores_differ_and_exit_with_1(certified, capsys):
    assert run(["diff", str(certified[1]), str(certified[2])]) == 1
    told = words(capsys)
    assert f"The targets are two: {GOOD} and {BAD}." in told
    assert f"passed before and doesn't hold any more · {SCENARIO}: passed, now failed" in told
    assert run(["diff", str(certified[2]), str(certified[1]), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    keeps_to(document, "diff-1")
    assert [each["id"] for each in document["differences"][0]["fixed"]] == [SCENARIO]


def test_folders_are_compared_by_the_names_in_them(tmp_path, capsys):
    told = report(result("a"))
    for name in ("old/one", "old/two", "new/two", "new/three"):
        written(tmp_path / name, told)
    assert run(["diff", str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    told = words(capsys)
    assert told.count("nothing differs") == 1
    assert "one has a report in the old folder only" in told
    assert "three has a report in the new folder only" in told
    assert run(["diff", str(tmp_path / "old"), str(tmp_path / "new"), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["onlyOld"], document["onlyNew"]) == (["one"], ["three"])


def test_what_can_not_be_compared_exits_with_2(certified, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert "isn't there" in refused(capsys, "diff", certified[1], tmp_path / "no")
    told = refused(capsys, "diff", tmp_path / "empty", certified[0])
    assert "neither report.json nor SLUG/report.json" in told
    assert "holds no report.json" in refused(capsys, "diff", certified[1], certified[0])
    (tmp_path / "half.json").write_bytes(certified[1].read_bytes()[:900])
    assert "isn't a report to rely on" in refused(
        capsys, "diff", certified[1], tmp_path / "half.json"
    )


# --- matrix --------------------------------------------------------------------------------------


def test_the_committed_matrix_is_what_the_committed_reports_come_to(tmp_path, capsys):
    assert run(["matrix", str(GOLDEN), "--out", str(tmp_path)]) == 0
    kept = (GOLDEN.parent / "MATRIX.md").read_text(encoding="utf-8")
    assert (tmp_path / "MATRIX.md").read_text(encoding="utf-8") == kept, (
        "renew it as conformance/reports/README.md says"
    )
    # Both columns, every profile that they were judged on, counted from the reports by hand.
    for path in GOLDEN.glob("*/report.json"):
        plain = json.loads(path.read_bytes())
        core = [r["outcome"] for r in plain["results"] if r["profile"] == "core" and r["must"]]
        assert f"{core.count('failed')} failed" in kept
        assert f"`{plain['target']}`" in kept
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["MATRIX.md", "matrix.html"]
    again = tmp_path / "again"
    files = [str(path) for path in sorted(GOLDEN.glob("*/report.json"))]
    assert run(["matrix", *files, files[0], "--out", str(again)]) == 0
    assert (again / "matrix.html").read_bytes() == (tmp_path / "matrix.html").read_bytes()


def test_a_matrix_on_the_terminal_and_as_a_document(certified, capsys):
    assert run(["matrix", str(certified[0])]) == 0
    told = capsys.readouterr().out
    assert told.count("? not measured") == 2  # one scenario alone is no verdict
    assert "✓ 1 passed" in told
    assert "✗ 1 failed" in told
    assert "✗ failed: something doesn't hold" in told
    assert "≈" not in told  # of the signs, those that there are
    assert run(["matrix", str(certified[0]), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    keeps_to(document, "matrix-1")
    assert {column["target"] for column in document["matrix"]["columns"]} == {GOOD, BAD}


def test_the_same_target_twice_is_refused_with_both_places(certified, tmp_path, capsys):
    shutil.copy(certified[1], tmp_path / "other.json")
    told = refused(capsys, "matrix", certified[0], tmp_path / "other.json", "--out", tmp_path / "o")
    assert f"{GOOD} is in {certified[1]} and in {tmp_path / 'other.json'}" in told
    assert not (tmp_path / "o" / "MATRIX.md").exists()


def test_a_report_that_does_not_verify_stands_in_no_matrix(certified, tmp_path, capsys):
    path = written(tmp_path, structs.replace(report_json.load(certified[1]), seconds=1.25))
    told = lost(capsys, "matrix", certified[2], path)
    assert f"{path} does not follow from itself, so it stands in no matrix: The digest" in told


# --- badge ---------------------------------------------------------------------------------------


def test_certify_writes_the_badge_of_its_report(certified, capsys):
    written_beside = (certified[1].parent / "badge.json").read_bytes()
    assert run(["badge", str(certified[1])]) == 0
    assert capsys.readouterr().out.encode() == written_beside
    assert json.loads(written_beside)["message"] == "not measured"  # one scenario alone


def test_a_badge_is_printed_or_written(tmp_path, capsys):
    path = written(tmp_path, seal.sealed(report(result("a"))))
    assert run(["badge", str(path)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["message"] == "core conformant"
    out = tmp_path / "site" / "badge.svg"
    assert run(["badge", str(path), "--svg", "--out", str(out)]) == 0
    assert "core conformant" in out.read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"{out}\n"


def test_a_report_that_does_not_verify_gets_no_badge(tmp_path, capsys):
    sealed = seal.sealed(report(result("a")))
    path = written(tmp_path, structs.replace(sealed, target="reference:other"))
    told = lost(capsys, "badge", path, "--out", tmp_path / "badge.json")
    assert "gets no badge: The digest isn't that of the contents" in told
    assert "(1 finding more)." in told  # its command is about another target
    assert f"memconform verify {path} tells all." in told
    assert not (tmp_path / "badge.json").exists()


def test_a_badge_of_a_profile_that_is_not_there_is_refused(tmp_path, capsys):
    path = written(tmp_path, seal.sealed(report(result("a"))))
    told = refused(capsys, "badge", path, "--profile", "foundation")
    assert "says nothing of foundation; it judges core." in told
    assert "Did you mean foundation" in refused(capsys, "badge", path, "--profile", "fundation")
    (tmp_path / "in-the-way").write_text("")
    told = refused(capsys, "badge", path, "--out", tmp_path / "in-the-way" / "badge.json")
    assert "can't be written" in told
