"""The annotators' texts of M2 files from arrays, where I-measure's own way of making them gives the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from errata.corpus.edit_ids import NEVER, EncodedEdits
from errata.corpus.m2 import M2Segments
from errata.corpus.model import Corpus, EncodedReferences
from errata.text.treebank import word_tokenize
from errata.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class PlainTexts:
    """The text of every annotator, and whether the segment has nothing out of the ordinary."""

    texts: EncodedReferences
    simple: list[bool]

    def candidates(self, segment: int) -> Iterator[tuple[int, int]]:
        """The annotators of a segment and the rows of their texts, each text once."""
        first, last = self._offsets[segment], self._offsets[segment + 1]
        seen: list[list[int]] = []
        for row in range(first, last):
            text = self._lists[row]
            if text not in seen:
                seen.append(text)
                yield int(self.texts.annotators[row]), row

    @cached_property
    def _lists(self) -> list[list[int]]:
        return [*self.texts.ids.lists()]

    @cached_property
    def _offsets(self) -> list[int]:
        found: list[int] = self.texts.offsets.tolist()
        return found


def plain_texts(corpus: Corpus, *, retokenize: bool) -> PlainTexts | None:
    """The texts of an M2 file; None where there is another kind of corpus, or edits do not make texts.

    A segment is simple if the edits of an annotator follow each other, corrections have the tokens of the
    Penn Treebank (unless `retokenize` is false), and no text is empty: then edits need not be grouped.
    """
    if not isinstance(corpus.segments, M2Segments):
        return None
    texts = corpus.segments.reference_ids(corpus.source_ids, corpus.vocabulary)
    if texts is None:
        return None
    gold = corpus.edit_ids
    good = _apart(gold)
    if retokenize:
        good &= _as_tokenised(gold, corpus.vocabulary)
    simple = np.ones(len(corpus), dtype=np.bool_)
    row_of = np.repeat(np.arange(len(gold.annotators)), np.diff(gold.edits))
    owner = np.repeat(np.arange(len(corpus)), np.diff(gold.rows))
    simple[owner[row_of[~good]]] = False
    simple[owner[texts.ids.lengths == 0]] = False
    return PlainTexts(texts, simple.tolist())


def _apart(gold: EncodedEdits) -> npt.NDArray[np.bool_]:
    """Which edits begin behind the one before them, and not both at the first token.

    There, an edit that empties the text is left out where an insertion follows: see `_apply`.
    """
    row = np.repeat(np.arange(len(gold.annotators)), np.diff(gold.edits))
    start, end = gold.spans.astype(np.int64).T
    order = np.lexsort((end, start, row))
    first, second = order[:-1], order[1:]
    same = (start[first] == start[second]) & ((end[first] == end[second]) | (start[first] == 0))
    good: npt.NDArray[np.bool_] = start <= end
    good[second] &= (row[first] != row[second]) | ((end[first] <= start[second]) & ~same)
    return good


def _as_tokenised(gold: EncodedEdits, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """Which edits have a correction that the tokeniser of the official program leaves as it is."""
    words = vocabulary.tokens
    known: dict[tuple[int, ...], bool] = {}
    good = np.empty(len(gold.spans), dtype=np.bool_)
    corrections = [*gold.tokens.lists()]
    for edit, correction in enumerate(gold.corrections[:-1].tolist()):
        key = tuple(corrections[correction])
        if key not in known:
            tokens = [words[token] for token in key]
            known[key] = NEVER not in key and [*word_tokenize(" ".join(tokens))] == tokens
        good[edit] = known[key]
    return good
