"""Metric × reference set: which pairing follows people most closely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from errata.corpus.model import Corpus
from errata.metrics.base import Metric
from errata.metrics.statistics import Floats
from errata.significance.correlations import CORRELATIONS


class Grid(NamedTuple):
    """Scores (metrics × sets × systems) and their correlations with people (metrics × sets)."""

    metrics: tuple[str, ...]
    sets: tuple[str, ...]
    scores: Floats
    correlations: Mapping[str, Floats]  # by kind


def grid(
    metrics: Mapping[str, Metric],
    sets: Mapping[str, Corpus],
    outputs: Mapping[str, Sequence[str]],
    human: Mapping[str, float],
    *,
    kinds: Sequence[str] = ("pearson", "spearman"),
    jobs: int | None = None,
) -> Grid:
    """Score every system with every metric on every set of references of the same segments."""
    scores = np.array(
        [
            [
                [metric.score(corpus, outputs[system], jobs=jobs).value for system in human]
                for corpus in sets.values()
            ]
            for metric in metrics.values()
        ]
    )
    people = np.array(list(human.values()))
    correlations = {kind: CORRELATIONS[kind](scores, people) for kind in kinds}
    return Grid(tuple(metrics), tuple(sets), scores, correlations)


def jitter_reach(scores: Floats, human: Floats, size: float, kind: str, *, seed: int = 1) -> float:
    """How far a correlation moves when every score is off by up to `size` (99 % of random cases)."""
    generator = np.random.default_rng(seed)
    moved = scores + generator.uniform(-size, size, (1000, len(scores)))
    change = np.abs(CORRELATIONS[kind](moved, human) - CORRELATIONS[kind](scores, human))
    return float(np.quantile(change, 0.99))
