"""Where the rules of a grammar match, for tokens that are known by the conditions which hold for them.

Tokens of one class meet the same conditions: `held` has a bit for every condition in a row for every class.
No condition holds for class 0, which stands between sentences. A rule has an anchor, further conditions at
fixed distances from it, and parts to its left and right of which some may be missing or repeat.
"""

import cython


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
@cython.inline
def _holds(
    at: cython.longlong,
    condition: cython.longlong,
    classes: cython.int[::1],
    held: cython.uchar[:, ::1],
) -> cython.longlong:
    """Whether a condition holds for the token at a place, if there is one."""
    if at < 0 or at >= classes.shape[0]:
        return 0
    return (held[classes[at], condition >> 3] >> (condition & 7)) & 1


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _run(
    start: cython.longlong,
    step: cython.longlong,
    low: cython.longlong,
    high: cython.longlong,
    parts: cython.int[:, ::1],
    classes: cython.int[::1],
    held: cython.uchar[:, ::1],
) -> cython.longlong:
    """Whether the parts `low:high` stand one behind the other from a place on, in steps of 1 or -1."""
    count: cython.longlong
    taken: cython.longlong
    reached: cython.longlong = 1  # bit i: what was looked at so far may take i tokens
    for part in range(low, high):
        now = reached
        if parts[part, 1] > 0:
            reached = 0
        for count in range(parts[part, 2]):
            following = 0
            taken = 0
            while (now >> taken) > 0:
                if (now >> taken) & 1 and _holds(start + step * taken, parts[part, 0], classes, held):
                    following |= cython.cast(cython.longlong, 1) << (taken + 1)
                taken += 1
            now = following
            reached |= now
        if reached == 0:
            return 0
    return 1


def match(
    classes: cython.int[::1],
    held: cython.uchar[:, ::1],
    anchored: cython.longlong[::1],
    anchored_rules: cython.int[::1],
    fixed: cython.longlong[::1],
    conditions: cython.int[:, ::1],
    flexible: cython.longlong[::1],
    parts: cython.int[:, ::1],
    ends: cython.int[:, ::1],
    start: cython.longlong,
    stop: cython.longlong,
    found: cython.int[:, ::1],
) -> cython.longlong:
    """Put the places of anchors in `start:stop` and their rules into `found`, and give their number.

    Those that find no room are counted, too. The anchor of the rules
    `anchored_rules[anchored[k]:anchored[k + 1]]` may be a token of class k. The rule r has the fixed
    conditions `fixed[r]:fixed[r + 1]` (condition, distance); the parts `flexible[2 * r]:flexible[2 * r + 1]`
    to the left and those up to `flexible[2 * r + 2]` to the right (condition, least and most tokens), the
    nearest first. They begin at the distances `ends[r]`.
    """
    rule: cython.longlong
    count: cython.longlong = 0
    with cython.nogil:
        for at in range(start, stop):
            for k in range(anchored[classes[at]], anchored[classes[at] + 1]):
                rule = anchored_rules[k]
                fits = True
                for i in range(fixed[rule], fixed[rule + 1]):
                    if not _holds(at + conditions[i, 1], conditions[i, 0], classes, held):
                        fits = False
                        break
                middle = flexible[2 * rule + 1]  # where the parts to the right begin
                if (
                    fits
                    and _run(at + ends[rule, 0], -1, flexible[2 * rule], middle, parts, classes, held)
                    and _run(at + ends[rule, 1], 1, middle, flexible[2 * rule + 2], parts, classes, held)
                ):
                    if count < found.shape[0]:
                        found[count, 0] = at
                        found[count, 1] = rule
                    count += 1
    return count
