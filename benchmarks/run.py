"""Compare errata with every alternative that is installed.

    python benchmarks/run.py                     about five minutes on an idle machine
    python benchmarks/run.py --quick             few rounds, to see that it works
    python benchmarks/run.py --once              one round of the quick packages: a test
    python benchmarks/run.py --output -          print the tables and write no file

Prints the tables and writes them to benchmarks/RESULTS.md. Runs on CoNLL-2014 where the shared data are,
and on the embedded sample with synthetic errors elsewhere. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import agreement
import bleu_ter
import edits
import gleu
import imeasure
import m2
import rankings
import script
import significance
import simple
from measure import QUICK, Budget, machine, one_thread
from texts import texts

from errata.tables import Table

OUTPUT = Path(__file__).with_name("RESULTS.md")
ONCE = Budget(seconds=0, fewest=1, most=1)
HEAVY = ("errant", "gec-metrics")  # they load a pipeline, or PyTorch: left out by --once
CONTESTS = (bleu_ter, simple, gleu, edits, significance, rankings, agreement)
RECORDED = (m2, imeasure, gleu, rankings)
INTRODUCTIONS = (
    "Both programs ran in one process in turns, in alternating order, on the same input in memory. Times are "
    "CPU time of one thread. *Times as long* is the ratio of the medians, the alternative's over errata's, "
    "with a 95 % bootstrap interval over the rounds: above 1, errata is faster. *Numbers* says whether both "
    "gave the same result.",
    "The originals run on Python 2 only. Their CPU seconds were recorded once, on the same data and on one "
    "core of a similar machine. Read these ratios as orders of magnitude.",
)


def main() -> None:
    """Run everything, print the tables and write the file."""
    one_thread()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    script.data_options(parser)
    parser.add_argument("--once", action="store_true", help="every measurement once: a test")
    parser.add_argument("--output", default=str(OUTPUT), help="the Markdown file to write; - writes none")
    options = parser.parse_args()
    budget = ONCE if options.once else QUICK if options.quick else Budget()
    begin = time.perf_counter()
    about = machine()  # before the run: its load
    with texts(options.data, options.sentences) as data:
        described = data.describe()
        print(about, described, sep="\n")
        contests = (contest for module in CONTESTS for contest in module.contests(data))
        chosen = (each for each in contests if not (options.once and each.package in HEAVY))
        tables = [script.contest_table(chosen, budget)]
        if data.recorded:
            records = (record for module in RECORDED for record in module.recorded(data))
            tables.append(script.recorded_table(records, budget))
    for table in tables:
        print(table.render(width=170))
    minutes = (time.perf_counter() - begin) / 60
    print(f"{minutes:.1f} minutes")
    if options.output != "-":
        kind = "quick (it shows that everything works)" if options.quick or options.once else "full"
        head = [
            "# Benchmark results",
            "Written by `make bench`; how to read it: [docs/benchmarks.md](../docs/benchmarks.md).",
            f"Run: {kind}, {minutes:.1f} minutes. Data: {described}.",
            about.render("markdown"),
        ]
        parts = [_section(*part) for part in zip(tables, INTRODUCTIONS, strict=False)]
        Path(options.output).write_text("\n\n".join([*head, *parts]), "utf-8")


def _section(table: Table, introduction: str) -> str:
    content = Table(table.columns, table.rows, notes=table.notes).render("markdown")
    return f"## {table.title}\n\n{introduction}\n\n{content}"


if __name__ == "__main__":
    main()
