"""Tables: one type, rendered for the terminal, Markdown, LaTeX, TSV, JSON and HTML."""

from errata.tables.cells import Cell, Column, Estimate, format_number
from errata.tables.table import FORMATS, Table, matrix, render_all

__all__ = ["FORMATS", "Cell", "Column", "Estimate", "Table", "format_number", "matrix", "render_all"]
