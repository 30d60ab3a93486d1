"""Edits that an output makes in many lines and the references do not: signs of damage, not of correction.

A bullet before each line, hyphens with blanks around them, lost full stops: each is one change, repeated.
Every change of an output is described by patterns ("lines begin with '-'", "tokens are split at '-'"). A
pattern is systematic if many lines have it and hardly any reference makes the same change in the same place.
People who correct the same errors in different ways still agree now and then; damage never agrees.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import starmap
from typing import NamedTuple

from errata.corpus.apply_edits import levenshtein_runs
from errata.corpus.checks.alignment_checks import spread

_SCREENED = 250  # lines that are examined first; the others only for the systematic edits of these
_MIN_SCREENED = 3  # lines among those
_MIN_LINES = 8  # with fewer lines, a repeated edit means nothing
_SHARE = 0.01  # share of lines with the same change of punctuation, spacing, case or spelling
_WORD_SHARE = 0.05  # the same, for words that are inserted, deleted or replaced: texts repeat their topics
_AGREEMENT = 0.05  # share of these changes that some reference makes as well
_FACTOR = 3  # times as many lines as in the reference that has most
_LONGEST = 12  # characters of a changed part of a word; longer ones are replaced words

_BETWEEN_LETTERS = "between letters"
_DIGITS = re.compile(r"\d+")


class Change(NamedTuple):
    """Source tokens `start:end` that became the tokens `begin:stop` of the output."""

    start: int
    end: int
    begin: int
    stop: int


class Pattern(NamedTuple):
    """What several changes have in common; numbers are written as 0."""

    kind: str
    old: str
    new: str

    def __str__(self) -> str:
        old, new = repr(self.old), repr(self.new)
        return {
            "begins": f"lines begin with {new}",
            "ends": f"lines end with {new}",
            "beginning lost": "the beginning of lines is missing",
            "end lost": "the end of lines is missing",
            "insertion": f"{new} is inserted",
            "deletion": f"{old} is deleted",
            "replacement": f"{old} becomes {new}",
            "prefix": f"words begin with {new} instead of {old}"
            if self.old
            else f"{new} is put before words",
            "suffix": f"words end in {new} instead of {old}" if self.old else f"{new} is put after words",
            "inside": f"{old} becomes {new} inside words",
            "character": f"the character {old} becomes {new}",
            "split": f"tokens are split at {new}",
            "joined": f"tokens are joined at {new}",
            "case": f"words are written in {self.new}",
        }[self.kind]

    @property
    def changes_words(self) -> bool:
        """Whether it inserts, deletes or replaces words, as corrections do."""
        text = self.old + self.new
        if self.kind in ("insertion", "deletion", "replacement", "begins", "ends"):
            return any(map(str.isalpha, text)) and len(text) > 1
        return self.kind in ("prefix", "suffix") and text.isalpha()

    def may_change(self, source: str, line: str) -> bool:
        """Whether the characters of this pattern occur in a source and a line: much faster than to align."""
        if self.kind == "case" or self.new == _BETWEEN_LETTERS:
            return True
        pairs = (self.old, source), (self.new, line)
        return all(c in text or c in " 0" for characters, text in pairs for c in characters)


@dataclass(frozen=True)
class SystematicEdit:
    """A pattern that is repeated, and the lines that have it."""

    pattern: Pattern
    lines: tuple[int, ...]  # indices of the examined lines with this pattern
    examined: int

    @property
    def share(self) -> float:
        """The share of the examined lines."""
        return len(self.lines) / self.examined

    def undo(self, source: str, line: str) -> str:
        """The line without this edit."""
        if source == line or not self.pattern.may_change(source, line):
            return line
        words, undone = line.split(), False
        for change, patterns in reversed(_changes_with_patterns(source, line)):
            if self.pattern in patterns:
                undone = True
                before = source.split()[change.start : change.end]
                if self.pattern.kind == "begins":
                    before = words[change.begin + 1 : change.stop]
                elif self.pattern.kind == "ends":
                    before = words[change.begin : change.stop - 1]
                words[change.begin : change.stop] = before
        return " ".join(words) if undone else line


class SystematicEdits:
    """Finds the systematic edits of outputs; the changes of the references are computed once for all outputs.

    `references` are complete columns of texts, with None if a reference is missing. Without references
    there is nothing to compare with, and nothing is found.
    """

    def __init__(self, sources: Sequence[str], references: Sequence[Sequence[str | None]]) -> None:
        self._sources = sources
        self._references = references
        self._edits: dict[int, set[tuple[int | str, ...]]] = {}  # of the references, by line

    def find(self, lines: Sequence[str]) -> list[SystematicEdit]:
        """The systematic edits of an output, the most frequent first; every change is reported once."""
        if not self._references:
            return []
        everything = range(len(self._sources))
        if len(everything) <= _SCREENED:
            return list(self._repeated(lines, everything, _MIN_LINES))
        screened = spread(len(everything), _SCREENED)
        suspected = [edit.pattern for edit in self._repeated(lines, screened, _MIN_SCREENED)]
        return list(self._repeated(lines, everything, _MIN_LINES, suspected)) if suspected else []

    def _repeated(
        self, lines: Sequence[str], sample: Sequence[int], least: int, among: Sequence[Pattern] = ()
    ) -> Iterator[SystematicEdit]:
        """The patterns that enough of these lines have and hardly any reference agrees with."""
        occurrences: dict[Pattern, set[tuple[int, Change]]] = defaultdict(set)
        for index in sample:
            source, line = self._sources[index], lines[index]
            if source == line or (among and not any(each.may_change(source, line) for each in among)):
                continue
            for change, patterns in _changes_with_patterns(source, line):
                place = index, change
                for pattern in patterns:
                    occurrences[pattern].add(place)
        counted = [
            (len({index for index, _ in places}), pattern)
            for pattern, places in occurrences.items()
            if len(places) >= least and (not among or pattern in among)
        ]
        reported: set[tuple[int, Change]] = set()
        for count, pattern in sorted(counted, key=lambda item: -item[0]):
            enough = max(least, (_WORD_SHARE if pattern.changes_words else _SHARE) * len(sample))
            places = occurrences[pattern]
            if count < enough or self._are_agreed(places, lines):
                continue
            indices = {index for index, _ in places - reported}
            usual = self._reference_shares.get(pattern, 0.0) * len(sample)
            if len(indices) >= enough and count >= _FACTOR * usual + least:
                reported |= places
                yield SystematicEdit(pattern, tuple(sorted(indices)), len(sample))

    def _are_agreed(self, places: Collection[tuple[int, Change]], lines: Sequence[str]) -> bool:
        """Whether references make more than a few of these changes in the same places."""
        left = _AGREEMENT * len(places)
        for index, change in places:
            edit = (change.start, change.end, *lines[index].split()[change.begin : change.stop])
            left -= edit in self._reference_edits(index)
            if left < 0:
                return True
        return False

    def _reference_edits(self, index: int) -> set[tuple[int | str, ...]]:
        """The changes of all references in one line: start, end and the new tokens."""
        if index not in self._edits:
            source = self._sources[index]
            self._edits[index] = {
                (change.start, change.end, *words[change.begin : change.stop])
                for column in self._references
                if (text := column[index]) is not None and text != source
                for words in [text.split()]
                for change in changes_between(source.split(), words)
            }
        return self._edits[index]

    @cached_property
    def _reference_shares(self) -> dict[Pattern, float]:
        """For every pattern, its share of lines in the reference that has most, from the screened lines."""
        sample = spread(len(self._sources), _SCREENED)
        shares: dict[Pattern, float] = {}
        for column in self._references:
            lines: Counter[Pattern] = Counter()
            for index in sample:
                text, source = column[index], self._sources[index]
                if text is not None and text != source:
                    lines.update({each for _, some in _changes_with_patterns(source, text) for each in some})
            for pattern, count in lines.items():
                shares[pattern] = max(shares.get(pattern, 0.0), count / len(sample))
        return shares


def changes_between(tokens: Sequence[str], words: Sequence[str]) -> list[Change]:
    """The changes from one list of tokens to another; adjacent ones are one change."""
    return list(starmap(Change, levenshtein_runs(tokens, words)))


@lru_cache(maxsize=2_000)  # lines: an output is read up to four times
def _changes_with_patterns(source: str, line: str) -> list[tuple[Change, tuple[Pattern, ...]]]:
    """The changes from a source to a line, each with its patterns."""
    tokens, words = source.split(), line.split()
    return [(change, patterns_of(tokens, words, change)) for change in changes_between(tokens, words)]


def patterns_of(tokens: Sequence[str], words: Sequence[str], change: Change) -> tuple[Pattern, ...]:
    """The patterns of a change: from the most to the least specific place and content."""
    before, after = tokens[change.start : change.end], words[change.begin : change.stop]
    return _patterns(tuple(before), tuple(after), change.start == 0, change.end == len(tokens))


@lru_cache(maxsize=10_000)
def _patterns(
    before: tuple[str, ...], after: tuple[str, ...], is_first: bool, is_last: bool
) -> tuple[Pattern, ...]:
    """The patterns of replacing some tokens by others, at the beginning or end of a line or inside it."""
    old, new = _with_zeros(" ".join(before)), _with_zeros(" ".join(after))
    patterns: list[Pattern] = []
    if is_first:
        if len(after) > len(before):
            patterns.append(Pattern("begins", "", _with_zeros(after[0])))
        if not after:
            patterns.append(Pattern("beginning lost", "", ""))
    if is_last:
        if len(after) > len(before):
            patterns.append(Pattern("ends", "", _with_zeros(after[-1])))
        if not after:
            patterns.append(Pattern("end lost", "", ""))
    if not before or not after:
        return (*patterns, Pattern("deletion" if before else "insertion", old, new))
    return (*patterns, *_inside_patterns(before, after), Pattern("replacement", old, new))


def _inside_patterns(before: Sequence[str], after: Sequence[str]) -> Iterator[Pattern]:
    """How the characters of some tokens became those of others."""
    old, new = "".join(before), "".join(after)
    if old == new:
        kind = "split" if len(after) > len(before) else "joined"
        for left, right in sorted(_moved_boundaries(before, after)):
            yield Pattern(kind, "", _BETWEEN_LETTERS if left + right == "aa" else (left + right).strip("a"))
        return
    if old.lower() == new.lower():
        yield Pattern("case", "", "small letters" if new.islower() else "capitals")
        return
    prefix = next(
        (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    rest = min(len(old), len(new)) - prefix
    suffix = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    lost, added = old[prefix : len(old) - suffix], new[prefix : len(new) - suffix]
    if prefix + suffix and len(lost) <= _LONGEST and len(added) <= _LONGEST:
        kind = "inside" if prefix and suffix else "suffix" if prefix else "prefix"
        yield Pattern(kind, _with_zeros(lost), _with_zeros(added))
    if len(old) == len(new):
        for a, b in sorted({(a, b) for a, b in zip(old, new, strict=True) if a != b}):
            yield Pattern("character", a, b)


def _with_zeros(text: str) -> str:
    return text if text.isalpha() else _DIGITS.sub("0", text)


def _moved_boundaries(before: Sequence[str], after: Sequence[str]) -> set[tuple[str, str]]:
    """The characters around the token boundaries that only one of two ways to split a text has."""
    text = "".join(before)
    ends = [{sum(map(len, part[:i])) for i in range(1, len(part))} for part in (before, after)]
    return {(_kind(text[position - 1]), _kind(text[position])) for position in ends[0] ^ ends[1]}


def _kind(character: str) -> str:
    return "a" if character.isalpha() else "0" if character.isdigit() else character
