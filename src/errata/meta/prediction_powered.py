"""Human scores of systems from few judgments, with metrics on all segments as control variates.

This is prediction-powered inference (Angelopoulos et al. 2023) in the form of PPI++: a weight for each metric
minimises the variance, so that a useless metric costs nothing. Weights are cross-fitted (Zrnic & Candès
2024): a segment's judgments do not choose the weights that are applied to this segment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from errata.array_types import Floats, Integers
from errata.errors import DataError
from errata.human.judgments import Judgments, line_numbers
from errata.human.pairs import index_pairs, pairs_of
from errata.human.rankings import rank_systems
from errata.human.scalars import Scalars
from errata.meta.levels import lines_of
from errata.significance.confidence_sequences import growth, multiplier
from errata.tables import Cell, Column, Estimate, Table

_FOLDS = 10
_DRAWS = 2000  # of the estimated distribution of all scores, for rank ranges
_MOST = 1_000_000  # judgments of a forecast
_UNBALANCED = 4.0  # standard errors between judged segments and all segments


@dataclass(frozen=True, eq=False)
class Observations:
    """Judgments in rows, and metrics on all lines.

    A cell is what one judgment is about: a pair of systems, or a system. A row is the `value` that a judge
    gave to a cell on a line. `features` (lines × cells × features) has the metrics, and `weights` (lines ×
    cells) is 0 where a cell is not on a line or its value is known to be 0. `share` is the share of each
    cell's lines on which its value is not known to be 0; None means that it is estimated from `weights`. A
    row counts 1 / `chance`, where `chance` is the probability that its cell was judged on its line; None
    means that all are equal. The scores are `base` + means of the cells · `contrast` (cells × systems).
    """

    line: Integers
    cell: Integers
    judge: Integers
    value: Floats
    features: Floats
    weights: Floats
    contrast: Floats
    base: float = 0.0
    share: Floats | None = None
    chance: Floats | None = None


@dataclass(frozen=True, eq=False)
class HumanScores:
    """Unbiased scores of systems with their covariances; `plain` ones do without metrics."""

    scores: Floats
    covariance: Floats  # systems × systems
    plain: Floats
    plain_covariance: Floats
    clusters: int  # judged lines, or judges if judges vary too and are fewer
    imbalance: float  # largest distance of the features of judged lines from all lines, in standard errors

    @property
    def errors(self) -> Floats:
        """Standard errors of the scores."""
        deviations: Floats = np.sqrt(np.diag(self.covariance))
        return deviations

    @property
    def saved(self) -> float:
        """The share of judgments saved: plain estimation needs 1 / (1 − saved) times as many."""
        return float(1 - np.trace(self.covariance) / np.trace(self.plain_covariance))

    def table(self, systems: Sequence[str], title: str, notes: Sequence[str], *, level: float,
              planned: int | None = None, seed: int = 1) -> Table:  # fmt: skip
        """Scores with intervals, rank ranges and clusters."""
        times = multiplier(self.clusters, level, planned=planned)
        root = _square_root(self.covariance)
        random = np.random.default_rng(seed)
        drawn = random.standard_normal((_DRAWS, len(systems))) @ root.T
        # Multiples of standard errors in the rank ranges match those of the intervals.
        drawn *= times / multiplier(10**9, level)
        ranking = rank_systems(tuple(systems), self.scores + drawn, scores=self.scores, level=level)
        rows = []
        for k, i in enumerate(ranking.order.tolist()):
            score, half = float(self.scores[i]), float(times * self.errors[i])
            best, worst = int(ranking.best[k]), int(ranking.worst[k])
            number = int(ranking.clusters[k]) if k == 0 or k in ranking.lines else ""
            span = str(best) if best == worst else f"{best}–{worst}"
            cells = (Estimate(score, score - half, score + half), float(self.plain[i]))
            rows.append((number, *cells, span, systems[i]))
        columns = [Column("#"), Column("score", 3), Column("without metrics", 3), Column("range"),
                   Column("system")]  # fmt: skip
        kind = "for one look" if planned is None else "at any time"
        note = f"{100 * level:g} % intervals, valid {kind}; clusters: {self.clusters:,}, seed {seed}"
        saved = f"judgments saved by metrics: {100 * self.saved:.0f} %"
        extra = {"saved": self.saved}
        return Table(columns, rows, title, [*notes, note, saved], rules=ranking.lines, extra=extra)

    def separations(
        self, systems: Sequence[str], judgments: int, *, planned: int, level: float = 0.95
    ) -> Table:
        """All pairs: whether they are separated, or about how many judgments more they need.

        Intervals are valid at any time, for all pairs together by Bonferroni's correction.
        """
        order = np.argsort(-self.scores, kind="stable").tolist()
        each = 1 - (1 - level) / max(math.comb(len(systems), 2), 1)
        rows: list[tuple[float, Sequence[Cell]]] = []
        for a, b in combinations(order, 2):
            difference = float(self.scores[a] - self.scores[b])
            variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
            error = math.sqrt(max(variance, 0.0))
            half = multiplier(self.clusters, each, planned=planned) * error
            distance = difference / max(error, 1e-12)  # equal systems have no error, and do not differ
            ratio = growth(self.clusters, distance, each, planned=planned)
            more = judgments * (ratio - 1)
            text = "separated" if ratio == 1 else f"about {more:,.0f}" if more < _MOST else f"over {_MOST:,}"
            interval = Estimate(difference, difference - half, difference + half)
            rows.append((more, (systems[a], systems[b], interval, text)))
        rows.sort(key=lambda row: row[0])
        apart = sum(more == 0 for more, _ in rows)
        columns = [Column("better"), Column("worse"), Column("difference", 3), Column("judgments needed")]
        notes = [
            f"{apart} of {len(rows)} pairs are separated after {judgments:,} judgments; "
            f"clusters: {self.clusters:,}",
            f"{100 * level:g} % intervals, valid at any time and for all pairs together; "
            f"planned for {planned:,} clusters",
        ]
        return Table(columns, [cells for _, cells in rows], "Pairs of systems", notes)


def estimate(observed: Observations, *, judges: bool = False, seed: int = 1) -> HumanScores:
    """Scores and their covariances, clustered by line, or with `judges` by line and by judge."""
    o = observed
    lines, cells, count = o.features.shape
    weight = np.ones(len(o.line)) if o.chance is None else 1 / o.chance
    number = np.bincount(o.cell, weights=weight, minlength=cells)
    totals = o.weights.sum(axis=0)
    share = np.minimum(o.weights, 1).mean(axis=0) if o.share is None else o.share

    def means_of(values: Floats) -> Floats:
        means: Floats = np.bincount(o.cell, weights=weight * values, minlength=cells) / np.maximum(number, 1)
        return means

    means = means_of(o.value)
    centred = o.features - np.einsum("nc,nck->ck", o.weights, o.features) / np.maximum(totals, 1)[:, None]
    row_weight = (share / np.maximum(number, 1))[:, None] * o.contrast
    clusters = judged_lines(o.cell, o.line, cells)
    small = np.sqrt(clusters / np.maximum(clusters - 1, 1))[o.cell]  # few lines understate the variance
    if o.chance is not None:  # as a jackknife does, since single rows may count much
        small = 1 / (1 - np.minimum(weight / number[o.cell], 0.9))

    def by_line(values: Floats, owner: Integers = o.line, owners: int = lines) -> Floats:
        """Sums of the rows' influence on the scores: owners × systems."""
        table = np.zeros((owners, cells))
        np.add.at(table, (owner, o.cell), weight * (values - means_of(values)[o.cell]) * small)
        influence: Floats = table @ row_weight
        return influence

    rows = centred[o.line, o.cell]
    human = by_line(o.value)
    if o.share is None:
        human += (np.minimum(o.weights, 1) - share) * means @ o.contrast / lines
    scale = o.weights * (share / np.maximum(totals, 1))
    metric = np.zeros((count, *human.shape))
    for k in range(count):
        metric[k] = by_line(rows[:, k]) - (centred[:, :, k] * scale) @ o.contrast
    beta = _weights(human, metric, seed)  # lines × features
    values = o.value - (rows * beta[o.line]).sum(axis=1)
    influence = human - np.einsum("lk,kls->ls", beta, metric)
    covariance, plain = _covariance(influence), _covariance(human)
    if judges:  # Cameron, Gelbach & Miller (2011); no variance is below that by line
        both = np.unique(o.line * (int(o.judge.max()) + 1) + o.judge, return_inverse=True)[1]
        sums = [[by_line(each, key, int(key.max()) + 1) for key in (o.judge, both)]
                for each in (values, o.value)]  # fmt: skip
        roots = [_square_root(_covariance(single) - _covariance(double)) for single, double in sums]
        covariance, plain = covariance + roots[0] @ roots[0].T, plain + roots[1] @ roots[1].T
    judged = len(np.unique(o.line))
    clusters_of_all = min(judged, len(np.unique(o.judge))) if judges else judged
    imbalance = _imbalance(metric, weight[:, None] * rows, o, row_weight)
    scores, without = (o.base + (share * each) @ o.contrast for each in (means_of(values), means))
    return HumanScores(scores, covariance, without, plain, clusters_of_all, imbalance)


def judged_lines(cell: Integers, line: Integers, cells: int) -> Integers:
    """The number of different lines on which each cell was judged."""
    size = int(line.max(initial=0)) + 1
    return np.bincount(np.unique(cell * size + line) // size, minlength=cells)


def _weights(human: Floats, metric: Floats, seed: int) -> Floats:
    """For each line, the weights of the features that minimise the variance over the lines of other folds."""
    if not len(metric):
        return np.zeros((len(human), 0))
    fold = np.random.default_rng(seed).permutation(len(human)) % _FOLDS
    fitted = np.zeros((_FOLDS, len(metric)))
    for number in range(_FOLDS):
        known = metric[:, fold != number].reshape(len(metric), human[fold != number].size)
        product = known @ known.T, known @ human[fold != number].ravel()
        fitted[number] = np.linalg.lstsq(*product, rcond=1e-10)[0]
    weights: Floats = fitted[fold]
    return weights


def _covariance(influence: Floats) -> Floats:
    count = int(np.count_nonzero(influence.any(axis=1)))
    product: Floats = influence.T @ influence * (count / max(count - 1, 1))
    return product


def _square_root(covariance: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0))
    return root


def _imbalance(metric: Floats, rows: Floats, o: Observations, row_weight: Floats) -> float:
    """How far the features of judged lines are from those of all lines, in standard errors."""
    largest = 0.0
    for k, influence in enumerate(metric):
        table = np.bincount(o.cell, weights=rows[:, k], minlength=len(row_weight)) @ row_weight
        spread = np.sqrt(np.diag(_covariance(influence)))
        largest = max(largest, float(np.max(np.abs(table) / np.where(spread > 0, spread, np.inf))))
    return largest


# -- observations from judgments ---------------------------------------------------------------------


def observe(
    judged: Judgments | Scalars,
    outputs: Mapping[str, Sequence[str]],
    sentences: Sequence[Mapping[str, Floats]],
    *,
    kind: str = "expanded",
    seed: int = 1,
    chances: Mapping[str, Mapping[tuple[str, str], float]] | None = None,
) -> Observations:
    """Observations from judgments, the outputs of their systems, and sentence scores by metric and system.

    Two systems with the same output tie, so only lines on which they differ are estimated from judgments.
    `chances` are the probabilities with which two systems were on a screen, by the name of its item.
    """
    missing = [name for name in judged.systems if name not in outputs]
    if missing:
        raise DataError(f"no outputs of {', '.join(missing)}", hint="give them with --hyp NAME=FILE, or "
                        "leave systems out with --without-system")  # fmt: skip
    segments = len(next(iter(outputs.values())))
    table = np.array([[metric[name] for name in judged.systems] for metric in sentences])
    table = table.reshape(len(sentences), len(judged.systems), segments)
    if not np.isfinite(table).all():
        raise DataError("a metric has no finite score for some output", hint="leave this metric out")
    if isinstance(judged, Scalars):
        return _scored(judged, table, segments)
    judged = judged.filtered()
    pairs = pairs_of(judged, kind, seed=seed)
    left, right = index_pairs(len(judged.systems))
    texts = np.array([[" ".join(text.split()) for text in outputs[name]] for name in judged.systems], object)
    differ = (texts[left] != texts[right]).T.astype(np.bool_)
    lines = line_numbers(judged, outputs, segments)[pairs.item]
    if (lines < 0).any():
        raise DataError(f"{np.count_nonzero(lines < 0):,} judgments are of segments outside the corpus",
                        hint="give the corpus and outputs that were judged")  # fmt: skip
    number = np.zeros((len(judged.systems),) * 2, dtype=np.int64)
    number[left, right] = np.arange(len(left))
    cell = number[pairs.left, pairs.right]
    kept = differ[lines, cell]
    distance = (table[:, left] - table[:, right]).transpose(2, 1, 0)
    spread = np.where(differ[..., None], distance, 0).std(axis=(0, 1))
    scaled = distance / np.where(spread > 0, spread, 1)
    features = np.concatenate([scaled, np.sign(np.round(distance, 12))], axis=2)
    decided = np.flatnonzero(~kept & (pairs.outcome != 0))
    if len(decided):
        first = decided[0]
        names = f"{judged.systems[pairs.left[first]]} and {judged.systems[pairs.right[first]]}"
        raise DataError(f"people ranked {names} differently on line {lines[first] + 1}, where their outputs "
                        "are equal", hint="give the outputs that were judged")  # fmt: skip
    few = np.flatnonzero((judged_lines(cell[kept], lines[kept], len(left)) < 2) & differ.any(axis=0))
    if len(few):
        names = f"{judged.systems[left[few[0]]]} and {judged.systems[right[few[0]]]}"
        raise DataError(
            f"{len(few)} pairs have fewer than two judged segments with different outputs, as {names}",
            hint="collect more judgments, or leave systems out with --without-system",
        )
    contrast = np.zeros((len(left), len(judged.systems)))
    opponents = 2 * (len(judged.systems) - 1)
    contrast[np.arange(len(left)), left] = 1 / opponents
    contrast[np.arange(len(left)), right] = -1 / opponents
    chance = None
    if chances is not None:
        name = np.array(judged.systems, object)
        rows = zip(pairs.item[kept].tolist(), name[pairs.left[kept]], name[pairs.right[kept]], strict=True)
        chance = np.array([chances[judged.names[item]][one, other] for item, one, other in rows])
    return Observations(
        lines[kept], cell[kept], pairs.judge[kept], pairs.outcome[kept].astype(np.float64), features,
        differ.astype(np.float64), contrast, 0.5, chance=chance,
    )  # fmt: skip


def _scored(judged: Scalars, table: Floats, segments: int) -> Observations:
    """Scores of single outputs: a cell is a system."""
    lines = lines_of([name for _, name in judged.segments])[judged.segment]
    if lines.min(initial=0) < 0 or lines.max(initial=0) >= segments:
        raise DataError(f"scores of segment {lines.max()}, but there are {segments} segments, counted from 0")
    systems = len(judged.systems)
    features = table.transpose(2, 1, 0)
    spread = features.std(axis=(0, 1))
    for i in np.flatnonzero(judged_lines(judged.system, lines, systems) < 2):
        raise DataError(f"fewer than two judged segments of {judged.systems[i]}", hint="collect more scores")
    return Observations(
        lines, judged.system, judged.judge, judged.score, features / np.where(spread > 0, spread, 1),
        np.ones((segments, systems)), np.eye(systems), share=np.ones(systems),
    )  # fmt: skip


def warning_of(scores: HumanScores) -> str | None:
    """A warning if the judged segments do not look like a random sample of the corpus."""
    if scores.imbalance <= _UNBALANCED:
        return None
    return (
        f"the judged segments are unlike the corpus (metrics differ by {scores.imbalance:.1f} standard "
        "errors): estimates are unbiased only if segments to judge were drawn at random"
    )
