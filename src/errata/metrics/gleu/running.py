"""GLEU+ from chunks: the official draws continue from chunk to chunk, or the moments are summed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from errata.metrics.gleu.draws import RunningDraws, places_at_a_time
from errata.metrics.statistics import Floats, Numbers, Statistics
from errata.metrics.totals import ExactSums

if TYPE_CHECKING:
    from errata.metrics.gleu import GLEU


class Drawn:
    """The mean over corpora of one drawn reference per segment: keeps a sum and a generator for each."""

    def __init__(self, metric: GLEU) -> None:
        self._metric = metric
        self._only: Statistics | None = None  # a single chunk is the whole corpus, which takes less time
        self._draws: RunningDraws | None = None

    def add(self, statistics: Statistics) -> None:
        if not len(statistics):
            return
        if self._draws is None:
            if self._only is None:
                self._only = statistics
                return
            self._draws = RunningDraws(self._metric.iterations, len(self._metric.columns))
            self._take(self._only, self._draws)
            self._only = None
        self._take(statistics, self._draws)

    def _take(self, statistics: Statistics, draws: RunningDraws) -> None:
        step = places_at_a_time(self._metric.iterations)
        for start in range(0, len(statistics), step):
            draws.add(statistics.select(np.arange(start, min(start + step, len(statistics)))))

    def parts(self) -> Floats:
        if self._draws is not None:
            parts: Floats = self._metric.drawn_parts(self._draws.sums()[None])[0]
        elif self._only is not None:
            parts = self._metric.aggregate(self._only, np.ones((1, len(self._only)), dtype=np.int64))[0]
        else:
            parts = np.zeros(len(self._metric.parts))
        return parts


class Averaged:
    """The mean over all choices of references: sums of moments, and the choices while they are few."""

    def __init__(self, metric: GLEU) -> None:
        self._metric = metric
        self._moments = ExactSums()
        self._ways = 0.0  # the logarithm of their number
        self._free: list[Statistics] = []  # segments with a choice, while all choices can be enumerated
        self._rest: Numbers | int = 0
        self._segments = 0

    def add(self, statistics: Statistics) -> None:
        if not len(statistics):
            return
        self._segments += len(statistics)
        self._moments.add(self._metric.moments(statistics))
        counts = statistics.counts
        self._rest = self._rest + statistics.values[statistics.offsets[:-1][counts == 1]].sum(axis=0)
        free = np.flatnonzero(counts > 1)
        self._ways = math.fsum([self._ways, *np.log(counts[free]).tolist()])
        if len(free) and self._metric.enumerates(self._ways):
            self._free.append(statistics.select(free))

    def parts(self) -> Floats:
        if not self._segments:
            return np.zeros(len(self._metric.parts))
        if not self._metric.enumerates(self._ways):
            mean_parts: Floats = self._metric.from_sums(self._moments.value()[None])[0]
            return mean_parts
        # All segments without a choice count as one.
        rest = Statistics.one_row_each(self._metric.columns, np.reshape(self._rest, (1, -1)))
        whole = Statistics.joined([*self._free, rest])
        parts: Floats = self._metric.aggregate(whole, np.ones((1, len(whole)), dtype=np.int64))[0]
        return parts
