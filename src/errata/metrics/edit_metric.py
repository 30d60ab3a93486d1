"""The bases of metrics over edits that ERRANT's rules extract from hypotheses and, if needed, references."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress
from typing import Any, ClassVar, TypeVar
from weakref import ref

from errata import limits
from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, EditedLine, are_edited
from errata.edits.edit_arrays import EditArrays, Integers
from errata.edits.merge import STRATEGIES
from errata.edits.pipeline import Extractor
from errata.edits.reannotation import extracted_anew
from errata.engine import in_order
from errata.errors import ErrataError
from errata.metrics.base import ComputedBy, Metric, Need
from errata.metrics.batch import Batch
from errata.metrics.edit_keys import Keys, ReferenceKeys, exceeded_limits, sequence_keys
from errata.metrics.edit_matching import Matching
from errata.metrics.parameters import parameter
from errata.metrics.signature import WhiteSpace
from errata.native.ragged import Ragged
from errata.text.lines import Lines

Result = TypeVar("Result")
Edits = tuple[Edit, ...]
References = list[list[Edits]]  # per segment, per annotator
OFFICIAL = ("spacy:en_core_web_sm", "errant")  # tagger and word list of the official numbers for English
_OPERATIONS = ("M:", "R:", "U:")
_WITHOUT_OPERATION = ("noop", "UNK")

# Edits of hypotheses that a first pass extracted; entries go when the token ids of their texts are freed.
_extracted: dict[tuple[Hashable, ...], tuple[EditArrays, list[ref[Any]]]] = {}


@lru_cache(maxsize=8)
def extractor(language: str, tagger: str, words: str, merge: str) -> Extractor:
    """The extractor with these settings, shared by all metrics and systems: nothing is tagged twice."""
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
    """Base of the metrics over extracted edits.

    `tagger` is empty for the official pipeline (spaCy's en_core_web_sm for English, the embedded tagger for
    other languages), `embedded` for the tagger that needs no download, or the name of any tagger. `words` is
    the word list for spelling errors, and `merge` the strategy that joins neighbouring changes. `references`
    says which gold edits count: `given` takes those of the file, and `auto` extracts all of them anew.
    `standard` extracts an annotator's edits of a segment anew if one of them has a type that is not ERRANT's.
    """

    language: str = "en"
    tagger: str = ""
    words: str = ""
    merge: str = parameter("rules", choices=STRATEGIES)
    references: str = parameter("standard", choices=("standard", "given", "auto"))

    white_space: ClassVar[WhiteSpace] = "unicode"
    # `types`, because the types decide which edits are extracted anew.
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits", "types"})
    edits_from_source: ClassVar[bool] = True  # otherwise from the hypothesis to a reference
    counts_natively: ClassVar[bool] = False  # whether native code counts the edits

    @property
    def computed_by(self) -> ComputedBy:  # type: ignore[override]
        """Native code, if it counts the edits and also tags the texts."""
        return "native" if self.counts_natively and self.extractor.concurrent else "python"

    @property
    def divisible(self) -> bool:
        """False: edits are extracted from all segments together."""
        return False

    @property
    def reads_edits_of_outputs(self) -> bool:
        """True, unless edits lead from the hypothesis to a reference."""
        return self.edits_from_source

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
        """The settings of the extractor, whether its edits are approximate, and the other parameters."""
        extracting = ("language", "tagger", "words", "merge")
        own = {k: v for k, v in super().settings().items() if k not in extracting}
        mark = {} if self.is_official else {"approximate": True}
        return {**mark, **self.extractor.settings, **own}

    def label(self, part: str) -> str:
        """The name of a part in a table; `≈` marks edits that are not those of the official program."""
        name = super().label(part)
        title = self.title or self.name
        return name if self.is_official else name.replace(title, f"{title}≈", 1)

    def hypothesis_arrays(self, batch: Batch) -> tuple[EditArrays, Ragged] | None:
        """The edits from sources to hypotheses as arrays, and the hypotheses as token ids.

        None if some edits come from an M2 file, or if hypotheses may be each other's references.
        """
        corpus, hypotheses = batch.corpus, batch.hypotheses
        if are_edited(hypotheses) or corpus.distinct[0] is not corpus:
            return None
        targets = corpus.vocabulary.encode_lines(hypotheses)
        extract = self.extractor
        extract.jobs = batch.jobs
        return extract.arrays(corpus.vocabulary, corpus.source_ids, targets), targets

    def hypothesis_edits(self, corpus: Corpus, hypotheses: Sequence[str], jobs: int | None) -> list[Edits]:
        """The edits from every source to its hypothesis; edits from an M2 file are used unchanged."""
        arrays = self.hypothesis_arrays(Batch(corpus, hypotheses, jobs))
        if arrays is not None:
            return [*arrays[0].edits(hypotheses)]
        file_edits = [line.edits if isinstance(line, EditedLine) else None for line in hypotheses]
        if None not in file_edits:
            return [edits for edits in file_edits if edits is not None]
        reference_edits: dict[tuple[str, str], Edits] = {}
        base, _ = corpus.distinct
        if base is not corpus:  # candidates may be each other's references
            for segment, rows in zip(base, self.reference_edits(base), strict=True):
                for annotation, edits in zip(segment.annotations, rows, strict=True):
                    if annotation.given_as_text:
                        reference_edits[segment.source, annotation.text] = edits
        pairs = list(zip(corpus.sources, hypotheses, strict=True))
        is_new = [
            edits is None and pair not in reference_edits
            for pair, edits in zip(pairs, file_edits, strict=True)
        ]
        extract = self.extractor
        extract.jobs = jobs
        extracted = extract.extract_all(compress(pairs, is_new))
        return [
            next(extracted) if new else reference_edits[pair] if edits is None else edits
            for pair, edits, new in zip(pairs, file_edits, is_new, strict=True)
        ]

    def hypothesis_keys(self, batch: Batch, matching: Matching) -> tuple[Keys, Mapping[int, str]]:
        """The keys of the hypotheses' edits, and the limit that a hypothesis exceeded."""
        arrays = self.hypothesis_arrays(batch)
        if arrays is not None:
            return Keys.of_arrays(*arrays, matching), arrays[0].limits
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        return Keys.of_objects(matching, edits, batch.corpus.vocabulary), exceeded_limits(edits)

    def reference_edits(self, corpus: Corpus, jobs: int | None = None) -> References:
        """The edits of every annotator of every segment, computed once for all systems."""
        self.extractor.jobs = jobs
        return corpus.once(self.extracted, lambda: self._extract_references(corpus))

    def reference_keys(self, corpus: Corpus, matching: Matching, jobs: int | None = None) -> ReferenceKeys:
        """The keys of the references' edits, computed once for all systems."""

        def compute() -> ReferenceKeys:
            rows = [*chain.from_iterable(self.reference_edits(corpus, jobs))]
            keys = Keys.of_objects(matching, rows, corpus.vocabulary)
            offsets, annotators = corpus.annotations.offsets, corpus.annotator_numbers
            return ReferenceKeys(keys, offsets, annotators, exceeded_limits(rows))

        return corpus.once((self.extracted, matching), compute)

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:
        """Extract the edits of references."""
        if self.counts_natively and "edits" in self.needs:
            self.reference_edits(corpus, jobs)

    @property
    def extracted(self) -> tuple[str, ...]:
        """The settings that the edits of references depend on."""
        return self.language, self.tagger, self.words, self.merge, self.references, str(limits.current())

    def _extract_references(self, corpus: Corpus) -> References:
        by_segment = [segment.annotations for segment in corpus]
        annotations = [*chain.from_iterable(by_segment)]
        replaced = [not a.given_as_text and self._is_replaced(a) for a in annotations]
        texts = self.extractor.extract_all((a.source, a.text) for a in annotations if a.given_as_text)
        new_edits = extracted_anew(
            self.extractor, [(a.source, a.edits) for a in compress(annotations, replaced)]
        )
        edits = (
            next(new_edits) if new else next(texts) if annotation.given_as_text else annotation.edits
            for annotation, new in zip(annotations, replaced, strict=True)
        )
        return [[next(edits) for _ in row] for row in by_segment]

    def _is_replaced(self, annotation: Annotation) -> bool:
        """Whether these gold edits are extracted anew; other annotations and segments do not matter."""
        return self.references == "auto" or (
            self.references == "standard" and any(_is_foreign(edit.type) for edit in annotation.edits)
        )


def _is_foreign(kind: str) -> bool:
    """Whether a type is not ERRANT's, such as those of CoNLL-2014."""
    return not kind.startswith(_OPERATIONS) and kind not in _WITHOUT_OPERATION


@dataclass(frozen=True)
class EditSequenceMetric(EditMetric):
    """Base of the metrics that apply the edits of hypothesis and references to the source.

    The edits of a row ascend by their starts. Edits with the same start keep their order or, with `exact`,
    ascend by their ends. With `exact`, white space in a correction also counts.
    """

    exact: ClassVar[bool] = False
    counts_natively: ClassVar[bool] = True

    def for_systems(self, work: Callable[[Batch], Result], batches: Mapping[str, Batch]) -> dict[str, Result]:
        """Call a function for every system, in several threads if the metric is native."""
        several = len(batches) > 1 and self.computed_by == "native"
        jobs = next(iter(batches.values())).jobs if several else 1
        return dict(zip(batches, in_order(work, [*batches.values()], jobs), strict=True))

    def hypothesis_arrays(self, batch: Batch) -> tuple[EditArrays, Ragged] | None:
        """As in the base class, but the second pass uses the edits of the first for lines in memory."""
        if not (self.first_pass and isinstance(batch.hypotheses, Lines)):
            return super().hypothesis_arrays(batch)
        words = batch.corpus.vocabulary.encode_lines(batch.hypotheses)
        texts = words.values, batch.corpus.source_ids.values
        key = *map(id, texts), self.extractor, limits.current()
        if key not in _extracted:
            arrays = super().hypothesis_arrays(batch)
            if arrays is None:
                return None
            _extracted[key] = arrays[0], [ref(text, lambda _: _extracted.pop(key, None)) for text in texts]
        return _extracted[key][0], words

    def hypothesis_sequences(self, batch: Batch) -> Keys:
        """The edits of every hypothesis."""
        arrays = self.hypothesis_arrays(batch)
        if arrays is not None:
            return Keys.of_arrays(*arrays)
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        return sequence_keys(edits, batch.corpus.vocabulary, exact=self.exact)

    def reference_sequences(self, corpus: Corpus, jobs: int | None = None) -> tuple[Keys, Integers]:
        """The edits of every annotator, computed once for all systems, and the offsets of segments."""

        def compute() -> Keys:
            rows = chain.from_iterable(self.reference_edits(corpus, jobs))
            return sequence_keys(rows, corpus.vocabulary, exact=self.exact)

        return corpus.once((self.extracted, "sequences", self.exact), compute), corpus.annotations.offsets
