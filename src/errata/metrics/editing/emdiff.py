"""EM-Diff: the share of changes that are exactly those of a reference (EditEval, Dwivedi-Yu et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import ClassVar

from errata.corpus.rewriting import levenshtein_edits
from errata.metrics.base import SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references

Change = tuple[str, str]  # the text before and after
_MOST_CELLS = 4_000_000  # characters of one text times those of the other


@dataclass(frozen=True)
class EMDiff(SentenceMetric):
    """|D ∩ R| / max(1, |D|, |R|) of the changes D of an output and R of its best reference.

    Changes are differences of characters, widened to whole words where they begin or end inside of a word;
    those that touch in the source are one change. The definition is EditEval's, but its program divides some
    words differently: scores of systems differ from it by up to 0.011 (see docs/metrics/editing.md). Texts of
    several thousand characters, whose characters would take minutes to compare, are compared word by word.
    """

    name: ClassVar[str] = "emdiff"
    title: ClassVar[str] = "EM-Diff"
    parts: ClassVar[tuple[str, ...]] = ("emdiff",)

    def scores(self, batch: Batch) -> list[float]:
        """The best share over the references."""
        require_references([len(texts) for texts in batch.references], self.name, batch.corpus.first)
        return [
            max(_share(changes(source, output), changes(source, text)) for text in references)
            for source, output, references in batch
        ]


def _share(ours: frozenset[Change], theirs: frozenset[Change]) -> float:
    return len(ours & theirs) / max(1, len(ours), len(theirs))


@lru_cache(maxsize=1 << 14)  # systems share references, and often outputs
def changes(source: str, text: str) -> frozenset[Change]:
    """The text before and after, for every change of a source; runs of white space count as one blank."""
    source, text = " ".join(source.split()), " ".join(text.split())
    if len(source) * len(text) > _MOST_CELLS:
        words = source.split()
        edits = levenshtein_edits(words, text.split())
        return frozenset((" ".join(words[start:end]), correction) for start, end, correction in edits)
    spans: list[tuple[int, int, int, int]] = []
    for tag, *span in SequenceMatcher(None, source, text, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        (begin, end), (start, stop) = _widened(source, *span[:2]), _widened(text, *span[2:])
        if spans and begin <= spans[-1][1]:
            before = spans.pop()
            begin, end = min(begin, before[0]), max(end, before[1])
            start, stop = min(start, before[2]), max(stop, before[3])
        spans.append((begin, end, start, stop))
    return frozenset((source[begin:end], text[start:stop]) for begin, end, start, stop in spans)


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """A span with the rest of the words that it begins or ends inside of."""
    while _is_inside_word(text, start):
        start -= 1
    while _is_inside_word(text, end):
        end += 1
    return start, end


def _is_inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1] != " " and text[place] != " "
