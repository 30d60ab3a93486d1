"""Alignment of tagged sentences in native code, and the columns of numbers that it compares."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.edits.tagged_sentence import NumberedTags, TaggedSentence, Token
from errata.native import align as kernel
from errata.native.ragged import Ragged
from errata.text.vocabulary import Names, unique_rows

Integers = npt.NDArray[Any]
OPEN_CLASSES = ("ADJ", "ADV", "NOUN", "VERB")  # the aligner expects them as numbers 0 … 3


@dataclass(frozen=True)
class CodePoints:
    """The code points of a sequence of texts."""

    offsets: Integers = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    chars: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    longest: int = 0  # characters

    def extended(self, texts: Sequence[str]) -> CodePoints:
        """The columns with additional texts."""
        data = "".join(texts).encode("utf-32-le", "surrogatepass")
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        return CodePoints(
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
    texts: CodePoints  # of the forms, by number


class TokenTable:
    """The distinct tagged words seen so far. Several threads may add words; numbers never change."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self._numbers: dict[tuple[str, ...], int] = {}
        self._adding = threading.Lock()
        self._forms, self._lowers, self._lemmas = Names(), Names(), Names()
        self._upos = Names(OPEN_CLASSES)
        self._rows: Integers = np.zeros((4, 0), dtype=np.int32)  # form, lower, lemma, upos by token number
        self._texts = CodePoints()

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


_CELL_BYTES = 13  # of the tables of a pair
NO_WEIGHTS = np.zeros((1, 1))


class CostModel(IntEnum):
    """How the letters of two tokens are compared (`errata.native.align`), and which may be transposed."""

    PLAIN = 0  # not at all: Levenshtein distance over tokens
    EXACT = 1  # by the insertions and deletions between them; only the same words, but for case
    SIMILAR = 2  # by matching blocks; up to five misspelt words


class Alignments(NamedTuple):
    """The steps of pairs of sentences, as `errata.native.align` numbers them."""

    offsets: Integers  # where the steps of each pair begin
    steps: Integers
    counts: Integers  # the number of steps of each pair; 0 if it exceeded a limit
    limits: tuple[str, ...]  # the limit that each pair exceeded, "work" or "memory", or ""


@dataclass(frozen=True)
class Letters:
    """Weights of substituting letters, by their codes; letters that are not listed share the last code."""

    codes_of: dict[str, int]
    weights: npt.NDArray[np.float64]

    def codes(self, texts: CodePoints) -> npt.NDArray[np.int32]:
        """The codes of all characters of some texts."""
        table = np.full(max(map(ord, self.codes_of)) + 2, len(self.weights) - 1, dtype=np.int32)
        table[[*map(ord, self.codes_of)]] = [*self.codes_of.values()]
        codes: npt.NDArray[np.int32] = table[np.minimum(texts.chars, len(table) - 1)]
        return codes


class Aligner:
    """Aligns pairs of tagged sentences."""

    def __init__(self, comparison: CostModel, letters: Letters | None = None) -> None:
        self.comparison = comparison
        self.letters = letters

    def align(self, columns: SentenceColumns, pairs: Integers) -> Alignments:
        """The steps of each pair (source, correction), given as numbers of sentences."""
        texts = columns.texts
        codes = texts.chars if self.letters is None else self.letters.codes(texts)
        weights = NO_WEIGHTS if self.letters is None else self.letters.weights
        current, lengths = limits.current(), np.diff(columns.offsets)[pairs]
        is_long = (lengths + 1).prod(axis=1) * _CELL_BYTES > current.memory
        offsets, steps, counts = kernel.align(
            columns, texts, pairs, int(self.comparison), codes, weights, is_long.view(np.uint8), current.work
        )
        exceeded = [""] * len(pairs)
        for number in np.flatnonzero((counts < 0) | is_long).tolist():
            exceeded[number] = "memory" if is_long[number] else "work"
        return Alignments(offsets, steps, np.maximum(counts, 0), tuple(exceeded))
