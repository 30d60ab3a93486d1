"""Scores of corpora larger than memory: chunks become statistics somewhere, and are added up here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from errata import limits
from errata.corpus.chunks import Chunk, RowChunk
from errata.engine import Engine
from errata.errors import DataError
from errata.limits import Limits
from errata.metrics.base import Metric, Statistics
from errata.metrics.cuts import EXTREMES, Cut, at_extreme
from errata.metrics.results import Results, labels_of
from errata.metrics.running import KeptStatistics, Running

Key = tuple[str, int]  # a system and the number of a metric


@dataclass(frozen=True)
class Scored:
    """The statistics of a chunk, by system and number of the metric, and its labels where asked for."""

    place: str
    count: int
    statistics: Mapping[Key, Statistics]  # packed
    labels: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class ScoreChunk:
    """Turns a chunk into statistics; the only place where its text is looked at."""

    metrics: tuple[Metric, ...]
    labels: bool = False
    limits: Limits = field(default_factory=limits.current)  # those of the process that sends it

    def __call__(self, chunk: Chunk | RowChunk) -> Scored:
        with limits.limited(work=self.limits.work, memory=self.limits.memory):
            return self._scored(chunk)

    def _scored(self, chunk: Chunk | RowChunk) -> Scored:
        texts = chunk.parse()
        found = {
            (system, number): metric.statistics(
                texts.texts if texts.texts is not None and metric.reads == "texts" else texts.corpus,
                hypotheses,
            ).packed()
            for number, metric in enumerate(self.metrics)
            for system, hypotheses in texts.hypotheses.items()
        }
        return Scored(chunk.place, chunk.count, found, labels_of(texts.corpus) if self.labels else {})


class RunningScore:
    """A corpus score made of chunks: its parts and its cut sentences, without statistics or texts."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.cuts: tuple[Cut, ...] = ()
        self._several = False  # references of a segment
        self._summed = False  # the score depends on sums alone; known once a sentence was cut
        self._running = metric.running()
        self._extremes: list[Running] = []  # with cut sentences at their worst and at their best
        self._segments = 0

    def add(self, statistics: Statistics) -> None:
        """Take in the statistics of the next segments."""
        if statistics.cuts and not self._extremes:
            self._extremes = [deepcopy(self._running) for _ in EXTREMES]
            self._summed = self.metric.features(statistics) is not None
        for side, running in zip(EXTREMES, self._extremes, strict=False):
            running.add(at_extreme(statistics, side))
        self._running.add(statistics)
        self.cuts += tuple(cut.moved(self._segments) for cut in statistics.cuts)
        self._several = self._several or bool((statistics.counts > 1).any())
        self._segments += len(statistics)

    @property
    def parts(self) -> dict[str, float]:
        """What the score is made of, by name."""
        return dict(zip(self.metric.parts, self._running.parts().tolist(), strict=True))

    @property
    def value(self) -> float:
        """The score itself."""
        return self.parts[self.metric.parts[0]]

    @property
    def chooses(self) -> bool:
        """Whether references are chosen by running totals: a cut sentence may then move other choices."""
        return self._several and not self._summed

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which scores the cut sentences leave this one."""
        scores = [self.value, *(float(running.parts()[0]) for running in self._extremes)]
        return min(scores), max(scores)


class StreamedScores:
    """Systems × metrics of running scores, in as much memory for millions of segments as for a few."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = tuple(metrics)
        self.systems: tuple[str, ...] = ()
        self._count = 0
        self._scores: dict[Key, RunningScore] = {}

    def __len__(self) -> int:
        return self._count

    def add(self, scored: Scored) -> None:
        systems = tuple(dict.fromkeys(system for system, _ in scored.statistics))
        if not self._scores:
            self.systems = systems
            self._scores = {key: RunningScore(self.metrics[key[1]]) for key in scored.statistics}
        if set(systems) != set(self.systems) or not systems:
            raise DataError(
                f"{scored.place}: hypotheses of {', '.join(systems) or 'no system'}"
                + (f", before of {', '.join(self.systems)}" if self.systems else ""),
                hint="give --hyp FILE…, or the columns hypothesis:NAME, the same in every shard",
            )
        self._count += scored.count
        for key, statistics in scored.statistics.items():
            self._scores[key].add(Statistics.joined([statistics]))

    def score(self, system: str, number: int) -> RunningScore:
        """The score of a system by the metric of this number."""
        return self._scores[system, number]


class KeptScores(StreamedScores):
    """The same with the statistics kept (never the texts), for what needs those of single segments."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        super().__init__(metrics)
        self._kept: dict[Key, KeptStatistics] = {}
        self._labels: dict[str, list[str]] = {}

    def add(self, scored: Scored) -> None:
        before = len(self)
        super().add(scored)
        for key, statistics in scored.statistics.items():
            self._kept.setdefault(key, KeptStatistics()).add(statistics)
        for name in {**self._labels, **scored.labels}:
            known = self._labels.setdefault(name, [""] * before)
            known += scored.labels.get(name, [""] * scored.count)

    def results(self) -> Results:
        """What `Results.compute` gives for the whole, without the texts."""
        statistics = {key: kept.joined() for key, kept in self._kept.items()}
        return Results(self.systems, self.metrics, statistics, self._labels)


def stream_scores(
    chunks: Iterable[Chunk | RowChunk],
    metrics: Sequence[Metric],
    engine: Engine,
    *,
    keep: bool = False,
    advance: Callable[[int], None] = lambda segments: None,
) -> StreamedScores | Results:
    """Score systems chunk by chunk, on any engine; `keep` the statistics and labels of all segments."""
    scores = KeptScores(metrics) if keep else StreamedScores(metrics)
    for scored in engine.map(ScoreChunk(tuple(metrics), labels=keep), chunks):
        scores.add(scored)
        advance(scored.count)
    if not len(scores):
        raise DataError("no sentence to score", hint="is it the right file?")
    return scores.results() if isinstance(scores, KeptScores) else scores
