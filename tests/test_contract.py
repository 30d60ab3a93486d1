"""Every registered metric keeps the contract; the check notices those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from errata.metrics import METRICS, metric
from errata.metrics.base import Floats, Integers, Metric, Statistics
from errata.testing import check_metric


@pytest.mark.parametrize("name", METRICS)
def test_registered_metrics_keep_the_contract(name: str) -> None:
    check_metric(metric(name))


@dataclass(frozen=True)
class Longer(Metric):
    """The share of hypotheses longer than their source."""

    name: ClassVar[str] = "longer"
    columns: ClassVar[tuple[str, ...]] = ("longer", "segments")
    parts: ClassVar[tuple[str, ...]] = ("share",)

    def statistics(self, corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        rows = [[len(h) > len(s), 1] for h, s in zip(hypotheses, corpus.sources, strict=True)]
        return Statistics.one_row_each(self.columns, np.array(rows))

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        sums = weights @ statistics.values
        return sums[:, :1] / sums[:, 1:]

    def sentence_scores(self, statistics: Statistics) -> Floats:
        return statistics.values[:, 0] / statistics.values[:, 1]


def test_a_metric_of_ones_own_is_a_dozen_lines() -> None:
    check_metric(Longer())
    score = Longer().score(["a b", "a"], ["a b c", "a"], [["a"], ["a"]])
    assert score.value == 0.5
    low, high = score.interval(samples=50)
    assert 0 <= low <= high <= 1


def test_a_metric_that_ignores_weights_is_caught() -> None:
    @dataclass(frozen=True)
    class Deaf(Longer):
        def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
            return np.full((len(weights), 1), statistics.values[:, 0].mean())

    with pytest.raises(AssertionError, match="must give the same score"):
        check_metric(Deaf())


def test_features_that_do_not_make_the_score_are_caught() -> None:
    @dataclass(frozen=True)
    class Summed(Longer):
        def features(self, statistics: Statistics) -> Floats:
            return statistics.values.astype(float)

        def from_sums(self, sums: Floats) -> Floats:
            return sums[:, :1] / sums[:, 1:]

    check_metric(Summed())

    @dataclass(frozen=True)
    class Wrong(Summed):
        def from_sums(self, sums: Floats) -> Floats:
            return sums[:, :1]

    with pytest.raises(AssertionError, match="must be what aggregate gives"):
        check_metric(Wrong())
