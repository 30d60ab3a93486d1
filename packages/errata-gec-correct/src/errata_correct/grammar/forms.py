"""The forms of tokens as numbers, with their contractions split, and what patterns see of them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from errata.native.ragged import Ragged
from errata.text.growable_array import GrowableArray
from errata.text.vocabulary import Vocabulary

_CLITIC = re.compile(r"(?i)(.*\w)(n['’]t|['’](?:s|m|re|ve|ll|d))")
_LONG, _UPPER = 1, 2  # words of more than two letters; those in capitals
_TAGS = 64  # more than a tagger knows
_Ints = npt.NDArray[np.int32]


def parts_of(token: str) -> tuple[str, ...]:
    """A contraction in two (`do n't`), and any other token as it is."""
    match = _CLITIC.fullmatch(token) if "'" in token or "’" in token else None
    return match.groups() if match else (token,)


def split_contractions(tokens: Sequence[str]) -> tuple[list[str], list[int]]:
    """Tokens with their contractions in two (`do n't`), and the place where each one stood."""
    made: list[str] = []
    owners: list[int] = []
    for owner, token in enumerate(tokens):
        parts = parts_of(token)
        made += parts
        owners += [owner] * len(parts)
    return made, owners


class Forms:
    """What is known of the tokens of a vocabulary; several threads may ask.

    `look` gives all that patterns can see of a form but its tag, and `open_class` its class with any tag.
    """

    def __init__(
        self, vocabulary: Vocabulary, look: Callable[[str], Hashable], open_class: Callable[[str], int]
    ) -> None:
        self.vocabulary = vocabulary
        self.texts: list[str] = []
        self._look, self._open_class = look, open_class
        self._lock = threading.Lock()
        self._numbers: dict[Hashable, int] = {}  # of looks
        self._flags, self._parts = GrowableArray(np.uint8), GrowableArray(np.int32, 2)
        self._looks = GrowableArray(np.int32)
        self._classes = GrowableArray(np.int32, _TAGS)  # of looks with tags; -1 where it is not known
        self._open = GrowableArray(np.int32)  # the classes of looks with any tag

    def update(self) -> None:
        """Learn what there is to know of new tokens, and of the parts of these."""
        with self._lock:
            while (known := len(self.texts)) < len(self.vocabulary):
                new = range(known, len(self.vocabulary))
                texts = self.vocabulary.some_tokens(new)
                rows = np.stack([new, np.full(len(new), -1)], axis=1)
                parts = [parts_of(text) for text in texts]
                two = [place for place, some in enumerate(parts) if len(some) == 2]
                if two:
                    rows[two] = self.vocabulary.encode([parts[place] for place in two]).values.reshape(-1, 2)
                self._parts.extend(rows)
                self._flags.extend(
                    [(_LONG * (len(t) > 2 and t.isalpha())) | (_UPPER * t.isupper()) for t in texts]
                )
                self._looks.extend([self._number(text) for text in texts])
                self.texts += texts

    def _number(self, text: str) -> int:
        """The number of a form's look."""
        number = self._numbers.setdefault(self._look(text), len(self._numbers))
        if number == len(self._open.array):
            self._classes.extend(np.full((1, _TAGS), -1))
            self._open.extend([self._open_class(text)])
        return number

    def split(self, rows: Ragged) -> Ragged:
        """Sentences with contractions in two."""
        parts = self._parts.array[rows.values]
        two = parts[:, 1] >= 0
        if not two.any():
            return rows
        more = np.concatenate([[0], np.cumsum(two)])
        return Ragged(parts[parts >= 0], rows.offsets + more[rows.offsets])

    def shouted(self, rows: Ragged) -> npt.NDArray[np.bool_]:
        """Which sentences are headings in capitals."""
        flags = self._flags.array[rows.values]
        long = np.concatenate([[0], np.cumsum(flags & _LONG > 0)])[rows.offsets]
        upper = np.concatenate([[0], np.cumsum(flags == _LONG | _UPPER)])[rows.offsets]
        counts, in_capitals = np.diff(long), np.diff(upper)
        found: npt.NDArray[np.bool_] = (2 * in_capitals > counts) & (counts > 2)
        return found

    def open_classes(self, ids: _Ints) -> _Ints:
        """The classes of forms with any tag."""
        return self._open.array[self._looks.array[ids]]

    def classes(self, ids: _Ints, tags: _Ints, find: Callable[[list[tuple[str, int]]], list[int]]) -> _Ints:
        """The classes of forms with tags; `find` gives those that are not known."""
        looks = self._looks.array[ids]
        found = self._classes.array[looks, tags]
        missing = np.flatnonzero(found < 0)
        if len(missing):
            keys = looks[missing] * _TAGS + tags[missing]
            different, first, places = np.unique(keys, return_index=True, return_inverse=True)
            some = missing[first]
            asked = zip(ids[some].tolist(), tags[some].tolist(), strict=True)
            new = np.array(find([(self.texts[form], tag) for form, tag in asked]), dtype=np.int32)
            found[missing] = new[places]
            with self._lock:
                self._classes.array[np.divmod(different, _TAGS)] = new
        return found
