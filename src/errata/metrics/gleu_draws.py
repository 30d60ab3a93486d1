"""One reference per segment, drawn at random: the official draws of GLEU+, and all choices at once.

The random numbers of the official draws depend on the draw and the place in the corpus alone, so the same
numbers serve every system and every sample.
"""

from __future__ import annotations

import itertools
import math
import threading
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from errata.errors import ErrataError
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import ExactSums

if TYPE_CHECKING:
    from errata.metrics.gleu import GLEU

SEED_STEP = 101  # iteration j of the official program seeds its generator with 101·j
BLOCK_CELLS = 1 << 21  # draws × places at a time, which bounds memory
KEPT_CELLS = 1 << 26  # draws × places at most whose choices are kept, one byte each
_EXACT = 1 << 24  # sums of integers up to here are exact in 32 bits
_drawing = threading.Lock()


def _seeds(iterations: int) -> list[list[int]]:
    """The seeds of the official program, whose iteration j has Python's `random.Random(101 * j)`.

    A list of one number seeds NumPy's generator as Python seeds its own.
    """
    if iterations * SEED_STEP > 1 << 32:
        raise ErrataError(f"{iterations:,} iterations, and at most {(1 << 32) // SEED_STEP:,} have a seed")
    return [[SEED_STEP * j] for j in range(iterations)]


@lru_cache(maxsize=2)
def kept_choices(iterations: int, counts: bytes) -> npt.NDArray[np.uint8]:
    """Which reference each draw chooses at each place; kept, because it is the same for all systems."""
    sizes = np.frombuffer(counts, dtype=np.int64)
    chosen = np.empty((iterations, len(sizes)), dtype=np.uint8)
    generator = np.random.RandomState()  # seeding it again is faster than making another one
    for row, seed in zip(chosen, _seeds(iterations), strict=True):
        generator.seed(seed)
        row[:] = generator.random_sample(len(sizes)) * sizes
    return chosen


class RandomNumbers:
    """The official random numbers of consecutive places."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations
        self._generators: list[np.random.RandomState] = []
        self._skipped = 0  # places whose numbers the generators have not drawn yet

    @property
    def block(self) -> int:
        """How many places to draw for at a time."""
        return max(1, BLOCK_CELLS // self._iterations)

    def skip(self, places: int) -> None:
        """Skip the numbers of places without a choice."""
        self._skipped += places

    def kept(self, counts: Integers) -> npt.NDArray[np.uint8] | None:
        """The choices (draws × places) at the next places, if these are the first ones and not too many."""
        cells, most = self._iterations * len(counts), int(counts.max(initial=0))
        if self._generators or self._skipped or cells > KEPT_CELLS or not 1 < most < 256:
            return None
        self.skip(len(counts))
        with _drawing:  # one thread draws, and the others wait for it
            return kept_choices(self._iterations, counts.tobytes())

    def next(self, places: int) -> Floats:
        """Random numbers (draws × places) for the next places."""
        self._generators = self._generators or [*map(np.random.RandomState, _seeds(self._iterations))]
        while self._skipped:
            skipped = min(self._skipped, self.block)
            self._skipped -= skipped
            self._draw(skipped)
        return self._draw(places)

    def _draw(self, places: int) -> Floats:
        return np.stack([generator.random_sample(places) for generator in self._generators])


class DrawnScore:
    """The score over the official draws; the generators continue from chunk to chunk."""

    def __init__(self, metric: GLEU) -> None:
        self._metric = metric
        self._numbers = RandomNumbers(metric.iterations)
        self.sums = np.zeros((1, len(metric.columns)))  # draws × columns; a single draw without a choice

    def add(self, statistics: Statistics) -> None:
        kept = self._numbers.kept(statistics.counts)
        for start in range(0, len(statistics), self._numbers.block):
            stop = min(start + self._numbers.block, len(statistics))
            block = statistics.select(np.arange(start, stop))
            if kept is not None:
                self.sums = self.sums + _chosen_sums(block, kept[:, start:stop])
            elif (block.counts > 1).any():
                numbers = self._numbers.next(len(block))
                self.sums = self.sums + _chosen_sums(block, numbers * block.counts)
            else:
                self._numbers.skip(len(block))
                self.sums = self.sums + block.values.sum(axis=0)

    def parts(self) -> Floats:
        parts: Floats = self._metric.drawn_parts(self.sums[None])[0]
        return parts


def _chosen_sums(statistics: Statistics, chosen: Floats | npt.NDArray[np.uint8]) -> Floats:
    """Sums (draws × columns) of the rows that each draw chooses; `chosen` may still have to be rounded down.

    Python 2's `randint(0, k - 1)` is `int(random() * k)`. A chosen row is the first one of its segment plus
    the differences between neighbouring rows up to it: what all draws add to the first rows is a matrix
    product. Sums of integers below 2⁵³ are exact.
    """
    values, first, counts = statistics.values.astype(np.float64), statistics.offsets[:-1], statistics.counts
    sums = np.tile(values[first].sum(axis=0), (len(chosen), 1))
    for level in range(1, int(counts.max(initial=0))):
        differences = np.zeros((len(counts), values.shape[1]))
        rows = first[counts > level] + level
        differences[counts > level] = values[rows] - values[rows - 1]
        kind = np.float32 if np.abs(differences).sum() < _EXACT else np.float64  # the smaller is faster
        sums += (chosen >= level).astype(kind) @ differences.astype(kind)
    return sums


class MeanScore:
    """The mean over all choices of references: sums of moments, and the choices while they are few."""

    def __init__(self, metric: GLEU) -> None:
        self._metric = metric
        self._moments = ExactSums()
        self._ways = 0.0  # the logarithm of the number of choices
        self._free: list[Statistics] = []  # segments with a choice, while all choices can be enumerated
        self._rest: Numbers | int = 0  # the sum of the other segments
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
        metric = self._metric
        if not self._segments:
            parts: Floats = np.zeros(len(metric.parts))
        elif not metric.enumerates(self._ways):
            parts = metric.from_sums(self._moments.value()[None])[0]
        else:  # all segments without a choice count as one
            rest = Statistics.one_row_each(metric.columns, np.reshape(self._rest, (1, -1)))
            whole = Statistics.joined([*self._free, rest])
            parts = metric.aggregate(whole, np.ones((1, len(whole)), dtype=np.int64))[0]
        return parts


def choice_sums(values: Numbers, offsets: Integers, weights: Integers) -> Floats:
    """Sums (choices × columns) for every choice of one reference per place; one sample's weights."""
    free = np.diff(offsets) > 1
    fixed = weights[~free] @ values[offsets[:-1][~free]]
    places = np.repeat(np.flatnonzero(free), weights[free])
    rows = [range(offsets[segment], offsets[segment + 1]) for segment in places]
    chosen = np.array(list(itertools.product(*rows)), dtype=np.int64)
    sums: Floats = (fixed + values[chosen].sum(axis=1)).astype(np.float64)
    return sums


def moments(values: Numbers, offsets: Integers) -> tuple[Floats, Floats]:
    """Means (segments × columns) and covariances of the drawn rows, those of all pairs of columns i ≤ j.

    Those of a sum over segments are their sums, because each segment is drawn independently.
    """
    counts = np.diff(offsets)
    mean = np.add.reduceat(values, offsets[:-1]) / counts[:, None]
    apart = values - np.repeat(mean, counts, axis=0)
    first, second = np.triu_indices(values.shape[1])
    covariance = np.add.reduceat(apart[:, first] * apart[:, second], offsets[:-1]) / counts[:, None]
    return mean, covariance
