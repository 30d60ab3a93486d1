"""Checks of the way an output is written: typography, chatter of language models, characters, lengths.

Everything is compared with sources and references: what they do not have either is suspicious.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.corpus.answers import clean_answer
from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.checks.systematic_edits import SystematicEdit, SystematicEdits
from errata.text.typography import NORMALIZATIONS, Typography

_SHARE = 0.005  # suspicious share of lines
_MIN_LINES = 4  # with fewer lines, a share means nothing
_MORE = 8  # characters more or fewer than the source from which on a line is examined for chatter
_SEQUENCES = ("``", "''", "&amp;", "&quot;", "&apos;", "&lt;", "&gt;", "&nbsp;", "&#")  # of any characters
_SHOWN = 60  # characters of an example
_FACTOR = 3  # times as many lines that are much longer or shorter than the source as in any reference
_LENGTH_SHARE = 0.02  # suspicious share of such lines
_FREQUENT = 12  # occurrences from which on a character is missed
_CODES = 0x10000  # characters that are counted by themselves; all others are counted together

Counts = npt.NDArray[Any]


class RawOutputChecks:
    """The checks of several outputs of the same sources, all or a sample of them.

    `references` are columns of texts, with None if a reference is missing; `numbers` are those of the
    lines in their files.
    """

    def __init__(
        self, sources: Sequence[str], references: Sequence[Sequence[str | None]], numbers: Sequence[int]
    ) -> None:
        self._sources, self._numbers = sources, numbers
        self._texts = [*sources, *(text for column in references for text in column if text)]
        self._text = "\n".join(self._texts)
        self._alphabet = {"\n", *self._text}
        self._ascii = "".join(filter(str.isascii, self._alphabet)).encode()
        self._systematic = SystematicEdits(sources, references)
        self._columns = [
            [source if text is None else text for source, text in zip(sources, column, strict=True)]
            for column in references
        ]

    @cached_property
    def _typography(self) -> Typography:
        return Typography.of(self._texts)

    def chatter(self, lines: Sequence[str], name: str) -> Iterator[Finding]:
        """Report lines with more than a correction."""
        removed: Counter[str] = Counter()
        examples: list[int] = []
        for index, (source, line) in enumerate(zip(self._sources, lines, strict=True)):
            if source == line or not _may_have_chatter(source, line):
                continue
            kinds = clean_answer(source, line).removed
            if kinds and ("\t" not in line or kinds == ("marker",)):
                removed.update(kinds)
                examples.append(index)
        if self._many(len(examples)):
            details = ", ".join(f"{kind} {count:,}" for kind, count in removed.most_common())
            yield Finding(
                name, self._numbers[examples[0]], "E311",
                f"{self._share(len(examples))} of the lines have more than a correction ({details}): "
                f"{lines[examples[0]][:_SHOWN]!r}",
            )  # fmt: skip

    def typography(
        self,
        lines: Sequence[str],
        name: str,
        others: str = "neither sources nor references use",
        kinds: Collection[str] = NORMALIZATIONS,
    ) -> Iterator[Finding]:
        """Report quotes, dashes, spaces and encodings that the `others` do not use."""
        text = self._changed(lines)
        foreign = self._foreign(text)
        pairs = [each for each in _SEQUENCES if each in text and each not in self._text]
        if not foreign and not pairs:
            return
        counts: Counter[str] = Counter()
        examples: dict[str, tuple[int, str, str]] = {}
        unusual = re.compile("|".join(map(re.escape, (*foreign, *pairs))))
        for index, line in enumerate(lines):
            if not unusual.search(line):
                continue
            for kind, changed in self._typography.foreign(line):
                counts[kind] += 1
                examples.setdefault(kind, (index, line, changed))
        kinds = [kind for kind, count in counts.items() if kind in kinds and self._many(count)]
        if kinds:
            index, before, after = examples[kinds[0]]
            start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
            shown = slice(max(0, start - 10), start + 20)
            details = ", ".join(f"{kind} in {counts[kind]:,} lines" for kind in kinds)
            yield Finding(
                name, self._numbers[index], "E312",
                f"characters that {others} ({details}): {before[shown]!r}, as they "
                f"are written there {after[shown]!r}",
                f"Score with --normalize {','.join(kinds)}, or correct the output.",
            )  # fmt: skip

    def characters(self, lines: Sequence[str], name: str) -> Iterator[Finding]:
        """Report other characters that neither sources nor references have."""
        foreign = {character for character in self._foreign(self._changed(lines)) if not character.isspace()}
        if not foreign:
            return
        with_foreign = [i for i, line in enumerate(lines) if not foreign.isdisjoint(line)]
        if self._many(len(with_foreign)):
            counts = Counter(c for i in with_foreign for c in lines[i] if c in foreign)
            shown = " ".join(f"{c!r}" for c, _ in counts.most_common(5))
            yield Finding(
                name, self._numbers[with_foreign[0]], "W309",
                f"{self._share(len(with_foreign))} of the lines have characters that neither sources nor "
                f"references have: {shown}",
            )  # fmt: skip

    def frequencies(
        self, lines: Sequence[str], name: str, explained: Collection[int] = ()
    ) -> Iterator[Finding]:
        """Report characters that are far rarer or more frequent than in the source and every reference.

        The lines with these indices are left out, because another finding is about them.
        """
        texts = [self._sources, *self._columns]
        if len(texts) == 1:
            return
        if explained:
            kept = [index for index in range(len(lines)) if index not in explained]
            texts, lines = [[text[index] for index in kept] for text in texts], [lines[i] for i in kept]
        usual = _usual_counts(texts) if explained else self._usual_counts
        if not len(usual.codes):  # no text is left
            return
        counts = _character_counts(lines, int(usual.codes[-1]) + 2)[usual.codes]
        for kind, unusual in (("rarer", counts < usual.least), ("more frequent", counts > usual.most)):
            places = sorted(np.flatnonzero(unusual).tolist(), key=lambda place: -int(usual.source[place]))
            if places:
                shown = ", ".join(
                    f"{chr(usual.codes[i])!r} {counts[i]:,} times, in the source {usual.source[i]:,}"
                    for i in places[:3]
                )
                more = f" and {len(places) - 3} more" if len(places) > 3 else ""
                yield Finding(
                    name, 1, "W309",
                    f"characters are far {kind} than in the source and every reference: {shown}{more}",
                )  # fmt: skip

    @cached_property
    def _usual_counts(self) -> _UsualCounts:
        return _usual_counts([self._sources, *self._columns])

    def lengths(self, lines: Sequence[str], name: str, explained: Collection[int] = ()) -> Iterator[Finding]:
        """Report many lines that are much shorter or longer than their source; see `frequencies`."""
        for kind, places in _far_lengths(self._source_lengths, lines).items():
            others = [index for index in places if index not in explained]
            most = max((len(counts[kind]) for counts in self._far_references), default=len(lines))
            if len(others) >= max(_MIN_LINES, _LENGTH_SHARE * len(lines), _FACTOR * most):
                example = lines[others[0]]
                yield Finding(
                    name, self._numbers[others[0]], "W311",
                    f"{self._share(len(others))} of the lines are much {kind} than their source, and in no "
                    f"reference more than {self._share(most)}: {example[-_SHOWN:]!r}",
                )  # fmt: skip

    @cached_property
    def _source_lengths(self) -> Counts:
        return _lengths(self._sources)

    @cached_property
    def _far_references(self) -> list[dict[str, list[int]]]:
        return [_far_lengths(self._source_lengths, column) for column in self._columns]

    def systematic_edits(self, lines: Sequence[str]) -> list[SystematicEdit]:
        """The changes that the output repeats and no reference makes."""
        return self._systematic.find(lines)

    def normalized(self, lines: Sequence[str]) -> list[str]:
        """The lines with the typography of sources and references."""
        return [self._typography.normalize(line, NORMALIZATIONS) for line in lines]

    def _changed(self, lines: Sequence[str]) -> str:
        """The lines that differ from their source; only these can have foreign characters."""
        pairs = zip(self._sources, lines, strict=True)
        return "\n".join([line for source, line in pairs if line != source])

    def _foreign(self, text: str) -> set[str]:
        """The characters of a text that neither sources nor references have."""
        rest = text.encode("utf-8", "surrogatepass").translate(None, self._ascii)  # many times faster
        return set(rest.decode("utf-8", "surrogatepass")) - self._alphabet

    def _many(self, count: int) -> bool:
        return count >= max(_MIN_LINES, _SHARE * len(self._sources))

    def _share(self, count: int) -> str:
        return f"{count / len(self._sources):.1%}"


def _may_have_chatter(source: str, line: str) -> bool:
    """Whether a line is longer or shorter than its source, or begins with a mark that the source lacks."""
    start = line[:1]
    return abs(len(line) - len(source)) > _MORE or (start != source[:1] and not start.isalpha())


def _lengths(lines: Sequence[str]) -> Counts:
    return np.fromiter(map(len, lines), np.int64, len(lines))


def _far_lengths(before: Counts, lines: Sequence[str]) -> dict[str, list[int]]:
    """The indices of lines that are much shorter, and of those that are much longer than their source."""
    after = _lengths(lines)
    return {
        "shorter": np.flatnonzero(after < 0.6 * before - 5).tolist(),
        "longer": np.flatnonzero(after > 1.5 * before + 10).tolist(),
    }


class _UsualCounts(NamedTuple):
    """The characters of sources and references, their number in the source, and the usual numbers."""

    codes: Counts
    source: Counts
    least: Counts
    most: Counts


def _usual_counts(texts: Sequence[Sequence[str]]) -> _UsualCounts:
    """The usual numbers of characters, from the source and the references."""
    counts = np.array([_character_counts(text) for text in texts])
    codes = np.flatnonzero(counts.any(axis=0))
    least, most = counts.min(axis=0)[codes], counts.max(axis=0)[codes]
    lowest = np.where(least < _FREQUENT, 0, np.maximum(0.4 * least, 0.85 * least - 8 * np.sqrt(least)))
    return _UsualCounts(codes, counts[0, codes], lowest, 2.5 * most + _FREQUENT)


def _character_counts(lines: Sequence[str], size: int = _CODES) -> Counts:
    """How often each character occurs; those with higher codes than `size` are counted together."""
    codes = np.frombuffer("\n".join(lines).encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.bincount(np.minimum(codes, size - 1), minlength=size)
