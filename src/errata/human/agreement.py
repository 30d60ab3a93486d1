"""Agreement of judges: κ over shared comparisons, α, correlations, and statistics of each judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

import numpy as np

from errata.array_types import Booleans, Floats
from errata.human.judgments import JudgedItem, Judgments
from errata.human.pairs import corners, expanded_pairs, pairs_of, unexpanded_pairs
from errata.human.rankings import expected_wins, scores_of
from errata.human.scalars import Scalars
from errata.significance.agreement_coefficients import kappa_of_table, krippendorff_alpha
from errata.significance.correlations import pearson, spearman

MINIMUM = 50  # shared comparisons below which a pair of judges is left out (Grundkiewicz et al. 2015)

# What was compared (segment and two texts, each the systems that wrote it) -> judge -> outcomes, in order
Comparisons = Mapping[tuple[str, tuple[str, ...], tuple[str, ...]], Mapping[str, Sequence[int]]]


def comparisons(judgments: Judgments | Iterable[JudgedItem], *, as_shown: bool = False) -> Comparisons:
    """All unexpanded comparisons by what was compared and who judged it, two texts in canonical order.

    The outcome is 1 where the first text is better, 0 for a tie, −1 where the second is. With `as_shown`
    first and second are as on the screen, whichever way round the pair stood there (a common mistake).
    """
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[str, list[int]]] = {}
    for item in judgments.items() if isinstance(judgments, Judgments) else judgments:
        texts = sorted(
            zip((tuple(sorted(text)) for text in item.texts), item.ranks, strict=True), key=lambda t: t[0]
        )
        shown = {tuple(sorted(text)): place for place, text in enumerate(item.texts)} if as_shown else {}
        for a, b in zip(*corners(len(texts)), strict=True):
            (first, rank), (second, other) = texts[a], texts[b]
            outcome = (rank < other) - (rank > other)
            if as_shown and shown[first] > shown[second]:
                outcome = -outcome
            found.setdefault((item.segment, first, second), {}).setdefault(item.judge, []).append(outcome)
    return found


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement of two judges (or of one with himself) over the comparisons they share.

    `kappa` takes chance from their pooled frequencies of <, = and >, as WMT and Grundkiewicz et al.
    (2015) do; `cohen` and `weighted` (quadratic) from each judge's own (Sakaguchi et al. 2016).
    """

    first: str
    second: str
    table: Floats  # 3 × 3: better, tie, worse

    @property
    def comparisons(self) -> int:
        return round(float(self.table.sum()))

    @property
    def agreed(self) -> float:
        """The share of comparisons with the same outcome."""
        return float(np.trace(self.table) / self.table.sum()) if self.table.any() else float("nan")

    @property
    def kappa(self) -> float:
        return kappa_of_table(self.table, pooled=True)

    @property
    def cohen(self) -> float:
        return kappa_of_table(self.table)

    @property
    def weighted(self) -> float:
        return kappa_of_table(self.table, weights="quadratic")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement between judges (`inter`), of judges with themselves (`intra`), and of all (`alpha`)."""

    inter: list[Kappa]
    intra: list[Kappa]
    alpha: float
    minimum: int

    def overall(self, kappas: Sequence[Kappa]) -> float:
        """The mean κ of pairs with enough comparisons, weighted by their number."""
        counted = [k for k in kappas if k.comparisons >= self.minimum]
        total = sum(k.comparisons for k in counted)
        return sum(k.kappa * k.comparisons for k in counted) / total if total else float("nan")


def agreement(judgments: Judgments, *, minimum: int = MINIMUM) -> Agreement:
    """κ of every two judges on the comparisons they share, and of each with himself on repeated ones.

    Where a judge saw the same comparison more than once, each of his outcomes meets each of the other's.
    """
    shared = comparisons(judgments)
    judges = sorted({judge for by_judge in shared.values() for judge in by_judge})
    number = {judge: i for i, judge in enumerate(judges)}
    n = len(judges)
    tables = np.zeros((n, n, 3, 3))
    ratings = np.full((n, len(shared)), np.nan)
    for column, by_judge in enumerate(shared.values()):
        for judge, outcomes in by_judge.items():
            ratings[number[judge], column] = outcomes[0]
            for one, other in combinations(outcomes, 2):
                tables[number[judge], number[judge], 1 - one, 1 - other] += 1
        for first, second in combinations(sorted(by_judge), 2):
            for one, other in product(by_judge[first], by_judge[second]):
                tables[number[first], number[second], 1 - one, 1 - other] += 1
    inter = [Kappa(judges[i], judges[j], tables[i, j]) for i in range(n) for j in range(i + 1, n)]
    intra = [Kappa(judge, judge, tables[i, i]) for i, judge in enumerate(judges)]
    return Agreement(
        [k for k in inter if k.comparisons],
        [k for k in intra if k.comparisons],
        krippendorff_alpha(ratings, level="nominal"),
        minimum,
    )


def within(judgments: Judgments, name: str = "") -> Kappa:
    """All judgments of different judges in one table, whoever they are (Sakaguchi et al. 2016 Table 7).

    The table is symmetric: which of two judgments comes first means nothing.
    """
    table = np.zeros((3, 3))
    for by_judge in comparisons(judgments).values():
        for ours, theirs in combinations(by_judge.values(), 2):
            for one, other in product(ours, theirs):
                table[1 - one, 1 - other] += 1
    return Kappa(name, name, (table + table.T) / 2)


def between(first: Judgments, second: Judgments, names: tuple[str, str] = ("", "")) -> Kappa:
    """Every judgment of one set against every judgment of the same comparison in the other."""
    table = np.zeros((3, 3))
    theirs = comparisons(second)
    for key, by_judge in comparisons(first).items():
        others = theirs.get(key, {})
        for one, other in product(chain(*by_judge.values()), chain(*others.values())):
            table[1 - one, 1 - other] += 1
    return Kappa(*names, table)


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two judges' scores of systems correlate."""

    first: str
    second: str
    pearson: float
    spearman: float


def ranking_correlations(
    judgments: Judgments,
    *,
    method: str = "ew",
    kind: str = "expanded",
    without: Sequence[str] = (),
    runs: int = 100,
    seed: int = 1,
) -> list[Correlation]:
    """Correlations between the rankings that each judge's pairs give alone (Napoles et al. 2015 Table 1).

    Systems in `without` take part in the ranking but not in the correlation.
    """
    judges = sorted({judgments.judges[i] for i in judgments.judge})
    kept = [i for i, name in enumerate(judgments.systems) if name not in without]
    scores = {}
    for judge in judges:
        pairs = pairs_of(judgments.filtered(judges=[judge]), kind, seed=seed)
        scores[judge] = scores_of(pairs, method, runs=runs, seed=seed)[kept]
    return [
        Correlation(a, b, float(pearson(scores[a], scores[b])), float(spearman(scores[a], scores[b])))
        for a, b in combinations(scores, 2)
    ]


@dataclass(frozen=True, slots=True)
class ScalarAgreement:
    """Agreement on scores: mean correlations by sentence and by system, and Krippendorff's α (interval)."""

    sentence_pearson: float
    sentence_spearman: float
    system_pearson: float
    system_spearman: float
    alpha: float
    sentences: int  # correlations that went into the mean by sentence
    undefined: int  # sentences where a judge gave all systems the same score


def scalar_agreement(scalars: Scalars, *, samples: int = 100, seed: int = 1) -> ScalarAgreement:
    """Náplava et al. (2022) Table 9: for every two judges over the segments both scored.

    By sentence: the correlation over a sentence's systems, averaged over sentences and judge pairs. By
    system: of the systems' means, averaged over `samples` bootstrap samples of the shared segments.
    """
    judges = sorted({int(j) for j in scalars.judge}, key=lambda j: scalars.judges[j])
    tables = {j: scalars.table(j) for j in judges}
    sentence: list[Floats] = []
    system: list[Floats] = []
    undefined = 0
    generator = np.random.default_rng(seed)
    for a, b in combinations(judges, 2):
        both = ~np.isnan(tables[a]) & ~np.isnan(tables[b])
        rows = np.flatnonzero(both.sum(axis=1) >= 2)
        for row in rows:
            x, y = tables[a][row][both[row]], tables[b][row][both[row]]
            found = np.array([pearson(x, y), spearman(x, y)])
            if np.isnan(found).any():
                undefined += 1
            else:
                sentence.append(found)
        if len(rows):
            for drawn in generator.choice(rows, size=(samples, len(rows))):
                found = _system_correlation(tables[a][drawn], tables[b][drawn], both[drawn])
                if not np.isnan(found).any():
                    system.append(found)
    flat = np.array([tables[j].ravel() for j in judges])
    nothing = [np.full(2, np.nan)]
    by_sentence, by_system = np.mean(sentence or nothing, axis=0), np.mean(system or nothing, axis=0)
    return ScalarAgreement(
        sentence_pearson=float(by_sentence[0]),
        sentence_spearman=float(by_sentence[1]),
        system_pearson=float(by_system[0]),
        system_spearman=float(by_system[1]),
        alpha=krippendorff_alpha(flat, level="interval"),
        sentences=len(sentence),
        undefined=undefined,
    )


def _system_correlation(first: Floats, second: Floats, both: Booleans) -> Floats:
    counts = both.sum(axis=0)
    seen = counts > 0
    x = np.where(both, first, 0).sum(axis=0)[seen] / counts[seen]
    y = np.where(both, second, 0).sum(axis=0)[seen] / counts[seen]
    return np.array([pearson(x, y), spearman(x, y)])


# -- What each judge did: items, pairs, ties, time, and how consistently

@dataclass(frozen=True, slots=True)
class JudgeStatistics:
    """One judge's work; times are in seconds and NaN where they are not known."""

    judge: str
    items: int  # with those that do not count
    skipped: int
    controls: int
    unexpanded: int
    unexpanded_ties: int
    expanded: int
    expanded_ties: int
    seconds: float
    median_seconds: float
    intra: float  # κ with himself, NaN where he saw nothing twice


def judge_statistics(judgments: Judgments) -> list[JudgeStatistics]:
    """Statistics of every judge, in the order of their names; skipped items count as items only."""
    counted = judgments.filtered()
    intra = {k.first: k.kappa for k in agreement(counted, minimum=0).intra}
    found = []
    for judge in sorted({judgments.judges[i] for i in judgments.judge}):
        all_items = judgments.filtered(judges=[judge], skipped=True)
        mine = counted.filtered(judges=[judge])
        every, texts = expanded_pairs(mine), unexpanded_pairs(mine)
        known = all_items.duration[~np.isnan(all_items.duration)]
        found.append(
            JudgeStatistics(
                judge=judge,
                items=len(all_items),
                skipped=len(all_items) - len(mine),
                controls=int(all_items.control.sum()),
                unexpanded=len(texts),
                unexpanded_ties=texts.ties,
                expanded=len(every),
                expanded_ties=every.ties,
                seconds=float(known.sum()) if len(known) else float("nan"),
                median_seconds=float(np.median(known)) if len(known) else float("nan"),
                intra=intra.get(judge, float("nan")),
            )
        )
    return found


@dataclass(frozen=True, eq=False)
class JudgeOverview:
    """What each judge did, which systems each judge prefers, and how far they agree."""

    statistics: list[JudgeStatistics]
    systems: tuple[str, ...]
    wins: Floats  # Expected Wins by judge and system
    kappas: Floats  # by two judges, on the diagonal with themselves; NaN where too few pairs are shared
    inter: float
    intra: float


def judge_overview(judgments: Judgments) -> JudgeOverview:
    """The judges side by side; skipped items do not count."""
    judgments = judgments.filtered()
    statistics = judge_statistics(judgments)
    tallies = [expanded_pairs(judgments.filtered(judges=[one.judge])).tally() for one in statistics]
    wins = np.array([expected_wins(tally) for tally in tallies])
    agreed = agreement(judgments)
    place = {one.judge: i for i, one in enumerate(statistics)}
    kappas = np.full((len(place), len(place)), np.nan)
    for kappa in (*agreed.inter, *agreed.intra):
        if kappa.comparisons >= agreed.minimum:
            i, j = place[kappa.first], place[kappa.second]
            kappas[i, j] = kappas[j, i] = kappa.kappa
    return JudgeOverview(
        statistics,
        judgments.systems,
        wins,
        kappas,
        agreed.overall(agreed.inter),
        agreed.overall(agreed.intra),
    )
