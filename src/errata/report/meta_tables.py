"""The tables of `errata meta`: systems, sentences, benchmarks, audits and single edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from errata.meta.audit import Audit, Finding, JudgeAudit, Robustness
from errata.meta.edit_judgments import METRICS, EditAgreement, EditRow
from errata.meta.judged_outputs import BenchmarkAgreement
from errata.meta.levels import KINDS, WILLIAMS, SentenceLevel, SystemLevel
from errata.meta.sensitivity import DomainCorrelation, Grid, ReferenceCurve, Sweep
from errata.metrics.statistics import Floats
from errata.report.plots import COLORS
from errata.significance.correlations import fisher_interval
from errata.tables import Cell, Column, Estimate, Table, matrix

SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
_SAMPLES = 1000  # bootstrap samples of segments


def system_table(level: SystemLevel, *, interval: str, samples: int, seed: int) -> Table:
    """r, ρ and τ of every metric, with intervals."""
    columns = [Column("metric"), *(Column(SYMBOLS[kind], 3, "max") for kind in KINDS)]
    rows: list[Sequence[Cell]] = []
    correlations = {kind: level.correlations(kind) for kind in KINDS}
    for i, metric in enumerate(level.metrics):
        cells: list[Cell] = [metric]
        for kind in KINDS:
            low, high = level.interval(i, kind, method=interval, samples=samples, seed=seed)
            cells.append(Estimate(float(correlations[kind][i]), low, high))
        rows.append(cells)
    how = "Fisher's z" if interval == "fisher" else f"{samples:,} bootstrap samples of systems"
    note = f"{len(level.systems)} systems; 95 % intervals by {how}"
    return Table(columns, rows, "System level: correlation with people", [note])


def leave_one_out_table(level: SystemLevel, kind: str) -> Table:
    """Correlations without each system in turn: a large change points to an outlier."""
    correlations = level.leave_one_out(kind)
    columns = [Column("without"), *(Column(f"{metric} {SYMBOLS[kind]}", 3) for metric in level.metrics)]
    rows = [("(none)", *level.correlations(kind).tolist())]
    rows += [(name, *correlations[:, i].tolist()) for i, name in enumerate(level.systems)]
    return Table(columns, rows, "Leave one system out", rules=frozenset([1]))


def window_table(level: SystemLevel, size: int, kind: str) -> Table:
    """Correlations within windows of the human ranking."""
    correlations = level.windows(size, kind)
    order = np.argsort(-level.human, kind="stable")
    columns = [Column("places"), Column("systems"), *(Column(metric, 3) for metric in level.metrics)]
    rows = []
    for k in range(correlations.shape[1]):
        systems = " ".join(level.systems[i] for i in order[k : k + size])
        rows.append((f"{k + 1}–{k + size}", systems, *correlations[:, k].tolist()))
    return Table(columns, rows, f"{SYMBOLS[kind]} within windows of {size} systems")


def williams_table(level: SystemLevel, kind: str) -> Table:
    """p-values of Williams' test that the row is better than the column; empty if it is not."""
    return matrix("better", level.metrics, level.williams(kind), 5, f"Williams' test, {kind}", [WILLIAMS])


def permutation_table(metrics: Sequence[str], p: Floats, kind: str) -> Table:
    """p-values of PERM-BOTH that the row is better than the column; empty if it is not."""
    note = "one-tailed p; scores of single sentences are exchanged between two metrics (Deutsch et al. 2021)"
    return matrix("better", metrics, p, 4, f"PERM-BOTH, {SYMBOLS[kind]}", [note])


def sentence_table(level: SentenceLevel, title: str, *, samples: int, seed: int) -> Table:
    """Kendall's τ of every metric with intervals and stars, accuracy, and accuracy with calibrated ties."""
    columns = [Column("metric"), Column("HTies", 3, "max"), Column("HTies *"), Column("NoTies", 3, "max")]
    columns += [Column("NoTies *"), Column("accuracy", 3, "max"), Column("calibrated", 3, "max")]
    columns += [Column("ε", 4), Column("decided", 3, "max"), Column("τ decided", 3, "max")]
    stars = {variant: level.stars(variant, samples=samples, seed=seed) for variant in ("hties", "noties")}
    rows: list[Sequence[Cell]] = []
    all_counts = level.counts()
    for i, (metric, counts) in enumerate(zip(level.metrics, all_counts, strict=True)):
        cells: list[Cell] = [metric]
        for variant in ("hties", "noties"):
            low, high = counts.interval(variant, samples=samples, seed=seed)
            cells += [Estimate(counts.tau(variant), low, high), "*" if stars[variant][i] else ""]
        decided = counts.concordant + counts.discordant + counts.metric_ties
        calibrated = level.calibrated(i)
        right = counts.concordant / decided if decided else float("nan")
        cells += [counts.accuracy, calibrated.accuracy, calibrated.epsilon, right, counts.wmt12]
        rows.append(cells)
    ties = all_counts[0].human_ties + all_counts[0].both_ties
    notes = [
        f"{all_counts[0].pairs:,} comparisons, {ties:,} of them human ties; {samples:,} bootstrap samples; * "
        "interval overlaps with no other metric's",
        "accuracy: share of comparisons with the same outcome, ties included; calibrated: when differences "
        "up to ε are ties (the best ε for these data)",
        "decided, τ decided: human ties left out, a metric's tie counts as wrong (SEEDA-like accuracy, τ)",
    ]
    return Table(columns, rows, title, notes)


def sweep_table(metric: str, sweep: Sweep) -> Table:
    """Correlation by β."""
    columns = [Column("β", 2), *(Column(SYMBOLS[kind], 3, "max") for kind in sweep.correlations)]
    rows = [
        (float(value), *(float(line[i]) for line in sweep.correlations.values()))
        for i, value in enumerate(sweep.values)
    ]
    best = ", ".join(f"{SYMBOLS[kind]} at β = {sweep.best(kind):.2f}" for kind in sweep.correlations)
    return Table(columns, rows, f"{metric}: correlation by β", [f"highest {best}"])


def curve_table(metric: str, systems: Sequence[str], curve: ReferenceCurve) -> Table:
    """Scores by number of references."""
    columns = [Column("references"), Column("mean", 4), *(Column(name, 4) for name in systems)]
    rows = [
        (count, float(row.mean()), *row.tolist())
        for count, row in zip(curve.counts, curve.scores, strict=True)
    ]
    return Table(columns, rows, f"{metric} by number of references")


def grid_tables(grid: Grid) -> list[Table]:
    """One table per coefficient: metrics × reference sets."""
    return [
        Table(
            [Column("references"), *(Column(metric, 3, "max") for metric in grid.metrics)],
            [[name, *values[:, i].tolist()] for i, name in enumerate(grid.sets)],
            f"{SYMBOLS[kind]} by metric and references",
        )
        for kind, values in grid.correlations.items()
    ]


def domain_table(metric: str, correlations: Sequence[DomainCorrelation]) -> Table:
    """Mean and standard deviation of correlations by domain."""
    kinds = list(dict.fromkeys(each.kind for each in correlations))
    columns = [Column("domain"), Column("segments")]
    columns += [Column(f"{SYMBOLS[kind]}{what}", 3) for kind in kinds for what in ("", " sd")]
    rows: list[Sequence[Cell]] = []
    for domain in dict.fromkeys(each.domain for each in correlations):
        of_domain = [each for each in correlations if each.domain == domain]
        values: list[Cell] = [value for each in of_domain for value in (each.mean, each.deviation)]
        rows.append([domain, of_domain[0].segments, *values])
    rules = frozenset([len(rows) - 1] if len(rows) > 1 and rows[-1][0] == "average" else [])
    return Table(columns, rows, f"{metric}: correlation by domain", rules=rules)


def audit_table(audit: Audit, name: str) -> Table:
    """The scores of deliberately bad outputs."""
    columns = [Column("output"), Column(name, audit.metric.decimals)]
    if audit.systems:
        columns.append(Column(f"rank among {audit.systems} systems and it"))
    columns.append(Column("fault"))
    rows: list[Sequence[Cell]] = [
        ["source, unchanged", audit.source, *([None] if audit.systems else []), ""],
        ["first reference", audit.reference, *([None] if audit.systems else []), ""],
    ]
    for finding in audit.findings:
        rank = [finding.rank] if audit.systems else []
        rows.append([finding.probe.name, finding.score, *rank, finding.fault])
    return Table(
        columns,
        rows,
        f"{name}: deliberately bad outputs",
        [f"{audit.faults} faults in {len(audit.findings)} probes", audit.metric.signature],
        rules=frozenset([2, 9, 14]),
    )


def robustness_table(robustness: Robustness, name: str) -> Table:
    """The scores of disturbed references."""
    columns = [Column("reference with"), Column(name, robustness.metric.decimals), Column("fault")]
    rows = [("nothing changed", robustness.reference, "")]
    rows += [(finding.perturbation.name, finding.score, finding.fault) for finding in robustness.scores]
    notes = [f"{robustness.faults} faults in {len(robustness.scores)} disturbances"]
    return Table(columns, rows, f"{name}: disturbed references", notes, rules=frozenset([1]))


def judge_audit_table(audit: JudgeAudit, sentences: int) -> Table:
    """How often a judge preferred texts that it should not prefer."""
    columns = [Column(name) for name in ("text", "against", "won", "tied", "lost", "moved", "fault")]
    rows = [(c.name, c.against, c.won, c.tied, c.lost, c.report.moved, c.fault) for c in audit.contests]
    decided = audit.total("decided")
    first = f"{audit.total('ahead') / decided:.0%}" if decided else "none"
    notes = [
        f"{audit.faults} faults in {len(rows)} contests over {sentences} sentences; "
        f"{audit.total('questions')} questions, {audit.total('moved')} of them with another answer in the "
        "other order (moved)",
        f"the first text won {first} of the decided pairs; {audit.total('invalid')} answers were invalid, "
        f"and {audit.total('skipped')} questions have no valid answer",
    ]
    return Table(columns, rows, f"{audit.judge}: texts that a judge should not prefer", notes)


def draw_audits(audits: Sequence[tuple[str, Audit]], figure: Any) -> None:
    """One panel per metric: scores of source and reference with increasing damage."""
    figure.set_size_inches(3.4 * len(audits), 3)
    panels = figure.subplots(1, len(audits), squeeze=False)[0]
    for axes, (name, audit) in zip(panels, audits, strict=True):
        for k, (group, start) in enumerate((("source", audit.source), ("reference", audit.reference))):
            line = [(0.0, start)]
            line += [(f.probe.rate, f.score) for f in audit.findings if f.probe.group == group]
            axes.plot(*zip(*line, strict=True), marker=".", color=COLORS[k], label=f"{group}, damaged")
        low, high = axes.get_ylim()
        for score, names in _near([f for f in audit.findings if not f.probe.group], (high - low) / 25):
            axes.axhline(score, color="#999999", linewidth=0.5)
            axes.annotate(", ".join(names), (0.82, score), fontsize=5, va="bottom", ha="right")
        axes.set_title(name)
        axes.set_xlabel("share of tokens damaged")
        axes.legend(frameon=False, fontsize=6)


def _near(findings: Sequence[Finding], distance: float) -> list[tuple[float, list[str]]]:
    """Groups of findings whose scores are too close for separate labels."""
    groups: list[tuple[float, list[str]]] = []
    for finding in sorted(findings, key=lambda each: each.score):
        if groups and finding.score - groups[-1][0] < distance:
            groups[-1][1].append(finding.probe.name)
        else:
            groups.append((finding.score, [finding.probe.name]))
    return groups


# -- errata meta --benchmark ----------------------------------------------------------------------------


def system_agreement_table(title: str, agreement: BenchmarkAgreement) -> Table:
    """Correlations with every kind of human score, soft pairwise accuracy and clusters of metrics."""
    methods, kinds = list(agreement.levels), ("pearson", "spearman")
    columns = [Column("metric")]
    columns += [Column(f"{method} {SYMBOLS[kind]}", 3, "max") for method in methods for kind in kinds]
    columns += [Column("soft accuracy", 3, "max"), Column("cluster")]
    correlations = {
        (method, kind): level.correlations(kind)
        for method, level in agreement.levels.items()
        for kind in kinds
    }
    soft = agreement.soft_accuracy()
    groups = agreement.system_clusters(methods[0])
    rows: list[Sequence[Cell]] = []
    for i, metric in enumerate(agreement.metrics):
        cells: list[Cell] = [metric]
        for (method, kind), values in correlations.items():
            items = len(agreement.levels[method].systems)
            cells.append(Estimate(float(values[i]), *fisher_interval(float(values[i]), items, kind=kind)))
        rows.append([*cells, soft[i], groups[i]])
    notes = [
        f"{len(agreement.view.systems)} systems; 95 % intervals by Fisher's z; soft pairwise accuracy as in "
        "mt-metrics-eval, from sentence scores",
        f"cluster: Williams' test on r with {methods[0]}, Holm's correction over all pairs of metrics",
    ]
    return Table(columns, rows, f"{title}: systems", notes)


def sentence_agreement_table(title: str, agreement: BenchmarkAgreement, *, seed: int = 1) -> Table:
    """Pairwise accuracy with ties of a metric as half and, if papers do so, by the rule of SEEDA."""
    level, official = agreement.sentences, agreement.view.official_ties
    columns = [Column("metric"), Column("accuracy", 3, "max"), Column("τ", 3, "max")]
    if official:
        columns += [Column("official accuracy", 3, "max"), Column("official τ", 3, "max")]
    columns += [Column("ties %", 1), Column("calibrated", 3, "max"), Column("ε", 4), Column("cluster")]
    half = level.decided_accuracy("half")
    published = level.decided_accuracy("official")
    groups = agreement.sentence_clusters(seed=seed)
    all_counts = level.counts()
    rows: list[Sequence[Cell]] = []
    for i, (metric, (low, high)) in enumerate(
        zip(agreement.metrics, accuracy_intervals(agreement, seed=seed), strict=True)
    ):
        cells: list[Cell] = [metric, Estimate(float(half[i]), low, high), float(2 * half[i] - 1)]
        if official:
            cells += [float(published[i]), float(2 * published[i] - 1)]
        counts = all_counts[i]
        decided = counts.concordant + counts.discordant + counts.metric_ties
        calibrated = level.calibrated(i)
        cells += [100 * counts.metric_ties / decided, calibrated.accuracy, calibrated.epsilon, groups[i]]
        rows.append(cells)
    notes = [
        f"{int((level.outcomes != 0).sum()):,} comparisons that people decide; a metric's tie counts ½; "
        f"95 % intervals: {_SAMPLES:,} bootstrap samples of segments",
        f"calibrated: accuracy over all {len(level.outcomes):,} comparisons when differences up to ε are "
        "ties (the best ε for these data)",
        "cluster: paired permutation test over segments, Holm's correction over all pairs of metrics",
    ]
    if official:
        notes.insert(1, "official: a metric's tie is a loss of the system that comes first by name")
    return Table(columns, rows, f"{title}: sentences", notes)


def accuracy_intervals(agreement: BenchmarkAgreement, *, seed: int = 1) -> list[tuple[float, float]]:
    """95 % bootstrap intervals of the accuracy with ties as half, over segments, one per metric."""
    level = agreement.sentences
    lines = agreement.view.comparisons.line[level.outcomes != 0]
    size = int(lines.max(initial=-1)) + 1
    counts = np.bincount(lines, minlength=size)
    judged = np.flatnonzero(counts)
    right = np.stack([np.bincount(lines, weights=row, minlength=size)[judged] for row in level.hits("half")])
    weights = np.random.default_rng(seed).multinomial(
        len(judged), np.full(len(judged), 1 / len(judged)), size=_SAMPLES
    )
    drawn = (weights @ right.T) / (weights @ counts[judged])[:, None]
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


# -- errata meta edits ----------------------------------------------------------------------------------


def edit_tables(agreement: EditAgreement) -> list[Table]:
    """Agreement of annotators, precision by system, and disagreement by error type."""
    pairs = agreement.pairs
    same = sum(first == second for first, second in pairs) / len(pairs) if pairs else float("nan")
    total = agreement.rows(range(len(agreement.labels)))
    columns = [Column("edits"), Column("useful", 3), Column("labelled twice"), Column("same label", 3)]
    overview = Table(
        [*columns, Column("Krippendorff's α", 3)],
        [[total.edits, total.useful, len(pairs), same, agreement.alpha]],
        "Labels of single edits",
    )
    precision = [Column("system"), Column("edits"), Column("people", 3, "max")]
    precision += [Column(metric, 3, "max") for metric in METRICS]
    rows: list[Sequence[Cell]] = [
        [name, row.edits, row.useful, *(row.right[metric] for metric in METRICS)]
        for name, row in agreement.by_system().items()
    ]
    notes = ["shares of a system's labelled edits that people call useful and that metrics call right"]
    systems = Table(precision, rows, "Precision as people and metrics see it", notes)
    return [overview, systems, _disagreement({"(all)": total, **agreement.by_type()})]


def _disagreement(by_type: Mapping[str, EditRow]) -> Table:
    columns = [Column("type"), Column("edits"), Column("useful", 3)]
    for metric in METRICS:
        columns += [Column(f"{metric} missed", 3, "min"), Column(f"{metric} passed", 3, "min")]
    rows: list[Sequence[Cell]] = []
    for name, row in by_type.items():
        cells: list[Cell] = [name, row.edits, row.useful]
        for metric in METRICS:
            cells += [row.missed[metric], row.passed[metric]]
        rows.append(cells)
    notes = [
        "missed: useful to people, wrong for the metric; passed: right for the metric, not useful to people; "
        "both as shares of the edits of the type",
        "types are ERRANT's; (other): ERRANT divides the correction into other edits",
    ]
    return Table(columns, rows, "Disagreement about single edits", notes, frozenset([1]))
