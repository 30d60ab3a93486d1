"""What checks of arguments ask of whole arrays, in one pass each.

The GIL is kept: a check is short, and threads that took turns at every step of it would spend more time on
that than on the check.
"""

import cython
import numpy as np

Integer = cython.fused_type(cython.int, cython.longlong)


def extremes(values: cython.const[Integer][::1]) -> tuple:
    """The smallest and the largest of some numbers."""
    if not cython.compiled:
        return int(np.min(values)), int(np.max(values))
    low: Integer = values[0]
    high: Integer = values[0]
    for i in range(values.shape[0]):
        low = min(low, values[i])
        high = max(high, values[i])
    return low, high


def falls(offsets: cython.const[cython.longlong][::1], start: cython.longlong, stop: cython.longlong) -> bool:
    """Whether any of the numbers `start:stop` is above the next one."""
    if not cython.compiled:
        return bool((np.diff(offsets[start : stop + 1]) < 0).any())
    fallen: cython.int = 0
    for i in range(start, stop):
        fallen |= offsets[i + 1] < offsets[i]
    return fallen != 0


def apart(
    starts: cython.const[cython.longlong][::1],
    ends: cython.const[cython.longlong][::1],
    size: cython.longlong,
) -> bool:
    """Whether every start is at most its end, and all lie in `0:size`."""
    if not cython.compiled:
        return bool(((0 <= starts) & (starts <= ends) & (ends <= size)).all())
    wrong: cython.int = 0
    for i in range(starts.shape[0]):
        wrong |= (starts[i] < 0) | (ends[i] < starts[i]) | (ends[i] > size)
    return wrong == 0


def entries(table: cython.const[cython.longlong][::1]) -> tuple:
    """How many places of a vocabulary's table are taken, and the largest number plus 1 in them."""
    if not cython.compiled:
        return int(np.count_nonzero(table)), int((table & 0x7FFFFFFF).max())
    taken: cython.longlong = 0
    largest: cython.longlong = 0
    for i in range(table.shape[0]):
        taken += table[i] != 0
        largest = max(largest, table[i] & 0x7FFFFFFF)
    return taken, largest


def within(values: cython.const[cython.int][::1], least: cython.longlong, limit: cython.longlong) -> bool:
    """Whether all numbers are from `least` to below `limit`: quicker to tell than which they are."""
    if not cython.compiled:
        return bool(((least <= values) & (values < limit)).all())
    low: cython.int = cython.cast(cython.int, max(least, -0x80000000))
    high: cython.int = cython.cast(cython.int, min(limit - 1, 0x7FFFFFFF))
    wrong: cython.int = least > 0x7FFFFFFF or limit <= -0x80000000
    for i in range(values.shape[0]):
        wrong |= (values[i] < low) | (values[i] > high)
    return wrong == 0


def longest_run(
    step_offsets: cython.const[cython.longlong][::1],
    steps: cython.const[cython.int][::1],
    counts: cython.const[cython.longlong][::1],
    start: cython.longlong,
    stop: cython.longlong,
) -> cython.longlong:
    """How many steps follow each other without a match, at most, in one of the pairs `start:stop`."""
    longest: cython.longlong = 0
    length: cython.longlong
    for pair in range(start, stop):
        length = 0
        for i in range(step_offsets[pair], step_offsets[pair] + counts[pair]):
            length = length + 1 if 1 <= steps[i] <= 3 else 0
            longest = max(longest, length)
    return longest


def steps_fit(
    pairs: cython.const[cython.longlong][:, ::1],
    sentences: cython.const[cython.longlong][::1],
    step_offsets: cython.const[cython.longlong][::1],
    steps: cython.const[cython.int][::1],
    counts: cython.const[cython.longlong][::1],
) -> bool:
    """Whether the steps of each pair stand for no more tokens than its sentences have.

    An insertion (2) has no source token, a deletion (3) no corrected one; a transposition has more of both.
    """
    wrong: cython.int = 0
    one: cython.longlong
    other: cython.longlong
    for pair in range(counts.shape[0]):
        one = sentences[pairs[pair, 0] + 1] - sentences[pairs[pair, 0]]
        other = sentences[pairs[pair, 1] + 1] - sentences[pairs[pair, 1]]
        for i in range(step_offsets[pair], step_offsets[pair] + counts[pair]):
            width: cython.longlong = 1 if steps[i] < 4 else steps[i] - 2
            if steps[i] != 2:
                one -= width
            if steps[i] != 3:
                other -= width
        wrong |= (one < 0) | (other < 0)
    return wrong == 0
