"""Charts of one query: who passes the gate, what makes the scores, who ends where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt

from memconform.retrieval import FOUNDATION, Constants, Retrieval
from memconform.retrieval.context import STATEMENTS
from memconform.workbench import story
from memconform.workbench.charts.base import data, names, themed
from memconform.workbench.theme import BLUE, CATEGORICAL, GREY, VERMILION, YELLOW

BARS = 25  # candidates drawn; the ones behind them are in the table
ROW = 22  # pixels a bar
NAMED = 115  # pixels of a name to the left of a line
WIDE = 210  # pixels; two of these stand side by side in a notebook
_GATE = "datum.coverage >= floor ? 'passes' : datum.hinted ? 'passes by its type' : 'refused'"


Told = Retrieval | Sequence[story.Candidate]


def _best(told: Told, constants: Constants = FOUNDATION) -> Sequence[story.Candidate]:
    found = story.candidates(told, constants) if isinstance(told, Retrieval) else told
    return found[:BARS]


def gate(told: Told, *, floor: float | None = None) -> Any:
    """Coverage of each candidate, and the floor as a line; the variable ``floor`` moves it.

    Args:
        told: a retrieval, or candidates best first; ``BARS`` of them are drawn at most.
        floor: where the line stands first; else the floor of the retrieval's own gate. 0 means
            that any shared token passes.
    """
    first = floor
    if first is None:
        first = told.question.gate.floor if isinstance(told, Retrieval) else None
    first = first or 0.0
    drawn = _best(told)
    labels = names([each.id for each in drawn])
    rows = [
        {
            "memory": label,
            "coverage": each.features.lexical,
            "hinted": each.features.type_affinity > 0,
            "told": f"{each.features.lexical:.6g}",
        }
        for label, each in zip(labels, drawn, strict=True)
    ]
    line = alt.param(name="floor", value=first)
    y = alt.Y("memory:N", sort=labels, title=None)
    base = alt.Chart(data(rows)).transform_calculate(gate=_GATE)
    colours = alt.Scale(
        domain=["passes", "passes by its type", "refused"], range=[BLUE, CATEGORICAL[2], GREY]
    )
    bars = base.mark_bar().encode(
        x=alt.X(
            "coverage:Q",
            scale=alt.Scale(domain=[0, 1]),
            title="coverage (share of tokens, 0 to 1)",
            axis=alt.Axis(tickCount=5),
        ),
        y=y,
        color=alt.Color("gate:N", scale=colours, title="gate", legend=alt.Legend(orient="bottom")),
        opacity=alt.condition(alt.datum.gate == "refused", alt.value(0.45), alt.value(1)),
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
    chart = (
        (bars + figures + rule)
        .add_params(line)
        .properties(
            title="Coverage and the floor",
            width=WIDE,
            height=alt.Step(ROW),
            description=_gate_words(drawn, first),
        )
    )
    return themed(chart)


def _gate_words(drawn: Sequence[story.Candidate], floor: float) -> str:
    told = ", ".join(f"{each.id} {each.features.lexical:.3f}" for each in drawn[:8])
    return f"Bars of coverage for each candidate, with the floor at {floor:.3f} as a line: {told}"


def score_composition(told: Told, constants: Constants = FOUNDATION) -> Any:
    """What each feature adds to the final score of each candidate, stacked."""
    drawn = _best(told, constants)
    labels = names([each.id for each in drawn])
    features = [label for _, label in story.FEATURES]
    rows = [
        {"memory": label, "feature": feature, "order": place, "adds": adds}
        for label, each in zip(labels, drawn, strict=True)
        for place, (feature, adds) in enumerate(zip(features, each.contributions, strict=True))
    ]
    chart = (
        alt.Chart(data(rows))
        .mark_bar(stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "adds:Q",
                stack="zero",
                scale=alt.Scale(domain=[0, 1]),
                title="final score (weight × feature, 0 to 1)",
                axis=alt.Axis(tickCount=5),
            ),
            y=alt.Y("memory:N", sort=labels, title=None),
            color=alt.Color(
                "feature:N",
                sort=features,
                scale=alt.Scale(domain=features, range=[*CATEGORICAL[:5], YELLOW]),
                title="feature",
                legend=alt.Legend(orient="bottom", columns=3),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("memory:N"),
                alt.Tooltip("feature:N"),
                alt.Tooltip("adds:Q", format=".4f"),
            ],
        )
        .properties(
            title="What the score is made of",
            width=WIDE,
            height=alt.Step(ROW),
            description="Stacked bars of what each feature adds to the score of each candidate",
        )
    )
    return themed(chart)


def rank_flow(before: Retrieval, after: Retrieval) -> Any:
    """Where each memory stands in the block before and after a change of the gate.

    Args:
        before: one retrieval, such as with the historical gate.
        after: another one of the same query over the same memories.
    """
    return flow(
        before.selected_ids,
        after.selected_ids,
        both="in the block both times",
        once="only once",
        place="place in the block",
    )


def flow(
    before: Sequence[str],
    after: Sequence[str],
    *,
    sides: tuple[str, str] = ("before", "after"),
    title: str = "Who moved",
    both: str = "on both sides",
    once: str = "on one side only",
    place: str = "place",
) -> Any:
    """Where each memory stands in two orders.

    Args:
        before: ids, the first one first; no more than ``BARS`` of them are drawn.
        after: those of the other order.
        sides: what the two orders are.
        title: of the chart.
        both: what a memory is called that stands in both orders.
        once: what one is called that doesn't.
        place: what a place is a place in.
    """
    orders = dict(zip(sides, (before[:BARS], after[:BARS]), strict=True))
    ids = list(dict.fromkeys([*before[:BARS], *after[:BARS]]))
    labels = dict(zip(ids, names(ids), strict=True))
    out = 1 + max(map(len, orders.values()))
    stay = set(before) & set(after)
    left_out = any(id not in order for order in orders.values() for id in ids)
    height = out if left_out else out - 1
    rows = []
    for side, order in orders.items():
        places = {id: at for at, id in enumerate(order, 1)}
        rows += [
            {
                "side": side,
                "memory": labels[id],
                "place": places.get(id, out),
                "fate": both if id in stay else once,
                "named": "right" if id in orders[sides[1]] else "left",
            }
            for id in ids
        ]
    base = alt.Chart(data(rows)).encode(
        x=alt.X(
            "side:N",
            sort=list(sides),
            scale=alt.Scale(type="point", padding=1.2),
            title=None,
            axis=alt.Axis(labelAngle=0, orient="top"),
        ),
        y=alt.Y(
            "place:Q",
            scale=alt.Scale(domain=[height + 0.3, 0.7]),
            axis=alt.Axis(
                values=list(range(1, height + 1)),
                labelExpr=f"datum.value == {out} ? 'left out' : format(datum.value, 'd')",
                grid=False,
            ),
            title=place,
        ),
        detail="memory:N",
        color=alt.Color(
            "fate:N",
            scale=alt.Scale(domain=[both, once], range=[BLUE, VERMILION]),
            title=None,
            legend=alt.Legend(orient="bottom"),
        ),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash(
            "fate:N",
            scale=alt.Scale(domain=[both, once], range=[[1, 0], [5, 3]]),
            legend=None,
        )
    )
    points = base.mark_point(filled=True, size=60)
    # A name stands where its memory has a place: to the right, else to the left.
    right = base.transform_filter(
        f"datum.side === {json.dumps(sides[1])} && datum.named === 'right'"
    ).mark_text(align="left", dx=9, fontSize=11)
    left = base.transform_filter(
        f"datum.side === {json.dumps(sides[0])} && datum.named === 'left'"
    ).mark_text(align="right", dx=-9, fontSize=11, limit=NAMED)
    text = (right + left).encode(text="memory:N")
    told = ", ".join(f"{id} {_place(id, before)} and {_place(id, after)}" for id in ids[:8])
    chart = (lines + points + text).properties(
        title=title,
        width=360,
        height=26 * height,
        description=f"Lines from the places of memories, {sides[0]}, to those, {sides[1]}: {told}",
    )
    return themed(chart)


def _place(id: str, order: Sequence[str]) -> str:
    return str(order.index(id) + 1) if id in order else "left out"


def budget_use(retrieval: Retrieval) -> Any:
    """How the character budget is spent: the frame, each memory, and what is left."""
    budget = retrieval.trace.prompt_character_budget
    lines = retrieval.block.split("\n")
    # First and last line and the two statements frame the block; a memory is one line.
    memories = lines[1 + len(STATEMENTS) : -1]
    frame = len(retrieval.block) - sum(len(line) for line in memories)
    labels = names(list(retrieval.selected_ids))
    parts = [("frame", frame if retrieval.block else 0)]
    parts += [(label, len(line)) for label, line in zip(labels, memories, strict=True)]
    parts.append(("free", max(0, budget - len(retrieval.block))))
    kinds = {"frame": "frame", "free": "free"}
    rows = [
        {"part": part, "kind": kinds.get(part, "memory"), "order": place, "characters": size}
        for place, (part, size) in enumerate(parts)
    ]
    order = [part for part, _ in parts]
    chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X(
                "characters:Q",
                title=f"characters (code points) of {budget:,}",
                axis=alt.Axis(tickCount=5),
            ),
            y=alt.Y("part:N", sort=order, title=None),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=["frame", "memory", "free"], range=[GREY, BLUE, "#DDDDDD"]),
                title=None,
                legend=alt.Legend(orient="bottom"),
            ),
            tooltip=["part:N", "characters:Q"],
        )
        .properties(
            title="What the budget is spent on",
            width=WIDE,
            height=alt.Step(ROW),
            description=f"{len(retrieval.block)} of {budget} characters are used",
        )
    )
    return themed(chart)
