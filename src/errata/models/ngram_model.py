"""Compact trigram language models: costs in eighths of a natural logarithm, n-grams in sorted arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.model_file import below, expect, unpack
from errata.errors import DataError, MissingPackageError
from errata.models.protocols import Floats, Likelihood

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
BITS = 21  # of a word's id in a packed trigram
UNIT = 256  # costs are in 1/256 of a natural logarithm
STEP = 32  # step of stored costs: an eighth of a natural logarithm, so that a cost fits one byte
Integers = npt.NDArray[np.int64]
_SHIPPED = ("cs", "en")


@dataclass(frozen=True)
class Grams:
    """A trigram model as arrays: costs and backoffs by packed n-grams."""

    costs: tuple[npt.NDArray[np.uint8], ...]  # of unigrams, bigrams and trigrams, in steps
    backoffs: tuple[npt.NDArray[np.int8], ...]  # of unigrams and bigrams
    keys: tuple[npt.NDArray[np.int64], ...]  # of bigrams and trigrams, sorted

    def __len__(self) -> int:
        """Number of bigrams and trigrams."""
        return sum(map(len, self.keys))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], prefix: str = "") -> Grams:
        """Read and check the arrays of a model file; a ValueError says what is inconsistent."""
        steps, backoffs = (
            [expect(arrays[f"{prefix}{name}{n}"], kind) for n in range(count)]
            for name, kind, count in (("costs", "u", 3), ("backoffs", "i", 2))
        )
        words = len(expect(steps[0], "u", len(backoffs[0])))
        last = [below(expect(arrays[f"{prefix}last{n}"], "i"), words, least=1) for n in range(2)]
        first = [expect(arrays[f"{prefix}first{n}"], "i", len(last[n])) for n in range(2)]
        before = np.cumsum(below(first[0], words), dtype=np.int64)
        pairs = (below(before, words) << BITS) | last[0]
        contexts = below(np.cumsum(below(first[1], len(pairs)), dtype=np.int64), len(pairs))
        triples = (pairs[contexts] << BITS) | last[1] if len(pairs) else pairs
        for keys, *values in ((pairs, steps[1], backoffs[1]), (triples, steps[2])):
            if any(len(value) != len(keys) for value in values) or not (np.diff(keys) > 0).all():
                raise ValueError("n-grams are out of order or lack their costs")
        kinds = {array.dtype for array in (*steps, *backoffs)}
        if kinds != {np.dtype(np.uint8), np.dtype(np.int8)} or not 0 < words < 1 << BITS:
            raise ValueError(f"costs of {words} words in {', '.join(sorted(map(str, kinds)))}")
        return cls(tuple(steps), tuple(backoffs), (pairs, triples))


def shipped(name: str) -> Path | None:
    """The file of a model that errata-gec-correct ships (`cs`, `en`), or None for other names."""
    if name not in _SHIPPED:
        return None
    package = find_spec("errata_correct")
    if package is None or package.origin is None:
        raise MissingPackageError(f"the language model {name!r}", "errata-gec-correct")
    return Path(package.origin).parent / "models" / f"{name}.channel"


@dataclass(frozen=True)
class NGramModel:
    """Trigrams over lower-case tokens; unknown words have a low probability."""

    words: Sequence[str]
    grams: Grams

    @classmethod
    def load(cls, path: Path) -> NGramModel:
        """Read and check the language model of a `.channel` file."""
        from errata.corpus.files import read_bytes

        arrays = unpack(read_bytes(path), str(path))
        try:
            words = expect(arrays["words"], "u").tobytes().decode("utf-8").split("\n")
            grams = Grams.from_arrays(arrays)
            expect(grams.costs[0], "u", len(words))
            if tuple(words[: len(SPECIAL)]) != SPECIAL:
                raise ValueError("the special words are missing")
        except (KeyError, ValueError, TypeError) as error:
            raise DataError(f"not an n-gram model: {error}"[:300], path=path) from None
        return cls(words, grams)

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The number of every word."""
        return {word: i for i, word in enumerate(self.words)}

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        """The probability of every text; its end counts as a token."""
        ids = self.ids
        lines = [[ids.get(word.lower(), UNKNOWN) for word in text.split()] for text in texts]
        lengths = [len(line) + 1 for line in lines]
        if not lines:
            return []
        # Each line is <s> <s> words </s>; the first <s> is padding that is never looked up.
        flat = np.array([i for line in lines for i in (BEGIN, BEGIN, *line, END)], dtype=np.int64)
        starts = np.cumsum([0, *(n + 2 for n in lengths)])[:-1]
        predicted = np.concatenate(
            [np.arange(a + 2, a + 2 + n) for a, n in zip(starts, lengths, strict=True)]
        )
        first = np.zeros(len(flat), dtype=np.bool_)
        first[starts + 2] = True
        costs = self._costs(flat[predicted - 2], flat[predicted - 1], flat[predicted], first[predicted])
        sums = np.add.reduceat(costs, np.cumsum([0, *lengths])[:-1])
        return [Likelihood(float(-total), n) for total, n in zip(sums, lengths, strict=True)]

    def _costs(self, a: Integers, b: Integers, c: Integers, first: npt.NDArray[np.bool_]) -> Floats:
        """Negative log probabilities of c after a and b, or after b alone if c is the first word."""
        grams = self.grams
        pairs, triples = grams.keys
        ab, bc = (a << BITS) | b, (b << BITS) | c
        cost2, has2 = _look_up(pairs, grams.costs[1], bc)
        cost3, has3 = _look_up(triples, grams.costs[2], (ab << BITS) | c)
        back2, _ = _look_up(pairs, grams.backoffs[1], ab)
        back1 = grams.backoffs[0][b].astype(np.int64)
        shorter = np.where(has2, cost2, back1 + grams.costs[0][c])
        steps = np.where(first, shorter, np.where(has3, cost3, back2 + shorter))
        return steps.astype(np.float64) * (STEP / UNIT)


def _look_up(
    keys: Integers, values: npt.NDArray[Any], wanted: Integers
) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """The values of the wanted keys (0 if a key is missing), and whether each key exists."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    exists = keys[places] == wanted
    return np.where(exists, values[places].astype(np.int64), 0), exists
