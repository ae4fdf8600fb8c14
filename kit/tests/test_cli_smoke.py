import sys
from pathlib import Path

import cli_stores
import pytest

from memconform.cli import run
from memconform.cli.smoke import smoke_one
from memconform.verdict.smoke import smoke
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport


def checks(system):
    connection = Connection(LocalTransport(system))
    try:
        return list(smoke(connection))
    finally:
        connection.close()


ALL = ["hello", "open", "write", "recall", "get", "forget", "close"]


def test_a_good_store_passes_every_operation():
    told = checks(cli_stores.good())
    assert [check.operation for check in told] == ALL
    assert all(check.blame is None for check in told)


@pytest.mark.parametrize(
    ("system", "wrong", "blame"),
    [
        (cli_stores.finds_nothing, ["recall"], "implementation"),
        (cli_stores.never_forgets, ["forget"], "implementation"),
        (cli_stores.changes_text, ["recall", "get"], "implementation"),
        (cli_stores.refuses, ["write"], "implementation"),
        (cli_stores.cannot_write, ["write"], "implementation"),
        (cli_stores.has_no_get, ["get"], "adapter"),
        # Its recall is asked twice, the second time to see whether the memory is gone. In Python
        # the kit's own dispatcher speaks the protocol; what is wrong lies behind it.
        (cli_stores.answers_nonsense, ["recall", "forget"], "implementation"),
    ],
)
def test_what_is_wrong_is_told_with_whose_fault_it_is(system, wrong, blame):
    told = {check.operation: check for check in checks(system())}
    assert [name for name, check in told.items() if check.blame is not None] == wrong
    assert told[wrong[0]].blame == blame
    assert told[wrong[0]].hint


def test_what_needs_the_id_of_a_write_is_left_out_after_it_failed():
    told = checks(cli_stores.refuses())
    assert [check.operation for check in told] == ["hello", "open", "write", "close"]
    assert "too dull" in told[2].told


@pytest.fixture
def here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)


def test_the_command_ticks_each_operation(here, capsys):
    assert run(["smoke", "python:cli_stores:good"]) == 0
    told = capsys.readouterr().out
    assert [name for name in ALL if f"✓ {name}" in told] == ALL
    assert "memconform certify python:cli_stores:good" in told


def test_the_command_says_whose_fault_it_is(here, capsys):
    assert run(["smoke", "python:cli_stores:never_forgets"]) == 2
    told = capsys.readouterr().out
    assert "✗ forget it is found all the same" in told
    assert "✗ The implementation is at fault" in told


def test_a_process_that_exits_is_told_over_the_wire(here, capsys):
    assert run(["smoke", "python:cli_stores:exits", "--wire"]) == 2
    told = capsys.readouterr().out
    assert "✗ write" in told
    assert "exit status 3" in told
    assert "The adapter is at fault, or the process that it runs in (write)" in told


def test_a_process_that_does_not_speak_the_protocol(capsys, tmp_path):
    script = tmp_path / "chatty.py"
    script.write_text("print('Listening on port 8080', flush=True); input()\n")
    assert run(["smoke", f"stdio:{sys.executable} {script}"]) == 2
    told = capsys.readouterr().out
    assert "✗ hello" in told
    assert "The adapter is at fault" in told
    assert "Listening on port 8080" in " ".join(told.split())


def test_a_command_that_cannot_be_started(capsys):
    assert run(["smoke", "stdio:memconform-no-such-command"]) == 2
    captured = capsys.readouterr()
    assert "memconform-no-such-command" in captured.out + captured.err
    assert "Traceback" not in captured.out + captured.err


def test_a_hostile_name_is_shown_not_obeyed(here, capsys):
    assert run(["smoke", "python:cli_stores:hostile"]) == 2
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "\\x1b[2J\\u202eevil [red]" in told


def test_an_exit_in_process_is_told_with_the_operation_it_came_in(here, capsys):
    assert run(["smoke", "python:cli_stores:exits"]) == 2
    told = capsys.readouterr().out
    assert "✓ open" in told
    assert "✗ write The process ended with exit status 3." in " ".join(told.split())
    assert "The adapter is at fault, or the process that it runs in (write)" in told


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_hang_in_process_is_told_and_leaves_no_process(here, capsys, tmp_path, monkeypatch):
    mark = tmp_path / "pid"
    monkeypatch.setenv("CLI_STORES_MARK", str(mark))
    # Time enough to start and to come to the write, which takes 600 seconds.
    assert smoke_one("python:cli_stores:sleeps", wire=False, limit_s=10.0) == 2
    told = " ".join(capsys.readouterr().out.split())
    assert "✗ write It did not answer within 10 seconds." in told
    assert not Path(f"/proc/{mark.read_text()}").exists()


def test_what_a_store_prints_is_not_taken_for_a_check(here, capsys, tmp_path, monkeypatch):
    (tmp_path / "chatty.py").write_text(
        "import os\nimport cli_stores\n"
        "class Chatty(cli_stores.Store):\n"
        "    def write(self, record):\n"
        "        os.write(1, b'{\"done\": true}\\n')\n"
        "        print('{\"done\": true}')\n"
        "        return super().write(record)\n"
        "    def recall(self, query, access, limit):\n"
        "        raise ValueError('no')\n"
        "def factory():\n    return cli_stores._system(Chatty)\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parent}")
    assert run(["smoke", "python:chatty:factory"]) == 2
    assert "✗ recall" in capsys.readouterr().out


def test_a_misspelt_factory_is_answered_with_what_was_meant(here, capsys):
    assert run(["smoke", "python:cli_stores:never_forget"]) == 2
    told = capsys.readouterr().err
    assert "cli_stores has no 'never_forget'; it has " in told
    assert "Did you mean never_forgets" in told
    assert "created" not in told  # what the module has only imported can't be meant
