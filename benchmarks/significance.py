"""Significance tests against sacreBLEU, SciPy and scoring anew: python benchmarks/significance.py"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import script
from measure import Budget, Contest
from texts import Texts

from errata import BLEU, M2, Corpus, ExactMatch
from errata.metrics.statistics import Statistics
from errata.significance.permutation import bootstrap_test, observed_scores, permutation_test
from errata.significance.resampling import paired_bootstrap
from errata.tables import Column, Table

SAMPLES = 1000
PERMUTATIONS = 10_000


def contests(data: Texts) -> Iterator[Contest]:
    systems = data.outputs[1:3]

    def bleu() -> list[Statistics]:
        corpus = Corpus.from_lists(data.sources, data.by_sentence)
        return [BLEU().statistics(corpus, lines, jobs=1) for lines in systems]

    def sacre(kind: str, samples: int) -> float:
        import sacrebleu
        from sacrebleu.significance import PairedTest

        metric = sacrebleu.BLEU(tokenize="none", force=True, references=data.references)
        named = [(str(i), lines) for i, lines in enumerate(systems)]
        _, results = PairedTest(named, {"BLEU": metric}, None, kind, samples)()
        return float(results["BLEU"][1].p_value)

    corpus = Corpus.from_lists(data.sources, data.by_sentence)
    exact = [ExactMatch().statistics(corpus, lines, jobs=1) for lines in systems]
    truths = [found.values[:, 0].astype(float) for found in exact]

    def scipy_permutations() -> float:
        from scipy.stats import permutation_test as theirs

        return float(
            theirs(truths, lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis), rng=1,
                   permutation_type="samples", n_resamples=PERMUTATIONS, vectorized=True, batch=500).pvalue
        )  # fmt: skip

    def bootstrap() -> float:
        pair = bleu()
        scores = paired_bootstrap(BLEU(), pair, samples=SAMPLES)[:, :, 0]
        ahead, behind = observed_scores(BLEU(), pair)
        return bootstrap_test(scores[:, 0] - scores[:, 1], float(ahead - behind), 0.05).p

    drawn = "samples are drawn at random"
    yield Contest(
        f"paired bootstrap of BLEU, {SAMPLES:,} samples", "sacreBLEU", "sacrebleu",
        bootstrap, lambda: sacre("bs", SAMPLES), note=drawn,
    )  # fmt: skip
    yield Contest(
        f"paired permutations of BLEU, {PERMUTATIONS:,}", "sacreBLEU", "sacrebleu",
        lambda: permutation_test(BLEU(), *bleu(), permutations=PERMUTATIONS).p,
        lambda: sacre("ar", PERMUTATIONS), note=drawn,
    )  # fmt: skip
    yield Contest(
        f"paired permutations of a mean, {PERMUTATIONS:,}", "SciPy", "scipy",
        lambda: permutation_test(ExactMatch(), *exact, permutations=PERMUTATIONS).p,
        scipy_permutations, note=drawn,
    )  # fmt: skip


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    """M², whose score is no function of sums: permutations against scoring the swapped texts anew."""
    many = 1_000_000 if budget.seconds > 5 else 20_000
    corpus, outputs = data.read()
    texts = list(outputs.values())[1:3]
    statistics = [M2().statistics(corpus, lines) for lines in outputs.values()]
    pair = statistics[1:3]

    def anew() -> None:
        for swaps in np.random.default_rng(1).integers(0, 2, (2, len(corpus))):
            for flipped in (0, 1):
                picked = [(a, b)[s ^ flipped] for a, b, s in zip(*texts, swaps, strict=True)]
                M2().score(corpus, picked)

    rows = []
    for what, work, times in (
        (f"{many:,} permutations of M²", lambda: permutation_test(M2(), *pair, permutations=many), 1),
        ("up to 10,000,000, stopped at a risk of 1e-6",
         lambda: permutation_test(M2(), *pair, permutations=10**7, risk=1e-6), 1),
        (f"{many:,} by scoring anew (extrapolated)", anew, many / 2),
        (f"{many // 100:,} bootstrap samples of {len(statistics)} systems",
         lambda: paired_bootstrap(M2(), statistics, samples=many // 100), 1),
    ):  # fmt: skip
        clock, cores = time.perf_counter(), time.process_time()
        work()
        seconds = time.perf_counter() - clock, time.process_time() - cores
        rows.append([what, *(value * times for value in seconds)])
    columns = [Column("work"), Column("seconds", 1), Column("core seconds", 1), Column("ratio", 2)]
    yield Table(columns, [[*row, row[1] / rows[0][1]] for row in rows], title="Significance of M²")


if __name__ == "__main__":
    script.main(__doc__, contests, details=details)
