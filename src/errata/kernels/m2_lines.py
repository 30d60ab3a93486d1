"""M2 files in their usual form: where the sentences and the fields of their edits lie in the bytes."""

import cython

from errata.kernels import _checks, _text_checks

BAR = cython.declare(cython.int, 124)
MINUS = cython.declare(cython.int, 45)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _integer(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    end: cython.longlong,
    out: cython.longlong[::1],
) -> cython.longlong:
    """Read a number of one to nine digits into `out[0]`; gives where it ends, -1 where there is none."""
    i: cython.longlong = begin
    value: cython.longlong = 0
    negative: cython.int = 0
    if i < end and data[i] == MINUS:
        negative = 1
        i += 1
    first = i
    while i < end and 48 <= data[i] <= 57 and i < first + 10:
        value = value * 10 + cython.cast(cython.longlong, data[i]) - 48
        i += 1
    if i == first or i > first + 9:
        return -1
    out[0] = -value if negative else value
    return i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_none(
    data: cython.const[cython.uchar][::1], begin: cython.longlong, end: cython.longlong
) -> cython.int:
    """Whether the bytes are `-NONE-`."""
    return (
        end - begin == 6
        and data[begin] == 45
        and data[begin + 1] == 78
        and data[begin + 2] == 79
        and data[begin + 3] == 78
        and data[begin + 4] == 69
        and data[begin + 5] == 45
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_noop(
    data: cython.const[cython.uchar][::1], begin: cython.longlong, end: cython.longlong
) -> cython.int:
    """Whether the bytes are `noop`."""
    return (
        end - begin == 4
        and data[begin] == 110
        and data[begin + 1] == 111
        and data[begin + 2] == 111
        and data[begin + 3] == 112
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _edit(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    end: cython.longlong,
    found: cython.longlong[:, ::1],
    edit: cython.longlong,
    parts: cython.longlong[:, ::1],
    part: cython.longlong,
    number: cython.longlong[::1],
) -> cython.longlong:
    """Read an `A` line into row `edit` of `found` and its corrections into `parts` from `part` on.

    Gives the number of parts so far, or -1 where the line is not of the usual form.
    """
    bars: cython.longlong
    field: cython.longlong = 0
    i = _integer(data, begin + 2, end, number)
    if i < 0 or i >= end or data[i] != 32:
        return -1
    found[edit, 2] = number[0]
    i = _integer(data, i + 1, end, number)
    if i < 0 or i >= end or data[i] != BAR:
        return -1
    found[edit, 3] = number[0]
    field_begin = i
    while i < end:
        if data[i] != BAR:
            i += 1
            continue
        bars = 1
        while i + bars < end and data[i + bars] == BAR:
            bars += 1
        if bars > 3:  # empty fields
            if bars % 3 != 0:
                return -1
            bars = 3
        if field == 2 and bars > 1:
            if part == parts.shape[0]:
                return -1
            parts[part, 0] = field_begin
            parts[part, 1] = field_begin if _is_none(data, field_begin, i) else i
            part += 1
            field_begin = i + bars
        if bars == 3:
            if field == 1:
                found[edit, 4] = _is_noop(data, field_begin, i)
                found[edit, 6] = field_begin
                found[edit, 7] = i
            field += 1
            field_begin = i + bars
        i += bars
    if field != 5:
        return -1
    k = _integer(data, field_begin, end, number)
    if k != end or data[field_begin] == MINUS:
        return -1
    found[edit, 1] = number[0]
    return part


@_checks.checked(_text_checks.parse_m2)
def parse(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    sentences: cython.longlong[:, ::1],
    found: cython.longlong[:, ::1],
    parts: cython.longlong[:, ::1],
    number: cython.longlong[::1],
    counts: cython.longlong[::1],
) -> cython.bint:
    """Read the lines `starts[i]:ends[i]`; False where a block is not of the usual form.

    `sentences` gets the number of the first and behind the last line of each block; `found` the sentence,
    annotator, start and end, whether it is a noop, the number of the first part behind it, and where its type
    lies, of each edit; `parts` where each correction lies. `counts` gets the sizes of the three.
    """
    count: cython.longlong = 0
    edits: cython.longlong = 0
    part: cython.longlong = 0
    inside: cython.int = 0
    plain: cython.bint = True
    with cython.nogil:
        for line in range(starts.shape[0]):
            begin = starts[line]
            size = ends[line] - begin
            if size == 0:
                inside = 0
            elif inside == 0:
                if size < 2 or data[begin] != 83 or data[begin + 1] != 32:
                    plain = False
                    break
                sentences[count, 0] = line
                sentences[count, 1] = line + 1
                count += 1
                inside = 1
            else:
                if size < 2 or data[begin] != 65 or data[begin + 1] != 32:
                    plain = False
                    break
                found[edits, 0] = count - 1
                part = _edit(data, begin, ends[line], found, edits, parts, part, number)
                if part < 0:
                    plain = False
                    break
                found[edits, 5] = part
                edits += 1
                sentences[count - 1, 1] = line + 1
        counts[0] = count
        counts[1] = edits
        counts[2] = part
    return plain
