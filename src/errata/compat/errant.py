"""The Python calls of ERRANT 3.0.2: `from errata.compat import errant` in place of `import errant`.

Texts are spaCy documents, as in ERRANT. With the pipeline en_core_web_sm 3.8 and the word list of the package
`errant`, the edits are those of ERRANT. Where that package is not installed, `load` warns and takes errata's
own word list: types that depend on spelling may then differ.

Other than in ERRANT, an `Alignment` has no `cost_matrix` and `op_matrix`. Languages with rules of their own
in errata (`errata.edits.language.LANGUAGES`) are supported if a pipeline is given.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from errata.edits.alignment import Aligner, CostModel, TokenTable
from errata.edits.language import LANGUAGES, Language, Place, TaggedEdit, WordList, language, word_list
from errata.edits.merge import STRATEGIES, changing_steps, merge, merge_by_rules
from errata.edits.taggers.spacy import DocumentReader, load_pipeline
from errata.errors import ErrataError

__version__ = "3.0.2"  # of the ERRANT that these calls follow

Document = Any  # spacy.tokens.Doc
_OPERATIONS = ("M", "S", "I", "D")
_tagged = DocumentReader()  # reads a document as it is


class Edit:
    """What turns the words o_start:o_end of a document into the words c_start:c_end of its correction."""

    def __init__(self, orig: Document, cor: Document, edit: Sequence[int], type: str = "NA") -> None:
        self.o_start, self.o_end, self.c_start, self.c_end = edit
        self.o_toks = orig[self.o_start : self.o_end]
        self.c_toks = cor[self.c_start : self.c_end]
        self.type = type
        self._update_texts()

    def _update_texts(self) -> None:
        self.o_str = self.o_toks.text if len(self.o_toks) else ""
        self.c_str = self.c_toks.text if len(self.c_toks) else ""

    def minimise(self) -> Edit:
        """Leave out the words that both sides begin or end with."""
        while self.o_toks and self.c_toks and self.o_toks[0].text == self.c_toks[0].text:
            self.o_toks, self.c_toks = self.o_toks[1:], self.c_toks[1:]
            self.o_start, self.c_start = self.o_start + 1, self.c_start + 1
        while self.o_toks and self.c_toks and self.o_toks[-1].text == self.c_toks[-1].text:
            self.o_toks, self.c_toks = self.o_toks[:-1], self.c_toks[:-1]
            self.o_end, self.c_end = self.o_end - 1, self.c_end - 1
        self._update_texts()
        return self

    def to_m2(self, id: int = 0) -> str:
        """The line of an M2 file."""
        correction = " ".join(token.text for token in self.c_toks)
        return f"A {self.o_start} {self.o_end}|||{self.type}|||{correction}|||REQUIRED|||-NONE-|||{id}"

    def __str__(self) -> str:
        original, correction = (
            [self.o_start, self.o_end, self.o_str], [self.c_start, self.c_end, self.c_str],
        )  # fmt: skip
        return f"Orig: {original}, Cor: {correction}, Type: {self.type!r}"


class Alignment:
    """The words of a document and of its correction, aligned.

    `align_seq` lists the steps as in ERRANT: operation ("M", "S", "I", "D", or "T2" for two transposed
    words), start and end in the document, start and end in the correction.
    """

    def __init__(self, orig: Document, cor: Document, aligner: Aligner) -> None:
        self.orig, self.cor = orig, cor
        self.tagged = _tagged(orig), _tagged(cor)
        table = TokenTable()
        columns = table.columns(table.add_tagged(self.tagged))
        self.steps = aligner.align(columns, np.array([[0, 1]]))
        if self.steps.limits[0]:
            lengths = f"{len(orig)} and {len(cor)} tokens"
            raise ErrataError(
                f"sentences of {lengths} go beyond the limit of {self.steps.limits[0]}\n"
                "  hint: divide them, or raise the limit: errata.limits"
            )

    @property
    def align_seq(self) -> list[tuple[str, int, int, int, int]]:
        sequence = []
        o = c = 0
        for operation in self.steps.steps[: self.steps.counts[0]].tolist():
            size = max(1, operation - 2)
            name = _OPERATIONS[operation] if operation < len(_OPERATIONS) else f"T{size}"
            next_o, next_c = o + size * (name != "I"), c + size * (name != "D")
            sequence.append((name, o, next_o, c, next_c))
            o, c = next_o, next_c
        return sequence


class Annotator:
    """Parses, aligns, merges and classifies with one pipeline; `load` makes it."""

    def __init__(self, lang: str, nlp: Any, rules: Language) -> None:
        self.lang, self.nlp, self._rules = lang, nlp, rules

    def parse(self, text: str, tokenise: bool = False) -> Document:
        """A text as a tagged document; its tokens are separated by blanks unless `tokenise` is set."""
        from spacy.tokens import Doc

        return self.nlp(text if tokenise else Doc(self.nlp.vocab, text.split()))

    def align(self, orig: Document, cor: Document, lev: bool = False) -> Alignment:
        """Align two documents; with `lev` by plain Levenshtein distance."""
        return Alignment(orig, cor, Aligner(CostModel.PLAIN) if lev else self._rules.aligner())

    def merge(self, alignment: Alignment, merging: str = "rules") -> list[Edit]:
        """The edits of an alignment, without types."""
        if merging not in STRATEGIES:
            raise ErrataError(f"no merging strategy {merging!r}\n  hint: one of {', '.join(STRATEGIES)}")
        source, correction = (sentence.tokens for sentence in alignment.tagged)

        def merge_run(run: Sequence[Any]) -> list[tuple[int, int, int, int]]:
            start, to_start = run[0].start, run[0].to_start
            operations = "".join(_OPERATIONS[step.operation] for step in run)
            words = source[start : run[-1].end], correction[to_start : run[-1].to_end]
            spans = merge_by_rules(operations, *words, self._rules)
            return [(start + a, start + b, to_start + c, to_start + d) for a, b, c, d in spans]

        (steps,) = changing_steps(alignment.steps)
        return [Edit(alignment.orig, alignment.cor, span) for span in merge(steps, merging, merge_run)]

    def classify(self, edit: Edit) -> Edit:
        """The same edit with its type."""
        source, correction = (
            _tagged(side.doc).tokens[side.start : side.end] for side in (edit.o_toks, edit.c_toks)
        )
        edit.type = self._rules.classify(TaggedEdit(source, correction, partial(_places, edit)))
        return edit

    def annotate(
        self, orig: Document, cor: Document, lev: bool = False, merging: str = "rules"
    ) -> list[Edit]:
        """The edits that turn a document into its correction, with types."""
        return [self.classify(edit) for edit in self.merge(self.align(orig, cor, lev), merging)]

    def import_edit(
        self, orig: Document, cor: Document, edit: Sequence[Any], min: bool = True, old_cat: bool = False
    ) -> Edit:
        """An edit given as [o_start, o_end, c_start, c_end] and perhaps its type.

        It is minimised if `min` is set, and keeps its type if `old_cat` is set.
        """
        if len(edit) not in (4, 5):
            raise ErrataError(f"not of the form [o_start, o_end, c_start, c_end, (cat)]: {edit!r}")
        imported = Edit(orig, cor, edit[:4], *edit[4:])
        if min:
            imported.minimise()
        return imported if old_cat else self.classify(imported)


def load(lang: str, nlp: Any = None) -> Annotator:
    """The annotator of a language, with a loaded spaCy pipeline or ERRANT's own for English."""
    if lang not in LANGUAGES or (nlp is None and lang != "en"):
        hint = "give it: load(lang, nlp)" if lang in LANGUAGES else f"one of {', '.join(LANGUAGES)}"
        what = "no default pipeline for" if lang in LANGUAGES else "no rules for the language"
        raise ErrataError(f"{what} {lang!r}\n  hint: {hint}")
    if nlp is None:
        nlp = load_pipeline("en_core_web_sm")
    return Annotator(lang, nlp, language(lang, _words(lang)))


def _words(lang: str) -> WordList | None:
    if lang != "en":
        return None
    if find_spec("errant") is not None:
        return word_list("errant")
    warnings.warn(
        "the package errant is not installed: errata's word list replaces its own, so types that depend on "
        "spelling may differ from ERRANT's",
        stacklevel=3,
    )
    return word_list("en")


def _places(edit: Edit) -> tuple[Place, Place]:
    source, correction = (
        Place((sentence := _tagged(side.doc)).tokens, sentence.heads, side.start)
        for side in (edit.o_toks, edit.c_toks)
    )
    return source, correction
