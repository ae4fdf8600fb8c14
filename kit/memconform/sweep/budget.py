"""The prompt budget as a threshold: what is selected with so many characters to fill.

A selected candidate is in the prompt when the contents up to and including its own, in the order of
the ranking, have no more characters than the budget. So minus that sum is a gate value, and minus
the budget its threshold, and the same sums hold.

Simpler than foundation's own budget, on purpose: contents count whole, without the markup around
them, none is cut, and after the first that doesn't fit none follows. The store's own figures are
therefore a little better at a given number of characters for cutting, and worse for markup.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from memconform.evaluation.report import Floors
from memconform.sweep.errors import MissingPackage, SweepError
from memconform.sweep.figures import METRICS, Figures, Metric
from memconform.sweep.flips import selection
from memconform.sweep.reading import Piece, Traces, column, gate_rows
from memconform.sweep.result import Sweep, floors_of_cells
from memconform.sweep.rows import EVERYTHING, Bools, Floats, Rows, coded

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, eq=False)
class BudgetSweep:
    """Every figure at every number of characters at which one changes.

    Attributes:
        sweep: the same with minus the characters as threshold.
        floors: the floor, or the two, that were in force.
    """

    sweep: Sweep
    floors: float | Floors

    @property
    def budgets(self) -> Floats:
        """(S,) characters, ascending: at each of them one more candidate fits somewhere."""
        return -self.sweep.thresholds[:-1][::-1]

    def metric(self, name: Metric) -> Floats:
        """(S,) one figure at every budget; it holds up to just below the next."""
        return self.sweep.metric(name)[:-1][::-1]

    def at(self, characters: int) -> Figures:
        """Every figure with so many characters, looked up."""
        return self.sweep.overall.at(-characters)

    def pl(self) -> polars.DataFrame:
        """A Polars frame: one row a budget, one column a figure.

        Raises:
            MissingPackage: Polars is not installed.
        """
        try:
            import polars
        except ImportError as error:
            raise MissingPackage("polars") from error
        return polars.DataFrame(self._frame())

    to_polars = pl

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON-like values; the mean of nothing is null."""
        return {
            "k": self.sweep.k,
            "overall": {
                name: [v if np.isfinite(v) else None for v in values.tolist()]
                for name, values in self._frame().items()
            },
        }

    def _frame(self) -> dict[str, Floats]:
        return {"characters": self.budgets, **{name: self.metric(name) for name in METRICS}}


def sweep_budget(traces: Traces, floors: float | Floors, k: int = 5) -> BudgetSweep:
    """Sweep the prompt budget at a given floor.

    Args:
        traces: what ``read`` gave.
        floors: the floor of the gate, or one for each class of query.
        k: how many are selected at most.

    Raises:
        SweepError: the traces don't say how long the contents are, or nothing of so low a floor.
    """
    rows = [_rows(traces, piece, floors, k) for piece in traces.pieces]
    return BudgetSweep(Sweep.of(rows, k, feature="characters", notes=traces.notes), floors)


def _rows(traces: Traces, piece: Piece, floors: float | Floors, k: int) -> Rows:
    whole = gate_rows(traces, piece)
    of_cells = floors_of_cells(whole, floors)
    here = np.bincount(whole.cells, minlength=len(whole.names)) > 0
    below = here & (of_cells < whole.complete_from)
    if below.any():
        bound = float(whole.complete_from[below].max())
        raise SweepError(
            f"The trace has every candidate only from {bound:g} on; give a floor as high as that."
        )
    _, chosen = selection(whole, of_cells, k)
    rows = whole.only(chosen)
    sizes = _characters(traces, piece, chosen)
    running = np.concatenate([[0], np.cumsum(sizes)])
    used = running[1:] - np.repeat(running[rows.starts[:-1]], rows.lengths)
    values, codes = coded(-used.astype(np.float64))
    return replace(
        rows, values=values, codes=codes, complete_from=np.full(len(rows.names), EVERYTHING)
    )


def _characters(traces: Traces, piece: Piece, chosen: Bools) -> Floats:
    sizes = column(traces.store.path("candidates", piece.part), "characters").astype(np.float64)
    sizes = sizes[chosen] if piece.rows is None else sizes[piece.rows][chosen]
    if np.isnan(sizes).any():
        raise SweepError(
            "These traces don't say how many characters every selected candidate has; import them "
            "from a log that does."
        )
    return sizes
