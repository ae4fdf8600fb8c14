"""Which step definitions a scenario can see, asked of pytest once and not at every step.

For each step pytest-bdd asks pytest about every fixture there is, and pytest goes up the tree of
collectors for each: a tenth of the time of a run. Step definitions stand in modules, never in a
single scenario, so all scenarios of one module see the same ones.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import pytest
from pytest_bdd.steps import StepNamePrefix

_Lookup = Callable[[Any, str, pytest.Item], Sequence[Any] | None]


def ask_once(lookup: _Lookup) -> _Lookup:
    """The same lookup, which remembers what the scenarios of a module see."""
    remembered: dict[tuple[int, str], tuple[Any, Sequence[Any] | None]] = {}

    @functools.wraps(lookup)
    def look_up(manager: Any, name: str, node: pytest.Item) -> Sequence[Any] | None:
        # What pytest-bdd puts in for a single step goes by other names.
        if not name.startswith(StepNamePrefix.step_def.value):
            return lookup(manager, name, node)
        place = (id(node.parent), name)
        if place not in remembered:
            # The parent is kept, so that no other one can get its number.
            remembered[place] = (node.parent, lookup(manager, name, node))
        return remembered[place][1]

    return look_up


def install() -> Callable[[], None]:
    """Have pytest-bdd ask once; what is returned undoes it."""
    module: Any = import_module("pytest_bdd.scenario")  # the package has a function of that name
    former = module.getfixturedefs
    module.getfixturedefs = ask_once(former)

    def undo() -> None:
        module.getfixturedefs = former

    return undo
