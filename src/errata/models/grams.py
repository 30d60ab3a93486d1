"""Trigram models in few bytes: costs in eighths of a natural logarithm, n-grams by their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.arrays import below, expect
from errata.kernels import trigrams
from errata.models.language_model import BITS, UNKNOWN, LanguageModel

UNIT = 256  # costs are in 1/256 of a natural logarithm
STEP = 32  # of costs: an eighth of a natural logarithm, so that they fit one byte
_LAST = (1 << BITS) - 1
_Longs = npt.NDArray[np.int64]


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
            costs.append(np.clip(np.rint(-model.logs[n][known] * UNIT / STEP), 0, 255).astype(np.uint8))
            if n + 1 < model.order:
                steps = np.rint(-model.backoffs[n][known] * UNIT / STEP)
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

    def least(self) -> npt.NDArray[np.int32]:
        """A bound below the cost of every word in any context, in steps."""
        bound = self.costs[0].astype(np.int32) + int(self.backoffs[0].min(initial=0))
        np.minimum.at(bound, self.keys[0] & _LAST, self.costs[1].astype(np.int32))
        bound += int(self.backoffs[1].min(initial=0))
        np.minimum.at(bound, self.keys[1] & _LAST, self.costs[2].astype(np.int32))
        return bound

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """As arrays that compress well."""
        pairs, triples = self.keys
        contexts = triples >> BITS
        assert np.isin(contexts, pairs).all(), "a trigram without its context"
        arrays: dict[str, npt.NDArray[Any]] = {
            "first0": np.diff(pairs >> BITS, prepend=0),
            "last0": (pairs & _LAST).astype(np.int32),
            # the context of a trigram is a bigram: its place is shorter than its words
            "first1": np.diff(np.searchsorted(pairs, contexts), prepend=0).astype(np.int32),
            "last1": (triples & _LAST).astype(np.int32),
        }
        arrays |= {f"costs{n}": steps for n, steps in enumerate(self.costs)}
        return arrays | {f"backoffs{n}": steps for n, steps in enumerate(self.backoffs)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], prefix: str = "") -> Grams:
        """What `arrays` gave; a ValueError if the numbers do not fit each other."""
        steps, backoffs = (
            [expect(arrays[f"{prefix}{name}{n}"], kind) for n in range(count)]
            for name, kind, count in (("costs", "u", 3), ("backoffs", "i", 2))
        )
        words = len(expect(steps[0], "u", len(backoffs[0])))
        last = [below(expect(arrays[f"{prefix}last{n}"], "i"), words, least=1) for n in range(2)]
        first = [expect(arrays[f"{prefix}first{n}"], "i", len(last[n])) for n in range(2)]
        before = np.cumsum(below(first[0], words), dtype=np.int64)
        pairs = (below(before, words) << BITS) | last[0]
        contexts = below(np.cumsum(below(first[1], len(pairs)), dtype=np.int64), len(pairs))
        triples = (pairs[contexts] << BITS) | last[1] if len(pairs) else pairs
        for keys, *values in ((pairs, steps[1], backoffs[1]), (triples, steps[2])):
            if any(len(value) != len(keys) for value in values) or not (np.diff(keys) > 0).all():
                raise ValueError("n-grams that are out of order or lack their costs")
        kinds = {array.dtype for array in (*steps, *backoffs)}
        if kinds != {np.dtype(np.uint8), np.dtype(np.int8)} or not 0 < words < 1 << BITS:
            raise ValueError(f"costs of {words} words in {', '.join(sorted(map(str, kinds)))}")
        return cls(tuple(steps), tuple(backoffs), (pairs, triples))


def tables(models: Sequence[Grams]) -> tuple[npt.NDArray[Any], ...]:
    """The tables of several models: bounds, unigrams, last words of bigrams, bigrams, trigrams."""
    rows = [(_rows(np.arange(len(model.costs[0])), model.keys[0]), _rows(*model.keys)) for model in models]
    lengths = np.array([[len(one[0]) - 1, int(one[0][-1]), int(two[0][-1])] for one, two in rows])
    starts = np.cumsum(lengths, axis=0) - lengths
    words, pair_rows, triple_rows = lengths.sum(0).tolist()
    unigrams, pairs = np.empty((words, 3), dtype=np.int32), np.zeros((pair_rows, 2), dtype=np.int32)
    followers, triples = (np.full(size, -1, dtype=np.int32) for size in (pair_rows, triple_rows))
    for m, model in enumerate(models):
        of_words, of_pairs, of_triples = (slice(a, a + n) for a, n in zip(starts[m], lengths[m], strict=True))
        places, sets = _placed(*rows[m][0], model.keys[0], model.costs[1], followers[of_pairs])
        unigrams[of_words, :2] = _contexts(rows[m][0][0] + starts[m, 1], sets, model.backoffs[0])
        unigrams[of_words, 2] = model.costs[0]
        _, sets = _placed(*rows[m][1], model.keys[1], model.costs[2], triples[of_triples])
        pairs[of_pairs][places] = _contexts(rows[m][1][0] + starts[m, 2], sets, model.backoffs[1])
    return starts[:, 0].copy(), unigrams, followers, pairs, triples


def _rows(contexts: _Longs, keys: _Longs) -> tuple[_Longs, _Longs]:
    """Where the rows of the n-grams of each context begin and end in a table, and where the n-grams do."""
    begun = np.searchsorted(keys >> BITS, np.append(contexts, np.int64(1) << 62))
    counts = np.diff(begun)
    wanted = np.where(counts > 3, 1.5 * counts, counts) + 1  # few are found at once in any case
    sizes = np.where(counts > 0, 2 ** np.ceil(np.log2(wanted)).astype(np.int64), 0)
    return np.concatenate([[0], np.cumsum(sizes)]), begun


def _placed(
    rows: _Longs, begun: _Longs, keys: _Longs, costs: npt.NDArray[np.uint8], table: npt.NDArray[np.int32]
) -> tuple[_Longs, npt.NDArray[np.int32]]:
    """Put n-grams into the table; returns the row of each, and for every context the set of last words."""
    words = (keys & _LAST).astype(np.int32)
    places, sets = trigrams.fill(begun, words, costs.astype(np.int32), rows, table)
    return places, sets


def _contexts(
    rows: _Longs, sets: npt.NDArray[np.int32], backoffs: npt.NDArray[np.int8]
) -> npt.NDArray[np.int32]:
    """Where the rows of every context begin, and its set, the logarithm of their number and the backoff."""
    sizes = np.log2(np.maximum(np.diff(rows), 1)).astype(np.int32)
    packed = sets | (sizes << 16) | ((backoffs.astype(np.int32) + 128) << 21)
    return np.stack([rows[:-1], packed], 1, dtype=np.int32, casting="unsafe")
