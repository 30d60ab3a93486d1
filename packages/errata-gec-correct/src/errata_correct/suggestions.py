"""Suggestions: what a corrector would change in a text, where, and how probably it is right."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from errata.corpus.model import check_list
from errata_correct.confidence import Calibration, features_of, kind_of
from errata_correct.tokens import (
    Sentences,
    address_spans,
    replacements,
    rewrite,
    sentence_spans,
    token_spans,
)
from errata_correct.truncated import tell, unfinished

if TYPE_CHECKING:
    from errata_correct.loading import Corrector


class Change(NamedTuple):
    """Replace the tokens `start:end` of a sentence by others.

    `margin` is the logarithm of how much less probable the corrected sentence would be without this change.
    `kind` says what is corrected where the tokens do not show it. `lead` is the logarithm of how much more
    probable the new words are than the old ones where they begin to differ; 0 where that is not known.
    """

    start: int
    end: int
    tokens: tuple[str, ...]
    margin: float = 0.0
    kind: str = ""
    lead: float = 0.0


def applied(tokens: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """The tokens of a sentence after changes of it, which are in order."""
    corrected = list(tokens)
    for change in reversed(changes):
        corrected[change.start : change.end] = change.tokens
    return corrected


def rewritten(lines: Sequence[str], changed: Sequence[Sequence[Change]]) -> list[str]:
    """Running text, which differs from the lines only where their tokens are changed."""
    return [
        _rewritten(line, changes) if changes else line for line, changes in zip(lines, changed, strict=True)
    ]


def _rewritten(line: str, changes: Sequence[Change]) -> str:
    spans = token_spans(line)
    kept = outside_addresses(line, spans, changes)
    return rewrite(line, replacements(line, spans, [changes[number][:3] for number in kept]))


def outside_addresses(text: str, spans: Sequence[tuple[int, int]], changes: Sequence[Change]) -> list[int]:
    """The numbers of the changes that change no address of a page or of mail; `spans` are those of tokens."""
    addresses = address_spans(text)
    if not addresses:
        return [*range(len(changes))]
    starts = [start for start, _ in addresses]
    found = []
    for number, change in enumerate(changes):
        first = spans[change.start][0] if change.start < len(spans) else len(text)
        last = spans[change.end - 1][1] if change.end > change.start else first
        before = bisect_left(starts, last)  # so many addresses begin before the end of the change
        if not before or addresses[before - 1][1] <= first:
            found.append(number)
    return found


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Replace the characters `start:end` of a text by `text`, which is right with this confidence."""

    start: int
    end: int
    text: str
    confidence: float
    kind: str


@dataclass(frozen=True)
class Suggester:
    """A corrector whose changes have a confidence; those below the threshold are left out.

    `calibration` turns margins into probabilities; without one they are the model's own, which are often too
    high. `threshold` is by default the calibration's own, by kind of change, and 0 without one.
    """

    corrector: Corrector
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
        found: list[list[tuple[Change, float, str]]] = [[] for _ in range(len(sentences))]
        for place, changes in enumerate(self.corrector.changes(sentences)):
            if not changes:
                continue
            tokens = sentences[place]
            kinds = [one.kind or kind_of(tokens[one.start : one.end], one.tokens) for one in changes]
            confidences = []
            for change, kind in zip(changes, kinds, strict=True):
                features = features_of(tokens, change.start, change.end, change.lead, len(changes))
                confidences.append(calibration.confidence(kind, change.margin, features))
            least = [*map(self.least, kinds)]
            for group in _linked(tokens, changes, calibration.together):  # all are made or none
                confidence = sum(confidences[number] for number in group) / len(group)
                highest = max(least[number] for number in group)
                for number in group:
                    confidences[number], least[number] = confidence, highest
            rows = zip(changes, confidences, kinds, strict=True)
            found[place] = [row for row, enough in zip(rows, least, strict=True) if row[1] >= enough]
        return found

    def suggest(self, texts: Sequence[str]) -> list[list[Suggestion]]:
        """The suggestions for running texts, in order; a text may be a sentence or a whole paragraph."""
        check_list(texts, "texts")
        sentences, first = Sentences.of_texts(texts)
        with unfinished() as left:
            changed = self.changes(sentences)
        tell(bisect_right(first, sentence) - 1 for sentence in left)
        found: list[list[Suggestion]] = [[] for _ in texts]
        for number, (low, high) in enumerate(pairwise(first)):
            if any(changed[low:high]):
                for span, changes in zip(sentence_spans(texts[number]), changed[low:high], strict=True):
                    found[number] += _suggestions(texts[number], span, changes) if changes else ()
        return found

    def correct(self, lines: Sequence[str]) -> list[str]:
        """Corrected running text, which differs from the lines only where something is corrected."""
        return [
            apply(line, suggestions) if suggestions else line
            for line, suggestions in zip(lines, self.suggest(lines), strict=True)
        ]

    def correct_tokenized(self, lines: Sequence[str]) -> list[str]:
        """Corrected tokenised lines."""
        check_list(lines, "lines")
        sentences = Sentences(lines)
        return [
            " ".join(applied(tokens, [change for change, _, _ in changes]))
            for tokens, changes in zip(sentences, self.changes(sentences), strict=True)
        ]


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
    """The changes of one sentence of a text, by characters."""
    begin, end = sentence
    inside = token_spans(text[begin:end])
    kept = outside_addresses(text[begin:end], inside, [change for change, _, _ in changes])
    changes = [changes[number] for number in kept]
    spans = [(begin + a, begin + b) for a, b in inside]
    places = replacements(text, spans, [change[:3] for change, _, _ in changes])
    for place, (_, confidence, kind) in zip(places, changes, strict=True):
        yield Suggestion(*place, confidence, kind)


def apply(text: str, suggestions: Sequence[Suggestion]) -> str:
    """The text with all these suggestions followed."""
    return rewrite(text, [(one.start, one.end, one.text) for one in suggestions])
