"""ThresholdExplorer: move both floors and K, and see what they gain and cost, and for whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import ipywidgets as ipw  # type: ignore[import-untyped] # it ships no types
from markupsafe import Markup

from memconform.evaluation.dataset import Dataset
from memconform.retrieval import FOUNDATION
from memconform.sweep import Figures, Flip, Flips, Floors, Metric, Sweep, SweepError, bands
from memconform.verdict.words import number
from memconform.workbench import charts, saving
from memconform.workbench.latest import Latest
from memconform.workbench.markup import (
    BAD,
    QUIET,
    code,
    figure,
    fragment,
    heading,
    paragraph,
    shown,
    table,
)

DESIGN = Floors(latin=FOUNDATION.floor, cjk=FOUNDATION.cjk_floor)
NOTHING = Floors(latin=math.inf, cjk=math.inf)
LANGUAGES = ("latin", "cjk")
TOLD = 200  # cases told in full
LISTED = 25  # of them shown
STEPS = 300  # positions of a slider: hundredths and thirds are among them
CURVES: tuple[Metric, ...] = ("recall", "precision", "abstention")
_STYLE = {"description_width": "110px"}
_NAMES: tuple[tuple[str, str], ...] = (
    ("recall", "recall"),
    ("precision", "precision"),
    ("mrr", "MRR"),
    ("abstention", "silent where it must be"),
    ("false_positives", "selected where nothing is wanted"),
    ("forbidden", "forbidden selections"),
    ("selected", "mean selected"),
)


@dataclass(frozen=True)
class Cases:
    """What floors do to single queries.

    Attributes:
        flips: what changes against the floors compared with.
        wrong: every retrieval that selects a forbidden memory, or any where nothing is wanted.
    """

    floors: Floors
    k: int
    flips: Flips
    wrong: tuple[Flip, ...]


class ThresholdExplorer:
    """Both floors and K as sliders over an exact sweep.

    A step of a floor looks its figures up: nothing is scanned, however many candidates there are.
    Which queries flip takes a pass over them; that runs beside the notebook, and where a slider
    has moved on, only the latest position is worked out. So it is with another K.

    Args:
        sweep: with its rows kept.
        dataset: whose queries were asked; fixtures and scenarios take their texts from it.
        against: the floors to compare with.
        start: where the sliders stand first; else at ``against``.
        folder: where files are saved.
        most: the largest K of the slider.
        seed: of the bands.
    """

    def __init__(
        self,
        sweep: Sweep,
        *,
        dataset: Dataset | None = None,
        against: Floors = DESIGN,
        start: Floors | None = None,
        folder: Path | str = ".",
        most: int = 16,
        seed: int = 1,
    ) -> None:
        self._sweeps = {sweep.k: sweep}
        self._first = sweep
        self._dataset = dataset
        self._seed = seed
        self.against = against
        self.folder = Path(folder)
        self._latest: Latest[tuple[Floors, int], Cases] = Latest(
            self._work, self._show_cases, self._failed
        )
        self._classes = [name for name in LANGUAGES if name in _groups(sweep)]
        self._quiet = True
        self._make(start or against, most)
        self._quiet = False
        self.set()

    # --- controls --------------------------------------------------------------------------------

    def _make(self, start: Floors, most: int) -> None:
        self.latin = _floor("Floor, Latin", start.latin, "queries without a CJK character")
        self.cjk = _floor("Floor, CJK", start.cjk, "queries with CJK text")
        self.k = ipw.IntSlider(
            value=self._first.k,
            min=1,
            max=max(most, self._first.k),
            description="K (memories)",
            tooltip="The most memories that are selected",
            style=_STYLE,
            layout=ipw.Layout(width="98%"),
        )
        self.metric = ipw.Dropdown(
            options=[(charts.TITLES[name], name) for name in ("recall", "precision", "abstention")],
            description="Plane of",
            tooltip="The figure that the plane of both floors shows",
            style=_STYLE,
        )
        self._told = ipw.HTML()
        self._figures = ipw.HTML()
        self._cases = ipw.HTML()
        self._saved = ipw.HTML()
        self._curves: dict[str, Any] = {}
        self._plane = charts.shown(charts.nothing())
        self._pictures = ipw.HBox(layout=ipw.Layout(flex_flow="row wrap"))
        self.path = ipw.Text(
            value="chosen_floors.py",
            description="Save as",
            tooltip="File or folder, within the folder of this widget",
            style=_STYLE,
        )
        saves = [
            self._button("Save as configuration", "A store with these floors", self._to_conf),
            self._button("Save these cases as fixture", "A dataset of what flips", self._to_data),
            self._button("Save as scenario", "Gherkin of what flips", self._to_gherkin),
        ]
        grid = ipw.Layout(grid_template_columns="50% 50%")
        self.widget = ipw.VBox(
            [
                ipw.GridBox([self.latin, self.cjk, self.k, self.metric], layout=grid),
                self._told,
                self._pictures,
                self._figures,
                self._cases,
                ipw.HBox([self.path, *saves], layout=ipw.Layout(flex_flow="row wrap")),
                self._saved,
            ],
            layout=ipw.Layout(max_width="1000px"),
        )
        self.latin.observe(self._moved, names="value")
        self.cjk.observe(self._moved, names="value")
        self.k.observe(self._moved, names="value")
        self.metric.observe(self._other_plane, names="value")

    def _moved(self, _: Any) -> None:
        if self._quiet:
            return
        if self.k.value in self._sweeps:
            self._show_figures()
        self._latest.ask((self.floors, self.k.value))

    @property
    def floors(self) -> Floors:
        """Where the sliders stand."""
        return Floors(latin=_exact(self.latin.value), cjk=_exact(self.cjk.value))

    @property
    def figures(self) -> Figures:
        """The figures there."""
        return self._at(self.floors)

    @property
    def sweep(self) -> Sweep:
        """The sweep with the K that the slider stands at."""
        return self._swept(self.k.value)

    def set(
        self, *, latin: float | None = None, cjk: float | None = None, k: int | None = None
    ) -> Cases:
        """Move the sliders from code and show at once what comes of it."""
        self._quiet = True
        try:
            for control, value in ((self.latin, latin), (self.cjk, cjk), (self.k, k)):
                if value is not None:
                    control.value = value
        finally:
            self._quiet = False
        self._latest.forget()
        self._show_cases(self._work((self.floors, self.k.value)))
        return self.cases

    # --- working out -----------------------------------------------------------------------------

    def _swept(self, k: int) -> Sweep:
        if k not in self._sweeps:
            self._sweeps[k] = self._first.with_k(k)
        return self._sweeps[k]

    def _at(self, floors: Floors) -> Figures:
        if self._classes:
            return self.sweep.at(latin=floors.latin, cjk=floors.cjk)
        return self.sweep.at(floors.latin)

    def _work(self, asked: tuple[Floors, int]) -> Cases:
        floors, k = asked
        sweep = self._swept(k)
        before, after, none = (self._given(f) for f in (self.against, floors, NOTHING))
        flips = sweep.flips(before, after, most=TOLD)
        spoken = sweep.flips(none, after, most=TOLD)
        bad = {"speaks where nothing is expected", "selects a forbidden one"}
        wrong = tuple(flip for flip in spoken.told if bad & set(flip.outcomes))
        return Cases(floors, k, flips, wrong)

    def _given(self, floors: Floors) -> Floors | float:
        return floors if self._classes else floors.latin

    # --- showing ---------------------------------------------------------------------------------

    def _show_figures(self) -> None:
        floors = self.floors
        try:
            now, before = self._at(floors), self._at(self.against)
        except SweepError as error:
            self._failed(error)
            return
        self._told.value = str(fragment(figure(summary(floors, self.k.value, now))))
        self._figures.value = str(fragment(compared(now, before, self.against)))
        for name, chart in self._curves.items():
            floor = floors.cjk if name == "cjk" else floors.latin
            charts.set_variables(chart, floor=floor)
        if len(self._classes) == len(LANGUAGES):
            charts.set_variables(self._plane, latin=floors.latin, cjk=floors.cjk)

    def _show_cases(self, cases: Cases) -> None:
        if getattr(self, "_drawn_for", None) != cases.k and cases.k == self.k.value:
            self._draw()
            self._drawn_for = cases.k
        self.cases = cases
        self._show_figures()
        self._cases.value = str(fragment(case_tables(cases, self.against, self._texts())))

    def _draw(self) -> None:
        sweep, floors = self.sweep, self.floors
        self._curves = {}
        for name in self._classes or ("all",):
            group = ("language", name) if self._classes else None
            curve = sweep.by("language")[name] if self._classes else sweep.overall
            floor = floors.cjk if name == "cjk" else floors.latin
            banded = bands(sweep, CURVES, group=group, seed=self._seed)
            title = {"latin": "Latin queries", "cjk": "CJK queries"}.get(name, "All queries")
            title += f" ({curve.retrievals:,})"
            self._curves[name] = charts.shown(
                charts.curves(curve, bands=banded, floor=floor, title=title, width=300)
            )
        pictures = list(self._curves.values())
        if len(self._classes) == len(LANGUAGES):
            self._plane = charts.shown(self._plane_chart())
            pictures.append(self._plane)
        self._pictures.children = pictures

    def _plane_chart(self) -> Any:
        return charts.plane(
            self.sweep.plane(self.metric.value), latin=self.floors.latin, cjk=self.floors.cjk
        )

    def _other_plane(self, _: Any) -> None:
        if len(self._classes) == len(LANGUAGES):
            charts.replace(self._plane, self._plane_chart())

    def _texts(self) -> dict[str, str]:
        if self._dataset is None:
            return {}
        from memconform.traces import query_id

        told = {query_id(query.query): query.query for query in self._dataset.queries}
        return told | {query.id: query.query for query in self._dataset.queries}

    def _failed(self, error: Exception) -> None:
        self._told.value = str(fragment(figure(f"That did not work: {error}")))

    # --- saving ----------------------------------------------------------------------------------

    def save_configuration(self, path: Path | str) -> saving.Saved:
        """A TARGET with these floors; a path that is relative begins at the widget's folder.

        Raises:
            SaveError: see ``saving.configuration``.
        """
        told = summary(self.floors, self.k.value, self.figures)
        return self._kept(saving.configuration(self._path(path), self.floors, told=told))

    def save_fixture(self, folder: Path | str, *, name: str | None = None) -> saving.Saved:
        """A dataset of the cases that flip.

        Raises:
            SaveError: see ``saving.fixture``.
        """
        place = self._path(folder)
        cases = self._cases_at_last()
        return self._kept(saving.fixture(place, cases, self._needed(), name=name or place.name))

    def save_scenario(self, path: Path | str) -> saving.Saved:
        """The cases that flip as Gherkin.

        Raises:
            SaveError: see ``saving.scenarios``.
        """
        place = self._path(path)
        return self._kept(saving.save_scenarios(place, self._cases_at_last(), self._needed()))

    def _cases_at_last(self) -> Sequence[Flip]:
        # Of the very floors that stand there, should the picture still be behind.
        if (self.cases.floors, self.cases.k) != (self.floors, self.k.value):
            self.set()
        return self.cases.flips.told

    def _needed(self) -> Dataset:
        if self._dataset is None:
            raise saving.SaveError(
                "Traces hold no text: give the explorer dataset=, whose queries were asked."
            )
        return self._dataset

    def _path(self, path: Path | str) -> Path:
        return self.folder / path

    def _kept(self, saved: saving.Saved) -> saving.Saved:
        names = ", ".join(str(path) for path in saved.paths)
        self._saved.value = str(
            fragment(paragraph("Saved: ", code(names)), paragraph("Then: ", code(saved.command)))
        )
        return saved

    def _button(self, name: str, tooltip: str, save: Callable[[str], object]) -> Any:
        def pressed(_: Any) -> None:
            try:
                save(self.path.value.strip() or "chosen_floors.py")
            except saving.SaveError as error:
                self._saved.value = str(fragment(paragraph(str(error), kind=BAD)))

        button = ipw.Button(description=name, tooltip=tooltip, layout=ipw.Layout(width="auto"))
        button.on_click(pressed)
        return button

    def _to_conf(self, name: str) -> object:
        return self.save_configuration(Path(name).with_suffix(".py"))

    def _to_data(self, name: str) -> object:
        return self.save_fixture(Path(name).with_suffix(""))

    def _to_gherkin(self, name: str) -> object:
        return self.save_scenario(Path(name).with_suffix(".feature"))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


def summary(floors: Floors, k: int, now: Figures) -> str:
    """Figures in a sentence."""
    parts = [
        f"{label} {value:.3f}"
        for label, value in (
            ("recall", now.recall),
            ("precision", now.precision),
            ("silent where it must be", now.abstention),
        )
        if value is not None
    ]
    parts.append(f"{now.forbidden:,} forbidden")
    return f"At {floors.latin:.3f} and {floors.cjk:.3f}, K {k}: {', '.join(parts)}."


def compared(now: Figures, before: Figures, against: Floors) -> Markup:
    """Every figure beside what it is at the floors compared with."""
    rows = []
    for field, label in _NAMES:
        one, other = getattr(now, field), getattr(before, field)
        change = "" if one is None or other is None else f"{one - other:+.6g}"
        rows.append([label, one, other, change if change not in ("+0", "-0") else "="])
    columns = ["figure", "here", f"at {against.latin:.3f} and {against.cjk:.3f}", "change"]
    return heading(f"Figures over {number(now.retrievals, 'retrieval')}") + table(
        columns, rows, caption="figures here and at the floors compared with"
    )


def case_tables(cases: Cases, against: Floors, texts: dict[str, str]) -> Markup:
    """What flips, and what is wrong here."""
    told = cases.flips
    reasons = ", ".join(f"{outcome}: {count:,}" for outcome, count in told.counts.items() if count)
    parts = [
        heading(
            f"{number(told.total, 'query', 'queries')} flip against "
            f"{against.latin:.3f} and {against.cjk:.3f}"
        )
    ]
    if reasons:
        parts.append(paragraph(reasons, kind=QUIET))
    if told.told:
        parts.append(_flips(told.told, texts))
    parts.append(heading(f"Wrong here: {number(len(cases.wrong), 'query', 'queries')}"))
    if cases.wrong:
        parts.append(_flips(cases.wrong, texts))
    return Markup("").join(parts)


def _flips(flips: Sequence[Flip], texts: dict[str, str]) -> Markup:
    rows = [
        [
            shown(texts[flip.query_id]) if flip.query_id in texts else code(flip.query_id),
            "; ".join(flip.outcomes),
            _moves(flip, "left"),
            _moves(flip, "came"),
        ]
        for flip in flips
    ]
    columns = ["query", "what became of it", "out", "in"]
    return table(columns, rows, caption="queries and what became of them", most=LISTED)


def _moves(flip: Flip, side: str) -> Markup:
    lines = [
        Markup("<div>{} {}{}</div>").format(
            code(each.memory_id),
            "always" if math.isinf(each.gate) else f"{each.gate:.4g}",
            f", {each.judged}" if each.judged else "",
        )
        for each in getattr(flip, side)
    ]
    return Markup("").join(lines)


def _groups(sweep: Sweep) -> Sequence[str]:
    if "language" not in sweep.dimensions:
        return ()
    groups = list(sweep.by("language"))
    return groups if set(groups) <= set(LANGUAGES) else ()


def _exact(value: float) -> float:
    return float(Fraction(value).limit_denominator(STEPS))


def _floor(name: str, value: float, of: str) -> Any:
    return ipw.FloatSlider(
        value=value,
        min=0,
        max=1,
        step=1 / STEPS,
        readout_format=".3f",
        description=name,
        tooltip=f"The least coverage of {of}, 0 to 1",
        style=_STYLE,
        layout=ipw.Layout(width="98%"),
    )
