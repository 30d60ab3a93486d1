"""M2 files in their usual form as arrays, without making strings or objects of what they contain."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.edit_ids import NEVER, EncodedEdits
from errata.corpus.model import EncodedReferences
from errata.kernels import m2_lines, tokens
from errata.text.lines import Lines
from errata.text.vocabulary import Ragged, Vocabulary

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PlainM2:
    """Where the lines of an M2 file lie, and what is on them: see `errata.kernels.m2_lines`."""

    data: bytes
    starts: Integers
    ends: Integers
    sentences: Integers
    edits: Integers
    parts: Integers

    @property
    def sources(self) -> Lines:
        """The sources."""
        lines = self.sentences[:, 0]
        return Lines(self.data, self.starts[lines] + 2, self.ends[lines])

    def blocks(self) -> array[int]:
        """Start and end of the block and start of the S line, of each sentence in turn."""
        stops = np.append(self.starts[1:] - 1, len(self.data) - self.data.endswith(b"\n"))
        begin = self.starts[self.sentences[:, 0]]
        bounds = np.stack([begin, stops[self.sentences[:, 1] - 1], begin], axis=1)
        found = array("q")
        found.frombytes(bounds.astype(np.int64).tobytes())
        return found


def plain_m2(data: bytes, lines: Lines | None = None) -> PlainM2 | None:
    """The file, or None where something in it is not of the usual form, or wrong.

    `lines` are those of the file, where they are known.
    """
    lines = lines or Lines.split(data)[0]
    starts, ends = lines.starts, lines.ends
    if data.startswith(b"\xef\xbb\xbf"):
        starts[0] = 3
    codes = np.frombuffer(data, dtype=np.uint8)
    sentences = np.empty((len(starts), 2), dtype=np.int64)
    edits = np.empty((len(starts), 8), dtype=np.int64)
    parts = np.empty((np.count_nonzero(codes == ord("|")) // 2 + 1, 2), dtype=np.int64)
    number, counts = np.empty(1, dtype=np.int64), np.empty(3, dtype=np.int64)
    parse: Any = m2_lines.parse  # typed for Cython
    if not parse(codes, starts, ends, sentences, edits, parts, number, counts):
        return None
    some, changed, corrected = counts.tolist()
    return PlainM2(data, starts, ends, sentences[:some], edits[:changed], parts[:corrected])


@dataclass(frozen=True)
class _Rows:
    """The annotators of every sentence, ascending, with all their edits in the order of the file."""

    offsets: Integers
    sentences: Integers
    annotators: Integers
    edits: Integers
    owners: Integers  # the row of every edit
    spans: npt.NDArray[np.int32]
    first: Integers  # part of every edit
    counts: Integers  # parts of every edit
    parts: Ragged  # tokens of all corrections of the file
    irregular: npt.NDArray[np.bool_]
    order: Integers  # the line of every edit among those of the file


def _rows(file: PlainM2, vocabulary: Vocabulary) -> _Rows:
    sentence, annotator, start, end, noop, behind = file.edits[:, :6].T
    count = len(file.sentences)
    base = int(annotator.max(initial=0)) + 1
    keys = sentence * base + annotator
    silent = np.flatnonzero(np.bincount(sentence, minlength=count) == 0)  # no A line: nothing to correct
    rows = np.sort(np.concatenate([keys, silent * base]))
    rows = rows[np.diff(rows, prepend=-1) > 0]
    order = np.flatnonzero(noop == 0)
    if (np.diff(keys) < 0).any():
        order = order[np.argsort(keys[order], kind="stable")]
    owners = np.searchsorted(rows, keys[order])
    sizes = np.diff(behind, prepend=0)
    lines = Lines(file.data, *np.ascontiguousarray(file.parts.T))
    parts, irregular = vocabulary.encode_regular(lines)
    return _Rows(
        offsets=np.searchsorted(rows // base, np.arange(count + 1)),
        sentences=rows // base,
        annotators=rows % base,
        edits=np.searchsorted(owners, np.arange(len(rows) + 1)),
        owners=owners,
        spans=np.stack([start[order], end[order]], axis=1).astype(np.int32),
        first=(behind - sizes)[order],
        counts=sizes[order],
        parts=parts,
        irregular=irregular,
        order=order,
    )


def encoded_edits(file: PlainM2, sources: Ragged, vocabulary: Vocabulary) -> EncodedEdits:
    """The edits as `errata.corpus.edit_ids.encode_edits` gives them."""
    rows = _rows(file, vocabulary)
    lengths = sources.lengths[rows.sentences][rows.owners]
    inside = ((rows.spans >= 0) & (rows.spans <= lengths[:, None])).all(axis=1)
    kept = np.flatnonzero(inside)
    counts = rows.counts[kept]
    corrections = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(counts, out=corrections[1:])
    places = np.repeat(rows.first[kept] - corrections[:-1], counts) + np.arange(corrections[-1])
    texts = rows.parts
    if rows.irregular.any():  # a single token that no text has
        never = Ragged(np.array([NEVER], dtype=np.int32), np.array([0, 1], dtype=np.int64))
        places = np.where(rows.irregular[places], len(texts), places)
        texts = Ragged.concatenated([texts, never])
    return EncodedEdits(
        rows.offsets,
        rows.annotators,
        np.searchsorted(rows.owners[kept], np.arange(len(rows.annotators) + 1)),
        rows.spans[kept],
        corrections,
        texts.select(places),
        _types(file, rows.order) if inside.all() else None,
    )


def _types(file: PlainM2, order: Integers) -> tuple[list[str], npt.NDArray[np.int32]]:
    """The types of these edits: different names, and the number of each edit's."""
    names = Vocabulary()
    numbers = names.encode_whole(Lines(file.data, *np.ascontiguousarray(file.edits[:, 6:].T)))
    return names.tokens, numbers[order]


def encoded_references(file: PlainM2, sources: Ragged, vocabulary: Vocabulary) -> EncodedReferences | None:
    """The corrected texts; None where edits overlap or leave their sentence."""
    rows = _rows(file, vocabulary)
    order = np.lexsort((rows.spans[:, 1], rows.spans[:, 0], rows.owners))
    words = rows.parts.select(rows.first[order])
    size = int(sources.lengths[rows.sentences].sum()) + len(words.ids)
    out = np.empty(size, dtype=np.int32)
    offsets = np.zeros(len(rows.annotators) + 1, dtype=np.int64)
    apply: Any = tokens.apply_edits
    done = apply(
        sources.ids, sources.offsets, rows.sentences, rows.edits, rows.spans[order], words.ids,
        words.offsets, out, offsets,
    )  # fmt: skip
    if done < len(rows.annotators):
        return None
    return EncodedReferences(Ragged(out[: offsets[-1]].copy(), offsets), rows.offsets, rows.annotators)
