"""Merging: which steps of an alignment belong to one edit (Felice et al. 2016; Bryant et al. 2017).

Matches separate runs of steps and a transposition is an edit of its own. The rules look at every sub-run
of a run that has a substitution, the longest first. Most of them depend on the sub-run alone; these are
tried once for all. Those that ask where the run begins or ends are tried again for every part that is left.
"""

import cython

from errata.kernels import _checks, _edit_checks

SUBSTITUTION = cython.declare(cython.int, 1)
INSERTION = cython.declare(cython.int, 2)
DELETION = cython.declare(cython.int, 3)

# strategies
RULES = cython.declare(cython.int, 0)
ALL_SPLIT = cython.declare(cython.int, 1)
ALL_MERGE = cython.declare(cython.int, 2)

# flags of forms
CAPITAL = cython.declare(cython.int, 2)
SIGN = cython.declare(cython.int, 4)
# flags of parts of speech; the three lowest bits are those of verb phrases, and OTHER is none of these
VERBAL = cython.declare(cython.int, 15)
OTHER = cython.declare(cython.int, 8)
CONTENT = cython.declare(cython.int, 16)
PUNCT = cython.declare(cython.int, 32)
DET = cython.declare(cython.int, 64)
NONE = cython.declare(cython.int, 128)  # no part of speech is known

SUB_RUN = cython.declare(cython.longlong, 1000)  # what looking at one takes, measured against the alignment
# Columns of a step of a run: its operation, its tokens on both sides, the flags of their parts of speech, the
# part of speech that they share (-2: several), and how many substitutions there are before it.
OPERATION = cython.declare(cython.int, 0)
START = cython.declare(cython.int, 1)
END = cython.declare(cython.int, 2)
TO_START = cython.declare(cython.int, 3)
TO_END = cython.declare(cython.int, 4)
KINDS = cython.declare(cython.int, 5)
SHARED = cython.declare(cython.int, 6)
BEFORE = cython.declare(cython.int, 7)
# Settings of a language
POSSESSIVE = cython.declare(cython.int, 0)  # the tag of possessive endings, or -1
PHRASE = cython.declare(cython.int, 1)  # the flags of verb phrases
EXACTLY = cython.declare(cython.int, 2)  # 1 if a phrase has all of them, 0 if it has another number of words
WEIGHTED = cython.declare(cython.int, 3)  # 1 if letters are compared by weights


@cython.final
@cython.cclass
class _Work:
    """The columns of tokens, what is known of their numbers, and where a run and its edits are written."""

    run: cython.int[:, ::1]
    form: cython.int[::1]
    lower: cython.int[::1]
    upos: cython.int[::1]
    tag: cython.int[::1]
    flags: cython.uchar[::1]
    kinds: cython.uchar[::1]
    lower_offsets: cython.longlong[::1]
    lower_chars: cython.int[::1]
    char_offsets: cython.longlong[::1]
    codes: cython.int[::1]
    weights: cython.double[:, ::1]
    settings: cython.int[::1]
    table: cython.schar[::1]
    todo: cython.int[:, ::1]
    row: cython.double[::1]
    spans: cython.int[:, ::1]
    one: cython.longlong  # where the sentence of the source begins, and that of the correction
    other: cython.longlong


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _similar(at: _Work, one: cython.int, other: cython.int) -> cython.bint:
    """Whether two forms are so alike that they replace each other by themselves."""
    weighted: cython.bint = at.settings[WEIGHTED]
    a: cython.longlong = at.char_offsets[one]
    b: cython.longlong = at.char_offsets[other]
    rows: cython.longlong = at.char_offsets[one + 1] - a
    columns: cython.longlong = at.char_offsets[other + 1] - b
    if rows + columns == 0:
        return True
    for j in range(columns + 1):
        at.row[j] = j
    for i in range(rows):
        diagonal = at.row[0]
        at.row[0] = at.row[0] + 1
        for j in range(1, columns + 1):
            above = at.row[j]
            best = (above if above < at.row[j - 1] else at.row[j - 1]) + 1
            if weighted:
                diagonal = diagonal + at.weights[at.codes[a + i], at.codes[b + j - 1]]
            elif at.codes[a + i] != at.codes[b + j - 1]:
                diagonal = diagonal + 2
            if diagonal < best:
                best = diagonal
            at.row[j] = best
            diagonal = above
    if weighted:
        return 2 * at.row[columns] / (rows + columns) < 0.25
    return 1 - at.row[columns] / (rows + columns) > 0.75


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_letters(
    lower: cython.int[::1],
    o: cython.longlong,
    o_end: cython.longlong,
    c: cython.longlong,
    c_end: cython.longlong,
    offsets: cython.longlong[::1],
    chars: cython.int[::1],
) -> cython.bint:
    """Whether words in lower case have the same letters in a row, without apostrophes and hyphens."""
    i: cython.longlong = 0
    i_end: cython.longlong = 0
    j: cython.longlong = 0
    j_end: cython.longlong = 0
    while True:
        while True:
            while i == i_end and o < o_end:
                i = offsets[lower[o]]
                i_end = offsets[lower[o] + 1]
                o += 1
            if i == i_end or (chars[i] != 39 and chars[i] != 45):
                break
            i += 1
        while True:
            while j == j_end and c < c_end:
                j = offsets[lower[c]]
                j_end = offsets[lower[c] + 1]
                c += 1
            if j == j_end or (chars[j] != 39 and chars[j] != 45):
                break
            j += 1
        if i == i_end or j == j_end:
            return i == i_end and j == j_end
        if chars[i] != chars[j]:
            return False
        i += 1
        j += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _sign(at: _Work, token: cython.longlong) -> cython.bint:
    """Whether a token is punctuation."""
    return (at.kinds[at.upos[token]] & PUNCT) != 0 or (at.flags[at.form[token]] & SIGN) != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _possessive(at: _Work, o: cython.longlong, c: cython.longlong) -> cython.bint:
    wanted: cython.int = at.settings[POSSESSIVE]
    return wanted >= 0 and (at.tag[o] == wanted or at.tag[c] == wanted)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _merge_from(
    at: _Work, a: cython.longlong, b: cython.longlong, kinds_of_run: cython.int, shared: cython.int
) -> cython.longlong:
    """From which step on the sub-run `a` … `b` is to be merged, or -1."""
    if at.run[b + 1, BEFORE] == at.run[a, BEFORE]:
        return -1
    o: cython.longlong = at.one + at.run[a, START]
    o_end: cython.longlong = at.one + at.run[b, END]
    c: cython.longlong = at.other + at.run[a, TO_START]
    c_end: cython.longlong = at.other + at.run[b, TO_END]
    # friends → friend 's
    if _possessive(at, o_end - 1, c_end - 1):
        return b - 1
    # , we → . We
    if at.lower[o_end - 1] == at.lower[c_end - 1] and (
        (o_end - o > 1 and _sign(at, o_end - 2)) or (c_end - c > 1 and _sign(at, c_end - 2))
    ):
        return b - 1
    # acat → a cat, sub - way → subway
    if _same_letters(at.lower, o, o_end, c, c_end, at.lower_offsets, at.lower_chars):
        return a
    # to eat → eating, watch → look at
    if o_end - o != c_end - c and shared >= 0 and not (kinds_of_run & NONE):
        return a
    if at.settings[EXACTLY]:
        return a if kinds_of_run & VERBAL == at.settings[PHRASE] else -1
    return a if o_end - o != c_end - c and not (kinds_of_run & OTHER) else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _capital(at: _Work, first: cython.longlong, last: cython.longlong) -> cython.longlong:
    """Cat → The big cat: the last step up to which a run begins with one capital for several words, or -1."""
    b: cython.longlong = last
    o: cython.longlong = at.one + at.run[first, START]
    c: cython.longlong = at.other + at.run[first, TO_START]
    while b > first and at.run[b + 1, BEFORE] > at.run[first, BEFORE]:
        o_end = at.one + at.run[b, END]
        c_end = at.other + at.run[b, TO_END]
        if at.lower[o_end - 1] == at.lower[c_end - 1] and (
            (o_end - o == 1 and (at.flags[at.form[c]] & CAPITAL) != 0)
            or (c_end - c == 1 and (at.flags[at.form[o]] & CAPITAL) != 0)
        ):
            return b
        b -= 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _emit(
    at: _Work, first: cython.longlong, last: cython.longlong, place: cython.longlong
) -> cython.longlong:
    """Write the steps as one edit; gives the place behind it."""
    at.spans[place, 0] = at.run[first, START]
    at.spans[place, 1] = at.run[last, END]
    at.spans[place, 2] = at.run[first, TO_START]
    at.spans[place, 3] = at.run[last, TO_END]
    return place + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _push(
    at: _Work, size: cython.longlong, merged: cython.int, first: cython.longlong, last: cython.longlong
) -> cython.longlong:
    at.todo[size, 0] = merged
    at.todo[size, 1] = cython.cast(cython.int, first)
    at.todo[size, 2] = cython.cast(cython.int, last)
    return size + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _try_all(at: _Work, count: cython.longlong) -> cython.bint:
    """Put into the table which sub-runs of three steps and more are merged: 1 all of it, 2 its end, 0 not."""
    mask: cython.int
    shared: cython.int
    found: cython.bint = False
    for i in range(count):
        mask = 0
        shared = -1
        for token in range(at.one + at.run[i, START], at.one + at.run[i, END]):
            mask |= at.kinds[at.upos[token]]
            shared = at.upos[token] if shared == -1 or shared == at.upos[token] else -2
        for token in range(at.other + at.run[i, TO_START], at.other + at.run[i, TO_END]):
            mask |= at.kinds[at.upos[token]]
            shared = at.upos[token] if shared == -1 or shared == at.upos[token] else -2
        at.run[i, KINDS] = mask
        at.run[i, SHARED] = shared
    for a in range(count - 2):
        mask = at.run[a, KINDS] | at.run[a + 1, KINDS]
        shared = at.run[a, SHARED] if at.run[a, SHARED] == at.run[a + 1, SHARED] else -2
        for b in range(a + 2, count):
            mask |= at.run[b, KINDS]
            if at.run[b, SHARED] != shared:
                shared = -2
            begin = _merge_from(at, a, b, mask, shared)
            at.table[a * count + b] = 0 if begin < 0 else 1 if begin == a else 2
            if begin >= 0:
                found = True
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _longest(
    at: _Work, count: cython.longlong, first: cython.longlong, last: cython.longlong
) -> cython.longlong:
    """The place in the table of the longest sub-run to be merged, the first of these, or -1."""
    length: cython.longlong = last - first
    while length > 1:
        for a in range(first, last - length + 1):
            if at.table[a * count + a + length]:
                return a * count + a + length
        length -= 1
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _split_pair(at: _Work, a: cython.longlong, last: cython.longlong) -> cython.int:
    """The rules that split: 1 between two steps, 2 before the second, which is an edit, 0 not at all."""
    b: cython.longlong = a + 1
    if at.run[b, END] - at.run[a, START] == 2 and at.run[b, TO_END] - at.run[a, TO_START] == 2:
        return 1
    if at.run[a, OPERATION] == SUBSTITUTION and _similar(
        at, at.form[at.one + at.run[a, START]], at.form[at.other + at.run[a, TO_START]]
    ):
        return 1
    if at.run[b, OPERATION] == SUBSTITUTION and _similar(
        at, at.form[at.one + at.run[b, END] - 1], at.form[at.other + at.run[b, TO_END] - 1]
    ):
        return 1
    if b == last and (
        (at.run[b, OPERATION] != INSERTION and (at.kinds[at.upos[at.one + at.run[b, END] - 1]] & DET) != 0)
        or (
            at.run[b, OPERATION] != DELETION
            and (at.kinds[at.upos[at.other + at.run[b, TO_END] - 1]] & DET) != 0
        )
    ):
        return 2
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _one_operation(at: _Work, first: cython.longlong, last: cython.longlong) -> cython.bint:
    """Whether all steps are insertions, or all are deletions."""
    if at.run[first, OPERATION] == SUBSTITUTION:
        return False
    for i in range(first + 1, last + 1):
        if at.run[i, OPERATION] != at.run[first, OPERATION]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _merge_run(at: _Work, count: cython.longlong, place: cython.longlong) -> cython.longlong:
    """Write the edits of a run from left to right; gives the place behind them."""
    size: cython.longlong = _push(at, 0, 0, 0, count - 1)  # parts that are left, the first of them on top
    first: cython.longlong
    last: cython.longlong
    split: cython.int
    mask: cython.int
    some: cython.bint
    at.run[0, BEFORE] = 0
    for a in range(count):
        at.run[a + 1, BEFORE] = at.run[a, BEFORE] + (1 if at.run[a, OPERATION] == SUBSTITUTION else 0)
    some = at.run[count, BEFORE] > 0 and _try_all(at, count)
    while size > 0:
        size -= 1
        first = at.todo[size, 1]
        last = at.todo[size, 2]
        if first > last:
            continue
        if at.todo[size, 0] or first == last or _one_operation(at, first, last):
            place = _emit(at, first, last, place)
            continue
        if at.run[last + 1, BEFORE] == at.run[first, BEFORE]:
            for a in range(first, last + 1):
                place = _emit(at, a, a, place)
            continue
        if _possessive(at, at.one + at.run[first, START], at.other + at.run[first, TO_START]):
            place = _emit(at, first, first, place)
            size = _push(at, size, 0, first + 1, last)
            continue
        capital = _capital(at, first, last)
        best = _longest(at, count, first, last) if some else -1
        a = best // count if best >= 0 else -1
        b = best % count if best >= 0 else -1
        if (
            capital - first > 1
            and (best < 0 or capital - first >= b - a)
            # the same sub-run may be a case of both: possessive endings come first
            and not (
                a == first
                and b == capital
                and _possessive(at, at.one + at.run[b, END] - 1, at.other + at.run[b, TO_END] - 1)
            )
        ):
            place = _emit(at, first, capital, place)
            size = _push(at, size, 0, capital + 1, last)
            continue
        if best >= 0:
            begin = a if at.table[best] == 1 else b - 1
            size = _push(at, size, 0, b + 1, last)
            size = _push(at, size, 1, begin, b)
            size = _push(at, size, 0, first, begin - 1)
            continue
        split = 0
        begin = -1
        for a in range(first, last):
            b = a + 1
            if at.run[b + 1, BEFORE] == at.run[a, BEFORE]:
                continue
            shared = at.run[a, SHARED] if at.run[a, SHARED] == at.run[b, SHARED] else -2
            begin = _merge_from(at, a, b, at.run[a, KINDS] | at.run[b, KINDS], shared)
            if (
                a == first
                and capital == b
                and not _possessive(at, at.one + at.run[b, END] - 1, at.other + at.run[b, TO_END] - 1)
            ):
                begin = a
            if begin >= 0:
                break
            split = _split_pair(at, a, last)
            if split:
                break
        if begin >= 0:
            size = _push(at, size, 0, b + 1, last)
            size = _push(at, size, 1, begin, b)
            size = _push(at, size, 0, first, begin - 1)
        elif split == 1:
            size = _push(at, size, 0, b, last)
            size = _push(at, size, 0, first, a)
        elif split == 2:
            size = _push(at, size, 1, b, b)
            size = _push(at, size, 0, first, b - 1)
        else:
            mask = 0
            for a in range(first, last + 1):
                mask |= at.run[a, KINDS]
            if mask & CONTENT:
                place = _emit(at, first, last, place)
            else:
                for a in range(first, last + 1):
                    place = _emit(at, a, a, place)
    return place


@_checks.checked(_edit_checks.longest_runs)
def longest_runs(
    start: cython.longlong,
    stop: cython.longlong,
    step_offsets: cython.longlong[::1],
    steps: cython.int[::1],
    counts: cython.longlong[::1],
    most: cython.longlong,
    runs: cython.longlong[::1],
) -> None:
    """Write how many steps the longest run of every pair has; -1 if merging takes more work than `most`."""
    length: cython.longlong
    with cython.nogil:
        for p in range(start, stop):
            length = 0
            longest = 0
            spent = 0
            for i in range(step_offsets[p], step_offsets[p] + counts[p]):
                if SUBSTITUTION <= steps[i] <= DELETION:
                    length += 1
                    if length > longest:
                        longest = length
                else:
                    spent += SUB_RUN * length * length // 2
                    length = 0
            spent += SUB_RUN * length * length // 2
            runs[p] = -1 if spent > most else longest


@_checks.checked(_edit_checks.merge)
def merge(
    start: cython.longlong,
    stop: cython.longlong,
    strategy: cython.int,
    pairs: cython.longlong[:, ::1],  # sentence of the source, sentence of the correction
    offsets: cython.longlong[::1],  # of sentences in the columns of tokens
    form: cython.int[::1],
    lower: cython.int[::1],
    upos: cython.int[::1],
    tag: cython.int[::1],
    flags: cython.uchar[::1],  # of forms
    kinds: cython.uchar[::1],  # flags of parts of speech
    lower_offsets: cython.longlong[::1],  # of lower-cased words in their characters
    lower_chars: cython.int[::1],
    char_offsets: cython.longlong[::1],  # of forms in their characters
    codes: cython.int[::1],
    weights: cython.double[:, ::1],
    settings: cython.int[::1],
    step_offsets: cython.longlong[::1],
    steps: cython.int[::1],
    counts: cython.longlong[::1],  # steps of every pair
    run: cython.int[:, ::1],  # scratch: steps of the longest run + 1
    table: cython.schar[::1],  # scratch: sub-runs of the longest run
    todo: cython.int[:, ::1],  # scratch: twice the steps of the longest run + 3
    row: cython.double[::1],  # scratch: letters of the longest word + 1
    spans: cython.int[:, ::1],  # the edits of a pair, written from its first step on
    found: cython.longlong[::1],  # how many each pair has, written
) -> None:
    """Merge the steps of the pairs `start:stop`: the edits from left to right."""
    at = _Work()
    at.form, at.lower, at.upos, at.tag, at.flags, at.kinds = form, lower, upos, tag, flags, kinds
    at.lower_offsets, at.lower_chars = lower_offsets, lower_chars
    at.char_offsets, at.codes, at.weights, at.settings = char_offsets, codes, weights, settings
    at.run, at.table, at.todo, at.row, at.spans = run, table, todo, row, spans
    count: cython.longlong
    size: cython.int
    step: cython.int
    last: cython.int
    o: cython.int
    c: cython.int
    joined: cython.bint
    with cython.nogil:
        for p in range(start, stop):
            at.one = offsets[pairs[p, 0]]
            at.other = offsets[pairs[p, 1]]
            place = step_offsets[p]
            count = 0
            o = 0
            c = 0
            last = 0
            for i in range(step_offsets[p], step_offsets[p] + counts[p] + 1):
                step = steps[i] if i < step_offsets[p] + counts[p] else 0
                if strategy == RULES and count > 0 and not SUBSTITUTION <= step <= DELETION:
                    if count == 1:
                        place = _emit(at, 0, 0, place)
                    else:
                        place = _merge_run(at, count, place)
                    count = 0
                size = 1 if step <= DELETION else step - 2
                if step != 0:
                    # A step is written into the run, or as an edit that may go on with the one before it.
                    run[count, OPERATION] = step
                    run[count, START] = o
                    run[count, END] = o if step == INSERTION else o + size
                    run[count, TO_START] = c
                    run[count, TO_END] = c if step == DELETION else c + size
                    joined = last != 0 and (strategy == ALL_MERGE or (strategy > ALL_MERGE and last == step))
                    if strategy == RULES and step <= DELETION:
                        count += 1
                    elif strategy != RULES and joined:
                        spans[place - 1, 1] = run[0, END]
                        spans[place - 1, 3] = run[0, TO_END]
                    else:
                        place = _emit(at, count, count, place)
                last = step
                if step != INSERTION:
                    o += size
                if step != DELETION:
                    c += size
            found[p] = place - step_offsets[p]
