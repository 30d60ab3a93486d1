"""From texts to results: `evaluate` computes statistics chunk by chunk and combines them.

A corpus in memory is one chunk: threads compute one system by one metric each, or ranges of segments. The
chunks of a stream are tasks of any executor, and one worker computes a chunk. Neither the chunks nor the
workers change any number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import tee
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errata import limits
from errata.corpus.model import Chunk, Corpus
from errata.engine import jobs_or_default, map_ordered, open_executor, without_threads
from errata.errors import DataError
from errata.limits import Limits
from errata.metrics.base import Metric
from errata.metrics.batch import Batch, check_lengths
from errata.metrics.results import Key, Results, labels_of
from errata.metrics.score import Score, ScoreBuilder
from errata.metrics.signature import InputCodes, Provenance, input_codes, reading_of
from errata.metrics.statistics import Statistics
from errata.text.lines import Lines

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from errata.corpus.streaming import AnyChunk

Settled = tuple[Mapping[str, Any], ...]  # results of the first pass, by metric
_RANGE = 2000  # segments per task if there are more threads than systems
_MODEL_BATCH = 256  # segments per batch of a model; a cached run that is killed loses at most one batch


def evaluate(
    chunks: Iterable[AnyChunk],
    metrics: Sequence[Metric],
    executor: Executor | None = None,
    *,
    keep: bool = True,
    jobs: int | None = None,
    cache: str | Path | None = None,
    advance: Callable[[int], None] = lambda segments: None,
) -> Results:
    """Score systems chunk by chunk: one task of the executor per chunk, or else `jobs` threads in each chunk.

    `keep` retains the statistics of all segments (never the texts), which intervals, groups and saving
    need. `cache` is a folder for the results of metrics with models. `advance` is called with the number of
    segments that are done. A metric with a first pass needs chunks that can be read twice.
    """
    metrics = tuple(metrics)
    if not metrics:
        raise DataError("there is no metric to score with", hint="name one, such as m2")
    settled = _first_pass(chunks, metrics, executor, jobs)
    models = tuple(n for n, metric in enumerate(metrics) if metric.computed_by == "model")
    others = tuple(n for n in range(len(metrics)) if n not in models)
    scorer = ChunkScorer(metrics, others, settled, jobs, cache, keep)
    model_scorer = replace(scorer, numbers=models)  # always in this process
    executor = without_threads(executor, scorer)
    builders: dict[Key, ScoreBuilder] = {}
    labels: dict[str, list[str]] = {}
    provenance, segments = Provenance(), 0
    with open_executor(jobs=jobs) if executor is None else nullcontext() as threads:
        task = scorer if threads is None else partial(scorer, threads=threads)
        chunks, read_ahead = tee(chunks)
        for scored, chunk in zip(map_ordered(executor, task, read_ahead), chunks, strict=False):
            statistics = scored.statistics
            if models:
                statistics |= model_scorer.statistics(_parsed(chunk))
            _check_systems(chunk.place, statistics, builders)
            for key, rows in statistics.items():
                builders.setdefault(key, ScoreBuilder(metrics[key[1]], keep)).add(rows)
            for name in {**labels, **scored.labels}:
                values = labels.setdefault(name, [""] * segments)
                values += scored.labels.get(name, [""] * chunk.count)
            provenance.add(scored.codes)
            segments += chunk.count
            advance(chunk.count)
        if not segments:
            raise DataError("there is no sentence to score", hint="is it the right file?")
        systems = tuple(dict.fromkeys(system for system, _ in builders))
        signatures = {
            (system, number): signature
            for number, metric in enumerate(metrics)
            for system, signature in provenance.signatures(metric, settled[number], systems).items()
        }
        scores = {key: each.score(signatures[key], settled[key[1]]) for key, each in builders.items()}
        native = [score for score in scores.values() if score.metric.computed_by == "native"]
        deque(map_ordered(threads if len(native) > 1 else None, attrgetter("parts"), native), maxlen=0)
    return Results(systems, metrics, scores, segments, labels, provenance.digests())


def score_one(
    metric: Metric,
    corpus: Corpus,
    hypotheses: Sequence[str],
    jobs: int | None,
    cache: str | Path | None = None,
) -> Score:
    """The score of one system by one metric; its signature is computed on request."""
    check_lengths(corpus, hypotheses)
    chunk = Chunk(corpus, {"": hypotheses})
    settled = _first_pass([chunk], (metric,), None, jobs)
    scorer = ChunkScorer((metric,), (0,), settled, jobs, cache)
    with open_executor(jobs=jobs) if len(corpus) > _RANGE else nullcontext() as threads:
        statistics = scorer.statistics(chunk, threads)["", 0]
    return Score(metric, statistics, corpus, hypotheses, settled=settled[0])


@dataclass(frozen=True)
class ScoredChunk:
    """The statistics of a chunk by system and number of the metric, with its labels and codes."""

    statistics: dict[Key, Statistics]
    labels: Mapping[str, Sequence[str]]
    codes: InputCodes


@dataclass(frozen=True)
class ChunkScorer:
    """Turns a chunk into statistics by some of the metrics, in this process or in another."""

    metrics: tuple[Metric, ...]
    numbers: tuple[int, ...]  # of the metrics to compute
    settled: Settled
    jobs: int | None = None
    cache: str | Path | None = None
    labels: bool = False
    limits: Limits = field(default_factory=limits.current)  # those of the process that sends the work

    @property
    def concurrent(self) -> bool:
        """Whether threads gain time if they compute several chunks at once."""
        return all(self.metrics[number].computed_by == "native" for number in self.numbers)

    def __call__(self, chunk: AnyChunk, threads: Executor | None = None) -> ScoredChunk:
        texts = _parsed(chunk)
        with limits.limited(self.limits):
            codes = input_codes(texts, dict.fromkeys(map(reading_of, self.metrics)))
            statistics = self.statistics(texts, threads)
        return ScoredChunk(statistics, labels_of(texts.corpus) if self.labels else {}, codes)

    def observe(self, chunk: AnyChunk) -> dict[int, Any]:
        """The observations of each metric's first pass in a chunk."""
        texts = chunk.parse()
        with limits.limited(self.limits):
            return {
                number: self.metrics[number].observe(
                    {batch.system: batch for batch in self._batches(number, texts)}
                )
                for number in self.numbers
            }

    def statistics(self, texts: Chunk, threads: Executor | None = None) -> dict[Key, Statistics]:
        """The statistics of every system by every metric.

        Native metrics come first, with threads. If there are more threads than systems to score, ranges of
        segments are computed.
        """
        if not texts.post_edits:
            for number in self.numbers:
                self.metrics[number].prepare(texts.corpus.distinct[0], self.jobs)
        pieces: dict[Key, list[Statistics]] = {
            (name, number): [] for number in self.numbers for name in texts.hypotheses
        }
        native = [number for number in self.numbers if self.metrics[number].computed_by == "native"]
        tasks = len(native) * len(texts.hypotheses)
        divided = threads is not None and tasks < jobs_or_default(self.jobs) and texts.count > _RANGE
        run = partial(map_ordered, threads) if threads is not None and (divided or tasks > 1) else map
        try:
            for key, rows in run(self._compute, self._parts(native, texts, _RANGE if divided else None)):
                pieces[key].append(rows)
        except DataError:
            if divided:
                self.statistics(texts)  # raises the error of the whole, the same for any number of threads
            raise
        others = [number for number in self.numbers if number not in native]
        for key, rows in map(self._compute, self._parts(others, texts, _MODEL_BATCH)):
            pieces[key].append(rows)
        return {key: Statistics.joined(rows) for key, rows in pieces.items()}

    def _batches(self, number: int, texts: Chunk) -> list[Batch]:
        return [
            Batch(texts.corpus_of(name), lines, self.jobs, self.settled[number], name)
            for name, lines in texts.hypotheses.items()
        ]

    def _parts(self, numbers: Sequence[int], texts: Chunk, size: int | None) -> Iterator[tuple[Key, Batch]]:
        """The texts of all systems for each metric, divided into ranges if the metric permits it.

        The same range of all systems comes before the next one, so that a model need not read the sources
        and references again for every system.
        """
        for number in numbers:
            metric = self.metrics[number]
            divisible = metric.computed_by == "model" or (metric.computed_by == "native" and metric.divisible)
            ranges = [batch.ranges(size if divisible else None) for batch in self._batches(number, texts)]
            for parts in zip(*ranges, strict=True):
                yield from (((part.system, number), part) for part in parts)

    def _compute(self, task: tuple[Key, Batch]) -> tuple[Key, Statistics]:
        key, batch = task
        metric = self.metrics[key[1]]
        if self.cache is None or metric.computed_by != "model":
            return key, metric.compute(batch)
        from errata.metrics.saving import cached

        return key, cached(metric, batch, self.cache)


def _parsed(chunk: AnyChunk) -> Chunk:
    """The texts, with a hypothesis per segment; as bytes they keep their token ids for all metrics."""
    texts, systems = chunk.parse(), {}
    for name, lines in texts.hypotheses.items():
        check_lengths(texts.corpus, lines)
        systems[name] = Lines.of(lines) if isinstance(lines, list | tuple) else lines
    return replace(texts, hypotheses=systems)


def _check_systems(place: str, statistics: Iterable[Key], scores: Iterable[Key]) -> None:
    """Raise unless a chunk has hypotheses of the same systems as the chunks before it."""
    systems, before = ({system for system, _ in keys} for keys in (statistics, scores))
    if not systems or (before and systems != before):
        raise DataError(
            f"{place}: hypotheses of {', '.join(sorted(systems)) or 'no system'}"
            + (f", before of {', '.join(sorted(before))}" if before else ""),
            hint="give --hyp FILE…, or the columns hypothesis:NAME, the same in every shard",
        )


def _first_pass(
    chunks: Iterable[AnyChunk], metrics: tuple[Metric, ...], executor: Executor | None, jobs: int | None
) -> Settled:
    numbers = tuple(n for n, metric in enumerate(metrics) if metric.first_pass)
    if not numbers:
        return tuple({} for _ in metrics)
    if iter(chunks) is chunks:
        names = ", ".join(metrics[n].name for n in numbers)
        raise DataError(
            f"{names} reads all texts twice, and these can be read only once",
            hint="give files in place of standard input",
        )
    observe = ChunkScorer(metrics, numbers, ({},) * len(metrics), jobs).observe
    observed = list(map_ordered(without_threads(executor, observe), observe, chunks))
    return tuple(
        metric.settled([chunk[n] for chunk in observed]) if n in numbers else {}
        for n, metric in enumerate(metrics)
    )
