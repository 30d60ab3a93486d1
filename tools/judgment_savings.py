"""Simulate campaigns from real judgments: coverage, savings and wrong stops.

python tools/judgment_savings.py DATA [CAMPAIGNS [savings|stopping]] writes judgment_savings.tsv and
judgment_stopping.tsv in errata_studies/results. A campaign draws 1,312 segments with replacement from those
judged in SEEDA or in Grundkiewicz et al. (2015), with all their judgments. Metrics are known for all of them,
judgments for the first n. The true scores are those of the whole set of judgments.
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
LOOKS = range(50, 451, 50)
PLANNED = 400
METRICS = ("sari", "gleu")
PLAIN = "none"
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
    chosen = {PLAIN: []} | {each: [scores[k]] for k, each in enumerate(METRICS)} | {"+".join(METRICS): scores}
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
    """How often an interval ever misses the truth, how often a pair is ever decided wrongly, and how soon."""
    left, right = np.array(list(combinations(range(len(pool.truth)), 2))).T
    true = pool.truth[left] - pool.truth[right]
    each = 1 - 0.05 / len(left)
    kinds = {"one look": None, "any time": PLANNED}
    missed: dict[str, list[Floats]] = {kind: [] for kind in kinds}
    wrong: dict[str, list[bool]] = {kind: [] for kind in kinds}
    decided: dict[str, list[Integers]] = {kind: [] for kind in kinds}
    for seed in range(campaigns):
        random = np.random.default_rng([seed, 7])
        while True:
            chosen = random.integers(0, len(pool.rows), CORPUS)
            if _is_complete(drawn(pool, chosen, LOOKS[0])):
                break
        first = {kind: np.zeros(len(left), dtype=np.int64) for kind in kinds}  # look of the decision
        ever = {kind: np.zeros(len(pool.truth), dtype=np.bool_) for kind in kinds}
        mistaken = dict.fromkeys(kinds, False)
        for look in LOOKS:
            result = estimate(drawn(pool, chosen, look), seed=seed)
            difference = result.scores[left] - result.scores[right]
            variance = np.diag(result.covariance)
            error = np.sqrt(variance[left] + variance[right] - 2 * result.covariance[left, right])
            for kind, planned in kinds.items():
                times = multiplier(result.clusters, planned=planned)
                ever[kind] |= np.abs(result.scores - pool.truth) > times * result.errors
                times = multiplier(result.clusters, each, planned=planned)
                new = (np.abs(difference) > times * error) & (first[kind] == 0)
                mistaken[kind] |= bool((new & (np.sign(difference) != np.sign(true))).any())
                first[kind][new] = look
        for kind in kinds:
            missed[kind].append(ever[kind])
            wrong[kind].append(mistaken[kind])
            decided[kind].append(first[kind])
    rows = []
    for kind in kinds:
        looks = np.concatenate(decided[kind])
        saved = 1 - looks[looks > 0].mean() / LOOKS[-1]
        rows.append([
            kind, f"{100 * np.mean(missed[kind]):.1f} %", f"{100 * np.mean(wrong[kind]):.1f} %",
            f"{100 * np.mean(looks > 0):.0f} %", f"{100 * saved:.0f} %",
        ])  # fmt: skip
    return rows


def _savings(data: Path, name: str, campaigns: int) -> list[list[str]]:
    rows: list[list[str]] = []
    for label, pool in pools(data, name).items():
        for judged in SETS[name][2] if label != PLAIN else ():
            rows.append([name, label, str(judged), *savings(pool, judged, campaigns)])
            print(*rows[-1], sep="\t", flush=True)
    return rows


def _stopping(data: Path, name: str, campaigns: int) -> list[list[str]]:
    """Without metrics, and in a tenth of the campaigns with SARI."""
    chosen = pools(data, name)
    rows = []
    for label, number in ((PLAIN, campaigns), ("sari", campaigns // 10)):
        for row in stopping(chosen[label], number):
            rows.append([name, label, str(number), *row])
            print(*rows[-1], sep="\t", flush=True)
    return rows


def main() -> None:
    data = Path(sys.argv[1])
    campaigns = int(sys.argv[2]) if len(sys.argv) > 2 else CAMPAIGNS
    studies = {
        "savings": (_savings, (
            "judgments", "metrics", "judged segments", "coverage without metrics", "coverage with metrics",
            "by system", "half-width", "saved by width", "saved by error", "redrawn",
        )),
        "stopping": (_stopping, (
            "judgments", "metrics", "campaigns", "intervals", "ever misses the truth",
            "a pair ever decided wrongly", "pairs decided", "judgments saved on them",
        )),
    }  # fmt: skip
    for study in sys.argv[3:] or studies:
        function, fields = studies[study]
        with ProcessPoolExecutor(2) as executor:
            parts = list(executor.map(function, [data] * len(SETS), SETS, [campaigns] * len(SETS)))
        write_rows(f"judgment_{study}.tsv", fields, [row for part in parts for row in part])


if __name__ == "__main__":
    main()
