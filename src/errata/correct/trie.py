"""The lexicon as a trie in arrays: nodes level by level, the children of a node side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from errata.correct.letters import flat_codes, without_marks

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Trie:
    """`letters`, `first` child, child `count` and word of every node; node 0 is the root."""

    alphabet: str
    letters: Ints
    first: Ints
    count: Ints
    words: Ints  # -1 where no word ends

    @classmethod
    def build(cls, words: Sequence[str], skip: int = 3, longest: int = 30) -> Trie:
        """A trie of the words from number `skip` on that have letters and are not too long."""
        chosen = [
            i for i, w in enumerate(words) if i >= skip and 0 < len(w) <= longest and any(map(str.isalpha, w))
        ]
        chosen.sort(key=lambda i: words[i])
        used = {char for i in chosen for char in words[i]}
        alphabet = "".join(sorted(used | {base for char in used for base in without_marks(char)}))
        flat, offsets = flat_codes([words[i] for i in chosen])
        lengths = np.diff(offsets)
        matrix = np.zeros((len(chosen), int(lengths.max(initial=0)) + 1), dtype=np.int32)
        columns = np.arange(len(flat)) - np.repeat(offsets[:-1], lengths)
        places = {ord(char): i for i, char in enumerate(alphabet, 1)}
        codes, inverse = np.unique(flat, return_inverse=True)
        classes = np.array([places[int(code)] for code in codes], dtype=np.int32)
        matrix[np.repeat(np.arange(len(chosen)), lengths), columns] = classes[inverse] if len(flat) else 0
        # Sorted words share a prefix with the word before; what is longer is new and becomes nodes.
        differs = np.ones_like(matrix, dtype=bool)
        differs[1:] = matrix[1:] != matrix[:-1]
        shared = differs.argmax(1) if len(chosen) else np.empty(0, dtype=np.int64)
        letters, parents, ends = [np.zeros(1, np.int32)], [np.full(1, -1)], [np.full(1, -1, np.int32)]
        node = np.zeros(len(chosen), dtype=np.int64)
        total = 1
        for depth in range(1, matrix.shape[1]):
            alive = np.flatnonzero(lengths >= depth)
            fresh = shared[alive] < depth
            numbers = total + np.cumsum(fresh) - 1
            made = alive[fresh]
            letters.append(matrix[made, depth - 1])
            parents.append(node[made])
            end = np.full(len(made), -1, dtype=np.int32)
            finished = lengths[alive] == depth
            end[numbers[finished] - total] = np.array(chosen, dtype=np.int32)[alive[finished]]
            ends.append(end)
            node[alive] = numbers
            total += len(made)
        parent = np.concatenate(parents)[1:]
        count = np.bincount(parent, minlength=total).astype(np.int32)
        first = np.zeros(total, dtype=np.int32)
        first[parent[::-1]] = np.arange(total - 1, 0, -1)
        return cls(alphabet, np.concatenate(letters).astype(np.int32), first, count, np.concatenate(ends))

    @cached_property
    def nodes(self) -> Ints:
        """First child, number of children, word, and the set of the children's letters, for the kernel."""
        sets = np.zeros(len(self.letters), dtype=np.int32)
        parents = np.repeat(np.arange(len(self.letters)), self.count)
        np.bitwise_or.at(sets, parents, letter_sets(self.letters)[1:])
        return np.stack([self.first, self.count, self.words, sets], 1)

    def classes(self, words: Sequence[str]) -> tuple[Ints, npt.NDArray[np.int64]]:
        """The letters of words as classes of this trie's alphabet, and where each word begins."""
        places = {char: i for i, char in enumerate(self.alphabet, 1)}
        offsets = np.zeros(len(words) + 1, dtype=np.int64)
        np.cumsum([len(word) for word in words], out=offsets[1:])
        return np.array([places.get(char, 0) for word in words for char in word], dtype=np.int32), offsets


def letter_sets(letters: Ints) -> Ints:
    """Each class of letters as a set of one, modulo 31."""
    found: Ints = np.left_shift(np.int32(1), letters % 31, dtype=np.int32)
    return found
