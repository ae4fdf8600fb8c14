"""``smoke``: a tick for each required operation, or the fault and whose fault it is."""

from __future__ import annotations

import shlex

from rich.console import Console
from rich.text import Text

from memconform.cli.errors import Refusal
from memconform.cli.names import known_targets
from memconform.cli.progress import watching
from memconform.targets import Target
from memconform.verdict.layout import bullet, console
from memconform.verdict.smoke import Check, Party, smoke
from memconform.verdict.words import harmless, listed, shortened

_WHO: dict[Party, str] = {
    "adapter": "The adapter is at fault, or the process that it runs in",
    "implementation": "The implementation is at fault, the adapter speaks the protocol",
    "kit": "The kit itself is at fault",
}


def smoke_one(name: str, *, wire: bool) -> int:
    """Try one target; 0 when everything went well, else 2: nothing was measured."""
    targets = known_targets([name], wire=wire)
    if len(targets) != 1:
        names = listed([target.name for target in targets], most=len(targets))
        raise Refusal(f"{name!r} names several targets; choose among {names}.")
    return _try(targets[0], console())


def _try(target: Target, out: Console) -> int:
    with watching(target.name) as watch:
        target.prepare(watch.sentence)
    connection = target.connect()
    checks = []
    try:
        for check in smoke(connection):
            checks.append(check)
            _show(check, out)
    finally:
        fault = connection.close()
    if fault is not None:
        blame: Party = "kit" if fault.blame == "harness" else "adapter"
        checks.append(Check(operation="end", told=fault.cause, blame=blame, hint=fault.hint))
        _show(checks[-1], out)
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
    out.print(Text(f"✗ {_WHO[wrong.blame]} ({wrong.operation}).", style="bold red"))
    return 2


def _show(check: Check, out: Console) -> None:
    sign, style = ("✓", "green") if check.blame is None else ("✗", "bold red")
    label = Text.assemble((f"{sign} ", style), (check.operation, "bold"))
    told = Text(harmless(shortened(check.told, 400)))
    for more in (check.hint, check.evidence):
        for line in shortened(more or "", 800).splitlines():
            told.append(f"\n{harmless(line)}", style="dim")
    out.print(bullet(label, told, width=8))
