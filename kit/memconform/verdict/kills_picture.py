"""The kill matrix as a picture: a row a fault, a column a scenario, a mark a kill. Plain SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from memconform.verdict.kills import FaultVerdict, Kills, Standing
from memconform.verdict.words import number

NAME = "kills.svg"
CELL = 2  # user units a scenario
ROW = 8  # user units a fault
LEFT = 250
TOP = 56
RIGHT = 12
_COLOURS = {"named": "#c2410c", "other": "#1d4ed8", "line": "#d1d5db", "text": "#374151"}


def picture(kills: Kills, capability_of: Mapping[str, str]) -> str:
    """The matrix.

    Args:
        kills: what was found out.
        capability_of: of each scenario by its id, in words for a heading.
    """
    place = {id: column for column, id in enumerate(kills.scenarios)}
    width = LEFT + CELL * len(place) + RIGHT
    height = TOP + ROW * len(kills.faults) + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' font-family="sans-serif" font-size="6" fill="{_COLOURS["text"]}" role="img"'
        ' aria-labelledby="title">',
        f'<title id="title">{_title(kills)}</title>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="16" font-size="11" font-weight="bold">{_title(kills)}</text>',
        *_legend(),
        *_headings(kills, capability_of, height),
    ]
    for row, fault in enumerate(kills.faults):
        lines += _row(fault, TOP + ROW * row, place)
    return "\n".join([*lines, "</svg>", ""])


def _title(kills: Kills) -> str:
    killed = sum(fault.standing is Standing.KILLED for fault in kills.faults)
    return (
        f"{killed} of {number(len(kills.faults), 'seeded fault')} killed, "
        f"{number(len(kills.scenarios), 'scenario')}, {len(kills.idle)} of them idle"
    )


def _legend() -> Iterator[str]:
    for x, kind, words in (
        (8, "named", "killed by the scenario that is there for it"),
        (150, "other", "killed by another scenario"),
    ):
        yield f'<rect x="{x}" y="24" width="6" height="6" fill="{_COLOURS[kind]}"/>'
        yield f'<text x="{x + 9}" y="29.5" font-size="7">{words}</text>'


def _headings(kills: Kills, capability_of: Mapping[str, str], height: int) -> Iterator[str]:
    column = 0
    for capability, ids in groupby(kills.scenarios, key=lambda id: capability_of[id]):
        x = LEFT + CELL * column
        yield f'<path d="M{x} {TOP - 12}V{height - 8}" stroke="{_COLOURS["line"]}"/>'
        yield f'<text x="{x + 3}" y="{TOP - 5}" font-size="7">{escape(capability)}</text>'
        column += len(list(ids))


def _row(fault: FaultVerdict, y: int, place: Mapping[str, int]) -> Iterator[str]:
    middle = y + ROW - 2
    sign = "" if fault.standing is Standing.KILLED else f" ({fault.standing.value})"
    yield (
        f'<text x="{LEFT - 4}" y="{middle}" text-anchor="end">{escape(fault.name)}{escape(sign)}'
        f"<title>{escape(fault.suffers)}</title></text>"
    )
    for kind, named in (("other", False), ("named", True)):
        columns = sorted(place[k.scenario] for k in fault.killers if k.named is named)
        if columns:
            marks = "".join(_marks(columns, y))
            yield f'<path d="{marks}" fill="{_COLOURS[kind]}"/>'


def _marks(columns: Sequence[int], y: int) -> Iterator[str]:
    for column in columns:
        yield f"M{LEFT + CELL * column} {y}h{CELL}v{ROW - 1}h-{CELL}z"
