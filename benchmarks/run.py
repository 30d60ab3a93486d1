"""Everything at once: errata against every alternative that is installed, throughput, growth, memory.

    python benchmarks/run.py                     under 15 minutes on two idle cores
    python benchmarks/run.py --quick             few rounds, to see that it works
    python benchmarks/run.py --once              no measurement worth the name: a test
    python benchmarks/run.py --only throughput --only memory --output -

Prints the tables and writes them to benchmarks/RESULTS.md. Runs on CoNLL-2014 where the shared data are,
and on the embedded sample with synthetic errors elsewhere. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import agreement
import bleu_ter
import edits
import gleu
import green
import growth
import imeasure
import instructions
import m2
import memory
import rankings
import roofline
import script
import significance
import simple
import throughput
from measure import QUICK, Budget, machine, one_thread
from texts import LENGTHS, Texts, texts

from errata.tables import Column, Table

OUTPUT = Path(__file__).with_name("RESULTS.md")
ONCE = Budget(seconds=0, fewest=1, most=1)
HEAVY = ("errant", "gec-metrics")  # they load a pipeline, or PyTorch: left out by --once
CONTESTS = (bleu_ter, simple, gleu, green, edits, significance, rankings, agreement)
RECORDED = (m2, imeasure, gleu, rankings)
DETAILS = (roofline, m2, imeasure, gleu, green, significance)

INTRODUCTIONS = {
    "throughput": (
        "From the files to the scores, everything read anew; taggers and models stay loaded; wall clock. "
        "Two *threads* share one piece of work: kernels, and systems of metrics that are computed by "
        "kernels, run side by side. Two *processes* do a whole piece each, as shards of a large corpus are "
        "worked on. *Times* is how much more gets done than on one core."
    ),
    "alternatives": (
        "Both sides ran in this process in turns, in alternating order, on the same input in memory. CPU "
        "time of one thread. *Times as long* is the ratio of the medians, theirs over errata's, with a 95 % "
        "bootstrap interval over the rounds: above 1, errata is faster. *Numbers* says whether both gave the "
        "same result."
    ),
    "recorded": (
        "The originals run on Python 2 only; their CPU seconds were recorded once, on the same data and on "
        "one core of a like machine. Read these ratios as orders of magnitude."
    ),
    "growth": (
        "Synthetic sentences with one rate of errors at all lengths, one reference, one thread, from strings "
        "to the score. The exponent is the slope of log cost over log length with the 95 % interval of the "
        "regression; 1 is linear. A dash: a round would have taken too long. Hard input is one line of "
        "125,000 bytes, or a sentence of 250 words, and twice as much: 2 times is linear and 4 times "
        "quadratic; what exceeds the limits on a sentence is cut."
    ),
    "memory": "The peak of a process of its own, in MB of 2^20 bytes, with Python and everything imported.",
    "instructions": (
        "Within each kernel's own code, on a fixed small input, by valgrind; repeatable to the last digit, "
        "whatever else the machine does. The baseline is `benchmarks/instructions.json`."
    ),
    "details": "Where the time goes; the best of several runs.",
}


def sections(options: argparse.Namespace) -> dict[str, Callable[[Texts, Budget], Iterable[Table]]]:
    """What can be run, by name, in order."""

    def alternatives(data: Texts, budget: Budget) -> Iterator[Table]:
        contests = (contest for module in CONTESTS for contest in module.contests(data))
        chosen = (c for c in contests if not (options.once and c.package in HEAVY))
        yield script.contest_table(chosen, budget)

    def recorded(data: Texts, budget: Budget) -> Iterator[Table]:
        if data.recorded:
            yield script.recorded_table((r for module in RECORDED for r in module.recorded(data)), budget)

    def growing(data: Texts, budget: Budget) -> Iterator[Table]:
        yield from growth.details(data, budget, LENGTHS[:3] if options.once else LENGTHS, not options.once)
        yield from growth.hard(data, budget, *((2000, 20) if options.once else ()))

    def instructed(data: Texts, budget: Budget) -> Iterator[Table]:
        reason = instructions.possible()
        if reason:
            yield Table([Column("not counted")], [[reason]], title="Instructions of the kernels")
        else:
            script.say("instructions, a minute or two")
            yield instructions.compare(instructions.counted(), json.loads(instructions.BASELINE.read_text()))[
                0
            ]

    def detailed(data: Texts, budget: Budget) -> Iterator[Table]:
        for module in DETAILS:
            script.say(f"details of {module.__name__}")
            yield from module.details(data, budget)

    return {
        "throughput": lambda data, budget: throughput.details(data, budget, spacy=not options.once),
        "alternatives": alternatives,
        "recorded": recorded,
        "growth": growing,
        "memory": memory.details,
        "instructions": instructed,
        "details": detailed,
    }


def main() -> None:
    one_thread()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    script.data_options(parser)
    parser.add_argument("--once", action="store_true", help="every measurement once: a test")
    parser.add_argument("--only", action="append", choices=list(INTRODUCTIONS), help="this section alone")
    parser.add_argument("--output", default=str(OUTPUT), help="the Markdown file to write; - writes none")
    options = parser.parse_args()
    budget = ONCE if options.once else QUICK if options.quick else Budget()
    begin = time.perf_counter()
    about = machine()  # before the run: its load
    print(about)
    parts = []
    with texts(options.data, options.sentences) as data:
        print(data.describe())
        for name, section in sections(options).items():
            if options.only and name not in options.only:
                continue
            found = list(section(data, budget))
            for table in found:
                print(table.render(width=170), flush=True)
            parts.append(_section(name, found))
        described = data.describe()
    minutes = (time.perf_counter() - begin) / 60
    print(f"{minutes:.1f} minutes")
    if options.output != "-":
        kind = (
            "quick (it shows that all works, not what it costs)" if options.quick or options.once else "full"
        )
        head = [
            "# Benchmark results",
            "Written by `make bench`; how to read it: [docs/benchmarks.md](../docs/benchmarks.md).",
            f"Run: {kind}, {minutes:.1f} minutes. Data: {described}.",
            about.render("markdown"),
        ]
        Path(options.output).write_text("\n\n".join([*head, *filter(None, parts)]), "utf-8")


def _section(name: str, tables: list[Table]) -> str:
    """A section in Markdown; with several tables their titles are headings below its own."""
    if not tables:
        return ""
    title = tables[0].title if len(tables) == 1 else name.capitalize()
    lines = [f"## {title}\n\n{INTRODUCTIONS[name]}\n"]
    for table in tables:
        if len(tables) > 1:
            lines.append(f"### {table.title}\n")
        lines.append(Table(table.columns, table.rows, notes=table.notes).render("markdown"))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
