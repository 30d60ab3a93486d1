"""A corpus score with its parts, signature, sentence scores and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, total_ordering
from typing import TYPE_CHECKING, Any

from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.metrics.length_limits import Cut, bounds_of, cut_fields
from errata.metrics.signature import Signature
from errata.metrics.statistics import Floats, Statistics
from errata.significance.resampling import paired_bootstrap, percentile_interval
from errata.tables import Column, Table

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.explanation import Explanation


@dataclass(frozen=True)
class Summary:
    """What is known of a score whose statistics were not kept: its cut sentences and their effect."""

    cuts: tuple[Cut, ...]
    bounds: tuple[float, float]
    chooses: bool


@total_ordering
@dataclass(frozen=True, eq=False)
class Score:
    """A corpus score with its parts; sentence scores, intervals and explanations are made on request.

    It converts, compares and formats like a float: `float(score)`, `score > 0.5`, `f"{score:.2f}"`.
    """

    metric: Metric
    kept: Statistics | None = field(default=None, repr=False)
    corpus: Corpus | None = field(default=None, repr=False)
    hypotheses: Sequence[str] | None = field(default=None, repr=False)
    made_as: Signature | None = field(default=None, repr=False)  # when the statistics were made
    summary: Summary | None = field(default=None, repr=False)  # in place of statistics
    settled: Mapping[str, Any] = field(default_factory=dict, repr=False)  # what a first pass found
    computed: Mapping[str, float] | None = field(default=None, repr=False)  # its parts, where they are known

    @property
    def statistics(self) -> Statistics:
        """The sufficient statistics that the score was computed from."""
        if self.kept is None:
            raise DataError(
                "the statistics of single sentences were not kept",
                hint="score without --stream, or ask for --ci, --by, --sentence or --save in the same run",
            )
        return self.kept

    @property
    def parts(self) -> dict[str, float]:
        """What the score consists of, by name."""
        found = self.computed
        if found is None:  # not a cached_property: up to Python 3.11, it lets one thread in at a time
            accumulator = self.metric.accumulator()  # the whole corpus is one chunk
            accumulator.add(self.statistics)
            found = dict(zip(self.metric.parts, accumulator.parts().tolist(), strict=True))
            object.__setattr__(self, "computed", found)
        return dict(found)

    @property
    def value(self) -> float:
        """The score itself."""
        return self.parts[self.metric.parts[0]]

    @cached_property
    def sentences(self) -> Floats:
        """The score of every segment by itself."""
        return self.metric.sentence_scores(self.statistics)

    @cached_property
    def signature(self) -> str:
        """Everything that identifies the number: metric, settings, references, data, limits and version."""
        from errata.metrics.provenance import signature_on

        made = self.made_as
        if made is None and self.corpus is not None:
            made = signature_on(self.metric, self.corpus, self.settled)
        if made is None:
            made = Signature.of(self.metric.name, self.metric.settings())
        return str(made.adding(**cut_fields(self.cuts)))

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The sentences that exceeded a limit (see `errata.limits`)."""
        return self.summary.cuts if self.summary is not None else self.statistics.cuts

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest score that the cut sentences allow; the score itself twice without any."""
        if self.summary is not None:
            return self.summary.bounds
        return bounds_of(self.metric, self.statistics) if self.cuts else (self.value, self.value)

    @property
    def chooses(self) -> bool:
        """Whether references are chosen by running totals: a cut sentence may then affect other choices."""
        if self.summary is not None:
            return self.summary.chooses
        several = bool((self.statistics.counts > 1).any())
        return several and self.metric.summands(self.statistics) is None

    def interval(self, *, level: float = 0.95, samples: int = 1000, seed: int = 1) -> tuple[float, float]:
        """A percentile bootstrap interval over segments (see `errata compare` for more)."""
        drawn = paired_bootstrap(self.metric, [self.statistics], samples=samples, seed=seed)[:, 0]
        low, high = percentile_interval(drawn, level)
        return float(low[0]), float(high[0])

    def explain(self, index: int) -> Explanation:
        """Explain the score of the segment with this number (from 0)."""
        if self.corpus is None or self.hypotheses is None:
            raise DataError("an explanation needs the texts, and this score was made from statistics alone")
        return self.metric.explain(self.corpus[index], self.hypotheses[index])

    def table(self) -> Table:
        """The score and its parts as a table, with the signature."""
        names, values = zip(*self.parts.items(), strict=True)
        columns = [Column(self.metric.label(name), self.metric.decimals) for name in names]
        return Table(columns, [values], notes=[self.signature])

    def _repr_html_(self) -> str:
        return self.table().render("html")

    def to_frame(self) -> Any:
        """The sentences' scores as a pandas DataFrame, with the texts where they are known."""
        columns = [Column("segment"), Column(self.metric.name)]
        rows: list[Any] = [[i + 1, score] for i, score in enumerate(self.sentences.tolist())]
        if self.corpus is not None and self.hypotheses is not None:
            columns += [Column("source"), Column("hypothesis")]
            for row, source, hypothesis in zip(rows, self.corpus.sources, self.hypotheses, strict=True):
                row += [source, hypothesis]
        return Table(columns, rows).to_frame()

    def __float__(self) -> float:
        return self.value

    def __eq__(self, other: object) -> bool:
        return self.value == float(other) if isinstance(other, Score | float | int) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self.value < float(other) if isinstance(other, Score | float | int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __repr__(self) -> str:
        return f"<{self.metric.name} {self.value:.{self.metric.decimals}f}>"

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {value:.4f}" for name, value in self.parts.items())
        return f"{self.metric.name}: {parts}"
