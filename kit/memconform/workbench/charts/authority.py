"""Charts of the authority design: the map of its decisions, and a belief over time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt

from memconform.authority import POLICY
from memconform.model.authority import Action, ClaimKind, DecisionPolicy, Reason
from memconform.workbench.authoritystory import Point, Region, least_belief_by_risk
from memconform.workbench.charts.base import data, themed
from memconform.workbench.theme import BLUE, GREEN, GREY, HEIGHT, ORANGE, VERMILION, WIDTH

MAP = 320  # pixels along a side of the map
TOLD = 60  # reports that are named in the line
ACTIONS: tuple[Action, ...] = ("use", "verify", "ignore")
_COLOURS = dict(zip(ACTIONS, (BLUE, ORANGE, GREY), strict=True))
_SHAPES = dict(zip(ACTIONS, ("circle", "triangle-up", "cross"), strict=True))
_SHORT: dict[Reason, str] = {
    "claim_not_active": "not active",
    "claim_expired": "expired",
    "harmful_quarantine": "harm",
    "low_relevance": "relevance",
    "stale_memory": "age",
    "belief_below_use_threshold": "belief",
    "risk_above_use_threshold": "risk",
    "authority_thresholds_passed": "",
}


def decision_map(
    regions: Sequence[Region],
    *,
    kind: ClaimKind,
    harmful_count: int,
    belief: float,
    relevance: float,
    policy: DecisionPolicy = POLICY,
) -> Any:
    """What is decided at every belief and relevance; ``belief`` and ``relevance`` move the cross.

    Args:
        regions: of ``authoritystory.regions``.
        kind: of the claim.
        harmful_count: how often it did harm.
        belief: where the cross stands first, 0..1.
        relevance: the same, 0..1.
        policy: whose thresholds are drawn.
    """
    unit = alt.Scale(domain=[0, 1], nice=False)
    rows = [
        {
            "left": region.belief[0],
            "right": region.belief[1],
            "low": region.relevance[0],
            "high": region.relevance[1],
            "x": sum(region.belief) / 2,
            "decision": region.action,
            "words": _words(region),
        }
        for region in regions
    ]
    colours = alt.Scale(domain=list(ACTIONS), range=[_COLOURS[action] for action in ACTIONS])
    axis = alt.Axis(tickCount=5, grid=False)
    base = alt.Chart(data(rows))
    areas = base.mark_rect(opacity=0.32, stroke="white").encode(
        x=alt.X("left:Q", scale=unit, title="belief (0 to 1)", axis=axis),
        x2="right:Q",
        y=alt.Y("low:Q", scale=unit, title="relevance (0 to 1)", axis=axis),
        y2="high:Q",
        color=alt.Color("decision:N", scale=colours, legend=None),
        tooltip=["decision:N", "left:Q", "right:Q", "low:Q", "high:Q"],
    )
    # At the top of its region a name is seldom under the cross.
    names = base.mark_text(fontSize=11, lineBreak="\n", color="#222", baseline="top", dy=6).encode(
        x=alt.X("x:Q", scale=unit), y=alt.Y("high:Q", scale=unit), text="words:N"
    )
    cross = alt.Chart(data([{}])).transform_calculate(atBelief="belief", atRelevance="relevance")
    line: dict[str, Any] = {"color": VERMILION, "strokeWidth": 1.5, "strokeDash": [6, 3]}
    upright = cross.mark_rule(**line).encode(x=alt.X("atBelief:Q", scale=unit))
    level = cross.mark_rule(**line).encode(y=alt.Y("atRelevance:Q", scale=unit))
    here = cross.mark_point(
        shape="diamond", filled=True, size=120, color=VERMILION, opacity=1, stroke="white"
    ).encode(x=alt.X("atBelief:Q", scale=unit), y=alt.Y("atRelevance:Q", scale=unit))
    thresholds = _thresholds(kind, harmful_count, policy, unit)
    harm = f", {harmful_count} harmful" if harmful_count else ""
    chart = (
        (areas + thresholds + names + upright + level + here)
        .add_params(
            alt.param(name="belief", value=belief), alt.param(name="relevance", value=relevance)
        )
        .properties(
            title=f"What is decided on a {kind}{harm}",
            width=MAP,
            height=MAP,
            description=_map_words(regions, kind, belief, relevance),
        )
    )
    return themed(chart)


def _words(region: Region) -> str:
    reasons = [_SHORT[reason] for reason in region.reasons if _SHORT[reason]]
    return "\n".join([region.action, *reasons])


def _thresholds(kind: ClaimKind, harmful_count: int, policy: DecisionPolicy, unit: Any) -> Any:
    """Thin dotted lines at what the policy says, with the figure at their end."""
    upright = [(policy.use_belief, f"belief {policy.use_belief:g}")]
    risk = least_belief_by_risk(kind, harmful_count, policy)
    if 0 < risk < 1:
        upright.append((risk, f"risk {policy.most_risk:g}"))
    upright.sort()
    dotted: dict[str, Any] = {"color": "#222", "strokeWidth": 1, "strokeDash": [2, 2]}
    lines = (
        alt.Chart(data([{"at": at} for at, _ in upright]))
        .mark_rule(**dotted)
        .encode(x=alt.X("at:Q", scale=unit))
    )
    # Two that are near each other are named on the two sides of the pair.
    labels = [
        alt.Chart(data([{"at": at, "name": name}]))
        .mark_text(align="right" if place == 0 else "left", fontSize=11, dy=-8)
        .encode(x=alt.X("at:Q", scale=unit), y=alt.value(0), text="name:N")
        for place, (at, name) in enumerate(upright)
    ]
    floor = alt.Chart(data([{"at": policy.least_relevance, "name": f"{policy.least_relevance:g}"}]))
    level = floor.mark_rule(**dotted).encode(y=alt.Y("at:Q", scale=unit))
    told = floor.mark_text(align="left", dx=4, fontSize=11).encode(
        x=alt.value(MAP), y=alt.Y("at:Q", scale=unit), text="name:N"
    )
    return alt.layer(lines, level, told, *labels)


def _map_words(regions: Sequence[Region], kind: ClaimKind, belief: float, relevance: float) -> str:
    parts = "; ".join(
        f"{' '.join(_words(region).split())} at belief {region.belief[0]:.3g} to "
        f"{region.belief[1]:.3g} and relevance {region.relevance[0]:.3g} to "
        f"{region.relevance[1]:.3g}"
        for region in regions
    )
    return (
        f"Map of the decisions on a {kind}: {parts}. A cross at belief {belief:.3f} and relevance "
        f"{relevance:.3f}."
    )


def belief_line(
    points: Sequence[Point],
    *,
    policy: DecisionPolicy = POLICY,
    title: str = "Belief and risk, report by report",
    width: int = WIDTH,
) -> Any:
    """Belief and risk of a claim as lines, the decisions on it as points of their own shapes.

    Args:
        points: of ``authoritystory``; with times they stand on an axis of time, else one after
            the other.
        policy: whose thresholds are drawn.
        title: of the chart.
        width: in pixels, without the axis and the names of the thresholds.
    """
    timed = bool(points) and all(point.at is not None for point in points)
    rows = [_row(place, point) for place, point in enumerate(points)]
    x: Any
    if timed:
        x = alt.X("at:T", scale=alt.Scale(type="utc"), title="time (UTC)")
    else:
        x = alt.X(
            "place:Q",
            scale=alt.Scale(domain=[-0.3, max(1, len(points) - 1) + 0.3], nice=False),
            axis=alt.Axis(
                values=list(range(len(points))),
                labelExpr=f"{json.dumps([p.happened for p in points])}[datum.value]",
                labelAngle=-40,
                grid=False,
            ),
            title="reports, one after the other",
        )
    unit = alt.Scale(domain=[0, 1], nice=False)
    series = ["belief", "risk"]
    colour = alt.Color(
        "line:N",
        sort=series,
        scale=alt.Scale(domain=series, range=[GREEN, VERMILION]),
        title=None,
        legend=alt.Legend(orient="bottom", symbolType="stroke", symbolSize=300),
    )
    dash = alt.StrokeDash(
        "line:N",
        sort=series,
        scale=alt.Scale(domain=series, range=[[1, 0], [6, 3]]),
        title=None,
    )
    long = [
        {"at": row["at"], "place": row["place"], "line": name, "value": row[name]}
        for row in rows
        for name in series
    ]
    how: Any = "step-after" if timed else "linear"
    lines = (
        alt.Chart(data(long))
        .mark_line(interpolate=how, strokeWidth=2)
        .encode(x=x, y=alt.Y("value:Q", scale=unit, title="0 to 1"), color=colour, strokeDash=dash)
    )
    decided = [action for action in ACTIONS if any(row["decision"] == action for row in rows)]
    marks = (
        alt.Chart(data([row for row in rows if row["decision"]]))
        .mark_point(filled=True, size=90, opacity=1, stroke="white", strokeWidth=1)
        .encode(
            x=x,
            y=alt.Y("belief:Q", scale=unit),
            shape=alt.Shape(
                "decision:N",
                scale=alt.Scale(domain=decided, range=[_SHAPES[action] for action in decided]),
                legend=alt.Legend(orient="bottom", title=None),
            ),
            fill=alt.Fill(
                "decision:N",
                scale=alt.Scale(domain=decided, range=[_COLOURS[action] for action in decided]),
                title=None,
            ),
            tooltip=["happened:N", "decision:N", "reasons:N", "belief:Q", "risk:Q"],
        )
    )
    # Without times the axis says what happened.
    named = [row for row in rows if timed and row["happened"] not in ("new", "asked")]
    names = (
        alt.Chart(data(named if len(named) <= TOLD else []))
        .mark_text(fontSize=10, angle=270, align="right", baseline="top", dx=-4, dy=3)
        .encode(x=x, y=alt.value(0), text="happened:N")
    )
    floors = [
        {"at": policy.use_belief, "name": f"belief at least {policy.use_belief:g}"},
        {"at": policy.most_risk, "name": f"risk at most {policy.most_risk:g}"},
    ]
    level = (
        alt.Chart(data(floors))
        .mark_rule(color="#222", strokeWidth=1, strokeDash=[2, 2])
        .encode(y=alt.Y("at:Q", scale=unit))
    )
    levels = (
        alt.Chart(data(floors))
        .mark_text(align="left", fontSize=10, dx=4)
        .encode(x=alt.value(width), y=alt.Y("at:Q", scale=unit), text="name:N")
    )
    chart = (level + levels + lines + marks + names).properties(
        title=title, width=width, height=HEIGHT, description=_line_words(points)
    )
    return themed(chart)


def _row(place: int, point: Point) -> dict[str, Any]:
    decision = point.decision
    return {
        "place": place,
        "at": point.at,
        "happened": point.happened,
        "belief": point.belief.score,
        "risk": point.risk,
        "decision": decision and decision.action,
        "reasons": ", ".join(decision.reasons) if decision else "",
    }


def _line_words(points: Sequence[Point]) -> str:
    told = ", ".join(
        f"{point.happened} {point.belief.score:.3f}"
        + (f" {point.decision.action}" if point.decision else "")
        for point in points[:12]
    )
    more = f" and {len(points) - 12} more" if len(points) > 12 else ""
    return f"A line of belief and one of risk, with the decisions as points: {told}{more}"
