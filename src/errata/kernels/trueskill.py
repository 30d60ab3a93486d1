"""TrueSkill: the two-player update with draws, and whole runs of matches over a tally of judgments."""

import cython
from cython.cimports.libc.math import erfc, exp, sqrt

from errata.kernels import _checks

# Draws come from xorshift64* (Vigna 2016). Its constants are arguments: C has no literal that wide here.
MULTIPLIER = 0x2545F4914F6CDD1D
MASK = 0xFFFFFFFFFFFFFFFF


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _density(x: cython.double) -> cython.double:
    return exp(-0.5 * x * x) * 0.3989422804014327


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _below(x: cython.double) -> cython.double:
    return 0.5 * erfc(-x * 0.7071067811865476)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _match(
    mu: cython.double[::1],
    variance: cython.double[::1],
    better: cython.Py_ssize_t,
    worse: cython.Py_ssize_t,
    draw: cython.bint,
    beta: cython.double,
    margin: cython.double,
) -> cython.void:
    """Herbrich et al. (2006): the moments of the difference, cut off at the draw margin."""
    c2: cython.double = 2.0 * beta * beta + variance[better] + variance[worse]
    c: cython.double = sqrt(c2)
    t: cython.double = (mu[better] - mu[worse]) / c
    e: cython.double = margin / c
    v: cython.double
    w: cython.double
    if draw:
        a: cython.double = -e - t
        b: cython.double = e - t
        # Of the two ways to write it, the one that does not subtract two numbers close to 1.
        inside: cython.double = _below(b) - _below(a) if t > 0 else _below(-a) - _below(-b)
        if inside > 1e-300:
            v = (_density(a) - _density(b)) / inside
            w = v * v + (b * _density(b) - a * _density(a)) / inside
        else:  # a draw that was next to impossible: the limits
            v = a if t > 0 else b
            w = 1.0
    else:
        x: cython.double = t - e
        below: cython.double = _below(x)
        if below > 1e-300:
            v = _density(x) / below
            w = v * (v + x)
        else:
            v = -x
            w = 1.0
    mu[better] += variance[better] / c * v
    mu[worse] -= variance[worse] / c * v
    variance[better] *= 1.0 - variance[better] / c2 * w
    variance[worse] *= 1.0 - variance[worse] / c2 * w


@_checks.checked(_checks.match)
def match(
    mu: cython.double[::1],
    variance: cython.double[::1],
    better: cython.Py_ssize_t,
    worse: cython.Py_ssize_t,
    draw: cython.bint,
    beta: cython.double,
    margin: cython.double,
):
    """Play one match; `mu` and `variance` are changed."""
    _match(mu, variance, better, worse, draw, beta, margin)


@_checks.checked(_checks.play)
def play(
    mu: cython.double[::1],
    variance: cython.double[::1],
    wins: cython.double[:, ::1],
    totals: cython.double[:, ::1],
    ties: cython.double[:, ::1],
    matches: cython.longlong,
    beta: cython.double,
    margin: cython.double,
    seed: cython.ulonglong,
    multiplier: cython.ulonglong,
    mask: cython.ulonglong,
    scratch: cython.double[:, ::1],
):
    """One run by the WMT protocol. Memory: `scratch`, three rows of as many doubles as systems.

    The system of largest variance meets one drawn by exp(−|Δμ|); the outcome is drawn from the stored
    judgments of the two. exp(−|a − b|) = min(eᵃ·e⁻ᵇ, eᵇ·e⁻ᵃ): two exponentials a match, not one a system.
    """
    n: cython.Py_ssize_t = mu.shape[0]
    state: cython.ulonglong = seed
    played: cython.longlong
    i: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    last: cython.Py_ssize_t
    largest: cython.double
    total: cython.double
    up: cython.double
    down: cython.double
    x: cython.double
    with cython.nogil:
        for i in range(n):
            scratch[0, i] = exp(mu[i])
            scratch[1, i] = 1.0 / scratch[0, i]
        for played in range(matches):
            a = -1
            largest = -1.0
            for i in range(n):
                if totals[i, i] > 0 and variance[i] > largest:  # the diagonal: judgments of i at all
                    largest = variance[i]
                    a = i
            if a < 0:
                break
            total = 0.0
            last = a
            for i in range(n):
                if totals[a, i] > 0 and i != a:
                    last = i
                    up = scratch[0, a] * scratch[1, i]
                    down = scratch[1, a] * scratch[0, i]
                    total += up if up < down else down
                scratch[2, i] = total
            state ^= state >> 12
            state = (state ^ (state << 25)) & mask
            state ^= state >> 27
            x = (((state * multiplier) & mask) >> 11) * 1.1102230246251565e-16 * total
            b = 0
            while b < last and scratch[2, b] <= x:
                b += 1
            state ^= state >> 12
            state = (state ^ (state << 25)) & mask
            state ^= state >> 27
            x = (((state * multiplier) & mask) >> 11) * 1.1102230246251565e-16 * totals[a, b]
            if x < wins[a, b]:
                _match(mu, variance, a, b, False, beta, margin)
            elif x < wins[a, b] + ties[a, b]:
                _match(mu, variance, a, b, True, beta, margin)
            else:
                _match(mu, variance, b, a, False, beta, margin)
            scratch[0, a] = exp(mu[a])
            scratch[1, a] = 1.0 / scratch[0, a]
            scratch[0, b] = exp(mu[b])
            scratch[1, b] = 1.0 / scratch[0, b]


@_checks.checked(_checks.replay)
def replay(
    mu: cython.double[::1],
    variance: cython.double[::1],
    left: cython.longlong[::1],
    right: cython.longlong[::1],
    outcome: cython.longlong[::1],
    order: cython.longlong[::1],
    beta: cython.double,
    margin: cython.double,
):
    """Play the stored judgments named in `order`, one after the other."""
    i: cython.Py_ssize_t
    k: cython.longlong
    with cython.nogil:
        for i in range(order.shape[0]):
            k = order[i]
            if outcome[k] < 0:
                _match(mu, variance, right[k], left[k], False, beta, margin)
            else:
                _match(mu, variance, left[k], right[k], outcome[k] == 0, beta, margin)
