"""Scores of single error types."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from errata.corpus.model import Corpus
from errata.metrics.base import Metric

Counts = tuple[int, int, int]  # true positives, false positives, false negatives


class TypedMetric(Metric):
    """A metric that also scores each error type by itself."""

    @abstractmethod
    def by_type(
        self, corpus: Corpus, hypotheses: Sequence[str], level: int = 2, *, jobs: int | None = None
    ) -> TypeScores:
        """Scores by operation (level 1), category (2), both (3), or with parts of speech as one (0)."""


@dataclass(frozen=True)
class TypeScores:
    """True and false positives and false negatives of every error type."""

    counts: Mapping[str, Counts]
    beta: float = 0.5

    def scores(self, name: str) -> tuple[float, float, float]:
        """P, R and F of a type."""
        return f_score(*self.counts[name], self.beta)

    @property
    def micro(self) -> tuple[float, float, float]:
        """P, R and F of all edits together."""
        tp, fp, fn = np.sum([(0, 0, 0), *self.counts.values()], axis=0).tolist()
        return f_score(tp, fp, fn, self.beta)

    @property
    def macro(self) -> tuple[float, float, float]:
        """Means of P, R and F over the types."""
        if not self.counts:
            return 1.0, 1.0, 1.0
        p, r, f = np.mean([self.scores(name) for name in self.counts], axis=0).tolist()
        return p, r, f


def f_score(tp: int, fp: int, fn: int, beta: float) -> tuple[float, float, float]:
    """Precision (1 without false positives), recall (1 without misses) and F, to four decimals."""
    p = tp / (tp + fp) if fp else 1.0
    r = tp / (tp + fn) if fn else 1.0
    below = beta**2 * p + r  # 0 also where β is 0 and nothing was found
    f = (1 + beta**2) * p * r / below if below else 0.0
    return round(p, 4), round(r, 4), round(f, 4)
