"""One small function a chart. Each takes figures that are worked out already and draws them.

A chart has a title, axes with units, a description for a screen reader, and at most ``MOST`` rows
of data; nothing in it is told by colour alone. ``shown`` gives it to a notebook in a way that needs
no network.
"""

from memconform.workbench.charts.base import (
    MOST,
    TooManyRows,
    data,
    names,
    nothing,
    replace,
    set_variables,
    shown,
)
from memconform.workbench.charts.distributions import (
    budgets,
    by_day,
    ecdf,
    histogram,
    latency,
    ridge,
)
from memconform.workbench.charts.evaluation import differences
from memconform.workbench.charts.fusion import (
    accounts,
    ladder,
    raw_floor,
    reciprocal_ranks,
    weighted_sum,
)
from memconform.workbench.charts.query import (
    budget_use,
    flow,
    gate,
    rank_flow,
    score_composition,
)
from memconform.workbench.charts.thresholds import TITLES, curves, plane, precision_recall

__all__ = [
    "MOST",
    "TITLES",
    "TooManyRows",
    "accounts",
    "budget_use",
    "budgets",
    "by_day",
    "curves",
    "data",
    "differences",
    "ecdf",
    "flow",
    "gate",
    "histogram",
    "ladder",
    "latency",
    "names",
    "nothing",
    "plane",
    "precision_recall",
    "rank_flow",
    "raw_floor",
    "reciprocal_ranks",
    "replace",
    "ridge",
    "score_composition",
    "set_variables",
    "shown",
    "weighted_sum",
]
