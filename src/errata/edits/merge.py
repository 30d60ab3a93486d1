"""Merging: which steps of an alignment make one edit (Felice et al. 2016; Bryant et al. 2017).

Matches separate runs of steps. A transposition is an edit of its own. In a run of several substitutions (S),
insertions (I) and deletions (D) the rules look at every sub-run that contains a substitution, the longest
first. The first rule that applies merges or splits, and the remaining parts are processed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from string import punctuation
from typing import NamedTuple

import numpy as np

from errata.edits.alignment import Alignments
from errata.edits.language import Language, Tokens
from errata.edits.tagged_sentence import Token

STRATEGIES = ("rules", "all-split", "all-merge", "all-equal")
MATCH, SUBSTITUTION, INSERTION, DELETION = range(4)  # operations; a transposition of k words is k + 2
Span = tuple[int, int, int, int]  # source tokens start:end become corrected tokens start:end
_SUB_RUN_WORK = 1000  # the work of examining a sub-run, in units of the alignment
_JOINERS = str.maketrans("", "", "'-")


class Step(NamedTuple):
    """A step of an alignment that changes source tokens start:end into corrected tokens."""

    operation: int
    start: int
    end: int
    to_start: int
    to_end: int


def changing_steps(alignments: Alignments) -> Iterator[list[Step]]:
    """The steps of each alignment, without matches."""
    for offset, count in zip(alignments.offsets.tolist(), alignments.counts.tolist(), strict=False):
        operations = alignments.steps[offset : offset + count]
        changing = np.flatnonzero(operations)
        o = c = last = 0
        steps = []
        for place, operation in zip(changing.tolist(), operations[changing].tolist(), strict=True):
            o, c = o + place - last, c + place - last  # over the matches in between
            size = 1 if operation <= DELETION else operation - 2
            end = o if operation == INSERTION else o + size
            to_end = c if operation == DELETION else c + size
            steps.append(Step(operation, o, end, c, to_end))
            o, c, last = end, to_end, place + 1
        yield steps


def merge(steps: Sequence[Step], strategy: str, merge_run: Callable[[list[Step]], list[Span]]) -> list[Span]:
    """The edits of an alignment; with the strategy `rules`, `merge_run` merges runs of several steps."""
    spans: list[Span] = []
    for run in runs(steps, strategy):
        if strategy == "rules" and len(run) > 1:
            spans += merge_run(run)
        else:
            spans.append((run[0].start, run[-1].end, run[0].to_start, run[-1].to_end))
    return spans


def runs(steps: Sequence[Step], strategy: str) -> Iterator[list[Step]]:
    """Neighbouring steps that may be one edit."""
    run: list[Step] = []
    for step in steps:
        if run and not (
            step.start == run[-1].end
            and step.to_start == run[-1].to_end
            and _may_join(run[-1].operation, step.operation, strategy)
        ):
            yield run
            run = []
        run.append(step)
    if run:
        yield run


def _may_join(last: int, operation: int, strategy: str) -> bool:
    if strategy == "rules":
        return last <= DELETION and operation <= DELETION
    return strategy == "all-merge" or (strategy == "all-equal" and last == operation)


def is_too_long(steps: Sequence[Step], work_limit: int) -> bool:
    """Whether the rules would exceed the limit of work for an alignment; see `errata.limits`."""
    if _work(len(steps)) <= work_limit:
        return False
    lengths = (len(run) for run in runs(steps, "rules") if run[0].operation <= DELETION)
    return sum(map(_work, lengths)) > work_limit


def _work(length: int) -> int:
    """The work of the rules for a run of this length."""
    return _SUB_RUN_WORK * length**2 // 2


def merge_by_rules(operations: str, source: Tokens, correction: Tokens, language: Language) -> list[Span]:
    """The edits of a run of several operations (S, I, D), given the words that they change."""
    return _Run(operations, source, correction, language).edits()


class _Part(NamedTuple):
    """The steps start:end of a run; `longest` bounds the sub-runs of three or more steps left to try."""

    start: int
    end: int
    longest: int
    is_edit: bool = False


class _Run:
    """A run, with the properties of its steps that the rules need. Sub-runs are start and end (exclusive)."""

    def __init__(self, operations: str, source: Tokens, correction: Tokens, language: Language) -> None:
        self.operations, self.source, self.correction, self.language = (
            operations, source, correction, language,
        )  # fmt: skip
        # Where each step begins in source and correction, and how many substitutions come before it.
        self.o = [*accumulate((step != "I" for step in operations), initial=0)]
        self.c = [*accumulate((step != "D" for step in operations), initial=0)]
        self.substitutions = [*accumulate((step == "S" for step in operations), initial=0)]
        # The lower-cased text without apostrophes and hyphens, and where each word begins in it.
        self.o_text, self.o_at = _text(source)
        self.c_text, self.c_at = _text(correction)
        upos = [self._upos(i, i + 1) for i in range(len(operations))]
        self.same_upos = _stretches(upos, lambda first, other: len(other) == 1 and first == other)
        self.in_phrase = _stretches(upos, lambda _, other: other <= language.phrase)

    def edits(self) -> list[Span]:
        count = len(self.operations)
        spans = []
        parts = [_Part(0, count, count)]  # a stack, the leftmost part on top
        while parts:
            part = parts.pop()
            start, end = part.start, part.end
            if part.is_edit or end - start == 1:
                spans.append((self.o[start], self.o[end], self.c[start], self.c[end]))
            elif start < end:
                parts += self._divided(part)[::-1]
        return spans

    def _divided(self, part: _Part) -> list[_Part]:
        """The parts into which the rules divide a part."""
        start, end, longest, _ = part
        single_steps = [_Part(i, i + 1, 0) for i in range(start, end)]
        if not self._has_substitution(start, end):
            is_edit = len({*self.operations[start:end]}) == 1
            return [_Part(start, end, 0, is_edit=True)] if is_edit else single_steps
        if self._is_possessive(self.source[self.o[start]], self.correction[self.c[start]]):
            return [_Part(start, start + 1, 0), _Part(start + 1, end, longest)]
        capital = self._capital_end(start, end)
        sub_run = self._longest_sub_run(start, end, longest)
        length = sub_run[1] - sub_run[0] if sub_run else 2
        if (
            capital - start > 2
            and capital - start >= length
            # rules for possessive endings come first
            and not (sub_run == (start, capital) and self._ends_possessive(capital))
        ):
            return [_Part(start, capital, 0, is_edit=True), _Part(capital, end, length)]
        if sub_run:
            return self._merged(part, sub_run, length)
        for i in range(start, end - 1):
            if self._has_substitution(i, i + 2):
                adds_capital = i == start and capital == i + 2 and not self._ends_possessive(capital)
                if adds_capital or self._merge_start(i, i + 2) is not None:
                    return self._merged(part, (i, i + 2), 2)
                split = self._split(i, end)
                if split:
                    return [_Part(start, i + 1, 2), _Part(i + 1, end, 2, is_edit=split == "edit")]
        has_content = not self.language.content.isdisjoint(self._upos(start, end))
        return [_Part(start, end, 0, is_edit=True)] if has_content else single_steps

    def _merged(self, part: _Part, sub_run: tuple[int, int], length: int) -> list[_Part]:
        """The part with a sub-run, or its last two steps, as one edit."""
        begin, end = self._merge_start(*sub_run), sub_run[1]
        begin = sub_run[0] if begin is None else begin
        edit = _Part(begin, end, 0, is_edit=True)
        return [_Part(part.start, begin, length), edit, _Part(end, part.end, length)]

    def _longest_sub_run(self, start: int, end: int, longest: int) -> tuple[int, int] | None:
        """The longest sub-run of three steps or more to which a merging rule applies; the first of these."""
        for length in range(min(longest, end - start), 2, -1):
            for i in range(start, end - length + 1):
                if self._has_substitution(i, i + length) and self._merge_start(i, i + length) is not None:
                    return i, i + length
        return None

    def _merge_start(self, start: int, end: int) -> int | None:
        """The step from which on a sub-run is merged, or None; it contains a substitution."""
        o, o_end, c, c_end = self.o[start], self.o[end], self.c[start], self.c[end]
        if self._ends_possessive(end):
            return end - 2  # friends → friend 's
        if self.source[o_end - 1].lower == self.correction[c_end - 1].lower and (
            (o_end - o > 1 and _is_punctuation(self.source[o_end - 2]))
            or (c_end - c > 1 and _is_punctuation(self.correction[c_end - 2]))
        ):
            return end - 2  # , we → . We
        if self._has_same_text(o, o_end, c, c_end):
            return start  # acat → a cat, sub - way → subway
        # to eat → eating, watch → look at
        word_count_changes = o_end - o != c_end - c
        if word_count_changes and end <= self.same_upos[start] and self.source[o].upos:
            return start
        if end <= self.in_phrase[start]:
            if self.language.exact_phrase:
                return start if self._upos(start, end) == self.language.phrase else None
            return start if word_count_changes else None
        return None

    def _split(self, i: int, end: int) -> str | None:
        """Whether to split between two steps of a part; "edit" if the second is an edit."""
        source = self.source[self.o[i] : self.o[i + 2]]
        correction = self.correction[self.c[i] : self.c[i + 2]]
        if len(source) == len(correction) == 2:
            return "run"
        first, second = self.operations[i], self.operations[i + 1]
        if first == "S" and self.language.similar(source[0].form, correction[0].form):
            return "run"
        if second == "S" and self.language.similar(source[-1].form, correction[-1].form):
            return "run"
        last = (source[-1:] if second != "I" else ()), (correction[-1:] if second != "D" else ())
        is_determiner = any(word.upos == "DET" for words in last for word in words)
        return "edit" if i + 2 == end and is_determiner else None

    def _capital_end(self, start: int, end: int) -> int:
        """Cat → The big cat: the end of the longest sub-run at the start that adds words before a capital.

        One side is a single word, the other begins with a capital, and the last words differ in case alone.
        0 if there is no such sub-run.
        """
        o, c = self.o[start], self.c[start]
        for i in range(end, start + 1, -1):
            if not self._has_substitution(start, i):
                break
            if self.source[self.o[i] - 1].lower == self.correction[self.c[i] - 1].lower and (
                (self.o[i] - o == 1 and self.correction[c].form[:1].isupper())
                or (self.c[i] - c == 1 and self.source[o].form[:1].isupper())
            ):
                return i
        return 0

    def _has_same_text(self, o: int, o_end: int, c: int, c_end: int) -> bool:
        """Whether source and correction only differ in case, blanks, apostrophes and hyphens."""
        first, last, to_first, to_last = self.o_at[o], self.o_at[o_end], self.c_at[c], self.c_at[c_end]
        has_same_length = last - first == to_last - to_first
        return has_same_length and self.o_text[first:last] == self.c_text[to_first:to_last]

    def _has_substitution(self, start: int, end: int) -> bool:
        return self.substitutions[end] > self.substitutions[start]

    def _ends_possessive(self, end: int) -> bool:
        return self._is_possessive(self.source[self.o[end] - 1], self.correction[self.c[end] - 1])

    def _is_possessive(self, o: Token, c: Token) -> bool:
        tag = self.language.possessive_tag
        return tag is not None and tag in (o.tag, c.tag)

    def _upos(self, start: int, end: int) -> frozenset[str]:
        """The parts of speech of the words of some steps."""
        source, correction = (
            self.source[self.o[start] : self.o[end]],
            self.correction[self.c[start] : self.c[end]],
        )
        return frozenset([word.upos for words in (source, correction) for word in words])


def _text(words: Tokens) -> tuple[str, list[int]]:
    texts = [word.lower.translate(_JOINERS) for word in words]
    return "".join(texts), [*accumulate(map(len, texts), initial=0)]


def _stretches(
    upos: Sequence[frozenset[str]], continues: Callable[[frozenset[str], frozenset[str]], bool]
) -> list[int]:
    """For each step, the end of the longest stretch from it in which every step continues the first."""
    ends = [*range(len(upos))]
    for i in range(len(upos) - 1, -1, -1):
        if continues(upos[i], upos[i]):
            is_longer = i + 1 < len(upos) and continues(upos[i], upos[i + 1])
            ends[i] = ends[i + 1] if is_longer else i + 1
    return ends


def _is_punctuation(word: Token) -> bool:
    return word.upos == "PUNCT" or word.form in punctuation
