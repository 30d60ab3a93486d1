"""Tables for the terminal."""

from __future__ import annotations

import io
import re
from itertools import chain
from typing import TYPE_CHECKING, Literal

from errata.errors import visible

if TYPE_CHECKING:
    from errata.tables import Table

_GAP = 2  # spaces between columns
_MIN_NAME = 8  # narrowest width to which a name is folded
_MAX_HEAD = 18  # longer column heads are folded
_SINGLE_WIDTH = re.compile("[ -~¡-¬®-ʯ–—‘’“”…−≈±αβκλρτσΔ]*")  # characters of one column each


def render(table: Table, width: int | None, color: bool) -> str:
    """The table in plain text; a table that is too wide is printed in blocks of columns."""
    if width is not None and not color:
        text = _without_rich(table, width)
        if text is not None:
            return text
    return _with_rich(table, width, color)


def _without_rich(table: Table, width: int) -> str | None:
    """The same text without rich, which takes 60 ms to load; None if a cell does not fit on one line."""
    title, heads = visible(table.title), [visible(column.name) for column in table.columns]
    texts = [heads, *_visible_rows(table)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    total = sum(widths) + _GAP * (len(widths) - 1)
    plain = all(_SINGLE_WIDTH.fullmatch(text) and text == text.strip() for text in (title, *chain(*texts)))
    notes = [*map(visible, table.notes)]
    if not plain or not all(widths) or len(title) > total or total + _GAP > width or "\t" in "".join(notes):
        return None
    numeric = [table.is_numeric(j) for j in range(len(widths))]
    lines = [visible(table.headline), ""] if table.headline else []
    lines += [title] if title else []
    for i, row in enumerate(texts):
        if i - 1 in table.rules and i > 1:
            lines.append("")
        cells = [
            text.rjust(size) if right else text.ljust(size)
            for text, size, right in zip(row, widths, numeric, strict=True)
        ]
        line = " " + (" " * _GAP).join(cells)
        lines += [line] if i else ["", line, " " + "─" * total]
    return _without_trailing_spaces("\n".join([*lines, "", *notes, ""]))


def _visible_rows(table: Table) -> list[list[str]]:
    return [[visible(text) for text in row] for row in table.grid()]


def _with_rich(table: Table, width: int | None, color: bool) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=color, no_color=not color, highlight=False)
    best = table.best()
    rows = _visible_rows(table)
    title = visible(table.title) or None
    if table.headline:
        console.print(Text(visible(table.headline)), end="\n\n")
    widths, keys = _widths(table, rows, console.width)
    for columns in _blocks(widths, keys, console.width):
        grid = RichTable(
            box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, padding=(0, 1, 0, 0)
        )
        title = None
        for j in columns:
            numeric = table.is_numeric(j)
            justify: Literal["left", "right"] = "right" if numeric else "left"
            name = Text(visible(table.columns[j].name))
            fixed = widths[j] if keys < len(widths) else None
            grid.add_column(
                name, justify=justify, overflow="fold", no_wrap=numeric, min_width=fixed, max_width=fixed
            )
        for i, row in enumerate(rows):
            if i in table.rules and i:
                grid.add_section()
            grid.add_row(*(Text(row[j], style="bold" if (i, j) in best else "") for j in columns))
        console.print(grid)
    for note in table.notes:
        console.print(Text(visible(note), style="dim"), soft_wrap=True)
    return _without_trailing_spaces(buffer.getvalue())


def _without_trailing_spaces(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _widths(table: Table, rows: list[list[str]], width: int) -> tuple[list[int], int]:
    """The widths of the columns, and the number of key columns, which every block repeats.

    Numbers are never folded. Long heads are, and so are long names in the key columns, which take up at most
    half the width.
    """
    from rich.cells import cell_len

    count = len(table.columns)
    keys = table.keys or next((j for j in range(count) if table.is_numeric(j)), count)
    cells = [max(map(cell_len, (row[j] for row in rows)), default=0) for j in range(count)]
    heads = [cell_len(column.name) for column in table.columns]
    widths = [max(pair) for pair in zip(cells, heads, strict=True)]
    if sum(widths) + _GAP * count <= width or keys == count:
        return widths, keys
    for j in sorted(range(keys), key=lambda j: widths[j]):  # short names leave space for long ones
        wider = [k for k in range(keys) if widths[k] >= widths[j]]
        left = width // 2 - sum(widths[k] + _GAP for k in range(keys) if k not in wider)
        widths[j] = min(widths[j], max(_MIN_NAME, left // len(wider) - _GAP))
    available = width - sum(widths[:keys]) - _GAP * (keys + 1)
    for j in range(keys, count):
        if table.is_numeric(j):
            widths[j] = max(cells[j], min(heads[j], _MAX_HEAD))
        else:
            widths[j] = min(max(cells[j], min(heads[j], _MAX_HEAD)), max(available, _MIN_NAME))
    return widths, keys


def _blocks(widths: list[int], keys: int, width: int) -> list[list[int]]:
    """The numbers of the columns of each block that fits the width; every block begins with the keys."""
    blocks: list[list[int]] = [list(range(keys))]
    for j in range(keys, len(widths)):
        taken = sum(widths[k] + _GAP for k in blocks[-1])
        if len(blocks[-1]) > keys and taken + widths[j] + _GAP > width:
            blocks.append(list(range(keys)))
        blocks[-1].append(j)
    return blocks
