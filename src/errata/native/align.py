"""Token alignment with linguistic costs: Damerau–Levenshtein whose substitutions look at lemma, part of
speech and letters (Felice, Bryant & Briscoe 2016).

Costs are added in the order of the official program, so that its ties are ours: they are ties of doubles.
Memory: 12 bytes a cell of the largest sentence pair, 13 with `SIMILAR`.
"""

from typing import Any

import cython
import numpy as np

MATCH = cython.declare(cython.int, 0)
SUBSTITUTION = cython.declare(cython.int, 1)
INSERTION = cython.declare(cython.int, 2)
DELETION = cython.declare(cython.int, 3)
# a transposition of k ≥ 2 tokens is the step k + TRANSPOSITION
TRANSPOSITION = cython.declare(cython.int, 2)

# how tokens are compared
PLAIN = cython.declare(cython.int, 0)  # Levenshtein: every substitution costs 1, no transpositions
EXACT = cython.declare(cython.int, 1)  # letters by insertions and deletions; transposed words are the same
SIMILAR = cython.declare(cython.int, 2)  # letters by matching blocks; 5 transposed words may be misspelt

LONGEST_SIMILAR = cython.declare(cython.int, 5)
# below a quarter once rounded to single precision, in which the official program compares
QUARTER = cython.declare(cython.double, 0.25 - 2.0**-27)


def align(
    tokens: Any,  # columns `form`, `lower`, `lemma` and `upos` of tokens, with the `offsets` of sentences
    texts: Any,  # `chars` of every form, with their `offsets`
    pairs: cython.longlong[:, ::1],  # sentence of the source, sentence of the correction
    comparison: cython.int,
    codes: cython.int[::1],  # of every character: its row and column in `weights`
    weights: cython.double[:, ::1],
    skipped: cython.uchar[::1],  # 1 for pairs that are not aligned
    most: cython.longlong,  # cells of words and letters that a pair may take
) -> tuple:
    """Align pairs of sentences: the cheapest steps of each, from left to right.

    Returns where the steps of each pair begin, the steps, and their numbers, -1 for a pair that is given up.
    """
    lengths = np.diff(tokens.offsets)[np.asarray(pairs)]
    offsets = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))]).astype(np.int64)
    steps = np.zeros(offsets[len(pairs)], dtype=np.int32)
    counts = np.zeros(len(pairs), dtype=np.int64)
    begins: cython.longlong[::1] = offsets
    sizes: cython.longlong[::1] = counts
    table: Table = Table(tokens, texts, comparison, codes, weights, steps)
    cells = (lengths + 1).prod(axis=1)[np.asarray(skipped) == 0]
    table.allocate(int(cells.max(initial=1)))
    with cython.nogil:
        for p in range(pairs.shape[0]):
            if not skipped[p]:
                sizes[p] = table.align(pairs[p, 0], pairs[p, 1], begins[p], most)
    return offsets, steps, counts


@cython.final
@cython.cclass
class Table:
    """The table of one pair of sentences after another, with its scratch memory."""

    offsets: cython.longlong[::1]
    form: cython.int[::1]
    lower: cython.int[::1]
    lemma: cython.int[::1]
    pos: cython.int[::1]  # 0 … 3 are open classes
    char_offsets: cython.longlong[::1]
    chars: cython.int[::1]
    codes: cython.int[::1]
    weights: cython.double[:, ::1]
    comparison: cython.int
    steps: cython.int[::1]
    # of the current pair
    o: cython.longlong  # where the source begins, and its tokens before the common end
    n: cython.longlong
    c: cython.longlong  # where the correction begins
    m: cython.longlong
    mark: cython.longlong  # the number of the pair, from 1
    spent: cython.longlong
    # scratch
    cost: cython.double[::1]
    operation: cython.int[::1]
    near: cython.schar[::1]  # whether two tokens are near; -1 where it is not known
    balance: cython.int[::1]  # of every lower-cased word in a transposition; all 0
    unbalanced: cython.int  # number of words whose balance is not 0
    seen: cython.longlong[:, ::1]  # the last pair in which each side had a lower-cased word
    row: cython.double[::1]

    def __init__(
        self, tokens: Any, texts: Any, comparison: cython.int, codes: Any, weights: Any, steps: Any
    ) -> None:
        self.offsets, self.form, self.lower = tokens.offsets, tokens.form, tokens.lower
        self.lemma, self.pos = tokens.lemma, tokens.upos
        self.char_offsets, self.chars = texts.offsets, texts.chars
        self.codes, self.weights, self.comparison, self.steps = codes, weights, comparison, steps
        self.row = np.empty(int(np.diff(texts.offsets).max(initial=0)) + 1)
        lowers = int(tokens.lower.max(initial=-1)) + 1
        self.balance = np.zeros(lowers, dtype=np.int32)
        self.seen = np.zeros((2, lowers), dtype=np.int64)
        self.mark = self.unbalanced = 0

    @cython.cfunc
    @cython.exceptval(-1)
    def allocate(self, cells: cython.longlong) -> cython.int:
        """Allocate memory for pairs with this many cells."""
        self.cost = np.empty(cells)
        self.operation = np.empty(cells, dtype=np.int32)
        self.near = np.empty(cells if self.comparison == SIMILAR else 0, dtype=np.int8)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def align(
        self, source: cython.longlong, target: cython.longlong, begin: cython.longlong, most: cython.longlong
    ) -> cython.longlong:
        """Write the steps of a pair from `begin` on; returns their number, or -1 if it is too much work."""
        self.o = self.offsets[source]
        self.n = self.offsets[source + 1] - self.o
        self.c = self.offsets[target]
        self.m = self.offsets[target + 1] - self.c
        self.mark += 1
        self.spent = 0
        count: cython.longlong = 0
        # A match is always taken: the common end needs no table.
        while self.n > 0 and self.m > 0 and self.form[self.o + self.n - 1] == self.form[self.c + self.m - 1]:
            self.steps[begin + count] = MATCH
            count += 1
            self.n -= 1
            self.m -= 1
        self._borders()
        for i in range(self.n):
            for j in range(self.m):
                self._fill(i, j, most)
                if self.spent > most:
                    return -1
        return self._trace(begin, count)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _borders(self) -> cython.int:
        """Fill the first column and row of the table, and mark the words that each side has."""
        width: cython.longlong = self.m + 1
        self.cost[0] = 0
        for i in range(1, self.n + 1):
            self.cost[i * width] = i
            self.operation[i * width] = DELETION
            self.seen[0, self.lower[self.o + i - 1]] = self.mark
        for j in range(1, width):
            self.cost[j] = j
            self.operation[j] = INSERTION
            self.seen[1, self.lower[self.c + j - 1]] = self.mark
        self.clear((self.n + 1) * width)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def clear(self, cells: cython.longlong) -> cython.int:
        """Forget which tokens are near each other."""
        if self.comparison == SIMILAR:
            for cell in range(cells):
                self.near[cell] = -1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _fill(self, i: cython.longlong, j: cython.longlong, most: cython.longlong) -> cython.int:
        """Fill the cell of two tokens; it is of no use where more is spent than allowed."""
        step: cython.int = SUBSTITUTION
        width: cython.longlong = self.m + 1
        cell: cython.longlong = (i + 1) * width + j + 1
        self.spent += 1
        if self.form[self.o + i] == self.form[self.c + j]:
            self.cost[cell] = self.cost[cell - width - 1]
            self.operation[cell] = MATCH
            return 0
        # Ties: substitution before insertion before deletion, and a transposition before all.
        best: cython.double = self.cost[cell - width - 1] + self._substitution(self.o + i, self.c + j, most)
        if self.spent > most:
            return 0
        if self.cost[cell - 1] + 1 < best:
            best = self.cost[cell - 1] + 1
            step = INSERTION
        if self.cost[cell - width] + 1 < best:
            best = self.cost[cell - width] + 1
            step = DELETION
        if self.comparison != PLAIN:
            found = self._transposed(i, j)
            k = found >> 1
            if found & 1 and self.cost[(i - k) * width + j - k] + k <= best:
                best = self.cost[(i - k) * width + j - k] + k
                step = cython.cast(cython.int, k + 1 + TRANSPOSITION)
            self.spent += 4 * k  # a step weighs two words on each side
        self.cost[cell] = best
        self.operation[cell] = step
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _substitution(self, a: cython.longlong, b: cython.longlong, most: cython.longlong) -> cython.double:
        """The cost of replacing one token by another."""
        letters: cython.double
        other: cython.double = 0
        if self.comparison == PLAIN:
            return 1
        if self.lower[a] == self.lower[b]:
            return 0
        x: cython.longlong = self.char_offsets[self.form[a]]
        y: cython.longlong = self.char_offsets[self.form[b]]
        x_end: cython.longlong = self.char_offsets[self.form[a] + 1]
        y_end: cython.longlong = self.char_offsets[self.form[b] + 1]
        total: cython.longlong = (x_end - x) + (y_end - y)
        area: cython.longlong = (x_end - x) * (y_end - y)
        if self.comparison == SIMILAR:  # blocks are looked for again beside the longest
            area = area * (1 + total // 16)
        self.spent += area
        if self.spent > most:
            return 0
        if self.comparison == SIMILAR:
            letters = 1 - 2.0 * self._blocks(x, x_end, y, y_end) / total
        else:
            shared = self._common(x, x_end, y, y_end)
            letters = cython.cast(cython.double, total - 2 * shared) / total
        if self.lemma[a] != self.lemma[b]:
            other = 0.499
        if self.pos[a] != self.pos[b]:
            other = other + (0.25 if self.pos[a] < 4 and self.pos[b] < 4 else 0.5)
        return other + letters

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _trace(self, begin: cython.longlong, count: cython.longlong) -> cython.longlong:
        """Follow the operations back from the last cell and turn the steps round; returns their number."""
        i: cython.longlong = self.n
        j: cython.longlong = self.m
        while i + j > 0:
            step = self.operation[i * (self.m + 1) + j]
            self.steps[begin + count] = step
            count += 1
            size: cython.longlong = step - TRANSPOSITION if step > DELETION else 1
            if step != INSERTION:
                i -= size
            if step != DELETION:
                j -= size
        for k in range(count // 2):
            step = self.steps[begin + k]
            self.steps[begin + k] = self.steps[begin + count - 1 - k]
            self.steps[begin + count - 1 - k] = step
        return count

    # -- letters -----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _common(
        self, a: cython.longlong, a_end: cython.longlong, b: cython.longlong, b_end: cython.longlong
    ) -> cython.longlong:
        """Length of the longest common subsequence of two words."""
        cython.declare(diagonal=cython.double, above=cython.double)
        columns: cython.longlong = b_end - b
        for j in range(columns + 1):
            self.row[j] = 0
        for i in range(a, a_end):
            diagonal = 0
            for j in range(1, columns + 1):
                above = self.row[j]
                if self.chars[i] == self.chars[b + j - 1]:
                    self.row[j] = diagonal + 1
                elif self.row[j - 1] > above:
                    self.row[j] = self.row[j - 1]
                diagonal = above
        return cython.cast(cython.longlong, self.row[columns])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _blocks(
        self, a: cython.longlong, a_end: cython.longlong, b: cython.longlong, b_end: cython.longlong
    ) -> cython.longlong:
        """Letters in matching blocks (Ratcliff & Obershelp): the longest block, then left and right of it."""
        best: cython.longlong = 0
        best_a: cython.longlong = a
        best_b: cython.longlong = b
        length: cython.longlong
        if a >= a_end or b >= b_end:
            return 0
        for i in range(a, a_end):
            if a_end - i <= best:
                break
            for j in range(b, b_end):
                if b_end - j <= best:
                    break
                length = 0
                while (
                    i + length < a_end
                    and j + length < b_end
                    and self.chars[i + length] == self.chars[j + length]
                ):
                    length += 1
                if length > best:
                    best, best_a, best_b = length, i, j
        if best == 0:
            return 0
        left = self._blocks(a, best_a, b, best_b)
        return best + left + self._blocks(best_a + best, a_end, best_b + best, b_end)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=True)
    def _weighted(
        self, a: cython.longlong, a_end: cython.longlong, b: cython.longlong, b_end: cython.longlong
    ) -> cython.double:
        """Weighted character cost: 2 d / (sum of lengths), d a Levenshtein distance with weights."""
        cython.declare(diagonal=cython.double, above=cython.double, best=cython.double)
        columns: cython.longlong = b_end - b
        if a == a_end and b == b_end:
            return 0
        for j in range(columns + 1):
            self.row[j] = j
        for i in range(a, a_end):
            diagonal = self.row[0]
            self.row[0] = self.row[0] + 1
            for j in range(1, columns + 1):
                above = self.row[j]
                best = min(above, self.row[j - 1]) + 1
                best = min(best, diagonal + self.weights[self.codes[i], self.codes[b + j - 1]])
                self.row[j] = best
                diagonal = above
        return 2 * self.row[columns] / ((a_end - a) + (b_end - b))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _is_near(self, one: cython.int, other: cython.int) -> cython.int:
        """Whether the weighted character cost of two forms is below a quarter."""
        a: cython.longlong = self.char_offsets[one]
        b: cython.longlong = self.char_offsets[other]
        a_end: cython.longlong = self.char_offsets[one + 1]
        b_end: cython.longlong = self.char_offsets[other + 1]
        difference: cython.longlong = abs((a_end - a) - (b_end - b))
        if 8 * difference >= (a_end - a) + (b_end - b):  # this many insertions alone cost a quarter
            return 0
        return 1 if self._weighted(a, a_end, b, b_end) < QUARTER else 0

    # -- transpositions ----------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _weigh(self, word: cython.int, weight: cython.int) -> cython.int:
        """Add to a word's balance, and count the words whose balance is not 0."""
        before: cython.int = self.balance[word]
        self.balance[word] = before + weight
        if before == 0:
            self.unbalanced += 1
        elif self.balance[word] == 0:
            self.unbalanced -= 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _permuted(
        self,
        corner: cython.longlong,
        width: cython.longlong,
        size: cython.int,
        token: cython.int,
        used: cython.int,
    ) -> cython.int:
        """Whether the tokens from `token` on can be paired with near ones, the first and last moved away."""
        if token == size:
            return 1
        for other in range(size):
            if other == token and (token == 0 or token == size - 1):
                continue
            if (
                not (used >> other) & 1
                and self.near[corner + token * width + other] == 1
                and self._permuted(corner, width, size, token + 1, used | (1 << other))
            ):
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _transposed(self, i: cython.longlong, j: cython.longlong) -> cython.longlong:
        """The shortest transposition that ends at two tokens: 2 · steps back, plus 1 if there is one.

        It goes back along the diagonal over what does not match; a word that the other side lacks altogether
        ends the search.
        """
        k: cython.longlong = 1
        width: cython.longlong = self.m + 1
        weighed: cython.longlong = 0
        exact: cython.bint = self._weigh_both(i, j)
        swap: cython.bint = False
        if exact:
            weighed = 1
        while k <= min(i, j):
            if not exact and (self.comparison == EXACT or k >= LONGEST_SIMILAR):
                break
            step = self.cost[(i - k + 1) * width + j - k + 1] - self.cost[(i - k) * width + j - k]
            if step == 0 or (step < 0 and self.comparison == SIMILAR):
                break
            if exact:
                exact = self._weigh_both(i - k, j - k)
                if exact:
                    weighed = k + 1
            if self.comparison == EXACT or k >= LONGEST_SIMILAR:
                swap = exact and self.unbalanced == 0
            else:
                self._compare(i, j, k)
                size = cython.cast(cython.int, k + 1)
                swap = self._permuted((i - k) * width + j - k, width, size, 0, 0)
            if swap:
                break
            k += 1
        for x in range(weighed):
            self.balance[self.lower[self.o + i - x]] = 0
            self.balance[self.lower[self.c + j - x]] = 0
        self.unbalanced = 0
        return 2 * k + 1 if swap else 2 * k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _weigh_both(self, i: cython.longlong, j: cython.longlong) -> cython.int:
        """Weigh two words against each other if each is also on the other side; returns whether it is."""
        one: cython.int = self.lower[self.o + i]
        other: cython.int = self.lower[self.c + j]
        if self.seen[1, one] != self.mark or self.seen[0, other] != self.mark:
            return 0
        self._weigh(one, 1)
        self._weigh(other, -1)
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _compare(self, i: cython.longlong, j: cython.longlong, k: cython.longlong) -> cython.int:
        """Find out which of the last k + 1 tokens of both sides are near each other."""
        for x in range(i - k, i + 1):
            for y in range(j - k, j + 1):
                cell = x * (self.m + 1) + y
                if self.near[cell] < 0:
                    self.near[cell] = self._is_near(self.form[self.o + x], self.form[self.c + y])
        return 0
