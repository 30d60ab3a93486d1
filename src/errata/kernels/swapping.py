"""Sums over the segments that two systems exchange, for many permutations at once."""

import cython

from errata.kernels import _checks, _metric_checks


@_checks.checked(_metric_checks.moved_sums)
def moved_sums(
    octets: cython.uchar[:, ::1],  # octets × samples: of eight segments the first has the highest bit
    moved: cython.longlong[::1],  # what each segment adds where it is exchanged
    left_out: cython.longlong[::1],  # segments that are added to no sum; a new sum begins behind each
    table: cython.longlong[::1],  # room for 256
    sums: cython.longlong[:, ::1],  # (1 + left out) × samples, written
) -> None:
    """Per sample, the sums before, between and behind the segments that are left out.

    Eight segments have 256 sums: they are put into a table, in which every sample looks up its own.
    """
    samples: cython.longlong = octets.shape[1]
    runs: cython.longlong = left_out.shape[0]
    run: cython.longlong = 0
    entries: cython.longlong
    with cython.nogil:
        for entry in range(runs + 1):
            for sample in range(samples):
                sums[entry, sample] = 0
        for octet in range(octets.shape[0]):
            begin = 8 * octet
            end = min(begin + 8, moved.shape[0])
            while begin < end:
                stop = end
                if run < runs and left_out[run] < end:
                    stop = left_out[run]
                entries = 1
                table[0] = 0
                for bit in range(stop - begin):
                    for entry in range(entries):
                        table[entries + entry] = table[entry] + moved[stop - 1 - bit]
                    entries *= 2
                if entries > 1:
                    shift = cython.cast(cython.int, 8 * octet + 8 - stop)
                    mask = cython.cast(cython.int, entries - 1)
                    for sample in range(samples):
                        sums[run, sample] += table[(octets[octet, sample] >> shift) & mask]
                begin = stop
                if stop < end:  # at a segment that is left out
                    run += 1
                    begin += 1
