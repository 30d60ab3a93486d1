"""Text to token ids: splits lines of UTF-8 at blanks and gives every distinct token a number.

A vocabulary lies in three arrays: the bytes of its tokens behind each other, where each of them begins, and
a table of open addressing whose places hold 32 bits of a token's hash and its number plus 1 (0: empty). The
caller makes the arrays larger when a call comes back before its end.

Functions that are quick keep the GIL: two threads that took turns at them would take longer.
"""

from hashlib import blake2b

import cython

from errata.kernels import _checks, _text_checks

MASK = cython.declare(cython.ulonglong, 0xFFFFFFFF)
FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps the uncompiled twin within 64 bits
HIGH = cython.declare(cython.ulonglong, 0x8080808080808080)  # the bits that bytes of ASCII do not have
LOW = cython.declare(cython.ulonglong, 0x7F7F7F7F7F7F7F7F)
ABOVE = cython.declare(cython.ulonglong, 0x5F5F5F5F5F5F5F5F)  # added, it makes what is above a space high
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing
FEW = cython.declare(cython.longlong, 1024)  # digests that are made before another thread has the GIL
TAKEN = cython.declare(cython.int, 5)
MANY = cython.declare(cython.longlong, 65536)  # bytes whose tokens are numbered quickly
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
def _word(
    data: cython.const[cython.uchar][::1], i: cython.longlong, size: cython.longlong
) -> cython.ulonglong:
    """The first of so many bytes at `i`, eight at most, in one number."""
    word: cython.ulonglong = 0
    if not cython.compiled or i + 8 > data.shape[0]:
        for k in range(min(size, 8)):
            word |= cython.cast(cython.ulonglong, data[i + k]) << (8 * k)
        return word
    at: cython.pointer(cython.const[cython.uchar]) = cython.address(data[i])
    word = cython.cast(cython.ulonglong, at[0])  # which compilers make one instruction of, with the next
    word |= cython.cast(cython.ulonglong, at[1]) << 8
    word |= cython.cast(cython.ulonglong, at[2]) << 16
    word |= cython.cast(cython.ulonglong, at[3]) << 24
    word |= cython.cast(cython.ulonglong, at[4]) << 32
    word |= cython.cast(cython.ulonglong, at[5]) << 40
    word |= cython.cast(cython.ulonglong, at[6]) << 48
    word |= cython.cast(cython.ulonglong, at[7]) << 56
    return word if size >= 8 else word & (FULL >> (64 - 8 * size))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _hashed(
    data: cython.const[cython.uchar][::1], begin: cython.longlong, size: cython.longlong
) -> cython.longlong:
    """The hash of so many bytes, in 32 bits."""
    hashed: cython.ulonglong = cython.cast(cython.ulonglong, size)
    while size > 0:
        hashed = ((hashed ^ _word(data, begin, size)) * FACTOR) & FULL
        hashed = hashed ^ (hashed >> 32)
        begin += 8
        size -= 8
    return cython.cast(cython.longlong, hashed & MASK)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _end(
    data: cython.const[cython.uchar][::1],
    i: cython.longlong,
    end: cython.longlong,
    classes: cython.uchar[::1],
) -> cython.longlong:
    """Where the token that begins at `i` ends: `end`, or before a blank."""
    while i < end:
        if i + 8 <= data.shape[0]:
            word = _word(data, i, 8)
            other = (FULL ^ ((word & LOW) + ABOVE) | word) & HIGH  # the bytes that are no signs of ASCII
            if other == 0:
                i += 8
                continue
            other = other & (FULL ^ (other - 1))  # the first of them
            i += cython.cast(cython.longlong, ((((other - 1) & ONES) * ONES) & FULL) >> 56) - 1
            if i >= end:
                return end
        if data[i] == 32 or _blank(data, i, end, classes) != 0:
            return i
        i += 1
        while i < end and data[i] >= 0x80 and classes[data[i]] == 0:
            i += 1
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _find(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    size: cython.longlong,
    hashed: cython.longlong,
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.uchar[::1],
    known: cython.longlong,
) -> cython.longlong:
    """The number of a token, if it is below `known`; else -1 - the free place in the table.

    Another thread may add tokens meanwhile: their numbers are not below `known`, and they are not looked at.
    """
    mask: cython.longlong = table.shape[0] - 1
    slot: cython.longlong = hashed & mask
    i: cython.longlong
    while table[slot] != 0:
        if table[slot] >> 31 == hashed:
            number = (table[slot] & 0x7FFFFFFF) - 1
            if number < known:
                first = places[number]
                if places[number + 1] - first == size:
                    i = 0
                    while i < size and _word(data, begin + i, size - i) == _word(
                        letters, first + i, size - i
                    ):
                        i += 8
                    if i >= size:
                        return number
        slot = (slot + 1) & mask
    return -1 - slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _number(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    size: cython.longlong,
    hashed: cython.longlong,
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.uchar[::1],
    state: cython.longlong[::1],
) -> cython.longlong:
    """The number of a token, which is added where it is new; -1 where there is no room."""
    number: cython.longlong = state[0]
    found: cython.longlong = _find(data, begin, size, hashed, table, places, letters, number)
    if found >= 0:
        return found
    first = places[number]
    if number + 2 > places.shape[0] or 2 * (number + 1) >= table.shape[0] or first + size > letters.shape[0]:
        return -1
    for i in range(size):
        letters[first + i] = data[begin + i]
    places[number + 1] = first + size
    table[-1 - found] = (hashed << 31) | (number + 1)
    state[0] = number + 1
    return number


@_checks.checked(_text_checks.number_lines)
def number_lines(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    line: cython.longlong,
    classes: cython.uchar[::1],
    known: cython.longlong,
    known_table: cython.longlong[::1],
    known_places: cython.longlong[::1],
    known_letters: cython.uchar[::1],
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.uchar[::1],
    state: cython.longlong[::1],
    ids: cython.int[::1],
    offsets: cython.longlong[::1],
    irregular: cython.uchar[::1],
) -> cython.longlong:
    """The tokens of the lines from `line` on; gives the line before which the vocabulary was full.

    The first `known` tokens are those of another vocabulary, which is not changed; others are numbered on.
    `irregular` gets 1 for lines with anything but a single space between two tokens. `state` has the number
    of tokens in the vocabulary, and gets a 1 behind it where a line had a blank that is none of ASCII.
    """
    hashed: cython.longlong
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
                i = _end(data, i, end, classes)
                hashed = _hashed(data, begin, i - begin)
                found = -1
                if known > 0:
                    found = _find(
                        data, begin, i - begin, hashed, known_table, known_places, known_letters, known
                    )
                if found < 0:
                    found = _number(data, begin, i - begin, hashed, table, places, letters, state)
                    if found < 0:
                        full = 1
                        break
                    found += known
                ids[count] = cython.cast(cython.int, found)
                count += 1
                before = i
                if i < end and data[i] == 32:
                    i += 1
            if full:
                break
            line += 1
            offsets[line] = count
    return line


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _number_whole(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    token: cython.longlong,
    last: cython.longlong,
    table: cython.longlong[::1],
    places: cython.longlong[::1],
    letters: cython.uchar[::1],
    state: cython.longlong[::1],
    ids: cython.int[::1],
) -> cython.longlong:
    hashed: cython.longlong
    while token < last:
        i = starts[token]
        hashed = _hashed(data, i, ends[token] - i)
        found = _number(data, i, ends[token] - i, hashed, table, places, letters, state)
        if found < 0:
            break
        ids[token] = cython.cast(cython.int, found)
        token += 1
    return token


@_checks.checked(_text_checks.number_tokens)
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
    last: cython.longlong = starts.shape[0]
    if token == last or ends[last - 1] - starts[token] < MANY:
        token = _number_whole(data, starts, ends, token, last, table, places, letters, state, ids)
    else:
        with cython.nogil:
            token = _number_whole(data, starts, ends, token, last, table, places, letters, state, ids)
    return token


@_checks.checked(_text_checks.renumber)
def renumber(ids: cython.int[::1], first: cython.longlong, numbers: cython.int[::1]) -> None:
    """Put `numbers[k]` in place of the id `first + k`."""
    for i in range(ids.shape[0]):
        if ids[i] >= first:
            ids[i] = numbers[ids[i] - first]


@_checks.checked(_text_checks.apply_edits)
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


@_checks.checked(_text_checks.joined)
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


@_checks.checked(_text_checks.fold)
def fold(
    ids: cython.int[::1],
    offsets: cython.longlong[::1],
    codes: cython.ulonglong[::1],
    out: cython.ulonglong[::1],
) -> None:
    """A code per row from those of its tokens, their order and number; an id below 0 has the code 1."""
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


# The order of the words of a message in the rounds of BLAKE2 (RFC 7693), 4 bits each.
ROUNDS = (
    0xFEDCBA9876543210, 0x357B20C16DF984AE, 0x491763EADF250C8B, 0x8F04A562EBCD1397,
    0xD386CB1EFA427509, 0x91EF57D438B0A6C2, 0xB8293670A4DEF15C, 0xA2684F05931CE7BD,
    0x5A417D2C803B9EF6, 0x0DC3E9BF5167482A, 0xFEDCBA9876543210, 0x357B20C16DF984AE,
)  # fmt: skip
START = (
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
)  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _mix(
    v: cython.p_ulonglong,
    a: cython.int,
    b: cython.int,
    c: cython.int,
    d: cython.int,
    one: cython.ulonglong,
    other: cython.ulonglong,
) -> cython.void:
    """The function G of BLAKE2b."""
    v[a] = v[a] + v[b] + one
    v[d] = v[d] ^ v[a]
    v[d] = (v[d] >> 32) | (v[d] << 32)
    v[c] = v[c] + v[d]
    v[b] = v[b] ^ v[c]
    v[b] = (v[b] >> 24) | (v[b] << 40)
    v[a] = v[a] + v[b] + other
    v[d] = v[d] ^ v[a]
    v[d] = (v[d] >> 16) | (v[d] << 48)
    v[c] = v[c] + v[d]
    v[b] = v[b] ^ v[c]
    v[b] = (v[b] >> 63) | (v[b] << 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _digest(
    data: cython.const[cython.uchar][::1],
    begin: cython.longlong,
    end: cython.longlong,
    start: cython.p_ulonglong,
    rounds: cython.p_ulonglong,
) -> cython.ulonglong:
    """BLAKE2b of the bytes `begin:end`, the first eight bytes of an eight-byte digest."""
    h = cython.declare(cython.ulonglong[8])
    v = cython.declare(cython.ulonglong[16])
    m = cython.declare(cython.ulonglong[16])
    k: cython.int
    place: cython.longlong = begin
    for k in range(8):
        h[k] = start[k]
    h[0] = h[0] ^ 0x01010008
    while True:
        size = min(end - place, 128)
        for k in range(16):
            m[k] = 0
        for i in range(size):
            m[i >> 3] |= cython.cast(cython.ulonglong, data[place + i]) << (8 * (i & 7))
        place += size
        for k in range(8):
            v[k] = h[k]
            v[k + 8] = start[k]
        v[12] = v[12] ^ cython.cast(cython.ulonglong, place - begin)
        if place == end:
            v[14] = ~v[14]
        for k in range(12):
            order = rounds[k]
            _mix(v, 0, 4, 8, 12, m[order & 15], m[(order >> 4) & 15])
            _mix(v, 1, 5, 9, 13, m[(order >> 8) & 15], m[(order >> 12) & 15])
            _mix(v, 2, 6, 10, 14, m[(order >> 16) & 15], m[(order >> 20) & 15])
            _mix(v, 3, 7, 11, 15, m[(order >> 24) & 15], m[(order >> 28) & 15])
            _mix(v, 0, 5, 10, 15, m[(order >> 32) & 15], m[(order >> 36) & 15])
            _mix(v, 1, 6, 11, 12, m[(order >> 40) & 15], m[(order >> 44) & 15])
            _mix(v, 2, 7, 8, 13, m[(order >> 48) & 15], m[(order >> 52) & 15])
            _mix(v, 3, 4, 9, 14, m[(order >> 56) & 15], m[order >> 60])
        for k in range(8):
            h[k] = h[k] ^ v[k] ^ v[k + 8]
        if place == end:
            return h[0]


@_checks.checked(_text_checks.digests)
def digests(
    data: cython.const[cython.uchar][::1],
    places: cython.longlong[::1],
    known: cython.ulonglong[::1],
    out: cython.ulonglong[::1],
) -> None:
    """The digests of the tokens, eight bytes of BLAKE2b each; those of the first ones are known."""
    first: cython.longlong = known.shape[0]
    last: cython.longlong = out.shape[0]
    for token in range(first):
        out[token] = known[token]
    if not cython.compiled:  # it would take a hundred times as long as Python's own
        for token in range(first, last):
            text = data[places[token] : places[token + 1]].tobytes()
            out[token] = int.from_bytes(blake2b(text, digest_size=8).digest(), "little")
        return
    start = cython.declare(cython.ulonglong[8])
    rounds = cython.declare(cython.ulonglong[12])
    for token in range(8):
        start[token] = START[token]
    for token in range(12):
        rounds[token] = ROUNDS[token]
    for token in range(first, min(last, first + FEW)):
        out[token] = _digest(data, places[token], places[token + 1], start, rounds)
    if last - first > FEW:
        with cython.nogil:
            for token in range(first + FEW, last):
                out[token] = _digest(data, places[token], places[token + 1], start, rounds)


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


@_checks.checked(_text_checks.space_13a)
def space_13a(
    data: cython.const[cython.uchar][::1],
    starts: cython.longlong[::1],
    ends: cython.longlong[::1],
    kinds: cython.uchar[::1],
    out: cython.uchar[::1],
    offsets: cython.longlong[::1],
) -> None:
    """Put single blanks around the tokens of mteval-v13a: line i becomes `out[offsets[i]:offsets[i + 1]]`.

    `kinds` gives 1 for punctuation, 2 for a period or a comma, 3 for a digit, and 4 for a dash, which is a
    token after a digit. Periods and commas are tokens by two rules: those that are not after a digit, then
    those that are not before one. The first is a regular expression that takes the character before along, so
    that it passes over a period or comma behind one that it found (which is `TAKEN`).
    """
    count: cython.longlong = 0
    before: cython.int
    kind: cython.int
    alone: cython.bint
    with cython.nogil:
        offsets[0] = 0
        for line in range(starts.shape[0]):
            first = count
            count = _put(out, first, count, 32)
            before = 0
            for i in range(starts[line], ends[line]):
                kind = kinds[data[i]]
                alone = kind == 1
                if kind == 2:
                    if before != 3 and before != TAKEN:
                        kind = TAKEN
                    alone = kind == TAKEN or i + 1 == ends[line] or kinds[data[i + 1]] != 3
                elif kind == 4:
                    alone = before == 3
                if alone:
                    count = _put(out, first, count, 32)
                count = _put(out, first, count, data[i])
                if alone:
                    count = _put(out, first, count, 32)
                before = kind
            count = _put(out, first, count, 32)
            offsets[line + 1] = count


@_checks.checked(_text_checks.rehash)
def rehash(old: cython.longlong[::1], table: cython.longlong[::1]) -> None:
    """Move the tokens of a table to an empty one that is larger."""
    mask: cython.longlong = table.shape[0] - 1
    with cython.nogil:
        for i in range(old.shape[0]):
            if old[i] != 0:
                slot = (old[i] >> 31) & mask
                while table[slot] != 0:
                    slot = (slot + 1) & mask
                table[slot] = old[i]
