"""All pairs of n candidates in one call against a call a pair: `python benchmarks/mbr.py [METRIC…]`.

Candidates are the sample systems' outputs, changed at random to be distinct. Times are CPU seconds of one
thread, the best of three. The loop is timed on the first sources only, and its scores must be the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from errata import sample
from errata.corpus.model import Corpus
from errata.metrics import metric
from errata.metrics.base import Metric
from errata.tables import Column, Table

SOURCES = 40
NAIVE = 2  # sources that the loop is timed on


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    times = []
    for _ in range(3):
        started = time.process_time()
        found = work()
        times.append(time.process_time() - started)
    return min(times), found


def candidates(source: str, outputs: list[str], n: int, generator: np.random.Generator) -> list[str]:
    """n distinct texts: the outputs, then outputs with a word of the others dropped, doubled or exchanged."""
    found = dict.fromkeys(outputs[:n])
    while len(found) < n:
        words = outputs[generator.integers(len(outputs))].split() or ["word"]
        place = int(generator.integers(len(words)))
        other = source.split() or ["word"]
        words[place : place + 1] = [[], [words[place]] * 2, [other[generator.integers(len(other))]]][
            generator.integers(3)
        ]
        found[" ".join(words)] = None
    return list(found)


def loop(scorer: Metric, sources: list[str], lists: list[list[str]]) -> list[list[list[float]]]:
    return [
        [[float(scorer.score([s], [h], [[r]], jobs=1).sentences[0]) for r in some] for h in some]
        for s, some in zip(sources, lists, strict=True)
    ]


def main() -> None:
    made = sample.load("en")
    sources = made.corpus.sources[:SOURCES]
    outputs = [[lines[i] for lines in made.outputs.values()] for i in range(SOURCES)]
    rows: list[Any] = []
    for name in sys.argv[1:] or ("m2", "gleu", "bleu", "ter", "chrf", "green", "errant:tagger=embedded"):
        scorer = metric(name)
        for n in (8, 32):
            generator = np.random.default_rng(n)
            lists = [candidates(s, given, n, generator) for s, given in zip(sources, outputs, strict=True)]
            scorer.score_pairs(sources, lists, jobs=1)  # taggers load, words are remembered
            slow, expected = best(lambda m=scorer, x=lists: loop(m, sources[:NAIVE], x[:NAIVE]))
            fast, found = best(lambda m=scorer, x=lists: m.score_pairs(sources, x, jobs=1))
            assert [matrix.tolist() for matrix in found[:NAIVE]] == expected
            corpus = Corpus.from_lists(sources, [some[:2] for some in lists])
            reward, _ = best(lambda m=scorer, c=corpus, x=lists: m.score_batch(c, x, jobs=1))
            pairs = n * n
            loops, calls = NAIVE * pairs / slow, SOURCES * pairs / fast
            rows.append([name, n, loops, calls, calls / loops, SOURCES / fast, SOURCES * n / reward])
    columns = [
        Column("metric"), Column("n"), Column("loop, pairs/s", 0), Column("one call, pairs/s", 0),
        Column("ratio", 1), Column("sources/s", 1), Column("rewards/s, 2 refs", 0),
    ]  # fmt: skip
    print(Table(columns, rows).render(width=150))


main()
