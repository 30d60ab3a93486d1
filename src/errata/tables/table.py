"""The table type that every verb prints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from errata.tables import markup, records, terminal
from errata.tables.cells import Cell, Column, format_cell, number_in

FORMATS = ("table", "markdown", "latex", "tsv", "json", "html")
_RENDERERS = {
    "markdown": markup.markdown,
    "latex": markup.latex,
    "html": markup.html,
    "tsv": records.tsv,
    "json": records.json_text,
}


@dataclass(slots=True)
class Table:
    """Rows under named columns, with a title and notes; `render` gives any of the formats."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    notes: list[str] = field(default_factory=list)
    rules: frozenset[int] = frozenset()  # numbers of the rows a line is drawn above (clusters, totals)
    extra: Mapping[str, Any] = field(default_factory=dict)  # goes into JSON as it is
    keys: int = 0  # leading columns that name a row; 0 stands for those before the first with numbers

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns: {row!r}")

    def render(self, format: str = "table", *, width: int | None = None, color: bool = False) -> str:
        """The table as text in one of `FORMATS`; `width` and `color` matter on the terminal only."""
        if format == "table":
            return terminal.render(self, width, color)
        return _RENDERERS[format](self)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return self.render("html")

    def to_records(self) -> list[dict[str, Cell]]:
        """The rows as dictionaries."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def to_frame(self) -> Any:
        """A pandas DataFrame; an estimate takes three columns, as in TSV."""
        return records.frame(self)

    def grid(self) -> list[list[str]]:
        """The text of every cell."""
        return [
            [format_cell(cell, column.decimals) for cell, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]

    def is_numeric(self, j: int) -> bool:
        """Whether a column holds numbers alone."""
        cells = [row[j] for row in self.rows if row[j] is not None]
        return bool(cells) and all(number_in(cell) is not None for cell in cells)

    def best(self) -> set[tuple[int, int]]:
        """The (row, column) places of the best values: values that print alike are equally good."""
        places = set()
        for j, column in enumerate(self.columns):
            if column.best is None:
                continue
            values = {i: number_in(row[j]) for i, row in enumerate(self.rows)}
            known = {i: v for i, v in values.items() if v is not None and not math.isnan(v)}
            if len(known) < 2:
                continue
            best = (max if column.best == "max" else min)(known.values())
            printed = format_cell(best, column.decimals)
            places |= {(i, j) for i, v in known.items() if format_cell(v, column.decimals) == printed}
        return places


def matrix(
    corner: str,
    names: Sequence[str],
    values: Iterable[Iterable[float]],
    decimals: int,
    title: str,
    notes: Sequence[str] = (),
) -> Table:
    """A table of the same names in rows and columns; numbers that are not finite are left out."""
    rows: list[Sequence[Cell]] = [
        [name, *(float(value) if math.isfinite(value) else None for value in row)]
        for name, row in zip(names, values, strict=True)
    ]
    columns = [Column(corner), *(Column(name, decimals) for name in names)]
    return Table(columns, rows, title, list(notes), keys=1)


def render_all(tables: Iterable[Table], format: str, *, width: int | None = None, color: bool = False) -> str:
    """Several tables in one text; JSON becomes one array."""
    tables = list(tables)
    if format == "json" and len(tables) != 1:
        array = [json.loads(table.render("json")) for table in tables]
        return json.dumps(array, ensure_ascii=False, indent=1) + "\n"
    return "\n".join(table.render(format, width=width, color=color) for table in tables)
