"""Sweeps: scores, and their correlation with people, over the values of a metric's parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from errata.errors import DataError
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.metrics.statistics import Floats, Statistics
from errata.significance.correlations import CORRELATIONS

BETAS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0)


class Sweep(NamedTuple):
    """Correlations with people for every value of a parameter, and the value that is best."""

    values: Floats
    scores: Floats  # values × systems
    correlations: Mapping[str, Floats]  # by kind

    def best(self, kind: str = "pearson") -> float:
        """The value with the highest correlation."""
        return float(self.values[int(np.nanargmax(self.correlations[kind]))])


def sweep(
    metric: Metric,
    statistics: Mapping[str, Statistics],
    human: Mapping[str, float],
    values: Sequence[float] | Floats,
    *,
    parameter: str = "beta",
    kinds: Sequence[str] = ("pearson", "spearman"),
) -> Sweep:
    """Correlation as a function of a parameter that statistics do not depend on (β of M² and ERRANT)."""
    scores = scores_over(metric, [statistics[system] for system in human], values, parameter)
    people = np.array(list(human.values()))
    correlations = {kind: CORRELATIONS[kind](scores, people) for kind in kinds}
    return Sweep(np.asarray(values, dtype=np.float64), scores, correlations)


def scores_over(
    metric: Metric, statistics: Sequence[Statistics], values: Sequence[float] | Floats, parameter: str
) -> Floats:
    """The score of every system (columns) for every value of a parameter (rows)."""
    if parameter not in {field.name for field in fields(metric)}:
        raise DataError(f"{metric.name} has no parameter {parameter!r}")
    variants = [replace(metric, **{parameter: value}) for value in map(float, values)]
    return np.array([[variant.score(each).value for each in statistics] for variant in variants])


@dataclass(frozen=True, eq=False)
class BetaPlane:
    """Precision and recall of every system by one metric, and F for every β."""

    number: int  # of the metric
    beta: float  # that the metric itself has
    precision: Floats  # systems
    recall: Floats
    betas: tuple[float, ...]
    scores: Floats  # systems × betas

    def correlations(self, systems: Sequence[int], human: Floats, kind: str) -> Floats:
        """For every β, the correlation of some systems' scores with people's."""
        return CORRELATIONS[kind](self.scores[list(systems)].T, human)


def beta_planes(results: Results, betas: tuple[float, ...] = BETAS) -> list[BetaPlane]:
    """Precision, recall, and F over β, for every metric that has them."""
    planes = []
    for number, metric in enumerate(results.metrics):
        beta = metric.parameters.get("beta")
        if beta is None or metric.parts[0] != "f" or not {"precision", "recall"} <= set(metric.parts):
            continue
        scores = [results.score(system, number) for system in results.systems]
        planes.append(
            BetaPlane(
                number,
                beta,
                np.array([score.parts["precision"] for score in scores]),
                np.array([score.parts["recall"] for score in scores]),
                betas,
                scores_over(metric, [score.statistics for score in scores], betas, "beta").T,
            )
        )
    return planes
