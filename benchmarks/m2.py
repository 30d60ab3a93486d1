"""M² against the recorded original, and where its time goes: python benchmarks/m2.py [--quick]

Times are CPU seconds of one thread, files read, unless said otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import script
from measure import Budget, Recorded, best_of
from texts import Texts

import errata.metrics.m2.alignment as alignment
from errata import M2, Corpus
from errata.engine import in_order
from errata.tables import Column, Table

OFFICIAL = 533.0  # CPU seconds of the m2scorer for the 13 systems of CoNLL-2014


def everything(data: Texts) -> None:
    """What a user asks for: the files to the scores of all systems."""
    corpus, outputs = data.read()
    for lines in outputs.values():
        assert M2().score(corpus, lines, jobs=1).value >= 0


def recorded(data: Texts) -> Iterator[Recorded]:
    task = f"M², {len(data.systems)} systems, files read"
    yield Recorded(task, "m2scorer, Python 2", OFFICIAL, lambda: everything(data))


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


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    rounds = budget.fewest
    corpus, outputs = data.read()
    lines = list(outputs.values())[1]
    pairs = len(corpus) * len(outputs)
    total = best_of(lambda: everything(data), rounds)
    rows: list[tuple[str, float, str]] = [("all systems", total, f"{pairs / total:,.0f} sentences/s")]
    watched = Watched()
    alignment.kernel = watched  # type: ignore[assignment]
    seconds = []
    for _ in range(rounds):
        watched.seconds, watched.work = 0.0, np.zeros(5, dtype=np.int64)
        for hypotheses in outputs.values():
            M2().statistics(corpus, hypotheses, jobs=1)
        seconds.append(watched.seconds)
    alignment.kernel = watched.kernel
    cells, vertices, arcs, *_ = watched.work.tolist()
    floor = (cells * 4 + arcs * 8) * 1e-9  # two tables written, read and cleared; an arc labelled and relaxed
    work = f"{cells:,} cells, {vertices:,} vertices, {arcs:,} arcs"
    note = f"{work}; {min(seconds) / floor:.1f} × (4 ns a cell, 8 ns an arc)"
    rows.append(("  of which the kernel", min(seconds), note))
    for count in (1, 2):
        references = [texts[:count] for texts in data.by_sentence]
        together = best_of(lambda r=references: M2().score(data.sources, lines, r, jobs=1).sentences, rounds)
        scorers = [*map(M2().scorer, data.sources, references)]
        single = best_of(lambda s=scorers: [one(text) for one, text in zip(s, lines, strict=True)], rounds)
        for name, took in (("lists of strings, one call", together), ("prepared, a call a sentence", single)):
            rows.append((f"{name}, {count} ref", took, f"{len(corpus) / took:,.0f} sentences/s"))
    large = Corpus(list(corpus) * (8 * rounds))
    encoded = (large.source_ids, large.vocabulary.encode_lines(list(lines) * (8 * rounds)), large.edit_ids)
    values = np.empty((len(large.edit_ids.annotators), 3), dtype=np.int64)

    def align(start: int) -> None:
        stop = min(start + 512, len(large))
        alignment.count_edits(*encoded, M2().letters(large.vocabulary), 2, start, stop, values)

    starts = range(0, len(large), 512)

    one, two = (
        best_of(lambda jobs=jobs: [*in_order(align, starts, jobs)], rounds, time.perf_counter)
        for jobs in (1, 2)
    )
    rows.append(("the kernel on two threads (wall)", two, f"{one / two:.2f} × one thread"))
    statistics = M2().statistics(corpus, lines)
    weights = np.random.default_rng(1).multinomial(len(corpus), [1 / len(corpus)] * len(corpus), size=1000)
    rows.append(("1,000 bootstrap samples", best_of(lambda: M2().aggregate(statistics, weights), rounds), ""))
    betas = np.linspace(0.1, 2, 100).tolist()
    rows.append(("100 values of β", best_of(lambda: M2().sweep(statistics, betas), rounds), ""))
    yield Table([Column("what"), Column("CPU s", 4), Column("")], list(rows), title="M²")


if __name__ == "__main__":
    script.main(__doc__, recorded=recorded, details=details)
