"""Rankings and agreement from sums over segments, which can be kept up to date as judgments come in.

What a segment's judgments add to the sums depends on these judgments alone. When one of them changes, the
old contribution is subtracted and the new one is added; nothing else has to be read again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations, product

import numpy as np

from errata.array_types import Floats
from errata.human.agreement import Agreement, Kappa, comparisons
from errata.human.judgments import JudgedItem
from errata.human.pairs import Tally, resampled_tally
from errata.human.rankings import Ranking, expected_wins, rank_systems
from errata.significance.correlations import pearson, spearman

Key = tuple[str | int, ...]
Totals = defaultdict[Key, float]
Sums = Mapping[Key, float]
Score = tuple[str, str, float]  # judge, system, score


def ranking_sums(items: Sequence[JudgedItem]) -> Totals:
    """What the judgments of one segment add: wins and ties, and outcomes that meet outcomes.

    win, better system, worse system; tie, first system, second system: pairs of systems
    met, judge, judge, outcome, outcome: comparisons that two judges share, or that a judge repeated
    rated, judges, outcome, outcome: pairs of different judges' first outcomes, by how many judges there are
    """
    sums: Totals = defaultdict(float)
    for item in items:
        entries = [
            (system, rank) for text, rank in zip(item.texts, item.ranks, strict=True) for system in text
        ]
        for (a, rank), (b, other) in combinations(entries, 2):
            if rank == other:
                sums["tie", min(a, b), max(a, b)] += 1
            else:
                sums["win", a if rank < other else b, b if rank < other else a] += 1
    if len(items) > 1:
        for by_judge in comparisons(items).values():
            _meet(sums, by_judge)
    return sums


def _meet(sums: Totals, by_judge: Mapping[str, Sequence[int]]) -> None:
    """Count how the outcomes of one comparison meet, as `agreement` does."""
    judges = sorted(by_judge)
    for judge in judges:
        for one, other in combinations(by_judge[judge], 2):
            sums["met", judge, judge, one, other] += 1
    for first, second in combinations(judges, 2):
        for one, other in product(by_judge[first], by_judge[second]):
            sums["met", first, second, one, other] += 1
    for first, second in permutations(judges, 2):
        sums["rated", len(judges), by_judge[first][0], by_judge[second][0]] += 1


def rank_sums(sums: Sums, *, runs: int = 1000) -> Ranking | None:
    """Expected Wins with ranges by resampling pairs, as `rank` gives them; None before the first pair."""
    names = tuple(sorted({str(part) for key in sums if key[0] in ("win", "tie") for part in key[1:]}))
    place = {name: i for i, name in enumerate(names)}
    wins, ties = (np.zeros((len(names), len(names)), dtype=np.int64) for _ in range(2))
    for key, number in sums.items():
        if key[0] == "win":
            wins[place[str(key[1])], place[str(key[2])]] = number
        elif key[0] == "tie":
            i, j = place[str(key[1])], place[str(key[2])]
            ties[i, j] = ties[j, i] = number
    tally = Tally(names, wins, ties)
    if not tally.pairs:
        return None
    samples = expected_wins(resampled_tally(tally, samples=runs))
    return rank_systems(names, samples, scores=expected_wins(tally))


def agreement_of_sums(sums: Sums, *, minimum: int = 1) -> Agreement:
    """κ between judges and with themselves, and Krippendorff's α, as `agreement` gives them."""
    tables: dict[tuple[str, str], Floats] = {}
    coincidences = np.zeros((3, 3))
    for key, number in sums.items():
        if key[0] == "met":
            table = tables.setdefault((str(key[1]), str(key[2])), np.zeros((3, 3)))
            table[1 - int(key[3]), 1 - int(key[4])] += number
        elif key[0] == "rated":
            coincidences[1 - int(key[2]), 1 - int(key[3])] += number / (int(key[1]) - 1)
    kappas = [Kappa(first, second, table) for (first, second), table in sorted(tables.items())]
    return Agreement(
        [k for k in kappas if k.first != k.second],
        [k for k in kappas if k.first == k.second],
        _nominal_alpha(coincidences),
        minimum,
    )


def _nominal_alpha(coincidences: Floats) -> float:
    """Krippendorff (2011): 1 − (n − 1) · Σ o(c, k) / Σ n(c) n(k) over c ≠ k."""
    totals = coincidences.sum(axis=1)
    observed = coincidences.sum() - np.trace(coincidences)
    expected = totals.sum() ** 2 - (totals**2).sum()
    return float(1 - (totals.sum() - 1) * observed / expected) if expected else float("nan")


def scalar_sums(scores: Iterable[Score]) -> Totals:
    """What the scores of one segment add: means of systems and their products, and agreement of judges.

    mean, system: the segment's mean; known, system: 1; product, system, system; both, system, system
    agree, …: sums from which α (interval) and the mean correlations by sentence follow
    """
    by_judge: dict[str, dict[str, list[float]]] = {}
    by_system: dict[str, list[float]] = {}
    for judge, system, score in scores:
        by_judge.setdefault(judge, {}).setdefault(system, []).append(score)
        by_system.setdefault(system, []).append(score)
    sums: Totals = defaultdict(float)
    means = {system: sum(given) / len(given) for system, given in sorted(by_system.items())}
    for system, mean in means.items():
        sums["mean", system] += mean
        sums["known", system] += 1
        for other, second in means.items():
            sums["product", system, other] += mean * second
            sums["both", system, other] += 1
    judged = {
        judge: {system: sum(given) / len(given) for system, given in systems.items()}
        for judge, systems in by_judge.items()
    }
    if len(judged) > 1:
        _agree(sums, judged)
    return sums


def _agree(sums: Totals, judged: Mapping[str, Mapping[str, float]]) -> None:
    def add(name: str, value: float) -> None:
        sums["agree", name] += value

    for system in {system for scores in judged.values() for system in scores}:
        given = [scores[system] for scores in judged.values() if system in scores]
        if len(given) > 1:
            apart = sum((one - other) ** 2 for one, other in permutations(given, 2))
            add("apart", apart / (len(given) - 1))
            add("values", len(given))
            add("sum", sum(given))
            add("squares", sum(value**2 for value in given))
    for first, second in combinations(sorted(judged), 2):
        shared = sorted(judged[first].keys() & judged[second].keys())
        if len(shared) < 2:
            continue
        x, y = (np.array([judged[judge][system] for system in shared]) for judge in (first, second))
        found = float(pearson(x, y)), float(spearman(x, y))
        if not np.isnan(found).any():
            add("sentences", 1)
            add("pearson", found[0])
            add("spearman", found[1])


def rank_scalar_sums(sums: Sums, *, runs: int = 1000) -> Ranking | None:
    """Systems by their mean over segments; None before the first score.

    Ranges come from normal samples with the covariance of the means, to which resampling of segments
    (`rank_scalars`) tends.
    """
    names = tuple(sorted(str(key[1]) for key, number in sums.items() if key[0] == "known" and number > 0))
    if not names:
        return None
    counts = np.array([sums["known", name] for name in names])
    means = np.array([sums["mean", name] for name in names]) / counts
    both = np.array([[sums.get(("both", a, b), 0) for b in names] for a in names])
    products = np.array([[sums.get(("product", a, b), 0.0) for b in names] for a in names])
    shared = np.maximum(both, 1)
    covariance = (products / shared - np.outer(means, means)) * both / np.outer(counts, counts)
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    spread = vectors * np.sqrt(np.maximum(values, 0))
    samples = means + np.random.default_rng(1).standard_normal((runs, len(names))) @ spread.T
    return rank_systems(names, samples, scores=means)


def scalar_agreement_of_sums(sums: Sums) -> tuple[float, float, float]:
    """Krippendorff's α (interval), and the mean Pearson and Spearman correlations by sentence."""

    def get(name: str) -> float:
        return sums.get(("agree", name), 0.0)

    values, nothing = get("values"), float("nan")
    # Σ (x − y)² over all ordered pairs of values is 2 (n Σ x² − (Σ x)²).
    expected = 2 * (values * get("squares") - get("sum") ** 2)
    alpha = 1 - (values - 1) * get("apart") / expected if expected > 1e-9 else nothing
    sentences = get("sentences")
    if not sentences:
        return alpha, nothing, nothing
    return alpha, get("pearson") / sentences, get("spearman") / sentences
