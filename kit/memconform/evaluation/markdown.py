"""report.md: the report for people, without times, so that it is the same when run again.

Names and ids of a store are other people's text: each stands in a code span that it can't close.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memconform.evaluation.report import EvaluationReport, QueryResult
from memconform.evaluation.tables import (
    Rows,
    blind,
    by_group,
    decided,
    failed,
    figure,
    safety,
    settings,
    tables,
    undeclared,
)
from memconform.verdict.summary import cell_code, code, prose

_FIGURES = re.compile(r"[-+0-9.]+( to [-+0-9.]+)?")


def markdown(report: EvaluationReport) -> str:
    """The whole page."""
    who = report.evaluated
    lines = [
        f"# Evaluation of {code(who.target)}",
        "",
        f"{code(f'{who.name} {who.version}')}. {safety(report.decision)}",
        *([] if report.gates is None else ["", f"**{prose(decided(report))}**"]),
        "",
        *_table(("setting", "value"), settings(report), words=2),
        *_failed(report),
    ]
    for rows in tables(report):
        lines += ["", f"## {prose(rows.title)}", "", *_rows(rows)]
    lines += ["", _drawn(report)]
    for rows in by_group(report):
        lines += ["", f"### {prose(rows.title)}", "", *_rows(rows)]
    lines += ["", "## Queries", "", *_queries(report.queries)]
    if report.undeclared:
        lines += ["", prose(undeclared(report))]
    if report.left_out:
        lines += ["", "## Records that the store does not have", ""]
        lines += [f"- {code(each.id)}: {prose(each.cause)}" for each in report.left_out]
        lines += ["", prose(blind(report))] if blind(report) else []
    return "\n".join(lines) + "\n"


def _failed(report: EvaluationReport) -> list[str]:
    if not report.failed:
        return []
    told = [f"- {code(each.id)}: {code(each.code)}, {prose(each.cause)}" for each in report.failed]
    return ["", "## Queries that failed", "", prose(failed(report)), "", *told]


def _drawn(report: EvaluationReport) -> str:
    drawn = report.bootstrap
    return (
        f"Intervals: percentiles of {drawn.resamples:,} bootstrap samples of the queries, "
        f"seed {drawn.seed}. A difference is this minus the other."
    )


def _rows(rows: Rows) -> list[str]:
    return _table(rows.columns, rows.rows, words=rows.words)


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]], *, words: int) -> list[str]:
    columns = list(columns)
    return [
        _line(map(_cell, columns)),
        _line(["---" if place < words else "---:" for place in range(len(columns))]),
        *(_line(map(_cell, row)) for row in rows),
    ]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    # A figure is no list item here, so it needs no escape.
    return text if _FIGURES.fullmatch(text) else prose(text)


def _queries(queries: Iterable[QueryResult]) -> list[str]:
    columns = ("query", "category", "language", "expected", "selected", "R", "P", "RR")
    return [
        _line(columns),
        _line(["---"] * 5 + ["---:"] * 3),
        *(
            _line(
                (
                    cell_code(each.id),
                    each.category,
                    each.language,
                    _ids(each.expected_ids),
                    _ids(each.selected_ids),
                    figure(each.recall_at_k),
                    figure(each.precision_at_k),
                    figure(each.reciprocal_rank),
                )
            )
            for each in queries
        ),
    ]


def _ids(ids: Iterable[str]) -> str:
    return ", ".join(map(cell_code, ids)) or "nothing"
