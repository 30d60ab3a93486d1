"""Types for any language with universal parts of speech; without a tagger, the orthographic ones alone.

Operation × part of speech, and: ORTH:CASING, ORTH:WSPACE, DIACR, PUNCT, QUOTATION, SPELL, WO, POS:INFL,
MORPH, OTHER. SPELL needs a word list; without one no word is taken for misspelt.
"""

from __future__ import annotations

from rapidfuzz.distance import Indel

from errata.edits.alignment import Aligner, Comparison
from errata.edits.czech import common_class, orthography
from errata.edits.merging import MergeRules
from errata.edits.rules import Side, TypeRules
from errata.edits.tokens import TaggedSentence
from errata.edits.words import WordList

INFLECTED = frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"})


def aligner() -> Aligner:
    return Aligner(Comparison.EXACT)


def merge_rules() -> MergeRules:
    verbal = frozenset({"AUX", "PART", "VERB"})
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "AUX", "NOUN", "PROPN", "VERB"}),
        one_verb=lambda kinds, same_number: not same_number and kinds <= verbal,
        similar=lambda one, other: 1 - Indel.normalized_distance(one, other) > 0.75,
    )


def types(words: WordList) -> UniversalTypes:
    return UniversalTypes(words)


class UniversalTypes(TypeRules):
    """Types of edits in any language: an operation (M, U, R) and a category."""

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
        if len(o) == len(c) == 1:
            return self._word(o, c)
        kind = common_class(o.upos + c.upos, o.deps + c.deps)
        if kind:
            return kind
        if {*o.upos, *c.upos} == {"AUX", "VERB"}:
            return "VERB:INFL" if o.lemmas[-1] == c.lemmas[-1] else "VERB"
        return "OTHER"

    def _word(self, o: Side, c: Side) -> str:
        one, other = o.upos[0], c.upos[0]
        form, correction = o.forms[0], c.forms[0]
        if form.isalpha() and len(self.words) and form not in self.words:
            if Indel.normalized_similarity(form.lower(), correction.lower()) > 0.5:
                return "SPELL"
        elif o.lemmas[0] == c.lemmas[0]:
            return f"{one}:INFL" if one == other and one in INFLECTED else "MORPH"
        return common_class((one, other), o.deps + c.deps) or "OTHER"
