"""Letter confusions by expectation–maximisation: all ways in which a word can have become what was written.

A clean word is written from left to right. Before each letter, and at the end, letters may be inserted, one
after the other; then the letter is written as it is, replaced or left out, or changes places with the next.
Forward and backward sums over all such ways give the expected number of every event; their relative
frequencies are the next probabilities, and the likelihood of the pairs never falls (Dempster, Laird & Rubin
1977; for edits, Ristad & Yianilos 1998). Pairs of like lengths are summed at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from errata_correct.letters import without_marks
from errata_correct.profile import align

Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]  # clean, written
_LONGEST = 28  # letters of a word that is learned from
_GAP = 3  # how many letters more or fewer may be written
_LEAST = 1e-7  # a probability below is none
_SEEN = 3  # a confusion of two words counts once it was seen this often
_DISCOUNT = 1  # taken off the count of a confusion: few examples promise too much
_PRIOR = 10  # occurrences without error, added to those of every word
_SHARE = 0.05  # of what was written: a word that is nearly always left as it is was not confused


@dataclass(frozen=True)
class Confusions:
    """Probabilities of events, and the logarithms of the likelihood before every round and at the end."""

    replace: Mapping[tuple[str, str], float]
    delete: Mapping[str, float]
    insert: Mapping[str, float]
    swap: float
    likelihoods: Sequence[float]


def written_words(corrected: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Counter[Pair]:
    """How often each word was written how, in lower case, from (erroneous, corrected) sentences.

    Sentences without any diacritics are left out: their writers omit all of them, not single ones.
    """
    found: Counter[Pair] = Counter()
    for wrong, right in corrected:
        marked = sum(without_marks(w) != w for w in right)
        if marked >= 3 and all(without_marks(w) == w for w in wrong):
            continue
        for noisy, clean in align(wrong, right):
            if len(noisy) == len(clean) == 1:
                pair = clean[0].lower(), noisy[0].lower()
                if all(map(str.isalpha, pair)) and max(map(len, pair)) <= _LONGEST:
                    found[pair] += 1
    return found


def confused_words(pairs: Mapping[Pair, int]) -> dict[Pair, float]:
    """How probably a word is written as another one, from counts of (clean, written) words.

    The counts are discounted: a word that was corrected three times in four is not wrong so often elsewhere.
    Corrections of words that mostly stay as they are, such as one synonym for another, are left out.
    """
    total: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for (clean, written), count in pairs.items():
        total[clean] += count
        seen[written] += count
    return {
        (clean, written): (count - _DISCOUNT) / (total[clean] + _PRIOR)
        for (clean, written), count in pairs.items()
        if clean != written and count >= max(_SEEN, _SHARE * seen[written])
    }


def word_pairs(pairs: Mapping[Pair, int]) -> Counter[Pair]:
    """Of counts of (clean, written) words those that may be misspellings: with much in common."""
    from rapidfuzz.distance import OSA

    return Counter(
        {
            pair: count
            for pair, count in pairs.items()
            if OSA.distance(*map(without_marks, pair)) <= min(_GAP, max(1, len(pair[0]) // 3))
        }
    )


def learn(pairs: Mapping[Pair, int], rounds: int = 30, tolerance: float = 1e-6) -> Confusions:
    """Probabilities of letter errors from counts of (clean, written) words, those without error among them.

    Ends after so many rounds, or when one raises the likelihood by less than this part of it.
    """
    alphabet = sorted({letter for pair in pairs for word in pair for letter in word})
    place = {letter: i for i, letter in enumerate(alphabet)}
    groups: dict[tuple[int, int], list[tuple[Pair, int]]] = {}
    for pair, count in pairs.items():
        if pair[0] and abs(len(pair[0]) - len(pair[1])) <= _GAP:
            groups.setdefault((len(pair[0]), len(pair[1])), []).append((pair, count))
    batches = [
        (
            np.array([[place[c] for c in pair[0]] for pair, _ in group]).reshape(len(group), n),
            np.array([[place[c] for c in pair[1]] for pair, _ in group]).reshape(len(group), m),
            np.array([count for _, count in group], dtype=np.float64),
        )
        for (n, m), group in sorted(groups.items())
    ]
    events = _Events.start(len(alphabet))
    likelihoods: list[float] = []
    for _ in range(rounds + 1):
        counts = _Expected(len(alphabet))
        likelihoods.append(sum(counts.add(events, *batch) for batch in batches))
        gain = likelihoods[-1] - likelihoods[-2] if len(likelihoods) > 1 else np.inf
        if not batches or len(likelihoods) > rounds or gain <= tolerance * abs(likelihoods[-1]):
            break
        events = counts.most_likely()
    letters = (1 - events.swap) * events.letters
    replace = {
        (alphabet[c], alphabet[b]): float(letters[c, b])
        for c, b in zip(*np.nonzero(letters[:, :-1] > _LEAST), strict=True)
        if c != b
    }
    delete = {alphabet[c]: float(p) for c, p in enumerate(letters[:, -1]) if p > _LEAST}
    insert = {alphabet[b]: float(p) for b, p in enumerate(events.insert) if p > _LEAST}
    return Confusions(replace, delete, insert, float(events.swap), likelihoods)


@dataclass(frozen=True)
class _Events:
    letters: Floats  # clean × written, the last column: left out; rows sum to one
    insert: Floats
    swap: float

    @classmethod
    def start(cls, size: int) -> _Events:
        letters = np.full((size, size + 1), 0.03 / max(size, 1))
        letters[:, size] = 0.01
        np.fill_diagonal(letters, 0.96)
        return cls(letters / letters.sum(1, keepdims=True), np.full(size, 0.01 / max(size, 1)), 0.002)


class _Expected:
    """Expected counts of the events."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.letters = np.zeros(size * (size + 1))
        self.insert = np.zeros(size)
        self.swap = self.go_on = 0.0

    def add(self, events: _Events, clean: Any, written: Any, counts: Floats) -> float:
        """Count the pairs of one pair of lengths; the logarithm of their likelihood."""
        n, m, size = clean.shape[1], written.shape[1], self.size
        go_on = 1 - events.insert.sum()
        one = go_on * (1 - events.swap) * events.letters
        swap = go_on * events.swap
        ahead = np.zeros((n + 1, m + 1, len(counts)))
        back = np.zeros_like(ahead)
        ahead[0, 0], back[n, m] = 1.0, go_on
        crossed = {
            (i, j): (clean[:, i - 2] == written[:, j - 1])
            & (clean[:, i - 1] == written[:, j - 2])
            & (clean[:, i - 1] != clean[:, i - 2])
            for i in range(2, n + 1)
            for j in range(2, m + 1)
            if abs(i - j) <= _GAP
        }
        cells = [(i, j) for i in range(n + 1) for j in range(m + 1) if abs(i - j) <= _GAP + 1]
        for i, j in cells:
            if j:
                ahead[i, j] += events.insert[written[:, j - 1]] * ahead[i, j - 1]
            if i:
                ahead[i, j] += one[clean[:, i - 1], size] * ahead[i - 1, j]
            if i and j:
                ahead[i, j] += one[clean[:, i - 1], written[:, j - 1]] * ahead[i - 1, j - 1]
            if (i, j) in crossed:
                ahead[i, j] += swap * crossed[i, j] * ahead[i - 2, j - 2]
        for i, j in reversed(cells):
            if j < m:
                back[i, j] += events.insert[written[:, j]] * back[i, j + 1]
            if i < n:
                back[i, j] += one[clean[:, i], size] * back[i + 1, j]
            if i < n and j < m:
                back[i, j] += one[clean[:, i], written[:, j]] * back[i + 1, j + 1]
            if (i + 2, j + 2) in crossed:
                back[i, j] += swap * crossed[i + 2, j + 2] * back[i + 2, j + 2]
        total = ahead[n, m] * go_on
        share = counts / np.maximum(total, 1e-300)
        places: list[Any] = []
        amounts: list[Floats] = []
        for i, j in cells:
            if j:
                amount = share * ahead[i, j - 1] * events.insert[written[:, j - 1]] * back[i, j]
                self.insert += np.bincount(written[:, j - 1], amount, minlength=size)
            if i:
                places.append(clean[:, i - 1] * (size + 1) + size)
                amounts.append(share * ahead[i - 1, j] * one[clean[:, i - 1], size] * back[i, j])
            if i and j:
                places.append(clean[:, i - 1] * (size + 1) + written[:, j - 1])
                amounts.append(
                    share * ahead[i - 1, j - 1] * one[clean[:, i - 1], written[:, j - 1]] * back[i, j]
                )
            if (i, j) in crossed:
                swapped = float((share * ahead[i - 2, j - 2] * swap * crossed[i, j] * back[i, j]).sum())
                self.swap += swapped
                self.go_on += swapped
        amount = np.concatenate(amounts)
        self.letters += np.bincount(np.concatenate(places), amount, minlength=len(self.letters))
        self.go_on += float(amount.sum() + counts.sum())  # a pair also ends
        return float(counts @ np.log(np.maximum(total, 1e-300)))

    def most_likely(self) -> _Events:
        letters = self.letters.reshape(self.size, self.size + 1)
        rows = letters.sum(1, keepdims=True)
        unseen = np.eye(self.size, self.size + 1)  # a letter that is only ever inserted
        return _Events(
            np.where(rows > 0, letters / np.maximum(rows, 1e-300), unseen),
            self.insert / (self.insert.sum() + self.go_on),
            self.swap / (self.swap + float(rows.sum())),
        )
