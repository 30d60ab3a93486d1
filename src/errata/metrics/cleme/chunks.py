"""Chunks: the stretches of a source that are compared as wholes across a hypothesis and its references."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from errata.corpus.model import Edit
from errata.edits.edit_arrays import Integers
from errata.metrics.cleme.counting import COLUMNS, NO_WEIGHTS
from errata.metrics.edit_sequences import placed
from errata.metrics.errant.keys import Keys
from errata.metrics.statistics import Floats
from errata.native import edit_matches
from errata.native.ragged import Ragged
from errata.text.vocabulary import Vocabulary

Tokens = tuple[str, ...]
Edits = tuple[Edit, ...]


class Version(NamedTuple):
    """What a text has in a chunk: its tokens, whether it has an edit there, and the types of its edits."""

    tokens: Tokens
    changed: bool
    types: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """One stretch of the source, in the hypothesis and in every reference that it is compared with.

    `columns` has the column that it counts in against each of these references, or against all together.
    """

    source: Tokens
    hypothesis: Version
    references: tuple[Version, ...]
    columns: tuple[str, ...]


class Counted(NamedTuple):
    """The chunks of hypotheses, counted by `edit_matches.count_chunks`."""

    values: Floats  # a row of sums for each hypothesis, or for each reference that it is compared with
    rows: Integers  # the references of hypothesis i are kept[rows[i]:rows[i + 1]]
    kept: Integers
    changes: Integers  # the summed length of what references change, and the number of such chunks
    chunks: Integers  # the spans of hypothesis i are spans[chunks[i]:chunks[i + 1]]
    spans: Integers  # start, end, and whether a text has edits there
    columns: Integers  # of every chunk in each row


def count_chunks(
    sources: Ragged, segments: Integers, ours: Keys, theirs: tuple[Keys, Integers], independent: bool,
    weights: Floats = NO_WEIGHTS, *, detailed: bool = False,
) -> Counted:  # fmt: skip
    """Count the chunks of hypotheses for these segments; `detailed` tells the chunks themselves, too."""
    references, rows = theirs
    counts = edit_matches.count_chunks(
        sources, segments, ours, references, rows, independent, weights, detailed
    )
    return Counted(*counts)


def chunks_of(
    sources: Sequence[str], hypotheses: Sequence[Edits], references: Sequence[Sequence[Edits]], *,
    independent: bool,
) -> list[list[Chunk]]:  # fmt: skip
    """The chunks of every source, with what each text has there."""
    vocabulary = Vocabulary()
    flat = [edits for some in references for edits in some]
    rows = np.cumsum([0, *map(len, references)], dtype=np.int64)
    found = count_chunks(
        vocabulary.encode_lines(sources), np.arange(len(sources)),
        placed(hypotheses, vocabulary, exact=False), (placed(flat, vocabulary, exact=False), rows),
        independent, detailed=True,
    )  # fmt: skip
    columns = iter(found.columns.tolist())
    made: list[list[Chunk]] = []
    for i, (start, stop) in enumerate(pairwise(found.chunks.tolist())):
        tokens = tuple(sources[i].split())
        kept = found.kept[slice(*found.rows[i : i + 2].tolist())].tolist()
        texts = [hypotheses[i], *(flat[row] for row in kept)]
        made.append([])
        for first, last, edited in found.spans[start:stop].tolist():
            versions = [_version(tokens, first, last, edits if edited else ()) for edits in texts]
            names = tuple(COLUMNS[next(columns)] for _ in range(1 if independent else len(kept)))
            made[-1].append(Chunk(tokens[first:last], versions[0], tuple(versions[1:]), names))
    return made


def _version(tokens: Tokens, start: int, end: int, edits: Iterable[Edit]) -> Version:
    """What a text with these edits has in place of the tokens start:end."""
    inside = [edit for edit in edits if edit.type != "noop" and start <= edit.start <= edit.end <= end]
    out: list[str] = []
    place = start
    for edit in sorted(inside, key=lambda edit: edit.start):
        out += tokens[place : edit.start]
        out += edit.correction.split()
        place = max(place, edit.end)
    return Version((*out, *tokens[place:end]), bool(inside), tuple(edit.type for edit in inside))
