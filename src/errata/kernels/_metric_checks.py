"""What the kernels of metrics, of their resampling and of rankings ask of their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from errata.kernels import bounds
from errata.kernels._checks import (
    all_offsets,
    differences,
    ids,
    largest,
    offsets,
    once,
    part,
    room,
    shape,
    tokens,
)

_SHIFTS = 1000
_CHARACTERS = 0x110000  # that Unicode has room for


def _texts(a: Any) -> tuple[Any, Any]:
    """Hypotheses and references of a part; gives their lengths."""
    part(a.start, a.stop, len(a.rows) - 1)
    ours = once(tokens, a.hypothesis_ids, a.hypothesis_offsets)
    theirs = once(tokens, a.reference_ids, a.reference_offsets)
    once(all_offsets, a.rows, len(theirs))
    room(a.stop, ours)
    return ours, theirs


def _sources(a: Any) -> None:
    room(a.stop, once(tokens, a.source_ids, a.source_offsets))
    if not 1 <= a.order <= 100:
        raise ValueError(f"n-grams of order {a.order}")


def each_reference(a: Any) -> None:
    _texts(a)
    _sources(a)
    shape(a.out, int(a.rows[a.stop]), 2 * a.order + 2)


def edited(a: Any) -> None:
    _texts(a)
    _sources(a)
    part(a.kind, a.kind + 1, 3)
    shape(a.out, a.stop if a.kind == 1 else int(a.rows[a.stop]), (3, 9, 6)[a.kind] * a.order)


def pooled(a: Any) -> None:
    _texts(a)
    _sources(a)
    shape(a.out, a.stop, (6 if a.with_source else 2) * a.order + 2)


def edits(a: Any) -> None:
    ours, theirs = _texts(a)
    first, last = int(a.rows[a.start]), int(a.rows[a.stop])
    most = max(largest(ours, a.start, a.stop), largest(theirs, first, last))
    room(most, a.words)
    room(2 * most, a.path)
    shape(a.shifts, _SHIFTS, 3)
    shape(a.out, last, 5)
    room(last, a.cut)


def distances(a: Any) -> None:
    part(a.start, a.stop, len(a.rows) - 1)
    texts = once(all_offsets, a.hypothesis_offsets, len(a.hypothesis))
    room(a.stop, texts)
    references = once(all_offsets, a.reference_offsets, len(a.reference))
    _, end = offsets(a.rows, a.start, a.stop, len(references))
    once(ids, a.hypothesis, len(a.known))
    once(ids, a.reference, len(a.known))
    if a.known.any():
        raise ValueError("scratch that is not empty")
    shape(a.out, end, 1)


def _pairs(a: Any, stop: int) -> Any:
    """Sources, and texts with their owners; gives the lengths of the sources."""
    for array in (a.source, a.text):
        once(ids, array, _CHARACTERS)
    lengths = once(all_offsets, a.source_offsets, len(a.source))
    room(stop, once(all_offsets, a.text_offsets, len(a.text)), a.owner)
    once(ids, a.owner, len(lengths))
    return lengths


def changes(a: Any) -> None:
    part(a.start, len(a.owner), len(a.owner))
    _pairs(a, len(a.owner))
    room(len(a.owner) + 1, a.places)
    room(len(a.owner), a.large)
    shape(a.spans, 0, 4)
    part(int(a.places[a.start]), len(a.spans), len(a.spans))


def change_shares(a: Any) -> None:
    part(a.start, a.stop, len(a.owner))
    before = _pairs(a, a.stop)
    theirs = once(tokens, a.reference, a.reference_offsets)
    counts = once(all_offsets, a.rows, len(theirs))
    room(len(before), counts)
    room(len(theirs), a.large)
    once(_changes, a.places, a.spans, a.source_offsets, a.reference_offsets, a.rows)
    room(a.stop, a.out)


def _changes(places: Any, spans: Any, source_at: Any, reference_at: Any, rows: Any) -> None:
    """Changes inside of their sources and references."""
    shape(spans, 0, 4)
    lengths = differences(reference_at)
    found = all_offsets(places, len(spans))
    room(len(lengths), found)
    sources = np.repeat(differences(source_at)[: len(rows) - 1], differences(rows))
    inside = spans[places[0] : places[len(lengths)]]
    limits = np.stack([np.repeat(sizes, found[: len(sizes)]) for sizes in (sources, lengths)], axis=1)
    begins, ends = inside[:, ::2], inside[:, 1::2]
    if (begins < 0).any() or (begins > ends).any() or (ends > limits).any():
        raise ValueError("a change outside its text")


def equal_texts(a: Any) -> None:
    room(len(a.rows) - 1, all_offsets(a.hypothesis_offsets, len(a.hypothesis)))
    once(all_offsets, a.rows, len(once(all_offsets, a.reference_offsets, len(a.reference))))
    room(len(a.rows) - 1, a.out)


def exact_sums(a: Any) -> None:
    shape(a.out, 1, a.rows.shape[1])


def moved_sums(a: Any) -> None:
    if len(a.octets) != (len(a.moved) + 7) // 8:
        raise ValueError(f"{len(a.octets)} octets for {len(a.moved)} segments")
    ids(a.left_out, len(a.moved))
    if np.count_nonzero(differences(a.left_out) <= 0):
        raise ValueError("segments that do not ascend")
    room(256, a.table)
    shape(a.sums, len(a.left_out) + 1, a.octets.shape[1])


def _rows(values: Any, row_offsets: Any, segments: int) -> None:
    shape(values, 0, 3)
    offsets(row_offsets, 0, segments, len(values))
    if values.size and values.min() < 0:
        raise ValueError("counts below 0")


def best_rows(a: Any) -> None:
    rows = all_offsets(a.offsets, a.keys.shape[1])
    room(a.keys.shape[1], a.values)
    room(len(rows), a.out, a.tied)


def inversions(a: Any) -> None:
    ids(a.values, len(a.tree) - 1)
    if a.tree.any():
        raise ValueError("scratch that is not empty")


def match(a: Any) -> None:
    room(len(a.mu), a.variance)
    for player in (a.better, a.worse):
        part(0, player + 1, len(a.mu))
        part(player, player + 1, len(a.mu))


def play(a: Any) -> None:
    runs, n = a.mu.shape
    if runs > 4:
        raise ValueError(f"{runs} runs, where 4 are the most")
    shape(a.variance, n, runs)
    tables = 1 if len(a.wins) == 1 else runs
    for table in (a.wins, a.held, a.totals, a.met):
        shape(table, tables, n, n)
    shape(a.last, tables, n)
    ids(a.last.ravel(), n)
    room(runs, a.states)
    shape(a.scratch, 3, runs, n)


def replay(a: Any) -> None:
    room(len(a.mu), a.variance)
    room(len(a.left), a.right, a.outcome)
    ids(a.order, len(a.left))
    ids(a.left, len(a.mu))
    ids(a.right, len(a.mu))


def seed(a: Any) -> None:
    shape(a.states, len(a.seeds), 625)


def reach(a: Any) -> None:
    shape(a.states, 0, 625)
    if a.places < 0 or a.first < 0 or (a.states[:, 624] & 1).any():
        raise ValueError(f"{a.places} places, draw {a.first}, or a state with half of a number used")
    shape(a.out, len(a.least) * ((a.places + 7) // 8), a.first + len(a.states))


def add_chosen(a: Any) -> None:
    once(_rows, a.values, a.offsets, len(a.offsets) - 1)
    if bounds.stalls(a.offsets):
        raise ValueError("a segment without rows")
    ids(a.layout, len(a.offsets) - 1)
    if len(a.counts) != len(a.levels) or (a.levels < 1).any() or (a.levels >= a.counts).any():
        raise ValueError(f"levels {a.levels} of {a.counts} rows")
    width = len(a.octets) // max(1, len(a.counts))
    shape(a.sums, 0, a.values.shape[1])
    if len(a.counts) and (8 * width < len(a.layout) or a.octets.shape[1] != len(a.sums)):
        raise ValueError(f"octets of shape {a.octets.shape} for {len(a.layout)} places, {len(a.sums)} draws")
