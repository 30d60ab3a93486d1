"""German error types (Boyd 2018): ERRANT's, with the parts of speech of UD, and FORM for each that inflects.

ADJ:FORM, ADV:FORM, AUX:FORM, DET:FORM, NOUN:FORM, PRON:FORM, VERB:FORM …; MORPH for another word with
the same stem.
"""

from __future__ import annotations

from typing import ClassVar

from errata.edits.inflected import Inflected, stem
from errata.edits.tagged_sentence import Token
from errata.edits.universal import without_diacritics

DEFINITE = {"der", "die", "das", "den", "dem", "des", "deren", "dessen", "denen"}
DETERMINER_ENDINGS = "e em en er es"
LINKS = ("", "s", "n", "en", "er", "es")  # between the parts of a compound
SHORTEST_PART = 4  # letters, of a compound's part


class German(Inflected):
    """German: compounds of listed words are not misspelt; all forms of an article are forms of one word."""

    endings: ClassVar[str] = (
        "e em en er ern es est et n s st t te tem ten ter test tes tet nd nde nden nder ndes ndem "
        "ung ungen heit heiten keit keiten lich ig isch bar sam schaft schaften in innen chen lein"
    )

    def is_misspelt(self, word: Token) -> bool:
        return super().is_misspelt(word) and not self.is_compound(word.lower)

    def is_compound(self, word: str) -> bool:
        """Whether the word is two words of the word list, perhaps with a linking element between them."""
        for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
            if word[cut:] in self.words:
                first = word[:cut]
                if any(first.endswith(link) and first.removesuffix(link) in self.words for link in LINKS):
                    return True
        return False

    def word(self, o: Token, c: Token) -> str:
        if c.upos in ("DET", "PRON") and o.upos in ("DET", "PRON") and _same_determiner(o.lower, c.lower):
            return f"{c.upos}:FORM"
        return super().word(o, c)

    def same_stem(self, o: Token, c: Token) -> bool:
        one, other = (without_diacritics(stem(word.lower, self.endings)) for word in (o, c))
        return one == other or one.removeprefix("ge") == other.removeprefix("ge")


def _same_determiner(one: str, other: str) -> bool:
    """Whether both are forms of der, or differ only in their endings: ein and einen, diese and dieser."""
    if one in DEFINITE or other in DEFINITE:
        return {one, other} <= DEFINITE
    return stem(one, DETERMINER_ENDINGS) == stem(other, DETERMINER_ENDINGS)
