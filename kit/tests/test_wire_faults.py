"""Every sin of a driver has its own name in the report, and leaves no process behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from memconform.model import RecordDraft
from memconform.wire import (
    BadMessage,
    Connection,
    Crashed,
    HarnessFault,
    ProcessTransport,
    StartFailed,
    TimedOut,
)

DRIVER = Path(__file__).parent / "drivers" / "hostile.py"
LONG = 60.0  # for calls that are answered: a busy machine must not make them time out
SHORT = 0.4  # for the call that is never answered, and only for that one
PROC = Path("/proc")


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has reaped yet has ended, too."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if PROC.exists() and "\nState:\tZ" in (PROC / str(pid) / "status").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def sinner(tmp_path):
    """Start a driver by its sin; all are ended, and seen to have ended, with the test."""
    transports = []

    def start(sin, *, start_limit_s=LONG, grace_s=LONG, **more):
        argv = [sys.executable, "-S", "-E", str(DRIVER), sin, str(tmp_path / "pid")]
        transport = ProcessTransport(
            argv, time_limit_s=LONG, start_limit_s=start_limit_s, grace_s=grace_s, **more
        )
        transports.append(transport)
        return Connection(transport)

    yield start
    for transport in transports:
        pid = transport.pid
        transport.close()
        if pid is not None:
            assert is_gone(pid)
        forked = tmp_path / "pid"
        if forked.exists():
            assert is_gone(int(forked.read_text()))


def hurried(connection):
    """An open store whose further calls have little time."""
    store = connection.open()
    connection._transport.time_limit_s = SHORT
    return store


def test_a_driver_without_sin_is_served_to_the_end(sinner):
    connection = sinner("no_sin")
    store = connection.open()
    assert store.recall("x").hits == []
    store.close()
    assert connection.close() is None


def test_dies_on_start(sinner):
    with pytest.raises(StartFailed, match="exit status 1 before its first answer") as caught:
        sinner("dies_on_start").hello()
    assert caught.value.evidence == "no model found\n"
    assert (caught.value.blame, caught.value.kind) == ("implementation", "crash")


def test_a_command_that_does_not_exist(tmp_path):
    connection = Connection(ProcessTransport([str(tmp_path / "nothing")]))
    with pytest.raises(StartFailed, match="could not be started"):
        connection.hello()


def test_a_folder_that_does_not_exist(tmp_path):
    transport = ProcessTransport([sys.executable], cwd=tmp_path / "nowhere")
    with pytest.raises(StartFailed, match="nowhere"):
        Connection(transport).hello()


def test_dies_in_a_call(sinner):
    store = sinner("dies_in_a_call").open()
    with pytest.raises(Crashed, match="exit status 7") as caught:
        store.recall("x")
    assert caught.value.evidence == "out of memory\n"
    assert (caught.value.blame, caught.value.kind) == ("implementation", "crash")


def test_is_killed_in_a_call(sinner):
    store = sinner("is_killed_in_a_call").open()
    with pytest.raises(Crashed, match="SIGKILL"):
        store.recall("x")


def test_hangs_on_start(sinner):
    with pytest.raises(TimedOut, match=r"0\.4 seconds. It had sent nothing"):
        sinner("hangs_on_start", start_limit_s=SHORT).hello()


def test_hangs_in_a_call(sinner):
    store = hurried(sinner("hangs_in_a_call"))
    with pytest.raises(TimedOut) as caught:
        store.recall("x")
    assert (caught.value.blame, caught.value.kind) == ("implementation", "timeout")


def test_does_not_read(sinner):
    store = hurried(sinner("does_not_read"))
    with pytest.raises(TimedOut, match="did not read"):
        store.write(RecordDraft(content="x" * 5_000_000))  # more than any pipe holds


def test_sends_half_a_line_and_hangs(sinner):
    store = hurried(sinner("sends_half_a_line_and_hangs"))
    with pytest.raises(TimedOut, match="half a line") as caught:
        store.recall("x")
    assert caught.value.evidence == '{"jsonrpc": "2.0", "'  # the first 20 bytes that it sends


# The sins after which no answer can be told from another: the connection is over.
LOST = {
    "answers_with_another_id": "has the id 4 instead of 3",
    "answers_with_the_id_as_text": "has the id '3' instead of 3",
    "sends_half_a_line_and_ends": "Half a line came; then the process ended with exit status 0",
    "sends_no_json": "it is no JSON",
    "sends_nan": "it is no JSON",
    "sends_invalid_utf8": "it is no UTF-8",
    "sends_endless_nesting": "nested too deeply",
}
# Those after which only one answer is lost: the next call is answered.
BROKEN = {
    "sends_wrong_types": r"Expected `array`, got `str` - at `\$.hits`",
    "sends_an_unknown_field": "unknown field `count`",
    "leaves_a_key_out": "missing required field `trace`",
    "sends_half_a_surrogate_pair": "half of a surrogate pair",
    "sends_result_and_error": "a result or an error, and not both",
    "sends_neither_result_nor_error": "a result or an error, and not both",
    "sends_an_error_without_data": "missing required field `data`",
}


@pytest.mark.parametrize("sin", LOST)
def test_an_answer_that_can_not_be_placed(sinner, sin):
    connection = sinner(sin)
    store = connection.open()
    with pytest.raises(BadMessage, match=LOST[sin]) as caught:
        store.recall("x")
    assert (caught.value.blame, caught.value.kind) == ("implementation", "bad-message")
    assert caught.value.evidence
    assert not connection.alive
    with pytest.raises(BadMessage, match=LOST[sin]):
        connection.open()


@pytest.mark.parametrize("sin", BROKEN)
def test_an_answer_of_a_wrong_shape(sinner, sin):
    connection = sinner(sin)
    store = connection.open()
    with pytest.raises(BadMessage, match=BROKEN[sin]) as caught:
        store.recall("x")
    assert (caught.value.blame, caught.value.kind) == ("implementation", "bad-message")
    assert '"jsonrpc"' in caught.value.evidence
    assert connection.alive
    assert store.forget("1").done


def test_sends_a_huge_line(sinner):
    store = sinner("sends_a_huge_line", line_limit=1_000_000).open()
    with pytest.raises(BadMessage, match="longer than 1000000 bytes") as caught:
        store.recall("x")
    assert caught.value.evidence.startswith('"xxx')
    assert len(caught.value.evidence) < 500


def test_a_long_line_below_the_limit_is_read_whole(sinner):
    # 3,000,002 bytes of JSON that is no answer: read as a message, found to have no id.
    store = sinner("sends_a_huge_line").open()
    with pytest.raises(BadMessage, match="has the id None"):
        store.recall("x")


def test_prints_a_banner(sinner):
    with pytest.raises(BadMessage, match="no JSON") as caught:
        sinner("prints_a_banner").hello()
    assert caught.value.evidence == "hostile 1.0 is listening"
    assert "standard error" in caught.value.hint


def test_a_second_answer_is_noticed_at_the_next_call(sinner):
    store = sinner("answers_twice").open()
    assert store.recall("x").hits == []
    with pytest.raises(BadMessage, match=r"nobody had asked|has the id 3 instead of 4"):
        store.recall("y")


def test_a_second_answer_is_noticed_at_close(sinner):
    connection = sinner("answers_close_twice")
    connection.open().close()
    found = connection.close()
    assert isinstance(found, BadMessage)
    assert "nobody had asked" in found.cause
    assert connection.close() is None


def test_refuses_hello(sinner):
    with pytest.raises(BadMessage, match="refused as unavailable: still asleep"):
        sinner("refuses_hello").hello()


def test_speaks_another_protocol(sinner):
    with pytest.raises(BadMessage, match=r"0\.9"):
        sinner("speaks_another_protocol").open()


def test_changes_its_hello(sinner):
    connection = sinner("changes_its_hello")
    connection.hello()
    with pytest.raises(BadMessage, match="it differs in version"):
        connection.hello()


def test_gives_one_handle_twice(sinner):
    connection = sinner("gives_one_handle_twice")
    first = connection.open()
    with pytest.raises(BadMessage, match="the handle 's', which is in use"):
        connection.open()
    first.close()
    connection.open()  # a handle that is free may be given again


def test_floods_standard_error(sinner):
    store = sinner("floods_standard_error").open()
    assert store.recall("x").hits == []
    with pytest.raises(Crashed) as caught:
        store.forget("1")
    assert caught.value.evidence.endswith("noise the last words\n")
    assert len(caught.value.evidence) == 16_384


def test_floods_standard_output(sinner):
    with pytest.raises(BadMessage):
        sinner("floods_standard_output").open()


def test_ignores_close(sinner):
    connection = sinner("ignores_close", grace_s=0.1)
    connection.open()
    assert connection.close() is None


def test_forks_a_child(sinner):
    connection = sinner("forks_a_child", grace_s=0.1)
    connection.open().close()
    assert connection.close() is None


def test_forks_a_child_and_dies(sinner):
    # The child holds the pipe open, so no end of it is seen; that the process has ended is.
    store = sinner("forks_a_child_and_dies").open()
    with pytest.raises(Crashed, match="exit status 4"):
        store.recall("x")


def test_forks_a_child_and_hangs(sinner):
    store = hurried(sinner("forks_a_child_and_hangs"))
    with pytest.raises(TimedOut):
        store.recall("x")


def test_dies_between_two_calls(sinner):
    connection = sinner("no_sin")
    store = connection.open()
    os.kill(connection._transport.pid, 9)
    with pytest.raises(Crashed, match="SIGKILL"):
        store.recall("x")


def test_a_kit_that_ends_without_closing_leaves_no_process_behind(tmp_path):
    import subprocess

    program = (
        "import sys\n"
        "from memconform.wire import Connection, ProcessTransport\n"
        f"t = ProcessTransport([sys.executable, {str(DRIVER)!r}, 'ignores_close'])\n"
        "Connection(t).hello()\n"
        "print(t.pid)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=LONG, check=True
    )
    assert is_gone(int(ended.stdout))


# --- restarts ------------------------------------------------------------------------------------


def test_after_a_restart_there_is_a_new_process_and_no_old_store(sinner):
    connection = sinner("dies_in_a_call")
    store = connection.open()
    before = connection._transport.pid
    with pytest.raises(Crashed):
        store.recall("x")
    with pytest.raises(Crashed):
        store.forget("1")  # the same fault as long as it is dead
    store.close()  # there is nothing left to close, which is no fault of a teardown's
    connection.restart()
    assert connection.alive
    assert connection._transport.pid != before
    with pytest.raises(HarnessFault, match="no longer open"):
        store.forget("1")
    assert connection.open().forget("1").done


def test_restarts_are_bounded(sinner):
    transport = sinner("no_sin")._transport
    connection = Connection(transport, restarts=2)
    connection.restart()
    connection.restart()
    with pytest.raises(StartFailed, match="more than 2 times"):
        connection.restart()


def test_a_closed_connection_says_so(sinner):
    connection = sinner("no_sin")
    connection.close()
    with pytest.raises(HarnessFault, match="has been closed"):
        connection.hello()
