"""Charts of an evaluation: what one store gains on another, with intervals."""

from __future__ import annotations

from typing import Any

import altair as alt

from memconform.evaluation.report import EvaluationReport
from memconform.workbench.charts.base import data, name, themed
from memconform.workbench.theme import BLUE, CATEGORICAL, GREY

_WORDS = {"R": "recall", "P": "precision", "RR": "reciprocal rank"}


def measure_words(measure: str) -> str:
    """``R@5`` as ``recall@5``, ``Silence`` as what it is about."""
    kind, at, k = measure.partition("@")
    if not at:
        return "silent where it must be"
    return f"{_WORDS.get(kind, kind)}{at}{k}"


def differences(report: EvaluationReport) -> Any:
    """What the evaluated store gains on each baseline: paired differences with their intervals.

    Args:
        report: with baselines.
    """
    level = f"{report.bootstrap.level:.0%}"
    rows = [
        {
            "baseline": f"against {name(baseline.name)}",
            "measure": measure_words(each.measure),
            "difference": each.difference,
            "low": each.low,
            "high": each.high,
            "told": _verdict(each.low, each.high),
            "queries": each.queries,
        }
        for baseline in report.baselines
        for each in baseline.comparisons
    ]
    order = list(dict.fromkeys(str(row["measure"]) for row in rows))
    verdicts = ["better", "can't be told", "worse"]
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("measure:N", sort=order, title=None),
        color=alt.Color(
            "told:N",
            sort=verdicts,
            scale=alt.Scale(domain=verdicts, range=[BLUE, GREY, CATEGORICAL[5]]),
            title=None,
            legend=alt.Legend(orient="bottom"),
        ),
        shape=alt.Shape(
            "told:N",
            sort=verdicts,
            scale=alt.Scale(domain=verdicts, range=["triangle-right", "circle", "triangle-left"]),
            title=None,
        ),
    )
    title = f"difference, with {level} interval (−1 to 1)"
    bars = base.mark_rule(strokeWidth=3).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    points = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("difference:Q", title=title),
        tooltip=["measure:N", "difference:Q", "low:Q", "high:Q", "queries:Q"],
    )
    zero = alt.Chart().mark_rule(strokeDash=[3, 3]).encode(x=alt.datum(0))
    chart = (
        alt.layer(bars, zero, points, data=data(rows))
        .properties(width=420, height=alt.Step(26))
        .facet(
            row=alt.Row(
                "baseline:N",
                title=None,
                header=alt.Header(
                    labelAngle=0, labelAlign="left", labelOrient="top", labelAnchor="start"
                ),
            )
        )
        .properties(title=f"What {name(report.evaluated.target)} gains")
    )
    return themed(chart)


def _verdict(low: float, high: float) -> str:
    if low > 0:
        return "better"
    return "worse" if high < 0 else "can't be told"
