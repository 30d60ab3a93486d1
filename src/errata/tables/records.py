"""Tables for other programs, in full precision: TSV, JSON and data frames."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from errata.errors import needs_extra
from errata.tables.cells import Cell, Estimate

if TYPE_CHECKING:
    from errata.tables.table import Table


def tsv(table: Table) -> str:
    """Tab-separated values: an estimate takes three columns, a missing cell is empty."""
    wide = [any(isinstance(row[j], Estimate) for row in table.rows) for j in range(len(table.columns))]
    header: list[str] = []
    for column, estimate in zip(table.columns, wide, strict=True):
        name = _plain(column.name)
        header += [name, f"{name}_low", f"{name}_high"] if estimate else [name]
    lines = ["\t".join(header)]
    for row in table.rows:
        cells: list[str] = []
        for cell, estimate in zip(row, wide, strict=True):
            if isinstance(cell, Estimate):
                cells += [repr(cell.value), repr(cell.low), repr(cell.high)]
            else:
                cells += [_plain("" if cell is None else str(cell))] + ["", ""] * estimate
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def json_text(table: Table) -> str:
    """An object with title, columns, rows, notes and what is `extra`."""
    record = {
        "title": table.title,
        "columns": [column.name for column in table.columns],
        "rows": [{name: jsonable(cell) for name, cell in record.items()} for record in table.to_records()],
        "notes": table.notes,
        **table.extra,
    }
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def frame(table: Table) -> Any:
    """A pandas DataFrame; an estimate takes three columns."""
    with needs_extra("data frames", "plot"):
        import pandas
    columns: dict[str, list[Any]] = {}
    for j, column in enumerate(table.columns):
        cells = [row[j] for row in table.rows]
        columns[column.name] = [cell.value if isinstance(cell, Estimate) else cell for cell in cells]
        if any(isinstance(cell, Estimate) for cell in cells):
            for end in ("low", "high"):
                columns[f"{column.name}_{end}"] = [
                    getattr(cell, end) if isinstance(cell, Estimate) else None for cell in cells
                ]
    return pandas.DataFrame(columns)


def jsonable(cell: Cell) -> Any:
    """A cell as JSON has it, in full precision; what is not a finite number is null."""
    if isinstance(cell, Estimate):
        return {"value": jsonable(cell.value), "low": jsonable(cell.low), "high": jsonable(cell.high)}
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    return cell


def _plain(text: str) -> str:
    return text.replace("\t", " ").replace("\n", " ")
