"""Charts of the fusion design: what makes a place, who passes the floor, what a budget holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from memconform.fusion import FIGURES, Figures, Fused, Placed
from memconform.fusion.fuse import PARTS
from memconform.fusion.ranks import INJECTED_CHANNELS
from memconform.workbench.charts.base import data, names, themed
from memconform.workbench.charts.query import BARS, ROW, WIDE
from memconform.workbench.fusionstory import FATES, Account, Rung, Standing
from memconform.workbench.theme import BLUE, CATEGORICAL, GREY, VERMILION, YELLOW

# What a reader meets for the names of the code.
TOLD = {
    "semantic": "meaning",
    "bm25": "words",
    "graph": "entities",
    "time": "time",
    "tags": "tags",
    "confidence": "confidence",
    "n-grams": "letters",
    "synonym": "synonym",
    "tag": "tag",
}
_COLOURS = dict(
    zip(
        (*PARTS, "tags"),
        (*CATEGORICAL[:4], GREY, CATEGORICAL[4], CATEGORICAL[5], YELLOW, YELLOW),
        strict=True,
    )
)
_SIGNS = {"by its cosine": "✓", "by another signal": "✓", "by the fallback": "~", "removed": "✗"}
_FORMS = {"content": "whole (thick)", "capsule": "capsule", "reference": "pointer (thin)"}
_THICK = dict(zip(_FORMS.values(), (15, 7, 2), strict=True))


def weighted_sum(kept: Sequence[Fused]) -> Any:
    """What each signal adds to the score of each memory that stays, stacked, in their order."""
    rows = [(fused.signals.memory.id, fused.parts) for fused in kept]
    return _stacked(
        rows, PARTS, title="The weighted sum", axis="score (no absolute scale)", decimals=".4f"
    )


def reciprocal_ranks(placed: Sequence[Placed], figures: Figures = FIGURES) -> Any:
    """What each channel's rank adds to the place of each memory, stacked, in their order."""
    rows = [
        (
            each.signals.memory.id,
            {channel: 1 / (figures.rank_constant + rank) for channel, rank in each.ranks.items()},
        )
        for each in placed
    ]
    axis = f"sum of 1 / ({figures.rank_constant} + rank)"
    return _stacked(rows, INJECTED_CHANNELS, title="Reciprocal ranks", axis=axis, decimals=".5f")


def _stacked(
    told: Sequence[tuple[str, Mapping[str, float]]],
    parts: Sequence[str],
    *,
    title: str,
    axis: str,
    decimals: str,
) -> Any:
    drawn = told[:BARS]
    labels = names([id for id, _ in drawn])
    rows = [
        {"memory": label, "signal": TOLD[part], "order": place, "adds": adds[part]}
        for label, (_, adds) in zip(labels, drawn, strict=True)
        for place, part in enumerate(parts)
        if adds.get(part)
    ]
    signals = [TOLD[part] for part in parts]
    sums = ", ".join(f"{id} {sum(adds.values()):.4f}" for id, adds in drawn[:8])
    chart = (
        alt.Chart(data(rows))
        .mark_bar(stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("adds:Q", stack="zero", title=axis, axis=alt.Axis(tickCount=4)),
            # A memory that no signal speaks for has a row, too.
            y=alt.Y("memory:N", scale=alt.Scale(domain=labels), title=None),
            color=alt.Color(
                "signal:N",
                sort=signals,
                scale=alt.Scale(domain=signals, range=[_COLOURS[part] for part in parts]),
                title=None,
                legend=alt.Legend(orient="bottom", columns=4),
            ),
            order=alt.Order("order:Q"),
            tooltip=["memory:N", "signal:N", alt.Tooltip("adds:Q", format=decimals)],
        )
        .properties(
            title=title,
            width=WIDE,
            height=alt.Step(ROW),
            description=f"Stacked bars of what each signal adds for each memory: {sums}",
        )
    )
    return themed(chart)


def raw_floor(standings: Sequence[Standing], floor: float) -> Any:
    """The raw cosine of each memory, and the floor as a line; the variable ``floor`` moves it.

    Args:
        standings: those that stay in their order, then those that don't.
        floor: where the line stands.
    """
    drawn = standings[:BARS]
    labels = names([each.id for each in drawn])
    rows = [
        {
            "memory": label,
            "cosine": each.cosine or 0.0,
            "fate": each.fate,
            "told": f"{_SIGNS[each.fate]} "
            + ("no vector" if each.cosine is None else f"{each.cosine:.3f}"),
        }
        for label, each in zip(labels, drawn, strict=True)
    ]
    low = min([0.0, *(each.cosine or 0.0 for each in drawn)])
    y = alt.Y("memory:N", sort=labels, title=None)
    base = alt.Chart(data(rows))
    bars = base.mark_bar().encode(
        x=alt.X(
            "cosine:Q",
            scale=alt.Scale(domain=[low, 1], nice=False),
            title="raw cosine (−1 to 1)",
            axis=alt.Axis(tickCount=5),
        ),
        y=y,
        color=alt.Color(
            "fate:N",
            sort=list(FATES),
            scale=alt.Scale(domain=list(FATES), range=[BLUE, CATEGORICAL[2], YELLOW, GREY]),
            title=None,
            legend=alt.Legend(orient="bottom", columns=2),
        ),
        tooltip=["memory:N", "fate:N", alt.Tooltip("cosine:Q", format=".4f")],
    )
    figures = base.mark_text(align="left", dx=5, fontSize=11).encode(
        x=alt.value(WIDE), y=y, text="told:N"
    )
    rule = (
        alt.Chart(data([{}]))
        .mark_rule(color=VERMILION, strokeWidth=2, strokeDash=[6, 3])
        .transform_calculate(at="floor")
        .encode(x=alt.X("at:Q"))
    )
    told = ", ".join(f"{each.id} {each.cosine or 0.0:.3f} {each.fate}" for each in drawn[:8])
    chart = (
        (bars + figures + rule)
        .add_params(alt.param(name="floor", value=floor))
        .properties(
            title="The raw cosine and its floor",
            width=WIDE,
            height=alt.Step(ROW),
            description=f"Bars of the raw cosine of each memory, with the floor at {floor:.3f} "
            f"as a line: {told}",
        )
    )
    return themed(chart)


def ladder(rungs: Sequence[Rung], budget: float, *, ends: tuple[int, int]) -> Any:
    """In which form each memory is given at each budget; the variable ``budget`` moves the line.

    Args:
        rungs: of memories in their order.
        budget: where the line stands, in tokens.
        ends: the least and the largest budget that were tried.
    """
    ids = list(dict.fromkeys(rung.id for rung in rungs))[:BARS]
    labels = dict(zip(ids, names(ids), strict=True))
    rows = [
        {
            "memory": labels[rung.id],
            "from": rung.first,
            "to": rung.last,
            "form": _FORMS[rung.form],
            "tokens": rung.cost,
        }
        for rung in rungs
        if rung.id in labels
    ]
    forms = list(_THICK)
    bars = [
        alt.Chart(data([row for row in rows if row["form"] == form]))
        .mark_bar(size=thick)
        .encode(
            x=alt.X(
                "from:Q",
                scale=alt.Scale(domain=list(ends), nice=False),
                title="budget (tokens)",
                axis=alt.Axis(tickCount=6),
            ),
            x2="to:Q",
            y=alt.Y("memory:N", scale=alt.Scale(domain=list(labels.values())), title=None),
            color=alt.Color(
                "form:N",
                sort=forms,
                scale=alt.Scale(domain=forms, range=[BLUE, CATEGORICAL[1], GREY]),
                title=None,
                legend=alt.Legend(orient="bottom"),
            ),
            tooltip=["memory:N", "form:N", "tokens:Q", "from:Q", "to:Q"],
        )
        for form, thick in _THICK.items()
    ]
    rule = (
        alt.Chart(data([{}]))
        .mark_rule(color=VERMILION, strokeWidth=2, strokeDash=[6, 3])
        .transform_calculate(at="budget")
        .encode(x=alt.X("at:Q"))
    )
    chart = (
        alt.layer(*bars, rule)
        .add_params(alt.param(name="budget", value=budget))
        .properties(
            title="In which form, at which budget",
            width=360,
            height=alt.Step(ROW),
            description=f"Bars of the form of {len(ids)} memories at budgets from {ends[0]} to "
            f"{ends[1]} tokens, thick where they are whole, thin where they are pointers, "
            f"with the budget of {budget:g} as a line",
        )
    )
    return themed(chart)


def accounts(told: Sequence[Account]) -> Any:
    """What each account of a prompt may spend, and what it does spend."""
    rows = []
    for each in told:
        parts = (("used", each.used), ("unused", each.quota - each.used))
        rows += [
            {"account": each.name, "part": part, "order": place, "tokens": tokens}
            for place, (part, tokens) in enumerate(parts)
        ]
    figures = [{"account": each.name, "told": f"{each.used:,} of {each.quota:,}"} for each in told]
    y = alt.Y("account:N", sort=[each.name for each in told], title=None)
    bars = (
        alt.Chart(data(rows))
        .mark_bar(stroke="#555", strokeWidth=1)
        .encode(
            x=alt.X("tokens:Q", stack="zero", title="tokens", axis=alt.Axis(tickCount=4)),
            y=y,
            color=alt.Color(
                "part:N",
                sort=["used", "unused"],
                scale=alt.Scale(domain=["used", "unused"], range=[BLUE, "#EEEEEE"]),
                title=None,
                legend=alt.Legend(orient="bottom"),
            ),
            order=alt.Order("order:Q"),
            tooltip=["account:N", "part:N", "tokens:Q"],
        )
    )
    text = (
        alt.Chart(data(figures))
        .mark_text(align="left", dx=5, fontSize=11)
        .encode(x=alt.value(WIDE), y=y, text="told:N")
    )
    chart = (bars + text).properties(
        title="Four accounts of a prompt",
        width=WIDE,
        height=alt.Step(ROW),
        description="Bars of what each account may spend and does: "
        + ", ".join(f"{each.name} {each.used} of {each.quota} tokens" for each in told),
    )
    return themed(chart)
