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

    def severities(self) -> tuple[Floats, Floats]:
        """Shrunk judge effects of a random-effects model (DerSimonian & Laird 1986), with standard errors."""
        means = np.array([each.mean() for each in self.values])
        noise = np.array([each.var(ddof=1) / len(each) for each in self.values])
        weights = 1 / np.maximum(noise, 1e-12)
        centre = weights @ means / weights.sum()
        excess = weights @ (means - centre) ** 2 - (len(means) - 1)
        spread = weights.sum() - (weights**2).sum() / weights.sum()
        between = max(0.0, excess / spread) if spread > 0 else 0.0
        weights = 1 / (between + np.maximum(noise, 1e-12))
        centre = weights @ means / weights.sum()
        kept = between * weights
        return kept * (means - centre), np.sqrt(kept * noise)

    def table(self) -> Table:
        """Values by quarter of the work, the change with a 95 % interval, and its p by Holm's correction."""
        changes = self.changes()
        adjusted = holm(changes[:, 2])
        severe, errors = self.severities()
        rows: list[Sequence[Cell]] = []
        for i, (judge, parts) in enumerate(zip(self.judges, self.parts().tolist(), strict=True)):
            slope, half = float(changes[i, 0]), float(1.96 * changes[i, 1])
            cells: list[Cell] = [judge, len(self.values[i]), *parts]
            cells += [Estimate(slope, slope - half, slope + half), float(adjusted[i])]
            if self.what == "severity":
                half = float(1.96 * errors[i])
                cells.append(Estimate(float(severe[i]), float(severe[i]) - half, float(severe[i]) + half))
            rows.append(cells)
        quarters = [Column(f"quarter {k + 1}", 3) for k in range(PARTS)]
        columns = [Column("judge"), Column("judgments"), *quarters, Column("change", 3), Column("p", 4)]
        notes = [
            "in the order of the file; change: from the first to the last judgment, by linear regression",
            "p: of no change, with Holm's correction over judges",
        ]
        if self.what == "severity":
            columns.append(Column("judge effect", 3))
            notes.append("score minus the system's mean over judges; judge effect: random-effects model")
        else:
            notes.append("share of decided pairs that agree with Expected Wins by all other judges")
        return Table(columns, rows, f"{self.what.capitalize()} over time", notes)


def drift(judged: Judgments | Scalars) -> Drift:
    """The values of all judges with at least 12 judgments; empty if there is only one judge."""
    if isinstance(judged, Scalars):
        what, values = "severity", [_deviations(judged, k) for k in range(len(judged.judges))]
    else:
        judged = judged.filtered()
        what, values = "agreement", [_agreements(judged, k) for k in range(len(judged.judges))]
    kept = [k for k, each in enumerate(values) if len(each) >= _LEAST]
    return Drift(tuple(judged.judges[k] for k in kept), tuple(values[k] for k in kept), what)


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
