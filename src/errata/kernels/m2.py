"""M² (Dahlmeier & Ng 2012): the lattice of all minimal alignments and its best path for every annotator.

Vertices are the grid points (i, j) on an optimal path of one of two Levenshtein tables (substitution 1
and 2). The closure's arcs are never stored: closing with the intermediate vertex as the outermost loop,
in lexicographic order, only ever appends one basic edge to a finished arc, so all arcs that begin in u
are one sweep over the vertices behind u, and each is relaxed where the sweep meets it.

Costs are added in double precision in the official order, for its rounding decides between paths that
are equally good on paper; true ties fall as repeated relaxation over the official arc list would let
them fall (see `_relax`).
"""

# Functions take a dozen arrays; a line for each would hide the code.
# fmt: off
import cython

INFINITE = cython.declare(cython.double, 1e300)
EPSILON = cython.declare(cython.double, 0.001)  # what an edit costs beside its length
FAR = cython.declare(cython.int, 1 << 29)  # outside the band

# Incoming basic edges of a grid cell, and the tables that reach it (bits of `marks`).
D1 = cython.declare(cython.int, 1)
V1 = cython.declare(cython.int, 2)
H1 = cython.declare(cython.int, 4)
D2 = cython.declare(cython.int, 8)
V2 = cython.declare(cython.int, 16)
H2 = cython.declare(cython.int, 32)
IN1 = cython.declare(cython.int, 64)
IN2 = cython.declare(cython.int, 128)

# Outgoing edges of a vertex: which diagonal is an unchanged word, which edges are in both tables.
EQUAL = cython.declare(cython.int, 1)
DOUBLE_D = cython.declare(cython.int, 2)
DOUBLE_V = cython.declare(cython.int, 4)
DOUBLE_H = cython.declare(cython.int, 8)

# Columns of `vertices` (one row a vertex), and of `found` (one row a matched arc).
ROW = cython.declare(cython.int, 0)
COLUMN = cython.declare(cython.int, 1)
DIAGONAL = cython.declare(cython.int, 2)  # vertex the edge leads to, or -1
VERTICAL = cython.declare(cython.int, 3)
HORIZONTAL = cython.declare(cython.int, 4)
BITS = cython.declare(cython.int, 5)
FIRST_FOUND = cython.declare(cython.int, 6)  # chain of matched arcs that begin here

# Columns of `labels`: the arc that leads to a vertex from where the current sweep began.
BEGUN = cython.declare(cython.int, 0)  # in which vertex, plus one
LENGTH = cython.declare(cython.int, 1)
UNCHANGED = cython.declare(cython.int, 2)
THROUGH = cython.declare(cython.int, 3)  # the intermediate vertex that made the arc first


def counts(
    source: cython.int[::1],
    source_offsets: cython.longlong[::1],
    hypothesis: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],  # of annotators: those of segment i are rows[i]:rows[i + 1]
    edit_offsets: cython.longlong[::1],  # gold edits of a row
    spans: cython.int[:, ::1],  # start and end of a gold edit
    correction_offsets: cython.longlong[::1],  # corrections of a gold edit
    token_offsets: cython.longlong[::1],  # tokens of a correction
    tokens: cython.int[::1],
    letters: cython.int[::1],  # of every token id, folded; empty: count every edit
    letter_offsets: cython.longlong[::1],
    max_unchanged: cython.int,
    most_arcs: cython.longlong,  # of a sentence; beyond, `_bounded`
    start: cython.longlong,
    stop: cython.longlong,
    out: cython.longlong[:, ::1],  # correct, proposed, gold of every row
    cost: cython.int[:, ::1],  # scratch from here on
    marks: cython.uchar[::1],
    number: cython.int[::1],
    row_starts: cython.int[::1],
    vertices: cython.int[:, ::1],
    labels: cython.int[:, ::1],
    distance: cython.double[:, ::1],
    best: cython.longlong[:, :, ::1],
    open_cost: cython.double[:, ::1],
    open_from: cython.int[:, ::1],
    found: cython.int[:, ::1],
    used: cython.uchar[::1],
    path: cython.int[:, ::1],
    grown: cython.uchar[::1],  # 1 for those of start:stop that had too many arcs
    work: cython.longlong[::1],
) -> None:
    """Counts of the segments start:stop; `work` gains the cells, vertices and arcs looked at.

    `path` is left with the last row's edits, last one first, and `work[3]` with how many they are;
    `work[4]` gains the sentences that had too many arcs.
    """
    cython.declare(
        i=cython.longlong, row=cython.longlong, s=cython.longlong, h=cython.longlong, arcs=cython.longlong
    )
    cython.declare(n=cython.int, m=cython.int, k=cython.int, size=cython.int, length=cython.int,
                   annotators=cython.int, found_arcs=cython.int)
    same: cython.bint
    with cython.nogil:
        for i in range(start, stop):
            s = source_offsets[i]
            h = hypothesis_offsets[i]
            n = cython.cast(cython.int, source_offsets[i + 1] - s)
            m = cython.cast(cython.int, hypothesis_offsets[i + 1] - h)
            same = n == m
            k = 0
            while same and k < n:
                same = source[s + k] == hypothesis[h + k]
                k += 1
            for row in range(rows[i], rows[i + 1]):
                out[row, 0] = 0
                out[row, 1] = 0
                out[row, 2] = edit_offsets[row + 1] - edit_offsets[row]
            work[3] = 0
            if same:
                continue
            size = _lattice(source, s, n, hypothesis, h, m, cost, marks, number, row_starts, vertices, work)
            found_arcs = _match(hypothesis, h, m, rows[i], rows[i + 1], edit_offsets, spans,
                                correction_offsets, token_offsets, tokens, row_starts, vertices, found, used)
            arcs = 0
            if found_arcs:  # a match costs minus the number of arcs
                arcs = _sweep(size, max_unchanged, 0, 0, most_arcs, vertices, labels, distance, best, found)
            annotators = cython.cast(cython.int, rows[i + 1] - rows[i])
            if arcs >= 0:
                arcs = _sweep(
                    size, max_unchanged, annotators, arcs, most_arcs, vertices, labels, distance, best, found
                )
            if arcs >= 0:
                work[2] += arcs
            else:
                _bounded(size, max_unchanged if max_unchanged < n else n, annotators, 2.0 * (n + m + 1),
                         vertices, labels, distance, best, found, open_cost, open_from)
                grown[i - start] = 1
                work[4] += 1
            for row in range(rows[i], rows[i + 1]):
                length = _walk_back(size, cython.cast(cython.int, row - rows[i]), vertices, best, path)
                work[3] = length
                _count(source, s, hypothesis, h, row, edit_offsets, spans, correction_offsets, token_offsets,
                       tokens, letters, letter_offsets, path, length, out)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lattice(
    source: cython.int[::1], s: cython.longlong, n: cython.int, hypothesis: cython.int[::1],
    h: cython.longlong, m: cython.int, cost: cython.int[:, ::1], marks: cython.uchar[::1],
    number: cython.int[::1], row_starts: cython.int[::1], vertices: cython.int[:, ::1],
    work: cython.longlong[::1]
) -> cython.int:
    """Number the grid points on optimal paths in lexicographic order and link them; returns how many.

    No optimal path leaves the band of diagonals in which the indel distance D holds it; D is guessed,
    and bounded by the equal words at both ends.
    """
    equal: cython.int = 0
    behind: cython.int = 0
    shorter: cython.int = n if n < m else m
    cython.declare(bound=cython.int, limit=cython.int)
    while equal < shorter and source[s + equal] == hypothesis[h + equal]:
        equal += 1
    while equal + behind < shorter and source[s + n - 1 - behind] == hypothesis[h + m - 1 - behind]:
        behind += 1
    limit = n + m - 2 * (equal + behind)
    bound = (n - m if n > m else m - n) + 8
    if bound + 6 > limit:
        bound = limit
    _fill(source, s, n, hypothesis, h, m, bound, cost, marks, work)
    if cost[n * (m + 1) + m, 1] > bound:
        _fill(source, s, n, hypothesis, h, m, limit, cost, marks, work)
        bound = limit
    _mark(source, s, n, hypothesis, h, m, bound, cost, marks)
    return _link(source, s, n, hypothesis, h, m, bound, marks, number, row_starts, vertices, work)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(
    source: cython.int[::1], s: cython.longlong, n: cython.int, hypothesis: cython.int[::1],
    h: cython.longlong, m: cython.int, bound: cython.int, cost: cython.int[:, ::1], marks: cython.uchar[::1],
    work: cython.longlong[::1]
) -> cython.void:
    """Both Levenshtein tables inside the band of a distance bound; clears the marks there."""
    cython.declare(i=cython.int, j=cython.int, low=cython.int, high=cython.int, one=cython.int,
                   two=cython.int, step=cython.int, word=cython.int)
    here: cython.Py_ssize_t
    for i in range(n + 1):
        low = i - _left(n, m, bound)
        high = i + _right(n, m, bound)
        if low < 0:
            low = 0
        if high > m:
            high = m
        here = cython.cast(cython.Py_ssize_t, i) * (m + 1)
        work[0] += high - low + 1
        if low > 0:
            cost[here + low - 1, 0] = FAR
            cost[here + low - 1, 1] = FAR
        if high < m:
            cost[here + high + 1, 0] = FAR
            cost[here + high + 1, 1] = FAR
        if i == 0:
            for j in range(high + 1):
                cost[j, 0] = j
                cost[j, 1] = j
                marks[j] = 0
            continue
        word = source[s + i - 1]
        if low == 0:
            cost[here, 0] = i
            cost[here, 1] = i
            marks[here] = 0
            low = 1
        one = cost[here + low - 1, 0]
        two = cost[here + low - 1, 1]
        here += low
        for j in range(low, high + 1):
            step = 0 if word == hypothesis[h + j - 1] else 1
            one = one + 1
            if cost[here - m - 1, 0] + 1 < one:
                one = cost[here - m - 1, 0] + 1
            if cost[here - m - 2, 0] + step < one:
                one = cost[here - m - 2, 0] + step
            two = two + 1
            if cost[here - m - 1, 1] + 1 < two:
                two = cost[here - m - 1, 1] + 1
            if cost[here - m - 2, 1] + 2 * step < two:
                two = cost[here - m - 2, 1] + 2 * step
            cost[here, 0] = one
            cost[here, 1] = two
            marks[here] = 0
            here += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _left(n: cython.int, m: cython.int, bound: cython.int) -> cython.int:
    """How far the band reaches to the left of the main diagonal: |d| + |m − n − d| ≤ bound."""
    return (bound - (m - n)) // 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _right(n: cython.int, m: cython.int, bound: cython.int) -> cython.int:
    return (bound + (m - n)) // 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark(
    source: cython.int[::1], s: cython.longlong, n: cython.int, hypothesis: cython.int[::1],
    h: cython.longlong, m: cython.int, bound: cython.int, cost: cython.int[:, ::1], marks: cython.uchar[::1]
) -> cython.void:
    """Follow every optimal back-pointer of both tables from the end."""
    cython.declare(
        i=cython.int, j=cython.int, low=cython.int, high=cython.int, mark=cython.int, step=cython.int
    )
    here: cython.Py_ssize_t
    marks[cython.cast(cython.Py_ssize_t, n) * (m + 1) + m] = IN1 | IN2
    for i in range(n, -1, -1):
        low = i - _left(n, m, bound)
        high = i + _right(n, m, bound)
        if low < 0:
            low = 0
        if high > m:
            high = m
        here = cython.cast(cython.Py_ssize_t, i) * (m + 1) + high
        for j in range(high, low - 1, -1):
            mark = marks[here]
            if mark == 0:
                here -= 1
                continue
            step = 1
            if i and j and source[s + i - 1] == hypothesis[h + j - 1]:
                step = 0
            if mark & IN1:
                if i and j and cost[here - m - 2, 0] + step == cost[here, 0]:
                    mark |= D1
                    marks[here - m - 2] |= IN1
                if i and cost[here - m - 1, 0] + 1 == cost[here, 0]:
                    mark |= V1
                    marks[here - m - 1] |= IN1
                if j and cost[here - 1, 0] + 1 == cost[here, 0]:
                    mark |= H1
                    marks[here - 1] |= IN1
            if mark & IN2:
                if i and j and cost[here - m - 2, 1] + 2 * step == cost[here, 1]:
                    mark |= D2
                    marks[here - m - 2] |= IN2
                if i and cost[here - m - 1, 1] + 1 == cost[here, 1]:
                    mark |= V2
                    marks[here - m - 1] |= IN2
                if j and cost[here - 1, 1] + 1 == cost[here, 1]:
                    mark |= H2
                    marks[here - 1] |= IN2
            marks[here] = mark
            here -= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _link(
    source: cython.int[::1], s: cython.longlong, n: cython.int, hypothesis: cython.int[::1],
    h: cython.longlong, m: cython.int, bound: cython.int, marks: cython.uchar[::1], number: cython.int[::1],
    row_starts: cython.int[::1], vertices: cython.int[:, ::1], work: cython.longlong[::1]
) -> cython.int:
    """Number the marked cells and give each vertex its outgoing basic edges."""
    cython.declare(i=cython.int, j=cython.int, low=cython.int, high=cython.int, mark=cython.int, v=cython.int)
    here: cython.Py_ssize_t
    size: cython.int = 0
    for i in range(n + 1):
        low = i - _left(n, m, bound)
        high = i + _right(n, m, bound)
        if low < 0:
            low = 0
        if high > m:
            high = m
        here = cython.cast(cython.Py_ssize_t, i) * (m + 1) + low
        row_starts[i] = size
        for j in range(low, high + 1):
            mark = marks[here]
            if mark:
                number[here] = size
                vertices[size, ROW] = i
                vertices[size, COLUMN] = j
                vertices[size, DIAGONAL] = -1
                vertices[size, VERTICAL] = -1
                vertices[size, HORIZONTAL] = -1
                vertices[size, BITS] = 0
                vertices[size, FIRST_FOUND] = -1
                if mark & (D1 | D2):
                    v = number[here - m - 2]
                    vertices[v, DIAGONAL] = size
                    if source[s + i - 1] == hypothesis[h + j - 1]:
                        vertices[v, BITS] |= EQUAL
                    if (mark & D1) and (mark & D2):
                        vertices[v, BITS] |= DOUBLE_D
                if mark & (V1 | V2):
                    v = number[here - m - 1]
                    vertices[v, VERTICAL] = size
                    if (mark & V1) and (mark & V2):
                        vertices[v, BITS] |= DOUBLE_V
                if mark & (H1 | H2):
                    v = size - 1
                    vertices[v, HORIZONTAL] = size
                    if (mark & H1) and (mark & H2):
                        vertices[v, BITS] |= DOUBLE_H
                size += 1
            here += 1
    row_starts[n + 1] = size
    work[1] += size
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find(
    first: cython.int, last: cython.int, column: cython.int, vertices: cython.int[:, ::1]
) -> cython.int:
    """The vertex of this column among first:last (one row of the grid), or -1."""
    middle: cython.int
    while first < last:
        middle = (first + last) // 2
        if vertices[middle, COLUMN] < column:
            first = middle + 1
        else:
            last = middle
    return first


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _says(
    edit: cython.longlong, hypothesis: cython.int[::1], begin: cython.longlong, end: cython.longlong,
    correction_offsets: cython.longlong[::1], token_offsets: cython.longlong[::1], tokens: cython.int[::1]
) -> cython.bint:
    """Whether one of a gold edit's corrections reads as the hypothesis' words begin:end."""
    cython.declare(c=cython.longlong, k=cython.longlong, t=cython.longlong)
    for c in range(correction_offsets[edit], correction_offsets[edit + 1]):
        t = token_offsets[c]
        if token_offsets[c + 1] - t != end - begin:
            continue
        k = 0
        while k < end - begin and tokens[t + k] == hypothesis[begin + k]:
            k += 1
        if k == end - begin:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _match(
    hypothesis: cython.int[::1], h: cython.longlong, m: cython.int, first_row: cython.longlong,
    last_row: cython.longlong, edit_offsets: cython.longlong[::1], spans: cython.int[:, ::1],
    correction_offsets: cython.longlong[::1], token_offsets: cython.longlong[::1], tokens: cython.int[::1],
    row_starts: cython.int[::1], vertices: cython.int[:, ::1], found: cython.int[:, ::1],
    used: cython.uchar[::1]
) -> cython.int:
    """List the arcs that match a gold edit, by the vertex they begin in (they may turn out not to exist)."""
    cython.declare(row=cython.longlong, edit=cython.longlong, other=cython.longlong, c=cython.longlong,
                   k=cython.longlong, t=cython.longlong, words=cython.longlong)
    cython.declare(u=cython.int, w=cython.int, column=cython.int)
    size: cython.int = 0
    for row in range(first_row, last_row):
        for edit in range(edit_offsets[row], edit_offsets[row + 1]):
            if spans[edit, 0] == spans[edit, 1]:
                other = edit_offsets[row]
                while spans[other, 0] != spans[edit, 0] or spans[other, 1] != spans[edit, 0]:
                    other += 1
                if other == edit:  # the first one of this place: walk for all of them
                    size = _insertions(hypothesis, h, row, edit, cython.cast(cython.int, row - first_row),
                                       edit_offsets, spans, correction_offsets, token_offsets, tokens,
                                       row_starts, vertices, found, used, size)
                continue
            if spans[edit, 0] > spans[edit, 1]:
                continue
            for c in range(correction_offsets[edit], correction_offsets[edit + 1]):
                t = token_offsets[c]
                words = token_offsets[c + 1] - t
                for u in range(row_starts[spans[edit, 0]], row_starts[spans[edit, 0] + 1]):
                    column = vertices[u, COLUMN]
                    if column + words > m:
                        break
                    k = 0
                    while k < words and tokens[t + k] == hypothesis[h + column + k]:
                        k += 1
                    if k < words:
                        continue
                    column += cython.cast(cython.int, words)
                    w = _find(row_starts[spans[edit, 1]], row_starts[spans[edit, 1] + 1], column, vertices)
                    if w < row_starts[spans[edit, 1] + 1] and vertices[w, COLUMN] == column:
                        size = _add(u, w, cython.cast(cython.int, row - first_row), 0, vertices, found, size)
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(
    u: cython.int, w: cython.int, annotator: cython.int, epsilons: cython.int, vertices: cython.int[:, ::1],
    found: cython.int[:, ::1], size: cython.int
) -> cython.int:
    """Chain a matched arc to the vertex it begins in."""
    found[size, 0] = w
    found[size, 1] = annotator
    found[size, 2] = epsilons
    found[size, 3] = vertices[u, FIRST_FOUND]
    vertices[u, FIRST_FOUND] = size
    return size + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insertions(
    hypothesis: cython.int[::1], h: cython.longlong, row: cython.longlong, first_edit: cython.longlong,
    annotator: cython.int, edit_offsets: cython.longlong[::1], spans: cython.int[:, ::1],
    correction_offsets: cython.longlong[::1], token_offsets: cython.longlong[::1], tokens: cython.int[::1],
    row_starts: cython.int[::1], vertices: cython.int[:, ::1], found: cython.int[:, ::1],
    used: cython.uchar[::1], size: cython.int
) -> cython.int:
    """Match the insertions of one place: walk its arcs from both ends, each gold insertion used once.

    The sorted arcs of a row are (from, to, copy): the runs of horizontal edges, basic ones twice when
    both tables have them. They are stepped through, not stored.
    """
    place: cython.int = spans[first_edit, 0]
    begin: cython.int = row_starts[place]
    end: cython.int = row_starts[place + 1]
    edits: cython.longlong = edit_offsets[row]
    cython.declare(edit=cython.longlong, k=cython.longlong)
    left: cython.bint = True
    hit: cython.longlong
    cython.declare(f=cython.int, t=cython.int, copy=cython.int)
    lf: cython.int = begin  # the left end of what is still to be walked
    lt: cython.int
    lc: cython.int = 0
    rf: cython.int = end - 1  # and its right end
    cython.declare(rt=cython.int, rc=cython.int)
    while lf < end and vertices[lf, HORIZONTAL] < 0:
        lf += 1
    if lf == end:
        return size
    while vertices[rf, HORIZONTAL] < 0:
        rf -= 1
    lt = lf + 1
    rt = rf + 1
    rc = 1 if vertices[rf, BITS] & DOUBLE_H else 0
    for k in range(edit_offsets[row + 1] - edits):
        used[k] = 0
    while lf < rf or (lf == rf and (lt < rt or (lt == rt and lc <= rc))):
        f = lf if left else rf
        t = lt if left else rt
        copy = lc if left else rc
        hit = -1
        for k in range(edit_offsets[row + 1] - edits):
            edit = edits + k if left else edit_offsets[row + 1] - 1 - k
            if (
                spans[edit, 0] == place
                and spans[edit, 1] == place
                and not used[edit - edits]
                and _says(edit, hypothesis, h + vertices[f, COLUMN], h + vertices[t, COLUMN],
                          correction_offsets, token_offsets, tokens)
            ):
                hit = edit
                break
        if hit >= 0:
            used[hit - edits] = 1
            # The other copy of a double edge, when it was not walked yet, is skipped: an ordinary ε.
            k = 0
            if t == f + 1 and vertices[f, BITS] & DOUBLE_H:
                if left:
                    k = 1 if copy == 0 and (f < rf or t < rt or rc == 1) else 0
                else:
                    k = 1 if copy == 1 and (lf < f or lt < t or lc == 0) else 0
            size = _add(f, t, annotator, cython.cast(cython.int, k), vertices, found, size)
            if left:
                if vertices[t, HORIZONTAL] < 0:
                    break
                lf, lt, lc = t, t + 1, 0
            else:
                if f == begin or vertices[f - 1, HORIZONTAL] < 0:
                    break
                rf, rt = f - 1, f
                rc = 1 if vertices[rf, BITS] & DOUBLE_H else 0
            continue
        if left:
            if lc == 0 and lt == lf + 1 and vertices[lf, BITS] & DOUBLE_H:
                lc = 1
            else:
                lc = 0
                if vertices[lt, HORIZONTAL] >= 0:
                    lt += 1
                else:
                    lf += 1
                    while lf < end and vertices[lf, HORIZONTAL] < 0:
                        lf += 1
                    lt = lf + 1
        elif rc == 1:
            rc = 0
        else:
            if rt > rf + 1:
                rt -= 1
            else:
                rf -= 1
                while rf >= begin and vertices[rf, HORIZONTAL] < 0:
                    rf -= 1
                if rf < begin:
                    break
                rt = rf + 1
                while vertices[rt, HORIZONTAL] >= 0:
                    rt += 1
            rc = 1 if rt == rf + 1 and vertices[rf, BITS] & DOUBLE_H else 0
        left = not left
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep(
    size: cython.int, max_unchanged: cython.int, annotators: cython.int, total: cython.longlong,
    most_arcs: cython.longlong, vertices: cython.int[:, ::1], labels: cython.int[:, ::1],
    distance: cython.double[:, ::1], best: cython.longlong[:, :, ::1], found: cython.int[:, ::1]
) -> cython.longlong:
    """Relax every arc, vertex by vertex, for every annotator; without annotators, only count them.

    Returns the number of arcs, double basic edges counted twice, or -1 when there are too many; `total`
    is that number, known before.
    """
    cython.declare(a=cython.int, u=cython.int, v=cython.int)
    arcs: cython.longlong = 0
    for v in range(size):
        labels[v, BEGUN] = 0
    for a in range(annotators):
        for v in range(size):
            distance[a, v] = INFINITE
        distance[a, 0] = 0.0
        best[a, 0, 0] = 0
    for u in range(size - 1):
        arcs += _sweep_from(u, size, max_unchanged, 0, annotators, cython.cast(cython.double, total),
                            vertices, labels, distance, best, found)
        if arcs > most_arcs:
            return -1
    return arcs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep_from(
    u: cython.int, size: cython.int, max_unchanged: cython.int, first: cython.int, last: cython.int,
    total: cython.double, vertices: cython.int[:, ::1], labels: cython.int[:, ::1],
    distance: cython.double[:, ::1], best: cython.longlong[:, :, ::1], found: cython.int[:, ::1]
) -> cython.longlong:
    """Relax the arcs from u to vertices before `size`, for the annotators first:last; returns how many."""
    v: cython.int = u
    w: cython.int
    high: cython.int = u
    next_low: cython.int = size
    next_high: cython.int = -1
    length: cython.int = 0
    unchanged: cython.int = 0
    double: cython.int
    chain: cython.int = vertices[u, FIRST_FOUND]
    bits: cython.int = vertices[u, BITS]
    arcs: cython.longlong = 0
    cost: cython.double
    # `v` runs over the labelled vertices of one row of the grid, while the next row's range grows.
    while True:
        if v == u or labels[v, BEGUN] == u + 1:
            if v != u:
                length = labels[v, LENGTH]
                unchanged = labels[v, UNCHANGED]
                if length == 1:
                    arcs += 1
                    double = DOUBLE_H
                    if vertices[u, DIAGONAL] == v:
                        double = DOUBLE_D
                    elif vertices[u, VERTICAL] == v:
                        double = DOUBLE_V
                    cost = 1.0
                    if not unchanged:
                        cost += EPSILON
                    if bits & double:
                        arcs += 1
                        if not unchanged:
                            cost += EPSILON
                    _relax(
                        first, last, u, v, cost, -1, -1 if unchanged else chain, total, distance, best, found
                    )
                elif unchanged < length:
                    arcs += 1
                    cost = length
                    cost += EPSILON
                    _relax(first, last, u, v, cost, labels[v, THROUGH], chain, total, distance, best, found)
            w = vertices[v, DIAGONAL]
            if 0 <= w < size:
                double = vertices[v, BITS] & EQUAL
                if v == u or unchanged + double <= max_unchanged:
                    _label(u, v, w, length + 1, unchanged + double, labels)
                    if w < next_low:
                        next_low = w
                    if w > next_high:
                        next_high = w
            if unchanged <= max_unchanged:
                w = vertices[v, VERTICAL]
                if 0 <= w < size:
                    _label(u, v, w, length + 1, unchanged, labels)
                    if w < next_low:
                        next_low = w
                    if w > next_high:
                        next_high = w
                w = vertices[v, HORIZONTAL]
                if 0 <= w < size:
                    _label(u, v, w, length + 1, unchanged, labels)
                    if w > high:
                        high = w
        v += 1
        if v > high:
            if next_high < 0:
                return arcs
            v = next_low
            high = next_high
            next_low = size
            next_high = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _label(
    u: cython.int, v: cython.int, w: cython.int, length: cython.int, unchanged: cython.int,
    labels: cython.int[:, ::1]
) -> cython.void:
    """Make or shorten the arc (u, w) by way of v: only when strictly shorter."""
    if labels[w, BEGUN] != u + 1:
        labels[w, BEGUN] = u + 1
        labels[w, THROUGH] = v
    elif labels[w, LENGTH] <= length:
        return
    labels[w, LENGTH] = length
    labels[w, UNCHANGED] = unchanged


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _relax(
    first: cython.int, last: cython.int, u: cython.int, w: cython.int, ordinary: cython.double,
    through: cython.int, chain: cython.int, total: cython.double, distance: cython.double[:, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1]
) -> cython.void:
    """Take the arc (u, w) where it makes the way to w cheaper; `through` is -1 for a basic edge.

    Repeated strict relaxation over the list "basic edges sorted, then transitive arcs by (intermediate,
    from, to)" keeps, of equally cheap arcs, the one that is relaxed first after its tail is final. A
    basic edge behind a transitive arc has to wait for the next round. So the rank of an arc is
    (round, basic before transitive, intermediate or tail, tail).
    """
    cython.declare(a=cython.int, t=cython.int)
    cost: cython.double
    rank: cython.longlong
    for a in range(first, last):
        cost = ordinary
        t = chain
        while t >= 0:
            if found[t, 0] == w and found[t, 1] == a:
                cost = -total
                if found[t, 2]:
                    cost += EPSILON
                break
            t = found[t, 3]
        cost += distance[a, u]
        if cost > distance[a, w]:
            continue
        rank = best[a, u, 0] >> 49
        if through < 0:
            rank += (best[a, u, 0] >> 48) & 1
            rank = (rank << 49) | (cython.cast(cython.longlong, u) << 24)
        else:
            rank = (rank << 49) | (cython.cast(cython.longlong, 1) << 48)
            rank |= (cython.cast(cython.longlong, through) << 24) | u
        if cost < distance[a, w] or rank < best[a, w, 0]:
            distance[a, w] = cost
            best[a, w, 0] = rank
            best[a, w, 1] = u


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bounded(
    size: cython.int, max_unchanged: cython.int, annotators: cython.int, total: cython.double,
    vertices: cython.int[:, ::1], labels: cython.int[:, ::1], distance: cython.double[:, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1], open_cost: cython.double[:, ::1],
    open_from: cython.int[:, ::1]
) -> cython.void:
    """The best paths where there are too many arcs: an edit is grown edge by edge, not arc by arc.

    Only the cheapest open edit is kept for every vertex and number of unchanged words in it. That is the
    same optimum, unless the closure would have preferred, of two equally long ways between two
    vertices, the one with more unchanged words; this takes a way that mixes both tables, and then an
    edit more may be the true result. Arcs that match a gold edit are looked up exactly.

    Columns of `open_*`: edits with 0 … max unchanged words, then what is 1 … max unchanged words so far.
    """
    cython.declare(a=cython.int, v=cython.int, w=cython.int, k=cython.int, t=cython.int, side=cython.int,
                   equal=cython.int, double=cython.int)
    cost: cython.double
    for v in range(size):
        labels[v, BEGUN] = 0
    for a in range(annotators):
        for v in range(size):
            distance[a, v] = INFINITE
            best[a, v, 0] = 0
            for k in range(2 * max_unchanged + 1):
                open_cost[v, k] = INFINITE
        distance[a, 0] = 0.0
        for v in range(size):
            for side in range(3):
                w = vertices[v, DIAGONAL + side]
                if w < 0:
                    continue
                equal = vertices[v, BITS] & EQUAL if side == 0 else 0
                cost = distance[a, v] + 1.0
                if equal:
                    if cost < distance[a, w]:
                        distance[a, w] = cost
                        best[a, w, 1] = v
                    if max_unchanged:
                        open_cost[w, max_unchanged + 1] = cost
                        open_from[w, max_unchanged + 1] = v
                    for k in range(1, max_unchanged):
                        open_cost[w, max_unchanged + k + 1] = open_cost[v, max_unchanged + k] + 1.0
                        open_from[w, max_unchanged + k + 1] = open_from[v, max_unchanged + k]
                else:
                    cost += EPSILON
                    if cost < open_cost[w, 0]:
                        open_cost[w, 0] = cost
                        open_from[w, 0] = v
                    double = DOUBLE_D if side == 0 else (DOUBLE_V if side == 1 else DOUBLE_H)
                    if vertices[v, BITS] & double:
                        cost += EPSILON
                    if cost < distance[a, w]:
                        distance[a, w] = cost
                        best[a, w, 1] = v
                    for k in range(1, max_unchanged + 1):
                        cost = open_cost[v, max_unchanged + k] + 1.0 + EPSILON
                        _grow(a, w, k, cost, open_from[v, max_unchanged + k], distance, best, open_cost,
                              open_from)
                for k in range(max_unchanged + 1 - equal):
                    cost = open_cost[v, k] + 1.0
                    _grow(a, w, k + equal, cost, open_from[v, k], distance, best, open_cost, open_from)
            t = vertices[v, FIRST_FOUND]
            w = -1
            while t >= 0:
                if found[t, 1] == a and found[t, 0] > w:
                    w = found[t, 0]
                t = found[t, 3]
            if w >= 0:
                for t in range(v, w + 1):
                    labels[t, BEGUN] = 0
                _sweep_from(v, w + 1, max_unchanged, a, a + 1, total, vertices, labels, distance, best, found)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _grow(
    a: cython.int, w: cython.int, k: cython.int, cost: cython.double, begun: cython.int,
    distance: cython.double[:, ::1], best: cython.longlong[:, :, ::1], open_cost: cython.double[:, ::1],
    open_from: cython.int[:, ::1]
) -> cython.void:
    """An edit of two edges or more reaches w: it may end here or go on."""
    if cost < open_cost[w, k]:
        open_cost[w, k] = cost
        open_from[w, k] = begun
    if cost < distance[a, w]:
        distance[a, w] = cost
        best[a, w, 1] = begun


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk_back(
    size: cython.int, annotator: cython.int, vertices: cython.int[:, ::1], best: cython.longlong[:, :, ::1],
    path: cython.int[:, ::1]
) -> cython.int:
    """The best path's edits (source span, hypothesis span), last one first; returns how many."""
    v: cython.int = size - 1
    u: cython.int
    length: cython.int = 0
    while v > 0:
        u = cython.cast(cython.int, best[annotator, v, 1])
        if not (vertices[u, DIAGONAL] == v and vertices[u, BITS] & EQUAL):
            path[length, 0] = vertices[u, ROW]
            path[length, 1] = vertices[v, ROW]
            path[length, 2] = vertices[u, COLUMN]
            path[length, 3] = vertices[v, COLUMN]
            length += 1
        v = u
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    source: cython.int[::1], s: cython.longlong, hypothesis: cython.int[::1], h: cython.longlong,
    row: cython.longlong, edit_offsets: cython.longlong[::1], spans: cython.int[:, ::1],
    correction_offsets: cython.longlong[::1], token_offsets: cython.longlong[::1], tokens: cython.int[::1],
    letters: cython.int[::1], letter_offsets: cython.longlong[::1], path: cython.int[:, ::1],
    length: cython.int, out: cython.longlong[:, ::1]
) -> cython.void:
    """Count the path's edits, and those that are correct, with a pointer into the gold list."""
    k: cython.int
    cython.declare(edit=cython.longlong, begin=cython.longlong)
    pointer: cython.longlong = edit_offsets[row]
    folded: cython.bint = letter_offsets.shape[0] > 1
    for k in range(length - 1, -1, -1):
        if folded and _same_letters(
            source,
            s + path[k, 0],
            s + path[k, 1],
            hypothesis,
            h + path[k, 2],
            h + path[k, 3],
            letters,
            letter_offsets,
        ):
            continue
        out[row, 1] += 1
        begin = pointer
        for edit in range(begin, edit_offsets[row + 1]):
            if (
                spans[edit, 0] == path[k, 0]
                and spans[edit, 1] == path[k, 1]
                and _says(edit, hypothesis, h + path[k, 2], h + path[k, 3], correction_offsets,
                          token_offsets, tokens)
            ):
                out[row, 0] += 1
                pointer = edit + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_letters(
    source: cython.int[::1], a: cython.longlong, a_end: cython.longlong, hypothesis: cython.int[::1],
    b: cython.longlong, b_end: cython.longlong, letters: cython.int[::1],
    letter_offsets: cython.longlong[::1]
) -> cython.bint:
    """Whether two runs of tokens are the same text but for blanks and case."""
    i: cython.longlong = 0
    i_end: cython.longlong = 0
    j: cython.longlong = 0
    j_end: cython.longlong = 0
    while True:
        while i == i_end and a < a_end:
            i = letter_offsets[source[a]]
            i_end = letter_offsets[source[a] + 1]
            a += 1
        while j == j_end and b < b_end:
            j = letter_offsets[hypothesis[b]]
            j_end = letter_offsets[hypothesis[b] + 1]
            b += 1
        if i == i_end or j == j_end:
            return i == i_end and j == j_end
        if letters[i] != letters[j]:
            return False
        i += 1
        j += 1
