"""Czech error types (Náplava, Straka, Straková & Rosen 2022, Table 4)."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations

import numpy as np

from errata.edits.alignment import Aligner, CostModel, Letters
from errata.edits.language import Tokens
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
        return _spelt_alike(source, correction)

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
    similar = [[_spelt_alike(o.form, c.form, SIMILAR_IN_ORDER) for c in correction] for o in source]
    return all(map(any, similar)) and any(
        order[0] != 0 and order[-1] != count - 1 and all(similar[i][j] for i, j in enumerate(order))
        for order in permutations(range(count))
    )


@lru_cache(maxsize=1)
def letters() -> Letters:
    """Weights of letters: case 0.1, a diacritic 0.2, another diacritic or i for y 0.3, anything else 1."""
    listed = [chr(code) for code in range(32, 127)] + list(MARKED)
    count = len(listed) + 1  # one code for all other letters
    weights = np.ones((count, count))
    for i, one in enumerate(listed):
        for j, other in enumerate(listed):
            if one == other:
                weights[i, j] = 0
            elif one.lower() == other.lower():
                weights[i, j] = 0.1
            elif MARKED.get(one) == other or MARKED.get(other) == one:
                weights[i, j] = 0.2
            elif (one in MARKED and MARKED[one] == MARKED.get(other)) or {one, other} <= set("iíyý"):
                weights[i, j] = 0.3
    weights[-1, -1] = 0
    return Letters({letter: i for i, letter in enumerate(listed)}, weights)


@lru_cache(maxsize=1)
def _weight_rows() -> list[list[float]]:
    rows: list[list[float]] = letters().weights.tolist()
    return rows


def _spelt_alike(one: str, other: str, limit: float = SIMILAR) -> bool:
    """Whether the weighted Levenshtein distance of two words, per letter, is below a limit."""
    size = len(one) + len(other)
    if 2 * abs(len(one) - len(other)) >= limit * size:  # that many insertions or deletions are needed
        return not size
    codes, rest, weights = letters().codes_of, len(letters().weights) - 1, _weight_rows()
    one_codes, other_codes = ([codes.get(letter, rest) for letter in word] for word in (one, other))
    if len(one) == len(other):
        distance = sum(map(lambda a, b: weights[a][b], one_codes, other_codes))
        if 2 * distance / size < limit:  # other alignments of the letters cost at most as much
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


# -- the stemmer -------------------------------------------------------------------------------------

# Czech endings. Inflection: declension of nouns, adjectives and pronouns, conjugation, comparison.
# Derivation: productive suffixes without inflectional endings.
_INFLECTION = """
ejšího ejšímu ejšími ějšího ějšímu ějšími ejších ějších ejšího ejším ějším ejší ější
ovými ového ovému ových ovém ovou ovým ové ový ová
ámi ého ému ými ích ími ého ech ách ami emi ěmi ata aty atům atech ech ete ěte íte áte eme ěme íme áme
ují uje uju ovi ové ala ali alo aly ila ili ilo ily ela eli elo ely ěla ěli ělo ěly
ám ím ým ém em ům ou ál al il el ěl át it et ět ít at á é í ý ě a e i o u y ů
"""
_DERIVATION = """
ovatel itel atel ovník stv ctv ovišt išt ovan ován ován ouc íc ýn
nost ost teln ovsk nick ick sk ck ist ism ník nic ník ář ař ač áč ec ek ík ic k
ován ání en an án ěn n ov ův in iv av it l
"""
_PALATAL = {"c": "k", "č": "k", "z": "h", "ž": "h"}  # ruka, ruce, ručka; noha, noze, nožka


def _by_length(endings: str) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(endings.split()), key=len, reverse=True))


_ENDINGS = (_by_length(_INFLECTION), _by_length(_DERIVATION))
_SHORTEST = 3  # letters of a stem


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """The stem of a Czech word: without ending and suffix, and with a final velar before palatalisation."""
    text = word.lower()
    if not text.isalpha():
        return text
    for endings in _ENDINGS:
        for ending in endings:
            if text.endswith(ending) and len(text) - len(ending) >= _SHORTEST:
                text = text[: -len(ending)]
                break
    return text[:-1] + _PALATAL.get(text[-1], text[-1])
