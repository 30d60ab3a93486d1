"""French error types: ERRANT's, adapted; no scheme with data to compare with has been published.

DIACR for accents, CONTR for elision and contraction (le → l', de le → du), NOUN:NUM, DET:FORM, ADJ:FORM,
PRON:FORM, VERB:TENSE, VERB:SVA, VERB:AGR (of participles), VERB:FORM.
"""

from __future__ import annotations

from typing import ClassVar

from errata.edits.inflected import Inflected, differing_features, form_name
from errata.edits.language import Tokens
from errata.edits.tagged_sentence import Token
from errata.edits.universal import without_diacritics

APOSTROPHES = ("'", "’")
CONTRACTED = {"du": "de le", "des": "de les", "au": "à le", "aux": "à les"}
VERBAL = (
    ("VerbForm", "FORM"), ("Mood", "TENSE"), ("Tense", "TENSE"), ("Person", "SVA"), ("Gender", "AGR"),
    ("Number", "SVA"),
)  # fmt: skip


class French(Inflected):
    """French: accents, elision and contraction, and forms."""

    endings: ClassVar[str] = (
        "e s es x ent er ez é ée és ées ait ais aient ons ions iez ant ante ants antes ir it is ra rai ras "
        "ront ment ments tion tions eur eurs euse euses if ive ifs ives al aux elle eux ité ités able ables"
    )

    def orthography(self, source: Tokens, correction: Tokens) -> str | None:
        category = super().orthography(source, correction)
        if category:
            return category
        one, other = (" ".join(word.lower for word in side) for side in (source, correction))
        if without_diacritics(one) == without_diacritics(other):
            return "DIACR"
        return "CONTR" if _is_elision(one, other) or _is_elision(other, one) else None

    def form(self, upos: str, o: Token, c: Token) -> str:
        differing = differing_features(o, c)
        if upos in ("NOUN", "PROPN"):
            is_plural = "Number" in differing or o.lower.rstrip("sx") == c.lower.rstrip("sx")
            return "NOUN:NUM" if is_plural else "NOUN:FORM"
        if upos not in ("VERB", "AUX"):
            return f"{upos}:FORM"
        return f"VERB:{form_name(VERBAL, differing)}"


def _is_elision(full: str, short: str) -> bool:
    """Whether `short` is `full` with a vowel elided, or contracted with an article."""
    elided = short.endswith(APOSTROPHES) and len(short) > 1 and " " not in full
    return CONTRACTED.get(short) == full or (elided and full[:-1] == short[:-1] and full[-1] in "aei")
