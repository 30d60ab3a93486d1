"""Edits as numbers in the order in which they stand in a sentence, for metrics that apply them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar
from weakref import ref

import numpy as np

from errata import limits
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit
from errata.edits.edit_arrays import TYPES, EditArrays, Integers
from errata.engine import in_order
from errata.metrics.batch import Batch
from errata.metrics.edit_keys import Keys, Part
from errata.metrics.edit_metric import EditMetric, Gold
from errata.native.ragged import Ragged
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary

Result = TypeVar("Result")

# The edits of hypotheses, while their token ids and those of the sources are there.
_known: dict[tuple[Hashable, ...], tuple[EditArrays, list[ref[Any]]]] = {}


@dataclass(frozen=True)
class PlacedMetric(EditMetric):
    """What the metrics share that lay the edits of hypothesis and references over the source.

    Edits of one row ascend by their starts; those with the same start stay in the order in which they are
    given, or with `exact` ascend by their ends. With `exact`, white space in a correction counts, too.
    """

    exact: ClassVar[bool] = False
    counts_natively: ClassVar[bool] = True

    def of_systems(self, work: Callable[[Batch], Result], batches: Mapping[str, Batch]) -> dict[str, Result]:
        """What this work finds out about every system, by several threads where these may work at once."""
        several = len(batches) > 1 and self.computed_by == "native"
        jobs = next(iter(batches.values())).jobs if several else 1
        return dict(zip(batches, in_order(work, [*batches.values()], jobs), strict=True))

    def hypothesis_arrays(self, batch: Batch) -> tuple[EditArrays, Ragged] | None:
        """As for all; what a first pass extracted of lines that stay in memory is not extracted again."""
        if not (self.first_pass and isinstance(batch.hypotheses, Lines)):
            return super().hypothesis_arrays(batch)
        words = batch.corpus.vocabulary.encode_lines(batch.hypotheses)
        texts = words.values, batch.corpus.source_ids.values
        key = *map(id, texts), self.extractor, limits.current()
        if key not in _known:
            arrays = super().hypothesis_arrays(batch)
            if arrays is None:
                return None
            _known[key] = arrays[0], [ref(text, lambda _: _known.pop(key, None)) for text in texts]
        return _known[key][0], words

    def placed_hypotheses(self, batch: Batch) -> Keys:
        """The edits of every hypothesis."""
        self._extracted_gold(batch.distinct[0], batch.jobs)
        arrays = self.hypothesis_arrays(batch)
        if arrays is not None:
            return keys_of_arrays(*arrays)
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        return placed(edits, batch.corpus.vocabulary, exact=self.exact)

    def _extracted_gold(self, corpus: Corpus, jobs: int | None) -> Gold | None:
        """The edits of references, extracted before all others."""
        self.extractor.jobs = jobs
        return self._gold(corpus)

    def placed_references(self, corpus: Corpus, jobs: int | None) -> tuple[Keys, Integers]:
        """The edits of every annotator, computed once for all systems, and the offsets of segments."""

        def find() -> tuple[Keys, Integers]:
            rows = np.zeros(len(corpus) + 1, dtype=np.int64)
            np.cumsum(corpus.annotation_counts, out=rows[1:])
            if gold is None:
                edits = [edits for some in self.reference_edits(corpus) for edits in some]
                return placed(edits, corpus.vocabulary, exact=self.exact), rows
            (extracted, kept), _ = gold.parts()
            kept = kept._replace(places=kept.places + len(extracted.words))
            both = zip(kept[:-1], extracted[:-1], strict=True)  # edits without a correction come first
            owners, spans, types, places = map(np.concatenate, both)
            anew = np.zeros(rows[-1], dtype=bool)
            anew[gold.rows] = True
            ends = np.where(anew[owners] | self.exact, spans[:, 1], 0)
            order = np.lexsort((ends, spans[:, 0], owners))
            order = order[np.array([name != "noop" for name in TYPES.names], dtype=bool)[types[order]]]
            offsets = np.searchsorted(owners[order], np.arange(rows[-1] + 1))
            words = np.concatenate([extracted.words, kept.words])
            return Keys(offsets, _spans(spans[order]), places[order], words), rows

        gold = self._extracted_gold(corpus, jobs)
        return corpus.once((self.extracted, "placed", self.exact), find)


def placed(rows: Iterable[Iterable[Edit]], vocabulary: Vocabulary, *, exact: bool) -> Keys:
    """Edits that are objects in the order of a `PlacedMetric`; those that stand for none are left out."""
    some = [
        sorted(
            (edit for edit in row if edit.type != "noop" and edit.start >= 0),
            key=lambda edit: (edit.start, edit.end if exact else 0),
        )
        for row in rows
    ]
    keys = keys_of(some, vocabulary, exact=exact)
    return replace(keys, spans=np.maximum(keys.spans, 0))


def keys_of(rows: Sequence[Sequence[Edit]], vocabulary: Vocabulary, *, exact: bool) -> Keys:
    """Edits that are objects as numbers, in this order."""
    edits = [edit for row in rows for edit in row]
    tokens = [edit.correction.split() for edit in edits]
    if exact:  # a correction with irregular white space equals no tokens' text
        texts = [edit.correction for edit in edits]
        tokens = [
            parts if " ".join(parts) == text else [text] for parts, text in zip(tokens, texts, strict=True)
        ]
    words = vocabulary.encode(tokens)
    spans = np.array([(edit.start, edit.end) for edit in edits]).reshape(-1, 2)
    places = np.stack([words.offsets[:-1], words.offsets[1:]], axis=1)
    return Keys(np.cumsum([0, *map(len, rows)], dtype=np.int64), _spans(spans), places, words.values)


def keys_of_arrays(edits: EditArrays, targets: Ragged) -> Keys:
    """Extracted edits, where the corrected texts have these token ids."""
    part = Part.of(edits, targets, np.arange(len(targets)))
    return Keys(edits.offsets, _spans(part.spans), part.places, part.words)


def _spans(spans: Integers) -> Integers:
    """Start and end, and no type."""
    padded = np.zeros((len(spans), 3), dtype=np.int32)
    padded[:, :2] = spans[:, :2]
    return padded
