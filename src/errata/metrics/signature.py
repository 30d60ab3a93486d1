"""Signatures: one line that identifies a number, in the manner of sacreBLEU.

`m2|beta:0.5|…|refs:2|kind:edits|data:3f9c1a2b|version:0.2.0` names the metric, the parameters that change the
number, how many references there were and in which form, a digest of sources and references, and the version.
`docs/signatures.md` documents every field.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from errata import __version__
from errata.corpus.content_hashes import (
    Codes,
    edit_codes,
    line_codes,
    source_codes,
    text_codes,
    typed_edit_codes,
)
from errata.corpus.model import Corpus
from errata.corpus.streaming import Chunk
from errata.errors import ErrataError

if TYPE_CHECKING:
    from errata.metrics.base import Metric

Reading = Literal["edits", "typed edits", "texts", "none"]
_DIGITS = 8  # of a digest


@dataclass(frozen=True)
class Signature(Mapping[str, str]):
    """The fields of a signature by name, in the order in which they are printed; `metric` comes first."""

    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, metric: str, settings: Mapping[str, object], **others: object) -> Signature:
        """Make a signature from a metric's name, its settings and further fields; empty ones are left out."""
        given = {**settings, **{k: v for k, v in others.items() if v not in ("", None)}}
        pairs = [(name, setting(value)) for name, value in given.items()]
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
        for key, value in self.fields:
            if key == name:
                return value
        raise KeyError(name)

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
        known = self.get("segments")
        if known:
            whole = int(known.partition("/")[2].partition("@")[0])
        chosen = digest_of({"of": known or "", "indices": indices})
        kept = Signature(tuple(pair for pair in self.fields if pair[0] != "segments"))
        return kept.adding(segments=f"{len(indices)}/{whole}@{chosen}")

    def differences(self, other: Signature) -> list[tuple[str, str | None, str | None]]:
        """The fields in which two signatures differ, with both values; None stands for a missing field."""
        names = dict.fromkeys([*self, *other])
        pairs = [(name, self.get(name), other.get(name)) for name in names]
        return [(name, ours, theirs) for name, ours, theirs in pairs if ours != theirs]


class Digest:
    """A digest of segments that come in order, the same for any chunks."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, *codes: np.ndarray) -> None:
        """Take in the next segments: arrays with a 64-bit code per segment, in parallel."""
        both = codes[0] if len(codes) == 1 else np.stack(codes, axis=1)
        self._hash.update(np.ascontiguousarray(both, dtype="<u8").data)

    def __str__(self) -> str:
        return self._hash.hexdigest()[:_DIGITS]


def digest_of(values: Mapping[str, Any]) -> str:
    """A digest of named numbers, texts and arrays, such as the result of a first pass."""
    found = hashlib.sha256()
    for name in sorted(values):
        value = values[name]
        if isinstance(value, np.ndarray):
            found.update(f"{name!r}:{value.dtype.str}{value.shape}".encode())
            found.update(np.ascontiguousarray(value).tobytes())
        else:
            found.update(f"{name!r}:{value!r};".encode())
    return found.hexdigest()[:_DIGITS] if values else ""


def count_range(counts: Sequence[int]) -> str:
    """How many references the segments have: `2`, or `1-2` where the number differs."""
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low}" if low == high else f"{low}-{high}"


def setting(value: object) -> str:
    """A parameter's value as signatures and the command line write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    if isinstance(value, float) and float(f"{value:g}") == value:
        text = f"{value:g}"
    return text.replace("|", "/").replace("\n", " ")


# -- digests of the data -------------------------------------------------------------------------------------


def reading_of(metric: Metric) -> Reading:
    """How a metric reads references: as edits, with or without their types, as texts, or not at all."""
    if "edits" in metric.needs:
        return "typed edits" if "types" in metric.needs else "edits"
    return "texts" if "references" in metric.needs else "none"


@dataclass(frozen=True)
class ReferenceCodes:
    """The references of some segments: a code per segment, the least and the largest number, their form.

    There are no numbers where there is no segment.
    """

    codes: Codes
    counts: tuple[int, ...]
    kinds: frozenset[str]

    def repeated(self, segments: int) -> ReferenceCodes:
        """The codes of so many segments that are all like the one here."""
        return replace(self, codes=np.repeat(self.codes, segments))


# Post-edits belong to the systems, as their hypotheses do, and are no part of the data they share.
_POST_EDITS = ReferenceCodes(np.zeros(1, dtype=np.uint64), (1, 1), frozenset({"post-edits"}))


@dataclass(frozen=True)
class InputCodes:
    """Codes of the texts of a chunk, from which the digests of a whole corpus are made."""

    sources: Codes
    references: Mapping[Reading, ReferenceCodes]
    hypotheses: Mapping[str, Codes]
    post_edits: Mapping[str, Codes] = field(default_factory=dict)


def input_codes(texts: Chunk, readings: Iterable[Reading]) -> InputCodes:
    """The codes of all texts of a chunk, the references as metrics read them; gives the texts token ids."""
    corpus, edited = texts.corpus, bool(texts.post_edits)
    references: dict[Reading, ReferenceCodes] = {
        reading: _POST_EDITS.repeated(len(corpus)) if edited else _references(corpus, reading)
        for reading in readings
        if reading != "none"
    }
    hypotheses, post_edits = (
        {name: line_codes(corpus, lines) for name, lines in some.items()}
        for some in (texts.hypotheses, texts.post_edits)
    )
    return InputCodes(source_codes(corpus), references, hypotheses, post_edits)


def _references(corpus: Corpus, reading: Reading) -> ReferenceCodes:
    if reading != "texts":
        coded = typed_edit_codes if reading == "typed edits" else edit_codes
        codes, counts = coded(corpus), np.diff(corpus.edit_ids.rows)
    else:
        codes, counts = text_codes(corpus), np.diff(corpus.reference_ids.offsets)
    some = (int(counts.min()), int(counts.max())) if len(counts) else ()
    return ReferenceCodes(codes, some, _kinds(corpus, reading))


def _kinds(corpus: Corpus, reading: Reading) -> frozenset[str]:
    """Whether a metric reads gold edits, texts (or edits made from them), or both."""
    if reading == "texts":
        return frozenset({"texts"})
    if hasattr(corpus.segments, "plain_edits"):  # an M2 file, which need not be parsed for this
        return frozenset({"edits"})
    given = (annotation.given_as_text for segment in corpus for annotation in segment.annotations)
    return frozenset("texts" if as_text else "edits" for as_text in given)


@dataclass
class Provenance:
    """Digests of all texts, made from chunk after chunk; gives each metric's score its signature."""

    sources: Digest = field(default_factory=Digest)
    references: dict[Reading, Digest] = field(default_factory=dict)
    counts: dict[Reading, list[int]] = field(default_factory=dict)
    kinds: dict[Reading, set[str]] = field(default_factory=dict)
    hypotheses: dict[str, Digest] = field(default_factory=dict)
    post_edits: dict[str, Digest] = field(default_factory=dict)

    def add(self, chunk: InputCodes) -> None:
        """Take in the next chunk."""
        self.sources.add(chunk.sources)
        for reading, found in chunk.references.items():
            self.references.setdefault(reading, Digest()).add(chunk.sources, found.codes)
            self.counts.setdefault(reading, []).extend(found.counts)
            self.kinds.setdefault(reading, set()).update(found.kinds)
        for system, codes in chunk.hypotheses.items():
            self.hypotheses.setdefault(system, Digest()).add(codes)
        for system, codes in chunk.post_edits.items():
            self.post_edits.setdefault(system, Digest()).add(codes)

    def signature(self, metric: Metric, settled: Mapping[str, Any]) -> Signature:
        """The signature of a metric's scores on these texts."""
        reading = reading_of(metric)
        if reading == "none":
            about: dict[str, object] = {"data": str(self.sources)}
        else:
            about = {
                "refs": count_range(self.counts[reading]),
                "kind": "+".join(sorted(self.kinds[reading])),
                "data": str(self.references[reading]),
            }
        return Signature.of(
            metric.name,
            metric.settings(),
            **about,
            first=digest_of(settled if metric.depends_on_systems else {}),
        )

    def digests(self) -> dict[str, Any]:
        """The digests of the inputs, as plain data."""
        return {
            "sources": str(self.sources),
            **{f"references as {reading}": str(found) for reading, found in self.references.items()},
            "hypotheses": {system: str(found) for system, found in self.hypotheses.items()},
            **({"post-edits": {s: str(d) for s, d in self.post_edits.items()}} if self.post_edits else {}),
        }


def signature_on(metric: Metric, corpus: Corpus, settled: Mapping[str, Any]) -> Signature:
    """The signature of a metric's score on a corpus."""
    made = Provenance()
    made.add(input_codes(Chunk(corpus, {}), [reading_of(metric)]))
    return made.signature(metric, settled)
