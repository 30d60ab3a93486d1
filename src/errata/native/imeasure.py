"""Exact three-way alignment of source, hypothesis and reference (Felice & Briscoe 2015), counts and measures.

Only cells that an optimal path can pass are visited. Let e(x, y) be by how much the best pairwise path
through (x, y) is dearer than the best pairwise path; the three e of a cell sum to at most the excess of
any three-way path through it over the sum of the pairwise optima (Carrillo & Lipman 1988). So with a
bound that turns out to be no smaller than the excess of the optimum, every cell of every optimal path
has its exact cost and every other cell one that is too high or exact: the minimum, and the first move that
reaches it, are those of the full table. The bound starts at 0 and grows until that holds.

Equal last tokens are cut off: moving the three of them into one column never costs a pair anything, so
that the diagonal, the first move of the trace-back, always explains such a cell.
"""

from typing import Any

import cython
import numpy as np

GAP = cython.declare(cython.int, 2)
MISMATCH = cython.declare(cython.int, 3)
FAR = cython.declare(cython.int, 1 << 28)
FEW = cython.declare(cython.longlong, 1 << 16)  # three-way cells that are allowed by any limit of memory
BY_MEMORY = cython.declare(cython.int, 1)
BY_WORK = cython.declare(cython.int, 2)


def count_rows(
    sources: Any,
    hypotheses: Any,
    references: Any,
    owner: cython.longlong[::1],  # the segment of each reference
    memory: cython.longlong,  # bytes that the alignment of a row may take
    most_cells: cython.longlong,  # three-way cells that it may have
) -> tuple:
    """Counts (tp, tn, fp, fn, fpn) of every reference, aligned with source and hypothesis of its segment.

    Also returns 1 or 2 for rows beyond the limit of memory or of work, whose counts are 0, the number of
    cells that were visited, and the columns of the last row, from left to right.
    """
    counts = np.zeros((owner.shape[0], 5), dtype=np.int64)
    beyond = np.zeros(owner.shape[0], dtype=np.uint8)
    values: cython.longlong[:, ::1] = counts
    marks: cython.uchar[::1] = beyond
    alignment: Alignment = Alignment(sources, hypotheses, references, memory, most_cells)
    with cython.nogil:
        for row in range(owner.shape[0]):
            marks[row] = alignment.align(owner[row], row)
            if not marks[row]:
                alignment.tally(values[row])
    return counts, beyond, alignment.visited, np.asarray(alignment.path)[: alignment.length][::-1]


@cython.final
@cython.cclass
class Alignment:
    """The alignment of one row after another, with its scratch memory."""

    words: cython.int[::1]  # of all sources, hypotheses and references
    offsets: cython.longlong[::1]
    hypothesis_offsets: cython.longlong[::1]
    reference_offsets: cython.longlong[::1]
    memory: cython.longlong
    most_cells: cython.longlong
    visited: cython.longlong
    a: cython.Py_ssize_t  # where the source begins in `words`, and its length
    na: cython.Py_ssize_t
    b: cython.Py_ssize_t  # hypothesis
    nb: cython.Py_ssize_t
    c: cython.Py_ssize_t  # reference
    nc: cython.Py_ssize_t
    length: cython.Py_ssize_t  # of the path
    # scratch
    tables: cython.int[::1]  # one for each pair: source and hypothesis, source and reference, the other two
    row: cython.int[::1]
    spans: cython.longlong[:, ::1]  # of a source position: first and last b, first and last c, first cell
    planes: cython.int[::1]
    moves: cython.uchar[::1]
    path: cython.uchar[::1]  # columns, last one first, as the rows (bits) that have a token in them

    def __init__(self, sources: Any, hypotheses: Any, references: Any, memory: int, most_cells: int) -> None:
        self.words = np.concatenate([sources.values, hypotheses.values, references.values])
        self.offsets = sources.offsets
        self.hypothesis_offsets = hypotheses.offsets + len(sources.values)
        self.reference_offsets = references.offsets + len(sources.values) + len(hypotheses.values)
        self.memory, self.most_cells = memory, most_cells
        self.visited = self.length = 0
        self.moves = np.empty(min(FEW, most_cells), dtype=np.uint8)
        self._allocate(1 << 10, 1 << 6, 1 << 10)

    @cython.cfunc
    @cython.exceptval(-1)
    def _allocate(
        self, cells: cython.Py_ssize_t, tokens: cython.Py_ssize_t, plane: cython.Py_ssize_t
    ) -> cython.int:
        self.tables = np.empty(cells, dtype=np.int32)
        self.row = np.empty(tokens, dtype=np.int32)
        self.spans = np.empty((tokens, 5), dtype=np.int64)
        self.path = np.empty(tokens, dtype=np.uint8)
        self.planes = np.empty(plane, dtype=np.int32)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def align(self, segment: cython.longlong, reference: cython.Py_ssize_t) -> cython.int:
        """Write the path of a reference; returns the limit that it exceeds, or 0."""
        self.a = self.offsets[segment]
        self.na = self.offsets[segment + 1] - self.a
        self.b = self.hypothesis_offsets[segment]
        self.nb = self.hypothesis_offsets[segment + 1] - self.b
        self.c = self.reference_offsets[reference]
        self.nc = self.reference_offsets[reference + 1] - self.c
        self.length = 0
        cells: cython.Py_ssize_t = (self.na + 1) * (self.nb + self.nc + 2) + (self.nb + 1) * (self.nc + 1)
        plane: cython.Py_ssize_t = 2 * (self.nb + 2) * (self.nc + 2)
        tokens: cython.Py_ssize_t = self.na + self.nb + self.nc + 3
        if 4 * (cells + plane) > self.memory:
            return BY_MEMORY
        if cells > self.tables.shape[0] or tokens > self.row.shape[0] or plane > self.planes.shape[0]:
            with cython.gil:
                self._allocate(
                    max(cells, self.tables.shape[0]),
                    max(tokens, self.row.shape[0]),
                    max(plane, self.planes.shape[0]),
                )
        if self._same(self.a, self.na, self.b, self.nb):
            return self._pair_path(self.a, self.na, self.c, self.nc, 3, 4)
        if self._same(self.a, self.na, self.c, self.nc):
            return self._pair_path(self.a, self.na, self.b, self.nb, 5, 2)
        if self._same(self.b, self.nb, self.c, self.nc):
            return self._pair_path(self.c, self.nc, self.a, self.na, 6, 1)
        return self._three_way_path(4 * (cells + plane))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _same(
        self, x: cython.Py_ssize_t, nx: cython.Py_ssize_t, y: cython.Py_ssize_t, ny: cython.Py_ssize_t
    ) -> cython.int:
        """Whether two texts are equal."""
        if nx != ny:
            return 0
        for t in range(nx):
            if self.words[x + t] != self.words[y + t]:
                return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _step(self, move: cython.uchar) -> cython.int:
        """Add a column to the path."""
        self.path[self.length] = move
        self.length += 1
        return 0

    # -- two texts ---------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _forward(
        self,
        x: cython.Py_ssize_t,
        nx: cython.Py_ssize_t,
        y: cython.Py_ssize_t,
        ny: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
    ) -> cython.int:
        """Fill the table (from `at`) with the costs from the start; returns the cost of the best path."""
        cython.declare(i=cython.Py_ssize_t, j=cython.Py_ssize_t, best=cython.int, cost=cython.int)
        p: cython.Py_ssize_t = at
        w: cython.Py_ssize_t = ny + 1
        for j in range(w):
            self.tables[at + j] = GAP * j
        for i in range(1, nx + 1):
            p = at + i * w
            token = self.words[x + i - 1]
            best = GAP * i
            self.tables[p] = best
            for j in range(1, w):
                cost = self.tables[p - w + j - 1] + (0 if token == self.words[y + j - 1] else MISMATCH)
                best = min(best + GAP, cost, self.tables[p - w + j] + GAP)
                self.tables[p + j] = best
        return self.tables[p + ny]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _pair_path(
        self,
        x: cython.Py_ssize_t,
        nx: cython.Py_ssize_t,
        y: cython.Py_ssize_t,
        ny: cython.Py_ssize_t,
        first: cython.uchar,
        second: cython.uchar,
    ) -> cython.int:
        """Align two texts, the first of which stands for two rows."""
        cython.declare(p=cython.Py_ssize_t, cost=cython.int)
        while nx > 0 and ny > 0 and self.words[x + nx - 1] == self.words[y + ny - 1]:
            nx -= 1
            ny -= 1
            self._step(first | second)
        w: cython.Py_ssize_t = ny + 1
        self._forward(x, nx, y, ny, 0)
        while nx > 0 or ny > 0:
            p = nx * w + ny
            if nx > 0 and ny > 0:
                cost = 0 if self.words[x + nx - 1] == self.words[y + ny - 1] else MISMATCH
                if self.tables[p] == self.tables[p - w - 1] + cost:
                    self._step(first | second)
                    nx -= 1
                    ny -= 1
                    continue
            if nx > 0 and self.tables[p] == self.tables[p - w] + GAP:
                self._step(first)
                nx -= 1
            else:
                self._step(second)
                ny -= 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _excess(
        self,
        x: cython.Py_ssize_t,
        nx: cython.Py_ssize_t,
        y: cython.Py_ssize_t,
        ny: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
    ) -> cython.int:
        """Fill the table (from `at`) with e(i, j); returns the cost of the best path."""
        cython.declare(i=cython.Py_ssize_t, j=cython.Py_ssize_t, p=cython.Py_ssize_t)
        cython.declare(best=cython.int, cost=cython.int, corner=cython.int)
        w: cython.Py_ssize_t = ny + 1
        total: cython.int = self._forward(x, nx, y, ny, at)
        for i in range(nx, -1, -1):  # backwards, the costs to the end, in one row
            p = at + i * w
            corner = self.row[ny] if i < nx else 0
            best = GAP * (nx - i)
            self.row[ny] = best
            self.tables[p + ny] += best - total
            for j in range(ny - 1, -1, -1):
                best += GAP
                if i < nx:
                    cost = corner + (0 if self.words[x + i] == self.words[y + j] else MISMATCH)
                    corner = self.row[j]
                    best = min(best, cost, corner + GAP)
                self.row[j] = best
                self.tables[p + j] += best - total
        return total

    # -- three texts -------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _three_way_path(self, used: cython.longlong) -> cython.int:
        """Align three different texts, with this memory in use; returns the limit that is exceeded, or 0."""
        na: cython.Py_ssize_t = self.na
        nb: cython.Py_ssize_t = self.nb
        nc: cython.Py_ssize_t = self.nc
        bound: cython.int = 0
        while na > 0 and nb > 0 and nc > 0:
            token = self.words[self.a + na - 1]
            if self.words[self.b + nb - 1] != token or self.words[self.c + nc - 1] != token:
                break
            na -= 1
            nb -= 1
            nc -= 1
            self._step(7)
        least: cython.int = self._excess(self.a, na, self.b, nb, 0)
        least += self._excess(self.a, na, self.c, nc, (na + 1) * (nb + 1))
        least += self._excess(self.b, nb, self.c, nc, (na + 1) * (nb + nc + 2))
        while True:
            cells = self._rectangles(na, nb, nc, bound)
            if cells > FEW and cells + used > self.memory:
                return BY_MEMORY
            if cells > self.most_cells:
                return BY_WORK
            if cells > self.moves.shape[0]:
                with cython.gil:
                    self.moves = np.empty(cells + cells // 4, dtype=np.uint8)
            self.visited += cells
            cost = self._sweep(na, nb, nc, bound)
            if cost <= least + bound:
                break
            # A path that was found, though not proven best, says how far at most the bound has to go.
            bound = 2 * bound + GAP + 1 if bound < FAR // 4 else FAR
            if cost < FAR and cost - least < bound:
                bound = cost - least
        while na > 0 or nb > 0 or nc > 0:
            move = self.moves[self._cell(na, nb, nc)]
            self._step(move)
            na -= move & 1
            nb -= (move >> 1) & 1
            nc -= move >> 2
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _cell(self, i: cython.Py_ssize_t, j: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The place of a cell in `moves`."""
        width: cython.Py_ssize_t = self.spans[i, 3] - self.spans[i, 2] + 1
        return self.spans[i, 4] + (j - self.spans[i, 0]) * width + k - self.spans[i, 2]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _rectangles(
        self, na: cython.Py_ssize_t, nb: cython.Py_ssize_t, nc: cython.Py_ssize_t, bound: cython.int
    ) -> cython.longlong:
        """For every source position the rectangle of cells within the bound; returns the number of cells."""
        cython.declare(i=cython.Py_ssize_t, side=cython.Py_ssize_t, at=cython.Py_ssize_t)
        cython.declare(width=cython.Py_ssize_t, j=cython.Py_ssize_t)
        cells: cython.longlong = 0
        # A path goes only forwards: neither end of a span ever moves back.
        for side in range(2):
            at = (na + 1) * (nb + 1) if side else 0
            width = nc + 1 if side else nb + 1
            j = 0
            for i in range(na + 1):
                while self.tables[at + i * width + j] > bound:
                    j += 1
                self.spans[i, 2 * side] = j
            j = width - 1
            for i in range(na, -1, -1):
                while self.tables[at + i * width + j] > bound:
                    j -= 1
                self.spans[i, 2 * side + 1] = j
        for i in range(na + 1):
            self.spans[i, 4] = cells
            cells += (self.spans[i, 1] - self.spans[i, 0] + 1) * (self.spans[i, 3] - self.spans[i, 2] + 1)
        return cells

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _sweep(
        self, na: cython.Py_ssize_t, nb: cython.Py_ssize_t, nc: cython.Py_ssize_t, bound: cython.int
    ) -> cython.int:
        """The cost of the best path through cells whose excess is within the bound, or `FAR`."""
        cython.declare(same_ab=cython.bint, same_ac=cython.bint, same_bc=cython.bint, left=cython.int)
        cython.declare(i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t, m=cython.Py_ssize_t)
        cython.declare(q=cython.Py_ssize_t, best=cython.int, cost=cython.int, move=cython.uchar)
        ac: cython.Py_ssize_t = (na + 1) * (nb + 1)
        bc: cython.Py_ssize_t = ac + (na + 1) * (nc + 1)
        width: cython.Py_ssize_t = nc + 2
        size: cython.Py_ssize_t = (nb + 2) * width
        before: cython.Py_ssize_t = 0  # the plane of the source position before this one
        here: cython.Py_ssize_t = size
        planes: cython.int[::1] = self.planes
        for q in range(2 * size):
            planes[q] = FAR
        for i in range(na + 1):
            if i > 1:  # the plane before last becomes this one: wipe what it holds
                for j in range(self.spans[i - 2, 0], self.spans[i - 2, 1] + 1):
                    for k in range(self.spans[i - 2, 2], self.spans[i - 2, 3] + 1):
                        planes[here + (j + 1) * width + k + 1] = FAR
            for j in range(self.spans[i, 0], self.spans[i, 1] + 1):
                left = bound - self.tables[i * (nb + 1) + j]
                if left < 0:
                    continue
                same_ab = i > 0 and j > 0 and self.words[self.a + i - 1] == self.words[self.b + j - 1]
                m = self._cell(i, j, 0)
                for k in range(self.spans[i, 2], self.spans[i, 3] + 1):
                    if self.tables[ac + i * (nc + 1) + k] + self.tables[bc + j * (nc + 1) + k] > left:
                        continue
                    same_ac = i > 0 and k > 0 and self.words[self.a + i - 1] == self.words[self.c + k - 1]
                    same_bc = j > 0 and k > 0 and self.words[self.b + j - 1] == self.words[self.c + k - 1]
                    q = (j + 1) * width + k + 1
                    best = FAR
                    move = 0
                    cost = planes[before + q - width - 1]
                    if not (same_ab and same_bc):
                        cost += 2 * MISMATCH if same_ab or same_ac or same_bc else 3 * MISMATCH
                    if cost < best:
                        best = cost
                        move = 7
                    cost = planes[before + q - width] + (2 * GAP if same_ab else 2 * GAP + MISMATCH)
                    if cost < best:
                        best = cost
                        move = 3
                    cost = planes[before + q - 1] + (2 * GAP if same_ac else 2 * GAP + MISMATCH)
                    if cost < best:
                        best = cost
                        move = 5
                    cost = planes[here + q - width - 1] + (2 * GAP if same_bc else 2 * GAP + MISMATCH)
                    if cost < best:
                        best = cost
                        move = 6
                    cost = planes[before + q] + 2 * GAP
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
                    self.moves[m + k] = move
            before, here = here, before
        return planes[before + (nb + 1) * width + nc + 1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def tally(self, counts: cython.longlong[::1]) -> cython.int:
        """Count the columns of the path."""
        cython.declare(x=cython.int, y=cython.int, z=cython.int)
        a: cython.Py_ssize_t = self.a + self.na
        b: cython.Py_ssize_t = self.b + self.nb
        c: cython.Py_ssize_t = self.c + self.nc
        for t in range(self.length):
            x = -1
            y = -1
            z = -1
            if self.path[t] & 1:
                a -= 1
                x = self.words[a]
            if self.path[t] & 2:
                b -= 1
                y = self.words[b]
            if self.path[t] & 4:
                c -= 1
                z = self.words[c]
            if x == y:
                counts[1 if y == z else 3] += 1
            elif x == z:
                counts[2] += 1
            elif y == z:
                counts[0] += 1
            else:
                counts[2] += 1
                counts[3] += 1
                counts[4] += 1
        return 0


@cython.cfunc
@cython.exceptval(-1, check=True)
def _ratio(part: cython.double, whole: cython.double) -> cython.double:
    """part / whole, and 1 where there is nothing."""
    return part / whole if whole != 0.0 else 1.0


def measures(
    counts: cython.double[:, ::1], weight: cython.double, square: cython.double, wanted: cython.longlong[::1]
) -> Any:
    """Measures of rows of counts (tp, tn, fp, fn, fpn, and the source's tn and fn): a line for each `wanted`.

    `wanted` are places in `errata.metrics.imeasure.MEASURES` followed by the source's weighted accuracy,
    then those of detection. `square` is that of β.
    """
    cython.declare(tp=cython.double, fp=cython.double, fn=cython.double, i=cython.double, f=cython.double)
    lines = np.empty((wanted.shape[0], counts.shape[0]))
    out: cython.double[:, ::1] = lines
    each: cython.double[::1] = np.empty(24)
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
            f = (1.0 + square) * p * r / (square * p + r) if p + r > 0.0 else 0.0
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
    return lines
