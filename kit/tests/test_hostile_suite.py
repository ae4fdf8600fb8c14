"""A whole run against a store of many sins: each has its verdict, no scenario suffers another's.

One run of a small suite, a row for each sin and a harmless one after each.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import test_suite_run as small_suite
from test_wire_faults import is_gone

from memconform.cli import run
from memconform.model import to_plain
from memconform.model.report import Outcome, Verdict
from memconform.protocol import Hello
from memconform.suite.session import HANGS, TargetSession
from memconform.targets.stdio import StdioTarget
from memconform.verdict.measure import measure
from memconform.wire import Connection, Crashed, LocalTransport, ProcessTransport, TimedOut
from memconform.wire.watch import CallWatch

HERE = Path(__file__).parent
DRIVER = HERE / "drivers" / "sins.py"
HOSTILE = HERE / "drivers" / "hostile.py"

# What each sin must come to: the kind of the fault, and words of the sentence that tells it; null
# where a store may behave like this.
SINS = {
    "dies": ("crash", "The process ended with exit status 7."),
    "is killed": ("crash", "The process was ended by SIGKILL."),
    "hangs": ("timeout", "No answer came within 10 seconds. It had sent nothing."),
    "answers late": ("timeout", "No answer came within 10 seconds."),
    "answers twice": ("bad-message", ""),  # noticed by its line or by its id, whichever is first
    "answers with another id": ("bad-message", "has the id"),
    "sends half a line": ("bad-message", "Half a line came; then the process ended"),
    "sends no json": ("bad-message", "it is no JSON"),
    "sends invalid utf8": ("bad-message", "it is no UTF-8"),
    "sends fifty megabytes": ("bad-message", "A line is longer than 16777216 bytes."),
    "sends wrong types": ("bad-message", "Expected `array`, got `str` - at `$.hits`"),
    "sends an unknown field": ("bad-message", "unknown field `count`"),
    "sends an error of its own": ("bad-message", "unknown field `why` - at `$.error.data`"),
    "floods standard error": None,
    "leaves a child": None,
}

OUTLINE = """Feature: Findable

  @req:memory-core/written-is-findable @must
  Rule: Written is findable

    Scenario Outline: A note is found
      Given an empty store
      And these memories are written:
        | key | content   |
        | tea | green tea |
      When "<query>" is recalled
      Then nothing is found

      Examples:
        | query |
"""


def write_suite(folder, *queries):
    (folder / "features/core").mkdir(parents=True)
    (folder / "openspec/specs/memory-core").mkdir(parents=True)
    rows = "".join(f"        | {query} |\n" for query in queries)
    feature = folder / "features/core/notes.feature"
    feature.write_text(OUTLINE + rows, encoding="utf-8")
    spec = folder / "openspec/specs/memory-core/spec.md"
    spec.write_text(small_suite.SPEC, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """One run with every sin; the report, and the ids of all processes that were started."""
    folder = tmp_path_factory.mktemp("sins")
    queries = [query for sin in SINS for query in (sin, f"harmless after it {sin}")]
    write_suite(folder, *queries)
    pids = folder / "pids"
    target = f"stdio:{sys.executable} -E {DRIVER} {pids}"
    told = measure(target, ["core"], way="wire", suite=folder)
    by_query = dict(zip(queries, told.results, strict=True))
    return told, by_query, [int(pid) for pid in pids.read_text().split()]


@pytest.mark.parametrize("sin", SINS)
def test_each_sin_is_told_in_a_sentence(judged, sin):
    result = judged[1][sin]
    if SINS[sin] is None:
        assert result.outcome is Outcome.PASSED
        return
    kind, words = SINS[sin]
    assert result.outcome is Outcome.ERROR
    assert (result.failure.kind, result.failure.blame) == (kind, "implementation")
    assert words in result.failure.seen


@pytest.mark.parametrize("sin", SINS)
def test_the_scenario_after_it_does_not_suffer(judged, sin):
    after = judged[1][f"harmless after it {sin}"]
    assert (after.outcome, after.failure) == (Outcome.PASSED, None)


def test_the_whole_suite_came_to_its_end_and_left_no_process(judged):
    told, _, pids = judged
    assert told.error is None
    assert told.profiles[0].counts["error"] == sum(sin is not None for sin in SINS.values())
    assert told.profiles[0].verdict is Verdict.NON_CONFORMANT
    # One process in the beginning, one after each sin that leaves the conversation in pieces (those
    # of a wrong shape don't), and the child that was left.
    in_pieces = [
        sin for sin in SINS if SINS[sin] and not sin.startswith(("sends wrong", "sends an"))
    ]
    assert len(pids) == 1 + len(in_pieces) + 1
    assert all(is_gone(pid) for pid in pids)


def test_the_offending_message_and_the_last_words_are_evidence(judged):
    _, by_query, _ = judged
    assert by_query["dies"].failure.evidence == "out of memory\n"
    assert by_query["sends no json"].failure.evidence == "Traceback (most recent call last):"
    assert by_query["sends fifty megabytes"].failure.evidence.startswith('"xxx')
    assert len(by_query["sends fifty megabytes"].failure.evidence) < 500
    assert '"count": 0' in by_query["sends an unknown field"].failure.evidence


# --- broken from the first call on ----------------------------------------------------------------


def test_a_store_that_dies_at_every_call_is_not_measured_and_its_fault_is_told(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(HERE)
    write_suite(tmp_path, "one", "two", "three")
    told = measure("python:cli_stores:exits", ["core"], way="wire", suite=tmp_path)
    assert [result.outcome for result in told.results] == [Outcome.ERROR] * 3
    (profile,) = told.profiles
    assert profile.verdict is Verdict.NOT_MEASURED
    assert profile.reasons == [
        "None of the 3 MUST scenarios of core that were tried came as far as its question. The"
        " adapter is at fault, or the process that it runs in; 3 of them broke in this way: "
        "The process ended with exit status 3. Its standard error may say why."
    ]


class Slow:
    """A target whose store hangs at every recall, with little time for it."""

    def __init__(self):
        self.connections = []

    def connect(self):
        argv = [sys.executable, "-S", "-E", str(HOSTILE), "hangs_in_a_call"]
        self.connections.append(Connection(ProcessTransport(argv, time_limit_s=60.0)))
        return self.connections[-1]


def hang(session):
    """A scenario whose second call is never answered."""
    connection = session.connection()
    store = connection.open()
    connection._transport.time_limit_s = 0.3
    with pytest.raises(TimedOut, match="No answer came"):
        store.recall("x")
    connection._transport.time_limit_s = 60.0


def test_a_store_that_hangs_in_one_scenario_after_the_other_is_given_up():
    session = TargetSession(Slow())
    for _ in range(HANGS):
        hang(session)
    for _ in range(3):  # and no process is started for those that come after
        with pytest.raises(TimedOut, match=f"{HANGS} scenarios in a row .* no further one was"):
            session.connection()
    session.close()


def test_one_that_answers_in_between_is_not():
    session = TargetSession(Slow())
    for _ in range(HANGS + 1):
        hang(session)
        session.connection().open().close()
        assert session.connection().alive  # asked for by the next scenario, still there
    session.close()


# --- in process -----------------------------------------------------------------------------------


SLEEPER = """
import time
from cli_stores import Store, _system

class Sleeper(Store):
    def recall(self, query, access, limit):
        print("good night")
        while query == "for ever":
            time.sleep(0.1)
        return super().recall("nothing", access, limit)

class Exits(Sleeper):
    def recall(self, query, access, limit):
        if query == "for ever":
            print("good bye")
            import os
            os._exit(3)
        return super().recall(query, access, limit)

def sleeper():
    return _system(Sleeper)

def exits():
    return _system(Exits)
"""


@pytest.fixture
def sleeper(tmp_path, monkeypatch):
    (tmp_path / "sleeper.py").write_text(SLEEPER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(HERE), *path()]))
    monkeypatch.chdir(tmp_path)
    return write_suite(tmp_path, "at once", "for ever", "never reached")


def path():
    return [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]


def test_a_call_that_hangs_in_process_ends_the_run_with_scenario_call_and_place(sleeper):
    told = measure(
        "python:sleeper:sleeper", ["core"], way="in-process", suite=sleeper, call_limit_s=5.0
    )
    first, *rest = told.error.splitlines()
    assert first == (
        "The run was ended in memory-core/a-note-is-found[2]: recall did not answer within 5"
        " seconds, and in process no call can be ended alone."
    )
    assert "--wire" in rest[0]
    assert any("time.sleep(0.1)" in line for line in rest)
    assert [r.outcome.value for r in told.results] == ["passed", "not-run", "not-run"]
    assert told.profiles[0].verdict is Verdict.NOT_MEASURED
    assert told.profiles[0].reasons == [first]


def test_an_exit_in_process_is_told_without_pytests_dots(sleeper):
    told = measure("python:sleeper:exits", ["core"], way="in-process", suite=sleeper)
    lines = told.error.splitlines()
    assert lines[0].startswith("The run broke off after 1 of 3 scenarios; ")
    assert lines[1] == "The process ended with exit status 3."
    assert "--wire" in lines[2]
    # What the store printed is all that is left to see, and nothing of pytest's own stands in it.
    assert lines[3:] == ["| good night", "| good bye"]


LOCKED = """
from memconform.model import RecordDraft
from memconform.wire import Connection, LocalTransport, watch
from test_hostile_suite import Locks
from memconform.protocol import system

watch._LOCKED_S = 1.0
transport = LocalTransport(system(Locks, name="locks", version="1"))
transport.watch(watch.CallWatch(1.0, print))
Connection(transport).open().write(RecordDraft(content="x"))
"""


class Locks:
    """Loops where no other thread of Python gets a turn: matching holds the interpreter's lock."""

    def __init__(self, settings):
        pass

    def write(self, record):
        re.match(r"(a+)+$", "a" * 60 + "b")  # 2 ** 60 ways to try

    recall = forget = get = close = write


def test_a_loop_that_lets_no_one_look_is_ended_by_the_interpreter_itself():
    ended = subprocess.run(
        [sys.executable, "-c", LOCKED],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Timeout (0:00:02)!")
    assert "in write" in ended.stderr


def test_a_watched_call_that_comes_back_is_left_alone():
    from drivers.tiny_store import factory

    hangs = []
    transport = LocalTransport(factory())
    transport.watch(CallWatch(0.2, hangs.append))
    connection = Connection(transport)
    store = connection.open()
    for _ in range(3):
        assert store.recall("x").hits == []
        time.sleep(0.15)  # between two calls it may take as long as it likes
    connection.close()
    assert hangs == []


def test_an_exit_is_still_a_crash_where_calls_are_watched():
    from drivers.tiny_store import factory

    transport = LocalTransport(factory())
    transport.watch(CallWatch(60.0, print))
    with pytest.raises(Crashed, match="exit status 3"):
        Connection(transport).open().call("fault", name="exit")


# --- claims ---------------------------------------------------------------------------------------


def test_a_store_that_changes_its_name_when_it_is_started_again(tmp_path):
    """It is another one then: what was found before must not be held against it, nor for it."""
    driver = tmp_path / "renamed.py"
    driver.write_text(
        f"import os, sys\nsys.path.insert(0, {str(HERE / 'drivers')!r})\n"
        "import hostile\n"
        "hostile.HELLO['version'] = str(os.getpid())\n"
        "hostile.serve(recall=lambda request: os._exit(1))\n",
        encoding="utf-8",
    )
    session = TargetSession(StdioTarget("stdio:x", (sys.executable, str(driver))))
    assert isinstance(session.hello, Hello)
    assert to_plain(session.hello)["name"] == "hostile"
    with pytest.raises(Crashed):
        session.connection().open().recall("x")
    from memconform.wire import BadMessage

    with pytest.raises(BadMessage, match="answered differently before: it differs in version"):
        session.connection()
    session.close()


def test_a_target_that_dies_on_start_is_one_sentence(capsys):
    assert run(["certify", f"stdio:{sys.executable} {HOSTILE} dies_on_start", "--json"]) == 2
    (told,) = json.loads(capsys.readouterr().out)["reports"]
    first = told["error"].splitlines()[0]
    assert first.startswith("The target could not be reached. The adapter is at fault, or the")
    assert "exit status 1 before its first answer" in first
