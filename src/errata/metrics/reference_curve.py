"""How scores grow with the number of references: a metric on every so many of the annotators."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np

from errata.corpus.model import Corpus, Outputs, Segment
from errata.metrics.base import Floats, Metric


def subsets_of(annotators: tuple[int, ...], *, most: int = 5, seed: int = 1) -> list[list[tuple[int, ...]]]:
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


def reference_curve(
    metric: Metric,
    corpus: Corpus,
    outputs: Outputs,
    *,
    most: int = 5,
    seed: int = 1,
    full: Floats | None = None,
    jobs: int | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> Floats:
    """The score of every system (rows) with 1, 2, … references (columns), the mean over sets of so many.

    A segment that none of the annotators in a set has seen is left out of that set. `full` gives the
    scores with all references where they are known already.
    """
    sizes = subsets_of(corpus.annotators, most=most, seed=seed)
    curve = np.zeros((len(outputs), len(sizes)))
    if full is not None:
        curve[:, -1] = full
        sizes = sizes[:-1]
    for column, sets in enumerate(sizes):
        for chosen in sets:
            part, kept = restricted_to(corpus, set(chosen))
            for row, hypotheses in enumerate(outputs.values()):
                texts = [hypotheses[i] for i in kept]
                curve[row, column] += metric.score(part, texts, jobs=jobs).value / len(sets)
            advance(1)
    return curve


def restricted_to(corpus: Corpus, annotators: set[int]) -> tuple[Corpus, list[int]]:
    """The segments that some of these annotators have seen, with their annotations alone."""
    segments, kept = [], []
    for index, segment in enumerate(corpus):
        annotations = tuple(a for a in segment.annotations if a.annotator in annotators)
        if annotations:
            kept.append(index)
            segments.append(
                Segment(segment.source, annotations, segment.document, segment.paragraph, segment.meta)
            )
    return Corpus(segments), kept
