"""Significance tests against sacreBLEU, SciPy and scoring anew: python benchmarks/significance.py"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import script
from measure import Contest
from texts import Texts

from errata import BLEU, Corpus, ExactMatch
from errata.metrics.statistics import Statistics
from errata.significance.permutation import bootstrap_test, observed_scores, permutation_test
from errata.significance.resampling import paired_bootstrap

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


if __name__ == "__main__":
    script.main(__doc__, contests)
