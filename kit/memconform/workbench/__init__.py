"""The workbench: charts and widgets that show what the rooms below have worked out.

Everything here is thin. A figure comes from retrieval, fusion, authority, evaluation, traces or
sweep; a chart draws it, a widget lets a person move what it depends on, and ``html`` writes it down
as escaped text.
Altair, ipywidgets and IPython are in the ``lab`` extra, so names are imported when they are used::

    from memconform.workbench import PipelineStepper
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from memconform.workbench import formatters

if TYPE_CHECKING:
    from memconform.workbench.authorityview import AuthorityExplorer, ClaimHistories
    from memconform.workbench.budgetview import BudgetExplorer
    from memconform.workbench.explorer import ThresholdExplorer
    from memconform.workbench.fusionview import FusionExplorer
    from memconform.workbench.parity import ModeParity
    from memconform.workbench.stepper import PipelineStepper
    from memconform.workbench.traceview import TraceExplorer

# Name -> the module that it lives in.
_LIVES_IN = {
    "AuthorityExplorer": "authorityview",
    "BudgetExplorer": "budgetview",
    "ClaimHistories": "authorityview",
    "FusionExplorer": "fusionview",
    "ModeParity": "parity",
    "PipelineStepper": "stepper",
    "ThresholdExplorer": "explorer",
    "TraceExplorer": "traceview",
}
# What the lab extra brings, as import names.
_EXTRA = frozenset({"altair", "anywidget", "duckdb", "IPython", "ipywidgets", "numpy", "polars"})

__all__ = [
    "AuthorityExplorer",
    "BudgetExplorer",
    "ClaimHistories",
    "FusionExplorer",
    "LabMissing",
    "ModeParity",
    "PipelineStepper",
    "ThresholdExplorer",
    "TraceExplorer",
]


class LabMissing(ImportError):
    """The lab extra isn't installed; the message is a sentence that says what to do."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"The workbench needs {package}, which isn't installed here: "
            "pip install 'memconform[lab]'.",
            name=package,
        )


def load(module: str) -> Any:
    """A module of this room by its name.

    Raises:
        LabMissing: a package of the lab extra is not there.
    """
    try:
        return importlib.import_module(f"{__name__}.{module}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRA:
            raise
        raise LabMissing(package) from error


formatters.register_here()


def __getattr__(name: str) -> Any:
    if name not in _LIVES_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(load(_LIVES_IN[name]), name)
