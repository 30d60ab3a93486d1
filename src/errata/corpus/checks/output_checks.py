"""Checks of a whole output or reference for mistakes that make all of its scores wrong."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from errata.corpus.checks.alignment_checks import SAMPLED, check_order, spread
from errata.corpus.checks.finding_catalog import Finding
from errata.errors import DataError, plural

_MIN_COUNT = 10  # with fewer observations, a share means nothing
_COUNTED = 500  # lines whose punctuation is counted
_ATTACHED_DIFFERENCE = 0.3  # tolerated difference between the shares of attached punctuation
_UNTOKENISED_SHARE = 0.5  # share of attached punctuation in a text that is not tokenised
_RESPACED_SHARE = 0.5  # tolerated share of lines with other spaces, among those with the same letters
_CASE_SHARE = 0.5  # tolerated share of lines that lost their capital letter
_COPIED_SHARE = 0.95  # suspicious share of a reference's changed sentences that are the same in an output
_REPEATED_SHARE = 0.01  # suspicious share of lines with the same text
_COLUMNS_SHARE = 0.3  # suspicious share of lines with a tab
_MIN_LINES = 4  # with fewer repeated lines, or lines with a tab, a share means nothing

_LINE_END, _SPACE, _FULL_STOP = b"\n ."
_IS_PUNCTUATION = np.isin(np.arange(256), list(b".,;:?!"))
_FIRST_IDEOGRAPH = 0xE3  # the first byte of U+3000 and all characters after it
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_LONGEST_WORD = 4  # ideographs; longer runs are text without spaces between words


class Punctuation(NamedTuple):
    """The number of punctuation marks of a text that are attached to words, and of all marks."""

    attached: int
    total: int

    @classmethod
    def of(cls, lines: Sequence[str]) -> Punctuation:
        """Count the punctuation marks in a sample of lines."""
        # A mark at the beginning of a line is not attached either, hence the space before each line.
        text = "".join([f" {lines[i].strip()}\n" for i in spread(len(lines), _COUNTED)])
        codes = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        marks = np.flatnonzero(_IS_PUNCTUATION[codes])
        # A full stop counts only at the end of a line: elsewhere it may belong to an abbreviation.
        ends = codes[marks + 1]
        marks = marks[(ends == _LINE_END) | ((ends == _SPACE) & (codes[marks] != _FULL_STOP))]
        total, attached = len(marks), int(np.count_nonzero(codes[marks - 1] != _SPACE))
        if (codes >= _FIRST_IDEOGRAPH).any():
            runs = _IDEOGRAPHS.findall(text)
            attached += sum(len(run) > _LONGEST_WORD for run in runs)
            total += len(runs)
        return cls(attached, total)

    @property
    def share(self) -> float:
        """The share of attached marks; 0 for a text without punctuation."""
        return self.attached / self.total if self.total else 0.0

    @property
    def untokenised(self) -> bool:
        """Whether the text does not seem to be tokenised."""
        return self.total >= _MIN_COUNT and self.share >= _UNTOKENISED_SHARE


def suspicions(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    name: str = "the output",
    *,
    first: int = 1,
    punctuation: Punctuation | None = None,
) -> list[Finding]:
    """Find signs that the tokenisation, order, case or content of an output does not fit its source.

    Findings name the output `name`, a system or a file; its first line has the number `first`. `punctuation`
    is that of the sources, if it has been counted already. Only a sample is examined, so the time is bounded
    for any number of lines. An output that changes nothing is not suspicious.
    """
    if len(sources) != len(hypotheses):
        raise DataError(
            f"{name}: {len(hypotheses)} {plural(len(hypotheses), 'line')} for "
            f"{len(sources)} source {plural(len(sources), 'sentence')}",
            hint="give one line per source sentence",
        )
    sample = [(i, sources[i], hypotheses[i]) for i in spread(len(sources), SAMPLED)]
    changed = [(i, source, line) for i, source, line in sample if source != line]
    unchanged = len(sample) - len(changed)
    findings = [
        *_check_tokens(
            punctuation or Punctuation.of(sources), Punctuation.of(hypotheses), changed, unchanged
        ),
        *_check_case(sample),
        *_check_repeats(changed, len(sample)),
        *_check_columns(sample),
    ]
    about_lines = [Finding(name, line + first, code, message) for line, code, message in findings]
    return sorted([*about_lines, *check_order(sources, hypotheses, name, first)])


_Sample = Sequence[tuple[int, str, str]]  # index, source and hypothesis
_Findings = Iterator[tuple[int, str, str]]  # index of a line, code and message


def untokenised(lines: Sequence[str], name: str, punctuation: Punctuation | None = None) -> Iterator[Finding]:
    """Report a text that is not tokenised."""
    counts = punctuation or Punctuation.of(lines)
    if counts.untokenised:
        yield Finding(name, 1, "W306", f"{counts.share:.0%} of the punctuation is attached to words")


def copies(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Mapping[str, Sequence[str | None]],
    name: str = "the output",
) -> Iterator[Finding]:
    """Report the references, by name, that an output is a copy of."""
    for reference, texts in references.items():
        copied = different = 0
        for source, line, text in zip(sources, hypotheses, texts, strict=True):
            if text is not None and (words := text.split()) != source.split():
                if line.split() == words:
                    copied += 1
                else:
                    different += 1
                    if different > (1 - _COPIED_SHARE) * len(sources):
                        break
        total = copied + different
        if copied >= max(_MIN_COUNT, _COPIED_SHARE * total):
            message = f"of {total:,} sentences that {reference} changes, {copied:,} are the same here"
            yield Finding(name, 1, "W307", message)


def _check_tokens(
    source_marks: Punctuation, output_marks: Punctuation, changed: _Sample, same: int
) -> _Findings:
    """Check whether the output is tokenised in the same way as the source; `same` lines are not changed."""
    respaced = 0
    first = None
    for i, source, line in changed:
        if len(source) - source.count(" ") == len(line) - line.count(" ") and source.replace(
            " ", ""
        ) == line.replace(" ", ""):
            same += 1
            if source.split() != line.split():
                respaced += 1
                first = i if first is None else first
    enough = min(source_marks.total, output_marks.total) >= _MIN_COUNT
    if enough and abs(source_marks.share - output_marks.share) > _ATTACHED_DIFFERENCE:
        detokenised = output_marks.share > source_marks.share
        yield first or 0, "E303", (
            f"{output_marks.share:.0%} of the punctuation is attached to words, in the source "
            f"{source_marks.share:.0%}: the output seems to be "
            f"{'detokenised' if detokenised else 'tokenised, and the source is not'}"
        )  # fmt: skip
    elif first is not None and same >= _MIN_COUNT and respaced > _RESPACED_SHARE * same:
        yield first, "E303", (
            f"of {same:,} lines with the same characters as their source, {respaced:,} have other spaces: "
            "the output seems to be tokenised differently"
        )  # fmt: skip


def _check_case(sample: _Sample) -> _Findings:
    """Check whether sentences lost their capital letters, or are written in capitals."""
    capital, lost, lower, upper = 0, [], 0, []
    for i, source, line in sample:
        if source[:1].isupper() and line and not source.isupper():
            capital += 1
            if line[0].islower():
                lost.append(i)
                lower += line.islower()
            elif line.isupper():
                upper.append(i)
    if capital >= _MIN_COUNT and len(lost) > _CASE_SHARE * capital:
        change = "is lower-cased" if lower > 0.9 * len(lost) else "has lost the capitals of its first words"
        yield lost[0], "E306", (
            f"{len(lost) / capital:.0%} of the sentences that begin with a capital letter in the source "
            f"do not here: the output {change}"
        )  # fmt: skip
    elif capital >= _MIN_COUNT and len(upper) > _CASE_SHARE * capital:
        yield upper[0], "E306", f"{len(upper) / capital:.0%} of the lines are written in capitals"


def _check_repeats(changed: _Sample, examined: int) -> _Findings:
    """Check whether many different sentences have the same output, or an empty one."""
    lines = [line.strip() for _, _, line in changed]
    if len(lines) - len(set(lines)) < _MIN_LINES - 1:
        return
    first_lines: dict[str, dict[str, int]] = defaultdict(dict)
    for (i, source, _), line in zip(changed, lines, strict=True):
        if source.strip():
            first_lines[line].setdefault(source, i)
    for line, sources in first_lines.items():
        if len(sources) >= max(_MIN_LINES, _REPEATED_SHARE * examined):
            output = f"the same line, {line[:40]!r}," if line else "an empty line"
            yield min(sources.values()), "E307", (
                f"{len(sources) / examined:.0%} of the sentences, all different, have {output} as output"
            )  # fmt: skip


def _check_columns(sample: _Sample) -> _Findings:
    """Check whether lines contain several texts separated by tabs; names the column with the corrections."""
    with_tab = [(i, source, line) for i, source, line in sample if "\t" in line and "\t" not in source]
    if len(with_tab) >= max(_MIN_LINES, _COLUMNS_SHARE * len(sample)):
        from errata.corpus.answers import similarity

        nearest: Counter[int] = Counter()
        for _, source, line in with_tab[:_MIN_COUNT]:
            # The source itself may be a column: a text that is only similar is preferred, then a later one.
            ranked = [
                (min(similarity(source, text), 0.99) - (text.split() == source.split()) / 2, number)
                for number, text in enumerate(line.split("\t"), start=1)
            ]
            nearest[max(ranked)[1]] += 1
        column = nearest.most_common(1)[0][0]
        yield with_tab[0][0], "E310", (
            f"{len(with_tab) / len(sample):.0%} of the lines contain a tab, and their sources do not: each "
            f"line seems to have several columns, the corrections in column {column} (cut -f{column})"
        )  # fmt: skip
