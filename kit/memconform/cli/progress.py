"""A progress bar on a terminal, nothing in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from memconform.suite import run
from memconform.verdict.layout import console
from memconform.verdict.words import harmless, shortened


@dataclass(frozen=True)
class Watch:
    """What to tell while a target is measured.

    Attributes:
        sentence: something that takes a while has begun.
        scenario: a scenario is done.
    """

    sentence: Callable[[str], None]
    scenario: Callable[[run.Progress], None]


def _nothing(told: object) -> None:
    pass


SILENT = Watch(sentence=_nothing, scenario=_nothing)


@contextmanager
def watching(name: str) -> Iterator[Watch]:
    """Show how far one target has come, on standard error, while the block runs."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield SILENT
        return
    columns = (
        TextColumn("{task.fields[name]}", style="bold", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None, name=shortened(harmless(name), 30))
        yield Watch(
            sentence=lambda told: bar.update(task, description=_short(told)),
            scenario=lambda told: bar.update(
                task, completed=told.done, total=told.total, description=_short(told.title)
            ),
        )


def _short(text: str) -> str:
    told = harmless(text)
    return told if len(told) <= 40 else f"{told[:39]}…"
