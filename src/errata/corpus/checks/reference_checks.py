"""Checks of references before scoring: their edits, and whether source and references belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from errata.corpus.checks.alignment_checks import spread
from errata.corpus.checks.finding_catalog import Finding
from errata.corpus.checks.raw_output_checks import RawOutputChecks
from errata.errors import plural

if TYPE_CHECKING:
    from errata.corpus.model import Corpus

_MIN_COUNT = 10  # with fewer observations, a share means nothing
_COMPARED = 100  # sentences whose source and reference are compared with an output
_OUTPUTS = 4  # outputs that are compared
_NEARER = 0.8  # of the distance between output and source; a reference that is nearer is suspicious
_DEVIATIONS = 1.5  # standard deviations of the number of rare words

_ENCODINGS = ("spaces", "unicode")  # kinds of typography that an annotator does not correct
_ALIKE = "Write source and references alike; errata corpus check --fix --select W105 normalises letters."

Column = Sequence[str | None]  # the texts of a reference, with None where it is missing


def edit_findings(corpus: Corpus, where: str) -> Iterator[Finding]:
    """Report edits outside their sentences, and edits of an annotator that overlap."""
    rows = corpus.annotations
    starts, ends = rows.edits.spans[:, 0], rows.edits.spans[:, 1]
    if not len(starts):
        return
    row_of, segment_of = rows.edits.owners, rows.owners
    lengths = corpus.source_ids.lengths[segment_of[row_of]]
    outside = (starts < 0) | (ends < starts) | (ends > lengths)
    order = np.lexsort((ends, starts, row_of))
    before, after = order[:-1], order[1:]
    overlapping = (row_of[before] == row_of[after]) & (starts[after] < ends[before])
    for code, edits, problem, fix in (
        ("E204", np.flatnonzero(outside), "an edit leaves its sentence", ""),
        (
            "E205", after[overlapping & ~(outside[before] | outside[after])],
            "an edit overlaps another edit of the same annotator",
            "Merge these edits. If the file has several annotators, give each a number of its own.",
        ),
    ):  # fmt: skip
        if len(edits):
            segments = np.unique(segment_of[row_of[edits]])
            line = corpus.first + segments[0] if corpus.lines is None else corpus.lines[segments[0]]
            count = f"{len(segments):,} {plural(len(segments), 'sentence')}"
            yield Finding(where, int(line), code, f"in {count}, {problem}", fix)


def reference_findings(
    sources: Sequence[str], references: Sequence[Column], names: Sequence[str]
) -> Iterator[Finding]:
    """Report references that equal the source, or another reference."""
    if len(sources) < _MIN_COUNT:
        return
    seen: dict[tuple[str | None, ...], str] = {}
    for texts, name in zip(references, names, strict=True):
        if None in texts:
            continue
        examined = f"all {len(sources):,} examined sentences are the same as in"
        if equals(texts, sources):
            yield Finding(name, 1, "E313", f"{examined} the source")
        elif (first := seen.get(key := tuple(texts))) is not None:
            another = f"another reference, {first}" if first == name else first
            yield Finding(name, 1, "W310", f"{examined} {another}")
        else:
            seen[key] = name


def equals(texts: Column, sources: Sequence[str]) -> bool:
    """Whether a reference is the source."""
    return all(text == source for text, source in zip(texts, sources, strict=True))


def typography_findings(
    sources: Sequence[str], references: Mapping[str, Column], numbers: Sequence[int], where: str
) -> Iterator[Finding]:
    """Report typography of references that the source does not have, and the reverse.

    The lines have these numbers in their files, and `where` is the file of the source.
    """
    columns = {
        name: [source if text is None else text for source, text in zip(sources, column, strict=True)]
        for name, column in references.items()
    }
    checks = RawOutputChecks(sources, [], numbers)
    findings = [
        finding
        for name, column in columns.items()
        for finding in checks.typography(column, name, "the source does not use", _ENCODINGS)
    ]
    if columns and not findings:
        first, *others = columns.values()
        checks = RawOutputChecks(first, others, numbers)
        findings = [*checks.typography(sources, where, "no reference uses", _ENCODINGS)]
    yield from (replace(finding, fix=_ALIKE) for finding in findings)


def swapped_with_source(
    sources: Sequence[str],
    references: Mapping[str, Column],
    outputs: Mapping[str, Sequence[str]],
) -> Iterator[Finding]:
    """Report references, by name, that seem to be the source, with the source as their correction.

    There are two signs. Systems change less than annotators, so outputs should be nearer to the source. Many
    words that are rare in a corpus are errors, so the source should have more of them.
    """
    from rapidfuzz.distance import Indel

    places = spread(len(sources), _COMPARED)
    for name, texts in references.items():
        pairs = [(i, sources[i], text) for i in places if (text := texts[i]) not in (None, sources[i])]
        nearer = [
            sum(Indel.distance(text, lines[i]) for i, _, text in pairs)
            < _NEARER * sum(Indel.distance(source, lines[i]) for i, source, _ in pairs)
            for lines in [*outputs.values()][:_OUTPUTS]
        ]
        if len(pairs) < _MIN_COUNT or 2 * sum(nearer) <= len(nearer):
            continue
        in_source, in_reference = _rare_words(sources, texts)
        if in_reference - in_source > _DEVIATIONS * (in_source + in_reference) ** 0.5:
            yield Finding(
                name, 1, "E314",
                f"outputs are nearer to it than to the source, and it has {in_reference:,} rare words where "
                f"the source has {in_source:,}: it seems to be the source",
            )  # fmt: skip


def _rare_words(sources: Sequence[str], texts: Column) -> tuple[int, int]:
    """The words that only the source or only the reference has in a sentence, and no other sentence has."""
    words = [
        (set(source.lower().split()), set(text.lower().split()))
        for source, text in zip(sources, texts, strict=True)
        if text is not None
    ]
    sentences = Counter(word for source, text in words for word in source | text)
    rare = {word for word, count in sentences.items() if count == 1 and word.isalpha()}
    return sum(len(rare & source - text) for source, text in words), sum(
        len(rare & text - source) for source, text in words
    )
