"""Which step definitions fit a step, asked of pytest once and not at every step.

For each step pytest-bdd asks pytest about every fixture there is, pytest goes up the tree of
collectors for each, and every pattern is tried: a sixth of the time of a run. Step definitions
stand in modules, never in a single scenario, so all scenarios of one module see the same ones, and
the same words find the same definition.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import pytest

_Lookup = Callable[[Any, Any, pytest.Item], Iterable[Any]]


def ask_once(lookup: _Lookup) -> _Lookup:
    """The same lookup, which remembers what the scenarios of a module find for a step's words."""
    remembered: dict[tuple[int, str, str], tuple[Any, list[Any]]] = {}

    @functools.wraps(lookup)
    def look_up(step: Any, fixturemanager: Any, node: pytest.Item) -> Iterable[Any]:
        place = (id(node.parent), step.type, step.name)
        if place not in remembered:
            # The parent is kept, so that no other one can get its number.
            remembered[place] = (node.parent, list(lookup(step, fixturemanager, node)))
        return remembered[place][1]

    return look_up


def install() -> Callable[[], None]:
    """Have pytest-bdd ask once; what is returned undoes it."""
    module: Any = import_module("pytest_bdd.scenario")  # the package has a function of that name
    former = module.find_fixturedefs_for_step
    module.find_fixturedefs_for_step = ask_once(former)

    def undo() -> None:
        module.find_fixturedefs_for_step = former

    return undo
