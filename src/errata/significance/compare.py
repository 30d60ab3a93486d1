"""Compare systems by a metric: scores with intervals, and every pair with its difference and p-value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from errata.array_types import Floats, Integers
from errata.errors import DataError, one_of, plural
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.metrics.score_tables import signatures
from errata.metrics.statistics import Statistics
from errata.significance.decisions import Decision, Power, Ranked, adjust, decide, power_of_difference
from errata.significance.permutation import (
    PairedTest,
    Permutations,
    SystemPairs,
    bootstrap_test,
    decide_each,
    decide_together,
    observed_scores,
)
from errata.significance.resampling import (
    bca_interval,
    cluster_numbers,
    jackknife,
    paired_bootstrap,
    percentile_interval,
)
from errata.tables import Cell, Column, Estimate, Table

_CORRECTION_NAMES = {
    "none": "no correction",
    "holm": "Holm's correction",
    "bh": "Benjamini–Hochberg correction",
}


@dataclass(frozen=True)
class Plan:
    """How to compare: the test and its size, the level, the correction, the intervals.

    Every verb compares by the defaults. `docs/significance.md` gives the reasons.
    """

    test: str = "permutation"
    permutations: int | None = None  # None: 10,000, or 40 per pair if that is more; 10,000,000 with a risk
    risk: float | None = None  # of an error by early stopping; None makes all the permutations
    samples: int = 1000  # bootstrap samples for intervals and power
    alpha: float = 0.05
    correction: str = "holm"
    interval: str = "percentile"
    cluster: str | None = None  # label of the units to draw and swap, such as `document`
    power: float = 0.8
    seed: int = 1

    def permutations_for(self, pairs: int) -> int:
        """The number of permutations, or the largest one with a risk; Holm's correction needs 20 per pair."""
        return self.permutations or (max(10_000, 40 * pairs) if self.risk is None else 10_000_000)

    def smallest_p(self, pairs: int) -> float:
        """The smallest corrected p-value that is possible with this number of pairs."""
        trials = self.samples if self.test == "bootstrap" else self.permutations_for(pairs)
        return min(1.0, (1 if self.correction == "none" else pairs) / (trials + 1))

    def in_words(self, pairs: int) -> str:
        """The test, its size and the correction, as notes of tables and pages say them."""
        unit = f"whole {self.cluster}s" if self.cluster else "segments"
        if self.test == "bootstrap":
            test = f"paired bootstrap of {unit}, {self.samples:,} samples"
        elif self.risk is None:
            test = f"paired permutation of {unit}, {self.permutations_for(pairs):,} permutations"
        else:
            paper = "(Gandy 2009)" if self.correction == "none" else "(Gandy & Hahn 2014)"
            risk = f"with a risk of at most {self.risk:g} {paper}"
            test = f"paired permutation of {unit}, stopped when decided, {risk}"
        return (
            f"{test}, two-sided, seed {self.seed}; {_CORRECTION_NAMES[self.correction]} over "
            f"{pairs} {plural(pairs, 'pair')}; α = {self.alpha:g}"
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems: the difference of their scores with an interval, a p-value and the power."""

    first: str
    second: str
    difference: float
    test: PairedTest
    low: float  # ends of the interval of the difference
    high: float
    adjusted: float  # p-value, corrected for the number of pairs
    decision: Decision  # after the correction
    power: Power


@dataclass(frozen=True)
class SystemComparison:
    """The comparison of systems by one metric, on the whole corpus or on one group of segments."""

    metric: Metric
    group: str | None
    segments: int
    systems: tuple[str, ...]  # the best first
    scores: dict[str, tuple[float, float, float]]  # score, low, high
    pairs: tuple[Pair, ...]
    plan: Plan = field(repr=False)
    signature: str = ""  # of the scores

    @property
    def has_all_pairs(self) -> bool:
        """Whether all pairs were compared, and not only those with a baseline."""
        return len(self.pairs) == number_of_pairs(self.systems, None)

    def tables(self) -> list[Table]:
        """The systems, the pairs, and if all pairs of several systems were compared, a matrix of them."""
        tables = [_systems_table(self), _pairs_table(self)]
        return [*tables, _matrix_table(self)] if self.has_many_pairs else tables

    @property
    def has_many_pairs(self) -> bool:
        """Whether all pairs of more than two systems were compared."""
        return self.has_all_pairs and len(self.systems) > 2

    def summary(self) -> list[Table]:
        """The systems, with the number of pairs that differ; a single pair or a baseline's pairs in full."""
        if not self.has_many_pairs:
            return self.tables()
        systems = _systems_table(self)
        count = sum(pair.decision == "significant" for pair in self.pairs)
        systems.notes.append(
            f"{count} of {len(self.pairs)} pairs differ significantly; --full lists the pairs"
        )
        return [systems]

    def to_frame(self) -> Any:
        """The pairs as a pandas DataFrame."""
        return _pairs_table(self).to_frame()

    def _repr_html_(self) -> str:
        return "\n".join(table.render("html") for table in self.tables())

    def pair(self, first: str, second: str) -> Pair | None:
        """The comparison of two systems, in either order."""
        return next((pair for pair in self.pairs if {pair.first, pair.second} == {first, second}), None)

    @property
    def ranked(self) -> Ranked:
        """The systems and the pairs that differ significantly, for the headline."""
        pairs = (pair for pair in self.pairs if pair.decision == "significant")
        different = frozenset(frozenset((pair.first, pair.second)) for pair in pairs)
        return Ranked(self.metric.label(self.metric.parts[0]), self.systems, different)

    @property
    def clusters(self) -> tuple[int, ...]:
        """1, 1, 2, …: a cluster begins where all systems above differ significantly from all below.

        This needs a comparison of all pairs. Systems connected by a chain of ties share a cluster.
        """
        tied = {frozenset((pair.first, pair.second)) for pair in self.pairs if pair.decision != "significant"}
        numbers, reach = [1], 0  # reach: the last place tied with one of the systems so far
        for place, system in enumerate(self.systems):
            if place:
                numbers.append(numbers[-1] + (reach < place))
            for later in range(place + 1, len(self.systems)):
                if frozenset((system, self.systems[later])) in tied:
                    reach = max(reach, later)
        return tuple(numbers)


def compare(
    results: Results,
    plan: Plan | None = None,
    *,
    baseline: str | None = None,
    group: str | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> list[SystemComparison]:
    """Compare systems by every metric of some results: differences, intervals, p-values and power.

    `results` come from `errata.score` with several systems. All pairs are compared, or every system with the
    `baseline`. `plan` has the test, the samples, the correction and the intervals (see `Plan`). `group` names
    the part of the corpus that the results are for. Results keep their comparisons.
    """
    plan = plan or Plan()
    if len(results.systems) < 2:
        raise DataError("a comparison needs two systems", hint="give several with --hyp")
    if baseline is not None and baseline not in results.systems:
        raise DataError(f"there is no system {baseline!r}", hint=one_of(baseline, results.systems))
    clusters = None
    if plan.cluster is not None:
        results.groups(plan.cluster)  # raises an error if there is no such label
        clusters = cluster_numbers(results.labels[plan.cluster])
    return [
        results.once(
            ("comparison", number, plan, baseline, group),
            partial(_compare, results, number, plan, baseline, group, clusters, advance),
        )
        for number in range(len(results.metrics))
    ]


def number_of_pairs(systems: Sequence[str], baseline: str | None) -> int:
    """The number of pairs in a comparison."""
    return len(systems) - 1 if baseline is not None else len(systems) * (len(systems) - 1) // 2


def _compare(
    results: Results,
    number: int,
    plan: Plan,
    baseline: str | None,
    group: str | None,
    clusters: Integers | None,
    advance: Callable[[int], None],
) -> SystemComparison:
    metric, systems = results.metrics[number], results.systems
    statistics = [results.statistics[system, number] for system in systems]
    scores = np.array([results.score(system, number).value for system in systems])
    observed = observed_scores(metric, statistics)  # differs from the scores if another metric stands in
    drawn = paired_bootstrap(metric, statistics, samples=plan.samples, seed=plan.seed, clusters=clusters)
    drawn = drawn[:, :, 0]
    left_out = None
    if plan.interval == "bca":
        left_out = jackknife(metric, statistics, clusters=clusters)[:, :, 0]
    low, high = _interval(drawn, observed, left_out, plan)
    order = [int(i) for i in np.argsort(-scores if metric.higher_is_better else scores, kind="stable")]
    numbers = list(combinations(order, 2))
    if baseline is not None:
        base = systems.index(baseline)
        numbers = [(system, base) for system in order if system != base]

    tests = _tests(metric, statistics, numbers, drawn, observed, plan, clusters, advance)
    adjusted = adjust([test.p for test in tests], plan.correction)
    pairs = []
    for (first, second), test, p in zip(numbers, tests, adjusted, strict=True):
        sampled = drawn[:, first] - drawn[:, second]
        sampled_left_out = None if left_out is None else left_out[:, first] - left_out[:, second]
        pair_low, pair_high = _interval(sampled, np.asarray(test.difference), sampled_left_out, plan)
        pairs.append(
            Pair(
                systems[first],
                systems[second],
                float(scores[first] - scores[second]),
                test,
                float(pair_low),
                float(pair_high),
                float(p),
                test.decision if plan.risk is not None else decide(p, plan.alpha),
                power_of_difference(
                    test.difference, sampled, len(results), alpha=plan.alpha, power=plan.power
                ),
            )
        )
    ranked = {systems[i]: (float(scores[i]), float(low[i]), float(high[i])) for i in order}
    signature = signatures(results)[number]
    return SystemComparison(metric, group, len(results), tuple(ranked), ranked, tuple(pairs), plan, signature)


def _tests(
    metric: Metric,
    statistics: Sequence[Statistics],
    pairs: SystemPairs,
    drawn: Floats,
    observed: Floats,
    plan: Plan,
    clusters: Integers | None,
    advance: Callable[[int], None],
) -> list[PairedTest]:
    if plan.test == "bootstrap":
        advance(len(pairs))
        return [
            bootstrap_test(drawn[:, a] - drawn[:, b], observed[a] - observed[b], plan.alpha) for a, b in pairs
        ]
    tests = Permutations(metric, statistics, pairs, seed=plan.seed, clusters=clusters)
    most = plan.permutations_for(len(pairs))
    limits: dict[str, Any] = {"permutations": most, "alpha": plan.alpha, "advance": advance}
    if plan.risk is not None and plan.correction != "none":
        return decide_together(tests, correction=plan.correction, risk=plan.risk, **limits)
    return decide_each(tests, risk=plan.risk, **limits)


def _interval(drawn: Floats, observed: Floats, left_out: Floats | None, plan: Plan) -> tuple[Floats, Floats]:
    level = 1 - plan.alpha
    if left_out is None:
        return percentile_interval(drawn, level)
    return bca_interval(drawn, observed, left_out, level)


# -- tables -----------------------------------------------------------------------------------------


def _systems_table(comparison: SystemComparison) -> Table:
    """Every system's score with its interval, the best first."""
    metric, plan = comparison.metric, comparison.plan
    rows: list[Sequence[Cell]] = [
        [system, Estimate(*comparison.scores[system])] for system in comparison.systems
    ]
    samples = f"{plan.samples} bootstrap samples" + (f" of whole {plan.cluster}s" if plan.cluster else "")
    stand_in = metric.for_resampling
    kind = "BCa" if plan.interval == "bca" else "percentile"
    notes = [
        f"{metric.label(metric.parts[0])} = {comparison.signature}",
        f"[low, high]: {100 * (1 - plan.alpha):g} % {kind} interval, {samples}, seed {plan.seed}",
    ]
    if stand_in != metric:
        notes.append(f"intervals and tests use {stand_in.signature}")
    columns = [Column("system"), Column(metric.label(metric.parts[0]), metric.decimals)]
    rules = frozenset[int]()
    if comparison.has_all_pairs:
        columns.append(Column("cluster"))
        clusters = comparison.clusters
        rows = [[*row, cluster] for row, cluster in zip(rows, clusters, strict=True)]
        rules = frozenset(k for k in range(1, len(rows)) if clusters[k] > clusters[k - 1])
        notes.append("cluster: every system above a line differs significantly from every system below it")
    return Table(columns, rows, title=_title(comparison, "systems"), notes=notes, rules=rules)


def _pairs_table(comparison: SystemComparison) -> Table:
    """Every pair: the difference, the p-value, the decision, and the power."""
    metric, plan = comparison.metric, comparison.plan
    rows: list[Sequence[Cell]] = []
    for pair in comparison.pairs:
        rows.append([
            pair.first,
            pair.second,
            Estimate(pair.difference, pair.low, pair.high),
            pair.test.p,
            *([] if plan.correction == "none" else [pair.adjusted]),
            _stars(pair),
            pair.decision,
            pair.test.samples,
            round(pair.power.power, 2),
            pair.power.needed,
        ])  # fmt: skip
    corrected = [] if plan.correction == "none" else [Column(f"p ({plan.correction})", 5)]
    columns = [
        Column("system"),
        Column("against"),
        Column("difference", metric.decimals),
        Column("p", 5),
        *corrected,
        Column("*"),
        Column("decision"),
        Column("samples"),
        Column("power", 2),
        Column("needed"),
    ]
    extra = {
        "metric": comparison.signature,
        "group": comparison.group,
        "segments": comparison.segments,
        "plan": asdict(plan),
        "p_intervals": [[pair.test.low, pair.test.high] for pair in comparison.pairs],
    }
    return Table(
        columns, rows, title=_title(comparison, "differences"), notes=_notes(comparison), extra=extra
    )


def _matrix_table(comparison: SystemComparison) -> Table:
    """Row minus column with stars; below the diagonal the (corrected) p-value of the same pair."""
    metric, systems = comparison.metric, comparison.systems
    rows: list[Sequence[Cell]] = []
    for i, system in enumerate(systems):
        cells: list[Cell] = [system]
        for j, other in enumerate(systems):
            pair = comparison.pair(system, other)
            if i == j or pair is None:
                cells.append(None)
            elif i < j:
                cells.append(f"{pair.difference:+.{metric.decimals}f}{_stars(pair)}")
            else:
                cells.append(f"p={pair.adjusted:.4f}")
        rows.append(cells)
    columns = [Column("system"), *(Column(system) for system in systems)]
    note = "above the diagonal: row minus column; below: p-value; * p ≤ .05  ** p ≤ .01  *** p ≤ .001"
    return Table(columns, rows, title=_title(comparison, "matrix"), notes=[note], keys=1)


def _stars(pair: Pair) -> str:
    """One to three stars for a pair that differs significantly after the correction."""
    if pair.decision != "significant":
        return ""
    return "*" * max(1, sum(pair.adjusted <= level for level in (0.05, 0.01, 0.001)))


def _notes(comparison: SystemComparison) -> list[str]:
    plan, pairs = comparison.plan, len(comparison.pairs)
    notes = []
    if plan.risk is None and plan.smallest_p(pairs) > plan.alpha:
        trials = "samples" if plan.test == "bootstrap" else "permutations"
        notes.append(f"with so few {trials} p is at least {plan.smallest_p(pairs):.3f}: make more of them")
    return [
        *notes,
        f"p: {plan.in_words(pairs)}; * p ≤ .05  ** p ≤ .01  *** p ≤ .001",
        f"power: chance to find a true difference of this size on {comparison.segments:,} segments; "
        f"needed: segments for a power of {plan.power:g}",
    ]


def _title(comparison: SystemComparison, content: str) -> str:
    group = "" if comparison.group is None else f", {comparison.group}"
    return f"{comparison.metric.label(comparison.metric.parts[0])}{group}: {content}"
