"""``%load_ext memconform``: scenarios and certificates in a notebook.

``%%scenario TARGET`` plays the Gherkin in the cell and shows each step with what was seen.
``%certify TARGET`` runs the suite and shows the report; it takes ``--profile P`` and
``--scenario ID`` as the command does, and gives the report back: ``report = %certify TARGET``.
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any

import IPython.display
from IPython.core.error import UsageError as CellError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from memconform.model.report import Report
from memconform.suite.profiles import PROFILES
from memconform.suite.run import Progress
from memconform.targets import UsageError
from memconform.verdict.measure import measure
from memconform.wire.errors import WireError
from memconform.workbench import formatters
from memconform.workbench.markup import bar, fragment, paragraph
from memconform.workbench.scenario import Played, ScenarioError, one_target, play

# IPython gives these no types.
_HTML: Any = IPython.display.HTML
_Handle: Any = IPython.display.DisplayHandle


class _Options(argparse.ArgumentParser):
    """Options whose mistakes are a sentence in the cell instead of the end of the kernel."""

    def error(self, message: str) -> Any:
        raise CellError(f"{message}; write: {self.format_usage().strip()}")


@magics_class
class MemconformMagics(Magics):
    """The magics of memconform."""

    @cell_magic
    def scenario(self, line: str, cell: str) -> Played:
        """``%%scenario TARGET``: play the Gherkin in the cell."""
        target = line.strip()
        if not target:
            raise CellError("Name a store to play against: %%scenario reference:hybrid")
        try:
            return play(cell, target)
        except (ScenarioError, UsageError, WireError) as error:
            raise CellError(str(error)) from error

    @line_magic
    def certify(self, line: str) -> Report:
        """``%certify TARGET [--profile P]... [--scenario ID] [--wire]``: run the suite."""
        options = _Options(prog="%certify", add_help=False)
        options.add_argument("target")
        options.add_argument("--profile", action="append", default=[], choices=list(PROFILES))
        options.add_argument("--scenario")
        options.add_argument("--wire", action="store_true")
        try:
            asked = options.parse_args(shlex.split(line))
            target = one_target(asked.target, wire=asked.wire)
            target.prepare()
        except (UsageError, ValueError) as error:
            raise CellError(str(error)) from error
        with _ProgressBar() as progress:
            return measure(
                target.name,
                asked.profile,
                way=target.way,
                scenario=asked.scenario,
                progress=progress,
            )


class _ProgressBar:
    """How far a run has come, in the place where the report will stand."""

    def __init__(self) -> None:
        self._handle = _Handle()
        self._shown = -1

    def __enter__(self) -> _ProgressBar:
        self._handle.display(_HTML(str(fragment(paragraph("The suite starts.")))))
        return self

    def __call__(self, progress: Progress) -> None:
        percent = 100 * progress.done // max(1, progress.total)
        if percent > self._shown:
            self._shown = percent
            words = f"{progress.done:,} of {progress.total:,} scenarios"
            self._handle.update(_HTML(str(fragment(bar(progress.done, progress.total, words)))))

    def __exit__(self, *_: object) -> None:
        self._handle.update(_HTML(""))


def load(shell: Any) -> None:
    """What ``%load_ext memconform`` does."""
    formatters.register(shell)
    shell.register_magics(MemconformMagics)
