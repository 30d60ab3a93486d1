"""One reference per segment, drawn at random: the official draws of GLEU+, and all draws at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

from errata.metrics.base import Floats, Integers

SEED_STEP = 101  # iteration j of the official program seeds its generator with 101·j
MOST_COMBINATIONS = 4096  # as many choices of references are enumerated one by one
_BLOCK_CELLS = 1 << 20  # choices looked at together: bounds memory, changes nothing
_CACHED_CELLS = 1 << 21


def official_draws(counts: Integers, iterations: int) -> Iterator[Integers]:
    """Blocks (segments × iterations) of the references that the official program draws, from 0.

    Python 2's `randint(0, k - 1)` is `int(random() * k)`, one number per segment even where k is 1.
    """
    step = max(1, _BLOCK_CELLS // max(1, len(counts)))
    draw = _cached_draws if iterations * len(counts) <= _CACHED_CELLS else _draws
    for start in range(0, iterations, step):
        yield draw(counts.tobytes(), start, min(start + step, iterations))


def _draws(counts: bytes, start: int, stop: int) -> Integers:
    choices = np.frombuffer(counts, dtype=np.int64)
    drawn = np.empty((len(choices), stop - start), dtype=np.int64)
    generator = np.random.RandomState()
    for column, iteration in enumerate(range(start, stop)):
        generator.seed([iteration * SEED_STEP])  # a list is hashed as `random.seed` hashes its integer
        drawn[:, column] = generator.random_sample(len(choices)) * choices
    return drawn


_cached_draws = lru_cache(maxsize=4)(_draws)  # several systems are scored on one corpus


def combinations(counts: Integers) -> int:
    """In how many ways one reference per segment can be chosen; never more than a billion."""
    product = 1
    for count in counts[counts > 1].tolist():
        product *= count
        if product > 10**9:
            return 10**9
    return product


def all_draws(counts: Integers) -> Iterator[Integers]:
    """Blocks (segments × choices) of every choice of references there is."""
    free = np.flatnonzero(counts > 1)
    every = itertools.product(*(range(count) for count in counts[free].tolist()))
    step = max(1, _BLOCK_CELLS // max(1, len(counts)))
    while block := list(itertools.islice(every, step)):
        chosen = np.zeros((len(counts), len(block)), dtype=np.int64)
        chosen[free] = np.array(block, dtype=np.int64).reshape(len(block), len(free)).T
        yield chosen


def drawn_sums(
    values: Integers, offsets: Integers, draws: Iterable[Integers], weights: Integers
) -> Iterator[Floats]:
    """Sums (samples × draws × columns) of the drawn rows, for weights samples × segments, block by block.

    Exact: every partial sum is an integer that the floating-point type holds.
    """
    first = offsets[:-1]
    most, least = np.maximum.reduceat(values, first), np.minimum.reduceat(values, first)
    changes = (most != least).any(axis=1)
    largest = int((weights @ most.max(axis=1)).max(initial=0))
    exact = np.float32 if largest < 1 << 24 else np.float64
    constant = (weights[:, ~changes] @ values[first[~changes]])[:, None, :].astype(np.float64)
    changing = np.ascontiguousarray(weights[:, changes], dtype=exact)
    rows = values.astype(exact)
    columns = values.shape[1]
    step = max(1, _BLOCK_CELLS // max(1, max(changing.shape) * columns))
    for block in draws:
        chosen = block[changes]
        chosen += first[changes, None]
        for start in range(0, chosen.shape[1], step):
            piece = rows.take(chosen[:, start : start + step], axis=0)
            sums = changing @ piece.reshape(len(piece), piece.shape[1] * columns)
            yield constant + sums.reshape(len(weights), -1, columns)


def moments(values: Integers, offsets: Integers, weights: Integers) -> tuple[Floats, Floats]:
    """Means (samples × columns) and covariances (samples × columns × columns) of the drawn sums."""
    counts = np.diff(offsets)
    mean = np.add.reduceat(values, offsets[:-1]) / counts[:, None]
    apart = values - np.repeat(mean, counts, axis=0)
    products = apart[:, :, None] * apart[:, None, :]
    covariance = np.add.reduceat(products, offsets[:-1]) / counts[:, None, None]
    # A segment that counts w times counts with one and the same reference: its variance grows by w².
    return weights @ mean, np.tensordot(np.square(weights).astype(float), covariance, axes=1)
