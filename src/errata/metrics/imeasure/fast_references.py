"""The annotators' texts of M2 files from arrays, where I-measure's own way of making them gives the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.corpus.columns import NEVER, EncodedEdits, EncodedReferences, corrected_texts
from errata.corpus.model import Corpus
from errata.metrics.statistics import Integers
from errata.text.treebank import is_plain, word_tokenize
from errata.text.vocabulary import Vocabulary, equal_rows


@dataclass(frozen=True)
class PlainTexts:
    """The text of every annotator, and whether the segment has nothing out of the ordinary."""

    texts: EncodedReferences
    simple: npt.NDArray[np.bool_]

    @property
    def candidates(self) -> tuple[Integers, Integers]:
        """The rows of the texts of all simple segments, and these segments; each text of a segment once."""
        ids, counts = self.texts.ids, np.diff(self.texts.offsets)
        owner, row, lengths = np.repeat(np.arange(len(counts)), counts), np.arange(len(ids)), ids.lengths
        place = row - np.repeat(self.texts.offsets[:-1], counts)
        kept = self.simple[owner]
        for before in range(1, int(counts.max(initial=0))):  # the rows of a segment at this distance
            later = np.flatnonzero(kept & (place >= before))
            later = later[lengths[later] == lengths[later - before]]
            kept[later[equal_rows(ids.select(later), ids.select(later - before))]] = False
        return row[kept], owner[kept]


def plain_texts(corpus: Corpus, *, retokenize: bool) -> PlainTexts | None:
    """The texts that gold edits make; None where some annotations are texts, or edits do not make texts.

    A segment is simple if the edits of an annotator follow each other, corrections have the tokens of the
    Penn Treebank (unless `retokenize` is false), and no text is empty: then edits need not be grouped.
    """
    rows = corpus.annotations
    if rows.as_text.any() or not rows.ascending or not rows.counts.all() or corpus.clusters is not None:
        return None
    gold = corpus.edit_ids
    texts = corrected_texts(gold, corpus.source_ids)
    if texts is None:
        return None
    good = _apart(gold) & _as_tokenised(gold, corpus.vocabulary, retokenize=retokenize)
    simple = np.ones(len(corpus), dtype=np.bool_)
    owner = np.repeat(np.arange(len(corpus)), np.diff(gold.rows))
    simple[owner[gold.owners[~good]]] = False
    simple[owner[texts.ids.lengths == 0]] = False
    return PlainTexts(texts, simple)


def _apart(gold: EncodedEdits) -> npt.NDArray[np.bool_]:
    """Which edits begin behind the one before them, and not both at the first token.

    There, an edit that empties the text is left out where an insertion follows: see `_apply`.
    """
    row, (start, end), order = gold.owners, gold.spans.T, gold.ascending
    first, second = order[:-1], order[1:]
    same = (start[first] == start[second]) & ((end[first] == end[second]) | (start[first] == 0))
    good: npt.NDArray[np.bool_] = start <= end
    good[second] &= (row[first] != row[second]) | ((end[first] <= start[second]) & ~same)
    return good


def _as_tokenised(gold: EncodedEdits, vocabulary: Vocabulary, *, retokenize: bool) -> npt.NDArray[np.bool_]:
    """Which edits have a regular correction that the tokeniser of the official program leaves as it is."""
    corrections = gold.tokens.select(gold.corrections[:-1])
    odd = np.zeros(len(vocabulary) + 1, dtype=np.bool_)  # tokens; the last one stands for NEVER
    spelled: dict[int, str] = {}
    if retokenize:
        odd[corrections.values] = True
        used = np.flatnonzero(odd[:-1]).tolist()
        spelled.update(zip(used, vocabulary.some_tokens(used), strict=True))
        odd[used] = [not is_plain(word) for word in spelled.values()]
    odd[NEVER] = True
    before = np.concatenate([[0], np.cumsum(odd[corrections.values])])[corrections.offsets]
    good: npt.NDArray[np.bool_] = before[1:] == before[:-1]
    for edit in np.flatnonzero(~good).tolist() if retokenize else ():
        tokens = [spelled.get(token, "") for token in corrections[edit].tolist()]
        good[edit] = [*word_tokenize(" ".join(tokens))] == tokens
    return good
