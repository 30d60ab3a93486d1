"""Czech error types (Náplava, Straka, Straková & Rosen 2022, Table 4)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from errata.edits.alignment import Aligner, CostModel, Letters
from errata.edits.merging import MergeRules
from errata.edits.stemming import czech as stem
from errata.edits.universal import UniversalTypes
from errata.edits.words import WordList

MARKED = dict(zip("áčďéěíňóřšťúůýž", "acdeeinorstuuyz", strict=True))  # letters with a diacritic → without
MARKED |= {letter.upper(): base.upper() for letter, base in MARKED.items()}
INFLECTED = frozenset({"ADJ", "ADV", "AUX", "NOUN", "NUM", "PRON", "PROPN", "VERB"})
ARGUMENT_LABELS = frozenset({"nsubj", "nsubj:pass", "nsubjpass", "dobj", "pobj"})


@lru_cache(maxsize=1)
def letters() -> Letters:
    """Weights of letters: case 0.1, a diacritic 0.2, another diacritic or i for y 0.3, anything else 1."""
    known = [chr(code) for code in range(32, 127)] + list(MARKED)
    count = len(known) + 1  # and one for all others
    weights = np.ones((count, count))
    for i, one in enumerate(known):
        for j, other in enumerate(known):
            if one == other:
                weights[i, j] = 0
            elif one.lower() == other.lower():
                weights[i, j] = 0.1
            elif MARKED.get(one) == other or MARKED.get(other) == one:
                weights[i, j] = 0.2
            elif (one in MARKED and MARKED[one] == MARKED.get(other)) or {one, other} <= set("iíyý"):
                weights[i, j] = 0.3
    weights[-1, -1] = 0
    return Letters({letter: i for i, letter in enumerate(known)}, weights)


def aligner() -> Aligner:
    return Aligner(CostModel.SIMILAR, letters())


def merge_rules() -> MergeRules:
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "NOUN", "VERB"}),
        phrase=("PART", "VERB"),
        all_of_phrase=True,
        letters=letters(),
    )


def types(words: WordList) -> UniversalTypes:
    return UniversalTypes(words, INFLECTED, ARGUMENT_LABELS, stem, letters())
