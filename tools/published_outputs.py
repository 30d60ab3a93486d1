"""Verify published outputs, and commit the result: ERRATA_SHARED=… python tools/published_outputs.py

Writes published_figures.tsv, published_systems.tsv and metric_attacks.tsv in errata_studies/results, from
which `make docs` makes the tables of docs/replications.md and docs/meta.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from leaderboard import rounded

from errata.metrics.results import Results
from errata_studies.leaderboard.entries import read_leaderboard
from errata_studies.leaderboard.site import attack_tables
from errata_studies.results import write_rows

ROOT = Path(__file__).parents[1]
SETTINGS = ROOT / "packages" / "errata-gec-studies" / "leaderboard.toml"
DATA = Path(os.environ.get("ERRATA_SHARED", ROOT.parent / "shared")) / "data"


def main() -> None:
    words = ["leaderboard", "check", str(DATA), "--settings", str(SETTINGS), "--format", "tsv"]
    done = subprocess.run([sys.executable, "-m", "errata", *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    for text, name in zip(done.stdout.strip().split("\n\n"), ("figures", "systems"), strict=True):
        header, *rows = [line.split("\t") for line in text.splitlines()]
        if name == "systems":
            rows = [[rounded(cell, 4) if "." in cell else cell for cell in row] for row in rows]
        write_rows(f"published_{name}.tsv", header, rows)
    benchmark = next(each for each in read_leaderboard(DATA, SETTINGS)[1] if each.attacks)
    results = Results.compute(benchmark.corpus, benchmark.outputs, benchmark.metrics)
    table = attack_tables(benchmark, results)[0]
    write_rows("metric_attacks.tsv", [column.name for column in table.columns], table.grid())


if __name__ == "__main__":
    main()
