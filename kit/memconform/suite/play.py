"""Runs scenarios without pytest: the same steps on the same documents, a few milliseconds each.

For whoever runs the suite a hundred times over, as the kill matrix does, or looks on step by step,
as a notebook does: ``bound`` puts a step and its definition together, ``walk`` runs steps up to the
first that fails. What a certificate is about is run by pytest (``suite.run``); that both come to
the same is tested.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from memconform.protocol import Hello, StoreError
from memconform.spec.gherkin import Pickle, Step, StepType
from memconform.spec.library import Library, SuiteScenario
from memconform.suite import steps
from memconform.suite.guards import StepDefinition, registered_steps
from memconform.suite.world import Disappointed, Unexpected, World
from memconform.wire.client import Connection

How = Literal["passed", "asserted", "failed", "crashed", "unsupported"]


@dataclass(frozen=True)
class Played:
    """How one scenario, or one row of it, ended.

    Attributes:
        how: ``asserted`` where a Then step saw something else than it says; ``failed`` where a
            prerequisite wasn't met or the store refused a call; ``crashed`` for all that is no
            expectation of anybody's, such as an exception of the store.
        step: the text of the step that failed; empty where none did.
        told: what was expected and seen, in a sentence; empty where nothing failed.
    """

    how: How
    step: str = ""
    told: str = ""


class NoTable(Exception):
    """A step that takes a table has none."""


@dataclass(frozen=True)
class Action:
    """A step with its function, which lacks nothing but the world."""

    type: StepType
    text: str
    run: Callable[[World], None]


@dataclass(frozen=True)
class Script:
    """A scenario, or one row of it, with the function of each of its steps.

    Attributes:
        digest: SHA-256 of all that its outcome depends on beside the store and the step functions.
    """

    scenario: SuiteScenario
    steps: tuple[Action, ...]
    digest: str

    def play(self, connection: Connection, hello: Hello) -> Played:
        """Run it on a store of its own.

        Args:
            connection: to the implementation; dead afterwards where it broke.
            hello: what that declares.
        """
        if any(needed not in hello.capabilities for needed in self.scenario.needs):
            return Played("unsupported")
        connection.transcript.clear()
        world = World(connection=connection, hello=hello)
        try:
            broken = walk(self.steps, world)
        finally:
            told = closed(world)
        if broken is not None:
            step = self.steps[broken.place]
            return Played(_how(broken.error, step.type), step.text, _told(broken.error))
        return Played("failed", "closing the store", told) if told else Played("passed")


@dataclass(frozen=True)
class Broken:
    """The step that failed, by its place, and what of."""

    place: int
    error: Exception


def walk(
    actions: Sequence[Action], world: World, *, reached: Callable[[int], None] = lambda place: None
) -> Broken | None:
    """Run steps one after the other, up to the first that fails; None where none did.

    Args:
        actions: with their functions.
        world: of the scenario; ``closed`` closes what they opened in it.
        reached: is told the place of each step before it is run.
    """
    for place, action in enumerate(actions):
        reached(place)
        world.step_type = action.type
        try:
            action.run(world)
        except Exception as error:
            return Broken(place, error)
    return None


def bound(step: Step, definition: StepDefinition, *, otherwise: StepType | None = None) -> Action:
    """A step and the definition that serves it, put together.

    Args:
        step: as it stands in a pickle.
        definition: that serves it.
        otherwise: what it counts as where it stands for no kind of step.

    Raises:
        LookupError: it stands for none, and nothing else is given.
    """
    type = step.type or otherwise
    if type is None:
        raise LookupError(f"{step.text!r} is no Given, When or Then")
    given: dict[str, Any] = dict(definition.arguments(step))
    given["docstring"] = step.docstring or ""
    if step.table is not None:
        given["datatable"] = [list(row) for row in step.table]
    return Action(type, step.text, _partial(definition.function, given))


def scripts(library: Library, specs: Collection[str]) -> dict[str, list[Script]]:
    """The scenarios of some specs, their rows in order, by their ids without a row.

    Raises:
        LookupError: no step definition, or more than one, fits a step.
    """
    definitions = registered_steps(steps)
    pickles = {
        (id, None if pickle.row is None else pickle.row.number): pickle
        for id, (_, written) in library.feature_scenarios.items()
        for pickle in written.pickles
    }
    found: dict[str, list[Script]] = {}
    for scenario in library.scenarios():
        if scenario.capability not in specs:
            continue
        pickle = pickles[scenario.base, scenario.row]
        script = Script(scenario, tuple(_steps(pickle, definitions)), _digest(scenario, pickle))
        found.setdefault(scenario.base, []).append(script)
    return found


def _digest(scenario: SuiteScenario, pickle: Pickle) -> str:
    written = [(step.type, step.text, step.table, step.docstring) for step in pickle.steps]
    parts = (scenario.id, scenario.requirement, scenario.needs, scenario.slow, written)
    return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


def _steps(pickle: Pickle, definitions: Sequence[StepDefinition]) -> list[Action]:
    found = []
    for step in pickle.steps:
        fitting = [definition for definition in definitions if definition.serves(step)]
        if len(fitting) != 1:
            raise LookupError(f"{len(fitting)} step definitions fit {step.text!r}")
        found.append(bound(step, fitting[0]))
    return found


def _partial(function: Callable[..., Any], given: Mapping[str, Any]) -> Callable[[World], None]:
    wanted = inspect.signature(function).parameters
    if "datatable" in wanted and "datatable" not in given:
        return _tableless
    return partial(_call, function, {name: given[name] for name in wanted if name != "world"})


def _tableless(world: World) -> None:
    raise NoTable("there is no table below the step")


def _call(function: Callable[..., Any], given: Mapping[str, Any], world: World) -> None:
    function(world=world, **given)


def _how(error: Exception, step_type: StepType) -> How:
    if isinstance(error, Disappointed) and step_type == "then":
        return "asserted"
    return "failed" if isinstance(error, (Disappointed, Unexpected)) else "crashed"


def _told(error: Exception) -> str:
    words = str(error).encode("utf-8", "backslashreplace").decode()
    return words if isinstance(error, AssertionError) else f"{type(error).__name__}: {words}"


def closed(world: World) -> str:
    """Close what a scenario opened; why a store refused, if it did.

    Raises:
        WireError: the conversation broke over it.
    """
    for store in dict.fromkeys(world.stores.values()):
        if not world.connection.alive:
            return ""
        try:
            store.close()
        except StoreError as error:
            return str(error)
    return ""
