"""Scores of summed rows: for metrics whose corpus score is a function of the sum alone."""

from __future__ import annotations

import numpy as np

from errata.metrics.base import Floats, Metric, Statistics

_CHUNK = 64  # sums given to the metric at once, each as a segment of its own


def scores_of_sums(metric: Metric, sums: Floats) -> Floats:
    """Scores (samples × parts) of an additive metric from sums of its rows (samples × columns)."""
    rows = np.rint(sums).astype(np.int64)
    found = []
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        each = np.eye(len(chunk), dtype=np.int64)
        found.append(metric.aggregate(Statistics.one_row_each(metric.columns, chunk), each))
    return np.concatenate(found)
