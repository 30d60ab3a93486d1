"""Pairs of ranks that stand in the wrong order (a Fenwick tree, O(n log n)), and the best of some rows."""

import cython

from errata.kernels import _checks, _metric_checks

LEAST = cython.declare(cython.double, float("-inf"))


@_checks.checked(_metric_checks.inversions)
def inversions(values: cython.longlong[::1], tree: cython.longlong[::1]) -> cython.longlong:
    """How many values are followed by a smaller one, over all pairs.

    `tree` is scratch: a 0 for every number up to the largest value, and one more.
    """
    found: cython.longlong = 0
    size: cython.longlong = tree.shape[0]
    with cython.nogil:
        for i in range(values.shape[0]):
            seen = 0  # values before this one that are not larger
            k = values[i] + 1
            while k > 0:
                seen += tree[k]
                k -= k & -k
            found += i - seen
            k = values[i] + 1
            while k < size:
                tree[k] += 1
                k += k & -k
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _number(key: cython.double) -> cython.double:
    """The key, or less than any other where it is not a number."""
    return key if key == key else LEAST


@_checks.checked(_metric_checks.best_rows)
def best_rows(
    values: cython.longlong[:, ::1],
    keys: cython.double[:, ::1],
    offsets: cython.longlong[::1],
    out: cython.longlong[::1],
    tied: cython.uchar[::1],
) -> None:
    """The best row of every segment, -1 where it has none; of equally good rows the first.

    Larger is better, by the first line of `keys` in which two rows differ; what is not a number is the worst.
    `tied` says whether another row, with other `values`, is as good as the best. It is quick and keeps the
    GIL: two threads that took turns would take longer.
    """
    best: cython.longlong
    k: cython.longlong
    for segment in range(offsets.shape[0] - 1):
        best = -1
        tied[segment] = 0
        for row in range(offsets[segment], offsets[segment + 1]):
            if best < 0:
                best = row
                continue
            k = 0
            while k < keys.shape[0] and _number(keys[k, row]) == _number(keys[k, best]):
                k += 1
            if k == keys.shape[0]:
                for c in range(values.shape[1]):
                    tied[segment] |= values[row, c] != values[best, c]
            elif _number(keys[k, row]) > _number(keys[k, best]):
                best = row
                tied[segment] = 0
        out[segment] = best
