"""Metrics everybody expects: exact match, unchanged rate, word and character error rate, chrF."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.repeats import unrepeated
from errata.errors import ErrataError, MissingExtraError
from errata.metrics.base import Floats, Integers, Metric, Statistics, check_lengths
from errata.metrics.encoding import require_references
from errata.metrics.ter import edit_rate
from errata.text.vocabulary import RepeatedLines


@dataclass(frozen=True)
class _Share(Metric):
    """The share of segments of which something is true."""

    columns: ClassVar[tuple[str, ...]] = ("true",)

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return self.from_sums(weights @ self.features(statistics))

    def features(self, statistics: Statistics) -> Floats:
        """Whether it is true, and 1."""
        return np.column_stack([statistics.values.astype(np.float64), np.ones(len(statistics))])

    def from_sums(self, sums: Floats) -> Floats:
        return sums[:, :1] / np.maximum(sums[:, 1:], 1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        return statistics.values[:, 0].astype(np.float64)

    def _rows(self, truths: Sequence[bool]) -> Statistics:
        return Statistics.one_row_each(self.columns, np.array(truths, dtype=np.int64).reshape(-1, 1))


@dataclass(frozen=True)
class ExactMatch(_Share):
    """Sentence accuracy: the share of hypotheses that equal one of their references, token by token."""

    name: ClassVar[str] = "exact"
    title: ClassVar[str] = "exact match"
    parts: ClassVar[tuple[str, ...]] = ("exact",)

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        check_lengths(corpus, hypotheses)
        base, numbers = unrepeated(corpus)
        references = [[text.split() for text in texts] for texts in base.reference_texts()]
        require_references([len(references[i]) for i in numbers], self.name, corpus.first)
        ours = _split(hypotheses)
        return self._rows([words in references[i] for words, i in zip(ours, numbers, strict=True)])


@dataclass(frozen=True)
class UnchangedRate(_Share):
    """The share of hypotheses that equal their source, token by token; neither good nor bad by itself."""

    name: ClassVar[str] = "unchanged"
    title: ClassVar[str] = "unchanged"
    parts: ClassVar[tuple[str, ...]] = ("unchanged",)

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        check_lengths(corpus, hypotheses)
        base, numbers = unrepeated(corpus)
        sources = [source.split() for source in base.sources]
        ours = _split(hypotheses)
        return self._rows([words == sources[i] for words, i in zip(ours, numbers, strict=True)])


def _split(lines: Sequence[str]) -> list[list[str]]:
    """The tokens of every line; of those that come several times split once."""
    if isinstance(lines, RepeatedLines):
        words = _split(lines.lines)
        return [words[number] for number in lines.numbers.tolist()]
    return [line.split() for line in lines]


@dataclass(frozen=True)
class _ErrorRate(Metric):
    """Levenshtein distance to the nearest reference per unit of that reference."""

    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")
    higher_is_better: ClassVar[bool] = False
    by_reference: ClassVar[bool] = True

    def _units(self, text: str) -> Sequence[Hashable]:
        raise NotImplementedError

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        from rapidfuzz.distance import Levenshtein

        check_lengths(corpus, hypotheses)
        base, numbers = unrepeated(corpus)
        references = [[self._units(text) for text in texts] for texts in base.reference_texts()]
        counts = [len(references[i]) for i in numbers]
        require_references(counts, self.name, corpus.first)
        named = [[annotation.annotator for annotation in segment.annotations] for segment in base]
        annotators = [annotator for i in numbers for annotator in named[i]]
        rows = []
        for hypothesis, i in zip(hypotheses, numbers, strict=True):
            ours = self._units(hypothesis)
            for theirs in references[i]:
                rows.append((Levenshtein.distance(ours, theirs), len(theirs)))
        values = np.array(rows, dtype=np.int64).reshape(-1, 2)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Statistics(self.columns, values, offsets, np.array(annotators, dtype=np.int64))

    def _nearest(self, statistics: Statistics) -> Integers:
        """The row with the fewest edits of every segment; of several the first."""
        owner = np.repeat(np.arange(len(statistics)), statistics.counts)
        order = np.lexsort((statistics.values[:, 0], owner))
        return statistics.values[order[statistics.offsets[:-1]]]

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return self.from_sums((weights @ self._nearest(statistics)).astype(np.float64))

    def features(self, statistics: Statistics) -> Floats:
        return self._nearest(statistics).astype(np.float64)

    def from_sums(self, sums: Floats) -> Floats:
        return edit_rate(sums[:, 0], sums[:, 1])[:, None]

    def sentence_scores(self, statistics: Statistics) -> Floats:
        nearest = self._nearest(statistics).astype(np.float64)
        return edit_rate(nearest[:, 0], nearest[:, 1])


@dataclass(frozen=True)
class WER(_ErrorRate):
    """Word error rate: inserted, deleted and replaced tokens per token of the nearest reference."""

    name: ClassVar[str] = "wer"
    title: ClassVar[str] = "WER"
    parts: ClassVar[tuple[str, ...]] = ("wer",)

    def _units(self, text: str) -> Sequence[Hashable]:
        return text.split()


@dataclass(frozen=True)
class CER(_ErrorRate):
    """Character error rate: as WER over characters, runs of white space being one blank."""

    name: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    parts: ClassVar[tuple[str, ...]] = ("cer",)

    def _units(self, text: str) -> Sequence[Hashable]:
        return " ".join(text.split())


@dataclass(frozen=True)
class ChrF(Metric):
    """chrF between 0 and 1 (Popović 2015); `word_order=2` is chrF++. Counted by sacreBLEU."""

    char_order: int = 6
    word_order: int = 0
    beta: float = 2.0

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF"
    parts: ClassVar[tuple[str, ...]] = ("chrf",)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """n-grams of the hypothesis, of the best reference, and of both, by order."""
        orders = [f"char{k}" for k in range(1, self.char_order + 1)]
        orders += [f"word{k}" for k in range(1, self.word_order + 1)]
        return tuple(f"{what}_{order}" for order in orders for what in ("hypothesis", "reference", "matched"))

    @property
    def signature(self) -> str:
        """With the version of sacreBLEU, which counts the n-grams."""
        try:
            counted_by = version("sacrebleu")
        except PackageNotFoundError:
            counted_by = "missing"
        return f"{super().signature}|sacrebleu:{counted_by}"

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        check_lengths(corpus, hypotheses)
        references = corpus.reference_texts()
        require_references([len(texts) for texts in references], self.name, corpus.first)
        counter = self._counter()
        return self._rows(
            counter._compute_segment_statistics(hypothesis, counter._extract_reference_info(texts))
            for hypothesis, texts in zip(hypotheses, references, strict=True)
        )

    def each_reference(
        self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None
    ) -> Statistics:
        """The n-grams of every text are counted once."""
        check_lengths(corpus, hypotheses)
        references = corpus.reference_texts()
        require_references([len(texts) for texts in references], self.name, corpus.first)
        counter = self._counter()
        known: dict[str, Any] = {}
        for text in chain(hypotheses, *references):
            if text not in known:
                known[text] = counter._extract_reference_info([text])["ref_ngrams"][0]
        match = counter._get_match_statistics
        return self._rows(
            [
                count
                for ours, theirs in zip(known[hypothesis], known[text], strict=True)
                for count in match(ours, theirs)
            ]
            for hypothesis, texts in zip(hypotheses, references, strict=True)
            for text in texts
        )

    def _counter(self) -> Any:
        """What counts the n-grams."""
        try:
            from sacrebleu.metrics.chrf import CHRF
        except ImportError:
            raise MissingExtraError("chrF", "sacrebleu") from None
        if self.char_order < 1 or self.word_order < 0 or self.beta <= 0:
            raise ErrataError("chrf: char_order is at least 1, word_order at least 0, beta positive")
        return CHRF(char_order=self.char_order, word_order=self.word_order, beta=self.beta)  # type: ignore[arg-type]

    def _rows(self, rows: Iterable[Sequence[int]]) -> Statistics:
        values = np.array([*rows], dtype=np.int64).reshape(-1, len(self.columns))
        return Statistics.one_row_each(self.columns, values)

    def _f(self, counts: Floats) -> Floats:
        """F_β of precision and recall averaged over the orders that both sides have."""
        ours, theirs, matched = (counts[:, k::3] for k in range(3))
        used = (ours > 0) & (theirs > 0)
        orders = np.maximum(used.sum(axis=1), 1)
        precision = np.where(used, matched / np.maximum(ours, 1), 0.0).sum(axis=1) / orders
        recall = np.where(used, matched / np.maximum(theirs, 1), 0.0).sum(axis=1) / orders
        factor = self.beta**2
        below = factor * precision + recall
        return np.where(below > 0, (1 + factor) * precision * recall / np.where(below > 0, below, 1), 0.0)

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return self.from_sums((weights @ statistics.values).astype(np.float64))

    def features(self, statistics: Statistics) -> Floats:
        return statistics.values.astype(np.float64)

    def from_sums(self, sums: Floats) -> Floats:
        return self._f(sums)[:, None]

    def sentence_scores(self, statistics: Statistics) -> Floats:
        return self._f(statistics.values.astype(np.float64))
