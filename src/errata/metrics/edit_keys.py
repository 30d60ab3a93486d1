"""Edits as arrays of numbers, so that native code can compare them and lay them over the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from errata.corpus.segment import Edit
from errata.edits.edit_arrays import TYPES, EditArrays, Integers, PlainEdits, type_numbers
from errata.metrics.edit_matching import Matching
from errata.native import edit_matches
from errata.native.ragged import Ragged, check_array, check_offsets, select_runs
from errata.text.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Keys:
    """Rows of keys, one key per edit: row i is `offsets[i]:offsets[i + 1]`. Starts ascend within a row.

    The arrays are validated here, once; native functions rely on it.
    """

    offsets: Integers
    spans: Integers  # start, end, and the number of the type (0 unless types are compared)
    places: Integers  # start and end of the correction in `words`
    words: Integers  # token ids

    def __post_init__(self) -> None:
        check_array("spans", self.spans, np.int32, 3)
        check_array("places", self.places, np.int64, 2)
        check_array("words", self.words, np.int32)
        check_offsets("offsets", self.offsets, len(self.spans))
        if len(self.places) != len(self.spans):
            raise ValueError("every span needs the place of its correction")

    @classmethod
    def of_arrays(cls, edits: EditArrays, targets: Ragged, matching: Matching | None = None) -> Keys:
        """The keys of extracted edits; `targets` are the corrected texts as token ids.

        With a matching, only the edits that it counts have keys.
        """
        pairs = np.repeat(np.arange(len(targets)), np.diff(edits.offsets))
        places = targets.offsets[pairs, None] + edits.spans[:, 2:]
        spans = _padded(edits.spans[:, :2])
        if matching is None:
            return cls(edits.offsets, spans, places, targets.values)
        kept = np.array([*map(matching.counts_type, TYPES.names)], dtype=bool)[edits.types]
        if matching.length:
            kept &= matching.counts_length(spans[:, 1] - spans[:, 0], places[:, 1] - places[:, 0])
        if matching.typed:
            spans[:, 2] = edits.types
        return cls(edits.offsets, spans, places, targets.values)._select(kept)._compared_by(matching)

    @classmethod
    def of_objects(cls, matching: Matching, rows: Iterable[Iterable[Edit]], vocabulary: Vocabulary) -> Keys:
        """The keys of the edits that a matching counts; alternative corrections are one text."""
        counted = [matching.distinct(edit for edit in row if matching.counts(edit)) for row in rows]
        keys = keys_of(counted, vocabulary, exact=True, text=lambda edit: "||".join(edit.corrections))
        if matching.typed:
            keys.spans[:, 2] = type_numbers([edit.type for row in counted for edit in row])
        return keys._compared_by(matching)

    @property
    def owners(self) -> Integers:
        """The row of each key."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def _select(self, kept: Integers) -> Keys:
        before = np.concatenate([[0], np.cumsum(kept)])
        return Keys(before[self.offsets], self.spans[kept], self.places[kept], self.words)

    def _compared_by(self, matching: Matching) -> Keys:
        """The keys in ascending order, with only what the matching compares."""
        owners, spans, places = self.owners, self.spans, self.places
        if matching.mode == "token":
            sizes = np.maximum(spans[:, 1] - spans[:, 0], 1)
            before = np.cumsum(sizes) - sizes
            tokens = np.repeat(spans[:, 0] - before, sizes) + np.arange(int(sizes.sum()))
            spans, owners = _padded(np.stack([tokens, tokens + 1], axis=1)), np.repeat(owners, sizes)
        if matching.mode != "correction":
            spans, places = _padded(spans[:, :2]), np.zeros((len(spans), 2), dtype=np.int64)
        order = np.lexsort((spans[:, 1], spans[:, 0], owners))
        offsets = np.append(0, np.cumsum(np.bincount(owners, minlength=len(self.offsets) - 1)))
        keys = Keys(offsets, spans[order], places[order], self.words)
        return keys.marks() if matching.once and matching.mode != "correction" else keys

    def marks(self, lengths: Integers | None = None) -> Keys:
        """Each span once; with the lengths of the texts, only spans that begin inside their text."""
        owners, spans = self.owners, self.spans
        kept = np.ones(len(owners), dtype=bool)
        kept[1:] = (owners[1:] != owners[:-1]) | (spans[1:, :2] != spans[:-1, :2]).any(axis=1)
        if lengths is not None:
            kept &= (spans[:, 0] >= 0) & (spans[:, 0] < lengths[owners])
        return self._select(kept)


class ReferenceKeys(NamedTuple):
    """The keys of the references, one row each; those of segment i are `rows[i]:rows[i + 1]`."""

    keys: Keys
    rows: Integers
    annotators: Integers
    limits: Mapping[int, str]  # the limit that a row exceeded

    def counts(self, hypotheses: Keys, segments: Integers) -> tuple[Integers, Integers, Integers]:
        """Count right, wrong and missed keys of hypotheses against each reference of their segments.

        Returns the counts, the offsets of the rows of each hypothesis, and the annotators.
        """
        offsets, rows = select_runs(self.rows, segments)
        values: Integers = edit_matches.count_keys(hypotheses, self.keys, offsets, rows)
        return values, offsets, self.annotators[rows]

    def exceeded(self, segments: Integers) -> dict[int, str]:
        """The limits that references of these segments exceeded, by the place of the segment."""
        limits: dict[int, str] = {}
        for place, segment in enumerate(segments.tolist() if self.limits else ()):
            for row in range(*self.rows[segment : segment + 2].tolist()):
                if row in self.limits:
                    limits.setdefault(place, self.limits[row])
        return limits


def keys_of(
    rows: Sequence[Sequence[Edit]],
    vocabulary: Vocabulary,
    *,
    exact: bool,
    text: Callable[[Edit], str] = attrgetter("correction"),
) -> Keys:
    """The keys of edits in this order. `text` returns the correction to compare.

    With `exact`, a correction with irregular white space is a single token, so that it equals no other text.
    """
    edits = [edit for row in rows for edit in row]
    corrections = [*map(text, edits)]
    tokens = [correction.split() for correction in corrections]
    if exact:
        tokens = [
            words if " ".join(words) == correction else [correction]
            for words, correction in zip(tokens, corrections, strict=True)
        ]
    words = vocabulary.encode(tokens)
    spans = _padded(np.array([(edit.start, edit.end) for edit in edits]).reshape(-1, 2))
    places = np.stack([words.offsets[:-1], words.offsets[1:]], axis=1)
    return Keys(np.cumsum([0, *map(len, rows)], dtype=np.int64), spans, places, words.values)


def sequence_keys(rows: Iterable[Iterable[Edit]], vocabulary: Vocabulary, *, exact: bool) -> Keys:
    """The keys of edits in the order of `EditSequenceMetric`, without edits that change nothing (`noop`)."""
    ascending = [
        sorted(
            (edit for edit in row if edit.type != "noop" and edit.start >= 0),
            key=lambda edit: (edit.start, edit.end if exact else 0),
        )
        for row in rows
    ]
    keys = keys_of(ascending, vocabulary, exact=exact)
    return replace(keys, spans=np.maximum(keys.spans, 0))


def exceeded_limits(rows: Iterable[Sequence[Edit]]) -> dict[int, str]:
    """The limit that the edits of a row exceeded, by row."""
    return {i: edits.limit for i, edits in enumerate(rows) if isinstance(edits, PlainEdits)}


def _padded(spans: Integers) -> Integers:
    """Starts and ends with a third column of zeros, for types."""
    padded = np.zeros((len(spans), 3), dtype=np.int32)
    padded[:, :2] = spans
    return padded
