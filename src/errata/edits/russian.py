"""Russian error types after RULEC-GEC (Rozovskaya & Roth 2019) and its automatic types (Rozovskaya 2022).

A form is named after the grammatical feature that differs: NOUN:CASE, NOUN:NUM, ADJ:CASE, ADJ:GENDER,
ADJ:NUM, PRON:CASE …, VERB:AGR (person, number, gender), VERB:TENSE, VERB:ASPECT, VERB:VOICE, VERB:FORM.
MORPH is RULEC's "word form", and a part of speech alone is its lexical choice.
"""

from __future__ import annotations

from typing import ClassVar

from errata.edits.inflected import SHORTEST_STEM, Inflected, differing_features, features, form_name, stem
from errata.edits.tagged_sentence import Token

# Names of forms by the feature that differs. The first in this order counts.
NOMINAL = (("Case", "CASE"), ("Number", "NUM"), ("Gender", "GENDER"), ("Degree", "FORM"))
VERBAL = (
    ("VerbForm", "FORM"), ("Voice", "VOICE"), ("Aspect", "ASPECT"), ("Mood", "TENSE"), ("Tense", "TENSE"),
    ("Person", "AGR"), ("Number", "AGR"), ("Gender", "AGR"),
)  # fmt: skip
REFLEXIVE = ("ся", "сь")
PREFIXES = ("вы", "до", "за", "из", "на", "о", "об", "от", "по", "под", "при", "про", "раз", "рас", "с", "у")


class Russian(Inflected):
    """Russian: types of forms by case, number, gender, tense, aspect and voice."""

    endings: ClassVar[str] = (
        "а я о е ё ы и у ю ь й ой ей ом ем ам ям ах ях ов ев ами ями ого его ому ему ый ий ая яя ое ее ые ие "
        "ую юю ых их ым им ыми ими ть л ла ло ли н на но ны нн т ет ит ют ут ат ят ешь ишь ете ите ем им "
        "ост ств ни ени ани ск н к ива ыва ва ся сь вш ш ущ ющ ащ ящ"
    )

    def word(self, o: Token, c: Token) -> str:
        verbs = {o.upos, c.upos} <= {"VERB", "AUX"}
        if verbs and not self.is_spelling(o, c) and o.lemma != c.lemma:
            if _without_reflexive(o.lemma) == _without_reflexive(c.lemma):
                return "VERB:VOICE"
            if self.is_aspect_pair(o, c):
                return "VERB:ASPECT"
        return super().word(o, c)

    def is_aspect_pair(self, o: Token, c: Token) -> bool:
        """Whether two verbs differ only in aspect: делать and сделать, решать and решить."""
        if features(o).get("Aspect") == features(c).get("Aspect"):
            return False
        bare = (without_prefix(_without_reflexive(word.lemma.lower())) for word in (o, c))
        one, other = (stem(word, self.endings) for word in bare)
        return one == other

    def form(self, upos: str, o: Token, c: Token) -> str:
        differing = differing_features(o, c)
        if upos in ("VERB", "AUX") and not {"Case"} & features(o).keys() & features(c).keys():
            return f"VERB:{form_name(VERBAL, differing)}"
        group = {"PROPN": "NOUN", "DET": "ADJ", "VERB": "ADJ", "AUX": "ADJ"}.get(upos, upos)
        if group == "NOUN":  # its gender does not change
            return "NOUN:NUM" if "Number" in differing and "Case" not in differing else "NOUN:CASE"
        return f"{group}:{form_name(NOMINAL, differing)}"


def _without_reflexive(word: str) -> str:
    """The verb without -ся."""
    return word[:-2] if word.endswith(REFLEXIVE) else word


def without_prefix(word: str) -> str:
    """The word without a prefix, if at least `SHORTEST_STEM` letters remain."""
    prefix = next((p for p in PREFIXES if word.startswith(p) and len(word) - len(p) >= SHORTEST_STEM), "")
    return word.removeprefix(prefix)
