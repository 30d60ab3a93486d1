"""English error types (Bryant, Felice & Briscoe 2017), in the version of errant 3.

Every rule asks about words, Penn tags, lemmas and dependency labels (spaCy's, or those of Universal
Dependencies where these differ), so it runs on any tagger that gives these. The rules are in a kernel; this
module has the lists of words, tags and labels that they look into, and the names of the types.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from errata.edits.alignment import Aligner, CostModel, Integers
from errata.edits.columns import Columns
from errata.edits.merging import MergeRules
from errata.edits.rules import FIRST_CLASS, PENDING, Forms, TypeRules, numbered
from errata.edits.stemming import lancaster
from errata.edits.words import WordList
from errata.engine import spread
from errata.kernels import english as kernel
from errata.text.vocabulary import Vocabulary

# What a type calls a Penn tag …
_CLASSES = {
    "ADJ": "AFX JJ JJR JJS",
    "ADV": "RB RBR RBS WRB",
    "CONJ": "CC",
    "DET": "DT PDT PRP$ WDT WP$",
    "INTJ": "UH",
    "NOUN": "NN NNP NNPS NNS",
    "NUM": "CD",
    "PART": "POS RP TO",
    "PREP": "IN",
    "PRON": "EX PRP WP",
    "PUNCT": "'' , -LRB- -RRB- . : HYPH `` \"\"",
    "SPACE": "SP _SP",
    "SYM": "# $ SYM",
    "VERB": "MD VB VBD VBG VBN VBP VBZ BES HVS",
    "X": "FW LS NIL ADD GW NFP XX",
}
CLASS_OF_TAG = {tag: name for name, tags in _CLASSES.items() for tag in tags.split()}
# … and a universal one, where a tagger gives no Penn tag
CLASS_OF_UPOS = {"ADP": "PREP", "AUX": "VERB", "CCONJ": "CONJ", "SCONJ": "CONJ", "PROPN": "NOUN"}
# What it calls a word with one of these dependency labels.
CLASS_OF_LABEL = {
    "acomp": "ADJ",
    "amod": "ADJ",
    "advmod": "ADV",
    "det": "DET",
    "prep": "PREP",
    "prt": "PART",
    "compound:prt": "PART",
    "punct": "PUNCT",
}
AUXILIARY_LABELS = frozenset({"aux", "auxpass", "aux:pass"})
ADJECTIVE_LABELS = frozenset({"acomp", "amod"})
ARGUMENT_LABELS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "nsubj:pass", "obj", "iobj", "obl"})
POSSESSOR_LABELS = frozenset({"poss", "nmod:poss"})

# Classes in the order of the kernel's numbers: those that make uninformative types, those with inflection or
# derivation, and the others; parts of speech that are not among them come behind.
CLASSES = (
    *("INTJ", "NUM", "SYM", "X", ""),
    *("ADJ", "ADV", "NOUN", "VERB"),
    *("CONJ", "DET", "PART", "PREP", "PRON", "PUNCT", "SPACE"),
)
# Categories in the order of the kernel's numbers; classes are categories too, and come behind.
CATEGORIES = (
    *("", "OTHER", "ORTH", "WO", "NOUN:POSS", "CONTR", "VERB:FORM", "VERB:TENSE", "VERB:SVA"),
    *("VERB:INFL", "NOUN:INFL", "MORPH", "ADJ:FORM", "NOUN:NUM", "SPELL"),
)
_AUXILIARY, _AUX, _ADJECTIVE, _ARGUMENT, _POSSESSOR = 1, 2, 4, 8, 16  # flags of labels

# Pairs of words with a type of their own; the first list in either direction.
PAIRS = {frozenset(pair.split()): kind for pair, kind in (("other another", "DET"), ("no not", "OTHER"))}
DIRECTED_PAIRS = {("your", "yours"): "PRON"}
# Further ones, tried later; CLASS stands for the class of the correction.
CLASS = "(class of the correction)"
SIMILAR_PAIRS = {
    frozenset(pair.split()): kind
    for pair, kind in (
        ("that what", "PRON"),
        ("good well", CLASS),
        ("after later", CLASS),
        ("though thought", "SPELL"),
    )
}
SIMILAR_DIRECTED_PAIRS = {
    ("the", "that"): "PRON",
    ("all", "everything"): "PRON",
    ("therefor", "therefore"): "SPELL",
}

# Words that are spelt alike, for real-word spelling errors: (letters of the source, fewest and most letters
# of the correction, least and greatest similarity, type). Thresholds of the official program.
ABOVE_HALF = 0.5 + 1e-9
ALIKE = (
    (1, 2, 2, 0.5, 0.5, "SPELL"),  # i → in
    (2, 2, 3, 0.5, 1.0, "SPELL"),  # in → is, to → too
    (3, 2, 4, 0.5, 1.0, "SPELL"),  # off → of, now → know
    (4, 3, 3, ABOVE_HALF, 1.0, "SPELL"),  # knew → new
    (4, 4, 4, 0.5, 1.0, "SPELL"),  # then → than, form → from
    (4, 5, 5, 0.8, 0.8, "SPELL"),  # hole → whole
    (4, 6, 10**9, ABOVE_HALF, 1.0, CLASS),  # high → height
    (5, 4, 4, 0.8, 0.8, "SPELL"),  # where → were
    (5, 5, 5, 0.6, 1.0, "SPELL"),  # quite → quiet
    (5, 6, 10**9, 0.0, 1.0, CLASS),  # human → people
)


def merge_rules() -> MergeRules:
    return MergeRules(
        content=frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"}),
        phrase=("AUX", "PART", "VERB"),
        possessive_tag="POS",
    )


def aligner() -> Aligner:
    return Aligner(CostModel.EXACT)


def _category(name: str) -> int:
    """The number of a category; -1 stands for the class of the correction."""
    if name == CLASS:
        return -1
    return CATEGORIES.index(name) if name in CATEGORIES else FIRST_CLASS + CLASSES.index(name)


def _flags(label: str) -> int:
    """The flags of a dependency label."""
    return (
        _AUXILIARY * (label in AUXILIARY_LABELS)
        | _AUX * label.startswith("aux")
        | _ADJECTIVE * (label in ADJECTIVE_LABELS)
        | _ARGUMENT * (label in ARGUMENT_LABELS)
        | _POSSESSOR * (label in POSSESSOR_LABELS)
    )


class EnglishTypes(TypeRules):
    """Types of English edits: an operation (M, U, R) and one of 25 categories."""

    def __init__(self, words: WordList) -> None:
        self.words = words
        self._forms: WeakKeyDictionary[Vocabulary, Forms] = WeakKeyDictionary()
        self._alike = np.array([(*row, _category(kind)) for *row, kind in ALIKE], dtype=np.float64)

    def numbers(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> Integers:
        tokens, texts, lowers = columns.tokens, columns.form_texts, columns.lower_texts
        with columns.adding:
            forms = self._forms.setdefault(columns.vocabulary, Forms(self.words, lancaster))
            forms.grow(len(columns.forms))
            classes, tables = _tables(columns)
        found = np.full(len(spans), PENDING, dtype=np.int32)

        def work(start: int, stop: int) -> None:
            classify: Any = kernel.types  # typed for Cython
            classify(
                start, stop, sentences, spans, *tokens, columns.flags, forms.words, forms.stems,
                texts.offsets, texts.chars, lowers.offsets, lowers.chars, *tables, self._alike,
                np.zeros(len(lowers.offsets) - 1, dtype=np.int32),
                np.empty(lowers.longest + 1, dtype=np.int32), found,
            )  # fmt: skip

        pending = np.arange(len(spans))
        while len(pending):
            spread(work, len(spans), jobs, chunk=512)
            pending = np.flatnonzero(found == PENDING)
            with columns.adding:
                forms.look_up(columns, sentences[pending], spans[pending])
        return numbered(found, CATEGORIES, classes)


def _tables(columns: Columns) -> tuple[list[str], tuple[Any, ...]]:
    """The classes, and the kernel's tables of tags, parts of speech, labels and pairs of words."""
    classes = dict.fromkeys(CLASSES)
    classes |= dict.fromkeys(CLASS_OF_UPOS.get(name, name) for name in columns.upos.names)
    numbers = {name: number for number, name in enumerate(classes)}
    of_tag, of_label = (
        [numbers[known[name]] if name in known else -1 for name in names]
        for known, names in ((CLASS_OF_TAG, columns.tags.names), (CLASS_OF_LABEL, columns.deps.names))
    )
    of_upos = [numbers[CLASS_OF_UPOS.get(name, name)] for name in columns.upos.names]
    pairs = [
        (stage, *(columns.lowers.get(word, -1) for word in pair), both, _category(kind))
        for stage, both, known in (
            (0, True, PAIRS), (0, False, DIRECTED_PAIRS),
            (1, True, SIMILAR_PAIRS), (1, False, SIMILAR_DIRECTED_PAIRS),
        )
        for pair, kind in known.items()
    ]  # fmt: skip
    flags = np.array([*map(_flags, columns.deps.names)], dtype=np.uint8)
    integers = [np.array(table, dtype=np.int32) for table in (of_tag, of_upos, of_label, pairs)]
    return list(classes), (integers[0], integers[1], flags, integers[2], integers[3])


def types(words: WordList) -> EnglishTypes:
    return EnglishTypes(words)
