"""Changes between texts as EM-Diff knows them: differences of characters, widened to whole words.

Characters that stay are those of the longest common substring, and of those before and behind it (Ratcliff &
Metzener 1988); of equally long ones the first in the source counts, then the first in the text. This is what
`difflib.SequenceMatcher` finds without its heuristics.
"""

import cython
import numpy as np

from errata.kernels import _checks, _metric_checks

BLANK = cython.declare(cython.int, 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _inside(
    text: cython.int[::1], begin: cython.longlong, size: cython.longlong, place: cython.longlong
) -> cython.bint:
    """Whether a place is inside of a word."""
    return 0 < place < size and text[begin + place - 1] != BLANK and text[begin + place] != BLANK


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same(
    x: cython.int[::1],
    x0: cython.longlong,
    y: cython.int[::1],
    y0: cython.longlong,
    size: cython.longlong,
) -> cython.bint:
    """Whether two runs of characters are equal."""
    for t in range(size):
        if x[x0 + t] != y[y0 + t]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_change(
    a: cython.int[::1],
    a0: cython.longlong,
    b: cython.int[::1],
    b0: cython.longlong,
    ours: cython.int[:, ::1],
    x: cython.longlong,
    c: cython.int[::1],
    c0: cython.longlong,
    theirs: cython.int[:, ::1],
    y: cython.longlong,
) -> cython.bint:
    """Whether change x of text b and change y of text c put the same in place of the same."""
    before = ours[x, 1] - ours[x, 0]
    after = ours[x, 3] - ours[x, 2]
    if theirs[y, 1] - theirs[y, 0] != before or theirs[y, 3] - theirs[y, 2] != after:
        return False
    return _same(a, a0 + ours[x, 0], a, a0 + theirs[y, 0], before) and _same(
        b, b0 + ours[x, 2], c, c0 + theirs[y, 2], after
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _match(
    a: cython.int[::1],
    a0: cython.longlong,
    n: cython.longlong,
    b: cython.int[::1],
    b0: cython.longlong,
    m: cython.longlong,
    last: cython.int[::1],
    scratch: cython.longlong[:, ::1],
) -> cython.void:
    """Write to line 7 of `scratch`, for every character of a that stays, its place in b, and for others -1.

    `last` has a 0 for every character and is left like that. Of `scratch`, the first lines are for places in
    b: the one before with the same character, the length of the run that ends there and when it was found;
    the next four are ranges that are still to be matched.
    """
    stamp: cython.longlong = 0
    ranges: cython.longlong = 1
    low: cython.longlong
    high: cython.longlong
    begin: cython.longlong
    end: cython.longlong
    best_i: cython.longlong
    best_j: cython.longlong
    size: cython.longlong
    run: cython.longlong
    j: cython.longlong
    for j in range(m):
        scratch[0, j] = last[b[b0 + j]] - 1
        last[b[b0 + j]] = cython.cast(cython.int, j + 1)
        scratch[2, j] = 0
    for i in range(n):
        scratch[7, i] = -1
    scratch[3, 0] = 0
    scratch[4, 0] = n
    scratch[5, 0] = 0
    scratch[6, 0] = m
    while ranges > 0:
        ranges -= 1
        low = scratch[3, ranges]
        high = scratch[4, ranges]
        begin = scratch[5, ranges]
        end = scratch[6, ranges]
        best_i = low
        best_j = begin
        size = 0
        stamp += 1
        for i in range(low, high):
            stamp += 1
            j = last[a[a0 + i]] - 1
            while j >= end:
                j = scratch[0, j]
            while j >= begin:
                run = 1
                if j > begin and scratch[2, j - 1] == stamp - 1:
                    run = scratch[1, j - 1] + 1
                scratch[1, j] = run
                scratch[2, j] = stamp
                if run > size or (run == size and i - run + 1 == best_i):  # of one line the leftmost
                    best_i = i - run + 1
                    best_j = j - run + 1
                    size = run
                j = scratch[0, j]
        if size == 0:
            continue
        for t in range(size):
            scratch[7, best_i + t] = best_j + t
        if low < best_i and begin < best_j:
            scratch[3, ranges] = low
            scratch[4, ranges] = best_i
            scratch[5, ranges] = begin
            scratch[6, ranges] = best_j
            ranges += 1
        if best_i + size < high and best_j + size < end:
            scratch[3, ranges] = best_i + size
            scratch[4, ranges] = high
            scratch[5, ranges] = best_j + size
            scratch[6, ranges] = end
            ranges += 1
    for j in range(m):
        last[b[b0 + j]] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _changes(
    a: cython.int[::1],
    a0: cython.longlong,
    n: cython.longlong,
    b: cython.int[::1],
    b0: cython.longlong,
    m: cython.longlong,
    last: cython.int[::1],
    scratch: cython.longlong[:, ::1],
    spans: cython.int[:, ::1],
    first: cython.longlong,
) -> cython.longlong:
    """Write the different changes to `spans` from `first` on, as places in a and in b; gives their number."""
    found: cython.longlong = first
    i: cython.longlong = 0
    j: cython.longlong = 0
    x: cython.longlong
    y: cython.longlong
    begin: cython.longlong
    end: cython.longlong
    start: cython.longlong
    stop: cython.longlong
    kept: cython.longlong
    if n == m and _same(a, a0, b, b0, n):
        return 0
    _match(a, a0, n, b, b0, m, last, scratch)
    while True:
        x = i
        while x < n and scratch[7, x] < 0:
            x += 1
        y = scratch[7, x] if x < n else m
        if i < x or j < y:
            begin = i
            end = x
            start = j
            stop = y
            while _inside(a, a0, n, begin):
                begin -= 1
            while _inside(a, a0, n, end):
                end += 1
            while _inside(b, b0, m, start):
                start -= 1
            while _inside(b, b0, m, stop):
                stop += 1
            if found > first and begin <= spans[found - 1, 1]:
                found -= 1
                begin = min(begin, cython.cast(cython.longlong, spans[found, 0]))
                end = max(end, cython.cast(cython.longlong, spans[found, 1]))
                start = min(start, cython.cast(cython.longlong, spans[found, 2]))
                stop = max(stop, cython.cast(cython.longlong, spans[found, 3]))
            spans[found, 0] = cython.cast(cython.int, begin)
            spans[found, 1] = cython.cast(cython.int, end)
            spans[found, 2] = cython.cast(cython.int, start)
            spans[found, 3] = cython.cast(cython.int, stop)
            found += 1
        if x == n:
            break
        i = x + 1
        j = y + 1
    kept = first
    for x in range(first, found):
        y = first
        while y < kept and not _same_change(a, a0, b, b0, spans, x, b, b0, spans, y):
            y += 1
        if y == kept:
            for k in range(4):
                spans[kept, k] = spans[x, k]
            kept += 1
    return kept - first


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _most(
    ids: cython.int[::1], begin: cython.longlong, end: cython.longlong, most: cython.longlong[::1]
) -> cython.void:
    """Raise `most` to the length of a text, and to its largest character."""
    largest: cython.int = 0
    for i in range(begin, end):
        largest = max(largest, ids[i])
    most[0] = max(most[0], end - begin)
    most[1] = max(most[1], cython.cast(cython.longlong, largest))


@cython.cfunc
def _scratch(
    source: cython.int[::1],
    source_offsets: cython.longlong[::1],
    text: cython.int[::1],
    text_offsets: cython.longlong[::1],
    owner: cython.longlong[::1],
    start: cython.longlong,
    stop: cython.longlong,
) -> tuple[np.ndarray, np.ndarray]:
    """Scratch arrays that suffice for the texts `start:stop`."""
    most = np.zeros(2, dtype=np.int64)
    found: cython.longlong[::1] = most
    with cython.nogil:
        for row in range(start, stop):
            _most(text, text_offsets[row], text_offsets[row + 1], found)
            _most(source, source_offsets[owner[row]], source_offsets[owner[row] + 1], found)
    width, largest = most.tolist()
    return np.zeros(largest + 1, dtype=np.int32), np.empty((8, width + 1), dtype=np.int64)


@_checks.checked(_metric_checks.changes)
def changes(
    source: cython.int[::1],
    source_offsets: cython.longlong[::1],
    text: cython.int[::1],
    text_offsets: cython.longlong[::1],
    owner: cython.longlong[::1],
    most: cython.longlong,
    start: cython.longlong,
    places: cython.longlong[::1],
    spans: cython.int[:, ::1],
    large: cython.uchar[::1],
) -> cython.longlong:
    """The changes that make the texts from number `start` on of their sources, number `owner[row]`.

    Those of a row are the lines `places[row]:places[row + 1]` of `spans`, each change once: where it begins
    and ends in the source, and in the text. A row of more than `most` pairs of characters has none and is
    marked in `large`. Gives the row before which there was no more room in `spans`, or their number.
    """
    known, room = _scratch(source, source_offsets, text, text_offsets, owner, start, owner.shape[0])
    last: cython.int[::1] = known
    scratch: cython.longlong[:, ::1] = room
    row: cython.longlong = start
    with cython.nogil:
        while row < owner.shape[0]:
            a0 = source_offsets[owner[row]]
            n = source_offsets[owner[row] + 1] - a0
            b0 = text_offsets[row]
            m = text_offsets[row + 1] - b0
            if places[row] + n + 1 > spans.shape[0]:
                break
            large[row] = n * m > most
            places[row + 1] = places[row]
            if not large[row]:
                places[row + 1] += _changes(source, a0, n, text, b0, m, last, scratch, spans, places[row])
            row += 1
    return row


@_checks.checked(_metric_checks.change_shares)
def change_shares(
    source: cython.int[::1],
    source_offsets: cython.longlong[::1],
    text: cython.int[::1],
    text_offsets: cython.longlong[::1],
    owner: cython.longlong[::1],
    most: cython.longlong,
    reference: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    places: cython.longlong[::1],
    spans: cython.int[:, ::1],
    large: cython.uchar[::1],
    start: cython.longlong,
    stop: cython.longlong,
    out: cython.double[::1],
) -> None:
    """EM-Diff of the texts `start:stop`: the best share of changes that are exactly those of a reference.

    `places`, `spans` and `large` are what `changes` found in the references; those of source i are the rows
    `rows[i]:rows[i + 1]`. A text that is too large, or has such a reference, gets -1.
    """
    known, room = _scratch(source, source_offsets, text, text_offsets, owner, start, stop)
    last: cython.int[::1] = known
    scratch: cython.longlong[:, ::1] = room
    ours: cython.int[:, ::1] = np.empty((scratch.shape[1], 4), dtype=np.int32)
    best: cython.double
    share: cython.double
    with cython.nogil:
        for i in range(start, stop):
            a0 = source_offsets[owner[i]]
            n = source_offsets[owner[i] + 1] - a0
            b0 = text_offsets[i]
            m = text_offsets[i + 1] - b0
            best = -1
            made = 0
            if n * m <= most:
                made = _changes(source, a0, n, text, b0, m, last, scratch, ours, 0)
                for row in range(rows[owner[i]], rows[owner[i] + 1]):
                    if large[row]:
                        best = -1
                        break
                    same = 0
                    for x in range(made):
                        for y in range(places[row], places[row + 1]):
                            if _same_change(
                                source, a0, text, b0, ours, x, reference, reference_offsets[row], spans, y
                            ):
                                same += 1
                                break
                    theirs = places[row + 1] - places[row]
                    share = same
                    share /= max(1, made, theirs)
                    if share > best:
                        best = share
            out[i] = best
