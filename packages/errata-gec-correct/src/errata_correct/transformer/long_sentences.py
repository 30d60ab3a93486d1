"""Sentences that are too long for a Transformer, in parts that overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_AROUND = 24  # subwords of context on either side of a part, in whole words; one word before it may be longer


class Part(NamedTuple):
    """Words `start:end` of a sentence, of which changes that begin in `first:last` count."""

    start: int
    end: int
    first: int
    last: int


def parts(sizes: Sequence[int], room: int) -> Iterator[Part]:
    """Cut a sentence, given the number of subwords of each word, into parts of at most `room` subwords.

    The changes that count do not overlap and cover the sentence, except for words that are too long by
    themselves. Changes at the edges of a part do not count, since they lack their context.
    """
    sums = [0, *accumulate(sizes)]
    around = min(_AROUND, room // 4)
    first = 0
    while first < len(sizes):
        if sizes[first] > room:
            first += 1
            continue
        start = first
        while (
            start > 0
            and (start == first or sums[first] - sums[start - 1] <= around)
            and sums[first + 1] - sums[start - 1] <= room
        ):
            start -= 1
        end = first + 1
        while end < len(sizes) and sums[end + 1] - sums[start] <= room:
            end += 1
        last = end
        if end < len(sizes) and sizes[end] <= room:  # its last words are the context of those before them
            while last > first + 1 and sums[end] - sums[last - 1] <= around:
                last -= 1
        yield Part(start, end, first, last if last < len(sizes) else last + 1)
        first = last
