"""Every edit of a system, right or wrong, and those it missed: M²'s matches for a whole corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from errata.corpus.model import Corpus
from errata.metrics.m2 import M2
from errata.metrics.m2.explanation import AnnotatorView, view
from errata.metrics.statistics import Statistics


def marked_edits(
    metric: M2,
    corpus: Corpus,
    hypotheses: Sequence[str],
    statistics: Statistics,
    known: dict[tuple[int, str], AnnotatorView] | None = None,
) -> list[AnnotatorView]:
    """For every segment, its edits against the annotator that its sentence score is taken from.

    Systems that share `known` (by segment and hypothesis) have what they wrote alike aligned once.
    """
    known = {} if known is None else known
    if metric.sentence == "last":
        rows = statistics.offsets[1:] - 1
    else:
        rows = metric.chosen(statistics, running=False)
    annotators = statistics.references[rows].tolist()
    found = []
    for i, (segment, hypothesis, annotator) in enumerate(zip(corpus, hypotheses, annotators, strict=True)):
        if (i, hypothesis) not in known:
            annotation = segment.annotation(annotator)
            assert annotation is not None
            known[i, hypothesis] = view(metric, segment.source, hypothesis, annotation)
        found.append(known[i, hypothesis])
    return found


@dataclass(frozen=True, slots=True)
class EditCounts:
    """What a system's edits look like, added up."""

    segments: int
    changed: int  # segments with at least one edit
    correct: int
    wrong: int
    missed: int
    insertions: int
    deletions: int
    replacements: int
    tokens: int  # source tokens that edits replace or delete
    by_type: dict[str, tuple[int, int]]  # gold edits of each type: found, all

    @property
    def edits(self) -> int:
        """How many edits the system made."""
        return self.insertions + self.deletions + self.replacements


def count_edits(marked: Sequence[AnnotatorView]) -> EditCounts:
    """Add up what `marked_edits` found."""
    kinds: Counter[str] = Counter()
    found: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    correct = wrong = tokens = 0
    for sentence in marked:
        for edit in sentence.edits:
            kinds["insert" if edit.start == edit.end else "replace" if edit.correction else "delete"] += 1
            tokens += edit.end - edit.start
            wrong += not edit.matched
        for wanted in sentence.gold:
            if not wanted.outside:
                gold[wanted.type] += 1
                found[wanted.type] += wanted.found
        correct += sentence.correct
    return EditCounts(
        len(marked),
        sum(1 for sentence in marked if sentence.edits),
        correct,
        wrong,
        sum(gold.values()) - correct,
        kinds["insert"],
        kinds["delete"],
        kinds["replace"],
        tokens,
        {name: (found[name], count) for name, count in gold.most_common()},
    )
