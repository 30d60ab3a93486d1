"""Edits to text and text to edits, over token lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from errata.errors import DataError

Span = tuple[int, int, str]  # start, end, correction
# The correction of an edit that is meant for another sentence of its M2 block: no text is equal to it.
ELSEWHERE = "\n"


def apply_edits(tokens: Sequence[str], spans: Iterable[Span]) -> list[str]:
    """The tokens after these edits. Insertions at one place keep their order; edits may not overlap."""
    result: list[str] = []
    position = 0
    for start, end, correction in sorted(spans, key=lambda span: (span[0], span[1])):
        if start < position or end < start or end > len(tokens):
            raise DataError(
                f"the edit {start} {end} -> {correction!r} overlaps another one or leaves the sentence "
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
    """The places of these edits in both texts."""
    from rapidfuzz.distance import Levenshtein

    runs: list[tuple[int, int, int, int]] = []
    for step in Levenshtein.opcodes(source, target):
        if step.tag == "equal":
            continue
        start, end, to_start, to_end = step.src_start, step.src_end, step.dest_start, step.dest_end
        if runs and runs[-1][1] == start and runs[-1][3] == to_start:
            runs[-1] = (runs[-1][0], end, runs[-1][2], to_end)
        else:
            runs.append((start, end, to_start, to_end))
    return runs
