"""Distinct tagged words as numbers, with the columns that the native aligner compares."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.edits.tagged_sentence import NumberedTags, TaggedSentence, Token
from errata.native.ragged import Ragged
from errata.text.vocabulary import unique_rows

Integers = npt.NDArray[Any]
OPEN_CLASSES = ("ADJ", "ADV", "NOUN", "VERB")  # the aligner expects them as numbers 0 … 3


class Names(dict[str, int]):
    """Numbers of names in order of their first occurrence; `names` lists the names by number."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.names = list(known)
        super().__init__((name, i) for i, name in enumerate(self.names))

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        self.names.append(name)
        return number

    def numbers(self, names: Sequence[str]) -> Integers:
        """The numbers of these names; new names are added."""
        new = [name for name in dict.fromkeys(names) if name not in self]
        first = len(self.names)
        self.names += new  # before they get numbers: Ctrl-C in between must not give one number to two names
        self.update(zip(new, range(first, first + len(new)), strict=True))
        return np.fromiter(map(self.__getitem__, names), dtype=np.int32, count=len(names))


@dataclass(frozen=True)
class Texts:
    """A sequence of texts as code points."""

    offsets: Integers = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    chars: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    longest: int = 0  # characters

    def extended(self, texts: Sequence[str]) -> Texts:
        """These texts and further ones after them."""
        data = "".join(texts).encode("utf-32-le", "surrogatepass")
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return Texts(
            np.concatenate([self.offsets, self.offsets[-1] + np.cumsum(sizes)]),
            np.concatenate([self.chars, np.frombuffer(data, dtype="<i4")]),
            max(self.longest, int(sizes.max(initial=0))),
        )


class SentenceColumns(NamedTuple):
    """Sentences as the aligner reads them: a number per token and column."""

    offsets: Integers  # of the sentences
    form: Integers
    lower: Integers
    lemma: Integers
    upos: Integers
    texts: Texts  # of the forms, by number


class TokenTable:
    """The distinct tagged words seen so far. Several threads may add words; numbers never change."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self._numbers: dict[tuple[str, ...], int] = {}
        self._adding = threading.Lock()
        self._forms, self._lowers, self._lemmas = Names(), Names(), Names()
        self._upos = Names(OPEN_CLASSES)
        self._rows: Integers = np.zeros((4, 0), dtype=np.int32)  # form, lower, lemma, upos by token number
        self._texts = Texts()

    def __len__(self) -> int:
        return len(self.tokens)

    def add_tagged(self, sentences: Sequence[TaggedSentence]) -> list[Integers]:
        """The token numbers of each sentence."""
        with self._adding:
            return [
                self._add([*zip(s.forms, s.lemmas, s.upos, s.tags, s.deps, strict=True)]) for s in sentences
            ]

    def add_numbered(self, forms: Sequence[str], ids: Integers, tags: NumberedTags) -> Integers:
        """The token numbers of forms that are given as numbers, with their analyses."""
        rows = np.stack([ids, *(column for _, column in tags[:4])], axis=1).astype(np.int32, copy=False)
        numbers, first = unique_rows(Ragged(rows.ravel(), 5 * np.arange(len(rows) + 1)))
        names = (forms, *(names for names, _ in tags[:4]))
        columns = zip(names, rows[first].T.tolist(), strict=True)
        tokens = [*zip(*(map(some.__getitem__, column) for some, column in columns), strict=True)]
        with self._adding:
            return self._add(tokens)[numbers]

    def _add(self, tokens: Sequence[tuple[str, ...]]) -> Integers:
        known = self._numbers
        new = [token for token in dict.fromkeys(tokens) if token not in known]
        self.tokens += [Token(form, form.lower(), *analysis) for form, *analysis in new]
        known.update(zip(new, range(len(known), len(known) + len(new)), strict=True))
        return np.fromiter(map(known.__getitem__, tokens), dtype=np.int32, count=len(tokens))

    def columns(self, sentences: Sequence[Integers]) -> SentenceColumns:
        """Sentences of token numbers as the aligner reads them."""
        with self._adding:
            self._extend_rows()
            rows, texts = self._rows, self._texts
        offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        numbers = np.concatenate([np.zeros(0, dtype=np.int32), *sentences])
        form, lower, lemma, upos = rows.take(numbers, axis=1)
        return SentenceColumns(offsets, form, lower, lemma, upos, texts)

    def _extend_rows(self) -> None:
        new = self.tokens[self._rows.shape[1] :]
        if new:
            known = len(self._forms)
            added = [
                self._forms.numbers([token.form for token in new]),
                self._lowers.numbers([token.lower for token in new]),
                self._lemmas.numbers([token.lemma for token in new]),
                self._upos.numbers([token.upos for token in new]),
            ]
            self._texts = self._texts.extended(self._forms.names[known:])
            self._rows = np.concatenate([self._rows, added], axis=1)
