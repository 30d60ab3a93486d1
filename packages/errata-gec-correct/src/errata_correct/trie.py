"""The lexicon as a trie in arrays: nodes level by level, the children of a node side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.errors import DataError
from errata_correct.letters import flat_codes, without_marks
from errata_correct.native import lexicon

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
_RARE = 1 << 62  # the bit of all letters that are not among the most frequent ones
_FREQUENT = 61
_MOST = (1 << 25) - 1  # nodes


@dataclass(frozen=True)
class Trie:
    """The letter of every node, and what the kernel `lexicon` needs to know of it. Node 0 is the root.

    `sets` has each letter as a set: one bit for every frequent letter, in the order of the alphabet.
    """

    alphabet: str
    sets: Longs
    letters: Ints
    nodes: Longs

    @classmethod
    def build(cls, words: Sequence[str], skip: int = 3, longest: int = 30) -> Trie:
        """A trie of the words from number `skip` on that have letters and are not too long."""
        chosen = sorted(range(skip, len(words)), key=words.__getitem__)
        flat, offsets = flat_codes([words[i] for i in chosen])
        codes = np.flatnonzero(np.bincount(flat))
        alphabetic = np.zeros(int(codes.max(initial=0)) + 1, dtype=bool)
        alphabetic[codes] = [chr(code).isalpha() for code in codes.tolist()]
        lengths = np.diff(offsets)
        seen = np.concatenate([[0], np.cumsum(alphabetic[flat])])[offsets]
        fits = (np.diff(seen) > 0) & (lengths <= longest)
        flat, lengths = flat[np.repeat(fits, lengths)], lengths[fits]
        counts = np.bincount(flat)
        used = {chr(code) for code in np.flatnonzero(counts).tolist()}
        alphabet = "".join(sorted(used | {base for char in used for base in without_marks(char)}))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        levels = np.zeros((2, int(lengths.max(initial=0)) + 2), dtype=np.int64)
        letters, nodes = np.empty(len(flat) + 1, np.int32), np.empty((len(flat) + 2, 2), np.int64)
        ids = np.array(chosen, dtype=np.int32)[fits]
        frequent = np.sort(np.argsort(-counts, kind="stable")[:_FREQUENT])
        frequent = frequent[counts[frequent] > 0]
        sets = np.full(len(alphabet) + 1, _RARE)
        sets[_classes(frequent, alphabet)] = 1 << np.arange(len(frequent), dtype=np.int64)
        flat = _classes(flat, alphabet)
        size = lexicon.build(flat, offsets, ids, sets, levels[0], levels[1], letters, nodes, _MOST)
        if size > _MOST:
            raise DataError(
                f"a lexicon whose words have {size - 1:,} beginnings is too large: {_MOST - 1:,} may be",
                hint="leave out rare words",
            )
        return cls(alphabet, sets, letters[:size].copy(), nodes[: size + 1].copy())

    def classes(self, words: Sequence[str]) -> tuple[Ints, Longs]:
        """The letters of words as classes of this trie's alphabet, and where each word begins."""
        flat, offsets = flat_codes(words)
        return _classes(flat, self.alphabet), offsets


def _classes(codes: Ints | Longs, alphabet: str) -> Ints:
    """The place of every letter in the alphabet, counted from 1; 0 where it is not there."""
    known = np.array([ord(char) for char in alphabet], dtype=np.int32)
    table = np.zeros(int(known.max(initial=0)) + 2, dtype=np.int32)
    table[known] = np.arange(1, len(known) + 1)
    return table[np.minimum(codes, len(table) - 1)]
