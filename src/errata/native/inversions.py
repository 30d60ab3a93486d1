"""Pairs of ranks in the wrong order, for Kendall's τ: a Fenwick tree, O(n log n)."""

import cython
import numpy as np


def count_inversions(ranks: cython.longlong[::1]) -> int:
    """The number of pairs in which the first rank is larger; ranks are from 0 to below their number."""
    # Node k of the tree counts the ranks from k - (k & -k) to k - 1.
    size: cython.longlong = ranks.shape[0] + 1
    tree: cython.longlong[::1] = np.zeros(size, dtype=np.int64)
    inversions: cython.longlong = 0
    k: cython.longlong
    with cython.nogil:
        for i in range(ranks.shape[0]):
            if ranks[i] < 0:
                raise IndexError("a negative rank")
            not_larger = 0
            k = ranks[i] + 1
            while k > 0:
                not_larger += tree[k]
                k -= k & -k
            inversions += i - not_larger
            k = ranks[i] + 1
            while k < size:
                tree[k] += 1
                k += k & -k
    return inversions
