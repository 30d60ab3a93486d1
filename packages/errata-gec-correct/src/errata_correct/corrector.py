"""Correction of text: a model proposes changes, and the changes with enough confidence are applied."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple, Protocol

from errata.errors import plural
from errata.text.lines import check_list
from errata_correct.confidence import Calibration, features_of, kind_of
from errata_correct.tokens import (
    address_spans,
    replacements,
    rewrite,
    sentence_spans,
    token_spans,
    tokenize,
)
from errata_correct.truncated import collect_truncated, report_truncated


class Change(NamedTuple):
    """Replace the tokens `start:end` of a sentence by others.

    `margin` is the logarithm of the ratio of the corrected sentence's probabilities with and without this
    change. `kind` is the kind of change, if the tokens do not show it. `lead` is the logarithm of the ratio
    of the new and the old words' probabilities at their first difference, or 0 if it is unknown.
    """

    start: int
    end: int
    tokens: tuple[str, ...]
    margin: float = 0.0
    kind: str = ""
    lead: float = 0.0


class Model(Protocol):
    """Proposes changes of tokenised sentences."""

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        """The changes of each sentence, in order and without overlap."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Replace the characters `start:end` of a text by `text`; `confidence` is the probability to be right."""

    start: int
    end: int
    text: str
    confidence: float
    kind: str


@dataclass(frozen=True)
class Corrector:
    """Applies the changes of a model whose confidence reaches the threshold.

    `calibration` turns margins into probabilities; without it, probabilities are the model's own, which are
    often too high. The default `threshold` is that of the calibration for each kind of change, or 0.
    """

    model: Model
    calibration: Calibration | None = None
    threshold: float | None = None

    def least(self, kind: str) -> float:
        """The threshold for changes of this kind."""
        if self.threshold is not None:
            return self.threshold
        return self.calibration.threshold(kind) if self.calibration else 0.0

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[tuple[Change, float, str]]]:
        """The changes of tokenised sentences, each with its confidence and kind."""
        calibration = self.calibration or Calibration()
        scored: list[list[tuple[Change, float, str]]] = [[] for _ in sentences]
        for place, changes in enumerate(self.model.changes(sentences)):
            if not changes:
                continue
            tokens = sentences[place]
            kinds = [
                change.kind or kind_of(tokens[change.start : change.end], change.tokens) for change in changes
            ]
            confidences = []
            for change, kind in zip(changes, kinds, strict=True):
                features = features_of(tokens, change.start, change.end, change.lead, len(changes))
                confidences.append(calibration.confidence(kind, change.margin, features))
            least = [*map(self.least, kinds)]
            for group in _linked(tokens, changes, calibration.together):  # applied together or not at all
                confidence = sum(confidences[number] for number in group) / len(group)
                highest = max(least[number] for number in group)
                for number in group:
                    confidences[number], least[number] = confidence, highest
            rows = zip(changes, confidences, kinds, strict=True)
            scored[place] = [row for row, enough in zip(rows, least, strict=True) if row[1] >= enough]
            if (hidden := _hidden.get()) is not None:
                hidden.append(len(changes) - len(scored[place]))
        return scored

    def suggest(self, texts: Sequence[str]) -> list[list[Suggestion]]:
        """The suggestions for running texts, in order; a text may be a sentence or a whole paragraph."""
        check_list(texts, "texts")
        spans = [sentence_spans(text) for text in texts]
        sentences = [tokenize(text[a:b]) for text, some in zip(texts, spans, strict=True) for a, b in some]
        owners = [number for number, some in enumerate(spans) for _ in some]
        with collect_truncated() as truncated:
            changed = self.changes(sentences)
        report_truncated(owners[sentence] for sentence in truncated)
        suggestions: list[list[Suggestion]] = [[] for _ in texts]
        for number, span, changes in zip(owners, chain.from_iterable(spans), changed, strict=True):
            if changes:
                suggestions[number] += _suggestions(texts[number], span, changes)
        return suggestions

    def correct(self, lines: Sequence[str]) -> list[str]:
        """Corrected running text; uncorrected text does not change."""
        return [
            apply(line, suggestions) if suggestions else line
            for line, suggestions in zip(lines, self.suggest(lines), strict=True)
        ]

    def correct_tokenized(self, lines: Sequence[str]) -> list[str]:
        """Corrected lines of tokens that are separated by blanks."""
        check_list(lines, "lines")
        sentences = [line.split() for line in lines]
        for tokens, changes in zip(sentences, self.changes(sentences), strict=True):
            for change, _, _ in reversed(changes):
                tokens[change.start : change.end] = change.tokens
        return [" ".join(tokens) for tokens in sentences]


_hidden: ContextVar[list[int] | None] = ContextVar("hidden", default=None)


@contextmanager
def collect_hidden() -> Iterator[list[int]]:
    """Collect the numbers of changes that are left out of sentences because they are uncertain."""
    counts: list[int] = []
    token = _hidden.set(counts)
    try:
        yield counts
    finally:
        _hidden.reset(token)


def hidden_note(count: int) -> str:
    """A note about changes that were left out."""
    return f"{count:,} uncertain {plural(count, 'suggestion')} hidden; --threshold 0 shows them"


def _linked(tokens: Sequence[str], changes: Sequence[Change], together: int | None) -> list[list[int]]:
    """Groups of changes that depend on each other: moved words, and changes with few words between them."""
    pairs = [*_moves(tokens, changes)]
    if together is not None:
        pairs += [
            (number, number + 1)
            for number, (one, two) in enumerate(pairwise(changes))
            if two.start - one.end <= together
        ]
    group_of: dict[int, list[int]] = {}
    for one, other in pairs:
        group, joined = group_of.setdefault(one, [one]), group_of.setdefault(other, [other])
        if group is not joined:
            group += joined
            group_of.update(dict.fromkeys(joined, group))
    return [group for number, group in group_of.items() if number == group[0]]


def _moves(tokens: Sequence[str], changes: Sequence[Change]) -> Iterator[tuple[int, int]]:
    """Words that are moved: pairs of a change that inserts words and one that deletes the same words."""
    inserted: dict[tuple[str, ...], list[int]] = {}
    for number, change in enumerate(changes):
        if change.start == change.end:
            inserted.setdefault(_lower(change.tokens), []).append(number)
    for number, change in enumerate(changes) if inserted else ():
        deleted = _lower(tokens[change.start : change.end])
        if not change.tokens and any(map(str.isalnum, "".join(deleted))) and inserted.get(deleted):
            yield inserted[deleted].pop(0), number


def _lower(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(str.lower, tokens))


def _suggestions(
    text: str, sentence: tuple[int, int], changes: Sequence[tuple[Change, float, str]]
) -> Iterator[Suggestion]:
    """The changes of one sentence as suggestions; changes within web or mail addresses are left out."""
    begin, end = sentence
    spans = [(begin + a, begin + b) for a, b in token_spans(text[begin:end])]
    addresses = [(begin + a, begin + b) for a, b in address_spans(text[begin:end])]
    kept = [row for row in changes if not _touches(row[0], spans, addresses, end)]
    places = replacements(text, spans, [change[:3] for change, _, _ in kept])
    for place, (_, confidence, kind) in zip(places, kept, strict=True):
        yield Suggestion(*place, confidence, kind)


def _touches(
    change: Change, spans: Sequence[tuple[int, int]], addresses: Sequence[tuple[int, int]], end: int
) -> bool:
    """Whether a change of tokens lies within an address; `spans` are those of the sentence's tokens."""
    first = spans[change.start][0] if change.start < len(spans) else end
    last = spans[change.end - 1][1] if change.end > change.start else first
    before = bisect_left(addresses, (last,))  # the addresses that begin before the end of the change
    return before > 0 and addresses[before - 1][1] > first


def apply(text: str, suggestions: Sequence[Suggestion]) -> str:
    """The text with all these suggestions applied."""
    return rewrite(text, [(one.start, one.end, one.text) for one in suggestions])
