"""All replications as one page that needs nothing else: tables, verdicts in colour, figures."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from errata import __version__
from errata.corpus.files import StrPath, open_output
from errata.report.plots import COLORS, figure_svg
from errata_studies.replicate.charts import AmongDraws, Bars, Chart, Curves, Scatter
from errata_studies.replicate.exhibits import (
    EQUAL,
    VERDICTS,
    Cell,
    Exhibit,
    Paper,
    Reproduction,
    count,
    summary,
)
from errata_studies.replicate.tables import exhibit_tables, summary_table

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #5a5a5a; --line: #ddd; --ground: #fff; --lead:
  #0072B2;
  --equal: #00634a; --explained: #8a5a00; --absent: #666; --unexplained: #b03a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #aaa; --line: #3a3a3a; --ground:
  #16181a;
  --lead: #56B4E9; --equal: #4cc38a; --explained: #e0a73e; --absent: #999; --unexplained: #ff8a5c; }
  figure { background: #fff; padding: .5rem; border-radius: .3rem; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 70rem;
  margin: 0 auto; padding: 1.5rem 1rem; }
h1, h2, h3 { line-height: 1.2; scroll-margin-top: 3.5rem; }
h2 { margin-top: 3rem; border-bottom: 2px solid var(--lead); padding-bottom: .2rem; } h3 { margin: 2rem 0
  .3rem; }
nav { position: sticky; top: 0; background: var(--ground); border-bottom: 1px solid var(--line); padding:
  .5rem 0;
  display: flex; flex-wrap: wrap; gap: .2rem 1rem; z-index: 1; } nav label { margin-left: auto; color:
  var(--soft); }
a { color: var(--lead); } figure { margin: 1rem 0; }
.bar { display: flex; height: 1.1rem; border-radius: .3rem; overflow: hidden; margin: 1rem 0 .3rem; }
.bar span { display: block; } .bar .equal { background: var(--equal); } .bar .explained { background:
  #E69F00; }
.bar .absent { background: var(--absent); } .bar .unexplained { background: var(--unexplained); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .12rem .6rem; text-align: left; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid var(--soft); } tr.rule td { border-top: 2px solid var(--soft); }
.note { color: var(--soft); font-size: .9rem; margin: .2rem 0; max-width: 60rem; }
td.equal { color: var(--equal); } td.explained { color: var(--explained); } td.absent { color:
  var(--absent); }
td.unexplained { color: var(--unexplained); font-weight: 600; }
body:has(#only:checked) tr:has(td.equal) { display: none; }
summary { cursor: pointer; color: var(--soft); } svg { max-width: 100%; height: auto; }
@media print { nav { position: static; } nav label { display: none; } }
"""
_CLASSES = dict(zip(VERDICTS, ("equal", "explained", "absent", "unexplained"), strict=True))


def write_page(made: Sequence[tuple[Paper, Exhibit, Reproduction]], path: StrPath) -> None:
    """Write the page; it appears only when complete."""
    text = page(made)
    with open_output(path) as file:
        file.write(text)


def page(made: Sequence[tuple[Paper, Exhibit, Reproduction]]) -> str:
    """The page as text."""
    papers = list({paper.name: paper for paper, _, _ in made}.values())
    everything: list[Cell] = [cell for _, _, reproduction in made for cell in reproduction.cells]
    out = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Published figures computed again</title><style>{_STYLE}</style></head><body>",
        "<h1>Published figures computed again</h1>",
        _bar(everything),
        f"<p>{html.escape(summary(everything))}. errata {html.escape(__version__)}.</p>",
        "<p>Equal: at the precision that was printed. Explained: the cause is stated and was measured to "
        "reach at least as far as the difference. Not public: an input is. Unexplained: no cause was found "
        "yet.</p><nav>",
        *(f'<a href="#{html.escape(paper.name)}">{html.escape(paper.name)}</a>' for paper in papers),
        '<label><input type="checkbox" id="only"> hide cells that are equal</label></nav>',
        f'<div class="wide">{_linked(summary_table(made).render("html"), made)}</div>',
    ]
    for paper in papers:
        out.append(f'<h2 id="{html.escape(paper.name)}">{html.escape(paper.citation)}</h2>')
        out += [f'<p class="note">{html.escape(text)}</p>' for text in paper.absent]
        for other, exhibit, reproduction in made:
            if other.name == paper.name:
                out += _exhibit(paper, exhibit, reproduction)
    return "\n".join([*out, "</body></html>", ""])


def _anchor(paper: Paper, exhibit: Exhibit) -> str:
    return html.escape(f"{paper.name}-{exhibit.number}".replace(" ", "-"))


def _bar(cells: Sequence[Cell]) -> str:
    """The verdicts as parts of a bar."""
    counts = count(cells)
    parts = [
        f'<span class="{name}" style="flex:{counts[verdict]}" title="{counts[verdict]} {verdict}"></span>'
        for verdict, name in _CLASSES.items()
        if counts[verdict]
    ]
    return f'<div class="bar">{"".join(parts)}</div>'


def _linked(table: str, made: Sequence[tuple[Paper, Exhibit, Reproduction]]) -> str:
    """The summary with a link to every exhibit."""
    for paper, exhibit, _ in made:
        name, number = html.escape(paper.name), html.escape(exhibit.number)
        row = f"<td>{name}</td><td>{number}</td>"
        link = f'<td>{name}</td><td><a href="#{_anchor(paper, exhibit)}">{number}</a></td>'
        table = table.replace(row, link)
    return table


def _exhibit(paper: Paper, exhibit: Exhibit, reproduction: Reproduction) -> list[str]:
    """One exhibit: pictures, then its tables, folded where every cell is equal."""
    counts = count(reproduction.cells)
    title = f"{html.escape(exhibit.number)}: {html.escape(exhibit.title)}"
    out = [f'<h3 id="{_anchor(paper, exhibit)}">{title}</h3>']
    out += [f"<figure>{figure_svg(partial(draw_chart, chart))}</figure>" for chart in reproduction.charts]
    told = html.escape(summary(reproduction.cells)) if reproduction.cells else "the numbers"
    folded = bool(reproduction.cells) and counts[EQUAL] == len(reproduction.cells)
    out.append(f"<details{'' if folded else ' open'}><summary>{told}</summary>")
    for table in exhibit_tables(paper, exhibit, reproduction):
        text = table.render("html")
        for verdict, name in _CLASSES.items():
            text = text.replace(f"<td>{verdict}</td>", f'<td class="{name}">{verdict}</td>')
        out.append(f'<div class="wide">{text}</div>')
    return [*out, "</details>"]


def draw_chart(chart: Chart, figure: Any) -> None:
    """Draw a chart into an empty figure."""
    if isinstance(chart, Scatter):
        _scatter(chart, figure)
    elif isinstance(chart, Curves):
        _curves(chart, figure)
    elif isinstance(chart, Bars):
        _bars(chart, figure)
    else:
        _among_draws(chart, figure)


def _scatter(chart: Scatter, figure: Any) -> None:
    level = chart.level
    figure.set_size_inches(3.2 * len(level.metrics), 3)
    panels = figure.subplots(1, len(level.metrics), squeeze=False)[0]
    r = level.correlations("pearson")
    rho = level.correlations("spearman")
    for k, axes in enumerate(panels):
        axes.scatter(level.human, level.scores[k], s=14, color=COLORS[k % len(COLORS)])
        for i, name in enumerate(level.systems):
            axes.annotate(name, (level.human[i], level.scores[k, i]), fontsize=6, alpha=0.8)
        axes.set_title(f"{level.metrics[k]}: r {r[k]:.3f}, ρ {rho[k]:.3f}")
        axes.set_xlabel(chart.human)


def _curves(chart: Curves, figure: Any) -> None:
    x = chart.x
    figure.set_size_inches(5.5, 3.2)
    axes = figure.subplots()
    for k, (name, y) in enumerate(chart.lines.items()):
        axes.plot(x, y, color=COLORS[k % len(COLORS)], label=name, marker="." if len(x) < 25 else "")
    if chart.band is not None:
        axes.fill_between(x, *chart.band, color=COLORS[0], alpha=0.15, linewidth=0)
    for name, place in chart.marks.items():
        axes.axvline(place, color="#666666", linestyle="--", linewidth=0.8)
        axes.annotate(name, (place, axes.get_ylim()[0]), fontsize=7, color="#666666")
    axes.set_xlabel(chart.xlabel)
    axes.set_ylabel(chart.ylabel)
    axes.legend(frameon=False, fontsize=7)


def _bars(chart: Bars, figure: Any) -> None:
    groups, series, stacked = chart.groups, chart.series, chart.stacked
    figure.set_size_inches(max(5.0, 0.8 * len(groups) + 2), 3.2)
    axes = figure.subplots()
    places = np.arange(len(groups), dtype=float)
    width = 0.7 if stacked else 0.8 / max(len(series), 1)
    base = np.zeros(len(groups))
    for k, (name, values) in enumerate(series.items()):
        heights = np.nan_to_num(np.asarray(values, dtype=float))
        shift = 0.0 if stacked else (k - (len(series) - 1) / 2) * width
        color = COLORS[k % len(COLORS)]
        axes.bar(places + shift, heights, width, bottom=base if stacked else 0, color=color, label=name)
        if stacked:
            base = base + heights
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xticks(places, groups, rotation=30, ha="right", fontsize=7)
    axes.set_ylabel(chart.ylabel)
    axes.legend(frameon=False, fontsize=7, ncols=2)


def _among_draws(chart: AmongDraws, figure: Any) -> None:
    names, draws = chart.names, chart.draws
    figure.set_size_inches(max(5.0, 0.9 * len(names) + 1), 3.2)
    axes = figure.subplots()
    width = 0.7 / len(draws)
    for k, (label, values) in enumerate(draws.items()):
        places = np.arange(len(names)) + (k - (len(draws) - 1) / 2) * width
        low, middle, high = np.quantile(values, [0.025, 0.5, 0.975], axis=0)
        color = COLORS[k % len(COLORS)]
        axes.vlines(places, low, high, color=color, linewidth=4, alpha=0.5, label=f"{label}: 95 %")
        axes.plot(places, middle, "o", color=color, markersize=3)
    axes.plot(np.arange(len(names)), chart.published, "D", color=COLORS[1], markersize=5, label="published")
    axes.set_xticks(range(len(names)), names, fontsize=7)
    axes.legend(frameon=False, fontsize=7, loc="lower left")
