"""M², the MaxMatch score (Dahlmeier & Ng 2012), with the counts of the official `m2scorer`.

Of all minimal alignments of source and hypothesis, M² takes the one whose edits agree best with the gold
edits of an annotator, and computes F of correct, proposed and gold edits. Each sentence has the annotator
that gives the best F of the totals up to there. SentM2 is a mean over sentences instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.corpus.apply_edits import levenshtein_edits, levenshtein_runs
from errata.corpus.columns import NEVER, AnnotationColumns, EditColumns, EncodedEdits, encode_edits
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment, annotated
from errata.errors import DataError
from errata.metrics.base import NativeScanMetric, Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics, cut_segments
from errata.metrics.totals import f_beta, share
from errata.native import m2 as native_m2
from errata.native import scans
from errata.native.ragged import Ragged
from errata.text.lines import Lines
from errata.text.python2 import VOWEL_SEPARATOR, dictionary_order, lower_case_5_2
from errata.text.vocabulary import SentenceVocabulary, Vocabulary

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation
    from errata.significance.permutation import Swapper

Span = tuple[int, int, int, int]  # of an edit: source start and end, hypothesis start and end
MAX_ARCS = 1 << 25  # of a sentence's lattice, about half a second; beyond, edits are grown edge by edge
_MAX_CELLS = 1 << 24  # of a sentence's grid: ranks of arcs hold vertex numbers of 24 bits
_MAX_TOKENS = 1 << 20  # a scorer that has encoded more distinct tokens starts a new vocabulary
_NO_LETTERS = Ragged(np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64))
_FEW_SAMPLES = 16  # up to this number, leaving out rows first takes longer than it saves
_DISTINCT = 1e-6  # masses closer than this may be rounded to the same when added to large totals
_INSTEAD = {
    "memory": "edits of one Levenshtein alignment, not of the best of all",
    "work": "edits grown edge by edge; of equally good readings another may have been taken",
}


class M2Sentence(NamedTuple):
    """The score of one sentence: F of the chosen annotator, and that annotator's counts."""

    f: float
    correct: int
    proposed: int
    gold: int
    annotator: int


@dataclass(frozen=True)
class M2(NativeScanMetric):
    """F_β of the edits, in the minimal alignment that agrees best with the gold edits.

    Edits may contain up to `max_unchanged_words` unchanged words. With `ignore_whitespace_casing`, edits that
    only change case or white space do not count. `sentence="last"` scores single sentences by the last
    annotator instead of the best, as the files published with Chollampatt & Ng (2018) do.
    `insertions="2014"` repeats a fault of scorers before 2016, one of which comes with QALB: an insertion at
    the beginning of a sentence is found only if it is the first word of the hypothesis.
    """

    beta: float = parameter(0.5, at_least=0)
    max_unchanged_words: int = parameter(2, at_least=0)
    ignore_whitespace_casing: bool = False
    sentence: str = parameter("best", choices=("best", "last"))
    insertions: str = parameter("2016", choices=("2016", "2014"))

    name: ClassVar[str] = "m2"
    white_space = "unicode"
    title: ClassVar[str] = "M²"
    columns: ClassVar[tuple[str, ...]] = ("correct", "proposed", "gold")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "correct", "proposed", "gold")
    computed_by = "native"
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})

    def settings(self) -> dict[str, object]:
        """The parameters; the year of the insertions only if it is not the usual one."""
        settings = dict(super().settings())
        if self.insertions == "2016":
            del settings["insertions"]
        return settings

    # -- text to counts ----------------------------------------------------------------------------

    def counts(self, batch: Batch) -> Statistics:
        """Counts of correct, proposed and gold edits for every segment and annotator."""
        corpus, hypotheses = _split_as_python2(batch.corpus, batch.hypotheses)
        gold = corpus.edit_ids
        if (gold.rows[1:] == gold.rows[:-1]).any():
            raise DataError(
                f"segment {np.argmin(np.diff(gold.rows)) + corpus.first} has no annotation to compare with",
                hint="M² needs gold edits (an M2 file) or a reference text for every segment",
            )
        texts = corpus.vocabulary.encode_lines(hypotheses)
        values, long, grown = self._align(corpus.source_ids, texts, gold, self._letters(corpus.vocabulary))
        for i in np.flatnonzero(long).tolist():
            begin, end = gold.rows[i : i + 2].tolist()
            values[begin:end] = self._plain_counts(corpus.sources[i], hypotheses[i], corpus[i].annotations)
        exceeded = {
            i: "memory" if long[i] else "work"
            for i in np.flatnonzero(long | (grown > 0)).tolist()
            if not np.array_equal(corpus.source_ids[i], texts[i])  # otherwise nothing had to be aligned
        }
        cuts = cut_segments(exceeded, corpus.source_ids, texts, _INSTEAD)
        rows = corpus.once("M2 rows", lambda: _visited_rows(corpus))
        return Statistics(self.columns, values[rows], gold.rows, gold.annotators[rows], cuts)

    def _align(
        self, sources: Ragged, texts: Ragged, gold: EncodedEdits, letters: Ragged
    ) -> tuple[Integers, npt.NDArray[np.bool_], npt.NDArray[np.uint8]]:
        """The counts of all rows, and marks of segments with too much memory and too many arcs.

        Segments that need too much memory are not counted.
        """
        long, problem = self._problem(sources, texts, gold, letters)
        values, grown = native_m2.count_edits(*problem)
        return values, long, grown

    def _problem(
        self, sources: Ragged, texts: Ragged, gold: EncodedEdits, letters: Ragged
    ) -> tuple[npt.NDArray[np.bool_], tuple[object, ...]]:
        """Marks of segments with too much memory, and all arguments of the native functions."""
        if self.insertions == "2014":
            gold = _with_leading_words_alone(gold, texts)
        now, unchanged = limits.current(), self.max_unchanged_words
        cell_bytes = 69 + 12 * (2 * unchanged + 1) + 40 * np.diff(gold.rows)
        cells = (sources.lengths + 1) * (texts.lengths + 1)
        long: npt.NDArray[np.bool_] = cells > np.minimum(now.memory // cell_bytes, _MAX_CELLS)
        most_arcs = min(now.work, MAX_ARCS)
        return long, (sources, texts, gold, letters, unchanged, most_arcs, long.view(np.uint8))

    def _letters(self, vocabulary: Vocabulary | SentenceVocabulary) -> Ragged:
        """Every token as lower-cased characters, if edits of case and blanks alone do not count."""
        if not self.ignore_whitespace_casing:
            return _NO_LETTERS
        tokens = vocabulary.tokens
        codes = folded(tokens).encode("utf-32-le", "surrogatepass")  # as many characters as before
        offsets = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
        return Ragged(np.frombuffer(codes, dtype="<i4").astype(np.int32), offsets)

    def _plain_counts(
        self, source: str, hypothesis: str, annotations: Sequence[Annotation]
    ) -> list[tuple[int, int, int]]:
        """Counts of the edits of a single minimal alignment, neighbouring changes joined."""
        words = source.split()
        edits = levenshtein_edits(words, hypothesis.split())
        if self.ignore_whitespace_casing:
            edits = [e for e in edits if folded(words[e[0] : e[1]]) != folded(e[2].split())]
        rows = []
        for annotation in sorted(annotations, key=lambda a: a.annotator):
            gold = [e for e in annotation.edits if 0 <= e.start <= len(words) and 0 <= e.end <= len(words)]
            right = {(edit.start, edit.end, text) for edit in gold for text in edit.corrections}
            rows.append((len({*edits} & right), len(edits), len(gold)))
        return rows

    # -- counts to scores --------------------------------------------------------------------------

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Corpus scores; for many samples, rows that can never be chosen are left out first."""
        if len(weights) > _FEW_SAMPLES:
            statistics = without_dominated(statistics, self.beta)
        return super().aggregate(statistics, weights)

    @property
    def scan_rule(self) -> tuple[int, float]:
        """Annotators are compared by F of the totals."""
        return scans.M2, self.beta

    def from_totals(self, totals: Numbers) -> Floats:
        """F, precision and recall of total counts, and the counts."""
        return np.column_stack([*self._f(totals), totals])

    def _f(self, totals: Numbers) -> tuple[Floats, Floats, Floats]:
        """F, precision and recall of total counts."""
        correct, proposed, gold = totals.T
        precision, recall = share(correct, proposed), share(correct, gold)
        return f_beta(precision, recall, self.beta), precision, recall

    def swapper(self, systems: Sequence[Statistics]) -> Swapper:
        """Scores of pairs with segments swapped; most segments have the same row in every permutation."""
        from errata.significance.permutation_pruning import never_chosen, running_swapper

        fewer = [without_dominated(statistics, self.beta) for statistics in systems]
        unused = never_chosen(fewer, [self._form(statistics) for statistics in fewer])
        return running_swapper(fewer, unused, self.scan_rule, lambda totals: self._f(totals)[0])

    def _form(self, statistics: Statistics) -> Floats:
        """Hits and mass of every row; F is their ratio."""
        correct, proposed, gold = statistics.values.T
        return np.stack([correct, self.beta**2 * gold + proposed], axis=1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """F_β of every single segment: of its best annotator, or its last one."""
        correct, proposed, gold = statistics.values[self.sentence_rows(statistics)].T
        return share((1 + self.beta**2) * correct, self.beta**2 * gold + proposed)

    def sentence_rows(self, statistics: Statistics) -> Integers:
        """The number of the row that determines the score of each single sentence."""
        if self.sentence == "last":
            return statistics.offsets[1:] - 1
        return self.chosen(statistics, running=False)

    def sweep(
        self, statistics: Statistics, betas: Sequence[float], weights: Integers | None = None
    ) -> npt.NDArray[np.float64]:
        """Corpus scores for many β (β × samples × parts); nothing is aligned again."""
        if weights is None:
            weights = np.ones((1, len(statistics)), dtype=np.int64)
        return np.stack([replace(self, beta=beta).aggregate(statistics, weights) for beta in betas])

    # -- single sentences --------------------------------------------------------------------------

    def scorer(self, source: str, references: Sequence[str | Sequence[Edit]]) -> M2Scorer:
        """One source and its references prepared: `scorer(hypothesis)` gives F and counts at once.

        For loops that score one hypothesis after the other; `score_batch` scores many at once. A reference
        is a text or its edits.
        """
        if not references:
            raise DataError("a sentence needs at least one reference")
        return M2Scorer(self, source, annotated(source, references).annotations)

    def score_sentence(
        self, source: str, hypothesis: str, references: Sequence[str | Sequence[Edit]]
    ) -> M2Sentence:
        """F and counts of one sentence; `scorer` is faster for many hypotheses of one source."""
        return self.scorer(source, references)(hypothesis)

    def sentence_score(self, annotator: int, correct: int, proposed: int, gold: int) -> M2Sentence:
        """F of the counts of a single annotator."""
        mass = self.beta**2 * gold + proposed
        f = (1 + self.beta**2) * correct / mass if mass else 1.0
        return M2Sentence(f, correct, proposed, gold, annotator)

    def paths(
        self, corpus: Corpus, hypotheses: Sequence[str], segments: Sequence[int], annotators: Sequence[int]
    ) -> list[list[Span]]:
        """The edits of the best path for each of these segments and one of its annotators."""
        corpus, hypotheses = _split_as_python2(corpus, hypotheses)
        places, gold = np.array(segments, dtype=np.int64), corpus.edit_ids
        rows = [
            begin + gold.annotators[begin:end].tolist().index(annotator)
            for begin, end, annotator in zip(
                gold.rows[places], gold.rows[places + 1], annotators, strict=True
            )
        ]
        texts = corpus.vocabulary.encode_lines(hypotheses).select(places)
        gold = gold.select_rows(np.array(rows, dtype=np.int64))
        letters = self._letters(corpus.vocabulary)
        long, problem = self._problem(corpus.source_ids.select(places), texts, gold, letters)
        paths: list[list[Span]] = []
        for i, path, is_long in zip(segments, native_m2.edit_paths(*problem), long, strict=True):
            spans = list(map(tuple, path))
            if is_long or self.ignore_whitespace_casing:
                before, after = corpus.sources[i].split(), hypotheses[i].split()
                spans = levenshtein_runs(before, after) if is_long else spans
            if self.ignore_whitespace_casing:
                spans = [(a, b, c, d) for a, b, c, d in spans if folded(before[a:b]) != folded(after[c:d])]
            paths.append(spans)
        return paths

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The edits of the hypothesis against those of every annotator."""
        from errata.metrics.explainers import explain_m2

        return explain_m2(self, segment, hypothesis)


class M2Scorer:
    """Scores one hypothesis after another of the same source against the same references."""

    def __init__(self, metric: M2, source: str, annotations: Sequence[Annotation]) -> None:
        self.metric = metric
        self._segment = _blanked_segment(Segment(source, tuple(annotations)))
        self._words = self._segment.tokens
        self._order = _visited([annotation.annotator for annotation in annotations])
        self._prepare()

    def _prepare(self) -> None:
        self._vocabulary = SentenceVocabulary()
        self._source = self._vocabulary.encode([self._words])
        rows = AnnotationColumns.of([self._segment.annotations])
        rows = replace(rows, edits=EditColumns.of([a.edits for a in self._segment.annotations]))
        self._gold = encode_edits(rows, self._source.lengths, self._vocabulary)
        self._unchanged = [[0, 0, gold] for gold in np.diff(self._gold.edits).tolist()]

    def __call__(self, hypothesis: str) -> M2Sentence:
        """F of the best annotator (or the last one, if the metric says so), with its counts."""
        metric = self.metric
        words = blanked(hypothesis).split()
        counts = self._unchanged if words == self._words else self._count(words)
        rows = [metric.sentence_score(row, *counts[row]) for row in self._order]
        if metric.sentence == "last" or len(rows) == 1:
            return rows[-1]
        return max(rows, key=lambda row: (row.f, row.correct, -row.proposed - metric.beta**2 * row.gold))

    def _count(self, words: list[str]) -> list[list[int]]:
        """Counts for every annotator."""
        if len(self._vocabulary) > _MAX_TOKENS:
            self._prepare()
        text = self._vocabulary.encode([words])
        letters = self.metric._letters(self._vocabulary)
        values, long, _ = self.metric._align(self._source, text, self._gold, letters)
        if long[0]:
            source, annotations = self._segment.source, self._segment.annotations
            return [*map(list, self.metric._plain_counts(source, " ".join(words), annotations))]
        counts: list[list[int]] = values.tolist()
        return counts


def _with_leading_words_alone(gold: EncodedEdits, texts: Ragged) -> EncodedEdits:
    """The gold, in which an insertion at the beginning can only match the first word of the hypothesis.

    Scorers before 2016 place each additional inserted word one token further to the right.
    """
    owners = np.repeat(np.arange(len(gold.spans)), np.diff(gold.corrections))  # the edit of each correction
    rows = np.repeat(np.arange(len(gold.rows) - 1), np.diff(gold.rows))[gold.owners][owners]
    first = np.full(len(texts), NEVER, dtype=np.int32)
    filled = texts.lengths > 0
    first[filled] = texts.values[texts.offsets[:-1][filled]]
    single = gold.tokens.lengths == 1
    matches_first = np.zeros(len(owners), dtype=np.bool_)
    matches_first[single] = gold.tokens.values[gold.tokens.offsets[:-1][single]] == first[rows[single]]
    lost = (gold.spans[owners] == 0).all(axis=1) & ~matches_first
    never = Ragged(np.array([NEVER], dtype=np.int32), np.array([0, 1], dtype=np.int64))
    places = np.where(lost, len(owners), np.arange(len(owners), dtype=np.int64))
    return replace(gold, tokens=Ragged.concatenated([gold.tokens, never]).select(places))


def folded(tokens: Sequence[str]) -> str:
    """The text without blanks and case, lower-cased as the official scorer does it under Python 2.7."""
    return lower_case_5_2("".join(tokens))


def visiting_order(annotators: Sequence[int]) -> list[int]:
    """The places of annotators in the order in which the official scorer visits them.

    It reads them into a dictionary of Python 2, in the order of the file, and copies this one into another.
    """
    first = dictionary_order(annotators)
    return [first[place] for place in dictionary_order([annotators[place] for place in first])]


def _visited(annotators: Sequence[int]) -> list[int]:
    """The same order as places among the ascending annotators."""
    ascending = sorted(range(len(annotators)), key=annotators.__getitem__)
    return [ascending.index(place) for place in visiting_order(annotators)]


def _visited_rows(corpus: Corpus) -> Integers | slice:
    """For every row of the statistics, the row of the corpus' encoded edits, whose annotators ascend."""
    rows = corpus.annotations
    if rows.annotators.max(initial=0) < 8:  # the order is that of the numbers
        return slice(None)
    places = pairwise(rows.offsets.tolist())
    visited = [begin + row for begin, end in places for row in _visited(rows.annotators[begin:end].tolist())]
    return np.array(visited, dtype=np.int64)


def _split_as_python2(corpus: Corpus, hypotheses: Sequence[str]) -> tuple[Corpus, Sequence[str]]:
    """The texts with a blank in place of each U+180E, at which the official scorer splits them."""
    code = VOWEL_SEPARATOR.encode()
    outputs, sources = Lines.of(hypotheses), corpus.source_texts
    if code in outputs.data:
        outputs = Lines.of([blanked(line) for line in outputs])
    columns = corpus.annotations
    if any(code in lines.data for lines in (sources, columns.texts, columns.edits.texts)):
        corpus, first = Corpus(map(_blanked_segment, corpus)), corpus.first
        corpus.first = first
    return corpus, outputs


def blanked(text: str) -> str:
    """The text with a blank in place of each U+180E."""
    return text.replace(VOWEL_SEPARATOR, " ")


def blanked_annotation(annotation: Annotation) -> Annotation:
    """The annotation with blanks; a correction that has a U+180E between two words matches nothing."""
    corrections = [text for edit in annotation.edits for text in edit.corrections]
    if not any(VOWEL_SEPARATOR in text for text in (annotation.source, *corrections)):
        return annotation
    source, annotator = blanked(annotation.source), annotation.annotator
    if annotation.given_as_text:
        return Annotation(source, text=blanked(annotation.text), annotator=annotator)
    edits = []
    for edit in annotation.edits:
        correction, *others = [text.strip(f" {VOWEL_SEPARATOR}") for text in edit.corrections]
        edits.append(replace(edit, correction=correction, alternatives=tuple(others)))
    return Annotation(source, edits=edits, annotator=annotator, implicit=annotation.implicit)


def _blanked_segment(segment: Segment) -> Segment:
    annotations = tuple(map(blanked_annotation, segment.annotations))
    return replace(segment, source=blanked(segment.source), annotations=annotations)


def without_dominated(statistics: Statistics, beta: float) -> Statistics:
    """The statistics (correct, proposed, gold) without the rows that another row always beats.

    F_β = (1 + β²)·correct / (β²·gold + proposed) of totals grows with correct and falls with the others. So a
    row that has no more correct and no less proposed and gold than another of its segment is never chosen.
    Most segments are left without a choice, which makes many scans fast and changes none.
    """
    correct, proposed, gold = statistics.values.T
    mass = beta**2 * gold + proposed
    row, other = statistics.rivals()
    as_good = (
        (correct[other] >= correct[row]) & (proposed[other] <= proposed[row]) & (gold[other] <= gold[row])
    )
    # the first of equal rows is chosen
    wins = (correct[other] > correct[row]) | (mass[row] - mass[other] > _DISTINCT) | (other < row)
    return statistics.without(np.bincount(row[as_good & wins], minlength=len(mass)) > 0)


@dataclass(frozen=True)
class SentM2(SentenceMetric):
    """The mean over sentences of M²'s F_β, each sentence against its best annotator.

    A sentence without gold edits that was left alone has 1. The parameters are those of M².
    """

    beta: float = parameter(0.5, at_least=0)
    max_unchanged_words: int = parameter(2, at_least=0)
    ignore_whitespace_casing: bool = False

    name: ClassVar[str] = "sentm2"
    white_space = "unicode"
    title: ClassVar[str] = "SentM²"
    parts: ClassVar[tuple[str, ...]] = ("f",)
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})
    computed_by = "native"

    @property
    def m2(self) -> M2:
        """The metric that scores the sentences."""
        return M2(self.beta, self.max_unchanged_words, self.ignore_whitespace_casing)

    def scores(self, batch: Batch) -> Floats:
        """F of every sentence."""
        return self.m2.sentence_scores(self.m2.counts(batch))

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The explanation of M²."""
        return self.m2.explain(segment, hypothesis)
