"""Metrics of benchmarks for text editing (EditEval, Dwivedi-Yu et al. 2022): SARI, ID, EM-Diff and iBLEU."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import levenshtein_edits
from errata.corpus.columns import EncodedReferences
from errata.corpus.model import Corpus
from errata.metrics.base import SentenceMetric, SumMetric
from errata.metrics.batch import Batch, Encoded, encode, require_references, require_rows
from errata.metrics.bleu import BLEU
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Statistics
from errata.metrics.totals import f_beta, share
from errata.native import changes as native_changes
from errata.native import ngrams, tokens
from errata.native.ragged import Ragged
from errata.text.lines import Lines, code_points
from errata.text.vocabulary import Vocabulary, spelled

_OPERATIONS = ("add", "keep", "delete")  # of SARI
_SARI_ORDERS = 4
_ID_ORDERS = 3
_BLANK = ord(" ")
_MOST_CELLS = 4_000_000  # characters of one text times those of the other


# -- SARI ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SARI(SumMetric):
    """SARI between 0 and 1 (Xu et al. 2016): the mean of how well n-grams were added, kept and deleted.

    Texts are lower-cased and tokenised by `13a`; counts are summed over the corpus, as EASSE and EditEval do.
    `average="orders"` takes F1 per n-gram order and then their mean, `average="paper"` takes the means of
    precision and recall first. `deletion="precision"` scores deletions by precision alone, as the paper does.
    """

    average: Literal["orders", "paper"] = "orders"
    deletion: Literal["f1", "precision"] = "f1"

    name: ClassVar[str] = "sari"
    white_space = "unicode"
    title: ClassVar[str] = "SARI"
    parts: ClassVar[tuple[str, ...]] = ("sari", "add", "keep", "delete")
    computed_by = "native"
    columns: ClassVar[tuple[str, ...]] = tuple(
        f"{operation}_{what}{n}"
        for operation in _OPERATIONS
        for n in range(1, _SARI_ORDERS + 1)
        for what in ("correct", "made", "wanted")
    )

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:
        """Tokenise sources and references."""
        _tokenised(corpus)

    def features(self, batch: Batch) -> Integers:
        """Per operation and order: how many n-grams are right, were changed, and should have been."""
        corpus, numbers = batch.distinct
        tokenised = _tokenised(corpus)
        hypothesis = tokenised.vocabulary.encode_lines(_spaced(batch.hypotheses))
        references, source = tokenised.references, tokenised.source
        if corpus is not batch.corpus:
            references, source = references.select(numbers), source.select(numbers)
        require_rows(references.offsets, self.name, batch.corpus.first)
        texts = source, hypothesis, references.ids, references.offsets
        counts: Integers = ngrams.edit_counts(*texts, _SARI_ORDERS, 1)
        return counts

    def from_sums(self, sums: Floats) -> Floats:
        """SARI and its three parts."""
        shape = (-1, len(_OPERATIONS), _SARI_ORDERS, 3)
        correct, changed, wanted = np.moveaxis(sums.reshape(shape), -1, 0)
        precision, recall = share(correct, changed, 0.0), share(correct, wanted, 0.0)
        if self.average == "paper":
            precision, recall = precision.mean(axis=-1), recall.mean(axis=-1)
            scores = f_beta(precision, recall, 1)
            of_deletion = precision[:, 2]
        else:
            scores = f_beta(precision, recall, 1).mean(axis=-1)
            of_deletion = precision[:, 2].mean(axis=-1)
        if self.deletion == "precision":
            scores[:, 2] = of_deletion
        return np.column_stack([scores.mean(axis=1), scores])


@dataclass(frozen=True)
class _Tokenised:
    """The sources and references of a corpus as token ids."""

    vocabulary: Vocabulary
    source: Ragged
    references: EncodedReferences


def _tokenised(corpus: Corpus) -> _Tokenised:
    """The corpus in tokens of `13a`, computed once for all systems."""
    return corpus.once("13a", lambda: _tokenise(corpus))


def _tokenise(corpus: Corpus) -> _Tokenised:
    vocabulary = Vocabulary()
    source = vocabulary.encode_lines(_spaced(corpus.source_texts))
    ids = vocabulary.encode_lines(_spaced(corpus.reference_lines))
    return _Tokenised(vocabulary, source, replace(corpus.reference_ids, ids=ids))


def _spaced(lines: Iterable[str]) -> Lines:
    return spaced_13a(lines.lower() if isinstance(lines, Lines) else [line.lower() for line in lines])


# -- ID --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InsertDelete(SentenceMetric):
    """ID between 0 and 1: the overlap of inserted and of deleted n-grams with those of the best reference.

    For n = 1, 2, 3, the n-grams that a text adds to the source and those that it removes are sets. Their
    overlap with a reference's sets is |A ∩ B| / max(|A|, |B|), and 1 if both are empty. The definition is
    EditEval's.
    """

    name: ClassVar[str] = "id"
    white_space = "unicode"
    title: ClassVar[str] = "ID"
    computed_by = "native"

    def scores(self, batch: Batch) -> Floats:
        """The best overlap over the references."""
        texts = encode(batch, self.name)
        counts = ngrams.edit_counts(*texts.texts, _ID_ORDERS, 2)
        shared, of_hypothesis, of_reference = np.moveaxis(counts.reshape(-1, 2, _ID_ORDERS, 3), -1, 0)
        most = np.maximum(of_hypothesis, of_reference)
        inserted, deleted = np.moveaxis(np.where(most > 0, shared / np.maximum(most, 1), 1.0), 1, 0)
        first, second, third = ((inserted + deleted) / 2).T
        overlaps = (first + second + third) / _ID_ORDERS
        starts = texts.references.offsets[:-1]
        return np.maximum.reduceat(overlaps, starts) if len(starts) else overlaps


# -- EM-Diff ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EMDiff(SentenceMetric):
    """|D ∩ R| / max(1, |D|, |R|) of the changes D of an output and R of its best reference.

    Changes are differences of characters, widened to whole words where they begin or end inside a word;
    those that touch in the source are one change. The definition is EditEval's, but its program divides some
    words differently: scores of systems differ from it by up to 0.011 (see docs/metrics/editing.md). Texts of
    several thousand characters, whose characters would take minutes to compare, are compared word by word.
    """

    name: ClassVar[str] = "emdiff"
    white_space = "unicode"
    title: ClassVar[str] = "EM-Diff"
    computed_by = "native"

    def scores(self, batch: Batch) -> Floats:
        """The best share over the references."""
        corpus, owner = batch.distinct
        gold = corpus.once("changes", lambda: _reference_changes(corpus))
        require_references(np.diff(gold.rows)[owner], self.name, batch.corpus.first)
        vocabulary = batch.corpus.vocabulary
        lines = spelled(vocabulary.encode_lines(batch.hypotheses), vocabulary.code_points(), _BLANK)
        shares: Floats = native_changes.change_shares(
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
class _ReferenceChanges:
    """The characters of the sources and references of a corpus, and the changes between them."""

    source: Ragged
    texts: Ragged
    rows: Integers
    changes: tuple[Integers, npt.NDArray[np.int32], npt.NDArray[np.uint8]]  # see `errata.native.changes`


def _reference_changes(corpus: Corpus) -> _ReferenceChanges:
    ids, references = corpus.source_ids, corpus.reference_ids
    letters = corpus.vocabulary.code_points()
    source, texts = (spelled(rows, letters, _BLANK) for rows in (ids, references.ids))
    owner = np.repeat(np.arange(len(corpus), dtype=np.int64), np.diff(references.offsets))
    changed = native_changes.changes(source, texts, owner, _MOST_CELLS)
    return _ReferenceChanges(source, texts, references.offsets, changed)


def changes(source: str, text: str) -> frozenset[tuple[str, str]]:
    """The text before and after, for every change of a source; runs of white space count as one blank."""
    source, text = " ".join(source.split()), " ".join(text.split())
    before, after = (code_points(Lines.of([each])) for each in (source, text))
    _, spans, large = native_changes.changes(before, after, np.zeros(1, dtype=np.int64), _MOST_CELLS)
    if large[0]:
        words = source.split()
        edits = levenshtein_edits(words, text.split())
        return frozenset((" ".join(words[start:end]), correction) for start, end, correction in edits)
    return frozenset((source[begin:end], text[start:stop]) for begin, end, start, stop in spans.tolist())


# -- iBLEU -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IBLEU(SumMetric):
    """α·BLEU(output, references) − (1 − α)·BLEU(output, source), over tokens between white space.

    Sun & Zhou (2012). It rewards outputs that are like the references and unlike the source. `alpha` is 0.9
    in the editing benchmarks. Sentence scores use the smoothed BLEU of single sentences.
    """

    alpha: float = parameter(0.9, at_least=0, at_most=1)
    n: int = parameter(4, at_least=1, at_most=32)

    name: ClassVar[str] = "ibleu"
    white_space = "unicode"
    title: ClassVar[str] = "iBLEU"
    computed_by = "native"
    needs_ngrams = True
    parts: ClassVar[tuple[str, ...]] = ("ibleu", "bleu", "self_bleu")

    @property
    def bleu(self) -> BLEU:
        """The BLEU that both comparisons use."""
        return BLEU(self.n)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """BLEU's columns against the references, then against the source."""
        columns = self.bleu.columns
        return (*columns, *(f"self_{name}" for name in columns))

    def features(self, batch: Batch) -> np.ndarray:
        """BLEU's statistics against the references, and against the source."""
        texts, bleu = encode(batch, self.name), self.bleu
        rows = np.arange(len(batch) + 1, dtype=np.int64)
        source = EncodedReferences(texts.source, rows, np.zeros(len(batch), dtype=np.int64))
        unchanged = Encoded(texts.source, texts.hypothesis, source)
        return np.hstack([bleu.counts(each) for each in (texts, unchanged)])

    def from_sums(self, sums: Floats) -> Floats:
        """iBLEU and the two BLEU scores."""
        bleu, half = self.bleu, sums.shape[1] // 2
        scores, self_scores = (bleu.from_sums(part)[:, 0] for part in (sums[:, :half], sums[:, half:]))
        return np.stack([self._combined(scores, self_scores), scores, self_scores], axis=1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The same of BLEU's sentence scores."""
        half = len(self.bleu.columns)
        scores, self_scores = (
            self.bleu.sentence_scores(Statistics.one_row_each(self.bleu.columns, part))
            for part in (statistics.values[:, :half], statistics.values[:, half:])
        )
        return self._combined(scores, self_scores)

    def _combined(self, scores: Floats, self_scores: Floats) -> Floats:
        return self.alpha * scores - (1 - self.alpha) * self_scores


# -- the tokeniser 13a of mteval-v13a, which BLEU scripts and SARI use -------------------------------------


_ESCAPED = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_KINDS = np.zeros(256, dtype=np.uint8)
_KINDS[[*b'!"#$%&()*+/:;<=>?@[\\]^_`{|}~']] = 1  # punctuation except for apostrophe, dash, period and comma
_KINDS[[*b".,"]] = 2
_KINDS[[*b"0123456789"]] = 3
_KINDS[[*b"-"]] = 4


def spaced_13a(lines: Iterable[str]) -> Lines:
    """Lines with white space between the tokens of mteval-v13a."""
    texts = lines if isinstance(lines, Lines) and lines.of_file else None
    if texts is None or b"&" in texts.data or b"<" in texts.data:
        texts = Lines.of([_cleaned(line) for line in lines])
    data, offsets = tokens.space_13a(texts.data, texts.starts, texts.ends, _KINDS)
    return Lines(data, offsets[:-1], offsets[1:])


def _cleaned(line: str) -> str:
    """The line without markup and escapes, as mteval-v13a prepares it."""
    if not ("&" in line or "<" in line or "\n" in line):
        return line
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for escaped, character in _ESCAPED:
        line = line.replace(escaped, character)
    return line
