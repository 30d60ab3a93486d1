"""How far chance reaches: what random draws make of all figures of a table at once."""

from __future__ import annotations

import numpy as np

from errata.metrics.base import Floats

LEVEL = 0.95


def band(values: Floats, level: float = LEVEL) -> Floats:
    """How far each figure may lie from its mean for `level` of the draws to be inside with *every* figure.

    `values` has a row a draw and a column a figure. All bands are the same number of standard deviations
    wide, so that one figure far out counts for as much as another.
    """
    spread = values.std(axis=0)
    away = np.abs(values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    width: Floats = spread * np.quantile(away.max(axis=1), level)
    return width


def share_below(values: Floats, published: Floats) -> Floats:
    """The share of draws below each published figure, ties counted half."""
    shares: Floats = (values < published).mean(axis=0) + (values == published).mean(axis=0) / 2
    return shares


def share_as_far(values: Floats, published: Floats) -> float:
    """The share of draws that are at least as far from the mean as the published figures, all taken together.

    Far by Mahalanobis' distance, which knows that correlations with the same judge move together: a p-value of
    the claim that the published figures are one more draw.
    """
    centre = values.mean(axis=0)
    inverse = np.linalg.pinv(np.cov(values.T))
    distance = np.einsum("ij,jk,ik->i", values - centre, inverse, values - centre)
    theirs = float((published - centre) @ inverse @ (published - centre))
    return float((distance >= theirs).mean())
