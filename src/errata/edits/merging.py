"""Merging the steps of alignments into edits, in a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from errata import limits
from errata.edits.alignment import NO_WEIGHTS, Alignments, Integers, Letters
from errata.edits.columns import Columns
from errata.engine import between, spread
from errata.kernels import merging as kernel

STRATEGIES = ("rules", "all-split", "all-merge", "all-equal")  # in the order of the kernel's numbers
Span = tuple[int, int, int, int]  # source tokens start:end become corrected tokens start:end
_OTHER, _CONTENT, _PUNCT, _DET, _NONE = 8, 16, 32, 64, 128  # the kernel's flags of parts of speech


@dataclass(frozen=True)
class MergeRules:
    """What the merging rules have to know about a language."""

    content: frozenset[str]  # parts of speech whose presence keeps a run together
    phrase: tuple[str, ...]  # up to three of which verb phrases are made
    all_of_phrase: bool = False  # all of them make a phrase; else some do, if the number of words changes
    letters: Letters | None = None  # words replace each other by themselves if these hardly differ
    possessive_tag: str | None = None  # fine tag of possessive endings

    def kinds(self, names: list[str]) -> Integers:
        """The flags of parts of speech."""
        found = np.zeros(len(names), dtype=np.uint8)
        for number, name in enumerate(names):
            found[number] = 1 << self.phrase.index(name) if name in self.phrase else _OTHER
            found[number] |= _CONTENT * (name in self.content) | _PUNCT * (name == "PUNCT")
            found[number] |= _DET * (name == "DET") | _NONE * (name == "")
        return found


class Spans(NamedTuple):
    """The edits of pairs of sentences, those of a pair from left to right."""

    pairs: Integers  # the pair of each edit
    spans: Integers  # its four places
    limits: dict[int, str]  # of pairs that went beyond one


def merge(
    columns: Columns,
    pairs: Integers,
    alignments: Alignments,
    strategy: str,
    rules: MergeRules,
    jobs: int | None = None,
) -> Spans:
    """The edits of aligned pairs, by one of `STRATEGIES`."""
    tokens, texts, lowers = columns.tokens, columns.form_texts, columns.lower_texts
    offsets, steps, counts, exceeded = alignments
    weights = NO_WEIGHTS if rules.letters is None else rules.letters.weights
    codes = texts.chars if rules.letters is None else rules.letters.codes(texts)
    tag = -1 if rules.possessive_tag is None else columns.tags[rules.possessive_tag]
    settings = [tag, (1 << len(rules.phrase)) - 1, rules.all_of_phrase, rules.letters is not None]
    given = np.array(settings, dtype=np.int32)
    kinds = rules.kinds(columns.upos.names)
    runs = np.zeros(len(pairs), dtype=np.int64)
    if strategy == "rules":
        kernel.longest_runs(0, len(pairs), offsets, steps, counts, limits.current().work, runs)
    too_long = np.flatnonzero(runs < 0).tolist()
    spans = np.empty((len(steps), 4), dtype=np.int32)
    found = np.zeros(len(pairs), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        for a, b in between(too_long, start, stop):
            longest = int(runs[a:b].max())
            kernel.merge(
                a, b, STRATEGIES.index(strategy), pairs, tokens.offsets, tokens.form, tokens.lower,
                tokens.upos, tokens.tag, columns.flags, kinds, lowers.offsets, lowers.chars, texts.offsets,
                codes, weights, given, offsets, steps, counts,
                np.empty((longest + 1, 8), dtype=np.int32), np.empty(longest * longest, dtype=np.int8),
                np.empty((2 * longest + 3, 3), dtype=np.int32), np.empty(texts.longest + 1), spans, found,
            )  # fmt: skip

    spread(work, len(pairs), jobs, chunk=512)
    first = np.repeat(offsets[:-1] - np.cumsum(found) + found, found)
    places = first + np.arange(int(found.sum()))
    limit = {number: limit for number, limit in enumerate(exceeded) if limit} if any(exceeded) else {}
    limit |= dict.fromkeys(too_long, "work")
    return Spans(np.repeat(np.arange(len(pairs)), found), np.ascontiguousarray(spans[places]), limit)
