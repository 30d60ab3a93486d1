"""Permutations of metrics with running totals, of which nearly all choices are the same in every permutation.

Rows of a segment compete by F_β = (1 + β²)·C / M of the totals with the row added: C hits and a mass M,
which is β² times the gold edits plus the proposed ones. Row o beats row r after totals (C, M) if

    (C + c_o)(M + m_r) − (C + c_r)(M + m_o) = C·(m_r − m_o) + M·(c_o − c_r) + c_o·m_r − c_r·m_o > 0.

This is linear in the totals, and these are sums of one row of every segment before, of either system. The
least value in any permutation is therefore a sum of minima; where it is above 0, row r is never chosen. Of
the systems of CoNLL-2014, all but some ten of 1,312 segments are decided in this way, and the counts of
decided segments only have to be added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from errata.kernels import scans
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.swapping import Pairs, Swapper, Swaps

_FIELD = 1 << 21  # three counts in one number: each stays below half of this, whatever its sign
_MOST = 1 << 19  # what the counts of one run of decided segments add up to at most
_CELLS = 1 << 21  # of a matrix at a time
_EXACT = 1e5  # totals below which rows of different F differ by far more than the rounding
_ROUNDING = 1e-13  # far above the relative error of F as it is computed

_PLACE_VALUES = np.array([1, _FIELD, _FIELD**2])
Rows = npt.NDArray[np.bool_]
Rule = tuple[int, float]  # of `errata.kernels.scans`, with its factor


def running_swapper(
    systems: Sequence[Statistics], decided: Sequence[Rows], rule: Rule, score: Callable[[Numbers], Floats]
) -> Swapper:
    """Swap systems whose rows `decided` are never chosen; `rule` chooses among the others.

    `score` computes scores from totals.
    """
    kept = [
        statistics.without(rows) if rows.any() else statistics
        for statistics, rows in zip(systems, decided, strict=True)
    ]
    is_open = [statistics.counts > 1 for statistics in kept]
    single = [_single_rows(statistics) for statistics in kept]

    def scores(swaps: Swaps, pairs: Pairs) -> Floats:
        octets = np.ascontiguousarray(np.packbits(swaps, axis=1).T)
        found = np.empty((len(swaps), len(pairs), 2))
        for number, (first, second) in enumerate(pairs):
            ours, theirs = single[first], single[second]
            left = _left_out(is_open[first] | is_open[second], theirs - ours)
            moved = scans.moved_sums(octets, (theirs - ours) @ _PLACE_VALUES, left)
            fixed = np.concatenate([_between(rows, left) for rows in (ours, theirs)], axis=1)
            both = kept[first].select(left).interleaved(kept[second].select(left))
            taken = np.take(swaps, left, axis=1)
            totals = scans.scan_swaps(both.values, both.offsets, taken, moved, fixed, *rule)
            found[:, number] = score(totals.reshape(-1, 3)).reshape(-1, 2)
        return found

    return scores


def never_chosen(
    systems: Sequence[Statistics], forms: Sequence[Floats], ties: Sequence[Numbers] | None = None
) -> list[Rows]:
    """For every system, the rows that another row beats in whichever permutation.

    `forms` holds hits and mass of every row. Where scores are rounded before they are compared, `ties` holds
    keys that tell rows apart, the most important first; larger ones win a tie, and then the first row. F must
    not fall where a key grows. A row is beaten only by one that also wins ties.
    """
    if any(((form < 0) | ((form[:, 1:] == 0) & (form[:, :1] > 0))).any() for form in forms):
        return [np.zeros(len(form), dtype=bool) for form in forms]  # such a mass of 0 has an F of its own
    sizes = [
        _extremes(statistics, form.sum(axis=1)[:, None], np.maximum)
        for statistics, form in zip(systems, forms, strict=True)
    ]
    reach = float(np.max(sizes, axis=0).sum())  # no totals are larger
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
    step = max(1, _CELLS // max(map(len, forms), default=1))
    for start in range(0, len(directions), step):
        some = directions[start : start + step]
        least = _least_before(systems, forms, some)
        here = (which >= start) & (which < start + len(some))
        wins = least[segments[here], which[here] - start] + constants[here] > slack[which[here]]
        for number, rows in enumerate(beaten):
            rows[losers[here][wins & (owners[here] == number)]] = True
    return beaten


def _contests(
    statistics: Statistics, form: Floats, ties: Numbers | None, reach: float
) -> tuple[Integers, Integers, Floats, Floats]:
    """Every row against every other of its segment: the loser, its segment, and when it is beaten."""
    row, other = statistics.rivals()
    possible = row != other
    surely = np.zeros(len(row), dtype=bool)
    if ties is not None:
        larger, equal = _ordered(ties[other], ties[row])
        possible = larger | (equal & (other < row))
        # with larger totals, the rounding of F might hide that one row is as good in every respect
        surely = equal | ((ties[other] >= ties[row]).all(axis=1) & (reach < _EXACT))
    row, other, surely = row[possible], other[possible], surely[possible]
    (c_row, m_row), (c_other, m_other) = form[row].T, form[other].T
    segment = np.repeat(np.arange(len(statistics)), statistics.counts)[row]
    direction = np.stack([m_row - m_other, c_other - c_row], axis=1)
    return row, segment, direction, np.where(surely, np.inf, c_other * m_row - c_row * m_other)


def _ordered(keys: Numbers, others: Numbers) -> tuple[Rows, Rows]:
    """Where keys come after others, and where they are equal; the first key is the most important."""
    larger, equal = np.zeros(len(keys), dtype=bool), np.ones(len(keys), dtype=bool)
    for ours, theirs in zip(keys.T, others.T, strict=True):
        larger |= equal & (ours > theirs)
        equal &= ours == theirs
    return larger, equal


def _least_before(systems: Sequence[Statistics], forms: Sequence[Floats], directions: Floats) -> Floats:
    """The least value of each linear form (segments × directions) that totals before a segment can have."""
    least: Floats | None = None
    for statistics, form in zip(systems, forms, strict=True):
        lowest = _extremes(statistics, form @ directions.T, np.minimum)
        least = lowest if least is None else np.minimum(least, lowest, out=least)
    assert least is not None
    before = np.zeros_like(least)
    np.cumsum(least[:-1], axis=0, out=before[1:])
    return before


def _extremes(statistics: Statistics, values: Floats, extreme: np.ufunc) -> Floats:
    """The least or largest value of every segment's rows; 0 where it has none."""
    padded = np.concatenate([values, np.zeros((1, values.shape[1]))])
    found: Floats = extreme.reduceat(padded, statistics.offsets[:-1])
    found[statistics.counts == 0] = 0.0
    return found


def _single_rows(statistics: Statistics) -> Integers:
    """The row of every segment that has one; zeros for the others."""
    rows = np.zeros((len(statistics), 3), dtype=np.int64)
    one = statistics.counts == 1
    rows[one] = statistics.values[statistics.offsets[:-1][one]]
    return rows


def _left_out(is_open: Rows, moved: Integers) -> Integers:
    """Open segments, and some more where sums would become too large for their field."""
    size = np.abs(moved).max(axis=1)
    full = np.cumsum(size) // _MOST
    return np.flatnonzero(is_open | (np.diff(full, prepend=0) > 0))


def _between(rows: Integers, left_out: Integers) -> Integers:
    """Sums of the rows before, between and behind the segments that are left out."""
    sums = np.concatenate([np.zeros((1, rows.shape[1]), dtype=np.int64), np.cumsum(rows, axis=0)])
    begin, end = np.concatenate([[0], left_out + 1]), np.concatenate([left_out, [len(rows)]])
    return np.asarray(sums[end] - sums[begin])
