"""Rules of single languages: tagged words in, types out."""

from __future__ import annotations

import pytest

from errata.edits.language import TaggedEdit, WordList, language
from errata.edits.tagged_sentence import Token

WORDS = {
    "de": "ich du die der das ein einen gehe geht schule wohnung schön schnell umwelt schutz dass für haus",
    "ru": "книга книгу новый новая делать сделать вернул вернулся читает читают хорошо хороший",
    "el": "τη την καλός καλή γράφω έγραψα λέξη",
    "tr": "ev evler eve evim geliyorum geldim çok",
    "fr": "le l' la maisons maison été grand grande va vont du de",
}


def words(text: str) -> list[Token]:
    """Words as `form/lemma/UPOS/features`."""
    tokens = []
    for part in text.split():
        form, lemma, upos, feats = (*part.split("/"), "", "", "")[:4]
        tokens.append(Token(form, form.lower(), lemma or form.lower(), upos, feats, ""))
    return tokens


@pytest.mark.parametrize(
    ("code", "source", "correction", "expected"),
    [
        # German: Boyd (2018)
        ("de", "die/der/DET", "das/der/DET", "R:DET:FORM"),
        ("de", "ein/ein/DET", "einen/ein/DET", "R:DET:FORM"),
        ("de", "ein/ein/DET", "der/der/DET", "R:DET"),
        ("de", "das/das/PRON", "die/der/DET", "R:DET:FORM"),
        ("de", "schule/schule/NOUN", "Schule/Schule/NOUN", "R:ORTH"),
        ("de", "um welt/welt/NOUN", "Umwelt/Umwelt/NOUN", "R:ORTH"),
        ("de", "gehe/gehen/VERB", "geht/gehen/VERB", "R:VERB:FORM"),
        ("de", "hat/haben/VERB", "haben/haben/AUX", "R:AUX:FORM"),
        ("de", "shule/shule/NOUN", "Schule/Schule/NOUN", "R:SPELL"),
        ("de", "Umweltschutz/Umweltschutz/NOUN", "Umwelt/Umwelt/NOUN", "R:NOUN"),  # a compound is right
        ("de", "schön/schön/ADJ", "Schönheit/Schönheit/NOUN", "R:MORPH"),
        ("de", "in/in/ADP", "an/an/ADP", "R:ADP"),
        ("de", "", ",/,/PUNCT", "M:PUNCT"),
        ("de", "./././PUNCT", "!/!/PUNCT", "R:PUNCT"),
        ("de", "ich/ich/PRON gehe/gehen/VERB", "gehe/gehen/VERB ich/ich/PRON", "R:WO"),
        # Russian: the feature that differs
        ("ru", "книга/книга/NOUN/Case=Nom", "книгу/книга/NOUN/Case=Acc", "R:NOUN:CASE"),
        ("ru", "книга/книга/NOUN/Number=Sing", "книги/книга/NOUN/Number=Plur", "R:NOUN:NUM"),
        ("ru", "новый/новый/ADJ/Gender=Masc", "новая/новый/ADJ/Gender=Fem", "R:ADJ:GENDER"),
        ("ru", "читает/читать/VERB/Number=Sing", "читают/читать/VERB/Number=Plur", "R:VERB:AGR"),
        ("ru", "делать/делать/VERB/Aspect=Imp", "сделать/сделать/VERB/Aspect=Perf", "R:VERB:ASPECT"),
        ("ru", "вернул/вернуть/VERB/Voice=Act", "вернулся/вернуться/VERB/Voice=Mid", "R:VERB:VOICE"),
        ("ru", "хорошо/хорошо/ADV", "хороший/хороший/ADJ", "R:MORPH"),
        ("ru", "харошо/харошо/ADV", "хорошо/хорошо/ADV", "R:SPELL"),
        # Greek: accents, the final ν, tenses
        ("el", "λεξη/λεξη/NOUN", "λέξη/λέξη/NOUN", "R:ACC"),
        ("el", "τη/ο/DET", "την/ο/DET", "R:FN"),
        ("el", "γράφω/γράφω/VERB/Tense=Pres", "έγραψα/γράφω/VERB/Tense=Past", "R:VERB:TENSE"),
        ("el", "καλός/καλός/ADJ", "καλή/καλός/ADJ", "R:ADJ:FORM"),
        # Turkish: suffixes
        ("tr", "evler/ev/NOUN/Case=Nom|Number=Plur", "eve/ev/NOUN/Case=Dat|Number=Sing", "R:NOUN:CASE"),
        ("tr", "ev/ev/NOUN/Case=Nom", "evim/ev/NOUN/Case=Nom|Person[psor]=1", "R:NOUN:POSS"),
        ("tr", "geldim/gel/VERB/Tense=Past", "geliyorum/gel/VERB/Tense=Pres", "R:VERB:TENSE"),
        ("tr", "cok/cok/ADV", "çok/çok/ADV", "R:DIACR"),
        ("tr", "bende/ben/PRON", "ben/ben/PRON de/de/PART", "R:ORTH"),
        # French
        ("fr", "le/le/DET", "l'/le/DET", "R:CONTR"),
        ("fr", "de/de/ADP le/le/DET", "du/de/ADP", "R:CONTR"),
        ("fr", "ete/ete/NOUN", "été/été/NOUN", "R:DIACR"),
        ("fr", "maison/maison/NOUN/Number=Sing", "maisons/maison/NOUN/Number=Plur", "R:NOUN:NUM"),
        ("fr", "grand/grand/ADJ", "grande/grand/ADJ", "R:ADJ:FORM"),
        ("fr", "va/aller/VERB/Number=Sing|Person=3", "vont/aller/VERB/Number=Plur|Person=3", "R:VERB:SVA"),
    ],
)  # fmt: skip
def test_types(code: str, source: str, correction: str, expected: str) -> None:
    rules = language(code, WordList("test", frozenset(WORDS[code].split())))

    def no_places() -> None:
        raise AssertionError("no rule needs the sentences")

    edit = TaggedEdit(words(source), words(correction), no_places)  # type: ignore[arg-type]
    assert rules.classify(edit) == expected


def test_a_word_list_that_lacks_both_words_says_nothing() -> None:
    rules = language("xx", WordList("test", frozenset(["other"])))
    edit = TaggedEdit(words("Kaa/kaa/NOUN"), words("Kab/kab/NOUN"), tuple)  # type: ignore[arg-type]
    assert rules.classify(edit) == "R:NOUN"
