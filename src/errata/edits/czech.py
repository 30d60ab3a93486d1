"""Czech error types (Náplava, Straka, Straková & Rosen 2022, Table 4)."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations

import numpy as np

from errata.edits.alignment import Aligner, CostModel, Letters
from errata.edits.language import Tokens
from errata.edits.stemming import czech as stem
from errata.edits.tagged_sentence import Token
from errata.edits.universal import RARE, Universal, shared_class

MARKED = dict(zip("áčďéěíňóřšťúůýž", "acdeeinorstuuyz", strict=True))  # letters with a diacritic → without
MARKED |= {letter.upper(): base.upper() for letter, base in MARKED.items()}
ARGUMENT_LABELS = frozenset({"nsubj", "nsubj:pass", "nsubjpass", "dobj", "pobj"})
MOST_REORDERED = 5  # misspelt words that may change places
SIMILAR = 0.25  # greatest character cost of two spellings of one word, exclusive
SIMILAR_IN_ORDER = 0.25 - 2.0**-27  # the same where the official program rounds costs to single precision


class Czech(Universal):
    """Czech: universal types with stems, weighted letters and misspelt words in another order."""

    content = frozenset({"ADJ", "ADV", "NOUN", "VERB"})
    phrase = frozenset({"PART", "VERB"})
    exact_phrase = True
    signs_are_punctuation = False  # as in the official program
    inflected = Universal.inflected - {"DET"}

    def aligner(self) -> Aligner:
        return Aligner(CostModel.SIMILAR, letters())

    def similar(self, source: str, correction: str) -> bool:
        return spelt_alike(source, correction)

    def order(self, source: Tokens, correction: Tokens) -> str | None:
        category = super().order(source, correction)
        return category or ("WO:SPELL" if reordered(source, correction) else None)

    def word(self, o: Token, c: Token) -> str:
        shared = o.upos if o.upos == c.upos and o.upos not in RARE else None
        if self.is_misspelt(o):
            ratio = SequenceMatcher(None, o.form, c.form, autojunk=False).ratio()
            return "SPELL" if ratio > 0.5 else shared or "OTHER"
        if shared == "VERB":
            return shared
        if o.lemma == c.lemma:
            return self.same_lemma(o, c)
        if {o.upos, c.upos} <= self.inflected and stem(o.form) == stem(c.form):
            return "MORPH"
        category = shared_class((o, c))
        if category is None and {o.upos, c.upos} == {"DET", "PRON"} and c.dep in ARGUMENT_LABELS:
            category = "PRON"
        return category or "OTHER"


def reordered(source: Tokens, correction: Tokens) -> bool:
    """Whether 2 … 5 words, some of them misspelt, are the same in another order; both ends must move."""
    count = len(source)
    if count != len(correction) or not 2 <= count <= MOST_REORDERED:
        return False
    similar = [[spelt_alike(o.form, c.form, SIMILAR_IN_ORDER) for c in correction] for o in source]
    return all(map(any, similar)) and any(
        order[0] != 0 and order[-1] != count - 1 and all(similar[i][j] for i, j in enumerate(order))
        for order in permutations(range(count))
    )


@lru_cache(maxsize=1)
def letters() -> Letters:
    """Weights of letters: case 0.1, a diacritic 0.2, another diacritic or i for y 0.3, anything else 1."""
    known = [chr(code) for code in range(32, 127)] + list(MARKED)
    count = len(known) + 1  # one code for all other letters
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


@lru_cache(maxsize=1)
def _weight_rows() -> list[list[float]]:
    rows: list[list[float]] = letters().weights.tolist()
    return rows


def spelt_alike(one: str, other: str, limit: float = SIMILAR) -> bool:
    """Whether the weighted Levenshtein distance of two words, per letter, is below a limit."""
    size = len(one) + len(other)
    if 2 * abs(len(one) - len(other)) >= limit * size:  # that many insertions or deletions are needed
        return not size
    codes, rest, weights = letters().codes_of, len(letters().weights) - 1, _weight_rows()
    one_codes, other_codes = ([codes.get(letter, rest) for letter in word] for word in (one, other))
    if len(one) == len(other):
        distance = sum(map(lambda a, b: weights[a][b], one_codes, other_codes))
        if 2 * distance / size < limit:  # another alignment of the letters could only be cheaper
            return True
    row = [float(j) for j in range(len(other) + 1)]
    for code in one_codes:
        substitution, diagonal = weights[code], row[0]
        row[0] += 1
        for j, other_code in enumerate(other_codes, 1):
            above = row[j]
            row[j] = min(above + 1, row[j - 1] + 1, diagonal + substitution[other_code])
            diagonal = above
    return 2 * row[-1] / size < limit
