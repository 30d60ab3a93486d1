"""What a Transformer changes, and how much less probable its correction is without each change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from errata.correct.suggestions import Change
from errata.correct.tokens import differences


class Scorer(Protocol):
    """Corrects tokenised lines, and tells the log-probability of a given correction."""

    def correct_tokenized(self, lines: Sequence[str]) -> list[str]: ...
    def log_probabilities(self, sources: Sequence[str], targets: Sequence[str]) -> list[float]: ...


def changes(model: Scorer, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
    """The changes of each sentence, with the margin of its correction with and without each."""
    sources = [" ".join(tokens) for tokens in sentences]
    corrected = model.correct_tokenized(sources)
    found = [differences(tokens, target.split()) for tokens, target in zip(sentences, corrected, strict=True)]
    asked, targets = [], []
    for number, parts in enumerate(found):
        if parts:
            asked.append(number)
            targets.append(corrected[number])
        for left_out in range(len(parts)):
            tokens = list(sentences[number])
            for k in reversed(range(len(parts))):
                if k != left_out:
                    start, end, words = parts[k]
                    tokens[start:end] = words
            asked.append(number)
            targets.append(" ".join(tokens))
    scores = iter(model.log_probabilities([sources[number] for number in asked], targets))
    made = []
    for parts in found:
        whole = next(scores) if parts else 0.0
        made.append([Change(*part, whole - next(scores)) for part in parts])
    return made
