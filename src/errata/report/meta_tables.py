"""The tables of `errata meta` and `errata meta audit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from errata.meta.audit import Audit, Finding, JudgeAudit, Robustness
from errata.meta.levels import KINDS, WILLIAMS, SentenceLevel, SystemLevel
from errata.meta.sensitivity import DomainCorrelation, Grid, ReferenceCurve, Sweep
from errata.metrics.statistics import Floats
from errata.report.plots import COLORS
from errata.tables import Cell, Column, Estimate, Table, matrix

SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}


def system_table(level: SystemLevel, *, interval: str, samples: int, seed: int) -> Table:
    """r, ρ and τ of every metric, with intervals."""
    columns = [Column("metric"), *(Column(SYMBOLS[kind], 3, "max") for kind in KINDS)]
    rows: list[Sequence[Cell]] = []
    found = {kind: level.correlations(kind) for kind in KINDS}
    for i, metric in enumerate(level.metrics):
        cells: list[Cell] = [metric]
        for kind in KINDS:
            low, high = level.interval(i, kind, method=interval, samples=samples, seed=seed)
            cells.append(Estimate(float(found[kind][i]), low, high))
        rows.append(cells)
    how = "Fisher's z" if interval == "fisher" else f"{samples:,} bootstrap samples of systems"
    note = f"{len(level.systems)} systems; 95 % intervals by {how}"
    return Table(columns, rows, "System level: correlation with people", [note])


def leave_one_out_table(level: SystemLevel, kind: str) -> Table:
    """Every correlation without each system: one that changes much has an outlier."""
    found = level.leave_one_out(kind)
    columns = [Column("without"), *(Column(f"{metric} {SYMBOLS[kind]}", 3) for metric in level.metrics)]
    rows = [("(none)", *level.correlations(kind).tolist())]
    rows += [(name, *found[:, i].tolist()) for i, name in enumerate(level.systems)]
    return Table(columns, rows, "Leave one system out", rules=frozenset([1]))


def window_table(level: SystemLevel, size: int, kind: str) -> Table:
    """Correlations among neighbours in the human ranking."""
    found = level.windows(size, kind)
    order = np.argsort(-level.human, kind="stable")
    columns = [Column("places"), Column("systems"), *(Column(metric, 3) for metric in level.metrics)]
    rows = []
    for k in range(found.shape[1]):
        systems = " ".join(level.systems[i] for i in order[k : k + size])
        rows.append((f"{k + 1}–{k + size}", systems, *found[:, k].tolist()))
    return Table(columns, rows, f"{SYMBOLS[kind]} within windows of {size} systems")


def williams_table(level: SystemLevel, kind: str) -> Table:
    """p-values of Williams' test, row better than column; empty where it is not."""
    return matrix("better", level.metrics, level.williams(kind), 5, f"Williams' test, {kind}", [WILLIAMS])


def permutation_table(metrics: Sequence[str], p: Floats, kind: str) -> Table:
    """p-values of PERM-BOTH, row better than column; empty where it is not."""
    note = "one-tailed p; scores of single sentences are exchanged between two metrics (Deutsch et al. 2021)"
    return matrix("better", metrics, p, 4, f"PERM-BOTH, {SYMBOLS[kind]}", [note])


def sentence_table(level: SentenceLevel, title: str, *, samples: int, seed: int) -> Table:
    """Kendall's τ of every metric with intervals and stars, accuracy, and accuracy with calibrated ties."""
    columns = [Column("metric"), Column("HTies", 3, "max"), Column("HTies *"), Column("NoTies", 3, "max")]
    columns += [Column("NoTies *"), Column("accuracy", 3, "max"), Column("calibrated", 3, "max")]
    columns += [Column("ε", 4), Column("decided", 3, "max"), Column("τ decided", 3, "max")]
    stars = {variant: level.stars(variant, samples=samples, seed=seed) for variant in ("hties", "noties")}
    rows: list[Sequence[Cell]] = []
    counts = level.counts()
    for i, metric in enumerate(level.metrics):
        each = counts[i]
        cells: list[Cell] = [metric]
        for variant in ("hties", "noties"):
            low, high = each.interval(variant, samples=samples, seed=seed)
            cells += [Estimate(each.tau(variant), low, high), "*" if stars[variant][i] else ""]
        decided = each.concordant + each.discordant + each.metric_ties
        calibrated = level.calibrated(i)
        right = each.concordant / decided if decided else float("nan")
        cells += [each.accuracy, calibrated.accuracy, calibrated.epsilon, right, each.wmt12]
        rows.append(cells)
    some = counts[0]
    ties = some.human_ties + some.both_ties
    notes = [
        f"{some.pairs:,} comparisons, {ties:,} of them human ties; {samples:,} bootstrap samples; * "
        "interval overlaps with no other metric's",
        "accuracy: share of comparisons with the same outcome, ties included; calibrated: when differences "
        "up to ε are ties (the best ε for these data)",
        "decided, τ decided: human ties left out, a metric's tie counts as wrong (SEEDA-like accuracy, τ)",
    ]
    return Table(columns, rows, title, notes)


def sweep_table(metric: str, made: Sweep) -> Table:
    """Correlation by β."""
    columns = [Column("β", 2), *(Column(SYMBOLS[kind], 3, "max") for kind in made.correlations)]
    rows = [
        (float(value), *(float(line[i]) for line in made.correlations.values()))
        for i, value in enumerate(made.values)
    ]
    best = ", ".join(f"{SYMBOLS[kind]} at β = {made.best(kind):.2f}" for kind in made.correlations)
    return Table(columns, rows, f"{metric}: correlation by β", [f"highest {best}"])


def curve_table(metric: str, systems: Sequence[str], made: ReferenceCurve) -> Table:
    """Scores by number of references."""
    columns = [Column("references"), Column("mean", 4), *(Column(name, 4) for name in systems)]
    rows = [
        (count, float(row.mean()), *row.tolist()) for count, row in zip(made.counts, made.scores, strict=True)
    ]
    return Table(columns, rows, f"{metric} by number of references")


def grid_tables(made: Grid) -> list[Table]:
    """A table a coefficient: metrics × reference sets."""
    return [
        Table(
            [Column("references"), *(Column(metric, 3, "max") for metric in made.metrics)],
            [[name, *values[:, i].tolist()] for i, name in enumerate(made.sets)],
            f"{SYMBOLS[kind]} by metric and references",
        )
        for kind, values in made.correlations.items()
    ]


def domain_table(metric: str, made: Sequence[DomainCorrelation]) -> Table:
    """Mean and standard deviation of correlations by domain."""
    kinds = list(dict.fromkeys(each.kind for each in made))
    columns = [Column("domain"), Column("segments")]
    columns += [Column(f"{SYMBOLS[kind]}{what}", 3) for kind in kinds for what in ("", " sd")]
    rows: list[Sequence[Cell]] = []
    for domain in dict.fromkeys(each.domain for each in made):
        mine = [each for each in made if each.domain == domain]
        values: list[Cell] = [value for each in mine for value in (each.mean, each.deviation)]
        rows.append([domain, mine[0].segments, *values])
    last = len(rows) - 1 if rows and rows[-1][0] == "average" else 0
    return Table(
        columns, rows, f"{metric}: correlation by domain", rules=frozenset([last]) if last else frozenset()
    )


def audit_table(made: Audit, name: str) -> Table:
    """What a metric makes of outputs nobody wants."""
    columns = [Column("output"), Column(name, made.metric.decimals)]
    if made.systems:
        columns.append(Column(f"rank among {made.systems} systems and it"))
    columns.append(Column("fault"))
    rows: list[Sequence[Cell]] = [
        ["source, unchanged", made.source, *([None] if made.systems else []), ""],
        ["first reference", made.reference, *([None] if made.systems else []), ""],
    ]
    for finding in made.findings:
        rank = [finding.rank] if made.systems else []
        rows.append([finding.probe.name, finding.score, *rank, finding.fault])
    return Table(
        columns,
        rows,
        f"{name}: outputs nobody wants",
        [f"{made.faults} faults in {len(made.findings)} probes", made.metric.signature],
        rules=frozenset([2, 9, 14]),
    )


def robustness_table(made: Robustness, name: str) -> Table:
    """What a metric makes of references that were disturbed."""
    columns = [Column("reference with"), Column(name, made.metric.decimals), Column("fault")]
    rows = [("nothing changed", made.reference, "")]
    rows += [(one.perturbation.name, one.score, one.fault) for one in made.scores]
    notes = [f"{made.faults} faults in {len(made.scores)} disturbances"]
    return Table(columns, rows, f"{name}: disturbed references", notes, rules=frozenset([1]))


def judge_audit_table(made: JudgeAudit, sentences: int) -> Table:
    """How often a judge preferred texts that it should not prefer."""
    columns = [Column(name) for name in ("text", "against", "won", "tied", "lost", "moved", "fault")]
    rows = [
        (one.name, one.against, one.won, one.tied, one.lost, one.report.moved, one.fault)
        for one in made.contests
    ]
    decided = made.total("decided")
    first = f"{made.total('ahead') / decided:.0%}" if decided else "none"
    notes = [
        f"{made.faults} faults in {len(rows)} contests over {sentences} sentences; {made.total('questions')} "
        f"questions, of which {made.total('moved')} were answered otherwise in the other order (moved)",
        f"the text that stood first won {first} of the decided pairs; {made.total('invalid')} answers were "
        f"invalid, and {made.total('skipped')} questions have no valid one",
    ]
    return Table(columns, rows, f"{made.judge}: texts that a judge should not prefer", notes)


def draw_audits(made: Sequence[tuple[str, Audit]], figure: Any) -> None:
    """A panel a metric: scores as the source and the reference are damaged more and more."""
    figure.set_size_inches(3.4 * len(made), 3)
    panels = figure.subplots(1, len(made), squeeze=False)[0]
    for axes, (name, audit) in zip(panels, made, strict=True):
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
    """Findings whose scores are too close for labels of their own, together."""
    found: list[tuple[float, list[str]]] = []
    for finding in sorted(findings, key=lambda each: each.score):
        if found and finding.score - found[-1][0] < distance:
            found[-1][1].append(finding.probe.name)
        else:
            found.append((finding.score, [finding.probe.name]))
    return found
