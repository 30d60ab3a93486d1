"""Small metrics for tests of what is built upon metrics; in a module, so that other processes have them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from errata.errors import DataError
from errata.metrics.base import Need, ScanMetric, SentenceMetric, SumMetric
from errata.metrics.batch import Batch
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import Accumulator, Sums


@dataclass(frozen=True)
class Ratio(SumMetric):
    """The share of right tokens; a score of sums."""

    name: ClassVar[str] = "ratio"
    columns: ClassVar[tuple[str, ...]] = ("right", "all")
    parts: ClassVar[tuple[str, ...]] = ("ratio", "right")

    def features(self, batch: Batch) -> list[list[int]]:
        return [
            [len({*hypothesis.split()} & {*references[0].split()}), len(hypothesis.split()) + 1]
            for _, hypothesis, references in batch
        ]

    def from_sums(self, sums: Floats) -> Floats:
        return np.stack([sums[:, 0] / np.maximum(sums[:, 1], 1), sums[:, 0]], axis=1)


@dataclass(frozen=True)
class Summed(Ratio):
    """The same, without saying that sums are enough."""

    def summands(self, statistics: Statistics) -> Floats | None:
        return None

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return self.from_sums((weights @ statistics.values).astype(float))

    def sentence_scores(self, statistics: Statistics) -> Floats:
        return statistics.values[:, 0] / statistics.values[:, 1]

    def accumulator(self) -> Accumulator:
        return Sums(Ratio())


@dataclass(frozen=True)
class Running(ScanMetric):
    """Takes of each segment the row that is best for the totals so far, as M² does; slow and plain."""

    name: ClassVar[str] = "running"
    columns: ClassVar[tuple[str, ...]] = ("right", "all")
    parts: ClassVar[tuple[str, ...]] = ("ratio",)

    def counts(self, batch: Batch) -> Statistics:
        raise NotImplementedError

    def from_totals(self, totals: Numbers) -> Floats:
        return (totals[:, 0] / (totals[:, 1] + 1))[:, None]

    def scan(self, statistics: Statistics, weights: Integers, totals: Numbers) -> None:
        for sums, row in zip(totals, weights, strict=True):
            sums[:] = self._scan(statistics, row, *sums.tolist())

    def _scan(self, statistics: Statistics, weights: Integers, right: int, total: int) -> tuple[int, int]:
        for i in np.nonzero(weights)[0]:
            rows = statistics.values[statistics.offsets[i] : statistics.offsets[i + 1]].tolist()
            for _ in range(weights[i]):
                right, total = max(
                    ((right + a, total + b) for a, b in rows), key=lambda pair: pair[0] / (pair[1] + 1)
                )
        return right, total


@dataclass(frozen=True)
class Closeness(SumMetric):
    """The mean of the ratio of the lengths of hypothesis and reference; floating-point rows of sums."""

    name: ClassVar[str] = "closeness"
    columns: ClassVar[tuple[str, ...]] = ("ratio", "segments")
    parts: ClassVar[tuple[str, ...]] = ("closeness",)

    def features(self, batch: Batch) -> list[list[float]]:
        return [
            [min(len(text), len(wanted[0])) / max(len(text), len(wanted[0]), 1), 1.0]
            for _, text, wanted in batch
        ]

    def from_sums(self, sums: Floats) -> Floats:
        return sums[:, :1] / np.maximum(sums[:, 1:], 1)


@dataclass(frozen=True)
class Brevity(SentenceMetric):
    """How short a hypothesis is in comparison with its source; reference-free."""

    weight: float = parameter(1.0, above=0)

    name: ClassVar[str] = "brevity"
    parts: ClassVar[tuple[str, ...]] = ("brevity",)
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    def scores(self, batch: Batch) -> list[float]:
        pairs = zip(batch.sources, batch.hypotheses, strict=True)
        return [len(s) / (len(s) + self.weight * len(h) + 1) for s, h in pairs]


@dataclass(frozen=True)
class WeightedOverlap(ScanMetric):
    """The share of tokens in common with the best reference, each weighted by 1/length of the token."""

    name: ClassVar[str] = "overlap"
    columns: ClassVar[tuple[str, ...]] = ("common", "all")
    parts: ClassVar[tuple[str, ...]] = ("overlap",)

    def counts(self, batch: Batch) -> list[list[list[float]]]:
        return [
            [self._row({*text.split()}, {*reference.split()}) for reference in references]
            for _, text, references in batch
        ]

    def _row(self, ours: set[str], theirs: set[str]) -> list[float]:
        return [sum(1 / len(word) for word in sorted(words)) for words in (ours & theirs, ours | theirs)]

    def from_totals(self, totals: Numbers) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(totals[:, 1] > 0, totals[:, 0] / totals[:, 1], 1.0)[:, None]


@dataclass(frozen=True)
class Centred(SentenceMetric):
    """A hypothesis' length in relation to the mean over all systems, which a first pass finds."""

    name: ClassVar[str] = "centred"
    parts: ClassVar[tuple[str, ...]] = ("centred",)
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    def observe(self, batches: Mapping[str, Batch]) -> tuple[int, int]:
        lengths = [len(text) for batch in batches.values() for text in batch.hypotheses]
        return sum(lengths), len(lengths)

    def settle(self, observations: Sequence[tuple[int, int]]) -> Mapping[str, Any]:
        total, count = np.sum(observations, axis=0)
        return {"mean": float(Fraction(int(total), int(count))), "count": count, "ends": np.array([0.5, 2.0])}

    def scores(self, batch: Batch) -> list[float]:
        low, high = batch.settled["ends"]
        return [min(max(len(text) / batch.settled["mean"], low), high) for text in batch.hypotheses]


@dataclass(frozen=True)
class Logged(Brevity):
    """The same as `Brevity`; writes to a file which process computed how many segments."""

    log: str = parameter("", signed=False)
    most: int = parameter(10**9, signed=False)  # computations, after which it fails as if it were killed

    name: ClassVar[str] = "logged"

    def scores(self, batch: Batch) -> list[float]:
        if len(logged(self.log)) >= self.most:
            raise KeyboardInterrupt
        with Path(self.log).open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {len(batch)}\n")
        return super().scores(batch)


@dataclass(frozen=True)
class Failing(Brevity):
    """The same as `Brevity`, side by side for several systems; fails for one of them."""

    label: str = ""
    system: str = ""

    name: ClassVar[str] = "failing"
    computed_by = "native"

    def scores(self, batch: Batch) -> list[float]:
        if batch.system == self.system:
            raise DataError(f"{self.label}: {self.system}")
        return super().scores(batch)


def logged(path: str) -> list[tuple[int, int]]:
    """The processes and numbers of segments that a log lists."""
    lines = Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []
    return [(int(process), int(count)) for process, count in map(str.split, lines)]


class Modelled(Logged):
    """The same as `Logged`, computed as a metric with a model: small batches, one process, a cache."""

    name: ClassVar[str] = "modelled"
    computed_by = "model"


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
