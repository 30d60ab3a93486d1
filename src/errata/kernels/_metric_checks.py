"""What the kernels of metrics, of their resampling and of rankings ask of their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from errata.kernels import bounds
from errata.kernels._checks import (
    all_offsets,
    differences,
    ids,
    offsets,
    once,
    part,
    room,
    shape,
    tokens,
)


def counts(a: Any) -> None:
    part(a.start, a.stop, len(a.rows) - 1)
    gold = (a.rows, a.edit_offsets, a.spans, a.correction_offsets)
    once(_gold, a.source_offsets, len(a.source), *gold, a.token_offsets, len(a.tokens))
    once(all_offsets, a.hypothesis_offsets, len(a.hypothesis))
    texts = (a.source_offsets, a.hypothesis_offsets)
    grids = bounds.grids(*texts, a.rows, a.edit_offsets, a.correction_offsets, a.start, a.stop)
    length, cells, words, annotators, matches = grids
    shape(a.out, int(a.rows[a.stop]), 3)
    room(a.stop - a.start, a.grown)
    room(5, a.work)
    if len(a.letters):
        once(all_offsets, a.letter_offsets, len(a.letters))
        for array in (a.source, a.hypothesis, a.tokens):
            once(ids, array, len(a.letter_offsets) - 1)
    room(cells, a.marks, a.number)
    room(words + 3, a.row_starts)
    if a.max_unchanged < 0 or a.most_arcs < -1:
        raise ValueError(f"at most {a.max_unchanged} unchanged words, {a.most_arcs} arcs")
    states = 2 * min(a.max_unchanged, length) + 1
    for array, columns in (
        (a.cost, 2),
        (a.vertices, 10),
        (a.labels, 4),
        (a.open_cost, states),
        (a.open_from, states),
    ):
        shape(array, cells, columns)
    shape(a.distance, annotators, cells, 2)
    shape(a.best, annotators, cells, 3)
    shape(a.found, matches + 1, 5)
    shape(a.path, words, 4)


def _gold(
    source_at: Any,
    words: int,
    rows: Any,
    edit_at: Any,
    spans: Any,
    correction_at: Any,
    token_at: Any,
    count: int,
) -> None:
    """Gold edits inside the sentences that they belong to."""
    lengths = all_offsets(source_at, words)
    segments = len(rows) - 1
    room(segments, lengths)
    all_offsets(rows, len(edit_at) - 1)
    all_offsets(edit_at, len(spans))
    all_offsets(token_at, count)
    all_offsets(correction_at, len(token_at) - 1)
    shape(spans, 0, 2)
    room(len(spans) + 1, correction_at)
    at = edit_at[rows]
    inside = spans[at[0] : at[-1]]
    ends = np.maximum(inside[:, 0], inside[:, 1])
    if len(inside) and (inside.min() < 0 or (ends > np.repeat(lengths[:segments], differences(at))).any()):
        raise ValueError("an edit outside its sentence")


def count_rows(a: Any) -> None:
    part(a.start, a.stop, len(a.owner))
    for texts, at in ((a.a, a.a_offsets), (a.b, a.b_offsets), (a.c, a.c_offsets)):
        once(all_offsets, at, len(texts))
    needed = bounds.rooms(a.a_offsets, a.b_offsets, a.c_offsets, a.owner, a.start, a.stop)
    tables, row, spans, planes, path, _ = needed
    room(tables, a.tables)
    room(row, a.row)
    shape(a.spans, spans, 5)
    room(planes, a.planes)
    room(path, a.path)
    shape(a.values, a.stop, 5)
    room(3, a.report)


def measures(a: Any) -> None:
    shape(a.counts, 0, 7)
    ids(a.wanted, len(a.each))
    room(24, a.each)
    shape(a.out, len(a.wanted), len(a.counts))


def scan(a: Any) -> None:
    part(a.start, a.stop, len(a.weights))
    shape(a.totals, a.stop, 3)
    once(_rows, a.values, a.offsets, a.weights.shape[1])
    _errant(a)


def choose(a: Any) -> None:
    once(_rows, a.values, a.offsets, len(a.chosen))
    _errant(a)


def scan_swaps(a: Any) -> None:
    part(a.start, a.stop, len(a.swaps))
    shape(a.totals, a.stop, 6)
    ids(a.swaps[a.start : a.stop], 2)
    shape(a.moved, a.swaps.shape[1] + 1, a.stop)
    shape(a.fixed, a.swaps.shape[1] + 1, 6)
    once(_rows, a.values, a.offsets, 2 * a.swaps.shape[1])
    _errant(a)


def _keys(offsets_: Any, spans: Any, places: Any, words: Any) -> None:
    all_offsets(offsets_, len(spans))
    shape(spans, 0, 3)
    shape(places, len(spans), 2)
    ids(places, len(words) + 1)
    if np.count_nonzero(places[:, 0] > places[:, 1]):
        raise ValueError("corrections that end before they begin")


def count_keys(a: Any) -> None:
    _keys(a.offsets, a.spans, a.places, a.words)
    once(_keys, a.reference_offsets, a.reference_spans, a.reference_places, a.reference_words)
    ids(a.rows, len(a.reference_offsets) - 1)
    room(len(a.offsets), a.value_offsets)
    all_offsets(a.value_offsets, len(a.rows))
    shape(a.values, len(a.rows), 3)


def _placed(a: Any) -> Any:
    """Edits of hypotheses and references, and the segments of hypotheses; gives the lengths of sources."""
    lengths = once(tokens, a.source, a.source_offsets)
    ids(a.segments, len(lengths))
    _keys(a.offsets, a.spans, a.places, a.words)
    once(_keys, a.reference_offsets, a.reference_spans, a.reference_places, a.reference_words)
    room(len(a.segments) + 1, a.offsets)
    _inside(a.spans)
    once(_inside, a.reference_spans)
    return lengths


def _inside(spans: Any) -> None:
    if spans.size and spans.min() < 0:
        raise ValueError("an edit before its sentence")


def chunks(a: Any) -> None:
    lengths = _placed(a)
    room(len(lengths), once(all_offsets, a.rows, len(a.reference_offsets) - 1))
    room(len(a.segments) + 1, a.kept_offsets)
    room(2, a.changes)
    shape(a.weights, 5, 1)
    references = differences(a.rows)[a.segments]
    shape(a.at, 1 + int(references.max(initial=0)), 3)
    longest = int(lengths.max(initial=0))
    room(longest + _sizes(a.places), a.ours)
    room(longest + once(_sizes, a.reference_places), a.theirs)
    if a.kept_offsets[:1].any():
        raise ValueError("rows that do not begin at 0")
    room(int(references.sum()), a.kept)
    shape(a.values, len(a.segments) if a.independent else int(references.sum()), 5)
    if a.detailed:
        edits = differences(a.reference_offsets[a.rows])[a.segments]
        most = 1 + 2 * (edits + differences(a.offsets)[: len(edits)])  # chunks
        room(len(a.segments) + 1, a.chunk_offsets)
        shape(a.chunks, int(most.sum()), 3)
        room(int((most * np.maximum(references, 1)).sum()), a.columns)


def _sizes(places: Any) -> int:
    """The number of tokens of all corrections."""
    return int((places[:, 1] - places[:, 0]).sum())


def scan_chunks(a: Any) -> None:
    part(a.start, a.stop, len(a.weights))
    shape(a.totals, a.stop, 5)
    _chosen_chunks(a, a.weights.shape[1])


def choose_chunks(a: Any) -> None:
    shape(a.totals, 1, 5)
    _chosen_chunks(a, len(a.chosen))


def _chosen_chunks(a: Any, segments: int) -> None:
    once(_sums, a.values)
    _sums(a.totals)
    offsets(a.offsets, 0, segments, len(a.values))
    room(10_000, a.upwards)
    if len(a.factors) != 4 and (len(a.factors) != 1 or not 0 < a.factors[0] < 1e300):
        raise ValueError(f"factors {a.factors}")


def _sums(values: Any) -> None:
    shape(values, 0, 5)
    if values.size and not 0 <= values.min() <= values.max() < 1e300:
        raise ValueError("sums that are no numbers from 0 on")


def chunk_sizes(a: Any) -> None:
    lengths = all_offsets(a.source_offsets, a.source_offsets[-1])
    ids(a.segments, len(lengths))
    ids(a.rows, len(all_offsets(a.offsets, len(a.spans))))
    _inside(a.spans)
    shape(a.places, len(a.spans), 2)
    room(len(a.rows), a.segments, a.out)
    shape(a.scratch, 1 + 2 * (int(lengths.max(initial=0)) + len(a.spans)), 5)


def difficult_chunks(a: Any) -> None:
    longest = int(_placed(a).max(initial=0))
    ids(a.rows, len(a.reference_offsets) - 1)
    room(len(a.segments), a.rows)
    room(len(a.segments) + 1, a.chunk_offsets)
    all_offsets(a.chunk_offsets, min(len(a.weights), len(a.found)))
    shape(a.values, len(a.segments), 4)
    shape(a.ours, 1 + 2 * (longest + len(a.spans)), 5)
    shape(a.theirs, 1 + 2 * (longest + len(a.reference_spans)), 5)


def _rows(values: Any, row_offsets: Any, segments: int) -> None:
    shape(values, 0, 3)
    offsets(row_offsets, 0, segments, len(values))
    if values.size and values.min() < 0:
        raise ValueError("counts below 0")


def _errant(a: Any) -> None:
    if hasattr(a, "upwards"):
        room(10_000, a.upwards)
        if not 0 < a.beta2 < 1e300:
            raise ValueError(f"a squared beta of {a.beta2}")
        if hasattr(a, "totals") and a.totals[a.start : a.stop].min(initial=0) < 0:
            raise ValueError("totals below 0")
