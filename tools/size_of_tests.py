"""Simulate the size and the power of `errata compare` for every metric: python tools/size_of_tests.py DATA

Writes `size_of_tests.tsv` into the results of errata-gec-studies. Systems are the 13 of CoNLL-2014.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from errata.array_types import Integers
from errata.corpus.formats import read_gold, read_hypotheses
from errata.metrics import METRICS, metric
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.metrics.statistics import Statistics
from errata.significance.decisions import adjust
from errata.significance.permutation import (
    Permutations,
    bootstrap_test,
    decide_each,
    observed_scores,
    permutation_test,
)
from errata.significance.resampling import paired_bootstrap
from errata_studies.results import write_rows

REPETITIONS = 400
PERMUTATIONS = 199  # p ≤ .05 and, for Holm's correction, p ≤ .05/10 are possible exactly
SEGMENTS = 500  # of a simulated test set
ALPHA = 0.05
SPECIFICATIONS = {
    "errant": "errant:tagger=embedded,references=given", "fluency": "fluency:model=en",
    "perplexity": "perplexity:model=en",
}  # fmt: skip
LEFT_OUT = {  # they need models of yours, or Chinese texts
    "bertscore", "cherrant", "impara", "pterrant", "ptm2", "scribendi", "sentsimcleme2", "simcleme2", "some",
    "uoterrant",
}  # fmt: skip
FIELDS = (
    "metric", "swapped lines", "shuffled, any of 10 pairs", "equal scores", "equal scores, bootstrap",
    "found with power .8", "beside 77 other pairs",
)  # fmt: skip

Pair = tuple[Statistics, Statistics]


def main() -> None:
    names = [name for name in METRICS if name not in LEFT_OUT]
    with ProcessPoolExecutor() as executor:
        rows = list(executor.map(simulate, [sys.argv[1]] * len(names), names))
    means = [f"{np.mean([float(row[k]) for row in rows]):.3f}" for k in range(1, 5)]
    write_rows("size_of_tests.tsv", FIELDS, [*rows, ["mean", *means, "", ""]])


def simulate(data: str, name: str) -> list[str]:
    """The row of one metric."""
    corpus = read_gold(f"{data}/conll14/test.m2")
    files = sorted(Path(data, "conll14", "systems").glob("*.txt"))
    corpus, outputs, _ = read_hypotheses(files, corpus)
    results = Results.compute(corpus, outputs, [metric(SPECIFICATIONS.get(name, name))], jobs=1)
    return [f"`{name}`", *simulated(results)]


def simulated(results: Results) -> list[str]:
    """The cells of one metric."""
    measure, systems = results.metrics[0], [results.statistics[name, 0] for name in results.systems]
    pairs = list(combinations(range(len(systems)), 2))
    scores = observed_scores(measure, systems)
    order = [systems[i] for i in np.argsort(scores)]
    equalised = [equal_scores(measure, *pair) for pair in pairwise(order)]

    def swapped(generator: np.random.Generator) -> Pair:
        first, second = (systems[i] for i in pairs[generator.integers(len(pairs))])
        rows = generator.choice(len(first), SEGMENTS, replace=False)
        return exchanged(first.select(rows), second.select(rows), generator.integers(0, 2, SEGMENTS))

    def equal(generator: np.random.Generator) -> Pair:
        return resampled(equalised[generator.integers(len(equalised))], SEGMENTS, generator)

    drawn = paired_bootstrap(measure, systems)[:, :, 0]
    spreads = [float((drawn[:, a] - drawn[:, b]).std(ddof=1)) for a, b in pairs]
    return [
        share(measure, lambda rng: permuted(measure, swapped(rng), rng)),
        share(measure, lambda rng: any_of_five(measure, systems, rng)),
        share(measure, lambda rng: permuted(measure, equal(rng), rng)),
        share(measure, lambda rng: bootstrapped(measure, equal(rng), rng)),
        *(f"{detectable(spreads, level):.4f}" for level in (ALPHA, ALPHA / len(pairs))),
    ]


def share(measure: Metric, rejected: Callable[[np.random.Generator], bool]) -> str:
    """The share of repetitions in which a test rejects; its standard error is .011 at .05."""
    seed = [*measure.name.encode()]
    return f"{np.mean([rejected(np.random.default_rng([*seed, k])) for k in range(REPETITIONS)]):.3f}"


def permuted(measure: Metric, pair: Pair, generator: np.random.Generator) -> bool:
    seed = int(generator.integers(1 << 31))
    return permutation_test(measure, *pair, permutations=PERMUTATIONS, seed=seed).p <= ALPHA


def bootstrapped(measure: Metric, pair: Pair, generator: np.random.Generator) -> bool:
    seed = int(generator.integers(1 << 31))
    drawn = paired_bootstrap(measure, pair, samples=PERMUTATIONS, seed=seed)[:, :, 0]
    first, second = observed_scores(measure, pair)
    return bootstrap_test(drawn[:, 0] - drawn[:, 1], float(first - second), ALPHA).p <= ALPHA


def any_of_five(measure: Metric, systems: Sequence[Statistics], generator: np.random.Generator) -> bool:
    """Whether any two of five systems differ after Holm's correction, when chance decides who wrote what."""
    rows = generator.choice(len(systems[0]), SEGMENTS, replace=False)
    five = [systems[i].select(rows) for i in generator.choice(len(systems), 5, replace=False)]
    joined = Statistics.joined(five)
    owners = generator.permuted(np.tile(np.arange(5), (SEGMENTS, 1)), axis=1)
    shuffled = [joined.select(owner * SEGMENTS + np.arange(SEGMENTS)) for owner in owners.T]
    tests = Permutations(
        measure, shuffled, list(combinations(range(5), 2)), seed=int(generator.integers(1 << 31))
    )
    p_values = [test.p for test in decide_each(tests, permutations=PERMUTATIONS)]
    return bool((adjust(p_values, "holm") <= ALPHA).any())


def exchanged(first: Statistics, second: Statistics, swaps: Integers) -> Pair:
    both, places = first.interleaved(second), 2 * np.arange(len(first))
    return both.select(places + swaps), both.select(places + 1 - swaps)


def resampled(pair: Pair, segments: int, generator: np.random.Generator) -> Pair:
    rows = generator.integers(0, len(pair[0]), segments)
    return pair[0].select(rows), pair[1].select(rows)


def equal_scores(measure: Metric, first: Statistics, second: Statistics) -> Pair:
    """Two systems that remain different but score alike: a few lines change places."""
    swaps = np.zeros(len(first), dtype=np.int64)
    gap = difference(measure, (first, second))
    small = abs(gap) / 100
    lines = np.random.default_rng(7).permutation(len(first))
    for some in [lines[k : k + size] for size in (16, 4, 1) for k in range(0, len(lines), size)]:
        if abs(gap) <= small:
            break
        swaps[some] ^= 1
        narrower = difference(measure, exchanged(first, second, swaps))
        if abs(narrower) < abs(gap):
            gap = narrower
        else:
            swaps[some] ^= 1
    return exchanged(first, second, swaps)


def difference(measure: Metric, pair: Pair) -> float:
    first, second = observed_scores(measure, pair)
    return float(first - second)


def detectable(spreads: Sequence[float], alpha: float) -> float:
    """The difference that a test at this level finds with a power of .8: the median over the pairs."""
    from scipy.special import ndtri

    return float(np.median(spreads) * (ndtri(1 - alpha / 2) + ndtri(0.8)))


if __name__ == "__main__":
    main()
