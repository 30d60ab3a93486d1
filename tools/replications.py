"""Compute every replication and commit the cells: python tools/replications.py [DATA]

Writes replications.tsv and replication_notes.tsv in errata_studies/results, from which `make docs` makes the
tables of docs/replications.md, and the figures of that page.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from errata.report.plots import COLORS, save_figure
from errata_studies.replicate import PAPERS, paper
from errata_studies.replicate.bench import Bench
from errata_studies.replicate.exhibits import VERDICTS, count
from errata_studies.replicate.tables import cell_texts
from errata_studies.results import CELL_FIELDS, NOTE_FIELDS, NOTES, REPLICATIONS, write_rows

FIGURES = Path(__file__).parents[1] / "docs" / "images"
PICTURES = {  # exhibits whose picture the page shows
    ("napoles2015", "Table 1"): "judges-among-draws.svg",
    ("sakaguchi2016", "Figure 2"): "changes.svg",
    ("sakaguchi2016", "Figure 3"): "references.svg",
    ("sakaguchi2016", "Figure 4"): "gleu-ranking.svg",
    ("sakaguchi2016", "Figure 6"): "crowd-ranking.svg",
    ("chollampatt2018", "Figure 2"): "williams.svg",
    ("bryant2015", "References"): "human-performance.svg",
    ("grundkiewicz2015", "Figure 3"): "beta.svg",
}


def main() -> None:
    bench = Bench(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    cells, notes = [], []
    counts: dict[str, list[int]] = {name: [0] * len(VERDICTS) for name in PAPERS}
    for name, exhibit in ((each, exhibit) for each in PAPERS for exhibit in paper(each).exhibits):
        reproduction = exhibit.reproduce(bench)
        for cell in reproduction.cells:
            texts = {"paper": name, "exhibit": exhibit.number, **cell_texts(cell)}
            cells.append([texts[field] for field in CELL_FIELDS])
        notes += [[name, exhibit.number, "note", text] for text in reproduction.notes]
        if reproduction.wrong[1]:
            notes.append([name, exhibit.number, "wrong values", "{} of {}".format(*reproduction.wrong)])
        if reproduction.other:
            notes.append([name, exhibit.number, "alternative", reproduction.other])
        verdicts = count(reproduction.cells)
        counts[name] = [total + verdicts[v] for total, v in zip(counts[name], VERDICTS, strict=True)]
        if (name, exhibit.number) in PICTURES:
            save_figure(reproduction.charts[0], FIGURES / PICTURES[name, exhibit.number])
    write_rows(REPLICATIONS, CELL_FIELDS, cells)
    write_rows(NOTES, NOTE_FIELDS, notes)
    save_figure(partial(verdict_bars, counts), FIGURES / "verdicts.svg")


def verdict_bars(rows: Mapping[str, Sequence[int]], figure: Any) -> None:
    """How many cells of each row (a paper) have which verdict."""
    colours = (COLORS[2], COLORS[0], COLORS[4], COLORS[3], "#999999", COLORS[1])
    figure.set_size_inches(6.5, 0.35 * len(rows) + 0.9)
    axes = figure.subplots()
    left = np.zeros(len(rows))
    for k, name in enumerate(VERDICTS):
        widths = np.array([counts[k] for counts in rows.values()], dtype=float)
        axes.barh(range(len(rows)), widths, left=left, color=colours[k], label=name)
        left += widths
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set_xlabel("cells")
    axes.legend(frameon=False, fontsize=7, ncols=4, loc="lower right")


if __name__ == "__main__":
    main()
