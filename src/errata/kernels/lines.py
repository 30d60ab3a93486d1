"""Lines of UTF-8: where they lie, and whether it is UTF-8 at all, eight bytes at a time."""

import cython
import numpy as np

from errata.kernels import _checks, _text_checks

HIGH = cython.declare(cython.ulonglong, 0x8080808080808080)  # the bits that bytes of ASCII do not have
LOW = cython.declare(cython.ulonglong, 0x7F7F7F7F7F7F7F7F)
ENDS = cython.declare(cython.ulonglong, 0x0A0A0A0A0A0A0A0A)
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps the uncompiled twin within 64 bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _ends(word: cython.ulonglong) -> cython.ulonglong:
    """The highest bit of every byte that ends a line."""
    word = word ^ ENDS
    return FULL ^ (((word & LOW) + LOW) | word | LOW)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sequence(
    data: cython.const[cython.uchar][::1], i: cython.longlong, size: cython.longlong
) -> cython.longlong:
    """How many bytes the character at `i` has, which is none of ASCII; 0 where it is not UTF-8."""
    first: cython.int = data[i]
    second: cython.int = data[i + 1] if i + 1 < size else 0
    length: cython.int = 2
    k: cython.int
    if first < 0xC2 or first > 0xF4:  # the middle of a character, one that is too long, or beyond Unicode
        return 0
    if first >= 0xE0:
        length = 4 if first >= 0xF0 else 3
        if (first == 0xE0 and second < 0xA0) or (first == 0xF0 and second < 0x90):  # too long
            return 0
        if (first == 0xED and second >= 0xA0) or (first == 0xF4 and second >= 0x90):  # surrogates; beyond
            return 0
    if i + length > size:
        return 0
    for k in range(1, length):
        if data[i + k] & 0xC0 != 0x80:
            return 0
    return length


@_checks.checked(_text_checks.places)
def places(data: cython.const[cython.uchar][::1]) -> tuple:
    """Where the lines begin and end, and where the first byte lies that is not UTF-8 (-1: nowhere).

    A line ends at LF or CRLF, which are no part of it; the last may lack its end.
    """
    size: cython.longlong = data.shape[0]
    whole: cython.longlong = size // 8
    # the same bytes, eight in one number, without the last ones that are fewer
    words: cython.const[cython.ulonglong][::1] = np.frombuffer(data, dtype=np.uint64, count=whole)
    lines: cython.longlong = 0
    count: cython.longlong = 0
    begin: cython.longlong = 0
    behind: cython.longlong = 0  # where the next character begins
    wrong: cython.longlong = -1
    for w in range(whole):  # the GIL is kept: this is quick
        word = _ends(cython.cast(cython.ulonglong, words[w]))
        lines += cython.cast(cython.longlong, (((word >> 7) * ONES) & FULL) >> 56)
    for i in range(8 * whole, size):
        lines += data[i] == 10
    if size > 0 and data[size - 1] != 10:
        lines += 1
    starts_array = np.empty(lines, dtype=np.int64)
    ends_array = np.empty(lines, dtype=np.int64)
    starts: cython.longlong[::1] = starts_array
    ends: cython.longlong[::1] = ends_array
    with cython.nogil:
        for w in range(whole + 1):
            if w < whole:
                word = cython.cast(cython.ulonglong, words[w])
                if _ends(word) | (word & HIGH) == 0:
                    continue
            for i in range(8 * w, min(8 * w + 8, size)):
                if data[i] == 10:
                    starts[count] = begin
                    ends[count] = i - 1 if i > begin and data[i - 1] == 13 else i
                    begin = i + 1
                    count += 1
                elif data[i] >= 0x80 and i >= behind and wrong < 0:
                    width = _sequence(data, i, size)
                    if width == 0:
                        wrong = i
                    behind = i + width
        if begin < size:
            starts[count] = begin
            ends[count] = size - 1 if data[size - 1] == 13 else size
    return starts_array, ends_array, wrong


@_checks.checked(_text_checks.code_points)
def code_points(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    out: cython.int[::1],
    offsets: cython.longlong[::1],
) -> None:
    """The characters of every line: those of line i are `out[offsets[i]:offsets[i + 1]]`.

    Surrogates may stand in the text, as three bytes each.
    """
    count: cython.longlong = 0
    with cython.nogil:
        offsets[0] = 0
        for line in range(starts.shape[0]):
            i = starts[line]
            while i < ends[line]:
                point = cython.cast(cython.int, data[i])
                i += 1
                if point >= 0xC0:
                    point &= 0x1F if point < 0xE0 else 0x0F if point < 0xF0 else 0x07
                    while i < ends[line] and data[i] & 0xC0 == 0x80:
                        point = (point << 6) | cython.cast(cython.int, data[i] & 0x3F)
                        i += 1
                out[count] = point
                count += 1
            offsets[line + 1] = count
