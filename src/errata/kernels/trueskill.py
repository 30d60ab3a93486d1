"""TrueSkill: the two-player update with draws, and whole runs of matches over a tally of judgments."""

import cython
from cython.cimports.libc.math import erfc, exp, sqrt

from errata.kernels import _checks, _metric_checks

# Draws come from xorshift64* (Vigna 2016). Its constants are arguments: C has no literal that wide here.
MULTIPLIER = 0x2545F4914F6CDD1D
MASK = 0xFFFFFFFFFFFFFFFF
AT_ONCE = 4  # runs that `play` plays at most


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
def _of_win(t: cython.double, e: cython.double) -> tuple[cython.double, cython.double]:
    """Herbrich et al. (2006): the moments of the difference, cut off at the draw margin."""
    x: cython.double = t - e
    below: cython.double = _below(x)
    if below > 1e-300:
        v = _density(x) / below
        return v, v * (v + x)
    return -x, 1.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _of_draw(t: cython.double, e: cython.double) -> tuple[cython.double, cython.double]:
    """The same for a draw."""
    a: cython.double = -e - t
    b: cython.double = e - t
    # Of the two ways to write it, the one that does not subtract two numbers close to 1.
    inside: cython.double = _below(b if t > 0 else -a) - _below(a if t > 0 else -b)
    if inside > 1e-300:
        at_a: cython.double = _density(a)
        at_b: cython.double = _density(b)
        v = (at_a - at_b) / inside
        return v, v * v + (b * at_b - a * at_a) / inside
    return a if t > 0 else b, 1.0  # a draw that was next to impossible: the limits


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
    c2: cython.double = 2.0 * beta * beta + variance[better] + variance[worse]
    c: cython.double = sqrt(c2)
    t: cython.double = (mu[better] - mu[worse]) / c
    if draw:
        v, w = _of_draw(t, margin / c)
    else:
        v, w = _of_win(t, margin / c)
    mu[better] += variance[better] / c * v
    mu[worse] -= variance[worse] / c * v
    variance[better] *= 1.0 - variance[better] / c2 * w
    variance[worse] *= 1.0 - variance[worse] / c2 * w


@_checks.checked(_metric_checks.match)
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _stepped(state: cython.ulonglong, mask: cython.ulonglong) -> cython.ulonglong:
    state ^= state >> 12
    state = (state ^ (state << 25)) & mask
    return state ^ (state >> 27)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _play(
    lanes: cython.Py_ssize_t,
    mu: cython.double[:, ::1],
    variance: cython.double[:, ::1],
    wins: cython.double[:, :, ::1],
    held: cython.double[:, :, ::1],
    totals: cython.double[:, :, ::1],
    met: cython.double[:, :, ::1],
    last: cython.longlong[:, ::1],
    matches: cython.longlong,
    beta: cython.double,
    margin: cython.double,
    states: cython.ulonglong[::1],
    multiplier: cython.ulonglong,
    mask: cython.ulonglong,
    scratch: cython.double[:, :, ::1],
) -> cython.void:
    """What `play` does; the compiler makes a version of its own for four runs."""
    n: cython.Py_ssize_t = mu.shape[1]
    apart: cython.Py_ssize_t = 0 if wins.shape[0] == 1 else 1
    b: cython.Py_ssize_t
    is_so: cython.Py_ssize_t  # 0 or 1: conditions that branches would seldom guess are numbers
    largest = cython.declare(cython.double[4])
    total = cython.declare(cython.double[4])
    better = cython.declare(cython.Py_ssize_t[4])
    worse = cython.declare(cython.Py_ssize_t[4])
    draws = cython.declare(cython.Py_ssize_t[5])  # runs whose match is drawn, and one place beyond
    others = cython.declare(cython.Py_ssize_t[5])
    t = cython.declare(cython.double[4])
    e = cython.declare(cython.double[4])
    c = cython.declare(cython.double[4])
    v = cython.declare(cython.double[4])
    w = cython.declare(cython.double[4])
    for k in range(lanes):
        for i in range(n):
            scratch[0, k, i] = exp(mu[k, i])
            scratch[1, k, i] = 1.0 / scratch[0, k, i]
    for played in range(matches):
        for k in range(lanes):
            largest[k] = 0.0
            better[k] = 0
            total[k] = 0.0
        for i in range(n):
            for k in range(lanes):
                x = variance[i, k]
                is_so = 1 if x > largest[k] else 0
                better[k] ^= (better[k] ^ i) & -is_so
                largest[k] = x if x > largest[k] else largest[k]
        for k in range(lanes):
            a = better[k]
            up = scratch[0, k, a]
            down = scratch[1, k, a]
            for i in range(n):
                x = up * scratch[1, k, i]
                y = down * scratch[0, k, i]
                scratch[2, k, i] = (x if x < y else y) * met[k * apart, a, i]
        for i in range(n):
            for k in range(lanes):
                total[k] += scratch[2, k, i]
                scratch[2, k, i] = total[k]
        drawn = 0
        decided = 0
        for k in range(lanes):
            a = better[k]
            state = _stepped(cython.cast(cython.ulonglong, states[k]), mask)
            x = (((state * multiplier) & mask) >> 11) * 1.1102230246251565e-16 * total[k]
            b = 0
            for i in range(n):
                b += 1 if scratch[2, k, i] <= x else 0
            b = min(b, last[k * apart, a])
            state = _stepped(state, mask)
            states[k] = state
            x = (((state * multiplier) & mask) >> 11) * 1.1102230246251565e-16 * totals[k * apart, a, b]
            is_so = 1 if x < held[k * apart, a, b] else 0
            better[k] = b ^ ((a ^ b) & -is_so)
            worse[k] = a ^ b ^ better[k]
            is_so &= 1 if x >= wins[k * apart, a, b] else 0
            draws[drawn] = k
            drawn += is_so
            others[decided] = k
            decided += 1 - is_so
        for k in range(lanes):
            a = better[k]
            b = worse[k]
            c[k] = sqrt(2.0 * beta * beta + variance[a, k] + variance[b, k])
            t[k] = (mu[k, a] - mu[k, b]) / c[k]
            e[k] = margin / c[k]
        for i in range(drawn):
            k = draws[i]
            v[k], w[k] = _of_draw(t[k], e[k])
        for i in range(decided):
            k = others[i]
            v[k], w[k] = _of_win(t[k], e[k])
        for k in range(lanes):
            if largest[k] > 0.0:  # else nobody plays
                a = better[k]
                b = worse[k]
                x = variance[a, k]
                y = variance[b, k]
                c2 = 2.0 * beta * beta + x + y
                mu[k, a] += x / c[k] * v[k]
                mu[k, b] -= y / c[k] * v[k]
                variance[a, k] = x * (1.0 - x / c2 * w[k])
                variance[b, k] = y * (1.0 - y / c2 * w[k])
                up = exp(mu[k, a])
                down = exp(mu[k, b])
                scratch[0, k, a] = up
                scratch[0, k, b] = down
                scratch[1, k, a] = 1.0 / up
                scratch[1, k, b] = 1.0 / down


@_checks.checked(_metric_checks.play)
def play(
    mu: cython.double[:, ::1],
    variance: cython.double[:, ::1],
    wins: cython.double[:, :, ::1],
    held: cython.double[:, :, ::1],
    totals: cython.double[:, :, ::1],
    met: cython.double[:, :, ::1],
    last: cython.longlong[:, ::1],
    matches: cython.longlong,
    beta: cython.double,
    margin: cython.double,
    states: cython.ulonglong[::1],
    multiplier: cython.ulonglong,
    mask: cython.ulonglong,
    scratch: cython.double[:, :, ::1],
):
    """Up to four runs by the WMT protocol, a step of each at a time: none waits for a result of its own.

    The system of largest variance meets one drawn by exp(−|Δμ|); the outcome is drawn from the stored
    judgments of the two. exp(−|a − b|) = min(eᵃ·e⁻ᵇ, eᵇ·e⁻ᵃ): two exponentials a match, not one a system.

    `mu` has a row for each run, `variance` a row for each system, 0 where it has no judgments. The tables
    (one for all runs or one for each) say how often a system won, won or drew, and met another; `met` is 1
    where there are judgments of two systems and `last` the last opponent. Memory: `scratch`, three rows of as
    many doubles as systems for each run.
    """
    with cython.nogil:
        if mu.shape[0] == 4:
            _play(
                4, mu, variance, wins, held, totals, met, last, matches, beta, margin, states,
                multiplier, mask, scratch,
            )  # fmt: skip
        else:
            _play(
                mu.shape[0], mu, variance, wins, held, totals, met, last, matches, beta, margin, states,
                multiplier, mask, scratch,
            )  # fmt: skip


@_checks.checked(_metric_checks.replay)
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
