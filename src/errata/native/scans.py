"""Choosing one reference per segment, by running totals, for many samples at once.

Segments are visited in order. The rows of a segment compete by the score of the totals with the row added.
The metrics differ only in this score and in how ties are decided:

- M2: F_β of correct, proposed and gold edits; `factors` is β. More correct edits win a tie, then less mass.
- ROUNDED_F: F_β of true positives, false positives and false negatives, rounded to four decimals as the
  official ERRANT and CLEME print it; `factors` is β². CLEME has two columns of false positives and one of
  true negatives besides. More true positives win a tie, then fewer false positives, then fewer false
  negatives.
- WEIGHTED: CLEME2's weighted sum of four rates; `factors` are the weights. Ties are decided as before.

So that no platform rounds otherwise, rounded scores are compared as numbers of ten-thousandths.
"""

from typing import Any

import cython
import numpy as np

M2, ROUNDED_F, WEIGHTED = 0, 1, 2  # rules
_M2 = cython.declare(cython.int, 0)
_WEIGHTED = cython.declare(cython.int, 2)

# Whether Python rounds (10 n + 5) / 100000 to four decimals upwards.
_UPWARDS = np.array(
    [round((10 * n + 5) / 100000.0, 4) > n / 10000.0 + 5e-5 for n in range(10000)], dtype=np.int8
)


def scan(
    values: Any,  # rows × columns
    offsets: cython.longlong[::1],  # the rows of segment i are offsets[i]:offsets[i + 1]
    weights: cython.longlong[:, ::1],  # samples × segments: how many times in a row each is visited
    totals: Any,  # samples × columns: before the first segment; replaced by those after the last one
    rule: cython.int,
    factors: Any,
) -> None:
    """Add the counts of the chosen rows to the totals of every sample."""
    chooser: Chooser = Chooser(values, offsets, rule, factors)
    sums_array = np.array(totals, dtype=np.float64)
    sums: cython.double[:, ::1] = sums_array
    with cython.nogil:
        for sample in range(weights.shape[0]):
            chooser.totals = sums[sample]
            for segment in range(weights.shape[1]):
                chooser.visit(segment, weights[sample, segment])
    totals[:] = sums_array


def choose(
    values: Any, offsets: cython.longlong[::1], running: cython.bint, rule: cython.int, factors: Any
) -> Any:
    """The row chosen for every segment, with running totals or each by itself; -1 where it has none."""
    chooser: Chooser = Chooser(values, offsets, rule, factors)
    rows = np.empty(offsets.shape[0] - 1, dtype=np.int64)
    chosen: cython.longlong[::1] = rows
    with cython.nogil:
        for segment in range(chosen.shape[0]):
            chosen[segment] = chooser.best(segment)
            if running and chosen[segment] >= 0:
                chooser.add(chosen[segment], 1)
    return rows


def scan_swaps(
    values: Any,
    offsets: cython.longlong[::1],  # open segments, 2i of the first system, 2i + 1 of the second
    swaps: cython.uchar[:, ::1],  # samples × open segments: 1 where the systems change places
    moved: cython.longlong[:, ::1],  # (1 + open segments) × samples: three sums in one number, of the others
    fixed: cython.longlong[:, ::1],  # (1 + open segments) × 6: the others' counts where nothing is swapped
    rule: cython.int,
    factors: Any,
) -> Any:
    """Totals of both systems for every sample (samples × 6), with some of their segments swapped.

    Only segments that are still open choose a row; what lies between them comes as sums.
    """
    side: cython.Py_ssize_t
    sign: cython.longlong
    packed: cython.longlong
    column: cython.Py_ssize_t
    segments: cython.Py_ssize_t = swaps.shape[1]
    chooser: Chooser = Chooser(values, offsets, rule, factors)
    sums_array = np.zeros((2 * swaps.shape[0], 3))
    sums: cython.double[:, ::1] = sums_array
    with cython.nogil:
        for sample in range(swaps.shape[0]):
            for side in range(2):
                chooser.totals = sums[2 * sample + side]
                sign = 1 - 2 * side
                for segment in range(segments + 1):
                    packed = moved[segment, sample]
                    for column in range(3):
                        count = ((packed + 1048576) & 2097151) - 1048576 if column < 2 else packed
                        chooser.totals[column] += fixed[segment, 3 * side + column] + sign * count
                        packed = (packed - count) >> 21
                    if segment < segments:
                        chooser.visit(2 * segment + (swaps[sample, segment] ^ side), 1)
    return sums_array.astype(np.int64).reshape(-1, 6)


@cython.final
@cython.cclass
class Chooser:
    """The rows of segments, the rule that chooses among them, and running totals."""

    values: cython.double[:, ::1]
    offsets: cython.longlong[::1]
    rule: cython.int
    factors: cython.double[::1]
    upwards: cython.schar[::1]
    totals: cython.double[::1]
    wide: cython.bint  # CLEME's five columns: a second one of false positives, and true negatives

    def __init__(self, values: Any, offsets: Any, rule: int, factors: Any) -> None:
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self.offsets = offsets
        self.rule = rule
        self.factors = np.array(factors, dtype=np.float64).reshape(-1)
        self.upwards = _UPWARDS
        self.totals = np.zeros(values.shape[1])
        self.wide = values.shape[1] == 5

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def add(self, row: cython.Py_ssize_t, times: cython.longlong) -> cython.int:
        """Add a row to the totals."""
        for column in range(self.totals.shape[0]):
            self.totals[column] += times * self.values[row, column]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def visit(self, segment: cython.Py_ssize_t, times: cython.longlong) -> cython.int:
        """Choose a row several times, and add it each time."""
        rows: cython.longlong = self.offsets[segment + 1] - self.offsets[segment]
        if rows == 1:
            return self.add(self.offsets[segment], times)
        for _ in range(times if rows else 0):
            self.add(self.best(segment), 1)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def best(self, segment: cython.Py_ssize_t) -> cython.longlong:
        """The row with the largest score, of equals the first one; -1 if there is none."""
        first: cython.longlong = self.offsets[segment]
        chosen: cython.longlong = first
        best_score: cython.double = 0.0
        if self.offsets[segment + 1] - first < 2:
            return first if first < self.offsets[segment + 1] else -1
        for row in range(first, self.offsets[segment + 1]):
            score = self._score(row)
            if row == first or score > best_score or (score == best_score and self._wins_tie(row, chosen)):
                chosen = row
                best_score = score
        return chosen

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _score(self, row: cython.Py_ssize_t) -> cython.double:
        """The score of the totals with a row added; a rounded one in ten-thousandths."""
        tp: cython.double = self.totals[0] + self.values[row, 0]
        fp: cython.double = self.totals[1] + self.values[row, 1]
        fn: cython.double = self.totals[2] + self.values[row, 2]
        if self.rule == _M2:
            mass = self._mass(row)
            if mass == 0.0:
                return 1.0 if tp == 0.0 else 0.0
            return (1.0 + self.factors[0] * self.factors[0]) * tp / mass
        if self.wide:
            unneeded = fn
            fn = self.totals[3] + self.values[row, 3]
            if self.rule == _WEIGHTED:
                needed = tp + fp + fn
                hit = self.factors[0] * _share(tp, needed, 0.0)
                err = self.factors[1] * (1.0 - _share(fp, needed, 0.0))
                und = self.factors[2] * (1.0 - _share(fn, needed, 0.0))
                return hit + err + und + self.factors[3] * (1.0 - _share(unneeded, tp + fp + unneeded, 0.0))
            fp += unneeded
        p = _share(tp, tp + fp, 1.0)
        r = _share(tp, tp + fn, 1.0)
        f = _share((1.0 + self.factors[0]) * p * r, self.factors[0] * p + r, 0.0)
        if f >= 1.0:
            return 10000.0
        below = cython.cast(cython.longlong, f * 10000.0)
        tie = (10 * below + 5) / 100000.0
        return below + 1.0 if f > tie or (f == tie and self.upwards[below]) else below

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _mass(self, row: cython.Py_ssize_t) -> cython.double:
        """β² times the gold edits plus the proposed ones, with a row added to the totals."""
        beta: cython.double = self.factors[0]
        proposed: cython.double = self.totals[1] + self.values[row, 1]
        return beta * beta * (self.totals[2] + self.values[row, 2]) + proposed

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _wins_tie(self, row: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.int:
        """Whether a row wins against another one of the same score."""
        gain: cython.double = self.values[row, 0] - self.values[other, 0]
        if gain == 0.0 and self.rule == _M2:
            gain = self._mass(other) - self._mass(row)
        elif gain == 0.0 and self.wide:
            gain = self.values[other, 1] + self.values[other, 2]
            gain -= self.values[row, 1] + self.values[row, 2]
            if gain == 0.0:
                gain = self.values[other, 3] - self.values[row, 3]
            if gain == 0.0:
                gain = self.values[row, 4] - self.values[other, 4]
        elif gain == 0.0:
            gain = self.values[other, 1] - self.values[row, 1]
            if gain == 0.0:
                gain = self.values[other, 2] - self.values[row, 2]
        return 1 if gain > 0.0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=True)
def _share(part: cython.double, whole: cython.double, of_nothing: cython.double) -> cython.double:
    return part / whole if whole > 0.0 else of_nothing


def moved_sums(
    octets: cython.uchar[:, ::1], moved: cython.longlong[::1], left_out: cython.longlong[::1]
) -> Any:
    """Per sample, the sums over swapped segments before, between and after those that are left out.

    `octets` (octets × samples) has a bit for each segment, the first of eight in the highest bit; `moved` has
    what a segment adds if it is swapped. Eight segments have 256 sums: each sample looks up its own.
    """
    sum_array = np.zeros((left_out.shape[0] + 1, octets.shape[1]), dtype=np.int64)
    sums: cython.longlong[:, ::1] = sum_array
    table: cython.longlong[::1] = np.zeros(256, dtype=np.int64)
    run: cython.longlong = 0
    entries: cython.longlong
    with cython.nogil:
        for octet in range(octets.shape[0]):
            begin = 8 * octet
            end = min(begin + 8, moved.shape[0])
            while begin < end:
                stop = left_out[run] if run < left_out.shape[0] and left_out[run] < end else end
                if stop < begin:
                    raise ValueError("segments that do not ascend")
                entries = 1
                for bit in range(stop - begin):
                    for entry in range(entries):
                        table[entries + entry] = table[entry] + moved[stop - 1 - bit]
                    entries *= 2
                if entries > 1:
                    shift = cython.cast(cython.int, 8 * octet + 8 - stop)
                    mask = cython.cast(cython.int, entries - 1)
                    for sample in range(octets.shape[1]):
                        sums[run, sample] += table[(octets[octet, sample] >> shift) & mask]
                begin = stop
                if stop < end:  # at a segment that is left out
                    run += 1
                    begin += 1
    return sum_array
