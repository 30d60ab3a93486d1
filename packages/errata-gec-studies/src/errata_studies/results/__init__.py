"""Committed results (the TSV files of this folder) and their tables on pages.

A page of the documentation links to a file of this folder in a separate paragraph, and `make docs` inserts
the table there. The part after `#` chooses a view: `best` prints the best number of each column in bold,
`summary` counts the verdicts of replications, and `differences` lists their cells that are not equal.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from errata.errors import ErrataError
from errata.tables import Cell, Column, Estimate, Table
from errata_studies.replicate import PAPERS, paper
from errata_studies.replicate.tables import comparison_table, verdict_table

FOLDER = Path(__file__).parent
REPLICATIONS = "replications.tsv"
CELL_FIELDS = (
    "paper", "exhibit", "row", "column", "published", "reproduced", "difference", "alternative", "interval",
    "verdict", "cause",
)  # fmt: skip
NOTES = "replication_notes.tsv"
NOTE_FIELDS = (
    "paper",
    "exhibit",
    "kind",
    "text",
)  # kind: note, alternative (the name of that column), wrong values (accepted of tried)
_NUMBER = re.compile(r"[-−+]?[\d,]*\.?\d+")
_STARTS_WITH_NUMBER = re.compile(r"[*(<≈–]*[-−+]?[\d.]")

Row = dict[str, str]


def read_rows(name: str) -> list[Row]:
    """The rows of a file of this folder, by the names of its columns."""
    path = FOLDER / name
    if not path.is_file():
        raise ErrataError(f"there are no results {name!r}\n  hint: look into {FOLDER}")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def write_rows(name: str, fields: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a file of this folder; line breaks and tabs become blanks."""
    lines = ["\t".join(re.sub(r"\s+", " ", text) for text in row) for row in (fields, *rows)]
    (FOLDER / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def render(name: str, view: str = "") -> str:
    """A file of this folder as Markdown."""
    if view == "summary":
        return _pipe_table(verdict_table(replication_counts()))
    if view == "differences":
        return "\n".join(_differences())
    if view not in ("", "best"):
        raise ErrataError(f"results have no view {view!r}\n  hint: best, summary or differences")
    return _pipe_table(results_table(name, best=view == "best"))


def results_table(name: str, *, best: bool = False) -> Table:
    """A file as a table; the columns X, X_low and X_high become one column of estimates."""
    rows = read_rows(name)
    names = list(rows[0])
    estimates = {each for each in names if f"{each}_low" in names}
    ends = {each + end for each in estimates for end in ("_low", "_high")}
    columns = []
    for each in names:
        if each not in ends:
            texts = [row[each] for row in rows if row[each]]
            numeric = bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)
            decimals = max(len(text.partition(".")[2]) for text in texts) if numeric else None
            columns.append(Column(each, decimals, "max" if best and numeric else None))
    cells = [[_cell(row, column, column.name in estimates) for column in columns] for row in rows]
    return Table(columns, cells)


def replication_counts() -> dict[tuple[str, str], tuple[Counter[str], tuple[int, int]]]:
    """For each replicated exhibit its cells by verdict, and how many wrong values its intervals accept."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in read_rows(REPLICATIONS):
        counts.setdefault((row["paper"], row["exhibit"]), Counter())[row["verdict"]] += 1
    tests = {}
    for row in read_rows(NOTES):
        if row["kind"] == "wrong values":
            accepted, tried = map(int, row["text"].split(" of "))
            tests[row["paper"], row["exhibit"]] = accepted, tried
    return {key: (each, tests.get(key, (0, 0))) for key, each in counts.items()}


def _differences() -> Iterator[str]:
    """By paper: its exhibits with the cells that are not equal, each folded."""
    cells, notes = read_rows(REPLICATIONS), read_rows(NOTES)
    for name in PAPERS:
        yield f"### {paper(name).citation}\n"
        yield from (f"{text}.\n" for text in paper(name).absent)
        for exhibit in paper(name).exhibits:
            key = (name, exhibit.number)
            shown = [row for row in cells if (row["paper"], row["exhibit"]) == key]
            texts = [(row["kind"], row["text"]) for row in notes if (row["paper"], row["exhibit"]) == key]
            alternative = next((text for kind, text in texts if kind == "alternative"), "")
            kept = [text for kind, text in texts if kind == "note"]
            kept += [
                f"the intervals accept {text} wrong values" for kind, text in texts if kind == "wrong values"
            ]
            table = comparison_table("", shown, alternative, kept, differences=True)
            if table is not None:
                title = f"{exhibit.number}: {exhibit.title}"
                yield f"<details markdown><summary>{title} ({table.notes[0]})</summary>\n"
                yield f"{_pipe_table(table)}\n</details>\n"


def _cell(row: Row, column: Column, estimate: bool) -> Cell:
    text = row[column.name]
    if column.decimals is None or not text:
        return text or None
    if estimate:
        return Estimate(*(float(row[column.name + end]) for end in ("", "_low", "_high")))
    return float(text.replace("−", "-")) if "." in text else int(text.replace(",", ""))


def _pipe_table(table: Table) -> str:
    """The table as Markdown; texts that begin with numbers are aligned right, and no note is a heading."""
    lines = table.render("markdown").split("\n")
    marks = [
        "---:" if table.is_numeric(j) or _mostly_numbers([row[j] for row in table.rows]) else "---"
        for j in range(len(table.columns))
    ]
    rule = next(k for k, line in enumerate(lines) if line.startswith("| ---"))
    lines[rule] = "| " + " | ".join(marks) + " |"
    return re.sub("^- #", r"- \\#", "\n".join(lines), flags=re.MULTILINE)


def _mostly_numbers(cells: Sequence[Cell]) -> bool:
    texts = [cell for cell in cells if isinstance(cell, str)]
    return bool(texts) and all(_STARTS_WITH_NUMBER.match(text) for text in texts)
