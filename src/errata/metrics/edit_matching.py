"""When two edits count as the same, and the counts and scores of single error types."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errata.corpus.m2 import NOOP
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit
from errata.errors import ErrataError
from errata.metrics.base import Metric

MODES = ("correction", "span", "token")
LEVELS = {0: "merged", 1: "operation", 2: "category", 3: "both"}
# Categories that are parts of speech, universal ones or those of English ERRANT.
_POS = "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PREP PRON PROPN SCONJ SYM VERB X"
PARTS_OF_SPEECH = frozenset(_POS.split())
OPERATIONS = ("M", "R", "U")  # missing, replacement, unnecessary
NO_TYPES = ("", "UNK", NOOP)  # of edits that are not classified
Key = tuple[int | str, ...]


@dataclass(frozen=True)
class Matching:
    """When two edits count as the same, and which edits count at all.

    `correction`: same span, same correction (and with `typed` the same type). `span`: same span. `token`:
    every token of the span by itself; an insertion belongs to the token on its right. Edits of one annotator
    that are the same count as often as they occur, or with `once` a single time.
    """

    mode: str = "correction"
    typed: bool = False
    length: str = ""  # "single": at most one token on each side; "multi": the others
    excluded: frozenset[str] = frozenset()  # types
    once: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ErrataError(f"ERRANT has no mode {self.mode!r}\n  hint: one of {', '.join(MODES)}")
        if self.length not in ("", "single", "multi"):
            raise ErrataError(f"no edits are of length {self.length!r}\n  hint: single, multi or nothing")

    def keys(self, edits: Iterable[Edit]) -> dict[Key, list[str]]:
        """What is compared of the edits, with the types of those that are compared as one."""
        types: dict[Key, list[str]] = {}
        for edit in edits:
            if self.counts(edit):
                for key in self._keys(edit):
                    if key not in types or not self.once:
                        types.setdefault(key, []).append(edit.type)
        return types

    def counts(self, edit: Edit) -> bool:
        """Whether an edit counts at all."""
        if not self.counts_type(edit.type):
            return False
        sizes = edit.end - edit.start, len(edit.correction.split())
        return not self.length or bool(self.counts_length(*sizes))

    def counts_type(self, name: str) -> bool:
        """Whether edits of a type count; without a correction, those that were seen and not corrected do."""
        return name not in self.excluded and (self.mode != "correction" or name != "UNK")

    def counts_length(self, source: Any, target: Any) -> Any:
        """Whether edits of this number of tokens count, which `length` may restrict; also for arrays."""
        return ((source >= 2) | (target >= 2)) == (self.length == "multi")

    def distinct(self, edits: Iterable[Edit]) -> list[Edit]:
        """The edits, with `once` without those that have the same keys as one before them."""
        if not self.once:
            return [*edits]
        return [*{tuple(self._keys(edit)): edit for edit in reversed([*edits])}.values()][::-1]

    def _keys(self, edit: Edit) -> list[Key]:
        if self.mode == "token":
            if edit.start == -1:  # a noop
                return [(-1, -1)]
            end = max(edit.end, edit.start + 1)
            return [(token, token + 1) for token in range(edit.start, end)]
        if self.mode == "span":
            return [(edit.start, edit.end)]
        # alternatives stand in one string, as in the file: the official program takes them for one text
        correction = "||".join(edit.corrections)
        if self.typed:
            return [(edit.start, edit.end, edit.type, correction)]
        return [(edit.start, edit.end, correction)]


def count(hypothesis: Mapping[Key, list[str]], reference: Mapping[Key, list[str]]) -> Counts:
    """How many edits are right, wrong and missed; as many as the reference has under the same key."""
    tp = fp = 0
    for key, types in hypothesis.items():
        if key in reference:
            tp += len(reference[key])
        else:
            fp += len(types)
    return tp, fp, sum(map(len, reference.values())) - tp


def count_types(
    hypothesis: Mapping[Key, list[str]], reference: Mapping[Key, list[str]], into: dict[str, list[int]]
) -> None:
    """Add the counts of every type to `into`; a right edit has the type of the reference.

    A key whose first type is `noop` is neither right, wrong nor missed.
    """
    for key, types in hypothesis.items():
        if types[0] == NOOP:
            continue
        column = 0 if key in reference else 1
        for kind in reference.get(key, types):
            into.setdefault(kind, [0, 0, 0])[column] += 1
    for key, types in reference.items():
        if key not in hypothesis and types[0] != NOOP:
            for kind in types:
                into.setdefault(kind, [0, 0, 0])[2] += 1


def at_level(counts: Mapping[str, list[int]], level: int) -> dict[str, list[int]]:
    """The counts by operation (1: `R`), category (2: `NOUN:NUM`) or both (3: `R:NOUN:NUM`).

    0 takes all parts of speech for one (`POS:NUM`), as Table 8 of Náplava et al. (2022) does. Types of
    other schemes have no operation and stay whole at every level (`ArtOrDet`).
    """
    if level not in LEVELS:
        raise ErrataError(f"types have no level {level}\n  hint: 0 merged, 1 operation, 2 category, 3 both")
    sums: dict[str, list[int]] = {}
    for kind, numbers in counts.items():
        operation, category = split_type(kind)
        name = kind if level == 3 or not operation else operation if level == 1 else category
        if level == 0:
            name = merged(name)
        sums[name] = [a + b for a, b in zip(sums.get(name, [0] * len(numbers)), numbers, strict=True)]
    return dict(sorted(sums.items()))


def split_type(kind: str) -> tuple[str, str]:
    """The operation (`M`, `R` or `U`) and the category of a type; other schemes have no operation."""
    operation, colon, category = kind.partition(":")
    return (operation, category) if colon and category and operation in OPERATIONS else ("", kind)


def merged(category: str) -> str:
    """The category with its part of speech, if it is one, called POS; word order with misspellings is WO."""
    head, _, rest = category.partition(":")
    if head in PARTS_OF_SPEECH:
        return f"POS:{rest}" if rest else "POS"
    return "WO" if head == "WO" else category


Counts = tuple[int, int, int]  # true positives, false positives, false negatives


class TypedMetric(Metric):
    """A metric that also scores each error type separately."""

    @abstractmethod
    def by_type(
        self, corpus: Corpus, hypotheses: Sequence[str], level: int = 2, *, jobs: int | None = None
    ) -> TypeScores:
        """Scores by operation (level 1), category (2), both (3), or with parts of speech as one (0)."""


@dataclass(frozen=True)
class TypeScores:
    """True and false positives and false negatives of every error type."""

    counts: Mapping[str, Counts]
    beta: float = 0.5

    def scores(self, name: str) -> tuple[float, float, float]:
        """P, R and F of a type."""
        return f_score(*self.counts[name], self.beta)

    @property
    def micro(self) -> tuple[float, float, float]:
        """P, R and F of all edits together."""
        tp, fp, fn = np.sum([(0, 0, 0), *self.counts.values()], axis=0).tolist()
        return f_score(tp, fp, fn, self.beta)

    @property
    def macro(self) -> tuple[float, float, float]:
        """Means of P, R and F over the types."""
        if not self.counts:
            return 1.0, 1.0, 1.0
        p, r, f = np.mean([self.scores(name) for name in self.counts], axis=0).tolist()
        return p, r, f


def f_score(tp: int, fp: int, fn: int, beta: float) -> tuple[float, float, float]:
    """Precision (1 without false positives), recall (1 without misses) and F, to four decimals."""
    p = tp / (tp + fp) if fp else 1.0
    r = tp / (tp + fn) if fn else 1.0
    below = beta**2 * p + r  # 0 also where β is 0 and no edit is right
    f = (1 + beta**2) * p * r / below if below else 0.0
    return round(p, 4), round(r, 4), round(f, 4)
