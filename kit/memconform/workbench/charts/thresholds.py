"""Charts over thresholds: curves with bands, precision against recall, the two-floor plane."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from memconform.sweep import COUNTS, Band, Curve, Metric, Plane
from memconform.workbench.charts.base import data, themed
from memconform.workbench.theme import CATEGORICAL, DASHES, HEIGHT, VERMILION, WIDTH

STEPS = 300  # thresholds drawn of one curve; each is exact, those between are left out
CELLS = 60  # floors drawn of one axis of a plane
CURVES: tuple[Metric, ...] = ("recall", "precision", "abstention")
TITLES: Mapping[Metric, str] = {
    "recall": "recall",
    "precision": "precision",
    "mrr": "MRR",
    "success": "success",
    "abstention": "abstention",
    "false_positives": "false positives",
    "forbidden": "forbidden selections",
    "selected": "mean selected",
    "passed": "mean passed",
    "hits": "hits",
}


def drawn(thresholds: Sequence[float] | Any, most: int) -> Any:
    """Places of at most so many finite thresholds, spread evenly, the first and last among them."""
    finite = np.flatnonzero(np.isfinite(thresholds))
    if len(finite) <= most:
        return finite
    return finite[np.unique(np.linspace(0, len(finite) - 1, most).astype(int))]


def curves(
    curve: Curve,
    *,
    metrics: Sequence[Metric] = CURVES,
    bands: Mapping[Metric, Band] | None = None,
    floor: float = 0.0,
    title: str = "Figures against the floor",
    width: int = WIDTH,
) -> Any:
    """Means as steps over the threshold; the variable ``floor`` moves the line.

    Args:
        curve: of a sweep, all of it or one group's.
        metrics: means between 0 and 1, six at most.
        bands: what ``memconform.sweep.bands`` gave, for those that are to have one.
        floor: where the line stands first.
        title: of the chart.
        width: in pixels, without the axis.
    """
    if counts := [name for name in metrics if name in COUNTS]:
        raise ValueError(f"{counts[0]} is a count; draw it with counts()")
    places = drawn(curve.thresholds, STEPS)
    rows = []
    for name in metrics:
        values = curve.metric(name)
        band = (bands or {}).get(name)
        for at, floor_at in _to_the_edges(curve.thresholds, places):
            value = float(values[at])
            if math.isnan(value):
                continue
            row = {"floor": floor_at, "figure": TITLES[name], "value": value}
            if band is not None:
                row |= {"low": float(band.low[at]), "high": float(band.high[at])}
            rows.append(row)
    labels = [TITLES[name] for name in metrics]
    x = alt.X(
        "floor:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(tickCount=5),
        title="floor (least coverage, 0 to 1)",
    )
    colour = alt.Color(
        "figure:N",
        sort=labels,
        scale=alt.Scale(domain=labels, range=CATEGORICAL[: len(labels)]),
        title=None,
        legend=alt.Legend(
            orient="bottom",
            symbolType="stroke",
            symbolSize=300,
            symbolOpacity=1,
            symbolStrokeWidth=2,
        ),
    )
    dash = alt.StrokeDash(
        "figure:N", sort=labels, scale=alt.Scale(domain=labels, range=DASHES[: len(labels)]),
        title=None,
    )  # fmt: skip
    base = alt.Chart(data(rows)).encode(x=x)
    lines = base.mark_line(interpolate="step-before", strokeWidth=2).encode(
        y=alt.Y("value:Q", scale=alt.Scale(domain=[0, 1]), title="share (0 to 1)"),
        color=colour,
        strokeDash=dash,
    )
    layers = [lines]
    if bands:
        area = base.mark_area(interpolate="step-before", opacity=0.15).encode(
            y=alt.Y("low:Q", title="share (0 to 1)"), y2="high:Q", color=colour
        )
        layers.insert(0, area.transform_filter("isValid(datum.low)"))
    told = f"{title}: {', '.join(labels)} as steps over the floor from 0 to 1"
    chart = (
        alt.layer(*layers, vertical("floor"))
        .add_params(alt.param(name="floor", value=floor))
        .properties(title=title, width=width, height=HEIGHT, description=told)
    )
    return themed(chart)


def _to_the_edges(thresholds: Any, places: Any) -> list[tuple[int, float]]:
    """(place, where it is drawn): from 0, where the first step begins, to 1, where nothing passes.

    A step holds up to its threshold; what holds above the last finite one holds at 1, too.
    """
    inner = [(int(at), float(thresholds[at])) for at in places]
    if not inner:
        return [(len(thresholds) - 1, 0.0), (len(thresholds) - 1, 1.0)]
    edges = [(inner[0][0], 0.0), *inner]
    return [*edges, (len(thresholds) - 1, 1.0)] if inner[-1][1] < 1 else edges


def vertical(variable: str) -> Any:
    """A dashed line at a variable of the chart."""
    return (
        alt.Chart(data([{}]))
        .mark_rule(color=VERMILION, strokeWidth=2, strokeDash=[6, 3])
        .transform_calculate(at=variable)
        .encode(x=alt.X("at:Q"))
    )


def precision_recall(
    curve: Curve, *, floor: float = 0.0, title: str = "Precision and recall"
) -> Any:
    """Precision against recall over all floors; the variable ``floor`` moves the point.

    Args:
        curve: of a sweep.
        floor: where the point stands first.
        title: of the chart.
    """
    recall, precision = curve.metric("recall"), curve.metric("precision")
    places = [at for at in drawn(curve.thresholds, STEPS) if not math.isnan(float(recall[at]))]
    # A floor belongs to the step whose threshold is the first not below it.
    rows = [
        {
            "recall": float(recall[at]),
            "precision": float(precision[at]),
            "above": float(curve.thresholds[places[place - 1]]) if place else -1.0,
            "upto": float(curve.thresholds[at]),
            "place": place,
        }
        for place, at in enumerate(places)
    ]
    base = alt.Chart(data(rows)).encode(
        x=alt.X("recall:Q", scale=alt.Scale(domain=[0, 1]), title="recall (0 to 1)"),
        y=alt.Y("precision:Q", scale=alt.Scale(domain=[0, 1]), title="precision (0 to 1)"),
    )
    line = base.mark_line(color=CATEGORICAL[0], strokeWidth=2).encode(order="place:Q")
    point = (
        base.mark_point(color=VERMILION, filled=True, size=110, shape="diamond")
        .transform_filter("datum.above < floor && floor <= datum.upto")
        .encode(tooltip=["upto:Q", "recall:Q", "precision:Q"])
    )
    chart = (
        (line + point)
        .add_params(alt.param(name="floor", value=floor))
        .properties(
            title=title,
            width=HEIGHT,
            height=HEIGHT,
            description="Precision against recall, a line over all floors, the chosen one a point",
        )
    )
    return themed(chart)


def plane(told: Plane, *, latin: float = 0.0, cjk: float = 0.0) -> Any:
    """One figure at every pair of floors; the variables ``latin`` and ``cjk`` move the cross.

    Args:
        told: what ``Sweep.plane`` gave.
        latin: where the cross stands first: the floor of queries without a CJK character.
        cjk: the floor of the others.
    """
    across, down = _spans(told.latin), _spans(told.cjk)
    rows = [
        {
            "latin0": left,
            "latin": right,
            "cjk0": low,
            "cjk": high,
            "value": float(told.values[x, y]),
        }
        for x, left, right in across
        for y, low, high in down
        if not math.isnan(float(told.values[x, y]))
    ]
    name = TITLES[told.metric]
    domain = alt.Scale(domain=[0, 1])
    cells = (
        alt.Chart(data(rows))
        .mark_rect()
        .encode(
            x=alt.X("latin0:Q", scale=domain, title="Latin floor (0 to 1)"),
            x2="latin:Q",
            y=alt.Y("cjk0:Q", scale=domain, title="CJK floor (0 to 1)"),
            y2="cjk:Q",
            color=alt.Color("value:Q", scale=alt.Scale(scheme="cividis"), title=name),
            tooltip=[
                alt.Tooltip(f"{field}:Q", format=".4f") for field in ("latin", "cjk", "value")
            ],
        )
    )
    level = (
        alt.Chart(data([{}]))
        .mark_rule(color=VERMILION, strokeWidth=2, strokeDash=[6, 3])
        .transform_calculate(at="cjk")
        .encode(y=alt.Y("at:Q"))
    )
    chart = (
        (cells + vertical("latin") + level)
        .add_params(alt.param(name="latin", value=latin), alt.param(name="cjk", value=cjk))
        .properties(
            title=f"{name} for every pair of floors",
            width=HEIGHT,
            height=HEIGHT,
            description=f"Heat map of {name} over the Latin and the CJK floor, with a cross",
        )
    )
    return themed(chart)


def _spans(thresholds: Any) -> list[tuple[int, float, float]]:
    """(place, from, to) of each cell along an axis, from 0 to 1."""
    edges = _to_the_edges(thresholds, drawn(thresholds, CELLS))
    return [
        (at, before, here) for (_, before), (at, here) in itertools.pairwise(edges) if here > before
    ]
