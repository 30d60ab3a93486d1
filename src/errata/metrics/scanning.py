"""Choosing one reference per segment: by running totals, for many samples at once, or per segment alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np

from errata.kernels import ranks
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics

_MORE = 4  # times as many keys where fewer do not decide
Better = Callable[[Numbers, Numbers], Iterable[Floats]]  # keys of totals and rows, most important first


def scan_totals(statistics: Statistics, weights: Integers, totals: Numbers, better: Better) -> None:
    """Add to every sample's totals, in place, the rows that are best together with the totals before them.

    A segment of weight w is visited w times in a row. Of equally good references the first is chosen.
    """
    for segment in range(len(statistics)):
        rows = _rows(statistics, segment)
        weight = weights[:, segment]
        if len(rows) <= 1:
            totals += weight[:, None] * rows.sum(axis=0)
            continue
        for times in range(int(weight.max(initial=0))):
            samples = np.flatnonzero(weight > times)
            options = totals[samples, None] + rows
            best = _best(better(options, np.broadcast_to(rows, options.shape)))
            totals[samples] = options[np.arange(len(samples)), best]


def choose_running(statistics: Statistics, better: Better) -> Integers:
    """The row chosen for every segment in one run over the corpus; −1 where a segment has no row."""
    chosen = np.full(len(statistics), -1, dtype=np.int64)
    totals = np.zeros(statistics.values.shape[1], dtype=statistics.values.dtype)
    for segment in range(len(statistics)):
        rows = _rows(statistics, segment)
        if len(rows):
            options = totals + rows
            best = int(_best([key[None] for key in better(options, rows)])[0]) if len(rows) > 1 else 0
            chosen[segment] = statistics.offsets[segment] + best
            totals = options[best]
    return chosen


def choose_alone(statistics: Statistics, better: Better, keys: int = 1) -> Integers:
    """The best row of every segment by itself; −1 where a segment has none.

    A generator is asked for so many keys, and for more only where different rows tie.
    """
    chosen = np.full(len(statistics), -1, dtype=np.int64)
    if not len(statistics.values):
        return chosen
    given = better(statistics.values, statistics.values)
    lines = given if isinstance(given, Sequence) else [*islice(given, keys)]
    tied = np.empty(len(statistics), dtype=np.bool_)
    values = np.ascontiguousarray(statistics.values).view(np.int64)  # whatever they are: to tell rows apart
    table = np.concatenate(lines, dtype=np.float64).reshape(len(lines), -1)
    ranks.best_rows(values, table, statistics.offsets, chosen, tied.view(np.uint8))
    if lines is not given and len(lines) == keys and tied.any():
        among = np.flatnonzero(tied)
        some = statistics.select(among)
        rows = choose_alone(some, better, _MORE * keys)
        chosen[among] = statistics.offsets[among] + rows - some.offsets[:-1]
    return chosen


def _best(keys: Iterable[Floats]) -> Integers:
    """The place of the best in the last axis; of equals the first."""
    # what is not a number is the worst: sorting would take it for the best
    first, *rest = (np.where(np.isnan(key), -np.inf, key) for key in keys)
    place = np.broadcast_to(-np.arange(first.shape[-1]), first.shape)
    best: Integers = np.lexsort((place, *reversed(rest), first), axis=-1)[..., -1]
    return best


def _rows(statistics: Statistics, segment: int) -> Numbers:
    return statistics.values[statistics.offsets[segment] : statistics.offsets[segment + 1]]
