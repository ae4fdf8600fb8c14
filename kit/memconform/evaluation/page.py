"""report.html: the report as one page with pictures, for whoever has to decide.

One file that asks for nothing: no network, no script, no font. Without times, so that it is the
same when made again. The template escapes every text; the pictures escape their own.
"""

from __future__ import annotations

import functools

import jinja2

from memconform.evaluation import pictures
from memconform.evaluation.report import EvaluationReport, QueryResult
from memconform.evaluation.tables import (
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
from memconform.verdict.words import harmless, number

TEMPLATE = "page.html.jinja"


def page(report: EvaluationReport) -> str:
    """The whole page."""
    level, candidate = report.bootstrap.level, report.terminology
    return _template().render(
        report=report,
        settings=settings(report),
        safety=safety(report.decision),
        decided=decided(report),
        failed=failed(report),
        undeclared=undeclared(report),
        blind=blind(report),
        tables=tables(report),
        by_group=by_group(report),
        glance=pictures.glance(report),
        gains=pictures.differences(report.baselines, "this store", level),
        groups=pictures.groups(report),
        query_map=pictures.query_map(report),
        candidate_gains=None
        if candidate is None
        else pictures.differences(candidate.against, "terminology-map", level),
        candidate_by_group=None
        if candidate is None
        else [
            pictures.differences_by_group(other, "terminology-map", level)
            for other in candidate.against
            if other.name == report.gate
        ],
    )


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("memconform.evaluation", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Whatever is put in is first made harmless, then escaped; Markup is the pictures' own.
        finalize=lambda value: harmless(value) if type(value) is str else value,
    )
    environment.filters["figure"] = figure
    environment.filters["number"] = number
    environment.filters["mark"] = pictures.mark
    environment.filters["scores"] = _scores
    return environment.get_template(TEMPLATE)


def _scores(query: QueryResult, scores: dict[str, list[float | None]]) -> str:
    """The store's scores of what it selected."""
    return ", ".join(figure(score) for score in scores[query.id]) or "–"
