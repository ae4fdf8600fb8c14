"""``traces``: import, look at and export what stores logged of their retrievals."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from memconform.traces.answers import Info, Slice
    from memconform.traces.intake import Progress, Summary

traces_app = typer.Typer(
    help="Import, look at and export traces of retrievals.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
_SHOWN = 5


@traces_app.command(
    "import", epilog="Example: memconform traces import traces.jsonl --out build/traces"
)
def import_(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(metavar="SOURCE", help="Files of traces, or folders of them."),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The trace store; made if need be.")],
    labels: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Judgements: TREC qrels, CSV, Parquet or JSON."),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML: which column of a table is what.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="log, last-trace, spans, table, run, qrels or audit; else each is looked at.",
        ),
    ] = None,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Keep queries and contents, too.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> int:
    """Bring traces into a trace store, each of them once."""
    from memconform.cli.errors import Refusal

    if not sources and not labels:
        raise Refusal("There is nothing to import; name a SOURCE, or --labels FILE.")
    with _refusing():
        from memconform.traces.errors import loaded
        from memconform.traces.mapping import load

        ingest = loaded("intake").ingest
        with _watching() as told:
            summary: Summary = ingest(
                sources or [],
                out,
                labels=labels,
                format=format,
                mapping=None if mapping is None else load(mapping),
                with_text=with_text,
                told=told,
            )
    if json:
        _print_summary(summary)
    else:
        _show_summary(summary, out)
    return 2 if summary.refused_count and not summary.anything else 0


@traces_app.command(epilog="Example: memconform traces info build/traces")
def info(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The trace store.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> int:
    """Show what is in a trace store."""
    with _refusing():
        from memconform.traces.info import info_of
        from memconform.traces.store import open_store

        found = info_of(open_store(folder))
    if json:
        from memconform.cli.documents import print_document

        print_document(found)
    else:
        _show_info(found)
    return 0


@traces_app.command(epilog="Example: memconform traces export build/traces --format trec")
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The trace store.")],
    *,
    format: Annotated[str, typer.Option(metavar="NAME", help="jsonl, trec or qrels.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here; else to standard output.")
    ] = None,
    which: Annotated[
        str, typer.Option(help="Of a run's candidates: selected, passed or all.")
    ] = "selected",
) -> int:
    """Write traces as log lines or a TREC run, judgements as qrels."""
    with _refusing():
        from memconform.traces.errors import loaded
        from memconform.traces.store import open_store

        exporting = loaded("export")
        store = open_store(folder)
        lines = exporting.exported(store, format, which=which)
        if out is None:
            sys.stdout.flush()
            for line in lines:
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        else:
            _write(out, lines)
        left_out = exporting.repeated_queries(store) if format == "trec" else 0
    if left_out:
        _note(f"{left_out} retrievals are left out: a run has the latest of each query.")
    return 0


# --- how it is said ----------------------------------------------------------------------------


@contextmanager
def _refusing() -> Iterator[None]:
    from memconform.cli.errors import Refusal
    from memconform.traces.errors import TraceError

    try:
        yield
    except TraceError as error:
        raise Refusal(str(error)) from error


def _write(path: Path, lines: Iterator[bytes]) -> None:
    """Write a file whole: whoever reads it finds the old one or the new one."""
    from memconform.cli.errors import Refusal

    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise Refusal(f"--out {path} can't be written: {error.strerror}.") from error


@contextmanager
def _watching() -> Iterator[Callable[[Progress], None]]:
    """A bar on standard error of a terminal, nothing in a pipe."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from memconform.verdict.layout import console
    from memconform.verdict.words import harmless, shortened

    err = console(stderr=True)
    if not err.is_terminal:
        yield lambda progress: None
        return
    columns = (
        TextColumn("{task.fields[name]}", style="bold", markup=False),
        BarColumn(bar_width=24),
        TaskProgressColumn(markup=False),
        TimeRemainingColumn(),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    with Bar(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None, name="")

        def told(progress: Progress) -> None:
            said = f"{progress.retrievals:,} added"
            if progress.refused:
                said += f", {progress.refused:,} refused"
            bar.update(
                task,
                completed=progress.position,
                total=progress.size,
                description=said,
                name=shortened(harmless(progress.source.name), 30),
            )

        yield told


def _print_summary(summary: Summary) -> None:
    from memconform.cli.documents import print_document

    print_document(summary.document())


def _show_summary(summary: Summary, out: Path) -> None:
    from rich.text import Text

    from memconform.verdict.layout import console
    from memconform.verdict.words import harmless, shortened

    page = console()
    page.print(
        f"{summary.added:,} retrievals with {summary.candidates:,} candidates added, "
        f"{summary.known:,} were there already."
    )
    if summary.labels or summary.labels_known:
        page.print(
            f"{summary.labels:,} judgements added, {summary.labels_known:,} were there already."
        )
    if summary.passed_over:
        page.print(
            f"{summary.passed_over:,} passed over: spans of other kinds, "
            "or runs whose decisions are no longer kept."
        )
    if not summary.refused_count:
        return
    page.print(Text(f"{summary.refused_count:,} refused:", style="yellow"))
    for refusal in summary.refused[:_SHOWN]:
        where = f"{Path(refusal.source).name}:{refusal.line}"
        told = shortened(harmless(f"{where}: {refusal.reason}"), 200)
        page.print(Text(f"  {told}"), soft_wrap=True)
    page.print(Text(f"  all of them in {harmless(str(out / 'refused.jsonl'))}"), soft_wrap=True)


def _show_info(found: Info) -> None:
    from rich.text import Text

    from memconform.verdict.layout import console
    from memconform.verdict.words import harmless

    page = console()
    page.print(
        f"{found.retrievals:,} retrievals of {found.queries:,} queries, "
        f"{found.candidates:,} candidates; {found.bytes / 1e6:,.1f} MB in {found.parts:,} parts, "
        f"{'with' if found.with_text else 'without'} text."
    )
    if found.judged_queries:
        page.print(
            f"{found.labels:,} judgements of {found.judged_queries:,} queries "
            f"({found.expecting_nothing:,} expect nothing); "
            f"{found.judged_retrievals:,} retrievals are judged."
        )
    else:
        page.print("No judgements; a sweep needs some: memconform traces import --labels FILE.")
    for name, slices in groupby(found.slices, key=lambda one: (one.store, one.gate)):
        who, gate = (harmless(text) if text else "unknown" for text in name)
        page.print()
        page.print(Text(f"Store {who}, gate {gate}", style="bold"), soft_wrap=True)
        page.print(_table(list(slices)))


def _table(slices: list[Slice]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from memconform.verdict.words import harmless

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in ("day", "queries"):
        table.add_column(name, no_wrap=True)
    for name in ("asked", "ranked", "selected", "none", "p50 ms", "p95 ms", "from"):
        table.add_column(name, justify="right")
    for one in slices:
        counts = (one.retrievals, one.candidates, one.selected, one.none_selected)
        table.add_row(
            one.day,
            Text(harmless(one.language or "unknown")),
            *(f"{count:,}" for count in counts),
            *("–" if ms is None else f"{ms:.2f}" for ms in (one.p50_ms, one.p95_ms)),
            "unknown" if one.swept_from is None else f"{one.swept_from:.4g}",
        )
    return table


def _note(sentence: str) -> None:
    from memconform.verdict.layout import console

    console(stderr=True).print(sentence)
