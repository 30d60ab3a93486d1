"""From texts to results: `evaluate` turns chunks of a corpus into statistics, and adds these up.

A corpus in memory is one chunk: threads compute one system by one metric each, or ranges of segments. The
chunks of a stream are tasks of any executor, and one worker computes a chunk. Neither the chunks nor the
workers change any number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errata import limits
from errata.corpus.model import Corpus
from errata.corpus.streaming import AnyChunk, Chunk
from errata.engine import jobs_or_default, map_ordered, open_executor, without_threads
from errata.errors import DataError
from errata.limits import Limits
from errata.metrics.accumulators import Accumulator
from errata.metrics.base import Metric
from errata.metrics.batch import Batch, check_lengths
from errata.metrics.cache import cached
from errata.metrics.length_limits import EXTREMES, Cut, at_extreme
from errata.metrics.provenance import InputCodes, Provenance, input_codes, reading_of
from errata.metrics.results import Key, Results, labels_of
from errata.metrics.score import Score, Summary
from errata.metrics.statistics import Statistics
from errata.text.lines import Lines

Settled = tuple[Mapping[str, Any], ...]  # what the first pass of each metric found
_RANGE = 2000  # segments of a task at most, where there are more threads than systems
_CACHED_RANGE = 256  # segments, so that a run that is killed loses little


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

    `keep` holds on to the statistics of all segments (never to the texts), which intervals, groups and saving
    need. `cache` is a folder for the results of metrics that are costly. `advance` is called with the number
    of segments that are done. A metric with a first pass needs chunks that can be read twice.
    """
    metrics = tuple(metrics)
    if not metrics:
        raise DataError("there is no metric to score with", hint="name one, such as m2")
    settled = _first_pass(chunks, metrics, executor, jobs)
    away, here = (
        ChunkScorer(
            metrics, tuple(n for n, metric in enumerate(metrics) if metric.one_process == alone), settled,
            jobs, None if cache is None else str(cache), labels=keep and not alone,
        )
        for alone in (False, True)
    )  # fmt: skip
    executor = without_threads(executor, away)
    collected, computed_here = _Collected(metrics, settled, keep), deque[dict[Key, Statistics]]()

    def read() -> Iterator[AnyChunk]:
        for chunk in chunks:
            computed_here.append(here.statistics(_parsed(chunk)) if here.numbers else {})
            yield chunk

    with open_executor(jobs=jobs) if executor is None else nullcontext() as threads:
        score = away if threads is None else partial(away, threads=threads)
        for scored in map_ordered(executor, score, read()):
            statistics = {**scored.statistics, **computed_here.popleft()}
            collected.add(replace(scored, statistics=statistics))
            advance(scored.count)
        if not collected.segments:
            raise DataError("there is no sentence to score", hint="is it the right file?")
        results = collected.results()
        if threads is not None:
            scores = [score for score in results.scores.values() if score.metric.concurrent]
            deque(map_ordered(threads, attrgetter("parts"), scores), maxlen=0)
    return results


def score_one(metric: Metric, corpus: Corpus, hypotheses: Sequence[str], jobs: int | None) -> Score:
    """The score of one system by one metric; its signature is made when it is asked for."""
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


class _Task(NamedTuple):
    number: int  # of a metric
    batch: Batch


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
        """Whether threads compute several chunks at the same time with a gain."""
        return all(self.metrics[number].concurrent for number in self.numbers)

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
        """What the first pass of each metric finds in a chunk."""
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

        Metrics that threads compute come first, so that the first error is the same for any number of
        threads.
        """
        size = len(texts.corpus)
        by_threads = [n for n in self.numbers if self.metrics[n].concurrent and not self._size(n, size)]
        tasks = [_Task(number, batch) for number in by_threads for batch in self._batches(number, texts)]
        statistics = dict(zip(map(_key, tasks), self._computed(tasks, threads), strict=True))
        for number in [number for number in self.numbers if number not in by_threads]:
            if self.metrics[number].all_systems and len(texts.hypotheses) > 1 and not texts.post_edits:
                statistics |= self._all_systems(number, texts)
            else:
                tasks = [_Task(number, batch) for batch in self._batches(number, texts)]
                statistics |= zip(map(_key, tasks), self._in_batches(tasks), strict=True)
        return {key: statistics[key] for key in sorted(statistics, key=lambda key: key[1])}

    def _batches(self, number: int, texts: Chunk) -> list[Batch]:
        return [
            Batch(texts.corpus_of(name), lines, self.jobs, self.settled[number], name)
            for name, lines in texts.hypotheses.items()
        ]

    def _size(self, number: int, segments: int) -> int | None:
        """The size of the batches that a metric, or the cache, divides so many segments into."""
        metric = self.metrics[number]
        size = metric.batch_size or (_CACHED_RANGE if self.cache and metric.costly else None)
        return size if size is not None and size < segments else None

    def _compute(self, task: _Task) -> Statistics:
        return cached(self.metrics[task.number], task.batch, self.cache)

    def _computed(self, tasks: Sequence[_Task], threads: Executor | None) -> Iterator[Statistics]:
        """The statistics of tasks; where these are fewer than the threads, of ranges of their segments."""
        few = threads is not None and len(tasks) < jobs_or_default(self.jobs)
        divided = [
            _ranges(task, _RANGE if few and _divisible(self.metrics[task.number]) else None) for task in tasks
        ]
        pieces = [piece for some in divided for piece in some]
        results = map_ordered(threads if len(pieces) > 1 else None, self._compute, pieces)
        for task, some in zip(tasks, divided, strict=True):
            try:
                yield _joined([next(results) for _ in some])
            except DataError:
                if len(some) > 1:
                    self._compute(task)  # raises the error of the whole, the same for any number of threads
                raise

    def _in_batches(self, tasks: Sequence[_Task]) -> list[Statistics]:
        """The statistics of tasks in batches of the size that the metric asks for.

        The same batch of all systems is computed before the next one, so that a model need not read the
        sources and references again for every system.
        """
        divided = [_ranges(task, self._size(task.number, len(task.batch))) for task in tasks]
        computed = [[self._compute(task) for task in row] for row in zip(*divided, strict=True)]
        return [_joined(some) for some in zip(*computed, strict=True)]

    def _all_systems(self, number: int, texts: Chunk) -> dict[Key, Statistics]:
        """The statistics of all systems in one batch; sources and references are encoded once."""
        size = len(texts.corpus)
        numbers = np.tile(np.arange(size, dtype=np.int64), len(texts.hypotheses))
        lines = [line for some in texts.hypotheses.values() for line in some]
        batch = Batch(texts.corpus.repeat(numbers), lines, self.jobs, self.settled[number])
        (whole,) = self._in_batches([_Task(number, batch)])
        starts = range(0, len(lines), size)
        systems = zip(texts.hypotheses, starts, strict=True)
        return {(name, number): whole.select(np.arange(start, start + size)) for name, start in systems}


def _parsed(chunk: AnyChunk) -> Chunk:
    """The texts, with a hypothesis per segment; as bytes they keep their token ids for all metrics."""
    texts, systems = chunk.parse(), {}
    for name, lines in texts.hypotheses.items():
        check_lengths(texts.corpus, lines)
        systems[name] = Lines.of(lines) if isinstance(lines, list | tuple) else lines
    return replace(texts, hypotheses=systems)


def _key(task: _Task) -> Key:
    return task.batch.system, task.number


def _joined(statistics: Sequence[Statistics]) -> Statistics:
    return statistics[0] if len(statistics) == 1 else Statistics.joined(statistics)


def _divisible(metric: Metric) -> bool:
    """Whether ranges cost no more than the whole: edits are extracted from all segments together."""
    return not metric.first_pass and not hasattr(type(metric), "extractor")


def _ranges(task: _Task, size: int | None) -> list[_Task]:
    """A task in parts with so many segments each."""
    batch = task.batch
    if size is None or len(batch) <= size:
        return [task]
    numbers = np.arange(len(batch), dtype=np.int64)
    parts = []
    for start in range(0, len(batch), size):
        corpus = batch.corpus.repeat(numbers[start : start + size])
        corpus.first = batch.corpus.first + start
        part = replace(batch, corpus=corpus, hypotheses=batch.hypotheses[start : start + size])
        parts.append(_Task(task.number, part))
    return parts


# -- the first pass ------------------------------------------------------------------------------------------


def _first_pass(
    chunks: Iterable[AnyChunk], metrics: tuple[Metric, ...], executor: Executor | None, jobs: int | None
) -> Settled:
    numbers = tuple(n for n, metric in enumerate(metrics) if metric.first_pass)
    if not numbers:
        return tuple({} for _ in metrics)
    if iter(chunks) is chunks:
        names = ", ".join(metrics[n].name for n in numbers)
        raise DataError(
            f"{names} looks at all texts twice, and these can be read only once",
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


# -- adding up -----------------------------------------------------------------------------------------------


class _Collected:
    """The chunks so far: statistics, or totals of these, of each system by each metric; labels; digests."""

    def __init__(self, metrics: tuple[Metric, ...], settled: Settled, keep: bool) -> None:
        self._metrics, self._settled, self._keep = metrics, settled, keep
        self._statistics: dict[Key, list[Statistics]] = {}
        self._totals: dict[Key, _Total] = {}
        self._labels: dict[str, list[str]] = {}
        self._provenance = Provenance()
        self.segments = 0

    def add(self, chunk: ChunkStatistics) -> None:
        systems = {system for system, _ in chunk.statistics}
        known = {system for system, _ in (self._statistics or self._totals)}
        if not systems or (known and systems != known):
            raise DataError(
                f"{chunk.place}: hypotheses of {', '.join(sorted(systems)) or 'no system'}"
                + (f", before of {', '.join(sorted(known))}" if known else ""),
                hint="give --hyp FILE…, or the columns hypothesis:NAME, the same in every shard",
            )
        for key, statistics in chunk.statistics.items():
            if self._keep:
                self._statistics.setdefault(key, []).append(statistics.packed() if known else statistics)
            else:
                self._totals.setdefault(key, _Total(self._metrics[key[1]])).add(statistics)
        for name in {**self._labels, **chunk.labels}:
            values = self._labels.setdefault(name, [""] * self.segments)
            values += chunk.labels.get(name, [""] * chunk.count)
        self._provenance.add(chunk.codes)
        self.segments += chunk.count

    def results(self) -> Results:
        """The results of all chunks."""
        pairs = [*zip(self._metrics, self._settled, strict=True)]
        signatures = [self._provenance.signature(metric, settled) for metric, settled in pairs]
        scores = {}
        for key in self._statistics or self._totals:
            metric, settled = pairs[key[1]]
            if self._keep:
                score = Score(metric, _joined(self._statistics[key]))
            else:
                score = self._totals[key].score()
            scores[key] = replace(score, made_as=signatures[key[1]], settled=settled)
        systems = tuple(dict.fromkeys(system for system, _ in scores))
        inputs = self._provenance.digests()
        return Results(systems, self._metrics, scores, self.segments, self._labels, inputs)


class _Total:
    """The score of one system by one metric from chunks that are not kept."""

    def __init__(self, metric: Metric) -> None:
        self._metric, self._accumulator = metric, metric.accumulator()
        self._extremes: list[Accumulator] = []  # with cut sentences at their worst and at their best
        self._cuts: tuple[Cut, ...] = ()
        self._chooses = False
        self._segments = 0

    def add(self, statistics: Statistics) -> None:
        statistics = Statistics.joined([statistics])
        if statistics.cuts and not self._extremes:
            self._extremes = [deepcopy(self._accumulator) for _ in EXTREMES]
        for side, extreme in zip(EXTREMES, self._extremes, strict=False):
            extreme.add(at_extreme(statistics, side))
        self._accumulator.add(statistics)
        self._cuts += tuple(cut.moved(self._segments) for cut in statistics.cuts)
        if not self._chooses and (statistics.counts > 1).any():
            self._chooses = self._metric.summands(statistics) is None
        self._segments += len(statistics)

    def score(self) -> Score:
        """The score of all chunks."""
        parts = dict(zip(self._metric.parts, self._accumulator.parts().tolist(), strict=True))
        values = [float(each.parts()[0]) for each in (self._accumulator, *self._extremes)]
        summary = Summary(self._cuts, (min(values), max(values)), self._chooses)
        return Score(self._metric, summary=summary, computed=parts)
