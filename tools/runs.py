"""Bring the table of docs/outputs.md up to date from folders of `errata run`: python tools/runs.py FOLDER…"""

from __future__ import annotations

import csv
import sys

from errata.runner import read_run
from errata_studies.results import FOLDER

BENCHMARKS = {"conll14": "CoNLL-2014 M² F0.5", "jfleg": "JFLEG test GLEU"}


def main() -> None:
    with (FOLDER / "runs.tsv").open(encoding="utf-8", newline="") as file:
        rows = {row["system"]: row for row in csv.DictReader(file, delimiter="\t")}
    for folder in sys.argv[1:]:
        run = read_run(folder)
        (score,) = run["scores"].values()
        low, high = score["interval"]
        column = BENCHMARKS[run["benchmark"]]
        row = rows.setdefault(run["system"], {"system": run["system"]})
        row[column] = f"{score['score']:.4f} [{low:.4f}, {high:.4f}]"
        row[f"{column}, as they came"] = f"{run['steps']['as they came']:.4f}"
        row["last run"] = run["date"][:10]
    header = ["system"]
    for column in BENCHMARKS.values():
        header += [column, f"{column}, as they came"]
    header.append("last run")
    with (FOLDER / "runs.tsv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, header, delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows(rows.values())


if __name__ == "__main__":
    main()
