"""Signatures: one line that identifies a number, in the manner of sacreBLEU.

`m2|beta:0.5|…|refs:2|kind:edits|data:3f9c1a2b|version:0.2.0` names the metric, the parameters that change the
number, how many references there were and in which form, a digest of sources and references, and the version.
`docs/signatures.md` documents every field.
"""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from errata import __version__
from errata.corpus.model import Chunk, Corpus
from errata.corpus.segment import Annotation, Segment, are_edited
from errata.errors import ErrataError
from errata.native.ragged import Ragged
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary, unique_rows

if TYPE_CHECKING:
    from errata.metrics.base import Metric

Codes = npt.NDArray[np.uint64]
# For a reader of texts, white space of Unicode or of ASCII divides tokens, or it is part of the text.
WhiteSpace = Literal["unicode", "ascii", "kept"]
_NONE = np.empty(0, dtype=np.uint64)
_codes_by_vocabulary: WeakKeyDictionary[Vocabulary, Codes] = WeakKeyDictionary()
_lock = threading.Lock()
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying by it loses nothing
_SCRAMBLE = np.uint64(0xBF58476D1CE4E5B9)


def source_codes(corpus: Corpus, white_space: WhiteSpace = "unicode") -> Codes:
    """A code per segment for its source."""
    return _of_texts(corpus.vocabulary, corpus.source_ids, lambda: corpus.source_texts, white_space)


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


_DIGITS = 8  # of a digest


class Reading(NamedTuple):
    """The form in which a metric reads references, and what white space in texts does."""

    references: Literal["edits", "typed edits", "texts", "none"]
    white_space: WhiteSpace

    def named(self, texts: str) -> str:
        """The name of the digest of sources or references."""
        return texts if self.white_space == "unicode" else f"{texts}, {self.white_space} white space"


@dataclass(frozen=True)
class Signature(Mapping[str, str]):
    """The fields of a signature by name, in the order in which they are printed; `metric` comes first."""

    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, metric: str, settings: Mapping[str, object], **others: object) -> Signature:
        """Make a signature from a metric's name, its settings and further fields; empty ones are left out."""
        named = {**settings, **{k: v for k, v in others.items() if v not in ("", None)}}
        pairs = [(name, setting(value)) for name, value in named.items()]
        return cls((("metric", metric), *pairs, ("version", __version__)))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature that was printed."""
        name, *rest = text.strip().split("|")
        pairs = []
        for piece in rest:
            key, colon, value = piece.partition(":")
            if not colon or not key:
                raise ErrataError(
                    f"{text!r} is not a signature: {piece!r} is not NAME:VALUE\n"
                    "  hint: copy the whole line that `errata score` printed, in quotes"
                )
            pairs.append((key, value))
        return cls((("metric", name), *pairs))

    def __getitem__(self, name: str) -> str:
        return dict(self.fields)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __str__(self) -> str:
        (_, metric), *rest = self.fields
        return "|".join([metric, *(f"{name}:{value}" for name, value in rest)])

    def adding(self, **others: object) -> Signature:
        """The same with further fields before the version; empty ones are left out."""
        *before, version = self.fields
        more = [(name, setting(value)) for name, value in others.items() if value not in ("", None)]
        return Signature((*before, *more, version))

    def of_some(self, indices: npt.NDArray[np.int64], whole: int) -> Signature:
        """The signature of a score on some of the segments; `whole` counts those of this signature.

        A digest of the numbers of the segments tells one part from another part of the same size.
        """
        before = self.get("segments")  # if these are some segments already
        if before:
            whole = int(before.partition("/")[2].partition("@")[0])
        digest = digest_of({"of": before or "", "indices": indices})
        others = Signature(tuple(pair for pair in self.fields if pair[0] != "segments"))
        return others.adding(segments=f"{len(indices)}/{whole}@{digest}")

    def differences(self, other: Signature) -> list[tuple[str, str | None, str | None]]:
        """The fields in which two signatures differ, with both values; None means that a field is missing."""
        names = dict.fromkeys([*self, *other])
        pairs = [(name, self.get(name), other.get(name)) for name in names]
        return [(name, one, two) for name, one, two in pairs if one != two]


def _update(digest: Any, *codes: Codes) -> None:
    """Add the next segments to a digest, the same for any chunks: parallel arrays with a code per segment."""
    digest.update(np.ascontiguousarray(np.stack(codes, axis=1), dtype="<u8").data)


def digest_of(values: Mapping[str, Any]) -> str:
    """A digest of named numbers, texts and arrays, such as the result of a first pass."""
    digest = hashlib.sha256()
    for name in sorted(values):
        value = values[name]
        if isinstance(value, np.ndarray):
            digest.update(f"{name!r}:{value.dtype.str}{value.shape}".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        else:
            digest.update(f"{name!r}:{value!r};".encode())
    return digest.hexdigest()[:_DIGITS] if values else ""


def setting(value: object) -> str:
    """The value of a parameter as signatures and the command line write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    if isinstance(value, float) and float(f"{value:g}") == value:
        text = f"{value:g}"
    return text.replace("|", "/").replace("\n", " ")


# -- digests of the data -------------------------------------------------------------------------------------


def reading_of(metric: Metric) -> Reading:
    """How a metric reads its input, so far as signatures depend on it."""
    if "edits" in metric.needs:
        return Reading("typed edits" if "types" in metric.needs else "edits", metric.white_space)
    return Reading("texts" if "references" in metric.needs else "none", metric.white_space)


class ReferenceCodes(NamedTuple):
    """A code for the references of every segment, the smallest and the largest number of them, their form."""

    codes: Codes
    counts: tuple[int, ...]  # empty if there is no segment
    kinds: frozenset[str]


@dataclass(frozen=True)
class InputCodes:
    """Codes of the texts of a chunk; the digests of a corpus are computed from those of its chunks."""

    sources: Mapping[WhiteSpace, Codes]
    references: Mapping[Reading, ReferenceCodes]
    hypotheses: Mapping[str, Codes]
    post_edits: Mapping[str, Codes]
    edited: frozenset[str]  # the systems whose hypotheses are given as edits
    tokens: str  # the tokenizer of all texts, if they were not tokenised in their files


def input_codes(texts: Chunk, readings: Iterable[Reading]) -> InputCodes:
    """Codes of all texts of a chunk, with references as metrics read them; encodes the texts as token ids."""
    corpus, hypotheses, post_edits = texts.corpus, texts.hypotheses, texts.post_edits
    words = corpus.vocabulary
    readings = list(readings)
    references: dict[Reading, ReferenceCodes] = {
        reading: _references(corpus, reading, bool(post_edits))
        for reading in readings
        if reading.references != "none"
    }
    sources = {
        white_space: source_codes(corpus, white_space)
        for white_space in dict.fromkeys(["unicode", *(reading.white_space for reading in readings)])
    }
    outputs, their_post_edits = (
        {name: _of_rows(words.encode_lines(lines), _token_codes(words)) for name, lines in by_system.items()}
        for by_system in (hypotheses, post_edits)
    )
    edited = frozenset(name for name, lines in hypotheses.items() if are_edited(lines))
    tokens = "" if corpus.origin is None else corpus.origin.tokens
    return InputCodes(sources, references, outputs, their_post_edits, edited, tokens)


def _references(corpus: Corpus, reading: Reading, are_post_edits: bool) -> ReferenceCodes:
    if are_post_edits:  # they belong to the systems, as hypotheses do, and not to the data that these share
        return ReferenceCodes(np.zeros(len(corpus), dtype=np.uint64), (1, 1), frozenset({"post-edits"}))
    if reading.references == "texts":
        codes, offsets = text_codes(corpus, reading.white_space), corpus.reference_ids.offsets
        kinds = {"texts"}
    else:  # a metric reads gold edits, edits computed from texts, or both
        codes = (typed_edit_codes if reading.references == "typed edits" else edit_codes)(corpus)
        offsets = corpus.edit_ids.rows
        kinds = {"texts" if as_text else "edits" for as_text in np.unique(corpus.annotations.as_text)}
    counts = np.diff(offsets)
    extremes = (int(counts.min()), int(counts.max())) if len(counts) else ()
    return ReferenceCodes(codes, extremes, frozenset(kinds))


class Provenance:
    """Digests of all texts, updated chunk by chunk; gives each metric's score its signature."""

    def __init__(self) -> None:
        self._shared = defaultdict[str, Any](hashlib.sha256)  # of sources and references
        self._by_system = defaultdict[tuple[str, str], Any](hashlib.sha256)  # by kind of text and system
        self._counts: defaultdict[Reading, list[int]] = defaultdict(list)
        self._kinds: defaultdict[Reading, set[str]] = defaultdict(set)
        self._edited: set[str] = set()
        self._tokens = ""

    def add(self, chunk: InputCodes) -> None:
        """Add the codes of the next chunk."""
        self._edited |= chunk.edited
        self._tokens = chunk.tokens
        for white_space, sources in chunk.sources.items():
            _update(self._shared[Reading("none", white_space).named("sources")], sources)
        for reading, references in chunk.references.items():
            digest = self._shared[reading.named(f"references as {reading.references}")]
            _update(digest, chunk.sources[reading.white_space], references.codes)
            self._counts[reading].extend(references.counts)
            self._kinds[reading].update(references.kinds)
        for kind, by_system in (("hypotheses", chunk.hypotheses), ("post-edits", chunk.post_edits)):
            for system, codes in by_system.items():
                _update(self._by_system[kind, system], codes)

    def signatures(
        self, metric: Metric, settled: Mapping[str, Any], systems: Sequence[str]
    ) -> dict[str, Signature]:
        """The signatures of systems' scores by a metric; they tell whose edits were not extracted."""
        reading = reading_of(metric)
        kind, fields = "sources", dict[str, object]()
        if reading.references != "none":
            kind, counts = f"references as {reading.references}", self._counts[reading]
            low, high = min(counts, default=0), max(counts, default=0)
            fields = {
                "refs": f"{low}" if low == high else f"{low}-{high}",
                "kind": "+".join(sorted(self._kinds[reading])),
            }
        fields["data"] = self._shared[reading.named(kind)].hexdigest()[:_DIGITS]
        fields["first"] = digest_of(settled if metric.depends_on_systems else {})
        others = {**fields, "tokens": self._tokens, "code": metric.code}
        signature = Signature.of(metric.name, metric.settings(), **others)
        edited = self._edited if metric.reads_edits_of_outputs else set[str]()
        return {name: signature.adding(outputs="edits") if name in edited else signature for name in systems}

    def digests(self) -> dict[str, Any]:
        """The digests of the inputs, as plain data."""
        by_system: dict[str, dict[str, str]] = {"hypotheses": {}}
        for (kind, system), digest in self._by_system.items():
            by_system.setdefault(kind, {})[system] = digest.hexdigest()[:_DIGITS]
        shared = {name: digest.hexdigest()[:_DIGITS] for name, digest in self._shared.items()}
        return {**shared, **by_system}


def signature_on(
    metric: Metric, corpus: Corpus, hypotheses: Sequence[str], settled: Mapping[str, Any]
) -> Signature:
    """The signature of the score of some hypotheses."""
    provenance = Provenance()
    provenance.add(input_codes(Chunk(corpus, {"": hypotheses}), [reading_of(metric)]))
    return provenance.signatures(metric, settled, [""])[""]
