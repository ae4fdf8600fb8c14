"""``matrix``: reports side by side, on the terminal or as MATRIX.md and matrix.html."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memconform.cli.documents import MATRIX_SCHEMA, MatrixDocument, print_document
from memconform.cli.errors import Refusal
from memconform.cli.files import writable, written
from memconform.cli.reports import walked
from memconform.cli.verify import unsound, verify_file
from memconform.model.report import Outcome, Report
from memconform.verdict import matrix_markdown, matrix_page, report_json
from memconform.verdict.layout import bullet, console, indented
from memconform.verdict.matrix import (
    LEGEND,
    SIGNS,
    Matrix,
    Row,
    cell_words,
    counts_words,
    matrix,
    near_words,
    suites_words,
    verdict_words,
)
from memconform.verdict.terminal import show_written
from memconform.verdict.words import harmless

_STYLES = {"✓": "green", "✗": "red", "!": "red", "⊘": "red", "◐": "yellow", "≈": "yellow"}


def matrix_of(paths: Sequence[Path], *, out: Path | None, json: bool) -> int:
    """Show or write the matrix; 1 where a report doesn't follow from itself."""
    files = walked(paths)
    folder = writable(out) if out is not None else None
    reports: dict[str, tuple[Path, Report]] = {}
    for file in files:
        verified = verify_file(file)
        if not verified.sound:
            return unsound(file, verified, "it stands in no matrix")
        report = report_json.load(file)
        if report.target in reports:
            raise Refusal(
                f"{report.target} is in {reports[report.target][0]} and in {file}: a matrix has "
                "one column a target, so leave one out. memconform diff compares the two."
            )
        reports[report.target] = file, report
    told = matrix([report for _, report in reports.values()])
    if folder is not None:
        pages = {
            matrix_markdown.NAME: matrix_markdown.markdown(told),
            matrix_page.NAME: matrix_page.page(told),
        }
        paths = [written(folder / name, text.encode()) for name, text in pages.items()]
    if json:
        print_document(MatrixDocument(schema=MATRIX_SCHEMA, matrix=told))
    elif folder is not None:
        show_written(paths, console())
    else:
        _show(told, console())
    return 0


def _show(told: Matrix, out: Console) -> None:
    out.print(_verdicts(told))
    if (suites := suites_words(told)) is not None:
        out.print(bullet(Text("!", style="bold yellow"), Text(suites)))
        out.print()
    for column in told.columns:
        if column.near:
            out.print(Text(f"How near {harmless(column.target)} is", style="bold"))
        for near in column.near:
            line = bullet(Text("·", style="dim"), Text(harmless(near_words(near))))
            out.print(indented(line, 2))
    out.print()
    present = {cell.worst for row in told.rows for cell in row.cells}
    for outcome, line in zip(Outcome, _legend(), strict=True):
        if outcome in present:
            out.print(indented(Text(line, style="dim"), 2))
    for profile in told.profiles:
        out.print(_requirements(told, profile))


def _legend() -> list[str]:
    """The legend's lines in the order of the outcomes."""
    by_sign = {line.partition(" ")[0]: line for line in LEGEND}
    return [by_sign[SIGNS[outcome]] for outcome in Outcome]


def _table(first: str, told: Matrix) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", expand=False)
    table.add_column(first, overflow="fold")
    for column in told.columns:
        table.add_column(Text(harmless(column.target)), overflow="fold")
    return table


def _verdicts(told: Matrix) -> Table:
    table = _table("Profile", told)
    who = [column.implementation or "unknown" for column in told.columns]
    table.add_row("", *(Text(harmless(name), style="dim") for name in who))
    for profile in told.profiles:
        cells = []
        for column in told.columns:
            verdict = column.verdict(profile)
            cell = _styled(verdict_words(verdict))
            if verdict is not None and column.reliable:
                cell.append(f"\n{counts_words(verdict.counts)}", style="dim")
            cells.append(cell)
        table.add_row(Text(profile, style="bold"), *cells)
    suites = [column.suite[:12] or "none" for column in told.columns]
    table.add_row(Text("suite", style="dim"), *(Text(harmless(s), style="dim") for s in suites))
    return table


def _requirements(told: Matrix, profile: str) -> Table:
    table = _table(profile.capitalize(), told)
    for row in told.rows_of(profile):
        pairs = zip(row.cells, told.columns, strict=True)
        cells = [_styled(cell_words(cell, column, profile)) for cell, column in pairs]
        table.add_row(_rule(row), *cells)
    return table


def _rule(row: Row) -> Text:
    return Text(harmless(row.rule) if row.must else f"{harmless(row.rule)} (SHOULD)")


def _styled(words: str) -> Text:
    return Text(words, style=_STYLES.get(words[0], "dim"))
