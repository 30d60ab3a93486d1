"""The base of metrics over edits that are extracted by ERRANT's rules, and the edits of references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress
from typing import ClassVar, NamedTuple

import numpy as np

from errata import limits
from errata.corpus.columns import EncodedEdits, apply_encoded
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, EditedLine
from errata.edits.edit_arrays import EditArrays, Integers, type_numbers
from errata.edits.merge import STRATEGIES
from errata.edits.pipeline import Extractor
from errata.edits.reannotation import DETECTED, extracted_anew
from errata.errors import ErrataError
from errata.metrics.base import ComputedBy, Metric, Need
from errata.metrics.batch import Batch
from errata.metrics.edit_keys import Keys, Part, Wanted, limits_of
from errata.metrics.edit_matching import Matching
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

        None if an M2 file has some of them, or if a reference may have the same.
        """
        corpus, hypotheses = batch.corpus, batch.hypotheses
        of_file = isinstance(hypotheses, Lines) and hypotheses.of_file
        has_edits = not of_file and any(isinstance(line, EditedLine) for line in hypotheses)
        if has_edits or corpus.distinct[0] is not corpus:
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
        of_files = [line.edits if isinstance(line, EditedLine) else None for line in hypotheses]
        if None not in of_files:
            return [edits for edits in of_files if edits is not None]
        of_references: dict[tuple[str, str], Edits] = {}
        base, _ = corpus.distinct
        if base is not corpus:  # candidates may be each other's references
            for segment, some in zip(base, self.reference_edits(base), strict=True):
                for annotation, edits in zip(segment.annotations, some, strict=True):
                    if annotation.given_as_text:
                        of_references[segment.source, annotation.text] = edits
        pairs = list(zip(corpus.sources, hypotheses, strict=True))
        new = [
            edits is None and pair not in of_references for pair, edits in zip(pairs, of_files, strict=True)
        ]
        extract = self.extractor
        extract.jobs = jobs
        extracted = extract.extract_all(compress(pairs, new))
        return [
            next(extracted) if anew else of_references[pair] if edits is None else edits
            for pair, edits, anew in zip(pairs, of_files, new, strict=True)
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
        return corpus.once(self.extracted, lambda: self._extract_references(corpus))

    def reference_keys(self, corpus: Corpus, matching: Matching) -> Wanted:
        """The keys of the references' edits, computed once for all systems."""

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
        return corpus.once((self.extracted, matching), find)

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:
        """Find out which edits of references have to be extracted."""
        if self.counts_natively and "edits" in self.needs:
            self.extractor.jobs = jobs
            self._gold(corpus)

    def _gold(self, corpus: Corpus) -> Gold | None:
        is_foreign = _is_foreign if self.references == "standard" else lambda _: False
        return corpus.once((self.extracted, "gold"),
            lambda: gold_edits(corpus, self.extractor, is_foreign, self.references == "auto"),
        )  # fmt: skip

    @property
    def extracted(self) -> tuple[str, ...]:
        """What the edits of references depend on."""
        return self.language, self.tagger, self.words, self.merge, self.references, str(limits.current())

    def _extract_references(self, corpus: Corpus) -> References:
        annotated = [segment.annotations for segment in corpus]
        every = [*chain.from_iterable(annotated)]
        anew = [not a.given_as_text and self._is_extracted_anew(a) for a in every]
        if not any(anew) and not any(a.given_as_text for a in every):
            return [[a.edits for a in annotations] for annotations in annotated]
        texts = self.extractor.extract_all((a.source, a.text) for a in every if a.given_as_text)
        edits = extracted_anew(self.extractor, [(a.source, a.edits) for a in compress(every, anew)])
        again = iter(anew)
        return [
            [next(edits) if next(again) else next(texts) if a.given_as_text else a.edits for a in annotations]
            for annotations in annotated
        ]

    def _is_extracted_anew(self, annotation: Annotation) -> bool:
        """Whether these gold edits are replaced; it depends on them alone, so that chunks do not matter."""
        return self.references == "auto" or (
            self.references == "standard" and any(_is_foreign(edit.type) for edit in annotation.edits)
        )


def _is_foreign(kind: str) -> bool:
    """Whether a type is not ERRANT's, such as those of CoNLL-2014."""
    return not kind.startswith(_OPERATIONS) and kind not in _WITHOUT_OPERATION


class Gold(NamedTuple):
    """The edits of all annotators, of which some rows are extracted anew."""

    extracted: EditArrays
    rows: Integers
    targets: Ragged  # the corrected texts of these rows
    given: Part

    def parts(self) -> tuple[list[Part], dict[int, str]]:
        """All edits, and which rows went beyond a limit."""
        edits = self.extracted
        beyond = {int(self.rows[pair]): limit for pair, limit in edits.limits.items()}
        return [Part.of(edits, self.targets, self.rows), self.given], beyond


def gold_edits(
    corpus: Corpus, extractor: Extractor, is_foreign: Callable[[str], bool], everything: bool
) -> Gold | None:
    """The edits of all annotators; None if this takes making objects.

    Those of an annotator of a segment are extracted anew if one of them is foreign, or `everything` is. Those
    of references that are texts are all extracted.
    """
    annotations = corpus.annotations
    if annotations.as_text.all() and corpus.rewrites is None:
        texts, segments = corpus.reference_ids, annotations.owners
        sources = corpus.source_ids.select(segments)
        extracted = extractor.arrays(corpus.vocabulary, sources, texts.ids)
        none = np.zeros((0, 2), dtype=np.int32)
        given = Part(none[:, 0], none, none[:, 0], none, none[:, 0])
        return Gold(extracted, np.arange(len(sources), dtype=np.int64), texts.ids, given)
    if annotations.as_text.any() or not annotations.ascending:
        return None
    gold = corpus.edit_ids
    types_of_edits = gold.types
    if types_of_edits is None or len(gold.tokens) != len(gold.spans) or (gold.tokens.values < 0).any():
        return None  # several corrections of one edit, or a correction that is no row of tokens
    names, kinds = types_of_edits
    owners = gold.owners
    anew = np.full(len(gold.annotators), everything)
    anew[owners[np.array([*map(is_foreign, names)], dtype=bool)[kinds]]] = True
    detected = np.array([name in DETECTED for name in names], dtype=bool)[kinds]
    rows = np.flatnonzero(anew)
    segments = np.repeat(np.arange(len(corpus), dtype=np.int64), np.diff(gold.rows))[rows]
    sources = corpus.source_ids.select(segments)
    order = gold.ascending
    targets = _applied(gold, owners, order[anew[owners[order]]], detected, rows, sources)
    if targets is None:
        return None
    extracted = extractor.arrays(corpus.vocabulary, sources, targets)
    types = type_numbers(names)[kinds]
    types[anew[owners]] = type_numbers(["UNK"])[0]
    kept = ~anew[owners] | detected
    places = np.stack([gold.tokens.offsets[:-1], gold.tokens.offsets[1:]], axis=1)
    given = Part(owners[kept], gold.spans[kept], types[kept], places[kept], gold.tokens.values)
    return Gold(extracted, rows, targets, given)


def _applied(
    gold: EncodedEdits, owners: Integers, edits: Integers, detected: Integers, rows: Integers, sources: Ragged
) -> Ragged | None:
    """The corrected texts of rows, by those of these edits that correct; None where edits overlap."""
    first = owners[edits] * (1 + int(gold.spans.max(initial=0)))
    starts, ends = (first + gold.spans[edits, side] for side in (0, 1))
    corrected = np.maximum.accumulate(np.where(detected[edits], -1, ends))
    if (detected[edits] & (starts < corrected)).any():  # an error was seen in what is corrected already
        return None
    edits = edits[~detected[edits]]
    offsets = np.searchsorted(owners[edits], np.append(rows, len(gold.annotators)))
    return apply_encoded(sources, offsets, gold.spans[edits], gold.tokens.select(edits))
