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
