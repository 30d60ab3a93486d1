"""How probably a change is right: a logistic curve over its margin for every kind of change."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from errata.correct.letters import without_marks
from errata.errors import DataError

KINDS = ("capitals", "punctuation", "diacritics", "spelling", "real-word", "name", "words", "grammar")
SUFFIX = ".calibration.json"
DEFAULT_THRESHOLD = 0.5  # what is more probably right than wrong
_SHIFT = 0.25  # margins near 0 differ little
_LIKE = {"misspelling": "grammar"}  # found by a pattern: trusted as the others of the table are
_RIDGE = 1.0  # of a kind with few examples the curve stays near that of all
_STEPS = 50


def kind_of(before: Sequence[str], after: Sequence[str]) -> str:
    """The kind of a change: capitals, punctuation, diacritics, spelling (one word for one), or words."""
    one, two = " ".join(before), " ".join(after)
    if not any(map(str.isalnum, one + two)):
        return "punctuation"
    if one.lower() == two.lower():
        return "capitals"
    if without_marks(one).lower() == without_marks(two).lower():
        return "diacritics"
    return "spelling" if len(before) == len(after) == 1 else "words"


@dataclass(frozen=True)
class Calibration:
    """Bias and slope of each kind's curve: log odds = bias + slope · log(0.25 + margin).

    Without curves, log odds = margin: the model's own probability of the change against none.
    """

    curves: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    fitted_on: str = ""
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by kind; `all` for the rest

    def threshold(self, kind: str) -> float:
        """The least confidence with which changes of this kind are made by default."""
        kind = _LIKE.get(kind, kind)
        return self.thresholds.get(kind, self.thresholds.get("all", DEFAULT_THRESHOLD))

    def confidence(self, kind: str, margin: float) -> float:
        """The probability that a change of this kind and margin is right."""
        if not self.curves:
            return _logistic(margin)
        kind = _LIKE.get(kind, kind)
        bias, slope = self.curves.get(kind) or self.curves["all"]
        return _logistic(bias + slope * math.log(_SHIFT + max(margin, 0.0)))

    @classmethod
    def fit(cls, examples: Iterable[tuple[str, float, bool]], fitted_on: str = "") -> Calibration:
        """Curves from (kind, margin, whether the change was right), by penalised maximum likelihood."""
        rows = list(examples)
        if not rows:
            raise DataError("there are no changes to fit confidences to")
        every = _curve([row[1:] for row in rows], (0.0, 0.0))
        curves = {"all": every}
        for kind in KINDS:
            of_kind = [row[1:] for row in rows if row[0] == kind]
            if of_kind:
                curves[kind] = _curve(of_kind, every)
        return cls(curves, fitted_on)

    def save(self, path: str | Path) -> None:
        """Write the curves as JSON."""
        from errata.corpus.files import open_output

        curves = {kind: [round(value, 4) for value in curve] for kind, curve in self.curves.items()}
        with open_output(path) as file:
            found = {"fitted_on": self.fitted_on, "thresholds": dict(self.thresholds), "curves": curves}
            file.write(json.dumps(found, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read what `save` wrote."""
        from errata.corpus.files import read_bytes

        try:
            found = json.loads(read_bytes(path))
            curves = {
                str(kind): (float(bias), float(slope)) for kind, (bias, slope) in found["curves"].items()
            }
            fitted_on = str(found.get("fitted_on", ""))
            thresholds = {str(kind): float(least) for kind, least in found.get("thresholds", {}).items()}
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
            raise DataError(f"not a calibration: {error}"[:300], path=path) from None
        if "all" not in curves or not all(map(math.isfinite, sum(curves.values(), ()))):
            raise DataError(
                "a calibration needs a curve for `all`, and finite numbers", path=path,
                hint="fit it again with tools/models/calibrate.py",
            )  # fmt: skip
        if not all(0 <= least <= 1 for least in thresholds.values()):
            raise DataError("a threshold is a probability from 0 to 1", path=path)
        return cls(curves, fitted_on, thresholds)


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, odds))))


def _curve(rows: Sequence[tuple[float, bool]], start: tuple[float, float]) -> tuple[float, float]:
    """Bias and slope by Newton's method; a slope below 0 becomes 0."""
    x = np.log(_SHIFT + np.maximum([margin for margin, _ in rows], 0.0))
    design = np.stack([np.ones(len(rows)), x], 1)
    right = np.array([good for _, good in rows], dtype=np.float64)
    centre = np.array(start)
    curve = centre.copy()
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-design @ curve))
        gradient = design.T @ (right - p) - _RIDGE * (curve - centre)
        curvature = (design * (p * (1 - p))[:, None]).T @ design + _RIDGE * np.eye(2)
        curve = curve + np.linalg.solve(curvature, gradient)
    if curve[1] < 0:
        share = (right.sum() + 0.5) / (len(right) + 1)
        return float(np.log(share / (1 - share))), 0.0
    return float(curve[0]), float(curve[1])
