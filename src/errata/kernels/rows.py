"""Rows of numbers: which texts are equal, and what whole numbers add up to."""

import cython

from errata.kernels import _checks, _metric_checks

EXACT = cython.declare(cython.double, 9007199254740992.0)  # 2^53: below, sums of whole numbers are exact


@_checks.checked(_metric_checks.equal_texts)
def equal_texts(
    hypothesis: cython.int[::1],
    hypothesis_offsets: cython.longlong[::1],
    reference: cython.int[::1],
    reference_offsets: cython.longlong[::1],
    rows: cython.longlong[::1],
    out: cython.uchar[::1],
) -> None:
    """Whether each hypothesis equals one of its references: 1 or 0.

    The references of segment i are the rows `rows[i]:rows[i + 1]`.
    """
    k: cython.longlong
    with cython.nogil:
        for i in range(rows.shape[0] - 1):
            a = hypothesis_offsets[i]
            size = hypothesis_offsets[i + 1] - a
            out[i] = 0
            for r in range(rows[i], rows[i + 1]):
                b = reference_offsets[r]
                if reference_offsets[r + 1] - b == size:
                    k = 0
                    while k < size and hypothesis[a + k] == reference[b + k]:
                        k += 1
                    if k == size:
                        out[i] = 1
                        break


@_checks.checked(_metric_checks.whole_sums)
def whole_sums(rows: cython.double[:, ::1], out: cython.longlong[::1]) -> cython.bint:
    """Add up the columns, and say whether that is exact: whether all are whole numbers and not too large.

    It is quick, so the GIL is kept.
    """
    size: cython.double = 0
    exact: cython.bint = True
    for k in range(rows.shape[1]):
        out[k] = 0
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            value = rows[i, k]
            if not -EXACT < value < EXACT:
                exact = False
                break
            number = cython.cast(cython.longlong, value)
            if number != value:
                exact = False
                break
            size += abs(value)
            out[k] += number
        if not exact or size >= EXACT:
            exact = False
            break
    return exact
