"""Correlations, agreement and corrections against scipy & co.: python benchmarks/agreement.py [--quick]

The data are random numbers of the sizes that meta-evaluation has: 13 systems, thousands of sentences.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import script
from measure import Contest
from texts import Texts

from errata.significance.agreement_coefficients import cohen_kappa, fleiss_kappa, krippendorff_alpha
from errata.significance.correlations import bootstrap_interval, kendall, spearman
from errata.significance.decisions import benjamini_hochberg

ITEMS = 5000


def contests(data: Texts) -> Iterator[Contest]:
    generator = np.random.default_rng(1)
    first = generator.integers(0, 50, ITEMS).astype(float)  # scores with ties
    second = first + generator.normal(0, 20, ITEMS).round()
    few, fewer = generator.normal(size=(2, 13))
    labels, others = generator.integers(0, 3, (2, ITEMS))
    ratings = generator.integers(1, 6, (8, 1000)).astype(float)
    ratings[generator.random(ratings.shape) < 0.3] = np.nan
    counts = generator.multinomial(5, [0.5, 0.3, 0.2], ITEMS)
    p_values = generator.random(1000)

    def scipy_kendall() -> float:
        from scipy.stats import kendalltau

        return float(kendalltau(first, second).statistic)

    def scipy_spearman() -> float:
        from scipy.stats import spearmanr

        return float(spearmanr(first, second).statistic)

    def scipy_bootstrap() -> list[float]:
        from scipy.stats import bootstrap, pearsonr

        found = bootstrap(
            (few, fewer), lambda x, y, axis: pearsonr(x, y, axis=axis).statistic, paired=True,
            vectorized=True, n_resamples=1000, method="percentile", rng=1,
        )  # fmt: skip
        return list(found.confidence_interval)

    def sklearn_kappa() -> float:
        from sklearn.metrics import cohen_kappa_score

        return float(cohen_kappa_score(labels, others))

    def statsmodels_fleiss() -> float:
        from statsmodels.stats.inter_rater import fleiss_kappa as theirs

        return float(theirs(counts))

    def krippendorff() -> float:
        from krippendorff import alpha

        return float(alpha(ratings, level_of_measurement="ordinal"))

    def statsmodels_bh() -> list[float]:
        from statsmodels.stats.multitest import multipletests

        return list(multipletests(p_values, method="fdr_bh")[1])

    def our_interval() -> list[float]:
        return list(bootstrap_interval(few, fewer, samples=1000))

    size = f"{ITEMS:,} items"
    yield Contest(f"Kendall's τ, {size}", "SciPy", "scipy", lambda: kendall(first, second), scipy_kendall)
    yield Contest(f"Spearman's ρ, {size}", "SciPy", "scipy", lambda: spearman(first, second), scipy_spearman)
    yield Contest("1,000 bootstraps of r, 13 systems", "SciPy", "scipy", our_interval, scipy_bootstrap,
                  note="samples are drawn at random")  # fmt: skip
    yield Contest(f"Cohen's κ, {size}", "scikit-learn", "scikit-learn",
                  lambda: cohen_kappa(labels, others), sklearn_kappa)  # fmt: skip
    yield Contest(f"Fleiss' κ, {size}", "statsmodels", "statsmodels",
                  lambda: fleiss_kappa(counts), statsmodels_fleiss)  # fmt: skip
    yield Contest("Krippendorff's α, ordinal, 8 × 1,000", "krippendorff", "krippendorff",
                  lambda: krippendorff_alpha(ratings, level="ordinal"), krippendorff)  # fmt: skip
    yield Contest("Benjamini-Hochberg, 1,000 tests", "statsmodels", "statsmodels",
                  lambda: benjamini_hochberg(p_values), statsmodels_bh)  # fmt: skip


if __name__ == "__main__":
    script.main(__doc__, contests)
