"""The metric contract: text becomes sufficient statistics once; everything after is arithmetic on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from errata import __version__
from errata.corpus.model import Corpus, Reference, References, Segment, check_list
from errata.errors import DataError
from errata.metrics.cuts import Cut, cut_signature
from errata.metrics.running import Running, Undecided

if TYPE_CHECKING:
    from errata.metrics.batch import Choice
    from errata.report.table import Table

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Swapper = Callable[[npt.NDArray[np.uint8]], Floats]  # samples × segments of 0 and 1 -> samples × 2 scores


@dataclass(frozen=True, slots=True)
class Statistics:
    """Rows of integers, one per (segment, reference): all that a metric has to know about an output.

    The rows of segment i are `values[offsets[i]:offsets[i + 1]]`; `references` names the annotator
    (or the candidate) of each row. A metric that pools references has one row a segment. `cuts` are the
    segments that went beyond a limit and were not computed in full.
    """

    columns: tuple[str, ...]
    values: Integers  # rows × columns
    offsets: Integers  # segments + 1
    references: Integers  # rows
    cuts: tuple[Cut, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> Integers:
        """How many rows each segment has."""
        return np.diff(self.offsets)

    def select(self, indices: Sequence[int] | Integers) -> Statistics:
        """The statistics of these segments, in this order."""
        indices = np.asarray(indices, dtype=np.int64)
        counts = self.counts[indices]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        rows = np.repeat(self.offsets[indices] - offsets[:-1], counts) + np.arange(offsets[-1])
        known = {cut.segment: cut for cut in self.cuts}
        cuts = (
            [replace(known[s], segment=i) for i, s in enumerate(indices.tolist()) if s in known]
            if known
            else ()
        )
        return Statistics(self.columns, self.values[rows], offsets, self.references[rows], tuple(cuts))

    def interleaved(self, other: Statistics) -> Statistics:
        """This system's segments and another's in turns: segment i of this one is 2i, of the other 2i + 1."""
        together = Statistics.joined([self, other])
        return together.select(np.arange(2 * len(self)).reshape(2, -1).T.ravel())

    @classmethod
    def joined(cls, pieces: Sequence[Statistics]) -> Statistics:
        """The statistics of one corpus from those of its pieces."""
        ends = np.cumsum([piece.offsets[-1] for piece in pieces]).tolist()
        before = np.cumsum([0, *map(len, pieces)]).tolist()
        offsets = [
            piece.offsets[1:].astype(np.int64) + end for piece, end in zip(pieces, [0, *ends], strict=False)
        ]
        return cls(
            pieces[0].columns,
            np.concatenate([piece.values for piece in pieces], dtype=np.int64),
            np.concatenate([np.zeros(1, dtype=np.int64), *offsets]),
            np.concatenate([piece.references for piece in pieces], dtype=np.int64),
            tuple(cut.moved(n) for n, piece in zip(before, pieces, strict=False) for cut in piece.cuts),
        )

    def packed(self) -> Statistics:
        """The same in the smallest integers that fit, to be kept or sent; `joined` unpacks."""
        values, offsets, references = map(_smallest, (self.values, self.offsets, self.references))
        return Statistics(self.columns, values, offsets, references, self.cuts)

    @classmethod
    def one_row_each(cls, columns: Sequence[str], values: Integers) -> Statistics:
        """Statistics with a single row a segment."""
        count = len(values)
        return cls(
            tuple(columns),
            np.ascontiguousarray(values, dtype=np.int64),
            np.arange(count + 1, dtype=np.int64),
            np.zeros(count, dtype=np.int64),
        )


@dataclass(frozen=True)
class Metric(ABC):
    """A metric is its parameters. Subclasses are frozen dataclasses and give the three hooks below.

    `columns` name the statistics, `parts` what a corpus score is made of; the first part is the score.
    `shown` are the parts a table prints beside the score, `decimals` how precisely, `title` how it names it.
    `reads` says what of the references it compares, which matters where both edits and texts are given.
    `by_reference`: the statistics have a row for every reference, the same as if it were the only one.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]]
    parts: ClassVar[tuple[str, ...]]
    shown: ClassVar[tuple[str, ...]] = ()
    decimals: ClassVar[int] = 4
    higher_is_better: ClassVar[bool] = True
    reads: ClassVar[Literal["edits", "texts"]] = "texts"
    by_reference: ClassVar[bool] = False

    @abstractmethod
    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        """Turn text into statistics. The only place where text is looked at."""

    @abstractmethod
    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Corpus scores: samples × parts, for weights samples × segments (how often each counts)."""

    @abstractmethod
    def sentence_scores(self, statistics: Statistics) -> Floats:
        """A score for every segment by itself."""

    def score(
        self,
        corpus: Corpus | Statistics | Sequence[str],
        hypotheses: Sequence[str] | None = None,
        references: References | None = None,
        *,
        jobs: int | None = None,
    ) -> Score:
        """The corpus score: of a corpus and hypotheses, of plain lists of strings, or of statistics."""
        if isinstance(corpus, Statistics):
            return Score(self, corpus)
        if hypotheses is None:
            raise TypeError("score() needs hypotheses with a corpus or a list of sources")
        if not isinstance(corpus, Corpus):
            corpus = Corpus.from_lists(corpus, references)
        check_lengths(corpus, hypotheses)
        return Score(self, self.statistics(corpus, hypotheses, jobs=jobs), corpus, hypotheses)

    def score_batch(
        self,
        sources: Corpus | Sequence[str],
        candidates: Sequence[Sequence[str]],
        references: References | None = None,
        *,
        jobs: int | None = None,
    ) -> list[Floats]:
        """Sentence scores of many candidates: array i has those of `candidates[i]`, in their order.

        For rewards. A corpus in place of the sources brings its references and is prepared only once.
        """
        from errata.metrics.batch import score_batch

        return score_batch(self, sources, candidates, references, jobs)

    def score_pairs(
        self,
        sources: Sequence[str],
        candidates: Sequence[Sequence[str]],
        references: Sequence[Sequence[Reference]] | None = None,
        *,
        jobs: int | None = None,
    ) -> list[Floats]:
        """Sentence scores of every candidate against every single reference: a matrix a source.

        Rows are candidates; columns are references or, where none are given, the candidates again.
        """
        from errata.metrics.batch import score_pairs

        return score_pairs(self, sources, candidates, references, jobs)

    def mbr(
        self,
        sources: Sequence[str],
        candidates: Sequence[Sequence[str]],
        references: Sequence[Sequence[Reference]] | None = None,
        *,
        weights: Sequence[Sequence[float]] | None = None,
        jobs: int | None = None,
    ) -> list[Choice]:
        """Minimum Bayes risk decoding: of every source the candidate with the best mean over the references.

        The references are the candidates unless others are given; `weights` are theirs, such as
        probabilities. Of candidates that are equally good the first is taken.
        """
        from errata.metrics.batch import mbr

        return mbr(self, sources, candidates, references, weights, jobs)

    def each_reference(
        self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None
    ) -> Statistics:
        """Statistics against every reference alone: a segment for each, in turn for every hypothesis."""
        from errata.metrics.batch import each_reference

        return each_reference(self, corpus, hypotheses, jobs)

    def features(self, statistics: Statistics) -> Floats | None:
        """Rows of numbers, one a segment, whose weighted sum is all that the corpus score depends on.

        Bootstrap and permutation tests are then a matrix product. None, where there is nothing of the
        kind (choices by running totals); with features, `from_sums` makes scores of their sums.
        """
        return None

    def from_sums(self, sums: Floats) -> Floats:
        """Corpus scores (samples × parts) from sums of features (samples × features)."""
        raise NotImplementedError(f"{self.name} has features but no from_sums")

    @property
    def for_resampling(self) -> Metric:
        """The metric that bootstrap and permutation tests use in its place, on the same statistics.

        Itself, unless it has random choices of its own that cost much and that a mean can replace.
        """
        return self

    def running(self) -> Running:
        """Makes the corpus score from chunks of statistics, so that memory need not hold them all.

        Without one of its own a metric is summed by its features; without those, statistics are kept.
        """
        return Undecided(self)

    def swapper(self, first: Statistics, second: Statistics) -> Swapper | None:
        """A faster way to score two systems with segments swapped; without one, `aggregate` does it."""
        return None

    def label(self, part: str) -> str:
        """How a table names a part of the score: `M² P`, `M² F0.5`."""
        short = {"precision": "P", "recall": "R", "f": f"F{getattr(self, 'beta', 1):g}"}
        what = short.get(part, "" if part == self.parts[0] else part)
        return f"{self.title or self.name} {what}".rstrip()

    def explain(self, segment: Segment, hypothesis: str) -> Any:
        """Why a hypothesis gets its score: an object that prints itself. Not every metric has one.

        It has `__rich__` for the terminal and `to_dict()` for everything else.
        """
        raise DataError(
            f"{self.name} has no explanation of single sentences",
            hint="`errata score --sentence` has its scores",
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def signature(self) -> str:
        """Everything a reader must know to repeat the number: name, parameters, version."""
        settings = [f"{name}:{_setting(value)}" for name, value in self.parameters.items()]
        return "|".join([self.name, *settings, f"version:{__version__}"])


class TypeScores(Protocol):
    """What a metric says of every error type: counts, and P, R and F."""

    @property
    def counts(self) -> Mapping[str, tuple[int, int, int]]:
        """True positives, false positives and false negatives of each type."""

    def scores(self, name: str) -> tuple[float, float, float]:
        """P, R and F of a type."""

    @property
    def micro(self) -> tuple[float, float, float]:
        """P, R and F of all edits together."""

    @property
    def macro(self) -> tuple[float, float, float]:
        """Means over the types."""


class TypedMetric(Metric):
    """A metric that also scores each error type by itself."""

    @abstractmethod
    def by_type(
        self, corpus: Corpus, hypotheses: Sequence[str], level: int = 2, *, jobs: int | None = None
    ) -> TypeScores:
        """Scores by operation (level 1), category (2), both (3), or with parts of speech as one (0)."""


@dataclass(frozen=True)
class Score:
    """A corpus score with its parts; sentence scores, intervals and explanations when asked for."""

    metric: Metric
    statistics: Statistics = field(repr=False)
    corpus: Corpus | None = field(default=None, repr=False)
    hypotheses: Sequence[str] | None = field(default=None, repr=False)

    @cached_property
    def parts(self) -> dict[str, float]:
        """What the score is made of, by name."""
        running = self.metric.running()  # the whole corpus is one chunk
        running.add(self.statistics)
        values = running.parts()
        return dict(zip(self.metric.parts, values.tolist(), strict=True))

    @property
    def value(self) -> float:
        """The score itself."""
        return self.parts[self.metric.parts[0]]

    def __float__(self) -> float:
        return self.value

    @cached_property
    def sentences(self) -> Floats:
        """The score of every segment by itself."""
        return self.metric.sentence_scores(self.statistics)

    @property
    def signature(self) -> str:
        """The metric's, and whether sentences went beyond a limit."""
        return self.metric.signature + cut_signature(self.statistics.cuts)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The sentences that went beyond a limit (see `errata.limits`)."""
        return self.statistics.cuts

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Between which scores the cut sentences leave this one; twice the score without any."""
        if not self.cuts:
            return self.value, self.value
        from errata.metrics.cuts import bounds

        return bounds(self.metric, self.statistics)

    @property
    def chooses(self) -> bool:
        """Whether references are chosen by running totals: a cut sentence may then move other choices."""
        return bool((self.statistics.counts > 1).any()) and self.metric.features(self.statistics) is None

    def interval(self, *, level: float = 0.95, samples: int = 1000, seed: int = 1) -> tuple[float, float]:
        """A percentile bootstrap interval over segments."""
        from errata.significance.bootstrap import percentile_interval

        low, high = percentile_interval(self.metric, self.statistics, level=level, samples=samples, seed=seed)
        return float(low[0]), float(high[0])

    def explain(self, index: int) -> Any:
        """Why the segment of this number gets its score."""
        if self.corpus is None or self.hypotheses is None:
            raise DataError("an explanation needs the texts, and this score was made from statistics alone")
        return self.metric.explain(self.corpus[index], self.hypotheses[index])

    def table(self) -> Table:
        """The score and its parts as a table, with the signature."""
        from errata.report.table import Column, Table

        names, values = zip(*self.parts.items(), strict=True)
        columns = [Column(self.metric.label(name), self.metric.decimals) for name in names]
        return Table(columns, [values], notes=[self.signature])

    def _repr_html_(self) -> str:
        return self.table().render("html")

    def to_frame(self) -> Any:
        """The sentences' scores as a pandas DataFrame, with the texts where they are known."""
        from errata.report.table import Column, Table

        columns = [Column("segment"), Column(self.metric.name)]
        rows: list[Any] = [[i + 1, score] for i, score in enumerate(self.sentences.tolist())]
        if self.corpus is not None and self.hypotheses is not None:
            columns += [Column("source"), Column("hypothesis")]
            for row, source, hypothesis in zip(rows, self.corpus.sources, self.hypotheses, strict=True):
                row += [source, hypothesis]
        return Table(columns, rows).to_frame()

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {value:.4f}" for name, value in self.parts.items())
        return f"{self.metric.name}: {parts}"


def check_lengths(corpus: Corpus, hypotheses: Sequence[str]) -> None:
    """Every segment needs a hypothesis."""
    check_list(hypotheses, "hypotheses")
    if len(corpus) != len(hypotheses):
        raise DataError(
            f"{len(hypotheses)} hypotheses for {len(corpus)} source segments",
            hint="give one hypothesis a segment, in the same order",
        )


def _smallest(numbers: Integers) -> Integers:
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    kinds = (np.int8, np.int16, np.int32)
    fitting = next(
        (kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max), np.int64
    )
    return numbers.astype(fitting)


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
