"""Rows of numbers: which are equal, a number for every different one, and what their columns add up to."""

import cython

from errata.kernels import _checks, _metric_checks, _text_checks

Number = cython.fused_type(cython.longlong, cython.double)
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing
FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps the uncompiled twin within 64 bits
EXACT = cython.declare(cython.double, 9007199254740992.0)  # 2^53: below, sums of whole numbers are exact
BITS = cython.declare(cython.double, 1099511627776.0)  # 2^40
MOST = cython.declare(cython.longlong, 1 << 62)  # that a sum may be


@_checks.checked(_metric_checks.equal_texts)
def equal_texts(
    hypothesis: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    out: cython.uchar[::1],
) -> None:
    """Whether each hypothesis equals one of its references: 1 or 0.

    The references of segment i are the rows `rows[i]:rows[i + 1]`.
    """
    k: cython.longlong
    with cython.nogil:
        for i in range(rows.shape[0] - 1):
            a = hypothesis_offsets[i]
            size = hypothesis_offsets[i + 1] - a
            out[i] = 0
            for r in range(rows[i], rows[i + 1]):
                b = reference_offsets[r]
                if reference_offsets[r + 1] - b == size:
                    k = 0
                    while k < size and hypothesis[a + k] == reference[b + k]:
                        k += 1
                    if k == size:
                        out[i] = 1
                        break


@_checks.checked(_text_checks.number_rows)
def number_rows(
    ids: cython.int[::1],
    offsets: cython.longlong[::1],
    row: cython.longlong,
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.int[::1],
    state: cython.longlong[::1],
    out: cython.int[::1],
) -> cython.longlong:
    """The numbers of the rows from `row` on; gives the row before which there was no room.

    The arrays are those of a vocabulary (see `errata.kernels.tokens`) whose tokens are the bytes of rows.
    """
    mask: cython.longlong = table.shape[0] - 1
    hashed: cython.ulonglong
    found: cython.longlong
    k: cython.longlong
    with cython.nogil:
        while row < offsets.shape[0] - 1:
            begin = offsets[row]
            size = offsets[row + 1] - begin
            hashed = cython.cast(cython.ulonglong, size)
            for k in range(begin, begin + size):
                hashed = hashed ^ cython.cast(cython.ulonglong, ids[k] & 0x7FFFFFFF)
                hashed = (hashed * FACTOR) & FULL
                hashed = hashed ^ (hashed >> 29)
            short = cython.cast(cython.longlong, hashed >> 32)
            slot = short & mask
            found = -1
            while table[slot] != 0 and found < 0:
                if table[slot] >> 31 == short:
                    found = (table[slot] & 0x7FFFFFFF) - 1
                    first = places[found] >> 2
                    k = size if places[found + 1] >> 2 == first + size else -1
                    while k > 0 and letters[first + k - 1] == ids[begin + k - 1]:
                        k -= 1
                    if k != 0:
                        found = -1
                if found < 0:
                    slot = (slot + 1) & mask
            if found < 0:
                found = state[0]
                first = places[found] >> 2
                room = min(places.shape[0] - 2, table.shape[0] // 2 - 2)
                if found > room or first + size > letters.shape[0]:
                    break
                for k in range(size):
                    letters[first + k] = ids[begin + k]
                places[found + 1] = (first + size) << 2
                table[slot] = (short << 31) | (found + 1)
                state[0] = found + 1
            out[row] = cython.cast(cython.int, found)
            row += 1
    return row


@_checks.checked(_metric_checks.exact_sums)
def exact_sums(rows: Number[:, ::1], out: cython.longlong[:, ::1]) -> cython.longlong:
    """Add up the columns without rounding, and say how many lines of `out` that took; 0 where it has too few.

    The first line has the sums of whole numbers, each further one those of the next 40 bits of fractions. It
    is quick, so the GIL is kept.
    """
    used: cython.longlong = 1
    large: cython.longlong = 0  # no less than what is added
    line: cython.longlong
    for line in range(out.shape[0]):
        for k in range(rows.shape[1]):
            out[line, k] = 0
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            value = rows[i, k]
            if not -EXACT < value < EXACT:
                return 0
            number = cython.cast(cython.longlong, value)
            out[0, k] += number
            large |= abs(number)
            rest = cython.cast(cython.double, value - number)
            line = 0
            while rest != 0:
                line += 1
                if line == out.shape[0]:
                    return 0
                used = max(used, line + 1)
                rest *= BITS
                number = cython.cast(cython.longlong, rest)
                out[line, k] += number
                large |= abs(number)
                rest -= number
    return used if large < MOST // max(1, rows.shape[0]) else 0
