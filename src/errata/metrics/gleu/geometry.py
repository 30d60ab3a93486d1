"""The geometric mean of n-gram precisions and the brevity penalty, which GLEU and BLEU share."""

from __future__ import annotations

import numpy as np

from errata.metrics.statistics import Floats


def ngram_columns(above: str, below: str, n: int) -> tuple[str, ...]:
    """The columns of what is divided and of what divides it, by order, and of the two lengths."""
    orders = [f"{name}{k}" for name in (above, below) for k in range(1, n + 1)]
    return (*orders, "hypothesis_length", "reference_length")


def log_brevity(hypothesis: Floats, reference: Floats, brevity: str) -> Floats:
    """The logarithm of the brevity penalty; `inverted` is that of the programs before June 2017."""
    short, long = (hypothesis, reference) if brevity == "fixed" else (reference, hypothesis)
    return np.minimum(0.0, 1.0 - long / short)


def geometric_score(numerators: Floats, denominators: Floats, penalty: Floats) -> Floats:
    """exp(penalty + mean of the log ratios); 0 where a numerator or denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.exp(penalty + np.log(numerators / denominators).sum(axis=-1) / numerators.shape[-1])
    empty = (numerators == 0).any(axis=-1) | (denominators == 0).any(axis=-1) | np.isnan(penalty)
    return np.where(empty, 0.0, scores)
