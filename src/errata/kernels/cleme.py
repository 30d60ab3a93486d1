"""CLEME: what the chunks of hypotheses count as, and which references are chosen, for many samples.

A chunk counts in one of five columns: right (0), wrong where a change was needed (1), wrong where none was
(2), missed (3), rightly unchanged (4).
"""

import cython

from errata.kernels import _checks, _metric_checks


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_empty(
    spans: cython.int[:, ::1],
    places: cython.longlong[:, ::1],
    first: cython.longlong,
    last: cython.longlong,
    length: cython.longlong,
) -> cython.bint:
    """Whether the edits first:last leave nothing of a source of this length."""
    place: cython.longlong = 0
    for edit in range(first, last):
        if place < min(spans[edit, 0], length) or places[edit, 0] < places[edit, 1]:
            return False
        place = max(place, spans[edit, 1])
    return place >= length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next(
    spans: cython.int[:, ::1],
    reference_spans: cython.int[:, ::1],
    at: cython.longlong[:, ::1],
    texts: cython.longlong,
) -> cython.longlong:
    """The text whose next edit begins first; -1 where no text has another one."""
    text: cython.longlong
    found: cython.longlong = -1
    least: cython.int = 0
    for text in range(texts):
        if at[text, 1] < at[text, 2]:
            start = reference_spans[at[text, 1], 0] if text else spans[at[text, 1], 0]
            if found < 0 or start < least:
                found = text
                least = start
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _version(
    source: cython.int[::1],
    begin: cython.longlong,
    length: cython.longlong,
    start: cython.longlong,
    end: cython.longlong,
    spans: cython.int[:, ::1],
    places: cython.longlong[:, ::1],
    words: cython.int[::1],
    first: cython.longlong,
    last: cython.longlong,
    out: cython.int[::1],
) -> cython.longlong:
    """Write the source tokens start:end with the edits first:last, which lie there; gives their number."""
    size: cython.longlong = 0
    place: cython.longlong = start
    for edit in range(first, last):
        if spans[edit, 1] < spans[edit, 0]:
            continue
        while place < min(spans[edit, 0], length):
            out[size] = source[begin + place]
            size += 1
            place += 1
        for word in range(places[edit, 0], places[edit, 1]):
            out[size] = words[word]
            size += 1
        place = max(place, spans[edit, 1])
    while place < min(end, length):
        out[size] = source[begin + place]
        size += 1
        place += 1
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _changes(spans: cython.int[:, ::1], first: cython.longlong, last: cython.longlong) -> cython.bint:
    for edit in range(first, last):
        if spans[edit, 0] <= spans[edit, 1]:
            return True
    return False


@_checks.checked(_metric_checks.chunks)
def count(
    source: cython.int[::1],
    source_offsets: cython.longlong[::1],
    segments: cython.longlong[::1],  # that of every hypothesis
    offsets: cython.longlong[::1],  # the edits of hypothesis i are offsets[i]:offsets[i + 1]
    spans: cython.int[:, ::1],  # start, which never falls in a row, and end
    places: cython.longlong[:, ::1],  # of their corrections in the words
    words: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    reference_spans: cython.int[:, ::1],
    reference_places: cython.longlong[:, ::1],
    reference_words: cython.int[::1],
    rows: cython.longlong[::1],  # the references of segment i are rows[i]:rows[i + 1]
    independent: cython.bint,  # one row of values per hypothesis, and not one per reference
    weights: cython.double[:, ::1],  # 5 × lengths of a chunk; the last is that of all longer ones
    at: cython.longlong[:, ::1],  # scratch, a row for each text of a segment
    ours: cython.int[::1],  # scratch
    theirs: cython.int[::1],  # scratch
    kept_offsets: cython.longlong[::1],  # written: the references that are compared with each hypothesis
    kept: cython.longlong[::1],  # written
    values: cython.double[:, ::1],  # sums of weights, which were 0
    changes: cython.longlong[::1],  # sum of the lengths of the references' changes, and their number
    detailed: cython.bint,  # whether the chunks are written, too
    chunk_offsets: cython.longlong[::1],
    chunks: cython.int[:, ::1],  # start, end, and whether there are edits
    columns: cython.schar[::1],  # per chunk, the column in each row of values
) -> None:
    """Divide sources where any text has edits, and count the chunks (Ye et al. 2023, Section 3).

    Edits that overlap or touch, of whichever text, fall into one interval; these intervals and the stretches
    between them are the chunks. References that delete everything are dropped unless all of them do.
    """
    row: cython.longlong
    text: cython.longlong
    texts: cython.longlong
    start: cython.longlong
    end: cython.longlong
    stop: cython.longlong
    place: cython.longlong
    size: cython.longlong
    width: cython.longlong
    length: cython.longlong
    column: cython.longlong
    begun: cython.bint
    changed: cython.bint
    agreed: cython.bint
    some: cython.bint
    every: cython.bint
    same: cython.bint
    other_changed: cython.bint
    chunk: cython.longlong = 0
    done: cython.longlong = 0
    longest: cython.longlong = weights.shape[1] - 1
    with cython.nogil:
        for i in range(segments.shape[0]):
            begin = source_offsets[segments[i]]
            length = source_offsets[segments[i] + 1] - begin
            at[0, 1] = offsets[i]
            at[0, 2] = offsets[i + 1]
            texts = 1
            for everything in range(2):
                for row in range(rows[segments[i]], rows[segments[i] + 1]):
                    first = reference_offsets[row]
                    last = reference_offsets[row + 1]
                    if everything or not _is_empty(reference_spans, reference_places, first, last, length):
                        kept[kept_offsets[i] + texts - 1] = row
                        at[texts, 1] = first
                        at[texts, 2] = last
                        texts += 1
                        if everything:
                            break
                if texts > 1:
                    break
            kept_offsets[i + 1] = kept_offsets[i] + texts - 1
            place = 0
            begun = False
            while True:
                # The next chunk is start:end, with an interval of edits (text ≥ 0) or without any.
                for text in range(texts):
                    at[text, 0] = at[text, 1]
                text = _next(spans, reference_spans, at, texts)
                start = place
                end = length
                if text >= 0:
                    end = reference_spans[at[text, 1], 0] if text else spans[at[text, 1], 0]
                if start < end or (text < 0 and not begun):
                    text = -1
                elif text < 0:
                    break
                else:
                    start = end
                    end = reference_spans[at[text, 1], 1] if text else spans[at[text, 1], 1]
                    at[text, 1] += 1
                    while True:
                        other = _next(spans, reference_spans, at, texts)
                        if other < 0:
                            break
                        if (reference_spans[at[other, 1], 0] if other else spans[at[other, 1], 0]) > end:
                            break
                        stop = reference_spans[at[other, 1], 1] if other else spans[at[other, 1], 1]
                        end = max(end, stop)
                        at[other, 1] += 1
                begun = True
                place = end
                width = max(min(end, length) - min(start, length), 0)
                size = 0
                changed = False
                if text >= 0:
                    size = _version(
                        source, begin, length, start, end, spans, places, words, at[0, 0], at[0, 1], ours
                    )
                    changed = _changes(spans, at[0, 0], at[0, 1])
                agreed = False
                some = False
                every = texts > 1
                for k in range(1, texts):
                    same = True
                    other_changed = False
                    if text >= 0:
                        stop = _version(
                            source, begin, length, start, end, reference_spans, reference_places,
                            reference_words, at[k, 0], at[k, 1], theirs,
                        )  # fmt: skip
                        other_changed = _changes(reference_spans, at[k, 0], at[k, 1])
                        same = stop == size
                        if other_changed:
                            changes[0] += max(width, stop)
                            changes[1] += 1
                        stop = 0
                        while same and stop < size:
                            same = ours[stop] == theirs[stop]
                            stop += 1
                    if not independent:
                        if changed:
                            column = 0 if same else 1 if other_changed else 2
                        else:
                            column = 4 if same else 3
                        row = kept_offsets[i] + k - 1
                        values[row, column] += weights[column, min(max(width, size), longest)]
                        if detailed:
                            columns[done] = column
                            done += 1
                    agreed |= same
                    some |= other_changed
                    every &= other_changed
                if independent:
                    if changed:
                        column = 0 if agreed else 1 if some else 2
                    else:
                        column = 3 if every else 4
                    values[i, column] += weights[column, min(max(width, size), longest)]
                    if detailed:
                        columns[done] = column
                        done += 1
                if detailed:
                    chunks[chunk, 0] = start
                    chunks[chunk, 1] = end
                    chunks[chunk, 2] = text >= 0
                    chunk += 1
                    chunk_offsets[i + 1] = chunk


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _share(part: cython.double, whole: cython.double, of_nothing: cython.double) -> cython.double:
    return part / whole if whole > 0.0 else of_nothing


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _score(
    values: cython.double[:, ::1],
    row: cython.longlong,
    totals: cython.double[:, ::1],
    sample: cython.longlong,
    factors: cython.double[::1],
    upwards: cython.schar[::1],
) -> cython.double:
    """What a row with the totals before it gives: F of CLEME in ten-thousandths, or the sum of CLEME2."""
    tp = totals[sample, 0] + values[row, 0]
    wrong = totals[sample, 1] + values[row, 1]
    unneeded = totals[sample, 2] + values[row, 2]
    fn = totals[sample, 3] + values[row, 3]
    if factors.shape[0] == 4:
        needed = tp + wrong + fn
        hit = factors[0] * _share(tp, needed, 0.0)
        err = factors[1] * (1.0 - _share(wrong, needed, 0.0))
        und = factors[2] * (1.0 - _share(fn, needed, 0.0))
        return hit + err + und + factors[3] * (1.0 - _share(unneeded, tp + wrong + unneeded, 0.0))
    p = _share(tp, tp + (wrong + unneeded), 1.0)
    r = _share(tp, tp + fn, 1.0)
    f = _share((1.0 + factors[0]) * p * r, factors[0] * p + r, 0.0)
    if f >= 1.0:
        return 10000.0
    below = cython.cast(cython.longlong, f * 10000.0)
    tie = (10 * below + 5) / 100000.0
    if f > tie or (f == tie and upwards[below]):
        return below + 1.0
    return below


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(
    values: cython.double[:, ::1],
    first: cython.longlong,
    last: cython.longlong,
    totals: cython.double[:, ::1],
    sample: cython.longlong,
    factors: cython.double[::1],
    upwards: cython.schar[::1],
) -> cython.longlong:
    """The row with the largest score; ties by more right, fewer wrong, fewer missed, more unchanged."""
    best: cython.longlong = first
    best_score: cython.double = 0.0
    if last - first < 2:  # no choice
        return first if first < last else -1
    for row in range(first, last):
        score = _score(values, row, totals, sample, factors, upwards)
        if row > first:
            gain = score - best_score
            if gain == 0.0:
                gain = values[row, 0] - values[best, 0]
            if gain == 0.0:
                gain = (values[best, 1] + values[best, 2]) - (values[row, 1] + values[row, 2])
            if gain == 0.0:
                gain = values[best, 3] - values[row, 3]
            if gain == 0.0:
                gain = values[row, 4] - values[best, 4]
            if gain <= 0.0:
                continue
        best = row
        best_score = score
    return best


@_checks.checked(_metric_checks.scan_chunks)
def scan(
    values: cython.double[:, ::1],  # five sums of every row
    offsets: cython.longlong[::1],  # the rows of segment i are offsets[i]:offsets[i + 1]
    weights: cython.longlong[:, ::1],  # samples × segments: how many times in a row each is visited
    factors: cython.double[::1],  # the square of beta for CLEME, or the four factors of CLEME2
    upwards: cython.schar[::1],
    start: cython.longlong,
    stop: cython.longlong,
    totals: cython.double[:, ::1],  # samples × 5: those before the first segment, then behind the last
) -> None:
    """Totals of the samples start:stop, on from what they were."""
    with cython.nogil:
        for sample in range(start, stop):
            for segment in range(weights.shape[1]):
                first = offsets[segment]
                if offsets[segment + 1] - first == 1:
                    for k in range(5):
                        totals[sample, k] += weights[sample, segment] * values[first, k]
                    continue
                for visit in range(weights[sample, segment]):
                    row = _choose(values, first, offsets[segment + 1], totals, sample, factors, upwards)
                    if row < 0:
                        break
                    for k in range(5):
                        totals[sample, k] += values[row, k]


@_checks.checked(_metric_checks.choose_chunks)
def choose(
    values: cython.double[:, ::1],
    offsets: cython.longlong[::1],
    factors: cython.double[::1],
    upwards: cython.schar[::1],
    running: cython.bint,
    totals: cython.double[:, ::1],  # 1 × 5: those before the first segment
    chosen: cython.longlong[::1],  # written; -1 where a segment has no rows
) -> None:
    """The row chosen for every segment, once each: with running totals, or each segment by itself."""
    with cython.nogil:
        for segment in range(chosen.shape[0]):
            row = _choose(values, offsets[segment], offsets[segment + 1], totals, 0, factors, upwards)
            chosen[segment] = row
            if running and row >= 0:
                for k in range(5):
                    totals[0, k] += values[row, k]
