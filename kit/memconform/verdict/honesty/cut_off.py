"""Does the adapter still answer when its system is out of reach? Then it answers by itself.

What an honest adapter must show: without its system it has nothing to say, and what it kept lives
where its system keeps it. Three ways to take the system away, as far as each is known:

1. the packages that the manifest lists are not there;
2. variables are set under which the adapter can't reach its system (the manifest's table
   ``[cut-off]``, or ``--cut-off NAME=VALUE``);
3. the store keeps its files in the folder for temporary files, which the kit has made for it
   (``TMPDIR``); the folder is moved away between a write and a restart.

The first two show an adapter that does everything by itself, the third one that hands writes on and
answers from its own memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from memconform.model.report import Finding, Probe
from memconform.protocol import StoreError
from memconform.targets import Target
from memconform.verdict.honesty.trial import TEXT, Lacking, Trial
from memconform.wire.client import Connection
from memconform.wire.errors import WireError

FILES_READ = 200  # files beneath the folder, and
BYTES_READ = 4_000_000  # bytes of each, that are searched for the memory


def cut_off(target: Target, variables: Mapping[str, str]) -> Probe:
    """Whether an adapter answers without its system.

    Args:
        target: may know itself how its system is taken away.
        variables: that take it away, as far as the caller knows them.
    """
    looked: list[str] = []
    for words, connect in _ways(target, variables):
        looked.append(words)
        if _answers(connect):
            told = (
                f"{words}, it still keeps a memory and finds it: the adapter answers from its own "
                "memory, so nothing is learnt of the system."
            )
            return _probe("own memory", told)
    moved = _moved_away(target)
    if moved is True:
        told = (
            "After the folder that held its files was moved away and the store was restarted, it "
            "still finds what it had written there: the adapter answers from its own memory."
        )
        return _probe("own memory", told)
    if looked or moved is False:
        return _probe("kept", "")
    told = (
        "Whether the adapter answers without its system was not looked at: nothing says how to "
        "take the system away (--cut-off NAME=VALUE does)."
    )
    return _probe("not looked at", told if target.has_system else "")


def _ways(
    target: Target, variables: Mapping[str, str]
) -> list[tuple[str, Callable[[], Connection]]]:
    ways: list[tuple[str, Callable[[], Connection]]] = []
    bare = target.apart({}, bare=True)
    if bare is not None:
        ways.append(("Without the packages that its manifest lists", lambda: bare))
    known = {**target.cut_off, **variables}
    if known:
        words = "With " + " ".join(f"{name}={value}" for name, value in known.items())
        ways.append((words, lambda: _apart(target, known)))
    return ways


def _apart(target: Target, variables: Mapping[str, str]) -> Connection:
    connection = target.apart(variables)
    assert connection is not None, "only a bare process may be impossible"
    return connection


def _answers(connect: Callable[[], Connection]) -> bool:
    """Whether a memory is kept and found; whatever goes wrong is what it should be."""
    connection = connect()
    try:
        trial = Trial(connection, connection.hello())
        store = trial.open()
        return trial.found(store, trial.write(store)) is not None
    except (Lacking, StoreError, WireError):
        return False
    finally:
        connection.close()


def _moved_away(target: Target) -> bool | None:
    """Whether a memory is found after its files have gone; null where that can't be seen.

    It can be seen at a store that says it survives a restart, and of which a file in the folder
    for temporary files holds the memory's text.
    """
    with tempfile.TemporaryDirectory(prefix="memconform-") as base:
        home, away = Path(base, "home"), Path(base, "away")
        home.mkdir()
        connection = _apart(target, {"TMPDIR": str(home)})
        try:
            trial = Trial(connection, connection.hello())
            if not trial.declares("durable"):
                return None
            store = trial.open()
            id = trial.write(store)
            if not _holds(home, TEXT):
                return None
            home.rename(away)
            home.mkdir()
            return trial.found(store.reopen(), id) is not None
        except (Lacking, StoreError, WireError):
            return False if away.exists() else None
        finally:
            connection.close()


def _holds(folder: Path, text: str) -> bool:
    """Whether any file beneath a folder holds a text."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()][:FILES_READ]
    return any(_in_file(path, text.encode()) for path in files)


def _in_file(path: Path, text: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            return text in stream.read(BYTES_READ)
    except OSError:
        return False


def _probe(finding: Finding, told: str) -> Probe:
    return Probe(subject="cut-off", finding=finding, told=told, evidence=None)
