"""Translation edit rate: greedy shifts, then edit distance within a beam, over token ids.

The choices and limits are those of sacreBLEU's TER (which follows Tercom): a beam of 25 around the
diagonal, shifts of at most 10 tokens over at most 50, at most 1,000 candidates a pair. A candidate is
measured only as far as it may still beat the present distance, in the band where that is possible.
Memory is linear: about 700 bytes × the longer text.
"""

import cython
import numpy as np

from errata.kernels import _checks, _metric_checks

BEAM = cython.declare(cython.longlong, 25)
MAX_SHIFT_SIZE = cython.declare(cython.longlong, 10)
MAX_SHIFT_DISTANCE = cython.declare(cython.longlong, 50)
MAX_CANDIDATES = cython.declare(cython.longlong, 1000)
FAR = cython.declare(cython.longlong, 1 << 40)  # the distance of cells outside the beam
KEEP = cython.declare(cython.longlong, 0)
SUBSTITUTE = cython.declare(cython.longlong, 1)
INSERT = cython.declare(cython.longlong, 2)
DELETE = cython.declare(cython.longlong, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _cell(
    cost: cython.longlong[::1],
    low: cython.longlong[::1],
    high: cython.longlong[::1],
    width: cython.longlong,
    i: cython.longlong,
    j: cython.longlong,
) -> cython.longlong:
    """The distance of i hypothesis tokens to j reference tokens, or FAR outside the beam."""
    if i == 0:
        return j
    if j < low[i] or j >= high[i]:
        return FAR
    return cost[i * width + j - low[i]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(
    words: cython.int[::1],
    n: cython.longlong,
    reference: cython.int[::1],
    begin: cython.longlong,
    m: cython.longlong,
    beam: cython.longlong,
    width: cython.longlong,
    low: cython.longlong[::1],
    high: cython.longlong[::1],
    cost: cython.longlong[::1],
    step: cython.longlong[::1],
) -> cython.longlong:
    """The matrix of distances within the beam; returns the distance of the whole texts."""
    ratio: cython.double = (1.0 * m) / n
    for i in range(1, n + 1):
        diagonal = cython.cast(cython.longlong, i * ratio)
        low[i] = diagonal - beam if diagonal > beam else 0
        high[i] = m + 1 if i == n or diagonal + beam > m + 1 else diagonal + beam
        for j in range(low[i], high[i]):
            if j == 0:
                best = _cell(cost, low, high, width, i - 1, 0) + 1
                op = DELETE
            else:
                best = _cell(cost, low, high, width, i - 1, j - 1)
                op = KEEP
                if words[i - 1] != reference[begin + j - 1]:
                    best += 1
                    op = SUBSTITUTE
                # On equal cost Tercom prefers to keep or substitute, then what comes first here.
                other = _cell(cost, low, high, width, i - 1, j) + 1
                if other < best:
                    best = other
                    op = DELETE
                if j > low[i]:
                    other = cost[i * width + j - 1 - low[i]] + 1
                    if other < best:
                        best = other
                        op = INSERT
            cost[i * width + j - low[i]] = best if best < FAR else FAR
            step[i * width + j - low[i]] = op
    return _cell(cost, low, high, width, n, m)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _trace(
    n: cython.longlong,
    m: cython.longlong,
    width: cython.longlong,
    low: cython.longlong[::1],
    step: cython.longlong[::1],
    path: cython.longlong[::1],
) -> cython.longlong:
    """Write the operations, the last first; returns how many there are."""
    count: cython.longlong = 0
    i: cython.longlong = n
    j: cython.longlong = m
    while i > 0 or j > 0:
        op = step[i * width + j - low[i]] if i > 0 else INSERT
        path[count] = op
        count += 1
        if op != INSERT:
            i -= 1
        if op != DELETE:
            j -= 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shifted(
    words: cython.int[::1],
    n: cython.longlong,
    start: cython.longlong,
    length: cython.longlong,
    target: cython.longlong,
    moved: cython.int[::1],
) -> cython.longlong:
    """Write the words with a block moved before `target`; returns the first position that may change."""
    at: cython.longlong = 0
    if target < start:
        goal = target  # in the words without the block
    elif target > start + length:
        goal = target - length
    else:
        goal = target
    if goal > n - length:
        goal = n - length
    for i in range(n):
        if i < start or i >= start + length:
            if at == goal:
                at += length
            moved[at] = words[i]
            at += 1
    for i in range(length):
        moved[goal + i] = words[start + i]
    return goal if goal < start else start


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _below(
    limit: cython.longlong,
    moved: cython.int[::1],
    n: cython.longlong,
    reference: cython.int[::1],
    begin: cython.longlong,
    m: cython.longlong,
    same: cython.longlong,
    width: cython.longlong,
    low: cython.longlong[::1],
    high: cython.longlong[::1],
    cost: cython.longlong[::1],
    band: cython.longlong[::1],
) -> cython.longlong:
    """The distance of `moved` if it is below `limit`, otherwise `limit`.

    The first `same` words are those the matrix was filled with. A path that costs less than `limit`
    stays on few diagonals d = j - i; `band` holds one row of those and is updated in place.
    """
    apart: cython.longlong = m - n
    spare: cython.longlong = (limit - 1 - abs(apart)) // 2
    if limit - 1 < abs(apart):
        return limit
    least: cython.longlong = (apart if apart < 0 else 0) - spare
    most: cython.longlong = (apart if apart > 0 else 0) + spare
    other: cython.longlong
    old_first: cython.longlong = least  # and of the row before; beyond them `band` is FAR
    old_last: cython.longlong = most
    for d in range(least, most + 1):
        j = same + d
        band[d - least] = _cell(cost, low, high, width, same, j) if 0 <= j and j <= m else FAR
    band[most + 1 - least] = FAR
    for i in range(same + 1, n + 1):
        hope = FAR
        first = low[i] - i if low[i] - i > least else least  # diagonals of the row that are in the beam
        last = high[i] - 1 - i if high[i] - 1 - i < most else most
        for d in range(old_first, first if first < old_last + 1 else old_last + 1):
            band[d - least] = FAR
        for d in range(first, last + 1):
            j = i + d
            value = band[d + 1 - least] + 1
            if j > 0:
                other = band[d - least]
                if moved[i - 1] != reference[begin + j - 1]:
                    other += 1
                if other < value:
                    value = other
                if d > least:
                    other = band[d - 1 - least] + 1
                    if other < value:
                        value = other
            if value > FAR:
                value = FAR
            band[d - least] = value
            other = value + abs(apart - d)
            if other < hope:
                hope = other
        for d in range(last + 1 if last + 1 > old_first else old_first, old_last + 1):
            band[d - least] = FAR
        old_first = first
        old_last = last
        if hope >= limit:
            return limit
    value = band[apart - least]
    return value if value < limit else limit


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _errors(
    path: cython.longlong[::1],
    steps: cython.longlong,
    hypothesis_errors: cython.longlong[::1],
    reference_errors: cython.longlong[::1],
    align: cython.longlong[::1],
) -> cython.void:
    """Count the errors before every token of either side, and note where reference tokens are aligned."""
    i: cython.longlong = 0
    j: cython.longlong = 0
    hypothesis_errors[0] = 0
    reference_errors[0] = 0
    for k in range(steps - 1, -1, -1):
        op = path[k]
        if op != INSERT:
            hypothesis_errors[i + 1] = hypothesis_errors[i] + (op != KEEP)
            i += 1
        if op != DELETE:
            reference_errors[j + 1] = reference_errors[j] + (op != KEEP)
            align[j] = i - 1
            j += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _tally(
    path: cython.longlong[::1], steps: cython.longlong, made: cython.longlong, out: cython.longlong[::1]
) -> cython.void:
    """Count insertions, deletions and substitutions of a path; the fourth number is that of the shifts."""
    for k in range(steps):
        if path[k] == INSERT:
            out[0] += 1
        elif path[k] == DELETE:
            out[1] += 1
        elif path[k] == SUBSTITUTE:
            out[2] += 1
    out[3] = made


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _wider_beam(n: cython.longlong, m: cython.longlong) -> cython.longlong:
    """The beam of two texts: very uneven ones need one that lets neighbouring rows overlap."""
    beam: cython.longlong = BEAM
    if 2 * beam * n < m:
        beam = cython.cast(cython.longlong, (1.0 * m) / n / 2 + beam)
        if (1.0 * m) / n / 2 + BEAM > beam:
            beam += 1
    return beam


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _edits(
    words: cython.int[::1],
    n: cython.longlong,
    reference: cython.int[::1],
    begin: cython.longlong,
    m: cython.longlong,
    moved: cython.int[::1],
    low: cython.longlong[::1],
    high: cython.longlong[::1],
    cost: cython.longlong[::1],
    step: cython.longlong[::1],
    band: cython.longlong[::1],
    path: cython.longlong[::1],
    align: cython.longlong[::1],
    hypothesis_errors: cython.longlong[::1],
    reference_errors: cython.longlong[::1],
    shifts: cython.longlong[:, ::1],
    out: cython.longlong[::1],
    most: cython.longlong,
    cut: cython.uchar[::1],
    row: cython.longlong,
) -> cython.longlong:
    """Edits of one pair into `out`: insertions, deletions, substitutions, shifts; returns the path's length.

    `words` ends up as the hypothesis after its shifts; each shift is (start, length, target). After `most`
    cells no further shift is looked for, and the row is marked in `cut`.
    """
    steps: cython.longlong = 0
    checked: cython.longlong = 0
    made: cython.longlong = 0
    length: cython.longlong
    full: cython.longlong
    spent: cython.longlong = 0  # cells, beginning with the first alignment
    for k in range(4):
        out[k] = 0
    if n == 0 or m == 0:
        for k in range(n + m):
            path[k] = INSERT if n == 0 else DELETE
        out[0 if n == 0 else 1] = n + m
        return n + m
    beam = _wider_beam(n, m)
    width = 2 * beam + 2
    while True:
        distance = _fill(words, n, reference, begin, m, beam, width, low, high, cost, step)
        steps = _trace(n, m, width, low, step, path)
        spent += n * width
        if distance == 0:
            break
        _errors(path, steps, hypothesis_errors, reference_errors, align)
        best_value = distance
        best_length = 0
        best_start = 0
        best_index = 0
        full = 0
        for start in range(n):
            for to in range(
                start - MAX_SHIFT_DISTANCE if start > MAX_SHIFT_DISTANCE else 0,
                start + MAX_SHIFT_DISTANCE + 1 if start + MAX_SHIFT_DISTANCE < m else m,
            ):
                length = 0
                while (
                    length < MAX_SHIFT_SIZE
                    and start + length < n
                    and to + length < m
                    and words[start + length] == reference[begin + to + length]
                ):
                    length += 1
                    if hypothesis_errors[start + length] == hypothesis_errors[start]:
                        continue
                    if reference_errors[to + length] == reference_errors[to]:
                        continue
                    if start <= align[to] and align[to] < start + length:
                        continue
                    previous = -1
                    for offset in range(-1, length):
                        if to + offset == -1:
                            index = 0
                        else:
                            index = align[to + offset] + 1
                        if index == previous:
                            continue
                        previous = index
                        checked += 1
                        spent += n * width
                        if spent > most:
                            cut[row] = 1
                            full = 1
                            break
                        same = _shifted(words, n, start, length, index, moved)
                        # Equal gains are told apart by length, then start, then target.
                        value = _below(
                            distance, moved, n, reference, begin, m, same, width, low, high, cost, band
                        )
                        if value < best_value or (
                            value == best_value
                            and value < distance
                            and (
                                length > best_length
                                or (
                                    length == best_length
                                    and (start < best_start or (start == best_start and index < best_index))
                                )
                            )
                        ):
                            best_value = value
                            best_length = length
                            best_start = start
                            best_index = index
                    if full or checked >= MAX_CANDIDATES:
                        full = 1
                        break
                if full:
                    break
            if full:
                break
        if full or best_value >= distance:
            break
        _shifted(words, n, best_start, best_length, best_index, moved)
        for k in range(n):
            words[k] = moved[k]
        shifts[made, 0] = best_start
        shifts[made, 1] = best_length
        shifts[made, 2] = best_index
        made += 1
    _tally(path, steps, made, out)
    return steps


@_checks.checked(_metric_checks.edits)
def edits(
    hypothesis_ids: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference_ids: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    start: cython.longlong,
    stop: cython.longlong,
    out: cython.longlong[:, ::1],
    words: cython.int[::1],
    path: cython.longlong[::1],
    shifts: cython.longlong[:, ::1],
    most: cython.longlong,
    cut: cython.uchar[::1],
) -> int:
    """Insertions, deletions, substitutions and shifts of each (segment, reference) row of `start:stop`.

    A row that takes more than `most` cells gets 1 in `cut`, and only the shifts found until then.
    `words`, `path` and `shifts` are scratch (see `errata.metrics.ter`) and hold, afterwards, what belongs to
    the last row: the shifted hypothesis, its operations from the last to the first (their number is
    returned), its shifts.
    """
    longest: cython.longlong = 1
    cells: cython.longlong = 1
    steps: cython.longlong = 0
    for i in range(start, stop):
        n = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
        for row in range(rows[i], rows[i + 1]):
            m = reference_offsets[row + 1] - reference_offsets[row]
            longest = max(longest, n, m)
            cells = max(cells, (n + 1) * (2 * BEAM + 4) + 2 * m + 2)
    moved: cython.int[::1] = np.zeros(longest, dtype=np.int32)
    low: cython.longlong[::1] = np.zeros(longest + 1, dtype=np.int64)
    high: cython.longlong[::1] = np.zeros(longest + 1, dtype=np.int64)
    align: cython.longlong[::1] = np.zeros(longest + 1, dtype=np.int64)
    wrong: cython.longlong[::1] = np.zeros(longest + 1, dtype=np.int64)
    missed: cython.longlong[::1] = np.zeros(longest + 1, dtype=np.int64)
    band: cython.longlong[::1] = np.zeros(2 * longest + 4, dtype=np.int64)
    cost: cython.longlong[::1] = np.zeros(cells, dtype=np.int64)
    step: cython.longlong[::1] = np.zeros(cells, dtype=np.int64)
    with cython.nogil:
        for i in range(start, stop):
            n = hypothesis_offsets[i + 1] - hypothesis_offsets[i]
            for row in range(rows[i], rows[i + 1]):
                for k in range(n):
                    words[k] = hypothesis_ids[hypothesis_offsets[i] + k]
                m = reference_offsets[row + 1] - reference_offsets[row]
                steps = _edits(
                    words, n, reference_ids, reference_offsets[row], m, moved, low, high, cost, step,
                    band, path, align, wrong, missed, shifts, out[row], most, cut, row,
                )  # fmt: skip
    return steps
