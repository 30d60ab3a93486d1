"""Simulate campaigns from real judgments: coverage, savings and wrong stops.

python tools/judgment_savings.py DATA [CAMPAIGNS] writes judgment_savings.tsv and judgment_stopping.tsv in
errata_studies/results. A campaign draws 1,312 segments with replacement from those judged in SEEDA or in
Grundkiewicz et al. (2015), with all their judgments. Metrics are known for all of them, judgments for the
first n. The true scores are those of the whole set of judgments.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from errata import Results, metric, read_corpus, read_outputs
from errata.array_types import Floats, Integers
from errata.human.judgment_files import read_judgments
from errata.meta.prediction_powered import Observations, estimate, judged_lines, observe
from errata.significance.confidence_sequences import multiplier
from errata_studies.results import write_rows

CAMPAIGNS = 1000
CORPUS = 1312
LOOKS = range(100, 451, 50)
PLANNED = 400
METRICS = ("sari", "gleu")
NOT_RANKED = ("INPUT", "REF-F", "GPT-3.5")
SETS = {
    "SEEDA, sentences": ("seeda/judgments_sent.xml", "seeda/systems", (100, 200, 400)),
    "SEEDA, edits": ("seeda/judgments_edit.xml", "seeda/systems", (100, 200, 400)),
    "Grundkiewicz et al.": ("gjg15/judgments.xml", "conll14/systems", (100, 200, 400)),
}


class Pool(NamedTuple):
    """Real judgments of the judged lines, numbered without gaps; the true scores are of all of them."""

    observed: Observations
    rows: list[Integers]  # the judgments of each line
    truth: Floats


def pools(data: Path, name: str) -> dict[str, Pool]:
    """The judgments of one set with single metrics and with all."""
    path, folder, _ = SETS[name]
    judged = read_judgments(data / path)
    judged = judged.without_systems([system for system in NOT_RANKED if system in judged.systems])
    files = [data / folder / f"{system}.txt" for system in judged.systems]
    corpus = read_corpus(data / "conll14/test.m2")
    outputs = read_outputs(files, corpus)
    results = Results.compute(corpus, outputs, [metric(each) for each in METRICS], jobs=1)
    scores = [
        {system: results.score(system, k).sentences for system in judged.systems} for k in range(len(METRICS))
    ]
    chosen = {each: [scores[k]] for k, each in enumerate(METRICS)} | {"+".join(METRICS): scores}
    return {label: _pool(observe(judged, outputs, several)) for label, several in chosen.items()}


def _pool(observed: Observations) -> Pool:
    lines, line = np.unique(observed.line, return_inverse=True)
    weights = np.zeros((len(lines), len(observed.contrast)))
    np.add.at(weights, (line, observed.cell), 1.0)
    cells = len(observed.contrast)
    means = np.bincount(observed.cell, observed.value, cells) / np.bincount(observed.cell, minlength=cells)
    features = observed.features[lines]
    pool = replace(observed, line=line, features=features, weights=weights, share=np.ones(cells))
    order = np.argsort(line, kind="stable")
    rows = np.split(order, np.searchsorted(line[order], np.arange(1, len(lines))))
    return Pool(pool, rows, observed.base + means @ observed.contrast)


def drawn(pool: Pool, chosen: Integers, judged: int) -> Observations:
    """A campaign on these lines of the pool, of which the first ones are judged."""
    rows = [pool.rows[k] for k in chosen[:judged].tolist()]
    index = np.concatenate(rows)
    o = pool.observed
    return replace(
        o, line=np.repeat(np.arange(judged), [len(each) for each in rows]), cell=o.cell[index],
        judge=o.judge[index], value=o.value[index], features=o.features[chosen], weights=o.weights[chosen],
    )  # fmt: skip


def _is_complete(observed: Observations) -> bool:
    """Whether every pair of systems has two judged segments, as `errata rank` demands."""
    return bool((judged_lines(observed.cell, observed.line, len(observed.contrast)) > 1).all())


def savings(pool: Pool, judged: int, campaigns: int) -> list[str]:
    """Coverage by intervals with and without metrics, and the savings by width and by actual error."""
    covered, plain_covered, errors, plain_errors, ratios, widths = [], [], [], [], [], []
    refused = 0
    for seed in range(campaigns):
        random = np.random.default_rng([seed, judged])
        while not _is_complete(o := drawn(pool, random.integers(0, len(pool.rows), CORPUS), judged)):
            refused += 1
        result = estimate(o, seed=seed)
        times = multiplier(result.clusters)
        away, plain_away = result.scores - pool.truth, result.plain - pool.truth
        plain_error = np.sqrt(np.diag(result.plain_covariance))
        covered.append(np.abs(away) <= times * result.errors)
        plain_covered.append(np.abs(plain_away) <= times * plain_error)
        errors.append(away**2)
        plain_errors.append(plain_away**2)
        ratios.append(result.saved)
        widths.append(times * result.errors.mean())
    by_system = 100 * np.mean(covered, axis=0)
    return [
        f"{100 * np.mean(plain_covered):.1f}", f"{by_system.mean():.1f}",
        f"{by_system.min():.1f}–{by_system.max():.1f}", f"{np.mean(widths):.3f}",
        f"{100 * np.mean(ratios):.0f} %", f"{100 * (1 - np.mean(errors) / np.mean(plain_errors)):.0f} %",
        str(refused),
    ]  # fmt: skip


def stopping(pool: Pool, campaigns: int) -> list[list[str]]:
    """How often an interval ever misses the truth, and how often a pair is ever decided wrongly."""
    systems = len(pool.truth)
    pairs = np.array(list(combinations(range(systems), 2)))
    left, right = pairs.T
    true = pool.truth[left] - pool.truth[right]
    kinds = ("one look", "any time")
    missed = {kind: np.zeros((campaigns, systems), dtype=np.bool_) for kind in kinds}
    wrong = dict.fromkeys(kinds, 0)
    decided: dict[str, list[float]] = {kind: [] for kind in kinds}
    for seed in range(campaigns):
        random = np.random.default_rng([seed, 7])
        while True:
            chosen = random.integers(0, len(pool.rows), CORPUS)
            if _is_complete(drawn(pool, chosen, LOOKS[0])):
                break
        mistaken = dict.fromkeys(kinds, False)
        known = {kind: np.zeros(len(pairs), dtype=np.bool_) for kind in kinds}
        for look in LOOKS:
            result = estimate(drawn(pool, chosen, look), seed=seed)
            difference = result.scores[left] - result.scores[right]
            variance = np.diag(result.covariance)
            error = np.sqrt(variance[left] + variance[right] - 2 * result.covariance[left, right])
            for kind in kinds:
                planned = PLANNED if kind == "any time" else None
                times = multiplier(result.clusters, 0.95, planned=planned)
                missed[kind][seed] |= np.abs(result.scores - pool.truth) > times * result.errors
                times = multiplier(result.clusters, 1 - 0.05 / len(pairs), planned=planned)
                new = (np.abs(difference) > times * error) & ~known[kind]
                mistaken[kind] |= bool((new & (np.sign(difference) != np.sign(true))).any())
                known[kind] |= new
        for kind in kinds:
            wrong[kind] += mistaken[kind]
            decided[kind].append(known[kind].mean())
    return [
        [
            kind, f"{100 * missed[kind].mean():.1f} %", f"{100 * wrong[kind] / campaigns:.1f} %",
            f"{100 * np.mean(decided[kind]):.0f} %",
        ]
        for kind in kinds
    ]  # fmt: skip


def _one_set(data: Path, name: str, campaigns: int) -> tuple[list[list[str]], list[list[str]]]:
    saved: list[list[str]] = []
    for label, pool in pools(data, name).items():
        for judged in SETS[name][2]:
            saved.append([name, label, str(judged), *savings(pool, judged, campaigns)])
            print(*saved[-1], sep="\t", flush=True)
    stopped = [[name, *row] for row in stopping(pool, campaigns)]
    for row in stopped:
        print(*row, sep="\t", flush=True)
    return saved, stopped


def main() -> None:
    data = Path(sys.argv[1])
    campaigns = int(sys.argv[2]) if len(sys.argv) > 2 else CAMPAIGNS
    with ProcessPoolExecutor(2) as executor:
        parts = list(executor.map(_one_set, [data] * len(SETS), SETS, [campaigns] * len(SETS)))
    fields = ("judgments", "metrics", "judged segments", "coverage without metrics", "coverage with metrics",
              "by system", "half-width", "saved by width", "saved by error", "redrawn")  # fmt: skip
    write_rows("judgment_savings.tsv", fields, [row for part in parts for row in part[0]])
    fields = ("judgments", "intervals", "ever misses the truth", "a pair ever decided wrongly",
              "pairs decided")  # fmt: skip
    write_rows("judgment_stopping.tsv", fields, [row for part in parts for row in part[1]])


if __name__ == "__main__":
    main()
