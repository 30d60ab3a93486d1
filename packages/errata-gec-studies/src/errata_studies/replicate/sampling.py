"""How far chance reaches: what random draws make of all figures of a table at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import bdtrc

from errata.human.rankings import dropped
from errata.metrics.statistics import Floats, Integers
from errata_studies.replicate.exhibits import Cause, Key, range_text

LEVEL = 0.95


def band(values: Floats) -> Floats:
    """How far each figure may lie from its mean for 95 % of draws to be inside with *every* figure.

    `values` has a row a draw and a column a figure. All bands are the same number of standard deviations
    wide, so that one figure far out counts for as much as another.
    """
    spread = values.std(axis=0)
    away = np.abs(values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    width: Floats = spread * np.quantile(away.max(axis=1), LEVEL)
    return width


def share_as_far(values: Floats, published: Floats) -> float:
    """The share of draws that are at least as far from the mean as the published figures, all taken together.

    Far by Mahalanobis' distance, which knows that correlations with the same judge move together: a
    p-value of the claim that the published figures are one more draw.
    """
    centre = values.mean(axis=0)
    inverse = np.linalg.pinv(np.cov(values.T))
    distance = np.einsum("ij,jk,ik->i", values - centre, inverse, values - centre)
    theirs = float((published - centre) @ inverse @ (published - centre))
    return float((distance >= theirs).mean())


def means(runs: Floats, count: int, *, draws: int = 1000, seed: int = 1) -> Floats:
    """Means of `count` runs that somebody else may have got (draws × figures), judged by runs of our own.

    Their distance from our mean is what matters, so the chance in our own mean is in them as well.
    """
    own = len(runs)
    theirs, ours = _drawn(own, count, draws, seed)
    found: Floats = theirs @ runs / count - ours @ runs / own + runs.mean(axis=0)
    return found


@lru_cache(maxsize=4)
def _drawn(own: int, count: int, draws: int, seed: int) -> tuple[Integers, Integers]:
    """How often each of `own` runs is among the `count` runs of every draw, and among `own` runs."""
    generator = np.random.default_rng(seed)
    share = np.full(own, 1 / own)
    return generator.multinomial(count, share, draws), generator.multinomial(own, share, draws)


def place_causes(text: str, column: str, systems: Sequence[str], scores: Floats) -> dict[Key, Cause]:
    """The same cause for every place: the systems that 95 % of draws (× systems) put there, all at once."""
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    out = (1 - LEVEL) / (2 * len(systems))  # Bonferroni
    best, worst = np.quantile(ranks, [out, 1 - out], axis=0, method="closest_observation")
    found = {}
    for place in range(1, len(systems) + 1):
        there = [name for name, low, high in zip(systems, best, worst, strict=True) if low <= place <= high]
        found[f"place {place}", column] = Cause(text, outcomes=frozenset(there))
    return found


def possible_ranges(samples: Floats, level: float = LEVEL, *, runs: int = 1000) -> list[frozenset[str]]:
    """The ranges of ranks that a bootstrap of `runs` can give each system.

    `samples` (draws × systems) say how often each rank comes up. A rank belongs to the range when more
    samples have it, or one beyond it, than are dropped at that end; how many do is binomial. Possible is
    what has a chance of at least 5 % divided by the number of ends looked at.
    """
    ranks = np.argsort(np.argsort(-samples, axis=1), axis=1) + 1
    systems = samples.shape[1]
    cut = dropped(runs, level)
    least = (1 - LEVEL) / (2 * systems)

    def chance(inside: Any, beyond: Any) -> bool:
        kept, further = bdtrc(cut, runs, inside.mean()), bdtrc(cut, runs, beyond.mean())
        return bool(kept * (1 - further) >= least)

    found = []
    for mine in ranks.T:
        best = [rank for rank in range(1, systems + 1) if chance(mine <= rank, mine < rank)]
        worst = [rank for rank in range(1, systems + 1) if chance(mine >= rank, mine > rank)]
        found.append(frozenset(range_text(b, w) for b in best for w in worst if b <= w))
    return found
