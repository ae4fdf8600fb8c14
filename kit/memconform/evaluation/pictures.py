"""The pictures of a report: inline SVG, without script, coloured by the page that they stand in.

Nothing is told by colour alone: a shape, a sign or a place says the same, and the page has every
figure in a table. Every text goes through ``_text``, whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from memconform.evaluation.report import (
    Baseline,
    Comparison,
    EvaluationReport,
    FailedQuery,
    Group,
    QueryResult,
)
from memconform.evaluation.scorers import DecisionScores
from memconform.evaluation.tables import figure
from memconform.verdict.words import harmless, number, shortened

WIDTH = 800  # user units
LEFT = 215  # where the scale begins
SCALE = 375  # its length
LANE = 17  # height of one figure
GAP = 12  # between two rows
TICKS = 20  # height of the scale's figures
CELL = 22  # a query in the map
LABEL = 30  # characters

_MEANS: tuple[tuple[str, str], ...] = (
    ("recall", "recall_at_k"),
    ("precision", "precision_at_k"),
    ("reciprocal rank", "mrr"),
    ("abstention", "abstention_accuracy"),
)
_MEASURES = {"R": "recall", "P": "precision", "RR": "reciprocal rank", "Silence": "abstention"}


@dataclass(frozen=True)
class Mark:
    """How a query came out: the sign in its cell, the style of it, and what it means."""

    sign: str
    style: str
    words: str


FOUND = Mark("✓", "good", "found all it expects")
PARTLY = Mark("½", "middling", "found some of it")
MISSED = Mark("✗", "bad", "found none of it")
SILENT = Mark("–", "good", "rightly silent")
FALSE = Mark("+", "bad", "selected where nothing is expected")
FORBIDDEN = Mark("!", "bad", "selected what its label forbids")
UNSAFE = Mark("‼", "worst", "selected something unsafe")
FAILED = Mark("?", "worst", "came to no answer")
MARKS = (FOUND, PARTLY, MISSED, SILENT, FALSE, FORBIDDEN, UNSAFE, FAILED)


def mark(query: QueryResult) -> Mark:
    """How a query came out; the worst thing about it counts."""
    if query.unsafe:
        return UNSAFE
    if query.forbidden:
        return FORBIDDEN
    if query.recall_at_k is None:
        return SILENT if query.abstained else FALSE
    if query.recall_at_k == 1:
        return FOUND
    return PARTLY if query.recall_at_k else MISSED


# --- the pictures --------------------------------------------------------------------------------


def glance(report: EvaluationReport) -> Markup:
    """The four means of the decision scorer, this store and the others beside it."""
    sides: list[tuple[str, DecisionScores]] = [
        (report.evaluated.target, report.decision),
        *((other.name, other.decision) for other in report.baselines),
    ]
    rows = [
        (
            words if words == "abstention" else f"{words}@{report.k}",
            [(place, getattr(side, field)) for place, (_, side) in enumerate(sides)],
        )
        for words, field in _MEANS
    ]
    names = [name for name, _ in sides]
    return _lollipops("Means of the decision scorer, from 0 to 1", rows, names)


def groups(report: EvaluationReport) -> Markup:
    """What this store finds in each language and category, and where it is rightly silent."""
    lanes = [
        (f"recall@{report.k}", "recall_at_k"),
        (f"precision@{report.k}", "precision_at_k"),
        ("abstention", "abstention_accuracy"),
    ]
    rows = [(_group_words(group), _lanes(group, lanes)) for group in _all_groups(report)]
    names = [name for name, _ in lanes]
    return _lollipops("By language and category, from 0 to 1", rows, names)


def differences(others: Sequence[Baseline], who: str, level: float) -> Markup:
    """What ``who`` gained on each of the others, with the interval."""
    panels = [(f"against {other.name}", other.comparisons) for other in others]
    return _forest(f"What {who} gained, with {level:.0%} intervals", panels)


def differences_by_group(other: Baseline, who: str, level: float) -> Markup:
    """The same to one other, over each language and category."""
    panels = [(group.name, group.comparisons) for group in other.groups]
    return _forest(
        f"What {who} gained on {other.name}, by language and category, with {level:.0%} intervals",
        panels,
    )


def query_map(report: EvaluationReport) -> Markup:
    """A cell a query, a row a category."""
    rows: dict[str, list[tuple[str, str, Mark]]] = {}
    every: list[QueryResult | FailedQuery] = [*report.queries, *report.failed]
    for query in sorted(every, key=lambda each: each.id):
        told = FAILED if isinstance(query, FailedQuery) else mark(query)
        rows.setdefault(query.category, []).append((query.id, query.language, told))
    room = (WIDTH - LEFT) // (CELL + 2)
    drawing = _Drawing("How each query came out")
    y: float = 4
    for category in sorted(rows):
        cells = rows[category]
        drawing.text(LEFT - 12, y + 15, category, "end")
        for place, (id, language, told) in enumerate(cells):
            line, column = divmod(place, room)
            drawing.cell(LEFT + column * (CELL + 2), y + line * (CELL + 2), id, language, told)
        y += (1 + (len(cells) - 1) // room) * (CELL + 2) + 6
    seen = {told for cells in rows.values() for _, _, told in cells}
    y = drawing.legend_of_marks(y + 8, [told for told in MARKS if told in seen])
    return drawing.done(y)


def _group_words(group: Group) -> str:
    there = group.decision
    return f"{group.name} ({there.answerable + there.unanswerable})"


def _all_groups(report: EvaluationReport) -> list[Group]:
    return [*report.languages, *report.categories]


def _lanes(group: Group, lanes: Iterable[tuple[str, str]]) -> list[tuple[int, float | None]]:
    found = [(place, getattr(group.decision, field)) for place, (_, field) in enumerate(lanes)]
    return [(place, value) for place, value in found if value is not None]


# --- the two kinds of chart ----------------------------------------------------------------------


def _lollipops(
    title: str, rows: Sequence[tuple[str, Sequence[tuple[int, float | None]]]], names: Sequence[str]
) -> Markup:
    """A block a row, a lane a series; the scale goes from 0 to 1."""
    drawing = _Drawing(title)
    y = drawing.legend(4, names)
    top = y
    heights = [LANE * max(1, len(lanes)) for _, lanes in rows]
    bottom = top + sum(heights) + GAP * len(rows)
    drawing.scale(top, bottom, {0.0: "0", 0.25: "0.25", 0.5: "0.5", 0.75: "0.75", 1.0: "1"}, 0, 1)
    for (name, lanes), height in zip(rows, heights, strict=True):
        drawing.text(LEFT - 12, y + height / 2 + 8, name, "end")
        for lane, (series, value) in enumerate(lanes):
            middle = y + LANE * lane + LANE / 2 + 4
            if value is None:
                drawing.text(LEFT + 8, middle + 4, "–", "start", "quiet")
                continue
            x = LEFT + SCALE * value
            drawing.line(LEFT, middle, x, middle, f"stem c{series % 6}")
            drawing.symbol(series, x, middle, f"{names[series]}, {name}: {figure(value)}")
            drawing.text(x + 11, middle + 4, figure(value), "start", "small")
        y += height + GAP
    return drawing.done(bottom + TICKS)


def _forest(title: str, panels: Sequence[tuple[str, Sequence[Comparison]]]) -> Markup:
    """A panel a heading, a line a measure: the difference and its interval, from -1 to 1."""
    drawing = _Drawing(title)
    y = top = drawing.legend_of_verdicts(4)
    count = sum(len(comparisons) for _, comparisons in panels)
    bottom = top + count * LANE + len(panels) * (LANE + GAP)
    drawing.scale(top, bottom, {-1.0: "−1", -0.5: "−0.5", 0.0: "0", 0.5: "+0.5", 1.0: "+1"}, -1, 1)
    for heading, comparisons in panels:
        drawing.text(8, y + LANE, heading, "start", "heading")
        y += LANE + 6
        for each in comparisons:
            _difference(drawing, y + LANE / 2, each)
            y += LANE
        y += GAP - 6
    return drawing.done(bottom + TICKS)


def _difference(drawing: _Drawing, middle: float, each: Comparison) -> None:
    words = f"{each.difference:+.3f} ({each.low:+.3f} to {each.high:+.3f})"
    verdict = 0 if each.low > 0 else 2 if each.high < 0 else 1
    kind, _, k = each.measure.partition("@")
    name = _MEASURES.get(kind, kind) + (f"@{k}" if k else "")
    drawing.text(
        LEFT - 12, middle + 4, f"{name}, {number(each.queries, 'query', 'queries')}", "end"
    )
    low, x, high = (
        LEFT + SCALE * (value + 1) / 2 for value in (each.low, each.difference, each.high)
    )
    drawing.line(low, middle, high, middle, f"interval v{verdict}")
    drawing.verdict(verdict, x, middle, f"{name}: {words}")
    drawing.text(LEFT + SCALE + 14, middle + 4, words, "start", "small")


# --- drawing -------------------------------------------------------------------------------------

_VERDICTS = ("better", "can't be told", "worse")


class _Drawing:
    """Elements of an SVG one after the other; y grows downwards, in user units."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[Markup] = []

    def done(self, height: float) -> Markup:
        return Markup(
            '<svg viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title>{}</svg>'
        ).format(
            WIDTH,
            _place(height),
            _text(self._title),
            _text(self._title),
            Markup("").join(self._parts),
        )

    def text(self, x: float, y: float, text: str, anchor: str, style: str = "") -> None:
        told = shortened(harmless(text), LABEL if anchor == "end" else 2 * LABEL)
        self._parts.append(
            Markup('<text x="{}" y="{}" text-anchor="{}" class="{}">{}</text>').format(
                _place(x), _place(y), anchor, style, _text(told)
            )
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self._parts.append(
            Markup('<path d="M{} {}L{} {}" class="{}"/>').format(
                *map(_place, (x1, y1, x2, y2)), style
            )
        )

    def scale(
        self, top: float, bottom: float, ticks: Mapping[float, str], low: float, high: float
    ) -> None:
        for value, words in ticks.items():
            x = LEFT + SCALE * (value - low) / (high - low)
            self.line(x, top, x, bottom, "zero" if value == 0 else "grid")
            self.text(x, bottom + 14, words, "middle", "quiet small")

    def symbol(self, series: int, x: float, y: float, title: str) -> None:
        self._shape(_SYMBOLS[series % len(_SYMBOLS)], x, y, f"mark c{series % 6}", title)

    def verdict(self, verdict: int, x: float, y: float, title: str) -> None:
        self._shape(_ARROWS[verdict], x, y, f"mark v{verdict}", title)

    def legend(self, y: float, names: Sequence[str]) -> float:
        """Symbols with their names, in lines; returns where they end."""
        return self._entries(
            y,
            [(_SYMBOLS[n % len(_SYMBOLS)], f"mark c{n % 6}", name) for n, name in enumerate(names)],
        )

    def legend_of_verdicts(self, y: float) -> float:
        return self._entries(
            y, [(_ARROWS[n], f"mark v{n}", words) for n, words in enumerate(_VERDICTS)]
        )

    def legend_of_marks(self, y: float, marks: Sequence[Mark]) -> float:
        for n, told in enumerate(marks):
            row, column = divmod(n, 3)
            x, top = 8 + column * 250, y + row * (CELL + 4)
            self.cell(x, top, "", "", told)
            self.text(x + CELL + 8, top + 15, told.words, "start", "small")
        return y + ((len(marks) + 2) // 3) * (CELL + 4)

    def cell(self, x: float, y: float, id: str, language: str, told: Mark) -> None:
        title = f"{id} ({language}): {told.words}" if id else told.words
        self._parts.append(
            Markup(
                '<g class="cell {}"><title>{}</title>'
                '<rect x="{}" y="{}" width="{}" height="{}" rx="3"/>'
                '<text x="{}" y="{}" text-anchor="middle">{}</text></g>'
            ).format(
                told.style,
                _text(title),
                *map(_place, (x, y, CELL, CELL, x + CELL / 2, y + 15)),
                told.sign,
            )
        )

    def _entries(self, y: float, entries: Iterable[tuple[str, str, str]]) -> float:
        x: float = 8
        for shape, style, name in entries:
            told = shortened(harmless(name), LABEL)
            long = 30 + 7 * len(told)
            if x > 8 and x + long > WIDTH:
                x, y = 8, y + 20
            self._shape(shape, x + 7, y + 9, style, told)
            self.text(x + 20, y + 13, told, "start", "small")
            x += long
        return y + 28

    def _shape(self, shape: str, x: float, y: float, style: str, title: str) -> None:
        self._parts.append(
            Markup(
                '<path d="{}" transform="translate({} {})" class="{}"><title>{}</title></path>'
            ).format(shape, _place(x), _place(y), style, _text(title))
        )


# Around 0 0, about six units to each side: circle, square, triangle, diamond, cross, bar.
_SYMBOLS = (
    "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z",
    "M-4.5-4.5h9v9h-9z",
    "M0-6L6 5H-6z",
    "M0-6.5L6 0L0 6.5L-6 0z",
    "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M-2-6h4v12h-4z",
)
_ARROWS = ("M-4-6L7 0L-4 6z", _SYMBOLS[0], "M4-6L-7 0L4 6z")


def _text(text: str) -> Markup:
    return escape(harmless(text))


def _place(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
