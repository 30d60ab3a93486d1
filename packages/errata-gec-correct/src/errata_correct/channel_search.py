"""The search for the best choice of every token, by the n-gram models of forms, lemmas and tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from errata.models.ngram_model import STEP, Grams
from errata.native.ragged import check_array, check_offsets
from errata_correct.candidates import Rows
from errata_correct.error_model import Weights
from errata_correct.language_model import Morphology, least_costs, native_trigrams
from errata_correct.native import channel

_CACHED = 500_000  # words whose choices are kept
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lattice:
    """The choices of the tokens of sentences.

    The tokens of sentence s are `kinds[sentences[s]:sentences[s + 1]]`; a token of kind k may become any of
    `choices[offsets[k]:offsets[k + 1]]`. The first choice is to keep the token.
    """

    sentences: Integers
    kinds: npt.NDArray[np.int32]
    offsets: Integers
    choices: Rows

    def __post_init__(self) -> None:
        check_array("kinds", self.kinds, np.int32)
        check_array("choices", self.choices, np.int32, 3)
        check_offsets("sentences", self.sentences, len(self.kinds))
        check_offsets("offsets", self.offsets, len(self.choices))

    @property
    def kept(self) -> Integers:
        """The choice to keep each token."""
        return self.offsets[self.kinds]


class Lattices:
    """Makes lattices; the choices of words are found once."""

    def __init__(self, find: Callable[[Sequence[str]], list[Rows]]) -> None:
        self._find = find
        self._known: dict[str, Rows] = {}

    def of(self, sentences: Sequence[Sequence[str]]) -> Lattice:
        """The lattice of tokenised sentences."""
        if len(self._known) > _CACHED:
            self._known = {}
        known = self._known  # other threads may add to it, and replace it
        words: dict[str, int] = {}
        kinds = [words.setdefault(token.lower(), len(words)) for token in chain.from_iterable(sentences)]
        new = [word for word in words if word not in known]
        known.update(zip(new, self._find(new), strict=True))
        rows = [known[word] for word in words]
        return Lattice(
            np.cumsum([0, *map(len, sentences)], dtype=np.int64),
            np.array(kinds, dtype=np.int32),
            np.cumsum([0, *map(len, rows)], dtype=np.int64),
            np.concatenate([np.empty((0, 3), dtype=np.int32), *rows]),
        )


def word_costs(forms: Grams, morphology: Morphology | None, weights: Weights) -> channel.WordCosts:
    """The weighted models for native code."""
    scale = np.rint(np.array([weights.language, weights.lemma, weights.tag]) * 256).astype(np.int64) * STEP
    words = len(forms.costs[0])
    if morphology is None:
        morphology = Morphology.none(words)
        scale[1:] = 0
    classes = np.column_stack([np.arange(words, dtype=np.int32), morphology.classes])
    models = forms, morphology.lemmas, morphology.tags
    least = [scale[m] * least_costs(model)[classes[:, m]] for m, model in enumerate(models)]
    rest = least[1] + least[2]
    bounds = np.column_stack([(least[0] + rest) >> 8, rest])
    return channel.WordCosts([native_trigrams(model) for model in models], classes, scale, bounds)
