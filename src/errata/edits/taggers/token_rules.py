"""spaCy's attribute ruler and lemmatizer with what they give single tokens remembered.

Most rules (all but 8 of 179 of `en_core_web_sm`) look at the lower-cased form, tag and dependency of one
token, and spaCy tries all of them on every token. The lemma follows from the form and from what the rules say
of it. Here both are asked once for each form with its tag and dependency. A sentence with a token that begins
a rule for several tokens is left to spaCy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from operator import add
from typing import Any

import numpy as np

from errata.edits.tagged_sentence import TaggedSentence

_KEYS = frozenset({"LOWER", "IS_SPACE", "TAG", "DEP"})
_LAST = ("attribute_ruler", "lemmatizer")
_BEGINS = "begins a rule for several tokens"
_REMEMBERED = 200_000

Key = tuple[int, ...]  # the form of a token, and all that is known of it before
Analysis = tuple[str, ...]  # form, lemma, part of speech, tag, dependency; () if it begins a rule for several


class Columns:
    """Turns documents into columns; `own` are the components of a pipeline whose work is done here."""

    own: Sequence[str] = ()

    def __call__(self, document: Any) -> TaggedSentence:
        rows = [(t.text, t.lemma_, t.pos_, t.tag_, t.dep_, t.head.i) for t in document]
        return TaggedSentence(*zip(*rows, strict=True)) if rows else TaggedSentence((), (), (), (), (), ())


def columns_of(nlp: Any) -> Columns:
    """What turns the documents of a pipeline into columns; one with other rules does all work itself."""
    from spacy.lang.en.lemmatizer import EnglishLemmatizer
    from spacy.pipeline import Lemmatizer

    if tuple(nlp.pipe_names[-2:]) != _LAST:
        return Columns()
    ruler, lemmatizer = map(nlp.get_pipe, _LAST)
    rules = [rule["patterns"] for rule in ruler.patterns]
    known = all(token.keys() <= _KEYS for rule in rules for pattern in rule for token in pattern)
    if not known or type(lemmatizer) not in (Lemmatizer, EnglishLemmatizer):
        return Columns()
    return _RememberedColumns(ruler, lemmatizer, rules)


class _RememberedColumns(Columns):
    own = _LAST

    def __init__(self, ruler: Any, lemmatizer: Any, rules: list[list[list[dict[str, Any]]]]) -> None:
        from spacy.attrs import DEP, HEAD, LEMMA, MORPH, ORTH, POS, TAG
        from spacy.matcher import Matcher

        self._ruler, self._lemmatizer = ruler, lemmatizer
        self._attributes = [HEAD, ORTH, TAG, DEP, LEMMA, POS, MORPH]
        self._single = Matcher(ruler.vocab)
        for number, rule in enumerate(rules):
            if chosen := [pattern for pattern in rule if len(pattern) == 1]:
                self._single.add(str(number), chosen)
        if firsts := [pattern[:1] for rule in rules for pattern in rule if len(pattern) > 1]:
            self._single.add(_BEGINS, firsts)
        self._known: dict[Key, Analysis] = {}

    def __call__(self, document: Any) -> TaggedSentence:
        if len(self._known) > _REMEMBERED:
            self._known = {}
        known = self._known  # another thread may begin a new one
        heads, *columns = document.to_array(self._attributes).astype(np.int64).T.tolist()
        keys = [*zip(*columns, strict=True)]
        found = [*map(known.get, keys)]
        if None in found and () not in found:
            self._analyse(document, {key: i for i, key in enumerate(keys) if found[i] is None}, known)
            found = [*map(known.get, keys)]
        if not found or not all(found):
            return super().__call__(self._lemmatizer(self._ruler(document)))
        forms, lemmas, upos, tags, deps = zip(*found, strict=True)
        return TaggedSentence(forms, lemmas, upos, tags, deps, tuple(map(add, heads, count())))

    def _analyse(self, document: Any, places: dict[Key, int], known: dict[Key, Analysis]) -> None:
        """Ask about tokens at these places; only which of them begin a rule for several, where one does."""
        strings = self._ruler.vocab.strings
        matches = []
        for key, place in places.items():
            for name, _, _ in self._single(document[place : place + 1], allow_missing=True):
                if strings[name] == _BEGINS:
                    known[key] = ()
                else:
                    matches.append((int(strings[name]), name, place, place + 1))
        if any(key in known for key in places):
            return
        self._ruler.set_annotations(document, sorted(set(matches)))
        for key, place in places.items():
            token = document[place]
            if self._lemmatizer.overwrite or token.lemma == 0:
                token.lemma_ = self._lemmatizer.lemmatize(token)[0]
            known[key] = token.text, token.lemma_, token.pos_, token.tag_, token.dep_
