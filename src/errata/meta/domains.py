"""Correlation by domain with bootstrap over segments (Náplava et al. 2022, Table 10 and Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from errata.errors import DataError
from errata.metrics.base import Metric
from errata.metrics.resampling import bootstrap_weights
from errata.metrics.statistics import Floats, Statistics
from errata.significance.correlations import CORRELATIONS


@dataclass(frozen=True, slots=True)
class DomainCorrelation:
    """Mean and standard deviation of a correlation over bootstrap samples of one domain's segments."""

    domain: str
    kind: str
    mean: float
    deviation: float
    segments: int


def domain_correlations(
    metric: Metric,
    statistics: Mapping[str, Statistics],
    human: Floats,
    domains: Sequence[str],
    *,
    kinds: Sequence[str] = ("pearson", "spearman"),
    samples: int = 100,
    seed: int = 1,
) -> list[DomainCorrelation]:
    """Correlate a metric's and people's scores of systems in samples of each domain's segments.

    `human` is segments × systems (NaN where nobody judged), the systems in the order of `statistics`. In
    a sample both sides are computed from the same segments. The last entries, named "average", are
    means over domains: the systems' order within domains, not the difficulty of domains, is what counts.
    """
    first = next(iter(statistics.values()))
    if human.shape != (len(first), len(statistics)):
        raise DataError(
            f"human scores of shape {human.shape} for {len(first)} segments of {len(statistics)} systems"
        )
    names = list(dict.fromkeys(domains))
    resampling = metric.for_resampling
    found: list[DomainCorrelation] = []
    sampled: dict[str, list[Floats]] = {kind: [] for kind in kinds}
    for name in names:
        rows = np.flatnonzero([domain == name for domain in domains])
        weights = np.concatenate(list(bootstrap_weights(len(rows), samples, seed)))
        scores = np.stack(
            [resampling.aggregate(each.select(rows), weights)[:, 0] for each in statistics.values()], axis=1
        )
        known = ~np.isnan(human[rows])
        counts = weights @ known
        with np.errstate(invalid="ignore", divide="ignore"):
            people = (weights @ np.where(known, human[rows], 0.0)) / counts
        for kind in kinds:
            values = CORRELATIONS[kind](scores, people)
            sampled[kind].append(values)
            found.append(_entry(name, kind, values, len(rows)))
    if len(names) > 1:
        for kind in kinds:
            whole = np.array(sampled[kind])
            known = ~np.isnan(whole)
            with np.errstate(invalid="ignore"):  # a sample without any correlation has no average
                means = np.where(known, whole, 0.0).sum(axis=0) / known.sum(axis=0)
            found.append(_entry("average", kind, means, len(first)))
    return found


def _entry(domain: str, kind: str, values: Floats, segments: int) -> DomainCorrelation:
    if np.isnan(values).all():
        return DomainCorrelation(domain, kind, float("nan"), float("nan"), segments)
    return DomainCorrelation(domain, kind, float(np.nanmean(values)), float(np.nanstd(values)), segments)
