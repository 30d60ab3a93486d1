"""ERRANT: which edits agree, and which annotators are chosen, with running totals, for many samples.

Segments are visited in order. F is compared as the official program prints it, rounded to four decimals. So
that no platform rounds otherwise, it is compared as a number of ten-thousandths; `upwards` says of every tie
which way it goes.
"""

import cython

from errata.kernels import _checks, _metric_checks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _rounded(
    tp: cython.longlong,
    fp: cython.longlong,
    fn: cython.longlong,
    beta2: cython.double,
    upwards: cython.schar[::1],
) -> cython.longlong:
    """F in ten-thousandths."""
    p: cython.double = 1.0
    r: cython.double = 1.0
    if fp != 0:
        p = cython.cast(cython.double, tp) / (tp + fp)
    if fn != 0:
        r = cython.cast(cython.double, tp) / (tp + fn)
    if p + r == 0.0:
        return 0
    f = (1.0 + beta2) * p * r / (beta2 * p + r)
    if f >= 1.0:
        return 10000
    below = cython.cast(cython.longlong, f * 10000.0)
    tie = (10 * below + 5) / 100000.0
    if f < tie:
        return below
    if f > tie:
        return below + 1
    return below + 1 if upwards[below] else below


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _choose(
    values: cython.longlong[:, ::1],
    first: cython.longlong,
    last: cython.longlong,
    tp: cython.longlong,
    fp: cython.longlong,
    fn: cython.longlong,
    beta2: cython.double,
    upwards: cython.schar[::1],
) -> cython.longlong:
    """The row with the largest F; ties by more true, then fewer false positives, then fewer misses."""
    best: cython.longlong = -1
    best_f: cython.longlong = -1
    if last - first == 1:  # no choice
        return first
    for row in range(first, last):
        f = _rounded(tp + values[row, 0], fp + values[row, 1], fn + values[row, 2], beta2, upwards)
        if f < best_f:
            continue
        if f == best_f:
            if values[row, 0] < values[best, 0]:
                continue
            if values[row, 0] == values[best, 0]:
                if values[row, 1] > values[best, 1]:
                    continue
                if values[row, 1] == values[best, 1] and values[row, 2] >= values[best, 2]:
                    continue
        best = row
        best_f = f
    return best


@_checks.checked(_metric_checks.scan)
def scan(
    values: cython.longlong[:, ::1],  # true positives, false positives, false negatives of every row
    offsets: cython.longlong[::1],  # the rows of segment i are offsets[i]:offsets[i + 1]
    weights: cython.longlong[:, ::1],  # samples × segments: how many times in a row each is visited
    beta2: cython.double,
    upwards: cython.schar[::1],
    start: cython.longlong,
    stop: cython.longlong,
    totals: cython.longlong[
        :, ::1
    ],  # samples × 3: those before the first segment, then those behind the last
) -> None:
    """Totals of the samples start:stop, on from what they were."""
    tp: cython.longlong
    fp: cython.longlong
    fn: cython.longlong
    with cython.nogil:
        for sample in range(start, stop):
            tp = totals[sample, 0]
            fp = totals[sample, 1]
            fn = totals[sample, 2]
            for segment in range(weights.shape[1]):
                for visit in range(weights[sample, segment]):
                    row = _choose(values, offsets[segment], offsets[segment + 1], tp, fp, fn, beta2, upwards)
                    if row < 0:
                        break
                    tp += values[row, 0]
                    fp += values[row, 1]
                    fn += values[row, 2]
            totals[sample, 0] = tp
            totals[sample, 1] = fp
            totals[sample, 2] = fn


@_checks.checked(_metric_checks.scan_swaps)
def scan_swaps(
    values: cython.longlong[:, ::1],
    offsets: cython.longlong[::1],  # open segments, 2i of the first system, 2i + 1 of the second
    swaps: cython.uchar[:, ::1],  # samples × open segments: 1 where the systems change places
    moved: cython.longlong[:, ::1],  # (1 + open segments) × samples: three sums in one number, of the others
    fixed: cython.longlong[:, ::1],  # (1 + open segments) × 6: the others' counts where nothing is swapped
    beta2: cython.double,
    upwards: cython.schar[::1],
    start: cython.longlong,
    stop: cython.longlong,
    totals: cython.longlong[:, ::1],  # samples × 6, written: of the first system, then of the second
) -> None:
    """Totals of both systems for the samples start:stop, with some of their segments swapped.

    Only segments that are still open choose an annotator; what lies between them comes as sums.
    """
    side: cython.longlong
    packed: cython.longlong
    tp: cython.longlong
    fp: cython.longlong
    fn: cython.longlong
    segments: cython.longlong = swaps.shape[1]
    with cython.nogil:
        for sample in range(start, stop):
            for side in range(2):
                tp = 0
                fp = 0
                fn = 0
                sign = 1 - 2 * side
                for segment in range(segments + 1):
                    packed = moved[segment, sample]
                    count = ((packed + 1048576) & 2097151) - 1048576
                    tp += fixed[segment, 3 * side] + sign * count
                    packed = (packed - count) >> 21
                    count = ((packed + 1048576) & 2097151) - 1048576
                    fp += fixed[segment, 3 * side + 1] + sign * count
                    fn += fixed[segment, 3 * side + 2] + sign * ((packed - count) >> 21)
                    if segment == segments:
                        break
                    unit = 2 * segment + (swaps[sample, segment] ^ side)
                    row = _choose(values, offsets[unit], offsets[unit + 1], tp, fp, fn, beta2, upwards)
                    if row >= 0:
                        tp += values[row, 0]
                        fp += values[row, 1]
                        fn += values[row, 2]
                totals[sample, 3 * side] = tp
                totals[sample, 3 * side + 1] = fp
                totals[sample, 3 * side + 2] = fn


@_checks.checked(_metric_checks.choose)
def choose(
    values: cython.longlong[:, ::1],
    offsets: cython.longlong[::1],
    beta2: cython.double,
    upwards: cython.schar[::1],
    running: cython.bint,
    chosen: cython.longlong[::1],  # written; -1 where a segment has no rows
) -> None:
    """The row chosen for every segment, once each: with running totals, or each segment by itself."""
    tp: cython.longlong = 0
    fp: cython.longlong = 0
    fn: cython.longlong = 0
    with cython.nogil:
        for segment in range(chosen.shape[0]):
            row = _choose(values, offsets[segment], offsets[segment + 1], tp, fp, fn, beta2, upwards)
            chosen[segment] = row
            if running and row >= 0:
                tp += values[row, 0]
                fp += values[row, 1]
                fn += values[row, 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _found(
    spans: cython.int[:, ::1],
    places: cython.longlong[:, ::1],
    words: cython.int[::1],
    first: cython.longlong,
    last: cython.longlong,
    other_spans: cython.int[:, ::1],
    other_places: cython.longlong[:, ::1],
    other_words: cython.int[::1],
    begin: cython.longlong,
    end: cython.longlong,
) -> cython.longlong:
    """How many of the keys first:last are among the others, begin:end; both ascend by their starts."""
    k: cython.longlong
    there: cython.longlong
    found: cython.longlong = 0
    for one in range(first, last):
        while begin < end and other_spans[begin, 0] < spans[one, 0]:
            begin += 1
        size = places[one, 1] - places[one, 0]
        there = begin
        while there < end and other_spans[there, 0] == spans[one, 0]:
            if (
                other_spans[there, 1] == spans[one, 1]
                and other_spans[there, 2] == spans[one, 2]
                and other_places[there, 1] - other_places[there, 0] == size
            ):
                k = 0
                while k < size and words[places[one, 0] + k] == other_words[other_places[there, 0] + k]:
                    k += 1
                if k == size:
                    found += 1
                    break
            there += 1
    return found


@_checks.checked(_metric_checks.count_keys)
def count(
    offsets: cython.longlong[::1],  # the keys of hypothesis i are offsets[i]:offsets[i + 1]
    spans: cython.int[:, ::1],  # start, which never falls in a row, end, and type
    places: cython.longlong[:, ::1],  # of their corrections in the words
    words: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    reference_spans: cython.int[:, ::1],
    reference_places: cython.longlong[:, ::1],
    reference_words: cython.int[::1],
    value_offsets: cython.longlong[::1],  # the rows of hypothesis i are value_offsets[i]:value_offsets[i + 1]
    rows: cython.longlong[::1],  # the reference of each row
    values: cython.longlong[:, ::1],  # written
) -> None:
    """Count right, wrong and missed keys; a key that is there several times counts as often."""
    with cython.nogil:
        for i in range(offsets.shape[0] - 1):
            for row in range(value_offsets[i], value_offsets[i + 1]):
                first = reference_offsets[rows[row]]
                last = reference_offsets[rows[row] + 1]
                values[row, 0] = _found(
                    reference_spans, reference_places, reference_words, first, last,
                    spans, places, words, offsets[i], offsets[i + 1],
                )  # fmt: skip
                values[row, 1] = offsets[i + 1] - offsets[i] - _found(
                    spans, places, words, offsets[i], offsets[i + 1],
                    reference_spans, reference_places, reference_words, first, last,
                )  # fmt: skip
                values[row, 2] = last - first - values[row, 0]
