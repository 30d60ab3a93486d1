"""Random numbers as Python draws them (MT19937), for many generators at once.

A generator is a row of 625 numbers: the state, and how many of its numbers have been used.
"""

import cython
import numpy as np

from errata.kernels import _checks, _metric_checks

SIZE = cython.declare(cython.int, 624)
SHIFT = cython.declare(cython.int, 397)
UPPER = cython.declare(cython.uint, 0x80000000)
LOWER = cython.declare(cython.uint, 0x7FFFFFFF)
MATRIX = cython.declare(cython.uint, 0x9908B0DF)
TEMPER = cython.declare(cython.uint, 0x9D2C5680)
TEMPER_MORE = cython.declare(cython.uint, 0xEFC60000)


@_checks.checked(_metric_checks.seed)
def seed(seeds: cython.uint[::1], states: cython.uint[:, ::1]) -> None:
    """Begin each generator as `random.seed` does with a number below 2^32."""
    if not cython.compiled:  # it would take a hundred times as long as NumPy's own
        for draw, number in enumerate(seeds):
            states[draw, :624] = np.random.RandomState([number]).get_state()[1]
            states[draw, 624] = 624
        return
    number: cython.uint
    first = cython.declare(cython.uint[624])
    i: cython.int
    k: cython.int
    with cython.nogil:
        first[0] = 19650218
        for i in range(1, SIZE):
            number = first[i - 1]
            first[i] = 1812433253 * (number ^ (number >> 30)) + i
        for draw in range(seeds.shape[0]):
            for i in range(SIZE):
                states[draw, i] = first[i]
            i = 1
            for _ in range(SIZE):
                number = states[draw, i - 1]
                states[draw, i] = (states[draw, i] ^ ((number ^ (number >> 30)) * 1664525)) + seeds[draw]
                i += 1
                if i == SIZE:
                    states[draw, 0] = states[draw, SIZE - 1]
                    i = 1
            for k in range(SIZE - 1):
                number = states[draw, i - 1]
                states[draw, i] = (states[draw, i] ^ ((number ^ (number >> 30)) * 1566083941)) - i
                i += 1
                if i == SIZE:
                    states[draw, 0] = states[draw, SIZE - 1]
                    i = 1
            states[draw, 0] = UPPER
            states[draw, SIZE] = SIZE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _turn(one: cython.uint, next_one: cython.uint, other: cython.uint) -> cython.uint:
    number: cython.uint = (one & UPPER) | (next_one & LOWER)
    return other ^ (number >> 1) ^ (MATRIX & (0 - (number & 1)))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _renew(states: cython.uint[:, ::1], draw: cython.longlong) -> cython.void:
    """The next 624 numbers."""
    i: cython.int
    for i in range(SIZE - SHIFT):
        states[draw, i] = _turn(states[draw, i], states[draw, i + 1], states[draw, i + SHIFT])
    for i in range(SIZE - SHIFT, SIZE - 1):
        states[draw, i] = _turn(states[draw, i], states[draw, i + 1], states[draw, i + SHIFT - SIZE])
    states[draw, SIZE - 1] = _turn(states[draw, SIZE - 1], states[draw, 0], states[draw, SHIFT - 1])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _temper(states: cython.uint[:, ::1], draw: cython.longlong, fresh: cython.uint[::1]) -> cython.void:
    """The numbers of a state as they are drawn."""
    i: cython.int
    number: cython.uint
    for i in range(SIZE):
        number = states[draw, i]
        number ^= number >> 11
        number ^= (number << 7) & TEMPER
        number ^= (number << 15) & TEMPER_MORE
        fresh[i] = number ^ (number >> 18)


@_checks.checked(_metric_checks.reach)
def reach(
    states: cython.uint[:, ::1],
    places: cython.longlong,
    least: cython.longlong[::1],
    first: cython.longlong,
    out: cython.uchar[:, ::1],
) -> None:
    """Draw a number of 53 bits for every place, and set the bits of those that reach a level.

    A number of at least `least[k]` sets the bit of a place in the octets of level k, which follow each other:
    octets × draws, the first of eight places in the highest bit. The first state is that of draw `first`.
    """
    width: cython.longlong = (places + 7) // 8
    if not cython.compiled:
        generator = np.random.RandomState()
        for draw, state in enumerate(states, first):
            generator.set_state(("MT19937", state[:624], int(state[624])))
            numbers = (generator.random_sample(places) * (1 << 53)).astype(np.int64)
            _, state[:624], state[624], *_ = generator.get_state()
            for k in range(len(least)):
                out[k * width : (k + 1) * width, draw] = np.packbits(numbers >= least[k])
        return
    fresh: cython.uint[::1] = np.empty(624, dtype=np.uint32)
    drawn = cython.declare(cython.longlong[8])
    used: cython.uint
    bits: cython.int
    i: cython.int
    some: cython.int
    with cython.nogil:
        for draw in range(states.shape[0]):
            used = states[draw, SIZE]
            _temper(states, draw, fresh)
            for octet in range(width):
                some = cython.cast(cython.int, min(8, places - 8 * octet))
                for i in range(some):
                    if used >= 624:
                        _renew(states, draw)
                        _temper(states, draw, fresh)
                        used = 0
                    drawn[i] = (cython.cast(cython.longlong, fresh[used] >> 5) << 26) + (fresh[used + 1] >> 6)
                    used += 2
                for k in range(least.shape[0]):
                    bits = 0
                    for i in range(some):
                        bits = 2 * bits + (drawn[i] >= least[k])
                    out[k * width + octet, first + draw] = cython.cast(cython.uchar, bits << (8 - some))
            states[draw, SIZE] = used


@_checks.checked(_metric_checks.add_chosen)
def add_chosen(
    values: cython.longlong[:, ::1],
    offsets: cython.longlong[::1],
    layout: cython.longlong[::1],
    counts: cython.longlong[::1],
    levels: cython.longlong[::1],
    octets: cython.uchar[:, ::1],
    sums: cython.longlong[:, ::1],
) -> None:
    """Add to `sums` (draws × columns) the rows that each draw chooses of the segments at all places.

    `layout` has the segment at each place, and `octets` tell whether a draw reaches level `levels[k]` there,
    as `reach` writes them; segments with `counts[k]` rows have that level. A draw chooses as many rows behind
    the first as it reaches levels. What a level adds to the row before is one number for several columns,
    without those that are the same in all rows. Eight places have 256 sums: they are put into a table, in
    which every draw looks up its own.
    """
    width: cython.longlong = octets.shape[0] // max(1, counts.shape[0])
    if not cython.compiled:
        for place, segment in enumerate(layout):
            rows = np.full(len(sums), offsets[segment])
            for k in np.flatnonzero(counts == offsets[segment + 1] - offsets[segment]):
                rows += (octets[k * width + place // 8] >> (7 - place % 8)) & 1
            sums += values[rows]
        return
    table = cython.declare(cython.longlong[256])
    totals: cython.longlong[::1] = np.empty(sums.shape[0], dtype=np.int64)
    firsts: cython.longlong[::1] = np.zeros(values.shape[1], dtype=np.int64)
    differ: cython.longlong[::1] = np.zeros(values.shape[1], dtype=np.int64)
    largest: cython.longlong = 0
    columns: cython.longlong = 0
    moved: cython.longlong
    entries: cython.longlong
    bits: cython.int = 1  # one for the sign
    per: cython.int
    first: cython.longlong = 0
    with cython.nogil:
        for place in range(layout.shape[0]):
            segment = layout[place]
            for c in range(values.shape[1]):
                firsts[c] += values[offsets[segment], c]
            for row in range(offsets[segment] + 1, offsets[segment + 1]):
                for c in range(values.shape[1]):
                    differ[c] |= values[row, c] ^ values[row - 1, c]
                    largest = max(largest, values[row, c], values[row - 1, c])
        for c in range(values.shape[1]):
            for draw in range(sums.shape[0]):
                sums[draw, c] += firsts[c]
            if differ[c] != 0:
                differ[columns] = c
                columns += 1
        while bits < 64 and (largest * layout.shape[0]) >> (bits - 1):
            bits += 1
        per = 64 // bits
        bits = min(63, 64 // per)  # a shift by 64 is undefined
        while first < columns:
            last = min(first + per, columns)
            for draw in range(sums.shape[0]):
                totals[draw] = 0
            for octet in range(width):
                for k in range(counts.shape[0]):
                    entries = 1
                    table[0] = 0
                    for bit in range(8):
                        place = 8 * octet + 7 - bit
                        moved = 0
                        if place < layout.shape[0]:
                            row = offsets[layout[place]]
                            if offsets[layout[place] + 1] - row == counts[k]:
                                row += levels[k]
                                for c in range(last - 1, first - 1, -1):
                                    at = differ[c]
                                    moved = (moved << bits) + values[row, at] - values[row - 1, at]
                        for entry in range(entries):
                            table[entries + entry] = table[entry] + moved
                        entries *= 2
                    for draw in range(sums.shape[0]):
                        totals[draw] += table[octets[k * width + octet, draw]]
            for draw in range(sums.shape[0]):
                for c in range(first, last):
                    moved = totals[draw] << (64 - bits) >> (64 - bits)  # with its sign
                    sums[draw, differ[c]] += moved
                    totals[draw] = (totals[draw] - moved) >> bits
            first = last
