"""The base class of schemes that extend ERRANT's types to an inflected language.

A type is an operation and a part of speech of Universal Dependencies, or PUNCT, ORTH (case and blanks),
SPELL, WO, MORPH (another part of speech with the same stem) or OTHER. Two forms of one word have a type
that the language defines, such as NOUN:FORM.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import ClassVar

from errata.edits.language import Tokens
from errata.edits.tagged_sentence import Token
from errata.edits.universal import Universal, are_signs, shared_class

SHORTEST_STEM = 3  # letters
# Parts of speech that taggers confuse, also because of the learner's error. The correction's is used.
CONFUSED = (
    {"DET", "PRON"},
    {"AUX", "VERB"},
    {"NOUN", "PROPN"},
    {"ADJ", "ADV"},
    {"ADJ", "VERB"},
    {"CCONJ", "SCONJ"},
)


class Inflected(Universal):
    """ERRANT's types except those of English alone; a language overrides `form` to name its forms."""

    endings: ClassVar[str] = ""  # removed one after another to find the stem

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
        """Whether two words have the same stem."""
        return stem(o.lower, self.endings) == stem(c.lower, self.endings)


def _shared_upos(o: Token, c: Token, same_word: bool, same_stem: bool) -> str:
    """The part of speech of both words; the correction's if taggers confuse those of forms of one word."""
    pair = {o.upos, c.upos}
    if (same_word and pair in CONFUSED) or (same_stem and pair == {"DET", "PRON"}):
        return c.upos
    return shared_class((o, c)) or ""


def differing_features(o: Token, c: Token) -> set[str]:
    """The names of the grammatical features that both words have with different values."""
    one, other = features(o), features(c)
    return {name for name in one.keys() & other.keys() if one[name] != other[name]}


def features(word: Token) -> dict[str, str]:
    """The features of a tagged word: Case=Nom|Number=Sing."""
    return dict(pair.split("=", 1) for pair in word.tag.split("|") if "=" in pair)


def form_name(names: Iterable[tuple[str, str]], differing: set[str]) -> str:
    """What the first feature that differs, in the order of `names`, makes of a form; FORM if none does."""
    return next((name for feature, name in names if feature in differing), "FORM")


@lru_cache(maxsize=1 << 14)
def stem(word: str, endings: str) -> str:
    """The word without endings, and at least `SHORTEST_STEM` letters long."""
    longest_first = sorted(endings.split(), key=len, reverse=True)
    while ending := next(
        (e for e in longest_first if word.endswith(e) and len(word) - len(e) >= SHORTEST_STEM), ""
    ):
        word = word[: -len(ending)]
    return word
