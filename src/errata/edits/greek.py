"""Greek error types after ELERRANT (Korre, Chatzipanagiotou & Pavlopoulos 2021).

ERRANT's, with ACC for accents, FN for the final ν (τη or την), and for forms NOUN:FORM, ADJ:FORM, DET:FORM,
PRON:FORM, VERB:FORM, VERB:TENSE, VERB:SVA.
"""

from __future__ import annotations

from typing import ClassVar

from errata.edits.inflected import Inflected, differing_features
from errata.edits.language import Tokens
from errata.edits.tagged_sentence import Token
from errata.edits.universal import without_diacritics


class Greek(Inflected):
    """Greek: accents, the final ν, and forms."""

    endings: ClassVar[str] = (
        "ος ου ο οι ων ους α ας ες η ης ω εις ει ουμε ετε ουν ουνε αμε ατε αν ε ι ια ιου ιων μα ματος ματα "
        "ματων ικος ικη ικο ικα μενος μενη μενο σα σω σει σεις θηκα θηκε ομαι εσαι εται ονται ς ν"
    )

    def orthography(self, source: Tokens, correction: Tokens) -> str | None:
        category = super().orthography(source, correction)
        one, other = (" ".join(word.lower for word in side) for side in (source, correction))
        same_letters = without_diacritics(one) == without_diacritics(other)
        return category or ("ACC" if same_letters else None)

    def word(self, o: Token, c: Token) -> str:
        short, long = sorted((o.lower, c.lower), key=len)
        return "FN" if long == short + "ν" and len(short) > 1 else super().word(o, c)

    def form(self, upos: str, o: Token, c: Token) -> str:
        if upos not in ("VERB", "AUX"):
            return f"{upos}:FORM"
        differing = differing_features(o, c)
        if differing & {"Tense", "Aspect", "Mood"}:
            return f"{upos}:TENSE"
        return (
            f"{upos}:SVA"
            if differing & {"Person", "Number"} and "VerbForm" not in differing
            else f"{upos}:FORM"
        )

    def same_stem(self, o: Token, c: Token) -> bool:
        bare = (o._replace(lower=without_diacritics(o.lower)), c._replace(lower=without_diacritics(c.lower)))
        return super().same_stem(*bare)
