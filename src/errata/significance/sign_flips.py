"""Paired tests by random signs: how often chance makes a sum of differences as large as the one observed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats

_TIE = 1e-9  # of the largest difference: sums closer than this are equal, added up in another order


def random_signs(samples: int, items: int, seed: int) -> Floats:
    """Signs, samples × items, as mt-metrics-eval draws them (its seed is 4)."""
    drawn = np.random.default_rng(seed).random(size=(samples, items), dtype=np.float32)
    signs: Floats = 2.0 * np.rint(drawn).astype(np.float64) - 1.0
    return signs


def sign_flip_hits(differences: npt.ArrayLike, signs: Floats) -> npt.NDArray[np.int64]:
    """For every row of differences (tests × items), how many samples have a sum as large as its own."""
    rows = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    slack = _TIE * np.abs(rows).max(axis=1, initial=0.0)
    hits: npt.NDArray[np.int64] = (signs @ rows.T >= rows.sum(axis=1) - slack).sum(axis=0)
    return hits


def soft_pairwise_accuracy(
    human: npt.ArrayLike, metric: npt.ArrayLike, *, samples: int = 1000, seed: int = 4
) -> float:
    """Soft pairwise accuracy (Thompson et al. 2024): 1 − the mean distance of human and metric p-values.

    Both arguments have a row of differences over segments for each pair of systems, first minus second. A
    p-value is the share of random signs whose sum is as large as the observed one, as in mt-metrics-eval.
    """
    people, scores = (np.atleast_2d(np.asarray(rows, dtype=np.float64)) for rows in (human, metric))
    if not len(people):
        return float("nan")
    both = [
        sign_flip_hits(rows, random_signs(samples, rows.shape[1], seed)) / samples
        for rows in (people, scores)
    ]
    return float(1.0 - np.abs(both[0] - both[1]).mean())
