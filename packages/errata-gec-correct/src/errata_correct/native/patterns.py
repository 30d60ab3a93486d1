"""Where the rules of a grammar match.

Tokens of one class meet the same conditions: a row of bits for every class says which ones. No condition
holds for class 0, which stands between sentences. A rule has an anchor, further conditions at fixed distances
from it, and parts to its left and right that may be missing or repeat.
"""

import cython
import numpy as np


@cython.final
@cython.cclass
class Rules:
    """The rules for native code.

    Rule r has the fixed conditions `fixed[offsets[r]:offsets[r + 1]]` (condition, distance). Its parts
    (condition, fewest and most tokens), the nearest first, are `parts[sides[2 * r]:sides[2 * r + 1]]` to the
    left and those up to `sides[2 * r + 2]` to the right. They begin at the distances `ends[r]`.
    """

    offsets: cython.longlong[::1]
    fixed: cython.int[:, ::1]
    sides: cython.longlong[::1]
    parts: cython.int[:, ::1]
    ends: cython.int[:, ::1]

    def __init__(self, offsets, fixed, sides, parts, ends):
        self.offsets, self.fixed = offsets, fixed
        self.sides, self.parts, self.ends = sides, parts, ends


@cython.final
@cython.cclass
class _Text:
    """Tokens by their classes, and the conditions that hold for each class."""

    rules: Rules
    classes: cython.int[::1]
    held: cython.uchar[:, ::1]

    def __init__(self, rules, classes, held):
        self.rules, self.classes, self.held = rules, classes, held

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    @cython.inline
    def holds(self, at: cython.longlong, condition: cython.longlong) -> cython.longlong:
        """Whether a condition holds for the token at a place, if there is one."""
        if at < 0 or at >= self.classes.shape[0]:
            return 0
        return (self.held[self.classes[at], condition >> 3] >> (condition & 7)) & 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def run(
        self, start: cython.longlong, step: cython.longlong, low: cython.longlong, high: cython.longlong
    ) -> cython.longlong:
        """Whether the parts `low:high` follow one another from a place on, in steps of 1 or -1."""
        taken: cython.longlong
        reached: cython.longlong = 1  # bit i: the parts so far may take i tokens
        parts: cython.int[:, ::1] = self.rules.parts
        for part in range(low, high):
            now = reached
            if parts[part, 1] > 0:
                reached = 0
            for _ in range(parts[part, 2]):
                following = 0
                taken = 0
                while (now >> taken) > 0:
                    if (now >> taken) & 1 and self.holds(start + step * taken, parts[part, 0]):
                        following |= cython.cast(cython.longlong, 1) << (taken + 1)
                    taken += 1
                now = following
                reached |= now
            if reached == 0:
                return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def matches(self, at: cython.longlong, rule: cython.longlong) -> cython.longlong:
        """Whether a rule matches with its anchor at a place, where the anchor's condition holds."""
        for i in range(self.rules.offsets[rule], self.rules.offsets[rule + 1]):
            if not self.holds(at + self.rules.fixed[i, 1], self.rules.fixed[i, 0]):
                return 0
        left = self.rules.sides[2 * rule]
        right = self.rules.sides[2 * rule + 1]
        end = self.rules.sides[2 * rule + 2]
        if not self.run(at + self.rules.ends[rule, 0], -1, left, right):
            return 0
        return self.run(at + self.rules.ends[rule, 1], 1, right, end)


def match(rules, classes, held, anchored):
    """The places of anchors and the rules that match there; row k of `anchored` has the rules of class k."""
    text: _Text = _Text(rules, classes, held)
    tokens: cython.int[::1] = classes
    offsets: cython.longlong[::1] = anchored.offsets
    numbers: cython.int[::1] = anchored.values
    hit_array = np.empty((64 + len(classes) // 8, 2), dtype=np.int32)
    hits: cython.int[:, ::1] = hit_array
    count: cython.longlong = 0
    with cython.nogil:
        for at in range(tokens.shape[0]):
            for k in range(offsets[tokens[at]], offsets[tokens[at] + 1]):
                if text.matches(at, numbers[k]):
                    if count == hits.shape[0]:
                        with cython.gil:
                            hit_array = np.concatenate([hit_array, np.empty_like(hit_array)])
                            hits = hit_array
                    hits[count, 0] = cython.cast(cython.int, at)
                    hits[count, 1] = numbers[k]
                    count += 1
    return hit_array[:count]
