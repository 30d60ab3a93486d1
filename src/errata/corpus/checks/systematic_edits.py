"""Edits that an output makes in many lines and the references do not: signs of damage, not of correction.

A bullet before each line, hyphens with blanks around them, lost full stops: each is one change, repeated.
Every change of an output is described by patterns ("lines begin with '-'", "tokens are split at '-'"). A
pattern is systematic if many lines have it and hardly any reference makes the same change in the same place.
People who correct the same errors in different ways still agree now and then; damage never agrees.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import starmap
from typing import NamedTuple

from errata.corpus.apply_edits import levenshtein_runs
from errata.corpus.checks.alignment_checks import spread

_SCREENED = 250  # lines that are examined first; the others only if these have systematic edits
_MIN_SCREENED = 3  # lines among those
_MIN_LINES = 8  # with fewer lines, a repeated edit means nothing
_SHARE = 0.01  # share of lines with the same change of punctuation, spacing, case or spelling
_WORD_SHARE = 0.05  # the same, for words that are inserted, deleted or replaced: texts repeat their topics
_AGREEMENT = 0.05  # share of these changes that some reference makes as well
_FACTOR = 3  # times as many lines as in the reference that has most
_LONGEST = 12  # characters of a changed part of a word; longer ones are replaced words

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
        if source == line:
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
        self._by_line: dict[int, _ReferenceChanges] = {}

    def find(self, lines: Sequence[str]) -> list[SystematicEdit]:
        """The systematic edits of an output, the most frequent first; every change is reported once."""
        if not self._references:
            return []
        for most, least in ((_SCREENED, _MIN_SCREENED), (len(self._sources), _MIN_LINES)):
            sample = spread(len(self._sources), most)
            least = least if len(sample) < len(self._sources) else _MIN_LINES
            edits = list(self._repeated(lines, sample, least))
            if not edits or len(sample) == len(self._sources):
                break
        return edits

    def _repeated(self, lines: Sequence[str], sample: Sequence[int], least: int) -> Iterator[SystematicEdit]:
        """The patterns that enough of these lines have and hardly any reference agrees with."""
        occurrences: dict[Pattern, set[tuple[int, Change]]] = defaultdict(set)
        for index in sample:
            if self._sources[index] != lines[index]:
                for change, patterns in _changes_with_patterns(self._sources[index], lines[index]):
                    for pattern in patterns:
                        occurrences[pattern].add((index, change))
        counted = [
            (len({index for index, _ in places}), pattern)
            for pattern, places in occurrences.items()
            if len(places) >= least
        ]
        reported: set[tuple[int, Change]] = set()
        for count, pattern in sorted(counted, key=lambda item: -item[0]):
            enough = max(least, (_WORD_SHARE if pattern.changes_words else _SHARE) * len(sample))
            usual = self._reference_shares.get(pattern, 0.0) * len(sample)
            if count < max(enough, _FACTOR * usual + least):
                continue
            places = occurrences[pattern]
            indices = {index for index, _ in places - reported}
            agreed = sum(self._is_agreed(index, lines[index], change) for index, change in places)
            if len(indices) >= enough and agreed <= _AGREEMENT * len(places):
                reported |= places
                yield SystematicEdit(pattern, tuple(sorted(indices)), len(sample))

    def _is_agreed(self, index: int, line: str, change: Change) -> bool:
        """Whether some reference makes the same change in the same place."""
        edit = (change.start, change.end, *line.split()[change.begin : change.stop])
        return edit in self._changes(index).edits

    @cached_property
    def _reference_shares(self) -> dict[Pattern, float]:
        """For every pattern, its share of lines in the reference that has most, from the screened lines."""
        sample = spread(len(self._sources), _SCREENED)
        shares: dict[Pattern, float] = {}
        for column in range(len(self._references)):
            lines = Counter(pattern for index in sample for pattern in self._changes(index).patterns[column])
            for pattern, count in lines.items():
                shares[pattern] = max(shares.get(pattern, 0.0), count / len(sample))
        return shares

    def _changes(self, index: int) -> _ReferenceChanges:
        """The changes of all references in one line."""
        if index not in self._by_line:
            source = self._sources[index]
            edits: set[tuple[int | str, ...]] = set()
            patterns: list[set[Pattern]] = []
            for column in self._references:
                text = column[index]
                if text is None or text == source:
                    changes, words = [], []
                else:
                    changes, words = _changes_with_patterns(source, text), text.split()
                edits.update((each.start, each.end, *words[each.begin : each.stop]) for each, _ in changes)
                patterns.append({pattern for _, some in changes for pattern in some})
            self._by_line[index] = _ReferenceChanges(edits, patterns)
        return self._by_line[index]


class _ReferenceChanges(NamedTuple):
    edits: set[tuple[int | str, ...]]  # start, end and the new tokens
    patterns: list[set[Pattern]]  # by reference


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
            yield Pattern(kind, "", "between letters" if left + right == "aa" else (left + right).strip("a"))
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
