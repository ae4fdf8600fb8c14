"""``sweep``: what every floor would have done to the retrievals of a trace store."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from memconform.cli.documents import (
    SWEEP_SCHEMA,
    SweepChoice,
    SweepCurve,
    SweepDocument,
    print_document,
)
from memconform.cli.errors import Refusal, did_you_mean
from memconform.evaluation import configuration as configurations
from memconform.evaluation.configuration import ConfigurationError
from memconform.evaluation.report import Floors
from memconform.retrieval import FOUNDATION
from memconform.sweep import COUNTS, METRICS, Figures, Metric, SweepError
from memconform.traces import TraceError
from memconform.verdict.layout import bullet, console
from memconform.verdict.words import harmless, number

if TYPE_CHECKING:
    from memconform.sweep import Chosen, Curve, Flips, Moved, Sweep, Traces

CLASSES = ("latin", "cjk")
KEPT = ("abstention=1", "forbidden=0")
MANY = 16  # thresholds in a table; of more, so many spread evenly
TOLD = 5  # queries that change, in full
# The figures of a table and their headings, short enough for 80 columns.
SHOWN: dict[Metric, str] = {
    "recall": "recall",
    "precision": "precision",
    "mrr": "MRR",
    "abstention": "abstains",
    "false_positives": "false +",
    "forbidden": "forbidden",
    "selected": "selected",
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    traces: Path
    labels: list[Path]
    k: int = 5
    feature: str = "lexical"
    split: str | None = None
    by: list[str]
    keep: list[str]
    floor_latin: float | None = None
    floor_cjk: float | None = None
    save: Path | None = None
    json: bool = False


@dataclass(frozen=True)
class _Choice:
    """What the rule chose for a class of query, or for all where the class isn't known."""

    group: str | None
    rule: str
    chosen: Chosen | None


def sweep_one(request: Request) -> int:
    """Sweep one trace store; 0 when it was done, whatever came of it."""
    try:
        return _sweep(request)
    except (ConfigurationError, SweepError, TraceError) as error:
        raise Refusal(str(error)) from error


def _sweep(request: Request) -> int:
    from memconform.sweep import read, sweep

    bounds = _bounds(request.keep or KEPT)
    given = _given(request)
    with _watching() as told:
        traces = read(request.traces, request.labels or None, split=request.split)
        found = sweep(traces, request.k, feature=request.feature, told=told)
    for dimension in request.by:
        found.by(dimension)  # refused before anything is shown
    choices = _choices(found, bounds)
    floors = given or _floors(choices)
    if request.save is not None:
        _save(request, traces, found, floors, choices)
    if request.json:
        print_document(_document(request, traces, found, choices, floors))
    else:
        _show(request, found, choices, floors, console())
    return 0


# --- what was asked for --------------------------------------------------------------------------


def _bounds(texts: Sequence[str]) -> dict[str, float]:
    """``abstention=1`` -> {"abstention": 1.0}."""
    bounds: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if name not in METRICS:
            raise Refusal(
                f"There is no figure {name!r} to keep to; there are {', '.join(METRICS)}."
                + did_you_mean(name, METRICS)
            )
        try:
            bound = float(value)
        except ValueError:
            bound = math.nan
        if not equals or math.isnan(bound):
            raise Refusal(f"--keep {text!r} needs a number, such as {name}=1.")
        bounds[name] = bound
    return bounds


def _given(request: Request) -> Floors | None:
    latin, cjk = request.floor_latin, request.floor_cjk
    if (latin is None) != (cjk is None):
        raise Refusal("Give both --floor-latin and --floor-cjk, or neither.")
    if latin is None or cjk is None:
        return None
    if math.isnan(latin) or math.isnan(cjk):
        raise Refusal("A floor is a number from 0 to 1; NaN is none.")
    if request.feature != "lexical":
        raise Refusal(f"The two floors are of the lexical gate, not of {request.feature}.")
    return Floors(latin=latin, cjk=cjk)


# --- choosing ------------------------------------------------------------------------------------


def _choices(found: Sweep, bounds: Mapping[str, float]) -> list[_Choice]:
    classes = found.by("language")
    known = [name for name in CLASSES if name in classes]
    groups: list[str | None] = [*known] if len(known) == len(classes) else [None]
    return [
        _Choice(group, found.rule_of(bounds), found.smallest(group=group, **bounds))
        for group in groups
    ]


def _floors(choices: Sequence[_Choice]) -> Floors | None:
    """The chosen floors where there is one for each class that occurs.

    A class without retrievals keeps foundation's floor: nothing is known of it. Where classes
    aren't known at all, both have the one floor.
    """
    chosen = {each.group: each.chosen.threshold for each in choices if each.chosen is not None}
    if len(chosen) < len(choices):
        return None
    if None in chosen:
        return Floors(latin=chosen[None], cjk=chosen[None])
    return Floors(
        latin=chosen.get("latin", FOUNDATION.floor), cjk=chosen.get("cjk", FOUNDATION.cjk_floor)
    )


def _save(
    request: Request,
    traces: Traces,
    found: Sweep,
    floors: Floors | None,
    choices: Sequence[_Choice],
) -> None:
    given = _given(request)
    if request.feature != "lexical":
        raise Refusal(f"Only floors of the lexical gate can be saved, not of {request.feature}.")
    if floors is None:
        raise Refusal(
            f"There is nothing to save: no floor for each class has {choices[0].rule}; "
            "give --floor-latin and --floor-cjk, or another rule with --keep."
        )
    rule = (
        "given by hand"
        if given is not None
        else f"for each class of query the smallest floor with {choices[0].rule}"
    )
    if given is not None:
        _figures(found, given)  # refused where the traces can't say
    made = configurations.configuration(floors, request.k, rule=rule, origin=traces.origin)
    if request.save is not None:
        configurations.save(made, request.save)


# --- as a document -------------------------------------------------------------------------------


def _document(
    request: Request,
    traces: Traces,
    found: Sweep,
    choices: Sequence[_Choice],
    floors: Floors | None,
) -> SweepDocument:
    curves = [_curve(found.overall, None, None)]
    for dimension in request.by:
        curves += [_curve(each, dimension, name) for name, each in found.by(dimension).items()]
    return SweepDocument(
        schema=SWEEP_SCHEMA,
        k=found.k,
        feature=found.feature,
        origin=traces.origin,
        candidates=found.candidates,
        notes=list(found.notes),
        curves=curves,
        choices=[_choice(each) for each in choices],
        floors=floors,
        figures=None if floors is None else _figures(found, floors),
    )


def _figures(found: Sweep, floors: Floors) -> Figures:
    if floors.latin == floors.cjk:  # then nobody needs to know which class a query is of
        return found.at(floors.latin)
    return found.at(latin=floors.latin, cjk=floors.cjk)


def _curve(each: Curve, dimension: str | None, group: str | None) -> SweepCurve:
    columns = {
        name: [value if math.isfinite(value) else None for value in values.tolist()]
        for name, values in each.frame.items()
    }
    return SweepCurve(
        dimension=dimension,
        group=group,
        retrievals=each.retrievals,
        answerable=each.answerable,
        silent=each.silent,
        **columns,
    )


def _choice(each: _Choice) -> SweepChoice:
    chosen = each.chosen
    above = None if chosen is None or math.isinf(chosen.above) else chosen.above
    return SweepChoice(
        group=each.group,
        rule=f"the smallest floor with {each.rule}",
        threshold=None if chosen is None else chosen.threshold,
        above=above,
        figures=None if chosen is None else chosen.figures,
    )


# --- on a terminal -------------------------------------------------------------------------------


def _show(
    request: Request,
    found: Sweep,
    choices: Sequence[_Choice],
    floors: Floors | None,
    out: Console,
) -> None:
    whole = found.overall
    out.print(Text(f"Sweep of {found.feature}, K {found.k}", style="bold"))
    thresholds = number(len(whole) - 1, "distinct threshold")
    for name, told in (
        ("traces", harmless(str(request.traces))),
        ("size", f"{whole.retrievals:,} retrievals, {found.candidates:,} candidates, {thresholds}"),
        (
            "judged",
            f"{whole.answerable:,} expect something, {whole.silent:,} expect nothing",
        ),
    ):
        out.print(bullet(Text(f"  {name}", style="dim"), Text(told), width=10))
    for note in found.notes:
        out.print(Text(note, style="yellow"))
    marked = [each.chosen.threshold for each in choices if each.chosen is not None]
    out.print()
    out.print(Text("All retrievals", style="bold"))
    out.print(_table(whole, marked))
    for dimension in request.by:
        for name, each in found.by(dimension).items():
            out.print()
            out.print(Text(harmless(f"{dimension}: {name}"), style="bold"))
            out.print(Text(f"{each.retrievals:,} retrievals", style="dim"))
            mine = [c.chosen.threshold for c in choices if c.group == name and c.chosen is not None]
            out.print(_table(each, mine))
    out.print()
    for each_choice in choices:
        out.print(_told(each_choice), soft_wrap=True)
    if floors is not None:
        _show_floors(request, found, floors, out)
    if request.save is not None:
        out.print(Text(f"  {harmless(str(request.save))}", style="dim"), soft_wrap=True)


def _table(each: Curve, marked: Sequence[float]) -> Table:
    """Figures at some thresholds, spread evenly, and at the marked ones."""
    last = len(each) - 1
    steps = {round(last * at / (MANY - 1)) for at in range(MANY)} if last >= MANY else set()
    steps = (steps or set(range(len(each)))) | {each.place(t) for t in marked}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("threshold", *SHOWN.values()):
        table.add_column(Text(heading), justify="right", no_wrap=True)
    columns = {name: each.metric(name) for name in SHOWN}
    for step in sorted(steps):
        threshold = float(each.thresholds[step])
        cells = [_threshold(threshold), *(_cell(name, columns[name][step]) for name in SHOWN)]
        table.add_row(*map(Text, cells), style="bold green" if threshold in marked else None)
    return table


def _threshold(value: float) -> str:
    if math.isinf(value):
        return "above all" if value > 0 else "lowest"
    return f"{value:.6g}"


def _cell(name: Metric, value: float | None) -> str:
    if value is None or math.isnan(value):
        return "-"
    return f"{value:,.0f}" if name in COUNTS else f"{value:.3f}"


def _told(each: _Choice) -> Text:
    of = "" if each.group is None else f" for {each.group} queries"
    if each.chosen is None:
        return Text(f"✗ No floor among the gate values{of} has {each.rule}.", style="yellow")
    chosen = each.chosen
    above = "" if math.isinf(chosen.above) else f" above {chosen.above:.6g} and"
    return Text.assemble(
        ("✓ ", "bold green"),
        f"Smallest floor{of} with {each.rule}: ",
        (f"{chosen.threshold:.6g}", "bold"),
        f" (any{above} up to it does the same).",
    )


def _show_floors(request: Request, found: Sweep, floors: Floors, out: Console) -> None:
    figures = _figures(found, floors)
    out.print()
    out.print(
        Text(f"With floors {floors.latin:.6g} for latin, {floors.cjk:.6g} for cjk", style="bold")
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in SHOWN.values():
        table.add_column(Text(heading), justify="right", no_wrap=True)
    values = [_cell(name, getattr(figures, name)) for name in SHOWN]
    table.add_row(*(Text(cell) for cell in values))
    out.print(table)
    usual = Floors(latin=FOUNDATION.floor, cjk=FOUNDATION.cjk_floor)
    if request.feature == "lexical" and floors != usual:
        try:
            flips = found.flips(usual, floors, most=TOLD)
        except SweepError:
            return  # logged with a higher floor than the usual one, or classes aren't known
        _show_flips(flips, usual, out)


def _show_flips(flips: Flips, usual: Floors, out: Console) -> None:
    against = f"Against floors {usual.latin:.6g} and {usual.cjk:.6g}"
    out.print(Text(f"{against}, {number(flips.total, 'retrieval')} select something else."))
    for outcome, count in flips.counts.items():
        out.print(bullet(Text(f"{count:>7,}", style="bold"), Text(outcome), width=7))
    for flip in flips.told:
        moves = [
            *(f"- {each.memory_id} ({each.why}{_of(each)})" for each in flip.left),
            *(f"+ {each.memory_id} ({each.why}{_of(each)})" for each in flip.came),
        ]
        told = f"{flip.outcomes[0]}: {', '.join(moves)}"
        out.print(bullet(Text(f"  {harmless(flip.query_id[:16])}"), Text(harmless(told))))


def _of(moved: Moved) -> str:
    return "" if math.isinf(moved.gate) else f", {moved.gate:.3g}"


@contextmanager
def _watching() -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error of a terminal: is told how many parts are done."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield lambda done, total: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("joining labels", total=None)
        yield lambda done, total: bar.update(
            task, completed=done, total=total, description="sweeping"
        )
