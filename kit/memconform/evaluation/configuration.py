"""A gate that was chosen: two floors and K, saved with where they came from.

A sweep writes such a file, a person may; ``memconform evaluate --configuration FILE`` measures the
reference stores with it. A store of another maker has its floor in its own settings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from memconform.evaluation.report import Floors, digest, encoded
from memconform.model.base import Response
from memconform.protocol import System
from memconform.retrieval import FOUNDATION, Pipeline
from memconform.targets import Target
from memconform.targets.imported import ImportedTarget
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport

SCHEMA = "memconform/configuration/1"


class ConfigurationError(Exception):
    """The configuration can't be used; the message is one sentence that says why."""


class Origin(Response, frozen=True, kw_only=True):
    """What a configuration was chosen on.

    Attributes:
        traces: SHA-256 of the list of parts of the trace store.
        labels: SHA-256 of the judgements.
        retrievals: how many were swept.
    """

    traces: str
    labels: str
    retrievals: int


class Configuration(Response, frozen=True, kw_only=True):
    """A chosen gate.

    Attributes:
        floors: least lexical coverage of a query without and with a CJK character, 0 to 1.
        k: how many records are asked for.
        rule: by which the floors were chosen, in words.
        origin: what they were chosen on; null where a person wrote them down.
    """

    schema: str
    floors: Floors
    k: Annotated[int, msgspec.Meta(ge=1)]
    rule: str
    origin: Origin | None

    @property
    def digest(self) -> str:
        """SHA-256 of the file that ``save`` writes."""
        return digest(encoded(self))

    @property
    def pipeline(self) -> Pipeline:
        """Foundation with these floors and nothing else changed."""
        constants = replace(FOUNDATION, floor=self.floors.latin, cjk_floor=self.floors.cjk)
        return Pipeline(constants=constants)


def configuration(
    floors: Floors, k: int, *, rule: str, origin: Origin | None = None
) -> Configuration:
    """A configuration of this version.

    Raises:
        ConfigurationError: a floor is not in 0 to 1, or K is below 1.
    """
    made = Configuration(schema=SCHEMA, floors=floors, k=k, rule=rule, origin=origin)
    _check(made, "The configuration")
    return made


def save(chosen: Configuration, path: Path) -> None:
    """Write a configuration to a file, in place of what is there.

    Raises:
        ConfigurationError: it can't be written.
    """
    try:
        path.write_bytes(encoded(chosen))
    except OSError as error:
        raise ConfigurationError(f"{path} can't be written: {error.strerror}.") from error


def load(path: Path) -> Configuration:
    """Read a configuration.

    Raises:
        ConfigurationError: it isn't there, or is none of this version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"The configuration {path} can't be read: {error.strerror}."
        ) from error
    try:
        found = msgspec.json.decode(data, type=Configuration)
    except msgspec.DecodeError as error:
        raise ConfigurationError(f"{path} is no configuration of a gate: {error}.") from error
    if found.schema != SCHEMA:
        raise ConfigurationError(f"{path} is {found.schema!r}; this kit reads {SCHEMA}.")
    _check(found, str(path))
    return found


def _check(chosen: Configuration, where: str) -> None:
    for name, floor in (("Latin", chosen.floors.latin), ("CJK", chosen.floors.cjk)):
        if not 0 <= floor <= 1:
            raise ConfigurationError(
                f"{where} has the {name} floor {floor!r}; coverage is a figure from 0 to 1."
            )
    if chosen.k < 1:
        raise ConfigurationError(f"{where} has the K {chosen.k}; give 1 or more.")


@dataclass(frozen=True)
class ConfiguredTarget(ImportedTarget):
    """A reference store with chosen floors. Its name tells them, so that a lock does, too."""

    system: System | None = None

    def connect(self) -> Connection:
        """A store in this process; there is no way to tell another process the floors."""
        if self.system is None:
            return super().connect()
        return Connection(LocalTransport(self.system))


def configured(target: Target, chosen: Configuration) -> Target:
    """The same store with the floors of a configuration.

    Raises:
        ConfigurationError: the target is none that can be told floors, or runs elsewhere.
    """
    from memconform.reference import filesystem, hybrid

    factories = {"reference:filesystem": filesystem.factory, "reference:hybrid": hybrid.factory}
    if target.name not in factories:
        raise ConfigurationError(
            f"{target.name} can't be told floors; a configuration is for "
            f"{' and '.join(factories)}. Set the floor in the store's own settings instead, and "
            "evaluate it without --configuration."
        )
    if target.way == "wire":
        raise ConfigurationError("Floors are set in process only; leave --wire out.")
    floors = chosen.floors
    return ConfiguredTarget(
        name=f"{target.name} with floors {floors.latin!r} and {floors.cjk!r}",
        way="in-process",
        system=factories[target.name](chosen.pipeline),
    )
