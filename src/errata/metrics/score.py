"""A corpus score with its parts, signature, sentence scores and intervals."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, total_ordering
from typing import TYPE_CHECKING, Any

from errata.corpus.model import Corpus
from errata.errors import DataError, plural
from errata.metrics.signature import Signature, signature_on
from errata.metrics.statistics import Cut, Floats, Statistics
from errata.tables import Column, Table

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.explanation import Explanation

_FEW = 10  # segments, which may have no n-gram of some length


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
    data_signature: Signature | None = field(default=None, repr=False)  # with the digests of the data
    settled: Mapping[str, Any] = field(default_factory=dict, repr=False)  # the result of a first pass
    computed: Mapping[str, float] | None = field(default=None, repr=False)  # its parts, once computed
    streamed_cuts: tuple[Cut, ...] = field(default=(), repr=False)  # if no statistics were kept

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
        """The numbers of the score by name."""
        parts = self.computed
        if parts is None:  # not a cached_property: up to Python 3.11, it lets one thread in at a time
            accumulator = self.metric.accumulator()  # the whole corpus is one chunk
            accumulator.add(self.statistics)
            parts = dict(zip(self.metric.parts, accumulator.parts().tolist(), strict=True))
            object.__setattr__(self, "computed", parts)
        return dict(parts)

    @property
    def value(self) -> float:
        """The score itself."""
        return self.parts[self.metric.parts[0]]

    def zero_note(self) -> str:
        """Why the score of a few segments is 0, if the reason is their length; otherwise empty."""
        few = self.metric.needs_ngrams and self.kept is not None and len(self.kept) <= _FEW
        if not few or self.value or not (self.sentences > 0).any():
            return ""
        return (
            f"{self.metric.title} of {len(self.statistics)} {plural(len(self.statistics), 'sentence')} is 0 "
            "because no n-gram of some length matches; scores of single sentences do without such lengths"
        )

    def warn_if_zero(self) -> None:
        """Warn of a score that is 0 because the corpus is short."""
        message = self.zero_note()
        if message:
            warnings.warn(f"{message}: `score.sentences`, `metric.score_batch(…)`", stacklevel=3)

    @cached_property
    def sentences(self) -> Floats:
        """The score of every segment by itself."""
        return self.metric.sentence_scores(self.statistics)

    @cached_property
    def signature(self) -> str:
        """Everything that identifies the number: metric, settings, references, data, limits and version."""
        signature = self.data_signature
        if signature is None and self.corpus is not None and self.hypotheses is not None:
            signature = signature_on(self.metric, self.corpus, self.hypotheses, self.settled)
        if signature is None:
            signature = Signature.of(self.metric.name, self.metric.settings(), code=self.metric.code)
        return str(signature.adding(**self.cut_fields()))

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The sentences that exceeded a limit (see `errata.limits`)."""
        return self.streamed_cuts if self.kept is None else self.kept.cuts

    def cut_fields(self) -> dict[str, str]:
        """The fields of the signature if sentences exceeded a limit: their number, and the limits."""
        if not self.cuts:
            return {}
        return {"cut": str(len(self.cuts)), "limits": "+".join(dict.fromkeys(cut.at for cut in self.cuts))}

    def interval(self, *, level: float = 0.95, samples: int = 1000, seed: int = 1) -> tuple[float, float]:
        """A percentile bootstrap interval over segments (see `errata compare` for more)."""
        from errata.significance.resampling import paired_bootstrap, percentile_interval

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
        """The sentences' scores as a pandas DataFrame, with the texts if the score has them."""
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


class ScoreBuilder:
    """Makes a score from consecutive chunks; with `keep`, it retains the statistics of all segments."""

    def __init__(self, metric: Metric, keep: bool) -> None:
        self._metric, self._keep = metric, keep
        self._pieces: list[Statistics] = []
        self._accumulator = metric.accumulator()
        self._cuts: tuple[Cut, ...] = ()
        self._segments = 0

    def add(self, statistics: Statistics) -> None:
        """Add the statistics of the next chunk."""
        if self._keep:
            self._pieces.append(statistics.packed() if self._pieces else statistics)
            return
        self._accumulator.add(statistics)
        self._cuts += tuple(cut.moved(self._segments) for cut in statistics.cuts)
        self._segments += len(statistics)

    def score(self, signature: Signature, settled: Mapping[str, Any]) -> Score:
        """The score of all chunks."""
        if self._keep:
            kept = Statistics.joined(self._pieces)
            return Score(self._metric, kept, data_signature=signature, settled=settled)
        parts = dict(zip(self._metric.parts, self._accumulator.parts().tolist(), strict=True))
        return Score(self._metric, None, None, None, signature, settled, parts, self._cuts)
