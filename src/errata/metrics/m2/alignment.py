"""Aligning hypotheses with gold edits in native code, within the limits."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.corpus.columns import EncodedEdits
from errata.metrics.statistics import Integers
from errata.native import m2 as kernel
from errata.native.ragged import Ragged

Count = TypeVar("Count", int, Integers)
Span = tuple[int, int, int, int]  # of an edit: source start and end, hypothesis start and end
MOST_ARCS = 1 << 25  # of a sentence's lattice, about half a second; beyond, edits are grown edge by edge
MOST_CELLS = 1 << 24  # of a sentence's grid: ranks of arcs hold vertex numbers of 24 bits


def count_edits(
    sources: Ragged, hypotheses: Ragged, gold: EncodedEdits, letters: Ragged, max_unchanged: int,
    skipped: npt.NDArray[np.bool_],
) -> tuple[Integers, npt.NDArray[np.uint8], npt.NDArray[np.int32]]:  # fmt: skip
    """Correct, proposed and gold edits of every row, segments with too many arcs, the last row's edits."""
    most_arcs = min(limits.current().work, MOST_ARCS)
    counts: tuple[Integers, npt.NDArray[np.uint8], npt.NDArray[np.int32]] = kernel.count_edits(
        sources, hypotheses, gold, letters, max_unchanged, most_arcs, skipped.view(np.uint8)
    )
    return counts


def too_long(sources: Ragged, texts: Ragged, gold: EncodedEdits, max_unchanged: int) -> npt.NDArray[np.bool_]:
    """Which segments have a grid that takes more memory than the limit."""
    cells = (sources.lengths + 1) * (texts.lengths + 1)
    most = limits.current().memory // cell_bytes(np.diff(gold.rows), max_unchanged)
    return np.asarray(cells > np.minimum(most, MOST_CELLS))


def cell_bytes(annotators: Count, max_unchanged: int) -> Count:
    """The memory that a cell of the grid takes."""
    return 69 + 12 * (2 * max_unchanged + 1) + 40 * annotators
