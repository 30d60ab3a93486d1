"""Aligns a corrected document with the sentences of its source: one corrected text per source sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_UNIT = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s]")  # a word, a character, a mark
_END = re.compile(r"[.!?…。！？։؟।:;]['\"’”“»)\]]*$")
_CLOSING = re.compile(r"[.!?…,;:。！？，、։؟।)\]»”’]")
_WINDOW = 10  # units before and after the place where the end of a sentence is expected
# Penalties in characters, chosen on the development set of GECCC: an end without final punctuation, before a
# closing mark, before a small letter, inside a word; a sentence without any text; and a line break's bonus.
_NO_END, _BEFORE_CLOSING, _BEFORE_SMALL, _NO_BLANK, _EMPTY, _LINE_BREAK = 5.0, 3.0, 4.0, 4.0, 5.0, -3.0
_SOURCE_SHARE = 0.3  # how much of the penalty of the end in the source excuses the same in the correction


def align_correction(sentences: Sequence[str], corrected: str) -> list[str]:
    """The corrected text of each source sentence; the order is kept, and the texts are the whole correction.

    Line breaks of the correction may be anywhere. The ends of all sentences are chosen together, near the
    places that an alignment of words expects: they minimise the character edits from every sentence to its
    correction, plus penalties for unlikely ends. An empty text means that the sentence was deleted.
    """
    from rapidfuzz.distance import Levenshtein

    units = [match.span() for match in _UNIT.finditer(corrected)]
    if not units or not sentences:
        return [""] * len(sentences)
    gaps = [0, *(start for start, _ in units[1:]), len(corrected)]  # where a sentence can begin or end
    penalties = [0.0, *(_penalty(corrected, left, right) for (_, left), (right, _) in pairwise(units)), 0.0]
    usual = [_SOURCE_SHARE * _penalty(f"{a} {b}", len(a), len(a) + 1) for a, b in pairwise(sentences)]
    best = {0: 0.0}  # the least cost so far, by the gap where the last sentence ends
    beginnings: list[dict[int, int]] = []  # for every sentence: its best beginning, by its end
    ends = _possible_ends(sentences, corrected, units)
    for sentence, candidates, excused in zip(sentences, ends, [*usual, 0.0], strict=True):
        source = " ".join(sentence.split())
        costs: dict[int, tuple[float, int]] = {}
        for end in candidates:
            costs[end] = min(
                (cost + Levenshtein.distance(source, text) + _EMPTY * (not text), start)
                for start, cost in best.items()
                if start <= end
                for text in [" ".join(corrected[gaps[start] : gaps[end]].split())]
            )
        best = {
            end: cost + penalties[end] - min(excused, max(0.0, penalties[end]))
            for end, (cost, _) in costs.items()
        }
        beginnings.append({end: start for end, (_, start) in costs.items()})
    chosen = [len(units)]
    for beginning in reversed(beginnings):
        chosen.append(beginning[chosen[-1]])
    return [corrected[gaps[start] : gaps[end]].strip() for start, end in pairwise(reversed(chosen))]


def _possible_ends(sentences: Sequence[str], corrected: str, units: Sequence[tuple[int, int]]) -> list[range]:
    """The gaps where each sentence may end: near the unit that is aligned with its last one."""
    from rapidfuzz.distance import Levenshtein

    target = [corrected[start:end].casefold() for start, end in units]
    source: list[str] = []
    lengths = []
    for sentence in sentences:
        source += _UNIT.findall(sentence.casefold())
        lengths.append(len(source))
    expected = [0] * (len(source) + 1)
    for block in Levenshtein.opcodes(source, target):
        size, new_size = block.src_end - block.src_start, block.dest_end - block.dest_start
        for place in range(size + 1):
            expected[block.src_start + place] = block.dest_start + round(place / max(1, size) * new_size)
    middles = [expected[length] for length in lengths[:-1]]
    last = len(units)
    ranges = [range(max(0, middle - _WINDOW), min(last, middle + _WINDOW) + 1) for middle in middles]
    return [*ranges, range(last, last + 1)]


def _penalty(text: str, left: int, right: int) -> float:
    """How unlikely it is that one sentence ends at `left` and the next one begins at `right`."""
    if "\n" in text[left:right]:
        return _LINE_BREAK
    return (
        _NO_END * (_END.search(text[max(0, left - 5) : left]) is None)
        + _BEFORE_CLOSING * (_CLOSING.match(text, right) is not None)
        + _BEFORE_SMALL * text[right : right + 1].islower()
        + _NO_BLANK * (left == right)
    )
