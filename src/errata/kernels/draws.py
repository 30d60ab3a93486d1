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
    return other ^ (number >> 1) ^ (MATRIX if number & 1 else 0)


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
    states[draw, SIZE] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _next(states: cython.uint[:, ::1], draw: cython.longlong) -> cython.uint:
    if states[draw, SIZE] >= 624:
        _renew(states, draw)
    number: cython.uint = states[draw, states[draw, SIZE]]
    states[draw, SIZE] += 1
    number ^= number >> 11
    number ^= (number << 7) & TEMPER
    number ^= (number << 15) & TEMPER_MORE
    return number ^ (number >> 18)


@_checks.checked(_metric_checks.reach)
def reach(
    states: cython.uint[:, ::1],
    places: cython.longlong,
    counts: cython.longlong[::1],
    levels: cython.longlong[::1],
    out: cython.uchar[:, ::1],
) -> None:
    """Draw a number from 0 to 1 for every place, and set the bits of those that reach a level.

    `number * counts[k] >= levels[k]` sets the bit of a place in the octets of level k, which follow each
    other: octets × draws, the first of eight places in the highest bit. Bits that are set stay so.
    """
    width: cython.longlong = (places + 7) // 8
    number: cython.double
    if not cython.compiled:
        generator = np.random.RandomState()
        for draw, state in enumerate(states):
            generator.set_state(("MT19937", state[:624], int(state[624])))
            numbers = generator.random_sample(places)
            _, state[:624], state[624], *_ = generator.get_state()
            for k in range(len(counts)):
                bits = np.packbits(numbers * counts[k] >= levels[k])
                out[k * width : (k + 1) * width, draw] |= bits
        return
    with cython.nogil:
        for draw in range(states.shape[0]):
            for place in range(places):
                high = _next(states, draw) >> 5
                low = _next(states, draw) >> 6
                number = (high * 67108864.0 + low) / 9007199254740992.0
                for k in range(counts.shape[0]):
                    if number * counts[k] >= levels[k]:
                        out[k * width + (place >> 3), draw] |= 0x80 >> (place & 7)
