"""Merging: which steps of an alignment belong to one edit (Felice et al. 2016; Bryant et al. 2017)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from string import punctuation

from errata.edits.alignment import DELETION, INSERTION, MATCH, SUBSTITUTION, Step
from errata.edits.tokens import TaggedSentence
from errata.errors import ErrataError

STRATEGIES = ("rules", "all-split", "all-merge", "all-equal")
Span = tuple[int, int, int, int]  # source tokens start:end become corrected tokens start:end

_SUB_RUN = 1000  # what looking at one takes, measured against the kernel
_OF_RUNS = frozenset({DELETION, INSERTION, SUBSTITUTION})
_JOINERS = re.compile("['-]")


@dataclass(frozen=True)
class MergeRules:
    """What the merging rules have to know about a language."""

    content: frozenset[str]  # parts of speech whose presence keeps a run together
    one_verb: Callable[[frozenset[str], bool], bool]  # (parts of speech, same number of tokens): one phrase?
    similar: Callable[[str, str], bool]  # two words that replace each other by themselves
    possessive_tag: str | None = None  # fine tag of possessive endings


def merge(
    steps: Sequence[Step], source: TaggedSentence, target: TaggedSentence, strategy: str, rules: MergeRules
) -> list[Span]:
    """The edits of an alignment, by one of `STRATEGIES`, from left to right."""
    if strategy == "rules":
        return list(_by_rules(steps, source, target, rules))
    if strategy == "all-split":
        return [step[1:] for step in steps if step.operation != MATCH]
    if strategy == "all-merge":
        groups = groupby(steps, lambda step: "M" if step.operation == MATCH else "X")
    elif strategy == "all-equal":
        groups = groupby(steps, lambda step: step.operation)
    else:
        raise ErrataError(f"no merging strategy {strategy!r}\n  hint: one of {', '.join(STRATEGIES)}")
    return [_joined(list(group)) for operation, group in groups if operation != MATCH]


def exceeds(steps: Sequence[Step], most: int) -> bool:
    """Whether merging by rules takes more work than this: it looks at every sub-run of a run."""
    if _SUB_RUN * len(steps) ** 2 <= 2 * most:
        return False
    runs = [0]
    for last, step in pairwise([Step(MATCH, -1, -1, -1, -1), *steps]):
        if step.operation not in _OF_RUNS or (step.start, step.to_start) != (last.end, last.to_end):
            runs.append(0)
        runs[-1] += step.operation in _OF_RUNS
    return sum(_SUB_RUN * length**2 // 2 for length in runs) > most


def _joined(steps: Sequence[Step]) -> Span:
    return steps[0].start, steps[-1].end, steps[0].to_start, steps[-1].to_end


def _by_rules(
    steps: Sequence[Step], source: TaggedSentence, target: TaggedSentence, rules: MergeRules
) -> Iterator[Span]:
    """Matches separate runs, a transposition is an edit of its own, a run is merged by the rules.

    Matches may be missing from the steps: they are where the next step does not begin at the end of the last.
    """
    run: list[Step] = []
    for step in steps:
        in_run = step.operation in _OF_RUNS
        if run and not (in_run and step.start == run[-1].end and step.to_start == run[-1].to_end):
            yield from [run[0][1:]] if len(run) == 1 else _Run(run, source, target, rules).edits()
            run = []
        if in_run:
            run.append(step)
        elif step.operation != MATCH:
            yield step[1:]
    if run:
        yield from [run[0][1:]] if len(run) == 1 else _Run(run, source, target, rules).edits()


class _Run:
    """A run of insertions, deletions and substitutions on its way to edits.

    The rules look at every sub-run with a substitution, the longest first. Most of them depend on the
    sub-run alone; these are tried once for all. Those that ask where the run begins or ends are tried
    again for every part that is left.
    """

    def __init__(
        self, steps: list[Step], source: TaggedSentence, target: TaggedSentence, rules: MergeRules
    ) -> None:
        self.steps = steps
        self.source = source
        self.target = target
        self.rules = rules
        self.substitutions = list(accumulate((s.operation == SUBSTITUTION for s in steps), initial=0))
        # where each sub-run's text without joiners begins, so that equal lengths are seen at once
        self.o_text, self.o_at = _text(source.lower[steps[0].start : steps[-1].end])
        self.c_text, self.c_at = _text(target.lower[steps[0].to_start : steps[-1].to_end])
        self._merges: list[tuple[int, int, int]] | None = None
        # the parts of speech of every step as bits, so that those of a sub-run are found step by step
        self._bits: dict[str, int] = {}
        self.kinds = [
            self._kinds(source.upos[s.start : s.end] + target.upos[s.to_start : s.to_end]) for s in steps
        ]
        self._phrases: dict[tuple[int, bool], bool] = {}

    def edits(self) -> list[Span]:
        found: list[Span] = []
        todo: list[tuple[bool, int, int]] = [
            (False, 0, len(self.steps) - 1)
        ]  # (merged?, first, last), last first
        while todo:
            merged, first, last = todo.pop()
            if first > last:
                continue
            if merged or first == last:
                found.append(_joined(self.steps[first : last + 1]))
            else:
                todo.extend(reversed(self._parts(first, last)))
        return found

    def _parts(self, first: int, last: int) -> list[tuple[bool, int, int]]:
        """What the steps `first` … `last` are split into: edits (True) and runs to look at again (False)."""
        steps = self.steps
        if len(
            {step.operation for step in steps[first : last + 1]} & {DELETION, INSERTION, SUBSTITUTION}
        ) == 1 and (steps[first].operation != SUBSTITUTION):
            return [(True, first, last)]
        single = [(True, i, i) for i in range(first, last + 1)]
        if not self._has_substitution(first, last):
            return single
        if self._possessive(steps[first].start, steps[first].to_start):
            return [(True, first, first), (False, first + 1, last)]

        capital = self._capital(first, last)
        merges = next(
            ((a, b, begin) for a, b, begin in self._firing() if first <= a and b <= last and b - a > 1), None
        )
        if (
            capital is not None
            and capital - first > 1
            and (merges is None or capital - first >= merges[1] - merges[0])
            # the same sub-run may be a case of both: possessive endings come first
            and not (merges is not None and merges[:2] == (first, capital) and self._possessive_end(capital))
        ):
            return [(True, first, capital), (False, capital + 1, last)]
        if merges is not None:
            a, b, begin = merges
            return [(False, first, begin - 1), (True, begin, b), (False, b + 1, last)]

        for a in range(first, last):
            parts = self._pair(a, first, last, capital)
            if parts is not None:
                return parts
        return [(True, first, last)] if self._has_content(first, last) else single

    def _pair(self, a: int, first: int, last: int, capital: int | None) -> list[tuple[bool, int, int]] | None:
        """The rules for a sub-run of two steps; only these can split it."""
        b = a + 1
        if not self._has_substitution(a, b):
            return None
        begin = self._merge_from(a, b, self.kinds[a] | self.kinds[b])
        if a == first and capital == b and not self._possessive_end(b):
            begin = a
        if begin is not None:
            return [(False, first, begin - 1), (True, begin, b), (False, b + 1, last)]
        one, two = self.steps[a], self.steps[b]
        source, target = self.source, self.target
        split = [(False, first, a), (False, b, last)]
        if two.end - one.start == two.to_end - one.to_start == 2:
            return split
        for step, o, c in (
            (one, one.start, one.to_start),
            (two, two.end - 1, two.to_end - 1),
        ):
            if step.operation == SUBSTITUTION and self.rules.similar(source.forms[o], target.forms[c]):
                return split
        if b == last and (
            (two.operation != INSERTION and source.upos[two.end - 1] == "DET")
            or (two.operation != DELETION and target.upos[two.to_end - 1] == "DET")
        ):
            return [(False, first, b - 1), (True, b, b)]
        return None

    # -- rules that depend on the sub-run alone ----------------------------------------------------

    def _firing(self) -> list[tuple[int, int, int]]:
        """(first step, last step, where the merged part begins) of sub-runs to be merged, longest first."""
        if self._merges is None:
            found = []
            count = len(self.steps)
            for a in range(count - 1):
                kinds = self.kinds[a]
                for b in range(a + 1, count):
                    kinds |= self.kinds[b]
                    begin = self._merge_from(a, b, kinds)
                    if begin is not None:
                        found.append((a, b, begin))
            self._merges = sorted(found, key=lambda merge: (merge[0] - merge[1], merge[0]))
        return self._merges

    def _merge_from(self, a: int, b: int, kinds: int) -> int | None:
        """From which step on the sub-run `a` … `b` is to be merged, or None."""
        if not self._has_substitution(a, b):
            return None
        o, o_end, c, c_end = (
            self.steps[a].start,
            self.steps[b].end,
            self.steps[a].to_start,
            self.steps[b].to_end,
        )
        source, target = self.source, self.target
        # friends → friend 's
        if self._possessive_end(b):
            return b - 1
        # , we → . We
        if source.lower[o_end - 1] == target.lower[c_end - 1] and (
            (o_end - o > 1 and _is_punctuation(source, o_end - 2))
            or (c_end - c > 1 and _is_punctuation(target, c_end - 2))
        ):
            return b - 1
        # acat → a cat, sub - way → subway
        base, to_base = self.steps[0].start, self.steps[0].to_start
        o_from, o_to = self.o_at[o - base], self.o_at[o_end - base]
        c_from, c_to = self.c_at[c - to_base], self.c_at[c_end - to_base]
        if o_to - o_from == c_to - c_from and self.o_text[o_from:o_to] == self.c_text[c_from:c_to]:
            return a
        # to eat → eating, watch → look at
        if self._one_phrase(kinds, o_end - o == c_end - c):
            return a
        return None

    def _kinds(self, upos: Sequence[str]) -> int:
        found = 0
        for name in upos:
            found |= 1 << self._bits.setdefault(name, len(self._bits))
        return found

    def _one_phrase(self, bits: int, same: bool) -> bool:
        known = self._phrases.get((bits, same))
        if known is None:
            kinds = frozenset(name for name, bit in self._bits.items() if bits >> bit & 1)
            one_kind = len(kinds) == 1 and "" not in kinds
            known = (one_kind and not same) or self.rules.one_verb(kinds, same)
            self._phrases[bits, same] = known
        return known

    def _possessive_end(self, b: int) -> bool:
        return self._possessive(self.steps[b].end - 1, self.steps[b].to_end - 1)

    # -- what the rules ask ------------------------------------------------------------------------

    def _possessive(self, o: int, c: int) -> bool:
        tag = self.rules.possessive_tag
        return tag is not None and (self.source.tags[o] == tag or self.target.tags[c] == tag)

    def _capital(self, first: int, last: int) -> int | None:
        """Cat → The big cat: the last step up to which a run begins with one capitalised word for several."""
        source, target = self.source, self.target
        o, c = self.steps[first].start, self.steps[first].to_start
        for b in range(last, first, -1):
            step = self.steps[b]
            if (
                self._has_substitution(first, b)
                and source.lower[step.end - 1] == target.lower[step.to_end - 1]
                and (
                    (step.end - o == 1 and target.forms[c][0].isupper())
                    or (step.to_end - c == 1 and source.forms[o][0].isupper())
                )
            ):
                return b
        return None

    def _has_substitution(self, a: int, b: int) -> bool:
        return self.substitutions[b + 1] > self.substitutions[a]

    def _has_content(self, a: int, b: int) -> bool:
        o, o_end, c, c_end = _joined(self.steps[a : b + 1])
        return not self.rules.content.isdisjoint(self.source.upos[o:o_end] + self.target.upos[c:c_end])


def _text(words: Sequence[str]) -> tuple[str, list[int]]:
    """The words without apostrophes and hyphens as one text, and where each begins in it."""
    bare = [_JOINERS.sub("", word) for word in words]
    return "".join(bare), list(accumulate(map(len, bare), initial=0))


def _is_punctuation(sentence: TaggedSentence, token: int) -> bool:
    return sentence.upos[token] == "PUNCT" or sentence.forms[token] in punctuation
