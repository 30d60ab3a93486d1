"""GoToScorer: the chunks of a reference that a hypothesis has, and what they count.

A chunk is an edit, a token or a gap between tokens; it is written as start, end, where its text begins and
ends, and 1 for an edit, whose text lies in the words, or 0, whose text lies in the source.
"""

import cython

from errata.kernels import _checks, _metric_checks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _write(
    out: cython.longlong[:, ::1],
    size: cython.longlong,
    start: cython.longlong,
    end: cython.longlong,
    begin: cython.longlong,
    stop: cython.longlong,
    edited: cython.longlong,
) -> cython.longlong:
    out[size, 0] = start
    out[size, 1] = end
    out[size, 2] = begin
    out[size, 3] = stop
    out[size, 4] = edited
    return size + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _chunks(
    begin: cython.longlong,
    length: cython.longlong,
    spans: cython.int[:, ::1],
    places: cython.longlong[:, ::1],
    first: cython.longlong,
    last: cython.longlong,
    out: cython.longlong[:, ::1],
) -> cython.longlong:
    """Every edit, every other token, and every gap without an insertion, from left to right; their number."""
    start: cython.longlong
    end: cython.longlong
    size: cython.longlong = 0
    place: cython.longlong = 0
    gap: cython.bint = True  # nothing stands at this place yet
    for edit in range(first, last + 1):
        start = spans[edit, 0] if edit < last else length
        while place < min(start, length):
            if gap:
                size = _write(out, size, place, place, 0, 0, 0)
            size = _write(out, size, place, place + 1, begin + place, begin + place + 1, 0)
            place += 1
            gap = True
        if edit == last:
            break
        end = spans[edit, 1]
        if start < end and gap and place == start:
            size = _write(out, size, place, place, 0, 0, 0)
        size = _write(out, size, start, end, places[edit, 0], places[edit, 1], 1)
        place = max(place, end)
        gap = end > start
    if gap:
        size = _write(out, size, place, place, 0, 0, 0)
    return size


@_checks.checked(_metric_checks.chunk_sizes)
def sizes(
    source_offsets: cython.longlong[::1],
    segments: cython.longlong[::1],  # that of every row
    offsets: cython.longlong[::1],
    spans: cython.int[:, ::1],
    places: cython.longlong[:, ::1],
    rows: cython.longlong[::1],
    scratch: cython.longlong[:, ::1],
    out: cython.longlong[::1],  # written
) -> None:
    """The number of chunks of rows of edits."""
    with cython.nogil:
        for i in range(rows.shape[0]):
            begin = source_offsets[segments[i]]
            length = source_offsets[segments[i] + 1] - begin
            out[i] = _chunks(begin, length, spans, places, offsets[rows[i]], offsets[rows[i] + 1], scratch)


@_checks.checked(_metric_checks.difficult_chunks)
def count(
    source: cython.int[::1],
    source_offsets: cython.longlong[::1],
    segments: cython.longlong[::1],  # that of every hypothesis
    offsets: cython.longlong[::1],  # the edits of hypothesis i are offsets[i]:offsets[i + 1]
    spans: cython.int[:, ::1],  # ascending by start and end
    places: cython.longlong[:, ::1],  # of their corrections in the words
    words: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    reference_spans: cython.int[:, ::1],
    reference_places: cython.longlong[:, ::1],
    reference_words: cython.int[::1],
    rows: cython.longlong[::1],  # the reference of every hypothesis
    chunk_offsets: cython.longlong[::1],  # of its chunks
    weights: cython.double[::1],  # of these chunks
    ours: cython.longlong[:, ::1],  # scratch
    theirs: cython.longlong[:, ::1],  # scratch
    found: cython.uchar[::1],  # written: whether the hypothesis has a chunk
    values: cython.double[:, ::1],  # written: weights of what is right, wrong, missed and rightly left alone
) -> None:
    """Compare the chunks of hypotheses with those of their references (Gotou et al. 2020)."""
    size: cython.longlong
    other: cython.longlong
    same: cython.longlong
    k: cython.longlong
    low: cython.longlong
    high: cython.longlong
    right: cython.bint
    edited: cython.bint
    equal: cython.bint
    last: cython.longlong
    first: cython.longlong
    with cython.nogil:
        for i in range(segments.shape[0]):
            begin = source_offsets[segments[i]]
            length = source_offsets[segments[i] + 1] - begin
            size = _chunks(begin, length, spans, places, offsets[i], offsets[i + 1], ours)
            first = reference_offsets[rows[i]]
            last = reference_offsets[rows[i] + 1]
            last = _chunks(begin, length, reference_spans, reference_places, first, last, theirs)
            for column in range(4):
                values[i, column] = 0.0
            first = 0
            for chunk in range(min(last, chunk_offsets[i + 1] - chunk_offsets[i])):
                while first < size and ours[first, 0] < theirs[chunk, 0]:
                    first += 1
                same = -1
                equal = False
                right = False
                other = first
                while other < size and ours[other, 0] == theirs[chunk, 0]:
                    if ours[other, 1] == theirs[chunk, 1]:
                        same = other
                        right = ours[other, 3] - ours[other, 2] == theirs[chunk, 3] - theirs[chunk, 2]
                        k = 0
                        while right and k < ours[other, 3] - ours[other, 2]:
                            low = ours[other, 2] + k
                            high = theirs[chunk, 2] + k
                            right = (words[low] if ours[other, 4] else source[low]) == (
                                reference_words[high] if theirs[chunk, 4] else source[high]
                            )
                            k += 1
                        equal |= right
                    other += 1
                found[chunk_offsets[i] + chunk] = equal
                edited = False
                if same >= 0:
                    edited = ours[same, 4] != 0
                elif theirs[chunk, 0] == theirs[chunk, 1]:
                    right = True
                else:  # whether the first edit that ends behind the chunk's start begins before its end
                    low = offsets[i]
                    high = offsets[i + 1]
                    while low < high:
                        k = (low + high) // 2
                        if theirs[chunk, 0] < spans[k, 1]:
                            high = k
                        else:
                            low = k + 1
                    edited = low < offsets[i + 1] and spans[low, 0] < theirs[chunk, 1]
                weight = weights[chunk_offsets[i] + chunk]
                if edited and right:
                    values[i, 0] += weight
                elif edited:
                    values[i, 1] += weight
                    if theirs[chunk, 4]:
                        values[i, 2] += weight
                elif right:
                    values[i, 3] += weight
                else:
                    values[i, 2] += weight
