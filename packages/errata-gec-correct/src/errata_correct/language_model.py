"""Trigram models of forms, lemmas and tags; estimation by modified Kneser–Ney (Chen & Goodman 1998)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.model_file import below, expect
from errata.errors import DataError
from errata.models.ngram_model import BEGIN, BITS, END, SPECIAL, STEP, UNIT, UNKNOWN, Grams, Integers
from errata_correct.native import channel

Floats = npt.NDArray[np.float64]
_LAST = (1 << BITS) - 1
OTHER = "?"  # the lemma and the tag of words that the lexicon lacks


@dataclass(frozen=True)
class LanguageModel:
    """Up to trigrams: keys are packed and sorted, logarithms are natural, trigrams have no backoff."""

    words: Sequence[str]  # by id, the first three special
    keys: tuple[Integers, ...]
    logs: tuple[Floats, ...]
    backoffs: tuple[Floats, ...]


def estimate(
    sentences: Iterable[Sequence[str]],
    words: Sequence[str] | None = None,
    *,
    prior: Mapping[str, float] | None = None,
    prior_weight: float = 0.5,
    prune: tuple[int, int] = (1, 1),
) -> LanguageModel:
    """A trigram model of tokenised sentences.

    `words` closes the vocabulary (all words of the text otherwise). `prior` gives frequencies of words
    from elsewhere, mixed into the unigrams with `prior_weight`. `prune` keeps bigrams and trigrams seen
    at least that often; what they lose goes to the backoff.
    """
    ids, vocabulary = _encode(sentences, words)
    size = len(vocabulary)
    if size >= 1 << BITS:
        raise DataError(
            f"{size} words are too many", hint=f"at most {(1 << BITS) - 1}: give a shorter word list"
        )
    grams = []
    for n in (2, 3):
        windows = np.zeros(len(ids) - n + 1, dtype=np.int64)
        for k in range(n):
            windows = (windows << BITS) | ids[k : len(ids) - n + 1 + k]
        inside = np.ones(len(windows), dtype=bool)
        for k in range(1, n):  # a sentence begins only at the front of an n-gram
            inside &= ids[k : len(ids) - n + 1 + k] != BEGIN
        grams.append(np.unique(windows[inside], return_counts=True))
    (pairs, pair_counts), (triples, triple_counts) = grams
    low = (1 << (2 * BITS)) - 1
    # Below the highest order a count is the number of different words before; after <s> it stays a count.
    continued, continuations = np.unique(triples & low, return_counts=True)
    adjusted = np.where(pairs >> BITS == BEGIN, pair_counts, 0)
    adjusted[np.searchsorted(pairs, continued)] += continuations
    single = np.bincount(pairs & ((1 << BITS) - 1), minlength=size).astype(np.float64)

    discount = 0.5 * (single > 0).sum() / max(single.sum(), 1.0)
    p1 = np.maximum(single - 0.5, 0) / max(single.sum(), 1.0)
    share = np.full(size, 1.0 / size)
    p1 = p1 + discount * share
    if prior:
        other = np.array([prior.get(word, 0.0) for word in vocabulary])
        if other.sum() > 0:
            kept = p1[END]
            p1 = (1 - prior_weight) * p1 + prior_weight * other / other.sum()
            p1[END] = kept
    p1[BEGIN] = 0.0
    p1 = np.maximum(p1, 1e-9)
    p1[BEGIN] = 1e-99
    p1 /= p1.sum()

    keys1 = np.arange(size, dtype=np.int64)
    p2 = _interpolate(pairs, adjusted, p1, keys1)
    p3 = _interpolate(triples, triple_counts, p2, pairs)
    keep2, keep3 = pair_counts >= prune[0], triple_counts >= prune[1]
    if prune[0] > 1:  # the context and the end of every trigram that stays must stay
        keep3 &= np.isin(triples >> BITS, pairs[keep2]) & np.isin(triples & low, pairs[keep2])
    pairs, p2, triples, p3 = pairs[keep2], p2[keep2], triples[keep3], p3[keep3]
    back1 = _backoffs(keys1, pairs, p2, p1[pairs & ((1 << BITS) - 1)])
    lower = _lookup(triples & low, pairs, p2)
    back2 = _backoffs(pairs, triples, p3, lower)
    return LanguageModel(
        vocabulary, (keys1, pairs, triples), (np.log(p1), np.log(p2), np.log(p3)), (back1, back2)
    )


def _encode(sentences: Iterable[Sequence[str]], words: Sequence[str] | None) -> tuple[Integers, list[str]]:
    vocabulary = [*SPECIAL, *(words or ())]
    known = {word: i for i, word in enumerate(vocabulary)}
    ids: list[int] = []
    for sentence in sentences:
        ids.append(BEGIN)
        if words is None:
            ids += [known.setdefault(word, len(known)) for word in sentence]
        else:
            ids += [known.get(word, UNKNOWN) for word in sentence]
        ids.append(END)
    return np.array(ids, dtype=np.int64), list(known)


def _discounts(counts: Integers) -> Floats:
    """The discounts of counts 1, 2 and more (Chen & Goodman 1998, equation 26)."""
    n = [float((counts == k).sum()) for k in (1, 2, 3, 4)]
    if not all(n):
        return np.array([0.0, 0.5, 0.7, 0.9])  # too little text for the estimate
    y = n[0] / (n[0] + 2 * n[1])
    discounts = [1 - 2 * y * n[1] / n[0], 2 - 3 * y * n[2] / n[1], 3 - 4 * y * n[3] / n[2]]
    return np.array([0.0, *(min(max(d, 0.05), k + 0.95) for k, d in enumerate(discounts))])


def _interpolate(keys: Integers, counts: Integers, lower: Floats, lower_keys: Integers) -> Floats:
    """Probabilities of n-grams, interpolated with those of the shorter n-grams."""
    discount = _discounts(counts)[np.minimum(counts, 3)]
    _, context = np.unique(keys >> BITS, return_inverse=True)
    totals = np.bincount(context, counts)
    gamma = np.bincount(context, discount) / np.maximum(totals, 1)
    n = 2 if lower_keys[-1] < 1 << BITS else 3
    shorter = keys & ((1 << (BITS * (n - 1))) - 1)
    p = (counts - discount) / np.maximum(totals[context], 1) + gamma[context] * _lookup(
        shorter, lower_keys, lower
    )
    return np.maximum(p, 1e-12)


def _lookup(keys: Integers, table: Integers, values: Floats) -> Floats:
    return values[np.minimum(np.searchsorted(table, keys), len(table) - 1)]


def _backoffs(contexts: Integers, keys: Integers, p: Floats, lower: Floats) -> Floats:
    """Logarithms of the weights of the shorter contexts, so that probabilities sum to one."""
    place = np.searchsorted(contexts, keys >> BITS)
    kept = np.bincount(place, p, minlength=len(contexts))
    covered = np.bincount(place, lower, minlength=len(contexts))
    return np.log(np.clip(1 - kept, 1e-6, 1) / np.clip(1 - covered, 1e-6, 1))


def build_grams(model: LanguageModel) -> Grams:
    """A model with rounded costs, without the n-grams that contain an unknown word."""
    costs, backoffs, keys = [], [], []
    for n in range(len(model.keys)):
        known = np.ones(len(model.keys[n]), dtype=bool)
        for k in range(n + 1 if n else 0):
            known &= (model.keys[n] >> (BITS * k)) & _LAST != UNKNOWN
        costs.append(np.clip(np.rint(-model.logs[n][known] * UNIT / STEP), 0, 255).astype(np.uint8))
        if n + 1 < len(model.keys):
            steps = np.rint(-model.backoffs[n][known] * UNIT / STEP)
            backoffs.append(np.clip(steps, -128, 127).astype(np.int8))
        if n:
            keys.append(model.keys[n][known])
    return Grams(tuple(costs), tuple(backoffs), tuple(keys))


def no_grams() -> Grams:
    """An empty model: every word is unknown and costs nothing."""
    no_keys = np.zeros(0, dtype=np.int64)
    costs = tuple(np.zeros(size, dtype=np.uint8) for size in (3, 0, 0))
    return Grams(costs, tuple(np.zeros(size, dtype=np.int8) for size in (3, 0)), (no_keys, no_keys))


def least_costs(grams: Grams) -> npt.NDArray[np.int32]:
    """A lower bound of the cost of every word in any context, in steps."""
    least = grams.costs[0].astype(np.int32) + int(grams.backoffs[0].min(initial=0))
    np.minimum.at(least, grams.keys[0] & _LAST, grams.costs[1].astype(np.int32))
    least += int(grams.backoffs[1].min(initial=0))
    np.minimum.at(least, grams.keys[1] & _LAST, grams.costs[2].astype(np.int32))
    return least


def gram_arrays(grams: Grams) -> dict[str, npt.NDArray[Any]]:
    """The model as arrays that compress well; `Grams.from_arrays` reads them."""
    pairs, triples = grams.keys
    contexts = triples >> BITS
    assert np.isin(contexts, pairs).all(), "a trigram without its context"
    arrays: dict[str, npt.NDArray[Any]] = {
        "first0": np.diff(pairs >> BITS, prepend=0),
        "last0": (pairs & _LAST).astype(np.int32),
        # the context of a trigram is a bigram: its index is shorter than its words
        "first1": np.diff(np.searchsorted(pairs, contexts), prepend=0).astype(np.int32),
        "last1": (triples & _LAST).astype(np.int32),
    }
    arrays |= {f"costs{n}": steps for n, steps in enumerate(grams.costs)}
    return arrays | {f"backoffs{n}": steps for n, steps in enumerate(grams.backoffs)}


def native_trigrams(grams: Grams) -> channel.Trigrams:
    """The model for native code: n-grams by their contexts."""
    pairs, triples = grams.keys
    words = np.arange(len(grams.costs[0]) + 1)
    return channel.Trigrams(
        (grams.costs[0].astype(np.int32), grams.backoffs[0].astype(np.int32)),
        (
            np.searchsorted(pairs >> BITS, words), (pairs & _LAST).astype(np.int32),
            grams.costs[1].copy(), grams.backoffs[1].copy(),
        ),
        (
            np.searchsorted(triples >> BITS, np.append(pairs, np.int64(1) << 62)),
            (triples & _LAST).astype(np.int32), grams.costs[2].copy(),
        ),
    )  # fmt: skip


@dataclass(frozen=True)
class Morphology:
    """A lemma and a tag for every word, independent of its context, as numbers in the two models."""

    classes: npt.NDArray[np.int32]  # a row for every word: its lemma, its tag
    lemmas: Grams
    tags: Grams

    @classmethod
    def build(
        cls,
        words: Sequence[str],
        analyses: Mapping[str, tuple[str, str]],
        lemmas: LanguageModel,
        tags: LanguageModel,
    ) -> Morphology:
        """From the (lemma, tag) of words and trigram models over both."""
        columns = []
        for k, model in enumerate((lemmas, tags)):
            ids = {name: i for i, name in enumerate(model.words)}
            other = ids[OTHER]
            column = [ids.get(analyses[word][k], other) if word in analyses else other for word in words]
            column[: len(SPECIAL)] = [other, BEGIN, END]
            columns.append(column)
        return cls(np.array(columns, dtype=np.int32).T.copy(), build_grams(lemmas), build_grams(tags))

    @classmethod
    def none(cls, size: int) -> Morphology:
        """For a lexicon of this size without lemmas and tags."""
        return cls(np.full((size, 2), UNKNOWN, dtype=np.int32), no_grams(), no_grams())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """As arrays that compress well."""
        arrays: dict[str, npt.NDArray[Any]] = {
            # words are sorted: neighbours have the same lemma or the next one
            "lemma_of": np.diff(self.classes[:, 0], prepend=0).astype(np.int32),
            "tag_of": self.classes[:, 1].astype(np.int16),
        }
        arrays |= {f"lemma.{name}": array for name, array in gram_arrays(self.lemmas).items()}
        return arrays | {f"tag.{name}": array for name, array in gram_arrays(self.tags).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Morphology:
        """Read the result of `arrays`; a ValueError if it is inconsistent."""
        lemmas, tags = (Grams.from_arrays(arrays, prefix) for prefix in ("lemma.", "tag."))
        lemma_of = np.cumsum(expect(arrays["lemma_of"], "i"), dtype=np.int64)
        tag_of = expect(arrays["tag_of"], "i", len(lemma_of))
        below(lemma_of, len(lemmas.costs[0]))
        below(tag_of, len(tags.costs[0]))
        return cls(np.stack([lemma_of, tag_of], 1).astype(np.int32), lemmas, tags)
