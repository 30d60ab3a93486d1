"""Edits to text and text to edits, over token lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from errata.errors import DataError

Span = tuple[int, int, str]  # start, end, correction
# The correction of an edit that belongs to another sentence of its M2 block. No text is equal to it, because
# it has two blanks in a row.
ELSEWHERE = "[of  another sentence of this block]"


def apply_edits(tokens: Sequence[str], spans: Iterable[Span]) -> list[str]:
    """The tokens after these edits. Insertions at one place keep their order; edits may not overlap."""
    result: list[str] = []
    position = 0
    for start, end, correction in sorted(spans, key=lambda span: (span[0], span[1])):
        if start < position or end < start or end > len(tokens):
            raise DataError(
                f"the edit {start} {end} -> {correction!r} overlaps another one or is outside the sentence "
                f"{' '.join(tokens)!r}",
                hint="`errata corpus check` lists all such edits",
            )
        if correction == ELSEWHERE:
            raise DataError(
                f"{' '.join(tokens)!r} shares its M2 block with another sentence, and has edits that are "
                "meant for that one: there is no corrected text",
                hint="put an empty line between the two: errata corpus check --fix --select W207 FILE",
            )
        result += tokens[position:start]
        result += correction.split()
        position = end
    result += tokens[position:]
    return result


def levenshtein_edits(source: Sequence[str], target: Sequence[str]) -> list[Span]:
    """Edits that turn `source` into `target`: the runs of changed tokens in a minimal alignment."""
    return [(start, end, " ".join(target[i:j])) for start, end, i, j in levenshtein_runs(source, target)]


def levenshtein_runs(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """The edits of `levenshtein_edits` as places in both texts: start and end of each."""
    from rapidfuzz.distance import Levenshtein

    runs = []
    start = to_start = 0
    for block in Levenshtein.opcodes(source, target).as_matching_blocks():  # the last is empty, at the end
        if (start, to_start) != (block.a, block.b):
            runs.append((start, block.a, to_start, block.b))
        start, to_start = block.a + block.size, block.b + block.size
    return runs
