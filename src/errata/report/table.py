"""One table type, rendered for the terminal, Markdown, LaTeX, TSV, JSON and HTML."""

from __future__ import annotations

import html
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from errata.errors import MissingExtraError

FORMATS = ("table", "markdown", "latex", "tsv", "json", "html")
_MISSING = "–"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its confidence interval, as a cell."""

    value: float
    low: float
    high: float


Cell = str | int | float | bool | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, how its numbers are printed, and which of them is the best."""

    name: str
    decimals: int | None = None
    best: Literal["max", "min"] | None = None


@dataclass(slots=True)
class Table:
    """Rows under named columns, with a title and notes; `render` gives any of the formats."""

    columns: Sequence[Column]
    rows: list[Sequence[Cell]]
    title: str = ""
    notes: list[str] = field(default_factory=list)
    rules: frozenset[int] = frozenset()  # numbers of the rows a line is drawn above (clusters, totals)
    extra: Mapping[str, Any] = field(default_factory=dict)  # goes into JSON as it is

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns: {row!r}")

    def render(self, format: str = "table", *, width: int | None = None, color: bool = False) -> str:
        """The table as text in one of `FORMATS`; `width` and `color` matter on the terminal only."""
        if format == "table":
            return self._terminal(width, color)
        renderers = {
            "markdown": self._markdown,
            "latex": self._latex,
            "tsv": self._tsv,
            "json": self._json,
            "html": self._html,
        }
        return renderers[format]()

    def __str__(self) -> str:
        return self._terminal(None, False)

    def _repr_html_(self) -> str:
        return self._html()

    def to_records(self) -> list[dict[str, Cell]]:
        """The rows as dictionaries."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def to_frame(self) -> Any:
        """A pandas DataFrame; an estimate takes three columns, as in TSV."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("data frames", "pandas") from None
        columns: dict[str, list[Any]] = {}
        for j, column in enumerate(self.columns):
            cells = [row[j] for row in self.rows]
            columns[column.name] = [cell.value if isinstance(cell, Estimate) else cell for cell in cells]
            if any(isinstance(cell, Estimate) for cell in cells):
                for end in ("low", "high"):
                    columns[f"{column.name}_{end}"] = [
                        getattr(cell, end) if isinstance(cell, Estimate) else None for cell in cells
                    ]
        return pandas.DataFrame(columns)

    # -- cells ------------------------------------------------------------------------------------

    def _text(self, cell: Cell, column: Column) -> str:
        if cell is None:
            return _MISSING
        if isinstance(cell, Estimate):
            value, low, high = (self._text(part, column) for part in (cell.value, cell.low, cell.high))
            return f"{value} [{low}, {high}]"
        if isinstance(cell, float):
            if math.isnan(cell):
                return _MISSING
            return f"{cell:.{column.decimals}f}" if column.decimals is not None else f"{cell:g}"
        if isinstance(cell, int) and not isinstance(cell, bool):
            return f"{cell:,}"
        return str(cell)

    def _best(self) -> set[tuple[int, int]]:
        """The (row, column) places of the best values, as they are printed: equal print, equally best."""
        found = set()
        for j, column in enumerate(self.columns):
            if column.best is None:
                continue
            values = {i: _number(row[j]) for i, row in enumerate(self.rows)}
            known = {i: v for i, v in values.items() if v is not None and not math.isnan(v)}
            if len(known) < 2:
                continue
            pick = max if column.best == "max" else min
            digits = 12 if column.decimals is None else column.decimals
            best = round(pick(known.values()), digits)
            found |= {(i, j) for i, v in known.items() if round(v, digits) == best}
        return found

    def _is_numeric(self, j: int) -> bool:
        cells = [row[j] for row in self.rows if row[j] is not None]
        return bool(cells) and all(_number(cell) is not None for cell in cells)

    def _grid(self) -> list[list[str]]:
        return [
            [self._text(cell, column) for cell, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]

    # -- formats ----------------------------------------------------------------------------------

    def _terminal(self, width: int | None, color: bool) -> str:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        buffer = io.StringIO()
        console = Console(file=buffer, width=width, force_terminal=color, no_color=not color, highlight=False)
        best = self._best()
        rows = self._grid()
        title = self.title or None
        for columns in self._blocks(rows, console.width):
            grid = RichTable(
                box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, padding=(0, 1, 0, 0)
            )
            title = None
            for j in columns:
                numeric = self._is_numeric(j)
                justify: Literal["left", "right"] = "right" if numeric else "left"
                name = Text(self.columns[j].name)
                grid.add_column(name, justify=justify, overflow="fold", no_wrap=numeric)
            for i, row in enumerate(rows):
                if i in self.rules and i:
                    grid.add_section()
                grid.add_row(*(Text(row[j], style="bold" if (i, j) in best else "") for j in columns))
            console.print(grid)
        for note in self.notes:
            console.print(Text(note, style="dim"), soft_wrap=True)
        return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"

    def _blocks(self, rows: list[list[str]], width: int) -> list[list[int]]:
        """The columns, in as many blocks as the width asks for; each repeats the leading text columns."""
        from rich.cells import cell_len

        widths = [
            2 + max(map(cell_len, [column.name, *(row[j] for row in rows)]))
            for j, column in enumerate(self.columns)
        ]
        count = len(self.columns)
        keys = next((j for j in range(count) if self._is_numeric(j)), count)
        if sum(widths) <= width or sum(widths[:keys]) > width // 2:
            return [list(range(count))]
        blocks: list[list[int]] = [list(range(keys))]
        for j in range(keys, count):
            if len(blocks[-1]) > keys and sum(widths[k] for k in blocks[-1]) + widths[j] > width:
                blocks.append(list(range(keys)))
            blocks[-1].append(j)
        return blocks

    def _markdown(self) -> str:
        best = self._best()
        escape = {ord("|"): "\\|", ord("\n"): " "}
        lines = [f"**{self.title}**", ""] if self.title else []
        lines.append("| " + " | ".join(column.name.translate(escape) for column in self.columns) + " |")
        marks = ["---:" if self._is_numeric(j) else "---" for j in range(len(self.columns))]
        lines.append("| " + " | ".join(marks) + " |")
        for i, row in enumerate(self._grid()):
            cells = [text.translate(escape) for text in row]
            cells = [f"**{text}**" if (i, j) in best else text for j, text in enumerate(cells)]
            lines.append("| " + " | ".join(cells) + " |")
        if self.notes:
            lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(lines) + "\n"

    def _latex(self) -> str:
        best = self._best()
        marks = "".join("r" if self._is_numeric(j) else "l" for j in range(len(self.columns)))
        lines = [f"% {self.title}"] if self.title else []
        lines += [f"\\begin{{tabular}}{{{marks}}}", "\\toprule"]
        lines.append(" & ".join(_latex(column.name) for column in self.columns) + " \\\\")
        lines.append("\\midrule")
        for i, row in enumerate(self._grid()):
            if i in self.rules and i:
                lines.append("\\midrule")
            cells = [_latex(text) for text in row]
            cells = [f"\\textbf{{{text}}}" if (i, j) in best else text for j, text in enumerate(cells)]
            lines.append(" & ".join(cells) + " \\\\")
        lines += ["\\bottomrule", "\\end{tabular}", *(f"% {note}" for note in self.notes)]
        return "\n".join(lines) + "\n"

    def _tsv(self) -> str:
        """Full precision, machine-readable: an estimate takes three columns, a missing cell is empty."""
        wide = [any(isinstance(row[j], Estimate) for row in self.rows) for j in range(len(self.columns))]
        header: list[str] = []
        for column, estimate in zip(self.columns, wide, strict=True):
            name = _plain(column.name)
            header += [name, f"{name}_low", f"{name}_high"] if estimate else [name]
        lines = ["\t".join(header)]
        for row in self.rows:
            cells: list[str] = []
            for cell, estimate in zip(row, wide, strict=True):
                if isinstance(cell, Estimate):
                    cells += [repr(cell.value), repr(cell.low), repr(cell.high)]
                else:
                    cells += [_plain("" if cell is None else str(cell))] + ["", ""] * estimate
            lines.append("\t".join(cells))
        return "\n".join(lines) + "\n"

    def _json(self) -> str:
        record = {
            "title": self.title,
            "columns": [column.name for column in self.columns],
            "rows": [
                {name: _jsonable(cell) for name, cell in record.items()} for record in self.to_records()
            ],
            "notes": self.notes,
            **self.extra,
        }
        return json.dumps(record, ensure_ascii=False, indent=1) + "\n"

    def _html(self) -> str:
        best = self._best()
        out = ['<table class="errata">']
        if self.title:
            out.append(f"<caption>{html.escape(self.title)}</caption>")
        heads = "".join(f'<th scope="col">{html.escape(column.name)}</th>' for column in self.columns)
        out.append(f"<thead><tr>{heads}</tr></thead><tbody>")
        for i, row in enumerate(self._grid()):
            cells = []
            for j, text in enumerate(row):
                inner = html.escape(text)
                inner = f"<strong>{inner}</strong>" if (i, j) in best else inner
                style = ' style="text-align:right"' if self._is_numeric(j) else ""
                cells.append(f"<td{style}>{inner}</td>")
            mark = ' class="rule"' if i in self.rules and i else ""
            out.append(f"<tr{mark}>{''.join(cells)}</tr>")
        out.append("</tbody></table>")
        out += [f'<p class="note">{html.escape(note)}</p>' for note in self.notes]
        return "\n".join(out) + "\n"


def render_all(tables: Iterable[Table], format: str, *, width: int | None = None, color: bool = False) -> str:
    """Several tables in one text; JSON becomes one array."""
    tables = list(tables)
    if format == "json" and len(tables) != 1:
        return (
            json.dumps([json.loads(table.render("json")) for table in tables], ensure_ascii=False, indent=1)
            + "\n"
        )
    return "\n".join(table.render(format, width=width, color=color) for table in tables)


def _number(cell: Cell) -> float | None:
    if isinstance(cell, Estimate):
        return cell.value
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    return None


def _jsonable(cell: Cell) -> Any:
    if isinstance(cell, Estimate):
        return {"value": _jsonable(cell.value), "low": _jsonable(cell.low), "high": _jsonable(cell.high)}
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    return cell


def _plain(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")


_LATEX = {
    ord(char): replacement
    for char, replacement in [
        ("\\", r"\textbackslash{}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("–", "--"),
        *((char, "\\" + char) for char in "&%$#_{}"),
    ]
}


def _latex(text: str) -> str:
    return text.translate(_LATEX)
