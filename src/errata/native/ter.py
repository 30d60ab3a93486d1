"""Translation edit rate: greedy shifts, then edit distance within a beam, over token ids.

The choices and limits are those of sacreBLEU's TER (which follows Tercom): a beam of 25 around the diagonal,
shifts of at most 10 tokens over at most 50, at most 1,000 candidates a pair. A candidate is measured only as
far as it may still beat the present distance, in the band where that is possible. Memory is linear: about 700
bytes × the longer text.
"""

import cython
import numpy as np

BEAM = cython.declare(cython.longlong, 25)
MAX_SHIFT_SIZE = cython.declare(cython.longlong, 10)
MAX_SHIFT_DISTANCE = cython.declare(cython.longlong, 50)
MAX_CANDIDATES = cython.declare(cython.longlong, 1000)
FAR = cython.declare(cython.longlong, 1 << 40)  # the distance of cells outside the beam
KEEP = cython.declare(cython.longlong, 0)
SUBSTITUTE = cython.declare(cython.longlong, 1)
INSERT = cython.declare(cython.longlong, 2)
DELETE = cython.declare(cython.longlong, 3)


@cython.cclass
class _Aligner:
    """A pair of texts: the hypothesis with the shifts so far, the reference, and their alignment.

    The matrix of distances has a row for each token of the hypothesis: row i has the columns `low[i]` to
    `high[i] - 1`. `path` has the operations, the last one first.
    """

    n: cython.longlong  # tokens of the hypothesis
    m: cython.longlong  # tokens of the reference
    begin: cython.longlong  # of the reference in `reference`
    width: cython.longlong
    beam: cython.longlong
    steps: cython.longlong  # of `path`
    shift_count: cython.longlong
    candidates: cython.longlong
    spent: cython.longlong  # cells, beginning with the first alignment
    most: cython.longlong
    exceeded: cython.bint
    best_value: cython.longlong
    best_length: cython.longlong
    best_start: cython.longlong
    best_target: cython.longlong
    reference: cython.int[::1]
    words: cython.int[::1]
    moved: cython.int[::1]
    low: cython.longlong[::1]
    high: cython.longlong[::1]
    cost: cython.longlong[::1]
    step: cython.longlong[::1]
    band: cython.longlong[::1]
    path: cython.longlong[::1]
    aligned: cython.longlong[::1]  # the token of the hypothesis at or before each token of the reference
    errors: cython.longlong[::1]  # before each token of the hypothesis
    reference_errors: cython.longlong[::1]
    shifts: cython.longlong[:, ::1]  # start, length, target

    def __init__(self, reference, hypothesis_size, reference_size, most):
        longest = int(max(hypothesis_size, reference_size))
        cells = (int(hypothesis_size) + 1) * (2 * BEAM + 4) + 2 * int(reference_size) + 2
        self.most = most
        self.reference = reference
        self.words, self.moved = np.zeros((2, longest), dtype=np.int32)
        self.low, self.high = np.zeros((2, longest + 1), dtype=np.int64)
        self.cost, self.step = np.zeros((2, cells), dtype=np.int64)
        self.band = np.zeros(2 * longest + 4, dtype=np.int64)
        self.path = np.zeros(2 * longest, dtype=np.int64)
        self.aligned, self.errors, self.reference_errors = np.zeros((3, longest + 1), dtype=np.int64)
        self.shifts = np.zeros((MAX_CANDIDATES, 3), dtype=np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def align(
        self,
        ids: cython.int[::1],
        start: cython.longlong,
        end: cython.longlong,
        begin: cython.longlong,
        stop: cython.longlong,
    ) -> cython.int:
        """Shift and align the hypothesis `ids[start:end]` to the tokens `begin:stop` of the reference.

        After `most` cells no further shift is tried, and `exceeded` is set.
        """
        n: cython.longlong = end - start
        m: cython.longlong = stop - begin
        self.n = n
        self.m = m
        self.begin = begin
        self.shift_count = 0
        self.candidates = 0
        self.spent = 0
        self.exceeded = False
        for k in range(n):
            self.words[k] = ids[start + k]
        if n == 0 or m == 0:
            self.steps = n + m
            for k in range(n + m):
                self.path[k] = INSERT if n == 0 else DELETE
            return 0
        self.beam = BEAM
        if 2 * BEAM * n < m:  # very uneven texts: neighbouring rows must overlap
            self.beam = cython.cast(cython.longlong, (1.0 * m) / n / 2 + BEAM)
            if (1.0 * m) / n / 2 + BEAM > self.beam:
                self.beam += 1
        self.width = 2 * self.beam + 2
        while True:
            distance = self.fill()
            self.trace()
            self.spent += n * self.width
            if distance == 0:
                break
            self.count_errors()
            if not self.find_shift(distance) or self.best_value >= distance:
                break
            self.shift(self.best_start, self.best_length, self.best_target)
            for k in range(n):
                self.words[k] = self.moved[k]
            self.shifts[self.shift_count, 0] = self.best_start
            self.shifts[self.shift_count, 1] = self.best_length
            self.shifts[self.shift_count, 2] = self.best_target
            self.shift_count += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def cell(self, i: cython.longlong, j: cython.longlong) -> cython.longlong:
        """The distance of i hypothesis tokens to j reference tokens, or FAR outside the beam."""
        if i == 0:
            return j
        if j < self.low[i] or j >= self.high[i]:
            return FAR
        return self.cost[i * self.width + j - self.low[i]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def fill(self) -> cython.longlong:
        """Fill the matrix of distances within the beam; returns the distance of the whole texts."""
        n: cython.longlong = self.n
        m: cython.longlong = self.m
        ratio: cython.double = (1.0 * m) / n
        cost: cython.longlong[::1] = self.cost
        for i in range(1, n + 1):
            diagonal = cython.cast(cython.longlong, i * ratio)
            low = max(diagonal - self.beam, 0)
            high = m + 1 if i == n or diagonal + self.beam > m + 1 else diagonal + self.beam
            self.low[i] = low
            self.high[i] = high
            row = i * self.width - low
            for j in range(low, high):
                if j == 0:
                    best = self.cell(i - 1, 0) + 1
                    op = DELETE
                else:
                    best = self.cell(i - 1, j - 1)
                    op = KEEP
                    if self.words[i - 1] != self.reference[self.begin + j - 1]:
                        best += 1
                        op = SUBSTITUTE
                    # On equal cost Tercom prefers to keep or substitute, then what comes first here.
                    other = self.cell(i - 1, j) + 1
                    if other < best:
                        best = other
                        op = DELETE
                    if j > low and cost[row + j - 1] + 1 < best:
                        best = cost[row + j - 1] + 1
                        op = INSERT
                cost[row + j] = best if best < FAR else FAR
                self.step[row + j] = op
        return self.cell(n, m)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def trace(self) -> cython.int:
        """Write the operations of the best alignment to `path`."""
        i: cython.longlong = self.n
        j: cython.longlong = self.m
        self.steps = 0
        while i > 0 or j > 0:
            op = self.step[i * self.width + j - self.low[i]] if i > 0 else INSERT
            self.path[self.steps] = op
            self.steps += 1
            if op != INSERT:
                i -= 1
            if op != DELETE:
                j -= 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def count_errors(self) -> cython.int:
        """Count the errors before every token of either side, and align the tokens of the reference."""
        i: cython.longlong = 0
        j: cython.longlong = 0
        self.errors[0] = 0
        self.reference_errors[0] = 0
        for k in range(self.steps - 1, -1, -1):
            op = self.path[k]
            if op != INSERT:
                self.errors[i + 1] = self.errors[i] + (op != KEEP)
                i += 1
            if op != DELETE:
                self.reference_errors[j + 1] = self.reference_errors[j] + (op != KEEP)
                self.aligned[j] = i - 1
                j += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def find_shift(self, distance: cython.longlong) -> cython.int:
        """Find the shift that saves the most edits; 0 if a limit ended the search."""
        length: cython.longlong
        self.best_value = distance
        self.best_length = 0
        self.best_start = 0
        self.best_target = 0
        for start in range(self.n):
            for to in range(max(start - MAX_SHIFT_DISTANCE, 0), min(start + MAX_SHIFT_DISTANCE + 1, self.m)):
                length = 0
                while (
                    length < MAX_SHIFT_SIZE
                    and start + length < self.n
                    and to + length < self.m
                    and self.words[start + length] == self.reference[self.begin + to + length]
                ):
                    length += 1
                    if (
                        self.errors[start + length] != self.errors[start]
                        and self.reference_errors[to + length] != self.reference_errors[to]
                        and not start <= self.aligned[to] < start + length
                        and not self.try_targets(start, length, to, distance)
                    ):
                        return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def try_targets(
        self, start: cython.longlong, length: cython.longlong, to: cython.longlong, distance: cython.longlong
    ) -> cython.int:
        """Try to move a block beside the tokens that `to` and its neighbours are aligned to; 0 at a limit."""
        previous: cython.longlong = -1
        preferred: cython.bint
        for offset in range(-1, length):
            target = 0 if to + offset == -1 else self.aligned[to + offset] + 1
            if target == previous:
                continue
            previous = target
            self.candidates += 1
            self.spent += self.n * self.width
            if self.spent > self.most:
                self.exceeded = True
                return 0
            same = self.shift(start, length, target)
            value = self.distance_below(distance, same)
            # Equal gains are told apart by length, then start, then target.
            preferred = length > self.best_length or (
                length == self.best_length
                and (start < self.best_start or (start == self.best_start and target < self.best_target))
            )
            if value < self.best_value or (value == self.best_value and value < distance and preferred):
                self.best_value = value
                self.best_length = length
                self.best_start = start
                self.best_target = target
        return 0 if self.candidates >= MAX_CANDIDATES else 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def shift(
        self, start: cython.longlong, length: cython.longlong, target: cython.longlong
    ) -> cython.longlong:
        """Write the words to `moved`, a block before `target`; returns the first place that may change."""
        at: cython.longlong = 0
        goal = target - length if target > start + length else target  # in the words without the block
        if goal > self.n - length:
            goal = self.n - length
        for i in range(self.n):
            if i < start or i >= start + length:
                if at == goal:
                    at += length
                self.moved[at] = self.words[i]
                at += 1
        for i in range(length):
            self.moved[goal + i] = self.words[start + i]
        return min(goal, start)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def distance_below(self, limit: cython.longlong, same: cython.longlong) -> cython.longlong:
        """The distance of `moved` if it is below `limit`, otherwise `limit`.

        The matrix was filled with the same first `same` words. A path that costs less than `limit` stays on
        few diagonals d = j - i; `band` holds one row of those and is updated in place.
        """
        n: cython.longlong = self.n
        m: cython.longlong = self.m
        apart: cython.longlong = m - n
        if limit - 1 < abs(apart):
            return limit
        spare: cython.longlong = (limit - 1 - abs(apart)) // 2
        least: cython.longlong = min(apart, 0) - spare
        most: cython.longlong = max(apart, 0) + spare
        value: cython.longlong
        hope: cython.longlong
        old_first: cython.longlong = least  # diagonals of the row before; beyond them `band` is FAR
        old_last: cython.longlong = most
        band: cython.longlong[::1] = self.band
        for d in range(least, most + 1):
            band[d - least] = self.cell(same, same + d) if 0 <= same + d <= m else FAR
        band[most + 1 - least] = FAR
        for i in range(same + 1, n + 1):
            hope = FAR
            first = max(self.low[i] - i, least)  # diagonals of the row that are in the beam
            last = min(self.high[i] - 1 - i, most)
            for d in range(old_first, min(first, old_last + 1)):
                band[d - least] = FAR
            for d in range(first, last + 1):
                value = band[d + 1 - least] + 1
                if i + d > 0:
                    value = min(
                        value, band[d - least] + (self.moved[i - 1] != self.reference[self.begin + i + d - 1])
                    )
                    if d > least:
                        value = min(value, band[d - 1 - least] + 1)
                value = min(value, FAR)
                band[d - least] = value
                hope = min(hope, value + abs(apart - d))
            for d in range(max(last + 1, old_first), old_last + 1):
                band[d - least] = FAR
            old_first = first
            old_last = last
            if hope >= limit:
                return limit
        return min(band[apart - least], limit)


def edits(hypothesis, references, rows: cython.longlong[::1], most: cython.longlong) -> tuple:
    """Insertions, deletions, substitutions and shifts for each reference of each hypothesis.

    The references of hypothesis i are the rows `rows[i]:rows[i + 1]`. The second result marks the rows that
    took more than `most` cells, in which only the shifts found until then count.
    """
    out_array = np.zeros((len(references), 4), dtype=np.int64)
    exceeded_array = np.zeros(len(references), dtype=np.uint8)
    sizes = hypothesis.lengths.max(initial=0), references.lengths.max(initial=0)
    aligner: _Aligner = _Aligner(references.values, *sizes, most)
    ids: cython.int[::1] = hypothesis.values
    offsets: cython.longlong[::1] = hypothesis.offsets
    reference_offsets: cython.longlong[::1] = references.offsets
    out: cython.longlong[:, ::1] = out_array
    exceeded: cython.uchar[::1] = exceeded_array
    with cython.nogil:
        for i in range(rows.shape[0] - 1):
            for row in range(rows[i], rows[i + 1]):
                aligner.align(
                    ids, offsets[i], offsets[i + 1], reference_offsets[row], reference_offsets[row + 1]
                )
                for k in range(aligner.steps):
                    if aligner.path[k] == INSERT:
                        out[row, 0] += 1
                    elif aligner.path[k] == DELETE:
                        out[row, 1] += 1
                    elif aligner.path[k] == SUBSTITUTE:
                        out[row, 2] += 1
                out[row, 3] = aligner.shift_count
                exceeded[row] = aligner.exceeded
    return out_array, exceeded_array


def alignment(hypothesis: cython.int[::1], reference: cython.int[::1], most: cython.longlong) -> tuple:
    """The shifts (start, length, target) of one pair in turn, and the operations after them."""
    n: cython.longlong = hypothesis.shape[0]
    m: cython.longlong = reference.shape[0]
    aligner: _Aligner = _Aligner(reference, n, m, most)
    aligner.align(hypothesis, 0, n, 0, m)
    shifts = np.array(aligner.shifts[: aligner.shift_count])
    return shifts, np.array(aligner.path[: aligner.steps])[::-1]
