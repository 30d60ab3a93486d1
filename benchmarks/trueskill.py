"""Time TrueSkill on the judgments of Grundkiewicz et al. (2015): python benchmarks/trueskill.py [JUDGMENTS]

Compares a run of 109,099 matches with the official script (39 s a run, measured once on one core of
a machine like ours) and with the same protocol on top of the PyPI package `trueskill`, in this process.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import numpy as np

from errata.engine import jobs_or_default
from errata.human.clusters import rank_systems
from errata.human.formats import read_judgments
from errata.human.pairs import Pairs, expanded_pairs
from errata.human.trueskill import trueskill_runs
from errata.report.table import Column, Table

OFFICIAL = 39.0  # seconds a run
RUNS = 1000
DATA = Path(__file__).parents[2] / "shared" / "data" / "gjg15" / "judgments.xml"


def pypi_run(pairs: Pairs, matches: int) -> float:
    """CPU seconds of so many matches by the WMT protocol with the package's own update."""
    here = Path(__file__).parent.resolve()
    sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != here]  # this file has its name
    import trueskill

    beta = 0.5 * (len(pairs) + 1) / 40
    env = trueskill.TrueSkill(mu=0, sigma=0.5, beta=beta, tau=0, draw_probability=0.25)
    n = len(pairs.systems)
    stored: dict[tuple[int, int], list[int]] = {}
    columns = (pairs.left.tolist(), pairs.right.tolist(), pairs.outcome.tolist())
    for left, right, outcome in zip(*columns, strict=True):
        stored.setdefault((left, right), []).append(outcome)
        stored.setdefault((right, left), []).append(-outcome)
    ratings = [env.create_rating() for _ in range(n)]
    generator = random.Random(1)
    start = time.process_time()
    for _ in range(matches):
        a = max(range(n), key=lambda i: ratings[i].sigma)
        others = [b for b in range(n) if b != a]
        weights = [np.exp(-abs(ratings[a].mu - ratings[b].mu)) for b in others]
        (b,) = generator.choices(others, weights)
        outcome = generator.choice(stored[a, b])
        first, second = (b, a) if outcome < 0 else (a, b)
        ratings[first], ratings[second] = trueskill.rate_1vs1(
            ratings[first], ratings[second], drawn=outcome == 0, env=env
        )
    return time.process_time() - start


def main() -> None:
    pairs = expanded_pairs(read_judgments(sys.argv[1] if len(sys.argv) > 1 else DATA).filtered())
    matches = len(pairs) + 1
    best = min(_timed(pairs) for _ in range(3))
    wall, cpu = time.perf_counter(), time.process_time()
    samples = trueskill_runs(pairs, runs=RUNS)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    played = 2000
    theirs = pypi_run(pairs, played) / played * matches
    rows = [
        ("errata", best, 1.0),
        (f"PyPI trueskill (from {played:,} matches)", theirs, theirs / best),
        ("official script", OFFICIAL, OFFICIAL / best),
    ]
    columns = [Column("program"), Column("CPU s a run", 3), Column("times ours", 0)]
    cores = jobs_or_default(None)
    note = f"{RUNS:,} runs of {matches:,} matches: {wall:.1f} s on {cores} cores ({cpu:.1f} s CPU)"
    print(Table(columns, list(rows), title="TrueSkill", notes=[note]))
    ranking = rank_systems(pairs.systems, samples)
    print(
        " ".join(f"{name} {score:.3f}" for name, score in zip(ranking.systems, ranking.scores, strict=True))
    )


def _timed(pairs: Pairs) -> float:
    start = time.process_time()
    trueskill_runs(pairs, runs=20, jobs=1)
    return (time.process_time() - start) / 20


if __name__ == "__main__":
    main()
