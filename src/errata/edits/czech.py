"""Czech error types (Náplava, Straka, Straková & Rosen 2022, Table 4)."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations

import numpy as np

from errata.edits.alignment import Aligner, Comparison, Letters
from errata.edits.merging import MergeRules
from errata.edits.rules import Side, TypeRules
from errata.edits.stemming import czech as stem
from errata.edits.tokens import TaggedSentence
from errata.edits.words import WordList

MARKED = dict(zip("áčďéěíňóřšťúůýž", "acdeeinorstuuyz", strict=True))  # letters with a diacritic → without
MARKED |= {letter.upper(): base.upper() for letter, base in MARKED.items()}

PUNCTUATION = str.maketrans("", "", "!#$%&()*+,-./:;<=>?@[\\]^_`{|}~")  # ASCII without quotation marks
QUOTES = str.maketrans("", "", '"„“ ')
RARE = frozenset({"SYM", "X", ""})  # parts of speech that make uninformative types
INFLECTED = frozenset({"ADJ", "ADV", "AUX", "NOUN", "NUM", "PRON", "PROPN", "VERB"})
CLASS_OF_LABEL = {"amod": "ADJ", "advmod": "ADV", "det": "DET", "punct": "PUNCT"}
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
    return Aligner(Comparison.SIMILAR, letters())


def merge_rules() -> MergeRules:
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "NOUN", "VERB"}),
        one_verb=lambda kinds, same_number: kinds == {"PART", "VERB"},
        similar=lambda one, other: character_cost(one, other) < SIMILAR,
    )


def types(words: WordList) -> CzechTypes:
    return CzechTypes(words)


class CzechTypes(TypeRules):
    """Types of Czech edits: an operation (M, U, R) and a category of GECCC."""

    def __init__(self, words: WordList) -> None:
        self.words = words

    def category(self, sentence: TaggedSentence, token: int) -> str:
        return sentence.upos[token]

    def one_sided(self, side: Side) -> str:
        return common_class(side.upos, side.deps) or (
            "VERB" if set(side.upos) == {"AUX", "VERB"} else "OTHER"
        )

    def two_sided(self, o: Side, c: Side) -> str:
        kind = orthography(o.forms, c.forms)
        if kind:
            return kind
        if sorted(o.lower) == sorted(c.lower):
            return "WO"
        if reordered(o.forms, c.forms):
            return "WO:SPELL"
        if len(o) == len(c) == 1:
            return self._word(o, c)
        kind = common_class(o.upos + c.upos, o.deps + c.deps)
        if kind:
            return kind
        if {*o.upos, *c.upos} == {"AUX", "VERB"}:
            return "VERB:INFL" if o.lemmas[-1] == c.lemmas[-1] else "VERB"
        return "OTHER"

    def _word(self, o: Side, c: Side) -> str:
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


def common_class(upos: tuple[str, ...], deps: tuple[str, ...]) -> str | None:
    """The part of speech all words share, or the one their shared dependency label implies."""
    if len(set(upos)) == 1 and upos[0] not in RARE:
        return upos[0]
    return CLASS_OF_LABEL.get(deps[0]) if len(set(deps)) == 1 else None


def orthography(source: tuple[str, ...], target: tuple[str, ...]) -> str | None:
    """The types that look at letters alone: punctuation, diacritics, blanks, case, quotation marks."""
    one, other = " ".join(source), " ".join(target)
    if one.translate(PUNCTUATION) == other.translate(PUNCTUATION):
        return "PUNCT"
    if without_diacritics(one) == without_diacritics(other):
        return "DIACR"
    if one.replace(" ", "").lower() == other.replace(" ", "").lower():
        if one.replace(" ", "") == other.replace(" ", ""):
            return "ORTH:WSPACE"
        return "ORTH:CASING" if one.lower() == other.lower() else "ORTH"
    if one.translate(QUOTES) == other.translate(QUOTES):
        return "QUOTATION"
    return None


@lru_cache(maxsize=1 << 14)
def without_diacritics(text: str) -> str:
    """The text with its marks stripped (é → e) and typographic signs in ASCII (… → ...)."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHIC))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


_TYPOGRAPHIC = str.maketrans(
    {"„": ",,", "“": '"', "”": '"', "‚": ",", "‘": "'", "’": "'", "–": "-", "—": "--", "«": "<<", "»": ">>"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE"}
)


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
