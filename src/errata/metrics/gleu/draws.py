"""One reference per segment, drawn at random: the official draws of GLEU+, and all draws at once.

The numbers that an official draw compares with the numbers of references depend on the draw and the place in
the corpus alone, so the same numbers serve every system and every bootstrap sample.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from errata.errors import ErrataError
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics

SEED_STEP = 101  # iteration j of the official program seeds its generator with 101·j
BLOCK_CELLS = 1 << 21  # draws × places at a time
_KEPT_BLOCKS = 2
_keeping = threading.Lock()


def _seeds(iterations: int) -> list[list[int]]:
    """The official seeds; a list of one number seeds NumPy's generator as Python seeds its own."""
    if iterations * SEED_STEP > 1 << 32:
        raise ErrataError(f"{iterations:,} iterations, and at most {(1 << 32) // SEED_STEP:,} have a seed")
    return [[SEED_STEP * j] for j in range(iterations)]


class _Generators:
    """The generators of the official program.

    Iteration j has `random.Random(101 * j)`. Python 2's `randint(0, k - 1)` is `int(random() * k)`, one
    number per place even if k is 1.
    """

    def __init__(self, iterations: int) -> None:
        self._generators = [np.random.RandomState(seed) for seed in _seeds(iterations)]

    def next(self, places: int) -> Floats:
        """Random numbers (draws × places) for the next places."""
        return np.stack([generator.random_sample(places) for generator in self._generators])


@lru_cache(maxsize=_KEPT_BLOCKS)
def _first_numbers(iterations: int, places: int) -> Floats:
    """Random numbers (draws × places) for the first places, as the generators give them."""
    numbers = np.empty((iterations, places))
    generator = np.random.RandomState()
    for row, seed in zip(numbers, _seeds(iterations), strict=True):
        generator.seed(seed)
        row[:] = generator.random_sample(places)
    return numbers


def _random_numbers(iterations: int, places: int) -> Iterator[Floats]:
    """Random numbers (draws × places) for all places: at once, and kept, or one block after the other."""
    step = places_at_a_time(iterations)
    if places <= step:
        with _keeping:  # threads that need the same numbers draw them once
            numbers = _first_numbers(iterations, places)
        yield numbers
        return
    generators = _Generators(iterations)
    for start in range(0, places, step):
        yield generators.next(min(step, places - start))


def places_at_a_time(iterations: int) -> int:
    """The size of a block of places, which bounds memory."""
    return max(1, BLOCK_CELLS // iterations)


def _chosen_sums(statistics: Statistics, layout: Integers, numbers: Floats) -> Floats:
    """Sums (draws × columns) of the rows that each draw chooses at some places.

    `layout` has the segment at each place. A chosen row is the first one of its segment plus the differences
    between neighbouring rows up to it: what all draws add to the first rows is a matrix product. Sums of
    integers below 2^53 are exact.
    """
    values = statistics.values.astype(np.float64)
    first, counts = statistics.offsets[layout], statistics.counts[layout]
    sums = np.tile(values[first].sum(axis=0), (len(numbers), 1))
    chosen = numbers * counts  # the number of the chosen row, before it is rounded down
    for level in range(1, int(counts.max(initial=0))):
        differences = np.zeros((len(layout), values.shape[1]))
        rows = first[counts > level] + level
        differences[counts > level] = values[rows] - values[rows - 1]
        sums += (chosen >= level).astype(np.float64) @ differences
    return sums


def drawn_sums(statistics: Statistics, weights: Integers, iterations: int) -> Floats:
    """Sums (samples × draws × columns) of the rows that the official program draws.

    A sample is the corpus in which each segment is repeated as often as its weight says. If there is nothing
    to choose, there is a single draw.
    """
    draws = iterations if (statistics.counts > 1).any() else 1
    layouts = [np.repeat(np.arange(len(row)), row) for row in weights]
    sums = np.zeros((len(weights), draws, len(statistics.columns)))
    start = 0
    for numbers in _random_numbers(draws, max(map(len, layouts))):
        for sample, layout in zip(sums, layouts, strict=True):
            block = layout[start : start + numbers.shape[1]]
            sample += _chosen_sums(statistics, block, numbers[:, : len(block)])
        start += numbers.shape[1]
    return sums


class RunningDraws:
    """The same sums for segments in consecutive chunks: the generators continue from chunk to chunk."""

    def __init__(self, iterations: int, columns: int) -> None:
        self._iterations = iterations
        self._generators: _Generators | None = None
        self._skipped = 0  # places without a choice before the generators are needed at all
        self._sums = np.zeros((1, columns))

    def add(self, statistics: Statistics) -> None:
        places = len(statistics)
        if self._generators is None and (statistics.counts > 1).any():
            self._generators = _Generators(self._iterations)
            for start in range(0, self._skipped, places_at_a_time(self._iterations)):
                self._generators.next(min(places_at_a_time(self._iterations), self._skipped - start))
            self._sums = np.repeat(self._sums, self._iterations, axis=0)
        self._skipped += places
        numbers = np.zeros((1, places)) if self._generators is None else self._generators.next(places)
        self._sums += _chosen_sums(statistics, np.arange(places), numbers)

    def sums(self) -> Floats:
        """Sums (draws × columns); a single draw if there was nothing to choose."""
        return self._sums


def combinations(counts: Integers, weights: Integers) -> Floats:
    """The logarithm of the number of ways in which one reference per place can be chosen, per sample."""
    ways: Floats = weights.astype(np.float64) @ np.log(counts)
    return ways


def all_sums(values: Numbers, offsets: Integers, weights: Integers) -> Floats:
    """Sums (choices × columns) for every choice of one reference per place; one sample's weights."""
    free = np.diff(offsets) > 1
    fixed = weights[~free] @ values[offsets[:-1][~free]]
    places = np.repeat(np.flatnonzero(free), weights[free])
    rows = [range(offsets[segment], offsets[segment + 1]) for segment in places]
    chosen = np.array(list(itertools.product(*rows)), dtype=np.int64)
    sums: Floats = (fixed + values[chosen].sum(axis=1)).astype(np.float64)
    return sums


def moments(values: Numbers, offsets: Integers) -> tuple[Floats, Floats]:
    """Means (segments × columns) and covariances (segments × columns × columns) of the drawn rows.

    Those of a sum over segments are their sums: each is drawn by itself.
    """
    counts = np.diff(offsets)
    mean = np.add.reduceat(values, offsets[:-1]) / counts[:, None]
    apart = values - np.repeat(mean, counts, axis=0)
    products = apart[:, :, None] * apart[:, None, :]
    covariance = np.add.reduceat(products, offsets[:-1]) / counts[:, None, None]
    return mean, covariance
