"""How much chance may change the figures of a table, by random draws of all figures together."""

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
    """The half width of an interval for each figure, such that 95 % of draws are inside *all* intervals.

    `values` has a row per draw and a column per figure. All bands are the same number of standard deviations
    wide, so that one figure far out counts for as much as another.
    """
    spread = values.std(axis=0)
    away = np.abs(values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    width: Floats = spread * np.quantile(away.max(axis=1), LEVEL)
    return width


def share_as_far(values: Floats, published: Floats) -> float:
    """The share of draws that are at least as far from the mean as the published figures.

    The distance is that of Mahalanobis, because correlations with the same judge are dependent. The share is
    a p-value of the hypothesis that the published figures are another draw.
    """
    centre = values.mean(axis=0)
    inverse = np.linalg.pinv(np.cov(values.T))
    distance = np.einsum("ij,jk,ik->i", values - centre, inverse, values - centre)
    published_distance = float((published - centre) @ inverse @ (published - centre))
    return float((distance >= published_distance).mean())


def means(runs: Floats, count: int, *, draws: int = 1000, seed: int = 1) -> Floats:
    """Means of `count` runs of other authors (draws × figures), simulated by drawing from these runs.

    They are compared with the mean of these runs, so they also contain its chance.
    """
    size = len(runs)
    others, these = _drawn(size, count, draws, seed)
    simulated: Floats = others @ runs / count - these @ runs / size + runs.mean(axis=0)
    return simulated


@lru_cache(maxsize=4)
def _drawn(size: int, count: int, draws: int, seed: int) -> tuple[Integers, Integers]:
    """How often each of `size` runs is drawn among `count` runs, and among `size` runs (draws × runs)."""
    generator = np.random.default_rng(seed)
    share = np.full(size, 1 / size)
    return generator.multinomial(count, share, draws), generator.multinomial(size, share, draws)


def place_causes(text: str, column: str, systems: Sequence[str], scores: Floats) -> dict[Key, Cause]:
    """The same cause for every place, with the systems that the draws put there.

    The systems of all places together cover 95 % of the draws.

    `scores` has a row per draw and a column per system.
    """
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    out = (1 - LEVEL) / (2 * len(systems))  # Bonferroni
    best, worst = np.quantile(ranks, [out, 1 - out], axis=0, method="closest_observation")
    causes = {}
    for place in range(1, len(systems) + 1):
        there = [name for name, low, high in zip(systems, best, worst, strict=True) if low <= place <= high]
        causes[f"place {place}", column] = Cause(text, outcomes=frozenset(there))
    return causes


def possible_ranges(samples: Floats, level: float = LEVEL, *, runs: int = 1000) -> list[frozenset[str]]:
    """The ranges of ranks that a bootstrap of `runs` can give each system.

    `samples` (draws × systems) give the probability of each rank. A rank belongs to the range if more samples
    have it, or a rank beyond it, than are dropped at that end; this number is binomial. A range is possible
    if its probability is at least 5 % divided by the number of ends.
    """
    ranks = np.argsort(np.argsort(-samples, axis=1), axis=1) + 1
    systems = samples.shape[1]
    cut = dropped(runs, level)
    least = (1 - LEVEL) / (2 * systems)

    def chance(inside: Any, beyond: Any) -> bool:
        kept, further = bdtrc(cut, runs, inside.mean()), bdtrc(cut, runs, beyond.mean())
        return bool(kept * (1 - further) >= least)

    ranges = []
    for own in ranks.T:
        best = [rank for rank in range(1, systems + 1) if chance(own <= rank, own < rank)]
        worst = [rank for rank in range(1, systems + 1) if chance(own >= rank, own > rank)]
        ranges.append(frozenset(range_text(b, w) for b in best for w in worst if b <= w))
    return ranges
