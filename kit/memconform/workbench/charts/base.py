"""What all charts share: the limit of their data, their looks, and how a notebook shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from memconform.verdict.words import harmless, shortened
from memconform.workbench.theme import LABEL

MOST = 5000  # rows of data in one chart: what Altair takes, and more than an eye tells apart
NAME = 40  # characters of a memory's id in a chart


class TooManyRows(ValueError):
    """More data than a chart is for; the message says what to do."""


def data(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as the data of a chart; one empty row for a mark that stands on its own.

    Raises:
        TooManyRows: there are more than ``MOST`` of them.
    """
    if len(rows) > MOST:
        raise TooManyRows(
            f"A chart of {len(rows):,} rows shows nothing that one of {MOST:,} doesn't; "
            "aggregate them first, or take fewer."
        )
    make: Any = alt.InlineData  # Altair types it as a function without types
    return make(values=[dict(row) for row in rows])


def name(text: str) -> str:
    """A memory's id as a label: harmless, and not longer than a chart can bear."""
    told = harmless(text)
    return told if len(told) <= NAME else shortened(told, NAME).partition("… (")[0] + "…"


def names(ids: Sequence[str]) -> list[str]:
    """Labels for ids, each its own: those that would look alike get their place behind them."""
    labels = [name(id) for id in ids]
    return [
        label if labels.count(label) == 1 else f"{label} #{place}"
        for place, label in enumerate(labels, 1)
    ]


def themed(chart: Any) -> Any:
    """A top-level chart with this room's fonts and label limits."""
    return (
        chart.configure_axis(labelFontSize=12, titleFontSize=12, labelLimit=LABEL)
        .configure_legend(labelFontSize=12, titleFontSize=12, labelLimit=2 * LABEL)
        .configure_title(fontSize=14, anchor="start")
        .configure_header(labelFontSize=12, titleFontSize=12)
        .configure_view(strokeOpacity=0.3)
    )


def shown(chart: Any) -> alt.JupyterChart:
    """A chart as a notebook can show it without a network: drawn as SVG, no menu beside it.

    ``set_variables`` moves what depends on a variable, and the picture follows without being drawn
    anew; ``replace`` draws another chart in the same place.
    """
    alt.JupyterChart.enable_offline()
    options = {"renderer": "svg", "actions": False}
    # With a longest wait, a busy page tells of a variable while it is being told of it. Then what
    # else listens to it, such as the picture that was there before, misses the value and raises.
    widget = alt.JupyterChart(chart, embed_options=options, max_wait=False)
    widget.observe(_keep_wanted, names="_params")
    return widget


def nothing() -> Any:
    """An empty chart, to stand where one will be."""
    return alt.Chart(data([])).mark_point()


def set_variables(widget: alt.JupyterChart, **values: float) -> None:
    """Set variables of a chart that is shown; the picture follows, nothing is drawn anew.

    All go in one message: a page that is busy answers each message with what it knows by then.

    Raises:
        KeyError: the chart has no such variable.
    """
    for name in values:
        if not widget.params.has_trait(name):
            raise KeyError(name)
    _wanted(widget).update(values)
    widget._params = {**widget._params, **values}


def replace(widget: alt.JupyterChart, chart: Any) -> None:
    """Draw another chart in the place of one that is shown; its variables are its own."""
    _wanted(widget).clear()
    widget.chart = chart


def _wanted(widget: Any) -> dict[str, float]:
    if not hasattr(widget, "wanted_variables"):
        widget.wanted_variables = {}
    found: dict[str, float] = widget.wanted_variables
    return found


def _keep_wanted(change: Any) -> None:
    """Tell a picture again what its variables are.

    When a page has drawn a chart at last, it says what its variables are: those that it was sent
    with. One that was set meanwhile would be lost.
    """
    widget = change["owner"]
    told = change["new"]
    if all(told.get(name, value) == value for name, value in _wanted(widget).items()):
        return

    def again() -> None:
        known = widget._params
        kept = {name: value for name, value in _wanted(widget).items() if name in known}
        widget._params = {**known, **kept}

    try:
        # After the page's own message has been dealt with.
        asyncio.get_running_loop().call_soon(again)
    except RuntimeError:
        again()
