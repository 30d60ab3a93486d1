"""Pairs of ranks that stand in the wrong order (a Fenwick tree, O(n log n)), and the best of some rows."""

import cython

from errata.kernels import _checks, _metric_checks


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


@_checks.checked(_metric_checks.best_rows)
def best_rows(
    keys: cython.double[:, ::1],
    values: cython.longlong[:, ::1],
    offsets: cython.longlong[::1],
    out: cython.longlong[::1],
    tied: cython.uchar[::1],
) -> None:
    """The best row of every segment, -1 where it has none; of equally good rows the first.

    Larger is better, by the first line of `keys` in which two rows differ. `tied` says whether another row is
    as good as the best and has other values. It is quick and keeps the GIL: two threads that took turns would
    take longer.
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
            while k < keys.shape[0] and keys[k, row] == keys[k, best]:
                k += 1
            if k == keys.shape[0]:
                for column in range(values.shape[1]):
                    if values[row, column] != values[best, column]:
                        tied[segment] = 1
            elif keys[k, row] > keys[k, best]:
                best = row
                tied[segment] = 0
        out[segment] = best
