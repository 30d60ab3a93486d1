"""The changes that a Transformer proposes, with their probabilities."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errata_correct.corrector import Change
from errata_correct.tokens import differences
from errata_correct.transformer.folder import read_description, read_subwords
from errata_correct.truncated import report_truncated

_LEAST = 1e-9  # smallest probability that a change is wrong
_REPEATED = 8  # occurrences of two adjacent words that make a sentence repetitive
_APART = 25  # in long texts, one occurrence in this many words is normal
_AROUND = 24  # subwords of context on either side of a part, in whole words; the word before may be longer
_SMALL = 48  # subwords of the parts of repetitive sentences
_RUN = 4  # longer runs of equal tokens, such as dots, are left out of these parts


class OfLogits:
    """The probabilities of the subwords of a correction, by the decoder's scores of all at each step."""

    def __init__(self, logits: Sequence[Any], subwords: Sequence[int]) -> None:
        self._logits, self._subwords = logits, subwords

    def of(self, step: int) -> float:
        """The logarithm of the probability of the subword at this step."""
        row = np.asarray(self._logits[step])
        highest = row.max()
        return float(row[self._subwords[step]] - highest - np.log(np.exp(row - highest).sum()))

    def lead(self, step: int, other: int) -> float:
        """The logarithm of the ratio of its probability and another subword's."""
        row = np.asarray(self._logits[step])
        return float(row[self._subwords[step]] - row[other])


class Decoded(NamedTuple):
    """A corrected line: its number, the correction, and its subwords, with the end.

    A correction that exceeds the length limit is None and has no subwords.
    """

    line: int
    text: str | None
    subwords: Sequence[int]
    probabilities: OfLogits


class Decoder(ABC):
    """Writes corrections of tokenised lines, with the probabilities of their subwords."""

    def __init__(self, folder: Path) -> None:
        self.description = read_description(folder)
        self.subwords = read_subwords(folder / "subwords.model")
        self.longest = self.description.longest
        self.room = self.longest - 1  # subwords that a line may have

    @abstractmethod
    def decoded(self, lines: Sequence[str]) -> Iterator[Decoded]:
        """The corrections in any order; lines that stay as they are may be missing."""

    def changes(self, sentences: Sequence[Sequence[str]]) -> list[list[Change]]:
        """The changes of each sentence. The margin is −log(1 − p); p is the probability of the new words.

        For words that are left out, p is the probability of the word after them. `lead` compares the first
        subword that differs from the source with that of the source. A sentence that is too long for the
        model is corrected in parts. So is one that repeats itself, or whose correction does not end; no word
        of it is left out or added, since the decoder miscounts there. Parts whose correction does not end
        stay as they are, and the sentence is reported. Words with signs beyond ASCII that the subwords lack
        stay, too.
        """
        repetitive = [*map(_repetitive, sentences)]
        changes, endless = self._changes(sentences, repetitive)
        again = [number for number in endless if not repetitive[number]]
        in_parts, still_endless = self._changes([sentences[number] for number in again], [True] * len(again))
        for number, of_parts in zip(again, in_parts, strict=True):
            changes[number] = of_parts
        report_truncated(
            [*(number for number in endless if repetitive[number]), *(again[i] for i in still_endless)]
        )
        return changes

    def _changes(
        self, sentences: Sequence[Sequence[str]], repetitive: Sequence[bool]
    ) -> tuple[list[list[Change]], list[int]]:
        """The changes of each sentence, and the numbers of sentences with a correction that does not end."""
        places = [
            (number, part)
            for number, (tokens, again) in enumerate(zip(sentences, repetitive, strict=True))
            for part in _parts(self, tokens, again)
        ]
        pieces = [sentences[number][part.start : part.end] for number, part in places]
        lines = [" ".join(tokens) for tokens in pieces]
        by_line: dict[int, list[Change]] = {}
        endless = set()
        for decoded in self.decoded(lines):
            if decoded.text is None:
                endless.add(places[decoded.line][0])
            elif decoded.text != lines[decoded.line]:
                by_line[decoded.line] = _changes(self.subwords, pieces[decoded.line], decoded)
        changes: list[list[Change]] = [[] for _ in sentences]
        for line in sorted(by_line):
            number, part = places[line]
            before = changes[number][-1].end if changes[number] else 0
            # No change of the first word of a later part: the decoder would begin a sentence there.
            first = max(part.first, before, part.start + 1 if part.start else 0)
            for change in by_line[line]:
                start, end = change.start + part.start, change.end + part.start
                if repetitive[number] and _counted(change.tokens) != _counted(sentences[number][start:end]):
                    continue
                if first <= start < part.last:
                    changes[number].append(change._replace(start=start, end=end))
        return changes, sorted(endless)


def _repetitive(tokens: Sequence[str]) -> bool:
    """Whether a sentence repeats itself so often that the decoder may omit or add words."""
    words = [token.lower() for token in tokens if token[:1].isalnum()]
    often = max(_REPEATED, len(words) / _APART)
    return len(words) > _REPEATED and max(Counter(pairwise(words)).values()) >= often


def _counted(tokens: Sequence[str]) -> int:
    """The number of words and signs, without commas."""
    return sum(token != "," for token in tokens)


def _spelled(processor: Any, subwords: Sequence[int]) -> bool:
    """Whether subwords spell a sign beyond ASCII byte by byte, or lack a sign."""
    return any(
        processor.is_unknown(one) or (processor.is_byte(one) and processor.id_to_piece(one) >= "<0x80>")
        for one in subwords
    )


def _parts(model: Decoder, tokens: Sequence[str], repetitive: bool) -> Iterator[Part]:
    """The whole sentence if it is short enough and not repetitive, otherwise its parts.

    The length is in subwords, since a sign that the subwords lack has one subword per byte.
    """
    if not repetitive and len(model.subwords.encode(" ".join(tokens))) <= model.room:
        yield Part(0, len(tokens), 0, len(tokens) + 1)
        return
    room = min(_SMALL, model.room) if repetitive else model.room
    sizes = [len(model.subwords.encode(token)) for token in tokens]
    for begin, end in _between_runs(tokens) if repetitive else [(0, len(tokens))]:
        yield from (Part(*(begin + place for place in part)) for part in parts(sizes[begin:end], room))


def _between_runs(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The stretches of a sentence between runs of equal tokens."""
    begin = end = 0
    for _, group in groupby(tokens):
        size = len(list(group))
        if size >= _RUN:
            if begin < end:
                yield begin, end
            begin = end + size
        end += size
    if begin < end:
        yield begin, end


def _changes(processor: Any, tokens: Sequence[str], decoded: Decoded) -> list[Change]:
    source = [*processor.encode(" ".join(tokens)), processor.eos_id()]
    target, target_words = decoded.subwords, (decoded.text or "").split()
    old, new = _beginnings(processor, source), _beginnings(processor, target)
    aligned = len(new) == len(target_words) + 1  # otherwise the whole sentence's probability is used
    ends = [*new, len(target)]
    changes: list[Change] = []
    shift = 0  # of words of the target against the source
    for start, end, words in differences(tokens, target_words):
        first = start + shift
        steps = range(new[first], ends[first + max(len(words), 1)]) if aligned else range(len(target))
        probability = math.exp(sum(map(decoded.probabilities.of, steps)))
        lead = 0.0
        if aligned and len(old) == len(tokens) + 1:
            step, other = _first_different(source[old[start] :], target, steps.start)
            lead = decoded.probabilities.lead(step, other)
        margin = -math.log(max(1 - probability, _LEAST))
        if not any(_spelled(processor, processor.encode(word)) for word in (*tokens[start:end], *words)):
            changes.append(Change(start, end, words, margin, lead=lead))
        shift += len(words) - (end - start)
    return changes


def _beginnings(processor: Any, subwords: Sequence[int]) -> list[int]:
    """Where words begin among subwords, of which the last is the end."""
    last = len(subwords) - 1
    inner = range(1, last)
    starts = [step for step in inner if processor.id_to_piece(subwords[step]).startswith("▁")]
    return [0, *starts, last] if last else [0]


def _first_different(source: Sequence[int], target: Sequence[int], step: int) -> tuple[int, int]:
    """The first step, from this one on, at which the target differs, and the source's subword there."""
    at = 0
    while at < len(source) - 1 and step < len(target) - 1 and source[at] == target[step]:
        at, step = at + 1, step + 1
    return step, source[at]


class Part(NamedTuple):
    """The words `start:end` of a sentence; changes that begin in `first:last` count."""

    start: int
    end: int
    first: int
    last: int


def parts(sizes: Sequence[int], room: int) -> Iterator[Part]:
    """Cut a sentence, given the number of subwords of each word, into parts of at most `room` subwords.

    The changes that count do not overlap and cover the sentence, except for words that are too long by
    themselves. Changes at the edges of a part do not count, since they lack their context.
    """
    sums = [0, *accumulate(sizes)]
    around = min(_AROUND, room // 4)
    first = 0
    while first < len(sizes):
        if sizes[first] > room:
            first += 1
            continue
        start = first
        while (
            start > 0
            and (start == first or sums[first] - sums[start - 1] <= around)
            and sums[first + 1] - sums[start - 1] <= room
        ):
            start -= 1
        end = first + 1
        while end < len(sizes) and sums[end + 1] - sums[start] <= room:
            end += 1
        last = end
        if end < len(sizes) and sizes[end] <= room:  # its last words are the context of those before them
            while last > first + 1 and sums[end] - sums[last - 1] <= around:
                last -= 1
        yield Part(start, end, first, last if last < len(sizes) else last + 1)
        first = last
