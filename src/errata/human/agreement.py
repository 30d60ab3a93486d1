"""Agreement of judges: κ over shared comparisons, α, correlations, and statistics of each judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

import numpy as np

from errata.array_types import Booleans, Floats
from errata.errors import DataError
from errata.human.judgments import JudgedItem, Judgments
from errata.human.pairs import expanded_pairs, pairs_of, unexpanded_pairs
from errata.human.rankings import expected_wins, scores_of
from errata.human.scalars import Scalars
from errata.significance.agreement_coefficients import kappa_of_table, krippendorff_alpha
from errata.significance.correlations import pearson, spearman
from errata.tables import Cell, Column, Table, format_known

MINIMUM = 50  # shared comparisons that a pair of judges needs to count (Grundkiewicz et al. 2015)

# (segment, systems of the first text, systems of the second text) -> judge -> outcomes, in order
Comparisons = Mapping[tuple[str, tuple[str, ...], tuple[str, ...]], Mapping[str, Sequence[int]]]


def comparisons(judgments: Judgments | Iterable[JudgedItem], *, as_shown: bool = False) -> Comparisons:
    """All unexpanded comparisons by texts and judge, with the two texts in canonical order.

    The outcome is 1 if the first text is better, 0 for a tie, −1 if the second is. With `as_shown` the
    outcome follows the order of the texts on the screen, which differs between judges; this common mistake
    is needed to reproduce papers.
    """
    outcomes: dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[str, list[int]]] = {}
    for item in judgments.items() if isinstance(judgments, Judgments) else judgments:
        texts = sorted(
            zip((tuple(sorted(text)) for text in item.texts), item.ranks, strict=True), key=lambda t: t[0]
        )
        shown = {tuple(sorted(text)): place for place, text in enumerate(item.texts)} if as_shown else {}
        for (first, rank), (second, other) in combinations(texts, 2):
            outcome = (rank < other) - (rank > other)
            if as_shown and shown[first] > shown[second]:
                outcome = -outcome
            by_judge = outcomes.setdefault((item.segment, first, second), {})
            by_judge.setdefault(item.judge, []).append(outcome)
    return outcomes


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement of two judges, or of a judge with themselves, over the comparisons they share.

    The chance agreement of `kappa` comes from the pooled frequencies of <, = and >, as in WMT and in
    Grundkiewicz et al. (2015). That of `cohen` and `weighted` (quadratic) comes from each judge's own
    frequencies (Sakaguchi et al. 2016).
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
    """Agreement between judges (`inter`), within judges (`intra`), and of all (`alpha`)."""

    inter: list[Kappa]
    intra: list[Kappa]
    alpha: float
    minimum: int

    def overall(self, kappas: Sequence[Kappa]) -> float:
        """The mean κ of the pairs of judges with enough comparisons, weighted by their number."""
        counted = [k for k in kappas if k.comparisons >= self.minimum]
        total = sum(k.comparisons for k in counted)
        return sum(k.kappa * k.comparisons for k in counted) / total if total else float("nan")

    def table(self) -> Table:
        """κ between any two judges and of each judge with repeated items; empty for too few comparisons."""
        rows: list[Sequence[Cell]] = []
        for kind, kappas in (("inter", self.inter), ("intra", self.intra)):
            for k in kappas:
                enough = k.comparisons >= self.minimum
                values: list[Cell] = [k.kappa, k.cohen, k.weighted] if enough else [None] * 3
                second = k.second if kind == "inter" else "the same again"
                rows.append([k.first, second, k.comparisons, k.agreed, *values])
        start = len(rows)
        for kind, kappas in (("inter", self.inter), ("intra", self.intra)):
            counted = [k for k in kappas if k.comparisons >= self.minimum]
            total = sum(k.comparisons for k in counted)
            rows.append([f"all, {kind}", "", total, None, self.overall(kappas), None, None])
        columns = [
            Column("judge"), Column("and"), Column("comparisons"), Column("agreed", 3), Column("κ", 3),
            Column("Cohen κ", 3), Column("weighted κ", 3),
        ]  # fmt: skip
        return Table(
            columns,
            rows,
            title="Agreement on pairs",
            notes=[
                f"Krippendorff's α (nominal): {format_known(self.alpha)}",
                "κ: chance from pooled frequencies; all: mean weighted by comparisons",
                f"no κ below {self.minimum} shared comparisons",
            ],
            rules=frozenset([start, len(self.inter)] if self.inter and self.intra else [start]),
            extra={"alpha": None if np.isnan(self.alpha) else self.alpha},
        )


def agreement(judgments: Judgments, *, minimum: int = MINIMUM) -> Agreement:
    """κ of every two judges on shared comparisons, and of each judge on repeated ones.

    If a judge saw a comparison more than once, each of these outcomes is paired with each of the other judge.
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
            _count(tables[number[judge], number[judge]], combinations(outcomes, 2))
        for first, second in combinations(sorted(by_judge), 2):
            _count(tables[number[first], number[second]], product(by_judge[first], by_judge[second]))
    inter = [Kappa(judges[i], judges[j], tables[i, j]) for i in range(n) for j in range(i + 1, n)]
    intra = [Kappa(judge, judge, tables[i, i]) for i, judge in enumerate(judges)]
    return Agreement(
        [k for k in inter if k.comparisons],
        [k for k in intra if k.comparisons],
        krippendorff_alpha(ratings, level="nominal"),
        minimum,
    )


def within(judgments: Judgments, name: str = "") -> Kappa:
    """Agreement of all pairs of different judges in one table (Sakaguchi et al. 2016 Table 7).

    The table is symmetric, because the order of two judgments has no meaning.
    """
    table = np.zeros((3, 3))
    for by_judge in comparisons(judgments).values():
        for first, second in combinations(by_judge.values(), 2):
            _count(table, product(first, second))
    return Kappa(name, name, (table + table.T) / 2)


def between(first: Judgments, second: Judgments, names: tuple[str, str] = ("", "")) -> Kappa:
    """Agreement of every judgment in one set with every judgment of the same comparison in the other."""
    table = np.zeros((3, 3))
    second_comparisons = comparisons(second)
    for key, by_judge in comparisons(first).items():
        others = second_comparisons.get(key, {})
        _count(table, product(chain(*by_judge.values()), chain(*others.values())))
    return Kappa(*names, table)


def _count(table: Floats, outcomes: Iterable[tuple[int, int]]) -> None:
    """Count pairs of outcomes in a 3 × 3 table: better, tie, worse."""
    for first, second in outcomes:
        table[1 - first, 1 - second] += 1


@dataclass(frozen=True, slots=True)
class Correlation:
    """Correlations between two judges' scores of systems."""

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
    """Correlations between the rankings from each judge's own pairs (Napoles et al. 2015 Table 1).

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
    sentences: int  # number of correlations in the mean by sentence
    undefined: int  # sentences for which a judge gave all systems the same score

    def table(self) -> Table:
        """Agreement on scores (GECCC Table 9)."""
        rows = [
            ("sentence", self.sentence_pearson, self.sentence_spearman),
            ("system", self.system_pearson, self.system_spearman),
        ]
        notes = [
            f"Krippendorff's α (interval): {format_known(self.alpha)}",
            f"{self.sentences} correlations by sentence, {self.undefined} more undefined: equal scores",
        ]
        columns = [Column("level"), Column("Pearson r", 3), Column("Spearman ρ", 3)]
        return Table(columns, rows, title="Agreement on scores", notes=notes)


def scalar_agreement(scalars: Scalars, *, samples: int = 100, seed: int = 1) -> ScalarAgreement:
    """Agreement of every two judges over the segments both scored (Náplava et al. 2022 Table 9).

    By sentence: the correlation over a sentence's systems, averaged over sentences and pairs of judges. By
    system: the correlation of the systems' means, averaged over `samples` bootstrap samples of the shared
    segments.
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
            correlations = np.array([pearson(x, y), spearman(x, y)])
            if np.isnan(correlations).any():
                undefined += 1
            else:
                sentence.append(correlations)
        if len(rows):
            for drawn in generator.choice(rows, size=(samples, len(rows))):
                correlations = _system_correlations(tables[a][drawn], tables[b][drawn], both[drawn])
                if not np.isnan(correlations).any():
                    system.append(correlations)
    flat = np.array([tables[j].ravel() for j in judges])
    undefined_mean = [np.full(2, np.nan)]
    by_sentence = np.mean(sentence or undefined_mean, axis=0)
    by_system = np.mean(system or undefined_mean, axis=0)
    return ScalarAgreement(
        sentence_pearson=float(by_sentence[0]),
        sentence_spearman=float(by_sentence[1]),
        system_pearson=float(by_system[0]),
        system_spearman=float(by_system[1]),
        alpha=krippendorff_alpha(flat, level="interval"),
        sentences=len(sentence),
        undefined=undefined,
    )


def agreement_by_label(
    scalars: Scalars, labels: Sequence[str], name: str, *, samples: int = 100, seed: int = 1
) -> Table:
    """Agreement on scores for each label of segments (GECCC Table 9)."""
    columns = [Column(name), Column("segments")]
    columns += [Column(f"{level} {symbol}", 3) for level in ("sentence", "system") for symbol in "rρ"]
    rows: list[Sequence[Cell]] = []
    for label, part in scalars.by_label(labels).items():
        each = scalar_agreement(part, samples=samples, seed=seed)
        values = (each.sentence_pearson, each.sentence_spearman, each.system_pearson, each.system_spearman)
        rows.append([label, len({*part.segment.tolist()}), *values])
    return Table(columns, rows, f"Agreement on scores by {name}")


def _system_correlations(first: Floats, second: Floats, both: Booleans) -> Floats:
    counts = both.sum(axis=0)
    seen = counts > 0
    x = np.where(both, first, 0).sum(axis=0)[seen] / counts[seen]
    y = np.where(both, second, 0).sum(axis=0)[seen] / counts[seen]
    return np.array([pearson(x, y), spearman(x, y)])


# -- statistics of each judge ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgeStatistics:
    """The work of one judge; times are in seconds, and NaN if unknown."""

    judge: str
    items: int  # including those that do not count
    skipped: int
    controls: int
    unexpanded: int
    unexpanded_ties: int
    expanded: int
    expanded_ties: int
    seconds: float
    median_seconds: float
    intra: float  # κ on repeated comparisons; NaN without any


def judge_statistics(judgments: Judgments) -> list[JudgeStatistics]:
    """Statistics of every judge in alphabetical order; skipped items enter only the number of items."""
    counted = judgments.filtered()
    intra = {k.first: k.kappa for k in agreement(counted, minimum=0).intra}
    statistics = []
    for judge in sorted({judgments.judges[i] for i in judgments.judge}):
        all_items = judgments.filtered(judges=[judge], skipped=True)
        own = counted.filtered(judges=[judge])
        expanded, unexpanded = expanded_pairs(own), unexpanded_pairs(own)
        seconds = all_items.duration[~np.isnan(all_items.duration)]
        statistics.append(
            JudgeStatistics(
                judge=judge,
                items=len(all_items),
                skipped=len(all_items) - len(own),
                controls=int(all_items.control.sum()),
                unexpanded=len(unexpanded),
                unexpanded_ties=unexpanded.ties,
                expanded=len(expanded),
                expanded_ties=expanded.ties,
                seconds=float(seconds.sum()) if len(seconds) else float("nan"),
                median_seconds=float(np.median(seconds)) if len(seconds) else float("nan"),
                intra=intra.get(judge, float("nan")),
            )
        )
    return statistics


@dataclass(frozen=True, eq=False)
class JudgeOverview:
    """The statistics of each judge, their preferences, and their agreement."""

    statistics: list[JudgeStatistics]
    systems: tuple[str, ...]
    wins: Floats  # Expected Wins by judge and system
    kappas: Floats  # judges × judges, with intra-judge κ on the diagonal; NaN for too few shared pairs
    inter: float
    intra: float


def judge_overview(judgments: Judgments) -> JudgeOverview:
    """Compare the judges; skipped items do not count."""
    judgments = judgments.filtered()
    statistics = judge_statistics(judgments)
    tallies = [expanded_pairs(judgments.filtered(judges=[one.judge])).tally() for one in statistics]
    wins = np.array([expected_wins(tally) for tally in tallies])
    agreed = agreement(judgments)
    number = {one.judge: i for i, one in enumerate(statistics)}
    kappas = np.full((len(number), len(number)), np.nan)
    for kappa in (*agreed.inter, *agreed.intra):
        if kappa.comparisons >= agreed.minimum:
            i, j = number[kappa.first], number[kappa.second]
            kappas[i, j] = kappas[j, i] = kappa.kappa
    return JudgeOverview(
        statistics,
        judgments.systems,
        wins,
        kappas,
        agreed.overall(agreed.inter),
        agreed.overall(agreed.intra),
    )


def judges_table(statistics: Sequence[JudgeStatistics]) -> Table:
    """The work of each judge; every count of pairs is followed by its ties."""
    names = ("items", "skipped", "controls", "unexpanded", "ties", "expanded", "ties ", "median s", "total h")
    counts = [
        [s.items, s.skipped, s.controls, s.unexpanded, s.unexpanded_ties, s.expanded, s.expanded_ties]
        for s in statistics
    ]
    rows: list[Sequence[Cell]] = [
        [s.judge, *row, s.median_seconds, s.seconds / 3600, s.intra]
        for s, row in zip(statistics, counts, strict=True)
    ]
    hours = sum(s.seconds for s in statistics) / 3600
    rows.append(["total", *map(sum, zip(*counts, strict=True)), None, hours, None])
    decimals: dict[str, int] = {"median s": 1, "total h": 1}
    columns = [Column("judge"), *(Column(name, decimals.get(name)) for name in names), Column("intra κ", 2)]
    return Table(
        columns, rows, title="Judges", notes=["ties: among the pairs of the column to the left"],
        rules=frozenset([len(rows) - 1]),
    )  # fmt: skip


def correlations_table(correlations: Sequence[Correlation], method: str) -> Table:
    """Correlations between the rankings of the judges."""
    rows = [(c.first, c.second, c.pearson, c.spearman) for c in correlations]
    columns = [Column("judge"), Column("and"), Column("Pearson r", 3), Column("Spearman ρ", 3)]
    return Table(columns, rows, title=f"Correlation of judges' rankings ({method})")


def sets_table(first: Judgments, second: Judgments | Scalars) -> Table:
    """Agreement within and between two sets of judgments (Sakaguchi et al. 2016 Table 7)."""
    if isinstance(second, Scalars):
        raise DataError("rankings cannot be compared with scores", hint="give two sets of rankings")
    other = second.filtered()
    kappas = [
        ("within the first", within(first)),
        ("within the second", within(other)),
        ("between them", between(first, other)),
    ]
    rows = [(name, k.comparisons, k.agreed, k.cohen, k.weighted) for name, k in kappas]
    columns = [Column("judges"), Column("comparisons"), Column("agreed", 3), Column("Cohen κ", 3)]
    return Table([*columns, Column("weighted κ", 3)], rows, title="Agreement within and between sets")
