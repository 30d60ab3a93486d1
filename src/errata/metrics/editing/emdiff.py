"""EM-Diff: the share of changes that are exactly those of a reference (EditEval, Dwivedi-Yu et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import levenshtein_edits
from errata.corpus.corpus_cache import once
from errata.corpus.model import Corpus
from errata.metrics.base import SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.statistics import Floats, Integers
from errata.native import changes as kernel
from errata.native.ragged import Ragged
from errata.text.lines import Lines, code_points
from errata.text.vocabulary import spelled

Change = tuple[str, str]  # the text before and after
_BLANK = ord(" ")
_MOST_CELLS = 4_000_000  # characters of one text times those of the other


@dataclass(frozen=True)
class EMDiff(SentenceMetric):
    """|D ∩ R| / max(1, |D|, |R|) of the changes D of an output and R of its best reference.

    Changes are differences of characters, widened to whole words where they begin or end inside a word;
    those that touch in the source are one change. The definition is EditEval's, but its program divides some
    words differently: scores of systems differ from it by up to 0.011 (see docs/metrics/editing.md). Texts of
    several thousand characters, whose characters would take minutes to compare, are compared word by word.
    """

    name: ClassVar[str] = "emdiff"
    title: ClassVar[str] = "EM-Diff"
    parts: ClassVar[tuple[str, ...]] = ("emdiff",)
    computed_by = "native"

    def scores(self, batch: Batch) -> Floats:
        """The best share over the references."""
        corpus, owner = batch.distinct
        gold = once(corpus, "changes", lambda: _referenced(corpus))
        require_references(np.diff(gold.rows)[owner], self.name, batch.corpus.first)
        vocabulary = batch.corpus.vocabulary
        lines = spelled(vocabulary.encode_lines(batch.hypotheses), vocabulary.code_points(), _BLANK)
        shares: Floats = kernel.change_shares(
            gold.source, lines, owner, gold.texts, gold.rows, gold.changes, _MOST_CELLS
        )
        for segment in np.flatnonzero(shares < 0).tolist():
            source, output = batch.sources[segment], batch.hypotheses[segment]
            of_output = changes(source, output)
            of_references = [changes(source, text) for text in batch.references[segment]]
            shares[segment] = max(
                len(of_output & other) / max(1, len(of_output), len(other)) for other in of_references
            )
        return shares


@dataclass(frozen=True)
class _Referenced:
    """The characters of the sources and references of a corpus, and the changes between them."""

    source: Ragged
    texts: Ragged
    rows: Integers
    changes: tuple[Integers, npt.NDArray[np.int32], npt.NDArray[np.uint8]]  # see `errata.native.changes`


def _referenced(corpus: Corpus) -> _Referenced:
    ids, references = corpus.source_ids, corpus.reference_ids
    letters = corpus.vocabulary.code_points()
    source, texts = (spelled(rows, letters, _BLANK) for rows in (ids, references.ids))
    owner = np.repeat(np.arange(len(corpus), dtype=np.int64), np.diff(references.offsets))
    return _Referenced(source, texts, references.offsets, kernel.changes(source, texts, owner, _MOST_CELLS))


def changes(source: str, text: str) -> frozenset[Change]:
    """The text before and after, for every change of a source; runs of white space count as one blank."""
    source, text = " ".join(source.split()), " ".join(text.split())
    before, after = (code_points(Lines.of([each])) for each in (source, text))
    _, spans, large = kernel.changes(before, after, np.zeros(1, dtype=np.int64), _MOST_CELLS)
    if large[0]:
        words = source.split()
        edits = levenshtein_edits(words, text.split())
        return frozenset((" ".join(words[start:end]), correction) for start, end, correction in edits)
    return frozenset((source[begin:end], text[start:stop]) for begin, end, start, stop in spans.tolist())
