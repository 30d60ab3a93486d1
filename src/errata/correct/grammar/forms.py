"""The forms of tokens as numbers, with their contractions split."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from errata.text.growing import Growing

if TYPE_CHECKING:
    from errata.correct.grammar.patterns import Token

_CLITIC = re.compile(r"(?i)(.*\w)(n['’]t|['’](?:s|m|re|ve|ll|d))")
_LONG, _UPPER = 1, 2  # words of more than two letters; those in capitals
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
    """Numbers forms as they come; several threads may ask."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.tokens: dict[int, Token] = {}  # forms with tags, as a grammar numbers and sees them
        self.classes: dict[int, int] = {}  # of these in the search of its patterns
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}
        self._flags, self._parts = Growing(np.uint8), Growing(np.int32, 2)

    def numbers(self, tokens: Sequence[str]) -> _Ints:
        """The numbers of tokens."""
        found = np.fromiter(map(self._numbers.get, tokens, repeat(-1)), np.int32, len(tokens))
        missing = np.flatnonzero(found < 0).tolist()
        if missing:
            self._add([tokens[i] for i in missing])
            found[missing] = [self._numbers[tokens[i]] for i in missing]
        return found

    def _add(self, tokens: Sequence[str]) -> None:
        with self._lock:
            fresh = [token for token in dict.fromkeys(tokens) if token not in self._numbers]
            numbers = {token: number for number, token in enumerate(fresh, len(self.texts))}
            rows = []
            for token in fresh:  # which grows by the parts that are new, too
                parts = parts_of(token)
                for part in parts:
                    if part not in numbers and part not in self._numbers:
                        numbers[part] = len(self.texts) + len(fresh)
                        fresh.append(part)
                own = [numbers[part] if part in numbers else self._numbers[part] for part in parts]
                rows.append((*own, -1)[:2])
            self.texts += fresh
            self._parts.extend(rows)
            self._flags.extend(
                [(_LONG * (len(t) > 2 and t.isalpha())) | (_UPPER * t.isupper()) for t in fresh]
            )
            self._numbers.update(numbers)

    def split(self, numbers: _Ints, lengths: npt.NDArray[np.int64]) -> tuple[_Ints, npt.NDArray[np.int64]]:
        """The forms of tokens with contractions in two, and how many each sentence has then."""
        parts = self._parts.array[numbers]
        two = parts[:, 1] >= 0
        if not two.any():
            return numbers, lengths
        more = np.concatenate([[0], np.cumsum(two)])
        ends = np.cumsum(lengths)
        return parts[parts >= 0], lengths + more[ends] - more[ends - lengths]

    def shouted(self, numbers: _Ints, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which sentences are headings in capitals."""
        flags = self._flags.array[numbers]
        long = np.concatenate([[0], np.cumsum(flags & _LONG > 0)])[offsets]
        upper = np.concatenate([[0], np.cumsum(flags == _LONG | _UPPER)])[offsets]
        counts, in_capitals = np.diff(long), np.diff(upper)
        found: npt.NDArray[np.bool_] = (2 * in_capitals > counts) & (counts > 2)
        return found
