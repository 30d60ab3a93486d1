"""GLEU+ with 500 draws on the 13 CoNLL-2014 systems, reading included, one thread.

    OPENBLAS_NUM_THREADS=1 python benchmarks/gleu.py [SHARED]

Ratios are to the official program's recorded CPU seconds; the floor is what the same work would cost if
every n-gram looked up took 5 ns and every addition of a draw half a nanosecond.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

from errata import GLEU
from errata.corpus.parallel import read_outputs, read_parallel
from errata.metrics.base import Statistics
from errata.metrics.draws import _kept_numbers
from errata.report.table import Column, Table
from errata.significance.bootstrap import percentile_interval

OFFICIAL_SECONDS = 3.69 * 13  # Python 2.7, two references, 500 iterations; reading included
SHARED = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "shared"


def run() -> tuple[dict[str, float], dict[str, Statistics], int]:
    """CPU seconds of the stages; the statistics; how many n-grams were looked up."""
    _kept_numbers.cache_clear()
    folder = SHARED / "data/conll14"
    seconds = {}
    begin = time.process_time()
    corpus = read_parallel(folder / "source.txt", [folder / f"refs/nucle{i}.txt" for i in (0, 1)])
    outputs = read_outputs(sorted((folder / "systems").glob("*.txt")), corpus)
    seconds["read"] = time.process_time() - begin
    begin = time.process_time()
    statistics = {name: GLEU().statistics(corpus, lines, jobs=1) for name, lines in outputs.items()}
    seconds["tokens to ids, n-grams"] = time.process_time() - begin
    begin = time.process_time()
    for found in statistics.values():
        assert GLEU().score(found).value > 0
    seconds["500 draws, scores"] = time.process_time() - begin
    tokens = sum(len(line.split()) for lines in outputs.values() for line in lines)
    tokens += len(outputs) * (len(corpus.source_ids.ids) + len(corpus.reference_ids.ids.ids))
    return seconds, statistics, 4 * tokens


def main() -> None:
    runs = [run() for _ in range(5)]
    stages = {stage: min(seconds[stage] for seconds, _, _ in runs) for stage in runs[0][0]}
    total = sum(stages.values())
    _, statistics, lookups = runs[0]
    floors = {
        "tokens to ids, n-grams": lookups * 5e-9,
        "500 draws, scores": 13 * 500 * 1312 * 5 * 0.5e-9,
    }
    rows = [
        (stage, seconds * 1e3, floors[stage] * 1e3 if stage in floors else None)
        for stage, seconds in stages.items()
    ]
    rows.append(("all", total * 1e3, sum(floors.values()) * 1e3))
    for label, metric in (("official draws", GLEU()), ("all draws", GLEU(sampling="all"))):
        begin = time.process_time()
        percentile_interval(metric, statistics["AMU"], samples=1000)
        rows.append((f"bootstrap of AMU, 1,000 samples, {label}", (time.process_time() - begin) * 1e3, None))
    print(Table([Column("stage"), Column("CPU ms", 1), Column("floor ms", 1)], list(rows)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"official program {OFFICIAL_SECONDS:.1f} s: {OFFICIAL_SECONDS / total:.0f} times as long")
    print(f"peak memory {peak:.0f} MB; numpy {np.__version__}")


if __name__ == "__main__":
    main()
