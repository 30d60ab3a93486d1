"""Text to token ids: splits lines of UTF-8 at blanks and gives every distinct token a number.

A vocabulary lies in three arrays: the bytes of its tokens behind each other, where each of them begins, and
a table of open addressing whose places hold 32 bits of a token's hash and its number plus 1 (0: empty). The
caller makes the arrays larger when a call comes back before its end.
"""

import cython

from errata.kernels import _checks

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)
FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps the uncompiled twin within 64 bits
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing
SCRAMBLE = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _blank(
    data: cython.const[cython.uchar][::1],
    i: cython.longlong,
    end: cython.longlong,
    classes: cython.uchar[::1],
) -> cython.longlong:
    """How many bytes the blank at `i` has; 0 where there is none.

    `classes` gives 1 for a blank of ASCII, 3 for a byte that is one only in Unicode, and 2 for a byte that
    may begin a longer one.
    """
    kind: cython.int = classes[data[i]]
    if kind != 2:
        return 1 if kind != 0 else 0
    first: cython.int = data[i]
    second: cython.int = data[i + 1] if i + 1 < end else 0
    third: cython.int = data[i + 2] if i + 2 < end else 0
    if first == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    if first == 0xE1:
        return 3 if second == 0x9A and third == 0x80 else 0
    if first == 0xE3:
        return 3 if second == 0x80 and third == 0x80 else 0
    if second == 0x81:
        return 3 if third == 0x9F else 0
    if second != 0x80:
        return 0
    return 3 if 0x80 <= third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _number(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    end: cython.longlong,
    hashed: cython.longlong,
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.uchar[::1],
    state: cython.longlong[::1],
) -> cython.longlong:
    """The number of the token `begin:end`, which is added where it is new; -1 where there is no room."""
    mask: cython.longlong = table.shape[0] - 1
    slot: cython.longlong
    number: cython.longlong
    first: cython.longlong
    i: cython.longlong
    size: cython.longlong = end - begin
    hashed = hashed ^ (hashed >> 15)
    hashed = (hashed * 0x2C1B3C6D) & MASK
    hashed = hashed ^ (hashed >> 13)
    slot = hashed & mask
    while table[slot] != 0:
        if table[slot] >> 31 == hashed:
            number = (table[slot] & 0x7FFFFFFF) - 1
            first = places[number]
            if places[number + 1] - first == size:
                i = 0
                while i < size and letters[first + i] == data[begin + i]:
                    i += 1
                if i == size:
                    return number
        slot = (slot + 1) & mask
    number = state[0]
    first = places[number]
    if number + 2 > places.shape[0] or 2 * (number + 1) > mask or first + size > letters.shape[0]:
        return -1
    for i in range(size):
        letters[first + i] = data[begin + i]
    places[number + 1] = first + size
    table[slot] = (hashed << 31) | (number + 1)
    state[0] = number + 1
    return number


@_checks.checked(_checks.number_lines)
def number_lines(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    line: cython.longlong,
    classes: cython.uchar[::1],
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.uchar[::1],
    state: cython.longlong[::1],
    ids: cython.int[::1],
    offsets: cython.longlong[::1],
    irregular: cython.uchar[::1],
) -> cython.longlong:
    """The tokens of the lines from `line` on; gives the line before which the vocabulary was full.

    `irregular` gets 1 for lines with anything but a single space between two tokens. `state` has the number
    of tokens in the vocabulary, and gets a 1 behind it where a line had a blank that is none of ASCII.
    """
    i: cython.longlong
    end: cython.longlong
    begin: cython.longlong
    width: cython.longlong
    before: cython.longlong
    hashed: cython.longlong
    found: cython.longlong
    count: cython.longlong
    byte: cython.longlong
    full: cython.longlong = 0
    with cython.nogil:
        while line < starts.shape[0]:
            i = starts[line]
            end = ends[line]
            before = -1  # where the token before ended
            count = offsets[line]
            irregular[line] = 0
            while i < end:
                width = _blank(data, i, end, classes)
                if width != 0:
                    if classes[data[i]] != 1:
                        state[1] = 1
                    i += width
                    continue
                if before >= 0 and (i != before + 1 or data[before] != 32):
                    irregular[line] = 1
                begin = i
                hashed = 2166136261
                while i < end:
                    byte = cython.cast(cython.longlong, data[i])
                    if classes[byte] != 0 and _blank(data, i, end, classes) != 0:
                        break
                    hashed = ((hashed ^ byte) * 16777619) & MASK
                    i += 1
                found = _number(data, begin, i, hashed, table, places, letters, state)
                if found < 0:
                    full = 1
                    break
                ids[count] = cython.cast(cython.int, found)
                count += 1
                before = i
            if full:
                break
            line += 1
            offsets[line] = count
    return line


@_checks.checked(_checks.number_tokens)
def number_tokens(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    token: cython.longlong,
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.uchar[::1],
    state: cython.longlong[::1],
    ids: cython.int[::1],
) -> cython.longlong:
    """The numbers of the tokens from `token` on, whatever they contain; gives where it was full."""
    i: cython.longlong
    byte: cython.longlong
    hashed: cython.longlong
    found: cython.longlong
    with cython.nogil:
        while token < starts.shape[0]:
            hashed = 2166136261
            for i in range(starts[token], ends[token]):
                byte = cython.cast(cython.longlong, data[i])
                hashed = ((hashed ^ byte) * 16777619) & MASK
            found = _number(data, starts[token], ends[token], hashed, table, places, letters, state)
            if found < 0:
                break
            ids[token] = cython.cast(cython.int, found)
            token += 1
    return token


@_checks.checked(_checks.apply_edits)
def apply_edits(
    ids: cython.int[::1],
    offsets: cython.longlong[::1],
    sentences: cython.longlong[::1],
    edits: cython.longlong[::1],
    spans: cython.int[:, ::1],
    corrections: cython.int[::1],
    correction_offsets: cython.longlong[::1],
    out: cython.int[::1],
    out_offsets: cython.longlong[::1],
) -> cython.longlong:
    """The texts that edits make: row r is the sentence `sentences[r]` with the edits `edits[r]:edits[r + 1]`.

    The edits of a row must ascend. Gives the first row with an edit that overlaps another one or leaves its
    sentence, else the number of rows.
    """
    row: cython.longlong
    edit: cython.longlong
    i: cython.longlong
    first: cython.longlong
    size: cython.longlong
    place: cython.longlong
    count: cython.longlong = 0
    rows: cython.longlong = sentences.shape[0]
    with cython.nogil:
        for row in range(rows):
            first = offsets[sentences[row]]
            size = offsets[sentences[row] + 1] - first
            place = 0
            for edit in range(edits[row], edits[row + 1]):
                if spans[edit, 0] < place or spans[edit, 1] < spans[edit, 0] or spans[edit, 1] > size:
                    rows = row
                    break
                for i in range(place, spans[edit, 0]):
                    out[count] = ids[first + i]
                    count += 1
                for i in range(correction_offsets[edit], correction_offsets[edit + 1]):
                    out[count] = corrections[i]
                    count += 1
                place = spans[edit, 1]
            if rows == row:
                break
            for i in range(place, size):
                out[count] = ids[first + i]
                count += 1
            out_offsets[row + 1] = count
    return rows


@_checks.checked(_checks.joined)
def joined(
    ids: cython.int[::1],
    offsets: cython.longlong[::1],
    parts: cython.int[::1],
    part_offsets: cython.longlong[::1],
    between: cython.longlong,
    out: cython.int[::1],
    out_offsets: cython.longlong[::1],
) -> None:
    """What the ids of each row stand for, behind each other: id k for `part_offsets[k]:part_offsets[k + 1]`.

    `between` is put between two of them, unless it is negative.
    """
    row: cython.longlong
    i: cython.longlong
    k: cython.longlong
    count: cython.longlong = 0
    with cython.nogil:
        out_offsets[0] = 0
        for row in range(offsets.shape[0] - 1):
            for i in range(offsets[row], offsets[row + 1]):
                if between >= 0 and i > offsets[row]:
                    out[count] = cython.cast(cython.int, between)
                    count += 1
                for k in range(part_offsets[ids[i]], part_offsets[ids[i] + 1]):
                    out[count] = parts[k]
                    count += 1
            out_offsets[row + 1] = count


@_checks.checked(_checks.fold)
def fold(
    ids: cython.int[::1],
    offsets: cython.longlong[::1],
    codes: cython.ulonglong[::1],
    out: cython.ulonglong[::1],
) -> None:
    """A code per row from those of its tokens, their order and number; an id below 0 has the code 1."""
    row: cython.longlong
    i: cython.longlong
    code: cython.ulonglong
    power: cython.ulonglong
    total: cython.ulonglong
    with cython.nogil:
        for row in range(offsets.shape[0] - 1):
            total = 0
            power = FACTOR
            for i in range(offsets[row], offsets[row + 1]):
                code = 1
                if ids[i] >= 0:
                    code = cython.cast(cython.ulonglong, codes[ids[i]])
                code = ((code ^ (code >> 29)) * SCRAMBLE) & FULL
                total = (total + code * power) & FULL
                power = (power * FACTOR) & FULL
            out[row] = (total + power) & FULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _put(
    out: cython.uchar[::1], first: cython.longlong, count: cython.longlong, byte: cython.int
) -> cython.longlong:
    """Append a byte to the line that begins at `first`, but no second blank; gives where the next goes."""
    if byte == 32 and count > first and out[count - 1] == 32:
        return count
    out[count] = cython.cast(cython.uchar, byte)
    return count + 1


@_checks.checked(_checks.space_13a)
def space_13a(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    kinds: cython.uchar[::1],
    one: cython.uchar[::1],
    other: cython.uchar[::1],
    out: cython.uchar[::1],
    offsets: cython.longlong[::1],
) -> None:
    """Put single blanks around the tokens of mteval-v13a: line i becomes `out[offsets[i]:offsets[i + 1]]`.

    `kinds` gives 1 for punctuation, 2 for a period or a comma, and 3 for a digit. Each of the four rules
    reads what the one before it wrote; a match begins behind the end of the match before it, as with regular
    expressions. `one` and `other` are scratch.
    """
    line: cython.longlong
    i: cython.longlong
    size: cython.longlong
    count: cython.longlong = 0
    first: cython.longlong
    with cython.nogil:
        offsets[0] = 0
        for line in range(starts.shape[0]):
            size = _put(one, 0, 0, 32)
            for i in range(starts[line], ends[line]):
                if kinds[data[i]] == 1:
                    size = _put(one, 0, size, 32)
                    size = _put(one, 0, size, data[i])
                    size = _put(one, 0, size, 32)
                else:
                    size = _put(one, 0, size, data[i])
            first = _put(one, 0, size, 32)
            size = 0
            i = 0
            while i < first:  # a period or comma unless after a digit
                size = _put(other, 0, size, one[i])
                i += 1
                if i < first and kinds[one[i - 1]] != 3 and kinds[one[i]] == 2:
                    size = _put(other, 0, size, 32)
                    size = _put(other, 0, size, one[i])
                    size = _put(other, 0, size, 32)
                    i += 1
            first = size
            size = 0
            i = 0
            while i < first:  # a period or comma unless before a digit
                if i + 1 < first and kinds[other[i]] == 2 and kinds[other[i + 1]] != 3:
                    size = _put(one, 0, size, 32)
                    size = _put(one, 0, size, other[i])
                    size = _put(one, 0, size, 32)
                    i += 1
                size = _put(one, 0, size, other[i])
                i += 1
            first = count
            for i in range(size):  # a dash after a digit
                if i > 0 and one[i] == 45 and kinds[one[i - 1]] == 3:
                    count = _put(out, first, count, 32)
                    count = _put(out, first, count, 45)
                    count = _put(out, first, count, 32)
                else:
                    count = _put(out, first, count, one[i])
            offsets[line + 1] = count


@_checks.checked(_checks.rehash)
def rehash(old: cython.longlong[::1], table: cython.longlong[::1]) -> None:
    """Move the tokens of a table to an empty one that is larger."""
    mask: cython.longlong = table.shape[0] - 1
    i: cython.longlong
    slot: cython.longlong
    with cython.nogil:
        for i in range(old.shape[0]):
            if old[i] != 0:
                slot = (old[i] >> 31) & mask
                while table[slot] != 0:
                    slot = (slot + 1) & mask
                table[slot] = old[i]
