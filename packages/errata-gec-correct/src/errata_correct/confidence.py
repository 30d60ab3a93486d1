"""The confidence in a change: a logistic curve over its margin for every kind of change.

A calibration may also weigh other features of a change (`Features`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.corpus.files import open_output, read_bytes
from errata.errors import DataError
from errata_correct.letters import without_marks

KINDS = (
    "capitals", "punctuation", "early-comma", "removal", "diacritics", "spelling", "real-word",
    "real-word-diacritics", "name", "words", "grammar",
)  # fmt: skip
SUFFIX = ".calibration.json"
DEFAULT_THRESHOLD = 0.5  # changes that are more likely right than wrong
_SHIFT = 0.25  # so that margins near 0 differ little
_FALLBACKS = {  # kinds whose curve and threshold are used if a calibration has none for a kind
    "misspelling": ("grammar",),  # also found by a pattern
    "early-comma": ("punctuation",),
    "removal": ("punctuation",),
    "real-word-diacritics": ("real-word", "diacritics"),
    "real-word": ("spelling",),
    "name": ("spelling",),
}
_RIDGE = 1.0  # keeps the curve of a kind with few examples near that of all
_STEPS = 50
_LEADS = (-2.0, 20.0)  # leads are clipped to this range
_SPARSEST = -3.5  # smallest density: one change in 45 words
_Floats = npt.NDArray[np.float64]


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


class Features(NamedTuple):
    """Features of a change besides its kind and margin."""

    lead: float = 0.0  # logarithm of the ratio of the new and the old words' probabilities
    capital: float = 0.0  # 1 if a word with a capital, often a name, is changed within a sentence
    density: float = 0.0  # the logarithm of the changes per word of the sentence


_NONE = Features()


def features_of(tokens: Sequence[str], start: int, end: int, lead: float, changes: int) -> Features:
    """The features of a change of the tokens `start:end`, one of several changes of the sentence."""
    capital = 0 < start < end and tokens[start][:1].isupper()
    density = math.log((changes + 0.5) / (len(tokens) + 5))  # smoothed for short sentences
    return Features(max(_LEADS[0], min(_LEADS[1], lead)), float(capital), max(density, _SPARSEST))


class Example(NamedTuple):
    """A change to fit curves to: its kind, its margin and whether it was right."""

    kind: str
    margin: float
    right: bool
    features: Features = _NONE


@dataclass(frozen=True)
class Calibration:
    """Bias and slope of each kind's curve: log odds = bias + slope · log(0.25 + margin).

    `features` has the weights of further features; their sum is added. Without curves, log odds = margin: the
    model's own probability of the change against none.
    """

    curves: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    fitted_on: str = ""
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by kind; `all` for the rest
    features: Features = _NONE  # the weight of each
    together: int | None = None  # changes with at most this many words between them share a confidence

    def threshold(self, kind: str) -> float:
        """The default confidence that changes of this kind need."""
        return self.thresholds.get(_fallback(kind, self.thresholds), DEFAULT_THRESHOLD)

    def confidence(self, kind: str, margin: float, features: Features = _NONE) -> float:
        """The probability that a change of this kind, margin and features is right."""
        if not self.curves:
            return _logistic(margin)
        bias, slope = self.curves[_fallback(kind, self.curves)]
        weighed = sum(map(mul, self.features, features))
        return _logistic(bias + slope * math.log(_SHIFT + max(margin, 0.0)) + weighed)

    @classmethod
    def fit(
        cls,
        examples: Iterable[tuple[str, float, bool] | Example],
        fitted_on: str = "",
        *,
        features: bool = True,
    ) -> Calibration:
        """Fit curves to examples by penalised maximum likelihood; without `features`, to margins alone.

        The weights of the features are fitted with the curve of all changes, and the curves of the kinds
        afterwards with these weights.
        """
        rows = [Example(*row) for row in examples]
        if not rows:
            raise DataError("there are no changes to fit confidences to")
        values = np.array([row.features for row in rows], dtype=np.float64) * features
        right = np.array([row.right for row in rows], dtype=np.float64)
        margins = np.log(_SHIFT + np.maximum([row.margin for row in rows], 0.0))
        design = np.column_stack([np.ones(len(rows)), margins, values])
        overall = _fitted(design, right, np.zeros(design.shape[1]), np.zeros(len(rows)))
        weighed = values @ overall[2:]
        curves = {"all": _rising(overall, right, weighed)}
        for kind in KINDS:
            of_kind = np.array([row.kind == kind for row in rows])
            if of_kind.any():
                rest = right[of_kind], weighed[of_kind]
                line = _fitted(design[of_kind, :2], rest[0], np.array(curves["all"]), rest[1])
                curves[kind] = _rising(line, *rest)
        return cls(curves, fitted_on, features=Features(*map(float, overall[2:])))

    def levelled(self, examples: Iterable[tuple[str, float, bool] | Example]) -> Calibration:
        """The calibration with log odds scaled and shifted to fit other examples; the order stays."""
        rows = [Example(*row) for row in examples]
        if not rows:
            raise DataError("there are no changes to fit the level of the confidences to")
        confidences = [self.confidence(row.kind, row.margin, row.features) for row in rows]
        sure = np.clip(confidences, 1e-12, 1 - 1e-12)  # so that the odds are finite
        odds = np.log(sure) - np.log1p(-sure)
        right = np.array([row.right for row in rows], dtype=np.float64)
        design = np.column_stack([np.ones(len(rows)), odds])
        shift, stretch = map(float, _fitted(design, right, np.zeros(2), np.zeros(len(rows))))
        if stretch <= 0:
            raise DataError("the confidences do not tell right changes from wrong ones in these texts")
        curves = {
            kind: (shift + stretch * bias, stretch * slope) for kind, (bias, slope) in self.curves.items()
        }
        return replace(
            self, curves=curves, features=Features(*(stretch * weight for weight in self.features))
        )

    def save(self, path: str | Path) -> None:
        """Write the curves as JSON."""
        curves = {kind: [round(value, 4) for value in curve] for kind, curve in self.curves.items()}
        with open_output(path) as file:
            content: dict[str, Any] = {
                "fitted_on": self.fitted_on, "thresholds": dict(self.thresholds), "curves": curves,
            }  # fmt: skip
            if any(self.features):
                content["features"] = {k: round(v, 4) for k, v in self.features._asdict().items()}
            if self.together is not None:
                content["together"] = self.together
            file.write(json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read a file that `save` wrote."""
        try:
            content = json.loads(read_bytes(path))
            curves = {
                str(kind): (float(bias), float(slope)) for kind, (bias, slope) in content["curves"].items()
            }
            fitted_on = str(content.get("fitted_on", ""))
            thresholds = {str(kind): float(least) for kind, least in content.get("thresholds", {}).items()}
            features = Features(**{name: float(value) for name, value in content.get("features", {}).items()})
            together = content.get("together")
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
            raise DataError(f"not a calibration: {error}"[:300], path=path) from None
        if "all" not in curves or not all(map(math.isfinite, (*sum(curves.values(), ()), *features))):
            raise DataError(
                "a calibration needs a curve for `all`, and finite numbers", path=path,
                hint="fit it again with tools/models/calibrate.py",
            )  # fmt: skip
        if not all(0 <= least <= 1 for least in thresholds.values()):
            raise DataError("a threshold is a probability from 0 to 1", path=path)
        if together is not None and not (type(together) is int and together >= 0):
            raise DataError("`together` is a number of words", path=path)
        return cls(curves, fitted_on, thresholds, features, together)


def _fallback(kind: str, kinds: Mapping[str, object]) -> str:
    """The kind itself, a similar kind, or `all`: the first that is among `kinds`."""
    return next((name for name in (kind, *_FALLBACKS.get(kind, ())) if name in kinds), "all")


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, odds))))


def _fitted(design: _Floats, right: _Floats, centre: _Floats, offset: _Floats) -> _Floats:
    """Weights by Newton's method, penalised by their distance from the centre."""
    parameters: _Floats = centre.copy()
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(design @ parameters + offset)))
        gradient = design.T @ (right - p) - _RIDGE * (parameters - centre)
        curvature = (design * (p * (1 - p))[:, None]).T @ design + _RIDGE * np.eye(len(parameters))
        parameters = parameters + np.linalg.solve(curvature, gradient)
    return parameters


def _rising(curve: _Floats, right: _Floats, offset: _Floats) -> tuple[float, float]:
    """Bias and slope of a fitted curve; a slope below 0 becomes 0."""
    if curve[1] < 0:
        share = (right.sum() + 0.5) / (len(right) + 1)
        return float(np.log(share / (1 - share)) - offset.mean()), 0.0
    return float(curve[0]), float(curve[1])
