"""Runs the suite over every seeded fault, on all cores, and keeps what need not be run again.

What a scenario makes of a fault depends on the kit's code, on the module that the fault is written
in, on the scenario's text, and on the versions below the kit. A cell is kept under a digest of
these and of nothing else, in a file for each fault.
"""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import platform
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import msgspec

from memconform import resources
from memconform.faults import FAULTS, SPECS, Fault, written_in
from memconform.suite import location
from memconform.suite.attack import Cell, attack, plan_for
from memconform.suite.play import Script, scripts

# The rooms that decide what happens in a scenario, and of the faults' own room what is not a fault.
_ROOMS = ("model", "protocol", "retrieval", "fusion", "reference", "wire", "suite")
_SHARED = ("fault.py", "seams.py", "fusion_seams.py")
# A folder in memory, where there is one: nothing of it outlives a scenario anyway.
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - only ever used through tempfile


class Kept(msgspec.Struct, frozen=True):
    """A cell and the digest of what it depends on."""

    key: str
    cell: Cell


@dataclass(frozen=True)
class Told:
    """How far the run has come: faults done, of how many, and the last one's name."""

    done: int
    total: int
    name: str


def silent(told: Told) -> None:
    """Report no progress."""


def run(
    faults: Sequence[Fault],
    *,
    folder: Path | None,
    workers: int | None = None,
    progress: Callable[[Told], None] = silent,
) -> dict[str, list[Cell]]:
    """Run what has to be run.

    Args:
        faults: which.
        folder: where results are kept; null keeps none.
        workers: processes; null is one for each core.
        progress: told of each fault.

    Returns:
        The cells of each fault by its name, in the order of its plan.
    """
    suite = scripts(location.installed().library(), SPECS)
    keys = Keys(suite)
    found: dict[str, dict[str, Cell]] = {}
    todo: dict[str, list[str]] = {}
    for fault in faults:
        kept = _read(folder, fault)
        plan = plan_for(fault, suite)
        wanted = {id: keys.key(fault, id, whole=whole) for id, whole in plan.items()}
        found[fault.name] = {
            id: kept[id].cell for id, key in wanted.items() if id in kept and kept[id].key == key
        }
        missing = [id for id in plan if id not in found[fault.name]]
        if missing:
            todo[fault.name] = missing
    done = len(faults) - len(todo)
    progress(Told(done, len(faults), ""))
    for name, cells in _everything(todo, workers):
        found[name].update({cell.scenario: cell for cell in cells})
        fault = FAULTS[name]
        plan = plan_for(fault, suite)
        kept_now = [
            Kept(keys.key(fault, id, whole=whole), found[name][id]) for id, whole in plan.items()
        ]
        _write(folder, fault, kept_now)
        done += 1
        progress(Told(done, len(faults), name))
    return {
        fault.name: [found[fault.name][id] for id in plan_for(fault, suite)] for fault in faults
    }


def _everything(
    todo: Mapping[str, list[str]], workers: int | None
) -> Iterator[tuple[str, list[Cell]]]:
    if not todo:
        return
    count = min(workers or os.cpu_count() or 1, len(todo))
    # Started anew rather than forked: whoever calls may have threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=_prepare) as pool:
        # The most work first, so that no core waits for the last one.
        order = sorted(todo, key=lambda name: (FAULTS[name].base == "filesystem", -len(todo[name])))
        running: list[Future[tuple[str, list[Cell]]]] = [
            pool.submit(_attacked, name, todo[name]) for name in order
        ]
        try:
            for future in as_completed(running):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


# --- in a worker -----------------------------------------------------------------------------

_suite: dict[str, list[Script]] = {}


def _prepare() -> None:
    if _IN_MEMORY.is_dir() and os.access(_IN_MEMORY, os.W_OK):
        tempfile.tempdir = str(_IN_MEMORY)
    _suite.update(scripts(location.installed().library(), SPECS))


def _attacked(name: str, ids: Sequence[str]) -> tuple[str, list[Cell]]:
    fault = FAULTS[name]
    plan = plan_for(fault, _suite)
    # What a store prints or logs is nobody's business here.
    with Path(os.devnull).open("w") as nothing, contextlib.redirect_stderr(nothing):
        try:
            return name, attack(fault, _suite, {id: plan[id] for id in ids})
        except Exception as error:
            # Not every exception survives the way to another process.
            told = f"{type(error).__name__}: {error}"
            raise RuntimeError(f"the fault {name} can't be run: {told}") from None


# --- what is kept ----------------------------------------------------------------------------


class Keys:
    """Digests of what the cells depend on."""

    def __init__(self, suite: Mapping[str, Sequence[Script]]) -> None:
        shared = [p for room in _ROOMS for p in sorted((resources.PACKAGE / room).rglob("*.py"))]
        shared += [p for name in _SHARED if (p := resources.PACKAGE / "faults" / name).is_file()]
        versions = (
            platform.python_version(),
            msgspec.__version__,
            unicodedata.unidata_version,
        )
        self._kit = _digest(repr(versions).encode(), *(path.read_bytes() for path in shared))
        self._suite = suite
        self._of_fault: dict[str, str] = {}

    def key(self, fault: Fault, scenario: str, *, whole: bool) -> str:
        """The digest of all that one cell depends on."""
        if fault.name not in self._of_fault:
            written = written_in(fault).read_bytes()
            self._of_fault[fault.name] = _digest(self._kit.encode(), fault.name.encode(), written)
        rows = "".join(script.digest for script in self._suite[scenario])
        return _digest(f"{self._of_fault[fault.name]} {whole} {rows}".encode())


def _digest(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}:".encode() + part)
    return total.hexdigest()


def _read(folder: Path | None, fault: Fault) -> dict[str, Kept]:
    if folder is None:
        return {}
    try:
        kept = msgspec.json.decode(_file(folder, fault).read_bytes(), type=list[Kept])
    except (OSError, msgspec.DecodeError):
        return {}  # nothing is kept, or nothing that can be used
    return {each.cell.scenario: each for each in kept}


def _write(folder: Path | None, fault: Fault, kept: Sequence[Kept]) -> None:
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    file = _file(folder, fault)
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(msgspec.json.encode(kept))
    fresh.replace(file)


def _file(folder: Path, fault: Fault) -> Path:
    return folder / f"{fault.name}.json"
