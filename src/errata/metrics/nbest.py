"""Many candidates of the same sources in one call: rewards in a training loop, minimum Bayes risk decoding.

Texts are split into tokens once, references are turned into edits once, and identical candidates are scored
once. The scores are those of `Metric.score`, pair by pair, to the last bit.

A metric with a first pass (CLEME, GoToScorer) is the exception: its first pass observes all candidates of a
block as one system, so that a score depends on the other candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.segment import Reference, References
from errata.errors import DataError
from errata.metrics.statistics import Floats, Integers, Statistics
from errata.native.ragged import select_runs
from errata.text.lines import Lines, check_list

_BLOCK = 1 << 16  # pairs at a time, which bounds the memory
_A_LIST_EACH = "give a list of candidates for every source, in the same order"


class Choice(NamedTuple):
    """The chosen candidate: its number, its text, and the mean of its scores."""

    number: int
    text: str
    expected: float


@dataclass(frozen=True)
class _Distinct:
    """Lists of texts, each text once; `numbers` has the index of every original text."""

    texts: list[list[str]]
    numbers: list[Integers]

    @classmethod
    def of(cls, lists: Sequence[Sequence[str]]) -> _Distinct:
        texts, numbers = [], []
        for candidates in lists:
            places: dict[str, int] = {}
            numbers.append(
                np.array([places.setdefault(text, len(places)) for text in candidates], dtype=np.int64)
            )
            texts.append(list(places))
        return cls(texts, numbers)

    @property
    def counts(self) -> Integers:
        return np.array([len(texts) for texts in self.texts], dtype=np.int64)

    def flat(self, start: int, stop: int) -> list[str]:
        return [text for texts in self.texts[start:stop] for text in texts]


class CandidateScoring:
    """The methods of `errata.metrics.base.Metric` that score many candidates of the same sources."""

    if TYPE_CHECKING:  # `Metric` has these
        by_reference: ClassVar[bool]
        higher_is_better: ClassVar[bool]

        def statistics(
            self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None
        ) -> Statistics: ...
        def sentence_scores(self, statistics: Statistics) -> Floats: ...
        def view(self, corpus: Corpus) -> Corpus: ...

    def score_batch(
        self,
        sources: Corpus | Sequence[str],
        candidates: Sequence[Sequence[str]],
        references: References | None = None,
        *,
        jobs: int | None = None,
    ) -> list[Floats]:
        """Sentence scores of many candidates: array i has those of `candidates[i]`, in their order.

        Meant for rewards. A corpus in place of the sources brings its references and is prepared only once.
        """
        corpus = sources if isinstance(sources, Corpus) else Corpus.from_lists(sources, references)
        _check(len(corpus), candidates, "candidates", _A_LIST_EACH)
        distinct = _Distinct.of(candidates)
        scores = []
        for start, stop in _blocks(distinct.counts):
            batch = corpus.repeat(_numbers(distinct.counts, start, stop))
            flat = self.sentence_scores(self.statistics(batch, distinct.flat(start, stop), jobs=jobs))
            scores += _split(flat, distinct.counts[start:stop])
        return [
            segment_scores[numbers] for segment_scores, numbers in zip(scores, distinct.numbers, strict=True)
        ]

    def score_pairs(
        self,
        sources: Sequence[str],
        candidates: Sequence[Sequence[str]],
        references: Sequence[Sequence[Reference]] | None = None,
        *,
        jobs: int | None = None,
    ) -> list[Floats]:
        """Sentence scores of every candidate against every single reference: one matrix per source.

        Rows are candidates; columns are references or, without references, the candidates again.
        """
        check_list(sources, "sources")
        _check(len(sources), candidates, "candidates", _A_LIST_EACH)
        distinct = _Distinct.of(candidates)
        texts: Sequence[Sequence[Reference]]
        if references is None:
            texts, columns = distinct.texts, distinct.numbers
        else:
            _check(len(sources), references, "references")
            texts, columns = references, [np.arange(len(row)) for row in references]
        widths = np.array([len(row) for row in texts], dtype=np.int64)
        matrices: list[Floats] = []
        for start, stop in _blocks(distinct.counts * widths):
            corpus = Corpus.from_lists(sources[start:stop], texts[start:stop])
            batch = corpus.repeat(_numbers(distinct.counts, start, stop) - start)
            rows = self.each_reference(batch, distinct.flat(start, stop), jobs=jobs)
            shapes = [*zip(distinct.counts[start:stop].tolist(), widths[start:stop].tolist(), strict=True)]
            parts = _split(self.sentence_scores(rows), np.array([height * width for height, width in shapes]))
            matrices += [scores.reshape(shape) for scores, shape in zip(parts, shapes, strict=True)]
        return [
            scores[np.ix_(rows, places)]
            for scores, rows, places in zip(matrices, distinct.numbers, columns, strict=True)
        ]

    def mbr(
        self,
        sources: Sequence[str],
        candidates: Sequence[Sequence[str]],
        references: Sequence[Sequence[Reference]] | None = None,
        *,
        weights: Sequence[Sequence[float]] | None = None,
        jobs: int | None = None,
    ) -> list[Choice]:
        """Minimum Bayes risk decoding: per source, the candidate with the best mean over the references.

        The references are the candidates themselves unless others are passed; `weights` belong to them (for
        example their probabilities). The first of equally good candidates is chosen.
        """
        utilities = self.score_pairs(sources, candidates, references, jobs=jobs)
        if weights is not None and len(weights) != len(utilities):
            raise DataError(f"{len(weights)} lists of weights for {len(utilities)} sources")
        choices = []
        for i, (texts, utility) in enumerate(zip(candidates, utilities, strict=True)):
            if not utility.size:
                missing = "candidate to choose from" if not len(utility) else "reference to compare with"
                raise DataError(f"source {i + 1} has no {missing}")
            weight = _weights(weights[i], utility.shape[1], i) if weights is not None else None
            index, value = _best(utility, weight, self.higher_is_better)
            choices.append(Choice(index, texts[index], value))
        return choices

    def each_reference(
        self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None
    ) -> Statistics:
        """Statistics against every reference alone: per hypothesis, a segment for each of its references."""
        if self.by_reference:
            rows = self.statistics(corpus, hypotheses, jobs=jobs)
            alone = np.arange(len(rows.values) + 1, dtype=np.int64)
            return Statistics(rows.columns, rows.values, alone, rows.references)
        base, numbers = corpus.distinct
        base = self.view(base)
        offsets, references = select_runs(base.annotations.offsets, numbers)
        lines = Lines.of(hypotheses)
        base.vocabulary.encode_lines(lines)  # once, before lines are repeated
        lines = lines.select(np.repeat(np.arange(len(lines)), np.diff(offsets)))
        return self.statistics(_one_reference_each(base).repeat(references), lines, jobs=jobs)


def _one_reference_each(corpus: Corpus) -> Corpus:
    """A corpus with a segment for every reference of every segment."""
    rows = corpus.annotations
    alone = replace(rows, offsets=np.arange(len(rows.annotators) + 1, dtype=np.int64))
    single = Corpus.from_columns(corpus.source_texts.select(rows.owners), alone)
    single.vocabulary = corpus.vocabulary
    single.source_ids = corpus.source_ids.select(rows.owners)
    return single


def _best(utility: Floats, weight: Floats | None, higher: bool) -> tuple[int, float]:
    """The first row with the best weighted mean; sums are exactly rounded, so that equals are equal."""
    if weight is None:
        expected = [fsum(row) / utility.shape[1] for row in utility.tolist()]
    else:
        expected = [fsum(row) / fsum(weight.tolist()) for row in (utility * weight).tolist()]
    value = max(expected) if higher else min(expected)
    return expected.index(value), value


def _weights(weights: Sequence[float], count: int, source: int) -> Floats:
    weight = np.asarray(weights, dtype=np.float64)
    if weight.shape != (count,) or not (np.isfinite(weight) & (weight >= 0)).all() or not weight.any():
        raise DataError(
            f"the weights of source {source + 1} are not {count} numbers of at least 0",
            hint="one for each candidate (or reference), such as its probability",
        )
    return weight


def _blocks(sizes: Integers) -> Iterator[tuple[int, int]]:
    """Ranges of sources with about `_BLOCK` pairs together."""
    start = total = 0
    for i, size in enumerate(sizes.tolist()):
        if total and total + size > _BLOCK:
            yield start, i
            start, total = i, 0
        total += size
    if start < len(sizes):
        yield start, len(sizes)


def _numbers(counts: Integers, start: int, stop: int) -> Integers:
    return np.repeat(np.arange(start, stop, dtype=np.int64), counts[start:stop])


def _split(flat: Floats, counts: Integers) -> list[Floats]:
    return np.split(flat, np.cumsum(counts)[:-1]) if len(counts) else []


def _check(sources: int, lists: Sequence[Sequence[Any]], what: str, hint: str | None = None) -> None:
    check_list(lists, what)
    if len(lists) != sources:
        raise DataError(f"{len(lists)} lists of {what} for {sources} sources", hint=hint)
    for i, texts in enumerate(lists):
        check_list(texts, f"the {what} of source {i + 1}")
