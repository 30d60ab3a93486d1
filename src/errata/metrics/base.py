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

from errata.corpus.model import Corpus
from errata.corpus.segment import References, Segment
from errata.errors import DataError
from errata.metrics.batch import Batch
from errata.metrics.nbest import CandidateScoring
from errata.metrics.parameters import check_parameters
from errata.metrics.score import Score
from errata.metrics.signature import Signature, WhiteSpace, setting
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import Accumulator, RunningTotals, Sums, choose_alone, choose_running, scan_totals
from errata.native import scans

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation
    from errata.significance.permutation import Swapper

Need = Literal["source", "references", "edits", "types"]
ComputedBy = Literal["python", "native", "model"]


@dataclass(frozen=True)
class Metric(CandidateScoring, ABC):
    """The base of all metrics. Derive from one of the three bases below, not from this class.

    A metric is a frozen dataclass: its fields are its parameters (see `errata.metrics.parameters`). A class
    declares its `name` and the `columns` of its statistics. All other declarations have defaults:

    - `parts`: the numbers of a corpus score, the score itself first (default: one part, called `name`);
    - `title`, `decimals`: its name in tables (default: `name`), and how precisely they print it;
    - `higher_is_better`: False for error rates;
    - `needs`: its input. `references` are texts; `edits` prefers gold edits if there are any, and `types`
      says that their types can change the score. A metric with none of these is reference-free;
    - `white_space`: `unicode` or `ascii` if such white space divides tokens and its amount does not matter;
      `kept` (the default) if it may change the score, so that it is part of the signature;
    - `of_tokens`: whether it compares tokens between white space, so that texts must be tokenised;
    - `by_reference`: whether the statistics have a row per reference that does not depend on the others;
    - `computed_by`: "python"; "native" if native code does the work, so that threads compute systems or
      ranges of segments at the same time; "model" if the metric needs a large model: then it gets small
      batches, stays in the main process, and its results can be cached.
    """

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    parts: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = ""
    decimals: ClassVar[int] = 4
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "references"})
    white_space: ClassVar[WhiteSpace] = "kept"
    of_tokens: ClassVar[bool] = True
    by_reference: ClassVar[bool] = False
    computed_by: ClassVar[ComputedBy] = "python"
    needs_ngrams: ClassVar[bool] = False  # the corpus score is 0 if no n-gram of some length matches
    code: ClassVar[str] = ""  # a digest of the file of a metric that was named by its file and class

    @property
    def reads_edits_of_outputs(self) -> bool:
        """Whether edits of outputs that are given as edits are used as they are."""
        return False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.parts and hasattr(cls, "name"):
            cls.parts = (cls.name,)

    def __post_init__(self) -> None:
        check_parameters(self)
        self.check()

    def check(self) -> None:
        """Raise `ErrataError` for parameters that do not go together; single values are already checked."""

    # -- the three bases provide these -------------------------------------------------------------

    @abstractmethod
    def compute(self, batch: Batch) -> Statistics:
        """Turn text into statistics. No other method reads text."""

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:
        """Prepare the data that the batches of all systems share, before they are computed."""

    @abstractmethod
    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Corpus scores, samples × parts, for weights, samples × segments (how often each one counts)."""

    @abstractmethod
    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The score of every segment by itself."""

    @abstractmethod
    def accumulator(self) -> Accumulator:
        """An object that computes the corpus score from consecutive chunks without keeping them."""

    def summands(self, statistics: Statistics) -> Numbers | None:
        """One row per segment whose weighted sum determines the corpus score; None if there is none.

        If a metric has summands, `from_sums` turns their sums into scores: resampling is a matrix product.
        """
        return None

    def from_sums(self, sums: Floats) -> Floats:
        """Corpus scores (samples × parts) from sums of summands (samples × columns)."""
        raise NotImplementedError(f"{self.name} has summands but no from_sums")

    def value_from_sums(self, sums: Floats) -> Floats:
        """The first part alone, which tests of pairs need; override it if the others take long."""
        return self.from_sums(sums)[:, 0]

    def swapper(self, systems: Sequence[Statistics]) -> Swapper:
        """A function that scores pairs of these systems after some of their segments were swapped.

        It takes swaps (samples × segments) and pairs of numbers of systems, and gives samples × pairs × 2.
        """
        from errata.significance.permutation import sum_swapper, weight_swapper

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

    # -- the first pass: override `observe` and `settle` -------------------------------------------

    @property
    def divisible(self) -> bool:
        """Whether threads may compute ranges of segments at no extra cost."""
        return not self.first_pass

    @property
    def first_pass(self) -> bool:
        """Whether the metric observes all segments and systems before it scores."""
        return type(self).observe is not Metric.observe

    @property
    def depends_on_systems(self) -> bool:
        """Whether the first pass depends on which systems are scored together; then it is signed."""
        return True

    def observe(self, batches: Mapping[str, Batch]) -> Any:
        """The facts about one chunk that scoring needs, from one batch per system."""
        raise NotImplementedError(f"{self.name} has no first pass")

    def settle(self, observations: Sequence[Any]) -> Mapping[str, Any]:
        """Combine the observations of all chunks, in order, into numbers, texts or arrays.

        The result reaches `compute` as `batch.settled`, is saved with the results and stays fixed during
        resampling.
        """
        raise NotImplementedError(f"{self.name} has no first pass")

    def settled(self, observations: Sequence[Any]) -> Mapping[str, Any]:
        """The result of the first pass, which can be saved: `settle`, checked."""
        result = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in self.settle(observations).items()
        }
        for name, value in result.items():
            if not isinstance(value, bool | int | float | str | np.ndarray):
                raise TypeError(
                    f"{self.name}: settle gives {name!r} as {type(value).__name__}, and should give a "
                    "number, a text or an array"
                )
        return result

    # -- scoring; `score_batch`, `score_pairs` and `mbr` come from `CandidateScoring` --------------

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
        score = score_one(self, corpus, hypotheses, jobs)
        score.warn_if_zero()
        return score

    # -- presentation ------------------------------------------------------------------------------

    @property
    def shown(self) -> tuple[str, ...]:
        """The parts that a table prints beside the score: precision and recall beside F."""
        return tuple(part for part in ("precision", "recall") if self.parts[0] == "f" and part in self.parts)

    def label(self, part: str) -> str:
        """The name of a part of the score in a table: `M² P`, `M² F0.5`."""
        short = {"precision": "P", "recall": "R", "f": f"F{getattr(self, 'beta', 1):g}"}
        suffix = short.get(part, "" if part == self.parts[0] else part)
        return f"{self.title or self.name} {suffix}".rstrip()

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
        changed = [
            f"{f.name}={setting(getattr(self, f.name))}"
            for f in fields(self)
            if getattr(self, f.name) != f.default
        ]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    def settings(self) -> dict[str, object]:
        """The fields of the signature: all parameters that can change the number.

        Extend it if something else decides the number, such as a tagger or the digest of a model.
        """
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata.get("signed", True)}

    @property
    def signature(self) -> str:
        """The metric, its settings and the version in one line; a score's signature adds the data."""
        return str(Signature.of(self.name, self.settings(), code=self.code))


class SumMetric(Metric):
    """A metric whose corpus score depends on sums of one row of numbers per segment.

    Write `features` and `from_sums`. By default a sentence's score is that of its row alone.

    `features` may also return `Statistics` with several rows per segment; then `summands` returns the rows to
    add up. GLEU does so, and also overrides `aggregate` and `accumulator` for the official random draws.
    """

    @abstractmethod
    def features(self, batch: Batch) -> npt.ArrayLike | Statistics:
        """One row of numbers per segment, in the order of `columns`."""

    @abstractmethod
    def from_sums(self, sums: Floats) -> Floats:
        """Corpus scores (samples × parts) from sums of rows (samples × columns)."""

    def compute(self, batch: Batch) -> Statistics:
        """The rows of `features`, checked."""
        features = self.features(batch)
        if isinstance(features, Statistics):
            return features
        rows, shape = np.asarray(features), (len(batch), len(self.columns))
        if rows.shape != shape and rows.size:
            raise ValueError(f"{self.name}: features has the shape {rows.shape}, and should have {shape}")
        return Statistics.one_row_each(self.columns, rows.reshape(shape))

    def summands(self, statistics: Statistics) -> Numbers | None:
        """The rows themselves."""
        return statistics.values

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Scores of the weighted sums."""
        return self.from_sums(weights.astype(np.float64) @ self._summands(statistics))

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The score of every row by itself."""
        return self.from_sums(self._summands(statistics).astype(np.float64))[:, 0]

    def accumulator(self) -> Accumulator:
        """Sums are enough."""
        return Sums(self)

    def _summands(self, statistics: Statistics) -> Numbers:
        rows = self.summands(statistics)
        if rows is None:
            raise NotImplementedError(f"{self.name} has no summands, so it needs aggregate and accumulator")
        return rows


class ScanMetric(Metric):
    """A metric that chooses one reference per segment by the totals up to there, as M² and ERRANT do.

    Write `counts` and `from_totals`; override `better` if references are not compared by the score itself.
    Set `running` to False if each segment chooses its reference by itself: the chosen rows are then added
    up. `scan` can call native code.
    """

    running: ClassVar[bool] = True
    by_reference: ClassVar[bool] = True

    @abstractmethod
    def counts(self, batch: Batch) -> Statistics | Sequence[npt.ArrayLike]:
        """Per segment, one row of numbers for every reference, in the order of the annotations."""

    @abstractmethod
    def from_totals(self, totals: Numbers) -> Floats:
        """Corpus scores (samples × parts) from totals (samples × columns)."""

    def better(self, totals: Numbers, rows: Numbers) -> Iterable[Floats]:
        """Keys to compare references by, the most important first; larger wins, then the first reference.

        `rows` are the references' own rows, and `totals` the totals so far with each of them added; both have
        the same shape, which ends in the columns. A generator computes further keys only if rows tie.
        """
        flat = totals.reshape(-1, totals.shape[-1])
        scores = self.from_totals(flat)[:, 0].reshape(totals.shape[:-1])
        return [scores if self.higher_is_better else -scores]

    def compute(self, batch: Batch) -> Statistics:
        """The rows of `counts`, checked."""
        counts = self.counts(batch)
        if isinstance(counts, Statistics):
            return counts
        annotators = [
            [a.annotator for a in (segment.annotations if "edits" in self.needs else segment.rewritten)]
            for segment in batch.corpus
        ]
        shapes = [(len(numbers), len(self.columns)) for numbers in annotators]
        for segment, (rows, shape) in enumerate(zip(map(np.asarray, counts), shapes, strict=True)):
            if rows.shape != shape and (rows.size or shape[0]):
                where = f"{self.name}: counts of segment {segment}"
                raise ValueError(f"{where} has the shape {rows.shape}, and should have {shape}")
        return Statistics.from_lists(self.columns, counts, annotators)

    def from_sums(self, sums: Floats) -> Floats:
        """Sums of chosen rows are totals."""
        return self.from_totals(sums)

    def summands(self, statistics: Statistics) -> Numbers | None:
        """The chosen rows if each segment chooses by itself; None with running totals."""
        return None if self.running else self._rows(statistics, self.chosen(statistics))

    def scan(self, statistics: Statistics, weights: Integers, totals: Numbers) -> None:
        """Add the chosen rows of all segments, in order, to the totals (samples × columns) in place."""
        scan_totals(statistics, weights, totals, self.better)

    def chosen(self, statistics: Statistics, *, running: bool | None = None) -> Integers:
        """The number of the chosen row per segment, −1 for a segment without rows.

        Rows are chosen as for the corpus score; with `running=False` every segment chooses by itself.
        """
        if self.running if running is None else running:
            return choose_running(statistics, self.better)
        return choose_alone(statistics, self.better)

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        """Scores of totals; running totals choose references anew in every sample."""
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
        """Totals are enough."""
        return RunningTotals(self) if self.running else Sums(self)

    def _rows(self, statistics: Statistics, chosen: Integers) -> Numbers:
        """The chosen rows; zeros for a segment without a reference."""
        if not len(statistics.values):
            return np.zeros((len(chosen), len(self.columns)), dtype=np.int64)
        rows = statistics.values[chosen]
        rows[chosen < 0] = 0
        return rows


class NativeScanMetric(ScanMetric):
    """A metric with running totals whose references native code chooses."""

    @property
    @abstractmethod
    def scan_rule(self) -> tuple[int, float | tuple[float, ...]]:
        """The rule of `errata.native.scans` that compares references, and its factors."""

    def scan(self, statistics: Statistics, weights: Integers, totals: Numbers) -> None:
        """Add the rows of the chosen references to the totals of every sample."""
        scans.scan(statistics.values, statistics.offsets, weights, totals, *self.scan_rule)

    def chosen(self, statistics: Statistics, *, running: bool | None = None) -> Integers:
        """The number of the chosen row per segment: by running totals, or each segment by itself."""
        rows: Integers = scans.choose(
            statistics.values, statistics.offsets, running is not False, *self.scan_rule
        )
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
        scores = np.asarray(self.scores(batch))
        if scores.shape != (len(batch),):
            raise ValueError(
                f"{self.name}: scores has the shape {scores.shape}, and should have {(len(batch),)}"
            )
        rows = np.ones((len(batch), 2))
        rows[:, 0] = scores
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
