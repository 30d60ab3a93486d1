"""What the kernels that find edits ask of their arguments: tagging and aligning."""

from __future__ import annotations

from typing import Any

from errata.kernels._checks import all_offsets, differences, ids, largest, once, part, room, shape

_FEATURES = 29  # of a token, besides its spellings


def _tagged(a: Any, width: int) -> None:
    columns = a.spellings.shape[1]
    if not 14 <= columns <= 64 - _FEATURES:
        raise ValueError(f"{columns} spellings")
    room(columns + _FEATURES, a.found)
    room(width, a.sums)
    room(len(a.types), a.given, a.labels)


def predict(a: Any) -> None:
    part(a.start, a.stop, len(a.offsets) - 1)
    once(all_offsets, a.offsets, len(a.types))
    once(_parts, a.offsets, a.until)
    once(ids, a.types, len(a.spellings))
    _tagged(a, a.weights.shape[1])
    shape(a.own, len(a.spellings), a.weights.shape[1])
    part(1, a.size, a.weights.shape[1])
    once(_buckets, a.index, len(a.weights))
    shape(a.memo, 0, 6)
    room(1, a.filled)
    if len(a.memo) & (len(a.memo) - 1) or not 0 <= a.filled[0] <= len(a.memo) - len(a.memo) // 4:
        raise ValueError(f"a memo of {len(a.memo)} places with {a.filled[0]} contexts")


def _parts(offsets: Any, until: Any) -> None:
    """What each sentence is labelled up to lies within it."""
    if len(until) != len(offsets) - 1 or (until < offsets[:-1]).any() or (until > offsets[1:]).any():
        raise ValueError("tokens of other sentences")


def own_sums(a: Any) -> None:
    part(a.start, a.stop, len(a.spellings))
    once(_buckets, a.index, len(a.weights))
    shape(a.out, a.stop, a.weights.shape[1])
    if a.spellings.shape[1] > 32:
        raise ValueError(f"{a.spellings.shape[1]} spellings of a word")


def _buckets(index: Any, rows: int) -> None:
    if len(index) < 1 or len(index) & (len(index) - 1):
        raise ValueError(f"{len(index)} buckets, which is no power of two")
    ids(index, rows)


def learn(a: Any) -> None:
    ids(a.order, len(a.offsets) - 1)
    all_offsets(a.offsets, len(a.types))
    ids(a.types, len(a.spellings))
    buckets, labels = a.weights.shape
    _tagged(a, labels)
    room(len(a.types), a.gold)
    if a.gold.max(initial=-1) >= labels:
        raise ValueError("a gold label that has no weights")
    shape(a.history, buckets, labels)
    if buckets < 1 or buckets & (buckets - 1):
        raise ValueError(f"{buckets} buckets, which is no power of two")


def align(a: Any) -> None:
    part(a.start, a.stop, len(a.pairs))
    shape(a.seen, 2, len(a.balance))
    room(a.stop, a.step_offsets, a.counts)
    if a.comparison not in (0, 1, 2):
        raise ValueError(f"the comparison {a.comparison}")
    room(len(a.form), a.lower, a.lemma, a.pos)
    once(all_offsets, a.offsets, len(a.form))
    once(all_offsets, a.char_offsets, len(a.chars))
    once(ids, a.form, len(a.char_offsets) - 1)
    once(ids, a.lower, len(a.balance))
    once(_words_fit, a.char_offsets, len(a.row))
    room(1024, a.places)
    if a.comparison == 2:
        once(_weighed, a.codes, a.weights)
        room(len(a.chars), a.codes)
    cells = largest(once(_aligned, a.pairs, a.offsets, a.step_offsets, len(a.steps)), a.start, a.stop)
    room(cells, a.cost, a.operation, *([a.near] if a.comparison == 2 else []))


def _aligned(pairs: Any, sentences: Any, step_offsets: Any, steps: int) -> Any:
    """Pairs of sentences with room for their steps; gives the cells of each."""
    shape(pairs, 0, 2)
    ids(pairs, len(sentences) - 1)
    lengths = differences(sentences)[pairs[:, :2]]
    begin = step_offsets[: len(pairs)]
    ids(begin, steps + 1)
    ids(begin + lengths.sum(axis=1), steps + 1)
    return (lengths + 1).prod(axis=1)


def _words_fit(char_offsets: Any, row: int) -> None:
    if differences(char_offsets).max(initial=0) >= row:
        raise ValueError("a word that is longer than the row")


def _weighed(codes: Any, weights: Any) -> None:
    shape(weights, 0, weights.shape[0])
    ids(codes, weights.shape[0])
