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


def runs(offsets: cython.const[cython.longlong][::1], rows: cython.const[cython.longlong][::1]) -> tuple:
    """The offsets of some of the runs put behind each other, and where their items lay."""
    known: cython.longlong = offsets.shape[0] - 1
    found = np.empty(rows.shape[0] + 1, dtype=np.int64)
    ends: cython.longlong[::1] = found
    ends[0] = 0
    for i in range(rows.shape[0]):
        if not 0 <= rows[i] < known or offsets[rows[i] + 1] < offsets[rows[i]]:
            raise IndexError(f"the run {rows[i]}, where 0:{known} are allowed")
        ends[i + 1] = ends[i] + offsets[rows[i] + 1] - offsets[rows[i]]
    places = np.empty(ends[rows.shape[0]], dtype=np.int64)
    items: cython.longlong[::1] = places
    k: cython.longlong = 0
    for i in range(rows.shape[0]):
        for place in range(offsets[rows[i]], offsets[rows[i] + 1]):
            items[k] = place
            k += 1
    return found, places


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
