"""``evaluate``: how good is what a store brings back for the queries of a dataset?

Only data that is asked for by name or folder is read; the kit's own is invented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, get_args

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from memconform.cli.documents import EVALUATE_SCHEMA, EvaluateDocument, print_document
from memconform.cli.errors import Refusal, did_you_mean
from memconform.cli.files import writable
from memconform.cli.names import known_targets
from memconform.evaluation import configuration as configurations
from memconform.evaluation import dataset as datasets
from memconform.evaluation import frozen as frozen_results
from memconform.evaluation import gates as gating
from memconform.evaluation import lock as locks
from memconform.evaluation import shipped
from memconform.evaluation import terminology as terminologies
from memconform.evaluation.configuration import Configuration, ConfigurationError
from memconform.evaluation.contenders import EvaluationError, StoreContender
from memconform.evaluation.dataset import Dataset, DatasetError, Split
from memconform.evaluation.frozen import Frozen, FrozenError
from memconform.evaluation.gates import Gates, GatesError
from memconform.evaluation.lock import LockError
from memconform.evaluation.markdown import markdown
from memconform.evaluation.page import page
from memconform.evaluation.report import (
    Evaluated,
    EvaluationReport,
    Floors,
    Marker,
    Times,
    encoded,
    evidence_of,
)
from memconform.evaluation.rivals import contenders
from memconform.evaluation.run import DEFAULT_K, report_of, run, times_of
from memconform.evaluation.tables import (
    Rows,
    blind,
    decided,
    failed,
    safety,
    settings,
    tables,
    undeclared,
)
from memconform.evaluation.terminology import Terminology, TerminologyError
from memconform.model import RelevanceMode
from memconform.targets import Target
from memconform.verdict.layout import bullet, console
from memconform.verdict.words import harmless, listed, number, shortened
from memconform.wire.client import Connection
from memconform.wire.errors import WireError

Choice = TypeVar("Choice", bound=str)
SHOWN = 10  # queries that failed; report.json has all of them
WIDE = 5  # columns of a table whose names still stand in one line
REPORT, MARKDOWN, PAGE = "report.json", "report.md", "report.html"
EVIDENCE, TIMES = "evidence.json", "times.json"


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of the command, as they were typed."""

    target: str
    dataset: str
    split: str = "development"
    gate: str = "foundation-v1"
    k: int | None = None
    configuration: Path | None = None
    lock: Path | None = None
    write_lock: Path | None = None
    baseline: Path | None = None
    gates: Path | None = None
    terminology: Path | None = None
    seed: int = 1
    out: Path | None = None
    wire: bool = False
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """The options, looked up: everything that can be wrong before the target is asked."""

    target: Target
    dataset: Dataset
    marker: Marker
    split: Split
    gate: RelevanceMode
    k: int
    frozen: Frozen | None
    floors: Floors | None
    lock: tuple[locks.Lock, str] | None
    gates: Gates | None
    terminology: Terminology | None
    seed: int


def evaluate_one(request: Request) -> int:
    """Evaluate one target: 1 when a query failed or the gates say no-go, else 0."""
    try:
        plan = _plan(request)
        report, times = _measure(plan)
        lock = None if request.write_lock is None else locks.lock_of(report)
    except (
        ConfigurationError,
        DatasetError,
        EvaluationError,
        FrozenError,
        GatesError,
        LockError,
        TerminologyError,
    ) as error:
        raise Refusal(str(error)) from error
    except WireError as error:
        raise Refusal(f"{harmless(request.target)} could not be evaluated: {error}") from error
    written = [] if request.out is None else _write(report, times, request.out)
    if request.write_lock is not None and lock is not None:
        written.append(_written(request.write_lock, encoded(lock), new=True))
    if request.json:
        print_document(EvaluateDocument(schema=EVALUATE_SCHEMA, report=report, times=times))
    else:
        _show(report, times, written, console())
    held = report.gates is None or report.gates.go
    return 0 if held and not report.failed else 1


def _plan(request: Request) -> _Plan:
    split: Split = _one_of("split", request.split, get_args(Split))
    gate: RelevanceMode = _one_of("gate", request.gate, get_args(RelevanceMode))
    chosen = None if request.configuration is None else configurations.load(request.configuration)
    k = _k(request.k, chosen)
    if chosen is not None and gate != "foundation-v1":
        raise Refusal(f"A configuration has floors, and the gate {gate} has none; leave one out.")
    if split == "holdout" and request.lock is None:
        raise Refusal(
            "The holdout is scored with a lock only: choose a configuration on development with "
            "--write-lock FILE, then name it here with --lock FILE."
        )
    if split == "development" and request.lock is not None:
        raise Refusal("--lock is for the holdout; leave it out, or say --split holdout.")
    if split == "holdout" and request.write_lock is not None:
        raise Refusal("--write-lock is for development; a holdout chooses nothing.")
    if request.write_lock is not None and request.write_lock.exists():
        raise Refusal(
            f"{request.write_lock} is there already and names the configuration that was chosen; "
            "remove it to choose anew."
        )
    targets = known_targets([request.target], wire=request.wire)
    if len(targets) != 1:
        there = listed([target.name for target in targets], most=len(targets))
        raise Refusal(f"{request.target!r} names several targets; choose among {there}.")
    folder, marker = shipped.located(request.dataset)
    dataset = datasets.load(folder)
    frozen = None
    if request.baseline is not None:
        frozen = frozen_results.load(request.baseline, dataset, split, k)
    terminology = None
    if request.terminology is not None:
        terminology = terminologies.load(request.terminology)
    gates = None if request.gates is None else gating.load(request.gates)
    if gates is not None:
        rivals = contenders(
            gate=gate, frozen=frozen is not None, terminology=terminology is not None
        )
        gating.fitting(gates, split=split, k=k, contenders=rivals)
    if request.out is not None:
        writable(request.out)
    return _Plan(
        target=targets[0] if chosen is None else configurations.configured(targets[0], chosen),
        dataset=dataset,
        marker=marker,
        split=split,
        gate=gate,
        k=k,
        frozen=frozen,
        floors=None if chosen is None else chosen.floors,
        lock=None if request.lock is None else locks.load(request.lock),
        gates=gates,
        terminology=terminology,
        seed=request.seed,
    )


def _k(given: int | None, chosen: Configuration | None) -> int:
    """How many records are asked for: as a configuration says, where there is one."""
    if given is not None and given < 1:
        raise Refusal(f"-k {given} asks for nothing; give 1 or more.")
    if chosen is None:
        return DEFAULT_K if given is None else given
    if given not in (None, chosen.k):
        raise Refusal(f"The configuration was chosen with K {chosen.k}, not {given}; leave -k out.")
    return chosen.k


def _one_of(name: str, given: str, known: tuple[Choice, ...]) -> Choice:
    for choice in known:
        if choice == given:
            return choice
    raise Refusal(
        f"There is no {name} {given!r}; there are {' and '.join(known)}."
        + did_you_mean(given, known)
    )


def _measure(plan: _Plan) -> tuple[EvaluationReport, Times]:
    with _watching(plan.target.name) as (sentence, told):
        plan.target.prepare(sentence)
        connection = plan.target.connect()
        try:
            return _ask(plan, connection, told)
        finally:
            connection.close()


def _ask(
    plan: _Plan, connection: Connection, told: Callable[[int, int], None]
) -> tuple[EvaluationReport, Times]:
    dataset, hello = plan.dataset, connection.hello()
    digest = None
    if plan.lock is not None:
        lock, digest = plan.lock
        locks.check(
            lock,
            dataset=dataset.digest,
            target=plan.target.name,
            name=hello.name,
            version=hello.version,
            gate=plan.gate,
            k=plan.k,
            gates=None if plan.gates is None else plan.gates.digest,
            terminology=None if plan.terminology is None else plan.terminology.digest,
        )
    contender = StoreContender(connection, dataset, plan.gate)
    if len(contender.left_out) == len(dataset.records):
        cause = contender.left_out[0].cause
        raise EvaluationError(f"{hello.name} took none of the records; of the first: {cause}.")
    measured = run(contender, dataset, plan.split, plan.k, told=told)
    contender.close()
    report = report_of(
        measured,
        dataset,
        contender,
        Evaluated(target=plan.target.name, name=hello.name, version=hello.version),
        marker=plan.marker,
        split=plan.split,
        gate=plan.gate,
        k=plan.k,
        frozen=plan.frozen,
        floors=plan.floors,
        lock=digest,
        seed=plan.seed,
        gates=plan.gates,
        terminology=plan.terminology,
    )
    return report, times_of(measured)


def _nothing(*told: object) -> None:
    pass


@contextmanager
def _watching(
    name: str,
) -> Iterator[tuple[Callable[[str], None], Callable[[int, int], None]]]:
    """A bar on standard error of a terminal: takes sentences, and how many queries are done."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield _nothing, _nothing
        return
    columns = (
        TextColumn("{task.fields[name]}", style="bold", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None, name=shortened(harmless(name), 30))
        yield (
            lambda sentence: bar.update(task, description=shortened(harmless(sentence), 40)),
            lambda done, total: bar.update(task, completed=done, total=total, description=""),
        )


def _write(report: EvaluationReport, times: Times, folder: Path) -> list[Path]:
    contents = {
        REPORT: encoded(report),
        MARKDOWN: markdown(report).encode(),
        PAGE: page(report).encode(),
        TIMES: encoded(times),
    }
    if not report.failed:
        contents[EVIDENCE] = encoded(evidence_of(report))
    return [_written(folder / name, data) for name, data in contents.items()]


def _written(path: Path, data: bytes, *, new: bool = False) -> Path:
    try:
        with path.open("xb" if new else "wb") as file:
            file.write(data)
    except OSError as error:
        raise Refusal(f"{path} can't be written: {error.strerror}.") from error
    return path


def _show(report: EvaluationReport, times: Times, written: list[Path], out: Console) -> None:
    who = report.evaluated
    out.print(Text(harmless(f"{who.target}: {who.name} {who.version}"), style="bold"))
    for name, told in settings(report):
        out.print(bullet(Text(f"  {name}", style="dim"), Text(harmless(told)), width=10))
    for rows in tables(report):
        out.print()
        out.print(Text(harmless(rows.title), style="bold"))
        out.print(_table(rows))
    out.print(
        Text(f"Latency: p50 {times.p50_ms:.2f} ms, p95 {times.p95_ms:.2f} ms a query.", style="dim")
    )
    if report.undeclared:
        out.print(Text(undeclared(report), style="yellow"))
    if report.left_out:
        out.print(
            Text(
                f"{number(len(report.left_out), 'record')} could not be stored and are not in it: "
                + harmless(listed([each.id for each in report.left_out]))
                + f". {blind(report)}".rstrip(),
                style="yellow",
            )
        )
    if report.failed:
        out.print(Text(failed(report), style="bold red"))
        for each in report.failed[:SHOWN]:
            told = shortened(harmless(f"{each.id}: {each.code}, {each.cause}"), 200)
            out.print(Text(f"  {told}", style="red"))
    _say(safety(report.decision), report.safe, out)
    if report.gates is not None:
        _say(decided(report), report.gates.go, out)
    for path in written:
        out.print(Text(f"  {harmless(str(path))}", style="dim"), soft_wrap=True)


def _say(sentence: str, good: bool, out: Console) -> None:
    sign, style = ("✓", "bold green") if good else ("✗", "bold red")
    out.print(Text(f"{sign} {sentence}", style=style))


def _table(rows: Rows) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    # With so many columns a page of 80 characters needs names of two lines, broken at a hyphen.
    many = len(rows.columns) > WIDE
    for place, column in enumerate(rows.columns):
        name = harmless(column)
        table.add_column(
            Text(name.replace("-", "-\n") if many else name, overflow="fold"),
            justify="left" if place < rows.words else "right",
            no_wrap=not place and rows.words == 1 and not many,
            overflow="fold",
        )
    for row in rows.rows:
        table.add_row(*(Text(harmless(cell)) for cell in row))
    return table
