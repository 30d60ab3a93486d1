"""The edits that M² compares, marked as right, wrong or missed, for a sentence or a whole corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.metrics.m2 import M2, Span, blanked, blanked_annotation
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
    """An edit of an annotator, and whether the system has it."""

    start: int
    end: int
    source: str
    corrections: tuple[str, ...]
    type: str
    matched: bool
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
    cache: dict[tuple[int, str], AnnotatorView] | None = None,
    *,
    running: bool = False,
) -> list[AnnotatorView]:
    """For every segment, its edits against the annotator that decides its sentence score.

    With `running`, it is the annotator that the corpus score has chosen. With a common `cache` (by segment
    and hypothesis), equal hypotheses of several systems are aligned once.
    """
    cache = {} if cache is None else cache
    rows = metric.chosen(statistics) if running else metric.sentence_rows(statistics)
    annotators = statistics.references[rows].tolist()
    new = [i for i, hypothesis in enumerate(hypotheses) if (i, hypothesis) not in cache]
    paths = metric.paths(corpus, hypotheses, new, [annotators[i] for i in new])
    for i, spans in zip(new, paths, strict=True):
        segment, hypothesis = corpus[i], hypotheses[i]
        annotation = segment.annotation(annotators[i])
        assert annotation is not None
        cache[i, hypothesis] = _view(segment.source, hypothesis, annotation, spans, metric)
    return [cache[i, hypothesis] for i, hypothesis in enumerate(hypotheses)]


@dataclass(frozen=True, slots=True)
class EditCounts:
    """A system's edits, counted by kind."""

    segments: int
    changed: int  # segments with at least one edit
    correct: int
    wrong: int
    missed: int
    insertions: int
    deletions: int
    replacements: int
    tokens: int  # source tokens that edits replace or delete
    by_type: dict[str, tuple[int, int]]  # gold edits of each type: matched, all

    @property
    def edits(self) -> int:
        """The number of the system's edits."""
        return self.insertions + self.deletions + self.replacements


def count_edits(marked: Sequence[AnnotatorView]) -> EditCounts:
    """Count the edits of all segments."""
    kinds: Counter[str] = Counter()
    matched: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    correct = wrong = tokens = 0
    for sentence in marked:
        for edit in sentence.edits:
            kinds["insert" if edit.start == edit.end else "replace" if edit.correction else "delete"] += 1
            tokens += edit.end - edit.start
            wrong += not edit.matched
        for annotated in sentence.gold:
            if not annotated.outside:
                gold[annotated.type] += 1
                matched[annotated.type] += annotated.matched
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
        {name: (matched[name], count) for name, count in gold.most_common()},
    )


def view(metric: M2, source: str, hypothesis: str, annotation: Annotation) -> AnnotatorView:
    """Match the edits of a hypothesis with those of one annotator."""
    corpus = Corpus([Segment(source, (annotation,))])
    spans = metric.paths(corpus, [hypothesis], [0], [annotation.annotator])[0]
    return _view(source, hypothesis, annotation, spans, metric)


def _view(
    source: str, hypothesis: str, annotation: Annotation, spans: Sequence[Span], metric: M2
) -> AnnotatorView:
    annotation = blanked_annotation(annotation)
    before, after = blanked(source).split(), blanked(hypothesis).split()
    inside = [
        i
        for i, gold in enumerate(annotation.edits)
        if 0 <= gold.start <= len(before) and 0 <= gold.end <= len(before)
    ]
    edits = []
    first = 0  # gold edits before this one no longer match
    for start, end, begin, stop in spans:
        text = " ".join(after[begin:stop])
        lost = metric.insertions == "2014" and start == end == 0 and (begin, stop) != (0, 1)
        matched = tuple(
            i for i in inside if i >= first and not lost and _same(annotation.edits[i], start, end, text)
        )
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
