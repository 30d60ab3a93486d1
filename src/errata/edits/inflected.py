"""The base of published schemes that extend ERRANT's types to an inflected language.

Operation × part of speech (of Universal Dependencies), and: PUNCT, ORTH (case and blanks), SPELL, WO, MORPH
(another part of speech from one stem), OTHER. Two forms of a word have a type of the language: NOUN:FORM.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from errata.edits.language import Tokens
from errata.edits.tagged_sentence import Token
from errata.edits.universal import Universal, are_signs, shared_class

SHORTEST = 3  # letters of a stem
# Parts of speech that taggers confuse, or that learners' errors make look different. The correction's counts.
AKIN = (
    {"DET", "PRON"},
    {"AUX", "VERB"},
    {"NOUN", "PROPN"},
    {"ADJ", "ADV"},
    {"ADJ", "VERB"},
    {"CCONJ", "SCONJ"},
)


class Inflected(Universal):
    """ERRANT's types without those of English; a language names its forms in `form`."""

    endings: ClassVar[str] = ""  # that may be removed, one after the other, to find the stem

    def orthography(self, source: Tokens, correction: Tokens) -> str | None:
        if are_signs((*source, *correction)):
            return "PUNCT"
        one, other = ("".join(word.lower for word in words) for words in (source, correction))
        return "ORTH" if one == other else None

    def word(self, o: Token, c: Token) -> str:
        if self.is_spelling(o, c):
            return "SPELL"
        same_word = o.lemma.lower() == c.lemma.lower()
        same_stem = same_word or self.same_stem(o, c)
        upos = _shared_upos(o, c, same_word, same_stem)
        if same_stem:
            return self.form(upos, o, c) if upos in self.inflected else upos or "MORPH"
        return upos or "OTHER"

    def form(self, upos: str, o: Token, c: Token) -> str:
        """The category of two forms of one word."""
        return f"{upos}:FORM"

    def same_stem(self, o: Token, c: Token) -> bool:
        """Whether two words come from one stem."""
        return stem(o.lower, self.endings) == stem(c.lower, self.endings)


def _shared_upos(o: Token, c: Token, same_word: bool, same_stem: bool) -> str:
    """The part of speech of both words; the correction's if they are forms of one word and akin."""
    pair = {o.upos, c.upos}
    if (same_word and pair in AKIN) or (same_stem and pair == {"DET", "PRON"}):
        return c.upos
    return shared_class((o, c)) or ""


def differing(o: Token, c: Token) -> set[str]:
    """The names of the grammatical features in which two words differ, if both have them."""
    one, other = features(o), features(c)
    return {name for name in one.keys() & other.keys() if one[name] != other[name]}


def features(word: Token) -> dict[str, str]:
    """The features of a tagged word: Case=Nom|Number=Sing."""
    return dict(pair.split("=", 1) for pair in word.tag.split("|") if "=" in pair)


@lru_cache(maxsize=1 << 14)
def stem(word: str, endings: str) -> str:
    """The word without endings; at least three letters remain."""
    parts = sorted(endings.split(), key=len, reverse=True)
    while ending := next((e for e in parts if word.endswith(e) and len(word) - len(e) >= SHORTEST), ""):
        word = word[: -len(ending)]
    return word
