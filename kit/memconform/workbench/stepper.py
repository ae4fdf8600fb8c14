"""PipelineStepper: type a query and watch it go through every stage, as far as the prompt."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ipywidgets as ipw  # type: ignore[import-untyped] # it ships no types

from memconform.model import Access, Policy, Record, RelevanceMode
from memconform.retrieval import Constants, Pipeline, Retrieval, RetrievalRequest
from memconform.retrieval.tokens import has_cjk
from memconform.workbench import charts, html
from memconform.workbench.latest import Latest
from memconform.workbench.markup import figure, fragment, paragraph
from memconform.workbench.places import places_of

# Positions of a floor's slider: hundredths and thirds are both among them.
STEPS = 300
_WIDE = {"description_width": "130px"}
_GATES: tuple[tuple[str, RelevanceMode], ...] = (
    ("foundation: a floor", "foundation-v1"),
    ("historical: any shared token", "historical-v1"),
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the widget's controls stand at."""

    query: str
    access: Access
    mode: RelevanceMode
    floor: float
    cjk_floor: float
    limit: int
    budget: int


class PipelineStepper:
    """A query, its controls, and every step of its retrieval.

    Displaying it in a notebook shows the widget. ``ask`` does from code what a person does by
    hand, and ``retrieval`` is what stands there.

    Args:
        records: the memories that there are.
        now: the time of every retrieval, ISO 8601 UTC.
        places: name -> whose place a caller may be at; else every workspace of the records, and
            nobody's.
        policy: the settings in force; its record limit is the top of the slider.
        pipeline: how a query is answered; its floors are where the sliders stand first.
        query: what is asked first.
        place: from where it is asked first; else the first of ``places``.
    """

    def __init__(
        self,
        records: Sequence[Record],
        *,
        now: str,
        places: Mapping[str, Access] | None = None,
        policy: Policy | None = None,
        pipeline: Pipeline | None = None,
        query: str = "",
        place: str | None = None,
    ) -> None:
        self._records = tuple(records)
        self._now = now
        self._pipeline = pipeline or Pipeline()
        self._policy = policy or Policy(max_injected_records=8)
        self._tokens = {record.id: self._pipeline.token_set(record) for record in self._records}
        self._places = dict(places if places is not None else places_of(records))
        self.retrieval: Retrieval
        self._latest: Latest[Asked, tuple[Asked, Retrieval]] = Latest(
            self._retrieve, self._show, self._failed
        )
        self._make(query, place if place is not None else next(iter(self._places)))
        self._quiet = False
        self.ask()

    # --- what a person can move ----------------------------------------------------------------

    def _make(self, query: str, place: str) -> None:
        constants = self._pipeline.constants
        wide = ipw.Layout(width="98%")
        self.query = ipw.Text(
            value=query,
            description="Query",
            placeholder="type a question, then Enter",
            tooltip="The question that memories are looked up for",
            continuous_update=False,
            style=_WIDE,
            layout=ipw.Layout(width="99%"),
        )
        self.place = ipw.Dropdown(
            options=list(self._places),
            value=place,
            description="Asked from",
            tooltip="The workspace of whoever asks",
            style=_WIDE,
            layout=wide,
        )
        self.mode = ipw.Dropdown(
            options=_GATES, description="Gate", tooltip="Which gate", style=_WIDE, layout=wide
        )
        self.floor = _floor("Floor", constants.floor, "a query without a CJK character")
        self.cjk_floor = _floor("Floor, CJK", constants.cjk_floor, "a query with CJK text")
        self.limit = ipw.IntSlider(
            value=self._policy.max_injected_records,
            min=0,
            max=self._policy.max_injected_records,
            description="K (memories)",
            tooltip="The most memories that may enter the prompt",
            style=_WIDE,
            layout=wide,
        )
        self.budget = ipw.IntSlider(
            value=constants.prompt_character_budget,
            min=0,
            max=max(constants.prompt_character_budget, 6000),
            step=100,
            description="Characters",
            tooltip="The most characters of the whole block",
            style=_WIDE,
            layout=wide,
        )
        self._told = ipw.HTML()
        self._before = ipw.HTML()
        self._after = ipw.HTML()
        self._gate_chart = charts.shown(charts.nothing())
        self._score_chart = charts.shown(charts.nothing())
        self._charts = ipw.HBox(
            [self._gate_chart, self._score_chart], layout=ipw.Layout(flex_flow="row wrap")
        )
        controls = ipw.GridBox(
            [self.place, self.mode, self.floor, self.cjk_floor, self.limit, self.budget],
            layout=ipw.Layout(grid_template_columns="50% 50%"),
        )
        self.widget = ipw.VBox(
            [self.query, controls, self._told, self._charts, self._before, self._after],
            layout=ipw.Layout(max_width="1000px"),
        )
        for control in self._controls:
            control.observe(self._moved, names="value")

    @property
    def _controls(self) -> tuple[Any, ...]:
        return (
            self.query,
            self.place,
            self.mode,
            self.floor,
            self.cjk_floor,
            self.limit,
            self.budget,
        )

    def _asked(self) -> Asked:
        return Asked(
            query=self.query.value,
            access=self._places[self.place.value],
            mode=self.mode.value,
            floor=_exact(self.floor.value),
            cjk_floor=_exact(self.cjk_floor.value),
            limit=self.limit.value,
            budget=self.budget.value,
        )

    def _moved(self, _: Any) -> None:
        if not self._quiet:
            self._latest.ask(self._asked())

    # --- what comes of it ----------------------------------------------------------------------

    def ask(self, query: str | None = None, **controls: Any) -> Retrieval:
        """Ask at once and show what comes of it.

        Args:
            query: the question; None leaves the one that stands there.
            controls: new values of the other controls, by their names: ``place``, ``mode``,
                ``floor``, ``cjk_floor``, ``limit``, ``budget``.

        Raises:
            TypeError: there is no such control.
        """
        if query is not None:
            controls["query"] = query
        names = ("query", "place", "mode", "floor", "cjk_floor", "limit", "budget")
        if unknown := set(controls) - set(names):
            raise TypeError(f"there is no control {min(unknown)!r}; there are {', '.join(names)}")
        self._quiet = True
        try:
            for name, value in controls.items():
                getattr(self, name).value = value
        finally:
            self._quiet = False
        self._latest.forget()
        self._show(self._retrieve(self._asked()))
        return self.retrieval

    @property
    def constants(self) -> Constants:
        """The figures of the design with the floors that the sliders stand at."""
        return self._constants(self._asked())

    def _constants(self, asked: Asked) -> Constants:
        return dataclasses.replace(
            self._pipeline.constants, floor=asked.floor, cjk_floor=asked.cjk_floor
        )

    def _retrieve(self, asked: Asked) -> tuple[Asked, Retrieval]:
        pipeline = dataclasses.replace(self._pipeline, constants=self._constants(asked))
        request = RetrievalRequest(
            query=asked.query,
            access=asked.access,
            limit=asked.limit,
            budget=asked.budget,
            relevance_mode=asked.mode,
        )
        found = pipeline.retrieve(
            self._records,
            request,
            policy=self._policy,
            now=self._now,
            token_set=lambda record: self._tokens[record.id],
        )
        return asked, found

    def _show(self, told: tuple[Asked, Retrieval]) -> None:
        asked, found = told
        before = getattr(self, "retrieval", None)
        self.retrieval = found
        constants = self._constants(asked)
        self._told.value = str(fragment(figure(html.summary(found))))
        self._before.value = str(fragment(html.query(found.question), html.stages(found)))
        self._after.value = str(fragment(html.prompt(found), html.ranking(found, constants)))
        latin = not has_cjk(asked.query, constants)
        historical = asked.mode == "historical-v1"
        self.floor.disabled = historical or not latin
        self.cjk_floor.disabled = historical or latin
        if before is None or before.ranked != found.ranked:
            charts.replace(self._gate_chart, charts.gate(found))
            charts.replace(self._score_chart, charts.score_composition(found, constants))
        else:
            # The same bars: the line alone moves.
            charts.set_variables(self._gate_chart, floor=found.question.gate.floor or 0.0)
        self._charts.layout.display = "" if found.ranked else "none"

    def _failed(self, error: Exception) -> None:
        self._told.value = str(fragment(paragraph(f"That did not work: {error}")))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


def _floor(name: str, value: float, of: str) -> Any:
    return ipw.FloatSlider(
        value=value,
        min=0,
        max=1,
        step=1 / STEPS,
        readout_format=".3f",
        description=name,
        tooltip=f"The least coverage of {of}, 0 to 1",
        style=_WIDE,
        layout=ipw.Layout(width="98%"),
    )


def _exact(value: float) -> float:
    """The figure that a slider's position stands for: 1/3 and 0.4, not what is near them."""
    return float(Fraction(value).limit_denominator(STEPS))
