"""Running text of UTF-8 to sentences of tokens, as the patterns of `errata_correct.tokens` find them."""

import cython

# Bits of the classes of characters.
BLANK = cython.declare(cython.longlong, 1)
DIGIT = cython.declare(cython.longlong, 2)
LETTER = cython.declare(cython.longlong, 4)  # of a word; no digit
FINAL = cython.declare(cython.longlong, 8)  # may end a sentence
CLOSING = cython.declare(cython.longlong, 16)  # may stand behind that
OPENING = cython.declare(cython.longlong, 32)  # may stand before the first word of the next one
CAPITAL = cython.declare(cython.longlong, 64)  # may begin that word
MARK = cython.declare(cython.longlong, 128)  # an accent that is a character of its own


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _character(
    data: cython.const[cython.uchar][::1],
    i: cython.longlong,
    end: cython.longlong,
    classes: cython.uchar[::1],
) -> cython.longlong:
    """The character at a place: its number, its class (8 bits) and how many bytes it has (4); 0 at the end.

    A byte that is not UTF-8 is a sign.
    """
    k: cython.longlong
    width: cython.longlong = 1
    if i >= end:
        return 0
    point: cython.longlong = int(data[i])
    if point >= 0xC0:
        width = 2 + (point >= 0xE0) + (point >= 0xF0)
        if i + width > end:
            return 1
        point &= 0x7F >> width
        for k in range(1, width):
            point = (point << 6) | (cython.cast(cython.longlong, int(data[i + k])) & 63)
    if point >= classes.shape[0]:
        return (point << 12) | width
    return (point << 12) | (cython.cast(cython.longlong, int(classes[point])) << 4) | width


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _behind(
    data: cython.const[cython.uchar][::1], i: cython.longlong, end: cython.longlong,
    classes: cython.uchar[::1], wanted: cython.longlong,
) -> cython.longlong:  # fmt: skip
    """Where the characters of some classes end that stand from a place on."""
    found: cython.longlong = _character(data, i, end, classes)
    while found & (wanted << 4) != 0:
        i += found & 15
        found = _character(data, i, end, classes)
    return i


def split(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    classes: cython.uchar[::1],
    out: cython.uchar[::1],
    counts: cython.longlong[::1],
) -> cython.longlong:
    """Write the sentences of every line, each with a line end, and with a space between two tokens.

    `counts` gets the number of sentences before each line. Gives how many bytes were written; -1 where there
    is an accent that is a character of its own, which tokens are not to have.
    """
    size: cython.longlong = 0
    total: cython.longlong = 0
    marks: cython.longlong = 0
    next_one: cython.longlong
    with cython.nogil:
        counts[0] = 0
        for line in range(starts.shape[0]):
            i = starts[line]
            end = ends[line]
            begin = size  # of the sentence
            border = end  # where the next sentence begins
            while True:
                i = _behind(data, i, end, classes, BLANK)
                if (i >= border or i >= end) and size > begin:
                    out[size - 1] = 10
                    begin = size
                    total += 1
                    border = end
                if i >= end:
                    break
                character = _character(data, i, end, classes)
                after = i + (character & 15)
                kind = character >> 4
                marks |= kind & MARK
                if kind & DIGIT:
                    after = _behind(data, after, end, classes, DIGIT)
                    point = _character(data, after, end, classes) >> 12
                    while point == 44 or point == 46 or point == 58:
                        next_one = _behind(data, after + 1, end, classes, DIGIT)
                        if next_one == after + 1:
                            break
                        after = next_one
                        point = _character(data, after, end, classes) >> 12
                elif kind & LETTER:
                    after = _behind(data, after, end, classes, LETTER | DIGIT)
                    character = _character(data, after, end, classes)
                    while character >> 12 == 39 or character >> 12 == 0x2019:
                        point = after + (character & 15)
                        next_one = _behind(data, point, end, classes, LETTER | DIGIT)
                        if next_one == point:
                            break
                        after = next_one
                        character = _character(data, after, end, classes)
                elif kind & FINAL:
                    point = _behind(data, after, end, classes, CLOSING)
                    next_one = _behind(data, point, end, classes, BLANK)
                    if next_one > point:
                        point = _behind(data, next_one, end, classes, OPENING)
                        character = _character(data, point, end, classes)
                        if (character >> 4) & BLANK:
                            character = _character(data, point + (character & 15), end, classes)
                        if (character >> 4) & CAPITAL:
                            border = next_one
                while i < after:
                    out[size] = data[i]
                    size += 1
                    i += 1
                out[size] = 32
                size += 1
            counts[line + 1] = total
    return size if marks == 0 else -1
