"""Compute the leaderboard of metrics and commit it: ERRATA_DATA=… python tools/leaderboard.py

Writes leaderboard_sentences.tsv and leaderboard_systems.tsv in errata_studies/results, from which `make docs`
makes the tables of docs/leaderboard.md, and the figure of that page. Needs the data of all benchmarks and
`errata setup errant`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from errata_studies.results import write_rows

FIGURE = Path(__file__).parents[1] / "docs" / "images" / "leaderboard.svg"
METRICS = (
    "m2,sentm2,errant,senterrant,cleme,sentcleme,cleme2,sentcleme2,gotoscorer,peet,detection,gleu,gleu2015,"
    "green,imeasure,sari,id,emdiff,ibleu,bleu,chrf,ter,wer,cer,exact,fluency,perplexity,unchanged,length"
)
TABLES = {"leaderboard_sentences.tsv": 3, "leaderboard_systems.tsv": 2}  # decimals


def main() -> None:
    words = [
        "meta", "--benchmark", "all", "--metric", METRICS, "--plot", str(FIGURE),
        "--format", "tsv", *sys.argv[1:],
    ]  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "errata", *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    for text, (name, decimals) in zip(done.stdout.strip().split("\n\n"), TABLES.items(), strict=True):
        header, *rows = [line.split("\t") for line in text.splitlines()]
        write_rows(name, header, [[rounded(cell, decimals) for cell in row] for row in rows])


def rounded(cell: str, decimals: int) -> str:
    """A number with these decimals; any other cell as it is."""
    return f"{float(cell):.{decimals}f}" if re.fullmatch(r"-?[\d.]+(e-\d+)?", cell) else cell


if __name__ == "__main__":
    main()
