"""Universal and Czech error types over strings, one edit at a time."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from difflib import SequenceMatcher
from itertools import permutations

import numpy as np
from rapidfuzz.distance import Indel

from errata.edits.tagged_sentence import TaggedSentence
from errata.edits.word_list import WordList
from oracles.errant_rules import Side, TypeRules

PUNCTUATION = str.maketrans("", "", "!#$%&()*+,-./:;<=>?@[\\]^_`{|}~")
QUOTES = str.maketrans("", "", '"„“ ')
RARE = frozenset({"SYM", "X", ""})
CLASS_OF_LABEL = {"amod": "ADJ", "advmod": "ADV", "det": "DET", "punct": "PUNCT"}
INFLECTED = frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"})
CZECH_INFLECTED = INFLECTED - {"DET"}
ARGUMENT_LABELS = frozenset({"nsubj", "nsubj:pass", "nsubjpass", "dobj", "pobj"})
TYPOGRAPHIC = str.maketrans(
    {"„": ",,", "“": '"', "”": '"', "‚": ",", "‘": "'", "’": "'", "–": "-", "—": "--", "«": "<<", "»": ">>"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE"}
)
Cost = Callable[[str, str], float]


class UniversalTypes(TypeRules):
    def __init__(self, words: WordList) -> None:
        self.words = words

    def category(self, sentence: TaggedSentence, token: int) -> str:
        return sentence.upos[token]

    def one_sided(self, side: Side) -> str:
        found = common_class(side.upos, side.deps)
        return found or ("VERB" if {*side.upos} == {"AUX", "VERB"} else "OTHER")

    def two_sided(self, o: Side, c: Side) -> str:
        kind = orthography(o.forms, c.forms) or self.order(o, c)
        if kind:
            return kind
        if len(o) == len(c) == 1:
            return self.word(o, c)
        kind = common_class(o.upos + c.upos, o.deps + c.deps)
        if kind:
            return kind
        if {*o.upos, *c.upos} == {"AUX", "VERB"}:
            return "VERB:INFL" if o.lemmas[-1] == c.lemmas[-1] else "VERB"
        return "OTHER"

    def order(self, o: Side, c: Side) -> str | None:
        return "WO" if sorted(o.lower) == sorted(c.lower) else None

    def word(self, o: Side, c: Side) -> str:
        one, other, form, correction = o.upos[0], c.upos[0], o.forms[0], c.forms[0]
        if form.isalpha() and len(self.words) and form not in self.words:
            if Indel.normalized_similarity(form.lower(), correction.lower()) > 0.5:
                return "SPELL"
        elif o.lemmas[0] == c.lemmas[0]:
            return f"{one}:INFL" if one == other and one in INFLECTED else "MORPH"
        return common_class((one, other), o.deps + c.deps) or "OTHER"


class CzechTypes(UniversalTypes):
    def __init__(self, words: WordList, stem: Callable[[str], str], cost: Cost) -> None:
        super().__init__(words)
        self.stem, self.cost = stem, cost

    def order(self, o: Side, c: Side) -> str | None:
        moved = reordered(o.forms, c.forms, self.cost)
        return super().order(o, c) or ("WO:SPELL" if moved else None)

    def word(self, o: Side, c: Side) -> str:
        one, other, form = o.upos[0], c.upos[0], o.forms[0]
        same = one if one == other and one not in RARE else None
        if form.isalpha() and len(self.words) and form not in self.words:
            alike = SequenceMatcher(None, form, c.forms[0]).ratio() > 0.5
            return "SPELL" if alike else same or "OTHER"
        if one == other == "VERB":
            return "VERB"
        if o.lemmas[0] == c.lemmas[0]:
            return f"{one}:INFL" if one == other and one in CZECH_INFLECTED else "MORPH"
        if {one, other} <= CZECH_INFLECTED and self.stem(form) == self.stem(c.forms[0]):
            return "MORPH"
        if same:
            return same
        if o.deps == c.deps and o.deps[0] in CLASS_OF_LABEL:
            return CLASS_OF_LABEL[o.deps[0]]
        if {one, other} == {"DET", "PRON"} and c.deps[0] in ARGUMENT_LABELS:
            return "PRON"
        return "OTHER"


def reordered(source: tuple[str, ...], target: tuple[str, ...], cost: Cost) -> bool:
    """Whether up to five words, some of them misspelt, are the same in another order; both ends must move."""
    count = len(source)
    if count != len(target) or not 2 <= count <= 5:
        return False
    near = [[np.float32(cost(a, b)) < 0.25 for b in target] for a in source]
    return any(
        order[0] != 0 and order[-1] != count - 1 and all(near[i][j] for i, j in enumerate(order))
        for order in permutations(range(count))
    )


def weighted_cost(one: str, other: str, weight: Cost) -> float:
    """Weighted character cost of two words, 0 … 2."""
    row = [float(j) for j in range(len(other) + 1)]
    for letter in one:
        before, row = row, [row[0] + 1]
        for j, theirs in enumerate(other):
            row.append(min(before[j + 1] + 1, row[j] + 1, before[j] + weight(letter, theirs)))
    return 2 * row[-1] / (len(one) + len(other)) if one or other else 0.0


def common_class(upos: tuple[str, ...], deps: tuple[str, ...]) -> str | None:
    if len({*upos}) == 1 and upos[0] not in RARE:
        return upos[0]
    return CLASS_OF_LABEL.get(deps[0]) if len({*deps}) == 1 else None


def orthography(source: tuple[str, ...], target: tuple[str, ...]) -> str | None:
    one, other = " ".join(source), " ".join(target)
    if one.translate(PUNCTUATION) == other.translate(PUNCTUATION):
        return "PUNCT"
    if _plain(one) == _plain(other):
        return "DIACR"
    if one.replace(" ", "").lower() == other.replace(" ", "").lower():
        if one.replace(" ", "") == other.replace(" ", ""):
            return "ORTH:WSPACE"
        return "ORTH:CASING" if one.lower() == other.lower() else "ORTH"
    return "QUOTATION" if one.translate(QUOTES) == other.translate(QUOTES) else None


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.translate(TYPOGRAPHIC))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
