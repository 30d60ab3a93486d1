"""Tables in Markdown, LaTeX and HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata.tables.table import Table

_MARKDOWN = {ord("|"): "\\|", ord("\n"): " "}
_LATEX = {
    ord(char): replacement
    for char, replacement in [
        ("\\", r"\textbackslash{}"),
        ("~", r"\textasciitilde{}"),
        ("^", r"\textasciicircum{}"),
        ("–", "--"),
        *((char, "\\" + char) for char in "&%$#_{}"),
    ]
}


def markdown(table: Table) -> str:
    """A pipe table; the best values are bold."""
    best = table.best()
    lines = [f"**{table.title}**", ""] if table.title else []
    lines.append("| " + " | ".join(column.name.translate(_MARKDOWN) for column in table.columns) + " |")
    marks = ["---:" if table.is_numeric(j) else "---" for j in range(len(table.columns))]
    lines.append("| " + " | ".join(marks) + " |")
    for i, row in enumerate(table.grid()):
        cells = [text.translate(_MARKDOWN) for text in row]
        cells = [f"**{text}**" if (i, j) in best else text for j, text in enumerate(cells)]
        lines.append("| " + " | ".join(cells) + " |")
    if table.notes:
        lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def latex_text(text: str) -> str:
    """Text with the signs that mean something to LaTeX escaped."""
    return text.translate(_LATEX)


def latex(table: Table) -> str:
    """A `tabular` with the rules of the booktabs package; the best values are bold."""
    best = table.best()
    marks = "".join("r" if table.is_numeric(j) else "l" for j in range(len(table.columns)))
    lines = [f"% {table.title}"] if table.title else []
    lines += [f"\\begin{{tabular}}{{{marks}}}", "\\toprule"]
    lines.append(" & ".join(latex_text(column.name) for column in table.columns) + " \\\\")
    lines.append("\\midrule")
    for i, row in enumerate(table.grid()):
        if i in table.rules and i:
            lines.append("\\midrule")
        cells = [latex_text(text) for text in row]
        cells = [f"\\textbf{{{text}}}" if (i, j) in best else text for j, text in enumerate(cells)]
        lines.append(" & ".join(cells) + " \\\\")
    lines += ["\\bottomrule", "\\end{tabular}", *(f"% {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def html(table: Table) -> str:
    """A `<table>` element and its notes as paragraphs; the best values are strong."""
    best = table.best()
    out = ['<table class="errata">']
    if table.title:
        out.append(f"<caption>{escape(table.title)}</caption>")
    heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in table.columns)
    out.append(f"<thead><tr>{heads}</tr></thead><tbody>")
    for i, row in enumerate(table.grid()):
        cells = []
        for j, text in enumerate(row):
            inner = escape(text)
            inner = f"<strong>{inner}</strong>" if (i, j) in best else inner
            style = ' style="text-align:right"' if table.is_numeric(j) else ""
            cells.append(f"<td{style}>{inner}</td>")
        mark = ' class="rule"' if i in table.rules and i else ""
        out.append(f"<tr{mark}>{''.join(cells)}</tr>")
    out.append("</tbody></table>")
    out += [f'<p class="note">{escape(note)}</p>' for note in table.notes]
    return "\n".join(out) + "\n"
