"""M² of sentences beyond the limits: one plain alignment in place of all minimal ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import levenshtein_edits, levenshtein_runs
from errata.corpus.model import Annotation, Corpus
from errata.metrics.statistics import Cut, Integers

if TYPE_CHECKING:
    from errata.metrics.m2 import M2

PLAIN = "edits of one Levenshtein alignment, not of the best of all"
GROWN = "edits grown edge by edge; of equally good readings another may have been taken"
Counts = list[tuple[int, int, int]]  # correct, proposed, gold of every annotator


def plain_counts(metric: M2, source: str, hypothesis: str, annotations: Sequence[Annotation]) -> Counts:
    """Counts of the edits of a single minimal alignment, neighbouring changes joined."""
    from errata.metrics.m2 import folded

    words = source.split()
    edits = levenshtein_edits(words, hypothesis.split())
    if metric.ignore_whitespace_casing:
        edits = [e for e in edits if folded(words[e[0] : e[1]]) != folded(e[2].split())]
    proposed = set(edits)
    rows = []
    for annotation in sorted(annotations, key=lambda a: a.annotator):
        gold = [e for e in annotation.edits if 0 <= e.start <= len(words) and 0 <= e.end <= len(words)]
        wanted = {(edit.start, edit.end, text) for edit in gold for text in edit.corrections}
        rows.append((len(proposed & wanted), len(edits), len(gold)))
    return rows


def plain_spans(source: Sequence[str], hypothesis: Sequence[str]) -> npt.NDArray[np.int32]:
    """The same edits as spans of source and hypothesis tokens."""
    return np.array(levenshtein_runs(source, hypothesis), dtype=np.int32).reshape(-1, 4)


def cut_segments(
    metric: M2,
    corpus: Corpus,
    hypotheses: Sequence[str],
    long: npt.NDArray[np.bool_],
    grown: npt.NDArray[np.uint8],
    values: Integers,
) -> tuple[Cut, ...]:
    """Count the segments over the limit of memory, and list all segments over a limit."""
    cuts = []
    for i in np.flatnonzero(long | (grown > 0)).tolist():
        source, hypothesis = corpus.sources[i], hypotheses[i]
        begin, end = corpus.edit_ids.rows[i : i + 2].tolist()
        if long[i]:
            values[begin:end] = plain_counts(metric, source, hypothesis, corpus[i].annotations)
        words, others = source.split(), hypothesis.split()
        if words != others:  # otherwise nothing had to be aligned
            cuts.append(Cut(i, len(words), len(others), *(("memory", PLAIN) if long[i] else ("work", GROWN))))
    return tuple(cuts)
