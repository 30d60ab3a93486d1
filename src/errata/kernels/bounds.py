"""What checks of arguments and others ask of whole arrays, in one quick pass each.

The GIL is kept, which NumPy gives up: threads that took turns at every step would spend more time on that
than on the work.
"""

from typing import Any

import cython
import numpy as np

Integer = cython.fused_type(cython.int, cython.longlong)
MANY = 1 << 16  # zeros that take longer to write than another thread's turn at the GIL


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


def stalls(offsets: cython.const[cython.longlong][::1]) -> bool:
    """Whether any number is equal to the next one: whether a run is empty."""
    if not cython.compiled:
        return bool((np.diff(offsets) == 0).any())
    empty: cython.int = 0
    for i in range(offsets.shape[0] - 1):
        empty |= offsets[i + 1] == offsets[i]
    return empty != 0


def counted(count: cython.longlong) -> Any:
    """The numbers from 0 to below `count`."""
    found = np.empty(count, dtype=np.int64)
    values: cython.longlong[::1] = found
    for i in range(count):
        values[i] = i
    return found


def zeros(count: int) -> Any:
    """So many zeros of 64 bits; if many, the operating system has them ready and gives them as needed."""
    return np.zeros(count, np.int64) if count > MANY else np.frombuffer(bytearray(8 * count), np.int64)


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


def tokens(
    starts: cython.const[cython.longlong][::1],
    ends: cython.const[cython.longlong][::1],
    line: cython.longlong,
) -> int:
    """How many tokens the lines from `line` on can have at most."""
    if not cython.compiled:
        return int(((ends[line:] - starts[line:] + 1) // 2).sum())
    most: cython.longlong = 0
    for i in range(line, starts.shape[0]):
        most += (ends[i] - starts[i] + 1) >> 1
    return most


def size(starts: cython.const[cython.longlong][::1], ends: cython.const[cython.longlong][::1]) -> int:
    """How many bytes all lines have together."""
    if not cython.compiled:
        return int((ends - starts).sum())
    found: cython.longlong = 0
    for i in range(starts.shape[0]):
        found += ends[i] - starts[i]
    return found


def characters(
    data: cython.const[cython.uchar][::1],
    starts: cython.const[cython.longlong][::1],
    ends: cython.const[cython.longlong][::1],
) -> Any:
    """How many characters of UTF-8 each line has: bytes that are not inside of one."""
    if len(ends) != len(starts) or not apart(starts, ends, len(data)):
        raise IndexError(f"lines that do not lie in {len(data)} bytes")
    found = np.empty(starts.shape[0], dtype=np.int64)
    counts: cython.longlong[::1] = found
    count: cython.int
    for line in range(starts.shape[0]):
        count = 0
        for i in range(starts[line], ends[line]):
            count += data[i] & 0xC0 != 0x80
        counts[line] = count
    return found


def spelled(ids: cython.const[cython.int][::1], offsets: cython.const[cython.longlong][::1]) -> int:
    """How long the parts are together that ids stand for."""
    known: cython.longlong = offsets.shape[0] - 1
    found: cython.longlong = 0
    for i in range(ids.shape[0]):
        if not 0 <= ids[i] < known:
            raise IndexError(f"the number {ids[i]}, where 0:{known} are allowed")
        found += offsets[ids[i] + 1] - offsets[ids[i]]
    return int(found)


def gaps(offsets: cython.const[cython.longlong][::1]) -> Any:
    """Each number less the one before it."""
    if not cython.compiled:
        return offsets[1:] - offsets[:-1]
    found = np.empty(max(offsets.shape[0] - 1, 0), dtype=np.int64)
    values: cython.longlong[::1] = found
    for i in range(values.shape[0]):
        values[i] = offsets[i + 1] - offsets[i]
    return found


def looked_up(
    table: cython.const[cython.int][::1], numbers: cython.const[cython.int][::1], out: cython.int[::1]
) -> None:
    """Write what a table has for each of some numbers."""
    known: cython.longlong = table.shape[0]
    if out.shape[0] < numbers.shape[0]:
        raise IndexError(f"an array of length {out.shape[0]} for {numbers.shape[0]} numbers")
    for i in range(numbers.shape[0]):
        if not 0 <= numbers[i] < known:
            raise IndexError(f"the number {numbers[i]}, where 0:{known} are allowed")
        out[i] = table[numbers[i]]


def missing(places: cython.const[cython.longlong][::1], numbers: cython.const[cython.int][::1]) -> Any:
    """The indices of numbers whose place is below 0, each where it comes first."""
    known: cython.longlong = places.shape[0]
    seen: cython.uchar[::1] = np.zeros(known, dtype=np.uint8)
    found = np.empty(numbers.shape[0], dtype=np.int64)
    first: cython.longlong[::1] = found
    count: cython.longlong = 0
    for i in range(numbers.shape[0]):
        if not 0 <= numbers[i] < known:
            raise IndexError(f"the number {numbers[i]}, where 0:{known} are allowed")
        if places[numbers[i]] < 0 and not seen[numbers[i]]:
            seen[numbers[i]] = 1
            first[count] = i
            count += 1
    return found[:count]


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
