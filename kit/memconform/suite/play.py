"""Runs scenarios without pytest: the same steps on the same documents, a few milliseconds each.

For whoever runs the suite a hundred times over, as the kill matrix does. What a certificate is
about is run by pytest (``suite.run``); that both come to the same is tested.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from memconform.protocol import Hello, StoreError
from memconform.spec.gherkin import Pickle, StepType
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


@dataclass(frozen=True)
class _Step:
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
    steps: tuple[_Step, ...]
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
        step = self.steps[0]
        try:
            for step in self.steps:
                world.step_type = step.type
                step.run(world)
        except Exception as error:
            return Played(_how(error, step.type), step.text, _told(error))
        finally:
            told = _closed(world)
        return Played("failed", "closing the store", told) if told else Played("passed")


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


def _steps(pickle: Pickle, definitions: Sequence[StepDefinition]) -> list[_Step]:
    found = []
    for step in pickle.steps:
        fitting = [definition for definition in definitions if definition.serves(step)]
        if len(fitting) != 1 or step.type is None:
            raise LookupError(f"{len(fitting)} step definitions fit {step.text!r}")
        given: dict[str, Any] = dict(fitting[0].arguments(step))
        if step.table is not None:
            given["datatable"] = [list(row) for row in step.table]
        if step.docstring is not None:
            given["docstring"] = step.docstring
        found.append(_Step(step.type, step.text, _bound(fitting[0].function, given)))
    return found


def _bound(function: Callable[..., Any], given: Mapping[str, Any]) -> Callable[[World], None]:
    wanted = inspect.signature(function).parameters
    return partial(_call, function, {name: given[name] for name in wanted if name != "world"})


def _call(function: Callable[..., Any], given: Mapping[str, Any], world: World) -> None:
    function(world=world, **given)


def _how(error: Exception, step_type: StepType) -> How:
    if isinstance(error, Disappointed) and step_type == "then":
        return "asserted"
    return "failed" if isinstance(error, (Disappointed, Unexpected)) else "crashed"


def _told(error: Exception) -> str:
    words = str(error).encode("utf-8", "backslashreplace").decode()
    return words if isinstance(error, AssertionError) else f"{type(error).__name__}: {words}"


def _closed(world: World) -> str:
    """Close what the scenario opened; why that failed, if it did."""
    for store in dict.fromkeys(world.stores.values()):
        if not world.connection.alive:
            return ""
        try:
            store.close()
        except StoreError as error:
            return str(error)
    return ""
