"""Taggers with files of the user: UDPipe 1 and MorphoDiTa models, and precomputed CoNLL-U.

`udpipe:czech-pdt-ud-2.5-191206.udpipe`, `morphodita:czech-morfflex-pdt-161115.tagger`, `conllu:FILE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from errata.corpus.files import read_lines
from errata.edits.tagged_sentence import UNKNOWN_HEAD, TaggedSentence
from errata.edits.taggers import digest
from errata.errors import DataError, MissingExtraError

# The first letter of a Prague positional tag as a universal part of speech; finer by the second.
UPOS_OF_CLASS = {
    "A": "ADJ", "C": "NUM", "D": "ADV", "I": "INTJ", "J": "CCONJ", "N": "NOUN", "P": "PRON", "R": "ADP",
    "T": "PART", "V": "VERB", "X": "X", "Z": "PUNCT", "F": "X", "B": "X", "S": "X", "Q": "X",
}  # fmt: skip
UPOS_OF_SUBCLASS = {
    "J,": "SCONJ", "PD": "DET", "PS": "DET", "P8": "DET", "P1": "DET", "PL": "DET", "P4": "DET", "PW": "DET",
    "PZ": "DET", "Vc": "AUX",
}  # fmt: skip
AUXILIARY_LEMMAS = frozenset({"být"})


class UDPipeTagger:
    """A UDPipe model, run on the tokens as they are."""

    def __init__(self, path: str) -> None:
        try:
            from ufal import udpipe
        except ImportError:
            raise MissingExtraError("the tagger udpipe", "taggers") from None
        self.path = path
        self._udpipe: Any = udpipe
        self._model: Any = udpipe.Model.load(path) if Path(path).is_file() else None
        if not self._model:
            raise DataError(
                "cannot load it as a UDPipe model",
                path=path,
                hint="udpipe:FILE names a model file for UDPipe 1",
            )

    @property
    def name(self) -> str:
        return f"udpipe:{self.path}"

    @property
    def signature(self) -> str:
        return f"udpipe:{Path(self.path).stem}-{digest(self.path)}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [self._tag(forms) for forms in sentences]

    def _tag(self, forms: Sequence[str]) -> TaggedSentence:
        if not forms:
            return TaggedSentence.untagged(forms)
        sentence = self._udpipe.Sentence()
        for form in forms:
            sentence.addWord(form)
        self._model.tag(sentence, self._model.DEFAULT)
        self._model.parse(sentence, self._model.DEFAULT)
        words = list(sentence.words)[1:]  # the first one is the root
        return TaggedSentence(
            tuple(forms),
            tuple(word.lemma for word in words),
            tuple(word.upostag for word in words),
            tuple(word.xpostag for word in words),
            tuple(word.deprel for word in words),
            tuple(word.head - 1 if word.head > 0 else i for i, word in enumerate(words)),
        )


class MorphoDiTaTagger:
    """A MorphoDiTa tagger, run on the tokens as they are; it gives no dependencies."""

    def __init__(self, path: str) -> None:
        try:
            from ufal import morphodita
        except ImportError:
            raise MissingExtraError("the tagger morphodita", "taggers") from None
        self.path = path
        self._morphodita: Any = morphodita
        self._tagger: Any = morphodita.Tagger.load(path) if Path(path).is_file() else None
        if not self._tagger:
            raise DataError(
                "cannot load it as a MorphoDiTa tagger",
                path=path,
                hint="morphodita:FILE names a .tagger file",
            )

    @property
    def name(self) -> str:
        return f"morphodita:{self.path}"

    @property
    def signature(self) -> str:
        return f"morphodita:{Path(self.path).stem}-{digest(self.path)}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [self._tag(forms) for forms in sentences]

    def _tag(self, forms: Sequence[str]) -> TaggedSentence:
        analyses = self._morphodita.TaggedLemmas()
        self._tagger.tag(self._morphodita.Forms(forms), analyses)
        converter = self._morphodita.TagsetConverter.newStripLemmaIdConverter(self._tagger.getMorpho())
        for analysis in analyses:
            converter.convert(analysis)
        lemmas = tuple(analysis.lemma for analysis in analyses)
        tags = tuple(analysis.tag for analysis in analyses)
        upos = tuple(_upos_of(tag, lemma) for tag, lemma in zip(tags, lemmas, strict=True))
        unknown = ("",) * len(lemmas)
        return TaggedSentence(tuple(forms), lemmas, upos, tags, unknown, (UNKNOWN_HEAD,) * len(lemmas))


def _upos_of(tag: str, lemma: str) -> str:
    """The universal part of speech of a Prague positional tag."""
    if tag.startswith("V") and lemma in AUXILIARY_LEMMAS:
        return "AUX"
    if tag.startswith("N") and lemma[:1].isupper():
        return "PROPN"
    return UPOS_OF_SUBCLASS.get(tag[:2]) or UPOS_OF_CLASS.get(tag[:1], "X")


_NUMBER = re.compile("[0-9]{1,9}")


class PrecomputedTagger:
    """Looks sentences up in a CoNLL-U file, which must contain every requested sentence."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._sentences = {s.forms: s for s in sentences(read_lines(path), path)}
        self.signature = f"conllu:{Path(path).name}-{digest(path)}"

    @property
    def name(self) -> str:
        return f"conllu:{self.path}"

    def tag(self, sentences: Sequence[Sequence[str]], jobs: int | None = None) -> list[TaggedSentence]:
        return [self._find(tuple(forms)) for forms in sentences]

    def _find(self, forms: tuple[str, ...]) -> TaggedSentence:
        if not forms:
            return TaggedSentence.untagged(forms)
        sentence = self._sentences.get(forms)
        if sentence is None:
            raise DataError(
                f"has no analysis of the sentence {' '.join(forms)[:100]!r}",
                path=self.path,
                hint="analyse the sources and the corrections, with their tokens as they are",
            )
        return sentence


def sentences(lines: Iterable[str], path: str = "") -> Iterator[TaggedSentence]:
    """The sentences of a CoNLL-U file; multiword and empty tokens are left out."""
    rows: list[list[str]] = []
    number = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            if rows:
                yield _sentence(rows, path, number)
            rows = []
        elif not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) != 10:
                raise DataError(
                    f"a token has 10 fields separated by tabs, this one {len(fields)}: {line[:60]!r}",
                    path=path,
                    line=number,
                    hint="is this a CoNLL-U file?",
                )
            if _NUMBER.fullmatch(fields[0]):
                rows.append(fields)
    if rows:
        yield _sentence(rows, path, number)


def _sentence(rows: list[list[str]], path: str, line: int) -> TaggedSentence:
    heads = []
    for i, row in enumerate(rows):
        head = row[6]
        if not _NUMBER.fullmatch(head):
            heads.append(UNKNOWN_HEAD)
        elif int(head) > len(rows):
            raise DataError(f"token {row[0]} has a head {head} outside the sentence", path=path, line=line)
        else:
            heads.append(int(head) - 1 if head != "0" else i)

    def column(number: int) -> tuple[str, ...]:
        return tuple("" if row[number] == "_" else row[number] for row in rows)

    forms = tuple(row[1] for row in rows)
    lemmas = tuple(row[2] if row[2] != "_" or row[1] == "_" else row[1].lower() for row in rows)
    return TaggedSentence(forms, lemmas, column(3), column(4), column(7), tuple(heads))
