"""EM-Diff: the share of changes that are exactly those of a reference (EditEval, Dwivedi-Yu et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from errata.corpus.known import once
from errata.corpus.model import Corpus
from errata.corpus.rewriting import levenshtein_edits
from errata.engine import spread
from errata.engine.divided import Divided
from errata.kernels import changes as kernel
from errata.kernels.ragged import Ragged
from errata.metrics.base import SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.statistics import Floats, Integers
from errata.text.lines import Lines
from errata.text.vocabulary import code_points, spelled

Change = tuple[str, str]  # the text before and after
_BLANK = ord(" ")
_MOST_CELLS = 4_000_000  # characters of one text times those of the other


@dataclass(frozen=True)
class EMDiff(SentenceMetric):
    """|D ∩ R| / max(1, |D|, |R|) of the changes D of an output and R of its best reference.

    Changes are differences of characters, widened to whole words where they begin or end inside of a word;
    those that touch in the source are one change. The definition is EditEval's, but its program divides some
    words differently: scores of systems differ from it by up to 0.011 (see docs/metrics/editing.md). Texts of
    several thousand characters, whose characters would take minutes to compare, are compared word by word.
    """

    name: ClassVar[str] = "emdiff"
    title: ClassVar[str] = "EM-Diff"
    parts: ClassVar[tuple[str, ...]] = ("emdiff",)
    concurrent: ClassVar[bool] = True

    def scores(self, batch: Batch) -> Floats:
        """The best share over the references."""
        corpus, owner = batch.distinct
        known = once(corpus, "changes", lambda: _referenced(corpus, batch.jobs))
        require_references(np.diff(known.rows)[owner], self.name, batch.corpus.first)
        vocabulary = batch.corpus.vocabulary
        lines = spelled(vocabulary.encode_lines(batch.hypotheses), vocabulary.code_points(), _BLANK)
        out = np.zeros(len(batch))
        texts = (*known.source.arrays, *lines.arrays, owner, _MOST_CELLS)
        arrays = (*texts, *known.texts.arrays, known.rows, *known.changes())
        spread(lambda start, stop: kernel.change_shares(*arrays, start, stop, out), len(batch), batch.jobs)
        for segment in np.flatnonzero(out < 0).tolist():
            source, output = batch.sources[segment], batch.hypotheses[segment]
            ours = changes(source, output)
            theirs = [changes(source, text) for text in batch.references[segment]]
            out[segment] = max(len(ours & some) / max(1, len(ours), len(some)) for some in theirs)
        return out


Changes = tuple[Integers, npt.NDArray[np.int32], npt.NDArray[np.uint8]]  # as the kernel writes them


@dataclass(frozen=True)
class _Referenced:
    """The characters of the sources and references of a corpus, and the changes between them."""

    source: Ragged
    texts: Ragged
    rows: Integers
    changes: Divided[Changes]


_AT_A_TIME = 512  # references that one thread compares with their sources


def _referenced(corpus: Corpus, jobs: int | None) -> _Referenced:
    ids, references = corpus.source_ids, corpus.reference_ids
    letters = corpus.vocabulary.code_points()
    source, texts = (spelled(some, letters, _BLANK) for some in (ids, references.ids))
    owner = np.repeat(np.arange(len(corpus), dtype=np.int64), np.diff(references.offsets))
    starts = range(0, max(1, len(owner)), _AT_A_TIME)
    parts = [partial(_changes, source, texts, owner, start) for start in starts]
    return _Referenced(source, texts, references.offsets, Divided(parts, _joined, jobs))


def _changes(source: Ragged, texts: Ragged, owner: Integers, start: int = 0) -> Changes:
    """The changes that make some texts, from number `start` on, of their sources."""
    owner, offsets = owner[start : start + _AT_A_TIME], texts.offsets[start : start + _AT_A_TIME + 1]
    places, large = np.zeros(len(owner) + 1, dtype=np.int64), np.zeros(len(owner), dtype=np.uint8)
    spans = np.empty((4 * len(owner) + 1, 4), dtype=np.int32)
    arrays, done = (*source.arrays, texts.values, offsets, owner, _MOST_CELLS), 0
    while (done := kernel.changes(*arrays, done, places, spans, large)) < len(owner):
        more = np.empty((len(spans) + int(source.lengths[owner[done]]), 4), dtype=np.int32)
        spans = np.concatenate([spans, more])
    return places, spans[: places[-1]].copy(), large


def _joined(parts: Sequence[Changes]) -> Changes:
    counts, spans, large = zip(*((np.diff(places), *rest) for places, *rest in parts), strict=True)
    places = np.cumsum(np.concatenate([[0], *counts], dtype=np.int64))
    return places, np.concatenate(spans), np.concatenate(large)


def changes(source: str, text: str) -> frozenset[Change]:
    """The text before and after, for every change of a source; runs of white space count as one blank."""
    source, text = " ".join(source.split()), " ".join(text.split())
    before, after = (code_points(Lines.of([each])) for each in (source, text))
    _, spans, large = _changes(before, after, np.zeros(1, dtype=np.int64))
    if large[0]:
        words = source.split()
        edits = levenshtein_edits(words, text.split())
        return frozenset((" ".join(words[start:end]), correction) for start, end, correction in edits)
    return frozenset((source[begin:end], text[start:stop]) for begin, end, start, stop in spans.tolist())
