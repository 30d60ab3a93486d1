"""Exact three-way alignment of source, hypothesis and reference (Felice & Briscoe 2015), counts and measures.

Only cells that an optimal path can pass are visited. Let e(x, y) be by how much the best pairwise path
through (x, y) is dearer than the best pairwise path; the three e of a cell sum to at most the excess of
any three-way path through it over the sum of the pairwise optima (Carrillo & Lipman 1988). So with a
bound that turns out to be no smaller than the excess of the optimum, every cell of every optimal path
has its exact cost and every other cell one that is too high or exact: the minimum, and the first move that
reaches it, are those of the full table. The bound starts at 0 and grows until that holds. The pairwise
tables keep to a band that no path within the bound can leave (Ukkonen 1985).

Equal last tokens are cut off: moving the three of them into one column never costs a pair anything, so
that the diagonal, the first move of the trace-back, always explains such a cell.
"""

import cython

from errata.kernels import _checks, _metric_checks

GAP = cython.declare(cython.int, 2)
MISMATCH = cython.declare(cython.int, 3)
FAR = cython.declare(cython.int, 1 << 28)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same(
    x: cython.int[::1],
    x0: cython.Py_ssize_t,
    nx: cython.Py_ssize_t,
    y: cython.int[::1],
    y0: cython.Py_ssize_t,
    ny: cython.Py_ssize_t,
) -> cython.bint:
    """Whether two token sequences are equal."""
    if nx != ny:
        return False
    for t in range(nx):
        if x[x0 + t] != y[y0 + t]:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _forward(
    x: cython.int[::1],
    x0: cython.Py_ssize_t,
    nx: cython.Py_ssize_t,
    y: cython.int[::1],
    y0: cython.Py_ssize_t,
    ny: cython.Py_ssize_t,
    slack: cython.int,
    table: cython.int[::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Fill the table (from `at`) with the costs from the start; gives the width of the band it keeps to.

    Cells outside the band hold `FAR`: to leave it costs more than the best path and `slack` together.
    """
    w: cython.Py_ssize_t = ny + 1
    apart: cython.Py_ssize_t = ny - nx if ny > nx else nx - ny
    band: cython.Py_ssize_t = 2
    best: cython.int
    cost: cython.int
    for p in range(at, at + (nx + 1) * w):
        table[p] = FAR
    while True:
        high = (ny - nx if ny > nx else 0) + band
        for j in range(min(ny, high) + 1):
            table[at + j] = GAP * j
        for i in range(1, nx + 1):
            p = at + i * w
            token = x[x0 + i - 1]
            low = i - (nx - ny if nx > ny else 0) - band
            high = min(i + (ny - nx if ny > nx else 0) + band, ny)
            best = FAR
            if low < 1:
                low = 1
                best = GAP * i
                table[p] = best
            for j in range(low, high + 1):
                cost = table[p - w + j - 1] + (0 if token == y[y0 + j - 1] else MISMATCH)
                best = min(best + GAP, cost, table[p - w + j] + GAP)
                table[p + j] = best
        # Whatever path leaves the band has so many gaps more than the lengths ask for.
        cost = table[at + nx * w + ny] + slack
        if cost < GAP * (apart + 2 * band + 2) or (band >= nx and band >= ny):
            return band
        band = (cost // GAP - apart) // 2 + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pair_path(
    x: cython.int[::1],
    x0: cython.Py_ssize_t,
    nx: cython.Py_ssize_t,
    y: cython.int[::1],
    y0: cython.Py_ssize_t,
    ny: cython.Py_ssize_t,
    table: cython.int[::1],
    first: cython.uchar,
    second: cython.uchar,
    path: cython.uchar[::1],
) -> cython.Py_ssize_t:
    """Align two sequences; columns go to `path` last first, as the rows (bits) that have a token in them."""
    t: cython.Py_ssize_t = 0
    cost: cython.int
    while nx > 0 and ny > 0 and x[x0 + nx - 1] == y[y0 + ny - 1]:
        nx -= 1
        ny -= 1
        path[t] = first | second
        t += 1
    w = ny + 1
    _forward(x, x0, nx, y, y0, ny, 0, table, 0)
    i = nx
    j = ny
    while i > 0 or j > 0:
        p = i * w + j
        if i > 0 and j > 0:
            cost = 0 if x[x0 + i - 1] == y[y0 + j - 1] else MISMATCH
            if table[p] == table[p - w - 1] + cost:
                path[t] = first | second
                t += 1
                i -= 1
                j -= 1
                continue
        if i > 0 and table[p] == table[p - w] + GAP:
            path[t] = first
            i -= 1
        else:
            path[t] = second
            j -= 1
        t += 1
    return t


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _excess(
    x: cython.int[::1],
    x0: cython.Py_ssize_t,
    nx: cython.Py_ssize_t,
    y: cython.int[::1],
    y0: cython.Py_ssize_t,
    ny: cython.Py_ssize_t,
    slack: cython.int,
    table: cython.int[::1],
    at: cython.Py_ssize_t,
    row: cython.int[::1],
) -> cython.int:
    """Fill the table (from `at`) with e(i, j) where that is within `slack`; gives the best path's cost."""
    w: cython.Py_ssize_t = ny + 1
    cost: cython.int
    band: cython.Py_ssize_t = _forward(x, x0, nx, y, y0, ny, slack, table, at)
    total: cython.int = table[at + nx * w + ny]
    # Backwards, the costs to the end, in one row.
    p = at + nx * w
    for j in range(w):
        row[j] = FAR
    low = nx - (nx - ny if nx > ny else 0) - band
    for j in range(max(low, 0), w):
        row[j] = GAP * (ny - j)
        table[p + j] += row[j] - total
    for i in range(nx - 1, -1, -1):
        p = at + i * w
        token = x[x0 + i]
        low = max(i - (nx - ny if nx > ny else 0) - band, 0)
        high = i + (ny - nx if ny > nx else 0) + band
        if high < ny:
            corner = row[high + 1]
            best = FAR
        else:
            corner = row[ny]
            best = corner + GAP
            row[ny] = best
            table[p + ny] += best - total
            high = ny - 1
        for j in range(high, low - 1, -1):
            cost = corner + (0 if token == y[y0 + j] else MISMATCH)
            corner = row[j]
            best = min(best + GAP, cost, corner + GAP)
            row[j] = best
            table[p + j] += best - total
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep(
    a: cython.int[::1],
    a0: cython.Py_ssize_t,
    na: cython.Py_ssize_t,
    b: cython.int[::1],
    b0: cython.Py_ssize_t,
    nb: cython.Py_ssize_t,
    c: cython.int[::1],
    c0: cython.Py_ssize_t,
    nc: cython.Py_ssize_t,
    tables: cython.int[::1],
    bound: cython.int,
    spans: cython.longlong[:, ::1],
    planes: cython.int[::1],
    moves: cython.uchar[::1],
) -> cython.int:
    """The cost of the best path through cells whose excess is within the bound; `FAR` if there is none."""
    wc: cython.Py_ssize_t = nc + 1
    width: cython.Py_ssize_t = nc + 2
    ab: cython.Py_ssize_t = 0
    ac: cython.Py_ssize_t = (na + 1) * (nb + 1)
    bc: cython.Py_ssize_t = ac + (na + 1) * wc
    size: cython.Py_ssize_t = (nb + 2) * width
    rest: cython.int
    token: cython.int
    same_ab: cython.bint
    same_ac: cython.bint
    best: cython.int
    cost: cython.int
    move: cython.uchar
    for q in range(2 * size):
        planes[q] = FAR
    last = 0
    here = size
    for i in range(na + 1):
        if i > 1:  # the plane before last becomes this one: wipe what it holds
            for j in range(spans[i - 2, 0], spans[i - 2, 1] + 1):
                q = here + (j + 1) * width + 1
                for k in range(spans[i - 2, 2], spans[i - 2, 3] + 1):
                    planes[q + k] = FAR
        token = a[a0 + i - 1] if i > 0 else -1
        for j in range(spans[i, 0], spans[i, 1] + 1):
            left = bound - tables[ab + i * (nb + 1) + j]
            if left < 0:
                continue
            m = spans[i, 4] + (j - spans[i, 0]) * (spans[i, 3] - spans[i, 2] + 1) - spans[i, 2]
            same_ab = i > 0 and j > 0 and token == b[b0 + j - 1]
            for k in range(spans[i, 2], spans[i, 3] + 1):
                if tables[ac + i * wc + k] + tables[bc + j * wc + k] > left:
                    continue
                q = (j + 1) * width + k + 1
                best = FAR
                move = 0
                same_ac = i > 0 and k > 0 and token == c[c0 + k - 1]
                cost = planes[last + q - width - 1]
                rest = planes[here + q - width - 1] + 2 * GAP
                if j > 0 and k > 0 and b[b0 + j - 1] == c[c0 + k - 1]:
                    if not same_ab:
                        cost += 2 * MISMATCH
                else:
                    cost += 2 * MISMATCH if same_ab or same_ac else 3 * MISMATCH
                    rest += MISMATCH
                if cost < best:
                    best = cost
                    move = 7
                cost = planes[last + q - width] + (2 * GAP if same_ab else 2 * GAP + MISMATCH)
                if cost < best:
                    best = cost
                    move = 3
                cost = planes[last + q - 1] + (2 * GAP if same_ac else 2 * GAP + MISMATCH)
                if cost < best:
                    best = cost
                    move = 5
                if rest < best:
                    best = rest
                    move = 6
                cost = planes[last + q] + 2 * GAP
                if cost < best:
                    best = cost
                    move = 1
                cost = planes[here + q - width] + 2 * GAP
                if cost < best:
                    best = cost
                    move = 2
                cost = planes[here + q - 1] + 2 * GAP
                if cost < best:
                    best = cost
                    move = 4
                if i == 0 and j == 0 and k == 0:
                    best = 0
                planes[here + q] = best
                moves[m + k] = move
        swap = last
        last = here
        here = swap
    return planes[last + (nb + 1) * width + nc + 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _spans(
    na: cython.Py_ssize_t,
    nb: cython.Py_ssize_t,
    nc: cython.Py_ssize_t,
    tables: cython.int[::1],
    bound: cython.int,
    spans: cython.longlong[:, ::1],
) -> cython.longlong:
    """For every source position the rectangle of cells within the bound; gives the number of cells."""
    j: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t = 0
    ac: cython.Py_ssize_t = (na + 1) * (nb + 1)
    cells: cython.longlong = 0
    # A path goes only forwards: neither end of a span ever moves back.
    for i in range(na + 1):
        while tables[i * (nb + 1) + j] > bound:
            j += 1
        while tables[ac + i * (nc + 1) + k] > bound:
            k += 1
        spans[i, 0] = j
        spans[i, 2] = k
    j = nb
    k = nc
    for i in range(na, -1, -1):
        while tables[i * (nb + 1) + j] > bound:
            j -= 1
        while tables[ac + i * (nc + 1) + k] > bound:
            k -= 1
        spans[i, 1] = j
        spans[i, 3] = k
    for i in range(na + 1):
        spans[i, 4] = cells
        cells += (spans[i, 1] - spans[i, 0] + 1) * (spans[i, 3] - spans[i, 2] + 1)
    return cells


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _three_way_path(
    a: cython.int[::1],
    a0: cython.Py_ssize_t,
    na: cython.Py_ssize_t,
    b: cython.int[::1],
    b0: cython.Py_ssize_t,
    nb: cython.Py_ssize_t,
    c: cython.int[::1],
    c0: cython.Py_ssize_t,
    nc: cython.Py_ssize_t,
    tables: cython.int[::1],
    row: cython.int[::1],
    spans: cython.longlong[:, ::1],
    planes: cython.int[::1],
    moves: cython.uchar[::1],
    path: cython.uchar[::1],
    report: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Align three different sequences; −1 and the number of cells in `report[0]` if `moves` is too small."""
    t: cython.Py_ssize_t = 0
    floor: cython.int = 0
    bound: cython.int = 0
    slack: cython.int = -1
    while na > 0 and nb > 0 and nc > 0:
        token = a[a0 + na - 1]
        if b[b0 + nb - 1] != token or c[c0 + nc - 1] != token:
            break
        na -= 1
        nb -= 1
        nc -= 1
        path[t] = 7
        t += 1
    while True:
        if bound > slack:
            slack = 2 * bound
            floor = _excess(a, a0, na, b, b0, nb, slack, tables, 0, row)
            floor += _excess(a, a0, na, c, c0, nc, slack, tables, (na + 1) * (nb + 1), row)
            floor += _excess(b, b0, nb, c, c0, nc, slack, tables, (na + 1) * (nb + nc + 2), row)
        cells = _spans(na, nb, nc, tables, bound, spans)
        if cells > moves.shape[0]:
            report[0] = cells
            return -1
        report[1] += cells
        cost = _sweep(a, a0, na, b, b0, nb, c, c0, nc, tables, bound, spans, planes, moves)
        if cost <= floor + bound:
            break
        # A path that was found, though not proven best, says how far at most the bound has to go.
        bound = 2 * bound + GAP + 1 if bound < FAR // 4 else FAR
        if cost < FAR and cost - floor < bound:
            bound = cost - floor
    while na > 0 or nb > 0 or nc > 0:
        move = moves[
            spans[na, 4] + (nb - spans[na, 0]) * (spans[na, 3] - spans[na, 2] + 1) + nc - spans[na, 2]
        ]
        path[t] = move
        t += 1
        na -= move & 1
        nb -= (move >> 1) & 1
        nc -= move >> 2
    return t


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tally(
    a: cython.int[::1],
    a1: cython.Py_ssize_t,
    b: cython.int[::1],
    b1: cython.Py_ssize_t,
    c: cython.int[::1],
    c1: cython.Py_ssize_t,
    path: cython.uchar[::1],
    length: cython.Py_ssize_t,
    values: cython.longlong[:, ::1],
    r: cython.Py_ssize_t,
) -> cython.void:
    """Count the columns of a path (last first; the sequences end before a1, b1, c1) into a row."""
    x: cython.int
    y: cython.int
    z: cython.int
    tp: cython.longlong = 0
    tn: cython.longlong = 0
    fp: cython.longlong = 0
    fn: cython.longlong = 0
    fpn: cython.longlong = 0
    for t in range(length):
        x = -1
        y = -1
        z = -1
        if path[t] & 1:
            a1 -= 1
            x = a[a1]
        if path[t] & 2:
            b1 -= 1
            y = b[b1]
        if path[t] & 4:
            c1 -= 1
            z = c[c1]
        if x == y:
            if y == z:
                tn += 1
            else:
                fn += 1
        elif x == z:
            fp += 1
        elif y == z:
            tp += 1
        else:
            fp += 1
            fn += 1
            fpn += 1
    values[r, 0] = tp
    values[r, 1] = tn
    values[r, 2] = fp
    values[r, 3] = fn
    values[r, 4] = fpn


@_checks.checked(_metric_checks.count_rows)
def count_rows(
    a: cython.int[::1],
    a_offsets: cython.longlong[::1],
    b: cython.int[::1],
    b_offsets: cython.longlong[::1],
    c: cython.int[::1],
    c_offsets: cython.longlong[::1],
    owner: cython.longlong[::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    tables: cython.int[::1],
    row: cython.int[::1],
    spans: cython.longlong[:, ::1],
    planes: cython.int[::1],
    moves: cython.uchar[::1],
    path: cython.uchar[::1],
    values: cython.longlong[:, ::1],
    report: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Write tp, tn, fp, fn, fpn of rows `start:stop` (row r: reference r of segment `owner[r]`) to `values`.

    Gives the row where it stopped: `stop`, or one that needs `report[0]` bytes of `moves`. `report[1]`
    counts the cells visited and `report[2]` is the length of the last row's path.
    """
    r: cython.Py_ssize_t = start
    with cython.nogil:
        while r < stop:
            s = owner[r]
            a0 = a_offsets[s]
            na = a_offsets[s + 1] - a0
            b0 = b_offsets[s]
            nb = b_offsets[s + 1] - b0
            c0 = c_offsets[r]
            nc = c_offsets[r + 1] - c0
            if _same(a, a0, na, b, b0, nb):
                length = _pair_path(a, a0, na, c, c0, nc, tables, 3, 4, path)
            elif _same(a, a0, na, c, c0, nc):
                length = _pair_path(a, a0, na, b, b0, nb, tables, 5, 2, path)
            elif _same(b, b0, nb, c, c0, nc):
                length = _pair_path(c, c0, nc, a, a0, na, tables, 6, 1, path)
            else:
                length = _three_way_path(
                    a, a0, na, b, b0, nb, c, c0, nc, tables, row, spans, planes, moves, path, report
                )
            if length < 0:
                break
            report[2] = length
            _tally(a, a0 + na, b, b0 + nb, c, c0 + nc, path, length, values, r)
            r += 1
    return r


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _ratio(part: cython.double, whole: cython.double) -> cython.double:
    """part / whole, and 1 where there is nothing."""
    return part / whole if whole != 0.0 else 1.0


@_checks.checked(_metric_checks.measures)
def measures(
    counts: cython.double[:, ::1],
    weight: cython.double,
    square: cython.double,
    wanted: cython.longlong[::1],
    each: cython.double[::1],
    out: cython.double[:, ::1],
) -> None:
    """Measures of rows of counts (tp, tn, fp, fn, fpn, and the source's tn and fn): a line for each `wanted`.

    `wanted` are places in `errata.metrics.imeasure.MEASURES` with the source's weighted accuracy behind it,
    then those of detection. `square` is that of β, `each` scratch. It is quick and keeps the GIL.
    """
    tp: cython.double
    fp: cython.double
    fn: cython.double
    i: cython.double
    f: cython.double
    for row in range(counts.shape[0]):
        tp = counts[row, 0]
        tn = counts[row, 1]
        fp = counts[row, 2]
        fn = counts[row, 3]
        fpn = counts[row, 4]
        base = _ratio(counts[row, 5], counts[row, 5] + counts[row, 6])
        for at in range(0, 24, 12):
            if at > 0:  # a wrong change where one was needed is a tp instead of fp and fn
                tp += fpn
                fp -= fpn
                fn -= fpn
                fpn = 0.0
            wacc = _ratio(weight * tp + tn, weight * (tp + fp) + tn + fn - (weight + 1.0) * fpn / 2.0)
            if wacc == base:
                i = 1.0 if wacc == 1.0 else 0.0
            else:
                i = (wacc - base) / (1.0 - base) if wacc > base else wacc / base - 1.0
            p = _ratio(tp, tp + fp)
            r = _ratio(tp, tp + fn)
            f = 0.0
            if p + r > 0.0:
                f = (1.0 + square) * p * r / (square * p + r)
            each[at] = _ratio(tp + tn, tp + tn + fp + fn - fpn)
            each[at + 1] = f
            each[at + 2] = i
            each[at + 3] = p
            each[at + 4] = r
            each[at + 5] = wacc
            each[at + 6] = tp
            each[at + 7] = tn
            each[at + 8] = fp
            each[at + 9] = fn
            each[at + 10] = fpn
            each[at + 11] = base
        for k in range(wanted.shape[0]):
            out[k, row] = each[wanted[k]]
