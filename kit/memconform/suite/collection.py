"""From a pytest item to the scenario of the Gherkin document that it runs, by identity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_bdd.scenario import scenario_wrapper_template_registry

if TYPE_CHECKING:
    from memconform.spec.library import Library, SuiteScenario

MODULE = Path(__file__).with_name("test_features.py")


class SuiteModule(pytest.Module):
    """The suite's own module, collected whatever names a project gives its tests.

    A project's ``python_files`` and ``python_functions`` are about its own files; held against
    this one they would leave scenarios out.
    """

    def funcnamefilter(self, name: str) -> bool:
        """Whether a function of this name is a test: those that pytest-bdd makes are."""
        return name.startswith("test_")


def identify(items: list[pytest.Item], library: Library) -> dict[pytest.Item, SuiteScenario]:
    """The items that run scenarios of the library.

    pytest-bdd's names and node ids depend on order and lose characters; the file, the title and
    the place of the example row don't. Rows of an outline come in the order of its tables.
    """
    by_place = {(s.path.resolve(), s.title, s.row): s for s in library.scenarios()}
    found: dict[pytest.Item, SuiteScenario] = {}
    rows: dict[tuple[Path, str], int] = {}
    for item in items:
        function = getattr(item, "obj", None)
        template = scenario_wrapper_template_registry.get(function) if function else None
        if template is None:
            continue
        place = (Path(template.feature.filename).resolve(), template.name)
        row = None
        if template.examples:
            rows[place] = rows.get(place, 0) + 1
            row = rows[place]
        scenario = by_place.get((*place, row))
        if scenario is not None:
            found[item] = scenario
    return found
