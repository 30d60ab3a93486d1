"""Checks of a whole output against its source for mistakes that make all of its scores wrong."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.checks.order import SAMPLED, check_order, spread
from errata.errors import DataError, plural

_FEWEST = 10  # observations below which nothing is concluded from a share
_COUNTED = 500  # lines whose punctuation is counted
_ATTACHED = 0.3  # by how much the shares of attached punctuation may differ
_UNTOKENISED = 0.5  # share of attached punctuation from which on a text counts as not tokenised
_RESPACED = 0.5  # share of lines with other blanks, among those that have the same letters
_CASE = 0.5  # share of lines that lost their capital letter
_COPIED = 0.95  # share of a reference's changed sentences that an output has word for word
_REPEATED = 0.01  # share of lines that one and the same text may fill
_COLUMNS = 0.3  # share of lines with a tab
_RECOGNISED = 4  # lines with the same text below which a share means nothing

_SIGNS = ",;:?!"
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_LONGEST_WORD = 4  # ideographs; longer runs are text without blanks between words


class Punctuation(NamedTuple):
    """How many signs of a text are attached to words, and how many there are."""

    attached: int
    total: int

    @classmethod
    def of(cls, lines: Sequence[str]) -> Punctuation:
        """Count the signs of a sample of lines."""
        text = "\n".join([lines[i].strip() for i in spread(len(lines), _COUNTED)]) + "\n"
        # A full stop is looked at behind a sentence alone: elsewhere it may belong to an abbreviation.
        ends = [".\n", *(sign + blank for sign in _SIGNS for blank in " \n")]
        total = sum(map(text.count, ends))
        attached = total - sum(text.count(" " + end) for end in ends)
        if not text.isascii():
            runs = _IDEOGRAPHS.findall(text)
            attached += sum(len(run) > _LONGEST_WORD for run in runs)
            total += len(runs)
        return cls(attached, total)

    @property
    def share(self) -> float:
        """The share of attached signs; 0 for a text without any."""
        return self.attached / self.total if self.total else 0.0

    @property
    def untokenised(self) -> bool:
        """Whether the text does not seem to be split into tokens."""
        return self.total >= _FEWEST and self.share >= _UNTOKENISED


def suspicions(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    name: str = "the output",
    *,
    first: int = 1,
    punctuation: Punctuation | None = None,
) -> list[Finding]:
    """Find signs that an output was tokenised, ordered, cased or filled otherwise than its source.

    `name` is the system or file that findings name, and `first` the number of its first line. `punctuation`
    is that of the sources, where it has been counted before. A sample is looked at, so that the time is
    bounded for any number of lines. An output that changes nothing is not suspicious.
    """
    if len(sources) != len(hypotheses):
        raise DataError(
            f"{name}: {len(hypotheses)} {plural(len(hypotheses), 'line')} for "
            f"{len(sources)} source {plural(len(sources), 'sentence')}",
            hint="give one line per source sentence",
        )
    sample = [(i, sources[i], hypotheses[i]) for i in spread(len(sources), SAMPLED)]
    findings = [
        *_check_tokens(punctuation or Punctuation.of(sources), Punctuation.of(hypotheses), sample),
        *_check_case(sample),
        *_check_repeats(sample),
        *_check_columns(sample),
    ]
    found = [Finding(name, line + first, code, message) for line, code, message in findings]
    return sorted([*found, *check_order(sources, hypotheses, name, first)])


_Sample = Sequence[tuple[int, str, str]]  # index, source and hypothesis
_Found = Iterator[tuple[int, str, str]]  # index of a line, code and message


def untokenised(lines: Sequence[str], name: str, punctuation: Punctuation | None = None) -> Iterator[Finding]:
    """The finding that a text is not tokenised."""
    signs = punctuation or Punctuation.of(lines)
    if signs.untokenised:
        yield Finding(name, 1, "W306", f"{signs.share:.0%} of the punctuation is attached to words")


def copies(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Mapping[str, Sequence[str | None]],
    name: str = "the output",
) -> Iterator[Finding]:
    """The findings that an output is a copy of one of the references, given by their names."""
    for reference, texts in references.items():
        changed = [
            line.split() == text.split()
            for source, line, text in zip(sources, hypotheses, texts, strict=True)
            if text is not None and text.split() != source.split()
        ]
        copied = sum(changed)
        if copied >= max(_FEWEST, _COPIED * len(changed)):
            message = f"of {len(changed):,} sentences that {reference} changes, {copied:,} are the same here"
            yield Finding(name, 1, "W307", message)


def _check_tokens(ours: Punctuation, theirs: Punctuation, sample: _Sample) -> _Found:
    """Whether the output is tokenised as the source is."""
    same = other = 0
    first = None
    for i, source, line in sample:
        if source == line:
            same += 1
        elif source.replace(" ", "") == line.replace(" ", ""):
            same += 1
            if source.split() != line.split():
                other += 1
                first = i if first is None else first
    enough = min(ours.total, theirs.total) >= _FEWEST
    if enough and abs(ours.share - theirs.share) > _ATTACHED:
        what = "detokenised" if theirs.share > ours.share else "tokenised, and the source is not"
        yield first or 0, "E303", (
            f"{theirs.share:.0%} of the punctuation is attached to words, in the source {ours.share:.0%}: "
            f"the output seems to be {what}"
        )  # fmt: skip
    elif first is not None and same >= _FEWEST and other > _RESPACED * same:
        yield first, "E303", (
            f"of {same:,} lines with the same characters as their source, {other:,} have other blanks: "
            "the output seems to be tokenised otherwise"
        )  # fmt: skip


def _check_case(sample: _Sample) -> _Found:
    """Whether sentences lost their capital letters, or got nothing but capitals."""
    capital, lost, lower, upper = 0, [], 0, []
    for i, source, line in sample:
        if source[:1].isupper() and line and not source.isupper():
            capital += 1
            if line[0].islower():
                lost.append(i)
                lower += line.islower()
            elif line.isupper():
                upper.append(i)
    if capital >= _FEWEST and len(lost) > _CASE * capital:
        what = "is lower-cased" if lower > 0.9 * len(lost) else "has lost the capitals of its first words"
        yield lost[0], "E306", (
            f"{len(lost) / capital:.0%} of the sentences that begin with a capital letter in the source "
            f"do not here: the output {what}"
        )  # fmt: skip
    elif capital >= _FEWEST and len(upper) > _CASE * capital:
        yield upper[0], "E306", f"{len(upper) / capital:.0%} of the lines are written in capitals"


def _check_repeats(sample: _Sample) -> _Found:
    """Whether one text, or no text, stands for many different sentences."""
    places: dict[str, dict[str, int]] = defaultdict(dict)
    for i, source, line in sample:
        if line != source and source.strip():
            places[line.strip()].setdefault(source, i)
    for line, sources in places.items():
        if len(sources) >= max(_RECOGNISED, _REPEATED * len(sample)):
            what = f"the same line, {line[:40]!r}," if line else "an empty line"
            yield min(sources.values()), "E307", (
                f"{len(sources) / len(sample):.0%} of the sentences, all different, have {what} as output"
            )  # fmt: skip


def _check_columns(sample: _Sample) -> _Found:
    """Whether lines hold several texts with tabs between them."""
    places = [i for i, source, line in sample if "\t" in line and "\t" not in source]
    if len(places) >= max(_RECOGNISED, _COLUMNS * len(sample)):
        yield places[0], "E310", (
            f"{len(places) / len(sample):.0%} of the lines contain a tab, and their sources do not: several "
            "columns seem to stand in one line"
        )  # fmt: skip
