"""``audit --kills``: the suite over every seeded fault, and what survives."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from memconform import resources
from memconform.cli.documents import print_document
from memconform.cli.names import library
from memconform.faults import FAULTS
from memconform.verdict import kills_page, kills_picture
from memconform.verdict.kills import FaultVerdict, Kills, Standing, judge
from memconform.verdict.kills_run import Told, run, silent
from memconform.verdict.layout import bullet, console
from memconform.verdict.words import harmless, number

_STYLES = {
    Standing.KILLED: ("✓", "green"),
    Standing.ELSEWHERE: ("✗", "yellow"),
    Standing.CRASHED: ("✗", "magenta"),
    Standing.UNREACHED: ("✗", "magenta"),
    Standing.SURVIVED: ("✗", "bold red"),
}
SHOWN = 40  # idle scenarios


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for.

    Attributes:
        write: the folder that page and picture are written into.
        cache: the folder that results are kept in; null is the usual place.
        workers: processes; null is one for each core.
    """

    json: bool
    write: Path | None
    cache: Path | None
    workers: int | None


_FAULT_LINE = re.compile(r"\| `[^`]+` \([^)]+\) \|")


def audit_kills(request: Request) -> int:
    """Run what has to be run and show it; 0 where every fault is killed and nothing is idle."""
    suite, faults = library(), list(FAULTS.values())
    with _watching() as progress:
        cells = run(
            faults,
            folder=request.cache or default_cache(),
            workers=request.workers,
            progress=progress,
        )
    kills = judge(suite, faults, cells)
    stale = [] if request.write else stale_pages(kills)
    if request.json:
        print_document(kills)
    else:
        _show(kills, console())
    if request.write is not None:
        for path in write_pages(kills, request.write):
            sys.stderr.write(f"written: {path}\n")
    for name in stale:
        sys.stderr.write(
            f"docs/{name} is not as the suite is now: run memconform audit --kills --write docs.\n"
        )
    return 0 if kills.sound and not stale else 1


def default_cache() -> Path:
    """Where results are kept: MEMCONFORM_CACHE, a checkout's build folder, or the user's."""
    if chosen := os.environ.get("MEMCONFORM_CACHE"):
        return Path(chosen).absolute() / "kills"
    root = resources.checkout()
    if root is not None:
        return root / "build" / "kills"
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "memconform" / "kills"


def pages(kills: Kills) -> dict[str, str]:
    """Page and picture, by their file names."""
    suite = library()
    capability_of = {id: id.partition("/")[0] for id in kills.scenarios}
    return {
        kills_page.NAME: kills_page.page(kills, suite),
        kills_picture.NAME: kills_picture.picture(kills, capability_of),
    }


def write_pages(kills: Kills, folder: Path) -> list[Path]:
    """Write page and picture into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in pages(kills).items():
        (folder / name).write_text(text, encoding="utf-8")
        written.append(folder / name)
    return written


def stale_pages(kills: Kills) -> list[str]:
    """The pages of a checkout that tell of other faults than these results.

    Which scenarios a fault meets beside those that are named for it may hang on a millisecond, so
    that their number is shown and not compared.
    """
    root = resources.checkout()
    if root is None:
        return []
    return [
        name
        for name, text in pages(kills).items()
        if not (path := root / "docs" / name).is_file()
        or _fault_lines(path.read_text(encoding="utf-8")) != _fault_lines(text)
    ]


def _fault_lines(page: str) -> list[str]:
    """The lines of a page that tell of a fault, without the number of its kills."""
    return [line.rpartition(" | ")[0] for line in page.splitlines() if _FAULT_LINE.match(line)]


@contextmanager
def _watching() -> Iterator[Callable[[Told], None]]:
    err = console(stderr=True)
    if not err.is_terminal:
        yield silent
        return
    columns = (
        TextColumn("faults", style="bold"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda told: bar.update(
            task, completed=told.done, total=told.total, description=told.name[:40]
        )


def _show(kills: Kills, out: Console) -> None:
    for fault in kills.faults:
        sign, style = _STYLES[fault.standing]
        label = Text.assemble((f"{sign} ", style), fault.name)
        out.print(bullet(label, _told(fault), width=42))
    out.print()
    counted = Counter(fault.standing for fault in kills.faults)
    words = ", ".join(f"{counted[each]} {each.value}" for each in Standing if counted[each])
    out.print(Text(f"{number(len(kills.faults), 'fault')}: {words}"))
    covered = len(kills.requirements) - len(kills.uncovered)
    out.print(Text(f"{covered} of {number(len(kills.requirements), 'requirement')} have a kill"))
    for id in kills.uncovered:
        out.print(Text(f"  ✗ {id}", style="bold red"))
    idle = len(kills.idle)
    out.print(Text(f"{idle} of {number(len(kills.scenarios), 'scenario')} kill nothing"))
    for id in kills.idle[:SHOWN]:
        out.print(Text(f"  ✗ {id}", style="yellow"))
    if idle > SHOWN:
        out.print(Text(f"  and {idle - SHOWN} more"))
    if kills.idle_rows:
        out.print(Text(f"{number(len(kills.idle_rows), 'example row')} kill nothing", style="dim"))
    if kills.unproven:
        out.print(Text(f"no fault is for {', '.join(kills.unproven)}", style="dim"))
    out.print()
    if kills.sound:
        out.print(Text("✓ Every fault is killed, and every scenario kills.", style="bold green"))
    else:
        out.print(Text("✗ The suite is not proven.", style="bold red"))


def _told(fault: FaultVerdict) -> Text:
    if fault.standing is Standing.KILLED:
        kills = number(len(fault.killers), "kill")
        return Text(f"killed by {len(fault.named)} of its own, {kills}", style="dim")
    text = Text(fault.standing.value, style=_STYLES[fault.standing][1])
    for id in fault.missed:
        text.append(f"\nnamed for it, and doesn't kill it: {id}", style="dim")
    if fault.standing is Standing.ELSEWHERE:
        others = ", ".join(killer.scenario for killer in fault.killers[:3])
        text.append(f"\nkilled by {others}", style="dim")
    if fault.told:
        text.append(f"\n{harmless(fault.told)}", style="dim")
    return text
