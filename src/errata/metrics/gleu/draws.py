"""One reference per segment, drawn at random: the official draws of GLEU+, and all draws at once.

Sums over drawn rows are matrix products. With k references, a row is the first one plus those differences
between neighbouring rows that the draw has reached; whether it has depends on the draw and the place in
the corpus alone, so the same 0/1 matrices serve every system and every bootstrap sample.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from errata.metrics.statistics import Floats, Integers, Numbers
from errata.text.numbering import distinct

SEED_STEP = 101  # iteration j of the official program seeds its generator with 101·j
BLOCK_CELLS = 1 << 21  # of a matrix at a time: bounds memory, changes nothing


def official_numbers(start: int, stop: int, places: int) -> Floats:
    """`random.Random(101 * j).random()`, a row for each iteration j and a number for each place.

    Python 2's `randint(0, k - 1)` is `int(random() * k)`, one number per place even where k is 1.
    """
    numbers = np.empty((stop - start, places))
    generator = np.random.RandomState()
    for row, iteration in enumerate(range(start, stop)):
        generator.seed([iteration * SEED_STEP])  # a list is hashed as `random.seed` hashes its integer
        numbers[row] = generator.random_sample(places)
    return numbers


_kept_numbers = lru_cache(maxsize=2)(official_numbers)  # several systems are scored on one corpus


def prepare_draws(iterations: int, places: int) -> None:
    """Make the numbers that `drawn_sums` keeps for corpora of this size."""
    if iterations * places <= BLOCK_CELLS:
        _kept_numbers(0, iterations, places)


def drawn_sums(values: Numbers, offsets: Integers, weights: Integers, iterations: int) -> Iterator[Floats]:
    """Sums (samples × draws × columns) of the rows that the official program draws, in blocks of draws.

    A sample is the corpus in which each segment stands as often in a row as its weight says. Exact:
    every partial sum is an integer that the floating-point type holds.
    """
    counts, first = np.diff(offsets), offsets[:-1]
    columns, samples = values.shape[1], len(weights)
    places = int(weights.sum(axis=1).max(initial=0))
    largest = int((weights @ np.maximum.reduceat(values, first).max(axis=1)).max(initial=0))
    exact = np.float32 if largest < 1 << 24 else np.float64
    constant = (weights @ values[first]).astype(np.float64)[:, None, :]
    # Which segment stands where; behind the last one, none.
    layout = np.full((samples, places), len(counts), dtype=np.int32)
    for sample, row in enumerate(weights):
        layout[sample, : row.sum()] = np.repeat(np.arange(len(counts)), row)
    changes = []
    for count in distinct(counts[counts > 1])[0].tolist():
        for level in range(1, count):
            change = np.zeros((len(counts) + 1, columns), dtype=exact)
            having = np.flatnonzero(counts == count)
            change[having] = values[first[having] + level] - values[first[having] + level - 1]
            changes.append((count, level, change))
    step = max(1, BLOCK_CELLS // max(1, places))
    numbers = _kept_numbers if iterations * places <= BLOCK_CELLS else official_numbers
    for start in range(0, iterations, step):
        drawn = numbers(start, min(start + step, iterations), places)
        sums = np.repeat(constant, len(drawn), axis=1)
        for count, level, change in changes:
            reached = (drawn * count >= level).astype(exact)
            share = max(1, BLOCK_CELLS // max(1, places * columns))
            for sample in range(0, samples, share):
                placed = change.take(layout[sample : sample + share].T, axis=0)
                product = reached @ placed.reshape(places, placed.shape[1] * columns)
                sums[sample : sample + share] += product.reshape(len(drawn), -1, columns).swapaxes(0, 1)
        yield sums


class DrawnOn:
    """The same sums for segments that come in pieces: the generators go on where they stopped."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations
        self._generators: list[np.random.RandomState] = []
        self._passed = 0  # places without a choice before the generators are needed at all
        self._constant: Integers | int = 0
        self._drawn: Floats | float = 0.0

    def add(self, values: Numbers, offsets: Integers) -> None:
        counts, first = np.diff(offsets), offsets[:-1]
        self._constant = self._constant + values[first].sum(axis=0)
        if not self._generators:
            if (counts == 1).all():
                self._passed += len(counts)
                return
            self._begin()
        numbers = np.stack([generator.random_sample(len(counts)) for generator in self._generators])
        for count in distinct(counts[counts > 1])[0].tolist():
            having = np.flatnonzero(counts == count)
            for level in range(1, count):
                change = values[first[having] + level] - values[first[having] + level - 1]
                reached = (numbers[:, having] * count >= level).astype(np.float64)
                self._drawn = self._drawn + reached @ change

    def _begin(self) -> None:
        for iteration in range(self._iterations):
            generator = np.random.RandomState([iteration * SEED_STEP])
            for start in range(0, self._passed, BLOCK_CELLS):
                generator.random_sample(min(BLOCK_CELLS, self._passed - start))
            self._generators.append(generator)

    def sums(self) -> Floats:
        """Sums (draws × columns); a single draw where there was nothing to choose."""
        sums: Floats = np.atleast_2d(self._constant + self._drawn)
        return sums


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
