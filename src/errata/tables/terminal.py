"""Tables for the terminal."""

from __future__ import annotations

import io
import re
from itertools import chain
from typing import TYPE_CHECKING, Literal

from errata.errors import visible

if TYPE_CHECKING:
    from errata.tables.table import Table

_GAP = 2  # blanks between columns
_NARROW = 8  # characters that a name is folded to at the least
_HEAD = 18  # characters from which on a head is folded
_ONE_PLACE = re.compile("[ -~¡-¬®-ʯ–—‘’“”…−≈±αβκλρτσΔ]*")  # characters that take one place each


def render(table: Table, width: int | None, color: bool) -> str:
    """The table in plain text; one that is too wide is printed in blocks of columns."""
    if width is not None and not color:
        simple = _simple(table, width)
        if simple is not None:
            return simple
    return _by_rich(table, width, color)


def _simple(table: Table, width: int) -> str | None:
    """The same text as by rich, which takes 20 ms to load; None unless every text fits into one line."""
    title, heads = visible(table.title), [visible(column.name) for column in table.columns]
    texts = [heads, *_visible_rows(table)]
    sizes = [max(map(len, column)) for column in zip(*texts, strict=True)]
    whole = sum(sizes) + _GAP * (len(sizes) - 1)
    plain = all(_ONE_PLACE.fullmatch(text) and text == text.strip() for text in (title, *chain(*texts)))
    notes = [*map(visible, table.notes)]
    if not plain or not all(sizes) or len(title) > whole or whole + _GAP > width or "\t" in "".join(notes):
        return None
    numeric = [table.is_numeric(j) for j in range(len(sizes))]
    lines = [title] if title else []
    for i, row in enumerate(texts):
        if i - 1 in table.rules and i > 1:
            lines.append("")
        cells = [
            text.rjust(size) if right else text.ljust(size)
            for text, size, right in zip(row, sizes, numeric, strict=True)
        ]
        line = " " + (" " * _GAP).join(cells)
        lines += [line] if i else ["", line, " " + "─" * whole]
    found = "\n".join([*lines, "", *notes, ""])
    return "\n".join(line.rstrip() for line in found.splitlines()) + "\n"


def _visible_rows(table: Table) -> list[list[str]]:
    return [[visible(text) for text in row] for row in table.grid()]


def _by_rich(table: Table, width: int | None, color: bool) -> str:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=color, no_color=not color, highlight=False)
    best = table.best()
    rows = _visible_rows(table)
    title = visible(table.title) or None
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
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _widths(table: Table, rows: list[list[str]], width: int) -> tuple[list[int], int]:
    """The widths of the columns, and how many leading ones (keys) each block repeats.

    Numbers are never folded, but long names in keys, which take up half the width at most, and long heads.
    """
    from rich.cells import cell_len

    count = len(table.columns)
    keys = table.keys or next((j for j in range(count) if table.is_numeric(j)), count)
    cells = [max(map(cell_len, (row[j] for row in rows)), default=0) for j in range(count)]
    heads = [cell_len(column.name) for column in table.columns]
    natural = [max(pair) for pair in zip(cells, heads, strict=True)]
    if sum(natural) + _GAP * count <= width or keys == count:
        return natural, keys
    for j in sorted(range(keys), key=lambda j: natural[j]):  # what a short name leaves is for the long ones
        wider = [k for k in range(keys) if natural[k] >= natural[j]]
        left = width // 2 - sum(natural[k] + _GAP for k in range(keys) if k not in wider)
        natural[j] = min(natural[j], max(_NARROW, left // len(wider) - _GAP))
    room = width - sum(natural[:keys]) - _GAP * (keys + 1)
    for j in range(keys, count):
        if table.is_numeric(j):
            natural[j] = max(cells[j], min(heads[j], _HEAD))
        else:
            natural[j] = min(max(cells[j], min(heads[j], _HEAD)), max(room, _NARROW))
    return natural, keys


def _blocks(widths: list[int], keys: int, width: int) -> list[list[int]]:
    """The columns, in as many blocks as the width asks for; each repeats the leading text columns."""
    blocks: list[list[int]] = [list(range(keys))]
    for j in range(keys, len(widths)):
        taken = sum(widths[k] + _GAP for k in blocks[-1])
        if len(blocks[-1]) > keys and taken + widths[j] + _GAP > width:
            blocks.append(list(range(keys)))
        blocks[-1].append(j)
    return blocks
