"""Pairs of ranks that stand in the wrong order, counted with a Fenwick tree in O(n log n)."""

import cython

from errata.kernels import _checks


@_checks.checked(_checks.inversions)
def inversions(values: cython.longlong[::1], tree: cython.longlong[::1]) -> cython.longlong:
    """How many values are followed by a smaller one, over all pairs.

    `tree` is scratch: a 0 for every number up to the largest value, and one more.
    """
    i: cython.longlong
    k: cython.longlong
    seen: cython.longlong
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
