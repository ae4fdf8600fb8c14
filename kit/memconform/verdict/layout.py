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
    rows = cells(lines)
    return list(lines) if rows is None else aligned(rows)  # better crooked than wrong


def cells(lines: Sequence[str]) -> list[list[str]] | None:
    """The rows of a table with pipes; null of lines that make none."""
    stripped = [line.strip() for line in lines]
    if not stripped or not all(line.startswith("| ") and line.endswith(" |") for line in stripped):
        return None
    rows = [line[2:-2].split(" | ") for line in stripped]
    return rows if len({len(row) for row in rows}) == 1 else None  # else a cell holds a pipe


def upright(number: int, columns: Sequence[str], row: Sequence[str]) -> RenderableType:
    """A row that is too wide for the terminal: a line for each of its cells."""
    words = Text()
    for column, cell in zip(columns, row, strict=True):
        words.append(f"{column}: ", style="cyan dim").append(f"{cell}\n", style="dim")
    words.right_crop(1)
    return indented(bullet(Text(f"{number:>3}", style="dim"), words), 1)


def step_table(rows: Sequence[Sequence[str]], left: int, width: int) -> list[RenderableType]:
    """The table of a step, upright where it is too wide and its first row names the columns.

    A table of one or two columns may be names and values without a head, so it stays as it is.
    """
    lines = aligned(rows)
    if len(rows[0]) > 2 and max(map(cell_len, lines)) + left > width:
        head, *others = rows
        return [indented(upright(n, head, row), left - 4) for n, row in enumerate(others, 1)]
    return [Text(f"{' ' * left}{line}", style="dim") for line in lines]
