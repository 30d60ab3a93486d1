"""The n-gram language models of the shipped correctors: probabilities of text without any download."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.arrays import expect, unpack
from errata.errors import DataError, MissingPackageError
from errata.models.grams import STEP, UNIT, Grams
from errata.models.language_model import BEGIN, BITS, END, SPECIAL, UNKNOWN
from errata.models.protocols import Floats, Likelihood

_SHIPPED = ("cs", "en")
Integers = npt.NDArray[np.int64]


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
    """Trigrams over lower-case tokens between white space; a word that is not known has a low probability."""

    words: Sequence[str]
    grams: Grams

    @classmethod
    def load(cls, path: Path) -> NGramModel:
        """Read the language model of a `.channel` file; everything in it is checked."""
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
        """The probability of every text with its end; tokens are words and the end."""
        known = self.ids
        lines = [[known.get(word.lower(), UNKNOWN) for word in text.split()] for text in texts]
        lengths = [len(line) + 1 for line in lines]
        if not lines:
            return []
        # Each line as <s> <s> words </s>: the second context of the first word is never looked up.
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
        """Negative logarithms of the probability of c after a and b, or after b alone where it is first."""
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
    """The values of wanted keys, 0 where there is none, and whether there is one."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found = keys[places] == wanted
    return np.where(found, values[places].astype(np.int64), 0), found
