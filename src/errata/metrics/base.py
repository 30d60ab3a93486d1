"""The metric contract. Text becomes sufficient statistics once; everything after that is arithmetic on them.

A metric derives from `SumMetric`, `ScanMetric` or `SentenceMetric` and writes one or two methods. Corpus
scores, sentence scores, scores of chunks, intervals, tests, saving and streaming follow from the base.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from errata.corpus.model import Corpus, Reference, References, Segment
from errata.errors import DataError
from errata.metrics.accumulators import Accumulator, RunningTotals, Sums
from errata.metrics.batch import Batch
from errata.metrics.parameters import check_parameters
from errata.metrics.reference_choice import choose_alone, choose_running, scan_totals
from errata.metrics.score import Score
from errata.metrics.signature import Signature, setting
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.significance.permutation import Swapper, sum_swapper, weight_swapper

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation
    from errata.metrics.nbest import Choice

Need = Literal["source", "references", "edits"]
EditDirection = Literal["source to hypothesis", "hypothesis to reference"]


@dataclass(frozen=True)
class Metric(ABC):
    """What all metrics share. Derive from one of the three bases below, not from this class.

    A metric is a frozen dataclass: its fields are its parameters (see `errata.metrics.parameters`). The class
    declares, besides its `name`:

    - `columns`: names of the statistics; `parts`: what a corpus score consists of, the score itself first;
    - `title`, `shown`, `decimals`: how a table names it, what it prints beside the score, and how precisely;
    - `higher_is_better`, and `edit_direction`: whether edits run from the source or from the hypothesis;
    - `needs`: what it reads. `references` are texts; `edits` prefers gold edits where there are any; a metric
      with neither is reference-free;
    - `reads_types`: whether the types of gold edits can change the score;
    - `of_tokens`: whether it compares tokens between white space, so that texts must be tokenised;
    - `by_reference`: whether the statistics have a row per reference that does not depend on the others;
    - `first_pass`: whether it observes all segments and systems before it scores (see `observe`), and
      `depends_on_systems`: whether the result of that depends on which systems are scored together;
    - `concurrent`: whether threads may compute several batches at once, because native code does the work;
    - `all_systems`, `batch_size`, `one_process`, `costly`: whether it wants the hypotheses of all systems in
      one batch, batches of at most so many segments, a single process (a GPU), and its results in a cache.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]]
    parts: ClassVar[tuple[str, ...]]
    shown: ClassVar[tuple[str, ...]] = ()
    decimals: ClassVar[int] = 4
    higher_is_better: ClassVar[bool] = True
    edit_direction: ClassVar[EditDirection] = "source to hypothesis"
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "references"})
    reads_types: ClassVar[bool] = False
    of_tokens: ClassVar[bool] = True
    by_reference: ClassVar[bool] = False
    first_pass: ClassVar[bool] = False
    depends_on_systems: ClassVar[bool] = True
    concurrent: ClassVar[bool] = False
    all_systems: ClassVar[bool] = False
    batch_size: ClassVar[int | None] = None
    one_process: ClassVar[bool] = False
    costly: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)
        self.check()

    def check(self) -> None:  # noqa: B027 (most metrics have nothing to add)
        """Raise `ErrataError` for parameters that do not go together; single values are checked already."""

    # -- what the three bases provide --------------------------------------------------------------

    @abstractmethod
    def compute(self, batch: Batch) -> Statistics:
        """Turn text into statistics: the only place where text is read."""

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:  # noqa: B027 (most have nothing to do)
        """Find out what the batches of all systems need of the corpus, before they are computed."""

    @abstractmethod
    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Corpus scores, samples × parts, for weights, samples × segments (how often each one counts)."""

    @abstractmethod
    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The score of every segment by itself."""

    @abstractmethod
    def accumulator(self) -> Accumulator:
        """Make the corpus score from consecutive chunks of statistics without keeping them."""

    def summands(self, statistics: Statistics) -> Numbers | None:
        """One row per segment whose weighted sum determines the corpus score; None if there is none.

        Where a metric has summands, `from_sums` makes scores of their sums: resampling is a matrix product.
        """
        return None

    def from_sums(self, sums: Floats) -> Floats:
        """Corpus scores (samples × parts) from sums of summands (samples × columns)."""
        raise NotImplementedError(f"{self.name} has summands but no from_sums")

    def swapper(self, systems: Sequence[Statistics]) -> Swapper:
        """A function that scores pairs of these systems after some of their segments were swapped.

        It takes swaps (samples × segments) and pairs of numbers of systems, and gives samples × pairs × 2.
        """
        features = [rows for rows in map(self.summands, systems) if rows is not None]
        return sum_swapper(self, features) if len(features) == len(systems) else weight_swapper(self, systems)

    @property
    def for_resampling(self) -> Metric:
        """The metric that bootstrap and permutation tests use instead, on the same statistics.

        This one, unless it makes random choices of its own that a mean over them can replace.
        """
        return self

    def view(self, corpus: Corpus) -> Corpus:
        """The corpus with the references that this metric reads as its annotations: gold edits, or texts."""
        return corpus if "edits" in self.needs else corpus.as_texts()

    # -- the first pass ----------------------------------------------------------------------------

    def observe(self, batches: Mapping[str, Batch]) -> Any:
        """First pass over one chunk: what must be known of it, given a batch per system."""
        raise NotImplementedError(f"{self.name} declares a first pass but has no observe")

    def settle(self, observations: Sequence[Any]) -> Mapping[str, Any]:
        """Combine what `observe` returned for all chunks, in order, into numbers, texts or arrays.

        The result reaches `compute` as `batch.settled`, is saved with the results and stays fixed during
        resampling. Where it depends on the systems, a digest of it enters the signature.
        """
        raise NotImplementedError(f"{self.name} declares a first pass but has no settle")

    # -- scoring -----------------------------------------------------------------------------------

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        """Statistics of one system's hypotheses on a corpus."""
        from errata.metrics.evaluate import score_one

        return score_one(self, corpus, hypotheses, jobs).statistics

    def score(
        self,
        corpus: Corpus | Statistics | Sequence[str],
        hypotheses: Sequence[str] | None = None,
        references: References | None = None,
        *,
        jobs: int | None = None,
    ) -> Score:
        """Score one system: on a corpus, on plain lists of strings, or from statistics.

        `corpus` is a `Corpus`, a list of sources (then `references` has a list of texts per source), or
        `Statistics` that were computed before. `jobs` is the number of threads; the result is the same.
        """
        if isinstance(corpus, Statistics):
            return Score(self, corpus)
        if hypotheses is None:
            raise TypeError("score() needs hypotheses besides a corpus or a list of sources")
        from errata.metrics.evaluate import score_one

        if not isinstance(corpus, Corpus):
            corpus = Corpus.from_lists(corpus, references)
        return score_one(self, corpus, hypotheses, jobs)

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
        from errata.metrics.nbest import score_batch

        return score_batch(self, sources, candidates, references, jobs)

    def score_pairs(
        self,
        sources: Sequence[str],
        candidates: Sequence[Sequence[str]],
        references: Sequence[Sequence[Reference]] | None = None,
        *,
        jobs: int | None = None,
    ) -> list[Floats]:
        """Sentence scores of every candidate against every single reference: one matrix per source.

        Rows are candidates; columns are references or, where none are given, the candidates again.
        """
        from errata.metrics.nbest import score_pairs

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
        """Minimum Bayes risk decoding: per source, the candidate with the best mean over the references.

        The references are the candidates themselves unless others are given; `weights` belong to them (for
        example their probabilities). Of equally good candidates the first is chosen.
        """
        from errata.metrics.nbest import mbr

        return mbr(self, sources, candidates, references, weights, jobs)

    def each_reference(
        self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None
    ) -> Statistics:
        """Statistics against every reference alone: per hypothesis, a segment for each of its references."""
        from errata.metrics.nbest import each_reference

        return each_reference(self, corpus, hypotheses, jobs)

    # -- how it presents itself --------------------------------------------------------------------

    def label(self, part: str) -> str:
        """How a table names a part of the score: `M² P`, `M² F0.5`."""
        short = {"precision": "P", "recall": "R", "f": f"F{getattr(self, 'beta', 1):g}"}
        what = short.get(part, "" if part == self.parts[0] else part)
        return f"{self.title or self.name} {what}".rstrip()

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """Explain the score of a sentence; not every metric can."""
        raise DataError(
            f"{self.name} has no explanation of single sentences",
            hint="`errata score --sentence` prints the score of every sentence",
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __str__(self) -> str:
        """The metric as on the command line: its name and the parameters that are not at their defaults."""
        given = [
            f"{f.name}={setting(getattr(self, f.name))}"
            for f in fields(self)
            if getattr(self, f.name) != f.default
        ]
        return f"{self.name}:{','.join(given)}" if given else self.name

    def settings(self) -> dict[str, object]:
        """The fields of the signature: all parameters that can change the number.

        Extend it with what else decides the number: a tagger, or the digest of a model.
        """
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata.get("signed", True)}

    @property
    def signature(self) -> str:
        """The metric, its settings and the version in one line; a score's signature adds the data."""
        return str(Signature.of(self.name, self.settings()))


class SumMetric(Metric):
    """A metric whose corpus score depends on sums of one row of numbers per segment.

    Write `features` and `from_sums`. By default a sentence's score is that of its row alone.

    `features` may also return `Statistics` with several rows per segment; then `summands` says what is added
    up. GLEU does so, and goes on to override `aggregate` and `accumulator` for the official random draws.
    """

    @abstractmethod
    def features(self, batch: Batch) -> npt.ArrayLike | Statistics:
        """One row of numbers per segment, in the order of `columns`."""

    @abstractmethod
    def from_sums(self, sums: Floats) -> Floats:
        """Corpus scores (samples × parts) from sums of rows (samples × columns)."""

    def compute(self, batch: Batch) -> Statistics:
        """Call `features`, and keep its rows."""
        found = self.features(batch)
        if isinstance(found, Statistics):
            return found
        rows, columns = np.asarray(found), self.columns
        wanted = (len(batch), len(columns))
        if rows.shape != wanted and rows.size:
            raise ValueError(f"{self.name}: features has the shape {rows.shape}, and should have {wanted}")
        return Statistics.one_row_each(columns, rows.reshape(wanted))

    def summands(self, statistics: Statistics) -> Numbers | None:
        """The rows themselves."""
        return statistics.values

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Scores of the weighted sums."""
        rows = self.summands(statistics)
        if rows is None:
            raise NotImplementedError(f"{self.name} has no summands, so it needs an aggregate of its own")
        return self.from_sums(weights.astype(np.float64) @ rows)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The score of every row by itself."""
        rows = self.summands(statistics)
        if rows is None:
            raise NotImplementedError(f"{self.name} has no summands, so it needs sentence_scores of its own")
        return self.from_sums(rows.astype(np.float64))[:, 0]

    def accumulator(self) -> Accumulator:
        """The sums are all there is to keep."""
        return Sums(self)


class ScanMetric(Metric):
    """A metric that chooses one reference per segment by the totals up to there, as M² and ERRANT do.

    Write `counts` and `from_totals`; override `better` where references are not compared by the score itself.
    Set `running` to False where each segment chooses its reference by itself: the chosen rows are then added
    up. `scan` is the place for a kernel.
    """

    running: ClassVar[bool] = True

    @abstractmethod
    def counts(self, batch: Batch) -> Statistics | Sequence[npt.ArrayLike]:
        """Per segment, one row of numbers for every reference, in the order of the annotations."""

    @abstractmethod
    def from_totals(self, totals: Numbers) -> Floats:
        """Corpus scores (samples × parts) from totals (samples × columns)."""

    def better(self, totals: Numbers, rows: Numbers) -> Iterable[Floats]:
        """What references are compared by, the most important first; larger wins, then the first reference.

        `rows` are the references' own rows, and `totals` the totals so far with each of them added; both have
        the same shape, which ends in the columns. A generator gives what decides ties only for such rows.
        """
        flat = totals.reshape(-1, totals.shape[-1])
        scores = self.from_totals(flat)[:, 0].reshape(totals.shape[:-1])
        return [scores if self.higher_is_better else -scores]

    def compute(self, batch: Batch) -> Statistics:
        """Call `counts`, and keep its rows."""
        found = self.counts(batch)
        if isinstance(found, Statistics):
            return found
        edits = "edits" in self.needs
        annotators = [
            [a.annotator for a in (segment.annotations if edits else segment.rewritten)]
            for segment in batch.corpus
        ]
        wanted = [(len(some), len(self.columns)) for some in annotators]
        for segment, (rows, shape) in enumerate(zip(map(np.asarray, found), wanted, strict=True)):
            if rows.shape != shape and (rows.size or shape[0]):
                where = f"{self.name}: counts of segment {segment}"
                raise ValueError(f"{where} has the shape {rows.shape}, and should have {shape}")
        return Statistics.from_lists(self.columns, found, annotators)

    def from_sums(self, sums: Floats) -> Floats:
        """Sums of chosen rows are totals."""
        return self.from_totals(sums)

    def summands(self, statistics: Statistics) -> Numbers | None:
        """The chosen rows where each segment chooses by itself; None with running totals."""
        return None if self.running else self._rows(statistics, self.chosen(statistics))

    def scan(self, statistics: Statistics, weights: Integers, totals: Numbers) -> None:
        """Visit the segments in order, add the chosen rows to the totals (samples × columns) in place."""
        scan_totals(statistics, weights, totals, self.better)

    def chosen(self, statistics: Statistics, *, running: bool | None = None) -> Integers:
        """The number of the chosen row per segment, −1 where a segment has none.

        In the corpus run by default; with `running=False` every segment by itself.
        """
        if self.running if running is None else running:
            return choose_running(statistics, self.better)
        return choose_alone(statistics, self.better)

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Scores of totals; where they decide the choice, it is made anew in every sample."""
        if not self.running:
            return self.from_totals(weights @ self._rows(statistics, self.chosen(statistics)))
        totals = np.zeros((len(weights), len(self.columns)), dtype=statistics.values.dtype)
        self.scan(statistics, np.ascontiguousarray(weights, dtype=np.int64), totals)
        return self.from_totals(totals)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The score of every segment by itself, against its best reference."""
        rows = self._rows(statistics, self.chosen(statistics, running=False))
        return self.from_totals(rows)[:, 0]

    def accumulator(self) -> Accumulator:
        """The totals are all there is to keep."""
        return RunningTotals(self) if self.running else Sums(self)

    def _rows(self, statistics: Statistics, chosen: Integers) -> Numbers:
        """The chosen rows; zeros where a segment has no reference."""
        if not len(statistics.values):
            return np.zeros((len(chosen), len(self.columns)), dtype=np.int64)
        rows = statistics.values[chosen]
        rows[chosen < 0] = 0
        return rows


class SentenceMetric(SumMetric):
    """A metric that gives every segment one number; the corpus score is their mean or another aggregate.

    Write `scores`. `average` names the aggregate: `mean`, `sum` or `geometric`.
    """

    columns: ClassVar[tuple[str, ...]] = ("score", "segments")
    average: ClassVar[Literal["mean", "sum", "geometric"]] = "mean"

    @abstractmethod
    def scores(self, batch: Batch) -> npt.ArrayLike:
        """One number per segment."""

    def features(self, batch: Batch) -> npt.ArrayLike | Statistics:
        """The number, and 1."""
        found = np.asarray(self.scores(batch))
        if found.shape != (len(batch),):
            raise ValueError(
                f"{self.name}: scores has the shape {found.shape}, and should have {(len(batch),)}"
            )
        rows = np.ones((len(batch), 2))
        rows[:, 0] = found
        return rows

    def summands(self, statistics: Statistics) -> Floats | None:
        """The number (its logarithm for a geometric mean), and 1."""
        rows = statistics.values.astype(np.float64, copy=self.average == "geometric")
        if self.average == "geometric":
            with np.errstate(divide="ignore"):
                rows[:, 0] = np.log(rows[:, 0])
        return rows

    def from_sums(self, sums: Floats) -> Floats:
        """The aggregate, from the sum and the number of segments."""
        total, count = sums[:, 0], np.maximum(sums[:, 1], 1)
        if self.average == "sum":
            return total[:, None]
        mean = total / count
        return (np.exp(mean) if self.average == "geometric" else mean)[:, None]

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The numbers themselves."""
        return statistics.values[:, 0].astype(np.float64)
