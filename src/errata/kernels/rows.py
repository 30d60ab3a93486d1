"""Rows of numbers: which are equal, and what their columns add up to."""

import cython

from errata.kernels import _checks, _metric_checks

Number = cython.fused_type(cython.longlong, cython.double)
EXACT = cython.declare(cython.double, 9007199254740992.0)  # 2^53: below, sums of whole numbers are exact
BITS = cython.declare(cython.double, 1099511627776.0)  # 2^40
MOST = cython.declare(cython.longlong, 1 << 62)  # that a sum may be


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


@_checks.checked(_metric_checks.exact_sums)
def exact_sums(rows: Number[:, ::1], out: cython.longlong[:, ::1]) -> cython.longlong:
    """Add up the columns without rounding, and say how many lines of `out` that took; 0 where it has too few.

    The first line has the sums of whole numbers, each further one those of the next 40 bits of fractions. It
    is quick, so the GIL is kept.
    """
    used: cython.longlong = 1
    large: cython.longlong = 0  # no less than what is added
    line: cython.longlong
    for line in range(out.shape[0]):
        for k in range(rows.shape[1]):
            out[line, k] = 0
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            value = rows[i, k]
            if not -EXACT < value < EXACT:
                return 0
            number = cython.cast(cython.longlong, value)
            out[0, k] += number
            large |= abs(number)
            rest = cython.cast(cython.double, value - number)
            line = 0
            while rest != 0:
                line += 1
                if line == out.shape[0]:
                    return 0
                used = max(used, line + 1)
                rest *= BITS
                number = cython.cast(cython.longlong, rest)
                out[line, k] += number
                large |= abs(number)
                rest -= number
    return used if large < MOST // max(1, rows.shape[0]) else 0
