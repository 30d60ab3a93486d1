"""The edits of references as numbers, extracted where they have to be, without making objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from errata.corpus.columns import EncodedEdits, apply_encoded
from errata.corpus.model import Corpus
from errata.edits.edit_arrays import EditArrays, Integers, type_numbers
from errata.edits.pipeline import Extractor
from errata.edits.reannotation import DETECTED
from errata.metrics.errant.keys import Part
from errata.native.ragged import Ragged


class Gold(NamedTuple):
    """The edits of all annotators, of which some rows are extracted anew."""

    extracted: EditArrays
    rows: Integers
    targets: Ragged  # the corrected texts of these rows
    given: Part

    def parts(self) -> tuple[list[Part], dict[int, str]]:
        """All edits, and which rows went beyond a limit."""
        edits = self.extracted
        beyond = {int(self.rows[pair]): limit for pair, limit in edits.limits.items()}
        return [Part.of(edits, self.targets, self.rows), self.given], beyond


def gold_edits(
    corpus: Corpus, extractor: Extractor, is_foreign: Callable[[str], bool], everything: bool
) -> Gold | None:
    """The edits of all annotators; None if this takes making objects.

    Those of an annotator of a segment are extracted anew if one of them is foreign, or `everything` is. Those
    of references that are texts are all extracted.
    """
    annotations = corpus.annotations
    if annotations.as_text.all() and corpus.rewrites is None:
        texts, segments = corpus.reference_ids, annotations.owners
        sources = corpus.source_ids.select(segments)
        extracted = extractor.arrays(corpus.vocabulary, sources, texts.ids)
        none = np.zeros((0, 2), dtype=np.int32)
        given = Part(none[:, 0], none, none[:, 0], none, none[:, 0])
        return Gold(extracted, np.arange(len(sources), dtype=np.int64), texts.ids, given)
    if annotations.as_text.any() or not annotations.ascending:
        return None
    gold = corpus.edit_ids
    types_of_edits = gold.types
    if types_of_edits is None or len(gold.tokens) != len(gold.spans) or (gold.tokens.values < 0).any():
        return None  # several corrections of one edit, or a correction that is no row of tokens
    names, kinds = types_of_edits
    owners = gold.owners
    anew = np.full(len(gold.annotators), everything)
    anew[owners[np.array([*map(is_foreign, names)], dtype=bool)[kinds]]] = True
    detected = np.array([name in DETECTED for name in names], dtype=bool)[kinds]
    rows = np.flatnonzero(anew)
    segments = np.repeat(np.arange(len(corpus), dtype=np.int64), np.diff(gold.rows))[rows]
    sources = corpus.source_ids.select(segments)
    order = gold.ascending
    targets = _applied(gold, owners, order[anew[owners[order]]], detected, rows, sources)
    if targets is None:
        return None
    extracted = extractor.arrays(corpus.vocabulary, sources, targets)
    types = type_numbers(names)[kinds]
    types[anew[owners]] = type_numbers(["UNK"])[0]
    kept = ~anew[owners] | detected
    places = np.stack([gold.tokens.offsets[:-1], gold.tokens.offsets[1:]], axis=1)
    given = Part(owners[kept], gold.spans[kept], types[kept], places[kept], gold.tokens.values)
    return Gold(extracted, rows, targets, given)


def _applied(
    gold: EncodedEdits, owners: Integers, edits: Integers, detected: Integers, rows: Integers, sources: Ragged
) -> Ragged | None:
    """The corrected texts of rows, by those of these edits that correct; None where edits overlap."""
    first = owners[edits] * (1 + int(gold.spans.max(initial=0)))
    starts, ends = (first + gold.spans[edits, side] for side in (0, 1))
    corrected = np.maximum.accumulate(np.where(detected[edits], -1, ends))
    if (detected[edits] & (starts < corrected)).any():  # an error was seen in what is corrected already
        return None
    edits = edits[~detected[edits]]
    offsets = np.searchsorted(owners[edits], np.append(rows, len(gold.annotators)))
    return apply_encoded(sources, offsets, gold.spans[edits], gold.tokens.select(edits))
