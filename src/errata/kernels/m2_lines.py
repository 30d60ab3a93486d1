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
@cython.inline
def _reads(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    end: cython.longlong,
    text: cython.pointer(cython.const[cython.uchar]),
    size: cython.longlong,
) -> cython.bint:
    """Whether the bytes `begin:end` are a text of this size."""
    if end - begin != size:
        return False
    for k in range(size):
        if data[begin + k] != text[k]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _edit(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    end: cython.longlong,
    found: cython.longlong[:, ::1],
    edit: cython.longlong,
    number: cython.longlong[::1],
) -> cython.longlong:
    """Read an `A` line into row `edit` of `found`.

    Gives the number of its corrections, or -1 where the line is not of the usual form.
    """
    bars: cython.longlong
    field: cython.longlong = 0
    parts: cython.longlong = 0
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
        if field == 0 and bars < 3:  # something behind the offsets
            return -1
        if bars > 3:  # empty fields
            if bars % 3 != 0:
                return -1
            bars = 3
        if field == 2 and bars > 1:
            parts += 1
        if bars == 3:
            if field == 1:
                found[edit, 4] = field_begin
                found[edit, 5] = i
            elif field == 2:
                found[edit, 6] = i
            field += 1
            field_begin = i + bars
        i += bars
    if field != 5:
        return -1
    k = _integer(data, field_begin, end, number)
    if k != end or data[field_begin] == MINUS:
        return -1
    found[edit, 1] = number[0]
    return parts


@_checks.checked(_text_checks.parse_m2)
def parse(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    sentences: cython.longlong[:, ::1],
    found: cython.longlong[:, ::1],
    number: cython.longlong[::1],
    counts: cython.longlong[::1],
) -> cython.bint:
    """Read the lines `starts[i]:ends[i]`; False where a block is not of the usual form.

    `sentences` gets the number of the first and behind the last line of each block; `found` the sentence,
    annotator, start and end of each edit, where its type lies, and where its correction ends. `counts` gets
    the numbers of sentences, edits and corrections.
    """
    count: cython.longlong = 0
    edits: cython.longlong = 0
    parts: cython.longlong = 0
    more: cython.longlong
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
                more = _edit(data, begin, ends[line], found, edits, number)
                if more < 0:
                    plain = False
                    break
                parts += more
                edits += 1
                sentences[count - 1, 1] = line + 1
        counts[0] = count
        counts[1] = edits
        counts[2] = parts
    return plain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _split(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    end: cython.longlong,
    parts: cython.longlong[:, ::1],
    part: cython.longlong,
) -> cython.longlong:
    """Write where the corrections of a field lie, from `part` on; gives the number of those so far."""
    i: cython.longlong = begin
    while part < parts.shape[1]:
        while i < end and not (data[i] == BAR and i + 1 < end and data[i + 1] == BAR):
            i += 1
        parts[0, part] = begin
        parts[1, part] = begin if _reads(data, begin, i, b"-NONE-", 6) else i
        part += 1
        if i >= end:
            break
        i += 2
        begin = i
    return part


@_checks.checked(_text_checks.group_m2)
def group(
    data: cython.const[cython.uchar][::1],
    found: cython.longlong[:, ::1],
    tokens: cython.longlong[::1],
    rows: cython.longlong[::1],
    annotators: cython.longlong[::1],
    edits: cython.longlong[::1],
    spans: cython.int[:, ::1],
    corrections: cython.longlong[::1],
    parts: cython.longlong[:, ::1],
    types: cython.longlong[:, ::1],
    counts: cython.longlong[::1],
) -> cython.bint:
    """Nest edits that `parse` has found: see `errata.corpus.edit_ids.EncodedEdits`.

    `tokens` are the offsets of the sentences' tokens: edits that reach outside are left out. `parts` and
    `types` get where corrections and types begin and end. `counts` gets the numbers of rows, edits,
    corrections, and of edits left out. False where the annotators of a sentence do not ascend.
    """
    k: cython.longlong = 0
    row: cython.longlong = 0
    edit: cython.longlong = 0
    part: cython.longlong = 0
    left: cython.longlong = 0
    who: cython.longlong
    ascend: cython.bint = True
    with cython.nogil:
        rows[0] = 0
        edits[0] = 0
        corrections[0] = 0
        for sentence in range(tokens.shape[0] - 1):
            size = tokens[sentence + 1] - tokens[sentence]
            who = -1
            if k == found.shape[0] or found[k, 0] != sentence:  # no A line: nothing to correct
                annotators[row] = 0
                row += 1
                edits[row] = edit
            while k < found.shape[0] and found[k, 0] == sentence:
                if found[k, 1] < who:
                    ascend = False
                if found[k, 1] != who:
                    who = found[k, 1]
                    annotators[row] = who
                    row += 1
                if not _reads(data, found[k, 4], found[k, 5], b"noop", 4):
                    start = found[k, 2]
                    end = found[k, 3]
                    if 0 <= start <= size and 0 <= end <= size:
                        spans[edit, 0] = cython.cast(cython.int, start)
                        spans[edit, 1] = cython.cast(cython.int, end)
                        types[0, edit] = found[k, 4]
                        types[1, edit] = found[k, 5]
                        part = _split(data, found[k, 5] + 3, found[k, 6], parts, part)
                        edit += 1
                        corrections[edit] = part
                    else:
                        left += 1
                edits[row] = edit
                k += 1
            rows[sentence + 1] = row
        counts[0] = row
        counts[1] = edit
        counts[2] = part
        counts[3] = left
    return ascend
