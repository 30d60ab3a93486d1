"""M² (Dahlmeier & Ng 2012): the lattice of all minimal alignments and its best path for every annotator.

Vertices are the grid points (i, j) on an optimal path of one of two Levenshtein tables (substitution 1
and 2). The closure's arcs are never stored: closing with the intermediate vertex as the outermost loop,
in lexicographic order, only ever appends one basic edge to a finished arc, so all arcs that begin in u
are one sweep over the vertices behind u, and each is relaxed where the sweep meets it. A first round of
sweeps counts the arcs, and finds the stretches of unchanged words that stay in the official arc list.

Costs are added in double precision in the official order, for its rounding decides between paths that
are equally good on paper; true ties fall as repeated relaxation over the official arc list would let
them fall (see `_relax`).
"""

# Functions take a dozen arrays; a line for each would hide the code.
# fmt: off
import cython

from errata.kernels import _checks, _metric_checks

INFINITE = cython.declare(cython.double, 1e300)
EPSILON = cython.declare(cython.double, 0.001)  # what an edit costs beside its length
NOISE = cython.declare(cython.double, 1e-9)  # more than rounding does to a distance, less than an ε
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

# Columns of `vertices`, one row per vertex.
ROW = cython.declare(cython.int, 0)
COLUMN = cython.declare(cython.int, 1)
DIAGONAL = cython.declare(cython.int, 2)  # vertex the edge leads to, or -1
VERTICAL = cython.declare(cython.int, 3)
HORIZONTAL = cython.declare(cython.int, 4)
BITS = cython.declare(cython.int, 5)
FIRST_FOUND = cython.declare(cython.int, 6)  # chain of arcs with a cost of their own that begin here
BEHIND = cython.declare(cython.int, 7)  # unchanged words that lead here in a row
AHEAD = cython.declare(cython.int, 8)  # vertices from here on with no other edge than an unchanged word
MADE = cython.declare(cython.int, 9)  # arcs made so far with this vertex as the intermediate one

# Columns of `labels`: the arc that leads to a vertex from where the current sweep began.
BEGUN = cython.declare(cython.int, 0)  # 4 × (that vertex + 1), plus the times it was shortened, at most 2
LENGTH = cython.declare(cython.int, 1)
UNCHANGED = cython.declare(cython.int, 2)
THROUGH = cython.declare(cython.int, 3)  # the intermediate vertex that made the arc first


@_checks.checked(_metric_checks.counts)
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
    distance: cython.double[:, :, ::1],  # and a distance that was first, but for rounding
    best: cython.longlong[:, :, ::1],  # rank, from where, rank of that other distance
    open_cost: cython.double[:, ::1],
    open_from: cython.int[:, ::1],
    found: cython.int[:, ::1],
    path: cython.int[:, ::1],
    grown: cython.uchar[::1],  # 1 for those of start:stop that had too many arcs
    work: cython.longlong[::1],
) -> None:
    """Counts of the segments start:stop; `work` gains the cells, vertices and arcs looked at.

    `path` is left with the last row's edits, last one first, and `work[3]` with how many they are;
    `work[4]` gains the sentences that had too many arcs.
    """
    cython.declare(k=cython.int, same=cython.bint)
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
            most_words = max_unchanged if max_unchanged < n else n
            _match(hypothesis, h, m, rows[i], rows[i + 1], edit_offsets, spans, correction_offsets,
                   token_offsets, tokens, row_starts, vertices, found)
            annotators = cython.cast(cython.int, rows[i + 1] - rows[i])
            arcs = _arcs(size, most_words, most_arcs, vertices, labels, distance, best, found,
                         open_from)
            if arcs >= 0:
                work[2] += arcs
                _paths(size, most_words, annotators, arcs, vertices, labels, distance, best, found,
                       open_from)
            else:
                _bounded(size, most_words, annotators, 2.0 * (n + m + 1), vertices, labels, distance, best,
                         found, open_cost, open_from)
                grown[i - start] = 1
                work[4] += 1
            for row in range(rows[i], rows[i + 1]):
                length = _walk_back(
                    size, cython.cast(cython.int, row - rows[i]), most_words, vertices, best, path
                )
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
    cython.declare(i=cython.int, j=cython.int, low=cython.int, one=cython.int, two=cython.int,
                   step=cython.int)
    for i in range(n + 1):
        low = _low(i, n, m, bound)
        high = _high(i, n, m, bound)
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
def _low(i: cython.int, n: cython.int, m: cython.int, bound: cython.int) -> cython.int:
    """The first column of a row that lies in the band: |d| + |m − n − d| ≤ bound for the diagonal d."""
    return max(0, i - (bound - (m - n)) // 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _high(i: cython.int, n: cython.int, m: cython.int, bound: cython.int) -> cython.int:
    """The last column of a row that lies in the band."""
    return min(m, i + (bound + (m - n)) // 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark(
    source: cython.int[::1], s: cython.longlong, n: cython.int, hypothesis: cython.int[::1],
    h: cython.longlong, m: cython.int, bound: cython.int, cost: cython.int[:, ::1], marks: cython.uchar[::1]
) -> cython.void:
    """Follow every optimal back-pointer of both tables from the end."""
    cython.declare(i=cython.int, j=cython.int, low=cython.int, step=cython.int)
    marks[cython.cast(cython.Py_ssize_t, n) * (m + 1) + m] = IN1 | IN2
    for i in range(n, -1, -1):
        low = _low(i, n, m, bound)
        high = _high(i, n, m, bound)
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
    cython.declare(i=cython.int, j=cython.int, low=cython.int, mark=cython.int, v=cython.int)
    size: cython.int = 0
    for i in range(n + 1):
        low = _low(i, n, m, bound)
        high = _high(i, n, m, bound)
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
                vertices[size, BEHIND] = 0
                vertices[size, MADE] = 0
                if mark & (D1 | D2):
                    v = number[here - m - 2]
                    vertices[v, DIAGONAL] = size
                    if source[s + i - 1] == hypothesis[h + j - 1]:
                        vertices[v, BITS] |= EQUAL
                        vertices[size, BEHIND] = vertices[v, BEHIND] + 1
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
    end: cython.int = last
    while first < last:
        middle = (first + last) // 2
        if vertices[middle, COLUMN] < column:
            first = middle + 1
        else:
            last = middle
    return first if first < end and vertices[first, COLUMN] == column else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _says(
    edit: cython.longlong, hypothesis: cython.int[::1], begin: cython.longlong, end: cython.longlong,
    correction_offsets: cython.longlong[::1], token_offsets: cython.longlong[::1], tokens: cython.int[::1]
) -> cython.bint:
    """Whether one of a gold edit's corrections reads as the hypothesis' words begin:end."""
    k: cython.longlong
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
    row_starts: cython.int[::1], vertices: cython.int[:, ::1], found: cython.int[:, ::1]
) -> cython.void:
    """List the arcs that match a gold edit, by the vertex they begin in (they may turn out not to exist).

    A gold edit whose correction equals its source words matches unchanged words like any other arc.
    """
    cython.declare(k=cython.longlong, column=cython.int)
    size: cython.int = 0
    for row in range(first_row, last_row):
        for edit in range(edit_offsets[row], edit_offsets[row + 1]):
            if spans[edit, 0] == spans[edit, 1]:
                other = edit_offsets[row]
                while spans[other, 0] != spans[edit, 0] or spans[other, 1] != spans[edit, 0]:
                    other += 1
                if other == edit:  # the first one of this place: walk for all of them
                    size = _insertions(hypothesis, h, edit, edit_offsets[row + 1] - 1,
                                       cython.cast(cython.int, row - first_row), spans, correction_offsets,
                                       token_offsets, tokens, row_starts, vertices, found, size)
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
                    if w >= 0:
                        size = _add(u, w, w, cython.cast(cython.int, row - first_row), 0, vertices, found,
                                    size)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(
    u: cython.int, first: cython.int, last: cython.int, annotator: cython.int, epsilons: cython.int,
    vertices: cython.int[:, ::1], found: cython.int[:, ::1], size: cython.int
) -> cython.int:
    """Give the arcs from u to the vertices first … last a cost of their own, for one annotator.

    `epsilons` is what a matched arc costs beside −|E|. Below 0 the arcs are not matched by this, and cost an
    ε more each; a basic edge, the shortest of them, costs so many (-2: two) more.
    """
    found[size, 0] = first
    found[size, 1] = last
    found[size, 2] = annotator
    found[size, 3] = epsilons
    found[size, 4] = vertices[u, FIRST_FOUND]
    vertices[u, FIRST_FOUND] = size
    return size + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insertions(
    hypothesis: cython.int[::1], h: cython.longlong, first: cython.longlong, last: cython.longlong,
    annotator: cython.int, spans: cython.int[:, ::1], correction_offsets: cython.longlong[::1],
    token_offsets: cython.longlong[::1], tokens: cython.int[::1], row_starts: cython.int[::1],
    vertices: cython.int[:, ::1], found: cython.int[:, ::1], size: cython.int
) -> cython.int:
    """Match the insertions of one place, among the gold edits first … last: walk its arcs from both ends.

    The sorted arcs of a row are (from, to, copy): the runs of horizontal edges, basic ones twice when
    both tables have them. They are stepped through, not stored. A match on the left gives up the gold
    before it, one on the right the gold behind it.
    """
    place: cython.int = spans[first, 0]
    begin: cython.int = row_starts[place]
    end: cython.int = row_starts[place + 1]
    left: cython.bint = True
    cython.declare(forwards=cython.bint, double=cython.int)
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
    while lf < rf or (lf == rf and (lt < rt or (lt == rt and lc <= rc))):
        forwards = left or (lf == rf and lt == rt and lc == rc)
        f = lf if left else rf
        t = lt if left else rt
        edit = first if forwards else last
        while first <= edit <= last and not (
            spans[edit, 0] == place
            and spans[edit, 1] == place
            and _says(edit, hypothesis, h + vertices[f, COLUMN], h + vertices[t, COLUMN],
                      correction_offsets, token_offsets, tokens)
        ):
            edit += 1 if forwards else -1
        if first <= edit <= last:
            # The other copy of a double edge is skipped and gives its ε to the arc they share.
            double = 1 if t == f + 1 and vertices[f, BITS] & DOUBLE_H else 0
            size = _add(f, t, t, annotator, double, vertices, found, size)
            if forwards:
                first = edit + 1
                lf, lt, lc = t, t + 1, 0
                if vertices[t, HORIZONTAL] < 0:
                    lf = end
            else:
                last = edit - 1
                rf, rt, rc = f - 1, f, 0
                if f == begin or vertices[f - 1, HORIZONTAL] < 0:
                    rf = begin - 1
                elif vertices[rf, BITS] & DOUBLE_H:
                    rc = 1
            size = _passed_twice(rf, rt, rc, lf, lt, lc, begin, end, annotator, vertices, found, size)
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
def _passed_twice(
    rf: cython.int, rt: cython.int, rc: cython.int, lf: cython.int, lt: cython.int, lc: cython.int,
    begin: cython.int, end: cython.int, annotator: cython.int, vertices: cython.int[:, ::1],
    found: cython.int[:, ::1], size: cython.int
) -> cython.int:
    """Another ε for the arcs between both pointers, where a match made one of them jump over the other."""
    cython.declare(f=cython.int, first=cython.int, last=cython.int, double=cython.int, copies=cython.int)
    for f in range(rf if rf > begin else begin, lf + 1 if lf < end else end):
        if vertices[f, HORIZONTAL] < 0:
            continue
        double = 1 if vertices[f, BITS] & DOUBLE_H else 0
        copies = 1 + double
        first = f + 1
        last = end - 1
        if f == rf:
            copies = 1
            first = rt if double and rt == f + 1 and rc == 0 else rt + 1
        if f == lf:
            last = lt - 1
            if lc == 1:
                last = lt
                copies = 1
        if first <= last:
            size = _add(f, first, last, annotator, -copies, vertices, found, size)
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _arcs(
    size: cython.int, max_unchanged: cython.int, most_arcs: cython.longlong, vertices: cython.int[:, ::1],
    labels: cython.int[:, ::1], distance: cython.double[:, :, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1], stretches: cython.int[:, ::1]
) -> cython.longlong:
    """The number of arcs of the official list, every copy counted, or -1 when there are too many.

    An arc stands in the list once for every time it was made or shortened. Stretches of unchanged words are
    removed from it, except one that directly follows a removed one: `stretches[v, k]` becomes 1 where that
    of the k words before v and the one behind it stays. The list is ordered by (intermediate, from, to).
    """
    cython.declare(u=cython.int, v=cython.int, k=cython.int)
    arcs: cython.longlong = 0
    made: cython.longlong = 0
    for v in range(size - 1, -1, -1):
        labels[v, BEGUN] = 0
        vertices[v, AHEAD] = 0
        if v == size - 1:
            vertices[v, AHEAD] = FAR
        elif vertices[v, BITS] & EQUAL and vertices[v, VERTICAL] < 0 and vertices[v, HORIZONTAL] < 0:
            vertices[v, AHEAD] = vertices[vertices[v, DIAGONAL], AHEAD] + 1
    for u in range(size - 1):
        arcs += _sweep_from(u, size, max_unchanged, 0, 0, 0.0, vertices, labels, distance, best, found,
                            stretches, True)
        if arcs > most_arcs:
            return -1
    removed = -2
    for v in range(size):
        if vertices[v, BITS] & EQUAL:
            k = vertices[v, BEHIND]
            if k >= max_unchanged:
                k = max_unchanged - 1
            while k > 0:
                place = made + stretches[v, k]
                stretches[v, k] = 1
                if place != removed + 1:
                    stretches[v, k] = 0
                    removed = place
                    arcs -= 1
                k -= 1
        made += vertices[v, MADE]
    return arcs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _paths(
    size: cython.int, max_unchanged: cython.int, annotators: cython.int, arcs: cython.longlong,
    vertices: cython.int[:, ::1], labels: cython.int[:, ::1], distance: cython.double[:, :, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1],
    stretches: cython.int[:, ::1]
) -> cython.void:
    """Relax every arc, vertex by vertex, for every annotator."""
    u: cython.int
    for v in range(size):
        labels[v, BEGUN] = 0
    for a in range(annotators):
        for v in range(size):
            distance[a, v, 0] = INFINITE
            distance[a, v, 1] = INFINITE
        distance[a, 0, 0] = 0.0
        best[a, 0, 0] = 0
    for u in range(size - 1):
        _sweep_from(u, size, max_unchanged, 0, annotators, cython.cast(cython.double, arcs), vertices, labels,
                    distance, best, found, stretches, True)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep_from(
    u: cython.int, size: cython.int, max_unchanged: cython.int, first: cython.int, last: cython.int,
    total: cython.double, vertices: cython.int[:, ::1], labels: cython.int[:, ::1],
    distance: cython.double[:, :, ::1], best: cython.longlong[:, :, ::1],
    found: cython.int[:, ::1], stretches: cython.int[:, ::1], exact: cython.bint
) -> cython.longlong:
    """Relax the arcs from u to vertices before `size`, for the annotators first:last; returns how many.

    Without annotators it is the first round: `stretches` gets the places of stretches of unchanged words.
    Only where it is `exact` is it known later which of them stay.
    """
    cython.declare(v=cython.int, w=cython.int, copies=cython.int, double=cython.int)
    high: cython.int = u
    next_low: cython.int = size
    next_high: cython.int = -1
    mark: cython.int = 4 * (u + 1)
    chain: cython.int = vertices[u, FIRST_FOUND]
    arcs: cython.longlong = 0
    if vertices[u, AHEAD] > max_unchanged:
        return _sweep_unchanged(u, max_unchanged, first, last, total, vertices, distance, best, found,
                                stretches, exact)
    for double in range(DIAGONAL, HORIZONTAL + 1):
        w = vertices[u, double]
        if 0 <= w < size:
            labels[w, BEGUN] = mark
            labels[w, LENGTH] = 1
            labels[w, UNCHANGED] = vertices[u, BITS] & EQUAL if double == DIAGONAL else 0
            if double == HORIZONTAL:
                high = w
            else:
                next_low = min(next_low, w)
                next_high = max(next_high, w)
    v = u
    # `v` runs over the labelled vertices of one row of the grid, while the next row's range grows.
    while True:
        v += 1
        if v > high:
            if next_high < 0:
                return arcs
            v = next_low
            high = next_high
            next_low = size
            next_high = -1
        copies = labels[v, BEGUN] - mark + 1
        if copies <= 0:
            continue
        length = labels[v, LENGTH]
        unchanged = labels[v, UNCHANGED]
        cost = length
        if length == 1:
            double = DOUBLE_H
            if vertices[u, DIAGONAL] == v:
                double = DOUBLE_D
            elif vertices[u, VERTICAL] == v:
                double = DOUBLE_V
            if vertices[u, BITS] & double:
                copies = 2
        arcs += copies
        if first < last:
            w = labels[v, THROUGH] if length > 1 else -1
            if unchanged < length:
                while copies > 0:
                    cost += EPSILON
                    copies -= 1
                copies = 1
            elif length > 1:
                copies = exact and stretches[w, length - 1]
            if copies:
                if _relax(first, last, u, v, cost, w, chain, total, distance, best, found):
                    _reach(first, last, u, v, cost, w, chain, total, distance, best, found)
        if unchanged <= max_unchanged:
            w = vertices[v, HORIZONTAL]
            if 0 <= w < size:
                _label(mark, v, w, length + 1, unchanged, vertices, labels)
                high = max(high, w)
            w = vertices[v, VERTICAL]
            if 0 <= w < size:
                _label(mark, v, w, length + 1, unchanged, vertices, labels)
                next_low = min(next_low, w)
                next_high = max(next_high, w)
        w = vertices[v, DIAGONAL]
        if 0 <= w < size:
            equal = vertices[v, BITS] & EQUAL
            if unchanged + equal <= max_unchanged:
                if first == last and equal and unchanged == length:
                    stretches[v, length] = vertices[v, MADE]
                _label(mark, v, w, length + 1, unchanged + equal, vertices, labels)
                next_low = min(next_low, w)
                next_high = max(next_high, w)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep_unchanged(
    u: cython.int, max_unchanged: cython.int, first: cython.int, last: cython.int, total: cython.double,
    vertices: cython.int[:, ::1], distance: cython.double[:, :, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1], stretches: cython.int[:, ::1],
    exact: cython.bint
) -> cython.longlong:
    """The sweep from a vertex where more unchanged words follow than an edit may hold: no arc is an edit."""
    w: cython.int = vertices[u, DIAGONAL]
    through: cython.int = -1
    words: cython.int = 1
    chain: cython.int = vertices[u, FIRST_FOUND]
    arcs: cython.longlong = 2 if vertices[u, BITS] & DOUBLE_D else 1
    while True:
        if first < last and (through < 0 or (exact and stretches[through, words - 1])):
            if _relax(first, last, u, w, words, through, chain, total, distance, best, found):
                _reach(first, last, u, w, words, through, chain, total, distance, best, found)
        if words >= max_unchanged or vertices[w, DIAGONAL] < 0:
            return arcs
        through = w
        w = vertices[w, DIAGONAL]
        arcs += 1
        if first == last:
            stretches[through, words] = vertices[through, MADE]
            vertices[through, MADE] += 1
        words += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _label(
    mark: cython.int, v: cython.int, w: cython.int, length: cython.int, unchanged: cython.int,
    vertices: cython.int[:, ::1], labels: cython.int[:, ::1]
) -> cython.void:
    """Make or shorten the arc from where the sweep began to w by way of v: only when strictly shorter."""
    if labels[w, BEGUN] < mark:
        labels[w, BEGUN] = mark
        labels[w, THROUGH] = v
    elif labels[w, LENGTH] <= length:
        return
    else:
        labels[w, BEGUN] += 1
    labels[w, LENGTH] = length
    labels[w, UNCHANGED] = unchanged
    vertices[v, MADE] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _relax(
    first: cython.int, last: cython.int, u: cython.int, w: cython.int, ordinary: cython.double,
    through: cython.int, chain: cython.int, total: cython.double, distance: cython.double[:, :, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1]
) -> cython.bint:
    """Take the arc (u, w) where it makes the way to w cheaper; `through` is -1 for a basic edge.

    Repeated strict relaxation over the list "basic edges sorted, then transitive arcs by (intermediate,
    from, to)" keeps, of equally cheap arcs, the one that is relaxed first after its tail is final. A
    basic edge behind a transitive arc has to wait for the next round. So the rank of an arc is
    (round, basic before transitive, intermediate or tail, tail); of several copies the first counts.
    Returns whether distances of some annotators differ by rounding alone, which is left to `_reach`.
    """
    close: cython.bint = False
    for a in range(first, last):
        cost = ordinary
        if chain >= 0:
            cost = _own_cost(a, u, w, ordinary, chain, total, found)
        reached = cost + distance[a, u, 0]
        more = reached - distance[a, w, 0]
        if more > NOISE:
            continue
        if distance[a, u, 1] < INFINITE or (more != 0.0 and more > -NOISE):
            close = True
            continue
        rank = _rank(u, through, best[a, u, 0])
        if more < 0.0 or rank < best[a, w, 0]:
            distance[a, w, 0] = reached
            best[a, w, 0] = rank
            best[a, w, 1] = u
    return close


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _rank(u: cython.int, through: cython.int, rank: cython.longlong) -> cython.longlong:
    """The rank of an arc from u, which was reached at a rank."""
    if through < 0:
        return (((rank >> 49) + ((rank >> 48) & 1)) << 49) | (cython.cast(cython.longlong, u) << 24)
    return (
        ((rank >> 49) << 49)
        | (cython.cast(cython.longlong, 1) << 48)
        | (cython.cast(cython.longlong, through) << 24)
        | u
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach(
    first: cython.int, last: cython.int, u: cython.int, w: cython.int, ordinary: cython.double,
    through: cython.int, chain: cython.int, total: cython.double, distance: cython.double[:, :, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1]
) -> cython.void:
    """Take the arc (u, w) where distances differ by rounding alone.

    The official rounds go on from a distance that a later round lowers by no more than rounding did, and
    what is added to it may round to the same number: then the earlier rank counts. So a distance that was
    there first is kept beside the least one, with its rank.
    """
    cython.declare(a=cython.int, side=cython.int, index=cython.int)
    for index in range(2 * first, 2 * last):
        a = index // 2
        side = index % 2
        if distance[a, u, side] == INFINITE:
            continue
        cost = _own_cost(a, u, w, ordinary, chain, total, found)
        new = cost + distance[a, u, side]
        rank = _rank(u, through, best[a, u, 2 * side])
        if new > distance[a, w, 0] + NOISE:
            continue
        if new > distance[a, w, 0]:
            if rank < best[a, w, 0] and new < distance[a, w, 1]:
                distance[a, w, 1] = new
                best[a, w, 2] = rank
            continue
        if new == distance[a, w, 0] and rank >= best[a, w, 0]:
            continue
        if new < distance[a, w, 0] < new + NOISE and best[a, w, 0] < rank:
            distance[a, w, 1] = distance[a, w, 0]
            best[a, w, 2] = best[a, w, 0]
        elif distance[a, w, 1] > new + NOISE or best[a, w, 2] >= rank:
            distance[a, w, 1] = INFINITE
        distance[a, w, 0] = new
        best[a, w, 0] = rank
        best[a, w, 1] = u


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _own_cost(
    a: cython.int, u: cython.int, w: cython.int, ordinary: cython.double, chain: cython.int,
    total: cython.double, found: cython.int[:, ::1]
) -> cython.double:
    """What the arc (u, w) costs an annotator who has gold edits, or passed arcs twice, at u."""
    cost: cython.double = ordinary
    epsilons: cython.int = 0
    t: cython.int = chain
    while t >= 0:
        if found[t, 2] == a and found[t, 0] <= w <= found[t, 1]:
            if found[t, 3] >= 0:
                cost = -total
                epsilons += found[t, 3]
            else:
                epsilons += -found[t, 3] if w == u + 1 else 1
        t = found[t, 4]
    while epsilons > 0:
        cost += EPSILON
        epsilons -= 1
    return cost


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bounded(
    size: cython.int, max_unchanged: cython.int, annotators: cython.int, total: cython.double,
    vertices: cython.int[:, ::1], labels: cython.int[:, ::1], distance: cython.double[:, :, ::1],
    best: cython.longlong[:, :, ::1], found: cython.int[:, ::1],
    open_cost: cython.double[:, ::1],
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
                   equal=cython.int)
    for a in range(annotators):
        for v in range(size):
            distance[a, v, 0] = INFINITE
            distance[a, v, 1] = INFINITE
            best[a, v, 0] = 0
            for k in range(2 * max_unchanged + 1):
                open_cost[v, k] = INFINITE
        distance[a, 0, 0] = 0.0
        for v in range(size):
            for side in range(3):
                w = vertices[v, DIAGONAL + side]
                if w < 0:
                    continue
                equal = vertices[v, BITS] & EQUAL if side == 0 else 0
                cost = distance[a, v, 0] + 1.0
                if equal:
                    if cost < distance[a, w, 0]:
                        distance[a, w, 0] = cost
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
                    if cost < distance[a, w, 0]:
                        distance[a, w, 0] = cost
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
                if found[t, 2] == a and found[t, 3] >= 0 and found[t, 1] > w:
                    w = found[t, 1]
                t = found[t, 4]
            if w >= 0:
                for t in range(v, w + 1):
                    labels[t, BEGUN] = 0
                _sweep_from(v, w + 1, max_unchanged, a, a + 1, total, vertices, labels, distance, best,
                            found, open_from, False)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _grow(
    a: cython.int, w: cython.int, k: cython.int, cost: cython.double, begun: cython.int,
    distance: cython.double[:, :, ::1], best: cython.longlong[:, :, ::1], open_cost: cython.double[:, ::1],
    open_from: cython.int[:, ::1]
) -> cython.void:
    """An edit of two edges or more reaches w: it may end here or go on."""
    if cost < open_cost[w, k]:
        open_cost[w, k] = cost
        open_from[w, k] = begun
    if cost < distance[a, w, 0]:
        distance[a, w, 0] = cost
        best[a, w, 1] = begun


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk_back(
    size: cython.int, annotator: cython.int, max_unchanged: cython.int, vertices: cython.int[:, ::1],
    best: cython.longlong[:, :, ::1], path: cython.int[:, ::1]
) -> cython.int:
    """The best path's edits (source span, hypothesis span), last one first; returns how many."""
    v: cython.int = size - 1
    length: cython.int = 0
    while v > 0:
        u = cython.cast(cython.int, best[annotator, v, 1])
        words = vertices[v, ROW] - vertices[u, ROW]
        # Unchanged words are the shortest way between their ends, and so the arc, as far as they may join.
        if (
            words != vertices[v, COLUMN] - vertices[u, COLUMN]
            or words > vertices[v, BEHIND]
            or (words > 1 and words > max_unchanged)
        ):
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
    pointer: cython.longlong = edit_offsets[row]
    folded: cython.bint = letter_offsets.shape[0] > 1
    for k in range(length - 1, -1, -1):
        if folded and _same_letters(source, s + path[k, 0], s + path[k, 1], hypothesis, h + path[k, 2],
                                    h + path[k, 3], letters, letter_offsets):
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
