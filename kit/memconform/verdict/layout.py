"""Small pieces of layout that every terminal page is made of. Each takes text as text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console that reads no markup, no emoji names and no highlights into a text."""
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def indented(content: RenderableType, left: int, *, below: int = 0) -> Padding:
    """The content, so many columns from the left, with empty lines below."""
    return Padding(content, (0, 0, below, left), expand=False)


def bullet(sign: Text, text: Text, *, width: int | None = None) -> RenderableType:
    """A sign, and beside it a text that stays beside it where it is wrapped.

    Args:
        sign: a mark or a label.
        text: what it stands for.
        width: of the sign's column, so that several bullets line up; null fits the sign.
    """
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, width=width)
    grid.add_column(overflow="fold")
    grid.add_row(sign, text)
    return grid


def copied(text: str, out: Console) -> None:
    """A line to be copied: never wrapped, whatever the width."""
    out.print(Text(f"  {text}", style="cyan"), soft_wrap=True)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as a table with pipes; a CJK character is two columns wide."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "| "
        + " | ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True))
        + " |"
        for row in rows
    ]


def realigned(lines: Sequence[str]) -> list[str]:
    """Lines of a table with pipes, aligned; lines that make no table stay as they are."""
    stripped = [line.strip() for line in lines]
    if not stripped or not all(line.startswith("| ") and line.endswith(" |") for line in stripped):
        return list(lines)
    rows = [line[2:-2].split(" | ") for line in stripped]
    if len({len(row) for row in rows}) != 1:
        return list(lines)  # a cell holds a pipe: better crooked than wrong
    return aligned(rows)
