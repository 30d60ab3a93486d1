"""Types for any language with universal parts of speech; without a tagger, the orthographic ones alone.

Operation × part of speech, and: ORTH:CASING, ORTH:WSPACE, DIACR, PUNCT, QUOTATION, SPELL, WO, POS:INFL,
MORPH, OTHER. SPELL needs a word list; without one no word is taken for misspelt. The rules are in a kernel;
this module has what they look into, and the names of the types.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from errata.edits.alignment import NO_WEIGHTS, Aligner, CostModel, Integers, Letters
from errata.edits.columns import Columns, Texts
from errata.edits.merging import MergeRules
from errata.edits.rules import PENDING, Forms, TypeRules, numbered
from errata.edits.words import WordList
from errata.engine import spread
from errata.kernels import align
from errata.kernels import universal as kernel
from errata.text.numbering import distinct
from errata.text.vocabulary import Vocabulary

PUNCTUATION = frozenset("!#$%&()*+,-./:;<=>?@[\\]^_`{|}~")  # ASCII without quotation marks
QUOTES = frozenset('"„“ ')
RARE = frozenset({"SYM", "X", ""})  # parts of speech that make uninformative types
CLASS_OF_LABEL = {"amod": "ADJ", "advmod": "ADV", "det": "DET", "punct": "PUNCT"}
INFLECTED = frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "NUM", "PRON", "PROPN", "VERB"})
TYPOGRAPHIC = str.maketrans(
    {"„": ",,", "“": '"', "”": '"', "‚": ",", "‘": "'", "’": "'", "–": "-", "—": "--", "«": "<<", "»": ">>"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ß": "ss", "æ": "ae", "Æ": "AE"}
)
# Categories in the order of the kernel's numbers; parts of speech, and these with INFL, come behind.
CATEGORIES = (
    *("", "OTHER", "PUNCT", "DIACR", "ORTH:WSPACE", "ORTH:CASING", "ORTH", "QUOTATION"),
    *("WO", "WO:SPELL", "SPELL", "MORPH"),
)
_LETTERS = -2  # the type of an edit whose letters have to be compared
_RARE, _INFLECTED = 1, 2  # flags of parts of speech


def aligner() -> Aligner:
    return Aligner(CostModel.EXACT)


def merge_rules() -> MergeRules:
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "AUX", "NOUN", "PROPN", "VERB"}), phrase=("AUX", "PART", "VERB")
    )


def types(words: WordList) -> UniversalTypes:
    return UniversalTypes(words)


def without_diacritics(text: str) -> str:
    """The text with its marks stripped (é → e) and typographic signs in ASCII (… → ...)."""
    parts = unicodedata.normalize("NFKD", text.translate(TYPOGRAPHIC))
    return "".join(part for part in parts if not unicodedata.combining(part))


def looks(letter: str) -> tuple[str, str, str, str]:
    """A character where signs, diacritics, quotation marks or blanks make no difference."""
    return (
        "" if letter in PUNCTUATION else letter,
        without_diacritics(letter),
        "" if letter in QUOTES else letter,
        "" if letter == " " else letter,
    )


class _Looks:
    """The characters of texts as numbers, in the order in which they come, and what they look like."""

    def __init__(self) -> None:
        self.letters: Integers = np.zeros(0, dtype=np.int32)
        self._numbers: Integers = np.full(128, -1, dtype=np.int32)  # by codes; -1 for those not seen yet
        self._looks: list[tuple[str, str, str, str]] = []
        self._add([ord(" ")])

    def grow(self, texts: Texts) -> None:
        """Number the characters that were added to the texts."""
        new = texts.chars[len(self.letters) :]
        more = int(new.max(initial=0)) + 1 - len(self._numbers)
        if more > 0:
            self._numbers = np.concatenate([self._numbers, np.full(more, -1, dtype=np.int32)])
        unseen = distinct(new[self._numbers[new] < 0])[0]
        if len(unseen):
            self._add(unseen.tolist())
        self.letters = np.concatenate([self.letters, self._numbers[new]])

    def _add(self, codes: list[int]) -> None:
        self._numbers[codes] = np.arange(len(self._looks), len(self._looks) + len(codes))
        self._looks += [looks(chr(code)) for code in codes]
        ways = [[*way] for way in zip(*self._looks, strict=True)]
        sizes = np.array([[*map(len, way)] for way in ways])
        ends = np.cumsum(sizes).reshape(sizes.shape)
        self.offsets = np.concatenate([ends[:, :1] - sizes[:, :1], ends], axis=1)
        self.chars = Texts().and_these([look for way in ways for look in way]).chars


class UniversalTypes(TypeRules):
    """Types of edits in any language: an operation (M, U, R) and a category.

    With weights of `letters` the rules are the Czech ones, which look at stems and labels of arguments, too.
    """

    def __init__(
        self,
        words: WordList,
        inflected: frozenset[str] = INFLECTED,
        arguments: frozenset[str] = frozenset(),
        stem: Callable[[str], str] = str,
        letters: Letters | None = None,
    ) -> None:
        self._words = words
        self._inflected = inflected
        self._arguments = arguments
        self._stem = stem
        self._letters = letters
        self._known: WeakKeyDictionary[Vocabulary, tuple[Forms, _Looks]] = WeakKeyDictionary()

    def numbers(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> Integers:
        texts, lowers = columns.form_texts, columns.lower_texts
        with columns.adding:
            if columns.vocabulary not in self._known:
                self._known[columns.vocabulary] = Forms(self._words, self._stem), _Looks()
            forms, looks = self._known[columns.vocabulary]
            forms.grow(len(columns.forms))
            looks.grow(texts)
            look = looks.letters, looks.offsets, looks.chars
            tables = self._tables(columns)
            classes = [name + ending for name in columns.upos.names for ending in ("", ":INFL")]
        spans = spans.copy()  # the kernel shortens them
        alike = np.full(len(spans), -1, dtype=np.int8)
        found = np.full(len(spans), PENDING, dtype=np.int32)
        offsets, form, lower, lemma, upos, _, dep, _ = columns.tokens

        def work(start: int, stop: int) -> None:
            classify: Any = kernel.types  # typed for Cython
            classify(
                start, stop, self._letters is not None, sentences, spans, offsets, form, lower, lemma, upos,
                dep, columns.flags, forms.words, forms.stems, texts.offsets, *look, lowers.offsets,
                lowers.chars, *tables, alike, np.zeros(len(lowers.offsets) - 1, dtype=np.int32), found,
            )  # fmt: skip

        while True:
            spread(work, len(spans), jobs, chunk=512)
            pending = np.flatnonzero(found == PENDING)
            compared = np.flatnonzero(found == _LETTERS)
            if not len(pending) and not len(compared):
                break
            with columns.adding:
                forms.look_up(columns, sentences[pending], spans[pending])
            self.compare(columns, compared, sentences, spans, alike)
        return numbered(found, CATEGORIES, classes)

    def compare(
        self, columns: Columns, edits: Integers, sentences: Integers, spans: Integers, alike: Integers
    ) -> None:
        """Find out whether both sides of edits are spelt alike."""
        tokens, texts = columns.tokens, columns.form_texts
        if self._letters is None:
            texts = columns.lower_texts
            tokens = tokens._replace(form=tokens.lower)
            given = CostModel.EXACT, texts.chars, NO_WEIGHTS
        else:
            letters = self._letters
            given = CostModel.SIMILAR, letters.codes(texts), letters.weights
        alike[edits] = align.alike(tokens, texts, *given, edits, sentences, spans)

    def _tables(self, columns: Columns) -> tuple[Integers, Integers, Integers]:
        """The kernel's tables of parts of speech and dependency labels."""
        of_label = [
            columns.upos[CLASS_OF_LABEL[name]] if name in CLASS_OF_LABEL else -1
            for name in columns.deps.names
        ]
        kinds = [
            _RARE * (name in RARE) | _INFLECTED * (name in self._inflected) for name in columns.upos.names
        ]
        arguments = [name in self._arguments for name in columns.deps.names]
        return (
            np.array(kinds, dtype=np.uint8),
            np.array(of_label, dtype=np.int32),
            np.array(arguments, dtype=np.uint8),
        )
