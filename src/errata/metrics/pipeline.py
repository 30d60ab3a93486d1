"""The one way from texts to results: chunks become statistics somewhere, and are added up here.

A corpus in memory is the stream that consists of one chunk. How a corpus is divided, which engine does the
work and with how many threads does not show in any number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from errata import limits
from errata.corpus.chunks import LoadedChunk, Texts
from errata.corpus.model import Corpus
from errata.corpus.repeats import RepeatedCorpus
from errata.engine import in_order, map_ordered, without_threads
from errata.errors import DataError
from errata.limits import Limits
from errata.metrics.accumulators import Accumulator
from errata.metrics.base import Metric
from errata.metrics.batch import Batch, check_lengths
from errata.metrics.cache import cached
from errata.metrics.cuts import EXTREMES, Cut, at_extreme
from errata.metrics.provenance import ChunkCodes, Coding, Provenance, reading_of
from errata.metrics.results import Key, Results, labels_of
from errata.metrics.score import Score, Summary
from errata.metrics.statistics import Statistics
from errata.text.lines import Lines

Parts = Mapping[str, float]
Settled = tuple[Mapping[str, Any], ...]  # what the first pass of each metric found


class Chunk(Protocol):
    """Some segments of a corpus with hypotheses, which `parse` reads."""

    @property
    def place(self) -> str: ...

    @property
    def count(self) -> int: ...

    def parse(self) -> Texts: ...


@dataclass(frozen=True)
class ChunkStatistics:
    """The statistics of a chunk by system and number of the metric, with its labels and codes."""

    place: str
    count: int
    statistics: Mapping[Key, Statistics]
    labels: Mapping[str, Sequence[str]]
    codes: ChunkCodes
    parts: Mapping[Key, Parts] = field(default_factory=dict)  # of scores that consist of this chunk alone


@dataclass(frozen=True)
class _Work:
    """What a worker needs to know besides the chunk."""

    metrics: tuple[Metric, ...]
    numbers: tuple[int, ...]  # of the metrics that this worker computes
    jobs: int | None
    limits: Limits = field(default_factory=limits.current)  # those of the process that sends the work


@dataclass(frozen=True)
class ObserveChunk(_Work):
    """The first pass over a chunk, of the metrics that have one."""

    def __call__(self, chunk: Chunk) -> dict[int, Any]:
        texts = chunk.parse()
        batches = {
            name: Batch(texts.corpus_of(name), lines, self.jobs, system=name)
            for name, lines in texts.hypotheses.items()
        }
        with limits.limited(work=self.limits.work, memory=self.limits.memory):
            return {number: self.metrics[number].observe(batches) for number in self.numbers}


@dataclass(frozen=True)
class ScoreChunk(_Work):
    """Turns a chunk into statistics: the only place where its text is read."""

    settled: Settled = ()
    labels: bool = False
    cache: str | None = None
    whole: bool = False  # whether there is no other chunk, so that a score is that of this one

    def __call__(self, chunk: Chunk) -> ChunkStatistics:
        texts = chunk.parse()
        for lines in texts.hypotheses.values():
            check_lengths(texts.corpus, lines)
        texts = replace(texts, hypotheses={name: _kept(lines) for name, lines in texts.hypotheses.items()})
        readings = dict.fromkeys(reading_of(metric) for metric in self.metrics)
        with limits.limited(work=self.limits.work, memory=self.limits.memory):
            coding = Coding(texts, readings, lambda: self._prepare(texts))
            parts: dict[Key, Parts] = {}
            made = self.statistics(texts, coding, parts)
        found = {key: made[key] for key in sorted(made, key=lambda key: key[1])}
        labels = labels_of(texts.corpus) if self.labels else {}
        return ChunkStatistics(chunk.place, chunk.count, found, labels, coding.codes(), parts)

    def _prepare(self, texts: Texts) -> None:
        """Find out what several systems need, where they are scored side by side."""
        if len(texts.hypotheses) > 1 and not texts.post_edits:
            for number in self.numbers:
                self.metrics[number].prepare(texts.corpus, self.jobs)

    def statistics(
        self, texts: Texts, coding: Coding | None = None, parts: dict[Key, Parts] | None = None
    ) -> dict[Key, Statistics]:
        """The statistics of every system by every metric of this worker; `parts` gets those of scores.

        Threads do the work of `coding`, too: whoever scores a system by a metric that is `concurrent` makes
        its token ids, so that one thread runs a kernel while the other runs Python. Other metrics come last,
        so that the first error is the same for any number of threads.
        """
        work = {number: self._batches(number, texts) for number in self.numbers}
        several = [number for number, batches in work.items() if self._concurrent(number, batches)]
        pairs = [(number, batch) for number in several for batch in work[number]]
        tasks: list[tuple[Key | None, Callable[[], Any]]] = [
            ((batch.system, number), partial(self._scored, number, batch, coding, parts))
            for number, batch in pairs
        ]
        if coding is not None:
            systems = {batch.system for _, batch in pairs}
            tasks += [(None, piece) for piece in coding.apart(systems)]
            tasks.insert(1, (None, coding.corpus))  # edits are read without a kernel for a while
        made = in_order(lambda task: task[1](), tasks, self.jobs)
        both = zip(tasks, made, strict=True)
        found: dict[Key, Statistics] = {key: some for (key, _), some in both if key is not None}
        size = len(texts.corpus)
        for number in dict.fromkeys([*several, *work]):
            batches = work[number]
            left = [batch for batch in batches if (batch.system, number) not in found]
            for batch, whole in zip(left, self._compute(number, left), strict=True):
                if len(batches) == len(texts.hypotheses):
                    found[batch.system, number] = whole
                    continue
                for place, name in enumerate(texts.hypotheses):
                    found[name, number] = whole.select(np.arange(place * size, (place + 1) * size))
        return found

    def _batches(self, number: int, texts: Texts) -> list[Batch]:
        """A batch per system, or one of all systems for a metric that wants that."""
        settled = self.settled[number] if self.settled else {}
        if self.metrics[number].all_systems and len(texts.hypotheses) > 1 and not texts.post_edits:
            return [Batch(*_together(texts), self.jobs, settled)]
        return [
            Batch(texts.corpus_of(name), lines, self.jobs, settled, name)
            for name, lines in texts.hypotheses.items()
        ]

    def _concurrent(self, number: int, batches: Sequence[Batch]) -> bool:
        """Whether threads may compute one of these batches each."""
        concurrent = self.metrics[number].concurrent and len(batches) > 1
        return concurrent and self._size(number, batches) is None

    def _scored(
        self, number: int, batch: Batch, coding: Coding | None, parts: dict[Key, Parts] | None
    ) -> Statistics:
        """The statistics of a batch beside others; where there is no other chunk, `parts` gets its score."""
        metric = self.metrics[number]
        if coding is not None:
            coding.make(batch.system)
        made = cached(metric, batch, self.cache)
        if parts is not None and self.whole:
            parts[batch.system, number] = Score(metric, made).parts
        if coding is not None:
            coding.hypotheses[batch.system]()
        return made

    def _size(self, number: int, batches: Sequence[Batch]) -> int | None:
        """Of how many segments the pieces of a batch are; None if it is computed as a whole."""
        metric = self.metrics[number]
        size = metric.batch_size or (_CACHED_AT_A_TIME if self.cache and metric.costly else None)
        return size if size is not None and batches and size < len(batches[0]) else None

    @property
    def concurrent(self) -> bool:
        """Whether several chunks may be worked on side by side."""
        return all(self.metrics[number].concurrent for number in self.numbers)

    def _compute(self, number: int, batches: Sequence[Batch]) -> list[Statistics]:
        """The statistics of whole batches, or of pieces of the size that the metric asks for.

        The same piece of all systems is computed before the next one, so that a model need not read the
        sources and references again for every system.
        """
        metric, size = self.metrics[number], self._size(number, batches)
        if size is None:
            return [cached(metric, batch, self.cache) for batch in batches]
        pieces: list[list[Statistics]] = [[] for _ in batches]
        for start in range(0, len(batches[0]), size):
            for made, batch in zip(pieces, batches, strict=True):
                made.append(cached(metric, _piece(batch, start, start + size), self.cache))
        return [Statistics.joined(made) for made in pieces]


_CACHED_AT_A_TIME = 256  # segments, so that a run that is killed loses little


def _piece(batch: Batch, start: int, stop: int) -> Batch:
    """Some segments of a batch."""
    base, numbers = batch.distinct
    part = RepeatedCorpus(base, numbers[start:stop])
    part.first = batch.corpus.first + start
    return replace(batch, corpus=part, hypotheses=batch.hypotheses[start:stop])


def _kept(lines: Sequence[str]) -> Sequence[str]:
    """The lines as bytes, which keep their token ids for further metrics and for digests."""
    return Lines.of(lines) if isinstance(lines, list | tuple) else lines


def _together(texts: Texts) -> tuple[Corpus, Sequence[str]]:
    """The hypotheses of all systems in one batch; sources and references are encoded once."""
    count = len(texts.hypotheses)
    numbers = np.tile(np.arange(len(texts.corpus), dtype=np.int64), count)
    lines = [line for some in texts.hypotheses.values() for line in some]
    return RepeatedCorpus(texts.corpus, numbers), lines


class _RunningScore:
    """The score of one system by one metric while its chunks come in."""

    def __init__(self, metric: Metric, keep: bool) -> None:
        self.metric = metric
        self._accumulator: Accumulator | None = None if keep else metric.accumulator()
        self._extremes: list[Accumulator] = []  # with cut sentences at their worst and at their best
        self._kept: list[Statistics] | None = [] if keep else None
        self._cuts: tuple[Cut, ...] = ()
        self._chooses = False
        self._segments = 0
        self._known: Parts | None = None

    def add(self, statistics: Statistics, parts: Parts | None = None) -> None:
        if self._kept is not None:
            self._known = None if self._kept else parts
            if len(self._kept) == 1:  # a single chunk needs no packing
                self._kept[0] = self._kept[0].packed()
            self._kept.append(statistics.packed() if self._kept else statistics)
            return
        assert self._accumulator is not None
        statistics = Statistics.joined([statistics])
        if statistics.cuts and not self._extremes:
            self._extremes = [deepcopy(self._accumulator) for _ in EXTREMES]
        for side, extreme in zip(EXTREMES, self._extremes, strict=False):
            extreme.add(at_extreme(statistics, side))
        self._accumulator.add(statistics)
        self._cuts += tuple(cut.moved(self._segments) for cut in statistics.cuts)
        if not self._chooses and (statistics.counts > 1).any():
            self._chooses = self.metric.summands(statistics) is None
        self._segments += len(statistics)

    @property
    def statistics(self) -> Statistics | None:
        """All statistics, where they were kept."""
        if self._kept is None:
            return None
        return self._kept[0] if len(self._kept) == 1 else Statistics.joined(self._kept)

    @property
    def summary(self) -> Summary | None:
        """The score alone, where statistics were not kept."""
        if self._accumulator is None:
            return None
        scores = [float(each.parts()[0]) for each in (self._accumulator, *self._extremes)]
        return Summary(self._cuts, (min(scores), max(scores)), self._chooses)

    @property
    def parts(self) -> Parts | None:
        """The parts of the score, where they have been computed."""
        if self._accumulator is None:
            return self._known
        return dict(zip(self.metric.parts, self._accumulator.parts().tolist(), strict=True))


class _Collected:
    """Systems × metrics of running scores, with the labels and digests of the segments."""

    def __init__(self, metrics: Sequence[Metric], settled: Settled, keep: bool) -> None:
        self._metrics, self._settled, self._keep = tuple(metrics), settled, keep
        self._scores: dict[Key, _RunningScore] = {}
        self._labels: dict[str, list[str]] = {}
        self._provenance = Provenance()
        self.segments = 0

    def add(self, chunk: ChunkStatistics) -> None:
        systems = {system for system, _ in chunk.statistics}
        known = {system for system, _ in self._scores}
        if not systems or (known and systems != known):
            raise DataError(
                f"{chunk.place}: hypotheses of {', '.join(sorted(systems)) or 'no system'}"
                + (f", before of {', '.join(sorted(known))}" if known else ""),
                hint="give --hyp FILE…, or the columns hypothesis:NAME, the same in every shard",
            )
        for key, statistics in chunk.statistics.items():
            if key not in self._scores:
                self._scores[key] = _RunningScore(self._metrics[key[1]], self._keep)
            self._scores[key].add(statistics, chunk.parts.get(key))
        for name in {**self._labels, **chunk.labels}:
            values = self._labels.setdefault(name, [""] * self.segments)
            values += chunk.labels.get(name, [""] * chunk.count)
        self._provenance.add(chunk.codes)
        self.segments += chunk.count

    def results(self) -> Results:
        """Everything that was collected."""
        signatures = [
            self._provenance.signature(metric, settled)
            for metric, settled in zip(self._metrics, self._settled, strict=True)
        ]
        scores = {
            (system, number): Score(
                self._metrics[number],
                running.statistics,
                made_as=signatures[number],
                summary=running.summary,
                settled=self._settled[number],
                computed=running.parts,
            )
            for (system, number), running in self._scores.items()
        }
        systems = tuple(dict.fromkeys(system for system, _ in scores))
        inputs = self._provenance.digests()
        return Results(systems, self._metrics, scores, self.segments, self._labels, inputs)


def evaluate(
    chunks: Iterable[Chunk],
    metrics: Sequence[Metric],
    executor: Executor | None = None,
    *,
    keep: bool = True,
    jobs: int | None = None,
    cache: str | Path | None = None,
    advance: Callable[[int], None] = lambda segments: None,
) -> Results:
    """Score systems chunk by chunk, on any engine.

    `keep` holds on to the statistics of all segments (never to the texts), which intervals, groups and saving
    need. `cache` is a folder for the results of metrics that are costly. `advance` is called with the number
    of segments that are done. A metric with a first pass needs chunks that can be read twice.
    """
    metrics = tuple(metrics)
    if not metrics:
        raise DataError("there is no metric to score with", hint="name one, such as m2")
    settled = _first_pass(chunks, metrics, executor, jobs)
    collected = _Collected(metrics, settled, keep)
    folder = None if cache is None else str(cache)
    shared = tuple(n for n, metric in enumerate(metrics) if not metric.one_process)
    alone = tuple(n for n, metric in enumerate(metrics) if metric.one_process)
    here = ScoreChunk(metrics, alone, jobs, settled=settled, cache=folder)
    whole = isinstance(chunks, Sequence) and len(chunks) == 1 and keep
    away = ScoreChunk(metrics, shared, jobs, settled=settled, labels=keep, cache=folder, whole=whole)
    waiting: deque[Chunk] = deque()

    def remembered() -> Iterator[Chunk]:
        for chunk in chunks:
            if alone:
                waiting.append(chunk)
            yield chunk

    executor = without_threads(executor, away)
    for scored in map_ordered(executor, away, remembered()):
        if alone:
            more = here.statistics(waiting.popleft().parse())
            scored = replace(scored, statistics={**scored.statistics, **more})
        collected.add(scored)
        advance(scored.count)
    if not collected.segments:
        raise DataError("there is no sentence to score", hint="is it the right file?")
    return collected.results()


def _first_pass(
    chunks: Iterable[Chunk], metrics: tuple[Metric, ...], executor: Executor | None, jobs: int | None
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
    work = ObserveChunk(metrics, numbers, jobs)
    observed = list(map_ordered(without_threads(executor, work), work, chunks))
    return tuple(
        settled_by(metric, [chunk[n] for chunk in observed]) if n in numbers else {}
        for n, metric in enumerate(metrics)
    )


def settled_by(metric: Metric, observations: Sequence[Any]) -> Mapping[str, Any]:
    """What a first pass found, as plain numbers, texts and arrays, which can be saved."""
    found = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in metric.settle(observations).items()
    }
    for name, value in found.items():
        if not isinstance(value, bool | int | float | str | np.ndarray):
            raise TypeError(
                f"{metric.name}: settle gives {name!r} as {type(value).__name__}, and should give a number, "
                "a text or an array"
            )
    return found


def score_one(metric: Metric, corpus: Corpus, hypotheses: Sequence[str], jobs: int | None) -> Score:
    """The score of one system by one metric; its signature is made when it is asked for."""
    check_lengths(corpus, hypotheses)
    chunk = [LoadedChunk(corpus, {"": hypotheses})]
    (settled,) = _first_pass(chunk, (metric,), None, jobs)
    work = ScoreChunk((metric,), (0,), jobs, settled=(settled,))
    made = work.statistics(chunk[0].parse())["", 0]
    return Score(metric, made, corpus, hypotheses, settled=settled)
