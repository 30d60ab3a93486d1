"""Tables: one type, rendered for the terminal, Markdown, LaTeX, TSV, JSON and HTML."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from errata.errors import needs_extra

FORMATS = ("table", "markdown", "latex", "tsv", "json", "html")
MISSING = "–"
SCORE_DECIMALS = 4  # of scores between 0 and 1
_NUMERAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE | re.ASCII)
_MARKDOWN_ESCAPES = {ord("|"): "\\|", ord("\n"): " "}
_LATEX_ESCAPES = {
    ord(char): replacement
    for char, replacement in [
        ("\\", r"\textbackslash{}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("–", "--"),
        *((char, "\\" + char) for char in "&%$#_{}"),
    ]
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A cell with a value and its confidence interval."""

    value: float
    low: float
    high: float


Cell = str | int | float | bool | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column, the number of decimals it shows, and whether high or low values are best.

    `key` is its name in JSON and data frames, if it is another one.
    """

    name: str
    decimals: int | None = None
    best: Literal["max", "min"] | None = None
    key: str = ""


@dataclass(slots=True)
class Table:
    """Rows under named columns, with a title and notes; `render` gives any of the formats."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    notes: list[str] = field(default_factory=list)
    rules: frozenset[int] = frozenset()  # numbers of the rows that have a line above (clusters, totals)
    extra: Mapping[str, Any] = field(default_factory=dict)  # further entries of the JSON object
    headline: str = ""  # sentences above the title
    keys: int = 0  # number of leading columns that name a row; 0: all before the first numeric column

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns: {row!r}")

    def render(self, format: str = "table", *, width: int | None = None, color: bool = False) -> str:
        """The table as text in one of `FORMATS`; `width` and `color` matter on the terminal only."""
        if format == "table":
            from errata.tables import terminal

            return terminal.render(self, width, color)
        return _RENDERERS[format](self)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return self.render("html")

    def to_records(self) -> list[dict[str, Cell]]:
        """The rows as dictionaries."""
        names = self.keys_of_columns()
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def keys_of_columns(self) -> list[str]:
        """The names of the columns in JSON and data frames."""
        return [column.key or column.name for column in self.columns]

    def with_numbers(self, *, percent: bool = False, digits: int | None = None) -> Table:
        """The same with scores in percent, or with another number of digits.

        Scores between 0 and 1 are the columns with four decimals; in percent they have two.
        """
        columns, rows = [*self.columns], [[*row] for row in self.rows]
        for j, column in enumerate(columns):
            if column.decimals != SCORE_DECIMALS:
                continue
            decimals = digits if digits is not None else column.decimals - 2 * percent
            columns[j] = replace(column, decimals=decimals)
            for row in rows if percent else ():
                row[j] = _in_percent(row[j])
        return replace(self, columns=columns, rows=rows)

    def to_frame(self) -> Any:
        """A pandas DataFrame; an estimate takes three columns, as in TSV."""
        with needs_extra("data frames", "plot"):
            import pandas
        columns: dict[str, list[Any]] = {}
        for j, key in enumerate(self.keys_of_columns()):
            cells = [row[j] for row in self.rows]
            columns[key] = [cell.value if isinstance(cell, Estimate) else cell for cell in cells]
            if any(isinstance(cell, Estimate) for cell in cells):
                for end in ("low", "high"):
                    columns[f"{key}_{end}"] = [
                        getattr(cell, end) if isinstance(cell, Estimate) else None for cell in cells
                    ]
        return pandas.DataFrame(columns)

    def grid(self) -> list[list[str]]:
        """The text of every cell."""
        return [
            [format_cell(cell, column.decimals) for cell, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]

    def is_numeric(self, j: int) -> bool:
        """Whether column j has numbers and no text."""
        cells = [row[j] for row in self.rows if row[j] is not None]
        return bool(cells) and all(_number(cell) is not None for cell in cells)

    def best(self) -> set[tuple[int, int]]:
        """The (row, column) positions of the best values; values that print alike are equally good."""
        positions = set()
        for j, column in enumerate(self.columns):
            if column.best is None:
                continue
            numbers = {i: _number(row[j]) for i, row in enumerate(self.rows)}
            values = {i: v for i, v in numbers.items() if v is not None and not math.isnan(v)}
            if len(values) < 2:
                continue
            best = (max if column.best == "max" else min)(values.values())
            printed = format_cell(best, column.decimals)
            positions |= {(i, j) for i, v in values.items() if format_cell(v, column.decimals) == printed}
        return positions


def matrix(
    corner: str,
    names: Sequence[str],
    values: Iterable[Iterable[float]],
    decimals: int,
    title: str,
    notes: Sequence[str] = (),
) -> Table:
    """A table with the same names in rows and columns; cells that are not finite are empty."""
    rows: list[Sequence[Cell]] = [
        [name, *(float(value) if math.isfinite(value) else None for value in row)]
        for name, row in zip(names, values, strict=True)
    ]
    columns = [Column(corner), *(Column(name, decimals) for name in names)]
    return Table(columns, rows, title, list(notes), keys=1)


def format_known(value: float, decimals: int = 3) -> str:
    """A number for a note; a dash for NaN."""
    return MISSING if math.isnan(value) else f"{value:.{decimals}f}"


def render_all(tables: Iterable[Table], format: str, *, width: int | None = None, color: bool = False) -> str:
    """Several tables in one text; JSON becomes one array."""
    tables = list(tables)
    if format == "json" and len(tables) != 1:
        array = [json.loads(table.render("json")) for table in tables]
        return json.dumps(array, ensure_ascii=False, indent=1) + "\n"
    return "\n".join(table.render(format, width=width, color=color) for table in tables)


# -- cells ------------------------------------------------------------------------------------------


def format_number(value: float | None, decimals: int | None = None) -> str:
    """A number as text: rounded once, to the nearest, and exact ties to the even digit.

    Without `decimals`, integers get thousands separators and other numbers six significant digits. A
    missing or undefined number is a dash. The browser pages follow the same rule (`fixed` in base.js).
    """
    if value is None or math.isnan(value):
        return MISSING
    value = value or 0  # turns a negative zero into 0
    if decimals is not None:
        return f"{value:.{decimals}f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def format_cell(cell: Cell, decimals: int | None = None) -> str:
    """The text of a cell."""
    if isinstance(cell, Estimate):
        value, low, high = (format_number(part, decimals) for part in (cell.value, cell.low, cell.high))
        return f"{value} [{low}, {high}]"
    if cell is None or isinstance(cell, float):
        return format_number(cell, decimals)
    if isinstance(cell, int) and not isinstance(cell, bool):
        return format_number(cell)
    return str(cell)


def latex_text(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return text.translate(_LATEX_ESCAPES)


def jsonable(cell: Cell) -> Any:
    """A cell as a JSON value in full precision; numbers that are not finite become null."""
    if isinstance(cell, Estimate):
        return {"value": jsonable(cell.value), "low": jsonable(cell.low), "high": jsonable(cell.high)}
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    return cell


def _in_percent(cell: Cell) -> Cell:
    if isinstance(cell, Estimate):
        return Estimate(100 * cell.value, 100 * cell.low, 100 * cell.high)
    return 100 * cell if isinstance(cell, float) else cell


def _number(cell: Cell) -> float | None:
    """The number in a cell; None for text and for missing cells."""
    if isinstance(cell, Estimate):
        return cell.value
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    return None


# -- formats ----------------------------------------------------------------------------------------


def _markdown(table: Table) -> str:
    """A pipe table; the best values are bold."""
    best = table.best()
    lines = [table.headline.translate(_MARKDOWN_ESCAPES), ""] if table.headline else []
    lines += [f"**{table.title}**", ""] if table.title else []
    names = [column.name.translate(_MARKDOWN_ESCAPES) for column in table.columns]
    lines.append("| " + " | ".join(names) + " |")
    marks = ["---:" if table.is_numeric(j) else "---" for j in range(len(table.columns))]
    lines.append("| " + " | ".join(marks) + " |")
    for i, row in enumerate(table.grid()):
        cells = [text.translate(_MARKDOWN_ESCAPES) for text in row]
        cells = [f"**{text}**" if (i, j) in best else text for j, text in enumerate(cells)]
        lines.append("| " + " | ".join(cells) + " |")
    if table.notes:
        lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _latex(table: Table) -> str:
    """A `tabular` with the rules of the booktabs package; the best numbers are bold, without intervals."""
    best = table.best()
    marks = "".join("r" if table.is_numeric(j) else "l" for j in range(len(table.columns)))
    lines = [f"% {table.title}"] if table.title else []
    lines += [f"\\begin{{tabular}}{{{marks}}}", "\\toprule"]
    lines.append(" & ".join(latex_text(column.name) for column in table.columns) + " \\\\")
    lines.append("\\midrule")
    for i, row in enumerate(table.grid()):
        if i in table.rules and i:
            lines.append("\\midrule")
        cells = [latex_text(text) for text in row]
        for j in (j for j in range(len(cells)) if (i, j) in best):
            number, blank, interval = cells[j].partition(" ")
            cells[j] = f"\\textbf{{{number}}}{blank}{interval}"
        lines.append(" & ".join(cells) + " \\\\")
    lines += ["\\bottomrule", "\\end{tabular}", *(f"% {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _html(table: Table) -> str:
    """A `<table>` element, and the notes as paragraphs; the best values are strong."""
    from html import escape

    best = table.best()
    lines = [f'<p class="headline">{escape(table.headline)}</p>'] if table.headline else []
    lines.append('<table class="errata">')
    if table.title:
        lines.append(f"<caption>{escape(table.title)}</caption>")
    heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in table.columns)
    lines.append(f"<thead><tr>{heads}</tr></thead><tbody>")
    for i, row in enumerate(table.grid()):
        cells = []
        for j, text in enumerate(row):
            inner = escape(text)
            inner = f"<strong>{inner}</strong>" if (i, j) in best else inner
            style = ' style="text-align:right"' if table.is_numeric(j) else ""
            cells.append(f"<td{style}>{inner}</td>")
        mark = ' class="rule"' if i in table.rules and i else ""
        lines.append(f"<tr{mark}>{''.join(cells)}</tr>")
    lines.append("</tbody></table>")
    lines += [f'<p class="note">{escape(note)}</p>' for note in table.notes]
    return "\n".join(lines) + "\n"


def _tsv(table: Table) -> str:
    """Tab-separated values in full precision: an estimate takes three columns, a missing cell is empty."""
    wide = [any(isinstance(row[j], Estimate) for row in table.rows) for j in range(len(table.columns))]
    header: list[str] = []
    for column, estimate in zip(table.columns, wide, strict=True):
        name = _spreadsheet_text(column.name)
        header += [name, f"{name}_low", f"{name}_high"] if estimate else [name]
    lines = ["\t".join(header)]
    for row in table.rows:
        cells: list[str] = []
        for cell, estimate in zip(row, wide, strict=True):
            if isinstance(cell, Estimate):
                cells += [repr(cell.value), repr(cell.low), repr(cell.high)]
            else:
                cells += [_spreadsheet_text("" if cell is None else str(cell))] + ["", ""] * estimate
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def _json(table: Table) -> str:
    """An object with title, columns, rows, notes and the entries of `extra`."""
    record = {
        "title": table.title,
        "columns": table.keys_of_columns(),
        "rows": [{name: jsonable(cell) for name, cell in record.items()} for record in table.to_records()],
        "notes": table.notes,
        **({"headline": table.headline} if table.headline else {}),
        **table.extra,
    }
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def _spreadsheet_text(text: str) -> str:
    """One line; an apostrophe precedes what a spreadsheet would run as a formula (as `toCsv` in base.js)."""
    text = text.replace("\t", " ").replace("\n", " ").replace("\r", " ")
    formula = len(text) > 1 and text[0] in "=+-@" and not _NUMERAL.fullmatch(text)
    return f"'{text}" if formula else text


_RENDERERS = {"markdown": _markdown, "latex": _latex, "html": _html, "tsv": _tsv, "json": _json}
