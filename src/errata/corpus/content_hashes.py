"""64-bit hash codes of segments, for the digests of a corpus: equal content has equal codes.

Codes depend on tokens, and on white space as far as its reader does (`WhiteSpace`), not on file formats,
chunks or threads. Texts of tokens with single blanks between them have the same code for all readers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Segment
from errata.native.ragged import Ragged
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary, unique_rows

# For a reader of texts, white space of Unicode or of ASCII divides tokens, or it is part of the text.
WhiteSpace = Literal["unicode", "ascii", "kept"]
Codes = npt.NDArray[np.uint64]
_NONE = np.empty(0, dtype=np.uint64)
_codes_by_vocabulary: WeakKeyDictionary[Vocabulary, Codes] = WeakKeyDictionary()
_lock = threading.Lock()
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing
_SCRAMBLE = np.uint64(0xBF58476D1CE4E5B9)


def source_codes(corpus: Corpus, white_space: WhiteSpace = "unicode") -> Codes:
    """A code per segment for its source."""
    return _of_texts(corpus.vocabulary, corpus.source_ids, lambda: corpus.source_texts, white_space)


def line_codes(corpus: Corpus, lines: Sequence[str]) -> Codes:
    """A code per line for a system's output."""
    return _of_rows(corpus.vocabulary.encode_lines(lines), _token_codes(corpus.vocabulary))


def text_codes(corpus: Corpus, white_space: WhiteSpace = "unicode") -> Codes:
    """A code per segment for its reference texts and their annotators."""
    references = corpus.reference_ids
    rows = _of_texts(corpus.vocabulary, references.ids, lambda: corpus.reference_lines, white_space)
    return _fold(_mixed(rows, references.annotators), references.offsets)


def edit_codes(corpus: Corpus) -> Codes:
    """A code per segment for its gold edits: spans, corrections and annotators."""
    gold = corpus.edit_ids
    texts = _of_rows(gold.tokens, _token_codes(corpus.vocabulary))
    edits = _mixed(_fold(texts, gold.corrections), gold.spans[:, 0], gold.spans[:, 1])
    return _fold(_mixed(_fold(edits, gold.edits), gold.annotators), gold.rows)


def typed_edit_codes(corpus: Corpus) -> Codes:
    """A code per segment for its gold edits and their types."""
    types, same = _described_types(corpus)
    texts = Vocabulary()
    numbers = texts.encode([types]).values[same]
    return _mixed(edit_codes(corpus), _digests(texts.token_bytes())[numbers].view(np.int64))


def _described_types(corpus: Corpus) -> tuple[list[str], npt.NDArray[np.int32]]:
    """Descriptions of annotators and the types of their edits, and the number of each segment's."""
    gold = corpus.edit_ids
    encoded = gold.types
    if encoded is None:
        types = [
            repr([(a.annotator, [edit.type for edit in a.edits]) for a in _ascending(segment)])
            if any(not a.given_as_text for a in segment.annotations)
            else ""
            for segment in corpus
        ]
        return types, np.arange(len(types), dtype=np.int32)
    kinds = encoded[1].astype(np.int64)
    rows = np.insert(kinds, gold.edits[:-1], -1 - gold.annotators)  # each annotator before the types
    offsets = (gold.edits + np.arange(len(gold.edits)))[gold.rows]
    same, first = unique_rows(Ragged(rows.view(np.int32), 2 * offsets))
    names = [*map(encoded[0].__getitem__, kinds.tolist())]
    annotators, edits, bounds = (array.tolist() for array in (gold.annotators, gold.edits, gold.rows))
    types = []
    for segment in first.tolist():
        some = [
            (annotators[row], names[edits[row] : edits[row + 1]])
            for row in range(*bounds[segment : segment + 2])
        ]
        types.append(repr(some) if some else "")
    return types, same


def _ascending(segment: Segment) -> list[Annotation]:
    return sorted(segment.annotations, key=lambda annotation: annotation.annotator)


def _of_texts(
    vocabulary: Vocabulary, ids: Ragged, lines: Callable[[], Lines], white_space: WhiteSpace
) -> Codes:
    """A code per line, of which the token ids are known; the lines are made only where they are needed."""
    if white_space == "ascii" and vocabulary.unicode_blanks:
        ids = vocabulary.encode_lines(lines(), ascii_blanks=True)
    codes = _of_rows(ids, _token_codes(vocabulary))
    if white_space == "kept":
        irregular = np.flatnonzero(vocabulary.encode_regular(lines())[1])
        texts = [lines()[i].encode("utf-8", "surrogatepass") for i in irregular.tolist()]
        codes[irregular] = _mixed(codes[irregular], _digests(texts).view(np.int64))
    return codes


def _token_codes(vocabulary: Vocabulary) -> Codes:
    """A code per token. Codes are kept, and only those of new tokens are computed."""
    with _lock:
        codes = _codes_by_vocabulary.get(vocabulary, _NONE)
        if len(codes) < len(vocabulary):
            new_codes = _digests(vocabulary.token_bytes(len(codes)))
            codes = _codes_by_vocabulary[vocabulary] = np.append(codes, new_codes)
        return codes


def _digests(tokens: Sequence[bytes]) -> Codes:
    """Eight bytes of BLAKE2b per token."""
    return np.frombuffer(b"".join(blake2b(token, digest_size=8).digest() for token in tokens), dtype="<u8")


def _of_rows(rows: Ragged, tokens: Codes) -> Codes:
    """A code per row from those of its tokens, their order and number; a negative id has the code 1."""
    begin, end = rows.offsets[0], rows.offsets[-1]
    ids, offsets, lengths = rows.values[begin:end], rows.offsets - begin, rows.lengths
    powers = np.cumprod(np.full(int(lengths.max(initial=0)) + 1, _FACTOR))
    codes = _scrambled(np.append(tokens, np.uint64(1)))[np.maximum(ids, -1)]
    codes *= powers[np.arange(len(ids)) - np.repeat(offsets[:-1], lengths)]  # by the place in the row
    totals = np.zeros(len(ids) + 1, dtype=np.uint64)
    np.cumsum(codes, out=totals[1:])  # modulo 2^64
    sums: Codes = totals[offsets[1:]] - totals[offsets[:-1]]
    return sums + powers[lengths]


def _scrambled(codes: Codes) -> Codes:
    scrambled: Codes = (codes ^ (codes >> np.uint64(29))) * _SCRAMBLE
    return scrambled


def _fold(values: Codes, offsets: npt.NDArray[np.int64]) -> Codes:
    """One code per run of values; it depends on their order and number."""
    return _of_rows(Ragged(np.arange(len(values), dtype=np.int32), offsets), values)


def _mixed(codes: Codes, *numbers: npt.NDArray[np.integer]) -> Codes:
    for values in numbers:
        codes = _scrambled(codes) * _FACTOR + values.astype(np.int64).astype(np.uint64)
    return codes
