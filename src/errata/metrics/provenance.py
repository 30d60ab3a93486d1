"""Where numbers come from: digests of the texts, how many references there were, and in which form."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from errata.corpus.chunks import Texts
from errata.corpus.content_hashes import (
    Codes,
    edit_codes,
    line_codes,
    source_codes,
    text_codes,
    typed_edit_codes,
)
from errata.corpus.model import Corpus
from errata.engine import Shared
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
class ChunkCodes:
    """Codes of the texts of a chunk, from which the digests of a whole corpus are made."""

    sources: Codes
    references: Mapping[Reading, ReferenceCodes]
    hypotheses: Mapping[str, Codes]
    post_edits: Mapping[str, Codes] = field(default_factory=dict)


class Coding:
    """The work that gives the texts of a chunk their token ids and codes, in pieces for several threads.

    `prepare` is called as soon as sources and references have token ids.
    """

    def __init__(
        self, texts: Texts, readings: Iterable[Reading], prepare: Callable[[], None] = lambda: None
    ) -> None:
        self.corpus = Shared(partial(_corpus_codes, texts, tuple(readings), prepare))
        encode = texts.corpus.vocabulary.encode_lines
        self._ids = {name: Shared(partial(encode, lines)) for name, lines in texts.hypotheses.items()}
        self.hypotheses, self.post_edits = (
            {name: Shared(partial(line_codes, texts.corpus, lines)) for name, lines in some.items()}
            for some in (texts.hypotheses, texts.post_edits)
        )

    def make(self, system: str) -> None:
        """What scoring a system needs; while another thread reads the references, other systems get ids."""
        for ids in [self._ids[system], *self._ids.values()]:
            if not ids.doing:
                ids()
            if not self.corpus.doing:
                break
        self._ids[system]()
        self.corpus()

    def apart(self, systems: Container[str]) -> list[Callable[[], Any]]:
        """The work for texts other than the corpus and the hypotheses of these systems."""
        others = [piece for name, piece in self.hypotheses.items() if name not in systems]
        return [*others, *self.post_edits.values()]

    def codes(self) -> ChunkCodes:
        """The codes of a chunk as the metrics read it."""
        systems, edited = (
            {n: codes() for n, codes in some.items()} for some in (self.hypotheses, self.post_edits)
        )
        return ChunkCodes(*self.corpus(), systems, edited)


def _corpus_codes(
    texts: Texts, readings: Iterable[Reading], prepare: Callable[[], None]
) -> tuple[Codes, dict[Reading, ReferenceCodes]]:
    """The codes of the sources, and those of the references as they are read."""
    corpus, edited = texts.corpus, bool(texts.post_edits)
    references: dict[Reading, ReferenceCodes] = {
        reading: _POST_EDITS.repeated(len(corpus)) if edited else _references(corpus, reading)
        for reading in readings
        if reading != "none"
    }
    prepare()
    return source_codes(corpus), references


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

    def add(self, chunk: ChunkCodes) -> None:
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
    made.add(Coding(Texts(corpus, {}), [reading_of(metric)]).codes())
    return made.signature(metric, settled)
