"""A process that is killed while it writes a memory: ``python -m memconform.reference.killing``.

It is a process of its own with the same root, it takes the same lock and goes the same way to the
disk. At the chosen moment it sends itself SIGKILL, which nothing can catch: no clean-up runs, the
lock is the system's to free, and what had reached the system stays as it is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from memconform.model import RecordDraft, Settings
from memconform.reference.files import Disk

Moment = Literal["half-written", "written", "linked", "done"]
# Half of the file is written; the whole file, under its temporary name; it has its own name, too;
# all is done but the answer.
MOMENTS: tuple[Moment, ...] = ("half-written", "written", "linked", "done")
TIME_LIMIT_S = 60.0


class Order(msgspec.Struct, frozen=True):
    """What to write, and when to die of it."""

    root: str
    record: RecordDraft
    settings: Settings
    workspace: str | None
    moment: Moment


def write_killed(
    root: Path, record: RecordDraft, settings: Settings, workspace: str | None, moment: Moment
) -> None:
    """Start a process that writes a memory and is killed at this moment; wait for its end.

    Raises:
        RuntimeError: it ended in another way; the draft, for one, may break a rule.
    """
    order = Order(str(root), record, settings, workspace, moment)
    ended = subprocess.run(
        [sys.executable, "-m", __name__],
        input=msgspec.json.encode(order),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    if ended.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the writer ended with {ended.returncode} instead of being killed")


class _HalfWriting(Disk):
    def write(self, stream: BinaryIO, data: bytes) -> None:
        super().write(stream, data[: len(data) // 2])
        _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _dying(call: Callable[..., Any], *, before: bool) -> Callable[..., Any]:
    def dying(*arguments: Any, **options: Any) -> None:
        if not before:
            call(*arguments, **options)
        _die()

    return dying


def main() -> None:
    """Read an order from standard input, begin to write, and be killed."""
    from memconform.reference.filesystem import FilesystemStore

    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    store = FilesystemStore(order.root, order.settings, workspace=order.workspace)
    if order.moment == "half-written":
        store._files.disk = _HalfWriting()
    elif order.moment in ("written", "linked"):
        os.link = _dying(os.link, before=order.moment == "written")
    store.write(order.record)
    _die()


if __name__ == "__main__":
    main()
