"""The command traces: what it prints, what it returns, and what it says when it can't."""

import builtins
import json
import subprocess
import sys

import jsonschema
import pytest
from traces_lines import candidate, line, rows, write

from memconform.cli import run
from memconform.resources import find
from memconform.traces import connect, publish

SAMPLES = find("fixtures") / "traces-v1"
GOOD = [line([candidate("a", 0.9, 0.5, selected=True), candidate("b", 0.1, 0.1, passed=False)])]


def refused(capsys, *arguments):
    assert run(["traces", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("memconform: ")
    assert captured.err.count("\n") == 1
    return captured.err


def checked(capsys, name):
    document = json.loads(capsys.readouterr().out)
    schema = json.loads((find("schemas") / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def test_the_published_schemas_are_current(tmp_path):
    assert publish.stale(find("schemas")) == []
    assert publish.stale(tmp_path) == list(publish.files())
    assert publish.main(["--check"]) == 0
    assert publish.main([]) == 2


def test_the_sample_from_files_to_figures(tmp_path, capsys):
    store = str(tmp_path / "store")
    assert run(["traces", "import", str(SAMPLES), "--out", store, "--json"]) == 0
    told = checked(capsys, "traces-import-1.json")
    assert (told["added"], told["known"], told["labels"]) == (100, 0, 118)
    # What the folder has beside traces is told, too.
    assert [refusal["source"].rpartition("/")[2] for refusal in told["refusals"]] == [
        "README.md",
        "SHA256SUMS",
    ]
    assert run(["traces", "info", store, "--json"]) == 0
    info = checked(capsys, "traces-info-1.json")
    assert (info["retrievals"], info["queries"], info["withText"]) == (100, 50, False)
    assert (info["judgedQueries"], info["expectingNothing"], info["judgedRetrievals"]) == (
        46,
        8,
        92,
    )
    first = next(s for s in info["slices"] if (s["day"], s["language"]) == ("2026-05-11", "cjk"))
    assert (first["retrievals"], first["sweptFrom"], first["gate"]) == (21, 0, "historical-v1")
    # By hand over the files: what was selected on that day in that language.
    lines = [json.loads(text) for text in (SAMPLES / "2026-05-11.jsonl").read_bytes().splitlines()]
    chinese = [said for said in lines if said["language"] == "cjk"]
    assert first["candidates"] == sum(len(said["candidates"]) for said in chinese)
    counts = [sum(c.get("selected", False) for c in said["candidates"]) for said in chinese]
    assert (first["selected"], first["noneSelected"]) == (sum(counts), counts.count(0))
    assert run(["traces", "info", store]) == 0
    page = capsys.readouterr().out
    assert "100 retrievals of 50 queries" in page
    assert max(map(len, page.splitlines())) <= 80


def test_import_says_what_became_of_everything(tmp_path, capsys):
    path = write(tmp_path / "log.jsonl", [*GOOD, *GOOD])
    with path.open("a") as file:
        file.write("\x1b[31mred\n")
    assert run(["traces", "import", str(path), "--out", str(tmp_path / "store")]) == 0
    told = capsys.readouterr().out
    assert "1 retrievals with 2 candidates added, 1 were there already." in told
    assert "1 refused:\n  log.jsonl:3: it is no JSON" in told
    assert "\x1b" not in told


def test_nothing_but_refusals_is_no_success(tmp_path, capsys):
    path = tmp_path / "log.jsonl"
    path.write_text('{"schema":"memconform/trace-log/1"}\n')
    assert run(["traces", "import", str(path), "--out", str(tmp_path / "store")]) == 2
    assert "1 refused" in capsys.readouterr().out


def test_export_to_a_file_and_to_a_pipe(tmp_path, capsysbinary):
    store = str(tmp_path / "store")
    path = str(write(tmp_path / "log.jsonl", GOOD))
    assert run(["traces", "import", path, "--out", store]) == 0
    out = tmp_path / "run.txt"
    assert run(["traces", "export", store, "--format", "trec", "--out", str(out)]) == 0
    assert out.read_bytes() == b"q1 Q0 a 1 0.9 memconform\n"
    capsysbinary.readouterr()
    assert run(["traces", "export", store, "--format", "trec", "--which", "all"]) == 0
    assert capsysbinary.readouterr().out == (
        b"q1 Q0 a 1 0.9 memconform\nq1 Q0 b 2 0.1 memconform\n"
    )
    assert {p.name for p in tmp_path.iterdir()} == {"store", "log.jsonl", "run.txt"}


def test_text_by_its_option(tmp_path, capsys):
    path = str(write(tmp_path / "log.jsonl", [GOOD[0] | {"query": "Where?"}]))
    for option, text in (([], None), (["--with-text"], "Where?")):
        store = tmp_path / f"store{len(option)}"
        assert run(["traces", "import", path, "--out", str(store), *option]) == 0
        assert rows(connect(store), "SELECT query_text FROM retrievals") == [{"query_text": text}]
    capsys.readouterr()


def test_what_can_not_be_is_said_in_a_sentence(tmp_path, capsys):
    log = write(tmp_path / "log.jsonl", GOOD)
    store = tmp_path / "store"
    told = refused(capsys, "import", "--out", store)
    assert "nothing to import" in told
    assert "isn't there" in refused(capsys, "import", tmp_path / "gone", "--out", store)
    assert "no format 'x'" in refused(capsys, "import", log, "--out", store, "--format", "x")
    told = refused(capsys, "import", log, "--out", store, "--mapping", tmp_path / "gone.toml")
    assert "can't be read" in told
    told = refused(capsys, "import", log, "--out", log / "below")
    assert "can't be written to" in told
    assert "holds no traces" in refused(capsys, "info", tmp_path)
    assert run(["traces", "import", str(log), "--out", str(store)]) == 0
    capsys.readouterr()
    assert "no format" in refused(capsys, "export", store, "--format", "xml")
    out = tmp_path / "no" / "where"
    assert "can't be written" in refused(capsys, "export", store, "--format", "trec", "--out", out)


@pytest.mark.parametrize("command", ["import", "info", "export"])
def test_help_is_short_and_shows_an_example(command, capsys):
    assert run(["traces", command, "--help"]) == 0
    told = capsys.readouterr().out
    assert f"Example: memconform traces {command}" in told
    assert len(told.splitlines()) < 35


@pytest.mark.parametrize("package", ["numpy", "duckdb", "pyarrow"])
def test_a_missing_package_is_one_sentence(tmp_path, capsys, package, monkeypatch):
    log = write(tmp_path / "log.jsonl", GOOD)
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        return real(name, *arguments, **options)

    for name in [n for n in sys.modules if n.startswith("memconform.traces.")]:
        if name not in ("memconform.traces.errors", "memconform.traces.publish"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    told = refused(capsys, "import", log, "--out", tmp_path / "store")
    assert told == f"memconform: This needs {package}: install memconform[lab].\n"


def test_logging_needs_no_lab():
    # An adapter's environment holds msgspec and no more.
    code = (
        "import sys, memconform.traces.wrap, memconform.traces.log\n"
        "heavy = {'numpy', 'duckdb', 'pyarrow', 'polars', 'rich', 'typer'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], timeout=60, check=True, capture_output=True, text=True
    )
    assert done.stdout == "[]\n"
