"""M²'s choice of annotators: segments are visited in order, with running totals, for many samples at once."""

import cython

from errata.kernels import _checks, _metric_checks


@_checks.checked(_metric_checks.scan)
def scan(
    values: cython.longlong[:, ::1],  # correct, proposed, gold of every (segment, annotator)
    offsets: cython.longlong[::1],  # the rows of segment i are offsets[i]:offsets[i + 1]
    weights: cython.longlong[:, ::1],  # samples × segments: how many times in a row each is visited
    beta: cython.double,
    start: cython.longlong,
    stop: cython.longlong,
    totals: cython.longlong[:, ::1],  # samples × 3: before the first segment, then behind the last
) -> None:
    """Totals of the samples start:stop, on from what they were."""
    correct: cython.longlong
    proposed: cython.longlong
    gold: cython.longlong
    segments: cython.longlong = weights.shape[1]
    with cython.nogil:
        for sample in range(start, stop):
            correct = totals[sample, 0]
            proposed = totals[sample, 1]
            gold = totals[sample, 2]
            for segment in range(segments):
                if offsets[segment + 1] - offsets[segment] == 1:  # no choice
                    row = offsets[segment]
                    correct += weights[sample, segment] * values[row, 0]
                    proposed += weights[sample, segment] * values[row, 1]
                    gold += weights[sample, segment] * values[row, 2]
                    continue
                for visit in range(weights[sample, segment]):
                    row = _choose(
                        values, offsets[segment], offsets[segment + 1], correct, proposed, gold, beta
                    )
                    if row < 0:
                        break
                    correct += values[row, 0]
                    proposed += values[row, 1]
                    gold += values[row, 2]
            totals[sample, 0] = correct
            totals[sample, 1] = proposed
            totals[sample, 2] = gold


@_checks.checked(_metric_checks.scan_swaps)
def scan_swaps(
    values: cython.longlong[:, ::1],
    offsets: cython.longlong[::1],  # open segments, 2i of the first system, 2i + 1 of the second
    swaps: cython.uchar[:, ::1],  # samples × open segments: 1 where the systems change places
    moved: cython.longlong[:, ::1],  # (1 + open segments) × samples: three sums in one number, of the others
    fixed: cython.longlong[:, ::1],  # (1 + open segments) × 6: the others' counts where nothing is swapped
    beta: cython.double,
    start: cython.longlong,
    stop: cython.longlong,
    totals: cython.longlong[:, ::1],  # samples × 6, written: of the first system, then of the second
) -> None:
    """Totals of both systems for the samples start:stop, with some of their segments swapped.

    Only segments that are still open choose an annotator; what lies between them comes as sums.
    """
    unit: cython.longlong
    packed: cython.longlong
    correct: cython.longlong
    proposed: cython.longlong
    gold: cython.longlong
    other_correct: cython.longlong
    other_proposed: cython.longlong
    other_gold: cython.longlong
    segments: cython.longlong = swaps.shape[1]
    with cython.nogil:
        for sample in range(start, stop):
            correct = 0
            proposed = 0
            gold = 0
            other_correct = 0
            other_proposed = 0
            other_gold = 0
            for segment in range(segments + 1):
                packed = moved[segment, sample]
                count = ((packed + 1048576) & 2097151) - 1048576
                correct += fixed[segment, 0] + count
                other_correct += fixed[segment, 3] - count
                packed = (packed - count) >> 21
                count = ((packed + 1048576) & 2097151) - 1048576
                proposed += fixed[segment, 1] + count
                other_proposed += fixed[segment, 4] - count
                count = (packed - count) >> 21
                gold += fixed[segment, 2] + count
                other_gold += fixed[segment, 5] - count
                if segment == segments:
                    break
                unit = 2 * segment + swaps[sample, segment]
                row = _choose(values, offsets[unit], offsets[unit + 1], correct, proposed, gold, beta)
                if row >= 0:
                    correct += values[row, 0]
                    proposed += values[row, 1]
                    gold += values[row, 2]
                unit ^= 1
                row = _choose(
                    values, offsets[unit], offsets[unit + 1], other_correct, other_proposed, other_gold, beta
                )
                if row >= 0:
                    other_correct += values[row, 0]
                    other_proposed += values[row, 1]
                    other_gold += values[row, 2]
            totals[sample, 0] = correct
            totals[sample, 1] = proposed
            totals[sample, 2] = gold
            totals[sample, 3] = other_correct
            totals[sample, 4] = other_proposed
            totals[sample, 5] = other_gold


@_checks.checked(_metric_checks.choose)
def choose(
    values: cython.longlong[:, ::1],
    offsets: cython.longlong[::1],
    beta: cython.double,
    running: cython.bint,
    chosen: cython.longlong[::1],
) -> None:
    """The row chosen for every segment, once each: with running totals, or each segment by itself."""
    correct: cython.longlong = 0
    proposed: cython.longlong = 0
    gold: cython.longlong = 0
    with cython.nogil:
        for segment in range(chosen.shape[0]):
            row = _choose(values, offsets[segment], offsets[segment + 1], correct, proposed, gold, beta)
            chosen[segment] = row
            if running and row >= 0:
                correct += values[row, 0]
                proposed += values[row, 1]
                gold += values[row, 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _choose(
    values: cython.longlong[:, ::1],
    first: cython.longlong,
    last: cython.longlong,
    correct: cython.longlong,
    proposed: cython.longlong,
    gold: cython.longlong,
    beta: cython.double,
) -> cython.longlong:
    """The row with the largest F; ties by more correct, then by less proposed and gold, then the first."""
    best: cython.longlong = -1
    hits: cython.double
    best_f: cython.double = 0.0
    best_hits: cython.double = 0.0
    best_mass: cython.double = 0.0
    for row in range(first, last):
        hits = correct + values[row, 0]
        mass = beta * beta * (gold + values[row, 2]) + (proposed + values[row, 1])
        if mass != 0.0:
            f = (1.0 + beta * beta) * hits / mass
        else:
            f = 1.0 if hits == 0.0 else 0.0
        if best < 0 or f > best_f or (
            f == best_f and (hits > best_hits or (hits == best_hits and mass < best_mass))
        ):  # fmt: skip
            best = row
            best_f = f
            best_hits = hits
            best_mass = mass
    return best
