"""M² (Dahlmeier & Ng 2012): the lattice of all minimal alignments and its best path for every annotator.

Vertices are the grid points (i, j) on an optimal path of one of two Levenshtein tables (substitution 1
and 2). The closure's arcs are never stored: closing with the intermediate vertex as the outermost loop,
in lexicographic order, only ever appends one basic edge to a finished arc. So all arcs that begin in u
are one sweep over the vertices after u, and each is relaxed where the sweep meets it. A first round of
sweeps counts the arcs, and finds the stretches of unchanged words that stay in the official arc list.

Costs are added in double precision in the official order, because its rounding decides between paths that
are equally good on paper; true ties fall as repeated relaxation over the official arc list would let
them fall (see `_relax`).
"""

from typing import Any

import cython
import numpy as np

INFINITE = cython.declare(cython.double, 1e300)
EPSILON = cython.declare(cython.double, 0.001)  # the cost of an edit beside its length
NOISE = cython.declare(cython.double, 1e-9)  # more than rounding does to a distance, less than an ε

# Bits of `marks`: the incoming basic edges of a grid cell and whether an optimal path reaches it.
# Those of the second table are four bits higher.
D = cython.declare(cython.int, 1)
V = cython.declare(cython.int, 2)
H = cython.declare(cython.int, 4)
REACHED = cython.declare(cython.int, 8)

# Columns of `vertices`, one row per vertex.
ROW = cython.declare(cython.int, 0)
COLUMN = cython.declare(cython.int, 1)
DIAGONAL = cython.declare(cython.int, 2)  # vertex the edge leads to, or -1
VERTICAL = cython.declare(cython.int, 3)
HORIZONTAL = cython.declare(cython.int, 4)
BITS = cython.declare(cython.int, 5)
FIRST_FOUND = cython.declare(cython.int, 6)  # chain of arcs with a cost of their own that begin here
BEHIND = cython.declare(cython.int, 7)  # number of consecutive unchanged words that lead here
MADE = cython.declare(cython.int, 8)  # arcs made so far with this vertex as the intermediate one

# Values of BITS: the diagonal edge is an unchanged word; both tables have this edge.
EQUAL = cython.declare(cython.int, 1)
DOUBLE = cython.declare(cython.int, 2)  # of the diagonal; of the vertical 4, of the horizontal 8
DOUBLE_H = cython.declare(cython.int, 8)

# Columns of `labels`: the arc that leads to a vertex from the beginning of the current sweep.
BEGUN = cython.declare(cython.int, 0)  # 4 × (the first vertex + 1), plus further copies, at most 2
LENGTH = cython.declare(cython.int, 1)
UNCHANGED = cython.declare(cython.int, 2)
THROUGH = cython.declare(cython.int, 3)  # the intermediate vertex that made it first; -1 for a basic edge


def count_edits(
    sources: Any,  # Ragged token ids
    hypotheses: Any,
    gold: Any,  # EncodedEdits
    letters: Any,  # folded characters of every token id; without rows: every edit counts
    max_unchanged: cython.longlong,
    most_arcs: cython.longlong,  # of a sentence; beyond, see `_bounded`
    skipped: cython.uchar[::1],  # 1 for segments that are not aligned
) -> tuple:
    """Correct, proposed and gold edits of every row of the gold.

    Also returns 1 for every segment that had too many arcs.
    """
    values = np.zeros((len(gold.annotators), 3), dtype=np.int64)
    values[:, 2] = np.diff(gold.edits)
    grown = np.zeros(len(sources), dtype=np.uint8)
    marks: cython.uchar[::1] = grown
    lattice: Lattice = Lattice(sources, hypotheses, gold, letters, values)
    count: cython.Py_ssize_t = len(sources)
    with cython.nogil:
        for i in range(count):
            if not skipped[i]:
                marks[i] = lattice.align(i, max_unchanged, most_arcs)
    return values, grown


def edit_paths(
    sources: Any,
    hypotheses: Any,
    gold: Any,  # with one row per segment
    letters: Any,
    max_unchanged: cython.longlong,
    most_arcs: cython.longlong,
    skipped: cython.uchar[::1],
) -> list:
    """The edits of every segment's best path: source start and end, hypothesis start and end."""
    values = np.zeros((len(gold.annotators), 3), dtype=np.int64)
    lattice: Lattice = Lattice(sources, hypotheses, gold, letters, values)
    paths = []
    for i in range(skipped.shape[0]):
        lattice.edits = 0
        if not skipped[i]:
            lattice.align(i, max_unchanged, most_arcs)
        paths.append(np.array(lattice.path[: lattice.edits])[::-1].tolist())
    return paths


@cython.final
@cython.cclass
class Lattice:
    """The lattice of one sentence after another, with its scratch memory."""

    source: cython.int[::1]
    source_offsets: cython.longlong[::1]
    hypothesis: cython.int[::1]
    hypothesis_offsets: cython.longlong[::1]
    rows: cython.longlong[::1]
    edit_offsets: cython.longlong[::1]
    spans: cython.int[:, ::1]
    corrections: cython.longlong[::1]
    token_offsets: cython.longlong[::1]
    tokens: cython.int[::1]
    letters: cython.int[::1]
    letter_offsets: cython.longlong[::1]
    out: cython.longlong[:, ::1]
    # of the current sentence
    s: cython.longlong  # where the source begins
    n: cython.int
    h: cython.longlong  # where the hypothesis begins
    m: cython.int
    max_unchanged: cython.int
    size: cython.int  # number of vertices
    matches: cython.int  # rows of `found`
    edits: cython.int  # rows of `path`
    left_from: cython.int  # the arcs between which `_insertions` still walks
    left_to: cython.int
    left_copy: cython.int
    right_from: cython.int
    right_to: cython.int
    right_copy: cython.int
    # scratch
    cost: cython.int[:, ::1]
    marks: cython.uchar[::1]
    number: cython.int[::1]  # of the vertex in a marked cell
    row_starts: cython.int[::1]
    vertices: cython.int[:, ::1]
    labels: cython.int[:, ::1]
    distance: cython.double[:, :, ::1]  # the least one, and one that came first, but for rounding
    best: cython.longlong[:, :, ::1]  # rank, previous vertex, rank of that other distance
    open_cost: cython.double[:, ::1]
    open_from: cython.int[:, ::1]  # or stretches, see `_arcs`
    found: cython.int[:, ::1]  # first and last vertex, annotator, epsilons, next in the chain
    path: cython.int[:, ::1]

    def __init__(self, sources: Any, hypotheses: Any, gold: Any, letters: Any, out: Any) -> None:
        self.source, self.source_offsets = sources.values, sources.offsets
        self.hypothesis, self.hypothesis_offsets = hypotheses.values, hypotheses.offsets
        self.rows, self.edit_offsets, self.spans = gold.rows, gold.edits, gold.spans
        self.corrections = gold.corrections
        self.token_offsets, self.tokens = gold.tokens.offsets, gold.tokens.values
        self.letters, self.letter_offsets = letters.values, letters.offsets
        self.out = out
        self.edits = 0
        self._allocate(1 << 10, 1 << 7, 2, 1 << 8, 5)

    @cython.cfunc
    @cython.exceptval(-1)
    def _allocate(
        self,
        cells: cython.longlong,
        words: cython.longlong,
        annotators: cython.longlong,
        matches: cython.longlong,
        states: cython.longlong,
    ) -> cython.int:
        self.cost = np.empty((cells, 2), dtype=np.int32)
        self.marks = np.empty(cells, dtype=np.uint8)
        self.number = np.empty(cells, dtype=np.int32)
        self.row_starts = np.empty(words, dtype=np.int32)
        self.vertices = np.empty((cells, 9), dtype=np.int32)
        self.labels = np.empty((cells, 4), dtype=np.int32)
        self.distance = np.empty((annotators, cells, 2), dtype=np.float64)
        self.best = np.empty((annotators, cells, 3), dtype=np.int64)
        self.open_cost = np.empty((cells, states), dtype=np.float64)
        self.open_from = np.empty((cells, states), dtype=np.int32)
        self.found = np.empty((matches, 5), dtype=np.int32)
        self.path = np.empty((words, 4), dtype=np.int32)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _begin(self, i: cython.Py_ssize_t, max_unchanged: cython.longlong) -> cython.int:
        """Set the current sentence and grow the scratch memory; 1 if both texts are equal."""
        self.s = self.source_offsets[i]
        self.h = self.hypothesis_offsets[i]
        self.n = cython.cast(cython.int, self.source_offsets[i + 1] - self.s)
        self.m = cython.cast(cython.int, self.hypothesis_offsets[i + 1] - self.h)
        self.max_unchanged = cython.cast(cython.int, min(max_unchanged, self.n))
        self.edits = 0
        k: cython.int = 0
        while k < self.n and k < self.m and self.source[self.s + k] == self.hypothesis[self.h + k]:
            k += 1
        if k == self.n and k == self.m:
            return 1
        first: cython.longlong = self.edit_offsets[self.rows[i]]
        last: cython.longlong = self.edit_offsets[self.rows[i + 1]]
        cells: cython.longlong = (self.n + 1) * cython.cast(cython.longlong, self.m + 1)
        words: cython.longlong = self.n + self.m + 3
        annotators: cython.longlong = self.rows[i + 1] - self.rows[i]
        matches: cython.longlong = (self.corrections[last] - self.corrections[first]) * (self.m + 1) + 1
        states: cython.longlong = 2 * self.max_unchanged + 1
        if (
            cells > self.marks.shape[0]
            or words > self.path.shape[0]
            or annotators > self.best.shape[0]
            or matches > self.found.shape[0]
            or states > self.open_from.shape[1]
        ):
            with cython.gil:
                self._allocate(
                    max(cells, self.marks.shape[0]),
                    max(words, self.path.shape[0]),
                    max(annotators, self.best.shape[0]),
                    max(matches, self.found.shape[0]),
                    max(states, self.open_from.shape[1]),
                )
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def align(
        self, i: cython.Py_ssize_t, max_unchanged: cython.longlong, most_arcs: cython.longlong
    ) -> cython.int:
        """Count the edits of a segment for each of its rows; returns 1 if there are too many arcs."""
        if self._begin(i, max_unchanged):
            return 0
        self._fill()
        self._mark()
        self._link()
        self._match(self.rows[i], self.rows[i + 1])
        annotators = cython.cast(cython.int, self.rows[i + 1] - self.rows[i])
        arcs = self._arcs(most_arcs)
        if arcs >= 0:
            self._paths(annotators, cython.cast(cython.double, arcs))
        else:
            self._bounded(annotators, 2.0 * (self.n + self.m + 1))
        for row in range(self.rows[i], self.rows[i + 1]):
            self._walk_back(row - self.rows[i])
            self._count(row)
        return 1 if arcs < 0 else 0

    # -- the lattice -------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _equal(self, i: cython.int, j: cython.int) -> cython.int:
        """Whether the i-th source word is the j-th one of the hypothesis, counted from 1."""
        return 1 if self.source[self.s + i - 1] == self.hypothesis[self.h + j - 1] else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _fill(self) -> cython.int:
        """Both Levenshtein tables; a substitution costs 1 in the first one and 2 in the second."""
        cython.declare(i=cython.int, j=cython.int, one=cython.int, two=cython.int, step=cython.int)
        here: cython.Py_ssize_t = 0
        width: cython.Py_ssize_t = self.m + 1
        cost: cython.int[:, ::1] = self.cost
        hypothesis: cython.int[::1] = self.hypothesis[self.h : self.h + self.m]
        for i in range(self.n + 1):
            one = two = i
            word = self.source[self.s + i - 1] if i > 0 else -1
            for j in range(self.m + 1):
                if i == 0:
                    one = two = j
                elif j > 0:
                    step = 0 if word == hypothesis[j - 1] else 1
                    one = min(min(one, cost[here - width, 0]) + 1, cost[here - width - 1, 0] + step)
                    two = min(min(two, cost[here - width, 1]) + 1, cost[here - width - 1, 1] + 2 * step)
                cost[here, 0] = one
                cost[here, 1] = two
                self.marks[here] = 0
                here += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _mark(self) -> cython.int:
        """Follow every optimal back-pointer of both tables from the end."""
        cython.declare(i=cython.int, j=cython.int, t=cython.int, step=cython.int, bits=cython.int)
        width: cython.Py_ssize_t = self.m + 1
        here: cython.Py_ssize_t = self.n * width + self.m
        cost: cython.int[:, ::1] = self.cost
        marks: cython.uchar[::1] = self.marks
        marks[here] = REACHED | REACHED << 4
        for i in range(self.n, -1, -1):
            for j in range(self.m, -1, -1):
                for t in range(2 if marks[here] else 0):
                    if not marks[here] & (REACHED << (4 * t)):
                        continue
                    bits = 0
                    if i > 0 and j > 0:
                        step = 0 if self._equal(i, j) else t + 1
                        if cost[here - width - 1, t] + step == cost[here, t]:
                            bits |= D
                            marks[here - width - 1] |= REACHED << (4 * t)
                    if i > 0 and cost[here - width, t] + 1 == cost[here, t]:
                        bits |= V
                        marks[here - width] |= REACHED << (4 * t)
                    if j > 0 and cost[here - 1, t] + 1 == cost[here, t]:
                        bits |= H
                        marks[here - 1] |= REACHED << (4 * t)
                    marks[here] |= bits << (4 * t)
                here -= 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _link(self) -> cython.int:
        """Number the marked cells in lexicographic order and give each vertex its outgoing basic edges."""
        cython.declare(i=cython.int, j=cython.int, side=cython.int)
        cython.declare(mark=cython.int, v=cython.int, bit=cython.int)
        size: cython.int = 0
        here: cython.Py_ssize_t = 0
        width: cython.Py_ssize_t = self.m + 1
        vertices: cython.int[:, ::1] = self.vertices
        for i in range(self.n + 1):
            self.row_starts[i] = size
            for j in range(self.m + 1):
                mark = self.marks[here]
                if mark:
                    self.number[here] = size
                    vertices[size, ROW] = i
                    vertices[size, COLUMN] = j
                    vertices[size, BITS] = 0
                    vertices[size, FIRST_FOUND] = -1
                    vertices[size, BEHIND] = 0
                    vertices[size, MADE] = 0
                    for side in range(3):
                        vertices[size, DIAGONAL + side] = -1
                        bit = 1 << side
                        if not mark & (bit | bit << 4):
                            continue
                        v = self.number[here - (width + 1 if side == 0 else width if side == 1 else 1)]
                        vertices[v, DIAGONAL + side] = size
                        if mark & bit and mark & bit << 4:
                            vertices[v, BITS] |= DOUBLE << side
                        if side == 0 and self._equal(i, j):
                            vertices[v, BITS] |= EQUAL
                            vertices[size, BEHIND] = vertices[v, BEHIND] + 1
                    size += 1
                here += 1
        self.row_starts[self.n + 1] = size
        self.size = size
        return 0

    # -- gold edits --------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _reads(self, correction: cython.longlong, begin: cython.longlong, end: cython.longlong) -> cython.int:
        """Whether a correction reads as the words begin:end of all hypotheses."""
        t: cython.longlong = self.token_offsets[correction]
        if self.token_offsets[correction + 1] - t != end - begin:
            return 0
        for k in range(end - begin):
            if self.tokens[t + k] != self.hypothesis[begin + k]:
                return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _says(self, edit: cython.longlong, begin: cython.longlong, end: cython.longlong) -> cython.int:
        """Whether one of a gold edit's corrections reads as these words."""
        for correction in range(self.corrections[edit], self.corrections[edit + 1]):
            if self._reads(correction, begin, end):
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _match(self, first_row: cython.longlong, last_row: cython.longlong) -> cython.int:
        """List the arcs that match a gold edit, by the vertex they begin in (they may turn out not to exist).

        A gold edit whose correction equals its source words matches unchanged words like any other arc.
        """
        cython.declare(column=cython.longlong, cell=cython.longlong)
        self.matches = 0
        for row in range(first_row, last_row):
            annotator = cython.cast(cython.int, row - first_row)
            for edit in range(self.edit_offsets[row], self.edit_offsets[row + 1]):
                start = self.spans[edit, 0]
                end = self.spans[edit, 1]
                if not (0 <= start <= self.n and 0 <= end <= self.n):
                    with cython.gil:
                        raise IndexError(
                            f"an edit of the tokens {start}:{end} in a source of {self.n} tokens"
                        )
                if start == end:
                    other = self.edit_offsets[row]
                    while self.spans[other, 0] != start or self.spans[other, 1] != start:
                        other += 1
                    if other == edit:  # the first one of this place: walk for all of them
                        self._insertions(edit, self.edit_offsets[row + 1] - 1, annotator)
                if start >= end:
                    continue
                for correction in range(self.corrections[edit], self.corrections[edit + 1]):
                    words = self.token_offsets[correction + 1] - self.token_offsets[correction]
                    for u in range(self.row_starts[start], self.row_starts[start + 1]):
                        column = self.vertices[u, COLUMN]
                        if column + words > self.m:
                            break
                        cell = end * cython.cast(cython.longlong, self.m + 1) + column + words
                        begin = self.h + column
                        if self.marks[cell] and self._reads(correction, begin, begin + words):
                            self._add(u, self.number[cell], self.number[cell], annotator, 0)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _add(
        self, u: cython.int, first: cython.int, last: cython.int, annotator: cython.int, epsilons: cython.int
    ) -> cython.int:
        """Give the arcs from u to the vertices first … last a cost of their own, for one annotator.

        `epsilons` is the cost of a matched arc beside −|E|. Below 0 the arcs are not matched by this, and
        cost an ε more each; a basic edge, the shortest of them, costs this many (-2: two) more.
        """
        self.found[self.matches, 0] = first
        self.found[self.matches, 1] = last
        self.found[self.matches, 2] = annotator
        self.found[self.matches, 3] = epsilons
        self.found[self.matches, 4] = self.vertices[u, FIRST_FOUND]
        self.vertices[u, FIRST_FOUND] = self.matches
        self.matches += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _insertions(self, first: cython.longlong, last: cython.longlong, annotator: cython.int) -> cython.int:
        """Match the insertions of one place, among the gold edits first … last: walk its arcs from both ends.

        The sorted arcs of a row are (from, to, copy): the runs of horizontal edges, basic ones twice when
        both tables have them. They are stepped through, not stored. A match on the left gives up the gold
        before it, one on the right the gold after it.
        """
        vertices: cython.int[:, ::1] = self.vertices
        place: cython.int = self.spans[first, 0]
        begin: cython.int = self.row_starts[place]
        end: cython.int = self.row_starts[place + 1]
        left: cython.bint = True
        cython.declare(forwards=cython.bint, f=cython.int, t=cython.int)
        self.left_from = self._next_horizontal(begin, end)
        if self.left_from == end:
            return 0
        self.left_to = self.left_from + 1
        self.left_copy = 0
        self._last_arc(end - 1, begin)
        while self.left_from < self.right_from or (
            self.left_from == self.right_from
            and (
                self.left_to < self.right_to
                or (self.left_to == self.right_to and self.left_copy <= self.right_copy)
            )
        ):
            f = self.left_from if left else self.right_from
            t = self.left_to if left else self.right_to
            forwards = left or (
                f == self.left_from and t == self.left_to and self.left_copy == self.right_copy
            )
            edit = first if forwards else last
            while first <= edit <= last and not (
                self.spans[edit, 0] == place
                and self.spans[edit, 1] == place
                and self._says(edit, self.h + vertices[f, COLUMN], self.h + vertices[t, COLUMN])
            ):
                edit += 1 if forwards else -1
            if first <= edit <= last:
                # The other copy of a double edge is skipped and gives its ε to the arc they share.
                self._add(f, t, t, annotator, 1 if t == f + 1 and vertices[f, BITS] & DOUBLE_H else 0)
                if forwards:
                    first = edit + 1
                    self.left_from, self.left_to, self.left_copy = t, t + 1, 0
                    if vertices[t, HORIZONTAL] < 0:
                        self.left_from = end
                else:
                    last = edit - 1
                    self.right_from, self.right_to, self.right_copy = f - 1, f, 0
                    if f == begin or vertices[f - 1, HORIZONTAL] < 0:
                        self.right_from = begin - 1
                    elif vertices[f - 1, BITS] & DOUBLE_H:
                        self.right_copy = 1
                self._passed_twice(begin, end, annotator)
                continue
            if left:
                self._step_right(end)
            elif self.right_copy == 1:
                self.right_copy = 0
            elif self.right_to > self.right_from + 1:
                self.right_to -= 1
                self.right_copy = self._copies(self.right_from, self.right_to) - 1
            elif not self._last_arc(self.right_from - 1, begin):
                break
            left = not left
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _next_horizontal(self, v: cython.int, end: cython.int) -> cython.int:
        """The first vertex from v on with a horizontal edge, or `end`."""
        while v < end and self.vertices[v, HORIZONTAL] < 0:
            v += 1
        return v

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _copies(self, f: cython.int, t: cython.int) -> cython.int:
        """The number of copies of a horizontal arc in the list."""
        return 2 if t == f + 1 and self.vertices[f, BITS] & DOUBLE_H else 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _step_right(self, end: cython.int) -> cython.int:
        """Move the left pointer to the next arc."""
        if self.left_copy == 0 and self._copies(self.left_from, self.left_to) == 2:
            self.left_copy = 1
            return 0
        self.left_copy = 0
        if self.vertices[self.left_to, HORIZONTAL] >= 0:
            self.left_to += 1
        else:
            self.left_from = self._next_horizontal(self.left_from + 1, end)
            self.left_to = self.left_from + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _last_arc(self, v: cython.int, begin: cython.int) -> cython.int:
        """Move the right pointer to the last arc that begins in v or before; 0 if there is none."""
        while v >= begin and self.vertices[v, HORIZONTAL] < 0:
            v -= 1
        self.right_from = v
        if v < begin:
            return 0
        self.right_to = v + 1
        while self.vertices[self.right_to, HORIZONTAL] >= 0:
            self.right_to += 1
        self.right_copy = self._copies(v, self.right_to) - 1
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _passed_twice(self, begin: cython.int, end: cython.int, annotator: cython.int) -> cython.int:
        """Another ε for the arcs between both pointers, where a match made one jump over the other."""
        cython.declare(f=cython.int, first=cython.int, last=cython.int, copies=cython.int)
        for f in range(max(self.right_from, begin), min(self.left_from + 1, end)):
            if self.vertices[f, HORIZONTAL] < 0:
                continue
            copies = self._copies(f, f + 1)
            first = f + 1
            last = end - 1
            if f == self.right_from:
                first = self.right_to + 1
                if copies == 2 and self.right_to == f + 1 and self.right_copy == 0:
                    first = self.right_to
                copies = 1
            if f == self.left_from:
                last = self.left_to - 1 + self.left_copy
                if self.left_copy:
                    copies = 1
            if first <= last:
                self._add(f, first, last, annotator, -copies)
        return 0

    # -- the best paths ----------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def _arcs(self, most_arcs: cython.longlong) -> cython.longlong:
        """The number of arcs of the official list, every copy counted, or -1 when there are too many.

        An arc stands in the list once for every time it was made or shortened. Stretches of unchanged words
        are removed from it, except one that directly follows a removed one: `open_from[v, k]` becomes 1 where
        that of the k words before v and the one after it stays. The list is ordered by (intermediate, from,
        to).
        """
        cython.declare(u=cython.int, v=cython.int, k=cython.int)
        arcs: cython.longlong = 0
        made: cython.longlong = 0
        removed: cython.longlong = -2
        for v in range(self.size):
            self.labels[v, BEGUN] = 0
        for u in range(self.size - 1):
            arcs += self._sweep(u, self.size, 0, 0, 0.0, True)
            if arcs > most_arcs:
                return -1
        for v in range(self.size):
            if self.vertices[v, BITS] & EQUAL:
                k = min(self.vertices[v, BEHIND], self.max_unchanged - 1)
                while k > 0:
                    place = made + self.open_from[v, k]
                    self.open_from[v, k] = 1
                    if place != removed + 1:
                        self.open_from[v, k] = 0
                        removed = place
                        arcs -= 1
                    k -= 1
            made += self.vertices[v, MADE]
        return arcs

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _paths(self, annotators: cython.int, arcs: cython.double) -> cython.int:
        """Relax every arc, vertex by vertex, for every annotator."""
        cython.declare(u=cython.int)
        self._start(annotators)
        for u in range(self.size):
            self.labels[u, BEGUN] = 0
        for u in range(self.size - 1):
            self._sweep(u, self.size, 0, annotators, arcs, True)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _start(self, annotators: cython.int) -> cython.int:
        """Every vertex but the first is infinitely far away."""
        for a in range(annotators):
            for v in range(self.size):
                self.distance[a, v, 0] = INFINITE
                self.distance[a, v, 1] = INFINITE
                self.best[a, v, 0] = 0
            self.distance[a, 0, 0] = 0.0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _sweep(
        self,
        u: cython.int,
        size: cython.int,
        first: cython.int,
        last: cython.int,
        total: cython.double,
        exact: cython.bint,
    ) -> cython.longlong:
        """Relax the arcs from u to vertices before `size`, for the annotators first:last; returns how many.

        Without annotators it is the first round: `open_from` gets the places of stretches of unchanged words.
        Only where it is `exact` is it known later which of them stay.
        """
        cython.declare(v=cython.int, w=cython.int, copies=cython.int, side=cython.int, equal=cython.int)
        high: cython.int = u
        next_low: cython.int = size
        next_high: cython.int = -1
        mark: cython.int = 4 * (u + 1)
        arcs: cython.longlong = 0
        for side in range(3):
            w = self.vertices[u, DIAGONAL + side]
            if 0 <= w < size:
                self.labels[w, BEGUN] = mark + (1 if self.vertices[u, BITS] & DOUBLE << side else 0)
                self.labels[w, LENGTH] = 1
                self.labels[w, UNCHANGED] = self.vertices[u, BITS] & EQUAL if side == 0 else 0
                self.labels[w, THROUGH] = -1
                if side == 2:
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
            copies = self.labels[v, BEGUN] - mark + 1
            if copies <= 0:
                continue
            arcs += copies
            length = self.labels[v, LENGTH]
            unchanged = self.labels[v, UNCHANGED]
            if first < last:
                self._arc(u, v, copies, first, last, total, exact)
            for side in range(2, -1, -1):  # the order of the vertices they lead to
                w = self.vertices[v, DIAGONAL + side]
                equal = self.vertices[v, BITS] & EQUAL if side == 0 else 0
                if not 0 <= w < size or unchanged + equal > self.max_unchanged:
                    continue
                if first == last and equal and unchanged == length:
                    self.open_from[v, length] = self.vertices[v, MADE]
                self._label(mark, v, w, length + 1, unchanged + equal)
                if side == 2:
                    high = max(high, w)
                else:
                    next_low = min(next_low, w)
                    next_high = max(next_high, w)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _label(
        self, mark: cython.int, v: cython.int, w: cython.int, length: cython.int, unchanged: cython.int
    ) -> cython.int:
        """Make or shorten the arc from the sweep's beginning to w through v: only if strictly shorter."""
        if self.labels[w, BEGUN] < mark:
            self.labels[w, BEGUN] = mark
            self.labels[w, THROUGH] = v
        elif self.labels[w, LENGTH] <= length:
            return 0
        else:
            self.labels[w, BEGUN] += 1
        self.labels[w, LENGTH] = length
        self.labels[w, UNCHANGED] = unchanged
        self.vertices[v, MADE] += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _arc(
        self,
        u: cython.int,
        v: cython.int,
        copies: cython.int,
        first: cython.int,
        last: cython.int,
        total: cython.double,
        exact: cython.bint,
    ) -> cython.int:
        """Relax the labelled arc (u, v) for the annotators first:last, unless it is a removed stretch."""
        cython.declare(a=cython.int)
        length: cython.int = self.labels[v, LENGTH]
        through: cython.int = self.labels[v, THROUGH]
        cost: cython.double = length
        if self.labels[v, UNCHANGED] < length:
            while copies > 0:
                cost += EPSILON
                copies -= 1
        elif length > 1 and not (exact and self.open_from[through, length - 1]):
            return 0
        for a in range(first, last):
            self._relax(a, u, v, self._own_cost(a, u, v, cost, total), through)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _relax(
        self, a: cython.int, u: cython.int, w: cython.int, cost: cython.double, through: cython.int
    ) -> cython.int:
        """Take the arc (u, w) where it makes the way to w cheaper; `through` is -1 for a basic edge.

        Repeated strict relaxation over the list "basic edges sorted, then transitive arcs by (intermediate,
        from, to)" keeps, of equally cheap arcs, the one that is relaxed first after its tail is final. A
        basic edge after a transitive arc has to wait for the next round. So the rank of an arc is
        (round, basic before transitive, intermediate or tail, tail); of several copies the first counts.

        The official rounds go on from a distance that a later round lowers by no more than rounding did, and
        what is added to it may round to the same number: then the earlier rank counts. So a distance that was
        there first is kept beside the least one, with its rank.
        """
        for side in range(2):
            if self.distance[a, u, side] == INFINITE:
                continue
            new = cost + self.distance[a, u, side]
            if new > self.distance[a, w, 0] + NOISE:
                continue
            rank = _rank(u, through, self.best[a, u, 2 * side])
            if new > self.distance[a, w, 0]:
                if rank < self.best[a, w, 0] and new < self.distance[a, w, 1]:
                    self.distance[a, w, 1] = new
                    self.best[a, w, 2] = rank
                continue
            if new == self.distance[a, w, 0] and rank >= self.best[a, w, 0]:
                continue
            if new < self.distance[a, w, 0] < new + NOISE and self.best[a, w, 0] < rank:
                self.distance[a, w, 1] = self.distance[a, w, 0]
                self.best[a, w, 2] = self.best[a, w, 0]
            elif self.distance[a, w, 1] > new + NOISE or self.best[a, w, 2] >= rank:
                self.distance[a, w, 1] = INFINITE
            self.distance[a, w, 0] = new
            self.best[a, w, 0] = rank
            self.best[a, w, 1] = u
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _own_cost(
        self, a: cython.int, u: cython.int, w: cython.int, cost: cython.double, total: cython.double
    ) -> cython.double:
        """The cost of the arc (u, w) for an annotator who has gold edits, or passed arcs twice, at u."""
        epsilons: cython.int = 0
        t: cython.int = self.vertices[u, FIRST_FOUND]
        while t >= 0:
            if self.found[t, 2] == a and self.found[t, 0] <= w <= self.found[t, 1]:
                if self.found[t, 3] >= 0:
                    cost = -total
                    epsilons += self.found[t, 3]
                else:
                    epsilons += -self.found[t, 3] if w == u + 1 else 1
            t = self.found[t, 4]
        while epsilons > 0:
            cost += EPSILON
            epsilons -= 1
        return cost

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _bounded(self, annotators: cython.int, total: cython.double) -> cython.int:
        """The best paths where there are too many arcs: an edit is grown edge by edge, not arc by arc.

        Only the cheapest open edit is kept for every vertex and number of unchanged words in it. That is the
        same optimum, unless the closure would have preferred, of two equally long ways between two
        vertices, the one with more unchanged words; this takes a way that mixes both tables, and then an
        edit more may be the true result. Arcs that match a gold edit are looked up exactly.

        Columns of `open_*`: edits with 0 … max unchanged words, then runs of 1 … max unchanged words so far.
        """
        cython.declare(a=cython.int, v=cython.int, w=cython.int, k=cython.int, t=cython.int)
        self._start(annotators)
        for a in range(annotators):
            for v in range(self.size):
                for k in range(2 * self.max_unchanged + 1):
                    self.open_cost[v, k] = INFINITE
            for v in range(self.size):
                for k in range(3):
                    self._extend(a, v, k)
                w = -1
                t = self.vertices[v, FIRST_FOUND]
                while t >= 0:
                    if self.found[t, 2] == a and self.found[t, 3] >= 0:
                        w = max(w, self.found[t, 1])
                    t = self.found[t, 4]
                if w >= 0:
                    for t in range(v, w + 1):
                        self.labels[t, BEGUN] = 0
                    self._sweep(v, w + 1, a, a + 1, total, False)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _extend(self, a: cython.int, v: cython.int, side: cython.int) -> cython.int:
        """Let edits and runs of unchanged words grow by one of the basic edges from v."""
        cython.declare(k=cython.int, cost=cython.double)
        runs: cython.int = self.max_unchanged  # the run of k words is in column runs + k
        w: cython.int = self.vertices[v, DIAGONAL + side]
        if w < 0:
            return 0
        equal: cython.int = self.vertices[v, BITS] & EQUAL if side == 0 else 0
        cost = self.distance[a, v, 0] + 1.0
        if equal:
            self._end(a, w, cost, v)
            if runs:
                self.open_cost[w, runs + 1] = cost
                self.open_from[w, runs + 1] = v
            for k in range(1, runs):
                self.open_cost[w, runs + k + 1] = self.open_cost[v, runs + k] + 1.0
                self.open_from[w, runs + k + 1] = self.open_from[v, runs + k]
        else:
            cost += EPSILON
            if cost < self.open_cost[w, 0]:
                self.open_cost[w, 0] = cost
                self.open_from[w, 0] = v
            if self.vertices[v, BITS] & DOUBLE << side:
                cost += EPSILON
            self._end(a, w, cost, v)
            for k in range(1, runs + 1):
                self._grow(a, w, k, self.open_cost[v, runs + k] + 1.0 + EPSILON, self.open_from[v, runs + k])
        for k in range(runs + 1 - equal):
            self._grow(a, w, k + equal, self.open_cost[v, k] + 1.0, self.open_from[v, k])
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _end(self, a: cython.int, w: cython.int, cost: cython.double, begun: cython.int) -> cython.int:
        """An edit or an unchanged word that began at a vertex ends at w."""
        if cost < self.distance[a, w, 0]:
            self.distance[a, w, 0] = cost
            self.best[a, w, 1] = begun
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _grow(
        self, a: cython.int, w: cython.int, k: cython.int, cost: cython.double, begun: cython.int
    ) -> cython.int:
        """An edit of two edges or more reaches w: it may end here or go on."""
        if cost < self.open_cost[w, k]:
            self.open_cost[w, k] = cost
            self.open_from[w, k] = begun
        return self._end(a, w, cost, begun)

    # -- the counts --------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _walk_back(self, annotator: cython.longlong) -> cython.int:
        """Write the best path's edits (source span, hypothesis span), last one first."""
        v: cython.int = self.size - 1
        self.edits = 0
        while v > 0:
            u = cython.cast(cython.int, self.best[annotator, v, 1])
            words = self.vertices[v, ROW] - self.vertices[u, ROW]
            # Unchanged words are the shortest way between their ends, so the arc, as far as they may join.
            if (
                words != self.vertices[v, COLUMN] - self.vertices[u, COLUMN]
                or words > self.vertices[v, BEHIND]
                or (words > 1 and words > self.max_unchanged)
            ):
                self.path[self.edits, 0] = self.vertices[u, ROW]
                self.path[self.edits, 1] = self.vertices[v, ROW]
                self.path[self.edits, 2] = self.vertices[u, COLUMN]
                self.path[self.edits, 3] = self.vertices[v, COLUMN]
                self.edits += 1
            v = u
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _count(self, row: cython.longlong) -> cython.int:
        """Count the path's edits, and those that are correct, with a pointer into the gold list."""
        k: cython.int
        pointer: cython.longlong = self.edit_offsets[row]
        for k in range(self.edits - 1, -1, -1):
            begin = self.h + self.path[k, 2]
            end = self.h + self.path[k, 3]
            if self.letter_offsets.shape[0] > 1 and self._same_letters(
                self.s + self.path[k, 0], self.s + self.path[k, 1], begin, end
            ):
                continue
            self.out[row, 1] += 1
            for edit in range(pointer, self.edit_offsets[row + 1]):
                if (
                    self.spans[edit, 0] == self.path[k, 0]
                    and self.spans[edit, 1] == self.path[k, 1]
                    and self._says(edit, begin, end)
                ):
                    self.out[row, 0] += 1
                    pointer = edit + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _same_letters(
        self, a: cython.longlong, a_end: cython.longlong, b: cython.longlong, b_end: cython.longlong
    ) -> cython.int:
        """Whether source and hypothesis tokens are the same text but for blanks and case."""
        i: cython.longlong = 0
        i_end: cython.longlong = 0
        j: cython.longlong = 0
        j_end: cython.longlong = 0
        while True:
            while i == i_end and a < a_end:
                i = self.letter_offsets[self.source[a]]
                i_end = self.letter_offsets[self.source[a] + 1]
                a += 1
            while j == j_end and b < b_end:
                j = self.letter_offsets[self.hypothesis[b]]
                j_end = self.letter_offsets[self.hypothesis[b] + 1]
                b += 1
            if i == i_end or j == j_end:
                return 1 if i == i_end and j == j_end else 0
            if self.letters[i] != self.letters[j]:
                return 0
            i += 1
            j += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _rank(u: cython.int, through: cython.int, rank: cython.longlong) -> cython.longlong:
    """The rank of an arc from u, which was reached at a rank."""
    if through < 0:
        return (((rank >> 49) + ((rank >> 48) & 1)) << 49) | (cython.cast(cython.longlong, u) << 24)
    transitive: cython.longlong = 1 << 24 | cython.cast(cython.longlong, through)
    return ((rank >> 49) << 49) | transitive << 24 | u
