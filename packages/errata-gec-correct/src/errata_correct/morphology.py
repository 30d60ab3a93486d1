"""Lemmas and tags of the lexicon's words, and the n-gram models over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.model_file import below, expect
from errata.models.ngram_model import BEGIN, END, SPECIAL, UNKNOWN, Grams
from errata_correct.language_model import LanguageModel, build_grams, gram_arrays, no_grams

OTHER = "?"  # the lemma and the tag of words that the lexicon lacks


@dataclass(frozen=True)
class Morphology:
    """A lemma and a tag for every word, whatever its context, as numbers in the two models."""

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
        """For a lexicon of so many words about which nothing is known."""
        return cls(np.full((size, 2), UNKNOWN, dtype=np.int32), no_grams(), no_grams())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """As arrays that compress well."""
        found: dict[str, npt.NDArray[Any]] = {
            # words stand in order: neighbours have the same lemma or the next
            "lemma_of": np.diff(self.classes[:, 0], prepend=0).astype(np.int32),
            "tag_of": self.classes[:, 1].astype(np.int16),
        }
        found |= {f"lemma.{name}": array for name, array in gram_arrays(self.lemmas).items()}
        return found | {f"tag.{name}": array for name, array in gram_arrays(self.tags).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Morphology:
        """What `arrays` gave; a ValueError if the numbers do not fit each other."""
        lemmas, tags = (Grams.from_arrays(arrays, prefix) for prefix in ("lemma.", "tag."))
        lemma_of = np.cumsum(expect(arrays["lemma_of"], "i"), dtype=np.int64)
        tag_of = expect(arrays["tag_of"], "i", len(lemma_of))
        below(lemma_of, len(lemmas.costs[0]))
        below(tag_of, len(tags.costs[0]))
        return cls(np.stack([lemma_of, tag_of], 1).astype(np.int32), lemmas, tags)
