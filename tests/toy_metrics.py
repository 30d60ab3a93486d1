"""Two small metrics for tests of what is built upon metrics: one of sums, one of running totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.corpus.model import Corpus
from errata.metrics.base import Floats, Integers, Metric, Statistics


@dataclass(frozen=True)
class Ratio(Metric):
    """The share of right tokens; a score of sums."""

    name: ClassVar[str] = "ratio"
    columns: ClassVar[tuple[str, ...]] = ("right", "all")
    parts: ClassVar[tuple[str, ...]] = ("ratio", "right")

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        rows = [
            [len(set(h.split()) & set(s.references[0].split())), len(h.split()) + 1]
            for s, h in zip(corpus, hypotheses, strict=True)
        ]
        return Statistics.one_row_each(self.columns, np.array(rows).reshape(-1, 2))

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return self.from_sums((weights @ statistics.values).astype(float))

    def features(self, statistics: Statistics) -> Floats | None:
        return statistics.values.astype(float)

    def from_sums(self, sums: Floats) -> Floats:
        return np.stack([sums[:, 0] / np.maximum(sums[:, 1], 1), sums[:, 0]], axis=1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        return statistics.values[:, 0] / statistics.values[:, 1]


@dataclass(frozen=True)
class Summed(Ratio):
    """The same, without saying that sums are enough."""

    def features(self, statistics: Statistics) -> Floats | None:
        return None


@dataclass(frozen=True)
class Running(Metric):
    """Takes of each segment the row that is best for the totals so far, as M² does; slow and plain."""

    name: ClassVar[str] = "running"
    columns: ClassVar[tuple[str, ...]] = ("right", "all")
    parts: ClassVar[tuple[str, ...]] = ("ratio",)

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        raise NotImplementedError

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return np.array([[self._scan(statistics, row)] for row in weights])

    def _scan(self, statistics: Statistics, weights: Integers) -> float:
        right, total = 0, 1
        for i in np.nonzero(weights)[0]:
            rows = statistics.values[statistics.offsets[i] : statistics.offsets[i + 1]].tolist()
            for _ in range(weights[i]):
                right, total = max(
                    ((right + a, total + b) for a, b in rows), key=lambda pair: pair[0] / pair[1]
                )
        return right / total

    def sentence_scores(self, statistics: Statistics) -> Floats:
        return self.aggregate(statistics, np.eye(len(statistics), dtype=np.int64))[:, 0]


def ratio_statistics(generator: np.random.Generator, segments: int, share: float = 0.5) -> Statistics:
    """Segments of 1 to 20 tokens, each right with this probability."""
    total = generator.integers(1, 21, segments)
    return Statistics.one_row_each(Ratio.columns, np.stack([generator.binomial(total, share), total], axis=1))


def running_statistics(generator: np.random.Generator, segments: int) -> Statistics:
    """Segments with one to three rows."""
    offsets = np.concatenate([[0], np.cumsum(generator.integers(1, 4, segments))])
    total = generator.integers(1, 9, offsets[-1])
    values = np.stack([generator.binomial(total, 0.5), total], axis=1)
    return Statistics(Running.columns, values, offsets, np.zeros(offsets[-1], dtype=np.int64))
