"""TrueSkill against the PyPI package and the original script: python benchmarks/rankings.py [--quick]

The judgments are those of Grundkiewicz et al. (2015), or the sample's where they are not here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import script
from measure import Contest, Recorded
from texts import Texts

from errata.human.judgment_files import read_judgments
from errata.human.pairs import Pairs, expanded_pairs
from errata.human.trueskill import trueskill_runs

OFFICIAL = 39.0  # seconds a run of 109,099 matches
MATCHES = 1000


def judged(data: Texts) -> Pairs:
    return expanded_pairs(read_judgments(data.judgments).filtered())


def package_run(pairs: Pairs, matches: int) -> list[float]:
    """So many matches by the WMT protocol with the package's own update."""
    import trueskill

    beta = 0.5 * matches / 40
    env = trueskill.TrueSkill(mu=0, sigma=0.5, beta=beta, tau=0, draw_probability=0.25)
    n = len(pairs.systems)
    stored: dict[tuple[int, int], list[int]] = {}
    columns = (pairs.left.tolist(), pairs.right.tolist(), pairs.outcome.tolist())
    for left, right, outcome in zip(*columns, strict=True):
        stored.setdefault((left, right), []).append(outcome)
        stored.setdefault((right, left), []).append(-outcome)
    ratings = [env.create_rating() for _ in range(n)]
    generator = random.Random(1)
    for _ in range(matches):
        a = max(range(n), key=lambda i: ratings[i].sigma)
        others = [b for b in range(n) if b != a and (a, b) in stored]
        weights = [np.exp(-abs(ratings[a].mu - ratings[b].mu)) for b in others]
        (b,) = generator.choices(others, weights)
        outcome = generator.choice(stored[a, b])
        first, second = (b, a) if outcome < 0 else (a, b)
        ratings[first], ratings[second] = trueskill.rate_1vs1(
            ratings[first], ratings[second], drawn=outcome == 0, env=env
        )
    return [rating.mu for rating in ratings]


def contests(data: Texts) -> Iterator[Contest]:
    pairs = judged(data)
    yield Contest(
        f"TrueSkill, {MATCHES:,} matches", "PyPI trueskill", "trueskill",
        lambda: trueskill_runs(pairs, runs=1, matches=MATCHES, jobs=1),
        lambda: package_run(pairs, MATCHES), note="matches are drawn at random",
    )  # fmt: skip


def recorded(data: Texts) -> Iterator[Recorded]:
    pairs = judged(data)
    task = f"TrueSkill, a run of {len(pairs) + 1:,} matches"
    yield Recorded(task, "the WMT script, Python 2", OFFICIAL, lambda: trueskill_runs(pairs, runs=1, jobs=1))


if __name__ == "__main__":
    script.main(__doc__, contests, recorded)
