"""Candidate corrections of a word: similar words of the lexicon, confused words, commas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from errata.errors import DataError
from errata.models.ngram_model import BITS, SPECIAL, STEP, UNIT, UNKNOWN, Grams
from errata.native.ragged import Ragged
from errata_correct.error_model import ErrorModel, Weights, cost
from errata_correct.letters import code_points, without_marks
from errata_correct.native import lexicon as native_lexicon

_LONGEST = 28  # letters of a word that is looked up
_LONGEST_LISTED = 30  # letters of a word of the lexicon that may be a candidate
_CANDIDATES = 12
_WITH_COMMA = 3  # candidates that are also tried after a comma
_FREQUENT = 61  # letters with their own bit in sets of letters
_RARE = 1 << 62  # the bit of all other letters
_NEVER = 1 << 30

Rows = npt.NDArray[np.int32]
"""Choices: a word, a second one (-1: none), and the cost. The first word is -1 if the token is removed."""


class Lexicon:
    """The words with letters as a trie. Letters are numbered from 1 by their place in `alphabet`."""

    def __init__(self, words: Sequence[str], most: int = native_lexicon.MOST_NODES) -> None:
        chosen = [
            number
            for number, word in enumerate(words)
            if number >= len(SPECIAL) and len(word) <= _LONGEST_LISTED and any(map(str.isalpha, word))
        ]
        chosen.sort(key=words.__getitem__)
        spelled = code_points([words[number] for number in chosen])
        counts = np.bincount(spelled.values)
        used = {chr(code) for code in np.flatnonzero(counts).tolist()}
        self.alphabet = "".join(sorted(used | {base for char in used for base in without_marks(char)}))
        frequent = np.sort(np.argsort(-counts, kind="stable")[:_FREQUENT])
        frequent = frequent[counts[frequent] > 0]
        self.sets = np.full(len(self.alphabet) + 1, _RARE)  # each letter as a set
        self.sets[self._numbers(frequent)] = 1 << np.arange(len(frequent), dtype=np.int64)
        letters = Ragged(self._numbers(spelled.values), spelled.offsets)
        try:
            self.trie = native_lexicon.Trie(letters, np.array(chosen, dtype=np.int32), self.sets, most)
        except ValueError as error:
            raise DataError(f"the lexicon is too large: {error}", hint="leave out rare words") from None

    def letters(self, words: Sequence[str]) -> Ragged:
        """The numbers of the words' letters; 0 for a letter that is not in the alphabet."""
        spelled = code_points(words)
        return Ragged(self._numbers(spelled.values), spelled.offsets)

    def _numbers(self, codes: npt.NDArray[np.integer]) -> Rows:
        alphabet = np.array([ord(char) for char in self.alphabet], dtype=np.int32)
        table = np.zeros(int(alphabet.max(initial=0)) + 2, dtype=np.int32)
        table[alphabet] = np.arange(1, len(alphabet) + 1)
        numbers: Rows = table[np.minimum(codes, len(table) - 1)]
        return numbers


@dataclass(frozen=True)
class Candidates:
    """Finds the choices of written words in lower case. The first choice of a word is to keep it."""

    words: Sequence[str]
    ids: Mapping[str, int]
    forms: Grams
    errors: ErrorModel
    weights: Weights
    mode: str

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.words)

    @cached_property
    def _letter_costs(self) -> native_lexicon.LetterCosts:
        replace, delete, insert, same = self.errors.tables(self.lexicon.alphabet, self.mode)
        no_edit = same.astype(bool) | np.eye(len(same), dtype=bool)
        accepts = np.bitwise_or.reduce(np.where(no_edit, self.lexicon.sets[:, None], 0), axis=0)
        by_written = np.ascontiguousarray(replace.T), np.ascontiguousarray(same.T, dtype=np.uint8)
        return native_lexicon.LetterCosts(*by_written, delete, insert, cost(self.errors.swap), accepts)

    @cached_property
    def _word_costs(self) -> Rows:
        return self.forms.costs[0].astype(np.int32) * STEP

    @cached_property
    def _confusions(self) -> dict[str, list[tuple[int, int]]]:
        """The words that a written word is confused with, and the costs."""
        confusions: dict[str, list[tuple[int, int]]] = {}
        for (clean, written), p in self.errors.words.items():
            if clean in self.ids:
                confusions.setdefault(written, []).append((self.ids[clean], cost(p)))
        return confusions

    @cached_property
    def _after_comma(self) -> npt.NDArray[np.bool_]:
        """The words that have been seen after a comma."""
        pairs = self.forms.keys[0]
        seen = np.zeros(len(self.words), dtype=bool)
        seen[pairs[pairs >> BITS == self.ids.get(",", -1)] & ((1 << BITS) - 1)] = True
        return seen

    def prepare(self) -> None:
        """Build all tables now, so that threads do not build them twice."""
        self._letter_costs, self._word_costs, self._confusions, self._after_comma  # noqa: B018

    def find(self, words: Sequence[str]) -> list[Rows]:
        """The choices of each word."""
        own = np.fromiter((self.ids.get(word, UNKNOWN) for word in words), np.int32, len(words))
        searched = np.array([_is_looked_up(word) for word in words], dtype=bool)
        spelling = self.mode == "spelling"
        change = round(self.weights.change * UNIT) if spelling else 0
        unknown = np.where(searched & (own == UNKNOWN), round(self.weights.unknown * UNIT), 0)
        near, costs, counts = self._near(words, own, searched)
        columns = (column.tolist() for column in (own, unknown, near, costs + change, counts, searched))
        choices = []
        for word, kept, price, others, prices, count, is_searched in zip(words, *columns, strict=True):
            by_word = {kept: price}
            for other, other_price in zip(others[:count], prices, strict=False):
                by_word.setdefault(other, other_price)
            if spelling and is_searched:
                for other, other_price in self._confusions.get(word, ()):
                    total = other_price + change // 2
                    by_word[other] = min(total, by_word.get(other, total))
            rows = [(other, -1, price) for other, price in by_word.items()]
            if spelling:
                rows += self._with_commas(word, by_word) if is_searched else self._removed(word)
            choices.append(np.array(rows, dtype=np.int32))
        return choices

    def _near(
        self, words: Sequence[str], own: Rows, searched: npt.NDArray[np.bool_]
    ) -> tuple[Rows, Rows, Rows]:
        """The words of the lexicon within the allowed edits, their costs, and their numbers."""
        letters = self.lexicon.letters(words)
        limits = np.empty((len(words), 2), dtype=np.int32)
        if self.mode == "diacritics":
            limits[:] = (0, 1 << 19)
        else:
            edits = np.where(own != UNKNOWN, self.weights.edits_known, self.weights.edits_unknown)
            limits[:, 0] = np.minimum(edits, (letters.lengths + 1) // 3)
            limits[:, 1] = np.where(own != UNKNOWN, 11, 16) * UNIT
        limits[~searched, 1] = -1  # below every cost
        near, costs, counts = native_lexicon.candidates(
            self.lexicon.trie, self._letter_costs, self._word_costs, letters, limits, _CANDIDATES
        )
        counts[~searched] = 0
        return near, costs, counts

    def _with_commas(self, word: str, by_word: Mapping[int, int]) -> list[tuple[int, int, int]]:
        """The cheapest choices after a comma."""
        comma = self.ids.get(",", -1)
        if comma < 0:
            return []
        extra = cost(self.errors.drop.get(",", 0.0)) + round(self.weights.comma * UNIT)
        likely = [other for other in by_word if self._after_comma[other]]
        likely.sort(key=by_word.__getitem__)
        return [(comma, other, by_word[other] + extra) for other in likely[:_WITH_COMMA]]

    def _removed(self, word: str) -> list[tuple[int, int, int]]:
        """The choice to remove a comma."""
        if word != "," or not self.errors.add.get(",", 0.0):
            return []
        return [(-1, -1, cost(self.errors.add[","]) + round(self.weights.comma * UNIT))]


def _is_looked_up(word: str) -> bool:
    """Whether candidates are searched for this word."""
    return len(word) <= _LONGEST and any(map(str.isalpha, word)) and not word.isdigit()
