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
_ROOMS = ("model", "protocol", "retrieval", "fusion", "authority", "reference", "wire", "suite")
_SHARED = ("fault.py", "seams.py", "fusion_seams.py", "authority_seams.py")
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
    kept = _Kept(folder, Keys(suite))
    plans = {fault.name: plan_for(fault, suite) for fault in faults}
    found = _passed(faults, plans, kept, workers, progress)
    # What nobody kills who should is looked for in the rest of its specs.
    rest = [
        fault
        for fault in faults
        if not all(found[fault.name][id].kills for id in _named(fault, found))
    ]
    wide = {fault.name: plan_for(fault, suite, wide=True) for fault in rest}
    found.update(_passed(rest, wide, kept, workers, silent))
    return {fault.name: list(found[fault.name].values()) for fault in faults}


def _named(fault: Fault, found: Mapping[str, Mapping[str, Cell]]) -> list[str]:
    return [id for id in fault.killed_by if id in found[fault.name]]


def _passed(
    faults: Sequence[Fault],
    plans: Mapping[str, Mapping[str, bool]],
    kept: _Kept,
    workers: int | None,
    progress: Callable[[Told], None],
) -> dict[str, dict[str, Cell]]:
    """One pass over faults: what is kept, and the rest anew."""
    found = {fault.name: kept.cells(fault, plans[fault.name]) for fault in faults}
    todo: dict[str, dict[str, bool]] = {}
    for name, plan in plans.items():
        missing = {id: whole for id, whole in plan.items() if id not in found[name]}
        if missing:
            todo[name] = missing
    done = len(faults) - len(todo)
    progress(Told(done, len(faults), ""))
    for name, cells in _everything(todo, workers):
        found[name].update({cell.scenario: cell for cell in cells})
        kept.keep(FAULTS[name], plans[name], found[name])
        done += 1
        progress(Told(done, len(faults), name))
    return {name: {id: found[name][id] for id in plan} for name, plan in plans.items()}


def _everything(
    todo: Mapping[str, Mapping[str, bool]], workers: int | None
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


def _attacked(name: str, plan: Mapping[str, bool]) -> tuple[str, list[Cell]]:
    fault = FAULTS[name]
    # What a store prints or logs is nobody's business here.
    with Path(os.devnull).open("w") as nothing, contextlib.redirect_stderr(nothing):
        try:
            return name, attack(fault, _suite, plan)
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


class _Kept:
    """What is kept in a folder, a file for each fault; nothing where the folder is null."""

    def __init__(self, folder: Path | None, keys: Keys) -> None:
        self._folder = folder
        self._keys = keys

    def cells(self, fault: Fault, plan: Mapping[str, bool]) -> dict[str, Cell]:
        """The cells of a plan that are kept and still hold."""
        kept = {each.cell.scenario: each for each in self._read(fault)}
        return {
            id: kept[id].cell
            for id, whole in plan.items()
            if id in kept and kept[id].key == self._keys.key(fault, id, whole=whole)
        }

    def keep(self, fault: Fault, plan: Mapping[str, bool], cells: Mapping[str, Cell]) -> None:
        """Keep the cells of a plan in the place of what was kept of this fault."""
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._file(self._folder, fault)
        fresh = file.with_suffix(f".{os.getpid()}")
        kept = [Kept(self._keys.key(fault, id, whole=plan[id]), cells[id]) for id in plan]
        fresh.write_bytes(msgspec.json.encode(kept))
        fresh.replace(file)

    def _read(self, fault: Fault) -> list[Kept]:
        if self._folder is None:
            return []
        try:
            data = self._file(self._folder, fault).read_bytes()
            return msgspec.json.decode(data, type=list[Kept])
        except (OSError, msgspec.DecodeError):
            return []  # nothing is kept, or nothing that can be used

    @staticmethod
    def _file(folder: Path, fault: Fault) -> Path:
        return folder / f"{fault.name}.json"
