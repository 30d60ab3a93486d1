"""Published beside reproduced: the tables of `errata replicate`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from errata.tables import Column, Table
from errata_studies.replicate.exhibits import (
    ABSENT,
    EQUAL,
    EXPLAINED,
    VERDICTS,
    Cell,
    Exhibit,
    Paper,
    Reproduction,
    Value,
    count,
    summary,
)


def exhibit_tables(
    paper: Paper, exhibit: Exhibit, made: Reproduction, *, differences: bool = False
) -> list[Table]:
    """The comparison of an exhibit's cells, and its further tables.

    With `differences` only the cells that are not equal, and nothing where all are.
    """
    shown = [cell for cell in made.cells if cell.verdict != EQUAL] if differences else made.cells
    if differences and not shown:
        return []
    title = f"{paper.name} {exhibit.number}: {exhibit.title}"
    found = list(made.tables)
    if not made.cells:
        if found:
            found[0].title = title
            found[0].notes.extend(made.notes)
        return found
    with_other = any(cell.other is not None for cell in made.cells)
    columns = ["row", "column", "published", "reproduced", "difference"]
    columns += [made.other or "otherwise"] if with_other else []
    rows = [
        [
            cell.row,
            cell.column,
            cell.published,
            _text(cell.reproduced, cell),
            "" if cell.difference is None or cell.verdict == EQUAL else _text(cell.difference, cell, "+"),
            *([_text(cell.other, cell)] if with_other else []),
            cell.verdict,
        ]
        for cell in shown
    ]
    notes = [summary(made.cells), *_causes(made.cells), *made.notes]
    return [
        Table([Column(name) for name in (*columns, "verdict")], rows, title, notes),
        *([] if differences else found),
    ]


def summary_table(made: Sequence[tuple[Paper, Exhibit, Reproduction]]) -> Table:
    """How many cells of each exhibit are equal, explained, not public and unexplained."""
    columns = [Column("paper"), Column("exhibit")]
    columns += [Column(name) for name in ("cells", *VERDICTS)]
    rows: list[list[str | int]] = []
    total = [0] * 5
    for paper, exhibit, reproduction in made:
        counts = count(reproduction.cells)
        numbers = [len(reproduction.cells), *(counts[v] for v in VERDICTS)]
        total = [a + b for a, b in zip(total, numbers, strict=True)]
        rows.append([paper.name, exhibit.number, *numbers])
    rows.append(["all", "", *total])
    return Table(columns, rows, "Published figures computed again", rules=frozenset([len(rows) - 1]))


def _causes(cells: Iterable[Cell]) -> list[str]:
    """Every cause that explains a cell, once, with the largest difference there is."""
    largest: dict[str, float] = {}
    for cell in cells:
        if cell.verdict in (EXPLAINED, ABSENT) and cell.cause is not None:
            size = abs(cell.difference or 0.0)
            largest[cell.cause.text] = max(size, largest.get(cell.cause.text, 0.0))
    return [
        f"explained: {text}" + (f" (at most {size:.4g})" if size else "") for text, size in largest.items()
    ]


def _text(value: Value, cell: Cell, sign: str = "") -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:{sign}.{(cell.decimals or 0) + (1 if cell.decimals else 0)}f}"
    return f"{value}"
