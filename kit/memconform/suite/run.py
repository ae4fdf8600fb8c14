"""Runs the suite against one target, in a process of its own, and follows it while it runs.

A process of its own, because an implementation in process may hang or exit, and because pytest
must be the one that is described here and not the one that a folder's configuration or an
installed plugin makes of it. What the suite has to say comes through a file of events, one JSON
object a line; reading a verdict out of them is not this room's work (verdict.measure).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

PACKAGE = "memconform.suite"
# In process, where a hang can only be ended with the whole run. Far more than a call has over the
# wire: ten thousand memories on a machine with twenty things to do have taken half a minute.
CALL_LIMIT_S = 120.0
OUTPUT_KEPT = 4000  # characters of what pytest printed, kept as evidence of a run that broke off
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 5.0  # for fixtures to close their stores after Ctrl-C, for a thread after the end
_LAST = frozenset({"end", "abort", "unreachable"})  # events after which the suite says no more

Clock = Callable[[], datetime]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run has come: scenarios done, of how many, and the title of the last one."""

    done: int
    total: int
    title: str


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that has ended, however it ended.

    Attributes:
        events: the whole file of events, as it was written.
        exitstatus: of the process; negative is the signal that ended it.
        output: the last characters that it printed.
        started: ISO 8601 UTC, whole seconds.
    """

    events: bytes
    exitstatus: int
    output: str
    started: str
    seconds: float


def now() -> datetime:
    """The time of day, for runs that aren't given a clock."""
    return datetime.now(UTC)


def silent(progress: Progress) -> None:
    """Report no progress."""


def pytest_command(
    target: str,
    profiles: Sequence[str],
    *,
    events: Path,
    config: Path,
    scenario: str | None = None,
    wire: bool = False,
    order: str | None = None,
    call_limit_s: float = CALL_LIMIT_S,
    suite: Path | None = None,
) -> list[str]:
    """The command that runs the suite.

    Args:
        target: the TARGET string.
        profiles: exactly these; none leaves it to core and what the implementation claims.
        events: the file that the suite writes its events to.
        config: an empty pytest configuration, so that no other one is found and used.
        scenario: run this one alone.
        wire: speak to the target in messages, in a process of its own.
        order: the seed of the order of the scenarios; null is the suite's own order.
        call_limit_s: in process, a call that takes longer ends the run; over the wire, the target
            has a limit of its own.
        suite: specs and features of one's own; null is the kit's suite.
    """
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    command += ["-p", "pytest_bdd.plugin", "-p", "memconform.suite.plugin"]
    # Nothing is captured: what a store printed last is all there is to see when it ends the run.
    command += ["-c", str(config), "--rootdir", str(config.parent), "-q", "-s", "--tb=short"]
    command += ["--memory-store", target, "--memory-events", str(events)]
    command += ["--memory-silent", "--memory-call-limit", f"{call_limit_s:g}"]
    if wire:
        command.append("--memory-wire")
    if order is not None:
        command.append(f"--memory-shuffle={order}")  # one word: a negative seed is no option
    for profile in profiles:
        command += ["--memory-profile", profile]
    if scenario is not None:
        command += ["--memory-scenario", scenario]
    if suite is not None:
        command += ["--memory-suite", str(suite.absolute())]
    return [*command, "--pyargs", PACKAGE]


def run(
    target: str,
    profiles: Sequence[str] = (),
    *,
    scenario: str | None = None,
    wire: bool = False,
    order: str | None = None,
    call_limit_s: float = CALL_LIMIT_S,
    suite: Path | None = None,
    progress: Callable[[Progress], None] = silent,
    clock: Clock = now,
) -> Run:
    """Run the suite against a target that is ready to be reached.

    The arguments are those of ``pytest_command``.

    Interrupting it (Ctrl-C) ends the process and whatever that has started, then goes on up.
    """
    with tempfile.TemporaryDirectory(prefix="memconform-") as folder:
        events, config = Path(folder, "events.ndjson"), Path(folder, "pytest.ini")
        config.write_text("[pytest]\n", encoding="utf-8")
        command = pytest_command(
            target,
            profiles,
            events=events,
            config=config,
            scenario=scenario,
            wire=wire,
            order=order,
            call_limit_s=call_limit_s,
            suite=suite,
        )
        return follow(command, events, progress=progress, clock=clock)


def follow(
    command: Sequence[str],
    events: Path,
    *,
    progress: Callable[[Progress], None] = silent,
    clock: Clock = now,
) -> Run:
    """Run a command that writes events to a file, and report progress as they come.

    Once it has said all, a thread of the store that goes on doesn't hold it up; whatever it has
    started and left behind ends with it.
    """
    started, begun = clock(), time.monotonic()
    events.touch()
    with tempfile.TemporaryFile() as output, events.open("rb") as stream:
        counter = _Counter(progress)
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(),
            start_new_session=True,
        )
        try:
            running, said_all = True, None
            while running:
                running = process.poll() is None
                counter.feed(stream.read())
                if counter.ended and said_all is None:
                    said_all = time.monotonic()
                if said_all is not None and time.monotonic() - said_all > _GRACE_SECONDS:
                    break
                if running:
                    time.sleep(_POLL_SECONDS)
        except BaseException:
            _end(process)
            raise
        _kill(process)
        stream.seek(0)  # by its name it may be gone: a store may tidy up too much
        return Run(
            events=stream.read(),
            exitstatus=process.returncode,
            output=_tail(output.fileno()),
            started=started.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=round(time.monotonic() - begun, 3),
        )


def _environment() -> dict[str, str]:
    """The caller's, without what would make another pytest of it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to stop, so that its fixtures close their stores; then end its group."""
    try:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_SECONDS)
    finally:  # a second Ctrl-C means now
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End what is left of its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    data = os.pread(descriptor, 4 * OUTPUT_KEPT, max(0, size - 4 * OUTPUT_KEPT))
    return data.decode("utf-8", "replace")[-OUTPUT_KEPT:]


class _Counter:
    """Counts results in a growing stream of lines; what it can't read, the parser will judge."""

    def __init__(self, report: Callable[[Progress], None]) -> None:
        self._report = report
        self._rest = b""
        self._done = 0
        self._total = 0
        self.ended = False  # whether an event has come that is the last

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
                self._count(json.loads(line))

    def _count(self, event: dict[str, object]) -> None:
        title = ""
        if event["event"] == "start":
            collected = event["collected"]
            self._total = len(collected) if isinstance(collected, list) else 0
        elif event["event"] == "result":
            self._done += 1
            result = event["result"]
            title = str(result["title"]) if isinstance(result, dict) else ""
        else:
            self.ended = self.ended or event["event"] in _LAST
            return
        self._report(Progress(done=self._done, total=self._total, title=title))
