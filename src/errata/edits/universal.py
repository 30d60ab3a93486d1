"""Types for any language with universal parts of speech; without a tagger, the orthographic ones alone.

Operation × part of speech, and: ORTH:CASING, ORTH:WSPACE, DIACR, PUNCT, QUOTATION, SPELL, WO, POS:INFL,
MORPH, OTHER. SPELL needs a word list; without one no word is taken for misspelt.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rapidfuzz.distance import Indel

from errata.edits.alignment import Aligner, CostModel
from errata.edits.merging import MergeRules
from errata.edits.rules import Side, SideRules
from errata.edits.words import WordList

PUNCTUATION = str.maketrans("", "", "!#$%&()*+,-./:;<=>?@[\\]^_`{|}~")  # ASCII without quotation marks
QUOTES = str.maketrans("", "", '"„“ ')
RARE = frozenset({"SYM", "X", ""})  # parts of speech that make uninformative types
CLASS_OF_LABEL = {"amod": "ADJ", "advmod": "ADV", "det": "DET", "punct": "PUNCT"}
INFLECTED = frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"})


def aligner() -> Aligner:
    return Aligner(CostModel.EXACT)


def merge_rules() -> MergeRules:
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "AUX", "NOUN", "PROPN", "VERB"}), phrase=("AUX", "PART", "VERB")
    )


def types(words: WordList) -> UniversalTypes:
    return UniversalTypes(words)


class UniversalTypes(SideRules):
    """Types of edits in any language: an operation (M, U, R) and a category."""

    def __init__(self, words: WordList) -> None:
        self.words = words

    def one_sided(self, side: Side) -> str:
        return common_class(side.upos, side.deps) or (
            "VERB" if set(side.upos) == {"AUX", "VERB"} else "OTHER"
        )

    def two_sided(self, o: Side, c: Side) -> str:
        kind = orthography(o.forms, c.forms)
        if kind:
            return kind
        kind = self.order(o, c)
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
        """Whether the words only changed places."""
        return "WO" if sorted(o.lower) == sorted(c.lower) else None

    def word(self, o: Side, c: Side) -> str:
        """A word for a word."""
        one, other = o.upos[0], c.upos[0]
        form, correction = o.forms[0], c.forms[0]
        if form.isalpha() and len(self.words) and form not in self.words:
            if Indel.normalized_similarity(form.lower(), correction.lower()) > 0.5:
                return "SPELL"
        elif o.lemmas[0] == c.lemmas[0]:
            return f"{one}:INFL" if one == other and one in INFLECTED else "MORPH"
        return common_class((one, other), o.deps + c.deps) or "OTHER"


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
    return unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHIC)).translate(_MARKS)


class _Marks(dict[int, int | None]):
    """What stays of every character: nothing of a combining mark. Found when it is first seen."""

    def __missing__(self, code: int) -> int | None:
        kept = self[code] = None if unicodedata.combining(chr(code)) else code
        return kept


_MARKS = _Marks()
_TYPOGRAPHIC = str.maketrans(
    {"„": ",,", "“": '"', "”": '"', "‚": ",", "‘": "'", "’": "'", "–": "-", "—": "--", "«": "<<", "»": ">>"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE"}
)
