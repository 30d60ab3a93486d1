"""Turkish error types after ERRANT-TR (Uz & Eryiğit 2023): ERRANT's, with the suffixes of nouns and verbs.

NOUN:CASE, NOUN:NUM, NOUN:POSS, VERB:TENSE, VERB:SVA, VERB:FORM …; DIACR for missing or wrong
diacritics (cok for çok). de, ki and mi wrongly joined or separated are ORTH.
"""

from __future__ import annotations

from typing import ClassVar

from errata.edits.inflected import Inflected, differing_features, features, form_name
from errata.edits.language import Tokens
from errata.edits.tagged_sentence import Token
from errata.edits.universal import without_diacritics

POSSESSED = "Person[psor]"  # person of the possessor: evim, my house
NOMINAL = (
    ("Case", "CASE"), (POSSESSED, "POSS"), ("Number[psor]", "POSS"), ("Number", "NUM"),
)  # fmt: skip
VERBAL = (
    ("VerbForm", "FORM"), ("Voice", "FORM"), ("Person", "SVA"), ("Number", "SVA"),
    ("Tense", "TENSE"), ("Aspect", "TENSE"), ("Mood", "TENSE"),
)  # fmt: skip
DOTLESS = str.maketrans("ıİ", "ii")


class Turkish(Inflected):
    """Turkish: case, possession, number, tense and person, by the features of both forms."""

    endings: ClassVar[str] = (
        "ı i u ü a e yı yi yu yü ya ye nı ni nu nü na ne da de ta te dan den tan ten ın in un ün nın nin nun "
        "nün lar ler ım im um üm ımız imiz umuz ümüz sı si su sü ları leri la le yla yle ca ce lı li lu lü "
        "lık lik luk lük cı ci cu cü sız siz suz süz mak mek ma me dı di du dü tı ti tu tü yor ar er ır ir "
        "ur ür acak ecek mış miş muş müş k m n z"
    )

    def orthography(self, source: Tokens, correction: Tokens) -> str | None:
        category = super().orthography(source, correction)
        if category is None and len(source) == len(correction) == 1 and self.is_misspelt(source[0]):
            words = (source[0].lower, correction[0].lower)
            one, other = (without_diacritics(word).translate(DOTLESS) for word in words)
            return "DIACR" if one == other else None
        return category

    def form(self, upos: str, o: Token, c: Token) -> str:
        differing = differing_features(o, c)
        if (POSSESSED in features(o)) != (POSSESSED in features(c)):
            differing.add(POSSESSED)
        rules = VERBAL if upos in ("VERB", "AUX") else NOMINAL
        group = "NOUN" if upos == "PROPN" else upos
        return f"{group}:{form_name(rules, differing)}"
