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


def _errant(a: Any) -> None:
    if hasattr(a, "upwards"):
        room(10_000, a.upwards)
        if not 0 < a.beta2 < 1e300:
            raise ValueError(f"a squared beta of {a.beta2}")
        if hasattr(a, "totals") and a.totals[a.start : a.stop].min(initial=0) < 0:
            raise ValueError("totals below 0")


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
