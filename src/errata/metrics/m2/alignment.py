"""Calls the M² kernel: sizes its scratch arrays, and keeps small ones for the next call."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from errata.corpus.edit_ids import EncodedEdits
from errata.kernels import bounds
from errata.kernels import m2 as kernel
from errata.kernels.ragged import Ragged

Count = TypeVar("Count", int, npt.NDArray[np.int64])
Span = tuple[int, int, int, int]  # of an edit: source start and end, hypothesis start and end
MOST_ARCS = 1 << 25  # of a sentence's lattice, about half a second; beyond, edits are grown edge by edge
MOST_CELLS = 1 << 24  # of a sentence's grid: the kernel's ranks hold vertex numbers of 24 bits
_KEPT_CELLS = 1 << 16


class Sizes(NamedTuple):
    """The most that one sentence of a batch needs."""

    cells: int
    words: int  # of source and hypothesis together
    annotators: int
    matches: int  # arcs that may match a gold edit


class _Kept(threading.local):
    sizes: tuple[int, ...] = (0, 0, 0, 0, 0)
    arrays: tuple[Any, ...] = ()


_KEPT = _Kept()


def count_edits(
    sources: Ragged,
    hypotheses: Ragged,
    gold: EncodedEdits,
    letters: Ragged,
    max_unchanged: int,
    start: int,
    stop: int,
    values: npt.NDArray[np.int64],
    sizes: Sizes | None = None,
    most_arcs: int | None = None,
    grown: npt.NDArray[np.uint8] | None = None,
) -> npt.NDArray[np.int32]:
    """Counts of the segments start:stop into their rows of `values`; returns the last row's edits.

    `grown` gets 1 for those with more than `most_arcs`, whose edits were grown edge by edge.
    """
    if grown is None:
        grown = np.zeros(stop - start, dtype=np.uint8)
    if sizes is None:
        sizes = largest(sources, hypotheses, gold, start, stop)
    scratch = _scratch(sizes, 2 * min(max_unchanged, sizes.words) + 1)
    work = np.zeros(5, dtype=np.int64)
    most_arcs = MOST_ARCS if most_arcs is None else min(most_arcs, MOST_ARCS)
    edits = gold.rows, gold.edits, gold.spans, gold.corrections, gold.tokens.offsets, gold.tokens.values
    texts = *sources.arrays, *hypotheses.arrays, *edits, *letters.arrays
    kernel.counts(*texts, max_unchanged, most_arcs, start, stop, values, *scratch, grown, work)
    path: npt.NDArray[np.int32] = scratch[-1]
    return path[: work[3]][::-1]


def cell_bytes(annotators: Count, max_unchanged: int) -> Count:
    """What a cell of the grid takes in the scratch arrays."""
    return 69 + 12 * (2 * max_unchanged + 1) + 40 * annotators


def largest(sources: Ragged, hypotheses: Ragged, gold: EncodedEdits, start: int, stop: int) -> Sizes:
    """The most that one of the segments start:stop needs."""
    texts = sources.offsets, hypotheses.offsets
    found = bounds.grids(*texts, gold.rows, gold.edits, gold.corrections, start, stop)
    _, cells, words, annotators, matches = found
    return Sizes(cells, words + 2, annotators, matches)


def _scratch(sizes: Sizes, states: int) -> tuple[Any, ...]:
    """Arrays at least this large, in the kernel's order."""
    needed: tuple[int, ...] = (*sizes, states)
    if all(map(int.__le__, needed, _KEPT.sizes)):
        return _KEPT.arrays
    small = sizes.cells <= _KEPT_CELLS
    if small:
        needed = tuple(map(max, needed, _KEPT.sizes, (1024, 128, 2, 256, 5)))
    cells, words, annotators, matches, states = needed
    arrays = (
        np.empty((cells, 2), dtype=np.int32),  # cost
        np.empty(cells, dtype=np.uint8),  # marks
        np.empty(cells, dtype=np.int32),  # number
        np.empty(words + 1, dtype=np.int32),  # row_starts
        np.empty((cells, 10), dtype=np.int32),  # vertices
        np.empty((cells, 4), dtype=np.int32),  # labels
        np.empty((annotators, cells, 2), dtype=np.float64),  # distance
        np.empty((annotators, cells, 3), dtype=np.int64),  # best
        np.empty((cells, states), dtype=np.float64),  # open_cost
        np.empty((cells, states), dtype=np.int32),  # open_from
        np.empty((matches + 1, 5), dtype=np.int32),  # found
        np.empty((words, 4), dtype=np.int32),  # path
    )
    if small:
        _KEPT.sizes, _KEPT.arrays = needed, arrays
    return arrays
