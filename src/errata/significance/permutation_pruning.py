"""Fast permutations of metrics with running totals: most choices are the same in every permutation.

Rows of a segment compete by F_β = (1 + β²)·C / M of the totals with the row added: C hits and a mass M,
which is β² times the gold edits plus the proposed ones. Row o beats row r after totals (C, M) if

    (C + c_o)(M + m_r) − (C + c_r)(M + m_o) = C·(m_r − m_o) + M·(c_o − c_r) + c_o·m_r − c_r·m_o > 0.

This is linear in the totals, which are sums of one row of every earlier segment, of either system. The
minimum over all permutations is therefore a sum of minima. If it is above 0, row r is never chosen. For the
systems of CoNLL-2014, this decides all but about ten of 1,312 segments. The counts of decided segments only
need to be added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from errata.array_types import Booleans, Floats, Integers, Numbers
from errata.native import scans
from errata.significance.permutation import Swapper, Swaps, SystemPairs

if TYPE_CHECKING:
    from errata.metrics.statistics import Statistics

_FIELD = 1 << 21  # three counts are packed into one number; the size of each stays below half of this
_MAX_SUM = 1 << 19  # largest sum of the counts in a run of decided segments
_MAX_CELLS = 1 << 21  # cells of a matrix
_EXACT = 1e5  # below these totals, rows with different F differ by far more than the rounding error
_ROUNDING = 1e-13  # far above the relative rounding error of F

_PLACE_VALUES = np.array([1, _FIELD, _FIELD**2])

Rule = tuple[int, float]  # one of those in `scans`, with its factor


def running_swapper(
    systems: Sequence[Statistics], unused: Sequence[Booleans], rule: Rule, score: Callable[[Numbers], Floats]
) -> Swapper:
    """Swap systems whose rows `unused` are never chosen; `rule` chooses among the others.

    `score` turns totals into scores.
    """
    kept = [
        statistics.without(rows) if rows.any() else statistics
        for statistics, rows in zip(systems, unused, strict=True)
    ]
    is_open = [statistics.counts > 1 for statistics in kept]
    single = [_single_rows(statistics) for statistics in kept]

    def scores(swaps: Swaps, pairs: SystemPairs) -> Floats:
        octets = np.ascontiguousarray(np.packbits(swaps, axis=1).T)
        swapped = np.empty((len(swaps), len(pairs), 2))
        for number, (first, second) in enumerate(pairs):
            change = single[second] - single[first]
            scanned = _scanned_segments(is_open[first] | is_open[second], change)
            moved = scans.moved_sums(octets, change @ _PLACE_VALUES, scanned)
            fixed = np.concatenate([_sums_between(single[i], scanned) for i in (first, second)], axis=1)
            both = kept[first].select(scanned).interleaved(kept[second].select(scanned))
            taken = np.take(swaps, scanned, axis=1)
            totals = scans.scan_swaps(both.values, both.offsets, taken, moved, fixed, *rule)
            swapped[:, number] = score(totals.reshape(-1, 3)).reshape(-1, 2)
        return swapped

    return scores


def never_chosen(
    systems: Sequence[Statistics], forms: Sequence[Floats], ties: Sequence[Numbers] | None = None
) -> list[Booleans]:
    """For every system, the rows that another row beats in every permutation.

    `forms` has the hits and the mass of every row. If scores are rounded before they are compared, `ties` has
    keys that break ties, the most important first; the larger key wins, then the first row. F must not fall
    as a key grows. A row is beaten only by a row that also wins ties.
    """
    if any(((form < 0) | ((form[:, 1:] == 0) & (form[:, :1] > 0))).any() for form in forms):
        return [np.zeros(len(form), dtype=bool) for form in forms]  # F is defined differently for a mass of 0
    sizes = [
        _extremes(statistics, form.sum(axis=1)[:, None], np.maximum)
        for statistics, form in zip(systems, forms, strict=True)
    ]
    reach = float(np.max(sizes, axis=0).sum())  # upper bound of all totals
    contests = [
        _contests(statistics, form, None if ties is None else ties[number], reach)
        for number, (statistics, form) in enumerate(zip(systems, forms, strict=True))
    ]
    owners = np.repeat(np.arange(len(systems)), [len(contest[0]) for contest in contests])
    losers, segments, directions, constants = (
        np.concatenate([contest[part] for contest in contests]) for part in range(4)
    )
    directions, which = np.unique(directions, axis=0, return_inverse=True)
    which = which.reshape(-1)
    slack = _ROUNDING * reach * (reach + len(systems[0]) * np.abs(directions).sum(axis=1))
    beaten = [np.zeros(len(form), dtype=bool) for form in forms]
    step = max(1, _MAX_CELLS // max(map(len, forms), default=1))
    for start in range(0, len(directions), step):
        some = directions[start : start + step]
        least = _least_before(systems, forms, some)
        here = (which >= start) & (which < start + len(some))
        wins = least[segments[here], which[here] - start] + constants[here] > slack[which[here]]
        for number, rows in enumerate(beaten):
            rows[losers[here][wins & (owners[here] == number)]] = True
    return beaten


def never_chosen_by_f(
    systems: Sequence[Statistics], counts: Sequence[Numbers], beta: float
) -> list[Booleans]:
    """The same for rounded F_β; `counts` are true positives, false positives and false negatives by row."""
    forms, ties = [], []
    for tp, fp, fn in (rows.T for rows in counts):
        forms.append(np.stack([tp, beta**2 * (tp + fn) + tp + fp], axis=1))
        ties.append(np.stack([tp, -fp, -fn], axis=1))
    return never_chosen(systems, forms, ties)


def _contests(
    statistics: Statistics, form: Floats, ties: Numbers | None, reach: float
) -> tuple[Integers, Integers, Floats, Floats]:
    """Every row against every other row of its segment: the loser, its segment, and when it is beaten."""
    row, other = statistics.rivals()
    possible = row != other
    certain = np.zeros(len(row), dtype=bool)
    if ties is not None:
        larger, equal = _ordered(ties[other], ties[row])
        possible = larger | (equal & (other < row))
        # With larger totals, rounding of F could hide that one row is at least as good in every respect.
        certain = equal | ((ties[other] >= ties[row]).all(axis=1) & (reach < _EXACT))
    row, other, certain = row[possible], other[possible], certain[possible]
    (c_row, m_row), (c_other, m_other) = form[row].T, form[other].T
    segment = np.repeat(np.arange(len(statistics)), statistics.counts)[row]
    direction = np.stack([m_row - m_other, c_other - c_row], axis=1)
    return row, segment, direction, np.where(certain, np.inf, c_other * m_row - c_row * m_other)


def _ordered(keys: Numbers, others: Numbers) -> tuple[Booleans, Booleans]:
    """Where keys are larger than others, and where equal; the first key is the most important."""
    larger, equal = np.zeros(len(keys), dtype=bool), np.ones(len(keys), dtype=bool)
    for key, other in zip(keys.T, others.T, strict=True):
        larger |= equal & (key > other)
        equal &= key == other
    return larger, equal


def _least_before(systems: Sequence[Statistics], forms: Sequence[Floats], directions: Floats) -> Floats:
    """The minimum of each linear form of the totals before a segment (segments × directions)."""
    minima = (
        _extremes(statistics, form @ directions.T, np.minimum)
        for statistics, form in zip(systems, forms, strict=True)
    )
    least = reduce(np.minimum, minima)
    before = np.zeros_like(least)
    np.cumsum(least[:-1], axis=0, out=before[1:])
    return before


def _extremes(statistics: Statistics, values: Floats, extreme: np.ufunc) -> Floats:
    """The minimum or maximum of every segment's rows; 0 for a segment without rows."""
    padded = np.concatenate([values, np.zeros((1, values.shape[1]))])
    values_by_segment: Floats = extreme.reduceat(padded, statistics.offsets[:-1])
    values_by_segment[statistics.counts == 0] = 0.0
    return values_by_segment


def _single_rows(statistics: Statistics) -> Integers:
    """The row of every segment with a single row; zeros for the others."""
    rows = np.zeros((len(statistics), 3), dtype=np.int64)
    one = statistics.counts == 1
    rows[one] = statistics.values[statistics.offsets[:-1][one]]
    return rows


def _scanned_segments(is_open: Booleans, change: Integers) -> Integers:
    """Segments to scan: the open ones, and some others, so that no sum becomes too large for its field."""
    size = np.abs(change).max(axis=1)
    full = np.cumsum(size) // _MAX_SUM
    return np.flatnonzero(is_open | (np.diff(full, prepend=0) > 0))


def _sums_between(rows: Integers, scanned: Integers) -> Integers:
    """Sums of the rows before, between and after the scanned segments."""
    sums = np.concatenate([np.zeros((1, rows.shape[1]), dtype=np.int64), np.cumsum(rows, axis=0)])
    begin, end = np.concatenate([[0], scanned + 1]), np.concatenate([scanned, [len(rows)]])
    return np.asarray(sums[end] - sums[begin])
