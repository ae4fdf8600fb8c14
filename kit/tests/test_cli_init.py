"""The stores that ``init`` writes: certified for real, with the command that their page shows."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memconform.cli import run

NODE = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
LANGUAGES = ["python", pytest.param("node", marks=NODE)]


def commands(readme):
    """The lines of the page's code blocks."""
    text = readme.read_text(encoding="utf-8")
    return [
        line
        for block in re.findall(r"```\n(.*?)```", text, re.DOTALL)
        for line in block.split("\n")
    ]


def in_the_folder(folder, command):
    """Run a command of the page, with the kit that is tested for the word memconform."""
    program, *arguments = shlex.split(command)
    assert program == "memconform"
    return subprocess.run(
        [sys.executable, "-m", "memconform.cli", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command_of_the_page_certifies_the_store(language, tmp_path):
    assert run(["init", language, "My_store-2", "--dir", str(tmp_path)]) == 0
    folder = tmp_path / "My_store-2"
    told = in_the_folder(folder, commands(folder / "README.md")[0])
    assert told.returncode == 0, told.stdout + told.stderr
    report = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
    assert [(p["profile"], p["verdict"]) for p in report["profiles"]] == [("core", "conformant")]
    assert report["implementation"]["name"] == "My_store-2"
    # A wall needs two sides: what is declared was looked at, not passed over.
    passed = {r["id"].partition("[")[0] for r in report["results"] if r["outcome"] == "passed"}
    assert "memory-core/a-neighbouring-workspace-stays-out" in passed
    assert not {r["outcome"] for r in report["results"]} - {"passed", "unsupported"}


def test_the_mcp_server_keeps_to_core(tmp_path):
    """Without the two scenarios of volume: ten thousand writes are for a run by hand."""
    assert run(["init", "mcp", "My_store-2", "--dir", str(tmp_path)]) == 0
    suite = ["--pyargs", "memconform.suite", "--memory-store", "mcp:mapping.toml"]
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suite, "-m", "not slow"],
        cwd=tmp_path / "My_store-2",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    # Most of core was looked at, and what isn't declared was passed over.
    (counts,) = re.findall(r"(\d+) passed, (\d+) skipped", told.stdout)
    assert int(counts[0]) > int(counts[1]) > 0


@pytest.mark.parametrize("language", [*LANGUAGES, "mcp"])
def test_the_commands_for_a_failing_scenario_work(language, tmp_path):
    assert run(["init", language, "store", "--dir", str(tmp_path)]) == 0
    folder = tmp_path / "store"
    alone, explained = [c for c in commands(folder / "README.md") if "SCENARIO" in c]
    for command in (alone, explained):
        real = command.replace("SCENARIO", "a-few-words-find-a-memory")
        assert in_the_folder(folder, real).returncode == 0


@pytest.mark.parametrize("language", ["python", "node", "mcp"])
def test_it_lists_the_files_and_the_next_command(language, tmp_path, capsys):
    assert run(["init", language, "store", "--dir", str(tmp_path / "new place")]) == 0
    folder = tmp_path / "new place" / "store"
    told = capsys.readouterr().out.splitlines()
    listed = {line.removeprefix("Wrote ") for line in told if line.startswith("Wrote ")}
    assert listed == {str(path) for path in folder.iterdir()}
    assert told[-2:] == [f"  cd '{folder}'", f"  {commands(folder / 'README.md')[0]}"]


@pytest.mark.parametrize("language", ["python", "node", "mcp"])
def test_the_same_call_writes_the_same_bytes(language, tmp_path):
    for place in ("one", "two"):
        assert run(["init", language, "store", "--dir", str(tmp_path / place)]) == 0
    for path in (tmp_path / "one" / "store").iterdir():
        text = path.read_bytes()
        assert text == (tmp_path / "two" / "store" / path.name).read_bytes()
        assert b"my-memory" not in text  # the name that the templates have
        assert b"\r" not in text


def test_the_page_fits_on_a_page(tmp_path):
    for language in ("python", "node", "mcp"):
        assert run(["init", language, language, "--dir", str(tmp_path)]) == 0
        lines = (tmp_path / language / "README.md").read_text(encoding="utf-8").splitlines()
        assert len(lines) < 60  # what a printed page holds


@pytest.mark.parametrize("language", ["python", "mcp"])
def test_the_python_store_is_clean(language, tmp_path):
    assert run(["init", language, "store", "--dir", str(tmp_path)]) == 0
    for words in (["check"], ["format", "--check", "--line-length", "100"]):
        told = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--no-cache", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stdout + told.stderr


def test_a_package_of_npm_has_a_name_in_small_letters(tmp_path):
    assert run(["init", "node", "My_Store", "--dir", str(tmp_path)]) == 0
    package = json.loads((tmp_path / "My_Store" / "package.json").read_text(encoding="utf-8"))
    assert package["name"] == "my_store"
    assert "dependencies" not in package
    # npm runs it in the folder too, and it must not say something else than the page.
    assert package["scripts"]["certify"] == commands(tmp_path / "My_Store" / "README.md")[0]


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a b",
        "../up",
        "a/b",
        "a\\b",
        ".",
        "..",
        "_a",
        "a-",
        'a"b',
        "a\n",
        "a.b",
        "größe",
        "x" * 65,
    ],
)
def test_a_name_that_will_not_do_is_refused(name, tmp_path, capsys):
    assert run(["init", "python", "--dir", str(tmp_path / "here"), "--", name]) == 2
    told = capsys.readouterr().err
    assert "can't be the name of a store; use up to 64 letters" in told
    assert told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a", "7", "my-store", "My_store2", "x" * 64])
def test_names_that_will_do(name, tmp_path):
    assert run(["init", "python", name, "--dir", str(tmp_path)]) == 0
    assert (tmp_path / name / "store.py").is_file()


def test_an_unknown_language_is_refused(tmp_path, capsys):
    assert run(["init", "pyton", "store", "--dir", str(tmp_path)]) == 2
    assert "there are python, node, mcp. Did you mean python?" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["empty folder", "folder", "file", "dangling link"])
def test_what_is_there_already_is_left_alone(there, tmp_path, capsys):
    taken = tmp_path / "store"
    if there == "file":
        taken.write_text("mine", encoding="utf-8")
    elif there == "dangling link":
        taken.symlink_to(tmp_path / "nowhere")
    else:
        taken.mkdir()
    if there == "folder":
        (taken / "README.md").write_text("mine", encoding="utf-8")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert run(["init", "python", "store", "--dir", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert f"{taken} is there already; choose another name or another --dir." in captured.err
    assert captured.out == ""
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_place_that_is_no_folder_is_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for place in (tmp_path / "file", tmp_path / "file" / "inner"):
        assert run(["init", "python", "store", "--dir", str(place)]) == 2
        told = capsys.readouterr().err
        assert "another --dir." in told
        assert told.count("\n") == 1


@pytest.fixture
def talk(tmp_path):
    """Send bytes to the generated server; gives its answers once it has ended by itself."""
    assert run(["init", "node", "store", "--dir", str(tmp_path)]) == 0

    def send(sent):
        told = subprocess.run(
            ["node", "server.js"],
            cwd=Path(tmp_path / "store"),
            input=sent,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert told.returncode == 0, told.stderr
        assert told.stderr == b""
        return [json.loads(line) for line in told.stdout.splitlines()]

    return send


def request(number, method, **params):
    return (
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        + b"\n"
    )


def code(answer):
    return answer["error"]["code"], answer["error"]["data"]["code"]


@NODE
def test_the_node_server_refuses_what_is_no_request_and_goes_on(talk):
    answers = talk(
        b"{nonsense\n"
        b'{"jsonrpc":"2.0","id":1,"method":"open\xff"}\n'
        b"[]\n"
        b'{"jsonrpc":"2.0","method":"open"}\n'
        b'{"jsonrpc":"2.0","id":2,"method":"constructor"}\n'
        b'{"jsonrpc":"2.0","id":3,"method":"open","params":[]}\n' + request(4, "open")
    )
    assert [code(answer) for answer in answers[:-1]] == [
        (-32700, "invalid"),
        (-32700, "invalid"),
        (-32600, "invalid"),
        (-32600, "invalid"),
        (-32601, "unsupported"),
        (-32600, "invalid"),
    ]
    assert [answer["id"] for answer in answers] == [None, None, None, None, 2, 3, 4]
    assert answers[-1]["result"] == {"store": "store-1", "namespace": None}


@NODE
def test_the_node_server_refuses_bad_input_and_keeps_nothing_of_it(talk):
    key = {"content": "The key is under the pot"}
    answers = talk(
        request(1, "hello", kit="9.9", protocols=["7.0"])
        + request(2, "open")
        + request(3, "write", store="store-2", record=key)
        + request(4, "write", store="store-1", record={"content": "the key \ud83d"})
        + request(5, "write", store="store-1", record={"content": " \n"})
        + request(6, "write", store="store-1", record={**key, "scope": "user"})
        + request(7, "recall", store="store-1", query="key", budget=5)
        + request(8, "recall", store="store-1", query="key", access=[])
        + request(9, "recall", store="store-1", query="key", access={"workspace": 5})
        + request(10, "get", store="store-1", id="memory-1")
        + request(11, "update", store="store-1", id="memory-1", content="x")
        + request(12, "write", store="store-1", record=key)
        + request(13, "recall", store="store-1", query="where is the key?")
        + request(14, "close", store="store-1")
        + request(15, "recall", store="store-1", query="key")
    )
    refused = {
        answer["id"]: answer["error"]["data"]["code"] for answer in answers if "error" in answer
    }
    assert refused == {
        1: "invalid",
        3: "not_found",
        4: "invalid",
        5: "invalid",
        6: "invalid",
        7: "unsupported",
        8: "invalid",
        9: "invalid",
        10: "not_found",
        11: "unsupported",
        15: "not_found",
    }
    # Had a refused write left something, this would not be the first memory, nor the only one.
    assert answers[11]["result"]["id"] == "memory-1"
    assert [hit["content"] for hit in answers[12]["result"]["hits"]] == [key["content"]]
