"""Damage text by a table of errors: one pass over code points, integers only, so both twins agree.

Probabilities are 32-bit thresholds (p · 2^32), factors 16.16 fixed point. Every line has a random state
of its own (a multiply-with-carry generator), so the result does not depend on how lines are grouped.
"""

import cython

# Columns of `chances`, thresholds for every token, and of `factors`, means and deviations per sentence.
INSERT = 0
DELETE = 1
SWAP = 2
LOWER = 3  # of a word that begins with a capital
UPPER = 4  # of a word that does not
CAPITALS = 5
STRIP = 6  # all diacritics of a word
STRIP_LINE = 7  # all diacritics of a line
JOIN = 8
SPLIT = 9

SUBSTITUTE = 0
REMOVE = 1
ADD = 2
TRANSPOSE = 3

# Bits of `flags`, by code point.
WORD = 1
IS_UPPER = 2
IS_LOWER = 4
SPACE = 8


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _low(state: cython.longlong) -> cython.longlong:
    """The draw in a state: its lower 32 bits (a mask this long would be a Python object to Cython)."""
    return state - ((state >> 32) << 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _next(state: cython.longlong) -> cython.longlong:
    """Marsaglia's multiply-with-carry with base 2^32: below 2^62, so no twin overflows."""
    return 698769069 * _low(state) + (state >> 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _factor(
    states: cython.longlong[::1], mean: cython.longlong, deviation: cython.longlong
) -> cython.longlong:
    """A draw from a normal distribution (a sum of twelve uniform ones), not below 0 nor above 2^20."""
    state: cython.longlong = cython.cast(cython.longlong, states[0])
    total: cython.longlong = 0
    k: cython.longlong
    for k in range(12):
        state = _next(state)
        total += _low(state)
    states[0] = state
    total = mean + ((deviation * ((total >> 12) - 6291456)) >> 20)
    if total < 0:
        return 0
    return total if total < 1048576 else 1048576


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _hash(
    text: cython.int[::1], begin: cython.longlong, end: cython.longlong, lower_first: cython.int[::1]
) -> cython.longlong:
    """A hash of code points (54 bits); `lower_first` maps the first one (an empty array: none)."""
    value: cython.longlong = 5381
    for i in range(begin, end):
        code = cython.cast(cython.longlong, text[i])
        if i == begin and lower_first.shape[0] > 0 and code < 65536:
            code = cython.cast(cython.longlong, lower_first[code])
        value = ((value - ((value >> 40) << 40)) * 8191 + code) ^ (value >> 40)
    return value + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(-2)
@cython.inline
def _find(keys: cython.longlong[::1], rows: cython.int[::1], key: cython.longlong) -> cython.longlong:
    """The row of a key in an open-addressing table whose size is a power of two, or -1."""
    mask: cython.longlong = keys.shape[0] - 1
    slot: cython.longlong = (key ^ (key >> 21)) & mask
    while keys[slot] != 0:
        if keys[slot] == key:
            return cython.cast(cython.longlong, rows[slot])
        slot = (slot + 1) & mask
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _choose(
    cumulative: cython.longlong[::1], begin: cython.longlong, end: cython.longlong, draw: cython.longlong
) -> cython.longlong:
    """The first entry of `begin:end` whose cumulative threshold lies above the draw."""
    end -= 1
    while begin < end:
        middle = (begin + end) >> 1
        if cumulative[middle] > draw:
            end = middle
        else:
            begin = middle + 1
    return begin


def hash_words(text: cython.int[::1], offsets: cython.longlong[::1], out: cython.longlong[::1]):
    """The hash of every word of a flat array of code points."""
    nothing: cython.int[::1] = text[:0]
    with cython.nogil:
        for i in range(out.shape[0]):
            out[i] = _hash(text, offsets[i], offsets[i + 1], nothing)


def fill_table(hashes: cython.longlong[::1], keys: cython.longlong[::1], rows: cython.int[::1]):
    """Put row i at the key `hashes[i]`; the first of two equal keys stays."""
    mask: cython.longlong = keys.shape[0] - 1
    with cython.nogil:
        for i in range(hashes.shape[0]):
            key = cython.cast(cython.longlong, hashes[i])
            slot = (key ^ (key >> 21)) & mask
            while keys[slot] != 0 and keys[slot] != key:
                slot = (slot + 1) & mask
            if keys[slot] == 0:
                keys[slot] = key
                rows[slot] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _split_line(
    text: cython.int[::1],
    begin: cython.longlong,
    end: cython.longlong,
    flags: cython.uchar[::1],
    tokens: cython.longlong[:, ::1],
) -> cython.longlong:
    """Find the tokens of a line (start, end, whether a space precedes, whether it is a word); their number.

    Tokens are runs of word characters, and other signs one by one; an apostrophe inside a word belongs to it.
    """
    count: cython.longlong = 0
    i: cython.longlong = begin
    space: cython.longlong = 0
    which: cython.longlong
    code: cython.longlong
    while i < end:
        code = text[i]
        which = 1 if code >= 65536 else flags[code]
        if which & 8:
            space = 1
            i += 1
            continue
        j = i + 1
        if which & 1:
            while j < end:
                code = text[j]
                if code >= 65536 or flags[code] & 1:
                    j += 1
                elif (
                    (code == 39 or code == 8217)
                    and j + 1 < end
                    and text[j + 1] < 65536
                    and flags[text[j + 1]] & 1
                ):
                    j += 2
                else:
                    break
        tokens[count, 0] = i
        tokens[count, 1] = j
        tokens[count, 2] = space
        tokens[count, 3] = which & 1
        count += 1
        space = 0
        i = j
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _copy(
    pool: cython.int[::1],
    begin: cython.longlong,
    end: cython.longlong,
    out: cython.int[::1],
    used: cython.longlong,
) -> cython.longlong:
    """Append the code points `begin:end` of the pool; returns how much of `out` is used."""
    for i in range(begin, end):
        out[used] = pool[i]
        used += 1
    return used


@cython.cfunc
@cython.nogil
@cython.exceptval(-2)
@cython.inline
def _suffix(
    text: cython.int[::1],
    first: cython.longlong,
    last: cython.longlong,
    keys: cython.longlong[::1],
    rows: cython.int[::1],
    nothing: cython.int[::1],
) -> cython.longlong:
    """The longest known suffix with at least two characters before it: 8 · row + length, or -1."""
    length: cython.longlong = 4
    while length > 0:
        if last - first >= length + 2:
            row = _find(keys, rows, _hash(text, last - length, last, nothing))
            if row >= 0:
                return 8 * row + length
        length -= 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _spell(
    text: cython.int[::1],
    first: cython.longlong,
    last: cython.longlong,
    stop: cython.longlong,
    split: cython.longlong,
    strip: cython.longlong,
    recase: cython.longlong,
    factor: cython.longlong,
    lower: cython.int[::1],
    upper: cython.int[::1],
    plain: cython.int[::1],
    char_class: cython.int[::1],
    char_chances: cython.longlong[::1],
    char_offsets: cython.longlong[::1],
    char_choices: cython.longlong[:, ::1],
    char_cumulative: cython.longlong[::1],
    states: cython.longlong[::1],
    line: cython.longlong,
    out: cython.int[::1],
    used: cython.longlong,
) -> cython.longlong:
    """Write the characters `first:stop` of a token with errors; returns how much of `out` is used.

    `split` is where a space comes in, `recase` 1 for a small first letter, 2 for a capital, 3 for capitals.
    """
    state: cython.longlong = cython.cast(cython.longlong, states[line])
    i: cython.longlong = first
    while i < stop:
        code = text[i]
        if i == split:
            out[used] = 32
            used += 1
        if code < 65536:
            if strip:
                code = plain[code]
            if recase == 1 and i == first:
                code = lower[code]
            elif (recase == 2 and i == first) or recase == 3:
                code = upper[code]
            row = char_class[code]
            if row >= 0:
                state = _next(state)
                if _low(state) < (char_chances[row] * factor) >> 16:
                    state = _next(state)
                    row = _choose(char_cumulative, char_offsets[row], char_offsets[row + 1], _low(state))
                    kind = char_choices[row, 0]
                    if kind == 0:
                        code = char_choices[row, 1]
                    elif kind == 1:
                        # A word of one letter keeps it: to lose a word is an error of its own.
                        if last - first > 1:
                            i += 1
                            continue
                    elif kind == 2:
                        out[used] = code
                        used += 1
                        code = char_choices[row, 1]
                    elif i + 1 < stop:
                        out[used] = text[i + 1]
                        used += 1
                        i += 1
        out[used] = code
        used += 1
        i += 1
    states[line] = state
    return used


def apply(
    text: cython.int[::1],
    states: cython.longlong[::1],
    factors: cython.longlong[::1],
    flags: cython.uchar[::1],
    lower: cython.int[::1],
    upper: cython.int[::1],
    plain: cython.int[::1],
    chances: cython.longlong[::1],
    pool: cython.int[::1],
    inserts: cython.longlong[:, ::1],
    insert_cumulative: cython.longlong[::1],
    word_keys: cython.longlong[::1],
    word_rows: cython.int[::1],
    word_chances: cython.longlong[::1],
    word_offsets: cython.longlong[::1],
    suffix_keys: cython.longlong[::1],
    suffix_rows: cython.int[::1],
    suffix_chances: cython.longlong[::1],
    suffix_offsets: cython.longlong[::1],
    choices: cython.longlong[:, ::1],
    choice_cumulative: cython.longlong[::1],
    char_class: cython.int[::1],
    char_chances: cython.longlong[::1],
    char_offsets: cython.longlong[::1],
    char_choices: cython.longlong[:, ::1],
    char_cumulative: cython.longlong[::1],
    tokenized: cython.longlong,
    tokens: cython.longlong[:, ::1],
    out: cython.int[::1],
) -> cython.longlong:
    """Damage the lines of `text` (each ends with a line feed); returns how much of `out` is used.

    `pool` holds the code points of all replacements; `inserts` and `choices` are ranges of it. `tokens`
    is scratch with a row for every code point of the longest line; `out` holds 2 · length + 256 a line.
    """
    size: cython.longlong = text.shape[0]
    line: cython.longlong = 0
    begin: cython.longlong = 0
    used: cython.longlong = 0
    t: cython.longlong
    code: cython.longlong
    recase: cython.longlong
    strip_line: cython.longlong
    joined: cython.longlong
    with cython.nogil:
        while begin < size:
            end = begin
            while text[end] != 10:
                end += 1
            limit = used + 2 * (end - begin) + 200
            count = _split_line(text, begin, end, flags, tokens)
            word_factor = _factor(states[line : line + 1], factors[0], factors[1])
            char_factor = _factor(states[line : line + 1], factors[2], factors[3])
            state = cython.cast(cython.longlong, states[line])
            state = _next(state)
            strip_line = 1 if _low(state) < (chances[7] * word_factor) >> 16 else 0
            joined = 1  # nothing precedes
            swapped = -1
            t = 0
            while t < count:
                # What is left always fits as it is: errors are made only with room to spare.
                if used + 2 * (end - tokens[t, 0]) + 160 > limit:
                    word_factor = 0
                    char_factor = 0
                    strip_line = 0
                k = t
                if swapped >= 0:
                    k = swapped
                    swapped = -1
                elif (
                    t + 1 < count
                    and tokens[t, 3]
                    and tokens[t + 1, 3]
                    and tokens[t + 1, 2]
                    and tokens[t + 1, 1] - tokens[t, 0] < 80
                ):
                    state = _next(state)
                    if _low(state) < (chances[2] * word_factor) >> 16:
                        k = t + 1
                        swapped = t
                first = tokens[k, 0]
                last = tokens[k, 1]
                is_word = tokens[k, 3]
                space = tokens[t, 2]
                t += 1
                if space and not joined:
                    state = _next(state)
                    if _low(state) < (chances[8] * word_factor) >> 16:
                        space = 0
                if joined:
                    space = 0
                state = _next(state)
                if insert_cumulative.shape[0] > 0 and _low(state) < (chances[0] * word_factor) >> 16:
                    state = _next(state)
                    which = _choose(insert_cumulative, 0, insert_cumulative.shape[0], _low(state))
                    i = inserts[which, 0]
                    code = pool[i]
                    if not joined and (tokenized or (code < 65536 and flags[code] & 1)):
                        out[used] = 32
                        used += 1
                    used = _copy(pool, i, inserts[which, 1], out, used)
                    space = 1
                    joined = 0
                # Whole words: a row of their own, else without the capital.
                recase = 0
                row = _find(word_keys, word_rows, _hash(text, first, last, lower[:0]))
                code = text[first]
                if row < 0 and code < 65536 and flags[code] & 2:
                    row = _find(word_keys, word_rows, _hash(text, first, last, lower))
                    recase = 1
                if row >= 0:
                    state = _next(state)
                    if _low(state) < (word_chances[row] * word_factor) >> 16:
                        state = _next(state)
                        which = _choose(
                            choice_cumulative, word_offsets[row], word_offsets[row + 1], _low(state)
                        )
                        i = choices[which, 0]
                        stop = choices[which, 1]
                        if i < stop:
                            if space:
                                out[used] = 32
                                used += 1
                            code = pool[i]
                            if recase and code < 65536:
                                code = upper[code]
                            out[used] = code
                            used += 1
                            used = _copy(pool, i + 1, stop, out, used)
                            joined = 0
                        continue
                state = _next(state)
                if _low(state) < (chances[1] * word_factor) >> 16:
                    continue
                # An affix: another one in place of the longest known suffix.
                stop = last
                which = -1
                if is_word and suffix_chances.shape[0] > 0:
                    length = _suffix(text, first, last, suffix_keys, suffix_rows, lower[:0])
                    if length >= 0:
                        row = length >> 3
                        state = _next(state)
                        if _low(state) < (suffix_chances[row] * word_factor) >> 16:
                            state = _next(state)
                            which = _choose(
                                choice_cumulative, suffix_offsets[row], suffix_offsets[row + 1], _low(state)
                            )
                            stop = last - (length & 7)
                recase = 0
                strip = strip_line
                split = -1
                if is_word:
                    state = _next(state)
                    code = text[first]
                    row = flags[code] if code < 65536 else 0
                    if row & 2:
                        if _low(state) < (chances[3] * word_factor) >> 16:
                            recase = 1
                    elif row & 4:
                        if _low(state) < (chances[4] * word_factor) >> 16:
                            recase = 2
                    state = _next(state)
                    if _low(state) < (chances[5] * word_factor) >> 16:
                        recase = 3
                    state = _next(state)
                    if _low(state) < (chances[6] * word_factor) >> 16:
                        strip = 1
                    if last - first > 1:
                        state = _next(state)
                        if _low(state) < (chances[9] * word_factor) >> 16:
                            state = _next(state)
                            split = first + 1 + ((_low(state) * (last - first - 1)) >> 32)
                if space:
                    out[used] = 32
                    used += 1
                joined = 0
                states[line] = state
                used = _spell(
                    text, first, last, stop, split, strip, recase, char_factor, lower, upper, plain,
                    char_class, char_chances, char_offsets, char_choices, char_cumulative,
                    states, line, out, used,
                )  # fmt: skip
                state = states[line]
                if which >= 0:
                    used = _copy(pool, choices[which, 0], choices[which, 1], out, used)
            out[used] = 10
            used += 1
            begin = end + 1
            line += 1
    return used
