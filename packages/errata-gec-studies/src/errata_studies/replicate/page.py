"""All replications as one page that needs nothing else: tables, verdicts in colour, figures."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence

from errata import __version__
from errata.corpus.files import StrPath, open_output
from errata.report.plots import figure_svg
from errata_studies.replicate.exhibits import (
    EQUAL,
    VERDICTS,
    Exhibit,
    Paper,
    Reproduction,
    count,
    verdict_summary,
)  # fmt: skip
from errata_studies.replicate.tables import Computed, exhibit_tables, summary_table

_STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #5a5a5a; --line: #ddd; --ground: #fff; --lead: #0072B2;
  --equal: #00634a; --named: #0072B2; --compatible: #8a5a00; --weak: #7a5a7a; --absent: #666;
  --unexplained: #b03a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #aaa; --line: #3a3a3a;
  --ground: #16181a; --lead: #56B4E9; --equal: #4cc38a; --named: #56B4E9; --compatible: #e0a73e;
  --weak: #cc99cc; --absent: #999; --unexplained: #ff8a5c; }
  figure { background: #fff; padding: .5rem; border-radius: .3rem; width: fit-content; max-width: 100%;
  box-sizing: border-box; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 70rem;
  margin: 0 auto; padding: 1.5rem 1rem; }
h1, h2, h3 { line-height: 1.2; scroll-margin-top: 3.5rem; } h3 { margin: 2rem 0 .3rem; }
h2 { margin-top: 3rem; border-bottom: 2px solid var(--lead); padding-bottom: .2rem; }
nav { position: sticky; top: 0; background: var(--ground); border-bottom: 1px solid var(--line);
  padding: .5rem 0;
  display: flex; flex-wrap: wrap; gap: .2rem 1rem; z-index: 1; } nav label { margin-left: auto; color:
  var(--soft); }
a { color: var(--lead); } figure { margin: 1rem 0; }
.bar { display: flex; height: 1.1rem; border-radius: .3rem; overflow: hidden; margin: 1rem 0 .3rem; }
.equal { --c: var(--equal); } .named { --c: var(--named); } .compatible { --c: var(--compatible); }
.weak { --c: var(--weak); } .absent { --c: var(--absent); } .unexplained { --c: var(--unexplained); }
.bar span { background: var(--c); } td[class] { color: var(--c); } td.unexplained { font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .12rem .6rem; text-align: left; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid var(--soft); } tr.rule td { border-top: 2px solid var(--soft); }
.note { color: var(--soft); font-size: .9rem; margin: .2rem 0; max-width: 60rem; }
body:has(#only:checked) tr:has(td.equal) { display: none; }
summary { cursor: pointer; color: var(--soft); } svg { max-width: 100%; height: auto; }
@media print { nav { position: static; } nav label { display: none; } }
"""
_CLASSES = dict(zip(VERDICTS, ("equal", "named", "compatible", "weak", "absent", "unexplained"), strict=True))


def write_page(results: Sequence[Computed], path: StrPath) -> None:
    """Write the page; it appears only when complete."""
    text = page(results)
    with open_output(path) as file:
        file.write(text)


def page(results: Sequence[Computed]) -> str:
    """The page as text."""
    papers = list({paper.name: paper for paper, _, _ in results}.values())
    counts = count([cell for _, _, reproduction in results for cell in reproduction.cells])
    out = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Published figures computed again</title><style>{_STYLE}</style></head><body><main>",
        "<h1>Published figures computed again</h1>",
        _bar(counts),
        f"<p>{html.escape(verdict_summary(counts))}. errata {html.escape(__version__)}.</p>",
        "<p>Equal: at the printed precision. Named cause: a computation with the stated cause gives the "
        "printed digits. Compatible: within the printed interval. Not testable: the same, but the intervals "
        "of the table accept more than 10 % of wrong values. Not here: an input is missing. Unexplained: "
        'everything else.</p><nav aria-label="Papers">',
        *(f'<a href="#{html.escape(paper.name)}">{html.escape(paper.name)}</a>' for paper in papers),
        '<label><input type="checkbox" id="only"> hide cells that are equal</label></nav>',
        _scrolling("All exhibits", _linked(summary_table(results).render("html"), results)),
    ]
    for paper in papers:
        out.append(f'<h2 id="{html.escape(paper.name)}">{html.escape(paper.citation)}</h2>')
        out += [f'<p class="note">{html.escape(text)}</p>' for text in paper.absent]
        for other, exhibit, reproduction in results:
            if other.name == paper.name:
                out += _exhibit(paper, exhibit, reproduction)
    return "\n".join([*out, "</main></body></html>", ""])


def _anchor(paper: Paper, exhibit: Exhibit) -> str:
    return html.escape(f"{paper.name}-{exhibit.number}".replace(" ", "-"))


def _bar(counts: Counter[str]) -> str:
    """The verdicts as parts of a bar."""
    parts = [
        f'<span class="{name}" style="flex:{counts[verdict]}" title="{counts[verdict]} {verdict}"></span>'
        for verdict, name in _CLASSES.items()
        if counts[verdict]
    ]
    return f'<div class="bar">{"".join(parts)}</div>'


def _scrolling(label: str, table: str) -> str:
    """A table that the keyboard can scroll where the page is too narrow for it."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{html.escape(label)}">{table}</div>'


def _linked(table: str, results: Sequence[Computed]) -> str:
    """The summary with a link to every exhibit."""
    for paper, exhibit, _ in results:
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
    if reproduction.missing:
        return [*out, f'<p class="note">not computed: {html.escape(reproduction.missing)}</p>']
    out += [f"<figure>{figure_svg(chart)}</figure>" for chart in reproduction.charts]
    summary = html.escape(verdict_summary(counts)) if reproduction.cells else "the numbers"
    folded = bool(reproduction.cells) and counts[EQUAL] == len(reproduction.cells)
    out.append(f"<details{'' if folded else ' open'}><summary>{summary}</summary>")
    for table in exhibit_tables(paper, exhibit, reproduction):
        text = table.render("html")
        for verdict, name in _CLASSES.items():
            text = text.replace(f"<td>{verdict}</td>", f'<td class="{name}">{verdict}</td>')
        out.append(_scrolling(table.title or exhibit.title, text))
    return [*out, "</details>"]
