"""matrix.html: the matrix as one page that asks for nothing: no network, no script, no font."""

from __future__ import annotations

import functools

import jinja2

from memconform.model.report import Outcome, Verdict
from memconform.verdict import matrix as words
from memconform.verdict.matrix import Matrix
from memconform.verdict.words import harmless, number

NAME = "matrix.html"
TEMPLATE = "matrix.html.jinja"

# How a cell looks; its sign and words say the same without any colour.
_LOOKS = {
    Outcome.PASSED: "good",
    Outcome.UNSUPPORTED: "quiet",
    Outcome.DISPUTED: "quiet",
    Outcome.NOT_RUN: "unsure",
    Outcome.UNSTABLE: "unsure",
}
_VERDICT_LOOKS = {
    Verdict.CONFORMANT: "good",
    Verdict.PARTIAL: "unsure",
    Verdict.NOT_MEASURED: "unsure",
}


def page(told: Matrix) -> str:
    """The whole page; the same for the same reports."""
    return _template().render(
        matrix=told,
        introduction=words.INTRODUCTION,
        legend=words.LEGEND,
        suites=words.suites_words(told),
    )


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("memconform.verdict", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Whatever is put in is first made harmless, then escaped.
        finalize=lambda value: harmless(value) if type(value) is str else value,
    )
    environment.filters["number"] = number
    environment.globals |= {
        "cell_words": words.cell_words,
        "verdict_words": words.verdict_words,
        "counts_words": words.counts_words,
        "near_words": words.near_words,
        "look": lambda cell: "none" if cell.worst is None else _LOOKS.get(cell.worst, "bad"),
        "verdict_look": lambda told: (
            "none" if told is None else _VERDICT_LOOKS.get(told.verdict, "bad")
        ),
    }
    return environment.get_template(TEMPLATE)
