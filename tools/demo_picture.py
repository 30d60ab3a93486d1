"""Draw docs/demo.svg: what `errata demo` prints in a terminal of 80 columns."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from errata import sample
from errata.cli.options import parse_metrics
from errata.metrics.results import Results

made = sample.load("en")
metrics = parse_metrics(("m2,gleu,imeasure,bleu,ter",))
table = Results.compute(made.corpus, made.outputs, metrics).table()
table.title = f"Six made-up systems on the en sample ({len(made.corpus)} sentences)"
table.notes = [note if len(note) <= 80 else note[:79] + "…" for note in table.notes]
console = Console(record=True, width=80, file=io.StringIO())
console.print("[bold green]$[/] errata demo")
console.print(Text.from_ansi(table.render("table", width=80, color=True)))
# No font from afar.
svg = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title="errata demo"), flags=re.S)
(Path(__file__).parents[1] / "docs" / "demo.svg").write_text(svg)
