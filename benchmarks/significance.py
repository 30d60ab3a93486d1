"""A million paired permutations against scoring the swapped texts anew, and a large paired bootstrap.

    python benchmarks/significance.py [folder of the CoNLL-2014 data] [metric]

Scoring anew is measured on a few permutations and extrapolated.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from errata.corpus.formats import read_corpus, read_outputs
from errata.metrics import metric
from errata.report.table import Column, Table
from errata.significance.bootstrap import paired_bootstrap
from errata.significance.permutation import permutation_test

PERMUTATIONS = 1_000_000
SAMPLES = 10_000
RESCORED = 2


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of all cores together."""
    clock, cores = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - cores


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "shared/data/conll14")
    name = sys.argv[2] if len(sys.argv) > 2 else "m2"
    chosen = metric(name)
    corpus = read_corpus(folder / "test.m2")
    outputs = read_outputs(sorted((folder / "systems").glob("*.txt")), corpus)
    first, second = outputs["CAMB"], outputs["CUUI"]
    statistics = {system: chosen.statistics(corpus, outputs[system]) for system in ("CAMB", "CUUI")}

    def permute() -> None:
        print(permutation_test(chosen, statistics["CAMB"], statistics["CUUI"], permutations=PERMUTATIONS))

    def stop_early() -> None:
        print(permutation_test(chosen, statistics["CAMB"], statistics["CUUI"], permutations=10**7, risk=1e-6))

    def rescore() -> None:
        for swaps in np.random.default_rng(1).integers(0, 2, (RESCORED, len(corpus))):
            for flipped in (0, 1):
                picked = [(a, b)[s ^ flipped] for a, b, s in zip(first, second, swaps, strict=True)]
                chosen.score(corpus, picked)

    everyone = [chosen.statistics(corpus, hypotheses) for hypotheses in outputs.values()]
    rows = []
    for what, work, times in (
        (f"{PERMUTATIONS:,} permutations of {name}", permute, 1),
        ("up to 10,000,000, stopped at a risk of 1e-6", stop_early, 1),
        (f"{PERMUTATIONS:,} by scoring anew (extrapolated)", rescore, PERMUTATIONS / RESCORED),
        (f"{SAMPLES:,} bootstrap samples of {len(everyone)} systems",
         lambda: paired_bootstrap(chosen, everyone, samples=SAMPLES), 1),
    ):  # fmt: skip
        clock, cores = timed(work)
        rows.append([what, clock * times, cores * times])
    table = Table([Column("work"), Column("seconds", 1), Column("core seconds", 1), Column("ratio", 2)], [
        [*row, row[1] / rows[0][1]] for row in rows
    ])  # fmt: skip
    print(table)


if __name__ == "__main__":
    main()
