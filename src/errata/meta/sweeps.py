"""Sweeps: a metric's parameter, or the number of references, against scores and correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from errata.corpus.model import Corpus, Segment
from errata.errors import DataError
from errata.metrics.base import Floats, Integers, Metric, Statistics
from errata.significance.correlations import CORRELATIONS


class Sweep(NamedTuple):
    """Correlations with people for every value of a parameter, and the value that is best."""

    values: Floats
    scores: Floats  # values × systems
    correlations: Mapping[str, Floats]  # by kind

    def best(self, kind: str = "pearson") -> float:
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
    if parameter not in {field.name for field in fields(metric)}:
        raise DataError(f"{metric.name} has no parameter {parameter!r}")
    people = np.array(list(human.values()))
    scores = np.array(
        [
            [replace(metric, **{parameter: value}).score(statistics[system]).value for system in human]
            for value in map(float, values)
        ]
    )
    found = {kind: CORRELATIONS[kind](scores, people) for kind in kinds}
    return Sweep(np.asarray(values, dtype=np.float64), scores, found)


class ReferenceCurve(NamedTuple):
    """Scores with 1, 2, … references: mean over draws, of every system."""

    counts: tuple[int, ...]
    scores: Floats  # counts × systems


def reference_curve(
    metric: Metric,
    corpus: Corpus,
    outputs: Mapping[str, Sequence[str]],
    *,
    draws: int = 10,
    seed: int = 1,
    jobs: int | None = None,
) -> ReferenceCurve:
    """How scores grow with the number of references, drawn anew for every segment, averaged over draws."""
    most = min(len(segment.annotations) for segment in corpus)
    if most < 2:
        raise DataError("a curve over references needs at least two for every segment")
    generator = np.random.default_rng(seed)
    counts = tuple(range(1, most + 1))
    sizes = np.array([len(segment.annotations) for segment in corpus])
    orders = [[generator.permutation(size) for size in sizes] for _ in range(draws)]
    found = np.zeros((most, len(outputs)))
    for column, lines in enumerate(outputs.values()):
        statistics = metric.statistics(corpus, lines, jobs=jobs)
        by_reference = np.array_equal(statistics.counts, sizes)  # a row a reference: nothing is scored again
        for row, count in enumerate(counts):
            for order in orders:
                chosen = [np.sort(each[:count]) for each in order]
                if by_reference:
                    score = metric.score(_rows(statistics, chosen))
                else:
                    kept = [_some(segment, some) for segment, some in zip(corpus, chosen, strict=True)]
                    score = metric.score(Corpus(kept), lines, jobs=jobs)
                found[row, column] += score.value / draws
    return ReferenceCurve(counts, found)


def _rows(statistics: Statistics, chosen: Sequence[Integers]) -> Statistics:
    """The statistics of some of each segment's references."""
    rows = np.concatenate([start + some for start, some in zip(statistics.offsets, chosen, strict=False)])
    offsets = np.concatenate([[0], np.cumsum([len(some) for some in chosen])]).astype(np.int64)
    return Statistics(statistics.columns, statistics.values[rows], offsets, statistics.references[rows])


def _some(segment: Segment, chosen: Integers) -> Segment:
    return replace(segment, annotations=tuple(segment.annotations[i] for i in chosen.tolist()))
