"""One reference per segment, drawn at random: the official draws of GLEU+, and all draws at once.

With k references, a drawn row is the first one plus those differences between neighbouring rows that the
draw has reached. Whether it has depends on the draw and the place in the corpus alone, so the same bits
serve every system and every bootstrap sample; a kernel adds up the differences where they are set.
"""

from __future__ import annotations

import itertools
import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from errata.engine.divided import Divided
from errata.errors import ErrataError
from errata.kernels import bounds, draws
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics

SEED_STEP = 101  # iteration j of the official program seeds its generator with 101·j
BLOCK_CELLS = 1 << 21  # draws × places at a time, where they are not kept
KEPT_OCTETS = 1 << 24  # of the draws on one corpus at most
_AT_A_TIME = 64  # draws that one thread makes, whose octets are beside those of others

Level = tuple[int, int]  # a number of references, and one of them that is not the first
Octets = npt.NDArray[np.uint8]


def _levels(counts: Integers) -> tuple[Level, ...]:
    """What draws can reach in segments with so many references each."""
    several = (np.flatnonzero(np.bincount(counts)[2:]) + 2).tolist()
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
        draws.seed(np.arange(start, stop, dtype=np.uint32) * np.uint32(SEED_STEP), self._states)

    def reached(
        self, places: int, levels: Sequence[Level], octets: Octets | None = None, first: int = 0
    ) -> Octets:
        """Which draws reach each level at the next places: octets of eight places × draws, by level.

        With `octets`, it writes there, from draw `first` on.
        """
        found = _octets(places, levels, len(self._states)) if octets is None else octets
        least = np.array([_least(*level) for level in levels], np.int64)
        draws.reach(self._states, places, least, first, found)
        return found


def _octets(places: int, levels: Sequence[Level], iterations: int) -> Octets:
    return np.empty((len(levels) * -(-places // 8), iterations), dtype=np.uint8)


@lru_cache(maxsize=64)
def _least(count: int, level: int) -> int:
    """The least number of 53 bits that reaches this level as a fraction of `count`."""
    return bisect_left(range(1 << 53), True, key=lambda number: number / (1 << 53) * count >= level)


@lru_cache(maxsize=2)
def _kept_draws(iterations: int, places: int, levels: tuple[Level, ...]) -> Divided[Octets]:
    """All draws at so many places, the same for all systems on a corpus: each part writes those of some."""
    octets = _octets(places, levels, iterations)

    def draw(start: int) -> None:
        _Generators(start, min(start + _AT_A_TIME, iterations)).reached(places, levels, octets, start)

    starts = range(0, iterations, _AT_A_TIME)  # neighbours, which write to the same cache lines, come later
    return Divided([partial(draw, n) for n in (*starts[::2], *starts[1::2])], lambda _: octets)


_keeping = threading.Lock()


def _blocks(iterations: int, places: int, levels: tuple[Level, ...]) -> Iterator[tuple[slice, Octets]]:
    """Which draws reach each level: at all places, or at one block of places after the other where many."""
    if not levels:
        yield slice(places), _octets(places, levels, iterations)
    elif len(levels) * iterations * places <= 8 * KEPT_OCTETS:
        with _keeping:
            kept = _kept_draws(iterations, places, levels)
        yield slice(places), kept()
    else:
        generators, step = _Generators(0, iterations), places_at_a_time(iterations)
        for start in range(0, places, step):
            stop = min(start + step, places)
            yield slice(start, stop), generators.reached(stop - start, levels)


def places_at_a_time(iterations: int) -> int:
    """The size of a block of places: whole octets, so that it bounds memory and changes nothing."""
    return max(8, BLOCK_CELLS // iterations // 8 * 8)


def _add_chosen(
    statistics: Statistics, layout: Integers, levels: Sequence[Level], octets: Octets, sums: Integers
) -> None:
    """Add the rows that each draw chooses at these places; `layout` has the segment at each of them."""
    counts, numbers = np.array(levels, dtype=np.int64).reshape(-1, 2).T.copy()
    values = np.ascontiguousarray(statistics.values)
    draws.add_chosen(values, statistics.offsets, layout, counts, numbers, octets, sums)


def drawn_sums(statistics: Statistics, weights: Integers, iterations: int) -> Floats:
    """Sums (samples × draws × columns) of the rows that the official program draws.

    A sample is the corpus in which each segment stands as often in a row as its weight says. Where there is
    nothing to choose, there is a single draw.
    """
    levels = _levels(statistics.counts)
    layouts = [np.repeat(bounds.counted(len(row)), row) for row in weights]
    sums = np.zeros((len(weights), iterations if levels else 1, len(statistics.columns)), dtype=np.int64)
    for places, octets in _blocks(sums.shape[1], max(map(len, layouts)), levels):
        for sample, layout in zip(sums, layouts, strict=True):
            _add_chosen(statistics, layout[places], levels, octets, sample)
    return sums.astype(np.float64)


class DrawnOn:
    """The same sums for segments that come in pieces: the generators go on where they stopped."""

    def __init__(self, iterations: int, columns: int) -> None:
        self._iterations = iterations
        self._generators: _Generators | None = None
        self._passed = 0  # places without a choice before the generators are needed at all
        self._sums = np.zeros((1, columns), dtype=np.int64)

    def add(self, statistics: Statistics) -> None:
        places, levels = len(statistics), _levels(statistics.counts)
        if self._generators is None and levels:
            self._generators = _Generators(0, self._iterations)
            self._generators.reached(self._passed, ())
            self._sums = np.repeat(self._sums, self._iterations, axis=0)
        self._passed += places
        octets = _octets(places, levels, len(self._sums))
        if self._generators is not None:
            self._generators.reached(places, levels, octets)
        _add_chosen(statistics, bounds.counted(places), levels, octets, self._sums)

    def sums(self) -> Floats:
        """Sums (draws × columns); a single draw where there was nothing to choose."""
        return self._sums.astype(np.float64)


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
