"""How scores change with the number of references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, combinations
from math import comb
from typing import Literal, NamedTuple

import numpy as np

from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.metrics.base import Metric
from errata.metrics.statistics import Floats, Integers, Statistics

Choice = Sequence[Integers]  # for every segment, the positions of the annotations that are kept


class ReferenceCurve(NamedTuple):
    """The score of every system with 1, 2, … references: the mean over several choices of so many."""

    counts: tuple[int, ...]
    scores: Floats  # counts × systems


def reference_curve(
    metric: Metric,
    corpus: Corpus,
    outputs: Mapping[str, Sequence[str]],
    *,
    choose: Literal["references", "annotators"] = "references",
    draws: int = 10,
    seed: int = 1,
    full: Floats | None = None,
    jobs: int | None = None,
) -> ReferenceCurve:
    """Score the systems with 1, 2, … of the references, averaged over `draws` random choices.

    `choose` says what is drawn: "references" draws for every segment anew and needs two for each;
    "annotators" takes sets of annotators, all of them where there are no more than `draws`, and leaves out
    segments that none of a set has annotated. `full` are the scores with all references, if known.
    """
    corpus = metric.view(corpus)
    choices = _annotators(corpus, draws, seed) if choose == "annotators" else _references(corpus, draws, seed)
    sizes = [len(segment.annotations) for segment in corpus]
    places = [[_rows(sizes, chosen) for chosen in sets] for sets in choices]
    scores = np.zeros((len(choices), len(outputs)))
    for column, lines in enumerate(outputs.values()):
        statistics = metric.statistics(corpus, lines, jobs=jobs) if metric.by_reference else None
        if statistics is not None and not np.array_equal(statistics.counts, sizes):
            statistics = None  # references that are alike share a row
        for row, sets in enumerate(choices):
            if full is not None and row == len(choices) - 1:
                scores[row, column] = full[column]
                continue
            for chosen, (rows, offsets) in zip(sets, places[row], strict=True):
                if statistics is None:
                    value = _scored_again(metric, corpus, lines, chosen, jobs)
                else:
                    values, numbers = statistics.values[rows], statistics.references[rows]
                    value = metric.score(Statistics(statistics.columns, values, offsets, numbers)).value
                scores[row, column] += value / len(sets)
    return ReferenceCurve(tuple(range(1, len(choices) + 1)), scores)


def restricted_to(corpus: Corpus, annotators: set[int]) -> tuple[Corpus, list[int]]:
    """The segments that some of these annotators have seen, with their annotations alone."""
    return _kept(corpus, _positions(corpus, annotators))


def annotator_sets(annotators: tuple[int, ...], *, most: int, seed: int = 1) -> list[list[tuple[int, ...]]]:
    """For 1, 2, … annotators, all sets of so many of them, or `most` drawn at random where there are more."""
    generator = np.random.default_rng(seed)
    sizes = []
    for size in range(1, len(annotators) + 1):
        if comb(len(annotators), size) <= max(most, 64):
            chosen = list(combinations(annotators, size))
            if len(chosen) > most:
                chosen = [chosen[i] for i in sorted(generator.permutation(len(chosen))[:most])]
        else:
            draws = {tuple(sorted(generator.permutation(annotators)[:size].tolist())) for _ in range(most)}
            chosen = sorted(draws)
        sizes.append(chosen)
    return sizes


def _annotators(corpus: Corpus, draws: int, seed: int) -> list[list[Choice]]:
    return [
        [_positions(corpus, set(chosen)) for chosen in sets]
        for sets in annotator_sets(corpus.annotators, most=draws, seed=seed)
    ]


def _references(corpus: Corpus, draws: int, seed: int) -> list[list[Choice]]:
    most = min(len(segment.annotations) for segment in corpus)
    if most < 2:
        raise DataError("a curve over references needs at least two for every segment")
    generator = np.random.default_rng(seed)
    orders = [[generator.permutation(len(segment.annotations)) for segment in corpus] for _ in range(draws)]
    return [[[np.sort(each[:count]) for each in order] for order in orders] for count in range(1, most + 1)]


def _positions(corpus: Corpus, annotators: set[int]) -> Choice:
    return [
        np.array([k for k, a in enumerate(segment.annotations) if a.annotator in annotators], dtype=np.int64)
        for segment in corpus
    ]


def _scored_again(
    metric: Metric, corpus: Corpus, lines: Sequence[str], chosen: Choice, jobs: int | None
) -> float:
    part, kept = _kept(corpus, chosen)
    return metric.score(part, [lines[i] for i in kept], jobs=jobs).value


def _kept(corpus: Corpus, chosen: Choice) -> tuple[Corpus, list[int]]:
    kept = [i for i, some in enumerate(chosen) if len(some)]
    segments = (
        replace(segment, annotations=tuple(segment.annotations[k] for k in some.tolist()))
        for segment, some in zip(corpus, chosen, strict=True)
        if len(some)
    )
    return Corpus(list(segments)), kept


def _rows(sizes: Sequence[int], chosen: Choice) -> tuple[Integers, Integers]:
    """The rows of the chosen references and their offsets; segments without any are left out."""
    starts = accumulate(sizes, initial=0)
    filled = [(start, some) for start, some in zip(starts, chosen, strict=False) if len(some)]
    rows = np.concatenate([start + some for start, some in filled])
    return rows, np.cumsum([0, *(len(some) for _, some in filled)])
