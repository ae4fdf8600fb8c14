"""One small function a chart. Each takes figures that are worked out already and draws them.

A chart has a title, axes with units, a description for a screen reader, and fewer rows of data
than ``MOST``; nothing in it is told by colour alone. ``shown`` gives it to a notebook in a way
that needs no network.
"""

from memconform.workbench.charts.base import MOST, TooManyRows, data, set_variable, shown
from memconform.workbench.charts.query import budget_use, gate, rank_flow, score_composition

__all__ = [
    "MOST",
    "TooManyRows",
    "budget_use",
    "data",
    "gate",
    "rank_flow",
    "score_composition",
    "set_variable",
    "shown",
]
