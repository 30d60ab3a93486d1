"""Edits of hypotheses and references, for the metrics that compare edits extracted by ERRANT's rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress
from typing import ClassVar

import numpy as np

from errata import limits
from errata.corpus.corpus_cache import once
from errata.corpus.model import Annotation, Corpus, Edit, EditedLine
from errata.edits.edit_arrays import EditArrays
from errata.edits.merge import STRATEGIES
from errata.edits.pipeline import Extractor
from errata.edits.reannotation import extracted_anew
from errata.errors import ErrataError
from errata.metrics.base import ComputedBy, Metric, Need
from errata.metrics.batch import Batch
from errata.metrics.errant.gold import Gold, gold_edits
from errata.metrics.errant.keys import Keys, Part, Wanted, limits_of
from errata.metrics.errant.matching import Matching
from errata.metrics.parameters import parameter
from errata.native.ragged import Ragged
from errata.text.lines import Lines

Edits = tuple[Edit, ...]
References = list[list[Edits]]  # per segment, per annotator
OFFICIAL = ("spacy:en_core_web_sm", "errant")  # tagger and word list of the official numbers for English
_OPERATIONS = ("M:", "R:", "U:")
_WITHOUT_OPERATION = ("noop", "UNK")


@lru_cache(maxsize=8)
def extractor(language: str, tagger: str, words: str, merge: str) -> Extractor:
    """The extractor of these settings; one for all metrics and systems, so that nothing is tagged twice."""
    if language == "en" and not tagger:
        return _official(words or OFFICIAL[1], merge)
    return Extractor(
        language, None if tagger in ("", "embedded") else tagger, words=words or None, merge=merge
    )


def _official(words: str, merge: str) -> Extractor:
    try:
        return Extractor("en", OFFICIAL[0], words=words, merge=merge)
    except ErrataError as error:
        raise ErrataError(
            f"the official ERRANT for English is not installed: {str(error).splitlines()[0]}\n"
            "  hint: install it with `errata setup errant`, or give the metric the embedded tagger "
            "(`errant:tagger=embedded`), which needs no download and is approximate"
        ) from None


@dataclass(frozen=True)
class EditMetric(Metric):
    """What the metrics over extracted edits share: the settings of the extractor, and the edits it finds.

    `tagger` is empty for the official pipeline (for English spaCy's en_core_web_sm, for other languages the
    embedded tagger), `embedded` for the tagger that needs no download, or any tagger by name; `words` is the
    word list for spelling errors, and `merge` the strategy that joins neighbouring changes. `references` says
    which edits of the gold count: `given`, `auto` (extracted anew), or `standard`, which extracts those of an
    annotator of a segment anew if one of them has a type that is not ERRANT's.
    """

    language: str = "en"
    tagger: str = ""
    words: str = ""
    merge: str = parameter("rules", choices=STRATEGIES)
    references: str = parameter("standard", choices=("standard", "given", "auto"))

    # Types decide which edits are extracted anew.
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits", "types"})
    edits_from_source: ClassVar[bool] = True  # else they lead from the hypothesis to a reference
    counts_natively: ClassVar[bool] = False  # whether native code counts the edits

    @property
    def computed_by(self) -> ComputedBy:  # type: ignore[override]
        """Native code only if the tagger is native, too."""
        return "native" if self.counts_natively and self.extractor.concurrent else "python"

    @property
    def extractor(self) -> Extractor:
        """The extractor of these settings."""
        return extractor(self.language, self.tagger, self.words, self.merge)

    @property
    def is_official(self) -> bool:
        """Whether the edits are those of the official program: English with its tagger and word list."""
        tagger, words = self.tagger or OFFICIAL[0], self.words or OFFICIAL[1]
        return (self.language, tagger, words, self.merge) == ("en", *OFFICIAL, "rules")

    def settings(self) -> dict[str, object]:
        """The settings of the extractor, whether they are approximate, and the other parameters."""
        extracting = ("language", "tagger", "words", "merge")
        own = {k: v for k, v in super().settings().items() if k not in extracting}
        mark = {} if self.is_official else {"approximate": True}
        return {**mark, **self.extractor.settings, **own}

    def label(self, part: str) -> str:
        """How a table names a part; `≈` marks edits that are not those of the official program."""
        name = super().label(part)
        title = self.title or self.name
        return name if self.is_official else name.replace(title, f"{title}≈", 1)

    def hypothesis_arrays(self, batch: Batch) -> tuple[EditArrays, Ragged] | None:
        """The edits from sources to hypotheses as numbers, and the hypotheses as token ids.

        None where some are given, or may be known as those of references.
        """
        corpus, hypotheses = batch.corpus, batch.hypotheses
        of_file = isinstance(hypotheses, Lines) and hypotheses.of_file
        given = not of_file and any(isinstance(line, EditedLine) for line in hypotheses)
        if given or corpus.distinct[0] is not corpus:
            return None
        targets = corpus.vocabulary.encode_lines(hypotheses)
        extract = self.extractor
        extract.jobs = batch.jobs
        return extract.arrays(corpus.vocabulary, corpus.source_ids, targets), targets

    def hypothesis_edits(self, corpus: Corpus, hypotheses: Sequence[str], jobs: int | None) -> list[Edits]:
        """The edits from every source to its hypothesis; those of an M2 file are taken as they are."""
        arrays = self.hypothesis_arrays(Batch(corpus, hypotheses, jobs))
        if arrays is not None:
            return [*arrays[0].edits(hypotheses)]
        given = [line.edits if isinstance(line, EditedLine) else None for line in hypotheses]
        if None not in given:
            return [edits for edits in given if edits is not None]
        known: dict[tuple[str, str], Edits] = {}
        base, _ = corpus.distinct
        if base is not corpus:  # candidates may be each other's references
            for segment, some in zip(base, self.reference_edits(base), strict=True):
                for annotation, edits in zip(segment.annotations, some, strict=True):
                    if annotation.given_as_text:
                        known[segment.source, annotation.text] = edits
        pairs = list(zip(corpus.sources, hypotheses, strict=True))
        new = [edits is None and pair not in known for pair, edits in zip(pairs, given, strict=True)]
        extract = self.extractor
        extract.jobs = jobs
        found = extract.extract_all(compress(pairs, new))
        return [
            next(found) if anew else known[pair] if edits is None else edits
            for pair, edits, anew in zip(pairs, given, new, strict=True)
        ]

    def hypothesis_keys(self, batch: Batch, matching: Matching) -> tuple[Keys, Mapping[int, str]]:
        """What is compared of the hypotheses' edits, and which of these went beyond a limit.

        Those of references are extracted before: then most sources are tagged once.
        """
        self.extractor.jobs = batch.jobs
        self._gold(batch.distinct[0])
        arrays = self.hypothesis_arrays(batch)
        if arrays is not None:
            part = Part.of(*arrays, np.arange(len(batch)))
            return Keys.of(matching, len(batch), [part]), arrays[0].limits
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        return Keys.of_objects(matching, edits, batch.corpus.vocabulary), limits_of(edits)

    def reference_edits(self, corpus: Corpus) -> References:
        """The edits of every annotator, extracted once for all systems where they have to be."""
        return once(corpus, self.extracted, lambda: self._extract_references(corpus))

    def reference_keys(self, corpus: Corpus, matching: Matching) -> Wanted:
        """What is compared of the references' edits, found once for all systems."""

        def find() -> Wanted:
            offsets = np.zeros(len(corpus) + 1, dtype=np.int64)
            np.cumsum(corpus.annotation_counts, out=offsets[1:])
            if gold is not None:
                parts, beyond = gold.parts()
                keys = Keys.of(matching, int(offsets[-1]), parts)
            else:
                rows = [edits for some in self.reference_edits(corpus) for edits in some]
                keys, beyond = Keys.of_objects(matching, rows, corpus.vocabulary), limits_of(rows)
            return Wanted(keys, offsets, corpus.annotator_numbers, beyond)

        gold = self._gold(corpus)
        return once(corpus, (self.extracted, matching), find)

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:
        """Find out which edits of references have to be extracted."""
        if self.counts_natively and "edits" in self.needs:
            self.extractor.jobs = jobs
            self._gold(corpus)

    def _gold(self, corpus: Corpus) -> Gold | None:
        is_foreign = _is_foreign if self.references == "standard" else lambda _: False
        return once(
            corpus, (self.extracted, "gold"),
            lambda: gold_edits(corpus, self.extractor, is_foreign, self.references == "auto"),
        )  # fmt: skip

    @property
    def extracted(self) -> tuple[str, ...]:
        """What the edits of references depend on."""
        return self.language, self.tagger, self.words, self.merge, self.references, str(limits.current())

    def _extract_references(self, corpus: Corpus) -> References:
        given = [segment.annotations for segment in corpus]
        every = [*chain.from_iterable(given)]
        anew = [not a.given_as_text and self._is_extracted_anew(a) for a in every]
        if not any(anew) and not any(a.given_as_text for a in every):
            return [[a.edits for a in annotations] for annotations in given]
        texts = self.extractor.extract_all((a.source, a.text) for a in every if a.given_as_text)
        edits = extracted_anew(self.extractor, [(a.source, a.edits) for a in compress(every, anew)])
        again = iter(anew)
        return [
            [next(edits) if next(again) else next(texts) if a.given_as_text else a.edits for a in annotations]
            for annotations in given
        ]

    def _is_extracted_anew(self, annotation: Annotation) -> bool:
        """Whether these gold edits are replaced; it depends on them alone, so that chunks do not matter."""
        return self.references == "auto" or (
            self.references == "standard" and any(_is_foreign(edit.type) for edit in annotation.edits)
        )


def _is_foreign(kind: str) -> bool:
    """Whether a type is not ERRANT's, such as those of CoNLL-2014."""
    return not kind.startswith(_OPERATIONS) and kind not in _WITHOUT_OPERATION
