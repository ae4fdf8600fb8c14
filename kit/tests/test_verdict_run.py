"""Following a run: real processes that write events, break off, or are interrupted."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memconform.suite.run import follow, pytest_command

NOON = datetime(2026, 1, 2, 12, 0, 0, 987654, tzinfo=UTC)


def script(tmp_path, body):
    """A command that runs a Python script with the events file as its argument."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(body), encoding="utf-8")
    events = tmp_path / "events.ndjson"
    return [sys.executable, str(path), str(events)], events


def test_events_and_progress_are_followed(tmp_path):
    command, events = script(
        tmp_path,
        """
        import json, sys, time
        with open(sys.argv[1], "a") as stream:
            print(json.dumps({"event": "start", "collected": [1, 2]}), file=stream, flush=True)
            for title in ("one", "two"):
                text = json.dumps({"event": "result", "result": {"title": title}}) + chr(10)
                stream.write(text[:9]); stream.flush()  # a line may arrive in parts
                time.sleep(0.15)
                stream.write(text[9:]); stream.flush()
            print("no event at all", file=stream)
        print("pytest says hello")
        """,
    )
    seen = []
    ended = follow(command, events, progress=seen.append, clock=lambda: NOON)
    assert [(p.done, p.total, p.title) for p in seen] == [(0, 2, ""), (1, 2, "one"), (2, 2, "two")]
    assert ended.exitstatus == 0
    assert ended.events.count(b"\n") == 4
    assert "pytest says hello" in ended.output
    assert ended.started == "2026-01-02T12:00:00Z"


def test_a_process_that_dies_is_told_by_its_signal(tmp_path):
    command, events = script(tmp_path, "import os; os.kill(os.getpid(), 9)")
    ended = follow(command, events)
    assert ended.exitstatus == -9
    assert ended.events == b""


def test_events_are_read_though_a_store_has_removed_their_file(tmp_path):
    command, events = script(
        tmp_path, "import os, sys; print(1, file=open(sys.argv[1], 'a')); os.remove(sys.argv[1])"
    )
    assert follow(command, events).events == b"1\n"


def test_only_the_end_of_a_long_output_is_kept(tmp_path):
    command, events = script(tmp_path, "print('x' * 100_000); print('the end')")
    ended = follow(command, events)
    assert ended.output.endswith("the end\n")
    assert len(ended.output) == 4000


def test_output_that_is_no_text_is_kept_readable(tmp_path):
    command, events = script(tmp_path, "import sys; sys.stdout.buffer.write(b'\\xff\\xfe!')")
    assert follow(command, events).output.endswith("!")


def test_no_setting_of_another_pytest_gets_in(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--maxfail=1")
    monkeypatch.setenv("PYTEST_PLUGINS", "surprise")
    command, events = script(
        tmp_path,
        """
        import os
        print({name: value for name, value in os.environ.items() if name.startswith("PYTEST_")})
        """,
    )
    ended = follow(command, events)
    assert ended.output.strip() == "{'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1'}"


def test_the_command_says_exactly_what_was_asked():
    command = pytest_command(
        "stdio:my server", ["core", "abstention"], events=Path("e"), config=Path("c/pytest.ini"),
        scenario="memory-core/a", wire=True,
    )  # fmt: skip
    joined = "\0".join(command)
    for part in (
        "-m\0pytest\0-p\0no:cacheprovider",
        "--memory-store\0stdio:my server",
        "--memory-events\0e",
        "--memory-wire",
        "--memory-profile\0core\0--memory-profile\0abstention",
        "--memory-scenario\0memory-core/a",
        "--pyargs\0memconform.suite",
    ):
        assert part in joined


def alive(pid):
    """Whether a process is there and runs (a zombie doesn't)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_for(condition, what):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail(f"waited in vain for {what}")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("stubborn", [False, True])
def test_an_interrupt_ends_the_process_and_what_it_started(tmp_path, stubborn):
    pids = tmp_path / "pids"
    command, events = script(
        tmp_path,
        f"""
        import os, signal, subprocess, sys, time
        if {stubborn}:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open({str(pids)!r} + ".part", "w") as stream:
            stream.write(f"{{os.getpid()}} {{child.pid}}")
        os.rename({str(pids)!r} + ".part", {str(pids)!r})
        time.sleep(600)
        """,
    )
    outer = (
        "import sys, pathlib; from memconform.suite import run; run._GRACE_SECONDS = 0.5\n"
        "run.follow(sys.argv[2:], pathlib.Path(sys.argv[1]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", outer, str(events), *command], stderr=subprocess.PIPE, text=True
    )
    wait_for(pids.exists, "the run to start")
    ids = [int(pid) for pid in pids.read_text().split()]
    assert all(alive(pid) for pid in ids)
    os.kill(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in told
    wait_for(lambda: not any(alive(pid) for pid in ids), "the processes to end")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("last", ["end", "abort", "unreachable"])
def test_what_a_store_leaves_running_does_not_hold_up_the_end(tmp_path, monkeypatch, last):
    monkeypatch.setattr("memconform.suite.run._GRACE_SECONDS", 0.2)
    command, events = script(
        tmp_path,
        f"""
        import subprocess, sys, threading, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(child.pid, flush=True)
        threading.Thread(target=time.sleep, args=(600,)).start()
        with open(sys.argv[1], "a") as stream:
            stream.write('{{"event":"{last}"}}' + chr(10))
        """,
    )
    begun = time.monotonic()
    ended = follow(command, events)
    assert time.monotonic() - begun < 30
    assert ended.events == b'{"event":"%s"}\n' % last.encode()
    wait_for(lambda: not alive(int(ended.output)), "the child to end")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_process_that_ends_leaves_no_other_behind(tmp_path):
    command, events = script(
        tmp_path,
        """
        import subprocess, sys
        print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid)
        """,
    )
    ended = follow(command, events)
    assert ended.exitstatus == 0
    wait_for(lambda: not alive(int(ended.output)), "the child to end")
