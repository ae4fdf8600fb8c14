"""FusionExplorer: five channels of one question, the order that they make, and who is kept out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import ipywidgets as ipw  # type: ignore[import-untyped] # it ships no types
from markupsafe import Markup

from memconform.fusion import (
    Embedder,
    Floor,
    Gate,
    HashedProjection,
    Memory,
    Placed,
    Recalled,
    Weights,
    recall,
    reciprocal_rank_fusion,
    sight_of,
)
from memconform.fusion.fuse import CHANNELS, asks_about_time
from memconform.workbench import charts
from memconform.workbench.charts.fusion import TOLD
from memconform.workbench.fusionstory import Fate, Standing, diagnostics_words, standings, summary
from memconform.workbench.latest import Latest
from memconform.workbench.markup import (
    BAD,
    GOOD,
    MIDDLING,
    QUIET,
    code,
    figure,
    fragment,
    heading,
    marked,
    numeral,
    paragraph,
    short,
    table,
)

Order = Literal["weighted-sum", "reciprocal-ranks"]
PUBLISHED = 0.55  # the floor of the published design, for its embedder
CONTENT = 160  # characters of a content in a table
_STYLE = {"description_width": "140px"}
_ORDERS: tuple[tuple[str, Order], ...] = (
    ("weighted sum, as recall does", "weighted-sum"),
    ("reciprocal ranks, as injection does", "reciprocal-ranks"),
)
_GATES: tuple[tuple[str, Gate], ...] = (
    ("any raw signal is enough", "any-signal"),
    ("the raw cosine alone", "cosine-alone"),
)
_WEIGHTS: tuple[tuple[str, str, str], ...] = (
    ("semantic", "Meaning", "of a normalised cosine above one half"),
    ("weak_semantic", "Meaning, weak", "of a normalised cosine up to one half"),
    ("bm25", "Words (BM25)", "of the shared words"),
    ("graph", "Entities", "of the shared entities"),
    ("time", "Time", "of how new it is, where the question asks about time"),
    ("confidence", "Confidence", "of the stored confidence"),
)
_SIGNS: dict[Fate, tuple[str, str]] = {
    "by its cosine": ("✓", GOOD),
    "by another signal": ("✓", GOOD),
    "by the fallback": ("~", MIDDLING),
    "removed": ("✗", BAD),
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the widget's controls stand at."""

    query: str
    weights: Weights
    floor: Floor
    order: Order
    gate: Gate


@dataclass(frozen=True)
class Shown:
    """What came of it: the answer, and those of its memories that hold, merged by rank."""

    asked: Asked
    recalled: Recalled
    placed: tuple[Placed, ...]

    @property
    def orders(self) -> dict[Order, tuple[str, ...]]:
        """Who stays, by both orders."""
        return {
            "weighted-sum": tuple(f.signals.memory.id for f in self.recalled.kept),
            "reciprocal-ranks": tuple(p.signals.memory.id for p in self.placed),
        }


class FusionExplorer:
    """One question, its channels, their weights and the floor.

    Displaying it in a notebook shows the widget. ``ask`` does from code what a person does by
    hand; ``recalled``, ``placed`` and ``ids`` are what stands there.

    Args:
        memories: all that are in scope; each id once.
        now: the time of every question, seconds since 1970 UTC.
        embedder: None means the built-in projection.
        floor: of this embedder; None means 0.55.
        query: what is asked first.

    Raises:
        ValueError: the floor belongs to another embedder.
    """

    def __init__(
        self,
        memories: Sequence[Memory],
        *,
        now: float,
        embedder: Embedder | None = None,
        floor: Floor | None = None,
        query: str = "",
    ) -> None:
        self._embedder: Embedder = embedder or HashedProjection()
        self._sight = sight_of(tuple(memories), self._embedder, now)
        name = self._embedder.name
        start = (floor or Floor(PUBLISHED, name)).for_embedder(name)
        self._shown: Shown
        self._standings: tuple[Standing, ...] = ()
        self._latest: Latest[Asked, Shown] = Latest(self._recall, self._show, self._failed)
        self._quiet = True
        self._make(query, start)
        self._quiet = False
        self.ask()

    # --- what a person can move ----------------------------------------------------------------

    def _make(self, query: str, start: Floor) -> None:
        wide = ipw.Layout(width="98%")
        self.query = ipw.Text(
            value=query,
            description="Query",
            placeholder="type a question, then Enter",
            tooltip="The question that memories are looked up for",
            continuous_update=False,
            style=_STYLE,
            layout=ipw.Layout(width="99%"),
        )
        self.order = ipw.Dropdown(
            options=_ORDERS,
            description="Order by",
            tooltip="How the channels make one order",
            style=_STYLE,
            layout=wide,
        )
        self.gate = ipw.Dropdown(
            options=_GATES,
            description="What lets in",
            tooltip="What a memory needs to stay",
            style=_STYLE,
            layout=wide,
        )
        self.floor = _slider("Floor (cosine)", start.cosine, "The least raw cosine that is enough")
        weights = self._embedder.weights
        self._weights = {
            name: _slider(label, getattr(weights, name), f"The weight {of}, 0 to 1")
            for name, label, of in _WEIGHTS
        }
        self._told = ipw.HTML()
        self._tables = ipw.HTML()
        self._made = charts.shown(charts.nothing())
        self._floor_chart = charts.shown(charts.nothing())
        self._flow = charts.shown(charts.nothing())
        row = ipw.Layout(flex_flow="row wrap")
        grid = ipw.Layout(grid_template_columns="50% 50%")
        controls = [self.order, self.gate, self.floor, *self._weights.values()]
        # Both weights of meaning beside each other.
        controls.insert(3, controls.pop())
        self.widget = ipw.VBox(
            [
                self.query,
                ipw.GridBox(controls, layout=grid),
                self._told,
                ipw.HBox([self._floor_chart, self._made], layout=row),
                self._tables,
                self._flow,
            ],
            layout=ipw.Layout(max_width="1000px"),
        )
        for control in self._controls.values():
            control.observe(self._moved, names="value")

    @property
    def _controls(self) -> dict[str, Any]:
        ways = {"query": self.query, "order": self.order, "gate": self.gate, "floor": self.floor}
        return ways | self._weights

    def _asked(self) -> Asked:
        return Asked(
            query=self.query.value,
            weights=self.weights,
            floor=Floor(_exact(self.floor.value), self._embedder.name),
            order=self.order.value,
            gate=self.gate.value,
        )

    def _moved(self, _: Any) -> None:
        if not self._quiet:
            self._latest.ask(self._asked())

    # --- what comes of it ----------------------------------------------------------------------

    @property
    def weights(self) -> Weights:
        """Where the sliders stand."""
        return Weights(**{name: _exact(each.value) for name, each in self._weights.items()})

    @property
    def recalled(self) -> Recalled:
        """The answer by the weighted sum, with what lets each memory in."""
        return self._shown.recalled

    @property
    def placed(self) -> tuple[Placed, ...]:
        """Those of its memories that hold, merged by rank."""
        return self._shown.placed

    @property
    def ids(self) -> tuple[str, ...]:
        """Who stays, in the order that is chosen."""
        return self._shown.orders[self._shown.asked.order]

    def ask(self, query: str | None = None, **controls: Any) -> Recalled:
        """Ask at once and show what comes of it.

        Args:
            query: the question; None leaves the one that stands there.
            controls: new values of the other controls, by their names: ``order``
                (``weighted-sum`` or ``reciprocal-ranks``), ``gate`` (``any-signal`` or
                ``cosine-alone``), ``floor``, and the fields of ``Weights``.

        Raises:
            TypeError: there is no such control.
        """
        if query is not None:
            controls["query"] = query
        known = self._controls
        if unknown := set(controls) - set(known):
            raise TypeError(f"there is no control {min(unknown)!r}; there are {', '.join(known)}")
        self._quiet = True
        try:
            for name, value in controls.items():
                known[name].value = value
        finally:
            self._quiet = False
        self._latest.forget()
        self._show(self._recall(self._asked()))
        return self.recalled

    def _recall(self, asked: Asked) -> Shown:
        found = recall(
            asked.query, self._sight, asked.floor, weights=asked.weights, gate=asked.gate
        )
        # What is superseded is never injected, so ranks are given without it.
        holding = [f.signals for f in found.kept if f.signals.memory.superseded_by is None]
        return Shown(asked, found, reciprocal_rank_fusion(holding))

    def _show(self, told: Shown) -> None:
        asked, before = told.asked, getattr(self, "_shown", None)
        self._shown = told
        order = standings(told.recalled, asked.floor)
        for slider in self._weights.values():
            slider.disabled = asked.order == "reciprocal-ranks"  # ranks have no weights
        sentence = summary(told.recalled, asked.floor, self._embedder.generalises)
        self._told.value = str(
            fragment(figure(sentence), paragraph(diagnostics_words(told.recalled), kind=QUIET))
        )
        self._tables.value = str(
            fragment(who_stays(order, self.ids), channels_of(told.recalled, asked))
        )
        pictured = [(each.id, each.cosine, each.fate) for each in order]
        if before is None or pictured != [(e.id, e.cosine, e.fate) for e in self._standings]:
            charts.replace(self._floor_chart, charts.raw_floor(order, asked.floor.cosine))
        else:
            # The same bars: the line alone moves.
            charts.set_variables(self._floor_chart, floor=asked.floor.cosine)
        self._standings = order
        self._draw_orders(told, before)

    def _draw_orders(self, told: Shown, before: Shown | None) -> None:
        by_rank = told.asked.order == "reciprocal-ranks"
        for chart in (self._made, self._flow):
            chart.layout.display = "" if told.recalled.kept else "none"
        if before is not None and (before.recalled.kept, before.placed, before.asked.order) == (
            told.recalled.kept,
            told.placed,
            told.asked.order,
        ):
            return
        charts.replace(
            self._made,
            charts.reciprocal_ranks(told.placed)
            if by_rank
            else charts.weighted_sum(told.recalled.kept),
        )
        charts.replace(
            self._flow,
            charts.flow(
                *told.orders.values(),
                sides=("weighted sum", "reciprocal ranks"),
                title="Both orders",
                both="stays in both",
            ),
        )

    def _failed(self, error: Exception) -> None:
        self._told.value = str(fragment(paragraph(f"That did not work: {error}")))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


def who_stays(order: Sequence[Standing], ids: Sequence[str]) -> Markup:
    """Why each memory was kept or not, in words.

    Args:
        order: every memory.
        ids: those that have a place, in the order that is chosen.
    """
    places = {id: place for place, id in enumerate(ids, 1)}
    rows = []
    for each in sorted(order, key=lambda each: places.get(each.id, len(order) + 1)):
        memory = each.signals.memory
        rows.append(
            [
                places.get(each.id, ""),
                code(each.id),
                _fate(each, each.id in places),
                each.why,
                each.fused.reason if each.fused is not None else "",
                memory.kind + (", superseded" if memory.superseded_by else ""),
                short(memory.content, CONTENT),
            ]
        )
    columns = ["place", "memory", "fate", "why", "reason given", "kind", "content"]
    if not rows:
        return Markup("")
    return heading("Why each was kept or not") + table(
        columns, rows, caption="memories, and why each was kept or not"
    )


def channels_of(told: Recalled, asked: Asked) -> Markup:
    """The channels of those that stay: raw, and divided by the best of the channel."""
    if not told.kept:
        return Markup("")
    rows = [
        [
            code(f.signals.memory.id),
            *(numeral(_both(f.raw[c], f.normalised[c])) for c in CHANNELS),
            numeral(f"{f.signals.ngrams:.2f}"),
            f.signals.synonym,
            numeral(f"{f.score:.4f}"),
        ]
        for f in told.kept
    ]
    columns = ["memory", *(TOLD[c] for c in CHANNELS), "letters", "synonym", "weighted sum"]
    note = "Raw → normalised: a channel's best is 1, whatever its scale."
    if not asks_about_time(asked.query):
        note += " The question does not ask about time, so time is not weighed."
    return (
        heading("What each channel says")
        + paragraph(note, kind=QUIET)
        + table(columns, rows, caption="raw and normalised scores of each channel")
    )


def _both(raw: float, normal: float) -> str:
    return "–" if raw <= 0 else f"{raw:.3f} → {normal:.2f}"


def _fate(standing: Standing, placed: bool) -> Markup:
    if standing.fused is not None and not placed:
        return marked("–", "not injected", QUIET)
    sign, kind = _SIGNS[standing.fate]
    return marked(sign, "removed" if standing.fused is None else "stays", kind)


def _slider(name: str, value: float, tooltip: str) -> Any:
    return ipw.FloatSlider(
        value=value,
        min=0,
        max=1,
        step=0.01,
        readout_format=".2f",
        description=name,
        tooltip=tooltip,
        style=_STYLE,
        layout=ipw.Layout(width="98%"),
    )


def _exact(value: float) -> float:
    """The figure that a slider's position stands for: 0.15, not what is near it."""
    return round(value, 4)
