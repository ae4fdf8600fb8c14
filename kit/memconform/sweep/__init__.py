"""Exact thresholds: every figure at every distinct value of the gate, from one pass.

    found = memconform.sweep.sweep("traces", k=5)
    found.at(0.4).recall                         looked up, whatever the number of candidates
    found.at(latin=0.4, cjk=1 / 3).abstention    two floors from two curves
    found.smallest(abstention=1, forbidden=0)    a floor by a rule that is said
    found.flips(0.3, 0.4)                        which queries change, and why

The core works on arrays alone: ``partial(rows, k)`` -> ``merge`` -> ``curve``. What needs the lab
extra is imported when it is used.

Reading order: figures, rows, places, sums, curves, flips, result, jackknife, foreign,
labelled, reading, budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memconform.evaluation.report import Floors
from memconform.sweep.errors import MissingPackage, SweepError, loaded
from memconform.sweep.figures import COUNTS, LESS_IS_BETTER, METRICS, Figures, Metric

if TYPE_CHECKING:
    from memconform.sweep.budget import BudgetSweep, sweep_budget
    from memconform.sweep.curves import Curve, Sums, curve
    from memconform.sweep.flips import Flip, Flips, Moved
    from memconform.sweep.foreign import Columns, rows_of_parquet
    from memconform.sweep.jackknife import Band, bands
    from memconform.sweep.labelled import LabelFiles
    from memconform.sweep.reading import FEATURES, GATE, Traces, read, sweep, sweep_parquet
    from memconform.sweep.result import Chosen, Plane, Sweep
    from memconform.sweep.rows import Rows
    from memconform.sweep.sums import Partial, merge, partial

__all__ = [
    "COUNTS",
    "FEATURES",
    "GATE",
    "LESS_IS_BETTER",
    "METRICS",
    "Band",
    "BudgetSweep",
    "Chosen",
    "Columns",
    "Curve",
    "Figures",
    "Flip",
    "Flips",
    "Floors",
    "LabelFiles",
    "Metric",
    "MissingPackage",
    "Moved",
    "Partial",
    "Plane",
    "Rows",
    "Sums",
    "Sweep",
    "SweepError",
    "Traces",
    "bands",
    "curve",
    "merge",
    "partial",
    "read",
    "rows_of_parquet",
    "sweep",
    "sweep_budget",
    "sweep_parquet",
]

_LIVES_IN = {
    "Band": "jackknife",
    "bands": "jackknife",
    "BudgetSweep": "budget",
    "sweep_budget": "budget",
    "Curve": "curves",
    "Sums": "curves",
    "curve": "curves",
    "Flip": "flips",
    "Flips": "flips",
    "Moved": "flips",
    "Columns": "foreign",
    "rows_of_parquet": "foreign",
    "LabelFiles": "labelled",
    "FEATURES": "reading",
    "GATE": "reading",
    "Traces": "reading",
    "read": "reading",
    "sweep": "reading",
    "sweep_parquet": "reading",
    "Chosen": "result",
    "Plane": "result",
    "Sweep": "result",
    "Rows": "rows",
    "Partial": "sums",
    "merge": "sums",
    "partial": "sums",
}


def __getattr__(name: str) -> Any:
    if name not in _LIVES_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(loaded(_LIVES_IN[name]), name)
