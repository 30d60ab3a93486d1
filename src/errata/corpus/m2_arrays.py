"""M2 files in their usual form as arrays, without making strings or objects of what they contain."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.corpus.edit_ids import NEVER, EncodedEdits
from errata.corpus.model import EncodedReferences
from errata.kernels import m2_lines, tokens
from errata.kernels.ragged import Ragged
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PlainM2:
    """The sentences of an M2 file, and where the fields of its edits lie: see `errata.kernels.m2_lines`."""

    data: bytes
    sources: Lines
    blocks: array[int]  # start and end of the block and start of the S line, of each sentence in turn
    edits: Integers
    corrections: int  # of all edits


def plain_m2(data: bytes, lines: Lines | None = None) -> PlainM2 | None:
    """The file, or None where something in it is not of the usual form, or wrong.

    `lines` are those of the file, where they are known.
    """
    lines = lines or Lines.split(data)[0]
    starts, ends = lines.starts, lines.ends
    if data.startswith(b"\xef\xbb\xbf"):
        starts[0] = 3
    sentences = np.empty((len(starts), 2), dtype=np.int64)
    edits = np.empty((len(starts), 7), dtype=np.int64)
    number, counts = np.empty(1, dtype=np.int64), np.empty(3, dtype=np.int64)
    codes = np.frombuffer(data, dtype=np.uint8)
    if not m2_lines.parse(codes, starts, ends, sentences, edits, number, counts):
        return None
    some, changed, corrected = counts.tolist()
    first, behind = sentences[:some].T
    stops = np.append(starts[1:] - 1, len(data) - data.endswith(b"\n"))
    blocks = array("q", np.stack([starts[first], stops[behind - 1], starts[first]], axis=1).tobytes())
    return PlainM2(data, Lines(data, starts[first] + 2, ends[first]), blocks, edits[:changed], corrected)


def encoded_edits(
    file: PlainM2, sources: Ragged, vocabulary: Vocabulary, *, matching: bool = True
) -> EncodedEdits:
    """The edits as `errata.corpus.edit_ids.encode_edits` gives them.

    A correction with irregular white space has its tokens if it is not for `matching`.
    """
    count, most = len(sources), len(file.edits)
    rows, corrections = np.empty(count + 1, dtype=np.int64), np.empty(most + 1, dtype=np.int64)
    annotators, edits = np.empty((2, most + count + 1), dtype=np.int64)
    spans, types = np.empty((most, 2), dtype=np.int32), np.empty((2, most), dtype=np.int64)
    parts, counts = np.empty((2, file.corrections), dtype=np.int64), np.empty(4, dtype=np.int64)
    arrays = sources.offsets, rows, annotators, edits, spans, corrections, parts, types, counts
    codes = np.frombuffer(file.data, dtype=np.uint8)
    if not m2_lines.group(codes, file.edits, *arrays):
        m2_lines.group(codes, file.edits[np.lexsort((file.edits[:, 1], file.edits[:, 0]))], *arrays)
    some, changed, corrected, left_out = counts.tolist()
    texts, irregular = vocabulary.encode_regular(Lines(file.data, *parts[:, :corrected]))
    if matching and irregular.any():  # a single token that no text has
        never = Ragged(np.array([NEVER], dtype=np.int32), np.array([0, 1], dtype=np.int64))
        places = np.where(irregular, corrected, np.arange(corrected, dtype=np.int64))
        texts = Ragged.concatenated([texts, never]).select(places)
    names = Vocabulary()
    kinds = names.encode_whole(Lines(file.data, *types[:, :changed]))
    return EncodedEdits(
        rows,
        annotators[:some],
        edits[: some + 1],
        spans[:changed],
        corrections[: changed + 1],
        texts,
        None if left_out else (names.tokens, kinds),
    )


def corrected_texts(gold: EncodedEdits, sources: Ragged) -> EncodedReferences | None:
    """The texts that edits make of the sources; None where edits overlap or leave their sentence."""
    if gold.types is None:
        return None
    order = gold.ascending
    words = gold.tokens.select(gold.corrections[order])
    sentences = np.repeat(np.arange(len(sources), dtype=np.int64), np.diff(gold.rows))
    out = np.empty(int(sources.lengths[sentences].sum()) + len(words.values), dtype=np.int32)
    offsets = np.zeros(len(sentences) + 1, dtype=np.int64)
    done = tokens.apply_edits(
        sources.values, sources.offsets, sentences, gold.edits, gold.spans[order], words.values,
        words.offsets, out, offsets,
    )  # fmt: skip
    if done < len(sentences):
        return None
    return EncodedReferences(Ragged(out[: offsets[-1]].copy(), offsets), gold.rows, gold.annotators)
