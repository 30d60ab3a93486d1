"""M2 files in their usual form as arrays, without strings or objects for their contents."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.corpus.edit_ids import NEVER, EncodedEdits
from errata.corpus.model import EncodedReferences
from errata.native import m2_lines
from errata.native.ragged import Ragged, select_runs
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PlainM2:
    """The sentences of an M2 file, and its edits as `errata.native.m2_lines.parse` gives them."""

    data: bytes
    sources: Lines
    blocks: array[int]  # start and end of the block and start of the S line, of each sentence in turn
    edits: Integers
    corrections: int  # of all edits


def plain_m2(data: bytes, lines: Lines | None = None) -> PlainM2 | None:
    """The file, or None if something in it is not of the usual form, or wrong.

    `lines` are those of the file, if it was split into lines before.
    """
    lines = lines or Lines.split(data)[0]
    starts, ends = lines.starts, lines.ends
    if data.startswith(b"\xef\xbb\xbf"):
        starts[0] = 3
    parsed = m2_lines.parse(data, starts, ends)
    if parsed is None:
        return None
    sentences, edits, corrections = parsed
    first, end = sentences.T
    stops = np.append(starts[1:] - 1, len(data) - data.endswith(b"\n"))
    blocks = array("q", np.stack([starts[first], stops[end - 1], starts[first]], axis=1).tobytes())
    return PlainM2(data, Lines(data, starts[first] + 2, ends[first]), blocks, edits, corrections)


def encoded_edits(
    file: PlainM2, sources: Ragged, vocabulary: Vocabulary, *, matching: bool = True
) -> EncodedEdits:
    """The edits as `errata.corpus.edit_ids.encode_edits` gives them.

    With `matching`, a correction with irregular white space becomes a token that matches nothing.
    """
    grouped = m2_lines.group(file.data, file.edits, sources.offsets, file.corrections)
    if grouped is None:
        ascending = file.edits[np.lexsort((file.edits[:, 1], file.edits[:, 0]))]
        grouped = m2_lines.group(file.data, ascending, sources.offsets, file.corrections)
    rows, annotators, edits, spans, corrections, parts, types, left_out = grouped
    texts, irregular = vocabulary.encode_regular(Lines(file.data, *parts))
    if matching and irregular.any():  # a single token that no text has
        never = Ragged(np.array([NEVER], dtype=np.int32), np.array([0, 1], dtype=np.int64))
        places = np.where(irregular, len(texts), np.arange(len(texts), dtype=np.int64))
        texts = Ragged.concatenated([texts, never]).select(places)
    names = Vocabulary()
    kinds = names.encode_whole(Lines(file.data, *types))
    encoded_types = None if left_out else (names.tokens, kinds)
    return EncodedEdits(rows, annotators, edits, spans, corrections, texts, encoded_types)


def corrected_texts(gold: EncodedEdits, sources: Ragged) -> EncodedReferences | None:
    """The texts that edits make of the sources; None where edits overlap or leave their sentence."""
    if gold.types is None:
        return None
    order = gold.ascending
    words = gold.tokens.select(gold.corrections[order])
    sentences = np.repeat(np.arange(len(sources), dtype=np.int64), np.diff(gold.rows))
    texts = apply_edits(sources.select(sentences), gold.edits, gold.spans[order], words)
    return None if texts is None else EncodedReferences(texts, gold.rows, gold.annotators)


def apply_edits(
    sources: Ragged, offsets: Integers, spans: npt.NDArray[np.int32], corrections: Ragged
) -> Ragged | None:
    """The texts that edits make of sources; None if edits overlap or leave their sentence.

    Source i has the edits `offsets[i]:offsets[i + 1]`, in ascending order.
    """
    starts, ends = spans[:, 0].astype(np.int64), spans[:, 1].astype(np.int64)
    first, last = offsets[:-1], offsets[1:]
    # the tokens that stay: one run before each edit, and one after the last edit of a source
    run_starts, run_ends = np.insert(ends, first, 0), np.insert(starts, last, sources.lengths)
    if (run_starts > run_ends).any() or (starts > ends).any():
        return None
    begins = np.repeat(sources.offsets[:-1], 1 + np.diff(offsets))
    kept = np.stack([begins + run_starts, begins + run_ends], axis=1)
    places = np.stack([corrections.offsets[:-1], corrections.offsets[1:]], axis=1) + len(sources.values)
    added = np.insert(places, last, 0, axis=0)  # after each run the correction, or nothing
    runs = np.hstack([kept, added]).ravel()
    run_offsets, tokens = select_runs(runs, np.arange(0, len(runs), 2))
    values = np.concatenate([sources.values, corrections.values])[tokens]
    return Ragged(values, run_offsets[2 * (offsets + np.arange(len(offsets)))])
