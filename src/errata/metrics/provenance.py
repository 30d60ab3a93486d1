"""Where numbers come from: digests of the texts, how many references there were, and in which form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

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
from errata.metrics.base import Metric
from errata.metrics.signature import Digest, Signature, count_range, digest_of

Reading = Literal["edits", "typed edits", "texts", "none"]


def reading_of(metric: Metric) -> Reading:
    """How a metric reads references: as edits, with or without their types, as texts, or not at all."""
    if "edits" in metric.needs:
        return "typed edits" if metric.reads_types else "edits"
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
    as_text = corpus.annotations.as_text
    return frozenset([*["texts"] * bool(as_text.any()), *["edits"] * (not as_text.all())])


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
