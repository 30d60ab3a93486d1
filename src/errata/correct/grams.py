"""Trigram models in few bytes: costs in eighths of a natural logarithm, n-grams by their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.correct.error_model import UNIT
from errata.correct.language_model import BITS, UNKNOWN, LanguageModel
from errata.kernels import channel

_STEP = 32  # of costs: an eighth of a natural logarithm, so that they fit one byte
_LAST = (1 << BITS) - 1


@dataclass(frozen=True)
class Grams:
    """What the search asks of a language model: costs and backoffs by packed n-grams."""

    costs: tuple[npt.NDArray[np.uint8], ...]  # of unigrams, bigrams, trigrams, in steps
    backoffs: tuple[npt.NDArray[np.int8], ...]  # of unigrams and bigrams
    keys: tuple[npt.NDArray[np.int64], ...]  # of bigrams and trigrams, sorted

    @classmethod
    def build(cls, model: LanguageModel) -> Grams:
        """From a trigram model, without the n-grams in which a word is unknown."""
        costs, backoffs, keys = [], [], []
        for n in range(model.order):
            known = np.ones(len(model.keys[n]), dtype=bool)
            for k in range(n + 1 if n else 0):
                known &= (model.keys[n] >> (BITS * k)) & _LAST != UNKNOWN
            costs.append(np.clip(np.rint(-model.logs[n][known] * UNIT / _STEP), 0, 255).astype(np.uint8))
            if n + 1 < model.order:
                steps = np.rint(-model.backoffs[n][known] * UNIT / _STEP)
                backoffs.append(np.clip(steps, -128, 127).astype(np.int8))
            if n:
                keys.append(model.keys[n][known])
        return cls(tuple(costs), tuple(backoffs), tuple(keys))

    @classmethod
    def none(cls) -> Grams:
        """The model that is not there: everything is unknown and costs nothing."""
        no_keys = np.zeros(0, dtype=np.int64)
        costs = tuple(np.zeros(size, dtype=np.uint8) for size in (3, 0, 0))
        return cls(costs, tuple(np.zeros(size, dtype=np.int8) for size in (3, 0)), (no_keys, no_keys))

    def __len__(self) -> int:
        """How many n-grams there are beyond single words."""
        return sum(map(len, self.keys))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """As arrays that compress well."""
        pairs, triples = self.keys
        contexts = triples >> BITS
        assert np.isin(contexts, pairs).all(), "a trigram without its context"
        found: dict[str, npt.NDArray[Any]] = {
            "first0": np.diff(pairs >> BITS, prepend=0),
            "last0": (pairs & _LAST).astype(np.int32),
            # the context of a trigram is a bigram: its place is shorter than its words
            "first1": np.diff(np.searchsorted(pairs, contexts), prepend=0).astype(np.int32),
            "last1": (triples & _LAST).astype(np.int32),
        }
        found |= {f"costs{n}": steps for n, steps in enumerate(self.costs)}
        return found | {f"backoffs{n}": steps for n, steps in enumerate(self.backoffs)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], prefix: str = "") -> Grams:
        """What `arrays` gave."""
        pairs = (np.cumsum(arrays[f"{prefix}first0"]) << BITS) | arrays[f"{prefix}last0"]
        contexts = np.cumsum(arrays[f"{prefix}first1"])
        triples = (pairs[contexts] << BITS) | arrays[f"{prefix}last1"] if len(pairs) else pairs
        return cls(
            tuple(arrays[f"{prefix}costs{n}"] for n in range(3)),
            tuple(arrays[f"{prefix}backoffs{n}"] for n in range(2)),
            (pairs, triples),
        )

    @cached_property
    def tables(self) -> tuple[npt.NDArray[Any], ...]:
        """Unigrams, then tables of bigrams and trigrams, as the kernel reads them."""
        unigrams = np.stack([self.costs[0].astype(np.int32), self.backoffs[0].astype(np.int32)], 1) * _STEP
        pair_keys, places = _table(self.keys[0])
        pairs = np.zeros((len(pair_keys), 2), dtype=np.int32)
        pairs[places, 0] = self.costs[1].astype(np.int32) * _STEP
        pairs[places, 1] = self.backoffs[1].astype(np.int32) * _STEP
        triple_keys, places = _table(self.keys[1])
        triples = np.zeros(len(triple_keys), dtype=np.int32)
        triples[places] = self.costs[2].astype(np.int32) * _STEP
        return np.ascontiguousarray(unigrams), pair_keys, pairs, triple_keys, triples


def _table(keys: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """An open-addressing table of keys, and the place of each."""
    size = 2
    while size < 2 * (len(keys) + 1):
        size *= 2
    table, places = np.zeros(size, dtype=np.int64), np.zeros(len(keys), dtype=np.int32)
    channel.fill(np.ascontiguousarray(keys), table, places)
    return table, places
