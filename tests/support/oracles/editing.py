"""EM-Diff and ID, transcribed with strings and sets."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

Change = tuple[str, str]


def changes(source: str, text: str) -> frozenset[Change]:
    """The text before and after, for every change of a source."""
    source, text = " ".join(source.split()), " ".join(text.split())
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


def emdiff(source: str, output: str, references: Sequence[str]) -> float:
    """The best share of changes that are exactly those of a reference."""
    ours = changes(source, output)
    theirs = [changes(source, text) for text in references]
    return max(len(ours & some) / max(1, len(ours), len(some)) for some in theirs)


Ngrams = set[tuple[str, ...]]
_ORDERS = 3


def insert_delete(source: str, output: str, references: Sequence[str]) -> float:
    """The best overlap of inserted and of deleted n-grams with those of a reference."""
    ours = _changed(source, output)
    return max(_overlap(ours, _changed(source, text)) for text in references)


def _changed(source: str, text: str) -> list[Ngrams]:
    """Per order, the n-grams that a text inserts and those that it deletes."""
    before, after = source.split(), text.split()
    pairs = [(_ngrams(before, n), _ngrams(after, n)) for n in range(1, _ORDERS + 1)]
    return [changed for ours, theirs in pairs for changed in (theirs - ours, ours - theirs)]


def _overlap(ours: Sequence[Ngrams], theirs: Sequence[Ngrams]) -> float:
    shares = [len(a & b) / max(len(a), len(b)) if a or b else 1.0 for a, b in zip(ours, theirs, strict=True)]
    first, second, third = (
        (inserted + deleted) / 2 for inserted, deleted in zip(shares[::2], shares[1::2], strict=True)
    )
    return (first + second + third) / _ORDERS


def _ngrams(tokens: Sequence[str], n: int) -> Ngrams:
    return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}
