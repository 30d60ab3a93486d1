"""How scores and correlations depend on a parameter, on the references and on the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, combinations
from math import comb
from typing import Literal, NamedTuple

import numpy as np

from errata.array_types import Floats, Integers
from errata.corpus.model import Corpus
from errata.errors import DataError, ErrataError
from errata.human.scalars import Scalars, system_table
from errata.meta.levels import SYMBOLS, lines_of
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.metrics.statistics import Statistics
from errata.significance.correlations import CORRELATIONS
from errata.significance.resampling import bootstrap_weights
from errata.tables import Cell, Column, Table

BETAS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0)


class Sweep(NamedTuple):
    """Scores and correlations with people for every value of a parameter."""

    values: Floats
    scores: Floats  # values × systems
    correlations: Mapping[str, Floats]  # by kind

    def best(self, kind: str = "pearson") -> float:
        """The value with the highest correlation."""
        return float(self.values[int(np.nanargmax(self.correlations[kind]))])

    def table(self, metric: str) -> Table:
        """Correlation by β."""
        columns = [Column("β", 2), *(Column(SYMBOLS[kind], 3, "max") for kind in self.correlations)]
        rows = [
            (float(value), *(float(line[i]) for line in self.correlations.values()))
            for i, value in enumerate(self.values)
        ]
        best = ", ".join(f"{SYMBOLS[kind]} at β = {self.best(kind):.2f}" for kind in self.correlations)
        return Table(columns, rows, f"{metric}: correlation by β", [f"highest {best}"])


def sweep(
    metric: Metric,
    statistics: Mapping[str, Statistics],
    human: Mapping[str, float],
    values: Sequence[float] | Floats,
    *,
    parameter: str = "beta",
    kinds: Sequence[str] = ("pearson", "spearman"),
) -> Sweep:
    """Correlation as a function of a parameter that leaves the statistics unchanged, such as β."""
    scores = _scores_over(metric, [statistics[system] for system in human], values, parameter)
    human_scores = np.array(list(human.values()))
    correlations = {kind: CORRELATIONS[kind](scores, human_scores) for kind in kinds}
    return Sweep(np.asarray(values, dtype=np.float64), scores, correlations)


def sweep_tables(
    results: Results, human: Mapping[str, float], people: Floats | None = None, label: str = "domain"
) -> list[Table]:
    """Correlation with people for β from 0 to 2, by metric.

    With `people`, human scores of segments × systems, correlations are means over domains or another label,
    so that the difficulty of domains does not matter (Náplava et al. 2022, Figure 2).
    """
    tables = []
    for number, metric in enumerate(results.metrics):
        statistics = {system: results.statistics[system, number] for system in human}
        values = _betas(metric)
        if people is None:
            result = sweep(metric, statistics, human, values)
        else:
            parts = []
            for rows in results.groups(label).values():
                means = dict(zip(human, np.nanmean(people[rows], axis=0).tolist(), strict=True))
                part = {system: each.select(rows) for system, each in statistics.items()}
                parts.append(sweep(metric, part, means, values))
            correlations = {
                kind: np.mean([part.correlations[kind] for part in parts], axis=0)
                for kind in parts[0].correlations
            }
            result = Sweep(parts[0].values, parts[0].scores, correlations)
        if not np.ptp(result.scores, axis=0).any():
            raise DataError(f"{metric.name} does not depend on β", hint="leave it out, or leave out --sweep")
        table = result.table(metric.name)
        if people is not None:
            table.title += f", mean over the values of {label}"
        tables.append(table)
    return tables


def _betas(metric: Metric) -> Floats:
    """β from 0 to 2; from 0.05 if the metric refuses 0."""
    if "beta" not in metric.parameters:
        raise DataError(f"{metric.name} has no β", hint="leave it out, or leave out --sweep")
    values = np.round(np.arange(0, 2.0001, 0.05), 2)
    try:
        replace(metric, **{"beta": 0.0})
    except ErrataError:
        return values[1:]
    return values


def _scores_over(
    metric: Metric, statistics: Sequence[Statistics], values: Sequence[float] | Floats, parameter: str
) -> Floats:
    """The score of every system (columns) for every value of a parameter (rows)."""
    if parameter not in {field.name for field in fields(metric)}:
        raise DataError(f"{metric.name} has no parameter {parameter!r}")
    variants = [replace(metric, **{parameter: value}) for value in map(float, values)]
    return np.array([[variant.score(each).value for each in statistics] for variant in variants])


@dataclass(frozen=True, eq=False)
class BetaPlane:
    """Precision and recall of every system by one metric, and F for each β."""

    number: int  # of the metric
    beta: float  # of the metric
    precision: Floats  # systems
    recall: Floats
    betas: tuple[float, ...]
    scores: Floats  # systems × betas

    def correlations(self, systems: Sequence[int], human: Floats, kind: str) -> Floats:
        """For each β, the correlation of these systems' scores with human scores."""
        return CORRELATIONS[kind](self.scores[list(systems)].T, human)


def beta_planes(results: Results, betas: tuple[float, ...] = BETAS) -> list[BetaPlane]:
    """Precision, recall, and F over β, for every metric that has them."""
    planes = []
    for number, metric in enumerate(results.metrics):
        beta = metric.parameters.get("beta")
        if beta is None or metric.parts[0] != "f" or not {"precision", "recall"} <= set(metric.parts):
            continue
        scores = [results.score(system, number) for system in results.systems]
        planes.append(
            BetaPlane(
                number,
                beta,
                np.array([score.parts["precision"] for score in scores]),
                np.array([score.parts["recall"] for score in scores]),
                betas,
                _scores_over(metric, [score.statistics for score in scores], betas, "beta").T,
            )
        )
    return planes


# -- reference sets ----------------------------------------------------------------------------------


class Grid(NamedTuple):
    """Scores (metrics × sets of references × systems) and correlations with people (metrics × sets)."""

    metrics: tuple[str, ...]
    sets: tuple[str, ...]
    scores: Floats
    correlations: Mapping[str, Floats]  # by kind

    def tables(self) -> list[Table]:
        """One table per coefficient: metrics × reference sets."""
        return [
            Table(
                [Column("references"), *(Column(metric, 3, "max") for metric in self.metrics)],
                [[name, *values[:, i].tolist()] for i, name in enumerate(self.sets)],
                f"{SYMBOLS[kind]} by metric and references",
            )
            for kind, values in self.correlations.items()
        ]


def grid(
    metrics: Mapping[str, Metric],
    sets: Mapping[str, Corpus],
    outputs: Mapping[str, Sequence[str]],
    human: Mapping[str, float],
    *,
    kinds: Sequence[str] = ("pearson", "spearman"),
    jobs: int | None = None,
) -> Grid:
    """Score every system by every metric with every set of references."""
    scores = np.array(
        [
            [
                [metric.score(corpus, outputs[system], jobs=jobs).value for system in human]
                for corpus in sets.values()
            ]
            for metric in metrics.values()
        ]
    )
    human_scores = np.array(list(human.values()))
    correlations = {kind: CORRELATIONS[kind](scores, human_scores) for kind in kinds}
    return Grid(tuple(metrics), tuple(sets), scores, correlations)


def jitter_reach(scores: Floats, human: Floats, size: float, kind: str, *, seed: int = 1) -> float:
    """The largest change of a correlation, in 99 % of random cases, if scores are off by up to `size`."""
    generator = np.random.default_rng(seed)
    shifted = scores + generator.uniform(-size, size, (1000, len(scores)))
    change = np.abs(CORRELATIONS[kind](shifted, human) - CORRELATIONS[kind](scores, human))
    return float(np.quantile(change, 0.99))


# -- number of references ----------------------------------------------------------------------------

Choice = Sequence[Integers]  # for every segment, the positions of the annotations to keep


class ReferenceCurve(NamedTuple):
    """The mean score of every system with 1, 2, … references, over several choices of references."""

    counts: tuple[int, ...]
    scores: Floats  # counts × systems

    def table(self, metric: str, systems: Sequence[str]) -> Table:
        """Scores by number of references."""
        columns = [Column("references"), Column("mean", 4), *(Column(name, 4) for name in systems)]
        rows = [
            (count, float(row.mean()), *row.tolist())
            for count, row in zip(self.counts, self.scores, strict=True)
        ]
        return Table(columns, rows, f"{metric} by number of references")


def reference_curve(
    metric: Metric,
    corpus: Corpus,
    outputs: Mapping[str, Sequence[str]],
    *,
    choose: Literal["references", "annotators"] = "references",
    draws: int = 10,
    seed: int = 1,
    full: Floats | None = None,
    jobs: int | None = None,
) -> ReferenceCurve:
    """Score the systems with 1, 2, … references, averaged over `draws` random choices.

    With `choose="references"`, references are drawn for each segment separately, and every segment needs two.
    With "annotators", sets of annotators are drawn (all sets if there are at most `draws`), and segments
    without an annotation from a set are left out. `full` are the scores with all references, if known.
    """
    corpus = metric.view(corpus)
    choices = _annotators(corpus, draws, seed) if choose == "annotators" else _references(corpus, draws, seed)
    sizes = [len(segment.annotations) for segment in corpus]
    kept_rows = [[_rows(sizes, chosen) for chosen in sets] for sets in choices]
    scores = np.zeros((len(choices), len(outputs)))
    for column, lines in enumerate(outputs.values()):
        statistics = metric.statistics(corpus, lines, jobs=jobs) if metric.by_reference else None
        if statistics is not None and not np.array_equal(statistics.counts, sizes):
            statistics = None  # identical references share a row
        for row, sets in enumerate(choices):
            if full is not None and row == len(choices) - 1:
                scores[row, column] = full[column]
                continue
            for chosen, (rows, offsets) in zip(sets, kept_rows[row], strict=True):
                if statistics is None:
                    value = _score_restricted(metric, corpus, lines, chosen, jobs)
                else:
                    values, numbers = statistics.values[rows], statistics.references[rows]
                    value = metric.score(Statistics(statistics.columns, values, offsets, numbers)).value
                scores[row, column] += value / len(sets)
    return ReferenceCurve(tuple(range(1, len(choices) + 1)), scores)


def restricted_to(corpus: Corpus, annotators: set[int]) -> tuple[Corpus, list[int]]:
    """The segments that some of these annotators annotated, with only their annotations."""
    return _restricted(corpus, _positions(corpus, annotators))


def annotator_sets(annotators: tuple[int, ...], *, most: int, seed: int = 1) -> list[list[tuple[int, ...]]]:
    """For 1, 2, … annotators, all sets of this size, or `most` random ones if there are more."""
    generator = np.random.default_rng(seed)
    sizes = []
    for size in range(1, len(annotators) + 1):
        if comb(len(annotators), size) <= max(most, 64):
            chosen = list(combinations(annotators, size))
            if len(chosen) > most:
                chosen = [chosen[i] for i in sorted(generator.permutation(len(chosen))[:most])]
        else:
            draws = {tuple(sorted(generator.permutation(annotators)[:size].tolist())) for _ in range(most)}
            chosen = sorted(draws)
        sizes.append(chosen)
    return sizes


def _annotators(corpus: Corpus, draws: int, seed: int) -> list[list[Choice]]:
    return [
        [_positions(corpus, set(chosen)) for chosen in sets]
        for sets in annotator_sets(corpus.annotators, most=draws, seed=seed)
    ]


def _references(corpus: Corpus, draws: int, seed: int) -> list[list[Choice]]:
    most = min(len(segment.annotations) for segment in corpus)
    if most < 2:
        raise DataError("a curve over references needs at least two for every segment")
    generator = np.random.default_rng(seed)
    orders = [[generator.permutation(len(segment.annotations)) for segment in corpus] for _ in range(draws)]
    return [[[np.sort(each[:count]) for each in order] for order in orders] for count in range(1, most + 1)]


def _positions(corpus: Corpus, annotators: set[int]) -> Choice:
    return [
        np.array([k for k, a in enumerate(segment.annotations) if a.annotator in annotators], dtype=np.int64)
        for segment in corpus
    ]


def _score_restricted(
    metric: Metric, corpus: Corpus, lines: Sequence[str], chosen: Choice, jobs: int | None
) -> float:
    part, kept = _restricted(corpus, chosen)
    return metric.score(part, [lines[i] for i in kept], jobs=jobs).value


def _restricted(corpus: Corpus, chosen: Choice) -> tuple[Corpus, list[int]]:
    kept = [i for i, positions in enumerate(chosen) if len(positions)]
    segments = (
        replace(segment, annotations=tuple(segment.annotations[k] for k in positions.tolist()))
        for segment, positions in zip(corpus, chosen, strict=True)
        if len(positions)
    )
    return Corpus(list(segments)), kept


def _rows(sizes: Sequence[int], chosen: Choice) -> tuple[Integers, Integers]:
    """The rows of the chosen references and their offsets; segments without references are left out."""
    starts = accumulate(sizes, initial=0)
    rows = [start + positions for start, positions in zip(starts, chosen, strict=False) if len(positions)]
    return np.concatenate(rows), np.cumsum([0, *map(len, rows)])


# -- domains (Náplava et al. 2022, Table 10 and Figure 2) --------------------------------------------


@dataclass(frozen=True, slots=True)
class DomainCorrelation:
    """Mean and standard deviation of a correlation over bootstrap samples of one domain's segments."""

    domain: str
    kind: str
    mean: float
    deviation: float
    segments: int


def domain_correlations(
    metric: Metric,
    statistics: Mapping[str, Statistics],
    human: Floats,
    domains: Sequence[str],
    *,
    kinds: Sequence[str] = ("pearson", "spearman"),
    samples: int = 100,
    seed: int = 1,
) -> list[DomainCorrelation]:
    """Correlate the metric with human scores in bootstrap samples of each domain's segments.

    `human` is segments × systems in the order of `statistics`, with NaN for missing scores. Both sides of a
    correlation are computed from the same segments. The last entries, named "average", are means over
    domains, so that the difficulty of domains does not matter.
    """
    first = next(iter(statistics.values()))
    if human.shape != (len(first), len(statistics)):
        raise DataError(
            f"human scores of shape {human.shape} for {len(first)} segments of {len(statistics)} systems"
        )
    names = list(dict.fromkeys(domains))
    resampling = metric.for_resampling
    entries: list[DomainCorrelation] = []
    sampled: dict[str, list[Floats]] = {kind: [] for kind in kinds}
    for name in names:
        rows = np.flatnonzero([domain == name for domain in domains])
        weights = np.concatenate(list(bootstrap_weights(len(rows), samples, seed)))
        scores = np.stack(
            [resampling.aggregate(each.select(rows), weights)[:, 0] for each in statistics.values()], axis=1
        )
        judged = ~np.isnan(human[rows])
        with np.errstate(invalid="ignore", divide="ignore"):
            human_means = (weights @ np.where(judged, human[rows], 0.0)) / (weights @ judged)
        for kind in kinds:
            values = CORRELATIONS[kind](scores, human_means)
            sampled[kind].append(values)
            entries.append(_entry(name, kind, values, len(rows)))
    if len(names) > 1:
        for kind in kinds:
            by_domain = np.array(sampled[kind])
            defined = ~np.isnan(by_domain)
            with np.errstate(invalid="ignore"):  # NaN for a sample without correlations
                means = np.where(defined, by_domain, 0.0).sum(axis=0) / defined.sum(axis=0)
            entries.append(_entry("average", kind, means, len(first)))
    return entries


def _entry(domain: str, kind: str, values: Floats, segments: int) -> DomainCorrelation:
    if np.isnan(values).all():
        return DomainCorrelation(domain, kind, float("nan"), float("nan"), segments)
    return DomainCorrelation(domain, kind, float(np.nanmean(values)), float(np.nanstd(values)), segments)


def domain_tables(
    results: Results, systems: Sequence[str], judged: Scalars, label: str, *, seed: int = 1
) -> list[Table]:
    """Correlations with human scores of single segments in each domain or other label, by metric."""
    results.groups(label)  # raises an error that names the labels if there is no such label
    people = scores_of_lines(len(results), systems, judged)
    tables = []
    for number, metric in enumerate(results.metrics):
        statistics = {system: results.statistics[system, number] for system in systems}
        correlations = domain_correlations(metric, statistics, people, results.labels[label], seed=seed)
        tables.append(_domain_table(metric.name, correlations))
    return tables


def scores_of_lines(lines: int, systems: Sequence[str], judged: Scalars) -> Floats:
    """The mean z-score of each output (lines × systems); NaN if nobody judged it."""
    people = np.full((lines, len(systems)), np.nan)
    places = [judged.systems.index(name) for name in systems]
    people[lines_of([segment for _, segment in judged.segments])] = system_table(judged, "z")[:, places]
    return people


def _domain_table(metric: str, correlations: Sequence[DomainCorrelation]) -> Table:
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
