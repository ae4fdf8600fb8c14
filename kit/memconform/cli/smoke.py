"""``smoke``: a tick for each required operation, or the fault and whose fault it is."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator

import msgspec
from rich.console import Console
from rich.text import Text

from memconform.cli.errors import Refusal
from memconform.cli.names import known_targets
from memconform.cli.progress import watching
from memconform.targets import Target, UsageError
from memconform.verdict.blame import AT_FAULT, party_of
from memconform.verdict.layout import bullet, console
from memconform.verdict.smoke import Check, smoke
from memconform.verdict.words import harmless, listed, shortened
from memconform.wire.process import Child, Line

LIMIT_S = 30.0  # for one plain operation on an empty store
_LINE_LIMIT = 1_000_000  # bytes; a check is a few sentences


def smoke_one(name: str, *, wire: bool, limit_s: float = LIMIT_S) -> int:
    """Try one target; 0 when everything went well, else 2: nothing was measured.

    Args:
        name: the TARGET string.
        wire: talk to it in messages, in a process of its own.
        limit_s: in process, the most seconds that trying one operation may take.
    """
    targets = known_targets([name], wire=wire)
    if len(targets) != 1:
        names = listed([target.name for target in targets], most=len(targets))
        raise Refusal(f"{name!r} names several targets; choose among {names}.")
    return _try(targets[0], console(), limit_s)


def _try(target: Target, out: Console, limit_s: float) -> int:
    with watching(target.name) as watch:
        target.prepare(watch.sentence)
    checks = []
    for check in _in_a_child(target, limit_s) if target.way == "in-process" else _here(target):
        checks.append(check)
        _show(check, out)
    out.print()
    wrong = next((check for check in checks if check.blame is not None), None)
    if wrong is None:
        out.print(Text("✓ All required operations answer.", style="bold green"))
        out.print(
            Text(f"  memconform certify {harmless(shlex.quote(target.name))}", style="cyan"),
            soft_wrap=True,
        )
        return 0
    assert wrong.blame is not None
    out.print(Text(f"✗ {AT_FAULT[wrong.blame]} ({wrong.operation}).", style="bold red"))
    return 2


def _here(target: Target) -> Iterator[Check]:
    """A process that is spoken to in messages is a process of its own already."""
    connection = target.connect()
    try:
        yield from smoke(connection)
    finally:
        fault = connection.close()
    if fault is not None:
        yield Check(operation="end", told=fault.cause, blame=party_of(fault), hint=fault.hint)


def _in_a_child(target: Target, limit_s: float) -> Iterator[Check]:
    """What would take this process with it, an exit or a hang, takes another one."""
    command = [sys.executable, "-m", "memconform.cli.smoke_child", target.name]
    child = Child(command, cwd=None, env=None, line_limit=_LINE_LIMIT)
    trying = "hello"
    try:
        while True:
            item = child.receive(time.monotonic() + limit_s)
            if not isinstance(item, Line):
                break
            told = msgspec.json.decode(item.data)
            if "done" in told:
                return
            if "refused" in told:
                raise UsageError(told["refused"])
            trying = told.get("trying", trying)
            if "check" in told:
                yield msgspec.convert(told["check"], Check)
        if item is None:
            seen = f"It did not answer within {limit_s:g} seconds."
            hint = "See what it waits for; with --wire, a call has a time limit of its own."
        else:
            seen = f"The process {child.last_words()}."
            hint = "Raise an error instead of ending the process; its standard error may say why."
        yield Check(
            operation=trying, told=seen, blame="adapter", hint=hint, evidence=child.evidence()
        )
    finally:
        child.kill()


def _show(check: Check, out: Console) -> None:
    sign, style = ("✓", "green") if check.blame is None else ("✗", "bold red")
    label = Text.assemble((f"{sign} ", style), (check.operation, "bold"))
    told = Text(harmless(shortened(check.told, 400)))
    for more in (check.hint, check.evidence):
        for line in shortened(more or "", 800).splitlines():
            told.append(f"\n{harmless(line)}", style="dim")
    out.print(bullet(label, told, width=8))
