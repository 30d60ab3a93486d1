"""The edits of a system, right, wrong or missed: what M² matches, for a sentence or a whole corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from errata.corpus.model import Annotation, Corpus, Edit
from errata.metrics.m2 import M2
from errata.metrics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class SystemEdit:
    """An edit of the system, and the indices of the gold edits that it matches."""

    start: int
    end: int
    source: str
    correction: str
    matched: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GoldEdit:
    """An edit of an annotator, and whether the system made it."""

    start: int
    end: int
    source: str
    corrections: tuple[str, ...]
    type: str
    found: bool
    outside: bool  # reaches outside the sentence and is ignored


@dataclass(frozen=True, slots=True)
class AnnotatorView:
    """The edits of a hypothesis against those of one annotator, with the resulting score."""

    annotator: int
    edits: tuple[SystemEdit, ...]
    gold: tuple[GoldEdit, ...]
    correct: int
    proposed: int
    gold_count: int
    precision: float
    recall: float
    f: float


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


def view(metric: M2, source: str, hypothesis: str, annotation: Annotation) -> AnnotatorView:
    """Match the edits of a hypothesis with those of one annotator."""
    before, after = source.split(), hypothesis.split()
    inside = [
        i
        for i, gold in enumerate(annotation.edits)
        if 0 <= gold.start <= len(before) and 0 <= gold.end <= len(before)
    ]
    edits = []
    first = 0  # gold edits before this one no longer match
    spans = [] if before == after else metric.system_edits(source, hypothesis, annotation)
    for start, end, begin, stop in spans:
        text = " ".join(after[begin:stop])
        matched = tuple(i for i in inside if i >= first and _same(annotation.edits[i], start, end, text))
        if matched:
            first = matched[-1] + 1
        edits.append(SystemEdit(start, end, " ".join(before[start:end]), text, matched))
    matched_gold = {i for edit in edits for i in edit.matched}
    correct, proposed, count = len(matched_gold), len(edits), len(inside)
    return AnnotatorView(
        annotation.annotator,
        tuple(edits),
        _gold(annotation.edits, before, matched_gold, set(inside)),
        correct,
        proposed,
        count,
        correct / proposed if proposed else 1.0,
        correct / count if count else 1.0,
        metric.sentence_score(annotation.annotator, correct, proposed, count).f,
    )


def _gold(
    edits: Sequence[Edit], before: Sequence[str], matched: set[int], inside: set[int]
) -> tuple[GoldEdit, ...]:
    return tuple(
        GoldEdit(
            edit.start,
            edit.end,
            " ".join(before[edit.start : edit.end]) if i in inside else "",
            edit.corrections,
            edit.type,
            i in matched,
            i not in inside,
        )
        for i, edit in enumerate(edits)
    )


def _same(gold: Edit, start: int, end: int, text: str) -> bool:
    return gold.start == start and gold.end == end and text in gold.corrections
