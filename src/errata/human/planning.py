"""How many screens a ranking campaign needs, and which differences it can find.

A screen shows some systems, and its judgment is one observation of the win rates of all of them: the
probability of being judged better than a random other system, where a tie counts ½. The variance of an
observation comes from a pilot, or from Grundkiewicz et al. (2015) without one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from errata.array_types import Floats
from errata.errors import DataError
from errata.human.judgments import Judgments
from errata.human.pairs import expanded_pairs
from errata.significance.confidence_sequences import multiplier
from errata.tables import Cell, Column, Table

POWER = 0.8
_LEAST = 20  # screens of a pilot
_ENOUGH = 0.05  # further judgments of a segment, from which on their correlation is estimated
_PAUSE = 600  # seconds from which on a screen was left for a while


@dataclass(frozen=True)
class ScreenVariance:
    """The variances of one screen's contribution to the win rates."""

    score: float  # of one system's win rate, mean over systems
    pair: float  # of the difference of two systems, mean over pairs
    shown: float  # systems on a screen, those that share a text included
    repeated: float = 0.41  # correlation of two judgments of one segment
    seconds: float = 90.0  # mean time of a screen


# Grundkiewicz et al. (2015), twelve systems: screens of 2 to 5 texts. There the variance of an outcome (1, 0,
# −1) is .475, and the covariance of two outcomes with a system in common .208. Screens of five texts took
# their judges 77 s and those of SEEDA 108 s.
_MEASURED = (
    ScreenVariance(0.453, 0.988, 4.2, seconds=36),
    ScreenVariance(0.184, 0.402, 6.0, seconds=54),
    ScreenVariance(0.112, 0.245, 7.6, seconds=72),
    ScreenVariance(0.084, 0.184, 9.0, seconds=90),
)
_OUTCOME, _SHARED = 0.475, 0.208


def default_variance(systems: int, cards: int) -> ScreenVariance:
    """The variances without a pilot, for any number of systems."""
    measured = _MEASURED[min(cards, 5) - 2]

    def relative(systems: int, shown: float) -> float:
        return (_OUTCOME + max(shown - 2, 0) * _SHARED) / max(shown - 1, 1) * systems / shown

    shown = min(systems, measured.shown * max(cards / 5, 1))
    scale = relative(systems, shown) / relative(12, measured.shown)
    return replace(measured, score=scale * measured.score, pair=scale * measured.pair, shown=shown,
                   seconds=18.0 * cards)  # fmt: skip


def thinned(judged: Judgments, cards: int, seed: int = 1) -> Judgments:
    """The judgments as if screens had at most `cards` texts, drawn at random."""
    order = np.random.default_rng(seed).random((len(judged), int(judged.text.max()) + 1))
    present = np.zeros(order.shape, dtype=np.bool_)
    present[judged.item, judged.text] = True
    rank = np.argsort(np.argsort(np.where(present, order, 2), axis=1), axis=1)
    kept = rank[judged.item, judged.text] < cards
    columns = {name: getattr(judged, name)[kept] for name in ("item", "system", "rank", "text")}
    return replace(judged, **columns)


def pilot_variance(judged: Judgments, cards: int) -> tuple[ScreenVariance, Floats, Floats]:
    """The variances of a pilot, its win rates, and the variances of all differences for one screen."""
    judged = judged.filtered()
    texts = np.bincount(np.unique(np.stack([judged.item, judged.text]), axis=1)[0])
    # A text of a screen that is thinned, and even more so two of them, count by the inverse of their chance.
    one_text = np.maximum(texts / cards, 1.0)
    weight = np.maximum(texts * (texts - 1) / (cards * (cards - 1)), 1.0)
    judged = thinned(judged, cards)
    screens, systems = len(judged), len(judged.systems)
    if screens < _LEAST:
        raise DataError(f"{screens} screens are too few for a pilot", hint=f"{_LEAST} or more")
    pairs = expanded_pairs(judged)
    text = np.full((screens, systems), -1)
    text[judged.item, judged.system] = judged.text
    seen = text >= 0
    met = seen[:, :, None] & seen[:, None, :]
    differ = met & (text[:, :, None] != text[:, None, :])
    outcome = np.zeros(met.shape)
    outcome[pairs.item, pairs.left, pairs.right] = pairs.outcome
    outcome -= outcome.transpose(0, 2, 1)
    few = differ.sum(axis=0) < 2
    if systems < 2:
        raise DataError("a pilot needs two systems or more")
    missing = [(a, b) for a, b in combinations(range(systems), 2) if few[a, b]]
    if missing:
        a, b = (judged.systems[i] for i in missing[0])
        raise DataError(f"the pilot has fewer than two screens with different texts of {a} and {b}",
                        hint="judge more, or leave systems out with --without-system")  # fmt: skip
    number = np.tensordot(weight, differ, 1)
    mean = np.tensordot(weight, outcome, 1) / np.maximum(number, 1)
    share = number / np.maximum(number + np.tensordot(one_text, met & ~differ, 1), 1)
    away = np.where(differ, outcome - mean, 0) * weight[:, None, None]
    # How far one screen moves each win rate
    moved = (away * (share / np.maximum(number, 1))).sum(axis=2) / (2 * (systems - 1))
    one = screens * moved.T @ moved
    between = np.add.outer(np.diag(one), np.diag(one)) - 2 * one
    rates = 0.5 + (share * mean).sum(axis=1) / (2 * (systems - 1))
    segments = np.zeros((int(judged.segment.max()) + 1, systems))
    np.add.at(segments, judged.segment, moved)
    count = np.bincount(judged.segment)
    extra = (count**2).sum() / count.sum() - 1
    ratio = screens * (segments**2).sum() / np.trace(one)
    timed = judged.duration[judged.duration < _PAUSE]
    variance = ScreenVariance(
        float(np.diag(one).mean()), float(between.sum() / systems / (systems - 1)),
        float(seen.sum(axis=1).mean()),
    )  # fmt: skip
    if extra > _ENOUGH:
        variance = replace(variance, repeated=float(min(max((ratio - 1) / extra, 0.0), 1.0)))
    if len(timed):
        variance = replace(variance, seconds=float(timed.mean()))
    return variance, rates, between


@dataclass(frozen=True)
class Plan:
    """A ranking campaign that fits into a budget of screens."""

    systems: int
    screens: int  # in the budget
    cards: int = 5
    overlap: float = 0.1  # share of items with a second judge
    repeats: float = 0.05  # share of screens that repeat one of the same annotator
    level: float = 0.95
    variance: ScreenVariance = field(default_factory=lambda: default_variance(12, 5))

    @property
    def items(self) -> int:
        """Different screens, each of a segment of its own."""
        return math.floor(self.screens / ((1 + self.overlap) * (1 + self.repeats)))

    @property
    def second(self) -> int:
        """Items with a second judge."""
        return round(self.overlap * self.items)

    def __post_init__(self) -> None:
        """Raise an error if the budget is too small to say anything."""
        if self.items < _LEAST:
            raise DataError(f"a budget of {self.screens} screens is too small", hint=f"{2 * _LEAST} or more")

    def error(self, variance: float) -> float:
        """The standard error at the end, from the variance of one screen."""
        judged = self.items + self.second
        again = 1 + 2 * self.second / judged * self.variance.repeated
        return math.sqrt(variance * again / judged)

    def smallest(self, variance: float, pairs: int = 1, *, anytime: bool = False) -> float:
        """The smallest difference that is found with a probability of .8, with Bonferroni's correction."""
        from scipy.special import ndtri

        level = 1 - (1 - self.level) / pairs
        times = multiplier(self.items, level, planned=self.items if anytime else None)
        return (times + float(ndtri(POWER))) * self.error(variance)

    def table(self, hours: float, source: str) -> Table:
        """The numbers of the plan; the second column is for one look at the end, the third for any time."""
        pairs = self.systems * (self.systems - 1) // 2
        shown = self.variance.shown
        judged = self.items + self.second
        of_pair = judged * shown * (shown - 1) / (self.systems * (self.systems - 1))
        halves = [
            multiplier(self.items, self.level, planned=planned) * self.error(self.variance.score)
            for planned in (None, self.items)
        ]
        smallest = [
            [self.smallest(self.variance.pair, number, anytime=anytime) for anytime in (False, True)]
            for number in (1, pairs)
        ]
        rows: list[list[Cell]] = [
            ["screens", self.screens, None],
            ["different segments and screens", self.items, None],
            ["screens with a second judge (overlap)", self.second, None],
            ["screens that repeat one of the same judge", self.screens - judged, None],
            ["screens with both systems of a pair", round(of_pair), None],
            ["half-width of the intervals of win rates", *halves],
            ["smallest difference found, for one pair", *smallest[0]],
            [f"smallest difference found, over all {pairs:,} pairs", *smallest[1]],
        ]
        columns = [Column("plan"), Column("one look at the end", 3), Column("at any time", 3)]
        notes = [
            f"{hours:g} hours, {self.cards} texts on a screen; variances: {source}",
            f"found with a probability of {POWER:g} at the level {self.level:g}; all pairs: Bonferroni",
            "every pair of systems gets about the same number of judgments (balanced assignment)",
            f"settings: sample = {self.items}, overlap = {self.overlap:g}, planned = {self.items}",
        ]
        return Table(columns, rows, f"{self.systems} systems", notes)


def pairs_table(plan: Plan, systems: tuple[str, ...], rates: Floats, between: Floats) -> Table:
    """The pairs of a pilot, closest first, and whether the plan is expected to separate them."""
    count = len(systems) * (len(systems) - 1) // 2
    rows: list[list[Cell]] = []
    for a, b in combinations(np.argsort(-rates, kind="stable").tolist(), 2):
        needed = plan.smallest(float(between[a, b]), count)
        difference = float(rates[a] - rates[b])
        rows.append([systems[a], systems[b], difference, needed, "yes" if difference >= needed else "no"])
    rows.sort(key=lambda row: float(str(row[2])))
    columns = [Column("better in the pilot"), Column("worse"), Column("difference", 3),
               Column("smallest found", 3), Column("separated")]  # fmt: skip
    sure = sum(row[-1] == "yes" for row in rows)
    note = f"{sure} of {count} pairs are expected to be separated, if their differences are as in the pilot"
    return Table(columns, rows, "Pairs of systems", [note])
