"""M² of the 13 CoNLL-2014 systems, files included: `python benchmarks/m2.py [SHARED]`.

Times are CPU seconds of one thread, the best of five; the official program took 533 CPU seconds.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import errata.metrics.m2_alignment as alignment
from errata import M2, Corpus, read_corpus
from errata.corpus.files import read_lines
from errata.report.table import Column, Table

Row = tuple[str, float, float | None, str]
OFFICIAL = 533.0
SHARED = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ERRATA_SHARED", "../shared"))
GOLD = SHARED / "data/conll14/test.m2"
SYSTEMS = sorted((SHARED / "data/conll14/systems").glob("*.txt"))


def best(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The shortest of five runs."""
    times = []
    for _ in range(5):
        started = clock()
        work()
        times.append(clock() - started)
    return min(times)


def everything(jobs: int = 1) -> None:
    corpus = read_corpus(GOLD)
    for path in SYSTEMS:
        assert M2().score(corpus, read_lines(path), jobs=jobs).value >= 0


class Watched:
    """The kernel with its time and its work (cells, vertices, arcs) added up."""

    def __init__(self) -> None:
        self.kernel = alignment.kernel
        self.seconds = 0.0
        self.work = np.zeros(5, dtype=np.int64)

    def counts(self, *arguments: object) -> None:
        started = time.process_time()
        self.kernel.counts(*arguments)  # type: ignore[arg-type, call-arg]
        self.seconds += time.process_time() - started
        self.work += arguments[-1]  # type: ignore[arg-type]


def lists(
    rows: list[Row], sources: list[str], hypotheses: list[str], references: list[tuple[str, ...]]
) -> None:
    """Plain strings, all at once and one by one."""
    together = best(lambda: M2().score(sources, hypotheses, references, jobs=1).sentences)
    scorers = [*map(M2().scorer, sources, references)]
    single = best(lambda: [scorer(text) for scorer, text in zip(scorers, hypotheses, strict=True)])
    for name, took in (("lists of strings, one call", together), ("prepared, a call a sentence", single)):
        speed = f"{len(sources) / took:,.0f} sentences/s"
        rows.append((f"{name}, {len(references[0])} ref", took, None, speed))


def main() -> None:
    corpus = read_corpus(GOLD)
    outputs = [read_lines(path) for path in SYSTEMS]
    pairs = sum(len(lines) for lines in outputs)
    M2().score(corpus, outputs[0])

    total = best(everything)
    rows: list[Row] = [
        ("13 systems, files included", total, OFFICIAL / total, f"{pairs / total:,.0f} sentences/s")
    ]
    watched = Watched()
    alignment.kernel = watched  # type: ignore[assignment]
    seconds = []
    for _ in range(5):
        watched.seconds, watched.work = 0.0, np.zeros(5, dtype=np.int64)
        for lines in outputs:
            M2().statistics(corpus, lines, jobs=1)
        seconds.append(watched.seconds)
    alignment.kernel = watched.kernel
    cells, vertices, arcs, *_ = watched.work.tolist()
    floor = (cells * 4 + arcs * 8) * 1e-9  # two tables written, read and cleared; an arc labelled and relaxed
    kernel = min(seconds)
    work = f"{cells:,} cells, {vertices:,} vertices, {arcs:,} arcs"
    note = f"{work}; {kernel / floor:.1f} × (4 ns a cell, 8 ns an arc)"
    rows.append(("  of which the kernel", kernel, None, note))

    sources = corpus.sources
    for references in (1, 2):
        texts = [read_lines(SHARED / f"data/conll14/refs/nucle{i}.txt") for i in range(references)]
        lists(rows, sources, outputs[1], list(zip(*texts, strict=True)))

    large = Corpus(list(corpus) * 40)
    many = [outputs[1] * 40]
    M2().statistics(large, many[0])
    encoded = (large.source_ids, large.vocabulary.encode_lines(many[0]), large.edit_ids)
    values = np.empty((len(large.edit_ids.annotators), 3), dtype=np.int64)
    from errata.engine import spread

    def align(start: int, stop: int) -> None:
        alignment.count_edits(*encoded, M2().letters(large.vocabulary), 2, start, stop, values)

    one, two = (best(lambda j=jobs: spread(align, len(large), j, 512), time.perf_counter) for jobs in (1, 2))
    rows.append(("two threads (wall), kernel", two, one / two, f"{one:.2f} s with one"))

    statistics = M2().statistics(corpus, outputs[1])
    weights = np.random.default_rng(1).multinomial(len(corpus), [1 / len(corpus)] * len(corpus), size=1000)
    rows.append(("1,000 bootstrap samples", best(lambda: M2().aggregate(statistics, weights)), None, ""))
    betas = np.linspace(0.1, 2, 100).tolist()
    rows.append(("100 values of β", best(lambda: M2().sweep(statistics, betas)), None, ""))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    columns = [Column("what"), Column("CPU s", 3), Column("ratio", 1), Column("")]
    print(Table(columns, list(rows), notes=[f"peak memory {memory:.0f} MB"]).render(width=150))


main()
