"""Types for any language with universal parts of speech; without a tagger, only the orthographic ones.

A type is an operation and a part of speech, or ORTH:CASING, ORTH:WSPACE, ORTH, DIACR, PUNCT,
QUOTATION, SPELL, WO, POS:INFL, MORPH or OTHER. SPELL needs a word list.
"""

from __future__ import annotations

import unicodedata
from typing import ClassVar

from rapidfuzz.distance import Indel

from errata.edits.language import Language, TaggedEdit, Tokens
from errata.edits.tagged_sentence import Token

PUNCTUATION = str.maketrans("", "", "!#$%&()*+,-./:;<=>?@[\\]^_`{|}~")  # ASCII without quotation marks
QUOTES = str.maketrans("", "", '"„“ ')
TYPOGRAPHIC = str.maketrans(
    {"„": ",,", "“": '"', "”": '"', "‚": ",", "‘": "'", "’": "'", "–": "-", "—": "--", "«": "<<", "»": ">>"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE"}
)
RARE = frozenset({"SYM", "X", ""})  # parts of speech that would be uninformative types
CLASS_OF_LABEL = {"amod": "ADJ", "advmod": "ADV", "det": "DET", "punct": "PUNCT"}


class Universal(Language):
    """Any language: an operation (M, U, R) and a category."""

    content = frozenset({"ADJ", "ADV", "AUX", "NOUN", "PROPN", "VERB"})
    phrase = frozenset({"AUX", "PART", "VERB"})
    signs_are_punctuation: ClassVar[bool] = True  # whichever part of speech the tagger assigns
    inflected: ClassVar[frozenset[str]] = frozenset(
        {"ADJ", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"}
    )

    def one_sided(self, words: Tokens) -> str:
        if self.signs_are_punctuation and are_signs(words):
            return "PUNCT"
        return shared_class(words) or ("VERB" if _is_verb_phrase(words) else "OTHER")

    def replacement(self, source: Tokens, correction: Tokens, edit: TaggedEdit) -> str:
        category = self.orthography(source, correction) or self.order(source, correction)
        if category:
            return category
        if len(source) == len(correction) == 1:
            return self.word(source[0], correction[0])
        words = (*source, *correction)
        category = shared_class(words)
        if category is None and _is_verb_phrase(words):
            category = "VERB:INFL" if source[-1].lemma == correction[-1].lemma else "VERB"
        return category or "OTHER"

    def orthography(self, source: Tokens, correction: Tokens) -> str | None:
        """The category of a change of punctuation, case, blanks or diacritics."""
        signs = self.signs_are_punctuation and are_signs((*source, *correction))
        return orthography(source, correction) or ("PUNCT" if signs else None)

    def order(self, source: Tokens, correction: Tokens) -> str | None:
        """The category of words in another order."""
        same = sorted(word.lower for word in source) == sorted(word.lower for word in correction)
        return "WO" if same else None

    def word(self, o: Token, c: Token) -> str:
        """The category of one word for another."""
        if self.is_spelling(o, c):
            return "SPELL"
        if o.lemma == c.lemma and not self.only_second_is_listed(o, c):
            return self.same_lemma(o, c)
        return shared_class((o, c)) or "OTHER"

    def is_spelling(self, o: Token, c: Token) -> bool:
        """Whether a similar word replaces one that is misspelt."""
        return self.only_second_is_listed(o, c) and Indel.normalized_similarity(o.lower, c.lower) > 0.5

    def only_second_is_listed(self, o: Token, c: Token) -> bool:
        """Whether the word list has the second word and lacks the first."""
        return self.is_misspelt(o) and not self.is_misspelt(c)

    def same_lemma(self, o: Token, c: Token) -> str:
        """The category of two forms of one word."""
        return f"{o.upos}:INFL" if o.upos == c.upos and o.upos in self.inflected else "MORPH"


class Ukrainian(Universal):
    """Universal types; as in UA-GEC, variants chosen for euphony (у and в, і and й) are SPELL."""

    euphonic: ClassVar[tuple[set[str], ...]] = (
        {"у", "в", "уві"}, {"і", "й"}, {"з", "із", "зі"}, {"би", "б"}, {"же", "ж"}, {"під", "піді"},
    )  # fmt: skip

    def is_spelling(self, o: Token, c: Token) -> bool:
        return any({o.lower, c.lower} <= words for words in self.euphonic) or super().is_spelling(o, c)


def orthography(source: Tokens, correction: Tokens) -> str | None:
    """The categories that depend on characters alone: punctuation, diacritics, blanks, case, quotes."""
    one, other = (" ".join([word.form for word in words]) for words in (source, correction))
    if one.translate(PUNCTUATION) == other.translate(PUNCTUATION):
        return "PUNCT"
    if without_diacritics(one) == without_diacritics(other):
        return "DIACR"
    if one.replace(" ", "") == other.replace(" ", ""):
        return "ORTH:WSPACE"
    lower, other_lower = ([word.lower for word in words] for words in (source, correction))
    if lower == other_lower:
        return "ORTH:CASING"
    if "".join(lower) == "".join(other_lower):
        return "ORTH"
    return "QUOTATION" if one.translate(QUOTES) == other.translate(QUOTES) else None


def are_signs(words: Tokens) -> bool:
    """Whether no word has a letter or a digit."""
    return not any(any(map(str.isalnum, word.form)) for word in words)


def without_diacritics(text: str) -> str:
    """The text without diacritics (é → e), with typographic signs in ASCII (… → ...)."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text.translate(TYPOGRAPHIC))
    return "".join(part for part in parts if not unicodedata.combining(part))


def shared_class(words: Tokens) -> str | None:
    """The part of speech that all words share, or the one that their shared dependency label implies."""
    upos, dep = words[0].upos, words[0].dep
    if upos not in RARE and all(word.upos == upos for word in words):
        return upos
    return CLASS_OF_LABEL.get(dep) if all(word.dep == dep for word in words) else None


def _is_verb_phrase(words: Tokens) -> bool:
    return {word.upos for word in words} == {"AUX", "VERB"}
