"""Precision, recall and F of counts, without a division by zero."""

from __future__ import annotations

import numpy as np

from errata.metrics.statistics import Floats


def share(part: Floats, whole: Floats, of_nothing: float | Floats = 1.0) -> Floats:
    """part / whole, and `of_nothing` where the whole is 0."""
    some = whole > 0
    return np.where(some, part / np.where(some, whole, 1.0), of_nothing)


def prf(tp: Floats, fp: Floats, fn: Floats, beta: float) -> tuple[Floats, Floats, Floats]:
    """F, precision and recall of counts; precision and recall of nothing are 1."""
    precision, recall = share(tp, tp + fp), share(tp, tp + fn)
    return f_beta(precision, recall, beta), precision, recall


def f_beta(precision: Floats, recall: Floats, beta: float) -> Floats:
    """(1 + β²)·P·R / (β²·P + R), and 0 where both are 0."""
    mass = beta**2 * precision + recall
    return share((1 + beta**2) * precision * recall, mass, 0.0)
