"""Charts of a trace log: how features are distributed, how days differ, how long it takes.

Each takes a frame of ``frames`` and draws it as it is.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from memconform.workbench.charts.base import data, name, themed
from memconform.workbench.theme import BLUE, CATEGORICAL, DASHES, HEIGHT, WIDTH

_WORDS = {"lexical": "coverage", "final_score": "final score"}
GROUPS = 6  # lines in one chart; more can't be told apart


def feature_words(feature: str) -> str:
    """A feature as an axis names it."""
    return _WORDS.get(feature, feature.replace("_", " "))


def _groups(table: pl.DataFrame) -> list[str]:
    return [str(group) for group in table["group"].unique().sort().to_list()]


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    rows = table.to_dicts()
    for row in rows:
        if "group" in row:
            row["group"] = name(str(row["group"]))
    return rows


def _colour(groups: list[str]) -> alt.Color:
    return alt.Color(
        "group:N",
        sort=groups,
        scale=alt.Scale(domain=groups, range=CATEGORICAL[: len(groups)]),
        title=None,
        legend=alt.Legend(orient="bottom", symbolType="stroke", symbolSize=300),
    )


def histogram(table: pl.DataFrame, feature: str) -> Any:
    """Shares of candidates a bin, one small chart a group, all on one scale.

    Args:
        table: what ``frames.histogram`` gave.
        feature: whose values they are.
    """
    groups = _groups(table)
    chart = (
        alt.Chart(data(_rows(table)))
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(tickCount=6),
                title=f"{feature_words(feature)} (0 to 1)",
            ),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of group", axis=alt.Axis(format="%", tickCount=3)),
            tooltip=["group:N", "low:Q", "high:Q", "count:Q", alt.Tooltip("share:Q", format=".3%")],
        )
        .properties(width=WIDTH, height=70)
        .facet(row=alt.Row("group:N", sort=groups, title=None, header=_header()), spacing=6)
        .resolve_scale(y="independent")
        .properties(title=f"How {feature_words(feature)} is distributed")
    )
    return themed(chart)


def _header() -> alt.Header:
    return alt.Header(
        labelAngle=0, labelAlign="left", labelOrient="top", labelAnchor="start", labelPadding=2
    )


def ecdf(table: pl.DataFrame, feature: str, *, floor: float | None = None) -> Any:
    """The share of candidates at or below each value, a line a group.

    Args:
        table: what ``frames.ecdf`` gave.
        feature: whose values they are.
        floor: a line to draw.
    """
    groups = _groups(table)[:GROUPS]
    shown = table.filter(pl.col("group").is_in(groups))
    layers = [
        alt.Chart(data(_rows(shown)))
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(
            x=alt.X(
                "value:Q",
                scale=alt.Scale(domain=[0, 1]),
                title=f"{feature_words(feature)} (0 to 1)",
            ),
            y=alt.Y("share:Q", title="share at or below (0 to 1)"),
            color=_colour(groups),
            strokeDash=alt.StrokeDash(
                "group:N",
                sort=groups,
                scale=alt.Scale(domain=groups, range=DASHES[: len(groups)]),
                title=None,
            ),
        )
    ]
    if floor is not None:
        rule = alt.Chart(data([{"at": floor}])).mark_rule(strokeDash=[6, 3], strokeWidth=2)
        layers.append(rule.encode(x="at:Q"))
    chart = alt.layer(*layers).properties(
        title=f"{feature_words(feature).capitalize()}, cumulated",
        width=WIDTH,
        height=HEIGHT,
        description=f"Cumulated distribution of {feature_words(feature)} of {', '.join(groups)}",
    )
    return themed(chart)


def ridge(table: pl.DataFrame, feature: str) -> Any:
    """The distributions of many groups, such as days, one above the other.

    Args:
        table: what ``frames.histogram`` gave.
        feature: whose values they are.
    """
    groups = _groups(table)
    chart = (
        alt.Chart(data(_rows(table)))
        .mark_area(interpolate="monotone", fillOpacity=0.5, stroke=BLUE, color=BLUE)
        .encode(
            x=alt.X(
                "low:Q", scale=alt.Scale(domain=[0, 1]), title=f"{feature_words(feature)} (0 to 1)"
            ),
            y=alt.Y("share:Q", axis=None, scale=alt.Scale(range=[40, -14])),
        )
        .properties(width=WIDTH, height=40)
        .facet(
            row=alt.Row(
                "group:N",
                sort=groups,
                title=None,
                header=alt.Header(labelAngle=0, labelAlign="left"),
            ),
            spacing=0,
        )
        .properties(title=f"{feature_words(feature).capitalize()} of each group")
    )
    return themed(chart)


def by_day(table: pl.DataFrame, column: str, title: str) -> Any:
    """One figure of each day, as a line.

    Args:
        table: what ``frames.days`` gave.
        column: of the table.
        title: of the figure, with its unit.
    """
    rows = [
        {"day": str(row["day"]), "value": row[column]}
        for row in table.select("day", column).to_dicts()
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_line(point=alt.OverlayMarkDef(size=60), color=BLUE)
        .encode(
            x=alt.X("day:O", title="day (UTC)", axis=alt.Axis(labelAngle=-40)),
            y=alt.Y("value:Q", title=title),
            tooltip=["day:O", "value:Q"],
        )
        .properties(
            title=f"{title}, day by day",
            width=WIDTH,
            height=160,
            description=f"{title} of each day",
        )
    )
    return themed(chart)


def latency(table: pl.DataFrame) -> Any:
    """How long retrievals take: the share that is done within a time, a line a mode.

    Args:
        table: what ``frames.latencies`` gave.
    """
    groups = _groups(table)[:GROUPS]
    chart = (
        alt.Chart(data(_rows(table.filter(pl.col("group").is_in(groups)))))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(
                "ms:Q",
                scale=alt.Scale(type="symlog"),
                axis=alt.Axis(tickCount=5),
                title="latency (ms)",
            ),
            y=alt.Y("share:Q", scale=alt.Scale(domain=[0, 1]), title="share done within (0 to 1)"),
            color=_colour(groups),
            strokeDash=alt.StrokeDash(
                "group:N",
                sort=groups,
                scale=alt.Scale(domain=groups, range=DASHES[: len(groups)]),
                title=None,
            ),
        )
        .properties(
            title="How long a retrieval takes",
            width=WIDTH,
            height=HEIGHT,
            description=f"Cumulated latency of {', '.join(groups)}",
        )
    )
    return themed(chart)


def budgets(table: pl.DataFrame) -> Any:
    """How much of its character budget each block takes.

    Args:
        table: what ``frames.budgets`` gave.
    """
    chart = (
        alt.Chart(data(_rows(table)))
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", tickCount=6),
                title="share of the character budget that is used",
            ),
            x2="high:Q",
            y=alt.Y("count:Q", title="retrievals"),
        )
        .properties(
            title="How full the prompt's memory is",
            width=WIDTH,
            height=160,
            description="Histogram of the used share of the character budget",
        )
    )
    return themed(chart)
