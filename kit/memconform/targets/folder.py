"""``NAME`` or ``NAME#CONFIGURATION``: a folder in conformance/implementations.

It holds a ``manifest.toml`` and an adapter that ends with ``memconform.serve(...)``::

    name = "some-memory"
    version = "1.2.3"
    homepage = "https://example.org/some-memory"
    licence = "MIT"
    adapter = "adapter.py"
    time_limit_s = 10.0

    [environment]
    packages = ["some-memory==1.2.3"]

    [configurations.by-project]
    description = "A place is a project."
    args = []
    env = {}

    [cut-off]
    env = { SOME_MEMORY_URL = "http://127.0.0.1:9" }

A configuration runs ``adapter.py --configuration NAME`` and its own arguments, in the folder, with
the Python of its environment; without any, ``adapter.py`` alone. ``cut-off`` says under which
variables the adapter can't reach its system: the kit looks whether it answers all the same.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from memconform.resources import find
from memconform.targets.base import Progress, silent, slug
from memconform.targets.environment import Environment, default_cache
from memconform.targets.errors import UsageError
from memconform.wire.client import Connection
from memconform.wire.transport import TIME_LIMIT_S, ProcessTransport, Way

MANIFEST = "manifest.toml"
_PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._,-]+\])?==[A-Za-z0-9.!+_-]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a manifest."""


class Packages(_Table, frozen=True, kw_only=True):
    """What pip installs, each as ``name==version``."""

    packages: tuple[str, ...] = ()


class Configuration(_Table, frozen=True, kw_only=True):
    """One way to run the adapter: more arguments, environment variables."""

    description: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)


class CutOff(_Table, frozen=True, kw_only=True):
    """Variables under which the adapter can't reach its system, and so must not answer."""

    env: dict[str, str] = msgspec.field(default_factory=dict)


class Manifest(_Table, frozen=True, kw_only=True):
    """The file manifest.toml."""

    name: str
    version: str
    homepage: str | None = None
    licence: str | None = None
    adapter: str = "adapter.py"
    time_limit_s: Annotated[float, Meta(gt=0.0)] = TIME_LIMIT_S
    environment: Packages = Packages()
    cut_off: CutOff = msgspec.field(default_factory=CutOff, name="cut-off")
    configurations: dict[str, Configuration] = msgspec.field(default_factory=dict)


@dataclass(frozen=True)
class FolderTarget:
    """One configuration of an implementation that has a folder.

    Attributes:
        configuration: its name; null where the manifest has none.
    """

    name: str
    folder: Path
    manifest: Manifest
    configuration: str | None
    environment: Environment
    way: Way = "wire"

    @property
    def slug(self) -> str:
        """A safe folder name."""
        return slug(self.name)

    @property
    def time_limit_s(self) -> float:
        """As the manifest says."""
        return self.manifest.time_limit_s

    @property
    def has_system(self) -> bool:
        """It is an adapter, by its name."""
        return True

    @property
    def cut_off(self) -> Mapping[str, str]:
        """As the manifest says."""
        return self.manifest.cut_off.env

    def prepare(self, progress: Progress = silent) -> None:
        """Make the environment, once."""
        self.environment.prepare(progress)

    def connect(self) -> Connection:
        """A connection that starts the adapter with its first message."""
        return self._started({})

    def apart(self, variables: Mapping[str, str], *, bare: bool = False) -> Connection | None:
        """The same with more variables; bare where the manifest lists packages."""
        if bare and not self.manifest.environment.packages:
            return None
        return self._started(variables, bare=bare)

    def _started(self, variables: Mapping[str, str], *, bare: bool = False) -> Connection:
        self.prepare()
        # Without its site module Python finds no installed package; the kit's link stays.
        argv = [str(self.environment.python), *(["-S"] if bare else []), self.manifest.adapter]
        own: dict[str, str] = {}
        if self.configuration is not None:
            configuration = self.manifest.configurations[self.configuration]
            argv += ["--configuration", self.configuration, *configuration.args]
            own = configuration.env
        env = self.environment.variables({**own, **variables})
        if bare:
            env["PYTHONPATH"] = str(self.environment.bare())
        transport = ProcessTransport(argv, cwd=self.folder, env=env, time_limit_s=self.time_limit_s)
        return Connection(transport)


def implementations() -> dict[str, Path]:
    """The folders that there are, by name."""
    try:
        place = find("conformance") / "implementations"
    except FileNotFoundError:
        return {}
    return {path.parent.name: path.parent for path in sorted(place.glob(f"*/{MANIFEST}"))}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder, checked.

    Raises:
        UsageError: it is no TOML, has a key too many or too few, or a package without a version.
    """
    path = folder / MANIFEST
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
        manifest = msgspec.convert(plain, Manifest)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} can't be read: {error}.") from error
    except msgspec.ValidationError as error:
        raise UsageError(f"{path} is no manifest: {error}.") from error
    for package in manifest.environment.packages:
        if not _PINNED.fullmatch(package):
            raise UsageError(f"{path} must pin each package as name==version, not {package!r}.")
    for name in manifest.configurations:
        if not _NAME.fullmatch(name):
            raise UsageError(f"{path} names a configuration {name!r}; use letters, digits and .-_")
    adapter = (folder / manifest.adapter).resolve()
    if not adapter.is_file() or not adapter.is_relative_to(folder.resolve()):
        raise UsageError(f"{path} names the adapter {manifest.adapter!r}, which isn't beside it.")
    return manifest


def folders(text: str, *, cache: Path | None = None) -> list[FolderTarget]:
    """The configurations that ``NAME`` or ``NAME#CONFIGURATION`` means; the name must exist.

    Args:
        text: the target.
        cache: where environments are kept; null is the default place.
    """
    name, hash, wanted = text.partition("#")
    folder = implementations()[name]
    manifest = read_manifest(folder)
    names = list(manifest.configurations)
    if hash and wanted not in names:
        there = ", ".join(f"{name}#{n}" for n in names) or f"{name} alone, without a configuration"
        raise UsageError(f"{name} has no configuration {wanted!r}; there is {there}.")
    environment = Environment(name, manifest.environment.packages, cache or default_cache())
    chosen: list[str | None] = [wanted] if hash else [*names] or [None]
    return [
        FolderTarget(
            name=name if len(names) < 2 else f"{name}#{configuration}",
            folder=folder,
            manifest=manifest,
            configuration=configuration,
            environment=environment,
        )
        for configuration in chosen
    ]
