"""Drift and fatigue of judges: agreement or severity over the course of each judge's work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errata.array_types import Floats
from errata.human.judgments import Judgments
from errata.human.pairs import expanded_pairs, unexpanded_pairs
from errata.human.rankings import expected_wins
from errata.human.scalars import Scalars
from errata.significance.decisions import holm
from errata.tables import Cell, Column, Estimate, Table

PARTS = 4
_LEAST = 3 * PARTS  # judgments of a judge


@dataclass(frozen=True, eq=False)
class Drift:
    """For each judge, one value per judgment in the order of the work.

    From rankings, a value is the share of decided pairs that agree with the order of the systems by all other
    judges. From scores, it is the deviation from the system's mean, in which all judges count the same.
    """

    judges: tuple[str, ...]
    values: tuple[Floats, ...]
    what: str  # agreement or severity
    effects: Floats | None = None  # severity: judge effects with standard errors, judges × 2

    def parts(self) -> Floats:
        """Mean values in each quarter of the work: judges × quarters."""
        return np.array([[part.mean() for part in np.array_split(each, PARTS)] for each in self.values])

    def changes(self) -> Floats:
        """For each judge: the change from first to last judgment by regression, its standard error and p."""
        from scipy.stats import t

        rows = []
        for values in self.values:
            time = np.linspace(-0.5, 0.5, len(values))
            slope = time @ values / (time @ time)
            rest = values - values.mean() - slope * time
            error = np.sqrt(rest @ rest / (len(values) - 2) / (time @ time))
            p = 2 * t.sf(abs(slope) / error, len(values) - 2) if error > 1e-12 else float(abs(slope) < 1e-12)
            rows.append((slope, error, p))
        return np.array(rows).reshape(-1, 3)

    def table(self) -> Table:
        """Values by quarter of the work, the change with a 95 % interval, and its p by Holm's correction."""
        changes = self.changes()
        adjusted = holm(changes[:, 2])
        rows: list[Sequence[Cell]] = []
        for i, (judge, parts) in enumerate(zip(self.judges, self.parts().tolist(), strict=True)):
            slope, half = float(changes[i, 0]), float(1.96 * changes[i, 1])
            cells: list[Cell] = [judge, len(self.values[i]), *parts]
            cells += [Estimate(slope, slope - half, slope + half), float(adjusted[i])]
            if self.effects is not None:
                effect, half = float(self.effects[i, 0]), float(1.96 * self.effects[i, 1])
                cells.append(Estimate(effect, effect - half, effect + half))
            rows.append(cells)
        quarters = [Column(f"quarter {k + 1}", 3) for k in range(PARTS)]
        columns = [Column("judge"), Column("judgments"), *quarters, Column("change", 3), Column("p", 4)]
        notes = [
            "in the order of the file; change: from the first to the last judgment, by linear regression",
            "p: of no change, with Holm's correction over judges",
        ]
        if self.effects is not None:
            columns.append(Column("judge effect", 3))
            notes.append("score minus the system's mean over judges; judge effect: mixed model (REML)")
        else:
            notes.append("share of decided pairs that agree with Expected Wins by all other judges")
        return Table(columns, rows, f"{self.what.capitalize()} over time", notes)


def drift(judged: Judgments | Scalars) -> Drift:
    """The values of all judges with at least 12 judgments; empty if there is only one judge."""
    effects = None
    if isinstance(judged, Scalars):
        effects = judge_effects(judged)
        what, values = "severity", [_deviations(judged, k) for k in range(len(judged.judges))]
    else:
        judged = judged.filtered()
        what, values = "agreement", [_agreements(judged, k) for k in range(len(judged.judges))]
    kept = [k for k, each in enumerate(values) if len(each) >= _LEAST]
    judges, kept_values = tuple(judged.judges[k] for k in kept), tuple(values[k] for k in kept)
    return Drift(judges, kept_values, what, None if effects is None else effects[kept])


def judge_effects(scores: Scalars) -> Floats:
    """How much higher each judge scores, with standard errors: judges × 2.

    A linear mixed model with a fixed effect of each system and a random one of each judge, fitted by
    restricted maximum likelihood. Effects are best linear unbiased predictions: those of judges with few
    scores are shrunk towards 0.
    """
    from scipy.optimize import minimize_scalar

    judges, systems, values = len(scores.judges), len(scores.systems), scores.score - scores.score.mean()
    cell = scores.judge * systems + scores.system
    counts = np.bincount(cell, minlength=judges * systems).reshape(judges, systems).astype(np.float64)
    counts = counts[:, counts.any(axis=0)]
    of_systems = np.bincount(scores.system, values, systems)[
        np.bincount(scores.system, minlength=systems) > 0
    ]
    of_judges = np.bincount(scores.judge, values, judges)
    number, free = counts.sum(axis=1), len(values) - counts.shape[1]

    def fitted(ratio: float) -> tuple[float, float, Floats]:
        """Minus twice the log-likelihood, the residual variance and the effects, for a ratio of variances."""
        shrunk = ratio / (1 + ratio * number)
        normal = np.diag(counts.sum(axis=0)) - counts.T @ (shrunk[:, None] * counts)
        right = of_systems - counts.T @ (shrunk * of_judges)
        means = np.linalg.solve(normal, right)
        residual = float(values @ values - shrunk @ of_judges**2 - right @ means) / free
        loss = (
            free * np.log(max(residual, 1e-300))
            + np.log1p(ratio * number).sum()
            + np.linalg.slogdet(normal)[1]
        )
        return float(loss), residual, shrunk * (of_judges - counts @ means)

    if free < 1 or np.count_nonzero(number) < 2 or fitted(0)[1] < 1e-12:
        return np.zeros((judges, 2))
    best = minimize_scalar(lambda log: fitted(np.exp(log))[0], bounds=(-15, 15), method="bounded",
                           options={"xatol": 1e-9})  # fmt: skip
    ratio = float(np.exp(best.x)) if best.fun < fitted(0)[0] else 0.0
    _, residual, effects = fitted(ratio)
    return np.stack([effects, np.sqrt(residual * ratio / (1 + ratio * number))], axis=1)


def _deviations(scores: Scalars, judge: int) -> Floats:
    judges, systems = len(scores.judges), len(scores.systems)
    if len(np.unique(scores.judge)) < 2:
        return np.zeros(0)
    cell = scores.judge * systems + scores.system
    sums = np.bincount(cell, scores.score, judges * systems).reshape(judges, systems)
    counts = np.bincount(cell, minlength=judges * systems).reshape(judges, systems)
    means = np.divide(sums, counts, out=np.zeros(sums.shape), where=counts > 0)
    of_systems = means.sum(axis=0) / np.maximum((counts > 0).sum(axis=0), 1)
    own = scores.judge == judge
    values: Floats = scores.score[own] - of_systems[scores.system[own]]
    return values


def _agreements(judgments: Judgments, judge: int) -> Floats:
    own = judgments.judge == judge
    others = judgments.select(~own)
    if not len(others):
        return np.zeros(0)
    wins = np.round(expected_wins(expanded_pairs(others).tally()), 12)
    pairs = unexpanded_pairs(judgments.select(own), seed=None)
    decided = pairs.outcome != 0
    agreed = (1 + np.sign(wins[pairs.left] - wins[pairs.right]) * pairs.outcome)[decided] / 2
    item = pairs.item[decided]
    counts = np.bincount(item)
    shares: Floats = np.bincount(item, agreed)[counts > 0] / counts[counts > 0]
    return shares
