"""All replications as one page that needs nothing else: tables, verdicts in colour, figures."""

from __future__ import annotations

import html
from collections.abc import Sequence

from errata import __version__
from errata.corpus.files import StrPath, open_output
from errata.replicate.exhibits import Cell, Exhibit, Paper, Reproduction, count, summary
from errata.report.plots import figure_svg
from errata.report.replication import exhibit_tables, summary_table

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 70rem;
  margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 2px solid #0072B2; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .15rem .6rem; text-align: left; border-bottom: 1px solid #ddd; }
thead th { border-bottom: 2px solid #444; } tr.rule td { border-top: 2px solid #444; }
.note { color: #555; font-size: .9rem; margin: .2rem 0; }
.equal { color: #00634a; } .explained { color: #8a5a00; } .absent { color: #666; }
.unexplained { color: #b03a00; font-weight: 600; }
svg { max-width: 100%; height: auto; } nav a { margin-right: 1rem; } details { margin: 1rem 0; }
"""


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
        f"<p>{html.escape(summary(everything))}. errata {html.escape(__version__)}.</p>",
        "<p>Equal: at the precision that was printed. Explained: the cause is stated and reaches at least "
        "as far as the difference. Not public: an input is. Unexplained: no cause was found yet.</p><nav>",
        *(f'<a href="#{html.escape(paper.name)}">{html.escape(paper.name)}</a>' for paper in papers),
        "</nav>",
        summary_table(made).render("html"),
    ]
    for paper in papers:
        out.append(f'<h2 id="{html.escape(paper.name)}">{html.escape(paper.citation)}</h2>')
        out += [f'<p class="note">{html.escape(text)}</p>' for text in paper.absent]
        for other, exhibit, reproduction in made:
            if other.name == paper.name:
                out += _exhibit(paper, exhibit, reproduction)
    return "\n".join([*out, "</body></html>", ""])


def _exhibit(paper: Paper, exhibit: Exhibit, reproduction: Reproduction) -> list[str]:
    counts = count(reproduction.cells)
    told = f"{counts['equal']} of {len(reproduction.cells)} equal" if reproduction.cells else "figure"
    out = [f"<h3>{html.escape(exhibit.number)}: {html.escape(exhibit.title)}</h3>"]
    out += [f"<figure>{figure_svg(picture)}</figure>" for picture in reproduction.pictures]
    out.append(f"<details open><summary>{html.escape(told)}</summary>")
    for table in exhibit_tables(paper, exhibit, reproduction):
        text = table.render("html")
        for verdict, name in (("equal", "equal"), ("explained", "explained"), ("not public", "absent")):
            text = text.replace(f"<td>{verdict}</td>", f'<td class="{name}">{verdict}</td>')
        out.append(text.replace("<td>unexplained</td>", '<td class="unexplained">unexplained</td>'))
    return [*out, "</details>"]
