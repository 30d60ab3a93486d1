"""How far metrics agree with each other, over systems and over sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from errata.metrics.results import Results
from errata.metrics.statistics import Floats
from errata.significance.correlations import pearson, spearman


class MetricAgreement(NamedTuple):
    """Correlations between metrics (metrics × metrics), signed as if higher were better for all.

    None where there are fewer than three systems or two sentences.
    """

    pearson: Floats | None  # over systems
    spearman: Floats | None
    sentences: Floats | None  # Pearson, over all sentences of all systems


def metric_agreement(results: Results) -> MetricAgreement:
    """The correlations of every two metrics of the results."""
    signs = [1 if metric.higher_is_better else -1 for metric in results.metrics]
    scores = [[results.score(system, number) for system in results.systems] for number in range(len(signs))]
    systems = np.array(
        [[sign * score.value for score in row] for sign, row in zip(signs, scores, strict=True)]
    )
    sentences = np.array(
        [
            sign * np.concatenate([score.sentences for score in row])
            for sign, row in zip(signs, scores, strict=True)
        ]
    )
    known = np.isfinite(sentences).all(axis=0)
    several = len(results.systems) > 2
    return MetricAgreement(
        _matrix(pearson, systems) if several else None,
        _matrix(spearman, systems) if several else None,
        _matrix(pearson, sentences[:, known]) if known.sum() > 1 else None,
    )


def _matrix(coefficient: Callable[[Any, Any], Floats], rows: Floats) -> Floats:
    return np.array([[float(coefficient(a, b)) for b in rows] for a in rows])
