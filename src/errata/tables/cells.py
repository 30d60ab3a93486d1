"""The cells of a table, and the one rule by which numbers become text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

MISSING = "–"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its confidence interval, as a cell."""

    value: float
    low: float
    high: float


Cell = str | int | float | bool | Estimate | None


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column, the number of decimals it shows, and whether high or low values are best."""

    name: str
    decimals: int | None = None
    best: Literal["max", "min"] | None = None


def format_number(value: float | None, decimals: int | None = None) -> str:
    """A number as text: rounded once, to the nearest, and exact ties to the even digit.

    Without `decimals`, integers get separators of thousands and other numbers six significant digits. A
    missing or undefined number is a dash. The pages in a browser follow the same rule (`fixed` in base.js).
    """
    if value is None or math.isnan(value):
        return MISSING
    value = value or 0  # there is no negative zero in a table
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


def number_in(cell: Cell) -> float | None:
    """The number in a cell; None for text and for missing cells."""
    if isinstance(cell, Estimate):
        return cell.value
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    return None
