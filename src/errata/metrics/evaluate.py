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
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from errata import limits
from errata.corpus.model import Corpus
from errata.corpus.streaming import AnyChunk, Chunk
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

Settled = tuple[Mapping[str, Any], ...]  # results of the first pass, by metric
Task = tuple[int, Batch]  # the number of a metric, and texts to score with it
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
    score_chunk = ChunkScorer(metrics, others, settled, jobs, None if cache is None else str(cache), keep)
    score_by_models = replace(score_chunk, numbers=models).statistics  # always in this process
    executor = without_threads(executor, score_chunk)
    scores: dict[Key, ScoreBuilder] = {}
    labels: dict[str, list[str]] = {}
    provenance, segments = Provenance(), 0
    scored_by_models = deque[dict[Key, Statistics]]()

    def read() -> Iterator[AnyChunk]:
        for chunk in chunks:
            scored_by_models.append(score_by_models(_parsed(chunk)) if models else {})
            yield chunk

    with open_executor(jobs=jobs) if executor is None else nullcontext() as threads:
        task = score_chunk if threads is None else partial(score_chunk, threads=threads)
        for chunk in map_ordered(executor, task, read()):
            statistics = {**chunk.statistics, **scored_by_models.popleft()}
            _check_systems(chunk.place, statistics, scores)
            for key, rows in statistics.items():
                scores.setdefault(key, ScoreBuilder(metrics[key[1]], keep)).add(rows)
            for name in {**labels, **chunk.labels}:
                values = labels.setdefault(name, [""] * segments)
                values += chunk.labels.get(name, [""] * chunk.count)
            provenance.add(chunk.codes)
            segments += chunk.count
            advance(chunk.count)
        if not segments:
            raise DataError("there is no sentence to score", hint="is it the right file?")
        systems = tuple(dict.fromkeys(system for system, _ in scores))
        signatures = {
            (system, number): signature
            for number, pair in enumerate(zip(metrics, settled, strict=True))
            for system, signature in zip(systems, provenance.signatures(*pair, systems), strict=True)
        }
        finished = {key: scores[key].score(signatures[key], settled[key[1]]) for key in scores}
        native = [score for score in finished.values() if score.metric.computed_by == "native"]
        deque(map_ordered(threads if len(native) > 1 else None, attrgetter("parts"), native), maxlen=0)
    return Results(systems, metrics, finished, segments, labels, provenance.digests())


def score_one(metric: Metric, corpus: Corpus, hypotheses: Sequence[str], jobs: int | None) -> Score:
    """The score of one system by one metric; its signature is computed on request."""
    check_lengths(corpus, hypotheses)
    chunk = Chunk(corpus, {"": hypotheses})
    settled = _first_pass([chunk], (metric,), None, jobs)
    with open_executor(jobs=jobs) as threads:
        statistics = ChunkScorer((metric,), (0,), settled, jobs).statistics(chunk, threads)["", 0]
    return Score(metric, statistics, corpus, hypotheses, settled=settled[0])


@dataclass(frozen=True)
class ChunkStatistics:
    """The statistics of a chunk by system and number of the metric, with its labels and codes."""

    place: str
    count: int
    statistics: Mapping[Key, Statistics]
    labels: Mapping[str, Sequence[str]]
    codes: InputCodes


@dataclass(frozen=True)
class ChunkScorer:
    """Turns a chunk into statistics by some of the metrics, in this process or in another."""

    metrics: tuple[Metric, ...]
    numbers: tuple[int, ...]  # of the metrics to compute
    settled: Settled
    jobs: int | None = None
    cache: str | None = None
    labels: bool = False
    limits: Limits = field(default_factory=limits.current)  # those of the process that sends the work

    @property
    def concurrent(self) -> bool:
        """Whether threads gain time if they compute several chunks at once."""
        return all(self.metrics[number].computed_by == "native" for number in self.numbers)

    def __call__(self, chunk: AnyChunk, threads: Executor | None = None) -> ChunkStatistics:
        texts = _parsed(chunk)
        with limits.limited(work=self.limits.work, memory=self.limits.memory):
            codes = input_codes(texts, dict.fromkeys(map(reading_of, self.metrics)))
            if not texts.post_edits:
                for number in self.numbers:
                    self.metrics[number].prepare(texts.corpus.distinct[0], self.jobs)
            statistics = self.statistics(texts, threads)
        labels = labels_of(texts.corpus) if self.labels else {}
        return ChunkStatistics(chunk.place, chunk.count, statistics, labels, codes)

    def observe(self, chunk: AnyChunk) -> dict[int, Any]:
        """The observations of each metric's first pass in a chunk."""
        texts = chunk.parse()
        with limits.limited(work=self.limits.work, memory=self.limits.memory):
            return {
                number: self.metrics[number].observe(
                    {batch.system: batch for batch in self._batches(number, texts)}
                )
                for number in self.numbers
            }

    def statistics(self, texts: Chunk, threads: Executor | None = None) -> dict[Key, Statistics]:
        """The statistics of every system by every metric.

        Native metrics come first, so that the first error is the same for any number of threads.
        """
        native = [number for number in self.numbers if self.metrics[number].computed_by == "native"]
        tasks = [(number, batch) for number in native for batch in self._batches(number, texts)]
        rows = self._by_threads(tasks, threads)
        computed = {(batch.system, number): next(rows) for number, batch in tasks}
        for number in self.numbers:
            if number not in native:
                computed |= self._in_turn(number, self._batches(number, texts))
        keys = [(name, number) for number in self.numbers for name in texts.hypotheses]
        return {key: computed[key] for key in keys}

    def _batches(self, number: int, texts: Chunk) -> list[Batch]:
        return [
            Batch(texts.corpus_of(name), lines, self.jobs, self.settled[number], name)
            for name, lines in texts.hypotheses.items()
        ]

    def _compute(self, task: Task) -> Statistics:
        number, batch = task
        metric = self.metrics[number]
        if self.cache is None or metric.computed_by != "model":
            return metric.compute(batch)
        from errata.metrics.saving import cached

        return cached(metric, batch, self.cache)

    def _by_threads(self, tasks: Sequence[Task], threads: Executor | None) -> Iterator[Statistics]:
        """The statistics of tasks; if these are fewer than the threads, ranges of segments are computed."""
        few = threads is not None and len(tasks) < jobs_or_default(self.jobs)
        sizes = [_RANGE if few and self.metrics[number].divisible else None for number, _ in tasks]
        counts = [
            max(1, -(-len(batch) // size)) if size else 1
            for (_, batch), size in zip(tasks, sizes, strict=True)
        ]
        parts = (
            (number, part)
            for (number, batch), size in zip(tasks, sizes, strict=True)
            for part in batch.ranges(size)
        )
        results = map_ordered(threads if sum(counts) > 1 else None, self._compute, parts)
        for task, count in zip(tasks, counts, strict=True):
            try:
                yield Statistics.joined([next(results) for _ in range(count)])
            except DataError:
                if count > 1:
                    self._compute(task)  # raises the error of the whole, the same for any number of threads
                raise

    def _in_turn(self, number: int, batches: Sequence[Batch]) -> dict[Key, Statistics]:
        """The statistics of all systems by one metric, by a model in small batches.

        The same batch of all systems is computed before the next one, so that a model need not read the
        sources and references again for every system.
        """
        size = _MODEL_BATCH if self.metrics[number].computed_by == "model" else None
        divided = [batch.ranges(size) for batch in batches]
        computed = [[self._compute((number, part)) for part in parts] for parts in zip(*divided, strict=True)]
        systems = zip(batches, zip(*computed, strict=True), strict=True)
        return {(batch.system, number): Statistics.joined(parts) for batch, parts in systems}


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
        settled_by(metric, [chunk[n] for chunk in observed]) if n in numbers else {}
        for n, metric in enumerate(metrics)
    )


def settled_by(metric: Metric, observations: Sequence[Any]) -> Mapping[str, Any]:
    """The result of a first pass as plain numbers, texts and arrays, which can be saved."""
    settled = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in metric.settle(observations).items()
    }
    for name, value in settled.items():
        if not isinstance(value, bool | int | float | str | np.ndarray):
            raise TypeError(
                f"{metric.name}: settle gives {name!r} as {type(value).__name__}, and should give a number, "
                "a text or an array"
            )
    return settled
