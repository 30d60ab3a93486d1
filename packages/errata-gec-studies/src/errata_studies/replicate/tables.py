"""The tables of `errata replicate`: published and reproduced figures side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from errata.tables import Column, Table
from errata_studies.replicate.exhibits import (
    COMPATIBLE,
    EQUAL,
    NOT_TESTABLE,
    UNEXPLAINED,
    VERDICTS,
    Cell,
    Exhibit,
    Paper,
    Reproduction,
    Value,
    count,
    verdict_summary,
)  # fmt: skip

Computed = tuple[Paper, Exhibit, Reproduction]


def paper_table(papers: Iterable[Paper]) -> Table:
    """The papers that can be computed again."""
    rows = [(paper.name, paper.citation, len(paper.exhibits)) for paper in papers]
    return Table([Column("paper"), Column("citation"), Column("exhibits")], rows)


def exhibit_tables(
    paper: Paper, exhibit: Exhibit, computed: Reproduction, *, differences: bool = False
) -> list[Table]:
    """The comparison of an exhibit's cells, and its further tables.

    With `differences` only the cells that are not equal, and nothing if all are.
    """
    title = f"{paper.name} {exhibit.number}: {exhibit.title}"
    tables = list(computed.tables)
    if not computed.cells:
        if differences:
            return []
        if tables:
            tables[0].title = title
            tables[0].notes.extend(computed.notes)
        return tables
    texts = list(map(cell_texts, computed.cells))
    comparison = comparison_table(title, texts, computed.other, notes_of(computed), differences)
    return [] if comparison is None else [comparison, *([] if differences else tables)]


def notes_of(computed: Reproduction) -> list[str]:
    """The notes of an exhibit, after how many wrong values its intervals accept."""
    accepted, tried = computed.wrong
    if not tried:
        return list(computed.notes)
    test = f"the intervals accept {accepted} of {tried} wrong values (those of the other rows)"
    return [test, *computed.notes]


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
        "interval": cell.interval if cell.verdict in (COMPATIBLE, NOT_TESTABLE) else "",
        "verdict": cell.verdict,
        "cause": "" if cell.cause is None or cell.verdict in (EQUAL, UNEXPLAINED) else cell.cause.text,
    }


def comparison_table(
    title: str, cells: Sequence[Mapping[str, str]], alternative: str, notes: Sequence[str], differences: bool
) -> Table | None:
    """Reproduced and printed cells; with `differences` only unequal ones, and None if all are equal."""
    shown = [cell for cell in cells if not differences or cell["verdict"] != EQUAL]
    if not shown:
        return None
    names = ["row", "column", "published", "reproduced", "difference"]
    names += [name for name in ("alternative", "interval") if any(cell[name] for cell in cells)]
    names.append("verdict")
    columns = [Column(alternative if name == "alternative" and alternative else name) for name in names]
    rows = [[cell[name] or ("–" if name == "alternative" else "") for name in names] for cell in shown]
    counts = verdict_summary(Counter(cell["verdict"] for cell in cells))
    return Table(columns, rows, title, [counts, *_causes(cells), *notes])


def summary_table(results: Sequence[Computed]) -> Table:
    """The numbers of cells of each exhibit by verdict."""
    counts = {
        (paper.name, exhibit.number): (Counter(count(each.cells)), each.wrong)
        for paper, exhibit, each in results
    }
    return verdict_table(counts)


def verdict_table(counts: Mapping[tuple[str, str], tuple[Counter[str], tuple[int, int]]]) -> Table:
    """Cells by verdict, and the share of wrong values that the intervals accept; with sums per paper."""
    columns = [Column(name) for name in ("paper", "exhibit", "cells", *VERDICTS)]
    columns.append(Column("wrong values accepted %", 0))
    rows: list[list[str | int | float | None]] = []
    rules = []
    papers = list(dict.fromkeys(name for name, _ in counts))
    for name in papers:
        rules.append(len(rows))
        for (paper, number), (verdicts, (accepted, tried)) in counts.items():
            if paper == name:
                share = 100 * accepted / tried if tried else None
                rows.append([paper, number, *_numbers(verdicts), share])
        if len(papers) > 1:
            total = sum((each for (paper, _), (each, _) in counts.items() if paper == name), Counter[str]())
            rows.append([name, "all", *_numbers(total), None])
    rules.append(len(rows))
    rows.append(["all", "", *_numbers(sum((each for each, _ in counts.values()), Counter[str]())), None])
    return Table(columns, rows, "Published figures computed again", rules=frozenset(rules))


def _numbers(verdicts: Counter[str]) -> list[int]:
    return [verdicts.total(), *(verdicts[name] for name in VERDICTS)]


def _causes(cells: Iterable[Mapping[str, str]]) -> list[str]:
    """Every cause of a cell, once, with the largest difference and the widest interval."""
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for cell in cells:
        if cell["cause"]:
            key = cell["verdict"], cell["cause"]
            size, width = known.get(key, ("", ""))
            largest = max(cell["difference"].lstrip("+-"), size, key=lambda text: float(text or 0))
            known[key] = largest, max(cell["interval"], width, key=_width)
    return [
        f"{verdict}: {text}"
        + (f" (differences up to {size}" if size else "")
        + (f"{'; ' if size else ' ('}intervals up to {width}" if width else "")
        + (")" if size or width else "")
        for (verdict, text), (size, width) in known.items()
    ]


def _width(interval: str) -> float:
    return float(interval.strip("± outcmes") or 0)


def _text(value: Value, cell: Cell, sign: str = "") -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:{sign}.{(cell.decimals or 0) + (1 if cell.decimals else 0)}f}"
    return f"{value}"
