"""Exact thresholds: every figure at every distinct value of the gate, from one pass.

    found = memconform.sweep.sweep("traces", k=5)
    found.at(0.4).recall                         looked up, whatever the number of candidates
    found.at(latin=0.4, cjk=1 / 3).abstention    two floors from two curves
    found.smallest(abstention=1, forbidden=0)    a floor by a rule that is said
    found.flips(0.3, 0.4)                        which queries change, and why

The core works on arrays alone: ``partial(rows, k)`` -> ``merge`` -> ``curve``.
Reading order: rows, places, sums, curves, flips, result, foreign, labelled, reading,
budget.
"""

from memconform.sweep.budget import BudgetSweep, sweep_budget
from memconform.sweep.curves import COUNTS, METRICS, Curve, Figures, Metric, Sums, curve
from memconform.sweep.errors import MissingPackage, SweepError
from memconform.sweep.flips import Flip, Flips, Moved
from memconform.sweep.foreign import Columns, rows_of_parquet
from memconform.sweep.labelled import Labels
from memconform.sweep.reading import FEATURES, GATE, Traces, read, sweep, sweep_parquet
from memconform.sweep.result import Chosen, Floors, Plane, Sweep
from memconform.sweep.rows import Rows
from memconform.sweep.sums import Partial, merge, partial

__all__ = [
    "COUNTS",
    "FEATURES",
    "GATE",
    "METRICS",
    "BudgetSweep",
    "Chosen",
    "Columns",
    "Curve",
    "Figures",
    "Flip",
    "Flips",
    "Floors",
    "Labels",
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
    "curve",
    "merge",
    "partial",
    "read",
    "rows_of_parquet",
    "sweep",
    "sweep_budget",
    "sweep_parquet",
]
