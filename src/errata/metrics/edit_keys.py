"""What is compared of edits, as numbers, so that a kernel can count which of them agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from errata.corpus.segment import Edit
from errata.edits.edit_arrays import TYPES, EditArrays, Integers, PlainEdits, type_numbers
from errata.metrics.edit_matching import Matching
from errata.native import edit_matches
from errata.native.ragged import Ragged, check_array, check_offsets, select_runs
from errata.text.vocabulary import Vocabulary


class Part(NamedTuple):
    """Edits of some rows: the row of each, start and end, type, and where its correction lies in `words`."""

    rows: Integers
    spans: Integers
    types: Integers  # numbers in `TYPES`
    places: Integers
    words: Integers  # token ids

    @classmethod
    def of(cls, edits: EditArrays, targets: Ragged, rows: Integers) -> Part:
        """The extracted edits of these rows, whose corrected texts have these token ids."""
        pairs = np.repeat(np.arange(len(targets)), np.diff(edits.offsets))
        places = targets.offsets[pairs, None] + edits.spans[:, 2:]
        return cls(rows[pairs], edits.spans[:, :2], edits.types, places, targets.values)


@dataclass(frozen=True, slots=True)
class Keys:
    """Rows of keys, those of row i being `offsets[i]:offsets[i + 1]`, in the order of their starts.

    The arrays are validated here, once; native functions rely on it.
    """

    offsets: Integers
    spans: Integers  # start, end, and the number of the type if types are compared
    places: Integers  # where the correction begins and ends in `words`
    words: Integers  # token ids

    def __post_init__(self) -> None:
        check_array("spans", self.spans, np.int32, 3)
        check_array("places", self.places, np.int64, 2)
        check_array("words", self.words, np.int32)
        check_offsets("offsets", self.offsets, len(self.spans))
        if len(self.places) != len(self.spans):
            raise ValueError("every span needs the place of its correction")

    @classmethod
    def of(cls, matching: Matching, rows: int, parts: Sequence[Part]) -> Keys:
        """The keys of some edits of so many rows."""
        owner, span, kind, place, words = parts[0]
        for part in parts[1:]:
            more = part._replace(places=part.places + len(words))
            both = zip((owner, span, kind, place, words), more, strict=True)
            owner, span, kind, place, words = map(np.concatenate, both)
        kept = np.array([*map(matching.counts_type, TYPES.names)], dtype=bool)[kind]
        if matching.length:
            kept &= matching.counts_length(span[:, 1] - span[:, 0], place[:, 1] - place[:, 0])
        spans = np.zeros((len(span), 3), dtype=np.int32)
        spans[:, :2] = span
        if matching.typed:
            spans[:, 2] = kind
        if not kept.all():
            owner, spans, place = owner[kept], spans[kept], place[kept]
        return cls._made(matching, rows, owner, spans, place, words, bool(kept[len(parts[0].rows) :].any()))

    @classmethod
    def of_objects(cls, matching: Matching, rows: Iterable[Iterable[Edit]], vocabulary: Vocabulary) -> Keys:
        """The keys of edits; a correction with irregular white space equals no tokens' text."""
        some = [[edit for edit in row if matching.counts(edit)] for row in rows]
        edits = [edit for row in some for edit in row]
        texts = ["||".join(edit.corrections) for edit in edits]
        tokens = [text.split() for text in texts]
        words = vocabulary.encode(
            parts if " ".join(parts) == text else [text] for parts, text in zip(tokens, texts, strict=True)
        )
        spans = np.zeros((len(edits), 3), dtype=np.int32)
        spans[:, :2] = np.array([(edit.start, edit.end) for edit in edits]).reshape(-1, 2)
        if matching.typed:
            spans[:, 2] = type_numbers([edit.type for edit in edits])
        owners = np.repeat(np.arange(len(some)), [*map(len, some)])
        places = np.stack([words.offsets[:-1], words.offsets[1:]], axis=1)
        return cls._made(matching, len(some), owners, spans, places, words.values)

    @classmethod
    def _made(
        cls,
        matching: Matching,
        rows: int,
        owners: Integers,
        spans: Integers,
        places: Integers,
        words: Integers,
        mixed: bool = True,
    ) -> Keys:
        """The keys of edits, which are in order unless they are `mixed`."""
        if matching.mode == "token":
            sizes = np.maximum(spans[:, 1] - spans[:, 0], 1)
            before = np.cumsum(sizes) - sizes
            tokens = np.repeat(spans[:, 0] - before, sizes) + np.arange(int(sizes.sum()))
            spans = np.stack([tokens, tokens + 1, np.zeros_like(tokens)], axis=1)
            owners = np.repeat(owners, sizes)
        if matching.mode != "correction":
            spans[:, 2] = 0
            places = np.zeros((len(spans), 2), dtype=np.int64)
        if mixed:
            order = np.lexsort((spans[:, 1], spans[:, 0], owners))
            owners, spans, places = owners[order], spans[order], places[order]
        offsets = np.append(0, np.cumsum(np.bincount(owners, minlength=rows)))
        return cls(offsets, spans.astype(np.int32, copy=False), places, words)

    def marks(self, lengths: Integers | None = None) -> Keys:
        """Each span once, and only those that begin in texts of these lengths."""
        owners = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        kept = np.ones(len(owners), dtype=bool)
        one, other = self.spans[1:], self.spans[:-1]
        kept[1:] = (owners[1:] != owners[:-1]) | (one[:, 0] != other[:, 0]) | (one[:, 1] != other[:, 1])
        if lengths is not None:
            kept &= (self.spans[:, 0] >= 0) & (self.spans[:, 0] < lengths[owners])
        before = np.concatenate([[0], np.cumsum(kept)])
        return Keys(before[self.offsets], self.spans[kept], self.places[kept], self.words)


class Wanted(NamedTuple):
    """The keys of references: a row each, those of segment i being `rows[i]:rows[i + 1]`."""

    keys: Keys
    rows: Integers
    annotators: Integers
    limits: Mapping[int, str]  # of rows whose edits went beyond one

    def counts(self, hypotheses: Keys, segments: Integers) -> tuple[Integers, Integers, Integers]:
        """Right, wrong and missed keys of hypotheses for these segments, against each of their references.

        Gives the counts, the offsets of the rows of each hypothesis, and the annotators.
        """
        offsets, rows = select_runs(self.rows, segments)
        values: Integers = edit_matches.count_keys(hypotheses, self.keys, offsets, rows)
        return values, offsets, self.annotators[rows]


def limits_of(rows: Iterable[Sequence[Edit]]) -> dict[int, str]:
    """The limits of the rows that went beyond one."""
    return {i: edits.limit for i, edits in enumerate(rows) if isinstance(edits, PlainEdits)}
