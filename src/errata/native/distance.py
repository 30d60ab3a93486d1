"""Levenshtein distances between token sequences, 64 cells at a time (Myers 1999, Hyyrö 2003)."""

import cython
import numpy as np

FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps uncompiled code within 64 bits
ONE = cython.declare(cython.ulonglong, 1)


@cython.cclass
class _Pattern:
    """Bit vectors of the tokens of one text, the pattern.

    `numbers` gives every token its row in `equal`, whose bits say where the pattern has the token; row 0
    belongs to tokens that the pattern lacks. `up` and `down` have a bit for every vertical step of +1 and -1.
    """

    words: cython.longlong  # of 64 bits, for the present pattern
    count: cython.int  # of its distinct tokens
    numbers: cython.int[::1]
    equal: cython.ulonglong[:, ::1]
    up: cython.ulonglong[::1]
    down: cython.ulonglong[::1]

    def __init__(self, longest, tokens):
        words = int(longest) // 64 + 1
        self.words = 0
        self.count = 0
        self.numbers = np.zeros(tokens, dtype=np.int32)
        self.equal = np.zeros((int(longest) + 1, words), dtype=np.uint64)
        self.up = np.empty(words, dtype=np.uint64)
        self.down = np.empty(words, dtype=np.uint64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def set(self, ids: cython.int[::1], begin: cython.longlong, end: cython.longlong) -> cython.int:
        """Take `ids[begin:end]` as the pattern."""
        self.words = (end - begin + 63) // 64
        for k in range(end - begin):
            token = ids[begin + k]
            if self.numbers[token] == 0:
                self.count += 1
                self.numbers[token] = self.count
            number = self.numbers[token]
            self.equal[number, k // 64] = cython.cast(cython.ulonglong, self.equal[number, k // 64]) | (
                ONE << cython.cast(cython.ulonglong, k % 64)
            )
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def clear(self, ids: cython.int[::1], begin: cython.longlong, end: cython.longlong) -> cython.int:
        """Forget the pattern `ids[begin:end]`."""
        for i in range(begin, end):
            self.numbers[ids[i]] = 0
        for number in range(1, self.count + 1):
            for w in range(self.words):
                self.equal[number, w] = 0
        self.count = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def distance(
        self, size: cython.longlong, ids: cython.int[::1], begin: cython.longlong, end: cython.longlong
    ) -> cython.longlong:
        """The distance of the pattern, which has `size` tokens, to `ids[begin:end]`."""
        score: cython.longlong = size
        last: cython.ulonglong = ONE << cython.cast(cython.ulonglong, (size - 1) % 64)
        for w in range(self.words):
            self.up[w] = FULL
            self.down[w] = 0
        for j in range(begin, end):
            number = self.numbers[ids[j]]
            plus_in = 1
            minus_in = 0
            for w in range(self.words):
                same = cython.cast(cython.ulonglong, self.equal[number, w])
                plus = cython.cast(cython.ulonglong, self.up[w])
                minus = cython.cast(cython.ulonglong, self.down[w])
                vertical = same | minus
                same |= minus_in
                horizontal = ((((same & plus) + plus) & FULL) ^ plus) | same
                rising = minus | (FULL ^ (horizontal | plus))
                falling = plus & horizontal
                if w == self.words - 1:
                    if rising & last:
                        score += 1
                    elif falling & last:
                        score -= 1
                plus = ((rising << 1) & FULL) | plus_in
                minus = ((falling << 1) & FULL) | minus_in
                plus_in = rising >> 63
                minus_in = falling >> 63
                self.up[w] = minus | (FULL ^ (vertical | plus))
                self.down[w] = plus & vertical
        return score


def distances(hypothesis, references, rows: cython.longlong[::1]):
    """The distance of each hypothesis i to each of its references, the rows `rows[i]:rows[i + 1]`."""
    out_array = np.zeros(len(references), dtype=np.int64)
    tokens = 1 + max(int(hypothesis.values.max(initial=0)), int(references.values.max(initial=0)))
    pattern: _Pattern = _Pattern(hypothesis.lengths.max(initial=0), tokens)
    ids: cython.int[::1] = hypothesis.values
    offsets: cython.longlong[::1] = hypothesis.offsets
    reference_ids: cython.int[::1] = references.values
    reference_offsets: cython.longlong[::1] = references.offsets
    out: cython.longlong[::1] = out_array
    begin: cython.longlong
    end: cython.longlong
    first: cython.longlong
    last: cython.longlong
    with cython.nogil:
        for i in range(rows.shape[0] - 1):
            for row in range(rows[i], rows[i + 1]):
                begin = offsets[i]
                end = offsets[i + 1]
                first = reference_offsets[row]
                last = reference_offsets[row + 1]
                while begin < end and first < last and ids[begin] == reference_ids[first]:
                    begin += 1
                    first += 1
                while begin < end and first < last and ids[end - 1] == reference_ids[last - 1]:
                    end -= 1
                    last -= 1
                if begin == end or first == last:
                    out[row] = end - begin + last - first
                    continue
                pattern.set(ids, begin, end)
                out[row] = pattern.distance(end - begin, reference_ids, first, last)
                pattern.clear(ids, begin, end)
    return out_array
