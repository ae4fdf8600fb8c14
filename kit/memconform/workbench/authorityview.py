"""AuthorityExplorer: what may be done with a claim, and how people's reports move it.

ClaimHistories shows the same of the claims in an authority store's database.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import ipywidgets as ipw  # type: ignore[import-untyped] # it ships no types
from markupsafe import Markup

from memconform.authority import AUTHORITY, Constants, after
from memconform.authority import belief as belief_of
from memconform.model.authority import CLAIM_KINDS, Action, Belief, ClaimKind, Consumed, Decision
from memconform.reference.authority_audit import AuditDatabase, AuditTrouble, ClaimHistory, copied
from memconform.retrieval.times import milliseconds
from memconform.verdict.words import number
from memconform.workbench import charts
from memconform.workbench.authoritystory import (
    Check,
    Mark,
    Point,
    Region,
    Standing,
    checks,
    of_history,
    regions,
    sentence,
    told,
)
from memconform.workbench.charts.authority import belief_line, decision_map
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

CONTENT = 160  # characters of a content that are shown
BESIDE = 290  # pixels of the line beside the map
WEIGHT = 30.0  # where the sliders of alpha and beta end at first
_STYLE = {"description_width": "110px"}
_WIDE = ipw.Layout(width="98%")
_REPORTS: tuple[tuple[Consumed, str], ...] = (
    ("helped", "It helped"),
    ("harmful", "It did harm"),
    ("stale", "It is out of date"),
    ("conflict", "It contradicts another"),
)
_SIGNS: dict[Action, tuple[str, str]] = {
    "use": ("✓", GOOD),
    "verify": ("?", MIDDLING),
    "ignore": ("✗", BAD),
}
_MARKS: dict[Mark, tuple[str, str]] = {
    "passed": ("✓", GOOD),
    "decides": ("✗", BAD),
    "not reached": ("·", QUIET),
}


class AuthorityExplorer:
    """One claim in front of one question, and the reports that people make of it.

    Displaying it in a notebook shows the widget. ``set`` and ``report`` do from code what a person
    does by hand; ``decision``, ``standing`` and ``story`` are what stands there.

    Args:
        kind: of the claim, first.
        alpha, beta: of its belief, first; both above 0.
        harmful: how often it did harm, first.
        relevance: how far it answers the question, first, 0..1.
        freshness: how young it is, first, 0..1.
        constants: the thresholds and what a report adds.
    """

    def __init__(
        self,
        kind: ClaimKind = "fact",
        *,
        alpha: float = 6,
        beta: float = 1,
        harmful: int = 0,
        relevance: float = 0.5,
        freshness: float = 1,
        constants: Constants = AUTHORITY,
    ) -> None:
        self._constants = constants
        self._reports: list[Consumed] = []
        self._start = belief_of(alpha, beta, harmful)
        self._drawn: tuple[Any, ...] = ()
        self._line_drawn: tuple[Any, ...] = ()
        self._lines: Latest[tuple[Point, ...], Any] = Latest(
            lambda story: belief_line(story, policy=constants.decision, width=BESIDE),
            lambda chart: charts.replace(self._line, chart),
            self._failed,
        )
        self.story: tuple[Point, ...] = ()
        self._quiet = True
        self._make(kind, relevance, freshness)
        self._quiet = False
        self._show()

    # --- what a person can move ----------------------------------------------------------------

    def _make(self, kind: ClaimKind, relevance: float, freshness: float) -> None:
        start = self._start
        self.kind = ipw.Dropdown(
            options=list(CLAIM_KINDS),
            value=kind,
            description="Kind",
            tooltip="What the claim is: its kind says how risky it is to rely on it",
            style=_STYLE,
            layout=_WIDE,
        )
        self.alpha = _weight("Alpha", start.alpha, "What speaks for the claim")
        self.beta = _weight("Beta", start.beta, "What speaks against the claim")
        self.harmful = ipw.IntSlider(
            value=start.harmful_count,
            min=0,
            max=max(4, start.harmful_count),
            description="Harmful reports",
            tooltip="How often somebody said that the claim did harm",
            style=_STYLE,
            layout=_WIDE,
        )
        self.relevance = _share("Relevance", relevance, "How far the claim answers the question")
        self.freshness = _share(
            "Freshness", freshness, "How young the claim is: one half after 180 days"
        )
        self._told = ipw.HTML()
        self._tables = ipw.HTML()
        self._map = charts.shown(charts.nothing())
        self._line = charts.shown(charts.nothing())
        self.reports = {outcome: self._report_button(outcome, name) for outcome, name in _REPORTS}
        self.again = ipw.Button(
            description="Start over",
            tooltip="Take all reports back",
            layout=ipw.Layout(width="auto"),
        )
        self.again.on_click(lambda _: self.start_over())
        grid = ipw.Layout(grid_template_columns="50% 50%")
        wrapped = ipw.Layout(flex_flow="row wrap")
        controls = [
            *(self.alpha, self.beta, self.harmful),
            *(self.kind, self.relevance, self.freshness),
        ]
        self.widget = ipw.VBox(
            [
                ipw.GridBox(controls, layout=grid),
                ipw.HBox([*self.reports.values(), self.again], layout=wrapped),
                self._told,
                ipw.HBox([self._map, self._line], layout=wrapped),
                self._tables,
            ],
            layout=ipw.Layout(max_width="1000px"),
        )
        for control in (self.alpha, self.beta, self.harmful):
            control.observe(self._other_belief, names="value")
        for control in (self.kind, self.relevance, self.freshness):
            control.observe(self._moved, names="value")

    def _report_button(self, outcome: Consumed, name: str) -> Any:
        button = ipw.Button(
            description=name,
            tooltip=f"Somebody reports: {outcome}",
            layout=ipw.Layout(width="auto"),
        )
        button.on_click(lambda _: self.report(outcome))
        return button

    def _other_belief(self, _: Any) -> None:
        if not self._quiet:
            # A belief that was set by hand is where another story begins.
            self._start, self._reports = self._belief(), []
            self._show()

    def _moved(self, _: Any) -> None:
        if not self._quiet:
            self._show()

    def _belief(self) -> Belief:
        return belief_of(self.alpha.value, self.beta.value, self.harmful.value)

    # --- from code -----------------------------------------------------------------------------

    def set(self, **controls: Any) -> Decision:
        """Move controls by their names and show what comes of it.

        Args:
            controls: ``kind``, ``alpha``, ``beta``, ``harmful``, ``relevance``, ``freshness``.

        Raises:
            TypeError: there is no such control.
        """
        names = ("kind", "alpha", "beta", "harmful", "relevance", "freshness")
        if unknown := set(controls) - set(names):
            raise TypeError(f"there is no control {min(unknown)!r}; there are {', '.join(names)}")
        self._quiet = True
        try:
            for name, value in controls.items():
                _move(getattr(self, name), value)
        finally:
            self._quiet = False
        if {"alpha", "beta", "harmful"} & set(controls):
            self._start, self._reports = self._belief(), []
        self._show()
        return self.decision

    def report(self, *outcomes: Consumed) -> Decision:
        """Report, one after the other, what became of using the claim."""
        self._reports += outcomes
        self._to_belief()
        return self.decision

    def start_over(self) -> None:
        """Take all reports back."""
        self._reports = []
        self._to_belief()

    def _to_belief(self) -> None:
        belief = self._start
        for outcome in self._reports:
            belief = after(belief, outcome, self._constants)
        self._quiet = True
        try:
            _move(self.alpha, belief.alpha)
            _move(self.beta, belief.beta)
            _move(self.harmful, belief.harmful_count)
        finally:
            self._quiet = False
        self._show()

    # --- what comes of it ----------------------------------------------------------------------

    @property
    def standing(self) -> Standing:
        """The claim and the question, as the controls stand."""
        return Standing(
            kind=self.kind.value,
            belief=self._belief(),
            relevance=self.relevance.value,
            freshness=self.freshness.value,
        )

    @property
    def decision(self) -> Decision:
        """What is decided there."""
        return self.standing.decision(self._constants.decision)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The map: every belief and relevance, for this kind, harm and freshness."""
        return regions(
            self.kind.value,
            self.harmful.value,
            self.freshness.value,
            self._constants.decision,
        )

    def _show(self) -> None:
        standing, policy = self.standing, self._constants.decision
        decision = standing.decision(policy)
        self.story = told(replace(standing, belief=self._start), self._reports, self._constants)
        self._told.value = str(fragment(figure(sentence(decision))))
        self._tables.value = str(
            fragment(_rules(decision, checks(standing, policy)), _points(self.story))
        )
        drawn = (standing.kind, standing.belief.harmful_count, self.regions)
        if drawn == self._drawn:
            charts.set_variables(
                self._map, belief=standing.belief.score, relevance=standing.relevance
            )
        else:
            self._drawn = drawn
            charts.replace(
                self._map,
                decision_map(
                    self.regions,
                    kind=standing.kind,
                    harmful_count=standing.belief.harmful_count,
                    belief=standing.belief.score,
                    relevance=standing.relevance,
                    policy=policy,
                ),
            )
        line = _drawn_of(self.story)
        if line != self._line_drawn:
            # Drawing takes longer than a step of a slider.
            self._line_drawn = line
            self._lines.ask(self.story)

    def _failed(self, error: Exception) -> None:
        self._told.value = str(fragment(paragraph(f"That did not work: {error}")))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


class ClaimHistories:
    """The claims of an authority store's database, one at a time: belief, reports, decisions.

    The database may be in use: it is opened for reading alone and copied, and only the copy is
    asked. ``show`` does from code what the list does; ``history`` and ``points`` are what stands
    there.

    Args:
        path: the database.
        constants: whose thresholds are drawn.

    Raises:
        AuditTrouble: it can't be copied or read, or holds no decision.
    """

    def __init__(self, path: Path | str, *, constants: Constants = AUTHORITY) -> None:
        self._constants = constants
        folder = tempfile.mkdtemp(prefix="memconform-")
        self._removed = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._copy = Path(folder) / "audit.sqlite3"
        self.history: ClaimHistory
        self.points: tuple[Point, ...] = ()
        copied(Path(path), self._copy)
        with AuditDatabase(self._copy) as audit:
            ids = audit.claims()
        if not ids:
            raise AuditTrouble(f"{path} holds no decision")
        names = [short(id, CONTENT) for id in ids]
        self.claim = ipw.Dropdown(
            options=list(zip(names, ids, strict=True)),
            value=ids[0],
            description="Claim",
            tooltip="The claim whose story is told; those with the most reports come first",
            style=_STYLE,
            layout=_WIDE,
        )
        self._told = ipw.HTML()
        self._table = ipw.HTML()
        self._line = charts.shown(charts.nothing())
        self.widget = ipw.VBox(
            [self.claim, self._told, self._line, self._table],
            layout=ipw.Layout(max_width="1000px"),
        )
        self.claim.observe(lambda change: self._show(change["new"]), names="value")
        self._show(ids[0])

    def show(self, claim_id: str) -> tuple[Point, ...]:
        """Show one claim.

        Raises:
            AuditTrouble: it isn't there, or can't be read.
        """
        if claim_id in [id for _, id in self.claim.options]:
            self.claim.value = claim_id
        if self.history.id != claim_id:
            self._show(claim_id)
        return self.points

    def close(self) -> None:
        """Remove the copy; without this it goes when Python ends."""
        self._removed()

    def _show(self, claim_id: str) -> None:
        with AuditDatabase(self._copy) as audit:
            self.history = audit.history(claim_id)
        history, policy = self.history, self._constants.decision
        self.points = of_history(history, policy)
        asked = number(len(history.decisions), "decision")
        reports = number(len(history.evidence), "report")
        self._told.value = str(
            fragment(
                figure(
                    f"{asked}, {reports}; the belief is {history.belief.score:.3f} now, "
                    f"{history.belief.harmful_count} harmful."
                ),
                paragraph(f"A {history.kind}, {history.state}: ", _content(history)),
            )
        )
        shown = self.points[-charts.MOST // 4 :]
        charts.replace(
            self._line,
            belief_line(shown, policy=policy, title="Belief and risk over time, and decisions"),
        )
        self._table.value = str(fragment(_points(self.points)))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)


def _content(history: ClaimHistory) -> Markup:
    if history.content is None:
        return marked("–", "its text is forgotten", QUIET)
    return code(short(history.content, CONTENT))


def _rules(decision: Decision, rows: tuple[Check, ...]) -> Markup:
    drawn = table(
        ("it takes", "here", "", "otherwise"),
        [(check.wanted, numeral(check.seen), _mark(check), check.otherwise) for check in rows],
        caption="The rules in their order",
    )
    sign, kind = _SIGNS[decision.action]
    return Markup("").join(
        [
            heading("The first rule that isn't passed decides"),
            drawn,
            paragraph(marked(sign, f"{decision.action}: {', '.join(decision.reasons)}", kind)),
        ]
    )


def _mark(check: Check) -> Markup:
    sign, kind = _MARKS[check.mark]
    return marked(sign, check.mark, kind)


def _points(points: tuple[Point, ...]) -> Markup:
    timed = any(point.at is not None for point in points)
    columns = ["time"] if timed else []
    columns += ["what happened", "alpha", "beta", "harmful", "belief", "risk", "decision"]
    rows = []
    for point in points:
        row: list[object] = [numeral(_minute(point.at or ""))] if timed else []
        row += [point.happened, point.belief.alpha, point.belief.beta, point.belief.harmful_count]
        row += [numeral(f"{point.belief.score:.3f}"), numeral(f"{point.risk:.3f}")]
        row.append(_decided(point.decision))
        rows.append(row)
    return heading("The story so far") + table(columns, rows, caption="The claim's story")


def _minute(time: str) -> str:
    """A time of a database as a reader wants it; anything else as it stands."""
    return time[:16].replace("T", " ") if milliseconds(time) is not None else short(time, 40)


def _decided(decision: Decision | None) -> Markup | str:
    if decision is None:
        return ""
    sign, kind = _SIGNS[decision.action]
    return marked(sign, f"{decision.action}: {', '.join(decision.reasons)}", kind)


def _drawn_of(points: tuple[Point, ...]) -> tuple[Any, ...]:
    """What of a story is in its picture."""
    return tuple(
        (
            point.happened,
            point.belief,
            point.risk,
            point.decision and (point.decision.action, point.decision.reasons),
        )
        for point in points
    )


def _move(control: Any, value: Any) -> None:
    """Set a control; a slider of which this value is no part is made longer."""
    if hasattr(control, "max"):
        control.max = max(control.max, value)
        control.min = min(control.min, value)
    control.value = value


def _weight(name: str, value: float, tooltip: str) -> Any:
    return ipw.FloatSlider(
        value=value,
        min=min(0.5, value),
        max=max(WEIGHT, value),
        step=0.5,
        readout_format=".1f",
        description=name,
        tooltip=tooltip,
        style=_STYLE,
        layout=_WIDE,
    )


def _share(name: str, value: float, tooltip: str) -> Any:
    return ipw.FloatSlider(
        value=value,
        min=0,
        max=1,
        step=0.01,
        readout_format=".2f",
        description=name,
        tooltip=f"{tooltip}, 0 to 1",
        style=_STYLE,
        layout=_WIDE,
    )
