"""Write docs/replications.md and its pictures: python tools/replications.py [DATA]

Everything below the line comes from a run of every replication; the text above it is kept as it is.
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
from errata_studies.replicate.drawing import draw_chart
from errata_studies.replicate.exhibits import VERDICTS, count
from errata_studies.replicate.tables import exhibit_tables, summary_table

PAGE = Path(__file__).parents[1] / "docs" / "replications.md"
FIGURES = PAGE.parent / "images"
PICTURES = {  # exhibits whose picture the page shows
    ("napoles2015", "Table 1"): "judges-among-draws.svg",
    ("sakaguchi2016", "Figure 2"): "changes.svg",
    ("sakaguchi2016", "Figure 3"): "references.svg",
    ("grundkiewicz2015", "Figure 3"): "beta.svg",
}
LINE = "<!-- from here on written by tools/replications.py -->\n"


def main() -> None:
    bench = Bench(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    made = [(each, e, e.reproduce(bench)) for each in map(paper, PAPERS) for e in each.exhibits]
    parts = ["## All exhibits\n", summary_table(made).render("markdown"), "## Cells that are not equal\n"]
    for name in PAPERS:
        parts.append(f"### {paper(name).citation}\n")
        parts += [f"{text}.\n" for text in paper(name).absent]
        for each, exhibit, reproduction in made:
            if each.name == name:
                tables = exhibit_tables(each, exhibit, reproduction, differences=True)
                parts += [table.render("markdown") for table in tables]
    FIGURES.mkdir(exist_ok=True)
    rows: dict[str, list[int]] = {}
    for each, exhibit, reproduction in made:
        counts = count(reproduction.cells)
        so_far = rows.setdefault(each.name, [0] * len(VERDICTS))
        rows[each.name] = [a + counts[v] for a, v in zip(so_far, VERDICTS, strict=True)]
        if (each.name, exhibit.number) in PICTURES:
            draw = partial(draw_chart, reproduction.charts[0])
            save_figure(draw, FIGURES / PICTURES[each.name, exhibit.number])
    save_figure(partial(verdict_bars, rows), FIGURES / "verdicts.svg")
    before = PAGE.read_text("utf-8").partition(LINE)[0]
    PAGE.write_text(before + LINE + "\n" + "\n".join(parts), "utf-8")


def verdict_bars(rows: Mapping[str, Sequence[int]], figure: Any) -> None:
    """How many cells of each row (a paper) have which verdict."""
    colours = (COLORS[2], COLORS[4], "#999999", COLORS[1])
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
