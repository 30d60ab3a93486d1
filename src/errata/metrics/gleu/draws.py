"""One reference per segment, drawn at random: the official draws of GLEU+, and all draws at once.

With k references, a drawn row is the first one plus those differences between neighbouring rows that the
draw has reached. Whether it has depends on the draw and the place in the corpus alone, so the same bits
serve every system and every bootstrap sample; a kernel adds up the differences where they are set.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.errors import ErrataError
from errata.kernels import draws, swapping
from errata.metrics.statistics import Floats, Integers, Numbers
from errata.text.numbering import distinct

SEED_STEP = 101  # iteration j of the official program seeds its generator with 101·j
BLOCK_CELLS = 1 << 21  # of a matrix at a time: bounds memory, changes nothing

Level = tuple[int, int]  # a number of references, and one of them that is not the first
Octets = npt.NDArray[np.uint8]


def _levels(counts: Integers) -> tuple[Level, ...]:
    """What draws can reach in segments with so many references each."""
    several = distinct(counts[counts > 1])[0].tolist()
    return tuple((count, level) for count in several for level in range(1, count))


class _Generators:
    """The generators of the official program for some of its iterations.

    Iteration j has `random.Random(101 * j)`. Python 2's `randint(0, k - 1)` is `int(random() * k)`, one
    number per place even where k is 1.
    """

    def __init__(self, start: int, stop: int) -> None:
        self._states = np.empty((stop - start, 625), dtype=np.uint32)
        if stop * SEED_STEP > 1 << 32:
            raise ErrataError(f"{stop:,} iterations, and at most {(1 << 32) // SEED_STEP:,} have a seed")
        begin: Any = draws.seed  # typed for Cython
        begin(np.arange(start, stop, dtype=np.uint32) * np.uint32(SEED_STEP), self._states)

    def reached(self, places: int, levels: Sequence[Level]) -> Octets:
        """Which draws reach each level at the next places: octets of eight places × draws, by level."""
        octets = np.zeros((len(levels) * -(-places // 8), len(self._states)), dtype=np.uint8)
        counts, numbers = np.array(levels, dtype=np.int64).reshape(-1, 2).T.copy()
        reach: Any = draws.reach
        reach(self._states, places, counts, numbers, octets)
        return octets


def _official(start: int, stop: int, places: int, levels: Sequence[Level]) -> Octets:
    return _Generators(start, stop).reached(places, levels)


_kept_draws = lru_cache(maxsize=2)(_official)  # several systems are scored on one corpus


def prepare_draws(iterations: int, counts: Integers) -> None:
    """Make the draws that `drawn_sums` keeps for a corpus with so many references per segment."""
    levels = _levels(counts)
    if levels and iterations * len(counts) <= BLOCK_CELLS:
        _kept_draws(0, iterations, len(counts), levels)


class _Differences:
    """What each level adds to the rows of every segment, with several columns in one number."""

    def __init__(self, values: Numbers, offsets: Integers, levels: Sequence[Level], places: int) -> None:
        """`places` is the number of rows that are added up at most."""
        largest = int(values.max(initial=0)) * places
        per = max(1, 64 // (largest.bit_length() + 1))  # one bit for the sign
        self._bits, self._columns = 64 // per, values.shape[1]
        packing = np.zeros((self._columns, -(-self._columns // per)), dtype=np.int64)
        for column, row in enumerate(packing):
            row[column // per] = 1 << (column % per * self._bits)
        words = values @ packing
        counts = np.diff(offsets)
        self._added = np.zeros((words.shape[1], len(levels), len(counts) + 1), dtype=np.int64)
        for number, (count, level) in enumerate(levels):
            having = np.flatnonzero(counts == count)
            rows = offsets[having] + level
            self._added[:, number, having] = (words[rows] - words[rows - 1]).T

    def sums(self, octets: Octets, layout: Integers) -> Integers:
        """Sums (draws × columns) over the segments that stand at the places of all octets."""
        placed = self._added.take(layout, axis=2).reshape(len(self._added), -1)
        words = np.empty((len(placed), 1, octets.shape[1]), dtype=np.int64)
        none, table = np.empty(0, dtype=np.int64), np.empty(256, dtype=np.int64)
        add: Any = swapping.moved_sums  # typed for Cython
        for moved, word in zip(placed, words, strict=True):
            add(octets, moved, none, table, word)
        return self._unpacked(words[:, 0])

    def _unpacked(self, words: Integers) -> Integers:
        found = np.empty((words.shape[1], self._columns), dtype=np.int64)
        per, rest = 64 // self._bits, 64 - self._bits
        for column in range(self._columns):
            word = words[column // per]
            found[:, column] = word << rest >> rest  # with its sign
            word -= found[:, column]
            word >>= self._bits
        return found


def _layout(weights: Integers, places: int) -> Integers:
    """Which segment stands at each place of whole octets; behind the last one, none (their number)."""
    layout = np.full(8 * -(-places // 8), len(weights))
    segments = np.repeat(np.arange(len(weights)), weights)
    layout[: len(segments)] = segments
    return layout


def drawn_sums(values: Numbers, offsets: Integers, weights: Integers, iterations: int) -> Iterator[Floats]:
    """Sums (samples × draws × columns) of the rows that the official program draws, in blocks of draws.

    A sample is the corpus in which each segment stands as often in a row as its weight says.
    """
    first = offsets[:-1]
    places = int(weights.sum(axis=1).max(initial=0))
    levels = _levels(np.diff(offsets))
    differences = _Differences(values, offsets, levels, places)
    constant = (weights @ values[first]).astype(np.float64)[:, None, :]
    step = max(1, BLOCK_CELLS // max(1, places))
    reached = _kept_draws if iterations * places <= BLOCK_CELLS else _official
    for start in range(0, iterations, step):
        stop = min(start + step, iterations)
        sums = np.repeat(constant, stop - start, axis=1)
        if levels:
            octets = reached(start, stop, places, levels)
            for sample, row in zip(sums, weights, strict=True):
                sample += differences.sums(octets, _layout(row, places))
        yield sums


class DrawnOn:
    """The same sums for segments that come in pieces: the generators go on where they stopped."""

    def __init__(self, iterations: int) -> None:
        self._iterations = iterations
        self._generators: _Generators | None = None
        self._passed = 0  # places without a choice before the generators are needed at all
        self._constant: Integers | int = 0
        self._drawn: Integers | int = 0

    def add(self, values: Numbers, offsets: Integers) -> None:
        counts, first = np.diff(offsets), offsets[:-1]
        self._constant = self._constant + values[first].sum(axis=0)
        if self._generators is None:
            if (counts == 1).all():
                self._passed += len(counts)
                return
            self._generators = _Generators(0, self._iterations)
            self._generators.reached(self._passed, ())
        levels = _levels(counts)
        octets = self._generators.reached(len(counts), levels)
        if levels:
            layout = _layout(np.ones_like(counts), len(counts))
            differences = _Differences(values, offsets, levels, len(counts))
            self._drawn = self._drawn + differences.sums(octets, layout)

    def sums(self) -> Floats:
        """Sums (draws × columns); a single draw where there was nothing to choose."""
        sums: Floats = np.atleast_2d(self._constant + self._drawn).astype(np.float64)
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
