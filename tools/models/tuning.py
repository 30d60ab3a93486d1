"""Weights of a noisy channel by coordinate ascent on M² F0.5."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from errata.corpus.model import Corpus
from errata_correct.corrector import Corrector
from errata_correct.error_model import Weights
from errata_correct.noisy_channel import NoisyChannel

GRID: dict[str, tuple[float, ...]] = {
    "language": (0.4, 0.5, 0.6, 0.7, 0.8, 1.0),
    "tag": (0.0, 0.1, 0.2, 0.3, 0.4),
    "lemma": (0.0, 0.05, 0.1, 0.2, 0.3),
    "change": (-3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0),
    "comma": (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 1.0, 30.0),
    "unknown": (4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0),
    "capitalize": (0, 1),
}
START = Weights(language=0.7, change=-0.5, unknown=12.0, comma=-1.0)  # of models with word frequencies
_LANGUAGE = frozenset(["language", "lemma", "tag"])
_ENOUGH = 2e-4  # a round that gains less is the last


def f_half(model: NoisyChannel, corpus: Corpus) -> float:
    """M² F0.5 of the corrected sources."""
    from errata.metrics import metric

    m2 = metric("m2")
    return float(m2.score(m2.statistics(corpus, Corrector(model).correct_tokenized(corpus.sources))).value)


def with_weight(model: NoisyChannel, name: str, value: float) -> NoisyChannel:
    """The model with another weight; what it has looked up stays where it may."""
    other = dataclasses.replace(model, weights=dataclasses.replace(model.weights, **{name: value}))
    _share(model, other, "ids", *(["lattices"] if name in _LANGUAGE and not model.rules else []))
    _share(
        model.candidates, other.candidates, "lexicon", "_letter_costs", "_word_costs", "_confusions",
        "_after_comma",
    )  # fmt: skip
    return other


def _share(one: object, other: object, *names: str) -> None:
    """Give what one object has built, which the weights do not change, to another."""
    other.__dict__.update({name: one.__dict__[name] for name in names if name in one.__dict__})


def tune(model: NoisyChannel, corpus: Corpus, fixed: Collection[str] = (), rounds: int = 2) -> NoisyChannel:
    """The best weights found, each moved along its grid while that helps; those `fixed` stay as they are."""
    best = f_half(model, corpus)
    for _ in range(rounds):
        before = best
        for name, values in GRID.items():
            if name in fixed or (name in ("lemma", "tag") and model.morphology is None):
                continue
            here = min(range(len(values)), key=lambda i: abs(values[i] - getattr(model.weights, name)))
            for direction in (1, -1):
                start = best
                at = here + direction
                while 0 <= at < len(values):
                    other = with_weight(model, name, values[at])
                    score = f_half(other, corpus)
                    if score <= best:
                        break
                    best, model, at = score, other, at + direction
                if best > start:  # the other way leads back
                    break
        print(f"tuned: F0.5 {best:.4f} {model.weights}", flush=True)
        if best - before < _ENOUGH:
            break
    return model
