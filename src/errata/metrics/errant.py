"""ERRANT (Bryant, Felice & Briscoe 2017): F over automatically extracted and typed edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from errata import __version__, limits
from errata.corpus.model import Corpus, Edit, Segment
from errata.corpus.repeats import RepeatedCorpus, unrepeated
from errata.edits.pipeline import Extractor
from errata.engine import spread
from errata.errors import DataError, ErrataError
from errata.kernels import errant_scan
from errata.metrics.base import Floats, Integers, Statistics, TypedMetric, check_lengths
from errata.metrics.errant_limits import cut_segments
from errata.metrics.errant_matching import UPWARDS, Counts, Matching, at_level, count, count_types, f_score
from errata.metrics.running import Running, Scanned

References = list[list[tuple[Edit, ...]]]  # per segment, per annotator


@lru_cache(maxsize=8)
def extractor(language: str, tagger: str, words: str, merge: str) -> Extractor:
    """The extractor of these settings; one for all metrics and systems, so that nothing is tagged twice."""
    return Extractor(language, tagger or None, words=words or None, merge=merge)


_references: WeakKeyDictionary[Corpus, dict[tuple[str, ...], References]] = WeakKeyDictionary()


@dataclass(frozen=True)
class ERRANT(TypedMetric):
    """F of the edits between source and hypothesis against those of the references.

    References given as edits are taken as they are, or extracted anew from the corrected texts
    (`references=auto`); those given as texts always are.
    """

    language: str = "en"
    tagger: str = ""  # the language's embedded one
    words: str = ""  # the language's embedded list
    merge: str = "rules"
    mode: str = "correction"  # or span, token: detection
    types: bool = False  # must types agree?
    references: str = "given"  # or auto
    length: str = ""  # single or multi: only edits of one token, or of more
    exclude: str = ""  # types to leave out, separated by +
    beta: float = 0.5

    name: ClassVar[str] = "errant"
    title: ClassVar[str] = "ERRANT"
    columns: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "tp", "fp", "fn")
    shown: ClassVar[tuple[str, ...]] = ("precision", "recall")
    reads: ClassVar[Literal["edits", "texts"]] = "edits"
    by_reference: ClassVar[bool] = True

    @property
    def signature(self) -> str:
        settings = [self.extractor.signature, f"mode:{self.mode}", f"references:{self.references}"]
        for name in ("types", "length", "exclude"):
            if getattr(self, name):
                settings.append(f"{name}:{getattr(self, name)}".replace("True", "yes"))
        return "|".join([self.name, *settings, f"beta:{self.beta:g}", f"version:{__version__}"])

    @property
    def extractor(self) -> Extractor:
        return extractor(self.language, self.tagger, self.words, self.merge)

    @property
    def matching(self) -> Matching:
        return Matching(self.mode, self.types, self.length, frozenset(filter(None, self.exclude.split("+"))))

    # -- statistics --------------------------------------------------------------------------------

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        check_lengths(corpus, hypotheses)
        matching = self.matching
        base, numbers = unrepeated(corpus)
        edits = self._hypothesis_edits(corpus, hypotheses, jobs)
        references = self._reference_edits(base)
        wanted = [[matching.keys(given) for given in some] for some in references]
        annotators = [[annotation.annotator for annotation in segment.annotations] for segment in base]
        rows: list[Counts] = []
        names: list[int] = []
        offsets = np.zeros(len(corpus) + 1, dtype=np.int64)
        for i, (number, found) in enumerate(zip(numbers, edits, strict=True)):
            ours = matching.keys(found)
            rows += [count(ours, theirs) for theirs in wanted[number]]
            names += annotators[number]
            offsets[i + 1] = len(rows)
        values = np.array(rows, dtype=np.int64).reshape(-1, 3)
        cuts = cut_segments(corpus, hypotheses, edits, [references[i] for i in numbers], values, offsets)
        return Statistics(self.columns, values, offsets, np.array(names, dtype=np.int64), cuts)

    def _hypothesis_edits(
        self, corpus: Corpus, hypotheses: Sequence[str], jobs: int | None
    ) -> list[tuple[Edit, ...]]:
        extractor = self.extractor
        extractor.jobs = jobs
        known: dict[tuple[str, str], tuple[Edit, ...]] = {}
        if isinstance(corpus, RepeatedCorpus):  # candidates may be each other's references
            for segment, some in zip(corpus.base, self._reference_edits(corpus.base), strict=True):
                for annotation, edits in zip(segment.annotations, some, strict=True):
                    if annotation.given_as_text:
                        known[segment.source, annotation.text] = edits
        pairs = list(zip(corpus.sources, hypotheses, strict=True))
        found = extractor.extract_all(pair for pair in pairs if pair not in known)
        return [known[pair] if pair in known else next(found) for pair in pairs]

    def _reference_edits(self, corpus: Corpus) -> References:
        """The edits of the references; found once for all systems."""
        if self.references not in ("given", "auto"):
            raise ErrataError(f"errant:references={self.references!r}\n  hint: given or auto")
        key = (self.language, self.tagger, self.words, self.merge, self.references, str(limits.current()))
        known = _references.setdefault(corpus, {})
        if key not in known:
            from errata.edits.reannotation import extracted_anew

            anew = [
                a for segment in corpus for a in segment.annotations
                if a.given_as_text or self.references == "auto"
            ]  # fmt: skip
            texts = self.extractor.extract_all((a.source, a.text) for a in anew if a.given_as_text)
            edits = extracted_anew(self.extractor, [(a.source, a.edits) for a in anew if not a.given_as_text])
            known[key] = [
                [
                    next(texts) if a.given_as_text else next(edits) if self.references == "auto" else a.edits
                    for a in segment.annotations
                ]
                for segment in corpus
            ]
        return known[key]

    # -- scores ------------------------------------------------------------------------------------

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        totals = np.zeros((len(weights), 3), dtype=np.int64)
        self._scan(statistics, np.ascontiguousarray(weights, dtype=np.int64), totals)
        return self._parts(totals)

    def running(self) -> Running:
        """The annotators are chosen by running totals, and those are all there is to keep."""
        return Scanned(3, self._scan, self._parts)

    def _scan(self, statistics: Statistics, weights: Integers, totals: Integers) -> None:
        """Add the counts of the annotators chosen to the totals of every sample."""

        def work(start: int, stop: int) -> None:
            errant_scan.scan(
                statistics.values, statistics.offsets, weights, self.beta**2, UPWARDS, start, stop, totals
            )

        spread(work, len(weights), chunk=8)

    def _parts(self, totals: Integers) -> Floats:
        return np.concatenate([self._prf(totals), totals], axis=1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        chosen = self._chosen(statistics, running=False)
        counts = (
            np.where((chosen >= 0)[:, None], statistics.values[chosen], 0)
            if len(statistics.values)
            else (np.zeros((len(chosen), 3), dtype=np.int64))
        )
        scores: Floats = self._prf(counts)[:, 0]
        return scores

    def _chosen(self, statistics: Statistics, running: bool = True) -> Integers:
        chosen = np.empty(len(statistics), dtype=np.int64)
        errant_scan.choose(statistics.values, statistics.offsets, self.beta**2, UPWARDS, running, chosen)
        return chosen

    def _prf(self, counts: Integers) -> Floats:
        """F, P and R, unrounded, of rows of counts."""
        tp, fp, fn = counts.T.astype(np.float64)
        p = np.where(fp > 0, tp / np.maximum(tp + fp, 1), 1.0)
        r = np.where(fn > 0, tp / np.maximum(tp + fn, 1), 1.0)
        mass = self.beta**2 * p + r
        f = np.where(p + r > 0, (1 + self.beta**2) * p * r / np.where(mass > 0, mass, 1), 0.0)
        return np.stack([f, p, r], axis=1)

    # -- types -------------------------------------------------------------------------------------

    def by_type(
        self, corpus: Corpus, hypotheses: Sequence[str], level: int = 2, *, jobs: int | None = None
    ) -> TypeScores:
        """Counts and scores of every error type, against the annotators the corpus score chose."""
        counts: dict[str, list[int]] = {}
        for _, ours, theirs in self.compared(corpus, hypotheses, jobs=jobs):
            count_types(self.matching.keys(ours), self.matching.keys(theirs), counts)
        return TypeScores({name: (a, b, c) for name, (a, b, c) in at_level(counts, level).items()}, self.beta)

    def compared(
        self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None
    ) -> Iterator[tuple[Segment, tuple[Edit, ...], tuple[Edit, ...]]]:
        """Segments with the hypothesis's edits and those of the annotator the corpus score chose."""
        statistics = self.statistics(corpus, hypotheses, jobs=jobs)
        edits = self._hypothesis_edits(corpus, hypotheses, jobs)
        references = self._reference_edits(corpus)
        for i, row in enumerate(self._chosen(statistics).tolist()):
            if row >= 0:
                yield corpus[i], edits[i], references[i][row - int(statistics.offsets[i])]

    def explain(self, segment: Segment, hypothesis: str) -> Any:
        """The edits of a hypothesis, each right or wrong, and those it missed."""
        corpus = Corpus([segment])
        statistics = self.statistics(corpus, [hypothesis])
        edits, references = self._hypothesis_edits(corpus, [hypothesis], None), self._reference_edits(corpus)
        row = int(self._chosen(statistics)[0])
        if row < 0:
            raise DataError("this segment has no reference")
        return Explanation(segment.source, edits[0], references[0][row], self.matching)


@dataclass(frozen=True)
class TypeScores:
    """True and false positives and false negatives of every error type."""

    counts: dict[str, Counts]
    beta: float = 0.5

    def scores(self, name: str) -> tuple[float, float, float]:
        """P, R and F of a type."""
        return f_score(*self.counts[name], self.beta)

    @property
    def micro(self) -> tuple[float, float, float]:
        """P, R and F of all edits together."""
        tp, fp, fn = (
            (sum(column) for column in zip(*self.counts.values(), strict=True)) if self.counts else (0,) * 3
        )
        return f_score(tp, fp, fn, self.beta)

    @property
    def macro(self) -> tuple[float, float, float]:
        """Means of P, R and F over the types."""
        if not self.counts:
            return 1.0, 1.0, 1.0
        p, r, f = np.mean([self.scores(name) for name in self.counts], axis=0).tolist()
        return p, r, f


@dataclass(frozen=True)
class Explanation:
    """Why a hypothesis gets its score: its edits and those of the chosen reference."""

    source: str
    hypothesis: tuple[Edit, ...]
    reference: tuple[Edit, ...]
    matching: Matching

    def __rich__(self) -> str:
        from rich.markup import escape

        return escape(str(self))

    def to_dict(self) -> dict[str, Any]:
        """The edits of both sides as plain data."""
        return {
            "source": self.source,
            "hypothesis": [asdict(edit) for edit in self.hypothesis],
            "reference": [asdict(edit) for edit in self.reference],
        }

    def __str__(self) -> str:
        tokens = self.source.split()
        ours, theirs = self.matching.keys(self.hypothesis), self.matching.keys(self.reference)
        lines = [self.source]
        for edits, others, same, different in (
            (self.hypothesis, theirs, "right ", "wrong "),
            (self.reference, ours, "", "missed"),
        ):
            for edit in edits:
                keys = self.matching.keys([edit])
                mark = "ignored" if not keys else same if all(key in others for key in keys) else different
                if mark:
                    before = " ".join(tokens[edit.start : edit.end]) or "∅"
                    place = f"{edit.start}–{edit.end}"
                    lines.append(f"  {mark}  {place:7} {before} → {edit.correction or '∅'}  {edit.type}")
        return "\n".join(lines)
