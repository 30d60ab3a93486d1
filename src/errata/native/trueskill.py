"""TrueSkill: the two-player update with draws, and whole runs of matches over a tally of judgments."""

import cython
import numpy as np
from cython.cimports.libc.math import erfc, exp, sqrt

# Random numbers come from xorshift64* (Vigna 2016).
MULTIPLIER = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)
MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # keeps uncompiled code within 64 bits


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=True)
@cython.inline
def _density(x: cython.double) -> cython.double:
    return exp(-0.5 * x * x) * 0.3989422804014327


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=True)
@cython.inline
def _below(x: cython.double) -> cython.double:
    return 0.5 * erfc(-x * 0.7071067811865476)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _match(
    mu: cython.double[::1],
    variance: cython.double[::1],
    better: cython.longlong,
    worse: cython.longlong,
    draw: cython.bint,
    beta: cython.double,
    margin: cython.double,
) -> cython.int:
    """Update two systems after a match: v and w are the factors of Herbrich et al. (2006)."""
    c2: cython.double = 2.0 * beta * beta + variance[better] + variance[worse]
    c: cython.double = sqrt(c2)
    t: cython.double = (mu[better] - mu[worse]) / c
    e: cython.double = margin / c
    a: cython.double
    b: cython.double
    inside: cython.double
    v: cython.double
    w: cython.double = 1.0  # the limit for an outcome that was next to impossible
    if draw:
        a = -e - t
        b = e - t
        # Of the two ways to write it, the one that does not subtract two numbers close to 1.
        inside = _below(b if t > 0 else -a) - _below(a if t > 0 else -b)
        v = a if t > 0 else b
        if inside > 1e-300:
            at_a = _density(a)
            at_b = _density(b)
            v = (at_a - at_b) / inside
            w = v * v + (b * at_b - a * at_a) / inside
    else:
        a = t - e
        inside = _below(a)
        v = -a
        if inside > 1e-300:
            v = _density(a) / inside
            w = v * (v + a)
    mu[better] += variance[better] / c * v
    mu[worse] -= variance[worse] / c * v
    variance[better] *= 1.0 - variance[better] / c2 * w
    variance[worse] *= 1.0 - variance[worse] / c2 * w
    return 0


def match(
    mu: cython.double[::1],
    variance: cython.double[::1],
    better: cython.longlong,
    worse: cython.longlong,
    draw: cython.bint,
    beta: cython.double,
    margin: cython.double,
):
    """Play one match; `mu` and `variance` are changed."""
    _match(mu, variance, better, worse, draw, beta, margin)


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
    with cython.nogil:
        for i in range(order.shape[0]):
            k = order[i]
            if outcome[k] < 0:
                _match(mu, variance, right[k], left[k], False, beta, margin)
            else:
                _match(mu, variance, left[k], right[k], outcome[k] == 0, beta, margin)


@cython.cfunc
@cython.nogil
@cython.exceptval(0, check=True)
@cython.inline
def _next(state: cython.ulonglong) -> cython.ulonglong:
    """The next state of xorshift, which is never 0."""
    state ^= state >> 12
    state = (state ^ (state << 25)) & MASK
    return state ^ (state >> 27)


def play(
    wins: cython.double[:, ::1],
    ties: cython.double[:, ::1],
    matches: cython.longlong,
    sigma: cython.double,
    beta: cython.double,
    margin: cython.double,
    state: cython.ulonglong,
):
    """μ of every system after a run by the WMT protocol. `state` is the seed, which is not 0.

    The system of largest variance meets one drawn by exp(−|Δμ|); the outcome is drawn from the stored
    judgments of the two. exp(−|a − b|) = min(eᵃ·e⁻ᵇ, eᵇ·e⁻ᵃ): two exponentials a match, not one per system.
    """
    n: cython.longlong = wins.shape[0]
    won, tied = np.asarray(wins), np.asarray(ties)
    judged = won + won.T + tied
    has_met = judged > 0
    mu_array = np.zeros(n)
    mu: cython.double[::1] = mu_array
    variance: cython.double[::1] = np.where(has_met.any(axis=1), sigma * sigma, 0.0)
    held: cython.double[:, ::1] = won + tied
    totals: cython.double[:, ::1] = judged
    met: cython.double[:, ::1] = has_met.astype(np.float64)
    last: cython.longlong[::1] = n - 1 - np.argmax(has_met[:, ::-1], axis=1)
    up: cython.double[::1] = np.ones(n)  # exp(μ), and its inverse
    down: cython.double[::1] = np.ones(n)
    cumulated: cython.double[::1] = np.zeros(n)
    total: cython.double
    x: cython.double
    a: cython.longlong
    b: cython.longlong
    with cython.nogil:
        for _ in range(matches):
            a = 0
            for i in range(n):
                if variance[i] > variance[a]:
                    a = i
            if variance[a] <= 0.0:  # there are no judgments
                break
            total = 0.0
            for i in range(n):
                total += min(up[a] * down[i], down[a] * up[i]) * met[a, i]
                cumulated[i] = total
            state = _next(state)
            x = (((state * MULTIPLIER) & MASK) >> 11) * 1.1102230246251565e-16 * total
            b = 0
            while b < last[a] and cumulated[b] <= x:
                b += 1
            state = _next(state)
            x = (((state * MULTIPLIER) & MASK) >> 11) * 1.1102230246251565e-16 * totals[a, b]
            if x < held[a, b]:
                _match(mu, variance, a, b, x >= wins[a, b], beta, margin)
            else:
                _match(mu, variance, b, a, False, beta, margin)
            up[a] = exp(mu[a])
            down[a] = 1.0 / up[a]
            up[b] = exp(mu[b])
            down[b] = 1.0 / up[b]
    return mu_array
