"""Levenshtein distances between token sequences, 64 cells at a time (Myers 1999, Hyyrö 2003)."""

import cython
import numpy as np

from errata.kernels import _checks, _metric_checks

FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps the uncompiled twin within 64 bits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(
    words: cython.longlong,
    size: cython.longlong,
    text: cython.int[::1],
    begin: cython.longlong,
    end: cython.longlong,
    known: cython.int[::1],
    equal: cython.ulonglong[::1],
    up: cython.ulonglong[::1],
    down: cython.ulonglong[::1],
) -> cython.longlong:
    """The distance of a pattern of `size` tokens to `text[begin:end]`.

    `known` gives every token its row in `equal`, `words` numbers whose bits say where the pattern has it;
    row 0 is that of tokens it has not. `up` and `down` have a bit for every vertical step of +1 and of -1.
    """
    score: cython.longlong = size
    one: cython.ulonglong = 1
    last: cython.ulonglong = one << cython.cast(cython.longlong, (size - 1) % 64)
    for w in range(words):
        up[w] = FULL
        down[w] = 0
    for j in range(begin, end):
        row = cython.cast(cython.longlong, known[text[j]]) * words
        plus_in = 1
        minus_in = 0
        for w in range(words):
            same = cython.cast(cython.ulonglong, equal[row + w])
            plus = cython.cast(cython.ulonglong, up[w])
            minus = cython.cast(cython.ulonglong, down[w])
            vertical = same | minus
            same |= minus_in
            horizontal = ((((same & plus) + plus) & FULL) ^ plus) | same
            rising = minus | (FULL ^ (horizontal | plus))
            falling = plus & horizontal
            if w == words - 1:
                if rising & last:
                    score += 1
                elif falling & last:
                    score -= 1
            plus = ((rising << 1) & FULL) | plus_in
            minus = ((falling << 1) & FULL) | minus_in
            plus_in = rising >> 63
            minus_in = falling >> 63
            up[w] = minus | (FULL ^ (vertical | plus))
            down[w] = plus & vertical
    return score


@_checks.checked(_metric_checks.distances)
def distances(
    hypothesis: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    start: cython.longlong,
    stop: cython.longlong,
    known: cython.int[::1],
    out: cython.longlong[:, ::1],
) -> None:
    """The distance of the hypotheses `start:stop` to each of their references, in the first column.

    The references of segment i are the rows `rows[i]:rows[i + 1]`. `known` is scratch: a 0 for every token.
    """
    longest: cython.longlong = 0
    count: cython.int
    one: cython.ulonglong = 1
    for i in range(start, stop):
        longest = max(longest, hypothesis_offsets[i + 1] - hypothesis_offsets[i])
    words = longest // 64 + 1
    up: cython.ulonglong[::1] = np.empty(words, dtype=np.uint64)
    down: cython.ulonglong[::1] = np.empty(words, dtype=np.uint64)
    equal: cython.ulonglong[::1] = np.zeros((longest + 1) * words, dtype=np.uint64)
    with cython.nogil:
        for i in range(start, stop):
            for r in range(rows[i], rows[i + 1]):
                a = hypothesis_offsets[i]
                n = hypothesis_offsets[i + 1] - a
                b = reference_offsets[r]
                m = reference_offsets[r + 1] - b
                while n > 0 and m > 0 and hypothesis[a] == reference[b]:
                    a += 1
                    b += 1
                    n -= 1
                    m -= 1
                while n > 0 and m > 0 and hypothesis[a + n - 1] == reference[b + m - 1]:
                    n -= 1
                    m -= 1
                if n == 0 or m == 0:
                    out[r, 0] = n + m
                    continue
                words = (n + 63) // 64
                count = 0
                for k in range(n):
                    if known[hypothesis[a + k]] == 0:
                        count += 1
                        known[hypothesis[a + k]] = count
                    place = cython.cast(cython.longlong, known[hypothesis[a + k]]) * words + k // 64
                    equal[place] = cython.cast(cython.ulonglong, equal[place]) | (one << (k % 64))
                out[r, 0] = _distance(words, n, reference, b, b + m, known, equal, up, down)
                for k in range(n):
                    known[hypothesis[a + k]] = 0
                for k in range((count + 1) * words):
                    equal[k] = 0
