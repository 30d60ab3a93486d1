"""Tables for the terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Literal

from errata.errors import visible

if TYPE_CHECKING:
    from errata.tables.table import Table


def render(table: Table, width: int | None, color: bool) -> str:
    """The table in plain text; one that is too wide is printed in blocks of columns."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=color, no_color=not color, highlight=False)
    best = table.best()
    rows = [[visible(text) for text in row] for row in table.grid()]
    title = visible(table.title) or None
    for columns in _blocks(table, rows, console.width):
        grid = RichTable(
            box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, padding=(0, 1, 0, 0)
        )
        title = None
        for j in columns:
            numeric = table.is_numeric(j)
            justify: Literal["left", "right"] = "right" if numeric else "left"
            name = Text(visible(table.columns[j].name))
            grid.add_column(name, justify=justify, overflow="fold", no_wrap=numeric)
        for i, row in enumerate(rows):
            if i in table.rules and i:
                grid.add_section()
            grid.add_row(*(Text(row[j], style="bold" if (i, j) in best else "") for j in columns))
        console.print(grid)
    for note in table.notes:
        console.print(Text(visible(note), style="dim"), soft_wrap=True)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _blocks(table: Table, rows: list[list[str]], width: int) -> list[list[int]]:
    """The columns, in as many blocks as the width asks for; each repeats the leading text columns."""
    from rich.cells import cell_len

    widths = [
        2 + max(map(cell_len, [column.name, *(row[j] for row in rows)]))
        for j, column in enumerate(table.columns)
    ]
    count = len(table.columns)
    keys = next((j for j in range(count) if table.is_numeric(j)), count)
    if sum(widths) <= width or sum(widths[:keys]) > width // 2:
        return [list(range(count))]
    blocks: list[list[int]] = [list(range(keys))]
    for j in range(keys, count):
        if len(blocks[-1]) > keys and sum(widths[k] for k in blocks[-1]) + widths[j] > width:
            blocks.append(list(range(keys)))
        blocks[-1].append(j)
    return blocks
