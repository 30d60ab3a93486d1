"""Czech error types (Náplava, Straka, Straková & Rosen 2022, Table 4)."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations

import numpy as np

from errata.edits.alignment import Aligner, CostModel, Letters
from errata.edits.merging import MergeRules
from errata.edits.rules import Side
from errata.edits.stemming import czech as stem
from errata.edits.universal import CLASS_OF_LABEL, RARE, UniversalTypes
from errata.edits.words import WordList

MARKED = dict(zip("áčďéěíňóřšťúůýž", "acdeeinorstuuyz", strict=True))  # letters with a diacritic → without
MARKED |= {letter.upper(): base.upper() for letter, base in MARKED.items()}

INFLECTED = frozenset({"ADJ", "ADV", "AUX", "NOUN", "NUM", "PRON", "PROPN", "VERB"})
ARGUMENT_LABELS = frozenset({"nsubj", "nsubj:pass", "nsubjpass", "dobj", "pobj"})
LONGEST_MISSPELT_ORDER = 5  # words
SIMILAR = 0.25  # weighted character cost of words that are the same but for a misspelling


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


@lru_cache(maxsize=1 << 16)
def character_cost(one: str, other: str) -> float:
    """Weighted character cost of two words, 0 … 2."""
    return letters().cost(one, other)


def aligner() -> Aligner:
    return Aligner(CostModel.SIMILAR, letters())


def merge_rules() -> MergeRules:
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "NOUN", "VERB"}),
        phrase=("PART", "VERB"),
        all_of_phrase=True,
        letters=letters(),
    )


def types(words: WordList) -> CzechTypes:
    return CzechTypes(words)


class CzechTypes(UniversalTypes):
    """Types of Czech edits: an operation (M, U, R) and a category of GECCC."""

    def order(self, o: Side, c: Side) -> str | None:
        return super().order(o, c) or ("WO:SPELL" if reordered(o.forms, c.forms) else None)

    def word(self, o: Side, c: Side) -> str:
        """A word for a word."""
        one, other = o.upos[0], c.upos[0]
        same = one if one == other and one not in RARE else None
        form = o.forms[0]
        if form.isalpha() and len(self.words) and form not in self.words:
            alike = SequenceMatcher(None, form, c.forms[0]).ratio() > 0.5
            return "SPELL" if alike else same or "OTHER"
        if one == other == "VERB":
            return "VERB"
        if o.lemmas[0] == c.lemmas[0]:
            return f"{one}:INFL" if one == other and one in INFLECTED else "MORPH"
        if one in INFLECTED and other in INFLECTED and stem(form) == stem(c.forms[0]):
            return "MORPH"
        if same:
            return same
        if o.deps == c.deps and o.deps[0] in CLASS_OF_LABEL:
            return CLASS_OF_LABEL[o.deps[0]]
        if {one, other} == {"DET", "PRON"} and c.deps[0] in ARGUMENT_LABELS:
            return "PRON"
        return "OTHER"


def reordered(source: tuple[str, ...], target: tuple[str, ...]) -> bool:
    """Whether the words are the same in another order, up to five of them misspelt; both ends must move."""
    count = len(source)
    if count != len(target) or count < 2:
        return False
    if count > LONGEST_MISSPELT_ORDER:
        return sorted(map(str.lower, source)) == sorted(map(str.lower, target))
    near = [[np.float32(character_cost(a, b)) < SIMILAR for b in target] for a in source]
    return any(
        order[0] != 0 and order[-1] != count - 1 and all(near[i][j] for i, j in enumerate(order))
        for order in permutations(range(count))
    )
