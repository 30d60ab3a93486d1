"""The I-measure beyond the limits: two alignments with the source in place of one of all three texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Cut, Integers
from errata.native.ragged import Ragged

Marks = npt.NDArray[np.uint8]
BY_MEMORY = 1  # in marks of rows; 2 is the limit of work
STAR = "hypothesis and reference aligned with the source, each by itself"


def star_columns(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> list[int]:
    """The columns (bits: 1 source, 2 hypothesis, 4 reference have a token), from left to right."""
    return [
        (x is not None) + 2 * (y is not None) + 4 * (z is not None)
        for x, y, z in _star(source, hypothesis, reference)
    ]


def star_counts(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> list[int]:
    """tp, tn, fp, fn and fpn of these columns."""
    tp = tn = fp = fn = fpn = 0
    for x, y, z in _star(source, hypothesis, reference):
        if x == y:
            tn += y == z
            fn += y != z
        elif x == z:
            fp += 1
        elif y == z:
            tp += 1
        else:
            fp, fn, fpn = fp + 1, fn + 1, fpn + 1
    return [tp, tn, fp, fn, fpn]


Column = tuple[int | None, int | None, int | None]


def _star(source: Sequence[int], hypothesis: Sequence[int], reference: Sequence[int]) -> Iterator[Column]:
    """A source token with what it became in both texts; before it, side by side, what each put there."""
    in_hypothesis, before_hypothesis = _against(source, hypothesis)
    in_reference, before_reference = _against(source, reference)
    for i in range(len(source) + 1):
        for inserted in zip_longest(before_hypothesis[i], before_reference[i]):
            yield None, *inserted
        if i < len(source):
            yield source[i], in_hypothesis[i], in_reference[i]


def _against(source: Sequence[int], text: Sequence[int]) -> tuple[list[int | None], list[list[int]]]:
    """What each source token became (None: deleted) and what was put before each, in a minimal alignment."""
    from rapidfuzz.distance import Levenshtein

    became: list[int | None] = [None] * len(source)
    before: list[list[int]] = [[] for _ in range(len(source) + 1)]
    for step in Levenshtein.opcodes(source, text):
        if step.tag == "insert":
            before[step.src_start] += text[step.dest_start : step.dest_end]
        elif step.tag != "delete":
            became[step.src_start : step.src_end] = text[step.dest_start : step.dest_end]
    return became, before


def cut_segments(sources: Ragged, hypotheses: Ragged, offsets: Integers, cut: Marks) -> tuple[Cut, ...]:
    """The segments with a row over a limit."""
    cuts = []
    for i in np.unique(np.searchsorted(offsets, np.flatnonzero(cut), side="right") - 1).tolist():
        limit = "memory" if cut[offsets[i] : offsets[i + 1]].max() == BY_MEMORY else "work"
        cuts.append(Cut(i, len(sources[i]), len(hypotheses[i]), limit, STAR))
    return tuple(cuts)
