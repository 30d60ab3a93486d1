"""Published beside reproduced: the tables of `errata replicate`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

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
    verdict_summary,
)


def paper_table(papers: Iterable[Paper]) -> Table:
    """The papers that can be computed again."""
    rows = [(paper.name, paper.citation, len(paper.exhibits)) for paper in papers]
    return Table([Column("paper"), Column("citation"), Column("exhibits")], rows)


def exhibit_tables(
    paper: Paper, exhibit: Exhibit, made: Reproduction, *, differences: bool = False
) -> list[Table]:
    """The comparison of an exhibit's cells, and its further tables.

    With `differences` only the cells that are not equal, and nothing if all are.
    """
    title = f"{paper.name} {exhibit.number}: {exhibit.title}"
    tables = list(made.tables)
    if not made.cells:
        if differences:
            return []
        if tables:
            tables[0].title = title
            tables[0].notes.extend(made.notes)
        return tables
    comparison = comparison_table(
        title, list(map(cell_texts, made.cells)), made.other, made.notes, differences
    )
    return [] if comparison is None else [comparison, *([] if differences else tables)]


def cell_texts(cell: Cell) -> dict[str, str]:
    """A cell as text, by the names of `CELL_FIELDS`; the difference is empty if it is equal."""
    differs = cell.difference is not None and cell.verdict != EQUAL
    return {
        "row": cell.row,
        "column": cell.column,
        "published": cell.published,
        "reproduced": _text(cell.reproduced, cell),
        "difference": _text(cell.difference, cell, "+") if differs else "",
        "alternative": "" if cell.other is None else _text(cell.other, cell),
        "verdict": cell.verdict,
        "cause": "" if cell.cause is None else cell.cause.text,
    }


def comparison_table(
    title: str, cells: Sequence[Mapping[str, str]], alternative: str, notes: Sequence[str], differences: bool
) -> Table | None:
    """Cells beside the printed ones; with `differences` only those that are not equal, None if all are."""
    shown = [cell for cell in cells if not differences or cell["verdict"] != EQUAL]
    if not shown:
        return None
    names = ["row", "column", "published", "reproduced", "difference", "verdict"]
    if any(cell["alternative"] for cell in cells):
        names.insert(5, "alternative")
    columns = [Column(alternative if name == "alternative" and alternative else name) for name in names]
    rows = [[cell[name] or ("–" if name == "alternative" else "") for name in names] for cell in shown]
    counts = verdict_summary(Counter(cell["verdict"] for cell in cells))
    return Table(columns, rows, title, [counts, *_causes(cells), *notes])


def summary_table(made: Sequence[tuple[Paper, Exhibit, Reproduction]]) -> Table:
    """The numbers of cells of each exhibit that are equal, explained, not public and unexplained."""
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


def _causes(cells: Iterable[Mapping[str, str]]) -> list[str]:
    """Every cause that explains a cell, once, with the largest difference."""
    largest: dict[str, str] = {}
    for cell in cells:
        if cell["verdict"] in (EXPLAINED, ABSENT) and cell["cause"]:
            size = cell["difference"].lstrip("+-")
            largest[cell["cause"]] = max(
                size, largest.get(cell["cause"], ""), key=lambda text: float(text or 0)
            )
    return [f"explained: {text}" + (f" (at most {size})" if size else "") for text, size in largest.items()]


def _text(value: Value, cell: Cell, sign: str = "") -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:{sign}.{(cell.decimals or 0) + (1 if cell.decimals else 0)}f}"
    return f"{value}"
