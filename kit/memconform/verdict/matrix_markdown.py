"""MATRIX.md: the matrix as Markdown. Every text of a report is escaped; none leaves its cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memconform.verdict.matrix import (
    INTRODUCTION,
    LEGEND,
    Matrix,
    cell_words,
    counts_words,
    near_words,
    suites_words,
    verdict_words,
)
from memconform.verdict.summary import cell_code, code, prose

NAME = "MATRIX.md"


def markdown(told: Matrix) -> str:
    """The whole page; the same for the same reports."""
    lines = ["# Conformance matrix", "", INTRODUCTION, "", *_verdicts(told), ""]
    if (suites := suites_words(told)) is not None:
        lines += [f"**{suites}**", ""]
    lines += [*_near(told), "## Signs", "", *(f"- {sign}" for sign in LEGEND), ""]
    for profile in told.profiles:
        lines += [f"## {prose(profile)}", "", *_requirements(told, profile), ""]
    return "\n".join(lines).rstrip() + "\n"


def _verdicts(told: Matrix) -> Iterator[str]:
    columns = told.columns
    yield _row(["", *(cell_code(column.target) for column in columns)])
    yield _rule(len(columns))
    yield _row(["implementation", *(_who(column.implementation) for column in columns)])
    for profile in told.profiles:
        cells = []
        for column in columns:
            verdict = column.verdict(profile)
            cells.append(verdict_words(verdict))
            if verdict is not None and column.reliable:
                cells[-1] = f"**{cells[-1]}**: {counts_words(verdict.counts)}"
        yield _row([prose(profile), *cells])
    yield _row(["reached", *(prose(column.way) for column in columns)])
    yield _row(["suite", *(cell_code(column.suite[:12] or "none") for column in columns)])
    yield _row(["kit", *(cell_code(column.kit) for column in columns)])


def _who(name: str | None) -> str:
    return "unknown" if name is None else cell_code(name)


def _near(told: Matrix) -> Iterator[str]:
    columns = [column for column in told.columns if column.near]
    if not columns:
        return
    yield from ("## How near", "")
    yield "Counted in broken MUST scenarios; the nearest profile first."
    yield ""
    for column in columns:
        yield from (f"### {code(column.target)}", "")
        yield from (f"- {prose(near_words(near))}" for near in column.near)
        yield ""


def _requirements(told: Matrix, profile: str) -> Iterator[str]:
    yield _row(["requirement", *(cell_code(column.target) for column in told.columns)])
    yield _rule(len(told.columns))
    for row in told.rows_of(profile):
        name = prose(row.rule) if row.must else f"{prose(row.rule)} (SHOULD)"
        pairs = zip(row.cells, told.columns, strict=True)
        yield _row([name, *(cell_words(cell, column, profile) for cell, column in pairs)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(columns: int) -> str:
    return _row(["---"] * (columns + 1))
