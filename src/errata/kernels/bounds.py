"""What checks of arguments and others ask of whole arrays, in one quick pass each.

The GIL is kept, which NumPy gives up: threads that took turns at every step would spend more time on that
than on the work.
"""

from typing import Any

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


def tables(
    pairs: cython.const[cython.longlong][:, ::1], offsets: cython.const[cython.longlong][::1]
) -> tuple:
    """The cells of the table of each pair of sentences, and offsets for as many items as both have tokens."""
    known: cython.longlong = offsets.shape[0] - 1
    cells = np.empty(pairs.shape[0], dtype=np.int64)
    ends = np.zeros(pairs.shape[0] + 1, dtype=np.int64)
    sizes: cython.longlong[::1] = cells
    places: cython.longlong[::1] = ends
    for i in range(pairs.shape[0]):
        if not (0 <= pairs[i, 0] < known and 0 <= pairs[i, 1] < known):
            raise IndexError(f"the sentences {pairs[i, 0]} and {pairs[i, 1]} of {known}")
        one = offsets[pairs[i, 0] + 1] - offsets[pairs[i, 0]]
        other = offsets[pairs[i, 1] + 1] - offsets[pairs[i, 1]]
        sizes[i] = (one + 1) * (other + 1)
        places[i + 1] = places[i] + one + other
    return cells, ends


def grids(
    source_offsets: cython.const[cython.longlong][::1],
    hypothesis_offsets: cython.const[cython.longlong][::1],
    rows: cython.const[cython.longlong][::1],
    edits: cython.const[cython.longlong][::1],
    corrections: cython.const[cython.longlong][::1],
    start: cython.longlong,
    stop: cython.longlong,
) -> tuple:
    """The most that one of the sentences start:stop needs to be aligned with its gold edits.

    These are words of the source, cells of the grid, words of both texts, annotators, and corrections times
    the width of the grid.
    """
    size = min(source_offsets.shape[0], hypothesis_offsets.shape[0], rows.shape[0])
    if not 0 <= start <= stop < size:
        raise IndexError(f"the range {start}:{stop} of {size - 1}")
    length: cython.longlong = 0
    cells: cython.longlong = 0
    words: cython.longlong = 0
    annotators: cython.longlong = 0
    matches: cython.longlong = 0
    for i in range(start, stop):
        if not (0 <= rows[i] <= rows[i + 1] < edits.shape[0]):
            raise IndexError(f"sentence {i} has the rows {rows[i]}:{rows[i + 1]} of {edits.shape[0] - 1}")
        first = edits[rows[i]]
        last = edits[rows[i + 1]]
        if not (0 <= first <= last < corrections.shape[0]):
            raise IndexError(f"sentence {i} has the edits {first}:{last} of {corrections.shape[0] - 1}")
        n = source_offsets[i + 1] - source_offsets[i]
        m = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
        length = max(length, n)
        cells = max(cells, (n + 1) * (m + 1))
        words = max(words, n + m)
        annotators = max(annotators, rows[i + 1] - rows[i])
        matches = max(matches, (corrections[last] - corrections[first]) * (m + 1))
    return int(length), int(cells), int(words), int(annotators), int(matches)


def rooms(
    a_offsets: cython.const[cython.longlong][::1],
    b_offsets: cython.const[cython.longlong][::1],
    c_offsets: cython.const[cython.longlong][::1],
    owner: cython.const[cython.longlong][::1],
    start: cython.longlong,
    stop: cython.longlong,
) -> tuple:
    """The most that one of the rows start:stop needs to align three texts, the first two of its owner.

    These are the cells of the three tables of pairs, the longer of the last two texts, the first one, the
    cells of two planes, all tokens, and the cells of tables and planes together.
    """
    size = min(a_offsets.shape[0], b_offsets.shape[0]) - 1
    if not 0 <= start <= stop <= min(owner.shape[0], c_offsets.shape[0] - 1):
        raise IndexError(f"the range {start}:{stop} of {min(owner.shape[0], c_offsets.shape[0] - 1)}")
    tables: cython.longlong = 0
    row: cython.longlong = 0
    first: cython.longlong = 0
    planes: cython.longlong = 0
    tokens: cython.longlong = 0
    cells: cython.longlong = 0
    for i in range(start, stop):
        if not 0 <= owner[i] < size:
            raise IndexError(f"row {i} belongs to {owner[i]} of {size}")
        n = a_offsets[owner[i] + 1] - a_offsets[owner[i]] + 1
        m = b_offsets[owner[i] + 1] - b_offsets[owner[i]] + 1
        k = c_offsets[i + 1] - c_offsets[i] + 1
        tables = max(tables, n * m + n * k + m * k)
        row = max(row, m, k)
        first = max(first, n)
        planes = max(planes, 2 * (m + 1) * (k + 1))
        tokens = max(tokens, n + m + k)
        cells = max(cells, n * m + n * k + m * k + 2 * (m + 1) * (k + 1))
    return int(tables), int(row), int(first), int(planes), int(tokens), int(cells)


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
