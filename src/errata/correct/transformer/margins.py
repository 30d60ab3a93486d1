"""What a Transformer changes, and how sure it is of each change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from errata.correct.suggestions import Change
from errata.correct.tokens import differences

_LEAST = 1e-9  # of a probability not to be right


class Scorer(Protocol):
    """Corrects tokenised lines, and tells how probable each word of a given correction is.

    `word_log_probabilities` gives the logarithms for all words of each target and for its end.
    """

    def correct_tokenized(self, lines: Sequence[str]) -> list[str]: ...
    def word_log_probabilities(self, sources: Sequence[str], targets: Sequence[str]) -> list[list[float]]: ...


def changes(model: Scorer, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
    """The changes of each sentence; the margin is −log(1 − p), where p is the probability of the new words.

    For words that are left out, p is the probability of the word after them.
    """
    sources = [" ".join(tokens) for tokens in sentences]
    corrected = model.correct_tokenized(sources)
    found = [differences(tokens, target.split()) for tokens, target in zip(sentences, corrected, strict=True)]
    asked = [number for number, parts in enumerate(found) if parts]
    scores = iter(
        model.word_log_probabilities([sources[i] for i in asked], [corrected[i] for i in asked])
        if asked
        else []
    )
    made: list[list[Change]] = []
    for parts in found:
        words = next(scores) if parts else []
        moved = 0  # how many words the target has more than the source so far
        made.append([])
        for start, end, tokens in parts:
            first = start + moved
            probability = math.exp(sum(words[first : first + max(len(tokens), 1)]))
            made[-1].append(Change(start, end, tokens, -math.log(max(1 - probability, _LEAST))))
            moved += len(tokens) - (end - start)
    return made


def by_word(pieces: Sequence[str], scores: Iterable[float]) -> list[float]:
    """Sums over the subwords of each word; the last subword is the end of the sentence."""
    found: list[float] = []
    last = len(pieces) - 1
    for number, (piece, score) in enumerate(zip(pieces, scores, strict=True)):
        if not found or number == last or piece.startswith("▁"):
            found.append(score)
        else:
            found[-1] += score
    return found
