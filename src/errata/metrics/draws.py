"""One reference per segment, drawn at random: the official draws of GLEU+, and all draws at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from errata.metrics.base import Floats, Integers

SEED_STEP = 101  # iteration j of the official program seeds its generator with 101·j
MOST_COMBINATIONS = 4096  # as many choices of references are enumerated one by one
_BLOCK_CELLS = 1 << 20  # choices looked at together: bounds memory, changes nothing
_CACHED_CELLS = 1 << 21


def official_draws(counts: Integers, iterations: int) -> Iterator[Integers]:
    """Blocks (iterations × segments) of the references that the official program draws, from 0.

    Python 2's `randint(0, k - 1)` is `int(random() * k)`, one number per segment even where k is 1.
    """
    step = max(1, _BLOCK_CELLS // max(1, len(counts)))
    keep = iterations * len(counts) <= _CACHED_CELLS
    uniform = _cached_uniform if keep else _uniform
    for start in range(0, iterations, step):
        yield (uniform(start, min(start + step, iterations), len(counts)) * counts).astype(np.int64)


def _uniform(start: int, stop: int, segments: int) -> Floats:
    """Numbers of `random.Random(101 * j).random()` for the iterations start..stop, a row each."""
    numbers = np.empty((stop - start, segments))
    generator = np.random.RandomState()
    for row, iteration in enumerate(range(start, stop)):
        generator.seed([iteration * SEED_STEP])  # a list is hashed as `random.seed` hashes its integer
        numbers[row] = generator.random_sample(segments)
    return numbers


_cached_uniform = lru_cache(maxsize=4)(_uniform)


def combinations(counts: Integers) -> int:
    """In how many ways one reference per segment can be chosen (math.inf is a billion here)."""
    product = 1
    for count in counts[counts > 1].tolist():
        product *= count
        if product > 10**9:
            return 10**9
    return product


def all_draws(counts: Integers) -> Iterator[Integers]:
    """Blocks (choices × segments) of every choice of references there is."""
    free = np.flatnonzero(counts > 1)
    every = itertools.product(*(range(count) for count in counts[free].tolist()))
    step = max(1, _BLOCK_CELLS // max(1, len(counts)))
    while block := list(itertools.islice(every, step)):
        chosen = np.zeros((len(block), len(counts)), dtype=np.int64)
        chosen[:, free] = np.array(block, dtype=np.int64).reshape(len(block), len(free))
        yield chosen


def drawn_sums(values: Integers, offsets: Integers, draws: Iterator[Integers], weights: Integers) -> Iterator[Floats]:
    """Sums (samples × draws × columns) of the drawn rows, for weights samples × segments, block by block.

    Exact: every partial sum is an integer that the floating-point type holds.
    """
    first = values[offsets[:-1]]
    spread = np.maximum.reduceat(values, offsets[:-1]) != np.minimum.reduceat(values, offsets[:-1])
    varying = np.flatnonzero(spread.any(axis=1))
    largest = weights @ np.maximum.reduceat(values, offsets[:-1]).max(axis=1)
    exact = np.float32 if largest.max(initial=0) < 1 << 24 else np.float64
    constant = np.delete(weights, varying, axis=1) @ np.delete(first, varying, axis=0)
    changing = np.ascontiguousarray(weights[:, varying], dtype=exact)
    rows = values.astype(exact)
    columns = values.shape[1]
    step = max(1, _BLOCK_CELLS // max(1, max(len(varying), len(weights)) * columns))
    for block in draws:
        chosen = np.ascontiguousarray((offsets[:-1] + block)[:, varying].T)
        for start in range(0, len(block), step):
            piece = rows[chosen[:, start : start + step]]
            sums = changing @ piece.reshape(len(varying), -1)
            yield constant[:, None, :] + sums.reshape(len(weights), -1, columns).astype(np.float64)


def moments(values: Integers, offsets: Integers, weights: Integers) -> tuple[Floats, Floats]:
    """Means (samples × columns) and covariances (samples × columns × columns) of the drawn sums."""
    counts = np.diff(offsets)
    mean = np.add.reduceat(values, offsets[:-1]) / counts[:, None]
    apart = values - np.repeat(mean, counts, axis=0)
    products = apart[:, :, None] * apart[:, None, :]
    covariance = np.add.reduceat(products, offsets[:-1]) / counts[:, None, None]
    # A segment that counts w times counts with one and the same reference: its variance grows by w².
    return weights @ mean, np.tensordot(np.square(weights).astype(float), covariance, axes=1)


def normal_quantile(level: float = 0.95) -> float:
    """Half the width of a normal interval in standard deviations."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + level / 2) if level < 1 else math.inf
