"""``lab``: copies of the notebooks that ship, and JupyterLab opened on them."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from memconform.cli.errors import Refusal
from memconform.resources import find
from memconform.verdict.layout import console
from memconform.verdict.words import harmless, listed, number

NEEDED = ("jupyterlab", "ipywidgets", "altair", "anywidget", "vl_convert", "duckdb", "polars")
Start = Callable[[Sequence[str]], int]


@dataclass(frozen=True)
class Copied:
    """What was put into the folder, and what was left there because it is somebody's work."""

    new: list[str]
    kept: list[str]


def lab_one(folder: Path, *, browser: bool, start: Start | None = None) -> int:
    """Put the notebooks into a folder and open JupyterLab there, until it is ended.

    Args:
        folder: made where it is missing; a notebook that is there already is left as it is.
        browser: whether a browser is to be opened.
        start: runs a command and gives its exit status.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise Refusal(
            f"The notebooks need {listed(missing, most=len(missing))}, not installed here: "
            "pip install 'memconform[lab]'."
        )
    copied = copy_notebooks(find("notebooks"), folder)
    out = console()
    told = f"{number(len(copied.new), 'notebook')} put into {harmless(str(folder))}."
    if copied.kept:
        told += (
            f" Left as they are, though the kit's differ: {listed(copied.kept, most=12)};"
            " remove one to get the kit's."
        )
    out.print(Text(told))
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.resolve()}"]
    command += ["--ServerApp.ip=127.0.0.1"]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    if not browser:
        command.append("--no-browser")
    status = (start or _run)(command)
    if status:
        raise Refusal(f"JupyterLab ended with exit status {status}; what it said stands above.")
    return 0


def copy_notebooks(source: Path, folder: Path) -> Copied:
    """Copy what isn't there yet.

    Raises:
        Refusal: the folder can't be written to.
    """
    new, kept = [], []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.glob("*.ipynb")):
            there = folder / path.name
            if not there.exists():
                shutil.copyfile(path, there)
                new.append(path.name)
            elif there.read_bytes() != path.read_bytes():
                kept.append(path.name)
    except OSError as error:
        raise Refusal(
            f"{harmless(str(folder))} can't hold the notebooks: {error.strerror}; name another "
            "folder."
        ) from error
    return Copied(new, kept)


def _run(command: Sequence[str]) -> int:
    # Jupyter asks on Ctrl-C whether it is meant; the answer is its own to wait for.
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue
