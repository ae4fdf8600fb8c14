"""The environment of its own in which an implementation runs, made once and kept."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from memconform import __version__, resources
from memconform.targets.base import Progress, silent
from memconform.targets.errors import EnvironmentFailed

EVIDENCE_LINES = 15
_TOLD = ("Collecting", "Downloading", "Building", "Installing")  # the lines of pip worth a glance


@dataclass(frozen=True)
class Environment:
    """A virtual environment with an implementation's packages, and with the kit's protocol.

    An adapter needs ``memconform.serve`` and what that imports, which is msgspec alone; so msgspec
    is installed at the kit's own version, and the running memconform is reached by a link. No other
    package of the kit's environment can be seen from inside.

    Attributes:
        name: of the implementation.
        packages: what pip is to install, each pinned.
        cache: the folder that environments are kept in.
    """

    name: str
    packages: tuple[str, ...]
    cache: Path

    @property
    def folder(self) -> Path:
        """Where it is; another set of packages, kit or Python is another environment."""
        parts = [self.packages, msgspec.__version__, __version__, platform.python_version()]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return self.cache / f"{self.name}-{digest[:12]}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return _python(self.folder)

    def prepare(self, progress: Progress = silent) -> None:
        """Make it, unless it has been made; another process may be making it at the same time.

        It is made under another name and renamed when complete, so one that exists is whole.

        Raises:
            EnvironmentFailed: making it failed; nothing of it is left.
        """
        if not self.folder.is_dir():
            self._make(progress)
        self._link_kit()

    def variables(self, own: Mapping[str, str]) -> dict[str, str]:
        """The environment variables of a process in it: the kit's without its Python, and its own.

        Args:
            own: what the implementation's manifest sets.
        """
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PYTHON") and name != "VIRTUAL_ENV"
        }
        kit = {
            "PYTHONPATH": str(self.folder / "kit"),
            "PYTHONNOUSERSITE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return {**kept, **kit, **own}

    def bare(self) -> Path:
        """A folder for PYTHONPATH that holds the kit and what it needs, and nothing else.

        With Python's site module left out, no package of the implementation can be imported.
        """
        folder = self.folder / "bare"
        folder.mkdir(exist_ok=True)
        for source in (resources.PACKAGE, next(self.folder.glob("lib*/python*/*/msgspec"))):
            _link(folder / source.name, source)
        return folder

    def _make(self, progress: Progress) -> None:
        self.cache.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{self.name}-", dir=self.cache))
        try:
            progress(f"making an environment for {self.name}")
            self._run([sys.executable, "-m", "venv", str(work)], silent)
            pip = [str(_python(work)), "-m", "pip", "install", "--disable-pip-version-check"]
            pip += ["--no-input", "--no-color", "--progress-bar", "off"]
            self._run([*pip, f"msgspec=={msgspec.__version__}", *self.packages], progress)
            self._publish(work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        progress(f"the environment for {self.name} is ready")

    def _run(self, command: Sequence[str], progress: Progress) -> None:
        last: deque[str] = deque(maxlen=EVIDENCE_LINES)
        variables = {n: v for n, v in os.environ.items() if n not in ("PYTHONPATH", "PYTHONHOME")}
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="backslashreplace",
            env=variables,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.strip():
                    last.append(line.rstrip())
                if line.startswith(_TOLD):
                    progress(line.strip())
        if process.returncode != 0:
            raise EnvironmentFailed(
                f"The environment for {self.name} could not be made: {' '.join(command[1:4])}"
                f" ended with exit status {process.returncode}. Its last lines:",
                evidence="\n".join(last),
            )

    def _publish(self, work: Path) -> None:
        try:
            work.rename(self.folder)
        except OSError:
            if not self.folder.is_dir():
                raise
            # Another process was faster; its environment is the same one.

    def _link_kit(self) -> None:
        """Let the adapter import the memconform that is running now, wherever that is."""
        link = self.folder / "kit" / "memconform"
        link.parent.mkdir(exist_ok=True)
        _link(link, resources.PACKAGE)


def _link(link: Path, source: Path) -> None:
    """Make a link, or turn it to its source, in one step: others may be using it."""
    if link.is_symlink() and link.readlink() == source:
        return
    with tempfile.TemporaryDirectory(dir=link.parent) as folder:
        fresh = Path(folder, link.name)
        fresh.symlink_to(source)
        fresh.replace(link)


def default_cache() -> Path:
    """Where environments are kept: MEMCONFORM_CACHE, a checkout's build folder, or the user's."""
    if chosen := os.environ.get("MEMCONFORM_CACHE"):
        return Path(chosen).absolute() / "environments"
    root = resources.checkout()
    if root is not None:
        return root / "build" / "environments"
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "memconform" / "environments"


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"
